// mcp_fake.mjs: a tool server that misbehaves as it is told: node mcp_fake.mjs MODE...
//
// What it receives it tells as log notices, so that a test can see it.
import { spawn } from 'node:child_process';
import readline from 'node:readline';

const modes = new Set(process.argv.slice(2));
const say = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const log = data => say({ method: 'notifications/message', params: { level: 'notice', data } });
const content = text => ({ content: [{ type: 'text', text }] });
const tool = name => ({ name, inputSchema: { type: 'object' } });
let names = ['give', 'hang', 'env', 'huge', 'nul', 'die', 'flood', 'work'];

if (modes.has('dies')) {
    process.stderr.write('the disk is on fire \u{1F525}\n');
    process.exit(3);
}
if (modes.has('stubborn')) process.on('SIGTERM', () => log('told to end'));
if (modes.has('child')) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    process.stderr.write(`child ${child.pid}\n`);
}
if (modes.has('noise')) process.stdout.write('Welcome to my server!\n\n{"a":\n[1,2,3]\n{"jsonrpc":"2.0","id":4711,"result":{}}\n');

function version(asked) {
    for (const mode of modes) if (/^\d{4}-/.test(mode)) return mode;
    return asked;
}

const calls = {
    give: (id, args) => say({ id, result: content(`given ${JSON.stringify(args)}`) }),
    hang: () => {},
    boom: id => say({ id, error: 'out of paper' }),
    env: id => say({ id, result: content(JSON.stringify(process.env)) }),
    huge: (id, { n }) => say({ id, result: content('é'.repeat(n)) }),
    nul: id => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"a\\u0000b\\ud800"}]}}\n`),
    die: id => process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"last words"}]}}\n`,
        () => process.exit(0)),
    flood: () => {
        const line = 'x'.repeat(1 << 20);
        for (let i = 0; i < 20; i++) process.stdout.write(line);
    },
    // Some progress, then an answer.
    work: (id, { ms, steps }, token) => {
        let i = 0;
        const timer = setInterval(() => {
            say({ method: 'notifications/progress', params: { progressToken: token, progress: ++i, message: `step ${i}` } });
            if (i < steps) return;
            clearInterval(timer);
            say({ id, result: content('worked') });
        }, ms);
    },
};

const answers = {
    initialize: (id, params) => {
        log(`hello ${JSON.stringify(params)}`);
        if (modes.has('mute')) return;
        if (modes.has('rude')) say({ id, error: { code: -32000, message: 'not today' } });
        else say({ id, result: { protocolVersion: version(params.protocolVersion), capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'fake', version: '1' } } });
    },
    // Three to a page.
    'tools/list': (id, params) => {
        const from = Number(params?.cursor ?? 0);
        if (modes.has('restless') && from + 3 >= names.length && !names.includes('late')) {
            setTimeout(() => { names = [...names, 'late']; }, 0); // after this answer
            say({ method: 'notifications/tools/list_changed' });
        }
        if (modes.has('endless')) return say({ id, result: { tools: [tool(`t${from}`)], nextCursor: String(from + 1) } });
        return say({ id, result: { tools: names.slice(from, from + 3).map(tool), ...(from + 3 < names.length ? { nextCursor: String(from + 3) } : {}) } });
    },
    'tools/call': (id, params) => {
        if (params.name === 'learn') {
            names = [...names, params.arguments.name];
            say({ method: 'notifications/tools/list_changed' });
            return say({ id, result: content('learnt') });
        }
        if (params.name === 'ask') {
            say({ id: 'p1', method: 'ping' });
            say({ id: 77, method: 'sampling/createMessage', params: {} });
            say({ id: 78, method: 'roots/list' });
            return say({ id, result: content('asked') });
        }
        return calls[params.name](id, params.arguments, params._meta?.progressToken);
    },
};

readline.createInterface({ input: process.stdin }).on('line', line => {
    const m = JSON.parse(line);
    if (m.method === undefined) log(`answer ${line}`);
    else if (m.id === undefined) log(`${m.method} ${JSON.stringify(m.params ?? null)}`);
    else answers[m.method](m.id, m.params);
}).on('close', () => {
    if (!modes.has('stubborn')) process.exit(0);
});
if (modes.has('stubborn')) setInterval(() => {}, 1000);
