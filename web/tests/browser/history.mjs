// history.mjs: the versions of a conversation: looked at, compared, gone to and left again, and nothing is ever lost.
import fs from 'node:fs';
import {
    Server,
    address,
    allow,
    assert,
    chord,
    finish,
    focusIn,
    open,
    page,
    team,
    test,
    until,
    visit,
} from './kit.mjs';
import { agent, append, at, called, counts, human, looks, tool } from './views-kit.mjs';

const server = await Server.start({ script: team() });
let worlds = 0;
const team3 = ['lead', { name: 'ada', lead: 'lead' }, { name: 'bo', lead: 'lead' }];

// The picture of the design: v1 v2 v4 v5 v7 lead to now, v3 leaves v2, v6 leaves v1. Ids of messages are unique in a store.
async function seven() {
    const n = ++worlds;
    const w = await server.world(`past${n}`, team3);
    const api = `/api/v1${w.chatPath}`;
    const id = name => `${name}${n}`;
    const op = body => server.post(`${api}/operations`, body);
    const threads = async () =>
        Object.fromEntries((await server.get(`${api}/threads`)).data.map(t => [t.version, t.threadId]));
    const go = async version => w.travel({ threadId: (await threads())[version] });
    await append(w, [
        human(id('plan'), 'Plan the launch for next Friday.', 1),
        agent(id('split'), 'lead', 'I will split this.', 2, { replyToMessageId: id('plan') }),
        agent(id('dates'), 'ada', 'I look.', 3, called(id('k'), 'calendar.find', { what: 'freeze' })),
        tool(id('found'), 'ada', 'until Friday noon', 4, id('k')),
        agent(id('noon'), 'ada', 'The freeze ends at noon.', 5),
        agent(id('clash'), 'bo', 'Friday clashes.', 6),
        agent(id('draft'), 'lead', 'A draft.', 7),
    ]);
    await op({ op: 'amend', messageId: id('draft'), content: 'A better draft.' }); // v2
    await append(w, [
        human(id('budget'), 'And the budget?', 8),
        agent(id('same'), 'lead', 'As last year.', 9),
        agent(id('ten'), 'ada', 'Plus ten.', 10),
    ]);
    await op({ op: 'delete', messageIds: [id('same'), id('ten')] }); // v3
    await go('v2');
    await server.post(`${api}/squashes`, {
        // v4
        sourceMessageIds: ['dates', 'found', 'noon', 'clash'].map(id),
        content: 'Dates: freeze until Friday noon.',
        prompt: 'Keep the dates, drop the tool noise',
        by: 'lead',
    });
    await op({ op: 'amend', messageId: id('ten'), content: 'Plus twelve.' }); // v5
    await go('v1');
    await op({ op: 'delete', messageIds: [id('clash')] }); // v6
    await go('v5');
    await op({ op: 'amend', messageId: id('budget'), content: 'And the budget, roughly?' }); // v7
    return { w, id, threads };
}
const story = await seven();

const main = p => p.getByRole('region', { name: 'History' });
const entry = (p, version) => p.locator(`.history-panel .history-entry[data-version="${version}"]`);
const detail = (p, version) => p.getByRole('region', { name: `Version ${version}`, exact: true });
const note = (p, text) => p.locator('.toast', { hasText: text });
async function opened(s = story, o) {
    const p = await open(server, at(s.w, 'history'), o);
    await main(p).locator('.history-detail').waitFor();
    // The panel is a part of the page of its own, and comes when it has been fetched.
    await p.locator('.history-panel .history-entry').first().waitFor();
    return p;
}
const current = async s => (await server.get(`/api/v1${s.w.chatPath}/currentThread`)).version;

test('one version says how to make another', async () => {
    const w = await server.world(`past${++worlds}`, team3);
    await w.converse('@ada hello');
    const p = await open(server, at(w, 'history'));
    await p.getByText('One version. Edit, delete, squash or branch to make another.').waitFor();
    await server.post(`/api/v1${w.chatPath}/operations`, {
        op: 'delete',
        messageIds: [(await w.messages())[1].messageId],
    });
    await entry(p, 'v2').waitFor();
    await p.getByText('One version.').waitFor({ state: 'detached' });
});

test('the list and the graph say the same: now, the way to it, and side lines', async () => {
    const p = await opened();
    const words = await p.$$eval('.history-panel .history-entry', all =>
        all.map(e => e.textContent.replace(/\s+/g, ' ')),
    );
    assert.deepEqual(
        words.map(t => /^.(now|on the way to now|side line), (v\d)/.exec(t).slice(1).join(' ')),
        [
            'now v7',
            'side line v6',
            'on the way to now v5',
            'on the way to now v4',
            'side line v3',
            'on the way to now v2',
            'on the way to now v1',
        ],
    );
    assert.match(words[3], /squash 4→1.*by @lead/);
    const nodes = await p.$$eval('.history-node', all =>
        all.map(e => [
            e.dataset.version,
            e.getAttribute('class').match(/history-(now|way|side)/)[1],
            Number(e.querySelector('.history-mark').getAttribute('cx')),
            Number(e.querySelector('.history-mark').getAttribute('cy')),
        ]),
    );
    assert.deepEqual(
        nodes.map(n => `${n[0]} ${n[1]}`),
        ['v1 way', 'v2 way', 'v3 side', 'v4 way', 'v5 way', 'v6 side', 'v7 now'],
    );
    const lane = version => nodes.find(n => n[0] === version)[3];
    assert.equal(new Set(['v1', 'v2', 'v4', 'v5', 'v7'].map(lane)).size, 1, 'the main line is straight');
    assert.ok(lane('v3') > lane('v1') && lane('v6') > lane('v3'));
    assert.deepEqual(
        nodes.map(n => n[2]),
        nodes.map(n => n[2]).sort((a, b) => a - b),
        'time goes right',
    );
    await until(
        p,
        'what was said is counted on the lines',
        () => [...document.querySelectorAll('.history-said')].map(e => e.textContent).join() === '+7,+3',
    );
    await p.getByRole('button', { name: 'Expanded' }).click();
    await counts(p, '.history-dot', 10);
    await p.getByRole('button', { name: 'List', exact: true }).click();
    await counts(p, '.history-view .history-entry', 7);
    await main(p).getByRole('searchbox', { name: 'Find' }).fill('squash');
    await counts(p, '.history-view .history-entry', 1);
});

test('an edit is called an edit, by its first words, and no id is shown', async () => {
    const w = await server.world(`past${++worlds}`, ['lead']);
    await w.converse('Plan the launch.');
    const asked = (await w.messages()).find(m => m.role === 'user');
    await server.call('DELETE', `${w.path}/messages/${asked.messageId}`, {
        body: { chatId: w.chat, resubmit: true },
    });
    await w.converse('Plan the landing.');
    const p = await opened({ w });
    await until(p, 'an edit', () =>
        /edit.*“Plan the landing\.”/.test(
            document.querySelector('.history-entry[data-version="v2"]')?.textContent,
        ),
    );
    await p.locator('.history-node[data-version="v2"]', { hasText: 'edit' }).waitFor();
    await main(p).locator('.history-gone', { hasText: '2 messages' }).waitFor();
    await main(p).locator('.history-come', { hasText: '1 message' }).waitFor();
    await p.evaluate(() => document.activeElement?.blur());
    await p.keyboard.press('z');
    await note(p, 'Undone: edit “Plan the landing.”. Now v1.').waitFor();
    await p.keyboard.press('z');
    await note(p, /^There is nothing to undo\.$/).waitFor();
});

test('a removal stays a removal, whatever is said after it', async () => {
    const w = await server.world(`past${++worlds}`, ['lead']);
    await w.converse('Plan the launch.');
    await w.converse('And the budget?');
    const asked = (await w.messages()).findLast(m => m.role === 'user');
    await server.call('DELETE', `${w.path}/messages/${asked.messageId}`, { body: { chatId: w.chat } });
    await w.converse('Another thing.');
    const p = await opened({ w });
    await entry(p, 'v2').filter({ hasText: 'remove 2 messages' }).waitFor();
    await detail(p, 'v2').locator('.history-gone', { hasText: '2 messages' }).waitFor();
    assert.equal(
        await detail(p, 'v2').locator('.history-come').count(),
        0,
        'what was said later is not part of it',
    );
    assert.equal(await entry(p, 'v2').filter({ hasText: 'Another thing.' }).count(), 0);
    const listed = p.waitForResponse(/\/threads\?limit=200/); // the row looks for other wordings of its message
    await visit(p, server, at(w, 'chat'));
    await listed;
    await p.locator('article[data-row]', { hasText: 'Another thing.' }).first().waitFor();
    assert.equal(await p.getByText('amended').count(), 0, 'no pager between the two messages');
});

test('an undo of going to a version names that version, not what was done in it', async () => {
    const s = await seven();
    const p = await opened(s);
    await entry(p, 'v4').click();
    await p.getByRole('button', { name: 'Make current: v4' }).click();
    await note(p, 'Now at v4.').waitFor();
    await focusIn(p, '[aria-label="Make current: v4"][aria-disabled=true]');
    await p.evaluate(() => document.activeElement?.blur());
    await p.keyboard.press('z');
    await note(p, 'Undone: going from v7 to v4. Now v7.').waitFor();
    await p.keyboard.press('Shift+Z');
    await note(p, 'Redone: going from v7 to v4. Now v4.').waitFor();
    assert.equal(await current(s), 'v4');
});

test('the way back leads to the version that was left, also when the list was old', async () => {
    const s = await seven();
    const p = await opened(s);
    await entry(p, 'v4').click();
    const url = /\/threads\?/;
    await p.route(url, () => {}); // from here on the list is never read again
    await server.post(`/api/v1${s.w.chatPath}/operations`, {
        op: 'amend',
        messageId: s.id('plan'),
        content: 'Plan it well.',
    });
    await p.getByRole('button', { name: 'Make current: v4' }).click();
    await note(p, 'Now at v4.').getByRole('button', { name: 'Back to v8' }).click();
    await note(p, 'Now at v8.').waitFor();
    assert.equal(await current(s), 'v8');
    await p.unroute(url, { behavior: 'ignoreErrors' });
});

test('what is said at the moment of an undo or of going to a version is not a hindrance', async () => {
    const s = await seven();
    const p = await opened(s);
    // Between what the page asked first and what it does then.
    await p.route(/\/currentThread$/, async route => {
        if (route.request().method() === 'PUT') await append(s.w, [human(s.id(`at${++worlds}`), 'And?', 20)]);
        return route.continue();
    });
    await p.evaluate(() => document.activeElement?.blur());
    await p.keyboard.press('z');
    await note(p, /^Undone: .* Now v5\./).waitFor();
    await entry(p, 'v4').click();
    await p.getByRole('button', { name: 'Make current: v4' }).click();
    await note(p, 'Now at v4.').waitFor();
    assert.equal(await current(s), 'v4');
});

test('nothing to undo, to redo or to compare: the buttons say so, and nobody is asked', async () => {
    const w = await server.world(`past${++worlds}`, ['lead']);
    await w.converse('hello');
    const p = await opened({ w });
    const off = async (name, why) => {
        const button = main(p).getByRole('button', { name, exact: true });
        await until(
            p,
            `${name} is off`,
            e => e.getAttribute('aria-disabled') === 'true',
            await button.elementHandle(),
        );
        assert.equal(await button.getAttribute('title'), why);
        assert.equal(await button.getAttribute('aria-description'), why);
    };
    await off('Undo', 'There is nothing to undo.');
    await off('Redo', 'There is nothing to redo.');
    await off('Compare v1', 'There is only one version.');
    // The page complains of a refused request, so that this test fails where one is made.
    await p.evaluate(() => document.activeElement?.blur());
    await p.keyboard.press('Shift+Z');
    await note(p, 'There is nothing to redo.').waitFor();
    await p.keyboard.press('z');
    await note(p, 'There is nothing to undo.').waitFor();
    await server.post(`/api/v1${w.chatPath}/operations`, {
        op: 'delete',
        messageIds: [(await w.messages())[1].messageId],
    });
    await entry(p, 'v2').waitFor();
    await main(p).getByRole('button', { name: 'Undo', exact: true, disabled: false }).click();
    await note(p, /^Undone: delete 1\. Now v1\./).waitFor();
    await main(p).getByRole('button', { name: 'Redo', exact: true, disabled: false }).click();
    await note(p, /^Redone: delete 1\. Now v2\./).waitFor();
});

test('a squash says what it stands for, in place', async () => {
    const p = await opened();
    await entry(p, 'v4').click();
    const d = detail(p, 'v4');
    await d.getByText('4 messages (1 tool result, 2 of @ada, 1 of @bo)').waitFor();
    await d.getByText('Prompt: “Keep the dates, drop the tool noise”').waitFor();
    await d.getByText(/^Squashed by @lead/).waitFor();
    await d.getByRole('button', { name: /from 4 messages/ }).click();
    const sources = d.getByRole('list', { name: 'What the squash stands for' });
    await sources.waitFor();
    assert.match(await sources.textContent(), /until Friday noon/);
    assert.equal(await sources.getByRole('listitem').count(), 4);
    await d.getByRole('button', { name: /added 1 message/ }).click();
    await d.getByText('Dates: freeze until Friday noon.').first().waitFor();
});

test('what a summary covers unfolds in place', async () => {
    const w = await server.world(`past${++worlds}`, ['ada']);
    await append(w, [
        human('s1', 'first of all', 1),
        agent('s2', 'ada', 'second of all', 2),
        agent('s3', 'ada', 'third', 3),
    ]);
    await server.post(`/api/v1${w.chatPath}/compactions`, { content: 'They counted.', covers: 2 });
    const p = await open(server, at(w, 'history'));
    await p.getByText('Summary of 2 earlier messages').waitFor();
    await p.getByRole('button', { name: /the 2 messages it covers/ }).click();
    const list = p.getByRole('list', { name: 'What the summary covers' });
    await list.waitFor();
    assert.match(await list.textContent(), /first of all.*second of all/);
});

test('make current asks nothing, says where one is, and offers the way back', async () => {
    const s = await seven();
    const p = await opened(s);
    await entry(p, 'v4').click();
    await p.getByRole('button', { name: 'Make current: v4' }).click();
    await note(p, 'Now at v4.').getByRole('button', { name: 'Back to v7' }).waitFor();
    assert.equal(await current(s), 'v4');
    await until(p, 'v4 is now', () =>
        /now, v4/.test(document.querySelector('.history-panel [data-version="v4"]').textContent),
    );
    await note(p, 'Now at v4.').getByRole('button', { name: 'Back to v7' }).click();
    await note(p, 'Now at v7.').waitFor();
    assert.equal(await current(s), 'v7');
    await main(p).getByRole('button', { name: 'Undo' }).click();
    await until(
        p,
        'undone',
        () => !/now, v7/.test(document.querySelector('.history-panel [data-version="v7"]').textContent),
    );
    await p.keyboard.press('Shift+Z');
    await until(p, 'redone', () =>
        /now, v7/.test(document.querySelector('.history-panel [data-version="v7"]').textContent),
    );
    const text = await p.evaluate(() => document.body.innerText);
    assert.ok(!/\b(reset|roll ?back|revert)/i.test(text), 'words that frighten people');
});

test('tools that ran after a point are named before one goes there', async () => {
    const w = await server.world(`past${++worlds}`, ['ada']);
    await append(w, [human('e1', 'begin', 1), agent('e2', 'ada', 'Good.', 2)]);
    await server.post(`/api/v1${w.chatPath}/operations`, {
        op: 'amend',
        messageId: 'e2',
        content: 'Very good.',
    });
    await append(w, [
        agent('e3', 'ada', 'I write.', 3, called('ek1', 'file.write', { path: 'a' })),
        tool('e4', 'ada', 'ok', 4, 'ek1'),
        agent('e5', 'ada', 'And again.', 5, called('ek2', 'file.write', { path: 'b' })),
        tool('e6', 'ada', 'ok', 6, 'ek2'),
    ]);
    const p = await open(server, at(w, 'history'));
    await entry(p, 'v1').click();
    await detail(p, 'v1')
        .getByText('2 tool calls after this point may have changed files. Going back does not undo them.')
        .waitFor();
    await detail(p, 'v1').getByRole('button', { name: 'Preview v1' }).click();
    await p.getByText(/You are looking at v1 of 2.*Read only\..*2 tool calls after this point/).waitFor();
});

test('two versions side by side: what is the same is folded', async () => {
    const p = await opened();
    await entry(p, 'v2').click();
    await p.getByRole('button', { name: 'Compare v2' }).click();
    const c = p.getByRole('region', { name: 'Compare two versions' });
    await c.getByRole('button', { name: /2 same messages/ }).waitFor();
    assert.equal(await c.locator('.history-columns').count(), 4);
    const [left, right] = [
        await c.locator('.history-left').allTextContents(),
        await c.locator('.history-right').allTextContents(),
    ];
    assert.match(left[0], /until Friday noon.*Friday clashes/s);
    assert.match(right[0], /Dates: freeze until Friday noon/);
    assert.match(left[1], /And the budget\?/);
    assert.match(right[1], /And the budget, roughly\?/);
    await c.getByRole('button', { name: /2 same messages/ }).click();
    const same = c.getByRole('list', { name: 'The same in both' });
    await same.waitFor();
    assert.match(await same.textContent(), /Plan the launch for next Friday\..*I will split this\./);
    await c.getByRole('combobox', { name: 'Compare' }).selectOption({ label: 'v1 start' });
    await until(p, 'another comparison', () =>
        document.querySelector('.history-compare').textContent.includes('A draft.'),
    );
    const small = await visit(await page({ width: 390, height: 844 }), server, at(story.w, 'history'));
    await small.locator('.history-entry[data-version="v2"]').click();
    await small.getByRole('button', { name: 'Compare v2' }).click();
    await small
        .getByRole('region', { name: 'Compare two versions' })
        .getByText('And the budget, roughly?')
        .waitFor();
    assert.equal(await small.locator('.history-columns').count(), 0, 'one column on a telephone');
});

test('a branch is a conversation of its own', async () => {
    const s = await seven();
    const p = await opened(s);
    await entry(p, 'v6').click();
    await p.getByRole('button', { name: 'Branch from here, v6' }).click();
    await note(p, 'A new conversation starts from v6.').waitFor();
    await until(p, 'it is another conversation', old => !location.pathname.endsWith(old), s.w.chat);
    const made = new URL(await address(p)).pathname.split('/').at(-1);
    const list = (await server.get(`/api/v1${s.w.path}/chats/${made}/messages`)).data.map(m => m.content);
    assert.equal(list.length, 6);
    assert.ok(!list.includes('Friday clashes.'));
    assert.equal(await current(s), 'v7');
});

test('an older version is looked at in the chat, and left with Escape', async () => {
    const ids = await story.threads();
    const p = await opened();
    await entry(p, 'v4').click();
    await p.getByRole('button', { name: 'Preview v4' }).click();
    await p.waitForURL(new RegExp(`v=${ids.v4}`));
    await p
        .getByText(/You are looking at v4 of 7 \(.*\)\. Read only\. Later: 2 amends, 1 delete, 2 messages\./)
        .waitFor();
    await p.getByText('Dates: freeze until Friday noon.').first().waitFor();
    assert.equal(await p.locator('#composer').count(), 0, 'nothing is said in an older version');
    await p.getByRole('button', { name: '← v3' }).click();
    await p.getByText(/You are looking at v3 of 7/).waitFor();
    await p.getByRole('button', { name: 'v4 →' }).click();
    await p.getByText(/You are looking at v4 of 7/).waitFor();
    await p.keyboard.press('Escape');
    await p.getByText(/You are looking at/).waitFor({ state: 'detached' });
    assert.ok(!(await address(p)).includes('v='));
    await p.locator('#composer').waitFor();
});

test('the panel of a message counts all versions, wherever the current one stands among them', async () => {
    const s = await seven();
    const { v1, v5 } = await s.threads();
    await s.w.travel({ threadId: v5 });
    const p = await open(server, `/w/${s.w.name}/c/${s.w.chat}?v=${v1}`);
    const says = (name, words) =>
        p
            .locator('.chat-panel', { hasText: s.id(name) })
            .locator('dt:text-is("Version") + dd', { hasText: words })
            .waitFor();
    await p.locator(`[data-row="${s.id('draft')}"]`).click();
    await says('draft', /^v6 of 7, since v1$/);
    await p.locator(`[data-row="${s.id('plan')}"]`).click();
    await says('plan', /^v7, since v1$/);
});

test('an address of a version that is not there says so', async () => {
    const p = await page();
    allow(p, /404/);
    await visit(p, server, `/w/${story.w.name}/c/${story.w.chat}?v=t_nothing`);
    await p.getByText('This conversation has no version t_nothing.').waitFor();
    assert.equal(
        await p
            .locator('.chat-wait')
            .getByText(/agents are here|Welcome/)
            .count(),
        0,
    );
    await p.getByRole('button', { name: /^Back to now/ }).click();
    await until(p, 'back at now', () => !location.search.includes('v='));
});

test('the banner follows what happens meanwhile', async () => {
    const s = await seven();
    const ids = await s.threads();
    const p = await open(server, `/w/${s.w.name}/c/${s.w.chat}?v=${ids.v5}`);
    const banner = p.getByRole('group', { name: 'Older version' });
    await banner.getByText(/You are looking at v5 of 7 .*Later: 1 amend, 1 delete, 1 message\./).waitFor();
    await s.w.converse('@ada and now?');
    await banner.getByText(/Later: 1 amend, 1 delete, 3 messages\./).waitFor();
    await server.post(`/api/v1${s.w.chatPath}/operations`, { op: 'delete', messageIds: [s.id('plan')] }); // v8
    await banner.getByText(/You are looking at v5 of 8 .*Later: 2 deletes, 1 amend, 3 messages\./).waitFor();
    await s.w.travel({ threadId: ids.v5 });
    await banner.waitFor({ state: 'detached' });
    await p.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await s.w.travel({ threadId: ids.v7 });
    await banner.getByRole('button', { name: 'Make v5 current' }).waitFor();
    await banner.getByText(/Read only\. Later: 2 deletes, 1 amend, 3 messages\./).waitFor();
});

test('the banner makes a version current', async () => {
    const s = await seven();
    const ids = await s.threads();
    const p = await open(server, `/w/${s.w.name}/c/${s.w.chat}?v=${ids.v2}`);
    await p.getByRole('button', { name: 'Make v2 current' }).click();
    await note(p, 'Now at v2.').waitFor();
    await p.getByText(/You are looking at/).waitFor({ state: 'detached' });
    assert.equal(await current(s), 'v2');
});

test('all of it by keyboard', async () => {
    const s = await seven();
    const ids = await s.threads();
    const p = await opened(s);
    const picked = async (key, expected) => {
        await p.keyboard.press(key);
        await until(
            p,
            `${key} picks ${expected}`,
            v => document.querySelector('.history-panel .history-entry[aria-current]')?.dataset.version === v,
            expected,
        );
    };
    await p.locator('body').press('ArrowLeft');
    await until(
        p,
        'v6 is picked',
        () => document.querySelector('.history-panel .history-entry[aria-current]')?.dataset.version === 'v6',
    );
    await picked('ArrowUp', 'v2');
    await picked('ArrowDown', 'v6');
    await picked('ArrowLeft', 'v5');
    await picked('ArrowLeft', 'v4');
    await picked('ArrowRight', 'v5');
    await p.keyboard.press('Space');
    await p.waitForURL(new RegExp(`v=${ids.v5}`));
    await p.keyboard.press('Escape');
    await until(p, 'back at now', () => !location.search.includes('v='));
    await p.keyboard.press('Escape');
    await chord(p, 'g h');
    await main(p).locator('.history-detail').waitFor();
    await picked('ArrowLeft', 'v4');
    await p.keyboard.press('Enter');
    await note(p, 'Now at v4.').waitFor();
    assert.equal(await current(s), 'v4');
    await p.keyboard.press('Shift+C');
    await p.getByRole('region', { name: 'Compare two versions' }).waitFor();
});

test('the whole history is exported', async () => {
    const p = await opened(story, { acceptDownloads: true });
    const [file] = await Promise.all([
        p.waitForEvent('download'),
        p.getByRole('button', { name: 'Export history' }).click(),
    ]);
    assert.equal(file.suggestedFilename(), `${story.w.chat}.skein`);
    assert.ok(fs.statSync(await file.path()).size > 500);
    await p.getByText(/\d+ places in 7 lists\. No text is stored twice\./).waitFor();
});

test('on a telephone the list comes first, and the buttons are at hand', async () => {
    const p = await visit(await page({ width: 390, height: 844 }), server, at(story.w, 'history'));
    await p.locator('.history-entry[data-version="v4"]').click();
    const foot = p.locator('.history-foot');
    await foot.filter({ hasText: /^v4/ }).getByRole('button', { name: 'Make current: v4' }).waitFor();
    assert.equal(await p.locator('.history-graph').count(), 0);
    await p.getByRole('button', { name: 'Graph' }).click();
    await counts(p, '.history-mark', 7);
    const spots = await p.$$eval('.history-mark', all => all.map(e => Number(e.getAttribute('cy'))));
    assert.deepEqual(
        spots,
        [...spots].sort((a, b) => a - b),
        'time goes down',
    );
});

test('it looks right everywhere', async () => {
    const { v4 } = await story.threads();
    await looks(server, at(story.w, 'history'), 'history', '.history-detail');
    await looks(server, `/w/${story.w.name}/c/${story.w.chat}?v=${v4}`, 'travel', '.travel-banner');
}, 240000);

await finish();
