// position.ts: from a place in the conversation (52 310 of 100 000, or a day) to the message there.

import { listThreadMessages } from '../../api/calls';
import type { Message } from '../../api/types';
import { chat, shown, world } from '../../store/store';

function base64url(text: string): string {
    return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

/** The message at a position: one read by its place, however long the conversation is. */
export async function messageAt(position: number): Promise<Message | null> {
    const c = chat.peek();
    if (!c) return null;
    const loaded = shown.peek().rows.find(m => m.position === position);
    if (loaded) return loaded;
    const thread = shown.peek().version ?? c.thread;
    // A cursor of the server's own list names the version, where it begins and how much it wants.
    const cursor = base64url(`${thread}:${position}:1`);
    const page = await listThreadMessages(world.peek()?.world.name ?? '', c.chat.id, thread, {
        cursor,
        limit: 1,
    });
    return page.ok ? (page.value.data[0] ?? null) : null;
}

/** The first message of a day or after it: by halving, some 17 reads for 100 000. */
export async function messageOfDay(start: number, total: number): Promise<Message | null> {
    let low = 0;
    let high = total;
    let found: Message | null = null;
    while (low < high) {
        const middle = (low + high) >> 1;
        const m = await messageAt(middle);
        if (!m) return found;
        if (Date.parse(m.createdAt) >= start) {
            found = m;
            high = middle;
        } else low = middle + 1;
    }
    return found;
}

/** What a person typed: a number from 1, or a date; null: neither. */
export function readTarget(text: string, total: number): { position: number } | { day: number } | null {
    const plain = text.replace(/[\s\u00a0.,]/g, '');
    if (/^\d{1,9}$/.test(plain)) return { position: Math.min(Math.max(1, Number(plain)), total) - 1 };
    // Browsers find a date in almost any words.
    if (!/^[\d\s/.,:a-z-]{1,40}$/i.test(text) || !/\d/.test(text)) return null;
    const day = Date.parse(/\d{4}/.test(text) ? text : `${text} ${new Date().getFullYear()}`);
    return Number.isFinite(day) ? { day } : null;
}
