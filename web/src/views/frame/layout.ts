import { computed, signal } from '@preact/signals';
import { prefs, setPref } from '../../store/prefs';

/** wide: three columns; middle: list and main; narrow: one column with a bar below. */
export type Width = 'wide' | 'middle' | 'narrow';

const wide = watch('(min-width: 1024px)');
const middle = watch('(min-width: 640px)');
/** Beside the list there must be room for a line of text and the bar over it. */
const roomForList = watch('(min-width: 860px)');

function watch(query: string) {
    const media = window.matchMedia(query);
    const matches = signal(media.matches);
    media.addEventListener('change', event => {
        matches.value = event.matches;
    });
    return matches;
}

export const width = computed<Width>(() => (wide.value ? 'wide' : middle.value ? 'middle' : 'narrow'));

/** Sheets stand for the columns that have no room; they are shut again when there is room. */
const sheet = signal<'list' | 'panel' | null>(null);

export const listShown = computed(() => roomForList.value && prefs.value.listOpen);
export const panelShown = computed(() => width.value === 'wide' && prefs.value.panelOpen);
export const listSheet = computed(() => !roomForList.value && sheet.value === 'list');
export const panelSheet = computed(() => width.value !== 'wide' && sheet.value === 'panel');

export function closeSheets(): void {
    sheet.value = null;
}

export function toggleList(): void {
    if (!roomForList.value) sheet.value = sheet.value === 'list' ? null : 'list';
    else setPref('listOpen', !prefs.value.listOpen);
}

export function togglePanel(): void {
    if (width.value !== 'wide') sheet.value = sheet.value === 'panel' ? null : 'panel';
    else setPref('panelOpen', !prefs.value.panelOpen);
}

/** For views that have something to show in the panel. */
export function showPanel(): void {
    if (width.value !== 'wide') sheet.value = 'panel';
    else if (!prefs.value.panelOpen) setPref('panelOpen', true);
}
