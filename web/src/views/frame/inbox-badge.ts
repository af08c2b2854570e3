// inbox-badge.ts: the number beside the inbox, wherever it stands: how many need the person, or else how many are unread.

import type { Inbox } from '../../store/state';

const MOST = 999;

export interface InboxBadge {
    value: number;
    number: string;
    what: 'need you' | 'unread';
}

export function inboxBadge({ unread, needsYou }: Pick<Inbox, 'unread' | 'needsYou'>): InboxBadge {
    const value = needsYou > 0 ? needsYou : unread;
    const number = value > MOST ? `${MOST}+` : String(value);
    return needsYou > 0 ? { value, number, what: 'need you' } : { value, number, what: 'unread' };
}
