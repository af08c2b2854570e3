// windows.mjs: models that read little: where it is known from how much, that no more is sent, and that a conversation goes on all the same.
import { Server, assert, finish, test } from './lib.mjs';
import { asked } from './desk.mjs';
import { Llama } from './llama.mjs';

const server = await Server.start();
let worlds = 0;
const fresh = (peer, more = {}, agent = {}) => server.world(`window${++worlds}`, [{ name: 'ada', model: peer.model, ...agent }], { compactAt: 1000, ...more });
const words = n => 'some words '.repeat(n);

// --- What is too long ------------------------------------------------------------------------------

for (const kind of ['llama', 'vllm', 'lmstudio'])
    test(`${kind}: a chat that has become longer than its window is summarised and goes on`, async () => {
        const peer = await Llama.open(server, { kind, says: q => (q.summary ? 'Short of it.' : 'Yes.') });
        const w = await fresh(peer);
        for (const text of ['one', 'two', words(900)]) await w.converse(text);
        const all = await w.messages();
        assert.deepEqual(all.filter(m => m.role !== 'system').slice(-1).map(m => [m.role, m.content]), [['assistant', 'Yes.']], JSON.stringify(all.slice(-2)));
        for (const call of await asked(w, 'ada', 'turn')) assert.ok(!call.error || /context/.test(call.error), call.error);
    });

await finish();
