// tour.mjs: the first five minutes as a person has them: five steps, by keys and by clicks, at three widths, with a
// look at every screen in both themes; and a reload in the middle of each, which loses nothing.
import fs from 'node:fs';
import {
    Server,
    assert,
    axe,
    chord,
    colours,
    finish,
    live,
    open,
    screenshot,
    script,
    sendTyped,
    test,
    until,
} from './kit.mjs';
import { counts } from './views-kit.mjs';

const tour = await Server.start({ args: ['--demo'] });
// So slowly that there is a middle of everything, and time to look at it.
const words = fs.readFileSync(new URL('../../../src/provider/tour.yaml', import.meta.url), 'utf8');
const slowly = script('slow-tour', words.replace(/^pace: \d+$/m, 'pace: 150'));
const paced = await Server.start({ args: ['--demo'], script: slowly, delay: true });
const minutes = n => n * 60000;

const fresh = async (server, title) => `/w/tour/c/${(await server.post('/worlds/tour/chats', { title })).id}`;
const rowsOf = p => p.locator('article.chat-message');
// A reply that the mouse rests on shows the words of its parent too: they may be there twice.
const row = (p, text) => rowsOf(p).filter({ hasText: text });
const dialog = p => p.getByRole('dialog');
const progress = (p, n) => p.locator('.chat-tour', { hasText: `${n} of 5` });

async function tourIdle(p) {
    await until(
        p,
        'the tour world is idle',
        async () => !(await (await fetch('/api/v1/worlds/tour/status')).json()).isProcessing,
    );
    await until(p, 'nothing is written any more', () => !document.querySelector('.chat-live, .chat-pending'));
}
const fits = async (p, what) => {
    const over = await p.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
    assert.ok(over <= 0, `${what} is ${over} px too wide`);
};
// Both themes of what is on screen, once at each width. They differ in their colours.
const seen = new Set();
async function looks(p, what) {
    await fits(p, what);
    const screen = `${what} at ${p.viewportSize().width}`;
    if (seen.has(screen)) return;
    seen.add(screen);
    for (const [colorScheme, rules] of [['dark'], ['light', colours]]) {
        await p.emulateMedia({ colorScheme });
        await axe(p, rules).catch(error => {
            throw new Error(`${what}, ${colorScheme}: ${error.message}`);
        });
    }
}
async function reload(p) {
    await p.reload({ waitUntil: 'domcontentloaded' });
    await live(p);
}
// The views are in the line above the conversation, or in the bar below it.
const view = (p, name) =>
    p.getByRole('navigation', { name: 'Views of this conversation' }).getByRole('link', { name });
// In the chat keys act on a message; Esc leaves the box for one.
async function fromChat(p) {
    if (await p.locator('#composer textarea:focus').count()) await p.keyboard.press('Escape');
}
async function goTo(p, keys, name, byKeys) {
    if (byKeys) {
        await fromChat(p);
        await chord(p, keys);
    } else await view(p, name).click();
}
// Begins a step: by its number, or by its button, which is in the welcome and then in the list of the tour.
async function step(p, number, byKeys) {
    if (byKeys) return sendTyped(p, String(number));
    const welcome = p.locator('.chat-steps button').nth(number - 1);
    if (await welcome.count()) return welcome.click();
    await tourList(p, byKeys);
    await p
        .locator('.chat-tour li button')
        .nth(number - 1)
        .click();
    return undefined;
}
async function tourList(p, byKeys) {
    if (await p.locator('.chat-tour').count()) return;
    // There is no room for it beside the chat: it is behind the list, and a key away.
    if (byKeys) {
        await fromChat(p);
        await p.keyboard.press(']');
    } else {
        await p.getByRole('button', { name: 'Conversations, agents and views' }).click();
        await p.getByRole('button', { name: 'Tour and details' }).click();
    }
    await p.locator('.chat-tour').waitFor();
}
async function closeList(p) {
    if (p.viewportSize().width >= 1024) return;
    if (await dialog(p).count()) await p.keyboard.press('Escape');
    await dialog(p).waitFor({ state: 'detached' });
}
async function counted(p, n, byKeys) {
    await tourList(p, byKeys);
    await progress(p, n).waitFor();
    await closeList(p);
}

async function hello(p, byKeys) {
    await p.getByText('Welcome. Three agents are here.').waitFor();
    await looks(p, 'the welcome');
    await step(p, 1, byKeys);
    await row(p, 'Hello everyone!').getByText('→ lead, ada, bo').first().waitFor();
    await counts(p, 'article.chat-message', 4);
    await tourIdle(p);
    await until(
        p,
        'each says whom it answers, and that it is scripted',
        () =>
            [...document.querySelectorAll('article.chat-message')].filter(
                e =>
                    e.textContent.includes('↪ replying to You') &&
                    [...e.querySelectorAll('.badge')].some(b => b.textContent.includes('scripted')),
            ).length === 3,
    );
    await looks(p, 'three answers');
    await counted(p, 1, byKeys);
}

async function delegation(p, byKeys) {
    await step(p, 2, byKeys);
    const box = p.locator('.chat-delegation');
    await box.waitFor();
    await row(p, 'the script settles on Thursday').first().waitFor();
    await tourIdle(p);
    await box.filter({ hasText: /main\.1.*@ada.*Find a date.*✓/ }).waitFor();
    await looks(p, 'a delegation in the chat');
    if (p.viewportSize().width === 1280 && byKeys) await picture(p);
    await goTo(p, 'g l', /^Time/, byKeys);
    const head = lane => p.locator(`[data-lane="${lane}"]`).first();
    await head('main.1').waitFor();
    if ((await head('main.1').getAttribute('aria-expanded')) === 'false') await head('main.1').click();
    await head('main.1.1').waitFor();
    if ((await head('main.1.1').getAttribute('aria-expanded')) === 'false') await head('main.1.1').click();
    await p.getByText('leaves nobody to mend it on Saturday').first().waitFor();
    await until(p, 'one box is in the other', () => {
        const [outer, inner] = ['main.1', 'main.1.1'].map(lane =>
            document.querySelector(`[data-lane="${lane}"]`).getBoundingClientRect(),
        );
        return inner.left > outer.left && inner.top > outer.top && inner.right <= outer.right;
    });
    await looks(p, 'boxes in the timeline');
    await goTo(p, 'g c', 'Chat', byKeys);
    await row(p, 'the script settles on Thursday').first().waitFor();
    await counted(p, 2, byKeys);
}

// The picture of the README: a conversation with replies, a delegation, and all about one message beside it.
async function picture(p) {
    await p.emulateMedia({ colorScheme: 'light' });
    const hide = p.getByRole('button', { name: 'Hide this note' });
    if (await hide.count()) await hide.click();
    await row(p, 'I hand the question of the date to ada').focus();
    await p.mouse.move(0, 0);
    await screenshot(p, 'page');
}

async function edit(p, byKeys) {
    const before = await rowsOf(p).evaluateAll(all => all.map(e => e.dataset.row));
    await step(p, 3, byKeys);
    await dialog(p)
        .getByText(/^This will remove \d+ messages \(including this one\)\. Continue\?$/)
        .waitFor();
    await looks(p, 'the edit');
    await dialog(p).getByRole('textbox', { name: 'Your message' }).fill('Hello again, all of you!');
    if (byKeys) await p.keyboard.press('Control+Enter');
    else await dialog(p).getByRole('button', { name: 'Save and send' }).click();
    await p
        .getByText(/^Edited\. \d+ messages( \(\d+ tool results?\))? are in the previous version\.$/)
        .first()
        .waitFor();
    await row(p, 'Hello again, all of you!').first().waitFor();
    await row(p, 'the script settles on Thursday').first().waitFor({ state: 'detached' });
    await fits(p, 'the toast');
    await tourIdle(p);
    if (byKeys) {
        await rowsOf(p).last().focus();
        await p.keyboard.press('z');
    } else await p.getByRole('button', { name: 'Undo', exact: true }).first().click();
    await until(
        p,
        'it is as before',
        all =>
            JSON.stringify([...document.querySelectorAll('article.chat-message')].map(e => e.dataset.row)) ===
            JSON.stringify(all),
        before,
    );
    await counted(p, 3, byKeys);
}

async function squash(p, byKeys) {
    const before = await rowsOf(p).count();
    await step(p, 4, byKeys);
    await closeList(p);
    const bar = p.getByRole('toolbar', { name: 'Selected messages' });
    await bar.getByText('5 selected').waitFor();
    await looks(p, 'the selection');
    if (byKeys) {
        await fromChat(p);
        await p.keyboard.press('q');
    } else await bar.getByRole('button', { name: 'Squash' }).click();
    const prompt = dialog(p).getByRole('textbox', { name: 'Prompt' });
    await prompt.waitFor();
    assert.notEqual(await prompt.inputValue(), '', 'the prompt is filled in');
    await dialog(p).getByRole('button', { name: 'Preview' }).click();
    await dialog(p).getByText('A canned text of the scripted demo stands here').first().waitFor();
    await looks(p, 'the preview of a squash');
    await dialog(p).getByRole('button', { name: 'Use this: makes a new version' }).click();
    await row(p, 'A canned text of the scripted demo stands here').first().waitFor();
    await until(
        p,
        'five became one',
        n => document.querySelectorAll('article.chat-message').length < n,
        before,
    );
    // The new version is told of before the server has answered: until then keys belong to the dialog.
    await dialog(p).waitFor({ state: 'detached' });
    await goTo(p, 'g h', /^History/, byKeys);
    await p
        .getByText(/squash 5→1/)
        .first()
        .waitFor();
    await looks(p, 'the history');
    await goTo(p, 'g c', 'Chat', byKeys);
    await row(p, 'A canned text of the scripted demo stands here').first().waitFor();
    await counted(p, 4, byKeys);
}

// The work is a box in the timeline, where it was given, with what was done in it.
async function backgroundBox(p, byKeys) {
    await goTo(p, 'g l', /^Time/, byKeys);
    const box = p.getByRole('group', { name: 'Background work of @ada: Task of the tour' }).last();
    const head = box.getByRole('button').first();
    await head.filter({ hasText: /◌ background.*@ada.*✓ done/ }).waitFor();
    if ((await head.getAttribute('aria-expanded')) === 'false') {
        await head.focus();
        if (byKeys) await p.keyboard.press('ArrowRight');
        else await head.click();
    }
    await box.getByText('demo_lookup').first().waitFor();
    await box.getByRole('link', { name: 'See the background work of @ada' }).waitFor();
    await looks(p, 'the background work in the timeline');
    await goTo(p, 'g c', 'Chat', byKeys);
    await row(p, 'work in the background and brief me').first().waitFor();
}

async function background(p, byKeys) {
    await step(p, 5, byKeys);
    await until(
        p,
        'the inbox has one',
        () =>
            /unread/.test(document.querySelector('.frame-inbox')?.ariaLabel ?? '') &&
            Number(/\d+/.exec(document.querySelector('.frame-inbox').textContent)?.[0]) > 0,
    );
    await closeList(p);
    await tourIdle(p);
    await counted(p, 5, byKeys);
    await backgroundBox(p, byKeys);
    if (byKeys) {
        await fromChat(p);
        await chord(p, 'g i');
    } else await p.locator('.frame-inbox').click();
    const item = p.locator('.inbox-row', { hasText: 'The tour worked in the background' }).first();
    await item.waitFor();
    await looks(p, 'the inbox');
    if (byKeys) {
        await p.keyboard.press('j');
        await until(p, 'the first has the focus', () => document.activeElement?.closest('.inbox-row'));
        await p.keyboard.press('Enter');
    } else await item.getByRole('link').first().click();
    const reader = p.locator('.inbox-reader');
    await reader.getByText('I gave ada a task for her background.').waitFor();
    await looks(p, 'the briefing');
    const way = reader.getByRole('link', { name: 'See the background work' });
    if (byKeys) {
        await way.focus();
        await p.keyboard.press('Enter');
    } else await way.click();
    await p.locator('article', { hasText: 'Subordinate ada reports' }).first().waitFor();
    assert.equal(await p.locator('#composer').count(), 0, 'the work of an agent is read only');
    await looks(p, 'the work in the background');
}

for (const [width, height, way] of [
    [1280, 800, 'keys'],
    [390, 844, 'clicks'],
    [320, 640, 'keys'],
    [1280, 800, 'clicks'],
]) {
    test(
        `the five steps by ${way} at ${width} px`,
        async () => {
            const byKeys = way === 'keys';
            const p = await open(
                tour,
                await fresh(tour, width === 1280 && byKeys ? 'The launch' : `By ${way} at ${width}`),
                { width, height },
            );
            await hello(p, byKeys);
            await delegation(p, byKeys);
            await edit(p, byKeys);
            await squash(p, byKeys);
            await background(p, byKeys);
            for (const item of (await tour.get('/inbox?state=open')).data)
                await tour.ask('PATCH', `/inbox/${item.id}`, { done: true });
        },
        minutes(5),
    );
}

// --- Reloads in the middle ------------------------------------------------------------------------------

test(
    'a reload in the middle of every step loses nothing',
    async () => {
        const p = await open(paced, await fresh(paced, 'reloads'));
        await p.getByText('Welcome. Three agents are here.').waitFor();
        await sendTyped(p, '1');
        await p.locator('.chat-live').first().waitFor();
        await reload(p);
        await counts(p, 'article.chat-message', 4);
        assert.equal(await row(p, 'Hello everyone!').count(), 1);
        await tourIdle(p);

        await sendTyped(p, '2');
        await p.locator('.chat-delegation-running').waitFor();
        await reload(p);
        await p.locator('.chat-delegation').waitFor();
        await row(p, 'the script settles on Thursday')
            .first()
            .waitFor({ timeout: minutes(1) });
        await p.locator('.chat-delegation', { hasText: /main\.1.*✓/ }).waitFor();
        await tourIdle(p);

        // What was typed into the edit, and nothing is removed by looking.
        const before = await rowsOf(p).count();
        await sendTyped(p, '3');
        await dialog(p).getByRole('textbox', { name: 'Your message' }).fill('Hello again, after a reload!');
        await reload(p);
        await counts(p, 'article.chat-message', before);
        await sendTyped(p, '3');
        await until(
            p,
            'what was typed is there',
            text => document.querySelector('dialog textarea')?.value === text,
            'Hello again, after a reload!',
        );
        await p.keyboard.press('Control+Enter');
        await p.locator('.chat-live').first().waitFor();
        await reload(p);
        await row(p, 'Hello again, after a reload!').first().waitFor();
        await tourIdle(p);
        assert.equal(await row(p, 'Hello again, after a reload!').count(), 1);
        await fromChat(p);
        await p.keyboard.press('z');
        await row(p, 'the script settles on Thursday').first().waitFor();

        await sendTyped(p, '4');
        await p.getByRole('toolbar', { name: 'Selected messages' }).getByText('5 selected').waitFor();
        await fromChat(p);
        await p.keyboard.press('q');
        await dialog(p).getByRole('button', { name: 'Preview' }).click();
        await reload(p);
        // A preview that nobody used has changed nothing.
        await counts(p, 'article.chat-message', before);

        await sendTyped(p, '5');
        await row(p, 'work in the background and brief me').first().waitFor();
        await reload(p);
        await until(
            p,
            'the inbox has one',
            () => Number(/\d+/.exec(document.querySelector('.frame-inbox')?.textContent)?.[0]) > 0,
        );
        await tourIdle(p);
        await row(p, 'Ada has a task in her background now').first().waitFor();
        assert.equal(await row(p, 'work in the background and brief me').count(), 1);
        // What was done before a reload stays ticked.
        await progress(p, 4).waitFor();
    },
    minutes(4),
);

await finish();
