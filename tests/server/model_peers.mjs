// model_peers.mjs: asking models of servers that nobody here wrote, through the provider alone (ask.c).
//
//   SKEIN_ASK=build/tests/server/ask node tests/server/model_peers.mjs
//
// @deepseek-ai/dsh-llm-mock-server has every fault that a server of chat completions can have;
// @copilotkit/aimock speaks all wire formats.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { finally_, finish, limit, test, within } from './tap.mjs';
import { modules, node } from './peers.mjs';

const dsh = await import(path.join(modules, '@deepseek-ai/dsh-llm-mock-server/lib/index.js'));
const folder = fs.mkdtempSync(path.join(process.env.TMPDIR ?? os.tmpdir(), 'skein-models-'));
const children = new Set();
process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
});

// Runs ask.c; gives what was said, thought and called, and how it ended.
async function ask(options, question = 'hello') {
    const args = Object.entries(options).flatMap(([key, value]) =>
        (Array.isArray(value) ? value : [value]).map(v => v === true ? `--${key}` : `--${key}=${v}`));
    const child = spawn(process.env.SKEIN_ASK, [...args, question], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    let out = '', err = '';
    child.stdout.on('data', b => { out += b; });
    child.stderr.on('data', b => { err += b; });
    const code = await within(30000, `ask ${args.join(' ')}`, new Promise(resolve => child.on('close', resolve)));
    children.delete(child);
    assert.equal(code, 0, err);
    const events = out.trim().split('\n').map(line => JSON.parse(line));
    const join = word => events.filter(e => e.event === word).map(e => e.text).join('');
    return { events, text: join('text'), thinking: join('thinking'), calls: events.filter(e => e.event === 'call'),
        sent: events.filter(e => e.event === 'sent').map(e => JSON.parse(e.pieces.join(''))), ...events.at(-1) };
}

// --- Every fault, and the state it leads to ----------------------------------------------------------

const said = 'mock response recovered', partial = 'discarded partial response';
const faults = {
    connection_reset: { state: 'cut', tries: 2, retryable: true },
    stream_disconnect: { state: 'cut', tries: 2, retryable: true },
    empty: { state: 'empty', tries: 2, retryable: true },
    empty_body: { state: 'empty', tries: 2, retryable: true },
    stream_eof: { state: 'cut', tries: 2, retryable: true },
    partial_eof: { state: 'cut', tries: 1, retryable: true, text: partial },
    partial_disconnect: { state: 'cut', tries: 1, retryable: true, text: partial },
    stall: { state: 'stalled', tries: 2, retryable: true },
    malformed_json: { state: 'malformed', tries: 1, retryable: false },
    malformed_event: { state: 'malformed', tries: 1, retryable: false },
    wrong_content_type: { state: 'answered', tries: 1, text: said, finish: 'stop' }, // a stream called JSON
    rate_limit: { state: 'rate-limit', tries: 2, status: 429, retryable: true, retryAfterMs: 1000 },
    server_error: { state: 'unavailable', tries: 2, status: 500, retryable: true },
    service_unavailable: { state: 'unavailable', tries: 2, status: 503, retryable: true },
    auth_error: { state: 'bad-key', tries: 1, status: 401, retryable: false },
    invalid_request: { state: 'refused', tries: 1, status: 400, retryable: false },
    context_overflow: { state: 'context-overflow', tries: 1, status: 400, retryable: false },
    quota_exceeded: { state: 'rate-limit', tries: 1, status: 429, retryable: false },
    success: { state: 'answered', tries: 1, text: said, finish: 'stop', tokensIn: 3, tokensOut: 23, estimated: false },
    reasoning_success: { state: 'answered', tries: 1, text: said, thinking: 'mock reasoning', finish: 'stop' },
    tool_call_success: { state: 'answered', tries: 1, finish: 'tool' },
    max_tokens: { state: 'answered', tries: 1, text: said, finish: 'length' },
    slow_success: { state: 'answered', tries: 1, text: said, finish: 'stop' },
};

test('every fault that the server knows is in the table', async () => {
    assert.deepEqual(Object.keys(faults).sort(), dsh.MOCK_LLM_BEHAVIORS.filter(b => b !== 'random').sort());
});

for (const [fault, expected] of Object.entries(faults))
    test(`${fault} leads to ${expected.state}`, async () => {
        const server = await dsh.startMockLlmServer({ sequence: [fault], repeatLast: true, apiKey: 'sk-planted', chunkDelayMs: 2 });
        try {
            const got = await ask({ 'base-url': `${server.baseURL}/v1`, key: 'sk-planted', retries: 1, backoff: 5, stall: limit(400) });
            for (const [key, value] of Object.entries({ text: '', thinking: '', ...expected }))
                assert.equal(got[key], value, `${key}: ${JSON.stringify(got)}`);
            assert.equal(server.requests.length, expected.tries);
            assert.equal(got.message === '', expected.state === 'answered');
            assert.doesNotMatch(JSON.stringify(got), /sk-planted/);
            if (fault === 'tool_call_success')
                assert.deepEqual(got.calls.map(c => [c.id, c.name, c.args]), [['mock-call-1', 'mock_tool', '{"value":"mock"}']]);
        } finally {
            await server.close();
        }
    });

test('a fault that passes is got over', async () => {
    const server = await dsh.startMockLlmServer({ sequence: ['connection_reset', 'service_unavailable', 'empty', 'success'] });
    try {
        const got = await ask({ 'base-url': `${server.baseURL}/v1`, retries: 3, backoff: 5 });
        assert.equal(got.state, 'answered');
        assert.equal(got.tries, 4);
        assert.equal(got.text, said);
    } finally {
        await server.close();
    }
});

test('of forty questions at once with faults at random each one ends', async () => {
    const server = await dsh.startMockLlmServer({ sequence: ['random'], repeatLast: true, randomSeed: 7, chunkDelayMs: 2 });
    try {
        const got = await ask({ 'base-url': `${server.baseURL}/v1`, retries: 2, backoff: 5, stall: limit(400), times: 40 });
        assert.equal(got.events.length, 40);
        assert.ok(got.events.filter(e => e.state === 'answered').length >= 20);
    } finally {
        await server.close();
    }
});

test('a stream is left when it is cancelled', async () => {
    const server = await dsh.startMockLlmServer({ sequence: ['slow_success'], chunkSize: 1, chunkDelayMs: 5000 });
    try {
        const got = await ask({ 'base-url': `${server.baseURL}/v1`, 'cancel-after': 1 });
        assert.deepEqual(got.events.map(e => e.event), ['text', 'cancelled']);
    } finally {
        await server.close();
    }
});

test('who does not listen cannot be reached', async () => {
    const server = await dsh.startMockLlmServer({ sequence: ['success'] });
    await server.close();
    const got = await ask({ 'base-url': `${server.baseURL}/v1`, retries: 1, backoff: 5 });
    assert.equal(got.state, 'unreachable');
    assert.equal(got.tries, 2);
    assert.equal(got.message, `cannot reach 127.0.0.1:${server.port}: connection refused`);
});

// --- All wire formats ------------------------------------------------------------------------------------

const calls = [
    { id: 'call_a', name: 'get_weather', arguments: '{"city":"Bern"}' },
    { id: 'call_b', name: 'get_time', arguments: '{"city":"Oslo"}' },
];
const long = 'A sentence that is long enough to be cut into several pieces before its end.';
const fixtures = [
    { match: { hasToolResult: true, userMessage: 'weather' }, response: { content: 'It is sunny in Bern.' } },
    { match: { userMessage: 'weather' }, response: { toolCalls: calls } },
    { match: { userMessage: 'think' }, response: { content: 'Done.', reasoning: 'First this, then that.' } },
    { match: { userMessage: 'limit' }, response: { error: { message: 'slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 1 } },
    { match: { userMessage: 'fault' }, response: { error: { message: 'it broke', type: 'server_error' }, status: 500 } },
    { match: { userMessage: 'key' }, response: { error: { message: 'who are you', type: 'authentication_error' }, status: 401 } },
    { match: { userMessage: 'overflow' }, response: { error: { message: 'prompt is too long: 9 tokens', type: 'invalid_request_error' }, status: 400 } },
    { match: { userMessage: 'cut' }, response: { content: long }, latency: 20, truncateAfterChunks: 8 },
    { match: { userMessage: 'short' }, response: { content: 'Not the', finishReason: 'length' } },
    { match: { userMessage: 'hello' }, response: { content: 'Hi there, how are you today? 🙂' } },
];

async function startAimock() {
    const file = path.join(folder, 'fixtures.json');
    fs.writeFileSync(file, JSON.stringify({ fixtures }));
    const child = spawn(node, [path.join(modules, '@copilotkit/aimock/dist/cli.js'), '-p', '0', '-c', '7', '-f', file, '--strict'],
        { stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    let out = '';
    const url = await within(20000, 'the address of aimock', new Promise((resolve, reject) => {
        const read = b => {
            out += b;
            const found = /listening on (http:\/\/\S+)/.exec(out);
            if (found) resolve(found[1]);
        };
        child.stdout.on('data', read);
        child.stderr.on('data', read);
        child.on('exit', code => reject(new Error(`aimock ended with ${code}\n${out}`)));
    }));
    finally_(() => { child.kill(); });
    return url;
}

const aimock = await startAimock();
// What aimock tells in a format: thoughts, ids of calls, and that an answer ended at its limit.
const formats = {
    openai: { base: `${aimock}/v1`, thinks: true, ids: true, lengths: true },
    'openai-responses': { base: `${aimock}/v1`, thinks: true, ids: true, lengths: true },
    anthropic: { base: aimock, thinks: true, ids: true, lengths: true },
    ollama: { base: aimock, thinks: false, ids: false, lengths: false },
};

for (const [kind, format] of Object.entries(formats)) {
    const to = more => ({ kind, 'base-url': format.base, key: 'sk-planted', retries: 1, backoff: 5, model: 'gpt-4o', ...more });

    test(`${kind}: an answer comes in pieces`, async () => {
        const got = await ask(to({ system: 'be brief', most: 100 }));
        assert.equal(got.state, 'answered', got.message);
        assert.equal(got.text, 'Hi there, how are you today? 🙂');
        assert.ok(got.events.filter(e => e.event === 'text').length > 2);
        assert.equal(got.finish, 'stop');
    });

    test(`${kind}: tools are called in parallel, and their results are understood`, async () => {
        const tools = { tool: ['get_weather', 'get_time'], raw: true };
        const got = await ask(to(tools), 'what is the weather');
        assert.equal(got.state, 'answered', got.message);
        assert.equal(got.finish, 'tool');
        assert.deepEqual(got.calls.map(c => [c.name, JSON.parse(c.args)]),
            calls.map(c => [c.name, JSON.parse(c.arguments)]));
        if (format.ids) assert.deepEqual(got.calls.map(c => c.id), calls.map(c => c.id));
        assert.equal(new Set(got.calls.map(c => c.id)).size, 2);
        assert.equal(got.sent[0].tools.length, 2);
        const then = await ask(to({ ...tools, result: 'sunny' }), 'what is the weather');
        assert.equal(then.text, 'It is sunny in Bern.', then.message);
    });

    test(`${kind}: thoughts are told apart from what is said`, async () => {
        const got = await ask(to({ model: 'deepseek-reasoner' }), 'think about it');
        assert.equal(got.text, 'Done.', got.message);
        assert.equal(got.thinking, format.thinks ? 'First this, then that.' : '');
    });

    for (const [word, state, tries] of [['limit', 'rate-limit', 2], ['fault', 'unavailable', 2], ['key', 'bad-key', 1], ['overflow', 'context-overflow', 1]])
        test(`${kind}: ${word} leads to ${state}`, async () => {
            const got = await ask(to({}), word);
            assert.equal(got.state, state, got.message);
            assert.equal(got.tries, tries);
            assert.equal(got.text, '');
            assert.match(got.message, /slow down|it broke|who are you|too long/);
        });

    test(`${kind}: a stream that is cut keeps what came`, async () => {
        const got = await ask(to({}), 'cut it');
        assert.equal(got.state, 'cut', got.message);
        assert.equal(got.tries, 1);
        assert.ok(got.text.length > 0 && got.text.length < long.length && long.startsWith(got.text));
    });

    test(`${kind}: an answer that ends at the limit of tokens says so`, async () => {
        const got = await ask(to({}), 'short please');
        assert.equal(got.text, 'Not the');
        assert.equal(got.finish, format.lengths ? 'length' : 'stop');
    });

    test(`${kind}: the models are listed`, async () => {
        const got = await ask(to({ models: true }));
        assert.equal(got.state, 'answered', got.message);
        assert.ok(got.models.includes('gpt-4o'));
    });
}

await finish();
