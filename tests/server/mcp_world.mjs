// mcp_world.mjs: a world whose agents have tools of servers that nobody here wrote: what runs by itself, what asks
// first, what is not allowed, and a server that dies in the middle of a call.
//
// mcp_peers.mjs has the client of tool servers alone; here it goes through the whole server.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server, assert, finish, folder, limit, script, test } from './lib.mjs';

const modules = path.join(path.dirname(fileURLToPath(import.meta.url)), '../peers/node_modules/@modelcontextprotocol');
const command = (name, ...args) => [process.execPath, path.join(modules, `server-${name}`, 'dist/index.js'), ...args];
const files = path.join(folder, 'files');
fs.mkdirSync(files);
const note = path.join(files, 'note.txt');
const long = path.join(files, 'long.txt');

const tools = ['everything__echo', 'everything__get-sum', 'everything__get-env', 'everything__trigger-long-running-operation', 'files__write_file', 'files__read_text_file',
    'memory__create_relations', 'memory__read_graph', 'memory__delete_entities'];
const server = await Server.start({ script: script('tools', `
seed: 1
rules:
${tools.map(t => `  - tool: ${t}\n    do: I have heard of ${t}.`).join('\n')}
  - when: half a call
    do:
      - call: everything__echo
        args: '{"message": "ha'
      - call: files__write_file
        args: '{"path'
  - matches: 'echo (.*)'
    do:
      - call: everything__echo
        args: {message: '{1}'}
  - when: add up
    do:
      - call: everything__get-sum
        args: {a: 19, b: 23}
      - call: everything__echo
        args: {message: both}
  - when: add wrongly
    do:
      - call: everything__get-sum
        args: {a: nineteen}
  - when: environment
    do:
      - call: everything__get-env
        args: {}
  - when: take long
    do:
      - call: everything__trigger-long-running-operation
        args: {duration: 60, steps: 60}
  - when: write
    do:
      - call: files__write_file
        args: {path: '${note}', content: 'Friday.'}
  - when: read the long one
    do:
      - call: files__read_text_file
        args: {path: '${long}'}
  - when: read outside
    do:
      - call: files__read_text_file
        args: {path: /etc/hostname}
  - when: read
    do:
      - call: files__read_text_file
        args: {path: '${note}'}
  - when: learn
    do:
      - call: memory__create_relations
        args: {relations: [{from: Bern, to: Aare, relationType: on}]}
  - when: what is known
    do:
      - call: memory__read_graph
        args: {}
  - when: forget Bern
    do:
      - call: memory__delete_entities
        args: {entityNames: [Bern]}
otherwise: Nothing to do.
`), args: [`--config=${script('config', 'secrets: { env: { PLANTED_TOKEN: [command] } }')}`], env: { PLANTED_TOKEN: 'sk-planted-mcp' } });

const w = await server.world('tools', ['ada'], { settings: {
    mcpServers: {
        everything: { command: command('everything', 'stdio'), env: { GIVEN: 'given', TAKEN: { env: 'PLANTED_TOKEN' } } },
        files: { command: command('filesystem', files) },
        memory: { command: command('memory'), env: { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') } },
    },
    approvals: {
        memory__delete_entities: 'never', memory__read_graph: 'always', files__read_text_file: 'always',
        'everything__get-env': 'always', 'everything__get-sum': 'always', 'everything__trigger-long-running-operation': 'always',
    },
} });

// Says it and gives the results of the tools that were called for it, and what ada said then.
async function tell(text, meanwhile) {
    const before = (await w.messages('&agent=ada')).length;
    const stream = w.server.stream(`${w.path}/messages`, { method: 'POST', body: { content: `@ada ${text}`, chatId: w.chat } });
    await meanwhile?.();
    await stream.event('world.idle', undefined, { ms: 40000 });
    const all = (await w.messages('&agent=ada')).slice(before);
    return { results: all.filter(m => m.role === 'tool'), answer: all.at(-1).content, all };
}

// The item that asks for this tool, once it is there.
async function asks(tool) {
    const watch = w.events('?after=0');
    try {
        for (let from = 0; ;) {
            const e = await watch.event('inbox.created', i => i.type === 'approval', { from, ms: 30000 });
            from = watch.events.indexOf(e) + 1;
            const item = await server.get(`/inbox/${e.body.data.id}`);
            if (item.open && item.tool === tool) return item;
        }
    } finally {
        watch.close();
    }
}

const decide = (decision, tool) => async () => {
    const item = await asks(tool);
    assert.deepEqual((await server.get(`${w.path}/status`)).busy.map(b => b.agent), ['ada']);
    await server.post(`/inbox/${item.id}/answer`, { decision }, 200);
};

const child = name => fs.readdirSync('/proc').filter(pid => /^\d+$/.test(pid)).map(Number).filter(pid => {
    try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === server.child.pid && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`server-${name}`);
    } catch {
        return false;
    }
});

const bytesRead = pid => Number(/rchar: (\d+)/.exec(fs.readFileSync(`/proc/${pid}/io`, 'utf8'))[1]);

// They are started for the first turn that may use them; on a slow machine they take longer than a turn waits.
async function started() {
    await tell('begin');
    const states = async () => (await server.get(`${w.path}/tool-servers`)).data.map(t => t.state);
    while ((await states()).includes('starting')) await new Promise(go => setTimeout(go, 50));
    assert.deepEqual(await states(), ['ready', 'ready', 'ready']);
}

test('tools that say that they only read are asked about once, and then run by themselves', async () => {
    await started();
    const got = await tell('echo good morning', async () => {
        const { definition, definitionState } = await asks('everything__echo');
        assert.deepEqual([definitionState, definition.server.name, definition.name, definition.annotations.readOnlyHint, definition.inputSchema.required], ['new', 'everything', 'echo', true, ['message']]);
        await decide('allow', 'everything__echo')();
    });
    assert.deepEqual(got.results.map(r => [r.content, r.toolStatus]), [['Echo: good morning', 'ok']], JSON.stringify(got.all));
    assert.equal(got.answer, 'I have heard of everything__echo.');
    const two = await tell('add up');
    assert.deepEqual(two.results.map(r => r.content), ['The sum of 19 and 23 is 42.', 'Echo: both']);
}, limit(60000));

test('what the tools of servers take counts in the tokens of a context', async () => {
    const all = (await server.get(`${w.path}/tool-servers`)).data.flatMap(s => s.tools);
    const tokens = async () => (await server.get(`${w.chatPath}/context?agent=ada`)).fixedTokens, before = await tokens();
    await server.ask('PATCH', `${w.path}/agents/ada`, { tools: ['recall', 'everything__echo'] }, 200);
    const one = await tokens();
    await server.ask('PATCH', `${w.path}/agents/ada`, { tools: ['recall'] }, 200);
    const none = await tokens();
    await server.ask('PATCH', `${w.path}/agents/ada`, { tools: null }, 200);
    assert.ok(all.length > 20 && before - one > 40 * all.length, `${before} and ${one} tokens, ${all.length} tools`);
    assert.ok(one - none > 20 && one - none < 200, `${one} and ${none} tokens`);
});

test('a tool that fails is a result, and the turn goes on', async () => {
    const got = await tell('add wrongly');
    assert.equal(got.results[0].toolStatus, 'error', JSON.stringify(got.results));
    assert.equal(got.answer, 'I have heard of everything__get-sum.');
});

test('a call whose arguments were cut off is not run, and nobody is asked', async () => {
    const { results } = await tell('half a call');
    assert.deepEqual(results.map(r => r.content), Array(2).fill('not run: the arguments are not a JSON object; call it again'));
    assert.equal(fs.existsSync(note), false);
    assert.deepEqual((await server.get('/inbox?limit=100')).data.filter(i => i.open), []);
});

test('a tool server gets the variables that it was given, and no others', async () => {
    const got = await tell('environment');
    const env = JSON.parse(got.results[0].content);
    assert.deepEqual([env.GIVEN, env.TAKEN, env.PLANTED_TOKEN], ['given', '…', undefined]);
});

test('a tool that changes something asks first, and runs when it is allowed', async () => {
    const got = await tell('write it', async () => {
        await asks('files__write_file');
        assert.equal(fs.existsSync(note), false, 'it ran before it was allowed');
        await decide('allow', 'files__write_file')();
    });
    assert.equal(got.results[0].toolStatus, 'ok', JSON.stringify(got.results));
    assert.equal(fs.readFileSync(note, 'utf8'), 'Friday.');
    assert.match((await tell('read it')).results[0].content, /Friday\./);
    assert.equal((await tell('read outside')).results[0].toolStatus, 'error');
}, limit(60000));

test('a tool that is asked about when the server is killed runs when it is allowed, once', async () => {
    fs.rmSync(note);
    const before = (await w.messages('&agent=ada')).length;
    await server.post(`${w.path}/messages`, { content: '@ada write it', chatId: w.chat }, 202);
    const { id } = await asks('files__write_file');
    await server.kill();
    await server.start();
    assert.equal((await server.get(`/inbox/${id}`)).open, true);
    assert.equal(fs.existsSync(note), false, 'it ran before it was allowed');
    await server.post(`/inbox/${id}/answer`, { decision: 'allow' }, 200);
    await w.idle(60000);
    const results = (await w.messages('&agent=ada')).slice(before).filter(m => m.role === 'tool');
    assert.deepEqual(results.map(r => r.toolStatus), ['ok'], JSON.stringify(results));
    assert.equal(fs.readFileSync(note, 'utf8'), 'Friday.');
}, limit(90000));

test('a tool that is denied does not run, and the agent hears of it', async () => {
    const got = await tell('learn', decide('deny', 'memory__create_relations'));
    assert.deepEqual(got.results.map(r => [r.content, r.toolStatus]), [['not run: a person did not allow it', 'error']]);
    assert.equal(got.answer, 'I have heard of memory__create_relations.');
    assert.doesNotMatch((await tell('what is known')).results[0].content, /Bern/);
    await tell('learn', decide('allow', 'memory__create_relations'));
    assert.match((await tell('what is known')).results[0].content, /Bern/);
}, limit(60000));

test('a tool that is never allowed does not run, and nobody is asked', async () => {
    const got = await tell('forget Bern');
    assert.deepEqual(got.results.map(r => [r.content, r.toolStatus]), [['not run: this tool is not allowed in this world', 'error']]);
    assert.match((await tell('what is known')).results[0].content, /Bern/);
    assert.deepEqual((await server.get('/inbox?world=tools&type=approval')).data.filter(i => i.open), []);
});

test('a result that is longer than a message is cut at a character, and says so', async () => {
    fs.writeFileSync(long, 'xyz' + 'ä'.repeat(1500000));
    const got = await tell('read the long one');
    const [{ content, toolStatus }] = got.results;
    assert.deepEqual([got.results.length, toolStatus, got.answer], [1, 'ok', 'I have heard of files__read_text_file.']);
    assert.ok(Buffer.byteLength(content) <= 1000000 && Buffer.byteLength(content) > 999000, `${Buffer.byteLength(content)} bytes`);
    assert.match(content.slice(0, 10), /^xyzä+$/);
    assert.match(content.slice(-100), /^ä+\n\[cut here: the result is longer than 1000000 bytes\]$/);
}, limit(60000));

test('a call in which the agent is stopped has a result, and the conversation can be summarised', async () => {
    const bytes = bytesRead(child('everything')[0]);
    const got = await tell('take long', async () => {
        while (bytesRead(child('everything')[0]) === bytes) await new Promise(resolve => setTimeout(resolve, 10)); // it has got the call
        await server.post(`${w.path}/messages/stop`, { chatId: w.chat }, 200);
    });
    assert.deepEqual(got.results.map(r => [r.content, r.toolStatus]), [['interrupted: the outcome of this call is unknown', 'error']]);
    const all = await w.messages('&agent=ada');
    const made = await server.post(`${w.chatPath}/compactions`, { agent: 'ada', content: 'All that was tried.' });
    assert.equal(made.covers, all.length);
}, limit(60000));

test('a server that is killed in the middle of a call leaves the outcome unknown, and is started again', async () => {
    const [before] = child('everything');
    const bytes = bytesRead(before);
    const began = Date.now();
    const got = await tell('take long', async () => {
        while (bytesRead(before) === bytes) await new Promise(resolve => setTimeout(resolve, 10)); // it has got the call
        process.kill(before, 'SIGKILL');
    });
    assert.ok(Date.now() - began < limit(30000), 'the call was waited for');
    assert.equal(got.results.length, 1);
    assert.deepEqual([got.results[0].toolStatus, /outcome is unknown/i.test(got.results[0].content)], ['error', true], got.results[0].content);
    assert.equal(got.answer, 'I have heard of everything__trigger-long-running-operation.');
    const next = await tell('echo are you back');
    assert.deepEqual(next.results.map(r => r.content), ['Echo: are you back']);
    const now = child('everything');
    assert.equal(now.length, 1);
    assert.notEqual(now[0], before);
}, limit(60000));

test('a tool server that does not come up holds up nobody', async () => {
    const other = await server.world('hung', ['ada'], { settings: { mcpServers: { hung: { command: ['sleep', '1000'] }, gone: { command: ['no-such-program'] } } } });
    const stream = server.stream(`${other.path}/messages`, { method: 'POST', body: { content: '@ada hello', chatId: other.chat } });
    await stream.event('world.idle', undefined, { ms: 20000 });
    assert.equal((await other.messages()).at(-1).content, 'Nothing to do.');
});

test('tool servers end with the server', async () => {
    const all = ['everything', 'filesystem', 'memory'].flatMap(child);
    assert.equal(all.length, 3);
    await server.stop();
    for (const pid of all) assert.equal(fs.existsSync(`/proc/${pid}`), false, `${pid} is still there`);
});

await finish();
