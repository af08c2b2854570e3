// kinds.ts: hits by what they are, and by conversation.

import type { Chat, Hit } from '../../api/types';
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

/** Whose conversation it is, the list of conversations knows; who wrote a hit may be anybody in it. */
function titleOf(hit: Hit, chat: Chat | undefined): string {
    const agent = chat?.agent ? ` @${chat.agent}` : ' an agent';
    if (hit.mode === 'background') return `background of${agent}`;
    const name = hit.title ?? chatName(chat);
    return name ?? (hit.mode === 'foreground' ? `conversation with${agent}` : 'Untitled conversation');
}

/** In the order of the first hit of each conversation. */
export function byConversation(hits: readonly Hit[], world: string | null, chats: readonly Chat[]): Group[] {
    const known = new Map(chats.map(c => [c.id, c]));
    const groups = new Map<string, Group>();
    for (const hit of hits) {
        const w = hit.world ?? world ?? '';
        const key = `${w}/${hit.chatId}`;
        const title = titleOf(hit, known.get(hit.chatId));
        const group = groups.get(key) ?? { key, world: w, chatId: hit.chatId, title, hits: [] };
        group.hits.push(hit);
        groups.set(key, group);
    }
    return [...groups.values()];
}
