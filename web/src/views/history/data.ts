// data.ts: the versions of the conversation that is shown, for the history, its panel and the banner.

import { signal } from '@preact/signals';
import { getDiff, listSquashes, listThreads } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { Squash } from '../../api/types';
import { on } from '../../store/store';
import { cutOf, firstLength, isCut, isVersion, type Cut, type Version } from './model';

export interface Loaded {
    key: string;
    /** newest first */
    versions: Version[];
    total: number;
    squashes: ReadonlyMap<string, Squash>;
    /** how long versions were when they were made, where only a comparison could say */
    first: ReadonlyMap<string, number>;
    /** what versions took off the end, and what was said instead */
    cuts: ReadonlyMap<string, Cut>;
    cursor: string | null;
    trouble: Trouble | null;
    loaded: boolean;
}

const nothing: Loaded = {
    key: '',
    versions: [],
    total: 0,
    squashes: new Map(),
    first: new Map(),
    cuts: new Map(),
    cursor: null,
    trouble: null,
    loaded: false,
};
export const data = signal<Loaded>(nothing);
/** The version that is looked at closely; null: the current one. */
export const picked = signal<string | null>(null);

/** Known at once, before the list has been read again. */
export function nowAt(threadId: string): void {
    if (!data.peek().versions.some(v => v.threadId === threadId)) return;
    data.value = {
        ...data.value,
        versions: data.value.versions.map(v => ({ ...v, current: v.threadId === threadId })),
    };
}

const PAGE = 200;
const REST_MS = 500;
/** Comparisons that are made only for the counts on the lines. */
const COMPARED_MOST = 60;

interface Source {
    w: string;
    c: string;
    key: string;
    end: AbortController;
    users: number;
    timer: ReturnType<typeof setTimeout> | undefined;
    quiet: () => void;
}

let source: Source | null = null;

async function readSquashes(s: Source): Promise<void> {
    const answer = await listSquashes(s.w, s.c, { limit: PAGE }, { signal: s.end.signal });
    if (!answer.ok || s !== source) return;
    const made = new Map(answer.value.data.filter(q => q.threadId !== null).map(q => [q.threadId!, q]));
    data.value = { ...data.value, squashes: made };
}

function isUnknown(v: Version): boolean {
    const { first, cuts } = data.peek();
    const cut = cuts.get(v.threadId);
    // Nothing had been said after the cut when it was looked at: what was said since may make it an edit.
    const saidSince = cut !== undefined && cut.length === cut.same && v.length > cut.length;
    return v.originalThread !== null && firstLength(v) === null && (saidSince || !first.has(v.threadId));
}

async function readFirstLengths(s: Source): Promise<void> {
    const unknown = data.peek().versions.filter(isUnknown).slice(0, COMPARED_MOST);
    for (const v of unknown) {
        const answer = await getDiff(s.w, s.c, v.threadId, {}, { signal: s.end.signal });
        if (s !== source) return;
        if (answer.ok)
            data.value = {
                ...data.value,
                first: new Map(data.value.first).set(v.threadId, answer.value.same),
                cuts: isCut(v)
                    ? new Map(data.value.cuts).set(v.threadId, cutOf(v, answer.value))
                    : data.value.cuts,
            };
    }
}

async function read(s: Source): Promise<void> {
    const answer = await listThreads(s.w, s.c, { limit: PAGE }, { signal: s.end.signal });
    if (s !== source || s.end.signal.aborted) return;
    if (!answer.ok) {
        data.value = { ...data.value, trouble: answer.trouble };
        return;
    }
    const fresh = answer.value.data.filter(isVersion);
    // Pages that the person asked for stay: versions are never removed.
    const oldest = fresh[fresh.length - 1]?.number ?? 0;
    const older = data.value.versions.filter(v => v.number < oldest).map(v => ({ ...v, current: false }));
    data.value = {
        ...data.value,
        versions: [...fresh, ...older],
        total: answer.value.page.total ?? fresh.length,
        cursor: older.length > 0 ? data.value.cursor : answer.value.page.next,
        trouble: null,
        loaded: true,
    };
    await readSquashes(s);
    await readFirstLengths(s);
}

export async function readOlder(): Promise<void> {
    const s = source;
    const { cursor } = data.value;
    if (!s || cursor === null) return;
    const answer = await listThreads(s.w, s.c, { limit: PAGE, cursor }, { signal: s.end.signal });
    if (s !== source) return;
    if (!answer.ok) {
        data.value = { ...data.value, trouble: answer.trouble };
        return;
    }
    const known = new Set(data.value.versions.map(v => v.threadId));
    const older = answer.value.data.filter(isVersion).filter(v => !known.has(v.threadId));
    data.value = {
        ...data.value,
        versions: [...data.value.versions, ...older],
        cursor: answer.value.page.next,
    };
}

export function readAgain(): void {
    if (source) void read(source);
}

/** At most once in a while: a reader that waited for the end would wait as long as agents talk. */
function plan(s: Source): void {
    s.timer ??= setTimeout(() => {
        s.timer = undefined;
        void read(s);
    }, REST_MS);
}

function begin(w: string, c: string): Source {
    const s: Source = {
        w,
        c,
        key: `${w}/${c}`,
        end: new AbortController(),
        users: 0,
        timer: undefined,
        quiet: () => {},
    };
    const news = (
        [
            'thread.created',
            'thread.switched',
            'message.created',
            'message.completed',
            'squash.completed',
            'chat.updated',
        ] as const
    ).map(name =>
        on(name, e => {
            if (e.chatId === c) plan(s);
        }),
    );
    news.push(on('stream.reset', () => plan(s)));
    news.push(
        on('thread.switched', e => {
            if (e.chatId === c) nowAt(e.data.to);
        }),
    );
    s.quiet = () => news.forEach(end => end());
    return s;
}

function finish(s: Source): void {
    s.quiet();
    clearTimeout(s.timer);
    s.end.abort();
    if (source === s) source = null;
}

/** The history, its panel and the banner look at the same list: it is read once for all of them. */
export function follow(w: string, c: string): () => void {
    if (source?.key !== `${w}/${c}`) {
        if (source) finish(source);
        source = begin(w, c);
        // A person who comes back finds the list as before, until it has been read again.
        if (data.value.key !== source.key) {
            data.value = { ...nothing, key: source.key };
            picked.value = null;
        }
        void read(source);
    }
    const s = source;
    s.users++;
    // The next view mounts before this timer expires, and finds the list unchanged.
    return () => {
        s.users--;
        setTimeout(() => {
            if (s.users === 0) finish(s);
        }, 0);
    };
}
