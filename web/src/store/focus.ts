// focus.ts: where the person is: the message with the focus, the selection, and what is being looked into.

import { signal, type Signal } from '@preact/signals';

export interface Inspecting {
    messageId?: string;
    callId?: string;
    agent?: string;
}

/** The message that keys act on. */
export const focused: Signal<string | null> = signal<string | null>(null);
export const selected: Signal<ReadonlySet<string>> = signal<ReadonlySet<string>>(new Set());
export const selecting: Signal<boolean> = signal(false);
export const inspecting: Signal<Inspecting | null> = signal<Inspecting | null>(null);

export function clearFocus(): void {
    focused.value = null;
    selected.value = new Set();
    selecting.value = false;
}
