import { computed, effect } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import type { Place } from '../../store/place';
import { state } from '../../store/store';
import { ChatView } from '../chat/chat-view';
import { MessagePanel } from '../chat/message-panel';
import { lazyView, type Preload } from './lazy';

type View = FunctionComponent;
type Lazy = View & { preload?: Preload };

/** What stands in the main column, what in the right one, and what the right one is called. */
export interface Route {
    main: Lazy;
    panel?: Lazy;
    panelTitle?: string;
    /** How the page is called in the title of the window, where it is not a conversation. */
    title?: string;
}

const TreeView = lazyView(() => import('../tree/tree-view').then(m => m.TreeView), 'the tree');
const TreePanel = lazyView(() => import('../tree/tree-panel').then(m => m.TreePanel), 'numbers of the tree');
const TimelineView = lazyView(
    () => import('../timeline/timeline-view').then(m => m.TimelineView),
    'the timeline',
);
const TimelinePanel = lazyView(
    () => import('../timeline/timeline-panel').then(m => m.TimelinePanel),
    'numbers of the run',
);
const HistoryView = lazyView(() => import('../history/history-view').then(m => m.HistoryView), 'the history');
const HistoryPanel = lazyView(
    () => import('../history/history-panel').then(m => m.HistoryPanel),
    'the version',
);
const InboxView = lazyView(() => import('../inbox/inbox-view').then(m => m.InboxView), 'the inbox');
const AgentsView = lazyView(() => import('../agents/agents-view').then(m => m.AgentsView), 'the agents');
const AgentView = lazyView(() => import('../agents/agent-view').then(m => m.AgentView), 'the agent');
const AgentPanel = lazyView(() => import('../agents/agent-panel').then(m => m.AgentPanel), 'the agent');
const SearchView = lazyView(() => import('../search/search-view').then(m => m.SearchView), 'search');
const SettingsView = lazyView(
    () => import('../settings/settings-view').then(m => m.SettingsView),
    'settings',
);

export const Inspector = lazyView(
    () => import('../inspector/inspector').then(m => m.Inspector),
    'the inspector',
);
export const FirstRun = lazyView(() => import('../settings/first-run').then(m => m.FirstRun), 'models');
export const TravelBanner = lazyView(
    () => import('../history/travel-banner').then(m => m.TravelBanner),
    'the version',
);

const views: Record<'chat' | 'tree' | 'timeline' | 'history', Route> = {
    chat: { main: ChatView, panel: MessagePanel, panelTitle: 'Message' },
    tree: { main: TreeView, panel: TreePanel, panelTitle: 'Analytics' },
    timeline: { main: TimelineView, panel: TimelinePanel, panelTitle: 'Run' },
    history: { main: HistoryView, panel: HistoryPanel, panelTitle: 'Version' },
};

const pages: Partial<Record<Place['kind'], Route>> = {
    inbox: { main: InboxView, title: 'Inbox' },
    agents: { main: AgentsView, panel: AgentPanel, panelTitle: 'Agent', title: 'Agents' },
    agent: { main: AgentView, panel: AgentPanel, panelTitle: 'Agent', title: 'Agent' },
    search: { main: SearchView, title: 'Search' },
    settings: { main: SettingsView, title: 'Settings' },
};

/** null: a place without a screen of its own (a world without conversations, an address that nothing has). */
export function routeOf(place: Place): Route | null {
    return place.kind === 'chat' ? views[place.view] : (pages[place.kind] ?? null);
}

const isHere = computed(() => ['live', 'readOnly'].includes(state.value.connection.state));

/** One after the other, so that a server that goes away in between is asked for one of them and not for all. */
async function preloadAll(): Promise<void> {
    const routes = [...Object.values(views), ...Object.values(pages)];
    for (const view of [...routes.flatMap(r => [r.main, r.panel]), Inspector, TravelBanner])
        if (isHere.peek()) await view?.preload?.();
}

/** When nothing else is to be done, so that other views open at once, also after the server went away. */
export function preloadViews(): void {
    effect(() => {
        // What could not be fetched is tried again when the server is back, or when it is looked at.
        if (isHere.value) void preloadAll().catch(() => undefined);
    });
}
