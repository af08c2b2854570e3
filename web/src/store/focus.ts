// focus.ts: where the person is: the message with the focus, and the selection.

import { signal, type Signal } from '@preact/signals';

/** The message that keys act on. */
export const focused: Signal<string | null> = signal<string | null>(null);
export const selected: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());
export const selecting: Signal<boolean> = signal(false);

export function clearFocus(): void {
    focused.value = null;
    selected.value = new Set();
    selecting.value = false;
}
