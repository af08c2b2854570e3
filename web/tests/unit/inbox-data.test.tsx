// What a person does with items while earlier changes of theirs are still on their way to the server.
import { render } from 'preact';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { InboxItem, InboxPatch } from '../../src/api/types';
import { update } from '../../src/store/core';
import { useInbox, type Inbox } from '../../src/views/inbox/inbox-data';
import { opened, soon } from './story';

interface Patch {
    body: InboxPatch;
    answer: () => void;
    drop: () => void;
}
const at = '2026-11-15T12:00:00.000Z';
let stored: InboxItem;
let patches: Patch[];
let inbox: Inbox;
let root: HTMLElement;

const json = (body: unknown) =>
    new Response(JSON.stringify(body), { status: 200, headers: { 'content-type': 'application/json' } });
function hear({ read, done }: InboxPatch): void {
    if (read !== undefined) stored = { ...stored, readAt: read ? at : null };
    if (done !== undefined) stored = { ...stored, doneAt: done ? at : null };
}
function server(url: string, o: RequestInit): Promise<Response> {
    if (o.method !== 'PATCH') {
        const mine =
            (stored.doneAt === null ? 'open' : 'done') === new URL(url, 'http://x').searchParams.get('state');
        return Promise.resolve(
            json({
                data: mine ? [stored] : [],
                page: { hasMore: false, next: null },
                unread: 0,
                needsYou: 0,
            }),
        );
    }
    const body = JSON.parse(o.body as string) as InboxPatch;
    return new Promise((resolve, reject) =>
        patches.push({
            body,
            answer: () => {
                hear(body);
                resolve(json(stored));
            },
            drop: () => reject(new TypeError('Failed to fetch')),
        }),
    );
}
function Probe() {
    inbox = useInbox();
    return null;
}
const shown = () => inbox.value!.all[0]!;
const sent = () => patches.map(p => p.body);

beforeEach(async () => {
    stored = { id: 'a', type: 'briefing', title: 'a', readAt: null, doneAt: null } as InboxItem;
    patches = [];
    vi.stubGlobal('fetch', server);
    update(() => ({ ...opened(), connection: { state: 'live' } }));
    root = document.createElement('div');
    render(<Probe />, root);
    await soon(() => expect(inbox.value).not.toBe(null));
});
afterEach(() => {
    render(null, root);
    vi.unstubAllGlobals();
});

it('what was put away while it was being marked as read stays away', async () => {
    inbox.markRead(shown());
    inbox.change(shown(), { done: true }, 'Done.');
    await soon(() => expect(sent()).toEqual([{ read: true }]));
    patches[0]!.answer();
    await soon(() => expect(sent()).toEqual([{ read: true }, { done: true }]));
    expect(shown()).toMatchObject({ readAt: at, doneAt: expect.any(String) });
    patches[1]!.answer();
    await soon(() => expect(shown()).toEqual(stored));
    expect(stored).toMatchObject({ readAt: at, doneAt: at });
});

it('a change that is refused is taken back, and the one before it is kept', async () => {
    inbox.markRead(shown());
    inbox.change(shown(), { done: true }, 'Done.');
    await soon(() => expect(patches.length).toBe(1));
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('{}', { status: 400 })));
    patches[0]!.answer();
    await soon(() => expect(shown()).toMatchObject({ readAt: at, doneAt: null }));
});

it('what is done while the server comes back is not forgotten', async () => {
    inbox.change(shown(), { read: true }, 'Read.');
    await soon(() => expect(patches.length).toBe(1));
    patches[0]!.drop();
    await soon(() => expect(patches.length).toBe(2));
    inbox.change(shown(), { done: true }, 'Done.');
    patches[1]!.answer();
    await soon(() => expect(patches.length).toBe(3));
    patches[2]!.drop();
    await soon(() => expect(patches.length).toBe(4));
    expect(patches[3]!.body).toMatchObject({ done: true });
    patches[3]!.answer();
    await soon(() => expect(inbox.waiting.size).toBe(0));
    expect(stored).toMatchObject({ readAt: at, doneAt: at });
});
