// kills.mjs: the server is killed at random points of edits and turns, again and again. Nothing that it
// acknowledged is lost or there twice, no turn stays open, and what was removed can be brought back.
import { Server, assert, finish, limit, rounds, run, test } from './lib.mjs';
import { team, three } from './team.mjs';

const env = { SKEIN_LIMITS_BUSY_TIMEOUT: '1s' };
const server = await Server.start({ script: team(), delay: true, env });
let w;

// What the clients were told. A request whose answer did not come is asked again after the restart,
// with the same key: it must then have one outcome.
const posted = new Map(); // clientMessageId: messageId
const removed = new Map(); // messageId of a target: the version that held it
const unsure = []; // requests without an answer
let turn = 0, cut = 0;

const random = n => Math.floor(Math.random() * n);
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));

async function request(r) {
    const answer = await server.request(r.method, r.url, { body: r.body, headers: { 'idempotency-key': r.key, ...r.headers } });
    r.told(answer);
}

function post(text) {
    const key = `k${++turn}`;
    return { method: 'POST', url: `${w.path}/messages`, key, body: { content: `${text} ${key}.`, chatId: w.chat, clientMessageId: key },
        told: a => {
            assert.equal(a.status, 202, a.text);
            if (posted.has(key)) assert.equal(posted.get(key), a.body.messageId);
            posted.set(key, a.body.messageId);
        } };
}

function edit(target) {
    const key = `e${++turn}`, put = random(2) === 0;
    return { method: put ? 'PUT' : 'DELETE', url: `${w.path}/messages/${target}`, key, body: { chatId: w.chat, force: true, ...(put ? { newContent: `@ada stream 1 ${key}.` } : {}) },
        told: a => {
            assert.ok([200, 404].includes(a.status) || (a.status === 409 && /waits|is under way/.test(a.body.detail)), a.text);
            if (a.status !== 200) return;
            removed.set(target, a.body.previousThreadId);
            if (put) posted.set(key, a.body.newMessageId);
        } };
}

// People at work until the server goes away under them; gives what went wrong.
const person = (kind, gone) => work(kind, gone).then(() => undefined, error => error);

async function work(kind, gone) {
    while (!gone.yes) {
        const known = [...posted.values()];
        const r = kind === 'editor' && known.length ? edit(known[known.length - 1 - random(Math.min(6, known.length))]) : post(['@ada stream 1', 'hello', '@lead chain', 'look up tides'][random(4)]);
        try {
            await request(r);
        } catch (error) {
            if (error.code === 'ERR_ASSERTION') throw error;
            unsure.push(r);
            cut++;
            return;
        }
        await pause(random(kind === 'editor' ? 20 : 40));
    }
}

async function settle() {
    for (const r of unsure.splice(0)) await request(r);
}

async function versions() {
    const list = [];
    let cursor = '';
    do {
        const page = await server.get(`${w.chatPath}/threads?limit=500${cursor}`);
        list.push(...page.data);
        cursor = page.page.hasMore ? `&cursor=${encodeURIComponent(page.page.next)}` : '';
    } while (cursor);
    return list;
}

async function everything(thread) {
    const all = [];
    let cursor = '';
    do {
        const page = await server.get(`${w.chatPath}/threads/${thread}/messages?limit=500${cursor}`);
        all.push(...page.data);
        cursor = page.page.hasMore && page.page.next ? `&cursor=${encodeURIComponent(page.page.next)}` : '';
    } while (cursor);
    return all;
}

// Each acknowledged message is there, in one piece and under one id; each removed one in its version.
async function check() {
    const byKey = new Map();
    const queued = (await server.get(`${w.chatPath}/queue?limit=500`)).data.map(q => ({ messageId: q.messageId, content: q.content, sender: 'human' }));
    for (const t of await versions())
        for (const m of [...await everything(t.threadId), ...queued]) {
            const key = m.sender === 'human' ? /([ke]\d+)\.$/.exec(m.content)?.[1] : undefined;
            if (!key) continue;
            if (byKey.has(key)) assert.equal(byKey.get(key), m.messageId, `${key} is there twice`);
            byKey.set(key, m.messageId);
        }
    for (const [key, id] of posted) assert.equal(byKey.get(key), id, `${key} is lost`);
    for (const [target, thread] of removed)
        assert.ok((await everything(thread)).some(m => m.messageId === target), `${target} is not in ${thread} any more`);
}

// Turns that an earlier server had open. They are over once their lease has run out, and the next server
// looks for such when it starts; others may be at work.
async function noTurnLeft() {
    const until = Date.now() + limit(15000);
    for (;;) {
        const asked = Date.now();
        const { busy } = await server.get(`${w.path}/status`);
        const left = busy.filter(b => b.sinceMs > Date.now() - server.since);
        if (!left.length) return;
        assert.ok(asked < until, `still open: ${JSON.stringify(left)}`);
        await pause(100);
    }
}

// Kills it just after something was asked for, and starts another.
async function restart(people = [], wait = 0) {
    await pause(random(6));
    await server.kill();
    for (const error of await Promise.all(people)) if (error) throw error;
    await pause(wait);
    server.since = Date.now();
    await server.start();
}

// Nobody is at work and nothing waits.
async function quiet() {
    for (const q of (await server.get(`${w.chatPath}/queue?limit=500`)).data)
        await server.call('DELETE', `${w.chatPath}/queue/${q.messageId}`);
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await w.idle();
}

async function another() {
    w = await server.world(`kills${turn}`, three);
    posted.clear();
    removed.clear();
}

const times = rounds(100);
test(`${times} kills in the middle of edits and turns lose nothing`, async () => {
    for (let round = 0; round < times; round++) {
        if (round % 10 === 0) await another();
        const gone = { yes: false };
        const people = ['poster', 'poster', 'editor', 'editor'].map(kind => person(kind, gone));
        await pause(5 + random(120));
        const look = round % 10 === 9 || round === times - 1;
        gone.yes = true;
        people.push(person('editor', {}), person('poster', {}));
        await restart(people, look ? 1200 : 0); // then the leases have run out
        await settle();
        if (!look) continue;
        await noTurnLeft();
        await check();
        await quiet();
    }
    console.log(`# ${cut} requests were cut off`);
    assert.ok(cut > times / 2, 'the server was hardly ever killed in the middle of something');
}, limit(500000));

test('after all that, the store is sound and text that was removed comes back by undo', async () => {
    const target = (await w.converse('@bo precious')).of('message.created')[0];
    const before = await w.messages();
    await server.ask('DELETE', `${w.path}/messages/${target.messageId}`, { chatId: w.chat });
    await restart();
    await w.travel('undo');
    assert.deepEqual((await w.messages()).map(m => m.messageId), before.map(m => m.messageId));
    await server.stop();
    const fsck = await run([...server.store.args, 'fsck']);
    assert.equal(fsck.code, 0, fsck.out + fsck.err);
}, limit(120000));

await finish();
