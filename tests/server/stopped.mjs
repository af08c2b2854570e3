// stopped.mjs: answers that were stopped, and asking again: what is known of them, by everybody and for ever; and that
// one agent alone can be asked to answer a message once more.
import fs from 'node:fs';
import path from 'node:path';
import { Server, assert, finish, folder, run, test } from './lib.mjs';
import { Desk, watch } from './desk.mjs';

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
    const archive = path.join(folder, `${w.name}.skein`), lines = path.join(folder, `${w.name}.jsonl`);
    await told(w, 'export', '-f', 'skein', '-o', archive);
    await told(w, 'export', '-f', 'jsonl', '-o', lines);
    for (const file of [archive, lines]) {
        const other = await Server.start(), name = 'copied';
        const out = await run(['import', file, '--as', name, ...other.store.args]);
        assert.equal(out.code, 0, out.err);
        const chats = (await other.get(`/worlds/${name}/chats`)).data;
        const got = (await other.get(`/worlds/${name}/chats/${chats[0].id}/messages`)).data;
        assert.deepEqual(texts(got), before, file);
        await other.stop();
    }
    const copied = fs.readFileSync(lines, 'utf8').replaceAll(/"messageId":"[^"]*",/g, '').replaceAll(/"replyToMessageId":"[^"]*",/g, '');
    const chat = JSON.parse(await told(w, 'conv', 'new', '--title', 'copy', '--json')).id;
    const put = await run(['append', '-w', w.name, '-c', chat, ...server.store.args], { input: copied });
    assert.equal(put.code, 0, put.err);
    assert.deepEqual(texts((await server.get(`${w.path}/chats/${chat}/messages`)).data), before);
    await told(w, 'amend', half.messageId, '-c', w.chat, '-m', 'Once, and that was it.');
    assert.deepEqual((await w.messages()).map(m => m.stopped), [false, false]);
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

test('after a stop the same is asked again: what was written stays, and the commands say how', async () => {
    const w = await fresh(), { said } = await stopped(w);
    const line = new RegExp(`ask again: skein retry ${said.messageId} --agent ada -w ${w.name}\\n`);
    assert.match(await told(w, 'log'), line);
    const out = await told(w, 'retry', said.messageId, '--agent', 'ada');
    assert.equal(out, `ada answers ${said.messageId} again.\n`);
    (await desk.next()).answer('Once upon a time there was a tide.');
    await w.idle();
    assert.deepEqual(texts(await w.messages()).slice(1), [['ada', WORDS, true], ['ada', 'Once upon a time there was a tide.', false]]);
    assert.doesNotMatch(await told(w, 'log'), /ask again/);
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
    assert.match((await again(w, said.messageId, { agent: 'ada' }, 409)).detail, /not in the room of this version/);
    for (const [words, expected] of [
        [['retry', said.messageId], /who is to answer[^]*--agent NAME/],
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

await finish();
