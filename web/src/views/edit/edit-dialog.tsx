// edit-dialog.tsx: what the person sees before anything is removed.
import { useSignal, type Signal } from '@preact/signals';
import type { Ref } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Count, Message } from '../../api/types';
import { Button, Dialog, TroubleBox } from '../../parts/parts';
import { chat } from '../../store/store';
import { AwayNote, isAway } from '../shared/away';
import { copyText } from '../shared/copy';
import { grouped, messages } from '../shared/words';
import { keepTyped, typed } from './backup';
import { Consequences, LOOK_FROM, worthALook } from './consequences';
import { begin, close, flow, recount, stopAndGoOn, turnSessionsOn } from './flow';
import { remove } from './removal';
import { submit } from './run';

const REMOVE = 'Remove from here on';

export function EditDialog() {
    const now = flow.value;
    switch (now.step) {
        case 'closed':
            return null;
        case 'counting':
            return (
                <Dialog title={now.aim === 'edit' ? 'Edit this message' : REMOVE} onClose={close}>
                    <p>Counting later messages…</p>
                </Dialog>
            );
        case 'refused':
            return (
                <Dialog
                    title={`This message cannot be ${now.aim}${now.aim === 'edit' ? 'ed' : 'd'}`}
                    onClose={close}
                >
                    <TroubleBox trouble={now.trouble} onRetry={() => void begin(now)} />
                </Dialog>
            );
        case 'gone':
            return <Gone text={now.text} />;
        case 'sessionOff':
            return <SessionOff />;
        case 'busy':
            return <AgentsBusy />;
        case 'ready':
            return now.aim === 'remove' ? (
                <Remove message={now.message} count={now.count} note={now.note} />
            ) : (
                <Write key={now.message.messageId} message={now.message} count={now.count} note={now.note} />
            );
    }
}

function Gone({ text }: { text: string }) {
    return (
        <Dialog
            title="This message is no longer in this version"
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
            <p>
                {now.aim === 'edit'
                    ? 'This world has no session, so an edited message cannot be sent.'
                    : 'This world has no session, so nothing can be removed.'}
            </p>
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
                    <Button kind="main" disabled={now.stopping} onClick={() => void stopAndGoOn()}>
                        {now.stopping ? 'Stopping…' : `Stop and ${now.aim}`}
                    </Button>
                    <Button onClick={() => void begin(now)}>Try again</Button>
                    <Button onClick={close}>Cancel</Button>
                </>
            }
        >
            <p>
                {names.length > 0
                    ? `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} at work in this conversation.`
                    : 'Agents are at work in this conversation.'}{' '}
                A message can be {now.aim === 'edit' ? 'edited' : 'removed'} when they are done. Stopping
                keeps what they wrote so far.
            </p>
            {now.trouble && <TroubleBox trouble={now.trouble} />}
        </Dialog>
    );
}

interface ReadyProps {
    message: Message;
    count: Count;
    note: string;
}

/** What is said to go must be what goes: the conversation may change under an open dialog. */
function useRecount(): void {
    const version = `${chat.value?.thread} ${chat.value?.rows.at(-1)?.messageId}`;
    const counted = useRef(version);
    useEffect(() => {
        if (counted.current !== version) void recount();
        counted.current = version;
    }, [version]);
}

function Note({ text }: { text: string }) {
    return text ? (
        <p class="edit-note" role="status">
            {text}
        </p>
    ) : null;
}

function Write({ message, count, note }: ReadyProps) {
    const text = useSignal(typed(message));
    const looked = useSignal(false);
    const mustLook = worthALook(count);
    const ready = text.value.trim() !== '' && (!mustLook || looked.value);
    useRecount();
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
            <Note text={note} />
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
            <Consequences count={count} aim="edit" />
            {mustLook && <Look looked={looked} box={box} />}
            {mustLook && (
                <p class="edit-warn" role="status">
                    {asked.value && !looked.value
                        ? 'Tick the box first: the whole list will be removed.'
                        : ''}
                </p>
            )}
        </Dialog>
    );
}

function Look({ looked, box }: { looked: Signal<boolean>; box?: Ref<HTMLInputElement> }) {
    return (
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
    );
}

function Remove({ message, count, note }: ReadyProps) {
    const looked = useSignal(false);
    const mustLook = worthALook(count);
    useRecount();
    useLayoutEffect(() => {
        looked.value = false;
    }, [count.count]);
    return (
        <Dialog
            title={REMOVE}
            danger
            onClose={close}
            actions={
                <>
                    <AwayNote />
                    <Button
                        kind="danger"
                        disabled={mustLook && !looked.value}
                        off={isAway()}
                        onClick={() => void remove(message, count)}
                    >
                        Remove {messages(count.count)}
                    </Button>
                    <Button autoFocus onClick={close}>
                        Cancel
                    </Button>
                </>
            }
        >
            <Note text={note} />
            <Consequences count={count} aim="remove" />
            {mustLook && <Look looked={looked} />}
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
