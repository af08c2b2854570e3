import { useEffect, useRef, useState } from 'preact/hooks';
import type { Trouble } from '../../api/client';
import type { Agent, NewAgent } from '../../api/types';
import { Button, Checkbox, Field, Select, TextArea, TroubleBox } from '../../parts/parts';
import { keep, kept } from '../../store/keep';
import { useDefaultModel } from '../shared/default-model';
import { useLoad } from '../shared/load';
import { asksModels, modelOptions, readOffers, type Offered } from './models';
import { everyValue } from './words';

export interface AgentFormProps {
    /** null: a new one */
    agent: Agent | null;
    others: readonly Agent[];
    submit: string;
    onSubmit: (values: NewAgent) => Promise<Trouble | null>;
    onCancel?: () => void;
    disabled?: boolean;
    /** where what is typed is kept until it was taken; none: nowhere */
    draft?: string;
}

interface Values {
    name: string;
    systemPrompt: string;
    model: string;
    fallback: string;
    lead: string;
    tools: string;
    temperature: string;
    topP: string;
    maxTokens: string;
    stop: string;
    seed: string;
    effort: string;
    thinkingTokens: string;
    schema: string;
    promptFacts: string;
    autoReply: boolean;
    runEvery: string;
}

/** Nothing said is all of them; to have none is a word of its own. */
function namesText(names: string[] | null): string {
    return names === null ? '' : names.length === 0 ? 'none' : names.join(', ');
}

function namesOf(text: string): string[] | null {
    const names = text.split(/[\s,]+/).filter(t => t !== '');
    if (names.length === 0) return null;
    return names.length === 1 && names[0] === 'none' ? [] : names;
}

export function valuesOf(agent: Agent | null): Values {
    return {
        name: agent?.name ?? '',
        systemPrompt: agent?.systemPrompt ?? '',
        model: agent?.model ?? '',
        fallback: agent?.fallback ?? '',
        lead: agent?.lead ?? '',
        tools: namesText(agent?.tools ?? null),
        temperature: agent?.temperature?.toString() ?? '',
        topP: agent?.topP?.toString() ?? '',
        maxTokens: agent?.maxTokens?.toString() ?? '',
        stop: agent?.stop?.join('\n') ?? '',
        seed: agent?.seed?.toString() ?? '',
        effort: agent?.effort ?? '',
        thinkingTokens: agent?.thinkingTokens?.toString() ?? '',
        schema: agent?.schema ? JSON.stringify(agent.schema, null, 2) : '',
        promptFacts: namesText(agent?.promptFacts ?? null),
        autoReply: agent?.autoReply ?? true,
        runEvery: agent ? everyValue(agent.runEvery) : '',
    };
}

/** What was typed before into a form that was closed stands above what it begins with. */
function withDraft(values: Values, draft: string | undefined): Values {
    const found = draft === undefined ? null : kept(draft);
    if (found === null || typeof found !== 'object') return values;
    const typed = Object.entries(found).filter(
        ([name, value]) => typeof value === typeof values[name as keyof Values],
    );
    return { ...values, ...Object.fromEntries(typed) };
}

function numberOf(text: string): number | null {
    const number = Number(text.trim());
    return text.trim() === '' ? null : Number.isFinite(number) ? number : -1;
}

/** What is no JSON is sent as a text: the server says that it is no schema. */
function schemaOf(text: string): NewAgent['schema'] {
    if (text.trim() === '') return null;
    try {
        return JSON.parse(text);
    } catch {
        return text as unknown as NewAgent['schema'];
    }
}

/** As the server takes it. An invalid number is sent as it is: the server says which field is wrong. */
export function bodyOf(v: Values): NewAgent {
    return {
        name: v.name.trim(),
        systemPrompt: v.systemPrompt.trim() === '' ? null : v.systemPrompt,
        model: v.model === '' ? null : v.model,
        fallback: v.fallback === '' ? null : v.fallback,
        lead: v.lead === '' ? null : v.lead,
        tools: namesOf(v.tools),
        temperature: numberOf(v.temperature),
        topP: numberOf(v.topP),
        maxTokens: numberOf(v.maxTokens),
        stop: v.stop.trim() === '' ? null : v.stop.split('\n').filter(line => line !== ''),
        seed: numberOf(v.seed),
        effort: v.effort === '' ? null : (v.effort as NewAgent['effort']),
        thinkingTokens: numberOf(v.thinkingTokens),
        schema: schemaOf(v.schema),
        promptFacts: namesOf(v.promptFacts) as NewAgent['promptFacts'],
        autoReply: v.autoReply,
        runEvery: v.runEvery.trim() === '' ? 0 : v.runEvery.trim(),
    };
}

/** What the problem says of a field. */
export function fieldError(trouble: Trouble | null, field: string): string | null {
    return (
        trouble?.errors?.find(e => e.pointer === `/${field}` || e.pointer.startsWith(`/${field}/`))?.detail ??
        null
    );
}

const FIELDS = [
    'name',
    'systemPrompt',
    'model',
    'fallback',
    'lead',
    'tools',
    'temperature',
    'topP',
    'maxTokens',
    'stop',
    'seed',
    'effort',
    'thinkingTokens',
    'schema',
    'promptFacts',
    'autoReply',
    'runEvery',
];

/** What is wrong and belongs to no field that is on the screen. */
function restOf(trouble: Trouble | null): Trouble | null {
    if (!trouble) return null;
    const shown =
        trouble.errors?.length &&
        trouble.errors.every(e => FIELDS.some(f => fieldError({ ...trouble, errors: [e] }, f)));
    return shown ? null : trouble;
}

export function AgentForm({ agent, others, submit, onSubmit, onCancel, disabled, draft }: AgentFormProps) {
    const [values, setValues] = useState(() => withDraft(valuesOf(agent), draft));
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const [busy, setBusy] = useState(false);
    const offers = useLoad<Offered[]>(asksModels() ? 'offers' : null, readOffers);
    const usual = useDefaultModel();
    const set =
        <K extends keyof Values>(name: K) =>
        (value: Values[K]): void => {
            const now = { ...values, [name]: value };
            setValues(now);
            if (draft !== undefined) keep(draft, now);
        };
    const error = (name: string): string | null => fieldError(trouble, name);
    const other = restOf(trouble);

    const form = useRef<HTMLFormElement>(null);
    useEffect(() => {
        if (trouble) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
    }, [trouble]);

    async function send(): Promise<void> {
        if (busy) return;
        setBusy(true);
        const refused = await onSubmit(bodyOf(values));
        if (!refused && draft !== undefined) keep(draft, null);
        setTrouble(refused);
        setBusy(false);
    }
    return (
        <form
            ref={form}
            class="agent-form"
            onSubmit={e => {
                e.preventDefault();
                void send();
            }}
            noValidate
        >
            {/* Not disabled while it is sent: the focus would fall off the form. */}
            <fieldset disabled={disabled}>
                {!agent && (
                    <Field
                        label="Name"
                        value={values.name}
                        onInput={set('name')}
                        error={error('name')}
                        autoFocus
                        required
                        maxLength={64}
                        hint="Lower-case letters, digits, - and _; write @name to address the agent."
                    />
                )}
                <TextArea
                    label="System prompt"
                    rows={5}
                    value={values.systemPrompt}
                    onInput={set('systemPrompt')}
                    error={error('systemPrompt')}
                    hint="Its role, the style of its answers, the work it leaves to others."
                />
                <div class="agent-pair">
                    <Select
                        label="Model"
                        value={values.model}
                        onPick={set('model')}
                        error={error('model')}
                        options={modelOptions(offers.value ?? [], values.model || null, {
                            value: '',
                            label: usual
                                ? `The default of the server: ${usual}`
                                : 'The default of the server',
                        })}
                        hint={agent?.problem ? `Just now it cannot be asked: ${agent.problem}.` : undefined}
                    />
                    <Select
                        label="Reports to"
                        value={values.lead}
                        onPick={set('lead')}
                        error={error('lead')}
                        options={[
                            { value: '', label: 'you' },
                            ...others
                                .filter(a => a.name !== agent?.name)
                                .map(a => ({ value: a.name, label: `@${a.name}` })),
                        ]}
                    />
                </div>
                <Checkbox
                    label="Answers messages that name nobody"
                    checked={values.autoReply}
                    onChange={set('autoReply')}
                    hint="Off: the agent answers only messages that name it."
                />
                <details
                    class="agent-more"
                    open={
                        !!agent?.noTools ||
                        ['fallback', ...FIELDS.slice(FIELDS.indexOf('tools'))].some(f => error(f) !== null) ||
                        undefined
                    }
                >
                    <summary>Tools, temperature, thinking, timer</summary>
                    <Field
                        label="Tools"
                        value={values.tools}
                        onInput={set('tools')}
                        error={error('tools')}
                        hint={`Names, separated by commas. Empty: all tools. none: no tools.${
                            agent?.noTools ? ` Just now it is offered none: ${agent.noTools}.` : ''
                        }`}
                    />
                    <div class="agent-pair">
                        <Field
                            label="Temperature"
                            value={values.temperature}
                            onInput={set('temperature')}
                            error={error('temperature')}
                            hint="0 to 2. Empty: as the model likes it."
                        />
                        <Field
                            label="Most tokens in an answer"
                            value={values.maxTokens}
                            onInput={set('maxTokens')}
                            error={error('maxTokens')}
                            hint="Empty: the model’s limit, or 8192 with Anthropic."
                        />
                    </div>
                    <div class="agent-pair">
                        <Select
                            label="When its model cannot answer"
                            value={values.fallback}
                            onPick={set('fallback')}
                            error={error('fallback')}
                            options={modelOptions(offers.value ?? [], values.fallback || null, {
                                value: '',
                                label: 'nobody answers',
                            })}
                        />
                        <Field
                            label="Looks for work every"
                            value={values.runEvery}
                            onInput={set('runEvery')}
                            error={error('runEvery')}
                            placeholder="15m"
                            hint="15m, 2h, 1d. Empty: never by itself."
                        />
                    </div>
                    <div class="agent-pair">
                        <Select
                            label="Thinks"
                            value={values.effort}
                            onPick={set('effort')}
                            error={error('effort')}
                            options={['', 'none', 'minimal', 'low', 'medium', 'high'].map(value => ({
                                value,
                                label: value || 'as the model likes it',
                            }))}
                        />
                        <Field
                            label="Tokens for thinking"
                            value={values.thinkingTokens}
                            onInput={set('thinkingTokens')}
                            error={error('thinkingTokens')}
                            hint="Instead of a word, for models that take a number."
                        />
                    </div>
                    <div class="agent-pair">
                        <Field
                            label="Top p"
                            value={values.topP}
                            onInput={set('topP')}
                            error={error('topP')}
                            hint="0 to 1. Empty: as the model likes it."
                        />
                        <Field
                            label="Seed"
                            value={values.seed}
                            onInput={set('seed')}
                            error={error('seed')}
                            hint="The same number gives similar answers, with some models."
                        />
                    </div>
                    <TextArea
                        label="Stops at"
                        rows={2}
                        value={values.stop}
                        onInput={set('stop')}
                        error={error('stop')}
                        hint="Texts that end an answer: one in each line, four at most."
                    />
                    <TextArea
                        label="JSON schema of its answers"
                        rows={4}
                        value={values.schema}
                        onInput={set('schema')}
                        error={error('schema')}
                        hint="Each answer is JSON that fits, and is asked for once more if it does not."
                    />
                    <Field
                        label="Its prompt ends with"
                        value={values.promptFacts}
                        onInput={set('promptFacts')}
                        error={error('promptFacts')}
                        hint="date, timeZone, person, separated by commas. Empty: as the world has it. none: nothing."
                    />
                </details>
                {other && <TroubleBox trouble={other} safe="Nothing was changed; your text is still here." />}
                <div class="agent-actions">
                    <Button
                        kind="main"
                        type="submit"
                        disabled={disabled || (!agent && values.name.trim() === '')}
                        busy={busy}
                    >
                        {submit}
                    </Button>
                    {onCancel && <Button onClick={onCancel}>Cancel</Button>}
                </div>
            </fieldset>
        </form>
    );
}
