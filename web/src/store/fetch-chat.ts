// fetch-chat.ts: a conversation as the server has it: everything that is asked for, all at once, and the state that
// the answers make together.

import * as api from '../api/calls';
import { request, type Result } from '../api/client';
import { FIRST_ROWS, PAST_EVENTS } from '../api/early';
import type { Chat, Delegation, EventList, Message, MessageList, QueueItem, Told } from '../api/types';
import { reduceChat } from './reduce-chat';
import { emptyChat, noAnswer, type ChatState, type Failed, type WorldState } from './state';

type Window = Pick<ChatState, 'rows' | 'total' | 'hasOlder' | 'hasNewer'>;

export function windowOf(page: MessageList): Window {
    const rows = page.data;
    const first = rows[0];
    const last = rows.at(-1);
    const total = Math.max(page.page.total ?? 0, (last?.position ?? -1) + 1);
    return {
        rows,
        total,
        hasOlder: first !== undefined && first.position > 0,
        hasNewer: last !== undefined && last.position + 1 < total,
    };
}

/** The rows around the first of these messages that is there, or the last ones; of a version, or of the current one. */
async function rowsAt(
    w: string,
    c: string,
    around: string[],
    threadId?: string,
): Promise<Result<MessageList>> {
    const query = { threadId, limit: FIRST_ROWS };
    for (const id of around) {
        const got = await api.listChatMessages(w, c, { ...query, around: id });
        // It is in another version, or nowhere.
        if (got.ok || (got.trouble.status !== 404 && got.trouble.status !== 400)) return got;
    }
    return api.listChatMessages(w, c, { ...query, latest: true });
}

/** The version that an answer is about: its tag is `"t_….length"`, and may have more behind a dash. */
export function versionOf(etag: string | null): string | null {
    return /^"(.+)\.\d+(-[^".]*)?"$/.exec(etag ?? '')?.[1] ?? null;
}

interface ChatRows {
    chat: Chat;
    rows: MessageList;
}

/** Both are asked for together; where another version became the current one in between, its rows are asked for again. */
async function chatAndRows(w: string, id: string, around: string[]): Promise<Result<ChatRows>> {
    const asked = rowsAt(w, id, around);
    const chat = await api.getChat(w, id);
    const first = await asked;
    if (!chat.ok) return chat;
    const { currentThread } = chat.value;
    const fits = !first.ok || currentThread === '' || versionOf(first.etag) === currentThread;
    const rows = fits ? first : await rowsAt(w, id, around, currentThread);
    return rows.ok ? { ...chat, value: { chat: chat.value, rows: rows.value } } : rows;
}

async function past(w: string, c: string): Promise<Told[]> {
    const found: Told[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 3; page++) {
        const from = cursor === undefined ? { recent: PAST_EVENTS } : { cursor };
        const query = { ...from, chatId: c, types: 'message,tool', limit: 500 };
        const got = await request<EventList>('GET', `/worlds/${encodeURIComponent(w)}/events`, { query });
        if (!got.ok) break;
        found.push(...(got.value.data as Told[]));
        cursor = got.value.page.next ?? undefined;
        if (!got.value.page.hasMore || cursor === undefined) break;
    }
    return found;
}

/** What the server said of a conversation. */
export interface Fetched extends ChatRows {
    queue: QueueItem[];
    delegations: Delegation[];
    /** what happened last */
    events: Told[];
}

/** Asks for a conversation. */
export async function fetchChat(w: string, id: string, around: string[]): Promise<Result<Fetched>> {
    // The rows go first: a browser has few connections, and they are what is waited for.
    const [both, queue, delegations, events] = await Promise.all([
        chatAndRows(w, id, around),
        api.listQueue(w, id, { limit: 500 }),
        api.listDelegations(w, { chatId: id, limit: 500 }),
        past(w, id),
    ]);
    if (!both.ok) return both;
    const value = {
        ...both.value,
        queue: queue.ok ? queue.value.data : [],
        delegations: delegations.ok ? delegations.value.data : [],
        events,
    };
    return { ...both, value };
}

/** What the messages themselves say of answers that were not given, however long ago. */
function unanswered(rows: readonly Message[]): Failed[] {
    return rows.flatMap(m =>
        (m.delivery ?? []).flatMap(({ agent, state, error, failedAt, stoppedAt }) => {
            if (stoppedAt !== undefined) return [noAnswer(m.messageId, agent, stoppedAt)];
            if (state !== 'failed') return [];
            const detail = error ?? 'The agent did not answer.';
            return [{ ...noAnswer(m.messageId, agent, failedAt ?? m.createdAt), stopped: false, detail }];
        }),
    );
}

/** The messages know who failed; what happened lately tells more of it: the model, and what may help. */
function failuresOf(c: ChatState, told: Record<string, Failed>): Record<string, Failed> {
    const here = new Set(c.rows.map(m => m.messageId));
    const lately = Object.values(told).filter(f => f.replyTo === null || here.has(f.replyTo) || c.hasOlder);
    const isTold = (f: Failed) =>
        lately.some(t => t.lane === 'main' && t.agent === f.agent && t.replyTo === f.replyTo);
    const all = [...unanswered(c.rows).filter(f => !isTold(f)), ...lately];
    return Object.fromEntries(all.map(f => [f.messageId, f]));
}

/** Half-written answers, failures and running tools are no messages: the last events show them. */
function recall(c: ChatState, events: Told[]): ChatState {
    // Not loaded: so that no row is added or cut.
    const told = events.reduce(reduceChat, { ...emptyChat(c.chat), delegations: c.delegations });
    const here = new Set(c.rows.map(m => m.messageId));
    const live = Object.fromEntries(Object.entries(told.live).filter(([id]) => !here.has(id)));
    return { ...c, failed: failuresOf(c, told.failed), live, tools: told.tools };
}

/** Somebody who has been writing for longer than the past reaches. */
function addBusy(c: ChatState, w: WorldState | null): ChatState {
    const live = { ...c.live };
    for (const b of w?.world.busy ?? []) {
        if (b.chatId !== c.chat.id || b.messageId === null || live[b.messageId]) continue;
        // While its tools run nothing is written: the message of that id begins when they are done, or never.
        if (b.state === 'tool') continue;
        if (c.rows.some(m => m.messageId === b.messageId) || !w?.busyIn[c.chat.id]?.includes(b.agent))
            continue;
        live[b.messageId] = {
            messageId: b.messageId,
            agent: b.agent,
            replyTo: null,
            model: null,
            text: '',
            thinking: '',
            chunk: 0,
            lane: 'main',
            startedAt: new Date(Date.now() - b.sinceMs).toISOString(),
            broken: false,
        };
    }
    return { ...c, live };
}

/** The state of a conversation that is made of what was fetched. */
export function stateOf(f: Fetched, w: WorldState): ChatState {
    const loaded: ChatState = {
        ...emptyChat(f.chat),
        ...windowOf(f.rows),
        queue: f.queue,
        delegations: Object.fromEntries(f.delegations.map(d => [d.threadPath, d])),
    };
    return addBusy(recall(loaded, f.events), w);
}

/** clientMessageId of what was said lately: it is not pending, whatever the browser has kept. */
export function saidIn(events: Told[]): Set<string> {
    const ids = events.map(e => (e.type === 'message.created' ? e.data.clientMessageId : null));
    return new Set(ids.filter(id => typeof id === 'string'));
}
