// agent_kills.mjs: the server is killed at random points of turns with tools, delegations, summaries and
// briefings, again and again. No tool runs twice for one call, no briefing is lost or there twice, every
// delegation ends and is told once, and no turn stays open.
import fs from 'node:fs';
import path from 'node:path';
import { Server, assert, finish, folder, limit, rounds, run, script, test, within } from './lib.mjs';

// --- A tool that leaves a line wherever it runs ---------------------------------------------------------

// In shell, so that it is there at once after every start.
const journal = path.join(folder, 'journal'), tool = path.join(folder, 'tool.sh');
fs.writeFileSync(journal, '');
fs.writeFileSync(tool, `while read -r line; do
    id=\${line#*\\"id\\":}; id=\${id%%[,\\}]*}
    case $line in
    *'"initialize"'*) r='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}' ;;
    *'"tools/list"'*) r='{"tools":[{"name":"note","inputSchema":{"type":"object","properties":{"key":{"type":"string"}}}}]}' ;;
    *'"tools/call"'*)
        key=\${line#*\\"key\\":\\"}; key=\${key%%\\"*}
        echo "$key" >>${journal}
        case $key in long*) sleep 4 ;; esac
        r='{"content":[{"type":"text","text":"noted '$key'"}]}' ;;
    *) continue ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$r"
done
`);

// What a message makes an agent do: "note K", "hand K" (to bo, and wait), "pass K" (to bo, and go on), "brief K".
const file = script('kills', `
seed: 5
pace: 3
rules:
  - when: Summarise this conversation
    do: What was said before, in short.
  - tool: ink__note
    do: It is noted and that is all.
  - tool: delegate
    do: It was handed on and that is all.
  - tool: create_inbox_item
    do: The person knows and that is all.
  - when: "Delegation main"
    do: I have heard of it.
  - matches: 'hand ([a-z0-9]+)'
    do:
      - call: delegate
        args: {agent: bo, task: 'note {1}', title: '{1}', wait: true}
  - matches: 'pass ([a-z0-9]+)'
    do:
      - call: delegate
        args: {agent: bo, task: 'note {1}', title: '{1}', wait: false}
  - matches: 'brief ([a-z0-9]+)'
    do:
      - call: create_inbox_item
        args: {type: briefing, title: '{1}', summary: 'In short {1}.', content: 'All there is to say of {1}.'}
  - matches: 'note ([a-z0-9]+)'
    do:
      - say: I note it.
      - call: ink__note
        args: {key: '{1}'}
otherwise: I have nothing to do with that.
`);
const settings = { mcpServers: { ink: { command: ['sh', tool] } }, approvals: { ink__note: 'always' } };
const server = await Server.start({ script: file, delay: true, env: { SKEIN_LIMITS_BUSY_TIMEOUT: '1s' } });
const random = n => Math.floor(Math.random() * n);
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
const seen = { notes: 0, briefings: 0, delegations: 0, summaries: 0, interrupted: 0, calls: 0, tasks: 0, again: 0 };
let w, turn = 0;

// --- People -------------------------------------------------------------------------------------------------

// What was asked for without an answer is asked again after the restart, with the same key. Whether it was done
// may then be unknown, of tasks.
const unsure = [];

async function ask(r) {
    try {
        const answer = await server.request('POST', r.url, { body: r.body, headers: { 'idempotency-key': r.key } });
        assert.ok(answer.status < 300 || answer.body?.type === '/problems/idempotency-running', `${r.url}: ${answer.text}`);
    } catch (error) {
        if (error.code === 'ERR_ASSERTION') throw error;
        unsure.push(r);
    }
}

// Three chats with an agent each, so that several turns are open at once, and tasks in the background.
function anyRequest() {
    const key = `k${++turn}`;
    const room = w.rooms[random(w.rooms.length)];
    if (random(3) === 0) return { key, url: `${w.path}/agents/${room.agent}/tasks`, body: { content: `brief ${key}` } };
    return { key, url: `${w.path}/messages`, body: { chatId: room.chat, clientMessageId: key, content: `@${room.agent} ${['note', 'hand', 'pass'][random(3)]} ${key}` } };
}

async function another() {
    w = await server.world(`agentkills${turn}`, ['ada', 'cy', 'bo'], { settings, compactAt: 12 });
    w.rooms = [{ agent: 'ada', chat: w.chat }, { agent: 'cy', chat: (await server.post(`${w.path}/chats`, { title: 'two' })).id }];
    fs.writeFileSync(journal, '');
}

// --- What must hold --------------------------------------------------------------------------------------------

async function pages(url, maybe) {
    const all = [];
    for (let cursor = ''; ;) {
        const answer = await server.call('GET', `${url}${url.includes('?') ? '&' : '?'}limit=200${cursor}`);
        if (maybe && answer.status === 404) return [];
        assert.equal(answer.status, 200, `${url}: ${answer.text}`);
        const page = answer.body;
        all.push(...page.data);
        if (!page.page.hasMore || !page.page.next) return all;
        cursor = `&cursor=${encodeURIComponent(page.page.next)}`;
    }
}

// Every message of every conversation of the world, once.
async function everything() {
    const found = new Map();
    // Another's memory of a message is without its calls.
    const take = list => list.forEach(m => (m.toolCalls?.length || !found.has(m.messageId)) && found.set(m.messageId, m));
    const chats = new Set((await pages(`${w.path}/chats`)).map(c => c.id));
    for (const a of ['ada', 'cy', 'bo']) for (const c of await pages(`${w.path}/agents/${a}/conversations`)) chats.add(c.id);
    for (const c of chats) {
        const lanes = [undefined, ...(await pages(`${w.path}/delegations?chatId=${c}`)).map(d => d.threadPath)];
        for (const lane of lanes) take(await pages(`${w.path}/chats/${c}/messages${lane ? `?delegation=${lane}` : ''}`));
        for (const a of ['ada', 'cy', 'bo']) take(await pages(`${w.path}/chats/${c}/messages?agent=${a}`, true));
    }
    return [...found.values()];
}

// What a call gets with the end of its turn when it has no result: nothing is told by that but that nobody knows.
const lost = m => m.content === 'interrupted: the outcome of this call is unknown';

// A call is stored before its tool runs: as many runs as calls at most, and as many as results that say so at least.
function checkNotes(all) {
    const ran = new Map(), asked = new Map(), noted = new Map();
    const count = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
    for (const line of fs.readFileSync(journal, 'utf8').split('\n').filter(Boolean)) count(ran, line);
    const ids = new Set();
    for (const m of all) for (const c of m.toolCalls ?? []) {
        assert.ok(!ids.has(c.toolCallId), `${c.toolCallId} is there twice`);
        ids.add(c.toolCallId);
        if (c.toolName === 'ink__note') count(asked, c.args.key);
    }
    const results = new Set();
    for (const m of all.filter(m => m.role === 'tool')) {
        assert.ok(!results.has(m.toolCallId), `${m.toolCallId} has two results`);
        results.add(m.toolCallId);
        const key = /^noted (\w+)$/.exec(m.content)?.[1];
        if (key) count(noted, key);
    }
    for (const [key, n] of ran) assert.ok(n <= (asked.get(key) ?? 0), `${key} ran ${n} times for ${asked.get(key) ?? 0} calls`);
    for (const [key, n] of noted) assert.ok(n <= (ran.get(key) ?? 0), `${key} is said to have run ${n} times, and has ${ran.get(key) ?? 0} times`);
    seen.notes += ran.size;
    seen.calls += ids.size;
    return new Set(all.filter(m => m.role === 'tool' && !lost(m)).map(m => m.toolCallId));
}

// An item of the inbox, a message in the foreground and the row of the tool, or nothing of it.
async function checkBriefings(all) {
    const items = (await pages(`/inbox?world=${w.name}&state=all`)).filter(i => i.type === 'briefing');
    const byId = new Map(all.map(m => [m.messageId, m]));
    const rows = new Map(all.filter(m => m.role === 'tool' && !lost(m)).map(m => [m.toolCallId, m]));
    // Calls whose tool has sent something; each of them is the only one of its message. An attempt after the one that
    // sent it is told so.
    const again = m => /^This briefing was sent already/.test(m.content);
    const did = all.filter(m => m.toolCalls?.some(c => c.toolName === 'create_inbox_item' && rows.has(c.toolCallId) && !again(rows.get(c.toolCallId))));
    seen.again += [...rows.values()].filter(again).length;
    const told = all.filter(m => m.role === 'assistant' && /^All there is to say of \w+\.$/.test(m.content));
    assert.deepEqual(did.map(m => m.messageId).sort(), items.map(i => i.workMessageId).sort());
    assert.deepEqual(told.map(m => m.messageId).sort(), items.map(i => i.messageId).sort());
    for (const i of items) {
        const text = `All there is to say of ${i.title}.`;
        assert.deepEqual([byId.get(i.messageId).content, byId.get(i.messageId).chatId], [text, i.chatId]);
        assert.equal((await server.get(`/briefings/${i.briefingId}`)).text, text);
    }
    // Each task is done, and with it its briefing is there.
    for (const agent of ['ada', 'cy'])
        for (const t of await pages(`${w.path}/agents/${agent}/tasks`)) {
            assert.deepEqual([t.status, t.running], ['completed', false], JSON.stringify(t));
            const title = /brief (\w+)/.exec(t.content)?.[1];
            const sent = items.filter(i => i.title === title).length;
            if (title) assert.equal(sent, 1, `the briefing of ${title} is there ${sent} times`);
            seen.tasks++;
        }
    seen.briefings += items.length;
}

// Each has ended, and whoever asked for it was told: as the result of its call, or by a message.
async function checkDelegations(all, results) {
    for (const room of w.rooms)
        for (const d of await pages(`${w.path}/delegations?chatId=${room.chat}`)) {
            assert.notEqual(d.state, 'running', JSON.stringify(d));
            const said = all.filter(m => m.chatId === room.chat && m.content.startsWith(`Delegation ${d.delegationId} (`) && m.role !== 'tool').length;
            const result = d.waited && results.has(d.spawnCallId) ? 1 : 0;
            assert.equal(said + result, 1, `${JSON.stringify(d)} was told ${said} times by a message, ${result} times as a result`);
            seen.delegations++;
            if (d.state === 'interrupted') seen.interrupted++;
        }
}

// A task that was interrupted is begun again by itself, after a while.
async function tasksDone() {
    const watch = w.events('?after=0&types=task');
    for (const agent of ['ada', 'cy'])
        for (const t of await pages(`${w.path}/agents/${agent}/tasks`)) await watch.event('task.finished', e => e.taskId === t.id, { ms: 90000 });
    watch.close();
}

async function check() {
    await tasksDone();
    await within(60000, 'the end of all work', w.idle(60000));
    assert.deepEqual((await server.get(`${w.path}/status`)).busy, []);
    const all = await everything();
    await checkDelegations(all, checkNotes(all));
    await checkBriefings(all);
    seen.summaries += all.filter(m => m.role === 'summary').length;
}

// --- The kills ---------------------------------------------------------------------------------------------------

async function killInTheMiddle() {
    const asked = Array.from({ length: 3 }, () => ask(anyRequest()));
    await pause(random(250));
    await server.kill();
    for (const r of await Promise.allSettled(asked)) if (r.reason) throw r.reason;
    await server.start();
    for (const r of unsure.splice(0)) await ask(r);
    assert.equal(unsure.length, 0);
}

const times = rounds(100);
test(`${times} kills in the middle of what agents do leave everything whole`, async () => {
    for (let round = 0; round < times; round++) {
        if (round % 10 === 0) await another();
        await killInTheMiddle();
        if (round % 10 === 9 || round === times - 1) await check();
    }
    console.log(`# ${JSON.stringify(seen)}`);
    for (const [what, n] of Object.entries(seen)) if (what !== 'again' && (what !== 'interrupted' || times >= 50)) assert.ok(n > 0, `no ${what} at all`);
}, limit(500000));

test('a tool that runs while the server is killed is not run again, and its agent hears that nobody knows', async () => {
    await another();
    const key = `long${++turn}`;
    await w.say(`@ada note ${key}`);
    while (fs.readFileSync(journal, 'utf8') !== `${key}\n`) await pause(10); // it runs
    await server.kill();
    await server.start();
    await w.idle();
    await w.converse('@ada what came of it?');
    assert.equal(fs.readFileSync(journal, 'utf8'), `${key}\n`);
    const { messages } = await server.get(`${w.chatPath}/context?agent=ada`);
    const asked = messages.findIndex(m => m.toolCalls.some(c => c.args.key === key));
    const result = messages[asked + 1];
    assert.deepEqual([result.role, result.toolCallId, result.isError], ['tool', messages[asked].toolCalls[0].toolCallId, true]);
    assert.match(result.content, /outcome of this call is unknown/);
});

test('after all that, the store is sound', async () => {
    await server.stop();
    const fsck = await run([...server.store.args, 'fsck']);
    assert.equal(fsck.code, 0, fsck.out + fsck.err);
}, limit(120000));

await finish();
