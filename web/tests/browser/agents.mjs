// agents.mjs: the agents of a world, and everything about one of them.
import { allow, arrives, assert, finish, open, test, until } from './kit.mjs';
import { causes, does, fits, office, sound, startOffice } from './office.mjs';

const server = await startOffice();
const agents = w => `/w/${w.name}/agents`;
const agent = (w, name, tab) => `/w/${w.name}/a/${name}${tab ? `?tab=${tab}` : ''}`;
const row = (p, name) => p.locator('.agents-table tbody tr', { hasText: `@${name}` });
const get = (w, name) => server.get(`${w.path}/agents/${name}`);

test('the table shows who there is; a new agent is made, and what is wrong stands at its field', async () => {
    const w = await office(server);
    const p = await open(server, agents(w));
    allow(p, /400/);
    await row(p, 'lead').getByText('idle').waitFor();
    await row(p, 'lead').getByText('demo/scripted', { exact: true }).waitFor();
    await server.ask('PATCH', `${w.path}/agents/lead`, { model: null });
    await row(p, 'lead').getByText('demo/scripted (default)').waitFor();
    await p.getByRole('button', { name: '+ Agent' }).click();
    const form = p.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name' }).fill('X Y');
    await form.getByRole('button', { name: 'Create agent' }).click();
    await form
        .locator('.field-bad')
        .getByText(/character that names may not have/)
        .waitFor();
    await until(
        p,
        'the field is at hand',
        () => document.activeElement?.getAttribute('aria-invalid') === 'true',
    );
    await form.getByRole('textbox', { name: 'Name' }).fill('kim');
    await form.getByText('Tools, temperature, thinking, timer').click();
    await form.getByRole('textbox', { name: 'Temperature' }).fill('9');
    await form.getByRole('button', { name: 'Create agent' }).click();
    await form
        .locator('.field-bad')
        .getByText(/from 0 to 2/)
        .waitFor();
    await form.getByRole('textbox', { name: 'Temperature' }).fill('0.5');
    await form.getByRole('combobox', { name: 'Thinks' }).selectOption('low');
    await form.getByRole('textbox', { name: 'Stops at' }).fill('END');
    await form.getByRole('textbox', { name: 'JSON schema' }).fill('{"type": "nonsense"}');
    await form.getByRole('button', { name: 'Create agent' }).click();
    await form
        .locator('.field-bad')
        .getByText(/must be null, boolean/)
        .waitFor();
    await form.getByRole('textbox', { name: 'JSON schema' }).fill('{"type": "object"}');
    await form.getByRole('textbox', { name: 'Looks for work every' }).fill('15m');
    await form.getByRole('combobox', { name: 'Reports to' }).selectOption('lead');
    await form.getByRole('combobox', { name: 'Model', exact: true }).selectOption('demo/scripted');
    await sound(p);
    await form.getByRole('button', { name: 'Create agent' }).click();
    await form.waitFor({ state: 'detached' }); // the row is there as soon as the agent is, its timer may come later
    await row(p, 'kim').waitFor();
    const made = await get(w, 'kim');
    assert.deepEqual(
        [
            made.lead,
            made.model,
            made.temperature,
            made.runEvery,
            made.autoReply,
            made.effort,
            made.stop,
            made.schema,
        ],
        ['lead', 'demo/scripted', 0.5, 900000, true, 'low', ['END'], { type: 'object' }],
    );
});

test('what was typed for a new agent is there again when the form was closed, until it is made', async () => {
    const w = await office(server);
    const p = await open(server, agents(w));
    const form = p.getByRole('dialog');
    const begin = () => p.getByRole('button', { name: '+ Agent' }).click();
    const name = form.getByRole('textbox', { name: 'Name' });
    const told = form.getByRole('textbox', { name: 'System prompt' });
    await begin();
    await name.fill('kim');
    await told.fill('You count the beans.');
    await form.getByRole('checkbox', { name: 'Answers messages that name nobody' }).uncheck();
    await p.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await p.reload();
    await row(p, 'lead').waitFor();
    await begin();
    assert.deepEqual([await name.inputValue(), await told.inputValue()], ['kim', 'You count the beans.']);
    await form.getByRole('button', { name: 'Create agent' }).click();
    await row(p, 'kim').waitFor();
    assert.equal((await get(w, 'kim')).autoReply, false);
    await begin();
    assert.deepEqual([await name.inputValue(), await told.inputValue()], ['', '']);
});

test('what is said to an agent that is paused waits: the chat says so, also after a reload, and wakes it', async () => {
    const w = await office(server);
    const p = await open(server, `/w/${w.name}/c/${w.chat}`);
    const mark = p.locator('.frame-list').getByRole('link', { name: /@ada/ });
    const strip = p.getByRole('region', { name: 'Paused agents' });
    const say = async text => {
        await p.locator('#composer textarea').fill(text);
        await p.keyboard.press('Enter');
    };
    // By somebody else: the page is told.
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    await mark.getByText('paused').waitFor();
    assert.equal(await strip.count(), 0, 'nothing waits yet');
    await p.reload();
    await mark.getByText('paused').waitFor();
    await server.post(`${w.path}/agents/ada/resume`, undefined, 200);
    await mark.getByText('idle').waitFor();
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    await mark.getByText('paused').waitFor();
    await say('@ada one');
    await strip.getByText('@ada is paused; your message waits.').waitFor();
    const left = e => e.boundingBox().then(box => Math.round(box.x));
    assert.equal(
        await left(strip.locator('li')),
        await left(p.locator('.chat-box')),
        'it begins as the box does',
    );
    await say('@ada two');
    await strip.getByText('@ada is paused; 2 messages wait.').waitFor();
    await p.reload();
    await strip.getByText('@ada is paused; 2 messages wait.').waitFor();
    await strip.getByRole('button', { name: 'Wake ada' }).click();
    await until(p, 'both are answered', () => document.body.textContent.split('ada heard human.').length > 2);
    await strip.waitFor({ state: 'detached' });
    assert.equal((await get(w, 'ada')).paused, false);
});

test('an agent is paused, resumed, woken, changed, and removed with what stays said first', async () => {
    const w = await office(server);
    const p = await open(server, agent(w, 'lead', 'settings'));
    await p.getByRole('button', { name: 'Pause', exact: true }).click();
    await p.getByText('@lead is paused. It starts no new work until you resume it.').first().waitFor();
    assert.equal((await get(w, 'lead')).paused, true);
    await p.getByRole('button', { name: 'Resume', exact: true }).click();
    await until(p, 'it is resumed', () =>
        [...document.querySelectorAll('button')].some(b => b.textContent === 'Pause'),
    );
    assert.equal((await get(w, 'lead')).paused, false);
    await p.getByRole('textbox', { name: 'System prompt' }).fill('You plan.');
    await p.getByRole('button', { name: 'Save' }).click();
    await p.getByText('@lead was changed.').first().waitFor();
    assert.equal((await get(w, 'lead')).systemPrompt, 'You plan.');
    await p.getByRole('button', { name: 'Remove @lead…' }).click();
    await p.getByRole('dialog').getByText('Its messages and briefings stay.').waitFor();
    await p.getByRole('dialog').getByText('@ada has no lead then, until you choose another.').waitFor();
    await p.getByRole('dialog').getByRole('button', { name: 'Remove @lead', exact: true }).click();
    await until(
        p,
        'it is gone',
        () =>
            location.pathname.endsWith('/agents') &&
            !document.querySelector('.agents-table')?.textContent.includes('@lead'),
    );
    assert.equal((await get(w, 'ada')).lead, null);
});

test('background work is read only and live, with tools folded and ways to what came of it', async () => {
    const w = await office(server);
    const made = await causes(w, 'lead', 'brief the freeze', 'briefing');
    await w.idle();
    const p = await open(server, agent(w, 'lead'));
    await p.getByText('read only').waitFor();
    await p.getByText('◉ live').waitFor();
    await p.getByText('session 1').waitFor();
    const tools = p.locator('.background-tools').first();
    await tools.locator('> summary').getByText('1 tool call').waitFor();
    assert.equal(await tools.evaluate(e => e.open), false);
    await tools.locator('> summary').click();
    await tools.getByText('create_inbox_item').waitFor();
    assert.equal(await p.locator('.background-outcome a').first().getAttribute('href'), `/inbox/${made.id}`);
    assert.equal(
        await p.locator('.background-outcome a').nth(1).getAttribute('href'),
        `/w/${w.name}/c/${made.chatId}#m-${made.messageId}`,
    );
    await does(w, 'lead', 'say something new');
    await p.getByText('say something new').first().waitFor();
    await p.getByText('session 2').waitFor();
    for (const name of ['Pause agent', 'Wake now', 'Stop this session'])
        await p.getByRole('button', { name }).waitFor();
    assert.equal(await p.locator('.agent-background textarea').count(), 0);
});

test('the panel says whom it reports to, how full its context is, and when it runs next', async () => {
    const w = await office(server, ['lead', { name: 'ada', lead: 'lead', runEvery: '2h' }], { compactAt: 4 });
    await does(w, 'ada', 'one');
    await does(w, 'ada', 'two');
    const p = await open(server, agent(w, 'ada'));
    const panel = p.locator('.agent-panel').last();
    await panel.getByRole('link', { name: '@lead' }).waitFor();
    await panel.getByText(/every 2 h/).waitFor();
    await panel.getByText(/tokens, \d+ of 4 messages/).waitFor();
    await panel.getByRole('button', { name: 'Inspect context' }).click();
    await p.getByRole('dialog').getByText('What a model would be sent now').waitFor();
});

test('a first message begins its own conversation', async () => {
    const w = await office(server);
    const p = await open(server, agent(w, 'ada', 'chat'));
    await p.getByText('You have not talked with @ada alone.').waitFor();
    await p.getByRole('textbox', { name: 'Message to @ada' }).fill('Good day');
    await p.getByRole('button', { name: 'Send to @ada' }).click();
    await until(p, 'the conversation is open', () => location.pathname.includes('/c/'));
    const [chat] = (await server.get(`${w.path}/agents/ada/conversations?mode=foreground`)).data;
    await arrives(p, `/w/${w.name}/c/${chat.id}`);
    await w.idle();
    await p.goto(new URL(agent(w, 'ada', 'chat'), server.url).href);
    assert.equal(
        await p.getByRole('link', { name: 'Open the conversation' }).getAttribute('href'),
        `/w/${w.name}/c/${chat.id}`,
    );
});

test('memory is shown, cleared, and brought back', async () => {
    const w = await office(server);
    await w.converse('remember me');
    const before = (await server.get(`${w.path}/agents/ada/memory?chatId=${w.chat}`)).data.length;
    assert.ok(before > 1);
    const p = await open(server, agent(w, 'ada', 'memory'));
    await p.getByText(`${before} messages remembered`).waitFor();
    await p.getByRole('button', { name: 'Clear…' }).click();
    await p.getByRole('dialog').getByText('You can undo this').waitFor();
    await p
        .getByRole('dialog')
        .getByRole('button', { name: `Clear ${before} messages` })
        .click();
    await p.getByText('@ada remembers nothing of this conversation.').waitFor();
    assert.equal((await server.get(`${w.path}/agents/ada/memory?chatId=${w.chat}`)).data.length, 0);
    await p.getByRole('button', { name: 'Undo' }).first().click();
    await p.getByText(`${before} messages remembered`).waitFor();
    assert.equal((await server.get(`${w.path}/agents/ada/memory?chatId=${w.chat}`)).data.length, before);
});

test('tasks are given, done, cancelled and restarted; knowledge is found', async () => {
    const w = await office(server);
    const p = await open(server, agent(w, 'ada', 'tasks'));
    await p.getByRole('textbox', { name: 'New task for @ada' }).fill('keep in mind');
    await p.getByRole('button', { name: 'Give task' }).click();
    await p.locator('.task-row', { hasText: 'keep in mind' }).getByText('✓ done').waitFor();
    // One that asks its lead waits, with its question, and goes on with the answer.
    await server.post(`${w.path}/agents/lead/pause`, undefined, 200);
    await server.post(`${w.path}/agents/ada/tasks`, { content: 'ask the person' });
    const asks = p.locator('.task-row', { hasText: 'ask the person' });
    await asks.getByText('◐ waits for @lead').waitFor();
    await asks.getByText('Which time zone?').waitFor();
    await server.post(`${w.path}/agents/lead/resume`, undefined, 200);
    await asks.getByText('✓ done').waitFor();
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const task = await server.post(`${w.path}/agents/ada/tasks`, { content: 'never mind' });
    await p.getByRole('button', { name: 'Cancel: never mind' }).click();
    await p.locator('.task-row', { hasText: 'never mind' }).getByText('cancelled').waitFor();
    assert.equal((await server.get(`${w.path}/tasks/${task.id}`)).status, 'cancelled');
    await p.getByRole('button', { name: 'Retry: never mind' }).click();
    await p.locator('.task-row', { hasText: 'never mind' }).getByText('◌ waits').waitFor();
    assert.equal((await server.get(`${w.path}/tasks/${task.id}`)).status, 'pending');
    await p.getByRole('tab', { name: 'Knowledge' }).click();
    await p.getByText('The freeze ends at noon').waitFor();
    await p.getByText('80 % sure').waitFor();
    await p.getByRole('searchbox', { name: 'Find' }).fill('nothing');
    await p.getByText('No note contains "nothing".').waitFor();
});

test('a world without agents says so, and a demo team can be made', async () => {
    const w = await office(server, []);
    const p = await open(server, agents(w));
    await p.getByText('No agents. Nobody answers in this world yet.').waitFor();
    await p.getByRole('button', { name: 'Use the demo team' }).click();
    await row(p, 'bo').waitFor();
    assert.deepEqual(
        (await server.get(`${w.path}/agents`)).data.map(a => [a.name, a.lead]),
        [
            ['lead', null],
            ['ada', 'lead'],
            ['bo', 'lead'],
        ],
    );
});

for (const theme of ['light', 'dark'])
    test(`nothing is wrong for axe, in ${theme}, and nothing is too wide`, async () => {
        const w = await office(server);
        await causes(w, 'lead', 'brief the freeze', 'briefing');
        await w.converse('hello');
        for (const [width, height] of [
            [1280, 800],
            [390, 844],
            [320, 640],
        ]) {
            const p = await open(server, agents(w), { theme, width, height });
            await row(p, 'lead').waitFor();
            await fits(p, `agents at ${width}`);
            if (width !== 320) await sound(p);
            for (const tab of [
                'background',
                'chat',
                'memory',
                'tasks',
                'knowledge',
                'settings',
                'activity',
            ]) {
                await p.goto(new URL(agent(w, 'lead', tab), server.url).href);
                await p.locator('#agent-tab > section').waitFor();
                await until(p, 'it is loaded', () => !document.querySelector('.loading'));
                await fits(p, `${tab} at ${width}`);
                if (width !== 320) await sound(p);
            }
            await p.close();
        }
    }, 180000);

await finish();
