// tree.mjs: the reply threads of a conversation, as a person uses them, with and without a mouse.
import fs from 'node:fs';
import { Server, address, assert, finish, open, page, team, test, until, visit } from './kit.mjs';
import { agent, append, at, called, counts, human, looks, tool } from './views-kit.mjs';

const server = await Server.start({ script: team() });
let worlds = 0;
async function fresh(messages, on = server) {
    const w = await on.world(`tree${++worlds}`, [
        'lead',
        { name: 'ada', lead: 'lead' },
        { name: 'bo', lead: 'lead' },
    ]);
    if (messages) await append(w, messages);
    return w;
}
const chain = Array.from({ length: 8 }, (_, n) =>
    agent(`deep${n + 1}`, n % 2 ? 'bo' : 'ada', `step ${n + 1}`, 100 + n, {
        replyToMessageId: n ? `deep${n}` : 'weekly',
    }),
);
const plan = [
    human('plan', 'Plan the launch for next Friday.', 1),
    agent('split', 'lead', 'I will split this. @ada please check the dates.', 4, {
        replyToMessageId: 'plan',
    }),
    agent('dates', 'ada', 'The dates: freeze until noon.', 30, {
        replyToMessageId: 'split',
        ...called('k1', 'calendar.find', { what: 'freeze' }),
    }),
    tool('found', 'ada', 'until Friday', 31, 'k1', { replyToMessageId: 'dates' }),
    agent('then', 'lead', 'Then Friday afternoon.', 40, { replyToMessageId: 'dates' }),
    agent('clash', 'bo', 'Friday clashes with the freeze.', 41, { replyToMessageId: 'split' }),
    agent('wait', 'bo', 'I would wait a week.', 50, { replyToMessageId: 'plan' }),
    human('press', 'What about press?', 60),
    agent('draft', 'lead', 'Draft attached.', 61, { replyToMessageId: 'press' }),
    agent('weekly', 'lead', 'Weekly check', 99),
    ...chain,
    agent('lost', 'ada', 'An answer to something that is gone.', 120, { replyToMessageId: 'gone' }),
];
const grid = p => p.getByRole('treegrid', { name: 'Reply threads' });
const ids = p => p.$$eval('.tree-row', all => all.map(e => e.id.slice(5)));
const isAt = (p, id) =>
    until(
        p,
        `${id} is the row that one is at`,
        row =>
            (document.activeElement?.getAttribute('aria-activedescendant') ??
                document.querySelector('.tree-here')?.id) === row,
        `tree-${id}`,
    );
const shows = (p, expected) =>
    until(
        p,
        `the rows ${expected}`,
        wanted => [...document.querySelectorAll('.tree-row')].map(e => e.id.slice(5)).join(' ') === wanted,
        expected,
    );
// Most tests only look, so that they can share a world; ids of messages are unique in a store.
const shared = await fresh(plan);
async function look(w, o) {
    const p = await open(w.server, at(w, 'tree'), o);
    await grid(p).waitFor();
    return p;
}
// A store of its own, to change things in.
const apart = async () => fresh(plan, await Server.start({ script: team() }));

test('rows say level, place, size and whether they are open', async () => {
    const p = await look(shared);
    const row = id =>
        p
            .locator(`#tree-${id}`)
            .evaluate(e =>
                ['level', 'posinset', 'setsize', 'expanded'].map(n => e.getAttribute(`aria-${n}`)),
            );
    assert.deepEqual(await row('plan'), ['1', '1', '4', 'true']);
    assert.deepEqual(await row('clash'), ['3', '2', '2', null]);
    assert.deepEqual(await row('then'), ['4', '2', '2', null]);
    assert.match(await p.locator('#tree-lost').textContent(), /! reply to a message not in this version/);
    assert.match(await p.locator('#tree-weekly').textContent(), /started by agent/);
    assert.match(await p.locator('#tree-deep8').textContent(), /depth 9/);
    assert.equal(await p.locator('#tree-deep8 .tree-bars i').count(), 6);
    assert.match(await p.locator('#tree-plan').textContent(), /·6/);
});

test('filters leave what fits and what leads to it', async () => {
    const p = await look(shared);
    const show = p.getByRole('combobox', { name: 'Show' });
    const filtered = async (label, expected) => {
        await show.selectOption({ label });
        await shows(p, expected);
    };
    await filtered('Main thread only', 'plan split press draft weekly lost');
    await filtered('Only replies to me', 'plan split wait press draft');
    await filtered('With tool calls', 'plan split dates found');
    await filtered(
        'One agent',
        'plan split dates found weekly deep1 deep2 deep3 deep4 deep5 deep6 deep7 lost',
    );
    await p.getByRole('combobox', { name: 'Agent' }).selectOption('bo');
    await shows(p, 'plan split clash wait weekly deep1 deep2 deep3 deep4 deep5 deep6 deep7 deep8');
    const told = (await server.get(`/api/v1${shared.chatPath}/tree`)).data;
    await show.selectOption({ label: 'Unanswered' });
    await counts(p, '.tree-row:not(.tree-dim)', told.filter(n => n.unanswered).length);
    await show.selectOption({ label: 'In-memory only' });
    const memory = told.filter(n => n.memoryOnly).length;
    if (memory === 0) await p.getByText('No message matches this filter.').waitFor();
    else await counts(p, '.tree-row:not(.tree-dim)', memory);
    await show.selectOption({ label: 'All threads' });
    await p.getByRole('checkbox', { name: 'hide in-memory' }).check();
    await counts(p, '.tree-row', told.length - memory);
});

test('words are found, counted, and unfolded', async () => {
    const p = await look(shared);
    await p.locator('#tree-split .tree-button').click();
    await shows(p, 'plan split wait press draft weekly deep1 deep2 deep3 deep4 deep5 deep6 deep7 deep8 lost');
    await p.getByRole('searchbox', { name: 'Find in tree' }).fill('freeze');
    await p.getByText('2 found').waitFor();
    await p.getByRole('button', { name: 'Next match' }).click();
    await p.getByText('1 of 2').waitFor();
    await isAt(p, 'dates');
    await p.locator('#tree-dates mark', { hasText: 'freeze' }).waitFor();
    await p.getByRole('button', { name: 'Next match' }).click();
    await p.getByText('2 of 2').waitFor();
    await isAt(p, 'clash');
    await p.getByRole('button', { name: 'Previous match' }).click();
    await p.getByText('1 of 2').waitFor();
});

test('all of it by keyboard', async () => {
    const p = await look(shared);
    await grid(p).focus();
    const press = async (key, expected) => {
        await p.keyboard.press(key);
        await until(
            p,
            `${key} goes to ${expected}`,
            id => document.querySelector('.tree-here')?.id === `tree-${id}`,
            expected,
        );
    };
    await press('Home', 'plan');
    await press('j', 'split');
    await press('c', 'dates');
    await press('s', 'clash');
    await press('p', 'split');
    await press('k', 'plan');
    await press('ArrowDown', 'split');
    await p.keyboard.press('ArrowLeft');
    await until(
        p,
        'it is folded',
        () =>
            document.querySelector('#tree-split').getAttribute('aria-expanded') === 'false' &&
            !document.querySelector('#tree-dates'),
    );
    await press('ArrowLeft', 'plan');
    await press('j', 'split');
    await p.keyboard.press('ArrowRight');
    await until(p, 'it is unfolded', () => document.querySelector('#tree-dates') !== null);
    await press('ArrowRight', 'dates');
    await press('End', 'lost');
    await press('Home', 'plan');
    await p.keyboard.press('e');
    await p.getByRole('dialog', { name: 'Export this thread' }).waitFor();
    await p.keyboard.press('Escape');
    await p.getByRole('dialog').waitFor({ state: 'detached' });
    await p.keyboard.press('Enter');
    await p.waitForURL(/#m-plan$/);
    assert.ok(!(await address(p)).includes('view=tree'));
});

test('the panel counts as the server does, and leads to the longest thread', async () => {
    const p = await look(shared);
    const stats = await server.get(`/api/v1${shared.chatPath}/analytics`);
    const panel = p.getByRole('region', { name: 'Thread numbers' });
    const figure = name => panel.locator('.tree-figures div', { hasText: name }).locator('dd').textContent();
    await panel.getByText('Most replies').waitFor();
    assert.equal(await figure('Messages'), String(stats.messages));
    assert.equal(await figure('Threads'), String(stats.threads));
    assert.equal(await figure('Deepest'), '9');
    assert.equal(await figure('Unanswered'), String(stats.unanswered));
    assert.equal(await figure('Median reply'), '1.0 s');
    assert.match(await panel.locator('li', { hasText: 'Weekly check' }).textContent(), /8$/);
    assert.match(await panel.textContent(), /@lead ←answers You2/);
    await panel.getByRole('button', { name: /Weekly check/ }).click();
    await isAt(p, 'weekly');
});

test('a thread is exported in every form, and its Mermaid text is shown and copied', async () => {
    const p = await look(shared, {
        permissions: ['clipboard-read', 'clipboard-write'],
        acceptDownloads: true,
    });
    await p.locator('#tree-split').click();
    const forms = [
        ['Markdown', /Then Friday afternoon/, 'md'],
        ['JSON', /"messageId": "then"/, 'json'],
        ['JSON lines', /"messageId":"then"/, 'jsonl'],
        ['Mermaid', /^flowchart TD/, 'mmd'],
        ['one HTML file', /<!doctype html>/i, 'html'],
    ];
    for (const [label, expected, ending] of forms) {
        await p.getByRole('button', { name: 'Export branch' }).click();
        const dialog = p.getByRole('dialog', { name: 'Export this thread' });
        await dialog.getByRole('radio', { name: label, exact: true }).check();
        await dialog.getByRole('checkbox', { name: 'include delegations' }).uncheck();
        const [file] = await Promise.all([
            p.waitForEvent('download'),
            dialog.getByRole('button', { name: 'Export', exact: true }).click(),
        ]);
        assert.equal(file.suggestedFilename(), `split.${ending}`);
        const text = fs.readFileSync(await file.path(), 'utf8');
        assert.match(text, expected);
        assert.ok(!text.includes('What about press'), `${label} holds another thread`);
        await dialog.waitFor({ state: 'detached' });
    }
    await p.getByRole('button', { name: 'Mermaid' }).click();
    const shown = p.getByRole('textbox', { name: 'Mermaid text' });
    assert.match(await shown.inputValue(), /^flowchart TD\n/);
    await p.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
    await p.locator('.toast', { hasText: 'Mermaid text copied.' }).waitFor();
    assert.equal(await p.evaluate(() => navigator.clipboard.readText()), await shown.inputValue());
    await p.keyboard.press('Escape');
    await p.locator('#tree-press').click();
    await grid(p).focus();
    await p.keyboard.press('y');
    await until(p, 'the other branch is copied', async () =>
        (await navigator.clipboard.readText()).includes('What about press'),
    );
});

test('what is said appears without losing folds or the place', async () => {
    const w = await apart();
    const p = await look(w);
    await p.locator('#tree-weekly .tree-button').click();
    await p.locator('#tree-press').click();
    await w.converse('hello to all');
    await p.locator('.tree-row', { hasText: 'hello to all' }).waitFor();
    const told = (await w.server.get(`/api/v1${w.chatPath}/tree`)).data.length;
    assert.ok(told > plan.length + 1);
    await counts(p, '.tree-row', told - chain.length);
    assert.equal(await p.locator('#tree-weekly').getAttribute('aria-expanded'), 'false');
    await isAt(p, 'press');
    // An edit makes another version: the same folds, the same row.
    await w.server.post(`/api/v1${w.chatPath}/operations`, { op: 'delete', messageIds: ['wait'] });
    await p.locator('#tree-wait').waitFor({ state: 'detached' });
    assert.equal(await p.locator('#tree-weekly').getAttribute('aria-expanded'), 'false');
    await isAt(p, 'press');
});

test('an older version is shown as it was', async () => {
    const w = await apart();
    const p = await look(w);
    const [{ threadId }] = (await w.server.get(`/api/v1${w.chatPath}/threads`)).data;
    await w.server.post(`/api/v1${w.chatPath}/operations`, { op: 'delete', messageIds: ['wait'] });
    await p.locator('#tree-wait').waitFor({ state: 'detached' });
    await visit(p, w.server, at(w, 'tree', `&v=${threadId}`));
    await p.locator('#tree-wait').waitFor();
    await p.getByText('You are looking at v1 of 2').waitFor();
});

test('ten thousand messages: two hundred rows in the page, and the end is a key away', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) =>
        n % 10 === 0
            ? human(`m${n}`, `question ${n}`, n)
            : agent(`m${n}`, 'ada', `answer ${n}`, n, {
                  replyToMessageId: `m${n - (n % 3 === 0 ? 1 : n % 10)}`,
              }),
    );
    const p = await look(await fresh(many));
    await until(
        p,
        'all are counted',
        () => document.querySelector('.tree-grid')?.getAttribute('aria-rowcount') === '10000',
    );
    assert.ok((await p.locator('.tree-row').count()) <= 200);
    assert.ok((await p.evaluate(() => document.querySelectorAll('*').length)) < 5000);
    await grid(p).focus();
    await p.keyboard.press('End');
    await p.locator('#tree-m9999.tree-here').waitFor();
    const seen = await p
        .locator('#tree-m9999')
        .evaluate(e => e.getBoundingClientRect().bottom <= innerHeight);
    assert.ok(seen);
    const took = await p.evaluate(async () => {
        const press = key =>
            document
                .querySelector('.tree-grid')
                .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        // The quickest of ten: the others may have waited for a processor.
        let least = Infinity;
        for (let n = 0; n < 10; n++) {
            const began = performance.now();
            press('ArrowUp');
            await new Promise(requestAnimationFrame);
            least = Math.min(least, performance.now() - began);
        }
        return least;
    });
    assert.ok(took < 500, `${took} ms for one key`);
    await p.getByRole('searchbox', { name: 'Find in tree' }).fill('question 5000');
    await p.getByText('1 found').waitFor();
    await p.keyboard.press('Enter');
    await p.locator('#tree-m5000.tree-here').waitFor();
}, 180000);

test('no replies yet', async () => {
    const w = await fresh();
    const p = await open(server, at(w, 'tree'));
    await p.getByText('No replies yet. Threads appear when an agent answers.').waitFor();
    await w.converse('@ada hello');
    await grid(p).waitFor();
});

test('it looks right everywhere', async () => {
    await looks(server, at(shared, 'tree', '#m-dates'), 'tree', '.tree-row');
}, 120000);

test('rows are as large as fingers on a telephone, filters are behind a button', async () => {
    const p = await visit(await page({ width: 390, height: 844 }), server, at(shared, 'tree'));
    await grid(p).waitFor();
    assert.equal(await p.locator('#tree-plan').evaluate(e => e.getBoundingClientRect().height), 44);
    await p.getByRole('button', { name: 'Filter' }).click();
    await p.getByRole('combobox', { name: 'Show' }).selectOption({ label: 'With tool calls' });
    await shows(p, 'plan split dates found');
    assert.deepEqual(await ids(p), ['plan', 'split', 'dates', 'found']);
    await p.getByRole('button', { name: 'Filter: on' }).waitFor();
});

await finish();
