import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import './marks.css';

export interface WindowedRowsProps {
    count: number;
    rowHeight: number;
    render: (index: number) => ComponentChildren;
    label: string;
    role?: 'list' | 'listbox' | 'treegrid' | 'tree' | 'grid' | 'feed';
    focusIndex?: number;
    onFocus?: (index: number) => void;
    class?: string;
}

const most = 200;

/** The first row that is in the page for this scroll position: the view in the middle of the window. */
export function windowStart(top: number, height: number, rowHeight: number, count: number): number {
    const first = Math.floor(top / rowHeight);
    const seen = Math.ceil(height / rowHeight);
    const spare = Math.max(0, Math.floor((most - seen) / 2));
    return Math.max(0, Math.min(first - spare, count - most));
}

/** For tree and long lists: rows of one height, about 200 of them in the page however many there are. */
export function WindowedRows(props: WindowedRowsProps) {
    const { count, rowHeight, focusIndex } = props;
    const box = useRef<HTMLDivElement>(null);
    const start = useSignal(0);
    const slide = () => {
        const view = box.current;
        if (view) start.value = windowStart(view.scrollTop, view.clientHeight, rowHeight, count);
    };
    useLayoutEffect(slide, [count, rowHeight]);
    useLayoutEffect(() => {
        const view = box.current;
        if (!view || focusIndex === undefined || focusIndex < 0) return;
        const top = focusIndex * rowHeight;
        if (top < view.scrollTop) view.scrollTop = top;
        else if (top + rowHeight > view.scrollTop + view.clientHeight) {
            view.scrollTop = top + rowHeight - view.clientHeight;
        }
        slide();
    }, [focusIndex, count]);
    const first = Math.min(start.value, Math.max(0, count - 1));
    const shown = Math.max(0, Math.min(most, count - first));
    return (
        <div
            ref={box}
            class={`rows${props.class ? ` ${props.class}` : ''}`}
            role={props.role ?? 'list'}
            aria-label={props.label}
            aria-rowcount={props.role?.endsWith('grid') ? count : undefined}
            tabIndex={focusIndex === undefined ? 0 : undefined}
            onScroll={slide}
            onFocusIn={event => {
                const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
                if (row) props.onFocus?.(Number(row.dataset.row));
            }}
        >
            <div class="rows-all" role="presentation" style={{ height: `${count * rowHeight}px` }}>
                <div class="rows-window" role="presentation" style={{ top: `${first * rowHeight}px` }}>
                    {Array.from({ length: shown }, (_, at) => (
                        <div
                            key={first + at}
                            data-row={first + at}
                            role="presentation"
                            style={{ height: `${rowHeight}px` }}
                        >
                            {props.render(first + at)}
                        </div>
                    ))}
                </div>
            </div>
        </div>
    );
}
