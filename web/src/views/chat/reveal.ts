// reveal.ts: a message that the address names is brought into the window, shown, and gets the focus.

import { useEffect } from 'preact/hooks';
import { batch } from '@preact/signals';
import { toast } from '../../parts/parts';
import { focused } from '../../store/focus';
import { lookInVersions } from './act';
import { bringIn, cameFrom, hovered, lookedAt, scroll, sheetFor, span, unseen } from './view-state';

/** How far below the upper edge a message is put that was jumped to. */
const BELOW_EDGE = 96;
const MOST_FRAMES = 60;

function nextFrame(): Promise<void> {
    return new Promise(resolve => requestAnimationFrame(() => resolve()));
}

async function reveal(id: string, chatId: string, wanted: () => boolean): Promise<void> {
    if (!(await bringIn(id))) {
        if (wanted())
            toast({
                text: 'That message is not in this version.',
                actions: [{ label: 'Look in other versions', run: () => void lookInVersions(id, chatId) }],
            });
        return;
    }
    for (let n = 0; n < MOST_FRAMES && wanted(); n++) {
        if (scroll.toRow(id, BELOW_EDGE)) {
            focused.value = id;
            const row = document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`);
            if (!document.activeElement?.closest('.chat-find, dialog')) row?.focus({ preventScroll: true });
            return;
        }
        await nextFrame();
    }
}

export function useReveal(
    m: string | undefined,
    chatId: string,
    version: string | undefined,
    loaded: boolean,
): void {
    useEffect(() => {
        if (!m || !loaded) return undefined;
        let wanted = true;
        void reveal(m, chatId, () => wanted);
        return () => {
            wanted = false;
        };
    }, [m, chatId, version, loaded]);
}

/** Another conversation or version begins at its end, with nothing open. */
export function useFresh(chatId: string, version: string | undefined): void {
    useEffect(
        () => () => {
            batch(() => {
                span.value = null;
                hovered.value = null;
                lookedAt.value = null;
                sheetFor.value = null;
                unseen.value = 0;
                focused.value = null;
                scroll.following.value = true;
            });
        },
        [chatId, version],
    );
    useEffect(
        () => () => {
            cameFrom.value = null;
        },
        [chatId],
    );
}
