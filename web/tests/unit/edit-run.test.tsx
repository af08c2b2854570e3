// An edit in its two steps: what is kept of it, why it failed, and how it is cancelled.
import { render } from 'preact';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Count } from '../../src/api/types';
import { update, updateChat } from '../../src/store/core';
import { go } from '../../src/store/place';
import { leftover } from '../../src/views/edit/backup';
import { flow } from '../../src/views/edit/flow';
import { Phases } from '../../src/views/edit/phases';
import { progress } from '../../src/views/edit/progress';
import { RecoveryBanner } from '../../src/views/edit/recovery';
import { proceed, submit } from '../../src/views/edit/run';
import { message, opened, soon } from './story';

interface Asked {
    method: string;
    path: string;
    answer: (body: unknown, status?: number) => void;
    fail: () => void;
}

let asked: Asked[];
let root: HTMLElement;

const removed = {
    messagesRemovedTotal: 3,
    previousThreadId: 't_1',
    threadId: 't_2',
    processedAgents: [],
    failedAgents: [],
    totalAgents: 0,
};
const kept = () => leftover('w', 'c_1');
const next = (method: string): Promise<Asked> =>
    soon(() => {
        const at = asked.findIndex(a => a.method === method);
        if (at < 0) throw new Error(`no ${method}`);
        return asked.splice(at, 1)[0] as Asked;
    });

beforeEach(() => {
    localStorage.clear();
    asked = [];
    root = document.createElement('div');
    document.body.append(root);
    vi.stubGlobal(
        'fetch',
        (path: string, o: RequestInit = {}) =>
            new Promise<Response>((resolve, reject) =>
                asked.push({
                    method: o.method ?? 'GET',
                    path,
                    answer: (body, status = 200) =>
                        resolve(
                            new Response(JSON.stringify(body), {
                                status,
                                headers: { 'content-type': 'application/json' },
                            }),
                        ),
                    fail: () => reject(new TypeError('Failed to fetch')),
                }),
            ),
    );
    update(() => ({ ...opened(), connection: { state: 'live' } }));
    updateChat('c_1', c => ({ ...c, rows: [message('m1', 0)], total: 1 }));
    go({ kind: 'chat', w: 'w', c: 'c_1', view: 'chat' }, { replace: true });
    const count = { count: 3, toolResults: 0, etag: '"t_1.3"' } as Count;
    flow.value = { step: 'ready', aim: 'edit', message: message('m1', 0), count, note: '' };
});
afterEach(() => {
    render(null, root);
    root.remove();
    progress.value = null;
    dispatchEvent(new Event('pageshow'));
    vi.unstubAllGlobals();
});

describe('the reason that is kept of an edit which was not sent', () => {
    test('is what went wrong', async () => {
        const over = submit('new');
        (await next('DELETE')).answer(removed);
        (await next('POST')).answer({ detail: 'The disk is full.' }, 507);
        await over;
        expect(kept()).toMatchObject({ phase: 'resubmitting', reason: 'The disk is full.', tries: 1 });
        render(<RecoveryBanner />, root);
        await soon(() => expect(root.textContent).toContain('Reason: The disk is full.'));
        expect(root.textContent).toContain('Attempt 2 of 3');
    });
    test('is none when the page was left in the middle of it', async () => {
        const over = submit('new');
        (await next('DELETE')).answer(removed);
        const post = await next('POST');
        dispatchEvent(new Event('beforeunload'));
        post.fail();
        await over;
        expect(kept()).toMatchObject({ phase: 'resubmitting', reason: '' });
        render(<RecoveryBanner />, root);
        await soon(() => expect(root.textContent).toContain('The page was closed or reloaded in between.'));
    });
    test('is not that of an earlier try while another one goes on', async () => {
        const over = submit('new');
        (await next('DELETE')).answer(removed);
        (await next('POST')).answer({ detail: 'The disk is full.' }, 507);
        await over;
        void proceed(kept()!);
        await next('POST');
        expect(kept()).toMatchObject({ reason: '', tries: 2 });
    });
});

describe('an edit in progress', () => {
    const button = () => root.querySelector('button');
    test('can be cancelled while nothing is removed: the server refused it, and nothing happened', async () => {
        render(<Phases />, root);
        const over = submit('new');
        const remove = await next('DELETE');
        await soon(() => expect(button()?.textContent).toBe('Cancel'));
        button()!.click();
        await soon(() => expect(button()?.textContent).toBe('Cancelling…'));
        expect(kept()?.cancelled).toBe(true);
        remove.answer({ detail: 'busy' }, 423);
        await over;
        expect([kept(), progress.value, flow.value.step]).toEqual([null, null, 'closed']);
        expect(asked.filter(a => a.method === 'POST')).toEqual([]);
    });
    test('that is cancelled puts back what the server had removed by then, and sends nothing', async () => {
        render(<Phases />, root);
        const over = submit('new');
        const remove = await next('DELETE');
        await soon(() => button()!.click());
        remove.answer(removed);
        const tag = await next('GET');
        expect(tag.path).toContain('/currentThread');
        tag.answer({ threadId: 't_2', canUndo: true });
        (await next('PUT')).answer({ threadId: 't_1' });
        (await next('GET')).answer({ threadId: 't_2', canUndo: true });
        const back = await next('PUT');
        expect(kept()).toMatchObject({ cancelled: true, phase: 'resubmitting' });
        back.answer({ threadId: 't_1' });
        await soon(() => expect(kept()).toBeNull());
        for (const one of asked.filter(a => a.method === 'GET')) one.fail();
        await over;
        expect(asked.filter(a => a.method === 'POST')).toEqual([]);
    });
    test('says what can be done when it is too late to cancel', async () => {
        render(<Phases />, root);
        void submit('new');
        (await next('DELETE')).answer(removed);
        await next('POST');
        await soon(() => expect(root.textContent).toContain('you can try again or put them back'));
        expect(button()).toBeNull();
    });
});
