// data.ts: the timeline of the conversation that is shown, read again when something happens in it.

import { signal } from '@preact/signals';
import { getTimeline, listCalls, listDelegations, listSquashes } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { Delegation, ModelCall, Squash } from '../../api/types';
import { on } from '../../store/store';
import { lanesOf, spentByLane, type Lanes, type Spent } from './model';

export interface Loaded {
    lanes: Lanes;
    spent: ReadonlyMap<string, Spent>;
    /** by the message that stands for others */
    squashes: ReadonlyMap<string, Squash>;
    trouble: Trouble | null;
    loaded: boolean;
    /** when the server last said something about it */
    heardAt: number;
}

const nothing: Loaded = {
    lanes: new Map(),
    spent: new Map(),
    squashes: new Map(),
    trouble: null,
    loaded: false,
    heardAt: 0,
};
export const data = signal<Loaded>(nothing);

/** Reading again waits this long after the last reading, or three times as long as that took. */
const LEAST_MS = 400;
const PAGE = 500;
/** Delegations and calls that are read: enough for a day of work, and an end for what is not. */
const PAGES_MOST = 20;

interface Paged<T> {
    data: T[];
    page: { next: string | null; hasMore: boolean };
}

type Answer<T> = { ok: true; value: Paged<T> } | { ok: false; trouble: Trouble };

async function all<T>(read: (cursor: string | undefined) => Promise<Answer<T>>): Promise<T[] | Trouble> {
    const list: T[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MOST; page++) {
        const answer = await read(cursor);
        if (!answer.ok) return answer.trouble;
        list.push(...answer.value.data);
        if (!answer.value.page.hasMore || answer.value.page.next === null) break;
        cursor = answer.value.page.next;
    }
    return list;
}

function troubleOf(value: unknown): Trouble | null {
    return value !== null && typeof value === 'object' && 'status' in value && 'title' in value
        ? (value as Trouble)
        : null;
}

interface Source {
    w: string;
    c: string;
    v: string | null;
    end: AbortController;
    timer: ReturnType<typeof setTimeout> | undefined;
    tookMs: number;
    /** something happened while it was read */
    again: boolean;
    reading: boolean;
    /** its squashes were not read, or there is a new one */
    squashed: boolean;
}

let source: Source | null = null;

/** Whose calls of models are of interest: those who wrote here, and those who work for them. */
function agentsOf(lanes: Lanes): string[] {
    const names = new Set<string>();
    for (const lane of lanes.values()) {
        if (lane.delegation?.agent) names.add(lane.delegation.agent);
        for (const item of lane.items)
            if (item.kind === 'agent_message' && item.sender) names.add(item.sender);
    }
    return [...names];
}

async function readSpent(s: Source, lanes: Lanes): Promise<void> {
    const calls: ModelCall[] = [];
    for (const name of agentsOf(lanes).slice(0, 32)) {
        const got = await listCalls(s.w, name, { limit: PAGE }, { signal: s.end.signal });
        if (got.ok) calls.push(...got.value.data.filter(call => call.chatId === s.c));
    }
    if (s === source) data.value = { ...data.value, spent: spentByLane(lanes, calls) };
}

/** They stand for what they stand for: only a new one is a reason to read them again. */
async function readSquashes(s: Source): Promise<ReadonlyMap<string, Squash>> {
    if (!s.squashed) return data.value.squashes;
    s.squashed = false;
    const o = { signal: s.end.signal };
    const made = await all<Squash>(cursor => listSquashes(s.w, s.c, { limit: PAGE, cursor }, o));
    if (Array.isArray(made)) return new Map(made.map(one => [one.resultMessageId, one]));
    s.squashed = true;
    return data.value.squashes;
}

async function read(s: Source): Promise<void> {
    s.reading = true;
    s.again = false;
    const began = performance.now();
    const o = { signal: s.end.signal };
    const [timeline, delegations, squashes] = await Promise.all([
        getTimeline(s.w, s.c, { threadId: s.v ?? undefined }, o),
        all<Delegation>(cursor => listDelegations(s.w, { chatId: s.c, limit: PAGE, cursor }, o)),
        readSquashes(s),
    ]);
    s.reading = false;
    s.tookMs = performance.now() - began;
    if (s !== source || s.end.signal.aborted) return;
    const trouble = timeline.ok ? troubleOf(delegations) : timeline.trouble;
    if (timeline.ok && !trouble) {
        const lanes = lanesOf(timeline.value, delegations as Delegation[], squashes.values());
        data.value = { ...data.value, lanes, squashes, trouble: null, loaded: true, heardAt: Date.now() };
        if (!s.again) void readSpent(s, lanes);
    } else {
        data.value = { ...data.value, trouble };
    }
    if (s.again) plan(s);
}

function plan(s: Source): void {
    if (s.reading) {
        s.again = true;
        return;
    }
    if (s.timer !== undefined) return;
    s.timer = setTimeout(
        () => {
            s.timer = undefined;
            void read(s);
        },
        Math.max(LEAST_MS, s.tookMs * 3),
    );
}

export function readAgain(): void {
    if (source) plan(source);
}

const NEWS = [
    'message.created',
    'message.completed',
    'message.failed',
    'message.withdrawn',
    'tool.started',
    'tool.completed',
    'tool.failed',
    'delegation.started',
    'delegation.completed',
    'delegation.failed',
    'delegation.cancelled',
    'thread.created',
    'thread.switched',
    'summary.created',
    'squash.completed',
    'world.idle',
    'chat.updated',
] as const;

/** Reads it, and follows it until the answer is called. */
export function follow(w: string, c: string, v: string | null): () => void {
    const s: Source = {
        w,
        c,
        v,
        end: new AbortController(),
        timer: undefined,
        tookMs: 0,
        again: false,
        reading: false,
        squashed: true,
    };
    source = s;
    data.value = nothing;
    void read(s);
    const ends = NEWS.map(name =>
        on(name, e => {
            if (e.chatId !== c) return;
            if (name === 'squash.completed') s.squashed = true;
            plan(s);
        }),
    );
    ends.push(
        on('stream.reset', () => {
            s.squashed = true;
            plan(s);
        }),
    );
    return () => {
        ends.forEach(end => end());
        clearTimeout(s.timer);
        s.end.abort();
        if (source === s) source = null;
    };
}
