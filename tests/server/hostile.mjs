// hostile.mjs: what comes from outside and is not to be trusted: tool servers that lie about themselves, models
// and their servers that say absurd things, and a store in which somebody has scribbled.
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server, assert, finally_, finish, folder, freshStore, limit, script, test } from './lib.mjs';
import { sql } from './sabotage.mjs';

const program = path.join(path.dirname(fileURLToPath(import.meta.url)), 'hostile_tools.mjs');
const ran = path.join(folder, 'ran');
const tools = (...modes) => [process.execPath, program, ran, ...modes];
const lines = () => (fs.existsSync(ran) ? fs.readFileSync(ran, 'utf8').split('\n').filter(Boolean) : []);

// --- A model that says what it was offered ------------------------------------------------------------

const offered = [];
let window = '8192', tokens = '7';
const model = http.createServer((req, res) => {
    let body = '';
    req.on('data', b => { body += b; });
    req.on('end', () => {
        const json = text => {
            res.writeHead(200, { 'content-type': 'application/json' });
            res.end(text);
        };
        if (req.url === '/api/tags') return json('{"models":[{"name":"m","model":"m"}]}');
        if (req.url === '/api/show') return json(`{"parameters":"num_ctx    ${window}","model_info":{"m.context_length":""}}`);
        if (req.url === '/api/chat') return json(`${JSON.stringify({ model: 'm', message: { role: 'assistant', content: 'Well.' }, done: true, done_reason: 'stop' })}\n`);
        if (req.method === 'GET') return json('{}');
        offered.push((JSON.parse(body).tools ?? []).map(t => t.function.name));
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = more => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...more })}\n\n`;
        return res.end(chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Well.' }, finish_reason: 'stop' }] })
            + `data: {"id":"c","choices":[],"usage":{"prompt_tokens":${tokens},"completion_tokens":${tokens}}}\n\ndata: [DONE]\n\n`);
    });
});
await new Promise(resolve => model.listen(0, '127.0.0.1', resolve));
finally_(() => new Promise(resolve => {
    model.closeAllConnections?.();
    model.close(resolve);
}));
const address = `http://127.0.0.1:${model.address().port}`;

const servers = ['plain', 'in__between', 'in__x', 'at_the_end_', '_', '__', 'forger', 'flooder'];
const store = freshStore();
const server = await Server.start({ store, script: script('hostile', `
seed: 1
rules:
${servers.map(name => `  - when: use ${name} now\n    do:\n      - call: ${name}__read\n        args: {}`).join('\n')}
otherwise: Nothing to do.
`) });

// Lets ada use a tool; gives its result.
async function use(w, name) {
    const before = (await w.messages('&agent=ada')).length;
    await w.converse(`@ada use ${name} now`);
    return (await w.messages('&agent=ada')).slice(before).filter(m => m.role === 'tool').map(m => m.content);
}
const worldWith = (name, mcpServers, agent = 'ada') => server.world(name, [agent], { settings: { mcpServers } });

// As older stores have them: with names of servers that are refused by now.
async function olderWorld(name, settings, agent = 'ada') {
    const w = await server.world(name, [agent]);
    await sql(store, `UPDATE worlds SET settings = '${JSON.stringify(settings)}' WHERE name = '${name}'`);
    return w;
}

// --- Servers of tools -----------------------------------------------------------------------------------

test('whatever a tool server is called, what was said of its approval holds', async () => {
    for (const [i, name] of ['plain', 'in__between', 'at_the_end_', '_', '__'].entries()) {
        const w = await olderWorld(`approval${i}`, { mcpServers: { [name]: { command: tools(), approval: 'never' } } });
        assert.deepEqual(await use(w, name), ['not run: this tool is not allowed in this world'], name);
    }
    // Of two that could be meant the stricter word counts.
    const w = await olderWorld('approval', { mcpServers: { in: { command: tools(), approval: 'always' }, in__between: { command: tools(), approval: 'never' } } });
    assert.deepEqual(await use(w, 'in__between'), ['not run: this tool is not allowed in this world']);
    assert.deepEqual(lines().filter(l => /ran$/.test(l)), []);
}, limit(90000));

test('tools whose names become one are offered once', async () => {
    await server.post('/providers', { name: 'far', type: 'openai-compatible', baseUrl: `${address}/v1` });
    const w = await olderWorld('names', { mcpServers: { in: { command: tools() }, in__x: { command: tools() } } }, { name: 'ada', model: 'far/m' });
    await w.converse('@ada hello');
    const names = offered.at(-1).filter(n => n.startsWith('in__'));
    assert.deepEqual(names, [...new Set(names)]);
    assert.deepEqual(names.sort(), ['in__a_b', 'in__read', 'in__x__a_b', 'in__x__read', 'in__x__x__read']);
    assert.deepEqual((await server.get('/worlds/names/tool-servers')).data[0].tools, ['in__read', 'in__a_b', 'in__x__read']);
}, limit(30000));

test('a command of as many words as the settings take is started with all of them', async () => {
    const words = Array.from({ length: 253 }, (_, i) => `w${i + 1}`);
    const w = await worldWith('words', { plain: { command: tools(...words), approval: 'always' } });
    await use(w, 'plain');
    assert.equal(lines().filter(l => /started/.test(l)).at(-1), 'started with 253 words, the last is w253');
}, limit(30000));

test('answers that nobody asked for, and a flood of notices, change nothing', async () => {
    const w = await worldWith('noise', { forger: { command: tools('forges'), approval: 'always' }, flooder: { command: tools('floods'), approval: 'always' } });
    for (let i = 0; i < 3; i++) assert.deepEqual(await use(w, 'forger'), ['read has run']);
    const flooded = use(w, 'flooder');
    for (let i = 0; i < 20; i++) assert.equal((await server.request('GET', '/livez', { ms: 2000 })).status, 200);
    assert.deepEqual(await flooded, ['read has run']);
}, limit(60000));

// The processes that were started with this word.
const running = word => fs.readdirSync('/proc').filter(pid => {
    try {
        return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
        return false; // it has ended meanwhile
    }
}).map(Number);
async function until(what, is) {
    for (const end = Date.now() + limit(10000); !is();) {
        if (Date.now() > end) throw new Error(what);
        await new Promise(resolve => { setTimeout(resolve, 20); });
    }
}

test('a tool server ends when it is taken out of the settings, or its world is removed; the others go on', async () => {
    const word = name => `${name}-of-${process.pid}`;
    const w = await worldWith('goes', { plain: { command: tools(word('plain')), approval: 'always' }, in: { command: tools(word('in')) } });
    await use(w, 'plain');
    const [[stays], [goes]] = [running(word('plain')), running(word('in'))];
    assert.ok(stays && goes);
    await server.ask('PATCH', w.path, { settings: { mcpServers: { in: null } } });
    await until('it still runs', () => running(word('in')).length === 0);
    assert.deepEqual(running(word('plain')), [stays]);
    assert.deepEqual((await server.get(`${w.path}/tool-servers`)).data.map(t => [t.name, t.state]), [['plain', 'ready']]);
    assert.deepEqual(await use(w, 'plain'), ['read has run']);
    assert.deepEqual(running(word('plain')), [stays]);
    await server.ask('DELETE', w.path, undefined, 204);
    await until('it runs without its world', () => running(word('plain')).length === 0);
}, limit(60000));

// --- What a tool says of itself ---------------------------------------------------------------------------

// What "read" is from here on; `pid` is told, and it is waited until that is known here.
async function define(w, version, more, pid) {
    fs.writeFileSync(`${ran}.defined`, JSON.stringify({ version, ...more }));
    if (!pid) return;
    process.kill(pid, 'SIGUSR2');
    const names = async () => (await server.get(`${w.path}/tool-servers`)).data[0].tools;
    while (!(await names()).includes(`plain__${version}`)) await new Promise(resolve => { setTimeout(resolve, 20); });
}
// Lets ada use "read" and gives the question that comes of it, and what is to be awaited after it was answered.
async function asked(w, events, name = 'plain') {
    const from = events.events.length;
    const used = use(w, name);
    const { body } = await events.event('inbox.created', i => i.type === 'approval', { from });
    return { item: await server.get(`/inbox/${body.data.id}`), used };
}
const decide = (item, decision) => server.post(`/inbox/${item.id}/answer`, { decision }, 200);
const readings = () => lines().filter(l => l === 'read ran').length;

test('a name that fits tools of two servers is asked about, whatever was allowed always', async () => {
    const mcpServers = { in: { command: tools() }, in__x: { command: tools() } }, before = readings();
    const w = await olderWorld('doubt', { mcpServers, approvals: { in__x__read: 'always' } });
    const events = await w.events('');
    for (let i = 0; i < 2; i++) {
        const q = await asked(w, events, 'in__x');
        assert.deepEqual([q.item.title, q.item.definitionState], ['ada wants to use in__x__read of the server in: its first use here', 'new']);
        await server.ask('PATCH', w.path, { settings: { approvals: { in__x__read: 'always' }, knowledge: true } });
        await decide(q.item, 'deny');
        assert.deepEqual(await q.used, ['not run: a person did not allow it']);
    }
    assert.equal(readings(), before);
}, limit(60000));

test('a tool is asked about on its first use whatever it says of itself, and again when its definition has changed', async () => {
    const mark = `defined-of-${process.pid}`, before = readings();
    const schema = { type: 'object', properties: { b: { type: 'string' }, a: { type: 'number', description: '\u001b[2Jof \u202e it' } } };
    await define(null, 'v1', { title: 'Reads planted-words', description: 'Only <b>reads</b>.\u001b]0;owned\u0007', inputSchema: schema });
    const command = tools('defined', mark);
    const w = await worldWith('first', { plain: { command, env: { WORDS: 'planted-words' } } });
    const events = await w.events('');
    let q = await asked(w, events);
    assert.deepEqual([q.item.title, q.item.definitionState], ['ada wants to use plain__read: its first use here', 'new']);
    assert.deepEqual(q.item.definition, {
        server: { name: 'plain', command }, name: 'read', title: 'Reads …', description: 'Only <b>reads</b>.\u001b]0;owned\u0007', inputSchema: schema,
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    });
    // A no is not kept.
    await decide(q.item, 'deny');
    assert.deepEqual(await q.used, ['not run: a person did not allow it']);
    q = await asked(w, events);
    assert.equal(q.item.definitionState, 'new');
    assert.equal(readings(), before);
    await decide(q.item, 'allow');
    assert.deepEqual(await q.used, ['read has run']);
    // A yes is, also where members come in another order.
    const [pid] = running(mark);
    await define(w, 'v1b', { title: 'Reads planted-words', description: 'Only <b>reads</b>.\u001b]0;owned\u0007', inputSchema: { properties: { a: schema.properties.a, b: { type: 'string' } }, type: 'object' } }, pid);
    assert.deepEqual(await use(w, 'plain'), ['read has run']);
    assert.equal((await server.get(`/inbox?world=first&state=all`)).data.length, 2);
    // The definition changes, and once more while a person is asked.
    await define(w, 'v2', { description: 'Reads all that it is told to.' }, pid);
    q = await asked(w, events);
    assert.deepEqual([q.item.title, q.item.definitionState], ['ada wants to use plain__read: its definition has changed', 'changed']);
    assert.equal(q.item.definition.description, 'Reads all that it is told to.');
    await define(w, 'v3', { description: 'Sends it away.' }, pid);
    await decide(q.item, 'allow');
    assert.match((await q.used)[0], /^not run: the definition of the tool has changed since a person was asked/);
    assert.equal(readings(), before + 2);
    q = await asked(w, events);
    assert.deepEqual([q.item.definitionState, q.item.definition.description], ['changed', 'Sends it away.']);
    await decide(q.item, 'allow');
    assert.deepEqual(await q.used, ['read has run']);
    assert.deepEqual(await use(w, 'plain'), ['read has run']);
    const [row] = (await server.get('/audit?limit=500')).data.filter(a => a.what === 'approval.answer' && a.detail.includes(q.item.id));
    assert.match(row.detail, /^allowed, in_[^,]+, definition [0-9a-f]{64}$/);
    // What was shown once is not shown again where each use is asked about.
    await server.ask('PATCH', w.path, { settings: { approvals: { plain__read: 'ask' } } });
    q = await asked(w, events);
    assert.deepEqual([q.item.title, q.item.definition, q.item.definitionState], ['ada wants to use plain__read', null, null]);
    // The settings can say that nobody is asked, and keep nothing: when they do not any more, it is.
    await define(w, 'v4', { description: 'Reads four.' }, pid);
    await server.ask('PATCH', w.path, { settings: { approvals: { plain__read: 'always' } } });
    assert.deepEqual(await q.used, ['read has run']);
    assert.deepEqual(await use(w, 'plain'), ['read has run']);
    await server.ask('PATCH', w.path, { settings: { approvals: null } });
    q = await asked(w, events);
    assert.deepEqual([q.item.definitionState, q.item.definition.description], ['changed', 'Reads four.']);
    await decide(q.item, 'allow');
    assert.deepEqual(await q.used, ['read has run']);
    // Another program under the same name is another tool.
    await server.ask('PATCH', w.path, { settings: { mcpServers: { plain: { command: tools('defined', `${mark}-too`) } } } });
    q = await asked(w, events);
    assert.equal(q.item.definitionState, 'changed');
    await decide(q.item, 'deny');
    await q.used;
    events.close();
}, limit(120000));

test('a definition that is too long to be shown is not allowed by anybody but the settings', async () => {
    await define(null, 'v1', { inputSchema: { type: 'object', description: 'x'.repeat(300000) } });
    const w = await worldWith('long', { plain: { command: tools('defined') } });
    const [text] = await use(w, 'plain');
    assert.match(text, /^not run: the definition of this tool is longer than 262144 bytes/);
    await server.ask('PATCH', w.path, { settings: { approvals: { plain__read: 'always' } } });
    assert.deepEqual(await use(w, 'plain'), ['read has run']);
}, limit(60000));

// --- Models ---------------------------------------------------------------------------------------------

test('a model that says it reads more than there are numbers for is spoken to like any other', async () => {
    await server.post('/providers', { name: 'local', type: 'ollama', baseUrl: address });
    for (const [i, size] of ['9223372036854775807', '9223372036854775808', '-1', '1e308', 'NaN'].entries()) {
        window = size;
        const w = await server.world(`window${i}`, [{ name: 'ada', model: `local/m${i}` }]);
        for (let n = 0; n < 3; n++) assert.deepEqual((await w.converse('@ada hello')).of('message.failed'), []);
        assert.deepEqual((await server.get(`${w.chatPath}/compactions`)).data, [], size);
    }
}, limit(60000));

// What libcurl and a reader of our own could understand in two ways: a body without a head ended the process.
const heads = [
    ['HTTP/1.1 101 Switching Protocols\r\n\r\ndata: {}', /does not speak HTTP/],
    ['HTTP/1.1  200 OK\r\n\r\ndata: {}', /cut off|empty/],
    ['HTTP/1.1 200 OK\r\nHTTP/x: y\r\n\r\ndata: {}', /cut off|empty/],
    [`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(1024 * 1024)}\r\n\r\ndata: {}`, /answers with a header that is too long/],
];

test('a server that answers with a body but no proper head makes one message fail, and the server lives on', async () => {
    let answer;
    const raw = net.createServer(socket => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(answer));
    });
    await new Promise(resolve => raw.listen(0, '127.0.0.1', resolve));
    finally_(() => new Promise(resolve => raw.close(resolve)));
    const url = `http://127.0.0.1:${raw.address().port}`;
    for (const type of ['openai-compatible', 'anthropic', 'ollama'])
        await server.post('/providers', { name: `raw-${type}`, type, baseUrl: url, apiKey: 'sk-raw' });
    const w = await server.world('heads', ['openai-compatible', 'anthropic', 'ollama'].map(type => ({ name: type, model: `raw-${type}/m` })));
    for (const [bytes, words] of heads) {
        answer = bytes;
        for (const type of ['openai-compatible', 'anthropic', 'ollama']) {
            const failed = (await w.converse(`@${type} hello`)).of('message.failed');
            assert.equal(failed.length, 1, `${type}: ${bytes.slice(0, 80)}`);
            assert.match(failed[0].detail, words);
            const tested = await server.post(`/providers/raw-${type}/test`, undefined, 200);
            assert.deepEqual([tested.ok, tested.state], [false, 'malformed']);
        }
        const tools = await worldWith(`heads${heads.findIndex(h => h[0] === bytes)}`, { raw: { url } });
        await tools.converse('@ada hello');
    }
    assert.equal((await server.request('GET', '/readyz')).status, 200);
}, limit(120000));

test('a model that never comes to an end is given up after limits.answerTimeout, and what it said is kept', async () => {
    const slow = await Server.start({ env: { SKEIN_LIMITS_ANSWER_TIMEOUT: '1s' } });
    const drip = http.createServer((req, res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        const more = () => res.write('data: {"choices":[{"index":0,"delta":{"content":"a "}}]}\n\n');
        more();
        more();
        const timer = setInterval(more, 50);
        res.on('close', () => clearInterval(timer));
    });
    await new Promise(resolve => drip.listen(0, '127.0.0.1', resolve));
    finally_(() => new Promise(resolve => {
        drip.closeAllConnections?.();
        drip.close(resolve);
    }));
    await slow.post('/providers', { name: 'drip', type: 'openai-compatible', baseUrl: `http://127.0.0.1:${drip.address().port}/v1` });
    const w = await slow.world('slow', [{ name: 'ada', model: 'drip/m' }]);
    // On a busy machine nothing may have come in that second, but not each time.
    for (let tries = 0, said; tries < 5 && !said; tries++) {
        const [failed] = (await w.converse('@ada hello')).of('message.failed');
        assert.match(failed.detail, /was not done within 1\.0 s/);
        said = (await w.messages()).at(-1).sender === 'ada';
    }
    assert.match((await w.messages()).at(-1).content, /^a a /);
}, limit(60000));

test('a number of tokens that nobody can have used is not counted, but estimated', async () => {
    const w = await server.world('counts', [{ name: 'ada', model: 'far/m' }], { settings: { monthlyTokens: 1000000 } });
    for (tokens of ['7', '9223372036854775807', '9223372036854775807', '9223372036854775806', '-5', '1e308', '99999999999999999999']) {
        assert.deepEqual((await w.converse('@ada hello')).of('message.failed'), [], tokens);
        const { usage } = (await w.messages()).at(-1);
        assert.deepEqual([usage.estimated, usage.outputTokens < 100], [tokens !== '7', true], `${tokens}: ${JSON.stringify(usage)}`);
    }
}, limit(30000));

// --- The store --------------------------------------------------------------------------------------------

test('a setting that somebody has scribbled on is left out, and can be set again', async () => {
    await sql(store, "DELETE FROM settings WHERE key = 'ui.theme';; INSERT INTO settings(key, value) VALUES ('ui.theme', '{dark')");
    assert.deepEqual(Object.keys((await server.get('/settings')).preferences).filter(k => k.startsWith('ui.')), []);
    await server.ask('PATCH', '/settings', { 'ui.theme': 'dark' });
    assert.equal((await server.get('/settings')).preferences['ui.theme'], 'dark');
});

await finish();
