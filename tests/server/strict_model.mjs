// strict_model.mjs: a server of models that wants its thinking back as it gave it, in every wire format, and that counts how
// much of a question it has read before.
import http from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { finally_ } from './tap.mjs';

const event = (data, name) => `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const refuse = message => ({ status: 400, body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }) });
const stream = body => ({ status: 200, type: 'text/event-stream', body });
const tool = 'list_agents';
// Of a model that thinks long.
const thoughts = model => (model.endsWith('-long') ? Array.from({ length: 200 }, (_, i) => `Thought ${i} of ${i * i}.`).join(' ') : '');

export class StrictModel {
    // { anthropic, openai, ollama } are base URLs.
    static async open() {
        const model = new StrictModel();
        Object.assign(model, { asked: [], given: new Map(), count: 0, kept: new Set() });
        model.http = http.createServer((req, res) => model.#take(req, res));
        await new Promise(resolve => model.http.listen(0, '127.0.0.1', resolve));
        const url = `http://127.0.0.1:${model.http.address().port}`;
        finally_(() => new Promise(resolve => {
            model.http.closeAllConnections?.();
            model.http.close(resolve);
        }));
        return Object.assign(model, { anthropic: url, openai: `${url}/v1`, responses: `${url}/v1`, ollama: url });
    }
    #take(req, res) {
        let text = '';
        req.on('data', b => { text += b; });
        req.on('end', () => {
            const path = req.url.split('?')[0];
            if (req.method === 'GET' || path === '/api/show') {
                res.setHeader('content-type', 'application/json');
                return res.end('{"data":[],"models":[]}');
            }
            const body = JSON.parse(text);
            this.asked.push({ path, body, text });
            const about = this.asked.at(-1);
            const { status, type = 'application/json', body: said, held } = this.#answer(path, body, about);
            res.writeHead(status, { 'content-type': type });
            if (held) res.write(said);
            else res.end(said);
        });
    }
    #answer(path, body, about) {
        const ways = { '/v1/messages': 'anthropicSays', '/v1/chat/completions': 'openaiSays', '/v1/responses': 'responsesSays', '/api/chat': 'ollamaSays' };
        return this[ways[path]](body, about);
    }
    // What was given with a call, by the call's id.
    #wanted(id) {
        return this.given.get(id);
    }
    #give(thinking) {
        const id = `call_${++this.count}`;
        this.given.set(id, thinking);
        return id;
    }

    // --- Anthropic: signed blocks stand before the calls that they led to ---------------------------------

    // Beginnings are kept where a block is marked, and looked for up to 20 blocks before each mark.
    #read(body, about) {
        const blocks = [...body.tools ?? [], ...body.system ?? [], ...body.messages.flatMap(m => m.content.map(b => ({ role: m.role, ...b })))];
        const marks = blocks.flatMap((b, i) => (b.cache_control ? [i] : []));
        let all = '';
        const until = blocks.map(({ cache_control, ...b }) => { all += JSON.stringify(b); return all; });
        const known = marks.flatMap(i => until.slice(Math.max(0, i - 20), i + 1)).filter(p => this.kept.has(p)).map(p => p.length);
        Object.assign(about, { marks: marks.length, read: Math.max(0, ...known), all: all.length, marked: marks.length ? until[marks.at(-1)].length : 0 });
        for (const i of marks) this.kept.add(until[i]);
    }
    anthropicSays(body, about) {
        this.#read(body, about);
        if (about.marks > 4) return refuse(`A maximum of 4 blocks with cache_control may be provided. Found ${about.marks}.`);
        const last = body.messages.at(-1).content;
        for (const [i, m] of body.messages.entries()) {
            const use = m.role === 'assistant' && m.content.find(b => b.type === 'tool_use');
            const thoughts = use && m.content.filter(b => b.type.endsWith('thinking'));
            const own = use && this.#wanted(use.id); // or another model's, which it takes only where it is not to think
            if (use && body.model.startsWith('claude') && (own || body.thinking) && m.content[0].type !== 'thinking')
                return refuse(`messages.${i}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${m.content[0].type}\`.`);
            if (own && body.model.startsWith('claude') && !isDeepStrictEqual(thoughts, this.#wanted(use.id)))
                return refuse(`messages.${i}.content.0: Invalid \`signature\` in \`thinking\` block`);
        }
        const calls = last.at(-1).type === 'text' && last.at(-1).text.includes('colleagues');
        const n = this.count + 1;
        const thinking = [{ type: 'thinking', thinking: `I "must" look ${n}.\n${thoughts(body.model)}`, signature: `Sig${n}+/=` }, { type: 'redacted_thinking', data: `Hidden${n}==` }];
        const events = [event({ type: 'message_start', message: { usage: { input_tokens: about.all - about.marked, cache_read_input_tokens: about.read, cache_creation_input_tokens: about.marked - about.read, output_tokens: 1 } } }, 'message_start')];
        let index = 0;
        const block = (start, ...deltas) => {
            events.push(event({ type: 'content_block_start', index, content_block: start }, 'content_block_start'));
            for (const delta of deltas) events.push(event({ type: 'content_block_delta', index, delta }, 'content_block_delta'));
            events.push(event({ type: 'content_block_stop', index: index++ }, 'content_block_stop'));
        };
        const [open, hidden] = thinking, half = open.thinking.length >> 1;
        block({ type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: open.thinking.slice(0, half) },
            { type: 'thinking_delta', thinking: open.thinking.slice(half) }, { type: 'signature_delta', signature: open.signature });
        if (body.model === 'claude-slow') // goes on until it is stopped
            return { ...stream(events.join('')), held: true };
        block(hidden);
        if (calls) block({ type: 'tool_use', id: this.#give(thinking), name: tool, input: {} });
        else block({ type: 'text', text: '' }, { type: 'text_delta', text: 'There is me.' });
        events.push(event({ type: 'message_delta', delta: { stop_reason: calls ? 'tool_use' : 'end_turn' }, usage: { output_tokens: 9 } }, 'message_delta'));
        return stream(events.join('') + event({ type: 'message_stop' }, 'message_stop'));
    }

    // --- Chat completions: DeepSeek's thoughts, Google's signatures ----------------------------------------

    openaiSays(body) {
        const gemini = body.model.startsWith('gemini'), deepseek = body.model.startsWith('deepseek');
        for (const [i, m] of body.messages.entries()) {
            const call = m.tool_calls?.[0];
            if (deepseek && call && m.reasoning_content !== this.#wanted(call.id))
                return refuse(`Missing \`reasoning_content\` field in the assistant message at message index ${i}.`);
            if (!call && 'reasoning_content' in m)
                return refuse('The reasoning_content is only valid in messages with tool calls');
            if (gemini && call && !isDeepStrictEqual(call.extra_content, this.#wanted(call.id)))
                return refuse('Function call is missing a thought_signature in functionCall parts.');
            if (!gemini && call?.extra_content) return refuse('Unrecognized request argument supplied: extra_content');
        }
        const last = body.messages.at(-1), n = this.count + 1;
        if (body.model.startsWith('json')) return stream(event({ choices: [{ index: 0, delta: { content: this.words(body.model, last) }, finish_reason: 'stop' }] }) + event('[DONE]'));
        const calls = last.role === 'user' && last.content.includes('colleagues');
        const chunk = (delta, finish_reason = null) => event({ choices: [{ index: 0, delta, finish_reason }] });
        const thought = `First "this" ${n}.\n${thoughts(body.model)}`;
        let said = deepseek ? chunk({ reasoning_content: thought.slice(0, 5) }) + chunk({ reasoning_content: thought.slice(5) }) : '';
        if (calls) {
            const extra = { google: { thought_signature: `Gem${n}+/=` } };
            const one = { index: 0, id: this.#give(gemini ? extra : thought), type: 'function', function: { name: tool, arguments: '{}' } };
            said += chunk({ tool_calls: [gemini ? { ...one, extra_content: extra } : one] }) + chunk({}, 'tool_calls');
        } else {
            said += chunk({ content: 'There is me.' }) + chunk({}, 'stop');
        }
        return stream(said + event('[DONE]'));
    }

    // "json-0.5" says something that is no JSON, and then 0.5.
    words(model, last) {
        return last.content.startsWith('[') ? `{"price": ${model.slice(5)}}` : 'The price is good.';
    }

    // --- Responses: items that stand before the calls that they led to ---------------------------------------

    responsesSays(body) {
        if (body.store !== false || !body.include?.includes('reasoning.encrypted_content')) return refuse('this test keeps nothing');
        for (const [i, item] of body.input.entries())
            if (item.type === 'function_call' && !isDeepStrictEqual(body.input[i - 1], this.#wanted(item.call_id)))
                return refuse(`Item '${item.call_id}' of type 'function_call' was provided without its required 'reasoning' item.`);
        const last = body.input.at(-1), n = this.count + 1;
        const calls = last.role === 'user' && last.content.includes('colleagues');
        const reasoning = { id: `rs_${n}`, type: 'reasoning', summary: [], encrypted_content: `Enc${n}+/=` };
        const item = calls ? { id: `fc_${n}`, type: 'function_call', call_id: this.#give(reasoning), name: tool, arguments: '{}', status: 'completed' }
            : { id: `msg_${n}`, type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'There is me.' }] };
        const events = [{ type: 'response.created', response: {} },
            { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, encrypted_content: undefined } },
            { type: 'response.output_item.done', output_index: 0, item: reasoning },
            { type: 'response.output_item.added', output_index: 1, item: { ...item, arguments: calls ? '' : undefined, content: [] } },
            ...(calls ? [{ type: 'response.function_call_arguments.delta', output_index: 1, delta: '{' }, { type: 'response.function_call_arguments.delta', output_index: 1, delta: '}' }]
                : [{ type: 'response.output_text.delta', output_index: 1, delta: 'There ' }, { type: 'response.output_text.delta', output_index: 1, delta: 'is me.' }]),
            { type: 'response.output_item.done', output_index: 1, item },
            { type: 'response.completed', response: { status: 'completed', usage: { input_tokens: 77, input_tokens_details: { cached_tokens: 70 }, output_tokens: 5 } } }];
        // Some servers leave out the status of what was cut off.
        if (body.model === 'gpt-cut') events.splice(-1, 1, { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } });
        return stream(events.map(e => event(e, e.type)).join(''));
    }

    // --- Ollama: its thoughts, too ------------------------------------------------------------------------

    ollamaSays(body) {
        const n = body.messages.findIndex(m => m.tool_calls);
        const line = (message, more = { done: false }) => `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '', ...message }, ...more })}\n`;
        if (n >= 0 && body.messages[n].thinking !== 'I look.') return refuse('the thinking of the call is missing');
        const calls = n < 0;
        const said = calls ? { tool_calls: [{ function: { name: tool, arguments: {} } }] } : { content: 'There is me.' };
        return { status: 200, type: 'application/x-ndjson', body: line({ thinking: 'I ' }) + line({ thinking: 'look.' }) + line(said) + line({}, { done: true, done_reason: 'stop' }) };
    }
}
