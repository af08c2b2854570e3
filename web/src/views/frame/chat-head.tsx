import type { ComponentChildren } from 'preact';
import { Button, IconButton } from '../../parts/parts';
import { chatTitle } from '../../store/names';
import { href, place, type View } from '../../store/place';
import { shownVersion, world } from '../../store/store';
import { panelShown, panelSheet, togglePanel } from './layout';

const names: { view: View; label: string; keys: string }[] = [
    { view: 'chat', label: 'Chat', keys: 'g c' },
    { view: 'tree', label: 'Tree', keys: 'g t' },
    { view: 'timeline', label: 'Timeline', keys: 'g l' },
    { view: 'history', label: 'History', keys: 'g h' },
];

/** The address of another view of the same conversation; an old version that is looked at stays the same. */
export function viewLink(view: View): string {
    const here = place.value;
    if (here.kind !== 'chat') return '/';
    return href({ kind: 'chat', w: here.w, c: here.c, view, v: here.v });
}

export function ViewLinks({
    short,
    children,
}: {
    short?: boolean;
    children?: (view: View) => ComponentChildren;
}) {
    const here = place.value;
    if (here.kind !== 'chat') return null;
    const version = world.value?.chats[here.c]?.version;
    return (
        <ul class="view-links">
            {names.map(({ view, label, keys }) => (
                <li key={view}>
                    <a
                        href={viewLink(view)}
                        aria-current={here.view === view ? 'page' : undefined}
                        class="view-link"
                        title={short ? undefined : `${label} (${keys})`}
                    >
                        {children?.(view)}
                        <span>{short && view === 'timeline' ? 'Time' : label}</span>
                        {view === 'history' && !short && version !== undefined && version > 0 && (
                            <span class="view-version"> v{version}</span>
                        )}
                    </a>
                </li>
            ))}
        </ul>
    );
}

/** On a phone the bars name the conversation and its views; what is left is the way to the panel. */
function NarrowHead({ view, title, panelTitle }: { view: View; title: string; panelTitle?: string }) {
    if (view === 'chat' || !panelTitle) return <h1 class="visually-hidden">{title}</h1>;
    const name = names.find(one => one.view === view)?.label ?? '';
    return (
        <div class="chat-head chat-head-narrow">
            <h1>
                {name}
                <span class="visually-hidden"> of {title}</span>
            </h1>
            <Button small kind="quiet" onClick={togglePanel}>
                {panelTitle}
            </Button>
        </div>
    );
}

/** The line above the four views of a conversation. */
export function ChatHead({ narrow, panelTitle }: { narrow: boolean; panelTitle?: string }) {
    const here = place.value;
    if (here.kind !== 'chat') return null;
    const chat = world.value?.chats[here.c];
    const open = panelShown.value || panelSheet.value;
    const title = chat ? chatTitle(chat) : 'Conversation';
    if (narrow) return <NarrowHead view={here.view} title={title} panelTitle={panelTitle} />;
    return (
        <div class={`chat-head${shownVersion.value ? ' chat-head-past' : ''}`}>
            <h1 class="chat-head-title" title={title}>
                {title}
            </h1>
            <nav aria-label="Views of this conversation">
                <ViewLinks />
            </nav>
            {panelTitle && (
                <IconButton
                    icon="panel"
                    label={`${open ? 'Close' : 'Open'} the panel: ${panelTitle}`}
                    keys="]"
                    expanded={open}
                    onClick={togglePanel}
                />
            )}
        </div>
    );
}
