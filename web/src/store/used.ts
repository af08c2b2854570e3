// used.ts: how often a command was chosen in this browser, so that a list can have the frequent ones first.

import { keep, kept } from './keep';

const KEY = 'skein.used';

function counts(): Record<string, number> {
    const value = kept(KEY);
    return value !== null && typeof value === 'object' ? (value as Record<string, number>) : {};
}

export function timesUsed(id: string): number {
    const n = counts()[id];
    return typeof n === 'number' ? n : 0;
}

export function countUse(id: string): void {
    keep(KEY, { ...counts(), [id]: timesUsed(id) + 1 });
}
