// chat_keys.mjs: Ctrl-O and the keys after Ctrl-X in "skein chat": what they show, with what was typed kept.
import fs from 'node:fs';
import path from 'node:path';
import { assert, Server, finally_, finish, folder, script, test } from '../server/lib.mjs';
import { Terminal } from './screen.mjs';

const program = path.resolve(process.env.SKEIN);
const rules = script('keys', `
pace: 1
rules:
  - when: slowly
    do:
      - say: begun
      - wait: 10m
      - say: never
  - when: tides
    do:
      - think: I should look first.
      - say: Looking.
      - call: demo_lookup
        args: {query: tides}
  - tool: demo_lookup
    do:
      - think: That will do.
      - say: It was made up.
otherwise: a plain answer
`);

const server = await Server.start({ script: rules, delay: true });
await server.post('/worlds', { name: 'launch' });
await server.post('/worlds/launch/agents', { name: 'ada' });

// A conversation of its own, and a terminal with it.
async function open(options = {}) {
    const chat = await server.post('/worlds/launch/chats', { title: 'talk' });
    const t = new Terminal([program, ...server.store.args, '-w', 'launch', 'chat', '-c', chat.id],
        { ...options, env: { XDG_STATE_HOME: path.join(folder, 'state'), ...options.env } });
    finally_(() => t.kill());
    t.queue = `/worlds/launch/chats/${chat.id}/queue`;
    await rest(t);
    return t;
}
const rest = t => t.shows(/ada ○[^\n]*\n(↪ \S+ )?›[^\n]*$/);
async function say(t, text, answer) {
    t.type(`${text}\r`);
    await t.shows(answer);
    await rest(t);
}

test('Ctrl-O unfolds thinking and tools of the newest answer, and folds them', async () => {
    const t = await open();
    await say(t, 'tides', /It was made up\./);
    assert.doesNotMatch(t.screen.text, /I should look first/);
    t.type('half a line\x1b[D\x1b[D\x0f');
    await t.shows(/┌ \S+ {2}ada ─+ ✓ [^\n]*3 steps[^]*thinking: I should look first\.[^]*✓ demo_lookup[^]*"query": ?"tides"[^]*→ demo data[^]*thinking: That will do\.[^]*└ Ctrl-O folds ─+┘/);
    await t.shows(/› half a line$/);
    t.type('X');
    await t.shows(/› half a liXne$/);
    t.type('\x0f');
    await t.shows(/It was made up\.\n\n─+\n[^\n]*\n› half a liXne$/);
    assert.doesNotMatch(t.screen.text, /I should look first|┌/);
    await t.leave();
});

test('unfolded, a newer answer takes the place of the one before', async () => {
    const t = await open({ cols: 40 });
    t.type('\x0f');
    await t.shows(/Nothing to unfold yet\. Ctrl-O folds\.\n/);
    await say(t, 'tides', /thinking: That will do\./);
    await say(t, 'else', /no thinking, no tools/);
    assert.doesNotMatch(t.screen.text, /That will do/);
    assert.equal(t.screen.text.match(/Ctrl-O folds/g).length, 1);
    await t.leave();
});

test('Ctrl-X t shows who answers whom, and Enter answers one of them', async () => {
    const t = await open();
    await say(t, 'one', /a plain answer/);
    t.type('kept\x18t');
    await t.shows(/Reply threads\. Which message do you answer\?[^]* 1 {2}\S+ {2}you: one\n[^]*2 {2}\S+ {2}· ↪ ada: a plain answer/);
    t.type('2');
    await t.shows(/\n↪ \S+ › kept$/);
    t.type('\r');
    await t.shows(/you › kept/);
    await rest(t);
    t.type('\x18t');
    await t.shows(/3 {2}\S+ {2}· · ↪ you: kept/);
    t.type('\x1b');
    await rest(t);
    await t.leave();
});

test('Ctrl-X h shows the versions, and Enter makes one current', async () => {
    const t = await open();
    await say(t, 'one', /a plain answer/);
    t.type('/edit @~1 two\r');
    await t.shows(/Now at v2\.[^]*you › two[^]*a plain answer[^]*v2 · [^\n]*ada ○[^\n]*\n›$/);
    t.type('kept\x18h');
    await t.shows(/Which version should be current\?\n› 1 {2}v2 [^\n]*\(now\)\n {2}2 {2}v1 /);
    t.type('2');
    await t.shows(/Now at v1 \(was v2\)[^]*v1 · [^\n]*ada ○[^\n]*\n› kept$/);
    await t.leave();
});

test('Ctrl-X / searches, and what was typed is there again', async () => {
    const t = await open();
    await say(t, 'a unicorn', /a plain answer/);
    t.type('kept\x18/');
    await t.shows(/\n› \/search $|\n› \/search$/);
    t.type('unicorn\r');
    await t.shows(/you › a unicorn[^]*unicorn[^]*\n› kept$/);
    await t.leave();
});

test('Ctrl-X b and i show the work in the background and the inbox', async () => {
    const t = await open();
    t.type('kept\x18i');
    await t.shows(/The inbox is empty\.[^]*\n› kept$/);
    t.type('\x18b');
    await t.shows(/Whose background work\?\n› 1 {2}ada {2}nothing to do\n/);
    t.type('\r');
    await t.shows(/It has done nothing in the background yet\.[^]*\n› kept$/);
    await t.leave();
});

test('Ctrl-X e opens the editor with what was typed, and takes what it left', async () => {
    const editor = path.join(folder, 'editor.sh');
    fs.writeFileSync(editor, '#!/bin/sh\nprintf "%s, edited\\n" "$(cat "$1")" >"$1.new" && mv "$1.new" "$1"\n', { mode: 0o755 });
    const t = await open({ env: { EDITOR: editor } });
    t.type('typed\x18e');
    await t.shows(/\n› typed, edited$/);
    await say(t, '', /you › typed, edited[^]*a plain answer/);
    await t.leave();
});

test('/edit edits the last message of the person, and an editor that is left without a change does nothing', async () => {
    const editor = path.join(folder, 'same.sh');
    fs.writeFileSync(editor, '#!/bin/sh\n', { mode: 0o755 });
    const t = await open({ env: { EDITOR: editor } });
    await say(t, 'one', /you › one[^]*a plain answer/);
    t.type('/edit @you\r');
    await t.shows(/error: unchanged; nothing was done\n/);
    await rest(t);
    fs.writeFileSync(editor, '#!/bin/sh\n: >"$1"\n');
    t.type('/edit\r');
    await t.shows(/(error: unchanged; nothing was done\n[^]*){2}/);
    await rest(t);
    assert.doesNotMatch(t.screen.text, /Now at v|Removed/);
    fs.writeFileSync(editor, '#!/bin/sh\nprintf two >"$1"\n');
    t.type('/edit\r');
    await t.shows(/Now at v2\. What was removed is in v1; undo with "\/undo"\.[^]*you › two[^]*a plain answer/);
    await rest(t);
    await t.leave();
});

test('another key after Ctrl-X does nothing', async () => {
    const t = await open();
    t.type('kept\x18q');
    t.type('!');
    await t.shows(/\n› kept!$/);
    await t.leave();
});

// Somebody is at work, and one message waits.
async function busy(t) {
    t.type('slowly\r');
    await t.shows(/begun/);
    t.type('after that\r');
    await t.shows(/queue 1: "after that" {3}↑ edit · \/now sends it\n/);
}

test('up in an empty line is what waits, and Enter lets it wait in other words', async () => {
    const t = await open();
    await busy(t);
    t.type('\x1b[A');
    await t.shows(/\nwaiting › after that$/);
    t.type(' and more\r');
    await t.shows(/queue 1: "after that and more" {3}↑ edit[^\n]*\n[^]*\n›$/);
    t.type('\x1b[A\x15\r');
    await t.shows(/It waits as it was\.[^]*queue 1: "after that and more"/);
    t.type('/stop\r');
    await t.shows(/you › after that and more/);
    await rest(t);
    t.type('\x1b[A');
    await t.shows(/\n› \/stop$/);
    t.type('\x15');
    await t.leave();
});

test('what was said while it was written again is not lost, and not said twice', async () => {
    const t = await open();
    await busy(t);
    t.type('\x1b[A');
    await t.shows(/\nwaiting › after that$/);
    t.type('\x1b[H');
    const [first] = (await server.get(t.queue)).data;
    await server.call('PATCH', `${t.queue}/${first.id}`, { body: { send: true } });
    await t.shows(/you › after that/);
    t.type('or \r');
    await t.shows(/It was sent in the meantime\. Your text is your next line\.[^]*\n› or after that$/);
    t.type('\x15/stop\r');
    await rest(t);
    await t.leave();
});

test('Tab completes files, and goes on inside a folder', async () => {
    const at = path.join(folder, 'files', 'deep');
    fs.mkdirSync(at, { recursive: true });
    for (const name of ['one.md', 'other.md', '.hidden'])
        fs.writeFileSync(path.join(at, name), '');
    const t = await open({ env: { HOME: path.join(folder, 'files') } });
    t.type('see ~/de\t');
    await t.shows(/› see ~\/deep\/$/);
    t.type('o\t');
    await t.shows(/~\/deep\/one\.md {2}~\/deep\/other\.md\n/);
    t.type('n\t');
    await t.shows(/› see ~\/deep\/one\.md$/);
    t.type('~/deep/.\t');
    await t.shows(/› see ~\/deep\/one\.md ~\/deep\/\.hidden$/);
    t.type('\x15');
    await t.leave();
});

await finish();
