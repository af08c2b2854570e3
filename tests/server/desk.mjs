// desk.mjs: what tests of agents at work share: looking into an agent's own conversations, and a model
// that answers when the test says so.
import http from 'node:http';
import { assert, eventually, finally_ } from './lib.mjs';

// --- What agents are sent to do --------------------------------------------------------------------

// Rules of a script: "hold", "ask the person", "keep in mind" and "look up X", and what is said when a tool has answered.
export const errands = `
  - tool: create_inbox_item
    do: I have briefed.
  - tool: request_input
    do: I have asked.
  - tool: remember
    do: I will remember that.
  - tool: demo_lookup
    do: That is what I found.
  - when: hold
    do:
      - say: I begin, and it will take long.
      - wait: 10m
      - say: I end.
  - when: ask the person
    do:
      - call: request_input
        args: {question: Which time zone?}
  - when: keep in mind
    do:
      - call: remember
        args: {type: fact, content: The freeze ends at noon, confidence: 0.8}
  - matches: 'look up (.*)'
    do:
      - call: demo_lookup
        args: {query: '{1}'}
`.trim();

// --- An agent's own conversations -----------------------------------------------------------------

// All events of a world from its first one.
export async function watch(w) {
    const stream = w.events('?after=0');
    await stream.event('stream.open');
    return stream;
}

// Gives an agent a task; gives it as it is when it is over.
export async function work(w, agent, content) {
    const stream = await watch(w);
    const task = await w.server.post(`${w.path}/agents/${agent}/tasks`, { content });
    await stream.event('task.finished', e => e.taskId === task.id);
    stream.close();
    return w.server.get(`${w.path}/tasks/${task.id}`);
}

// The same of a task that asks somebody: as it is when it waits for the answer.
export async function park(w, agent, content) {
    const stream = await watch(w);
    const task = await w.server.post(`${w.path}/agents/${agent}/tasks`, { content });
    await stream.event('task.waiting', e => e.taskId === task.id);
    stream.close();
    return w.server.get(`${w.path}/tasks/${task.id}`);
}

// The agent's conversations of a mode.
export const owned = async (w, agent, mode) => (await w.server.get(`${w.path}/agents/${agent}/conversations?mode=${mode}`)).data;

// Its one conversation of that mode.
export async function own(w, agent, mode = 'background') {
    const chats = await owned(w, agent, mode);
    assert.equal(chats.length, 1, `${agent} has ${chats.length} ${mode} conversations`);
    return chats[0];
}

// All that is stored there, in order.
export async function rows(w, agent, mode = 'background') {
    return (await w.server.get(`${w.path}/chats/${(await own(w, agent, mode)).id}/messages?limit=500`)).data;
}

// What a model would be sent there.
export async function context(w, agent, mode = 'background') {
    return w.server.get(`${w.path}/chats/${(await own(w, agent, mode)).id}/context?agent=${agent}`);
}

// Says something to the agent in the foreground and waits for its answer; gives the stored message.
export async function talk(w, agent, content) {
    const said = await w.server.post(`${w.path}/messages`, { content, agent }, 202);
    await w.idle();
    return said;
}

// The requests that models were sent for this agent, newest first.
export async function asked(w, agent, purpose) {
    const calls = (await w.server.get(`${w.path}/agents/${agent}/calls`)).data.filter(c => c.purpose === purpose);
    return Promise.all(calls.map(c => w.server.get(`${w.path}/calls/${c.id}`)));
}

export const inbox = (w, query = '') => w.server.get(`/inbox?world=${w.name}&state=all${query}`);

// --- A model that answers when the test says so ------------------------------------------------------

// One question to the model: what it was sent, and how it is answered.
class Question {
    constructor(body, res) {
        this.body = body;
        this.res = res;
        this.system = body.messages[0]?.role === 'system' ? body.messages[0].content : '';
        this.messages = body.messages.filter(m => m.role !== 'system');
        this.last = this.messages.at(-1);
        this.summary = this.system.startsWith('You write summaries');
        this.gone = new Promise(resolve => res.on('close', resolve));
    }
    #chunk(delta, finish = null) {
        this.res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
    }
    // calls: [{id, name, args}]
    answer(text, calls = []) {
        this.begin(text);
        for (const [index, c] of calls.entries())
            this.#chunk({ tool_calls: [{ index, id: c.id, type: 'function', function: { name: c.name, arguments: JSON.stringify(c.args ?? {}) } }] });
        this.#chunk({}, calls.length ? 'tool_calls' : 'stop');
        this.res.end('data: [DONE]\n\n');
    }
    // All that it may write, and no end. calls: [{id, name, raw}], of which the last may be cut, too.
    cut(text, calls = []) {
        this.begin(text);
        for (const [index, c] of calls.entries())
            this.#chunk({ tool_calls: [{ index, id: c.id, type: 'function', function: { name: c.name, arguments: c.raw } }] });
        this.#chunk({}, 'length');
        this.res.end('data: [DONE]\n\n');
    }
    // The first words of an answer that goes on.
    begin(text) {
        if (!this.res.headersSent) this.res.setHeader('content-type', 'text/event-stream');
        if (text) this.#chunk({ role: 'assistant', content: text });
    }
    // What it thinks before it writes.
    think(text) {
        this.begin();
        this.#chunk({ role: 'assistant', reasoning_content: text });
    }
    // A piece of the arguments of a call.
    argue(text) {
        this.begin();
        this.#chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'recall', arguments: text } }] });
    }
    // What it says to have read and written; before the end of an answer.
    usage(prompt_tokens, completion_tokens) {
        this.res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens } })}\n\n`);
    }
    fail(status = 400, message = 'this model is out of order', headers = {}) {
        this.res.writeHead(status, { 'content-type': 'application/json', ...headers });
        this.res.end(JSON.stringify({ error: { message } }));
    }
}

let desks = 0;
export class Desk {
    // A model on `server` whose questions `auto` answers: it returns a text, null when it has answered by
    // itself, or undefined to leave the question to the test. setting: more for the provider.
    static async open(server, auto = () => undefined, setting = { concurrency: 1000 }) {
        const desk = new Desk();
        desk.auto = auto;
        desk.waiting = [];
        desk.takers = [];
        desk.http = http.createServer((req, res) => desk.#take(req, res));
        await new Promise(resolve => desk.http.listen(0, '127.0.0.1', resolve));
        finally_(() => desk.close());
        const name = `desk${++desks}`;
        await server.post('/providers', { name, type: 'openai', baseUrl: `http://127.0.0.1:${desk.http.address().port}/v1`, apiKey: 'k-desk', ...setting });
        desk.model = `${name}/m`;
        return desk;
    }
    #take(req, res) {
        let text = '';
        req.on('data', b => { text += b; });
        req.on('end', () => {
            if (req.method === 'GET') {
                res.setHeader('content-type', 'application/json');
                res.end(JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model', max_model_len: this.window }] }));
                return;
            }
            const q = new Question(JSON.parse(text), res);
            const said = this.auto(q);
            if (said === null) return;
            if (said !== undefined) q.answer(said);
            else if (this.takers.length) this.takers.shift()(q);
            else this.waiting.push(q);
        });
    }
    // The next question that waits for an answer.
    next() {
        if (this.waiting.length) return Promise.resolve(this.waiting.shift());
        return new Promise(resolve => this.takers.push(resolve));
    }
    close() {
        return new Promise(resolve => {
            this.http.closeAllConnections?.();
            this.http.close(resolve);
        });
    }
}

// A job once it has ended.
export async function ended(server, job) {
    return eventually(`the end of the job ${job.id}`, async () => {
        const now = await server.get(`/jobs/${job.id}`);
        return now.state !== 'running' && now;
    });
}
