// compaction.mjs: contexts that have become long are summarised by themselves, in every mode: what the summary
// covers, what the model is sent then, and that nothing is lost.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Desk, asked, context, ended, own, rows, talk, work } from './desk.mjs';
import { Server, assert, eventually, finally_, finish, run, script, test } from './lib.mjs';

const file = script('compaction', `
rules:
  - agent: skein
    when: "[summary of the conversation"
    do: "Summary: all of the first summary, and what was found after it."
  - agent: skein
    do: "Summary: research on NVDA was asked for."
  - tool: demo_lookup
    do: Here is what I found.
  - when: look it up
    do:
      - say: Looking into it...
      - call: demo_lookup
        args: {query: NVDA}
otherwise: "{agent} heard {sender}."
`);
const server = await Server.start({ script: file });
let names = 0;
const fresh = (compactAt, agents = ['ada'], more = {}) => server.world(`compaction${++names}`, agents, { compactAt, ...more });
const summaries = list => list.filter(m => m.role === 'summary');
const inChat = async (w, agent, mode) => (await server.get(`${w.path}/chats/${(await own(w, agent, mode)).id}/compactions`)).data;

// Does this and waits for the summary that comes of it.
async function summarised(w, run) {
    const stream = w.events();
    await stream.event('stream.open');
    await run();
    const made = await stream.event('summary.created');
    stream.close();
    return made.body.data;
}

// Ten rows of work: four of a tool exchange each, then two.
async function ten(w, run) {
    await run('look it up');
    await run('look it up once more');
    return summarised(w, () => run('and now?'));
}

test('Compaction creates summary without deleting messages', async () => {
    const w = await fresh(10);
    const made = await ten(w, text => work(w, 'ada', text));
    const all = await rows(w, 'ada');
    assert.deepEqual(all.map(m => m.role), ['user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'summary']);
    const k = all[10], j = all[9];
    assert.deepEqual([k.messageId, k.content, made.covers], [made.messageId, 'Summary: research on NVDA was asked for.', 10]);
    assert.equal(k.previousMessageId, j.messageId, 'the last message that it stands for');
    assert.deepEqual(all.slice(0, 10).map(m => m.previousMessageId), [null, ...all.slice(0, 9).map(m => m.messageId)]);
    const [shown] = await inChat(w, 'ada');
    assert.deepEqual([shown.messageId, shown.covers, shown.role], [k.messageId, 10, 'summary']);
    assert.equal((await server.get(`${w.path}/chats/${k.chatId}/threads`)).data.length, 1, 'no new version');
});

test('a summary points to the last message that it stands for, whatever was said meanwhile', async () => {
    const w = await server.world(`between${Date.now()}`, []);
    for (const text of ['one', 'two', 'three']) await w.say(text);
    const made = await server.post(`${w.chatPath}/compactions`, { content: 'one and two', covers: 2 });
    const all = await w.messages();
    assert.equal(all[3].messageId, made.messageId);
    assert.equal(all[3].previousMessageId, all[1].messageId);
    assert.equal(all[2].previousMessageId, all[1].messageId);
});

test('Context loading returns summary + recent messages', async () => {
    const w = await fresh(10);
    const before = await (async () => {
        await work(w, 'ada', 'look it up');
        return context(w, 'ada');
    })();
    assert.deepEqual([before.summaryMessageId, before.coveredLength, before.messages.filter(m => !m.synthetic).map(m => m.role)],
        [null, 0, ['user', 'assistant', 'tool', 'assistant']], 'no summary yet: all messages');
    await work(w, 'ada', 'look it up once more');
    const made = await summarised(w, () => work(w, 'ada', 'and now?'));
    const after = await context(w, 'ada');
    assert.deepEqual([after.summaryMessageId, after.coveredLength, after.messages.filter(m => !m.synthetic).length], [made.messageId, 10, 1]);
    assert.equal(after.messages[0].role, 'user', 'a summary is said on the user side');
    assert.match(after.messages[0].content, /Summary: research on NVDA was asked for\./);
    assert.deepEqual(after.messages[0].messageIds, [made.messageId]);
    await work(w, 'ada', 'what is new?');
    // What the model itself was sent.
    const [call] = await asked(w, 'ada', 'turn');
    const sent = JSON.stringify(call.request.messages);
    assert.match(sent, /Summary: research on NVDA was asked for\./);
    assert.match(sent, /what is new\?/);
    assert.doesNotMatch(sent, /look it up|Looking into it/, 'what is covered is not sent');
    const recent = await context(w, 'ada');
    assert.deepEqual(recent.messages.flatMap(m => m.messageIds), [made.messageId, ...(await rows(w, 'ada')).slice(11).map(m => m.messageId)]);
});

test('a summary is made at compactAt messages, and not one before', async () => {
    const w = await fresh(6);
    for (const text of ['one', 'two']) await work(w, 'ada', text);
    await w.idle();
    assert.deepEqual((await asked(w, 'ada', 'summary')).length, 0);
    const made = await summarised(w, () => work(w, 'ada', 'three'));
    assert.equal(made.covers, 6);
    // From now on the summary counts as one.
    for (const text of ['four', 'five']) await work(w, 'ada', text);
    assert.equal(summaries(await rows(w, 'ada')).length, 1, 'the summary and four');
    const next = await summarised(w, () => work(w, 'ada', 'six'));
    assert.deepEqual([next.covers, next.previousMessageId], [13, made.messageId]);
});

test('fifty messages are long when nobody says otherwise', async () => {
    const w = await fresh(undefined);
    assert.equal((await server.get(w.path)).compactAt, 50);
    for (let i = 0; i < 24; i++) await work(w, 'ada', `step ${i}`);
    assert.equal(summaries(await rows(w, 'ada')).length, 0);
    assert.equal((await summarised(w, () => work(w, 'ada', 'step 24'))).covers, 50);
});

test('a second summary includes the first', async () => {
    const w = await fresh(6);
    const run = text => work(w, 'ada', text);
    for (const text of ['one', 'two']) await run(text);
    const first = await summarised(w, () => run('three'));
    for (const text of ['four', 'five']) await run(text);
    const second = await summarised(w, () => run('six'));
    const [asking] = await asked(w, 'ada', 'summary');
    const sent = asking.request.messages.map(m => m.content).join('\n');
    assert.match(sent, /Summary: research on NVDA was asked for\./, 'the first one is what the second is made of');
    for (const word of ['four', 'five', 'six']) assert.match(sent, new RegExp(word));
    for (const word of ['one', 'two', 'three']) assert.doesNotMatch(sent, new RegExp(`them: .*${word}`));
    assert.equal(asking.messageId, second.messageId);
    const list = await inChat(w, 'ada');
    assert.deepEqual(list.map(s => s.messageId), [second.messageId, first.messageId], 'newest first');
    const now = await context(w, 'ada');
    assert.equal(now.summaryMessageId, second.messageId);
    assert.match(now.messages[0].content, /all of the first summary/);
    assert.equal(summaries(await rows(w, 'ada')).length, 2, 'both are in the history');
});

test('the foreground and chats are summarised as the background is', async () => {
    const w = await fresh(4);
    await talk(w, 'ada', 'one');
    const front = await summarised(w, () => talk(w, 'ada', 'two'));
    assert.equal((await context(w, 'ada', 'foreground')).summaryMessageId, front.messageId);
    await w.say('one');
    await w.idle();
    const room = await summarised(w, async () => { await w.say('two'); await w.idle(); });
    const seen = await server.get(`${w.chatPath}/context?agent=ada`);
    assert.deepEqual([seen.summaryMessageId, seen.coveredLength], [room.messageId, room.covers]);
    assert.equal((await w.messages()).filter(m => m.role !== 'summary').length, 4, 'the main lane shows all that was said');
});

test('each agent of a chat has a summary of its own memory', async () => {
    const w = await fresh(4, ['ada', 'bo']);
    await w.say('@ada one');
    await w.idle();
    // Ada has heard four by now, and so has bo; but bo has answered nothing, so nothing has made its context longer.
    const made = await summarised(w, async () => { await w.say('@ada two'); await w.idle(); });
    assert.equal(made.lane, '@ada');
    assert.equal((await server.get(`${w.chatPath}/context?agent=bo`)).summaryMessageId, null);
});

test('whoever reads the conversation sees where a memory was summarised, and what is in the summary', async () => {
    const w = await fresh(4, ['ada']);
    const cli = (...words) => run([...words, ...server.store.args, '-w', w.name, '-c', w.chat]);
    const ask = async text => { await w.say(text); await w.idle(); };
    await ask('one');
    const made = await summarised(w, () => ask('two'));
    await ask('three');
    const line = `  ─ ada: the first 4 messages are summarised as ${made.messageId}: skein show ${made.messageId}\n`;
    const log = (await cli('log')).out, at = log.indexOf(line);
    assert.ok(at > log.indexOf('    two\n') && at < log.indexOf('    three\n'), log);
    assert.equal(log.split('are summarised as').length, 2, 'once');
    assert.ok(!(await cli('log', '--count', '2')).out.includes(line), 'what is before the part that is shown is not part of it');
    assert.ok((await run(['log', '--server', server.url, '-w', w.name, '-c', w.chat])).out.includes(line), 'over a server too');
    const all = (await server.get(`${w.chatPath}/compactions?memories=true`)).data;
    assert.deepEqual(all.map(s => [s.messageId, s.memoryOf, s.covers]), [[made.messageId, 'ada', 4]]);
    assert.deepEqual((await server.get(`${w.chatPath}/compactions`)).data, [], 'the main lane itself has none');
    assert.match((await cli('show', made.messageId)).out, /stands for the first 4 messages of @ada:/);
    assert.match((await cli('context', '--agent', 'ada')).err,
        new RegExp(`; 7 stored: 4 in the summary ${made.messageId}, the summary, and 2 as they are\\. Compacts when these and the summary are 4`));
    assert.match((await cli('lane', 'ls')).out, /@ada +memory +7 messages/);
});

test('what the summary was made of is labelled text: tools with their results, no thinking', async () => {
    const w = await fresh(4);
    await summarised(w, () => work(w, 'ada', 'look it up'));
    const [asking] = await asked(w, 'ada', 'summary');
    const sent = asking.request.messages.map(m => m.content).join('\n');
    assert.match(sent, /them: .*look it up/);
    assert.match(sent, /you: Looking into it\.\.\./);
    assert.match(sent, /\[called tool demo_lookup with \{"query":"NVDA"\}\]/);
    assert.match(sent, /\[result of tool demo_lookup\]\ndemo data/);
    assert.deepEqual(asking.request.tools, [], 'a summariser has no tools');
});

test('a summary by hand is one like the others', async () => {
    const w = await fresh(50);
    for (const text of ['one', 'two']) await work(w, 'ada', text);
    const chat = await own(w, 'ada');
    const made = await server.post(`${w.path}/chats/${chat.id}/compactions`, { content: 'By hand: one and two.' });
    assert.equal(made.covers, 4);
    assert.match((await context(w, 'ada')).messages[0].content, /By hand: one and two\./);
    await server.refused('POST', `${w.path}/chats/${chat.id}/compactions`, 409, 'nothing-to-do', { body: { content: 'again' } });
});

// A summary that somebody waits for; gives its job and the question to the model.
async function summarising(desk) {
    const w = await server.world(`stopping${++names}`, [{ name: 'ada', model: desk.model }]);
    await w.say('@ada one');
    await w.idle();
    const job = await server.post(`${w.chatPath}/compactions`, {}, 202);
    return { w, job, question: await desk.next() };
}

test('a summary that is being made is stopped with the agents of its chat, and ends with its job', async () => {
    const desk = await Desk.open(server, q => (q.summary ? undefined : 'Yes.'));
    for (const end of [w => server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200), (w, job) => server.ask('DELETE', `/jobs/${job.id}`)]) {
        const { w, job, question } = await summarising(desk);
        question.begin('Summary: ');
        await end(w, job);
        await question.gone;
        assert.match((await ended(server, job)).state, /failed|cancelled/);
        assert.equal(summaries(await w.messages()).length, 0);
    }
});

test('who stops one agent does not stop what a person asked for', async () => {
    const desk = await Desk.open(server, q => (q.summary ? undefined : 'Yes.'));
    const { w, job, question } = await summarising(desk);
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat, agents: ['ada'] }, 200);
    question.answer('Summary: one.');
    assert.equal((await ended(server, job)).state, 'done');
    assert.equal(summaries(await w.messages()).length, 1);
});

test('a job that somebody waits for is cancelled when they do not ask again', async () => {
    const desk = await Desk.open(server, q => (q.summary ? undefined : 'Yes.'));
    const { w, job, question } = await summarising(desk);
    assert.equal((await server.get(`/jobs/${job.id}?lease=1`)).state, 'running');
    await question.gone;
    assert.equal((await ended(server, job)).state, 'cancelled');
    assert.equal(summaries(await w.messages()).length, 0);
    await server.refused('GET', `/jobs/${job.id}?lease=0`, 400, 'validation');
});

test('a summary that an agent has made by itself is a job, and can be cancelled', async () => {
    const desk = await Desk.open(server, q => (q.summary ? undefined : 'Yes.'));
    const w = await fresh(4, [{ name: 'ada', model: desk.model }]), stream = w.events();
    await stream.event('stream.open');
    for (const state of ['done', 'cancelled']) {
        const from = stream.events.length;
        for (const text of ['@ada one', '@ada two']) {
            await w.say(text);
            await w.idle();
        }
        const { body: { data: job } } = await stream.event('job.started', undefined, { from });
        assert.deepEqual([job.kind, job.state], ['summary', 'running']);
        const question = await desk.next();
        assert.equal((await server.get(`/jobs/${job.id}`)).state, 'running');
        if (state === 'done') question.answer('A summary.');
        else await server.ask('DELETE', `/jobs/${job.id}`);
        assert.equal((await stream.event('job.finished', e => e.id === job.id, { from })).body.data.state, state);
    }
    stream.close();
    assert.equal((await server.get(`${w.chatPath}/compactions?memories=true`)).data.length, 1);
});

// A world whose model reads 8,000 tokens, with a summary of its first words under way, and a question that needs more room.
async function crowded() {
    const desk = await Desk.open(server, q => (q.summary ? undefined : 'Yes.'));
    const w = await fresh(1000, [{ name: 'ada', model: desk.model }], { settings: { compactShare: 15 } });
    desk.window = 8000;
    await server.get(`/providers/${desk.model.split('/')[0]}/models`);
    await w.say(`The first words. ${'some words '.repeat(400)}`);
    const first = await desk.next();
    await w.idle();
    for (let i = 0; i < 12; i++) await w.say(`${i}: ${'some words '.repeat(240)}`, { instructions: [{ type: 'ReadOnly' }] });
    const stream = w.events();
    await stream.event('stream.open');
    await w.say('and now?');
    await stream.event('message.started');
    stream.close();
    return { desk, w, first };
}

test('a turn that needs a summary waits for the one that is being made, and goes on from it', async () => {
    const { desk, w, first } = await crowded();
    first.answer('The summary of the first words.');
    const second = await desk.next();
    assert.match(second.last.content, /The summary of the first words\./);
    desk.auto = q => (q.summary ? 'The summary of a part.' : 'Yes.');
    second.answer('The summary of a part.');
    await w.idle();
    assert.equal((await w.messages()).filter(m => m.role === 'assistant').length, 2);
});

test('a turn whose summary was overtaken by a person goes on with that of the person', async () => {
    const { desk, w, first } = await crowded();
    first.fail();
    const second = await desk.next();
    assert.doesNotMatch(second.last.content, /By hand/);
    const { covers } = await server.post(`${w.chatPath}/compactions`, { agent: 'ada', content: 'By hand: all that was said.', covers: 14 });
    assert.equal(covers, 14);
    desk.auto = q => (q.summary ? 'Too late.' : 'Yes.');
    second.answer('Too late.');
    await w.idle();
    assert.equal((await w.messages()).filter(m => m.role === 'assistant').length, 2);
    const [turn] = await asked(w, 'ada', 'turn');
    assert.match(JSON.stringify(turn.request.messages), /By hand: all that was said\.[^]*and now\?/);
});

test('a summary is of a model that comes to an end: not of one that repeats itself, goes on forever, or only thinks', async () => {
    const desk = await Desk.open(server, q => (q.summary ? undefined : 'Yes.'));
    const part = i => `In part ${i} of the conversation ${'things were said that matter '.repeat(i % 7)}${i}. `;
    for (const [why, write] of [
        [/repeated itself/, async q => { for (let i = 0; i < 40; i++) q.begin('All was said, and all was said again, and nothing came of what was said. '); await q.gone; }],
        [/cut off/, async q => { for (let i = 0; i < 4000; i++) q.begin(part(i)); await q.gone; }],
        [/ended while it thought/, async q => { q.think('hm'); q.answer(''); }],
    ]) {
        const { w, job, question } = await summarising(desk);
        await write(question);
        const { state, error } = await ended(server, job);
        assert.deepEqual([state, why.test(error.detail)], ['failed', true], error.detail);
        assert.equal(summaries(await w.messages()).length, 0);
    }
});

test('a share of the context window is long enough, however few the messages are', async () => {
    const desk = await Desk.open(server, q => (q.summary ? 'Short of it.' : 'Yes.'));
    const w = await fresh(1000, [{ name: 'ada', model: desk.model }], { settings: { compactShare: 10 } });
    desk.window = 2000; // tokens, as the provider itself says
    await server.get(`/providers/${desk.model.split('/')[0]}/models`);
    await talk(w, 'ada', 'hello');
    await w.idle();
    assert.equal((await asked(w, 'ada', 'summary')).length, 0);
    const made = await summarised(w, () => talk(w, 'ada', 'some words '.repeat(400)));
    assert.equal(made.covers, 4);
});

test('the tokens of a context are those of all that would be sent: prompt, files, tools and messages', async () => {
    const sent = [];
    const desk = await Desk.open(server, q => { sent.push(q.body); return 'Yes.'; });
    const w = await fresh(1000, [{ name: 'ada', model: desk.model, systemPrompt: 'Be brief. '.repeat(2000) }]);
    fs.mkdirSync(path.join(server.store.data, 'files'), { recursive: true });
    fs.writeFileSync(path.join(server.store.data, 'files', 'long.txt'), 'a line of a long file\n'.repeat(5000));
    await server.ask('PUT', `${w.chatPath}/context-files`, { files: [{ path: 'long.txt' }] }, 200);
    await w.say('hello');
    await w.idle();
    const size = Buffer.byteLength(JSON.stringify(sent[0])) / 4;
    assert.ok(sent[0].tools.length > 3 && size > 30000, `${size}`);
    const seen = await server.get(`${w.chatPath}/context?agent=ada`), told = `${seen.tokens} tokens, ${size} sent`;
    assert.ok(seen.tokens > size * 0.9 && seen.tokens < size * 1.1, told);
    assert.ok(seen.fixedTokens > 30000 && seen.tokens - seen.fixedTokens < 100, told);
    const room = await server.get(`${w.chatPath}/context`);
    assert.ok(room.fixedTokens > 20000 && room.fixedTokens < seen.fixedTokens, `${room.fixedTokens}: the files are sent to everybody`);
    for (const place of [server.store.args, ['--server', server.url]]) {
        const cli = await run(['context', '--agent', 'ada', ...place, '-w', w.name, '-c', w.chat]);
        assert.match(cli.err, new RegExp(`about ${seen.tokens} tokens \\(prompt ${seen.parts.prompt}, files ${seen.parts.files}, tools ${seen.parts.tools}, messages \\d+\\)`));
    }
});

test('what is sent besides the messages counts against the window, but is not summarised away', async () => {
    let summaries = 0;
    const desk = await Desk.open(server, q => (q.summary ? (summaries++, 'Short of it.') : 'Yes.'));
    const w = await fresh(1000, [{ name: 'ada', model: desk.model, systemPrompt: 'Be brief. '.repeat(3000) }], { settings: { compactShare: 62 } });
    desk.window = 16000; // of which the prompt takes 7500, and the tools some; a quarter is kept for the answer
    await server.get(`/providers/${desk.model.split('/')[0]}/models`);
    for (const text of ['hello', 'hello again']) await talk(w, 'ada', text);
    assert.equal(summaries, 0);
    const made = await summarised(w, () => talk(w, 'ada', 'some words '.repeat(700))); // 1900 tokens
    assert.equal(made.covers, 6);
    for (const text of ['and now?', 'and then?']) await talk(w, 'ada', text); // the second sees what the first began
    assert.equal(summaries, 1, 'a short rest is left alone');
});

// Ollama's list of models says nothing of windows; it is asked for each model.
async function openOllama() {
    const shows = { small: { model_info: { 'general.architecture': 'llama', 'llama.context_length': 2000 } },
        set: { parameters: 'stop    "<end>"\nnum_ctx                        2000', model_info: { 'llama.context_length': 131072 } },
        large: { model_info: { 'llama.context_length': 131072 } } };
    const seen = [];
    const ollama = http.createServer((req, res) => {
        const parts = [];
        req.on('data', b => parts.push(b));
        req.on('end', () => {
            const { model } = parts.length ? JSON.parse(Buffer.concat(parts)) : {};
            seen.push([req.url, model].join(' ').trim());
            const answer = { '/api/show': shows[model], '/api/version': { version: '0.9.0' }, '/api/tags': { models: Object.keys(shows).map(name => ({ name, model: name })) },
                '/api/chat': { model, message: { role: 'assistant', content: 'Yes.' }, done: true, done_reason: 'stop', prompt_eval_count: 5, eval_count: 1 } }[req.url];
            res.writeHead(answer ? 200 : 404, { 'content-type': req.url === '/api/chat' ? 'application/x-ndjson' : 'application/json' });
            res.end(`${JSON.stringify(answer ?? { error: 'not found' })}\n`);
        });
    });
    await new Promise(resolve => ollama.listen(0, '127.0.0.1', resolve));
    finally_(() => new Promise(resolve => {
        ollama.closeAllConnections?.();
        ollama.close(resolve);
    }));
    await server.post('/providers', { name: 'cellar', type: 'ollama', baseUrl: `http://127.0.0.1:${ollama.address().port}` });
    return seen;
}

test('a model of Ollama is asked once how much it can read, and its share of that is long enough', async () => {
    const seen = await openOllama();
    for (const model of ['small', 'set', 'large']) {
        const w = await fresh(1000, [{ name: 'ada', model: `cellar/${model}` }], { settings: { compactShare: 50 } });
        await talk(w, 'ada', 'hello');
        await talk(w, 'ada', 'hello again');
        assert.equal((await asked(w, 'ada', 'summary')).length, 0);
        const much = () => talk(w, 'ada', 'some words '.repeat(400));
        if (model === 'large') {
            await much();
            await talk(w, 'ada', 'and now?');
            assert.equal((await asked(w, 'ada', 'summary')).length, 0, 'a small share of its window');
        } else {
            assert.equal((await summarised(w, much)).covers, 6);
        }
        assert.equal(seen.filter(s => s === `/api/show ${model}`).length, 1, seen.join(', '));
    }
});

// --- Answers that are none ---------------------------------------------------------------------------------

// What a model gives instead of a text, and what is said of it.
const flaws = [
    ['cut off', q => q.cut('The first half of'), /was cut off/],
    ['a call of a tool after words', q => q.answer('Let me look that up.', [{ id: 'c1', name: 'demo_lookup' }]), /called a tool instead of writing/],
    ['a call of a tool alone', q => q.answer('', [{ id: 'c1', name: 'demo_lookup' }]), /called a tool instead of writing/],
];

// A world whose agent answers well, and has its summaries and squashes written so.
async function flawed(give, compactAt) {
    const desk = await Desk.open(server, q => {
        if (!q.summary && !q.system.startsWith('You merge messages')) return 'Yes.';
        give(q);
        return null;
    });
    return fresh(compactAt, [{ name: 'ada', model: desk.model }]);
}

for (const [name, give, why] of flaws) {
    test(`a summary that is ${name} is refused, and the context stays as it was`, async () => {
        const w = await flawed(give, 1000);
        for (const text of ['one', 'two']) await work(w, 'ada', text);
        const chat = await own(w, 'ada'), before = await context(w, 'ada');
        const job = await ended(server, await server.post(`${w.path}/chats/${chat.id}/compactions`, { agent: 'ada' }, 202));
        assert.equal(job.state, 'failed', JSON.stringify(job));
        assert.match(job.error.detail, why);
        assert.deepEqual(await context(w, 'ada'), before);
    });

    test(`a squash that is ${name} is refused, and the messages stay`, async () => {
        const w = await flawed(give, 1000), ids = [];
        for (const text of ['one', 'two']) ids.push((await w.say(text, { instructions: [{ type: 'ReadOnly' }] })).messageId);
        for (const dryRun of [true, false]) {
            const job = await ended(server, await server.post(`${w.chatPath}/squashes`, { sourceMessageIds: ids, prompt: 'Merge them.', dryRun }, 202));
            assert.equal(job.state, 'failed', JSON.stringify(job));
            assert.match(job.error.detail, why);
        }
        assert.deepEqual((await w.messages()).map(m => m.messageId), ids);
    });
}

test('a summary that a long context asks for is refused so too, and the work goes on', async () => {
    const w = await flawed(flaws[0][1], 4);
    for (const text of ['one', 'two']) assert.equal((await work(w, 'ada', text)).status, 'completed');
    const why = await eventually('a summary that was asked for and refused', async () => (await asked(w, 'ada', 'summary'))[0]?.error);
    assert.match(why, flaws[0][2], 'why is kept with what was sent');
    assert.equal((await work(w, 'ada', 'three')).status, 'completed');
    assert.deepEqual(summaries(await rows(w, 'ada')), []);
});

await finish();
