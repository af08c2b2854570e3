// failures.mjs: a turn that fails leaves its trace: at the agent, at the message that was not answered, and in what
// the model was sent; by the API and by the commands.
import { Server, assert, eventually, finish, mortal, run, test, within } from './lib.mjs';
import { sql } from './sabotage.mjs';
import { Desk, asked, own, rows, watch } from './desk.mjs';

const reason = 'this model is out of order';
const server = await Server.start();
const desk = await Desk.open(server);
let number = 0;

const fresh = (agents = ['ada', 'bo'], model = desk.model) =>
    server.world(`failures${++number}`, agents.map(name => ({ name, model })));
async function told(w, ...args) {
    const out = await run([...args, '-w', w.name, ...server.store.args]);
    assert.equal(out.code, 0, out.err);
    return out.out;
}
// Says something to ada that her model fails to answer; gives the message.
async function inVain(w, content, more = {}) {
    const stream = await watch(w);
    const said = await w.say(content, more);
    (await desk.next()).fail(400, reason);
    await stream.event('message.failed');
    await w.idle();
    stream.close();
    return said;
}
const about = (w, name = 'ada') => server.get(`${w.path}/agents/${name}`);
const clock = text => Date.parse(text);

test('an agent whose turn failed says so, why and when, until it has done something else', async () => {
    const w = await fresh(), before = Date.now();
    assert.deepEqual([(await about(w)).state, (await about(w)).failedAt], ['idle', null]);
    const stream = await watch(w);
    await inVain(w, '@ada hello');
    const ada = await about(w);
    assert.deepEqual([ada.state, ada.failedChatId], ['failed', w.chat]);
    assert.match(ada.detail, new RegExp(reason));
    assert.ok(clock(ada.failedAt) >= before - 1 && clock(ada.failedAt) <= Date.now(), ada.failedAt);
    const event = await stream.event('agent.state', e => e.state === 'failed');
    assert.deepEqual([event.body.data.detail, event.body.chatId], [ada.detail, w.chat]);
    assert.match(await told(w, 'agent', 'ls'), new RegExp(`ada +failed .*${reason}`));
    assert.equal((await server.get(w.path)).agents.find(a => a.name === 'ada').state, 'failed');
    assert.equal((await about(w, 'bo')).state, 'idle');
    await w.say('@ada again');
    (await desk.next()).answer('I am back.');
    await w.idle();
    assert.deepEqual([(await about(w)).state, (await about(w)).detail, (await about(w)).failedAt, (await about(w)).failedChatId], ['idle', null, null, null]);
});

test('an agent that failed, paused and goes on is told alike by events and answers', async () => {
    const w = await fresh();
    await inVain(w, '@ada hello');
    const stream = await watch(w), from = stream.events.length;
    await server.ask('PATCH', `${w.path}/agents/ada`, { paused: true });
    assert.equal((await about(w)).state, 'paused');
    await server.ask('PATCH', `${w.path}/agents/ada`, { paused: false });
    const paused = await stream.event('agent.state', e => e.state === 'paused', { from });
    await stream.event('agent.state', e => e.state === 'failed', { from: stream.events.indexOf(paused) });
    assert.equal((await about(w)).state, 'failed');
});

test('a message that was not answered says who failed, when and why', async () => {
    const w = await fresh(), said = await inVain(w, '@ada what is this?');
    const { delivery } = (await w.messages()).find(m => m.messageId === said.messageId);
    const ada = delivery.find(d => d.agent === 'ada');
    assert.equal(ada.state, 'failed');
    assert.match(ada.error, new RegExp(reason));
    assert.equal(ada.failedAt, (await about(w)).failedAt);
    assert.deepEqual(delivery.find(d => d.agent === 'bo'), { agent: 'bo', state: 'inMemory' });
    const line = new RegExp(`✕ @?ada failed at \\S+.*: .*${reason}`);
    assert.match(await told(w, 'log'), line);
    assert.match(await told(w, 'log', '--oneline'), line);
    assert.match(await told(w, 'show', said.messageId), line);
    assert.match(await told(w, 'show', '--delivery', said.messageId), /ada +failed\n *bo +in memory\n/);
    for (const words of [['log', '--json'], ['show', said.messageId, '--json']]) {
        const found = [JSON.parse(await told(w, ...words))].flat().find(m => m.messageId === said.messageId);
        assert.deepEqual(found.delivery, delivery, words[0]);
    }
});

test('what was sent for a message that was not answered is shown with the error', async () => {
    const w = await fresh(), said = await inVain(w, '@ada a question of mine');
    const call = await server.get(`${w.path}/messages/${said.messageId}/context?chatId=${w.chat}`);
    assert.match(JSON.stringify(call.request), /a question of mine/);
    assert.match(call.error, new RegExp(reason));
    assert.match(call.response, new RegExp(reason));
    assert.notEqual(call.state, 'answered');
    assert.deepEqual([call.agent, call.purpose, call.messageId], ['ada', 'turn', null]);
    assert.match(await told(w, 'inspect', '--call', said.messageId), new RegExp(`turn for @?ada[^]*${reason}`));
    assert.match(await told(w, 'inspect', '--call', said.messageId, '--saw'), /a question of mine/);
    assert.equal((await asked(w, 'ada', 'turn')).length, 1, 'one question is one record');
});

// Says it to ada, and waits until the first words of her answer have come; gives the question to her model.
async function halfway(w, content, words) {
    const stream = await watch(w);
    await w.say(content);
    const question = await desk.next();
    question.begin(words);
    await stream.words();
    stream.close();
    return question;
}

test('an answer that is stopped is kept with what was sent and what came, and counts', async () => {
    const w = await fresh();
    await server.ask('PATCH', w.path, { settings: { monthlyTokens: 20 } });
    const question = await halfway(w, '@ada a question of mine', 'Once upon a time');
    const stream = await watch(w);
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await question.gone;
    const half = (await w.messages()).at(-1);
    assert.equal(half.content, 'Once upon a time');
    const call = await server.get(`${w.path}/messages/${half.messageId}/context?chatId=${w.chat}`);
    assert.match(JSON.stringify(call.request), /a question of mine/);
    assert.match(call.response, /Once upon a time/);
    assert.deepEqual([call.agent, call.purpose, call.state, call.messageId], ['ada', 'turn', 'stopped', half.messageId]);
    assert.deepEqual([call.usage.estimated, call.usage.outputTokens, call.usage.inputTokens > 20], [true, 4, true]);
    assert.deepEqual(half.usage, call.usage);
    const { usage } = (await stream.event('message.completed')).body.data;
    assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.estimated], [call.usage.inputTokens, 4, true]);
    assert.match(await told(w, 'inspect', '--call', half.messageId), /stopped in[^]*estimated[^]*Once upon a time/);
    assert.match(await told(w, 'inspect', '--call', half.messageId, '--saw'), /a question of mine/);
    assert.equal((await asked(w, 'ada', 'turn')).length, 1, 'one question is one record');
    await w.say('@ada and on');
    assert.match((await stream.event('message.failed')).body.data.detail, /has used \d+ of the 20 tokens/);
    stream.close();
});

test('what was sent for an answer that was stopped before its first word is kept, too', async () => {
    const w = await fresh();
    await w.say('@ada a question of mine');
    const question = await desk.next();
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await question.gone;
    const [call, ...others] = await asked(w, 'ada', 'turn');
    assert.equal(others.length, 0);
    assert.match(JSON.stringify(call.request), /a question of mine/);
    assert.deepEqual([call.state, call.messageId], ['stopped', null]);
});

test('a turn that fails after a tool has run shows the question that failed, not the one before', async () => {
    const w = await fresh(), stream = await watch(w), said = await w.say('@ada who is here?');
    (await desk.next()).answer('', [{ id: 'c1', name: 'list_agents' }]);
    (await desk.next()).fail(400, reason);
    await stream.event('message.failed');
    await w.idle();
    const call = await server.get(`${w.path}/messages/${said.messageId}/context?chatId=${w.chat}`);
    assert.match(call.error, new RegExp(reason));
    assert.match(JSON.stringify(call.request), /list_agents/);
    assert.equal((await asked(w, 'ada', 'turn')).length, 2);
});

test('where nothing was sent, that is said with the reason', async () => {
    const w = await fresh(['ada'], 'nowhere/none'), stream = await watch(w), said = await w.say('hello');
    await stream.event('message.failed');
    await w.idle();
    const missing = await server.ask('GET', `${w.path}/messages/${said.messageId}/context?chatId=${w.chat}`, undefined, 404);
    assert.match(missing.type, /call-not-found$/);
    assert.match(missing.detail, /nothing was sent to a model.*ada failed: there is no provider "nowhere"/);
    const out = await run(['inspect', '--call', said.messageId, '-w', w.name, ...server.store.args]);
    assert.notEqual(out.code, 0);
    assert.match(out.err, /ada failed: there is no provider "nowhere"/);
});

test('in conversations of its own an agent that fails leaves the same trace', async () => {
    const w = await fresh(['ada']), stream = await watch(w);
    const said = await server.post(`${w.path}/messages`, { content: 'just you', agent: 'ada' }, 202);
    (await desk.next()).fail(400, reason);
    await stream.event('message.failed');
    await w.idle();
    const [row] = await rows(w, 'ada', 'foreground'), { id } = await own(w, 'ada', 'foreground');
    assert.deepEqual(row.delivery.map(d => [d.agent, d.state]), [['ada', 'failed']]);
    assert.match(row.delivery[0].error, new RegExp(reason));
    assert.match(await told(w, 'log', '-c', id), new RegExp(`ada failed at .*${reason}`));
    const call = await server.get(`${w.path}/messages/${said.messageId}/context?chatId=${id}`);
    assert.match(call.error, new RegExp(reason));
});

test('what was sent by a program that was killed is not known, and that is said', async () => {
    const killed = await Server.start({ env: mortal }), own = await Desk.open(killed);
    const w = await killed.world('killed', [{ name: 'ada', model: own.model }]), stream = await watch(w);
    const said = await w.say('hello');
    (await own.next()).begin('Once upon');
    await stream.words();
    stream.close();
    await killed.kill();
    const again = await Server.start({ store: killed.store });
    w.server = again;
    await w.idle();
    const missing = await again.ask('GET', `${w.path}/messages/${said.messageId}/context?chatId=${w.chat}`, undefined, 404);
    assert.match(missing.detail, /what was sent to a model for .* is not known: ada failed: the server .* went away in the middle of it/);
    const out = await run(['inspect', '--call', said.messageId, '-w', w.name, ...again.store.args]);
    assert.notEqual(out.code, 0);
    assert.match(out.err, /what was sent to a model for .* is not known/);
    assert.doesNotMatch(out.err, /nothing was sent/);
});

test('of an answer whose server is killed only the last moment is lost', async () => {
    const killed = await Server.start({ env: mortal }), own = await Desk.open(killed);
    const w = await killed.world('moment', [{ name: 'ada', model: own.model }]), stream = await watch(w);
    // What a busy machine is late with once, it is not late with each time.
    let question, took = Infinity;
    for (let tries = 0; took >= 1000 && tries < 10; tries++) {
        question?.answer('');
        await w.idle();
        await w.say('hello');
        question = await own.next();
        const begun = Date.now();
        question.begin('Once upon ');
        await eventually('what is saved of it', () => sql(killed.store, 'SELECT text FROM written'));
        took = Date.now() - begun;
    }
    assert.ok(took < 1000, `it was saved after ${took} ms`);
    question.begin('a time');
    await stream.words('time');
    stream.close();
    await killed.kill();
    await killed.start();
    await w.idle();
    const half = (await w.messages()).at(-1);
    assert.deepEqual([half.sender, half.unfinished], ['ada', 'cut']);
    assert.match(half.content, /^Once upon/);
    await killed.stop();
});

// How a server goes away in the middle of an answer, and what is said of it then.
const ends = {
    'is killed': [s => s.kill(), 'the server that spoke for the agent went away in the middle of it'],
    'is ended': [s => s.stop(), 'the server was ended in the middle of it'],
};

for (const [how, [end, why]] of Object.entries(ends))
    test(`an agent whose server ${how} in the middle of its answer has failed, and says why, until it answers`, async () => {
        const own = await Server.start({ env: mortal }), models = await Desk.open(own);
        const w = await own.world('left', ['ada', 'bo'].map(name => ({ name, model: models.model }))), stream = await watch(w);
        const ada = () => own.get(`${w.path}/agents/ada`), shown = async (...words) => (await run([...words, '-w', w.name, ...own.store.args])).out;
        await w.say('@ada hello');
        (await models.next()).fail(400, reason);
        await stream.event('message.failed');
        const said = await w.say('@ada once more');
        (await models.next()).begin('Once upon');
        await stream.words();
        stream.close();
        await end(own);
        await own.start();
        await w.idle();
        const now = await ada(), { failedAt } = (await w.messages()).find(m => m.messageId === said.messageId).delivery.find(d => d.agent === 'ada');
        assert.deepEqual([now.state, now.detail, now.failedAt, now.failedChatId, now.stoppedAt], ['failed', why, failedAt, w.chat, null]);
        assert.deepEqual((await own.get(w.path)).agents.map(a => [a.name, a.state]), [['ada', 'failed'], ['bo', 'idle']]);
        for (const words of [['agent', 'ls'], ['status']]) assert.match(await shown(...words), new RegExp(`ada +failed .*${why}`), words[0]);
        const after = await watch(w), { body } = await after.event('agent.state', e => e.state === 'failed' && e.detail === why);
        assert.deepEqual([body.data.agent, body.chatId, after.of('agent.state').at(-1).state], ['ada', w.chat, 'failed']);
        after.close();
        await w.say('@ada and now?');
        (await models.next()).answer('I am back.');
        await w.idle();
        const then = await ada();
        assert.deepEqual([then.state, then.detail, then.failedAt, then.failedChatId], ['idle', null, null, null]);
        await own.stop();
    });

test('what was said before all clocks began is in the log', async () => {
    const w = await fresh([]), said = await w.say('nobody is asked');
    await sql(server.store, `UPDATE messages SET created_at = -14182940000000 WHERE uid = '${said.messageId}'`);
    assert.match(await told(w, 'log', '--oneline'), /nobody is asked/);
    await sql(server.store, `UPDATE messages SET created_at = 1 WHERE uid = '${said.messageId}'`);
});

// What is to be asked about cannot be read: nothing is done rather than all.
test('where the settings of a world cannot be read, its agents do nothing', async () => {
    const w = await fresh(), stream = await watch(w);
    await sql(server.store, `UPDATE worlds SET settings = '{"approvals":' WHERE name = '${w.name}'`);
    await w.say('@ada hello');
    const failed = await stream.event('message.failed');
    stream.close();
    await sql(server.store, `UPDATE worlds SET settings = NULL WHERE name = '${w.name}'`);
    assert.match(JSON.stringify(failed.body), /the settings of world .* cannot be read/);
});

// Letters of two bytes behind one of a single byte: the last character that fits ends where a byte is left over. They do
// not repeat themselves, since an answer that does is stopped.
const letters = (n, x = 1) => `a${Array.from({ length: n }, () => String.fromCharCode(0xe0 + ((x = (x * 1103515245 + 12345) % 2147483648) >> 16) % 20)).join('')}`;

test('an answer that is longer than a message may be is kept as far as it fits, and what to do is said', async () => {
    const w = await fresh(), stream = w.events('?after=0&deltas=false'); // with its pieces it would be cut where this program is slow
    await stream.event('stream.open');
    const said = await w.say('@ada tell me everything');
    (await desk.next()).answer(letters(500000));
    await stream.event('message.failed');
    await w.idle();
    stream.close();
    const all = await w.messages(), kept = all.find(m => m.sender === 'ada');
    assert.deepEqual([kept?.unfinished, kept?.content.length, kept?.content], ['cut', 500000, letters(499999)]);
    const { delivery } = all.find(m => m.messageId === said.messageId);
    const { error } = delivery.find(d => d.agent === 'ada');
    assert.match(error, /^the answer is 1000001 bytes; limits\.messageBytes is 1000000/);
    assert.match(await told(w, 'log', '--oneline'), /ada failed at .*limits\.messageBytes/);
});

test('what a model thinks is cut where a message ends, and its answer is whole', async () => {
    const w = await fresh();
    await w.say('@ada think');
    const question = await desk.next();
    question.think(letters(500000));
    question.answer('It is four.');
    await w.idle();
    const answer = (await w.messages()).find(m => m.sender === 'ada');
    assert.deepEqual([answer?.content, answer?.unfinished ?? null, answer?.thinking.length], ['It is four.', null, 500000]);
});

test('all of it is there after a restart', async () => {
    const w = await fresh(), said = await inVain(w, '@ada remember this');
    const was = await about(w);
    await server.stop();
    const again = await Server.start({ store: server.store });
    try {
        const ada = await again.get(`${w.path}/agents/ada`);
        assert.deepEqual([ada.state, ada.detail, ada.failedAt], ['failed', was.detail, was.failedAt]);
        const call = await again.get(`${w.path}/messages/${said.messageId}/context?chatId=${w.chat}`);
        assert.match(call.error, new RegExp(reason));
    } finally {
        await within(20000, 'the end of the server', again.stop());
    }
});

await finish();
