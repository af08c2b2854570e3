// A message that waits is changed where it waits.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { QueueItem } from '../../src/api/types';
import { update } from '../../src/store/core';
import { draft } from '../../src/store/drafts';
import { go } from '../../src/store/place';
import { beginChange, change, endChange } from '../../src/views/chat/queued-edit';
import { opened } from './story';

let asked: string[];
let status: number;
const own = draft('w', 'c_1');
const waiting = { id: 'q2', chatId: 'c_1', content: 'second', replyToMessageId: null } as QueueItem;

beforeEach(() => {
    asked = [];
    status = 200;
    vi.stubGlobal('fetch', async (path: string, o: RequestInit = {}) => {
        asked.push(`${o.method} ${path.replace('/api/v1', '')} ${(o.body as string) ?? ''}`.trim());
        return new Response('{"detail":"no"}', { status, headers: { 'content-type': 'application/json' } });
    });
    update(() => opened());
    go({ kind: 'chat', w: 'w', c: 'c_1', view: 'chat' }, { replace: true });
    own.value = { text: 'half typed', replyTo: 'm1', tags: ['Short'] };
    beginChange('w', waiting);
});
afterEach(() => vi.unstubAllGlobals());

describe('a waiting message', () => {
    test('is in the box to be changed; what was there is back when that is given up', () => {
        expect(own.value).toMatchObject({ text: 'second', replyTo: null, tags: ['Short'] });
        endChange(own);
        expect(own.value).toEqual({ text: 'half typed', replyTo: 'm1', tags: ['Short'] });
    });
    test('keeps its place: it is changed, and neither taken back nor said again', async () => {
        own.value = { ...own.value, text: 'second, better' };
        expect(await change('w', 'c_1', own)).toBe(true);
        expect(asked).toEqual(['PATCH /worlds/w/chats/c_1/queue/q2 {"content":"second, better"}']);
        expect(own.value).toEqual({ text: 'half typed', replyTo: 'm1', tags: ['Short'] });
    });
    test('that was said meanwhile leaves its text as a new one, and nothing is lost', async () => {
        status = 404;
        own.value = { ...own.value, text: 'second, better' };
        expect(await change('w', 'c_1', own)).toBe(true);
        expect(own.value).toEqual({ text: 'second, better\n\nhalf typed', replyTo: 'm1', tags: ['Short'] });
        expect(await change('w', 'c_1', own)).toBe(false);
    });
    test('that cannot be changed now stays in the box', async () => {
        status = 503;
        expect(await change('w', 'c_1', own)).toBe(true);
        expect(own.value.queued?.id).toBe('q2');
    });
});
