// settings.mjs: providers and their keys, what this browser likes, data, and the card of the first run.
import http from 'node:http';
import {
    Server,
    address,
    allow,
    assert,
    finally_,
    finish,
    folder,
    open,
    page,
    test,
    until,
    visit,
} from './kit.mjs';
import fs from 'node:fs';
import path from 'node:path';
import { file, fits, office, sound, startOffice } from './office.mjs';

const server = await startOffice();
const key = 'sk-planted-page-key-4711';

// A provider that takes one key, and answers 401 to all others.
const asked = [];
const fake = http.createServer((req, res) => {
    const given = req.headers.authorization ?? '';
    asked.push(given);
    res.setHeader('content-type', 'application/json');
    if (given !== `Bearer ${key}`) {
        res.statusCode = 401;
        return res.end(JSON.stringify({ error: { message: 'Incorrect API key provided' } }));
    }
    return res.end(
        JSON.stringify({
            object: 'list',
            data: [
                { id: 'big', object: 'model' },
                { id: 'small', object: 'model' },
            ],
        }),
    );
});
await new Promise(resolve => fake.listen(0, '127.0.0.1', resolve));
finally_(() => fake.close());
const base = `http://127.0.0.1:${fake.address().port}/v1`;
const provider = (p, name) => p.locator(`[data-provider="${name}"]`);

async function add(p, name, secret, address = base) {
    await p.getByRole('button', { name: '+ Provider' }).click();
    const form = p.getByRole('dialog');
    await form.getByRole('combobox', { name: 'Kind' }).selectOption('openai-compatible');
    await form.getByRole('textbox', { name: 'Name' }).fill(name);
    await form.getByRole('textbox', { name: 'Address' }).fill(address);
    await form.getByLabel('Key', { exact: true }).fill(secret);
    await form.getByRole('button', { name: 'Add', exact: true }).click();
}
// Nothing of a key is left in the page or in what the browser stores.
async function forgotten(p, secret) {
    const kept = await p.evaluate(
        () =>
            document.documentElement.outerHTML +
            JSON.stringify({ ...localStorage }) +
            JSON.stringify({ ...sessionStorage }) +
            [...document.querySelectorAll('input')].map(i => i.value).join(' '),
    );
    assert.ok(!kept.includes(secret), 'the key is still in the page');
}

test('a provider is added with a pasted key that is never shown again, tested, and removed', async () => {
    const p = await open(server, '/settings/models');
    await add(p, 'officeone', key);
    await provider(p, 'officeone').getByText('key …4711').waitFor();
    await forgotten(p, key);
    await provider(p, 'officeone').getByRole('button', { name: /^Test/ }).click();
    await provider(p, 'officeone')
        .getByText(/answered in \d+ ms, 2 models/)
        .waitFor();
    assert.ok(asked.includes(`Bearer ${key}`));
    // That it is there and has models changes nobody's model; picking one does.
    const answering = async () =>
        (await server.get('/providers')).data.find(x => x.defaultModel).defaultModel;
    assert.equal(await answering(), 'demo/scripted');
    await provider(p, 'demo').getByText('default: demo/scripted').waitFor();
    await p.getByRole('combobox', { name: 'Default model' }).selectOption('officeone/small');
    await p.getByText('Origin: changed here').waitFor();
    assert.equal((await server.get('/settings')).preferences['defaults.model'], 'officeone/small');
    assert.equal(await answering(), 'officeone/small');
    await provider(p, 'officeone').getByText('default: officeone/small').waitFor();
    await p.getByRole('button', { name: 'Reset' }).click();
    await p.getByText('Origin: default').waitFor();
    await provider(p, 'officeone')
        .getByRole('button', { name: /^Remove/ })
        .click();
    await p.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await provider(p, 'officeone').waitFor({ state: 'detached' });
    assert.ok(!(await server.get('/providers')).data.some(x => x.name === 'officeone'));
});

test('a provider that nobody has asked is not marked as one that answers, and one that is dead says why', async () => {
    const far = { name: 'faraway', type: 'openai-compatible', baseUrl: 'https://llm.example.org/v1' };
    await server.post('/providers', far);
    await server.post('/providers', { ...far, name: 'deadhere', baseUrl: 'http://127.0.0.1:9/v1' });
    const p = await open(server, '/settings/models');
    allow(p, /502/); // the list of models of the dead one
    await provider(p, 'faraway').getByText('not tried yet').waitFor();
    assert.equal(await provider(p, 'faraway').locator('.provider-shape').textContent(), '○');
    await provider(p, 'deadhere').getByRole('button', { name: /^Test/ }).click();
    await provider(p, 'deadhere').locator('.provider-about .provider-error').waitFor();
    for (const name of ['faraway', 'deadhere'])
        await server.ask('DELETE', `/providers/${name}`, undefined, 204);
});

test('on a phone each part says how it stands, and the one that is picked comes into view under its name', async () => {
    const p = await open(server, '/settings/models', { width: 390, height: 640 });
    const nav = p.getByRole('navigation', { name: 'Parts of the settings' });
    await nav.getByRole('link', { name: 'Security this computer' }).waitFor();
    const { version } = await server.get('/version');
    await nav.getByRole('link', { name: `About ${version}` }).waitFor();
    await nav.getByRole('link', { name: /^Models \S/ }).waitFor();
    await nav.getByRole('link', { name: 'About' }).click();
    const title = p.getByRole('heading', { name: 'About', exact: true });
    await title.waitFor();
    await until(p, 'its name is at the top', () => {
        const at = document.querySelector('.settings-title').getBoundingClientRect().top;
        return at >= 0 && at < 120;
    });
    await fits(p, 'About at 390');
});

test('a key that is refused says so, and a new one mends it', async () => {
    const p = await open(server, '/settings/models');
    allow(p, /502/); // the list of its models, with the wrong key
    await add(p, 'officetwo', 'sk-wrong-0000');
    await provider(p, 'officetwo').getByRole('button', { name: /^Test/ }).click();
    await provider(p, 'officetwo')
        .locator('.provider-tested')
        .getByText(/401|not valid|key/i)
        .waitFor();
    await until(
        p,
        'it is marked as failed',
        () => document.querySelector('[data-provider=officetwo] .provider-shape')?.textContent === '✕',
    );
    await forgotten(p, 'sk-wrong-0000');
    await provider(p, 'officetwo')
        .getByRole('button', { name: /^New key/ })
        .click();
    await p.getByRole('dialog').getByLabel('Key', { exact: true }).fill(key);
    await p.getByRole('dialog').getByRole('button', { name: 'Save the key' }).click();
    await p.getByText('officetwo has a new key.').first().waitFor();
    await provider(p, 'officetwo').getByRole('button', { name: /^Test/ }).click();
    await provider(p, 'officetwo')
        .getByText(/answered in \d+ ms, 2 models/)
        .waitFor();
    await forgotten(p, key);
    // The page may be asking for its models.
    await p.close();
    await server.ask('DELETE', '/providers/officetwo', undefined, 204);
});

test('what is wrong with a provider stands at its field, and nothing is made', async () => {
    const p = await open(server, '/settings/models');
    allow(p, /400/);
    await add(p, 'Not A Name', key);
    await p
        .getByRole('dialog')
        .locator('.field-bad')
        .getByText(/character/)
        .waitFor();
    await p.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('officethree');
    await p.getByRole('dialog').getByRole('textbox', { name: 'Address' }).fill('ftp://example.org');
    await p.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
    await p
        .getByRole('dialog')
        .locator('.field-bad')
        .getByText(/http or https/)
        .waitFor();
    await p.getByRole('dialog').getByRole('textbox', { name: 'Address' }).fill('https://llm.example.org/v1');
    await p
        .getByRole('dialog')
        .getByText('Your messages and those of agents will be sent to llm.example.org.')
        .waitFor();
    await p.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await forgotten(p, key);
    assert.ok(!(await server.get('/providers')).data.some(x => x.name === 'officethree'));
});

test('the limit of a world is set and taken away', async () => {
    const w = await office(server);
    const p = await open(server, `/w/${w.name}`);
    await p.goto(new URL('/settings/models', server.url).href);
    allow(p, /400/);
    const limit = p.getByRole('textbox', { name: /^Monthly limit of/ });
    const name = /of (\S+),/.exec(await p.locator('.settings-limit label').textContent())[1];
    await limit.fill('a lot');
    await p.locator('.settings-limit').getByRole('button', { name: 'Save' }).click();
    await p.locator('.settings-limit .field-error').waitFor();
    await limit.fill('100 000');
    await p.locator('.settings-limit').getByRole('button', { name: 'Save' }).click();
    await p
        .getByText(/stops at 100.000 tokens a month/)
        .first()
        .waitFor();
    assert.equal((await server.get(`/worlds/${name}`)).settings.monthlyTokens, 100000);
});

test('a key of the environment is used only after consent', async () => {
    const planted = 'sk-env-planted-88ab';
    const s = await Server.start({ script: file, env: { ANTHROPIC_API_KEY: planted } });
    const w = await office(s);
    const p = await open(s, `/w/${w.name}/c/${w.chat}`);
    const card = p.locator('.first-run');
    await card.getByRole('heading', { name: 'Use a real model?' }).waitFor();
    await card.getByText('key found in ANTHROPIC_API_KEY (ends in …88ab)').waitFor();
    await card.getByText('Your messages and those of agents will be sent to api.anthropic.com.').waitFor();
    await sound(p);
    await forgotten(p, planted);
    assert.equal((await s.get('/providers/anthropic')).state, 'unused');
    await card.getByRole('button', { name: 'Stay with the scripted demo' }).click();
    await card.waitFor({ state: 'detached' });
    await p.reload();
    await p.locator('#composer').waitFor();
    assert.equal(await card.count(), 0);
    assert.equal((await s.get('/providers/anthropic')).state, 'unused');
    await p.goto(new URL('/settings/models', s.url).href);
    await provider(p, 'anthropic').getByText('not in use: nothing is sent').waitFor();
    await provider(p, 'anthropic').getByRole('button', { name: /^Use/ }).click();
    allow(p, /502|Failed to load/);
    await p.getByRole('dialog').getByRole('button', { name: 'Use Anthropic' }).click();
    await until(
        p,
        'it is in use',
        () =>
            document.querySelector('[data-provider=anthropic]')?.textContent.includes('not in use') === false,
    );
    assert.notEqual((await s.get('/providers/anthropic')).state, 'unused');
});

test('the look of the page follows at once, and stays after a reload', async () => {
    const p = await open(server, '/settings/appearance');
    const root = name => p.evaluate(n => document.documentElement.getAttribute(n), name);
    await p.getByRole('radio', { name: 'Dark' }).check();
    assert.equal(await root('data-theme'), 'dark');
    await p.getByRole('radio', { name: 'More' }).check();
    await p.getByRole('checkbox', { name: 'Calm mode' }).check();
    await p.getByRole('radio', { name: 'Larger' }).check();
    await p.reload();
    await p.getByRole('radio', { name: 'Dark' }).waitFor();
    assert.deepEqual(
        [await root('data-theme'), await root('data-contrast'), await root('data-calm')],
        ['dark', 'more', ''],
    );
    assert.equal(await p.evaluate(() => getComputedStyle(document.documentElement).fontSize), '20px');
});

test('single keys are switched off, a key is changed, and a clash is shown', async () => {
    const p = await open(server, '/settings/keyboard');
    await p.getByRole('button', { name: 'Change the keys of Inbox' }).click();
    await p.keyboard.press('?');
    await p.getByRole('alert').filter({ hasText: 'Also used by: Keys of this screen' }).waitFor();
    await p.getByRole('button', { name: 'Again' }).click();
    await p.keyboard.press('Shift+I');
    await p.getByRole('button', { name: 'Use it' }).click();
    await p.locator('.keys-rows li', { hasText: 'Inbox' }).first().getByText('Shift i').waitFor();
    await p.keyboard.press('Shift+I');
    await until(p, 'the new key works', () => location.pathname === '/inbox');
    await p.goBack();
    await p.getByRole('checkbox', { name: 'Single keys act' }).uncheck();
    await p.locator('h1').click();
    await p.keyboard.press('Shift+I');
    await p.keyboard.press('Control+k');
    await p.getByRole('dialog').waitFor();
    assert.equal(new URL(await address(p)).pathname, '/settings/keyboard');
});

test('the browser is asked for notifications on a click only', async () => {
    const p = await page();
    // A browser without windows has nobody to ask, and says no.
    await p.addInitScript(() => {
        globalThis.asked = 0;
        Object.defineProperty(Notification, 'permission', {
            get: () => (globalThis.asked ? 'granted' : 'default'),
        });
        Notification.requestPermission = () => {
            globalThis.asked++;
            return Promise.resolve('granted');
        };
    });
    await visit(p, server, '/settings/notifications');
    await p.getByText('○ off').waitFor();
    assert.equal(await p.evaluate(() => globalThis.asked), 0);
    await p.getByRole('button', { name: 'Switch on' }).click();
    await p.getByText('● on, only when you are away').waitFor();
    assert.equal(await p.evaluate(() => globalThis.asked), 1);
});

test('a world goes out as a file, and comes back as another world', async () => {
    const s = await startOffice();
    const w = await office(s);
    await w.converse('keep this');
    const p = await open(s, '/settings/data');
    await p.getByRole('combobox', { name: 'World' }).selectOption(w.name);
    const [got] = await Promise.all([
        p.waitForEvent('download'),
        p.getByRole('button', { name: 'Download' }).click(),
    ]);
    const to = path.join(folder, got.suggestedFilename());
    await got.saveAs(to);
    assert.ok(fs.statSync(to).size > 100);
    allow(p, /409/);
    await p.locator('input[type=file]').setInputFiles(to);
    await p.getByText(/already in this store/).waitFor();
    await p.getByText('Nothing was changed.').waitFor();
    const other = await startOffice();
    const q = await open(other, '/settings/data');
    allow(q, /4\d\d/);
    fs.writeFileSync(path.join(folder, 'noise.bin'), 'this is not an archive');
    await q.locator('input[type=file]').setInputFiles(path.join(folder, 'noise.bin'));
    await q.getByText('Nothing was changed.').waitFor();
    await q.locator('input[type=file]').setInputFiles(to);
    await q
        .getByRole('dialog')
        .getByText(/2 agents, 1 conversation/)
        .waitFor();
    await q.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await until(q, 'the world is open', name => location.pathname.startsWith(`/w/${name}`), w.name);
    assert.ok((await other.get('/worlds')).data.some(x => x.name === w.name));
});

test('values say where they come from, and settings are found by their words', async () => {
    const p = await open(server, '/settings/security');
    await p.getByText('This computer only').waitFor();
    await p.locator('tr', { hasText: 'server.listen' }).getByText('option --listen').waitFor();
    await p.getByRole('searchbox', { name: 'Find a setting' }).fill('dark');
    await p.getByRole('link', { name: 'Theme' }).click();
    await p.getByRole('radio', { name: 'Dark' }).waitFor();
    await p.goto(new URL('/settings/about', server.url).href);
    await p.getByText(/Version \d+\.\d+/).waitFor();
});

for (const theme of ['light', 'dark'])
    test(`nothing is wrong for axe, in ${theme}, and nothing is too wide`, async () => {
        for (const [width, height] of [
            [1280, 800],
            [390, 844],
            [320, 640],
        ]) {
            const p = await open(server, '/settings/models', { theme, width, height });
            for (const tab of [
                'models',
                'appearance',
                'keyboard',
                'notifications',
                'data',
                'security',
                'about',
            ]) {
                await p.goto(new URL(`/settings/${tab}`, server.url).href);
                await p.locator('.settings-tab > *').nth(1).waitFor();
                await fits(p, `${tab} at ${width}`);
                if (width !== 320) await sound(p);
            }
            await p.close();
        }
    }, 180000);

await finish();
