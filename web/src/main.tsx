import { render } from 'preact';
import './styles/tokens.css';
import './styles/base.css';
import { start } from './store/store';
import { keepAnnouncing } from './views/frame/announcer';
import { applyAppearance } from './views/frame/appearance';
import { Frame } from './views/frame/frame';
import { followLinks } from './views/frame/links';
import { preloadViews } from './views/frame/routes';
import { keepNotesTrue } from './views/frame/notes';
import { settleWorlds, tellScreens } from './views/frame/settle';
import { keepTitle } from './views/frame/title';
import { startNotifications } from './views/settings/notify';

// How long drawing may wait for the first questions; a server that is slow, or away, does not keep the page empty.
const ASK_MS = 50;

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
if (app) {
    applyAppearance();
    // The server answers while the frame is drawn, if it is asked before drawing takes the processor.
    void new Promise<void>(ready => {
        setTimeout(ready, ASK_MS);
        start(ready);
    }).then(() => draw(app));
    addEventListener('load', () => setTimeout(preloadViews, 2000));
}
