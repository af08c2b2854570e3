// bindings.mjs: programs in Python (on the store) and in Node (over HTTP), each with the example that the documents name.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Skein } from '../../bindings/node/skein.mjs';
import { Server, assert, finish, folder, kind, test, within } from './lib.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const env = { ...process.env, SKEIN_LIBRARY: path.join(path.dirname(path.resolve(process.env.SKEIN)), 'libskein.so'),
    PYTHONPATH: path.join(root, 'bindings/python'), PYTHONDONTWRITEBYTECODE: '1' };
const server = await Server.start();
const address = kind === 'pg' ? server.store.args[1].slice('--db='.length) : `sqlite:${path.join(server.store.data, 'skein.db')}`;
const base = `http://127.0.0.1:${server.port}`;

// Runs a program to its end; gives the lines that it printed.
function lines(command, ...args) {
    return within(60000, `the end of ${command}`, new Promise((resolve, reject) => {
        const child = spawn(command, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
        let out = '', err = '';
        child.stdout.on('data', b => { out += b; });
        child.stderr.on('data', b => { err += b; });
        child.on('error', reject);
        child.on('close', code => code === 0 ? resolve(out.trim().split('\n')) : reject(new Error(`${command} ended with ${code}: ${err}`)));
    }));
}

const said = ['said: Hello?', 'edited: Anybody?', 'undone: Hello?', 'error: 404 there is no world "nowhere"'];
const told = ['chat.created', 'message.created', 'thread.created', 'thread.switched'];
function check(out) {
    assert.deepEqual(out.slice(0, 4), said);
    assert.deepEqual(out.slice(4).filter(line => told.some(type => line === `event: ${type}`)).slice(-4), told.map(type => `event: ${type}`));
}

test('the example in Python says, edits, undoes and hears, on a new store and on the same one again', async () => {
    const own = kind === 'pg' ? `${address}_own` : `sqlite:${path.join(folder, 'own.db')}`;
    for (const run of [1, 2]) check(await lines('python3', path.join(root, 'examples/talk.py'), own), run);
});

test('a store that was closed, and lines of JSON, are no riddle to a program in Python', async () => {
    const program = `
import skein, sys
with skein.open(sys.argv[1]) as store:
    store.call("POST", "/worlds", {"name": "lines"})
    print(type(store.call("GET", "/worlds/lines/export?format=jsonl").body).__name__)
for use in (lambda: store.call("GET", "/worlds"), lambda: store.wait(0, 0)):
    try:
        use()
    except skein.Error as error:
        print(error)
`;
    assert.deepEqual(await lines('python3', '-c', program, `sqlite:${path.join(folder, 'closed.db')}`), ['bytes', 'the store is closed', 'the store is closed']);
});

test('the example in Node does the same at a server, twice', async () => {
    for (const run of [1, 2]) check(await lines('node', path.join(root, 'examples/talk.mjs'), base), run);
});

test('what is said at the server is heard by a program in Python that waits', async () => {
    const skein = new Skein(base);
    await skein.call('POST', '/worlds', { name: 'heard' });
    const program = `
import skein, sys
with skein.open(sys.argv[1]) as store:
    newest = store.wait(0, 0)
    print("ready", flush=True)
    for event in store.events(newest, 60, "/worlds/heard/events"):
        if event["type"] == "message.created":
            print(event["data"]["content"])
            break
`;
    const child = spawn('python3', ['-c', program, address], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    await within(30000, 'the program in Python is ready', new Promise(resolve => child.stdout.once('data', resolve)));
    child.stdout.on('data', b => { out += b; });
    const over = new Promise(resolve => child.on('close', resolve));
    await skein.call('POST', '/worlds/heard/messages', { content: 'can you hear me?' });
    assert.equal(await within(30000, 'the program in Python has ended', over), 0);
    assert.equal(out.trim(), 'can you hear me?');
});

test('a stream in Node goes on behind the last event when the server comes back', async () => {
    const skein = new Skein(base), end = new AbortController(), seen = [];
    await skein.call('POST', '/worlds', { name: 'back' });
    let more;
    const waiting = () => new Promise(resolve => { more = resolve; });
    let next = waiting();
    const following = (async () => {
        for await (const e of skein.events('/worlds/back/events?types=message.created', { after: 0, signal: end.signal })) {
            if (e.type !== 'message.created') continue;
            seen.push(e.data.content);
            more();
        }
    })();
    await skein.call('POST', '/worlds/back/messages', { content: 'one' });
    await within(30000, 'the first message', next);
    next = waiting();
    await server.stop();
    server.options.args = [`--listen=127.0.0.1:${new URL(base).port}`];
    await server.start();
    await skein.call('POST', '/worlds/back/messages', { content: 'two' });
    await within(60000, 'the second message', next);
    end.abort();
    await following;
    assert.deepEqual(seen, ['one', 'two']);
});

await finish();
