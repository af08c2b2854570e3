// scroll-math.ts: where the scroll position goes, as plain arithmetic.

/** Nearer to the end than this, the reader follows what is written. */
export const NEAR_END = 80;
/** Nearer to an edge of the window than this, it slides. */
export const EDGE = 600;

export interface Box {
    top: number;
    height: number;
    /** of all that can be scrolled */
    content: number;
}

export function toTheEnd(b: Box): number {
    return b.content - b.height - b.top;
}

/** Whether the reader follows after a move: any move up ends it, reaching the end begins it. */
export function follows(now: Box, movedBy: number, was: boolean): boolean {
    // A box that got taller is cut off at its end by the browser: a move up that nobody made.
    if (toTheEnd(now) <= 1) return true;
    if (movedBy < -0.5) return false;
    if (movedBy > 0.5 && toTheEnd(now) <= NEAR_END) return true;
    return was;
}

/** The edge that the reader comes near, if any. */
export function edge(b: Box): 'top' | 'end' | null {
    if (b.top < EDGE) return 'top';
    if (toTheEnd(b) < EDGE) return 'end';
    return null;
}

/** The first of `count` rows that ends below `line`; rows stand one below the other. */
export function firstBelow(count: number, bottomOf: (n: number) => number, line: number): number {
    let low = 0;
    let high = count;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (bottomOf(middle) <= line) low = middle + 1;
        else high = middle;
    }
    return low;
}

/** Where to scroll so that a row is seen whole, or its beginning when it is taller; null: it is already. */
export function intoView(
    b: Box,
    rowTop: number,
    rowHeight: number,
    above: number,
    below: number,
): number | null {
    const room = b.height - above - below;
    const first = b.top + above;
    const last = b.top + b.height - below;
    if (rowTop >= first && rowTop + Math.min(rowHeight, room) <= last + 0.5) return null;
    if (rowTop < first || rowHeight > room) return rowTop - above;
    return rowTop + rowHeight - b.height + below;
}

/** The newest row that is seen: the last of `count` that begins above `line`. -1: none does. */
export function lastAbove(count: number, topOf: (n: number) => number, line: number): number {
    for (let n = count - 1; n >= 0; n--) if (topOf(n) < line) return n;
    return -1;
}
