// slots.mjs: servers that answer one question at a time, and those that are spent or away: who waits and how that is told, in which order
// questions go, and who answers instead.
import { Server, assert, eventually, finish, run, test } from './lib.mjs';
import { Desk, watch } from './desk.mjs';
import { Llama } from './llama.mjs';

const server = await Server.start();
let names = 0;
const world = (model, agents = ['ada']) => server.world(`slots${++names}`, agents.map(one => ({ name: one, model })));
const agent = (w, name = 'ada') => server.get(`${w.path}/agents/${name}`);
const waits = (w, detail, name = 'ada') => eventually(`${name} waits ${detail}`, async () => {
    const now = await agent(w, name);
    return now.state === 'waiting' && now.detail === detail && now;
});
const timeoutMs = 2000;
const last = async w => (await w.messages()).at(-1).content;

test('a server on this computer is asked one question at a time, and to wait for it is no stall', async () => {
    const desk = await Desk.open(server, undefined, { timeoutMs });
    const one = await world(desk.model), other = await world(desk.model);
    await one.say('first');
    const first = await desk.next(), alive = setInterval(() => first.begin('word '), 100), stream = await watch(other);
    await other.say('second');
    const { until } = await waits(other, `for ${desk.model.split('/')[0]}, which answers others first`);
    const began = Date.now();
    assert.equal(until, null, 'nobody knows until when');
    assert.equal(await eventually('a wait that is longer than the time for an answer', async () => {
        return (await agent(other)).state === 'waiting' && Date.now() - began > 1.2 * timeoutMs;
    }), true);
    clearInterval(alive);
    assert.equal(desk.waiting.length, 0);
    first.answer('done');
    const second = await desk.next();
    await stream.event('agent.state', e => e.state === 'thinking', { from: stream.events.findIndex(e => e.body?.data?.state === 'waiting') });
    stream.close();
    second.answer('Here I am.');
    for (const w of [one, other]) await w.idle();
    assert.equal(await last(other), 'Here I am.');
});

test('what is set counts: two at once, and no limit for a server elsewhere is not made up', async () => {
    const desk = await Desk.open(server, undefined, { concurrency: 2 }), w = await world(desk.model, ['ada', 'bo', 'cy']);
    await w.say('all of you');
    const [a, b] = [await desk.next(), await desk.next()];
    await eventually('the third waits', async () => (await server.get(w.path)).agents.filter(one => one.state === 'waiting').length === 1);
    assert.equal(desk.waiting.length, 0);
    a.answer('one');
    (await desk.next()).answer('three');
    b.answer('two');
    await w.idle();
});

test('a server with slots is asked as many questions at once as it has', async () => {
    let go;
    const full = new Promise(resolve => { go = resolve; });
    const peer = await Llama.open(server, { slots: 3, says: () => {
        if (peer.outstanding === 3) go();
        return full.then(() => 'Yes.');
    } });
    const w = await world(peer.model, ['ada', 'bo', 'cy', 'di', 'eve']);
    await w.converse('all of you');
    assert.deepEqual([peer.most, peer.asked.length], [3, 5]);
});

test('it is asked once for what it can read and how much at once', async () => {
    const peer = await Llama.open(server, { slots: 1, says: () => 'Yes.' }), w = await world(peer.model, ['ada', 'bo', 'cy']);
    await w.converse('all of you');
    assert.deepEqual([peer.most, peer.asked.length, peer.seen.filter(url => url === '/props').length], [1, 3, 1]);
});

test('a conversation with many questions does not keep another one waiting', async () => {
    const desk = await Desk.open(server, undefined, {}), busy = await world(desk.model, ['ada', 'bo', 'cy', 'di']), calm = await world(desk.model, ['eve']);
    await busy.say('all of you');
    const first = await desk.next();
    await eventually('three wait', async () => (await server.get(busy.path)).agents.filter(one => one.state === 'waiting').length === 3);
    await calm.say('a word');
    await waits(calm, `for ${desk.model.split('/')[0]}, which answers others first`, 'eve');
    first.answer('one');
    const order = [];
    for (let i = 0; i < 4; i++) {
        const q = await desk.next();
        order.push(/@eve/.test(q.system) ? 'calm' : 'busy');
        q.answer('next');
    }
    for (const w of [busy, calm]) await w.idle();
    assert.deepEqual(order, ['busy', 'calm', 'busy', 'busy']);
});

test('who is stopped in the line is asked nothing, and holds up nobody', async () => {
    const desk = await Desk.open(server, undefined, {}), one = await world(desk.model), other = await world(desk.model), third = await world(desk.model);
    await one.say('first');
    const first = await desk.next();
    await other.say('second');
    await waits(other, `for ${desk.model.split('/')[0]}, which answers others first`);
    await third.say('third');
    await server.post(`${other.path}/messages/stop`, {}, 200);
    first.answer('done');
    const next = await desk.next();
    assert.equal(next.last.content, 'third');
    next.answer('and me');
    for (const w of [one, other, third]) await w.idle();
    assert.equal(await last(other), 'second');
});

test('silence before the first word is no answer: the question is put once more', async () => {
    const desk = await Desk.open(server, undefined, { timeoutMs }), w = await world(desk.model);
    await w.say('are you there?');
    await (await desk.next()).gone;
    (await desk.next()).answer('Now I am.');
    await w.idle();
    assert.equal(await last(w), 'Now I am.');
});

// --- Spent, or away --------------------------------------------------------------------------------------

const failed = async w => {
    const stream = await watch(w), { body } = await stream.event('message.failed');
    stream.close();
    return body.data.detail;
};
const inAnHour = 3600, later = new Date(Date.now() + inAnHour * 1000);

for (const [says, headers, message, which, seconds] of [
    ['a time to wait', { 'retry-after': String(inAnHour) }, 'slow down', '', inAnHour],
    ['a date', { 'retry-after': later.toUTCString() }, 'slow down', '', inAnHour],
    ['requests', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0.5s', 'x-ratelimit-remaining-tokens': '149984', 'x-ratelimit-reset-tokens': '1s' }, 'no more', ', its limit of requests', 360],
    ['tokens, and the time apart', { 'x-ratelimit-remaining-requests': '4', 'x-ratelimit-remaining-tokens': '0', 'retry-after': '90' }, 'no more', ', its limit of tokens', 90],
    ['tokens that are read', { 'anthropic-ratelimit-requests-remaining': '4', 'anthropic-ratelimit-input-tokens-remaining': '0', 'anthropic-ratelimit-input-tokens-reset': later.toISOString() }, 'no more', ', its limit of input tokens', inAnHour],
    ['milliseconds since 1970', { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(later.getTime()) }, 'no more', ', its limit of requests', inAnHour],
    ['words', {}, 'Rate limit reached for m on tokens per day. Please try again in 7m12.5s.', '', 432],
    ['words of a quota', {}, 'You exceeded your current quota. Please retry in 94.07s.', '', 94],
])
    test(`which limit is reached and until when is told (${says})`, async () => {
        const desk = await Desk.open(server), w = await world(desk.model);
        await w.say('hello');
        (await desk.next()).fail(429, message, headers);
        const detail = await failed(w);
        const [, limit, day, time, rest] = /asked too often \(429\)(.*?), until (\S+) (\S+) UTC: (.*)$/.exec(detail) ?? assert.fail(detail);
        assert.deepEqual([limit, rest], [which, message]);
        assert.ok(Math.abs((Date.parse(`${day}T${time}Z`) - Date.now()) / 1000 - seconds) < 60, detail);
        const { state, detail: told } = await server.get(`/providers/${desk.model.split('/')[0]}`);
        assert.deepEqual([state, told], ['limited', detail]);
        await w.idle();
    });

test('a quota that is used up is not asked again, and called so', async () => {
    const desk = await Desk.open(server), w = await world(desk.model);
    await w.say('hello');
    (await desk.next()).fail(429, 'check your plan (insufficient_quota)');
    assert.match(await failed(w), /says that its quota is used up \(429\): check your plan/);
});

// Its agent asks `model`, and `desk` where that is down.
async function withFallback(model, desk) {
    const w = await world(model);
    const { fallback } = await server.ask('PATCH', `${w.path}/agents/ada`, { fallback: desk.model });
    assert.equal(fallback, desk.model);
    return w;
}

await server.post('/providers', { name: 'away', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', maxRetries: 0 });

for (const [model, state] of [['away/m', 'unreachable'], ['nobody/m', null]])
    test(`where ${model} cannot be asked the fallback answers, and the message says so`, async () => {
        const desk = await Desk.open(server), w = await withFallback(model, desk);
        await w.say('hello');
        const asked = await desk.next();
        assert.equal(asked.last.content, 'hello');
        asked.answer('In its place.');
        await w.idle();
        const answer = (await w.messages()).at(-1);
        assert.deepEqual([answer.content, answer.model], ['In its place.', desk.model]);
        const calls = (await server.get(`${w.path}/agents/ada/calls`)).data.map(c => [c.model, c.state]);
        assert.deepEqual(calls, [[desk.model, 'answered'], ...(state ? [[model, state]] : [])]);
        assert.equal((await agent(w)).model, model, 'the next question goes to its own model first');
    });

test('a limit is not waited for where another model stands by, and the next question goes to the own model again', async () => {
    const own = await Desk.open(server), desk = await Desk.open(server), w = await withFallback(own.model, desk);
    await w.say('hello');
    (await own.next()).fail(429, 'slow down', { 'retry-after': '30' });
    (await desk.next()).answer('', [{ id: 'c1', name: 'list_agents' }]);
    (await desk.next()).answer('In its place.'); // the turn stays with it
    await w.idle();
    await w.say('and now?');
    (await own.next()).answer('Back again.');
    await w.idle();
    const said = (await w.messages()).filter(m => m.role === 'assistant' && m.content).map(m => [m.content, m.model]);
    assert.deepEqual(said, [['In its place.', desk.model], ['Back again.', own.model]]);
});

test('what is refused for what it says is not sent to another one, and when both are down the last reason is told', async () => {
    const own = await Desk.open(server), desk = await Desk.open(server, undefined, { maxRetries: 0 }), w = await withFallback(own.model, desk);
    await w.say('hello');
    (await own.next()).fail(400, 'not this');
    assert.match(await failed(w), /refuses to answer \(400\): not this/);
    assert.equal(desk.waiting.length, 0);
    await server.ask('PATCH', `${w.path}/agents/ada`, { model: 'away/m' });
    const again = await world('away/m');
    await server.ask('PATCH', `${again.path}/agents/ada`, { fallback: desk.model });
    await again.say('hello');
    (await desk.next()).fail(503, 'nor I');
    assert.match(await failed(again), /cannot answer just now \(503\): nor I/);
});

test('a fallback is a model, is set and shown by the commands, and is taken away', async () => {
    const w = await world('demo/scripted');
    for (const fallback of ['x', '/x', 'x/', 7]) {
        const { errors } = await server.ask('PATCH', `${w.path}/agents/ada`, { fallback }, 400);
        assert.deepEqual(errors.map(e => e.pointer), ['/fallback']);
    }
    for (const where of [server.store.args, ['--server', server.url.href]]) {
        const edit = (...words) => run(['agent', 'edit', 'ada', ...words, '-w', w.name, ...where]);
        assert.equal((await edit('--fallback=away/m')).code, 0);
        assert.match((await run(['agent', 'show', 'ada', '-w', w.name, ...where])).out, /when its model cannot answer: away\/m\n/);
        assert.equal((await edit('--fallback=')).code, 0);
        assert.equal((await agent(w)).fallback, null);
        const wrong = await edit('--fallback=nowhere/m');
        assert.notEqual(wrong.code, 0);
        assert.match(wrong.err, /there is no provider "nowhere"/);
    }
});

test('an agent whose model or fallback has no provider yet says so, until there is one', async () => {
    const w = await world('later/m', ['ada', 'bo']), told = async () => [(await agent(w)).problem, (await agent(w, 'bo')).problem];
    const what = 'is not set up';
    await server.ask('PATCH', `${w.path}/agents/bo`, { model: 'away/m', fallback: 'later/m' });
    assert.deepEqual(await told(), [`the provider of its model "later/m" ${what}`, `the provider of its fallback "later/m" ${what}`]);
    for (const words of [['status'], ['agent', 'show', 'ada']])
        assert.match((await run([...words, '-w', w.name, '--server', server.url.href])).out, /ada: the provider of its model "later\/m" is not set up/);
    await server.post('/providers', { name: 'later', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', maxRetries: 0 });
    await eventually('it is set up', async () => (await told()).every(p => p === null));
});

await finish();
