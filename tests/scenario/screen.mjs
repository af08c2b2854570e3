// screen.mjs: a program at a terminal, and what stands on that terminal's screen.
//
//   const t = new Terminal(['skein', 'chat'], { cols: 60 });
//   await t.shows('› ');
//   t.type('hello\r');
//
// The terminal is that of script(1). The screen understands what programs of ours send; anything else
// is an error, so that nothing passes unseen.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { folder, within } from '../server/lib.mjs';

// Columns of a character: two for those of East Asia, none for marks on the one before.
const width = c => /\p{M}/u.test(c) ? 0 : /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]/u.test(c) ? 2 : 1;

export class Screen {
    constructor(cols, rows) {
        Object.assign(this, { cols, rows, x: 0, y: 0, wrap: true, lines: [[]], pending: '', bells: 0 });
    }
    // The rows there were, those that have scrolled off the top too.
    get text() {
        return this.lines.map(line => Array.from(line, c => c ?? ' ').join('').replace(/ +$/, '')).join('\n');
    }
    get top() {
        return Math.max(0, this.lines.length - this.rows);
    }
    row(y) {
        while (this.lines.length <= y) this.lines.push([]);
        return this.lines[y];
    }
    put(c) {
        const n = width(c);
        if (n === 0) return;
        if (this.x + n > this.cols) {
            if (!this.wrap) return;
            this.x = 0;
            this.y++;
        }
        const row = this.row(this.y);
        row[this.x] = c;
        if (n === 2) row[this.x + 1] = '';
        this.x += n;
    }
    control(final, args, question) {
        const n = Number(args[0] || 0);
        if (question) {
            if (n === 7) this.wrap = final === 'h';
            else if (n !== 2004) throw new Error(`mode ${n}`);
        } else if (final === 'A') this.y = Math.max(this.top, this.y - (n || 1));
        else if (final === 'B') this.y += n || 1;
        else if (final === 'C') this.x = Math.min(this.cols - 1, this.x + (n || 1));
        else if (final === 'D') this.x = Math.max(0, this.x - (n || 1));
        else if (final === 'G') this.x = (n || 1) - 1;
        else if (final === 'K' && n === 0) this.row(this.y).length = Math.min(this.row(this.y).length, this.x);
        else if (final === 'J' && n === 0) {
            this.row(this.y).length = Math.min(this.row(this.y).length, this.x);
            this.lines.length = this.y + 1;
        } else if (final === 'P') this.row(this.y).splice(this.x, n || 1);
        else if (final === '@') this.row(this.y).splice(this.x, 0, ...Array(n || 1).fill(' '));
        else if (final !== 'm') throw new Error(`the control \\e[${args.join(';')}${final}`);
        this.row(this.y);
    }
    write(text) {
        this.pending += text;
        for (;;) {
            const escape = /^\x1b\[(\??)([0-9;]*)([A-Za-z@])/.exec(this.pending);
            if (escape) {
                this.control(escape[3], escape[2].split(';'), escape[1]);
                this.pending = this.pending.slice(escape[0].length);
                continue;
            }
            if (this.pending[0] === '\x1b' && this.pending.length < 12) return;
            const [c] = this.pending;
            if (c === undefined) return;
            this.pending = this.pending.slice(c.length);
            if (c === '\r') this.x = 0;
            else if (c === '\b') this.x = Math.max(0, this.x - 1);
            else if (c === '\n') this.row(++this.y);
            else if (c === '\t') this.x = Math.min(this.cols - 1, this.x - this.x % 8 + 8);
            else if (c === '\x07') this.bells++;
            else if (c < ' ') throw new Error(`the byte ${c.charCodeAt(0)}`);
            else this.put(c);
        }
    }
}

const quote = word => `'${word.replaceAll("'", `'\\''`)}'`;

export class Terminal {
    constructor(words, { cols = 80, rows = 24, env = {} } = {}) {
        const data = words.find(word => word.startsWith('--data='))?.slice(7); // which commands that are told would have as well
        words = words.filter(word => !word.startsWith('--data='));
        const command = `stty cols ${cols} rows ${rows}; exec ${words.map(quote).join(' ')}`;
        const decoder = new TextDecoder();
        this.screen = new Screen(cols, rows);
        this.raw = '';
        this.child = spawn('script', ['-qfec', command, '/dev/null'], {
            env: { PATH: process.env.PATH, HOME: path.join(folder, 'home'), LC_ALL: 'C.UTF-8', TERM: 'xterm', ...(data && { SKEIN_DATA: data }), ...env },
            stdio: ['pipe', 'pipe', 'inherit'],
        });
        this.changed = () => {};
        this.child.stdout.on('data', bytes => {
            const text = decoder.decode(bytes, { stream: true });
            this.raw += text;
            this.screen.write(text);
            this.changed();
        });
        this.child.stdin.on('error', () => {});
        this.ended = new Promise(resolve => this.child.on('exit', (code, signal) => {
            this.gone = true;
            resolve({ code, signal });
        }));
    }
    type(text) {
        this.child.stdin.write(text);
    }
    // Waits until the screen's text fits.
    shows(what, ms = 10000) {
        const fits = () => typeof what === 'string' ? this.screen.text.includes(what) : what.test(this.screen.text);
        return within(ms, `${what} on the screen`, new Promise(resolve => {
            this.changed = () => { if (fits()) resolve(this.screen.text); };
            this.changed();
        })).catch(error => {
            error.message += `\nThe screen:\n${this.screen.text}`;
            throw error;
        });
    }
    async end(ms = 10000) {
        const how = await within(ms, 'the end of the program', this.ended);
        return how.code;
    }
    // A chat that waits for a line is left, whatever was typed into it.
    async leave() {
        this.type('\x15\x04');
        const code = await this.end();
        if (code !== 0) throw new Error(`the chat ended with ${code}`);
    }
    kill() {
        if (!this.gone) this.child.kill('SIGKILL');
    }
}
