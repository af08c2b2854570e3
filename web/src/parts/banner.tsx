import type { ComponentChildren } from 'preact';
import './marks.css';

export interface BannerProps {
    kind: 'info' | 'warn' | 'error';
    children: ComponentChildren;
    actions?: ComponentChildren;
    /** The words read out before it, so that the kind is not only a colour. */
    label?: string;
}

const words = { info: 'Note', warn: 'Warning', error: 'Error' };

/** Only for what concerns the whole screen. */
export function Banner({ kind, children, actions, label }: BannerProps) {
    return (
        <div class={`banner banner-${kind}`} role="group" aria-label={label ?? words[kind]}>
            <div class="banner-text">{children}</div>
            {actions && <div class="banner-actions">{actions}</div>}
        </div>
    );
}
