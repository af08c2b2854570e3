// proxy.mjs: something between a page and its server that can be cut, stopped, and pointed elsewhere: the
// address of the page stays the same while the server behind it ends and comes back on another port.
import net from 'node:net';
import { finally_, within } from '../../../tests/server/lib.mjs';

export class Proxy {
    #changed = () => {}; // told when a stream was opened or closed
    constructor(server) {
        this.server = server;
        this.sockets = new Set();
        this.streams = new Set(); // connections that carry an event stream
        this.opened = 0; // streams in all
        this.down = false;
        this.cutIn = null; // cut a stream in the middle of the first bytes that hold this text
        this.cuts = 0;
        this.held = false; // what a stream that goes on has to tell waits for release()
    }
    static async start(server) {
        const proxy = new Proxy(server);
        proxy.listener = net.createServer(s => proxy.#join(s));
        await new Promise(resolve => proxy.listener.listen(0, '127.0.0.1', resolve));
        proxy.url = new URL(`http://127.0.0.1:${proxy.listener.address().port}/`);
        finally_(() => proxy.close());
        return proxy;
    }
    #join(client) {
        if (this.down) return client.destroy();
        const upstream = net.connect(this.server.port, this.server.host);
        const both = {
            client,
            late: null, // bytes that wait
            end: () => {
                client.destroy();
                upstream.destroy();
            },
        };
        this.sockets.add(both);
        const gone = () => {
            this.sockets.delete(both);
            this.streams.delete(both);
            both.end();
            this.#changed();
        };
        for (const s of [client, upstream]) s.on('close', gone).on('error', gone);
        client.on('data', bytes => {
            if (/^GET \/api\/v1\/events[ ?]/.test(bytes) && /text\/event-stream/.test(bytes)) {
                this.streams.add(both);
                this.opened++;
                this.#changed();
            }
            // The server answers only those who call it by its own name.
            const [mine, its] = [this.url.host, `${this.server.host}:${this.server.port}`];
            upstream.write(Buffer.from(bytes.toString('latin1').replaceAll(mine, its), 'latin1'));
        });
        upstream.on('data', bytes => {
            const at = this.cutIn && this.streams.has(both) ? bytes.indexOf(this.cutIn) : -1;
            if (at < 0) return void this.#pass(both, bytes);
            this.cutIn = null;
            this.cuts++;
            client.write(bytes.subarray(0, at + 5), both.end);
        });
        return undefined;
    }
    #pass(both, bytes) {
        if (both.late) return void both.late.push(bytes);
        const resumed = this.held && this.streams.has(both) ? bytes.indexOf('stream.resume') : -1;
        const end = resumed < 0 ? -1 : bytes.indexOf('\n\n', resumed) + 2;
        if (end < 2) return void both.client.write(bytes);
        both.client.write(bytes.subarray(0, end));
        both.late = [bytes.subarray(end)];
        return undefined;
    }
    // As over a slow line: a stream that goes on says how much it has to tell, and no more until release().
    hold() {
        this.held = true;
    }
    release() {
        this.held = false;
        for (const both of this.streams) {
            for (const bytes of both.late ?? []) both.client.write(bytes);
            both.late = null;
        }
    }
    // So many streams are open: whoever left may be heard of later than whoever came.
    async carries(n) {
        await within(
            10000,
            `${n} streams`,
            new Promise(resolve => {
                this.#changed = () => this.streams.size === n && resolve();
                this.#changed();
            }),
        );
    }
    // Nobody gets through any more, and whoever was there is thrown out.
    stop() {
        this.down = true;
        for (const s of [...this.sockets]) s.end();
    }
    resume() {
        this.down = false;
    }
    close() {
        this.stop();
        this.listener.close();
    }
}
