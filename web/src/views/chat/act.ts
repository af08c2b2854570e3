// act.ts: what can be done with a message, wherever it is asked for: keys, buttons, menu, sheet, panel.

import { address, newKey } from '../../api/client';
import {
    branch,
    exportChat,
    listMessageVersions,
    listReplies,
    listSiblings,
    retryAnswer,
} from '../../api/calls';
import type { Message } from '../../api/types';
import { announce, toast } from '../../parts/parts';
import { draft } from '../../store/drafts';
import { selected, selecting } from '../../store/focus';
import { chatName } from '../../store/names';
import { go, href, inspect as lookInto } from '../../store/place';
import { refreshWorld, state, world } from '../../store/store';
import { startEdit } from '../edit/edit';
import { data as versions } from '../history/data';
import { branchTitle } from '../history/model';
import { herePlace, jumpTo } from './view-state';
import { isOwn, parentOf } from './words';
import { focusComposer } from './composer-focus';

const w = () => world.peek()?.world.name ?? '';

export function reply(m: Message): void {
    const own = draft(w(), m.chatId);
    own.value = { ...own.value, replyTo: m.messageId };
    focusComposer();
}

/** Why a message cannot be edited; null: it can. */
function notEditable(m: Message): string | null {
    const v = herePlace()?.v;
    if (state.peek().readOnly) return 'This server is read only: nothing can be changed.';
    if (v !== undefined) {
        const version = versions.peek().versions.find(one => one.threadId === v)?.version;
        return `This is ${version ?? 'an older version'}: make it current to edit.`;
    }
    return isOwn(m) ? null : 'Only your own messages can be edited.';
}

export function edit(m: Message): void {
    const why = notEditable(m);
    if (why === null) void startEdit(m);
    else toast({ text: why, subject: 'edit' });
}

export function toParent(m: Message): void {
    const parent = parentOf(m);
    if (parent) jumpTo(parent);
    else announce('This message replies to nothing.');
}

export async function toFirstReply(m: Message): Promise<void> {
    const answer = await listReplies(w(), m.messageId, { chatId: m.chatId, limit: 1 });
    const first = answer.ok ? answer.value.data[0] : undefined;
    if (first) jumpTo(first.messageId);
    else announce('This message has no replies.');
}

export async function toSibling(m: Message): Promise<void> {
    const answer = await listSiblings(w(), m.messageId, { chatId: m.chatId, limit: 100 });
    if (!answer.ok || answer.value.data.length === 0)
        return announce('There is no other reply to the same message.');
    const after = answer.value.data.find(s => s.position > m.position) ?? answer.value.data[0]!;
    jumpTo(after.messageId);
}

async function copy(text: string, said: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
        toast({ text: said });
    } catch {
        toast({
            text: `The browser did not allow copying. The text is: ${text.slice(0, 300)}`,
            kind: 'warn',
        });
    }
}

export function copyLink(m: Message): void {
    const p = herePlace();
    if (p) void copy(location.origin + href({ ...p, m: m.messageId }), 'The link is copied.');
}

export function copyMarkdown(m: Message): void {
    void copy(m.content, 'The text is copied.');
}

export function inspect(m: Message): void {
    lookInto({ messageId: m.messageId });
}

export async function branchFrom(m: Message): Promise<void> {
    const chat = world.peek()?.chats[m.chatId];
    const title = branchTitle(chatName(chat), chat ? `v${chat.version}` : null);
    const made = await branch(w(), m.chatId, { messageId: m.messageId, title }, { key: newKey() });
    if (!made.ok) return void toast({ text: `No branch was made. ${made.trouble.detail}`, kind: 'error' });
    await refreshWorld();
    go({ kind: 'chat', w: w(), c: made.value.id, view: 'chat' });
    toast({
        text: 'This is a new conversation with the same messages. The old conversation is unchanged.',
        kind: 'ok',
    });
}

export function toggleSelect(m: Message): void {
    const now = new Set(selected.peek());
    if (!now.delete(m.messageId)) now.add(m.messageId);
    selected.value = now;
    selecting.value = now.size > 0;
}

/** Has the agent answer the message once more; nobody else is asked, and nothing leaves the conversation. true: it is asked. */
export async function askAgain(m: Message, agent: string): Promise<boolean> {
    const done = await retryAnswer(w(), m.messageId, { agent, chatId: m.chatId }, { key: newKey() });
    if (!done.ok) toast({ text: `@${agent} was not asked again. ${done.trouble.detail}`, kind: 'error' });
    return done.ok;
}

export async function exportThread(m: Message): Promise<void> {
    const got = await exportChat(w(), m.chatId, { format: 'md', root: m.messageId });
    if (!got.ok) return void toast({ text: `The export failed. ${got.trouble.detail}`, kind: 'error' });
    const text = got.value as unknown;
    const blob =
        text instanceof Blob
            ? text
            : new Blob([typeof text === 'string' ? text : JSON.stringify(text)], { type: 'text/markdown' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `thread-${m.messageId}.md`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The address of the whole conversation as a file. */
export function exportAddress(chatId: string): string {
    return address(`/worlds/${encodeURIComponent(w())}/chats/${encodeURIComponent(chatId)}/export`, {
        format: 'md',
    });
}

/** Opens the version that was there before the message. */
export async function travelBefore(m: Message): Promise<void> {
    const p = herePlace();
    const answer = await listMessageVersions(w(), m.messageId, { chatId: m.chatId, limit: 100 });
    const oldest = answer.ok ? answer.value.data.at(-1) : undefined;
    if (!p || !oldest?.originalThread) return announce('There is no earlier version.');
    go({ ...p, v: oldest.originalThread, m: undefined });
}

/** Opens a version that holds a message which this one does not. */
export async function lookInVersions(id: string, chatId: string): Promise<void> {
    const p = herePlace();
    const answer = await listMessageVersions(w(), id, { chatId, limit: 1 });
    const newest = answer.ok ? answer.value.data[0] : undefined;
    if (p && newest?.threadId) go({ ...p, v: newest.threadId, m: id });
    else toast({ text: 'No version of this conversation contains that message.' });
}
