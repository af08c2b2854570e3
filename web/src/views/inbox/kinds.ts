// kinds.ts: a kind of item is a shape and a word, never a colour alone.

import type { InboxItem } from '../../api/types';

export interface Kind {
    shape: string;
    /** after the agent's name: "@ada asks" */
    says: string;
    /** as a heading */
    title: string;
}

const KINDS: Record<InboxItem['type'], Kind> = {
    question: { shape: '◐', says: 'asks', title: 'Question' },
    approval: { shape: '◐', says: 'wants to use a tool', title: 'Permission' },
    failure: { shape: '✕', says: 'failed', title: 'Failure' },
    briefing: { shape: '✉', says: 'briefing', title: 'Briefing' },
    finished: { shape: '✓', says: 'finished', title: 'Finished' },
    mention: { shape: '@', says: 'mentions you', title: 'Mention' },
};

/** A limit that was reached asks for no tool. */
const LIMIT: Kind = { shape: '◐', says: 'asks whether to continue', title: 'Limit' };

export function kindOf(item: InboxItem): Kind {
    if (item.type === 'approval' && !item.tool) return LIMIT;
    return KINDS[item.type] ?? { shape: '•', says: item.type, title: item.type };
}

export function titleOf(item: InboxItem): string {
    if (item.type === 'approval' && item.tool && !item.title) return `Allow the call of ${item.tool}?`;
    return item.title ?? item.content ?? kindOf(item).title;
}

/** The outcome of a question or an approval, as text. */
export function answered(item: InboxItem): string | null {
    if (item.answer === 'allowed') return 'You allowed it.';
    if (item.answer === 'denied') return 'You denied it.';
    return item.answer;
}
