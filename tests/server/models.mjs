// models.mjs: agents whose models are asked over the network, of servers that nobody here wrote: what they answer,
// every way in which they fail, what they were sent, and all of it again from a recording.
//
// model_peers.mjs has the wire alone; here it goes through the whole server.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Server, assert, finally_, finish, folder, freshStore, limit, run, test, within } from './lib.mjs';
import { Llama } from './llama.mjs';
import { modules, node } from './peers.mjs';

const dsh = await import(path.join(modules, '@deepseek-ai/dsh-llm-mock-server/lib/index.js'));

// --- aimock, and who listens in --------------------------------------------------------------------

const calls = [
    { id: 'call_a', name: 'remember', arguments: '{"content":"Bern is sunny","type":"fact","confidence":0.5}' },
    { id: 'call_b', name: 'list_agents', arguments: '{}' },
];
const long = 'A sentence that is long enough to be cut into several pieces before its end.';
const shed = { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 1 };
const fixtures = [
    { match: { hasToolResult: true, userMessage: 'weather' }, response: { content: 'It is sunny in Bern.' } },
    { match: { userMessage: 'weather' }, response: { toolCalls: calls } },
    { match: { hasToolResult: true, userMessage: 'colleagues' }, response: { content: 'There is me.' } },
    { match: { userMessage: 'colleagues' }, response: { toolCalls: calls.slice(1) } },
    { match: { userMessage: 'think' }, response: { content: 'Done.', reasoning: 'First this, then that.' } },
    { match: { userMessage: 'busy', sequenceIndex: 0 }, response: shed },
    { match: { userMessage: 'busy' }, response: { content: 'Now I have time.' } },
    { match: { userMessage: 'flaky', sequenceIndex: 0 }, response: { error: { message: 'it broke', type: 'server_error' }, status: 500 } },
    { match: { userMessage: 'flaky' }, response: { content: 'It is whole again.' } },
    { match: { userMessage: 'limit' }, response: shed },
    { match: { userMessage: 'fault' }, response: { error: { message: 'it broke', type: 'server_error' }, status: 500 } },
    { match: { userMessage: 'cut' }, response: { content: long }, latency: 20, truncateAfterChunks: 5 },
    { match: { userMessage: 'hello' }, response: { content: 'Hi there, how are you today? 🙂' }, latency: 25 },
];

async function startAimock() {
    const file = path.join(folder, 'fixtures.json');
    fs.writeFileSync(file, JSON.stringify({ fixtures }));
    const child = spawn(node, [path.join(modules, '@copilotkit/aimock/dist/cli.js'), '-p', '0', '-c', '7', '-f', file, '--strict'],
        { stdio: ['ignore', 'pipe', 'pipe'] });
    const end = () => child.kill('SIGKILL');
    process.on('exit', end);
    finally_(end);
    let out = '';
    return within(20000, 'the address of aimock', new Promise((resolve, reject) => {
        const read = b => {
            out += b;
            const found = /listening on (http:\/\/\S+)/.exec(out);
            if (found) resolve(found[1]);
        };
        child.stdout.on('data', read);
        child.stderr.on('data', read);
        child.on('exit', code => reject(new Error(`aimock ended with ${code}\n${out}`)));
    }));
}

// Passes on what it gets, and keeps both ways byte for byte.
async function listenIn(to) {
    const seen = [];
    const proxy = http.createServer((req, res) => {
        const asked = [];
        req.on('data', b => asked.push(b));
        req.on('end', () => {
            const one = { path: req.url, request: Buffer.concat(asked), answer: [] };
            if (req.method === 'POST' && req.url !== '/api/show') seen.push(one);
            const on = http.request(to + req.url, { method: req.method, headers: { ...req.headers, host: new URL(to).host } }, answer => {
                res.writeHead(answer.statusCode, answer.headers);
                answer.on('data', b => {
                    one.answer.push(b);
                    res.write(b);
                });
                answer.on('end', () => res.end());
                answer.on('error', () => res.destroy());
            });
            on.on('error', () => res.destroy());
            on.end(one.request);
        });
    });
    await new Promise(resolve => proxy.listen(0, '127.0.0.1', resolve));
    proxy.end = () => new Promise(resolve => {
        proxy.closeAllConnections?.();
        proxy.close(resolve);
    });
    finally_(() => proxy.listening && proxy.end());
    return { url: `http://127.0.0.1:${proxy.address().port}`, seen, proxy };
}

const aimock = await startAimock();
const tap = await listenIn(aimock);
// What aimock tells in a format.
const formats = {
    openai: { base: `${tap.url}/v1`, thinks: true, ids: true },
    anthropic: { base: tap.url, thinks: true, ids: true },
    ollama: { base: tap.url, thinks: false, ids: false },
};
const key = 'sk-planted-models-77';

// Two kinds of providers: those that are made over HTTP try again when it may help; those of the file, "once-…", do not.
const config = path.join(folder, 'skein.yaml');
const inFile = (name, type, base) => `  ${name}:\n    type: ${type}\n    baseUrl: ${base}\n    apiKey: ${key}\n    maxRetries: 0\n    timeout: ${limit(2)}s\n`;
const onces = Object.entries(formats).map(([type, f]) => inFile(`once-${type}`, type, f.base)).join('');
const configure = more => fs.writeFileSync(config, `detect:\n  local: false\nproviders:\n${onces}${more ?? ''}`, { mode: 0o600 });
configure();
const args = [`--config=${config}`];
async function addProviders(s) {
    for (const [type, f] of Object.entries(formats)) await s.post('/providers', { name: type, type, baseUrl: f.base, ...(type === 'ollama' ? {} : { apiKey: key }) });
}

const server = await Server.start({ args });
await addProviders(server);

let names = 0;
const world = (model, agent = {}, more = {}, s = server) => s.world(`models${++names}`, [{ name: 'ada', model, ...agent }], more);
const context = (w, m) => w.server.get(`${w.path}/messages/${m.messageId}/context`);
const delivery = async (w, said) => (await w.server.get(`${w.path}/messages/${said.messageId}/delivery`)).delivery.map(d => [d.agent, d.state]);
const memory = w => w.messages('&agent=ada');

// What was told of answers while they were written: each snapshot is all of its message up to there, each delta goes on.
function written(stream, part) {
    const texts = new Map();
    for (const { event: name, body } of stream.events) {
        const d = body?.data;
        if (name === 'message.snapshot') texts.set(d.messageId, d[part] ?? '');
        else if (name === 'message.delta' && d.part === part) texts.set(d.messageId, (texts.get(d.messageId) ?? '') + d.text);
    }
    return [...texts.values()].join('');
}

// Says it to ada; gives what was said and streamed, what failed, and ada's memory.
async function talk(w, content) {
    // Open before anything is said: pieces of text are told once, to those who are there.
    const stream = w.events();
    await stream.event('stream.open');
    await w.say(`@ada ${content}`);
    await stream.event('world.idle', undefined, { ms: 30000 });
    stream.close();
    const said = stream.of('message.created').find(m => m.sender === 'human');
    const all = await memory(w);
    return {
        stream, said, all, delivery: await delivery(w, said),
        failed: stream.of('message.failed'), streamed: part => written(stream, part),
        answer: all.filter(m => m.role === 'assistant' && m.sender === 'ada').at(-1),
    };
}

// --- All wire formats --------------------------------------------------------------------------------

for (const [type, format] of Object.entries(formats)) {
    const model = `${type}/gpt-4o`;

    test(`${type}: an answer is streamed and stored, with its tokens`, async () => {
        const w = await world(model);
        const got = await talk(w, 'hello');
        assert.equal(got.answer.content, 'Hi there, how are you today? 🙂', JSON.stringify(got.failed));
        assert.equal(got.streamed('text'), got.answer.content);
        assert.ok(got.stream.of('message.delta').length > 1, 'it came in one piece');
        assert.deepEqual(got.delivery, [['ada', 'answered']]);
        const call = await context(w, got.answer);
        assert.deepEqual([call.model, call.state, call.tries], [model, 'answered', 1]);
        if (type === 'openai') assert.ok(call.usage.inputTokens > 0 && call.usage.outputTokens > 0); // in the others aimock says 0
        assert.equal(call.usage.estimated, false);
        assert.deepEqual(got.answer.usage, call.usage);
        assert.deepEqual((await w.server.get(`${w.path}/messages/${got.answer.messageId}`)).usage, call.usage);
        assert.deepEqual(got.all.filter(m => m.sender === 'human').map(m => m.usage), [null]);
    });

    test(`${type}: what the model saw is what was sent, byte for byte`, async () => {
        const w = await world(model, { systemPrompt: 'Be “brief” \u2028 \\u0041.' });
        const from = tap.seen.length;
        const got = await talk(w, 'hello “you”\n\t\\ 🙂 é');
        const [sent, ...others] = tap.seen.slice(from);
        assert.equal(others.length, 0);
        const call = await context(w, got.answer);
        assert.deepEqual(call.request, JSON.parse(sent.request));
        const raw = await server.request('GET', `${w.path}/messages/${got.answer.messageId}/context`);
        assert.ok(raw.bytes.includes(sent.request), `${sent.request}\n${raw.text}`);
        assert.equal(call.response, Buffer.concat(sent.answer).toString());
        assert.ok(sent.request.includes('Be “brief”'));
        const journal = await (await fetch(`${aimock}/__aimock/journal`)).json();
        const last = journal.at(-1);
        if (type === 'openai') for (const [k, v] of Object.entries(call.request)) assert.deepEqual(last.body[k], v, k);
        assert.equal(last.path, sent.path);
    });

    test(`${type}: built-in tools are called in parallel, and the model goes on with their results`, async () => {
        const w = await world(model);
        const from = tap.seen.length;
        const got = await talk(w, 'what is the weather?');
        assert.equal(got.answer.content, 'It is sunny in Bern.', JSON.stringify(got.failed));
        const asking = got.all.find(m => m.toolCalls?.length);
        assert.deepEqual(asking.toolCalls.map(c => [c.toolName, c.args]), calls.map(c => [c.name, JSON.parse(c.arguments)]), JSON.stringify(asking.toolCalls));
        const results = got.all.filter(m => m.role === 'tool');
        assert.deepEqual(results.map(m => m.toolCallId), asking.toolCalls.map(c => c.toolCallId));
        if (format.ids) assert.deepEqual(results.map(m => m.toolCallId), ['call_a', 'call_b']);
        assert.match(results[1].content, /ada/);
        const known = (await server.get(`${w.path}/agents/ada/knowledge`)).data;
        assert.deepEqual(known.map(k => [k.content, k.confidence]), [['Bern is sunny', 50]]);
        const [one, two, ...rest] = tap.seen.slice(from);
        assert.equal(rest.length, 0);
        assert.ok(JSON.parse(one.request).tools.length >= 5);
        assert.deepEqual((await context(w, got.answer)).request, JSON.parse(two.request));
        assert.deepEqual((await context(w, asking)).request, JSON.parse(one.request));
    });

    test(`${type}: thoughts are kept apart from what is said`, async () => {
        const w = await world(`${type}/deepseek-reasoner`);
        const got = await talk(w, 'think about it');
        assert.equal(got.answer.content, 'Done.', JSON.stringify(got.failed));
        const thought = format.thinks ? 'First this, then that.' : '';
        assert.deepEqual([got.answer.thinking ?? '', got.streamed('thinking'), got.streamed('text')], [thought, thought, 'Done.']);
    });

    for (const [word, says] of [['limit', /asked too often \(429\).*slow down/], ['fault', /cannot answer just now \(500\).*it broke/]])
        test(`${type}: ${word} is a turn that failed and says why`, async () => {
            const w = await world(`once-${model}`);
            const got = await talk(w, word);
            assert.equal(got.failed.length, 1);
            assert.match(got.failed[0].detail, says);
            assert.deepEqual([got.failed[0].model, got.failed[0].agent], [`once-${model}`, 'ada']);
            assert.deepEqual(got.delivery, [['ada', 'failed']]);
            assert.equal(got.answer, undefined);
        });

    test(`${type}: a stream that is cut fails, after what was streamed`, async () => {
        const w = await world(model);
        const got = await talk(w, 'cut it');
        assert.equal(got.failed.length, 1, got.stream.tail());
        const text = got.streamed('text');
        assert.ok(text.length > 0 && text.length < long.length && long.startsWith(text), text);
        assert.deepEqual([got.answer?.content, got.answer?.unfinished], [text, 'cut']);
        assert.deepEqual(got.delivery, [['ada', 'failed']]);
        const [call] = (await server.get(`${w.path}/agents/ada/calls`)).data;
        assert.equal(call.state, 'cut');
    });
}

test('who is asked too often waits as long as it says, and asks again', async () => {
    const w = await world('openai/gpt-4o');
    const began = Date.now();
    const got = await talk(w, 'busy?');
    assert.equal(got.answer?.content, 'Now I have time.', JSON.stringify(got.failed));
    assert.ok(Date.now() - began >= 1000, 'Retry-After was 1 s');
    assert.equal((await context(w, got.answer)).tries, 2);
});

test('after a turn that failed the next question is answered', async () => {
    const w = await world('once-openai/gpt-4o');
    assert.equal((await talk(w, 'are you flaky?')).failed.length, 1);
    const got = await talk(w, 'once more: flaky?');
    assert.deepEqual([got.failed, got.answer?.content], [[], 'It is whole again.']);
});

// --- Every fault, and what it leads to ----------------------------------------------------------------

const said = 'mock response recovered', partial = 'discarded partial response';
const faults = {
    connection_reset: { state: 'cut' },
    stream_disconnect: { state: 'cut' },
    empty: { state: 'empty' },
    empty_body: { state: 'empty' },
    stream_eof: { state: 'cut' },
    partial_eof: { state: 'cut', text: partial },
    partial_disconnect: { state: 'cut', text: partial },
    stall: { state: 'stalled' },
    malformed_json: { state: 'malformed' },
    malformed_event: { state: 'malformed' },
    rate_limit: { state: 'rate-limit', says: /asked too often \(429\)/ },
    server_error: { state: 'unavailable', says: /\(500\)/ },
    service_unavailable: { state: 'unavailable', says: /\(503\)/ },
    auth_error: { state: 'bad-key', says: /key is not valid \(401\)/, hint: /skein provider login/ },
    invalid_request: { state: 'refused', says: /refuses to answer \(400\)/ },
    context_overflow: { state: 'context-overflow', says: /more than the model can read/ },
    quota_exceeded: { state: 'rate-limit', says: /\(429\)/ },
    wrong_content_type: { answer: said }, // a stream called JSON
    success: { answer: said },
    reasoning_success: { answer: said, thinking: 'mock reasoning' },
    max_tokens: { answer: said, finish: 'length' },
    slow_success: { answer: said },
    tool_call_success: { answer: said, tool: 'mock_tool' }, // then success
};

test('every fault that the server knows is in the table', async () => {
    assert.deepEqual(Object.keys(faults).sort(), dsh.MOCK_LLM_BEHAVIORS.filter(b => b !== 'random').sort());
});

// A server with these faults, and a provider of that name for it.
async function withFaults(sequence, use) {
    const mock = await dsh.startMockLlmServer({ sequence, repeatLast: true, apiKey: key, chunkDelayMs: 2, retryAfterMs: 100 });
    const name = `faults${++names}`;
    configure(inFile(name, 'openai-compatible', `${mock.baseURL}/v1`));
    await server.post('/settings/reload', undefined, 200);
    try {
        await use(`${name}/m`, mock);
    } finally {
        await mock.close();
    }
}

// The newest call of an agent: one that failed is kept just after that is told.
async function newestCall(w) {
    const until = Date.now() + limit(10000);
    for (;;) {
        const [call] = (await server.get(`${w.path}/agents/ada/calls`)).data;
        if (call || Date.now() > until) return call;
    }
}

for (const [fault, expected] of Object.entries(faults))
    test(`${fault} leads to ${expected.state ?? 'an answer'}`, () => withFaults(expected.tool ? [fault, 'success'] : [fault], async (model, mock) => {
        const w = await world(model);
        const got = await talk(w, 'hello');
        const call = await newestCall(w);
        assert.equal(call.state, expected.state ?? 'answered');
        assert.doesNotMatch(JSON.stringify([got.failed, got.all, call]), new RegExp(key));
        if (expected.answer) {
            assert.deepEqual([got.failed, got.answer.content, got.answer.thinking ?? undefined], [[], expected.answer, expected.thinking]);
            if (expected.finish) assert.equal(got.stream.of('message.completed').at(-1).finishReason, expected.finish);
            if (expected.tool) assert.match(got.all.find(m => m.role === 'tool').content, /there is no tool "mock_tool"/);
            assert.deepEqual(got.delivery, [['ada', 'answered']]);
            return;
        }
        assert.equal(got.failed.length, 1, got.stream.tail());
        const [why] = got.failed;
        assert.deepEqual([why.agent, why.code, why.model, why.finishReason], ['ada', 'PROVIDER_ERROR', model, 'error']);
        assert.ok(why.detail.length > 10);
        if (expected.says) assert.match(why.detail, expected.says);
        if (expected.hint) assert.match(why.hint, expected.hint);
        assert.equal(got.streamed('text'), expected.text ?? '');
        assert.deepEqual(got.delivery, [['ada', 'failed']]);
        assert.deepEqual([got.answer?.content, got.answer?.unfinished], expected.text ? [expected.text, 'cut'] : [undefined, undefined]);
        assert.ok(mock.requests.length >= 1);
    }));

test('the doctor names a provider that refuses its key, and a cure', () => withFaults(['auth_error', 'success'], async model => {
    const [name] = model.split('/');
    const w = await world(model);
    const doctor = () => run([...server.store.args, 'doctor']);
    assert.equal((await talk(w, 'hello')).failed.length, 1);
    const ill = await doctor();
    assert.equal(ill.code, 8, ill.out + ill.err);
    assert.match(ill.out, new RegExp(`^fail {2}provider +${name}: .*key is not valid \\(401\\).*\\n +cure: "skein (--\\S+ )*provider login ${name}"`, 'm'));
    assert.deepEqual((await talk(w, 'hello again')).failed, []);
    assert.match((await doctor()).out, new RegExp(`^ok {4}provider +${name} `, 'm'));
}));

test('and no key where an answer cannot be read', () => withFaults(['malformed_json'], async model => {
    const w = await world(model);
    assert.equal((await talk(w, 'hello')).failed.length, 1);
    const ill = await run([...server.store.args, 'doctor']);
    assert.match(ill.out, new RegExp(`^fail {2}provider +${model.split('/')[0]}: .*\\n +cure: "skein (--\\S+ )*provider test`, 'm'), ill.out);
}));

test('a context that is too long is summarised, and the model is asked again', () => withFaults(['success', 'success', 'context_overflow', 'success'], async (model, mock) => {
    const w = await world(model);
    for (const text of ['one', 'two']) assert.deepEqual((await talk(w, text)).failed, []);
    const got = await talk(w, 'three');
    assert.deepEqual([got.failed, got.answer.content], [[], said]);
    assert.equal(mock.requests.length, 5); // two answers, too long, the summary, the answer
    const rows = (await server.get(`${w.path}/agents/ada/calls`)).data;
    assert.deepEqual(rows.map(c => [c.purpose, c.state]).sort(), [['summary', 'answered'], ...Array(3).fill(['turn', 'answered'])], JSON.stringify(rows));
    const summary = got.all.find(m => m.role === 'summary');
    assert.equal(summary.content, said);
    const last = JSON.stringify((await context(w, got.answer)).request);
    assert.ok(last.includes('three') && !last.includes('two'), last);
}));

// --- What a world may use ----------------------------------------------------------------------------------

test('a world that has used its tokens of the month asks no more', async () => {
    const w = await world('openai/gpt-4o', {}, { settings: { monthlyTokens: 1 } });
    assert.deepEqual((await talk(w, 'hello')).failed, []);
    const from = tap.seen.length;
    const got = await talk(w, 'hello once more');
    assert.equal(got.failed.length, 1);
    assert.match(got.failed[0].detail, /has used \d+ of the 1 tokens of this month/);
    assert.match(got.failed[0].hint, /monthlyTokens/);
    assert.deepEqual([got.delivery, tap.seen.length], [[['ada', 'failed']], from]);
    await server.ask('PATCH', w.path, { settings: { monthlyTokens: 1000000 } });
    assert.deepEqual((await talk(w, 'hello again')).failed, []);
});

// --- The demo alone ------------------------------------------------------------------------------------------

test('a server that only plays the demo asks nobody else, whatever an agent names', async () => {
    const s = await Server.start({ store: freshStore(), args: [...args, '--demo'] });
    const from = tap.seen.length;
    for (const model of ['once-openai/gpt-4o', 'nobody/knows', null]) {
        const w = await world(model, {}, {}, s);
        const got = await talk(w, 'hello');
        assert.deepEqual([got.failed, got.answer.model, got.delivery], [[], 'demo/scripted', [['ada', 'answered']]]);
    }
    assert.equal(tap.seen.length, from, 'nothing was sent');
    await s.stop();
});

// --- A recording ---------------------------------------------------------------------------------------------

// The same conversations in a new store; gives all that came of them.
async function play(how) {
    const s = await Server.start({ store: freshStore(), args: [...args, how] });
    const told = [], models = [];
    for (const type of Object.keys(formats))
        for (const word of ['hello', 'colleagues', 'fault', 'cut']) {
            const w = await s.world(`${type}-${word}`, [{ name: 'ada', model: `once-${type}/gpt-4o` }]);
            const got = await talk(w, word);
            models.push(...got.all.filter(m => m.role === 'assistant').map(m => m.model));
            told.push([type, word, got.failed.map(f => f.detail), got.delivery, got.all.map(m => [m.role, m.sender, m.content])]);
        }
    await s.stop();
    return [told, models];
}

test('a recording gives the same answers while nobody is there', async () => {
    const dir = path.join(folder, 'recording');
    const [one, models] = await play(`--record=${dir}`);
    const files = fs.readdirSync(dir);
    for (const kind of ['request', 'response', 'meta']) assert.ok(files.some(f => f.endsWith(`.${kind}`)), files.join(' '));
    for (const f of files) assert.ok(!fs.readFileSync(path.join(dir, f), 'utf8').includes(key), f);
    const from = tap.seen.length;
    const [again, replayed] = await play(`--replay=${dir}`);
    assert.deepEqual(again, one);
    assert.deepEqual(replayed, models.map(m => `replay:${m}`), 'and says that they are replayed');
    assert.equal(tap.seen.length, from, 'a replay sends nothing');
}, limit(60000));

// What models wrote of ids, which every run makes anew: it keeps something in mind, and forgets it by the id that it was told.
const idIn = text => /as ([\w-]+)$/.exec(text)?.[1];
const mindful = q => {
    const { role, content } = q.messages.at(-1);
    if (role === 'user') return /mind/.test(content) ? { calls: [{ name: 'remember', args: { content: 'the tide', type: 'fact', confidence: 0.5 } }] } : 'You said: ' + content;
    const done = q.messages.findLast(m => m.tool_calls).tool_calls[0].function.name;
    return done === 'remember' ? { calls: [{ name: 'forget', args: { id: idIn(content) } }] } : `And ${content.replace(/[\w-]{10}/g, '…')}`;
};

test('a recording of a server that was found answers when it is gone, with the ids of its own run', async () => {
    const dir = path.join(folder, 'found'), peer = await Llama.open(null, { kind: 'ollama', says: mindful });
    const play = async (how, env) => {
        const s = await Server.start({ store: freshStore(), args: [how], env }), w = await s.world('found', [{ name: 'ada', model: null }]);
        if (env) await s.post('/providers/detect', undefined, 200);
        const told = [];
        for (const word of ['hello', 'keep this in mind']) {
            const got = await talk(w, word);
            told.push([got.failed.map(f => f.detail), got.answer?.content]);
        }
        const all = await memory(w), calls = all.flatMap(m => m.toolCalls ?? []).map(c => c.args.id);
        return { s, w, told, all, id: calls.find(Boolean), failed: all.filter(m => m.role === 'tool' && m.toolStatus === 'error') };
    };
    const one = await play(`--record=${dir}`, { OLLAMA_HOST: peer.url });
    assert.deepEqual(one.told.map(t => t[0]), [[], []], JSON.stringify(one.told));
    assert.match(one.told[1][1], /^And /);
    await one.s.stop();
    await peer.close();
    const again = await play(`--replay=${dir}`);
    assert.deepEqual(again.told, one.told);
    assert.ok(one.id && again.id && one.id !== again.id, `${one.id} ${again.id}`);
    assert.deepEqual([again.failed.length, one.failed.length], [0, 0]);
    assert.deepEqual((await again.s.get(`${again.w.path}/agents/ada/knowledge`)).data, [], 'what it kept is forgotten');
    assert.deepEqual([...new Set(again.all.filter(m => m.role === 'assistant').map(m => m.model))], ['replay:ollama/m']);
    const other = await talk(again.w, 'something else');
    assert.equal(other.failed.length, 1, 'nobody answers in its place');
    assert.match(other.failed[0].detail, /the recording of "ollama" in \S+ has no answer to this request/);
    await again.s.stop();
    const empty = fs.mkdtempSync(path.join(folder, 'empty'));
    const { code, err } = await run(['serve', ...freshStore().args, '--listen=127.0.0.1:0', '--no-open', `--replay=${empty}`]);
    assert.deepEqual([code, /has no recording/.test(err)], [2, true], err);
});

await finish();
