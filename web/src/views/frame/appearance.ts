import { effect } from '@preact/signals';
import { prefs } from '../../store/prefs';

function set(name: string, value: string | null): void {
    if (value === null) document.documentElement.removeAttribute(name);
    else document.documentElement.setAttribute(name, value);
}

/** What the person chose, where the style sheets look for it; nothing there means: as the system says. */
export function applyAppearance(): () => void {
    return effect(() => {
        const { theme, contrast, calm, textSize } = prefs.value;
        set('data-theme', theme === 'system' ? null : theme);
        set('data-contrast', contrast === 'system' ? null : contrast);
        set('data-calm', calm ? '' : null);
        document.documentElement.style.fontSize = { normal: '', large: '112.5%', larger: '125%' }[textSize];
    });
}
