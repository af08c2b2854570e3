// plain.tsx: text as it is, with the characters that would reorder or hide their neighbours made visible.

import type { ComponentChildren } from 'preact';

// Embeddings, overrides and isolates of Unicode's bidirectional algorithm, and control characters. The
// marks U+200E and U+200F stay: right-to-left texts need them, and they move nothing but themselves.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g;
const REORDERS = /[\u202a-\u202e\u2066-\u2069]/;

function nameOf(character: string): string {
    return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Children for an element that shows `text`. */
export function plain(text: string): ComponentChildren {
    if (text.search(UNSEEN) < 0) return text;
    const parts: ComponentChildren[] = [];
    let from = 0;
    for (const found of text.matchAll(UNSEEN)) {
        const name = nameOf(found[0]);
        const title = REORDERS.test(found[0])
            ? `${name}: would change the order of what follows`
            : `${name}: a control character`;
        parts.push(
            text.slice(from, found.index),
            <span class="md-control" title={title}>
                {name}
            </span>,
        );
        from = found.index + found[0].length;
    }
    parts.push(text.slice(from));
    return parts;
}
