// together.mjs: two browsers and a terminal on one conversation: what one does the others see, and nobody is disturbed.
import path from 'node:path';
import { Terminal } from '../../../tests/scenario/screen.mjs';
import { Desk } from '../../../tests/server/desk.mjs';
import {
    Server,
    assert,
    composer,
    finally_,
    finish,
    folder,
    open,
    rows,
    send,
    team,
    test,
    until,
    waitIdle,
} from './kit.mjs';
import { agent, append, human } from './views-kit.mjs';

const program = path.resolve(process.env.SKEIN);
const server = await Server.start({ script: team(), delay: true });
let worlds = 0;

function terminal(w) {
    const t = new Terminal([program, ...w.server.store.args, '-w', w.name, 'chat'], {
        env: { XDG_STATE_HOME: path.join(folder, 'state') },
    });
    finally_(() => t.kill());
    return t;
}
// One conversation, looked at by two browsers that share nothing, and at a terminal.
async function three(agents = ['ada'], before = async () => {}) {
    const w = await server.world(`together${++worlds}`, agents);
    await before(w);
    const at = `/w/${w.name}/c/${w.chat}`;
    const [a, b] = [await open(server, at), await open(server, at)];
    const t = terminal(w);
    await t.shows(/○( · [^\n]*)?\n›[^\n]*$/);
    return { w, a, b, t };
}
// A terminal breaks its rows wherever they end.
const broken = text => new RegExp([...text].join('\\s*'));
async function leave(t) {
    t.type('\x15\x04');
    assert.equal(await t.end(), 0);
}
const seen = (p, text) => p.locator('article.chat-message', { hasText: text }).first().waitFor();
// Both pages show what the server has, each message once and in order.
async function same(w, ...pages) {
    await w.idle();
    const told = (await w.messages()).map(m => m.messageId);
    for (const p of pages) {
        await until(
            p,
            'the rows are those of the server',
            ids =>
                !document.querySelector('.chat-live, .chat-pending') &&
                JSON.stringify(
                    [...document.querySelectorAll('article.chat-message')].map(e => e.dataset.row),
                ) === JSON.stringify(ids),
            told,
        ).catch(async error =>
            assert.deepEqual(
                (await rows(p)).map(r => r.id),
                told,
                error.message,
            ),
        );
    }
}

test('what is said in one is seen in all', async () => {
    const { w, a, b, t } = await three();
    await send(a, 'said in the first');
    await seen(b, 'said in the first');
    await t.shows('you › said in the first');
    await w.idle();
    await send(b, 'said in the second');
    await seen(a, 'said in the second');
    await t.shows('you › said in the second');
    await w.idle();
    await t.shows(/○( · [^\n]*)?\n›[^\n]*$/);
    t.type('said at the terminal\r');
    await seen(a, 'said at the terminal');
    await seen(b, 'said at the terminal');
    await same(w, a, b);
    await t.shows(/said at the terminal[^]*ada[^]*heard/);
    for (const text of ['said in the first', 'said in the second', 'said at the terminal'])
        assert.equal(t.screen.text.split(`you › ${text}`).length, 2, `${text} is there once`);
    await leave(t);
});

test('an answer is written in all of them at the same time, and is the same', async () => {
    const desk = await Desk.open(server);
    const { w, a, b, t } = await three([{ name: 'ada', model: desk.model }]);
    await send(a, 'write');
    const ada = await desk.next();
    // What is written so far is the beginning of the whole in each.
    let begun = '';
    const lives = p =>
        until(
            p,
            `"${begun}" is there`,
            text => document.querySelector('.chat-live .md')?.textContent.trim() === text,
            begun,
        );
    for (let n = 1; n <= 100; n++) {
        ada.begin(`${begun ? ' ' : ''}word${n}`);
        begun += `${begun ? ' ' : ''}word${n}`;
        if (n % 20 === 0) await Promise.all([lives(a), lives(b), t.shows(broken(`word${n}`))]);
    }
    ada.answer(' and an end.');
    await same(w, a, b);
    const [, answer] = await w.messages();
    for (const p of [a, b]) {
        const said = await p.locator(`article[data-row="${answer.messageId}"]`).textContent();
        assert.ok(said.replace(/\s+/g, ' ').includes(answer.content.replace(/\s+/g, ' ')), said);
    }
    await t.shows(broken('and an end.'));
    const shown = t.screen.text.replace(/\s+/g, '');
    assert.ok(shown.includes(answer.content.replace(/\s+/g, '')), shown);
    await leave(t);
});

test('an edit in one is seen in the others, and what they read and write stays where it is', async () => {
    const { w, a, b, t } = await three(['ada'], async world => {
        const talk = Array.from({ length: 40 }, (_, i) => [
            human(`q${i}`, `question ${i}`, 2 * i),
            agent(`r${i}`, 'ada', `answer ${i}, which is long enough to be read`, 2 * i + 1, {
                replyToMessageId: `q${i}`,
            }),
        ]);
        await append(world, talk.flat());
    });
    await seen(a, 'question 39');
    await seen(b, 'question 39');
    // Somebody reads above, with half a thought in the box; so does the person at the terminal.
    await composer(b).fill('half a thought');
    const read = b.locator('article[data-row="r30"]');
    await read.scrollIntoViewIfNeeded();
    await b
        .locator('.chat-log, .chat-scroll')
        .first()
        .evaluate(() => {
            const row = document.querySelector('article[data-row="r30"]');
            row.scrollIntoView({ block: 'start' });
        });
    await b.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    const top = () => read.evaluate(e => e.getBoundingClientRect().top);
    const before = await top();
    t.type('typed at the terminal');
    await t.shows(/› typed at the terminal$/);

    await a.locator('article[data-row="q39"]').focus();
    await a.keyboard.press('e');
    await a
        .getByRole('dialog')
        .getByRole('textbox', { name: 'Your message' })
        .fill('question 39, asked better');
    await a.getByRole('dialog').getByRole('button', { name: 'Save and send' }).click();
    await seen(a, 'question 39, asked better');
    await w.idle();
    await t.shows(/question 39, asked better/);
    await until(b, 'it knows of the new version', () =>
        /v2/.test(document.querySelector('.view-version')?.textContent ?? ''),
    );
    assert.ok(Math.abs((await top()) - before) <= 1, `what was read moved by ${(await top()) - before} px`);
    assert.equal(await composer(b).inputValue(), 'half a thought');
    await t.shows(/v2 [^]*› typed at the terminal$/);

    // Undone by the other, and both see it.
    await b.locator('article[data-row="r30"]').focus();
    await b.keyboard.press('z');
    await until(a, 'the old one is back', () => document.querySelector('article[data-row="q39"]') !== null);
    await until(b, 'it is back here', () =>
        /v1/.test(document.querySelector('.view-version')?.textContent ?? ''),
    );
    assert.ok(Math.abs((await top()) - before) <= 1, `what was read moved by ${(await top()) - before} px`);
    await t.shows(/v1 [^]*› typed at the terminal$/);
    assert.equal(await a.locator('article.chat-message', { hasText: 'asked better' }).count(), 0);
    await leave(t);
}, 90000);

test('what waits is seen by all, and taken out by any', async () => {
    const { w, a, b, t } = await three();
    await send(a, 'hold');
    await b.locator('.chat-live', { hasText: 'I begin' }).waitFor();
    await send(a, 'waits from the first');
    await b.locator('.chat-queue', { hasText: 'waits from the first' }).waitFor();
    await t.shows(/queue 1: "waits from the first"/);
    await send(b, 'waits from the second');
    await until(a, 'two wait', () => document.querySelectorAll('.chat-queue li').length === 2);
    await b.getByRole('button', { name: 'Remove the queued message: waits from the first' }).click();
    await until(
        a,
        'one waits',
        () =>
            [...document.querySelectorAll('.chat-queue li')].map(e => /second/.test(e.textContent)).join() ===
            'true',
    );
    await t.shows(/queue 1: "waits from the second"/);
    await b.getByRole('button', { name: 'Stop', exact: true }).click();
    await seen(a, 'waits from the second');
    for (const p of [a, b]) await until(p, 'nothing waits', () => !document.querySelector('.chat-queue'));
    await waitIdle(w, a);
    await same(w, a, b);
    assert.equal((await w.messages()).filter(m => m.content === 'waits from the first').length, 0);
    await leave(t);
});

await finish();
