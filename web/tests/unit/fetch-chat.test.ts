// What is asked for together must belong together, whichever of the answers is the older one.

import { afterEach, expect, test, vi } from 'vitest';
import { firstQuestions } from '../../src/api/early';
import type { Chat, MessageList, Told } from '../../src/api/types';
import { fetchChat, stateOf, versionOf } from '../../src/store/fetch-chat';
import type { WorldState } from '../../src/store/state';
import { plainMessage } from './message';

const asked: URL[] = [];

/** A server whose current version is another one when it is asked for the rows than when it is asked for the chat. */
function serve(current: string, rowsOf: string): void {
    asked.length = 0;
    vi.stubGlobal('fetch', (to: string) => {
        const url = new URL(to, 'http://localhost');
        asked.push(url);
        const thread = url.searchParams.get('threadId') ?? rowsOf;
        const isRows = url.pathname.endsWith('/messages');
        const isChat = url.pathname.endsWith('/chats/c_1');
        const page = {
            data: isRows ? [{ messageId: thread, position: 0 }] : [],
            page: { total: 1, hasMore: false },
        };
        const body = isChat ? { id: 'c_1', currentThread: current, messageCount: 1 } : page;
        const etag = `"${isChat ? current : thread}.1-5e0e3326"`;
        const headers = { 'content-type': 'application/json', etag };
        return Promise.resolve(new Response(JSON.stringify(body), { headers }));
    });
}

afterEach(() => vi.unstubAllGlobals());

const rowsAsked = () =>
    asked.filter(u => u.pathname.endsWith('/messages')).map(u => u.searchParams.get('threadId'));

test('a tag says which version it is of', () => {
    expect(versionOf('"t_P6WkDJhKZj.100000-5e0e3326"')).toBe('t_P6WkDJhKZj');
    expect(versionOf('"t_a.0"')).toBe('t_a');
    expect(versionOf('W/"t_a"')).toBeNull();
    expect(versionOf(null)).toBeNull();
});

test('rows of the current version are asked for once, with the chat', async () => {
    serve('t_new', 't_new');
    const got = await fetchChat('w', 'c_1', []);
    expect(got.ok && got.value.rows.data.map(m => m.messageId)).toEqual(['t_new']);
    expect(rowsAsked()).toEqual([null]);
});

test('what is asked for is what was asked for early, word for word', async () => {
    serve('t_new', 't_new');
    await fetchChat('w', 'c_1', []);
    const words = asked.map(u => u.pathname.replace('/api/v1', '') + u.search);
    expect(['/worlds/w', ...words].sort()).toEqual(firstQuestions('/w/w/c/c_1', '').sort());
    // A message, another version or another view is asked for in other words.
    expect(firstQuestions('/w/w/c/c_1', '?m=x')).toEqual([]);
    expect(firstQuestions('/w/w/c/c_1/tree', '')).toEqual([]);
    expect(firstQuestions('/w/w', '')).toEqual([]);
});

test('rows of a version that is no longer the current one are not taken', async () => {
    serve('t_new', 't_old');
    const got = await fetchChat('w', 'c_1', []);
    expect(got.ok && got.value.rows.data.map(m => m.messageId)).toEqual(['t_new']);
    expect(rowsAsked()).toEqual([null, 't_new']);
});

const asks = plainMessage('q', {
    delivery: [
        { agent: 'ada', state: 'failed', error: 'it went away', failedAt: '2026-11-15T12:00:01.000Z' },
        { agent: 'bo', state: 'answered' },
        { agent: 'cy', state: 'inMemory', stoppedAt: '2026-11-15T12:00:02.000Z' },
    ],
});
const failedEvent = {
    seq: 5,
    type: 'message.failed',
    time: '2026-11-15T12:00:01.000Z',
    chatId: 'c',
    threadId: null,
    cause: 'q',
    data: { messageId: 'x', agent: 'ada', code: 'C', detail: 'it went away', hint: 'Wait.', retryable: true },
} as unknown as Told;
const failedOf = (events: Told[]) => {
    const chat = { id: 'c', currentThread: 't_1', messageCount: 1, version: 1 } as Chat;
    const rows = { data: [asks], page: { total: 1, hasMore: false } } as MessageList;
    const world = { world: { busy: [] }, busyIn: {} } as unknown as WorldState;
    return stateOf({ chat, rows, queue: [], delegations: [], events }, world).failed;
};

test('who failed to answer is known from the message, however long ago it was', () => {
    expect(Object.values(failedOf([]))).toMatchObject([
        { agent: 'ada', detail: 'it went away', replyTo: 'q', lane: 'main', at: '2026-11-15T12:00:01.000Z' },
        { agent: 'cy', stopped: true, replyTo: 'q', lane: 'main', at: '2026-11-15T12:00:02.000Z' },
    ]);
});

test('what happened lately tells more of the same failure, which is shown once', () => {
    expect(failedOf([failedEvent])).toMatchObject({ x: { agent: 'ada', hint: 'Wait.', replyTo: 'q' } });
    expect(Object.keys(failedOf([failedEvent]))).toEqual(['q/cy', 'x']);
});
