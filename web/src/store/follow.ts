// follow.ts: what events ask for beyond the state: pages to load again, details that only a request tells.

import * as api from '../api/calls';
import type { Told } from '../api/types';
import { anchorId, chatOf, notice, on, state, update, updateChat } from './core';
import {
    completeRow,
    completeSurroundings,
    loadTags,
    refreshQueue,
    refreshWorld,
    refreshWorlds,
    reloadChat,
} from './load';
import { followNames } from './names';
import { go, place } from './place';
import { trim } from './pages';

const REPAIR_MS = 2000;
const SETTLE_MS = 150;

/** Many events in a row ask for the same: once, a little later. */
function soon(work: () => unknown): () => void {
    let due: ReturnType<typeof setTimeout> | undefined;
    return () => {
        clearTimeout(due);
        due = setTimeout(work, SETTLE_MS);
    };
}

function isHere(e: Told): boolean {
    return e.world !== null && e.world === state.peek().open;
}

function followLists(): void {
    const world = soon(refreshWorld);
    const worlds = soon(refreshWorlds);
    const both = (e: Told) => (isHere(e) ? world() : worlds());
    on('agent.created', both);
    on('agent.updated', both);
    // Of no conversation: it was paused, or goes on, which the state alone does not tell.
    on('agent.state', e => {
        if (e.chatId === null) both(e);
    });
    on('task.queued', both);
    on('task.waiting', both);
    on('task.finished', both);
    on('chat.created', both);
    on('chat.updated', both);
    on('world.updated', e => {
        worlds();
        // It may have another name now: the id stays.
        if (e.world === state.peek().open || idOf(e) === state.peek().world?.world.id) world();
    });
}

function idOf(e: Told<'world.updated'>): unknown {
    return typeof e.data === 'object' && e.data !== null && 'id' in e.data ? e.data.id : undefined;
}

/** A world that was renamed keeps its place on screen, under its new address. */
export function followName(name: string): void {
    const p = place.peek();
    if ('w' in p && p.w !== undefined && p.w !== name) go({ ...p, w: name } as typeof p, { replace: true });
}

function followChat(): void {
    on('queue.changed', e => {
        if (isHere(e) && e.chatId !== null && chatOf(e.chatId) && e.data.count > 0)
            void refreshQueue(e.chatId);
    });
    on('tool.completed', e => {
        const inRows =
            e.data.messageId &&
            e.chatId !== null &&
            chatOf(e.chatId)?.rows.some(m => m.messageId === e.data.messageId);
        if (e.data.cut && inRows && e.chatId !== null && e.data.messageId)
            void completeRow(e.chatId, e.data.messageId);
    });
    on('world.idle', e => {
        if (isHere(e) && e.chatId !== null && e.data.pending === 0) void completeSurroundings(e.chatId);
    });
    on('message.retagged', e => {
        if (isHere(e)) void loadTags();
    });
}

function followInbox(): void {
    on('inbox.created', e => {
        void api.getInboxItem(e.data.id).then(got => {
            if (!got.ok) return;
            const item = got.value;
            update(s => ({
                ...s,
                inbox: { ...s.inbox, items: { ...s.inbox.items, [item.id]: item }, tick: s.inbox.tick + 1 },
            }));
        });
    });
}

/** Conversations that events alone cannot follow, and texts that lack a piece. */
function mend(repair: () => void): void {
    let repaired = 0;
    const mending = new Set<string>();
    const reload = (id: string) => {
        if (mending.has(id)) return;
        mending.add(id);
        void reloadChat(id).finally(() => mending.delete(id));
    };
    on('*', () => {
        for (const [id, c] of Object.entries(state.peek().world?.chat ?? {})) {
            if (c.stale) reload(id);
            if (Object.values(c.live).some(l => l.broken) && Date.now() - repaired > REPAIR_MS) {
                repaired = Date.now();
                repair();
            }
            updateChat(id, now => trim(now, anchorId.peek()));
        }
    });
}

export function followEvents(repair: () => void): void {
    followLists();
    followChat();
    followInbox();
    followNames();
    mend(repair);
    on('server.notice', e => {
        notice.value = { reason: e.data.reason, inMs: e.data.inMs ?? null, at: Date.now() };
    });
    on('stream.open', () => {
        notice.value = null;
    });
}
