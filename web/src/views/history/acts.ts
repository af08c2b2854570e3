// acts.ts: going to a version, and what the person is told about it. Nothing here loses anything, so nothing asks.

import { branch, exportChat, rerunSquash, travel } from '../../api/calls';
import type { Result, Trouble } from '../../api/client';
import type { Job, Move } from '../../api/types';
import { toast } from '../../parts/parts';
import { chatName } from '../../store/names';
import { go, place, type Place } from '../../store/place';
import { makeCurrent, on, refreshWorld, world } from '../../store/store';
import { leftWords, showLeft } from '../shared/left-behind';
import { saveBlob } from '../tree/export';
import { nowAt, picked } from './data';
import { branchTitle, type Version } from './model';

export type ChatPlace = Extract<Place, { kind: 'chat' }>;

function failed(what: string, trouble: Trouble): void {
    toast({
        kind: 'error',
        text: `${what} ${[trouble.detail || trouble.title, trouble.hint].filter(Boolean).join(' ')}`,
    });
}

export function here(): ChatPlace | null {
    const p = place.peek();
    return p.kind === 'chat' ? p : null;
}

/** Looks at a version in the chat; read only, and nothing changes. */
export function preview(v: Version): void {
    const p = here();
    if (p)
        go({
            ...p,
            view: p.view === 'history' ? 'chat' : p.view,
            m: undefined,
            lane: undefined,
            v: v.current ? undefined : v.threadId,
        });
}

export function backToNow(): void {
    const p = here();
    if (p?.v !== undefined) go({ ...p, v: undefined, m: undefined });
}

/** What is said of the version that was left is the server's word: the list may be older. */
async function goTo(threadId: string): Promise<void> {
    const p = here();
    if (!p) return;
    const done = await makeCurrent(threadId);
    if (!done.ok) return failed('The conversation stays where it is.', done.trouble);
    nowAt(threadId);
    if (p.v !== undefined) backToNow();
    picked.value = threadId;
    const { version, previousThreadId, previousVersion } = done.value;
    const back = { label: `Back to ${previousVersion}`, run: () => void goTo(previousThreadId) };
    toast({
        kind: 'ok',
        text: `Now at ${version}.${leftWords(done.value)}`,
        actions: [...showLeft(done.value), back],
        subject: 'version',
        state: threadId,
    });
}

export async function becomeCurrent(v: Version): Promise<void> {
    if (!v.current) await goTo(v.threadId);
}

export async function branchFrom(v: Version): Promise<void> {
    const p = here();
    if (!p) return;
    const title = branchTitle(chatName(world.peek()?.chats[p.c]), v.version);
    const made = await branch(p.w, p.c, { threadId: v.threadId, length: v.length, title });
    if (!made.ok) return failed('No branch was made.', made.trouble);
    await refreshWorld();
    go({ kind: 'chat', w: p.w, c: made.value.id, view: 'chat' });
    toast({
        kind: 'ok',
        text: `A new conversation starts from ${v.version}.`,
        actions: [{ label: 'Back', run: () => go(p) }],
    });
}

/** A person who leafs through versions, or is about to open one, wants no message for each. */
const LOOKING_MS = 300;

/** What going there would do, without doing it: what leaves, and which tools have run that nothing takes back. */
export async function tryTravel(
    w: string,
    c: string,
    threadId: string,
    given: AbortSignal,
): Promise<Result<Move>> {
    await new Promise(resolve => setTimeout(resolve, LOOKING_MS));
    return travel(w, c, { threadId, dryRun: true }, { signal: given });
}

export async function exportHistory(): Promise<void> {
    const p = here();
    if (!p) return;
    const answer = await exportChat(p.w, p.c, { format: 'skein' }, { timeoutMs: 0 });
    if (!answer.ok) return failed('Nothing was exported.', answer.trouble);
    const { value } = answer;
    saveBlob(
        `${p.c}.skein`,
        value instanceof Blob ? value : new Blob([typeof value === 'string' ? value : JSON.stringify(value)]),
    );
}

/** A model is asked again; what it answers becomes a version beside the first one. */
export async function runAgain(squashId: string, prompt: string): Promise<boolean> {
    const p = here();
    if (!p) return false;
    const begun = await rerunSquash(p.w, squashId, { prompt });
    if (!begun.ok) {
        failed('The squash was not run again.', begun.trouble);
        return false;
    }
    const job: Job = begun.value;
    const end = on('job.finished', e => {
        const news = e.data as Partial<Job>;
        if (news.id !== job.id) return;
        end();
        const why = (news.error as { detail?: string } | null | undefined)?.detail ?? '';
        if (news.state === 'done')
            toast({ kind: 'ok', text: 'The squash was run again: there is a new version.' });
        else toast({ kind: 'error', text: `The squash could not be run again. ${why}` });
    });
    toast({ text: 'A model is asked again. The new version appears when it has answered.' });
    return true;
}
