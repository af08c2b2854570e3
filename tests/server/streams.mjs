// streams.mjs: the rules for event streams: ids, order, replay, resets, half-written messages, filters,
// heartbeats, slow clients, and streams that a POST opens.
import net from 'node:net';
import { Server, assert, finish, limit, run, test, within } from './lib.mjs';
import { Desk } from './desk.mjs';
import { sql } from './sabotage.mjs';
import { team, three } from './team.mjs';

const server = await Server.start({ script: team() });
const slow = await Server.start({ script: team(), delay: true });
const beating = { stream: server.stream('/events'), since: Date.now() }; // for the heartbeat, at the end

let names = 0;
const fresh = (s = server, agents = three, more) => s.world(`streams${++names}`, agents, more);
// A world whose agent writes when the test says so, and as long as it does.
const desk = await Desk.open(server);
const held = () => fresh(server, [{ name: 'ada', model: desk.model }]);
// Its answer begins with some pieces, each of which has been told before the next.
async function writes(s) {
    const question = await desk.next();
    for (const piece of ['once', ' upon', ' a time']) {
        question.begin(piece);
        await s.words(piece.trim());
    }
    return question;
}
const durable = s => s.events.filter(e => e.id !== undefined);
const stop = w => w.server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);

test('a stream begins at once with retry and stream.open', async () => {
    const w = await fresh();
    const s = w.events();
    const open = (await s.event('stream.open')).body.data;
    assert.deepEqual(s.frames.heads.slice(0, 2), ['retry', 'stream.open']);
    assert.equal(s.frames.retry, 1000);
    assert.deepEqual([s.headers['cache-control'], s.headers['x-accel-buffering'], s.headers['content-type'].split(';')[0]], ['no-store', 'no', 'text/event-stream']);
    assert.equal(s.headers['content-encoding'], undefined);
    assert.ok(Math.abs(Date.parse(open.serverTime) - Date.now()) < limit(5000));
    s.close();
});

test('a message is created, delivered, started, written and completed, in this order', async () => {
    const w = await held();
    const s = w.events();
    await s.event('stream.open');
    await w.say('tell me');
    (await writes(s)).answer(', the end.');
    await s.event('world.idle');
    const order = [];
    for (const n of s.names()) if (order.at(-1) !== n) order.push(n);
    const at = n => order.indexOf(n);
    for (const [a, b] of [['message.created', 'message.started'], ['message.created', 'world.busy'], ['message.started', 'message.delta'], ['message.delta', 'message.completed'], ['message.completed', 'world.idle']])
        assert.ok(at(a) >= 0 && at(a) < at(b), `${a} before ${b}: ${order.join(' ')}`);
    const deltas = s.of('message.delta'), done = s.of('message.completed')[0], started = s.of('message.started')[0];
    assert.ok(deltas.length > 2, `${deltas.length} pieces`);
    assert.deepEqual(deltas.map(d => d.chunk), deltas.map((_, i) => deltas[0].chunk + i));
    const snapshot = s.of('message.snapshot')[0]?.text ?? '';
    assert.ok(done.content.startsWith(snapshot + deltas.map(d => d.text).join('')));
    assert.deepEqual(new Set(deltas.map(d => d.messageId)), new Set([done.messageId]));
    assert.deepEqual([started.messageId, started.agent, started.model, started.replyToMessageId], [done.messageId, 'ada', desk.model, done.replyToMessageId]);
    assert.equal(done.finishReason, 'stop');
    assert.deepEqual(s.of('agent.state').map(a => a.state).at(-1), 'idle');
    s.close();
});

test('at most 30 pieces a second are sent of a message', async () => {
    const w = await fresh(slow, ['ada']);
    const s = await w.converse('stream 1');
    const times = s.events.filter(e => e.event === 'message.delta').map(e => Date.parse(e.body.time));
    assert.ok(times.length <= 2 + 31 * (times.at(-1) - times[0]) / 1000, `${times.length} in ${times.at(-1) - times[0]} ms`);
});

test('Last-Event-ID and after replay every durable event behind them, the same bytes', async () => {
    const w = await fresh();
    const live = w.events();
    await live.event('stream.open');
    await w.converse('hello');
    await w.converse('@ada look up tides');
    await live.until('the second world.idle', () => live.of('world.idle').length === 2);
    const all = durable(live);
    const last = all.at(-1).id;
    for (const from of [0, 1, 7, all.length - 1]) {
        const id = from ? all[from - 1].id : String(Number(all[0].id) - 1);
        for (const how of [{ headers: { 'last-event-id': id } }, { query: `?after=${id}` }]) {
            const again = w.events(how.query ?? '', { headers: how.headers });
            await again.until('the last event', e => e.id === last);
            assert.deepEqual(durable(again).map(e => e.data), all.slice(from).map(e => e.data));
            assert.ok(!again.names().includes('stream.reset'));
            const resume = again.of('stream.resume');
            assert.ok(resume.length <= 1);
            again.close();
        }
    }
    live.close();
});

test('a header wins over the address when a browser comes back', async () => {
    const w = await fresh(server, []);
    const a = w.events('?after=0');
    await w.say('one');
    const one = await a.event('message.created');
    await w.say('two');
    const b = w.events('?after=0', { headers: { 'last-event-id': one.id } });
    await b.event('message.created', m => m.content === 'two');
    assert.ok(!b.of('message.created').some(m => m.content === 'one'));
    a.close();
    b.close();
});

test('replay goes over into what is new without gap or repetition', async () => {
    const w = await fresh(server, []);
    for (let i = 0; i < 60; i++) await w.say(`before ${i}`);
    const posting = (async () => { for (let i = 0; i < 60; i++) await w.say(`after ${i}`); })();
    const readers = Array.from({ length: 8 }, () => w.events('?after=0&types=message'));
    await posting;
    for (const s of readers) {
        await s.event('message.created', m => m.content === 'after 59');
        assert.deepEqual(s.of('message.created').map(m => m.content), [...Array.from({ length: 60 }, (_, i) => `before ${i}`), ...Array.from({ length: 60 }, (_, i) => `after ${i}`)]);
        s.close();
    }
});

test('an answer and a stream that begins where it says have everything between them', async () => {
    const w = await fresh(server, []);
    const all = Array.from({ length: 60 }, (_, i) => `said ${i}`);
    const posting = (async () => { for (const text of all) await w.say(text); })();
    const readers = [];
    for (let i = 0; i < 8; i++) {
        const page = await server.request('GET', `${w.path}/chats/${w.chat}/messages?limit=500`);
        assert.match(page.headers['skein-event-id'], /^\d+$/);
        const s = w.events('?types=message', { headers: { 'last-event-id': page.headers['skein-event-id'] } });
        readers.push({ page: page.body.data.map(m => m.content), s });
    }
    await posting;
    for (const { page, s } of readers) {
        if (page.length < all.length) await s.event('message.created', m => m.content === all.at(-1));
        const told = s.of('message.created').map(m => m.content);
        assert.deepEqual([...page, ...told.filter(text => !page.includes(text))], all);
        s.close();
    }
});

test('an unknown id gives one reset with the address of a snapshot, then what is new', async () => {
    const w = await fresh(server, []);
    for (const id of ['99999999999', 'nonsense']) {
        const s = w.events('', { headers: { 'last-event-id': id } });
        // What follows has ids that are smaller than the unknown one.
        s.lastId = undefined;
        const reset = (await s.event('stream.reset')).body.data;
        assert.match(reset.snapshot, /^\//);
        assert.equal((await server.request('GET', reset.snapshot)).status, 200);
        await w.say(`new ${id}`);
        await s.event('message.created', m => m.content === `new ${id}`);
        assert.equal(s.of('stream.reset').length, 1);
        assert.equal(s.of('message.created').length, 1);
        s.close();
    }
});

test('a client in the middle of a message gets the text so far and then the rest', async () => {
    const w = await held();
    const first = w.events();
    await first.event('stream.open');
    await w.say('tell me');
    const writing = await writes(first);
    const started = await first.event('message.started');
    const joined = [w.events(), w.events('', { headers: { 'last-event-id': started.id } }), w.events(`?after=${Number(started.id) - 1}`)];
    for (const s of joined) await s.event('message.snapshot');
    writing.begin(' and more');
    for (const s of joined) await s.words('and more');
    writing.answer(', the end.');
    for (const s of joined) {
        const done = (await s.event('message.completed')).body.data;
        const snapshot = s.of('message.snapshot');
        assert.equal(snapshot.length, 1, s.names().join(' '));
        assert.ok(snapshot[0].text.length > 0 && snapshot[0].chunk > 0);
        const pieces = s.of('message.delta');
        assert.deepEqual(pieces.map(d => d.chunk), pieces.map((_, i) => snapshot[0].chunk + 1 + i));
        assert.ok(done.content.startsWith(snapshot[0].text + pieces.map(d => d.text).join('')));
        assert.equal(done.messageId, snapshot[0].messageId);
        s.close();
    }
    first.close();
});

test('types, chatId and deltas choose what is sent', async () => {
    const w = await fresh(slow, ['ada']);
    const all = w.events(), messages = w.events('?types=message'), some = w.events('?types=world,agent.state'), quiet = w.events('?deltas=false');
    const other = await slow.post(`${w.path}/chats`, { title: 'other' });
    const room = w.events(`?chatId=${w.chat}`), elsewhere = w.events(`?chatId=${other.id}`);
    for (const s of [all, messages, some, quiet, room, elsewhere]) await s.event('stream.open');
    await w.say('stream 1');
    const said = await slow.post(`${w.path}/messages`, { content: 'there', chatId: other.id }, 202);
    for (const s of [all, room, quiet]) await s.event('message.completed', d => d.chatId === w.chat);
    await elsewhere.event('world.idle');
    await some.until('two world.idle', () => some.of('world.idle').length === 2);
    const kinds = s => new Set(s.names().filter(n => !n.startsWith('stream.')).map(n => n.split('.')[0]));
    assert.deepEqual(kinds(messages), new Set(['message']));
    assert.deepEqual(kinds(some), new Set(['world', 'agent']));
    assert.ok(!quiet.names().includes('message.delta') && !quiet.names().includes('message.snapshot'));
    assert.ok(room.events.every(e => !e.body.chatId || e.body.chatId === w.chat));
    assert.deepEqual(elsewhere.of('message.created').map(m => m.messageId), [said.messageId]);
    await slow.refused('GET', `${w.path}/events?chatId=none`, 404, 'chat-not-found');
    await slow.refused('GET', `${w.path}/events?types=a%20b`, 400, 'validation');
    await slow.refused('GET', `${w.path}/events?inbox=maybe`, 400, 'validation');
    for (const s of [all, messages, some, quiet, room, elsewhere]) s.close();
});

test('what was done to a tag is told by its name', async () => {
    const w = await fresh();
    const s = w.events();
    await s.event('stream.open');
    await server.ask('PUT', `${w.path}/tags/urgent`, { instruction: 'Be quick.' });
    await s.event('world.updated', e => e.tag === 'urgent');
    s.close();
});

test('a world’s stream has nothing of another world, and /events has all', async () => {
    const [a, b] = [await fresh(server, []), await fresh(server, [])];
    const own = a.events(), all = server.stream('/events');
    for (const s of [own, all]) await s.event('stream.open');
    const said = [await a.say('in a'), await b.say('in b')];
    await all.event('message.created', m => m.content === 'in b');
    await a.say('end');
    await own.event('message.created', m => m.content === 'end');
    assert.deepEqual(own.of('message.created').map(m => m.content), ['in a', 'end']);
    assert.ok(said.every(m => all.of('message.created').some(x => x.messageId === m.messageId)));
    own.close();
    all.close();
});

// --- POST ---------------------------------------------------------------------------------------

test('a POST for a stream gets what its message causes and nothing else, to the end', async () => {
    const w = await fresh();
    const [one, two] = await Promise.all([w.converse('@ada first'), w.converse('@bo second')]);
    for (const s of [one, two]) {
        const own = s.of('message.created').find(m => m.sender === 'human').messageId;
        assert.ok(s.ended, 'the answer ends in order');
        assert.equal(s.events.at(-1).event, 'world.idle');
        for (const e of durable(s)) assert.ok(e.event === 'world.idle' || e.body.cause === own || e.body.data.messageId === own, e.data);
        assert.equal(s.of('message.completed').length, 1);
    }
});

test('"stream": true does the same as the Accept header', async () => {
    const w = await fresh(server, ['ada']);
    const s = server.stream(`${w.path}/messages`, { method: 'POST', headers: { accept: '*/*' }, body: { content: 'hi', chatId: w.chat, stream: true } });
    await within(10000, 'the end', s.done);
    if (s.error) throw s.error;
    assert.deepEqual([s.ended, s.events.at(-1).event, s.of('message.completed').length], [true, 'world.idle', 1]);
});

test('when nobody has to answer, the stream of a POST ends at once', async () => {
    const w = await fresh(server, []);
    const s = await w.converse('nobody hears');
    assert.deepEqual([s.of('message.created').length, s.ended], [1, true]);
    // A volatile end: nobody was busy, so nothing became idle.
    assert.equal(s.events.at(-1).event, 'world.idle');
});

test('a client that leaves its POST loses nothing: the work goes on', async () => {
    const w = await fresh(slow, ['ada']);
    const all = w.events();
    await all.event('stream.open');
    const s = slow.stream(`${w.path}/messages`, { method: 'POST', body: { content: 'stream 1', chatId: w.chat } });
    await s.event('message.started');
    s.close();
    const done = (await all.event('message.completed')).body.data;
    assert.equal((await w.messages()).at(-1).messageId, done.messageId);
    all.close();
});

test('Prefer: wait gives the answers, or says that the time was up', async () => {
    const w = await fresh(slow);
    const r = await slow.call('POST', `${w.path}/messages`, { body: { content: 'hello', chatId: w.chat }, headers: { prefer: 'wait=20' } });
    assert.equal(r.status, 200);
    assert.deepEqual(r.body.replies.map(m => m.sender).sort(), ['ada', 'bo', 'lead']);
    assert.deepEqual([r.body.message.content, r.body.timedOut], ['hello', false]);
    const begun = Date.now();
    const late = await slow.call('POST', `${w.path}/messages`, { body: { content: '@ada hold', chatId: w.chat }, headers: { prefer: 'wait=1' } });
    assert.ok(Date.now() - begun >= 900, 'it waits');
    assert.deepEqual([late.status, late.body.timedOut, late.body.replies], [200, true, []]);
    await stop(w);
    const nobody = await fresh(slow, []);
    const at = Date.now();
    const alone = await slow.call('POST', `${nobody.path}/messages`, { body: { content: 'x', chatId: nobody.chat }, headers: { prefer: 'wait=20' } });
    assert.deepEqual([alone.status, alone.body.replies], [200, []]);
    assert.ok(Date.now() - at < limit(5000));
});

// --- Past events as JSON --------------------------------------------------------------------------

test('with Accept: application/json past events come in pages', async () => {
    const w = await fresh();
    await w.converse('hello');
    const s = w.events('?after=0');
    await s.event('world.idle');
    const headers = { accept: 'application/json' };
    const found = [];
    let cursor = '';
    for (;;) {
        const page = await server.get(`${w.path}/events?limit=5&after=0${cursor}`, 200, { headers });
        assert.ok(page.data.length <= 5);
        found.push(...page.data);
        if (!page.page.hasMore) break;
        cursor = `&cursor=${encodeURIComponent(page.page.next)}`;
    }
    assert.deepEqual(found.map(({ type, ...e }) => [type, e]), durable(s).map(e => [e.event, e.body]));
    const only = await server.get(`${w.path}/events?types=message.completed`, 200, { headers });
    assert.deepEqual(only.data.map(e => e.data.sender).sort(), ['ada', 'bo', 'lead']);
    // Counted over all worlds: nothing happens in the others now.
    const recent = await server.get(`${w.path}/events?recent=4`, 200, { headers });
    assert.deepEqual(recent.data, found.slice(-4));
    await server.refused('GET', `${w.path}/events?recent=0`, 400, 'validation', { headers });
    const both = await server.refused('GET', `${w.path}/events?recent=4&after=0`, 400, 'validation', { headers });
    assert.match(JSON.stringify(both.body ?? both), /give one of them/);
    await server.refused('GET', `${w.path}/events?recent=4&after=0`, 400, 'validation');
    s.close();
});

test('events that are forgotten are 410 as JSON and a reset in a stream', async () => {
    const own = await Server.start({ script: team() });
    const w = await own.world('old', []);
    for (const t of ['a', 'b', 'c']) await w.say(t);
    const seen = w.events('?after=0');
    const last = await seen.event('message.created', m => m.content === 'c');
    seen.close();
    await own.stop();
    await sql(own.store, `DELETE FROM events WHERE id < ${last.id};; UPDATE meta SET value = '${Number(last.id) - 1}' WHERE key = 'events_forgotten';;
        INSERT INTO meta (key, value) SELECT 'events_forgotten', '${Number(last.id) - 1}' WHERE NOT EXISTS (SELECT 1 FROM meta WHERE key = 'events_forgotten')`);
    await own.start();
    await own.refused('GET', `${w.path}/events?after=1`, 410, 'event-too-old', { headers: { accept: 'application/json' } });
    const s = w.events('?after=1');
    await s.event('stream.reset');
    await w.say('d');
    await s.event('message.created', m => m.content === 'd');
    assert.deepEqual(s.of('message.created').map(m => m.content), ['d']);
    const fine = w.events(`?after=${Number(last.id) - 1}`);
    await fine.event('message.created', m => m.content === 'c');
    assert.ok(!fine.names().includes('stream.reset'));
    s.close();
    fine.close();
});

// --- Others, slow clients, the end ------------------------------------------------------------------

test('what another program commits to the store is told as well', async () => {
    const w = await fresh(server, []);
    const s = w.events();
    await s.event('stream.open');
    const m = await w.say('to be removed by a command');
    const done = await run([...server.store.args, 'rm', '--from', m.messageId, '-w', w.name, '-c', w.chat, '-y']);
    assert.equal(done.code, 0, done.err);
    await s.event('thread.created', t => t.op === 'remove', { ms: 3000 });
    assert.deepEqual(await w.messages(), []);
    s.close();
});

test('a client that does not read is cut, others are not, and it gets the rest when it comes back', async () => {
    const w = await fresh(server, []);
    const lazy = net.connect(server.port, server.host);
    const got = [];
    lazy.write(`GET ${w.path}/events?types=message HTTP/1.1\r\nHost: ${server.host}:${server.port}\r\nAccept: text/event-stream\r\n\r\n`);
    await within(5000, 'the first bytes', new Promise(resolve => lazy.once('data', b => { got.push(b); lazy.pause(); resolve(); })));
    const eager = w.events('?types=message');
    await eager.event('stream.open');
    const big = 'x'.repeat(900 * 1024);
    const count = 24; // well over what the sockets in between hold
    for (let i = 0; i < count; i++) {
        await w.say(`${i} ${big}`);
        // Who reads keeps up, however busy the machine is.
        await eager.until('it', () => eager.of('message.created').length === i + 1, { ms: 30000 });
    }
    // More than one page may hold, however many are asked for.
    const paged = [];
    for (let next = '&after=0'; next;) {
        const { data, page } = await server.get(`${w.path}/events?limit=500&types=message${next}`, 200, { headers: { accept: 'application/json' } });
        paged.push(...data.map(e => e.seq));
        next = page.hasMore ? `&cursor=${encodeURIComponent(page.next)}` : '';
    }
    assert.deepEqual(paged.map(String), durable(eager).map(e => e.id));
    const gone = within(20000, 'the cut', new Promise(resolve => { lazy.on('close', resolve); lazy.on('error', () => {}); }));
    await new Promise(resolve => setTimeout(resolve, limit(6000))); // longer than it may stand still
    lazy.on('data', b => got.push(b));
    lazy.resume();
    await gone;
    const seen = [];
    const text = Buffer.concat(got).toString('latin1');
    for (const m of text.matchAll(/^id: (\d+)$/gm)) seen.push(m[1]);
    assert.ok(seen.length < count, 'it was not cut');
    // The last frame may be half: what is whole is what has data for its id.
    const back = w.events('?types=message', { headers: { 'last-event-id': seen.length > 1 ? seen.at(-2) : '0' } });
    await back.event('message.created', m => m.content.startsWith(`${count - 1} `), { ms: 30000 });
    const ids = durable(eager).map(e => e.id);
    assert.deepEqual(durable(back).map(e => e.id), seen.length > 1 ? ids.slice(ids.indexOf(seen.at(-2)) + 1) : ids);
    eager.close();
    back.close();
}, 90000);

test('a client that went away is noticed', async () => {
    const own = await Server.start();
    const streams = async () => Number(/^skein_sse_clients (\d+)/m.exec((await own.call('GET', '/metrics')).text)[1]);
    const counted = async n => {
        const until = Date.now() + limit(5000);
        while (await streams() !== n) {
            assert.ok(Date.now() < until, `${await streams()} are counted, not ${n}`);
            await new Promise(resolve => setTimeout(resolve, 50));
        }
    };
    const open = Array.from({ length: 5 }, () => own.stream('/events'));
    for (const s of open) await s.event('stream.open');
    await counted(5);
    for (const s of open) s.close();
    await counted(0);
});

test('when the server goes it says so, gives a random time to return, and ends in order', async () => {
    const own = await Server.start({ script: team(), delay: true });
    const w = await own.world('going', ['ada']);
    const all = Array.from({ length: 6 }, () => w.events());
    for (const s of all) await s.event('stream.open');
    await w.say('hold');
    for (const s of all) await s.words();
    await own.stop();
    for (const s of all) {
        await within(5000, 'the end', s.done);
        if (s.error) throw s.error;
        assert.ok(s.names().includes('server.notice'), s.names().join(' '));
        assert.ok(s.ended, 'it ends in order');
        assert.ok(s.frames.retry >= 1000 && s.frames.retry <= 5000, `retry is ${s.frames.retry}`);
    }
    await own.start();
    assert.equal((await own.get(`${w.path}/status`)).isProcessing, false);
});

test('every 15 seconds a comment says that the stream lives', async () => {
    const { stream, since } = beating;
    await stream.event('stream.open');
    while (stream.frames.comments < 1) {
        assert.ok(Date.now() - since < 15000 + limit(3000), 'no comment came');
        assert.ok(!stream.closed);
        await new Promise(resolve => setTimeout(resolve, 100));
    }
    stream.close();
}, 40000);

await finish();
