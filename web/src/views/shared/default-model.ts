// default-model.ts: the model that answers for agents that name none.

import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { getSettings, listProviders } from '../../api/calls';
import { state } from '../../store/store';

/** What the server takes when nobody names a model; `auto` is its own choice, which its providers tell. */
async function askDefault(): Promise<string | null> {
    const settings = await getSettings();
    if (!settings.ok) return null;
    const entry = settings.value.configuration['defaults.model'];
    const value = entry && !Array.isArray(entry) && typeof entry.value === 'string' ? entry.value : '';
    if (value && value !== 'auto') return value;
    // A server that changes nothing asks no models either, and refuses to list them.
    if (state.peek().readOnly) return null;
    const providers = await listProviders();
    if (!providers.ok) return null;
    return providers.value.data.find(one => one.defaultModel)?.defaultModel ?? null;
}

/** null: not known yet, or not told. */
export function useDefaultModel(): string | null {
    const usual = useSignal<string | null>(null);
    const { providersTick, open } = state.value;
    useEffect(() => {
        let gone = false;
        if (open === null) return;
        void askDefault().then(model => {
            if (!gone) usual.value = model;
        });
        return () => {
            gone = true;
        };
    }, [providersTick, open]);
    return usual.value;
}
