// pill.tsx: what happens at the end while the reader is elsewhere, and the way back after a jump.

import { useComputed, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { count, listed } from '../shared/words';
import { painted } from './paint';
import { baseOf, type Base } from './unseen';
import { atEnd, cameFrom, goBack, scroll, toLatest, unseen } from './view-state';

/** Messages are counted, not pieces of them. */
function useUnseen(): void {
    const from = useRef<Base>({ version: null, total: 0 });
    useSignalEffect(() => {
        const { total } = painted.value.shown;
        from.current = baseOf(from.current, painted.value.chat, total, scroll.following.value);
        unseen.value = Math.max(0, total - from.current.total);
    });
}

/** Who says something wants to see it, and what is answered. */
function useOwnWords(): void {
    const seen = useRef(new Set<string>());
    useSignalEffect(() => {
        const pending = painted.value.chat?.pending ?? [];
        const fresh = pending.some(p => p.state === 'sending' && !seen.current.has(p.clientMessageId));
        for (const p of pending) seen.current.add(p.clientMessageId);
        if (fresh) queueMicrotask(() => void toLatest());
    });
}

export function Pill() {
    useUnseen();
    useOwnWords();
    const writing = useComputed(() =>
        listed([
            ...new Set(
                Object.values(painted.value.chat?.live ?? {})
                    .filter(l => l.lane === 'main')
                    .map(l => l.agent),
            ),
        ]),
    ).value;
    const away = !scroll.following.value && !scroll.seesEnd.value;
    const n = unseen.value;
    const back = cameFrom.value;
    const words =
        n > 0
            ? `${count(n, 'new message')} ↓`
            : writing
              ? `${writing} ${writing.includes(' and ') ? 'are' : 'is'} writing ↓`
              : 'Latest ↓';
    return (
        <div class="chat-pills">
            {back ? (
                <button type="button" class="chat-pill" onClick={goBack}>
                    ↩ Back to where I was
                </button>
            ) : null}
            {away || !atEnd.value ? (
                <button
                    type="button"
                    class={n > 0 || writing ? 'chat-pill chat-pill-new' : 'chat-pill'}
                    onClick={() => void toLatest()}
                >
                    {words}
                </button>
            ) : null}
        </div>
    );
}
