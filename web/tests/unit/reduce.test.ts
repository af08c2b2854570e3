import { describe, expect, test, vi } from 'vitest';
import type { Message, Told } from '../../src/api/types';
import { clock } from '../../src/parts/time';
import { reduce } from '../../src/store/reduce';
import { reduceChat } from '../../src/store/reduce-chat';
import type { ChatState, Live, State } from '../../src/store/state';
import { agentMark } from '../../src/views/frame/states';
import { loadedAt, message, opened, random, room, story, tell } from './story';

// Some of these do much; the machine may be busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

const SEEDS = Array.from({ length: 40 }, (_, i) => i + 1);
const LENGTH = 90;

function frozen<T>(value: T): T {
    if (value !== null && typeof value === 'object' && !Object.isFrozen(value)) {
        Object.freeze(value);
        Object.values(value).forEach(frozen);
    }
    return value;
}

/** Folds over frozen states: a reducer that changed what it was given would throw. */
function play(s: State, events: Told[]): State {
    return events.reduce((now, e) => frozen(reduce(now, frozen(e))), frozen(s));
}

function essence(c: ChatState) {
    const row = (m: Message) => [
        m.messageId,
        m.position,
        m.content,
        m.sender,
        m.role,
        m.delivery,
        m.replyCount,
        m.hasReply,
    ];
    return {
        thread: c.thread,
        rows: c.rows.map(row),
        total: c.total,
        live: c.live,
        failed: c.failed,
        stale: c.stale,
    };
}

const writingNow = (live: Record<string, Live>): Told[] =>
    Object.values(live)
        .filter(l => l.chunk > 0)
        .map(l =>
            tell('message.snapshot', {
                messageId: l.messageId,
                chunk: l.chunk,
                text: l.text,
                thinking: l.thinking,
            }),
        );

describe('random stories', () => {
    test('are followed: the rows, texts and failures are those that are true', () => {
        for (const seed of SEEDS) {
            const { events, truths } = story(seed, LENGTH);
            let s = opened();
            events.forEach((e, i) => {
                s = play(s, [e]);
                const truth = truths[i];
                if (!truth) throw new Error('no truth');
                const c = room(s);
                expect(c.stale, `seed ${seed}, event ${i}`).toBe(false);
                expect(c.live, `seed ${seed}, event ${i}: ${e.type}`).toEqual(truth.live);
                expect(c.failed).toEqual(truth.failed);
                expect(c.rows.map(m => [m.messageId, m.position, m.content])).toEqual(
                    truth.rows.map(m => [m.messageId, m.position, m.content]),
                );
                expect(c.total).toBe(truth.rows.length);
                expect(s.inbox.unread).toBe(truth.unread);
            });
            expect(essence(room(s))).toEqual(essence(room(loadedAt(s, truths.at(-1) as never))));
        }
    });

    test('give the same state wherever the stream is cut and goes on', () => {
        for (const seed of SEEDS.slice(0, 6)) {
            const { events } = story(seed, LENGTH);
            const whole = play(opened(), events);
            for (let cut = 0; cut <= events.length; cut++) {
                // As another tab would get it: nothing is shared but what can be copied.
                const before = structuredClone(play(opened(), events.slice(0, cut)));
                expect(play(before, events.slice(cut)), `seed ${seed}, cut at ${cut}`).toEqual(whole);
            }
        }
    });

    test('change nothing when durable events are told again', () => {
        for (const seed of SEEDS) {
            const { events } = story(seed, LENGTH);
            const durable = events.filter(e => e.seq !== undefined);
            const once = play(opened(), events);
            expect(play(once, durable)).toBe(once);
        }
    });

    test('lose nothing when the connection is lost, and only durable events and whole texts come again', () => {
        for (const seed of SEEDS) {
            const r = random(seed);
            const { events, truths } = story(seed, LENGTH);
            const whole = play(opened(), events);
            const lost = Math.floor(r() * events.length);
            const back = lost + Math.floor(r() * (events.length - lost));
            const again = Math.max(0, lost - Math.floor(r() * 20));
            const missed = events.slice(again, back).filter(e => e.seq !== undefined);
            const snapshots = back === 0 ? [] : writingNow(truths[back - 1]?.live ?? {});
            const s = play(opened(), [
                ...events.slice(0, lost),
                ...missed,
                ...snapshots,
                ...events.slice(back),
            ]);
            expect(s, `seed ${seed}, ${lost} to ${back}`).toEqual(whole);
        }
    });

    test('may begin at a page that was loaded later than its first events', () => {
        for (const seed of SEEDS) {
            const r = random(seed + 1000);
            const { events, truths } = story(seed, LENGTH);
            const loaded = Math.floor(r() * events.length);
            const from = Math.max(0, loaded - Math.floor(r() * 30));
            const end = essence(room(play(opened(), events)));
            const truth = truths[loaded];
            if (!truth) throw new Error('no truth');
            // As the store does it: what came since the request is told to the loaded conversation again.
            const start = room(loadedAt(opened(), truth));
            const c = events.slice(from).reduce((now, e) => frozen(reduceChat(now, e)), frozen(start));
            expect(essence(c), `seed ${seed}, loaded at ${loaded}, events from ${from}`).toEqual(end);
        }
    });
});

const at = (seq: number, thread = 't_1') => ({ seq, threadId: thread });
const said = (id: string, position: number, seq: number, more = {}) =>
    tell('message.created', { ...message(id, position), ...more }, at(seq));

function withRows(n: number, more: Partial<ChatState> = {}): State {
    const s = opened();
    const rows = Array.from({ length: n }, (_, i) => message(`r${i}`, i));
    const c = { ...room(s), rows, total: n, ...more };
    return { ...s, world: s.world && { ...s.world, chat: { c_1: c } } };
}

describe('rows', () => {
    test('that are not at the end do not grow; the total does', () => {
        const s = play(withRows(3, { hasNewer: true, total: 10 }), [said('new', 10, 11)]);
        expect(room(s).rows.map(m => m.messageId)).toEqual(['r0', 'r1', 'r2']);
        expect(room(s).total).toBe(11);
        expect(room(s).hasNewer).toBe(true);
    });
    test('that lack one say so', () => {
        expect(room(play(withRows(3), [said('new', 5, 11)])).stale).toBe(true);
    });
    test('of another version are not mixed in', () => {
        const e = tell('message.created', message('x', 3), at(11, 't_9'));
        expect(room(play(withRows(3), [e])).rows.length).toBe(3);
    });
    test('of a delegation are not among those of the conversation', () => {
        const s = play(withRows(3), [
            tell(
                'delegation.started',
                {
                    delegationId: 'main.1',
                    threadPath: 'main.1',
                    parent: 'main',
                    agent: 'ada',
                    toolCallId: null,
                },
                at(11),
            ),
            tell('message.created', { ...message('d', 0), threadPath: 'main.1' }, at(12)),
            tell(
                'message.completed',
                { ...message('d2', 1), threadPath: 'main.1', finishReason: 'stop' },
                at(13),
            ),
        ]);
        expect(room(s).rows.length).toBe(3);
        expect(room(s).delegations['main.1']?.messageCount).toBe(2);
    });
    test('are cut by a removal, and the window tells what is left', () => {
        const made = (op: string, length: number) =>
            tell(
                'thread.created',
                { threadId: 't_2', originalThread: 't_1', op, length, by: 'human', version: 'v2' },
                at(11, 't_2'),
            );
        const s = play(withRows(5), [made('remove', 2)]);
        expect([room(s).rows.length, room(s).total, room(s).thread, room(s).stale]).toEqual([
            2,
            2,
            't_2',
            false,
        ]);
        const window = withRows(5, { hasNewer: true, total: 100 });
        expect(room(play(window, [made('edit', 40)])).hasNewer).toBe(true);
        expect(room(play(window, [made('edit', 5)])).hasNewer).toBe(false);
    });
    test('all of which were cut are loaded again', () => {
        const rows = [message('r50', 50), message('r51', 51)];
        const s = play(withRows(0, { rows, total: 52, hasOlder: true }), [
            tell(
                'thread.created',
                {
                    threadId: 't_2',
                    originalThread: 't_1',
                    op: 'remove',
                    length: 10,
                    by: 'human',
                    version: 'v2',
                },
                at(11, 't_2'),
            ),
        ]);
        expect([room(s).rows.length, room(s).stale, room(s).total]).toEqual([0, true, 10]);
    });
    test.each(['amend', 'delete', 'squash', 'reorder', 'restore', 'insert', 'start'])(
        'cannot be followed through %s',
        op => {
            const s = play(withRows(5), [
                tell(
                    'thread.created',
                    { threadId: 't_2', originalThread: 't_1', op, length: 4, by: 'human', version: 'v2' },
                    at(11, 't_2'),
                ),
                tell('message.created', message('late', 4), at(12, 't_2')),
            ]);
            expect([room(s).stale, room(s).thread, room(s).rows.length]).toEqual([true, 't_2', 5]);
        },
    );
    test('cannot be followed through time travel', () => {
        const s = play(withRows(5), [
            tell('thread.switched', { from: 't_1', to: 't_0', move: 'undo' }, at(11, 't_0')),
        ]);
        expect([room(s).stale, room(s).thread, s.world?.versions]).toEqual([true, 't_0', 1]);
        expect(s.world?.chats[room(s).chat.id]?.currentThread, 'the list of conversations').toBe('t_0');
    });
    test('are loaded again when a summary was put behind them', () => {
        const e = (lane: string) => tell('summary.created', { messageId: 's', covers: 3, lane }, at(11));
        expect(room(play(withRows(3), [e('main')])).stale).toBe(true);
        expect(room(play(withRows(3), [e('@ada')])).stale).toBe(false);
    });
});

describe('what is pending', () => {
    const pending = {
        clientMessageId: 'web-1',
        content: 'x',
        replyTo: null,
        instructions: [],
        state: 'sending' as const,
        at: 0,
        key: 'k',
    };
    test('is replaced by the message, once', () => {
        const e = said('m', 3, 11, { clientMessageId: 'web-1' });
        const s = play(withRows(3, { pending: [pending] }), [e, e]);
        expect(room(s).pending).toEqual([]);
        expect(room(s).rows.filter(m => m.messageId === 'm').length).toBe(1);
    });
    test('stays when another one was said', () => {
        const s = play(withRows(3, { pending: [pending] }), [said('m', 3, 11, { clientMessageId: 'web-2' })]);
        expect(room(s).pending.length).toBe(1);
    });
});

describe('a half-written message', () => {
    const started = tell(
        'message.started',
        { messageId: 'x', agent: 'ada', replyToMessageId: 'r2', model: null, turnId: 't' },
        at(11),
    );
    const piece = (chunk: number, text: string) =>
        tell('message.delta', { messageId: 'x', chunk, text, part: 'text' });
    const whole = (chunk: number, text: string) => tell('message.snapshot', { messageId: 'x', chunk, text });

    test('that lacks a piece is broken, and waits for the whole', () => {
        const s = play(withRows(3), [started, piece(1, 'a'), piece(3, 'c'), piece(4, 'd')]);
        expect(room(s).live.x).toMatchObject({ broken: true, text: 'a', chunk: 1 });
        const mended = play(s, [whole(5, 'abcde'), piece(5, 'e'), piece(6, 'f')]);
        expect(room(mended).live.x).toMatchObject({ broken: false, text: 'abcdef', chunk: 6 });
    });
    test('does not take the same piece twice, or an older whole', () => {
        const s = play(withRows(3), [started, piece(1, 'a'), piece(2, 'b'), piece(1, 'a'), whole(1, 'a')]);
        expect(room(s).live.x?.text).toBe('ab');
    });
    test('that failed is kept as a failure until the agent begins again with the same message', () => {
        const failed = tell(
            'message.failed',
            { messageId: 'x', agent: 'ada', code: 'C', detail: 'd', retryable: true },
            at(12),
        );
        const s = play(withRows(3), [started, failed]);
        expect(room(s).live).toEqual({});
        expect(room(s).failed.x).toMatchObject({ agent: 'ada', replyTo: 'r2', code: 'C' });
        const named = { ...failed, data: { ...(failed.data as object), replyToMessageId: 'r1' } } as Told;
        expect(room(play(withRows(3), [named])).failed.x).toMatchObject({ replyTo: 'r1' });
        const begins = (more: object) =>
            ({ ...started, seq: 13, data: { ...(started.data as object), messageId: 'y', ...more } }) as Told;
        expect(room(play(s, [begins({ replyToMessageId: 'r1' })])).failed.x).toBe(room(s).failed.x);
        expect(room(play(s, [begins({})])).failed).toEqual({});
    });
    test('that fails twice without a word in between has one mark, that of the last try', () => {
        const failed = (messageId: string, seq: number) =>
            tell(
                'message.failed',
                {
                    messageId,
                    agent: 'ada',
                    code: 'C',
                    detail: messageId,
                    retryable: true,
                    replyToMessageId: 'r2',
                },
                at(seq),
            );
        const s = play(withRows(3), [started, failed('x', 12), failed('y', 13)]);
        expect(Object.values(room(s).failed)).toMatchObject([{ messageId: 'y', replyTo: 'r2' }]);
    });
    test('that is stopped before its first word is kept as such, in place of a failure, until it begins again', () => {
        const failed = tell(
            'message.failed',
            { messageId: 'x', agent: 'ada', code: 'C', detail: 'd', retryable: true },
            at(12),
        );
        const stoppedAt = '2026-11-15T12:00:02.000Z';
        const stop = tell(
            'message.delivered',
            { messageId: 'r2', agent: 'ada', state: 'inMemory', stoppedAt },
            at(13),
        );
        const s = play(withRows(3), [started, failed, stop]);
        expect(Object.values(room(s).failed)).toMatchObject([
            { agent: 'ada', replyTo: 'r2', stopped: true, at: stoppedAt },
        ]);
        const own = room(s).rows.find(m => m.messageId === 'r2')?.delivery;
        expect(own).toEqual([{ agent: 'ada', state: 'inMemory', stoppedAt }]);
        expect(room(play(s, [stop])).failed).toEqual(room(s).failed);
        const begins = { ...started, seq: 14, data: { ...(started.data as object), messageId: 'y' } } as Told;
        expect(room(play(s, [begins])).failed).toEqual({});
    });
});

describe('around the conversation', () => {
    test('agents have a state and a reason', () => {
        const s = play(opened(), [
            tell('agent.state', { agent: 'ada', state: 'failed', detail: 'no key', queue: 2 }, at(11)),
        ]);
        expect(s.world?.agents.ada).toMatchObject({ state: 'failed', pendingTasks: 2 });
        expect(s.world?.agentDetail.ada).toBe('no key');
    });
    test('an agent that waits for its model says for whom and until when, until it goes on', () => {
        const until = '2026-01-02T03:04:05.000Z';
        const words = 'for openai, which was asked too often';
        const s = play(opened(), [
            tell('agent.state', { agent: 'ada', state: 'waiting', detail: words, until }, at(11)),
        ]);
        const mark = (now: State) => agentMark(now, now.world!, now.world!.agents.ada!);
        expect(mark(s)).toEqual({ mark: 'waiting', detail: `waiting ${words}, until ${clock(until, true)}` });
        const on = play(s, [tell('agent.state', { agent: 'ada', state: 'thinking' }, at(12))]);
        expect(mark(on)).toEqual({ mark: 'thinking', detail: null });
        expect(on.world?.agents.ada?.until).toBe(null);
    });
    test('agents come, change their name, and go', () => {
        const made = play(opened(), [
            tell('agent.created', { id: 'z', name: 'zed', model: null, lead: null }, at(11)),
            tell('agent.updated', { id: 'z', name: 'zoe', model: 'm', lead: 'ada' }, at(12)),
        ]);
        expect(Object.keys(made.world?.agents ?? {})).toEqual(['lead', 'ada', 'bo', 'zoe']);
        expect(made.world?.agents.zoe).toMatchObject({ model: 'm', lead: 'ada' });
        const gone = play(made, [tell('agent.removed', { id: 'z', name: 'zoe' }, at(13))]);
        expect(gone.world?.agents.zoe).toBeUndefined();
    });
    test('a world is busy while any of its conversations is', () => {
        const busy = (chatId: string, agents: string[], seq: number) =>
            tell(
                agents.length ? 'world.busy' : 'world.idle',
                { pending: agents.length, agents },
                { seq, chatId },
            );
        const s = play(opened(), [
            busy('c_1', ['bo', 'ada'], 11),
            busy('c_2', ['ada'], 12),
            busy('c_1', [], 13),
        ]);
        expect(s.world?.busy).toEqual(['ada']);
    });
    test('conversations come, get a title, and go', () => {
        const s = play(opened(), [
            tell(
                'chat.created',
                { id: 'c_2', title: null, mode: 'chat', agent: null },
                { seq: 11, chatId: 'c_2' },
            ),
            tell('chat.updated', { id: 'c_2', title: 'new' }, { seq: 12, chatId: 'c_2' }),
            tell('chat.updated', { id: 'c_1', title: 'other' }, { seq: 13 }),
        ]);
        expect(s.world?.chats.c_2?.title).toBe('new');
        expect(room(s).chat.title).toBe('other');
        const gone = play(s, [
            tell('chat.updated', { id: 'c_2', removed: true }, { seq: 14, chatId: 'c_2' }),
        ]);
        expect(gone.world?.chats.c_2).toBeUndefined();
    });
    test('items of other worlds count in the inbox, and their messages do not show here', () => {
        const s = play(opened(), [
            tell(
                'inbox.created',
                { id: 'i', type: 'question', unread: 4, needsYou: 2 },
                { seq: 11, world: 'other' },
            ),
            tell('message.created', message('x', 0), { seq: 12, world: 'other', threadId: 't_1' }),
        ]);
        expect([s.inbox.unread, s.inbox.needsYou, s.inbox.tick]).toEqual([4, 2, 1]);
        expect(room(s).rows).toEqual([]);
        expect(s.seq).toBe(12);
    });
    test('names of events that are newer than this page are ignored', () => {
        const s = opened();
        expect(play(s, [tell('moon.phase', { x: 1 })])).toBe(s);
    });
});
