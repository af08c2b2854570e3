// composer-focus.ts: puts the cursor into the message box, wherever it is drawn.

import { signal } from '@preact/signals';
import { place } from '../../store/place';

/** Grows with each request to focus the composer. */
export const composerWanted = signal(0);

export function focusComposer(): void {
    composerWanted.value++;
}

/** On a touch screen the focus would open the keyboard, which covers half of the chat. */
const isTouch = () => matchMedia('(hover: none) and (pointer: coarse)').matches;

/** The box of a conversation that opens takes the focus, unless the address names a message: that has it then. */
export function focusAtOpening(box: HTMLElement | null): void {
    const here = place.peek();
    if (!box || isTouch() || (here.kind === 'chat' && here.m !== undefined)) return;
    const take = () => box.focus({ preventScroll: true });
    // The palette that led here is still closing, and would give the focus back to what opened it.
    const dialog = document.querySelector('dialog[open]');
    if (dialog) dialog.addEventListener('close', take, { once: true });
    else take();
}
