// settings-data.ts: the configuration of the server and what people set, as the tabs show it.

import { getSettings, updateSettings } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { Settings } from '../../api/types';
import { toast } from '../../parts/parts';
import { providersChanged } from '../../store/store';
import { useLoad, type Loaded } from '../shared/load';

export interface Entry {
    value: unknown;
    /** where it comes from, in words */
    origin: string;
    restart: boolean;
}

export function useSettings(): Loaded<Settings> {
    return useLoad<Settings>('settings', signal => getSettings({ signal }));
}

/** A value, and who says so. What people set here stands above the file, and below variables and options. */
export function entryOf(settings: Settings | null, name: string): Entry | null {
    if (!settings) return null;
    const raw = settings.configuration[name];
    const known = raw && !Array.isArray(raw) ? raw : null;
    const chosen = settings.preferences[name];
    const outside = known ? /^(--|SKEIN_)/.test(known.origin) : false;
    if (chosen !== undefined && !outside) return { value: chosen, origin: 'changed here', restart: false };
    if (!known) return null;
    return { value: known.value, origin: originWords(known.origin), restart: known.restart === true };
}

/** In the manner of `git config --show-origin`. */
export function originWords(origin: string): string {
    if (origin === 'built-in') return 'default';
    if (origin === 'store') return 'changed here';
    if (origin.startsWith('--')) return `option ${origin}`;
    if (/^[A-Z][A-Z0-9_]*$/.test(origin)) return `environment ${origin}`;
    return `file ${origin}`;
}

export function shown(value: unknown): string {
    if (value === '' || value === null || value === undefined) return 'none';
    if (typeof value === 'boolean') return value ? 'yes' : 'no';
    if (Array.isArray(value)) return value.length > 0 ? value.map(String).join(', ') : 'none';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** null resets it. */
export async function setSetting(name: string, value: unknown, reload: () => void): Promise<Trouble | null> {
    const result = await updateSettings({ [name]: value });
    if (!result.ok) {
        toast({ kind: 'error', text: `The setting was not changed. ${result.trouble.detail}` });
        return result.trouble;
    }
    reload();
    providersChanged();
    return null;
}
