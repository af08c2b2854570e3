// notices.mjs: notes and the phases of an edit say what happened, and cover nothing that is read or pressed.
import {
    Server,
    allow,
    assert,
    chord,
    finish,
    focusIn,
    live,
    onMessage,
    open,
    page,
    settled,
    team,
    test,
    until,
    visit,
} from './kit.mjs';
import { at } from './views-kit.mjs';

const server = await Server.start({ script: team(), delay: true });
let worlds = 0;
async function talked() {
    const w = await server.world(`notes${++worlds}`, ['lead']);
    for (const text of ['one', 'two', 'three', 'four', 'five', 'six']) await w.converse(text);
    return w;
}
const sizes = [
    [1280, 800],
    [390, 844],
    [320, 640],
];

// What of these a note lies over: nothing may be there.
const covered = (p, selectors) =>
    p.evaluate(all => {
        const box = e => e.getBoundingClientRect();
        const over = (a, b) =>
            a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
        const notes = [...document.querySelectorAll('.toast, .edit-phases')].map(box);
        return all.filter(s => {
            const found = [...document.querySelectorAll(s)].at(-1);
            if (!found) return true;
            return notes.some(note => over(note, box(found)));
        });
    }, selectors);
const inChat = ['#composer', '#composer textarea', '#composer button', 'article[data-row]', '.frame-top'];
const atEnd = p =>
    until(p, 'the last message is there as a whole', () => {
        const log = document.querySelector('.chat-log').getBoundingClientRect();
        const last = [...document.querySelectorAll('article[data-row]')].at(-1)?.getBoundingClientRect();
        return last && last.bottom <= log.bottom + 1;
    });

for (const [width, height] of sizes) {
    test(`notes cover neither the last message nor what is written with, at ${width} px`, async () => {
        const w = await talked();
        const p = await page({ width, height });
        await p.clock.install();
        await visit(p, server, at(w));
        allow(p, /409/);
        await onMessage(p);
        // Notes go by themselves: not before they were looked at, however long that takes.
        await p.clock.pauseAt(Date.now() + 3600e3);
        for (const [key, text] of [
            ['n', 'Nothing is unread.'],
            ['z', 'There is nothing to undo.'],
            ['Shift+z', 'There is nothing to redo.'],
        ]) {
            await p.keyboard.press(key);
            await p.locator('.toast', { hasText: text }).waitFor();
            await settled(p);
            await atEnd(p);
            assert.deepEqual(await covered(p, inChat), [], `after "${text}"`);
        }
        await p.keyboard.press('F6');
        await focusIn(p, '.toast button');
        await p.keyboard.press('Enter');
        await p.locator('.toast', { hasText: 'There is nothing to redo.' }).waitFor({ state: 'detached' });
        await p.clock.resume();
        await onMessage(p);
        for (const [view, last] of [
            ['timeline', '.timeline-row'],
            ['tree', '[role="row"]'],
        ]) {
            await chord(p, view === 'tree' ? 'g t' : 'g l');
            await p.locator(last).last().scrollIntoViewIfNeeded();
            await p.keyboard.press('n');
            await p.locator('.toast', { hasText: 'Nothing is unread.' }).waitFor();
            assert.deepEqual(await covered(p, [last]), [], `in the ${view}`);
        }
    });

    test(`the phases of an edit and its note cover nothing either, at ${width} px`, async () => {
        const w = await talked();
        const p = await open(server, at(w), { width, height });
        await p.locator('article[data-row]', { hasText: 'five' }).first().focus();
        await p.keyboard.press('e');
        const dialog = p.getByRole('dialog');
        await dialog.getByRole('textbox', { name: 'Your message' }).fill('hold');
        await dialog.getByRole('button', { name: 'Save and send' }).click();
        await p.locator('.toast', { hasText: /^Edited\./ }).waitFor();
        await p.locator('.edit-phases', { hasText: 'Agents responding…' }).waitFor();
        await p.getByText('I begin, and it will take long.').waitFor();
        await settled(p);
        await atEnd(p);
        assert.deepEqual(await covered(p, inChat), []);
        await p.locator('.toast').getByRole('button', { name: 'Undo' }).waitFor();
    });
}

// --- An edit that stopped half way ------------------------------------------------------------------------

// A browser that was closed between the two steps of an edit. No second passes by itself: it would be tried again.
async function stopped(w, width, height) {
    const p = await page({ width, height });
    await p.clock.install();
    await p.addInitScript(
        ([world, chatId]) =>
            localStorage.setItem(
                `skein.edit:${world}:${chatId}`,
                JSON.stringify({
                    world,
                    chatId,
                    messageId: 'gone',
                    newText: 'What I would rather have said.',
                    phase: 'resubmitting',
                    removeKey: 'remove',
                    postKey: 'post',
                    clientMessageId: 'mine',
                    count: 1234,
                    etag: '',
                    previousThread: 't_before',
                    replyTo: null,
                    instructions: [],
                    reason: 'The connection was lost.',
                    at: Date.now(),
                }),
            ),
        [w.name, w.chat],
    );
    await p.goto(new URL(at(w), server.url).href);
    await live(p);
    await p.clock.pauseAt(Date.now() + 3600e3);
    return p;
}

for (const [width, height] of sizes.slice(1)) {
    test(`what a stopped edit offers is whole and in one line each, at ${width} px`, async () => {
        const w = await talked();
        const p = await stopped(w, width, height);
        const banner = p.getByRole('group', { name: 'Warning' }).filter({ hasText: 'was not sent' });
        await banner.waitFor();
        const buttons = await banner.getByRole('button').evaluateAll(all =>
            all.map(e => {
                const words = document.createRange();
                words.selectNodeContents(e);
                const box = e.getBoundingClientRect();
                return {
                    text: e.textContent,
                    lines: new Set([...words.getClientRects()].map(r => Math.round(r.top))).size,
                    whole: e.scrollWidth <= e.clientWidth && box.left >= 0 && box.right <= innerWidth,
                    target: Math.round(box.height) >= 44,
                };
            }),
        );
        const good = { lines: 1, whole: true, target: true };
        assert.deepEqual(
            buttons,
            ['Retry now', 'Put 1\u00a0234 messages back', 'Copy my text'].map(text => ({ text, ...good })),
        );
        // There is still room to read.
        const room = await p.evaluate(() => document.querySelector('.chat-log').clientHeight);
        assert.ok(room >= 88, `${room} px are left for messages`);
    });
}

await finish();
