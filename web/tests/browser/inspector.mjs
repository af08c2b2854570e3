// inspector.mjs: what the model saw, what came back, where a message comes from.
import { address, allow, assert, chord, finish, open, test, until } from './kit.mjs';
import { fits, office, sound, startOffice } from './office.mjs';

const server = await startOffice();
const chat = w => `/w/${w.name}/c/${w.chat}`;
const box = p => p.locator('dialog.inspector');
const tab = (p, name) => box(p).getByRole('tab', { name, exact: true });

async function inspect(p, text) {
    const row = p.locator('article.chat-message', { hasText: text }).first();
    await row.focus();
    await p.keyboard.press('i');
    await box(p).waitFor();
}

test('a message of an agent: what the model saw, the answer, tools, timing, raw', async () => {
    const w = await office(server, [{ name: 'ada', systemPrompt: 'You do research.' }]);
    await w.converse('look up tides');
    const calls = (await server.get(`${w.path}/agents/ada/calls`)).data;
    const p = await open(server, chat(w));
    await inspect(p, 'That is what I found.');
    await box(p).getByText(`call ${calls.length} of ${calls.length}`).waitFor();
    await box(p).getByText('not measured (scripted)').waitFor();
    const roles = await box(p).locator('.saw-role').allTextContents();
    assert.deepEqual(
        roles.map(r => r.trim()),
        ['system', 'user', 'assistant', 'tool demo_lookup'],
    );
    await box(p).locator('.saw-text').getByText('You do research.').waitFor();
    await box(p).getByRole('searchbox', { name: 'Find inside' }).fill('tides');
    await box(p).locator('mark').first().waitFor();
    await until(p, 'only what has it is shown', () => document.querySelectorAll('.saw-row').length === 3);
    await box(p).getByRole('searchbox', { name: 'Find inside' }).fill('');
    await tab(p, 'Answer').click();
    await box(p).getByText('That is what I found.').first().waitFor();
    await tab(p, 'Timing').click();
    await box(p).getByText('In all').waitFor();
    await tab(p, 'Origin').click();
    await box(p).getByText('v1 (current)').waitFor();
    await tab(p, 'Raw').click();
    assert.equal(JSON.parse(await box(p).locator('.inspector-raw').textContent()).id, calls[0].id);
    await box(p)
        .getByRole('button', { name: /‹ call/ })
        .click();
    await box(p)
        .getByText(`call ${calls.length - 1} of ${calls.length}`)
        .waitFor();
    await tab(p, 'Tools').click();
    await box(p).getByText('✓ answered').waitFor();
    await box(p)
        .getByRole('button', { name: /call \d+ ›/ })
        .click();
    await box(p).getByText(`call ${calls.length} of ${calls.length}`).waitFor();
    await p.keyboard.press('Escape');
    await box(p).waitFor({ state: 'detached' });
});

test('texts that are equal lead each to its own message', async () => {
    const w = await office(server, [{ name: 'ada' }]);
    await w.converse('ping');
    await w.converse('ping');
    await w.converse('what did I say?');
    const rows = await w.messages();
    assert.equal(rows.length, 6);
    const p = await open(server, `${chat(w)}?inspect=message%3A${rows[5].messageId}`);
    await box(p).locator('.saw-row').nth(5).waitFor();
    const links = await box(p)
        .locator('.saw-more a')
        .evaluateAll(all => all.map(a => a.hash));
    // All that stood before the answer, in its order: each once.
    assert.deepEqual(
        links,
        rows.slice(0, 5).map(m => `#m-${m.messageId}`),
    );
});

test('a call of work that was handed on is shown with its messages, and nothing is asked for that is not there', async () => {
    const w = await office(server);
    await w.converse('@lead hand this on');
    const calls = (await server.get(`${w.path}/agents/ada/calls`)).data;
    assert.ok(calls.length > 0, 'it was handed on');
    const p = await open(server, `${chat(w)}?inspect=call%3A${calls[0].id}`);
    await box(p).locator('.saw-row').first().waitFor();
    // No memory has what was said there: the call itself says which messages it was sent.
    const { contextMessageIds } = await server.get(`${w.path}/calls/${calls[0].id}`);
    assert.ok(contextMessageIds.flat().length > 0, 'a task was handed on');
    assert.deepEqual(
        await box(p)
            .locator('.saw-more a')
            .evaluateAll(all => all.map(a => a.hash)),
        contextMessageIds.flat().map(m => `#m-${m}`),
    );
});

test('what is looked into has an address: a reload keeps it, Back leaves it, and a link out of it comes back', async () => {
    const w = await office(server, [{ name: 'ada', systemPrompt: 'You do research.' }]);
    await w.converse('look up tides');
    const p = await open(server, `/w/${w.name}/a/ada?tab=activity`);
    const activity = await address(p);
    await p.locator('.call-row').first().click();
    await box(p).locator('.saw-row').first().waitFor();
    assert.match(await address(p), /[?&]inspect=call%3A/);
    await p.reload();
    await box(p).locator('.saw-row').first().waitFor();
    // To the call before is not a step of its own: Back closes.
    await box(p)
        .getByRole('button', { name: /‹ call/ })
        .click();
    await box(p).getByText('call 1 of 2').waitFor();
    await p.goBack();
    await box(p).waitFor({ state: 'detached' });
    assert.equal(await address(p), activity);
    await p.goForward();
    await box(p).getByText('call 1 of 2').waitFor();
    const within = await address(p);
    await tab(p, 'Origin').click();
    await box(p).getByRole('link', { name: 'v1 (current)' }).click();
    await box(p).waitFor({ state: 'detached' });
    await p.locator('article.chat-focused').waitFor();
    await p.goBack();
    await box(p).getByText('call 1 of 2').waitFor();
    assert.equal(await address(p), within);
    // Closing goes back to what it lies over, and elsewhere from there at once.
    await p.keyboard.press('Escape');
    await box(p).waitFor({ state: 'detached' });
    await chord(p, 'g i');
    await until(p, 'the inbox is open', () => location.pathname === '/inbox');
    await p.goBack();
    await until(p, 'the log is there, and nothing over it', url => location.href === url, activity);
    assert.equal(await box(p).count(), 0);
    // Who came by the address has nothing behind it to go back to.
    const q = await open(server, new URL(within).pathname + new URL(within).search);
    await box(q).getByText('call 1 of 2').waitFor();
    await q.keyboard.press('Escape');
    await box(q).waitFor({ state: 'detached' });
    assert.equal(await address(q), activity);
});

test('a message of a person: who has it, and that no model wrote it', async () => {
    const w = await office(server);
    await w.converse('@ada hello');
    const p = await open(server, chat(w));
    allow(p, /404/);
    await inspect(p, '@ada hello');
    await box(p).getByText('answered').first().waitFor();
    await tab(p, 'What the model saw').click();
    await box(p).getByText('No model wrote this message.').waitFor();
});

test('a call that nobody kept says so', async () => {
    const w = await office(server);
    const p = await open(server, `/w/${w.name}/a/ada?tab=activity`);
    allow(p, /404/);
    await p.getByText('No model was asked for @ada yet.').waitFor();
    await server.post(`${w.path}/messages`, { content: 'hello', chatId: w.chat }, 202);
    await p.locator('.call-row').first().waitFor();
    await p.route('**/calls/*', route =>
        route.fulfill({
            status: 404,
            contentType: 'application/problem+json',
            body: JSON.stringify({
                type: '/problems/call-not-found',
                title: 'No model was asked for this',
                status: 404,
                detail: 'gone',
            }),
        }),
    );
    await p.locator('.call-row').first().click();
    await box(p)
        .getByText('Nothing is recorded for this call: it is too old, or was imported or erased.')
        .waitFor();
});

test('a squash says what it stands for, and is run again', async () => {
    const w = await office(server);
    await w.converse('one');
    const [first, second] = await w.messages();
    await server.post(
        `${w.chatPath}/squashes`,
        { sourceMessageIds: [first.messageId, second.messageId], prompt: 'Make one', model: 'demo/scripted' },
        202,
    );
    await until(
        await open(server, '/settings/about'),
        'the squash is done',
        async path => {
            const list = await (await fetch(`/api/v1${path}/squashes`)).json();
            return list.data.length === 1;
        },
        w.chatPath,
    );
    const p = await open(server, chat(w));
    allow(p, /404/);
    await inspect(p, 'One text for all of them.');
    await tab(p, 'Origin').click();
    await box(p).getByText('2 messages').first().waitFor();
    await box(p).getByText('Make one').waitFor();
    await box(p).getByRole('button', { name: 'Run again…' }).click();
    await box(p).getByRole('button', { name: 'Go back and run again' }).click();
    await p
        .getByText(/The squash was run again/)
        .first()
        .waitFor();
    assert.equal((await server.get(`${w.chatPath}/squashes`)).data.length, 2);
});

for (const theme of ['light', 'dark'])
    test(`nothing is wrong for axe, in ${theme}, and nothing is too wide`, async () => {
        const w = await office(server);
        await w.converse('@ada look up tides');
        for (const [width, height] of [
            [1280, 800],
            [390, 844],
            [320, 640],
        ]) {
            const p = await open(server, `/w/${w.name}/a/ada?tab=activity`, { theme, width, height });
            await p.locator('.call-row').first().click();
            await box(p).locator('.saw-row').first().waitFor();
            for (const name of [
                'What the model saw',
                'Answer',
                'Tools',
                'Timing',
                'Delivery',
                'Origin',
                'Raw',
            ]) {
                await tab(p, name).click();
                await fits(p, `${name} at ${width}`);
                if (width !== 320) await sound(p);
            }
            await p.close();
        }
    }, 180000);

await finish();
