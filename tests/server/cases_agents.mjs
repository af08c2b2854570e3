// cases_agents.mjs: the cases that a simpler program gets wrong and that need agents at work, each with the
// outcome that is required. Most use a model that answers when the test says so.
import { Desk, asked, context, ended, own, owned, rows, talk, watch, work } from './desk.mjs';
import { Server, assert, finish, run, test } from './lib.mjs';

const server = await Server.start();
let names = 0;
// A world whose agents all use the desk's model.
async function office(desk, agents, more) {
    const named = agents.map(a => ({ model: desk.model, ...(typeof a === 'string' ? { name: a } : a) }));
    return server.world(`cases${++names}`, named, more);
}
const summaries = list => list.filter(m => m.role === 'summary');
// Answers all but summaries.
const plain = q => (q.summary ? undefined : 'Noted.');
const at = async (w, agent, what) => `${w.path}/chats/${(await own(w, agent)).id}/${what}`;
const tell = (w, agent, text, from = 'bo') => server.post(`${w.path}/agents/${agent}/tell`, { text, from }, 202);

// --- Summaries ----------------------------------------------------------------------------------------

test('append during compaction', async () => {
    const desk = await Desk.open(server, plain);
    const w = await office(desk, ['ada', 'bo'], { compactAt: 4 });
    const stream = await watch(w);
    for (const text of ['one', 'two']) await work(w, 'ada', text);
    const question = await desk.next();
    assert.ok(question.summary);
    const report = await tell(w, 'ada', 'the late report');
    await stream.event('task.finished', e => e.agent === 'ada' && e.source === 'tell');
    question.answer('One and two were noted.');
    const made = (await stream.event('summary.created')).body.data;
    stream.close();
    assert.equal(made.covers, 4, 'what came later is not claimed');
    const now = await context(w, 'ada');
    assert.deepEqual([now.summaryMessageId, now.coveredLength], [made.messageId, 4]);
    assert.ok(now.messages.some(m => m.messageIds.includes(report.messageId) && m.content.includes('the late report')));
    assert.ok(!JSON.stringify(question.messages).includes('late report'));
    const all = await rows(w, 'ada');
    assert.ok(all.findIndex(m => m.messageId === report.messageId) < all.findIndex(m => m.role === 'summary'), 'it stands before the summary');
    // And the next turn's model sees it.
    await work(w, 'ada', 'what did you hear?');
    assert.match(JSON.stringify((await asked(w, 'ada', 'turn'))[0].request.messages), /One and two were noted.*the late report/s);
});

test('slow writer', async () => {
    const desk = await Desk.open(server);
    const w = await office(desk, ['ada', 'bo']);
    const first = work(w, 'ada', 'begin');
    (await desk.next()).answer('Begun.');
    await first;
    // A turn that began before the summary and ends after it.
    const slow = work(w, 'ada', 'slow work');
    const question = await desk.next();
    const made = await server.post(await at(w, 'ada', 'compactions'), { content: 'It was begun.' });
    question.answer('The slow answer.');
    await slow;
    const now = await context(w, 'ada');
    assert.equal(now.summaryMessageId, made.messageId);
    assert.ok(now.messages.some(m => m.content.includes('The slow answer.')));
    // Many who write while summaries are made: each message is covered, or in the context.
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const compactions = await at(w, 'ada', 'compactions');
    await Promise.all(Array.from({ length: 40 }, async (_, i) => {
        if (i % 8) await tell(w, 'ada', `message ${i}`);
        else assert.ok([201, 409].includes((await server.call('POST', compactions, { body: { content: `summary ${i}` } })).status));
    }));
    const all = await rows(w, 'ada');
    const end = await context(w, 'ada');
    const seen = new Set(end.messages.flatMap(m => m.messageIds));
    for (const [i, m] of all.entries())
        if (m.role !== 'summary' && i >= end.coveredLength) assert.ok(seen.has(m.messageId), `${m.content} is lost`);
    assert.equal(all.filter(m => /^message \d+$/.test(m.content)).length, 35);
});

test('compaction in the middle of a tool exchange', async () => {
    const desk = await Desk.open(server);
    const w = await office(desk, ['ada', 'bo']);
    const early = work(w, 'ada', 'early work');
    (await desk.next()).answer('Early answer.');
    await early;
    const stream = await watch(w);
    const task = work(w, 'ada', 'do two things at once');
    (await desk.next()).answer('Both at once.', [{ id: 'call_a', name: 'demo_lookup', args: { query: 'tides' } },
        { id: 'call_b', name: 'delegate', args: { agent: 'bo', task: 'the second thing', wait: true } }]);
    const second = await desk.next(); // bo, who is at it: one of two results is there
    const open = await rows(w, 'ada');
    assert.deepEqual(open.map(m => m.role), ['user', 'assistant', 'user', 'assistant', 'tool']);
    const made = await server.post(await at(w, 'ada', 'compactions'), { content: 'Early work was done.' });
    assert.ok(made.covers <= 3, `it covers ${made.covers}`);
    const again = await server.call('POST', await at(w, 'ada', 'compactions'), { body: { content: 'And once more.' } });
    assert.deepEqual([again.status, again.body.type], [409, '/problems/nothing-to-do'], again.text);
    const now = await context(w, 'ada');
    const call = now.messages.find(m => m.toolCalls.length);
    assert.deepEqual(call.toolCalls.map(c => c.toolCallId), ['call_a', 'call_b'], 'the exchange is whole');
    second.answer('The second is done.');
    (await desk.next()).answer('Both are done.');
    assert.equal((await task).result, 'Both are done.');
    stream.close();
    const last = (await asked(w, 'ada', 'turn'))[0].request;
    const results = last.messages.filter(m => m.role === 'tool').map(m => m.tool_call_id);
    assert.deepEqual(results, ['call_a', 'call_b'], 'each call has its result');
    const closed = await server.post(await at(w, 'ada', 'compactions'), { content: 'All was done.' });
    assert.ok(closed.covers >= open.length + 1);
});

test('two compactions race, or compaction races an edit', async () => {
    const desk = await Desk.open(server, plain);
    const w = await office(desk, ['ada'], { compactAt: 1000 });
    for (const text of ['one', 'two']) await work(w, 'ada', text);
    const compactions = await at(w, 'ada', 'compactions');
    const lost = await server.post(compactions, { model: desk.model }, 202);
    const question = await desk.next();
    const won = await server.post(compactions, { content: 'This one wins.', covers: 2 }); // less than the other would
    question.answer('This one loses.');
    const over = await ended(server, lost);
    assert.equal(over.state, 'failed', JSON.stringify(over));
    assert.deepEqual(summaries(await rows(w, 'ada')).map(m => m.content), ['This one wins.']);
    assert.equal((await context(w, 'ada')).summaryMessageId, won.messageId);
    // An edit of what is being summarised.
    for (const text of ['three', 'four']) await work(w, 'ada', text);
    const late = await server.post(compactions, { model: desk.model }, 202);
    const second = await desk.next();
    const target = (await rows(w, 'ada')).find(m => m.content === 'three');
    await server.post(await at(w, 'ada', 'operations'), { op: 'amend', messageId: target.messageId, content: 'three, but otherwise' });
    second.answer('Three was said.');
    assert.equal((await ended(server, late)).state, 'failed');
    const threads = (await server.get(await at(w, 'ada', 'threads'))).data;
    for (const t of threads) {
        const said = (await server.get(`${await at(w, 'ada', 'threads')}/${t.threadId}/messages?limit=500`)).data;
        assert.ok(!said.some(m => ['This one loses.', 'Three was said.'].includes(m.content)), t.threadId);
    }
});

test('limit 1, or a context consisting only of a summary', async () => {
    await server.refused('POST', '/worlds', 400, 'validation', { body: { name: 'limit1', compactAt: 1 } });
    let asks = 0;
    const desk = await Desk.open(server, q => (q.summary ? `Summary ${++asks}.` : 'Noted.'));
    const w = await office(desk, ['ada', 'bo'], { compactAt: 2 });
    await server.refused('PATCH', w.path, 400, 'validation', { body: { compactAt: 1 } });
    for (let i = 0; i < 4; i++) await work(w, 'ada', `task ${i}`);
    const stream = await watch(w);
    await stream.event('summary.created');
    stream.close();
    for (let i = 0; i < 3; i++) await work(w, 'bo', `time passes ${i}`);
    const count = summaries(await rows(w, 'ada')).length;
    assert.ok(count >= 1 && count <= 4, `${count} summaries of four turns`);
    assert.ok(asks <= 4 + 3, `asked ${asks} times`);
    const compactions = await at(w, 'ada', 'compactions');
    const whole = await server.call('POST', compactions, { body: { content: 'Everything so far.' } });
    assert.ok([201, 409].includes(whole.status), whole.text); // 409: its own summary was there first
    const now = await context(w, 'ada');
    assert.deepEqual(now.messages.filter(m => !m.synthetic).flatMap(m => m.messageIds), [now.summaryMessageId], 'only a summary');
    for (const body of [{ content: 'Again.' }, { model: desk.model }]) await server.refused('POST', compactions, 409, 'nothing-to-do', { body });
    assert.ok(asks <= 4 + 3, 'no model was asked for it');
});

test('summariser fails or returns blank', async () => {
    const desk = await Desk.open(server, plain);
    const w = await office(desk, ['ada'], { compactAt: 4 });
    await work(w, 'ada', 'one');
    const task = await work(w, 'ada', 'two');
    (await desk.next()).fail(400);
    assert.deepEqual([task.status, task.result], ['completed', 'Noted.']);
    const before = await context(w, 'ada');
    const compactions = await at(w, 'ada', 'compactions');
    for (const words of [' ', '  \n\t ']) { // one without a byte would be asked for again
        const job = await server.post(compactions, { model: desk.model }, 202);
        (await desk.next()).answer(words);
        assert.equal((await ended(server, job)).state, 'failed');
    }
    assert.deepEqual(await context(w, 'ada'), before, 'nothing was written');
    assert.equal((await rows(w, 'ada')).length, 4);
    // The agent goes on with its whole memory, and a later try succeeds.
    await work(w, 'ada', 'three');
    assert.equal((await asked(w, 'ada', 'turn'))[0].request.messages.filter(m => m.role === 'user').length, 3);
    const job = await server.post(compactions, { model: desk.model }, 202);
    (await desk.next()).answer('Three were noted.');
    assert.deepEqual([(await ended(server, job)).state, (await context(w, 'ada')).coveredLength], ['done', 6]);
});

// --- Changes while models write --------------------------------------------------------------------------

test('squash of messages of which one was edited or removed meanwhile', async () => {
    const desk = await Desk.open(server);
    for (const op of ['amend', 'delete']) {
        const w = await office(desk, ['ada']);
        const ids = [];
        for (const text of ['one', 'two', 'three', 'four']) ids.push((await w.say(text, { instructions: [{ type: 'ReadOnly' }] })).messageId);
        const job = await server.post(`${w.chatPath}/squashes`, { sourceMessageIds: [ids[0], ids[2]], prompt: 'condense', model: desk.model }, 202);
        const question = await desk.next();
        await server.post(`${w.chatPath}/operations`, op === 'amend' ? { op, messageId: ids[2], content: 'three, but otherwise' } : { op, messageIds: [ids[2]] });
        const before = await server.get(`${w.chatPath}/currentThread`);
        question.answer('One and three.');
        const over = await ended(server, job);
        assert.deepEqual([over.state, over.error?.type], ['failed', '/problems/conflict'], JSON.stringify(over));
        assert.deepEqual(await server.get(`${w.chatPath}/currentThread`), before, 'the thread is untouched');
        assert.deepEqual((await w.messages()).map(m => m.content), op === 'amend' ? ['one', 'two', 'three, but otherwise', 'four'] : ['one', 'two', 'four']);
        assert.deepEqual((await server.get(`${w.chatPath}/squashes`)).data, []);
    }
});

test('edit while an agent is answering', async () => {
    const desk = await Desk.open(server);
    const w = await office(desk, ['ada']);
    const said = await w.say('@ada the first question');
    const first = await desk.next();
    first.begin('The old answer begins');
    await server.refused('PUT', `${w.path}/messages/${said.messageId}`, 423, 'world-busy', { body: { chatId: w.chat, newContent: '@ada the second question' } });
    const edit = await server.ask('PUT', `${w.path}/messages/${said.messageId}`, { chatId: w.chat, newContent: '@ada the second question', force: true });
    const second = await desk.next();
    assert.match(second.last.content, /the second question/);
    first.answer(' and ends.'); // too late, whether or not somebody listens
    second.answer('The new answer.');
    await w.idle();
    assert.deepEqual((await w.messages()).map(m => m.content), ['@ada the second question', 'The new answer.']);
    assert.equal((await w.messages())[1].replyToMessageId, edit.newMessageId);
    for (const t of (await server.get(`${w.chatPath}/threads`)).data) {
        const list = (await server.get(`${w.chatPath}/threads/${t.threadId}/messages`)).data;
        assert.ok(!list.some(m => m.content.includes('and ends.')), t.threadId);
    }
});

// --- Crashes -----------------------------------------------------------------------------------------------

test('crash in the middle of a turn', async () => {
    const mortal = await Server.start({ env: { SKEIN_LIMITS_BUSY_TIMEOUT: '1s' } }); // how long a turn is held for it
    const desk = await Desk.open(mortal);
    const w = await mortal.world('mortal', [{ name: 'ada', model: desk.model }]);
    const stream = await watch(w);
    const task = await mortal.post(`${w.path}/agents/ada/tasks`, { content: 'keep this in mind' });
    const said = await w.say('@ada what a day'); // and a turn in the chat
    const questions = [await desk.next(), await desk.next()];
    const own_ = questions.find(q => /keep this in mind/.test(q.last.content));
    own_.answer('I will.', [{ id: 'call_1', name: 'remember', args: { type: 'fact', content: 'It happened once.', confidence: 0.9 } }]);
    await desk.next(); // the call has run, its result is stored, and the model is asked what follows
    stream.close();
    await mortal.kill();
    await mortal.start();
    const again = await desk.next();
    assert.ok(again.messages.some(m => m.role === 'tool' && m.tool_call_id === 'call_1'), 'it sees what it has done already');
    again.answer('It is kept.');
    const after = await watch(w);
    await after.event('task.finished', e => e.taskId === task.id);
    after.close();
    const done = await mortal.get(`${w.path}/tasks/${task.id}`);
    assert.deepEqual([done.status, done.result, done.attempts], ['completed', 'It is kept.', 1]);
    const background = await rows(w, 'ada');
    assert.equal(background.filter(m => m.content === 'keep this in mind').length, 1, 'it was told once');
    assert.equal(background.filter(m => m.role === 'tool').length, 1);
    assert.equal((await mortal.get(`${w.path}/agents/ada/knowledge`)).data.length, 1, 'and done once');
    // The chat: what the person said is there, its turn is over, nobody is at work.
    await w.idle();
    const room = await w.messages();
    assert.deepEqual([room[0].messageId, room[0].content], [said.messageId, '@ada what a day']);
    const [{ failedAt, ...told }] = room[0].delivery;
    assert.deepEqual(told, { agent: 'ada', state: 'failed', error: 'the server that spoke for the agent went away in the middle of it' });
    assert.ok(Date.parse(failedAt) >= Date.parse(room[0].createdAt));
    assert.equal(room[0].delivery.length, 1);
    await mortal.stop();
    const fsck = await run(['fsck', ...mortal.store.args]);
    assert.equal(fsck.code, 0, fsck.out + fsck.err);
}, 60000);

// --- Timelines -----------------------------------------------------------------------------------------------

const tools = timeline => timeline.items.filter(i => i.kind === 'tool_execution');

test('call id reused later, and a result that arrives after a cached timeline was built', async () => {
    const desk = await Desk.open(server);
    const w = await office(desk, ['ada'], { settings: { approvals: { demo_lookup: 'ask' } } });
    const timeline = () => server.get(`${w.chatPath}/timeline`);
    for (const word of ['first', 'second']) {
        const stream = w.events();
        await stream.event('stream.open');
        await w.say(`@ada the ${word} time`);
        (await desk.next()).answer('', [{ id: 'call_1', name: 'demo_lookup', args: { query: word } }]);
        const item = (await stream.event('inbox.created')).body.data;
        const open = tools(await timeline());
        assert.deepEqual([open.at(-1).call.callId, open.at(-1).result], ['call_1', null], 'cached without its result');
        await server.post(`/inbox/${item.id ?? item.inboxId}/answer`, { decision: 'allow' }, 200);
        (await desk.next()).answer(`Done the ${word} time.`);
        await w.idle();
        stream.close();
        const now = tools(await timeline());
        assert.equal(now.length, open.length, 'no new item');
        assert.equal(now.at(-1).id, open.at(-1).id);
        assert.match(JSON.stringify(now.at(-1).result), new RegExp(word));
    }
    const both = tools(await timeline());
    assert.deepEqual(both.map(i => [i.call.input.query, i.duplicates ?? []]), [['first', []], ['second', []]]);
    assert.match(JSON.stringify(both[0].result), /first/);
    // The model, too, gets each result with its own call.
    const { messages } = (await asked(w, 'ada', 'turn'))[0].request;
    assert.deepEqual(messages.filter(m => m.role === 'tool').map(m => /first|second/.exec(m.content)[0]), ['first', 'second']);
});

test('delegation inside delegation, two at once, without an answer, with its call truncated away', async () => {
    const desk = await Desk.open(server);
    const w = await office(desk, ['ada', 'bo', 'cy'], { settings: { delegationDepth: 100 } });
    const timeline = () => server.get(`${w.chatPath}/timeline`);
    const said = await w.say('@ada have two things done');
    (await desk.next()).answer('', [{ id: 'call_1', name: 'delegate', args: { agent: 'bo', task: 'thing one', wait: true } },
        { id: 'call_2', name: 'delegate', args: { agent: 'cy', task: 'thing two', wait: true } }]);
    const questions = [await desk.next(), await desk.next()];
    const one = questions.find(q => /thing one/.test(q.last.content)), two = questions.find(q => /thing two/.test(q.last.content));
    one.answer('', [{ id: 'call_1', name: 'delegate', args: { agent: 'cy', task: 'deeper', wait: true } }]);
    const deeper = await desk.next();
    assert.match(deeper.last.content, /deeper/);
    const open = await timeline();
    assert.deepEqual(tools(open).map(i => [i.call.callId, i.delegation]), [['call_1', 'main.1'], ['call_2', 'main.2']], 'each its own');
    const list = (await server.get(`${w.path}/delegations?chatId=${w.chat}`)).data;
    assert.deepEqual(list.map(d => [d.delegationId, d.parent, d.agent, d.spawnCallId, d.state]).sort(),
        [['main.1', 'main', 'bo', 'call_1', 'running'], ['main.1.1', 'main.1', 'cy', 'call_1', 'running'], ['main.2', 'main', 'cy', 'call_2', 'running']]);
    const nested = await server.get(`${w.chatPath}/timeline?delegation=main.1`);
    assert.deepEqual(tools(nested).map(i => i.delegation), ['main.1.1']);
    const silent = await server.get(`${w.chatPath}/timeline?delegation=main.2`);
    assert.deepEqual(silent.items.map(i => i.kind), ['user_message'], 'nothing was said there yet');
    // The call goes; the lanes stay, under no other call.
    await server.ask('DELETE', `${w.path}/messages/${said.messageId}`, { chatId: w.chat, force: true });
    for (const q of [two, deeper]) q.answer('Too late.');
    const next = await w.say('@ada look something up');
    (await desk.next()).answer('', [{ id: 'call_1', name: 'demo_lookup', args: { query: 'x' } }]);
    (await desk.next()).answer('Found.');
    await w.idle();
    const after = await timeline();
    assert.deepEqual(tools(after).map(i => [i.call.callId, i.delegation ?? null]), [['call_1', null]], 'not under a wrong call');
    assert.ok((await w.messages()).some(m => m.messageId === next.messageId));
    const kept = (await server.get(`${w.path}/delegations?chatId=${w.chat}`)).data;
    assert.deepEqual(kept.map(d => d.delegationId).sort(), ['main.1', 'main.1.1', 'main.2']);
    assert.ok(kept.every(d => d.state !== 'running'), JSON.stringify(kept.map(d => d.state)));
});

test('a chain of sixty delegations ends, and its timeline is read', async () => {
    const desk = await Desk.open(server, q => (q.last.role === 'tool' ? `back from ${q.last.content}` : undefined));
    const w = await office(desk, ['ada'], { settings: { delegationDepth: 100 } });
    await w.say('@ada dig 60');
    for (let n = 60; n > 0; n--) {
        const q = await desk.next();
        assert.match(q.last.content, new RegExp(`dig ${n}`));
        q.answer('', [{ id: `dig_${n}`, name: 'delegate', args: { task: `dig ${n - 1}`, wait: true } }]);
    }
    (await desk.next()).answer('bottom');
    await w.idle(60000);
    const last = (await w.messages()).filter(m => m.role === 'assistant').at(-1);
    assert.equal((last.content.match(/back from/g) ?? []).length, 60);
    const list = (await server.get(`${w.path}/delegations?chatId=${w.chat}&limit=500`)).data;
    assert.equal(list.length, 60);
    assert.ok(list.every(d => d.state === 'done'));
    let timeline = await server.get(`${w.chatPath}/timeline`), depth = 0;
    for (;;) {
        const [inner] = Object.values(timeline.delegations);
        if (!inner) break;
        timeline = inner;
        depth++;
    }
    assert.equal(depth, 60);
}, 90000);

// --- First use, and what comes together -----------------------------------------------------------------------

test('first use by two requests at once', async () => {
    const desk = await Desk.open(server, () => 'Noted.');
    for (let round = 0; round < 5; round++) {
        const w = await office(desk, ['ada']);
        const said = await Promise.all(Array.from({ length: 8 }, (_, i) => server.post(`${w.path}/messages`, { content: `hello ${i}`, agent: 'ada' }, 202)));
        const [chat] = new Set(said.map(m => m.chatId));
        assert.ok(said.every(m => m.chatId === chat));
        assert.deepEqual((await owned(w, 'ada', 'foreground')).map(c => c.id), [chat]);
        assert.equal((await server.get(`${w.path}/chats/${chat}/threads`)).data.length, 1, 'one thread');
        await w.idle();
        assert.equal((await rows(w, 'ada', 'foreground')).filter(m => m.role === 'user').length, 8);
    }
});

test('purge then new messages', async () => {
    const desk = await Desk.open(server, () => 'Noted.');
    const w = await office(desk, ['ada']);
    await talk(w, 'ada', 'a secret');
    const [secret] = await rows(w, 'ada', 'foreground');
    const gone = await run(['purge', ...server.store.args, '-w', w.name, '-c', secret.chatId, '-y', secret.messageId]);
    assert.equal(gone.code, 0, gone.out + gone.err);
    const next = await talk(w, 'ada', 'something new');
    assert.notEqual(next.messageId, secret.messageId);
    const all = await rows(w, 'ada', 'foreground');
    assert.equal(new Set(all.map(m => m.messageId)).size, all.length);
    assert.ok(!JSON.stringify(all).includes('a secret'));
    assert.equal(all.find(m => m.replyToMessageId === next.messageId)?.sender, 'ada');
    const sent = (await asked(w, 'ada', 'turn'))[0].request;
    assert.ok(!JSON.stringify(sent).includes('a secret'));
});

test('paused agent with queued tasks', async () => {
    const desk = await Desk.open(server, () => 'Done.');
    const w = await office(desk, ['ada', 'bo']);
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const tasks = [];
    for (let i = 0; i < 3; i++) tasks.push(await server.post(`${w.path}/agents/ada/tasks`, { content: `task ${i}` }));
    await tell(w, 'ada', 'something to hear');
    await work(w, 'bo', 'meanwhile');
    assert.deepEqual((await asked(w, 'ada', 'turn')), [], 'no work while paused');
    assert.equal((await server.get(`${w.path}/agents/ada`)).pendingTasks, 4);
    const stream = await watch(w);
    await server.post(`${w.path}/agents/ada/resume`, undefined, 200);
    for (const t of tasks) await stream.event('task.finished', e => e.taskId === t.id && e.status === 'completed');
    stream.close();
});

test('poison task', async () => {
    const desk = await Desk.open(server, q => (/poison$/.test(q.last.content) ? undefined : 'Done.'));
    const w = await office(desk, ['ada', 'bo']);
    const stream = await watch(w);
    const poison = await server.post(`${w.path}/agents/ada/tasks`, { content: 'poison' });
    for (let n = 1; n <= 3; n++) {
        const question = await desk.next();
        // It is not tried again while others work.
        if (n < 3) await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
        question.fail(400);
        await stream.event('task.queued', e => e.taskId === poison.id && e.attempts === n);
        assert.equal((await work(w, 'bo', `work ${n}`)).status, 'completed', 'others go on');
        if (n === 3) break;
        for (const what of ['wake', 'resume']) await server.post(`${w.path}/agents/ada/${what}`, undefined, 200); // now, not after its back-off
    }
    await stream.event('inbox.created', e => e.type === 'failure' && e.agent === 'ada');
    const now = await server.get(`${w.path}/tasks/${poison.id}`);
    assert.deepEqual([now.status, now.attempts, now.running], ['pending', 3, false]);
    assert.match(now.lastError, /out of order/);
    assert.ok(Date.parse(now.notBefore) > Date.parse(now.createdAt));
    assert.equal((await work(w, 'ada', 'good work')).status, 'completed', 'its own other tasks too');
    assert.equal((await server.ask('DELETE', `${w.path}/tasks/${poison.id}`)).status, 'cancelled');
    assert.equal((await rows(w, 'ada')).filter(m => m.content === 'poison').length, 1, 'it was told once');
    stream.close();
});

test('lead deleted while a subordinate reports', async () => {
    const desk = await Desk.open(server);
    const w = await office(desk, ['lead', { name: 'sub', lead: 'lead' }, 'other']);
    const task = work(w, 'sub', 'find out');
    const question = await desk.next();
    await server.ask('DELETE', `${w.path}/agents/lead`, undefined, 204);
    question.answer('', [{ id: 'call_1', name: 'report_to_lead', args: { result: 'found' } }]);
    const after = await desk.next();
    assert.equal(after.last.role, 'tool');
    after.answer('Nobody is there.');
    assert.deepEqual([(await task).status, (await task).result], ['completed', 'Nobody is there.']);
    const result = (await rows(w, 'sub')).find(m => m.role === 'tool');
    assert.equal(result.toolStatus, 'error');
    assert.equal((await server.get(`${w.path}/search?q=reports`)).data.length, 0, 'nothing is half-written');
});

await finish();
