// Going to a version, while somebody looks at what that would do.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { update } from '../../src/store/core';
import { go } from '../../src/store/place';
import { lookAhead, undo } from '../../src/store/store';
import { opened, soon } from './story';

const json = (body: unknown) =>
    new Response(JSON.stringify(body), {
        status: 200,
        headers: { 'content-type': 'application/json', etag: '"t_1.2"' },
    });
let looked: RequestInit[];

beforeEach(() => {
    looked = [];
    vi.stubGlobal('fetch', (_url: string, o: RequestInit) => {
        const dry = o.method === 'PUT' && JSON.parse(o.body as string).dryRun === true;
        if (!dry) return Promise.resolve(json({ threadId: 't_1', version: 'v1', steps: 1 }));
        looked.push(o);
        return new Promise((_resolve, reject) =>
            o.signal!.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
        );
    });
    update(() => ({ ...opened(), connection: { state: 'live' } }));
    go({ kind: 'chat', w: 'w', c: 'c_1', view: 'history' }, { replace: true });
});
afterEach(() => vi.unstubAllGlobals());

it('a look ahead is given up when the conversation moves: it would be refused, being about another version', async () => {
    const ahead = lookAhead('w', 'c_1', 't_2', new AbortController().signal);
    await soon(() => expect(looked.length).toBe(1));
    expect(looked[0]!.signal!.aborted).toBe(false);
    const moved = undo();
    expect(looked[0]!.signal!.aborted).toBe(true);
    expect((await ahead).ok).toBe(false);
    expect((await moved).ok).toBe(true);
});
