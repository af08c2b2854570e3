// chat.mjs: the chat as a person uses it: the tour, replies and jumps, drafts, the queue, stop, mentions, states.
import { run } from '../../../tests/server/lib.mjs';
import {
    Server,
    allow,
    assert,
    away,
    axe,
    composer,
    counts,
    finish,
    focusIn,
    live,
    open,
    rows,
    said,
    screenshot,
    send,
    sendTyped,
    team,
    test,
    three,
    until,
    visit,
    waitIdle,
} from './kit.mjs';
import { Proxy } from './proxy.mjs';

const tour = await Server.start({ args: ['--demo'] });
const slow = await Server.start({ script: team(), delay: true });
const quick = await Server.start({ script: team() });
let worlds = 0;
const fresh = (server, agents = three) => server.world(`chat${++worlds}`, agents);
const at = w => `/w/${w.name}/c/${w.chat}`;
const row = (p, id) => p.locator(`[data-row="${id}"]`);
const focusedRow = (p, id) =>
    until(
        p,
        `${id} is the row of the keyboard`,
        wanted => document.querySelector('.chat-focused')?.dataset.row === wanted,
        id,
    );
const tourChat = async title => (await tour.post('/worlds/tour/chats', { title })).id;

async function tourIdle(p) {
    await until(
        p,
        'the tour world is idle',
        async () => !(await (await fetch('/api/v1/worlds/tour/status')).json()).isProcessing,
    );
    await until(p, 'nothing is written any more', () => !document.querySelector('.chat-live, .chat-pending'));
}

for (const [width, height, theme] of [
    [1280, 800, 'light'],
    [390, 844, 'dark'],
    [320, 640, 'light'],
]) {
    test(`the first minute at ${width} px: welcome, hello to everyone, a delegation, all by sent numbers`, async () => {
        const chat = await tourChat(`tour ${width}`);
        const p = await open(tour, `/w/tour/c/${chat}`, { width, height, theme });
        await p.getByText('Welcome. Three agents are here.').waitFor();
        await counts(p, '.chat-steps button', 5);
        await p
            .getByText(
                width === 1280
                    ? 'This is a scripted demo. No AI is running and nothing leaves this computer.'
                    : 'Scripted demo. No AI is running.',
            )
            .waitFor();
        await axe(p);
        await sendTyped(p, '1');
        await p.getByText('→ lead, ada, bo').waitFor();
        await counts(p, 'article.chat-message', 4);
        await tourIdle(p);
        const each = (selector, text) =>
            until(
                p,
                `"${text}" is on three messages`,
                ([s, t]) =>
                    [...document.querySelectorAll(s)].filter(e => e.textContent.includes(t)).length === 3,
                [selector, text],
            );
        await each('article.chat-message', '↪ replying to You');
        // The badge is on each message of the scripted model, and nothing hides it.
        await each('article .badge', 'scripted');
        await p.getByRole('button', { name: 'Hide this note' }).click();
        await p.getByRole('button', { name: 'Hide this note' }).waitFor({ state: 'detached' });
        await each('article .badge', 'scripted');
        await sendTyped(p, '2');
        const box = p.locator('.chat-delegation');
        await box.filter({ hasText: /main\.1.*@ada.*Find a date.*✓/ }).waitFor();
        await tourIdle(p);
        assert.equal(
            await p.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
            true,
            'it scrolls sideways',
        );
        await axe(p);
        await screenshot(p, `chat-${width}-${theme}`);
        await box.click();
        await until(
            p,
            'the timeline is open at the lane',
            () => location.search.includes('view=timeline') && location.search.includes('lane=main.1'),
        );
    });
}

test('that no AI runs is said only where none would answer; the pill has the model and where it runs', async () => {
    const far = {
        name: 'far',
        type: 'openai-compatible',
        baseUrl: 'https://llm.example.org/v1',
        apiKey: 'sk-x',
    };
    await quick.post('/providers', far);
    const w = await fresh(quick, [{ name: 'ada', model: 'demo/scripted' }]);
    await w.converse('hello');
    const p = await open(quick, at(w));
    const note = p.getByText('No AI is running and nothing leaves this computer.');
    const pill = p.locator('.frame-model');
    await note.waitFor();
    await pill.filter({ hasText: 'demo/scripted · this computer' }).waitFor();
    // The last answer was scripted; the next one is not.
    await quick.ask('PATCH', `${w.path}/agents/ada`, { model: 'far/big' });
    await pill.filter({ hasText: 'far/big · llm.example.org' }).waitFor();
    await note.waitFor({ state: 'detached' });
    await quick.ask('PATCH', `${w.path}/agents/ada`, { model: null });
    await note.waitFor();
    // Chosen elsewhere, while this page was not looked at.
    await quick.ask('PATCH', '/settings', { 'defaults.model': 'far/small' });
    await p.evaluate(() => dispatchEvent(new Event('focus')));
    await pill.filter({ hasText: 'far/small · llm.example.org' }).waitFor();
    await note.waitFor({ state: 'detached' });
    await quick.ask('PATCH', '/settings', { 'defaults.model': 'auto' });
    await quick.ask('PATCH', `${w.path}/agents/ada`, { paused: true });
    await pill.filter({ hasText: 'all agents paused' }).waitFor();
});

test('the other steps of the tour open the edit dialog and select five messages, and the tour counts', async () => {
    const p = await open(tour, `/w/tour/c/${await tourChat('steps')}`);
    await p.getByText('Say hello to everyone').waitFor();
    await sendTyped(p, '1');
    await counts(p, 'article.chat-message', 4);
    await tourIdle(p);
    await p.getByText('1 of 5').waitFor();
    await sendTyped(p, '3');
    await p.getByRole('dialog').waitFor();
    await p.keyboard.press('Escape');
    await p.getByRole('dialog').waitFor({ state: 'hidden' });
    await sendTyped(p, '4');
    await counts(p, '.chat-chosen', 4);
    // Out of the box, then out of the selection.
    await p.keyboard.press('Escape');
    await p.keyboard.press('Escape');
    await counts(p, '.chat-chosen', 0);
    await sendTyped(p, '5');
    await until(p, 'the inbox has something', () =>
        /[1-9]/.test(document.querySelector('.frame-inbox')?.textContent ?? ''),
    );
    await p.locator('.chat-tour', { hasText: '2 of 5' }).waitFor();
    await p.getByRole('button', { name: 'Skip the tour' }).click();
    await counts(p, '.chat-tour', 0);
});

test('a reply indicator shows its parent, jumps there, and leaves a way back', async () => {
    const w = await fresh(quick);
    await w.converse('the very first words');
    for (let n = 0; n < 12; n++) await w.converse(`filler ${n}`);
    const all = await w.messages();
    const late = await w.say('a late reply', { replyToMessageId: all[0].messageId });
    await w.idle();
    const p = await open(quick, at(w));
    const link = row(p, late.messageId).getByRole('link', { name: '↪ replying to You' });
    await link.waitFor();
    await link.focus();
    await p.locator('.chat-card', { hasText: 'the very first words' }).waitFor();
    await until(p, 'the others are dimmed', () => document.querySelector('.chat-log.chat-dim'));
    await p.keyboard.press('Escape');
    await counts(p, '.chat-card', 0);
    await link.click();
    await focusedRow(p, all[0].messageId);
    await row(p, all[0].messageId).waitFor();
    assert.equal(await p.evaluate(() => location.hash), `#m-${all[0].messageId}`);
    await p.getByRole('button', { name: 'Back to where I was' }).click();
    await until(
        p,
        'the reply is in sight again',
        id => {
            const box = document.querySelector(`[data-row="${id}"]`)?.getBoundingClientRect();
            return box && box.top >= 0 && box.bottom <= innerHeight;
        },
        late.messageId,
    );
    await p.getByRole('button', { name: 'Back to where I was' }).waitFor({ state: 'detached' });
    // The browser's own Back goes the same ways.
    await link.click();
    await focusedRow(p, all[0].messageId);
    await p.goBack();
    await until(p, 'it is elsewhere again', id => !location.hash.endsWith(id), all[0].messageId);
});

test('keys go through messages, their parents and replies; what they do is on the message', async () => {
    const w = await fresh(quick, ['lead']);
    await w.converse('one');
    await w.converse('two');
    const [one, answer, two] = await w.messages();
    const p = await open(quick, at(w));
    await row(p, two.messageId).waitFor();
    await p.keyboard.press('Escape');
    await p.keyboard.press('k');
    await focusedRow(p, two.messageId);
    await p.keyboard.press('k');
    await focusedRow(p, answer.messageId);
    await p.keyboard.press('p');
    await focusedRow(p, one.messageId);
    await p.keyboard.press('c');
    await focusedRow(p, answer.messageId);
    await p.keyboard.press('x');
    await p.keyboard.press('Shift+ArrowDown');
    await counts(p, '.chat-chosen', 2);
    await p.keyboard.press('Escape');
    await counts(p, '.chat-chosen', 0);
    await p.keyboard.press('r');
    await p.locator('.chat-chip', { hasText: 'replying to You' }).waitFor();
    await focusIn(p, '#composer textarea');
    // Keys are letters while somebody types.
    await p.keyboard.type('jkx');
    assert.equal(await composer(p).inputValue(), 'jkx');
    await p.keyboard.press('Enter');
    await said(p, 'jkx');
    await until(p, 'it is sent', () => !document.querySelector('.chat-pending'));
    await waitIdle(w, p);
    const reply = (await w.messages()).find(m => m.content === 'jkx');
    assert.equal(reply.replyToMessageId, two.messageId);
    await p.keyboard.press('Escape');
    await p.keyboard.press('Home');
    await focusedRow(p, one.messageId);
    await p.keyboard.press('End');
    const last = (await w.messages()).at(-1).messageId;
    await until(p, 'the last', id => document.activeElement?.dataset.row === id, last);
    await p.getByRole('button', { name: 'Latest ↓' }).waitFor({ state: 'detached' });
});

test('a draft survives every reload and switch, and belongs to its conversation', async () => {
    const w = await fresh(quick);
    const other = (await quick.post(`${w.path}/chats`, { title: 'other' })).id;
    const p = await open(quick, at(w));
    await composer(p).fill('half a thou');
    await composer(p).press('End');
    await p.keyboard.type('ght');
    await p.reload();
    await live(p);
    assert.equal(await composer(p).inputValue(), 'half a thought');
    await p.getByRole('link', { name: /other/ }).first().click();
    await until(p, 'the other conversation', id => location.pathname.endsWith(id), other);
    await until(p, 'its own box', () => document.querySelector('.chat-box textarea')?.value === '');
    await composer(p).fill('something else');
    await p.getByRole('link', { name: /room/ }).first().click();
    await until(
        p,
        'the draft is back',
        () => document.querySelector('.chat-box textarea')?.value === 'half a thought',
    );
    await p.keyboard.press('Escape');
    await send(p, 'half a thought, whole');
    await until(p, 'the box is empty', () => document.querySelector('.chat-box textarea').value === '');
    await waitIdle(w, p);
    await p.reload();
    await live(p);
    assert.equal(await composer(p).inputValue(), '');
});

test('what is written while agents work waits in the queue: sent now, changed in its place, or removed', async () => {
    const w = await fresh(slow, ['lead']);
    const p = await open(slow, at(w));
    await send(p, 'hold');
    await p.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    for (const text of ['first waits', 'second waits', 'third waits']) await send(p, text);
    await counts(p, '.chat-queue li', 3);
    const left = e => e.boundingBox().then(b => Math.round(b.x));
    assert.equal(await left(p.locator('.chat-queue h3')), await left(p.locator('.chat-box')));
    // The server keeps them: a reload shows them again.
    await p.reload();
    await live(p);
    await p.getByRole('button', { name: 'Edit the queued message: second waits' }).click();
    await until(
        p,
        'its text is in the box',
        () => document.querySelector('.chat-box textarea')?.value === 'second waits',
    );
    await p.getByText('Changing queued message 2 of 3').waitFor();
    await composer(p).fill('second, better');
    await p.getByRole('button', { name: 'Change', exact: true }).click();
    await until(
        p,
        'it is changed, in its place',
        () =>
            [...document.querySelectorAll('.chat-queue-text')].map(e => e.textContent).join() ===
            '“first waits”,“second, better”,“third waits”',
    );
    assert.equal(await composer(p).inputValue(), '');
    await p.getByRole('button', { name: 'Remove the queued message: third waits' }).click();
    await counts(p, '.chat-queue li', 2);
    await p.getByRole('button', { name: 'Send now: first waits' }).click();
    await until(p, 'it is said', () =>
        [...document.querySelectorAll('article.chat-message')].some(a =>
            a.textContent.includes('first waits'),
        ),
    );
    await p.getByRole('button', { name: 'Remove the queued message: second, better' }).click();
    await until(p, 'nothing waits', () => !document.querySelector('.chat-queue'));
    await p.getByRole('button', { name: 'Stop', exact: true }).click();
    await w.idle();
});

test('Escape leaves the box for the newest message on screen, and then for the one that was looked at', async () => {
    const w = await fresh(quick, ['lead']);
    for (let n = 0; n < 8; n++) await w.converse(`filler ${n}`);
    const all = await w.messages();
    const p = await open(quick, at(w), { height: 500 });
    await row(p, all.at(-1).messageId).waitFor();
    await composer(p).focus();
    await p.keyboard.press('Escape');
    await focusedRow(p, all.at(-1).messageId);
    await p.keyboard.press('k');
    await focusedRow(p, all.at(-2).messageId);
    await composer(p).focus();
    await p.keyboard.press('Escape');
    await focusedRow(p, all.at(-2).messageId);
});

test('stop is where Send is, keeps what was written, and offers to go on', async () => {
    const w = await fresh(slow, ['lead']);
    const p = await open(slow, at(w));
    const where = () => p.locator('.chat-send .button').first().boundingBox();
    await composer(p).fill('x');
    const sendBox = await where();
    await composer(p).fill('');
    await send(p, 'hold');
    await p.locator('.chat-live', { hasText: 'I begin' }).waitFor();
    const stopBox = await where();
    assert.ok(
        Math.abs(stopBox.x + stopBox.width - sendBox.x - sendBox.width) < 2 &&
            Math.abs(stopBox.y - sendBox.y) < 2,
        'Stop is not where Send was',
    );
    await p.getByRole('button', { name: 'Stop', exact: true }).click();
    const cut = p.locator('article.chat-message', { hasText: 'I begin' });
    await cut.getByText('stopped by you').waitFor();
    await w.idle();
    await p.reload();
    await live(p);
    await cut.getByText('stopped by you').waitFor();
    await cut.getByRole('button', { name: /^Continue/ }).click();
    await until(p, 'it is asked to go on', () =>
        [...document.querySelectorAll('article')].some(a => a.textContent.includes('please continue')),
    );
    await waitIdle(w, p);
});

test('mentions and commands are completed by keys, and the list says which one is chosen', async () => {
    const w = await fresh(quick);
    const p = await open(quick, at(w));
    const box = composer(p);
    await box.click();
    await p.keyboard.type('ask @a');
    const option = p.getByRole('option', { name: /ada/, selected: true });
    await option.waitFor();
    assert.equal(await box.getAttribute('aria-activedescendant'), await option.getAttribute('id'));
    await p.keyboard.press('Enter');
    assert.equal(await box.inputValue(), 'ask @ada ');
    await p.keyboard.type('and @');
    await counts(p, '[role=option]', 3);
    await p.keyboard.press('ArrowDown');
    await p.keyboard.press('Escape');
    await counts(p, '[role=option]', 0);
    assert.equal(await box.inputValue(), 'ask @ada and @');
    await box.fill('');
    await p.keyboard.type('/find');
    await p.getByRole('option', { name: /Find in this conversation/ }).waitFor();
    await p.keyboard.press('Enter');
    await p.getByRole('searchbox', { name: 'Find in this conversation' }).waitFor();
    assert.equal(await box.inputValue(), '');
});

test('who is expected to answer, and read only, are the same in every browser, and sent as words with each message', async () => {
    const w = await fresh(quick, ['lead']);
    const p = await open(quick, at(w));
    await p.getByRole('button', { name: /Reply expected/ }).click();
    await p.getByRole('menuitemradio', { name: 'lead' }).click();
    await p.getByRole('button', { name: 'Read only' }).click();
    const other = await open(quick, at(w));
    await other.getByRole('button', { name: /Reply expected: lead/ }).waitFor();
    const readOnly = other.getByRole('button', { name: 'Read only', pressed: true });
    await readOnly.waitFor();
    assert.equal((await quick.get(w.chatPath)).readOnly, true);
    await send(p, 'with tags');
    await waitIdle(w, p);
    const [mine] = await w.messages();
    assert.deepEqual(
        mine.instructions.filter(i => !i.type.startsWith('Source')),
        [{ type: 'ResponseExpected', target: 'lead' }, { type: 'ReadOnly' }],
    );
    for (const words of ['Reply expected: lead', 'Read only'])
        await row(p, mine.messageId).getByText(words).first().waitFor();
    // It stays until somebody changes it, wherever.
    await readOnly.click();
    await p.getByRole('button', { name: 'Read only', pressed: false }).waitFor();
    await quick.ask('PATCH', w.chatPath, { replyExpected: null });
    await p.locator('.chat-expect', { hasText: 'Reply expected: lead' }).waitFor({ state: 'detached' });
});

test('thinking, tools and failures: folded, paired, and with a way on', async () => {
    const w = await fresh(quick, ['lead']);
    const p = await open(quick, at(w));
    await send(p, 'think');
    await waitIdle(w, p);
    const fold = p.locator('.chat-thinking summary');
    await fold.waitFor();
    assert.equal(await p.locator('.chat-thinking .md').count(), 0);
    await fold.click();
    await p.locator('.chat-thinking .md', { hasText: 'word20' }).waitFor();
    await send(p, 'look up tides');
    await waitIdle(w, p);
    const tool = p.locator('.chat-tool');
    await tool.filter({ hasText: 'tool demo_lookup ✓' }).waitFor();
    await counts(p, '.chat-tool', 1);
    await tool.locator('summary').click();
    await p.locator('.chat-tool', { hasText: 'tides' }).waitFor();
    await p.locator('.chat-tool', { hasText: 'demo data' }).waitFor();
    await send(p, 'fail');
    const failed = p.locator('article.chat-failed');
    await failed.getByText('✕ failed').waitFor();
    await failed.getByText('the model is out of order').waitFor();
    for (const name of ['Retry', 'Edit', 'Copy'])
        await failed.getByRole('button', { name, exact: true }).waitFor();
    await w.idle();
    const before = (await w.messages()).map(m => m.messageId);
    const asked = async () => (await quick.get(`${w.path}/agents/lead/calls`)).data.length;
    const calls = await asked();
    await failed.getByRole('button', { name: 'Retry' }).click();
    await until(
        p,
        'it was tried again',
        async ([url, n]) => (await (await fetch(url)).json()).data.length > n,
        [`/api/v1${w.path}/agents/lead/calls`, calls],
    );
    await failed.getByText('the model is out of order').waitFor();
    await w.idle();
    assert.equal(await asked(), calls + 1, 'it was asked once more');
    assert.deepEqual(
        (await w.messages()).map(m => m.messageId),
        before,
        'nothing was said twice, and nothing left',
    );
});

test('a failure for want of a key offers buttons, no commands', async () => {
    await quick.post('/providers', {
        name: 'keyless',
        type: 'anthropic',
        baseUrl: 'https://llm.example.org',
    });
    const w = await fresh(quick, [{ name: 'ada', model: 'keyless/big' }]);
    const p = await open(quick, at(w));
    await send(p, 'hello');
    const failed = p.locator('article.chat-failed');
    await failed.getByRole('button', { name: 'Paste another key' }).waitFor();
    assert.doesNotMatch(await failed.textContent(), /skein [a-z]/);
    allow(p, /502.*\/providers\/[a-z]+\/models/); // the settings list models; these providers are nowhere
    await failed.getByRole('button', { name: 'Use another model' }).click();
    await until(p, 'the settings of the agent are open', () => /\/a\/ada/.test(location.pathname));
});

test('in-memory messages carry their marker and can be hidden; it is remembered', async () => {
    const w = await fresh(quick, [
        { name: 'lead', autoReply: false },
        { name: 'ada', autoReply: false },
    ]);
    await w.converse('@lead you answer');
    const aside = JSON.stringify({
        role: 'assistant',
        sender: 'lead',
        content: 'For your notes: the freeze ends at noon.',
    });
    const stored = await run(['append', ...quick.store.args, '-w', w.name, '-c', w.chat, '-q'], {
        input: `${aside}\n`,
    });
    assert.equal(stored.code, 0, stored.err);
    const quiet = (await w.messages()).filter(m => m.memoryOnly).length;
    assert.ok(quiet > 0);
    const p = await open(quick, at(w));
    const all = (await w.messages()).length;
    await counts(p, 'article[data-row]', all);
    assert.equal(await p.getByText('[in-memory, no reply]', { exact: true }).count(), quiet);
    await p.getByRole('button', { name: 'Hide in-memory' }).click();
    await counts(p, 'article[data-row]', all - quiet);
    await p.reload();
    await live(p);
    await counts(p, 'article[data-row]', all - quiet);
});

test('an edited message has a pager that previews the other wording', async () => {
    const w = await fresh(quick, ['lead']);
    await w.converse('a beginning');
    await w.converse('the old words');
    const old = (await w.messages()).find(m => m.content === 'the old words');
    const done = await quick.ask('PUT', `${w.path}/messages/${old.messageId}`, {
        chatId: w.chat,
        newContent: 'the new words',
    });
    await w.idle();
    const p = await open(quick, at(w));
    const newer = row(p, done.newMessageId);
    await newer.getByText('2/2 amended').waitFor();
    await newer.getByRole('button', { name: 'Earlier wording' }).click();
    await row(p, old.messageId).waitFor();
    assert.match(await p.evaluate(() => location.search), /[?&]v=t_/);
    assert.equal(
        (await w.messages()).some(m => m.content === 'the new words'),
        true,
        'nothing is switched by looking',
    );
});

test('find goes through the matches of the whole conversation, and a second press is the browser’s', async () => {
    const w = await fresh(quick, ['lead']);
    for (const text of ['a needle here', 'hay', 'another needle', 'hay again']) await w.converse(text);
    const p = await open(quick, at(w));
    await p.locator('article').first().waitFor();
    await p.keyboard.press('Control+f');
    const box = p.getByRole('searchbox', { name: 'Find in this conversation' });
    await box.fill('needle');
    await p.getByText('1 of 2').waitFor();
    await box.press('Enter');
    await until(p, 'the newest match', () =>
        document.querySelector('.chat-focused')?.textContent.includes('another needle'),
    );
    await box.press('Enter');
    await until(p, 'the one before', () =>
        document.querySelector('.chat-focused')?.textContent.includes('a needle here'),
    );
    const taken = await p.evaluate(() => {
        const e = new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, bubbles: true, cancelable: true });
        document.activeElement.dispatchEvent(e);
        return e.defaultPrevented;
    });
    assert.equal(taken, false);
    await box.press('Escape');
    await box.waitFor({ state: 'hidden' });
});

test('a telephone opens the sheet by the button, and removes from a message on, with undo', async () => {
    const w = await fresh(quick, ['lead']);
    await w.converse('keep this');
    await w.converse('drop this');
    const drop = (await w.messages()).find(m => m.content === 'drop this');
    const p = await open(quick, at(w), { width: 390, height: 844, hasTouch: true });
    await row(p, drop.messageId)
        .getByRole('button', { name: /^More for/ })
        .click();
    const sheet = p.getByRole('dialog');
    for (const name of [
        /^Go to parent/,
        /^Go to replies/,
        'Reply',
        /^Edit/,
        /^Another answer/,
        /^Ask another model/,
        'Branch from here',
        'Select for squash',
        'Inspect',
        'Export this thread',
        'Copy link',
        'Remove from here on',
    ])
        await sheet.getByRole('button', { name, exact: typeof name === 'string' }).waitFor();
    await axe(p);
    await sheet.getByRole('button', { name: 'Remove from here on' }).click();
    await p.getByRole('dialog').getByRole('button', { name: 'Remove 2 messages' }).click();
    await until(p, 'it is gone', id => !document.querySelector(`[data-row="${id}"]`), drop.messageId);
    await p.getByText('Removed 2 messages.').first().waitFor();
    await p.getByRole('button', { name: 'Undo' }).first().click();
    await row(p, drop.messageId).waitFor();
});

test('what cannot be done with a message says why', async () => {
    const w = await fresh(quick, ['lead']);
    await w.converse('hello');
    const p = await open(quick, at(w));
    const [asked, answer] = await w.messages();
    const item = async (m, name) => {
        await row(p, m.messageId).focus();
        await row(p, m.messageId)
            .locator('.chat-actions')
            .getByRole('button', { name: /^More for/ })
            .click();
        const found = p.getByRole('menuitem', { name });
        await found.waitFor();
        const said = [
            await found.getAttribute('aria-disabled'),
            await found.locator('small').allTextContents(),
        ];
        await p.keyboard.press('Escape');
        await found.waitFor({ state: 'detached' });
        return said;
    };
    for (const [m, name, why] of [
        [asked, /^Go to parent/, 'it replies to nothing'],
        [answer, /^Go to replies/, 'nobody replied to it'],
        [answer, /^Edit/, 'only your own'],
        [answer, /^Remove from here on/, 'only your own'],
    ])
        assert.deepEqual(await item(m, name), ['true', [why]], `${name}`);
    assert.deepEqual(await item(asked, /^Remove from here on/), [null, []]);
});

test('an empty conversation of another world offers examples, and the panel tells of a message', async () => {
    const w = await fresh(quick, ['lead']);
    const p = await open(quick, at(w));
    await p
        .getByText(
            'No messages yet. Every agent of this world answers unless it is paused; write @name to ask one agent.',
        )
        .waitFor();
    await axe(p);
    await p.getByRole('button', { name: 'Hello everyone!' }).click();
    await p.locator('article.chat-message', { hasText: 'Hello everyone!' }).waitFor();
    await waitIdle(w, p);
    const [mine] = await w.messages();
    await row(p, mine.messageId).click();
    const panel = p.locator('.chat-panel');
    await panel.getByText(mine.messageId).waitFor();
    await panel.filter({ hasText: /Delivered to.*lead.*replied/ }).waitFor();
    await panel.getByText('2 messages, depth').waitFor();
});

test('what the panel could not ask while the server was away is asked when it is back', async () => {
    const w = await fresh(quick, ['lead']);
    await w.converse('hello');
    const [mine] = await w.messages();
    const proxy = await Proxy.start(quick);
    const p = await open(proxy, at(w));
    allow(p, ...away);
    await row(p, mine.messageId).waitFor();
    proxy.stop();
    await p
        .getByText(/^Offline since /)
        .first()
        .waitFor();
    const whole = p.locator('.chat-panel h3:text-is("Whole thread") + *');
    await row(p, mine.messageId).click();
    await whole.getByText('…').waitFor();
    proxy.resume();
    await whole.getByText('2 messages, depth 2').waitFor();
});

test('the panel follows the keys from a message to its reply and back', async () => {
    const w = await fresh(quick, ['lead']);
    await w.converse('hello');
    const [mine, reply] = await w.messages();
    const p = await open(quick, at(w));
    const part = name => p.locator(`.chat-panel h3:text-is("${name}") + *`);
    await row(p, mine.messageId).click();
    await p.locator('.chat-panel-id', { hasText: mine.messageId }).waitFor();
    await part('Children').getByText('lead heard human.').waitFor();
    await p.keyboard.press('j');
    await p.locator('.chat-panel-id', { hasText: reply.messageId }).waitFor();
    await part('Parent').getByText('hello').waitFor();
    await part('Children').getByText('none yet').waitFor();
    // Of all that was begun with the first message, wherever one stands in it.
    await part('Whole thread').getByText('2 messages, depth 2').waitFor();
    await p.keyboard.press('k');
    await part('Parent').getByText('none').waitFor();
    await part('Children').getByText('lead heard human.').waitFor();
});

test('an address that names a message opens there; one of another conversation stays apart', async () => {
    const w = await fresh(quick, ['lead']);
    for (let n = 0; n < 8; n++) await w.converse(`line ${n}`);
    const all = await w.messages();
    const p = await open(quick, `${at(w)}#m-${all[3].messageId}`);
    await until(
        p,
        'it has the focus',
        id => document.querySelector('.chat-focused')?.dataset.row === id,
        all[3].messageId,
    );
    await visit(p, quick, at(w));
    await until(
        p,
        'the end is in sight',
        id => {
            const box = document.querySelector(`[data-row="${id}"]`)?.getBoundingClientRect();
            return box && box.bottom <= innerHeight;
        },
        all.at(-1).messageId,
    );
});

// What the page's own thread does from a key to the frame that shows it, in milliseconds of a processor: it may have to
// wait for one.
async function took(p, box, key) {
    await box.focus();
    const shown = await p.evaluateHandle(() => ({
        done: new Promise(resolve =>
            addEventListener('input', () => requestAnimationFrame(() => setTimeout(resolve, 0)), {
                once: true,
            }),
        ),
    }));
    const devtools = await p.context().newCDPSession(p);
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const worked = async () =>
        1000 *
        (await devtools.send('Performance.getMetrics')).metrics.find(m => m.name === 'TaskDuration').value;
    const before = await worked();
    await p.keyboard.press(key);
    await shown.evaluate(s => s.done);
    const ms = (await worked()) - before;
    await devtools.detach();
    return ms;
}

test('a megabyte of one line is pasted and written on as quickly as in a box with nothing around it', async () => {
    const w = await fresh(quick, []);
    const p = await open(quick, at(w), { permissions: ['clipboard-read', 'clipboard-write'] });
    await p.evaluate(() => {
        const bare = document.body.appendChild(document.createElement('textarea'));
        bare.id = 'bare';
        return navigator.clipboard.writeText('x'.repeat(990_000));
    });
    for (const key of ['Control+v', 'y']) {
        const mine = await took(p, composer(p), key);
        const least = await took(p, p.locator('#bare'), key);
        assert.ok(mine < 4 * least + 100, `${key}: ${mine} ms, in the other box ${least} ms`);
    }
    assert.equal((await composer(p).inputValue()).length, 990_001);
    await until(p, 'the box is as high as it may be', () => {
        const box = document.querySelector('#composer textarea');
        return box.clientHeight > innerHeight * 0.35 && box.clientHeight <= innerHeight * 0.4;
    });
    await composer(p).fill('short again');
    await until(p, 'it is low again', () => document.querySelector('#composer textarea').clientHeight < 60);
    assert.equal(await composer(p).getAttribute('dir'), 'auto');
});

test('a message may have as many bytes as the server takes, and one more stays in the box', async () => {
    const w = await fresh(quick, []);
    const p = await open(quick, at(w));
    const sendIt = () => p.locator('#composer').getByRole('button', { name: 'Send' }).click();
    // Two bytes a character: letters are not what is counted.
    const most = `${'ä'.repeat(499_000)}${'x'.repeat(2000)}`;
    await composer(p).fill(`${most}y`);
    await sendIt();
    await p
        .getByText(
            'The text has 1 000 001 bytes; a message can have at most 1 000 000. It is kept in the box.',
        )
        .first()
        .waitFor();
    assert.equal((await composer(p).inputValue()).length, most.length + 1);
    for (const text of [most, 'z'.repeat(990_006)]) {
        await composer(p).fill(text);
        await sendIt();
        await until(p, 'the box is empty', () => document.querySelector('#composer textarea').value === '');
        await until(p, 'it is said', () => !document.querySelector('.chat-pending'));
        assert.equal((await w.messages()).at(-1).content, text);
    }
});

test('a reply to a message that is in no version says so, and nobody is asked for it', async () => {
    const w = await quick.world('orphans', []);
    const line = {
        role: 'assistant',
        sender: 'ada',
        content: 'an answer to nothing',
        replyToMessageId: 'gone123456',
    };
    const done = await run(['append', ...quick.store.args, '-w', w.name, '-c', w.chat], {
        input: `${JSON.stringify(line)}\n`,
    });
    assert.equal(done.code, 0, done.err);
    const p = await open(quick, `/w/${w.name}/c/${w.chat}`);
    await p.getByText('replying to a message that is not in this version').waitFor();
    await p.getByRole('button', { name: 'Look in other versions' }).waitFor();
});

test('an image that is dropped is made smaller, goes with the message, and is shown', async () => {
    const w = await fresh(quick);
    const p = await open(quick, at(w));
    const data = await p.evaluateHandle(async () => {
        const canvas = Object.assign(document.createElement('canvas'), { width: 3000, height: 1500 });
        const blob = await new Promise(resolve => canvas.toBlob(resolve, 'image/png'));
        const dropped = new DataTransfer();
        dropped.items.add(new File([blob], 'plan.png', { type: 'image/png' }));
        return dropped;
    });
    await p.locator('#composer').dispatchEvent('drop', { dataTransfer: data });
    const files = p.getByRole('list', { name: 'Files of the message' });
    await files.getByText('plan.png').waitFor();
    await send(p, 'look at this');
    const image = p.locator('article.chat-message img[alt="plan.png"]');
    await image.waitFor();
    await files.waitFor({ state: 'detached' });
    const said = (await w.messages()).find(m => m.content === 'look at this');
    assert.deepEqual(
        said.files.map(f => [f.name, f.width, f.height]),
        [['plan.png', 2048, 1024]],
    );
    await until(p, 'the image is loaded', () => {
        const img = document.querySelector('article.chat-message img');
        return img?.complete && img.naturalWidth === 2048;
    });
    await axe(p);
});

await finish();
