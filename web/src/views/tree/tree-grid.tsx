import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { focused } from '../../store/focus';
import { useNarrow } from '../shared/narrow';
import type { Row } from './model';
import { focusIndex, goLeft, goRight, rows, step, toEdge, words } from './state';
import { rowId, TreeRow } from './tree-row';

/** Rows in the page, however many there are. */
const MOST = 200;

/** The row that stays where it is on screen when rows come or go above it. */
interface Anchor {
    id: string;
    offset: number;
}

function windowAt(top: number, height: number, rowHeight: number, count: number): number {
    const spare = Math.max(0, Math.floor((MOST - Math.ceil(height / rowHeight)) / 2));
    return Math.max(0, Math.min(Math.floor(top / rowHeight) - spare, count - MOST));
}

function anchorOf(box: HTMLElement, all: readonly Row[], height: number): Anchor | null {
    const at = focusIndex.peek();
    const top = at * height;
    const seen = at >= 0 && top + height > box.scrollTop && top < box.scrollTop + box.clientHeight;
    const index = seen ? at : Math.ceil(box.scrollTop / height);
    const row = all[index];
    return row ? { id: row.leaf.id, offset: index * height - box.scrollTop } : null;
}

/** Keeps the place of the reader, and brings the row with the focus into view. */
function useScroll(height: number) {
    const box = useRef<HTMLDivElement>(null);
    const anchor = useRef<Anchor | null>(null);
    const first = useSignal(0);
    const all = rows.value;
    const at = focusIndex.value;
    const slide = () => {
        const view = box.current;
        if (!view) return;
        first.value = windowAt(view.scrollTop, view.clientHeight, height, all.length);
        anchor.current = anchorOf(view, all, height);
    };
    useLayoutEffect(() => {
        const view = box.current;
        const kept = anchor.current;
        const index = kept ? all.findIndex(r => r.leaf.id === kept.id) : -1;
        if (view && kept && index >= 0) view.scrollTop = index * height - kept.offset;
        slide();
    }, [all, height]);
    useLayoutEffect(() => {
        const view = box.current;
        if (!view || at < 0) return;
        const top = at * height;
        if (top < view.scrollTop) view.scrollTop = top;
        else if (top + height > view.scrollTop + view.clientHeight)
            view.scrollTop = top + height - view.clientHeight;
        slide();
    }, [focused.value, at >= 0]);
    return { box, first: Math.min(first.value, Math.max(0, all.length - 1)), slide };
}

const MOVES: Record<string, (page: number) => void> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    PageDown: page => step(page),
    PageUp: page => step(-page),
    Home: () => toEdge(false),
    End: () => toEdge(true),
    ArrowRight: goRight,
    ArrowLeft: goLeft,
};

export function TreeGrid({ label, onOpen }: { label: string; onOpen: (id: string) => void }) {
    const height = useNarrow() ? 44 : 32;
    const { box, first, slide } = useScroll(height);
    const all = rows.value;
    const shown = all.slice(first, first + MOST);
    const active = all[focusIndex.value];
    const key = (event: KeyboardEvent) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
        const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 320) / height) - 1);
        if (event.key === 'Enter' && active) onOpen(active.leaf.id);
        else if (MOVES[event.key]) MOVES[event.key]!(page);
        else return;
        event.preventDefault();
    };
    return (
        <div
            ref={box}
            class="tree-grid"
            role="treegrid"
            aria-label={label}
            aria-rowcount={all.length}
            aria-colcount={3}
            tabIndex={0}
            aria-activedescendant={active && shown.includes(active) ? rowId(active.leaf.id) : undefined}
            onScroll={slide}
            onKeyDown={key}
            onFocus={() => {
                if (focusIndex.peek() < 0) step(0);
            }}
        >
            <div class="tree-all" role="presentation" style={{ height: `${all.length * height}px` }}>
                <div
                    class="tree-window"
                    role="presentation"
                    style={{ transform: `translateY(${first * height}px)` }}
                >
                    {shown.map((row, at) => (
                        <TreeRow
                            key={row.leaf.id}
                            row={row}
                            index={first + at}
                            height={height}
                            words={words.value}
                            onOpen={onOpen}
                        />
                    ))}
                </div>
            </div>
        </div>
    );
}
