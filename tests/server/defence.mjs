// defence.mjs: what the server does about those who should not reach it, who send what HTTP is not, or
// who send it slowly.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { Server, assert, eventually, finally_, finish, folder, freshStore, kind, limit, rounds, run, test, within } from './lib.mjs';
import { checkProblem } from './contract.mjs';
import { team } from './team.mjs';

const server = await Server.start({ script: team() });
const secret = 'a-token-that-nobody-guesses-7f3a9';
const tokenFile = path.join(folder, 'token');
fs.writeFileSync(tokenFile, `${secret}\n`, { mode: 0o600 });
const guarded = await Server.start({ script: team(), token: secret, args: [`--token-file=${tokenFile}`] });

// Sends bytes, gathers all answers until the server closes or it is quiet for `quiet` ms.
function raw(bytes, { s = server, quiet = 1500, ms = 25000 } = {}) {
    const socket = net.connect(s.port, s.host);
    const parts = [];
    return within(ms, 'the end of the connection', new Promise(resolve => {
        let timer;
        const over = closed => {
            clearTimeout(timer);
            socket.destroy();
            const text = Buffer.concat(parts).toString('latin1');
            resolve({ text, closed, statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(m => Number(m[1])) });
        };
        const wait = () => { clearTimeout(timer); timer = setTimeout(() => over(false), limit(quiet)); };
        socket.on('data', b => { parts.push(b); wait(); });
        socket.on('close', () => over(true));
        socket.on('error', () => {});
        socket.on('connect', wait);
        socket.write(bytes);
    }));
}
const host = `Host: 127.0.0.1:${server.port}\r\n`;
// The one answer as a problem.
function problem(r, status, word) {
    assert.deepEqual(r.statuses, [status], r.text.slice(0, 500));
    const [head, body] = r.text.split('\r\n\r\n');
    const headers = Object.fromEntries(head.split('\r\n').slice(1).map(l => [l.slice(0, l.indexOf(':')).toLowerCase(), l.slice(l.indexOf(':') + 1).trim()]));
    const answer = { status, headers, text: body, body: JSON.parse(body) };
    checkProblem(answer);
    if (word) assert.equal(answer.body.type, `/problems/${word}`);
    return answer;
}
const alive = async () => assert.equal((await server.request('GET', '/version')).status, 200);
// How many ms the server and this test have waited for a processor until now, where the system tells.
const waited = () => [server.child.pid, process.pid].reduce((sum, pid) => {
    const at = `/proc/${pid}/task`;
    try {
        return sum + fs.readdirSync(at).reduce((ms, thread) => ms + fs.readFileSync(`${at}/${thread}/schedstat`, 'utf8').split(' ')[1] / 1e6, 0);
    } catch {
        return sum;
    }
}, 0);
// How many ms this takes without them: that others use the processors too is not what is tested.
async function timed(run) {
    const at = Date.now(), before = waited();
    await run();
    return Date.now() - at - Math.max(0, waited() - before);
}

// --- Who may come in ------------------------------------------------------------------------------

test('a Host that is not ours is refused', async () => {
    for (const name of ['evil.example', `evil.example:${server.port}`, '127.0.0.1:1', 'localhost.evil.example', '169.254.169.254', ''])
        assert.ok([400, 403].includes((await raw(`GET /worlds HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)).statuses[0]), name);
    problem(await raw('GET /worlds HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'), 403, 'origin');
    for (const name of [`localhost:${server.port}`, `127.0.0.1:${server.port}`, 'localhost', '127.0.0.1'])
        assert.deepEqual((await raw(`GET /worlds HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)).statuses, [200], name);
    assert.equal((await raw('GET /worlds HTTP/1.1\r\nConnection: close\r\n\r\n')).statuses[0], 400);
    assert.equal((await raw(`GET /worlds HTTP/1.1\r\n${host}${host}Connection: close\r\n\r\n`)).statuses[0], 400);
});

test('what may be said once is refused when it is said twice, in whatever order', async () => {
    const own = `http://127.0.0.1:${server.port}`, evil = 'https://evil.example';
    for (const [first, second] of [[own, evil], [evil, own], [own, own]]) {
        const both = `Origin: ${first}\r\norigin: ${second}\r\n`;
        problem(await raw(`GET /worlds HTTP/1.1\r\n${host}${both}Connection: close\r\n\r\n`), 400);
        problem(await raw(`POST /worlds HTTP/1.1\r\n${host}${both}Content-Type: application/json\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{"name":"twice"}`), 400);
        problem(await raw(`OPTIONS /worlds HTTP/1.1\r\n${host}${both}Connection: close\r\n\r\n`), 400);
    }
    for (const header of ['Authorization: Bearer x', 'Content-Type: application/json', 'Idempotency-Key: k', 'Sec-Fetch-Site: same-origin'])
        problem(await raw(`GET /worlds HTTP/1.1\r\n${host}${header}\r\n${header}\r\nConnection: close\r\n\r\n`), 400);
    await server.refused('GET', '/worlds/twice', 404, 'world-not-found');
});

test('a page of another origin is refused, our own and allowed ones are not', async () => {
    const own = `http://127.0.0.1:${server.port}`;
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1', `https://127.0.0.1:${server.port}`])
        for (const method of ['GET', 'POST'])
            await server.refused(method, '/worlds', 403, 'origin', { body: method === 'POST' ? { name: 'evil' } : undefined, headers: { origin } });
    assert.equal((await server.call('GET', '/worlds', { headers: { origin: own } })).status, 200);
    await server.refused('POST', '/worlds', 403, 'origin', { body: { name: 'evil' }, headers: { 'sec-fetch-site': 'cross-site' } });
    const open = await Server.start({ args: ['--allow-origin=https://good.example'] });
    const r = await open.call('GET', '/worlds', { headers: { origin: 'https://good.example' } });
    assert.deepEqual([r.status, r.headers['access-control-allow-origin']], [200, 'https://good.example']);
    await open.refused('GET', '/worlds', 403, 'origin', { headers: { origin: 'https://good.example.evil' } });
    assert.ok(!(await server.get('/worlds')).data.some(w => w.name === 'evil'));
});

test('a page that is allowed may read every answer, also one that is given again or that comes as a job', async () => {
    const origin = 'https://good.example', other = 'https://fine.example';
    const open = await Server.start({ args: [`--allow-origin=${origin}`, `--allow-origin=${other}`] });
    const make = headers => open.call('POST', '/worlds', { body: { name: 'cors' }, headers: { 'idempotency-key': 'cors', ...headers } });
    const first = await make({ origin }), again = await make({ origin }), theirs = await make({ origin: other }), plain = await make({});
    assert.deepEqual([first, again, theirs, plain].map(r => [r.status, r.headers['idempotency-replayed'], r.headers['access-control-allow-origin'], r.headers.vary]),
        [[201, undefined, origin, 'Origin'], [201, 'true', origin, 'Origin'], [201, 'true', other, 'Origin'], [201, 'true', undefined, 'Origin']]);
    assert.equal(again.headers.location, first.headers.location);
    const job = await open.request('POST', '/worlds', { body: { name: 'cors-job' }, headers: { origin, prefer: 'respond-async' } });
    assert.deepEqual([job.status, job.headers['access-control-allow-origin'], job.headers.vary], [202, origin, 'Origin']);
});

test('with a token nothing but health is reachable without it, streams included', async () => {
    let tries = 0; // after twenty an address has to wait
    const guarded = await Server.start({ token: secret, args: [`--token-file=${tokenFile}`] });
    for (const [method, url] of [['GET', '/worlds'], ['POST', '/worlds'], ['GET', '/events'], ['GET', '/metrics'], ['GET', '/version'], ['GET', '/settings'], ['GET', '/openapi.json']])
        for (const authorization of [undefined, 'Bearer wrong', `Basic ${secret}`, `Bearer ${secret}x`, `Bearer ${secret.slice(0, -1)}`, 'Bearer ']) {
            const r = await guarded.request(method, url, { headers: { authorization } });
            assert.equal(r.status, ++tries > 20 ? 429 : 401, `${method} ${url} ${authorization}`);
            checkProblem(r);
            assert.equal(r.body.type, tries > 20 ? '/problems/rate-limit' : '/problems/sign-in');
            if (tries <= 20) assert.match(r.headers['www-authenticate'], /^Bearer/);
        }
    for (const url of ['/livez', '/readyz'])
        assert.equal((await guarded.request('GET', url, { headers: { authorization: undefined } })).status, 200, url);
    assert.equal((await guarded.call('GET', '/worlds')).status, 200);
    assert.equal((await guarded.request('GET', '/worlds', { headers: { authorization: `bearer ${secret}` } })).status, 200);
});

test('who is not let in makes no jobs, and signing in is none', async () => {
    for (const [method, url, body] of [['GET', '/readyz'], ['POST', '/session', { code: 'x' }], ['POST', '/session/link', {}], ['DELETE', '/session']]) {
        const r = await server.request(method, url, { body, headers: { prefer: 'respond-async' } });
        assert.deepEqual([r.status === 202, r.headers['preference-applied'], r.headers.location], [false, undefined, undefined], `${method} ${url}`);
    }
    assert.equal((await server.call('GET', '/worlds')).status, 200, 'the server is there');
});

test('sign-ins that fail wait longer and longer, on loopback too; the right token is let in all the while', async () => {
    const own = await Server.start({ token: secret, args: [`--token-file=${tokenFile}`] });
    const wrong = () => own.request('GET', '/worlds', { headers: { authorization: 'Bearer wrong' } });
    for (let i = 0; i < 20; i++) assert.equal((await wrong()).status, 401, String(i));
    const r = await wrong();
    assert.deepEqual([r.status, r.body.type, r.body.scope], [429, '/problems/rate-limit', 'sign-in']);
    assert.match((await own.call('GET', '/problems/rate-limit')).text, /sign-in.* counts requests without a right token/);
    checkProblem(r);
    assert.ok(Number(r.headers['retry-after']) >= 1, r.headers['retry-after']);
    assert.equal((await own.call('GET', '/worlds')).status, 200);
    assert.equal((await wrong()).status, 429, 'who got in has not cleared the way for others');
    // Each is a row and a line in the log, and what had to wait is neither.
    const rows = await within(limit(20000), 'all rows', (async () => {
        for (;;) {
            const all = (await own.get('/audit?limit=500')).data.filter(a => a.what === 'sign-in.failed');
            if (all.length >= 20) return all;
        }
    })());
    assert.equal(rows.length, 20);
    assert.deepEqual([rows[0].from, rows[0].subject, rows[0].detail], ['127.0.0.1', 'GET', 'a wrong token']);
    assert.equal(new Set(rows.map(a => a.requestId)).size, 20);
    const lines = () => own.log.split('\n').filter(l => l.includes('sign-in.failed')).length;
    await eventually('all lines of the log', () => lines() >= 20);
    assert.equal(lines(), 20);
    assert.ok(!own.log.includes(secret));
});

test('the token stands in no answer, no log and no export', async () => {
    const w = await guarded.world('planted', ['ada']);
    await w.converse('hello');
    const texts = [guarded.log, guarded.out];
    for (const url of ['/settings', '/metrics', '/version', '/healthz?verbose=1', '/openapi.json', `${w.path}`, `${w.path}/export?format=json`, `${w.chatPath}/export?format=md`, '/docs'])
        texts.push((await guarded.request('GET', url)).text);
    texts.push((await guarded.request('GET', `/worlds/${secret}x`, { headers: { authorization: `Bearer ${secret}`, 'x-request-id': 'planted' } })).text.replaceAll(`${secret}x`, ''));
    await guarded.request('GET', '/worlds', { headers: { authorization: `Bearer ${secret}wrong` } });
    texts.push(guarded.log);
    for (const t of texts) assert.ok(!t.includes(secret), t.slice(0, 300));
});

test('an address that others can reach needs a token', async () => {
    const r = await run(['serve', ...freshStore().args, '--listen=0.0.0.0:0', '--no-open']);
    assert.equal(r.code, 2, r.err);
    assert.match(r.err, /token/);
});

// --- Other users of this computer -------------------------------------------------------------------

const asUser = uid => ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
// One request by curl as that user, or as we are: [status, body].
function curlAs(uid, s, ...args) {
    const [program, ...words] = [...(uid === undefined ? [] : asUser(uid)), 'curl', '-sS', '-m', '20', '-w', '\n%{http_code}', ...args];
    const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    child.stdout.on('data', b => { out += b; });
    child.stderr.on('data', b => { err += b; });
    return within(30000, 'curl', new Promise(resolve => child.on('close', () => {
        const at = out.lastIndexOf('\n');
        resolve({ status: Number(out.slice(at + 1)), text: out.slice(0, at), err });
    })));
}
// Only root can be somebody else, too.
const byRoot = (what, fn) => test(what, async () => { if (process.getuid() === 0) await fn(); });
const other = 65534, owner = 65532;
const plant = JSON.stringify({ settings: { mcpServers: { x: { command: ['/bin/sh', '-c', 'exit 1'] } } } });

byRoot('another user of the computer is not let in on loopback: 401 with a hint, and nothing is changed', async () => {
    const w = await server.world('guarded', ['ada']);
    const url = `http://127.0.0.1:${server.port}`;
    const r = await curlAs(other, server, '-X', 'PATCH', '-H', 'content-type: application/json', '-d', plant, `${url}${w.path}`);
    assert.equal(r.status, 401, r.text);
    const body = JSON.parse(r.text);
    assert.equal(body.type, '/problems/sign-in');
    assert.match(body.hint, /skein token/);
    assert.ok(!JSON.stringify(await server.get(w.path)).includes('/bin/sh'));
    for (const path of ['/worlds', '/events', '/settings', '/version', '/nothing-here'])
        assert.equal((await curlAs(other, server, `${url}${path}`)).status, 401, path);
    assert.equal((await curlAs(other, server, `${url}/livez`)).status, 200);
    assert.equal((await curlAs(undefined, server, `${url}/worlds`)).status, 200);
});

byRoot('another user of the computer with the token of the data folder is let in', async () => {
    const token = fs.readFileSync(path.join(server.store.data, fs.readdirSync(server.store.data).find(name => /^([0-9a-f]+\.)?token$/.test(name))), 'utf8').trim();
    assert.equal((await curlAs(other, server, '-H', `Authorization: Bearer ${token}`, `http://127.0.0.1:${server.port}/worlds`)).status, 200);
    assert.equal((await curlAs(other, server, '-H', `Authorization: Bearer ${token}x`, `http://127.0.0.1:${server.port}/worlds`)).status, 401);
});

// Prints a line for each connection of theirs that begins a request.
const besiege = (s, count, head) => `for (let i = 0; i < ${count}; i++) {
    const s = require('net').connect(${s.port}, '127.0.0.1', () => { s.write(${JSON.stringify(head)}); console.log('open'); });
    s.on('error', () => {}).resume();
}`;

byRoot('however many requests another user begins, the owner gets in', async () => {
    const s = await Server.start({ shell: ['sh', '-c', 'ulimit -n 600; exec "$@"'] }); // 344 connections
    s.agent = new http.Agent(); // each request comes again
    const half = ['GET /worlds HTTP/1.1\r\n', `POST /session HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`];
    for (const head of half) {
        const [program, ...words] = [...asUser(other), process.execPath, '-e', besiege(s, 500, head.replace(host, `Host: 127.0.0.1:${s.port}\r\n`))];
        const them = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
        let heard = '';
        them.stdout.on('data', b => { heard += b; });
        await eventually('five hundred of theirs', () => heard.match(/open/g)?.length === 500);
        for (let i = 0; i < 20; i++) assert.equal((await s.request('GET', '/worlds')).status, 200, head);
        them.kill();
    }
    await s.stop();
}, limit(60000));

byRoot('a model server of another user of this computer is not used, one of the system is', async () => {
    const model = `const asked = []; require('http').createServer((q, r) => { process.stdout.write(q.url + '\\n'); r.end(q.url === '/api/version' ? '{"version":"0.5.1"}'
        : '{"models":[{"name":"m:1","model":"m:1"}]}'); }).listen(0, '127.0.0.1', function () { process.stdout.write(this.address().port + '\\n'); });`;
    for (const [uid, ours] of [[other, false], [998, true]]) {
        const [program, ...words] = [...asUser(uid), process.execPath, '-e', model];
        const them = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
        let out = '';
        try {
            const port = await within(20000, 'its port', new Promise(resolve => them.stdout.on('data', b => { if (/^(\d+)\n/.test(out += b)) resolve(/^(\d+)\n/.exec(out)[1]); })));
            const s = await Server.start({ env: { OLLAMA_HOST: `127.0.0.1:${port}` } });
            const ollama = (await s.post('/providers/detect', undefined, 200)).data.find(f => f.name === 'ollama');
            assert.deepEqual([ollama.models?.length ?? 0, /another user/.test(ollama.problem ?? '')], ours ? [1, false] : [0, true], JSON.stringify(ollama));
            assert.equal(/\/api/.test(out), ours, out);
            await s.stop();
        } finally {
            them.kill('SIGKILL');
        }
    }
}, limit(60000));

byRoot('a client that has closed its socket is not taken for root', async () => {
    const w = await server.world('orphan', ['ada']);
    const head = `PATCH ${w.path} HTTP/1.1\r\n${host}content-type: application/json\r\ncontent-length: ${plant.length}\r\n\r\n`;
    const code = `for (let i = 0; i < 50; i++) { const s = require('net').connect(${server.port}, '127.0.0.1', () => { s.write(${JSON.stringify(head + plant)}); s.${'destroy'}(); }); s.on('error', () => {}); }`;
    const [program, ...words] = [...asUser(other), process.execPath, '-e', code];
    await within(30000, 'fifty clients', new Promise(resolve => spawn(program, words, { stdio: 'ignore' }).on('close', resolve)));
    await alive();
    assert.ok(!JSON.stringify(await server.get(w.path)).includes('/bin/sh'));
});

byRoot('a server of an unprivileged user lets in that user and root, over IPv4, IPv6 and the Unix socket', async () => {
    const place = fs.mkdtempSync('/tmp/skein-owner-');
    try {
        fs.chownSync(place, owner, owner);
        const shell = ['sh', '-c', `exec ${asUser(owner).join(' ')} "$@"`];
        const s = await Server.start({ store: { args: [`--data=${place}/d`] }, shell, env: { HOME: place } });
        const url = `http://127.0.0.1:${s.port}/worlds`;
        assert.deepEqual([(await curlAs(owner, s, url)).status, (await curlAs(undefined, s, url)).status, (await curlAs(other, s, url)).status], [200, 200, 401]);
        assert.equal((await curlAs(owner, s, '--unix-socket', `${place}/d/skein.sock`, url)).status, 200);
        await s.stop();
        const six = await Server.start({ store: { args: [`--data=${place}/d`] }, shell, env: { HOME: place }, args: ['--listen=[::1]:0'] });
        const url6 = `http://[::1]:${six.port}/worlds`;
        assert.deepEqual([(await curlAs(owner, six, url6)).status, (await curlAs(undefined, six, url6)).status, (await curlAs(other, six, url6)).status], [200, 200, 401]);
        await six.stop();
    } finally {
        fs.rmSync(place, { recursive: true });
    }
});

// A folder that belongs to `other`, in one that everybody can look into.
async function withTheirs(fn) {
    const place = fs.mkdtempSync('/tmp/skein-theirs-'), data = path.join(place, 'd');
    try {
        fs.chmodSync(place, 0o755);
        fs.mkdirSync(data);
        fs.chownSync(data, other, other);
        await fn(place, data);
    } finally {
        fs.rmSync(place, { recursive: true });
    }
}

byRoot('nothing is done in a folder of another user, and no token of theirs is used', () => withTheirs(async (place, data) => {
    const token = path.join(data, 'token'), serve = [`--data=${data}`, 'serve', '--no-open', '--listen=127.0.0.1:0'];
    fs.writeFileSync(token, `${secret}\n`);
    fs.chmodSync(token, 0o666);
    fs.chownSync(token, other, other);
    for (const words of [serve, [`--data=${data}`, 'world', 'new', 'x'], [`--data=${data}`, 'token'], [`--data=${data}`, 'status']]) {
        const r = await run(words, { raw: true });
        assert.equal(r.code, 1, r.err);
        assert.match(r.err, new RegExp(`the folder "${data}" belongs to the user \\S+, not to root`));
        assert.match(r.err, /Run it as that user: sudo -u '\S+' skein --data=/);
        assert.equal(r.out, '');
    }
    const r = await run([`--data=${data}`, 'world', 'new', 'x'], { before: asUser(owner), env: { HOME: place } });
    assert.match(r.err, /Use a folder of your own with --data DIR/);
    const link = path.join(place, 'link');
    fs.symlinkSync(place, link);
    fs.lchownSync(link, other, other);
    const led = await run([`--data=${link}`, 'status'], { raw: true });
    assert.match(led.err, new RegExp(`the link "${link}" belongs to the user \\S+, not to root`));
    fs.rmSync(link);
    fs.chownSync(data, 0, 0); // the folder is ours now, the token is not
    for (const words of [serve, [`--data=${data}`, 'token']]) {
        const r = await run(words);
        assert.equal(r.code, 1, r.err);
        assert.match(r.err, new RegExp(`"${token}" belongs to the user \\S+, not to root\n.*rm -f ${token}`));
    }
    assert.deepEqual(fs.readdirSync(data).filter(name => name !== 'skein.lock'), ['token']);
}));

byRoot('a server that another user describes is told no token and asked nothing', () => withTheirs(async (place, data) => {
    const heard = [];
    const trap = http.createServer((q, a) => { heard.push(q.headers.authorization); a.end(); });
    await new Promise(resolve => trap.listen(0, '127.0.0.1', resolve));
    const store = { args: [`--data=${data}`] };
    const shell = ['sh', '-c', `exec ${asUser(other).join(' ')} "$@"`];
    const s = await Server.start({ store, shell, env: { HOME: place } }); // holds the lock
    const file = path.join(data, 'server.json'), about = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.writeFileSync(file, JSON.stringify({ ...about, url: `http://127.0.0.1:${trap.address().port}/`, socket: null, tokenFile }));
    const asks = [['token', 'ls'], ['send', 'hello'], ['provider', 'ls'], ['open']];
    for (const words of asks)
        for (const [before, env] of [[[], {}], [[], { SKEIN_TOKEN: secret }], [asUser(owner), { SKEIN_TOKEN: secret, HOME: place }]]) {
            const r = await run([...store.args, ...words], { before, env });
            assert.equal(r.code, 1, `${words}: ${r.out}${r.err}`);
            assert.match(r.err, /belongs to the user/);
        }
    fs.chownSync(data, 0, 0); // the folder is ours now, the lock is not, and then the description is not
    for (const theirs of [path.join(data, 'skein.lock'), file]) {
        for (const words of asks) {
            const r = await run([...store.args, ...words], { env: { SKEIN_TOKEN: secret } });
            assert.match(r.err, new RegExp(`"${theirs}" belongs to the user \\S+, not to root`), r.out);
        }
        fs.chownSync(theirs, 0, 0);
    }
    assert.deepEqual(heard, []);
    trap.close();
    fs.chownSync(data, other, other);
    await s.stop();
}));

byRoot('a socket at which another user listens is told nothing', async () => {
    const s = await Server.start();
    const file = path.join(s.store.data, fs.readdirSync(s.store.data).find(name => name.endsWith('server.json')));
    const about = JSON.parse(fs.readFileSync(file, 'utf8')), place = fs.mkdtempSync('/tmp/skein-theirs-'), at = path.join(place, 'sock');
    fs.chownSync(place, other, other);
    const code = `require('net').createServer(c => c.on('data', d => process.stdout.write(d))).listen(${JSON.stringify(at)}, () => console.log('ready'))`;
    const [program, ...words] = [...asUser(other), process.execPath, '-e', code];
    const trap = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    let heard = '';
    trap.stdout.on('data', b => { heard += b; });
    try {
        await eventually('a socket of theirs', () => heard === 'ready\n');
        fs.writeFileSync(file, JSON.stringify({ ...about, socket: at }));
        const r = await run([...s.store.args, 'token', 'ls'], { env: { SKEIN_TOKEN: secret } });
        assert.equal(r.code, 0, r.err); // by its address
        assert.equal(heard, 'ready\n');
    } finally {
        trap.kill();
        fs.rmSync(place, { recursive: true });
    }
});

test('what comes by a proxy of the owner is not the owner', async () => {
    for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server', 'forwarded', 'via', 'x-real-ip', 'x-client-ip',
        'x-original-forwarded-for', 'x-envoy-external-address', 'CF-Connecting-IP', 'true-client-ip'])
        assert.equal((await server.request('GET', '/worlds', { headers: { [name]: 'for=192.0.2.1' } })).status, 401, name);
    for (const name of ['x-forwarded', 'vi', 'via-what', 'x-forward'])
        assert.equal((await server.request('GET', '/worlds', { headers: { [name]: 'for=192.0.2.1' } })).status, 200, name);
});

test('an owner who hangs up before the server comes to the connection is not a failed sign-in; a wrong token is one', async () => {
    const refused = async () => Number(/^skein_http_requests_total\{method="GET",status="401"\} (\d+)$/m.exec((await server.request('GET', '/metrics')).text)?.[1] ?? 0);
    const failed = async () => (await server.get('/audit?limit=500')).data.filter(a => a.what === 'sign-in.failed');
    const hangUp = async (...headers) => {
        const before = await refused();
        server.child.kill('SIGSTOP');
        await new Promise(resolve => {
            const socket = net.connect(server.port, server.host, () => socket.write(`GET /worlds HTTP/1.1\r\n${host}${headers.join('')}\r\n`, () => socket.destroy()));
            socket.on('close', resolve);
        });
        server.child.kill('SIGCONT');
        await eventually('the request', async () => await refused() > before);
    };
    const row = id => eventually('the row', async () => (await failed()).some(a => a.requestId === id));
    await hangUp('X-Request-Id: hung-up\r\n');
    await hangUp('X-Request-Id: hung-up-wrong\r\n', 'Authorization: Bearer wrong\r\n');
    await row('hung-up-wrong');
    assert.deepEqual((await failed()).filter(a => a.requestId.startsWith('hung-up')).map(a => [a.requestId, a.who, a.detail]), [['hung-up-wrong', 'nobody', 'a wrong token']]);
    await alive();
});

// --- Browsers that are signed in ----------------------------------------------------------------------

const nobody = { authorization: undefined };
const cookieOf = r => (r.headers['set-cookie'] ?? []).map(c => c.split(';')[0]).join('; ');
const own = s => `http://127.0.0.1:${s.port}`;
const signIn = (s, body, headers = {}) => s.call('POST', '/session', { body, headers: { ...nobody, origin: own(s), ...headers } });

test('a token is exchanged for a cookie that a browser keeps: HttpOnly, SameSite=Strict, of this server alone', async () => {
    const r = await signIn(guarded, { token: secret }, { 'user-agent': 'Browser 1' });
    assert.equal(r.status, 201);
    assert.match(r.headers['set-cookie'][0], new RegExp(`^skein-${guarded.port}=[0-9a-f]{64}; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict$`));
    const cookie = cookieOf(r);
    assert.deepEqual((await guarded.get('/session', 200, { headers: { ...nobody, cookie: `other=1; ${cookie}` } })).kind, 'session');
    assert.equal((await guarded.request('GET', '/worlds', { headers: { ...nobody, cookie } })).status, 200);
    assert.equal((await guarded.request('GET', '/worlds', { headers: { ...nobody, cookie: `${cookie}0` } })).status, 401);
    assert.equal((await guarded.request('GET', '/worlds', { headers: { ...nobody, cookie: `skein-1=${cookie.split('=')[1]}` } })).status, 401);
    for (const body of [{ token: `${secret}x` }, { code: 'nothing' }]) {
        const no = await signIn(guarded, body);
        assert.deepEqual([no.status, no.body.type, no.headers['set-cookie']], [401, '/problems/sign-in', undefined]);
    }
    assert.equal((await signIn(guarded, {})).status, 400);
    const held = fs.readdirSync(guarded.store.data).map(name => path.join(guarded.store.data, name)).filter(f => fs.statSync(f).isFile());
    for (const file of held) assert.ok(!fs.readFileSync(file).includes(cookie.split('=')[1]), file);
});

test('with a cookie only the page of the server itself changes something', async () => {
    const cookie = cookieOf(await signIn(guarded, { token: secret }));
    const make = headers => guarded.request('POST', '/worlds', { body: { name: `by-cookie-${Math.random().toString(36).slice(2)}` }, headers: { ...nobody, cookie, ...headers } });
    assert.equal((await make({ origin: own(guarded) })).status, 201);
    for (const headers of [{}, { origin: 'http://evil.example' }, { origin: `http://127.0.0.1:${server.port}` }, { origin: 'null' }, { origin: own(guarded), 'sec-fetch-site': 'cross-site' }])
        assert.equal((await make(headers)).status, 403, JSON.stringify(headers));
});

test('a session lasts over a restart, is listed, and ends with sign-out, its stream too', async () => {
    const s = await Server.start({ script: team(), token: secret, args: [`--token-file=${tokenFile}`] });
    const first = cookieOf(await signIn(s, { token: secret }, { 'user-agent': 'One' })), second = cookieOf(await signIn(s, { token: secret }, { 'user-agent': 'Two' }));
    const port = s.port;
    await s.stop();
    s.options.args = [`--token-file=${tokenFile}`, `--listen=127.0.0.1:${port}`];
    await s.start();
    finally_(() => s.stop());
    const as = (cookie, method = 'GET', url = '/session') => s.request(method, url, { headers: { ...nobody, cookie, origin: own(s) } });
    let r;
    do r = await as(first); while (r.status === 503); // until the store was read
    assert.equal(r.body.kind, 'session');
    const list = (await s.get('/sessions', 200, { headers: { ...nobody, cookie: first } })).data;
    assert.deepEqual(list.map(x => [x.label, x.current]), [['One', true], ['Two', false]]);
    const stream = s.stream('/events', { headers: { authorization: undefined, cookie: second } });
    await eventually('the stream', () => stream.status === 200);
    assert.equal((await as(first, 'DELETE', `/sessions/${list[1].id}`)).status, 204);
    assert.equal((await as(first, 'DELETE', `/sessions/${list[1].id}`)).status, 404);
    assert.equal((await as(second)).status, 401);
    await within(10000, 'the end of the stream', stream.done);
    const out = await as(first, 'DELETE');
    assert.equal(out.status, 204);
    // All of it is in the trail, with whose it was.
    const rows = (await s.get('/audit')).data.filter(a => /^(sign-in|session\.remove)$/.test(a.what)).reverse();
    assert.deepEqual(rows.map(a => [a.what, a.subject, a.detail]), [['sign-in', list[0].id, 'with a token'], ['sign-in', list[1].id, 'with a token'],
        ['session.remove', list[1].id, null], ['session.remove', list[0].id, null]]);
    assert.deepEqual(rows.slice(2).map(a => a.who), Array(2).fill(`session ${list[0].id}`));
    assert.match(out.headers['set-cookie'][0], /=; Path=\/; Max-Age=0;/);
    assert.equal((await as(first)).status, 401);
});

test('skein token prints what a script needs, skein open a link that works once, skein token revoke signs out', async () => {
    const cli = (...args) => run([...args, ...server.store.args]);
    const token = (await cli('token')).out.trim();
    assert.match(token, /^[0-9a-f]{64}$/);
    const headers = { 'x-forwarded-for': '192.0.2.1' }; // nobody's own
    assert.equal((await server.request('GET', '/worlds', { headers })).status, 401);
    assert.equal((await server.request('GET', '/worlds', { headers: { ...headers, authorization: `Bearer ${token}` } })).status, 200);
    const link = JSON.parse((await cli('open', '--json')).out).link;
    const code = /#sign-in=([0-9a-f]+)&to=/.exec(link)[1];
    const r = await signIn(server, { code }, { 'user-agent': 'Linked' });
    assert.equal(r.status, 201);
    assert.equal((await server.request('GET', '/session', { headers: { ...headers, cookie: cookieOf(r) } })).body.kind, 'session');
    assert.equal((await signIn(server, { code })).status, 401);
    assert.match((await cli('token', 'ls')).out, /Linked/);
    const id = (await cli('token', 'ls')).out.split(/\s/)[0];
    assert.equal((await cli('token', 'revoke', id)).code, 0);
    assert.equal((await server.request('GET', '/session', { headers: { ...headers, cookie: cookieOf(r) } })).status, 401);
});

test('the command line gives nothing away to a server that refuses it or is of another version', async () => {
    const bodies = [];
    let version = '9.9', status = 200;
    const other = http.createServer((req, res) => {
        req.on('data', b => bodies.push(String(b)));
        req.on('end', () => {
            res.writeHead(status, { 'content-type': 'application/problem+json', 'skein-version': version });
            res.end('{"title":"Sign in","detail":"a token is needed","status":401,"code":"SIGN_IN"}');
        });
    });
    await new Promise(resolve => other.listen(0, '127.0.0.1', resolve));
    finally_(() => new Promise(resolve => other.close(resolve)));
    const url = `http://127.0.0.1:${other.address().port}`;
    const login = await run(['--server', url, 'provider', 'login', 'x'], { input: 'sk-0123456789abcdef\n' });
    assert.match(login.err, /the server is skein 9\.9/);
    assert.deepEqual(bodies, []);
    [version, status] = [JSON.parse((await run(['version', '--json'])).out).version, 401];
    const open = await run(['--server', url, 'open']);
    assert.deepEqual([open.code, open.out], [4, '']);
    assert.doesNotMatch(open.err, /signs a browser in/);
});

byRoot('a cookie, and a link, are good for the user of the computer who got them alone, also over IPv4 in IPv6', async () => {
    const six = await Server.start({ script: team(), token: secret, args: [`--token-file=${tokenFile}`, '--listen=[::]:0'] });
    const url = `http://127.0.0.1:${six.port}`;
    const r = await curlAs(undefined, six, '-D', '-', '-H', `Origin: ${url}`, '-H', 'content-type: application/json', '-d', JSON.stringify({ token: secret }), `${url}/session`);
    assert.equal(r.status, 201, r.text);
    const cookie = /set-cookie: ([^;]+)/i.exec(r.text)[1];
    assert.equal((await curlAs(undefined, six, '-H', `Cookie: ${cookie}`, `${url}/worlds`)).status, 200);
    assert.equal((await curlAs(other, six, '-H', `Cookie: ${cookie}`, `${url}/worlds`)).status, 401);
    const { code } = await six.post('/session/link', undefined);
    const take = uid => curlAs(uid, six, '-H', `Origin: ${url}`, '-H', 'content-type: application/json', '-d', JSON.stringify({ code }), `${url}/session`);
    assert.deepEqual([(await take(other)).status, (await take(undefined)).status, (await take(undefined)).status], [401, 201, 401]);
});

// --- Programs ---------------------------------------------------------------------------------------

test('with --no-commands or tools.commands false no program is started, those in the store included', async () => {
    const store = freshStore(), mark = path.join(folder, 'started'), key = path.join(folder, 'asked');
    const config = path.join(folder, 'commands.yaml');
    const settings = { mcpServers: { x: { command: ['/bin/sh', '-c', `touch ${mark}; exec cat`] } } };
    fs.writeFileSync(config, `providers:\n  vault:\n    type: openai\n    baseUrl: http://127.0.0.1:9/v1\n    apiKey: { command: ["/bin/sh", "-c", "touch ${key}; echo sk-0123456789abcdef"] }\n`, { mode: 0o600 });
    const begin = more => Server.start({ store, script: team(), ...more });
    const needed = async s => {
        const w = s.known ?? await s.world('programs', ['ada'], { settings });
        await (await s.stream(`${w.path}/messages`, { method: 'POST', body: { content: '@ada hello', chatId: w.chat } })).event('world.idle', undefined, { ms: 20000 });
        return w;
    };
    const on = await begin({ args: [`--config=${config}`] });
    const w = await needed(on);
    await on.stop();
    assert.deepEqual([fs.existsSync(mark), fs.existsSync(key)], [true, true]);
    for (const how of [{ args: ['--no-commands', `--config=${config}`] }, { args: [`--config=${config}`], env: { SKEIN_TOOLS_COMMANDS: 'false' } }]) {
        fs.rmSync(mark, { force: true });
        fs.rmSync(key, { force: true });
        const off = await begin(how);
        off.known = w;
        const unneeded = (await off.get(`${w.path}/tool-servers`)).data;
        await needed(off);
        assert.deepEqual([fs.existsSync(mark), fs.existsSync(key)], [false, false]);
        for (const [x] of [unneeded, (await off.get(`${w.path}/tool-servers`)).data]) {
            assert.deepEqual([x.name, x.state], ['x', 'failed']);
            assert.match(x.reason, /commands are switched off here \(tools\.commands\)/);
        }
        assert.match(JSON.stringify((await off.get('/providers')).data.find(p => p.name === 'vault')), /tools\.commands/);
        const no = await off.refused('PATCH', w.path, 400, 'validation', { body: { settings: { mcpServers: { y: { command: ['true'] } } } } });
        assert.equal(no.body.errors[0].pointer, '/settings/mcpServers/y/command');
        await off.refused('POST', '/worlds', 400, 'validation', { body: { name: 'more-programs', settings } });
        assert.deepEqual(Object.keys((await off.ask('PATCH', w.path, { settings: { knowledge: false } })).settings.mcpServers), ['x']);
        const put = value => run(['world', 'set', 'mcpServers.z', value, '-w', w.name, ...store.args]);
        assert.match((await put('{"command":["true"]}')).err, /Commands are switched off in the server that runs here \(tools\.commands\)/);
        assert.equal((await put('null')).err, '');
        await off.stop();
    }
});

// --- Paths -----------------------------------------------------------------------------------------

test('no path leads out of the server', async () => {
    for (const url of ['/../../etc/passwd', '/..%2f..%2fetc%2fpasswd', '/%2e%2e/%2e%2e/etc/passwd', '/docs/../../etc/passwd', '/problems/..%2f..%2fetc%2fpasswd', '/problems/%2e%2e', '//etc/passwd', '/worlds/..%2f..%2f/export', '/\\..\\..\\etc\\passwd', '/worlds/%00', '/worlds/%ff', '/worlds/%zz']) {
        const r = await raw(`GET ${url} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
        assert.ok([400, 404].includes(r.statuses[0]), `${url}: ${r.text.slice(0, 200)}`);
        assert.ok(!/root:|skein\.db/.test(r.text), url);
    }
});

test('names in exports and imports are no paths either', async () => {
    for (const name of ['../evil', '/etc/evil', 'a/b', '..', 'con\u0000'])
        await server.refused('POST', '/worlds', 400, 'validation', { body: { name } });
});

// --- What HTTP is and is not -------------------------------------------------------------------------

test('unknown paths are 404, other methods 405 with Allow, OPTIONS says Allow', async () => {
    await server.refused('GET', '/nothing', 404, 'not-found', { undocumented: true });
    await server.refused('GET', '/worldsx', 404, 'not-found', { undocumented: true });
    await server.refused('GET', '/api/v2/worlds', 404, 'not-found', { undocumented: true });
    const put = await server.refused('PUT', '/worlds', 405, 'method', { undocumented: true, body: {} });
    assert.deepEqual(put.headers.allow.split(/, */).sort(), ['GET', 'HEAD', 'OPTIONS', 'POST']);
    const del = await server.refused('DELETE', '/version', 405, 'method', { undocumented: true });
    assert.ok(del.headers.allow.includes('GET'));
    for (const method of ['TRACE', 'CONNECT', 'BREW'])
        assert.ok([400, 405, 501].includes((await raw(`${method} /worlds HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)).statuses[0]), method);
    const options = await server.request('OPTIONS', '/worlds');
    assert.equal(options.status, 204);
    assert.deepEqual(options.headers.allow.split(/, */).sort(), ['GET', 'HEAD', 'OPTIONS', 'POST']);
});

test('HEAD gives what GET gives, without the body', async () => {
    for (const url of ['/worlds', '/version', '/openapi.json', '/livez']) {
        const get = await server.call('GET', url), head = await server.request('HEAD', url);
        assert.deepEqual([head.status, head.text, head.headers['content-length'], head.headers.etag, head.headers['content-type']],
            [200, '', get.headers['content-length'], get.headers.etag, get.headers['content-type']], url);
    }
    assert.equal((await server.request('HEAD', '/worlds/none')).status, 404);
});

test('contradictory lengths are refused and the connection is closed', async () => {
    const body = '{"name":"smuggled"}';
    for (const lines of [`Content-Length: ${body.length}\r\nContent-Length: ${body.length}\r\n`, `Content-Length: ${body.length}\r\nContent-Length: 1\r\n`,
        `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`, `Transfer-Encoding: chunked\r\nContent-Length: ${body.length}\r\n`,
        'Content-Length: -1\r\n', 'Content-Length: 1e3\r\n', 'Content-Length: +19\r\n', `Content-Length: ${body.length}, ${body.length}\r\n`, 'Content-Length: 99999999999999999999\r\n',
        'Transfer-Encoding: gzip\r\n', 'Transfer-Encoding: chunked, chunked\r\n', 'Transfer-Encoding: xchunked\r\n', `Content-Length : ${body.length}\r\n`, ` Content-Length: ${body.length}\r\n`]) {
        // Whole either way, so that only the contradiction is wrong.
        const sent = /transfer/i.test(lines) ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body;
        const r = await raw(`POST /worlds HTTP/1.1\r\n${host}Content-Type: application/json\r\n${lines}\r\n${sent}GET /version HTTP/1.1\r\n${host}\r\n`);
        assert.equal(r.statuses.length, 1, `${JSON.stringify(lines)}: ${r.text.slice(0, 300)}`);
        assert.ok([400, 413, 501].includes(r.statuses[0]), `${JSON.stringify(lines)}: ${r.statuses}`);
        assert.ok(r.closed, JSON.stringify(lines));
    }
    assert.ok(!(await server.get('/worlds')).data.some(w => w.name === 'smuggled'));
});

test('broken requests are refused and hurt nobody', async () => {
    for (const bytes of ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n', 'GET\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', 'GET /version HTTP/1.1\nHost: x\n\n', `GET /version HTTP/1.1\r\n${host}Folded: a\r\n b\r\n\r\n`,
        `GET /version HTTP/1.1\r\n${host}No colon\r\n\r\n`, `GET /version HTTP/1.1\r\n${host}Nul: \0\r\n\r\n`, '\0\0\0\0\r\n\r\n', `GET /ver sion HTTP/1.1\r\n${host}\r\n`, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']) {
        const r = await raw(Buffer.from(bytes, 'latin1'));
        assert.ok(r.closed && (r.statuses.length === 0 || r.statuses[0] >= 400), `${JSON.stringify(bytes)}: ${r.text.slice(0, 200)}`);
    }
    await alive();
});

test('chunked bodies are read whatever the chunks are, and broken ones refused', async () => {
    const send = chunks => raw(`POST /worlds HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}`);
    const body = '{"name":"chunked"}';
    assert.deepEqual((await send([...body].map(c => `1\r\n${c}\r\n`).join('') + '0\r\n\r\n')).statuses, [201]);
    for (const bad of ['zz\r\nabc\r\n0\r\n\r\n', '-1\r\n\r\n', 'ffffffffffffffffff\r\nx', `5\r\n${body}\r\n0\r\n\r\n`])
        assert.ok((await send(bad)).statuses[0] >= 400, bad);
});

test('pipelined requests are answered in order', async () => {
    const r = await raw(['/version', '/nothing', '/livez', '/worlds'].map(u => `GET ${u} HTTP/1.1\r\n${host}\r\n`).join(''));
    assert.deepEqual(r.statuses, [200, 404, 200, 200]);
});

test('an HTTP/1.0 client gets its answer and the end', async () => {
    const r = await raw(`GET /version HTTP/1.0\r\n${host}\r\n`);
    assert.ok(r.closed);
    assert.match(r.text, /^HTTP\/1\.[01] 200/);
});

// --- Sizes --------------------------------------------------------------------------------------------

test('an address over 8 kB is 414, headers over 16 kB or 100 are 431, a body over its limit 413', async () => {
    problem(await raw(`GET /${'a'.repeat(9000)} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`), 414, 'url-too-long');
    problem(await raw(`GET /version HTTP/1.1\r\n${host}X: ${'a'.repeat(17000)}\r\nConnection: close\r\n\r\n`), 431, 'headers-too-large');
    problem(await raw(`GET /version HTTP/1.1\r\n${host}${'X: a\r\n'.repeat(150)}Connection: close\r\n\r\n`), 431, 'headers-too-large');
    // However much more comes: the answer is there before the connection is closed.
    for (const n of [70000, 3000000]) {
        problem(await raw(`GET /${'a'.repeat(n)} HTTP/1.1\r\n${host}\r\n`), 414, 'url-too-long');
        problem(await raw(`GET /version HTTP/1.1\r\n${host}X: ${'a'.repeat(n)}\r\n\r\n`), 431, 'headers-too-large');
        assert.deepEqual((await raw(`GET /version HTTP/1.1\r\n${host}\r\nGET /version HTTP/1.1\r\n${host}X: ${'a'.repeat(n)}\r\n\r\n`)).statuses, [200, 431]);
    }
    const big = await raw(`POST /worlds HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: ${30 * 1024 * 1024}\r\nConnection: close\r\n\r\n{`);
    problem(big, 413, 'too-large');
    const chunk = 'x'.repeat(1024 * 1024);
    const endless = await raw(`POST /worlds HTTP/1.1\r\n${host}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`${chunk.length.toString(16)}\r\n${chunk}\r\n`.repeat(20)}`);
    assert.ok(endless.closed);
    assert.ok(!endless.statuses.length || endless.statuses[0] === 413, endless.text.slice(0, 200));
    await alive();
});

// --- Memory -------------------------------------------------------------------------------------------

const sanitized = Number(process.env.SKEIN_TEST_ROUNDS ?? 100) < 100;
const ones = bytes => `[${'1,'.repeat(bytes / 2 - 1)}1]`;
const megabytes = (s, what) => Number(new RegExp(`${what}:\\s+(\\d+)`).exec(fs.readFileSync(`/proc/${s.child.pid}/status`, 'utf8'))[1]) / 1024;
const send = (s, url, text, type = 'application/json') => s.request('POST', url, { raw: text, headers: { 'content-type': type }, ms: limit(60000) });

test('a body has the limit of its route, and JSON one of values; what it took is given back', async () => {
    const s = await Server.start({ env: { MALLOC_PERTURB_: '0' } }); // Meson sets it: all memory that is asked for would be written to
    const w = await s.world('sizes', []);
    await s.refused('POST', '/worlds', 413, 'too-large', { raw: ones(1.5 * 1048576) });
    const many = await s.refused('POST', '/worlds', 413, 'too-large', { raw: ones(1048576 - 2) });
    assert.match(many.body.detail, /more than 100000 values/);
    // A message of the largest size, however it is written.
    const escaped = `{"chatId":"${w.chat}","content":"${'\\u0061'.repeat(1000000)}"}`;
    assert.equal((await send(s, `${w.path}/messages`, escaped)).status, 202);
    // As many at once as the issue had; the rest is asked of the release build alone, where memory is the program's own.
    const before = megabytes(s, 'VmRSS');
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(s, '/worlds', ones(1048576 - 2))));
    assert.deepEqual(answers.map(a => a.status), Array(6).fill(413));
    if (sanitized) return; // a sanitizer keeps what is freed
    assert.ok(megabytes(s, 'VmHWM') - before < 6 * 12 + 16, `${before} MB grew to ${megabytes(s, 'VmHWM')} MB`);
    await eventually(`memory after ${before} MB`, () => megabytes(s, 'VmRSS') - before < 16);
}, limit(60000));

test('a request that finds no memory fails alone with 503, and the server lives on', async () => {
    if (sanitized) return; // a sanitizer needs more room than there is
    const s = await Server.start({ shell: ['sh', '-c', 'ulimit -v 400000; exec "$@"'] });
    const line = `{"role":"user","sender":"you","content":"${'x'.repeat(200)}"}\n`;
    const seen = new Set();
    for (const megabyte of [3, 9, 16])
        for (const text of [ones(megabyte * 1048576), line.repeat(megabyte * 4500)]) {
            const answers = await Promise.all(Array.from({ length: 3 }, () => send(s, '/worlds/import', text, 'application/octet-stream')));
            for (const a of answers) seen.add(a.status);
        }
    assert.deepEqual([...seen].filter(status => ![201, 409, 413, 422, 503].includes(status)), []);
    assert.ok(seen.has(503));
    const busy = await s.refused('POST', '/worlds/import', 503, 'overloaded', { raw: ones(16 * 1048576), headers: { 'content-type': 'application/octet-stream' } });
    assert.deepEqual([busy.body.retryable, busy.body.code], [true, 'OVERLOADED']);
    assert.equal((await send(s, '/worlds', JSON.stringify({ name: 'after' }))).status, 201);
    // There is room to read these messages, and none for what is made of them.
    const short = await Server.start({ shell: ['sh', '-c', 'ulimit -v 600000; exec "$@"'] });
    const tiny = `[${'{"role":"user","content":"a"},'.repeat(333000).slice(0, -1)}]`;
    assert.equal((await send(short, '/worlds/import?dryRun=true', tiny, 'application/octet-stream')).status, 503);
    assert.equal((await send(short, '/worlds', JSON.stringify({ name: 'after' }))).status, 201);
}, limit(60000));

test('a large read that finds no memory fails alone with 503, and the server lives on', async () => {
    if (sanitized) return;
    const store = freshStore();
    const cli = async (words, input) => {
        const done = await run([...words, ...store.args], { input });
        assert.equal(done.code, 0, done.err);
    };
    await cli(['world', 'new', 'large']);
    await cli(['agent', 'new', 'ada', '-w', 'large']);
    await cli(['conv', 'new', '-w', 'large']);
    const lines = Array.from({ length: 250 }, (_, i) => JSON.stringify({ role: i % 2 ? 'assistant' : 'user', sender: i % 2 ? 'ada' : 'you', content: `${i} ${'word '.repeat(40000)}` }));
    await cli(['append', '-w', 'large'], lines.join('\n'));
    const s = await Server.start({ store, shell: ['sh', '-c', 'ulimit -v 300000; exec "$@"'] });
    const chat = `/worlds/large/chats/${(await s.get('/worlds/large/chats')).data[0].id}`;
    const seen = new Set();
    for (const url of ['/timeline', '/context?agent=ada', '/messages?limit=500', '/messages?limit=500&fields=content', '/tree?limit=500', '/export?format=json', '/export?format=md'])
        for (const answer of await Promise.all(Array.from({ length: 3 }, () => s.request('GET', chat + url, { ms: limit(60000) })))) {
            assert.ok([200, 503].includes(answer.status), `${url}: ${answer.status} ${answer.text.slice(0, 300)}`);
            if (answer.status === 503) assert.deepEqual([answer.body.type, answer.body.retryable], ['/problems/overloaded', true]);
            seen.add(answer.status);
        }
    assert.ok(seen.has(503));
    assert.equal((await s.request('GET', `${chat}/messages?limit=1`)).status, 200);
}, limit(120000));

// Reads of 30 MB by clients that take nothing, or ask and go: what is made for them has a limit, and what waits is dropped.
test('clients that do not take their large answers fill no memory', async () => {
    if (sanitized || kind !== 'sqlite') return;
    const store = freshStore(), file = path.join(folder, 'long.json');
    fs.writeFileSync(file, JSON.stringify(Array.from({ length: 300 }, () => ({ role: 'user', content: 'y'.repeat(100000) }))));
    assert.equal((await run(['import', file, ...store.args])).code, 0);
    const s = await Server.start({ store, env: { MALLOC_PERTURB_: '0' } });
    const chat = `/worlds/long/chats/${(await s.get('/worlds/long/chats')).data[0].id}`;
    const ask = `GET ${chat}/messages?limit=500 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;
    const clients = Array.from({ length: 80 }, () => net.connect({ port: s.port, host: s.host }).on('error', () => {}));
    for (const c of clients) c.pause().end(ask);
    const last = net.connect({ port: s.port, host: s.host, allowHalfOpen: true });
    let told = '';
    last.on('data', b => { told ||= b.toString().slice(0, 12); }).end(ask); // its side is closed
    await within(limit(60000), 'its answer', new Promise(resolve => last.on('end', resolve)));
    assert.match(told, /^HTTP\/1\.1 (200|503)$/); // as many of the others as are before it
    for (const c of clients) c.destroy();
    await eventually('room for a read', async () => (await s.request('GET', `${chat}/messages?limit=500`, { ms: limit(60000) })).status === 200, 60000);
    assert.ok(megabytes(s, 'VmHWM') < 950, `${megabytes(s, 'VmHWM')} MB`);
}, limit(120000));

test('large conversations are read at the same time only as memory allows', async () => {
    if (sanitized || kind !== 'sqlite') return; // the database has no part in it
    const store = freshStore(), file = path.join(folder, 'tiny.json');
    fs.writeFileSync(file, `[${'{"role":"user","content":"a"},'.repeat(333000).slice(0, -1)}]`);
    assert.equal((await run(['import', file, ...store.args])).code, 0);
    const s = await Server.start({ store, shell: ['sh', '-c', 'ulimit -v 450000; exec "$@"'] });
    const chat = `/worlds/tiny/chats/${(await s.get('/worlds/tiny/chats')).data[0].id}`;
    for (let round = 0; round < 2; round++) {
        const answers = await Promise.all(['timeline', 'timeline', 'context', 'tree', 'analytics/groups?by=thread', 'context']
            .map(what => s.request('GET', `${chat}/${what}`, { ms: limit(60000) })));
        assert.deepEqual(answers.map(a => a.status).filter(status => ![200, 503].includes(status)), []);
        assert.ok(answers.some(a => a.status === 200) && answers.some(a => a.status === 503), answers.map(a => a.status).join());
    }
    assert.equal((await s.request('GET', `${chat}/messages?limit=1`)).status, 200);
}, limit(120000));

// --- Descriptors, and what others can see -----------------------------------------------------------------

test('where few files may be open, requests are answered however many connections there are', async () => {
    const s = await Server.start({ shell: ['sh', '-c', 'ulimit -n 64; exec "$@"'] });
    s.agent = new http.Agent(); // a connection that is kept for later is the first to go
    const w = await s.world('few', ['ada']);
    const sockets = Array.from({ length: 200 }, () => net.connect(s.port, s.host).on('error', () => {}));
    await Promise.all(sockets.map(socket => new Promise(resolve => socket.on('connect', resolve).on('close', resolve))));
    for (let i = 0; i < 20; i++) {
        assert.equal((await s.request('GET', '/worlds')).status, 200);
        assert.deepEqual((await w.converse(`@ada hello ${i}`)).of('message.failed'), []);
    }
    for (const socket of sockets) socket.destroy();
}, limit(60000));

test('the password of --db cannot be read where programs are listed', async () => {
    let came;
    const silent = net.createServer(socket => {
        socket.on('error', () => {});
        came(socket);
    });
    await new Promise(resolve => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address();
    for (const words of [[`--db=postgresql://me:hunter2@127.0.0.1:${port}/x`], ['--db', `postgresql://me:hunter2@127.0.0.1:${port}/x?sslmode=disable`], ['--db', `postgresql://me@127.0.0.1:${port}/x?password=hunter2`],
        [`--db=postgresql://me@127.0.0.1:${port}/x?sslmode=disable&pass%77ord=hunter2`], [`--db=postgresql://me@127.0.0.1:${port}/x?%70%61ssword=hunter2&sslmode=disable`],
        [`--db=postgresql://me:hun?ter2@127.0.0.1:${port}/x`]]) {
        const connected = new Promise(resolve => { came = resolve; });
        const child = spawn(process.env.SKEIN, ['world', 'ls', ...words], { stdio: 'ignore' });
        const ended = new Promise(resolve => child.on('exit', resolve));
        const socket = await within(limit(10000), 'a connection', connected);
        const seen = fs.readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').split('\0');
        child.kill('SIGKILL');
        await ended;
        socket.destroy();
        assert.ok(!/hunter2|ter2@/.test(seen.join(' ')), seen.join(' '));
        assert.ok(/ord=x{7}[& ]|:x{8}@/.test(seen.join(' ')) || seen.join(' ').includes(`me:xxxxxxx@127.0.0.1:${port}/x`) || seen.join(' ').endsWith('password=xxxxxxx '), seen.join(' '));
    }
    silent.close();
}, limit(60000));

test('a database that asks for a password is told apart from one that is not there', async () => {
    const asking = net.createServer(socket => {
        socket.on('error', () => {}).on('data', d => socket.write(d.readInt32BE(4) > 80000000 ? 'N' : Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 3])));
    });
    await new Promise(resolve => asking.listen(0, '127.0.0.1', resolve));
    const { code, err } = await run([`--db=postgresql://me@127.0.0.1:${asking.address().port}/x`, 'world', 'ls'], { env: { PGPASSWORD: '', PGPASSFILE: '/nonexistent' } });
    asking.close();
    assert.deepEqual([code, /asks for a password, and none was given\n.*PGPASSWORD.*pgpass.*USER:PASSWORD@/.test(err)], [6, true], err);
});

test('JSON that is too deep, not UTF-8, or none at all is 400', async () => {
    for (const text of ['['.repeat(100000), '{"name":"a"', '{"name":"\\ud800"}', Buffer.from('7b226e616d65223a22ff227d', 'hex'), 'null', '[]', '"x"', '{"name":{}}', '{"name":"a","name":"b"}', ''])
        await server.refused('POST', '/worlds', 400, 'validation', { raw: text });
    await server.refused('POST', '/worlds', 415, 'media-type', { raw: 'name=a', headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    await server.refused('POST', '/worlds', 415, 'media-type', { raw: '{"name":"a"}', headers: { 'content-type': 'text/plain' } });
});

test('more connections than allowed are turned away and the others served', async () => {
    // Not 6000 here: what matters is that a flood of idle connections stops nobody.
    const idle = Array.from({ length: 500 }, () => { const s = net.connect(server.port, server.host); s.on('error', () => {}); return s; });
    await Promise.all(idle.map(s => new Promise(resolve => s.once('connect', resolve))));
    await alive();
    for (const s of idle) s.destroy();
    await alive();
});

// --- Too often ------------------------------------------------------------------------------------------

test('more requests a minute than allowed are 429 with Retry-After', async () => {
    const own = await Server.start({ env: { SKEIN_LIMITS_REQUESTS_PER_MINUTE: '30' } });
    let refused;
    for (let i = 0; i < 60 && !refused; i++) {
        const r = await own.request('GET', '/worlds');
        if (r.status !== 200) refused = r;
    }
    assert.equal(refused.status, 429);
    checkProblem(refused);
    assert.equal(refused.body.type, '/problems/rate-limit');
    assert.ok(Number(refused.headers['retry-after']) >= 1);
    assert.equal(refused.body.retryable, true);
});

// --- Too slowly -----------------------------------------------------------------------------------------

test('a request that comes byte by byte is ended, while others are served', async () => {
    const whole = `POST /worlds HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n${'{'.repeat(500)}`;
    const sockets = Array.from({ length: 100 }, (_, i) => {
        const s = net.connect(server.port, server.host);
        let at = 0;
        s.over = new Promise(resolve => s.on('close', resolve));
        s.on('error', () => {});
        s.resume();
        const timer = setInterval(() => s.write(whole[at++ % whole.length]), 400 + i);
        s.on('close', () => clearInterval(timer));
        return s;
    });
    const begun = Date.now();
    let longest = 0;
    while (Date.now() - begun < 8000) longest = Math.max(longest, await timed(alive));
    assert.ok(longest < limit(2000), `one took ${longest} ms`);
    await within(25000, 'the end of the slow ones', Promise.all(sockets.map(s => s.over)));
    assert.ok(Date.now() - begun < limit(25000));
}, 60000);

test('slowhttptest cannot stop the service to others', async () => {
    const url = `http://127.0.0.1:${server.port}`;
    const w = await server.world('besieged', ['ada']);
    const seconds = limit(1) > 1 ? 24 : 12; // the first of them are the hardest
    const attacks = [['-H'], ['-B'], ['-X', '-w', '1', '-y', '10', '-n', '5', '-z', '8', '-k', '3']].map(kind => spawn('slowhttptest', [...kind, '-c', String(rounds(300)), '-r', String(rounds(150)), '-i', '2', '-l', String(seconds), '-p', '3', '-u', `${url}${kind[0] === '-B' ? '/worlds' : '/openapi.json'}`, '-t', kind[0] === '-B' ? 'POST' : 'GET'], { stdio: 'ignore' }));
    const missing = new Promise((_, reject) => attacks[0].on('error', () => reject(new Error('slowhttptest is missing; run: tools/deps.sh test'))));
    const over = Promise.all(attacks.map(a => new Promise(resolve => a.on('close', resolve))));
    const served = [], begun = Date.now(), before = waited();
    let going = true;
    over.then(() => { going = false; });
    missing.catch(() => { going = false; });
    while (going) {
        served.push(await timed(async () => {
            const s = await w.converse('hello');
            assert.equal(s.of('message.completed').length, 1);
        }));
        await new Promise(resolve => setTimeout(resolve, 50));
    }
    await Promise.race([over, missing]);
    console.log(`# ${served.length} conversations were held meanwhile`);
    const share = Math.min(1, Math.max(0, waited() - before) / (Date.now() - begun));
    assert.ok(served.length > 20 / limit(1) * (1 - share), `only ${served.length} were served`);
    served.sort((a, b) => a - b);
    assert.ok(served[Math.floor(served.length * 0.95)] < limit(2000), `95 of 100 took up to ${served[Math.floor(served.length * 0.95)]} ms`);
    await alive();
}, 60000);

test('after all that the server still answers and ends well', async () => {
    await alive();
    await server.stop();
});

await finish();
