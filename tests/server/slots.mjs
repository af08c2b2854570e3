// slots.mjs: servers that answer one question at a time, and those that are spent or away: who waits and how that is told, in which order
// questions go, and who answers instead.
import { Server, assert, eventually, finish, limit, test } from './lib.mjs';
import { Desk, watch } from './desk.mjs';

const server = await Server.start();
let names = 0;
const world = (model, agents = ['ada']) => server.world(`slots${++names}`, agents.map(one => ({ name: one, model })));
const agent = (w, name = 'ada') => server.get(`${w.path}/agents/${name}`);
const waits = (w, detail, name = 'ada') => eventually(`${name} waits ${detail}`, async () => {
    const now = await agent(w, name);
    return now.state === 'waiting' && now.detail === detail && now;
});
const timeoutMs = Math.max(1000, limit(400));
const last = async w => (await w.messages()).at(-1).content;

test('a server on this computer is asked one question at a time, and to wait for it is no stall', async () => {
    const desk = await Desk.open(server, undefined, { timeoutMs });
    const one = await world(desk.model), other = await world(desk.model);
    await one.say('first');
    const first = await desk.next(), stream = await watch(other);
    await other.say('second');
    const { until } = await waits(other, `for ${desk.model.split('/')[0]}, which answers others first`);
    const began = Date.now();
    assert.equal(until, null, 'nobody knows until when');
    assert.equal(await eventually('a wait that is longer than the time for an answer', async () => {
        first.begin('word ');
        return (await agent(other)).state === 'waiting' && Date.now() - began > 1.5 * timeoutMs;
    }), true);
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

await finish();
