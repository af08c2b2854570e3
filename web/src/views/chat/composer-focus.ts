// composer-focus.ts: lets anything put the cursor into the message box, wherever it is drawn.

import { signal } from '@preact/signals';

/** Grows with each wish. */
export const composerWanted = signal(0);

let atOpening = false;

/** For a conversation that is about to be shown: its box takes the focus when it is drawn. */
export function focusNextComposer(): void {
    atOpening = true;
}

export function takeOpening(): boolean {
    const wanted = atOpening;
    atOpening = false;
    return wanted;
}

export function focusComposer(): void {
    composerWanted.value++;
}
