import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon';
import './controls.css';

export interface ButtonProps {
    kind?: 'plain' | 'main' | 'danger' | 'quiet';
    disabled?: boolean;
    /** It does nothing now and keeps the focus; the text beside it says why. */
    off?: boolean;
    /** Off as well, and this is why. */
    why?: string | null;
    onClick?: (event: MouseEvent) => void;
    children: ComponentChildren;
    title?: string;
    type?: 'button' | 'submit';
    pressed?: boolean;
    autoFocus?: boolean;
    label?: string;
    small?: boolean;
    busy?: boolean;
}

const isOff = ({ off, why }: { off?: boolean; why?: string | null }) => off === true || Boolean(why);

/** A button with words. `label` is only for buttons whose words alone do not say what they are about. */
export function Button(props: ButtonProps) {
    const { kind = 'plain', type = 'button', small, busy } = props;
    return (
        <button
            type={type}
            class={`button button-${kind}${small ? ' button-small' : ''}`}
            disabled={props.disabled}
            title={props.why ?? props.title}
            aria-label={props.label}
            aria-description={props.why ?? undefined}
            aria-disabled={isOff(props) || undefined}
            aria-pressed={props.pressed}
            aria-busy={busy || undefined}
            data-autofocus={props.autoFocus ? '' : undefined}
            onClick={isOff(props) ? undefined : props.onClick}
        >
            {props.children}
        </button>
    );
}

export interface IconButtonProps {
    /** The accessible name; it includes the target: "Edit message from You, 14:02". */
    label: string;
    icon: IconName;
    onClick?: (event: MouseEvent) => void;
    pressed?: boolean;
    expanded?: boolean;
    disabled?: boolean;
    off?: boolean;
    /** Off as well, and this is why. */
    why?: string | null;
    keys?: string;
    class?: string;
}

export function IconButton(props: IconButtonProps) {
    return (
        <button
            type="button"
            class={`icon-button${props.class ? ` ${props.class}` : ''}`}
            aria-label={props.label}
            title={props.why ?? (props.keys ? `${props.label} (${props.keys})` : props.label)}
            aria-description={props.why ?? undefined}
            aria-pressed={props.pressed}
            aria-expanded={props.expanded}
            aria-disabled={isOff(props) || undefined}
            disabled={props.disabled}
            onClick={isOff(props) ? undefined : props.onClick}
        >
            <Icon name={props.icon} />
        </button>
    );
}
