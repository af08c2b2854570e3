// selection.ts: which messages are ticked. A tool call and its result are ticked together, since
// neither may stay behind without the other.
import type { Message } from '../../api/types';
import { selected, selecting } from '../../store/focus';
import { shown } from '../../store/store';

export type Pick = 'all' | 'mine' | 'agents' | 'thinking' | 'tools' | 'plain';

const isTool = (m: Message) => m.role === 'tool' || m.toolCalls.length > 0;

const picks: Record<Pick, (m: Message) => boolean> = {
    all: () => true,
    mine: m => m.sender === 'human',
    agents: m => m.role === 'assistant',
    thinking: m => Boolean(m.thinking),
    tools: isTool,
    plain: m => (m.role === 'user' || m.role === 'assistant') && !isTool(m),
};

export const resultsIn = (list: readonly Message[]): number => list.filter(m => m.role === 'tool').length;

/** The ids with the other halves of their tool exchanges, and whether any had to be added. */
export function closed(
    ids: ReadonlySet<string>,
    rows: readonly Message[],
): { ids: Set<string>; added: boolean } {
    const calls = new Map<string, string>(); // id of a call: the message that made it
    for (const m of rows) for (const call of m.toolCalls) calls.set(call.toolCallId, m.messageId);
    const out = new Set(ids);
    // A message may make several calls, so one more result can add nothing: two passes do.
    for (const m of rows)
        if (m.toolCallId && out.has(m.messageId) && calls.has(m.toolCallId))
            out.add(calls.get(m.toolCallId) ?? '');
    for (const m of rows) if (m.toolCallId && out.has(calls.get(m.toolCallId) ?? '')) out.add(m.messageId);
    return { ids: out, added: out.size > ids.size };
}

/** The ticked messages that are loaded, in the order of the conversation. */
export function chosen(): Message[] {
    return shown.value.rows.filter(m => selected.value.has(m.messageId));
}

export function choose(pick: Pick): void {
    const ids = new Set(shown.value.rows.filter(picks[pick]).map(m => m.messageId));
    selected.value = closed(ids, shown.value.rows).ids;
}

export function clear(): void {
    selected.value = new Set();
    selecting.value = false;
}
