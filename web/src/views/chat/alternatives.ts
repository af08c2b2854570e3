// alternatives.ts: asking an agent for another answer, and choosing among the answers that there are.

import { signal } from '@preact/signals';
import { newKey } from '../../api/client';
import { askAnother, getMessage } from '../../api/calls';
import type { Message } from '../../api/types';
import { announce, toast } from '../../parts/parts';
import { focused } from '../../store/focus';
import { makeCurrentWith, shown, state, takeBack, world } from '../../store/store';
import { tellLeft } from '../shared/left-behind';

/** The answer for which a model is being picked. */
export const modelFor = signal<Message | null>(null);

/** Why no other answer can be asked for; null: it can. */
export function notAskable(m: Message): string | null {
    if (m.role !== 'assistant' || m.turnId === null) return 'only answers of agents';
    if (!shown.peek().readOnly) return null;
    return state.peek().readOnly ? 'the server is read only' : 'an older version is read only';
}

/** The old answer and what follows it stay in their version. */
export async function another(m: Message, model?: string): Promise<void> {
    const why = notAskable(m);
    if (why !== null) return void toast({ text: `No other answer: ${why}.`, subject: 'another' });
    const body = { chatId: m.chatId, ...(model === undefined ? {} : { model }) };
    const done = await askAnother(world.peek()?.world.name ?? '', m.messageId, body, {
        key: newKey(),
        query: { chatId: m.chatId },
    });
    if (!done.ok)
        return void toast({ text: `No other answer was asked for. ${done.trouble.detail}`, kind: 'error' });
    const before = done.value.previousThreadId;
    toast({
        text: `@${m.sender} answers again. The old answer is in ${done.value.previousVersion}.`,
        subject: 'version',
        actions: before ? [{ label: 'Undo', run: () => void takeBack(before).then(tellLeft) }] : [],
    });
}

export async function choose(m: Message, all: readonly string[], by: number): Promise<void> {
    const at = all.indexOf(m.messageId);
    const to = at < 0 ? undefined : all[at + by];
    if (to === undefined) return announce('There is no other answer there.');
    const done = await makeCurrentWith(to);
    if (!done.ok)
        return void toast({ text: `The version was not changed. ${done.trouble.detail}`, kind: 'error' });
    focused.value = to;
    announce(`Answer ${at + by + 1} of ${all.length}.`);
}

/** The same by a key. What came as an event does not know its alternatives. */
export async function stepAnswer(m: Message, by: number): Promise<void> {
    const told = m.alternatives
        ? null
        : await getMessage(world.peek()?.world.name ?? '', m.messageId, { chatId: m.chatId });
    await choose(m, m.alternatives ?? (told?.ok ? (told.value.alternatives ?? []) : []), by);
}
