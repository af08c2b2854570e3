// queued-edit.tsx: a message that waits is changed in the box and keeps its place in the queue. It may be said meanwhile:
// then what is in the box is a message of its own.

import type { Signal } from '@preact/signals';
import { changeQueued } from '../../api/calls';
import { newKey } from '../../api/client';
import type { QueueItem } from '../../api/types';
import { IconButton, toast } from '../../parts/parts';
import { draft, type Draft } from '../../store/drafts';
import { refreshChat } from '../../store/store';
import { painted } from './paint';

/** What was in the box stays aside until the change is made or given up. */
export function beginChange(w: string, q: QueueItem): void {
    const own = draft(w, q.chatId);
    const { text, replyTo, tags, queued } = own.peek();
    const aside = queued ? queued.aside : { text, replyTo };
    own.value = { text: q.content, replyTo: null, tags, queued: { id: q.id, aside } };
}

export function endChange(own: Signal<Draft>): void {
    const { tags, queued } = own.peek();
    if (queued) own.value = { ...queued.aside, tags };
}

/** Nothing of what the person typed goes: what was put aside stands below it. */
function becomeNew(own: Signal<Draft>): void {
    const { text, tags, queued } = own.peek();
    if (!queued) return;
    const { aside } = queued;
    own.value = {
        text: aside.text.trim() === '' ? text : `${text}\n\n${aside.text}`,
        replyTo: aside.replyTo,
        tags,
    };
}

const SAID =
    'The queued message was sent unchanged meanwhile. Your text is in the box: Send sends it as a new message.';

/** true: the text was that of a waiting message, and is seen to. */
export async function change(w: string, chatId: string, own: Signal<Draft>): Promise<boolean> {
    const { text, queued } = own.peek();
    if (!queued) return false;
    const answer = await changeQueued(w, chatId, queued.id, { content: text }, { key: newKey() });
    if (answer.ok) {
        if (own.peek().queued?.id === queued.id) endChange(own);
        toast({ text: 'Changed; its place in the queue stays.', subject: 'queue' });
        return true;
    }
    if (answer.trouble.status === 404) {
        becomeNew(own);
        void refreshChat();
        toast({ text: SAID, kind: 'warn', subject: 'queue' });
    } else
        toast({
            text: `The message was not changed. ${answer.trouble.detail}`,
            kind: 'error',
            subject: 'queue',
        });
    return true;
}

export function ChangeChip({ own }: { own: Signal<Draft> }) {
    const id = own.value.queued?.id;
    if (id === undefined) return null;
    const queue = painted.value.chat?.queue ?? [];
    const at = queue.findIndex(q => q.id === id);
    const words =
        at < 0
            ? 'The message that you are changing was sent unchanged meanwhile.'
            : `Changing queued message ${at + 1} of ${queue.length}.`;
    return (
        <p class="chat-chip chat-chip-whole" role="status">
            <span>{`✎ ${words}`}</span>
            <IconButton
                icon="close"
                label="Keep the queued message unchanged"
                onClick={() => endChange(own)}
            />
        </p>
    );
}
