// chat_tour.mjs: the five steps of the tour, played in "skein chat": each does what its text says, also the second time.
import path from 'node:path';
import { assert, Server, finally_, finish, folder, test } from '../server/lib.mjs';
import { Terminal } from './screen.mjs';

const program = path.resolve(process.env.SKEIN);
const server = await Server.start({});
const t = new Terminal([program, ...server.store.args, 'chat'], { rows: 60, env: { XDG_STATE_HOME: path.join(folder, 'state') } });
finally_(() => t.kill());
const chat = () => server.get('/worlds').then(all => all.data[0].currentChatId);
const rows = async () => (await server.get(`/worlds/tour/chats/${await chat()}/messages?limit=500`)).data;

// What stands on the screen since then, once it fits and nobody is at work.
async function since(from, what) {
    const fits = new RegExp(`${what.source}[^]*lead ○ ada ○ bo ○[^\\n]*\\n›$`);
    const later = text => text.split('\n').slice(from).join('\n');
    return later(await t.shows({ test: text => fits.test(later(text)) }));
}
async function play(line, what) {
    await since(0, /leaves\./);
    const from = t.screen.text.split('\n').length - 3;
    t.type(`${line}\r`);
    return since(from, what);
}

for (const time of [1, 2]) {
    test(`1: everybody says hello (time ${time})`, async () => {
        const seen = await play('1', /you › 1 [^]*Good day from @bo/);
        assert.match(seen, /Hello! I am @lead[^]*/);
        assert.match(seen, /Hi from @ada/);
    });

    test(`2: a delegation within a delegation, by the names that it has (time ${time})`, async () => {
        const seen = await play('@lead 2', /Done: the script settles/);
        assert.match(seen, new RegExp(`┌ main\\.${time} {2}ada [^]*▸ main\\.${time}\\.1 {2}bo `));
        const said = seen.slice(seen.indexOf('Done:')).replaceAll(/\s+/g, ' ');
        assert.doesNotMatch(said, /\((main[\d.]+)\)/, 'it names a delegation of another time');
        assert.match(said, /skein\s+timeline,\s+then\s+skein\s+show\s+main\.1/);
        await play(`/show main.${time}`, /Friday/);
    });

    test(`3: a message is edited and that taken back (time ${time})`, async () => {
        await play('@lead 3', /Take\s+that\s+back:[^]*skein\s+undo/);
        const before = await rows();
        const own = before.findLast(m => m.sender === 'human');
        await play(`/edit ${own.messageId} @lead how do I undo this?`, /Now at v\d+[^]*you › @lead how do I undo[^]*skein undo/);
        await play('/undo', /Took back/);
        assert.deepEqual((await rows()).map(m => m.messageId), before.map(m => m.messageId));
    });

    test(`4: messages are squashed, by a model or by hand (time ${time})`, async () => {
        await play('@lead 4', /Squashing puts[^]*In a\s+terminal:\s+skein\s+history,\s+skein\s+undo/);
        const before = await rows();
        const [a, b] = before.slice(-2).map(m => m.messageId);
        await play(`/squash ${a} ${b} "what they said"`, /v\d+ → v\d+|Now at v\d+|squash/);
        assert.equal((await rows()).length, before.length - 1);
        await play('/undo', /Took back/);
        assert.deepEqual((await rows()).map(m => m.messageId), before.map(m => m.messageId));
    });

    test(`5: work in the background ends with a briefing in the inbox (time ${time})`, async () => {
        await play('@lead 5', /inspect\s+ada --follow/);
        await t.shows(new RegExp(`· inbox ${time}\\n›$`));
        await play('/inbox', /BRIEFINGS AND NEWS[^]*The tour worked/);
        await play('/inspect ada', /demo_lookup/);
    });
}

test('and all of it is over', async () => {
    t.type('\x04');
    assert.equal(await t.end(), 0);
});

await finish();
