import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { QueueItem, Told } from '../../src/api/types';
import { state, tell as happen, update, updateChat } from '../../src/store/core';
import { keptPending } from '../../src/store/keep-pending';
import { go } from '../../src/store/place';
import { dropPending, retryPending, send, sendWaiting } from '../../src/store/sending';
import { message, opened, room, tell, soon } from './story';

// Some of these do much; the machine may be busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

interface Posted {
    key: string;
    body: { content: string; clientMessageId: string; chatId?: string };
}

let posted: Posted[];
let answers: (() => Promise<Response> | Response)[];

const now = () => room(state.value);
const stored = (id: string, position: number, p: Posted, more = {}) =>
    new Response(
        JSON.stringify({
            ...message(id, position),
            content: p.body.content,
            delivery: [],
            seenByAgents: [],
            queued: false,
            clientMessageId: p.body.clientMessageId,
            ...more,
        }),
        { status: 202, headers: { 'content-type': 'application/json' } },
    );
const away = () => Promise.reject(new TypeError('Failed to fetch'));
const last = (): Posted => posted.at(-1) as Posted;
const event = (id: string, position: number, seq: number): Told =>
    tell(
        'message.created',
        {
            ...message(id, position),
            content: last().body.content,
            clientMessageId: last().body.clientMessageId,
        },
        { seq, threadId: 't_1' },
    );

beforeEach(() => {
    localStorage.clear();
    posted = [];
    answers = [];
    vi.stubGlobal('fetch', async (_url: string, o: RequestInit) => {
        posted.push({
            key: (o.headers as Record<string, string>)['Idempotency-Key'] ?? '',
            body: JSON.parse(o.body as string),
        });
        return (answers.shift() ?? away)();
    });
    update(() => ({ ...opened(), connection: { state: 'live' } }));
    go({ kind: 'chat', w: 'w', c: 'c_1', view: 'chat' }, { replace: true });
});
afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
});

describe('saying something', () => {
    test('shows it at once', () => {
        void send('hello', { replyTo: 'r' });
        expect(now().pending).toMatchObject([{ content: 'hello', state: 'sending', replyTo: 'r' }]);
    });
    test('shows it once, when the answer comes before the event', async () => {
        answers = [() => stored('m1', 0, last())];
        expect((await send('hello')).ok).toBe(true);
        expect([now().pending.length, now().rows.map(m => m.messageId)]).toEqual([0, ['m1']]);
        happen([event('m1', 0, 11)]);
        expect([now().pending.length, now().rows.map(m => m.messageId), now().stale]).toEqual([
            0,
            ['m1'],
            false,
        ]);
    });
    test('shows it once, when the event comes before the answer', async () => {
        let answer: (r: Response) => void = () => {};
        answers = [
            () =>
                new Promise<Response>(resolve => {
                    answer = resolve;
                }),
        ];
        const sent = send('hello');
        await soon(() => expect(posted.length).toBe(1));
        happen([event('m1', 0, 11)]);
        expect([now().pending.length, now().rows.map(m => m.messageId)]).toEqual([0, ['m1']]);
        answer(stored('m1', 0, last()));
        await sent;
        expect([now().pending.length, now().rows.map(m => m.messageId)]).toEqual([0, ['m1']]);
    });
    test('confirms what its event names, and nothing else that is on its way', async () => {
        answers = [() => new Promise<Response>(() => {}), () => new Promise<Response>(() => {})];
        void send('same words');
        void send('same words');
        await soon(() => expect(posted.length).toBe(2));
        happen([event('m2', 0, 11)]);
        expect(now().pending.map(p => p.clientMessageId)).toEqual([posted[0]?.body.clientMessageId]);
        expect(now().rows.map(m => m.messageId)).toEqual(['m2']);
    });
    test('leaves what another tab said under its own name alone', async () => {
        answers = [() => new Promise<Response>(() => {})];
        void send('same words');
        await soon(() => expect(posted.length).toBe(1));
        const other = { ...message('m9', 0), content: 'same words' };
        happen([
            tell('message.created', { ...other, clientMessageId: 'web-other' }, { seq: 11, threadId: 't_1' }),
        ]);
        happen([
            tell(
                'message.created',
                { ...message('m10', 1), clientMessageId: null },
                { seq: 12, threadId: 't_1' },
            ),
        ]);
        expect(now().pending.length).toBe(1);
        expect(now().rows.map(m => m.messageId)).toEqual(['m9', 'm10']);
    });
    test('that is answered puts nothing into the conversation when it was confirmed or taken back', async () => {
        let answer: (r: Response) => void = () => {};
        answers = [() => new Promise<Response>(resolve => (answer = resolve))];
        const sent = send('hello');
        await soon(() => expect(posted.length).toBe(1));
        dropPending(last().body.clientMessageId);
        answer(stored('m1', 0, last()));
        await sent;
        expect([now().pending.length, now().rows.length]).toEqual([0, 0]);
    });
    test('waits for its event when others were said before it', async () => {
        answers = [() => stored('m5', 4, last())];
        await send('hello');
        expect([now().pending.length, now().rows.length, now().stale]).toEqual([1, 0, false]);
    });
    test('goes to the queue when agents are at work', async () => {
        answers = [() => stored('m1', -1, last(), { queued: true })];
        await send('hello');
        expect([now().pending.length, now().rows.length]).toEqual([0, 0]);
        expect(now().queue).toMatchObject([{ messageId: 'm1', content: 'hello' }]);
    });
    test('is in the queue once, when the queue was told before the answer', async () => {
        let answer: (r: Response) => void = () => {};
        answers = [() => new Promise<Response>(resolve => (answer = resolve))];
        const sent = send('hello');
        await soon(() => expect(posted.length).toBe(1));
        updateChat('c_1', c => ({ ...c, queue: [{ messageId: 'm1' } as QueueItem] }));
        answer(stored('m1', -1, last(), { queued: true }));
        await sent;
        expect([now().pending.length, now().queue.map(q => q.messageId)]).toEqual([0, ['m1']]);
    });
    test('waits for the rows that are being loaded again', async () => {
        updateChat('c_1', c => ({ ...c, stale: true }));
        answers = [() => stored('m1', 0, last())];
        await send('hello');
        expect([now().pending.length, now().rows.length]).toEqual([1, 0]);
    });
    test('is below what is on screen when that is not the end', async () => {
        updateChat('c_1', c => ({ ...c, hasNewer: true, total: 9 }));
        answers = [() => stored('m9', 9, last())];
        await send('hello');
        expect([now().pending.length, now().rows.length]).toEqual([0, 0]);
    });
    test('before its conversation is loaded is kept, in order', async () => {
        go({ kind: 'chat', w: 'w', c: 'c_2', view: 'chat' }, { replace: true });
        expect((await send('one')).ok).toBe(false);
        await send('two');
        expect(posted).toEqual([]);
        expect(keptPending('w', 'c_2').map(p => [p.content, p.state])).toEqual([
            ['one', 'waiting'],
            ['two', 'waiting'],
        ]);
    });
    test('that is refused is kept, with the reason', async () => {
        answers = [
            () =>
                new Response(JSON.stringify({ type: '/problems/validation', title: 'no' }), { status: 400 }),
        ];
        expect((await send('hello')).ok).toBe(false);
        expect(now().pending).toMatchObject([
            { content: 'hello', state: 'failed', trouble: { status: 400 } },
        ]);
    });
});

describe('what cannot be sent', () => {
    test('waits for the server, and is sent with the same key and name', async () => {
        update(s => ({ ...s, connection: { state: 'offline', since: 1, retryAt: 2 } }));
        await send('one');
        await send('two');
        expect(now().pending.map(p => p.state)).toEqual(['waiting', 'waiting']);
        update(s => ({ ...s, connection: { state: 'live' } }));
        answers = [() => stored('m1', 0, last()), () => stored('m2', 1, last())];
        await sendWaiting('c_1');
        expect(now().rows.map(m => m.content)).toEqual(['one', 'two']);
        expect(now().pending).toEqual([]);
        expect(posted.map(p => p.body.content)).toEqual(['one', 'two', 'one', 'two']);
        expect(posted[2]).toEqual(posted[0]);
        expect(posted[3]).toEqual(posted[1]);
    });
    test('holds back what was said after it', async () => {
        vi.useFakeTimers();
        update(s => ({ ...s, connection: { state: 'offline', since: 1, retryAt: 2 } }));
        await send('one');
        await send('two');
        update(s => ({ ...s, connection: { state: 'live' } }));
        posted = [];
        await sendWaiting('c_1');
        expect(posted.map(p => p.body.content)).toEqual(['one']);
    });
    test('is kept in the browser until it is sent', async () => {
        const key = 'skein.pending.w.c_1';
        update(s => ({ ...s, connection: { state: 'offline', since: 1, retryAt: 2 } }));
        await send('one');
        expect(localStorage.getItem(key)).toContain('"one"');
        answers = [() => stored('m1', 0, last())];
        update(s => ({ ...s, connection: { state: 'live' } }));
        await sendWaiting('c_1');
        expect(localStorage.getItem(key)).toBe(null);
    });
    test('fails after three tries with a server that seems to be there', async () => {
        vi.useFakeTimers();
        await send('one');
        expect(now().pending[0]?.state).toBe('waiting');
        await vi.advanceTimersByTimeAsync(10_000);
        expect(posted.length).toBe(3);
        expect(now().pending[0]).toMatchObject({ state: 'failed', trouble: { status: 0 } });
    });
    test('is tried again by hand: as the same act when nobody answered, as another one after a refusal', async () => {
        answers = [() => new Response('{}', { status: 500 }), () => new Response('{}', { status: 500 })];
        await send('one');
        const id = last().body.clientMessageId;
        retryPending(id);
        await soon(() => expect(now().pending[0]?.state).toBe('failed'));
        expect(posted.length).toBe(2);
        expect(posted[1]?.key).not.toBe(posted[0]?.key);
        expect(posted[1]?.body).toEqual(posted[0]?.body);
    });
    test('is the same act when it is tried again by hand after nobody answered', async () => {
        vi.useFakeTimers();
        await send('one');
        await vi.advanceTimersByTimeAsync(10_000);
        expect(now().pending[0]?.state).toBe('failed');
        retryPending(last().body.clientMessageId);
        await vi.advanceTimersByTimeAsync(1);
        expect(posted.length).toBe(4);
        expect(posted[3]).toEqual(posted[0]);
        // The tries begin anew.
        expect(now().pending[0]?.state).toBe('waiting');
    });
    test('is not sent twice by hand, nor by two that send what waits', async () => {
        answers = [() => new Promise<Response>(() => {})];
        void send('one');
        await soon(() => expect(posted.length).toBe(1));
        retryPending(last().body.clientMessageId);
        await Promise.resolve();
        expect(posted.length).toBe(1);
        updateChat('c_1', c => ({ ...c, pending: c.pending.map(p => ({ ...p, state: 'waiting' })) }));
        let answer: (r: Response) => void = () => {};
        answers = [() => new Promise<Response>(resolve => (answer = resolve))];
        const both = Promise.all([sendWaiting('c_1'), sendWaiting('c_1')]);
        await soon(() => expect(posted.length).toBe(2));
        answer(stored('m1', 0, last()));
        await both;
        expect([posted.length, now().rows.length]).toEqual([2, 1]);
    });
    test('keeps its order, however often what waits is sent', async () => {
        update(s => ({ ...s, connection: { state: 'offline', since: 1, retryAt: 2 } }));
        await send('one');
        await send('two');
        update(s => ({ ...s, connection: { state: 'live' } }));
        posted = [];
        let answer: (r: Response) => void = () => {};
        answers = [() => new Promise<Response>(resolve => (answer = resolve)), () => stored('m2', 1, last())];
        const both = Promise.all([sendWaiting('c_1'), sendWaiting('c_1')]);
        await soon(() => expect(posted.length).toBeGreaterThan(0));
        await Promise.resolve();
        expect(posted.map(p => p.body.content)).toEqual(['one']);
        answer(stored('m1', 0, last()));
        await both;
        expect(posted.map(p => p.body.content)).toEqual(['one', 'two']);
    });
    test('is not tried while the server is known to be away', async () => {
        update(s => ({ ...s, connection: { state: 'offline', since: 1, retryAt: 2 } }));
        await send('one');
        await sendWaiting('c_1');
        expect(posted.length).toBe(1);
    });
    test('can be taken back', async () => {
        answers = [() => new Response('{}', { status: 400 })];
        await send('one');
        expect(dropPending(last().body.clientMessageId)).toMatchObject({ content: 'one' });
        expect(now().pending).toEqual([]);
        expect(dropPending('nothing')).toBe(null);
    });
});
