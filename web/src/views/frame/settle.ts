import { effect } from '@preact/signals';
import { announce } from '../../parts/parts';
import { go, place, type Place } from '../../store/place';
import { world } from '../../store/store';
import { listedChats } from './states';
import { pageName } from './title';

/** A world is shown by one of its conversations: the one that is current there, or the one that was used last. */
export function settleWorlds(): () => void {
    return effect(() => {
        const here = place.value;
        const known = world.value;
        if (here.kind !== 'world' || !known || known.world.name !== here.w) return;
        const current = known.world.currentChatId;
        const chat = (current && known.chats[current]) || listedChats(known)[0];
        if (chat) go({ kind: 'chat', w: here.w, c: chat.id, view: 'chat' }, { replace: true });
    });
}

function screenOf(here: Place): string {
    if (here.kind === 'chat') return `${here.c} ${here.view} ${here.v ?? ''}`;
    if (here.kind === 'agent') return `agent ${here.a}`;
    return here.kind;
}

/** Another screen is said, because nothing else tells who cannot see it; a focus that went with the old one is caught. */
export function tellScreens(): () => void {
    let before = screenOf(place.peek());
    return effect(() => {
        const here = place.value;
        const now = screenOf(here);
        if (now === before) return;
        before = now;
        requestAnimationFrame(() => {
            const view = here.kind === 'chat' && here.view !== 'chat' ? `${here.view} of ` : '';
            announce(`${view}${pageName()}`);
            const lost = document.activeElement === null || document.activeElement === document.body;
            if (lost) document.getElementById('main')?.focus({ preventScroll: true });
        });
    });
}
