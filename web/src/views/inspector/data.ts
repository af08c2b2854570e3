// data.ts: what is known of a message or a call: both lead to the other.

import {
    getCall,
    getContext,
    getDelivery,
    getMessage,
    getMessageContext,
    getProvider,
    listAgentChats,
    listCalls,
    listChatMessages,
    listMessageVersions,
    listSummaries,
} from '../../api/calls';
import type { Result, Trouble } from '../../api/client';
import type { Context, Message, ModelCall, Provider, Summary, Thread, WholeModelCall } from '../../api/types';
import type { Inspecting } from '../../store/place';

export interface Looked {
    message: Message | null;
    call: WholeModelCall | null;
    /** why there is no call */
    noCall: Trouble | null;
    /** all calls of the agent, the oldest first */
    calls: ModelCall[];
    delivery: { agent: string; state: string; stoppedAt?: string }[];
    seenBy: string[];
    versions: Thread[];
    /** messages around it, to find results of tools */
    rows: Message[];
    /** what the agent has in memory before its answer, in its order */
    memory: Message[];
    /** the summary that the call began with */
    summary: Summary | null;
    provider: Provider | null;
    /** of an agent alone: what a model would be sent now, and where */
    context: Context | null;
    chatId: string | null;
}

const NOTHING: Looked = {
    message: null,
    call: null,
    noCall: null,
    calls: [],
    delivery: [],
    seenBy: [],
    versions: [],
    rows: [],
    memory: [],
    summary: null,
    provider: null,
    context: null,
    chatId: null,
};

/** The list has the newest first and ends at what the server keeps. */
async function callsOf(w: string, agent: string | null, signal: AbortSignal): Promise<ModelCall[]> {
    if (!agent) return [];
    const list = await listCalls(w, agent, { limit: 500 }, { signal });
    return list.ok ? [...list.value.data].reverse() : [];
}

async function summaryBefore(w: string, call: WholeModelCall, signal: AbortSignal): Promise<Summary | null> {
    if (!call.chatId || !call.agent) return null;
    const list = await listSummaries(w, call.chatId, { agent: call.agent, limit: 100 }, { signal });
    return list.ok ? (list.value.data.find(s => s.createdAt <= call.createdAt) ?? null) : null;
}

/** In the version that has the answer: what was said since, or undone, is in no other. */
async function versionWith(w: string, messageId: string, signal: AbortSignal): Promise<string | undefined> {
    const list = await listMessageVersions(w, messageId, { limit: 100 }, { signal });
    const versions = list.ok ? list.value.data : [];
    return (versions.find(t => t.current) ?? versions[0])?.threadId ?? undefined;
}

/**
 * What stands before the answer in the memory of who gave it, for a call that does not say what it was made of; work that
 * was handed on is in no memory.
 */
async function memoryOf(
    w: string,
    call: WholeModelCall,
    answer: Message | null,
    signal: AbortSignal,
): Promise<Message[]> {
    const { chatId, agent, messageId } = call;
    if (
        call.contextMessageIds ||
        !chatId ||
        !agent ||
        call.purpose !== 'turn' ||
        (answer && answer.position < 0)
    )
        return [];
    const where = messageId
        ? { before: messageId, threadId: await versionWith(w, messageId, signal) }
        : { latest: true };
    const list = await listChatMessages(w, chatId, { ...where, agent, limit: 500 }, { signal });
    return list.ok ? list.value.data : [];
}

async function aroundCall(
    w: string,
    call: WholeModelCall | null,
    message: Message | null,
    signal: AbortSignal,
) {
    const chatId = call?.chatId ?? message?.chatId ?? null;
    const provider = call?.model?.split('/', 1)[0] ?? null;
    const [rows, memory, calls, summary, known] = await Promise.all([
        chatId ? listChatMessages(w, chatId, { latest: true, limit: 500 }, { signal }) : null,
        call ? memoryOf(w, call, message, signal) : [],
        callsOf(w, call?.agent ?? null, signal),
        call ? summaryBefore(w, call, signal) : null,
        provider ? getProvider(provider, { signal }) : null,
    ]);
    return {
        rows: rows?.ok ? rows.value.data : [],
        memory,
        calls,
        summary,
        provider: known?.ok ? known.value : null,
    };
}

async function aroundMessage(w: string, id: string, signal: AbortSignal) {
    const [delivery, versions] = await Promise.all([
        getDelivery(w, id, {}, { signal }),
        listMessageVersions(w, id, { limit: 100 }, { signal }),
    ]);
    return {
        delivery: delivery.ok ? (delivery.value.delivery ?? []) : [],
        seenBy: delivery.ok ? (delivery.value.seenByAgents ?? []) : [],
        versions: versions.ok ? versions.value.data : [],
    };
}

async function lookAtMessage(w: string, id: string, signal: AbortSignal): Promise<Result<Looked>> {
    const message = await getMessage(w, id, {}, { signal });
    if (!message.ok) return message;
    // What people and tools wrote came of no call: there is nothing to ask for.
    const asked = message.value.model === null ? null : await getMessageContext(w, id, {}, { signal });
    const call = asked?.ok ? asked.value : null;
    const [a, b] = await Promise.all([
        aroundCall(w, call, message.value, signal),
        aroundMessage(w, id, signal),
    ]);
    return {
        ...message,
        value: {
            ...NOTHING,
            ...a,
            ...b,
            message: message.value,
            call,
            noCall: !asked || asked.ok ? null : asked.trouble,
        },
    };
}

async function lookAtCall(w: string, id: string, signal: AbortSignal): Promise<Result<Looked>> {
    const call = await getCall(w, id, {}, { signal });
    if (!call.ok) return call;
    const from = call.value.messageId;
    const message = from ? await getMessage(w, from, {}, { signal }) : null;
    const known = message?.ok ? message.value : null;
    const [a, b] = await Promise.all([
        aroundCall(w, call.value, known, signal),
        from && known ? aroundMessage(w, from, signal) : {},
    ]);
    return { ...call, value: { ...NOTHING, ...a, ...b, call: call.value, message: known } };
}

/** What a model would be sent now for an agent: in `chatId`, or in its background. */
async function lookAtAgent(
    w: string,
    name: string,
    chatId: string | null,
    signal: AbortSignal,
): Promise<Result<Looked>> {
    let where = chatId;
    if (!where) {
        const chats = await listAgentChats(w, name, { limit: 20 }, { signal });
        if (!chats.ok) return chats;
        where = (chats.value.data.find(c => c.mode === 'background') ?? chats.value.data[0])?.id ?? null;
    }
    const calls = await callsOf(w, name, signal);
    if (!where) return { ok: true, status: 200, etag: null, value: { ...NOTHING, calls } };
    const context = await getContext(w, where, { agent: name }, { signal });
    if (!context.ok) return context;
    return { ...context, value: { ...NOTHING, calls, context: context.value, chatId: where } };
}

export function look(
    w: string,
    what: Inspecting,
    chatId: string | null,
    signal: AbortSignal,
): Promise<Result<Looked>> {
    if (what.callId) return lookAtCall(w, what.callId, signal);
    if (what.messageId) return lookAtMessage(w, what.messageId, signal);
    return lookAtAgent(w, what.agent ?? '', chatId, signal);
}
