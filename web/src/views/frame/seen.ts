import { signal } from '@preact/signals';
import type { Chat } from '../../api/types';
import { keep, kept } from '../../store/keep';

// The server knows what is unread in the inbox; how far this person has read a conversation is known here only.
const key = 'skein.seen';
const most = 2000;

function stored(): Record<string, number> {
    const value = kept(key);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return {};
    return Object.fromEntries(Object.entries(value).filter(([, count]) => typeof count === 'number'));
}

const seen = signal<Record<string, number>>(stored());

/** Messages of a conversation since it was last on screen. One never seen here counts as read: it was there before. */
export function unreadOf(chat: Chat): number {
    const before = seen.value[chat.id];
    return before === undefined ? 0 : Math.max(0, chat.messageCount - before);
}

function put(changes: Record<string, number>): void {
    const all = { ...seen.peek(), ...changes };
    const newest = Object.entries(all).slice(-most);
    seen.value = Object.fromEntries(newest);
    keep(key, seen.peek());
}

// Looked at with peek(): who marks does so in an effect, which must not run again for its own writing.
export function markSeen(chat: Chat): void {
    if (seen.peek()[chat.id] !== chat.messageCount) put({ [chat.id]: chat.messageCount });
}

/** The first sight of conversations, so that what comes later can be counted. */
export function meet(chats: Chat[]): void {
    const fresh = chats.filter(chat => seen.peek()[chat.id] === undefined);
    if (fresh.length) put(Object.fromEntries(fresh.map(chat => [chat.id, chat.messageCount])));
}
