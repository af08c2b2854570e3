// plain.tsx: text as it is, with the characters that would reorder or hide their neighbours made visible. Which those are is
// the same in the terminal and in exports: see src/base/clean.c, which also says why.

import type { ComponentChildren } from 'preact';

const CONTROLS = '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f';
const HIDDEN =
    '\\u00ad\\u180e\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}' +
    '\\u{e0000}-\\u{e007f}\\u200b\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}';
// Texts have these; what a person is to agree to has no need of them.
const MARKS = '\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200c-\\u200f';
// What is not seen, but belongs to the character before it: the tags of a flag, a selector, and where a line may end in scripts
// without blanks.
const BELONGS = [
    '\\u{1f3f4}[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}',
    '[\\u0e00-\\u109f\\u1780-\\u17ff\\u1950-\\u1aaf]\\u200b',
    '.[\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}]',
];
const BELONGS_AGREED = [
    '[\\u0300-\\u{10ffff}][\\ufe0e\\ufe0f]?[\\u200c\\u200d]',
    '[#*0-9\\u00a9-\\u{10ffff}][\\ufe0e\\ufe0f]',
];

// The first group is what is shown by its number; what only the rest finds is left alone.
const inText = new RegExp(`([${CONTROLS}${HIDDEN}])|${BELONGS.join('|')}`, 'gu');
const inAgreed = new RegExp(`([${CONTROLS}${HIDDEN}${MARKS}])|${BELONGS_AGREED.join('|')}`, 'gu');
const REORDERS = /[\u202a-\u202e\u2066-\u2069]/;
const CONTROL = new RegExp(`[${CONTROLS}]`, 'u');

function nameOf(character: string): string {
    return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

function titleOf(character: string): string {
    if (REORDERS.test(character)) return `${nameOf(character)}: would change the order of what follows`;
    return `${nameOf(character)}: ${CONTROL.test(character) ? 'a control character' : 'cannot be seen'}`;
}

/** Children for an element that shows `text`; with `agreed`, one that a person is to agree to. */
export function plain(text: string, agreed = false): ComponentChildren {
    const parts: ComponentChildren[] = [];
    let from = 0;
    for (const found of text.matchAll(agreed ? inAgreed : inText)) {
        if (found[1] === undefined) continue;
        parts.push(
            text.slice(from, found.index),
            <span class="md-control" title={titleOf(found[1])}>
                {nameOf(found[1])}
            </span>,
        );
        from = found.index + found[0].length;
    }
    if (from === 0) return text;
    parts.push(text.slice(from));
    return parts;
}

/** The same for what a person is to agree to, where only text can stand. */
export function spelledOut(text: string): string {
    return text.replace(inAgreed, (all, unseen?: string) =>
        unseen === undefined ? all : `<${nameOf(unseen)}>`,
    );
}
