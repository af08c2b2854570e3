// search.mjs: words and conditions, in all versions, while they are typed.
import {
    address,
    allow,
    assert,
    away,
    chord,
    finish,
    live,
    onMessage,
    open,
    page,
    test,
    until,
    visit,
} from './kit.mjs';
import { Proxy } from './proxy.mjs';
import { does, fits, office, sound, startOffice } from './office.mjs';

const server = await startOffice();
const at = (w, q) => `/search?q=${encodeURIComponent(q)}${w ? `&w=${w.name}` : ''}`;
const input = p => p.getByRole('searchbox', { name: 'Search' });
const hits = p => p.locator('.search-hit');
// The server was asked and has answered: the line above the results says how many there are.
const found = (p, n) =>
    until(
        p,
        `${n} are found`,
        k =>
            document.querySelectorAll('.search-hit').length === k &&
            document
                .querySelector('.search-line [role=status]')
                ?.textContent.startsWith(`${k} result${k === 1 ? '' : 's'} in `),
        n,
    );

test('results come while somebody types, are marked, grouped, and open in place', async () => {
    const w = await office(server);
    await w.converse('the freeze ends at noon');
    await does(w, 'lead', 'the freeze in the background');
    const p = await open(server, `/w/${w.name}`);
    await p.goto(new URL(at(w, ''), server.url).href);
    await input(p).pressSequentially('freeze');
    await found(p, 2);
    assert.equal(new URL(await address(p)).search, `?q=freeze&w=${w.name}`);
    assert.deepEqual(await p.locator('.search-snippet mark').allTextContents(), ['freeze', 'freeze']);
    assert.equal(await p.locator('.search-group').count(), 2);
    const said = (await w.messages()).find(m => m.sender === 'human');
    await p.locator(`#hit-${said.messageId}`).focus();
    await p.locator('.search-preview').getByText('the freeze ends at noon').waitFor();
    await p.locator('.search-preview').getByRole('button', { name: 'Open here' }).click();
    await until(p, 'it is open', ([c, m]) => location.pathname.endsWith(c) && location.hash === `#m-${m}`, [
        w.chat,
        said.messageId,
    ]);
    await p.goBack();
    await found(p, 2);
});

// The frames and timers of the page do not run: what is done between two keys is done at once, or not at all.
test('what is typed right after the key that opens the search is searched for', async () => {
    const w = await office(server);
    await w.converse('the freeze at once');
    const p = await page();
    await p.clock.install();
    await visit(p, server, '/search');
    await p.goto(new URL(`/w/${w.name}/c/${w.chat}`, server.url).href);
    await p.getByText('the freeze at once').first().waitFor();
    // The part of the page for it is fetched when it is first shown.
    await onMessage(p);
    await chord(p, 'g s');
    await input(p).waitFor();
    await p.goBack();
    await p.getByText('the freeze at once').first().waitFor();
    await onMessage(p);
    await p.clock.pauseAt(Date.now() + 3600e3);
    await chord(p, 'g s');
    await p.keyboard.type('freeze');
    assert.equal(await input(p).inputValue(), 'freeze');
    await p.clock.resume();
    await found(p, 1);
    assert.equal(new URL(await address(p)).search, `?q=freeze&w=${w.name}`);
});

test('conditions are chips that one click removes; what is wrong stands below the words', async () => {
    const w = await office(server);
    await w.converse('@ada freeze');
    const p = await open(server, at(w, 'from:ada freeze'));
    await p.getByText(/No match in \d+ messages and their older versions/).waitFor();
    await p.getByRole('button', { name: 'Remove the filter from:ada' }).first().click();
    await found(p, 1);
    await p.getByRole('button', { name: 'is:unreplied', exact: true }).click();
    await until(p, 'the condition is in the address', () => location.search.includes('is%3Aunreplied'));
    await found(p, 0);
    await input(p).fill('is:nonsense');
    await p
        .locator('.field-bad')
        .getByText('There is no filter is:nonsense. The filters are is:unreplied', { exact: false })
        .waitFor();
});

test('what stands only in an older version says so, and opens there', async () => {
    const w = await office(server);
    await w.converse('an old freeze');
    const [first] = await w.messages();
    await server.ask(
        'PUT',
        `${w.path}/messages/${first.messageId}?chatId=${w.chat}`,
        { newContent: 'something else' },
        200,
        { headers: { 'if-match': await w.etag() } },
    );
    await w.idle();
    const p = await open(server, at(w, '"old freeze"'));
    await found(p, 1);
    await p.getByText('only in v1', { exact: true }).waitFor();
    await p.getByRole('radio', { name: 'current only' }).check();
    await found(p, 0);
    await p.getByRole('radio', { name: 'all', exact: true }).check();
    await found(p, 1);
    await p.locator('.search-preview').getByText('an old freeze').waitFor();
    await p.locator('.search-preview').getByRole('button', { name: 'Open here' }).click();
    const threads = (await server.get(`${w.chatPath}/threads`)).data;
    const old = threads.find(t => t.number === 1).threadId;
    const isOld = v => new URLSearchParams(location.search).get('v') === v;
    await until(p, 'the old version is open', isOld, old);
    // The palette goes there too.
    await p.goto(new URL(`/w/${w.name}`, server.url).href);
    await live(p);
    await p.keyboard.press('Control+k');
    await p.keyboard.type('old freeze');
    await p.getByRole('option', { name: /only in v1/ }).click();
    await until(p, 'the old version is open again', isOld, old);
});

test('a search is saved, used again, and forgotten; results of tools are hidden until wanted', async () => {
    const w = await office(server);
    await w.converse('@ada look up tides');
    const p = await open(server, at(w, 'demo'));
    await found(p, 0);
    await p.getByRole('checkbox', { name: 'raw tool output' }).check();
    await until(p, 'the result is shown', () => document.querySelectorAll('.search-hit').length > 0);
    await p.getByRole('button', { name: 'Save', exact: true }).click();
    await p.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('tools');
    await p.getByRole('dialog').getByRole('button', { name: 'Save' }).last().click();
    await input(p).fill('');
    await p.locator('.search-side').getByRole('button', { name: 'tools', exact: true }).click();
    await until(p, 'it is asked again', () => new URLSearchParams(location.search).get('q') === 'demo');
    await p.reload();
    await p.locator('.search-side').getByRole('button', { name: 'Delete the saved search tools' }).click();
    await p.locator('.search-side').getByText('None yet. Save stores a search in this browser.').waitFor();
});

test('all worlds are searched when that is wanted', async () => {
    const [one, two] = [await office(server), await office(server)];
    for (const w of [one, two]) await w.converse('everywhere unique77');
    const p = await open(server, `/w/${one.name}`);
    await p.goto(new URL(at(one, 'unique77'), server.url).href);
    await found(p, 1);
    await p.getByRole('radio', { name: 'all worlds' }).check();
    await found(p, 2);
    assert.deepEqual(
        (await p.locator('.search-group').allTextContents()).map(
            t => t.includes(one.name) || t.includes(two.name),
        ),
        [true, true],
    );
});

test('without the server it searches what the page has', async () => {
    const w = await office(server);
    await w.converse('the freeze offline');
    const said = (await w.messages()).length;
    const proxy = await Proxy.start(server);
    const p = await open(proxy, `/w/${w.name}/c/${w.chat}`);
    allow(p, ...away);
    await p.getByText('the freeze offline').first().waitFor();
    await onMessage(p);
    await chord(p, 'g s');
    await input(p).waitFor();
    proxy.stop();
    await input(p).fill('freeze');
    await p
        .getByText(
            `Offline: searching what is on this device: ${said} messages of ${w.name} that are loaded.`,
        )
        .waitFor();
    await hits(p).first().waitFor();
    await p.getByRole('status').getByText('1 result here').waitFor();
    // What was said around it is looked up here, too.
    await p.locator('.preview-rows li').nth(1).waitFor();
    await input(p).fill('freeze is:edited');
    await p.getByText('Not looked at: is:edited.').waitFor();
    await input(p).fill('thaw');
    await p.getByText('No match on this device.').waitFor();
});

for (const theme of ['light', 'dark'])
    test(`nothing is wrong for axe, in ${theme}, and nothing is too wide`, async () => {
        const w = await office(server);
        await w.converse(`the freeze ${'very'.repeat(60)} long`);
        for (const [width, height] of [
            [1280, 800],
            [390, 844],
            [320, 640],
        ]) {
            const p = await open(server, at(w, 'freeze from:me'), { theme, width, height });
            await found(p, 1);
            await fits(p, `results at ${width}`);
            if (width !== 320) await sound(p);
            if (width === 1280) continue;
            await p.getByRole('button', { name: 'Filters' }).click();
            await p.getByRole('dialog').getByRole('radio', { name: 'all worlds' }).waitFor();
            await fits(p, `filters at ${width}`);
            if (width !== 320) await sound(p);
        }
    }, 120000);

await finish();
