import { afterEach, describe, expect, test, vi } from 'vitest';
import { listChatMessages, postMessage, removeMessage, setTags } from '../../src/api/calls';
import { pageOf } from '../../src/api/link';
import { needsToken, newKey, readOnly, request } from '../../src/api/client';

interface Asked {
    url: string;
    method: string;
    headers: Record<string, string>;
    body: unknown;
}

/** Answers every request with the next of these. */
function answering(...answers: (Response | Error)[]): Asked[] {
    const asked: Asked[] = [];
    vi.stubGlobal('fetch', async (url: string, o: RequestInit) => {
        asked.push({
            url,
            method: o.method ?? 'GET',
            headers: o.headers as Record<string, string>,
            body: o.body,
        });
        const next = answers.shift();
        if (next instanceof Response) return next;
        throw next ?? new Error('nobody answers');
    });
    return asked;
}

const json = (value: unknown, status = 200, headers: Record<string, string> = {}) =>
    new Response(JSON.stringify(value), {
        status,
        headers: { 'content-type': 'application/json', ...headers },
    });
const problem = (status: number, body: object) =>
    new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/problem+json' } });

afterEach(() => {
    vi.unstubAllGlobals();
    needsToken.value = false;
    readOnly.value = false;
});

describe('a request', () => {
    test('gives the value, the status and the tag', async () => {
        const asked = answering(json({ a: 1 }, 200, { etag: '"x"' }));
        expect(
            await request('GET', '/worlds', { query: { limit: 5, cursor: undefined, current: false } }),
        ).toEqual({ ok: true, value: { a: 1 }, status: 200, etag: '"x"' });
        expect(asked[0]?.url).toBe('/api/v1/worlds?limit=5&current=false');
        expect(asked[0]?.headers['Idempotency-Key']).toBeUndefined();
        expect(asked[0]?.headers.Authorization).toBeUndefined();
    });
    test('gives a problem as a value', async () => {
        answering(
            problem(409, {
                type: '/problems/world-busy',
                title: 'busy',
                detail: 'd',
                code: 'BUSY',
                requestId: 'r',
                retryAfterMs: 5,
                busy: [{ agent: 'ada' }],
            }),
        );
        const got = await request('PUT', '/x', { body: {} });
        expect(got).toMatchObject({
            ok: false,
            trouble: {
                status: 409,
                type: '/problems/world-busy',
                code: 'BUSY',
                requestId: 'r',
                retryAfterMs: 5,
                busy: [{ agent: 'ada' }],
            },
        });
    });
    test('that is answered with something else says what the status was', async () => {
        answering(new Response('<html>', { status: 502, statusText: 'Bad Gateway' }));
        expect(await request('GET', '/x')).toMatchObject({
            ok: false,
            trouble: { status: 502, title: 'Bad Gateway' },
        });
    });
    test('that reaches nobody has the status 0', async () => {
        answering(new TypeError('Failed to fetch'));
        expect(await request('GET', '/x')).toMatchObject({
            ok: false,
            trouble: { status: 0, code: 'unreachable' },
        });
    });
    test('that takes too long says so', async () => {
        answering(new DOMException('late', 'TimeoutError'));
        expect(await request('GET', '/x')).toMatchObject({
            ok: false,
            trouble: { status: 0, code: 'timeout' },
        });
    });
    test('gives an answer that is not JSON although it says so as a trouble', async () => {
        answering(new Response('{', { status: 200, headers: { 'content-type': 'application/json' } }));
        expect((await request('GET', '/x')).ok).toBe(false);
    });
    test('wants a token when it is refused, and sends none by itself: a cookie does that', async () => {
        const asked = answering(problem(401, { title: 'sign in' }), json({}));
        await request('GET', '/x');
        expect(asked[0]?.headers.Authorization).toBeUndefined();
        expect(needsToken.value).toBe(true);
        await request('GET', '/x');
        expect(needsToken.value).toBe(false);
    });
    test('knows a server that changes nothing by its refusal', async () => {
        answering(problem(503, { type: '/problems/read-only', title: 'no' }), json({}), json({}));
        await request('POST', '/x');
        expect(readOnly.value).toBe(true);
        await request('GET', '/x');
        expect(readOnly.value).toBe(true);
        await request('POST', '/x');
        expect(readOnly.value).toBe(false);
    });
    test('that changes something has a key: its own, or the one of the act', async () => {
        const asked = answering(json({}), json({}), json({}));
        await request('POST', '/x');
        await request('POST', '/x');
        await request('POST', '/x', { key: 'same' });
        const keys = asked.map(a => a.headers['Idempotency-Key']);
        expect(new Set(keys).size).toBe(3);
        expect(keys[2]).toBe('same');
    });
});

test('keys are never the same', () => {
    expect(new Set(Array.from({ length: 1000 }, newKey)).size).toBe(1000);
});

describe('calls', () => {
    test('put names into the path, and the rest where the route wants it', async () => {
        const asked = answering(json({}), json({}), json({}), json({}));
        await listChatMessages('a/b', 'c', { around: 'm 1', limit: 200 });
        await postMessage('w', { content: 'x' }, { key: 'k' });
        await removeMessage('w', 'm', { chatId: 'c' }, { ifMatch: '"t"' });
        await setTags('w', { tags: [] }, { query: { chatId: 'c' } });
        expect(asked.map(a => `${a.method} ${a.url}`)).toEqual([
            'GET /api/v1/worlds/a%2Fb/chats/c/messages?around=m+1&limit=200',
            'POST /api/v1/worlds/w/messages',
            'DELETE /api/v1/worlds/w/messages/m?chatId=c',
            'PUT /api/v1/worlds/w/tags?chatId=c',
        ]);
        expect(asked[1]?.body).toBe('{"content":"x"}');
        expect(asked[2]?.headers['If-Match']).toBe('"t"');
    });
});

test('a link that signs in leads to a page of this server, whatever it says', () => {
    const here = 'http://127.0.0.1:7534';
    expect(pageOf('w/tour/c/abc?v=t_1#m-2', here)).toBe('/w/tour/c/abc?v=t_1#m-2');
    expect(pageOf('', here)).toBe('/');
    for (const away of ['//evil.example/', '/\\evil.example', 'http://evil.example/', '\\\\evil.example'])
        expect(new URL(pageOf(away, here), here).origin).toBe(here);
});
