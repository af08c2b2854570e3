// acts.ts: what a person does to a conversation: stopping agents, and travelling through its versions.

import * as api from '../api/calls';
import type { Result, Trouble } from '../api/client';
import type { Move, Stopped, Travel } from '../api/types';
import { chatOf, updateChat } from './core';
import { place } from './place';

const NO_CHAT: Trouble = {
    status: 0,
    type: 'no-chat',
    code: 'no-chat',
    title: 'No conversation is open',
    detail: 'Open a conversation first.',
};

function here(): { w: string; c: string } | null {
    const p = place.peek();
    return p.kind === 'chat' ? { w: p.w, c: p.c } : null;
}

export async function stop(agents?: string[]): Promise<Result<Stopped>> {
    const at = here();
    if (!at) return { ok: false, trouble: NO_CHAT };
    return api.stopAgents(at.w, { chatId: at.c, ...(agents ? { agents } : {}) });
}

/** Looks at what a move would do, without making it. */
const looks = new Set<AbortController>();

/** They would be about another version once the conversation has moved. */
export function giveUpLooks(): void {
    for (const one of looks) one.abort();
}

/** What going to a version would do; `signal` ends it, and so does a real move. */
export async function lookAhead(
    w: string,
    c: string,
    threadId: string,
    signal: AbortSignal,
): Promise<Result<Move>> {
    const mine = new AbortController();
    looks.add(mine);
    const o = { signal: AbortSignal.any([signal, mine.signal]) };
    const current = await api.getCurrentThread(w, c, o);
    const seen = current.ok
        ? await api.travel(w, c, { threadId, dryRun: true }, { ...o, ifMatch: current.etag ?? undefined })
        : current;
    looks.delete(mine);
    return seen;
}

/** What is said to be changed must be what is there: the tag is read first, and once more when it is old. */
async function travel(body: Travel): Promise<Result<Move>> {
    const at = here();
    if (!at) return { ok: false, trouble: NO_CHAT };
    giveUpLooks();
    let got: Result<Move> = { ok: false, trouble: NO_CHAT };
    for (let tries = 0; tries < 2; tries++) {
        const thread = await api.getCurrentThread(at.w, at.c);
        if (!thread.ok) return thread;
        got = await api.travel(at.w, at.c, body, { ifMatch: thread.etag ?? undefined });
        if (got.ok || got.trouble.status !== 412) return got;
    }
    return got;
}

export const undo = (): Promise<Result<Move>> => travel({ move: 'undo' });
export const redo = (): Promise<Result<Move>> => travel({ move: 'redo' });
export const makeCurrent = (threadId: string): Promise<Result<Move>> => travel({ threadId });

/** An agent's failure was seen, and is not to be shown any longer. */
export function dismissFailed(messageId: string): void {
    const at = here();
    if (!at || !chatOf(at.c)?.failed[messageId]) return;
    updateChat(at.c, c => {
        const { [messageId]: _seen, ...failed } = c.failed;
        return { ...c, failed };
    });
}
