// store.mjs: what the page knows is what the server knows: over several tabs, lost connections, servers that
// end and come back, streams that are cut anywhere, and reloads in the middle of a sentence.
import { Desk } from '../../../tests/server/desk.mjs';
import { eventually } from '../../../tests/server/lib.mjs';
import {
    Server,
    allow,
    assert,
    away,
    counts,
    finish,
    live,
    open,
    page,
    said,
    same,
    send,
    tab,
    test,
    three,
    unhurried,
    until,
    visit,
    waitIdle,
} from './kit.mjs';
import { Proxy } from './proxy.mjs';

const slow = await Server.start({ script: unhurried(), delay: true });
// A model that is in the middle of a sentence for as long as the test wants it to be.
const openDesk = server =>
    Desk.open(server, q => (/stream \d\W*$/.test(JSON.stringify(q.last.content)) ? undefined : 'I hear.'));
const desk = await openDesk(slow);
const atDesk = (names, { model } = desk) => names.map(name => ({ name, model }));
let worlds = 0;
const fresh = (server, agents = three) => server.world(`store${++worlds}`, agents);
const at = w => `/w/${w.name}/c/${w.chat}`;

const offline = p =>
    until(p, 'the page is offline', () =>
        /^offline since/.test(document.querySelector('.frame-pill-word')?.textContent ?? ''),
    );
// A tab asks the server what happens: it is the one that has the stream from now on.
const asks = p => p.waitForRequest(r => new URL(r.url()).pathname === '/api/v1/events');
const writing = p =>
    until(
        p,
        'somebody writes',
        () => (document.querySelector('.chat-live')?.textContent.match(/word/g) ?? []).length > 2,
    );

// Everybody who was asked begins to write, which is seen; gives what ends their sentences.
async function begin(p, { asked = 1, at: where = desk } = {}) {
    const all = [];
    while (all.length < asked) all.push(await where.next());
    for (const one of all) one.begin('It begins: word1 word2 word3 ');
    await writing(p);
    return () => all.forEach(one => one.answer('and ends.'));
}

test('a message is on screen at once, and its answers are those of the server', async () => {
    const w = await fresh(slow, atDesk(three));
    const p = await open(slow, at(w));
    await send(p, 'hello');
    await same(p, w);
    await send(p, 'stream 1');
    const end = await begin(p, { asked: 3 });
    end();
    await same(p, w);
});

test('a conversation is asked for once, and what happens before the stream is there is told', async () => {
    const w = await fresh(slow, []);
    await w.say('before');
    // While nobody listens a server reads its events a moment later, and tells those again that it has not read.
    const list = { headers: { accept: 'application/json' } };
    const told = (await slow.call('GET', `${w.path}/events?recent=600&limit=500`, list)).body.data;
    await eventually(
        'the server has read what happened',
        async () => (await slow.call('GET', w.path)).headers['skein-event-id'] >= told.at(-1).seq,
    );
    const p = await page();
    const asked = [];
    let letGo;
    const held = new Promise(resolve => (letGo = resolve));
    await p.route('**/api/v1/**', async route => {
        const { pathname, search } = new URL(route.request().url());
        asked.push(pathname + search);
        if (pathname === '/api/v1/events') await held;
        await route.continue();
    });
    const opened = visit(p, slow, at(w));
    opened.catch(() => undefined); // what was waited for before says it
    const streams = asks(p);
    await said(p, 'before');
    await w.say('between');
    assert.match((await streams).headers()['last-event-id'], /^\d+$/);
    letGo();
    await opened;
    await said(p, 'between');
    await same(p, w);
    const first = asked.filter(a => a.includes(w.chat) && !a.includes('/threads/'));
    assert.deepEqual([...new Set(first)], first, 'asked for twice');
});

test('two tabs share one stream, and the second goes on when the first is closed', async () => {
    const w = await fresh(slow, atDesk(three));
    const proxy = await Proxy.start(slow);
    const first = await open(proxy, at(w));
    const second = await visit(await tab(first), proxy, at(w));
    await send(first, '@ada stream 1');
    (await begin(second))();
    await same(second, w);
    await same(first, w);
    assert.equal(proxy.streams.size, 1);
    assert.equal(proxy.opened, 1);
    const asked = asks(second);
    await first.close();
    await asked;
    await live(second);
    await send(second, '@bo stream 2');
    (await begin(second))();
    await same(second, w);
    await proxy.carries(1);
});

test('a tab that is opened in the middle of a sentence gets what was said so far from the other tab', async () => {
    const w = await fresh(slow, ['ada']);
    const proxy = await Proxy.start(slow);
    const first = await open(proxy, at(w));
    const begun = p => p.locator('.chat-live', { hasText: 'I begin, and it will take long.' }).waitFor();
    await send(first, 'hold');
    await begun(first);
    const second = await visit(await tab(first), proxy, at(w));
    await begun(second);
    assert.equal(proxy.streams.size, 1);
    await second.getByRole('button', { name: 'Stop', exact: true }).click();
    await same(second, w);
    await same(first, w);
});

test('a hidden tab gives the stream to one that is looked at', async () => {
    const w = await fresh(slow, ['ada']);
    const proxy = await Proxy.start(slow);
    const first = await open(proxy, at(w));
    const second = await visit(await tab(first), proxy, at(w));
    const asked = asks(second);
    await first.evaluate(() => {
        Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
    });
    await second.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await asked;
    await send(second, 'stream 1');
    await same(second, w);
    await same(first, w);
    await proxy.carries(1);
});

test('what happened while the connection was away is caught up with', async () => {
    const w = await fresh(slow);
    const proxy = await Proxy.start(slow);
    const p = await open(proxy, at(w));
    allow(p, ...away);
    await send(p, 'hello');
    await same(p, w);
    proxy.stop();
    await offline(p);
    for (let i = 0; i < 3; i++) {
        await w.say(`meanwhile ${i}`);
        await w.idle();
    }
    proxy.hold();
    proxy.resume();
    // It may have come back by itself in between.
    await p.evaluate(() => document.querySelector('.banner-warn button')?.click());
    await until(p, 'it says how far behind it is', () =>
        /^catching up [1-9]\d*$/.test(document.querySelector('.frame-pill-word')?.textContent ?? ''),
    );
    proxy.release();
    await live(p);
    await same(p, w);
});

test('a server that is killed and comes back loses nothing, doubles nothing, and gets what was said meanwhile', async () => {
    const server = await Server.start();
    const own = await openDesk(server);
    const w = await fresh(server, atDesk(['ada'], own));
    const proxy = await Proxy.start(server);
    const p = await open(proxy, at(w));
    allow(p, ...away);
    await send(p, 'hello');
    await same(p, w);
    await send(p, 'stream 1');
    await begin(p, { at: own });
    await server.kill();
    await offline(p);
    await send(p, 'said to nobody', { accepted: false });
    await until(p, 'it waits', () =>
        document.querySelector('.chat-pending')?.textContent.includes('said to nobody'),
    );
    await server.start();
    await live(p);
    await waitIdle(w);
    await until(p, 'it is sent', () => !document.querySelector('.chat-pending'));
    await same(p, w);
    assert.equal((await w.messages()).filter(m => m.content === 'said to nobody').length, 1);
}, 90000);

test('what was said while the server was away survives a reload, and is said once', async () => {
    const w = await fresh(slow, ['ada']);
    const proxy = await Proxy.start(slow);
    const p = await open(proxy, at(w));
    allow(p, ...away);
    await send(p, 'hello');
    await same(p, w);
    // The page itself must come: only what it says and hears does not.
    await p.route('**/api/v1/worlds/*/messages', r => r.abort('connectionrefused'));
    await send(p, 'kept in the browser', { accepted: false });
    await until(p, 'it waits', () =>
        document.querySelector('.chat-pending')?.textContent.includes('kept in the browser'),
    );
    await p.unroute('**/api/v1/worlds/*/messages');
    await p.reload();
    await live(p);
    await until(p, 'it is said', () =>
        [...document.querySelectorAll('.chat-message')].some(e =>
            e.textContent.includes('kept in the browser'),
        ),
    );
    await same(p, w);
    assert.equal((await w.messages()).filter(m => m.content === 'kept in the browser').length, 1);
});

test('a stream that is cut in the middle of a piece goes on without a gap', async () => {
    const w = await fresh(slow, ['ada']);
    const proxy = await Proxy.start(slow);
    const p = await open(proxy, at(w));
    allow(p, ...away);
    for (const place of ['message.delta', 'message.delta', 'message.completed', '"word']) {
        proxy.cutIn = place;
        await send(p, 'stream 1');
        await same(p, w);
        proxy.cutIn = null;
    }
    assert.ok(proxy.cuts >= 3, `${proxy.cuts} cuts`);
    assert.ok(proxy.opened > proxy.cuts);
});

test('a reload in the middle of a sentence ends with the same text', async () => {
    const w = await fresh(slow, atDesk(['ada', 'bo']));
    const p = await open(slow, at(w));
    await send(p, 'stream 1');
    const end = await begin(p, { asked: 2 });
    await p.reload();
    await until(
        p,
        'both sentences are there again',
        () =>
            [...document.querySelectorAll('.chat-live')].filter(e =>
                e.textContent.includes('It begins: word1 word2'),
            ).length === 2,
    );
    end();
    await same(p, w);
});

test('an edit, undo and redo elsewhere are followed', async () => {
    const w = await fresh(slow, ['ada']);
    const p = await open(slow, at(w));
    await send(p, 'hello');
    await same(p, w);
    const [first] = await w.messages();
    await slow.ask('PUT', `${w.path}/messages/${first.messageId}`, {
        chatId: w.chat,
        newContent: 'hello again',
    });
    await same(p, w);
    await w.travel('undo');
    await until(
        p,
        'the old one is back',
        id => document.querySelector('article.chat-message')?.dataset.row === id,
        first.messageId,
    );
    await same(p, w);
    await w.travel('redo');
    await until(
        p,
        'it is gone again',
        id => document.querySelector('article.chat-message')?.dataset.row !== id,
        first.messageId,
    );
    await same(p, w);
});

test('the root address opens the current conversation, and an old version has its own', async () => {
    const server = await Server.start({ script: unhurried() });
    const w = await fresh(server, ['ada']);
    const [{ name, currentChatId }] = (await server.get('/worlds')).data;
    const p = await open(server, '/');
    await until(
        p,
        'the conversation is open',
        to => location.pathname === to,
        `/w/${name}/c/${currentChatId}`,
    );
    await visit(p, server, at(w));
    await send(p, 'one');
    await same(p, w);
    const before = await server.get(`${w.chatPath}/currentThread`);
    const [first] = await w.messages();
    await server.ask('PUT', `${w.path}/messages/${first.messageId}`, { chatId: w.chat, newContent: 'two' });
    await same(p, w);
    // A message that only an older version holds opens there.
    const old = await open(server, `${at(w)}#m-${first.messageId}`);
    await until(
        old,
        'the old version is shown',
        v => new URL(location.href).searchParams.get('v') === v,
        before.threadId,
    );
    await until(
        old,
        'its message is shown',
        id => document.querySelector(`article[data-row="${id}"]`) !== null,
        first.messageId,
    );
    await counts(old, '#composer', 0); // nothing can be said in an old version
});

await finish();
