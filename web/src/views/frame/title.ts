import { effect } from '@preact/signals';
import { chatTitle } from '../../store/names';
import { place } from '../../store/place';
import { state, world } from '../../store/store';
import { grouped } from '../shared/words';
import { routeOf } from './routes';
import { meet, markSeen, unreadOf } from './seen';
import { listedChats } from './states';

export function pageName(): string {
    const here = place.value;
    const known = world.value;
    if (here.kind === 'chat') {
        const chat = known?.chats[here.c];
        return chat ? chatTitle(chat) : 'Conversation';
    }
    if (here.kind === 'agent') return `@${here.a}`;
    if (here.kind === 'search' && here.q) return `${here.q} · Search`;
    return routeOf(here)?.title ?? (here.kind === 'unknown' ? 'Not found' : '');
}

function unreadCount(): number {
    const known = world.value;
    const chats = known ? listedChats(known).reduce((sum, chat) => sum + unreadOf(chat), 0) : 0;
    return chats + state.value.inbox.unread;
}

/** "(3) Launch plan · launch · skein": what is unread first, because tabs show the beginning. */
export function windowTitle(): string {
    const unread = unreadCount();
    const names = [pageName(), state.value.open, 'skein'].filter(
        (one, at, all) => one && all.indexOf(one) === at,
    );
    return `${unread > 0 ? `(${grouped(unread)}) ` : ''}${names.join(' · ')}`;
}

function look(): void {
    const here = place.value;
    const known = world.value;
    if (!known) return;
    meet(Object.values(known.chats));
    const chat = here.kind === 'chat' ? known.chats[here.c] : undefined;
    if (chat && !document.hidden) markSeen(chat);
}

export function keepTitle(): () => void {
    const stopTitle = effect(() => {
        document.title = windowTitle();
    });
    const stopLook = effect(look);
    document.addEventListener('visibilitychange', look);
    return () => {
        stopTitle();
        stopLook();
        document.removeEventListener('visibilitychange', look);
    };
}
