// tasks.mjs: agents that work by themselves: each task is done once, whoever fails holds up nobody, and what
// agents ask of each other is answered, counted and bounded.
import { Desk, asked, inbox, own, rows, watch, work } from './desk.mjs';
import { Server, assert, finish, mortal, rounds, run, script, test } from './lib.mjs';

const file = script('tasks', `
pace: 4
rules:
  - tool: delegate
    matches: '(.*)'
    do: "The delegate says: {1}"
  - tool: tell_agent
    matches: '(.*)'
    do: "Told: {1}"
  - tool: demo_lookup
    matches: '(.*)'
    do: "Looked up: {1}"
  - when: hold
    do:
      - say: I begin, and it will take long.
      - wait: 10m
  - when: have it done and wait
    do:
      - call: delegate
        args: {agent: bo, task: the thing itself, title: a thing, wait: true}
  - when: have it done meanwhile
    do:
      - call: delegate
        args: {agent: bo, task: the thing itself, title: a thing, wait: false}
  - when: have it held
    do:
      - call: delegate
        args: {agent: bo, task: hold this, wait: true}
  - when: have it fail
    do:
      - call: delegate
        args: {agent: bo, task: be out of order, wait: true}
  - when: out of order
    do:
      - fail: the model is out of order
  - when: go ever deeper
    do:
      - call: delegate
        args: {task: go ever deeper, wait: true}
  - when: the thing itself
    do: It is done.
  - matches: 'Delegation .* is done'
    do: I have heard that it is done.
  - when: look it up
    do:
      - call: demo_lookup
        args: {query: tides}
  - when: ask bo about it
    do:
      - call: tell_agent
        args: {agent: bo, text: What about it?, responseExpected: true}
  - when: ask ada back
    do:
      - call: tell_agent
        args: {agent: ada, text: Ask bo about it once more, responseExpected: true}
  - when: tell nobody
    do:
      - call: tell_agent
        args: {agent: nobody, text: Are you there?, responseExpected: true}
  - when: what about it
    do: It is fine.
  - when: talk in circles
    agent: ada
    do:
      - call: tell_agent
        args: {agent: bo, text: talk in circles}
  - when: talk in circles
    agent: bo
    do:
      - call: tell_agent
        args: {agent: ada, text: talk in circles}
otherwise: "{agent} has done it."
`);
const server = await Server.start({ script: file });
const slow = await Server.start({ script: file, delay: true }); // "hold" does hold
let names = 0;
const fresh = (s = server, agents = ['ada', 'bo'], more) => s.world(`tasks${++names}`, agents, more);
const give = (w, agent, content) => w.server.post(`${w.path}/agents/${agent}/tasks`, { content });

async function told(w, ...args) {
    const out = await run([...args, '-w', w.name, ...w.server.store.args]);
    assert.equal(out.code, 0, out.err);
    return out.out;
}

// --- The queue -------------------------------------------------------------------------------------------

test('two hundred tasks of ten agents are each done once', async () => {
    const agents = Array.from({ length: 10 }, (_, i) => `agent${i}`);
    const w = await fresh(server, agents);
    const stream = await watch(w);
    const each = rounds(20);
    const made = await Promise.all(Array.from({ length: each * 10 }, (_, i) => give(w, agents[i % 10], `task number ${i}.`)));
    for (const t of made) await stream.event('task.finished', e => e.taskId === t.id, { ms: 60000 });
    await w.idle();
    for (const kind of ['task.started', 'task.finished']) {
        const told = stream.of(kind).map(e => e.taskId);
        assert.deepEqual([told.length, new Set(told).size], [made.length, made.length], kind);
    }
    stream.close();
    for (const [k, agent] of agents.entries()) {
        const all = await rows(w, agent);
        const mine = made.filter((_, i) => i % 10 === k);
        assert.deepEqual(all.filter(m => m.role === 'user').map(m => m.content).sort(), mine.map(t => t.content).sort());
        assert.deepEqual(all.map(m => m.role), mine.flatMap(() => ['user', 'assistant']), 'one after the other');
        const listed = (await server.get(`${w.path}/agents/${agent}/tasks?status=completed&limit=500`)).data;
        assert.equal(listed.length, mine.length);
        assert.ok(listed.every(t => t.result === `${agent} has done it.` && t.attempts === 0));
    }
}, 120000);

test('tasks of one agent are done in the order in which they came', async () => {
    const w = await fresh();
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const made = [];
    for (let i = 0; i < 8; i++) made.push(await give(w, 'ada', `step ${i}`));
    const stream = await watch(w);
    await server.post(`${w.path}/agents/ada/resume`, undefined, 200);
    await stream.event('task.finished', e => e.taskId === made.at(-1).id);
    assert.deepEqual(stream.of('task.finished').map(e => e.taskId), made.map(t => t.id));
    stream.close();
});

test('a task that fails is tried again later, and holds up neither others nor its own agent', async () => {
    const w = await fresh();
    const stream = await watch(w);
    const bad = await give(w, 'ada', 'be out of order');
    const put = (await stream.event('task.queued', e => e.taskId === bad.id && e.attempts === 1)).body.data;
    assert.ok(put.notBefore);
    assert.equal((await work(w, 'bo', 'good work')).status, 'completed');
    assert.equal((await work(w, 'ada', 'good work')).status, 'completed');
    await stream.event('task.queued', e => e.taskId === bad.id && e.attempts === 2); // by itself
    const now = await server.get(`${w.path}/tasks/${bad.id}`);
    assert.equal(now.status, 'pending');
    assert.match(now.lastError, /out of order/);
    await server.ask('DELETE', `${w.path}/tasks/${bad.id}`);
    stream.close();
});

test('each try of a task asks the model for this task, and for no other that is not done', async () => {
    let broken = true;
    const sent = [];
    const desk = await Desk.open(server, q => {
        if (q.summary) return 'Some things were done.';
        const last = String(q.last.content).split('\n').at(-1);
        sent.push(q.messages);
        if (last.endsWith('task one') && broken) return q.fail() ?? null;
        return `Did: ${last}`;
    });
    const w = await server.world(`inhand${Date.now()}`, [{ name: 'ada', model: desk.model }], { compactAt: 6 });
    const stream = await watch(w);
    const one = await server.post(`${w.path}/agents/ada/tasks`, { content: 'please do task one' });
    await stream.event('task.queued', e => e.taskId === one.id && e.attempts === 1);
    assert.match((await work(w, 'ada', 'please do task two')).result, /Did: .*task two/);
    const asking = name => sent.findLast(m => String(m.at(-1).content).endsWith(`task ${name}`)); // others are tried again meanwhile
    assert.doesNotMatch(JSON.stringify(asking('two')), /task one/, 'what waits is not part of another task');
    // So many that the first one is covered by a summary when it is tried again.
    for (const n of ['three', 'four', 'five']) await work(w, 'ada', `please do task ${n}`);
    broken = false;
    await server.post(`${w.path}/agents/ada/wake`, undefined, 200);
    await stream.event('task.finished', e => e.taskId === one.id);
    stream.close();
    assert.match((await server.get(`${w.path}/tasks/${one.id}`)).result, /Did: .*task one/);
    const again = asking('one');
    assert.equal(again.at(-1).role, 'user');
    assert.doesNotMatch(String(again.at(-1).content), /task (two|three|four|five)/);
});

test('a task that waits is cancelled and never begun; one that is done cannot be', async () => {
    const w = await fresh();
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const [first, second] = [await give(w, 'ada', 'first'), await give(w, 'ada', 'second')];
    assert.equal((await server.ask('DELETE', `${w.path}/tasks/${first.id}`)).status, 'cancelled');
    const stream = await watch(w);
    await server.post(`${w.path}/agents/ada/resume`, undefined, 200);
    await stream.event('task.finished', e => e.taskId === second.id);
    assert.ok(!stream.of('task.started').some(e => e.taskId === first.id));
    stream.close();
    assert.deepEqual((await rows(w, 'ada')).map(m => m.content), ['second', 'ada has done it.']);
    await server.refused('DELETE', `${w.path}/tasks/${second.id}`, 409, 'conflict');
});

test('who stops agents is told which tasks were cancelled with that, and can have them restarted', async () => {
    const desk = await Desk.open(server);
    const w = await fresh(server, [{ name: 'ada', model: desk.model }]), stream = await watch(w);
    const task = await give(w, 'ada', 'a thing');
    const path = `${w.path}/tasks/${task.id}`;
    await desk.next();
    await server.refused('POST', `${path}/retry`, 409, 'conflict'); // it runs
    assert.deepEqual(await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200), { stopped: 0, tasks: [] });
    assert.equal((await server.get(path)).status, 'pending', 'a stop of another conversation leaves it alone');
    assert.equal(await told(w, 'stop'), `Cancelled the task ${task.id} of ada: a thing\nRestart it: skein task retry ${task.id}\nWhat was written stays.\n`);
    assert.equal((await server.get(path)).status, 'cancelled');
    assert.match(await told(w, 'task', 'retry', task.id, '-n'), /^Would have ada restart the task task_/);
    const again = await server.post(`${path}/retry`, undefined, 202);
    assert.deepEqual([again.id, again.status, again.attempts, again.completedAt], [task.id, 'pending', 0, null]);
    await desk.next();
    const background = await own(w, 'ada');
    const stopped = await server.post(`${w.path}/messages/stop`, { chatId: background.id }, 200);
    assert.deepEqual([stopped.stopped, stopped.tasks.map(t => [t.id, t.status])], [1, [[task.id, 'cancelled']]]);
    assert.match(await told(w, 'task', 'retry', task.id), /^ada has the task task_[\w-]+ again\. Watch it: skein inspect ada\n$/);
    (await desk.next()).answer('Done.');
    await stream.event('task.finished', e => e.taskId === task.id && e.status === 'completed');
    stream.close();
    assert.deepEqual((await rows(w, 'ada')).filter(m => m.role === 'user').map(m => m.content), ['a thing'], 'it is said once');
    await server.refused('POST', `${path}/retry`, 409, 'conflict'); // it is done
    await server.refused('POST', `${w.path}/tasks/task_nosuch/retry`, 404, 'task-not-found');
});

test('one that is woken while it is paused begins nothing, and the commands say so', async () => {
    const desk = await Desk.open(server);
    const w = await fresh(server, [{ name: 'ada', model: desk.model }]), stream = await watch(w);
    const task = await give(w, 'ada', 'a thing');
    const question = await desk.next();
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    question.fail();
    await stream.event('task.queued', e => e.taskId === task.id && e.attempts === 1);
    assert.equal(await told(w, 'agent', 'wake', 'ada'),
        'ada is paused: it looks for work when it is resumed. Resume it with "skein agent resume ada".\n');
    assert.match(await told(w, 'task', 'ls'), /  retrying +user +a thing\n +failed 1 time: .*out of order.*; will be tried again\n/);
    assert.match(await told(w, 'task', 'show', task.id), /failed 1 time; will be tried again\n/);
    await told(w, 'agent', 'resume', 'ada');
    (await desk.next()).answer('Done.');
    await stream.event('task.finished', e => e.taskId === task.id);
    stream.close();
    assert.match(await told(w, 'agent', 'wake', 'ada'), /^ada looks for work now\./);
    (await desk.next()).answer('There is nothing to do.');
    await w.idle();
});

test('a running task that is cancelled lets the next one begin', async () => {
    const w = await fresh(slow);
    const stream = await watch(w);
    const held = await give(w, 'ada', 'hold this');
    const next = await give(w, 'ada', 'and then');
    await stream.words();
    await slow.ask('DELETE', `${w.path}/tasks/${held.id}`);
    await stream.event('task.finished', e => e.taskId === next.id && e.status === 'completed');
    stream.close();
    assert.equal((await slow.get(`${w.path}/tasks/${held.id}`)).status, 'cancelled');
});

test('a timer gives its agent work again and again, and a paused one none', async () => {
    const w = await fresh();
    const stream = await watch(w);
    await server.ask('PATCH', `${w.path}/agents/ada`, { runEvery: '1s' });
    await server.ask('PATCH', `${w.path}/agents/bo`, { runEvery: '1s', paused: true });
    const one = await stream.event('task.finished', e => e.agent === 'ada' && e.source === 'system');
    await stream.event('task.finished', e => e.agent === 'ada' && e.source === 'system' && e.taskId !== one.body.data.taskId);
    assert.ok(!stream.of('task.queued').some(e => e.agent === 'bo'));
    await server.ask('PATCH', `${w.path}/agents/ada`, { runEvery: null });
    stream.close();
});

test('work survives a restart: what waits is done by the next server', async () => {
    const other = await Server.start({ script: file });
    const w = await other.world('restart', ['ada']);
    await other.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const made = await Promise.all([0, 1, 2].map(i => give(w, 'ada', `before ${i}`)));
    await other.stop();
    await other.start();
    const stream = await watch(w);
    await other.post(`${w.path}/agents/ada/resume`, undefined, 200);
    for (const t of made) await stream.event('task.finished', e => e.taskId === t.id && e.status === 'completed');
    stream.close();
    await other.stop();
});

// --- Approvals ----------------------------------------------------------------------------------------------

test('a tool that asks first waits for the person, in the background too; the others go on', async () => {
    for (const [decision, said] of [['allow', /^Looked up: demo data/], ['deny', /^Looked up: not run: a person did not allow/]]) {
        const w = await fresh(server, ['ada', 'bo'], { settings: { approvals: { demo_lookup: 'ask' } } });
        const stream = await watch(w);
        const task = await give(w, 'ada', 'look it up');
        await stream.event('inbox.created', e => e.type === 'approval');
        assert.equal((await work(w, 'bo', 'meanwhile')).status, 'completed');
        const [item] = (await inbox(w, '&type=approval')).data;
        assert.deepEqual([item.tool, item.args, item.open, item.agent], ['demo_lookup', { query: 'tides' }, true, 'ada']);
        assert.ok(!(await rows(w, 'ada')).some(m => m.role === 'tool'), 'it has not run');
        await server.post(`/inbox/${item.id}/answer`, { decision }, 200);
        await stream.event('task.finished', e => e.taskId === task.id);
        assert.match((await server.get(`${w.path}/tasks/${task.id}`)).result, said);
        await server.refused('POST', `/inbox/${item.id}/answer`, 409, 'conflict', { body: { decision } });
        stream.close();
    }
});

test('a tool that is allowed while nobody speaks for its agent runs when somebody does, once', async () => {
    const killed = await Server.start({ script: file, env: mortal });
    const w = await fresh(killed, ['ada'], { settings: { approvals: { demo_lookup: 'ask' } } }), stream = await watch(w);
    await w.say('look it up');
    await stream.event('inbox.created', e => e.type === 'approval');
    const [item] = (await inbox(w, '&type=approval')).data;
    stream.close();
    await killed.kill();
    assert.equal((await run(['inbox', 'allow', item.id, ...killed.store.args])).code, 0);
    w.server = await Server.start({ store: killed.store, script: file });
    await w.idle();
    const result = (await w.messages('&agent=ada')).find(m => m.role === 'tool');
    assert.match(result.content, /^demo data/);
    assert.equal((await w.messages('&agent=ada')).filter(m => m.role === 'tool').length, 1);
});

test('an approval that waits is not put away but decided; one that is removed is a no', async () => {
    const w = await fresh(server, ['ada'], { settings: { approvals: { demo_lookup: 'ask' } } });
    const stream = await watch(w);
    const task = await give(w, 'ada', 'look it up');
    await stream.event('inbox.created', e => e.type === 'approval');
    const [item] = (await inbox(w, '&type=approval')).data;
    const refused = await server.refused('PATCH', `/inbox/${item.id}`, 409, 'conflict', { body: { done: true } });
    assert.match(refused.text, /waits for a decision.*Allow or deny it/);
    assert.ok((await server.get(`/inbox/${item.id}`)).open, 'it waits as before');
    await server.ask('DELETE', `/inbox/${item.id}`, undefined, 204);
    await stream.event('task.finished', e => e.taskId === task.id);
    assert.match((await server.get(`${w.path}/tasks/${task.id}`)).result, /^Looked up: not run: a person did not allow/);
    stream.close();
});

test('a tool that is never allowed is refused to the model, and nobody is asked', async () => {
    const w = await fresh(server, ['ada'], { settings: { approvals: { demo_lookup: 'never' } } });
    assert.match((await work(w, 'ada', 'look it up')).result, /not allowed in this world/);
    assert.deepEqual((await inbox(w)).data.map(i => i.type), ['finished']);
});

// --- Delegations ----------------------------------------------------------------------------------------------

const delegations = async w => (await w.server.get(`${w.path}/delegations?chatId=${w.chat}`)).data;
const answers = async (w, agent) => (await w.messages()).filter(m => m.sender === agent && m.role === 'assistant' && !m.toolCalls.length).map(m => m.content);

test('who waits for a delegation gets its last message as the result', async () => {
    const w = await fresh();
    await w.say('@ada have it done and wait');
    await w.idle();
    assert.deepEqual(await answers(w, 'ada'), ['The delegate says: It is done.']);
    const [d] = await delegations(w);
    assert.deepEqual([d.delegationId, d.agent, d.askedBy, d.state, d.waited, d.title], ['main.1', 'bo', 'ada', 'done', true, 'a thing']);
    const lane = (await w.server.get(`${w.chatPath}/timeline?delegation=main.1`)).items;
    assert.deepEqual(lane.map(i => [i.kind, i.content]), [['user_message', 'the thing itself'], ['agent_message', 'It is done.']]);
    const context = () => w.server.get(`${w.chatPath}/context?delegation=main.1`);
    const { messages } = await context();
    await w.server.ask('DELETE', `${w.path}/agents/bo`, undefined, 204);
    assert.deepEqual((await context()).messages, messages, 'also when the delegate is gone');
});

test('who does not wait goes on, and is told once when it is done', async () => {
    const w = await fresh();
    await w.say('@ada have it done meanwhile');
    await w.idle();
    const said = await answers(w, 'ada');
    assert.deepEqual(said.filter(t => /^The delegate says: started main\.1/.test(t)).length, 1, JSON.stringify(said));
    assert.equal(said.filter(t => t === 'I have heard that it is done.').length, 1);
    const memory = await w.messages('&agent=ada');
    assert.equal(memory.filter(m => /^Delegation main\.1 \(bo\) is done: It is done\.$/.test(m.content)).length, 1);
    assert.equal((await delegations(w))[0].state, 'done');
});

test('a delegation that fails is told to the model as a failed call, and may be tried again', async () => {
    const desk = await Desk.open(server);
    const w = await fresh(server, ['ada', { name: 'bo', model: desk.model }]);
    const stream = await watch(w);
    await w.say('@ada have it fail');
    (await desk.next()).fail(400);
    await stream.event('delegation.failed');
    await w.idle();
    assert.match((await answers(w, 'ada'))[0], /^The delegate says: failed: .*out of order/);
    assert.equal((await delegations(w))[0].state, 'failed');
    const call = (await w.messages('&agent=ada')).find(m => m.role === 'tool');
    assert.equal(call.toolStatus, 'error');
    const again = await server.post(`${w.path}/delegations/main.1/retry`, { chatId: w.chat }, 202);
    assert.equal(again.state, 'running');
    (await desk.next()).answer('Now it is done.');
    await stream.event('delegation.completed');
    await w.idle();
    stream.close();
    assert.equal((await delegations(w))[0].state, 'done');
    const told = (await w.messages('&agent=ada')).filter(m => m.content === 'Delegation main.1 (bo) is done: Now it is done.');
    assert.equal(told.length, 1, 'the one who asked is told once');
});

test('a delegation that is cancelled ends for the one who waits, too', async () => {
    const w = await fresh(slow);
    const stream = await watch(w);
    await w.say('@ada have it held');
    await stream.event('delegation.started');
    await stream.words();
    const d = await slow.post(`${w.path}/delegations/main.1/cancel`, { chatId: w.chat }, 200);
    assert.equal(d.state, 'cancelled');
    await w.idle();
    stream.close();
    assert.match((await answers(w, 'ada'))[0], /^The delegate says: cancelled/);
});

// As by the API, so by the command.
for (const [how, cancel, words] of [
    ['a request', (w, id) => slow.ask('DELETE', `${w.path}/tasks/${id}`), w => slow.post(`${w.path}/delegations/main.1/cancel`, { chatId: w.chat }, 200)],
    ['a command', (w, id) => told(w, 'task', 'cancel', id), w => told(w, 'stop', 'main.1', '-c', w.chat)],
]) {
    test(`what a task has written until ${how} cancels it is kept, with what its model was sent`, async () => {
        const w = await fresh(slow), stream = await watch(w), task = await give(w, 'ada', 'hold this');
        await stream.words('long.');
        await cancel(w, task.id);
        const half = await stream.event('message.completed');
        stream.close();
        assert.deepEqual((await rows(w, 'ada')).map(m => m.content), ['hold this', 'I begin, and it will take long.']);
        assert.equal(half.body.data.finishReason, 'stopped');
        const [call] = await asked(w, 'ada', 'turn');
        assert.deepEqual([call.state, call.response, call.messageId], ['stopped', 'I begin, and it will take long.', half.body.data.messageId]);
    });

    test(`what a delegation has written until ${how} cancels it is kept`, async () => {
        const w = await fresh(slow), stream = await watch(w);
        await w.say('@ada have it held');
        await stream.words('long.');
        await words(w);
        await w.idle();
        stream.close();
        const lane = await slow.get(`${w.chatPath}/timeline?delegation=main.1`);
        assert.match(JSON.stringify(lane), /I begin, and it will take long\./);
        assert.equal((await delegations(w))[0].state, 'cancelled');
        assert.match((await answers(w, 'ada'))[0], /^The delegate says: cancelled/);
        const [call] = await asked(w, 'bo', 'turn');
        assert.deepEqual([call.state, call.response], ['stopped', 'I begin, and it will take long.']);
        assert.ok(JSON.stringify(lane).includes(call.messageId), call.messageId);
    });
}

// Who waits for a delegation is stopped with it.
for (const [how, stop] of [
    ['a request', async w => (await slow.post(`${w.path}/messages/stop`, { chatId: w.chat, agents: ['ada'] }, 200)).stopped],
    ['a command', async w => Number(/^Stopped (\d+) answers in .*\. What was written stays\.\n$/.exec(await told(w, 'stop', 'ada'))?.[1])],
])
    test(`what a delegation has written until ${how} stops the agent that waits for it is kept`, async () => {
        const w = await fresh(slow), stream = await watch(w);
        await w.say('@ada have it held');
        await stream.words('long.');
        assert.equal(await stop(w), 2, 'both are counted');
        await w.idle();
        stream.close();
        assert.equal((await delegations(w))[0].state, 'cancelled');
        const lane = (await slow.get(`${w.chatPath}/timeline?delegation=main.1`)).items;
        assert.deepEqual(lane.map(i => [i.content, i.stopped ?? false]), [['hold this', false], ['I begin, and it will take long.', true]]);
        const [call] = await asked(w, 'bo', 'turn');
        assert.deepEqual([call.state, call.response, call.messageId], ['stopped', 'I begin, and it will take long.', lane[1].messageId]);
    });

test('who writes beside an agent that is stopped goes on, and all of it is kept', async () => {
    const [one, two] = [await Desk.open(server), await Desk.open(server)];
    const w = await fresh(server, [{ name: 'ada', model: one.model }, { name: 'bo', model: two.model }]), stream = await watch(w);
    await w.say('hello, both');
    const [ada, bo] = [await one.next(), await two.next()];
    ada.begin('I begin.');
    bo.begin('Hello, ');
    for (const agent of ['ada', 'bo']) await stream.event('agent.state', e => e.agent === agent && e.state === 'writing');
    const { stopped } = await server.post(`${w.path}/messages/stop`, { chatId: w.chat, agents: ['ada'] }, 200);
    assert.equal(stopped, 1);
    bo.answer('human.');
    await w.idle();
    stream.close();
    assert.deepEqual([await answers(w, 'ada'), await answers(w, 'bo')], [['I begin.'], ['Hello, human.']]);
    const [call] = await asked(w, 'bo', 'turn');
    assert.deepEqual([call.state, /Hello, [^]*human\./.test(call.response)], ['answered', true], call.response);
});

test('delegations go only so deep: the model is told, and nothing breaks', async () => {
    const w = await fresh(server, ['ada'], { settings: { delegationDepth: 3 } });
    await w.say('go ever deeper');
    await w.idle();
    const list = await delegations(w);
    assert.deepEqual(list.map(d => [d.delegationId, d.state]).sort(), [['main.1', 'done'], ['main.1.1', 'done'], ['main.1.1.1', 'done']]);
    assert.match((await answers(w, 'ada'))[0], /delegations go 3 levels deep at most in this world/);
});

test('a delegation out of a background is in that background', async () => {
    const w = await fresh();
    assert.equal((await work(w, 'ada', 'have it done and wait')).result, 'The delegate says: It is done.');
    const chat = await own(w, 'ada');
    const list = (await server.get(`${w.path}/delegations?chatId=${chat.id}`)).data;
    assert.deepEqual(list.map(d => [d.delegationId, d.agent, d.state]), [['main.1', 'bo', 'done']]);
});

// --- Telling each other -----------------------------------------------------------------------------------------

const expected = async (w, agent) => (await w.server.get(`${w.path}/agents/${agent}/expected`)).data;

test('an answer that is expected is open, then answered', async () => {
    const desk = await Desk.open(server);
    const w = await fresh(server, ['ada', { name: 'bo', model: desk.model }]);
    const stream = await watch(w);
    await work(w, 'ada', 'ask bo about it');
    const question = await desk.next();
    const [open] = await expected(w, 'ada');
    assert.deepEqual([open.asker, open.asked, open.state, open.answerMessageId], ['ada', 'bo', 'open', null]);
    // What the model sees says who is speaking, and that an answer is expected.
    assert.match(question.last.content, /ada/);
    assert.match(question.last.content, /response expected|ResponseExpected/i);
    question.answer('It is fine.');
    await stream.event('task.finished', e => e.agent === 'ada' && e.source === 'answer');
    const [now] = await expected(w, 'ada');
    assert.equal(now.state, 'answered');
    const answer = (await rows(w, 'ada')).find(m => m.messageId === now.answerMessageId);
    assert.deepEqual([answer.sender, /It is fine\.$/.test(answer.content)], ['bo', true]);
    assert.deepEqual(await expected(w, 'bo'), await expected(w, 'ada'), 'both sides see it');
    stream.close();
});

test('a second answer to the same question is surplus', async () => {
    const desk = await Desk.open(server);
    const w = await fresh(server, ['ada', { name: 'bo', model: desk.model }]);
    const stream = await watch(w);
    await work(w, 'ada', 'ask bo about it');
    const question = await desk.next();
    const [{ messageId }] = await expected(w, 'ada');
    question.answer('', [{ id: 'call_1', name: 'tell_agent', args: { agent: 'ada', text: 'The first answer.', replyTo: messageId } },
        { id: 'call_2', name: 'tell_agent', args: { agent: 'ada', text: 'The second answer.', replyTo: messageId } }]);
    (await desk.next()).answer('Both are sent.');
    await stream.event('task.finished', e => e.agent === 'bo' && e.source === 'tell');
    await w.idle();
    stream.close();
    const states = (await expected(w, 'ada')).map(e => e.state).sort();
    assert.deepEqual(states, ['answered', 'surplus']);
    const answered = (await expected(w, 'ada')).find(e => e.state === 'answered');
    const theirs = await rows(w, 'ada');
    assert.equal(theirs.find(m => m.messageId === answered.answerMessageId).content, 'The first answer.');
    assert.equal(theirs.filter(m => m.sender === 'bo').length, 2, 'each was delivered once, and what was said at the end not again');
});

test('a question to an agent that goes is undeliverable; one to nobody is an error', async () => {
    const w = await fresh();
    await server.post(`${w.path}/agents/bo/pause`, undefined, 200);
    await work(w, 'ada', 'ask bo about it');
    assert.equal((await expected(w, 'ada'))[0].state, 'open');
    await server.ask('DELETE', `${w.path}/agents/bo`, undefined, 204);
    assert.equal((await expected(w, 'ada'))[0].state, 'undeliverable');
    assert.match((await work(w, 'ada', 'tell nobody')).result, /^Told: .*"nobody"/);
    assert.equal((await expected(w, 'ada')).length, 1, 'nothing half-written');
});

test('agents that tell each other for ever are stopped by the hop limit', async () => {
    const w = await fresh(server, ['ada', 'bo'], { turnLimit: 6 });
    await work(w, 'ada', 'talk in circles');
    await w.idle();
    const turns = (await asked(w, 'ada', 'turn')).length + (await asked(w, 'bo', 'turn')).length;
    assert.ok(turns >= 6 && turns <= 14, `${turns} questions to models`);
    const results = [...await rows(w, 'ada'), ...await rows(w, 'bo')].filter(m => m.role === 'tool' && m.toolStatus === 'error');
    assert.equal(results.length, 1);
    assert.match(results[0].content, /hop limit/);
});

test('what is told to somebody in a chat is heard by that one alone; the teller has its call', async () => {
    const w = await fresh(server, ['ada', 'bo', 'cy']);
    await w.say('@ada ask bo about it');
    await w.idle();
    const told = (await w.messages()).find(m => m.content === 'What about it?');
    assert.deepEqual(told.seenByAgents, ['bo']);
    assert.deepEqual(told.instructions[0], { type: 'Source.Agent', target: 'ada' });
    assert.equal((await w.messages()).find(m => m.sender === 'bo').content, 'It is fine.');
    assert.equal((await expected(w, 'ada'))[0].state, 'answered');
});

await finish();
