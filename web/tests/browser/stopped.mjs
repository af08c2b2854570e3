// stopped.mjs: answers that were stopped, failed, or were lost with their server: every page shows the same of them, also
// after a reload, and Retry asks the one agent again.
import {
    Server,
    allow,
    assert,
    away,
    axe,
    finish,
    live,
    open,
    same,
    send,
    team,
    test,
    until,
    waitIdle,
} from './kit.mjs';
import { Desk } from '../../../tests/server/desk.mjs';
import { eventually } from '../../../tests/server/lib.mjs';
import { sql } from '../../../tests/server/sabotage.mjs';
import { Proxy } from './proxy.mjs';

const server = await Server.start({ script: team(), delay: true });
let worlds = 0;
const fresh = (agents = ['lead'], s = server) => s.world(`stopped${++worlds}`, agents);
const at = (w, view = 'chat') => `/w/${w.name}/c/${w.chat}${view === 'chat' ? '' : `?view=${view}`}`;
const half = p => p.locator('article.chat-message', { hasText: 'I begin' });
const failed = p => p.locator('article.chat-failed');
const writes = p => p.locator('.chat-live', { hasText: 'I begin' }).waitFor();
// A page whose server may be killed: an agent is in the middle of an answer, and what it wrote is saved.
async function midway() {
    const own = await Server.start({ script: team(), delay: true });
    const w = await fresh(['lead'], own);
    const p = await open(await Proxy.start(own), at(w));
    allow(p, ...away);
    await send(p, 'hold');
    await writes(p);
    await eventually('it is saved', async () =>
        /I begin/.test(await sql(own.store, 'SELECT text FROM written')),
    );
    return { own, w, p };
}

test('an answer that one browser stops is marked in another, in every view, and after a reload', async () => {
    const w = await fresh();
    const a = await open(server, at(w));
    const b = await open(server, at(w));
    await send(a, 'hold');
    await writes(b);
    await a.getByRole('button', { name: 'Stop', exact: true }).click();
    for (const p of [a, b]) await half(p).getByText('stopped by you').waitFor();
    await waitIdle(w, b);
    for (const p of [a, b]) {
        await p.reload();
        await live(p);
        await half(p).getByText('stopped by you').waitFor();
    }
    const c = await open(server, at(w));
    await half(c).getByText('stopped by you').waitFor();
    const tree = await open(server, at(w, 'tree'));
    await tree.locator('.tree-row', { hasText: 'I begin' }).getByText('(stopped)').waitFor();
    const timeline = await open(server, at(w, 'timeline'));
    await timeline.locator('.timeline-row', { hasText: 'I begin' }).getByText('(stopped)').waitFor();
});

test('what was stopped can be continued, once', async () => {
    const w = await fresh();
    const p = await open(server, at(w));
    await send(p, 'hold');
    await writes(p);
    await p.getByRole('button', { name: 'Stop', exact: true }).click();
    const button = half(p).getByRole('button', { name: /^Continue/ });
    await button.click();
    await p.locator('article.chat-message', { hasText: 'lead heard human.' }).waitFor();
    await waitIdle(w, p);
    await button.waitFor({ state: 'detached' });
    await half(p).getByText('stopped by you').waitFor();
});

// Tree and timeline say the same of a message.
async function marked(w, text, mark) {
    for (const view of ['tree', 'timeline']) {
        const p = await open(server, at(w, view));
        await p.locator(`.${view}-row`, { hasText: text }).getByText(mark).waitFor();
        await p.close();
    }
}

test('an agent that fails and is then stopped before its first word is shown as such everywhere, until it answers', async () => {
    const desk = await Desk.open(server);
    const w = await fresh([{ name: 'ada', model: desk.model }]);
    const p = await open(server, at(w));
    const other = await open(server, at(w));
    await send(p, '@ada please');
    (await desk.next()).fail(400, 'the line is down');
    await marked(w, '@ada please', /✕ ada failed: .*the line is down/);
    await failed(p).getByRole('button', { name: 'Retry', exact: true }).click();
    await desk.next();
    await p.getByRole('button', { name: 'Stop', exact: true }).click();
    const stopped = one => failed(one).getByText('ada was stopped before it answered. Your message is kept.');
    for (const one of [p, other]) await stopped(one).waitFor();
    await waitIdle(w, p);
    await p.reload();
    await live(p);
    await stopped(p).waitFor();
    await marked(w, '@ada please', '✕ ada was stopped before it answered');
    await failed(p).getByRole('button', { name: 'Retry', exact: true }).click();
    (await desk.next()).answer('Here I am.');
    for (const one of [p, other])
        await until(one, 'the mark is over', () => !document.querySelector('.chat-failed'));
    await waitIdle(w, p);
});

test('Retry asks the agent that failed, and nobody else; nothing leaves the conversation', async () => {
    const desk = await Desk.open(server);
    const w = await fresh(['lead', 'ada'].map(name => ({ name, model: desk.model })));
    const p = await open(server, at(w));
    const other = await open(server, at(w));
    await send(p, '@ada please');
    (await desk.next()).fail(400, 'the line is down');
    for (const one of [p, other]) await failed(one).getByText('the line is down').waitFor();
    await send(p, '@lead and this is said later');
    (await desk.next()).answer('It is.');
    await waitIdle(w, p);
    await failed(p).getByRole('button', { name: 'Retry', exact: true }).click();
    (await desk.next()).answer('Here I am.');
    for (const one of [p, other])
        await until(one, 'the failure is over', () => !document.querySelector('.chat-failed'));
    await waitIdle(w, p);
    const all = (await w.messages()).map(m => `${m.sender}: ${m.content}`);
    assert.deepEqual(all, [
        'human: @ada please',
        'human: @lead and this is said later',
        'lead: It is.',
        'ada: Here I am.',
    ]);
    for (const one of [p, other]) await same(one, w);
});

test('a model that cannot use tools is asked again at once without them, and so is every retry', async () => {
    const desk = await Desk.open(server);
    const w = await fresh([{ name: 'ada', model: desk.model }]);
    const wide = await open(server, at(w));
    const narrow = await open(server, at(w), { width: 390, height: 844 });
    await send(wide, '@ada please');
    (await desk.next()).fail(400, 'gemma:2b does not support tools');
    for (const p of [wide, narrow]) {
        const question = await desk.next();
        assert.equal(question.body.tools, undefined);
        question.fail(400, 'the line is down');
        for (const one of [wide, narrow]) await failed(one).getByText('the line is down').waitFor();
        await p.reload();
        await live(p);
        await axe(p);
        await failed(p).getByRole('button', { name: 'Retry', exact: true }).click();
    }
    const last = await desk.next();
    assert.equal(last.body.tools, undefined);
    last.answer('Here I am.');
    await same(wide, w);
});

test('an answer that is lost with its server comes back with its words and as a failure, with its reason, and is asked for again', async () => {
    const { own, w, p } = await midway();
    // It is said when the first is done: the agent begins with it as soon as the server is back.
    await send(p, 'and then this');
    await own.kill();
    await until(p, 'the page is offline', () =>
        /^offline since/.test(document.querySelector('.frame-pill-word')?.textContent ?? ''),
    );
    await own.start();
    await live(p);
    const lost = async () => {
        await failed(p)
            .getByText(
                'The server that spoke for the agent went away in the middle of it. Your message is kept.',
            )
            .waitFor();
        const above = p.locator('article:has(+ article.chat-failed)');
        assert.match(
            await above.innerText(),
            /I begin, and it will take long\.\s+cut off/,
            'it stands below what there is of it',
        );
        await failed(p).getByRole('button', { name: 'Retry', exact: true }).waitFor();
        await half(p).getByText('cut off').waitFor();
        // Every way on stands once, in the mark of the failure.
        assert.equal(
            await half(p)
                .getByRole('button', { name: /^Continue/ })
                .count(),
            0,
        );
    };
    await lost();
    await waitIdle(w, p);
    await lost();
    // It has spoken since: there is nothing to continue.
    assert.equal(await p.getByRole('button', { name: /^Continue/ }).count(), 0);
    assert.deepEqual(
        (await w.messages()).map(m => m.content),
        ['hold', 'I begin, and it will take long.', 'and then this', 'lead heard human.'],
    );
    await p.reload();
    await live(p);
    await lost();
    await failed(p).getByRole('button', { name: 'Retry', exact: true }).click();
    await writes(p);
    await until(p, 'the failure is over', () => !document.querySelector('.chat-failed'));
    await p.getByRole('button', { name: 'Stop', exact: true }).click();
    await half(p).getByText('stopped by you').waitFor();
    assert.equal((await w.messages()).at(-1).replyToMessageId, (await w.messages())[0].messageId);
}, 90000);

test('an agent whose answer is lost with its server has failed in every list, also after a reload, until it answers', async () => {
    const { own, w, p } = await midway();
    await own.kill();
    await own.start();
    await live(p);
    const marked = lists =>
        until(
            p,
            `the lists that say it: ${lists}`,
            is =>
                [...document.querySelectorAll('.list-section')]
                    .filter(list => list.querySelector('.mark-failed'))
                    .map(list => list.getAttribute('aria-label'))
                    .join() === is,
            lists,
        );
    await marked('Conversations,Agents');
    await failed(p)
        .getByRole('button', { name: /^Continue/ })
        .waitFor();
    assert.equal(await p.getByRole('button', { name: /^Continue/ }).count(), 1, 'in one place');
    await p.reload();
    await live(p);
    await marked('Conversations,Agents');
    await send(p, 'hello');
    await waitIdle(w, p);
    await marked('');
}, 90000);

test('another answer takes the place of one in every page, and the pager chooses among them, by keys too', async () => {
    const desk = await Desk.open(server);
    const w = await fresh([{ name: 'ada', model: desk.model }]);
    const p = await open(server, at(w));
    const other = await open(server, at(w));
    const answer = (one, text) => one.locator('article.chat-message', { hasText: text }).last();
    const pager = (one, text) =>
        one.getByRole('group', { name: /^Alternatives of/ }).filter({ hasText: text });
    await send(p, '@ada name a flower');
    (await desk.next()).answer('Iris');
    await answer(p, 'Iris').waitFor();
    await waitIdle(w, p);
    assert.equal(await pager(p, '/').count(), 0);
    await answer(p, 'Iris').focus();
    await p.keyboard.press('a');
    const question = await desk.next();
    for (const one of [p, other]) await answer(one, 'Iris').waitFor({ state: 'detached' });
    question.answer('Lily');
    for (const one of [p, other]) {
        await answer(one, 'Lily').waitFor();
        await pager(one, '2/2').waitFor();
    }
    await waitIdle(w, p);
    await pager(p, '2/2').getByRole('button', { name: 'Earlier answer' }).click();
    for (const one of [p, other]) {
        await answer(one, 'Iris').waitFor();
        await pager(one, '1/2').waitFor();
    }
    await answer(p, 'Iris').focus();
    await p.keyboard.press('ArrowRight');
    for (const one of [p, other]) await answer(one, 'Lily').waitFor();
    await answer(p, 'Lily').focus();
    await p.keyboard.press('Shift+a');
    const sheet = p.getByRole('dialog', { name: 'Ask another model' });
    await axe(p);
    await sheet.getByRole('button', { name: desk.model, exact: true }).click();
    (await desk.next()).answer('Rose');
    await answer(p, 'Rose').waitFor();
    await pager(p, '3/3').waitFor();
    await waitIdle(w, p);
    await p.reload();
    await live(p);
    await pager(p, '3/3').waitFor();
    await answer(p, 'Rose').focus();
    await p.keyboard.press('ArrowLeft');
    for (const one of [p, other]) await answer(one, 'Lily').waitFor();
    await answer(p, 'name a flower').focus();
    await p.keyboard.press('a');
    await p.getByText('No other answer: only answers of agents.').first().waitFor();
});

await finish();
