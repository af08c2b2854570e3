import { Button, Select } from '../../parts/parts';
import { state } from '../../store/store';
import { asksModels, modelOptions, readOffers, type Offered } from '../agents/models';
import { useLoad } from '../shared/load';
import { entryOf, setSetting, useSettings } from './settings-data';

const NAME = 'defaults.model';

/** The model of agents that name none. */
export function DefaultModel() {
    const settings = useSettings();
    const offers = useLoad<Offered[]>(asksModels() ? 'offers' : null, readOffers, state.value.providersTick);
    const entry = entryOf(settings.value, NAME);
    const value = typeof entry?.value === 'string' ? entry.value : 'auto';
    const fixed = entry !== null && /^(option|environment)/.test(entry.origin);
    const set = (next: string | null): void => void setSetting(NAME, next, settings.reload);
    return (
        <div class="settings-default">
            <Select
                label="Default model"
                value={value}
                onPick={set}
                disabled={fixed || state.value.readOnly}
                options={modelOptions(offers.value ?? [], value === 'auto' ? null : value, {
                    value: 'auto',
                    label: 'auto',
                })}
                hint={
                    <>
                        {value === 'auto' && 'A local model, otherwise the first one in skein.yaml. '}
                        Origin: {entry?.origin ?? '…'}
                        {fixed && '; change it there'}
                    </>
                }
            />
            {entry?.origin === 'changed here' && (
                <Button small kind="quiet" onClick={() => set(null)}>
                    Reset
                </Button>
            )}
        </div>
    );
}
