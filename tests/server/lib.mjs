// lib.mjs: a real server to test, and how to speak with it.
//
//   SKEIN=build/skein node tests/server/edits.mjs sqlite|pg
//
// SKEIN_TEST_PG is a libpq address with a query part; the pg kind needs it, and tools/pg.sh sets it.
// Every answer is held against the OpenAPI document; see contract.mjs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { check, checkProblem, checkRequest } from './contract.mjs';
import { EventStream } from './sse.mjs';
import { finally_, limit, within } from './tap.mjs';

export { assert };
export { eventually, finally_, finish, limit, rounds, test, within } from './tap.mjs';

export const kind = process.argv[2] ?? process.env.SKEIN_TEST_DB ?? 'sqlite';
const program = process.env.SKEIN && path.resolve(process.env.SKEIN);

function bail(why) {
    console.log(`Bail out! ${why}`);
    process.exit(1);
}
// What no test caught, such as a server that does not start, ends all of it.
for (const name of ['uncaughtException', 'unhandledRejection'])
    process.on(name, error => bail(String(error?.stack ?? error).replaceAll('\n', '\n# ')));
if (!program) bail('SKEIN is the path of the program');
if (!['sqlite', 'pg'].includes(kind)) bail(`the kind is sqlite or pg, not ${kind}`);
if (kind === 'pg' && !process.env.SKEIN_TEST_PG) bail('there is no PostgreSQL: run this under tools/pg.sh');

// --- A place for everything ----------------------------------------------------------------------

export const folder = fs.mkdtempSync(path.join(process.env.TMPDIR ?? os.tmpdir(), 'skein-server-'));
const servers = new Set();
process.on('exit', () => {
    for (const s of servers) s.child?.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

let stores = 0;
// Arguments that name a store which nobody has used.
export function freshStore() {
    const number = ++stores;
    const data = path.join(folder, `data${number}`);
    const schema = `server_${process.pid}_${number}`;
    return {
        data,
        args: [`--data=${data}`, ...(kind === 'pg' ? [`--db=${process.env.SKEIN_TEST_PG}&skein_schema=${schema}`] : [])],
    };
}

const environment = {
    ...Object.fromEntries(Object.entries(process.env).filter(([k]) => !k.startsWith('SKEIN_') && !k.startsWith('XDG_'))),
    HOME: path.join(folder, 'home'), LC_ALL: 'C.UTF-8', NO_COLOR: '1',
};
fs.mkdirSync(environment.HOME);

// For a server that is going to be killed: on PostgreSQL the next one waits for so long before it takes over its turns.
export const mortal = { SKEIN_LIMITS_BUSY_TIMEOUT: '3s' };

// Commands that are told name the place that this run was given; where that is, is nothing to most tests.
const placeless = text => text.replace(/skein (?:(?:--(?:data|db|server|config)=(?:'[^']*'|\S+)|-[wc] \S+) )+/g, 'skein ');

// Runs a command of the program to its end. raw: what it printed, with the place of the store in commands that are told. before: words that the
// program is started by. until: words on standard error after which it is interrupted.
export function run(args, { input = '', ms = 60000, raw = false, env = {}, before = [], until } = {}) {
    const shown = raw ? text => text : placeless;
    const [first, ...words] = [...before, program, ...args];
    const child = spawn(first, words, { env: { ...environment, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    const out = [], err = [];
    child.stdout.on('data', b => out.push(b));
    child.stderr.on('data', b => {
        err.push(b);
        if (until && Buffer.concat(err).includes(until)) child.kill('SIGINT');
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    return within(ms, `skein ${args.join(' ')}`, new Promise(resolve => child.on('close', code =>
        resolve({ code, out: shown(Buffer.concat(out).toString()), err: shown(Buffer.concat(err).toString()) }))));
}

// Writes a script for the scripted model and returns its place.
export function script(name, text) {
    const file = path.join(folder, `${name}.script.yaml`);
    fs.writeFileSync(file, text);
    return file;
}

// --- The server ------------------------------------------------------------------------------------

export class Server {
    // o: store (from freshStore), args, env, script (a file's place), delay (true: no --no-delay),
    // shell (a command that ends with `exec "$@"`, to run it in)
    constructor(o = {}) {
        this.options = o;
        this.store = o.store ?? freshStore();
        this.token = o.token;
        this.log = '';
        this.agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
    }
    static async start(o) {
        const server = new Server(o);
        await server.start();
        finally_(() => server.stop());
        return server;
    }
    // Starts the program, and does not wait for it. With `fd` it listens on that socket.
    launch(fd) {
        const o = this.options;
        const args = ['serve', ...this.store.args, '--listen=127.0.0.1:0', '--no-open',
            ...(o.delay ? [] : ['--no-delay']), ...(o.script ? [`--script=${o.script}`] : []), ...(o.args ?? [])];
        const passing = ['sh', '-c', 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'];
        const shell = fd === undefined ? o.shell : passing;
        this.out = '';
        const [command, ...words] = shell ? [...shell, 'sh', program, ...args] : [program, ...args];
        this.child = spawn(command, words, { env: { ...environment, ...o.env }, stdio: ['ignore', 'pipe', 'pipe', ...(fd === undefined ? [] : [fd])] });
        servers.add(this);
        this.exited = new Promise(resolve => this.child.on('exit', (code, signal) => {
            servers.delete(this);
            this.gone = { code, signal };
            resolve(this.gone);
        }));
        this.gone = this.killed = undefined;
        this.child.stderr.on('data', b => { this.log = (this.log + b).slice(-20000); });
    }
    async start(fd) {
        this.launch(fd);
        await this.ready();
    }
    // Waits until it says where it is.
    async ready() {
        await within(20000, 'the address of the server', new Promise((resolve, reject) => {
            this.exited.then(how => reject(new Error(`the server ended: ${JSON.stringify(how)}\n${this.out}${this.log}`)));
            this.child.stdout.on('data', b => {
                this.out += b;
                const url = /^(http:\/\/\S+)$/m.exec(this.out);
                if (url) resolve(this.url = new URL(url[1]));
            });
        }));
        this.host = this.url.hostname.replace(/^\[|\]$/g, ''); // of IPv6
        this.port = Number(this.url.port);
        const ready = await this.request('GET', '/readyz');
        assert.equal(ready.status, 200);
    }
    // Ends it as an administrator would; it must end well.
    async stop() {
        if (this.gone) return;
        this.child.kill('SIGTERM');
        const how = await within(20000, 'the end of the server', this.exited);
        this.agent.destroy();
        if (how.code !== 0) throw new Error(`the server ended with ${JSON.stringify(how)}\n${this.log}`);
    }
    // Ends it as a power cut would.
    async kill() {
        this.killed = true;
        this.child.kill('SIGKILL');
        await this.exited;
        this.agent.destroy();
        this.agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
    }
    // One request, unchecked. Gives status, headers, text, and body when it is JSON.
    request(method, url, { body, headers = {}, raw, ms = 30000, agent } = {}) {
        const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
        const all = { ...(payload !== undefined && !headers['content-type'] ? { 'content-type': 'application/json' } : {}),
            ...(payload !== undefined ? { 'content-length': Buffer.byteLength(payload) } : {}),
            ...(this.token ? { authorization: `Bearer ${this.token}` } : {}), ...headers };
        for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
        return within(ms, `${method} ${url}`, new Promise((resolve, reject) => {
            const req = http.request({ host: this.host, port: this.port, method, path: url, headers: all, agent: agent ?? this.agent }, res => {
                const parts = [];
                res.on('data', b => parts.push(b));
                res.on('error', reject);
                res.on('end', () => {
                    const bytes = Buffer.concat(parts);
                    const answer = { status: res.statusCode, headers: res.headers, bytes, text: bytes.toString() };
                    if (bytes.length && /json$/.test((res.headers['content-type'] ?? '').split(';')[0])) answer.body = JSON.parse(answer.text);
                    resolve(answer);
                });
            });
            req.on('error', error => setTimeout(() => reject(this.#explain(error)), 20));
            req.end(payload);
        }));
    }
    // A connection that failed because the server is no more says how it ended.
    #explain(error) {
        if (this.gone && !this.killed) error.message += `\nthe server ended: ${JSON.stringify(this.gone)}\n${this.log.slice(-3000)}`;
        return error;
    }
    // One request whose answer must fit the document, and it too when it succeeds.
    async call(method, url, options = {}) {
        const answer = await this.request(method, url, options);
        check(method, url, answer);
        if (answer.status < 300) checkRequest(method, url, options.body);
        return answer;
    }
    // The body of an answer that must have this status.
    async ask(method, url, body, status = 200, options = {}) {
        const answer = await this.call(method, url, { body, ...options });
        assert.equal(answer.status, status, `${method} ${url}: ${answer.text.slice(0, 1500)}`);
        return answer.body;
    }
    get(url, status = 200, options = {}) {
        return this.ask('GET', url, undefined, status, options);
    }
    post(url, body, status = 201, options = {}) {
        return this.ask('POST', url, body, status, options);
    }
    // A refusal: the status and the word after /problems/, whatever operation it was.
    async refused(method, url, status, word, options = {}) {
        const answer = await (options.undocumented ? this.request : this.call).call(this, method, url, options);
        assert.equal(answer.status, status, `${method} ${url}: ${answer.text.slice(0, 1500)}`);
        if (method === 'HEAD') return answer;
        checkProblem(answer, `${method} ${url}`);
        assert.equal(answer.body.type, `/problems/${word}`);
        return answer;
    }
    stream(url, options = {}) {
        const headers = { ...(this.token ? { authorization: `Bearer ${this.token}` } : {}), ...options.headers };
        return new EventStream({ host: this.host, port: this.port, path: url, ...options, headers });
    }

    // --- What most tests begin with ---------------------------------------------------------------

    // A world with these agents (names, or {name, …}) and one chat, which is current.
    async world(name, agents = [], more = {}) {
        const world = await this.post('/worlds', { name, ...more });
        for (const agent of agents)
            await this.post(`/worlds/${name}/agents`, typeof agent === 'string' ? { name: agent, model: 'demo/scripted' } : { model: 'demo/scripted', ...agent });
        const chat = await this.post(`/worlds/${name}/chats`, { title: 'room' });
        return new World(this, name, world.id, chat.id);
    }
}

// A world and its current chat.
export class World {
    constructor(server, name, id, chat) {
        Object.assign(this, { server, name, id, chat });
        this.path = `/worlds/${name}`;
        this.chatPath = `${this.path}/chats/${chat}`;
    }
    // Says something; gives the stored message.
    say(content, more = {}) {
        return this.server.post(`${this.path}/messages`, { content, chatId: this.chat, ...more }, 202);
    }
    // Says something and waits until the agents are done with it; gives all events it caused.
    async converse(content, more = {}) {
        const stream = this.server.stream(`${this.path}/messages`, { method: 'POST', body: { content, chatId: this.chat, ...more } });
        await stream.event('world.idle', undefined, { ms: 30000 });
        await within(5000, 'the end of the stream', stream.done);
        if (stream.error) throw stream.error;
        return stream;
    }
    // All messages of the chat.
    async messages(query = '') {
        const found = [];
        let cursor = '';
        for (;;) {
            const page = await this.server.get(`${this.chatPath}/messages?limit=500${query}${cursor}`);
            found.push(...page.data);
            if (!page.page.hasMore || !page.page.next) return found;
            cursor = `&cursor=${encodeURIComponent(page.page.next)}`;
        }
    }
    count(id) {
        return this.server.get(`${this.path}/messages/${id}/count?chatId=${this.chat}`);
    }
    // The state of the chat, as answers to changes have it; the chat's own tag has a hash of it behind.
    async etag() {
        const { etag } = (await this.server.call('GET', this.chatPath)).headers;
        assert.match(etag, /^"t_[\w-]+\.\d+-[0-9a-f]{8}"$/);
        return etag.replace(/-\w{8}"$/, '"');
    }
    // Undo, redo, or {threadId}.
    async travel(body, status = 200) {
        return this.server.ask('PUT', `${this.chatPath}/currentThread`, typeof body === 'string' ? { move: body } : body, status, { headers: { 'if-match': await this.etag() } });
    }
    // Nobody is at work any more.
    async idle(ms = 20000) {
        const stream = this.server.stream(`${this.path}/events?types=world&after=0`);
        try {
            const until = Date.now() + limit(ms);
            let from = 0;
            while ((await this.server.get(`${this.path}/status`)).isProcessing) {
                if (Date.now() > until) throw new Error('the world stays busy');
                const idle = await stream.event('world.idle', undefined, { from, ms });
                from = stream.events.indexOf(idle) + 1;
            }
        } finally {
            stream.close();
        }
    }
    events(query = '', options = {}) {
        return this.server.stream(`${this.path}/events${query}`, options);
    }
}
