// core.ts: the one home of data from the server, and how the rest of the store changes it.

import { batch, computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Trouble } from '../api/client';
import type { EventName, Told } from '../api/types';
import { keepPending } from './keep-pending';
import { place } from './place';
import { reduce } from './reduce';
import { emptyState, type ChatState, type State, type WorldState } from './state';

const known = signal<State>(emptyState());

export const state: ReadonlySignal<State> = computed(() => known.value);
export const world: ReadonlySignal<WorldState | null> = computed(() => known.value.world);
export const chat: ReadonlySignal<ChatState | null> = computed(() => {
    const p = place.value;
    const w = world.value;
    return p.kind === 'chat' && w?.world.name === p.w ? (w.chat[p.c] ?? null) : null;
});

/** Why what the address names cannot be shown. */
export const openTrouble = signal<Trouble | null>(null);
/** The server says something about itself: that it is going away. */
export const notice = signal<{ reason: string; inMs: number | null; at: number } | null>(null);
/** The first row on screen, which the view sets: what stays in its place when rows are loaded again. */
export const anchorId = signal<string | null>(null);

export function update(change: (s: State) => State): void {
    const next = change(known.peek());
    if (next !== known.peek()) known.value = next;
}

export function updateWorld(change: (w: WorldState) => WorldState): void {
    update(s => {
        const next = s.world && change(s.world);
        return next === s.world ? s : { ...s, world: next };
    });
}

export function chatOf(id: string): ChatState | null {
    return known.peek().world?.chat[id] ?? null;
}

export function updateChat(id: string, change: (c: ChatState) => ChatState): void {
    updateWorld(w => {
        const old = w.chat[id];
        const next = old && change(old);
        if (!next || next === old) return w;
        if (next.pending !== old.pending) keepPending(w.world.name, id, next.pending);
        return { ...w, chat: { ...w.chat, [id]: next } };
    });
}

// --- Events ------------------------------------------------------------------------------------------

type Listener = (e: Told) => void;
const listeners = new Map<string, Set<Listener>>();
const recordings = new Set<Told[]>();

/** Raw events, after they are in the state; `*`: all. */
export function on<K extends EventName>(type: K | '*', f: (e: Told<K>) => void): () => void {
    const all = listeners.get(type) ?? new Set<Listener>();
    listeners.set(type, all);
    all.add(f as Listener);
    return () => all.delete(f as Listener);
}

/** Does `work`, and gives what happened meanwhile: a page that was loaded may be older than that. */
export async function recording<T>(work: () => Promise<T>): Promise<{ value: T; since: Told[] }> {
    const since: Told[] = [];
    recordings.add(since);
    try {
        return { value: await work(), since };
    } finally {
        recordings.delete(since);
    }
}

function savePending(before: State, after: State): void {
    for (const [id, c] of Object.entries(after.world?.chat ?? {})) {
        const old = before.world?.chat[id];
        if (after.world && old && old.pending !== c.pending)
            keepPending(after.world.world.name, id, c.pending);
    }
}

/** Takes events that came together: one change for all that is drawn. */
export function tell(events: Told[]): void {
    const before = known.peek();
    const after = events.reduce(reduce, before);
    for (const since of recordings) since.push(...events);
    batch(() => {
        if (after !== before) known.value = after;
        savePending(before, after);
        for (const e of events) {
            for (const f of listeners.get(e.type) ?? []) f(e);
            for (const f of listeners.get('*') ?? []) f(e);
        }
    });
}
