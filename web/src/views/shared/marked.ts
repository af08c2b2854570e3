// marked.ts: cutting a text into what was looked for and the rest.

export interface Piece {
    text: string;
    hit: boolean;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A word is found from its first letter on: "and" is not in "hand". */
const atWord = (term: string): string =>
    /^[\p{L}\p{N}]/u.test(term) ? `(?<![\\p{L}\\p{N}_])${escaped(term)}` : escaped(term);

/** Cuts a text into what was searched for and what was not; `words`: only where a word begins. */
export function marked(text: string, found: readonly string[], words = false): Piece[] {
    if (found.length === 0) return [{ text, hit: false }];
    // Longer ones first, so that a phrase is not cut by one of its words.
    const all = [...found]
        .sort((a, b) => b.length - a.length)
        .map(words ? atWord : escaped)
        .join('|');
    const pieces = text.split(new RegExp(`(${all})`, 'giu'));
    return pieces.map((t, i) => ({ text: t, hit: i % 2 === 1 })).filter(p => p.text !== '');
}
