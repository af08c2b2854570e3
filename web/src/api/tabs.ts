// tabs.ts: one stream for all tabs. A browser opens six connections to a server and no more, so tabs that
// had a stream each would soon be unable to ask anything.
//
// The tab with the lock owns the stream, and passes its events to the others. A hidden owner gives it to a
// visible tab that wants it, because browsers slow down what is hidden. Each batch says which event came
// before it: a tab that has not seen that one missed something, and reads it from the pages of the past.

import { request } from './client';
import { openStream, type Connection, type Stream } from './stream';
import type { EventList, Told } from './types';
import { writing } from './writing';

export interface Sharing {
    /** From here on all events are told; what happened up to `seq` has to be loaded. */
    begin(seq: number): void;
    told(events: Told[]): void;
    connection(c: Connection): void;
}

export interface Shared {
    retryNow(): void;
    /** A piece of a half-written message was missed. */
    repair(): void;
    /** What is being written now, in all worlds. */
    snapshots(): Told[];
    close(): void;
}

type Note =
    | { kind: 'hello' }
    | { kind: 'want' }
    | { kind: 'retry' }
    | { kind: 'owner'; seq: number | null; connection: Connection; snapshots: Told[] }
    | { kind: 'events'; from: number; events: Told[] }
    | { kind: 'connection'; connection: Connection };

const LOCK = 'skein.stream';
const ANSWER_MS = 4000;
const PAGE = 500;

/** `from`: the event up to which everything is loaded already; null: nothing is. */
export function share(to: Sharing, from: number | null = null): Shared {
    const locks = navigator.locks as LockManager | undefined;
    const channel = locks && typeof BroadcastChannel === 'function' ? new BroadcastChannel(LOCK) : null;
    const closing = new AbortController();
    const half = writing();
    let seen = from;
    let stream: Stream | null = null;
    let release: (() => void) | null = null;
    let connection: Connection = { state: 'connecting' };
    let paging = false;
    let early: Note[] = [];
    let answerDue: ReturnType<typeof setTimeout> | undefined;
    let stealing = false;
    let turn = new AbortController();

    const post = (note: Note): void => channel?.postMessage(note);
    const describe = (): void => post({ kind: 'owner', seq: seen, connection, snapshots: half.snapshots() });

    function show(c: Connection): void {
        connection = c;
        to.connection(c);
        if (stream) post({ kind: 'connection', connection: c });
    }

    /** Takes events that follow what was seen. */
    function take(events: Told[]): void {
        const news = events.filter(e => e.seq === undefined || seen === null || e.seq > seen);
        for (const e of news) {
            half.follow(e);
            if (e.seq !== undefined) seen = e.seq;
        }
        if (news.length > 0) to.told(news);
    }

    function startAt(seq: number): void {
        seen = seq;
        to.begin(seq);
    }

    // --- Owning the stream ---------------------------------------------------------------------

    function hear(events: Told[]): void {
        const open = events.find(e => e.type === 'stream.open');
        const reset = events.find(e => e.type === 'stream.reset');
        if (reset?.type === 'stream.reset') startAt(reset.data.lastEventId);
        else if (open?.type === 'stream.open' && seen === null) startAt(open.data.lastEventId);
        const from = seen ?? 0;
        take(events);
        if (open || reset) describe();
        post({ kind: 'events', from, events });
    }

    function own(): Promise<void> {
        clearTimeout(answerDue);
        return new Promise(resolve => {
            const mine = openStream({ seen: () => seen, told: hear, connection: show });
            stream = mine;
            release = () => {
                mine.close();
                if (stream === mine) stream = null;
                release = null;
                resolve();
            };
            describe();
        });
    }

    async function queueForStream(): Promise<void> {
        while (!closing.signal.aborted) {
            turn = new AbortController();
            const how = stealing ? { steal: true } : { signal: turn.signal };
            stealing = false;
            try {
                await locks?.request(LOCK, how, own);
            } catch {
                // This tab wants it at once now, another tab took it away, or the page is closing.
                release?.();
            }
        }
    }

    // --- Following another tab -----------------------------------------------------------------

    function hello(): void {
        if (stream || !channel) return;
        post({ kind: 'hello' });
        clearTimeout(answerDue);
        if (document.visibilityState !== 'visible') return;
        // An owner that does not answer has been put to sleep by the browser.
        answerDue = setTimeout(() => {
            stealing = true;
            turn.abort();
        }, ANSWER_MS);
    }

    /** Reads what was missed from the pages of the past. */
    async function readPast(): Promise<boolean> {
        while (seen !== null && !closing.signal.aborted) {
            const page = await request<EventList>('GET', '/events', { query: { after: seen, limit: PAGE } });
            if (!page.ok) return false;
            take(page.value.data as Told[]);
            if (!page.value.page.hasMore) return true;
            to.connection({ state: 'catchingUp', left: PAGE });
        }
        return true;
    }

    /** Reads what was missed, then takes what came in the meantime. */
    async function catchUp(): Promise<void> {
        if (paging) return;
        paging = true;
        const whole = await readPast();
        paging = false;
        to.connection(connection);
        const waiting = early;
        early = [];
        // What follows a gap must not be taken: the next batch says again that there is one.
        if (whole) for (const note of waiting) if (note.kind === 'events') take(note.events);
    }

    function follow(note: Note): void {
        if (note.kind === 'owner') {
            clearTimeout(answerDue);
            show(note.connection);
            if (note.seq === null) return;
            if (seen === null) startAt(note.seq);
            else if (seen < note.seq) void catchUp();
            take(note.snapshots);
            if (document.visibilityState === 'visible') post({ kind: 'want' });
        } else if (note.kind === 'connection') show(note.connection);
        else if (note.kind === 'events' && seen !== null) {
            const reset = note.events.find(e => e.type === 'stream.reset');
            if (reset?.type === 'stream.reset') startAt(reset.data.lastEventId);
            if (paging || note.from > seen) {
                early.push(note);
                void catchUp();
            } else take(note.events);
        }
    }

    function heard(note: Note): void {
        if (!stream) follow(note);
        else if (note.kind === 'hello') describe();
        else if (note.kind === 'retry') stream.retryNow();
        else if (note.kind === 'want' && document.visibilityState === 'hidden') release?.();
    }

    function returned(): void {
        if (document.visibilityState !== 'visible' || stream) return;
        post({ kind: 'want' });
        hello();
    }

    if (channel) {
        channel.onmessage = (e: MessageEvent<Note>) => heard(e.data);
        document.addEventListener('visibilitychange', returned, { signal: closing.signal });
        void queueForStream();
        hello();
    } else void own();

    return {
        retryNow() {
            if (stream) stream.retryNow();
            else post({ kind: 'retry' });
        },
        repair() {
            if (stream) stream.reconnect();
            else hello();
        },
        snapshots: half.snapshots,
        close() {
            closing.abort();
            turn.abort();
            clearTimeout(answerDue);
            release?.();
            channel?.close();
        },
    };
}
