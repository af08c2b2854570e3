// models.ts: the models that can be picked, of all providers.

import { listModels, listProviders } from '../../api/calls';
import type { Result } from '../../api/client';
import type { ModelOffer, Provider } from '../../api/types';
import { state } from '../../store/store';

/** A server that changes nothing asks no models, and refuses to list them; what kind it is, its first answers say. */
export function asksModels(): boolean {
    const { readOnly, open, connection } = state.value;
    return !readOnly && (open !== null || connection.state === 'live');
}

export interface Offered {
    provider: Provider;
    models: ModelOffer[];
}

/** A provider without a key, one that nobody allowed, or one that failed is not asked: nothing leaves the computer for a list. */
export function mayBeAsked(p: Provider): boolean {
    return !['no-key', 'unused', 'not-there', 'failed'].includes(p.state ?? '');
}

export async function readOffers(signal: AbortSignal): Promise<Result<Offered[]>> {
    const providers = await listProviders({ limit: 500 }, { signal });
    if (!providers.ok) return providers;
    const offers = await Promise.all(
        providers.value.data.map(async provider => {
            if (!mayBeAsked(provider)) return { provider, models: [] };
            const models = await listModels(provider.name, { limit: 500 }, { signal });
            return { provider, models: models.ok ? models.value.data : [] };
        }),
    );
    return { ...providers, value: offers };
}

export interface ModelOption {
    value: string;
    label: string;
}

/** What a picker shows; a model that is set but that nobody offers stays in the list, so that saving does not lose it. */
export function modelOptions(
    offers: readonly Offered[],
    current: string | null,
    first?: ModelOption,
): ModelOption[] {
    const known = offers.flatMap(o =>
        o.models.map(m => {
            const name = m.model ?? `${o.provider.name}/${m.name}`;
            return {
                value: name,
                label: o.provider.type === 'scripted' ? `${name} (canned text, no AI)` : name,
            };
        }),
    );
    const options = first ? [first, ...known] : known;
    if (current && !options.some(o => o.value === current))
        options.push({ value: current, label: `${current} (not offered now)` });
    return options;
}
