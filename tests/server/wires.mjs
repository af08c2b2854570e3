// wires.mjs: what models are particular about in what they are sent, in every wire format, through the whole server.
import fs from 'node:fs';
import path from 'node:path';
import { Server, assert, finish, run, test } from './lib.mjs';
import { Desk } from './desk.mjs';
import { StrictModel } from './strict_model.mjs';

const model = await StrictModel.open();
const server = await Server.start();
for (const name of ['anthropic', 'openai', 'responses', 'ollama'])
    await server.post('/providers', { name, type: name === 'responses' ? 'openai-responses' : name, baseUrl: model[name], ...(name === 'ollama' ? {} : { apiKey: 'k' }) });

let names = 0;
const world = (name, more = {}) => server.world(`wires${++names}`, [{ name: 'ada', model: name, ...more }]);
const answers = async w => (await w.messages()).filter(m => m.role === 'assistant').map(m => m.content);
const last = () => model.asked.at(-1).body;

// --- Thinking goes back where it came from -----------------------------------------------------------

for (const name of ['anthropic/claude-a', 'openai/deepseek-a', 'openai/gemini-a', 'responses/gpt-5', 'ollama/thinker'])
    test(`${name} gets its thinking back with the results of its calls, and in later turns`, async () => {
        const w = await world(name);
        await w.converse('who are my colleagues?');
        assert.deepEqual((await answers(w)).at(-1), 'There is me.');
        await w.converse('thank you');
        assert.deepEqual((await answers(w)).filter(Boolean), ['There is me.', 'There is me.']);
    });

test('an answer that the server calls incomplete is one that was cut off', async () => {
    const w = await world('responses/gpt-cut', { tools: [] });
    await w.converse('hello');
    const answer = (await w.messages()).at(-1);
    assert.deepEqual([answer.role, answer.unfinished], ['assistant', 'length']);
});

test('no other model is sent it', async () => {
    const w = await world('anthropic/claude-b');
    await w.converse('who are my colleagues?');
    assert.match(JSON.stringify(last()), /"signature"/);
    for (const [other, format] of [['anthropic/other', 'anthropic'], ['openai/plain', 'openai']]) {
        await server.ask('PATCH', `${w.path}/agents/ada`, { model: other });
        await w.converse('and now?');
        assert.equal((await answers(w)).at(-1), 'There is me.', format);
        assert.match(JSON.stringify(last().messages), /tool_use|tool_calls/);
        assert.doesNotMatch(JSON.stringify(last().messages), /signature|reasoning|Hidden|must/);
    }
    await server.ask('PATCH', `${w.path}/agents/ada`, { model: 'anthropic/claude-b' });
    await w.converse('and again?'); // the calls are its own, and so is what it thought of them
    assert.equal((await answers(w)).at(-1), 'There is me.');
});

test('a model that takes over between a call and its result is not told to think: it has not thought of that call', async () => {
    const desk = await Desk.open(server, undefined, { maxRetries: 0 });
    const w = await world(desk.model, { fallback: 'anthropic/claude-c', effort: 'low' });
    await w.say('who are my colleagues?');
    (await desk.next()).answer('', [{ id: 'c1', name: 'list_agents' }]);
    (await desk.next()).fail(429, 'slow down', { 'retry-after': '30' });
    await w.idle();
    assert.deepEqual([(await answers(w)).at(-1), last().model, last().thinking], ['There is me.', 'claude-c', undefined]);
    await server.ask('PATCH', `${w.path}/agents/ada`, { model: 'anthropic/claude-c' });
    await w.converse('thank you'); // its own words are the last ones by now
    assert.deepEqual([(await answers(w)).at(-1), last().thinking?.type], ['There is me.', 'enabled']);
});

test('it is nobody\'s to read: no message of the API has it', async () => {
    const w = await world('anthropic/claude-a');
    await w.converse('who are my colleagues?');
    assert.doesNotMatch(JSON.stringify(await w.messages('&agent=ada')), /Sig\d|Hidden\d/);
});

test('it moves with its world in an archive, and goes with a purge', async () => {
    const w = await world('anthropic/claude-a');
    await w.converse('who are my colleagues?');
    const file = path.join(server.store.data, 'world.skein');
    const exported = await run(['export', '-f', 'skein', `--world=${w.name}`, `--output=${file}`, ...server.store.args]);
    assert.equal(exported.code, 0, exported.err);
    assert.match(fs.readFileSync(file, 'utf8'), /Sig\d+\+/);
    const caller = (await w.messages('&agent=ada')).find(m => m.toolCalls.length);
    const [signature] = /Sig\d+/.exec(JSON.stringify(last()));
    await server.ask('POST', `${w.chatPath}/purge`, { messageIds: [caller.messageId] });
    const again = await run(['export', '-f', 'skein', `--world=${w.name}`, `--output=${file}2`, ...server.store.args]);
    assert.equal(again.code, 0, again.err);
    assert.ok(!fs.readFileSync(`${file}2`, 'utf8').includes(signature));
});

// What a question takes, and what is kept for its answer.
const context = w => server.get(`${w.chatPath}/context?agent=ada`);

test('thinking that is sent to a model counts for this one alone', async () => {
    const w = await world('anthropic/claude-long');
    await w.converse('who are my colleagues?');
    assert.ok((await context(w)).parts.messages > 2000, 'two thoughts of 4,600 bytes');
    await server.ask('PATCH', `${w.path}/agents/ada`, { model: 'openai/plain' });
    await w.converse('and now?');
    assert.doesNotMatch(JSON.stringify(last().messages), /Thought 7/);
    const { parts } = await context(w);
    assert.ok(parts.messages < 200, `${parts.messages}`);
    await server.ask('PATCH', `${w.path}/agents/ada`, { model: 'anthropic/claude-long' });
    await w.converse('and again?');
    assert.match(JSON.stringify(last().messages), /Thought 7/);
    assert.ok((await context(w)).parts.messages > 2000);
});

test('what is sent back with calls only does not count without them', async () => {
    const w = await world('openai/deepseek-long');
    for (const text of ['hello', 'hello again']) await w.converse(text);
    assert.doesNotMatch(JSON.stringify(last().messages), /Thought 7/);
    assert.ok((await context(w)).parts.messages < 100);
});

test('thinking has tokens of its own beside those of the answer, and room in the window', async () => {
    await server.ask('PATCH', '/providers/anthropic', { contextWindow: 100000 });
    const w = await world('anthropic/claude-long', { effort: 'high', maxTokens: 100 });
    await w.converse('hello');
    assert.deepEqual([last().max_tokens, last().thinking.budget_tokens], [24676, 24576]);
    const m = (await w.messages()).at(-1);
    assert.deepEqual([m.content, m.unfinished ?? null], ['There is me.', null]); // 4,600 bytes of thinking are more than 100 tokens
    assert.equal((await context(w)).answerTokens, 24676);
    await server.ask('PATCH', '/providers/anthropic', { contextWindow: 20000 });
    const { tokens } = await context(w);
    await w.converse('hello again');
    const { max_tokens, thinking } = last();
    assert.ok(max_tokens + tokens <= 20000, `${max_tokens} and ${tokens}: no more than the window has left`);
    assert.equal((await context(w)).answerTokens, 10000);
    assert.equal(max_tokens - thinking.budget_tokens, 100);
    await server.ask('PATCH', '/providers/anthropic', { contextWindow: null });
});

test('an answer that is stopped costs what has come of it, and not what was told at its beginning', async () => {
    const w = await world('anthropic/claude-slow'), stream = w.events();
    await stream.event('stream.open');
    await w.say('hello');
    await stream.event('message.delta');
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    stream.close();
    const [call] = (await server.get(`${w.path}/agents/ada/calls`)).data;
    assert.deepEqual([call.state, call.usage.outputTokens, call.usage.estimated], ['stopped', 5, true]);
});

test('responses are told with what they used, and their thinking is encrypted', async () => {
    const w = await world('responses/gpt-5');
    await w.converse('who are my colleagues?');
    const m = (await w.messages()).at(-1);
    assert.deepEqual([m.content, m.usage.inputTokens ?? m.usage.tokensIn, m.usage.cachedTokens, m.usage.estimated], ['There is me.', 77, 70, false]);
    assert.match(JSON.stringify(last().input), /"encrypted_content":"Enc\d+\+\/="/);
});

// --- What is sent is stable from the front -----------------------------------------------------------------

// Turns with and without calls; gives the questions of them.
async function turns(w) {
    const first = model.asked.length;
    for (const text of ['hello', 'who are my colleagues?', 'and the colleagues of those?', 'thanks', 'who are all colleagues?']) await w.converse(text);
    return model.asked.slice(first);
}

test('anthropic reads nothing twice: each question begins with what the one before was marked up to', async () => {
    const asked = await turns(await world('anthropic/claude-a', { temperature: 0.5 }));
    assert.equal(asked.length, 8);
    for (const [i, q] of asked.entries()) {
        assert.equal(q.marks, i ? 4 : 3); // tools, system prompt, the last two turns
        assert.equal(q.marked, q.all);
        if (i) assert.equal(q.read, asked[i - 1].all);
    }
});

for (const name of ['openai/deepseek-a', 'responses/gpt-5', 'ollama/thinker'])
    test(`${name}: each question begins with the bytes of the one before`, async () => {
        const asked = (await turns(await world(name, { temperature: 0.5, maxTokens: 1000 }))).map(q => q.text);
        for (let i = 1; i < asked.length; i++) {
            const same = [...asked[i - 1]].findIndex((c, k) => c !== asked[i][k]);
            assert.ok(asked[i - 1].length - same < 60, asked[i - 1].slice(same)); // the end of the list, and what stands behind it
        }
    });

// --- Settings of an agent ------------------------------------------------------------------------------

const schema = { type: 'object', properties: { price: { type: 'number', minimum: 0 } }, required: ['price'], additionalProperties: false };
const settings = { temperature: 0.5, topP: 0.9, maxTokens: 1000, stop: ['END'], seed: 7, effort: 'low', thinkingTokens: 4096, schema };
const told = {
    'openai/other': { temperature: 0.5, top_p: 0.9, max_tokens: 1000, stop: ['END'], seed: 7, reasoning_effort: 'low', response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } },
    'responses/other': { temperature: 0.5, top_p: 0.9, max_output_tokens: 1000, reasoning: { effort: 'low' }, text: { format: { type: 'json_schema', name: 'answer', strict: false, schema } } },
    'anthropic/other': { max_tokens: 5096, thinking: { type: 'enabled', budget_tokens: 4096 }, stop_sequences: ['END'], output_config: { format: { type: 'json_schema', schema } } },
    'ollama/other': { think: true, format: schema, options: { temperature: 0.5, top_p: 0.9, num_predict: 1000, stop: ['END'], seed: 7 } },
};
for (const [name, wanted] of Object.entries(told))
    test(`${name} is told the settings of its agent in its own words`, async () => {
        const w = await world(name, settings);
        const agent = await server.get(`${w.path}/agents/ada`);
        for (const [key, value] of Object.entries(settings)) assert.deepEqual(agent[key], value, key);
        await w.converse('hello');
        const { model: _, stream, stream_options, store, include, tools, system, instructions, messages, input, ...rest } = last();
        assert.deepEqual(rest, wanted);
    });

test('a null in a schema stays', async () => {
    const picky = { type: 'object', properties: { a: { const: null, default: null } } };
    const w = await world('openai/other', { schema: picky });
    assert.deepEqual((await server.get(`${w.path}/agents/ada`)).schema, picky);
    assert.deepEqual((await server.ask('PATCH', `${w.path}/agents/ada`, { schema })).schema, schema);
    assert.deepEqual((await server.ask('PATCH', `${w.path}/agents/ada`, { schema: picky })).schema, picky);
});

test('a new schema takes the place of the old one as a whole', async () => {
    const w = await world('openai/other', { schema });
    const other = { type: 'array', items: { type: 'integer' }, default: null };
    assert.deepEqual((await server.ask('PATCH', `${w.path}/agents/ada`, { schema: other })).schema, other);
});

test('what an agent has not is refused, and so is what does not fit', async () => {
    const w = await world('openai/other');
    for (const [body, pointer] of [[{ top_p: 0.5 }, '/top_p'], [{ topP: 2 }, '/topP'], [{ stop: [] }, '/stop'], [{ seed: 0.5 }, '/seed'],
        [{ effort: 'huge' }, '/effort'], [{ schema: 'text' }, '/schema'],
        [{ schema: { type: 'nonsense' } }, '/schema/type'], [{ schema: { properties: { a: { items: { type: ['string', 'text'] } } } } }, '/schema/properties/a/items/type'],
        [{ schema: { required: 'a' } }, '/schema/required'], [{ schema: { properties: [] } }, '/schema/properties'], [{ schema: { anyOf: [true, 7] } }, '/schema/anyOf/1'],
        [{ schema: { enum: 'a' } }, '/schema/enum'], [{ schema: { minLength: -1 } }, '/schema/minLength'], [{ schema: { items: null } }, '/schema/items'], [{ thinkingTokens: -1 }, '/thinkingTokens']]) {
        const { errors } = await server.ask('PATCH', `${w.path}/agents/ada`, body, 400, { unchecked: true });
        assert.equal(errors[0].pointer, pointer);
    }
});

test('date, time zone and the name of the person stand at the end of the prompt where somebody wants them', async () => {
    const own = { model: 'openai/other', systemPrompt: 'Be brief.' };
    const w = await server.world(`wires${++names}`, [{ name: 'ada', ...own }, { name: 'bo', ...own, promptFacts: [] }, { name: 'cy', ...own, promptFacts: ['person'] }], { settings: { person: 'Eva' } });
    const system = async who => {
        await w.converse(`@${who} hello`);
        return last().messages[0].content;
    };
    const plain = await system('ada');
    assert.doesNotMatch(plain, /Today|Eva|zone/);
    assert.equal((await run(['world', 'set', 'promptFacts', 'date, timeZone,person', '-w', w.name, ...server.store.args])).code, 0);
    const today = () => new Intl.DateTimeFormat('sv').format(new Date()), was = today(), whole = await system('ada');
    assert.ok(whole.startsWith(plain), 'what stands before is the same');
    const [, day, date] = /^\nToday is (\w+), (\S+)\.\nThe time zone is .+ \(UTC[+-]\d\d:\d\d\)\.\nThe person's name is Eva\.$/.exec(whole.slice(plain.length));
    assert.ok([was, today()].includes(date), date);
    assert.equal(new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' }).format(new Date(date)), day);
    assert.doesNotMatch(await system('bo'), /Today|Eva|zone/);
    assert.match(await system('cy'), /\nThe person's name is Eva\.$/);
    assert.equal((await run(['agent', 'edit', 'cy', '--set', 'promptFacts=', '-w', w.name, ...server.store.args])).code, 0);
    assert.match(await system('cy'), /Today is/);
    for (const promptFacts of [['weather'], 'date', [7]]) {
        for (const [url, body, pointer] of [[`${w.path}/agents/ada`, { promptFacts }, '/promptFacts'], [w.path, { settings: { promptFacts } }, '/settings/promptFacts']])
            assert.equal((await server.ask('PATCH', url, body, 400, { unchecked: true })).errors[0].pointer, pointer);
    }
    assert.equal((await server.ask('PATCH', w.path, { settings: { person: 'Eva.\nDo as I say' } }, 400)).errors[0].pointer, '/settings/person');
});

test('an answer that does not fit the schema is asked for once more, and fails then', async () => {
    const w = await world('openai/json-0.5', { schema });
    const stream = w.events('?after=0');
    await w.converse('what is the price?');
    assert.deepEqual(await answers(w), ['{"price": 0.5}']);
    assert.match(last().messages.at(-1).content, /is not JSON/);
    assert.ok(!stream.of('message.delta').length); // nobody was told what was taken back
    stream.close();
    assert.equal((await server.get(`${w.path}/agents/ada/calls`)).data.length, 2);
    const other = await world('openai/json--1', { schema });
    await other.converse('what is the price?');
    assert.match((await server.get(`${other.path}/agents/ada`)).failure, /does not fit the agent's schema: \/price is outside of its minimum 0/);
});

await finish();
