// states.mjs: what the page shows when there is nothing, when it waits, when the server is away, refuses, or fails;
// and that a change which is refused is taken back on screen, with the reason.
import {
    Server,
    allow,
    assert,
    away,
    axe,
    composer,
    counts,
    finish,
    live,
    open,
    send,
    team,
    test,
    until,
    visit,
    page,
    waitIdle,
} from './kit.mjs';
import { causes, office, startOffice } from './office.mjs';
import { Proxy } from './proxy.mjs';

const server = await Server.start({ script: team() });
const slow = await Server.start({ script: team(), delay: true });
let worlds = 0;
const fresh = (agents = ['lead'], s = server) => s.world(`states${++worlds}`, agents);
const at = (w, view = 'chat') => `/w/${w.name}/c/${w.chat}${view === 'chat' ? '' : `?view=${view}`}`;
const REASON = 'the disk of the test is full';
const refusal = (status = 500) => ({
    status,
    contentType: 'application/problem+json',
    headers: { 'x-request-id': 'req_states' },
    body: JSON.stringify({
        type: '/problems/internal',
        title: 'It did not work',
        status,
        detail: REASON,
        requestId: 'req_states',
    }),
});
// What is asked with this method of this path is refused until it is let through again.
async function refuse(p, method, path, status = 500) {
    allow(p, new RegExp(`status of ${status}`));
    const pattern = url => url.pathname.startsWith('/api/v1') && path.test(url.pathname);
    let asked = 0;
    await p.route(pattern, route => {
        if (route.request().method() !== method) return route.fallback();
        asked++;
        return route.fulfill(refusal(status));
    });
    return { asked: () => asked, end: () => p.unroute(pattern) };
}
const reason = p => p.getByText(REASON).first().waitFor();
const offline = p =>
    until(p, 'the page is offline', () =>
        /^offline since/.test(document.querySelector('.frame-pill-word')?.textContent ?? ''),
    );

// --- Away ------------------------------------------------------------------------------------------------

test('while the server is away: reading, writing and queueing go on, and what was said is sent once', async () => {
    const w = await fresh(['ada'], slow);
    await w.converse('before');
    const proxy = await Proxy.start(slow);
    const p = await open(proxy, at(w));
    allow(p, ...away);
    await p.locator('article.chat-message', { hasText: 'before' }).waitFor();
    proxy.stop();
    await offline(p);
    const banner = p.getByText(/^Offline since \d\d:\d\d\. You can read, write and queue\.$/);
    await banner.waitFor();
    // axe itself would like to read the style sheets again.
    allow(p, /preload assets/);
    await axe(p);
    await send(p, 'said while away', { accepted: false });
    await p
        .getByText(/Offline since \d\d:\d\d\. You can read, write and queue; 1 message will be sent later\./)
        .waitFor();
    await p.locator('article.chat-message', { hasText: 'before' }).waitFor();
    await composer(p).fill('half a thought');
    // Views that were not looked at yet say what is wrong, and the way back is open.
    await p.keyboard.press('Escape');
    proxy.resume();
    await live(p);
    await until(p, 'it is said', () => !document.querySelector('.chat-pending'));
    await waitIdle(w, p);
    assert.equal((await w.messages()).filter(m => m.content === 'said while away').length, 1);
    assert.equal(await composer(p).inputValue(), 'half a thought');
    await until(p, 'the banner is gone', () => !document.body.textContent.includes('Offline since'));
});

test('a button that cannot work while the server is away says so beside it, and works when it is back', async () => {
    const w = await fresh(['ada']);
    await w.converse('one');
    await w.converse('two');
    const proxy = await Proxy.start(server);
    const p = await open(proxy, at(w));
    allow(p, ...away);
    const why = 'The server does not answer: this works again when it does.';
    const dialog = p.getByRole('dialog');
    const told = async (place, name) => {
        await place.getByText(why).first().waitFor();
        const button = place.getByRole('button', { name }).first();
        assert.equal(await button.getAttribute('aria-disabled'), 'true', `${name} is off`);
    };
    const works = (place, name) =>
        place.locator('button:not([aria-disabled])', { hasText: name }).first().waitFor();
    // What a dialog offers, also of one that was open before.
    await p.locator('article.chat-message', { hasText: 'two' }).first().focus();
    await p.keyboard.press('e');
    await dialog.getByRole('textbox', { name: 'Your message' }).fill('three');
    proxy.stop();
    await offline(p);
    await told(dialog, 'Save and send');
    await p.keyboard.press('Control+Enter');
    proxy.resume();
    await live(p);
    await works(dialog, 'Save and send');
    assert.equal((await w.messages()).length, 4, 'nothing was removed');
    await p.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await p.locator('article.chat-message').first().focus();
    await p.keyboard.press('x');
    await p.keyboard.press('Shift+ArrowDown');
    await p.keyboard.press('q');
    await dialog.waitFor();
    proxy.stop();
    await offline(p);
    await told(dialog, 'Preview');
    proxy.resume();
    await live(p);
    await works(dialog, 'Preview');
    // And what a screen offers.
    for (const [to, place, name] of [
        [at(w, 'history'), '.history-detail', 'Branch from here'],
        [`/w/${w.name}/a/ada`, '.agent-controls', 'Wake now'],
    ]) {
        await visit(p, proxy, to);
        await p.locator(place).getByText(name).waitFor();
        proxy.stop();
        await offline(p);
        await told(p.locator(place), new RegExp(name));
        proxy.resume();
        await live(p);
        await works(p.locator(place), name);
    }
});

test('other views are fetched ahead only from a server that is there, and when it is back', async () => {
    const w = await fresh();
    const p = await page();
    allow(p, ...away);
    const api = url => url.pathname.startsWith('/api/');
    await p.route(api, route => route.abort('connectionrefused'));
    const other = /\/assets\/history-view-/; // no part of the chat
    const asked = [];
    p.on('request', r => {
        if (other.test(r.url())) asked.push(r.url());
    });
    await p.clock.install();
    await p.goto(new URL(at(w), server.url).href, { waitUntil: 'load' });
    await offline(p);
    await p.clock.runFor(5000);
    assert.deepEqual(asked, [], 'nothing is fetched ahead from a server that is away');
    const fetched = p.waitForRequest(other);
    await p.unroute(api);
    await p.clock.runFor(60_000);
    await live(p);
    await fetched;
});

test('agents say since when their state is unknown, and the inbox and settings can be read', async () => {
    const w = await fresh(['ada']);
    const proxy = await Proxy.start(server);
    const p = await open(proxy, `/w/${w.name}/agents`);
    allow(p, ...away);
    await p.locator('.agents').getByText('ada').first().waitFor();
    proxy.stop();
    await offline(p);
    await p
        .locator('main')
        .getByText(/unknown since \d\d:\d\d/)
        .first()
        .waitFor();
    proxy.resume();
    await live(p);
    await until(
        p,
        'it is known again',
        () => !document.querySelector('main').textContent.includes('unknown since'),
    );
});

test('a server that changes nothing says so, and offers nothing to change', async () => {
    const store = await Server.start({ script: team() });
    const w = await store.world('fixed', ['ada']);
    await w.converse('hello');
    await store.stop();
    const fixed = await Server.start({ store: store.store, args: ['--read-only'] });
    const p = await open(fixed, at(w));
    await p.locator('article.chat-message', { hasText: 'hello' }).first().waitFor();
    await p.getByText('This server is read only: you can see everything and change nothing.').waitFor();
    assert.equal(await composer(p).count(), 0);
    assert.equal(await p.getByRole('button', { name: 'New conversation' }).count(), 0);
    await axe(p);
    for (const [to, ready] of [
        [at(w, 'history'), '.history-view'],
        [at(w, 'tree'), '.tree-view'],
        [at(w, 'timeline'), '.timeline-view'],
        ['/inbox', '.inbox'],
        [`/w/${w.name}/agents`, '.agents'],
        ['/settings/models', 'main h1, main h2'],
    ]) {
        await visit(p, fixed, to);
        await p.locator(ready).first().waitFor();
    }
});

// --- Nothing there -----------------------------------------------------------------------------------------

test('every screen that is empty says what would be there, and how it comes about', async () => {
    const s = await Server.start({ script: team() });
    const w = await fresh(['lead'], s);
    const p = await page();
    const says = async (to, ...texts) => {
        await visit(p, s, to);
        for (const text of texts) await p.getByText(text).first().waitFor();
        const over = await p.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
        assert.ok(over <= 0, `${to} is ${over} px too wide`);
    };
    await says(
        at(w),
        'No messages yet. Every agent of this world answers unless it is paused; write @name to ask one agent.',
    );
    await counts(p, '.chat-examples button', 3);
    await says(at(w, 'tree'), 'No replies yet. Threads appear when an agent answers.');
    await says(at(w, 'timeline'), 'No runs yet');
    await says(at(w, 'history'), 'One version. Edit, delete, squash or branch to make another.');
    await says('/inbox', 'Nothing needs you.');
    await says('/inbox?filter=done', 'Nothing is done yet.');
    await says(`/search?q=nowhere%20from%3Alead&w=${w.name}`, /^No match in \d+ messages/);
    await p.getByRole('button', { name: 'Remove the filter from:lead' }).first().click();
    await until(
        p,
        'the filter is gone',
        () => !new URL(location.href).searchParams.get('q').includes('from:'),
    );
    const nobody = await fresh([], s);
    await says(`/w/${nobody.name}/agents`, /^No agents\./);
    for (const name of ['New agent', 'Use the demo team']) await p.getByRole('button', { name }).waitFor();
    await p.getByRole('link', { name: 'Import a team' }).waitFor();
    await axe(p);
});

// --- Waiting -------------------------------------------------------------------------------------------------

test('grey rows come only to those who wait longer than 300 ms', async () => {
    const w = await fresh();
    await w.converse('hello');
    const p = await page();
    let pass;
    const passed = new Promise(resolve => {
        pass = resolve;
    });
    await p.route(
        url => /\/chats\/[^/]+\/messages/.test(url.pathname),
        async route => {
            await passed;
            await route.continue();
        },
    );
    await p.goto(new URL(at(w), server.url).href, { waitUntil: 'domcontentloaded' });
    const row = p.locator('.loading i').first();
    await row.waitFor({ state: 'attached' });
    // They are there from the start and cannot be seen; what shows them has not begun for 300 ms.
    assert.equal(await row.evaluate(e => getComputedStyle(e).animationDelay), '0.3s');
    await until(
        p,
        'they are seen',
        () => Number(getComputedStyle(document.querySelector('.loading i')).opacity) > 0.9,
    );
    await p.locator('.loading').getByText('Loading the conversation').waitFor({ state: 'attached' });
    pass();
    await p.locator('article.chat-message', { hasText: 'hello' }).first().waitFor();
    await counts(p, '.loading', 0);
});

// --- Errors that can be tried again -----------------------------------------------------------------------------

for (const [name, view, path, ready] of [
    ['the chat', 'chat', /\/chats\/[^/]+\/messages$/, 'article.chat-message'],
    ['the tree', 'tree', /\/(tree|messages)$/, '[role=treegrid]'],
    [
        'the timeline',
        'timeline',
        /\/(timeline|lanes|messages|delegations)$/,
        '.timeline-view .timeline-items, .timeline-view [data-lane], .timeline-row',
    ],
    ['the history', 'history', /\/threads$/, '.history-detail'],
]) {
    test(`${name} that cannot be read says why, and Retry reads it`, async () => {
        const w = await fresh();
        await w.converse('hello');
        const p = await page();
        // The chat is read with the conversation; for the others the conversation is there, and they are not.
        const here = view === 'chat' ? p : await visit(p, server, at(w));
        if (view !== 'chat') await p.locator('article.chat-message').first().waitFor();
        const no = await refuse(p, 'GET', path);
        if (view === 'chat') await visit(p, server, at(w));
        else
            await here
                .getByRole('navigation', { name: 'Views of this conversation' })
                .getByRole('link', { name: new RegExp(`^${view}`, 'i') })
                .click();
        await reason(p);
        assert.ok(no.asked() > 0);
        await p.locator('.trouble summary', { hasText: 'Details' }).first().click();
        await p.getByText('Request req_states').first().waitFor();
        await axe(p);
        await no.end();
        await p.getByRole('button', { name: 'Retry', exact: true }).first().click();
        await p.locator(ready).first().waitFor();
        await until(p, 'nothing is wrong any more', () => !document.querySelector('.trouble'));
    });
}

for (const [name, to, path, ready] of [
    ['the inbox', () => '/inbox', /\/inbox$/, 'main .empty, .inbox-row'],
    ['the search', w => `/search?q=hello&w=${w.name}`, /\/search$/, '.search-hit, [id^="hit-"]'],
    ['the tasks of an agent', w => `/w/${w.name}/a/lead?tab=tasks`, /\/tasks$/, 'main .empty'],
    ['the settings', () => '/settings/models', /\/providers$/, '.provider-rows'],
]) {
    test(`${name} that cannot be read says why, and Retry reads it`, async () => {
        const w = await fresh();
        await w.converse('hello');
        const p = await page();
        const no = await refuse(p, 'GET', path);
        await visit(p, server, to(w));
        await reason(p);
        assert.ok(no.asked() > 0);
        await axe(p);
        await no.end();
        await p.getByRole('button', { name: 'Retry', exact: true }).first().click();
        await p.locator(ready).first().waitFor({ state: 'attached' });
        await until(p, 'nothing is wrong any more', () => !document.querySelector('.trouble'));
    });
}

// --- Changes that are refused -------------------------------------------------------------------------------------

test('a conversation that cannot be renamed or archived keeps its name and place', async () => {
    const w = await fresh();
    await w.converse('hello');
    const p = await open(server, at(w));
    const no = await refuse(p, 'PATCH', /\/chats\/[^/]+$/, 409);
    await p.getByRole('button', { name: 'More for "room"' }).click();
    await p.getByRole('menuitem', { name: 'Rename…' }).click();
    await p.getByRole('dialog').getByRole('textbox').fill('another name');
    await p.getByRole('dialog').getByRole('button', { name: 'Rename', exact: true }).click();
    await reason(p);
    assert.equal(await p.getByRole('dialog').getByRole('textbox').inputValue(), 'another name');
    await p.keyboard.press('Escape');
    await p.getByRole('dialog').waitFor({ state: 'detached' });
    await p.getByRole('link', { name: /room/ }).first().waitFor();
    assert.equal(await p.getByText('another name').count(), 0);
    await no.end();
    await refuse(p, 'DELETE', /\/chats\/[^/]+$/);
    await p.getByRole('button', { name: 'More for "room"' }).click();
    await p.getByRole('menuitem', { name: 'Archive' }).click();
    await p.locator('.toast', { hasText: REASON }).waitFor();
    await p.getByRole('link', { name: /room/ }).first().waitFor();
});

test('an inbox item that cannot be put away is back, with the reason', async () => {
    const s = await startOffice();
    const w = await office(s);
    const made = await causes(w, 'lead', 'brief refused', 'briefing');
    // Read before, so that nothing but the refusal changes what is shown.
    await s.ask('PATCH', `/inbox/${made.id}`, { read: true });
    const p = await open(s, `/inbox/${made.id}`);
    await p.locator('.inbox-reader').waitFor();
    await until(p, 'it was read', () => !document.querySelector('.inbox-open.inbox-unread'));
    await refuse(p, 'PATCH', /\/inbox\/[^/]+$/, 409);
    await p.keyboard.press('e');
    await p.locator('.toast', { hasText: REASON }).waitFor();
    await p.locator('.inbox-row', { hasText: 'About refused' }).waitFor();
    assert.equal((await s.get(`/inbox/${made.id}`)).doneAt, null);
    assert.equal(await p.getByText('Marked as done.').count(), 0);
});

test('an agent that cannot be paused goes on, with the reason', async () => {
    const w = await fresh();
    const p = await open(server, `/w/${w.name}/a/lead`);
    await refuse(p, 'POST', /\/agents\/lead\/pause$/, 409);
    await p
        .getByRole('button', { name: /^Pause/ })
        .first()
        .click();
    await p.locator('.toast', { hasText: REASON }).waitFor();
    await p
        .getByRole('button', { name: /^Pause/ })
        .first()
        .waitFor();
    assert.equal((await server.get(`${w.path}/agents/lead`)).paused, false);
});

test('a tag that cannot be kept is off again, with the reason', async () => {
    const w = await fresh();
    await server.ask('PUT', `${w.path}/tags`, { tags: [{ name: 'Short', instruction: 'Short' }] });
    const p = await open(server, at(w));
    const tag = p
        .getByRole('group', { name: 'Tags of your next message' })
        .getByRole('button', { name: 'Short' });
    await tag.waitFor();
    await refuse(p, 'PUT', /\/tags$/, 409);
    await tag.click();
    await p.locator('.toast', { hasText: REASON }).waitFor();
    await until(p, 'it is off', () =>
        [...document.querySelectorAll('.tags-button')].every(e => e.ariaPressed === 'false'),
    );
    await p.reload();
    await live(p);
    await tag.waitFor();
    assert.equal(await tag.getAttribute('aria-pressed'), 'false');
});

test('a version that cannot be gone to, and an undo that is refused, leave everything as it is', async () => {
    const w = await fresh();
    await w.converse('hello');
    const [first] = await w.messages();
    await server.ask('PUT', `${w.path}/messages/${first.messageId}`, {
        chatId: w.chat,
        newContent: 'hello again',
    });
    await w.idle();
    const p = await open(server, at(w, 'history'));
    await p.locator('.history-detail').waitFor();
    await refuse(p, 'PUT', /\/currentThread$/, 409);
    await p.keyboard.press('ArrowLeft');
    await p.getByRole('region', { name: 'Version v1', exact: true }).waitFor();
    await p
        .getByRole('button', { name: /^Make (this |v1 )?(version )?current/ })
        .first()
        .click();
    await p.locator('.toast', { hasText: REASON }).first().waitFor();
    assert.equal((await server.get(`${w.chatPath}/currentThread`)).version, 'v2');
    await p.locator('.history-entry[data-version="v2"]', { hasText: 'now' }).first().waitFor();
    await visit(p, server, at(w));
    await p.locator('article.chat-message', { hasText: 'hello again' }).waitFor();
    await p.locator('article.chat-message').first().focus();
    await p.keyboard.press('z');
    await p.locator('.toast', { hasText: `Nothing was undone. ${REASON}` }).waitFor();
    await p.locator('article.chat-message', { hasText: 'hello again' }).waitFor();
});

test('a waiting message that cannot be removed still waits, and one that cannot be sent keeps its words', async () => {
    const w = await fresh(['lead'], slow);
    const p = await open(slow, at(w));
    await send(p, 'hold');
    await p.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await send(p, 'waits for its turn');
    await p.locator('.chat-queue', { hasText: 'waits for its turn' }).waitFor();
    const no = await refuse(p, 'DELETE', /\/queue\/[^/]+$/, 409);
    await p.getByRole('button', { name: 'Remove the queued message: waits for its turn' }).click();
    await p.locator('.toast', { hasText: REASON }).waitFor();
    await p.locator('.chat-queue', { hasText: 'waits for its turn' }).waitFor();
    await no.end();
    await p.getByRole('button', { name: 'Remove the queued message: waits for its turn' }).click();
    await until(p, 'nothing waits', () => !document.querySelector('.chat-queue'));
    await p.getByRole('button', { name: 'Stop', exact: true }).click();
    await w.idle();
    const lost = await refuse(p, 'POST', /\/messages$/, 429);
    await send(p, 'words that are refused', { accepted: false });
    const row = p.locator('article.chat-pending', { hasText: 'words that are refused' });
    await row.getByText(REASON).waitFor();
    for (const name of [/^Retry/, /^Edit/, /^Copy/]) await row.getByRole('button', { name }).waitFor();
    await lost.end();
    await row.getByRole('button', { name: /^Retry/ }).click();
    await until(p, 'it is said', () => !document.querySelector('.chat-pending'));
    await w.idle();
    assert.equal((await w.messages()).filter(m => m.content === 'words that are refused').length, 1);
});

test('a squash and an edit that are refused change nothing, and the words stay', async () => {
    const w = await fresh();
    await w.converse('hello');
    const p = await open(server, at(w));
    await refuse(p, 'GET', /\/count$/, 500);
    await p.locator('article.chat-message', { hasText: 'hello' }).first().focus();
    await p.keyboard.press('e');
    await p.getByRole('dialog').getByText(REASON).waitFor();
    await p.keyboard.press('Escape');
    await p.getByRole('dialog').waitFor({ state: 'detached' });
    await refuse(p, 'POST', /\/squashes$/, 409);
    await p.locator('article.chat-message').first().focus();
    await p.keyboard.press('x');
    await p.keyboard.press('Shift+ArrowDown');
    await counts(p, '.chat-chosen', 2);
    await p.keyboard.press('q');
    await p.getByRole('dialog').getByRole('radio', { name: 'I write it myself' }).check();
    await p.getByRole('dialog').getByRole('textbox', { name: 'Text' }).fill('both in one');
    await p.getByRole('dialog').getByRole('button', { name: 'Use this: makes a new version' }).click();
    await reason(p);
    assert.equal(
        await p.getByRole('dialog').getByRole('textbox', { name: 'Text' }).inputValue(),
        'both in one',
    );
    assert.equal((await w.messages()).length, 2);
});

await finish();
