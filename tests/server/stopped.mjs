// stopped.mjs: answers that were stopped, and asking again: what is known of them, by everybody and for ever; and that
// one agent alone can be asked to answer a message once more.
import fs from 'node:fs';
import path from 'node:path';
import { Server, assert, finish, folder, limit, run, test } from './lib.mjs';
import { Desk, watch } from './desk.mjs';
import { sql } from './sabotage.mjs';

const server = await Server.start();
const desk = await Desk.open(server);
const WORDS = 'Once upon a time';
let number = 0;

const fresh = (agents = ['ada', 'bo']) =>
    server.world(`stopped${++number}`, agents.map(name => ({ name, model: desk.model })));
async function told(w, ...args) {
    const out = await run([...args, '-w', w.name, ...server.store.args]);
    assert.equal(out.code, 0, out.err);
    return out.out;
}
// Says it, and stops its answer when the first words of it have come; gives the message and what is left of the answer.
async function stopped(w, content = '@ada tell me a tale') {
    const stream = await watch(w);
    const said = await w.say(content);
    const question = await desk.next();
    question.begin(WORDS);
    await stream.event('agent.state', e => e.state === 'writing');
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    const { data } = (await stream.event('message.completed')).body;
    await question.gone;
    await w.idle();
    stream.close();
    return { said, half: data };
}
// The messages of the world as they come out of an archive, and out of lines, in another store; gives the file of lines.
async function copies(w, look) {
    const files = ['skein', 'jsonl'].map(format => [format, path.join(folder, `${w.name}.${format}`)]);
    for (const [format, file] of files) {
        await told(w, 'export', '-f', format, '-o', file);
        const other = await Server.start(), name = 'copied';
        const out = await run(['import', file, '--as', name, ...other.store.args]);
        assert.equal(out.code, 0, out.err);
        const [chat] = (await other.get(`/worlds/${name}/chats`)).data;
        look((await other.get(`/worlds/${name}/chats/${chat.id}/messages`)).data, file);
        await other.stop();
    }
    return files[1][1];
}

const texts = list => list.map(m => [m.sender, m.content, m.stopped]);

test('that an answer was stopped is told with it, and known of it ever after', async () => {
    const w = await fresh(), { said, half } = await stopped(w);
    assert.deepEqual([half.content, half.finishReason, half.stopped], [WORDS, 'stopped', true]);
    await w.say('@ada go on');
    (await desk.next()).answer('The end.');
    await w.idle();
    const all = await w.messages();
    assert.deepEqual(texts(all), [
        ['human', '@ada tell me a tale', false],
        ['ada', WORDS, true],
        ['human', '@ada go on', false],
        ['ada', 'The end.', false],
    ]);
    assert.equal((await server.get(`${w.path}/messages/${half.messageId}?chatId=${w.chat}`)).stopped, true);
    const nodes = (await server.get(`${w.chatPath}/tree`)).data.flatMap(n => [n, ...(n.replies ?? [])]);
    assert.deepEqual(nodes.filter(n => n.stopped).map(n => n.messageId), [half.messageId]);
    const { items } = await server.get(`${w.chatPath}/timeline`);
    assert.deepEqual(items.filter(i => i.stopped).map(i => i.messageId), [half.messageId]);
    assert.equal(said.stopped, false);
});

test('the commands mark an answer that was stopped, and no other', async () => {
    const w = await fresh(), { half } = await stopped(w);
    await w.say('@ada go on');
    (await desk.next()).answer('The end.');
    await w.idle();
    for (const words of [['log'], ['log', '--oneline'], ['tree'], ['timeline'], ['export', '-f', 'md']]) {
        const lines = (await told(w, ...words)).split('\n').filter(l => /[([]stopped[)\]]/.test(l));
        assert.equal(lines.length, 1, `${words.join(' ')}: ${lines.join('\n')}`);
    }
    assert.match(await told(w, 'show', half.messageId), /\(stopped\)/);
    assert.equal(JSON.parse(await told(w, 'show', half.messageId, '--json')).stopped, true);
});

test('it goes with the message: into an archive and out of it, into lines and out of them; an edit has it no more', async () => {
    const w = await fresh(), { half } = await stopped(w), before = texts(await w.messages());
    const lines = await copies(w, (got, file) => assert.deepEqual(texts(got), before, file));
    const copied = fs.readFileSync(lines, 'utf8').replaceAll(/"messageId":"[^"]*",/g, '').replaceAll(/"replyToMessageId":"[^"]*",/g, '');
    const chat = JSON.parse(await told(w, 'conv', 'new', '--title', 'copy', '--json')).id;
    const put = await run(['append', '-w', w.name, '-c', chat, ...server.store.args], { input: copied });
    assert.equal(put.code, 0, put.err);
    assert.deepEqual(texts((await server.get(`${w.path}/chats/${chat}/messages`)).data), before);
    await told(w, 'amend', half.messageId, '-c', w.chat, '-m', 'Once, and that was it.');
    assert.deepEqual((await w.messages()).map(m => m.stopped), [false, false]);
});

// --- Stopped before anything was answered -----------------------------------------------------------------------------

const stop = w => server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
const deliveries = async (w, id) => (await w.messages()).find(m => m.messageId === id).delivery;
const marks = 'ada was stopped before it answered, at ';

// Has ada begin with something; `until` gets the question to her model, and is done when she is to be stopped.
async function stoppedEarly(w, until) {
    const stream = await watch(w), said = await w.say('@ada tell me a tale');
    await until(await desk.next(), stream);
    await stop(w);
    await w.idle();
    const { body } = await stream.event('message.delivered', e => e.stoppedAt !== undefined);
    stream.close();
    assert.deepEqual([body.data.messageId, body.data.agent, body.data.state], [said.messageId, 'ada', 'inMemory']);
    return { said, at: body.data.stoppedAt };
}
// Where a tool waits until a person allows it.
const askingWorld = () => server.world(`stopped${++number}`, ['ada', 'bo'].map(name => ({ name, model: desk.model })),
    { settings: { approvals: { demo_lookup: 'ask' } } });
const call = (name, args) => [{ id: 'c1', name, args }];
const ways = {
    'before its first word': async () => {},
    'while it waits for a person to allow a tool': async (question, stream) => {
        question.answer('', call('demo_lookup', { query: 'tides' }));
        await stream.event('inbox.created', e => e.type === 'approval');
    },
    'while it waits for a delegation': async question => {
        question.answer('I let bo look.', call('delegate', { agent: 'bo', task: 'look', wait: true }));
        await desk.next();
    },
};

for (const [way, until] of Object.entries(ways))
    test(`an agent that is stopped ${way} is known not to have answered, until it has`, async () => {
        const w = await askingWorld();
        const { said, at } = await stoppedEarly(w, until);
        const own = (await deliveries(w, said.messageId)).find(d => d.agent === 'ada');
        assert.deepEqual(own, { agent: 'ada', state: 'inMemory', stoppedAt: at });
        const line = new RegExp(`^ +✕ @?${marks}\\S`, 'gm');
        for (const words of [['log'], ['log', '--oneline'], ['tree'], ['timeline'], ['show', said.messageId], ['agent', 'show', 'ada']])
            assert.equal((await told(w, ...words)).match(line)?.length, 1, words.join(' '));
        for (const words of [['log'], ['show', said.messageId]])
            assert.match(await told(w, ...words), new RegExp(`ask again: skein retry ${said.messageId} --agent ada`), words[0]);
        for (const where of [server.store.args, ['--server', server.url.href]])
            assert.match((await run(['status', ...where])).out, new RegExp(`world +${w.name}: .*\\n +answers with .*\\n +✕ @?${marks}`));
        await told(w, 'retry', said.messageId, '--agent', 'ada');
        (await desk.next()).answer('There was a tide.');
        await w.idle();
        for (const words of [['log'], ['tree'], ['timeline'], ['show', said.messageId]])
            assert.doesNotMatch(await told(w, ...words), /was stopped|ask again/, words.join(' '));
    });

// --- What who waits in a terminal is told -----------------------------------------------------------------------------

const places = { 'the store': server.store.args, 'a server': ['--server', server.url.href] };
// Runs a command that says something to ada, whose model's question goes to `then` once it has come.
async function waiting(w, args, then, options) {
    const stream = await watch(w), ended = run([...args, '-w', w.name], options);
    await then(await desk.next(), stream);
    const out = await ended;
    stream.close();
    return out;
}

for (const [way, until] of Object.entries(ways))
    test(`who waits for an agent that is stopped ${way} is told so, and how to ask again`, async () => {
        const tale = '@ada tell me a tale';
        const stopping = w => async (...at) => { await until(...at); await stop(w); };
        for (const [place, where] of Object.entries(places)) {
            const w = await askingWorld(), { code, out, err } = await waiting(w, ['send', tale, ...where], stopping(w));
            const id = (await w.messages())[0].messageId;
            assert.equal(code, 0, `${place}: ${err}`);
            assert.match(err, new RegExp(`^ada was stopped before it answered\\.\n  Ask again: skein retry ${id} --agent ada$`, 'm'), `${place}: ${out}`);
            assert.equal(err.split('was stopped').length, 2, `${place}: ${err}`);
            const other = await askingWorld();
            const chat = await waiting(other, ['chat', '-c', other.chat, ...where], stopping(other), { input: `${tale}\n` });
            assert.match(chat.out + chat.err, /^ada was stopped before it answered\.\n  Ask again: \/retry \S+ --agent ada$/m, `${place}: chat`);
        }
        const w = await askingWorld(), { out } = await waiting(w, ['send', '--json', tale, ...server.store.args], stopping(w));
        const told = out.trim().split('\n').map(line => JSON.parse(line)).filter(e => e.stoppedAt);
        assert.deepEqual(told.map(e => [e.event, e.agent, e.state]), [['message.delivered', 'ada', 'inMemory']], out);
    });

test('who waits for an answer is told that it ends before its end, and why', async () => {
    const marks = {
        'reached the length limit': question => question.cut(WORDS),
        'cut off': async (question, stream) => { question.begin(WORDS); await stream.words(); question.res.destroy(); },
    };
    for (const [mark, end] of Object.entries(marks))
        for (const [place, where] of Object.entries(places)) {
            const { out } = await waiting(await fresh(['ada']), ['send', '@ada tell me a tale', ...where], end);
            assert.match(out, new RegExp(`  ${WORDS}  \\(${mark}\\)\n`), place);
        }
    const { out } = await waiting(await fresh(['ada']), ['send', '@ada hello', ...server.store.args], question => question.answer('Hello.'));
    assert.match(out, /  Hello\.\n/);
});

test('what an agent said before a turn that failed is not an answer', async () => {
    const fails = async question => {
        question.answer('I look.', call('list_agents'));
        (await desk.next()).fail(400, 'out of order');
    };
    for (const [place, where] of Object.entries(places)) {
        const { code, out, err } = await waiting(await fresh(['ada']), ['send', '@ada look', ...where], fails);
        assert.match(out, /I look\./, place);
        assert.match(err, /^error: nobody could answer$/m, place);
        assert.equal(code, 6, place);
    }
    const partly = await waiting(await fresh(), ['send', 'look, both', ...server.store.args], async question => {
        question.answer('I look.', call('list_agents'));
        for (const next of [await desk.next(), await desk.next()])
            if (next.last.role === 'tool') next.fail(400, 'out of order');
            else next.answer('I have seen it.');
    });
    assert.equal(partly.code, 7, partly.err);
});

test('who had not begun is known to have been stopped, too; who fails and is then stopped was stopped', async () => {
    const w = await fresh(['ada']);
    await server.ask('PATCH', `${w.path}/agents/ada`, { paused: true });
    const first = await w.say('@ada are you there?');
    await stop(w);
    assert.ok((await deliveries(w, first.messageId))[0].stoppedAt);
    await server.ask('PATCH', `${w.path}/agents/ada`, { paused: false });
    const said = await w.say('@ada and now?');
    (await desk.next()).fail(400, 'out of order');
    await w.idle();
    assert.equal((await deliveries(w, said.messageId))[0].state, 'failed');
    const failed = (await server.get(`${w.chatPath}/messages?failed=true`)).data.map(m => m.messageId);
    assert.deepEqual(failed, [first.messageId, said.messageId]);
    await again(w, said.messageId, { agent: 'ada' });
    await desk.next();
    await stop(w);
    await w.idle();
    const [own] = await deliveries(w, said.messageId);
    assert.deepEqual([own.state, own.error, typeof own.stoppedAt], ['inMemory', undefined, 'string']);
    const log = await told(w, 'log');
    assert.equal(log.split(marks).length, 3, log);
    assert.doesNotMatch(log, /failed at/);
});

test('what became of answers is told by a server as it is by the store', async () => {
    const w = await fresh(), { said } = await stoppedEarly(w, async () => {});
    await w.say('@bo and you?');
    (await desk.next()).fail(400, 'out of order');
    await w.idle();
    for (const words of [['log'], ['show', said.messageId], ['tree'], ['timeline']]) {
        const far = await run([...words, '-w', w.name, '--server', server.url.href]);
        assert.equal(far.out.replaceAll(/ --server \S+/g, ''), await told(w, ...words), `${words[0]}: ${far.err}`);
    }
});

test('a server that is ended in the middle says so, and how to ask again, once', async () => {
    const ended = await Server.start(), own = await Desk.open(ended);
    const w = await ended.world('ended', [{ name: 'ada', model: own.model }]), stream = await watch(w);
    const said = await w.say('@ada tell me a tale');
    (await own.next()).begin(WORDS);
    await stream.words();
    stream.close();
    await ended.stop();
    const { out, err, code } = await run(['log', '-w', w.name, ...ended.store.args], { raw: true });
    assert.equal(code, 0, err);
    assert.match(out, /ada failed at .*: the server was ended in the middle of it\n/);
    assert.equal(out.match(/ask again: .*/g).length, 1, out);
    assert.match(out, new RegExp(`ask again: skein --d.* -w ${w.name} retry ${said.messageId} --agent ada\n`));
    // What is asked for while no server runs is asked as it was meant by the next one.
    const asked = await run(['retry', said.messageId, '--agent', 'ada', '--no-tools', '-w', w.name, ...ended.store.args]);
    assert.equal(asked.code, 0, asked.err);
    await ended.start();
    const question = await own.next();
    assert.equal(question.body.tools, undefined);
    question.answer('There was a tide.');
    await w.idle();
    assert.equal((await w.messages()).at(-1).content, 'There was a tide.');
});

// --- Asking again ---------------------------------------------------------------------------------------------------

const again = (w, id, body, status = 202, options = {}) =>
    server.ask('POST', `${w.path}/messages/${id}/retry`, { chatId: w.chat, ...body }, status, options);
const state = (m, agent) => m.delivery.find(d => d.agent === agent).state;

test('one agent answers again what it failed to answer, and nobody else is asked', async () => {
    const w = await fresh(), stream = await watch(w), said = await w.say('hello, both');
    (await desk.next()).fail(400, 'out of order');
    (await desk.next()).answer('hello');
    const failed = (await stream.event('message.failed')).body.data;
    assert.equal(failed.replyToMessageId, said.messageId);
    await w.idle();
    const from = stream.events.length, told = await again(w, said.messageId, { agent: failed.agent });
    assert.deepEqual([told.messageId, state(told, failed.agent)], [said.messageId, 'queued']);
    const delivered = await stream.event('message.delivered', e => e.state === 'queued', { from });
    assert.deepEqual([delivered.body.data.messageId, delivered.body.data.agent], [said.messageId, failed.agent]);
    assert.deepEqual((await stream.event('world.busy', undefined, { from })).body.data, { pending: 1, agents: [failed.agent] });
    const question = await desk.next();
    question.answer('Now I am here.');
    await w.idle();
    const all = await w.messages();
    assert.deepEqual(all.map(m => m.content), ['hello, both', 'hello', 'Now I am here.']);
    assert.deepEqual([all[2].sender, all[2].replyToMessageId], [failed.agent, said.messageId]);
    assert.deepEqual(all[0].delivery.map(d => d.state), ['answered', 'answered']);
    assert.equal(stream.events.slice(from).filter(e => e.event === 'message.started').length, 1);
    await stream.event('world.idle', undefined, { from });
    stream.close();
});

const NO_TOOLS = [
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools', /Choose a model that can use tools$/],
    [500, 'tools param requires --jinja flag', /Start llama-server with --jinja$/],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', /Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model$/],
];

test('a model that cannot use tools is asked again at once without any, and from then on, until its provider is changed', async () => {
    for (const [status, words, advice] of NO_TOOLS) {
        const w = await fresh(['ada', 'bo']), ada = () => server.get(`${w.path}/agents/ada`);
        assert.equal((await ada()).noTools, null);
        await w.say('@ada please');
        const first = await desk.next();
        assert.ok(first.body.tools.length > 0, words);
        first.fail(status, words);
        const bare = await desk.next();
        assert.deepEqual([bare.body.tools, bare.last.content], [undefined, first.last.content]);
        bare.answer('Without them, then.');
        await w.idle();
        assert.deepEqual((await w.messages()).map(m => m.content), ['@ada please', 'Without them, then.']);
        const { noTools } = await ada();
        assert.ok(noTools.includes(`says that the model cannot use tools (${status}): ${words}`), noTools);
        assert.match(noTools, advice);
        for (const where of Object.values(places)) assert.equal((await run(['agent', 'show', 'ada', '-w', w.name, ...where])).out.includes(`offered none: ${noTools}`), where.includes('--server'), where.join(' '));
        await w.say('@bo and you?'); // of the same model
        const next = await desk.next();
        assert.equal(next.body.tools, undefined);
        next.answer('Me too.');
        await w.idle();
        await server.ask('PATCH', `/providers/${desk.model.split('/')[0]}`, { timeoutMs: 60000 + status + words.length });
        assert.equal((await ada()).noTools, null);
        await w.say('@ada once more');
        const again = await desk.next();
        assert.ok(again.body.tools.length > 0, 'offered again');
        again.answer('With them.');
        await w.idle();
    }
});

test('an agent is asked again without tools for this once', async () => {
    for (const [place, where] of Object.entries({ ...places, 'the API': null })) {
        const w = await fresh(['ada']), said = await w.say('@ada please');
        (await desk.next()).fail(400, 'this is too much for me');
        await w.idle();
        if (where) {
            const out = await run(['retry', said.messageId, '--agent', 'ada', '--no-tools', '-w', w.name, ...where]);
            assert.equal(out.code, 0, out.err);
        } else await again(w, said.messageId, { agent: 'ada', tools: false });
        const bare = await desk.next();
        assert.equal(bare.body.tools, undefined, place);
        bare.answer('Without them, then.');
        await w.idle();
        await again(w, said.messageId, { agent: 'ada' });
        const next = await desk.next();
        assert.ok(next.body.tools.length > 0, 'the next answer has its tools again');
        next.answer('Once more.');
        await w.idle();
    }
});

test('after a stop the same is asked again: what was written stays, and the commands say how', async () => {
    const w = await fresh(), { said } = await stopped(w);
    const line = new RegExp(`ask again: skein retry ${said.messageId} --agent ada\\n`);
    assert.match(await told(w, 'log'), line);
    const out = await told(w, 'retry', said.messageId, '--agent', 'ada');
    assert.equal(out, `ada answers ${said.messageId} again.\n`);
    (await desk.next()).answer('Once upon a time there was a tide.');
    await w.idle();
    assert.deepEqual(texts(await w.messages()).slice(1), [['ada', WORDS, true], ['ada', 'Once upon a time there was a tide.', false]]);
    assert.doesNotMatch(await told(w, 'log'), /ask again/);
});

test('the model is told which message it is asked again for, when others were said since', async () => {
    const w = await fresh(['ada']), { said } = await stopped(w, '@ada tell me\na [tall] tale');
    await w.say('@ada what is the time?');
    (await desk.next()).answer('Noon.');
    await w.idle();
    await again(w, said.messageId, { agent: 'ada' });
    const question = await desk.next();
    const line = '[answer this message now, it is asked again: human: @ada tell me a  tall  tale]';
    assert.deepEqual([question.last.role, question.last.content], ['user', line]);
    question.answer('I look.', [{ id: 'c1', name: 'list_agents' }]);
    const next = await desk.next();
    assert.deepEqual(next.messages.slice(-3).map(m => m.role), ['user', 'assistant', 'tool']);
    assert.equal(next.messages.at(-3).content, line);
    next.answer('There was a tide.');
    await w.idle();
    const answer = (await w.messages()).at(-1);
    assert.deepEqual([answer.content, answer.replyToMessageId], ['There was a tide.', said.messageId]);
    await w.say('@ada and now?');
    const later = await desk.next();
    assert.ok(!JSON.stringify(later.messages).includes('asked again'), 'it is said once');
    later.answer('Later.');
    await w.idle();
});

test('who has not heard it, said it, or is not there is refused; so is what is not said here', async () => {
    const w = await fresh(['ada']), said = await w.say('@ada hello');
    (await desk.next()).answer('hello');
    await w.idle();
    await server.post(`${w.path}/agents`, { name: 'late', model: desk.model }, 201);
    const [, answer] = await w.messages();
    assert.match((await again(w, said.messageId, { agent: 'late' }, 409)).detail, /late has not heard/);
    assert.match((await again(w, answer.messageId, { agent: 'ada' }, 409)).detail, /ada said .* itself/);
    assert.match((await again(w, said.messageId, { agent: 'nobody' }, 404)).detail, /nobody/);
    assert.match((await again(w, said.messageId, {}, 400)).detail, /agent/);
    await again(w, 'nothing', { agent: 'ada' }, 404);
    await w.server.ask('DELETE', `${w.path}/messages/${said.messageId}`, { chatId: w.chat });
    assert.match((await again(w, said.messageId, { agent: 'ada' }, 409)).detail, /not in the main lane of this version/);
    for (const [words, expected] of [
        [['retry', said.messageId], /name the agent[^]*--agent NAME/],
        [['retry', 'main.1', '--agent', 'ada'], /goes with a message/],
    ]) {
        const out = await run([...words, '-w', w.name, ...server.store.args]);
        assert.equal(out.code, 2, out.err);
        assert.match(out.err, expected);
    }
});

test('while an answer is awaited nobody is asked again; and one key asks once', async () => {
    const w = await fresh(), { said } = await stopped(w), stream = await watch(w), from = stream.events.length;
    const headers = { 'idempotency-key': `again-${w.name}` };
    await again(w, said.messageId, { agent: 'ada' }, 202, { headers });
    const question = await desk.next();
    const refused = await again(w, said.messageId, { agent: 'ada' }, 423);
    assert.match(refused.detail, /Cannot ask again while agents are responding/);
    await again(w, said.messageId, { agent: 'bo' }, 423);
    await again(w, said.messageId, { agent: 'ada' }, 202, { headers });
    question.answer('The whole tale.');
    await w.idle();
    await again(w, said.messageId, { agent: 'ada' }, 202, { headers });
    await w.idle();
    assert.deepEqual((await w.messages()).map(m => m.content), ['@ada tell me a tale', WORDS, 'The whole tale.']);
    assert.equal(stream.events.slice(from).filter(e => e.event === 'message.started').length, 1);
    stream.close();
});

test('in a conversation of its own an agent is asked again, too', async () => {
    const w = await fresh(['ada']), stream = await watch(w);
    const said = await server.post(`${w.path}/messages`, { content: 'only you', agent: 'ada' }, 202);
    (await desk.next()).fail(400, 'out of order');
    await stream.event('message.failed');
    await w.idle();
    stream.close();
    await again(w, said.messageId, { agent: 'ada', chatId: said.chatId });
    (await desk.next()).answer('Here I am.');
    await w.idle();
    const { data } = await server.get(`${w.path}/chats/${said.chatId}/messages`);
    assert.deepEqual(data.map(m => m.content), ['only you', 'Here I am.']);
});

// --- Another answer ---------------------------------------------------------------------------------------------------

const another = (w, id, body = {}, status = 200, options = {}) =>
    server.ask('POST', `${w.path}/messages/${id}/alternatives`, { chatId: w.chat, ...body }, status, options);
const contents = list => list.map(m => m.content);

// What is said is answered so; gives the messages.
async function exchange(w, ...pairs) {
    for (const [said, answer] of pairs) {
        await w.say(said);
        (await desk.next()).answer(answer);
        await w.idle();
    }
    return w.messages();
}

test('another answer takes the place of the old one, which stays in its version with what followed, and can be chosen', async () => {
    const w = await fresh(), [said, iris] = await exchange(w, ['@ada name a flower', 'Iris'], ['@ada thanks', 'Welcome']);
    assert.deepEqual(iris.alternatives, []);
    const would = await another(w, iris.messageId, { dryRun: true });
    assert.deepEqual([would.messagesRemovedTotal, would.version], [3, null]);
    const stream = await watch(w), from = stream.events.length;
    const asked = await another(w, iris.messageId, { model: desk.model });
    assert.deepEqual([asked.messagesRemovedTotal, asked.removedByAgent, asked.answersMessageId, asked.cause, asked.newMessageId, asked.version, asked.previousVersion],
        [3, { ada: 3, bo: 3 }, said.messageId, said.messageId, null, 'v2', 'v1']);
    assert.match((await another(w, iris.messageId, {}, 404)).detail, /the current version has no message/);
    const question = await desk.next();
    assert.equal(question.last.content, '@ada name a flower');
    assert.doesNotMatch(JSON.stringify(question.messages), /Iris|thanks|asked again/);
    question.answer('Lily');
    const { data } = (await stream.event('message.completed', undefined, { from })).body;
    assert.equal(data.replyToMessageId, said.messageId);
    await w.idle();
    stream.close();
    const now = await w.messages(), lily = now.at(-1);
    assert.deepEqual(contents(now), ['@ada name a flower', 'Lily']);
    assert.deepEqual(lily.alternatives, [iris.messageId, lily.messageId]);
    const list = await server.get(`${w.path}/messages/${lily.messageId}/alternatives?chatId=${w.chat}`);
    assert.deepEqual(list.data.map(m => [m.content, m.versions]), [['Iris', [1]], ['Lily', [2]]]);
    const [thread] = (await server.get(`${w.chatPath}/threads`)).data;
    assert.deepEqual([thread.operation, thread.note], ['retry', `retry ${iris.messageId}`]);
    // What the model sees is the chosen one alone.
    await exchange(w, ['@ada and a tree?', 'Oak']);
    assert.match(JSON.stringify(await server.get(`${w.chatPath}/context?agent=ada`)), /Lily.*Oak/);
    const moved = await w.travel({ messageId: iris.messageId });
    assert.deepEqual([moved.version, moved.previousVersion], ['v1', 'v2']);
    const back = await w.messages();
    assert.deepEqual(contents(back), ['@ada name a flower', 'Iris', '@ada thanks', 'Welcome']);
    assert.deepEqual(back[1].alternatives, [iris.messageId, lily.messageId]);
    assert.doesNotMatch(JSON.stringify(await server.get(`${w.chatPath}/context?agent=ada`)), /Lily|Oak/);
    await w.travel('undo');
    assert.deepEqual(contents(await w.messages()), ['@ada name a flower', 'Lily', '@ada and a tree?', 'Oak']);
    await w.travel('undo');
    assert.deepEqual(contents(await w.messages()), ['@ada name a flower', 'Iris', '@ada thanks', 'Welcome']);
});

test('another model is asked once, and again the one that was asked first', async () => {
    const other = await Desk.open(server), w = await fresh(['ada']), [said, iris] = await exchange(w, ['@ada name a flower', 'Iris']);
    await another(w, iris.messageId, { model: other.model, maxTokens: 77, tools: false });
    const question = await other.next();
    assert.deepEqual([question.body.max_tokens ?? question.body.max_completion_tokens, question.body.tools], [77, undefined]);
    question.answer('Lily');
    await w.idle();
    const lily = (await w.messages())[1];
    assert.equal(lily.model, other.model);
    await another(w, lily.messageId);
    (await desk.next()).answer('Rose');
    await w.idle();
    await again(w, said.messageId, { agent: 'ada', model: other.model });
    (await other.next()).answer('Tulip');
    await w.idle();
    await again(w, said.messageId, { agent: 'ada' });
    (await desk.next()).answer('Daisy');
    await w.idle();
    assert.deepEqual(contents(await w.messages()), ['@ada name a flower', 'Rose', 'Tulip', 'Daisy']);
});

test('an answer with tool calls is replaced whole, and named by its last message', async () => {
    const w = await fresh(['ada']);
    await w.say('who is here?');
    (await desk.next()).answer('I look.', [{ id: 'c1', name: 'list_agents' }]);
    (await desk.next()).answer('Only me.');
    await w.idle();
    const first = await w.messages();
    assert.equal(first.length, 4);
    for (const place of [1, 3]) {
        await another(w, (await w.messages())[place].messageId);
        const question = await desk.next();
        assert.deepEqual(question.messages.map(m => m.role), ['user']);
        question.answer('I look again.', [{ id: 'c1', name: 'list_agents' }]);
        (await desk.next()).answer(`Nobody else: ${place}`);
        await w.idle();
    }
    const now = await w.messages();
    assert.deepEqual(now.map(m => m.alternatives.length), [0, 0, 0, 3]);
    assert.equal(now[3].alternatives[0], first[3].messageId);
    assert.equal((await another(w, now[2].messageId, {}, 409)).detail.includes('is no answer of an agent'), true);
});

test('two answers in one version are no alternatives of each other, and those who answered before stay', async () => {
    const w = await fresh();
    await w.say('hello, both');
    for (const text of ['one', 'two']) (await desk.next()).answer(text);
    await w.idle();
    const [said, one, two] = await w.messages();
    await another(w, two.messageId);
    const question = await desk.next();
    assert.match(JSON.stringify(question.messages), new RegExp(one.content));
    question.answer('three');
    await w.idle();
    await again(w, said.messageId, { agent: two.sender });
    (await desk.next()).answer('four');
    await w.idle();
    const now = await w.messages();
    assert.deepEqual(contents(now), ['hello, both', one.content, 'three', 'four']);
    assert.deepEqual(now.map(m => m.alternatives.length), [0, 0, 2, 2]);
    assert.deepEqual(now[3].alternatives, [two.messageId, now[3].messageId]);
});

test('one key asks once; with force a turn is ended first; what has no answer to give is refused', async () => {
    const w = await fresh(['ada']), [said, first] = await exchange(w, ['@ada name a flower', 'Iris']);
    const headers = { 'idempotency-key': `another-${w.name}` };
    await another(w, first.messageId, {}, 200, { headers });
    const slow = await desk.next();
    const repeated = await another(w, first.messageId, {}, 200, { headers });
    assert.deepEqual([repeated.version, repeated.answersMessageId], ['v2', said.messageId]);
    slow.answer('Lily');
    await w.idle();
    assert.deepEqual(contents(await w.messages()), ['@ada name a flower', 'Lily']);
    const [, lily] = await w.messages();
    await w.say('@ada go on');
    const going = await desk.next();
    assert.match((await another(w, lily.messageId, {}, 423)).detail, /Cannot ask again while agents are responding/);
    await another(w, lily.messageId, { force: true });
    await going.gone;
    (await desk.next()).answer('Rose');
    await w.idle();
    assert.deepEqual(contents(await w.messages()), ['@ada name a flower', 'Rose']);
    assert.equal((await w.messages())[1].alternatives.length, 3);
    assert.match((await another(w, said.messageId, {}, 409)).detail, /is no answer of an agent/);
    assert.match((await another(w, first.messageId, {}, 404)).detail, /the current version has no message/);
    assert.match((await w.travel({ messageId: 'nothing' }, 404)).detail, /nothing/);
    await another(w, (await w.messages())[1].messageId, { maxTokens: 0 }, 400);
});

test('the commands ask for another answer, name the alternatives and choose one, near and far', async () => {
    for (const where of Object.values(places)) {
        const w = await fresh(['ada']), [said, iris] = await exchange(w, ['@ada name a flower', 'Iris'], ['@ada thanks', 'Welcome']);
        const cli = async (...words) => {
            const out = await run([...words, '-w', w.name, ...where]);
            assert.equal(out.code, 0, out.err);
            return out.out;
        };
        assert.match(await cli('retry', iris.messageId, '-n'), /Would ask for another answer: 3 messages would leave/);
        const asked = cli('retry', iris.messageId, '--model', desk.model);
        (await desk.next()).answer('Lily');
        assert.match(await asked, new RegExp(`^ada answers ${said.messageId} again\\. Now at v2; the old answer and what followed it is in v1\\. Back to it with "skein undo"\\.\n[^]*Lily`));
        const lily = (await w.messages())[1];
        assert.match(await cli('show', lily.messageId), new RegExp(`answer 2 of 2: ${iris.messageId} ${lily.messageId}; make another one current with "skein switch ${iris.messageId}"`));
        assert.match(await cli('switch', iris.messageId), /^Now at v1 \(was v2\)/);
        assert.deepEqual(contents(await w.messages()), ['@ada name a flower', 'Iris', '@ada thanks', 'Welcome']);
    }
});

// --- Answers that end by themselves before their end ------------------------------------------------------------------

// Says it, and has the model's stream end in this way when its first words are on the screen.
async function broken(w, end, content = '@ada tell me a tale') {
    const stream = await watch(w), said = await w.say(content);
    const question = await desk.next();
    question.begin(WORDS);
    await stream.words();
    end(question);
    const { data } = (await stream.event('message.failed')).body;
    await w.idle();
    const completed = stream.of('message.completed');
    stream.close();
    return { said, failed: data, completed };
}
const ends = {
    'is cut': q => q.res.destroy(),
    'ends without an end': q => q.res.end(),
    'turns malformed': q => q.res.end('data: {"choices": [\n\n'),
    'tells of an error': q => q.res.end('data: {"error": {"message": "out of memory"}}\n\n'),
};
for (const [what, end] of Object.entries(ends))
    test(`the words of a stream that ${what} are kept, and that it failed is told as ever`, async () => {
        const w = await fresh(), { said, failed, completed } = await broken(w, end);
        assert.equal(completed.length, 1);
        const [half] = completed;
        assert.deepEqual([half.messageId, half.content, half.finishReason, half.stopped, half.unfinished],
            [failed.messageId, WORDS, 'cut', false, 'cut']);
        assert.deepEqual([failed.finishReason, failed.replyToMessageId, failed.agent], ['error', said.messageId, 'ada']);
        const [question, answer, ...more] = await w.messages();
        assert.deepEqual([answer.content, answer.unfinished, answer.replyToMessageId, more.length], [WORDS, 'cut', said.messageId, 0]);
        assert.equal(state(question, 'ada'), 'failed');
        const call = await server.get(`${w.path}/messages/${answer.messageId}/context?chatId=${w.chat}`);
        assert.notEqual(call.state, 'answered');
        await again(w, said.messageId, { agent: 'ada' });
        const retried = await desk.next();
        assert.equal(retried.messages.at(-1).role, 'user', JSON.stringify(retried.messages));
        retried.answer('Once upon a time there was a tide.');
        await w.idle();
        assert.deepEqual(texts(await w.messages()).slice(1), [['ada', WORDS, false], ['ada', 'Once upon a time there was a tide.', false]]);
    });

test('of calls that a cut answer had begun nothing is left: what it said is a prompt like any other', async () => {
    const w = await fresh(['ada']);
    await broken(w, q => {
        q.res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'list_agents', arguments: '{"a' } }] } }] })}\n\n`);
        q.res.destroy();
    });
    assert.deepEqual((await w.messages()).map(m => m.toolCalls), [[], []]);
    await w.say('@ada go on');
    const next = await desk.next();
    assert.deepEqual(next.messages.map(m => [m.role, m.tool_calls]), [['user', undefined], ['assistant', undefined], ['user', undefined]]);
    assert.match(next.messages[1].content, new RegExp(WORDS));
    next.answer('The end.');
    await w.idle();
});

test('an answer that reached its length limit says so, has answered all the same, and can be asked for again', async () => {
    const w = await fresh(), stream = await watch(w), said = await w.say('@ada tell me a tale');
    (await desk.next()).cut(WORDS);
    const { data } = (await stream.event('message.completed')).body;
    await w.idle();
    assert.deepEqual([data.finishReason, data.unfinished, data.stopped], ['length', 'length', false]);
    assert.deepEqual(stream.of('message.failed'), []);
    stream.close();
    const [question, answer] = await w.messages();
    assert.deepEqual([answer.content, answer.unfinished, state(question, 'ada')], [WORDS, 'length', 'answered']);
    assert.equal(await told(w, 'retry', said.messageId, '--agent', 'ada'), `ada answers ${said.messageId} again.\n`);
    (await desk.next()).answer('The end.');
    await w.idle();
});

// How the model answers, and what is stored of it: its text, why it has no end, its thinking, and what it is sent back.
const silent = {
    'only thinks': [q => { q.think('hm, hm'); q.usage(10, 4096); q.answer(''); }, ['', 'thinking', 'hm, hm'], null],
    'only thinks, in tags that are not closed': [q => { q.begin('<think>hm,'); q.answer(' hm'); }, ['', 'thinking', 'hm, hm'], null],
    'thinks until its limit': [q => { q.think('hm, hm'); q.cut(''); }, ['', 'thinking', 'hm, hm'], null],
    'thinks and writes blanks': [q => { q.think('hm'); q.answer(' \n'); }, ['', 'thinking', 'hm'], null],
    'writes only blanks': [q => q.answer(' \n'), [' \n', 'blank', null], null],
    'thinks in its text': [q => { for (const part of ['\n<th', 'ink>Let me', ' see</thi', 'nk>\n', '\nFour.']) q.begin(part); q.answer(''); }, ['Four.', null, 'Let me see'], 'Four.'],
};
for (const [way, [answer, stored, back]] of Object.entries(silent))
    test(`nothing of an answer vanishes: a model that ${way}`, async () => {
        const w = await fresh(), stream = await watch(w);
        await w.say('@ada two and two?');
        answer(await desk.next());
        const { data } = (await stream.event('message.completed')).body;
        await w.idle();
        assert.deepEqual([data.content, data.unfinished, data.thinking], stored);
        assert.deepEqual(stream.of('message.failed'), []);
        stream.close();
        const [question, message] = await w.messages();
        assert.deepEqual([message.content, message.unfinished, message.thinking, state(question, 'ada')], [...stored, 'answered']);
        await w.say('@ada and three and three?');
        const next = await desk.next();
        assert.deepEqual(next.messages.filter(m => m.role === 'assistant').map(m => m.content), back ? [back] : []);
        assert.doesNotMatch(JSON.stringify(next.body.messages), /hm|Let me/);
        next.answer('Six.');
        await w.idle();
    });

const loop = 'I see. Let me look at it once more, from the begin: what was asked, what is known of it, and what is still to be found out, step by step, and in the order of the question. ';
for (const [part, write] of [['content', (q, text) => q.begin(text)], ['thinking', (q, text) => q.think(text)]])
    test(`a model that repeats itself in its ${part} is stopped, and that is said`, async () => {
        const w = await fresh();
        const { out, err } = await waiting(w, ['send', '@ada tell me a tale', ...server.store.args], async question => {
            write(question, 'A tale. ');
            for (let i = 0; i < 20; i++) write(question, loop);
            await question.gone;
        });
        const kept = (await w.messages()).at(-1);
        assert.deepEqual([kept.unfinished, kept[part].startsWith(`A tale. ${loop}`), kept[part].length < 20 * loop.length], ['repeated', true, true]);
        assert.match(out, /\(repeated itself\)/);
        assert.match(err, /Continue: skein send "@ada please continue"/);
        assert.equal((await w.messages())[0].delivery.find(d => d.agent === 'ada').state, 'answered');
    });

for (const [why, piece, most] of [['repeated', loop, null], ['length', 'some words that differ', 40]])
    test(`what a model writes into a call has an end, too: ${why}`, async () => {
        const w = await fresh();
        await w.say('@ada recall it', most ? { maxTokens: most } : {});
        const question = await desk.next();
        question.begin('I look.');
        question.argue('{"query":"');
        for (let i = 0; i < 20; i++) question.argue(most ? `${piece} ${i}` : piece);
        await question.gone;
        await w.idle();
        const kept = (await w.messages()).at(-1);
        assert.deepEqual([kept.content, kept.unfinished, kept.toolCalls], ['I look.', why, []]);
    });

test('a call with nothing before it is stopped as well, and that is a message', async () => {
    const w = await fresh();
    await w.say('@ada recall it');
    const question = await desk.next();
    for (let i = 0; i < 20; i++) question.argue(loop);
    await question.gone;
    await w.idle();
    const kept = (await w.messages()).at(-1);
    assert.deepEqual([kept.role, kept.content, kept.unfinished], ['assistant', '', 'repeated']);
    await w.say('@ada and now?');
    const next = await desk.next();
    assert.deepEqual(next.messages.map(m => m.role), ['user'], 'no model is sent an empty message');
    next.answer('Yes.');
    await w.idle();
});

test('what only looks alike is no loop: a table, a bar of dashes', async () => {
    const w = await fresh(), rows = Array.from({ length: 200 }, (_, i) => `| ${i} | the value of row ${i} | ok |\n`).join('');
    const text = `${rows}${'-'.repeat(900)}\nThe end.`;
    await w.say('@ada make a table');
    const question = await desk.next();
    for (let i = 0; i < text.length; i += 700) question.begin(text.slice(i, i + 700));
    question.answer('');
    await w.idle();
    const kept = (await w.messages()).at(-1);
    assert.deepEqual([kept.content, kept.unfinished], [text, null]);
});

test('send says how long the answers may be', async () => {
    const w = await fresh();
    await waiting(w, ['send', '--max-tokens', '30', '@ada how long?', ...server.store.args], async question => {
        assert.equal(question.body.max_tokens, 30);
        question.answer('Short.');
    });
    const wrong = await run(['send', '--max-tokens', '0', '@ada how long?', '-w', w.name, ...server.store.args]);
    assert.notEqual(wrong.code, 0);
    assert.match(wrong.err, /max-tokens/);
});

test('how long an answer may be is said by the message, the agent or the world, in this order, and holds for servers that do not mind', async () => {
    const w = await fresh(), asks = async more => {
        await w.say('@ada how long?', more);
        const question = await desk.next(), most = question.body.max_tokens;
        for (let i = 0; i < 8 && most === 20; i++) question.begin(`${'some words '.repeat(5)}${i} `);
        if (most === 20) await question.gone;
        else question.answer('Long.');
        await w.idle();
        return [most, (await w.messages()).at(-1).unfinished];
    };
    assert.deepEqual(await asks(), [undefined, null]);
    await server.ask('PATCH', w.path, { settings: { maxTokens: 900 } });
    assert.deepEqual(await asks(), [900, null]);
    await server.ask('PATCH', `${w.path}/agents/ada`, { maxTokens: 800 });
    assert.deepEqual(await asks(), [800, null]);
    assert.deepEqual(await asks({ maxTokens: 20 }), [20, 'length']);
    assert.equal((await asks())[0], 800);
    await w.say('@ada first'); // the next one waits for it, with its limit
    const first = await desk.next();
    await w.say('@ada then', { maxTokens: 30 });
    first.answer('One.');
    const then = await desk.next();
    assert.deepEqual([first.body.max_tokens, then.body.max_tokens], [800, 30]);
    then.answer('Two.');
    await w.idle();
    for (const maxTokens of [0, 1.5, 'many', 1e10])
        await server.ask('POST', `${w.path}/messages`, { content: 'x', maxTokens }, 400);
});

test('an answer that is stopped while its model thinks keeps what it thought', async () => {
    const w = await fresh(), stream = await watch(w);
    await w.say('@ada two and two?');
    const question = await desk.next();
    question.think('hm, hm');
    await stream.words();
    await stop(w);
    await w.idle();
    stream.close();
    const kept = (await w.messages()).at(-1);
    assert.deepEqual([kept.content, kept.unfinished, kept.thinking], ['', 'stopped', 'hm, hm']);
});

test('what an older answer thought in its text is sent to no model', async () => {
    const w = await fresh();
    const rows = [['human', 'user', 'one?'], ['ada', 'assistant', '<think>hm</think>\n\nOne.'], ['bo', 'assistant', '<think>hm, hm'], ['bo', 'assistant', ' <think>hm</think>Two.']];
    const put = await run(['append', '-w', w.name, '-c', w.chat, ...server.store.args],
        { input: rows.map(([sender, role, content]) => JSON.stringify({ sender, role, content })).join('\n') });
    assert.equal(put.code, 0, put.err);
    await w.say('@ada three?');
    const next = await desk.next();
    assert.doesNotMatch(JSON.stringify(next.messages), /hm|think/);
    assert.deepEqual(next.messages.map(m => m.content), ['one?', 'One.', 'bo: Two.\n\nhuman: @ada three?']);
    next.answer('Three.');
    await w.idle();
});

test('every view says in words why an answer has no end', async () => {
    for (const [why, words, make] of [
        ['cut', 'cut off', w => broken(w, ends['is cut'])],
        ['length', 'reached the length limit', async w => {
            await w.say('@ada tell me a tale');
            (await desk.next()).cut(WORDS);
            await w.idle();
        }],
        ['thinking', 'ended while thinking(?:, \\d+ tokens)?', async w => {
            await w.say('@ada tell me a tale');
            const question = await desk.next();
            question.think('Which one?');
            question.usage(10, 4096);
            question.answer('');
            await w.idle();
            assert.match(await told(w, 'log'), /\(ended while thinking, 4096 tokens\)/);
        }],
        ['blank', 'wrote only blanks', async w => {
            await w.say('@ada tell me a tale');
            (await desk.next()).answer(' ');
            await w.idle();
        }],
    ]) {
        const w = await fresh();
        await make(w);
        const { messageId } = (await w.messages()).at(-1), marked = new RegExp(`[([]${words}[)\\]]`);
        for (const view of [['log'], ['log', '--oneline'], ['tree'], ['timeline'], ['export', '-f', 'md'], ['export', '-f', 'html'], ['show', messageId], ['inspect', '--call', messageId]])
            assert.equal((await told(w, ...view)).split(marked).length, 2, `${view.join(' ')}: ${await told(w, ...view)}`);
        for (const view of [['log'], ['tree'], ['timeline'], ['show', messageId]]) {
            const far = await run([...view, '-w', w.name, `--server=http://${server.host}:${server.port}`]);
            assert.equal(far.out.split(marked).length, 2, `${view[0]} from elsewhere: ${far.out}${far.err}`);
        }
        const { items } = await server.get(`${w.chatPath}/timeline`);
        assert.deepEqual(items.filter(i => i.unfinished).map(i => [i.messageId, i.unfinished, i.stopped]), [[messageId, why, undefined]]);
        await copies(w, (got, file) => assert.deepEqual(got.map(m => m.unfinished), [null, why], file));
    }
});

// --- Answers that are taken away, and programs that go away -----------------------------------------------------------

for (const [how, take, next] of [
    ['an edit', (w, id) => server.ask('PUT', `${w.path}/messages/${id}`, { chatId: w.chat, newContent: '@ada never mind', force: true }, 200), 'Fine.'],
    ['a removal', (w, id) => server.ask('DELETE', `${w.path}/messages/${id}?chatId=${w.chat}&force=true`)],
])
    test(`what ${how} by force takes away while it is written is in the version before`, async () => {
        const w = await fresh(), stream = await watch(w), said = await w.say('@ada tell me a tale');
        const question = await desk.next();
        question.begin(WORDS);
        await stream.words();
        await take(w, said.messageId);
        await question.gone;
        stream.close();
        if (next) (await desk.next()).answer(next);
        await w.idle();
        assert.ok(!(await w.messages()).some(m => m.content === WORDS));
        await told(w, 'undo');
        assert.deepEqual(texts(await w.messages()), [['human', '@ada tell me a tale', false], ['ada', WORDS, true]]);
    });

const until = async (what, look) => {
    const end = Date.now() + limit(60000);
    for (let found; !(await look(s => { found = s; }));) {
        assert.ok(Date.now() < end, `${what}: ${found}`);
        await new Promise(resolve => setTimeout(resolve, 50));
    }
};
// Until the store has these words of what is being written.
const saved = (store, text) => until(`the store has "${text}"`, async note => {
    const held = await sql(store, 'SELECT text FROM written ORDER BY turn_id, place');
    note(held);
    return held.replaceAll('\n', '') === text;
});

test('the words that agents were writing when the server was killed are there, once, and cut off', async () => {
    const killed = await Server.start(), own = await Desk.open(killed);
    const w = await killed.world('killed', ['ada', 'bo'].map(name => ({ name, model: own.model }))), stream = await watch(w);
    const said = await w.say('hello, both');
    const questions = [await own.next(), await own.next()];
    for (const q of questions) q.begin('Once');
    await saved(killed.store, 'OnceOnce');
    for (const q of questions) q.begin(' upon a time');
    await saved(killed.store, 'Once upon a timeOnce upon a time');
    stream.close();
    await killed.kill();
    const again = await Server.start({ store: killed.store });
    w.server = again;
    await w.idle();
    assert.deepEqual((await w.messages()).map(m => [m.content, m.unfinished, m.replyToMessageId]),
        [['hello, both', null, null], ...['ada', 'bo'].map(() => ['Once upon a time', 'cut', said.messageId])]);
    assert.equal(await sql(killed.store, 'SELECT COUNT(*) FROM written'), '0');
    await again.kill();
    w.server = await Server.start({ store: killed.store });
    await w.idle();
    assert.equal((await w.messages()).length, 3);
    const fsck = await run(['fsck', ...killed.store.args]);
    assert.equal(fsck.code, 0, fsck.out + fsck.err);
});

test('an answer that is all there at once is saved nowhere else', async () => {
    const w = await fresh();
    await w.say('@ada hello');
    (await desk.next()).answer(WORDS);
    await w.idle();
    assert.equal(await sql(server.store, 'SELECT COUNT(*) FROM written'), '0');
});

await finish();
