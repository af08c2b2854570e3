// view-state.ts: what the chat view knows for itself: the window of rows, the way back, what is open.

import { batch, computed, signal } from '@preact/signals';
import type { Message } from '../../api/types';
import { focused } from '../../store/focus';
import { go, place, type Place } from '../../store/place';
import { loadAround, loadLatest, loadNewer, loadOlder, shown } from '../../store/store';
import { painted, repaint } from './paint';
import { createScroll } from './scroll';
import { cut, holds, indexAt, slideDown, slideUp, spanAround, tailSpan, type Span } from './window';

export const scroll = createScroll();

/** null: the end. */
export const span = signal<Span | null>(null);
/** the message that the pointer is on */
export const hovered = signal<string | null>(null);
/** the message whose sheet of actions is open */
export const sheetFor = signal<string | null>(null);
/** the parent that is looked at through a reply indicator: the others are dimmed */
export const lookedAt = signal<string | null>(null);
/** where the reader was before a jump */
export const cameFrom = signal<Extract<Place, { kind: 'chat' }> | null>(null);
/** messages that came while the reader was elsewhere */
export const unseen = signal(0);
export const finding = signal(false);

/** One past the last position that is loaded. */
function end(rows: readonly Message[]): number {
    const last = rows.at(-1);
    return last ? last.position + 1 : 0;
}

/** The conversation whose rows have been seen. */
const seen = signal<string | null>(null);

/** Before its first rows are seen, a conversation has none but those that fill the screen: the others would delay them. */
const opening = computed(() => span.value === null && painted.value.chat?.chat.id !== seen.value);

/** The rows of this conversation are seen: now all of them may come. */
export function rowsSeen(chatId: string): void {
    seen.value = chatId;
}

/** No row is lower than this. */
const ROW_PX = 40;

export const windowRows = computed<Message[]>(() => {
    const { rows } = painted.value.shown;
    const all = cut(rows, span.value ?? tailSpan(end(rows)));
    return opening.value ? all.slice(-Math.ceil(innerHeight / ROW_PX)) : all;
});

/** The window reaches the last message of the conversation. */
export const atEnd = computed(() => {
    const { rows, hasNewer } = painted.value.shown;
    return !hasNewer && (rows.length === 0 || windowRows.value.at(-1) === rows.at(-1));
});

/** From now on the window stays where it is, whatever comes at the end. */
export function pin(): void {
    if (span.value) return;
    const { rows } = painted.peek().shown;
    span.value = { from: tailSpan(end(rows)).from, to: Infinity };
}

/** Pages are fetched one ahead of the reader. */
const AHEAD = 100;

export function nearEdge(which: 'top' | 'end'): void {
    // What is missing there is on its way.
    if (opening.peek()) return;
    const { rows, hasOlder, hasNewer } = painted.peek().shown;
    if (rows.length === 0 || windowRows.peek().length === 0) return;
    const now = span.peek() ?? tailSpan(end(rows));
    const first = rows[0]!.position;
    if (which === 'top') {
        if (now.from > first) {
            pin();
            span.value = slideUp(span.peek()!, end(rows));
        }
        if (hasOlder && now.from - first < AHEAD) void loadOlder();
        return;
    }
    const last = end(rows) - 1;
    if (span.peek() && !holds(now, last, last + 1)) span.value = slideDown(now, last + 1);
    if (hasNewer && (holds(now, last - AHEAD, last + 1) || rows.length < AHEAD)) void loadNewer();
}

/** To the last message, following what comes. */
export async function toLatest(): Promise<void> {
    if (shown.peek().hasNewer) await loadLatest();
    batch(() => {
        repaint();
        unseen.value = 0;
        span.value = null;
        cameFrom.value = null;
        scroll.following.value = true;
    });
    scroll.toEnd();
}

/** Brings a message into the window of rows. false: this version does not hold it. */
export async function bringIn(id: string): Promise<boolean> {
    const known = shown.peek().rows.some(m => m.messageId === id);
    if (!known && !(await loadAround(id))) return false;
    const { rows } = shown.peek();
    const at = rows.find(m => m.messageId === id);
    if (!at) return false;
    const now = span.peek() ?? tailSpan(end(rows));
    // Not at its very edge: what stands around it is wanted too.
    const inside = holds(now, at.position, end(rows)) && (at.position >= now.from + 10 || now.from === 0);
    // Rows and window change in one step: a window over rows that are gone would show nothing.
    batch(() => {
        scroll.following.value = false;
        repaint();
        if (inside) pin();
        else span.value = around(at.position, rows);
    });
    return true;
}

function around(position: number, rows: readonly Message[]): Span {
    const wanted = spanAround(position, end(rows));
    const first = rows[indexAt(rows, wanted.from)]?.position ?? wanted.from;
    return { from: first, to: wanted.to };
}

type ChatPlace = Extract<Place, { kind: 'chat' }>;

export function herePlace(): ChatPlace | null {
    const p = place.peek();
    return p.kind === 'chat' ? p : null;
}

/** Jumps to a message and leaves a way back. The address changes, so that the browser's Back works too. */
export function jumpTo(id: string): void {
    const p = herePlace();
    if (!p) return;
    const from = { ...p, m: focused.peek() ?? scroll.top.peek() ?? undefined };
    go(from, { replace: true });
    cameFrom.value = from;
    go({ ...p, m: id });
}

export function goBack(): void {
    const to = cameFrom.value;
    cameFrom.value = null;
    if (to) go(to);
}
