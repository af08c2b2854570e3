// args.tsx: what a tool was called with, as people read it: a line for each argument.

import { plain } from '../../parts/markdown/plain';
import { firstLine, grouped } from './words';
import './args.css';

const LINES_MOST = 4;
const VALUE_MOST = 80;

function shortValue(value: unknown): string {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
    const line = firstLine(text, VALUE_MOST);
    return line.endsWith('…') || line === text.trim() ? line : `${line}…`;
}

/** [name, value] of each argument, cut to a line. What is not an object has no names. */
export function argLines(args: unknown): [string, string][] {
    if (args === null || typeof args !== 'object') return [];
    return Object.entries(args).map(([name, value]) => [name, shortValue(value)]);
}

/** Whether the lines leave anything out. What is not an object has no lines. */
export function isCut(args: unknown): boolean {
    if (args === null || typeof args !== 'object') return args !== null && args !== undefined && args !== '';
    const whole = (value: unknown) =>
        typeof value === 'string' ? value.trim() : (JSON.stringify(value) ?? '');
    const lines = argLines(args);
    return (
        lines.length > LINES_MOST || Object.values(args).some((value, n) => lines[n]?.[1] !== whole(value))
    );
}

/** Short: the rest, and all as it was sent, is behind a fold beside it. */
export function ArgLines({ args }: { args: unknown }) {
    const all = argLines(args);
    const more = all.length - LINES_MOST;
    return (
        <span class="args">
            {all.slice(0, LINES_MOST).map(([name, value]) => (
                <span key={name} class="args-line" dir="auto">
                    <b>{plain(name, true)}:</b> {plain(value, true)}
                </span>
            ))}
            {more > 0 && <span class="args-line muted">and {grouped(more)} more</span>}
        </span>
    );
}
