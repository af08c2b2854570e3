// narrow.mjs: at 320 px (and with larger letters) every part of the settings is read without scrolling sideways, and no label is cut.
import { allow, assert, finish, onMessage, page, settled, test, visit } from './kit.mjs';
import { office, startOffice } from './office.mjs';

const server = await startOffice();
const w = await office(server);
await w.converse('hello');
await server.post('/providers', {
    name: 'a-provider-with-a-rather-long-name',
    type: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/a/rather/long/path/that/does/not/break/v1',
});

// What stands outside of the column or window, scrolls sideways, or is cut off.
const cut = (p, inside) =>
    p.evaluate(selector => {
        const whole = document.querySelector(selector);
        const edge = whole.getBoundingClientRect();
        const name = e => `${e.tagName.toLowerCase()}.${e.className} "${e.textContent.trim().slice(0, 40)}"`;
        const pen = document.createElement('canvas').getContext('2d');
        const needs = select => {
            const style = getComputedStyle(select);
            pen.font = style.font;
            const text = pen.measureText(select.selectedOptions[0]?.label ?? '').width;
            return text + Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight);
        };
        return [...whole.querySelectorAll('*')].flatMap(e => {
            if (!e.checkVisibility({ visibilityProperty: true }) || e.closest('.visually-hidden')) return [];
            const box = e.getBoundingClientRect();
            const out = box.width > 0 && (box.right > edge.right + 1 || box.left < edge.left - 1);
            const scrolls = getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1;
            const short = e.matches('select') && needs(e) > e.clientWidth;
            return [
                ...(out ? [`outside: ${name(e)}`] : []),
                ...(scrolls && !e.matches('input, select') ? [`too wide inside: ${name(e)}`] : []),
                ...(short ? [`cut: ${e.selectedOptions[0]?.label}`] : []),
            ];
        });
    }, inside);

const tabs = ['Models', 'Appearance', 'Keyboard', 'Notifications', 'Data', 'Security', 'About'];

// The settings are reached from a conversation: its keys are listed with the others.
async function settings(textSize) {
    const p = await page({ width: 320, height: 640 });
    allow(p, /502/);
    await visit(p, server, '/settings/about');
    await p.evaluate(
        size => localStorage.setItem('skein.prefs', JSON.stringify({ textSize: size })),
        textSize,
    );
    await visit(p, server, `/w/${w.name}/c/${w.chat}`);
    await onMessage(p);
    await p.keyboard.press('m');
    return p;
}

for (const textSize of ['normal', 'larger'])
    test(`nothing of the settings is cut or scrolls sideways at 320 px, with ${textSize} letters`, async () => {
        const p = await settings(textSize);
        for (const tab of tabs) {
            await p.locator('.settings-nav a', { hasText: tab }).click();
            await p.locator('.settings-tab > *').nth(1).waitFor();
            if (tab === 'Keyboard')
                await p.getByText('Make the version before this message current').waitFor();
            if (tab === 'Data') await p.getByRole('combobox', { name: 'As' }).waitFor();
            await settled(p);
            assert.deepEqual(await cut(p, '#main'), [], tab);
        }
        await p.locator('.settings-nav a', { hasText: 'Models' }).click();
        await p.getByRole('button', { name: '+ Provider' }).click();
        await p.getByRole('dialog').waitFor();
        await settled(p);
        assert.deepEqual(await cut(p, 'dialog[open]'), [], 'the form of a provider');
    }, 120000);

const LONGEST = 'name'.repeat(16);

// Parts of the top bar whose words stand over their neighbour, and names that leave the table they are in.
const astray = p =>
    p.evaluate(() => {
        const bar = [...document.querySelector('.frame-top').children];
        const over = e => getComputedStyle(e).overflowX === 'visible' && e.scrollWidth > e.clientWidth + 1;
        const edge = document.querySelector('#main').getBoundingClientRect().right;
        const out = e => e.getBoundingClientRect().right > edge + 1;
        const names = [...document.querySelectorAll('.agents-table th, .agents-table td')];
        return [
            ...bar.filter(over).map(e => `stands over its neighbour: ${e.className}`),
            ...names.filter(e => e.checkVisibility() && out(e)).map(e => `outside: "${e.textContent}"`),
            ...(document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : []),
        ];
    });

for (const width of [1280, 390, 320])
    test(`the longest names stay in their places at ${width} px`, async () => {
        const world = await office(server, [{ name: LONGEST }, { name: 'bo' }]);
        const { id } = await server.post(`${world.path}/chats`, { title: LONGEST.repeat(2) });
        await server.post(`${world.path}/messages`, { content: 'hello', chatId: id }, 202);
        await world.idle();
        const p = await page({ width, height: 640 });
        for (const [to, shows] of [
            [`c/${id}`, `article:has-text("${LONGEST} heard")`],
            [`c/${id}?view=tree`, '.tree-row >> nth=1'],
            [`c/${id}?view=timeline`, '.timeline-row >> nth=1'],
            [`c/${id}?view=history`, 'text=v1'],
            ['agents', '.agents-table th >> text=@bo'],
            [`a/${LONGEST}`, `text=@${LONGEST}`],
        ]) {
            await visit(p, server, `/w/${world.name}/${to}`);
            await p.locator(shows).first().waitFor();
            if (to.endsWith('tree') && width === 1280) await p.getByText('Who answers whom').waitFor();
            await settled(p);
            assert.deepEqual(await astray(p), [], to);
        }
    }, 120000);

finish();
