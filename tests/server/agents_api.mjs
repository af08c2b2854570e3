// agents_api.mjs: agents that work by themselves, as a client sees them: tasks, telling, delegations, the
// inbox, what models were sent, squashes and summaries by models, providers.
import http from 'node:http';
import { ended, errands, park, watch, work } from './desk.mjs';
import { Server, assert, finally_, finish, run, script, test } from './lib.mjs';

const file = script('agents', `
seed: 3
pace: 4
rules:
  ${errands}
  - tool: delegate
    do: It is dug up.
  - tool: tell_agent
    do: I have told them.
  - when: brief the person
    do:
      - call: create_inbox_item
        args: {type: briefing, title: Freeze ends at noon, summary: Friday is fine., content: The freeze lasts until noon. Friday is fine.}
  - when: dig for long
    do:
      - call: delegate
        args: {agent: bo, task: please hold this, title: holding, wait: false}
  - when: have it dug
    do:
      - call: delegate
        args: {agent: bo, task: go deep, title: digging, wait: true}
  - when: go deep
    do: Bo went deep.
  - when: condense
    do: The short of it.
otherwise: "{agent} heard {sender}."
`);

const server = await Server.start({ script: file, args: [`--config=${script('config', 'secrets: { env: { HOME: [command] } }')}`] });
const slow = await Server.start({ script: file, delay: true }); // "hold" does hold

// A provider that answers everything with one sentence, and remembers what it was sent.
const key = 'sk-planted-key-0815-9f3a';
const asked = [];
const fake = http.createServer((req, res) => {
    let body = '';
    req.on('data', b => { body += b; });
    req.on('end', () => {
        if (req.method === 'GET') {
            res.setHeader('content-type', 'application/json');
            return res.end(JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model' }] }));
        }
        asked.push({ body, key: req.headers.authorization });
        res.setHeader('content-type', 'text/event-stream');
        const chunk = (delta, more = {}) => res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null, ...more }] })}\n\n`);
        chunk({ role: 'assistant', content: 'The fake ' });
        chunk({ content: 'has answered.' });
        chunk({}, { finish_reason: 'stop' });
        return res.end('data: [DONE]\n\n');
    });
});
await new Promise(resolve => fake.listen(0, '127.0.0.1', resolve));
finally_(() => new Promise(resolve => { fake.closeAllConnections?.(); fake.close(resolve); }));
const office = { name: 'office', type: 'openai', baseUrl: `http://127.0.0.1:${fake.address().port}/v1`, apiKey: key };
await server.post('/providers', office);

let names = 0;
const fresh = (s = server, agents = ['ada', 'bo'], more) => s.world(`agents${++names}`, agents, more);
const quiet = (w, content) => w.say(content, { instructions: [{ type: 'ReadOnly' }] });

const finished = (stream, id) => stream.event('task.finished', e => e.taskId === id);

// --- Tasks ----------------------------------------------------------------------------------------

test('a task is done in the background, and its result is kept', async () => {
    const w = await fresh();
    const stream = await watch(w);
    const made = await server.call('POST', `${w.path}/agents/ada/tasks`, { body: { content: 'read the policy' } });
    assert.equal(made.status, 201);
    assert.equal(made.headers.location, `${w.path}/tasks/${made.body.id}`);
    assert.deepEqual([made.body.agent, made.body.source, made.body.status, made.body.assignedBy], ['ada', 'user', 'pending', null]);
    await finished(stream, made.body.id);
    stream.close();
    const done = await server.get(made.headers.location);
    assert.deepEqual([done.status, done.running, done.lastError], ['completed', false, null]);
    assert.match(done.result, /^ada heard/);
    assert.ok(done.completedAt);
    const background = (await server.get(`${w.path}/agents/ada/conversations?mode=background`)).data[0];
    const said = (await server.get(`${w.path}/chats/${background.id}/messages`)).data;
    assert.ok(said.some(m => m.messageId === done.messageId && m.content.includes('read the policy')));
    assert.deepEqual((await server.get(`${w.path}/agents/ada/tasks?status=completed`)).data.map(t => t.id), [made.body.id]);
    assert.deepEqual((await server.get(`${w.path}/agents/ada/tasks?status=pending`)).data, []);
    await server.refused('GET', `${w.path}/agents/ada/tasks?status=nonsense`, 400, 'validation');
    await server.refused('POST', `${w.path}/agents/ada/tasks`, 400, 'validation', { body: { content: '  ' } });
    await server.refused('POST', `${w.path}/agents/nobody/tasks`, 404, 'agent-not-found', { body: { content: 'x' } });
    const other = await fresh();
    for (const method of ['GET', 'DELETE']) {
        await server.refused(method, `${w.path}/tasks/nothing`, 404, 'task-not-found');
        await server.refused(method, `${other.path}/tasks/${made.body.id}`, 404, 'task-not-found');
    }
});

test('a task that runs is cancelled and stopped', async () => {
    const w = await fresh(slow);
    const stream = await watch(w);
    const task = await slow.post(`${w.path}/agents/ada/tasks`, { content: 'hold' });
    await stream.event('task.started', e => e.taskId === task.id);
    const cancelled = await slow.ask('DELETE', `${w.path}/tasks/${task.id}`);
    assert.equal(cancelled.status, 'cancelled');
    await stream.event('task.finished', e => e.taskId === task.id && e.status === 'cancelled');
    stream.close();
    assert.equal((await slow.get(`${w.path}/tasks/${task.id}`)).running, false);
    await w.idle();
});

test('tasks are listed newest first, in pages', async () => {
    const w = await fresh();
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const ids = [];
    for (let i = 0; i < 5; i++) ids.unshift((await server.post(`${w.path}/agents/ada/tasks`, { content: `task ${i}` })).id);
    const one = await server.get(`${w.path}/agents/ada/tasks?limit=3`);
    const two = await server.get(`${w.path}/agents/ada/tasks?limit=3&cursor=${encodeURIComponent(one.page.next)}`);
    assert.deepEqual([...one.data, ...two.data].map(t => t.id), ids);
    assert.deepEqual([one.page.total, two.page.hasMore], [5, false]);
});

// --- Pausing, timers, telling ------------------------------------------------------------------------

test('an agent that is paused begins nothing until it is resumed', async () => {
    const w = await fresh();
    const paused = await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    assert.deepEqual([paused.paused, paused.state], [true, 'paused']);
    const task = await server.post(`${w.path}/agents/ada/tasks`, { content: 'later' });
    // Somebody else's work comes and goes meanwhile.
    assert.equal((await work(w, 'bo', 'now')).status, 'completed');
    assert.deepEqual([(await server.get(`${w.path}/tasks/${task.id}`)).status, (await server.get(`${w.path}/agents/ada`)).pendingTasks], ['pending', 1]);
    const stream = await watch(w);
    assert.equal((await server.post(`${w.path}/agents/ada/resume`, undefined, 200)).paused, false);
    await finished(stream, task.id);
    stream.close();
});

test('PATCH pauses an agent and sets its timer, and its ETag tells', async () => {
    const w = await fresh();
    const before = (await server.call('GET', `${w.path}/agents/ada`)).headers.etag;
    const timed = await server.ask('PATCH', `${w.path}/agents/ada`, { runEvery: '15m' });
    assert.equal(timed.runEvery, 15 * 60 * 1000);
    assert.ok(Date.parse(timed.nextRunAt) > Date.now());
    await server.refused('PATCH', `${w.path}/agents/ada`, 412, 'version-changed', { body: { paused: true }, headers: { 'if-match': before } });
    const both = await server.ask('PATCH', `${w.path}/agents/ada`, { paused: true, runEvery: 60000 });
    assert.deepEqual([both.paused, both.runEvery], [true, 60000]);
    const off = await server.ask('PATCH', `${w.path}/agents/ada`, { paused: false, runEvery: null });
    assert.deepEqual([off.paused, off.runEvery, off.nextRunAt], [false, 0, null]);
    for (const runEvery of ['soon', 12, -1, '10 years', true])
        await server.refused('PATCH', `${w.path}/agents/ada`, 400, 'validation', { body: { runEvery } });
    const made = await server.post(`${w.path}/agents`, { name: 'cy', model: 'demo/scripted', paused: true, runEvery: '1h' });
    assert.deepEqual([made.paused, made.runEvery], [true, 3600000]);
});

test('all tools and no tools are two things, and go round without harm', async () => {
    const w = await fresh(server, ['ada']);
    const at = `${w.path}/agents/ada`;
    for (const tools of [null, [], ['recall', 'files__*'], null]) {
        await server.ask('PATCH', at, { tools });
        assert.deepEqual((await server.get(at)).tools, tools);
        await server.ask('PATCH', at, { tools: (await server.get(at)).tools });
        assert.deepEqual((await server.get(at)).tools, tools);
    }
    assert.equal((await server.post(`${w.path}/agents`, { name: 'eve', tools: null }, 201)).tools, null);
    for (const [method, url, name] of [['PATCH', at], ['POST', `${w.path}/agents`, 'eva']]) {
        const refused = await server.refused(method, url, 400, 'validation', { body: { name, tools: ['recall', 'nosuch'] } });
        assert.equal(refused.body.errors[0].pointer, '/tools/1', refused.text);
    }
    assert.equal((await server.get(at)).tools, null, 'unchanged');
});

test('who leads nobody any more is named as nobody\'s lead', async () => {
    const w = await fresh(server, ['lead', 'ada']);
    await server.ask('PATCH', `${w.path}/agents/ada`, { lead: 'lead' });
    await server.ask('DELETE', `${w.path}/agents/lead?force=true`, undefined, 204);
    assert.equal((await server.get(`${w.path}/agents/ada`)).lead, null);
    await server.post(`${w.path}/agents`, { name: 'lead' }, 201);
    assert.equal((await server.get(`${w.path}/agents/ada`)).lead, null, 'another of its name does not lead it');
});

test('wake gives an agent without work something to do', async () => {
    const w = await fresh();
    const stream = await watch(w);
    await server.post(`${w.path}/agents/ada/wake`, undefined, 200);
    await stream.event('task.finished', e => e.agent === 'ada');
    stream.close();
    assert.equal((await server.get(`${w.path}/agents/ada/tasks`)).data.length, 1);
});

test('tell says something in the background and wakes the agent; an answer is expected', async () => {
    const w = await fresh();
    const stream = await watch(w);
    const told = await server.call('POST', `${w.path}/agents/ada/tell`, { body: { text: 'the date moved', from: 'bo', responseExpected: true } });
    assert.equal(told.status, 202);
    assert.match(told.body.content, /the date moved/);
    const background = (await server.get(`${w.path}/agents/ada/conversations?mode=background`)).data[0];
    assert.equal(told.body.chatId, background.id);
    assert.equal((await server.get(told.headers.location)).messageId, told.body.messageId);
    await stream.event('task.finished', e => e.agent === 'ada');
    stream.close();
    const expected = (await server.get(`${w.path}/agents/bo/expected`)).data;
    assert.deepEqual(expected.map(e => [e.asker, e.asked, e.messageId]), [['bo', 'ada', told.body.messageId]]);
    assert.deepEqual((await server.get(`${w.path}/agents/ada/expected`)).data, expected);
    await server.post(`${w.path}/agents/ada/tell`, { text: 'from a person', from: 'human' }, 202);
    await server.refused('POST', `${w.path}/agents/ada/tell`, 404, 'agent-not-found', { body: { text: 'x', from: 'nobody' } });
    await server.refused('POST', `${w.path}/agents/ada/tell`, 400, 'validation', { body: { text: '' } });
});

test('a message to an agent without a chat is said in its foreground', async () => {
    const w = await fresh();
    const said = await server.post(`${w.path}/messages`, { content: 'are you there?', agent: 'ada' }, 202);
    const [foreground] = (await server.get(`${w.path}/agents/ada/conversations?mode=foreground`)).data;
    assert.equal(said.chatId, foreground.id);
    await w.idle();
    const room = (await server.get(`${w.path}/chats/${foreground.id}/messages`)).data;
    assert.deepEqual(room.map(m => [m.sender, m.role]), [['human', 'user'], ['ada', 'assistant']]);
});

// --- Inbox --------------------------------------------------------------------------------------------

const inbox = (w, query = '') => w.server.get(`/inbox?world=${w.name}${query}`);

test('a briefing is in the inbox, in the foreground and at its own address', async () => {
    const w = await fresh();
    await work(w, 'ada', 'brief the person');
    const list = await inbox(w);
    assert.equal(list.data.length, 1);
    const [item] = list.data;
    assert.deepEqual([item.type, item.title, item.agent, item.world, item.readAt], ['briefing', 'Freeze ends at noon', 'ada', w.name, null]);
    assert.deepEqual([list.unread, list.needsYou], [1, 0]);
    const briefing = await server.get(`/briefings/${item.briefingId}`);
    assert.deepEqual([briefing.inboxId, briefing.text, briefing.messageId, briefing.workMessageId], [item.id, 'The freeze lasts until noon. Friday is fine.', item.messageId, item.workMessageId]);
    assert.equal((await server.get(`${w.path}/messages/${item.messageId}`)).chatId, item.chatId);
    assert.equal((await server.get(`${w.path}/messages/${item.workMessageId}`)).chatId, item.workChatId);
    // Counting what a removal takes counts it.
    assert.equal((await server.get(`${w.path}/messages/${item.messageId}/count?chatId=${item.chatId}`)).briefings, 1);
    // What is said to it is said in the foreground.
    const answered = await server.post(`/inbox/${item.id}/answer`, { text: 'thank you' }, 200);
    assert.deepEqual([answered.message.chatId, answered.message.replyToMessageId, answered.item.id], [item.chatId, item.messageId, item.id]);
    await w.idle();
});

test('a question waits for its answer, once; the agent goes on with it', async () => {
    const w = await fresh();
    const task = await park(w, 'ada', 'ask the person');
    const [item] = (await inbox(w)).data;
    assert.deepEqual([item.type, item.open, item.agent], ['question', true, 'ada']);
    assert.match(`${item.title} ${item.content}`, /Which time zone\?/);
    assert.deepEqual(await server.get(`/inbox/unread-count?world=${w.name}`), { unread: 1, needsYou: 1 });
    await server.refused('POST', `/inbox/${item.id}/answer`, 400, 'validation', { body: { decision: 'allow' } });
    await server.refused('POST', `/inbox/${item.id}/answer`, 400, 'validation', { body: { text: ' ' } });
    const stream = await watch(w);
    const answered = await server.post(`/inbox/${item.id}/answer`, { text: 'UTC' }, 200);
    assert.deepEqual([answered.item.open, answered.item.answer], [false, 'UTC']);
    assert.match(answered.message.content, /UTC/);
    await finished(stream, task.id);
    stream.close();
    assert.deepEqual((await server.get(`${w.path}/agents/ada/tasks`)).data.map(t => [t.id, t.status]), [[task.id, 'completed']]);
    await server.refused('POST', `/inbox/${item.id}/answer`, 409, 'conflict', { body: { text: 'CET' } });
    assert.deepEqual((await inbox(w, '&unread=true')).data.map(i => i.type), ['finished'], 'what came of it');
    assert.deepEqual(await server.get(`/inbox/unread-count?world=${w.name}`), { unread: 1, needsYou: 0 });
});

test('items are read, put off, done and removed', async () => {
    const w = await fresh();
    await work(w, 'ada', 'brief the person');
    await park(w, 'ada', 'ask the person');
    const [question, briefing] = (await inbox(w)).data;
    assert.deepEqual([question.type, briefing.type], ['question', 'briefing'], 'what needs you is first');
    const first = await inbox(w, '&limit=1');
    const second = await inbox(w, `&limit=1&cursor=${encodeURIComponent(first.page.next)}`);
    assert.deepEqual([first.data[0].id, second.data[0].id, second.page.next], [question.id, briefing.id, null]);
    assert.deepEqual((await inbox(w, '&type=briefing')).data.map(i => i.id), [briefing.id]);
    const patch = (id, body, status = 200) => server.ask('PATCH', `/inbox/${id}`, body, status);
    assert.ok((await patch(briefing.id, { read: true })).readAt);
    assert.deepEqual((await inbox(w, '&unread=true')).data.map(i => i.id), [question.id]);
    assert.equal((await patch(briefing.id, { read: false })).readAt, null);
    const until = new Date(Date.now() + 3600000).toISOString();
    assert.equal((await patch(briefing.id, { snoozedUntil: until })).snoozedUntil, until);
    assert.deepEqual((await inbox(w)).data.map(i => i.id), [question.id]);
    assert.deepEqual((await inbox(w, '&state=snoozed')).data.map(i => i.id), [briefing.id]);
    assert.equal((await patch(briefing.id, { snoozedUntil: null })).snoozedUntil, null);
    assert.ok((await patch(briefing.id, { done: true })).doneAt);
    assert.deepEqual((await inbox(w, '&state=done')).data.map(i => i.id), [briefing.id]);
    assert.deepEqual((await inbox(w, '&state=all')).data.length, 2);
    await server.refused('PATCH', `/inbox/${briefing.id}`, 400, 'validation', { body: { snoozedUntil: 'tomorrow' } });
    await server.refused('PATCH', `/inbox/${briefing.id}`, 400, 'validation', { body: { read: 'yes' } });
    await server.refused('GET', `/inbox?world=${w.name}&state=odd`, 400, 'validation');
    await server.refused('GET', `/inbox?world=${w.name}&type=odd`, 400, 'validation');
    await server.refused('GET', '/inbox?world=nowhere', 404, 'world-not-found');
    await server.refused('GET', '/inbox?cursor=bm8', 400, 'validation');
    const marked = await server.post('/inbox/mark-all-read', { world: w.name, type: 'question' }, 200);
    assert.deepEqual([marked.marked, marked.unread], [1, 0]);
    assert.equal((await server.post('/inbox/mark-all-read', { world: w.name }, 200)).unread, 0);
    await server.ask('DELETE', `/inbox/${question.id}`, undefined, 204);
    for (const [method, url, body] of [['GET', question.id], ['PATCH', question.id, { read: true }], ['DELETE', 'in_nothing'], ['POST', `${question.id}/answer`, { text: 'x' }]])
        await server.refused(method, `/inbox/${url}`, 404, 'inbox-not-found', { body });
    await server.refused('GET', '/briefings/nothing', 404, 'inbox-not-found');
});

test('a tool that asks first runs when it is allowed, and not when it is denied', async () => {
    const w = await fresh(server, ['ada'], { settings: { approvals: { demo_lookup: 'ask' } } });
    for (const [decision, answer] of [['allow', 'allowed'], ['deny', 'denied']]) {
        const stream = await watch(w);
        const from = stream.events.length;
        await w.say(`look up ${decision}`);
        await stream.event('inbox.created', e => e.type === 'approval', { from });
        const [item] = (await inbox(w, '&type=approval')).data;
        assert.deepEqual([item.tool, item.args, item.open], ['demo_lookup', { query: decision }, true]);
        await stream.event('agent.state', e => e.detail === 'demo_lookup, waits for you' && e.inboxId === item.id, { from });
        const waiting = await server.get(`${w.path}/agents/ada`);
        assert.deepEqual([waiting.state, waiting.detail], ['tool', 'demo_lookup, waits for you']);
        await server.refused('POST', `/inbox/${item.id}/answer`, 400, 'validation', { body: { text: 'yes' } });
        await server.refused('POST', `/inbox/${item.id}/answer`, 400, 'validation', { body: { decision: 'maybe' } });
        const asked = stream.events.length;
        const done = await server.post(`/inbox/${item.id}/answer`, { decision }, 200, { headers: { 'x-request-id': `decided-${decision}` } });
        const row = (await server.get('/audit')).data.find(a => a.requestId === `decided-${decision}`);
        assert.deepEqual([row.what, row.subject, row.detail], ['approval.answer', 'demo_lookup', `${answer}, ${item.id}`], 'the trail has the answer');
        assert.deepEqual([done.item.answer, done.item.open, done.message], [answer, false, null]);
        await server.refused('PATCH', `/inbox/${item.id}`, 409, 'conflict', { body: { done: false } });
        await stream.event('agent.state', e => e.state === 'tool' && e.detail === (decision === 'allow' ? 'demo_lookup' : 'demo_lookup, denied'), { from: asked });
        await w.idle();
        stream.close();
        const result = (await w.messages('&agent=ada')).filter(m => m.role === 'tool').at(-1);
        assert.equal(result.toolStatus === 'error', decision === 'deny', JSON.stringify(result));
    }
});

// --- Delegations ----------------------------------------------------------------------------------------

test('a delegation is listed and shown, in its chat alone', async () => {
    const w = await fresh();
    await w.say('@ada have it dug');
    await w.idle();
    const list = await server.get(`${w.path}/delegations?chatId=${w.chat}`);
    assert.deepEqual(list.data.map(d => [d.delegationId, d.threadPath, d.parent, d.agent, d.askedBy, d.title, d.state, d.waited]),
        [['main.1', 'main.1', 'main', 'bo', 'ada', 'digging', 'done', true]]);
    assert.deepEqual(await server.get(`${w.path}/delegations/main.1`), list.data[0]);
    const other = await server.post(`${w.path}/chats`, {});
    assert.deepEqual((await server.get(`${w.path}/delegations?chatId=${other.id}`)).data, []);
    await server.refused('GET', `${w.path}/delegations/main.1?chatId=${other.id}`, 404, 'delegation-not-found');
    for (const what of ['cancel', 'retry'])
        await server.refused('POST', `${w.path}/delegations/main.7/${what}?chatId=${w.chat}`, 404, 'delegation-not-found');
    await server.refused('POST', `${w.path}/delegations/main.1/retry?chatId=${w.chat}`, 409, 'conflict');
});

test('a delegation that runs is cancelled, and tried again', async () => {
    const w = await fresh(slow);
    const stream = await watch(w);
    await w.say('@ada dig for long');
    await stream.event('delegation.started');
    assert.equal((await slow.get(`${w.path}/delegations/main.1`)).state, 'running');
    const cancelled = await slow.post(`${w.path}/delegations/main.1/cancel`, { chatId: w.chat }, 200);
    assert.equal(cancelled.state, 'cancelled');
    await stream.event('delegation.cancelled');
    const again = await slow.post(`${w.path}/delegations/main.1/retry`, { chatId: w.chat }, 202);
    assert.equal(again.state, 'running');
    await slow.post(`${w.path}/delegations/main.1/cancel?chatId=${w.chat}`, undefined, 200);
    stream.close();
    await slow.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await w.idle();
});

// --- What models were sent, what agents know ---------------------------------------------------------------

test('what a model saw is kept for what it wrote, and for nothing else', async () => {
    const w = await fresh(server, [{ name: 'ada', model: 'office/m' }]);
    await w.say('@ada what did you see?');
    await w.idle();
    const said = await w.say('@ada what did you see?');
    await w.idle();
    const all = await w.messages();
    const answer = all.findLast(m => m.sender === 'ada');
    assert.equal(answer.content, 'The fake has answered.');
    const call = await server.get(`${w.path}/messages/${answer.messageId}/context`);
    assert.deepEqual([call.agent, call.messageId, call.chatId, call.purpose, call.model, call.state], ['ada', answer.messageId, w.chat, 'turn', 'office/m', 'answered']);
    // Equal texts are different messages: the call says which.
    assert.deepEqual(call.contextMessageIds, all.slice(0, 3).map(m => [m.messageId]));
    assert.deepEqual(call.request.messages.filter(m => m.role !== 'system').map(m => m.content.trim()), all.slice(0, 3).map(m => m.content));
    const sent = asked.findLast(a => a.body.includes('what did you see?'));
    assert.deepEqual([call.request, sent.key], [JSON.parse(sent.body), `Bearer ${key}`]);
    assert.match(call.response, /has answered/);
    assert.ok(!JSON.stringify(call).includes(key));
    assert.deepEqual(await server.get(`${w.path}/calls/${call.id}`), call);
    const { request, response, contextMessageIds, ...row } = call;
    assert.deepEqual((await server.get(`${w.path}/agents/ada/calls`)).data.slice(0, 1), [row]);
    const refused = await server.refused('GET', `${w.path}/messages/${said.messageId}/context`, 404, 'call-not-found');
    assert.match(refused.body.detail, /no model wrote/);
    await server.refused('GET', `${w.path}/calls/call_nothing`, 404, 'call-not-found');
    const other = await fresh();
    await server.refused('GET', `${other.path}/calls/${call.id}`, 404, 'call-not-found');
});

test('what an agent keeps in mind is listed and found by words', async () => {
    const w = await fresh();
    await work(w, 'ada', 'keep in mind');
    const list = await server.get(`${w.path}/agents/ada/knowledge`);
    assert.deepEqual(list.data.map(k => [k.type, k.content, k.confidence]), [['fact', 'The freeze ends at noon', 80]]);
    assert.equal((await server.get(`${w.path}/agents/ada/knowledge?q=NOON%20freeze`)).data.length, 1);
    assert.equal((await server.get(`${w.path}/agents/ada/knowledge?q=midnight`)).data.length, 0);
    assert.equal((await server.get(`${w.path}/agents/bo/knowledge`)).data.length, 0);
});

// --- Squashes and summaries by models -----------------------------------------------------------------------

async function three(s) {
    const w = await fresh(s, ['ada']);
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push((await quiet(w, text)).messageId);
    return [w, ids];
}

test('a squash with a prompt is a job; a dry run stores nothing', async () => {
    const [w, ids] = await three(server);
    const dry = await server.call('POST', `${w.chatPath}/squashes`, { body: { sourceMessageIds: ids.slice(0, 2), prompt: 'condense this', model: 'demo/scripted', dryRun: true } });
    assert.equal(dry.status, 202);
    assert.equal(dry.headers.location, `/jobs/${dry.body.id}`);
    const preview = await ended(server, dry.body);
    assert.deepEqual([preview.state, preview.kind, preview.progress, preview.result.dryRun, preview.result.content], ['done', 'squash', 1, true, 'The short of it.'], JSON.stringify(preview));
    assert.equal((await w.messages()).length, 3);
    const job = await ended(server, await server.post(`${w.chatPath}/squashes`, { sourceMessageIds: ids.slice(0, 2), prompt: 'condense this', model: 'demo/scripted' }, 202));
    assert.equal(job.state, 'done', JSON.stringify(job));
    const made = await server.get(`${w.path}/squashes/${job.result.squashOperationId}`);
    assert.deepEqual([made.content, made.prompt, made.model, made.performedByAgent, made.by, made.sourceMessageIds], ['The short of it.', 'condense this', 'demo/scripted', true, 'human', ids.slice(0, 2)]);
    assert.deepEqual((await w.messages()).map(m => m.content), ['The short of it.', 'three']);
    // Again: its sources have to be there.
    const at = `${w.path}/squashes/${made.squashOperationId}/rerun`;
    await server.refused('POST', at, 409, 'conflict', { body: {} });
    assert.equal((await ended(server, await server.post(at, { dryRun: true }, 202))).result.content, 'The short of it.');
    await w.travel('undo');
    const again = await ended(server, await server.post(at, { prompt: 'condense it more' }, 202));
    assert.deepEqual([again.state, again.result.prompt, again.result.sourceMessageIds], ['done', 'condense it more', ids.slice(0, 2)], JSON.stringify(again));
    assert.notEqual(again.result.squashOperationId, made.squashOperationId);
    // What a provider was asked for it is kept.
    await w.travel('undo');
    const real = await ended(server, await server.post(at, { model: 'office/m' }, 202));
    assert.deepEqual([real.state, real.result.content, real.result.model], ['done', 'The fake has answered.', 'office/m'], JSON.stringify(real));
    const call = await server.get(`${w.path}/calls/${real.result.callId}`);
    assert.deepEqual([call.purpose, call.model], ['squash', 'office/m']);
});

test('what belongs to the tool calls of chosen messages is squashed with them: it is counted, and the model reads it', async () => {
    const w = await fresh(server, ['ada']);
    const lines = [{ role: 'user', content: 'When?' },
        { role: 'assistant', sender: 'ada', content: 'Looking.', toolCalls: [{ toolCallId: 'c1', toolName: 'calendar', args: {} }] },
        { role: 'tool', toolCallId: 'c1', content: 'free after noon' }];
    const cli = (words, input) => run([...words, ...server.store.args, '-w', w.name, '-c', w.chat], { input });
    assert.equal((await cli(['append'], lines.map(m => JSON.stringify(m)).join('\n'))).code, 0);
    const [asks, looks, finds] = (await w.messages()).map(m => m.messageId);
    const size = /squash(ed)? 3 messages \(2 chosen, 1 belongs to their tool calls\) into/;
    for (const how of [['--by-hand', '-m', 'Friday'], ['-m', 'condense this']]) {
        for (const more of [['-n'], []]) assert.match((await cli(['squash', asks, looks, ...how, ...more])).out, size, [...how, ...more].join(' '));
        if (how[0] === '--by-hand') await w.travel('undo');
    }
    const [made] = (await server.get(`${w.chatPath}/squashes`)).data.filter(s => s.prompt);
    assert.deepEqual(made.sourceMessageIds, [asks, looks, finds]);
    assert.match(JSON.stringify((await server.get(`${w.path}/calls/${made.resultMessageId}`)).request), /free after noon/);
});

test('a squash without text and prompt, or of what is not there, asks no model', async () => {
    const [w, ids] = await three(server);
    const post = (body, status, word) => server.refused('POST', `${w.chatPath}/squashes`, status, word, { body });
    await post({ sourceMessageIds: ids }, 400, 'validation');
    await post({ sourceMessageIds: ids, prompt: ' ' }, 400, 'validation');
    await post({ sourceMessageIds: ids.slice(0, 1), prompt: 'condense' }, 400, 'validation');
    await post({ sourceMessageIds: [...ids, 'nosuchid00'], prompt: 'condense' }, 404, 'message-not-found');
    const hand = await server.post(`${w.chatPath}/squashes`, { sourceMessageIds: ids.slice(0, 2), content: 'by hand' });
    assert.deepEqual([hand.performedByAgent, hand.by], [false, 'human']);
    await post({ sourceMessageIds: ids.slice(0, 2), prompt: 'condense' }, 409, 'conflict');
    await server.refused('POST', `${w.path}/squashes/${hand.squashOperationId}/rerun`, 400, 'validation', { body: {} });
});

test('a squash says who asked for it, apart from who wrote it', async () => {
    const [w, ids] = await three(server);
    const content = 'of two';
    const made = await server.post(`${w.chatPath}/squashes`, { sourceMessageIds: ids.slice(0, 2), content, performedByAgent: 'ada', model: 'demo/scripted' });
    assert.deepEqual([made.by, made.performedByAgent, made.model], ['ada', true, 'demo/scripted']);
    assert.deepEqual(await server.get(`${w.path}/squashes/${made.squashOperationId}`).then(s => s.by), 'ada');
    assert.equal((await server.get(`${w.chatPath}/threads/${made.threadId}`)).by, 'ada');
    await w.travel('undo');
    const asked = await server.post(`${w.chatPath}/squashes`, { sourceMessageIds: ids.slice(0, 2), content, performedByAgent: 'ada', by: 'human' });
    assert.deepEqual([asked.by, asked.performedByAgent], ['human', true]);
});

test('a squash is refused while agents are at work, and its job is cancelled on demand', async () => {
    const [w, ids] = await three(slow);
    const stream = await watch(w);
    await w.say('@ada hold');
    await stream.words();
    await slow.refused('POST', `${w.chatPath}/squashes`, 423, 'world-busy', { body: { sourceMessageIds: ids, prompt: 'condense' } });
    stream.close();
    await slow.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await w.idle();
    const job = await slow.post(`${w.chatPath}/squashes`, { sourceMessageIds: ids, prompt: 'hold this back', model: 'demo/scripted' }, 202);
    assert.equal((await slow.get(`/jobs/${job.id}`)).state, 'running');
    await slow.ask('DELETE', `/jobs/${job.id}`);
    assert.equal((await ended(slow, job)).state, 'cancelled');
    assert.equal((await slow.get(`${w.chatPath}/squashes`)).data.length, 0);
});

test('a summary without text is written by a model, in a job', async () => {
    const [w, ids] = await three(server);
    const { covers } = await server.post(`${w.chatPath}/compactions`, { dryRun: true }, 200);
    assert.ok(covers >= 2 && covers <= ids.length);
    await server.refused('POST', `${w.chatPath}/compactions`, 400, 'validation', { body: { content: 'all', dryRun: true } });
    assert.equal((await server.get(`${w.chatPath}/compactions`)).data.length, 0);
    const job = await ended(server, await server.post(`${w.chatPath}/compactions`, { model: 'demo/scripted' }, 202));
    assert.deepEqual([job.state, job.kind, job.result?.role], ['done', 'compaction', 'summary'], JSON.stringify(job));
    const [summary] = (await server.get(`${w.chatPath}/compactions`)).data;
    assert.deepEqual([summary.messageId, summary.covers], [job.result.messageId, job.result.covers]);
    assert.ok(summary.covers >= 2 && summary.covers <= ids.length);
    await server.refused('POST', `${w.chatPath}/compactions`, 409, 'nothing-to-do', { body: {} });
    await server.refused('POST', `${w.chatPath}/compactions`, 400, 'validation', { body: { covers: 2 } });
});

// --- The trail -------------------------------------------------------------------------------------------------

test('changes of settings, providers and keys, removals and purges are rows of the trail, with who, from where and which request', async () => {
    const w = await fresh();
    const said = await w.say('planted-words');
    await w.idle();
    const asked = [];
    const as = async (what, method, url, body) => {
        const id = `audit-${asked.length}`;
        const r = await server.request(method, url, { body, headers: { 'x-request-id': id } });
        assert.ok(r.status < 300, `${what}: ${r.status} ${r.text}`);
        asked.push([what, id]);
    };
    const secret = 'sk-planted-audit-90210';
    await as('world.change', 'PATCH', w.path, { settings: { approvals: { remember: 'ask' }, mcpServers: { files: { command: ['true'], env: { PLACE: 'planted-place' } } } } });
    await as('provider.change', 'POST', '/providers', { name: 'audited', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', apiKey: secret });
    await as('setting.change', 'PATCH', '/settings', { 'defaults.model': 'demo/scripted' });
    await as('provider.change', 'DELETE', '/providers/audited');
    await as('message.remove', 'DELETE', `${w.path}/messages/${said.messageId}?chatId=${w.chat}`);
    await as('purge', 'POST', `${w.chatPath}/purge`, { messageIds: [said.messageId] });
    await as('agent.create', 'POST', `${w.path}/agents`, { name: 'di', systemPrompt: 'planted-prompt' });
    for (const body of [{ runEvery: '20m' }, { runEvery: null, paused: true }, { model: 'demo/scripted' }]) await as('agent.change', 'PATCH', `${w.path}/agents/di`, body);
    await as('agent.remove', 'DELETE', `${w.path}/agents/di`);
    await as('chat.remove', 'DELETE', `${w.chatPath}?force=true`);
    await as('chat.restore', 'POST', `${w.chatPath}/restore`);
    await as('world.remove', 'DELETE', `${w.path}?force=true`);
    await as('world.restore', 'POST', `${w.path}/restore`);
    await as('world.remove', 'DELETE', `${w.path}?force=true`);
    await server.request('PATCH', '/settings', { body: { 'defaults.model': null } });
    const { data, page } = await server.get('/audit?limit=500');
    for (const [what, requestId] of asked) {
        const row = data.find(a => a.requestId === requestId && a.what === what);
        assert.ok(row, `${what} ${requestId}: ${JSON.stringify(data.slice(0, 12))}`);
        assert.deepEqual([row.who, row.from], ['owner', '127.0.0.1']);
        assert.match(row.at, /^\d{4}-\d\d-\d\dT/);
    }
    const one = what => data.find(a => asked.some(([, id]) => id === a.requestId) && a.what === what);
    assert.equal(one('world.change').detail, 'approvals.remember, mcpServers.files');
    assert.deepEqual(['agent.create', 'agent.change'].map(what => [one(what).subject, one(what).detail]), [['di', `${w.name}: systemPrompt`], ['di', `${w.name}: model`]]);
    assert.deepEqual(data.filter(a => a.what === 'agent.change' && a.subject === 'di').map(a => a.detail.slice(w.name.length)), [': model', ': runEvery removed', ': paused', ': runEvery']);
    assert.deepEqual([one('key.set').subject, one('key.remove').subject], ['audited', 'audited']);
    const text = JSON.stringify(data);
    for (const hidden of [secret, 'planted-words', 'planted-place', 'planted-prompt']) assert.ok(!text.includes(hidden), hidden);
    // Page by page it is the same, and a row is a line of the log.
    const ids = data.map(a => a.id), seen = [];
    for (let next = '/audit?limit=3'; next && seen.length < 9;) {
        const part = await server.get(next);
        seen.push(...part.data.map(a => a.id));
        next = part.page.next && `/audit?limit=3&cursor=${encodeURIComponent(part.page.next)}`;
    }
    assert.deepEqual(seen, ids.slice(0, seen.length));
    assert.equal(page.next ?? null, null);
    await server.refused('GET', '/audit?cursor=x', 400, 'validation');
    assert.equal((await server.request('DELETE', '/audit')).status, 405);
    assert.match(server.log, /audit.*world\.remove/);
    const cli = await run([...server.store.args, 'audit', '-n', '500', '--json']);
    assert.deepEqual(JSON.parse(cli.out).map(a => a.id), ids);
});

// --- Settings of a world ---------------------------------------------------------------------------------------

test('settings of a world are merged, and secrets are not shown', async () => {
    const w = await fresh();
    const patch = settings => server.ask('PATCH', w.path, { settings });
    await patch({ delegationDepth: 3, approvals: { demo_lookup: 'ask', remember: 'never' } });
    const two = await patch({ delegationDepth: null, approvals: { remember: null }, knowledge: true });
    assert.deepEqual(two.settings, { approvals: { demo_lookup: 'ask' }, knowledge: true });
    const secret = 'sk-planted-4711';
    const three_ = await patch({ mcpServers: { files: { command: ['true'], env: { PLACE: secret, HOME: { env: 'HOME' } } } } });
    assert.ok(!JSON.stringify(three_).includes(secret));
    assert.equal(three_.settings.mcpServers.files.env.PLACE, '…');
    await patch(three_.settings); // what is shown may be sent back
    await server.refused('PATCH', w.path, 400, 'validation', { body: { settings: { mcpServers: { files: { command: ['true'], env: { TOKEN: secret } } } } } });
    await server.refused('PATCH', w.path, 400, 'validation', { body: { settings: { nonsense: 1 } } });
    await server.refused('PATCH', w.path, 400, 'validation', { body: { settings: [] } });
    assert.deepEqual((await server.ask('PATCH', w.path, { settings: null })).settings, {});
});

// --- Providers ----------------------------------------------------------------------------------------------------

test('a provider is made, shown without its key, changed and removed', async () => {
    const demo = (await server.get('/providers')).data.find(p => p.name === 'demo');
    assert.deepEqual([demo.type, demo.origin, demo.key, demo.editable], ['scripted', 'built-in', null, false]);
    const made = await server.call('POST', '/providers', { body: { ...office, name: 'annex' } });
    assert.deepEqual([made.status, made.headers.location, made.body.key.tail], [201, '/providers/annex', '…9f3a'], made.text);
    const all = [made.text];
    for (const url of ['/providers', '/providers/annex', '/settings']) all.push(JSON.stringify(await server.get(url)));
    const good = await server.post('/providers/annex/test', undefined, 200);
    assert.deepEqual([good.ok, good.state, good.models], [true, 'answered', 1], JSON.stringify(good));
    assert.deepEqual((await server.get('/providers/annex/models')).data.map(m => [m.name, m.model]), [['m', 'annex/m']]);
    assert.equal((await server.ask('PATCH', '/providers/annex', { baseUrl: `${office.baseUrl}/` })).key.tail, '…9f3a');
    // A key is for the address that it was given for.
    const changed = await server.ask('PATCH', '/providers/annex', { baseUrl: 'http://127.0.0.1:9/v2' });
    assert.deepEqual([changed.baseUrl, changed.key], ['http://127.0.0.1:9/v2', null]);
    const was = new RegExp(`was given for ${new URL(office.baseUrl).origin} and must be given again`);
    assert.match(changed.detail, was);
    const other = await server.ask('PATCH', '/providers/annex', { baseUrl: office.baseUrl.replace('http:', 'https:') });
    assert.deepEqual([other.key, other.state], [null, 'no-key']);
    assert.match(other.detail, was);
    await server.ask('PATCH', '/providers/annex', { baseUrl: 'http://127.0.0.1:9/v2' });
    assert.equal((await server.ask('PATCH', '/providers/annex', { apiKey: key })).key.tail, '…9f3a');
    const bad = await server.post('/providers/annex/test', undefined, 200);
    assert.deepEqual([bad.ok, bad.state], [false, 'unreachable']);
    all.push(JSON.stringify([good, changed, bad]));
    await server.post('/providers', { name: 'nowhere', type: 'openai', baseUrl: 'http://127.0.0.1:9/v1', apiKey: key });
    all.push((await server.refused('GET', '/providers/nowhere/models', 502, 'provider-error')).text);
    await server.ask('DELETE', '/providers/nowhere', undefined, 204);
    all.push((await server.refused('POST', '/providers', 409, 'conflict', { body: { name: 'annex', type: 'openai', apiKey: key } })).text);
    all.push((await server.refused('POST', '/providers', 400, 'validation', { body: { name: 'other', type: 'openai', apiKey: `${key} ` } })).text);
    assert.equal((await server.ask('PATCH', '/providers/annex', { apiKey: null })).key, null);
    await server.ask('DELETE', '/providers/annex', undefined, 204);
    for (const [method, url, body] of [['GET', ''], ['PATCH', '', { apiKey: 'x' }], ['DELETE', ''], ['POST', '/test'], ['GET', '/models']])
        await server.refused(method, `/providers/annex${url}`, 404, 'provider-not-found', { body });
    for (const body of [{ name: 'x' }, { name: 'x', type: 'odd' }, { name: 'no/slash', type: 'openai' }, { name: 'x', type: 'openai', baseUrl: 'ftp://a' },
        { name: 'x', type: 'openai', baseUrl: 'http://me:pw@host/v1' }, { name: 'x', type: 'openai', apiKey: 'a', apiKeyEnv: 'B' }])
        await server.refused('POST', '/providers', 400, 'validation', { body });
    for (const name of ['X-Auth-Token', 'X-Secret', 'Authorization', 'Cookie', 'Host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Mcp-Session-Id'])
        for (const [method, url, more] of [['POST', '', { name: 'x', type: 'openai' }], ['PATCH', '/office', {}]]) {
            const r = await server.refused(method, `/providers${url}`, 400, 'validation', { body: { ...more, headers: { [name]: 'planted' } } });
            assert.match(r.body.detail, /"headers" (must not carry a key|has one that skein sets itself)/);
        }
    await server.ask('PATCH', '/providers/office', { headers: { 'X-Team': 'planted-team' } });
    const shown = await server.get('/settings');
    assert.deepEqual(shown.preferences.providers.office.headers, { 'X-Team': '…' });
    await server.ask('PATCH', '/providers/office', { headers: null });
    for (const text of [...all, server.log]) assert.ok(!text.includes(key), text);
});

test('what there is on this computer is found, and keys are named by their end', async () => {
    const found = await server.post('/providers/detect', undefined, 200);
    for (const f of found.data) assert.ok(f.local || f.key, JSON.stringify(f));
});

test('a server that only reads asks no models, and says so', async () => {
    const other = await Server.start({ store: server.store, args: ['--read-only'] });
    const r = await other.refused('GET', '/providers', 503, 'no-models');
    assert.match(r.body.detail, /asks no models/);
    await other.stop();
});

await finish();
