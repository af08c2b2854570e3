// items.ts: what stands in the log: stored messages, what is being written, what failed, what was not sent yet.

import type { Message } from '../../api/types';
import { day } from '../../parts/parts';
import { unansweredId, type ChatState, type Failed, type Live, type Pending } from '../../store/state';
import { lastSaid } from '../shared/stopped';

export type Item = {
    id: string;
    /** a day begins with it */
    day: string | null;
} & (
    | { kind: 'message'; message: Message; results: ReadonlyMap<string, Message> | null }
    | { kind: 'live'; live: Live }
    | { kind: 'failed'; failed: Failed }
    | { kind: 'pending'; pending: Pending }
);

const NO_RESULTS: ReadonlyMap<string, Message> = new Map();

/** Results of tools by the call that they answer. */
function resultsOf(rows: readonly Message[]): ReadonlyMap<string, Message> {
    const results = rows.filter(m => m.role === 'tool' && m.toolCallId !== null);
    return results.length === 0 ? NO_RESULTS : new Map(results.map(m => [m.toolCallId!, m]));
}

/** A result is shown with its call, as one row, when that call is shown. */
function callsOf(rows: readonly Message[]): ReadonlySet<string> {
    return new Set(rows.flatMap(m => m.toolCalls.map(c => c.toolCallId)));
}

/** What it stands below: the last that its agent had said to the message, or else the message. */
function placeOf(f: Failed, rows: readonly Message[]): string {
    return lastSaid(f, rows)?.messageId ?? f.replyTo ?? '';
}

function failedAfter(failed: readonly Failed[], rows: readonly Message[]): Map<string, Failed[]> {
    const by = new Map<string, Failed[]>();
    for (const f of failed) {
        const place = placeOf(f, rows);
        by.set(place, [...(by.get(place) ?? []), f]);
    }
    return by;
}

// Every row is asked for its day on every frame; within a minute the answer is the same.
const days = new Map<string, string>();
const MOST_DAYS = 1000;

function dayOf(at: string): string {
    const minute = at.slice(0, 16);
    const known = days.get(minute);
    if (known !== undefined) return known;
    if (days.size >= MOST_DAYS) days.clear();
    const found = day(at);
    days.set(minute, found);
    return found;
}

function messageItem(m: Message, results: ReadonlyMap<string, Message>, before: string): Item {
    const today = dayOf(m.createdAt);
    // Only rows that have calls look at the results: the others stay the same when one comes.
    return {
        kind: 'message',
        id: m.messageId,
        message: m,
        results: m.toolCalls.length > 0 ? results : null,
        day: today === before ? null : today,
    };
}

/** An answer that was cut off stands in the log with its words; that it failed stands beside it. */
function failedItem(f: Failed, rows: readonly Message[]): Item {
    const kept = rows.some(m => m.messageId === f.messageId);
    return {
        kind: 'failed',
        id: kept ? unansweredId(f.replyTo, f.agent) : f.messageId,
        failed: f,
        day: null,
    };
}

/** The stored rows of the window. */
function stored(rows: readonly Message[], hideInMemory: boolean, failed: Map<string, Failed[]>): Item[] {
    const results = resultsOf(rows);
    const calls = callsOf(rows);
    const items: Item[] = [];
    let today = '';
    for (const m of rows) {
        if (m.role === 'tool' && m.toolCallId !== null && calls.has(m.toolCallId)) continue;
        if (hideInMemory && m.memoryOnly) continue;
        items.push(messageItem(m, results, today));
        today = dayOf(m.createdAt);
        for (const f of failed.get(m.messageId) ?? []) items.push(failedItem(f, rows));
        failed.delete(m.messageId);
    }
    return items;
}

/** What was refused stands where it was said: after it the conversation went on. */
function placeRefused(
    items: Item[],
    rows: readonly Message[],
    pending: readonly Pending[],
    atEnd: boolean,
): void {
    for (const p of pending) {
        if (p.state !== 'failed') continue;
        const item: Item = { kind: 'pending', id: p.clientMessageId, pending: p, day: null };
        const later = items.findIndex(i => i.kind === 'message' && Date.parse(i.message.createdAt) > p.at);
        // Before the first row of the window there may be others, and after its last one too.
        if (later > 0 || (later === 0 && rows[0]?.position === 0)) items.splice(later, 0, item);
        else if (later < 0 && atEnd) items.push(item);
    }
}

/** `atEnd`: the window reaches the last message, so what comes after it is shown too. */
export function itemsOf(
    rows: readonly Message[],
    chat: ChatState | null,
    atEnd: boolean,
    hideInMemory: boolean,
): Item[] {
    const failures = chat ? Object.values(chat.failed).filter(f => f.lane === 'main') : [];
    const failed = failedAfter(failures, rows);
    const items = stored(rows, hideInMemory, failed);
    if (chat) placeRefused(items, rows, chat.pending, atEnd);
    if (!chat || !atEnd) return items;
    for (const list of failed.values()) for (const f of list) items.push(failedItem(f, rows));
    const known = new Set(rows.map(m => m.messageId));
    const writing = Object.values(chat.live).filter(l => l.lane === 'main' && !known.has(l.messageId));
    writing.sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
    for (const live of writing) items.push({ kind: 'live', id: live.messageId, live, day: null });
    for (const pending of chat.pending.filter(p => p.state !== 'failed'))
        items.push({ kind: 'pending', id: pending.clientMessageId, pending, day: null });
    return items;
}

/** The same items as before where nothing changed, so that their rows are not drawn again. */
export function kept(before: readonly Item[], now: readonly Item[]): Item[] {
    const known = new Map(before.map(i => [i.id, i]));
    return now.map(item => {
        const was = known.get(item.id);
        return was && same(was, item) ? was : item;
    });
}

function same(a: Item, b: Item): boolean {
    if (a.kind !== b.kind || a.day !== b.day) return false;
    if (a.kind === 'message' && b.kind === 'message') return a.message === b.message && sameResults(a, b);
    if (a.kind === 'live' && b.kind === 'live') return a.live === b.live;
    if (a.kind === 'failed' && b.kind === 'failed') return a.failed === b.failed;
    return a.kind === 'pending' && b.kind === 'pending' && a.pending === b.pending;
}

type MessageItem = Extract<Item, { kind: 'message' }>;

function sameResults(a: MessageItem, b: MessageItem): boolean {
    return a.message.toolCalls.every(c => a.results?.get(c.toolCallId) === b.results?.get(c.toolCallId));
}
