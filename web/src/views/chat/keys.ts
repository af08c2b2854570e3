// keys.ts: the chat by keyboard (experience 2.11).

import type { Message } from '../../api/types';
import { useCommands, type Command } from '../../keys/commands';
import { focused, selected, selecting } from '../../store/focus';
import { go } from '../../store/place';
import { shown } from '../../store/store';
import * as act from './act';
import { another, modelFor, stepAnswer } from './alternatives';
import { goToPosition } from './rail';
import { cameFrom, finding, goBack, herePlace, scroll, toLatest } from './view-state';

function rowIds(): string[] {
    return [...document.querySelectorAll<HTMLElement>('.chat-log [data-row]')].map(r => r.dataset.row!);
}

export function focusRow(id: string): void {
    focused.value = id;
    scroll.toRow(id, 'seen');
    document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}

function step(by: number): void {
    const ids = rowIds();
    if (ids.length === 0) return;
    const at = focused.peek() === null ? -1 : ids.indexOf(focused.peek()!);
    // Without a focus the first step goes to what is read: the last row when the end is followed.
    const start =
        at >= 0 ? at + by : scroll.following.peek() ? ids.length - 1 : ids.indexOf(scroll.top.peek() ?? '');
    const to = ids[Math.min(Math.max(0, start), ids.length - 1)]!;
    focusRow(to);
    if (by > 0 && start >= ids.length - 1 && !shown.peek().hasNewer) void toLatest();
}

/** The end, with the keyboard's place: the next step up goes on from there. */
async function lastRow(): Promise<void> {
    await toLatest();
    requestAnimationFrame(() => {
        const id = rowIds().at(-1);
        if (id === undefined) return;
        focused.value = id;
        document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
    });
}

function current(): Message | undefined {
    const id = focused.peek();
    return id === null ? undefined : shown.peek().rows.find(m => m.messageId === id);
}

function withMessage(f: (m: Message) => void): () => void {
    return () => {
        const m = current();
        if (m) f(m);
    };
}

function extend(by: number): void {
    const m = current();
    const now = new Set(selected.peek());
    if (m) now.add(m.messageId);
    step(by);
    if (focused.peek()) now.add(focused.peek()!);
    selected.value = now;
    selecting.value = true;
}

function escape(): void {
    const p = herePlace();
    if (finding.peek()) finding.value = false;
    else if (selecting.peek()) {
        selected.value = new Set();
        selecting.value = false;
    } else if (p?.v) go({ ...p, v: undefined, m: undefined });
    else if (cameFrom.peek()) goBack();
    else focused.value = null;
}

function canEscape(): boolean {
    return (
        finding.peek() ||
        selecting.peek() ||
        herePlace()?.v !== undefined ||
        cameFrom.peek() !== null ||
        focused.peek() !== null
    );
}

const has = () => current() !== undefined;

const COMMANDS: Command[] = [
    {
        id: 'chat.next',
        title: 'Next message',
        keys: ['j', 'ArrowDown'],
        where: 'Messages',
        run: () => step(1),
    },
    {
        id: 'chat.previous',
        title: 'Previous message',
        keys: ['k', 'ArrowUp'],
        where: 'Messages',
        run: () => step(-1),
    },
    {
        id: 'chat.parent',
        title: 'Go to parent',
        keys: ['p'],
        where: 'Messages',
        needs: has,
        run: withMessage(act.toParent),
    },
    {
        id: 'chat.child',
        title: 'Go to first reply',
        keys: ['c'],
        where: 'Messages',
        needs: has,
        run: withMessage(m => void act.toFirstReply(m)),
    },
    {
        id: 'chat.sibling',
        title: 'Next reply to the same message',
        keys: ['s'],
        where: 'Messages',
        needs: has,
        run: withMessage(m => void act.toSibling(m)),
    },
    {
        id: 'chat.reply',
        title: 'Reply',
        keys: ['r', 'Enter'],
        where: 'Messages',
        needs: has,
        run: withMessage(act.reply),
    },
    {
        id: 'chat.edit',
        title: 'Edit your message',
        keys: ['e'],
        where: 'Messages',
        needs: has,
        run: withMessage(act.edit),
    },
    {
        id: 'chat.select',
        title: 'Select',
        keys: ['x'],
        where: 'Messages',
        needs: has,
        run: withMessage(act.toggleSelect),
    },
    {
        id: 'chat.extend',
        title: 'Select the next one too',
        keys: ['Shift+ArrowDown'],
        where: 'Messages',
        needs: has,
        run: () => extend(1),
    },
    {
        id: 'chat.extendUp',
        title: 'Select the previous one too',
        keys: ['Shift+ArrowUp'],
        where: 'Messages',
        needs: has,
        run: () => extend(-1),
    },
    {
        id: 'chat.another',
        title: 'Another answer',
        keys: ['a'],
        where: 'Messages',
        needs: has,
        run: withMessage(m => void another(m)),
    },
    {
        id: 'chat.anotherModel',
        title: 'Ask another model',
        keys: ['Shift+a'],
        where: 'Messages',
        needs: has,
        run: withMessage(m => {
            modelFor.value = m;
        }),
    },
    {
        id: 'chat.earlierAnswer',
        title: 'Earlier answer to the same message',
        keys: ['ArrowLeft'],
        where: 'Messages',
        needs: has,
        run: withMessage(m => void stepAnswer(m, -1)),
    },
    {
        id: 'chat.laterAnswer',
        title: 'Later answer to the same message',
        keys: ['ArrowRight'],
        where: 'Messages',
        needs: has,
        run: withMessage(m => void stepAnswer(m, 1)),
    },
    {
        id: 'chat.branch',
        title: 'Branch from here',
        keys: ['b'],
        where: 'Messages',
        needs: has,
        run: withMessage(m => void act.branchFrom(m)),
    },
    {
        id: 'chat.inspect',
        title: 'Inspect',
        keys: ['i'],
        where: 'Messages',
        needs: has,
        run: withMessage(act.inspect),
    },
    {
        id: 'chat.link',
        title: 'Copy link',
        keys: ['y'],
        where: 'Messages',
        needs: has,
        run: withMessage(act.copyLink),
    },
    {
        id: 'chat.markdown',
        title: 'Copy Markdown',
        keys: ['Shift+y'],
        where: 'Messages',
        needs: has,
        run: withMessage(act.copyMarkdown),
    },
    {
        id: 'chat.travel',
        title: 'Make the version before this message current',
        keys: ['t'],
        where: 'Messages',
        needs: has,
        run: withMessage(m => void act.travelBefore(m)),
    },
    {
        id: 'chat.first',
        title: 'First message',
        keys: ['Home'],
        where: 'Conversation',
        run: () => void goToPosition(0),
    },
    {
        id: 'chat.latest',
        title: 'Latest message, and follow',
        keys: ['End', 'Shift+g'],
        where: 'Conversation',
        run: () => void lastRow(),
    },
    {
        id: 'chat.find',
        title: 'Find in this conversation',
        keys: ['Ctrl+f'],
        where: 'Conversation',
        typing: true,
        when: () => !finding.peek(),
        run: () => {
            finding.value = true;
        },
    },
    {
        id: 'chat.escape',
        title: 'Close the innermost dialog or panel',
        keys: ['Escape'],
        where: 'Conversation',
        when: canEscape,
        run: escape,
    },
];

export function useChatKeys(): void {
    useCommands(COMMANDS);
}
