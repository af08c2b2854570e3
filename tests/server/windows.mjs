// windows.mjs: models that read little: where it is known from how much, that no more is sent, and that a conversation goes on all the same.
import { Server, assert, finish, test } from './lib.mjs';
import { ended } from './desk.mjs';
import { Llama, tokensOf } from './llama.mjs';

const server = await Server.start();
let worlds = 0;
const fresh = (peer, more = {}, agent = {}) => server.world(`window${++worlds}`, [{ name: 'ada', model: peer.model, ...agent }], { compactAt: 1000, ...more });
const words = n => 'some words '.repeat(n);

// --- Where it is known from ------------------------------------------------------------------------

const context = w => server.get(`${w.chatPath}/context?agent=ada`);
const known = async (peer, w) => {
    const c = await context(w), [m] = (await server.get(`/providers/${peer.name}/models`)).data;
    assert.deepEqual([m.contextWindow, m.windowFrom], [c.window, c.windowFrom], 'both say the same');
    return [c.window, c.windowFrom];
};

for (const [kind, where] of [['llama', '/props'], ['vllm', '/v1/models'], ['lmstudio', '/api/v0/models']])
    test(`${kind} says in ${where} how much its model reads, before it is first asked`, async () => {
        const peer = await Llama.open(server, { kind, window: 6000 });
        const w = await fresh(peer);
        assert.deepEqual(await context(w).then(c => [c.window, c.windowFrom]), [null, null], 'nobody has asked yet');
        await w.converse('hello');
        assert.deepEqual(await known(peer, w), [6000, 'provider']);
        assert.ok(peer.seen.indexOf(where) < peer.seen.indexOf('/v1/chat/completions'), peer.seen.join(' '));
        const once = peer.seen.length;
        await w.converse('hello again');
        assert.equal(peer.seen.length, once + 1, 'it is not asked for that again');
    });

test('a model of Ollama is given the window that is counted with', async () => {
    const peer = await Llama.open(server, { kind: 'ollama' });
    const w = await fresh(peer);
    await w.converse('hello');
    assert.deepEqual(await known(peer, w), [8192, 'provider'], 'not all of what it was made for');
    assert.equal(peer.asked[0].body.options.num_ctx, 8192);
    const set = await Llama.open(server, { kind: 'ollama', parameters: 'num_ctx    5000' });
    const x = await fresh(set);
    await x.converse('hello');
    assert.equal(set.asked[0].body.options.num_ctx, 5000);
    await server.ask('PATCH', `/providers/${set.name}`, { contextWindow: 12000 });
    await x.converse('hello');
    assert.deepEqual([set.asked[1].body.options.num_ctx, ...await known(set, x)], [12000, 12000, 'setting']);
});

test('a window that is set is refused where it is none', async () => {
    const peer = await Llama.open(server, { setting: { contextWindow: 5000 } });
    for (const contextWindow of [1023, -1, 1.5, 'much', 100000001])
        await server.refused('PATCH', `/providers/${peer.name}`, 400, 'validation', { body: { contextWindow } });
    const w = await fresh(peer);
    await w.converse('hello');
    assert.deepEqual(await known(peer, w), [5000, 'setting']);
    await server.ask('PATCH', `/providers/${peer.name}`, { contextWindow: null });
    await w.converse('hello');
    assert.deepEqual(await known(peer, w), [4096, 'provider']);
});

// --- What is sent is counted ------------------------------------------------------------------------

test('the parts of a context are all that is sent, and their sum is its size', async () => {
    const peer = await Llama.open(server, { window: 20000, says: q => (q.last === 'look' ? { text: 'I look.', calls: [{ name: 'demo_lookup', args: { query: 'NVDA' } }] } : 'Yes.') });
    const w = await fresh(peer, {}, { systemPrompt: 'Be brief. '.repeat(100) });
    await w.converse('look');
    const c = await context(w), { parts } = c;
    assert.equal(Object.values(parts).reduce((a, b) => a + b), c.tokens);
    assert.equal(c.fixedTokens, parts.prompt + parts.files + parts.tools);
    for (const part of ['prompt', 'tools', 'results', 'messages']) assert.ok(parts[part] > 0, part);
    assert.deepEqual([parts.files, parts.summary, c.answerTokens], [0, 0, 4096]);
    assert.ok(parts.prompt >= 250, `${parts.prompt}`);
    // What the model itself counts is believed, so that the next question is counted as it counts.
    const last = peer.asked.at(-1);
    assert.ok(c.tokens >= last.tokens && c.tokens < last.tokens * 1.25, `${c.tokens} counted, ${last.tokens} by the model`);
});

// --- What is too long ------------------------------------------------------------------------------

const summaryOf = q => `They said ${tokensOf(q.last)} tokens.`;
const last = async w => (await w.messages()).filter(m => m.role !== 'system' && m.role !== 'summary').at(-1);
const heard = { instructions: [{ type: 'ReadOnly' }] };

for (const kind of ['llama', 'vllm', 'lmstudio', 'ollama'])
    test(`${kind}: a chat that has become longer than its window is summarised and goes on`, async () => {
        const peer = await Llama.open(server, { kind, parameters: 'num_ctx 4096', says: q => (q.summary ? summaryOf(q) : 'Yes.') });
        const w = await fresh(peer);
        for (let i = 0; i < 8; i++) await w.converse(`${i}: ${words(120)}`);
        assert.deepEqual([(await last(w)).role, (await last(w)).content], ['assistant', 'Yes.']);
        assert.ok(peer.asked.some(q => q.summary), 'it was summarised');
        assert.deepEqual(peer.over.map(q => q.tokens), []);
    });

test('a chat of 200,000 tokens continues on a model that reads 8,000', async () => {
    const peer = await Llama.open(server, { window: 8000, says: q => (q.summary ? summaryOf(q) : 'Yes, I know.') });
    const w = await fresh(peer);
    for (let i = 0; i < 30; i++) await w.say(`${i}: ${words(2400)}`, heard);
    await w.converse('and now?');
    assert.equal((await last(w)).content, 'Yes, I know.');
    assert.deepEqual(peer.over.map(q => q.tokens), []);
    const asked = peer.asked.filter(q => q.summary);
    assert.ok(asked.length > 15 && asked.length < 60, `${asked.length} questions`);
    const [made] = (await server.get(`${w.chatPath}/compactions?memories=true`)).data;
    assert.equal(made.covers, 30, 'it says what it did');
    assert.match(peer.asked.at(-1).messages.map(m => m.content).join('\n'), /and now\?$/);
});

test('a summary by a model that was never asked is made in parts that it can read', async () => {
    let posted, progress;
    const peer = await Llama.open(server, { window: 5000, says: async q => {
        if (q.last.includes('Of its parts')) ({ progress } = await server.get(`/jobs/${(await posted).id}`));
        return summaryOf(q);
    } });
    const w = await server.world(`window${++worlds}`);
    for (let i = 0; i < 10; i++) await w.say(`${i}: ${words(900)}`, heard);
    posted = server.post(`${w.chatPath}/compactions`, { model: peer.model }, 202);
    const job = await ended(server, await posted);
    assert.equal(job.state, 'done', JSON.stringify(job));
    assert.equal(progress, 0.9);
    assert.deepEqual(peer.over.map(q => q.tokens), []);
    assert.ok(peer.asked.length > 5);
    assert.match(peer.asked.at(-1).last, /Of its parts this was written/);
});

test('of a long paste the beginning and the end are sent, and the model reads the rest in pieces', async () => {
    const line = i => `line ${i} of the paste\n`, paste = Array.from({ length: 600 }, (_, i) => line(i)).join('');
    const read = [];
    const peer = await Llama.open(server, { window: 8192, says: q => {
        if (q.summary) return 'They want to know what is in the middle; some of it was read.';
        const left = /\[left out: .* id (\S+) and from (\d+) to read on\]/.exec(q.messages.map(m => m.content).join('\n'));
        const on = q.messages.at(-1).role === 'tool' && /\[bytes \d+ to (\d+) of \d+; read on from \d+\]$/.exec(q.last);
        if (q.messages.at(-1).role === 'tool') read.push(q.last.replace(/\n\[[^\n]*\]$/, ''));
        if (q.messages.at(-1).role === 'tool' && !on) return 'I have read it all.';
        return { calls: [{ name: 'read_result', args: { id: left[1], from: Number((on || left)[on ? 1 : 2]) } }] };
    } });
    const w = await fresh(peer);
    await w.converse(`${paste}What is in the middle?`);
    assert.equal((await last(w)).content, 'I have read it all.');
    assert.equal((await w.messages())[0].content, `${paste}What is in the middle?`, 'what is stored is whole');
    const [first] = peer.asked;
    assert.match(first.last, /^line 0 of[^]*\n\[left out: bytes \d+ to \d+ of \d+\. Call read_result [^\n]*\]\n[^]*line 599 of the paste\nWhat is in the middle\?$/);
    assert.ok(first.body.tools.some(t => t.function.name === 'read_result'));
    assert.ok(read.length >= 2);
    assert.ok((first.last.split('\n[left out')[0] + read.join('')).endsWith('What is in the middle?'));
    assert.equal(first.last.split('\n[left out')[0] + read.join(''), `${paste}What is in the middle?`, 'the pieces are all of it');
    assert.deepEqual(peer.over.map(q => q.tokens), []);
});

test('an agent that may use no tools reads no texts either', async () => {
    const peer = await Llama.open(server, { window: 8192, says: q => (q.summary ? 'They pasted something.' : q.messages.at(-1).role === 'tool' ? 'I may not.'
        : { calls: [{ name: 'read_result', args: { id: /read_result with id (\S+)/.exec(q.last)[1], from: 0 } }] }) });
    const w = await fresh(peer, {}, { tools: [] });
    await w.converse(`${'a line of it\n'.repeat(1000)}What is in the middle?`);
    assert.deepEqual(peer.asked.map(q => q.body.tools), peer.asked.map(() => undefined));
    assert.doesNotMatch(peer.asked.at(-1).last, /a line of it/);
    assert.equal((await last(w)).content, 'I may not.');
});

test('a turn that becomes too long in its middle is summarised there, and goes on with its question', async () => {
    let looked = 0;
    const peer = await Llama.open(server, { window: 4096, says: q => (q.summary ? 'You looked, and found little.'
        : q.last === 'hello' ? 'Hi.' : looked++ < 12 ? { text: `Look ${looked}. ${words(60)}`, calls: [{ name: 'demo_lookup', args: { query: words(30) } }] } : 'I am done.') });
    const w = await fresh(peer);
    await w.converse('hello');
    await w.converse('Look twelve times.');
    assert.equal((await last(w)).content, 'I am done.');
    assert.deepEqual(peer.over.map(q => q.tokens), []);
    assert.ok(peer.asked.filter(q => q.summary).length >= 1);
    for (const q of peer.asked.slice(1).filter(one => !one.summary))
        assert.match(q.messages.map(m => m.content).join('\n'), /Look twelve times\./, 'the question stays in sight');
});

test('what does not fit at all fails with a reason, and nothing is sent', async () => {
    const peer = await Llama.open(server, { window: 2048 });
    const w = await fresh(peer, {}, { systemPrompt: words(1000) });
    const stream = await w.converse('hello');
    const [failed] = stream.of('message.failed');
    assert.match(failed.detail, /can read 2048 tokens \(provider\)/);
    assert.deepEqual(peer.asked, []);
});

test('an answer may be as long as somebody has set, where the window has room for that', async () => {
    const peer = await Llama.open(server, { kind: 'vllm', window: 4096 });
    const w = await fresh(peer, {}, { maxTokens: 1900 });
    for (const n of [1, 60, 60, 60]) await w.converse(words(n));
    assert.deepEqual(peer.over.map(q => [q.tokens, q.asks]), []);
    const asks = peer.asked.filter(q => !q.summary).map(q => q.asks);
    assert.ok(asks.every(n => n > 0 && n <= 1900), `${asks}`);
});

test('what was sent is sent again as it was, in front of what is new', async () => {
    let looks = 0;
    const peer = await Llama.open(server, { window: 30000, says: q => (q.last.includes('look') && ++looks % 2 ? { text: 'I look.', calls: [{ name: 'demo_lookup', args: { query: words(looks * 20) } }] } : 'Yes.') });
    const w = await fresh(peer);
    for (let i = 0; i < 12; i++) await w.converse(i === 2 ? words(4000) : i % 3 ? `${i}: ${words(40)}` : 'look');
    const sent = peer.asked.map(q => q.messages.map(m => JSON.stringify(m)));
    assert.ok(sent.length > 12);
    for (let i = 1; i < sent.length; i++) assert.deepEqual(sent[i].slice(0, sent[i - 1].length), sent[i - 1], `request ${i}`);
});

test('what a model counts is learned as well from answers that come at once', async () => {
    const names = ['ada', 'bo', 'cy', 'di', 'eve', 'flo'];
    let come;
    const all = new Promise(resolve => { come = resolve; });
    const peer = await Llama.open(server, { window: 60000, slots: names.length, says: () => {
        if (peer.outstanding === names.length) come();
        return all.then(() => 'Yes.');
    } });
    const w = await server.world(`window${++worlds}`, names.map(name => ({ name, model: peer.model })), { compactAt: 1000 });
    await w.say('plain words here and there\n'.repeat(400), heard);
    await w.converse('all of you');
    for (const q of peer.asked) assert.ok(q.tokens > 3000);
    const { tokens } = await context(w), last = Math.max(...peer.asked.map(q => q.tokens));
    assert.ok(tokens >= last && tokens < last * 1.1, `${tokens} counted, ${last} by the model`);
});

test('a text of which the model counts more than was estimated is refused once, and then it is known', async () => {
    const peer = await Llama.open(server, { window: 8000, says: q => (q.summary ? summaryOf(q) : 'Yes.') });
    const w = await fresh(peer);
    for (let i = 0; i < 8; i++) await w.say('{"a": [1, 2, {"b": null}]}\n'.repeat(130), heard);
    for (const text of ['and now?', 'and then?']) await w.converse(text);
    assert.equal((await last(w)).content, 'Yes.');
    assert.ok(peer.over.length <= 3, `${peer.over.map(q => q.tokens)}`);
});

test('what was learned of a model by asking it is known to the next server', async () => {
    const own = await Server.start(), peer = await Llama.open(own, { window: 3000, told: 6000, tools: false, says: q => (q.summary ? 'They said much.' : 'Yes.') });
    const w = await own.world('learned', [{ name: 'ada', model: peer.model }], { compactAt: 1000 }), about = () => own.get(`${w.chatPath}/context?agent=ada`);
    for (let i = 0; i < 5; i++) await w.say(`${i}: ${words(300)}`, heard);
    await w.converse('and now?');
    const { noTools } = await own.get(`${w.path}/agents/ada`);
    assert.match(noTools, /--jinja/);
    assert.ok(peer.over.length && peer.asked.some(q => q.body.tools));
    assert.deepEqual([(await about()).window, (await about()).windowFrom], [3000, 'error']);
    await own.stop();
    await own.start();
    peer.asked = [];
    assert.deepEqual([(await about()).window, (await about()).windowFrom, (await own.get(`${w.path}/agents/ada`)).noTools], [3000, 'error', noTools]);
    for (let i = 0; i < 5; i++) await w.say(`${i}: ${words(300)}`, heard);
    await w.converse('and then?');
    assert.deepEqual([peer.over.length, peer.asked.filter(q => q.body.tools).length], [0, 0]);
    assert.match(peer.asked.at(-1).last, /and then\?$/);
    await own.ask('PATCH', `/providers/${peer.name}`, { timeoutMs: 60000 }); // it may have been started with other options
    assert.equal((await own.get(`${w.path}/agents/ada`)).noTools, null);
    await own.stop();
    await own.start();
    assert.equal((await own.get(`${w.path}/agents/ada`)).noTools, null);
});

// --- Whatever is said ---------------------------------------------------------------------------------

// A generator of numbers that a failure can be repeated with.
function randomly(seed) {
    let x = seed;
    return most => {
        x = (x * 1103515245 + 12345) & 0x7fffffff;
        return (x >> 8) % most;
    };
}

// Bytes of the questions of turns, and how many of them the next question begins with. Where a summary came between it may begin with none.
function shared(asked) {
    const sum = { sent: 0, again: 0 };
    asked.forEach((q, i) => {
        const before = asked[i - 1];
        if (!before || q.summary || before.summary) return;
        const [old, now] = [before, q].map(one => one.messages.map(m => JSON.stringify(m)));
        if (now[0] !== old[0] && now[0].includes('[Summary of the conversation so far]')) return;
        const same = old.findIndex((m, k) => m !== now[k]);
        const bytes = list => list.reduce((n, m) => n + m.length, 0);
        sum.sent += bytes(old);
        sum.again += bytes(same < 0 ? old : old.slice(0, same));
    });
    return sum;
}

test('whatever is said and called, no question is longer than its window, each is answered or fails with a reason, and what was sent is sent again', async () => {
    const seed = Number(process.env.SKEIN_TEST_SEED ?? Date.now() % 100000), random = randomly(seed);
    const texts = [n => words(n), n => 'plain words here and there\n'.repeat(n / 3), n => 'ab'.repeat(n)];
    const text = n => texts[random(texts.length)](1 + random(n));
    const all = { sent: 0, again: 0 };
    for (let round = 0; round < 6; round++) {
        // Of these a quarter is kept for the answer, and the model counts up to a third more than is estimated.
        const window = 8000 + random(8000), kind = ['llama', 'vllm', 'lmstudio', 'ollama'][random(4)];
        let calls = 0;
        const peer = await Llama.open(server, { kind, window, train: window, parameters: `num_ctx ${window}`, says: q => {
            if (q.summary) return text(60);
            if (calls-- > 0) return { text: text(200), calls: Array.from({ length: 1 + random(3) }, () => ({ name: 'demo_lookup', args: { query: text(900) } })) };
            return text(400);
        } });
        const w = await fresh(peer, { settings: { compactShare: 10 + random(85) } });
        for (let n = 0; n < 5; n++) {
            calls = random(4);
            if (random(3) === 0) await w.say(text(6000), heard);
            const stream = await w.converse(`${text(random(3) ? 300 : 5000)}\nend ${n}`);
            const failed = stream.of('message.failed'), said = (await last(w));
            const about = `seed ${seed}, round ${round}.${n}, ${kind} of ${window}`;
            assert.ok(failed.length ? failed.every(f => f.detail.includes('can read')) : said.role === 'assistant', `${about}: ${JSON.stringify(failed[0] ?? said).slice(0, 600)}`);
            assert.deepEqual(peer.over.map(q => [q.tokens, q.window]), [], about);
        }
        const { sent, again } = shared(peer.asked);
        all.sent += sent;
        all.again += again;
    }
    assert.ok(all.sent > 10000 && all.again >= all.sent * 0.95, `seed ${seed}: ${all.again} of ${all.sent} bytes`);
}, 120000);

await finish();
