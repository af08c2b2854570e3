import { loadLatest } from '../../store/store';
import { place } from '../../store/place';

/** Focuses something that usually cannot have the focus, for this once. */
function land(target: HTMLElement | null | undefined): void {
    if (!target) return;
    if (target.tabIndex < 0 && !target.hasAttribute('tabindex')) target.tabIndex = -1;
    target.focus();
    target.scrollIntoView({ block: 'nearest' });
}

const find = (selector: string) => document.querySelector<HTMLElement>(selector);

async function toLatest(): Promise<void> {
    await loadLatest();
    requestAnimationFrame(() => {
        const rows = document.querySelectorAll<HTMLElement>('#main [role=log] article');
        land(rows[rows.length - 1] ?? find('#main'));
    });
}

interface Skip {
    label: string;
    run: () => void;
}

const toMain: Skip = { label: 'Skip to content', run: () => land(find('#main')) };
const inChat: Skip[] = [
    { label: 'Skip to messages', run: () => land(find('#main [role=log]') ?? find('#main')) },
    {
        label: 'Skip to composer',
        run: () => land(find('#main [data-composer], #main form textarea, #main textarea') ?? find('#main')),
    },
    { label: 'Skip to latest', run: () => void toLatest() },
];

export function SkipLinks() {
    const here = place.value;
    const links = here.kind === 'chat' && here.view === 'chat' ? inChat : [toMain];
    return (
        <nav class="skip-links" aria-label="Skip links">
            {links.map(link => (
                <a
                    key={link.label}
                    href="#main"
                    class="skip-link"
                    onClick={event => {
                        event.preventDefault();
                        link.run();
                    }}
                >
                    {link.label}
                </a>
            ))}
        </nav>
    );
}
