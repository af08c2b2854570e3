// hit-place.ts: the address of a hit of a search: where it stands now, or in the version that still holds it.

import { getMessage, listMessageVersions } from '../api/calls';
import type { Hit } from '../api/types';
import type { Place, View } from './place';

export async function threadOf(w: string, hit: Hit): Promise<string | null> {
    if (hit.inCurrent) return null;
    const versions = await listMessageVersions(w, hit.messageId, { chatId: hit.chatId, limit: 500 });
    if (!versions.ok) return null;
    const list = versions.value.data;
    return (list.find(t => t.number === hit.version) ?? list[0])?.threadId ?? null;
}

/** Whether it stands in a conversation itself, and not in work that was handed on inside it. */
export async function inMain(w: string, hit: Hit): Promise<boolean> {
    if (!hit.inCurrent) return true;
    const message = await getMessage(w, hit.messageId, { chatId: hit.chatId });
    return !message.ok || message.value.position >= 0;
}

export async function placeOf(w: string, hit: Hit, view: View = 'chat'): Promise<Place> {
    const [v, main] = await Promise.all([threadOf(w, hit), inMain(w, hit)]);
    return {
        kind: 'chat',
        w,
        c: hit.chatId,
        view: main ? view : 'timeline',
        m: hit.messageId,
        ...(v ? { v } : {}),
    };
}
