// more.mjs: the corners of the API: what waits, what is changed as a whole, who came first, what is
// searched and included, exports that are too large, tool calls that are moved.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Desk } from './desk.mjs';
import { Server, assert, finish, freshStore, run, test } from './lib.mjs';
import { team, three } from './team.mjs';

const server = await Server.start({ script: team() });
const slow = await Server.start({ script: team(), delay: true }); // agents that "hold" do hold

let names = 0;
const fresh = (s = server, agents = [], more) => s.world(`more${++names}`, agents, more);
const stop = w => w.server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
const quiet = (w, content, more = {}) => w.say(content, { instructions: [{ type: 'ReadOnly' }], ...more });
const head = (tag, more = {}) => ({ headers: { 'if-match': tag }, ...more });

// Somebody is at work, and stays there.
async function busy(w, content) {
    const stream = w.events();
    await stream.event('stream.open');
    const message = await w.say(content);
    await stream.words();
    stream.close();
    return message;
}

// --- Following -----------------------------------------------------------------------------------------

test('log --follow at a server follows until it is interrupted, as a person starts it', async () => {
    const w = await fresh();
    const child = spawn(path.resolve(process.env.SKEIN), [`--server=${server.url}`, '-w', w.name, '-c', w.chat, 'log', '--follow'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '', err = '';
    const shown = text => new Promise(resolve => child.stdout.on('data', b => { if ((out += b).includes(text)) resolve(); }));
    child.stderr.on('data', b => { err += b; });
    const over = new Promise(resolve => child.on('close', (code, signal) => resolve([code, signal])));
    const told = shown('said while it follows');
    await quiet(w, 'said while it follows');
    assert.equal(await Promise.race([told.then(() => 'shown'), over]), 'shown', err);
    child.kill('SIGINT');
    assert.deepEqual(await over, [null, 'SIGINT'], err);
});

// --- Archived conversations ---------------------------------------------------------------------------

test('an archived conversation is listed, read at its address, and restored', async () => {
    const w = await fresh();
    await quiet(w, 'about tides');
    const before = await server.get(w.chatPath);
    assert.equal(before.archived, false);
    await server.ask('DELETE', w.chatPath, undefined, 204);
    assert.deepEqual((await server.get(`${w.path}/chats`)).data, []);
    const listed = (await server.get(`${w.path}/chats?archived=true`)).data;
    assert.deepEqual(listed, [{ ...before, archived: true }]);
    assert.deepEqual((await server.get(`${w.path}/chats?removed=true`)).data, listed);
    assert.deepEqual(await server.get(w.chatPath), { ...before, archived: true });
    assert.deepEqual((await w.messages()).map(m => m.content), ['about tides']);
    for (const view of ['tree', 'timeline', 'analytics', 'threads', 'currentThread', 'queue', 'export'])
        assert.equal((await server.call('GET', `${w.chatPath}/${view}`)).status, 200, view);
    const events = w.events();
    await events.event('stream.open');
    assert.deepEqual(await server.post(`${w.chatPath}/restore`, undefined, 200), before);
    assert.equal((await events.event('chat.updated')).body.data.archived, false);
    events.close();
    assert.deepEqual((await server.get(`${w.path}/chats?archived=true`)).data, []);
});

test('changes of an archived conversation are refused, and say how to restore it', async () => {
    const w = await fresh(server, ['ada']);
    const m = await quiet(w, 'once');
    const tag = await w.etag();
    await server.ask('DELETE', w.chatPath, undefined, 204);
    const refused = (method, url, body) => server.refused(method, url, 409, 'chat-archived', head(tag, { body }));
    const r = await refused('POST', `${w.path}/messages`, { content: 'again', chatId: w.chat });
    assert.match(r.body.hint, new RegExp(`skein conv restore ${w.chat}`));
    await refused('PUT', `${w.path}/messages/${m.messageId}`, { chatId: w.chat, newContent: 'twice' });
    await refused('DELETE', `${w.path}/messages/${m.messageId}`, { chatId: w.chat });
    await refused('PATCH', w.chatPath, { title: 'new' });
    await refused('DELETE', w.chatPath);
    await refused('PUT', `${w.chatPath}/currentThread`, { move: 'undo' });
    await refused('POST', `${w.chatPath}/operations`, { op: 'delete', messageIds: [m.messageId] });
    await refused('POST', `${w.chatPath}/branches`, {});
    await refused('PATCH', w.path, { currentChatId: w.chat });
    assert.deepEqual((await w.messages()).map(x => x.content), ['once']);
});

test('search finds what stands in archived conversations, and has archived as a filter', async () => {
    const w = await fresh();
    const old = await quiet(w, 'neap tide of old');
    const next = await server.post(`${w.path}/chats`, { title: 'next' });
    const young = await quiet(w, 'neap tide of now', { chatId: next.id });
    await server.ask('DELETE', w.chatPath, undefined, 204);
    const found = async query => (await server.get(`${w.path}/search?${query}`)).data.map(h => [h.messageId, h.archived]);
    const was = [old.messageId, true], is = [young.messageId, false];

    assert.deepEqual(await found('q=neap'), [is, was]);
    assert.deepEqual(await found('q=neap&archived=true'), [was]);
    assert.deepEqual(await found('q=neap&archived=false'), [is]);
    assert.deepEqual(await found('q=neap%20is:archived'), [was]);
    assert.deepEqual(await found(`q=neap&chatId=${w.chat}`), [was]);
    await server.refused('GET', `${w.path}/search?q=neap&archived=perhaps`, 400, 'validation');
    await server.post(`${w.chatPath}/restore`, undefined, 200);
    assert.deepEqual(await found('q=neap'), [is, [old.messageId, false]]);
});

// --- What messages of a conversation ask for -----------------------------------------------------------

test('whose reply is expected and read only are state of the conversation, changed with PATCH and told', async () => {
    const w = await fresh(server, ['ada']);
    const state = c => [c.replyExpected, c.readOnly];
    const set = body => server.ask('PATCH', w.chatPath, body);
    const events = w.events();
    await events.event('stream.open');
    assert.deepEqual(state(await server.get(w.chatPath)), [null, false]);
    assert.deepEqual(state(await set({ replyExpected: 'ada' })), ['ada', false]);
    assert.deepEqual(state((await events.event('chat.updated')).body.data), ['ada', false]);
    events.close();
    assert.deepEqual(state(await set({ readOnly: true, title: 'quiet' })), ['ada', true]);
    assert.deepEqual(state((await server.get(`${w.path}/chats`)).data[0]), ['ada', true]);
    await server.refused('PATCH', w.chatPath, 404, 'agent-not-found', { body: { replyExpected: 'bo', readOnly: false } });
    await server.refused('PATCH', w.chatPath, 400, 'validation', { body: { readOnly: 'perhaps' } });
    const now = await server.get(w.chatPath);
    assert.deepEqual([...state(now), now.title], ['ada', true, 'quiet']);
    assert.deepEqual(state(await set({ replyExpected: null })), [null, true]);
    await set({ replyExpected: 'ada' });
    await server.ask('DELETE', `${w.path}/agents/ada`, undefined, 204);
    assert.deepEqual(state(await server.get(w.chatPath)), [null, true]);
});

// --- Nobody is there to answer --------------------------------------------------------------------------

test('a message into a world without agents says so at once, with what to do', async () => {
    const w = await fresh();
    const { notice } = await w.say('anybody?');
    assert.deepEqual([notice.code, notice.text], ['no-agents', 'This world has no agents, so nobody answers.']);
    assert.match(notice.hint, /skein agent new NAME/);
});

test('a message to agents who are all paused says so at once, with what to do', async () => {
    const w = await fresh(server, ['ada', 'bo']);
    assert.equal((await w.say('@ada hello')).notice, null);
    await w.idle();
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const { notice } = await w.say('@ada hello');
    assert.deepEqual([notice.code, notice.text], ['all-paused', 'ada is paused: the message waits.']);
    assert.match(notice.hint, /skein agent resume ada/);
    assert.equal((await w.say('@bo hello', { now: true })).notice, null);
    await w.idle();
});

test('a message into a new world begins its first conversation; session mode off stays off', async () => {
    const name = `new${++names}`;
    await server.post('/worlds', { name });
    const said = await Promise.all(['one', 'two'].map(content => server.post(`/worlds/${name}/messages`, { content }, 202)));
    const world = await server.get(`/worlds/${name}`);
    assert.deepEqual(said.map(m => m.chatId), [world.currentChatId, world.currentChatId]);
    assert.equal(world.chats.length, 1);
    await server.ask('PATCH', `/worlds/${name}`, { currentChatId: null });
    await server.refused('POST', `/worlds/${name}/messages`, 409, 'session-off', { body: { content: 'three' } });
    await server.ask('DELETE', `/worlds/${name}/chats/${world.currentChatId}`, undefined, 204);
    await server.refused('POST', `/worlds/${name}/messages`, 409, 'session-off', { body: { content: 'three' } });
});

// --- Counters -------------------------------------------------------------------------------------------

test('reply links that an import guesses are counted', async () => {
    const raw = '{"role":"user","content":"when?"}\n{"role":"assistant","name":"ada","content":"at noon"}\n';
    const total = async () => Number(/^skein_guessed_replies_total (\d+)/m.exec((await server.call('GET', '/metrics')).text)[1]);
    const before = await total();
    const load = (name, query) => server.call('POST', `/worlds/import?name=${name}&filename=a.jsonl${query}`, { raw, headers: { 'content-type': 'application/octet-stream' } });
    assert.equal((await load(`guess${++names}`, '&dryRun=true')).status, 200);
    assert.equal(await total(), before);
    assert.equal((await load(`guess${++names}`, '')).status, 201);
    assert.equal(await total(), before + 1);
});

test('an answer of an agent that nobody answers is not unanswered', async () => {
    const w = await fresh(server, ['ada']);
    await w.converse('@ada hello');
    assert.equal((await server.get(`${w.chatPath}/analytics`)).unanswered, 0);
    assert.deepEqual((await server.get(`${w.chatPath}/tree`)).data.map(n => n.unanswered), [false, false]);
    await quiet(w, 'and now?');
    assert.equal((await server.get(`${w.chatPath}/analytics`)).unanswered, 1);
});

// --- What a person types -----------------------------------------------------------------------------

test('a message is found by what a person types for it, when that is asked for', async () => {
    const w = await fresh();
    const said = [];
    for (const content of ['one', 'two', 'three']) said.push(await quiet(w, content, content === 'three' ? { replyToMessageId: said[0].messageId } : {}));
    const at = (ref, query) => `${w.path}/messages/${encodeURIComponent(ref)}?chatId=${w.chat}${query}`;
    // Ids that were made in one millisecond differ in their last character alone.
    const long = [9, 10].find(n => said.filter(m => m.messageId.startsWith(said[1].messageId.slice(0, n))).length === 1);
    for (const [ref, i] of [['@', 2], ['@you', 2], ['@~2', 0], ['@^', 0], [said[1].messageId, 1], [said[1].messageId.slice(0, long), 1], [said[1].messageId.slice(-6), 1]])
        assert.equal((await server.get(at(ref, '&typed=true'))).content, ['one', 'two', 'three'][i], ref);
    for (const ref of ['@', '@~2', said[1].messageId.slice(0, 9), said[1].messageId.slice(-6)]) await server.refused('GET', at(ref, ''), 404, 'message-not-found');
    await server.refused('GET', at('@~3', '&typed=true'), 404, 'message-not-found');
    for (const ref of ['nobody000', '@ada']) await server.refused('GET', at(ref, '&typed=true'), 404, 'message-not-found');
    await server.refused('GET', `${w.chatPath}/threads/v0`, 404, 'version-not-found');
    await server.refused('GET', at('@', '&typed=perhaps'), 400, 'validation');
});

test('a world that is not there is told with those that are', async () => {
    const w = await fresh();
    const { body: problem } = await server.refused('GET', `${w.path}x`, 404, 'world-not-found');
    assert.equal(problem.didYouMean, w.name);
    assert.match(problem.hint, /^Did you mean .* Make it with "skein world new /);
});

test('a first chat is made once, whoever asks for it', async () => {
    const { name } = await server.post('/worlds', { name: `first${Date.now()}` });
    const chats = () => server.get(`/worlds/${name}/chats`).then(all => all.data.length);
    const before = await chats();
    const [a, b] = await Promise.all([1, 2].map(() => server.post(`/worlds/${name}/chats`, { first: true })));
    assert.equal(a.id, b.id);
    assert.equal(await chats(), Math.max(before, 1));
});

test('a world is told without its agents where nobody asks for them', async () => {
    const w = await fresh(server, ['ada']);
    const only = async fields => (await server.request('GET', `${w.path}?fields=${fields}`)).body;
    assert.deepEqual(Object.keys(await only('name,turnLimit')), ['name', 'turnLimit']);
    assert.deepEqual((await only('agents,chats')).agents.map(a => a.name), ['ada']);
    assert.deepEqual((await only('chats')).chats.map(c => c.id), [w.chat]);
});

// --- What waits -----------------------------------------------------------------------------------

test('a message that waits is at its address, and is changed in the queue', async () => {
    const w = await fresh(slow, ['ada']);
    await busy(w, 'hold');
    const posted = await slow.call('POST', `${w.path}/messages`, { body: { content: 'later', chatId: w.chat } });
    const id = posted.body.messageId;
    assert.deepEqual([posted.status, posted.body.queued, posted.headers.location], [202, true, `${w.path}/messages/${id}`]);
    for (const query of ['', `?chatId=${w.chat}`]) {
        const m = await slow.get(`${posted.headers.location}${query}`);
        assert.deepEqual([m.messageId, m.chatId, m.content, m.queued, m.position, m.delivery], [id, w.chat, 'later', true, -1, []]);
    }
    const other = await slow.post(`${w.path}/chats`, { title: 'other' });
    await slow.refused('GET', `${w.path}/messages/${id}?chatId=${other.id}`, 404, 'message-not-found');
    await slow.ask('PATCH', w.path, { currentChatId: w.chat });
    const at = `${w.path}/messages/${id}`;
    const refusals = [['DELETE', at, { chatId: w.chat }], ['PUT', at, { chatId: w.chat, newContent: 'x' }],
        ['GET', `${at}/count?chatId=${w.chat}`], ['GET', `${at}/delivery`], ['GET', `${at}/instructions`]];
    for (const [method, url, body] of refusals) {
        const r = await slow.refused(method, url, 409, 'conflict', { body });
        assert.ok(JSON.stringify(r.body).includes(`${w.chatPath}/queue/${id}`), r.text);
    }
    assert.deepEqual((await slow.get(`${w.chatPath}/queue`)).data.map(q => q.content), ['later']);
    await stop(w);
    await w.idle();
    const said = await slow.get(at);
    assert.deepEqual([said.content, said.queued, said.position >= 0], ['later', undefined, true]);
});

test('its address leads somewhere at every moment, also while it is said', async () => {
    const w = await fresh(slow, ['ada']);
    await busy(w, 'hold');
    const ids = [];
    for (let i = 0; i < 10; i++) ids.push((await w.say(`later ${i}`, { instructions: [{ type: 'ReadOnly' }] })).messageId);
    let done = false;
    const seen = [];
    const look = async id => {
        while (!done) seen.push((await slow.call('GET', `${w.path}/messages/${id}`)).status);
    };
    const lookers = ids.map(look);
    await stop(w);
    await w.idle();
    done = true;
    await Promise.all(lookers);
    assert.deepEqual([...new Set(seen)], [200]);
    assert.equal((await w.messages()).filter(m => ids.includes(m.messageId)).length, 10);
});

test('who waits for the answers to a message is not sent off by the end of another', async () => {
    const w = await fresh(slow, ['ada', 'bo']);
    const body = { content: '@bo hold', chatId: w.chat, clientMessageId: 'held' };
    await busy(w, body.content, body);
    const held = await slow.call('POST', `${w.path}/messages`, { body: { ...body, content: '@bo hold on', clientMessageId: 'second', now: true } });
    assert.equal(held.body.queued, false);
    const s = await w.converse('@ada hello', { now: true });
    assert.deepEqual(s.of('message.completed').map(m => m.sender), ['ada']);
    const again = await slow.call('POST', `${w.path}/messages`, { body: { ...body, content: '@bo hold on', clientMessageId: 'second', now: true }, headers: { prefer: 'wait=1' } });
    assert.deepEqual([again.status, again.body.message.messageId, again.body.replies, again.body.timedOut], [200, held.body.messageId, [], true]);
    await stop(w);
    await w.idle();
});

test('of two messages at once each gets its own answers', async () => {
    const w = await fresh(slow, ['ada', 'bo']);
    const ask = (content, more) => slow.call('POST', `${w.path}/messages`, { body: { content, chatId: w.chat, ...more }, headers: { prefer: 'wait=20' } });
    const watch = w.events();
    await watch.event('stream.open');
    const first = ask('@ada stream 1');
    await watch.words();
    watch.close();
    const second = await ask('@bo hello', { now: true });
    assert.deepEqual([second.body.replies.map(m => m.sender), second.body.timedOut], [['bo'], false]);
    const one = await first;
    assert.deepEqual([one.body.replies.map(m => m.sender), one.body.timedOut], [['ada'], false]);
});

// --- As a whole -------------------------------------------------------------------------------------

test('a list of tags with a bad one changes nothing', async () => {
    const w = await fresh();
    const tag = (name, control = 'toggle', more = {}) => ({ name, control, instruction: name, ...more });
    const list = async () => (await server.get(`${w.path}/tags?chatId=${w.chat}`)).data.map(t => `${t.name}:${t.control}${t.active ? '+' : ''}`);
    const put = (tags, status = 200) => server.ask('PUT', `${w.path}/tags?chatId=${w.chat}`, { tags }, status);
    await put([tag('a', 'toggle', { active: true }), tag('b')]);
    assert.deepEqual(await list(), ['a:toggle+', 'b:toggle']);
    const bad = await put([tag('c'), tag('a', 'button'), tag('d', 'lever')], 400);
    assert.deepEqual(bad.errors.map(e => e.pointer), ['/tags/2']);
    const twice = await put([tag('c'), tag('c')], 400);
    assert.deepEqual(twice.errors.map(e => e.pointer), ['/tags/1']);
    assert.deepEqual(await list(), ['a:toggle+', 'b:toggle']);
    await put([tag('c'), tag('a', 'button')]);
    assert.deepEqual(await list(), ['a:button+', 'c:toggle']);
    await put([]);
    assert.deepEqual(await list(), []);
});

test('a list of files with a bad one changes nothing', async () => {
    const w = await fresh();
    const list = async () => (await server.get(`${w.chatPath}/context-files`)).data.map(f => f.path);
    const put = (files, status = 200) => server.ask('PUT', `${w.chatPath}/context-files`, { files }, status);
    await put([{ path: 'a.c' }, { path: 'b.c', items: ['1:2'] }]);
    const bad = await put([{ path: 'c.c' }, { path: 'x\ny' }], 400);
    assert.deepEqual(bad.errors.map(e => e.pointer), ['/files/1']);
    await put([{ path: 'c.c' }, { path: 'c.c' }], 400);
    assert.deepEqual(await list(), ['a.c', 'b.c']);
    await put([{ path: 'c.c' }, { path: 'b.c' }]);
    assert.deepEqual(await list(), ['b.c', 'c.c']);
});

test('what is missing of a context file is named in problems', async () => {
    const w = await fresh();
    const { data } = await server.ask('PUT', `${w.chatPath}/context-files`, { files: [{ path: 'gone.c', items: ['fun x'] }] }, 200);
    assert.equal(data[0].problems.length, 1);
    assert.equal(data[0].problems[0].item, null);
    assert.match(data[0].problems[0].detail, /there is no (file|folder)/);
    assert.deepEqual((await server.get(`${w.chatPath}/context-files`)).data, data);
});

test('a model takes from a context file what its prompt asks for, once for each content', async () => {
    const extracts = [], turns = [];
    let broken = false;
    const desk = await Desk.open(server, q => {
        if (!q.system.startsWith('You take from a file')) {
            turns.push(q.system);
            return 'Yes.';
        }
        extracts.push(q.last.content);
        if (broken) {
            q.fail();
            return null;
        }
        return `int total(void); number ${extracts.length}`;
    });
    const w = await fresh(server, [{ name: 'ada', model: desk.model }]);
    const folder = path.join(server.store.data, 'files'), write = text => fs.writeFileSync(path.join(folder, 'sum.c'), text);
    fs.mkdirSync(folder, { recursive: true });
    write('int total(void)\n{\n    return 42;\n}\n');
    const put = async files => (await server.ask('PUT', `${w.chatPath}/context-files`, { files }, 200)).data[0];
    const ask = async () => { await w.say('@ada hello'); await w.idle(); return turns.at(-1); };
    const said = await put([{ path: 'sum.c', prompt: 'Only signatures.' }]);
    assert.equal(said.prompt, 'Only signatures.');
    assert.match(said.problems[0].detail, /its prompt was not applied: no agent has answered/);
    const first = await ask();
    assert.match(first, /From the file sum\.c, as asked for \(Only signatures\.\):\nint total\(void\); number 1\n/);
    assert.ok(!first.includes('return 42'));
    assert.match(extracts[0], /^Only signatures\.\n\nFile sum\.c:\nint total\(void\)\n\{\n    return 42;\n\}\n/);
    await ask();
    assert.equal(extracts.length, 1, 'not in every turn');
    assert.deepEqual((await server.get(`${w.chatPath}/context-files`)).data[0].problems, []);
    write('int total(void)\n{\n    return 43;\n}\n');
    assert.match(await ask(), /number 2/, 'the file was changed');
    await put([{ path: 'sum.c', items: ['fun total'], prompt: 'Only signatures.' }]);
    assert.match(await ask(), /number 3/, 'other items');
    await put([{ path: 'sum.c', prompt: 'Only names.' }]);
    broken = true;
    const plain = await ask();
    assert.match(plain, /File sum\.c:\nint total\(void\)\n\{\n    return 43;\n\}\n\(it is as it stands in the file, its prompt was not applied: .*out of order/);
    assert.match((await server.get(`${w.chatPath}/context-files`)).data[0].problems[0].detail, /its prompt was not applied: .*out of order/);
    const place = [...server.store.args, '-w', w.name, '-c', w.chat];
    assert.match((await run(['files', 'ls', ...place])).out, /^sum\.c {2}prompt: Only names\.$/m);
    broken = false;
    await run(['files', 'add', 'sum.c', '--prompt', 'All names.', ...place]);
    assert.match(await ask(), /as asked for \(All names\.\):\nint total\(void\); number 5\n/);
    assert.match((await run(['files', 'show', ...place])).out, /^sum\.c, as its prompt asks\nint total\(void\); number 5$/m);
    await run(['files', 'add', 'sum.c', '--prompt', '', ...place]);
    assert.ok((await ask()).includes('return 43;'));
});

test('agents that need the same extract have it made once, and a failed one is not tried in every turn', async () => {
    const extracts = [], turns = [];
    let broken = false;
    const desk = await Desk.open(server, q => {
        if (!q.system.startsWith('You take from a file')) {
            turns.push(q.system);
            return 'Yes.';
        }
        extracts.push(q.last.content);
        if (!broken)
            return 'the names';
        q.fail();
        return null;
    });
    const w = await fresh(server, ['ada', 'bo', 'cy'].map(name => ({ name, model: desk.model })));
    const folder = path.join(server.store.data, 'files');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'shared.txt'), 'one\n');
    fs.writeFileSync(path.join(folder, 'other.txt'), 'two\n');
    const put = files => server.ask('PUT', `${w.chatPath}/context-files`, { files }, 200);
    const ask = async () => { turns.length = extracts.length = 0; await w.say('@ada @bo @cy hello'); await w.idle(); };
    await put([{ path: 'shared.txt', prompt: 'Names for all.' }]);
    await ask();
    assert.equal(turns.length, 3);
    for (const sent of turns)
        assert.match(sent, /From the file shared\.txt, as asked for \(Names for all\.\):\nthe names\n/);
    assert.equal(extracts.length, 1);
    broken = true;
    await put([{ path: 'shared.txt', prompt: 'Broken.' }, { path: 'other.txt', prompt: 'Broken.' }]);
    await ask();
    assert.equal(turns.length, 3);
    assert.equal(extracts.length, 2, 'once for each file');
    await ask();
    assert.equal(extracts.length, 0, 'not again so soon');
    for (const sent of turns)
        assert.equal(sent.match(/its prompt was not applied: .*out of order/g).length, 2);
});

// --- Who came first ----------------------------------------------------------------------------------

test('PATCH holds If-Match, and answers the new ETag', async () => {
    const w = await fresh(server, ['ada']);
    const places = [[w.path, { description: 'one' }, { description: 'two' }],
        [`${w.path}/agents/ada`, { systemPrompt: 'one' }, { systemPrompt: 'two' }],
        [w.chatPath, { title: 'one' }, { title: 'two' }],
        [w.chatPath, { readOnly: true }, { replyExpected: 'ada' }],
        ['/settings', { 'ui.more': 1 }, { 'ui.more': 2 }]];
    for (const [url, one, two] of places) {
        const old = (await server.call('GET', url)).headers.etag;
        const first = await server.call('PATCH', url, head(old, { body: one }));
        assert.equal(first.status, 200, first.text);
        assert.notEqual(first.headers.etag, old, url);
        await server.refused('PATCH', url, 412, 'version-changed', head(old, { body: two }));
        assert.equal((await server.call('PATCH', url, head(`"x", ${first.headers.etag}`, { body: two }))).status, 200, url);
        assert.equal((await server.call('PATCH', url, head('*', { body: one }))).status, 200, url);
        const now = await server.call('GET', url);
        assert.equal((await server.call('PATCH', url, head(now.headers.etag, { body: two }))).status, 200, url);
    }
});

test('PATCH of a chat holds If-Match: somebody spoke meanwhile', async () => {
    const w = await fresh();
    const old = await w.etag();
    const renamed = await server.call('PATCH', w.chatPath, head(old, { body: { title: 'one' } }));
    assert.deepEqual([renamed.status, renamed.body.title], [200, 'one']);
    assert.ok(renamed.headers.etag);
    await w.say('hello');
    await server.refused('PATCH', w.chatPath, 412, 'version-changed', head(old, { body: { title: 'two' } }));
    assert.equal((await server.get(w.chatPath)).title, 'one');
    // What a client has of the chat is not what is there now.
    const before = await w.etag();
    await server.ask('PATCH', w.chatPath, { title: 'three' });
    assert.equal((await server.call('GET', w.chatPath, { headers: { 'if-none-match': before } })).body?.title, 'three');
});

test('agents at work do not change what If-Match of a world means', async () => {
    const w = await fresh(slow, ['ada']);
    const tag = (await slow.call('GET', w.path)).headers.etag;
    await busy(w, 'hold');
    const now = await slow.call('GET', w.path, { headers: { 'if-none-match': tag } });
    assert.deepEqual([now.status, now.body.isProcessing], [200, true]);
    assert.equal((await slow.call('PATCH', w.path, head(tag, { body: { turnLimit: 3 } }))).status, 200);
    await stop(w);
});

test('a world changes in all that is asked, or in nothing', async () => {
    const w = await fresh();
    const other = await fresh();
    await server.refused('PATCH', w.path, 409, 'conflict', { body: { name: other.name, description: 'new', currentChatId: null } });
    await server.refused('PATCH', w.path, 404, 'chat-not-found', { body: { description: 'new', currentChatId: other.chat } });
    const now = await server.get(w.path);
    assert.deepEqual([now.description ?? '', now.currentChatId], ['', w.chat]);
});

test('changes of different parts of an agent at the same time are all kept', async () => {
    const w = await fresh(server, ['ada']);
    const url = `${w.path}/agents/ada`;
    const parts = [{ systemPrompt: 'p' }, { model: 'demo/scripted' }, { temperature: 0.5 }, { maxTokens: 800 }, { autoReply: false }, { tools: ['demo_lookup'] }];
    for (let round = 0; round < 4; round++) {
        await server.ask('PATCH', url, { systemPrompt: null, model: null, temperature: null, maxTokens: null, autoReply: null, tools: null });
        await Promise.all(parts.map(body => server.ask('PATCH', url, body)));
        const a = await server.get(url);
        assert.deepEqual([a.systemPrompt, a.model, a.temperature, a.maxTokens, a.autoReply, a.tools], ['p', 'demo/scripted', 0.5, 800, false, ['demo_lookup']]);
    }
});

// --- Lists -----------------------------------------------------------------------------------------

test('include adds replies to messages, and stands beside fields', async () => {
    const w = await fresh(server, three);
    const s = await w.converse('hello');
    const id = s.of('message.created')[0].messageId;
    const page = q => server.request('GET', `${w.chatPath}/messages?${q}`);
    const list = await server.get(`${w.chatPath}/messages?include=replies,delivery`);
    assert.deepEqual(list.data[0].replies.map(m => m.sender).sort(), ['ada', 'bo', 'lead']);
    assert.ok(list.data[0].replies.every(m => m.replyToMessageId === id && m.content));
    assert.deepEqual(list.data.slice(1).map(m => m.replies), [[], [], []]);
    assert.equal((await server.get(`${w.chatPath}/messages`)).data[0].replies, undefined);
    const picked = (await page('fields=messageId&include=delivery,instructions')).body;
    assert.deepEqual(Object.keys(picked.data[0]).sort(), ['delivery', 'instructions', 'messageId']);
    const both = (await page('fields=content&include=replies')).body;
    assert.deepEqual(Object.keys(both.data[0]).sort(), ['content', 'replies']);
    const bad = await server.refused('GET', `${w.chatPath}/messages?include=replies,secrets`, 400, 'validation');
    assert.deepEqual(bad.body.errors.map(e => e.pointer), ['/include']);
    // The replies of the version that is read.
    await server.ask('DELETE', `${w.path}/messages/${id}`, { chatId: w.chat });
    const threads = (await server.get(`${w.chatPath}/threads`)).data;
    const then = await server.get(`${w.chatPath}/messages?threadId=${threads[1].threadId}&include=replies`);
    assert.equal(then.data[0].replies.length, 3);
});

test('what became of a message is shown as it was in the version that is read', async () => {
    const w = await fresh(server, ['ada', 'bo']);
    const id = (await w.converse('@ada hello')).of('message.created')[0].messageId;
    const r = await server.ask('DELETE', `${w.path}/messages/${id}`, { chatId: w.chat });
    const then = await server.get(`${w.chatPath}/messages?threadId=${r.previousThreadId}`);
    const state = m => Object.fromEntries(m.delivery.map(d => [d.agent, d.state]));
    assert.deepEqual(state(then.data.find(m => m.messageId === id)), { ada: 'answered', bo: 'inMemory' });
});

// --- Search -----------------------------------------------------------------------------------------

test('conditions alone find messages, page by page, each once', async () => {
    const w = await fresh(server, ['ada']);
    for (let i = 0; i < 7; i++) await quiet(w, `note ${i}`);
    await w.converse('@ada hello');
    const find = async (q, more = '') => (await server.get(`${w.path}/search?q=${encodeURIComponent(q)}${more}`)).data.map(h => h.content);
    assert.deepEqual(await find('from:ada'), ['ada heard human.']);
    assert.deepEqual(await find('from:me -note'), ['@ada hello']);
    assert.equal((await find('role:user')).length, 8);
    assert.deepEqual(await find('tag:ReadOnly note'), [6, 5, 4, 3, 2, 1, 0].map(i => `note ${i}`));
    const seen = [];
    let url = `${w.path}/search?q=${encodeURIComponent('from:human')}&limit=3`;
    for (let pages = 0; url && pages < 9; pages++) {
        const page = await server.get(url);
        seen.push(...page.data.map(h => h.content));
        if (pages === 0) await quiet(w, 'in between'); // what is new does not move the rest
        url = page.page.next && `${w.path}/search?q=${encodeURIComponent('from:human')}&limit=3&cursor=${encodeURIComponent(page.page.next)}`;
    }
    assert.deepEqual(seen, ['@ada hello', ...[6, 5, 4, 3, 2, 1, 0].map(i => `note ${i}`)]);
    const first = await server.get(`${w.path}/search?q=note&limit=2`);
    await server.refused('GET', `${w.path}/search?q=other&cursor=${encodeURIComponent(first.page.next)}`, 400, 'validation');
    const all = await server.get(`${w.path}/search?q=note`);
    assert.deepEqual([all.page.total, all.page.totalIsExact, all.page.hasMore], [7, true, false]);
});

test('a condition that few meet is found behind more than a thousand that do not', async () => {
    const own = freshStore();
    const s = await Server.start({ store: own });
    const w = await s.world('long', ['ada']);
    const lines = [{ role: 'user', sender: 'human', content: 'common first', model: 'rare/one' }];
    for (let i = 0; i < 1500; i++) lines.push({ role: 'user', sender: 'human', content: `common ${i}` });
    const done = await run(['append', ...own.args, '-w', 'long', '-c', w.chat, '--json'], { input: lines.map(l => JSON.stringify(l)).join('\n') });
    assert.equal(done.code, 0, done.err);
    const all = await s.get(`${w.path}/search?q=${encodeURIComponent('common model:rare')}`);
    assert.deepEqual(all.data.map(h => h.content), ['common first']);
    assert.deepEqual((await s.get(`${w.path}/search?q=model:rare`)).data.map(h => h.content), ['common first']);
});

test('near: finds what stands around a message', async () => {
    const w = await fresh();
    const ids = [];
    for (let i = 0; i < 40; i++) ids.push((await quiet(w, `m${i} ${i % 2 ? 'odd' : 'even'}`)).messageId);
    const find = async q => (await server.get(`${w.path}/search?q=${encodeURIComponent(q)}`)).data.map(h => h.content.split(' ')[0]);
    const around = Array.from({ length: 21 }, (_, i) => `m${30 - i}`);
    assert.deepEqual(await find(`near:${ids[20]}`), around);
    assert.deepEqual(await find(`near:${ids[0]} odd`), ['m9', 'm7', 'm5', 'm3', 'm1']);
    await server.refused('GET', `${w.path}/search?q=near:nosuchid00`, 404, 'message-not-found');
    await server.refused('GET', `/search?q=near:${ids[0]}`, 400, 'validation');
});

// --- Exports ----------------------------------------------------------------------------------------

test('an export of more than 64 MB is refused with the command that makes it', async () => {
    const own = freshStore();
    const s = await Server.start({ store: own });
    const w = await s.world('large', []);
    const line = JSON.stringify({ role: 'user', sender: 'human', content: 'x'.repeat(14 << 20) });
    for (let i = 0; i < 5; i++) {
        const done = await run(['append', ...own.args, '-w', 'large', '-c', w.chat], { input: line });
        assert.equal(done.code, 0, done.err);
    }
    for (const url of [`${w.path}/export`, `${w.chatPath}/export?format=jsonl`]) {
        const r = await s.refused('GET', url, 413, 'too-large');
        assert.match(r.body.hint, /skein export -w large .* -o FILE", with the --data or --db of the server/);
    }
    const redacted = await s.call('GET', `${w.chatPath}/export?format=md&redact=1`);
    assert.equal(redacted.status, 200);
}, 120000);

// --- Tool calls that are moved ------------------------------------------------------------------------

test('a tool call is moved with its result, and what comes between them is told', async () => {
    const w = await fresh(server, ['ada']);
    await w.converse('@ada look up tides');
    const [user, call, result, answer] = await w.messages();
    assert.deepEqual([user.role, call.role, result.role, answer.role], ['user', 'assistant', 'tool', 'assistant']);
    const operate = (body, status = 201) => server.post(`${w.chatPath}/operations`, body, status);
    const order = async () => (await w.messages()).map(m => m.messageId);
    const moved = await operate({ op: 'reorder', messageIds: [call.messageId], before: null });
    assert.deepEqual(await order(), [user, answer, call, result].map(m => m.messageId));
    assert.deepEqual([moved.warnings, moved.note], [[], 'move 2']);
    const dry = await operate({ op: 'reorder', messageIds: [user.messageId], before: result.messageId, dryRun: true }, 200);
    assert.deepEqual(dry.warnings, ['splits a tool call from its result']);
    const made = await operate({ op: 'insert', content: 'between', before: result.messageId });
    assert.deepEqual(made.warnings, ['splits a tool call from its result']);
    assert.match((await server.get(`${w.chatPath}/threads/${made.threadId}`)).note, /splits a tool call from its result/);
    const refused = await server.refused('POST', `${w.chatPath}/operations`, 400, 'validation', { body: { op: 'reorder', messageIds: [call.messageId], before: result.messageId } });
    assert.match(refused.text, /before itself/);
    // What a model is sent is valid all the same: the result stands behind its call.
    const roles = (await server.get(`${w.chatPath}/context?agent=ada`)).messages.map(m => m.role);
    assert.equal(roles[roles.indexOf('tool') - 1], 'assistant');
});

await finish();
