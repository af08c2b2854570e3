// waits.mjs: work that waits for a person: everybody who looks or says something is told for whose answer, and all views
// tell the same of what was answered.
import { inbox, watch } from './desk.mjs';
import { Server, assert, finish, run, script, test } from './lib.mjs';

const file = script('waits', `
pace: 4
rules:
  - tool: demo_lookup
    matches: '(.*)'
    do: "Looked up: {1}"
  - when: look it up
    do:
      - call: demo_lookup
        args: {query: tides}
  - when: out of order
    do:
      - fail: the model is out of order
otherwise: "{agent} has done it."
`);
const server = await Server.start({ script: file });
const settings = { approvals: { demo_lookup: 'ask' } };
let names = 0;
const fresh = (s = server) => s.world(`waits${++names}`, ['ada'], { settings });
const cli = (w, ...words) => run([...words, ...w.server.store.args, '-w', w.name]);
const agent = w => w.server.get(`${w.path}/agents/ada`);

// Has `begin` done until ada waits for a person; gives the item of the inbox.
async function waiting(w, begin) {
    const stream = await watch(w);
    const begun = await begin();
    await stream.event('inbox.created', e => e.type === 'approval');
    stream.close();
    return [(await inbox(w, '&type=approval')).data[0], begun];
}

test('who says something while an agent waits for a person is told for whose answer', async () => {
    const w = await fresh();
    const [item] = await waiting(w, () => w.say('look it up'));
    for (const more of [['--no-wait'], ['--timeout=2s']]) {
        const said = await cli(w, 'send', 'and now?', '-c', w.chat, ...more);
        assert.ok(said.err.includes(`ada waits for your answer: skein inbox allow ${item.id} (or deny)`), said.err);
        assert.match(said.err, /The message is queued: it is said when that is answered\./);
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

for (const [decision, answer, result] of [['allow', 'allowed', 'not run: it was allowed, but its turn ended before it began'],
    ['deny', 'denied', 'not run: a person did not allow it']])
    test(`what is answered (${decision}) while nobody speaks for the agent is told alike everywhere`, async () => {
        const killed = await Server.start({ script: file });
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
        assert.equal((await cli(w, 'inbox', decision, item.id)).code, 0);
        await told(new RegExp(`demo_lookup, ${answer}`), [['agent', 'show', 'ada'], ['inspect', 'ada']]);
        await told(new RegExp(`demo_lookup: ${answer}, nothing came of it yet`), calls);
        await told(new RegExp(`answered\\n +${answer}\\n`), [['inbox', 'show', item.id]]);
        w.server = await Server.start({ store: killed.store, script: file });
        await w.idle();
        await told(new RegExp(`demo_lookup: ${answer}; ${result}`), calls);
        await told(new RegExp(`answered\\n +${answer}\\nresult\\n +${result}`), [['inbox', 'show', item.id]]);
        assert.deepEqual([(await agent(w)).state, (await agent(w)).detail], ['idle', null]);
        const { open, answer: said, result: came } = await w.server.get(`/inbox/${item.id}`);
        assert.deepEqual([open, said, came], [false, answer, result]);
        assert.equal((await w.messages('&agent=ada')).find(m => m.role === 'tool').content, result);
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
    assert.equal(label, attempts < 3 ? 'retrying' : 'failed');
    assert.match(lastError, /out of order/);
    assert.ok(notBefore);
    assert.match((await cli(w, 'task', 'ls')).out, new RegExp(`  ${label} +user .*\\n +failed ${attempts} times?: .*out of order.*; (tried again at |to be tried again\\n)`));
    assert.match((await cli(w, 'task', 'show', task.id)).out, new RegExp(`failed ${attempts} times?; (tried again at .*|to be tried again)\\n[^]*last failure\\n.*out of order`));
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
