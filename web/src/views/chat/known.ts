// known.ts: messages outside the loaded rows that a row needs to name: parents of replies, sources of squashes.

import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import { getMessage } from '../../api/calls';
import type { Message } from '../../api/types';
import { world } from '../../store/store';
import { painted } from './paint';

/** undefined: on its way; null: there is none. */
type Found = Message | null | undefined;

const byId = computed(() => new Map(painted.value.shown.rows.map(m => [m.messageId, m])));
const fetched = new Map<string, Signal<Found>>();
const MOST_KEPT = 1000;
const MOST_AT_ONCE = 4;
const waiting: (() => Promise<void>)[] = [];
let running = 0;

function next(): void {
    while (running < MOST_AT_ONCE) {
        const job = waiting.pop();
        if (!job) return;
        running++;
        void job().finally(() => {
            running--;
            next();
        });
    }
}

function fetchOne(id: string, chatId: string): Signal<Found> {
    const known = fetched.get(id);
    if (known) return known;
    const made = signal<Found>(undefined);
    if (fetched.size >= MOST_KEPT) fetched.delete(fetched.keys().next().value!);
    fetched.set(id, made);
    waiting.push(async () => {
        const answer = await getMessage(world.peek()?.world.name ?? '', id, { chatId });
        made.value = answer.ok ? answer.value : null;
        // A server that could not be reached may know it next time.
        if (!answer.ok && answer.trouble.status !== 404) fetched.delete(id);
    });
    next();
    return made;
}

export interface Known {
    message: Found;
    /** it is in the version that is shown */
    here: boolean;
}

/** What is known of a message that is in no version here. */
export const nowhere: Known = { message: null, here: false };

/** A message by its id, asked for when it is not loaded. */
export function known(id: string, chatId: string): ReadonlySignal<Known> {
    return computed(() => {
        const row = byId.value.get(id);
        if (row) return { message: row, here: true };
        const message = fetchOne(id, chatId).value;
        return { message, here: Boolean(message && message.position >= 0) };
    });
}
