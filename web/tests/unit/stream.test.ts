import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openStream, progress, waitMs, type Connection, type Stream } from '../../src/api/stream';
import type { Told } from '../../src/api/types';
import { writing } from '../../src/api/writing';
import { tell } from './story';

const openAt = (lastEventId: number) => tell('stream.open', { lastEventId, serverTime: '', version: '' });

describe('waiting before another try', () => {
    test('doubles from half a second to half a minute, with jitter', () => {
        expect([0, 1, 2, 3].map(n => waitMs(n, 0.5))).toEqual([500, 1000, 2000, 4000]);
        expect(waitMs(100, 0.5)).toBe(30_000);
        expect(waitMs(1, 0)).toBe(750);
        expect(waitMs(1, 1)).toBe(1250);
    });
});

describe('catching up', () => {
    test('counts down to live', () => {
        const p = progress();
        const all = [
            p.after(openAt(12), 9),
            p.after(tell('stream.resume', { from: 9, to: 12, count: 2 }), 9),
            p.after(tell('x', {}, { seq: 10 }), 9),
            p.after(tell('message.delta', {}), 9),
            p.after(tell('x', {}, { seq: 12 }), 10),
            p.after(tell('x', {}, { seq: 13 }), 12),
        ];
        expect(all).toEqual([
            { state: 'catchingUp', left: 3 },
            { state: 'catchingUp', left: 2 },
            { state: 'catchingUp', left: 1 },
            null,
            { state: 'live' },
            null,
        ]);
    });
    test('is not needed when nothing was missed, or nothing is known yet', () => {
        expect(progress().after(openAt(12), 12)).toEqual({ state: 'live' });
        expect(progress().after(openAt(12), null)).toEqual({ state: 'live' });
    });
    test('ends with a reset', () => {
        const p = progress();
        p.after(openAt(12), 3);
        expect(p.after(tell('stream.reset', { lastEventId: 12 }), 3)).toEqual({ state: 'live' });
    });
});

describe('a stream', () => {
    let said: Connection[];
    let told: Told[];
    let seen: number | null;
    let stream: Stream;
    let asked: { headers: Record<string, string> }[];
    let feeds: ReadableStreamDefaultController<Uint8Array>[];
    let refuse: boolean;

    const push = (text: string) => feeds.at(-1)?.enqueue(new TextEncoder().encode(text));
    const frame = (name: string, body: object, id?: number) =>
        push(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(body)}\n\n`);
    const greet = (last: number) => frame('stream.open', { data: { lastEventId: last } });

    beforeEach(() => {
        vi.useFakeTimers();
        vi.spyOn(Math, 'random').mockReturnValue(0.5);
        said = [];
        told = [];
        asked = [];
        feeds = [];
        seen = null;
        refuse = false;
        vi.stubGlobal('fetch', async (_url: string, o: RequestInit) => {
            asked.push({ headers: o.headers as Record<string, string> });
            if (refuse) throw new TypeError('Failed to fetch');
            const body = new ReadableStream<Uint8Array>({
                start(c) {
                    feeds.push(c);
                    o.signal?.addEventListener('abort', () => c.error(new DOMException('cut', 'AbortError')));
                },
            });
            return new Response(body, { status: 200 });
        });
        stream = openStream({
            seen: () => seen,
            told: events => {
                told.push(...events);
                for (const e of events) if (e.seq !== undefined) seen = e.seq;
            },
            connection: c => said.push(c),
        });
    });
    afterEach(() => {
        stream.close();
        vi.unstubAllGlobals();
        vi.restoreAllMocks();
        vi.useRealTimers();
    });
    const settle = () => vi.advanceTimersByTimeAsync(0);

    test('begins with what is now, and tells events by their names', async () => {
        await settle();
        expect(asked[0]?.headers['Last-Event-ID']).toBeUndefined();
        greet(4);
        frame('message.started', { seq: 5, data: { messageId: 'm' } }, 5);
        await settle();
        expect(told.map(e => e.type)).toEqual(['stream.open', 'message.started']);
        expect(said).toEqual([{ state: 'connecting' }, { state: 'live' }]);
    });
    test('comes back where it was cut', async () => {
        await settle();
        greet(4);
        frame('x', { seq: 5 }, 5);
        await settle();
        feeds[0]?.close();
        await vi.advanceTimersByTimeAsync(500);
        expect(asked[1]?.headers['Last-Event-ID']).toBe('5');
        greet(7);
        await settle();
        expect(said.slice(2)).toEqual([{ state: 'connecting' }, { state: 'catchingUp', left: 2 }]);
    });
    test('is offline after a second try, and counts from when it was lost', async () => {
        await settle();
        greet(4);
        await settle();
        const lostAt = Date.now();
        refuse = true;
        feeds[0]?.close();
        await vi.advanceTimersByTimeAsync(500);
        expect(said.at(-1)).toEqual({ state: 'offline', since: lostAt, retryAt: lostAt + 1500 });
        await vi.advanceTimersByTimeAsync(1000);
        expect(said.at(-1)).toEqual({ state: 'offline', since: lostAt, retryAt: lostAt + 3500 });
        refuse = false;
        dispatchEvent(new Event('online'));
        await settle();
        greet(4);
        await settle();
        expect(said.at(-1)).toEqual({ state: 'live' });
    });
    test('that says nothing for too long is given up', async () => {
        await settle();
        greet(4);
        await vi.advanceTimersByTimeAsync(39_000);
        push(':\n');
        await vi.advanceTimersByTimeAsync(39_000);
        expect(asked.length).toBe(1);
        await vi.advanceTimersByTimeAsync(2_000);
        expect(asked.length).toBe(2);
    });
    test('comes back at once when a piece was missed', async () => {
        await settle();
        greet(4);
        await settle();
        stream.reconnect();
        await settle();
        expect(asked.length).toBe(2);
        expect(said.at(-1)).toEqual({ state: 'live' });
    });
    test('ignores what is not JSON', async () => {
        await settle();
        push('event: x\ndata: {\n\n');
        greet(4);
        await settle();
        expect(told.map(e => e.type)).toEqual(['stream.open']);
    });
});

describe('what is being written', () => {
    const delta = (chunk: number, text: string, part = 'text') =>
        tell('message.delta', { messageId: 'm', chunk, text, part });
    test('is known as a whole for those who come later', () => {
        const w = writing();
        const started = tell('message.started', { messageId: 'm', agent: 'ada' }, { seq: 5 });
        [started, delta(1, 'a'), delta(2, 'h', 'thinking'), delta(2, 'h', 'thinking'), delta(3, 'b')].forEach(
            w.follow,
        );
        expect(w.snapshots()).toEqual([
            expect.objectContaining({
                type: 'message.snapshot',
                chatId: 'c_1',
                data: { messageId: 'm', chunk: 3, text: 'ab', thinking: 'h' },
            }),
        ]);
        expect(w.snapshots()[0]?.seq).toBeUndefined();
    });
    test.each(['message.completed', 'message.failed', 'message.withdrawn'])('is over with %s', name => {
        const w = writing();
        w.follow(tell('message.snapshot', { messageId: 'm', chunk: 3, text: 'ab' }));
        w.follow(tell(name, { messageId: 'm' }));
        expect(w.snapshots()).toEqual([]);
    });
});
