// answer-pager.tsx: ‹ 2/3 ›: the answers of an agent to the same message. To step is to choose: the version with that
// answer, and with what followed it, becomes the current one.

import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { getMessage } from '../../api/calls';
import type { Message } from '../../api/types';
import { chat, shown, world } from '../../store/store';
import { choose } from './alternatives';
import { targetWords } from './words';

/** An answer that came as an event has none of what surrounds it: that is asked for, where another answer may be. */
function useAlternatives(m: Message): readonly string[] {
    const [asked, setAsked] = useState<readonly string[]>([]);
    const wanted = useComputed(
        () => m.alternatives === undefined && (chat.value?.chat.version ?? 1) > 1,
    ).value;
    useEffect(() => {
        let here = true;
        if (wanted)
            void getMessage(world.peek()?.world.name ?? '', m.messageId, { chatId: m.chatId }).then(a => {
                if (here && a.ok) setAsked(a.value.alternatives ?? []);
            });
        return () => {
            here = false;
        };
    }, [wanted, m.messageId]);
    return m.alternatives ?? asked;
}

export function AnswerPager({ message }: { message: Message }) {
    const all = useAlternatives(message);
    const old = useComputed(() => shown.value.readOnly).value;
    const at = all.indexOf(message.messageId);
    if (all.length < 2 || at < 0) return null;
    const step = (by: number, sign: string, label: string) => (
        <button
            type="button"
            aria-label={label}
            disabled={old || all[at + by] === undefined}
            onClick={() => void choose(message, all, by)}
        >
            {sign}
        </button>
    );
    return (
        <span class="chat-pager" role="group" aria-label={`Alternatives of ${targetWords(message)}`}>
            {step(-1, '‹', 'Earlier answer')}
            <span>{`${at + 1}/${all.length}`}</span>
            {step(1, '›', 'Later answer')}
        </span>
    );
}
