// letters.ts: in a conversation letters are text. They are commands only while a message is selected: one that has the
// focus, or those that are ticked.

import { selecting } from '../store/focus';
import { place } from '../store/place';
import type { Letters } from './keymap';

/** A conversation is on screen as a chat, the view in which people write. */
export function inChatView(): boolean {
    const here = place.value;
    return here.kind === 'chat' && here.view === 'chat';
}

function onMessage(target: EventTarget | null): boolean {
    return target instanceof Element && target.closest('[data-row]') !== null;
}

export const letters: Letters = {
    areText: target => inChatView() && !selecting.peek() && !onMessage(target),
    box: () => document.querySelector<HTMLElement>('#composer textarea'),
};
