// edits.mjs: editing a person's message, for the first clients and for the page: counting, removing, sending again, undoing;
// what is refused, and what happens to what is said twice or while agents work.
import { Server, assert, finish, run, test } from './lib.mjs';
import { Desk } from './desk.mjs';
import { team, three } from './team.mjs';
import { breakRemovals, sql } from './sabotage.mjs';

const server = await Server.start({ script: team() });
const slow = await Server.start({ script: team(), delay: true }); // agents that "hold" do hold

let names = 0;
const fresh = (s = server, agents = three, more) => s.world(`edits${++names}`, agents, more);
const texts = messages => messages.map(m => m.content);
const del = (w, id, more = {}) => w.server.call('DELETE', `${w.path}/messages/${id}`, { body: { chatId: w.chat }, ...more });
const put = (w, id, newContent, more = {}, body = {}) =>
    w.server.call('PUT', `${w.path}/messages/${id}`, { body: { chatId: w.chat, newContent, ...body }, ...more });
// Everything that an edit could change.
async function whole(w) {
    const parts = [await w.messages(), await w.server.get(`${w.chatPath}/threads`)];
    for (const a of (await w.server.get(`${w.path}/agents`)).data) parts.push(await w.messages(`&agent=${a.name}`));
    return parts;
}
// Agents that will not come to an end by themselves.
async function busy(w, content = 'please hold') {
    const stream = w.events();
    await stream.event('stream.open');
    const message = await w.say(content);
    const started = await stream.words();
    return { stream, message, writing: started.body.data.messageId };
}
// What a stream was told of an answer: pieces, or all until then when it joined late.
const toldOf = (stream, id) =>
    stream.events.filter(e => e.body?.data?.messageId === id).reduce((text, { event, body: { data } }) =>
        event === 'message.snapshot' ? data.text : event === 'message.delta' && data.part === 'text' ? text + data.text : text, '');
const stop = w => w.server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);

// --- Counting -----------------------------------------------------------------------------------

test('count says what a removal would take, and changes nothing', async () => {
    const w = await fresh();
    const first = (await w.converse('one')).of('message.created')[0];
    const second = (await w.converse('@ada two')).of('message.created')[0];
    const before = await whole(w);
    const all = await w.count(first.messageId), last = await w.count(second.messageId);

    assert.deepEqual([all.count, all.isFirst, last.count, last.isFirst], [6, true, 2, false]);
    assert.deepEqual(all.byAgent, { human: 2, lead: 1, ada: 2, bo: 1 });
    assert.deepEqual(last.byAgent, { human: 1, ada: 1 });
    assert.deepEqual([all.agents, all.delegations, all.briefings, all.sideEffects], [3, 0, 0, 0]);
    assert.deepEqual(last.removedByAgent, { lead: 2, ada: 2, bo: 2 });
    assert.deepEqual(last.preview[0], { messageId: second.messageId, sender: 'human', text: '@ada two' });
    assert.deepEqual([all.editable, all.blockedBy, all.sessionMode, all.etag], [true, null, true, await w.etag()]);
    assert.deepEqual(await whole(w), before);
});

test('count shows the first ten of what would go and the last, and says how many stand between', async () => {
    const w = await fresh(server, []);
    const said = [];
    for (let i = 0; i < 14; i++) said.push(await w.say(`number ${i}`));
    const line = m => ({ messageId: m.messageId, sender: 'human', text: m.content });
    const shown = async m => { const c = await w.count(m.messageId); return [c.count, c.previewSkipped, c.preview]; };

    assert.deepEqual(await shown(said[0]), [14, 3, [...said.slice(0, 10), said[13]].map(line)]);
    assert.deepEqual(await shown(said[2]), [12, 1, [...said.slice(2, 12), said[13]].map(line)]);
    assert.deepEqual(await shown(said[3]), [11, 0, said.slice(3).map(line)]);
    assert.deepEqual(await shown(said[13]), [1, 0, [line(said[13])]]);
});

test('count names tool calls as side effects', async () => {
    const w = await fresh(server, ['ada']);
    const m = (await w.converse('look up tides')).of('message.created')[0];
    const c = await w.count(m.messageId);
    assert.deepEqual([c.count, c.sideEffects, c.toolResults], [4, 1, 1]);
});

// --- Removing -----------------------------------------------------------------------------------

test('DELETE takes the message and all after it from the main lane and from every memory', async () => {
    const w = await fresh();
    await w.converse('keep this');
    const target = (await w.converse('@ada and this goes')).of('message.created')[0];
    await w.converse('this too');
    const before = await whole(w);
    const answer = await del(w, target.messageId);
    const r = answer.body;

    assert.equal(answer.status, 200);
    assert.deepEqual([r.success, r.messageId, r.totalAgents, r.failedAgents, r.requiresRetry, r.resubmissionStatus, r.newMessageId],
        [true, target.messageId, 3, [], false, 'skipped', null]);
    assert.deepEqual([...r.processedAgents].sort(), ['ada', 'bo', 'lead']);
    assert.equal(r.messagesRemovedTotal, 6);
    assert.deepEqual(texts(await w.messages()), ['keep this', ...texts(before[0]).slice(1, 4)]);
    for (const [i, a] of three.entries())
        assert.deepEqual(texts(await w.messages(`&agent=${a}`)), texts(before[2 + i]).slice(0, 4), a);
    assert.equal(answer.headers.etag, await w.etag());

    const undo = await w.server.call(r.undo.method, r.undo.href, { body: r.undo.body, headers: r.undo.headers });
    assert.equal(undo.status, 200, undo.text);
    const after = await whole(w);
    assert.deepEqual(texts(after[0]), texts(before[0]));
    assert.deepEqual(after.slice(2).map(texts), before.slice(2).map(texts));
    assert.equal(after[0].at(-1).messageId, before[0].at(-1).messageId);
});

test('DELETE takes chatId from the query as well', async () => {
    const w = await fresh(server, []);
    const m = await w.say('gone');
    const r = await server.ask('DELETE', `${w.path}/messages/${m.messageId}?chatId=${w.chat}`);
    assert.equal(r.messagesRemovedTotal, 1);
    assert.deepEqual(await w.messages(), []);
});

test('an agent that joined later and never got the message is cut as well', async () => {
    const w = await fresh(server, ['lead']);
    const m = (await w.converse('before ada')).of('message.created')[0];
    await server.post(`${w.path}/agents`, { name: 'ada', model: 'demo/scripted' });
    await w.converse('@ada after');
    assert.equal((await w.messages('&agent=ada')).length, 2);
    const r = (await del(w, m.messageId)).body;
    assert.deepEqual(r.removedByAgent, { lead: 4, ada: 2 });
    assert.deepEqual(await w.messages('&agent=ada'), []);
});

test('a second DELETE is 404 and names the versions that hold the message', async () => {
    const w = await fresh(server, []);
    const m = await w.say('once');
    const r = (await del(w, m.messageId)).body;
    const again = await server.refused('DELETE', `${w.path}/messages/${m.messageId}`, 404, 'message-not-found', { body: { chatId: w.chat } });
    assert.equal(again.body.code, 'MESSAGE_NOT_FOUND');
    assert.deepEqual(again.body.inThreads, [r.previousThreadId]);
});

test('the same DELETE with the same Idempotency-Key gives the first answer again', async () => {
    const w = await fresh(server, []);
    const m = await w.say('once');
    await w.say('more');
    const headers = { 'idempotency-key': `del-${w.name}` };
    const first = await del(w, m.messageId, { headers });
    const second = await del(w, m.messageId, { headers });
    assert.deepEqual([second.status, second.headers['idempotency-replayed'], second.text], [200, 'true', first.text]);
    assert.equal(first.headers['idempotency-replayed'], undefined);
    assert.equal((await server.get(`${w.chatPath}/threads`)).data.length, 2);
});

// --- Editing -------------------------------------------------------------------------------------

test('PUT removes and sends the new text in one, and the agents answer it', async () => {
    const w = await fresh();
    await w.converse('keep');
    const target = (await w.converse('@ada old text')).of('message.created')[0];
    const stream = w.events();
    await stream.event('stream.open');
    const answer = await put(w, target.messageId, '@bo new text');
    const r = answer.body;

    assert.deepEqual([answer.status, r.success, r.resubmissionStatus, r.messagesRemovedTotal], [200, true, 'success', 2]);
    assert.match(r.newMessageId, /^[A-Za-z0-9_-]{10}$/);
    assert.notEqual(r.newMessageId, target.messageId);
    await stream.event('world.idle');
    const all = await w.messages();
    assert.deepEqual(texts(all).slice(4), ['@bo new text', 'bo heard human.']);
    assert.deepEqual([all[4].messageId, all[5].replyToMessageId], [r.newMessageId, r.newMessageId]);
    assert.deepEqual(stream.of('edit.phase').map(p => p.phase), ['removing', 'resubmitting', 'done']);
    const thread = stream.of('thread.created');
    assert.deepEqual([thread.length, thread[0].threadId, thread[0].originalThread, thread[0].op], [1, r.threadId, r.previousThreadId, 'edit']);
    const order = stream.names();
    assert.ok(order.indexOf('thread.created') < order.indexOf('message.created'), order.join(' '));

    await w.travel('undo');
    assert.deepEqual(texts(await w.messages()).slice(4), ['@ada old text', 'ada heard human.']);
    stream.close();
});

test('a double click with one Idempotency-Key makes one edit', async () => {
    const w = await fresh();
    const target = (await w.converse('@ada old')).of('message.created')[0];
    const headers = { 'idempotency-key': `click-${w.name}` };
    const both = await Promise.all([put(w, target.messageId, '@ada new', { headers }), put(w, target.messageId, '@ada new', { headers })]);

    for (const answer of both)
        assert.ok(answer.status === 200 || (answer.status === 409 && answer.body.type === '/problems/idempotency-running'), answer.text);
    const third = await put(w, target.messageId, '@ada new', { headers });
    assert.equal(third.status, 200);
    assert.deepEqual(new Set(both.filter(a => a.status === 200).map(a => a.body.newMessageId)), new Set([third.body.newMessageId]));
    await w.idle();
    assert.deepEqual(texts(await w.messages()), ['@ada new', 'ada heard human.']);
    assert.equal((await server.get(`${w.chatPath}/threads`)).data.length, 2);
});

test('DELETE, then POST, as the first clients send it, gives what PUT gives', async () => {
    const one = await fresh(), two = await fresh();
    for (const w of [one, two]) await w.converse('@bo keep');
    const a = (await one.converse('@lead old')).of('message.created')[0];
    const b = (await two.converse('@lead old')).of('message.created')[0];
    await del(one, a.messageId);
    await one.converse('@lead new');
    await put(two, b.messageId, '@lead new');
    await two.idle();
    assert.deepEqual(texts(await one.messages()), texts(await two.messages()));
    for (const agent of three)
        assert.deepEqual(texts(await one.messages(`&agent=${agent}`)), texts(await two.messages(`&agent=${agent}`)));
});

// --- What is refused ----------------------------------------------------------------------------

test('a missing chatId is 400 and points to it; so is an empty new text', async () => {
    const w = await fresh(server, []);
    const m = await w.say('x');
    for (const method of ['DELETE', 'PUT']) {
        const r = await server.refused(method, `${w.path}/messages/${m.messageId}`, 400, 'validation', { body: { newContent: 'y' } });
        assert.equal(r.body.code, 'VALIDATION_ERROR');
        assert.equal(r.body.errors[0].pointer, '/chatId');
    }
    await server.refused('GET', `${w.path}/messages/${m.messageId}/count`, 400, 'validation');
    for (const body of [{ chatId: w.chat }, { chatId: w.chat, newContent: '' }]) {
        const r = await server.refused('PUT', `${w.path}/messages/${m.messageId}`, 400, 'validation', { body });
        assert.equal(r.body.errors[0].pointer, '/newContent');
    }
    assert.equal((await w.messages()).length, 1);
});

test('unknown worlds, chats and messages are 404, each with its own code', async () => {
    const w = await fresh(server, []);
    const other = await fresh(server, []);
    const m = await w.say('x');
    const edit = (path, word) => server.refused('DELETE', path, 404, word, { body: { chatId: w.chat } });
    const world = await edit(`/worlds/${w.name}x/messages/${m.messageId}`, 'world-not-found');
    assert.deepEqual([world.body.code, world.body.didYouMean], ['WORLD_NOT_FOUND', w.name]);
    const chat = await server.refused('DELETE', `${w.path}/messages/${m.messageId}`, 404, 'chat-not-found', { body: { chatId: other.chat } });
    assert.equal(chat.body.code, 'CHAT_NOT_FOUND');
    assert.equal((await edit(`${w.path}/messages/nosuchid00`, 'message-not-found')).body.code, 'MESSAGE_NOT_FOUND');
    const foreign = await other.say('not here');
    await edit(`${w.path}/messages/${foreign.messageId}`, 'message-not-found');
});

test('what a person did not write cannot be edited or removed', async () => {
    const w = await fresh(server, ['ada']);
    const answer = (await w.converse('hello')).of('message.completed')[0];
    const before = await whole(w);
    for (const method of ['DELETE', 'PUT']) {
        const r = await server.refused(method, `${w.path}/messages/${answer.messageId}`, 400, 'not-a-user-message', { body: { chatId: w.chat, newContent: 'x' } });
        assert.equal(r.body.code, 'INVALID_MESSAGE_TYPE');
    }
    const c = await w.count(answer.messageId);
    assert.deepEqual([c.count, c.editable], [1, false]);
    assert.deepEqual(await whole(w), before);
});

test('with session mode off an edit is refused before anything changes', async () => {
    const w = await fresh(server, ['ada']);
    const m = (await w.converse('hello')).of('message.created')[0];
    await server.ask('PATCH', w.path, { currentChatId: null });
    const before = await whole(w);
    for (const method of ['DELETE', 'PUT']) {
        const r = await server.refused(method, `${w.path}/messages/${m.messageId}`, 409, 'session-off', { body: { chatId: w.chat, newContent: 'x' } });
        assert.equal(r.body.code, 'SESSION_OFF');
    }
    const c = await w.count(m.messageId);
    assert.deepEqual([c.sessionMode, c.editable], [false, false]);
    assert.deepEqual(await whole(w), before);
    await server.refused('POST', `${w.path}/messages`, 409, 'session-off', { body: { content: 'to nobody' } });
    await server.ask('PATCH', w.path, { currentChatId: w.chat });
    assert.equal((await del(w, m.messageId)).status, 200);
});

test('an edit while agents answer is 423, says who, and changes nothing', async () => {
    const w = await fresh(slow);
    const old = (await w.converse('@bo hello')).of('message.created')[0];
    const { stream, writing } = await busy(w, '@ada hold');
    const before = await whole(w);
    for (const method of ['DELETE', 'PUT']) {
        const r = await slow.refused(method, `${w.path}/messages/${old.messageId}`, 423, 'world-busy', { body: { chatId: w.chat, newContent: 'x' } });
        assert.deepEqual([r.body.code, r.body.error, r.body.message, r.body.retryable],
            ['WORLD_LOCKED', 'Cannot edit messages while agents are responding', 'Please wait for agents to finish responding', true]);
        assert.deepEqual(r.body.busy.map(b => [b.agent, b.messageId]), [['ada', writing]]);
        assert.deepEqual([r.headers['retry-after'], r.body.retryAfterMs], ['5', 5000]);
        assert.deepEqual(r.body.actions, [{ title: 'Stop the agents', method: 'POST', href: `${w.path}/messages/stop`, body: { chatId: w.chat } }]);
    }
    for (const [url, body] of [['operations', { op: 'delete', messageIds: [old.messageId] }], ['squashes', { sourceMessageIds: before[0].slice(0, 2).map(m => m.messageId), content: 's' }]])
        await slow.refused('POST', `${w.chatPath}/${url}`, 423, 'world-busy', { body });
    const c = await w.count(old.messageId);
    assert.deepEqual([c.editable, c.blockedBy], [false, 'world-busy']);
    const world = await slow.get(w.path);
    assert.deepEqual([world.isProcessing, world.busy[0].agent], [true, 'ada']);
    const other = await slow.post(`${w.path}/chats`, {});
    for (const [chat, agents] of [[w.chat, ['ada']], [other.id, []]]) {
        const { isProcessing, busy: at } = await slow.get(`${w.path}/status?chatId=${chat}`);
        assert.deepEqual([isProcessing, at.map(b => b.agent)], [agents.length > 0, agents]);
    }
    assert.ok(['thinking', 'writing'].includes(world.agents.find(a => a.name === 'ada').state)); // it has begun to write
    assert.deepEqual(await whole(w), before);
    await stop(w);
    stream.close();
});

test('force stops the agents and edits; of the answer that was under way what was there is in the version before', async () => {
    const w = await fresh(slow);
    const { stream, message, writing } = await busy(w, '@ada @bo hold');
    const r = (await put(w, message.messageId, '@lead instead', {}, { force: true })).body;
    assert.equal(r.resubmissionStatus, 'success');
    await stream.event('message.completed', d => d.messageId === writing && d.finishReason === 'stopped');
    await stream.event('world.idle', (_, e) => e.cause === message.messageId);
    await stream.event('world.idle', (_, e) => e.cause === r.newMessageId);
    assert.deepEqual(texts(await w.messages()), ['@lead instead', 'lead heard human.']);
    await w.converse('@bo and now?');
    const threads = (await slow.get(`${w.chatPath}/threads`)).data;
    const [before, now] = ['v1', 'v2'].map(v => threads.find(t => t.version === v));
    assert.deepEqual([threads.length, now.current], [2, true]);
    const of = async t => (await slow.get(`${w.chatPath}/threads/${t.threadId}/messages`)).data;
    const told = toldOf(stream, writing).trimEnd(), kept = (await of(before)).find(m => m.messageId === writing)?.content;
    assert.ok(told && kept?.startsWith(told), `${told} was told, ${kept} is kept`);
    assert.ok(!(await of(now)).some(m => m.messageId === writing));
    assert.ok(![...await of(before), ...await of(now)].some(m => m.content.includes('I end')));
    stream.close();
});

test('force works from the query, and for a removal too', async () => {
    const w = await fresh(slow);
    const { stream, message } = await busy(w, '@ada hold');
    const r = await slow.ask('DELETE', `${w.path}/messages/${message.messageId}?chatId=${w.chat}&force=true`);
    assert.equal(r.messagesRemovedTotal, 2);
    assert.equal((await slow.get(`${w.path}/status`)).isProcessing, false);
    assert.deepEqual(await w.messages(), []);
    stream.close();
});

test('If-Match with what count said refuses an edit after something else was said', async () => {
    const w = await fresh(server, []);
    const m = await w.say('one');
    const { etag } = await w.count(m.messageId);
    await w.say('two');
    const r = await server.refused('DELETE', `${w.path}/messages/${m.messageId}`, 412, 'version-changed', { body: { chatId: w.chat }, headers: { 'if-match': etag } });
    assert.equal(r.body.code, 'VERSION_CONFLICT');
    assert.equal(r.body.current, (await server.get(w.chatPath)).currentThread);
    assert.equal((await w.messages()).length, 2);
    const now = (await w.count(m.messageId)).etag;
    assert.equal((await del(w, m.messageId, { headers: { 'if-match': now } })).status, 200);
});

// --- Time travel ----------------------------------------------------------------------------------

test('undo and redo move between versions and lose nothing', async () => {
    const w = await fresh();
    const m = (await w.converse('@ada one')).of('message.created')[0];
    const first = await whole(w);
    await put(w, m.messageId, '@ada two');
    await w.idle();
    const second = await whole(w);
    const back = await w.travel('undo');
    assert.deepEqual([back.move, back.steps, back.current], ['edit', 1, true]);
    assert.deepEqual(texts(await w.messages()), texts(first[0]));
    await w.travel('redo');
    assert.deepEqual(texts(await w.messages()), texts(second[0]));
    await w.travel('undo');
    await w.converse('@ada three');
    assert.deepEqual(texts(await w.messages()), [...texts(first[0]), '@ada three', 'ada heard human.']);
    const nothing = await server.call('PUT', `${w.chatPath}/currentThread`, { body: { move: 'redo' }, headers: { 'if-match': await w.etag() } });
    assert.equal(nothing.status, 409);
    assert.equal(nothing.body.type, '/problems/nothing-to-do');
    await w.travel({ threadId: second[1].data.find(t => t.current).threadId });
    assert.deepEqual(texts(await w.messages()), texts(second[0]));
});

test('undo says how many newer messages leave, and in which version they are', async () => {
    const w = await fresh(server, []);
    const m = await w.say('one');
    await w.say('two');
    await server.ask('POST', `${w.chatPath}/operations`, { op: 'amend', messageId: m.messageId, content: 'eins' }, 201, { headers: { 'if-match': await w.etag() } });
    const still = await server.call('PUT', `${w.chatPath}/currentThread`, { body: { move: 'undo', dryRun: true } });
    assert.equal(still.body.newerMessages, 0);
    for (const text of ['three', 'four', 'five', 'six']) await w.say(text);
    const told = r => [r.newerMessages, r.previousVersion, r.version];
    assert.deepEqual(told(await w.travel('undo')), [4, 'v2', 'v1']);
    assert.deepEqual(told(await w.travel('redo')), [0, 'v1', 'v2']);
    assert.equal((await w.messages()).length, 6);
});

test('currentThread says whether there is something to undo and to redo', async () => {
    const w = await fresh(server, ['ada']);
    const ways = async () => {
        const { canUndo, canRedo } = await server.get(`${w.chatPath}/currentThread`);
        return [canUndo, canRedo];
    };
    const m = (await w.converse('one')).of('message.created')[0];
    assert.deepEqual(await ways(), [false, false]);
    const first = await server.call('GET', `${w.chatPath}/currentThread`);
    await del(w, m.messageId);
    assert.deepEqual(await ways(), [true, false]);
    await w.travel('undo');
    assert.deepEqual(await ways(), [false, true]);
    // It is the version from before, but there is something to redo now: who knew that answer does not know this one.
    const again = await server.call('GET', `${w.chatPath}/currentThread`, { headers: { 'if-none-match': first.headers.etag } });
    assert.deepEqual([again.status, again.body.threadId, again.body.canRedo], [200, first.body.threadId, true]);
});

test('a removal that begins an edit is known by its note', async () => {
    const w = await fresh(server, ['ada']);
    const m = (await w.converse('one')).of('message.created')[0];
    const note = async () => (await server.get(`${w.chatPath}/currentThread`)).note;
    await del(w, m.messageId);
    assert.equal(await note(), `remove from ${m.messageId}`);
    await w.travel('undo');
    const r = await server.call('DELETE', `${w.path}/messages/${m.messageId}?chatId=${w.chat}&resubmit=true`);
    assert.equal(r.status, 200, r.text);
    assert.equal(await note(), `edit from ${m.messageId}`);
});

test('currentThread needs If-Match, and a stale one is refused', async () => {
    const w = await fresh(server, []);
    const m = await w.say('x');
    await del(w, m.messageId);
    const stale = await w.etag();
    await server.refused('PUT', `${w.chatPath}/currentThread`, 428, 'if-match-needed', { body: { move: 'undo' } });
    const seen = await server.call('PUT', `${w.chatPath}/currentThread`, { body: { move: 'undo', dryRun: true } });
    assert.deepEqual([seen.status, seen.body.dryRun, await w.etag()], [200, true, stale], 'a look changes nothing, and needs no tag');
    await w.say('y');
    const r = await server.refused('PUT', `${w.chatPath}/currentThread`, 412, 'version-changed', { body: { move: 'undo' }, headers: { 'if-match': stale } });
    assert.match(r.body.current, /^t_/);
    assert.deepEqual(texts(await w.messages()), ['y']);
});

test('removed text comes back by undo also after answers were given', async () => {
    const w = await fresh();
    const m = (await w.converse('@ada precious words')).of('message.created')[0];
    await del(w, m.messageId);
    await w.converse('@bo something else');
    await w.travel('undo');
    assert.deepEqual(texts(await w.messages()), ['@ada precious words', 'ada heard human.']);
});

test('nothing to undo is an ordinary refusal', async () => {
    const w = await fresh(server, []);
    const r = await server.refused('PUT', `${w.chatPath}/currentThread`, 409, 'nothing-to-do', { body: { move: 'undo' }, headers: { 'if-match': await w.etag() } });
    assert.equal(r.body.code, 'NOTHING_TO_DO');
});

// --- Edits that fail --------------------------------------------------------------------------------

test('an edit that fails is 500, changes nothing, is listed, and can be tried again', async () => {
    const w = await fresh(server, ['ada']);
    const m = (await w.converse('hello')).of('message.created')[0];
    const before = await whole(w);
    const mend = await breakRemovals(server.store);
    try {
        const r = await server.refused('DELETE', `${w.path}/messages/${m.messageId}`, 500, 'removal-failed', { body: { chatId: w.chat } });
        assert.equal(r.body.code, 'REMOVAL_ERROR');
    } finally {
        await mend();
    }
    assert.deepEqual(await whole(w), before);
    const errors = (await server.get(`${w.path}/edit-errors`)).data;
    assert.equal(errors.length, 1);
    assert.deepEqual([errors[0].chatId, errors[0].messageId], [w.chat, m.messageId]);
    const retried = await server.post(`${w.path}/edit-errors/${errors[0].id}/retry`, {}, 200);
    assert.deepEqual([retried.success, retried.messagesRemovedTotal], [true, 2]);
    assert.deepEqual(await w.messages(), []);
});

test('the program tries a failed edit again, by its message or its own id, from near and far', async () => {
    const far = [`--server=http://${server.host}:${server.port}`];
    for (const place of [server.store.args, far])
        for (const by of ['messageId', 'id']) {
            const w = await fresh(server, ['ada']);
            const m = (await w.converse('hello')).of('message.created')[0];
            assert.deepEqual((await run([...place, '-w', w.name, 'edit', '--retry-failed', m.messageId, '-m', 'x'])).code, 3, 'nothing failed yet');
            const mend = await breakRemovals(server.store);
            try {
                await server.refused('DELETE', `${w.path}/messages/${m.messageId}`, 500, 'removal-failed', { body: { chatId: w.chat } });
            } finally {
                await mend();
            }
            const [failed] = (await server.get(`${w.path}/edit-errors`)).data;
            const words = by === 'id' ? ['-m', 'hello again'] : [];
            const done = await run([...place, '-w', w.name, 'edit', '--retry-failed', failed[by], '-y', '--json', '--no-wait', ...words]);
            assert.equal(done.code, 0, done.err);
            assert.deepEqual([JSON.parse(done.out).messagesRemovedTotal, JSON.parse(done.out).resubmissionStatus], [2, words.length ? 'success' : 'skipped']);
            if (words.length) await w.idle();
            assert.deepEqual((await w.messages()).map(x => x.content), words.length ? ['hello again', 'ada heard human.'] : []);
        }
});

const nearAndFar = () => [server.store.args, [`--server=http://${server.host}:${server.port}`]];

// A removal whose new text never came, a minute ago and more.
async function half(w, m) {
    const r = await server.call('DELETE', `${w.path}/messages/${m.messageId}?chatId=${m.chatId}&resubmit=true`);
    assert.equal(r.status, 200, r.text);
    await sql(server.store, `UPDATE versions SET created_at = 1 WHERE note = 'edit from ${m.messageId}'`);
}

test('half an edit is not tried again: undo is named instead', async () => {
    const w = await fresh(server, []);
    const m = await w.say('hello');
    await half(w, m);
    const [listed] = (await server.get(`${w.path}/edit-errors`)).data;
    assert.match(listed.id, /^eh_/);
    const r = await server.call('POST', `${w.path}/edit-errors/${listed.id}/retry`, { body: {} });
    assert.equal(r.status, 409, r.text);
    assert.match(`${r.body.detail} ${r.body.hint}`, /were removed already.*undo/);
    for (const place of nearAndFar())
        for (const ref of [listed.id, m.messageId, m.messageId.slice(-6)]) {
            const out = await run([...place, '-w', w.name, 'edit', '--retry-failed', '-y', '-m', 'again', '--no-wait', '--', ref]);
            assert.equal(out.code, 5, out.err);
            assert.match(out.err, /were removed already[^]*skein undo/);
        }
    assert.deepEqual(await w.messages(), []);
});

test('a failed edit is found by the beginning and the end of an id, before half an edit, and not where several have it', async () => {
    const w = await fresh(server, []);
    const other = await server.post(`${w.path}/chats`, { title: 'other' }, 201);
    const m = await w.say('hello');
    await half(w, await w.say('gone', { chatId: other.id }));
    // The end of an id may begin with a dash.
    const again = (place, ref) => run([...place, '-w', w.name, 'edit', '--retry-failed', '-y', '--json', '--', ref]);
    for (const place of nearAndFar())
        for (const part of [m.messageId.slice(0, 4), m.messageId.slice(-6)]) {
            const mend = await breakRemovals(server.store);
            assert.equal((await del(w, m.messageId)).status, 500);
            await mend();
            assert.equal((await server.get(`${w.path}/edit-errors`)).data.length, 2);
            assert.equal((await again(place, m.messageId.slice(-3))).code, 3);
            await sql(server.store, `INSERT INTO edit_errors(uid, world_id, conversation_id, message_uid, operation, error, created_at)
  SELECT 'ee_' || '${m.messageId}', world_id, conversation_id, '${part}' || 'between' || '${part}', 'remove', '', 1
    FROM edit_errors WHERE message_uid = '${m.messageId}'`);
            const several = await again(place, part);
            assert.equal(several.code, 2, several.err);
            assert.match(several.err, new RegExp(`${part}between${part}`));
            await sql(server.store, `DELETE FROM edit_errors WHERE uid = 'ee_${m.messageId}'`);
            const done = await again(place, part);
            assert.equal(done.code, 0, done.err);
            await w.travel('undo');
        }
});

test('the last 100 failed edits are kept', async () => {
    const w = await fresh(server, []);
    const m = await w.say('hello');
    const mend = await breakRemovals(server.store);
    try {
        for (let i = 0; i < 103; i++) {
            const r = await del(w, m.messageId);
            assert.equal(r.status, 500);
        }
    } finally {
        await mend();
    }
    assert.equal((await server.get(`${w.path}/edit-errors`)).data.length, 100);
}, 60000);

// --- Saying it once, and to whom ----------------------------------------------------------------

test('the same clientMessageId is stored once and comes back in message.created', async () => {
    const w = await fresh(server, ['ada']);
    const stream = w.events();
    await stream.event('stream.open');
    const [a, b] = await Promise.all([w.say('once', { clientMessageId: 'tmp-1' }), w.say('once', { clientMessageId: 'tmp-1' })]);
    assert.equal(a.messageId, b.messageId);
    assert.equal(a.clientMessageId, 'tmp-1');
    await stream.event('world.idle');
    assert.equal((await w.say('once', { clientMessageId: 'tmp-1' })).messageId, a.messageId);
    assert.deepEqual(texts(await w.messages()), ['once', 'ada heard human.']);
    const created = stream.of('message.created').filter(m => m.sender === 'human');
    assert.deepEqual(created.map(m => m.clientMessageId), ['tmp-1']);
    const other = await w.server.call('POST', `${w.path}/messages`, { body: { content: 'another', chatId: w.chat, clientMessageId: 'tmp-1' } });
    assert.ok([409, 422].includes(other.status), other.text);
    const elsewhere = await fresh(server, []);
    assert.notEqual((await elsewhere.say('once', { clientMessageId: 'tmp-1' })).messageId, a.messageId);
    stream.close();
});

test('the Location of a posted message is where it is', async () => {
    const w = await fresh(server, []);
    const r = await server.call('POST', `${w.path}/messages`, { body: { message: 'by its first name', chatId: w.chat } });
    assert.equal(r.status, 202);
    assert.equal(r.headers.location, `${w.path}/messages/${r.body.messageId}`);
    assert.equal((await server.get(r.headers.location)).content, 'by its first name');
});

test('seenByAgents and delivery say who has it and what became of it', async () => {
    const w = await fresh(server, [...three, { name: 'broken', model: 'nowhere/none' }]);
    const state = d => Object.fromEntries(d.map(x => [x.agent, x.state]));
    const posted = await w.say('@ada @broken hello');
    assert.deepEqual([...posted.seenByAgents].sort(), ['ada', 'bo', 'broken', 'lead']);
    await w.idle();
    const m = await server.get(`${w.path}/messages/${posted.messageId}`);
    assert.deepEqual(state(m.delivery), { lead: 'inMemory', ada: 'answered', bo: 'inMemory', broken: 'failed' });
    const d = await server.get(`${w.path}/messages/${posted.messageId}/delivery`);
    assert.deepEqual(state(d.delivery), state(m.delivery));
    assert.equal(m.hasReply, true);
    const silent = await w.say('@nobody', { instructions: [{ type: 'ReadOnly' }] });
    const quiet = await server.get(`${w.path}/messages/${silent.messageId}`);
    assert.deepEqual([quiet.hasReply, new Set(Object.values(state(quiet.delivery)))], [false, new Set(['inMemory'])]);
    // What ada said is in the memory of the others; it answers somebody, so it is not a note, here as in the main lane.
    const heard = (await w.messages('&agent=bo')).find(x => x.sender === 'ada');
    assert.deepEqual([heard.memoryOnly, heard.role, heard.replyToMessageId], [false, 'user', null]);
});

// --- The queue -------------------------------------------------------------------------------------

test('what is said while agents work waits in order, can be changed and taken back, and is said', async () => {
    const w = await fresh(slow, ['ada']);
    const { stream } = await busy(w, 'hold');
    const posts = [];
    for (const t of ['first', 'second', 'third', 'fourth']) posts.push(await w.say(t));
    assert.ok(posts.every(p => p.queued), JSON.stringify(posts));
    const queue = async () => (await slow.get(`${w.chatPath}/queue`)).data;
    assert.deepEqual((await queue()).map(q => q.content), ['first', 'second', 'third', 'fourth']);
    assert.deepEqual((await queue()).map(q => q.messageId), posts.map(p => p.messageId));
    assert.deepEqual(texts(await w.messages()), ['hold']);
    await slow.ask('PATCH', `${w.chatPath}/queue/${posts[1].messageId}`, { content: 'second, better' });
    await slow.ask('DELETE', `${w.chatPath}/queue/${posts[2].messageId}`, undefined, 204);
    await slow.refused('DELETE', `${w.chatPath}/queue/${posts[2].messageId}`, 404, 'not-found');
    assert.deepEqual((await queue()).map(q => q.content), ['first', 'second, better', 'fourth']);
    await stream.until('the sixth queue.changed', () => stream.of('queue.changed').length >= 6);
    await stop(w);
    await w.idle();
    const all = await w.messages();
    assert.deepEqual(all.filter(m => m.sender === 'human').map(m => m.content), ['hold', 'first', 'second, better', 'fourth']);
    assert.deepEqual(all.filter(m => m.sender === 'human').slice(1).map(m => m.messageId), [posts[0], posts[1], posts[3]].map(p => p.messageId));
    for (const p of [posts[0], posts[1], posts[3]])
        assert.equal(all.filter(m => m.replyToMessageId === p.messageId && m.sender === 'ada').length, 1);
    assert.deepEqual(await queue(), []);
    stream.close();
});

test('what is sent by way of the queue is streamed or waited for like any other message', async () => {
    const w = await slow.world('queued-stream', ['ada']);
    const streamed = await slow.call('POST', `${w.chatPath}/queue`, { body: { content: 'hello', stream: true } });
    assert.match(streamed.text, /event: world\.idle/);
    const waited = await slow.ask('POST', `${w.chatPath}/queue`, { content: 'hello again' }, 200, { headers: { prefer: 'wait=20' } });
    assert.equal(waited.replies.length, 1);
});

test('a world is busy from the first message to the last answer, at every moment between', async () => {
    const desk = await Desk.open(slow);
    const w = await fresh(slow, [...three.filter(name => name !== 'bo'), { name: 'bo', model: desk.model }]);
    const stream = w.events();
    await stream.event('stream.open');
    await w.say('@bo hold');
    const bo = await desk.next(); // the others have to wait for it
    desk.auto = () => 'The end of it.';
    const queued = await Promise.all(Array.from({ length: 6 }, (_, i) => w.say(`@lead chain ${i}`)));
    assert.ok(queued.every(m => m.queued));
    const answers = [];
    let done = false;
    const look = async () => {
        while (!done) {
            const { isProcessing } = await slow.get(`${w.path}/status`);
            answers.push({ isProcessing, at: Date.now() });
        }
    };
    const lookers = [look(), look(), look()];
    const last = (await slow.get(`${w.chatPath}/queue`)).data.at(-1).messageId;
    bo.answer('I was long.');
    const idle = await stream.event('world.idle', (_, e) => e.cause === last, { ms: 30000 });
    done = true;
    await Promise.all(lookers);
    assert.equal(stream.of('message.completed').filter(m => m.content === 'The end of it.').length, 6);
    const before = answers.filter(a => a.at < Date.parse(idle.body.time));
    assert.deepEqual(before.filter(a => !a.isProcessing), [], `of ${before.length} answers`);
});

test('a dry run changes nothing, whether it stands in the address or in the body', async () => {
    const w = await fresh(server, []);
    const m = await w.say('hello');
    const before = await w.etag(), path = `${w.path}/messages/${m.messageId}`;
    for (const [method, url, body] of [['DELETE', `${path}?chatId=${w.chat}`], ['PUT', path, { chatId: w.chat, newContent: 'bye' }], ['PUT', `${path}/instructions`, { instructions: [{ type: 'Late' }] }],
        ['POST', `${w.chatPath}/operations`, { op: 'amend', messageId: m.messageId, content: 'bye' }]]) {
        await server.ask(method, `${url}${url.includes('?') ? '&' : '?'}dryRun=true`, body);
        await server.ask(method, url, { ...body, dryRun: true });
    }
    assert.deepEqual([await w.etag(), texts(await w.messages())], [before, ['hello']]);
});

test('a waiting message can be said at once', async () => {
    const w = await fresh(slow, ['ada', 'bo']);
    const { stream } = await busy(w, '@ada hold');
    const waiting = await w.say('@bo now');
    assert.equal(waiting.queued, true);
    const said = await slow.call('PATCH', `${w.chatPath}/queue/${waiting.messageId}`, { body: { send: true } });
    assert.ok([200, 202].includes(said.status), said.text);
    await stream.event('message.completed', d => d.sender === 'bo');
    assert.ok(texts(await w.messages()).includes('@bo now'));
    await stop(w);
    stream.close();
});

test('stop works at once, keeps what was written, and says so', async () => {
    const w = await fresh(slow, ['ada']);
    const { stream, writing, message } = await busy(w, 'hold');
    const r = await stop(w);
    assert.equal(r.stopped, 1);
    const done = await stream.event('message.completed', d => d.messageId === writing);
    assert.equal(done.body.data.finishReason, 'stopped');
    const all = await w.messages();
    assert.deepEqual(texts(all), ['hold', done.body.data.content]);
    assert.ok('I begin, and it will take long.'.startsWith(all[1].content) && all[1].content.length > 0, all[1].content);
    assert.equal(all[1].replyToMessageId, message.messageId);
    assert.equal((await slow.get(`${w.path}/status`)).isProcessing, false);
    assert.equal((await stop(w)).stopped, 0);
    stream.close();
});

await finish();
