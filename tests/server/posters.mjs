// posters.mjs: ten people who post at the same time, ten agents who answer each of them: everything is
// stored once, in one order that everybody sees, and every agent remembers all of it.
import { Server, assert, finish, limit, rounds, test } from './lib.mjs';
import { team } from './team.mjs';

const server = await Server.start({ script: team() });
const agents = Array.from({ length: 10 }, (_, i) => `agent${i}`);
const ids = frames => frames.filter(f => ['message.created', 'message.completed'].includes(f.event)).map(f => f.body.data.messageId);

function counts(list) {
    const n = new Map();
    for (const x of list) n.set(x, (n.get(x) ?? 0) + 1);
    return n;
}

// Posts `each` messages for every person, all at once, every second one a second time as a client does
// that got no answer.
async function talk(w, people, each) {
    const stored = new Map();
    await Promise.all(Array.from({ length: people }, async (_, p) => {
        for (let i = 0; i < each; i++) {
            const name = `p${p}-${i}`;
            const post = () => w.say(`${name} says hello`, { clientMessageId: name });
            const first = await post();
            stored.set(name, first.messageId);
            if (i % 2) assert.equal((await post()).messageId, first.messageId);
        }
    }));
    return stored;
}

async function check(w, stored) {
    const all = await w.messages();
    const human = all.filter(m => m.sender === 'human');
    assert.equal(human.length, stored.size);
    assert.deepEqual(new Set(human.map(m => m.messageId)), new Set(stored.values()));
    assert.equal(new Set(all.map(m => m.messageId)).size, all.length);
    const answers = counts(all.filter(m => m.sender !== 'human').map(m => `${m.sender} ${m.replyToMessageId}`));
    for (const id of stored.values())
        for (const a of agents) assert.equal(answers.get(`${a} ${id}`), 1, `${a} and ${id}`);
    assert.equal(all.length, stored.size * 11);
    for (const a of agents) {
        const memory = (await w.messages(`&agent=${a}`)).filter(m => m.role !== 'summary'); // long memories are summarised
        assert.deepEqual(memory.map(m => m.messageId), all.map(m => m.messageId), `${a} remembers something else`);
    }
    return all;
}

test('ten people in one room with ten agents: each message once, one order, whole memories', async () => {
    const w = await server.world('room', agents);
    const early = Array.from({ length: 4 }, () => w.events('?types=message'));
    for (const s of early) await s.event('stream.open');
    const stored = await talk(w, 10, rounds(5));
    await w.idle(120000);
    const all = await check(w, stored);
    const late = w.events('?types=message&after=0');
    const last = all.at(-1).messageId;
    for (const s of [...early, late]) {
        await s.until('the last answer', e => ['message.created', 'message.completed'].includes(e.event) && e.body.data.messageId === last, { ms: 60000 });
        assert.deepEqual(ids(s.events), all.map(m => m.messageId), 'a client sees another order');
        s.close();
    }
}, limit(170000));

test('ten people in ten rooms with ten agents each do not disturb one another', async () => {
    const worlds = await Promise.all(Array.from({ length: 10 }, (_, i) => server.world(`own${i}`, agents)));
    const everything = server.stream('/events?types=message');
    await everything.event('stream.open');
    const stored = await Promise.all(worlds.map(w => talk(w, 1, rounds(3))));
    await Promise.all(worlds.map(w => w.idle(120000)));
    for (const [i, w] of worlds.entries()) {
        const all = await check(w, stored[i]);
        const told = () => ids(everything.events.filter(e => e.body.world === w.name));
        await everything.until('the last answer', () => told().length >= all.length, { ms: 60000 });
        assert.deepEqual(told(), all.map(m => m.messageId));
    }
    everything.close();
}, limit(170000));

await finish();
