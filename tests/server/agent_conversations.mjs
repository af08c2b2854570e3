// agent_conversations.mjs: conversations of agents with people and with themselves, as a client sees them: what is stored
// in the foreground and in the background, what subordinates and leads tell each other, briefings. What is
// summarised is in compaction.mjs.
import { Desk, asked, inbox, own, owned, park, rows, talk, watch, work } from './desk.mjs';
import { Server, assert, eventually, finish, script, test } from './lib.mjs';

const file = script('agent_conversations', `
rules:
  - agent: skein
    when: worth remembering
    do: '{"type":"fact","content":"NVDA is at 142.50","confidence":0.9}'
  - agent: skein
    do: "Summary: the user asked for research on NVDA."
  - tool: demo_lookup
    do: NVIDIA is currently trading at 142.50.
  - tool: requestInput
    do: I wait for the answer.
  - tool: request_input
    do: I wait for the answer.
  - tool: reportToLead
    do: I have reported.
  - tool: report_to_lead
    do: I have reported.
  - tool: createInboxItem
    do: I have briefed the person.
  - tool: create_inbox_item
    do: I have briefed the person.
  - tool: delegateToAgent
    do: "{agent} has given the work away."
  - tool: delegate_to_agent
    do: "{agent} has given the work away."
  - when: is asking
    do: Take the London listing.
  - when: answers your question
    do: Now I know.
  - when: "reports:"
    do: I have read the report.
  - when: what is nvda price
    do:
      - say: Let me check the current price...
      - call: demo_lookup
        args: {query: NVDA stock price}
  - when: which listing
    do:
      - call: requestInput
        args: {question: Which listing do you mean?}
  - when: research nvda
    do:
      - call: reportToLead
        args: {result: NVDA has gained a tenth.}
  - when: have nvda researched
    do:
      - call: delegateToAgent
        args: {agentName: sub, task: please research NVDA}
  - when: have nvda priced
    do:
      - call: delegateToAgent
        args: {agentName: sub, task: What is NVDA price?}
  - when: have a stranger do it
    do:
      - call: delegate_to_agent
        args: {agent: other, task: please research NVDA}
  - when: brief me
    do:
      - call: createInboxItem
        args: {type: briefing, title: NVDA is up, summary: It gained a tenth., content: The full briefing. NVDA gained a tenth since Monday.}
  - when: brief badly
    do:
      - call: create_inbox_item
        args: {type: briefing, title: '', summary: s, content: c}
  - when: nonsense tool
    do:
      - call: no_such_tool
  - tool: no_such_tool
    do: There is none.
otherwise: "{agent} heard {sender}."
`);
const server = await Server.start({ script: file });
let names = 0;
const fresh = (agents = ['lead', { name: 'sub', lead: 'lead' }, 'other'], more) => server.world(`office-${++names}`, agents, more);
const shape = list => list.map(m => [m.role, m.sender, m.content]);

// --- Foreground -----------------------------------------------------------------------------------------

test('Foreground chat stores messages correctly', async () => {
    const w = await fresh();
    assert.deepEqual(await owned(w, 'lead', 'foreground'), [], 'it comes into being on first use');
    const first = await talk(w, 'lead', 'hello');
    const chat = await own(w, 'lead', 'foreground');
    assert.deepEqual([chat.mode, chat.agent, first.chatId], ['foreground', 'lead', chat.id]);
    const second = await talk(w, 'lead', 'hello again');
    assert.equal(second.chatId, chat.id, 'the same conversation');
    const all = await rows(w, 'lead', 'foreground');
    assert.deepEqual(shape(all), [['user', 'human', 'hello'], ['assistant', 'lead', 'lead heard human.'],
        ['user', 'human', 'hello again'], ['assistant', 'lead', 'lead heard human.']]);
    assert.deepEqual(all.map(m => m.previousMessageId), [null, ...all.slice(0, 3).map(m => m.messageId)], 'a linked list');
    assert.equal(all[1].replyToMessageId, first.messageId);
    assert.deepEqual(await owned(w, 'lead', 'background'), [], 'nothing was done in the background');
    assert.equal((await w.messages()).length, 0, 'the main lane heard nothing');
});

test('tools may be used in the foreground, and their results are stored there', async () => {
    const w = await fresh();
    await talk(w, 'lead', 'what is NVDA price?');
    assert.deepEqual((await rows(w, 'lead', 'foreground')).map(m => m.role), ['user', 'assistant', 'tool', 'assistant']);
});

test('a system prompt is never a message: it is made again for each question', async () => {
    const w = await fresh([{ name: 'lead', systemPrompt: 'You trade in stocks.' }]);
    await talk(w, 'lead', 'hello');
    await server.ask('PATCH', `${w.path}/agents/lead`, { systemPrompt: 'You trade in bonds.' });
    await talk(w, 'lead', 'hello again');
    const [newest, oldest] = await asked(w, 'lead', 'turn');
    assert.match(oldest.request.system, /^You trade in stocks\./);
    assert.match(newest.request.system, /^You trade in bonds\./);
    for (const call of [newest, oldest]) assert.ok(call.request.messages.every(m => m.role !== 'system' && !/You trade/.test(m.content)));
    assert.ok((await rows(w, 'lead', 'foreground')).every(m => ['user', 'assistant'].includes(m.role)));
});

// --- Background -----------------------------------------------------------------------------------------

test('Background work stores messages with tool results', async () => {
    const w = await fresh();
    const task = await work(w, 'lead', 'What is NVDA price?');
    assert.deepEqual([task.status, task.result], ['completed', 'NVIDIA is currently trading at 142.50.']);
    const all = await rows(w, 'lead');
    assert.deepEqual(all.map(m => m.role), ['user', 'assistant', 'tool', 'assistant']);
    const [request, call, result, answer] = all;
    assert.equal(request.content, 'What is NVDA price?');
    assert.equal(call.content, 'Let me check the current price...');
    assert.deepEqual(call.toolCalls.map(c => [c.toolName, c.args]), [['demo_lookup', { query: 'NVDA stock price' }]]);
    assert.deepEqual([result.toolCallId, result.toolStatus, result.toolCalls], [call.toolCalls[0].toolCallId, 'ok', []]);
    assert.ok(result.content.length > 0);
    assert.equal(result.replyToMessageId, call.messageId);
    assert.equal(answer.content, 'NVIDIA is currently trading at 142.50.');
    assert.deepEqual(all.map(m => m.previousMessageId), [null, ...all.slice(0, 3).map(m => m.messageId)]);
    assert.deepEqual(await owned(w, 'lead', 'foreground'), [], 'nobody was talked to');
    // What the model saw before its last answer: the request, its own call, the result.
    const [last] = await asked(w, 'lead', 'turn');
    assert.deepEqual(last.request.messages.map(m => m.role), ['user', 'assistant', 'tool']);
    assert.equal(last.request.messages[2].toolCallId, call.toolCalls[0].toolCallId);
});

test('all work sessions of an agent are in the same background conversation', async () => {
    const w = await fresh();
    await work(w, 'lead', 'the first');
    const { id } = await own(w, 'lead');
    await work(w, 'lead', 'the second');
    await server.post(`${w.path}/agents/lead/tell`, { text: 'the third' }, 202);
    await w.idle();
    const chat = await own(w, 'lead');
    assert.deepEqual([chat.id, chat.mode, chat.agent], [id, 'background', 'lead']);
    assert.deepEqual((await rows(w, 'lead')).filter(m => m.role === 'user').map(m => m.content), ['the first', 'the second', 'the third']);
    assert.deepEqual((await asked(w, 'lead', 'turn'))[0].request.messages.filter(m => m.role === 'user').length, 3, 'the model sees the earlier sessions');
});

test('there is one conversation for each agent and mode, whoever comes first', async () => {
    const w = await fresh();
    await Promise.all(Array.from({ length: 12 }, (_, i) => i % 2
        ? server.post(`${w.path}/messages`, { content: `talk ${i}`, agent: 'lead' }, 202)
        : server.post(`${w.path}/agents/lead/tasks`, { content: `task ${i}` })));
    await w.idle();
    for (const mode of ['foreground', 'background']) {
        const said = (await rows(w, 'lead', mode)).filter(m => m.role === 'user');
        assert.equal(said.length, 6, mode);
        assert.equal((await rows(w, 'lead', mode)).filter(m => m.role === 'assistant').length, 6, mode);
    }
    assert.equal((await server.get(`${w.path}/agents/lead/conversations`)).data.length, 2);
    assert.equal((await server.get(`${w.path}/agents/other/conversations`)).data.length, 0, 'the list makes none');
});

test('coordination belongs to the background; a foreground has the other tools', async () => {
    const w = await fresh();
    await talk(w, 'lead', 'hello');
    await work(w, 'lead', 'hello');
    await work(w, 'sub', 'hello');
    const [[back, fore], [sub]] = await Promise.all(['lead', 'sub'].map(a => asked(w, a, 'turn')));
    for (const name of ['create_inbox_item', 'delegate_to_agent', 'request_input', 'get_team_status', 'remember', 'recall', 'search_messages'])
        assert.ok(back.request.tools.includes(name), name);
    for (const name of ['create_inbox_item', 'request_input', 'report_to_lead']) assert.ok(!fore.request.tools.includes(name), name);
    for (const name of ['remember', 'recall', 'search_messages', 'read_context']) assert.ok(fore.request.tools.includes(name), name);
    assert.ok(!back.request.tools.includes('report_to_lead'), 'a lead has nobody to report to');
    for (const name of ['report_to_lead', 'request_input']) assert.ok(sub.request.tools.includes(name), name);
    assert.ok(!sub.request.tools.includes('delegate_to_agent'), 'and a subordinate nobody to give work to');
});

test('a call of a tool that there is not is answered, not a crash', async () => {
    const w = await fresh();
    assert.equal((await work(w, 'lead', 'use the nonsense tool')).result, 'There is none.');
    const result = (await rows(w, 'lead')).find(m => m.role === 'tool');
    assert.equal(result.toolStatus, 'error');
    assert.match(result.content, /no tool "no_such_tool"/);
});

test('an agent that is removed takes its conversations along', async () => {
    const w = await fresh();
    await talk(w, 'other', 'hello');
    await work(w, 'other', 'hello');
    const chats = [await own(w, 'other', 'foreground'), await own(w, 'other')];
    await server.ask('DELETE', `${w.path}/agents/other`, undefined, 204);
    const left = (await server.get(`${w.path}/chats?limit=500`)).data.map(c => c.id);
    for (const chat of chats) assert.ok(!left.includes(chat.id), chat.mode);
    await server.refused('GET', `${w.path}/agents/other/conversations`, 404, 'agent-not-found');
    await server.refused('POST', `${w.path}/messages`, 404, 'agent-not-found', { body: { content: 'are you there?', agent: 'other' } });
});

// --- Subordinates and leads -------------------------------------------------------------------------------

const told = (list, text) => list.findIndex(m => m.role === 'user' && m.content === text);

test("Subordinate communication appears in lead's background conversation", async () => {
    const w = await fresh();
    await work(w, 'sub', 'which listing?');
    await work(w, 'sub', 'research NVDA');
    await w.idle();
    const all = await rows(w, 'lead');
    const question = told(all, 'Subordinate sub is asking: Which listing do you mean?');
    const report = told(all, 'Subordinate sub reports: NVDA has gained a tenth.');
    assert.ok(question >= 0 && report >= 0, JSON.stringify(shape(all)));
    assert.deepEqual([all[question].sender, all[report].sender], ['sub', 'sub']);
    assert.ok(all.some(m => m.role === 'assistant' && m.content === 'Take the London listing.'));
    assert.deepEqual(await owned(w, 'lead', 'foreground'), [], 'all of it is in the background');
    assert.equal((await w.messages()).length, 0);
});

test('requestInput: the question goes to the lead, and its answer wakes the subordinate', async () => {
    const w = await fresh();
    const stream = await watch(w);
    await server.post(`${w.path}/agents/lead/pause`, undefined, 200);
    const task = await park(w, 'sub', 'which listing?');
    assert.deepEqual([task.status, task.label, task.waitsFor, task.question, task.result, task.running],
        ['pending', 'waiting', 'lead', 'Which listing do you mean?', null, false], 'it waits, with its question');
    const request = await stream.event('request.input');
    await server.post(`${w.path}/agents/lead/resume`, undefined, 200);
    await stream.event('task.finished', e => e.taskId === task.id);
    stream.close();
    const done = await server.get(`${w.path}/tasks/${task.id}`);
    assert.deepEqual([done.status, done.label, done.waitsFor, done.question, done.result], ['completed', 'completed', null, null, 'Now I know.'], 'its own result');
    assert.deepEqual((await server.get(`${w.path}/agents/sub/tasks`)).data.length, 1, 'the same task went on');
    const [last] = await asked(w, 'sub', 'turn');
    assert.match(last.request.messages.at(-1).content, /lead answers your question: Take the London listing\.$/);
    const mine = await rows(w, 'sub');
    const call = mine.find(m => m.toolCalls.length);
    assert.deepEqual(call.toolCalls.map(c => [c.toolName, c.args]), [['requestInput', { question: 'Which listing do you mean?' }]]);
    const result = mine.find(m => m.role === 'tool');
    assert.deepEqual([result.toolCallId, result.content], [call.toolCalls[0].toolCallId, 'Request sent to lead']);
    const answer = mine[told(mine, 'lead answers your question: Take the London listing.')];
    assert.equal(answer?.sender, 'lead', JSON.stringify(shape(mine)));
    assert.deepEqual(mine.at(-1).content, 'Now I know.');
    const theirs = await rows(w, 'lead');
    assert.deepEqual(shape(theirs), [['user', 'sub', 'Subordinate sub is asking: Which listing do you mean?'], ['assistant', 'lead', 'Take the London listing.']]);
    assert.equal(request.body.data.messageId, theirs[0].messageId);
    assert.ok(theirs[0].instructions.some(i => i.type === 'ResponseExpected' && i.target === 'sub'));
    const expected = (await server.get(`${w.path}/agents/sub/expected`)).data;
    assert.deepEqual(expected.map(e => [e.asker, e.asked, e.messageId, e.state]), [['sub', 'lead', theirs[0].messageId, 'answered']]);
});

test('requestInput of an agent without a lead asks the person', async () => {
    const w = await fresh();
    const task = await park(w, 'lead', 'which listing?');
    assert.equal((await rows(w, 'lead')).find(m => m.role === 'tool').content, 'Request sent to the person');
    const items = (await inbox(w)).data, [item] = items;
    assert.deepEqual([items.length, item.type, item.content, item.open], [1, 'question', 'Which listing do you mean?', true]);
    assert.deepEqual([task.label, task.waitsFor, task.question, task.inboxId], ['waiting', 'human', item.content, item.id]);
});

test('reportToLead: the report finishes the task in hand and wakes the lead', async () => {
    const w = await fresh();
    const stream = await watch(w);
    const task = await work(w, 'sub', 'research NVDA');
    assert.deepEqual([task.status, task.result], ['completed', 'NVDA has gained a tenth.']);
    const report = await stream.event('report.lead');
    await stream.event('task.finished', e => e.agent === 'lead' && e.source === 'report');
    stream.close();
    const mine = await rows(w, 'sub');
    const call = mine.find(m => m.toolCalls.length);
    assert.deepEqual(call.toolCalls.map(c => [c.toolName, c.args]), [['reportToLead', { result: 'NVDA has gained a tenth.' }]]);
    assert.deepEqual(mine.filter(m => m.role === 'tool').map(m => [m.toolCallId, m.content]), [[call.toolCalls[0].toolCallId, 'Report sent to lead']]);
    const theirs = await rows(w, 'lead');
    assert.deepEqual(shape(theirs), [['user', 'sub', 'Subordinate sub reports: NVDA has gained a tenth.'], ['assistant', 'lead', 'I have read the report.']]);
    assert.equal(report.body.data.messageId, theirs[0].messageId);
});

test('a subordinate that ends without a report is reported by the system', async () => {
    const w = await fresh();
    const stream = await watch(w);
    await work(w, 'lead', 'have NVDA priced');
    await stream.event('task.finished', e => e.agent === 'lead' && e.source === 'report');
    stream.close();
    const told = (await rows(w, 'lead')).filter(m => m.sender === 'system');
    assert.deepEqual(told.map(m => [m.role, m.content]), [['user', 'The system reports: sub has completed the task "What is NVDA price?". '
        + 'It sent no report. Its last words: NVIDIA is currently trading at 142.50.']]);
});

test('an agent without a lead that reports gets an error, and nothing is written', async () => {
    const w = await fresh();
    const task = await work(w, 'other', 'research NVDA');
    assert.equal(task.status, 'completed');
    const result = (await rows(w, 'other')).find(m => m.role === 'tool');
    assert.equal(result.toolStatus, 'error');
    assert.deepEqual(await owned(w, 'lead', 'background'), []);
});

test('delegateToAgent: a lead gives work to its subordinates, and to nobody else', async () => {
    const w = await fresh();
    const stream = await watch(w);
    await work(w, 'lead', 'have NVDA researched');
    const queued = await stream.event('task.queued', e => e.agent === 'sub');
    assert.deepEqual([queued.body.data.source, queued.body.data.assignedBy], ['delegation', 'lead']);
    await stream.event('task.finished', e => e.agent === 'lead' && e.source === 'report');
    // A report is sent in the middle of the work: which of the two tasks ends first is nobody's promise.
    await stream.event('task.finished', e => e.taskId === queued.body.data.taskId);
    const mine = await rows(w, 'sub');
    assert.deepEqual(shape(mine)[0], ['user', 'lead', 'please research NVDA']);
    const done = await server.get(`${w.path}/tasks/${queued.body.data.taskId}`);
    assert.deepEqual([done.status, done.assignedBy, done.result], ['completed', 'lead', 'NVDA has gained a tenth.']);
    await work(w, 'lead', 'have a stranger do it');
    stream.close();
    const refused = (await rows(w, 'lead')).filter(m => m.role === 'tool').at(-1);
    assert.equal(refused.toolStatus, 'error');
    assert.match(refused.content, /"other" is not a subordinate of "lead"/);
    assert.deepEqual((await server.get(`${w.path}/agents/other/tasks`)).data, []);
});

// --- Briefings ------------------------------------------------------------------------------------------

test('Briefings appear in foreground conversation + inbox', async () => {
    const w = await fresh();
    const stream = await watch(w);
    await work(w, 'lead', 'brief me');
    const created = await stream.event('inbox.created');
    stream.close();
    const back = await rows(w, 'lead');
    const call = back.find(m => m.toolCalls.length);
    assert.equal(call.toolCalls[0].toolName, 'createInboxItem');
    assert.deepEqual(back.filter(m => m.role === 'tool').map(m => [m.toolCallId, m.content]), [[call.toolCalls[0].toolCallId, 'Briefing sent']]);
    const fore = await rows(w, 'lead', 'foreground');
    assert.deepEqual(shape(fore), [['assistant', 'lead', 'The full briefing. NVDA gained a tenth since Monday.']]);
    const items = (await inbox(w)).data;
    assert.deepEqual(items.map(i => [i.type, i.title, i.content, i.agent]), [['briefing', 'NVDA is up', 'It gained a tenth.', 'lead']]);
    // Each knows where the others are.
    const [item] = items;
    assert.deepEqual([item.chatId, item.messageId, item.workChatId, item.workMessageId], [fore[0].chatId, fore[0].messageId, call.chatId, call.messageId]);
    assert.equal(created.body.data.inboxId ?? created.body.data.id, item.id);
    const briefing = await server.get(`/briefings/${item.briefingId}`);
    assert.deepEqual([briefing.title, briefing.summary, briefing.text, briefing.messageId, briefing.workMessageId],
        ['NVDA is up', 'It gained a tenth.', fore[0].content, fore[0].messageId, call.messageId]);
});

test("a person's task that ends without a briefing is told by the system, once", async () => {
    const w = await fresh();
    const task = await work(w, 'lead', 'What is NVDA price?');
    const items = (await inbox(w)).data;
    assert.deepEqual(items.map(i => [i.type, i.title, i.content, i.agent, i.taskId, i.briefingId]), [['finished', 'lead has finished a task: What is NVDA price?',
        'The system tells you this: there was no briefing. Its last words: NVIDIA is currently trading at 142.50.', 'lead', task.id, null]]);
    const back = await rows(w, 'lead');
    assert.deepEqual([items[0].messageId, items[0].workMessageId], [back.at(-1).messageId, back[0].messageId]);
});

test('a briefing is part of what is talked about in the foreground', async () => {
    const w = await fresh();
    await work(w, 'lead', 'brief me');
    await talk(w, 'lead', 'since when?');
    const [call] = await asked(w, 'lead', 'turn');
    assert.ok(call.request.messages.some(m => m.role === 'assistant' && m.content.includes('The full briefing.')));
    assert.equal(call.request.messages.at(-1).role, 'user');
    assert.deepEqual((await rows(w, 'lead', 'foreground')).map(m => m.role), ['assistant', 'user', 'assistant']);
});

test('a briefing that is refused leaves nothing behind, in any of the three places', async () => {
    const w = await fresh();
    await work(w, 'lead', 'brief badly');
    assert.equal((await rows(w, 'lead')).find(m => m.role === 'tool').toolStatus, 'error');
    assert.deepEqual(await owned(w, 'lead', 'foreground'), []);
    assert.deepEqual((await inbox(w)).data.map(i => i.type), ['finished'], 'only that it has ended');
});

// --- Knowledge --------------------------------------------------------------------------------------------

test('knowledge is taken from the background conversation, and nothing twice', async () => {
    const w = await fresh(undefined, { settings: { knowledge: true } });
    await talk(w, 'lead', 'what is NVDA price?');
    // It is taken beside the work: from two sessions at once, where the second is over before it was taken from the first.
    for (let i = 1; i <= 3; i++) {
        await work(w, 'lead', 'What is NVDA price?');
        await eventually(`what was learned of session ${i}`, async () => (await asked(w, 'lead', 'knowledge')).length >= i, 30000);
    }
    const calls = (await asked(w, 'lead', 'knowledge')).reverse();
    assert.equal(calls.length, 3);
    const read = calls.map(c => (c.request.messages[0].content.match(/What is NVDA price\?/g) ?? []).length);
    assert.deepEqual(read, [1, 1, 1], 'each session was read once, and the foreground never');
    const known = (await server.get(`${w.path}/agents/lead/knowledge`)).data;
    assert.deepEqual(known.map(k => [k.type, k.content, k.confidence]), [['fact', 'NVDA is at 142.50', 90]]);
    assert.equal((await own(w, 'lead')).id, known[0].chatId ?? (await own(w, 'lead')).id);
});

test('work that ends while knowledge is taken from the work before is read after it', async () => {
    const desk = await Desk.open(server, q => (/^You read the work of an agent/.test(q.system) ? undefined : 'Noted.'));
    const w = await fresh([{ name: 'ada', model: desk.model }], { settings: { knowledge: true } });
    for (const text of ['one', 'two']) await work(w, 'ada', text);
    const first = await desk.next();
    assert.match(first.last.content, /human: one[^]*human: two/);
    for (const text of ['three', 'four']) await work(w, 'ada', text);
    first.answer('{}');
    const second = await desk.next();
    assert.match(second.last.content, /human: three[^]*human: four/);
    assert.doesNotMatch(second.last.content, /human: one/, 'nothing twice');
    second.answer('{}');
});

await finish();
