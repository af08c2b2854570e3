// load.ts: worlds and conversations, as they are now. What happens while a page is on its way is told to
// the loaded state again afterwards: events are made so that this changes nothing which is already there.

import * as api from '../api/calls';
import type { Result, Trouble } from '../api/client';
import { FIRST_ROWS } from '../api/early';
import type { Agent, Message, Told, World } from '../api/types';
import { anchorId, chatOf, openTrouble, recording, state, update, updateChat, updateWorld } from './core';
import { fetchChat, saidIn, stateOf, type Fetched } from './fetch-chat';
import { keep } from './keep';
import { keptPending } from './keep-pending';
import { place } from './place';
import { reduceAround } from './reduce';
import { reduceChat } from './reduce-chat';
import type { ChatState, WorldState } from './state';

let snapshots: () => Told[] = () => [];
/** How to learn what is being written now. */
export function snapshotsFrom(source: () => Told[]): void {
    snapshots = source;
}

// --- Worlds ------------------------------------------------------------------------------------------

export async function refreshWorlds(): Promise<boolean> {
    const got = await api.listWorlds({ limit: 500 });
    if (got.ok) update(s => ({ ...s, worlds: got.value.data }));
    else openTrouble.value = got.trouble;
    return got.ok;
}

function byName(agents: Agent[]): Record<string, Agent> {
    return Object.fromEntries(agents.map(a => [a.name, a]));
}

function busyIn(w: World): Record<string, string[]> {
    const found: Record<string, string[]> = {};
    for (const b of w.busy) (found[b.chatId] ??= []).push(b.agent);
    return found;
}

function worldState(w: World, old: WorldState | null, seq: number): WorldState {
    const busy = busyIn(w);
    return {
        world: w,
        agents: byName(w.agents),
        agentDetail: Object.fromEntries(w.agents.map(a => [a.name, a.detail])),
        chats: Object.fromEntries(w.chats.map(c => [c.id, c])),
        tags: old?.tags ?? [],
        busy: [...new Set(Object.values(busy).flat())].sort(),
        busyIn: busy,
        seq,
        chat: old?.chat ?? {},
        versions: old?.versions ?? 0,
    };
}

/** Where the name of the world that was open last is kept, for screens whose address names none. */
export const LAST_WORLD = 'skein.world';

/** Loads a world by name or id, and makes it the open one. */
export async function loadWorld(name: string): Promise<Result<World>> {
    const { value: got, since } = await recording(() => api.getWorld(name));
    if (!got.ok) return got;
    keep(LAST_WORLD, got.value.name);
    update(s => {
        const old = s.world?.world.id === got.value.id ? s.world : null;
        const mine = since.filter(e => e.world === got.value.name);
        const loaded = mine.reduce(reduceAround, worldState(got.value, old, s.seq));
        const worlds = s.worlds.some(w => w.id === got.value.id)
            ? s.worlds.map(w => (w.id === got.value.id ? got.value : w))
            : [...s.worlds, got.value];
        return { ...s, worlds, open: got.value.name, world: loaded };
    });
    return got;
}

export async function loadTags(): Promise<void> {
    const name = state.peek().open;
    if (name === null) return;
    const got = await api.listTags(name, { limit: 500 });
    if (got.ok) updateWorld(w => (w.world.name === name ? { ...w, tags: got.value.data } : w));
}

export async function refreshWorld(): Promise<void> {
    const id = state.peek().world?.world.id;
    if (id === undefined) return;
    const got = await loadWorld(id);
    if (got.ok) await loadTags();
    else if (got.trouble.status === 404) leaveWorld(got.trouble);
}

/** The open world is not there any more: nothing of it stays on screen. */
function leaveWorld(trouble: Trouble): void {
    const p = place.peek();
    const gone = state.peek().open;
    update(s => ({ ...s, open: null, world: null, worlds: s.worlds.filter(w => w.name !== gone) }));
    if ('w' in p && p.w === gone) openTrouble.value = trouble;
}

// --- Conversations -----------------------------------------------------------------------------------

function put(w: string, fetched: Fetched, since: Told[]): void {
    updateWorld(ws => {
        if (ws.world.name !== w) return ws;
        const { id } = fetched.chat;
        const old = ws.chat[id];
        const said = saidIn(fetched.events);
        const pending = (old?.pending ?? keptPending(w, id)).filter(p => !said.has(p.clientMessageId));
        const start: ChatState = { ...stateOf(fetched, ws), pending, edit: old?.edit ?? null, loaded: true };
        const mine = [...snapshots(), ...since].filter(e => e.chatId === id);
        const chat = mine.reduce(reduceChat, start);
        return { ...ws, chat: { ...ws.chat, [id]: chat }, chats: { ...ws.chats, [id]: chat.chat } };
    });
}

const loading = new Map<string, Promise<boolean>>();

/** A world that is being loaded, so that its conversation need not wait for it. */
interface Opening {
    w: string;
    /** false: there is no such world, or it could not be asked */
    ready: Promise<boolean>;
}

async function loadNow(id: string, around: string[], opening?: Opening): Promise<boolean> {
    const w = opening?.w ?? state.peek().open;
    if (w === null) return false;
    const asked = () => Promise.all([fetchChat(w, id, around), opening?.ready ?? true]);
    const {
        value: [got, ready],
        since,
    } = await recording(asked);
    // An error of the world is reported by the view that opens it.
    if (!ready) return false;
    if (!got.ok) {
        if (!chatOf(id)?.loaded) openTrouble.value = got.trouble;
        return false;
    }
    put(w, got.value, since);
    return true;
}

/** Loads a conversation, around a message or at its end; one load of it at a time. */
export function loadChat(id: string, around: string[] = [], opening?: Opening): Promise<boolean> {
    const under = loading.get(id);
    if (under) return under;
    const work = loadNow(id, around, opening).finally(() => loading.delete(id));
    loading.set(id, work);
    return work;
}

/** The first row on screen and its neighbours, when the last rows would not hold it. */
function toKeep(c: ChatState | null): string[] {
    const at = c?.rows.findIndex(m => m.messageId === anchorId.peek()) ?? -1;
    const anchor = c?.rows[at];
    if (!c || !anchor || c.total - anchor.position < FIRST_ROWS * 0.75) return [];
    return [anchor, c.rows[at - 1], c.rows[at + 1]].filter(m => m !== undefined).map(m => m.messageId);
}

/** Loads it again without losing the place. */
export async function reloadChat(id: string): Promise<void> {
    await loadChat(id, toKeep(chatOf(id)));
    // It changed again while it was loaded.
    if (chatOf(id)?.stale) await loadChat(id, toKeep(chatOf(id)));
}

// --- Small things that events announce and do not tell ------------------------------------------------

export async function refreshQueue(id: string): Promise<void> {
    const w = state.peek().open;
    if (w === null) return;
    const { value: got, since } = await recording(() => api.listQueue(w, id, { limit: 500 }));
    if (!got.ok) return;
    const mine = since.filter(e => e.chatId === id && e.type === 'queue.changed');
    updateChat(id, c => {
        const mineAlready = new Set(got.value.data.map(q => q.clientMessageId));
        const pending = c.pending.filter(p => !mineAlready.has(p.clientMessageId));
        const next = {
            ...c,
            queue: got.value.data,
            pending: pending.length === c.pending.length ? c.pending : pending,
        };
        return mine.reduce(reduceChat, next);
    });
}

/** The text of a tool's result is cut in its event. */
export async function completeRow(id: string, messageId: string): Promise<void> {
    const w = state.peek().open;
    if (w === null) return;
    const got = await api.getMessage(w, messageId, { chatId: id });
    if (!got.ok) return;
    const { content } = got.value;
    updateChat(id, c => ({
        ...c,
        rows: c.rows.map(m => (m.messageId === messageId ? { ...m, content } : m)),
    }));
}

function same(a: Message, b: Message): boolean {
    return JSON.stringify(a) === JSON.stringify(b);
}

/** Who heard a message, and what stands for what, is not in events: asked for once the agents are done. */
export async function completeSurroundings(id: string): Promise<void> {
    const w = state.peek().open;
    const c = chatOf(id);
    const from = c?.rows.findIndex(m => m.versions === undefined) ?? -1;
    if (w === null || !c || from < 0) return;
    const before = c.rows[from - 1]?.messageId;
    const query = before === undefined ? {} : { after: before };
    const got = await api.listThreadMessages(w, id, c.thread, { ...query, limit: 500 });
    if (!got.ok) return;
    const known = new Map(got.value.data.map(m => [m.messageId, m]));
    updateChat(id, now => {
        if (now.thread !== c.thread) return now;
        const rows = now.rows.map(m => {
            const full = known.get(m.messageId);
            return full && !same(full, m) ? full : m;
        });
        return { ...now, rows };
    });
}

export async function refreshInbox(): Promise<void> {
    const got = await api.listInbox({ limit: 100 });
    if (!got.ok) return;
    const { unread, needsYou, data } = got.value;
    const items = Object.fromEntries(data.map(i => [i.id, i]));
    update(s => ({ ...s, inbox: { unread, needsYou, items, tick: s.inbox.tick + 1 } }));
}
