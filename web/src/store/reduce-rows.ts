// reduce-rows.ts: the window of rows of a conversation, and what an event does to it.
//
// All of it goes by the positions that the server gives, never by counting: so that an event which is
// already in the rows, because a page was loaded after it happened, changes nothing.

import type { EventData, Message } from '../api/types';
import type { ChatState } from './state';

type Said = EventData['message.created'] | EventData['message.completed'];

/** The message in an event, without what only the event has. */
export function messageOf(said: Said): Message {
    const {
        clientMessageId: _c,
        queued: _q,
        agent: _a,
        finishReason: _f,
        elapsedMs: _e,
        threadPath: _t,
        ...message
    } = said as EventData['message.created'] & Partial<EventData['message.completed']>;
    const delivery = message.delivery;
    return delivery ? { ...message, delivery, seenByAgents: delivery.map(d => d.agent) } : message;
}

/** Changes one row; the others stay the same objects, so that nothing else is drawn again. */
export function changeRow(c: ChatState, messageId: string, change: (m: Message) => Message): ChatState {
    const at = c.rows.findIndex(m => m.messageId === messageId);
    const old = c.rows[at];
    if (!old) return c;
    const next = change(old);
    return next === old ? c : { ...c, rows: c.rows.with(at, next) };
}

function answered(c: ChatState, parent: string | null): ChatState {
    if (parent === null) return c;
    return changeRow(c, parent, m => ({
        ...m,
        hasReply: true,
        replyCount: (m.replyCount ?? 0) + 1,
        memoryOnly: false,
    }));
}

/** Puts a message where it belongs. What does not fit says that something was missed. */
export function addRow(c: ChatState, message: Message, thread: string | null): ChatState {
    if (c.stale || !c.loaded || (thread !== null && thread !== c.thread)) return c;
    if (c.rows.some(m => m.messageId === message.messageId)) return c;
    const { position } = message;
    if (position < 0) return c;
    if (c.hasNewer) return position < c.total ? c : { ...c, total: position + 1 };
    if (position > c.total) return { ...c, stale: true };
    if (position < c.total) return { ...c, stale: true };
    const grown = { ...c, rows: [...c.rows, message], total: position + 1 };
    return message.role === 'tool' ? grown : answered(grown, message.replyToMessageId);
}

/** The result of a tool is a row too, though no event says it as a message. */
export function addToolRow(
    c: ChatState,
    told: EventData['tool.completed'],
    about: { thread: string | null; time: string; ok: boolean; caller: string | null },
): ChatState {
    if (!told.messageId || c.hasNewer) return c;
    const caller = c.rows.find(m => m.messageId === about.caller);
    const row: Message = {
        messageId: told.messageId,
        chatId: c.chat.id,
        role: 'tool',
        sender: caller?.sender ?? 'tool',
        content: told.content,
        thinking: null,
        replyToMessageId: about.caller,
        replyDepth: (caller?.replyDepth ?? -1) + 1,
        toolCalls: [],
        toolCallId: told.toolCallId,
        toolStatus: about.ok ? 'ok' : 'error',
        instructions: [],
        squashOperationId: null,
        model: null,
        usage: null,
        turnId: caller?.turnId ?? null,
        stopped: false,
        unfinished: null,
        purged: false,
        position: c.total,
        createdAt: about.time,
        warnings: [],
    };
    return addRow(c, row, about.thread);
}

/** Failures of answers to messages that are no more are of no use. */
export function dropOrphans(c: ChatState): ChatState {
    if (c.hasOlder || !c.loaded) return c;
    const here = new Set(c.rows.map(m => m.messageId));
    const kept = Object.entries(c.failed).filter(
        ([, f]) => f.lane !== 'main' || f.replyTo === null || here.has(f.replyTo),
    );
    return kept.length === Object.keys(c.failed).length ? c : { ...c, failed: Object.fromEntries(kept) };
}

/** A removal or an edit: the new version is the beginning of the one before it. */
export function cutRows(c: ChatState, thread: string, length: number): ChatState {
    const rows = c.rows.filter(m => m.position < length);
    const last = rows.at(-1);
    return dropOrphans({
        ...c,
        thread,
        rows,
        total: length,
        hasNewer: last !== undefined && last.position + 1 < length,
        hasOlder: rows.length > 0 && c.hasOlder,
        // Everything that was loaded is gone, and what is left was never loaded.
        stale: c.stale || (c.loaded && rows.length === 0 && length > 0),
    });
}
