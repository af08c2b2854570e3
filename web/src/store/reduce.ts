// reduce.ts: reduce(state, event) => state. Pure, and any cut of the stream gives the same state: durable
// events that were seen are ignored, and volatile ones carry numbers of their own.

import type { Agent, Chat, EventData, Told } from '../api/types';
import { reduceChat, versionNumber } from './reduce-chat';
import type { Inbox, State, WorldState } from './state';

function newAgent(data: EventData['agent.created'], time: string): Agent {
    return {
        id: data.id,
        name: data.name,
        systemPrompt: null,
        model: data.model,
        lead: data.lead,
        tools: null,
        temperature: null,
        topP: null,
        maxTokens: null,
        stop: null,
        seed: null,
        effort: null,
        thinkingTokens: null,
        images: null,
        schema: null,
        autoReply: true,
        state: 'idle',
        pendingTasks: 0,
        paused: false,
        runEvery: 0,
        nextRunAt: null,
        lastCompletedAt: null,
        createdAt: time,
    } as unknown as Agent;
}

/** Renaming keeps the id. */
function agentChanged(w: WorldState, data: EventData['agent.updated'], time: string): WorldState {
    const known = Object.values(w.agents).find(a => a.id === data.id);
    const others = Object.fromEntries(Object.entries(w.agents).filter(([, a]) => a.id !== data.id));
    const agent = { ...(known ?? newAgent(data, time)), name: data.name, model: data.model, lead: data.lead };
    return { ...w, agents: { ...others, [data.name]: agent } };
}

function agentGone(w: WorldState, id: string): WorldState {
    return { ...w, agents: Object.fromEntries(Object.entries(w.agents).filter(([, a]) => a.id !== id)) };
}

function agentState(w: WorldState, { data, chatId }: Told<'agent.state'>): WorldState {
    const agent = w.agents[data.agent];
    if (!agent) return w;
    const next = {
        ...agent,
        state: data.state,
        until: data.until ?? null,
        pendingTasks: data.queue ?? agent.pendingTasks,
        failedChatId: data.state === 'failed' ? (chatId ?? agent.failedChatId) : null,
    };
    return {
        ...w,
        agents: { ...w.agents, [data.agent]: next },
        agentDetail: { ...w.agentDetail, [data.agent]: data.detail ?? null },
    };
}

function busy(w: WorldState, chatId: string | null, agents: string[]): WorldState {
    const busyIn = { ...w.busyIn, [chatId ?? '']: agents };
    if (agents.length === 0) delete busyIn[chatId ?? ''];
    return { ...w, busyIn, busy: [...new Set(Object.values(busyIn).flat())].sort() };
}

function changeChat(w: WorldState, id: string | null, change: (c: Chat) => Chat): WorldState {
    const known = id === null ? undefined : w.chats[id];
    if (!known || id === null) return w;
    return { ...w, chats: { ...w.chats, [id]: change(known) } };
}

function chatMade(w: WorldState, data: EventData['chat.created'], time: string): WorldState {
    if (w.chats[data.id]) return chatIs(w, data.id, { archived: data.archived ?? false });
    const chat: Chat = {
        id: data.id,
        title: data.title,
        mode: data.mode as Chat['mode'],
        agent: data.agent,
        currentThread: '',
        version: 1,
        messageCount: 0,
        lastActivityAt: null,
        createdAt: time,
        archived: false,
        replyExpected: data.replyExpected ?? null,
        readOnly: data.readOnly ?? false,
    };
    return { ...w, chats: { ...w.chats, [data.id]: chat } };
}

/** In the list, and where it is open: one that is archived stays open, to be read. */
export function chatIs(w: WorldState, id: string, now: Partial<Chat>): WorldState {
    const listed = changeChat(w, id, c => ({ ...c, ...now }));
    const open = listed.chat[id];
    if (!open) return listed;
    return { ...listed, chat: { ...listed.chat, [id]: { ...open, chat: { ...open.chat, ...now } } } };
}

const TOLD = ['title', 'archived', 'replyExpected', 'readOnly'] as const;

function chatChanged(w: WorldState, data: EventData['chat.updated']): WorldState {
    if (data.removed) {
        const { [data.id]: _gone, ...chats } = w.chats;
        return { ...chatIs(w, data.id, { archived: true }), chats };
    }
    const told = TOLD.filter(key => data[key] !== undefined).map(key => [key, data[key]]);
    return chatIs(w, data.id, Object.fromEntries(told) as Partial<Chat>);
}

function spoken(w: WorldState, e: Told<'message.created' | 'message.completed'>): WorldState {
    if (e.data.threadPath && e.data.threadPath !== 'main') return w;
    return changeChat(w, e.chatId, c => ({
        ...c,
        messageCount: Math.max(c.messageCount, e.data.position + 1),
        lastActivityAt: e.data.createdAt,
        currentThread: c.currentThread || (e.threadId ?? ''),
    }));
}

function threadMade(w: WorldState, e: Told<'thread.created'>): WorldState {
    const { threadId, length, version, current } = e.data;
    if (current === false) return w;
    const number = versionNumber(version);
    return changeChat(w, e.chatId, c => ({
        ...c,
        currentThread: threadId,
        messageCount: length,
        version: number || c.version,
    }));
}

/** What an event does to the world, its agents and the list of its conversations. */
export function reduceAround(w: WorldState, e: Told): WorldState {
    switch (e.type) {
        case 'agent.created':
        case 'agent.updated':
            return agentChanged(w, e.data, e.time);
        case 'agent.removed':
            return agentGone(w, e.data.id);
        case 'agent.state':
            return agentState(w, e);
        case 'world.busy':
        case 'world.idle':
            return busy(w, e.chatId, e.data.agents);
        case 'chat.created':
            return chatMade(w, e.data, e.time);
        case 'chat.updated':
            return chatChanged(w, e.data);
        case 'message.created':
        case 'message.completed':
            return spoken(w, e);
        case 'thread.created':
            return threadMade(w, e);
        case 'thread.switched':
            return changeChat(w, e.chatId, c => ({ ...c, currentThread: e.data.to }));
        default:
            return w;
    }
}

/** Both copies of a chat say the same. */
function sameChat(w: WorldState, id: string): WorldState {
    const open = w.chat[id];
    const listed = w.chats[id];
    if (!open || !listed || open.chat === listed) return w;
    return { ...w, chat: { ...w.chat, [id]: { ...open, chat: listed } } };
}

export function reduceWorld(w: WorldState, e: Told): WorldState {
    if (e.seq !== undefined && e.seq <= w.seq) return w;
    let next = reduceAround(w, e);
    const open = e.chatId === null ? undefined : next.chat[e.chatId];
    if (open && e.chatId !== null) {
        const chat = reduceChat(open, e);
        if (chat !== open) next = { ...next, chat: { ...next.chat, [e.chatId]: chat } };
        next = sameChat(next, e.chatId);
    }
    if (e.type.startsWith('thread.')) next = { ...next, versions: next.versions + 1 };
    return e.seq === undefined ? next : { ...next, seq: e.seq };
}

function reduceInbox(i: Inbox, data: EventData['inbox.updated']): Inbox {
    const counted = { ...i, unread: data.unread, needsYou: data.needsYou, tick: i.tick + 1 };
    const known = data.id === undefined ? undefined : i.items[data.id];
    if (!known || data.id === undefined) return counted;
    if (data.removed) {
        const { [data.id]: _gone, ...items } = i.items;
        return { ...counted, items };
    }
    const {
        open = known.open,
        answer = known.answer,
        readAt = known.readAt,
        doneAt = known.doneAt,
        snoozedUntil = known.snoozedUntil,
    } = data;
    return {
        ...counted,
        items: { ...i.items, [data.id]: { ...known, open, answer, readAt, doneAt, snoozedUntil } },
    };
}

/** The seq of the inbox is that of all worlds: an item of another world counts here too. */
export function reduce(s: State, e: Told): State {
    const fresh = e.seq === undefined || e.seq > s.seq;
    if (!fresh) return s;
    let next = e.seq === undefined ? s : { ...s, seq: e.seq };
    if (e.type === 'inbox.created' || e.type === 'inbox.updated')
        next = { ...next, inbox: reduceInbox(next.inbox, e.data) };
    if (next.world && e.world === next.world.world.name) {
        const world = reduceWorld(next.world, e);
        if (world !== next.world) next = { ...next, world };
    }
    return next;
}
