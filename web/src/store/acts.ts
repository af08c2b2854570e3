// acts.ts: what a person does to a conversation: stopping agents, and travelling through its versions.

import * as api from '../api/calls';
import type { Result, Trouble } from '../api/client';
import type { ChatPatch, CurrentThread, Move, Stopped, Travel } from '../api/types';
import { chatOf, updateChat, updateWorld } from './core';
import { place } from './place';
import { chatIs } from './reduce';

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

/** What the server would say, known without asking it: a request that it refuses is a fault in the console. */
function nothing(move: 'undo' | 'redo'): Trouble {
    const detail = `There is nothing to ${move}.`;
    return { status: 409, type: '/problems/nothing-to-do', code: 'NOTHING_TO_DO', title: detail, detail };
}

function blocked({ move }: Travel, { canUndo, canRedo }: CurrentThread): Trouble | null {
    if (move === 'undo' && !canUndo) return nothing(move);
    return move === 'redo' && !canRedo ? nothing(move) : null;
}

/** Whatever is said meanwhile: a word of an agent does not make it another undo, and a version has its name. */
async function travel(body: Travel): Promise<Result<Move>> {
    const at = here();
    if (!at) return { ok: false, trouble: NO_CHAT };
    if (body.move) {
        const thread = await api.getCurrentThread(at.w, at.c);
        if (!thread.ok) return thread;
        const trouble = blocked(body, thread.value);
        if (trouble) return { ok: false, trouble };
    }
    return api.travel(at.w, at.c, body, { ifMatch: '*' });
}

export const undo = (): Promise<Result<Move>> => travel({ move: 'undo' });
export const redo = (): Promise<Result<Move>> => travel({ move: 'redo' });
export const makeCurrent = (threadId: string): Promise<Result<Move>> => travel({ threadId });

/** The newest version that has this message. */
export const makeCurrentWith = (messageId: string): Promise<Result<Move>> => travel({ messageId });

/** Back to the version from before a change: an undo, so that it can be redone, unless something else came in between. */
export async function takeBack(threadId: string): Promise<Result<Move>> {
    const seen = await travel({ move: 'undo', dryRun: true });
    return seen.ok && seen.value.threadId === threadId ? undo() : makeCurrent(threadId);
}

/** What the conversation asks of those who answer, for everybody; shown at once, and as before when it is refused. */
export async function setExpected(
    patch: Pick<ChatPatch, 'replyExpected' | 'readOnly'>,
): Promise<Result<unknown>> {
    const at = here();
    const known = at ? chatOf(at.c)?.chat : undefined;
    if (!at || !known) return { ok: false, trouble: NO_CHAT };
    const { replyExpected, readOnly } = known;
    updateWorld(w => chatIs(w, at.c, patch));
    const done = await api.updateChat(at.w, at.c, patch);
    if (!done.ok) updateWorld(w => chatIs(w, at.c, { replyExpected, readOnly }));
    return done;
}

/** An agent's failure was seen, and is not to be shown any longer. */
export function dismissFailed(messageId: string): void {
    const at = here();
    if (!at || !chatOf(at.c)?.failed[messageId]) return;
    updateChat(at.c, c => {
        const { [messageId]: _seen, ...failed } = c.failed;
        return { ...c, failed };
    });
}
