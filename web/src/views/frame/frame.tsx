import { useComputed } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { LiveRegions, Sheet } from '../../parts/parts';
import { Help } from '../../keys/help';
import { makeKeymap } from '../../keys/keymap';
import { letters } from '../../keys/letters';
import { Palette } from '../../keys/palette';
import { inspecting, place } from '../../store/place';
import { prefs } from '../../store/prefs';
import { chat, openTrouble, world } from '../../store/store';
import { EditHost } from '../edit/edit';
import { SquashHost } from '../squash/squash';
import { BottomBar } from './bottom-bar';
import { ChatHead } from './chat-head';
import { ConnectionBanner } from './connection';
import { useGlobalCommands } from './global-commands';
import { useKeptFocus } from './keep-focus';
import { closeSheets, listSheet, listShown, panelShown, width } from './layout';
import { Notices } from './notices';
import { CannotOpen, Nowhere } from './nowhere';
import { SidePanel } from './panel';
import { FirstRun, Inspector, routeOf, TravelBanner, type Route } from './routes';
import { SideList } from './side-list';
import { SignIn } from './sign-in';
import { SkipLinks } from './skip-links';
import { TopBar } from './top-bar';
import './frame.css';
import './list.css';

// Places that are nothing without their world; the others have their own words for what is missing.
const ofWorld = new Set(['start', 'world', 'chat', 'agents', 'agent']);

// A server that is away takes nothing from the screen: what is known stays, and the banner says the rest.
function isLost(): boolean {
    const trouble = openTrouble.value;
    if (!trouble || !ofWorld.has(place.value.kind)) return false;
    return trouble.status !== 0 || world.value === null;
}

function Screen({ route }: { route: Route }) {
    const here = place.value;
    const past = here.kind === 'chat' && here.v !== undefined;
    const View = route.main;
    // What was said comes first; other parts of the page are fetched when it is there.
    const loaded = useComputed(() => chat.value?.loaded ?? false).value;
    return (
        <>
            <ChatHead narrow={width.value === 'narrow'} panelTitle={route.panelTitle} />
            {past && <TravelBanner />}
            {here.kind === 'chat' && here.view === 'chat' && !past && loaded && <FirstRun />}
            <View />
        </>
    );
}

function Main({ route }: { route: Route | null }) {
    return (
        <main id="main" class={`frame-main frame-main-${place.value.kind}`} tabIndex={-1}>
            <ConnectionBanner />
            {isLost() ? <CannotOpen /> : route ? <Screen route={route} /> : <Nowhere />}
        </main>
    );
}

function useKeys(): void {
    useLayoutEffect(() => {
        const settings = () => ({ single: prefs.value.keys, changed: prefs.value.keymap });
        const keymap = makeKeymap(settings, undefined, letters);
        document.addEventListener('keydown', keymap.press);
        return () => document.removeEventListener('keydown', keymap.press);
    }, []);
}

/** Windows over the page; each is mounted once and shows itself when it is wanted. */
function Hosts() {
    return (
        <>
            <EditHost />
            <SquashHost />
            {inspecting.value && <Inspector />}
            <Palette />
            <Help />
            <SignIn />
        </>
    );
}

export function Frame() {
    useKeys();
    useKeptFocus();
    useGlobalCommands();
    // At once: a sheet that is opened on the new screen is not one that was left open.
    useLayoutEffect(closeSheets, [place.value]);
    const route = isLost() ? null : routeOf(place.value);
    const columns = `${listShown.value ? '' : ' frame-no-list'}${panelShown.value && route?.panel ? '' : ' frame-no-panel'}`;
    return (
        <>
            <SkipLinks />
            <LiveRegions />
            <div class={`frame frame-${width.value}${columns}`}>
                <TopBar />
                {listShown.value && (
                    <nav class="frame-list" aria-label="Conversations, agents and views">
                        <SideList />
                    </nav>
                )}
                <Main route={route} />
                <SidePanel route={route} />
                <Notices />
                {width.value === 'narrow' && <BottomBar />}
            </div>
            {listSheet.value && (
                <Sheet title="skein" side="left" onClose={closeSheets}>
                    <nav aria-label="Conversations, agents and views">
                        <SideList />
                    </nav>
                </Sheet>
            )}
            <Hosts />
        </>
    );
}
