// composer.tsx: the message box. What is typed is kept on every key, and nothing but sending takes it away.

import { useComputed, useSignal, useSignalEffect, type Signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Instruction } from '../../api/types';
import { Button, IconButton, toast } from '../../parts/parts';
import { draft, type Draft } from '../../store/drafts';
import { focused } from '../../store/focus';
import { prefs } from '../../store/prefs';
import { send, state, stop, world } from '../../store/store';
import { startEdit } from '../edit/edit';
import { useNarrow } from '../shared/narrow';
import { count, grouped } from '../shared/words';
import { TagButtons, instructionsOf } from '../tags/tag-buttons';
import { CompletionList, LIST_ID, useCompletion } from './completion';
import { composerWanted, focusAtOpening } from './composer-focus';
import { LONG, directionOf, settleDirection } from './direction';
import { ExpectButtons, expectInstructions } from './expect';
import { AttachButton, DraftFiles, attach, filesOf } from './files';
import { known } from './known';
import { MemoryChip } from './memory-chip';
import { learnLimit, tooLong } from './message-limit';
import { painted } from './paint';
import { ChangeChip, change } from './queued-edit';
import { lastAbove } from './scroll-math';
import { stepCalled } from './tour';
import { senderWord } from './words';

/** Agents of this conversation are at work. */
export function isWorking(): boolean {
    const c = painted.value.chat;
    if (!c) return false;
    return (world.value?.busyIn[c.chat.id]?.length ?? 0) > 0 || Object.keys(c.live).length > 0;
}

function ReplyChip({ own, chatId }: { own: Signal<Draft>; chatId: string }) {
    const id = own.value.replyTo;
    const found = useComputed(() =>
        own.value.replyTo ? known(own.value.replyTo, chatId).value.message : undefined,
    ).value;
    if (!id) return null;
    const whom = found ? senderWord(found) : 'a message';
    return (
        <p class="chat-chip">
            <span dir="auto">{`↪ replying to ${whom}${found ? `: ${found.content.slice(0, 80)}` : ''}`}</span>
            <IconButton
                icon="close"
                label={`Do not reply to ${whom}`}
                onClick={() => {
                    own.value = { ...own.peek(), replyTo: null };
                }}
            />
        </p>
    );
}

function useHeight(text: string) {
    const box = useRef<HTMLTextAreaElement>(null);
    useLayoutEffect(() => {
        const el = box.current;
        if (!el) return;
        el.style.height = 'auto';
        // To measure it is to lay it out again, twice: the highest that it may be is known without.
        el.style.height = text.length > LONG ? '100vh' : `${el.scrollHeight + 2}px`;
    }, [text]);
    return box;
}

function lastOwn() {
    return painted.peek().shown.rows.findLast(m => m.sender === 'human' && m.role === 'user');
}

interface Sending {
    w: string;
    c: string;
    own: Signal<Draft>;
    more: Instruction[];
}

async function submit({ w, c, own, more }: Sending): Promise<void> {
    // Before the draft is read: a second press meanwhile sends it only once.
    await learnLimit(own.peek().text.length);
    const { text, replyTo, tags, files = [] } = own.peek();
    if (text.trim() === '' && files.length === 0) return;
    const step = stepCalled(text);
    if (step) {
        own.value = { text: '', replyTo: null, tags };
        return step.run();
    }
    const over = tooLong(text);
    if (over) {
        const has = `The text has ${count(over.bytes, 'byte')}; a message can have at most ${grouped(over.most)}.`;
        toast({ text: `${has} It is kept in the box.`, kind: 'warn' });
        return;
    }
    if (await change(w, c, own)) return;
    own.value = { text: '', replyTo: null, tags };
    const answer = await send(text, { replyTo, instructions: [...instructionsOf(tags), ...more], files });
    if (answer.ok && answer.value.queued)
        toast({ text: 'Queued until the agents are done.', subject: 'queue' });
    if (answer.ok && answer.value.notice) tellNotice(answer.value.notice);
}

/** Nobody is there to answer: said at once, with what to do here. */
function tellNotice(notice: { code: string; text: string }): void {
    const act = notice.code === 'no-agents' ? 'Add an agent' : 'Resume them';
    toast({ text: `${notice.text} ${act} on the page of the agents.`, kind: 'warn', subject: 'notice' });
}

interface ButtonsProps {
    working: boolean;
    empty: boolean;
    /** the text is that of a message that waits already */
    changes: boolean;
    onSend: () => void;
}

function Buttons({ working, empty, changes, onSend }: ButtonsProps) {
    if (!working && !changes)
        return (
            <Button kind="main" disabled={empty} onClick={onSend}>
                Send
            </Button>
        );
    return (
        <>
            {working ? (
                <Button kind={empty ? 'main' : 'plain'} onClick={() => void stop()}>
                    Stop
                </Button>
            ) : null}
            {empty ? null : (
                <Button kind="main" onClick={onSend}>
                    {changes ? 'Change' : 'Queue'}
                </Button>
            )}
        </>
    );
}

/** On a telephone the tags are behind a button: the text needs the space. */
function TagsToggle({ open, n }: { open: Signal<boolean>; n: number }) {
    return (
        <button
            type="button"
            class="chat-tags-toggle"
            aria-expanded={open.value}
            onClick={() => {
                open.value = !open.value;
            }}
        >
            {n > 0 ? `Tags ${n}` : 'Tags'}
        </button>
    );
}

function hint(enterSends: boolean): string {
    return enterSends ? 'Enter sends · Shift+Enter new line' : 'Ctrl+Enter sends · Enter new line';
}

/** Whether a key sends. A key that ends the choice of a character (IME) never does. */
export function sends(e: KeyboardEvent, enterSends: boolean): boolean {
    if (e.key !== 'Enter' || e.isComposing || e.keyCode === 229 || e.altKey) return false;
    if (e.ctrlKey || e.metaKey) return true;
    return enterSends && !e.shiftKey;
}

export function Composer({ w, c }: { w: string; c: string }) {
    const own = draft(w, c);
    const text = own.value.text;
    const box = useHeight(text);
    useEffect(() => void learnLimit(text.length), [text.length]);
    const setText = (to: string, cursor?: number) => {
        own.value = { ...own.peek(), text: to };
        if (cursor !== undefined && box.current) {
            box.current.value = to;
            box.current.setSelectionRange(cursor, cursor);
        }
    };
    const completion = useCompletion(box, setText);
    const first = useRef(composerWanted.peek());
    useSignalEffect(() => {
        if (composerWanted.value !== first.current) box.current?.focus({ preventScroll: true });
        first.current = composerWanted.value;
    });
    useLayoutEffect(() => focusAtOpening(box.current), []);
    const sendIt = () =>
        void submit({
            w,
            c,
            own,
            more: expectInstructions(),
        });
    const key = (e: KeyboardEvent) => {
        if (completion.key(e)) return void e.preventDefault();
        if (sends(e, prefs.value.enterSends)) {
            e.preventDefault();
            sendIt();
        } else if (e.key === 'Escape') {
            e.stopPropagation();
            leave(box.current);
        } else if (e.key === 'ArrowUp' && box.current?.value === '') {
            const mine = lastOwn();
            if (mine) {
                e.preventDefault();
                void startEdit(mine);
            }
        }
    };
    const take = (e: Event, data: DataTransfer | null) => {
        const files = filesOf(data);
        if (files.length === 0) return;
        e.preventDefault();
        void attach(w, own, files);
    };
    const working = useComputed(isWorking).value;
    const narrow = useNarrow();
    const tagsOpen = useSignal(false);
    const readOnly = useComputed(() => state.value.readOnly).value;
    if (readOnly) return <p class="chat-readonly">This server is read only: you cannot send messages.</p>;
    return (
        <form
            class="chat-composer"
            id="composer"
            onSubmit={e => {
                e.preventDefault();
                sendIt();
            }}
            onDragOver={e => {
                if (e.dataTransfer?.types.includes('Files')) e.preventDefault();
            }}
            onDrop={e => take(e, e.dataTransfer)}
        >
            {!narrow || tagsOpen.value ? (
                <div class="chat-tags">
                    <ExpectButtons />
                    <TagButtons draft={own} />
                    <MemoryChip />
                </div>
            ) : null}
            <ChangeChip own={own} />
            <ReplyChip own={own} chatId={c} />
            <DraftFiles w={w} own={own} />
            <CompletionList of={completion} />
            <div class="chat-box">
                {narrow ? (
                    <TagsToggle open={tagsOpen} n={own.value.tags.length + expectInstructions().length} />
                ) : null}
                <textarea
                    ref={box}
                    rows={1}
                    value={text}
                    aria-label="Message"
                    placeholder={narrow ? 'Message the team…' : 'Message the team   @ mention   / command'}
                    dir={directionOf(text)}
                    aria-autocomplete="list"
                    aria-controls={LIST_ID}
                    aria-activedescendant={completion.active}
                    onBeforeInput={e => settleDirection(e.currentTarget, e.data ?? '')}
                    onInput={e => {
                        own.value = { ...own.peek(), text: e.currentTarget.value };
                        completion.update();
                    }}
                    onKeyDown={key}
                    onPaste={e => take(e, e.clipboardData)}
                    onBlur={completion.close}
                    onClick={completion.update}
                />
                <div class="chat-send">
                    <AttachButton w={w} own={own} />
                    <span class="chat-hint">{hint(prefs.value.enterSends)}</span>
                    <Buttons
                        working={working}
                        empty={text.trim() === '' && !own.value.files?.length}
                        changes={own.value.queued !== undefined}
                        onSend={sendIt}
                    />
                </div>
            </div>
        </form>
    );
}

/** The least of a row that has to show for it to be seen. */
const SEEN_PX = 24;

/** The message that was looked at, while it is on screen; else the newest that is. */
function rowToLeaveTo(): HTMLElement | null {
    const log = document.querySelector<HTMLElement>('.chat-log');
    if (!log) return null;
    const view = log.getBoundingClientRect();
    const rows = [...log.querySelectorAll<HTMLElement>('[data-row]')];
    const was = rows.find(r => r.dataset.row === focused.peek())?.getBoundingClientRect();
    if (was && was.bottom > view.top && was.top < view.bottom)
        return rows.find(r => r.dataset.row === focused.peek()) ?? null;
    const at = lastAbove(rows.length, n => rows[n]!.getBoundingClientRect().top, view.bottom - SEEN_PX);
    return rows[at] ?? null;
}

/** Out of the box, to what is read; what is typed stays. */
function leave(box: HTMLTextAreaElement | null): void {
    box?.blur();
    rowToLeaveTo()?.focus({ preventScroll: true });
}
