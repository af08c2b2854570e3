// budget.mjs: what models cost: a provider with a limit of money is asked until that is used up; then it stops or asks a
// person, and goes on once the limit is raised or may be exceeded.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { ended, own, work } from './desk.mjs';
import { Server, assert, eventually, finally_, finish, folder, freshStore, run, test } from './lib.mjs';

// Every answer costs 400,000 tokens in and 100,000 out.
let questions = 0;
const model = http.createServer((req, res) => {
    let body = '', asked;
    req.on('data', bytes => { body += bytes; });
    req.on('end', () => {
        if (req.method === 'GET') {
            res.writeHead(200, { 'content-type': 'application/json' });
            return res.end('{"object":"list","data":[{"id":"dear"},{"id":"odd"}]}');
        }
        questions++;
        asked = JSON.parse(body).model;
        const chunk = more => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', ...more })}\n\n`;
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        if (asked === 'endless') return res.write(chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Well, '.repeat(100) }, finish_reason: null }] }));
        res.end(chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Well.' }, finish_reason: 'stop' }] })
            + chunk({ choices: [], usage: { prompt_tokens: 400000, completion_tokens: 100000, prompt_tokens_details: asked === 'known' && { cached_tokens: 300000 } } }) + 'data: [DONE]\n\n');
    });
});
await new Promise(resolve => model.listen(0, '127.0.0.1', resolve));
finally_(() => new Promise(resolve => {
    model.closeAllConnections?.();
    model.close(resolve);
}));

const config = path.join(folder, 'skein.yaml');
const base = `http://127.0.0.1:${model.address().port}/v1`;
// A question to "dear" costs 0.4 * 2.50 + 0.1 * 10 = 2.00.
const priced = (name, monthly, then) => `  ${name}:
    type: openai-compatible
    baseUrl: ${base}
    prices:
      dear: { input: 2.50, output: 10 }
    budget: { monthly: ${monthly} USD, then: ${then} }`;
const configure = (monthly, purse = '1.50', jar = '1.00') => fs.writeFileSync(config, `detect:
  local: false
providers:
${priced('bank', monthly, 'stop')}
${priced('purse', purse, 'ask')}
${priced('pocket', '1.00', 'ask')}
${priced('jar', jar, 'ask')}
  shop:
    type: openai-compatible
    baseUrl: ${base}
    prices:
      know*: { input: 2, cached: 0.20, output: 10 }
  ticket:
    type: openai-compatible
    baseUrl: ${base}
    prices:
      dear: { input: 2.50, output: 10 }
    budget: { daily: 1.00 USD, then: stop }
  both:
    type: openai-compatible
    baseUrl: ${base}
    prices:
      dear: { input: 2.50, output: 10 }
    budget: { daily: 1.00 USD, monthly: 3.00 USD, then: ask }
  vague: { type: openai-compatible, baseUrl: '${base}', budget: { monthly: 5 USD } }
  tiny:
    type: openai-compatible
    baseUrl: ${base}
    prices:
      endless: { input: 1, output: 1000 }
    budget: { monthly: 0.10 USD, then: stop }
  free: { type: openai-compatible, baseUrl: '${base}' }
`);
configure('3.00');
fs.writeFileSync(path.join(folder, 'prices.yaml'), 'prices:\n  tabled: { input: 1, output: 1 }\n');
const store = freshStore();
let server = await Server.start({ store, args: [`--config=${config}`] });
const cli = (...words) => run([...words, ...store.args, `--config=${config}`]);
const bank = async () => (await server.get('/providers/bank'));
const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(new Date());
const failures = stream => stream.of('message.failed');

const w = await server.world('money', [{ name: 'ada', model: 'bank/dear' }, { name: 'odd', model: 'bank/odd' }]);
const asks = await server.world('asks', [{ name: 'ada', model: 'purse/dear' }, { name: 'bo', model: 'purse/dear' },
    { name: 'cy', model: 'pocket/dear' }, { name: 'di', model: 'jar/dear' }, { name: 'ed', model: 'both/dear' }]);

test('what models cost is counted with their prices, and shown', async () => {
    assert.deepEqual((await bank()).budget, { monthly: 3, daily: null, currency: 'USD', used: 0, usedToday: 0, then: 'stop', unpriced: [] });
    assert.equal((await server.get('/providers/free')).budget, null);
    assert.deepEqual(failures(await w.converse('@ada one')), []);
    assert.equal((await bank()).budget.used, 2);
    assert.match((await cli('provider', 'ls')).out, /bank.*\n?.*2\.00 of 3\.00 USD used/);
});

test('at the limit a turn fails and names provider, limit, used and month; nothing is sent', async () => {
    assert.deepEqual(failures(await w.converse('@ada two')), []); // it began below the limit
    const before = questions;
    const failed = failures(await w.converse('@ada three'));
    assert.equal(failed.length, 1);
    assert.equal(failed[0].detail, `the provider "bank" has used 4.00 of the 3.00 USD of ${month}`);
    assert.match(failed[0].hint, /budget\.monthly/);
    assert.equal(questions, before);
    assert.equal((await bank()).state, 'over-budget');
    assert.match((await cli('status')).out, /answers with bank\/\S+ \([^)]*; its budget is used up\)/);
    const listed = async () => (await server.get('/inbox?limit=100')).data.filter(i => i.type === 'failure');
    await eventually('something in the inbox', async () => (await listed()).length);
    assert.equal(failures(await w.converse('@ada three again')).length, 1);
    const inbox = await listed();
    assert.equal(inbox.length, 1, JSON.stringify(inbox));
    assert.equal(inbox[0].title, 'The monthly limit of bank is reached');
    assert.match(JSON.stringify(inbox[0]), /has used 4\.00 of the 3\.00 USD/);
    assert.ok((await w.messages()).some(m => m.content === '@ada three'), 'what was said is not lost');
});

test('what was used is known after a restart', async () => {
    await server.stop();
    server = await Server.start({ store, args: [`--config=${config}`] });
    w.server = asks.server = server;
    assert.equal((await bank()).budget.used, 4);
    assert.equal(failures(await w.converse('@ada four')).length, 1);
});

test('once the limit is raised the same works again', async () => {
    configure('10.00');
    await server.ask('POST', '/settings/reload', undefined);
    await eventually('the limit is read', async () => (await bank()).budget.monthly === 10);
    assert.deepEqual(failures(await w.converse('@ada five')), []);
    assert.equal((await bank()).budget.used, 6);
});

test('a model whose price nobody knows costs nobody knows what, and that is said', async () => {
    assert.deepEqual(failures(await w.converse('@odd hello')), []);
    const { budget, detail } = await bank();
    assert.equal(budget.used, 6);
    assert.deepEqual(budget.unpriced, ['odd']);
    assert.match(detail, /the price of "odd" is not known/);
    assert.match((await server.ask('POST', '/providers/bank/test', undefined)).detail, /the price of "odd" is not known/);
    assert.match((await cli('provider', 'ls')).out, /the price of "odd" is not known/);
    assert.match((await server.get('/providers/vague')).detail, /no model of it has a known price/);
    assert.match((await cli('doctor')).out, /warn +budget +vague: no model of it/);
    assert.match((await cli('doctor')).out, /warn +budget +bank: the price of "odd" is not known/);
});

test('an answer that is stopped costs what was written until then', async () => {
    const rest = await server.world('stops', [{ name: 'ada', model: 'tiny/endless' }]);
    const stream = rest.events();
    await stream.event('stream.open');
    await rest.say('@ada one');
    await stream.words();
    await server.post(`${rest.path}/messages/stop`, { chatId: rest.chat }, 200);
    stream.close();
    const { budget, state } = await server.get('/providers/tiny');
    assert.ok(budget.used >= 0.15 && budget.used < 0.16, `${budget.used}`); // 150 tokens out, and few in
    assert.equal(state, 'over-budget');
    assert.equal(failures(await rest.converse('@ada two')).length, 1);
});

// --- Asking ----------------------------------------------------------------------------------------------

const questionsOf = async provider => (await server.get('/inbox?limit=100&state=all')).data
    .filter(i => i.type === 'approval' && i.title.includes(provider));
// Says something that comes to a limit, until the agent waits for a person; gives what the inbox asks.
async function atLimit(agent, provider) {
    const stream = asks.events();
    await stream.event('stream.open');
    await asks.say(`@${agent} go on`);
    await stream.event('agent.state', e => e.agent === agent && /waits for you/.test(e.detail));
    stream.close();
    return questionsOf(provider);
}
const answered = count => asks.messages().then(all => assert.equal(all.filter(m => m.role === 'assistant').length, count));

test('with "ask" the turn waits for a person, who is asked once however many come to the limit', async () => {
    assert.deepEqual(failures(await asks.converse('@ada one')), []); // 2.00 of 1.50
    assert.deepEqual(await questionsOf('purse'), []); // nobody has to answer what nobody has asked
    assert.match((await server.get('/providers/purse')).detail, /\. The inbox asks whether to continue, at the latest with the next message\./);
    const before = questions, asked = await atLimit('ada', 'purse');
    assert.equal(asked.length, 1, JSON.stringify(asked));
    assert.deepEqual([asked[0].open, asked[0].answer, asked[0].title], [true, null, 'The monthly limit of purse is reached. Continue?']);
    assert.match(asked[0].content, new RegExp(`the provider "purse" has used 2\\.00 of the 1\\.50 USD of ${month}`));
    assert.equal(questions, before, 'nothing is sent before the answer');
    assert.equal((await server.get('/providers/purse')).state, 'over-budget');
    const { state, detail } = await server.get(`${asks.path}/agents/ada`);
    assert.equal(`${state} ${detail}`, 'tool a limit is reached, waits for you');
    assert.match((await cli('inbox', 'ls')).out, /The monthly limit of purse is reached/);
});

test('the question survives a restart, and is the same for the next who comes to the limit', async () => {
    const [was] = await questionsOf('purse');
    await server.stop();
    server = await Server.start({ store, args: [`--config=${config}`] });
    w.server = asks.server = server;
    const asked = await atLimit('ada', 'purse');
    assert.deepEqual(asked.map(i => [i.id, i.open]), [[was.id, true]]);
});

test('an answer that is none is refused; "allow" lets the limit be exceeded until the end of the month', async () => {
    const [asked] = await questionsOf('purse');
    await server.refused('POST', `/inbox/${asked.id}/answer`, 400, 'validation', { body: { decision: 'perhaps' } });
    await server.post(`/inbox/${asked.id}/answer`, { decision: 'allow' }, 200);
    await asks.idle();
    await answered(2); // the first, and the one that waited; what a restart interrupted stays so
    assert.deepEqual(failures(await asks.converse('@ada and on')), []);
    assert.deepEqual(failures(await asks.converse('@bo you too')), []);
    await answered(4);
    assert.deepEqual((await questionsOf('purse')).map(i => [i.id, i.answer, i.open]), [[asked.id, 'allowed', false]]);
    assert.notEqual((await server.get('/providers/purse')).state, 'over-budget');
});

test('what a person has allowed holds after a restart', async () => {
    await server.stop();
    server = await Server.start({ store, args: [`--config=${config}`] });
    w.server = asks.server = server;
    const { state, detail } = await server.get('/providers/purse'); // before anybody asks it again
    assert.equal(state, 'not-tried');
    assert.match(detail, /has used 8\.00 of the 1\.50 USD of .*\. Allowed in the inbox until the end of the month/);
    assert.match((await cli('doctor')).out, /warn +budget +purse: .*Allowed in the inbox/);
    assert.deepEqual(failures(await asks.converse('@ada still')), []);
    assert.equal((await questionsOf('purse')).length, 1);
});

test('another limit is another question', async () => {
    configure('10.00', '3.00');
    await server.ask('POST', '/settings/reload', undefined);
    await eventually('the limit is read', async () => (await server.get('/providers/purse')).budget.monthly === 3);
    const asked = await atLimit('ada', 'purse');
    assert.equal(asked.length, 2);
    const open = asked.find(i => i.open);
    assert.equal((await cli('inbox', 'allow', open.id)).code, 0);
    await asks.idle();
    assert.deepEqual((await questionsOf('purse')).map(i => i.answer), ['allowed', 'allowed']);
});

test('"deny" fails what waits and what comes later, without asking again', async () => {
    assert.deepEqual(failures(await asks.converse('@cy one')), []);
    const [asked] = await atLimit('cy', 'pocket'), before = questions;
    const stream = asks.events();
    await stream.event('stream.open');
    await server.post(`/inbox/${asked.id}/answer`, { decision: 'deny' }, 200);
    const failed = await stream.event('message.failed');
    assert.match(failed.body.data.detail, /the provider "pocket" has used 2\.00 of the 1\.00 USD/);
    stream.close();
    await asks.idle();
    assert.equal(failures(await asks.converse('@cy and now?')).length, 1);
    assert.equal(questions, before);
    assert.deepEqual((await questionsOf('pocket')).map(i => i.answer), ['denied']);
    assert.ok(!(await server.get('/inbox?limit=100&state=all')).data.some(i => i.type === 'failure' && i.title.includes('pocket')));
});

test('what a person has denied is shown so, also after a restart', async () => {
    const shown = async () => {
        const { state, detail } = await server.get('/providers/pocket');
        assert.equal(state, 'over-budget');
        assert.match(detail, /has used 2\.00 of the 1\.00 USD of .*, and more was denied in the inbox\. Raise its budget\.monthly/);
    };
    await shown();
    await server.stop();
    server = await Server.start({ store, args: [`--config=${config}`] });
    w.server = asks.server = server;
    await shown();
});

test('raising a limit answers what people were asked about it, and who waits goes on', async () => {
    assert.deepEqual(failures(await asks.converse('@di one')), []);
    await atLimit('di', 'jar');
    configure('10.00', '3.00', '5.00');
    await server.ask('POST', '/settings/reload', undefined);
    await asks.idle();
    const [asked] = await questionsOf('jar');
    assert.deepEqual([asked.open, asked.answer, asked.reason], [false, 'expired', 'the limit was raised']);
    assert.equal((await asks.messages()).at(-1).sender, 'di');
    assert.equal((await server.get('/providers/jar')).budget.used, 4);
});

test('a limit that was raised and is lowered again stops again', async () => {
    configure('10.00', '3.00', '1.00');
    await server.ask('POST', '/settings/reload', undefined);
    await eventually('the limit is read', async () => (await server.get('/providers/jar')).budget.monthly === 1);
    assert.equal((await server.get('/providers/jar')).state, 'over-budget');
    const asked = await atLimit('di', 'jar');
    assert.deepEqual(asked.map(i => i.answer).sort(), ['expired', null]);
    await server.post(`/inbox/${asked.find(i => i.open).id}/answer`, { decision: 'deny' }, 200);
    await asks.idle();
});

test('who lets a limit of a day be exceeded is asked about that of the month all the same', async () => {
    assert.deepEqual(failures(await asks.converse('@ed one')), []); // 2.00: the day's is reached
    const [day] = await atLimit('ed', 'both'), before = questions;
    assert.equal(day.title, 'The daily limit of both is reached. Continue?');
    await server.post(`/inbox/${day.id}/answer`, { decision: 'allow' }, 200);
    await asks.idle(); // 4.00: the month's, too
    assert.equal(questions, before + 1);
    const month = (await atLimit('ed', 'both')).find(i => i.open);
    assert.equal(month.title, 'The monthly limit of both is reached. Continue?');
    assert.match(month.content, /until the end of the month/);
    assert.equal(questions, before + 1, 'nothing is sent before the answer');
    assert.equal((await server.get('/providers/both')).state, 'over-budget');
    await server.post(`/inbox/${month.id}/answer`, { decision: 'allow' }, 200);
    await asks.idle();
    assert.deepEqual(failures(await asks.converse('@ed and on')), []);
    assert.equal(questions, before + 3);
});

test('a limit of a day is one of its own', async () => {
    const world = await server.world('days', [{ name: 'ada', model: 'ticket/dear' }]);
    assert.deepEqual(failures(await world.converse('@ada one')), []);
    const [failed] = failures(await world.converse('@ada two'));
    assert.match(failed.detail, /^the provider "ticket" has used 2\.00 of the 1\.00 USD of \d{4}-\d\d-\d\d$/);
    assert.match(failed.hint, /budget\.daily .*the next day/);
    await eventually('the inbox has it', async () => (await server.get('/inbox?limit=100')).data.some(i => i.title === 'The daily limit of ticket is reached'));
    const { budget } = await server.get('/providers/ticket');
    assert.deepEqual([budget.monthly, budget.daily, budget.usedToday], [null, 1, 2]);
});

// --- What calls cost ---------------------------------------------------------------------------------

test('what came from the cache is kept with the call, costs less and is told with the message', async () => {
    const world = await server.world('cache', [{ name: 'ada', model: 'shop/known' }, { name: 'bo', model: 'vague/tabled' }, { name: 'cy', model: 'vague/odd' }]);
    const stream = await world.converse('@ada one');
    const usage = { inputTokens: 400000, outputTokens: 100000, cachedTokens: 300000, writtenTokens: 0, costNanos: 1260000000, estimated: false };
    assert.deepEqual(stream.of('message.completed')[0].usage, usage);
    assert.deepEqual((await world.messages()).at(-1).usage, usage);
    assert.deepEqual((await server.get(`${world.path}/agents/ada/calls`)).data[0].usage, usage);
    await world.converse('@bo one');
    assert.equal((await world.messages()).at(-1).usage.costNanos, 500000000, 'by prices.yaml beside skein.yaml');
    await world.converse('@cy one');
    assert.equal((await world.messages()).at(-1).usage.costNanos, null, 'nobody knows');
    const costs = async (by, more = '') => (await server.get(`${world.path}/costs?by=${by}${more}`)).data.map(g => [g.group, g.calls, g.costNanos, g.unpricedCalls]);
    assert.deepEqual(await costs('agent'), [['ada', 1, 1260000000, 0], ['bo', 1, 500000000, 0], ['cy', 1, 0, 1]]);
    const all = [3, 1760000000, 1];
    assert.deepEqual(await costs('world'), [['cache', ...all]]);
    assert.deepEqual(await costs('chat', `&chatId=${world.chat}`), [[world.chat, ...all]]);
    assert.deepEqual(await costs('month'), [[new Date().toISOString().slice(0, 7), ...all]]);
    assert.deepEqual(await costs('world', '&since=2100-01-01T00:00:00Z'), []);
    assert.equal((await costs('turn')).length, 3);
    assert.deepEqual((await server.get(`${world.path}/costs?by=model`)).data[0],
        { group: 'shop/known', calls: 1, inputTokens: 400000, cachedTokens: 300000, writtenTokens: 0, outputTokens: 100000, costNanos: 1260000000, unpricedCalls: 0 });
    await server.refused('GET', `${world.path}/costs?by=moon`, 400, 'validation');
    const { out } = await cli('stats', '--cost', 'agent', '-w', world.name);
    assert.match(out, /^ +1 +400000 +300000 +100000 +1\.260000 +ada$/m);
    assert.match(out, /cy.*\(1 call without a known price\)/);
    assert.match((await server.request('GET', '/metrics')).text, /^skein_cost_dollars_total \d+\.\d{9}$/m);
    assert.equal((await (await spent()).messages()).at(-1).usage.costNanos, 0, 'on this computer');
});

test('a world may spend money up to its limits, and again once they are raised', async () => {
    const world = await server.world('money2', [{ name: 'ada', model: 'shop/known' }], { settings: { monthlyCents: 100 } });
    assert.deepEqual(failures(await world.converse('@ada one')), []);
    let [failed] = failures(await world.converse('@ada two'));
    assert.equal(failed.detail, `the world "money2" has used 1.26 of the 1.00 USD of ${month}`);
    assert.match(failed.hint, /"skein world set monthlyCents N"/);
    assert.equal((await cli('world', 'set', 'dailyCents', '50', '-w', world.name)).code, 0);
    assert.equal((await cli('world', 'set', 'monthlyCents', '5000', '-w', world.name)).code, 0);
    [failed] = failures(await world.converse('@ada three'));
    assert.match(failed.detail, /has used 1\.26 of the 0\.50 USD of \d{4}-\d\d-\d\d$/);
    assert.equal((await cli('world', 'set', 'dailyCents', '0', '-w', world.name)).code, 0);
    const item = (await server.get('/inbox?world=money2&state=all')).data.find(i => i.title === 'The limit of this month is reached');
    assert.deepEqual([item.open, item.reason], [false, 'the limit was raised']);
    assert.deepEqual(failures(await world.converse('@ada four')), []);
});

// --- The limit of a world --------------------------------------------------------------------------------

// A world whose first answer has used more than it may.
let worlds = 0;
async function spent(more = {}) {
    const world = await server.world(`spent${++worlds}`, [{ name: 'ada', model: 'free/m' }], { compactAt: 1000, ...more });
    world.ids = [];
    for (const text of ['one', 'two']) world.ids.push((await world.say(text, { instructions: [{ type: 'ReadOnly' }] })).messageId);
    assert.deepEqual(failures(await world.converse('@ada three')), []);
    assert.equal((await cli('world', 'set', 'monthlyTokens', '10', '-w', world.name)).code, 0);
    return world;
}
const used = world => `the world "${world.name}" has used 500000 of the 10 tokens of this month`;
const raises = /"skein world set monthlyTokens N"/;

test('a world that has used its tokens has no squash made by a model, and is told how to go on', async () => {
    const world = await spent(), before = questions;
    const body = { sourceMessageIds: world.ids, prompt: 'Merge them.' };
    const [turn] = failures(await world.converse('@ada and now?'));
    for (const dryRun of [false, true]) {
        const job = await ended(server, await server.post(`${world.chatPath}/squashes`, { ...body, dryRun }, 202));
        assert.deepEqual([job.state, job.error?.detail, job.error?.hint], ['failed', turn.detail, turn.hint], JSON.stringify(job));
    }
    assert.equal(turn.detail, used(world));
    assert.match(turn.hint, raises);
    const said = await cli('squash', '-w', world.name, '-c', world.chat, ...world.ids, '-m', 'Merge them.');
    assert.notEqual(said.code, 0);
    assert.ok(said.err.includes(used(world)), said.err);
    assert.match(said.err, raises);
    assert.equal(questions, before, 'no model was asked');
    assert.equal((await server.get(`${world.chatPath}/squashes`)).data.length, 0);
    const notice = async () => (await server.get(`/inbox?world=${world.name}&state=all`)).data.find(i => i.title === 'The limit of this month is reached');
    assert.deepEqual([(await notice()).doneAt, (await notice()).reason], [null, null]);
    assert.equal((await cli('world', 'set', 'monthlyTokens', '1000000', '-w', world.name)).code, 0);
    assert.ok((await notice()).doneAt);
    assert.equal((await notice()).reason, 'the limit is 1000000 tokens a month now');
    const job = await ended(server, await server.post(`${world.chatPath}/squashes`, body, 202));
    assert.deepEqual([job.state, questions], ['done', before + 1], JSON.stringify(job));
});

test('nor a summary that somebody asks for', async () => {
    const world = await spent(), before = questions;
    const job = await ended(server, await server.post(`${world.chatPath}/compactions`, { agent: 'ada' }, 202));
    assert.deepEqual([job.state, job.error?.detail], ['failed', used(world)], JSON.stringify(job));
    const said = await cli('compact', '-w', world.name, '-c', world.chat);
    assert.notEqual(said.code, 0);
    assert.ok(said.err.includes(used(world)), said.err);
    assert.match(said.err, raises);
    assert.equal(questions, before, 'no model was asked');
    assert.ok(!(await world.messages()).some(m => m.role === 'summary'));
});

// The work that reaches the limit ends as it would without one; what would follow it is not asked for.
test('nor one that a long context asks for, nor what is to be remembered', async () => {
    const world = await server.world(`spent${++worlds}`, [{ name: 'ada', model: 'free/m' }],
        { compactAt: 4, settings: { knowledge: true, monthlyTokens: 1000000 } });
    for (const text of ['one', 'two']) assert.equal((await work(world, 'ada', text)).status, 'completed');
    const calls = async () => (await server.get(`${world.path}/agents/ada/calls`)).data.map(c => c.purpose);
    const told = what => server.log.split('\n').some(line => [what, world.name, 'has used 1000000 of the 1000000 tokens'].every(part => line.includes(part)));
    await eventually('both are in the log', async () => {
        assert.deepEqual(await calls(), ['turn', 'turn']);
        return told('a summary was not made') && told('no knowledge was noted');
    });
    assert.deepEqual(await calls(), ['turn', 'turn']);
    const chat = await own(world, 'ada');
    assert.equal((await server.get(`${world.path}/chats/${chat.id}/compactions`)).data.length, 0);
});

await finish();
