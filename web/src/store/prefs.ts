// prefs.ts: what a person likes, kept in this browser. What the server must know is in its settings.

import { signal, type Signal } from '@preact/signals';
import { keep, kept } from './keep';

export interface Prefs {
    theme: 'system' | 'light' | 'dark';
    contrast: 'system' | 'more';
    textSize: 'normal' | 'large' | 'larger';
    /** less movement, fewer signs */
    calm: boolean;
    /** how much is read out of an answer: all of it, its first sentence, only that it is done, nothing */
    announce: 'all' | 'first' | 'done' | 'off';
    enterSends: boolean;
    /** single keys act */
    keys: boolean;
    /** id of a command: its keys */
    keymap: Record<string, string[]>;
    /** messages that only agents' memories hold are not shown */
    hideInMemory: boolean;
    timeline: 'boxes' | 'tabs';
    panelOpen: boolean;
    listOpen: boolean;
    tourHidden: boolean;
    tourDone: string[];
    /** notify the person by the browser, while the page is not in front */
    notify: boolean;
}

export const DEFAULT_PREFS: Prefs = {
    theme: 'system',
    contrast: 'system',
    textSize: 'normal',
    calm: false,
    announce: 'done',
    enterSends: true,
    keys: true,
    keymap: {},
    hideInMemory: false,
    timeline: 'boxes',
    panelOpen: true,
    listOpen: true,
    tourHidden: false,
    tourDone: [],
    notify: false,
};

const KEY = 'skein.prefs';
const CHOICES: Partial<Record<keyof Prefs, readonly string[]>> = {
    theme: ['system', 'light', 'dark'],
    contrast: ['system', 'more'],
    textSize: ['normal', 'large', 'larger'],
    announce: ['all', 'first', 'done', 'off'],
    timeline: ['boxes', 'tabs'],
};

function sameKind(name: keyof Prefs, value: unknown): boolean {
    const usual = DEFAULT_PREFS[name];
    if (Array.isArray(usual)) return Array.isArray(value) && value.every(v => typeof v === 'string');
    if (typeof value !== typeof usual || value === null) return false;
    return typeof value !== 'string' || (CHOICES[name]?.includes(value) ?? true);
}

/** What was stored, as far as it is still understood: an older or newer page may have written it. */
export function asPrefs(value: unknown): Prefs {
    if (value === null || typeof value !== 'object') return DEFAULT_PREFS;
    const names = Object.keys(DEFAULT_PREFS) as (keyof Prefs)[];
    const stored = value as Record<string, unknown>;
    const usable = names.filter(name => sameKind(name, stored[name])).map(name => [name, stored[name]]);
    return { ...DEFAULT_PREFS, ...Object.fromEntries(usable) };
}

export const prefs: Signal<Prefs> = signal(asPrefs(kept(KEY)));

prefs.subscribe(value => keep(KEY, value));

export function setPref<K extends keyof Prefs>(name: K, value: Prefs[K]): void {
    prefs.value = { ...prefs.value, [name]: value };
}

addEventListener('storage', e => {
    if (e.key === KEY) prefs.value = asPrefs(kept(KEY));
});
