// paint.ts: what the chat shows, taken from the store once per animation frame: however many agents write
// at once, however many pieces come, the page is drawn once.

import { effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { ChatState } from '../../store/state';
import { chat, shown, type Shown } from '../../store/store';

export interface Painted {
    chat: ChatState | null;
    shown: Shown;
}

const now = (): Painted => ({ chat: chat.value, shown: shown.value });
const drawn = signal<Painted>(untracked(now));
export const painted: ReadonlySignal<Painted> = drawn;

/** Frames do not come while nobody looks; the page is still kept up to date, only less often. */
const HIDDEN_MS = 500;

function soon(f: () => void): () => void {
    if (document.hidden) {
        const timer = setTimeout(f, HIDDEN_MS);
        return () => clearTimeout(timer);
    }
    const frame = requestAnimationFrame(f);
    return () => cancelAnimationFrame(frame);
}

function sameChat(a: Painted, b: Painted): boolean {
    return (
        a.chat?.chat.id === b.chat?.chat.id &&
        a.chat?.loaded === b.chat?.loaded &&
        a.shown.version === b.shown.version
    );
}

/** Takes what the store has at once; for changes that must be seen together with it. */
export function repaint(): void {
    drawn.value = untracked(now);
}

/** Keeps `painted` up to date while the component is there. */
export function usePaint(): void {
    // What is there already is drawn with the rest, and not first an empty place for it.
    useState(repaint);
    useEffect(() => {
        let cancel: (() => void) | null = null;
        const draw = () => {
            cancel = null;
            repaint();
        };
        const stop = effect(() => {
            const next = now();
            // Another conversation is not something that grows: it is shown at once.
            if (!sameChat(next, drawn.peek())) {
                cancel?.();
                draw();
            } else cancel ??= soon(draw);
        });
        return () => {
            stop();
            cancel?.();
        };
    }, []);
}
