// run.ts: an edit that the person agreed to. The message and all after it are removed from every memory, and then the new
// text is sent; its backup says what is left to do, so that each step can be repeated.
import { postMessage, removeMessage } from '../../api/calls';
import { newKey, type Trouble } from '../../api/client';
import type { Message, RemovalResult } from '../../api/types';
import { toast } from '../../parts/parts';
import { chat, on, refreshChat, takeBack, world } from '../../store/store';
import { isLeaving } from '../shared/leaving';
import { leftWords, waysBack } from '../shared/left-behind';
import { messages } from '../shared/words';
import { alone, forget, keep, keepTyped, leftover, type Backup } from './backup';
import { begin, CHANGED, close, flow, showBusy, type Wanted } from './flow';
import { progress } from './progress';

/** The person agreed: from here on the text is kept until the server has it. */
export async function submit(newText: string): Promise<void> {
    const now = flow.value;
    const w = world.value?.world.name;
    if (now.step !== 'ready' || now.aim !== 'edit' || !w || newText.trim() === '') return;
    const backup: Backup = {
        world: w,
        chatId: now.message.chatId,
        messageId: now.message.messageId,
        newText,
        phase: 'removing',
        removeKey: newKey(),
        postKey: newKey(),
        clientMessageId: `edit-${newKey()}`,
        count: now.count.count,
        results: now.count.toolResults,
        etag: now.count.etag,
        previousThread: chat.value?.thread ?? null,
        replyTo: now.message.replyToMessageId,
        instructions: own(now.message),
        reason: '',
        at: Date.now(),
    };
    close();
    keep(backup);
    await proceed(backup);
}

// What follows from who wrote a message is stamped by the server, never sent.
function own(message: Message): Message['instructions'] {
    return message.instructions.filter(i => !i.type.startsWith('Source.'));
}

/** Does what is left of an edit, from the step that is not known to have ended. */
export async function proceed(before: Backup): Promise<void> {
    const outcome = await alone(before.world, before.chatId, async () => {
        // The reason of an earlier try is not that of this one: until it fails, only the page can end it.
        const backup = { ...before, reason: '', at: Date.now(), tries: (before.tries ?? 0) + 1 };
        await (backup.phase === 'removing' ? remove(backup) : resubmit(backup));
        return true;
    });
    if (outcome === null) toast({ text: 'This edit continues in another window.' });
}

/** Until the server has said that the messages are gone, the person may want it otherwise. */
export function cancel(): void {
    const now = progress.value;
    if (now?.step !== 'removing' || now.cancelled) return;
    progress.value = { ...now, cancelled: true };
    keep({ ...now.backup, cancelled: true });
}

const isCancelled = () => progress.value?.cancelled === true;

async function remove(backup: Backup): Promise<void> {
    progress.value = { backup, step: 'removing', removed: 0, agentsDone: 0, agentsTotal: agentCount() };
    keep(backup);
    const answer = await removeMessage(
        backup.world,
        backup.messageId,
        { chatId: backup.chatId, resubmit: true },
        { key: backup.removeKey, ifMatch: backup.etag },
    );
    if (answer.ok) {
        noteRemoval(answer.value);
        const next: Backup = {
            ...backup,
            phase: 'resubmitting',
            count: answer.value.messagesRemovedTotal,
            previousThread: answer.value.previousThreadId ?? backup.previousThread,
            thread: answer.value.threadId,
        };
        if (isCancelled()) {
            progress.value = null;
            const unwanted = { ...next, cancelled: true };
            keep(unwanted);
            return putBack(unwanted, CANCELLED);
        }
        await resubmit(next);
        return;
    }
    const cancelled = isCancelled();
    progress.value = null;
    await notRemoved({ ...backup, cancelled }, answer.trouble);
}

function noteRemoval(result: RemovalResult): void {
    const now = progress.value;
    if (now)
        progress.value = {
            ...now,
            removed: result.messagesRemovedTotal,
            agentsDone: result.processedAgents.length,
            agentsTotal: result.totalAgents,
        };
}

// Nothing was removed, so nothing is half done: the text goes back to where it was typed. Only when
// nobody knows whether the request arrived does the backup stay.
async function notRemoved(backup: Backup, trouble: Trouble): Promise<void> {
    if (trouble.status === 0) {
        keepReason(backup, trouble);
        return;
    }
    forget(backup);
    keepTyped(backup.messageId, backup.newText);
    if (backup.cancelled) {
        toast({ text: `${CANCELLED} Nothing was removed. ${KEPT}`, subject: 'version' });
        return;
    }
    const message = chat.value?.rows.find(m => m.messageId === backup.messageId);
    if (!message || trouble.status === 404) {
        flow.value = { step: 'gone', text: backup.newText };
        return;
    }
    const wanted: Wanted = { message, aim: 'edit' };
    if (trouble.status === 423) showBusy(wanted, trouble);
    else if (trouble.status === 412) await begin(wanted, CHANGED.edit);
    else flow.value = { step: 'refused', ...wanted, trouble };
}

/** A request that ends with its page tells nothing: then there is no reason but that. */
function keepReason(backup: Backup, trouble: Trouble): void {
    keep({ ...backup, reason: isLeaving() ? '' : trouble.detail, at: Date.now() });
}

async function resubmit(backup: Backup): Promise<void> {
    const before = progress.value;
    progress.value = {
        backup,
        step: 'sending',
        removed: before?.removed ?? backup.count,
        agentsDone: before?.agentsDone ?? 0,
        agentsTotal: before?.agentsTotal ?? agentCount(),
    };
    keep(backup);
    const idle = untilIdle(backup.chatId); // the agents may be done before the answer is here
    const answer = await postMessage(
        backup.world,
        {
            content: backup.newText,
            chatId: backup.chatId,
            clientMessageId: backup.clientMessageId,
            replyToMessageId: backup.replyTo,
            instructions: backup.instructions,
        },
        { key: backup.postKey },
    );
    if (!answer.ok) {
        idle.stop();
        progress.value = null;
        keepReason(backup, answer.trouble);
        return;
    }
    forget(backup);
    keepTyped(backup.messageId, null);
    said(backup);
    if ((answer.value.delivery ?? []).some(d => d.state === 'queued')) responding(backup, idle);
    else {
        idle.stop();
        progress.value = null;
    }
}

interface Idle {
    over: boolean;
    stop: () => void;
    whenOver: (f: () => void) => void;
}

function untilIdle(chatId: string): Idle {
    let tell = () => {};
    const idle: Idle = { over: false, stop: () => off(), whenOver: f => (idle.over ? f() : void (tell = f)) };
    const off = on('world.idle', event => {
        if (event.chatId !== chatId) return;
        off();
        idle.over = true;
        tell();
    });
    return idle;
}

// The last phase ends when the agents do; the person may go on meanwhile, so nothing waits for it.
function responding(backup: Backup, idle: Idle): void {
    const now = progress.value;
    if (now) progress.value = { ...now, step: 'responding' };
    idle.whenOver(() => {
        if (progress.value?.backup.clientMessageId === backup.clientMessageId) progress.value = null;
    });
}

function said(backup: Backup): void {
    const text = `Edited. ${areWords(backup)} in the previous version.`;
    toast({
        text,
        kind: 'ok',
        actions: backup.previousThread ? [{ label: 'Undo', run: () => void putBack(backup) }] : [],
        subject: 'version',
        state: backup.thread ?? chat.value?.thread,
    });
}

const areWords = (b: Pick<Backup, 'count' | 'results'>) =>
    `${messages(b.count, b.results)} ${b.count === 1 ? 'is' : 'are'}`;

const CANCELLED = 'Cancelled.';
const KEPT = 'Your new text is saved and appears when you edit again.';

/** Makes the version before the edit current again; the new text stays where it was typed. */
export async function putBack(backup: Backup, before = ''): Promise<void> {
    if (!backup.previousThread) return;
    keepTyped(backup.messageId, backup.newText);
    const answer = await takeBack(backup.previousThread);
    if (!answer.ok && answer.trouble.code !== 'NOTHING_TO_DO') {
        // After an edit that was sent there is nothing to recover.
        if (leftover(backup.world, backup.chatId)?.clientMessageId === backup.clientMessageId)
            keepReason({ ...backup, tries: (backup.tries ?? 0) + 1 }, answer.trouble);
        toast({ text: `The messages could not be put back: ${answer.trouble.detail}`, kind: 'error' });
        return;
    }
    forget(backup);
    await refreshChat();
    toast({
        // Nothing to put back: the server never got as far.
        text: [
            before,
            answer.ok ? `${areWords(backup)} back.${leftWords(answer.value)}` : 'Nothing was removed.',
            KEPT,
        ]
            .filter(Boolean)
            .join(' '),
        actions: answer.ok ? waysBack(answer.value) : [],
        subject: 'version',
    });
}

function agentCount(): number {
    return Object.keys(world.value?.agents ?? {}).length;
}
