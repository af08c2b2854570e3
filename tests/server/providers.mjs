// providers.mjs: providers that come and go while a server runs: that one is there changes nobody's model, one that is
// damaged hides no other, and one that answers with nothing says so.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Server, assert, finally_, finish, folder, freshStore, run, test } from './lib.mjs';

// Answers with nothing, in the manner of each format, as a stream and at once.
const event = (data, name) => `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const start = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage: { input_tokens: 1, output_tokens: 0 } } };
const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 0 } };
const stream = 'text/event-stream', json = 'application/json';
const nothing = {
    'openai/stream': [stream, event({ choices: [] }) + event('[DONE]')],
    'openai/stop': [stream, event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' }] }) + event('[DONE]')],
    'openai/whole': [json, JSON.stringify({ id: 'c', object: 'chat.completion', choices: [] })],
    'openai/null': [json, JSON.stringify({ id: 'c', choices: [{ index: 0, message: { role: 'assistant', content: null }, finish_reason: 'stop' }] })],
    'anthropic/stream': [stream, event(start, 'message_start') + event(end, 'message_delta') + event({ type: 'message_stop' }, 'message_stop')],
    'anthropic/whole': [json, JSON.stringify({ ...start.message, stop_reason: 'end_turn' })],
    'ollama/stream': ['application/x-ndjson', `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' })}\n`],
    'ollama/whole': [json, JSON.stringify({ model: 'm', message: { role: 'assistant', content: '' }, done: true })],
};
const mute = http.createServer((req, res) => {
    let body = '';
    req.on('data', bytes => { body += bytes; });
    req.on('end', () => {
        const [type, text] = req.method === 'POST' ? nothing[JSON.parse(body).model] ?? [json, '{}'] : [json, '{"data":[]}'];
        res.writeHead(200, { 'content-type': type });
        res.end(text);
    });
});

// A server of chat completions with three models, one of which only makes vectors.
const model = http.createServer((req, res) => {
    let body = '';
    req.on('data', bytes => { body += bytes; });
    req.on('end', () => {
        if (req.method === 'GET') {
            res.writeHead(200, { 'content-type': 'application/json' });
            return res.end('{"object":"list","data":[{"id":"text-embed"},{"id":"small"},{"id":"big"}]}');
        }
        const chunk = more => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...more })}\n\n`;
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.end(chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'A real answer.' }, finish_reason: 'stop' }] }) + 'data: [DONE]\n\n');
    });
});
for (const one of [mute, model]) {
    await new Promise(resolve => one.listen(0, '127.0.0.1', resolve));
    finally_(() => new Promise(resolve => {
        one.closeAllConnections?.();
        one.close(resolve);
    }));
}
const base = `http://127.0.0.1:${model.address().port}/v1`;
const config = path.join(folder, 'skein.yaml');
fs.writeFileSync(config, 'detect:\n  local: false\nsecrets:\n  env:\n    OFFICE_KEY: ["127.0.0.1:9"]\n    OFFICE_TOKEN: [llm.example.org, "127.0.0.1:9"]\nproviders:\n  filed:\n    type: openai-compatible\n    baseUrl: http://127.0.0.1:9/v1\n    apiKey: written-here\n');

const store = freshStore();
const server = await Server.start({ store, args: [`--config=${config}`] });
const cli = (...words) => run([...words, ...store.args, `--config=${config}`]);
const defaultModel = async () => (await server.get('/providers')).data.map(p => p.defaultModel).filter(Boolean);

const w = await server.world('office', [{ name: 'ada', model: null }, { name: 'bo', model: 'demo/scripted' }]);
const modelOf = async () => {
    await w.converse('@ada hello');
    return (await w.messages()).filter(m => m.sender === 'ada').at(-1).model;
};

test('a provider that is added changes the model of no agent', async () => {
    await server.post('/providers', { name: 'posted', type: 'openai-compatible', baseUrl: base });
    assert.equal((await server.get('/providers/posted/models')).data.length, 3);
    assert.deepEqual(await defaultModel(), ['demo/scripted']);
    assert.equal(await modelOf(), 'demo/scripted');
});

test('where nobody was to look nothing is said to be absent', async () => {
    const { out } = await cli('provider', 'detect');
    assert.doesNotMatch(out, /No model server/);
    assert.match(out, /Nothing was found\..*detect\.local/);
});

test('provider add says that nothing changes and how to change it', async () => {
    const added = await cli('provider', 'add', 'told', '--type=openai-compatible', `--base-url=${base}`);
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /No agent's model changes: those without their own model stay with demo\/scripted\./);
    const raw = async (...words) => (await run([...words, ...store.args, `--config=${config}`], { raw: true })).out;
    // As it is pasted: a database's address stands in quotes.
    const pasted = a => a.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/^(--db=)(.*)$/, "$1'$2'");
    const place = `skein ${store.args.map(pasted).join(' ')} --config=\\S+ provider`;
    assert.match(added.out, /To let them use its first model: skein provider use told --default\n/);
    await cli('provider', 'rm', 'told', '-y');
    const told = await raw('provider', 'add', 'told', '--type=openai-compatible', `--base-url=${base}`);
    assert.match(told, new RegExp(`A key: ${place} login told\\. Take it back with "${place} rm told"`));
    assert.match(told, new RegExp(`To let them use its first model: ${place} use told --default\n`));
    assert.match(await raw('provider', 'use', 'told', '-y'), new RegExp(`Its models: ${place} models told\\. To stop that: ${place} rm told\n`));
    await server.post('/providers', { name: 'mistral', type: 'openai' });
    assert.match(await raw('provider', 'show', 'mistral'), new RegExp(`To give it one: ${place} login mistral\n`));
    await server.ask('DELETE', '/providers/mistral', undefined, 204);
    await cli('provider', 'test', 'told');
    assert.deepEqual(await defaultModel(), ['demo/scripted']);
});

test('the key is in a variable that skein.yaml lists for the host, and no other is read', async () => {
    const add = (name, variable) => cli('provider', 'add', name, '--type=openai-compatible', '--base-url=http://127.0.0.1:9/v1', `--key-env=${variable}`);
    for (const [name, variable] of [['office', 'OFFICE_KEY'], ['office2', 'OFFICE_TOKEN']]) {
        const added = await add(name, variable);
        assert.doesNotMatch(added.out, /A key:/); // it has one
        assert.equal(added.code, 0, added.err);
        assert.equal((await cli('provider', 'rm', name, '-y')).code, 0);
    }
    for (const variable of ['PATH', 'OFFICE_API_KEY', 'SKEIN_TOKEN', 'OPENAI_API_KEY']) {
        const refused = await add('office', variable);
        assert.equal(refused.code, 2, refused.err);
        const allow = new RegExp(`"?${variable}\\\\?" may not be sent to \\\\?"127.0.0.1:9`);
        assert.match(refused.err, allow);
        assert.match(refused.err, new RegExp(`secrets: \\{ env: \\{ ${variable}: \\["127.0.0.1:9"\\] \\} \\}`));
        const body = { name: 'office', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: variable };
        const { detail, errors } = await server.post('/providers', body, 400);
        assert.match(JSON.stringify([detail, errors]), allow);
    }
});

test('with --default it says which agents answer with which model from now on', async () => {
    const added = await cli('provider', 'add', 'taken', '--type=openai-compatible', `--base-url=${base}`, '--default');
    assert.equal(added.code, 0, added.err);
    assert.match(added.out, /From now on agents that name no model answer with taken\/small, no longer with demo\/scripted:\n/);
    assert.match(added.out, /^ {4}office: @ada$/m);
    assert.match(added.out, /Back: skein model use demo\/scripted/);
    assert.deepEqual(await defaultModel(), ['taken/small']);
    assert.equal(await modelOf(), 'taken/small');
    await cli('model', 'use', 'auto');
    assert.deepEqual(await defaultModel(), ['demo/scripted']);
});

test('which model answers the next message, and where it runs, is one fact in the API, world ls and status', async () => {
    await server.post('/providers', { name: 'elsewhere', type: 'openai-compatible', baseUrl: 'https://llm.example.org/v1', apiKey: 'sk-elsewhere' });
    const told = async () => (await server.get(w.path)).answersWith;
    const demo = { model: 'demo/scripted', scripted: true, local: true, host: null };
    assert.deepEqual(await told(), [{ ...demo, agents: ['ada', 'bo'] }]);
    await server.ask('PATCH', '/settings', { 'defaults.model': 'elsewhere/big' });
    const far = { model: 'elsewhere/big', scripted: false, local: false, host: 'llm.example.org', agents: ['ada'] };
    assert.deepEqual(await told(), [far, { ...demo, agents: ['bo'] }]);
    const listed = (await server.get('/worlds')).data.find(one => one.name === 'office');
    assert.deepEqual(listed.answersWith, await told());
    const words = /elsewhere\/big \(at llm\.example\.org\), demo\/scripted \(scripted, on this computer\)/;
    for (const command of [['world', 'ls'], ['status']]) {
        for (const where of [[], [`--server=${server.url}`]]) {
            const { out, err } = where.length ? await run([...command, ...where]) : await cli(...command);
            assert.match(out, words, `${command} ${where}: ${err}`);
        }
        const json = JSON.parse((await cli(...command, '--json')).out);
        const one = (json.data ?? json.worlds ?? json).find(each => each.name === 'office');
        assert.deepEqual(one.answersWith, await told());
    }
    await server.ask('PATCH', `${w.path}/agents/bo`, { model: 'nobody/x' });
    assert.deepEqual((await told())[1], { model: 'nobody/x', scripted: false, local: null, host: null, agents: ['bo'] });
    await server.post('/providers', { name: 'keyless', type: 'openai' });
    await server.ask('PATCH', `${w.path}/agents/bo`, { model: 'keyless/x' });
    assert.deepEqual((await told())[1], { model: 'keyless/x', scripted: false, local: null, host: null, agents: ['bo'] }, 'one that would refuse');
    await server.ask('DELETE', '/providers/keyless', undefined, 204);
    assert.deepEqual((await server.get('/audit?limit=20')).data.filter(a => a.subject === 'keyless').map(a => a.what), [], 'no key was set or removed');
    await server.ask('PATCH', `${w.path}/agents/bo`, { model: 'demo/scripted' });
    await cli('agent', 'pause', 'ada', '-w', 'office');
    const only = / answers with demo\/scripted \(scripted, on this computer\)\n/, none = / nobody answers: all agents are paused\n/;
    for (const expected of [only, none]) {
        for (const command of ['world ls', 'status'])
            for (const where of [[], [`--server=${server.url}`]]) {
                const { out, err } = where.length ? await run([...command.split(' '), ...where]) : await cli(...command.split(' '));
                assert.match(out, expected, `${command} ${where}: ${err}`);
            }
        assert.deepEqual(await told(), expected === only ? [{ ...demo, agents: ['bo'] }] : []);
        await cli('agent', 'pause', 'bo', '-w', 'office');
    }
    for (const name of ['ada', 'bo']) await cli('agent', 'resume', name, '-w', 'office');
    await server.ask('PATCH', '/settings', { 'defaults.model': 'auto' });
    assert.deepEqual(await defaultModel(), ['demo/scripted']);
});

test('a test asks the present address, and models are of the address where they were listed', async () => {
    const moved = await server.post('/providers', { name: 'moved', type: 'openai-compatible', baseUrl: base, apiKey: 'sk-moved-0123456789' });
    assert.equal(moved.state, 'not-tried');
    assert.equal((await server.post('/providers/moved/test', undefined, 200)).models, 3);
    await server.ask('PATCH', '/providers/moved', { baseUrl: 'http://127.0.0.1:9/v1' });
    const { ok, models } = await server.post('/providers/moved/test', undefined, 200);
    assert.deepEqual([ok, models], [false, 0]);
    const { state, detail } = await server.get('/providers/moved');
    assert.equal(state, 'no-key');
    assert.match(detail, /To give it one: skein provider login moved\. If it needs none there: skein provider login moved --none$/);
    const told = await cli('provider', 'test', 'moved');
    assert.equal(told.code, 6, told.out);
    assert.doesNotMatch(told.out, /answered/);
    await server.ask('PATCH', '/providers/moved', { apiKey: 'sk-moved-9876543210' });
    assert.equal((await server.post('/providers/moved/test', undefined, 200)).state, 'unreachable');
    assert.equal((await cli('provider', 'models', 'moved')).code, 6);
    await server.ask('PATCH', '/providers/moved', { baseUrl: base });
    const none = await cli('provider', 'login', 'moved', '--none');
    assert.equal(none.code, 0, none.err);
    assert.equal((await server.post('/providers/moved/test', undefined, 200)).models, 3);
    await server.ask('DELETE', '/providers/moved', undefined, 204);
    await server.post('/providers', { name: 'keyless', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' });
    assert.equal((await server.ask('PATCH', '/providers/keyless', { baseUrl: base })).state, 'not-tried');
    await server.ask('DELETE', '/providers/keyless', undefined, 204);
});

test('of a provider is said what is known: not tried yet, that it answers, or why it did not', async () => {
    const line = async () => (await cli('provider', 'ls')).out.match(/^dead +(.*?)  .*(?:\n {14}.*)*/m);
    await server.post('/providers', { name: 'dead', type: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' });
    assert.equal((await server.get('/providers/dead')).state, 'not-tried');
    assert.equal((await line())[1], 'not tried yet');
    await server.post('/providers/dead/test', undefined, 200);
    assert.equal((await line())[1], 'failed');
    assert.match((await line())[0], /\n +.*127\.0\.0\.1/);
    await server.ask('PATCH', '/providers/dead', { baseUrl: base });
    assert.equal((await line())[1], 'not tried yet');
    await server.post('/providers/dead/test', undefined, 200);
    assert.equal((await line())[1], 'up');
    assert.equal((await server.get('/providers/demo')).state, 'ready');
    await server.ask('DELETE', '/providers/dead', undefined, 204);
});

test('a provider of the configuration file is removed there', async () => {
    const { detail, hint } = await server.ask('DELETE', '/providers/filed', undefined, 409);
    assert.match(detail, /"filed" is set up in .*skein\.yaml:\d+/);
    assert.match(hint, /^Change it there, then: skein config check \S*skein\.yaml$/);
    await server.ask('DELETE', '/providers/filed?dryRun=true', undefined, 409);
    for (const how of ['-y', '-n']) {
        const { code, err } = await cli('provider', 'rm', 'filed', how);
        assert.equal(code, 5);
        assert.match(err, /is set up in/);
    }
    assert.equal((await server.get('/providers/filed')).name, 'filed');
    await server.post('/providers', { name: 'kept', type: 'openai-compatible', baseUrl: base });
    await server.ask('DELETE', '/providers/kept?dryRun=true', undefined, 204);
    await server.ask('DELETE', '/providers/kept', undefined, 204);
});

test('an address that cannot be one is refused', async () => {
    for (const bad of ['http://h:84537/v1', 'http://h:19001;x', 'http://h:0/v1', 'http://:80/v1', 'http://h:80x/v1', 'http://a b/v1', 'http://[::1/v1']) {
        const { errors } = await server.post('/providers', { name: 'bad', type: 'openai-compatible', baseUrl: bad }, 400);
        assert.deepEqual(errors.map(e => e.pointer), ['/baseUrl'], bad);
        assert.equal((await cli('provider', 'add', 'bad', '--type=openai-compatible', `--base-url=${bad}`)).code, 2, bad);
    }
    for (const good of ['http://my_container:8080/v1', 'http://[::1]:65535/v1', 'https://llm.example.org/a;b/v1'])
        await server.post('/providers', { name: 'good', type: 'openai-compatible', baseUrl: good })
            .then(() => server.ask('DELETE', '/providers/good', undefined, 204));
});

test('one whose models nobody knows is added, and changes nothing', async () => {
    const added = await cli('provider', 'add', 'far', '--type=openai-compatible', '--base-url=http://127.0.0.1:9/v1', '--default');
    assert.equal(added.code, 6);
    assert.match(added.err, /"far" is there, but it names no model: .*No agent's model has changed/);
    assert.match(added.err, /skein provider use far --default/);
    assert.deepEqual(await defaultModel(), ['demo/scripted']);
});

for (const name of Object.keys(nothing))
    test(`an answer of nothing (${name}) is a failure with its reason, and no message`, async () => {
        const [type] = name.split('/'), provider = name.replace('/', '-');
        const at = `http://127.0.0.1:${mute.address().port}${type === 'openai' ? '/v1' : ''}`;
        await server.post('/providers', { name: provider, type, baseUrl: at, maxRetries: 0, ...(type === 'ollama' ? {} : { apiKey: 'sk-mute' }) });
        const room = await server.world(provider, [{ name: 'ada', model: `${provider}/${name}` }]);
        const [failed] = (await room.converse('@ada hello')).of('message.failed');
        assert.match(failed.detail, new RegExp(`^${provider} answered with nothing`));
        assert.deepEqual((await room.messages()).map(m => m.sender), ['human']);
        const { state, detail } = await server.get(`/providers/${provider}`);
        assert.equal(state, 'failed');
        assert.match(detail, /answered with nothing/);
        assert.match((await cli('provider', 'ls')).out, new RegExp(`^${provider} +failed.*\\n +.*answered with nothing`, 'm'));
    });

test('a squash is written by the model that is named, else by that of the agent that leads', async () => {
    const room = await server.world('squashes', [{ name: 'ada', model: 'posted/big' }, { name: 'bo', lead: 'ada' }]);
    const squash = async (...more) => {
        const said = [];
        for (const text of ['one', 'two']) said.push((await room.say(text, { sender: 'kim', instructions: [{ type: 'Source.User' }] })).messageId);
        await room.idle();
        return cli('squash', '-w', room.name, '-c', room.chat, ...said, '-m', 'Merge them.', ...more);
    };
    const own = await squash();
    assert.equal(own.code, 0, own.err);
    assert.match(own.out, /A real answer\.\nBy posted\/big\./);
    const named = await squash('--model', 'posted/small');
    assert.equal(named.code, 0, named.err);
    assert.match(named.out, /A real answer\.\nBy posted\/small\./);
    const would = await squash('-n');
    assert.equal(would.code, 0, would.err);
    assert.match(would.out, /into one, by posted\/big:/);
});

await finish();
