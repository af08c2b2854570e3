// model.ts: the versions of a conversation: who was made from whom, what is on the way to now, and where each is drawn.

import type { Diff, Message, Thread } from '../../api/types';
import { count, firstLine, grouped, messages } from '../shared/words';

/** A version that exists; only a dry run has none of these. */
export interface Version extends Thread {
    threadId: string;
    version: string;
}

export type Standing = 'now' | 'way' | 'side';

export const SHAPES: Record<Standing, { shape: string; word: string }> = {
    now: { shape: '◉', word: 'now' },
    way: { shape: '●', word: 'on the way to now' },
    side: { shape: '○', word: 'side line' },
};

export function isVersion(t: Thread): t is Version {
    return t.threadId !== null && t.version !== null;
}

/** Ids of the current version and of all that it was made from. */
export function wayToNow(versions: readonly Version[]): Set<string> {
    const byId = new Map(versions.map(v => [v.threadId, v]));
    const way = new Set<string>();
    let at = versions.find(v => v.current);
    while (at && !way.has(at.threadId)) {
        way.add(at.threadId);
        at = at.originalThread === null ? undefined : byId.get(at.originalThread);
    }
    return way;
}

export function standing(v: Version, way: ReadonlySet<string>): Standing {
    return v.current ? 'now' : way.has(v.threadId) ? 'way' : 'side';
}

const OPERATIONS: Record<Thread['operation'], string> = {
    start: 'start',
    amend: 'amend',
    edit: 'edit',
    retry: 'another answer',
    delete: 'delete',
    remove: 'remove',
    insert: 'insert',
    reorder: 'reorder',
    squash: 'squash',
    restore: 'restore',
    fork: 'branch',
};

/** What a version took off the end of the one before, and what was said instead. */
export interface Cut {
    /** messages that were the same as before */
    same: number;
    removed: number;
    /** how many of the removed are results of tools */
    results: number;
    /** the first words of what a person said in its place; null: it was only a removal */
    instead: string | null;
    /** how long the version was when this was found out */
    length: number;
}

/** A text was put in the place of another. An edit in two steps begins with a removal whose note says so; whatever is
 * said after any other removal is another thing. */
export function isEdit(v: Pick<Thread, 'operation' | 'note'>): boolean {
    if (v.operation === 'remove') return (v.note ?? '').startsWith('edit from');
    return v.operation === 'amend' || v.operation === 'edit';
}

export function cutOf(v: Thread, diff: Diff): Cut {
    const gone = diff.changes
        .flatMap(c => (c.before ? [c.before] : []))
        .filter(m => m.position < v.originalLength);
    const [next] = diff.changes
        .flatMap(c => (c.after ? [c.after] : []))
        .sort((a, b) => a.position - b.position);
    return {
        same: diff.same,
        removed: gone.length,
        results: gone.filter(m => m.role === 'tool').length,
        instead: next && next.sender === 'human' && isEdit(v) ? firstLine(next.content, 60) : null,
        length: v.length,
    };
}

/** Only a comparison can tell what these did. */
export function isCut(v: Thread): boolean {
    return v.operation === 'remove' || v.operation === 'edit';
}

/** What made it, in a few words: "squash 5→1", "delete 2", "edit". */
export function operationText(v: Pick<Thread, 'operation' | 'note'>, cut?: Cut): string {
    if (v.operation === 'remove' && cut)
        return cut.instead !== null ? OPERATIONS.edit : `remove ${messages(cut.removed, cut.results)}`;
    const squashed = /^squash (\d+) to (\d+)/.exec(v.note ?? '');
    if (v.operation === 'squash' && squashed) return `squash ${squashed[1]}→${squashed[2]}`;
    const deleted = /^delete (\d+)/.exec(v.note ?? '');
    if (v.operation === 'delete' && deleted) return `delete ${deleted[1]}`;
    return OPERATIONS[v.operation];
}

/** A note that says more than the operation; notes of the program itself name ids and are left out. */
export function noteText(v: Thread, cut?: Cut): string {
    if (isCut(v) && cut?.instead) return cut.instead;
    const note = v.note ?? '';
    return /^(squash|delete|amend|remove|edit|insert|reorder|restore)\b/.test(note) ? '' : note;
}

/** "Later: 2 edits, 1 squash": what was done after a version was made. */
export function laterText(
    versions: readonly Version[],
    v: Version,
    cuts: ReadonlyMap<string, Cut> = new Map(),
): string {
    const counts = new Map<string, number>();
    for (const other of versions) {
        if (other.number <= v.number) continue;
        const edited = other.operation === 'remove' && cuts.get(other.threadId)?.instead;
        const word = OPERATIONS[edited ? 'edit' : other.operation];
        counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    const plural = (word: string, n: number) =>
        n === 1 ? word : word.endsWith('sh') || word.endsWith('ch') ? `${word}es` : `${word}s`;
    return [...counts].map(([word, n]) => `${grouped(n)} ${plural(word, n)}`).join(', ');
}

/** A branch is told from what it was made of by its name. Without a name there is nothing to tell. */
export function branchTitle(title: string | null, version: string | null): string | undefined {
    return title && version ? `${firstLine(title, 100)} (from ${version})` : undefined;
}

// --- Lengths -------------------------------------------------------------------------------------------

/** How long a version was when it was made; null: only a comparison with what it was made from can say. */
export function firstLength(v: Thread): number | null {
    const squashed = /^squash (\d+) to (\d+)/.exec(v.note ?? '');
    const deleted = /^delete (\d+)/.exec(v.note ?? '');
    switch (v.operation) {
        case 'start':
            return 0;
        case 'amend':
        case 'reorder':
            return v.originalLength;
        case 'insert':
            return v.originalLength + 1;
        case 'delete':
            return deleted ? v.originalLength - Number(deleted[1]) : null;
        case 'squash':
            return squashed ? v.originalLength - Number(squashed[1]) + Number(squashed[2]) : null;
        default:
            return null;
    }
}

/** A difference without what was said later, in either version: only what the operation itself did. */
export function ownChanges(v: Thread, diff: Diff, cut?: Cut): Diff['changes'] {
    const first = cut ? cut.same + (cut.instead !== null ? 1 : 0) : (firstLength(v) ?? Infinity);
    return diff.changes.flatMap(c => {
        const before = c.before && c.before.position < v.originalLength ? c.before : null;
        const after = c.after && c.after.position < first ? c.after : null;
        return before || after ? [{ ...c, before, after }] : [];
    });
}

/** Messages that were said in a version, up to where another was made from it; null: not known. */
export function said(
    v: Version,
    child: Version | undefined,
    first: ReadonlyMap<string, number>,
): number | null {
    const began = firstLength(v) ?? first.get(v.threadId) ?? null;
    if (began === null) return null;
    return Math.max(0, (child ? child.originalLength : v.length) - began);
}

// --- The picture ------------------------------------------------------------------------------------------

export interface Spot {
    v: Version;
    /** its place in time: oldest first */
    order: number;
    /** 0: the main line */
    lane: number;
    from: Spot | null;
    /** messages said between the version it was made from and it; null: not known, or not on the same line */
    said: number | null;
}

/** Time goes in one direction, the way to now is straight, other lines keep the order in which they began. */
export function layout(versions: readonly Version[], first: ReadonlyMap<string, number>): Spot[] {
    const way = wayToNow(versions);
    const spots = new Map<string, Spot>();
    const continued = new Set<string>();
    let lanes = 0;
    const oldestFirst = [...versions].sort((a, b) => a.number - b.number);
    oldestFirst.forEach((v, order) => {
        const from = v.originalThread === null ? null : (spots.get(v.originalThread) ?? null);
        let lane = 0;
        if (!way.has(v.threadId)) {
            // A side line goes on in its lane; whatever leaves it, or leaves the main line, begins a new one.
            const goesOn = from !== null && from.lane > 0 && !continued.has(from.v.threadId);
            lane = goesOn ? from.lane : ++lanes;
            if (goesOn) continued.add(from.v.threadId);
        }
        const along = from !== null && from.lane === lane ? said(from.v, v, first) : null;
        spots.set(v.threadId, { v, order, lane, from, said: along });
    });
    return [...spots.values()];
}

// --- Comparing -----------------------------------------------------------------------------------------------

export interface Same {
    kind: 'same';
    count: number;
    /** a message after which, or before which, the run stands in the newer version; both null: it is all of it */
    after: Message | null;
    before: Message | null;
    /** where the neighbours are: in the version compared with, or in the one compared */
    side: 'from' | 'to';
}

export interface Changed {
    kind: 'changed';
    left: Message[];
    right: Message[];
}

export type Block = Same | Changed;

/** A difference as blocks in reading order: what is the same, and what changed beside it. */
export function blocksOf(diff: Diff, fromLength: number, toLength: number): Block[] {
    const gone = new Map<number, Message>(),
        come = new Map<number, Message>();
    for (const c of diff.changes) {
        if (c.before) gone.set(c.before.position, c.before);
        if (c.after) come.set(c.after.position, c.after);
    }
    const blocks: Block[] = [];
    let i = 0,
        j = 0;
    while (i < fromLength || j < toLength) {
        const left: Message[] = [],
            right: Message[] = [];
        while (gone.has(i)) left.push(gone.get(i++)!);
        while (come.has(j)) right.push(come.get(j++)!);
        if (left.length + right.length > 0) blocks.push({ kind: 'changed', left, right });
        let count = 0;
        while (i < fromLength && j < toLength && !gone.has(i) && !come.has(j)) {
            i++;
            j++;
            count++;
        }
        if (count > 0) blocks.push({ kind: 'same', count, after: null, before: null, side: 'to' });
        else if (left.length + right.length === 0) break;
    }
    return blocks.map((block, at) =>
        block.kind === 'same' ? beside(block, blocks[at - 1], blocks[at + 1]) : block,
    );
}

/** The neighbours of a run by which it can be read from the server. */
function beside(run: Same, before: Block | undefined, after: Block | undefined): Same {
    const ends = (b: Block | undefined, side: 'left' | 'right', last: boolean) =>
        (b?.kind === 'changed' ? (last ? b[side][b[side].length - 1] : b[side][0]) : undefined) ?? null;
    const right = { after: ends(before, 'right', true), before: ends(after, 'right', false) };
    if (right.after || right.before) return { ...run, ...right, side: 'to' };
    return { ...run, after: ends(before, 'left', true), before: ends(after, 'left', false), side: 'from' };
}

/** "5 messages (2 tool results, 3 of @ada)". */
export function whoText(list: readonly Message[]): string {
    const results = list.filter(m => m.role === 'tool').length;
    // A squash counts as the words of those it stands for, and is nobody's own.
    const squashes = list.filter(m => m.squashOperationId !== null).length;
    const by = new Map<string, number>();
    for (const m of list)
        if (m.role !== 'tool' && m.squashOperationId === null) by.set(m.sender, (by.get(m.sender) ?? 0) + 1);
    const parts = [
        ...(results > 0 ? [count(results, 'tool result')] : []),
        ...(squashes > 0 ? [count(squashes, 'squash', 'squashes')] : []),
        ...[...by].map(([name, n]) =>
            name === 'human' ? `${grouped(n)} of you` : `${grouped(n)} of @${name}`,
        ),
    ];
    const all = count(list.length, 'message');
    return parts.length > 0 ? `${all} (${parts.join(', ')})` : all;
}
