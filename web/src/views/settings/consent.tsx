import { useState } from 'preact/hooks';
import { testProvider, updateProvider } from '../../api/calls';
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
            What you and the agents write will be sent to <strong>{host}</strong>.
        </p>
    );
}

/** Consent: from now on the key that was found is used. */
export async function useFound(p: Provider): Promise<Trouble | null> {
    const result = await updateProvider(p.name, {});
    if (!result.ok) return result.trouble;
    providersChanged();
    toast({
        text: `${labelOf(p.name)} is in use. Pick its model below, or leave the choice to skein.`,
        kind: 'ok',
    });
    return null;
}

export interface ConsentProps {
    provider: Provider;
    onUsed: () => void;
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
        const bad = await useFound(provider);
        setBusy(false);
        setTrouble(bad);
        if (!bad) onUsed();
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
                    : 'found on this computer'}
            </p>
            <WhereItGoes baseUrl={provider.baseUrl} name={provider.name} />
            {tested && <p role="status">{tested}</p>}
            {trouble && <TroubleBox trouble={trouble} safe="Nothing was sent." />}
            <div class="settings-actions">
                <Button kind="main" disabled={busy} onClick={() => void use()}>
                    Use {label}
                </Button>
                <Button
                    disabled={busy}
                    onClick={() => void test()}
                    title="Asks for its list of models, with the key, once"
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
