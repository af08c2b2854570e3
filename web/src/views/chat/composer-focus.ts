// composer-focus.ts: lets anything put the cursor into the message box, wherever it is drawn.

import { signal } from '@preact/signals';

/** Grows with each wish. */
export const composerWanted = signal(0);

export function focusComposer(): void {
    composerWanted.value++;
}
