// queue-strip.tsx: messages that wait until the agents are done. The server keeps them, so other devices see them too.

import { useSignal } from '@preact/signals';
import { changeQueued, removeQueued } from '../../api/calls';
import { newKey, type Result } from '../../api/client';
import type { QueueItem } from '../../api/types';
import { Button, IconButton, toast } from '../../parts/parts';
import { draft } from '../../store/drafts';
import { refreshChat, world } from '../../store/store';
import { useNarrow } from '../shared/narrow';
import { focusComposer } from './composer-focus';
import { painted } from './paint';
import { beginChange } from './queued-edit';

const SHOWN = 60;
/** Items that are seen without asking for the others. */
const FOLDED = 3;

const w = () => world.peek()?.world.name ?? '';

async function done(call: Promise<Result<unknown>>, before: string): Promise<boolean> {
    const answer = await call;
    if (!answer.ok) toast({ text: `${before} ${answer.trouble.detail}`, kind: 'error' });
    // The event may be on its way; a server that dropped it is asked.
    if (!answer.ok) void refreshChat();
    return answer.ok;
}

function sendNow(q: QueueItem): void {
    void done(
        changeQueued(w(), q.chatId, q.id, { send: true }, { key: newKey() }),
        'The message was not sent.',
    );
}

function edit(q: QueueItem): void {
    beginChange(w(), q);
    focusComposer();
}

function drop(q: QueueItem): void {
    void done(removeQueued(w(), q.chatId, q.id, { key: newKey() }), 'The message was not removed.');
}

function Waiting({ item: q }: { item: QueueItem }) {
    const words = q.content.length > SHOWN ? `${q.content.slice(0, SHOWN)}…` : q.content;
    const changing = draft(w(), q.chatId).value.queued?.id === q.id;
    return (
        <li>
            <span class="chat-queue-text" dir="auto">{`“${words}”`}</span>
            {changing ? (
                <span class="muted">being changed</span>
            ) : (
                <>
                    <Button small kind="quiet" label={`Send now: ${words}`} onClick={() => sendNow(q)}>
                        Send now
                    </Button>
                    <IconButton
                        icon="edit"
                        label={`Edit the queued message: ${words}`}
                        onClick={() => edit(q)}
                    />
                </>
            )}
            <IconButton icon="close" label={`Remove the queued message: ${words}`} onClick={() => drop(q)} />
        </li>
    );
}

export function QueueStrip() {
    const queue = painted.value.chat?.queue ?? [];
    const folded = useSignal(true);
    const narrow = useNarrow();
    if (queue.length === 0) return null;
    const some = narrow ? 1 : FOLDED;
    const rest = queue.length - some;
    return (
        <section class="chat-queue" aria-label="Queued messages">
            <h3>Queue:</h3>
            <ul>
                {(folded.value ? queue.slice(0, some) : queue).map(q => (
                    <Waiting key={q.id} item={q} />
                ))}
            </ul>
            {rest > 0 ? (
                <Button
                    small
                    kind="quiet"
                    onClick={() => {
                        folded.value = !folded.value;
                    }}
                >
                    {folded.value ? `${rest} more` : 'Less'}
                </Button>
            ) : null}
        </section>
    );
}
