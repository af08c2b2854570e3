// timeline.mjs: runs inside runs: while they go on, when they are over, when they fail; by mouse and by keyboard.
import { Desk } from '../../../tests/server/desk.mjs';
import { Server, address, assert, finish, open, page, script, test, until, visit } from './kit.mjs';
import { agent, append, at, called, counts, human, looks, tool } from './views-kit.mjs';

const file = script(
    'runs',
    `
seed: 3
pace: 40
rules:
  - when: plan
    agent: lead
    from: human
    do:
      - say: I split this.
      - call: delegate
        args: {agent: ada, title: Check dates, task: Check the dates}
  - when: check the dates
    agent: ada
    from: lead
    do:
      - say: I begin with the policy.
      - call: delegate
        args: {agent: bo, title: Read the policy, task: Read the policy}
  - tool: delegate
    agent: ada
    do: Friday, after noon.
  - tool: delegate
    agent: lead
    do: Done then.
  - when: keep on
    agent: lead
    from: human
    do:
      - call: delegate
        args: {agent: ada, title: Hold on, task: hold}
  - when: hold
    agent: ada
    from: lead
    do:
      - say: I begin, and it will take long.
      - wait: 10m
  - when: break
    agent: lead
    from: human
    do:
      - call: delegate
        args: {agent: bo, title: Break, task: go wrong}
  - when: go wrong
    agent: bo
    from: lead
    do:
      - fail: the model is out of order
`,
);
const live = await Server.start({ script: file, delay: true });
const past = await Server.start({ script: file });
let worlds = 0;
const fresh = (server, ofBo = {}) =>
    server.world(`runs${++worlds}`, [
        'lead',
        { name: 'ada', lead: 'lead' },
        { name: 'bo', lead: 'lead', ...ofBo },
    ]);
// A world where what bo is asked waits for the test to answer: what is looked at meanwhile does not run away.
const desk = await Desk.open(live);
const waiting = () => fresh(live, { model: desk.model });
const box = (p, lane) => p.getByRole('group', { name: `Run ${lane}`, exact: true });
const head = (p, lane) => p.locator(`.timeline-view [data-lane="${lane}"]`);
const folds = (p, lane, open) =>
    until(
        p,
        `${lane} is ${open ? 'open' : 'folded'}`,
        ([of, is]) =>
            document.querySelector(`.timeline-view [data-lane="${of}"]`)?.getAttribute('aria-expanded') ===
            is,
        [lane, String(open)],
    );

const hand = (id, to, title) => called(id, 'delegate', { agent: to, title, task: title });
// main › 1 › 1 › 1 › 1, a call that worked, one that did not, thinking, and a result.
async function recorded() {
    const w = await fresh(past);
    await append(w, [
        human('ask', 'Plan the launch.', 1),
        agent('split', 'lead', 'I hand it on.', 2, {
            thinking: 'Ada knows.',
            ...hand('c1', 'ada', 'Check dates'),
        }),
    ]);
    await append(
        w,
        [
            human('t1', 'Check the dates', 3, { sender: 'lead' }),
            agent('l1', 'ada', 'I look.', 4, called('k1', 'calendar.find', { what: 'freeze' })),
            tool('r1', 'ada', '{"ends":"noon"}', 6, 'k1'),
            agent('l1b', 'ada', '', 7, hand('c2', 'bo', 'Read the policy')),
        ],
        { lane: 'main.1', call: 'c1' },
    );
    await append(
        w,
        [
            human('t2', 'Read the policy', 8, { sender: 'ada' }),
            agent('l2', 'bo', '', 9, called('k2', 'file.read', { path: 'policy.md' })),
            tool('r2', 'bo', 'no such file', 10, 'k2', { toolStatus: 'error' }),
            agent('l2b', 'bo', '', 11, hand('c3', 'ada', 'Ask legal')),
        ],
        { lane: 'main.1.1', call: 'c2' },
    );
    await append(
        w,
        [
            human('t3', 'Ask legal', 12, { sender: 'bo' }),
            agent('l3', 'ada', '', 13, hand('c4', 'bo', 'Deeper')),
        ],
        { lane: 'main.1.1.1', call: 'c3' },
    );
    await append(w, [human('t4', 'Deeper', 14, { sender: 'ada' }), agent('l4', 'bo', 'Here it ends.', 15)], {
        lane: 'main.1.1.1.1',
        call: 'c4',
    });
    await append(w, [
        tool('r3', 'lead', 'Friday afternoon works.', 30, 'c1'),
        agent('end', 'lead', 'Done.', 31),
    ]);
    return w;
}
const story = await recorded();

test('a run that goes on is open and says what it does; when it is over it is one line with its first words', async () => {
    const w = await waiting();
    const p = await open(live, at(w, 'timeline'));
    await p.getByText('No runs yet.').waitFor();
    await w.say('@lead plan');
    const bo = await desk.next();
    let n = 0;
    const writing = setInterval(() => bo.begin(`w${++n} `), 40);
    await box(p, 'main.1').getByText('running').first().waitFor();
    await folds(p, 'main.1', true);
    await box(p, 'main.1.1').waitFor();
    // The line of what goes on changes in place, and not more often than four times a second.
    await p.locator('.timeline-live', { hasText: 'writing…' }).filter({ hasText: /w\d/ }).first().waitFor();
    await p.evaluate(() => {
        globalThis.changes = [];
        const line = [...document.querySelectorAll('.timeline-live')].find(e =>
            e.textContent.includes('writing'),
        );
        new MutationObserver(() => globalThis.changes.push(performance.now())).observe(line, {
            subtree: true,
            characterData: true,
            childList: true,
        });
    });
    await box(p, 'main.1').getByText('waiting for main.1.1').waitFor();
    const elapsed = await head(p, 'main.1.1').locator('.timeline-state').textContent();
    assert.match(elapsed, /● running \d/);
    await until(
        p,
        'the clock goes on',
        was => document.querySelector('[data-lane="main.1.1"] .timeline-state')?.textContent !== was,
        elapsed,
    );
    await until(p, 'the line has changed', () => globalThis.changes.length > 5);
    clearInterval(writing);
    bo.answer('It ends at noon.');
    await until(
        p,
        'both are over',
        () =>
            [...document.querySelectorAll('.timeline-panel .timeline-state')].filter(e =>
                e.textContent.includes('done'),
            ).length === 2,
    );
    const changes = await p.evaluate(() => globalThis.changes);
    const seconds = (changes.at(-1) - changes[0]) / 1000;
    assert.ok(changes.length <= 4 * seconds + 4, `${changes.length} changes in ${seconds} s`);
    await w.idle();
    await folds(p, 'main.1', false);
    // What it took comes a little later than how it ended.
    for (const words of [
        /main\.1@adaCheck dates✓ done [\d.]+ s/,
        /“Friday, after noon\.”/,
        /demo\/scripted · 4 steps/,
    ])
        await head(p, 'main.1').filter({ hasText: words }).waitFor();
    await p.getByText('Done then.').waitFor();
});

test('what a person folded stays folded, and what they unfolded stays open', async () => {
    const w = await waiting();
    const p = await open(live, at(w, 'timeline'));
    await w.say('@lead plan');
    const bo = await desk.next();
    await folds(p, 'main.1.1', true);
    await head(p, 'main.1.1').click();
    await folds(p, 'main.1.1', false);
    await p.getByRole('button', { name: 'Unfold running' }).click();
    await folds(p, 'main.1.1', true);
    bo.answer('It ends at noon.');
    await until(p, 'it is over', () =>
        document.querySelector('[data-lane="main.1.1"]')?.textContent.includes('done'),
    );
    await folds(p, 'main.1.1', true);
    await w.idle();
    await p.getByRole('button', { name: 'Fold all' }).click();
    await folds(p, 'main.1', false);
    await p
        .getByRole('link', { name: 'Tree' })
        .or(p.getByRole('tab', { name: 'Tree' }))
        .first()
        .click();
    await p.getByRole('treegrid').waitFor();
    await p.goBack();
    await box(p, 'main.1').waitFor();
    await head(p, 'main.1').click();
    await folds(p, 'main.1.1', false);
});

test('a run is cancelled, and begun again', async () => {
    const w = await fresh(live);
    const p = await open(live, at(w, 'timeline'));
    await w.say('@lead keep on');
    await p.getByRole('button', { name: 'Cancel this run: main.1' }).click();
    await p.locator('.toast', { hasText: 'main.1 and what it handed on are cancelled.' }).waitFor();
    await until(p, 'it is cancelled', () =>
        document.querySelector('[data-lane="main.1"]')?.textContent.includes('cancelled'),
    );
    await w.idle();
    await folds(p, 'main.1', false);
    await head(p, 'main.1').click();
    await p.getByRole('button', { name: 'Retry main.1' }).click();
    await p.locator('.toast', { hasText: 'main.1 begins again.' }).waitFor();
    const list = async () => (await live.get(`/api/v1${w.path}/delegations?chatId=${w.chat}`)).data;
    await until(p, 'something runs', () =>
        document.querySelector('.timeline-panel')?.textContent.includes('running'),
    );
    assert.ok((await list()).some(d => d.state === 'running'));
    await live.post(`/api/v1${w.path}/messages/stop`, { chatId: w.chat }, 200);
    await w.idle();
});

test('a run that failed is open, says why, and offers what to do', async () => {
    const w = await fresh(live);
    const p = await open(live, at(w, 'timeline'));
    await w.say('@lead break');
    await until(p, 'it failed', () =>
        document.querySelector('[data-lane="main.1"]')?.textContent.includes('failed after'),
    );
    await folds(p, 'main.1', true);
    await box(p, 'main.1')
        .getByText(/out of order/)
        .first()
        .waitFor();
    await p.getByRole('button', { name: 'Inspect main.1' }).waitFor();
    await p.getByRole('button', { name: 'Retry main.1' }).waitFor();
    await w.idle();
});

test('a call and its result are one row, unfolded on demand', async () => {
    const p = await open(past, at(story, 'timeline'));
    await head(p, 'main.1').click();
    const row = box(p, 'main.1').locator('.timeline-tool', { hasText: 'calendar.find' });
    await row.waitFor();
    assert.equal(await row.count(), 1);
    assert.match(await row.textContent(), /✓done: calendar\.find\("freeze"\)2\.0 s/);
    assert.ok(!(await box(p, 'main.1').textContent()).includes('"ends"'));
    await row.getByRole('button').click();
    await row.filter({ hasText: /input\{\s*"what": "freeze"\s*\}output\{"ends":"noon"\}/ }).waitFor();
    await head(p, 'main.1.1').click();
    const failed = box(p, 'main.1.1').locator('.timeline-tool', { hasText: 'file.read' });
    assert.match(await failed.textContent(), /✕failed: file\.read\("policy\.md"\)no such file/);
    await p.getByRole('checkbox', { name: 'raw tools' }).check();
    await failed.filter({ hasText: 'outputno such file' }).waitFor();
    await p.locator('.timeline-thinking', { hasText: 'Ada knows.' }).waitFor();
});

test('a run whose call was squashed stands where the squash stands, and says so', async () => {
    const w = await fresh(past);
    await append(w, [
        human('early', 'Plan the party.', 1),
        agent('parts', 'lead', 'I hand it on.', 2, hand('p1', 'ada', 'Find a room')),
    ]);
    await append(
        w,
        [human('room', 'Find a room', 3, { sender: 'lead' }), agent('hall', 'ada', 'The hall is free.', 4)],
        { lane: 'main.1', call: 'p1' },
    );
    await append(w, [
        tool('told', 'lead', 'The hall is free.', 5, 'p1'),
        agent('plan', 'lead', 'Then the hall.', 6),
        human('later', 'And the music?', 7),
        agent('band', 'lead', 'A band.', 8),
    ]);
    const squash = async (sourceMessageIds, content) =>
        past.post(`${w.chatPath}/squashes`, { sourceMessageIds, content });
    await squash(['parts', 'told', 'plan'], 'The party is in the hall.');
    const p = await open(past, at(w, 'timeline'));
    const order = text =>
        until(
            p,
            `the box stands between "${text}" and what came later`,
            words => {
                const all = [...document.querySelectorAll('.timeline-view .timeline-items > li')];
                const place = what => all.findIndex(e => e.textContent.includes(what));
                const box = all.findIndex(e => e.querySelector('[data-lane="main.1"]'));
                return box === place(words) + 1 && box > 0 && box < place('And the music?');
            },
            text,
        );
    await order('The party is in the hall.');
    await head(p, 'main.1').getByText('spawned by a message that is now squashed').waitFor();
    // Squashed again, while it is looked at.
    const [early, hall] = (await w.messages()).map(m => m.messageId);
    await squash([early, hall], 'All of the party.');
    await order('All of the party.');
});

test('the fourth border is a page of its own, with breadcrumbs and an address', async () => {
    const p = await open(past, at(story, 'timeline'));
    for (const lane of ['main.1', 'main.1.1', 'main.1.1.1']) await head(p, lane).click();
    assert.equal(await head(p, 'main.1.1.1.1').getAttribute('aria-expanded'), null);
    await head(p, 'main.1.1.1.1').getByText('Open as page').click();
    await p.waitForURL(/lane=main\.1\.1\.1\.1$/);
    const crumbs = p.getByRole('navigation', { name: 'Runs above this one' });
    assert.equal((await crumbs.textContent()).replace(/\s/g, ''), 'main›1›1›1›1');
    await p.getByText('Here it ends.').waitFor();
    await p.getByText('(read only: @ada owns this run)').waitFor();
    await p.getByText('siblings 1 of 1').waitFor();
    await crumbs.getByRole('link', { name: 'main.1', exact: true }).click();
    await p.waitForURL(/lane=main\.1$/);
    await p.goBack();
    await p.waitForURL(/lane=main\.1\.1\.1\.1$/);
    await p.reload();
    await p.getByText('Here it ends.').waitFor();
});

test('in and out of runs by keyboard', async () => {
    const p = await open(past, at(story, 'timeline'));
    await head(p, 'main.1').waitFor();
    const focus = () => p.evaluate(() => document.activeElement?.dataset.lane ?? null);
    const walk = async (key, to) => {
        for (let n = 0; n < 6 && (await focus()) !== to; n++) await p.keyboard.press(key);
        assert.equal(await focus(), to);
    };
    const press = async (key, expected) => {
        await p.keyboard.press(key);
        await until(
            p,
            `${key} goes to ${expected}`,
            lane => document.activeElement?.dataset.lane === lane,
            expected,
        );
    };
    await walk('j', 'main.1');
    await p.keyboard.press('ArrowRight');
    await head(p, 'main.1.1').waitFor();
    await walk('j', 'main.1.1');
    await press('ArrowUp', 'main.1');
    await walk('j', 'main.1.1');
    await p.keyboard.press('Enter');
    await p.waitForURL(/lane=main\.1\.1$/);
    await press('Escape', 'main.1.1');
    assert.ok(!(await address(p)).includes('lane='));
    await press('ArrowUp', 'main.1');
    await p.keyboard.press('ArrowLeft');
    await folds(p, 'main.1', false);
    assert.equal(await focus(), 'main.1');
});

test('sibling runs are beside each other', async () => {
    const w = await fresh(past);
    await append(w, [
        agent('two', 'lead', 'Both of you.', 1, {
            toolCalls: [...hand('s1', 'ada', 'One').toolCalls, ...hand('s2', 'bo', 'Two').toolCalls],
        }),
    ]);
    await append(w, [human('s1t', 'One', 2, { sender: 'lead' }), agent('s1a', 'ada', 'First.', 3)], {
        lane: 'main.1',
        call: 's1',
    });
    await append(w, [human('s2t', 'Two', 2, { sender: 'lead' }), agent('s2a', 'bo', 'Second.', 4)], {
        lane: 'main.2',
        call: 's2',
    });
    const p = await open(past, at(w, 'timeline', '&lane=main.1'));
    await p.getByText('siblings 1 of 2').waitFor();
    await p.keyboard.press('Shift+ArrowRight');
    await p.getByText('siblings 2 of 2').waitFor();
    assert.match(await address(p), /lane=main\.2$/);
    await p.getByRole('button', { name: 'Previous sibling run' }).click();
    await p.getByText('siblings 1 of 2').waitFor();
});

test('tabs instead of boxes, and that is remembered', async () => {
    const p = await open(past, at(story, 'timeline'));
    await p.getByRole('button', { name: 'Tabs' }).click();
    const tabs = p.getByRole('tablist', { name: 'Runs' });
    await tabs.getByRole('tab', { name: /^main\.1\.1\.1\.1 / }).waitFor();
    assert.deepEqual(
        (await tabs.getByRole('tab').allTextContents()).map(t => t.split(' ')[0]),
        ['main', 'main.1', 'main.1.1', 'main.1.1.1', 'main.1.1.1.1'],
    );
    await tabs.getByRole('tab', { name: /^main\.1\.1 / }).click();
    await p.getByRole('tabpanel').getByText('file.read').waitFor();
    await p.reload();
    await p.getByRole('tab', { name: /^main\.1\.1 /, selected: true }).waitFor();
});

test('words are found in every run, and the run is opened', async () => {
    const p = await open(past, at(story, 'timeline'));
    await head(p, 'main.1').waitFor();
    await p.getByRole('searchbox', { name: 'Find' }).fill('policy');
    await p.getByText(/^\d found$/).waitFor();
    await p.keyboard.press('Enter');
    await p.getByText(/^1 of \d$/).waitFor();
    await folds(p, 'main.1', true);
    await p.locator('.timeline-match').waitFor();
    await p.getByRole('searchbox', { name: 'Find' }).fill('here it ends');
    await p.getByText('1 found', { exact: true }).waitFor();
    await p.keyboard.press('Enter');
    await p.waitForURL(/lane=main\.1\.1\.1\.1$/);
});

test('the panel shows who is inside whom, and the time of each', async () => {
    const p = await open(past, at(story, 'timeline'));
    const panel = p.getByRole('region', { name: 'Runs' });
    await panel.getByRole('button', { name: /^main\.1\.1 / }).waitFor();
    assert.match(await panel.locator('svg').getAttribute('aria-label'), /main\.1 done/);
    await counts(p, '.timeline-panel svg rect', 5);
    await panel.getByRole('button', { name: 'Aggregated' }).click();
    await until(
        p,
        'one bar for each agent',
        () =>
            [...document.querySelectorAll('.timeline-barname')].map(e => e.textContent).join() ===
            'main,@ada,@bo',
    );
    await panel.getByRole('button', { name: /^main\.1\.1 / }).click();
    await p.waitForURL(/lane=main\.1\.1$/);
});

test('the end is followed, unless the reader is elsewhere', async () => {
    const w = await fresh(past);
    await append(
        w,
        Array.from({ length: 120 }, (_, n) => agent(`f${n}`, 'ada', `line ${n}`, n)),
    );
    const p = await open(past, at(w, 'timeline'));
    const gap = () =>
        p.locator('.timeline-scroll').evaluate(e => e.scrollHeight - e.clientHeight - e.scrollTop);
    await p.getByText('line 119').waitFor();
    await until(p, 'it begins at the end', () => {
        const e = document.querySelector('.timeline-scroll');
        return e.scrollHeight - e.clientHeight - e.scrollTop < 2;
    });
    await append(w, [agent('g1', 'ada', 'one more', 130)]);
    await p.getByText('one more').waitFor();
    await until(p, 'it follows', () => {
        const e = document.querySelector('.timeline-scroll');
        return e.scrollHeight - e.clientHeight - e.scrollTop < 2;
    });
    await p.locator('.timeline-scroll').evaluate(
        e =>
            new Promise(done => {
                e.addEventListener('scroll', done, { once: true });
                e.scrollTop = 100;
            }),
    );
    await append(w, [agent('g2', 'ada', 'and another', 131)]);
    await p.getByText('and another').waitFor({ state: 'attached' });
    assert.equal(await p.locator('.timeline-scroll').evaluate(e => e.scrollTop), 100);
    assert.ok((await gap()) > 500);
});

test('runs nested a hundred deep open quickly, from the outside and from the inside', async () => {
    const w = await fresh(past);
    const name = depth => ['main', ...Array(depth).fill('1')].join('.');
    await append(w, [agent('n0', 'lead', 'Down.', 1, hand('n0c', 'ada', 'Down'))]);
    for (let d = 1; d <= 100; d++)
        await append(w, [agent(`n${d}`, 'ada', `level ${d}`, 1 + d, hand(`n${d}c`, 'ada', 'Down'))], {
            lane: name(d),
            call: `n${d - 1}c`,
        });
    const p = await open(past, at(w, 'timeline'));
    await head(p, 'main.1').waitFor();
    assert.ok((await p.evaluate(() => document.querySelectorAll('*').length)) < 5000);
    await visit(p, past, at(w, 'timeline', `&lane=${name(100)}`));
    await p.getByText('level 100').waitFor();
    assert.match(
        await p.getByRole('navigation', { name: 'Runs above this one' }).textContent(),
        /^main›1›1› … ›1›1›1›1$/,
    );
    await p.keyboard.press('Escape');
    await p.getByText('level 99').waitFor();
}, 180000);

test('on a telephone the third border is a page', async () => {
    const p = await visit(await page({ width: 390, height: 844 }), past, at(story, 'timeline'));
    await head(p, 'main.1').click();
    await head(p, 'main.1.1').click();
    await head(p, 'main.1.1.1').getByText('Open as page').waitFor();
});

test('it looks right everywhere', async () => {
    await looks(past, at(story, 'timeline'), 'timeline', '.timeline-box');
    await looks(past, at(story, 'timeline', '&lane=main.1'), 'run', '.timeline-page');
}, 240000);

await finish();
