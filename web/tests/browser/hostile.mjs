// hostile.mjs: messages that are made to break the page change nothing outside their own box.
import { isDeepStrictEqual } from 'node:util';
import { Desk } from '../../../tests/server/desk.mjs';
import { Server, assert, axe, counts, finish, limit, open, screenshot, team, test, until } from './kit.mjs';

const server = await Server.start({ script: team() });
let worlds = 0;

const table = (columns, rowCount) =>
    [
        `|${' head |'.repeat(columns)}`,
        `|${'---|'.repeat(columns)}`,
        ...Array.from({ length: rowCount }, (_, r) => `|${` cell${r} |`.repeat(columns)}`),
    ].join('\n');

const hostile = {
    'script tags':
        '<script>window.owned = true; document.body.remove()</script>\n\n<scr<script>ipt>window.owned = true</script>',
    'event handlers':
        '<img src=x onerror="window.owned = true"> <svg onload="window.owned = true"></svg> <div onmouseover="window.owned=true" style="position:fixed;inset:0">x</div>',
    'addresses that run':
        '[one](javascript:window.owned=true) [two](JAVASCRIPT:window.owned=true) <javascript:window.owned=true> [three](data:text/html,<script>window.owned=true</script>) [four](java\tscript:window.owned=true) ![five](javascript:window.owned=true)',
    'pictures of others':
        '![a picture](https://example.org/track.png) <img src="https://example.org/track.gif"> ![x](//example.org/y.png)',
    'styles and frames':
        '<style>* { display: none !important }</style>\n\n<iframe src="https://example.org"></iframe>\n\n<link rel=stylesheet href=//example.org/x.css>\n\n<meta http-equiv=refresh content="0;url=//example.org">\n\n<base href="//example.org">',
    forms: '<form action="https://example.org"><input autofocus onfocus="window.owned=true"><button>Send</button></form>',
    'a huge table': table(60, 200),
    'a wide word': `before ${'w'.repeat(20_000)} after\n\n\`${'c'.repeat(5000)}\`\n\n\`\`\`\n${'p'.repeat(20_000)}\n\`\`\``,
    'overrides of direction':
        'safe \u202Egnp.exe\u202C \u2066\u2067\u202Bnested\u202E \u200Fmark\n\n\u202E\u202E\u202E everything after this\n\nשלום עולם hello',
    'combining marks': `Z${'\u0301'.repeat(3000)}algo ${'\u0e49'.repeat(2000)}`,
    '1 MB of one line': 'x'.repeat(1_000_000),
    '900 kB of one quote': `${'> '.repeat(2000)}${'y '.repeat(400_000)}`,
    'nested for ever': `${'>'.repeat(3000)} deep\n\n${Array.from({ length: 200 }, (_, n) => `${'  '.repeat(n)}- x`).join('\n')}\n\n${'**a '.repeat(3000)}`,
    'control characters': '\u0001\u0002\u0007\u001b[31mred\u001b[0m \u0085 \u2028line\u2029 \ufeff',
};

// Everything but the inside of the hostile message: where it is, and what it says.
const outside = (p, id) =>
    p.evaluate(hostileId => {
        const boxes = {};
        const parts = [
            '.frame-top',
            '.frame-list',
            '.frame-panel',
            '.chat-view',
            '.chat-log',
            '.chat-composer',
            '.chat-box',
            'textarea',
        ];
        for (const s of parts) {
            const b = document.querySelector(s)?.getBoundingClientRect();
            boxes[s] = b ? [b.x, b.y, b.width, b.height].map(n => Math.round(n)) : null;
        }
        const log = document.querySelector('.chat-content').getBoundingClientRect();
        const rows = [...document.querySelectorAll('article[data-row]')].map(r => {
            const b = r.getBoundingClientRect();
            return {
                id: r.dataset.row,
                left: Math.round(b.left - log.left),
                width: Math.round(b.width),
                height: r.dataset.row === hostileId ? null : Math.round(b.height),
                text: r.dataset.row === hostileId ? null : r.textContent,
            };
        });
        return {
            boxes,
            rows: rows.filter(r => r.id !== hostileId),
            mine: rows.find(r => r.id === hostileId),
            title: document.title,
            base: document.baseURI.split('#')[0],
            wide: document.documentElement.scrollWidth > innerWidth,
            owned: globalThis.owned ?? null,
            styles: document.querySelectorAll('head style').length,
        };
    }, id);

// What both pages must have in common: all that is not the hostile message itself.
const common = o => ({
    boxes: o.boxes,
    styles: o.styles,
    rows: o.rows.map(r => [r.left, r.width, r.height]),
    mine: [o.mine.left, o.mine.width],
});
// Waits until two pages look alike, each of which is drawn at its own pace, and gives what the first one is like.
async function alike(one, other) {
    const end = Date.now() + limit(10000);
    for (;;) {
        const [got, want] = [await one(), await other()];
        if (isDeepStrictEqual(common(got), common(want))) return got;
        if (Date.now() > end) assert.deepEqual(common(got), common(want));
    }
}

// Whether what lies on top, at points all over the rows before and after it, belongs to them; and whether the box
// cuts off what would be painted beyond it, such as marks that pile up.
const covered = (p, id) =>
    p.evaluate(hostileId => {
        const found = [];
        for (const row of document.querySelectorAll('article[data-row]')) {
            if (row.dataset.row === hostileId) continue;
            row.scrollIntoView({ block: 'center' });
            const box = row.getBoundingClientRect();
            for (let i = 1; i < 20; i++)
                for (const y of [0.2, 0.5, 0.8]) {
                    const at = document.elementFromPoint(
                        box.left + (box.width * i) / 20,
                        box.top + box.height * y,
                    );
                    if (!row.contains(at)) found.push(`${row.dataset.row}: ${at?.className}`);
                }
        }
        const text = document.querySelector(`[data-row="${hostileId}"] .md`);
        if (text && getComputedStyle(text).overflow !== 'clip') found.push('its box does not clip');
        return found;
    }, id);

for (const [name, text] of Object.entries(hostile)) {
    test(name, async () => {
        const w = await server.world(`hostile${++worlds}`, [{ name: 'lead', autoReply: false }]);
        // The same conversation once with a harmless message and once with the hostile one in its place.
        await w.say('before it');
        const calm = await w.say('harmless');
        await w.say('after it');
        const first = await open(server, `/w/${w.name}/c/${w.chat}`);
        await counts(first, 'article.chat-message', 3);
        assert.deepEqual(await covered(first, calm.messageId), []);
        // Read now: what is said in the other conversation will be counted in it as unread.
        const { title } = await outside(first, calm.messageId);

        const other = (await server.post(`${w.path}/chats`, { title: 'room' })).id;
        const say = content => server.post(`${w.path}/messages`, { content, chatId: other }, 202);
        await say('before it');
        const bad = await say(text);
        await say('after it');
        const p = await open(server, `/w/${w.name}/c/${other}`);
        await counts(p, 'article.chat-message', 3);
        const got = await alike(
            () => outside(p, bad.messageId),
            () => outside(first, calm.messageId),
        );
        assert.equal(got.title, title);
        assert.equal(got.owned, null, 'a script ran');
        assert.equal(got.wide, false, 'the page scrolls sideways');
        assert.deepEqual(await covered(p, bad.messageId), [], 'it lies over its neighbours');
        // Its parts stay in its row too.
        const over = await p.evaluate(id => {
            const row = document.querySelector(`[data-row="${id}"]`).getBoundingClientRect();
            return [
                ...document.querySelectorAll(
                    `[data-row="${id}"] .md, [data-row="${id}"] .md-table, [data-row="${id}"] .code`,
                ),
            ].some(
                e =>
                    e.getBoundingClientRect().right > row.right + 1 ||
                    e.getBoundingClientRect().bottom > row.bottom + 1,
            );
        }, bad.messageId);
        assert.equal(over, false, 'it leaves its box');
        // Pointing at it and going through it by keys wakes nothing.
        await p
            .locator(`[data-row="${bad.messageId}"] .md`)
            .first()
            .hover({ position: { x: 5, y: 5 } });
        assert.equal(await p.evaluate(() => globalThis.owned ?? null), null);
        await axe(p);
    });
}

test('1 MB of one line is shown whole when asked for, and the page stays quick', async () => {
    const w = await server.world(`hostile${++worlds}`, [{ name: 'lead', autoReply: false }]);
    const said = await w.say('x'.repeat(999_000));
    await w.say('after it');
    const p = await open(server, `/w/${w.name}/c/${w.chat}`);
    const row = p.locator(`[data-row="${said.messageId}"]`);
    const button = row.getByRole('button', { name: /^Show all/ });
    assert.equal(await button.textContent(), 'Show all 999 kB');
    const before = await p.locator('.chat-composer').boundingBox();
    await button.click();
    await row.locator('.md-box').waitFor();
    assert.equal(await row.locator('.md-box').evaluate(e => e.textContent.length), 999_000);
    assert.deepEqual(await p.locator('.chat-composer').boundingBox(), before);
    // The quickest of five: the others may have waited for a processor.
    const frame = await p.evaluate(async () => {
        const next = () => new Promise(requestAnimationFrame);
        let least = Infinity;
        for (let n = 0; n < 5; n++) {
            const began = performance.now();
            await next();
            await next();
            least = Math.min(least, performance.now() - began);
        }
        return least;
    });
    assert.ok(frame < 2000, `two frames took ${frame} ms`);
    await screenshot(p, 'hostile-long');
});

test('a hostile text that is streamed is as harmless as one that came whole', async () => {
    const lines = Object.entries(hostile)
        .filter(([name]) => !/MB|kB|wide|table|nested/.test(name))
        .map(([, text]) => text.replace(/(\p{M})\1{200,}/gu, (_, mark) => mark.repeat(200))) // an answer that only repeats itself is stopped
        .join('\n\n');
    // The model writes when the test says so: it is half written for as long as somebody looks.
    const desk = await Desk.open(server);
    const w = await server.world('streamed', [{ name: 'lead', model: desk.model }]);
    const p = await open(server, `/w/${w.name}/c/${w.chat}`);
    await w.say('go');
    const answer = await desk.next();
    const writing = (what, least) =>
        until(p, what, n => document.querySelector('.chat-live .md')?.textContent.length > n, least);
    const [first, ...others] = lines.replace(/[{}\u0000-\u0008\u000b-\u001f]/g, '').match(/[^]{1,40}/gu);
    answer.begin(first);
    await writing('it is being written', 20);
    for (const piece of others) answer.begin(piece);
    await writing('more of it is written', 200);
    answer.answer('');
    await w.idle();
    await until(
        p,
        'it is whole',
        () =>
            document.querySelectorAll('article.chat-message').length === 2 &&
            !document.querySelector('.chat-live'),
    );
    assert.equal(await p.evaluate(() => globalThis.owned ?? null), null);
    assert.equal(
        await p.evaluate(
            () =>
                document.querySelectorAll(
                    'article script, article img, article style, article iframe, article form, article input',
                ).length,
        ),
        0,
    );
    const streamed = await p.locator('article .md').last().innerHTML();
    await p.reload();
    await counts(p, 'article.chat-message', 2);
    assert.equal(await p.locator('article .md').last().innerHTML(), streamed);
});

await finish();
