// frame-keys.mjs: everything by keyboard: skip links, keys, the palette, windows, places visited, and signing in.
import fs from 'node:fs';
import path from 'node:path';
import { eventually } from '../../../tests/server/lib.mjs';
import {
    Server,
    allow,
    arrives,
    assert,
    axe,
    chord,
    composer,
    finish,
    focusIn,
    folder,
    hasFocus,
    live,
    onMessage,
    open,
    page,
    settled,
    team,
    test,
    three,
    until,
    visit,
} from './kit.mjs';

const server = await Server.start({ script: team() });
const secret = 'the-token-of-the-frame-5d2e';
const tokenFile = path.join(folder, 'frame-token');
fs.writeFileSync(tokenFile, `${secret}\n`, { mode: 0o600 });
const guarded = await Server.start({ script: team(), token: secret, args: [`--token-file=${tokenFile}`] });

let worlds = 0;
const at = (w, query = '') => `/w/${w.name}/c/${w.chat}${query}`;
async function talked(times = 1) {
    const w = await server.world(`keys${++worlds}`, three);
    for (let i = 0; i < times; i++) await w.converse(`hello ${i}`);
    return w;
}
const where = p => p.evaluate(() => location.pathname + location.search);
const focused = p =>
    p.evaluate(
        () =>
            document.activeElement?.textContent?.trim() ||
            document.activeElement?.ariaLabel ||
            document.activeElement?.tagName,
    );

test('the first stops are skip links to messages, composer and latest', async () => {
    const p = await open(server, at(await talked(3)));
    const walk = async n => {
        await p.evaluate(() => {
            document.activeElement.blur();
            document.body.tabIndex = -1;
            document.body.focus();
            document.body.removeAttribute('tabindex');
        });
        for (let i = 0; i < n; i++) await p.keyboard.press('Tab');
    };
    await walk(1);
    assert.equal(await focused(p), 'Skip to messages');
    assert.ok(await p.evaluate(() => document.activeElement.getBoundingClientRect().top >= 0), 'it is seen');
    await p.keyboard.press('Enter');
    await focusIn(p, '[role=log]');
    await walk(2);
    await p.keyboard.press('Enter');
    await focusIn(p, '#composer textarea');
    await walk(3);
    await p.keyboard.press('Enter');
    await until(p, 'the last message has the focus', () => {
        const all = [...document.querySelectorAll('#main [role=log] article')];
        return all.at(-1) && all.at(-1).contains(document.activeElement);
    });
});

test('whatever has the focus is seen whole and is not behind a bar', async () => {
    const w = await talked(12);
    for (const [width, height] of [
        [1280, 800],
        [390, 600],
    ]) {
        const p = await open(server, at(w), { width, height });
        let stops = 0;
        for (let i = 0; i < 60; i++) {
            await p.keyboard.press('Tab');
            const look = () => {
                const e = document.activeElement;
                if (!e || e === document.body) return null;
                const box = e.getBoundingClientRect();
                const middle = [
                    Math.min(box.left + box.width / 2, innerWidth - 1),
                    Math.min(Math.max(box.top, 0) + Math.min(box.height / 2, 12), innerHeight - 1),
                ];
                const top = document.elementFromPoint(...middle);
                const ring = getComputedStyle(e);
                return {
                    what: `${e.tagName}.${e.className} ${e.ariaLabel ?? e.textContent.slice(0, 30)}`,
                    covered:
                        top && (e.contains(top) || top.contains(e))
                            ? ''
                            : `${top?.tagName}.${top?.className}`,
                    outside:
                        box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth,
                    ring:
                        ring.outlineStyle !== 'none'
                            ? Number.parseFloat(ring.outlineWidth)
                            : ring.boxShadow !== 'none' || e.closest('.palette-top, .chat-box')
                              ? 2
                              : 0,
                };
            };
            // The page scrolls to what has the focus when it has drawn it.
            let hidden = null;
            const isSeen = async () => {
                hidden = await p.evaluate(look);
                return !hidden || (hidden.covered === '' && !hidden.outside);
            };
            const again = async () => {
                if (await isSeen()) return true;
                // Something that is drawn late may scroll to the end once more: the focus comes back to its place.
                for (const key of ['Shift+Tab', 'Tab']) await p.keyboard.press(key);
                return false;
            };
            await eventually('what has the focus is seen', isSeen, 2000).catch(() =>
                eventually('it is seen when it gets the focus again', again, 2000).catch(() => {}),
            );
            if (!hidden) continue;
            stops++;
            assert.deepEqual(
                { ...hidden, what: '' },
                { what: '', covered: '', outside: false, ring: hidden.ring },
                hidden.what,
            );
            assert.ok(hidden.ring >= 2, `the ring of ${hidden.what} is ${hidden.ring} px`);
        }
        assert.ok(stops > 30, `${stops} stops`);
    }
});

test('g and a letter goes places, and back and forward go through them', async () => {
    const w = await talked();
    const p = await open(server, at(w));
    const chords = [
        ['gt', at(w, '?view=tree')],
        ['gl', at(w, '?view=timeline')],
        ['gh', at(w, '?view=history')],
        ['gc', at(w)],
        ['ga', `/w/${w.name}/agents`],
        ['gi', '/inbox'],
        ['gs', `/search?q=&w=${w.name}`],
        ['m', '/settings/models'],
    ];
    for (const [keys, to] of chords) {
        if (await composer(p).count()) await onMessage(p);
        else await p.evaluate(() => document.activeElement?.blur());
        await chord(p, [...keys].join(' '));
        await arrives(p, to);
        await live(p);
    }
    for (const [, to] of chords.slice(0, -1).reverse()) {
        await p.goBack();
        await arrives(p, to);
    }
    await p.goForward();
    await arrives(p, chords[1][1]);
});

test('what is typed in a chat goes into its box, which has the focus when it opens; it runs no command', async () => {
    const w = await talked(2);
    const [first] = await w.messages();
    await server.call('PUT', `${w.path}/messages/${first.messageId}`, {
        body: { chatId: w.chat, newContent: 'hello, edited' },
    });
    await w.idle();
    const version = (await server.get(`${w.path}/chats/${w.chat}`)).version;
    const other = await server.post(`${w.path}/chats`, { title: 'Second' });
    const p = await open(server, at(w));
    await focusIn(p, '#composer textarea');
    const words = 'What size is it? zZmdn.[]g i/1';
    const typedOn = async focus => {
        await focus();
        await p.keyboard.type(words);
        assert.equal(await composer(p).inputValue(), words);
        assert.equal(await where(p), at(w));
        assert.equal(await p.locator('dialog[open]').count(), 0);
        await composer(p).fill('');
    };
    await typedOn(() => p.evaluate(() => document.activeElement.blur()));
    await typedOn(() => p.locator('#main').focus());
    await typedOn(() => p.locator('#main h1').click());
    // A button keeps what presses it.
    await typedOn(() => p.getByRole('button', { name: 'New conversation' }).focus());
    assert.equal((await server.get(`${w.path}/chats/${w.chat}`)).version, version, 'nothing was undone');
    // A window that was closed gives the cursor back, too.
    await typedOn(async () => {
        await p.keyboard.press('ArrowUp');
        await p.getByRole('dialog', { name: /^Edit/ }).waitFor();
        await p.keyboard.press('Escape');
        await p.getByRole('dialog').waitFor({ state: 'detached' });
    });
    // However the conversation is opened.
    await p.locator('.frame-list').getByRole('link', { name: 'Second' }).click();
    await arrives(p, `/w/${w.name}/c/${other.id}`);
    await focusIn(p, '#composer textarea');
    await p.keyboard.press('Control+k');
    await p.keyboard.type('room');
    await p.getByRole('option', { name: 'room', selected: true }).waitFor();
    await p.keyboard.press('Enter');
    await arrives(p, at(w));
    await focusIn(p, '#composer textarea');
    // With a message selected the same letters are commands.
    await p.keyboard.press('Escape');
    await focusIn(p, 'article[data-row]');
    await p.keyboard.press('z');
    await p.locator('.toast', { hasText: 'Undone: ' }).waitFor();
    assert.equal(await composer(p).inputValue(), '');
});

test('keys do nothing while somebody types, nor when they are switched off', async () => {
    const w = await talked();
    const p = await open(server, at(w));
    await composer(p).focus();
    await p.keyboard.type('gi[]?/z.mn');
    assert.equal(await where(p), at(w));
    assert.equal(await composer(p).inputValue(), 'gi[]?/z.mn');
    assert.equal(await p.locator('dialog[open]').count(), 0);
    await p.keyboard.press('Control+k');
    await p.getByRole('combobox').waitFor();
    await p.keyboard.press('Escape');
    await until(p, 'the focus is back', () => document.activeElement.tagName === 'TEXTAREA');
    await composer(p).fill('');
    await p.evaluate(() => {
        const prefs = JSON.parse(localStorage.getItem('skein.prefs') ?? '{}');
        localStorage.setItem(
            'skein.prefs',
            JSON.stringify({ ...prefs, keys: false, keymap: { 'go.inbox': ['Ctrl+i'] } }),
        );
    });
    await p.reload();
    await live(p);
    await onMessage(p);
    await p.keyboard.press('?');
    await chord(p, 'g i');
    assert.equal(await p.locator('dialog[open]').count(), 0);
    assert.equal(await where(p), at(w));
    await p.keyboard.press('Control+i');
    await arrives(p, '/inbox');
});

test('F1, or ? with a message selected, lists the keys of this screen, searchable; Esc closes the innermost thing only', async () => {
    const w = await talked();
    const p = await open(server, at(w));
    await p.keyboard.press('F1');
    const sheet = p.getByRole('dialog', { name: 'Keys of this screen' });
    await sheet.getByText('Next that needs you').waitFor();
    await p.keyboard.type('tree');
    await until(p, 'only what fits is left', () =>
        [...document.querySelectorAll('.help-line dt')].every(e => !/Undo/.test(e.textContent)),
    );
    await sheet.getByText('Tree', { exact: true }).waitFor();
    await p.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await onMessage(p);
    await p.keyboard.press('?');
    await sheet.waitFor();
    await p.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await p.getByRole('button', { name: /switch the world$/ }).focus();
    await p.keyboard.press('Enter');
    await p.getByRole('menuitem', { name: 'New world…' }).waitFor();
    await p.keyboard.press('Escape');
    await p.getByRole('menu').waitFor({ state: 'hidden' });
    await hasFocus(p.getByRole('button', { name: /switch the world$/ }));
});

test('the palette finds conversations, agents, messages and commands', async () => {
    const w = await talked();
    await server.post(`${w.path}/chats`, { title: 'Pricing idea' });
    const p = await open(server, at(w));
    await onMessage(p);
    await p.keyboard.press('/');
    await p.keyboard.type('pric');
    await p.getByRole('option', { name: 'Pricing idea', selected: true }).waitFor();
    await p.keyboard.press('Enter');
    await until(
        p,
        'the conversation is open',
        () => document.querySelector('#main h1')?.textContent === 'Pricing idea',
    );
    await p.keyboard.press('Control+k');
    await p.keyboard.type('@ada');
    await p.getByRole('option', { name: '@ada', selected: true }).waitFor();
    await p.keyboard.press('Enter');
    await arrives(p, `/w/${w.name}/a/ada`);
    await p.keyboard.press('Control+k');
    await p.keyboard.type('hello 0');
    const hit = p.getByRole('option', { name: /You · room/ });
    await hit.waitFor();
    await hit.click();
    await arrives(p, at(w));
    assert.match(await p.evaluate(() => location.hash), /^#m-/);
    await p.keyboard.press('Control+k');
    await p.keyboard.type('> history');
    await p.getByRole('option', { name: /^History/, selected: true }).waitFor();
    await p.keyboard.press('Enter');
    await arrives(p, at(w, '?view=history'));
});

// A page whose frames and timers do not run: what is done between two keys is done at once, or not at all.
test('whoever types faster than the page draws loses no letter and gets what they typed', async () => {
    const w = await talked();
    const p = await page();
    await p.clock.install();
    await p.goto(new URL(at(w), server.url).href);
    await live(p);
    await p.evaluate(() => document.activeElement?.blur());
    await p.clock.pauseAt(Date.now() + 3600e3);
    await p.keyboard.press('Control+k');
    await p.keyboard.type('@bo');
    assert.equal(await p.getByRole('combobox').inputValue(), '@bo');
    await p.keyboard.press('Enter');
    assert.equal(await where(p), `/w/${w.name}/a/bo`);
    await p.keyboard.press('?');
    await p.keyboard.type('undo');
    assert.equal(await p.getByRole('dialog').getByRole('searchbox').inputValue(), 'undo');
});

test('what the palette marks stays marked when answers come, and answers to older words are dropped', async () => {
    const w = await talked();
    const p = await open(server, at(w));
    // The answers of the server wait until they are let through.
    const asked = new Map();
    let more = () => {};
    await p.route('**/search?*', route => {
        asked.set(new URL(route.request().url()).searchParams.get('q'), route);
        more();
    });
    const search = async words => {
        while (!asked.has(words)) await new Promise(resolve => (more = resolve));
        return asked.get(words);
    };
    const marked = p.getByRole('option', { selected: true });
    const hit = p.getByRole('option', { name: /You · room/ });
    await p.keyboard.press('Control+k');
    await p.keyboard.type('hello');
    const first = await search('hello');
    await p.getByRole('option', { name: 'Search everything for "hello"', selected: true }).waitFor();
    await first.continue();
    await hit.waitFor();
    assert.match(await marked.textContent(), /^Search everything for "hello"$/);
    // The old answer does not stand below the new words, and the mark is theirs.
    await p.keyboard.type(' 0');
    await hit.waitFor({ state: 'detached' });
    assert.match(await marked.textContent(), /^Search everything for "hello 0"$/);
    await (await search('hello 0')).continue();
    await hit.waitFor();
    await p.keyboard.press('ArrowDown');
    await hit.and(marked).waitFor();
    // Something that comes to stand above it does not take the mark.
    await p.keyboard.press('Control+a');
    await p.keyboard.type('bo');
    await p.getByRole('option', { name: '@bo', selected: true }).waitFor();
    await server.post(`${w.path}/chats`, { title: 'a bonfire' });
    await p.getByRole('option', { name: 'a bonfire' }).waitFor();
    assert.match(await marked.textContent(), /^@bo/);
    await p.keyboard.press('Enter');
    await arrives(p, `/w/${w.name}/a/bo`);
});

const writable = p =>
    until(p, 'one can write at once', () => document.activeElement?.matches('.chat-box textarea') ?? false);

test('conversations are made, renamed and archived by keyboard', async () => {
    const w = await talked();
    const p = await open(server, at(w));
    await writable(p); // the box takes the focus when the chat opens, not after that
    await p.getByRole('button', { name: 'New conversation' }).focus();
    await p.keyboard.press('Enter');
    await until(
        p,
        'there are two',
        () =>
            document.querySelectorAll('.frame-list .list-section:first-child li a[href*="/c/"]').length === 2,
    );
    await writable(p);
    const rename = async (from, to) => {
        await p.getByRole('button', { name: `More for "${from}"` }).focus();
        await p.keyboard.press('Enter');
        await p.getByRole('menuitem', { name: 'Rename…' }).waitFor();
        await p.keyboard.press('Enter');
        await p.getByLabel('Name of the conversation').fill(to);
        await p.keyboard.press('Enter');
        await p.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await rename('room', 'Launch plan');
    await p.locator('.frame-list').getByRole('link', { name: 'Launch plan' }).waitFor();
    await p.getByRole('button', { name: 'More for "Launch plan"' }).focus();
    await p.keyboard.press('ArrowDown');
    await p.getByRole('menuitem', { name: 'Rename…' }).waitFor();
    await p.keyboard.press('End');
    await p.keyboard.press('Enter');
    await p.locator('.frame-list').getByRole('link', { name: 'Launch plan' }).waitFor({ state: 'detached' });
    assert.equal((await server.get(`${w.path}/chats`)).data.filter(c => c.title === 'Launch plan').length, 0);
    const note = p.locator('.toast', { hasText: '"Launch plan" was archived. Search still finds it.' });
    await note.getByRole('button', { name: 'Undo' }).click();
    await p.locator('.frame-list').getByRole('link', { name: 'Launch plan' }).waitFor();
    await arrives(p, at(w));
});

test('an archived conversation is listed, read at its address, found by search, and restored', async () => {
    const w = await talked();
    await server.ask('PATCH', w.chatPath, { title: 'Launch plan' });
    await server.post(`${w.path}/chats`, { title: 'Second' });
    const p = await open(server, at(w));
    await focusIn(p, '#composer textarea');
    // Also where another window archives it.
    await server.call('DELETE', w.chatPath, { expect: 204 });
    await p.getByText('Archived: read only.').waitFor();
    assert.equal(await composer(p).count(), 0);
    await p.reload();
    await live(p);
    await p.getByText('Archived: read only.').waitFor();
    await p.locator('article', { hasText: 'hello 0' }).first().waitFor();
    await p.locator('.frame-list').getByRole('link', { name: 'Launch plan' }).waitFor({ state: 'detached' });

    await visit(p, server, `/search?q=hello&w=${w.name}`);
    const hits = p.locator('[id^=hit-]');
    await hits.filter({ hasText: 'archived' }).first().waitFor();
    const filter = p.getByRole('group', { name: 'Archived conversations' });
    await filter.getByText('left out').click();
    await hits.first().waitFor({ state: 'detached' });
    await filter.getByText('only these').click();
    await hits.first().waitFor();

    await visit(p, server, at(w));
    await p.getByRole('button', { name: 'Archived…' }).click();
    const list = p.getByRole('dialog', { name: 'Archived conversations' });
    await list.getByRole('link', { name: 'Launch plan' }).waitFor();
    await axe(p);
    await list.getByRole('button', { name: 'Restore "Launch plan"' }).click();
    await list.waitFor({ state: 'detached' });
    await p.locator('.frame-list').getByRole('link', { name: 'Launch plan' }).waitFor();
    await composer(p).waitFor();
    await p.getByText('Archived: read only.').waitFor({ state: 'detached' });
});

test('a world is made from the switcher, and a bad name says what is wrong', async () => {
    const p = await open(server, at(await talked()));
    await p.getByRole('button', { name: /switch the world$/ }).click();
    await p.getByRole('menuitem', { name: 'New world…' }).click();
    const name = p.getByLabel('Name', { exact: true });
    await name.fill('no spaces!');
    await p.getByText(/^Letters, digits/).waitFor();
    assert.ok(await p.getByRole('button', { name: 'Create the world' }).isDisabled());
    await name.fill(`made${worlds}`);
    await p.keyboard.press('Enter');
    await until(
        p,
        'the world is open',
        wanted => document.querySelector('.frame-world-name')?.textContent === wanted,
        `made${worlds}`,
    );
});

test('a note that offers something stays half a minute, can be reached, and never covers the composer', async () => {
    const w = await talked(2);
    const take = async () => {
        const last = (await w.messages()).findLast(m => m.role === 'user');
        await server.call('DELETE', `${w.path}/messages/${last.messageId}`, { body: { chatId: w.chat } });
    };
    await take();
    for (const [width, height] of [
        [1280, 800],
        [390, 844],
    ]) {
        const p = await page({ width, height });
        await p.clock.install();
        await p.goto(new URL(at(w), server.url).href);
        await live(p);
        allow(p, /409|404|422/);
        await onMessage(p);
        // From here on only the test moves the clock, however long it takes itself.
        await p.clock.pauseAt(Date.now() + 3600e3);
        // The first window takes it back, the second one does it again.
        await p.keyboard.press(width > 1000 ? 'z' : 'Shift+z');
        const note = p.locator('.toast');
        await note.waitFor();
        assert.match(await note.textContent(), /^(Undone|Redone): /);
        await settled(p);
        const apart = await p.evaluate(() => {
            const a = document.querySelector('.toast').getBoundingClientRect(),
                b = document.querySelector('textarea').getBoundingClientRect();
            const c = document.querySelector('.chat-head, .frame-top').getBoundingClientRect();
            return a.bottom <= b.top && a.top >= c.bottom;
        });
        assert.ok(apart);
        await p.clock.runFor(20000);
        assert.equal(await note.count(), 1);
        await p.keyboard.press('F6');
        await focusIn(p, '.toast *');
        await p.clock.runFor(60000);
        assert.equal(await note.count(), 1, 'it waits while it is used');
        await p.evaluate(() => document.activeElement.blur());
        await p.clock.runFor(12000);
        await note.waitFor({ state: 'detached' });
    }
});

test('a note that offers nothing goes after some seconds', async () => {
    const w = await talked();
    const p = await page({ width: 1280, height: 800 });
    await p.clock.install();
    await p.goto(new URL(at(w), server.url).href);
    await live(p);
    await onMessage(p);
    await p.clock.pauseAt(Date.now() + 3600e3);
    await p.keyboard.press('n');
    const said = p.locator('.toast', { hasText: 'Nothing is unread.' });
    await said.waitFor();
    await p.clock.runFor(9000);
    await said.waitFor({ state: 'detached' });
});

test('z takes back what was done, says so, and offers the way back', async () => {
    const w = await talked(2);
    const last = (await w.messages()).findLast(m => m.role === 'user');
    await server.call('DELETE', `${w.path}/messages/${last.messageId}`, { body: { chatId: w.chat } });
    const left = (await w.messages()).length;
    const p = await open(server, at(w));
    await onMessage(p);
    await p.keyboard.press('z');
    await p.locator('.toast', { hasText: 'Undone: ' }).waitFor();
    assert.ok((await w.messages()).length > left);
    await p.locator('.toast').getByRole('button', { name: 'Redo' }).click();
    await p.locator('.toast', { hasText: 'Redone: ' }).waitFor();
    assert.equal((await w.messages()).length, left);
});

test('an undo says which newer messages it took out of sight, shows them, and brings them back', async () => {
    const w = await talked(2);
    const last = (await w.messages()).findLast(m => m.role === 'user');
    await server.call('DELETE', `${w.path}/messages/${last.messageId}`, { body: { chatId: w.chat } });
    await w.converse('@ada said afterwards');
    const p = await open(server, at(w));
    await onMessage(p);
    await p.keyboard.press('z');
    const note = p.locator('.toast', { hasText: 'Undone: ' });
    await note.filter({ hasText: '2 newer messages are in v2.' }).waitFor();
    await p.locator('article', { hasText: 'said afterwards' }).first().waitFor({ state: 'detached' });
    await note.getByRole('button', { name: 'Show' }).click();
    await p.locator('article', { hasText: 'said afterwards' }).first().waitFor();
    assert.match(await where(p), /[?&]v=/);
    await visit(p, server, at(w));
    await onMessage(p);
    await p.keyboard.press('Shift+Z');
    await p.locator('.toast', { hasText: 'Redone: ' }).waitFor();
    await p.locator('article', { hasText: 'said afterwards' }).first().waitFor();
});

test('the title says where one is and what is unread', async () => {
    const w = await talked();
    const other = await server.post(`${w.path}/chats`, { title: 'Second' });
    const p = await open(server, `/w/${w.name}/c/${other.id}`);
    await until(
        p,
        'the title has the conversation',
        name => document.title === `Second · ${name} · skein`,
        w.name,
    );
    await w.converse('@ada hello again');
    await until(p, 'two are unread', name => document.title === `(2) Second · ${name} · skein`, w.name);
    await p
        .locator('.frame-list')
        .getByRole('link', { name: /room.*2 unread/ })
        .waitFor();
    // An empty conversation has no message for keys to act on; the palette has the command.
    await p.keyboard.press('Control+k');
    await p.keyboard.type('> next unread');
    await p.getByRole('option', { name: /^Next unread/, selected: true }).waitFor();
    await p.keyboard.press('Enter');
    await arrives(p, at(w));
    await until(p, 'nothing is unread', name => document.title === `room · ${name} · skein`, w.name);
});

test('a server with a token asks for it once, takes a pasted one, and says when it is wrong', async () => {
    const w = await guarded.world('guarded', ['ada']);
    const p = await page({ permissions: ['clipboard-read', 'clipboard-write'] });
    allow(p, /401/);
    await p.goto(new URL(at(w), guarded.url).href);
    const box = p.getByRole('dialog', { name: 'Sign in' }).getByLabel('Token');
    await box.waitFor();
    assert.equal(await box.getAttribute('autocomplete'), 'current-password');
    await hasFocus(box);
    // Who is not signed in is not offline, however often the page is asked to try again.
    // A page that has not taken the last answer yet does not try; it is asked again.
    const timer = await p.evaluate(() => setInterval(() => dispatchEvent(new Event('online')), 300));
    for (let i = 0; i < 3; i++)
        await p.waitForResponse(r => r.url().endsWith('/events') && r.status() === 401);
    await p.evaluate(id => clearInterval(id), timer);
    assert.equal(await p.getByText(/offline since/i).count(), 0);
    await p.keyboard.press('Escape');
    await box.fill('wrong');
    await p.keyboard.press('Enter');
    await p.getByText('The server does not accept this token.').waitFor();
    await box.fill('');
    await p.evaluate(text => navigator.clipboard.writeText(text), secret);
    await box.focus();
    await p.keyboard.press('Control+v');
    await until(
        p,
        'it is pasted',
        text => [...document.querySelectorAll('dialog input')].some(e => e.value === text),
        secret,
    );
    await p.keyboard.press('Enter');
    await live(p);
    await p.getByRole('dialog').waitFor({ state: 'detached' });
    await p.reload();
    await live(p);
    await until(
        p,
        'the conversation is there',
        () => document.querySelector('#main h1')?.textContent === 'room',
    );
    // Another tab of the same browser is signed in, too; and no script can read the cookie.
    const [cookie] = await p.context().cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, 'Strict']);
    assert.equal(
        await p
            .evaluate(() => document.cookie + JSON.stringify(sessionStorage) + JSON.stringify(localStorage))
            .then(t => t.includes(secret)),
        false,
    );
    const tab = await p.context().newPage();
    await tab.goto(new URL('/settings/security', guarded.url).href);
    await tab.getByText('This browser is signed in.').waitFor();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByRole('dialog', { name: 'Sign in' }).waitFor();
});

test('a link that works once signs the browser in and leads to its page', async () => {
    const w = await guarded.world('linked', ['ada']);
    const { code } = await guarded.post('/session/link', undefined);
    const p = await page();
    await p.goto(new URL(`/#sign-in=${code}&to=${encodeURIComponent(at(w).slice(1))}`, guarded.url).href);
    await arrives(p, at(w));
    await live(p);
    const other = await page();
    allow(other, /401/);
    await other.goto(new URL(`/#sign-in=${code}&to=`, guarded.url).href);
    await other.getByRole('dialog', { name: 'Sign in' }).waitFor();
});

finish();
