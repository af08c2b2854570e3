// frame.mjs: what stands around every view: columns, bars, landmarks, targets, themes, the states of the connection.
import { Desk } from '../../../tests/server/desk.mjs';
import {
    Server,
    allow,
    arrives,
    assert,
    away,
    axe,
    composer,
    finish,
    hasFocus,
    live,
    onMessage,
    open,
    page,
    send,
    team,
    test,
    three,
    until,
    visit,
    waitIdle,
} from './kit.mjs';
import { Proxy } from './proxy.mjs';

const server = await Server.start({ script: team() });
let worlds = 0;
const fresh = () => server.world(`frame${++worlds}`, three);
const at = (w, query = '') => `/w/${w.name}/c/${w.chat}${query}`;
const sizes = [
    [1280, 800],
    [390, 844],
    [320, 640],
];
const screens = w => [
    at(w),
    at(w, '?view=tree'),
    at(w, '?view=timeline'),
    at(w, '?view=history'),
    `/w/${w.name}/agents`,
    `/w/${w.name}/a/lead`,
    '/inbox',
    `/search?q=hello&w=${w.name}`,
    '/settings/models',
    '/settings/data',
    '/w/nowhere',
];

async function talked() {
    const w = await fresh();
    await w.converse('hello');
    return w;
}

for (const [width, height] of sizes) {
    test(`at ${width} px no screen scrolls sideways, and each has its landmarks and one first heading`, async () => {
        const w = await talked();
        const p = await open(server, at(w), { width, height, hasTouch: width < 640 });
        allow(p, /404/);
        for (const screen of screens(w)) {
            await visit(p, server, screen);
            const found = await p.evaluate(() => ({
                wide: document.documentElement.scrollWidth - innerWidth,
                main: document.querySelectorAll('main').length,
                banner: document.querySelectorAll('body header.frame-top').length,
                first: document.querySelectorAll('#main h1').length,
                unnamed: [...document.querySelectorAll('nav, aside, section[role]')].filter(
                    e => !e.ariaLabel && !e.getAttribute('aria-labelledby'),
                ).length,
            }));
            assert.deepEqual(found, { wide: 0, main: 1, banner: 1, first: 1, unnamed: 0 }, screen);
        }
    });
}

test('at 1280 px there are three columns of 240, flexible and 280 px, which [ and ] close and open', async () => {
    const p = await open(server, at(await talked()));
    const columns = wanted =>
        until(
            p,
            `the columns are ${wanted}`,
            all =>
                ['.frame-list', '.frame-main', '.frame-panel'].every(
                    (s, i) => (document.querySelector(s)?.offsetWidth ?? 0) === all[i],
                ),
            wanted,
        );
    await columns([240, 760, 280]);
    await onMessage(p);
    await p.keyboard.press(']');
    await columns([240, 1040, 0]);
    await p.keyboard.press('[');
    await columns([0, 1280, 0]);
    await p.reload();
    await live(p);
    await columns([0, 1280, 0]);
    await p.getByRole('button', { name: 'Open the list' }).click();
    await p.getByRole('button', { name: /^Open the panel/ }).click();
    await columns([240, 760, 280]);
});

test('under 1024 px the panel is a sheet, and the focus goes back to what opened it', async () => {
    const p = await open(server, at(await talked(), '?view=tree'), { width: 900 });
    const opener = p.getByRole('button', { name: /^Open the panel/ });
    await opener.click();
    await p.getByRole('dialog', { name: 'Analytics' }).waitFor();
    await p.keyboard.press('Escape');
    await p.getByRole('dialog').waitFor({ state: 'detached' });
    await hasFocus(opener);
});

test('at 200 % (640 × 400) the list is a sheet, the head is whole, and a screen change draws no ring', async () => {
    const p = await open(server, at(await talked()), { width: 640, height: 400 });
    assert.equal(await p.locator('.frame-list').count(), 0);
    const cut = await p.evaluate(
        () =>
            [...document.querySelectorAll('.chat-head button, .chat-head a')].filter(
                e => e.getBoundingClientRect().right > innerWidth,
            ).length,
    );
    assert.equal(cut, 0);
    await p.getByRole('button', { name: /^Open the list/ }).click();
    await p.getByRole('dialog').getByRole('link', { name: 'Settings' }).waitFor();
    await p.keyboard.press('Escape');
    await p.getByRole('dialog').waitFor({ state: 'detached' });
    await p.evaluate(() => document.getElementById('main').focus({ focusVisible: true }));
    assert.equal(
        await p.evaluate(() => getComputedStyle(document.getElementById('main')).outlineStyle),
        'none',
    );
});

test('under 640 px there is one column, with a bar of four views below and the list as a sheet', async () => {
    const p = await open(server, at(await talked()), { width: 390, height: 844, hasTouch: true });
    assert.deepEqual(await p.locator('.frame-bottom a').allTextContents(), [
        'Chat',
        'Tree',
        'Time',
        'History',
    ]);
    for (const view of ['Tree', 'Time', 'History', 'Chat']) {
        await p.locator('.frame-bottom').getByRole('link', { name: view }).tap();
        await p.locator(`.frame-bottom a[aria-current=page]:has-text("${view}")`).waitFor();
        await live(p);
    }
    await p.getByRole('button', { name: 'Conversations, agents and views' }).tap();
    const sheet = p.getByRole('dialog');
    await sheet.getByRole('link', { name: 'Settings' }).tap();
    await sheet.waitFor({ state: 'detached' });
    await arrives(p, '/settings/models');
});

// Links within a sentence may be as small as the sentence (WCAG 2.5.8).
const small = (p, least) =>
    p.evaluate(
        px =>
            [...document.querySelectorAll('button, a[href], input, select, summary, [role=tab]')]
                .filter(
                    e =>
                        e.checkVisibility({ visibilityProperty: true }) &&
                        !e.closest('.skip-links') &&
                        !e.closest('[aria-hidden=true]'),
                )
                .filter(
                    e =>
                        !(
                            e.matches('a, button') &&
                            getComputedStyle(e).display === 'inline' &&
                            e.closest('p, li, .chat-text')
                        ),
                )
                .map(e => ({
                    e,
                    box: (e.matches('input[type=checkbox], input[type=radio]')
                        ? (e.closest('label') ?? e)
                        : e
                    ).getBoundingClientRect(),
                }))
                .filter(
                    ({ box }) => box.width > 0 && (Math.round(box.width) < px || Math.round(box.height) < px),
                )
                .map(
                    ({ e, box }) =>
                        `${e.tagName} ${e.className} "${(e.ariaLabel ?? e.textContent).slice(0, 30)}" ${Math.round(box.width)}×${Math.round(box.height)}`,
                ),
        least,
    );

test('every target is at least 24 px, and 44 px on a phone', async () => {
    const w = await talked();
    const p = await open(server, at(w));
    const phone = await page({ width: 390, height: 844, hasTouch: true, isMobile: true });
    await visit(phone, server, at(w));
    for (const [one, least] of [
        [p, 24],
        [phone, 44],
    ]) {
        allow(one, /404/);
        for (const screen of screens(w)) {
            await visit(one, server, screen);
            assert.deepEqual(await small(one, least), [], `${screen} with ${least} px`);
        }
    }
});

test('the help is the last thing in the top bar of every screen', async () => {
    const w = await talked();
    for (const [width, height] of sizes) {
        const p = await open(server, at(w), { width, height });
        allow(p, /404/);
        for (const screen of screens(w)) {
            await visit(p, server, screen);
            const help = await p.evaluate(() => {
                const last = document.querySelector('.frame-top').lastElementChild;
                return { name: last.ariaLabel, gap: innerWidth - last.getBoundingClientRect().right };
            });
            assert.equal(help.name, 'Help: keys of this screen');
            assert.ok(help.gap >= 0 && help.gap <= 16, `${screen}: ${help.gap} px from the edge`);
        }
    }
});

for (const theme of ['light', 'dark']) {
    test(`axe finds nothing in the frame and its windows, ${theme}`, async () => {
        const w = await talked();
        const p = await open(server, at(w), { theme, reducedMotion: true });
        await axe(p);
        await p.keyboard.press('F1');
        await p.getByRole('dialog', { name: 'Keys of this screen' }).waitFor();
        await axe(p);
        await p.keyboard.press('Escape');
        await p.getByRole('dialog').waitFor({ state: 'detached' });
        await p.keyboard.press('Control+k');
        await p.getByRole('combobox').fill('hello');
        await p.getByRole('option', { name: /You · room/ }).waitFor();
        await axe(p);
        await p.keyboard.press('Escape');
        await p.getByRole('dialog').waitFor({ state: 'detached' });
        await p.getByRole('button', { name: /switch the world$/ }).click();
        await p.getByRole('menuitem', { name: 'New world…' }).waitFor();
        await axe(p);
        const phone = await open(server, at(w), { theme, width: 390, height: 844, reducedMotion: true });
        await axe(phone);
        await phone.getByRole('button', { name: 'Conversations, agents and views' }).click();
        await phone.getByRole('dialog').getByRole('link', { name: 'Settings' }).waitFor();
        await axe(phone);
    });
}

test("the theme is the system's unless the person chose one, and both reach the page", async () => {
    const w = await talked();
    const ground = p => p.evaluate(() => getComputedStyle(document.body.parentElement).backgroundColor);
    const dark = await open(server, at(w), { theme: 'dark' });
    assert.equal(await ground(dark), 'rgb(15, 18, 22)');
    await dark.keyboard.press('Control+k');
    await dark.keyboard.type('> light theme');
    await dark.keyboard.press('Enter');
    await until(
        dark,
        'the page is light',
        () => getComputedStyle(document.documentElement).backgroundColor === 'rgb(255, 255, 255)',
    );
    await dark.reload();
    await live(dark);
    assert.equal(await ground(dark), 'rgb(255, 255, 255)');
    const high = await open(server, at(w), { contrast: 'more' });
    assert.equal(await high.evaluate(() => getComputedStyle(document.documentElement).color), 'rgb(0, 0, 0)');
});

test('nothing moves in calm mode, nor when the system asks for less movement', async () => {
    const w = await talked();
    const moving = p =>
        p.evaluate(
            () =>
                [...document.querySelectorAll('.frame *')].filter(e => {
                    const s = getComputedStyle(e);
                    return (
                        s.animationName !== 'none' ||
                        (s.transitionDuration !== '0s' && s.transitionProperty !== 'none')
                    );
                }).length,
        );
    const p = await open(server, at(w));
    assert.ok((await moving(p)) > 0);
    await p.keyboard.press('Control+k');
    await p.keyboard.type('> calm');
    await p.keyboard.press('Enter');
    await p.locator('html[data-calm]').waitFor();
    assert.equal(await moving(p), 0);
    assert.equal(await moving(await open(server, at(w), { reducedMotion: true })), 0);
});

test('a server that is away is said in the pill and in a line, and Retry now brings it back', async () => {
    const w = await talked();
    const proxy = await Proxy.start(server);
    const p = await open(proxy, at(w));
    await p.locator('article').first().waitFor();
    allow(p, ...away);
    proxy.stop();
    const line = p.getByRole('group', { name: 'Offline' });
    await line.waitFor();
    assert.match(await line.textContent(), /^Offline since \d\d:\d\d\. You can read, write and queue\./);
    assert.match(await p.locator('.frame-pill-word').textContent(), /^offline since \d\d:\d\d$/);
    await composer(p).fill('later');
    await p.keyboard.press('Enter');
    await until(p, 'the waiting message is counted', () =>
        document.querySelector('.banner-warn')?.textContent.includes('1 message will be sent later'),
    );
    await p.getByRole('button', { name: 'Retry now', exact: true }).waitFor();
    proxy.resume();
    // It may have come back by itself in between.
    await p.evaluate(() => document.querySelector('.banner-warn button')?.click());
    await live(p);
    await line.waitFor({ state: 'detached' });
    await waitIdle(w, p);
    assert.equal((await w.messages()).filter(m => m.content === 'later').length, 1);
});

test('a live region says who writes and who is done, and was there before', async () => {
    const desk = await Desk.open(server);
    const w = await server.world(`frame${++worlds}`, [{ name: 'lead', model: desk.model }]);
    const p = await open(server, at(w));
    const hears = text => until(p, `"${text}" is said`, wanted => globalThis.said.includes(wanted), text);
    await p.evaluate(() => {
        const region = document.getElementById('live-polite');
        globalThis.said = [];
        new MutationObserver(() => region.textContent && globalThis.said.push(region.textContent)).observe(
            region,
            { childList: true, subtree: true, characterData: true },
        );
    });
    assert.equal(await p.locator('[role=alert]#live-alert').count(), 1);
    await send(p, '@lead write');
    const lead = await desk.next();
    lead.begin('I begin');
    await hears('lead is writing');
    lead.answer(', and end.');
    await hears('lead finished, replying to You');
    await send(p, '@lead fail');
    (await desk.next()).fail(400, 'this model is out of order');
    await until(p, 'the failure is an alert', () =>
        /lead failed: .*out of order/.test(document.getElementById('live-alert').textContent),
    );
});

finish();
