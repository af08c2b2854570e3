// keep-focus.ts: what has the focus may go: a row is removed, a note is answered, a window closes over what opened it.
// The browser then leaves the focus nowhere, and who works by keyboard begins at the top again. Here it gets a place.

import { useLayoutEffect } from 'preact/hooks';
import { focused } from '../../store/focus';
import { place } from '../../store/place';
import { shown } from '../../store/store';

/** What had the focus, and what is needed to find its place when it is gone. */
interface Spot {
    element: HTMLElement;
    screen: string;
    /** the message that it belonged to */
    row: string | null;
    /** from the innermost outwards */
    around: Element[];
}

const ROWS = '#messages [data-row]';
const REACHABLE = 'a[href], button:not(:disabled), input:not(:disabled), textarea, summary, [tabindex="0"]';

const find = (selector: string) => document.querySelector<HTMLElement>(selector);
const isSeen = (element: HTMLElement) => element.getClientRects().length > 0;

function screenNow(): string {
    const p = place.peek();
    return p.kind === 'chat' ? `${p.w}/${p.c}/${p.view}` : p.kind;
}

function spotOf(element: HTMLElement): Spot {
    const row = element.closest<HTMLElement>(ROWS);
    const around: Element[] = [];
    for (let e = element.parentElement; e && e.id !== 'main' && e !== document.body; e = e.parentElement)
        around.push(e);
    return {
        element,
        screen: screenNow(),
        row: row?.dataset.row ?? null,
        around,
    };
}

/** The row itself, or else the message box: nobody has chosen another row, and letters would be commands there. */
function inConversation({ row }: Spot): HTMLElement | null {
    if (row === null) return null;
    const rows = [...document.querySelectorAll<HTMLElement>(ROWS)];
    const same = rows.find(one => one.dataset.row === row);
    if (same) return same;
    // It was only scrolled out of the window of rows: no other message is meant by that.
    if (shown.peek().rows.some(m => m.messageId === row)) return find('#messages');
    focused.value = null;
    return find('#main form textarea') ?? find('#messages');
}

/** The item of the inbox that is open, or else the first, where the list is on screen. */
function inInbox(): HTMLElement | null {
    const item = find('.inbox-rows [aria-current]') ?? find('.inbox-rows a');
    return item && isSeen(item) ? item : null;
}

/** What can be reached in the smallest part of the page that is left of those around it. */
function nearby({ around }: Spot): HTMLElement | null {
    for (const part of around) {
        if (!part.isConnected) continue;
        const all = [part, ...part.querySelectorAll(REACHABLE)] as HTMLElement[];
        const found = all.find(one => one.matches(REACHABLE) && isSeen(one));
        if (found) return found;
    }
    return null;
}

function nextPlace(home: Spot | null): HTMLElement | null {
    if (home?.element.isConnected && isSeen(home.element)) return home.element;
    if (home?.screen !== screenNow()) return find('#main');
    return inConversation(home) ?? inInbox() ?? nearby(home) ?? find('#main');
}

/** Watches until it is told to stop. */
export function keepFocus(): () => void {
    let last: Spot | null = null;
    /** the last that was neither in a window over the page nor in a note: those are left for it */
    let home: Spot | null = null;
    const came = (event: FocusEvent) => {
        if (!(event.target instanceof HTMLElement)) return;
        last = spotOf(event.target);
        if (!event.target.closest('dialog, .toasts')) home = last;
    };
    // A press beside everything takes the focus away on purpose; on something that can have it, it comes back.
    const pressed = () => {
        last = null;
    };
    const changed = () => {
        if (!last || last.element.isConnected) return;
        const gone = last;
        last = null;
        const held = document.activeElement !== null && document.activeElement !== document.body;
        // Another screen says itself where it begins.
        if (held || gone.screen !== screenNow() || document.querySelector('dialog[open]')) return;
        nextPlace(home)?.focus({ preventScroll: true });
    };
    const watch = new MutationObserver(changed);
    watch.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', came);
    document.addEventListener('pointerdown', pressed, true);
    return () => {
        watch.disconnect();
        document.removeEventListener('focusin', came);
        document.removeEventListener('pointerdown', pressed, true);
    };
}

export function useKeptFocus(): void {
    useLayoutEffect(keepFocus, []);
}
