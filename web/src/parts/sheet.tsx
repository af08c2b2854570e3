import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { IconButton } from './button';
import { useModal } from './dialog';
import './overlays.css';

export interface SheetProps {
    title: string;
    onClose: () => void;
    children: ComponentChildren;
    /** Where it comes from; on narrow screens from below, unless it is the list at the left. */
    side?: 'left' | 'right' | 'bottom';
}

/** Slides over the screen; the phone's version of a side column. */
export function Sheet({ title, onClose, children, side = 'bottom' }: SheetProps) {
    const ref = useModal(onClose);
    const id = useId();
    return (
        <dialog
            ref={ref}
            class={`sheet sheet-${side}`}
            aria-labelledby={id}
            onMouseDown={event => event.target === ref.current && onClose()}
        >
            <div class="sheet-box">
                <header class="dialog-head">
                    <h2 id={id}>{title}</h2>
                    <IconButton label={`Close: ${title}`} icon="close" onClick={onClose} />
                </header>
                <div class="sheet-body">{children}</div>
            </div>
        </dialog>
    );
}
