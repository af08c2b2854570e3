// store.ts: the door of the store: what the page knows of the server, and what it can ask of it.

import { effect } from '@preact/signals';
import * as api from '../api/calls';
import { readOnly, type Result } from '../api/client';
import { oldestNamed } from '../api/standing';
import type { Connection } from '../api/stream';
import { share, type Shared } from '../api/tabs';
import type { World } from '../api/types';
import { chatOf, notice, openTrouble, state, tell, update, updateWorld } from './core';
import { followEvents, followName } from './follow';
import { kept } from './keep';
import {
    LAST_WORLD,
    loadChat,
    loadTags,
    loadWorld,
    refreshInbox,
    refreshWorld,
    refreshWorlds,
    reloadChat,
    snapshotsFrom,
} from './load';
import { followVersion, loadVersion } from './pages';
import { go, place, type Place } from './place';
import { sendWaiting } from './sending';
import type { ChatState } from './state';

export { anchorId, chat, notice, on, openTrouble, state, world } from './core';
export { refreshInbox, refreshWorld, refreshWorlds, loadTags } from './load';
export { loadAround, loadLatest, loadNewer, loadOlder, shown, shownVersion, type Shown } from './pages';
export { dropPending, retryPending, send, type SendOptions } from './sending';
export { dismissFailed, makeCurrent, makeCurrentWith, setExpected, takeBack, redo, stop, undo } from './acts';

let shared: Shared | null = null;

/** The stream is tried at once. */
export function retryNow(): void {
    shared?.retryNow();
}

/** The conversation that is shown, again, in the same place. */
export async function refreshChat(): Promise<void> {
    const p = place.peek();
    if (p.kind === 'chat') await reloadChat(p.c);
}

/** Providers were added, changed or removed here. */
export function providersChanged(): void {
    update(s => ({ ...s, providersTick: s.providersTick + 1 }));
}

// --- What the address names -------------------------------------------------------------------------

function first(): Place {
    const w = state.peek().worlds[0];
    if (!w) return { kind: 'start' };
    return w.currentChatId === null
        ? { kind: 'world', w: w.name }
        : { kind: 'chat', w: w.name, c: w.currentChatId, view: 'chat' };
}

type ChatPlace = Place & { kind: 'chat' };

/** A message that only older versions hold is shown in the newest of them, where it can be read and not changed. */
async function olderVersion(p: ChatPlace, m: string): Promise<string | null> {
    const got = await api.listMessageVersions(p.w, m, { chatId: p.c, limit: 500 });
    if (!got.ok || got.value.data.some(t => t.current)) return null;
    return got.value.data[0]?.threadId ?? null;
}

async function openChat(p: ChatPlace): Promise<void> {
    const c = chatOf(p.c);
    if (c?.loaded && !c.stale) return;
    const m = p.v === undefined ? p.m : undefined;
    const v = m === undefined ? null : await olderVersion(p, m);
    if (place.peek() !== p) return;
    if (v !== null) return go({ ...p, v }, { replace: true });
    if (!(await loadChat(p.c, m === undefined ? [] : [m]))) return;
    void sendWaiting(p.c);
}

/** Loads a world, and the conversation of the address at the same time; where a message is named, its version is asked for first. */
function openWorld(w: string, p: Place): Promise<Result<World>> {
    const world = loadWorld(w);
    if (p.kind === 'chat' && (p.m === undefined || p.v !== undefined))
        void loadChat(p.c, [], { w, ready: world.then(got => got.ok) });
    return world;
}

async function openPlace(p: Place): Promise<void> {
    const before = state.peek().open;
    await show(p);
    // What nobody waits for comes after what is read.
    if (state.peek().open !== before) void loadTags();
}

async function show(p: Place): Promise<void> {
    openTrouble.value = null;
    if (p.kind === 'start') {
        const to = first();
        if (to.kind !== 'start') go(to, { replace: true });
        return;
    }
    const w = 'w' in p ? p.w : undefined;
    if (w !== undefined && w !== state.peek().open) {
        const got = await openWorld(w, p);
        // Another place was gone to meanwhile, and the world of this one is open now.
        if (place.peek() !== p) return openPlace(place.peek());
        if (!got.ok) openTrouble.value = got.trouble;
        if (!got.ok) return;
    } else if (w === undefined && state.peek().open === null) {
        // The inbox and the settings have a world beside them too: the one that was looked at last.
        const { worlds } = state.peek();
        const last = kept(LAST_WORLD);
        const some = worlds.find(one => one.name === last) ?? worlds[0];
        if (some) await loadWorld(some.name);
    }
    if (p.kind === 'chat' && place.peek() === p) await openChat(p);
}

/** What could not be opened is tried once more. */
export async function openAgain(): Promise<void> {
    if (!begun) return begin(state.peek().seq);
    await openPlace(place.peek());
    loadVersion();
}

// --- Start -------------------------------------------------------------------------------------------

let begun = false;
let beginning = false;

/** The address is opened beside the list of worlds, which it does not need when it names one. */
async function loadAll(): Promise<void> {
    const p = place.peek();
    const open = state.peek().world?.world.id;
    const opening = open === undefined && 'w' in p && p.w !== undefined ? openPlace(p) : null;
    const listed = await refreshWorlds();
    await opening;
    if (!listed) return;
    if (open !== undefined) await refreshWorld();
    if (open !== undefined && p.kind === 'chat' && chatOf(p.c)?.loaded) await reloadChat(p.c);
    // From here on the address is followed wherever it goes.
    begun = true;
    if (!opening || place.peek() !== p) await openPlace(place.peek());
    void refreshInbox();
}

/** Everything is loaded: at the start, and when the past cannot be told. */
async function begin(seq: number): Promise<void> {
    update(s => ({ ...s, seq }));
    updateWorld(w => ({ ...w, seq, chat: onlyShown(w.chat) }));
    beginning = true;
    await loadAll();
    beginning = false;
}

/** What the address names is asked for at once: a stream that begins behind the oldest answer misses nothing. Gives
 * where that is; null: nothing is known for certain, and all is loaded once there is a stream. */
async function beginEarly(): Promise<number | null> {
    beginning = true;
    const seq = await oldestNamed(loadAll);
    beginning = false;
    if (seq === null) openTrouble.value = null;
    else update(s => ({ ...s, seq, world: s.world && { ...s.world, seq } }));
    return seq;
}

/** What was known of other conversations is as old as the world was; they are loaded when they are opened. */
function onlyShown(chats: Record<string, ChatState>): Record<string, ChatState> {
    const p = place.peek();
    return Object.fromEntries(Object.entries(chats).filter(([id]) => p.kind === 'chat' && p.c === id));
}

function connected(c: Connection): void {
    const before = state.peek().connection.state;
    const shownAs: Connection = c.state === 'live' && readOnly.peek() ? { state: 'readOnly' } : c;
    update(s => ({ ...s, connection: shownAs }));
    if (c.state !== 'live' || before === 'live') return;
    notice.value = null;
    for (const id of Object.keys(state.peek().world?.chat ?? {})) void sendWaiting(id);
    // It was not there when something was to be loaded.
    if (!begun && !beginning && state.peek().seq > 0) void begin(state.peek().seq);
    if (begun && openTrouble.peek()?.status === 0) void openPlace(place.peek());
}

let started = false;

/** Loads the worlds, opens what the address names, and follows what happens. */
export function start(): void {
    if (started) return;
    started = true;
    followEvents(() => shared?.repair());
    followVersion();
    const to = { begin: (seq: number) => void begin(seq), told: tell, connection: connected };
    void beginEarly().then(seq => {
        shared = share(to, seq);
    });
    snapshotsFrom(() => shared?.snapshots() ?? []);
    effect(() => {
        const p = place.value;
        if (begun) void openPlace(p);
    });
    effect(() => {
        const name = state.value.world?.world.name;
        if (name !== undefined && name === state.value.open) followRename(name);
    });
    effect(() => {
        const refuses = readOnly.value;
        update(s => ({ ...s, readOnly: refuses, connection: asReadOnly(s.connection, refuses) }));
    });
}

function asReadOnly(c: Connection, refuses: boolean): Connection {
    if (refuses && c.state === 'live') return { state: 'readOnly' };
    return !refuses && c.state === 'readOnly' ? { state: 'live' } : c;
}

let lastName: { id: string; name: string } | null = null;

function followRename(name: string): void {
    const id = state.peek().world?.world.id ?? '';
    const renamed = lastName?.id === id && lastName.name !== name;
    lastName = { id, name };
    if (renamed) followName(name);
}
