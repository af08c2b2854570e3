// standing.ts: which messages stand in the parts of a request. The request has texts and no ids, and equal texts are not
// the same message: the ids are kept beside it. Of a call that was kept before they were, what the agent had in memory is
// laid beside it in its order, from the newest back, and each message stands in one part at most. A text only proves that
// a place is right.

import type { Message, WholeModelCall } from '../../api/types';
import type { Seen } from './request';

/** A line that could be taken for somebody's words is sent with a backslash in front, after the name where it has one. */
const bare = (text: string): string => text.replace(/^([^\s:]+: )?\\+/gm, '$1').trim();

/** Tags follow their text, a line in brackets each. */
const untagged = (text: string): string => text.replace(/(?:\n\[[^\n]*\])+$/, '').trim();

/** What stands before the text of the message, when the part ends with it; several messages are apart by an empty line. */
function before(part: string, m: Message): string | null {
    const said = bare(m.content);
    if (said === '') return null;
    const text = part.endsWith(said) ? part : untagged(part);
    if (!text.endsWith(said)) return null;
    const name = `${m.sender}: `;
    const rest = text.slice(0, text.length - said.length);
    const unnamed = rest.endsWith(name) ? rest.slice(0, rest.length - name.length) : rest;
    return unnamed === '' || unnamed.endsWith('\n\n') ? unnamed.trim() : null;
}

/** What is left of the part without this message; null: it does not end with it. */
function without(left: string, part: Seen, m: Message): string | null {
    if (m.role !== part.role) return null;
    if (part.role === 'tool') return m.toolCallId === part.answers ? '' : null;
    const called = part.calls[0]?.id;
    if (called && m.toolCalls[0]?.toolCallId === called) return before(left, m) ?? '';
    return before(left, m);
}

/** Where the message is that the part ends with: below `end`, and what is in memory but was not sent is passed over. */
function lastOf(part: Seen, left: string, memory: readonly Message[], end: number): number {
    let at = end - 1;
    while (at >= 0 && without(left, part, memory[at]!) === null) at--;
    return at;
}

/** Whether a model that was asked at that time can have been sent it: what came while it wrote it did not see. */
function sent(m: Message, askedAt: string): boolean {
    return m.role !== 'summary' && m.role !== 'system' && m.createdAt <= askedAt;
}

/** The ids of the messages in each part. `all` is what the agent has in memory before its answer, in its order. */
export function standing(parts: readonly Seen[], all: readonly Message[], askedAt: string): string[][] {
    const memory = all.filter(m => sent(m, askedAt));
    const found: string[][] = parts.map(() => []);
    let end = memory.length;
    parts.toReversed().forEach((part, back) => {
        const ids = found[parts.length - 1 - back]!;
        let left: string | null = bare(part.text);
        let at = lastOf(part, left, memory, end);
        // Those that share a part stand beside each other.
        for (; at >= 0 && (left = without(left, part, memory[at]!)) !== null; at--) {
            ids.unshift(memory[at]!.messageId);
            end = at;
            if (left === '') break;
        }
    });
    return found;
}

/** The ids of each part as the call has them, which names none for the system prompt; null: they are not known. */
function kept(parts: readonly Seen[], ids: WholeModelCall['contextMessageIds']): string[][] | null {
    const prompt = parts.filter(p => p.role === 'system').length;
    if (!ids || parts.length !== prompt + ids.length) return null;
    let next = 0;
    return parts.map(p => (p.role === 'system' ? [] : ids[next++]!));
}

/** Which messages stand in each part of what a call was sent. */
export function messagesIn(
    parts: readonly Seen[],
    call: Pick<WholeModelCall, 'contextMessageIds' | 'createdAt'>,
    memory: readonly Message[],
): string[][] {
    return kept(parts, call.contextMessageIds) ?? standing(parts, memory, call.createdAt);
}
