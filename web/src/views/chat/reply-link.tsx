// reply-link.tsx: what a message answers: a link that shows its target, jumps there, and leaves a way back.

import { useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Message } from '../../api/types';
import { href } from '../../store/place';
import { lookInVersions } from './act';
import { known, nowhere } from './known';
import { herePlace, jumpTo, lookedAt } from './view-state';
import { isGuessed, isOrphan, senderWord } from './words';

const GUESSED = 'guessed from time: this message is older than reply links';
const CLOSE_MS = 150;

function firstLines(text: string): string {
    return text
        .split('\n')
        .filter(line => line.trim() !== '')
        .slice(0, 2)
        .join('\n')
        .slice(0, 240);
}

function Card({ parent }: { parent: Message }) {
    return (
        <span class="chat-card" role="tooltip">
            <strong>{senderWord(parent)}</strong>
            <span class="chat-card-text" dir="auto">
                {firstLines(parent.content) || 'no text'}
            </span>
        </span>
    );
}

/**
 * Open while the link or the card is pointed at or the link has the focus; Escape closes it. The pointer gets a
 * moment to reach the card; the focus does not, for the card would lie over what it goes to.
 */
function useCard(parentId: string) {
    const open = useSignal(false);
    const timer = useMemo(() => ({ id: 0 }), []);
    const show = () => {
        clearTimeout(timer.id);
        open.value = true;
        lookedAt.value = parentId;
    };
    const hide = () => {
        open.value = false;
        if (lookedAt.peek() === parentId) lookedAt.value = null;
    };
    const leave = () => {
        clearTimeout(timer.id);
        timer.id = window.setTimeout(hide, CLOSE_MS);
    };
    const key = (e: KeyboardEvent) => {
        if (e.key !== 'Escape' || !open.value) return;
        e.stopPropagation();
        hide();
    };
    useEffect(() => hide, []);
    return { open, show, hide, leave, key };
}

export function ReplyLink({
    parentId,
    chatId,
    message,
}: {
    parentId: string;
    chatId: string;
    message: Message | null;
}) {
    const found = useComputed(() =>
        message && isOrphan(message) ? nowhere : known(parentId, chatId).value,
    ).value;
    const card = useCard(parentId);
    const parent = found.message;
    if (parent === null || (parent && !found.here)) {
        return (
            <span class="chat-reply chat-orphan">
                ↪ replying to a message that is not in this version{' '}
                <button
                    type="button"
                    class="chat-inline"
                    onClick={() => void lookInVersions(parentId, chatId)}
                >
                    Look in other versions
                </button>
            </span>
        );
    }
    const p = herePlace();
    const jump = (e: MouseEvent) => {
        if (e.ctrlKey || e.metaKey || e.shiftKey) return;
        e.preventDefault();
        card.hide();
        jumpTo(parentId);
    };
    const guessed = message !== null && isGuessed(message);
    return (
        <span class="chat-reply" onMouseEnter={card.show} onMouseLeave={card.leave} onKeyDown={card.key}>
            <a
                href={p ? href({ ...p, m: parentId }) : '#'}
                title={guessed ? GUESSED : undefined}
                onClick={jump}
                onFocus={card.show}
                onBlur={card.hide}
            >
                {`↪ ${guessed ? 'probably ' : ''}replying to ${parent ? senderWord(parent) : '…'}`}
            </a>
            {card.open.value && parent ? <Card parent={parent} /> : null}
        </span>
    );
}
