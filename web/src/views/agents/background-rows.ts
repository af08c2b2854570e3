// background-rows.ts: the background conversation of an agent as lines: sessions, what was said, folded tool calls.

import type { Message, ToolCall } from '../../api/types';
import { count } from '../shared/words';

export interface ToolLine {
    /** the message that calls it */
    messageId: string;
    call: ToolCall;
    result: Message | null;
}

export type Line =
    | { kind: 'session'; id: string; number: number | null; at: string; by: string }
    | { kind: 'said'; id: string; at: string; who: string; message: Message }
    | { kind: 'tools'; id: string; at: string; tools: ToolLine[] }
    | { kind: 'summary'; id: string; at: string; message: Message };

/** What the agent is told begins a session: all that follows is about it. */
function begins(m: Message): boolean {
    return m.role === 'user';
}

function startedBy(m: Message, agent: string): string {
    if (m.sender === 'human') return 'your message';
    if (m.sender === agent) return 'itself';
    return m.instructions.some(i => i.type === 'Source.Agent')
        ? `@${m.sender}`
        : m.sender === 'system'
          ? 'its timer'
          : m.sender;
}

function who(m: Message, agent: string): string {
    if (m.role === 'user')
        return m.sender === 'human' ? 'from you' : m.sender === agent ? 'as user' : `from ${m.sender}`;
    if (m.role === 'assistant') return 'model';
    return m.role;
}

/** `whole`: these are all rows; sessions are only numbered then. */
export function lines(rows: readonly Message[], agent: string, whole = true): Line[] {
    const results = new Map(rows.filter(m => m.role === 'tool' && m.toolCallId).map(m => [m.toolCallId, m]));
    const out: Line[] = [];
    let session = 1;
    let told = false;
    for (const m of rows) {
        if (m.role === 'summary') {
            out.push({ kind: 'summary', id: m.messageId, at: m.createdAt, message: m });
            continue;
        }
        if (m.role === 'tool') continue; // shown with its call
        if (begins(m) && !told) {
            out.push({
                kind: 'session',
                id: `s-${m.messageId}`,
                number: whole ? session++ : null,
                at: m.createdAt,
                by: startedBy(m, agent),
            });
        }
        told = begins(m);
        if (m.content.trim() !== '' || m.toolCalls.length === 0)
            out.push({ kind: 'said', id: m.messageId, at: m.createdAt, who: who(m, agent), message: m });
        addTools(out, m, results);
    }
    return out;
}

/** Calls of messages that follow each other without a word are one run. */
function addTools(out: Line[], m: Message, results: Map<string | null, Message>): void {
    const tools = m.toolCalls.map(call => ({
        messageId: m.messageId,
        call,
        result: results.get(call.toolCallId) ?? null,
    }));
    if (tools.length === 0) return;
    const last = out[out.length - 1];
    if (last?.kind === 'tools') last.tools.push(...tools);
    else out.push({ kind: 'tools', id: `t-${m.messageId}`, at: m.createdAt, tools });
}

export function foldName(tools: readonly ToolLine[]): string {
    const failed = tools.filter(t => t.result?.toolStatus === 'error').length;
    const running = tools.filter(t => t.result === null).length;
    const notes = [failed > 0 ? `${failed} failed` : '', running > 0 ? `${running} not answered` : ''].filter(
        n => n !== '',
    );
    return `${count(tools.length, 'tool call')}${notes.length > 0 ? `, ${notes.join(', ')}` : ''}`;
}
