// scroll.ts: the one owner of the scroll position. Nothing else in the page sets it, so following the end,
// keeping the reader's line and jumping cannot fight.

import { signal, type Signal } from '@preact/signals';
import { edge, firstBelow, follows, intoView, toTheEnd, type Box } from './scroll-math';

export interface Scroll {
    /** the end is kept in sight */
    following: Signal<boolean>;
    /** the end is in sight, followed or not */
    seesEnd: Signal<boolean>;
    /** the first row that is seen */
    top: Signal<string | null>;
    attach(log: HTMLElement, onEdge: (which: 'top' | 'end') => void): () => void;
    /** rows are about to change: remembers the reader's line */
    before(): void;
    /** rows have changed: puts the reader's line back */
    after(): void;
    toEnd(): void;
    /** 'seen': no further than needed; 'top': to the upper edge; a number: that far below the edge */
    toRow(id: string, where: 'seen' | 'top' | number): boolean;
    /** how far a row is below the upper edge */
    offsetOf(id: string): number | null;
    unfollow(): void;
}

interface Anchor {
    id: string;
    /** of the row, in the content: independent of how far it is scrolled */
    at: number;
    scrollTop: number;
}

const MARGIN = 12;
/** The pill stands there: it must not hide what has the focus. */
const BELOW = 56;

export function createScroll(): Scroll {
    const following = signal(true);
    const seesEnd = signal(true);
    const top = signal<string | null>(null);
    let log: HTMLElement | null = null;
    let anchor: Anchor | null = null;
    /** the position that was seen last: what differs from it was moved by the reader, or cut by the browser */
    let last = 0;
    let tellEdge: (which: 'top' | 'end') => void = () => {};

    const rows = () => log!.querySelectorAll<HTMLElement>('[data-row]');
    const rowOf = (id: string) => log?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`) ?? null;
    const boxOf = (): Box => ({ top: log!.scrollTop, height: log!.clientHeight, content: log!.scrollHeight });
    const place = (row: HTMLElement) =>
        row.getBoundingClientRect().top - log!.getBoundingClientRect().top + log!.scrollTop;

    function set(to: number): void {
        if (Math.abs(log!.scrollTop - to) > 0.25) log!.scrollTop = to;
        last = log!.scrollTop;
    }
    function note(): void {
        if (!log) return;
        const all = rows();
        const line = log.getBoundingClientRect().top + 1;
        const n = firstBelow(all.length, i => all[i]!.getBoundingClientRect().bottom, line);
        const row = all[Math.min(n, all.length - 1)];
        anchor = row ? { id: row.dataset.row!, at: place(row), scrollTop: log.scrollTop } : null;
        top.value = anchor?.id ?? null;
        seesEnd.value = toTheEnd(boxOf()) <= 1;
    }
    /** Puts what is being read where it was. The browser may have cut the position, so it is counted from ours. */
    function settle(from: number): void {
        if (!log) return;
        if (following.value) {
            set(log.scrollHeight);
        } else {
            const row = anchor && rowOf(anchor.id);
            if (row) set(from + place(row) - anchor!.at);
        }
        note();
    }
    function onScroll(): void {
        const now = boxOf();
        following.value = follows(now, now.top - last, following.value);
        last = now.top;
        note();
        const which = edge(now);
        if (which) tellEdge(which);
    }
    function onWheel(e: WheelEvent): void {
        if (e.deltaY < 0 && log && log.scrollTop > 0) following.value = false;
    }
    function attach(element: HTMLElement, onEdge: typeof tellEdge): () => void {
        log = element;
        tellEdge = onEdge;
        anchor = null;
        // Text that grows, colours that come late, a composer that gets taller: all end here, before they are painted.
        const watch = new ResizeObserver(() => settle(log!.scrollTop));
        watch.observe(element);
        const content = element.querySelector('[data-content]');
        if (content) watch.observe(content);
        element.addEventListener('scroll', onScroll, { passive: true });
        element.addEventListener('wheel', onWheel, { passive: true });
        return () => {
            watch.disconnect();
            element.removeEventListener('scroll', onScroll);
            element.removeEventListener('wheel', onWheel);
            log = null;
        };
    }
    function toRow(id: string, where: 'seen' | 'top' | number): boolean {
        const row = rowOf(id);
        if (!row || !log) return false;
        const at = place(row);
        const to =
            where === 'top'
                ? at - MARGIN
                : where === 'seen'
                  ? intoView(boxOf(), at, row.offsetHeight, MARGIN, BELOW)
                  : at - where;
        if (to !== null) {
            following.value = false;
            set(to);
            note();
        }
        return true;
    }
    return {
        following,
        seesEnd,
        top,
        attach,
        toRow,
        before: () => {
            if (log && !following.value) note();
        },
        after: () => settle(anchor?.scrollTop ?? 0),
        toEnd: () => {
            following.value = true;
            if (log) settle(log.scrollTop);
        },
        offsetOf: id => {
            const row = rowOf(id);
            return row && log ? place(row) - log.scrollTop : null;
        },
        unfollow: () => {
            following.value = false;
            note();
        },
    };
}
