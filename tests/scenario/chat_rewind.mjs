// chat_rewind.mjs: Esc Esc in "skein chat": back to something one has said, and what can be done from there.
import path from 'node:path';
import { assert, Server, finally_, finish, folder, run, script, test } from '../server/lib.mjs';
import { Terminal } from './screen.mjs';

const program = path.resolve(process.env.SKEIN);
const rules = script('rewind', `
pace: 1
rules:
  - when: "The messages:"
    do:
      - say: in short, it was agreed
  - when: forever
    do:
      - say: begun
      - wait: 10m
otherwise: "yes, says {agent}"
`);
const server = await Server.start({ script: rules, delay: true });

const ESC = '\x1b', UP = '\x1b[A', DOWN = '\x1b[B';
const list = /Go back to which of your messages\?/;
const whole = /Go back to which of your messages\?\n[^]*\n↑ ↓ and Enter, or a digit · Esc changes nothing/;
const choices = /\n› 1 {2}edit from here/;
const tail = (t, n) => t.screen.text.split('\n').slice(-n).join('\n');
const rest = t => t.shows(/ada ○( · demo\/scripted)?\n›$/);

// A world of its own for each test, with these things said and answered.
async function talk(name, said, options = {}) {
    await server.post('/worlds', { name });
    await server.post(`/worlds/${name}/agents`, { name: 'ada' });
    await server.post(`/worlds/${name}/chats`, { title: 'talk' });
    for (const text of said) await skein(name, 'send', text);
    const t = new Terminal([program, ...server.store.args, '-w', name, 'chat'], { ...options, env: { XDG_STATE_HOME: path.join(folder, 'state') } });
    finally_(() => t.kill());
    await rest(t);
    return t;
}
async function skein(name, ...words) {
    const done = await run([...server.store.args, '-w', name, ...words]);
    assert.equal(done.code, 0, done.err);
    return done.out;
}
const log = async name => JSON.parse(await skein(name, 'log', '--json')).map(m => m.content);
async function leave(t) {
    t.type('\x04');
    assert.equal(await t.end(), 0);
}
// Opens the menu; the screen's text before it.
async function open(t) {
    const before = t.screen.text;
    t.type(ESC + ESC);
    await t.shows(whole);
    return before;
}

test('Esc leaves the screen as it was, from both menus', async () => {
    const t = await talk('leaves', ['one', 'two']);
    const before = await open(t);
    assert.match(tail(t, 5), /^Go back to which of your messages\?\n {2}1 {2}now {2}one\n› 2 {2}now {2}two\n↑ ↓ and Enter, or a digit · Esc changes nothing\n$/);
    t.type('1');
    await t.shows(choices);
    assert.match(t.screen.text, /From "one"\n/);
    t.type(ESC);
    await t.shows(list);
    t.type(ESC);
    await rest(t);
    assert.equal(t.screen.text, before);
    t.type('kept');
    await t.shows(/› kept$/);
    t.type(`${ESC}${ESC}!`);
    await t.shows(/› kept!$/);
    assert.doesNotMatch(t.screen.text, list);
    t.type('\x15');
    await rest(t);
    await leave(t);
});

test('edit from here puts the text back, and says it again', async () => {
    const t = await talk('edits', ['one', 'two', 'three']);
    await open(t);
    t.type(UP + '\r');
    await t.shows(choices);
    assert.match(t.screen.text, /From "two"\n/);
    t.type('\r');
    await t.shows(/\nEnter sends it again and removes later messages; an empty line changes nothing\.\n[^]*\nedit \S+ › two$/);
    t.type(' and a half\r');
    await t.shows(/Now at v2\.[^]*you › two and a half[^]*yes, says ada/);
    await t.shows(/v2 · 1 agent: ada ○( · demo\/scripted)?\n›$/);
    assert.deepEqual(await log('edits'), ['one', 'yes, says ada', 'two and a half', 'yes, says ada']);
    await leave(t);
});

test('an empty line leaves what was to be edited as it is', async () => {
    const t = await talk('thinks', ['one\tand\nmore']);
    await open(t);
    t.type('1');
    await t.shows(choices);
    t.type('1');
    await t.shows(/edit \S+ › one {2,}and\nmore$/);
    t.type('\x15\r');
    await t.shows(/Nothing was changed\.\n[^]*ada ○( · demo\/scripted)?\n›$/);
    assert.deepEqual(await log('thinks'), ['one\tand\nmore', 'yes, says ada']);
    await leave(t);
});

test('a message of another version can be gone back to', async () => {
    const t = await talk('turns', ['one', 'two']);
    await skein('turns', 'edit', '@~1', '-m', 'another two');
    await t.shows(/you › another two[^]*yes, says ada[^]*v2 · 1 agent: ada ○( · demo\/scripted)?\n›$/);
    await open(t);
    assert.match(t.screen.text, /1 {2}now {2}one\n {2}2 {2}v1 {3}two\n› 3 {2}now {2}another two\n/);
    t.type('3');
    await t.shows(/2 {2}make that version current {2}v2 is\n/);
    t.type(DOWN + '\r');
    await t.shows(/v2 is current\.\n/);
    await open(t);
    t.type('2');
    await t.shows(/2 {2}make that version current {2}v1 instead of v2\n/);
    t.type('2');
    await t.shows(/Now at v1 \(was v2\)\.[^]*v1 · 1 agent/);
    assert.deepEqual(await log('turns'), ['one', 'yes, says ada', 'two', 'yes, says ada']);
    await leave(t);
});

test('edit from here of another version goes there first', async () => {
    const t = await talk('returns', ['one', 'two']);
    await skein('returns', 'edit', '@~3', '-m', 'another one');
    await t.shows(/you › another one[^]*yes, says ada[^]*v2 · 1 agent: ada ○( · demo\/scripted)?\n›$/);
    await open(t);
    t.type('2');
    await t.shows(/From "two"/);
    t.type('1');
    await t.shows(/edit \S+ › two$/);
    t.type('!\r');
    await t.shows(/v3 · 1 agent: ada ○( · demo\/scripted)?\n›$/);
    assert.deepEqual((await log('returns')).slice(0, 3), ['one', 'yes, says ada', 'two!']);
    await leave(t);
});

test('summaries stand for what comes after, or before', async () => {
    const t = await talk('sums', ['one', 'two', 'three']);
    await open(t);
    t.type('1');
    await t.shows(/4 {2}summarise up to here {7}there is nothing to merge\n/);
    t.type('4');
    await t.shows(/There is nothing to merge: it takes two messages or more\.\n/);
    await open(t);
    t.type('2');
    await t.shows(/3 {2}summarise from here {8}the 4 messages from this on become one\n {2}4 {2}summarise up to here {7}the 2 messages before it become one\n/);
    t.type('3');
    await t.shows(/Summarising 4 messages…\n[^]*squashed 4 messages into[^]*in short, it was agreed/);
    await t.shows(/v2 · 1 agent: ada ○( · demo\/scripted)?\n›$/);
    assert.deepEqual(await log('sums'), ['one', 'yes, says ada', 'in short, it was agreed']);
    await skein('sums', 'undo');
    await t.shows(/v1 · 1 agent: ada ○( · demo\/scripted)?\n›$/);
    await open(t);
    t.type('2');
    await t.shows(/From "two"/);
    t.type('4');
    await t.shows(/Summarising 2 messages…\n/);
    await t.shows(/v3 · 1 agent: ada ○( · demo\/scripted)?\n›$/);
    assert.deepEqual(await log('sums'), ['in short, it was agreed', 'two', 'yes, says ada', 'three', 'yes, says ada']);
    t.type('still here\r');
    await t.shows(/you › still here[^]*yes, says ada/);
    await rest(t);
    await open(t);
    assert.doesNotMatch(tail(t, 8), /in short/, 'what a model wrote is not among what the person said');
    t.type(ESC);
    await rest(t);
    const [first] = (await skein('sums', 'log', '--json')).match(/P[\w-]{9}(?=","chatId")/);
    assert.match(await skein('sums', 'edit', first, '-m', 'x', '-n'), /remove 7 messages [^]*\n {2}demo\/scripted 1, you 3, ada 3\n/);
    await leave(t);
});

test('branch goes on in a conversation of its own', async () => {
    const t = await talk('forks', ['one', 'two']);
    await open(t);
    t.type('1');
    await t.shows(choices);
    t.type('5');
    await t.shows(/This is c_\S+ now, which begins with 1 message of the other\.\nThat one stays: skein chat forks -c c_/);
    await rest(t);
    t.type('and here\r');
    await t.shows(/you › and here[^]*yes, says ada/);
    await rest(t);
    t.type('\x04');
    assert.equal(await t.end(), 0);
    const [, id] = /Come back with: skein chat forks -c (c_\S+) --continue/.exec(t.screen.text);
    assert.deepEqual(JSON.parse(await skein('forks', 'log', '--json', '-c', id)).map(m => m.content), ['one', 'and here', 'yes, says ada']);
});

test('an edit that cannot be made keeps its text', async () => {
    const t = await talk('busy', ['one']);
    t.type('forever\r');
    await t.shows(/ada {2}writing…[^]*begun/);
    await open(t);
    assert.doesNotMatch(tail(t, 6), /writing/);
    t.type('1');
    await t.shows(choices);
    t.type('1');
    await t.shows(/edit \S+ › one$/);
    t.type(' more\r');
    await t.shows(/error: [^]*busy[^]*edit \S+ › one more$/);
    t.type('\x15\r');
    await t.shows(/Nothing was changed/);
    t.type('/stop\r');
    await t.shows(/Stopped\. What was written stays/);
    await rest(t);
    await leave(t);
});

test('what is typed into the menu reaches the prompt', async () => {
    const t = await talk('types', ['one']);
    await open(t);
    t.type('über');
    await t.shows(/ada ○( · demo\/scripted)?\n› über$/);
    t.type('\x15');
    await rest(t);
    await open(t);
    t.type('\x1b[200~pasted\rtext\x1b[201~');
    await t.shows(/ada ○( · demo\/scripted)?\n› pasted\ntext$/);
    assert.doesNotMatch(t.screen.text, list);
    t.type('\x15');
    await t.shows(/ada ○( · demo\/scripted)?\n›\n?$/);
    await leave(t);
});

test('many and long messages fit the screen, and scroll', async () => {
    const said = Array.from({ length: 12 }, (_, i) => `number ${i + 1} ${'漢字 and so on '.repeat(12)}`);
    const t = await talk('fits', said, { cols: 80, rows: 12 });
    const before = await open(t);
    const shown = () => tail(t, 10).split('\n').filter(row => /^[› ] \d /.test(row));
    assert.equal(shown().length, 7);
    assert.match(shown()[6], /^› 7 {2}now {2}number 12 /);
    const wide = row => Array.from(row).reduce((n, c) => n + (/[\u2e80-\ua4cf]/.test(c) ? 2 : 1), 0);
    for (const row of tail(t, 10).split('\n')) assert.ok(wide(row) <= 80, row);
    for (let i = 0; i < 8; i++) t.type(UP);
    await t.shows(/\n› 1 {2}now {2}number 4 /);
    t.type('2');
    await t.shows(/From "number 5 /);
    t.type(ESC);
    await t.shows(/\n› 2 {2}now {2}number 5 /);
    t.type(ESC);
    await rest(t);
    assert.equal(t.screen.text, before);
    await leave(t);
});

test('without a message of one\'s own there is nothing to go back to', async () => {
    const t = await talk('empty', []);
    t.type(ESC + ESC);
    await t.shows(/You have sent nothing here yet\.\n/);
    await rest(t);
    await leave(t);
});

test('messages that come in meanwhile stand above the menu', async () => {
    const t = await talk('meanwhile', ['one']);
    await open(t);
    await skein('meanwhile', 'send', 'from elsewhere');
    await t.shows(/you › from elsewhere[^]*yes, says ada[^]*Go back to which/);
    assert.equal(t.screen.text.match(/Go back to which/g).length, 1);
    t.type('\x03');
    await t.shows(/Ctrl-C again leaves/);
    t.type('\x03');
    assert.equal(await t.end(), 130);
    assert.doesNotMatch(t.screen.text, list);
});

await finish();
