import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './button';
import './overlays.css';

export interface DialogProps {
    title: string;
    onClose: () => void;
    children: ComponentChildren;
    actions?: ComponentChildren;
    wide?: boolean;
    danger?: boolean;
    class?: string;
    /** The title stays for screen readers, the look is up to the content. */
    bare?: boolean;
}

/** What had the focus when the dialog opened gets it back, unless it is gone or the focus was moved on purpose. */
function giveBack(opener: Element | null): void {
    const now = document.activeElement;
    const wandered = now && now !== document.body && !(now instanceof HTMLDialogElement) && now.isConnected;
    if (!(opener instanceof HTMLElement) || !opener.isConnected) return;
    // The browser gave it back itself, and left the cursor of a text field in the dialog: what is typed would be lost.
    if (now === opener) opener.blur();
    if (!wandered || now === opener) opener.focus();
}

export function useModal(onClose: () => void) {
    const ref = useRef<HTMLDialogElement>(null);
    const close = useRef(onClose);
    close.current = onClose;
    // With the drawing, and not after it: the letter after the key that opens a dialog is typed into it already.
    useLayoutEffect(() => {
        const dialog = ref.current;
        if (!dialog) return;
        const opener = document.activeElement;
        if (!dialog.open) dialog.showModal();
        const first = dialog.querySelector<HTMLElement>('[data-autofocus], [autofocus]');
        first?.focus();
        // The browser closes by itself on Esc; the owner of the dialog decides, so that it is not left half open.
        const cancel = (event: Event) => {
            if (event.target !== dialog) return;
            event.preventDefault();
            close.current();
        };
        dialog.addEventListener('cancel', cancel);
        return () => {
            dialog.removeEventListener('cancel', cancel);
            if (dialog.open) dialog.close();
            giveBack(opener);
        };
    }, []);
    return ref;
}

export function Dialog(props: DialogProps) {
    const ref = useModal(props.onClose);
    const id = useId();
    const kind = `${props.wide ? ' dialog-wide' : ''}${props.danger ? ' dialog-danger' : ''}`;
    return (
        <dialog
            ref={ref}
            class={`dialog${kind}${props.class ? ` ${props.class}` : ''}`}
            aria-labelledby={id}
            onMouseDown={event => event.target === ref.current && props.onClose()}
        >
            <div class="dialog-box">
                <header class={props.bare ? 'visually-hidden' : 'dialog-head'}>
                    <h2 id={id}>{props.title}</h2>
                    {!props.bare && (
                        <IconButton label={`Close: ${props.title}`} icon="close" onClick={props.onClose} />
                    )}
                </header>
                <div class="dialog-body">{props.children}</div>
                {props.actions && <footer class="dialog-actions">{props.actions}</footer>}
            </div>
        </dialog>
    );
}
