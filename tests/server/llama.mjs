// llama.mjs: servers of models that people run at home, as far as they differ where it hurts: how many questions they take at once, how much
// they can read, and in which words they refuse.
//
//   llama     llama.cpp's server: slots, /props, 400 exceed_context_size_error
//   ollama    /api/chat with options.num_ctx, /api/show; cuts what is too long from the front, and says nothing
//   vllm      /v1/models with max_model_len, 400 "maximum context length"
//   lmstudio  /api/v0/models with loaded_context_length, the error is inside the stream
//
// A server keeps each request with its size in tokens, which `tokensOf` counts.
import http from 'node:http';
import { finally_ } from './lib.mjs';

// About what a model's own tokenizer counts: words of up to four letters, and every other sign by itself.
export const tokensOf = text => text.match(/[A-Za-z]{1,4}|\d{1,3}|[^\sA-Za-z\d]|\n+/g)?.length ?? 0;

const textOf = content => (typeof content === 'string' ? content : Array.isArray(content) ? content.map(p => p.text ?? '').join('') : '');
const sizeOf = body => [...body.messages, ...(body.tools ?? [])].reduce((sum, m) => sum + 4 +
    tokensOf(m.role ? textOf(m.content) + (m.tool_calls ? JSON.stringify(m.tool_calls.map(c => c.function)) : '') : JSON.stringify(m.function)), 0);

// One question: what was sent, how many tokens that is, and the room that is left for an answer.
class Question {
    constructor(peer, body) {
        const limit = body.max_tokens ?? body.max_completion_tokens ?? body.options?.num_predict;
        Object.assign(this, { body, messages: body.messages.filter(m => m.role !== 'system'), tokens: sizeOf(body) });
        this.system = body.messages.filter(m => m.role === 'system').map(m => textOf(m.content)).join('\n');
        this.summary = this.system.startsWith('You write summaries');
        this.last = textOf(this.messages.at(-1)?.content);
        this.window = peer.kind === 'ollama' ? Math.min(body.options?.num_ctx ?? 4096, peer.train) : peer.window;
        this.asks = limit > 0 ? limit : 0;
        this.over = this.tokens >= this.window || (peer.kind === 'vllm' && this.tokens + this.asks > this.window);
        this.room = Math.max(0, Math.min(this.asks || Infinity, this.window - this.tokens));
    }
}

// What a request that is too long is told, by each server in its own words; Ollama answers it all the same.
const tooLong = {
    llama: (q, n) => [400, { error: { code: 400, type: 'exceed_context_size_error', n_prompt_tokens: q.tokens, n_ctx: n,
        message: `request (${q.tokens} tokens) exceeds the available context size (${n} tokens), try increasing it` } }],
    vllm: (q, n) => [400, { error: { type: 'BadRequestError', param: null, code: 400,
        message: q.asks ? `This model's maximum context length is ${n} tokens. However, you requested ${q.tokens + q.asks} tokens (${q.tokens} in the messages, ${q.asks} in the completion). Please reduce the length of the messages or completion.`
            : `This model's maximum context length is ${n} tokens. However, your request has ${q.tokens} input tokens. Please reduce the length of the input messages.` } }],
    lmstudio: (q, n) => [200, { error: { message: `Trying to keep the first ${q.tokens} tokens when context the overflows. However, the model is loaded with context length of only ${n} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input` } }],
};
const noTools = {
    llama: () => [500, { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } }],
    ollama: model => [400, { error: `registry.ollama.ai/library/${model} does not support tools` }],
    vllm: () => [400, { object: 'error', message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', type: 'BadRequestError', param: null, code: 400 }],
};

let peers = 0;
export class Llama {
    // o: kind, window (tokens; of Ollama what a model was made for), told (what llama says instead), train (what it was trained for), slots, tools (false: it has none),
    // says: q => text | {text, thinking, calls: [{name, args}], finish} | a promise of one; setting: more for the provider
    static async open(server, o = {}) {
        const peer = Object.assign(new Llama(), { kind: 'llama', window: 4096, slots: 1, tools: true, says: () => 'Yes.', ...o });
        peer.train ??= Math.max(peer.window, 131072);
        Object.assign(peer, { asked: [], busy: 0, outstanding: 0, most: 0, line: [], seen: [] });
        peer.http = http.createServer((req, res) => peer.#take(req, res));
        await new Promise(resolve => peer.http.listen(0, '127.0.0.1', resolve));
        finally_(() => peer.close());
        peer.url = `http://127.0.0.1:${peer.http.address().port}`;
        peer.name = o.name ?? `${peer.kind}${++peers}`;
        peer.model = `${peer.name}/m`;
        if (server)
            await server.post('/providers', { name: peer.name, type: peer.kind === 'ollama' ? 'ollama' : 'openai',
                baseUrl: peer.kind === 'ollama' ? peer.url : `${peer.url}/v1`, apiKey: 'k-llama', ...o.setting });
        return peer;
    }
    // What no request may be, if the one who asks knows what it does.
    get over() {
        return this.asked.filter(q => q.over);
    }
    #about(url) {
        const { window, train, slots, kind } = this;
        if (url === '/props' && kind === 'llama')
            return { default_generation_settings: { id: 0, n_ctx: this.told ?? window, is_processing: false }, total_slots: slots, model_path: '/models/m.gguf', chat_template: '' };
        if (url === '/v1/models')
            return { object: 'list', data: [{ id: 'm', object: 'model', created: 1, owned_by: kind,
                ...(kind === 'llama' ? { meta: { n_ctx_train: train, n_vocab: 32000 } } : {}), ...(kind === 'vllm' ? { max_model_len: window } : {}) }] };
        if (url === '/api/v0/models' && kind === 'lmstudio')
            return { object: 'list', data: [{ id: 'm', object: 'model', type: 'llm', state: 'loaded', max_context_length: train, loaded_context_length: window }] };
        if (kind !== 'ollama') return undefined;
        if (url === '/api/show')
            return { parameters: this.parameters ?? '', capabilities: ['completion', ...(this.tools ? ['tools'] : [])],
                model_info: { 'general.architecture': 'llama', 'llama.context_length': train } };
        return { '/api/version': { version: '0.12.0' }, '/api/tags': { models: [{ name: 'm', model: 'm' }] } }[url];
    }
    #take(req, res) {
        const parts = [];
        req.on('data', b => parts.push(b));
        req.on('end', () => {
            const body = parts.length ? JSON.parse(Buffer.concat(parts)) : {};
            this.seen.push(req.url);
            if (req.url === (this.kind === 'ollama' ? '/api/chat' : '/v1/chat/completions')) {
                this.most = Math.max(this.most, ++this.outstanding);
                res.on('close', () => { this.outstanding--; });
                this.line.push([new Question(this, body), res]);
                this.#next();
                return;
            }
            const about = this.#about(req.url);
            res.writeHead(about ? 200 : 404, { 'content-type': 'application/json' });
            res.end(JSON.stringify(about ?? { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } }));
        });
    }
    // One that has no slot waits, and hears nothing meanwhile.
    async #next() {
        if (this.busy === this.slots || !this.line.length) return;
        const [q, res] = this.line.shift();
        this.busy++;
        try {
            if (!res.destroyed) await this.#answer(q, res);
        } finally {
            this.busy--;
            this.#next();
        }
    }
    async #answer(q, res) {
        this.asked.push(q);
        const refusal = q.body.tools?.length && !this.tools ? noTools[this.kind]?.(q.body.model) : q.over ? tooLong[this.kind]?.(q, q.window) : null;
        if (refusal) {
            const [status, error] = refusal;
            res.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' });
            res.end(status === 200 ? `event: error\ndata: ${JSON.stringify(error)}\n\n` : JSON.stringify(error));
            return;
        }
        let said = await this.says(q);
        said = typeof said === 'string' ? { text: said } : said;
        const words = said.text?.match(/\s*\S+/g) ?? [];
        let text = '', n = 0;
        for (const word of words) {
            if ((n += tokensOf(word)) > q.room) {
                said = { ...said, finish: 'length' };
                break;
            }
            text += word;
        }
        if (!res.destroyed) (this.kind === 'ollama' ? this.#tellLines : this.#tellEvents).call(this, res, q, { ...said, text }, Math.min(n, q.room));
    }
    #tellEvents(res, q, said, tokens) {
        const chunk = (delta, finish = null) => res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        chunk({ role: 'assistant', content: null });
        if (said.thinking) chunk({ reasoning_content: said.thinking });
        if (said.text) chunk({ content: said.text });
        for (const [index, c] of (said.calls ?? []).entries())
            chunk({ tool_calls: [{ index, id: c.id ?? `call${this.asked.length}_${index}`, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.args ?? {}) } }] });
        chunk({}, said.finish ?? (said.calls?.length ? 'tool_calls' : 'stop'));
        res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: q.tokens, completion_tokens: tokens, total_tokens: q.tokens + tokens } })}\n\n`);
        res.end('data: [DONE]\n\n');
    }
    #tellLines(res, q, said, tokens) {
        const line = more => res.write(`${JSON.stringify({ model: 'm', created_at: '2026-01-01T00:00:00Z', ...more })}\n`);
        res.writeHead(200, { 'content-type': 'application/x-ndjson' });
        line({ message: { role: 'assistant', content: said.text, ...(said.thinking ? { thinking: said.thinking } : {}),
            ...(said.calls ? { tool_calls: said.calls.map(c => ({ function: { name: c.name, arguments: c.args ?? {} } })) } : {}) }, done: false });
        line({ message: { role: 'assistant', content: '' }, done: true, done_reason: said.finish ?? 'stop', prompt_eval_count: Math.min(q.tokens, q.window), eval_count: tokens });
        res.end();
    }
    close() {
        return new Promise(resolve => {
            this.http.closeAllConnections?.();
            this.http.close(resolve);
        });
    }
}
