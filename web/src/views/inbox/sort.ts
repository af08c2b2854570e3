// sort.ts: which items a filter shows, in which groups, and what its bulk action touches.

import type { InboxItem } from '../../api/types';
import { grouped } from '../shared/words';

export type Filter = 'open' | 'needs' | 'briefings' | 'done' | 'snoozed';
export const FILTERS: readonly { id: Filter; label: string }[] = [
    { id: 'open', label: 'All' },
    { id: 'needs', label: 'Needs you' },
    { id: 'briefings', label: 'Briefings' },
    { id: 'done', label: 'Done' },
    { id: 'snoozed', label: 'Snoozed' },
];

export interface Group {
    id: string;
    title: string;
    items: InboxItem[];
}

export function isFilter(text: string | undefined): text is Filter {
    return FILTERS.some(f => f.id === text);
}

export function isSnoozed(item: InboxItem, now: number): boolean {
    return item.doneAt === null && item.snoozedUntil !== null && Date.parse(item.snoozedUntil) > now;
}

/** Somebody or something cannot go on, or went wrong. */
export function needsYou(item: InboxItem): boolean {
    return (
        item.doneAt === null &&
        (item.type === 'question' || item.type === 'approval' || item.type === 'failure')
    );
}

export function belongs(item: InboxItem, filter: Filter, now: number): boolean {
    if (filter === 'done') return item.doneAt !== null;
    if (filter === 'snoozed') return isSnoozed(item, now);
    if (item.doneAt !== null || isSnoozed(item, now)) return false;
    if (filter === 'needs') return needsYou(item);
    if (filter === 'briefings') return item.type === 'briefing';
    return true;
}

function dayStart(at: number): number {
    return new Date(at).setHours(0, 0, 0, 0);
}

const DAY_MS = 24 * 3600 * 1000;
const dayName = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
const yearName = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' });

export function dayTitle(at: string, now: number): string {
    const day = dayStart(Date.parse(at));
    const days = Math.round((dayStart(now) - day) / DAY_MS);
    if (days <= 0) return 'Today';
    if (days === 1) return 'Yesterday';
    return days < 300 ? dayName.format(day) : yearName.format(day);
}

function newestFirst(a: InboxItem, b: InboxItem): number {
    return a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0;
}

/** "Needs you" first, then by day, newest first. */
export function groups(items: readonly InboxItem[], filter: Filter, now: number): Group[] {
    const shown = items.filter(i => belongs(i, filter, now)).sort(newestFirst);
    const urgent = filter === 'done' || filter === 'snoozed' ? [] : shown.filter(needsYou);
    const list: Group[] = urgent.length > 0 ? [{ id: 'needs', title: 'Needs you', items: urgent }] : [];
    for (const item of shown) {
        if (urgent.includes(item)) continue;
        const title = dayTitle(item.createdAt, now);
        const last = list[list.length - 1];
        if (last && last.id !== 'needs' && last.title === title) last.items.push(item);
        else list.push({ id: `day-${title}`, title, items: [item] });
    }
    return list;
}

/** The name says what it touches: all there are, or those that are shown. */
export function markName(unread: number, filtered: boolean): string {
    if (filtered) return `Mark ${unread === 1 ? 'this one' : `these ${grouped(unread)}`} as read`;
    return unread === 1 ? 'Mark 1 as read' : `Mark all ${grouped(unread)} as read`;
}

/** Later today, tomorrow morning, next week: never a moment that is past. */
export function snoozeTimes(now: number): { label: string; at: string }[] {
    const morning = (days: number): Date => {
        const d = new Date(now);
        d.setDate(d.getDate() + days);
        d.setHours(9, 0, 0, 0);
        return d;
    };
    const monday = (8 - new Date(now).getDay()) % 7 || 7;
    return [
        { label: 'In an hour', at: new Date(now + 3600_000) },
        { label: 'In 4 hours', at: new Date(now + 4 * 3600_000) },
        { label: 'Tomorrow at 9:00', at: morning(1) },
        { label: 'Next Monday at 9:00', at: morning(monday) },
    ].map(t => ({ label: t.label, at: t.at.toISOString() }));
}
