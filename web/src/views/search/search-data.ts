// search-data.ts: asking while somebody types: the last question counts, earlier ones are given up.

import { useEffect, useRef, useState } from 'preact/hooks';
import { searchWorld } from '../../api/calls';
import type { Result, Trouble } from '../../api/client';
import type { Hit, Message } from '../../api/types';
import type { WorldState } from '../../store/state';
import { state } from '../../store/store';
import { excluded, filters, terms, wrongWith } from './query';

export interface Found {
    hits: Hit[];
    next: string | null;
    /** how long the server took */
    ms: number;
    trouble: Trouble | null;
    busy: boolean;
    /** the question that the hits answer */
    q: string;
    more: () => void;
    /** the same question once more */
    again: () => void;
}

/** Whether what stands in archived conversations is found. */
export type Archived = 'with' | 'without' | 'only';

export interface Question {
    q: string;
    /** null: all worlds */
    world: string | null;
    current: boolean;
    archived: Archived;
}

const PAUSE_MS = 150;
const LIMIT = 100;

interface Page {
    hits: Hit[];
    next: string | null;
}

/** A hit does not say which world it is of: one world is asked at a time, so that each can be opened. */
async function askOne(
    { q, current, archived }: Question,
    world: string,
    cursor: string | undefined,
    signal: AbortSignal,
): Promise<Result<Page>> {
    const query = {
        q,
        limit: LIMIT,
        ...(current ? { current } : {}),
        ...(archived === 'with' ? {} : { archived: archived === 'only' }),
        ...(cursor ? { cursor } : {}),
    };
    const result = await searchWorld(world, query, { signal });
    if (!result.ok) return result;
    return {
        ...result,
        value: { hits: result.value.data.map(h => ({ ...h, world })), next: result.value.page.next },
    };
}

/** The cursor of several worlds is that of each. */
async function ask(question: Question, cursor: string | null, signal: AbortSignal): Promise<Result<Page>> {
    const at: Record<string, string> | null = cursor ? JSON.parse(cursor) : null;
    const names = at
        ? Object.keys(at)
        : question.world
          ? [question.world]
          : state.peek().worlds.map(w => w.name);
    const all = await Promise.all(names.map(n => askOne(question, n, at?.[n], signal)));
    const bad = all.find(r => !r.ok);
    if (bad) return bad;
    const pages = all.flatMap((r, i) => (r.ok ? [{ name: names[i] ?? '', page: r.value }] : []));
    const rest = pages.flatMap(({ name, page }) => (page.next ? [[name, page.next]] : []));
    const hits = pages.flatMap(p => p.page.hits).sort((a, b) => b.createdAt.localeCompare(a.createdAt));
    return {
        ok: true,
        status: 200,
        etag: null,
        value: { hits, next: rest.length > 0 ? JSON.stringify(Object.fromEntries(rest)) : null },
    };
}

/** As the server would say it; what is known to be wrong is not asked. */
function refused(detail: string): Trouble {
    return {
        status: 400,
        type: '/problems/validation',
        title: 'This search is not valid',
        detail,
        errors: [{ pointer: '/q', detail }],
    };
}

export function useSearch(question: Question): Found {
    const nothing = {
        hits: [] as Hit[],
        next: null as string | null,
        ms: 0,
        trouble: null as Trouble | null,
        q: '',
    };
    const [found, setFound] = useState(nothing);
    const [busy, setBusy] = useState(false);
    const asking = useRef<AbortController | null>(null);

    async function run(cursor: string | null, given: AbortController): Promise<void> {
        const began = performance.now();
        const result = await ask(question, cursor, given.signal);
        if (given.signal.aborted) return;
        setBusy(false);
        if (!result.ok) {
            setFound({ ...nothing, trouble: result.trouble, q: question.q });
            return;
        }
        const { hits, next } = result.value;
        setFound(was => ({
            hits: cursor ? [...was.hits, ...hits] : hits,
            next,
            ms: performance.now() - began,
            trouble: null,
            q: question.q,
        }));
    }
    useEffect(() => {
        asking.current?.abort();
        if (question.q.trim() === '') {
            setFound(nothing);
            setBusy(false);
            return undefined;
        }
        const wrong = wrongWith(question.q);
        if (wrong !== null) {
            setFound({ ...nothing, trouble: refused(wrong), q: question.q });
            setBusy(false);
            return undefined;
        }
        const given = new AbortController();
        asking.current = given;
        setBusy(true);
        const timer = setTimeout(() => void run(null, given), PAUSE_MS);
        return () => {
            clearTimeout(timer);
            given.abort();
        };
    }, [question.q, question.world, question.current, question.archived]);

    function askNow(cursor: string | null): void {
        if (busy) return;
        const given = new AbortController();
        asking.current = given;
        setBusy(true);
        void run(cursor, given);
    }
    return {
        ...found,
        busy,
        more: () => {
            if (found.next) askNow(found.next);
        },
        again: () => askNow(null),
    };
}

/** Conditions that need the server. */
export const unchecked = (q: string): string[] => filters(q).filter(f => !f.startsWith('from:'));

function senders(q: string): string[] {
    return filters(q)
        .filter(f => f.startsWith('from:'))
        .map(f => f.slice(5).replaceAll('"', '').replace(/^@/, '').toLowerCase())
        .map(name => (name === 'me' || name === 'you' ? 'human' : name));
}

function holds(
    m: Message,
    wanted: readonly string[],
    unwanted: readonly string[],
    from: readonly string[],
): boolean {
    const text = m.content.toLowerCase();
    return (
        wanted.every(t => text.includes(t)) &&
        !unwanted.some(t => text.includes(t)) &&
        from.every(name => m.sender.toLowerCase() === name)
    );
}

/** Without the server: what this page has in memory of the open world, newest first. */
export function searchHere(known: WorldState | null, q: string): Hit[] {
    const wanted = terms(q).map(t => t.toLowerCase());
    const from = senders(q);
    if (!known || (wanted.length === 0 && from.length === 0)) return [];
    const unwanted = excluded(q).map(t => t.toLowerCase());
    const hits = Object.values(known.chat).flatMap(c =>
        c.rows
            .filter(m => holds(m, wanted, unwanted, from))
            .map((m): Hit => ({
                ...m,
                world: known.world.name,
                title: c.chat.title,
                mode: c.chat.mode,
                version: c.chat.version,
                inCurrent: true,
                archived: c.chat.archived,
                snippet: null,
            })),
    );
    return hits.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
}
