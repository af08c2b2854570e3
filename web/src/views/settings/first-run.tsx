// "Use a real model?": shown while only canned text answers and a key or a local server was found.

import { signal } from '@preact/signals';
import { listProviders } from '../../api/calls';
import type { ProviderList } from '../../api/types';
import { Select } from '../../parts/parts';
import { keep, kept } from '../../store/keep';
import { state } from '../../store/store';
import { useState } from 'preact/hooks';
import { asksModels } from '../agents/models';
import { useLoad } from '../shared/load';
import { Consent } from './consent';
import { DefaultModel } from './default-model';
import { MonthlyLimit } from './monthly-limit';
import { couldBeReal, labelOf } from './provider-words';
import './settings.css';

const KEY = 'skein.firstRun';
const stays = signal(kept(KEY) === 'stay');

function stay(): void {
    stays.value = true;
    keep(KEY, 'stay');
}

export function FirstRun() {
    const tick = state.value.providersTick;
    const read = useLoad<ProviderList>(
        asksModels() ? 'providers' : null,
        signal => listProviders({ limit: 100 }, { signal }),
        tick,
    );
    const [picked, setPicked] = useState<string | null>(null);
    const [used, setUsed] = useState<{ model: string | null } | null>(null);
    const found = couldBeReal(read.value?.data ?? []);
    const provider = found.find(p => p.name === picked) ?? found[0];
    if (used) return <Connected model={used.model} onClose={() => setUsed(null)} />;
    if (stays.value || !provider || state.value.readOnly) return null;
    return (
        <section class="first-run" aria-labelledby="first-run-title">
            <h2 id="first-run-title">Use a real model?</h2>
            {found.length > 1 && (
                <Select
                    label="Found"
                    value={provider.name}
                    onPick={setPicked}
                    options={found.map(p => ({ value: p.name, label: labelOf(p.name) }))}
                />
            )}
            <Consent
                key={provider.name}
                provider={provider}
                onUsed={model => setUsed({ model })}
                onCancel={stay}
                cancelWords="Stay with the scripted demo"
            />
        </section>
    );
}

/** The choices that follow consent: they need the list of models, which only the provider knows. */
function Connected({ model, onClose }: { model: string | null; onClose: () => void }) {
    return (
        <section class="first-run" aria-labelledby="first-run-title">
            <h2 id="first-run-title">{model ? `${model} answers from now on` : 'Which model answers?'}</h2>
            <div class="settings-pair">
                <DefaultModel />
                <MonthlyLimit />
            </div>
            <div class="settings-actions">
                <button type="button" class="button button-plain" onClick={onClose}>
                    Close
                </button>
            </div>
        </section>
    );
}
