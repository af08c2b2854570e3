// kit.mjs: a real browser before a real server, for tests of the page.
//
//   SKEIN=build/skein web/tests/browser/run.sh web/tests/browser/store.mjs
//
// A test fails by itself when the page says anything on its console, throws, cannot load something, or
// asks anybody but its own server; allow() says what is expected. SKEIN_TEST_SHOTS keeps screenshots.
// SKEIN_TEST_PAGE is a folder that `vite build` made, to try a page without building it into the program.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
    Server,
    assert,
    finally_,
    finish,
    folder,
    limit,
    script,
    test as plainTest,
    within,
} from '../../../tests/server/lib.mjs';
import { team, three } from '../../../tests/server/team.mjs';

export { Server, assert, finally_, finish, folder, limit, script, team, three, within };

const require = createRequire(new URL('../../package.json', import.meta.url));
const { chromium } = require('playwright-core');
const axeFile = require.resolve('axe-core/axe.min.js');
const shots = process.env.SKEIN_TEST_SHOTS ?? path.join(folder, 'shots');
const STEP_MS = 10000;

// --- The browser --------------------------------------------------------------------------------------

// Half of what a whole Chromium does is for windows that nobody sees.
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

let launched;
async function browser() {
    launched ??= chromium.launch({
        executablePath: process.env.SKEIN_CHROMIUM ?? browsers.find(fs.existsSync) ?? browsers[0],
        // Chromium refuses to be run by root with its sandbox; a small /dev/shm would end its tabs.
        args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage'],
    });
    return launched;
}
finally_(async () => (await launched)?.close());

// --- Pages that complain ---------------------------------------------------------------------------------

const watched = new Map(); // page: { troubles, allowed, hosts }
let contexts = new Set();

function complain(page, what) {
    const about = watched.get(page);
    if (!about.allowed.some(pattern => pattern.test(what))) about.troubles.push(what);
}

function watch(page) {
    watched.set(page, { troubles: [], allowed: [], hosts: new Set() });
    page.setDefaultTimeout(limit(STEP_MS));
    page.on('console', m => {
        if (['error', 'warning'].includes(m.type()))
            complain(page, `console ${m.type()}: ${m.text()} ${m.location().url ?? ''}`);
    });
    page.on('pageerror', e => complain(page, `page error: ${e.stack ?? e}`));
    page.on('requestfailed', r => {
        const why = r.failure()?.errorText;
        // What a page gave up itself, by going elsewhere or closing its stream, is not a failure.
        if (why !== 'net::ERR_ABORTED') complain(page, `request failed: ${r.method()} ${r.url()}: ${why}`);
    });
    page.on('request', r => {
        const url = new URL(r.url());
        if (!url.protocol.startsWith('http')) return;
        const { hosts } = watched.get(page);
        if (hosts.size && !hosts.has(url.host)) complain(page, `another host was asked: ${r.url()}`);
    });
    return page;
}

// Says what a page may complain of, such as requests while its server is away.
export function allow(page, ...patterns) {
    watched.get(page).allowed.push(...patterns);
    const about = watched.get(page);
    about.troubles = about.troubles.filter(t => !patterns.some(p => p.test(t)));
}
// What happens while a server is away.
export const away = [
    /Couldn't load preload assets/,
    /net::ERR_/,
    /Failed to load resource/,
    /request failed/,
];

// Serves the page out of a folder, and leaves everything else to the server.
async function serveFrom(context, from) {
    const kinds = {
        '.html': 'text/html',
        '.js': 'text/javascript',
        '.css': 'text/css',
        '.svg': 'image/svg+xml',
    };
    await context.route('**/*', route => {
        const { pathname } = new URL(route.request().url());
        const file = path.join(from, route.request().resourceType() === 'document' ? 'index.html' : pathname);
        if (pathname.startsWith('/api/') || !fs.existsSync(file)) return route.fallback();
        return route.fulfill({ contentType: kinds[path.extname(file)], body: fs.readFileSync(file) });
    });
}

// A page of its own: nothing is shared with others. o: width, height, theme ('dark', 'light'), reducedMotion, and
// whatever newContext of Playwright takes.
export async function page({
    width = 1280,
    height = 800,
    theme = 'light',
    reducedMotion = false,
    ...more
} = {}) {
    const context = await (
        await browser()
    ).newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
        locale: 'en-GB',
        timezoneId: 'UTC',
        ...more,
    });
    contexts.add(context);
    if (process.env.SKEIN_TEST_PAGE) await serveFrom(context, process.env.SKEIN_TEST_PAGE);
    return watch(await context.newPage());
}
// Another tab of the same browser window.
export async function tab(first) {
    return watch(await first.context().newPage());
}

// Goes to an address of a server (or of {url}: what stands before one), and waits until the page has its data.
export async function visit(p, server, to = '/') {
    const url = new URL(to, server.url);
    watched.get(p).hosts.add(url.host);
    await p.goto(url.href, { waitUntil: 'domcontentloaded' });
    await live(p);
    return p;
}
// A new page at an address.
export async function open(server, to = '/', o = {}) {
    return visit(await page(o), server, to);
}

async function once(run) {
    const before = contexts;
    contexts = new Set();
    let failed;
    try {
        await run();
    } catch (error) {
        failed = error;
    }
    const troubles = [...watched].flatMap(([p, about]) =>
        about.troubles.splice(0).map(t => `${p.url()}: ${t}`),
    );
    for (const c of contexts) await c.close();
    contexts = before;
    for (const p of [...watched.keys()]) if (p.isClosed()) watched.delete(p);
    if (failed && troubles.length) failed.message += `\nthe page complained:\n${troubles.join('\n')}`;
    if (failed) throw failed;
    assert.deepEqual(troubles, [], 'the page complained');
}

// A test that fails when a page complained, and closes what it opened.
export function test(sentence, run, ms = 60000) {
    plainTest(sentence, () => once(run), ms);
}

// --- What most tests do -------------------------------------------------------------------------------------

// The team, whose sentences of a hundred words (see team.mjs) take three seconds: long enough to be seen by a page that
// has to wait for a processor.
export function unhurried() {
    const text = fs.readFileSync(team(), 'utf8');
    assert.match(text, /^pace: 4$/m);
    return script('unhurried', text.replace(/^pace: 4$/m, 'pace: 30'));
}

// Waits until what the function tells of the page is true. waitForFunction() takes a promise for that, whatever comes of it.
export async function until(p, what, fn, arg) {
    const end = Date.now() + limit(STEP_MS);
    try {
        for (;;) {
            const found = await p.waitForFunction(fn, arg, { timeout: Math.max(1, end - Date.now()) });
            if (await found.evaluate(value => Boolean(value))) return found;
            if (Date.now() > end) throw new Error('it is not');
            await new Promise(resolve => setTimeout(resolve, 50));
        }
    } catch (error) {
        throw new Error(`${what}: ${String(error.message).split('\n')[0]}`);
    }
}
// The word of the connection in the top bar.
export const connection = p => p.locator('.frame-pill-word').first().textContent();
// It is connected, and what its address names is there: a stream is open before the first row is loaded.
export const live = p =>
    until(
        p,
        'the page is live',
        () =>
            ['live', 'read only'].includes(document.querySelector('.frame-pill-word')?.textContent ?? '') &&
            document.querySelector('#main h1') &&
            !document.querySelector('#main .loading'),
    );

// The element that has the focus fits the selector.
export const focusIn = (p, selector) =>
    until(p, `the focus is in ${selector}`, s => document.activeElement?.matches(s) ?? false, selector);
// What a locator finds has the focus.
export async function hasFocus(found) {
    const handle = await found.elementHandle();
    await until(found.page(), `${found} has the focus`, e => e === document.activeElement, handle);
}
// So many elements fit the selector.
export const counts = (p, selector, n) =>
    until(
        p,
        `there are ${n} of ${selector}`,
        ([s, wanted]) => document.querySelectorAll(s).length === wanted,
        [selector, n],
    );
// The address, without what stands before it. The page knows it; p.url() hears of it later.
export const arrives = (p, to) =>
    until(p, `the address is ${to}`, wanted => location.pathname + location.search === wanted, to);
export const address = p => p.evaluate(() => location.href);

// Keys that are one command when they are quick, such as 'g i': they are sent without a wait in between.
export const chord = (p, keys) => Promise.all(keys.split(' ').map(key => p.keyboard.press(key)));

// In a chat keys of one letter act on a message that is selected; the last one on screen is.
export const onMessage = p => p.locator('article[data-row]').last().focus();
// Sends what is typed into the box.
export async function sendTyped(p, text) {
    await composer(p).focus();
    await p.keyboard.type(text);
    await p.keyboard.press('Enter');
}

export const composer = p => p.getByRole('textbox', { name: 'Message', exact: true });

// What on screen holds the text: rows by their id, and the messages that wait in the queue.
const holding = (p, text) =>
    p.evaluate(t => {
        const all = [...document.querySelectorAll('article[data-row], .chat-queue li')];
        return all.filter(e => e.textContent.includes(t)).map(e => e.dataset.row ?? e.textContent);
    }, text);

// Writes a message and sends it; it is on screen afterwards, and the server has it, unless it is not expected to.
export async function send(p, text, { accepted = true } = {}) {
    const before = await holding(p, text);
    await composer(p).fill(text);
    // The button, because Enter may belong to a completion.
    await p
        .locator('#composer')
        .getByRole('button', { name: /^(Send|Queue)\b/ })
        .first()
        .click();
    await said(p, text, before);
    if (accepted) await until(p, `"${text}" is sent`, () => !document.querySelector('.chat-pending'));
}
// A message with this text is on screen that was not `before`.
export const said = (p, text, before = []) =>
    until(
        p,
        `"${text}" is on screen`,
        ([t, old]) => {
            const all = [...document.querySelectorAll('article[data-row], .chat-queue li')];
            const found = all.filter(e => e.textContent.includes(t));
            return (
                found.length > old.length || found.some(e => e.dataset.row && !old.includes(e.dataset.row))
            );
        },
        [text, before],
    );

// The agents are done, for the server (a World of lib.mjs) and, when it is given, for the page, which hears of it later.
export async function waitIdle(world, p) {
    await world.idle();
    if (!p) return;
    const last = (await world.messages()).findLast(m => m.role !== 'tool')?.messageId ?? null;
    await until(
        p,
        'nothing is written any more, and the last message is there',
        id =>
            !document.querySelector('.chat-live, .chat-pending') &&
            (id === null ||
                !document.querySelector('.chat-log') ||
                document.querySelector(`.chat-log [data-row="${id}"]`)),
        last,
    );
}
// The rows on screen are the messages of the server: each once, in order, with the whole text; and beside them there is
// a row for each answer that failed, and no other.
export async function same(p, world) {
    await waitIdle(world, p);
    const messages = await world.messages();
    const told = messages.map(m => ({ id: m.messageId, text: m.content }));
    const lost = messages.flatMap(m => m.delivery.filter(d => d.state === 'failed')).length;
    await until(
        p,
        'the rows are those of the server',
        ([all, failures]) => {
            const plain = text => text.replace(/\s+/g, ' ').trim();
            const rows = [...document.querySelectorAll('article[data-row]:not(.chat-failed)')];
            return (
                rows.length === all.length &&
                document.querySelectorAll('article.chat-failed').length === failures &&
                all.every(
                    (m, i) =>
                        rows[i].dataset.row === m.id && plain(rows[i].textContent).includes(plain(m.text)),
                )
            );
        },
        [told, lost],
    ).catch(async error => assert.deepEqual(await rows(p), told, error.message));
}
// The rows on screen: [{id, kind, text}].
export function rows(p) {
    return p.$$eval('article[data-row]', all =>
        all.map(e => ({
            id: e.dataset.row,
            kind: /chat-(message|live|failed|pending)/.exec(e.className)?.[1] ?? '',
            text: e.textContent,
        })),
    );
}

// Waits until nothing fades or slides any more; what turns for ever, such as a wait sign, is left out.
export async function settled(p) {
    // What was just done is drawn in the next frame, and begins to move then. The frames are those that until() looks
    // in: a test may have stopped the clock of the page, and with it the page's own.
    const frames = await p.evaluateHandle(() => ({ left: 2 }));
    await until(p, 'it is drawn', f => f.left-- === 0, frames);
    await until(p, 'all movement has ended', () =>
        document
            .getAnimations()
            .every(a => a.playState !== 'running' || a.effect.getComputedTiming().endTime === Infinity),
    );
}

// The rules of axe that look at colours: what another theme of the same screen can break.
export const colours = ['color-contrast', 'link-in-text-block'];

// What axe finds wrong with what is on screen, by all of its rules or by these; it must be nothing. A colour on its way to
// another is none that a person reads.
export async function axe(p, rules) {
    await settled(p);
    // Evaluated by the debugger: the policy of the page lets no script in that is not its own.
    if (!(await p.evaluate(() => 'axe' in globalThis))) await p.evaluate(fs.readFileSync(axeFile, 'utf8'));
    const found = await p.evaluate(async only => {
        const runOnly = only && { type: 'rule', values: only };
        const result = await globalThis.axe.run(document, { resultTypes: ['violations'], runOnly });
        return result.violations.map(v => {
            const where = v.nodes.slice(0, 4).map(n => `${n.target.join(' ')} ${n.failureSummary ?? ''}`);
            return `${v.id} (${v.impact}): ${v.help}: ${where.join(' | ')}`;
        });
    }, rules);
    assert.deepEqual(found, [], 'axe found something');
}

export async function screenshot(p, name) {
    fs.mkdirSync(shots, { recursive: true });
    const file = path.join(shots, `${name}.png`);
    await p.screenshot({ path: file });
    return file;
}
