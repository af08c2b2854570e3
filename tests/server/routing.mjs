// routing.mjs: who has to answer: mentions, autoReply, chains of agents, and where they end.
import { Server, assert, finish, test } from './lib.mjs';
import { team, three } from './team.mjs';

const server = await Server.start({ script: team() });
let names = 0;
const fresh = (agents = three, more) => server.world(`routing${++names}`, agents, more);
const said = messages => messages.map(m => `${m.sender}: ${m.content}`);
const answered = stream => stream.of('message.completed').map(m => m.sender).sort();

test('a message that names nobody is answered by everyone', async () => {
    const w = await fresh();
    const s = await w.converse('hello');
    assert.deepEqual(answered(s), ['ada', 'bo', 'lead']);
    const own = s.of('message.created')[0];
    for (const m of s.of('message.completed')) assert.equal(m.replyToMessageId, own.messageId);
});

test('a message that names agents is answered by them alone and heard by all', async () => {
    const w = await fresh();
    assert.deepEqual(answered(await w.converse('@ada hello')), ['ada']);
    assert.deepEqual(answered(await w.converse('@Ada, @BO: hello')), ['ada', 'bo']);
    assert.deepEqual(answered(await w.converse('first a line\n  @lead then you')), ['lead']);
    for (const a of three)
        assert.deepEqual((await w.messages(`&agent=${a}`)).map(m => m.content), (await w.messages()).map(m => m.content), a);
});

test('mentions elsewhere, of nobody, and e-mail addresses are plain text', async () => {
    const w = await fresh();
    for (const text of ['tell @ada hello', 'ada@bo.example', '@adam is nobody', '@ada.bo', 'mail to:ada@x', '@', '@ ada'])
        assert.deepEqual(answered(await w.converse(text)), ['ada', 'bo', 'lead'], text);
    assert.equal((await w.messages()).filter(m => m.sender === 'human').at(1).content, 'ada@bo.example');
});

test('an agent with autoReply off answers only when it is named', async () => {
    const w = await fresh(['lead', { name: 'quiet', autoReply: false }]);
    assert.deepEqual(answered(await w.converse('hello')), ['lead']);
    assert.deepEqual(answered(await w.converse('@quiet hello')), ['quiet']);
    assert.equal((await w.messages('&agent=quiet')).length, 4);
    await server.ask('PATCH', `${w.path}/agents/quiet`, { autoReply: true });
    assert.deepEqual(answered(await w.converse('hello')), ['lead', 'quiet']);
});

test('an agent’s message wakes only the agents it names, along a chain of replies', async () => {
    const w = await fresh();
    const s = await w.converse('@lead chain');
    assert.deepEqual(said(await w.messages()), ['human: @lead chain', 'lead: @ada go on with the chain', 'ada: @bo end the chain', 'bo: The end of it.']);
    const all = await w.messages();
    for (let i = 1; i < 4; i++) assert.deepEqual([all[i].replyToMessageId, all[i].replyDepth], [all[i - 1].messageId, i]);
    assert.ok(s.events.filter(e => e.id).every(e => e.body.cause === all[0].messageId || e.body.data.messageId === all[0].messageId));
    assert.equal(s.of('world.idle').length, 1);
});

test('an agent never answers itself', async () => {
    const w = await fresh();
    await w.converse('@ada self');
    assert.deepEqual(said(await w.messages()), ['human: @ada self', 'ada: @ada I speak to myself.']);
});

test('addresses and mentions in the middle of an agent’s text wake nobody', async () => {
    const w = await fresh();
    await w.converse('@ada mail');
    assert.deepEqual((await w.messages()).map(m => m.sender), ['human', 'ada']);
});

test('agents cannot loop: the turn limit ends it, and the world says so in the timeline', async () => {
    const w = await fresh(three, { turnLimit: 4 });
    const s = await w.converse('@lead loop');
    const all = await w.messages();
    assert.deepEqual(all.map(m => m.sender), ['human', 'lead', 'ada', 'lead', 'ada', 'system']);
    assert.equal(all.at(-1).role, 'system');
    assert.match(all.at(-1).content, /4 times in a row/);
    const timeline = await server.get(`${w.chatPath}/timeline`);
    assert.deepEqual([timeline.items.at(-1).kind, timeline.items.at(-1).content], ['system_message', all.at(-1).content]);
    assert.equal(s.of('message.created').at(-1).messageId, all.at(-1).messageId);
    for (const m of (await server.get(`${w.chatPath}/context?agent=ada`)).messages)
        assert.ok(!m.content.includes('times in a row'), m.content);
    // A person's next message has the whole budget again.
    await w.converse('@lead loop');
    assert.equal((await w.messages()).filter(m => m.sender === 'lead').length, 4);
});

test('the text of a message is never rewritten', async () => {
    const w = await fresh([]);
    for (const text of ['  @ada\u00a0hi ', '@ADA:x', 'a\r\nb\tc', 'ünïcode 🧶 \u2028 line', '{"json":true}', ' ']) {
        const m = await server.call('POST', `${w.path}/messages`, { body: { content: text, chatId: w.chat } });
        if (m.status === 202) assert.equal((await server.get(`${w.path}/messages/${m.body.messageId}`)).content, text);
        else assert.equal(m.status, 400);
    }
    const last = (await w.messages()).map(m => m.content);
    assert.ok(last.includes('ünïcode 🧶 \u2028 line'), JSON.stringify(last));
});

test('a foreground conversation is made on first use, one for each agent, and that agent answers', async () => {
    const w = await fresh();
    const chats = async () => (await server.get(`${w.path}/agents/ada/conversations`)).data;
    assert.deepEqual(await chats(), []);
    const both = await Promise.all(['a', 'b'].map(content => server.post(`${w.path}/messages`, { content, agent: 'ada' }, 202)));
    assert.equal(both[0].chatId, both[1].chatId);
    const list = await chats();
    assert.deepEqual(list.map(c => [c.mode, c.agent]), [['foreground', 'ada']]);
    const own = { ...w };
    Object.setPrototypeOf(own, Object.getPrototypeOf(w));
    own.chat = list[0].id;
    own.chatPath = `${w.path}/chats/${list[0].id}`;
    await own.idle();
    const all = await own.messages();
    assert.deepEqual(all.filter(m => m.sender !== 'human').map(m => m.sender), ['ada', 'ada']);
    assert.deepEqual(await w.messages(), []);
});

test('a message for reading only is answered by nobody', async () => {
    const w = await fresh();
    const s = await w.converse('hello', { instructions: [{ type: 'ReadOnly' }] });
    assert.deepEqual(s.of('message.started'), []);
    assert.deepEqual(said(await w.messages()), ['human: hello']);
});

test('a tool call, its result and the answer after it are stored and paired', async () => {
    const w = await fresh(['ada', 'bo']);
    const s = await w.converse('@ada look up tides');
    const all = await w.messages();
    assert.deepEqual(all.map(m => m.role), ['user', 'assistant', 'tool', 'assistant']);
    assert.deepEqual(all[1].toolCalls.map(c => [c.toolName, c.args]), [['demo_lookup', { query: 'tides' }]]);
    assert.match(all[2].content, /^demo data/);
    assert.deepEqual([all[2].toolCallId, all[2].toolStatus], [all[1].toolCalls[0].toolCallId, 'ok']);
    assert.deepEqual(s.of('tool.started').map(t => t.toolName), ['demo_lookup']);
    assert.equal(s.of('tool.completed')[0].toolCallId, all[2].toolCallId);
    const item = (await server.get(`${w.chatPath}/timeline`)).items.find(i => i.kind === 'tool_execution');
    assert.equal(item.result.success, true);
    // The result is heard only by who called.
    assert.ok((await w.messages('&agent=bo')).every(m => m.role !== 'tool'));
});

test('a failure is told, its message stays unanswered, and the others answer', async () => {
    const w = await fresh(['ada', { name: 'lost', model: 'nowhere/none' }]);
    const s = await w.converse('hello');
    const failed = s.of('message.failed');
    assert.deepEqual(failed.map(f => f.agent), ['lost']);
    assert.match(failed[0].detail, /nowhere/);
    assert.deepEqual(answered(s), ['ada']);
    assert.equal((await server.get(`${w.path}/status`)).isProcessing, false);
    const f = await w.converse('@ada fail');
    assert.deepEqual([f.of('message.failed').length, f.of('message.completed').length], [1, 0]);
    assert.match(f.of('message.failed')[0].detail, /out of order/);
    const c = await w.converse('@ada cut');
    assert.deepEqual([c.of('message.failed').length, c.of('message.failed')[0].retryable], [1, true]);
});

test('thinking is kept apart from what is said', async () => {
    const w = await fresh(['ada']);
    const s = await w.converse('think');
    const m = s.of('message.completed')[0];
    assert.equal(m.content, 'I have thought.');
    assert.match(m.thinking, /^word1 .*word20$/);
});

await finish();
