// cuts.mjs: a client whose stream is cut again and again, after any byte, ends with what a client
// knows that was never cut: the same bytes, and what the server says when it is asked.
import { Server, assert, finish, limit, rounds, test } from './lib.mjs';
import { Room } from './reduce.mjs';
import { team, three } from './team.mjs';

const server = await Server.start({ script: team(), delay: true });

// Numbers that look random and are the same in every run.
function dice(seed) {
    let x = seed;
    return n => {
        x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
        return x % n;
    };
}

// A client that follows a chat through `cuts` cuts and then without; `done` when it has seen `last`.
class Client {
    constructor(w, number, cuts) {
        Object.assign(this, { w, cuts, room: new Room(w.chat), made: 0, inside: 0, lastId: '0' });
        this.roll = dice(number + 1);
    }
    async follow(isLast) {
        while (!this.seen) {
            const cut = this.made < this.cuts;
            const stream = this.w.events('', {
                headers: { 'last-event-id': this.lastId },
                cutAfter: cut ? 200 + this.roll(this.roll(4) ? 4000 : 40000) : undefined,
                event: frame => {
                    this.room.apply(frame);
                    this.lastId = frame.id ?? this.lastId;
                    this.seen ||= isLast(frame);
                    if (this.seen) setImmediate(() => stream.close());
                },
            });
            await stream.done;
            if (stream.error) throw stream.error;
            if (!this.seen) this.made++;
            // A reconnected client learns anew what is being written.
            this.room.writing = Object.fromEntries(Object.entries(this.room.writing).map(([id, x]) => [id, { ...x, chunk: 0, text: '', thinking: '' }]));
        }
    }
}

// People who talk, edit, undo and redo, until the clients have had their cuts.
async function live(w, roll, until) {
    const own = [];
    for (let round = 0; !until(); round++) {
        const target = own.length ? own[roll(own.length)] : undefined;
        const kind = roll(10);
        if (kind < 5 || !target) {
            const text = [`@ada stream ${round}`, `@lead chain ${round}`, `hello ${round}`, `@bo @ada stream ${round}`][roll(4)];
            own.push((await w.say(text)).messageId);
        } else if (kind < 7) {
            const r = await server.call('PUT', `${w.path}/messages/${target}`, { body: { chatId: w.chat, newContent: `@ada stream ${round} again`, force: roll(2) === 0 } });
            if (r.status === 200) own.push(r.body.newMessageId);
            else assert.ok([404, 423].includes(r.status), r.text);
        } else if (kind < 8) {
            const r = await server.call('DELETE', `${w.path}/messages/${target}`, { body: { chatId: w.chat, force: roll(2) === 0 } });
            assert.ok([200, 404, 423].includes(r.status), r.text);
        } else {
            const move = roll(3) ? 'undo' : 'redo';
            const r = await server.call('PUT', `${w.chatPath}/currentThread`, { body: { move, force: true }, headers: { 'if-match': await w.etag() } });
            assert.ok([200, 409, 412].includes(r.status), r.text);
        }
        await new Promise(resolve => setTimeout(resolve, roll(60)));
    }
}

test('200 cuts at random bytes of a run with streaming answers, edits and undos lose nothing', async () => {
    const w = await server.world('cuts', three);
    const total = rounds(200), each = 20;
    const clients = Array.from({ length: Math.ceil(total / each) }, (_, i) => new Client(w, i, each));
    const whole = new Client(w, 99, 0); // never cut
    const isLast = frame => frame.event === 'message.created' && frame.body.data.content === 'the last word';
    const following = [...clients, whole].map(c => c.follow(isLast));
    const failed = Promise.all(following);
    const over = { yes: false };
    const until = () => over.yes || clients.every(c => c.made >= c.cuts);

    failed.catch(() => { over.yes = true; });
    await Promise.race([live(w, dice(5), until), failed]);
    assert.ok(clients.every(c => c.made >= c.cuts) || over.yes);
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await w.idle();
    await w.say('the last word', { instructions: [{ type: 'ReadOnly' }] });
    await failed;

    for (const [i, c] of clients.entries()) assert.equal(c.room.state(), whole.room.state(), `client ${i} knows something else`);
    const asked = await w.messages();
    const known = whole.room.list();
    assert.deepEqual(known.map(m => m.messageId), asked.map(m => m.messageId));
    for (const [i, m] of known.entries())
        for (const member of Object.keys(m))
            if (member in asked[i] && member !== 'delivery' && member !== 'instructions')
                assert.deepEqual(m[member], asked[i][member], `${member} of ${m.messageId}`);
    assert.ok(clients.reduce((n, c) => n + c.made, 0) >= total);
    assert.ok(Object.keys(whole.room.threads).length > 3, 'the run made few versions');
    console.log(`# ${clients.length * each} cuts, ${Object.keys(whole.room.messages).length} messages, ${Object.keys(whole.room.threads).length} versions`);
}, limit(240000));

test('a stream cut at every byte of one answer gives the same each time', async () => {
    const w = await server.world('bytes', ['ada']);
    await w.converse('stream 1');
    const until = (await w.converse('hello', { instructions: [{ type: 'ReadOnly' }] })).events.find(e => e.id).id;
    const read = async cutAfter => {
        const room = new Room(w.chat);
        let lastId = '0', first = true;
        while (lastId !== until) {
            const stream = w.events('?deltas=false', { headers: { 'last-event-id': lastId }, cutAfter: first ? cutAfter : undefined,
                event: frame => {
                    room.apply(frame);
                    lastId = frame.id ?? lastId;
                    if (lastId === until) setImmediate(() => stream.close());
                } });
            await stream.done;
            if (stream.error) throw stream.error;
            first = false;
        }
        return room.state();
    };
    const whole = await read(undefined);
    const step = 100 / Math.min(100, rounds(100)) * 7;
    for (let at = 1; at < 6000; at += step) assert.equal(await read(Math.round(at)), whole, `cut after ${Math.round(at)} bytes`);
}, limit(120000));

await finish();
