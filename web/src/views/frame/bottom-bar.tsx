import { Icon, type IconName } from '../../parts/parts';
import { href, place, type View } from '../../store/place';
import { state } from '../../store/store';
import { ViewLinks } from './chat-head';

const icons: Record<View, IconName> = {
    chat: 'chat',
    tree: 'tree',
    timeline: 'timeline',
    history: 'history',
};

/** On a phone: the four views of the conversation, or on other pages the ways to them. */
export function BottomBar() {
    const here = place.value;
    const open = state.value.open;
    if (here.kind === 'chat') {
        return (
            <nav class="frame-bottom" aria-label="Views of this conversation">
                <ViewLinks short>{view => <Icon name={icons[view]} />}</ViewLinks>
            </nav>
        );
    }
    const links: { label: string; to: string; icon: IconName; here: boolean }[] = [
        { label: 'Chat', to: open ? href({ kind: 'world', w: open }) : '/', icon: 'chat', here: false },
        { label: 'Inbox', to: href({ kind: 'inbox' }), icon: 'inbox', here: here.kind === 'inbox' },
        {
            label: 'Search',
            to: href({ kind: 'search', q: '', w: open ?? undefined }),
            icon: 'search',
            here: here.kind === 'search',
        },
        {
            label: 'Settings',
            to: href({ kind: 'settings', tab: 'models' }),
            icon: 'settings',
            here: here.kind === 'settings',
        },
    ];
    return (
        <nav class="frame-bottom" aria-label="Pages">
            <ul class="view-links">
                {links.map(link => (
                    <li key={link.label}>
                        <a href={link.to} class="view-link" aria-current={link.here ? 'page' : undefined}>
                            <Icon name={link.icon} />
                            <span>{link.label}</span>
                        </a>
                    </li>
                ))}
            </ul>
        </nav>
    );
}
