import type { ComponentChildren, Ref } from 'preact';
import { useId } from 'preact/hooks';
import './controls.css';

interface Labelled {
    label: string;
    hint?: ComponentChildren;
    /** What is wrong with it and how to cure it. */
    error?: string | null;
    /** The label is read out but not seen. */
    hideLabel?: boolean;
}

function Around({ id, field, children }: { id: string; field: Labelled; children: ComponentChildren }) {
    return (
        <div class={`field${field.error ? ' field-bad' : ''}`}>
            <label for={id} class={field.hideLabel ? 'visually-hidden' : 'field-label'}>
                {field.label}
            </label>
            {children}
            {field.hint && (
                <div class="field-hint" id={`${id}-hint`}>
                    {field.hint}
                </div>
            )}
            {field.error && (
                <div class="field-error" id={`${id}-error`}>
                    {field.error}
                </div>
            )}
        </div>
    );
}

function described(id: string, field: Labelled): string | undefined {
    const ids = [field.hint && `${id}-hint`, field.error && `${id}-error`].filter(Boolean);
    return ids.length ? ids.join(' ') : undefined;
}

export interface FieldProps extends Labelled {
    value: string;
    onInput: (value: string) => void;
    type?: 'text' | 'search' | 'password' | 'number' | 'url' | 'date' | 'datetime-local';
    placeholder?: string;
    disabled?: boolean;
    autoFocus?: boolean;
    required?: boolean;
    maxLength?: number;
    min?: number | string;
    max?: number | string;
    step?: number | string;
    name?: string;
    autocomplete?: string;
    onEnter?: () => void;
    inputRef?: Ref<HTMLInputElement>;
}

// A field of type search takes Esc to empty itself, so that the window around it would not close.
function kindOf(type: FieldProps['type']) {
    if (type === 'search')
        return { type: 'text' as const, role: 'searchbox' as const, inputMode: 'search' as const };
    return { type: (type ?? 'text') as 'text' };
}

export function Field(props: FieldProps) {
    const id = useId();
    const enter = (event: KeyboardEvent) => {
        if (event.key !== 'Enter' || event.isComposing || !props.onEnter) return;
        event.preventDefault();
        props.onEnter();
    };
    return (
        <Around id={id} field={props}>
            <input
                ref={props.inputRef}
                id={id}
                class="input"
                {...kindOf(props.type)}
                value={props.value}
                name={props.name}
                placeholder={props.placeholder}
                disabled={props.disabled}
                required={props.required}
                maxLength={props.maxLength}
                min={props.min}
                max={props.max}
                step={props.step}
                autocomplete={props.autocomplete ?? 'off'}
                data-autofocus={props.autoFocus ? '' : undefined}
                aria-invalid={props.error ? true : undefined}
                aria-describedby={described(id, props)}
                onInput={event => props.onInput(event.currentTarget.value)}
                onKeyDown={enter}
            />
        </Around>
    );
}

export interface TextAreaProps extends Labelled {
    value: string;
    onInput: (value: string) => void;
    rows?: number;
    placeholder?: string;
    disabled?: boolean;
    autoFocus?: boolean;
    maxLength?: number;
    onKeyDown?: (event: KeyboardEvent) => void;
    areaRef?: Ref<HTMLTextAreaElement>;
}

export function TextArea(props: TextAreaProps) {
    const id = useId();
    return (
        <Around id={id} field={props}>
            <textarea
                ref={props.areaRef}
                id={id}
                class="input input-area"
                rows={props.rows ?? 4}
                value={props.value}
                placeholder={props.placeholder}
                disabled={props.disabled}
                maxLength={props.maxLength}
                data-autofocus={props.autoFocus ? '' : undefined}
                aria-invalid={props.error ? true : undefined}
                aria-describedby={described(id, props)}
                onInput={event => props.onInput(event.currentTarget.value)}
                onKeyDown={props.onKeyDown}
            />
        </Around>
    );
}

export interface SelectProps extends Labelled {
    value: string;
    options: { value: string; label: string; disabled?: boolean }[];
    onPick: (value: string) => void;
    disabled?: boolean;
}

export function Select(props: SelectProps) {
    const id = useId();
    return (
        <Around id={id} field={props}>
            <select
                id={id}
                class="input input-select"
                value={props.value}
                disabled={props.disabled}
                aria-invalid={props.error ? true : undefined}
                aria-describedby={described(id, props)}
                onChange={event => props.onPick(event.currentTarget.value)}
            >
                {props.options.map(one => (
                    <option key={one.value} value={one.value} disabled={one.disabled}>
                        {one.label}
                    </option>
                ))}
            </select>
        </Around>
    );
}

export interface CheckboxProps {
    label: ComponentChildren;
    checked: boolean;
    onChange: (checked: boolean) => void;
    disabled?: boolean;
    hint?: ComponentChildren;
}

export function Checkbox({ label, checked, onChange, disabled, hint }: CheckboxProps) {
    const id = useId();
    return (
        <div class="check">
            <label class="check-label">
                <input
                    type="checkbox"
                    checked={checked}
                    disabled={disabled}
                    aria-describedby={hint ? `${id}-hint` : undefined}
                    onChange={event => onChange(event.currentTarget.checked)}
                />
                <span>{label}</span>
            </label>
            {hint && (
                <div class="field-hint check-hint" id={`${id}-hint`}>
                    {hint}
                </div>
            )}
        </div>
    );
}

export interface RadiosProps {
    label: string;
    value: string;
    options: { value: string; label: string; hint?: string; disabled?: boolean }[];
    onPick: (value: string) => void;
    hideLabel?: boolean;
}

/** One of a few, all in view. */
export function Radios({ label, value, options, onPick, hideLabel }: RadiosProps) {
    const name = useId();
    return (
        <fieldset class="radios">
            <legend class={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</legend>
            {options.map(one => (
                <label class="check-label" key={one.value}>
                    <input
                        type="radio"
                        name={name}
                        value={one.value}
                        checked={one.value === value}
                        disabled={one.disabled}
                        onChange={() => onPick(one.value)}
                    />
                    <span>
                        {one.label}
                        {one.hint && <small class="field-hint">{one.hint}</small>}
                    </span>
                </label>
            ))}
        </fieldset>
    );
}
