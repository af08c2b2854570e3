import { effect } from '@preact/signals';
import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import { signInByLink } from './api/link';
import { place } from './store/place';
import { chat, start } from './store/store';
import { keepAnnouncing } from './views/frame/announcer';
import { applyAppearance } from './views/frame/appearance';
import { Frame } from './views/frame/frame';
import { followLinks } from './views/frame/links';
import { preloadViews } from './views/frame/routes';
import { keepNotesTrue } from './views/frame/notes';
import { settleWorlds, tellScreens } from './views/frame/settle';
import { keepTitle } from './views/frame/title';
import { startNotifications } from './views/settings/notify';

// How long drawing may wait for a conversation: an empty page, drawn first, would only delay it. A server that is slow,
// or away, does not keep the page empty.
const WAIT_MS = 100;

/** Calls back when the conversation of the address is there, or soon. */
function whenRead(then: () => void): void {
    if (place.peek().kind !== 'chat') return then();
    void new Promise<void>(ready => {
        setTimeout(ready, WAIT_MS);
        effect(() => {
            if (chat.value?.loaded) ready();
        });
    }).then(then);
}

function draw(app: HTMLElement): void {
    render(<Frame />, app);
    followLinks();
    settleWorlds();
    tellScreens();
    keepTitle();
    keepAnnouncing();
    keepNotesTrue();
    startNotifications();
}

const app = document.getElementById('app');
if (app && !signInByLink()) {
    applyAppearance();
    start();
    whenRead(() => draw(app));
    addEventListener('load', () => setTimeout(preloadViews, 2000));
}
