// backup.ts: what is kept of an edit until the server has the new text, so that neither a lost
// connection nor a reload between the two steps can lose a word.
import { signal } from '@preact/signals';
import type { Instruction, Message } from '../../api/types';

export interface Backup {
    world: string;
    chatId: string;
    messageId: string;
    newText: string;
    /** The step that was begun and is not known to have ended. */
    phase: 'removing' | 'resubmitting';
    /** Keys make both steps safe to repeat, whether or not the first try arrived. */
    removeKey: string;
    postKey: string;
    clientMessageId: string;
    /** How many messages the person agreed to remove, and the state that this was counted in. */
    count: number;
    /** how many of them are results of tools */
    results?: number;
    etag: string;
    previousThread: string | null;
    /** The version that the removal made, once it is known. */
    thread?: string | null;
    replyTo: string | null;
    instructions: Instruction[];
    /** why the last try failed; empty: it is not known to have failed, so the page ended it */
    reason: string;
    /** when the last try began, or failed */
    at: number;
    /** how often it was tried */
    tries?: number;
    /** the person did not want it any more before the messages were known to be removed */
    cancelled?: boolean;
}

const place = (world: string, chatId: string) => `skein.edit:${world}:${chatId}`;
const textPlace = (messageId: string) => `skein.editText:${messageId}`;

function read(key: string): string | null {
    try {
        return localStorage.getItem(key);
    } catch {
        return null; // storage is switched off: the page still works, without a memory
    }
}

function write(key: string, value: string | null): void {
    try {
        if (value === null) localStorage.removeItem(key);
        else localStorage.setItem(key, value);
    } catch {
        // As above.
    }
}

/** Grows with each change here or in another tab, so that views look again. */
export const changes = signal(0);

if (typeof addEventListener === 'function')
    addEventListener('storage', event => {
        if (event.key?.startsWith('skein.edit')) changes.value++;
    });

export function keep(backup: Backup): void {
    write(place(backup.world, backup.chatId), JSON.stringify(backup));
    changes.value++;
}

export function forget(backup: Backup): void {
    const now = leftover(backup.world, backup.chatId);
    if (now?.clientMessageId === backup.clientMessageId) write(place(backup.world, backup.chatId), null);
    changes.value++;
}

export function leftover(world: string, chatId: string): Backup | null {
    const text = read(place(world, chatId));
    if (!text) return null;
    try {
        const backup = JSON.parse(text) as Backup;
        return typeof backup.newText === 'string' && typeof backup.messageId === 'string' ? backup : null;
    } catch {
        return null;
    }
}

/** What was typed into an edit that was not sent: it is there again when the edit is opened again. */
export function typed(message: Message): string {
    return read(textPlace(message.messageId)) ?? message.content;
}

export function keepTyped(messageId: string, text: string | null): void {
    write(textPlace(messageId), text);
}

const lockName = (world: string, chatId: string) => `skein-edit:${world}:${chatId}`;

/** Runs `work` as the only tab that edits this conversation; null when another one does. */
export async function alone<T>(world: string, chatId: string, work: () => Promise<T>): Promise<T | null> {
    if (!navigator.locks) return work();
    return navigator.locks.request(lockName(world, chatId), { ifAvailable: true }, lock =>
        lock ? work() : null,
    );
}
