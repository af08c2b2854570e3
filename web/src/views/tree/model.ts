// model.ts: the reply threads of a version as data: what answers what, which rows are on screen, what matches.

import type { Message, Node } from '../../api/types';

/** A message in its thread, with only what a row shows: a conversation may hold a hundred thousand. */
export interface Leaf {
    id: string;
    parent: string | null;
    depth: number;
    role: Message['role'];
    sender: string;
    /** what is shown and searched; long texts are cut */
    text: string;
    at: string;
    /** it names a parent that this version does not hold */
    orphan: boolean;
    /** it replaces others: a squash wrote it, requested by anybody */
    squash: boolean;
    unanswered: boolean;
    memoryOnly: boolean;
    /** why it ends before its end */
    unfinished: Message['unfinished'];
    tools: number;
    /** messages below it, at any depth */
    below: number;
    children: string[];
}

export interface Tree {
    leaves: Map<string, Leaf>;
    roots: string[];
}

/** Beyond this a text is neither shown in a row nor searched. */
const TEXT_MOST = 4000;

export const FIELDS =
    'messageId,role,sender,content,replyToMessageId,parentMessageId,depth,replyCount,unanswered,' +
    'memoryOnly,hasReply,toolCalls,createdAt,unfinished,purged,squashOperationId';

export function emptyTree(): Tree {
    return { leaves: new Map(), roots: [] };
}

function textOf(m: Pick<Message, 'content' | 'purged' | 'toolCalls'>): string {
    if (m.purged) return '(erased)';
    if (m.content) return m.content.slice(0, TEXT_MOST);
    return m.toolCalls.length > 0 ? `calls ${m.toolCalls.map(t => t.toolName).join(', ')}` : '(no text)';
}

function grow(tree: Tree, from: string | null, by: number): void {
    for (let id = from; id !== null;) {
        const leaf = tree.leaves.get(id);
        if (!leaf) return;
        leaf.below += by;
        id = leaf.parent;
    }
}

function place(tree: Tree, leaf: Leaf): void {
    tree.leaves.set(leaf.id, leaf);
    const parent = leaf.parent === null ? undefined : tree.leaves.get(leaf.parent);
    if (parent) {
        parent.children.push(leaf.id);
    } else {
        leaf.parent = null;
        tree.roots.push(leaf.id);
    }
}

/** Counts new leaves, which come parents first, from the last to the first: once up the tree for all of them. */
function count(tree: Tree, fresh: readonly Leaf[]): void {
    const isNew = new Set(fresh.map(leaf => leaf.id));
    const older = new Map<string, number>();
    for (let at = fresh.length - 1; at >= 0; at--) {
        const { parent, below } = fresh[at]!;
        if (parent === null) continue;
        if (isNew.has(parent)) tree.leaves.get(parent)!.below += below + 1;
        else older.set(parent, (older.get(parent) ?? 0) + below + 1);
    }
    for (const [id, more] of older) grow(tree, id, more);
}

/** Adds nodes that come parents first; what is known already is brought up to date where it stands. */
export function addNodes(tree: Tree, nodes: readonly Node[]): void {
    const fresh: Leaf[] = [];
    for (const n of nodes) {
        const known = tree.leaves.get(n.messageId);
        if (known) {
            known.unanswered = n.unanswered;
            known.memoryOnly = n.memoryOnly;
            continue;
        }
        fresh.push({
            id: n.messageId,
            parent: n.parentMessageId,
            depth: n.parentMessageId === null ? 0 : (tree.leaves.get(n.parentMessageId)?.depth ?? -1) + 1,
            role: n.role,
            sender: n.sender,
            text: textOf(n),
            at: n.createdAt,
            orphan: n.parentMessageId === null && n.replyToMessageId !== null,
            squash: Boolean(n.squashOperationId),
            unanswered: n.unanswered,
            memoryOnly: n.memoryOnly,
            unfinished: n.unfinished,
            tools: n.toolCalls.length,
            below: 0,
            children: [],
        });
        place(tree, fresh[fresh.length - 1]!);
    }
    count(tree, fresh);
}

/** Adds what was just said. Whether it stays unanswered is the server's to say; the thread is read again for that. */
export function addMessage(tree: Tree, m: Message): boolean {
    if (tree.leaves.has(m.messageId)) return false;
    const wanted = m.shownReplyToMessageId ?? m.replyToMessageId;
    const parent = wanted === null ? undefined : tree.leaves.get(wanted);
    if (parent) parent.unanswered = parent.memoryOnly = false;
    place(tree, {
        id: m.messageId,
        parent: parent ? parent.id : null,
        depth: parent ? parent.depth + 1 : 0,
        role: m.role,
        sender: m.sender,
        text: textOf(m),
        at: m.createdAt,
        orphan: wanted !== null && !parent,
        squash: Boolean(m.squashOperationId),
        unanswered: false,
        memoryOnly: false,
        unfinished: m.unfinished,
        tools: m.toolCalls.length,
        below: 0,
        children: [],
    });
    grow(tree, parent?.id ?? null, 1);
    return true;
}

export function rootOf(tree: Tree, id: string): string | null {
    let leaf = tree.leaves.get(id);
    while (leaf && leaf.parent !== null) leaf = tree.leaves.get(leaf.parent);
    return leaf?.id ?? null;
}

/** Those above it, nearest first. */
export function ancestors(tree: Tree, id: string): string[] {
    const above: string[] = [];
    for (let leaf = tree.leaves.get(id); leaf && leaf.parent !== null; leaf = tree.leaves.get(leaf.parent)) {
        above.push(leaf.parent);
    }
    return above;
}

// --- Filters -------------------------------------------------------------------------------------

export type Show = 'all' | 'main' | 'unanswered' | 'mine' | 'agent' | 'memory' | 'tools';

export interface Filter {
    show: Show;
    /** of `agent`: whose */
    agent: string;
    hideInMemory: boolean;
    /** of `main`: who leads */
    leads: readonly string[];
}

export const SHOWS: readonly { id: Show; label: string }[] = [
    { id: 'all', label: 'All threads' },
    { id: 'main', label: 'Main thread only' },
    { id: 'unanswered', label: 'Unanswered' },
    { id: 'mine', label: 'Only replies to me' },
    { id: 'agent', label: 'One agent' },
    { id: 'memory', label: 'In-memory only' },
    { id: 'tools', label: 'With tool calls' },
];

function fits(tree: Tree, leaf: Leaf, f: Filter): boolean {
    switch (f.show) {
        case 'all':
        case 'main':
            return true;
        case 'unanswered':
            return leaf.unanswered;
        case 'mine':
            return (
                leaf.sender !== 'human' &&
                leaf.parent !== null &&
                tree.leaves.get(leaf.parent)?.sender === 'human'
            );
        case 'agent':
            return leaf.sender === f.agent;
        case 'memory':
            return leaf.memoryOnly;
        case 'tools':
            return leaf.tools > 0 || leaf.role === 'tool';
    }
}

function onMain(leaf: Leaf, f: Filter): boolean {
    return (
        leaf.parent === null ||
        leaf.sender === 'human' ||
        (f.leads.includes(leaf.sender) && leaf.role !== 'tool')
    );
}

/** What the filter leaves: null is everything, else `true` for what fits and `false` for what only leads to it. */
export function kept(tree: Tree, f: Filter): Map<string, boolean> | null {
    if (f.show === 'all' && !f.hideInMemory) return null;
    const left = new Map<string, boolean>();
    for (const leaf of tree.leaves.values()) {
        if (f.hideInMemory && leaf.memoryOnly && f.show !== 'memory') continue;
        if (f.show === 'main') {
            if (onMain(leaf, f) && (leaf.parent === null || left.has(leaf.parent))) left.set(leaf.id, true);
        } else if (fits(tree, leaf, f)) {
            left.set(leaf.id, true);
            for (let up = leaf.parent; up !== null && !left.has(up); up = tree.leaves.get(up)?.parent ?? null)
                left.set(up, false);
        }
    }
    return left;
}

// --- Rows ----------------------------------------------------------------------------------------

export interface Row {
    leaf: Leaf;
    /** 1: the first level */
    level: number;
    pos: number;
    size: number;
    /** null: nothing below it */
    open: boolean | null;
    /** bit d: the line of level d goes on below this row */
    lines: number;
    /** it is here only because of what is below it */
    dim: boolean;
}

/** More bars than this say nothing; the row says its depth instead. */
export const BARS = 6;

/** All rows in order. Without recursion, for threads are as deep as people make them. */
export function rowsOf(tree: Tree, folded: ReadonlySet<string>, left: Map<string, boolean> | null): Row[] {
    const rows: Row[] = [];
    const seen = (ids: readonly string[]) => (left ? ids.filter(id => left.has(id)) : ids);
    const stack: { ids: readonly string[]; next: number; lines: number }[] = [
        { ids: seen(tree.roots), next: 0, lines: 0 },
    ];
    while (stack.length > 0) {
        const top = stack[stack.length - 1]!;
        const id = top.ids[top.next++];
        if (id === undefined) {
            stack.pop();
            continue;
        }
        const leaf = tree.leaves.get(id)!;
        const level = stack.length;
        const below = seen(leaf.children);
        const more = top.next < top.ids.length && level > 1 && level - 2 < BARS;
        const lines = more ? top.lines | (1 << (level - 2)) : top.lines;
        const open = below.length > 0 ? !folded.has(id) : null;
        rows.push({
            leaf,
            level,
            pos: top.next,
            size: top.ids.length,
            open,
            lines,
            dim: left?.get(id) === false,
        });
        if (open) stack.push({ ids: below, next: 0, lines });
    }
    return rows;
}

/** Ids of what holds the words, in the order of the tree, folded or not. */
export function matches(tree: Tree, left: Map<string, boolean> | null, words: string): string[] {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return [];
    const open = new Set<string>();
    return rowsOf(tree, open, left)
        .filter(r => r.leaf.text.toLowerCase().includes(wanted) || `@${r.leaf.sender}` === wanted)
        .map(r => r.leaf.id);
}

/** Median time from a message to its first answer, in milliseconds; null: nothing was answered. */
export function medianReply(tree: Tree): number | null {
    const waits: number[] = [];
    for (const leaf of tree.leaves.values()) {
        const first = leaf.children.map(id => tree.leaves.get(id)!).find(c => c.role !== 'tool');
        const wait = first ? Date.parse(first.at) - Date.parse(leaf.at) : NaN;
        if (wait >= 0) waits.push(wait);
    }
    waits.sort((a, b) => a - b);
    const middle = waits.length >> 1;
    if (waits.length === 0) return null;
    return waits.length % 2 ? waits[middle]! : (waits[middle - 1]! + waits[middle]!) / 2;
}
