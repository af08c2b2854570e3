// marks.mjs: what an agent or a conversation is at is one fact: every screen shows it with the same shape and word.
import { assert, finish, open, test, until, visit } from './kit.mjs';
import { causes, office, startOffice } from './office.mjs';

const server = await startOffice({ delay: true });

// lead has a question for the person, ada could not answer, bo writes for ten minutes, and dee does so in its background.
async function atWork() {
    const w = await office(server, ['lead', 'ada', 'bo', 'cy', 'dee']);
    const talk = async (title, content) => {
        const { id } = await server.post(`${w.path}/chats`, { title });
        if (content) await w.say(content, { chatId: id });
        return id;
    };
    await causes(w, 'lead', 'ask the person', 'question');
    await server.post(`${w.path}/agents/dee/tasks`, { content: 'hold' });
    const chats = {
        failing: await talk('Failing', '@ada break'),
        writing: await talk('Writing', '@bo hold'),
        quiet: await talk('Quiet'),
    };
    return { w, chats };
}

// The list beside a screen comes to say this of the rows of a part: { Failing: '✕ failed', … }.
async function says(p, part, rows, screen) {
    const listed = ([name, wanted]) => {
        const text = (e, s) => e.querySelector(s)?.textContent.trim() ?? '';
        const found = [...document.querySelectorAll(`.list-section[aria-label="${name}"] .list-row`)].map(
            e => [
                text(e, '.list-title'),
                `${text(e, '.mark-shape')} ${text(e, '.mark-word, .mark .visually-hidden')}`,
            ],
        );
        const all = Object.fromEntries(found.filter(([title]) => title in wanted));
        globalThis.listed = all;
        return Object.keys(wanted).every(title => all[title] === wanted[title]);
    };
    await until(p, `${part} beside ${screen}`, listed, [part, rows]).catch(async error =>
        assert.deepEqual(await p.evaluate(() => globalThis.listed), rows, error.message),
    );
}

test('the list says the same about agents and conversations beside every screen, however it was come to', async () => {
    const { w, chats } = await atWork();
    const p = await open(server, `/w/${w.name}/c/${chats.failing}`);
    const wanted = {
        Agents: {
            '@lead': '◐ asks you',
            '@ada': '✕ failed',
            '@bo': '● writing',
            '@cy': '○ idle',
            '@dee': '◌ background',
        },
        Conversations: { Failing: '✕ failed', Writing: '● working', Quiet: '○ idle' },
    };
    const chat = `/w/${w.name}/c/${chats.quiet}`;
    const screens = [
        `/w/${w.name}/c/${chats.failing}`,
        chat,
        ...['tree', 'timeline', 'history'].map(view => `${chat}?view=${view}`),
        `/w/${w.name}/agents`,
        `/w/${w.name}/a/bo`,
        '/inbox',
        '/search?q=hold',
        '/settings/models',
    ];
    for (const screen of screens) {
        await visit(p, server, screen);
        for (const [part, rows] of Object.entries(wanted)) await says(p, part, rows, screen);
    }
});

await finish();
