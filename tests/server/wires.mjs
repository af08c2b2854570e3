// wires.mjs: what models are particular about in what they are sent, in every wire format, through the whole server.
import fs from 'node:fs';
import path from 'node:path';
import { Server, assert, finish, run, test } from './lib.mjs';
import { StrictModel } from './strict_model.mjs';

const model = await StrictModel.open();
const server = await Server.start();
for (const type of ['anthropic', 'openai', 'ollama'])
    await server.post('/providers', { name: type, type, baseUrl: model[type], ...(type === 'ollama' ? {} : { apiKey: 'k' }) });

let names = 0;
const world = (name, more = {}) => server.world(`wires${++names}`, [{ name: 'ada', model: name, ...more }]);
const answers = async w => (await w.messages()).filter(m => m.role === 'assistant').map(m => m.content);
const last = () => model.asked.at(-1).body;

// --- Thinking goes back where it came from -----------------------------------------------------------

for (const name of ['anthropic/claude-a', 'openai/deepseek-a', 'openai/gemini-a', 'ollama/thinker'])
    test(`${name} gets its thinking back with the results of its calls, and in later turns`, async () => {
        const w = await world(name);
        await w.converse('who are my colleagues?');
        assert.deepEqual((await answers(w)).at(-1), 'There is me.');
        await w.converse('thank you');
        assert.deepEqual((await answers(w)).filter(Boolean), ['There is me.', 'There is me.']);
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

for (const name of ['openai/deepseek-a', 'ollama/thinker'])
    test(`${name}: each question begins with the bytes of the one before`, async () => {
        const asked = (await turns(await world(name, { temperature: 0.5, maxTokens: 1000 }))).map(q => q.text);
        for (let i = 1; i < asked.length; i++) {
            const same = [...asked[i - 1]].findIndex((c, k) => c !== asked[i][k]);
            assert.ok(asked[i - 1].length - same < 60, asked[i - 1].slice(same)); // the end of the list, and what stands behind it
        }
    });

await finish();
