// actions.tsx: what can be done with a message: a few buttons on the row that is pointed at, all of it in a
// menu, and on a telephone in a sheet.

import { useComputed } from '@preact/signals';
import type { Message } from '../../api/types';
import { IconButton, Menu, Sheet, clock, type MenuItem } from '../../parts/parts';
import { shown, state } from '../../store/store';
import { startEdit, startRemoval } from '../edit/edit';
import { grouped } from '../shared/words';
import * as act from './act';
import { another, modelFor, notAskable } from './alternatives';
import { painted } from './paint';
import { sheetFor } from './view-state';
import { isOwn, parentOf, senderName, senderWord, targetWords } from './words';

/** Off, with the reason beside it; null: there is none. */
function unless(why: string | null): Pick<MenuItem, 'disabled' | 'hint'> {
    return why === null ? {} : { disabled: true, hint: why };
}

/** In the order of the sheet; what cannot be done now is there but off, and says why. */
export function itemsFor(m: Message): MenuItem[] {
    const fixed = !shown.peek().readOnly
        ? null
        : state.peek().readOnly
          ? 'the server is read only'
          : 'an older version is read only';
    const notOwn = fixed ?? (isOwn(m) ? null : 'only your own');
    return [
        {
            label: 'Go to parent',
            keys: 'p',
            ...unless(parentOf(m) === null ? 'it replies to nothing' : null),
            run: () => act.toParent(m),
        },
        {
            label: `Go to replies${m.replyCount ? ` (${grouped(m.replyCount)})` : ''}`,
            keys: 'c',
            ...unless(m.replyCount ? null : 'nobody replied to it'),
            run: () => void act.toFirstReply(m),
        },
        { label: 'Reply', keys: 'r', apart: true, ...unless(fixed), run: () => act.reply(m) },
        { label: 'Edit', keys: 'e', ...unless(notOwn), run: () => void startEdit(m) },
        {
            label: 'Another answer',
            keys: 'a',
            ...unless(notAskable(m)),
            run: () => void another(m),
        },
        {
            label: 'Ask another model',
            keys: 'A',
            ...unless(notAskable(m)),
            run: () => {
                modelFor.value = m;
            },
        },
        { label: 'Branch from here', keys: 'b', run: () => void act.branchFrom(m) },
        { label: 'Select for squash', keys: 'x', ...unless(fixed), run: () => act.toggleSelect(m) },
        { label: 'Inspect', keys: 'i', apart: true, run: () => act.inspect(m) },
        { label: 'Export this thread', run: () => void act.exportThread(m) },
        { label: 'Copy link', keys: 'y', run: () => act.copyLink(m) },
        { label: 'Copy Markdown', keys: 'Y', run: () => act.copyMarkdown(m) },
        {
            label: 'Remove from here on',
            danger: true,
            apart: true,
            ...unless(notOwn),
            run: () => void startRemoval(m),
        },
    ];
}

/** Beside the row that has the pointer or the focus. */
export function Toolbar({ message }: { message: Message }) {
    const what = targetWords(message);
    const old = useComputed(() => shown.value.readOnly).value;
    return (
        <div class="chat-actions" role="group" aria-label={`Actions for ${what}`}>
            {old ? null : (
                <IconButton
                    icon="reply"
                    label={`Reply to ${what}`}
                    keys="r"
                    onClick={() => act.reply(message)}
                />
            )}
            {!old && isOwn(message) ? (
                <IconButton
                    icon="edit"
                    label={`Edit ${what}`}
                    keys="e"
                    onClick={() => void startEdit(message)}
                />
            ) : null}
            <Menu label={`More for ${what}`} items={itemsFor(message)} />
        </div>
    );
}

/** Opened by ⋯ or by a long press; mounted once by the view. */
export function MessageSheet() {
    const id = sheetFor.value;
    const message = id === null ? undefined : painted.value.shown.rows.find(m => m.messageId === id);
    if (!message) return null;
    const close = () => {
        sheetFor.value = null;
    };
    return (
        <Sheet title={`${senderWord(message)} · ${clock(message.createdAt)}`} onClose={close}>
            <p class="chat-sheet-text" dir="auto">
                {message.content.slice(0, 160) || senderName(message.sender)}
            </p>
            <ul class="chat-sheet">
                {itemsFor(message).map(item => (
                    <li key={item.label}>
                        <button
                            type="button"
                            disabled={item.disabled}
                            class={item.danger ? 'chat-sheet-danger' : undefined}
                            onClick={() => {
                                close();
                                item.run();
                            }}
                        >
                            {item.label}
                            {item.hint && <small class="chat-sheet-why">{item.hint}</small>}
                        </button>
                    </li>
                ))}
            </ul>
        </Sheet>
    );
}
