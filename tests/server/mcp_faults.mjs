// mcp_faults.mjs: tool servers that misbehave, over both roads. Each must come to a clear end.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { assert, drive, folder, isThere } from './mcp_kit.mjs';
import { finish, limit, test, within } from './tap.mjs';

const fakeFile = new URL('./mcp_fake.mjs', import.meta.url).pathname;
const fake = (modes = [], options = [], env = {}) => drive([...options, '--', process.execPath, fakeFile, ...modes], env);
const logged = (d, text) => d.event(`the notice "${text}"`, e => e.event === 'log' && e.text.includes(text), { from: 0 });

// --- Starting -------------------------------------------------------------------------------------

test('a command that is not there fails at once, with the reason', async () => {
    const d = drive(['--', 'no-such-program-anywhere']);
    assert.match((await d.state('failed', { from: 0 })).words, /its command cannot be run: No such file/);
    const { failed, unknown, text } = await d.call('x');
    assert.deepEqual([failed, unknown], [true, false]);
    assert.match(text, /does not run: its command cannot be run/);
    await d.end();
});

test('a folder that is not there fails at once', async () => {
    const d = drive(['--cwd', path.join(folder, 'nowhere'), '--', process.execPath, fakeFile]);
    assert.match((await d.state('failed', { from: 0 })).words, /its command cannot be run: No such file/);
    await d.end();
});

test('a server that ends while it starts is tried again with growing pauses, then given up; its last words are kept', async () => {
    const d = fake(['dies'], ['--restarts', '2']);
    const { words } = await d.state('failed', { from: 0, ms: 20000 });
    assert.equal(words, 'it ended with status 3');
    const pauses = d.events.filter(e => e.state === 'starting').map(e => /in (\d+) s/.exec(e.words)[1]);
    assert.deepEqual(pauses, ['1', '2']);
    assert.equal(await d.stderr(), 'the disk is on fire \u{1F525}\n');
    d.say('start');
    await d.state('starting');
    await d.end();
});

test('a server that never answers is given up in time', async () => {
    const d = fake(['mute'], ['--start-ms', '700', '--restarts', '-1']);
    const call = d.begin('give');
    assert.match((await d.state('failed', { from: 0 })).words, /not ready within 700 ms/);
    const { failed, unknown } = await call.done();
    assert.deepEqual([failed, unknown], [true, false]);
    await d.end();
});

test('a server that refuses to begin is not asked again', async () => {
    const d = fake(['rude']);
    assert.match((await d.state('failed', { from: 0 })).words, /refused to start: error -32000: not today/);
    await d.end();
});

for (const version of ['2025-06-18', '2025-03-26', '2024-11-05'])
    test(`a server of version ${version} is spoken to`, async () => {
        const d = fake([version]);
        assert.equal((await d.ready()).version, version);
        assert.match((await logged(d, 'hello')).text, /"protocolVersion":"2025-11-25".*"clientInfo":\{"name":"skein"/);
        await logged(d, 'notifications/initialized');
        assert.equal(await d.text('give', { a: 1 }), 'given {"a":1}');
        await d.end();
    });

test('a server of a version that nobody here speaks is given up', async () => {
    const d = fake(['2030-01-01']);
    assert.match((await d.state('failed', { from: 0 })).words, /another version of the protocol: 2030-01-01/);
    await d.end();
});

test('what is not a message is passed over', async () => {
    const d = fake(['noise']);
    await d.ready();
    assert.equal(await d.text('give'), 'given {}');
    assert.equal(d.events.filter(e => e.event === 'log' && /could not be read/.test(e.text)).length, 2);
    await d.end();
});

test('of our own environment a server gets only what every program needs', async () => {
    const d = fake([], ['--env', 'MINE=yes', '--env', 'LANG=xx'], { ANTHROPIC_API_KEY: 'planted', LANG: 'yy', TZ: 'UTC' });
    const env = JSON.parse(await d.text('env'));
    assert.equal(env.ANTHROPIC_API_KEY, undefined);
    assert.deepEqual([env.MINE, env.LANG, env.TZ, env.PATH], ['yes', 'xx', 'UTC', process.env.PATH]);
    await d.end();
});

// --- Tools ----------------------------------------------------------------------------------------

test('tools come in pages, and again when they change', async () => {
    const d = fake();
    assert.equal((await d.ready()).tools, 8);
    const changed = d.event('another tool', e => e.event === 'changed' && e.tools === 9);
    assert.equal(await d.text('learn', { name: 'new' }), 'learnt');
    await changed;
    assert.deepEqual((await d.tools()).map(t => t.name), ['give', 'hang', 'env', 'huge', 'nul', 'die', 'flood', 'work', 'new']);
    await d.end();
});

test('tools that change while they are being listed are listed again', async () => {
    const d = fake(['restless']);
    await d.event('the late tool', e => e.event === 'changed' && e.tools === 9, { from: 0 });
    assert.equal((await d.tools()).at(-1).name, 'late');
    await d.end();
});

test('a list of tools without end is cut', async () => {
    const d = fake(['endless']);
    assert.equal((await d.ready()).tools, 100);
    await d.end();
});

// --- Calls ----------------------------------------------------------------------------------------

test('a ping is answered; what we do not offer is refused', async () => {
    const d = fake();
    await d.text('ask');
    await logged(d, 'answer {"jsonrpc":"2.0","id":"p1","result":{}}');
    await logged(d, '"id":77,"error":{"code":-32601');
    await logged(d, '"id":78,"error":{"code":-32601');
    await d.end();
});

test('a call without an answer ends in time as unknown, and the server is told', async () => {
    const d = fake([], ['--call-ms', '2000']);
    await d.ready();
    const { failed, unknown, text } = await d.call('hang');
    assert.deepEqual([failed, unknown], [true, true]);
    assert.match(text, /no answer within 2000 ms.*outcome is unknown/s);
    assert.match((await logged(d, 'notifications/cancelled')).text, /"requestId":\d+,"reason":"timeout"/);
    assert.equal(await d.text('give'), 'given {}');
    await d.end();
});

test('a call that tells its progress is given more time', async () => {
    const d = fake([], ['--call-ms', String(limit(1000))]);
    await d.ready();
    assert.equal(await d.text('work', { ms: limit(400), steps: 5 }), 'worked');
    assert.equal(d.events.filter(e => e.event === 'progress').at(-1).text, 'step 5');
    await d.end();
});

test('a call that tells its progress for ever is ended, and told how long it was waited for', async () => {
    const d = fake([], ['--call-ms', '200']);
    await d.ready();
    const { unknown, text } = await d.call('work', { ms: 10, steps: 1e9 }, 20000);
    assert.equal(unknown, true);
    assert.match(text, /no answer within 2000 ms|no answer, and no progress for 200 ms/); // the second where the machine is busy
    await d.end();
});

test('a call that is cancelled is told to the server', async () => {
    const d = fake();
    await d.ready();
    const call = d.begin('hang');
    await d.text('give');
    d.say(`cancel ${call.number}`);
    assert.match((await logged(d, 'notifications/cancelled')).text, /"reason":"cancelled"/);
    await d.end();
});

test('a result that is too long is cut between characters and says so', async () => {
    const d = fake([], ['--result-bytes', '1001']);
    const { text, cut, failed } = await d.call('huge', { n: 5000 });
    assert.deepEqual([cut, failed], [true, false]);
    assert.equal(text, `${'é'.repeat(500)}\n[cut here: the result is longer than 1001 bytes]`);
    await d.end();
});

test('a result with characters that cannot be stored is mended', async () => {
    const d = fake();
    assert.equal(await d.text('nul'), 'a\ufffdb\ufffd');
    await d.end();
});

test('an error that is only a text is told in its words', async () => {
    const d = fake();
    await d.ready();
    const { text, failed, unknown } = await d.call('boom');
    assert.deepEqual([text, failed, unknown], ['error: out of paper', true, false]);
    await d.end();
});

test('an answer that is the last thing a server did still counts', async () => {
    const d = fake();
    const { pid } = await d.ready();
    assert.equal(await d.text('die'), 'last words');
    const from = d.events.findIndex(e => e.event === 'done');
    assert.match((await d.state('starting', { from })).words, /it ended with status 0/);
    assert.notEqual((await d.state('ready', { from })).pid, pid);
    await d.end();
});

test('a line without end breaks the server, not the client', async () => {
    const d = fake();
    await d.ready();
    const { failed, unknown, text } = await d.call('flood', {}, 20000);
    assert.deepEqual([failed, unknown], [true, true]);
    assert.match(text, /a message of more than 16777216 bytes/);
    await d.state('ready', { from: d.events.length - 1 });
    assert.equal(await d.text('give'), 'given {}');
    await d.end();
}, 60000);

test('arguments that are no object, or names that are none, are refused unsent', async () => {
    const d = fake();
    await d.ready();
    for (const args of [[1], 'text', null]) {
        const { failed, unknown, text } = await d.call('give', args);
        assert.deepEqual([failed, unknown], [true, false]);
        assert.match(text, /no JSON object.*It was not run/s);
    }
    assert.match((await d.call('x'.repeat(300))).text, /not a name of a tool/);
    await d.end();
});

test('three hundred calls at once: each gets its own answer, and those above the limit are refused', async () => {
    const d = fake();
    await d.ready();
    const all = await Promise.all(Array.from({ length: 300 }, (_, i) => d.call('give', { i })));
    const good = all.filter(r => !r.failed);
    all.forEach((r, i) => assert.ok(r.failed ? /too many calls/.test(r.text) : r.text === `given {"i":${i}}`, r.text));
    assert.ok(good.length >= 256, `${good.length}`);
    await d.end();
});

// --- Ending ---------------------------------------------------------------------------------------

// A process whose parent is gone may stay a zombie where nobody waits for orphans.
const isOver = pid => {
    try {
        return / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
        return true;
    }
};
const ends = pid => within(5000, 'the end of its child', (async () => {
    while (!isOver(pid)) await new Promise(resolve => setTimeout(resolve, 20));
})());

test('a server that will not end is killed, with what it has started', async () => {
    const d = fake(['stubborn', 'child']);
    const { pid } = await d.ready();
    const child = Number(/child (\d+)/.exec(await d.stderr())[1]);
    assert.ok(isThere(child));
    const began = Date.now();
    await d.end();
    assert.ok(Date.now() - began >= 2000, 'it was asked and told first');
    assert.equal(isThere(pid), false);
    await ends(child);
});

test('a server that is killed while its child holds its pipes is seen to be gone', async () => {
    const d = fake(['child']);
    const { pid } = await d.ready();
    const child = Number(/child (\d+)/.exec(await d.stderr())[1]);
    const call = d.begin('hang');
    await d.text('give');
    process.kill(pid, 'SIGKILL');
    const { unknown, text } = await call.done();
    assert.equal(unknown, true);
    assert.match(text, /ended by signal 9/);
    await ends(child);
    await d.end();
});

test('whoever leaves without stopping leaves nothing behind', async () => {
    const d = fake(['stubborn']);
    const { pid } = await d.ready();
    d.begin('hang');
    await d.text('give');
    d.say('leave');
    assert.deepEqual(await within(2000, 'the end of the client', d.closed), { code: 0, signal: null });
    assert.equal(isThere(pid), false);
});

test('stopping ends calls as unknown; starting works again', async () => {
    const d = fake();
    await d.ready();
    const call = d.begin('hang');
    await d.text('give');
    d.say('stop');
    const { failed, unknown, text } = await call.done();
    assert.deepEqual([failed, unknown], [true, true]);
    assert.match(text, /it was stopped/);
    await d.state('stopped', { from: 0 });
    assert.match((await d.call('give')).text, /the server is stopped/);
    const again = d.state('ready');
    d.say('start');
    await again;
    assert.equal(await d.text('give'), 'given {}');
    await d.end();
});

// --- Over HTTP ------------------------------------------------------------------------------------

// A server whose answers to each method are given; `seen` has every request.
async function web(answers) {
    const seen = [];
    const server = http.createServer((req, res) => {
        let body = '';
        req.on('data', b => (body += b)).on('end', () => {
            const message = body ? JSON.parse(body) : {};
            const what = req.method === 'POST' ? message.method ?? 'answer' : req.method;
            seen.push({ what, message, headers: req.headers });
            const answer = answers[what] ?? defaults[what] ?? defaults.other;
            answer({ req, res, message, seen, json: (result, head = {}) => {
                res.writeHead(200, { 'content-type': 'application/json', ...head });
                res.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
            } });
        });
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    const close = () => new Promise(resolve => {
        server.closeAllConnections();
        server.close(resolve);
    });
    const until = (what, fits = () => true) => within(10000, `a request ${what}`, (async () => {
        while (!seen.some(s => s.what === what && fits(s))) await new Promise(resolve => setTimeout(resolve, 10));
        return seen.find(s => s.what === what && fits(s));
    })());
    return { url: `http://127.0.0.1:${server.address().port}/mcp`, seen, close, until, count: what => seen.filter(s => s.what === what).length };
}

const hello = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1' } };
const defaults = {
    initialize: ({ json }) => json(hello, { 'Mcp-Session-Id': 's-1' }),
    'tools/list': ({ json }) => json({ tools: [{ name: 'give', inputSchema: { type: 'object' } }] }),
    'tools/call': ({ json, message }) => json({ content: [{ type: 'text', text: `given ${JSON.stringify(message.params.arguments)}` }] }),
    GET: ({ res }) => res.writeHead(405).end(),
    DELETE: ({ res }) => res.writeHead(200).end(),
    other: ({ res }) => res.writeHead(202).end(),
};
const stream = res => res.writeHead(200, { 'content-type': 'text/event-stream' });

test('headers: the session and the version come back, ours are sent, and the session is ended', async () => {
    const s = await web({});
    const d = drive(['--header', 'Authorization: Bearer planted', s.url]);
    await d.ready();
    assert.equal(await d.text('give', { a: 1 }), 'given {"a":1}');
    await d.end();
    const [first, ...rest] = s.seen;
    assert.equal(first.what, 'initialize');
    assert.equal(first.headers['mcp-session-id'], undefined);
    assert.equal(first.headers['mcp-protocol-version'], undefined);
    assert.equal(first.headers.accept, 'application/json, text/event-stream');
    assert.deepEqual(new Set(rest.map(r => r.what)), new Set(['notifications/initialized', 'GET', 'tools/list', 'tools/call', 'DELETE']));
    for (const r of rest) {
        assert.equal(r.headers['mcp-session-id'], 's-1');
        assert.equal(r.headers['mcp-protocol-version'], '2025-06-18');
        assert.equal(r.headers.authorization, 'Bearer planted');
    }
    assert.equal(d.events.some(e => JSON.stringify(e).includes('planted')), false);
    await s.close();
});

for (const status of [404, 400])
    test(`a session that the server has forgotten (${status}) is restarted, and the call is sent once more`, async () => {
        let forgotten = false;
        const s = await web({
            initialize: ({ json }) => json(hello, { 'Mcp-Session-Id': forgotten ? 's-2' : 's-1' }),
            'tools/call': context => {
                if (forgotten && context.req.headers['mcp-session-id'] === 's-1') context.res.writeHead(status).end();
                else defaults['tools/call'](context);
            },
        });
        const d = drive([s.url]);
        await d.ready();
        forgotten = true;
        assert.equal(await d.text('give', { b: 2 }), 'given {"b":2}');
        assert.equal(s.count('initialize'), 2);
        assert.equal(s.count('tools/call'), 2);
        await d.end();
        await s.close();
    });

test('a server that forgets its session each time does not get the call a third time', async () => {
    const s = await web({ 'tools/call': ({ res }) => res.writeHead(404).end() });
    const d = drive([s.url]);
    await d.ready();
    const { failed, unknown, text } = await d.call('give');
    assert.deepEqual([failed, unknown], [true, false]);
    assert.match(text, /status 404/);
    assert.equal(s.count('tools/call'), 2);
    await d.end();
    await s.close();
});

test('a stream that is cut before the answer, without a place to go on from: unknown', async () => {
    const s = await web({
        'tools/call': ({ res }) => {
            stream(res).write(': wait\n\n');
            setTimeout(() => res.destroy(), 50);
        },
    });
    const d = drive([s.url]);
    const { failed, unknown, text } = await d.call('give');
    assert.deepEqual([failed, unknown], [true, true]);
    assert.match(text, /ended too early/);
    assert.equal(s.count('tools/call'), 1);
    await d.end();
    await s.close();
});

test('a stream that is cut after an event with an id goes on from there, as often as it must', async () => {
    let message, cuts = 0;
    const s = await web({
        'tools/call': context => {
            ({ message } = context);
            stream(context.res).end('id: e0\nretry: 120\ndata:\n\n');
        },
        GET: ({ req, res }) => {
            const last = req.headers['last-event-id'];
            if (!last) return res.writeHead(405).end();
            if (++cuts < 4) return stream(res).end(`id: e${cuts}\ndata: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${message.id},"progress":${cuts}}}\n\n`);
            return stream(res).end(`data: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: last }] } })}\n\n`);
        },
    });
    const d = drive([s.url]);
    assert.equal(await d.text('give'), 'e3');
    assert.deepEqual(d.events.filter(e => e.event === 'progress').map(e => e.now), [1, 2, 3]);
    assert.equal(s.count('tools/call'), 1);
    await d.end();
    await s.close();
});

test('what the server says of its own accord is heard: a ping, and other tools', async () => {
    let tools = 1, open;
    const s = await web({
        GET: ({ res }) => stream(open = res).write('id: g1\nretry: 150\ndata: {"jsonrpc":"2.0","id":"srv-1","method":"ping"}\n\n'),
        'tools/list': ({ json }) => json({ tools: Array.from({ length: tools }, (_, i) => ({ name: `t${i}`, inputSchema: { type: 'object' } })) }),
    });
    const d = drive([s.url]);
    assert.equal((await d.ready()).tools, 1);
    const { message } = await s.until('answer');
    assert.deepEqual(message, { jsonrpc: '2.0', id: 'srv-1', result: {} });
    tools = 5;
    open.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\r\n\r\n');
    await d.event('five tools', e => e.event === 'changed' && e.tools === 5, { from: 0 });
    open.end();
    await s.until('GET', r => r.headers['last-event-id'] === 'g1');
    await d.end();
    await s.close();
});

for (const [what, answer, expected] of [
    ['401', ({ res }) => res.writeHead(401).end(), /requires authentication \(status 401\)/],
    ['405', ({ res }) => res.writeHead(405).end('no'), /refuses the request \(status 405\)/],
    ['a page', ({ res }) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi'), /could not be understood/],
    ['nothing', ({ res }) => res.writeHead(200).end(), /could not be understood/],
    ['an error', ({ res, message }) => res.writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: 1, message: 'closed' } })), /refused to start: error 1: closed/],
])
    test(`a server that answers the first request with ${what} is given up with the reason`, async () => {
        const s = await web({ initialize: answer });
        const d = drive(['--restarts', '-1', s.url]);
        assert.match((await d.state('failed', { from: 0 })).words, expected);
        await d.end();
        await s.close();
    });

test('a call that is answered with 500: the outcome is unknown', async () => {
    const s = await web({ 'tools/call': ({ res }) => res.writeHead(500).end('oops') });
    const d = drive([s.url]);
    const { failed, unknown, text } = await d.call('give');
    assert.deepEqual([failed, unknown], [true, true]);
    assert.match(text, /status 500/);
    await d.end();
    await s.close();
});

test('an answer without end is cut off', async () => {
    const s = await web({
        'tools/call': ({ res }) => {
            res.writeHead(200, { 'content-type': 'application/json' });
            const more = () => {
                if (res.destroyed) return;
                res.write(' '.repeat(1 << 20)) ? setImmediate(more) : res.once('drain', more);
            };
            more();
        },
    });
    const d = drive([s.url]);
    const { failed, unknown, text } = await d.call('give', {}, 20000);
    assert.deepEqual([failed, unknown], [true, true]);
    assert.match(text, /larger than 16777216 bytes/);
    await d.end();
    await s.close();
}, 60000);

test('an event with an id that is too long says so', async () => {
    const s = await web({
        'tools/call': ({ res }) => {
            res.writeHead(200, { 'content-type': 'text/event-stream' });
            res.end(`id: ${'7'.repeat(3 << 20)}\ndata: {}\n\n`);
        },
    });
    const d = drive([s.url]);
    assert.match((await d.call('give', {}, 20000)).text, /the id of an event is larger than 256 bytes/);
    await d.end();
    await s.close();
}, 60000);

test('whoever leaves an open stream without stopping leaves in order', async () => {
    const s = await web({ GET: ({ res }) => stream(res).write(': hello\n\n'), 'tools/call': ({ res }) => stream(res).write('id: 1\ndata:\n\n') });
    const d = drive([s.url]);
    await d.ready();
    d.begin('give');
    await s.until('tools/call');
    d.say('leave');
    assert.deepEqual(await within(2000, 'the end of the client', d.closed), { code: 0, signal: null });
    await s.close();
});

test('nobody listens: said so, tried again, and then it works', async () => {
    const s = await web({});
    const port = Number(new URL(s.url).port);
    await s.close();
    const d = drive([s.url]);
    assert.match((await d.state('starting', { from: 0 })).words, new RegExp(`127\\.0\\.0\\.1:${port}.*starts again in 1 s`));
    const call = d.begin('give');
    const server = http.createServer((req, res) => {
        let body = '';
        req.on('data', b => (body += b)).on('end', () => {
            const message = body ? JSON.parse(body) : {};
            const json = result => res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
            (defaults[message.method ?? req.method] ?? defaults.other)({ res, message, json });
        });
    });
    await new Promise(resolve => server.listen(port, '127.0.0.1', resolve));
    assert.equal((await call.done()).text, 'given {}');
    await d.end();
    server.closeAllConnections();
    server.close();
});

await finish();
