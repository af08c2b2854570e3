// states.mjs: what agents, delegations, tasks, tool servers and jobs are at is told in the same words everywhere:
// in events, in answers and by the commands. And what a task has told is told once.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { Server, assert, finish, folder, limit, run, script, test, within } from './lib.mjs';
import { Desk, ended, inbox, watch } from './desk.mjs';

// --- A tool server in shell -------------------------------------------------------------------------

// "note" waits until something is written into the gate, "die" ends the server.
const gate = path.join(folder, 'gate'), tool = path.join(folder, 'tool.sh');
execFileSync('mkfifo', [gate]);
fs.writeFileSync(tool, `while read -r line; do
    id=\${line#*\\"id\\":}; id=\${id%%[,\\}]*}
    case $line in
    *'"initialize"'*)
        if [ "$REFUSE" ]; then
            printf 'no \\033[31m%s\\033[0m in the drawer\\n' "$KEY" >&2
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the key %s is not known"}}\\n' "$id" "$KEY"
            continue
        fi
        r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}' ;;
    *'"tools/list"'*) r='{"tools":[{"name":"note","inputSchema":{"type":"object"}},{"name":"die","inputSchema":{"type":"object"}}]}' ;;
    *'"name":"die"'*) exit 3 ;;
    *'"tools/call"'*) read -r word <${gate}; r='{"content":[{"type":"text","text":"noted '$word'"}]}' ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$r"
done
`);
const ink = { command: ['sh', tool] };

const secret = 'planted-secret-of-states';
const server = await Server.start({ args: [`--config=${script('config', 'secrets: { env: { PLANTED: [command] } }')}`], env: { PLANTED: secret, SKEIN_LIMITS_BUSY_TIMEOUT: '1s' } });
const desk = await Desk.open(server);
let number = 0;

const fresh = (more = {}, agents = ['ada', 'bo']) =>
    server.world(`states${++number}`, agents.map(name => ({ name, model: desk.model })), more);
async function told(w, ...args) {
    const out = await run([...args, '-w', w.name, ...server.store.args]);
    assert.equal(out.code, 0, out.err);
    return out.out;
}
const call = (name, args = {}, id = 'c1') => [{ id, name, args }];

// What an agent does, as everybody tells it.
async function doing(w, name) {
    const one = await server.get(`${w.path}/agents/${name}`);
    const world = await server.get(w.path), status = await server.get(`${w.path}/status`);
    const listed = JSON.parse(await told(w, 'agent', 'ls', '--json')).find(a => a.name === name);
    const short = status.agents.find(a => a.name === name), whole = world.agents.find(a => a.name === name);
    const busy = world.busy.find(b => b.agent === name) ?? { state: 'idle', detail: null };
    for (const other of [listed, short, whole, busy]) assert.deepEqual([other.state, other.detail], [one.state, one.detail]);
    return one.detail ? `${one.state} ${one.detail}` : one.state;
}

// --- Agents -----------------------------------------------------------------------------------------------

test('an agent thinks, writes, runs a tool, and thinks again', async () => {
    const w = await fresh({ settings: { mcpServers: { ink } } });
    const events = await watch(w);
    const state = (state, detail) => events.event('agent.state', e => e.agent === 'ada' && e.state === state && e.detail === detail);
    assert.equal(await doing(w, 'ada'), 'idle');
    await w.say('@ada note it');
    let q = await desk.next();
    assert.equal(await doing(w, 'ada'), 'thinking');
    q.begin('I will ');
    await state('writing');
    assert.equal(await doing(w, 'ada'), 'writing');
    assert.match(await told(w, 'agent', 'ls'), /@ada +writing/);
    q.answer('note it.', call('ink__note'));
    await state('tool', 'ink__note');
    const asks = (await events.event('inbox.created')).body.data; // it waits for a person
    assert.equal(await doing(w, 'ada'), 'tool ink__note, waits for you');
    await server.post(`/inbox/${asks.id}/answer`, { decision: 'allow' }, 200);
    const feed = fs.createWriteStream(gate); // opens once the tool reads: it runs
    await within(10000, 'the tool', new Promise(resolve => feed.on('open', resolve)));
    assert.equal(await doing(w, 'ada'), 'tool ink__note');
    assert.match(await told(w, 'agent', 'ls'), /@ada +tool ink__note/);
    feed.end('it\n');
    q = await desk.next();
    assert.equal(q.last.content, 'noted it');
    assert.equal(await doing(w, 'ada'), 'thinking');
    q.begin('Done');
    const states = () => events.of('agent.state').map(a => a.state); // of an answer that is all there at once "writing" may be told or not
    await events.until('writing again', () => states().lastIndexOf('writing') > states().indexOf('tool'));
    q.answer('.');
    await w.idle();
    assert.equal(await doing(w, 'ada'), 'idle');
    await events.event('agent.state', d => d.state === 'idle');
    assert.deepEqual(states(), ['thinking', 'writing', 'tool', 'tool', 'tool', 'thinking', 'writing', 'idle']);
    events.close();
});

test('an agent whose model was asked too often waits, and everybody says for whom and until when', async () => {
    const w = await fresh(), events = await watch(w);
    await w.say('@ada go on');
    (await desk.next()).fail(429, 'slow down', { 'retry-after': '50' });
    const words = `for ${desk.model.split('/')[0]}, which was asked too often`;
    const { body: { data } } = await events.event('agent.state', e => e.agent === 'ada' && e.state === 'waiting');
    assert.equal(data.detail, words);
    assert.ok(new Date(data.until) > Date.now() && new Date(data.until) < Date.now() + 60000, data.until);
    assert.equal(await doing(w, 'ada'), `waiting ${words}`);
    const world = await server.get(w.path);
    assert.deepEqual([world.busy[0].until, world.agents.find(a => a.name === 'ada').until], [data.until, data.until]);
    for (const args of [['agent', 'ls'], ['inspect', 'ada'], ['status']])
        assert.ok((await told(w, ...args)).includes(`waiting ${words}, until 20`), args.join(' '));
    const { state, detail } = await server.get(`/providers/${desk.model.split('/')[0]}`);
    assert.deepEqual([state, /429.*slow down/.test(detail)], ['limited', true], detail);
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    assert.equal(await doing(w, 'ada'), 'idle');
    events.close();
});

test('once its model is asked again it thinks again', async () => {
    const w = await fresh(), events = await watch(w);
    await w.say('@ada go on');
    (await desk.next()).fail(429, 'slow down', { 'retry-after': '1' });
    await events.event('agent.state', e => e.agent === 'ada' && e.state === 'waiting');
    const q = await desk.next(), from = events.events.findIndex(e => e.event === 'agent.state' && e.body.data.state === 'waiting');
    const { body: { data } } = await events.event('agent.state', e => e.agent === 'ada' && e.state !== 'waiting', { from });
    assert.deepEqual([data.state, data.until], ['thinking', undefined]);
    assert.equal(await doing(w, 'ada'), 'thinking');
    q.answer('Now I have time.');
    await w.idle();
    events.close();
});

test('an answer with calls that ends at the length limit says so, and what was cut is not run', async () => {
    const w = await fresh();
    await w.say('@ada remember it');
    (await desk.next()).cut('I will rem', [{ id: 'a', name: 'remember', raw: '{"content":"whole"}' }, { id: 'b', name: 'remember', raw: '{"content":"ha' }]);
    let q = await desk.next();
    assert.match(q.messages.at(-1).content, /^not run: the arguments are not a JSON object/);
    assert.doesNotMatch(q.messages.at(-2).content, /not run/);
    q.cut('', [{ id: 'c', name: 'list_agents', raw: '' }]); // who knows what was to come
    q = await desk.next();
    assert.match(q.last.content, /^not run: /);
    q.answer('Done.', [{ id: 'd', name: 'remember', args: { unreadable: 'is a name like any other', content: 'x' } }]);
    q = await desk.next();
    assert.doesNotMatch(q.last.content, /not run/);
    q.answer('Done.');
    await w.idle();
    const said = (await w.messages('&agent=ada')).filter(m => m.role === 'assistant');
    assert.deepEqual(said.map(m => m.unfinished), ['length', 'length', null, null]);
});

test('who waits for a delegation runs that tool, and the lane says in words how it is', async () => {
    const w = await fresh();
    const events = await watch(w);
    await w.say('@ada let bo do it');
    (await desk.next()).answer('', call('delegate', { agent: 'bo', task: 'do it', title: 'it' }));
    let q = await desk.next();
    assert.equal(await doing(w, 'ada'), 'tool delegate');
    assert.equal(await doing(w, 'bo'), 'thinking');
    const lane = async () => (await told(w, 'lane', 'ls')).split('\n').find(l => l.startsWith('main.1')).trim();
    assert.match(await lane(), /^main\.1 +running +1 message +@bo thinking +call c1/);
    q.fail();
    q = await desk.next();
    assert.match(await lane(), /^main\.1 +failed +1 message +call c1/);
    assert.equal((await server.get(`${w.path}/delegations/main.1?chatId=${w.chat}`)).state, 'failed');
    assert.match(await told(w, 'lane', 'ls'), /^@ada +memory/m);
    q.answer('', call('delegate', { agent: 'bo', task: 'do it again' }, 'c2'));
    await desk.next();
    await server.post(`${w.path}/delegations/main.2/cancel?chatId=${w.chat}`, undefined, 200);
    assert.match(await told(w, 'lane', 'ls'), /^main\.2 +cancelled/m);
    (await desk.next()).answer('Then not.');
    await w.idle();
    events.close();
});

// --- Servers of tools -----------------------------------------------------------------------------------------

test('a world tells what its tool servers are at, why, and no secret', async () => {
    const env = { REFUSE: '1', KEY: { env: 'PLANTED' } };
    const w = await fresh({ settings: { mcpServers: { ink, gone: { command: ['no-such-program-anywhere'] }, strict: { ...ink, env } }, approvals: { ink__die: 'always' } } });
    const servers = async () => Object.fromEntries((await server.get(`${w.path}/tool-servers`)).data.map(s => [s.name, s]));
    for (const s of Object.values(await servers()))
        assert.deepEqual([s.transport, s.state, s.tools, s.restarts], ['stdio', 'stopped', [], 0]);
    await w.say('@ada hello');
    const q = await desk.next();
    let now = await servers();
    assert.deepEqual([now.ink.state, now.ink.reason, now.ink.tools], ['ready', null, ['ink__note', 'ink__die']]);
    assert.equal(now.gone.state, 'failed');
    assert.match(now.gone.reason, /command cannot be run: No such file/);
    assert.equal(now.strict.state, 'failed');
    assert.match(now.strict.reason, /the key … is not known/);
    assert.match(await told(w, 'world', 'tools'), /^ink +ready over stdio\n {4}ink__note\n {4}ink__die\n/m);
    assert.match(await told(w, 'world', 'tools'), /^gone +failed over stdio: its command cannot be run/m);
    assert.deepEqual([now.gone.stderr, now.ink.stderr, now.strict.stderr], [null, null, 'no  [31m… [0m in the drawer\n']);
    assert.match(await told(w, 'world', 'tools'), /^strict +failed .*\n {4}the end of its standard error:\n {6}no {2}\[31m… \[0m in the drawer\n/m);
    assert.match(server.log, /a tool server has failed.*strict.*in the drawer/);
    const listed = JSON.parse(await told(w, 'world', 'tools', '--json'));
    for (const s of listed) assert.deepEqual({ ...s, sinceMs: 0 }, { ...now[s.name], sinceMs: 0 });
    q.answer('', call('ink__die'));
    (await desk.next()).answer('It is gone.');
    await w.idle();
    await within(limit(20000), 'a new start', (async () => {
        while ((now = (await servers()).ink).state !== 'ready' || now.restarts === 0) await new Promise(r => setTimeout(r, 50));
    })());
    assert.equal(now.restarts, 1);
    assert.ok(!(await server.request('GET', `${w.path}/tool-servers`)).text.includes(secret));
    await server.ask('PATCH', w.path, { settings: { mcpServers: null } });
    assert.deepEqual((await server.get(`${w.path}/tool-servers`)).data, []);
    assert.match(await told(w, 'world', 'tools'), /has no tool servers/);
});

// --- What a task tells is told once ---------------------------------------------------------------------------------

test('a task that is killed after its briefing and tried again does not send it twice', async () => {
    const w = await fresh();
    const task = await server.post(`${w.path}/agents/ada/tasks`, { content: 'look, and brief me' });
    const brief = { title: 'Prices', summary: 'They rise.', content: 'All there is to say of prices.' };
    (await desk.next()).answer('', call('create_inbox_item', brief, 'b1'));
    await desk.next(); // the result is stored, and the model asked again
    await server.kill();
    await server.start();
    let q = await desk.next();
    const results = q.messages.filter(m => m.role === 'tool').map(m => m.content);
    assert.deepEqual(results, ['Briefing sent'], 'the model sees what the first attempt did');
    q.answer('', call('create_inbox_item', { ...brief, content: 'Of prices there is this to say.' }, 'b2'));
    q = await desk.next();
    assert.match(q.last.content, /^This briefing was sent already, by an earlier attempt at this task, and is not sent again\. .*under another title/);
    q.answer('', call('create_inbox_item', { ...brief, title: 'Wages' }, 'b3'));
    q = await desk.next();
    assert.equal(q.last.content, 'Briefing sent');
    q.answer('Done.');
    await w.idle();
    const now = await server.get(`${w.path}/tasks/${task.id}`);
    assert.deepEqual([now.status, now.label, now.attempts], ['completed', 'completed', 1]);
    assert.deepEqual((await inbox(w)).data.map(i => i.title).sort(), ['Prices', 'Wages']);
}, limit(90000));

test('a task that asked its lead waits, also over kills, and goes on with the answer', async () => {
    const w = await server.world(`states${++number}`, [{ name: 'ada', model: desk.model }, { name: 'bo', model: desk.model, lead: 'ada' }]);
    let events = await watch(w);
    const again = async () => {
        await server.kill();
        await server.start();
        events = await watch(w);
    };
    await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
    const task = await server.post(`${w.path}/agents/bo/tasks`, { content: 'find out' });
    (await desk.next()).answer('', call('request_input', { question: 'Which?' }));
    (await desk.next()).answer('I wait for the lead.');
    await events.event('task.waiting', e => e.taskId === task.id);
    await again();
    assert.match(await told(w, 'task', 'ls'), /  waiting +user +find out\n +waits for @ada: Which\?\n/);
    assert.match(await told(w, 'task', 'show', task.id), /waits for @ada: Which\?\n(.*\n)*question\n +Which\?\n/);
    assert.equal(await doing(w, 'bo'), 'idle');
    await server.post(`${w.path}/agents/ada/resume`, undefined, 200);
    let q = await desk.next();
    assert.match(q.last.content, /Subordinate bo is asking: Which\?/);
    await again();
    q = await desk.next();
    assert.match(q.last.content, /Subordinate bo is asking: Which\?/);
    q.answer('The left one.');
    await desk.next();
    await again();
    q = await desk.next();
    assert.match(q.last.content, /ada answers your question: The left one\.$/);
    q.answer('Then it is left.');
    await events.event('task.finished', e => e.taskId === task.id);
    events.close();
    const now = await server.get(`${w.path}/tasks/${task.id}`);
    assert.deepEqual([now.status, now.result, now.waitsFor], ['completed', 'Then it is left.', null]);
    assert.deepEqual((await server.get(`${w.path}/agents/bo/tasks`)).data.length, 1);
    assert.deepEqual((await inbox(w)).data.map(i => i.title), ['bo has finished a task: find out'], 'told once');
}, limit(90000));

test('a task that has failed three times is still tried again, and a person is told which one and how to have it begun at once', async () => {
    const w = await fresh();
    const events = await watch(w);
    const task = await server.post(`${w.path}/agents/ada/tasks`, { content: 'poison' });
    const seen = [];
    for (let i = 1; i <= 3; i++) {
        const question = await desk.next();
        // It is tried again after 1 s and 4 s, and not while we look; after the third time it takes longer.
        if (i < 3) await server.post(`${w.path}/agents/ada/pause`, undefined, 200);
        question.fail();
        await events.event('task.queued', e => e.taskId === task.id && e.attempts === i, { ms: 30000 });
        const now = await server.get(`${w.path}/tasks/${task.id}`);
        seen.push([now.status, now.label]);
        assert.match(now.lastError, /out of order/);
        if (i < 3) await server.post(`${w.path}/agents/ada/resume`, undefined, 200);
    }
    assert.deepEqual(seen, [['pending', 'retrying'], ['pending', 'retrying'], ['pending', 'retrying']]);
    assert.match(await told(w, 'task', 'ls'), /  retrying +user +poison\n +failed 3 times: .*out of order.*; tried again at /);
    const item = (await inbox(w)).data.find(i => i.type === 'failure');
    assert.deepEqual([item.title, item.taskId], ['ada has failed 3 times at a task: poison', task.id]);
    assert.match(await told(w, 'inbox', 'show', item.id), new RegExp(`At once: skein task retry ${task.id}, or never: skein task cancel ${task.id}\n`));
    assert.match(await told(w, 'task', 'retry', task.id), /^ada has the task task_[\w-]+ again\./);
    await desk.next(); // at once
    await server.ask('DELETE', `${w.path}/tasks/${task.id}`);
    assert.equal((await server.get(`${w.path}/tasks/${task.id}`)).label, 'cancelled');
    events.close();
}, limit(90000));

// --- The words of refusals --------------------------------------------------------------------------------------------

test('each call of a tool that asks is asked about, also where one turn makes several', async () => {
    const w = await fresh({ settings: { mcpServers: { ink } } });
    const events = await watch(w);
    await w.say('@ada note it');
    (await desk.next()).answer('', call('ink__note', {}, 'one'));
    const { id } = (await events.event('inbox.created')).body.data;
    await server.post(`/inbox/${id}/answer`, { decision: 'allow' }, 200);
    await fs.promises.writeFile(gate, 'once\n');
    (await desk.next()).answer('', call('ink__note', {}, 'two'));
    const again = (await events.event('inbox.created', i => i.id !== id)).body.data;
    await server.post(`/inbox/${again.id}/answer`, { decision: 'deny' }, 200);
    (await desk.next()).answer('Done.');
    await w.idle();
    assert.deepEqual((await w.messages('&agent=ada')).filter(m => m.role === 'tool').map(m => m.toolStatus), ['ok', 'error']);
    events.close();
});

test('an approval whose turn has ended says that it has expired', async () => {
    const w = await fresh({ settings: { mcpServers: { ink } } });
    const events = await watch(w);
    await w.say('@ada note it');
    (await desk.next()).answer('', call('ink__note'));
    const { id } = (await events.event('inbox.created')).body.data;
    await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    const item = await server.get(`/inbox/${id}`);
    assert.deepEqual([item.answer, item.open], ['expired', false]);
    const refusal = await server.refused('POST', `/inbox/${id}/answer`, 409, 'conflict', { body: { decision: 'allow' } });
    assert.match(refusal.body.detail, /has expired: the agent's turn ended before anybody answered/);
    events.close();
});

test('what cannot be removed while agents work says what that is', async () => {
    const w = await fresh();
    await w.say('@ada hello');
    const q = await desk.next();
    const words = { [w.path]: 'the world while agents are', [w.chatPath]: 'the chat while agents are', [`${w.path}/agents/ada`]: 'the agent while it is' };
    for (const [url, what] of Object.entries(words)) {
        const { body } = await server.refused('DELETE', url, 423, 'world-busy');
        assert.deepEqual([body.detail, body.error], [`Cannot remove ${what} responding`, `Cannot remove ${what} responding`]);
    }
    q.answer('Hello.');
    await w.idle();
    await server.ask('DELETE', w.path, undefined, 204);
});

// --- Jobs and exports ---------------------------------------------------------------------------------------------------

test('the end of a job is told in the stream of its world, and of none in that of all', async () => {
    const w = await fresh();
    const events = await watch(w), all = server.stream('/events');
    await all.event('stream.open');
    const later = async url => {
        const answer = await server.request('GET', url, { headers: { prefer: 'respond-async' } });
        assert.equal(answer.status, 202, answer.text);
        return answer.body;
    };
    const job = await later(`${w.path}/export?format=md`);
    const told = await events.event('job.finished', e => e.id === job.id);
    assert.ok(told.id !== undefined, 'it is kept');
    assert.deepEqual([told.body.world, told.body.data.kind, told.body.data.state, told.body.data.result], [w.name, 'exportWorld', 'done', null]);
    const now = await ended(server, job);
    assert.deepEqual({ ...now, result: null }, told.body.data);
    const free = await later('/search?q=nothing');
    const end = await all.event('job.finished', e => e.id === free.id);
    assert.deepEqual([end.body.world, end.body.data.kind, end.body.data.state], [null, 'search', 'done']);
    assert.equal(events.events.filter(e => e.event === 'job.finished').length, 1);
    const bad = await later(`${w.path}/messages/nothing`);
    const failed = await events.event('job.finished', e => e.id === bad.id);
    assert.deepEqual([failed.body.data.state, failed.body.data.error.code], ['failed', 'MESSAGE_NOT_FOUND']);
    events.close();
    all.close();
});

test('a world is one chart, with a box for each of its chats', async () => {
    const w = await fresh();
    const first = await w.say('nobody is asked'); // both answer
    for (let i = 0; i < 2; i++) (await desk.next()).answer('Yes.');
    await w.idle();
    await server.post(`${w.chatPath}/branches`, { messageId: first.messageId });
    const answer = await server.call('GET', `${w.path}/export?format=mermaid`);
    assert.equal(answer.status, 200, answer.text);
    const lines = answer.text.trim().split('\n');
    assert.equal(lines[0], 'flowchart TD');
    assert.equal(lines.filter(l => l === '  end').length, 2);
    assert.deepEqual(lines.filter(l => l.startsWith('  subgraph')).map(l => l.slice(0, 14)), ['  subgraph c1[', '  subgraph c2[']);
    const nodes = [...answer.text.matchAll(/^ {2}(?:c\d+_\w+ --> )?(c\d+_\w+)\["/gm)].map(m => m[1]);
    assert.equal(nodes.length, 4, answer.text);
    assert.equal(new Set(nodes).size, 4, 'what two chats share is a node in each');
});

await finish();
