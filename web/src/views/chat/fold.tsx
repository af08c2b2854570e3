// fold.tsx: a fold whose inside is drawn when it is first opened.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

export function Fold({
    title,
    children,
    class: name,
    label,
}: {
    title: ComponentChildren;
    children: () => ComponentChildren;
    class?: string;
    label?: string;
}) {
    const open = useSignal(false);
    return (
        <details
            class={`chat-fold${name ? ` ${name}` : ''}`}
            onToggle={e => {
                open.value = e.currentTarget.open;
            }}
        >
            <summary aria-label={label}>{title}</summary>
            {open.value ? <div class="chat-fold-body">{children()}</div> : null}
        </details>
    );
}
