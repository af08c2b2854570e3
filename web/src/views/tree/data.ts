// data.ts: the threads of the conversation that is shown: read in pages, kept up to date by events.

import { signal } from '@preact/signals';
import { getTree } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { Message } from '../../api/types';
import { on } from '../../store/store';
import { addMessage, addNodes, emptyTree, FIELDS, rootOf, type Tree } from './model';

export interface Loading {
    /** grows with every change of the tree, which is changed in place */
    tick: number;
    total: number;
    /** null: all is here; else how many are */
    had: number | null;
    trouble: Trouble | null;
    /** more than is read by itself: the person may ask for the rest */
    paused: boolean;
}

const PAGE = 500;
/** Pages that are read without being asked for: a conversation of a million should not fill a telephone. */
const PAGES_AT_ONCE = 60;
/** After the last event of a thread, how long until the server is asked what it makes of it. */
const SETTLE_MS = 600;

export const loading = signal<Loading>({ tick: 0, total: 0, had: 0, trouble: null, paused: false });
/** What the person folded, by conversation; kept while the page lives. */
const folds = new Map<string, Set<string>>();

interface Source {
    w: string;
    c: string;
    v: string | null;
    tree: Tree;
    cursor: string | undefined;
    whole: boolean;
    dirty: Set<string>;
    end: AbortController;
    timer: ReturnType<typeof setTimeout> | undefined;
}

let source: Source | null = null;

export function tree(): Tree {
    return source?.tree ?? emptyTree();
}

export function foldsOf(c: string): Set<string> {
    const known = folds.get(c) ?? new Set<string>();
    folds.set(c, known);
    return known;
}

function tell(s: Source, more: Partial<Loading>): void {
    if (s !== source) return;
    loading.value = { ...loading.value, ...more, tick: loading.value.tick + 1 };
}

async function readPages(s: Source, into: Tree): Promise<boolean> {
    for (let page = 0; page < PAGES_AT_ONCE; page++) {
        const answer = await getTree(
            s.w,
            s.c,
            { threadId: s.v ?? undefined, fields: FIELDS, limit: PAGE, cursor: s.cursor },
            { signal: s.end.signal },
        );
        if (s.end.signal.aborted) return false;
        if (!answer.ok) {
            tell(s, { trouble: answer.trouble });
            return false;
        }
        addNodes(into, answer.value.data);
        s.cursor = answer.value.page.next ?? undefined;
        s.whole = !answer.value.page.hasMore;
        if (into === s.tree) {
            const had = s.whole ? null : into.leaves.size;
            tell(s, { trouble: null, had, total: answer.value.page.total ?? into.leaves.size });
        }
        if (s.whole) return true;
    }
    tell(s, { paused: true });
    return true;
}

/** Goes on with reading: after a failure, or when the person wants the rest. */
export function readOn(): void {
    if (!source || source.whole) return;
    tell(source, { trouble: null, paused: false });
    void readPages(source, source.tree);
}

/** Another version is shown: what is on screen stays until the new threads are here. */
async function readAgain(s: Source): Promise<void> {
    s.end.abort();
    s.end = new AbortController();
    s.cursor = undefined;
    const fresh = emptyTree();
    if (!(await readPages(s, fresh))) return;
    s.tree = fresh;
    s.dirty.clear();
    tell(s, { trouble: null, had: s.whole ? null : fresh.leaves.size, total: fresh.leaves.size });
}

async function settle(s: Source): Promise<void> {
    const roots = new Set([...s.dirty].map(id => rootOf(s.tree, id)));
    s.dirty.clear();
    for (const root of roots) {
        if (root === null) continue;
        const answer = await getTree(
            s.w,
            s.c,
            { root, fields: FIELDS, limit: PAGE },
            { signal: s.end.signal },
        );
        if (answer.ok && !s.end.signal.aborted) addNodes(s.tree, answer.value.data);
    }
    tell(s, {});
}

function said(s: Source, m: Message): void {
    const parent = m.replyToMessageId;
    if (!addMessage(s.tree, m)) return;
    s.dirty.add(m.messageId);
    if (parent !== null) s.dirty.add(parent);
    clearTimeout(s.timer);
    s.timer = setTimeout(() => void settle(s), SETTLE_MS);
    tell(s, { total: loading.value.total + 1 });
}

/** Messages that another program stored come without events of their own: only the count tells. */
async function compare(s: Source): Promise<void> {
    if (!s.whole) return;
    const answer = await getTree(s.w, s.c, { limit: 1, fields: 'messageId' }, { signal: s.end.signal });
    if (answer.ok && s === source && answer.value.page.total !== s.tree.leaves.size) void readAgain(s);
}

function listen(s: Source): () => void {
    const mine = (e: { chatId: string | null }) => e.chatId === s.c && s.v === null;
    const message = (e: {
        chatId: string | null;
        data: Message & { threadPath?: string; queued?: boolean };
    }) => {
        if (mine(e) && !e.data.threadPath && !e.data.queued && s.whole) said(s, e.data);
    };
    const again = (e: { chatId: string | null }) => {
        if (mine(e)) void readAgain(s);
    };
    const ends = [
        on('message.created', message),
        on('message.completed', message),
        on('thread.created', again),
        on('thread.switched', again),
        on('chat.updated', e => {
            if (mine(e)) void compare(s);
        }),
        on('stream.reset', () => void readAgain(s)),
    ];
    return () => ends.forEach(end => end());
}

/** Reads the threads of a version, and follows them until the answer is called. */
export function follow(w: string, c: string, v: string | null): () => void {
    const s: Source = {
        w,
        c,
        v,
        tree: emptyTree(),
        cursor: undefined,
        whole: false,
        dirty: new Set(),
        end: new AbortController(),
        timer: undefined,
    };
    source = s;
    loading.value = { tick: loading.value.tick + 1, total: 0, had: 0, trouble: null, paused: false };
    void readPages(s, s.tree);
    const quiet = listen(s);
    return () => {
        quiet();
        clearTimeout(s.timer);
        s.end.abort();
        if (source === s) source = null;
    };
}
