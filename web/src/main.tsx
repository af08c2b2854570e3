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

const app = document.getElementById('app');
if (app) {
    applyAppearance();
    // First: the server answers while the frame is drawn.
    start();
    render(<Frame />, app);
    followLinks();
    settleWorlds();
    tellScreens();
    keepTitle();
    keepAnnouncing();
    keepNotesTrue();
    startNotifications();
    addEventListener('load', () => setTimeout(preloadViews, 2000));
}
