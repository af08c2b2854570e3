// core.mjs: what the server owes everybody, whatever is asked of it: that it answers when clients do
// nothing, that it ends when it is told to, that a key means one thing, and that its numbers are true.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Server, assert, finish, folder, freshStore, kind, limit, rounds, run, test, within } from './lib.mjs';
import { sql } from './sabotage.mjs';
import { team } from './team.mjs';

const server = await Server.start({ script: team(), delay: true });
let names = 0;
const fresh = (agents = []) => server.world(`core${++names}`, agents);

// A connection on which nothing was said yet, and what it gets.
function client(port, text = '') {
    const socket = net.connect(port, '127.0.0.1');
    const c = { socket, got: '', closed: false };
    socket.on('error', () => {});
    socket.on('data', b => { c.got += b; });
    c.gone = new Promise(resolve => socket.on('close', () => { c.closed = true; resolve(); }));
    c.answer = new Promise(resolve => socket.once('data', () => resolve(c)));
    c.open = new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    if (text) socket.write(text);
    return c;
}
const get = (port, url, accept = '*/*') => `GET ${url} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: ${accept}\r\n\r\n`;

// --- Sockets ---------------------------------------------------------------------------------------

test('a listening socket that waits, as systemd may pass it on, holds nothing up', async () => {
    const listener = net.createServer();
    await new Promise(resolve => listener.listen(0, '127.0.0.1', resolve));
    const { port } = listener.address();
    // Node makes what a child has as its standard input wait; the shell moves it to where systemd has it.
    const shell = 'exec 3<&0 </dev/null; sed -n "s/^flags:/# flags/p" /proc/self/fdinfo/3; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"';
    const child = spawn('sh', ['-c', shell, 'sh', path.resolve(process.env.SKEIN), 'serve', ...freshStore().args, '--no-open'],
        { stdio: [listener._handle.fd, 'pipe', 'inherit'], env: { ...process.env, HOME: folder } });
    let out = '';
    const said = what => new Promise(resolve => child.stdout.on('data', b => { out += b; if (what.test(out)) resolve(); }));
    const ended = new Promise(resolve => child.on('exit', resolve));
    try {
        await within(20000, 'the address', said(/^http:/m));
        assert.equal(parseInt(/# flags\s+(\d+)/.exec(out)[1], 8) & fs.constants.O_NONBLOCK, 0, out);
        listener.close();
        for (let i = 0; i < 3; i++) {
            const c = client(port, get(port, '/version'));
            await within(5000, 'an answer', c.answer);
            assert.match(c.got, /^HTTP\/1\.1 200/);
            c.socket.destroy();
        }
        child.kill('SIGTERM');
        assert.equal(await within(8000, 'its end', ended), 0);
    } finally {
        child.kill('SIGKILL');
    }
});

test('only a socket is taken away where a socket is to be', async () => {
    const file = path.join(folder, 'precious');
    fs.writeFileSync(file, 'mine');
    const own = new Server({ args: [`--socket=${file}`] });
    await assert.rejects(own.start(), /in use/);
    assert.equal(fs.readFileSync(file, 'utf8'), 'mine');
});

test('many streams do not hide connections that do nothing: those make room', async () => {
    const own = await Server.start({ shell: ['sh', '-c', 'ulimit -n 600; exec "$@"'] });
    const all = [];
    const more = async (n, text) => {
        for (let i = 0; i < n; i++) {
            all.push(client(own.port, text));
            await all.at(-1).open;
        }
    };
    await more(80, get(own.port, '/events', 'text/event-stream'));
    await within(10000, 'the streams', Promise.all(all.map(c => c.answer)));
    await more(300, '');
    for (let i = 0; i < 20; i++) {
        const c = client(own.port, get(own.port, '/version'));
        all.push(c);
        await within(5000, 'an answer', c.answer);
        assert.match(c.got, /^HTTP\/1\.1 200/);
    }
    assert.equal(all.slice(0, 80).filter(c => c.closed).length, 0);
    assert.ok(all.slice(80, 380).some(c => c.closed));
    for (const c of all) c.socket.destroy();
    await own.stop();
});

test('a server that is told to end while a message waits to be stored ends soon', async () => {
    if (kind !== 'sqlite') return;
    const own = await Server.start({ script: team(), delay: true });
    const w = await own.world('late', ['ada']);
    const lock = spawn('python3', ['-c', 'import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1], isolation_level=None)\ndb.execute("BEGIN IMMEDIATE")\nprint("held", flush=True)\nsys.stdin.read()', path.join(own.store.data, 'skein.db')], { stdio: ['pipe', 'pipe', 'inherit'] });
    await within(10000, 'the lock', new Promise(resolve => lock.stdout.once('data', resolve)));
    const streams = own.stream('/events');
    await streams.event('stream.open');
    const waiting = own.request('POST', `${w.path}/messages`, { body: { content: 'hold', chatId: w.chat }, headers: { prefer: 'wait=100' } });
    await own.request('GET', '/readyz'); // it was taken before this one
    own.child.kill('SIGTERM');
    await streams.event('server.notice'); // the hub is closed: what comes now comes too late
    lock.stdin.end();
    const answer = await waiting;
    assert.deepEqual([answer.status, answer.body.timedOut], [200, true]);
    assert.deepEqual(await within(7000, 'the end', own.exited), { code: 0, signal: null });
});

// --- Keys ------------------------------------------------------------------------------------------

// Until the way back is gone no answer to a key can be kept: what a crash at that moment leaves.
async function loseAnswers() {
    if (kind === 'sqlite') {
        for (const when of ['INSERT', 'UPDATE'])
            await sql(server.store, `CREATE TRIGGER lose_${when} BEFORE ${when} ON answers WHEN NEW.status > 0 BEGIN SELECT RAISE(ABORT, 'lost'); END`);
        return () => sql(server.store, 'DROP TRIGGER lose_INSERT;; DROP TRIGGER lose_UPDATE');
    }
    await sql(server.store, `CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.status > 0 THEN RAISE EXCEPTION 'lost'; END IF; RETURN NEW; END $$;;
CREATE TRIGGER lose BEFORE INSERT OR UPDATE ON answers FOR EACH ROW EXECUTE FUNCTION lose()`);
    return () => sql(server.store, 'DROP TRIGGER lose ON answers;; DROP FUNCTION lose');
}

test('what was done under a key is not done twice, even if its answer was lost', async () => {
    const w = await fresh();
    const things = [['/worlds', { name: `${w.name}-more` }], [`${w.path}/agents`, { name: 'zoe' }], [`${w.path}/chats`, { title: 'once' }]];
    const giveBack = await loseAnswers();
    for (const [i, [url, body]] of things.entries())
        await server.post(url, body, 201, { headers: { 'idempotency-key': `${w.name}-${i}` } });
    await giveBack();
    for (const [i, [url, body]] of things.entries()) {
        const r = await server.refused('POST', url, 409, 'idempotency-running', { body, headers: { 'idempotency-key': `${w.name}-${i}` } });
        assert.match(r.body.detail, /outcome is unknown: check it before you repeat/);
        assert.equal(r.body.retryable, false);
        assert.equal(r.headers['retry-after'], undefined);
        await server.refused('POST', url, 422, 'idempotency-mismatch', { body: { ...body, title: 'x' }, headers: { 'idempotency-key': `${w.name}-${i}` } });
    }
    const { data } = await server.get(`${w.path}/chats`);
    assert.equal(data.filter(c => c.title === 'once').length, 1);
    const said = { content: 'once', chatId: w.chat }, headers = { 'idempotency-key': `${w.name}-said` };
    const giveBackAgain = await loseAnswers();
    const first = await server.post(`${w.path}/messages`, said, 202, { headers });
    await giveBackAgain();
    assert.equal((await server.post(`${w.path}/messages`, said, 202, { headers })).messageId, first.messageId);
});

test('what was erased is not given again under a key, and nothing is done twice for that', async () => {
    const w = await fresh(), secret = 'plughxyzzy';
    const said = { content: secret, chatId: w.chat }, told = { headers: { 'idempotency-key': `${w.name}-secret` } };
    const made = { body: { title: secret }, headers: { 'idempotency-key': `${w.name}-title` } };
    const called = { body: { description: 'first' }, headers: { 'idempotency-key': `${w.name}-words` } };
    const first = await server.post(`${w.path}/messages`, said, 202, told);
    await server.call('POST', `${w.path}/chats`, made);
    for (const how of [called, { body: { description: 'second' } }]) assert.equal((await server.call('PATCH', w.path, how)).status, 200);
    const gone = await run(['purge', ...server.store.args, '-w', w.name, '-c', w.chat, '-y', first.messageId]);
    assert.equal(gone.code, 0, gone.out + gone.err);
    const again = await server.post(`${w.path}/messages`, said, 202, told);
    assert.deepEqual([again.messageId, again.content, again.purged], [first.messageId, '', true]);
    const r = await server.refused('POST', `${w.path}/chats`, 409, 'idempotency-running', made);
    assert.match(r.body.detail, /was done, and its answer has been erased/);
    await server.refused('PATCH', w.path, 409, 'idempotency-running', called);
    assert.equal((await server.get(w.path)).description, 'second', 'what came in between stays');
    assert.equal(r.body.retryable, false);
    const { data } = await server.get(`${w.path}/chats`);
    assert.equal(data.filter(c => c.title === secret).length, 1);
});

test('a key whose request failed may be used for it again', async () => {
    const w = await fresh();
    const headers = { 'idempotency-key': `${w.name}-twice` }, body = { name: `${w.name}-taken` };
    const { id } = await server.post('/worlds', body);
    const r = await server.request('POST', '/worlds', { body, headers });
    assert.equal(r.status, 409, r.text);
    assert.notEqual(r.body.type, '/problems/idempotency-running');
    await server.ask('DELETE', `/worlds/${id}`, undefined, 204);
    const made = await server.post('/worlds', body, 201, { headers });
    const again = await server.call('POST', '/worlds', { body, headers });
    assert.deepEqual([again.body.id, again.headers['idempotency-replayed']], [made.id, 'true']);
});

test('an answer that came before the end is not given again: the next one waits for the rest', async () => {
    const w = await fresh(['ada']);
    const o = n => ({ body: { content: '@ada hold', chatId: w.chat }, headers: { 'idempotency-key': `${w.name}-wait`, prefer: `wait=${n}` } });
    const early = await server.call('POST', `${w.path}/messages`, o(1));
    assert.equal(early.body.timedOut, true);
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    const late = await server.call('POST', `${w.path}/messages`, o(60));
    assert.deepEqual([late.status, late.body.timedOut, late.body.replies.length, late.headers['idempotency-replayed']], [200, false, 1, undefined]);
    assert.equal(late.body.message.messageId, early.body.message.messageId);
    assert.equal((await server.call('POST', `${w.path}/messages`, o(60))).headers['idempotency-replayed'], 'true');
}, 60000);

// --- Tags ------------------------------------------------------------------------------------------

test('the tag of a chat changes with its title, and still names its state', async () => {
    const w = await fresh();
    const before = (await server.call('GET', w.chatPath)).headers.etag, state = await w.etag();
    await server.ask('PATCH', w.chatPath, { title: 'another' }, 200, { headers: { 'if-match': before } });
    const now = await server.call('GET', w.chatPath, { headers: { 'if-none-match': before } });
    assert.deepEqual([now.status, now.body.title, await w.etag()], [200, 'another', state]);
    const list = await server.call('GET', `${w.path}/chats`);
    await server.ask('PATCH', w.chatPath, { title: 'yet another' }, 200, { headers: { 'if-match': now.headers.etag } });
    assert.equal((await server.call('GET', `${w.path}/chats`, { headers: { 'if-none-match': list.headers.etag } })).status, 200);
});

test('a description that is taken away is null again', async () => {
    const w = await server.world('described', [], { description: 'once' });
    for (const description of [null, '']) {
        assert.equal((await server.ask('PATCH', w.path, { description })).description, null);
        assert.equal((await server.get(w.path)).description, null);
    }
});

// --- Settings --------------------------------------------------------------------------------------

test('only what people may change while working is set over HTTP', async () => {
    const refusals = { 'server.listen': /set it in skein\.yaml/, 'providers.x.key': /set it in skein\.yaml/, 'limits.nope': /set it in skein\.yaml/,
        theme: /is not a setting/, ui: /is not a setting/, 'a b': /not a name/ };
    for (const [key, why] of Object.entries(refusals))
        for (const [body, at] of [[{ [key]: 1 }, `/${key}`], [{ preferences: { 'ui.ok': 1, [key]: 1 } }, `/preferences/${key}`]]) {
            const r = await server.refused('PATCH', '/settings', 400, 'validation', { body });
            assert.match(r.body.errors[0].detail, why);
            assert.equal(r.body.errors[0].pointer, at);
        }
    for (const bad of [7, 'no model', {}])
        assert.equal((await server.refused('PATCH', '/settings', 400, 'validation', { body: { 'defaults.model': bad } })).body.errors[0].pointer, '/defaults.model');
    const nowhere = await server.refused('PATCH', '/settings', 400, 'validation', { body: { 'defaults.model': 'nowhere/large' } });
    assert.match(nowhere.body.detail, /^there is no provider "nowhere"; there are: .*demo/);
    const set = await server.ask('PATCH', '/settings', { 'defaults.model': 'demo/scripted', 'ui.keys': { send: 'enter' } });
    assert.deepEqual([set.preferences['defaults.model'], set.preferences['ui.keys'], set.preferences['ui.ok']], ['demo/scripted', { send: 'enter' }, undefined]);
    const gone = await server.ask('PATCH', '/settings', { 'defaults.model': null });
    assert.equal('defaults.model' in gone.preferences, false);
    // A name of any length is cut where it is told, and the answer stays JSON.
    const long = await server.refused('PATCH', '/settings', 400, 'validation', { body: { [`ü${'"'.repeat(40000)}`]: 1 } });
    assert.ok(long.body.errors[0].pointer.length <= 1024 && long.text.length < 16384);
});

// --- Numbers ---------------------------------------------------------------------------------------

async function numbers() {
    const { text } = await server.request('GET', '/metrics');
    const n = name => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    return { messages: n('skein_messages_total'), ok: n('skein_llm_calls_total{provider="demo",model="scripted",result="ok"}'),
        failed: n('skein_llm_calls_total{provider="demo",model="scripted",result="failed"}') };
}

test('messages, answers and failed calls of models are counted', async () => {
    const w = await fresh(['ada']);
    const before = await numbers();
    await w.converse('hello');
    await w.converse('fail');
    await w.say('hold');
    await w.events().event('stream.open');
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await w.idle();
    const now = await numbers();
    const stored = (await w.messages()).length;
    assert.deepEqual([now.messages - before.messages, now.ok - before.ok, now.failed - before.failed], [stored, stored - 3, 1]);
});

// --- Much at once ----------------------------------------------------------------------------------

test('clients that take nothing cannot fill the memory', async () => {
    // Half a gigabyte is written here: under a sanitizer that takes minutes and shows nothing new.
    if (kind !== 'sqlite' || rounds(100) < 100) return;
    const own = await Server.start();
    const w = await own.world('large');
    for (let i = 0; i < 16; i++) await w.say('x'.repeat(1000000));
    const url = `${w.chatPath}/export?format=jsonl`, all = [];
    for (let i = 0; i < 30; i++) {
        const c = client(own.port, get(own.port, url));
        await within(20000, 'an answer', c.answer);
        c.socket.pause();
        all.push(c);
    }
    const full = all.filter(c => /^HTTP\/1\.1 200/.test(c.got)).length;
    assert.ok(full >= 8 && full <= 20, `${full} were answered`);
    for (const c of all.slice(full)) assert.match(c.got, /^HTTP\/1\.1 503[^]*\/problems\/overloaded/);
    assert.equal((await own.call('GET', '/version')).status, 200);
    for (const c of all) c.socket.destroy();
    for (let status = 0, until = Date.now() + limit(5000); status !== 200;) {
        assert.ok(Date.now() < until, 'there is no room again');
        ({ status } = await own.request('GET', url));
    }
    await own.stop();
}, 60000);

test('work that takes long leaves workers to the rest', async () => {
    const own = await Server.start({ script: team() });
    const w = await own.world('long', ['ada']);
    for (let i = 0; i < 4; i++) await own.post(`${w.path}/chats`, { title: `c${i}` }).then(async c => {
        for (let k = 0; k < 2; k++) await own.post(`${w.path}/messages`, { content: 'x'.repeat(rounds(1000000)), chatId: c.id }, 202);
    });
    await w.idle();
    let done = 0;
    const exports = Array.from({ length: 40 }, () => own.request('GET', `${w.path}/export?format=skein`, { ms: 60000 }).then(r => { done++; return r.status; }));
    await own.get('/worlds');
    assert.ok(done < 20, `${done} had to end first`); // in order of coming on 16 workers it would be 24
    const s = await w.converse('hello');
    assert.equal(s.of('message.completed').length, 1);
    for (const status of await Promise.all(exports)) assert.equal(status, 200);
    await own.stop();
}, 120000);

// --- Small things ----------------------------------------------------------------------------------

test('a stream of a world ends when the world is removed', async () => {
    const w = await fresh();
    const streams = [w.events(), w.events(`?chatId=${w.chat}`)];
    for (const s of streams) await s.event('stream.open');
    await server.ask('DELETE', w.path, undefined, 204);
    await within(5000, 'the end of the streams', Promise.all(streams.map(s => s.done)));
    assert.deepEqual([streams[0].names().at(-1), streams[0].of('world.updated').at(-1)], ['world.updated', { removed: true }]);
    await server.refused('GET', `${w.path}/events`, 404, 'world-not-found');
});

test('all of an answer is told before its end', async () => {
    const w = await fresh(['ada']);
    const s = await w.converse('stream 1');
    const told = (s.of('message.snapshot').at(-1)?.text ?? '') + s.of('message.delta').map(d => d.text).join('');
    assert.equal(told, s.of('message.completed')[0].content);
});

test('a problem without a hint has no hint, and a trace stands in the log only if there is one', async () => {
    const r = await server.refused('GET', '/nowhere', 404, 'not-found', { undocumented: true });
    assert.equal('hint' in r.body, false);
    const own = await Server.start({ env: { SKEIN_LOG_LEVEL: 'debug' } });
    await own.request('GET', '/version');
    await own.request('GET', '/livez', { headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } });
    const ended = new Promise(resolve => own.child.stderr.on('end', resolve));
    await own.stop();
    await ended;
    const lines = own.log.split('\n').filter(line => line.includes('"request"')).map(line => JSON.parse(line));
    assert.equal(lines.find(l => l.path === '/livez').traceparent, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
    assert.equal('traceparent' in lines.find(l => l.path === '/version'), false);
});

test('a log that nobody reads holds no answer up', async () => {
    const own = await Server.start({ env: { SKEIN_LOG_LEVEL: 'debug' } });
    own.child.stderr.pause();
    for (let i = 0; i < 3000; i++) await own.request('GET', '/livez');
    let seen = '';
    own.child.stderr.on('data', b => { seen += b; });
    own.child.stderr.resume();
    for (const until = Date.now() + limit(10000); !/lines were lost[^\n]*"lines":\d/.test(seen);) {
        assert.ok(Date.now() < until, 'what was lost is told');
        await own.request('GET', '/livez');
    }
    await own.stop();
}, 60000);

await finish();
