// edit-pager.tsx: ‹ 2/2 amended ›: steps through the wordings of a message by opening the version that holds
// each. Nothing is switched: that is what Make current in the banner of an old version does.

import { useComputed } from '@preact/signals';
import type { Message } from '../../api/types';
import { go } from '../../store/place';
import { chat } from '../../store/store';
import { painted } from './paint';
import { useWordings } from './versions';
import { herePlace } from './view-state';
import { indexAt } from './window';
import { targetWords } from './words';

export function EditPager({ message }: { message: Message }) {
    const before = useComputed(() => {
        const { rows } = painted.value.shown;
        return rows[indexAt(rows, message.position) - 1] ?? null;
    }).value;
    const wordings = useWordings(message, before);
    const at = wordings.findIndex(x => x.message.messageId === message.messageId);
    if (wordings.length < 2 || at < 0) return null;
    const open = (n: number) => {
        const to = wordings[n];
        const p = herePlace();
        if (!to || !p) return;
        go({
            ...p,
            v: to.threadId === chat.peek()?.thread ? undefined : to.threadId,
            m: to.message.messageId,
        });
    };
    return (
        <span class="chat-pager" role="group" aria-label={`Versions of ${targetWords(message)}`}>
            <button
                type="button"
                aria-label="Earlier wording"
                disabled={at === 0}
                onClick={() => open(at - 1)}
            >
                ‹
            </button>
            <span>{`${at + 1}/${wordings.length} amended`}</span>
            <button
                type="button"
                aria-label="Later wording"
                disabled={at === wordings.length - 1}
                onClick={() => open(at + 1)}
            >
                ›
            </button>
        </span>
    );
}
