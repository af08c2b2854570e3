import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../src/api/stream';
import { share, type Shared } from '../../src/api/tabs';
import type { Told } from '../../src/api/types';
import { tell, soon } from './story';

// Some of these do much; the machine may be busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

type Note = { kind: string; [more: string]: unknown };

/** The other tabs: what they heard, and how to speak for them. */
let heard: Note[];
let say: (note: Note) => void;
let grant: (() => Promise<unknown>) | null;
let pages: object[][];
let asked: string[];
let feed: ReadableStreamDefaultController<Uint8Array> | null;
let lastEventId: string | null;

let begun: number[];
let told: Told[];
let shown: Connection[];
let shared: Shared;

class Channel {
    onmessage: ((e: { data: Note }) => void) | null = null;
    constructor() {
        say = data => this.onmessage?.({ data });
    }
    postMessage(note: Note): void {
        heard.push(note);
    }
    close(): void {}
}

beforeEach(() => {
    heard = [];
    grant = null;
    pages = [];
    asked = [];
    feed = null;
    lastEventId = null;
    begun = [];
    told = [];
    shown = [];
    vi.stubGlobal('BroadcastChannel', Channel);
    vi.stubGlobal('navigator', {
        locks: {
            request: (_name: string, o: { signal?: AbortSignal }, own: () => Promise<unknown>) =>
                new Promise((resolve, reject) => {
                    grant = () => own().then(resolve);
                    o.signal?.addEventListener('abort', () => reject(new DOMException('x', 'AbortError')));
                }),
        },
    });
    vi.stubGlobal('fetch', async (url: string, o: RequestInit) => {
        asked.push(url);
        const headers = o.headers as Record<string, string>;
        if (headers.Accept === 'text/event-stream') {
            lastEventId = headers['Last-Event-ID'] ?? null;
            return new Response(
                new ReadableStream<Uint8Array>({
                    start: c => {
                        feed = c;
                    },
                }),
            );
        }
        const data = pages.shift();
        if (!data) throw new TypeError('Failed to fetch');
        const body = { data, page: { next: null, hasMore: pages.length > 0 } };
        return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
    });
    shared = share({
        begin: seq => begun.push(seq),
        told: e => told.push(...e),
        connection: c => shown.push(c),
    });
});
afterEach(() => {
    shared.close();
    vi.unstubAllGlobals();
});

const live: Connection = { state: 'live' };
const owner = (seq: number | null, snapshots: Told[] = []) =>
    say({ kind: 'owner', seq, connection: live, snapshots });
const batch = (from: number, ...seqs: number[]) =>
    say({ kind: 'events', from, events: seqs.map(seq => tell('world.idle', {}, { seq })) });
const seqs = () => told.map(e => e.seq);

describe('a tab that has loaded everything up to an event', () => {
    beforeEach(() => {
        shared.close();
        shared = share(
            { begin: seq => begun.push(seq), told: e => told.push(...e), connection: c => shown.push(c) },
            40,
        );
    });
    test('has its own stream begin behind it, and loads nothing again', async () => {
        void grant?.();
        await soon(() => expect(feed).not.toBeNull());
        expect(lastEventId).toBe('40');
        feed?.enqueue(
            new TextEncoder().encode(
                'event: stream.open\ndata: {"data":{"lastEventId":42}}\n\n' +
                    'id: 41\nevent: world.idle\ndata: {"seq":41,"data":{}}\n\n',
            ),
        );
        await soon(() => expect(seqs().filter(seq => seq !== undefined)).toEqual([41]));
        expect(begun).toEqual([]);
    });
    test('reads what happened since when another tab has the stream', async () => {
        pages = [[tell('world.idle', {}, { seq: 41 })]];
        owner(41);
        await soon(() => expect(seqs()).toEqual([41]));
        expect(begun).toEqual([]);
        expect(asked).toEqual(['/api/v1/events?after=40&limit=500']);
    });
});

describe('a tab that does not own the stream', () => {
    test('asks who does, and begins where that one is', () => {
        expect(heard).toContainEqual({ kind: 'hello' });
        owner(null);
        expect(begun).toEqual([]);
        const half = tell('message.snapshot', { messageId: 'm', chunk: 3, text: 'abc' });
        owner(40, [half]);
        expect(begun).toEqual([40]);
        expect(told).toEqual([half]);
        expect(shown.at(-1)).toEqual(live);
    });
    test('is told what the owner hears, each event once', () => {
        owner(40);
        batch(40, 41, 42);
        batch(40, 41, 42, 43);
        expect(seqs()).toEqual([41, 42, 43]);
        expect(asked).toEqual([]);
    });
    test('that missed something reads it, and then takes what came meanwhile, in order', async () => {
        owner(40);
        pages = [[tell('world.idle', {}, { seq: 44 })], [tell('world.idle', {}, { seq: 50 })]];
        batch(50, 51);
        batch(51, 52);
        await soon(() => expect(seqs()).toEqual([44, 50, 51, 52]));
        expect(asked).toEqual(['/api/v1/events?after=40&limit=500', '/api/v1/events?after=44&limit=500']);
    });
    test('that cannot read what it missed takes nothing behind the gap, and tries again', async () => {
        owner(40);
        const before = shown.length;
        batch(50, 51);
        // It has given up when it shows again how it stands.
        await soon(() => expect(shown.length).toBe(before + 1));
        expect([asked.length, seqs()]).toEqual([1, []]);
        pages = [[tell('world.idle', {}, { seq: 51 })]];
        await soon(() => {
            batch(51, 52);
            expect(seqs()).toEqual([51, 52]);
        });
    });
    test('says that it reads, as long as there is more, and then how it stands', async () => {
        owner(40);
        const before = shown.length;
        pages = [[tell('world.idle', {}, { seq: 44 })], [tell('world.idle', {}, { seq: 50 })]];
        batch(50, 51);
        await soon(() => expect(seqs()).toEqual([44, 50, 51]));
        expect(shown.slice(before)).toEqual([{ state: 'catchingUp', left: 500 }, live]);
    });
    test('reads no further when it is closed', async () => {
        owner(40);
        pages = [[tell('world.idle', {}, { seq: 44 })], [tell('world.idle', {}, { seq: 50 })]];
        const before = shown.length;
        batch(50, 51);
        await soon(() => expect(asked.length).toBe(1));
        shared.close();
        await soon(() => expect(shown.slice(before).at(-1)).toEqual(live));
        expect(asked.length).toBe(1);
    });
    test('catches up when it hears that the owner is further', async () => {
        owner(40);
        pages = [[tell('world.idle', {}, { seq: 45 })]];
        owner(45);
        await soon(() => expect(seqs()).toEqual([45]));
    });
    test('loads everything again when the past cannot be told', () => {
        owner(40);
        say({ kind: 'events', from: 90, events: [tell('stream.reset', { lastEventId: 90 })] });
        expect(begun).toEqual([40, 90]);
    });
});

describe('a tab that owns the stream', () => {
    const frame = (name: string, body: object) =>
        feed?.enqueue(
            new TextEncoder().encode(`event: ${name}\ndata: ${JSON.stringify({ world: 'w', ...body })}\n\n`),
        );

    beforeEach(async () => {
        void grant?.();
        await soon(() => expect(feed).not.toBe(null));
        frame('stream.open', { data: { lastEventId: 7 } });
        frame('message.snapshot', { data: { messageId: 'm', chunk: 1, text: 'a' } });
        frame('world.idle', { seq: 9, data: {} });
        await soon(() => expect(seqs()).toContain(9));
    });

    test('tells the others everything, and what came before', () => {
        expect(begun).toEqual([7]);
        const events = heard.filter(n => n.kind === 'events');
        expect(events.map(n => n.from)).toEqual([7, ...events.slice(1).map(() => expect.any(Number))]);
        expect(events.flatMap(n => (n.events as Told[]).map(e => e.type))).toEqual([
            'stream.open',
            'message.snapshot',
            'world.idle',
        ]);
    });
    test('answers a tab that comes later with where it is and what is being written', () => {
        say({ kind: 'hello' });
        expect(heard.at(-1)).toMatchObject({
            kind: 'owner',
            seq: 9,
            snapshots: [{ data: { messageId: 'm', text: 'a' } }],
        });
    });
    test('keeps the stream while it is looked at, and gives it up when it is hidden', async () => {
        const before = grant;
        say({ kind: 'want' });
        await Promise.resolve();
        expect(grant).toBe(before);
        vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
        say({ kind: 'want' });
        // It stands in the line again, behind the one that wants it.
        await soon(() => expect(grant).not.toBe(before));
        vi.restoreAllMocks();
    });
});
