// edit.mjs: editing a message, step by step, and everything that can come in between. Nothing typed is lost.
import {
    Server,
    allow,
    assert,
    away,
    axe,
    finish,
    focusIn,
    hasFocus,
    open,
    same,
    tab,
    team,
    test,
    three,
    until,
    visit,
} from './kit.mjs';
import { breakRemovals } from '../../../tests/server/sabotage.mjs';
import { Proxy } from './proxy.mjs';
import { agent, append, called, human, tool } from './views-kit.mjs';

const server = await Server.start({ script: team() });
const slow = await Server.start({ script: team(), delay: true });
let worlds = 0;
const fresh = (agents = three, s = server) => s.world(`edit${++worlds}`, agents);
const at = w => `/w/${w.name}/c/${w.chat}`;
const recovery = p => p.getByRole('group', { name: 'Warning' }).filter({ hasText: 'was not sent' });
const dialog = p => p.getByRole('dialog');
const edited = (p, n = 4) =>
    p.getByText(`Edited. ${n} messages are in the previous version.`, { exact: true });
const done = p =>
    p
        .getByText(/^Edited\. \d+ messages? (is|are) in the previous version\.$/)
        .first()
        .waitFor();
const banner = p => p.getByText('Your edited message was not sent.');

// Opens the edit of a message that is on screen, by the key.
async function edit(p, text) {
    const row = p.locator('article.chat-message', { hasText: text }).first();
    await row.focus();
    await p.keyboard.press('e');
    await dialog(p).waitFor();
}
async function confirm(p, text, button = 'Save and send') {
    if (text) await dialog(p).getByRole('textbox', { name: 'Your message' }).fill(text);
    const looked = dialog(p).getByRole('checkbox', { name: 'I have looked at the list' });
    if (await looked.count()) await looked.check();
    await dialog(p).getByRole('button', { name: button }).click();
}
const texts = async w => (await w.messages()).map(m => m.content);

test('an edit says what it removes, sends the new text, and can be taken back', async () => {
    const w = await fresh();
    await w.converse('one');
    await w.converse('two');
    const before = await texts(w);
    const p = await open(server, at(w));
    await edit(p, 'two');
    await dialog(p).getByText('This will remove 4 messages (including this one). Continue?').waitFor();
    await axe(p);
    await confirm(p, 'two, better');
    await edited(p).waitFor();
    await same(p, w);
    await p.getByRole('status', { name: 'Edit in progress' }).waitFor({ state: 'detached' });
    assert.equal((await texts(w)).filter(t => t === 'two, better').length, 1);
    assert.equal((await texts(w)).includes('two'), false);
    await focusIn(p, '#composer textarea'); // what is typed next is a message, and no command
    await p.getByRole('button', { name: 'Undo', exact: true }).first().press('Enter');
    await p
        .getByText(/^4 messages are back\. /)
        .first()
        .waitFor();
    await same(p, w);
    assert.deepEqual(await texts(w), before);
    await p.getByRole('button', { name: 'Show', exact: true }).waitFor();
    await p.getByRole('button', { name: 'Redo', exact: true }).press('Enter');
    await same(p, w);
    assert.equal((await texts(w)).includes('two, better'), true);
    await focusIn(p, '#composer textarea');
});

// Opens the menu of a message and asks for its removal.
async function removeFrom(p, text) {
    const row = p.locator('article.chat-message', { hasText: text }).first();
    await row.focus();
    await row
        .getByRole('button', { name: /^More for / })
        .last()
        .click();
    await p.getByRole('menuitem', { name: /^Remove from here on/ }).click();
    await dialog(p).waitFor();
}

test('a removal says what it takes away and from whom, asks, and can be taken back', async () => {
    const w = await fresh();
    await w.converse('one');
    await w.converse('two');
    const before = await texts(w);
    const p = await open(server, at(w));
    await removeFrom(p, 'two');
    await dialog(p).getByRole('heading', { name: 'Remove from here on' }).waitFor();
    await dialog(p).getByText('This will remove 4 messages (including this one). Continue?').waitFor();
    await dialog(p).getByText('They leave the memory of @lead, @ada and @bo.').waitFor();
    await axe(p);
    await dialog(p).getByRole('button', { name: 'Cancel' }).click();
    await dialog(p).waitFor({ state: 'detached' });
    assert.deepEqual(await texts(w), before);
    await removeFrom(p, 'two');
    await dialog(p).getByRole('button', { name: 'Remove 4 messages' }).click();
    const note = p.locator('.toast', { hasText: 'Removed 4 messages. They are in v1.' });
    await note.waitFor();
    await same(p, w);
    assert.deepEqual(await texts(w), before.slice(0, 4));
    await hasFocus(p.getByRole('textbox', { name: 'Message', exact: true }));
    await p.keyboard.type('zoo'); // text, and no command of the message that took the place
    await p.getByRole('textbox', { name: 'Message', exact: true }).fill('');
    assert.deepEqual(await texts(w), before.slice(0, 4));
    await note.getByRole('button', { name: 'Undo' }).click();
    await p.locator('.toast', { hasText: '4 messages are back.' }).waitFor();
    await same(p, w);
    assert.deepEqual(await texts(w), before);
    // It was an undo: what it took back can be redone, and is not undone once more.
    const now = await server.get(`/api/v1${w.chatPath}/currentThread`);
    assert.deepEqual([now.canUndo, now.canRedo], [false, true]);
});

test('a removal waits for agents at work, or stops them', async () => {
    const w = await fresh(['lead'], slow);
    await w.converse('calm');
    await w.say('hold');
    const p = await open(slow, at(w));
    await until(p, 'the agent writes', () => document.querySelector('.chat-live'));
    await removeFrom(p, 'calm');
    await dialog(p).getByRole('heading', { name: 'Agents responding…' }).waitFor();
    await dialog(p).getByRole('button', { name: 'Stop and remove' }).click();
    await dialog(p)
        .getByText(/^This is the first message\. The conversation would be empty/)
        .waitFor();
    await dialog(p).getByRole('checkbox', { name: 'I have looked at the list' }).check();
    await dialog(p)
        .getByRole('button', { name: /^Remove \d messages$/ })
        .click();
    await p.locator('.toast', { hasText: /^Removed \d messages\./ }).waitFor();
    await same(p, w);
    assert.deepEqual(await texts(w), []);
    await hasFocus(p.getByRole('textbox', { name: 'Message', exact: true }));
});

test('results of tools, which stand in the row of their call, are counted and named everywhere', async () => {
    const w = await fresh(['ada']);
    const n = ++worlds;
    await append(w, [
        human(`h${n}`, 'begin', 1),
        human(`q${n}`, 'look', 2),
        agent(`c${n}`, 'ada', 'I look.', 3, called(`k${n}`, 'calendar.find', { what: 'freeze' })),
        tool(`r${n}`, 'ada', 'until noon', 4, `k${n}`),
        agent(`a${n}`, 'ada', 'Until noon.', 5),
    ]);
    const p = await open(server, at(w));
    await edit(p, 'look');
    await dialog(p).getByText('This will remove 4 messages (including this one). Continue?').waitFor();
    await dialog(p).getByText('Counted with them: 1 tool result.').waitFor();
    await dialog(p).getByText('They leave the memory of @ada.').waitFor();
    await dialog(p).getByRole('button', { name: 'Cancel' }).click();
    await p.keyboard.press('x');
    await p.getByRole('toolbar', { name: 'Selected messages' }).getByRole('button', { name: 'All' }).click();
    await p.getByRole('status').filter({ hasText: '5 selected (1 tool result)' }).waitFor();
    await p.keyboard.press('q');
    await dialog(p).getByRole('heading', { name: 'Squash 5 messages (1 tool result) into one' }).waitFor();
    await dialog(p)
        .getByText(/^5 messages \(1 tool result\), about/)
        .waitFor();
    await dialog(p).getByRole('button', { name: 'Cancel' }).click();
    await p.keyboard.press('Escape');
    await removeFrom(p, 'look');
    await dialog(p).getByRole('button', { name: 'Remove 4 messages' }).click();
    await p.locator('.toast', { hasText: 'Removed 4 messages (1 tool result). They are in v1.' }).waitFor();
    await visit(p, server, `${at(w)}?view=history`);
    await p
        .locator('.history-panel .history-entry[data-version="v2"]')
        .filter({ hasText: 'remove 4 messages (1 tool result)' })
        .waitFor();
    await p.getByText('Results of tools are counted as messages.').waitFor();
});

test('the first message has words of its own, and the list must be looked at', async () => {
    const w = await fresh();
    await w.converse('begin');
    const p = await open(server, at(w));
    await edit(p, 'begin');
    await dialog(p).getByRole('heading', { name: 'Edit the first message' }).waitFor();
    await dialog(p)
        .getByText('This is the first message. Editing will restart the conversation. Remove 4 messages?')
        .waitFor();
    assert.equal(await dialog(p).getByRole('button', { name: 'Restart' }).isDisabled(), true);
    await dialog(p).getByRole('textbox', { name: 'Your message' }).press('Control+Enter');
    await dialog(p).getByText('Tick the box first').waitFor();
    await focusIn(p, 'input[type=checkbox]');
    await confirm(p, 'begin again', 'Restart');
    await done(p);
    await same(p, w);
    assert.equal((await texts(w))[0], 'begin again');
});

test('more than ten messages are counted by sender, and the list to confirm is shown: the first ten and the last', async () => {
    const w = await fresh();
    await w.converse('first');
    for (const text of ['alpha', 'beta', 'gamma', 'delta']) await w.converse(text);
    const p = await open(server, at(w), { width: 390, height: 844 });
    await edit(p, 'alpha');
    await dialog(p).getByText('This will remove 16 messages:').waitFor();
    await dialog(p)
        .getByText(/you 4 · .*lead 4/)
        .waitFor();
    const going = (await w.messages()).slice(-16);
    const listed = dialog(p).getByRole('list', { name: 'Messages to be removed' }).locator('li');
    await listed.first().waitFor(); // without a press
    const shown = await listed.evaluateAll(all => all.map(li => [li.value, li.textContent]));
    const line = (m, n) => [n, `${m.sender === 'human' ? 'You' : `@${m.sender}`} ${m.content}`];
    assert.deepEqual(shown.toSpliced(10, 1), [
        ...going.slice(0, 10).map((m, n) => line(m, n + 1)),
        line(going.at(-1), 16),
    ]);
    assert.equal(shown[10][1], '… 5 more …');
    await confirm(p, 'alpha, again', 'Remove 16 and send');
    await done(p);
    await same(p, w);
});

test('while agents respond, the edit says who, and offers to stop them', async () => {
    const w = await fresh(['lead'], slow);
    await w.converse('calm');
    await w.say('hold');
    const p = await open(slow, at(w));
    await until(p, 'the agent writes', () => document.querySelector('.chat-live'));
    await edit(p, 'calm');
    await dialog(p).getByRole('heading', { name: 'Agents responding…' }).waitFor();
    await dialog(p).getByText('@lead is at work in this conversation.').waitFor();
    await dialog(p).getByRole('button', { name: 'Stop and edit' }).click();
    await dialog(p).getByRole('textbox', { name: 'Your message' }).waitFor();
    await confirm(p, 'calm again', 'Restart');
    await done(p);
    await same(p, w);
    assert.equal((await texts(w))[0], 'calm again');
});

test('a world without sessions says so before anything is removed', async () => {
    const w = await fresh();
    await w.converse('one');
    await server.ask('PATCH', w.path, { currentChatId: null });
    const p = await open(server, at(w));
    await edit(p, 'one');
    await dialog(p).getByText('This world has no session, so an edited message cannot be sent.').waitFor();
    await dialog(p).getByRole('button', { name: 'Turn sessions on' }).click();
    await confirm(p, 'one, again', 'Restart');
    await done(p);
    await same(p, w);
});

test('what was typed into an edit that was closed is there again, also after a reload', async () => {
    const w = await fresh();
    await w.converse('one');
    const p = await open(server, at(w));
    await edit(p, 'one');
    await dialog(p).getByRole('textbox', { name: 'Your message' }).fill('one, half wri');
    await p.keyboard.press('Escape');
    await dialog(p).waitFor({ state: 'detached' });
    await p.reload();
    await edit(p, 'one');
    assert.equal(
        await dialog(p).getByRole('textbox', { name: 'Your message' }).inputValue(),
        'one, half wri',
    );
});

test('a server that is killed between the two steps loses nothing: the banner sends the text again, once', async () => {
    const own = await Server.start({ script: team() });
    const proxy = await Proxy.start(own);
    const w = await fresh(three, own);
    await w.converse('one');
    await w.converse('two');
    const p = await open(proxy, at(w));
    allow(p, ...away);
    // Between the answer to DELETE and the POST that follows it.
    await p.route(
        '**/messages',
        async route => {
            if (route.request().method() !== 'POST') return route.continue();
            await own.kill();
            return route.continue();
        },
        { times: 1 },
    );
    await edit(p, 'two');
    await confirm(p, 'two, better');
    await banner(p).waitFor();
    await p.getByText('4 messages were removed.').waitFor();
    await axe(p);
    await own.start();
    await recovery(p).getByRole('button', { name: 'Retry now' }).click();
    await edited(p).waitFor();
    await same(p, w);
    assert.equal((await texts(w)).filter(t => t === 'two, better').length, 1);
    await banner(p).waitFor({ state: 'detached' });
});

test('a reload between the two steps is seen, and the messages can be put back', async () => {
    const w = await fresh();
    await w.converse('one');
    await w.converse('two');
    const before = await texts(w);
    const p = await open(server, at(w));
    let arrived;
    const posted = new Promise(resolve => {
        arrived = resolve;
    });
    await p.route('**/messages', route =>
        route.request().method() === 'POST' ? arrived(route) : route.continue(),
    );
    await edit(p, 'two');
    await confirm(p, 'two, better');
    const held = await posted;
    await p.reload();
    await held.abort().catch(() => {});
    await banner(p).waitFor();
    await recovery(p).getByText('The page was closed or reloaded in between.').waitFor();
    await p.getByText('Show my text').click();
    await p.locator('.edit-kept', { hasText: 'two, better' }).waitFor();
    await p.getByRole('button', { name: 'Put 4 messages back' }).click();
    await banner(p).waitFor({ state: 'detached' });
    await same(p, w);
    assert.deepEqual(await texts(w), before);
    await edit(p, 'two');
    assert.equal(await dialog(p).getByRole('textbox', { name: 'Your message' }).inputValue(), 'two, better');
});

for (const arrives of [true, false])
    test(`an edit is cancelled while its removal is under way, which ${arrives ? 'arrives' : 'is refused'}: all is as before`, async () => {
        const w = await fresh();
        await w.converse('one');
        await w.converse('two');
        const before = await texts(w);
        const p = await open(server, at(w));
        allow(p, /Failed to load resource.*423/);
        const held = new Promise(resolve => {
            void p.route('**/messages/*', route =>
                route.request().method() === 'DELETE' ? resolve(route) : route.continue(),
            );
        });
        await edit(p, 'two');
        await confirm(p, 'two, better');
        const removal = await held;
        const box = p.getByRole('status', { name: 'Edit in progress' });
        await box.getByRole('button', { name: 'Cancel', exact: true }).click();
        await box.getByText('Cancelling…').waitFor();
        if (arrives) await removal.continue();
        else
            await removal.fulfill({
                status: 423,
                contentType: 'application/problem+json',
                body: JSON.stringify({ detail: 'Agents are at work.' }),
            });
        await p
            .getByText(
                arrives ? /^Cancelled\. 4 messages.* are back\./ : /^Cancelled\. Nothing was removed\./,
            )
            .first()
            .waitFor();
        await box.waitFor({ state: 'detached' });
        assert.deepEqual(await texts(w), before);
        await same(p, w);
        await p.unroute('**/messages/*');
        // What was typed is there when the edit is begun again, and it goes through.
        await edit(p, 'two');
        await dialog(p).getByRole('textbox', { name: 'Your message' }).waitFor();
        assert.equal(
            await dialog(p).getByRole('textbox', { name: 'Your message' }).inputValue(),
            'two, better',
        );
        await confirm(p, 'two, better');
        await done(p);
        await same(p, w);
    });

test('a lost answer to the removal is asked for again, and nothing is removed twice', async () => {
    const w = await fresh();
    await w.converse('one');
    await w.converse('two');
    const p = await open(server, at(w));
    allow(p, ...away);
    // The removal arrives; its answer does not.
    await p.route(
        /\/messages\/[\w-]+(\?.*)?$/,
        async route => {
            if (route.request().method() !== 'DELETE') return route.continue();
            await route.fetch();
            return route.abort('connectionreset');
        },
        { times: 1 },
    );
    await edit(p, 'two');
    await confirm(p, 'two, better');
    await p.getByText('The messages may have been removed').waitFor();
    await recovery(p).getByRole('button', { name: 'Retry now' }).click();
    await edited(p).waitFor();
    await same(p, w);
    assert.equal((await texts(w)).filter(t => t === 'one').length, 1);
});

test('an edit in one window shows in another without moving what is read there', async () => {
    const w = await fresh(['lead']);
    for (let i = 0; i < 30; i++) await w.converse(`line ${i}`);
    await w.converse('the last');
    const a = await open(server, at(w));
    const b = await open(server, at(w));
    const third = b.locator('article.chat-message', { hasText: 'line 3' }).first();
    await third.scrollIntoViewIfNeeded();
    await b.mouse.move(600, 300);
    const top = await b.locator('[role=log]').evaluate(log => log.scrollTop);
    await b.mouse.wheel(0, -200);
    await until(
        b,
        'the page has moved, and stands still',
        was =>
            new Promise(done => {
                const log = document.querySelector('[role=log]');
                const now = log.scrollTop;
                requestAnimationFrame(() =>
                    requestAnimationFrame(() => done(now < was && log.scrollTop === now)),
                );
            }),
        top,
    );
    const before = await third.boundingBox();
    await edit(a, 'the last');
    await confirm(a, 'the very last');
    await done(a);
    await same(a, w);
    const newest = (await w.messages()).at(-1).messageId;
    await until(b, 'the other window knows', id => document.querySelector(`[data-row="${id}"]`), newest);
    const after = await third.boundingBox();
    assert.ok(Math.abs(after.y - before.y) <= 1, `the line moved from ${before.y} to ${after.y}`);
    await b.keyboard.press('End');
    await b.getByText('the very last').first().waitFor();
});

test('an open dialog counts again when another window changes the conversation, and keeps the text of a message that is gone', async () => {
    const w = await fresh(['lead']);
    for (const text of ['one', 'two', 'three']) await w.converse(text);
    const p = await open(server, at(w));
    allow(p, /404/);
    await edit(p, 'two');
    await dialog(p).getByText('This will remove 4 messages (including this one). Continue?').waitFor();
    await dialog(p).getByRole('textbox', { name: 'Your message' }).fill('my second');
    const take = async text => {
        const m = (await w.messages()).find(one => one.content === text);
        await server.call('DELETE', `${w.path}/messages/${m.messageId}`, { body: { chatId: w.chat } });
    };
    await take('three');
    await dialog(p).getByText('This will remove 2 messages (including this one). Continue?').waitFor();
    await dialog(p).getByText('The conversation changed while you were writing.').waitFor();
    await take('one');
    await dialog(p).getByRole('heading', { name: 'This message is no longer in this version' }).waitFor();
    await dialog(p).getByText('my second').waitFor();
    await dialog(p).getByRole('button', { name: 'Copy my text' }).waitFor();
});

test('a second tab does not offer to recover an edit that the first is in the middle of', async () => {
    const w = await fresh();
    await w.converse('one');
    const p = await open(server, at(w));
    let go;
    const wait = new Promise(resolve => {
        go = resolve;
    });
    let arrived;
    const posted = new Promise(resolve => {
        arrived = resolve;
    });
    await p.route('**/messages', async route => {
        if (route.request().method() !== 'POST') return route.continue();
        arrived();
        await wait;
        return route.continue();
    });
    await edit(p, 'one');
    await confirm(p, 'one, better', 'Restart');
    await posted;
    const other = await visit(await tab(p), server, at(w));
    assert.equal(await banner(other).count(), 0);
    go();
    await edited(p).waitFor();
    await same(p, w);
    await same(other, w);
    assert.equal(await banner(other).count(), 0);
});

for (const [width, height] of [
    [1280, 800],
    [390, 844],
])
    test(`edits that failed are behind a warning mark at ${width} px, while there are any`, async () => {
        const w = await fresh(['lead']);
        await w.converse('one');
        await w.converse('two');
        const p = await open(server, at(w), { width, height });
        allow(p, /Failed to load resource.*500/);
        const entry = p.getByRole('button', { name: /View edit errors/ });
        const lists = async () => {
            if (width < 800) await p.getByRole('button', { name: 'Conversations, agents and views' }).click();
        };
        await edit(p, 'two');
        await dialog(p).getByRole('textbox', { name: 'Your message' }).waitFor(); // counting fails, too
        const mend = await breakRemovals(server.store);
        try {
            await confirm(p, 'two, better');
            await dialog(p).getByRole('heading', { name: 'This message cannot be edited' }).waitFor();
        } finally {
            await mend();
        }
        await p.keyboard.press('Escape');
        await lists();
        await entry.filter({ hasText: '⚠' }).filter({ hasText: '1' }).click();
        const list = p.getByRole('dialog', { name: 'Edit errors' });
        await list.getByText('A removal failed').waitFor();
        await list.getByText(/sabotage/).waitFor();
        await axe(p);
        await list.getByRole('link', { name: /^Open / }).click();
        await list.waitFor({ state: 'detached' });
        const other = await open(server, at(w));
        const theirs = other.getByRole('button', { name: /View edit errors/ });
        await theirs.waitFor();
        // Put away it is hidden in that browser alone.
        await theirs.click();
        await other.getByRole('button', { name: 'Hide all' }).click();
        await theirs.waitFor({ state: 'detached' });
        await lists();
        await entry.waitFor();
        if (width < 800) await p.keyboard.press('Escape');
        // What solves it takes it out of the list.
        await edit(p, 'two');
        await confirm(p, 'two, better');
        await done(p);
        await same(p, w);
        await lists();
        await p.getByRole('button', { name: 'Archived…' }).waitFor();
        await entry.waitFor({ state: 'detached' });
    });

test('fifty agents are worth a warning', async () => {
    const w = await fresh(Array.from({ length: 50 }, (_, i) => ({ name: `agent${i}`, autoReply: false })));
    await w.say('@agent1 one');
    await w.idle();
    const p = await open(server, at(w));
    await edit(p, 'one');
    await dialog(p).getByText('50 agents remember this conversation').waitFor();
});

await finish();
