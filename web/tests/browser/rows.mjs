// rows.mjs: the keys and the menu of a message, what stands between messages, and places that are not there.
import {
    allow,
    arrives,
    assert,
    composer,
    counts,
    finish,
    live,
    open,
    page,
    send,
    test,
    until,
    visit,
} from './kit.mjs';
import { office, startOffice } from './office.mjs';
import { agent, append, called, human, tool } from './views-kit.mjs';

const server = await startOffice();
const at = (w, query = '') => `/w/${w.name}/c/${w.chat}${query}`;
const row = (p, id) => p.locator(`[data-row="${id}"]`);
const focusedRow = (p, id) =>
    until(
        p,
        `${id} has the focus`,
        wanted => document.querySelector('.chat-focused')?.dataset.row === wanted,
        id,
    );
const note = (p, text) => p.locator('.toast', { hasText: text }).first().waitFor();
const clipboard = p => p.evaluate(() => navigator.clipboard.readText());
const may = { permissions: ['clipboard-read', 'clipboard-write'] };

// A question with two answers, whose words were edited once.
async function asked() {
    const w = await office(server, ['lead', 'ada']);
    await w.converse('hello');
    const first = (await w.messages()).find(m => m.role === 'user');
    const path = `${w.path}/messages/${first.messageId}`;
    await server.call('PUT', path, { body: { chatId: w.chat, newContent: '**hello**, both' } });
    await w.idle();
    const all = await w.messages();
    return { w, question: all[0], answers: all.filter(m => m.role === 'assistant') };
}

test('y copies the link of a message, and Y its Markdown', async () => {
    const { w, question } = await asked();
    const p = await open(server, at(w), may);
    await row(p, question.messageId).focus();
    await p.keyboard.press('y');
    await note(p, 'The link is copied.');
    const link = await clipboard(p);
    assert.equal(link, new URL(at(w, `#m-${question.messageId}`), server.url).href);
    await p.keyboard.press('Shift+Y');
    await note(p, 'The text is copied.');
    assert.equal(await clipboard(p), '**hello**, both');
    await p.goto(link);
    await focusedRow(p, question.messageId);
});

test('s goes round the replies to the same message', async () => {
    const { w, answers } = await asked();
    const p = await open(server, at(w));
    await row(p, answers[0].messageId).focus();
    await p.keyboard.press('s');
    await focusedRow(p, answers[1].messageId);
    await p.keyboard.press('s');
    await focusedRow(p, answers[0].messageId);
});

test('b begins another conversation with all up to the message, and the old one stays', async () => {
    const { w, question } = await asked();
    const before = (await w.messages()).length;
    const p = await open(server, at(w));
    await row(p, question.messageId).focus();
    await p.keyboard.press('b');
    await until(p, 'another conversation is open', id => !location.pathname.endsWith(id), w.chat);
    await counts(p, 'article.chat-message', 1);
    assert.match(await p.locator('article.chat-message').textContent(), /hello, both/);
    assert.equal((await w.messages()).length, before);
});

test('t shows the version before a message, where e says why nothing can be edited', async () => {
    const { w, question } = await asked();
    const p = await open(server, at(w));
    await row(p, question.messageId).focus();
    await p.keyboard.press('t');
    await p.getByText('You are looking at v1 of').waitFor();
    await until(p, 'the address has the version', () => new URLSearchParams(location.search).has('v'));
    const old = p.locator('article.chat-message').first();
    await old.filter({ hasText: 'hello' }).waitFor();
    await old.focus();
    await p.keyboard.press('e');
    await note(p, 'This is v1: make it current to edit.');
    await until(p, 'it is read out', () =>
        document.querySelector('#live-polite').textContent.includes('This is v1: make it current to edit.'),
    );
    assert.equal(await p.getByRole('dialog').count(), 0);
});

test('e on the message of an agent says whose can be edited', async () => {
    const { w, answers } = await asked();
    const p = await open(server, at(w));
    await row(p, answers[0].messageId).focus();
    await p.keyboard.press('e');
    await note(p, 'Only your own messages can be edited.');
    assert.equal(await p.getByRole('dialog').count(), 0);
});

test('a finger that stays on a message opens its menu, one that moves on does not', async () => {
    const { w, question } = await asked();
    const p = await open(server, at(w), { width: 390, height: 844, hasTouch: true });
    const touch = await p.context().newCDPSession(p);
    const box = await row(p, question.messageId).locator('.md').boundingBox();
    const finger = (type, dy = 0) =>
        touch.send('Input.dispatchTouchEvent', {
            type,
            touchPoints: type === 'touchEnd' ? [] : [{ x: box.x + 20, y: box.y + 8 + dy }],
        });
    const sheet = p.getByRole('dialog');
    // The clock decides what is long, and only the test moves it, so that a slow machine does not.
    await p.clock.install();
    await p.clock.pauseAt(Date.now() + 3600e3);
    await finger('touchStart');
    await finger('touchMove', 40);
    await p.clock.runFor(2000);
    await finger('touchEnd');
    assert.equal(await sheet.count(), 0);
    await finger('touchStart');
    await p.clock.runFor(400);
    assert.equal(await sheet.count(), 0);
    await p.clock.runFor(200);
    await sheet.getByRole('button', { name: 'Branch from here' }).waitFor();
    await finger('touchEnd');
});

test('a rule says what the messages above it became for the model, shows the summary, and leads to them', async () => {
    const w = await office(server, ['ada']);
    const said = Array.from({ length: 40 }, (_, n) => human(`s${n}`, `line ${n}\n\nand more of it`, n));
    await append(w, said);
    await server.post(`${w.chatPath}/compactions`, { content: 'They **counted**.', covers: 40 });
    const p = await open(server, at(w));
    const rule = p.locator('.chat-summary');
    await rule.getByText('Summary of 40 earlier messages · the model reads from here').waitFor();
    assert.equal(await rule.getByText('They counted.').count(), 0);
    const unfold = rule.getByRole('button', { name: 'Show summary' });
    assert.equal(await unfold.getAttribute('aria-expanded'), 'false');
    await unfold.click();
    await rule.getByText('They counted.').waitFor();
    await rule.getByRole('button', { name: 'Hide summary' }).click();
    await rule.getByText('They counted.').waitFor({ state: 'detached' });
    await rule.getByRole('button', { name: 'Show the 40' }).click();
    await focusedRow(p, (await w.messages())[0].messageId);
});

test('a quiet line says where an agent’s memory was summarised, and leads to it', async () => {
    const w = await office(server, ['ada']);
    await append(w, [human('q0', 'the first thing', 0), human('q1', 'the second thing', 1)]);
    const p = await open(server, at(w));
    await p.getByText('the second thing').waitFor();
    await server.post(`${w.chatPath}/compactions`, { agent: 'ada', content: 'They began.', covers: 2 });
    const line = p.locator('.chat-summarised');
    await line.getByText('@ada remembers the first 2 messages as a summary').waitFor();
    await w.say('the third thing');
    await p.getByText('the third thing').waitFor();
    const before = await line.evaluate(el => el.previousElementSibling.textContent);
    assert.match(before, /the second thing/);
    await line.getByRole('link', { name: 'its memory' }).click();
    await p.getByRole('tab', { name: 'Memory', selected: true }).waitFor();
});

test('an address that nothing has says so, and leads back', async () => {
    const w = await office(server, ['ada']);
    const p = await page();
    allow(p, /404/);
    for (const [to, words] of [
        ['/nowhere/at/all', 'There is nothing at this address'],
        [`/w/${w.name}/c/c_AAAAAAAAAA`, 'This cannot be opened'],
        ['/w/no-such-world', 'This cannot be opened'],
        [`/w/${w.name}/a/nobody`, `There is no agent @nobody in ${w.name}.`],
    ]) {
        await p.goto(new URL(to, server.url).href);
        await p.locator('#main').getByText(words).waitFor();
        const back = p.locator('#main').getByRole('link', { name: /^(Go to the first page|Agents of )/ });
        await back.click();
        await live(p);
        await p.locator('#main').getByText(words).waitFor({ state: 'detached' });
    }
});

test('a world that is deleted while it is open says so, and leads back', async () => {
    const w = await office(server, ['ada']);
    await w.converse('hello');
    const p = await open(server, at(w));
    allow(p, /404/);
    await server.call('DELETE', `${w.path}?force=true`);
    await p.locator('#main').getByRole('heading', { name: 'This cannot be opened' }).waitFor();
    assert.equal(await p.locator('article.chat-message').count(), 0);
    await p.getByRole('link', { name: 'Go to the first page' }).click();
    await live(p);
    await until(p, 'another world is open', name => !location.pathname.includes(name), w.name);
});

test('a tool is called with lines of name and value; the raw call is behind a fold', async () => {
    const w = await office(server, ['ada']);
    await append(w, [
        human('q', 'When?', 1),
        agent('a', 'ada', 'I look.', 2, called('k', 'calendar.find', { what: 'freeze', days: 3 })),
        tool('r', 'ada', 'noon', 3, 'k'),
    ]);
    const p = await open(server, at(w));
    await p.locator('.chat-tool > summary').click();
    const tools = p.locator('.chat-tool').first();
    assert.deepEqual(await tools.locator('.args-line').allTextContents(), ['what: freeze', 'days: 3']);
    assert.equal(await tools.locator('pre', { hasText: '"freeze"' }).count(), 0);
    await tools.locator('summary', { hasText: 'raw' }).click();
    await tools.locator('pre', { hasText: '"what": "freeze"' }).waitFor();
    await visit(p, server, at(w, '?view=timeline'));
    const line = p.locator('.timeline-tool');
    assert.deepEqual(await line.locator('.args-line').allTextContents(), ['what: freeze', 'days: 3']);
    assert.ok(!(await line.textContent()).includes('"freeze"'));
    await line.getByRole('button').first().click();
    await line.filter({ hasText: '"what": "freeze"' }).waitFor();
});

test('/ offers the best first and the usual before others, and each does what it says', async () => {
    const { w, question } = await asked();
    const p = await open(server, at(w));
    const box = composer(p);
    const offered = async text => {
        await box.fill('');
        await box.pressSequentially(text);
        return p.getByRole('option').locator('b').allTextContents();
    };
    assert.equal((await offered('/new'))[0], 'new');
    assert.equal((await offered('/hist'))[0], 'history');
    const first = async (text, done) => {
        await offered(text);
        await p.keyboard.press('Enter');
        await done();
        assert.equal(await box.inputValue().catch(() => ''), '');
    };
    await first('/dark', () => p.locator('html[data-theme=dark]').waitFor());
    await first('/dark', () => p.locator('html[data-theme=dark]').waitFor());
    await first('/light', () => p.locator('html[data-theme=light]').waitFor());
    assert.deepEqual((await offered('/')).slice(0, 2), ['dark', 'light']);
    await p.reload();
    await live(p);
    assert.deepEqual((await offered('/')).slice(0, 2), ['dark', 'light']);
    await first('/help', () => p.getByRole('dialog', { name: 'Keys of this screen' }).waitFor());
    await p.keyboard.press('Escape');
    await first('/stop', () =>
        until(p, 'it says so', () => document.querySelector('#live-polite').textContent.includes('stopped')),
    );
    await first('/undo', () => note(p, 'Undone: '));
    await first('/redo', () => note(p, 'Redone: '));
    await first('/find', () => p.getByRole('searchbox', { name: 'Find in this conversation' }).waitFor());
    await row(p, question.messageId).focus();
    await first('/reply', () => p.getByText('↪ replying to You').first().waitFor());
    await first('/tree', () => arrives(p, at(w, '?view=tree')));
});

finish();
