// skein from a Node program (or a browser): the HTTP API (docs/api.md) of a server.
//
//     const skein = new Skein('http://127.0.0.1:7777');
//     await skein.call('POST', '/worlds', { name: 'lab' });
//     for await (const event of skein.events('/worlds/lab/events')) console.log(event.type);
//
// Uses fetch only. On its own computer the user who runs the server needs no token; elsewhere "skein token" prints it.

// A request that failed. `body` is the problem document: code, detail, hint and more.
export class SkeinError extends Error {
    constructor(status, body) {
        super(body?.detail ?? `the server answered with ${status}`);
        this.status = status;
        this.body = body;
    }
}

export class Skein {
    #base;
    #headers;

    constructor(address, { token } = {}) {
        this.#base = address.replace(/\/$/, '');
        this.#headers = token ? { authorization: `Bearer ${token}` } : {};
    }

    async #fetch(method, path, { body, headers, signal }) {
        const json = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
        const response = await fetch(this.#base + path, {
            method, signal, body: json ? JSON.stringify(body) : body,
            headers: { ...this.#headers, ...(json ? { 'content-type': 'application/json' } : {}), ...headers },
        });
        if (response.ok) return response;
        throw new SkeinError(response.status, await response.json().catch(() => null));
    }

    // One request. Gives status, headers (names in lower case) and body: what the JSON says, or bytes of another type.
    async call(method, path, body, headers = {}) {
        const response = await this.#fetch(method, path, { body, headers: { accept: 'application/json', ...headers } });
        const type = (response.headers.get('content-type') ?? '').split(';')[0].trim();
        const bytes = new Uint8Array(await response.arrayBuffer());
        const read = () => /^application\/(.*\+)?json$/.test(type) ? JSON.parse(new TextDecoder().decode(bytes)) : bytes;
        return { status: response.status, headers: Object.fromEntries(response.headers), body: bytes.length ? read() : null };
    }

    // Events as they come: { type, seq, world, chatId, data, … }. Without `after` only new ones. When the connection breaks it
    // goes on behind the last event; ends with `signal`.
    async *events(path = '/events', { after, signal } = {}) {
        for (let pause = 100; !signal?.aborted; pause = Math.min(pause * 2, 10000)) {
            try {
                for await (const event of this.#stream(path, after, signal)) {
                    pause = 100;
                    after = event.seq ?? after ?? event.data?.lastEventId; // stream.open says where it begins
                    yield event;
                }
            } catch (error) {
                if (signal?.aborted) return;
                if (error instanceof SkeinError && error.status < 500) throw error;
            }
            await new Promise(resolve => setTimeout(resolve, pause));
        }
    }

    async *#stream(path, after, signal) {
        const query = after === undefined ? '' : `${path.includes('?') ? '&' : '?'}after=${after}`;
        const response = await this.#fetch('GET', path + query, { headers: { accept: 'text/event-stream' }, signal });
        let rest = '';
        for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
            const frames = (rest + text).split('\n\n');
            rest = frames.pop();
            for (const frame of frames) {
                const field = name => frame.split('\n').filter(line => line.startsWith(`${name}: `)).map(line => line.slice(name.length + 2)).join('\n');
                if (field('data')) yield { type: field('event'), ...JSON.parse(field('data')) };
            }
        }
    }
}
