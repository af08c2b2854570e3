// chat_terminal.mjs: "skein chat" and "skein send" as a person at a terminal sees them.
import path from 'node:path';
import { assert, Server, finally_, finish, folder, run, script, test } from '../server/lib.mjs';
import { Desk } from '../server/desk.mjs';
import { Terminal } from './screen.mjs';

const program = path.resolve(process.env.SKEIN);
const state = path.join(folder, 'state');
const rules = script('chat', `
pace: 30
rules:
  - when: forever
    do:
      - say: begun
      - wait: 10m
      - say: never
  - when: it fails
    do:
      - fail: the line is down
  - when: hello
    do:
      - say: "hello yourself, says {agent}"
otherwise: no line
`);

const server = await Server.start({ script: rules, delay: true });
// In the world "held" the agents write when the test says so, and as long as it does.
const desk = await Desk.open(server);
for (const [name, model] of [['launch'], ['held', desk.model]]) {
    await server.post('/worlds', { name });
    for (const agent of ['ada', 'bo']) await server.post(`/worlds/${name}/agents`, { name: agent, ...(model ? { model } : {}) });
    await server.post(`/worlds/${name}/chats`, { title: 'talk' });
}

function open(words, { world = 'launch', ...options } = {}) {
    const t = new Terminal([program, ...server.store.args, '-w', world, ...words], { ...options, env: { XDG_STATE_HOME: state, ...options.env } });
    finally_(() => t.kill());
    return t;
}
const rest = async t => { await t.shows(/ada ○ bo ○(.*)\n›[^\n]*$/); };
// The last row, where the prompt is.
const prompt = t => t.screen.text.split('\n').at(-1);
// As long as a person takes from key to key: what one key sends comes at once.
const pause = (ms = 500) => new Promise(resolve => setTimeout(resolve, ms));
const tail = (t, n) => t.screen.text.split('\n').slice(-n).join('\n');

test('a message is answered, and all stands in the scrollback', async () => {
    const t = open(['chat']);
    await rest(t);
    t.type('hello\r');
    await t.shows(/you › hello +→ ada, bo\n/);
    await t.shows(/hello yourself, says ada/);
    await t.shows(/hello yourself, says bo/);
    await rest(t);
    assert.equal(t.screen.text.match(/you › hello/g).length, 1);
    assert.equal(t.screen.text.match(/hello yourself/g).length, 2);
    assert.match(tail(t, 3), /^─+\nlaunch · talk · v1 · 2 agents: ada ○ bo ○( · demo\/scripted)?\n› ?$/);
    t.type('\x04');
    assert.equal(await t.end(), 0);
    assert.match(t.screen.text, /Come back with: skein chat launch --continue\nOn the web: http:\/\/127\.0\.0\.1:\d+\/w\/launch\/c\/c_\S+\n$/);
    assert.doesNotMatch(t.screen.text, /─/);
});

test('what is typed stays while answers come in above it', async () => {
    const t = open(['chat'], { cols: 40, world: 'held' });
    await rest(t);
    t.type('@ada slowly\r');
    const ada = await desk.next();
    ada.begin('one two three');
    await t.shows(/ada {2}writing… \d+ s\n {2}one/);
    const text = 'half of a sentence that is longer than the row, with grüße and 漢字';
    t.type(text);
    await t.shows(/ada ● bo ○[^\n]*\n› half[^]*字$/);
    ada.answer('\nthe end');
    await t.shows(/ {2}the end\n/);
    await t.shows(/ada ○ bo ○[^\n]*\n› half/);
    assert.equal(tail(t, 2).replace('\n', ''), `› ${text}`);
    assert.equal(t.screen.text.match(/half of a/g).length, 1);
    assert.equal(t.screen.text.match(/─\n/g).length, 1);
    assert.doesNotMatch(t.screen.text, /writing…|▍/);
    t.type('\x15@bo hello\r');
    (await desk.next()).answer('hello yourself, says bo');
    await t.shows(/hello yourself, says bo/);
    assert.doesNotMatch(t.screen.text, /half of a/);
    t.type('/quit\r');
    assert.equal(await t.end(), 0);
});

test('a message sent while agents work waits, and is shown as waiting', async () => {
    const t = open(['chat'], { world: 'held' });
    await rest(t);
    t.type('@ada slowly, please\r');
    const ada = await desk.next();
    ada.begin('one two three');
    await t.shows(/ada {2}writing…/);
    t.type('@bo hello after that\r');
    await t.shows(/queue 1: "@bo hello after that" {3}↑ edit · \/now sends it/);
    ada.answer('\nthe end');
    (await desk.next()).answer('hello yourself, says bo');
    await t.shows(/the end\n[^]*you › @bo hello after that[^]*hello yourself, says bo/);
    await rest(t);
    assert.doesNotMatch(tail(t, 4), /queue/);
    t.type('\x04');
    assert.equal(await t.end(), 0);
});

test('Ctrl-C stops the agents and keeps what is typed; a second one leaves', async () => {
    const t = open(['chat']);
    await rest(t);
    t.type('@ada forever\r');
    await t.shows(/ada {2}writing…[^]*begun/);
    t.type('kept');
    await t.shows(/› kept$/);
    t.type('\x03');
    await t.shows(/Stopped\. What was written stays\.[^]*Ctrl-C again leaves\./);
    await t.shows(/ada ○ bo ○( · demo\/scripted)?\n› kept$/);
    t.type('\x03');
    assert.equal(await t.end(), 130);
    assert.match(t.screen.text, /Come back with/);
});

test('commands are those of the program, and Tab completes them', async () => {
    const t = open(['chat']);
    await rest(t);
    t.type('/und\t');
    await t.shows(/› \/undo$/);
    t.type('\r');
    await t.shows(/error: there is nothing to undo/);
    t.type('@b\t');
    await t.shows(/› @bo$/);
    t.type('\x15@\t');
    await t.shows(/@ada {2}@bo\n/);
    await rest(t);
    assert.equal(t.screen.text.match(/─\n/g).length, 1);
    t.type('\x15/edit @~1 hello once more\r');
    await t.shows(/Now at v2\.[^]*you › hello once more[^]*hello yourself/);
    await t.shows(/says ada[^]*says bo|says bo[^]*says ada/);
    await t.shows(/launch · talk · v2 · 2 agents: ada ○ bo ○( · demo\/scripted)?\n›$/);
    t.type('/undo\r');
    await t.shows(/v2 → v1\. Took back/);
    await t.shows(/launch · talk · v1 · 2 agents: ada ○ bo ○( · demo\/scripted)?\n›$/);
    t.type('/quit\r');
    assert.equal(await t.end(), 0);
});

test('the arrow brings back what was typed before, also the last time', async () => {
    const t = open(['chat']);
    await rest(t);
    t.type('\x1b[A');
    await t.shows(/› \/quit$/);
    t.type('\x1b[A');
    await t.shows(/› \/undo$/);
    t.type('\x15\x04');
    assert.equal(await t.end(), 0);
});

test('Esc alone does nothing, and Esc Esc may be slow', async () => {
    const t = open(['chat']);
    await rest(t);
    t.type('@bo hello before that\r');
    await t.shows(/hello yourself, says bo/);
    await rest(t);
    for (const text of ['please help me', 'x-ray the plan']) {
        const typed = new RegExp(`○( · demo/scripted)?\\n› ${text}$`);
        // A chat that was not run meanwhile reads all of it at once, as a key with Alt.
        for (const ms of [500, 3000, 10000]) {
            t.type('\x1b');
            await pause(ms);
            t.type(text);
            if (ms === 10000 || await t.shows(typed, 3000).catch(() => false)) break;
            t.type('\x15');
            await rest(t);
        }
        await t.shows(typed);
        t.type('\x15');
        await rest(t);
    }
    t.type('\x1b');
    await pause();
    t.type('\x1b');
    await t.shows('Go back to which of your messages?');
    t.type('\x1b');
    await rest(t);
    t.type('\x04');
    assert.equal(await t.end(), 0);
});

test('Ctrl-R finds what was typed before, and Ctrl-C leaves the search', async () => {
    const t = open(['chat']);
    await rest(t);
    for (const text of ['@bo hello older unique one', '@bo hello newer unique one']) {
        t.type(`${text}\r`);
        await t.shows(new RegExp(`you › ${text}[^]*hello yourself, says bo`));
        await rest(t);
    }
    t.type('draft\x12uniq');
    await t.shows(/○( · demo\/scripted)?\nsearch uniq › @bo hello newer unique one$/);
    t.type('\x12');
    await t.shows(/○( · demo\/scripted)?\nsearch uniq › @bo hello older unique one$/);
    t.type('zz');
    await t.shows(/○( · demo\/scripted)?\nnot found: uniqzz › @bo hello older unique one$/);
    t.type('\x7f\x7f');
    await t.shows(/○( · demo\/scripted)?\nsearch uniq › @bo hello newer unique one$/);
    t.type('\x03');
    await t.shows(/○( · demo\/scripted)?\n› draft$/);
    t.type('\x15@bo hello, my next message\r');
    await t.shows(/you › @bo hello, my next message/);
    await rest(t);
    assert.doesNotMatch(t.screen.text, /Ctrl-C again leaves|Nobody is at work|search|not found/);
    assert.equal(t.screen.text.match(/you › .*unique/g).length, 2);
    t.type('\x12older u');
    await t.shows(/search older u › @bo hello older unique one$/);
    t.type('\x1b');
    await t.shows(/○( · demo\/scripted)?\n› @bo hello older unique one$/);
    t.type('!\r');
    await t.shows(/you › @bo hello older unique one!/);
    await rest(t);
    t.type('\x12next\r');
    await t.shows(/(you › @bo hello, my next message[^]*){2}/);
    await rest(t);
    t.type('\x04');
    assert.equal(await t.end(), 0);
});

test('who has failed is not shown at work', async () => {
    const t = open(['chat']);
    await rest(t);
    t.type('@ada it fails\r');
    await t.shows(/ada failed: [^]*ada ✗ bo ○( · demo\/scripted)?\n›$/);
    t.type('@ada hello\r');
    await t.shows(/hello yourself, says ada/);
    await rest(t);
    t.type('\x04');
    assert.equal(await t.end(), 0);
});

test('Ctrl-J and a paste make a message of several lines', async () => {
    const t = open(['chat']);
    await rest(t);
    t.type('@bo hello\nsecond line');
    await t.shows(/› @bo hello\nsecond line$/);
    t.type('\x1b[200~\rthird\rfourth\x1b[201~');
    await t.shows(/third\nfourth$/);
    t.type('\r');
    await t.shows(/you › @bo hello .*\n {6}second line\n {6}third\n {6}fourth\n/);
    await t.shows(/hello yourself, says bo[^]*› ?$/);
    await rest(t);
    assert.equal(t.screen.text.match(/second line/g).length, 1);
    t.type('\x04');
    assert.equal(await t.end(), 0);
});

test('what is typed before the prompt is there is not lost', async () => {
    const t = open(['chat']);
    await t.shows('Ctrl-D leaves.');
    t.type('@ada hello early\r@bo hello late\r');
    await t.shows(/you › @ada hello early[^]*says ada[^]*you › @bo hello late[^]*says bo/);
    t.type('\x04');
    assert.equal(await t.end(), 0);
    assert.equal(t.screen.text.match(/hello early/g).length, 1);
});

test('Ctrl-Z gives the terminal to the shell, and fg takes it back', async () => {
    const t = new Terminal(['bash', '--norc', '-i'], { env: { XDG_STATE_HOME: state, PS1: 'shell$ ' } });
    finally_(() => t.kill());
    await t.shows('shell$');
    t.type(`${program} ${server.store.args.join(' ')} -w launch chat\r`);
    await rest(t);
    t.type('kept');
    await t.shows(/› kept$/);
    t.type('\x1a');
    await t.shows(/Stopped[^]*shell\$$/);
    t.type('stty -a | grep -o -w -e icanon -e echo | tr "\\n" "+"\r');
    await t.shows(/icanon\+echo\+/);
    t.type('fg\r');
    await t.shows(/ada ○ bo ○( · demo\/scripted)?\n› kept$/);
    t.type('\x15@bo hello again\r');
    await t.shows(/you › @bo hello again[^]*says bo/);
    t.type('\x04');
    await t.shows(/Come back with[^]*shell\$$/);
    t.type('exit\r');
    assert.equal(await t.end(), 0);
});

test('a chat goes on when the server is started again', async () => {
    const t = open(['chat']);
    await rest(t);
    await server.stop();
    await t.shows(/no connection, trying again/);
    await server.start();
    await run([...server.store.args, 'send', '-w', 'launch', '@bo hello from elsewhere']);
    await t.shows(/you › @bo hello from elsewhere[^]*hello yourself, says bo/, 30000);
    t.type('@ada hello again\r');
    await t.shows(/hello yourself, says ada/);
    t.type('\x04');
    assert.equal(await t.end(), 0);
}, 60000);

test('without cursor movement there is none', async () => {
    const t = open(['chat'], { env: { TERM: 'dumb' } });
    t.type('@bo hello\n');
    await t.shows(/hello yourself, says bo/);
    t.type('\x04');
    assert.equal(await t.end(), 0);
    assert.doesNotMatch(t.raw.replace(/\x1b\[\d*m/g, ''), /\x1b/);
});

test('send shows the first answer while it is written', async () => {
    const t = open(['send', 'slowly'], { world: 'held' });
    const [first, second] = [await desk.next(), await desk.next()];
    first.begin('one two three');
    await t.shows(/\n(ada|bo) +\S+ {2}↪ \S+ {2}one two three$/);
    first.answer(' sixteen\nthe end');
    second.answer('one sixteen\nthe end');
    assert.equal(await t.end(), 0);
    assert.match(t.screen.text, /2 agents idle after \d+\.\d s\.$/m);
    assert.equal(t.screen.text.replace(/\s+/g, ' ').match(/sixteen the end/g).length, 2);
});

test('send breaks answers between words, at the width of the terminal', async () => {
    const t = open(['send', '@ada in rows'], { world: 'held', cols: 44 });
    const turn = await desk.next();
    turn.begin('the first words, and a longer one that happ');
    await t.shows(/one that happ$/);
    turn.answer('ening began before the row was full\nand a line of its own');
    assert.equal(await t.end(), 0);
    assert.match(t.screen.text, /\nada +\S+ {2}↪ \S+ {2}the first words, *\n {6}and a longer one that happening began *\n {6}before the row was full\n {6}and a line of its own\n/);
});

test('lists show the end of an id, near and far, and it is what commands take', async () => {
    const at = `/worlds/launch/messages?chatId=${(await server.get('/worlds/launch')).currentChatId}`;
    const ids = (await server.get(`${at}&limit=100`)).data.map(m => m.messageId);
    const lists = [];
    for (const where of [server.store.args, ['--server', server.url.href]]) {
        const t = new Terminal([program, ...where, '-w', 'launch', 'log', '--oneline', '--no-pager', '-n', '5'], {});
        assert.equal(await t.end(), 0, t.screen.text);
        lists.push(t.screen.text.trim().split('\n').map(row => row.split(' ')[0]));
    }
    assert.equal(lists[0].length, 5);
    assert.deepEqual(lists[0], lists[1]);
    for (const [i, shown] of lists[0].entries()) {
        assert.ok(shown.length < 10 && ids.at(i - 5).endsWith(shown), `${shown} of ${ids.at(i - 5)}`);
        for (const where of [server.store.args, ['--server', server.url.href]]) {
            const { out, err } = await run([...where, '-w', 'launch', 'show', shown]);
            assert.ok(out.startsWith(`${ids.at(i - 5)} `), out + err);
        }
    }
    const plain = await run([...server.store.args, '-w', 'launch', 'log', '--oneline', '-n', '1']);
    assert.equal(plain.out.split(' ')[0], ids.at(-1), 'whole where programs read');
});

test('send marks an answer that is stopped while it is shown', async () => {
    const t = open(['send', '@ada forever and ever']);
    await t.shows(/begun/);
    await run([...server.store.args, 'stop', '-w', 'launch']);
    assert.equal(await t.end(), 0);
    assert.match(t.screen.text, /  begun  \(stopped\)\nada was stopped\. What was written stays\./);
});

test('Ctrl-C ends the waiting of send, not the work', async () => {
    const t = open(['send', '@ada forever and ever']);
    await t.shows(/begun/);
    t.type('\x03');
    assert.equal(await t.end(), 130);
    assert.match(t.screen.text, /Stopped waiting\. The message stays, and the agents continue\./);
    const stop = await run([...server.store.args, 'stop', '-w', 'launch']);
    assert.equal(stop.out, 'Stopped 1 answer in launch. What was written stays.\n');
});

await finish();
