// request.ts: what a model was sent, read from the bytes of the call. Each provider writes it in its own way; here it
// becomes one list, in the order in which the model saw it.

export interface SeenCall {
    id: string;
    name: string;
    args: string;
}

export interface Seen {
    role: string;
    text: string;
    calls: SeenCall[];
    /** of a tool's result: the call that it answers, and the tool */
    answers: string | null;
    tool: string | null;
    failed: boolean;
    /** the messages that stand in it, where they are known */
    messageIds: string[];
}

export interface Tool {
    name: string;
    description: string | null;
    parameters: unknown;
}

export interface Asked {
    model: string | null;
    seen: Seen[];
    tools: Tool[];
    /** what is left: temperature, limits */
    options: [string, unknown][];
}

type Bag = Record<string, unknown>;

function bag(value: unknown): Bag {
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Bag) : {};
}

function list(value: unknown): unknown[] {
    return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | null {
    return typeof value === 'string' ? value : null;
}

function asText(value: unknown): string {
    if (value === null || value === undefined) return '';
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

function seen(role: string, said: string, more: Partial<Seen> = {}): Seen {
    return { role, text: said, calls: [], answers: null, tool: null, failed: false, messageIds: [], ...more };
}

// OpenAI and Ollama: {function: {name, arguments}}; the script: {id, name, args}.
function readCall(value: unknown): SeenCall {
    const call = bag(value);
    const f = bag(call.function);
    return {
        id: text(call.id) ?? '',
        name: text(f.name) ?? text(call.name) ?? '?',
        args: asText(f.arguments ?? call.args ?? call.input),
    };
}

function readResult(block: Bag): Seen {
    return seen('tool', blockText(block.content), {
        answers: text(block.tool_use_id),
        failed: block.is_error === true,
    });
}

/**
 * Anthropic: neighbours of one side share a message. Each result and each text is one of its own again; calls belong to
 * the text before them.
 */
function readBlocks(role: string, blocks: unknown[]): Seen[] {
    const out: Seen[] = [];
    for (const block of blocks.map(bag)) {
        const last = out.at(-1);
        if (block.type === 'tool_result') out.push(readResult(block));
        else if (block.type !== 'tool_use') out.push(seen(role, text(block.text) ?? asText(block)));
        else if (last && last.role === role) last.calls.push(readCall(block));
        else out.push(seen(role, '', { calls: [readCall(block)] }));
    }
    return out;
}

function blockText(content: unknown): string {
    if (!Array.isArray(content)) return asText(content);
    return content.map(part => text(bag(part).text) ?? asText(part)).join('\n');
}

function readMessage(value: unknown): Seen[] {
    const m = bag(value);
    const role = text(m.role) ?? 'user';
    if (Array.isArray(m.content)) return readBlocks(role, m.content);
    return [
        seen(role, asText(m.content), {
            calls: list(m.tool_calls ?? m.toolCalls).map(readCall),
            answers: text(m.tool_call_id) ?? text(m.toolCallId),
            tool: role === 'tool' ? (text(m.name) ?? text(m.tool_name)) : null,
            failed: m.failed === true,
        }),
    ];
}

function readTool(value: unknown): Tool {
    if (typeof value === 'string') return { name: value, description: null, parameters: null };
    const t = bag(value);
    const f = t.function ? bag(t.function) : t;
    return {
        name: text(f.name) ?? '?',
        description: text(f.description),
        parameters: f.parameters ?? f.input_schema ?? null,
    };
}

/** Names the tool of each result by the call that it answers. */
function nameResults(all: Seen[]): Seen[] {
    const names = new Map(all.flatMap(s => s.calls).map(c => [c.id, c.name]));
    return all.map(s => (s.answers && !s.tool ? { ...s, tool: names.get(s.answers) ?? null } : s));
}

const KNOWN = new Set(['model', 'system', 'messages', 'tools', 'looksAt', 'note']);

/** null: it is nothing that can be taken apart, such as a text that was cut. */
export function readRequest(request: unknown): Asked | null {
    const r = bag(request);
    if (!Array.isArray(r.messages)) return null;
    const system = r.system === undefined ? [] : [seen('system', blockText(r.system))];
    return {
        model: text(r.model),
        seen: nameResults([...system, ...r.messages.flatMap(readMessage)]),
        tools: list(r.tools).map(readTool),
        options: Object.entries(r).filter(([name]) => !KNOWN.has(name)),
    };
}

/** A token for four bytes, as the server estimates where nobody measured. */
export function estimate(s: Seen): number {
    const all = s.text + s.calls.map(c => c.name + c.args).join('');
    return Math.ceil(new TextEncoder().encode(all).length / 4);
}

/** "[from ada] …": who it says wrote it, where the text begins with a name. */
export function summaryOf(s: Seen): boolean {
    return /^(Summary of|\[Summary)/.test(s.text);
}
