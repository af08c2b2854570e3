import { Icon, IconButton } from '../../parts/parts';
import { openHelp } from '../../keys/help';
import { showKeys } from '../../keys/keymap';
import { openPalette } from '../../keys/palette';
import { chatTitle } from '../../store/names';
import { href, place } from '../../store/place';
import { state, world } from '../../store/store';
import { inboxBadge } from './inbox-badge';
import { ConnectionPill } from './connection';
import { closeSheets, listShown, listSheet, toggleList, width } from './layout';
import { ModelPill } from './model-pill';
import { WorldMenu } from './world-menu';

function InboxLink() {
    const { unread, needsYou } = state.value.inbox;
    const count = unread > 999 ? '999+' : String(unread);
    const badge = inboxBadge({ unread, needsYou });
    const name = needsYou > 0 ? `Inbox ${badge.number} need you, ${count} unread` : `Inbox ${count} unread`;
    const here = place.value.kind === 'inbox';
    return (
        <a
            class={`frame-inbox${needsYou > 0 ? ' frame-inbox-needs' : ''}`}
            href={href({ kind: 'inbox' })}
            aria-label={name}
            title={name}
            aria-current={here ? 'page' : undefined}
            onClick={closeSheets}
        >
            <Icon name="inbox" />
            <span class="frame-inbox-word">Inbox</span>{' '}
            <b>
                {badge.what === 'need you' && <span aria-hidden="true">◐ </span>}
                {badge.number}
            </b>
        </a>
    );
}

function pageTitle(): string {
    const here = place.value;
    if (here.kind !== 'chat') return '';
    const chat = world.value?.chats[here.c];
    return chat ? chatTitle(chat) : '';
}

function NarrowStart() {
    const title = pageTitle();
    return (
        <>
            <IconButton
                icon={title ? 'back' : 'menu'}
                label="Conversations, agents and views"
                expanded={listSheet.value}
                onClick={toggleList}
            />
            {title ? <span class="frame-top-title">{title}</span> : <WorldMenu />}
        </>
    );
}

function WideStart() {
    return (
        <>
            <IconButton
                icon="list"
                label={listShown.value || listSheet.value ? 'Close the list' : 'Open the list'}
                keys="["
                expanded={listShown.value || listSheet.value}
                onClick={toggleList}
                class="frame-list-button"
            />
            <a class="frame-name" href="/">
                skein
            </a>
            <WorldMenu />
            <button type="button" class="frame-search" onClick={() => openPalette()} aria-haspopup="dialog">
                <Icon name="search" />
                <span>Search or jump to…</span>
                <kbd>{showKeys('Ctrl+k')}</kbd>
            </button>
        </>
    );
}

export function TopBar() {
    const narrow = width.value === 'narrow';
    return (
        <header class="frame-top">
            {narrow ? <NarrowStart /> : <WideStart />}
            <span class="frame-top-space" />
            {!narrow && <ModelPill />}
            <ConnectionPill />
            <InboxLink />
            <IconButton
                icon="help"
                label="Help: keys of this screen"
                keys="?"
                onClick={openHelp}
                class="frame-help"
            />
        </header>
    );
}
