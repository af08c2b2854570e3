// errors.mjs: every row of the table of problems is provoked once and held against the document. The
// rows of model providers come with the providers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { checkProblem, document } from './contract.mjs';
import { Server, assert, finally_, finish, folder, freshStore, kind, test, within } from './lib.mjs';
import { breakRemovals, holdStart, holdWrites, sql } from './sabotage.mjs';
import { team } from './team.mjs';

const server = await Server.start({ script: team(), delay: true });
const seen = new Set();
let names = 0;
const fresh = (agents = [], s = server) => s.world(`errors${++names}`, agents);

// Provokes one row and checks what all rows have in common.
async function row(s, method, url, status, word, code, options = {}) {
    const r = await s.refused(method, url, status, word, options);
    const b = r.body;
    seen.add(`${status} ${word}`);
    if (code) assert.equal(b.code, code);
    assert.equal(b.instance, url.split('?')[0]);
    assert.ok(b.title && b.detail && b.error && b.message, r.text);
    assert.equal(b.error, b.detail);
    const page = await s.call('GET', b.type);
    assert.equal(page.status, 200, 'its type opens a page of help');
    return b;
}

test('a name that is too long for a world is the name of none', async () => {
    for (const n of [65, 257, 5000]) await row(server, 'GET', `/worlds/${'a'.repeat(n)}`, 404, 'world-not-found', 'WORLD_NOT_FOUND');
    await row(server, 'POST', `/worlds/${'a'.repeat(257)}/restore`, 404, 'world-not-found', 'WORLD_NOT_FOUND');
});

test('an id that is too long for one is too large, as the document says', async () => {
    const w = await fresh(['ada']);
    const long = 'x'.repeat(500);
    for (const url of [`agents/${long}`, `agents/${long}/tasks`, `agents/${long}/knowledge`, `chats?agent=${long}`, `messages/${long}/delivery`, `calls/${long}`]) {
        const { status } = await server.call('GET', `${w.path}/${url}`);
        assert.ok([404, 413].includes(status), `${url}: ${status}`);
    }
    assert.equal((await server.call('PATCH', w.path, {})).status, 200, 'a change of nothing');
});

test('400 validation names the member', async () => {
    const b = await row(server, 'POST', '/worlds', 400, 'validation', 'VALIDATION_ERROR', { body: {} });
    assert.deepEqual(b.errors, [{ pointer: '/name', detail: 'is required' }]);
    for (const [body, pointer] of [[{ name: 'UPPER CASE' }, '/name'], [{ name: 7 }, '/name'], [{ name: 'x', turnLimit: 'many' }, '/turnLimit'], [{ name: 'x', turnLimit: 0 }, '/turnLimit'], [{ name: 'x', compactAt: 1 }, '/compactAt']]) {
        const r = await server.refused('POST', '/worlds', 400, 'validation', { body });
        assert.equal(r.body.errors[0].pointer, pointer, r.text);
    }
    const w = await fresh(['ada']);
    for (const member of ['turnLimit', 'compactAt']) { // the document names the range that holds
        const { minimum, maximum } = document.components.schemas.WorldPatch.properties[member];
        for (const value of [minimum - 1, maximum + 1])
            assert.equal((await server.refused('PATCH', w.path, 400, 'validation', { body: { [member]: value } })).body.errors[0].pointer, `/${member}`);
        for (const value of [minimum, maximum])
            assert.equal((await server.call('PATCH', w.path, { body: { [member]: value } })).status, 200, `${member} ${value}`);
    }
    for (const [method, url, body, pointer] of [['POST', `${w.path}/messages`, {}, '/content'], ['POST', `${w.path}/messages`, { content: '' }, '/content'], ['POST', `${w.path}/messages`, { content: '  \n ' }, '/content'],
        ['POST', `${w.path}/messages`, { content: 'x', instructions: ['no'] }, '/instructions/0'], ['POST', `${w.path}/agents`, { name: 'b', temperature: 'hot' }, '/temperature'], ['PATCH', `${w.path}/agents/ada`, { autoReply: 'yes' }, '/autoReply'], ['PATCH', `${w.path}/agents/ada`, { maxTokens: 0 }, '/maxTokens'],
        ['PATCH', `${w.path}/agents/ada`, { model: 'null' }, '/model'], ['POST', `${w.path}/agents`, { name: 'b', model: 'demo/' }, '/model'],
        ['POST', `${w.chatPath}/operations`, { op: 'burn' }, '/op'], ['POST', `${w.chatPath}/squashes`, { sourceMessageIds: [] , content: 'x' }, '/sourceMessageIds'], ['POST', `${w.chatPath}/branches`, {}, '/messageId'], ['PATCH', w.path, { name: null }, '/name'], ['PATCH', w.path, { turnLimit: null }, '/turnLimit'], ['PATCH', w.path, { compactAt: null }, '/compactAt'],
        ['PATCH', w.path, { settings: { delegationDepth: 0 } }, '/settings/delegationDepth'], ['POST', '/worlds', { name: 'x', settings: { approvals: { x: 'maybe' } } }, '/settings/approvals/x'], ['PATCH', `${w.path}/agents/ada`, { lead: '' }, '/lead'], ['POST', '/session', {}, '/token']]) {
        const r = await server.refused(method, url, 400, 'validation', { body });
        assert.equal(r.body.errors[0].pointer, pointer, `${method} ${url} ${JSON.stringify(body)}: ${r.text}`);
    }
    for (const query of ['limit=0', 'limit=501', 'limit=many', 'cursor=nonsense', 'fields=nonsense'])
        await server.refused('GET', `${w.chatPath}/messages?${query}`, 400, 'validation');
});

test('a member that is one of several words takes those that the document lists, and no other', async () => {
    const w = await fresh();
    const { AnyMessage, NewTag, TagDefinition, Tag } = document.components.schemas;
    const stored = more => [`${w.chatPath}/messages`, { messages: [{ role: 'assistant', sender: 'them', content: 'x', ...more }] }];
    for (const member of ['role', 'toolStatus', 'unfinished']) {
        for (const word of AnyMessage.properties[member].enum)
            assert.equal((await server.call('POST', stored()[0], { body: stored({ [member]: word, ...(word === 'tool' ? { toolCallId: 'c1' } : {}) })[1] })).status, 201, `${member} ${word}`);
        await server.refused('POST', stored()[0], 400, 'validation', { body: stored({ [member]: 'other' })[1] });
    }
    for (const { properties } of [NewTag, TagDefinition, Tag]) {
        for (const control of properties.control.enum)
            assert.equal((await server.call('PUT', `${w.path}/tags`, { body: { tags: [{ name: 'urgent', control }] } })).status, 200, control);
        await server.refused('PUT', `${w.path}/tags`, 400, 'validation', { body: { tags: [{ name: 'urgent', control: 'other' }] } });
    }
});

// Every operation that takes a body of JSON, at an address that need not be there: the body is looked at first.
const bodies = Object.entries(document.paths).flatMap(([url, methods]) => Object.keys(methods)
    .filter(method => method !== 'get' && !methods[method].requestBody?.content['application/octet-stream'])
    .map(method => ({ method: method.toUpperCase(), url: url.replace(/\{\w+\}/g, 'none') })));

test('a body that is not JSON is refused everywhere', async () => {
    for (const { method, url } of bodies) {
        await server.refused(method, url, 415, 'media-type', { raw: '{}', headers: { 'content-type': 'text/plain' } });
        await server.refused(method, url, 400, 'validation', { raw: '{' });
    }
});

// What is in it would be passed over: the body ["c_1"] would stop the agents of every chat.
test('a body that is not an object is refused everywhere, but for a list where one is asked for', async () => {
    for (const { method, url } of bodies)
        for (const raw of ['null', '"force"', '["c_1"]'])
            if (raw !== '["c_1"]' || !/\/(tags|context-files)$/.test(url))
                assert.equal((await server.refused(method, url, 400, 'validation', { raw })).body.detail, 'the body must be an object');
    const w = await fresh();
    assert.deepEqual((await server.ask('PUT', `${w.path}/tags`, [{ name: 'urgent' }])).data.map(t => t.name), ['urgent']);
    assert.deepEqual((await server.ask('PUT', `${w.chatPath}/context-files`, [{ path: 'a.c' }])).data.map(f => f.path), ['a.c']);
});

test('400 not-a-user-message', async () => {
    const w = await fresh(['ada']);
    const answer = (await w.converse('hello')).of('message.completed')[0];
    await row(server, 'DELETE', `${w.path}/messages/${answer.messageId}`, 400, 'not-a-user-message', 'INVALID_MESSAGE_TYPE', { body: { chatId: w.chat } });
});

test('400 self-reply, circular-reply and too-deep', async () => {
    const w = await fresh();
    const url = `${w.path}/messages`;
    await row(server, 'POST', url, 400, 'self-reply', 'THREAD_INVALID', { body: { content: 'me', chatId: w.chat, clientMessageId: 'me-1', replyToMessageId: 'me-1' } });
    const a = await w.say('a'), b = await w.say('b', { replyToMessageId: a.messageId }), c = await w.say('c', { replyToMessageId: b.messageId });
    const ring = await row(server, 'POST', url, 400, 'circular-reply', 'THREAD_INVALID', { body: { content: 'ring', chatId: w.chat, messageId: a.messageId, replyToMessageId: c.messageId } });
    assert.deepEqual(ring.chain, [a.messageId, c.messageId, b.messageId, a.messageId]);
    let last = c;
    for (let level = 4; level <= 100; level++) last = await w.say(`level ${level}`, { replyToMessageId: last.messageId });
    assert.equal(last.replyDepth, 99);
    const deep = await row(server, 'POST', url, 400, 'too-deep', 'THREAD_INVALID', { body: { content: 'level 101', chatId: w.chat, replyToMessageId: last.messageId } });
    assert.equal(deep.limit, 100);
    assert.equal((await w.messages()).length, 100);
    // A parent that nobody knows is kept, with a warning.
    const orphan = await w.say('orphan', { replyToMessageId: 'nobody0000' });
    assert.deepEqual([orphan.replyToMessageId, orphan.warnings.length], ['nobody0000', 1]);
});

test('401 sign-in and 403 origin', async () => {
    const file = path.join(folder, 'token');
    fs.writeFileSync(file, 'sixteen-characters-and-more\n', { mode: 0o600 });
    const own = await Server.start({ args: [`--token-file=${file}`] });
    await row(own, 'GET', '/worlds', 401, 'sign-in', 'SIGN_IN');
    await row(server, 'GET', '/worlds', 403, 'origin', undefined, { headers: { origin: 'https://evil.example' } });
});

test('404 for worlds, chats, messages, agents, versions and jobs, with a guess', async () => {
    const w = await fresh(['research']);
    const m = await w.say('x', { instructions: [{ type: 'ReadOnly' }] });
    assert.equal((await row(server, 'GET', `/worlds/${w.name}y`, 404, 'world-not-found', 'WORLD_NOT_FOUND')).didYouMean, w.name);
    await row(server, 'GET', `${w.path}/chats/none`, 404, 'chat-not-found', 'CHAT_NOT_FOUND');
    await row(server, 'GET', `${w.path}/messages/nosuchid00`, 404, 'message-not-found', 'MESSAGE_NOT_FOUND');
    assert.equal((await row(server, 'GET', `${w.path}/agents/reserch`, 404, 'agent-not-found', 'AGENT_NOT_FOUND')).didYouMean, 'research');
    await row(server, 'GET', `${w.chatPath}/threads/t_none`, 404, 'version-not-found', 'VERSION_NOT_FOUND');
    await row(server, 'GET', '/jobs/job_none', 404, 'job-not-found');
    // Half an id is not an id here.
    await server.refused('GET', `${w.path}/messages/${m.messageId.slice(0, 6)}`, 404, 'message-not-found');
});

test('409 session-off', async () => {
    const w = await fresh();
    const m = await w.say('x');
    await server.ask('PATCH', w.path, { currentChatId: null });
    await row(server, 'DELETE', `${w.path}/messages/${m.messageId}`, 409, 'session-off', 'SESSION_OFF', { body: { chatId: w.chat } });
});

test('409 chat-archived', async () => {
    const w = await fresh();
    await server.ask('DELETE', w.chatPath, undefined, 204);
    await row(server, 'PATCH', w.chatPath, 409, 'chat-archived', 'CHAT_ARCHIVED', { body: { title: 'x' } });
});

test('409 edit-in-progress while another edit of the chat runs', async () => {
    const w = await fresh(), other = await fresh();
    const first = await w.say('first'), second = await w.say('second'), theirs = await other.say('x');
    const release = await holdWrites(server.store);
    const edit = () => server.call('PUT', `${w.path}/messages/${second.messageId}`, { body: { chatId: w.chat, newContent: 'again' } });
    const remove = () => server.call('DELETE', `${w.path}/messages/${first.messageId}`, { body: { chatId: w.chat } });
    const both = [edit(), remove()];
    // Nothing can be written, so that the one which answers is the one that was refused.
    const refused = await Promise.race(both);
    assert.deepEqual([refused.status, refused.body.type, refused.headers['retry-after']], [409, '/problems/edit-in-progress', '1']);
    await row(server, 'DELETE', `${w.path}/messages/${first.messageId}`, 409, 'edit-in-progress', 'EDIT_IN_PROGRESS', { body: { chatId: w.chat } });
    const elsewhere = server.call('DELETE', `${other.path}/messages/${theirs.messageId}`, { body: { chatId: other.chat } });
    await release();
    assert.deepEqual((await Promise.all(both)).map(r => r.status).sort(), [200, 409]);
    assert.equal((await elsewhere).status, 200);
    // It is over, however it ended.
    await server.refused('DELETE', `${w.path}/messages/nosuchid00`, 404, 'message-not-found', { body: { chatId: w.chat } });
    const last = await w.say('last');
    await server.refused('PUT', `${w.path}/messages/${last.messageId}`, 400, 'validation', { body: { chatId: w.chat, newContent: ' ' } });
    assert.equal((await server.call('DELETE', `${w.path}/messages/${last.messageId}`, { body: { chatId: w.chat } })).status, 200);
});

test('409 idempotency-running, then 422 idempotency-mismatch', async () => {
    const w = await fresh(['ada']);
    const headers = { 'idempotency-key': `key-${w.name}`, prefer: 'wait=20' };
    const body = { content: 'hold', chatId: w.chat };
    const started = w.events();
    await started.event('stream.open');
    const first = server.call('POST', `${w.path}/messages`, { body, headers });
    await started.words();
    await row(server, 'POST', `${w.path}/messages`, 409, 'idempotency-running', 'IDEMPOTENCY_RUNNING', { body, headers });
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    assert.equal((await first).status, 200);
    const again = await server.call('POST', `${w.path}/messages`, { body, headers });
    assert.deepEqual([again.status, again.headers['idempotency-replayed'], again.text], [200, 'true', (await first).text]);
    await row(server, 'POST', `${w.path}/messages`, 422, 'idempotency-mismatch', 'IDEMPOTENCY_MISMATCH', { body: { ...body, content: 'other' }, headers });
    assert.equal((await w.messages()).filter(m => m.sender === 'human').length, 1);
    started.close();
});

test('409 conflict for a name that is taken, nothing-to-do for an empty undo', async () => {
    const w = await fresh(['ada']);
    await row(server, 'POST', '/worlds', 409, 'conflict', 'CONFLICT', { body: { name: w.name } });
    await row(server, 'POST', `${w.path}/agents`, 409, 'conflict', 'CONFLICT', { body: { name: 'ADA' } });
    await row(server, 'PUT', `${w.chatPath}/currentThread`, 409, 'nothing-to-do', 'NOTHING_TO_DO', { body: { move: 'redo' }, headers: { 'if-match': await w.etag() } });
});

test('412 version-changed and 428 if-match-needed', async () => {
    const w = await fresh();
    const stale = await w.etag();
    const m = await w.say('x');
    const changed = await row(server, 'PUT', `${w.chatPath}/currentThread`, 412, 'version-changed', 'VERSION_CONFLICT', { body: { move: 'undo' }, headers: { 'if-match': stale } });
    assert.equal(changed.current, (await server.get(w.chatPath)).currentThread);
    await row(server, 'PUT', `${w.chatPath}/currentThread`, 428, 'if-match-needed', undefined, { body: { move: 'undo' } });
    await row(server, 'POST', `${w.chatPath}/operations`, 412, 'version-changed', 'VERSION_CONFLICT', { body: { op: 'delete', messageIds: [m.messageId] }, headers: { 'if-match': stale } });
    const agents = await fresh(['ada']);
    const tag = (await server.call('GET', `${agents.path}/agents/ada`)).headers.etag;
    await server.ask('PATCH', `${agents.path}/agents/ada`, { systemPrompt: 'be brief' }, 200, { headers: { 'if-match': tag } });
    await row(server, 'PATCH', `${agents.path}/agents/ada`, 412, 'version-changed', 'VERSION_CONFLICT', { body: { systemPrompt: 'be long' }, headers: { 'if-match': tag } });
    assert.equal((await server.get(`${agents.path}/agents/ada`)).systemPrompt, 'be brief');
});

test('413 too-large, 415 media-type, 422 bad-file', async () => {
    const w = await fresh();
    await row(server, 'POST', `${w.path}/messages`, 413, 'too-large', 'TOO_LARGE', { body: { content: 'x'.repeat(1100 * 1024), chatId: w.chat } });
    await row(server, 'POST', '/worlds', 415, 'media-type', undefined, { raw: '<name>x</name>', headers: { 'content-type': 'application/xml' } });
    await row(server, 'POST', '/worlds/import', 422, 'bad-file', 'BAD_FILE', { raw: 'this is not an archive', headers: { 'content-type': 'application/octet-stream' } });
    assert.deepEqual(await w.messages(), []);
});

test('423 world-busy', async () => {
    const w = await fresh(['ada']);
    const s = w.events();
    await s.event('stream.open');
    const m = await w.say('hold');
    await s.words();
    const b = await row(server, 'DELETE', `${w.path}/messages/${m.messageId}`, 423, 'world-busy', 'WORLD_LOCKED', { body: { chatId: w.chat } });
    assert.deepEqual([b.retryable, b.retryAfterMs, b.busy[0].agent, b.reason], [true, 5000, 'ada', 'agents are answering in this conversation: ada']);
    assert.ok(b.busy[0].sinceMs >= 0);
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    s.close();
});

test('what became of a change that failed in the middle is not known, says so, and its key finds it out', async () => {
    const w = await fresh();
    const m = await w.say('x');
    const ask = (key, body) => server.call('POST', `${w.chatPath}/operations`, { body, headers: key ? { 'idempotency-key': key } : {} });
    const body = { op: 'delete', messageIds: [m.messageId] };
    const mend = await breakRemovals(server.store);
    let keyless, keyed;
    try {
        [keyless, keyed] = [await ask(undefined, body), await ask('find-out-1', body)];
    } finally {
        await mend();
    }
    assert.deepEqual([keyless.status, keyless.body.outcome, keyless.body.retryable], [500, 'unknown', false]);
    assert.match(keyless.body.hint, /check it before you repeat the request/);
    assert.deepEqual([keyed.status, keyed.body.outcome, keyed.body.retryable], [500, 'unknown', true]);
    assert.match(keyed.body.hint, /same Idempotency-Key/);
    assert.equal((await ask('find-out-1', body)).status, 201);
    assert.deepEqual(await w.messages(), []);
});

test('a world that was made is not called a failure when it cannot be shown', async () => {
    const make = () => server.request('POST', '/worlds', { body: { name: 'made' }, headers: { 'idempotency-key': 'made-1' } });
    await sql(server.store, 'ALTER TABLE turns RENAME TO turns_elsewhere');
    let made;
    try {
        made = await make();
    } finally {
        await sql(server.store, 'ALTER TABLE turns_elsewhere RENAME TO turns');
    }
    assert.deepEqual([made.status, made.headers.location, made.text], [201, '/worlds/made', ''], made.text);
    const again = await make();
    assert.deepEqual([again.status, again.headers['idempotency-replayed']], [201, 'true'], again.text);
    assert.equal((await server.get('/worlds')).data.filter(w => w.name === 'made').length, 1);
});

test('429 rate-limit', async () => {
    const own = await Server.start({ env: { SKEIN_LIMITS_REQUESTS_PER_MINUTE: '20' } });
    // The first that is refused: the next one may be allowed again.
    let r;
    for (let i = 0; i < 40 && r?.status !== 429; i++) r = await own.call('GET', '/worlds');
    assert.equal(r.status, 429);
    checkProblem(r, 'GET /worlds');
    assert.equal(r.body.type, '/problems/rate-limit');
    seen.add('429 rate-limit');
    assert.ok(Number(r.headers['retry-after']) > 0 && r.body.scope);
});

test('500 removal-failed and internal', async () => {
    const w = await fresh();
    const m = await w.say('x');
    const mend = await breakRemovals(server.store);
    try {
        await row(server, 'DELETE', `${w.path}/messages/${m.messageId}`, 500, 'removal-failed', 'REMOVAL_ERROR', { body: { chatId: w.chat } });
        const other = await server.call('POST', `${w.chatPath}/operations`, { body: { op: 'delete', messageIds: [m.messageId] } });
        assert.equal(other.status, 500);
        assert.ok(['/problems/internal', '/problems/io'].includes(other.body.type), other.text);
        seen.add('500 internal');
        assert.ok(!/sqlite|SELECT|INSERT|\/src\//i.test(other.text), 'it tells what nobody outside should see');
    } finally {
        await mend();
    }
});

test('503 read-only', async () => {
    const own = await Server.start();
    const w = await fresh([], own);
    const m = await w.say('still readable');
    await own.stop();
    own.options.args = ['--read-only'];
    await own.start();
    assert.equal((await own.get(`${w.path}/messages/${m.messageId}`)).content, 'still readable');
    for (const [method, url, body] of [['POST', `${w.path}/messages`, { content: 'x' }], ['POST', '/worlds', { name: 'x' }], ['DELETE', `${w.path}/messages/${m.messageId}`, { chatId: w.chat }], ['PATCH', '/settings', {}]])
        await row(own, method, url, 503, 'read-only', 'READ_ONLY', { body });
});

// A disk of 4 MB for the store, seen by the server alone; undefined where none can be mounted.
async function smallDisk(data) {
    const apart = process.getuid() === 0 ? ['unshare', '-m'] : ['unshare', '-rm'];
    const mount = `mount -t tmpfs -o size=4m,mode=0700 none '${data}'`;
    fs.mkdirSync(data);
    const can = await new Promise(resolve => spawn(apart[0], [...apart.slice(1), 'sh', '-c', mount], { stdio: 'ignore' }).on('close', code => resolve(code === 0)).on('error', () => resolve(false)));
    return can ? [...apart, 'sh', '-c', `${mount} && exec "$@"`] : undefined;
}

test('503 storage-full loses nothing that was acknowledged', async () => {
    const store = freshStore();
    const shell = kind === 'sqlite' ? await smallDisk(store.data) : undefined;
    const own = await Server.start({ store, shell });
    const w = await fresh([], own);
    const kept = [await w.say('before')];
    let r;
    if (kind === 'pg') {
        const mend = await breakRemovals(own.store, '53100');
        r = await own.call('POST', `${w.chatPath}/operations`, { body: { op: 'delete', messageIds: [kept[0].messageId] } });
        await mend();
    } else {
        // Without a disk of its own a limit on the size of files has to do, which has another name.
        if (!shell) assert.equal(await new Promise(resolve => spawn('prlimit', [`--pid=${own.child.pid}`, '--fsize=3000000']).on('close', resolve)), 0);
        for (let i = 0; i < 100 && (!r || r.status === 202); i++) {
            r = await own.call('POST', `${w.path}/messages`, { body: { content: 'x'.repeat(100000), chatId: w.chat } });
            if (r.status === 202) kept.push(r.body);
        }
    }
    if (kind === 'sqlite' && !shell) {
        assert.deepEqual([r.status, r.body.type], [500, '/problems/io'], r.text);
    } else {
        assert.deepEqual([r.status, r.body.type], [503, '/problems/storage-full'], r.text);
        assert.ok(Number(r.headers['retry-after']) > 0);
    }
    seen.add('503 storage-full');
    assert.deepEqual((await w.messages()).map(m => m.messageId), kept.map(m => m.messageId));
});

test('503 starting while the store is opened', async () => {
    const own = new Server();
    const release = await holdStart(own.store);
    // A socket that listens already, so that there is somebody to ask before the server says where it is.
    const socket = net.createServer().listen(0, '127.0.0.1');
    await once(socket, 'listening');
    Object.assign(own, { host: '127.0.0.1', port: socket.address().port });
    own.launch(socket._handle.fd);
    socket.close(); // it is the server's alone now
    finally_(() => own.stop());
    const b = await row(own, 'GET', '/worlds', 503, 'starting', 'STARTING');
    assert.deepEqual([b.retryable, b.retryAfterMs, b.detail], [true, 1000, 'the server is starting']);
    assert.equal((await own.refused('POST', '/worlds', 503, 'starting', { body: { name: 'x' } })).headers['retry-after'], '1');
    await own.refused('GET', '/events', 503, 'starting');
    assert.deepEqual([(await own.call('GET', '/livez')).status, (await own.call('GET', '/readyz')).status], [200, 503]);
    const health = await own.get('/healthz', 503);
    assert.deepEqual(health.checks[0], { name: 'store', ok: false, detail: 'is being opened' });
    assert.equal(own.out, '', 'it says that it is ready');
    await release();
    await own.ready();
    assert.equal((await own.get('/worlds')).data.length, 1);
});

test('503 starting while the server stops; what it had begun is finished', async () => {
    const own = await Server.start();
    const w = await fresh([], own);
    const m = await w.say('x');
    const s = w.events();
    await s.event('stream.open');
    const release = await holdWrites(own.store);
    const remove = () => own.call('DELETE', `${w.path}/messages/${m.messageId}`, { body: { chatId: w.chat } });
    const both = [remove(), remove()];
    assert.equal((await Promise.race(both)).status, 409, 'the other one is under way');
    own.child.kill('SIGTERM');
    await s.event('server.notice');
    own.agent = new http.Agent(); // connections that were open are closed
    const b = await row(own, 'GET', '/worlds', 503, 'starting', 'STARTING');
    assert.equal(b.detail, 'the server is stopping');
    assert.deepEqual([(await own.call('GET', '/livez')).status, (await own.call('GET', '/readyz')).status], [200, 503]);
    await release();
    assert.deepEqual((await Promise.all(both)).map(r => r.status).sort(), [200, 409]);
    assert.equal((await within(15000, 'the end of the server', own.exited)).code, 0);
});

test('all rows of the table were provoked', async () => {
    const rows = ['400 validation', '400 not-a-user-message', '400 self-reply', '400 circular-reply', '400 too-deep', '401 sign-in', '403 origin', '404 world-not-found', '404 chat-not-found', '404 message-not-found', '404 agent-not-found',
        '409 edit-in-progress', '409 session-off', '409 chat-archived', '409 idempotency-running', '412 version-changed', '428 if-match-needed', '413 too-large', '415 media-type', '422 idempotency-mismatch', '423 world-busy', '429 rate-limit', '500 removal-failed', '500 internal', '503 starting', '503 read-only', '503 storage-full'];
    assert.deepEqual(rows.filter(r => !seen.has(r)), []);
    // Each kind that the document names has its page.
    for (const type of document.components.schemas.Problem.properties.type.enum)
        assert.equal((await server.call('GET', type)).status, 200, type);
    await server.refused('GET', '/problems/nonsense', 404, 'not-found');
});

await finish();
