// unseen.ts: where the count of new messages begins.

import type { ChatState } from '../../store/state';

export interface Base {
    /** the version that is counted in; none: its length is not known yet */
    version: string | null;
    total: number;
}

/** Messages are new when they were said since; those that come back with another version were there before. */
export function baseOf(was: Base, chat: ChatState | null, total: number, following: boolean): Base {
    const version = `${chat?.chat.id}/${chat?.thread}`;
    if (!following && was.version === version) return was;
    // The version is named before its messages are read: until then the total is that of the one before.
    return { version: chat?.stale ? null : version, total };
}
