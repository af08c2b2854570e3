// sending.ts: saying something. It is on screen at once, and never lost: while the server is away it waits,
// and it is tried again with the same key and the same clientMessageId, so that it is said once.

import * as api from '../api/calls';
import { newKey, type Result, type Trouble } from '../api/client';
import type { File as Kept, Instruction, PostedMessage, QueueItem } from '../api/types';
import { chatOf, state, updateChat } from './core';
import { keepPending, keptPending } from './keep-pending';
import { place } from './place';
import { addRow, messageOf } from './reduce-rows';
import type { ChatState, Pending } from './state';

export interface SendOptions {
    replyTo?: string | null;
    instructions?: Instruction[];
    files?: Kept[];
    now?: boolean;
    agent?: string;
}

const NO_CHAT: Trouble = {
    status: 0,
    type: 'no-chat',
    code: 'no-chat',
    title: 'No conversation is open',
    detail: 'Open a conversation to write in it.',
};
const NOT_LOADED: Trouble = {
    status: 0,
    type: 'waiting',
    code: 'waiting',
    title: 'The message is sent later',
    detail: 'The conversation is still loading. The message is saved and will be sent then.',
};
const AGAIN_MS = 2000;
const TRIES = 3;

function changePending(chatId: string, id: string, change: (p: Pending) => Pending | null): void {
    updateChat(chatId, c => {
        if (!c.pending.some(p => p.clientMessageId === id)) return c;
        const pending = c.pending
            .map(p => (p.clientMessageId === id ? change(p) : p))
            .filter(p => p !== null);
        return { ...c, pending };
    });
}

function queueItem(m: PostedMessage): QueueItem {
    return {
        id: m.messageId,
        messageId: m.messageId,
        chatId: m.chatId,
        sender: m.sender,
        content: m.content,
        replyToMessageId: m.replyToMessageId,
        clientMessageId: m.clientMessageId ?? null,
        queued: true,
        createdAt: m.createdAt,
    };
}

/** The answer may come before the event or after it; whichever is second finds nothing to do. */
function accepted(c: ChatState, p: Pending, m: PostedMessage): ChatState {
    const known = c.pending.some(x => x.clientMessageId === p.clientMessageId);
    const rest = { ...c, pending: c.pending.filter(x => x.clientMessageId !== p.clientMessageId) };
    if (!known || m.chatId !== c.chat.id) return known ? rest : c;
    if (m.queued) {
        return c.queue.some(q => q.messageId === m.messageId)
            ? rest
            : { ...rest, queue: [...c.queue, queueItem(m)] };
    }
    if (c.rows.some(r => r.messageId === m.messageId)) return rest;
    // Others were said before it, and their events are on the way: its own event puts it behind them.
    if (c.hasNewer || c.stale || m.position !== c.total) return c.hasNewer ? rest : c;
    return addRow(rest, messageOf({ ...m, queued: false }), null);
}

async function post(w: string, chatId: string, p: Pending): Promise<Result<PostedMessage>> {
    const body = {
        content: p.content,
        ...(p.agent === undefined ? { chatId } : { agent: p.agent }),
        ...(p.replyTo === null ? {} : { replyToMessageId: p.replyTo }),
        ...(p.instructions.length > 0 ? { instructions: p.instructions } : {}),
        ...(p.files?.length ? { files: p.files.map(f => ({ id: f.id, name: f.name })) } : {}),
        ...(p.now ? { now: true } : {}),
        clientMessageId: p.clientMessageId,
    };
    const got = await api.postMessage(w, body, { key: p.key });
    if (got.ok) updateChat(chatId, c => accepted(c, p, got.value));
    return got;
}

const tries = new Map<string, number>();

async function attempt(w: string, chatId: string, p: Pending): Promise<Result<PostedMessage>> {
    changePending(chatId, p.clientMessageId, old => ({ ...old, state: 'sending', trouble: undefined }));
    const got = await post(w, chatId, p);
    if (got.ok) {
        tries.delete(p.clientMessageId);
        return got;
    }
    const { trouble } = got;
    const count = (tries.get(p.clientMessageId) ?? 0) + 1;
    tries.set(p.clientMessageId, count);
    const live = state.peek().connection.state === 'live';
    const waits = trouble.status === 0 && (!live || count < TRIES);
    changePending(chatId, p.clientMessageId, old => ({
        ...old,
        state: waits ? 'waiting' : 'failed',
        trouble,
    }));
    // The stream may not have noticed yet that the server is away; if it has not gone, nothing else wakes this.
    if (waits && live) setTimeout(() => sendWaiting(chatId), AGAIN_MS);
    return got;
}

export async function send(text: string, o: SendOptions = {}): Promise<Result<PostedMessage>> {
    const p = place.peek();
    if (p.kind !== 'chat') return { ok: false, trouble: NO_CHAT };
    const pending: Pending = {
        clientMessageId: `web-${newKey().slice(0, 20)}`,
        content: text,
        replyTo: o.replyTo ?? null,
        instructions: o.instructions ?? [],
        files: o.files,
        state: 'sending',
        at: Date.now(),
        key: newKey(),
        now: o.now,
        agent: o.agent,
    };
    const w = state.peek().open;
    if (w !== p.w || !chatOf(p.c)) {
        // Somebody types faster than the conversation loads: it is read from there, and sent, when it is loaded.
        keepPending(p.w, p.c, [...keptPending(p.w, p.c), pending]);
        return { ok: false, trouble: NOT_LOADED };
    }
    updateChat(p.c, c => ({ ...c, pending: [...c.pending, pending] }));
    return attempt(w, p.c, pending);
}

function find(id: string): { w: string; c: string; p: Pending } | null {
    const world = state.peek().world;
    for (const [c, chat] of Object.entries(world?.chat ?? {})) {
        const p = chat.pending.find(x => x.clientMessageId === id);
        if (p && world) return { w: world.world.name, c, p };
    }
    return null;
}

export function retryPending(clientMessageId: string): void {
    const found = find(clientMessageId);
    if (!found || found.p.state === 'sending') return;
    tries.delete(clientMessageId);
    // A refusal is the answer to its key: another try is another act. What was never answered is the same act.
    const p =
        found.p.state === 'failed' && found.p.trouble?.status !== 0 ? { ...found.p, key: newKey() } : found.p;
    changePending(found.c, clientMessageId, () => p);
    void attempt(found.w, found.c, p);
}

/** Takes it back, so that its text can become a draft again. */
export function dropPending(clientMessageId: string): Pending | null {
    const found = find(clientMessageId);
    if (!found) return null;
    changePending(found.c, clientMessageId, () => null);
    tries.delete(clientMessageId);
    return found.p;
}

const flushing = new Set<string>();

/** Sends what waits, in the order in which it was said. */
export async function sendWaiting(chatId: string): Promise<void> {
    const w = state.peek().open;
    if (w === null || flushing.has(chatId)) return;
    flushing.add(chatId);
    try {
        for (const p of chatOf(chatId)?.pending ?? []) {
            if (p.state !== 'waiting' || state.peek().connection.state === 'offline') continue;
            const got = await attempt(w, chatId, p);
            if (!got.ok && got.trouble.status === 0) break;
        }
    } finally {
        flushing.delete(chatId);
    }
}
