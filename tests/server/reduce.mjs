// reduce.mjs: what a client knows of a chat by its events alone, as a page would keep it.
//
// Removals, edits and time travel can be followed without asking: a version that a removal made
// is the beginning of the one before it, and an old version is still known when it comes back.

export class Room {
    constructor(chat) {
        this.chat = chat;
        this.threads = {}; // id of a version: ids of its messages, in order
        this.messages = {}; // as they were told
        this.writing = {}; // what is being written: chunk, text, thinking
        this.over = {}; // what was begun and not said: it must never be said
        this.agents = {};
        this.waiting = [];
        this.current = null;
        this.busy = false;
    }
    apply(frame) {
        const { chatId, threadId, data } = frame.body;
        if (chatId !== this.chat) return;
        this[frame.event]?.(data, threadId);
    }
    #list(thread) {
        this.current ??= thread;
        return (this.threads[thread] ??= []);
    }
    #store(data, thread) {
        const list = this.#list(thread);
        if (list.includes(data.messageId)) throw new Error(`${data.messageId} was told twice in ${thread}`);
        if (this.over[data.messageId]) throw new Error(`${data.messageId} was said after it was withdrawn`);
        list.push(data.messageId);
        this.messages[data.messageId] = data;
    }
    'message.created'(data, thread) {
        this.#store(data, thread);
    }
    'message.started'(data) {
        this.writing[data.messageId] = { chunk: 0, text: '', thinking: '', agent: data.agent };
    }
    'message.snapshot'(data) {
        const w = this.writing[data.messageId];
        if (!w) throw new Error(`a snapshot of ${data.messageId}, which has not started`);
        Object.assign(w, { chunk: data.chunk, text: data.text, thinking: data.thinking ?? '' });
    }
    'message.delta'(data) {
        const w = this.writing[data.messageId];
        if (!w) throw new Error(`a piece of ${data.messageId}, which has not started`);
        if (data.chunk !== w.chunk + 1) throw new Error(`${data.messageId}: piece ${data.chunk} came after ${w.chunk}`);
        w.chunk = data.chunk;
        w[data.part] += data.text;
    }
    #over(data) {
        const w = this.writing[data.messageId];
        delete this.writing[data.messageId];
        return w;
    }
    'message.completed'(data, thread) {
        const w = this.#over(data);
        if (w && !data.content.startsWith(w.text))
            throw new Error(`${data.messageId}: ${JSON.stringify(w.text)} was written, ${JSON.stringify(data.content)} came of it`);
        this.#store(data, thread);
    }
    'message.failed'(data) {
        this.#over(data);
        this.over[data.messageId] = true;
    }
    'message.withdrawn'(data) {
        this.#over(data);
        this.over[data.messageId] = true;
    }
    'thread.created'(data, thread) {
        const known = this.threads[data.originalThread] ?? [];
        if (!['remove', 'edit'].includes(data.op)) throw new Error(`${data.op} cannot be followed by events alone`);
        // An edit's new message is told by itself, afterwards.
        if (data.length > known.length) throw new Error(`${data.threadId} is longer than what it was made from`);
        this.threads[data.threadId] = known.slice(0, data.length);
        this.current = data.threadId;
        if (thread && thread !== data.threadId) throw new Error(`${data.threadId} was told in ${thread}`);
    }
    'thread.switched'(data) {
        if (!this.threads[data.to]) throw new Error(`switched to ${data.to}, which nobody told of`);
        this.current = data.to;
    }
    'agent.state'(data) {
        this.agents[data.agent] = data.state;
    }
    'queue.changed'(data) {
        this.waiting = data.waiting;
    }
    'world.busy'() {
        this.busy = true;
    }
    'world.idle'() {
        this.busy = false;
    }
    // The messages of the current version.
    list() {
        return (this.threads[this.current] ?? []).map(id => this.messages[id]);
    }
    // Everything, as text; equal for two clients that know the same.
    state() {
        const sorted = o => Object.fromEntries(Object.entries(o).sort(([a], [b]) => a < b ? -1 : 1));
        return JSON.stringify({ current: this.current, threads: sorted(this.threads), messages: sorted(this.messages), writing: sorted(this.writing), over: sorted(this.over),
            agents: sorted(this.agents), waiting: this.waiting, busy: this.busy });
    }
}
