// rows.tsx: the log: the window of rows, and what must happen around each change of it.

import { useComputed, useSignalEffect } from '@preact/signals';
import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { focused } from '../../store/focus';
import { prefs } from '../../store/prefs';
import { anchorId } from '../../store/store';
import { itemsOf, kept, type Item } from './items';
import { painted } from './paint';
import { Row } from './row';
import { SummarisedLine, summariesUnder, useMemorySummaries } from './summarised';
import {
    atEnd,
    hovered,
    lookedAt,
    nearEdge,
    pin,
    rowsSeen,
    scroll,
    sheetFor,
    span,
    windowRows,
} from './view-state';

const LONG_PRESS_MS = 500;

function rowId(target: EventTarget | null): string | null {
    return target instanceof Element
        ? (target.closest<HTMLElement>('[data-row]')?.dataset.row ?? null)
        : null;
}

/** A finger that stays on a message opens its sheet. */
function useLongPress() {
    const timer = useRef(0);
    const cancel = () => clearTimeout(timer.current);
    const down = (e: PointerEvent) => {
        cancel();
        const id = rowId(e.target);
        if (e.pointerType !== 'touch' || id === null) return;
        timer.current = window.setTimeout(() => {
            sheetFor.value = id;
        }, LONG_PRESS_MS);
    };
    useEffect(() => cancel, []);
    return {
        onPointerDown: down,
        onPointerUp: cancel,
        onPointerCancel: cancel,
        onPointerMove: (e: PointerEvent) => {
            if (Math.abs(e.movementX) + Math.abs(e.movementY) > 4) cancel();
        },
    };
}

/** The items of the window; those that did not change are the same objects. */
export function useItems(): Item[] {
    const before = useRef<Item[]>([]);
    const hide = useComputed(() => prefs.value.hideInMemory).value;
    before.current = kept(
        before.current,
        itemsOf(
            windowRows.value,
            painted.value.shown.readOnly ? null : painted.value.chat,
            atEnd.value,
            hide,
        ),
    );
    return before.current;
}

/** When the first rows are on screen, which is known by the frame after them, the rest is drawn. */
function useRest(chatId: string): void {
    useLayoutEffect(() => {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const rest = () => rowsSeen(chatId);
        // Nobody looks, and no frame comes.
        if (document.hidden) return rest();
        let frame = requestAnimationFrame(() => {
            frame = requestAnimationFrame(() => {
                timer = setTimeout(rest);
            });
        });
        return () => {
            cancelAnimationFrame(frame);
            clearTimeout(timer);
        };
    }, [chatId]);
}

export function Rows({ chatId, label }: { chatId: string; label: string }) {
    const log = useRef<HTMLDivElement>(null);
    scroll.before();
    const items = useItems();
    const summarised = summariesUnder(items, useMemorySummaries(chatId), atEnd.value);
    const press = useLongPress();
    useLayoutEffect(() => scroll.attach(log.current!, nearEdge), []);
    useLayoutEffect(() => scroll.after());
    useRest(chatId);
    // A reader who has left the end keeps the rows that are there; one who is back at it gets the newest.
    useSignalEffect(() => {
        if (!scroll.following.value) pin();
        else if (atEnd.value) span.value = null;
    });
    useSignalEffect(() => {
        anchorId.value = scroll.following.value ? null : scroll.top.value;
    });
    const dim = useComputed(() => lookedAt.value !== null).value;
    return (
        <div
            ref={log}
            class={dim ? 'chat-log chat-dim' : 'chat-log'}
            role="log"
            aria-live="off"
            aria-label={label}
            id="messages"
            tabIndex={-1}
            onMouseOver={e => {
                hovered.value = rowId(e.target);
            }}
            onMouseLeave={() => {
                hovered.value = null;
            }}
            onFocusIn={e => {
                focused.value = rowId(e.target) ?? focused.value;
            }}
            onClick={e => {
                focused.value = rowId(e.target) ?? focused.value;
            }}
            {...press}
        >
            <div class="chat-content" data-content>
                {items.map((item, n) => (
                    <Fragment key={item.id}>
                        <Row item={item} last={n === items.length - 1} />
                        {summarised.get(item.id)?.map(s => (
                            <SummarisedLine key={s.messageId} summary={s} />
                        ))}
                    </Fragment>
                ))}
            </div>
            {dim ? <Undimmed /> : null}
        </div>
    );
}

/** Keeps the looked-at row bright while the others are dimmed. */
function Undimmed() {
    const id = lookedAt.value;
    useLayoutEffect(() => {
        const row = id === null ? null : document.querySelector(`[data-row="${CSS.escape(id)}"]`);
        row?.classList.add('chat-looked-at');
        return () => row?.classList.remove('chat-looked-at');
    }, [id]);
    return null;
}
