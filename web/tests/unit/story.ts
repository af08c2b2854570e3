// story.ts: random events of one conversation, as a server would tell them, and what is true after each.

import { vi } from 'vitest';
import type { Agent, Chat, Message, Told, World } from '../../src/api/types';
import {
    emptyChat,
    emptyState,
    type ChatState,
    type Failed,
    type Live,
    type State,
} from '../../src/store/state';
import { plainMessage } from './message';

/** Waits for what a promise brings about; long enough for a machine that has much else to do. */
export function soon<T>(f: () => T): Promise<T> {
    return vi.waitFor(f, { timeout: 20_000, interval: 10 });
}

export type Random = () => number;

/** mulberry32: the same seed, the same story. */
export function random(seed: number): Random {
    let a = seed;
    return () => {
        a = (a + 0x6d2b79f5) | 0;
        let t = Math.imul(a ^ (a >>> 15), 1 | a);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
}

const AGENTS = ['lead', 'ada', 'bo'];
const W = 'w';
const C = 'c_1';

interface Truth {
    thread: string;
    version: number;
    rows: Message[];
    live: Record<string, Live>;
    failed: Record<string, Failed>;
    waiting: string[];
    lanes: string[];
    unread: number;
}

/** Events, and the truth after each of them. */
export interface Story {
    events: Told[];
    truths: Truth[];
}

export const message = (id: string, position: number, more: Partial<Message> = {}): Message =>
    plainMessage(id, { chatId: C, position, ...more });

export function tell(type: string, data: unknown, more: Partial<Told> = {}): Told {
    return {
        type,
        time: '2026-11-15T12:00:00.000Z',
        world: W,
        chatId: C,
        threadId: null,
        cause: null,
        data,
        ...more,
    } as Told;
}

export function story(seed: number, length: number): Story {
    const r = random(seed);
    const events: Told[] = [];
    const truths: Truth[] = [];
    let t: Truth = {
        thread: 't_1',
        version: 1,
        rows: [],
        live: {},
        failed: {},
        waiting: [],
        lanes: [],
        unread: 0,
    };
    let seq = 10;
    let ids = 0;
    let threads = 1;

    const pick = <T>(list: T[]): T => list[Math.floor(r() * list.length)] as T;
    const id = (): string => `m${++ids}`;
    const durable = (type: string, data: unknown): void => {
        seq += 1 + Math.floor(r() * 3);
        events.push(tell(type, data, { seq, threadId: t.thread }));
        truths.push(structuredClone(t));
    };
    const volatile = (type: string, data: unknown): void => {
        events.push(tell(type, data));
        truths.push(structuredClone(t));
    };
    const change = (id_: string | null, f: (m: Message) => Message): void => {
        t = { ...t, rows: t.rows.map(m => (m.messageId === id_ ? f(m) : m)) };
    };
    const without = <V>(o: Record<string, V>, key: string): Record<string, V> =>
        Object.fromEntries(Object.entries(o).filter(([k]) => k !== key));

    function append(m: Message): void {
        t = { ...t, rows: [...t.rows, m], live: without(t.live, m.messageId) };
    }
    function say(): void {
        const delivery = AGENTS.map(agent => ({ agent, state: pick(['queued', 'inMemory'] as const) }));
        const m = message(t.waiting.shift() ?? id(), t.rows.length, { delivery, seenByAgents: AGENTS });
        append(m);
        const { seenByAgents: _s, ...told } = m;
        durable('message.created', { ...told, clientMessageId: `client-${m.messageId}`, queued: false });
        durable('world.busy', { pending: 3, agents: AGENTS });
        durable('queue.changed', { waiting: t.waiting, count: t.waiting.length });
    }
    function start(lane = 'main'): void {
        const agent = pick(AGENTS);
        durable('agent.state', { agent, state: 'thinking' });
        const replyTo = lane === 'main' ? (t.rows.at(-1)?.messageId ?? null) : null;
        const messageId = id();
        const live: Live = {
            messageId,
            agent,
            replyTo,
            model: 'demo/x',
            text: '',
            thinking: '',
            chunk: 0,
            lane,
            startedAt: '2026-11-15T12:00:00.000Z',
            broken: false,
        };
        const failed = Object.entries(t.failed).filter(
            ([, f]) => f.agent !== agent || f.lane !== lane || f.replyTo !== replyTo,
        );
        t = { ...t, live: { ...t.live, [messageId]: live }, failed: Object.fromEntries(failed) };
        const path = lane === 'main' ? {} : { threadPath: lane };
        durable('message.started', {
            messageId,
            agent,
            replyToMessageId: replyTo,
            model: 'demo/x',
            turnId: 'tu',
            ...path,
        });
    }
    function write(): void {
        const live = pick(Object.values(t.live));
        if (!live) return;
        const part = r() < 0.8 ? 'text' : 'thinking';
        const text = `${pick(['one', 'two', 'ü'])} `;
        const next = { ...live, chunk: live.chunk + 1, [part]: live[part] + text };
        t = { ...t, live: { ...t.live, [live.messageId]: next } };
        volatile('message.delta', { messageId: live.messageId, chunk: next.chunk, text, part });
    }
    function finish(): void {
        const live = pick(Object.values(t.live));
        if (!live) return;
        const { messageId, agent, replyTo, lane } = live;
        if (r() < 0.15) {
            t = { ...t, live: without(t.live, messageId) };
            return durable('message.withdrawn', { messageId, agent });
        }
        const path = lane === 'main' ? {} : { threadPath: lane };
        if (r() < 0.2) {
            const failure: Failed = {
                messageId,
                agent,
                stopped: false,
                detail: 'out of order',
                hint: null,
                retryable: true,
                code: 'X',
                model: 'demo/x',
                lane,
                replyTo,
                at: '2026-11-15T12:00:00.000Z',
            };
            const others = Object.entries(t.failed).filter(
                ([, f]) => f.agent !== agent || f.lane !== lane || f.replyTo !== replyTo,
            );
            const failed = { ...Object.fromEntries(others), [messageId]: failure };
            t = { ...t, live: without(t.live, messageId), failed };
            return durable('message.failed', {
                messageId,
                agent,
                code: 'X',
                detail: 'out of order',
                retryable: true,
                ...path,
            });
        }
        complete(live, path);
    }
    function complete(live: Live, path: { threadPath?: string }): void {
        const { messageId, agent, replyTo, lane } = live;
        const calls =
            r() < 0.4 && lane === 'main'
                ? [{ toolCallId: `call-${messageId}`, toolName: 'look', args: { q: 1 } }]
                : [];
        const m = message(messageId, lane === 'main' ? t.rows.length : 1, {
            role: 'assistant',
            sender: agent,
            content: live.text,
            replyToMessageId: replyTo,
            toolCalls: calls,
        });
        if (lane === 'main') {
            append(m);
            change(replyTo, p => ({
                ...p,
                hasReply: true,
                replyCount: (p.replyCount ?? 0) + 1,
                memoryOnly: false,
            }));
        } else t = { ...t, live: without(t.live, messageId) };
        durable('message.completed', { ...m, agent, finishReason: calls.length ? 'tool' : 'stop', ...path });
        for (const call of calls) callTool(m, call.toolCallId);
        if (lane === 'main' && replyTo !== null) settle(replyTo, agent);
    }
    function settle(replyTo: string, agent: string): void {
        const parent = t.rows.find(m => m.messageId === replyTo);
        if (!parent) return;
        const others = (parent.delivery ?? []).some(d => d.agent === agent)
            ? (parent.delivery ?? []).map(d =>
                  d.agent === agent ? { agent, state: 'answered' as const } : d,
              )
            : [...(parent.delivery ?? []), { agent, state: 'answered' as const }];
        const seen = parent.seenByAgents ?? [];
        change(replyTo, p => ({
            ...p,
            delivery: others,
            seenByAgents: seen.includes(agent) ? seen : [...seen, agent],
        }));
        durable('message.delivered', { messageId: replyTo, agent, state: 'answered' });
        durable('reply.changed', { messageId: replyTo, state: 'replied', count: parent.replyCount });
    }
    function callTool(caller: Message, toolCallId: string): void {
        durable('tool.started', {
            toolCallId,
            toolName: 'look',
            args: { q: 1 },
            messageId: caller.messageId,
        });
        const m = message(id(), t.rows.length, {
            role: 'tool',
            sender: caller.sender,
            content: 'found',
            toolCallId,
            toolStatus: 'ok',
            replyToMessageId: caller.messageId,
            replyDepth: 1,
        });
        append(m);
        durable('tool.completed', { toolCallId, content: 'found', messageId: m.messageId, cut: false });
    }
    function cut(): void {
        for (const live of Object.values(t.live)) {
            t = { ...t, live: without(t.live, live.messageId) };
            durable('message.withdrawn', { messageId: live.messageId });
        }
        const length = Math.floor(r() * (t.rows.length + 1));
        const originalThread = t.thread;
        const rows = t.rows.slice(0, length);
        const here = new Set(rows.map(m => m.messageId));
        const failed = Object.entries(t.failed).filter(
            ([, f]) => f.lane !== 'main' || f.replyTo === null || here.has(f.replyTo),
        );
        t = { ...t, thread: `t_${++threads}`, version: threads, rows, failed: Object.fromEntries(failed) };
        const op = r() < 0.5 ? 'remove' : 'edit';
        durable('thread.created', {
            threadId: t.thread,
            originalThread,
            op,
            length,
            by: 'human',
            version: `v${threads}`,
            current: true,
        });
        if (op === 'edit') say();
    }
    function delegate(): void {
        const lane = `main.${t.lanes.length + 1}`;
        t = { ...t, lanes: [...t.lanes, lane] };
        const data = {
            delegationId: lane,
            threadPath: lane,
            parent: 'main',
            agent: 'ada',
            toolCallId: null,
            title: 'x',
        };
        durable('delegation.started', data);
        durable('message.created', { ...message(id(), 0, { sender: 'lead' }), threadPath: lane });
        start(lane);
        durable('delegation.completed', data);
    }
    function wait(): void {
        t = { ...t, waiting: [...t.waiting, id()] };
        durable('queue.changed', { waiting: t.waiting, count: t.waiting.length });
    }
    function inbox(): void {
        t = { ...t, unread: t.unread + 1 };
        durable('inbox.created', {
            id: `in_${t.unread}`,
            type: 'question',
            agent: 'ada',
            open: true,
            unread: t.unread,
            needsYou: 1,
        });
    }
    const acts: [number, () => void][] = [
        [2, say],
        [3, () => start()],
        [10, write],
        [4, finish],
        [0.5, cut],
        [0.5, delegate],
        [0.7, wait],
        [0.5, inbox],
        [0.5, () => durable('world.idle', { pending: 0, agents: [] })],
    ];
    const weight = acts.reduce((sum, [w]) => sum + w, 0);
    say();
    while (events.length < length) {
        let at = r() * weight;
        for (const [w, act] of acts) {
            at -= w;
            if (at < 0) {
                act();
                break;
            }
        }
    }
    return { events, truths };
}

const agent = (name: string): Agent => ({ id: `id-${name}`, name, state: 'idle', pendingTasks: 0 }) as Agent;

/** What is loaded at the beginning: a world with an empty conversation, which is open. */
export function opened(): State {
    const chat: Chat = {
        id: C,
        title: 'room',
        mode: 'chat',
        agent: null,
        currentThread: 't_1',
        version: 1,
        messageCount: 0,
        lastActivityAt: null,
        createdAt: '2026-11-15T12:00:00.000Z',
        archived: false,
        replyExpected: null,
        readOnly: false,
    };
    const world = {
        id: 'id-w',
        name: W,
        currentChatId: C,
        busy: [],
        agents: [],
        chats: [chat],
    } as unknown as World;
    return {
        ...emptyState(),
        worlds: [world],
        open: W,
        seq: 10,
        world: {
            world,
            agents: Object.fromEntries(AGENTS.map(a => [a, agent(a)])),
            agentDetail: {},
            chats: { [C]: chat },
            tags: [],
            busy: [],
            busyIn: {},
            seq: 10,
            chat: { [C]: { ...emptyChat(chat), loaded: true } },
            versions: 0,
        },
    };
}

export function room(s: State): ChatState {
    return s.world?.chat[C] as ChatState;
}

/** What a page of the server would hold at that point. */
export function loadedAt(s: State, truth: Truth): State {
    const c = room(s);
    const chat: ChatState = {
        ...c,
        chat: { ...c.chat, version: truth.version, currentThread: truth.thread },
        thread: truth.thread,
        rows: truth.rows,
        total: truth.rows.length,
        live: truth.live,
        failed: truth.failed,
    };
    return { ...s, world: s.world && { ...s.world, chat: { [C]: chat } } };
}
