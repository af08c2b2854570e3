import { useCommands, type Command } from '../../keys/commands';
import { openHelp } from '../../keys/help';
import { openPalette } from '../../keys/palette';
import { go, place, type View } from '../../store/place';
import { prefs, setPref } from '../../store/prefs';
import { state, world } from '../../store/store';
import { newChat, nextThatNeedsYou, nextUnread, redoLast, stopAll, undoLast } from './actions';
import { toggleList, togglePanel } from './layout';

const anywhere = 'Anywhere';
const conversation = 'Conversation';

function inChat(): boolean {
    return place.value.kind === 'chat';
}

function show(view: View): void {
    const here = place.value;
    if (here.kind === 'chat') go({ kind: 'chat', w: here.w, c: here.c, view, v: here.v });
}

const noWindow = () => document.querySelector('dialog[open]') === null;
const hasWorld = () => state.value.open !== null;
const openName = () => state.value.open ?? '';

function toAgents(): void {
    go({ kind: 'agents', w: openName() });
}

const jumps: Command[] = [
    {
        id: 'palette',
        title: 'Search and jump',
        keys: ['Ctrl+k', '/'],
        where: anywhere,
        typing: true,
        needs: noWindow,
        run: () => openPalette(),
    },
    {
        id: 'palette.commands',
        title: 'All commands',
        where: anywhere,
        needs: noWindow,
        run: () => openPalette('> '),
    },
    {
        id: 'help',
        title: 'Keys of this screen',
        keys: ['?', 'F1'],
        where: anywhere,
        typing: true,
        needs: noWindow,
        run: openHelp,
    },
    { id: 'go.inbox', title: 'Inbox', keys: ['g i'], where: anywhere, run: () => go({ kind: 'inbox' }) },
    { id: 'go.agents', title: 'Agents', keys: ['g a'], where: anywhere, when: hasWorld, run: toAgents },
    {
        id: 'go.search',
        title: 'Search',
        keys: ['g s'],
        where: anywhere,
        run: () => go({ kind: 'search', q: '', w: state.value.open ?? undefined }),
    },
    {
        id: 'go.settings',
        title: 'Settings',
        where: anywhere,
        run: () => go({ kind: 'settings', tab: 'models' }),
    },
    { id: 'next.unread', title: 'Next unread', keys: ['n'], where: anywhere, run: nextUnread },
    {
        id: 'next.needs',
        title: 'Next that needs you',
        keys: ['Shift+n'],
        where: anywhere,
        run: nextThatNeedsYou,
    },
];

const views: Command[] = [
    {
        id: 'view.chat',
        title: 'Chat',
        keys: ['g c'],
        where: conversation,
        when: inChat,
        run: () => show('chat'),
    },
    {
        id: 'view.tree',
        title: 'Tree',
        keys: ['g t'],
        where: conversation,
        when: inChat,
        run: () => show('tree'),
    },
    {
        id: 'view.timeline',
        title: 'Timeline',
        keys: ['g l'],
        where: conversation,
        when: inChat,
        run: () => show('timeline'),
    },
    {
        id: 'view.history',
        title: 'History',
        keys: ['g h'],
        where: conversation,
        when: inChat,
        run: () => show('history'),
    },
];

const deeds: Command[] = [
    { id: 'undo', title: 'Undo', keys: ['z'], where: anywhere, when: inChat, run: () => void undoLast() },
    {
        id: 'redo',
        title: 'Redo',
        keys: ['Shift+z'],
        where: anywhere,
        when: inChat,
        run: () => void redoLast(),
    },
    {
        id: 'stop',
        title: 'Stop the agents of this conversation',
        keys: ['.'],
        where: anywhere,
        when: inChat,
        run: () => void stopAll(),
    },
    { id: 'list', title: 'Left list: open or close', keys: ['['], where: anywhere, run: toggleList },
    { id: 'panel', title: 'Right panel: open or close', keys: [']'], where: anywhere, run: togglePanel },
    {
        id: 'model',
        title: 'Model',
        keys: ['m'],
        where: anywhere,
        run: () => go({ kind: 'settings', tab: 'models' }),
    },
    {
        id: 'chat.new',
        title: 'New conversation',
        where: anywhere,
        when: () => world.value !== null,
        run: () => void newChat(),
    },
    { id: 'theme.light', title: 'Light theme', where: 'Appearance', run: () => setPref('theme', 'light') },
    { id: 'theme.dark', title: 'Dark theme', where: 'Appearance', run: () => setPref('theme', 'dark') },
    {
        id: 'theme.system',
        title: 'Theme of the system',
        where: 'Appearance',
        run: () => setPref('theme', 'system'),
    },
    {
        id: 'calm',
        title: 'Calm mode: on or off',
        where: 'Appearance',
        run: () => setPref('calm', !prefs.value.calm),
    },
];

/** The keys that work on every screen; a view that is mounted inside may take them over. */
export function useGlobalCommands(): void {
    useCommands([...jumps, ...views, ...deeds]);
}
