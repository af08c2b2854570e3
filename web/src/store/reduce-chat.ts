// reduce-chat.ts: what an event does to a conversation. Pure; telling the same durable event twice, or
// one that the loaded rows already hold, changes nothing.

import type { Delegation, EventData, Told } from '../api/types';
import { addRow, addToolRow, changeRow, cutRows, dropOrphans, messageOf } from './reduce-rows';
import { noAnswer, unansweredId, type ChatState, type Live } from './state';

const MAIN = 'main';

function without<T>(record: Record<string, T>, key: string): Record<string, T> {
    if (!(key in record)) return record;
    const { [key]: _gone, ...rest } = record;
    return rest;
}

function over(c: ChatState, messageId: string): ChatState {
    const live = without(c.live, messageId);
    return live === c.live ? c : { ...c, live };
}

/** What was said is neither pending nor waiting any longer. */
function confirmed(c: ChatState, messageId: string, clientMessageId: string | null | undefined): ChatState {
    const pending = clientMessageId
        ? c.pending.filter(p => p.clientMessageId !== clientMessageId)
        : c.pending;
    const queue = c.queue.filter(q => q.messageId !== messageId);
    const changed = pending.length !== c.pending.length || queue.length !== c.queue.length;
    return changed ? { ...c, pending, queue } : c;
}

function said(c: ChatState, e: Told<'message.created' | 'message.completed'>): ChatState {
    const { messageId, threadPath = MAIN, position } = e.data;
    const mine = e.type === 'message.created' ? e.data.clientMessageId : null;
    const next = confirmed(over(c, messageId), messageId, mine);
    if (threadPath === MAIN) return addRow(next, messageOf(e.data), e.threadId);
    const lane = next.delegations[threadPath];
    if (!lane || lane.messageCount > position) return next;
    return {
        ...next,
        delegations: { ...next.delegations, [threadPath]: { ...lane, messageCount: position + 1 } },
    };
}

/** The agent's next try at the same message replaces what went wrong before. */
function tryAgain(c: ChatState, agent: string, lane: string, replyTo: string | null): ChatState {
    const kept = Object.entries(c.failed).filter(
        ([, f]) => f.agent !== agent || f.lane !== lane || f.replyTo !== replyTo,
    );
    return kept.length === Object.keys(c.failed).length ? c : { ...c, failed: Object.fromEntries(kept) };
}

function started(c: ChatState, e: Told<'message.started'>): ChatState {
    const { messageId, agent, replyToMessageId, model, threadPath = MAIN } = e.data;
    const next = tryAgain(c, agent, threadPath, replyToMessageId);
    if (messageId in c.live || c.rows.some(m => m.messageId === messageId)) return next;
    const live: Live = {
        messageId,
        agent,
        replyTo: replyToMessageId,
        model,
        text: '',
        thinking: '',
        chunk: 0,
        lane: threadPath,
        startedAt: e.time,
        broken: false,
    };
    return { ...next, live: { ...c.live, [messageId]: live } };
}

function changeLive(c: ChatState, live: Live): ChatState {
    return { ...c, live: { ...c.live, [live.messageId]: live } };
}

function delta(c: ChatState, data: EventData['message.delta']): ChatState {
    const live = c.live[data.messageId];
    if (!live || live.broken || data.chunk <= live.chunk) return c;
    if (data.chunk > live.chunk + 1) return changeLive(c, { ...live, broken: true });
    const text = data.part === 'text' ? live.text + data.text : live.text;
    const thinking = data.part === 'thinking' ? live.thinking + data.text : live.thinking;
    return changeLive(c, { ...live, chunk: data.chunk, text, thinking });
}

function snapshot(c: ChatState, data: EventData['message.snapshot']): ChatState {
    const live = c.live[data.messageId];
    if (!live || (data.chunk <= live.chunk && !live.broken)) return c;
    return changeLive(c, {
        ...live,
        chunk: data.chunk,
        text: data.text,
        thinking: data.thinking ?? '',
        broken: false,
    });
}

function failed(c: ChatState, e: Told<'message.failed'>): ChatState {
    const {
        messageId,
        agent,
        detail = 'The agent did not answer.',
        hint = null,
        retryable,
        code,
        model = null,
        threadPath = MAIN,
    } = e.data;
    if (c.failed[messageId]) return over(c, messageId);
    const live = c.live[messageId];
    const replyTo = e.data.replyToMessageId ?? live?.replyTo ?? e.cause;
    // One mark for an agent and a message: an earlier try may have ended without a word, and the message may have told
    // of this one before (see fetch-chat.ts).
    const others = tryAgain(c, agent, threadPath, replyTo).failed;
    const failure = {
        messageId,
        agent,
        stopped: false,
        detail,
        hint,
        retryable,
        code,
        model: model ?? live?.model ?? null,
        lane: threadPath,
        replyTo,
        at: e.time,
    };
    return { ...over(c, messageId), failed: { ...others, [messageId]: failure } };
}

/** 7 of v7. */
export function versionNumber(version: string | null): number {
    const number = Number(version?.replace(/^v/, ''));
    return number > 0 ? number : 0;
}

function threadMade(c: ChatState, data: EventData['thread.created']): ChatState {
    if (data.current === false) return c;
    if (data.threadId === c.thread) return dropOrphans(c);
    const version = versionNumber(data.version);
    // New versions get higher numbers: this one came before the one that was loaded.
    if (version > 0 && version <= c.chat.version) return c;
    const next = {
        ...c,
        chat: { ...c.chat, version: version || c.chat.version, currentThread: data.threadId },
    };
    const follows = (data.op === 'remove' || data.op === 'edit') && data.originalThread === c.thread;
    if (follows) return cutRows(next, data.threadId, data.length);
    return { ...next, thread: data.threadId, total: data.length, stale: c.loaded || c.stale };
}

function laneOf(data: { threadPath?: string; delegationId?: string | null }): string {
    return data.threadPath ?? data.delegationId ?? MAIN;
}

function toolStarted(c: ChatState, e: Told<'tool.started'>): ChatState {
    const { toolCallId, toolName, args, messageId } = e.data;
    if (c.tools[toolCallId]) return c;
    const run = {
        toolCallId,
        toolName,
        args,
        state: 'running' as const,
        result: null,
        lane: laneOf(e.data),
        startedAt: e.time,
        messageId,
    };
    return { ...c, tools: { ...c.tools, [toolCallId]: run } };
}

function toolOver(c: ChatState, e: Told<'tool.completed' | 'tool.failed'>): ChatState {
    const { toolCallId, content } = e.data;
    const known = c.tools[toolCallId];
    const ok = e.type === 'tool.completed';
    const lane = known?.lane ?? laneOf(e.data);
    const run = {
        toolCallId,
        toolName: e.data.toolName ?? known?.toolName ?? '',
        args: known?.args ?? null,
        state: ok ? ('done' as const) : ('failed' as const),
        result: content,
        lane,
        startedAt: known?.startedAt ?? e.time,
        messageId: known?.messageId ?? null,
    };
    const next = known?.state === run.state ? c : { ...c, tools: { ...c.tools, [toolCallId]: run } };
    if (lane !== MAIN) return next;
    return addToolRow(next, e.data, { thread: e.threadId, time: e.time, ok, caller: run.messageId });
}

const DELEGATION = {
    'delegation.started': 'running',
    'delegation.completed': 'done',
    'delegation.failed': 'failed',
    'delegation.cancelled': 'cancelled',
} as const;

type DelegationEvent = Told<keyof typeof DELEGATION>;

function delegated(c: ChatState, e: DelegationEvent): ChatState {
    const { delegationId, threadPath, parent, agent, toolCallId, title = null, askedBy = null } = e.data;
    const known = c.delegations[threadPath];
    const state = DELEGATION[e.type];
    const made: Delegation = known ?? {
        delegationId,
        threadPath,
        parent,
        chatId: c.chat.id,
        agent,
        askedBy,
        title,
        spawnCallId: toolCallId,
        spawnMessageId: toolCallId === null ? null : (c.tools[toolCallId]?.messageId ?? null),
        state,
        waited: true,
        messageCount: 0,
        createdAt: e.time,
    };
    return { ...c, delegations: { ...c.delegations, [threadPath]: { ...made, state } } };
}

/** What went wrong with the same answer before is over with it. */
function stopped(c: ChatState, { messageId, agent, stoppedAt }: EventData['message.delivered']): ChatState {
    if (stoppedAt === undefined || c.failed[unansweredId(messageId, agent)]?.at === stoppedAt) return c;
    const failure = noAnswer(messageId, agent, stoppedAt);
    const next = tryAgain(c, agent, MAIN, messageId);
    return { ...next, failed: { ...next.failed, [failure.messageId]: failure } };
}

function delivered(c: ChatState, data: EventData['message.delivered']): ChatState {
    return changeRow(stopped(c, data), data.messageId, m => {
        const all = m.delivery ?? [];
        const known = all.find(d => d.agent === data.agent);
        if (known?.state === data.state && known.stoppedAt === data.stoppedAt) return m;
        const { messageId: _m, threadPath: _t, ...entry } = data;
        const delivery = known ? all.map(d => (d === known ? entry : d)) : [...all, entry];
        const seen = m.seenByAgents ?? [];
        return { ...m, delivery, seenByAgents: seen.includes(data.agent) ? seen : [...seen, data.agent] };
    });
}

function replied(c: ChatState, data: EventData['reply.changed']): ChatState {
    const hasReply = data.count > 0;
    return changeRow(c, data.messageId, m =>
        m.replyCount === data.count && m.hasReply === hasReply
            ? m
            : { ...m, replyCount: data.count, hasReply, memoryOnly: hasReply ? false : m.memoryOnly },
    );
}

/** A summary is a row that no event tells; where it stands follows from the rows being complete. */
function summarised(c: ChatState, data: EventData['summary.created']): ChatState {
    const elsewhere = (data.lane ?? MAIN) !== MAIN || c.hasNewer || !c.loaded;
    if (elsewhere || c.rows.some(m => m.messageId === data.messageId)) return c;
    return { ...c, stale: true };
}

/** Those that are not known are not made up: the store asks for them. */
function queued(c: ChatState, waiting: string[]): ChatState {
    const known = new Map(c.queue.map(q => [q.messageId, q]));
    return { ...c, queue: waiting.map(id => known.get(id)).filter(q => q !== undefined) };
}

function editOf({ editId, phase, done, total }: EventData['edit.phase']): ChatState['edit'] {
    return { editId, phase, done, total };
}

/** Changes a conversation by an event that is about it. */
export function reduceChat(c: ChatState, e: Told): ChatState {
    switch (e.type) {
        case 'message.created':
        case 'message.completed':
            return said(c, e);
        case 'message.started':
            return started(c, e);
        case 'message.delta':
            return delta(c, e.data);
        case 'message.snapshot':
            return snapshot(c, e.data);
        case 'message.failed':
            return failed(c, e);
        case 'message.withdrawn':
            return over(c, e.data.messageId);
        case 'message.delivered':
            return delivered(c, e.data);
        case 'message.retagged':
            return changeRow(c, e.data.messageId, m => ({ ...m, instructions: e.data.instructions }));
        case 'reply.changed':
            return replied(c, e.data);
        case 'thread.created':
            return threadMade(c, e.data);
        case 'thread.switched':
            return e.data.to === c.thread ? c : { ...c, thread: e.data.to, stale: c.loaded || c.stale };
        case 'summary.created':
            return summarised(c, e.data);
        case 'edit.phase':
            return { ...c, edit: editOf(e.data) };
        case 'tool.started':
            return toolStarted(c, e);
        case 'tool.completed':
        case 'tool.failed':
            return toolOver(c, e);
        case 'delegation.started':
        case 'delegation.completed':
        case 'delegation.failed':
        case 'delegation.cancelled':
            return delegated(c, e);
        case 'queue.changed':
            return queued(c, e.data.waiting);
        default:
            // What is about the world, the inbox or the stream, and names that are newer than this page.
            return c;
    }
}
