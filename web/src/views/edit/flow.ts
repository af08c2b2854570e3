// flow.ts: what comes before an edit or a removal: the person is told what it takes away, and agrees. run.ts does it.
import { signal } from '@preact/signals';
import { countRemoval, stopAgents, updateWorld } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { Busy, Count, Message } from '../../api/types';
import { refreshWorld, world } from '../../store/store';
import { typed } from './backup';
import { progress } from './progress';

/** What the person is about to do: both take the message and all after it away. */
export type Aim = 'edit' | 'remove';

/** What an edit or a removal is asked for. */
export interface Wanted {
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

export const flow = signal<Flow>({ step: 'closed' });

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

/** The message is no longer in this version, so nothing is left to remove. */
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
