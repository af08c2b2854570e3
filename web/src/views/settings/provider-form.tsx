import { useState } from 'preact/hooks';
import { createProvider, updateProvider } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { NewProvider, Provider } from '../../api/types';
import { Button, Dialog, Field, Select, TroubleBox, toast } from '../../parts/parts';
import { providersChanged } from '../../store/store';
import { fieldError } from '../agents/agent-form';
import { WhereItGoes } from './consent';
import { hostOf, isHere, labelOf } from './provider-words';

type Type = NewProvider['type'];

const TYPES: { value: Type; label: string; base: string }[] = [
    { value: 'anthropic', label: 'Anthropic', base: 'https://api.anthropic.com' },
    { value: 'openai', label: 'OpenAI', base: 'https://api.openai.com/v1' },
    { value: 'openai-responses', label: 'OpenAI (Responses)', base: 'https://api.openai.com/v1' },
    { value: 'openai-compatible', label: 'Another OpenAI-compatible server', base: '' },
    { value: 'ollama', label: 'Ollama', base: 'http://127.0.0.1:11434' },
];

const baseOf = (type: Type): string => TYPES.find(t => t.value === type)?.base ?? '';
const KNOWN = ['name', 'type', 'baseUrl', 'apiKey', 'apiKeyEnv'];

/** What belongs to no field. */
function rest(trouble: Trouble | null): Trouble | null {
    return trouble && !KNOWN.some(f => fieldError(trouble, f)) ? trouble : null;
}

/** A new provider. The key goes to the server and is not kept here, not even in this form once it was sent. */
export function NewProviderDialog({
    onClose,
    onMade,
}: {
    onClose: () => void;
    onMade: (name: string) => void;
}) {
    const [type, setType] = useState<Type>('anthropic');
    const [name, setName] = useState('anthropic');
    const [baseUrl, setBaseUrl] = useState('');
    const [key, setKey] = useState('');
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const [busy, setBusy] = useState(false);
    const host = hostOf(baseUrl || baseOf(type));
    const other = rest(trouble);

    function pick(next: string): void {
        if (name === '' || TYPES.some(t => t.value === name))
            setName(next === 'openai-compatible' ? '' : next);
        setType(next as Type);
        setBaseUrl('');
    }
    async function send(): Promise<void> {
        setBusy(true);
        const result = await createProvider({
            name: name.trim(),
            type,
            ...(baseUrl.trim() ? { baseUrl: baseUrl.trim() } : {}),
            ...(key ? { apiKey: key } : {}),
        });
        setBusy(false);
        if (!result.ok) {
            setTrouble(result.trouble);
            return;
        }
        setKey('');
        providersChanged();
        toast({
            text: `${labelOf(result.value.name)} was added. No agent’s model has changed: pick one of its models below.`,
            kind: 'ok',
        });
        onMade(result.value.name);
    }
    return (
        <Dialog title="Add a provider" onClose={onClose}>
            <form
                class="settings-form"
                noValidate
                onSubmit={e => {
                    e.preventDefault();
                    void send();
                }}
            >
                <Select
                    label="Kind"
                    value={type}
                    onPick={pick}
                    options={TYPES}
                    error={fieldError(trouble, 'type')}
                />
                <Field
                    label="Name"
                    value={name}
                    onInput={setName}
                    error={fieldError(trouble, 'name')}
                    maxLength={64}
                    hint="Models are named name/model."
                />
                <Field
                    label="Address"
                    type="url"
                    value={baseUrl}
                    onInput={setBaseUrl}
                    error={fieldError(trouble, 'baseUrl')}
                    placeholder={baseOf(type) || 'https://llm.example.org/v1'}
                    hint={type === 'openai-compatible' ? 'Needed.' : 'Empty: the default address.'}
                />
                {type !== 'ollama' && (
                    <KeyField value={key} onInput={setKey} error={fieldError(trouble, 'apiKey')} />
                )}
                {host && !isHere(host) && <WhereItGoes baseUrl={baseUrl || baseOf(type)} name={name} />}
                {other && <TroubleBox trouble={other} safe="Nothing was changed." />}
                <div class="settings-actions">
                    <Button kind="main" type="submit" busy={busy} disabled={busy || name.trim() === ''}>
                        Add
                    </Button>
                    <Button onClick={onClose}>Cancel</Button>
                </div>
            </form>
        </Dialog>
    );
}

function KeyField({
    value,
    onInput,
    error,
}: {
    value: string;
    onInput: (key: string) => void;
    error: string | null;
}) {
    return (
        <Field
            label="Key"
            type="password"
            value={value}
            onInput={onInput}
            error={error}
            autocomplete="new-password"
            maxLength={4096}
            hint="Paste it. It is stored by the server and never shown again, except for its last four characters."
        />
    );
}

/** Another key for a provider that there is. */
export function NewKeyDialog({ provider, onClose }: { provider: Provider; onClose: () => void }) {
    const [key, setKey] = useState('');
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    async function send(): Promise<void> {
        const result = await updateProvider(provider.name, { apiKey: key });
        if (!result.ok) {
            setTrouble(result.trouble);
            return;
        }
        setKey('');
        providersChanged();
        toast({ text: `${labelOf(provider.name)} has a new key.`, kind: 'ok' });
        onClose();
    }
    const other = rest(trouble);
    return (
        <Dialog title={`New key for ${labelOf(provider.name)}`} onClose={onClose}>
            <form
                class="settings-form"
                noValidate
                onSubmit={e => {
                    e.preventDefault();
                    void send();
                }}
            >
                <KeyField value={key} onInput={setKey} error={fieldError(trouble, 'apiKey')} />
                {!provider.local && <WhereItGoes baseUrl={provider.baseUrl} name={provider.name} />}
                {other && <TroubleBox trouble={other} safe="The old key is still in use." />}
                <div class="settings-actions">
                    <Button kind="main" type="submit" disabled={key === ''}>
                        Save the key
                    </Button>
                    <Button onClick={onClose}>Cancel</Button>
                </div>
            </form>
        </Dialog>
    );
}
