// flow.ts: the steps of an edit. First the person is told what it takes away; then the message and
// all after it are removed from every memory, and the new text is sent. Each step can be repeated.
import { signal } from '@preact/signals';
import { countRemoval, postMessage, removeMessage, stopAgents, updateWorld } from '../../api/calls';
import { newKey, type Trouble } from '../../api/client';
import type { Busy, Count, FailedAgent, Message, RemovalResult } from '../../api/types';
import { toast } from '../../parts/parts';
import { chat, on, refreshChat, refreshWorld, takeBack, world } from '../../store/store';
import { messages } from '../shared/words';
import { alone, forget, keep, keepTyped, typed, type Backup } from './backup';

/** What the person is about to do: both take the message and all after it away. */
export type Aim = 'edit' | 'remove';

/** What an edit or a removal is asked for. */
interface Wanted {
    message: Message;
    aim: Aim;
}

export type Flow =
    | { step: 'closed' }
    | ({ step: 'counting' } & Wanted)
    | ({ step: 'refused'; trouble: Trouble } & Wanted)
    | { step: 'gone'; text: string }
    | ({ step: 'sessionOff'; trouble: Trouble | null } & Wanted)
    | ({
          step: 'busy';
          busy: Pick<Busy, 'agent'>[];
          stopping: boolean;
          trouble: Trouble | null;
      } & Wanted)
    | ({ step: 'ready'; count: Count; note: string } & Wanted);

export interface Progress {
    backup: Backup;
    step: 'removing' | 'sending' | 'responding';
    removed: number;
    agentsDone: number;
    agentsTotal: number;
}

export const flow = signal<Flow>({ step: 'closed' });
export const progress = signal<Progress | null>(null);
/** Agents whose memory could not be changed, until they are retried or put away. */
export const partial = signal<{ messageId: string; done: string[]; failed: FailedAgent[] } | null>(null);

const closed: Flow = { step: 'closed' };

export function close(): void {
    flow.value = closed;
}

export const startEdit = (message: Message) => begin({ message, aim: 'edit' });
export const startRemoval = (message: Message) => begin({ message, aim: 'remove' });

/** Asks what an edit or a removal would take away, and opens the dialog that fits the answer. */
export async function begin({ message, aim }: Wanted, note = ''): Promise<void> {
    const w = world.value?.world.name;
    if (!w || progress.value) return;
    const mine: Flow = { step: 'counting', message, aim };
    flow.value = mine;
    const answer = await countRemoval(w, message.messageId, { chatId: message.chatId });
    if (flow.value !== mine) return; // closed or begun again meanwhile
    if (!answer.ok) {
        flow.value = { step: 'refused', message, aim, trouble: answer.trouble };
        return;
    }
    const count = answer.value;
    if (count.blockedBy === 'session-off') flow.value = { step: 'sessionOff', message, aim, trouble: null };
    else if (count.blockedBy === 'world-busy') showBusy({ message, aim }, null);
    else flow.value = { step: 'ready', message, aim, count, note };
}

export const CHANGED: Record<Aim, string> = {
    edit: 'The conversation changed while you were writing. This is the count now.',
    remove: 'The conversation changed meanwhile. This is the count now.',
};

/** Another window, or an agent, changed the conversation under an open dialog: what it says must be so now. */
export async function recount(): Promise<void> {
    const now = flow.value;
    const w = world.value?.world.name;
    if (now.step !== 'ready' || !w) return;
    const { message } = now;
    const answer = await countRemoval(w, message.messageId, { chatId: message.chatId });
    const open = flow.value;
    if (open.step !== 'ready' || open.message !== message) return;
    if (!answer.ok) {
        if (answer.trouble.status === 404) gone(open);
        return;
    }
    const note = answer.value.count === open.count.count ? open.note : CHANGED[open.aim];
    flow.value = { ...open, count: answer.value, note };
}

/** The message is not in this version any more: whoever wanted it away has what they wanted. */
function gone({ message, aim }: Wanted): void {
    flow.value = aim === 'edit' ? { step: 'gone', text: typed(message) } : closed;
}

export function showBusy({ message, aim }: Wanted, trouble: Trouble | null): void {
    const busy = trouble?.busy ?? (world.value?.busy ?? []).map(agent => ({ agent }));
    flow.value = { step: 'busy', message, aim, busy, stopping: false, trouble: null };
}

/** The way out of "agents are responding": stops them, keeps what they wrote, and asks again. */
export async function stopAndGoOn(): Promise<void> {
    const now = flow.value;
    const w = world.value?.world.name;
    if (now.step !== 'busy' || !w) return;
    flow.value = { ...now, stopping: true };
    const answer = await stopAgents(w, { chatId: now.message.chatId });
    if (flow.value.step !== 'busy') return;
    if (answer.ok) await begin(now);
    else flow.value = { ...now, stopping: false, trouble: answer.trouble };
}

export async function turnSessionsOn(): Promise<void> {
    const now = flow.value;
    const w = world.value?.world.name;
    if (now.step !== 'sessionOff' || !w) return;
    const answer = await updateWorld(w, { currentChatId: now.message.chatId });
    if (!answer.ok) {
        flow.value = { ...now, trouble: answer.trouble };
        return;
    }
    await refreshWorld();
    await begin(now);
}

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
export async function proceed(backup: Backup): Promise<void> {
    const outcome = await alone(backup.world, backup.chatId, async () => {
        await (backup.phase === 'removing' ? remove(backup) : resubmit(backup));
        return true;
    });
    if (outcome === null) toast({ text: 'This edit is being carried on in another window.' });
}

async function remove(backup: Backup): Promise<void> {
    progress.value = { backup, step: 'removing', removed: 0, agentsDone: 0, agentsTotal: agentCount() };
    const answer = await removeMessage(
        backup.world,
        backup.messageId,
        { chatId: backup.chatId, resubmit: true },
        { key: backup.removeKey, ifMatch: backup.etag },
    );
    if (answer.ok) {
        noteRemoval(backup, answer.value);
        const next: Backup = {
            ...backup,
            phase: 'resubmitting',
            count: answer.value.messagesRemovedTotal,
            previousThread: answer.value.previousThreadId ?? backup.previousThread,
            thread: answer.value.threadId,
        };
        keep(next);
        await resubmit(next);
        return;
    }
    progress.value = null;
    await notRemoved(backup, answer.trouble);
}

function noteRemoval(backup: Backup, result: RemovalResult): void {
    const now = progress.value;
    if (now)
        progress.value = {
            ...now,
            removed: result.messagesRemovedTotal,
            agentsDone: result.processedAgents.length,
            agentsTotal: result.totalAgents,
        };
    if (result.failedAgents.length > 0)
        partial.value = {
            messageId: backup.messageId,
            done: result.processedAgents,
            failed: result.failedAgents,
        };
}

// Nothing was removed, so nothing is half done: the text goes back to where it was typed. Only when
// nobody knows whether the request arrived does the backup stay.
async function notRemoved(backup: Backup, trouble: Trouble): Promise<void> {
    if (trouble.status === 0) {
        keep({ ...backup, reason: trouble.detail });
        return;
    }
    forget(backup);
    keepTyped(backup.messageId, backup.newText);
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

async function resubmit(backup: Backup): Promise<void> {
    const before = progress.value;
    progress.value = {
        backup,
        step: 'sending',
        removed: before?.removed ?? backup.count,
        agentsDone: before?.agentsDone ?? 0,
        agentsTotal: before?.agentsTotal ?? agentCount(),
    };
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
        keep({ ...backup, reason: answer.trouble.detail });
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
    const text = `Edited. ${areWords(backup)} in the version before.`;
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

/** Makes the version before the edit current again; the new text stays where it was typed. */
export async function putBack(backup: Backup): Promise<void> {
    if (!backup.previousThread) return;
    keepTyped(backup.messageId, backup.newText);
    const answer = await takeBack(backup.previousThread);
    if (!answer.ok && answer.trouble.code !== 'NOTHING_TO_DO') {
        toast({ text: `The messages could not be put back: ${answer.trouble.detail}`, kind: 'error' });
        return;
    }
    forget(backup);
    await refreshChat();
    toast({
        text: `${areWords(backup)} back. Your new text is kept: it is there when you edit again.`,
        subject: 'version',
    });
}

function agentCount(): number {
    return Object.keys(world.value?.agents ?? {}).length;
}

export { typed, keepTyped };
