// window.ts: which rows of a conversation are in the page. Only a window of them is, since a browser
// cannot keep 100 000 rows; it slides by steps when the reader comes near its edge.

/** Rows in the page at most. */
export const MOST = 250;
/** Rows that a slide moves it by. */
export const STEP = 50;
/** Rows while the reader follows the end: enough to scroll up before a slide is needed. */
export const TAIL = 100;

/** Positions in the conversation, `to` not included. With `to` Infinity it grows with the conversation until it is full. */
export interface Span {
    from: number;
    to: number;
}

/** Where it really ends. */
function endOf(span: Span, end: number): number {
    return Math.min(span.to, span.from + MOST, end);
}

/** The rows at the end. It moves by steps, so that not every new row takes an old one away. */
export function tailSpan(end: number): Span {
    return { from: Math.max(0, Math.ceil((end - TAIL) / STEP) * STEP), to: end };
}

/** Rows on both sides of a position. */
export function spanAround(position: number, end: number): Span {
    const from = Math.max(0, Math.min(position - MOST / 2, end - MOST));
    return { from, to: from + MOST };
}

/** Earlier rows come in, late ones go when there would be too many. */
export function slideUp(span: Span, end: number): Span {
    const from = Math.max(0, span.from - STEP);
    return { from, to: Math.min(endOf(span, end), from + MOST) };
}

/** Later rows come in, early ones go when there would be too many. */
export function slideDown(span: Span, end: number): Span {
    const to = Math.min(end, endOf(span, end) + STEP);
    return { from: Math.max(span.from, to - MOST), to };
}

/** Whether a position is in it. */
export function holds(span: Span, position: number, end: number): boolean {
    return position >= span.from && position < endOf(span, end);
}

/** The index of the first row at or after a position; rows are in order of their positions. */
export function indexAt(rows: readonly { position: number }[], position: number): number {
    let low = 0;
    let high = rows.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (rows[middle]!.position < position) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** What of `rows` is in the page. Never more than MOST, whatever the span says. */
export function cut<T extends { position: number }>(rows: readonly T[], span: Span): T[] {
    const from = indexAt(rows, span.from);
    const to = span.to === Infinity ? rows.length : indexAt(rows, span.to);
    return rows.slice(from, Math.min(to, from + MOST));
}
