// inline.tsx: what stands inside a line. Only the kinds of this table become elements; all else is text.

import type { ComponentChildren } from 'preact';
import type { MarkedToken, Token, Tokens } from 'marked';
import { plain } from './plain';
import { safeAddress, unescaped } from './safe';

/** Nesting that no honest text has; below it the source is shown, so that nothing recurses without end. */
export const DEEPEST = 24;

function Outside({
    address,
    title,
    children,
}: {
    address: string;
    title?: string;
    children: ComponentChildren;
}) {
    return (
        <a href={address} title={title} rel="noopener noreferrer" target="_blank">
            {children}
        </a>
    );
}

function linkOf(t: Tokens.Link, depth: number): ComponentChildren {
    const address = safeAddress(t.href);
    const children = inline(t.tokens, depth);
    // Where the address is not opened it is shown: a reader sees what the text hides.
    if (address === null)
        return (
            <span class="md-dead">
                {children}
                {t.text === t.href ? null : plain(` (${t.href.slice(0, 200)})`)}
            </span>
        );
    return (
        <Outside address={address} title={t.title || address}>
            {children}
        </Outside>
    );
}

function imageOf(t: Tokens.Image): ComponentChildren {
    const address = safeAddress(t.href);
    const words = plain(unescaped(t.text) || 'image');
    if (address === null) return <span class="md-dead">{words}</span>;
    // Never loaded: a picture would tell its server who reads this.
    return (
        <Outside address={address} title={`Image, not loaded: ${address}`}>
            🖼 {words}
        </Outside>
    );
}

function one(token: Token, depth: number): ComponentChildren {
    if (depth > DEEPEST) return plain(token.raw);
    const t = token as MarkedToken;
    switch (t.type) {
        case 'text':
            return t.tokens ? inline(t.tokens, depth + 1) : plain(unescaped(t.text));
        case 'escape':
            return plain(unescaped(t.text));
        case 'strong':
            return <strong>{inline(t.tokens, depth + 1)}</strong>;
        case 'em':
            return <em>{inline(t.tokens, depth + 1)}</em>;
        case 'del':
            return <del>{inline(t.tokens, depth + 1)}</del>;
        case 'codespan':
            return <code>{plain(t.text)}</code>;
        case 'br':
            return <br />;
        case 'link':
            return linkOf(t, depth + 1);
        case 'image':
            return imageOf(t);
        case 'checkbox':
            return null;
        default:
            return plain(t.raw);
    }
}

export function inline(tokens: Token[] | undefined, depth: number): ComponentChildren {
    return tokens?.map(token => one(token, depth));
}
