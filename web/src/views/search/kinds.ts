// kinds.ts: hits by what they are, and by conversation.

import type { Hit } from '../../api/types';
import { world } from '../../store/core';
import { chatName } from '../../store/names';

export type Kind = 'messages' | 'background' | 'tools';
export const KINDS: readonly { id: Kind; label: string }[] = [
    { id: 'messages', label: 'messages and delegations' },
    { id: 'background', label: 'background' },
    { id: 'tools', label: 'raw tool output' },
];
export const USUAL: readonly Kind[] = ['messages', 'background'];

export function kindOf(hit: Hit): Kind {
    if (hit.role === 'tool') return 'tools';
    return hit.mode === 'background' ? 'background' : 'messages';
}

export interface Group {
    key: string;
    world: string;
    chatId: string;
    title: string;
    hits: Hit[];
}

function titleOf(hit: Hit): string {
    if (hit.mode === 'background') return `background of @${hit.sender === 'human' ? '?' : hit.sender}`;
    const name = hit.title ?? chatName(world.value?.chats[hit.chatId]);
    return name ?? (hit.mode === 'foreground' ? 'conversation with an agent' : 'Untitled conversation');
}

/** In the order of the first hit of each conversation. */
export function byConversation(hits: readonly Hit[], world: string | null): Group[] {
    const groups = new Map<string, Group>();
    for (const hit of hits) {
        const w = hit.world ?? world ?? '';
        const key = `${w}/${hit.chatId}`;
        const group = groups.get(key) ?? { key, world: w, chatId: hit.chatId, title: titleOf(hit), hits: [] };
        group.hits.push(hit);
        groups.set(key, group);
    }
    return [...groups.values()];
}
