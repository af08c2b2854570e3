// squash.mjs: several messages become one: chosen by key and by kind, previewed, made, explained and undone;
// and the tags that a message carries.
import {
    Server,
    allow,
    assert,
    axe,
    composer,
    finish,
    focusIn,
    live,
    onMessage,
    open,
    rows,
    script,
    send,
    team,
    test,
    three,
    until,
    visit,
    waitIdle,
} from './kit.mjs';

const server = await Server.start({ script: team() });
const writer = await Server.start({
    script: script(
        'squasher',
        `
rules:
  - when: 'The messages:'
    from: skein
    do: The gist of it.
  - when: lookup
    do:
      - call: demo_lookup
        args: {query: dates}
  - tool: demo_lookup
    do: Found.
otherwise: '{agent} answers.'
`,
    ),
});
let worlds = 0;
const fresh = (agents = three, s = server) => s.world(`squash${++worlds}`, agents);
const at = w => `/w/${w.name}/c/${w.chat}`;
const dialog = p => p.getByRole('dialog');
const bar = p => p.getByRole('toolbar', { name: 'Selected messages' });
const texts = async w => (await w.messages()).map(m => m.content);

async function tick(p, text) {
    await p.locator('article.chat-message', { hasText: text }).first().focus();
    await p.keyboard.press('x');
}

test('messages that are ticked by key are squashed by hand, and the toast takes it back', async () => {
    const w = await fresh(['lead']);
    await w.converse('first');
    await w.converse('second');
    const before = await texts(w);
    const p = await open(server, at(w));
    await tick(p, 'first');
    await tick(p, 'second');
    await bar(p).getByText('2 selected').waitFor();
    await axe(p);
    await p.keyboard.press('q');
    await dialog(p).getByRole('radio', { name: 'I write it myself' }).check();
    await dialog(p).getByRole('textbox', { name: 'Text' }).fill('both in one');
    await axe(p);
    await dialog(p).getByRole('button', { name: 'Use this: makes a new version' }).click();
    await p
        .getByText('2 messages are one now. They stay in the previous version.', { exact: true })
        .waitFor();
    await p.locator('article.chat-message', { hasText: 'both in one' }).waitFor();
    assert.equal((await texts(w)).length, before.length - 1);
    assert.equal(await bar(p).count(), 0);
    await focusIn(p, '#composer textarea');
    await p.getByRole('button', { name: 'Undo', exact: true }).first().click();
    await p.locator('article.chat-message', { hasText: 'second' }).first().waitFor();
    assert.deepEqual(await texts(w), before);
});

test('what was written for a squash that was closed is there again, also after a reload, until it is used', async () => {
    const w = await fresh(['lead']);
    await w.converse('first');
    await w.converse('second');
    const p = await open(server, at(w));
    const text = dialog(p).getByRole('textbox', { name: 'Text' });
    const own = dialog(p).getByRole('radio', { name: 'I write it myself' });
    const begin = async () => {
        await tick(p, 'first');
        await tick(p, 'second');
        await p.keyboard.press('q');
    };
    await begin();
    await own.check();
    await text.fill('both, half wri');
    await p.keyboard.press('Escape');
    await dialog(p).waitFor({ state: 'detached' });
    await p.reload();
    await live(p);
    await begin();
    assert.equal(await own.isChecked(), true);
    assert.equal(await text.inputValue(), 'both, half wri');
    await dialog(p).getByRole('button', { name: 'Use this: makes a new version' }).click();
    await p.getByRole('button', { name: 'Undo', exact: true }).first().click();
    await p.locator('article.chat-message', { hasText: 'second' }).first().waitFor();
    await begin();
    await dialog(p).waitFor();
    assert.equal(await own.isChecked(), false, 'what was used is no longer a draft');
});

test('a model is asked for a preview, and what was previewed is what is stored, with its origin', async () => {
    const w = await fresh(['lead'], writer);
    await w.converse('first');
    await w.converse('second');
    const p = await open(writer, at(w), { width: 390, height: 844 });
    await tick(p, 'first');
    await bar(p).getByRole('button', { name: 'Plain' }).click();
    await bar(p).getByText('4 selected').waitFor();
    await bar(p).getByRole('button', { name: 'Squash' }).click();
    await dialog(p)
        .getByRole('textbox', { name: 'Prompt' })
        .or(dialog(p).getByRole('combobox', { name: 'Prompt' }))
        .first()
        .fill('Keep the gist');
    await dialog(p).getByRole('button', { name: 'Preview' }).click();
    await dialog(p).getByText('The gist of it.').waitFor();
    assert.equal((await w.messages()).length, 4, 'a preview changes nothing');
    await until(p, 'the focus stays', () => document.activeElement.textContent === 'Try again');
    const picked = dialog(p).getByRole('combobox', { name: 'Model' });
    assert.notEqual(await picked.evaluate(s => s.selectedIndex), -1, 'the model that was asked is named');
    await dialog(p).getByRole('button', { name: 'Use this: makes a new version' }).click();
    await p.locator('article.chat-message', { hasText: 'The gist of it.' }).waitFor();
    const [one] = await w.messages();
    assert.equal(one.originalIds.length, 4);
    const made = await writer.get(`${w.path}/squashes/${one.squashOperationId}`);
    assert.equal(made.prompt, 'Keep the gist');
    assert.equal(made.performedByAgent, true);
});

test('the dialog says where the result will stand; prompts are saved, chosen and deleted, and stay', async () => {
    const w = await fresh(['lead']);
    await w.converse('first');
    await w.converse('second');
    const p = await open(server, at(w), { width: 390, height: 844 });
    const begin = async () => {
        await tick(p, 'first');
        await tick(p, 'second');
        await p.keyboard.press('q');
        await dialog(p).getByText('Saved prompts', { exact: true }).click();
    };
    const prompt = dialog(p).getByRole('textbox', { name: 'Prompt' });
    const save = dialog(p).getByRole('button', { name: 'Save this prompt' });
    const saved = text => dialog(p).getByRole('button', { name: text, exact: true });
    await begin();
    await dialog(p).getByText('The result takes the place of the first of them: You, “first”').waitFor();
    for (const text of ['Keep the dates', 'Keep the names']) {
        await prompt.fill(text);
        await save.click();
        await saved(text).waitFor();
        assert.equal(await save.isDisabled(), true, 'it is saved already');
    }
    await axe(p);
    await p.reload();
    await live(p);
    await begin();
    assert.equal(await prompt.inputValue(), 'Keep the names');
    await saved('Keep the dates').click();
    assert.equal(await prompt.inputValue(), 'Keep the dates');
    await dialog(p).getByRole('button', { name: 'Delete the saved prompt: Keep the dates' }).click();
    await saved('Keep the dates').waitFor({ state: 'detached' });
    assert.equal(await prompt.inputValue(), 'Keep the dates', 'what is written stays');
    await saved('Keep the names').waitFor();
});

test('a squash says that it is one and who made it, the same in the chat, its panel, the timeline, the history and the inspector', async () => {
    const w = await fresh(['lead']);
    await w.converse('first');
    await w.converse('second');
    const [first, one, second, two] = (await w.messages()).map(m => m.messageId);
    const made = async (sourceMessageIds, content, more = {}) =>
        server.post(`${w.chatPath}/squashes`, { sourceMessageIds, content, ...more }, 201);
    await made([first, second], 'both by hand');
    await made([one, two], 'both by a model', { performedByAgent: true, model: 'demo/scripted' });
    const p = await open(server, at(w));
    const row = text => p.locator('article.chat-message', { hasText: text });
    await row('both by hand')
        .getByRole('heading', { name: /^Squashed by you \d/ })
        .waitFor();
    await row('both by a model')
        .getByRole('heading', { name: /^Squashed by you, words by demo\/scripted as @?lead \d/ })
        .waitFor();
    const spoken = await p
        .locator('article.chat-message')
        .evaluateAll(all => all.map(e => e.getAttribute('aria-label')));
    assert.match(spoken[0], /^Squashed by you, /);
    assert.match(spoken[1], /^Squashed by you, words by demo\/scripted, /);
    await row('both by hand').focus();
    await p.locator('.chat-panel-id + p', { hasText: 'Squashed by you' }).waitFor();
    await row('both by hand')
        .getByRole('button', { name: /^Reply to squash, / })
        .waitFor();
    await visit(p, server, `${at(w)}?view=timeline`);
    await p.locator('.timeline-row', { hasText: 'both by hand' }).getByText('Squashed by you').waitFor();
    await p
        .locator('.timeline-row', { hasText: 'both by a model' })
        .getByText('Squashed by you, words by demo/scripted')
        .waitFor();
    assert.equal(await p.locator('.timeline-row .timeline-you').count(), 0);
    // The same words in the history and in the inspector.
    const words = 'Squashed by you, words by demo/scripted.';
    await visit(p, server, `${at(w)}?view=history`);
    await p.locator('.history-detail').getByText(words, { exact: true }).waitFor();
    await visit(p, server, at(w));
    await row('both by a model').focus();
    await p.locator('.chat-panel-id + p', { hasText: words.slice(0, -1) }).waitFor();
    allow(p, /404.*\/context/); // it was never sent to a model
    await p.keyboard.press('i');
    await p.getByRole('tab', { name: 'Origin' }).click();
    await p.locator('.inspector-squash').getByText(words, { exact: true }).waitFor();
    // One that is made while the timeline is looked at.
    await visit(p, server, `${at(w)}?view=timeline`);
    const both = (await w.messages()).map(m => m.messageId);
    await made(both, 'all in one');
    await p.locator('.timeline-row', { hasText: 'all in one' }).getByText('Squashed by you').waitFor();
});

test('a tool call is not ticked without its result', async () => {
    const w = await fresh(['lead'], writer);
    await w.converse('lookup');
    const p = await open(writer, at(w));
    await tick(p, 'lookup');
    await bar(p).getByRole('button', { name: 'Tools' }).click();
    await bar(p).getByText('2 selected (1 tool result)').waitFor();
    await bar(p).getByRole('button', { name: 'Remove' }).click();
    await p
        .getByText('2 messages (1 tool result) are out of this version, and in the one before.', {
            exact: true,
        })
        .waitFor();
    assert.equal(
        (await w.messages()).some(m => m.role === 'tool' || m.toolCalls.length),
        false,
    );
    await onMessage(p);
    await p.keyboard.press('z');
    await until(p, 'they are back', n => document.querySelectorAll('article.chat-message').length >= n, 3);
    assert.ok((await w.messages()).some(m => m.role === 'tool'));
});

// The lines that the buttons of the bar stand in.
const barLines = p =>
    bar(p)
        .getByRole('button')
        .evaluateAll(all => new Set(all.map(e => Math.round(e.getBoundingClientRect().top / 8))).size);

test('what can be done with the ticked stands in one line, in two on a phone, and a tick beside its name', async () => {
    const w = await fresh(['lead']);
    await w.converse('first');
    for (const [width, lines] of [
        [1280, 1],
        [390, 2],
        [320, 2],
    ]) {
        const p = await open(server, at(w), { width, height: 800 });
        await tick(p, 'first');
        await bar(p).waitFor();
        assert.equal(await barLines(p), lines, `lines at ${width}`);
        const touching = await p.$$eval(
            '.chat-row',
            all =>
                all
                    .map(row => [row.querySelector('.chat-tick'), row.querySelector('.chat-by h3')])
                    .map(pair => pair.map(e => e.getBoundingClientRect()))
                    .filter(([a, b]) => a.left - b.right < 6 && b.left - a.right < 6).length,
        );
        assert.equal(touching, 0, `ticks that touch a name at ${width}`);
        await p.close();
    }
});

test('Esc ends the selection, and nothing has changed', async () => {
    const w = await fresh(['lead']);
    await w.converse('first');
    const p = await open(server, at(w));
    await tick(p, 'first');
    await bar(p).waitFor();
    await p.keyboard.press('Escape');
    await bar(p).waitFor({ state: 'detached' });
    assert.equal((await texts(w)).length, 2);
});

test('tags are buttons of the world; those that are on go with the message and are on after a reload', async () => {
    const w = await fresh(['lead', 'ada']);
    await server.ask('PUT', `${w.path}/tags`, {
        tags: [
            { name: 'Short', instruction: 'Short' },
            { name: 'Ask lead', control: 'choice', instruction: 'ResponseExpected', target: 'lead' },
            { name: 'Ask ada', control: 'choice', instruction: 'ResponseExpected', target: 'ada' },
        ],
    });
    const p = await open(server, at(w));
    const button = name =>
        p.getByRole('group', { name: 'Tags of your next message' }).getByRole('button', { name });
    await button('Short').click();
    await button('ResponseExpected').click();
    await button('Ask lead').click();
    await p.getByRole('button', { name: 'Ask ada', pressed: true }).waitFor();
    await until(
        p,
        'the server knows',
        async path => {
            const list = (await (await fetch(path)).json()).data;
            return (
                list
                    .filter(t => t.active)
                    .map(t => t.name)
                    .sort()
                    .join() === 'Ask ada,Short'
            );
        },
        `/api/v1${w.path}/tags?chatId=${w.chat}`,
    );
    await p.reload();
    for (const name of ['Ask ada', 'Short']) await p.getByRole('button', { name, pressed: true }).waitFor();
    await axe(p);
    await send(p, 'with tags');
    await waitIdle(w, p);
    const mine = (await w.messages()).find(m => m.content === 'with tags');
    const carried = mine.instructions.filter(i => !i.type.startsWith('Source.'));
    assert.deepEqual(carried.map(i => `${i.type} ${i.target ?? ''}`.trim()).sort(), [
        'ResponseExpected ada',
        'Short',
    ]);
});

test('the tags of a world are defined in the page', async () => {
    const w = await fresh(['lead']);
    const p = await open(server, at(w));
    await p.getByRole('button', { name: '+ tags' }).click();
    await dialog(p).getByRole('textbox', { name: 'Name' }).fill('Formal');
    await axe(p);
    await dialog(p).getByRole('button', { name: 'Save' }).click();
    await p.getByRole('button', { name: 'Formal', exact: true }).waitFor();
    const list = await server.get(`${w.path}/tags`);
    assert.deepEqual(
        list.data.map(t => [t.name, t.instruction]),
        [['Formal', 'Formal']],
    );
});

await finish();
