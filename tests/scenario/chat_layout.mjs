// chat_layout.mjs: rows of "skein chat" on narrow and wide terminals: they end between words, whatever stands in them.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { assert, Server, finally_, finish, folder, run, script, test } from '../server/lib.mjs';
import { Terminal } from './screen.mjs';

const program = path.resolve(process.env.SKEIN);
const LONG = `https://example.org/${'abcdefghij'.repeat(9)}`;
const prose = 'Dates: the freeze of constantinople lasts until Friday noon, says the calendar of the researcher.';
const wide = '漢字仮名交じり文 漢字仮名交じり文 漢字仮名交じり文 漢字仮名交じり文 漢字仮名交じり文 漢字仮名交じり文';
const marked = 'Gru\u0308\u00dfe aus Ko\u0308ln und Mu\u0308nchen, fu\u0308r alle die scho\u0308ne Gru\u0308\u00dfe mo\u0308gen';
const rules = script('layout', `
pace: 1
rules:
  - when: saying
    do: yes
  - when: prose
    do: "${prose}"
  - when: wide
    do: "${wide}"
  - when: marked
    do: "${marked}"
  - when: link
    do: "see ${LONG} there"
  - when: code
    do: |
      so:
      \`\`\`
      one two three four five six seven eight nine ten eleven twelve
      \`\`\`
  - when: forever
    do:
      - say: "${prose}"
      - wait: 10m
otherwise: yes
`);
const NAMES = ['correspondent', 'bibliographer', 'ada'];

const server = await Server.start({ script: rules, delay: true });
await server.post('/worlds', { name: 'layout' });
for (const name of NAMES) await server.post('/worlds/layout/agents', { name });

async function open(cols, words = []) {
    const chat = await server.post('/worlds/layout/chats', { title: 'talk' });
    const t = new Terminal([program, ...server.store.args, '-w', 'layout', 'chat', '-c', chat.id, ...words],
        { cols, env: { XDG_STATE_HOME: path.join(folder, 'state') } });
    finally_(() => t.kill());
    await rest(t);
    return Object.assign(t, { chat: chat.id });
}
const rest = t => t.shows(/^[^▍]*─\n[^\n]*○[^\n]*\n›[^\n]*$/);
async function say(t, text, answer) {
    t.type(`${text}\r`);
    await t.shows(answer);
    await rest(t);
}
// Every row is made of whole words of these texts.
function whole(t, ...texts) {
    const words = new Set(texts.flatMap(text => text.split(/\s+/)));
    for (const row of t.screen.text.split('\n'))
        for (const word of row.split(/\s+/).filter(w => w && !/^[─┌┐└┘│]+$/.test(w)))
            if (/^[\p{L}@_-]{4,}[.,:]?$/u.test(word)) assert.ok(words.has(word), `"${word}" in the row "${row}"`);
}
const KNOWN = 'layout talk with @correspondent, @bibliographer, @ada. /help lists commands, Ctrl-D leaves. correspondent bibliographer, correspondent, bibliographer @ada @bibliographer agents: agents scripted';

for (const cols of [40, 80])
    test(`no row of ${cols} columns ends within a word, a name or an id`, async () => {
        const t = await open(cols);
        const question = 'prose please, about the constantinople freeze, dear colleagues of this research department';
        await say(t, `@ada ${question}`, /researcher\./);
        const { data } = await server.get(`/worlds/layout/chats/${t.chat}/messages`);
        // Of an id at least the last 6 characters are shown.
        whole(t, KNOWN, question, prose, ...data.flatMap(m => [6, 7, 8, 9].map(n => m.messageId.slice(-n))));
        for (const m of data.filter(m => m.role === 'assistant')) assert.ok(t.screen.text.includes(m.messageId.slice(-6)), m.messageId);
        await say(t, '@bibliographer short', /bibliographer[^]*\n {2}yes\n/);
        const answer = (await server.get(`/worlds/layout/chats/${t.chat}/messages`)).data.at(-1);
        assert.ok(t.screen.text.includes(answer.messageId.slice(-6)), t.screen.text);
        await t.leave();
        const end = t.screen.text;
        assert.match(end, cols === 40
            ? /Come back with:\n {2}skein chat layout -c c_[\w-]{10} [^]*\nOn the web:\n {2}http:\S+/
            : /Come back with: skein chat layout -c c_\S+ --continue\nOn the web: http:\S+/);
    });

for (const [name, text] of [['wide', wide], ['marked', marked]])
    test(`${name} characters are counted as the terminal counts them`, async () => {
        const t = await open(40);
        await say(t, `@ada ${name}`, new RegExp(`\\n  ${text.split(' ')[0].replaceAll(/\p{M}/gu, '')}`, 'u'));
        const seen = t.screen.text.split('\n').filter(row => /^ {2}\S/.test(row)).join(' ').replaceAll(/ +/g, ' ').trim();
        assert.equal(seen, text.replaceAll(/\p{M}/gu, ''));
        await say(t, `@ada saying ${text}`, /you › @ada saying[^]*yes/);
        const said = / {2}yes|you › (@ada saying[^]*?)→/.exec(t.screen.text.slice(t.screen.text.indexOf('@ada saying') - 6))[1];
        assert.equal(said.replaceAll(/\s+/g, ' ').trim(), `@ada saying ${text}`.replaceAll(/\p{M}/gu, ''));
        await t.leave();
    });

test('a word that is longer than the row stays whole, and code as it is', async () => {
    const t = await open(40);
    await say(t, '@ada link', new RegExp(`  see\n  ${LONG.slice(0, 38)}\n${LONG.slice(38, 78)}\n${LONG.slice(78)}\n  there`));
    await say(t, '@ada code', /\n {2}one two three four five six seven eigh\nt nine ten eleven twelve\n/);
    await t.leave();
});

test('what commands print ends between words too', async () => {
    const t = await open(40);
    await say(t, '@ada first', /yes/);
    t.type('/edit @~1 @ada another question\r');
    await t.shows(/Now at v2\. What was removed is in v1;\nundo with "\/undo"\.\n[^]*you › @ada another question[^]*yes/);
    await rest(t);
    t.type('/undo\r');
    await t.shows(/Bring it\sback\swith\s"\/redo"\.\n/);
    await rest(t);
    await t.leave();
});

test('what is being written is shown in rows of whole words', async () => {
    const t = await open(40);
    t.type('@ada forever\r');
    await t.shows(/researcher\.▍/);
    whole(t, KNOWN, prose, 'forever writing… researcher.▍');
    t.type('\x03');
    await t.shows(/Stopped\. What was written stays\. Say\nwhat to do instead; Ctrl-C again leaves\.\n/);
    await t.leave();
});

test('what others say comes in above what is typed, and there is one prompt', async () => {
    for (const cols of [40, 80]) {
        const t = await open(cols);
        const typed = 'something that is longer than one row of forty columns, and 漢字 too';
        t.type(typed);
        await t.shows(/too$/);
        for (const text of ['@ada one', '@ada two'])
            await run([...server.store.args, 'send', '-w', 'layout', '-c', t.chat, text]);
        await t.shows(/you › @ada one[^]*yes[^]*you › @ada two[^]*yes[^]*─\n[^\n]*○[^\n]*\n› something[^]*too$/);
        assert.equal(t.screen.text.match(/^› /gm).length, 1, t.screen.text);
        assert.equal(t.screen.text.match(/something that is/g).length, 1);
        assert.equal(t.screen.text.match(/─\n/g).length, 1);
        await t.leave();
    }
});

// The terminal that the program has, by its path.
function terminalOf(t) {
    const children = fs.readFileSync(`/proc/${t.child.pid}/task/${t.child.pid}/children`, 'utf8').trim().split(' ');
    return fs.readlinkSync(`/proc/${children[0]}/fd/0`);
}

test('a terminal that becomes narrower or wider is drawn again', async () => {
    const t = await open(80);
    t.type('kept');
    await t.shows(/\n─{79}\nlayout [^\n]*\n› kept$/);
    for (const cols of [40, 60]) {
        t.screen.cols = cols;
        execFileSync('stty', ['-F', terminalOf(t), 'cols', String(cols)]);
        await t.shows(new RegExp(`\\n─{${cols - 1}}\\n[^\\n]{1,${cols - 1}}\\n› kept$`));
    }
    assert.equal(t.screen.text.match(/kept/g).length, 1);
    assert.equal(t.screen.text.match(/─\n/g).length, 1);
    await t.leave();
});

test('a terminal may become lower while a line is typed that is longer than it', async () => {
    const t = await open(80);
    const sizes = `for i in 1 2 3 4 5 6 7 8; do stty rows 5; stty rows 24; done <${terminalOf(t)}`;
    for (let i = 0; i < 4; i++) {
        t.type('a'.repeat(1000));
        execFileSync('sh', ['-c', sizes]);
    }
    await t.leave();
});

await finish();
