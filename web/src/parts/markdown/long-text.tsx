// long-text.tsx: texts that are too long to be read as Markdown: the beginning, and all of it when asked for,
// in a box of its own.

import { useState } from 'preact/hooks';
import { plain } from './plain';

/** Characters; a book's chapter. More than that is data, not something that somebody wrote. */
export const TOO_LONG = 60_000;
const SHOWN = 4_000;
const PIECE = 8_000;

function sizeOf(text: string): string {
    const bytes = new Blob([text]).size;
    return bytes >= 1_000_000 ? `${(bytes / 1_000_000).toFixed(1)} MB` : `${Math.round(bytes / 1000)} kB`;
}

/** Pieces, cut at line ends where there are some: layout of a million characters in one box takes seconds. */
export function pieces(text: string, size: number = PIECE): string[] {
    const cut: string[] = [];
    for (let from = 0; from < text.length;) {
        let to = Math.min(text.length, from + size);
        const line = to < text.length ? text.lastIndexOf('\n', to - 1) : -1;
        if (line > from) to = line + 1;
        // Half of a surrogate pair would be shown as a broken character.
        else if (to < text.length && /[\udc00-\udfff]/.test(text[to]!)) to--;
        cut.push(text.slice(from, to));
        from = to;
    }
    return cut;
}

export function LongText({ text }: { text: string }) {
    const [all, setAll] = useState(false);
    const button = (
        <button type="button" class="md-all" onClick={() => setAll(!all)}>
            {all ? 'Show less' : `Show all ${sizeOf(text)}`}
        </button>
    );
    if (!all) {
        return (
            <div class="md md-long" dir="auto">
                <p class="md-raw">{plain(text.slice(0, SHOWN))}…</p>
                {button}
            </div>
        );
    }
    return (
        <div class="md md-long" dir="auto">
            <div class="md-box" role="region" aria-label="The whole text" tabIndex={0}>
                {pieces(text).map(p => (
                    <p class="md-raw md-piece">{plain(p)}</p>
                ))}
            </div>
            {button}
        </div>
    );
}
