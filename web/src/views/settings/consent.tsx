import { useState } from 'preact/hooks';
import { listModels, testProvider, updateProvider, updateSettings } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { Provider } from '../../api/types';
import { Button, toast, TroubleBox } from '../../parts/parts';
import { providersChanged } from '../../store/store';
import { count } from '../shared/words';
import { hostOf, labelOf, sourceWords } from './provider-words';

/** Says who will get what is written. Nothing is sent before a button was pressed. */
export function WhereItGoes({ baseUrl, name }: { baseUrl: string | null; name: string }) {
    const host = hostOf(baseUrl) ?? name;
    return (
        <p class="settings-goes">
            Your messages and those of agents will be sent to <strong>{host}</strong>.
        </p>
    );
}

/** Its first model that talks answers for agents that name none; null: it does not say which it has. */
async function takeFirst(name: string): Promise<string | null> {
    const offers = await listModels(name, { limit: 500 });
    const model = offers.ok ? offers.value.data.find(m => !m.name.includes('embed'))?.model : null;
    if (!model || !(await updateSettings({ 'defaults.model': model })).ok) return null;
    providersChanged();
    return model;
}

/** Consent: from now on the key that was found is used, and by agents that name no model. */
export async function useFound(p: Provider): Promise<{ trouble: Trouble | null; model: string | null }> {
    const result = await updateProvider(p.name, {});
    if (!result.ok) return { trouble: result.trouble, model: null };
    providersChanged();
    const model = await takeFirst(p.name);
    toast({
        text: model
            ? `Agents without their own model answer with ${model} from now on. Choose another below.`
            : `${labelOf(p.name)} is in use. No agent’s model has changed: pick one of its models below.`,
        kind: 'ok',
    });
    return { trouble: null, model };
}

export interface ConsentProps {
    provider: Provider;
    /** With its model that answers for agents that name none; null: none was taken. */
    onUsed: (model: string | null) => void;
    onCancel: () => void;
    cancelWords: string;
}

/** The card of 1.5 without its surroundings: found where, sent where, use, test. */
export function Consent({ provider, onUsed, onCancel, cancelWords }: ConsentProps) {
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const [tested, setTested] = useState<string | null>(null);
    const [busy, setBusy] = useState(false);
    const label = labelOf(provider.name);

    async function use(): Promise<void> {
        setBusy(true);
        const used = await useFound(provider);
        setBusy(false);
        setTrouble(used.trouble);
        if (!used.trouble) onUsed(used.model);
    }
    async function test(): Promise<void> {
        setBusy(true);
        const result = await testProvider(provider.name);
        setBusy(false);
        if (!result.ok) setTrouble(result.trouble);
        else
            setTested(
                result.value.ok
                    ? `The key works: ${count(result.value.models, 'model')}, answered in ${result.value.tookMs} ms.`
                    : `${result.value.detail ?? result.value.state}. Nothing you wrote was sent.`,
            );
    }
    return (
        <div class="consent">
            <p>
                {label}:{' '}
                {provider.key
                    ? `key found in ${sourceWords(provider.key.source)} (ends in ${provider.key.tail ?? '…'})`
                    : 'detected on this computer'}
            </p>
            <WhereItGoes baseUrl={provider.baseUrl} name={provider.name} />
            <p>Agents without their own model will answer with its first model.</p>
            {tested && <p role="status">{tested}</p>}
            {trouble && <TroubleBox trouble={trouble} safe="Nothing was sent." />}
            <div class="settings-actions">
                <Button kind="main" disabled={busy} onClick={() => void use()}>
                    Use {label}
                </Button>
                <Button
                    disabled={busy}
                    onClick={() => void test()}
                    title="Requests the list of models once, with the key"
                >
                    Test the key first
                </Button>
                <Button kind="quiet" onClick={onCancel}>
                    {cancelWords}
                </Button>
            </div>
        </div>
    );
}
