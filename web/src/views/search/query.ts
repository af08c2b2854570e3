// query.ts: the words and conditions of a search, as the server reads them (src/api/api_search.c).

import { listed } from '../shared/words';

export const KEYS = [
    'from',
    'to',
    'in',
    'agent',
    'role',
    'tag',
    'model',
    'version',
    'before',
    'after',
    'near',
    'thread',
    'reply-to',
    'children-of',
] as const;
export const CONDITIONS = [
    'is:unreplied',
    'is:memory-only',
    'is:edited',
    'is:squashed',
    'is:background',
    'is:failed',
    'has:tool',
    'has:code',
    'has:link',
] as const;

export interface Word {
    text: string;
    /** a condition, not something to find in the text */
    filter: boolean;
}

/** What stands in quotes belongs to one word. */
export function words(q: string): Word[] {
    const found = q.match(/(?:[^\s"]|"[^"]*"?)+/g) ?? [];
    return found.map(text => ({ text, filter: isFilter(text) }));
}

function isFilter(text: string): boolean {
    if ((CONDITIONS as readonly string[]).includes(text)) return true;
    const colon = text.indexOf(':');
    return colon > 0 && colon < text.length - 1 && (KEYS as readonly string[]).includes(text.slice(0, colon));
}

export const filters = (q: string): string[] =>
    words(q)
        .filter(w => w.filter)
        .map(w => w.text);

export function without(q: string, word: string): string {
    let gone = false;
    return words(q)
        .map(w => w.text)
        .filter(t => {
            const drop = !gone && t === word;
            gone ||= drop;
            return !drop;
        })
        .join(' ');
}

export function has(q: string, word: string): boolean {
    return words(q).some(w => w.text === word);
}

export function toggled(q: string, word: string): string {
    return has(q, word) ? without(q, word) : [...words(q).map(w => w.text), word].join(' ');
}

/** One value for a key: `from:ada` takes the place of `from:bo`; '' removes it. */
export function withKey(q: string, key: string, value: string): string {
    const rest = words(q)
        .map(w => w.text)
        .filter(t => !t.startsWith(`${key}:`));
    const quoted = /\s/.test(value) ? `"${value}"` : value;
    return (value ? [...rest, `${key}:${quoted}`] : rest).join(' ');
}

/** Why the server would not take it, in words; null: it may. */
export function wrongWith(q: string): string | null {
    const wrong = words(q).find(w => /^(is|has):/.test(w.text) && !w.filter);
    if (!wrong) return null;
    const kind = wrong.text.slice(0, wrong.text.indexOf(':') + 1);
    const known = CONDITIONS.filter(c => c.startsWith(kind));
    return `There is no filter ${wrong.text}. The filters are ${listed(known)}.`;
}

const isExcluded = (w: Word): boolean => w.text.startsWith('-') && w.text.length > 1;
const bare = (text: string): string => text.replaceAll('"', '').replace(/\*$/, '');

/** What to mark in a text: plain words, phrases without their quotes, prefixes without their star. */
export function terms(q: string): string[] {
    return words(q)
        .filter(w => !w.filter && !isExcluded(w))
        .map(w => bare(w.text))
        .filter(t => t !== '');
}

/** What must not be in a text. */
export function excluded(q: string): string[] {
    return words(q)
        .filter(isExcluded)
        .map(w => bare(w.text.slice(1)))
        .filter(t => t !== '');
}
