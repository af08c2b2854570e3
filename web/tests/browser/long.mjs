// long.mjs: 100 000 messages: the page holds a window of them, jumps are exact, and the reader's line stays where it is.
// How quick it is, web/tools/measure.mjs measures.
import { Desk } from '../../../tests/server/desk.mjs';
import { Server, assert, axe, composer, finish, open, send, test, until } from './kit.mjs';
import { COUNT, at, elements, fill, goTo, nudge, watchLine } from './long-chat.mjs';

const server = await Server.start();
// The agents write when the test says so, and as long as it does.
const desk = await Desk.open(server, q => (q.summary ? null : undefined)); // a summary of it all is not waited for
const w = await server.world(
    'long',
    ['lead', 'ada'].map(name => ({ name, model: desk.model })),
);
await fill(w);
const some = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `word${from + i} `).join('');
const MOST_ROWS = 250;
const MOST_ELEMENTS = 5000;

test('it opens at the end, and every row knows its real place', async () => {
    const p = await open(server, at(w));
    const last = p.locator('article').last();
    await last.getByText(`Message ${COUNT}:`).waitFor();
    assert.equal(await last.getAttribute('aria-posinset'), String(COUNT));
    assert.equal(await last.getAttribute('aria-setsize'), String(COUNT));
    await until(p, 'the rail is at the end', () =>
        /message 100\s000 of 100\s000/.test(
            document.querySelector('[role=slider]')?.getAttribute('aria-valuetext') ?? '',
        ),
    );
    assert.ok((await elements(p)) < MOST_ELEMENTS);
    await axe(p);
});

test('a jump into the middle is exact, and the window around it is full', async () => {
    const p = await open(server, at(w));
    await p.locator('article').last().waitFor();
    for (const number of [50_000, 7, 99_991, 12_345]) {
        await goTo(p, number);
        const row = p.locator(`article[aria-posinset="${number}"]`);
        assert.match(await row.textContent(), new RegExp(`Message ${number}:`));
        const box = await row.boundingBox();
        const log = await p.locator('.chat-log').boundingBox();
        assert.ok(box.y >= log.y - 1 && box.y < log.y + log.height, `message ${number} is at ${box.y}`);
        const places = await p.$$eval('article', all =>
            all.map(a => Number(a.getAttribute('aria-posinset'))),
        );
        assert.deepEqual(
            places,
            places.map((_, n) => places[0] + n),
            'the rows have a hole',
        );
        assert.ok(places.length <= MOST_ROWS);
        assert.ok((await elements(p)) < MOST_ELEMENTS);
    }
});

test('the rail works by keys: Home, End, PageUp and a typed date', async () => {
    const p = await open(server, at(w));
    const slider = p.getByRole('slider', { name: 'Position in the conversation' });
    await slider.focus();
    await slider.press('Home');
    await until(
        p,
        'the first message',
        () => document.querySelector('.chat-focused')?.getAttribute('aria-posinset') === '1',
    );
    await slider.focus();
    await slider.press('PageDown');
    await until(
        p,
        'a page further',
        () => Number(document.querySelector('.chat-focused')?.getAttribute('aria-posinset')) > 150,
    );
    await slider.focus();
    await slider.press('End');
    await until(
        p,
        'the last message',
        n => document.querySelector('article:last-of-type')?.getAttribute('aria-posinset') === String(n),
        COUNT,
    );
    await p.getByRole('button', { name: /^Go to a message by number/ }).click();
    const field = p.getByRole('dialog').getByRole('textbox');
    await field.fill('not a place');
    await field.press('Enter');
    await p.getByText('Write a number, or a date such as 14 Nov.').waitFor();
    const [first] = (await server.get(`${w.chatPath}/messages?limit=1`)).data;
    await field.fill(first.createdAt.slice(0, 10));
    await field.press('Enter');
    await until(
        p,
        'the first message of that day',
        () => document.querySelector('.chat-focused')?.getAttribute('aria-posinset') === '1',
    );
});

test('the line stays while the window slides, up and down, and never holds too much', async () => {
    const p = await open(server, at(w));
    await goTo(p, 50_000);
    const lowest = () => p.$$eval('article', all => Number(all[0].getAttribute('aria-posinset')));
    // The edge may be reached before the rows beyond it are here.
    const slid = (sign, from) =>
        until(
            p,
            'it slides',
            ([way, was]) =>
                way * (Number(document.querySelector('article').getAttribute('aria-posinset')) - was) > 0,
            [sign, from],
        );
    const start = await lowest();
    let worst = 0;
    const go = async by => {
        for (let n = 0; n < 60; n++) {
            const { off, rows } = await nudge(p, by);
            assert.notEqual(off, null);
            worst = Math.max(worst, Math.abs(off));
            assert.ok(rows <= MOST_ROWS, `${rows} rows`);
        }
    };
    await go(-500);
    await slid(-1, start);
    const up = await lowest();
    assert.ok((await elements(p)) < MOST_ELEMENTS);
    await go(500);
    await slid(1, up);
    assert.ok(worst <= 1, `the line moved by ${worst} px`);
});

test('the line stays while agents write at the end, near it and far from it; the pill tells', async () => {
    const p = await open(server, at(w));
    await p.locator('article').last().waitFor();
    // Near: scrolled up a little, so that the rows below the reader grow.
    await nudge(p, -700);
    const near = await watchLine(p);
    await w.say('@lead write');
    const lead = await desk.next();
    for (const end of [30, 60, 90]) {
        lead.begin(some(end - 29, end));
        await until(
            p,
            `word${end} is there`,
            n => document.querySelector('.chat-live .md')?.textContent.includes(`word${n}`),
            end,
        );
    }
    await p.getByRole('button', { name: /new message|is writing/ }).waitFor();
    lead.answer(some(91, 100));
    await w.idle();
    await p.getByRole('button', { name: '2 new messages ↓' }).waitFor();
    await until(p, 'it was watched for a while', () => globalThis.lineWatch.frames > 10);
    const first = await near();
    assert.ok(first.most <= 1, `the line moved by ${first.most} px`);
    // Far: the end is not in the page at all.
    await goTo(p, 50_000);
    const far = await watchLine(p);
    await w.say('@ada write');
    (await desk.next()).answer(some(1, 100));
    await w.idle();
    await p.getByRole('button', { name: '4 new messages ↓' }).waitFor();
    const second = await far();
    assert.ok(second.most <= 1, `the line moved by ${second.most} px`);
    await p.getByRole('button', { name: /↓$/ }).click();
    await until(p, 'the end is followed', () =>
        document.querySelector('article:last-of-type')?.textContent.includes('word100'),
    );
});

test('who is at the end follows it; a move up ends that at once', async () => {
    const p = await open(server, at(w));
    await p.locator('article').last().waitFor();
    await send(p, '@lead write');
    const lead = await desk.next();
    lead.begin(some(1, 30));
    await until(p, 'it is being written', () =>
        document.querySelector('.chat-live .md')?.textContent.includes('word30'),
    );
    const atEnd = () => {
        const log = document.querySelector('.chat-log');
        return log.scrollHeight - log.clientHeight - log.scrollTop <= 2;
    };
    await until(p, 'the end is followed', atEnd);
    await p.locator('.chat-log').hover();
    // A wheel scrolls smoothly: what is read stands still when that is over. Following may have scrolled just before.
    const left = await p.locator('.chat-log').evaluateHandle(log => ({
        end: new Promise(done =>
            log.addEventListener('scrollend', () => {
                if (log.scrollHeight - log.clientHeight - log.scrollTop > 60) done();
            }),
        ),
    }));
    await p.mouse.wheel(0, -120);
    await left.evaluate(l => l.end);
    const watch = await watchLine(p);
    lead.answer(some(31, 100));
    await w.idle();
    await until(p, 'it is whole', () => !document.querySelector('.chat-live'));
    const { most } = await watch();
    assert.ok(most <= 1, `the line moved by ${most} px`);
    await composer(p).press('Escape');
    await p.keyboard.press('End');
    await until(p, 'the end again', atEnd);
});

test('find reaches messages that are not in the page', async () => {
    const p = await open(server, at(w));
    await p.locator('article').last().waitFor();
    await p.keyboard.press('Control+f');
    await p.getByRole('searchbox', { name: 'Find in this conversation' }).fill('"Message 4321"');
    await p.getByText('1 of 1', { exact: true }).waitFor();
    await p.keyboard.press('Enter');
    await until(
        p,
        'it is found',
        () => document.querySelector('.chat-focused')?.getAttribute('aria-posinset') === '4321',
    );
});

await finish();
