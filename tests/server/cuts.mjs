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

// A client that follows a chat, cut again and again as long as `cutting` says so, until it has seen the
// last event.
class Client {
    constructor(w, number, cutting) {
        Object.assign(this, { w, cutting, room: new Room(w.chat), made: 0, lastId: '0' });
        this.roll = dice(number + 1);
    }
    async follow(isLast) {
        while (!this.seen) {
            const stream = this.w.events('', {
                headers: { 'last-event-id': this.lastId },
                cutAfter: this.cutting() ? 300 + this.roll([700, 8000, 30000][this.roll(3)]) : undefined,
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
            // A client that comes back learns again what is being written.
            for (const w of Object.values(this.room.writing)) Object.assign(w, { chunk: 0, text: '', thinking: '' });
        }
    }
}

// People who talk, edit, undo and redo, while agents answer.
async function live(w, roll, until) {
    const edit = (method, id, body) => server.call(method, `${w.path}/messages/${id}`, { body: { chatId: w.chat, ...body } });
    for (let step = 0; !until(step); step++) {
        const own = (await w.messages()).filter(m => m.sender === 'human').map(m => m.messageId);
        const target = own[own.length - 1 - roll(Math.min(3, own.length))];
        const kind = roll(10), force = roll(4) > 0;
        let r;
        if (kind < 4 || !target) {
            r = await w.say([`@ada stream ${step}`, `@lead chain ${step}`, `hello ${step}`, `@bo @ada stream ${step}`][roll(4)], { now: roll(3) === 0 });
        } else if (kind < 7) {
            r = await edit('PUT', target, { newContent: `@ada stream ${step} again`, force });
        } else if (kind < 8) {
            r = await edit('DELETE', target, { force });
        } else {
            r = await server.call('PUT', `${w.chatPath}/currentThread`, { body: { move: roll(3) ? 'undo' : 'redo', force }, headers: { 'if-match': await w.etag() } });
        }
        assert.ok(!r.status || [200, 404, 409, 412, 423].includes(r.status), r.text);
        await new Promise(resolve => setTimeout(resolve, roll(120)));
    }
}

test('200 cuts at random bytes of a run with streaming answers, edits and undos lose nothing', async () => {
    const w = await server.world('cuts', three);
    const total = rounds(200), steps = rounds(80);
    let over = false;
    const clients = Array.from({ length: 10 }, (_, i) => new Client(w, i, () => !over));
    const whole = new Client(w, 99, () => false);
    const isLast = frame => frame.event === 'message.created' && frame.body.data.content === 'the last word';
    const failed = Promise.all([...clients, whole].map(c => c.follow(isLast)));
    const cuts = () => clients.reduce((n, c) => n + c.made, 0);

    failed.catch(() => { over = true; });
    await live(w, dice(5), step => over || (step >= steps && cuts() >= total));
    over = true;
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await Promise.race([w.idle(), failed]);
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
    assert.ok(cuts() >= total);
    assert.ok(Object.keys(whole.room.threads).length > steps / 20, 'the run made few versions');
    console.log(`# ${cuts()} cuts, ${Math.min(...clients.map(c => c.made))} and more for each client, ${Object.keys(whole.room.messages).length} messages, ${Object.keys(whole.room.threads).length} versions`);
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
