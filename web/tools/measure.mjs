// measure.mjs: how quick and how small the page is, in Chromium, before a conversation of 100 000 messages.
//
//   SKEIN=build/skein web/tests/browser/run.sh web/tools/measure.mjs
//
// Prints a table; ends with 1 when something is missed. SKEIN_MEASURE_FILES=1 also names the files of the first page.
// Times mean something on a machine that does nothing else.
import { Server, assert, finish, page, team, test, until, visit } from '../tests/browser/kit.mjs';
import { within } from '../../tests/server/lib.mjs';
import { COUNT, at, elements, fill, goTo, nudge, watchLine } from '../tests/browser/long-chat.mjs';

const RUNS = 5;
const server = await Server.start({ script: team(), delay: true });
const w = await server.world('measured', ['lead', 'ada']);
await fill(w);

const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const results = [];
function result(what, value, unit, most) {
    results.push({ what, value, unit, most });
}

/**
 * From the wish to open the page until its last message is painted; and the bytes of all files that were asked for
 * until then, as they went over the wire. Screens that are fetched afterwards, in case, are no part of the first page.
 */
async function firstMessage() {
    const p = await page();
    await p.addInitScript(() => {
        const look = () => {
            if (!document.querySelector('article .md')) return requestAnimationFrame(look);
            // This frame has it; the next one begins when it is painted.
            return requestAnimationFrame(() => {
                globalThis.firstSeen = performance.now();
            });
        };
        requestAnimationFrame(look);
    });
    await visit(p, server, at(w));
    await p.waitForFunction(() => globalThis.firstSeen !== undefined);
    const seen = await p.evaluate(() => ({
        ms: globalThis.firstSeen,
        files: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
            .filter(e => e.startTime < globalThis.firstSeen && !e.name.includes('/api/'))
            .map(e => ({ url: e.name, bytes: e.transferSize })),
    }));
    await p.context().close();
    return seen;
}

/** Main-thread tasks of the page while something is done: the ms that each ran, not those it waited for a processor. */
async function tasksWhile(p, what) {
    const browser = p.context().browser();
    await browser.startTracing(p, {
        categories: ['toplevel', 'disabled-by-default-devtools.timeline', '__metadata'],
    });
    await what();
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const main = new Set(
        traceEvents
            .filter(e => e.name === 'thread_name' && e.args.name === 'CrRendererMain')
            .map(e => `${e.pid}/${e.tid}`),
    );
    const tasks = traceEvents.filter(
        e => e.ph === 'X' && e.name === 'RunTask' && main.has(`${e.pid}/${e.tid}`),
    );
    const by = new Map();
    for (const e of tasks) by.set(`${e.pid}/${e.tid}`, [...(by.get(`${e.pid}/${e.tid}`) ?? []), e]);
    // The busiest of them is the page; others are renderers that wait to be used.
    const all = [...by.values()].map(list => list.map(e => (e.tdur ?? e.dur) / 1000));
    return all.sort((a, b) => b.reduce((s, x) => s + x, 0) - a.reduce((s, x) => s + x, 0))[0] ?? [];
}

/** Main-thread time for each piece that agents write while the reader follows the end, or reads elsewhere. */
async function chunks(p, text) {
    const events = w.events();
    await events.event('stream.open');
    const tasks = await tasksWhile(p, async () => {
        const said = await w.say(text);
        await within(60000, 'the end of the answer', events.event('world.idle', undefined, { ms: 60000 }));
        await until(
            p,
            'nothing is written any more',
            id => id && !document.querySelector('.chat-live'),
            said.messageId,
        );
    });
    const pieces = events.events.filter(e => e.event === 'message.delta').length;
    events.close();
    const sum = tasks.reduce((a, b) => a + b, 0);
    return { mean: sum / Math.max(1, pieces), worst: Math.max(0, ...tasks), pieces };
}

async function main() {
    const opened = [];
    for (let n = 0; n < RUNS; n++) opened.push(await firstMessage());
    const { files } = opened[0];
    if (process.env.SKEIN_MEASURE_FILES)
        for (const f of files) console.log(`# ${String(f.bytes).padStart(8)} ${new URL(f.url).pathname}`);
    result(
        'all files of the first page, compressed',
        files.reduce((sum, f) => sum + f.bytes, 0) / 1000,
        'kB',
        150,
    );
    result(`first message visible, chat of ${COUNT}`, median(opened.map(o => o.ms)), 'ms', 500);

    const p = await page();
    await visit(p, server, at(w));
    await p.locator('article').last().waitFor();
    const following = await chunks(p, '@lead stream 1');
    result(`one chunk, following (mean of ${following.pieces})`, following.mean, 'ms', 16);
    await nudge(p, -700);
    const near = await watchLine(p);
    const reading = await chunks(p, '@ada stream 2');
    result(`one chunk, reading above (mean of ${reading.pieces})`, reading.mean, 'ms', 16);
    result('reader’s line while the end grows', (await near()).most, 'px', 1);

    await goTo(p, COUNT / 2);
    let slide = 0;
    for (let n = 0; n < 40; n++) slide = Math.max(slide, Math.abs((await nudge(p, -600)).off ?? Infinity));
    result('reader’s line while the window slides', slide, 'px', 1);
    result('DOM nodes, window full', await elements(p), '', 5000);
    result(
        'longest task while an agent writes (for information)',
        Math.max(following.worst, reading.worst),
        'ms',
        null,
    );
}

function print() {
    for (const { what, value, unit, most } of results) {
        const number = unit === '' ? String(value) : `${value.toFixed(1)} ${unit}`;
        const limit = most === null ? '' : `at most ${most}${unit ? ` ${unit}` : ''}`;
        const word = most === null ? '' : value <= most ? 'ok' : 'MISSED';
        console.log(`# ${what.padEnd(56)} ${number.padStart(12)}   ${limit.padEnd(16)} ${word}`);
    }
}

test('the page is as quick and as small as it must be', async () => {
    try {
        await main();
    } finally {
        print();
    }
    assert.deepEqual(
        results.filter(r => r.most !== null && r.value > r.most).map(r => r.what),
        [],
        'missed',
    );
}, 400000);

await finish();
