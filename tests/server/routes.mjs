// routes.mjs: every route is in the OpenAPI document and in docs/api.md, answers, and answers what the
// document says, under each of the prefixes.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { document, route, seen } from './contract.mjs';
import { Server, assert, finish, test } from './lib.mjs';
import { team, three } from './team.mjs';

const server = await Server.start({ script: team() });
const operations = [];
for (const [path, methods] of Object.entries(document.paths))
    for (const [method, o] of Object.entries(methods)) operations.push({ id: o.operationId, method: method.toUpperCase(), path, o });

test('the document is sound', async () => {
    const require = createRequire(new URL('../peers/package.json', import.meta.url));
    const { createConfig, lintFromString } = require('@redocly/openapi-core');
    const config = await createConfig({ extends: ['recommended'], rules: {
        'no-ambiguous-paths': 'off', // a word wins over a parameter here
        'no-server-trailing-slash': 'off', // the empty prefix
        'operation-4xx-response': 'off', // what needs no sign-in and has no input
        'security-defined': 'off', // sign-in is there where the server has a token
    } });
    const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config });
    assert.deepEqual(found.map(p => `${p.ruleId}: ${p.message} ${p.location[0]?.pointer}`), []);
    assert.equal(new Set(operations.map(o => o.id)).size, operations.length);
});

test('/openapi.json is the document of the source tree', async () => {
    const r = await server.call('GET', '/openapi.json');
    assert.deepEqual(r.body, document);
});

test('the document, docs/api.md and the table of routes name the same routes', async () => {
    const own = operations.map(o => `${o.method} ${o.path}`).sort();
    const file = fs.readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8');
    const table = ['api/operations.def', 'http/served.def'].map(f => fs.readFileSync(new URL(`../../src/${f}`, import.meta.url), 'utf8')).join('');
    const inFile = [...file.matchAll(/\b(GET|POST|PUT|PATCH|DELETE)\b[ `|]+(\/[^\s`|]*)/g)].map(m => `${m[1]} ${m[2]}`);
    const inTable = [...table.matchAll(/[({]\s*"?(GET|POST|PUT|PATCH|DELETE)"?,\s*"([^"]+)",[^"]*"(\w+)",\s*"/g)].map(m => ({ route: `${m[1]} ${m[2]}`, id: m[3] }));
    assert.deepEqual([...new Set(inTable.map(t => t.route))].sort(), own);
    assert.deepEqual([...new Set(inFile)].filter(r => own.includes(r)).sort(), own, 'docs/api.md');
    for (const t of inTable) assert.equal(t.id, operations.find(o => `${o.method} ${o.path}` === t.route).id);
});

// --- Each route once -----------------------------------------------------------------------------------

// What the examples below speak of.
async function stage() {
    const w = await server.world('stage', three);
    const hello = (await w.converse('hello')).of('message.created')[0].messageId;
    await w.converse('@ada look up tides');
    const all = await w.messages();
    const x = { w, hello, all, W: w.path, C: w.chatPath, chat: w.chat, answer: all[1].messageId, etag: () => w.etag() };
    x.squash = await server.post(`${w.chatPath}/squashes`, { sourceMessageIds: [all[1].messageId, all[2].messageId], content: 'two answers' });
    x.v1 = x.squash.undo.body.threadId;
    x.v2 = x.squash.threadId;
    x.archive = (await server.call('GET', `${w.path}/export?format=skein`)).bytes;
    return x;
}

// A file where agents read.
function put(name) {
    const at = path.join(server.store.data, 'files', name);
    fs.mkdirSync(path.dirname(at), { recursive: true });
    fs.writeFileSync(at, 'one\n');
}

// operationId: how to call it: [url, body, status, options]. A function gets the stage.
const examples = {
    listWorlds: x => ['/worlds'],
    createWorld: x => ['/worlds', { name: `w${x.n}`, description: 'd', turnLimit: 3, compactAt: 10 }, 201],
    getWorld: x => [x.W],
    updateWorld: x => [x.W, { description: 'changed', turnLimit: 9 }],
    removeWorld: async x => [`/worlds/${(await server.post('/worlds', { name: `gone${x.n}` })).name}`, undefined, 204],
    restoreWorld: async x => { const gone = await server.post('/worlds', { name: `back${x.n}` }); await server.ask('DELETE', `/worlds/${gone.name}`, undefined, 204); return [`/worlds/${gone.id}/restore`, { name: `again${x.n}` }]; },
    getWorldStatus: x => [`${x.W}/status`],
    listAgents: x => [`${x.W}/agents`],
    createAgent: x => [`${x.W}/agents`, { name: `new${x.n}`, systemPrompt: 'p', model: 'demo/scripted', lead: 'lead', tools: ['demo_lookup'], temperature: 0.5, autoReply: false }, 201],
    getAgent: x => [`${x.W}/agents/ada`],
    updateAgent: x => [`${x.W}/agents/ada`, { systemPrompt: 'short', temperature: null }],
    removeAgent: async x => [`${x.W}/agents/${(await server.post(`${x.W}/agents`, { name: `gone${x.n}` })).name}`, undefined, 204],
    getAgentMemory: x => [`${x.W}/agents/ada/memory?chatId=${x.chat}`],
    clearAgentMemory: async x => [`${x.W}/agents/bo/memory?chatId=${(await server.post(`${x.C}/branches`, { messageId: x.hello })).id}`, undefined, 200],
    listAgentChats: x => [`${x.W}/agents/ada/conversations`],
    listChats: x => [`${x.W}/chats`],
    createChat: x => [`${x.W}/chats`, { title: 'another' }, 201],
    listConversations: x => [`${x.W}/conversations`],
    createConversation: x => [`${x.W}/conversations`, { title: 'another' }, 201],
    getChat: x => [x.C],
    updateChat: x => [x.C, { title: 'renamed' }],
    removeChat: async x => [`${x.W}/chats/${(await server.post(`${x.W}/chats`, {})).id}`, undefined, 204],
    restoreChat: async x => { const gone = await server.post(`${x.W}/chats`, {}); await server.ask('DELETE', `${x.W}/chats/${gone.id}`, undefined, 204); return [`${x.W}/chats/${gone.id}/restore`, undefined]; },
    listMessages: x => [`${x.W}/messages?chatId=${x.chat}`],
    postMessage: x => [`${x.W}/messages`, { content: 'quiet', chatId: x.chat, instructions: [{ type: 'ReadOnly' }], clientMessageId: `c${x.n}` }, 202],
    stopAgents: x => [`${x.W}/messages/stop`, { chatId: x.chat }],
    getMessage: x => [`${x.W}/messages/${x.hello}`],
    editMessage: async x => { await server.ask('PATCH', x.W, { currentChatId: x.chat }); await x.w.idle(); const m = await x.w.say('to edit'); return [`${x.W}/messages/${m.messageId}`, { chatId: x.chat, newContent: '@bo edited', force: true }]; },
    removeMessage: async x => { await x.w.idle(); const m = await x.w.say('to remove'); return [`${x.W}/messages/${m.messageId}`, { chatId: x.chat, force: true }]; },
    countRemoval: x => [`${x.W}/messages/${x.hello}/count?chatId=${x.chat}`],
    listReplies: x => [`${x.W}/messages/${x.hello}/replies`],
    listAncestors: x => [`${x.W}/messages/${x.answer}/ancestors?threadId=${x.v1}`],
    listSubtree: x => [`${x.W}/messages/${x.hello}/subtree`],
    listSiblings: x => [`${x.W}/messages/${x.answer}/siblings?threadId=${x.v1}`],
    listMessageVersions: x => [`${x.W}/messages/${x.hello}/versions`],
    getDelivery: x => [`${x.W}/messages/${x.hello}/delivery`],
    getMessageContext: null, // agents_api.mjs, as all that is about agents at work
    getInstructions: x => [`${x.W}/messages/${x.hello}/instructions`],
    setInstructions: async x => { const m = await x.w.say('tag me', { instructions: [{ type: 'ReadOnly' }] }); await x.w.idle(); return [`${x.W}/messages/${m.messageId}/instructions`, { instructions: [{ type: 'ResponseExpected', target: 'lead' }] }]; },
    listTags: x => [`${x.W}/tags?chatId=${x.chat}`],
    setTags: x => [`${x.W}/tags?chatId=${x.chat}`, { tags: [{ name: 'urgent', control: 'toggle', instruction: 'Urgent', target: null, includeInMessage: true, active: true }] }],
    setTag: x => [`${x.W}/tags/later`, { instruction: 'Later' }],
    switchTag: x => [`${x.W}/tags/later?chatId=${x.chat}`, { active: true }],
    removeTag: async x => { await server.call('PUT', `${x.W}/tags/gone${x.n}`, { body: {} }); return [`${x.W}/tags/gone${x.n}`, undefined, 204]; },
    listChatMessages: x => [`${x.C}/messages`],
    appendMessages: x => [`${x.C}/messages`, { messages: [{ role: 'assistant', sender: 'elsewhere', content: 'looked up', toolCalls: [{ toolCallId: 'c1', toolName: 'look', args: { at: 1 } }] }, { role: 'tool', toolCallId: 'c1', content: 'found' }] }, 201],
    createDelegation: x => [`${x.W}/delegations?chatId=${x.chat}`, { parent: 'main' }, 201],
    finishDelegation: async x => { const d = await server.post(`${x.W}/delegations?chatId=${x.chat}`, {}); return [`${x.W}/delegations/${d.delegationId}?chatId=${x.chat}`, { state: 'done' }]; },
    getTree: x => [`${x.C}/tree`],
    getTimeline: x => [`${x.C}/timeline`],
    getAnalytics: x => [`${x.C}/analytics`],
    listCosts: x => [`${x.W}/costs?by=agent`],
    listAnalyticsGroups: x => [`${x.C}/analytics/groups?by=thread`],
    getContext: x => [`${x.C}/context?agent=ada`],
    listContextFiles: x => [`${x.C}/context-files`],
    setContextFiles: x => [`${x.C}/context-files`, { files: [{ path: 'src/a.c', items: ['fun x', '142:156'] }, { path: 'b.md' }] }],
    addContextFile: x => { put(`added${x.n}.md`); return [`${x.C}/context-files`, { path: `added${x.n}.md`, items: ['1:1'] }]; },
    listFiles: x => [`${x.W}/files`],
    addFile: null, // files.mjs: what is sent is no JSON
    getFile: null,
    getContextFile: async x => { put('d/one.md'); await server.post(`${x.C}/context-files`, { path: 'd/one.md' }, 200); return [`${x.C}/context-files/d%2Fone.md`]; },
    removeContextFile: async x => { put('two.md'); await server.post(`${x.C}/context-files`, { path: 'two.md' }, 200); return [`${x.C}/context-files/two.md`, undefined]; },
    listSummaries: x => [`${x.C}/compactions`],
    createSummary: async x => { const chat = await server.post(`${x.C}/branches`, { threadId: x.v1 }); return [`${x.W}/chats/${chat.id}/compactions`, { content: 'what was said' }, 201]; },
    listThreads: x => [`${x.C}/threads`],
    getThread: x => [`${x.C}/threads/${x.v1}`],
    listThreadMessages: x => [`${x.C}/threads/${x.v1}/messages`],
    getDiff: x => [`${x.C}/threads/${x.v2}/diff?from=${x.v1}`],
    getCurrentThread: x => [`${x.C}/currentThread`],
    travel: async x => [`${x.C}/currentThread`, { threadId: x.n % 2 ? x.v1 : x.v2, force: true }, 200, { headers: { 'if-match': await x.etag() } }],
    operate: async x => { await x.w.idle(); const m = await x.w.say('operate on me', { instructions: [{ type: 'ReadOnly' }] }); return [`${x.C}/operations`, { op: 'amend', messageId: m.messageId, content: 'edited' }, 201]; },
    listSquashes: x => [`${x.C}/squashes`],
    squash: async x => { await x.w.idle(); const ids = []; for (const t of ['a', 'b']) ids.push((await x.w.say(t, { instructions: [{ type: 'ReadOnly' }] })).messageId); return [`${x.C}/squashes`, { sourceMessageIds: ids, content: 'a and b' }, 201]; },
    getSquash: x => [`${x.W}/squashes/${x.squash.squashOperationId}`],
    purge: async x => { const m = await x.w.say('purge me', { instructions: [{ type: 'ReadOnly' }] }); return [`${x.C}/purge`, { messageIds: [m.messageId], force: true }]; },
    branch: x => [`${x.C}/branches`, { messageId: x.hello, title: 'branch' }, 201],
    exportWorld: x => [`${x.W}/export?format=skein`],
    exportChat: x => [`${x.C}/export?format=md`],
    importWorld: async x => [`/worlds/import?name=imported${x.n}&filename=a.skein`, undefined, 201, { raw: x.archive, headers: { 'content-type': 'application/octet-stream' }, server: await Server.start() }],
    listQueue: x => [`${x.C}/queue`],
    queueMessage: x => [`${x.C}/queue`, { content: 'queued', instructions: [{ type: 'ReadOnly' }] }, 202],
    changeQueued: null, // edits.mjs
    removeQueued: null, // edits.mjs
    getDelegation: null,
    listEditErrors: x => [`${x.W}/edit-errors`],
    retryEdit: null, // edits.mjs
    search: x => ['/search?q=hello'],
    searchWorld: x => [`${x.W}/search?q=hello`],
    streamEvents: x => ['/events?limit=5', undefined, 200, { headers: { accept: 'application/json' } }],
    streamWorldEvents: x => [`${x.W}/events?limit=5`, undefined, 200, { headers: { accept: 'application/json' } }],
    start: x => ['/'],
    page: x => ['/w/tour'],
    asset: null, // page.mjs
    plain: x => ['/plain'],
    plainWorld: x => [`/plain/w/${x.w.name}`],
    livez: x => ['/livez'],
    readyz: x => ['/readyz?verbose=1'],
    healthz: x => ['/healthz?verbose=1'],
    version: x => ['/version'],
    metrics: x => ['/metrics'],
    openapi: x => ['/openapi.json'],
    docs: x => ['/docs'],
    problem: x => ['/problems/validation'],
    listAudit: x => ['/audit'],
    getSettings: x => ['/settings'],
    updateSettings: x => ['/settings', { 'ui.theme': 'dark' }],
    reloadSettings: x => ['/settings/reload', undefined],
    getJob: null,
    cancelJob: null,
    listDelegations: null,
    cancelDelegation: null,
    retryDelegation: null,
    retryAnswer: null, // stopped.mjs
    askAnother: null, // stopped.mjs
    listAlternatives: x => [`${x.W}/messages/${x.hello}/alternatives`],
    pauseAgent: null,
    resumeAgent: null,
    wakeAgent: null,
    tellAgent: null,
    listTasks: null,
    listToolServers: null,
    createTask: null,
    getTask: null,
    cancelTask: null,
    retryTask: null, // tasks.mjs
    listKnowledge: null,
    listExpected: null,
    listCalls: null,
    getCall: null,
    rerunSquash: null,
    listInbox: null,
    countUnread: null,
    readInbox: null,
    getInboxItem: null,
    changeInboxItem: null,
    removeInboxItem: null,
    answerInboxItem: null,
    getBriefing: null,
    listProviders: null,
    createProvider: null,
    detectProviders: null,
    getProvider: null,
    updateProvider: null,
    removeProvider: null,
    testProvider: null,
    listModels: null,
    getSession: () => ['/session'],
    newLink: () => ['/session/link', undefined, 201],
    listSessions: () => ['/sessions'],
    removeSessions: () => ['/sessions', undefined, 204],
    signIn: null, // defence.mjs
    signOut: null,
    removeSession: null,
};

test('there is an example of every operation', async () => {
    assert.deepEqual(Object.keys(examples).sort(), operations.map(o => o.id).sort());
});

const x = await stage();
x.n = 0;
for (const { id, method } of operations) {
    if (!examples[id]) continue;
    test(`${id} answers under every prefix, and as the document says`, async () => {
        for (const prefix of ['', '/api', '/api/v1']) {
            x.n++;
            const [url, body, status = 200, options = {}] = await examples[id](x);
            const answer = await (options.server ?? server).call(method, prefix + url, { body, ...options });
            assert.equal(answer.status, status, answer.text.slice(0, 1500));
            assert.equal(document.paths[route(url)][method.toLowerCase()].operationId, id);
        }
    });
}

test('a delegation that is not there is named', async () => {
    await server.refused('GET', `${x.W}/delegations/main.99?chatId=${x.chat}`, 404, 'delegation-not-found');
});

// --- What lists and single things have in common -------------------------------------------------------

test('pages: cursors lead through all of it, forwards and backwards, and stay valid', async () => {
    const w = await server.world('pages', []);
    for (let i = 0; i < 25; i++) await w.say(`m${i}`);
    const page = q => server.get(`${w.chatPath}/messages?limit=10${q}`);
    const one = await page('');
    assert.deepEqual([one.data.length, one.page.hasMore, one.page.total, one.page.totalIsExact, one.page.prev], [10, true, 25, true, null]);
    const two = await page(`&cursor=${encodeURIComponent(one.page.next)}`);
    for (let i = 0; i < 5; i++) await w.say(`later ${i}`);
    const three_ = await page(`&cursor=${encodeURIComponent(two.page.next)}`);
    assert.deepEqual([...one.data, ...two.data, ...three_.data].map(m => m.content).slice(0, 25), Array.from({ length: 25 }, (_, i) => `m${i}`));
    const back = await page(`&cursor=${encodeURIComponent(two.page.prev)}`);
    assert.deepEqual(back.data.map(m => m.content), one.data.map(m => m.content));
    const r = await server.call('GET', `${w.chatPath}/messages?limit=10`);
    assert.match(r.headers.link, /rel="next"/);
    const next = /<([^>]+)>; *rel="next"/.exec(r.headers.link)[1];
    assert.deepEqual((await server.get(next)).data.map(m => m.content), two.data.map(m => m.content));
    // An old version keeps its cursors.
    const target = one.data[3].messageId;
    await server.ask('DELETE', `${w.path}/messages/${target}`, { chatId: w.chat });
    assert.deepEqual((await page(`&cursor=${encodeURIComponent(one.page.next)}&threadId=${(await server.get(`${w.chatPath}/threads`)).data[1].threadId}`)).data.map(m => m.content), two.data.map(m => m.content));
    await server.refused('GET', `${w.chatPath}/threads?cursor=${encodeURIComponent(one.page.next)}`, 400, 'validation');
});

test('before, after and around find their place; the last page is one question away', async () => {
    const w = await server.world('places', []);
    const ids = [];
    for (let i = 0; i < 21; i++) ids.push((await w.say(`m${i}`)).messageId);
    const got = async q => (await server.get(`${w.chatPath}/messages?limit=4&${q}`)).data.map(m => m.content);
    assert.deepEqual(await got(`before=${ids[10]}`), ['m6', 'm7', 'm8', 'm9']);
    assert.deepEqual(await got(`after=${ids[10]}`), ['m11', 'm12', 'm13', 'm14']);
    assert.deepEqual(await got(`before=${ids[0]}`), []);
    assert.deepEqual(await got(`after=${ids[20]}`), []);
    assert.ok((await got(`around=${ids[10]}`)).includes('m10'));
    assert.deepEqual(await got('latest=true'), ['m17', 'm18', 'm19', 'm20']);
    assert.deepEqual(await got('from=3'), ['m3', 'm4', 'm5', 'm6']);
    assert.deepEqual(await got('from=-6'), ['m15', 'm16', 'm17', 'm18']);
    assert.deepEqual(await got('from=-100'), ['m0', 'm1', 'm2', 'm3']);
    assert.deepEqual(await got('from=19'), ['m19', 'm20']);
    assert.deepEqual(await got('from=21'), []);
    const { next } = (await server.get(`${w.chatPath}/messages?limit=4&from=-6`)).page;
    assert.deepEqual(await got(`cursor=${encodeURIComponent(next)}`), ['m19', 'm20']);
    await server.refused('GET', `${w.chatPath}/messages?before=nosuchid00`, 404, 'message-not-found');
});

test('fields picks members, and refuses those that there are not', async () => {
    const r = await server.request('GET', `${x.C}/messages?fields=messageId,content&limit=2`);
    assert.equal(r.status, 200);
    for (const m of r.body.data) assert.deepEqual(Object.keys(m), ['messageId', 'content']);
    const one = await server.request('GET', `${x.W}/agents/ada?fields=name`);
    assert.deepEqual(one.body, { name: 'ada' });
});

test('what a client has is not sent again: ETag and 304', async () => {
    const skipped = [];
    for (const { id, method, o } of operations) {
        if (method !== 'GET' || !o.responses[304] || !examples[id]) continue;
        const [url, , , options = {}] = await examples[id](x);
        const first = await server.call('GET', url, options);
        if (!first.headers.etag) { skipped.push(id); continue; }
        const second = await server.call('GET', url, { headers: { ...options.headers, 'if-none-match': first.headers.etag } });
        assert.deepEqual([second.status, second.text, second.headers.etag], [304, '', first.headers.etag], id);
        assert.equal((await server.call('GET', url, { headers: { ...options.headers, 'if-none-match': `"no", ${first.headers.etag}` } })).status, 304, id);
        assert.equal((await server.call('GET', url, { headers: { ...options.headers, 'if-none-match': '"no"' } })).status, 200, id);
    }
    assert.deepEqual(skipped, []);
    const w = await server.world('tags', []);
    const tag = (await server.call('GET', `${w.chatPath}/messages`)).headers.etag;
    await w.say('new');
    assert.equal((await server.call('GET', `${w.chatPath}/messages`, { headers: { 'if-none-match': tag } })).status, 200);
    const chat = await server.call('GET', w.chatPath);
    assert.match(chat.headers.etag, new RegExp(`^"${chat.body.currentThread}\\.1-[0-9a-f]{8}"$`));
});

test('a world is known by its name in any case and by its id', async () => {
    const byName = await server.get(x.W);
    assert.equal((await server.get(`/worlds/${byName.id}`)).name, 'stage');
    assert.equal((await server.get('/worlds/STAGE')).id, byName.id);
});

test('request ids are taken over when they may be, and made otherwise', async () => {
    const id = async v => (await server.call('GET', '/version', { headers: { 'x-request-id': v } })).headers['x-request-id'];
    assert.equal(await id('my-own.id_7'), 'my-own.id_7');
    for (const bad of ['a b', 'x'.repeat(65), '<script>', ''])
        assert.notEqual(await id(bad), bad);
    const r = await server.refused('GET', '/worlds/none', 404, 'world-not-found', { headers: { 'x-request-id': 'mine' } });
    assert.equal(r.body.requestId, 'mine');
});

test('the same POST with the same Idempotency-Key makes one thing', async () => {
    const headers = { 'idempotency-key': 'make-one' };
    const first = await server.call('POST', '/worlds', { body: { name: 'only' }, headers });
    const again = await server.call('POST', '/worlds', { body: { name: 'only' }, headers });
    const prefixed = await server.call('POST', '/api/v1/worlds', { body: { name: 'only' }, headers });
    assert.deepEqual([first.status, again.status, again.text, again.headers['idempotency-replayed'], prefixed.text], [201, 201, first.text, 'true', first.text]);
    assert.equal(again.headers.location, first.headers.location);
    await server.refused('POST', '/worlds', 422, 'idempotency-mismatch', { body: { name: 'other' }, headers });
    for (const bad of ['x'.repeat(256), 'a b'])
        await server.refused('POST', '/worlds', 400, 'validation', { body: { name: 'other' }, headers: { 'idempotency-key': bad } });
    // What failed may be tried again with the same key.
    const retry = { 'idempotency-key': 'try-again' };
    await server.refused('POST', '/worlds/later/chats', 404, 'world-not-found', { body: {}, headers: retry });
    await server.post('/worlds', { name: 'later' });
    await server.post('/worlds/later/chats', {}, 201, { headers: retry });
});

test('Prefer: return=minimal leaves the body out', async () => {
    const r = await server.request('PATCH', x.W, { body: { description: 'm' }, headers: { prefer: 'return=minimal' } });
    assert.deepEqual([r.status, r.text, r.headers['preference-applied']], [204, '', 'return=minimal']);
});

test('an export comes back whole by import', async () => {
    for (const format of ['md', 'json', 'jsonl', 'mermaid', 'html']) {
        const r = await server.call('GET', `${x.C}/export?format=${format}`);
        assert.equal(r.status, 200);
        assert.ok(r.text.length > 50, format);
    }
    const md = await server.call('GET', `${x.C}/export?format=md`);
    assert.match(md.text, /canned text, not generated/);
    // A store takes a world only once: the copy goes to another one.
    const upload = { raw: (await server.call('GET', `${x.W}/export?format=skein`)).bytes, headers: { 'content-type': 'application/octet-stream' } };
    await server.refused('POST', '/worlds/import?name=copy', 409, 'conflict', upload);
    const other = await Server.start();
    const dry = await other.call('POST', '/worlds/import?dryRun=true&name=copy', upload);
    assert.deepEqual([dry.status, dry.body.dryRun, dry.body.exact], [200, true, true]);
    await other.refused('GET', '/worlds/copy', 404, 'world-not-found');
    const made = await other.call('POST', '/worlds/import?name=copy', upload);
    assert.deepEqual([made.status, made.headers.location, made.body.exact], [201, '/worlds/copy', true]);
    const [before, after] = [await server.get(x.W), await other.get('/worlds/copy')];
    assert.deepEqual(after.agents.map(a => a.name).sort(), before.agents.map(a => a.name).sort());
    for (const chat of before.chats) {
        const twin = after.chats.find(c => c.id === chat.id);
        assert.deepEqual([twin.messageCount, twin.currentThread, twin.version], [chat.messageCount, chat.currentThread, chat.version]);
        const read = s => s.get(`/worlds/${s === server ? 'stage' : 'copy'}/chats/${chat.id}/messages?limit=500`);
        const [a, b] = [await read(server), await read(other)];
        assert.deepEqual(b.data.map(m => [m.messageId, m.content, m.replyToMessageId, m.createdAt]), a.data.map(m => [m.messageId, m.content, m.replyToMessageId, m.createdAt]));
    }
    assert.deepEqual((await other.refused('POST', '/worlds/import', 400, 'validation', { raw: '', headers: upload.headers })).body.errors.length, 1);
});

test('a database of agent-world is imported', async () => {
    const at = new URL('../fuzz/corpus/import/schema_7.db', import.meta.url);
    const upload = { raw: fs.readFileSync(at), headers: { 'content-type': 'application/octet-stream' } };
    const other = await Server.start();
    const dry = await other.call('POST', '/worlds/import?dryRun=true&filename=database.db', upload);
    assert.deepEqual([dry.status, dry.body.form, dry.body.file, dry.body.messages], [200, 'agent-world database, schema 7', 'database.db', 5]);
    await other.refused('GET', '/worlds/the-lab', 404, 'world-not-found');
    const made = await other.call('POST', '/worlds/import', upload);
    assert.deepEqual([made.status, made.headers.location, made.body.worlds], [201, '/worlds/the-lab', ['the-lab']]);
    assert.deepEqual([made.body.idsKept, made.body.linksKept, made.body.copies, made.body.archives], [4, 2, 3, 1]);
    const world = await other.get('/worlds/the-lab');
    assert.deepEqual(world.agents.map(a => [a.name, a.model, a.temperature, a.maxTokens]), [['fern', 'openai/gpt-4', 0.5, 800], ['moss', 'ollama/llama', null, null]]);
    await other.refused('POST', '/worlds/import', 409, 'conflict', upload);
    const cut = { ...upload, raw: upload.raw.subarray(0, 5000) };
    assert.match((await other.refused('POST', '/worlds/import', 422, 'bad-file', cut)).body.detail, /^"the file" is cut off$/);
});

// The body's own member, or a parameter.
const dry = o => JSON.stringify([o.parameters, o.requestBody]).match(/dryRun/) || Object.values(o.requestBody?.content ?? {}).some(c => named(c.schema));
const named = s => s?.$ref ? named(document.components.schemas[s.$ref.split('/').at(-1)]) : s?.properties?.dryRun || [...(s?.allOf ?? []), ...(s?.oneOf ?? []), ...(s?.anyOf ?? [])].some(named);

test('what cannot be tried with dryRun refuses it, and does nothing', async () => {
    const changing = operations.filter(({ method, o }) => method !== 'GET' && !dry(o));
    assert.ok(changing.length > 40);
    for (const { id, method, path, o } of changing) {
        const at = path.replaceAll('{w}', 'stage').replaceAll(/\{\w+\}/g, 'x');
        const bytes = o.requestBody?.content['application/octet-stream'];
        for (const [url, body] of [[`${at}?dryRun=true`, {}], ...(bytes ? [] : [[at, { dryRun: true }]])]) {
            const r = await server.request(method, url, { body });
            assert.deepEqual([r.status, r.body?.errors?.[0]?.pointer], [400, '/dryRun'], `${id}: ${r.text}`);
        }
    }
    await server.refused('POST', '/worlds?dryRun=true', 400, 'validation', { body: { name: 'tried' } });
    await server.refused('GET', '/worlds/tried', 404, 'world-not-found');
});

test('every operation was seen to succeed', async () => {
    const missing = operations.filter(({ id, method, path, o }) => examples[id] &&
        !Object.keys(o.responses).some(s => Number(s) < 300 && seen.has(`${method} ${path} ${s}`)));
    assert.deepEqual(missing.map(m => m.id), []);
});

await finish();
