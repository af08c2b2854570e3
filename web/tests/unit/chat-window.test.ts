// The window of rows and the arithmetic of scrolling.

import { describe, expect, it } from 'vitest';
import {
    MOST,
    STEP,
    TAIL,
    cut,
    holds,
    indexAt,
    slideDown,
    slideUp,
    spanAround,
    tailSpan,
    type Span,
} from '../../src/views/chat/window';
import {
    EDGE,
    NEAR_END,
    edge,
    firstBelow,
    lastAbove,
    follows,
    intoView,
    toTheEnd,
} from '../../src/views/chat/scroll-math';

const rows = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({ position: from + n }));

describe('the window of rows', () => {
    it('finds a position by halving, as by looking at each', () => {
        const list = [2, 3, 5, 9, 10].map(position => ({ position }));
        for (let p = 0; p < 13; p++) {
            const slow = list.findIndex(r => r.position >= p);
            expect(indexAt(list, p)).toBe(slow < 0 ? list.length : slow);
        }
        expect(indexAt([], 3)).toBe(0);
    });
    it('at the end holds the last rows, and moves by steps', () => {
        for (const end of [0, 1, 99, 100, 101, 150, 151, 1000, 100_000]) {
            const list = cut(rows(0, end), tailSpan(end));
            expect(list.length).toBeLessThanOrEqual(TAIL + STEP);
            expect(list.length).toBeGreaterThanOrEqual(Math.min(end, TAIL - STEP));
            expect(list.at(-1)?.position).toBe(end === 0 ? undefined : end - 1);
        }
        expect(tailSpan(1000).from).toBe(tailSpan(991).from);
        expect(tailSpan(1000).from).not.toBe(tailSpan(950).from);
    });
    it('never holds more than it may, whatever it slides to', () => {
        const end = 1000;
        let span: Span = tailSpan(end);
        const seen = new Set<number>();
        for (let n = 0; n < 60; n++) {
            span = slideUp(span, end);
            expect(span.to - span.from).toBeLessThanOrEqual(MOST);
            for (const r of cut(rows(0, end), span)) seen.add(r.position);
        }
        expect(span.from).toBe(0);
        for (let n = 0; n < 60; n++) {
            const before = span;
            span = slideDown(span, end);
            expect(span.to - span.from).toBeLessThanOrEqual(MOST);
            // Something of before stays, or the reader would have no line to hold on to.
            expect(span.from).toBeLessThan(before.to);
        }
        expect(span.to).toBe(end);
        expect(seen.size).toBe(end);
    });
    it('is cut to its most rows when the span is wider', () => {
        expect(cut(rows(0, 5000), { from: 0, to: Infinity }).length).toBe(MOST);
        expect(cut(rows(0, 5000), { from: 0, to: 5000 }).length).toBe(MOST);
        expect(cut(rows(0, 5000), { from: 4990, to: Infinity }).at(-1)?.position).toBe(4999);
    });
    it('that has no end grows until it is full, and slides from where it really ends', () => {
        expect(holds({ from: 100, to: Infinity }, 349, 1000)).toBe(true);
        expect(holds({ from: 100, to: Infinity }, 350, 1000)).toBe(false);
        expect(slideDown({ from: 100, to: Infinity }, 1000)).toEqual({ from: 150, to: 400 });
        expect(slideDown({ from: 100, to: Infinity }, 300)).toEqual({ from: 100, to: 300 });
        expect(slideUp({ from: 100, to: Infinity }, 1000)).toEqual({ from: 50, to: 300 });
    });
    it('stands around a position, also near the ends and when rows begin later', () => {
        for (const p of [0, 10, 500, 990, 999]) {
            const list = cut(rows(0, 1000), spanAround(p, 1000));
            expect(list.some(r => r.position === p)).toBe(true);
            expect(list.length).toBe(MOST);
        }
        expect(cut(rows(400, 600), spanAround(500, 600)).some(r => r.position === 500)).toBe(true);
    });
});

describe('scrolling', () => {
    const box = (top: number) => ({ top, height: 500, content: 2000 });
    it('follows when the end is reached, and stops at any move up', () => {
        expect(toTheEnd(box(1500))).toBe(0);
        expect(follows(box(1500), 100, false)).toBe(true);
        expect(follows(box(1500 - NEAR_END), 10, false)).toBe(true);
        expect(follows(box(1500 - NEAR_END - 1), 10, false)).toBe(false);
        expect(follows(box(1490), -10, true)).toBe(false);
        // The browser cuts the position when the box grows: nobody moved.
        expect(follows(box(1500), -120, true)).toBe(true);
        expect(follows(box(1490), 0, true)).toBe(true);
        expect(follows(box(700), 0, false)).toBe(false);
    });
    it('knows the edge that is near', () => {
        expect(edge({ top: EDGE - 1, height: 500, content: 9000 })).toBe('top');
        expect(edge({ top: 4000, height: 500, content: 9000 })).toBe(null);
        expect(edge({ top: 9000 - 500 - EDGE + 1, height: 500, content: 9000 })).toBe('end');
    });
    it('finds the first row below a line', () => {
        const bottoms = [10, 20, 20, 35, 90];
        for (let line = 0; line < 100; line++) {
            const slow = bottoms.findIndex(b => b > line);
            expect(firstBelow(bottoms.length, n => bottoms[n]!, line)).toBe(slow < 0 ? bottoms.length : slow);
        }
    });
    it('moves no further than needed, and shows the beginning of what is too tall', () => {
        expect(intoView(box(100), 150, 50, 10, 50)).toBe(null);
        expect(intoView(box(100), 90, 50, 10, 50)).toBe(80);
        expect(intoView(box(100), 540, 50, 10, 50)).toBe(540 + 50 - 500 + 50);
        expect(intoView(box(100), 500, 900, 10, 50)).toBe(490);
        expect(intoView(box(100), 110, 900, 10, 50)).toBe(null);
    });
});

describe('the newest row that is seen', () => {
    const tops = [0, 100, 200, 300];
    const at = (line: number) => lastAbove(tops.length, n => tops[n]!, line);
    it('is the last that begins on screen, not the first', () => {
        expect([at(1000), at(250), at(200), at(1)]).toEqual([3, 2, 1, 0]);
    });
    it('is none where nothing is', () => {
        expect([at(0), lastAbove(0, () => 0, 100)]).toEqual([-1, -1]);
    });
});
