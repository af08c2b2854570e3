// secrets.mjs: keys are planted wherever somebody may put one, and used. Then they are looked for: in what the
// server logs, answers, stores, exports and records, and in what is left when it crashes.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Server, assert, finally_, finish, folder, freshStore, kind, limit, run, test, within } from './lib.mjs';

const planted = {
    environment: 'sk-planted-environment-4c1f',
    posted: 'sk-planted-posted-8d20',
    config: 'sk-planted-config-77aa',
    file: 'sk-planted-file-31be',
    tool: 'sk-planted-tool-90ce',
    header: 'sk-planted-header-55d1',
};

// --- Who is given the keys -------------------------------------------------------------------------------

// A provider that says the key it was sent in its failures, as some do.
const used = new Set(), asked = [];
const fake = http.createServer((req, res) => {
    let body = '';
    req.on('data', b => { body += b; });
    req.on('end', () => {
        const key = req.headers.authorization?.replace(/^Bearer /, '') ?? '';
        if (req.headers['x-tool-key']) used.add(req.headers['x-tool-key']);
        used.add(key);
        const json = (status, value) => {
            res.writeHead(status, { 'content-type': 'application/json', 'x-echo': key });
            res.end(JSON.stringify(value));
        };
        if (req.url.startsWith('/away')) {
            onAway();
            return res.writeHead(307, { location: `http://127.0.0.1:${thief.address().port}/` }).end();
        }
        if (req.url.startsWith('/tools')) return json(401, { error: `bad key ${req.headers['x-tool-key']}` });
        if (req.method === 'GET') return json(200, { object: 'list', data: [{ id: 'm', object: 'model' }] });
        if (!JSON.parse(body).messages) return json(404, { error: 'no tools are here' }); // a tool server that was set for a moment
        asked.push(body);
        const word = JSON.parse(body).messages.at(-1).content.match(/hello|reject|break|look at it/g)?.at(-1);
        if (word === 'reject') return json(401, { error: { message: `Incorrect API key provided: ${key}. Bearer ${key}`, type: 'authentication_error' } });
        if (word === 'break') return json(500, { error: { message: `it broke for ${key}`, type: 'server_error' } });
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = (delta, finish = null) => res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
        const tool = word === 'look at it' && JSON.parse(body).tools.find(t => t.function.name.startsWith('good__see_'))?.function.name;
        if (tool) chunk({ role: 'assistant', tool_calls: [{ index: 0, id: 'k1', type: 'function', function: { name: tool, arguments: '{}' } }] });
        else chunk({ role: 'assistant', content: 'The fake has answered.' });
        chunk({}, tool ? 'tool_calls' : 'stop');
        return res.end('data: [DONE]\n\n');
    });
});
// Somebody who should get nothing.
const stolen = [];
let onAway;
const thief = http.createServer((req, res) => {
    stolen.push(JSON.stringify(req.headers));
    res.writeHead(500).end();
});
await new Promise(resolve => thief.listen(0, '127.0.0.1', resolve));
finally_(() => new Promise(resolve => {
    thief.closeAllConnections?.();
    thief.close(resolve);
}));
await new Promise(resolve => fake.listen(0, '127.0.0.1', resolve));
finally_(() => new Promise(resolve => {
    fake.closeAllConnections?.();
    fake.close(resolve);
}));
const address = `http://127.0.0.1:${fake.address().port}`;

// A tool server in a few lines of shell, which leaves its environment in a file and defines its tool with its key.
const toolEnv = path.join(folder, 'tool.env');
const toolFile = path.join(folder, 'tool.sh');
fs.writeFileSync(toolFile, `env >${toolEnv}
while read -r line; do
    id=\${line#*\\"id\\":}; id=\${id%%[,\\}]*}
    case $line in
    *'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}' ;;
    *'"tools/list"'*) r='{"tools":[{"name":"see_'"$KEY"'","title":"'"$KEY"'","description":"It knows '"$KEY"'.","inputSchema":{"type":"object","properties":{"'"$KEY"'":{"const":"\\u0073'"\${KEY#s}"'"}}}}]}' ;;
    *'"tools/call"'*) r='{"content":[{"type":"text","text":"it was called"}]}' ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$r"
done
`);

// Another one, which says its key wherever it can and then refuses to begin.
const loudFile = path.join(folder, 'loud.sh');
fs.writeFileSync(loudFile, `echo "the key $KEY" >&2
read -r line
id=\${line#*\\"id\\":}; id=\${id%%[,\\}]*}
printf '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"tried %s"}}\\n' "$KEY"
printf '{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"bad key %s"}}\\n' "$id" "$KEY"
cat >/dev/null
`);

// --- The server --------------------------------------------------------------------------------------------

const store = freshStore();
const log = path.join(folder, 'log'), record = path.join(folder, 'record'), config = path.join(folder, 'skein.yaml'), keyFile = path.join(folder, 'key');
fs.writeFileSync(keyFile, `${planted.file}\n`, { mode: 0o600 });
// What is in skein.yaml, with these hosts for the variable of a header.
const configured = (...hosts) => `secrets:
  env:
    PLANTED_API_KEY: ["${fake.address().address}:${fake.address().port}"]
    PLANTED_TOOL_KEY: [command]
    PLANTED_HEADER: [${hosts.map(h => `"${h}"`).join(', ')}]
providers:
  inline:
    type: openai-compatible
    baseUrl: ${address}/v1
    apiKey: ${planted.config}
    maxRetries: 0
  filed:
    type: openai-compatible
    baseUrl: ${address}/v1
    apiKey: { file: ${keyFile} }
    maxRetries: 0
`;
fs.writeFileSync(config, configured(new URL(address).host), { mode: 0o600 });
const server = new Server({
    store, args: [`--config=${config}`, `--record=${record}`],
    shell: ['sh', '-c', `ulimit -c unlimited; cd ${folder}; exec "$@" 2>>${log}`],
    env: { PLANTED_API_KEY: planted.environment, PLANTED_TOOL_KEY: planted.tool, PLANTED_HEADER: planted.header, SKEIN_LOG_LEVEL: 'trace' },
});
const answers = [];
const plainRequest = server.request;
server.request = async function (...args) {
    const answer = await plainRequest.apply(this, args);
    answers.push({ what: `${args[0]} ${args[1]}`, bytes: Buffer.concat([Buffer.from(JSON.stringify(answer.headers)), answer.bytes]) });
    return answer;
};
await server.start();
finally_(() => server.stop());

// --- Looking -------------------------------------------------------------------------------------------------

const forms = Object.entries(planted).flatMap(([name, key]) => [[name, Buffer.from(key)], [`${name} in base64`, Buffer.from(Buffer.from(key).toString('base64').replace(/.{3}$/, ''))]]);
function clean(where, bytes) {
    for (const [name, form] of forms) assert.ok(!bytes.includes(form), `the key "${name}" is in ${where}: ${around(bytes, form)}`);
}
const around = (bytes, form) => bytes.subarray(Math.max(0, bytes.indexOf(form) - 200), bytes.indexOf(form) + 60).toString();

function filesBelow(dir, skip) {
    return fs.readdirSync(dir, { withFileTypes: true }).flatMap(e => {
        const file = path.join(dir, e.name);
        if (e.isDirectory()) return e.name === skip ? [] : filesBelow(file, skip);
        return e.isFile() ? [file] : [];
    });
}

const models = ['posted/m', 'named/m', 'inline/m', 'filed/m'];
let w;

test('every key is used', async () => {
    const once = { headers: { 'idempotency-key': 'once' } };
    await server.post('/providers', { name: 'posted', type: 'openai-compatible', baseUrl: `${address}/v1`, apiKey: planted.posted }, 201, once);
    await server.post('/providers', { name: 'posted', type: 'openai-compatible', baseUrl: `${address}/v1`, apiKey: planted.posted }, 201, once);
    await server.post('/providers', { name: 'named', type: 'openai-compatible', baseUrl: `${address}/v1`, apiKeyEnv: 'PLANTED_API_KEY' });
    w = await server.world('w', models.map((model, i) => ({ name: `a${i}`, model })), { settings: { mcpServers: {
        good: { command: ['sh', toolFile], env: { KEY: { env: 'PLANTED_TOOL_KEY' } } },
        loud: { command: ['sh', loudFile], env: { KEY: { env: 'PLANTED_TOOL_KEY' } } },
        bad: { command: [path.join(folder, 'nothing')], env: { KEY: { env: 'PLANTED_TOOL_KEY' } } },
        far: { url: `${address}/tools`, headers: { 'x-tool-key': { env: 'PLANTED_HEADER' } } },
    } } });
    for (const [i] of models.entries()) {
        assert.deepEqual((await w.converse(`@a${i} hello`)).of('message.failed'), []);
        for (const word of ['reject', 'break']) {
            const [failed] = (await w.converse(`@a${i} ${word} it`)).of('message.failed');
            assert.match(failed.detail, word === 'reject' ? /key is not valid/ : /cannot answer just now/);
        }
    }
    for (const p of ['posted', 'named', 'inline', 'filed']) {
        assert.equal((await server.post(`/providers/${p}/test`, undefined, 200)).ok, true);
        await server.get(`/providers/${p}/models`);
    }
    for (const name of ['environment', 'posted', 'config', 'file', 'header']) assert.ok(used.has(planted[name]), `${name} was not used`);
    assert.match(fs.readFileSync(toolEnv, 'utf8'), new RegExp(`^KEY=${planted.tool}$`, 'm'));
}, limit(90000));

test('a tool server gets its own key and no other', async () => {
    const env = fs.readFileSync(toolEnv);
    for (const [name, key] of Object.entries(planted)) if (name !== 'tool') assert.ok(!env.includes(key), name);
});

test('a tool that is defined with its key is offered, asked about and called without it', async () => {
    const events = w.events('?after=0');
    const stream = w.server.stream(`${w.path}/messages`, { method: 'POST', body: { content: '@a0 look at it', chatId: w.chat } });
    const { body } = await events.event('inbox.created', i => i.type === 'approval', { from: 0, ms: 30000 });
    const item = await server.get(`/inbox/${body.data.id}`);
    await server.post(`/inbox/${item.id}/answer`, { decision: 'allow' }, 200);
    await stream.event('world.idle', undefined, { ms: 30000 });
    events.close();
    const offered = asked.flatMap(b => JSON.parse(b).tools ?? []).map(t => t.function).find(f => f.name === 'good__see____');
    assert.deepEqual([offered.description, offered.parameters], ['It knows ….', { type: 'object', properties: { '…': { const: '…' } } }]);
    assert.equal(item.tool, 'good__see____');
    assert.ok((await w.messages()).some(m => m.role === 'tool' && m.content.includes('it was called')));
    clean('what the model is sent', Buffer.from(asked.join('')));
    clean('the question', Buffer.from(JSON.stringify(item)));
}, limit(60000));

test('no answer has a key, whatever is asked', async () => {
    const paths = JSON.parse((await server.request('GET', '/openapi.json')).text).paths;
    const all = await w.messages();
    const answer = all.find(m => m.role === 'assistant');
    const [call] = (await server.get(`${w.path}/agents/a0/calls`)).data;
    const thread = (await server.get(`${w.chatPath}/currentThread`)).threadId;
    const values = { w: 'w', a: 'a0', c: w.chat, m: answer.messageId, t: thread, p: 'posted', word: 'validation' };
    for (const at of Object.keys(paths).filter(p => paths[p].get)) {
        const url = at.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? (at.includes('/calls/') ? call.id : 'none'));
        const query = /events$/.test(at) ? '?after=0&limit=500' : /search$/.test(at) ? '?q=it' : /diff$/.test(at) ? `?from=${thread}` : /count$/.test(at) ? `?chatId=${w.chat}` : /(groups|costs)$/.test(at) ? '?by=agent' : '';
        const got = await server.request('GET', url + query, { headers: { accept: 'application/json, */*;q=0.5' } });
        assert.ok([200, 400, 404].includes(got.status), `${url}: ${got.status} ${got.text.slice(0, 300)}`);
        if (!url.includes('none')) assert.equal(got.status, 200, `${url}: ${got.text.slice(0, 300)}`);
    }
    for (const format of ['md', 'json', 'jsonl', 'mermaid', 'html', 'skein'])
        for (const from of [w.path, w.chatPath])
            assert.equal((await server.request('GET', `${from}/export?format=${format}`)).status, 200, `${from} ${format}`);
    for (const a of ['a0', 'a1', 'a2', 'a3'])
        for (const c of (await server.get(`${w.path}/agents/${a}/calls`)).data) await server.get(`${w.path}/calls/${c.id}`);
    await server.post('/providers/detect', undefined, 200);
    await server.post('/settings/reload', undefined, 200);
    await server.refused('POST', '/providers', 409, 'conflict', { body: { name: 'posted', type: 'openai', apiKey: planted.posted } });
    await server.refused('POST', '/providers', 400, 'validation', { body: { name: 'x', type: 'openai', apiKey: ` ${planted.posted}\n` } });
    assert.ok(answers.some(a => a.bytes.includes('The fake has answered.')));
    for (const a of answers) clean(a.what, a.bytes);
}, limit(60000));

test('no event has a key', async () => {
    const stream = w.events('?after=0');
    await stream.event('message.failed', undefined, { from: 0 });
    await stream.until('all of them', () => stream.of('message.failed').length === models.length * 2);
    stream.close();
    clean('the events', Buffer.from(JSON.stringify(stream.events)));
});

test('the commands show no key', async () => {
    const archive = path.join(folder, 'archive.skein');
    const answer = (await w.messages()).find(m => m.role === 'assistant');
    for (const args of [['config', 'list'], ['config', 'list', '--json'], ['doctor'], ['status'], ['world', 'show', 'w'], ['world', 'show', 'w', '--json'], ['log'], ['export'],
        ['export', '--format=jsonl'], ['export', '--format=skein', `--output=${archive}`], ['provider', 'ls'], ['provider', 'show', 'posted', '--json'], ['provider', 'test', 'inline'],
        ['provider', 'models', 'named'], ['model', 'ls'], ['inspect', `--call=${answer.messageId}`]]) {
        const got = await run([...store.args, `--config=${config}`, '--world=w', ...args]);
        assert.deepEqual([got.code, (got.out + got.err).length > 0 || args.includes(`--output=${archive}`)], [0, true], `${args.join(' ')}: ${got.code} ${got.out}${got.err}`);
        clean(args.join(' '), Buffer.from(got.out + got.err));
    }
    clean('an archive', fs.readFileSync(archive));
}, limit(60000));

test('the recording has no key', async () => {
    const files = filesBelow(record);
    assert.ok(files.some(f => fs.readFileSync(f).includes('The fake has answered.')));
    for (const f of files) clean(f, fs.readFileSync(f));
});

test('the store has no key, nor any file beside it but those of the secret store', async () => {
    const secrets = filesBelow(path.join(store.data, 'secrets'));
    assert.deepEqual(secrets.map(f => fs.readFileSync(f, 'utf8').replace(/\nhttp:\/\/127\.0\.0\.1:\d+$/, '')), [planted.posted]);
    for (const f of secrets) assert.equal(fs.statSync(f).mode & 0o777, 0o600);
    assert.equal(fs.statSync(path.join(store.data, 'secrets')).mode & 0o777, 0o700);
    const all = filesBelow(store.data, 'secrets').map(f => [f, fs.readFileSync(f)]);
    if (kind === 'pg') {
        const [, schema] = /skein_schema=(\w+)/.exec(store.args.join(' '));
        const dump = spawnSync('pg_dump', ['--dbname', process.env.SKEIN_TEST_PG, '--schema', schema, '--inserts'], { maxBuffer: 1 << 28 });
        assert.equal(dump.status, 0, String(dump.stderr));
        all.push(['the database', dump.stdout]);
    } else {
        const copy = path.join(folder, 'copy.db');
        const got = await run([...store.args, 'backup', `--output=${copy}`]);
        assert.equal(got.code, 0, got.err);
        all.push(['a backup', fs.readFileSync(copy)]);
    }
    assert.ok(all.some(([, bytes]) => bytes.includes('PLANTED_API_KEY')), 'what was stored is not in what was looked at');
    for (const [where, bytes] of all) clean(where, bytes);
});

test('the log has no key, however much is logged', async () => {
    const text = fs.readFileSync(log);
    assert.ok(text.includes('turn failed') && text.includes('a tool server'), 'the log is too short');
    assert.ok(text.includes('a tool server says') && text.includes('tried …') && text.includes('bad key …'), 'the loud server was not heard');
    clean('the log', text);
});

// --- Where variables may go ------------------------------------------------------------------------------------

const away = () => `127.0.0.1:${thief.address().port}`;

test('a variable is not sent where skein.yaml does not list it: refused when it is set', async () => {
    const refused = async (method, at, body, words) => {
        const got = await server.refused(method, at, 400, 'validation', { body });
        assert.match(JSON.stringify(got), words);
        assert.match(JSON.stringify(got), /skein\.yaml: secrets: \{ env: \{/);
    };
    const headers = name => ({ 'X-A': { env: name } });
    const set = mcpServers => ({ settings: { mcpServers } });
    await refused('PATCH', '/worlds/w', set({ y: { url: `http://${away()}/`, headers: headers('AWS_SECRET_ACCESS_KEY') } }), /AWS_SECRET_ACCESS_KEY.*may not be sent to/);
    await refused('PATCH', '/worlds/w', set({ y: { url: `http://${away()}/`, headers: headers('PLANTED_HEADER') } }), /PLANTED_HEADER.*may not be sent to/);
    await refused('PATCH', '/worlds/w', set({ y: { command: ['true'], env: headers('PLANTED_HEADER') } }), /PLANTED_HEADER.*may not be given to a program/);
    await refused('POST', '/worlds', { name: 'thief', ...set({ y: { url: `http://${away()}/`, headers: headers('HOME') } }) }, /HOME/);
    await refused('PATCH', '/worlds/w', set({ far: { url: `http://${away()}/` } }), /PLANTED_HEADER.*may not be sent to/);
    const provider = { name: 'thief', type: 'openai-compatible', baseUrl: `http://${away()}/v1`, apiKeyEnv: 'PLANTED_API_KEY' };
    await refused('POST', '/providers', provider, /PLANTED_API_KEY.*may not be sent to/);
    await refused('PATCH', '/providers/named', { baseUrl: provider.baseUrl }, /PLANTED_API_KEY.*may not be sent to/);
    await refused('PATCH', '/providers/named', { apiKeyEnv: 'HOME' }, /HOME.*may not be sent to/);
    const near = await run([...store.args, `--config=${config}`, '--world=w', 'world', 'set', 'mcpServers', JSON.stringify({ y: { url: `http://${away()}/`, headers: headers('HOME') } })]);
    assert.deepEqual([near.code, /HOME.*may not be sent to/.test(near.err)], [2, true], near.err);
    // The command line has read no skein.yaml, and the server's lists it: the server decides.
    const listed = await run([...store.args, '--world=w', 'world', 'set', 'mcpServers.z', JSON.stringify({ url: address, headers: headers('PLANTED_HEADER') })]);
    assert.deepEqual([listed.code, listed.err], [0, '']);
    assert.equal((await run([...store.args, '--world=w', 'world', 'set', 'mcpServers.z', 'null'])).code, 0);
});

test('a variable is not sent where skein.yaml does not list it any more: refused when it is used', async () => {
    fs.writeFileSync(config, configured(away()), { mode: 0o600 });
    await server.post('/settings/reload', undefined, 200);
    // A world in which nobody has worked yet: what the listed variable is for is not tried before it is needed.
    const fresh = await server.world('listed', [{ name: 'a0', model: models[0] }], { settings: { mcpServers: { y: { url: `http://${away()}/`, headers: { 'x-tool-key': { env: 'PLANTED_HEADER' } } } } } });
    fs.writeFileSync(config, configured(new URL(address).host), { mode: 0o600 });
    await server.post('/settings/reload', undefined, 200);
    await fresh.converse('@a0 hello');
    const y = (await server.get('/worlds/listed/tool-servers')).data.find(s => s.name === 'y');
    assert.deepEqual([y.state, /PLANTED_HEADER.*may not be sent to/.test(y.reason)], ['failed', true], JSON.stringify(y));
    assert.deepEqual(stolen, []);
    await server.ask('PATCH', '/worlds/listed', { settings: { mcpServers: { y: { timeoutMs: 5000 } } } }); // the rest can still be changed
});

test('a redirect carries a variable to no other host', async () => {
    const asked = new Promise(resolve => { // a second time, so that the first is over
        let times = 0;
        onAway = () => { if (++times === 2) resolve(); };
    });
    await server.ask('PATCH', '/worlds/w', { settings: { mcpServers: { z: { url: `${address}/away`, headers: { 'x-tool-key': { env: 'PLANTED_HEADER' } } } } } });
    await w.converse('@a0 hello');
    await within(limit(20000), 'another try', asked);
    assert.deepEqual(stolen, []);
});

// --- A crash ---------------------------------------------------------------------------------------------------

const cores = dir => fs.readdirSync(dir).filter(f => /^core/.test(f));

test('a crash leaves no core file, even where somebody asks for one', async () => {
    // Does anything leave one here?
    const pattern = fs.readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim();
    const other = path.join(folder, 'other');
    fs.mkdirSync(other);
    spawnSync('sh', ['-c', 'ulimit -c unlimited; cd "$1"; kill -ABRT $$', 'sh', other]);
    const pid = server.child.pid;
    assert.match(fs.readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size +0 +0 /m);
    // The limit can be raised from outside; then there is another guard.
    const raised = spawnSync('prlimit', ['--pid', String(pid), '--core=unlimited:unlimited']);
    console.log(`# cores go to "${pattern}"; another program leaves ${cores(other).length}; the limit was ${raised.status === 0 ? '' : 'not '}raised`);
    server.killed = true;
    server.child.kill('SIGABRT');
    assert.equal((await server.exited).signal, 'SIGABRT');
    assert.deepEqual([cores(folder), cores(store.data)], [[], []]);
});

await finish();
