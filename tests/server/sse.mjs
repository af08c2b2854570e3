// sse.mjs: a client for event streams, on a bare socket, so that it can be cut after any byte.
//
// The bytes of an answer go through three parsers: the head, the chunks, the frames. Each takes
// them in whatever pieces they come, so that a cut in the middle of anything is just an end.
import net from 'node:net';
import { checkEvent } from './contract.mjs';
import { limit } from './tap.mjs';

// Frames out of text/event-stream, by the rules of the HTML standard.
export class Frames {
    #rest = '';
    #decoder = new TextDecoder('utf-8', { fatal: true });
    #frame = { data: [] };
    constructor(found) {
        this.found = found;
        this.comments = 0;
        this.retry = undefined;
        this.heads = []; // what came first: "retry", "comment", the names of events
    }
    push(bytes) {
        this.#rest += this.#decoder.decode(bytes, { stream: true });
        const lines = this.#rest.split('\n');
        this.#rest = lines.pop();
        for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
    }
    #line(line) {
        if (line === '') return this.#end();
        if (line.startsWith(':')) {
            this.comments++;
            this.heads.push('comment');
            return undefined;
        }
        const colon = line.indexOf(':');
        const field = colon < 0 ? line : line.slice(0, colon);
        const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1));
        if (field === 'data') this.#frame.data.push(value);
        else if (field === 'id') this.#frame.id = value;
        else if (field === 'event') this.#frame.event = value;
        else if (field === 'retry') {
            this.retry = Number(value);
            this.heads.push('retry');
        } else throw new Error(`a stream has the field "${field}"`);
        return undefined;
    }
    #end() {
        const { data, ...frame } = this.#frame;
        this.#frame = { data: [] };
        if (!data.length) return;
        frame.data = data.join('\n');
        frame.body = JSON.parse(frame.data);
        this.heads.push(frame.event);
        this.found(frame);
    }
}

// The body of an answer in chunks.
class Chunks {
    #buffer = Buffer.alloc(0);
    #left = -1; // of the chunk's data; -1: a size comes next; -2: the line end after the data
    constructor(body) {
        this.body = body;
        this.over = false;
    }
    push(bytes) {
        this.#buffer = Buffer.concat([this.#buffer, bytes]);
        while (!this.over && this.#step());
    }
    #step() {
        if (this.#left > 0) {
            const part = this.#buffer.subarray(0, this.#left);
            if (!part.length) return false;
            this.#left -= part.length;
            this.#buffer = this.#buffer.subarray(part.length);
            this.body(part);
            if (this.#left === 0) this.#left = -2;
            return true;
        }
        const end = this.#buffer.indexOf('\r\n');
        if (end < 0) return false;
        const line = this.#buffer.subarray(0, end).toString();
        this.#buffer = this.#buffer.subarray(end + 2);
        if (this.#left === -2) {
            this.#left = -1;
            return true;
        }
        if (!/^[0-9a-f]+$/i.test(line)) throw new Error(`a chunk begins with ${JSON.stringify(line)}`);
        this.#left = parseInt(line, 16);
        if (this.#left === 0) this.over = true;
        return true;
    }
}

export class EventStream {
    // o: host, port, path, method, headers, body, cutAfter (bytes of the whole answer), check
    constructor(o) {
        this.options = o;
        this.events = [];
        this.bytes = 0;
        this.status = 0;
        this.headers = {};
        this.lastId = o.headers?.['last-event-id'];
        this.error = undefined;
        this.ended = false; // in order, by the server
        this.closed = false;
        this.frames = new Frames(frame => this.#event(frame));
        this.chunks = new Chunks(bytes => this.frames.push(bytes));
        this.#head = Buffer.alloc(0);
        this.#waiters = new Set();
        this.done = new Promise(resolve => { this.#resolve = resolve; });
        this.#connect();
    }
    #head;
    #waiters;
    #resolve;
    #connect() {
        const o = this.options;
        const body = o.body === undefined ? '' : JSON.stringify(o.body);
        const headers = { host: `${o.host}:${o.port}`, accept: 'text/event-stream', ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {}), ...o.headers };
        const lines = Object.entries(headers).filter(([, v]) => v !== undefined).map(([k, v]) => `${k}: ${v}\r\n`).join('');

        this.socket = net.connect(o.port, o.host);
        this.socket.on('error', () => {}); // 'close' follows
        this.socket.on('close', () => this.#close());
        this.socket.on('data', bytes => this.#take(bytes));
        this.socket.write(`${o.method ?? 'GET'} ${o.path} HTTP/1.1\r\n${lines}\r\n${body}`);
    }
    #take(bytes) {
        if (this.closed) return;
        const room = (this.options.cutAfter ?? Infinity) - this.bytes;
        const part = bytes.length > room ? bytes.subarray(0, room) : bytes;
        this.bytes += part.length;
        try {
            this.#parse(part);
        } catch (error) {
            this.error = error;
            this.close();
            return;
        }
        if (this.bytes >= (this.options.cutAfter ?? Infinity)) this.close();
    }
    #parse(bytes) {
        if (!this.status) {
            this.#head = Buffer.concat([this.#head, bytes]);
            const end = this.#head.indexOf('\r\n\r\n');
            if (end < 0) return;
            const [first, ...lines] = this.#head.subarray(0, end).toString().split('\r\n');
            bytes = this.#head.subarray(end + 4);
            this.status = Number(first.split(' ')[1]);
            for (const line of lines) {
                const colon = line.indexOf(':');
                this.headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
            }
            if (this.status !== 200 || !/^text\/event-stream/.test(this.headers['content-type']))
                throw new Error(`the stream ${this.options.path} gave ${this.status} ${this.headers['content-type']}: ${bytes}`);
        }
        if (this.headers['transfer-encoding'] === 'chunked') this.chunks.push(bytes);
        else this.frames.push(bytes);
        if (this.chunks.over) {
            this.ended = true;
            this.close();
        }
        this.#wake();
    }
    #event(frame) {
        if (this.options.check !== false) checkEvent(frame);
        if (frame.id !== undefined) {
            if (this.lastId !== undefined && Number(frame.id) <= Number(this.lastId))
                throw new Error(`event ${frame.id} came after ${this.lastId}`);
            this.lastId = frame.id;
        }
        this.events.push(frame);
        this.options.event?.(frame);
    }
    #wake() {
        for (const w of [...this.#waiters]) w();
    }
    #close() {
        this.closed = true;
        this.#wake();
        this.#resolve();
    }
    // Ends it from this side.
    close() {
        this.socket.destroy();
        this.#close();
    }
    // The first event from index `from` on that fits; waits for it.
    async until(what, fits, { from = 0, ms = 15000 } = {}) {
        let next = from;
        const look = () => {
            for (; next < this.events.length; next++) if (fits(this.events[next])) return this.events[next];
            return undefined;
        };
        let found = look();
        if (found) return found;
        let timer, wake;
        try {
            await new Promise((resolve, reject) => {
                timer = setTimeout(() => reject(new Error(`${what}: not in the stream; the last were ${this.tail()}`)), limit(ms));
                wake = () => {
                    if ((found = look())) resolve();
                    else if (this.closed) reject(this.error ?? new Error(`${what}: the stream ended; the last were ${this.tail()}`));
                };
                this.#waiters.add(wake);
                wake();
            });
            return found;
        } finally {
            clearTimeout(timer);
            this.#waiters.delete(wake);
        }
    }
    // The first event of that name.
    event(name, fits = () => true, options) {
        return this.until(name, e => e.event === name && fits(e.body.data, e.body), options);
    }
    // The first words or thoughts of an answer, or those with this part: a piece, or what was written until then, which a stream
    // gets that joined a moment late.
    words(part = '') {
        const has = text => text !== '' && text.includes(part);
        return this.until(part || 'the first words', e => ['message.delta', 'message.snapshot'].includes(e.event) && (has(e.body.data.text) || has(e.body.data.thinking ?? '')));
    }
    of(name) {
        return this.events.filter(e => e.event === name).map(e => e.body.data);
    }
    names() {
        return this.events.map(e => e.event);
    }
    tail() {
        return this.events.slice(-12).map(e => `${e.event} ${e.data.slice(0, 160)}`).join('\n  ');
    }
}
