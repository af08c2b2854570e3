// help.mjs: the sheet that F1 opens lists each key of a screen once, by one name, and each of them does something there.
import { allow, assert, chord, composer, finish, live, open, page, test, until, visit } from './kit.mjs';
import { causes, office, startOffice } from './office.mjs';
import { agent, append, called, human } from './views-kit.mjs';

const server = await startOffice();
const at = (w, query = '') => `/w/${w.name}/c/${w.chat}${query}`;
const hand = (id, to) =>
    called(id, 'delegate', { agent: to, title: `For ${to}`, task: `For ${to}` }).toolCalls;

// A room with questions and answers, two runs beside each other, and three versions of which two are siblings.
async function talked() {
    const w = await office(server, ['lead', 'ada', 'bo']);
    for (const text of ['hello', 'hello again', '@ada hello too']) await w.converse(text);
    await append(w, [
        agent('both', 'lead', 'Both of you.', 1, { toolCalls: [...hand('s1', 'ada'), ...hand('s2', 'bo')] }),
    ]);
    await append(w, [human('s1t', 'One', 2, { sender: 'lead' }), agent('s1a', 'ada', 'First.', 3)], {
        lane: 'main.1',
        call: 's1',
    });
    await append(w, [human('s2t', 'Two', 2, { sender: 'lead' }), agent('s2a', 'bo', 'Second.', 4)], {
        lane: 'main.2',
        call: 's2',
    });
    const last = (await w.messages()).find(m => m.content === '@ada hello too');
    for (const newContent of ['@ada hello, you', '@ada hello, all']) {
        await server.ask('PUT', `${w.path}/messages/${last.messageId}`, { chatId: w.chat, newContent });
        await w.idle();
        if (newContent.endsWith('you')) await w.travel('undo');
    }
    return w;
}

// The sheet, as { heading: ['Title: key, key'] }.
async function sheet(p) {
    await p.keyboard.press('F1');
    await p.getByRole('dialog', { name: 'Keys of this screen' }).waitFor();
    const groups = await p.$$eval('.help-group', all =>
        all.map(g => [
            g.querySelector('h3').textContent,
            [...g.querySelectorAll('.help-line')].map(line => {
                const keys = [...line.querySelectorAll('.help-keys > span')].map(k =>
                    [...k.querySelectorAll('kbd')].map(e => e.textContent).join(' '),
                );
                return `${line.querySelector('dt').textContent}: ${keys.join(', ')}`;
            }),
        ]),
    );
    await p.keyboard.press('Escape');
    await p.getByRole('dialog').waitFor({ state: 'detached' });
    return Object.fromEntries(groups);
}

// They act on answers, and change the conversation: stopped.mjs presses them.
const alternatives = [
    'Another answer: a',
    'Ask another model: Shift a',
    'Earlier answer to the same message: ←',
    'Later answer to the same message: →',
];
const anywhere = [
    'Search and jump: Ctrl K, /',
    'Keys of this screen: ?, F1',
    'Inbox: g i',
    'Agents: g a',
    'Search: g s',
    'Next unread: n',
    'Next that needs you: Shift n',
    'Left list: open or close: [',
    'Right panel: open or close: ]',
    'Model: m',
];
const changes = ['Undo: z', 'Redo: Shift z', 'Stop the agents of this conversation: .'];
const inRoom = [...anywhere.slice(0, 7), ...changes, ...anywhere.slice(7)];
const without = (...gone) => anywhere.filter(line => !gone.some(g => line.startsWith(g)));
const views = ['Chat: g c', 'Tree: g t', 'Timeline: g l', 'History: g h'];
const always = [
    'Back and forward through places visited: Alt ←, Alt →',
    'Close the innermost dialog or panel: Esc',
    'Go to the notes at the lower edge: F6',
];

// What each screen lists: the table of the design, with the keys that a screen has for itself.
const screens = {
    chat: {
        to: w => at(w),
        Anywhere: inRoom,
        Conversation: [
            ...views,
            'First message: Home',
            'Latest message, and follow: End, Shift g',
            'Find in this conversation: Ctrl F',
        ],
        Messages: [
            'Next message: j, ↓',
            'Previous message: k, ↑',
            'Go to parent: p',
            'Go to first reply: c',
            'Next reply to the same message: s',
            'Reply: r, Enter',
            'Edit your message: e',
            'Select: x',
            'Select the next one too: Shift ↓',
            'Select the previous one too: Shift ↑',
            ...alternatives,
            'Branch from here: b',
            'Inspect: i',
            'Copy link: y',
            'Copy Markdown: Shift y',
            'Make the version before this message current: t',
        ],
        Composer: ['Send: Enter', 'New line: Shift Enter', 'Edit your last message, in an empty box: ↑'],
        Always: always,
    },
    tree: {
        to: w => at(w, '?view=tree'),
        Tree: [
            'Next row: j, ↓',
            'Previous row: k, ↑',
            'Fold, or to the parent: ←',
            'Unfold, or to the first reply: →',
            'To the parent: p',
            'To the first reply: c',
            'To the next sibling: s',
            'First row: Home',
            'Last row: End',
            'Open in chat: Enter',
            'Export this branch: e',
            'Copy this branch as Mermaid: y',
        ],
        Anywhere: inRoom,
        Conversation: views,
        Always: always,
    },
    timeline: {
        to: w => at(w, '?view=timeline'),
        Timeline: [
            'Next row: j, ↓',
            'Previous row: k',
            'Open the run or row: →',
            'Fold the run or row: ←',
            'Go inside the run: Enter',
            'Inspect the run: i',
            'To the run above: ↑',
            'Previous sibling run: Shift ←',
            'Next sibling run: Shift →',
        ],
        Anywhere: inRoom,
        Conversation: views,
        Always: always,
    },
    history: {
        to: w => at(w, '?view=history'),
        History: [
            'Older version: ←, j',
            'Newer version: →, k',
            'Next sibling version: ↓',
            'Previous sibling version: ↑',
            'Preview this version: Space',
            'Make this version current: Enter',
            'Branch from this version: b',
            'Compare this version: Shift c',
        ],
        Anywhere: inRoom,
        Conversation: views,
        Always: always,
    },
    inbox: {
        to: () => '/inbox',
        Inbox: [
            'Next item: j, ↓',
            'Previous item: k, ↑',
            'Done, or open again: e',
            'Mark as read or unread: u',
            'Snooze: h',
            'Reply or answer: r',
            'Take back: z',
            'Next unread: n',
            'Next that needs you: Shift n',
        ],
        Anywhere: without('Next'),
        Always: always,
    },
    search: {
        to: () => '/search',
        Search: ['Next result: j, ↓', 'Previous result: k, ↑', 'To the search box: /'],
        Anywhere: ['Search and jump: Ctrl K', ...without('Search and jump')],
        Always: always,
    },
    agents: { to: w => `/w/${w.name}/agents`, Agents: ['New agent: a'], Anywhere: anywhere, Always: always },
    agent: { to: w => `/w/${w.name}/a/ada`, Agent: ['Inspect @ada: i'], Anywhere: anywhere, Always: always },
    settings: { to: () => '/settings/models', Anywhere: anywhere, Always: always },
};

async function onScreen(p, to) {
    await visit(p, server, to);
    await p.evaluate(() => document.activeElement?.blur());
}

const room = await talked();

test('each screen lists its keys, each of them once', async () => {
    for (const { to, ...groups } of Object.values(screens)) {
        const p = await page();
        await onScreen(p, to(room));
        assert.deepEqual(await sheet(p), groups, to(room));
        const own = Object.entries(groups).filter(([where]) => where !== 'Composer');
        const keys = own.flatMap(([, lines]) => lines.flatMap(keysIn));
        assert.equal(new Set(keys).size, keys.length, `${to(room)} lists a key twice`);
        await p.close();
    }
}, 120000);

const keysIn = line => line.split(': ').at(-1).split(', ');

// Presses keys as the sheet writes them: 'Ctrl K', 'g i', 'Shift ↓'.
async function press(p, shown) {
    const names = { Ctrl: 'Control', '↑': 'ArrowUp', '↓': 'ArrowDown', '←': 'ArrowLeft', '→': 'ArrowRight' };
    const pieces = shown.split(' ').map(piece => names[piece] ?? piece);
    const held = pieces[0] === 'Control' || pieces[0] === 'Shift';
    const strokes = held
        ? [`${pieces[0]}+${pieces[1].length === 1 ? pieces[1].toLowerCase() : pieces[1]}`]
        : pieces;
    await chord(p, strokes.join(' '));
}

// All that a key may change on screen, without what time changes by itself.
const look = () => {
    const body = document.body.cloneNode(true);
    for (const e of body.querySelectorAll('time, .frame-pill')) e.remove();
    const active = document.activeElement;
    const place = [...document.querySelectorAll('*')].indexOf(active);
    return `${location.href} ${place} ${body.innerHTML}`;
};

// Every key of these lines changes what is on screen. before: keys that make room for it.
async function act(to, lines, { ready = async () => {}, before = {}, except = [] } = {}) {
    const p = await page({ permissions: ['clipboard-read', 'clipboard-write'] });
    allow(p, /40[49]|422/);
    await p.addInitScript({ content: `globalThis.look = ${look}` }); // the page itself may not evaluate text
    for (const key of lines.flatMap(keysIn).filter(one => !except.includes(one))) {
        await p.goto('about:blank');
        await onScreen(p, to);
        await ready(p);
        for (const first of before[key] ?? []) await press(p, first);
        const was = await p.evaluate(() => globalThis.look());
        await press(p, key);
        await until(p, `${key} does something at ${to}`, before => globalThis.look() !== before, was);
    }
    await p.close();
}

const focusMessage = text => async p => {
    const row = p.locator('article.chat-message', { hasText: text }).first();
    await row.focus();
    await until(p, 'it has the focus', () => document.querySelector('.chat-focused'));
};

test('every key of the chat does something: those of messages', async () => {
    await act(at(room), screens.chat.Messages, {
        ready: focusMessage('hello again'),
        except: alternatives.flatMap(keysIn),
    });
}, 120000);

test('every key of the chat does something: those of the conversation and anywhere', async () => {
    const lines = [...screens.chat.Conversation, ...screens.chat.Anywhere];
    await act(at(room), lines, { ready: focusMessage('hello again'), except: ['g c'] });
}, 120000);

test('a selection has its key, and the box has its own', async () => {
    const p = await page();
    await onScreen(p, at(room));
    await focusMessage('hello again')(p);
    await press(p, 'x');
    await press(p, 'Shift ↓');
    assert.deepEqual((await sheet(p)).Selection, ['Squash the selected messages: q']);
    await press(p, 'q');
    await p.getByRole('dialog').waitFor();
    await onScreen(p, at(room));
    await composer(p).focus();
    await press(p, '↑');
    await p.getByRole('dialog', { name: /^Edit/ }).waitFor();
});

test('every key of the tree, the timeline and the history does something', async () => {
    const reply = async p => {
        for (const key of ['j', 'j']) await press(p, key);
    };
    await act(at(room, '?view=tree'), screens.tree.Tree, { ready: reply, before: { c: ['k'], '→': ['k'] } });
    const run = p => p.locator('[data-lane="main.2"]').focus();
    const lane = { ready: run, before: { '←': ['→'], 'Shift →': ['Shift ←'] } };
    await act(at(room, '?view=timeline'), screens.timeline.Timeline, lane);
    const older = { '→': ['←'], k: ['j'], Enter: ['j'], Space: ['j'] };
    await act(at(room, '?view=history'), screens.history.History, { before: older });
}, 180000);

test('every key of the inbox and of the search does something', async () => {
    for (const word of ['one', 'two', 'three']) await causes(room, 'lead', `brief ${word}`, 'briefing');
    const second = async p => {
        await p.locator('.inbox-row').nth(1).waitFor();
        for (const key of ['j', 'j']) await press(p, key);
    };
    const inbox = { ready: second, before: { j: ['k'], '↓': ['k'], z: ['u'] } };
    await act('/inbox', screens.inbox.Inbox, inbox);
    const found = async p => {
        await p.locator('[id^=hit-]').nth(1).waitFor();
        await press(p, 'j');
        await press(p, 'j');
    };
    const search = { ready: found, before: { j: ['k'], '↓': ['k'] } };
    await act(`/search?q=hello&w=${room.name}`, screens.search.Search, search);
}, 180000);

test('every key of agents, an agent and the settings does something', async () => {
    await act(screens.agents.to(room), screens.agents.Agents);
    await act(screens.agent.to(room), screens.agent.Agent);
    await act('/settings/models', anywhere, { except: ['m'] });
}, 120000);

finish();
