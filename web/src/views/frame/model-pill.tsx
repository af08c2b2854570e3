import { useEffect } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { getSettings, listProviders } from '../../api/calls';
import { Icon } from '../../parts/parts';
import { href } from '../../store/place';
import { chat, state, world } from '../../store/store';
import { worldModel } from './states';

/** What the server takes when nobody names a model; `auto` is its own choice, which its providers tell. */
async function askDefault(): Promise<string | null> {
    const settings = await getSettings();
    if (!settings.ok) return null;
    const entry = settings.value.configuration['defaults.model'];
    const value = entry && !Array.isArray(entry) && typeof entry.value === 'string' ? entry.value : '';
    if (value && value !== 'auto') return value;
    // A server that changes nothing asks no models either, and refuses to tell of them.
    if (state.peek().readOnly) return null;
    const providers = await listProviders();
    if (!providers.ok) return null;
    return providers.value.data.find(one => one.defaultModel)?.defaultModel ?? null;
}

function useDefaultModel(): string | null {
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

function lastModel(): string | null {
    const rows = chat.value?.rows ?? [];
    return rows.findLast(row => row.model !== null)?.model ?? null;
}

/** The model that answers here, one press from the place where it is changed. */
export function ModelPill() {
    const usual = useDefaultModel();
    if (!world.value) return null;
    const name = worldModel(world.value, usual ?? lastModel());
    return (
        <a
            class="frame-pill frame-model"
            href={href({ kind: 'settings', tab: 'models' })}
            aria-label={`Model: ${name}. Change`}
            title={`Model: ${name} (m)`}
        >
            <Icon name="sparkle" />
            <span class="frame-model-word">{name}</span>
            <Icon name="chevronDown" />
        </a>
    );
}
