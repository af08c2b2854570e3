// lex.ts: text to blocks, again and again while it grows, without reading its closed part again.

import { Lexer, type Links, type Token } from 'marked';

/** What was read of a text that grows. */
export interface Reading {
    text: string;
    tokens: Token[];
    /** how much of `text` the first `kept` tokens are; they can no longer change */
    kept: number;
    keptLength: number;
    /** the addresses that `[names]` stand for: when they change, closed blocks do too */
    links: string;
}

const OPTIONS = { gfm: true, breaks: true } as const;
// A line like `[name]: address` changes blocks that came before it.
const DEFINES = /^[> \t]*(?:[-*+] |\d+[.)] )*\[[^\]\n]+\]:/m;
// Nested deeper than this the lexer would go through the same text once for each level.
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){25}/m;

export const NOTHING: Reading = { text: '', tokens: [], kept: 0, keptLength: 0, links: '' };

function normal(text: string): string {
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function asText(text: string): Token[] {
    return [{ type: 'html', raw: text, text, pre: false, block: true }];
}

function lexed(text: string): { tokens: Token[]; links: Links } {
    if (TOO_DEEP.test(text)) return { tokens: asText(text), links: {} };
    try {
        const tokens = Lexer.lex(text, OPTIONS);
        return { tokens, links: tokens.links };
    } catch {
        // The lexer gives up on some texts that are made to break it; they are shown as they are.
        return { tokens: asText(text), links: {} };
    }
}

/** Tokens that no later text can change: those before the last two, where a blank line closes them. */
function closed(tokens: Token[]): number {
    let solid = 0;
    for (let n = tokens.length - 1; n > 0; n--) {
        if (tokens[n]!.type === 'space') continue;
        solid++;
        if (solid >= 3 && /\n[ \t]*\n$/.test(tokens[n - 1]!.raw)) return n;
    }
    return 0;
}

/** Reads `text`. What `before` read of it is used when the text only grew. */
export function read(before: Reading, given: string, growing: boolean): Reading {
    const text = normal(given);
    if (growing && text === before.text) return before;
    const goesOn =
        growing &&
        before.kept > 0 &&
        before.links === '' &&
        text.startsWith(before.text) &&
        !DEFINES.test(text);
    const head = goesOn ? before.tokens.slice(0, before.kept) : [];
    const from = goesOn ? before.keptLength : 0;
    const { tokens, links } = lexed(text.slice(from));
    const all = goesOn ? [...head, ...tokens] : tokens;
    const names = Object.keys(links).length > 0 ? JSON.stringify(links) : '';
    const kept = growing && names === '' ? head.length + closed(tokens) : 0;
    const added = all.slice(head.length, kept).reduce((sum, t) => sum + t.raw.length, 0);
    return { text, tokens: all, kept, keptLength: from + added, links: names };
}
