// stream.ts: the event stream, kept open: read by fetch, because EventSource cannot send a token, cannot
// be told where to begin, and says nothing of how it fares.
//
// It is the stream of all worlds, not of the one that is shown. Tabs that show different worlds share one
// stream, the inbox counts items of every world, and numbers of events rise over all worlds, so that one
// number says what was seen. The price is to be sent what happens elsewhere, which is little on one machine.

import { address, heedReadOnly, needsToken, troubleOf } from './client';
import { parser, type Frame } from './sse';
import type { Told } from './types';

export type Connection =
    | { state: 'live' }
    | { state: 'connecting' }
    | { state: 'catchingUp'; left: number }
    | { state: 'offline'; since: number; retryAt: number }
    | { state: 'readOnly' };

export interface Listener {
    /** The last durable event that was seen; null: none, begin with what is now. */
    seen(): number | null;
    /** Events that came together, in order. */
    told(events: Told[]): void;
    connection(c: Connection): void;
}

export interface Stream {
    retryNow(): void;
    /** A piece was missed: come back, and be told the whole. */
    reconnect(): void;
    close(): void;
}

const FIRST_MS = 500;
const MOST_MS = 30_000;
// The server says something every 15 s, if only a comment.
const SILENCE_MS = 40_000;

/** How long to wait before try number `tries`, which is 0 for the first; with jitter, for tabs and clients
 * that lost the same server shall not come back together. */
export function waitMs(tries: number, random: number): number {
    return Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(tries, 10)) * (0.75 + random / 2);
}

function eventOf(frame: Frame): Told | null {
    try {
        const body = JSON.parse(frame.data) as Omit<Told, 'type'>;
        return { ...body, type: frame.event } as Told;
    } catch {
        return null;
    }
}

/** How far behind a stream is while the past is told: it knows where that ends, and counts down. */
export function progress(): { after(e: Told, seen: number | null): Connection | null } {
    let end = 0;
    let left = 0;
    let behind = false;
    function after(e: Told, seen: number | null): Connection | null {
        if (e.type === 'stream.open') {
            end = e.data.lastEventId;
            behind = seen !== null && end > seen;
            left = behind ? end - (seen ?? 0) : 0;
            return behind ? { state: 'catchingUp', left } : { state: 'live' };
        }
        if (e.type === 'stream.resume') {
            left = e.data.count ?? left;
            end = e.data.to;
            behind = left > 0;
        } else if (behind && e.seq !== undefined) {
            left = Math.max(0, left - 1);
            behind = e.seq < end;
        } else if (e.type === 'stream.reset') behind = false;
        else return null;
        return behind ? { state: 'catchingUp', left: Math.max(1, left) } : { state: 'live' };
    }
    return { after };
}

export function openStream(listener: Listener): Stream {
    const closing = new AbortController();
    let current = new AbortController();
    let wake: (() => void) | null = null;
    let tries = 0;
    let lostAt: number | null = null;
    let hurry = false;

    let watch: ReturnType<typeof setTimeout> | undefined;

    function alive(): void {
        clearTimeout(watch);
        watch = setTimeout(() => current.abort(), SILENCE_MS);
    }

    async function read(answer: Response): Promise<void> {
        const reader = answer.body?.getReader();
        const frames = parser();
        const far = progress();
        while (reader) {
            alive();
            const { done, value } = await reader.read();
            if (done || current.signal.aborted) return;
            tell(frames.push(value), far);
        }
    }

    function tell(frames: Frame[], far: ReturnType<typeof progress>): void {
        const events = frames.map(eventOf).filter(e => e !== null);
        if (events.length === 0) return;
        let shown: Connection | null = null;
        for (const e of events) shown = far.after(e, listener.seen()) ?? shown;
        if (events.some(e => e.type === 'stream.open')) {
            tries = 0;
            lostAt = null;
        }
        listener.told(events);
        if (shown) listener.connection(shown);
    }

    async function once(): Promise<void> {
        current = new AbortController();
        const seen = listener.seen();
        const headers: Record<string, string> = { Accept: 'text/event-stream' };
        if (seen !== null) headers['Last-Event-ID'] = String(seen);
        const signal = AbortSignal.any([current.signal, closing.signal]);
        alive();
        const answer = await fetch(address('/events'), { headers, signal, cache: 'no-store' });
        heedReadOnly(answer);
        if (answer.ok) await read(answer);
        else await troubleOf(answer);
    }

    /** Who is not signed in is not offline: there is nothing to try until that is done, here or in another tab. */
    function untilSignedIn(): Promise<void> {
        tries = 0;
        lostAt = null;
        listener.connection({ state: 'connecting' });
        return new Promise(resolve => {
            wake = resolve;
        });
    }

    function pause(): Promise<void> {
        if (needsToken.peek()) return untilSignedIn();
        const ms = waitMs(tries++, Math.random());
        const now = Date.now();
        lostAt ??= now;
        // The first try is quick, and most often works: no reason to alarm anybody.
        listener.connection(
            tries === 1 ? { state: 'connecting' } : { state: 'offline', since: lostAt, retryAt: now + ms },
        );
        return new Promise(resolve => {
            const timer = setTimeout(resolve, ms);
            wake = () => {
                clearTimeout(timer);
                resolve();
            };
        });
    }

    async function run(): Promise<void> {
        while (!closing.signal.aborted) {
            try {
                await once();
            } catch {
                // Not reached, or cut: both are answered by coming back.
            }
            clearTimeout(watch);
            if (closing.signal.aborted) return;
            if (!hurry) await pause();
            hurry = false;
            wake = null;
        }
    }

    const retryNow = () => wake?.();
    const returned = () => {
        if (document.visibilityState === 'visible') retryNow();
    };
    const end = { signal: closing.signal };
    addEventListener('online', retryNow, end);
    addEventListener('focus', retryNow, end);
    document.addEventListener('visibilitychange', returned, end);
    const forget = needsToken.subscribe(needed => {
        if (!needed) retryNow();
    });
    listener.connection({ state: 'connecting' });
    void run();

    return {
        retryNow,
        reconnect() {
            hurry = true;
            current.abort();
            retryNow();
        },
        close() {
            forget();
            closing.abort();
            wake?.();
        },
    };
}
