// state.ts: what a person set in the tree: filter, words to find, folds. The panel beside it looks at the same.

import { computed, signal } from '@preact/signals';
import { focused } from '../../store/focus';
import { prefs } from '../../store/prefs';
import { place } from '../../store/place';
import { world } from '../../store/store';
import { ancestors, kept, matches, rowsOf, type Filter, type Row, type Show } from './model';
import { foldsOf, loading, tree } from './data';

export const show = signal<Show>('all');
export const agent = signal('');
export const words = signal('');
export const foldTick = signal(0);
/** The thread whose export or Mermaid text is shown; root null: the whole conversation. */
export const exporting = signal<{ root: string | null; mermaid: boolean } | null>(null);

function chatId(): string {
    const p = place.value;
    return p.kind === 'chat' ? p.c : '';
}

/** Who leads: whom others report to; where nobody does, those who report to nobody. */
function leads(): string[] {
    const all = Object.values(world.value?.agents ?? {});
    const named = new Set(all.map(a => a.lead).filter(name => name !== null));
    return all.filter(a => (named.size > 0 ? named.has(a.name) : a.lead === null)).map(a => a.name);
}

export const filter = computed<Filter>(() => ({
    show: show.value,
    agent: agent.value,
    hideInMemory: prefs.value.hideInMemory,
    leads: leads(),
}));

const left = computed(() => (loading.value, kept(tree(), filter.value)));

export const rows = computed<Row[]>(
    () => (foldTick.value, loading.value, rowsOf(tree(), foldsOf(chatId()), left.value)),
);

export const found = computed<string[]>(() => (loading.value, matches(tree(), left.value, words.value)));

export const focusIndex = computed(() => rows.value.findIndex(r => r.leaf.id === focused.value));

export function fold(id: string, closed: boolean): void {
    const folds = foldsOf(chatId());
    if (closed) folds.add(id);
    else folds.delete(id);
    foldTick.value++;
}

export function foldAll(closed: boolean): void {
    const folds = foldsOf(chatId());
    folds.clear();
    if (closed) for (const leaf of tree().leaves.values()) if (leaf.children.length > 0) folds.add(leaf.id);
    foldTick.value++;
}

/** Goes to a row, unfolding what hides it. */
export function reveal(id: string): void {
    const folds = foldsOf(chatId());
    for (const above of ancestors(tree(), id)) folds.delete(above);
    foldTick.value++;
    focused.value = id;
}

export function step(by: number): void {
    const all = rows.value;
    if (all.length === 0) return;
    const at = focusIndex.value;
    const to = at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + by));
    focused.value = all[to]!.leaf.id;
}

export function toEdge(last: boolean): void {
    const all = rows.value;
    const row = last ? all[all.length - 1] : all[0];
    if (row) focused.value = row.leaf.id;
}

export function current(): Row | null {
    return rows.value[focusIndex.value] ?? null;
}

export function toParent(): void {
    const parent = current()?.leaf.parent;
    if (parent) reveal(parent);
}

export function toChild(): void {
    const row = current();
    if (!row || row.open === null) return;
    if (!row.open) fold(row.leaf.id, false);
    step(1);
}

/** The next answer to the same message; after the last one the first again. */
export function toSibling(): void {
    const row = current();
    if (!row) return;
    const beside = rows.value.filter(r => r.leaf.parent === row.leaf.parent);
    const next = beside[row.pos % beside.length];
    if (next) focused.value = next.leaf.id;
}

/** → opens, then goes in; ← folds, then goes out: as in every tree. */
export function goRight(): void {
    const row = current();
    if (row?.open === false) fold(row.leaf.id, false);
    else if (row?.open) step(1);
}

export function goLeft(): void {
    const row = current();
    if (row?.open) fold(row.leaf.id, true);
    else toParent();
}

/** To the match before or after the row with the focus. */
export function toMatch(by: 1 | -1): void {
    const all = found.value;
    if (all.length === 0) return;
    const at = focused.value === null ? -1 : all.indexOf(focused.value);
    const to = at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length;
    reveal(all[to]!);
}
