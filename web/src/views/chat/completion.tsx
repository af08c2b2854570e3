// completion.tsx: the list below the cursor's word; the message box keeps the focus and points into it.

import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { activeCommands } from '../../keys/commands';
import { world } from '../../store/store';
import { countUse, timesUsed } from '../../store/used';
import { askedAt, choices, completed, type Asked, type Choice } from './complete';

export const LIST_ID = 'chat-completion';

function agentChoices(): Choice[] {
    return Object.values(world.value?.agents ?? {}).map(a => ({
        id: a.name,
        label: a.name,
        hint: a.systemPrompt?.slice(0, 60) ?? '',
    }));
}

function commandChoices(): Choice[] {
    return activeCommands().map(c => ({
        id: c.id,
        label: c.id.replace(/^.*[.:]/, ''),
        hint: c.title,
        used: timesUsed(c.id),
    }));
}

export interface Completion {
    open: boolean;
    active: string | undefined;
    list: Choice[];
    at: number;
    update: () => void;
    close: () => void;
    /** true: the key was used */
    key: (e: KeyboardEvent) => boolean;
    pick: (choice: Choice) => void;
}

export function useCompletion(
    box: RefObject<HTMLTextAreaElement | null>,
    setText: (text: string, cursor?: number) => void,
): Completion {
    const asked = useSignal<Asked | null>(null);
    const at = useSignal(0);
    const list = asked.value
        ? choices(asked.value.word, asked.value.kind === '@' ? agentChoices() : commandChoices())
        : [];
    const close = () => {
        asked.value = null;
    };
    const update = () => {
        const el = box.current;
        asked.value =
            el && el.selectionStart === el.selectionEnd ? askedAt(el.value, el.selectionStart) : null;
        at.value = 0;
    };
    const pick = (choice: Choice) => {
        const now = asked.value;
        const el = box.current;
        if (!now || !el) return;
        close();
        if (now.kind === '@') {
            const done = completed(el.value, now, choice.id);
            setText(done.text, done.cursor);
            return;
        }
        setText('', 0);
        countUse(choice.id);
        activeCommands()
            .find(c => c.id === choice.id)
            ?.run();
    };
    const key = (e: KeyboardEvent): boolean => {
        if (list.length === 0 || e.isComposing) return false;
        const step = e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0;
        if (step !== 0) at.value = (at.value + step + list.length) % list.length;
        else if (e.key === 'Enter' || e.key === 'Tab') pick(list[at.value] ?? list[0]!);
        else if (e.key === 'Escape') close();
        else return false;
        return true;
    };
    const open = list.length > 0;
    return {
        open,
        active: open ? `${LIST_ID}-${at.value}` : undefined,
        list,
        at: at.value,
        update,
        close,
        key,
        pick,
    };
}

export function CompletionList({ of }: { of: Completion }) {
    return (
        <ul class="chat-completion" id={LIST_ID} role="listbox" aria-label="Completions" hidden={!of.open}>
            {of.list.map((c, n) => (
                <li
                    key={c.id}
                    id={`${LIST_ID}-${n}`}
                    role="option"
                    aria-selected={n === of.at}
                    onMouseDown={e => {
                        e.preventDefault();
                        of.pick(c);
                    }}
                >
                    <b>{c.label}</b> <span>{c.hint}</span>
                </li>
            ))}
        </ul>
    );
}
