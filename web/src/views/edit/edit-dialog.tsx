// edit-dialog.tsx: what the person sees before anything is removed.
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Count, Message } from '../../api/types';
import { Button, Dialog, TroubleBox } from '../../parts/parts';
import { chat } from '../../store/store';
import { AwayNote, isAway } from '../shared/away';
import { copyText } from '../shared/copy';
import { count as counted, grouped } from '../shared/words';
import {
    close,
    flow,
    keepTyped,
    recount,
    startEdit,
    stopAndEdit,
    submit,
    turnSessionsOn,
    typed,
} from './flow';

/** From here on a list is worth a look before it goes. */
const LOOK_FROM = 11;
const MANY_AGENTS = 50;

export function EditDialog() {
    const now = flow.value;
    switch (now.step) {
        case 'closed':
            return null;
        case 'counting':
            return (
                <Dialog title="Edit this message" onClose={close}>
                    <p>Counting what follows…</p>
                </Dialog>
            );
        case 'refused':
            return (
                <Dialog title="This message cannot be edited" onClose={close}>
                    <TroubleBox trouble={now.trouble} onRetry={() => void startEdit(now.message)} />
                </Dialog>
            );
        case 'gone':
            return <Gone text={now.text} />;
        case 'sessionOff':
            return <SessionOff />;
        case 'busy':
            return <AgentsBusy />;
        case 'writing':
            return (
                <Write key={now.message.messageId} message={now.message} count={now.count} note={now.note} />
            );
    }
}

function Gone({ text }: { text: string }) {
    return (
        <Dialog
            title="This message is not in this version any more"
            onClose={close}
            actions={
                <>
                    <Button kind="main" onClick={() => void copyText(text, 'Your text')}>
                        Copy my text
                    </Button>
                    <Button onClick={close}>Close</Button>
                </>
            }
        >
            <p>
                The conversation was changed meanwhile, and the message that you edit was taken out of it.
                Nothing was removed by you. This is what you wrote:
            </p>
            <p class="edit-mine" dir="auto">
                {text}
            </p>
        </Dialog>
    );
}

function SessionOff() {
    const now = flow.value;
    if (now.step !== 'sessionOff') return null;
    return (
        <Dialog
            title="Sessions are off"
            onClose={close}
            actions={
                <>
                    <Button kind="main" onClick={() => void turnSessionsOn()}>
                        Turn sessions on
                    </Button>
                    <Button onClick={close}>Cancel</Button>
                </>
            }
        >
            <p>This world keeps no session, so an edited message cannot be sent again.</p>
            {now.trouble && <TroubleBox trouble={now.trouble} />}
        </Dialog>
    );
}

function AgentsBusy() {
    const now = flow.value;
    if (now.step !== 'busy') return null;
    const names = [...new Set(now.busy.map(b => `@${b.agent}`))];
    return (
        <Dialog
            title="Agents responding…"
            onClose={close}
            actions={
                <>
                    <Button kind="main" disabled={now.stopping} onClick={() => void stopAndEdit()}>
                        {now.stopping ? 'Stopping…' : 'Stop and edit'}
                    </Button>
                    <Button onClick={() => void startEdit(now.message)}>Try again</Button>
                    <Button onClick={close}>Cancel</Button>
                </>
            }
        >
            <p>
                {names.length > 0
                    ? `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} at work in this conversation.`
                    : 'Agents are at work in this conversation.'}{' '}
                A message can be edited when they are done. Stopping keeps what they wrote so far.
            </p>
            {now.trouble && <TroubleBox trouble={now.trouble} />}
        </Dialog>
    );
}

function Write({ message, count, note }: { message: Message; count: Count; note: string }) {
    const text = useSignal(typed(message));
    const looked = useSignal(false);
    const many = count.count >= LOOK_FROM;
    const mustLook = count.count > 1 && (many || count.isFirst);
    const ready = text.value.trim() !== '' && (!mustLook || looked.value);
    const version = `${chat.value?.thread} ${chat.value?.rows.at(-1)?.messageId}`;
    const counted = useRef(version);
    useEffect(() => {
        if (counted.current !== version) void recount();
        counted.current = version;
    }, [version]);
    // With the new number, not after it: a box that was ticked for this one stays ticked.
    useLayoutEffect(() => {
        looked.value = false;
    }, [count.count]);
    const box = useRef<HTMLInputElement>(null);
    const asked = useSignal(false);
    const askToLook = () => {
        asked.value = true;
        box.current?.focus();
    };
    return (
        <Dialog
            title={title(count)}
            wide
            onClose={close}
            actions={
                <>
                    <AwayNote />
                    <Button
                        kind="main"
                        disabled={!ready}
                        off={isAway()}
                        onClick={() => void submit(text.value)}
                    >
                        {yes(count)}
                    </Button>
                    <Button onClick={close}>Cancel</Button>
                </>
            }
        >
            {note && (
                <p class="edit-note" role="status">
                    {note}
                </p>
            )}
            <label class="edit-label">
                Your message
                <textarea
                    class="edit-text"
                    rows={4}
                    value={text.value}
                    autofocus
                    onInput={e => {
                        text.value = e.currentTarget.value;
                        keepTyped(message.messageId, text.value);
                    }}
                    onKeyDown={e => {
                        if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey) || e.isComposing) return;
                        e.preventDefault();
                        if (ready && !isAway()) void submit(text.value);
                        else if (mustLook && !looked.value) askToLook();
                    }}
                />
            </label>
            <Consequences count={count} />
            {mustLook && (
                <label class="edit-look">
                    <input
                        ref={box}
                        type="checkbox"
                        checked={looked.value}
                        onChange={e => {
                            looked.value = e.currentTarget.checked;
                        }}
                    />
                    I have looked at the list
                </label>
            )}
            {mustLook && (
                <p class="edit-warn" role="status">
                    {asked.value && !looked.value ? 'Tick the box first: all of the list goes.' : ''}
                </p>
            )}
        </Dialog>
    );
}

function title(count: Count): string {
    if (count.isFirst) return 'Edit the first message';
    return count.count >= LOOK_FROM ? 'Edit: more than 10 messages' : 'Edit this message';
}

function yes(count: Count): string {
    if (count.isFirst && count.count > 1) return 'Restart';
    return count.count >= LOOK_FROM ? `Remove ${grouped(count.count)} and send` : 'Save and send';
}

function Consequences({ count }: { count: Count }) {
    return (
        <div class="edit-count">
            <p>{sentence(count)}</p>
            {count.count >= LOOK_FROM && <p class="edit-muted">{byWhom(count)}</p>}
            <p class="edit-muted">Removed from this version only. You can undo it afterwards.</p>
            {(count.sideEffects ?? 0) > 0 && (
                <p class="edit-muted">
                    {counted(count.sideEffects ?? 0, 'tool call', 'tool calls')} among them may have changed
                    things outside. Removing the messages does not undo that.
                </p>
            )}
            {count.agents >= MANY_AGENTS && (
                <p class="edit-warn">
                    ⚠ {grouped(count.agents)} agents remember this conversation: updating them all can take a
                    moment.
                </p>
            )}
            {count.count > 1 && (
                <details class="edit-preview">
                    <summary>Preview the list</summary>
                    <ol>
                        {count.preview.map(m => (
                            <li key={m.messageId}>
                                <b>{m.sender === 'human' ? 'You' : `@${m.sender}`}</b>{' '}
                                <span dir="auto">{m.text}</span>
                            </li>
                        ))}
                        {count.preview.length < count.count && (
                            <li class="edit-muted">
                                … and {grouped(count.count - count.preview.length)} more
                            </li>
                        )}
                    </ol>
                </details>
            )}
        </div>
    );
}

function sentence(count: Count): string {
    if (count.isFirst) {
        const all = counted(count.count, 'message', 'messages');
        return `This is the first message. Editing will restart the conversation. Remove ${all}?`;
    }
    const these = counted(count.count, 'message', 'messages');
    return count.count >= LOOK_FROM
        ? `This will remove ${these}:`
        : `This will remove ${these} (including this one). Continue?`;
}

function byWhom(count: Count): string {
    const senders = Object.entries(count.byAgent as Record<string, number>)
        .map(([name, n]) => `${name === 'human' ? 'you' : name} ${grouped(n)}`)
        .join(' · ');
    const extras = [
        count.delegations > 0 ? counted(count.delegations, 'delegation', 'delegations') : '',
        count.briefings > 0 ? counted(count.briefings, 'briefing', 'briefings') : '',
    ]
        .filter(Boolean)
        .join(', ');
    return extras ? `${senders}; ${extras}` : senders;
}
