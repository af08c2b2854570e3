// pair.mjs: two servers, each with a data folder of its own, on one PostgreSQL: what somebody sets up on one of them
// counts on the other, without anybody telling it.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Desk, watch } from './desk.mjs';
import { Server, assert, finally_, finish, folder, freshStore, limit, run, test } from './lib.mjs';
import { sql } from './sabotage.mjs';

// A model that says its name, and keeps the keys with which it was asked for a list.
const listed = [];
const model = http.createServer((req, res) => {
    const parts = [];
    req.on('data', b => parts.push(b));
    req.on('end', () => {
        if (req.method === 'GET') {
            listed.push(req.headers.authorization);
            res.writeHead(200, { 'content-type': 'application/json' });
            return res.end(JSON.stringify({ object: 'list', data: [{ id: 'small', object: 'model' }] }));
        }
        const request = JSON.parse(Buffer.concat(parts));
        const chunk = (delta, finish_reason = null) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: request.model, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.end(`${chunk({ role: 'assistant', content: `I am ${request.model}.` })}${chunk({}, 'stop')}data: [DONE]\n\n`);
    });
});
await new Promise(resolve => model.listen(0, '127.0.0.1', resolve));
finally_(() => new Promise(resolve => {
    model.closeAllConnections?.();
    model.close(resolve);
}));
const base = `http://127.0.0.1:${model.address().port}/v1`;

const config = path.join(folder, 'skein.yaml');
fs.writeFileSync(config, 'detect:\n  local: false\n  environment: false\n');
const args = [`--config=${config}`];
const first = freshStore();
const second = freshStore();
second.args = [second.args[0], first.args[1]];
const [a, b] = await Promise.all([Server.start({ store: first, args }), Server.start({ store: second, args })]);

test('two servers that make a store at the same moment both run, and have one tour', async () => {
    for (const server of [a, b]) assert.deepEqual((await server.get('/worlds')).data.map(w => w.name), ['tour']);
});

test('of two that create the same world or agent at the same moment one is told that it is there already', async () => {
    for (const [path, body] of [['/worlds', { name: 'twice' }], ['/worlds/twice/agents', { name: 'ada' }]]) {
        const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(i => (i % 2 ? a : b).call('POST', path, { body })));
        assert.deepEqual(answers.map(r => r.status).sort(), [201, 409, 409, 409, 409, 409]);
        for (const { body: problem } of answers.filter(r => r.status === 409)) assert.match(problem.detail, /already (a world|has an agent) "(twice|ada)"/);
    }
});

// Asks until it is so; nobody is told of settings by an event.
async function until(what, ask, good, ms = 10000) {
    const end = Date.now() + limit(ms);
    for (;;) {
        const found = await ask();
        if (good(found)) return found;
        assert.ok(Date.now() < end, `${what}: ${JSON.stringify(found.body ?? found)}`);
        await new Promise(resolve => setTimeout(resolve, 25));
    }
}
const provider = (server, name) => server.call('GET', `/providers/${name}`);
const tryIt = (server, name) => server.ask('POST', `/providers/${name}/test`);
const modelOf = async server => (await server.get('/settings')).configuration['defaults.model'];
const answer = async (server, name) => {
    const w = await server.world(name, [{ name: 'ada', model: null }]);
    await w.converse('@ada who are you?');
    return (await w.messages()).find(m => m.sender === 'ada');
};

test('a provider that is set up on one server is seen, changed and forgotten on the other', async () => {
    await a.post('/providers', { name: 'office', type: 'openai-compatible', baseUrl: base });
    const seen = await until('the other server has it', () => provider(b, 'office'), r => r.status === 200);
    assert.equal(seen.body.baseUrl, base);
    assert.equal(seen.body.state, 'not-tried');
    await b.ask('PATCH', '/providers/office', { baseUrl: `${base}/` });
    await b.ask('PATCH', '/providers/office', { baseUrl: 'http://127.0.0.1:9/v1' });
    await until('it moved on the first too', () => provider(a, 'office'), r => r.body.baseUrl === 'http://127.0.0.1:9/v1');
    await b.ask('PATCH', '/providers/office', { baseUrl: base });
    await until('it came back', () => provider(a, 'office'), r => r.body.baseUrl === base);
    await a.ask('DELETE', '/providers/office', undefined, 204);
    await until('it is gone', () => provider(b, 'office'), r => r.status === 404);
});

test('a key stays on the computer where it was given; elsewhere the provider says what to do', async () => {
    await a.post('/providers', { name: 'keyed', type: 'openai-compatible', baseUrl: base, apiKey: 'sk-only-on-the-first' });
    const here = (await provider(a, 'keyed')).body;
    assert.equal(here.state, 'not-tried');
    assert.equal(here.key.source, 'secret store');
    const there = (await until('the other server has it', () => provider(b, 'keyed'), r => r.status === 200)).body;
    assert.equal(there.state, 'no-key');
    assert.equal(there.key, null);
    assert.match(there.detail, /key/);
    assert.match(there.detail, /skein provider login keyed/);
    const tried = await tryIt(b, 'keyed');
    assert.equal(tried.state, 'no-key');
    assert.match(tried.detail, /there is no key for "keyed": it is kept on the computer where it was given/);
    assert.deepEqual(listed, [], 'nothing was sent without the key');

    await b.ask('PATCH', '/providers/keyed', { apiKey: 'sk-only-on-the-second' });
    assert.equal((await provider(b, 'keyed')).body.state, 'not-tried');
    assert.equal((await tryIt(b, 'keyed')).ok, true);
    assert.equal((await tryIt(a, 'keyed')).ok, true);
    assert.deepEqual(listed, ['Bearer sk-only-on-the-second', 'Bearer sk-only-on-the-first']);
});

test('a key is not sent to another host, whichever server moved the provider there', async () => {
    const moved = base.replace('127.0.0.1', 'localhost');
    await a.post('/providers', { name: 'mover', type: 'openai-compatible', baseUrl: base, apiKey: 'sk-mover-first' });
    await until('the other server has it', () => provider(b, 'mover'), r => r.status === 200);
    await b.ask('PATCH', '/providers/mover', { apiKey: 'sk-mover-second' });
    await a.ask('PATCH', '/providers/mover', { baseUrl: moved });
    const there = (await until('it moved', () => provider(b, 'mover'), r => r.body.baseUrl === moved)).body;
    assert.equal(there.state, 'no-key');
    assert.match(there.detail, /127\.0\.0\.1/);
    assert.equal((await tryIt(b, 'mover')).state, 'no-key');
    assert.ok(!listed.includes('Bearer sk-mover-second'));
});

test('a changed setting acts at once on the server that took it, and soon on the other', async () => {
    await a.post('/providers', { name: 'plain', type: 'openai-compatible', baseUrl: base });
    await a.ask('PATCH', '/settings', { 'defaults.model': 'plain/small' });
    assert.equal((await modelOf(a)).value, 'plain/small');
    await until('the other server took it', () => modelOf(b), m => m.value === 'plain/small' && m.origin === 'store');
    assert.equal((await answer(b, 'soon')).content, 'I am small.');

    await b.ask('PATCH', '/settings', { 'defaults.model': null });
    assert.deepEqual(await modelOf(b), { value: 'auto', origin: 'built-in', restart: false });
    await until('the first took it back', () => modelOf(a), m => m.value === 'auto' && m.origin === 'built-in');
});

test('who is answered that a model was chosen is answered by it', async () => {
    const alone = await Server.start({ args });
    await alone.post('/providers', { name: 'plain', type: 'openai-compatible', baseUrl: base });
    for (const name of ['one', 'two', 'three']) {
        await alone.ask('PATCH', '/settings', { 'defaults.model': `plain/${name}` });
        assert.equal((await answer(alone, name)).content, `I am ${name}.`);
    }
    await alone.ask('PATCH', '/settings', { 'ui.theme': 'dark' });
    assert.equal((await modelOf(alone)).value, 'plain/three');
});

test('commands on the folder of a running server go through that server', async () => {
    const on = [first.args[0], first.args[1]];
    const added = await run(['provider', 'add', 'byhand', '--type=openai-compatible', `--base-url=${base}`, ...on]);
    assert.equal(added.code, 0, added.err);
    assert.equal((await provider(a, 'byhand')).status, 200);
    await until('the other server has it', () => provider(b, 'byhand'), r => r.status === 200);
    const used = await run(['model', 'use', 'byhand/small', ...on]);
    assert.equal(used.code, 0, used.err);
    assert.equal((await modelOf(a)).value, 'byhand/small');
    await until('the other server took it', () => modelOf(b), m => m.value === 'byhand/small');
    const set = await run(['config', 'set', 'defaults.model', 'auto', ...on]);
    assert.equal(set.code, 0, set.err);
    await until('what "config set" wrote counts too', () => modelOf(a), m => m.value === 'auto');
    await until('on both', () => modelOf(b), m => m.value === 'auto');
});

test('what agents were writing on a server that is killed is kept by the other one, once', async () => {
    // One server alone, so that no other takes the question; the other is there again when the words are saved.
    await b.stop();
    const desk = await Desk.open(a);
    const w = await a.world('left', [{ name: 'ada', model: desk.model }]), stream = await watch(w);
    await w.say('@ada tell me a tale');
    (await desk.next()).begin('Once upon a time');
    await until('the words are saved', () => sql(first, 'SELECT text FROM written'), held => held === 'Once upon a time');
    stream.close();
    const other = await Server.start({ store: second, args });
    await a.kill();
    w.server = other;
    await sql(first, "UPDATE turns SET lease_until = 1 WHERE state = 'open'");
    const all = await until('the other server has closed the turn', () => w.messages(), list => list.length > 1, 30000); // it looks every 10 s
    assert.deepEqual(all.map(m => [m.content, m.unfinished]), [['@ada tell me a tale', null], ['Once upon a time', 'cut']]);
    assert.equal(await sql(first, 'SELECT COUNT(*) FROM written'), '0');
    await w.idle();
}, 60000);

await finish();
