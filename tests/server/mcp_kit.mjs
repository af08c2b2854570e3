// mcp_kit.mjs: the client of tool servers (mcp_drive.c), driven from a test.
//
//   const d = drive(['--call-ms', '500', '--', 'node', 'server.mjs']);
//   await d.ready();
//   const { text, failed, unknown } = await d.call('echo', { message: 'hi' });
//   await d.end();
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { finally_, within } from './tap.mjs';

export { assert };
export const program = process.env.MCP_DRIVE;
export const folder = fs.mkdtempSync(path.join(process.env.TMPDIR ?? os.tmpdir(), 'skein-mcp-'));
const running = new Set();

process.on('exit', () => {
    for (const child of running) child.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
});
if (!program) {
    console.log('Bail out! MCP_DRIVE is the path of the client');
    process.exit(1);
}

export const isThere = pid => fs.existsSync(`/proc/${pid}`);

// Any other program, which ends with the tests.
export function start(command, args, options) {
    const child = spawn(command, args, options);
    running.add(child);
    child.on('exit', () => running.delete(child));
    return child;
}

class Drive {
    events = [];
    #waiting = new Set();
    #rest = '';
    #calls = 0;
    constructor(args, env) {
        this.child = start(program, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
        this.child.stdin.on('error', () => {});
        this.child.stdout.setEncoding('utf8').on('data', text => this.#take(text));
        this.closed = new Promise(resolve => this.child.on('close', (code, signal) => resolve({ code, signal })));
    }
    #take(text) {
        const lines = (this.#rest + text).split('\n');
        this.#rest = lines.pop();
        for (const line of lines) {
            const event = JSON.parse(line);
            this.events.push(event);
            for (const w of [...this.#waiting])
                if (w.fits(event)) {
                    this.#waiting.delete(w);
                    w.resolve(event);
                }
        }
    }
    say(line) {
        this.child.stdin.write(`${line}\n`);
    }
    // The first event from `from` on, which is now unless it is given, that fits.
    event(what, fits, { ms = 10000, from = this.events.length } = {}) {
        const found = this.events.slice(from).find(fits);
        if (found) return Promise.resolve(found);
        return within(ms, what, new Promise(resolve => this.#waiting.add({ fits, resolve })));
    }
    state(state, options) {
        return this.event(`the state ${state}`, e => e.event === 'changed' && e.state === state, options);
    }
    ready() {
        return this.state('ready', { from: 0 });
    }
    begin(tool, args = {}) {
        const number = ++this.#calls, from = this.events.length;
        this.say(`call ${number} ${tool} ${JSON.stringify(args)}`);
        return {
            number,
            progress: n => this.event(`progress of ${tool}`, e => e.event === 'progress' && e.call === number && e.now >= n, { from }),
            done: (ms = 10000) => this.event(`the end of ${tool}`, e => e.event === 'done' && e.call === number, { from, ms }),
        };
    }
    call(tool, args, ms) {
        return this.begin(tool, args).done(ms);
    }
    async text(tool, args) {
        const { text, failed } = await this.call(tool, args);
        assert.equal(failed, false, text);
        return text;
    }
    async tools() {
        const answer = this.event('the tools', e => e.event === 'tools');
        this.say('tools');
        return (await answer).tools;
    }
    async stderr() {
        const answer = this.event('the last words', e => e.event === 'stderr');
        this.say('stderr');
        return (await answer).text;
    }
    async end() {
        this.child.stdin.end();
        assert.deepEqual(await within(10000, 'the end of the client', this.closed), { code: 0, signal: null });
    }
}

export const drive = (args, env) => new Drive(args, env);
finally_(() => {
    for (const child of running) child.kill('SIGKILL');
});
