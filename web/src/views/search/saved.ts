// saved.ts: searches that a person keeps, in this browser.

import { signal } from '@preact/signals';
import { keep, kept } from '../../store/keep';

export interface SavedSearch {
    name: string;
    q: string;
    /** a world's name; null: all worlds */
    world: string | null;
}

const KEY = 'skein.searches';
const MOST = 50;

function read(): SavedSearch[] {
    const value = kept(KEY);
    if (!Array.isArray(value)) return [];
    return value.filter(
        (s): s is SavedSearch =>
            s !== null && typeof s === 'object' && typeof s.name === 'string' && typeof s.q === 'string',
    );
}

export const saved = signal<SavedSearch[]>(read());
saved.subscribe(list => keep(KEY, list.length > 0 ? list : null));

/** A name is used once: the same again replaces it. */
export function save(one: SavedSearch): void {
    saved.value = [one, ...saved.value.filter(s => s.name !== one.name)].slice(0, MOST);
}

export function forget(name: string): void {
    saved.value = saved.value.filter(s => s.name !== name);
}
