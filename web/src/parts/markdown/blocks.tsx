// blocks.tsx: paragraphs, lists, tables and code as elements. Only the kinds of this table; all else is text.

import type { ComponentChildren, VNode } from 'preact';
import type { MarkedToken, Token, Tokens } from 'marked';
import { CodeBlock } from '../code';
import { DEEPEST, inline } from './inline';
import { plain } from './plain';

const MOST_CELLS = 4000;
const MOST_COLUMNS = 100;

// Headings of a message stand below the page's own, or they would tear its outline apart.
function heading(t: Tokens.Heading, depth: number): VNode {
    const Tag = `h${Math.min(6, t.depth + 3)}` as 'h4' | 'h5' | 'h6';
    return <Tag class={`md-h${t.depth}`}>{inline(t.tokens, depth)}</Tag>;
}

function cell(c: Tokens.TableCell, depth: number, Tag: 'th' | 'td'): VNode {
    return <Tag class={c.align ? `md-${c.align}` : undefined}>{inline(c.tokens, depth)}</Tag>;
}

function table(t: Tokens.Table, depth: number): VNode {
    const columns = Math.min(t.header.length, MOST_COLUMNS);
    const rows = t.rows.slice(0, Math.max(1, Math.floor(MOST_CELLS / Math.max(1, columns))));
    const hidden = t.rows.length - rows.length;
    return (
        <div class="md-table" role="region" aria-label="Table" tabIndex={0}>
            <table>
                <thead>
                    <tr>{t.header.slice(0, columns).map(c => cell(c, depth, 'th'))}</tr>
                </thead>
                <tbody>
                    {rows.map(row => (
                        <tr>{row.slice(0, columns).map(c => cell(c, depth, 'td'))}</tr>
                    ))}
                </tbody>
            </table>
            {hidden > 0 || t.header.length > columns ? (
                <p class="md-more">{`${hidden} more rows and ${t.header.length - columns} more columns are in the text.`}</p>
            ) : null}
        </div>
    );
}

function item(t: Tokens.ListItem, depth: number, open: boolean): VNode {
    const box = t.task ? (
        <span class="md-task" role="img" aria-label={t.checked ? 'done' : 'open'}>
            {t.checked ? '☑' : '☐'}{' '}
        </span>
    ) : null;
    return (
        <li class={t.task ? 'md-task-item' : undefined}>
            {box}
            {blocks(t.tokens, depth, open)}
        </li>
    );
}

function list(t: Tokens.List, depth: number, open: boolean): VNode {
    const items = t.items.map((i, n) => item(i, depth + 1, open && n === t.items.length - 1));
    if (!t.ordered) return <ul>{items}</ul>;
    return <ol start={typeof t.start === 'number' && t.start !== 1 ? t.start : undefined}>{items}</ol>;
}

function lines(text: string): VNode {
    return <p class="md-raw">{plain(text.replace(/\n+$/, ''))}</p>;
}

/** `open`: it may still grow, so nothing is spent on making it pretty. */
export function block(token: Token, depth: number, open: boolean): ComponentChildren {
    if (depth > DEEPEST) return lines(token.raw);
    const t = token as MarkedToken;
    switch (t.type) {
        case 'space':
        case 'def':
        case 'checkbox':
            return null;
        case 'paragraph':
            return <p>{inline(t.tokens, depth)}</p>;
        case 'text':
            return t.tokens ? inline(t.tokens, depth) : plain(t.text);
        case 'heading':
            return heading(t, depth);
        case 'code':
            return <CodeBlock text={t.text} lang={t.lang ?? ''} open={open} />;
        case 'hr':
            return <hr />;
        case 'blockquote':
            return <blockquote>{blocks(t.tokens, depth + 1, open)}</blockquote>;
        case 'list':
            return list(t, depth, open);
        case 'table':
            return table(t, depth);
        case 'html':
            return lines(t.raw);
        default:
            return lines(t.raw);
    }
}

export function blocks(tokens: Token[], depth: number, open: boolean): ComponentChildren {
    return tokens.map((t, n) => block(t, depth, open && n === tokens.length - 1));
}
