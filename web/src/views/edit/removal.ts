// removal.ts: a message and all after it leave the version; the version before keeps them.
import { removeMessage } from '../../api/calls';
import { newKey, type Trouble } from '../../api/client';
import type { Count, Message } from '../../api/types';
import { toast } from '../../parts/parts';
import { focused } from '../../store/focus';
import { refreshChat, takeBack, world } from '../../store/store';
import { leftWords, waysBack } from '../shared/left-behind';
import { messages } from '../shared/words';
import { begin, CHANGED, close, flow, showBusy } from './flow';

/** The person agreed to `count`: what goes is what was counted, or nothing. */
export async function remove(message: Message, count: Count): Promise<void> {
    const w = world.value?.world.name;
    if (!w) return;
    close();
    const done = await removeMessage(
        w,
        message.messageId,
        { chatId: message.chatId },
        { key: newKey(), ifMatch: count.etag },
    );
    if (!done.ok) return notRemoved(message, done.trouble);
    focused.value = null;
    await refreshChat();
    const { messagesRemovedTotal: n, previousThreadId, previousVersion, threadId } = done.value;
    const gone = messages(n, count.toolResults);
    toast({
        text: `Removed ${gone}. ${n === 1 ? 'It is' : 'They are'} in ${previousVersion ?? 'the previous version'}.`,
        actions: previousThreadId
            ? [{ label: 'Undo', run: () => void putBack(previousThreadId, gone, n) }]
            : [],
        subject: 'version',
        state: threadId,
    });
}

async function notRemoved(message: Message, trouble: Trouble): Promise<void> {
    const wanted = { message, aim: 'remove' as const };
    if (trouble.status === 423) showBusy(wanted, trouble);
    else if (trouble.status === 412) await begin(wanted, CHANGED.remove);
    else flow.value = { step: 'refused', ...wanted, trouble };
}

async function putBack(threadId: string, gone: string, n: number): Promise<void> {
    const answer = await takeBack(threadId);
    if (!answer.ok) {
        toast({ text: `The messages could not be put back: ${answer.trouble.detail}`, kind: 'error' });
        return;
    }
    toast({
        text: `${gone} ${n === 1 ? 'is' : 'are'} back.${leftWords(answer.value)}`,
        actions: waysBack(answer.value),
        subject: 'version',
        state: threadId,
    });
}
