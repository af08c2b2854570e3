import { useState } from 'preact/hooks';
import {
    createProvider,
    detectProviders,
    listModels,
    listProviders,
    removeProvider,
    testProvider,
} from '../../api/calls';
import type { FoundProvider, ModelOfferList, Provider, ProviderList } from '../../api/types';
import { Badge, Button, Dialog, Loading, toast, TroubleBox } from '../../parts/parts';
import { providersChanged, state } from '../../store/store';
import { asksModels } from '../agents/models';
import { useLoad } from '../shared/load';
import { count } from '../shared/words';
import { Consent } from './consent';
import { ConfigRows } from './config-rows';
import { DefaultModel } from './default-model';
import { MonthlyLimit } from './monthly-limit';
import { NewKeyDialog, NewProviderDialog } from './provider-form';
import { budgetWords, hostOf, keyWords, labelOf, newlyFound, standing } from './provider-words';
import { useSettings } from './settings-data';

export function ModelsTab() {
    const tick = state.value.providersTick;
    const read = useLoad<ProviderList>(
        asksModels() ? 'providers' : null,
        signal => listProviders({ limit: 200 }, { signal }),
        tick,
    );
    const settings = useSettings();
    const [found, setFound] = useState<FoundProvider[] | null>(null);
    const [adding, setAdding] = useState(false);
    const [looking, setLooking] = useState(false);
    const providers = read.value?.data ?? [];
    const readOnly = state.value.readOnly;

    async function look(): Promise<void> {
        setLooking(true);
        const result = await detectProviders();
        setLooking(false);
        if (!result.ok) {
            toast({ kind: 'error', text: `Detection failed. ${result.trouble.detail}` });
            return;
        }
        setFound(result.value.data);
        providersChanged();
        const fresh = newlyFound(result.value.data, providers).length;
        toast({
            text:
                fresh > 0
                    ? `${count(fresh, 'new provider')} found.`
                    : 'Nothing new was detected on this computer or in the environment.',
        });
    }
    return (
        <>
            <section aria-labelledby="models-connected">
                <header class="settings-head">
                    <h2 id="models-connected">Connected</h2>
                    <span class="settings-actions">
                        <Button busy={looking} disabled={readOnly || looking} onClick={() => void look()}>
                            Look again
                        </Button>
                        <Button kind="main" disabled={readOnly} onClick={() => setAdding(true)}>
                            + Provider
                        </Button>
                    </span>
                </header>
                {readOnly && <p class="settings-note">A read only server asks no models.</p>}
                {read.trouble && <TroubleBox trouble={read.trouble} onRetry={read.reload} />}
                {read.late && <Loading label="Loading the providers" />}
                <ul class="provider-rows">
                    {providers.map(p => (
                        <ProviderRow key={p.name} provider={p} />
                    ))}
                    {newlyFound(found ?? [], providers).map(f => (
                        <FoundRow key={f.name} found={f} />
                    ))}
                </ul>
                {(found ?? [])
                    .filter(f => f.type === 'ollama' && f.models.length === 0)
                    .map(f => (
                        <p key={f.name} class="settings-note">
                            Ollama is running but has no models. In a terminal:{' '}
                            <code>ollama pull llama3.2</code> then press Look again.
                        </p>
                    ))}
            </section>
            <section aria-label="Choices" class="settings-pair">
                <DefaultModel />
                <MonthlyLimit />
            </section>
            <section aria-labelledby="models-origin">
                <h2 id="models-origin">Origin of values</h2>
                <ConfigRows
                    settings={settings.value}
                    rows={[
                        ['defaults.model', 'Default model'],
                        ['detect.local', 'Detects servers on this computer'],
                        ['detect.environment', 'Detects API keys in the environment'],
                    ]}
                />
            </section>
            {adding && (
                <NewProviderDialog
                    onClose={() => setAdding(false)}
                    onMade={() => {
                        setAdding(false);
                        read.reload();
                    }}
                />
            )}
        </>
    );
}

function ProviderRow({ provider }: { provider: Provider }) {
    const s = standing(provider);
    const label = labelOf(provider.name);
    const [asking, setAsking] = useState(false);
    const [newKey, setNewKey] = useState(false);
    const [removing, setRemoving] = useState(false);
    const [tested, setTested] = useState<{ ok: boolean; text: string } | null>(null);
    const [busy, setBusy] = useState(false);
    const scripted = provider.type === 'scripted';
    const unused = provider.state === 'unused';
    const models = useLoad<ModelOfferList>(
        provider.local && provider.state !== 'not-there' && !scripted ? provider.name : null,
        signal => listModels(provider.name, { limit: 500 }, { signal }),
    );

    async function test(): Promise<void> {
        setBusy(true);
        const r = await testProvider(provider.name);
        setBusy(false);
        if (!r.ok) setTested({ ok: false, text: r.trouble.detail });
        else
            setTested({
                ok: r.value.ok,
                text: r.value.ok
                    ? `answered in ${r.value.tookMs} ms, ${count(r.value.models, 'model')}`
                    : (r.value.detail ?? r.value.state ?? 'no answer'),
            });
        providersChanged();
    }
    return (
        <li class="provider-row" data-provider={provider.name}>
            <p class="provider-name">
                <span class={`provider-shape provider-${s.kind}`} aria-hidden="true">
                    {s.shape}
                </span>{' '}
                {label}
            </p>
            <p class="provider-about">
                {hostOf(provider.baseUrl) && <span>{hostOf(provider.baseUrl)}</span>}
                {models.value && <span>{count(models.value.data.length, 'model')}</span>}
                {provider.defaultModel && <span>default: {provider.defaultModel}</span>}
                {provider.local && !scripted && <span>local, free</span>}
                {provider.key && <span>{keyWords(provider.key)}</span>}
                <span class={`provider-${s.kind}`}>{s.words}</span>
                {provider.budget && <span>{budgetWords(provider.budget)}</span>}
                {provider.origin !== 'built-in' && (
                    <Badge kind="muted">
                        {provider.origin === 'store' ? 'added here' : `file ${provider.origin}`}
                    </Badge>
                )}
            </p>
            <p class="settings-actions">
                {unused && (
                    <Button small kind="main" onClick={() => setAsking(true)} label={`Use ${label}…`}>
                        Use…
                    </Button>
                )}
                {!scripted && (
                    <Button
                        small
                        busy={busy}
                        disabled={busy}
                        onClick={() => void test()}
                        label={`Test ${label}`}
                    >
                        Test
                    </Button>
                )}
                {provider.editable && !unused && provider.type !== 'ollama' && !scripted && (
                    <Button small onClick={() => setNewKey(true)} label={`New key for ${label}`}>
                        New key
                    </Button>
                )}
                {provider.editable && provider.origin === 'store' && (
                    <Button small kind="quiet" onClick={() => setRemoving(true)} label={`Remove ${label}`}>
                        Remove
                    </Button>
                )}
            </p>
            {tested && (
                <p class={`provider-tested provider-${tested.ok ? 'ok' : 'error'}`} role="status">
                    {tested.ok ? '✓' : '✕'} {tested.text}
                </p>
            )}
            {asking && (
                <Dialog title="Use a real model?" onClose={() => setAsking(false)}>
                    <Consent
                        provider={provider}
                        onUsed={() => setAsking(false)}
                        onCancel={() => setAsking(false)}
                        cancelWords="Not now"
                    />
                </Dialog>
            )}
            {newKey && <NewKeyDialog provider={provider} onClose={() => setNewKey(false)} />}
            {removing && <RemoveProvider provider={provider} onClose={() => setRemoving(false)} />}
        </li>
    );
}

/** A server on this computer that nobody set up yet. */
function FoundRow({ found }: { found: FoundProvider }) {
    const label = found.label ?? labelOf(found.name);
    async function add(): Promise<void> {
        const r = await createProvider({
            name: found.name,
            type: found.type as 'ollama',
            baseUrl: found.baseUrl,
        });
        if (r.ok) providersChanged();
        toast(
            r.ok
                ? { text: `${label} is in use.`, kind: 'ok' }
                : { text: `${label} was not added. ${r.trouble.detail}`, kind: 'error' },
        );
    }
    return (
        <li class="provider-row">
            <p class="provider-name">
                <span class="provider-shape" aria-hidden="true">
                    ○
                </span>{' '}
                {label}
            </p>
            <p class="provider-about">
                <span>{hostOf(found.baseUrl)}</span>
                <span>{count(found.models.length, 'model')}</span>
                <span>detected, not in use</span>
            </p>
            <p class="settings-actions">
                <Button small kind="main" onClick={() => void add()} label={`Use ${label}`}>
                    Use
                </Button>
            </p>
        </li>
    );
}

function RemoveProvider({ provider, onClose }: { provider: Provider; onClose: () => void }) {
    const label = labelOf(provider.name);
    async function remove(): Promise<void> {
        const r = await removeProvider(provider.name);
        if (r.ok) providersChanged();
        toast(
            r.ok
                ? { text: `${label} and its key were forgotten.` }
                : { text: `${label} was not removed. ${r.trouble.detail}`, kind: 'error' },
        );
        onClose();
    }
    return (
        <Dialog
            title={`Remove ${label}?`}
            danger
            onClose={onClose}
            actions={
                <>
                    <Button autoFocus onClick={onClose}>
                        Keep it
                    </Button>
                    <Button kind="danger" onClick={() => void remove()}>
                        Remove
                    </Button>
                </>
            }
        >
            {provider.defaultModel && (
                <p>{provider.defaultModel} is the default: agents that name no model cannot answer either.</p>
            )}
            <p>
                The address and key of the provider are deleted. Messages of its models stay. Agents that use
                its models cannot answer until they get another.
            </p>
        </Dialog>
    );
}
