import { announce, toast } from '../../parts/parts';
import {
    createChat,
    createWorld,
    getDiff,
    getThread,
    removeChat,
    restoreChat,
    updateChat,
} from '../../api/calls';
import { newKey, type Result, type Trouble } from '../../api/client';
import type { Chat, Move } from '../../api/types';
import { chatTitle } from '../../store/names';
import { go, place } from '../../store/place';
import { redo, refreshWorld, state, stop, undo, world } from '../../store/store';
import { cutOf, isCut, operationText } from '../history/model';
import { leftWords, showLeft } from '../shared/left-behind';
import { cancelledWords } from '../shared/words';
import { listedChats } from './states';
import { unreadOf } from './seen';

function tell(trouble: Trouble, before: string): void {
    const why = [trouble.detail || trouble.title, trouble.hint].filter(Boolean).join(' ');
    toast({ text: `${before} ${why}`, kind: 'error' });
}

export async function newChat(): Promise<void> {
    const open = state.value.open;
    if (!open) return;
    const made = await createChat(open, {}, { key: newKey() });
    if (!made.ok) return tell(made.trouble, 'No conversation was created.');
    await refreshWorld();
    go({ kind: 'chat', w: open, c: made.value.id, view: 'chat' });
}

export async function renameChat(chat: Chat, title: string): Promise<Result<Chat>> {
    const done = await updateChat(state.value.open ?? '', chat.id, { title: title.trim() || null });
    if (done.ok) await refreshWorld();
    return done;
}

export async function archiveChat(chat: Chat): Promise<void> {
    const open = state.value.open;
    if (!open) return;
    const done = await removeChat(open, chat.id);
    if (!done.ok) return tell(done.trouble, `"${chatTitle(chat)}" was not archived.`);
    const here = place.value;
    await refreshWorld();
    if (here.kind === 'chat' && here.c === chat.id) {
        const next = world.value && listedChats(world.value).find(one => one.id !== chat.id);
        go(next ? { kind: 'chat', w: open, c: next.id, view: 'chat' } : { kind: 'world', w: open });
    }
    toast({
        text: `"${chatTitle(chat)}" was archived. Search still finds it.`,
        actions: [{ label: 'Undo', run: () => void restoreArchived(chat) }],
    });
}

/** Back into the list, and on screen. */
export async function restoreArchived(chat: Chat): Promise<void> {
    const open = state.value.open;
    if (!open) return;
    const done = await restoreChat(open, chat.id, { key: newKey() });
    if (!done.ok) return tell(done.trouble, `"${chatTitle(chat)}" was not restored.`);
    await refreshWorld();
    go({ kind: 'chat', w: open, c: chat.id, view: 'chat' });
    toast({ text: `"${chatTitle(chat)}" is back.`, kind: 'ok' });
}

export async function makeWorld(name: string): Promise<Result<{ name: string }>> {
    const made = await createWorld({ name }, { key: newKey() });
    if (made.ok) go({ kind: 'world', w: made.value.name });
    return made;
}

const times = (steps: number) => (steps > 1 ? ` (${steps} steps)` : '');

/** What the version did that was left or come back to; a note of the program names ids, which say nothing to people. */
async function doneIn(threadId: string | null, fallback: string): Promise<string> {
    const here = place.value;
    const plain = fallback.split(' ', 1)[0] ?? fallback;
    if (here.kind !== 'chat' || threadId === null) return plain;
    const made = await getThread(here.w, here.c, threadId);
    if (!made.ok) return plain;
    const diff = isCut(made.value) ? await getDiff(here.w, here.c, threadId) : null;
    const cut = diff?.ok ? cutOf(made.value, diff.value) : undefined;
    const text = operationText(made.value, cut);
    return cut?.instead ? `${text} “${cut.instead}”` : text;
}

/** Going to a version did nothing but that: what was once done in the version is another matter. */
function going(move: Move, from: string | null, to: string | null): string | null {
    return move.move === 'switch' && move.steps === 1 ? `going from ${from} to ${to}` : null;
}

function told(move: Move, what: string, word: string): string {
    const outside = move.sideEffects
        ? ` ${move.sideEffects} tool calls outside of skein were not taken back.`
        : '';
    return `${word}: ${what}${times(move.steps)}. Now ${move.version ?? 'another version'}.${leftWords(move)}${outside}`;
}

function tellNot(trouble: Trouble, verb: string, before: string): void {
    if (trouble.type.endsWith('/nothing-to-do')) toast({ text: `There is nothing to ${verb}.` });
    else tell(trouble, before);
}

export async function undoLast(): Promise<void> {
    const done = await undo();
    if (!done.ok) return tellNot(done.trouble, 'undo', 'Nothing was undone.');
    const { previousVersion, version } = done.value;
    const what =
        going(done.value, version, previousVersion) ??
        (await doneIn(done.value.previousThreadId, done.value.move));
    toast({
        text: told(done.value, what, 'Undone'),
        kind: 'ok',
        actions: [...showLeft(done.value), { label: 'Redo', run: () => void redoLast() }],
        subject: 'version',
        state: done.value.threadId,
    });
}

export async function redoLast(): Promise<void> {
    const done = await redo();
    if (!done.ok) return tellNot(done.trouble, 'redo', 'Nothing was redone.');
    const { previousVersion, version } = done.value;
    const what =
        going(done.value, previousVersion, version) ?? (await doneIn(done.value.threadId, done.value.move));
    toast({
        text: told(done.value, what, 'Redone'),
        kind: 'ok',
        actions: [...showLeft(done.value), { label: 'Undo', run: () => void undoLast() }],
        subject: 'version',
        state: done.value.threadId,
    });
}

export async function stopAll(): Promise<void> {
    const done = await stop();
    if (!done.ok) tell(done.trouble, 'Nothing was stopped.');
    else announce(`The agents of this conversation were stopped.${cancelledWords(done.value.tasks)}`);
}

/** The conversation after the one on screen that has unread messages, or else the oldest unread item of the inbox. */
export function nextUnread(): void {
    const here = place.value;
    const known = world.value;
    const open = state.value.open;
    if (known && open) {
        const chats = listedChats(known);
        const at = here.kind === 'chat' ? chats.findIndex(chat => chat.id === here.c) : -1;
        const next = [...chats.slice(at + 1), ...chats.slice(0, Math.max(0, at))].find(
            chat => unreadOf(chat) > 0,
        );
        if (next) return go({ kind: 'chat', w: open, c: next.id, view: 'chat' });
    }
    const items = Object.values(state.value.inbox.items).filter(item => !item.readAt && !item.doneAt);
    const first = items.sort((one, other) => one.createdAt.localeCompare(other.createdAt))[0];
    if (first) return go({ kind: 'inbox', item: first.id });
    if (state.value.inbox.unread > 0) return go({ kind: 'inbox' });
    toast({ text: 'Nothing is unread.' });
}

const needs = new Set(['question', 'approval', 'failure']);

export function nextThatNeedsYou(): void {
    const items = Object.values(state.value.inbox.items)
        .filter(item => needs.has(item.type) && !item.doneAt)
        .sort((one, other) => one.createdAt.localeCompare(other.createdAt));
    const here = place.value;
    const at = here.kind === 'inbox' ? items.findIndex(item => item.id === here.item) : -1;
    const next = items[at + 1] ?? items[0];
    if (next) return go({ kind: 'inbox', item: next.id });
    if (state.value.inbox.needsYou > 0) return go({ kind: 'inbox' });
    toast({ text: 'Nothing needs you.' });
}
