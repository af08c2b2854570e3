// markdown.tsx: the text of a message as elements. There is no HTML in between: what is not in the tables
// of blocks.tsx and inline.tsx is shown as the text that it is.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Token } from 'marked';
import './markdown.css';
import { block } from './blocks';
import { LongText, TOO_LONG } from './long-text';
import { NOTHING, read, type Reading } from './lex';

interface Drawn {
    raw: string;
    links: string;
    open: boolean;
    node: ComponentChildren;
}

/** More blocks than a person would write are a flood: what follows them is shown as text. */
const MOST_BLOCKS = 500;

function capped(tokens: Token[]): Token[] {
    if (tokens.length <= MOST_BLOCKS) return tokens;
    const raw = tokens
        .slice(MOST_BLOCKS)
        .map(t => t.raw)
        .join('');
    return [...tokens.slice(0, MOST_BLOCKS), { type: 'html', raw, text: raw, pre: false, block: true }];
}

/** The elements of each block; one that did not change is the same object, which Preact does not look into. */
function draw(reading: Reading, live: boolean, before: Drawn[]): Drawn[] {
    const tokens = capped(reading.tokens);
    const last = tokens.findLastIndex(t => t.type !== 'space');
    return tokens.map((token, n) => {
        const open = live && n === last;
        const known = before[n];
        if (known && known.raw === token.raw && known.links === reading.links && known.open === open)
            return known;
        return { raw: token.raw, links: reading.links, open, node: block(token, 0, open) };
    });
}

/** `live`: the text still grows. */
export function Markdown({ text, live = false }: { text: string; live?: boolean }) {
    const reading = useRef<Reading>(NOTHING);
    const drawn = useRef<Drawn[]>([]);
    if (text.length > TOO_LONG) return <LongText text={text} />;
    reading.current = read(reading.current, text, live);
    drawn.current = draw(reading.current, live, drawn.current);
    return (
        <div class={live ? 'md md-live' : 'md'} dir="auto">
            {drawn.current.map(d => d.node)}
        </div>
    );
}
