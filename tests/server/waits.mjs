// waits.mjs: work that waits for a person: everybody who looks or says something is told for whose answer, and all views
// tell the same of what was answered.
import { inbox, watch } from './desk.mjs';
import { Server, assert, finish, mortal, run, script, test } from './lib.mjs';

const file = script('waits', `
pace: 4
rules:
  - tool: demo_lookup
    matches: '(.*)'
    do: "Looked up: {1}"
  - tool: delegate
    matches: '(.*)'
    do: "Handed: {1}"
  - when: hand it on
    do:
      - call: delegate
        args: {agent: ada, task: look it up, wait: true}
  - when: look it up
    do:
      - call: demo_lookup
        args: {query: tides}
  - when: take long
    do:
      - say: I begin.
      - wait: 10m
      - say: I end.
  - when: out of order
    do:
      - fail: the model is out of order
otherwise: "{agent} has done it."
`);
const server = await Server.start({ script: file });
// One whose turns are soon free when it is killed: another one cannot know that it is alone on PostgreSQL.
const startSoon = (more = {}) => Server.start({ script: file, env: mortal, ...more });
const settings = { approvals: { demo_lookup: 'ask' } };
let names = 0;
const fresh = (s = server) => s.world(`waits${++names}`, ['ada'], { settings });
const cli = (w, ...words) => run([...words, ...w.server.store.args, '-w', w.name]);
const agent = w => w.server.get(`${w.path}/agents/ada`);

// Has `begin` done until ada waits for a person; gives the item of the inbox.
async function waiting(w, begin) {
    const before = await inbox(w, '&type=approval'), stream = await watch(w);
    const begun = await begin();
    const known = before.data.map(i => i.id);
    const { body } = await stream.event('inbox.created', e => e.type === 'approval' && !known.includes(e.id));
    stream.close();
    return [await w.server.get(`/inbox/${body.data.id}`), begun];
}

test('who says something while an agent waits for a person is told for whose answer', async () => {
    const w = await fresh();
    const [item] = await waiting(w, () => w.say('look it up'));
    for (const more of [['--no-wait'], []]) {
        const said = await run(['send', 'and now?', '-c', w.chat, ...more, ...w.server.store.args, '-w', w.name], { until: 'The message is queued' });
        assert.ok(said.err.includes(`ada waits for your answer: skein inbox allow ${item.id} (or deny)`), said.err);
        assert.match(said.err, /The message is queued: it is sent when that is answered\./);
    }
    await server.post(`/inbox/${item.id}/answer`, { decision: 'deny' }, 200);
    await w.idle();
    assert.equal((await w.messages()).filter(m => m.content === 'and now?').length, 2);
});

test('whoever looks at the agent or its world sees what it waits for, until it is answered', async () => {
    const w = await fresh();
    assert.equal((await agent(w)).inboxId, null);
    const [item] = await waiting(w, () => w.say('look it up'));
    assert.deepEqual([(await agent(w)).state, (await agent(w)).detail, (await agent(w)).inboxId], ['tool', 'demo_lookup, waits for you', item.id]);
    const world = await server.get(w.path);
    assert.deepEqual([world.busy.map(b => b.inboxId), world.agents.map(a => a.inboxId)], [[item.id], [item.id]]);
    for (const words of [['agent', 'ls'], ['inspect', 'ada']])
        assert.ok((await cli(w, ...words)).out.includes(`waits for you: skein inbox allow ${item.id}, or deny`), words.join(' '));
    await server.post(`/inbox/${item.id}/answer`, { decision: 'allow' }, 200);
    await w.idle();
    assert.deepEqual([(await agent(w)).state, (await agent(w)).inboxId], ['idle', null]);
});

test('what is said while an agent works, and when a timer wakes one, is told by whoever is asked', async () => {
    const w = await fresh();
    const [item] = await waiting(w, () => w.say('look it up'));
    assert.equal((await agent(w)).waitingMessages, 0);
    const said = await w.say('and now?');
    assert.equal((await agent(w)).waitingMessages, 1);
    assert.equal((await cli(w, 'agent', 'timer', 'ada', '90m')).code, 0);
    const next = (await agent(w)).nextRunAt;
    assert.match((await cli(w, 'agent', 'ls')).out, /@ada .*waits for you: .*  1 message queued/);
    const both = (indent) => `\n${indent}1 message waits until ada is done\n${indent}ada wakes every 90 min, next at ${next}\n`;
    for (const [words, indent] of [[['agent', 'show', 'ada'], '  '], [['status'], '         ']]) {
        const { out } = await cli(w, ...words);
        assert.ok(out.includes(both(indent)), out);
    }
    const log = (await cli(w, 'log', '-c', w.chat)).out;
    assert.ok(log.endsWith(`1 message waits until ada is done:\n  ${said.messageId}  you  and now?\n`), log);
    const status = JSON.parse((await cli(w, 'status', '--json')).out).worlds.find(one => one.name === w.name);
    assert.deepEqual([status.waiting, status.timers], [[{ agent: 'ada', messages: 1 }], [{ agent: 'ada', runEvery: 5400000, nextRunAt: next }]]);
    const far = (...words) => run([...words, '--server', server.url, '-w', w.name]);
    assert.ok((await far('status')).out.includes(both('         ')));
    assert.match((await far('log', '-c', w.chat)).out, /1 message waits until ada is done:\n  [\w-]+  you  and now\?\n$/);
    await server.post(`/inbox/${item.id}/answer`, { decision: 'deny' }, 200);
    await w.idle();
    assert.equal((await agent(w)).waitingMessages, 0);
    assert.doesNotMatch((await cli(w, 'log', '-c', w.chat)).out, /waits until/);
});

for (const [decision, answer, result] of [['allow', 'allowed', 'demo data'], ['deny', 'denied', 'not run: a person did not allow it']])
    test(`what is answered (${decision}) while nobody speaks for the agent is told alike everywhere, and counts when somebody does`, async () => {
        const killed = await startSoon();
        const w = await fresh(killed);
        const [item] = await waiting(w, () => w.say('look it up'));
        const call = (await w.messages('&agent=ada')).find(m => m.toolCalls.length).messageId;
        const told = async (words, views) => {
            for (const view of views) {
                const { out, err } = await cli(w, ...view);
                assert.match(out, words, `${view.join(' ')}: ${err}`);
            }
        };
        const calls = [['show', call, '-c', w.chat], ['inspect', '--call', call, '-c', w.chat]];
        await killed.kill();
        await told(new RegExp(`demo_lookup,? waits for you: skein inbox allow ${item.id}, or deny`), [['agent', 'show', 'ada'], ['inspect', 'ada'], ...calls]);
        const answered = await cli(w, 'inbox', decision, item.id);
        assert.deepEqual([answered.code, answered.err], [0, 'No server runs here: ada goes on when one does (skein serve).\n']);
        await told(new RegExp(`demo_lookup, ${answer}`), [['agent', 'show', 'ada'], ['inspect', 'ada']]);
        await told(new RegExp(`demo_lookup: ${answer}, no result yet`), calls);
        await told(new RegExp(`answered\\n +${answer}\\n`), [['inbox', 'show', item.id]]);
        w.server = await startSoon({ store: killed.store });
        await w.idle();
        await told(new RegExp(`demo_lookup: ${answer}; ${result}`), calls);
        await told(new RegExp(`answered\\n +${answer}\\nresult\\n +${result}`), [['inbox', 'show', item.id]]);
        assert.deepEqual([(await agent(w)).state, (await agent(w)).detail], ['idle', null]);
        const { open, answer: said, result: came } = await w.server.get(`/inbox/${item.id}`);
        assert.deepEqual([open, said, came.startsWith(result)], [false, answer, true], came);
        assert.equal(await results(w), 1);
        assert.match((await w.messages()).at(-1).content, new RegExp(`^Looked up: ${result}`));
    });

test('what an agent was at when its server went away is not told as if it went on', async () => {
    const killed = await startSoon({ delay: true });
    const w = await fresh(killed), stream = await watch(w);
    await w.say('take long');
    await stream.event('agent.state', e => e.state === 'writing');
    stream.close();
    await killed.kill();
    const left = /interrupted no server runs it; the next one continues or ends it/;
    let out = '';
    for (let i = 0; !left.test(out) && i < 1000; i++) ({ out } = await cli(w, 'agent', 'ls')); // on PostgreSQL the lease runs out first
    for (const view of [['agent', 'ls'], ['inspect', 'ada'], ['status']]) assert.match((await cli(w, ...view)).out, left, view.join(' '));
    w.server = await startSoon({ store: killed.store });
    await w.idle();
    assert.equal((await agent(w)).state, 'failed');
    assert.doesNotMatch((await cli(w, 'agent', 'ls')).out, left);
    await w.server.stop();
});

test('a tool that is allowed, or not, from now on is not asked about any more', async () => {
    for (const [word, answer, result] of [['always', 'allowed', /demo data/], ['never', 'denied', /not run: this tool is not allowed in this world/]]) {
        const w = await fresh();
        const [item] = await waiting(w, () => w.say('look it up'));
        await server.ask('PATCH', w.path, { settings: { approvals: { demo_lookup: word } } });
        await w.idle();
        const now = await server.get(`/inbox/${item.id}`);
        assert.deepEqual([now.open, now.answer], [false, answer]);
        assert.match(now.reason, /^the settings of the world (do not )?allow demo_lookup/);
        assert.match(now.result, result);
        assert.ok((await cli(w, 'inbox', 'show', item.id)).out.includes(now.reason));
        assert.equal(await results(w), 1);
    }
});

const results = async w => (await w.messages('&agent=ada')).filter(m => m.role === 'tool').length;
const restart = {
    killed: async s => { await s.kill(); await s.start(); },
    'ended in order': async s => { await s.stop(); await s.start(); },
};

for (const [how, decision, said] of [['killed', 'allow', /^Looked up: demo data/],
    ['ended in order', 'deny', /^Looked up: not run: a person did not allow it/]])
    test(`a question outlives a server that is ${how}, and the next: ${decision}`, async () => {
        const own = await startSoon(), w = await fresh(own);
        const [item] = await waiting(w, () => w.say('look it up'));
        await own.post(`${w.path}/messages`, { content: 'and this?' }, 202); // waits in the queue
        await restart[how](own);
        const { open, answer } = await own.get(`/inbox/${item.id}`);
        assert.deepEqual([open, answer, await results(w)], [true, null, 0]);
        assert.deepEqual([(await agent(w)).detail, (await agent(w)).inboxId], ['demo_lookup, waits for you', item.id]);
        await restart['ended in order'](own);
        await own.post(`/inbox/${item.id}/answer`, { decision }, 200);
        await w.idle();
        const all = await w.messages();
        assert.equal(await results(w), 1, 'once');
        assert.ok(all.some(m => said.test(m.content)), JSON.stringify(all.map(m => m.content)));
        assert.equal(all.at(-1).content, 'ada has done it.', 'then what was queued is answered');
        await own.refused('POST', `/inbox/${item.id}/answer`, 409, 'conflict', { body: { decision } });
        await own.stop();
    });

test('what waits for a person is stopped after a restart as before it, and is not asked again', async () => {
    const own = await startSoon(), w = await fresh(own);
    const [item] = await waiting(w, () => w.say('look it up'));
    await restart.killed(own);
    await own.post(`${w.path}/messages/stop`, {}, 200);
    await w.idle();
    const { open, answer } = await own.get(`/inbox/${item.id}`);
    assert.deepEqual([open, answer], [false, 'expired']);
    assert.equal((await w.messages('&agent=ada')).find(m => m.role === 'tool').content, 'not run: its turn ended before a person had allowed it');
    await restart['ended in order'](own);
    assert.equal((await inbox(w, '&type=approval')).data.length, 1);
    await own.stop();
});

test('a question of a delegation and of a task outlives its server too', async () => {
    const own = await startSoon();
    const w = await own.world(`waits${++names}`, ['lead', 'ada'], { settings });
    const [asked] = await waiting(w, () => w.say('@lead hand it on'));
    const [other, task] = await waiting(w, () => own.post(`${w.path}/agents/ada/tasks`, { content: 'look it up' }));
    assert.notEqual(asked.id, other.id);
    await restart.killed(own);
    const stream = await watch(w);
    for (const { id } of [asked, other]) await own.post(`/inbox/${id}/answer`, { decision: 'allow' }, 200);
    await stream.event('task.finished', e => e.taskId === task.id, { ms: 25000 });
    stream.close();
    await w.idle();
    assert.match((await own.get(`${w.path}/tasks/${task.id}`)).result, /^Looked up: demo data/);
    assert.match((await w.messages()).at(-1).content, /^Handed: Looked up: demo data/);
    await own.stop();
});

test('who follows the conversation is told that it is asked and answered, and with inbox=true all that comes into the inbox', async () => {
    const w = await fresh();
    const [own, all] = [w.events(`?chatId=${w.chat}`), w.events(`?chatId=${w.chat}&inbox=true`)];
    for (const stream of [own, all]) await stream.event('stream.open');
    const [item] = await waiting(w, () => w.say('look it up'));
    const [elsewhere] = await waiting(w, () => server.post(`${w.path}/agents/ada/tasks`, { content: 'look it up' }));
    for (const { id } of [elsewhere, item]) await server.post(`/inbox/${id}/answer`, { decision: 'deny' }, 200);
    const { id: finished } = (await all.event('inbox.created', e => e.type === 'finished')).body.data; // by the task
    for (const [stream, asked, ids] of [[own, [item.id], [item.id]], [all, [item.id, elsewhere.id], [item.id, elsewhere.id, finished]]]) {
        for (const id of asked) {
            await stream.event('inbox.created', e => e.id === id && e.open && e.answer === null);
            await stream.event('inbox.updated', e => e.id === id && !e.open && e.answer === 'denied');
        }
        const told = stream.events.filter(e => e.event.startsWith('inbox.'));
        assert.deepEqual([...new Set(told.map(e => e.body.data.id))].sort(), [...ids].sort());
        assert.ok(told.every(e => e.body.data.id !== item.id || e.body.chatId === w.chat));
        stream.close();
    }
    const page = await server.get(`${w.path}/events?chatId=${w.chat}&inbox=true&after=0&types=inbox`, 200, { headers: { accept: 'application/json' } });
    assert.deepEqual([...new Set(page.data.map(e => e.data.id))].sort(), [item.id, elsewhere.id, finished].sort());
});

test('a task that waits for a person says so', async () => {
    const w = await fresh();
    const [item, task] = await waiting(w, () => server.post(`${w.path}/agents/ada/tasks`, { content: 'look it up' }));
    const now = () => server.get(`${w.path}/tasks/${task.id}`);
    assert.deepEqual([(await now()).status, (await now()).label, (await now()).inboxId], ['pending', 'waiting', item.id]);
    for (const words of [['task', 'ls'], ['task', 'show', task.id]])
        assert.match((await cli(w, ...words)).out, new RegExp(`  waiting +user +look it up\\n +waits for you: skein inbox allow ${item.id}, or deny\\n`));
    const stream = await watch(w);
    await server.post(`/inbox/${item.id}/answer`, { decision: 'allow' }, 200);
    await stream.event('task.finished', e => e.taskId === task.id);
    stream.close();
    assert.deepEqual([(await now()).label, (await now()).inboxId], ['completed', null]);
});

test('a task that failed says that it is tried again, when and why', async () => {
    const w = await fresh(), stream = await watch(w);
    const task = await server.post(`${w.path}/agents/ada/tasks`, { content: 'be out of order' });
    const now = () => server.get(`${w.path}/tasks/${task.id}`);
    await stream.event('task.queued', e => e.taskId === task.id && e.attempts > 0);
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200); // it is not tried again while we look
    while ((await now()).running);
    stream.close();
    const { label, attempts, lastError, notBefore } = await now();
    assert.equal(label, 'retrying');
    assert.match(lastError, /out of order/);
    assert.ok(notBefore);
    assert.match((await cli(w, 'task', 'ls')).out, new RegExp(`  ${label} +user .*\\n +failed ${attempts} times?: .*out of order.*; (tried again at |will be tried again\\n)`));
    assert.match((await cli(w, 'task', 'show', task.id)).out, new RegExp(`failed ${attempts} times?; (tried again at .*|will be tried again)\\n[^]*last failure\\n.*out of order`));
});

test('a world that gets another name while an agent works goes on', async () => {
    const w = await fresh();
    const [item] = await waiting(w, () => w.say('look it up'));
    const name = `${w.name}-renamed`;
    await server.ask('PATCH', w.path, { name });
    Object.assign(w, { name, path: `/worlds/${name}`, chatPath: `/worlds/${name}/chats/${w.chat}` });
    await server.post(`/inbox/${item.id}/answer`, { decision: 'allow' }, 200);
    await w.idle();
    assert.match((await w.messages()).at(-1).content, /^Looked up: demo data/);
});

await finish();
