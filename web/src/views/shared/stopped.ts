// stopped.ts: where an agent was when somebody stopped it, as the rows of the conversation tell it.

import type { Message, ToolCall } from '../../api/types';
import type { Failed } from '../../store/state';

/** The last that an agent had said to the message which it did not go on to answer. */
export function lastSaid(f: Failed, rows: readonly Message[]): Message | undefined {
    const until = Date.parse(f.at);
    return rows.findLast(
        m =>
            m.role === 'assistant' &&
            m.sender === f.agent &&
            m.replyToMessageId === f.replyTo &&
            Date.parse(m.createdAt) <= until,
    );
}

/** What the server stores as the result of a call that the end of its turn left open. */
const LEFT_OPEN = /^(interrupted: |not run: its turn ended|not run: it was allowed, but its turn ended)/;
const NOT_ALLOWED = /^not run: its turn ended before a person had allowed it/;

function calledAt(said: Message, rows: readonly Message[]): { call: ToolCall; result?: Message } | null {
    const calls = said.toolCalls.map(call => ({
        call,
        result: rows.find(m => m.role === 'tool' && m.toolCallId === call.toolCallId),
    }));
    // The first that has no end is the one that was at work: calls of one answer run one after the other.
    return calls.find(({ result }) => !result || LEFT_OPEN.test(result.content)) ?? calls.at(-1) ?? null;
}

/** The end of a turn closes what it leaves open: a call that was closed long before belongs to an earlier try. */
const SAME_END_MS = 2000;

function isEarlier(f: Failed, result: Message | undefined): boolean {
    return result !== undefined && Date.parse(f.at) - Date.parse(result.createdAt) > SAME_END_MS;
}

const AGAIN = 'was stopped before it answered again';

/** "was stopped while it used send", "was stopped before it answered": goes on after the name of the agent. */
export function stoppedWords(f: Failed, rows: readonly Message[]): string {
    const said = lastSaid(f, rows);
    if (!said) return 'was stopped before it answered';
    const last = calledAt(said, rows);
    if (!last) return said.unfinished ? AGAIN : 'was stopped after what it had said';
    const { call, result } = last;
    const open = !result || LEFT_OPEN.test(result.content);
    if (open && isEarlier(f, result)) return AGAIN;
    if (result && NOT_ALLOWED.test(result.content))
        return `was stopped while ${call.toolName} waited for your permission`;
    if (open) return `was stopped while it used ${call.toolName}`;
    return `was stopped after it had used ${call.toolName}`;
}
