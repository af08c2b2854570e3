// left-behind.ts: newer messages that went out of sight with a move through the versions, and the way to see them.

import type { Result } from '../../api/client';
import type { Move } from '../../api/types';
import { toast, type ToastAction } from '../../parts/parts';
import { go, place } from '../../store/place';
import { makeCurrent } from '../../store/store';
import { grouped } from './words';

/** " 4 newer messages are in v3.", or nothing. */
export function leftWords({ newerMessages: n, previousVersion }: Move): string {
    if (!n) return '';
    const what = n === 1 ? '1 newer message is' : `${grouped(n)} newer messages are`;
    return ` ${what} in ${previousVersion ?? 'the previous version'}.`;
}

/** Looks at them, without going back there. */
export function showLeft({ newerMessages, previousThreadId }: Move): ToastAction[] {
    const here = place.value;
    if (!newerMessages || !previousThreadId || here.kind !== 'chat') return [];
    const to = { ...here, view: 'chat' as const, v: previousThreadId, m: undefined, lane: undefined };
    return [{ label: 'Show', run: () => go(to) }];
}

/** Looks at them, or goes back there: for a change that was taken back. */
export function waysBack(move: Move): ToastAction[] {
    const { previousThreadId: from } = move;
    if (!from) return [];
    return [...showLeft(move), { label: 'Redo', run: () => void makeCurrent(from).then(tellLeft) }];
}

/** For a move that says nothing else. */
export function tellLeft(done: Result<Move>): void {
    if (!done.ok) return void toast({ text: done.trouble.detail, kind: 'error' });
    const text = leftWords(done.value).trim();
    if (text) toast({ text, actions: showLeft(done.value), subject: 'version', state: done.value.threadId });
}
