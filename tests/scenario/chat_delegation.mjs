// chat_delegation.mjs: delegations in "skein chat": boxes while they run and once they have ended, and a look into one.
import path from 'node:path';
import { assert, Server, finally_, finish, folder, run, script, test } from '../server/lib.mjs';
import { Desk } from '../server/desk.mjs';
import { Terminal } from './screen.mjs';

const program = path.resolve(process.env.SKEIN);
const rules = script('boxes', `
pace: 5
rules:
  - when: plan
    agent: lead
    from: human
    do:
      - say: I hand this on.
      - call: delegate
        args: {agent: ada, title: Check dates, task: Find a date for the launch.}
  - when: ask twice
    agent: lead
    from: human
    do:
      - say: I ask both.
      - call: delegate
        args: {agent: ada, title: First, task: Say one.}
      - call: delegate
        args: {agent: bo, title: Second, task: Say two.}
  - when: say one
    agent: ada
    do: one it is
  - when: say two
    agent: bo
    do: two it is
  - when: wait for ever
    agent: lead
    from: human
    do:
      - say: I hand that on.
      - call: delegate
        args: {agent: ada, title: Long work, task: Work for ever.}
  - when: work for ever
    agent: ada
    do:
      - say: begun
      - wait: 10m
  - when: find a date
    agent: ada
    from: lead
    do:
      - say: I ask bo.
      - call: delegate
        args: {agent: bo, title: Read the policy, task: Read the policy.}
  - when: read the policy
    agent: bo
    do:
      - say: The freeze ends at noon.
  - tool: delegate
    agent: ada
    do:
      - say: The freeze ends on Friday
      - say: so Friday it is.
  - tool: delegate
    agent: lead
    do: It is settled.
otherwise: no line
`);
const server = await Server.start({ script: rules, delay: true });

const ESC = '\x1b', UP = '\x1b[A', RIGHT = '\x1b[C', LEFT = '\x1b[D';

// model: of those who work for lead; far: the store is reached through its server.
async function open(name, { model, far, ...options } = {}) {
    const below = { lead: 'lead', ...(model ? { model } : {}) };
    await server.post('/worlds', { name });
    for (const agent of [{ name: 'lead' }, { name: 'ada', ...below }, { name: 'bo', ...below }])
        await server.post(`/worlds/${name}/agents`, agent);
    await server.post(`/worlds/${name}/chats`, { title: 'talk' });
    const t = new Terminal([program, ...(far ? ['--server', server.url.href] : server.store.args), '-w', name, 'chat'], { ...options, env: { XDG_STATE_HOME: path.join(folder, 'state') } });
    finally_(() => t.kill());
    await rest(t);
    return t;
}
const rest = t => t.shows(/lead ○ ada ○ bo ○( · \S+)?\n›$/);
async function leave(t) {
    t.type('\x04');
    assert.equal(await t.end(), 0);
}
const boxed = t => t.screen.text.split('\n').filter(row => /^ {2}[┌│└]/.test(row));

test('a delegation has a box while it runs, with those below it as rows', async () => {
    // They are at work for as long as it is looked at.
    const desk = await Desk.open(server);
    const t = await open('runs', { model: desk.model });
    t.type('@lead plan\r');
    (await desk.next()).answer('I ask bo.', [{ id: 'd1', name: 'delegate', args: { agent: 'bo', title: 'Read the policy', task: 'Read the policy.' } }]);
    const bo = await desk.next();
    await t.shows(/ {2}┌ main\.1 {2}ada {2}Check dates ─+ ● [\d.]+ s( {2}\S+ tok)? ┐\n {2}│ ▸ main\.1\.1 {2}bo {2}Read the policy +● [\d.]+ s │\n( {2}│ .*\n)*? {2}└ Enter open ─+┘\n/);
    bo.answer('The freeze ends at noon.');
    const ada = await desk.next();
    ada.begin('The freeze ends on Friday');
    await t.shows(/│ ▸ main\.1\.1 {2}bo {2}Read the policy +✓ [\d.]+ s {2}2 steps │\n {2}│ writing… "The freeze ends on Friday"? .*│\n/);
    for (const row of boxed(t)) assert.equal(row.length, 79, row);
    ada.answer('\nso Friday it is.');
    await t.shows(/It is settled\.\n/);
    await rest(t);
    const text = t.screen.text;
    assert.match(text, / {2}┌ main\.1 {2}ada {2}Check dates ─+ ✓ [\d.]+ s {2}4 steps( {2}\S+ tok)? ┐\n {2}│ ▸ main\.1\.1 .*│\n {2}└ Enter open ─+┘\n/);
    const { data } = await server.get(`/worlds/runs/delegations`);
    assert.deepEqual(data.map(d => [d.threadPath, d.messageCount]).sort(), [['main.1', 4], ['main.1.1', 2]], 'as the server counts them');
    const line = (await run(['timeline', ...server.store.args, '-w', 'runs'])).out;
    assert.match(line, /^main\.1 {2}\d+ items, 4 steps$/m);
    assert.match(line, /^main\.1\.1 {2}\d+ items, 2 steps$/m);
    assert.equal(text.match(/┌/g).length, 1);
    assert.doesNotMatch(text, /lead › Find a date|I ask bo/);
    assert.ok(text.indexOf('I hand this on') < text.indexOf('┌') && text.indexOf('└') < text.indexOf('It is settled'));
    await leave(t);
});

test('Enter looks into it, arrows go about, Esc leaves the screen as it was', async () => {
    const t = await open('looks');
    t.type('@lead plan\r');
    await t.shows(/It is settled\.\n/);
    await rest(t);
    t.type('@lead ask twice\r');
    await t.shows(/It is settled\.\n[^]*It is settled\.\n/);
    await rest(t);
    const before = t.screen.text;
    const shown = /\n {2}┌ (main\S+) {2}(?!.*\n {2}┌)/s;
    const at = key => t.shows(new RegExp(`\\n─+\\n {2}┌ ${key.replaceAll('.', '\\.')} {2}(?![^]*┌)[^]*\\n {2}└ .*┘\\n$`));
    const last = [...before.matchAll(/┌ (main\.\d) /g)].at(-1)[1]; // of the two either may end first
    t.type('\r');
    await at(last);
    assert.match(t.screen.text, shown);
    t.type(RIGHT);
    await at('main.3');
    assert.match(t.screen.text, /│ lead › Say two\. +│\n {2}│ two it is +│\n {2}└ Enter in · Esc out · ← → siblings · ↑ parent ─+┘\n$/);
    t.type(RIGHT + LEFT);
    await at('main.2');
    t.type(LEFT);
    await at('main.1');
    t.type(LEFT);
    t.type('\r');
    await at('main.1.1');
    assert.match(t.screen.text, /│ ada › Read the policy\. +│\n {2}│ The freeze ends at noon\. +│\n/);
    t.type('\r' + UP);
    await at('main.1');
    assert.match(t.screen.text, /│ lead › Find a date for the launch\. +│\n {2}│ I ask bo\. +│\n {2}│ ▸ main\.1\.1 {2}bo {2}Read the policy +✓ [\d.]+ s {2}2 steps │\n {2}│ The freeze ends on Friday +│\n {2}│ so Friday it is\. +│\n/);
    t.type(ESC);
    await rest(t);
    assert.equal(t.screen.text, before);
    t.type('plan B');
    await t.shows(/bo ○( · demo\/scripted)?\n› plan B$/);
    t.type('\x15\r');
    await at(last);
    t.type('x');
    await t.shows(/bo ○( · demo\/scripted)?\n› x$/);
    t.type('\x15');
    await rest(t);
    await leave(t);
});

test('one that runs can be cancelled there', async () => {
    const t = await open('cancels', { cols: 70, rows: 16 });
    t.type('@lead wait for ever\r');
    await t.shows(/┌ main\.1 {2}ada {2}Long work ─+ ●[^]*│ writing… "begun" +│\n/);
    for (const row of boxed(t)) assert.equal(row.length, 69, row);
    t.type('\r');
    await t.shows(/ {2}│ lead › Work for ever\. +│\n[^]*↑ parent · c cancel ─*┘\n$/);
    t.type('c');
    await t.shows(/main\.1 is cancelled\./);
    await t.shows(/┌ main\.1 {2}ada {2}Long work ─+ ✗ \d/);
    t.type(ESC);
    await rest(t);
    assert.equal(t.screen.text.match(/┌ main\.1 {2}ada/g).length, 1);
    t.type('\r');
    await t.shows(/ {2}│ lead › Work for ever\./);
    t.type(ESC);
    await rest(t);
    await leave(t);
});

test('without a delegation an empty line says nothing', async () => {
    const t = await open('none');
    const before = t.screen.text;
    t.type('\r \r');
    t.type('/queue\r');
    await t.shows(/Nothing waits\./);
    assert.ok(t.screen.text.startsWith(before.slice(0, before.indexOf('─'))));
    assert.doesNotMatch(t.screen.text, /Esc out/);
    await leave(t);
});

test('with --server there are the same boxes, answers, menus and changes', async () => {
    const desk = await Desk.open(server);
    const t = await open('afar', { model: desk.model, far: true });
    t.type('@lead plan\r');
    let ada = await desk.next();
    ada.begin('The freeze ends');
    await t.shows(/ {2}┌ main\.1 {2}ada {2}Check dates ─+ ● [^\n]* ┐\n {2}│ writing… "The freeze ends" .*│\n {2}└ Enter open ─+┘\n/);
    ada.answer(' on Friday.');
    await t.shows(/ {2}┌ main\.1 {2}ada {2}Check dates ─+ ✓ [^\n]* ┐\n[^]*It is settled\.\n/);
    await rest(t);
    t.type('\r');
    await t.shows(/│ lead › Find a date for the launch\. +│\n {2}│ The freeze ends on Friday\. +│\n {2}└ Enter in · Esc out/);
    t.type(ESC);
    await rest(t);

    t.type('@ada hello\r');
    ada = await desk.next();
    ada.begin('one two');
    await t.shows(/ada {2}writing… \d+ s\n {2}one two▍?\n[^]*ada ●/);
    ada.answer(' three');
    await t.shows(/ {2}one two three\n/);
    await rest(t);
    t.type('/edit @you @ada goodbye\r');
    (await desk.next()).answer('until then');
    await t.shows(/ {2}until then\n[^]*afar · talk · v2 · /);
    await rest(t);
    t.type('/undo\r');
    await t.shows(/afar · talk · v1 · [^\n]*\n›$/);
    t.type('\x18h');
    await t.shows(/Which version should be current\?\n {2}1 {2}v2 [^\n]*\n› 2 {2}v1 [^\n]*\(now\)\n/);
    t.type('1');
    await t.shows(/afar · talk · v2 · [^\n]*\n›$/);
    await leave(t);
});

await finish();
