import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { useSignal } from '@preact/signals';
import { Icon } from './icon';
import './overlays.css';

export interface MenuItem {
    label: string;
    run: () => void;
    disabled?: boolean;
    danger?: boolean;
    keys?: string;
    /** One of several: the one that holds now. */
    checked?: boolean;
    /** A line above it. */
    apart?: boolean;
    hint?: string;
}

export interface MenuProps {
    /** The accessible name of the button; it includes the target. */
    label: string;
    items: MenuItem[];
    /** What the button shows; without it three dots. */
    button?: ComponentChildren;
    class?: string;
    /** Read out instead of `label` when the visible words are enough. */
    plain?: boolean;
}

const gap = 4;

/** Below the button when there is room, above it otherwise, never over the edge of the window. */
function placeAt(pop: HTMLElement, button: HTMLElement): void {
    const at = button.getBoundingClientRect();
    const box = pop.getBoundingClientRect();
    const below = at.bottom + gap + box.height <= window.innerHeight - gap;
    const top = below ? at.bottom + gap : Math.max(gap, at.top - gap - box.height);
    const left = Math.min(Math.max(gap, at.left), Math.max(gap, window.innerWidth - box.width - gap));
    pop.style.top = `${Math.round(top)}px`;
    pop.style.left = `${Math.round(left)}px`;
}

function entries(pop: HTMLElement): HTMLElement[] {
    return [...pop.querySelectorAll<HTMLElement>('[role^=menuitem]:not([aria-disabled=true])')];
}

function step(pop: HTMLElement, event: KeyboardEvent): boolean {
    const all = entries(pop);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to: Record<string, number> = {
        ArrowDown: (at + 1) % all.length,
        ArrowUp: (at - 1 + all.length) % all.length,
        Home: 0,
        End: all.length - 1,
    };
    let next = to[event.key];
    if (next === undefined && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
        const letter = event.key.toLowerCase();
        const order = [...all.slice(at + 1), ...all.slice(0, at + 1)];
        const hit = order.find(one => one.textContent?.trim().toLowerCase().startsWith(letter));
        if (hit) next = all.indexOf(hit);
    }
    if (next === undefined) return false;
    all[next]?.focus();
    return true;
}

function Entry({ item, close }: { item: MenuItem; close: () => void }) {
    const pick = () => {
        if (item.disabled) return;
        close();
        item.run();
    };
    return (
        <button
            type="button"
            role={item.checked === undefined ? 'menuitem' : 'menuitemradio'}
            aria-checked={item.checked}
            aria-disabled={item.disabled || undefined}
            tabIndex={-1}
            class={`menu-item${item.danger ? ' menu-danger' : ''}${item.apart ? ' menu-apart' : ''}`}
            onClick={pick}
        >
            {item.checked !== undefined && (
                <span class="menu-check">{item.checked && <Icon name="check" />}</span>
            )}
            <span class="menu-label">
                {item.label}
                {item.hint && <small>{item.hint}</small>}
            </span>
            {item.keys && <kbd>{item.keys}</kbd>}
        </button>
    );
}

export function Menu({ label, items, button, class: extra, plain }: MenuProps) {
    const open = useSignal(false);
    const pop = useRef<HTMLDivElement>(null);
    const opener = useRef<HTMLButtonElement>(null);
    const id = useId();
    const close = () => pop.current?.hidePopover?.();
    const toggled = (event: Event) => {
        open.value = (event as ToggleEvent).newState === 'open';
    };
    // The entries are in the page only now: before, there was nothing to measure and nothing to focus.
    useLayoutEffect(() => {
        if (!open.value || !pop.current || !opener.current) return;
        placeAt(pop.current, opener.current);
        const now = pop.current.querySelector<HTMLElement>('[aria-checked=true]');
        (now ?? entries(pop.current)[0])?.focus();
    }, [open.value]);
    const key = (event: KeyboardEvent) => {
        if (event.key === 'Tab') close();
        if (pop.current && step(pop.current, event)) event.preventDefault();
        event.stopPropagation();
    };
    const openByArrow = (event: KeyboardEvent) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        pop.current?.showPopover?.();
    };
    return (
        <span class={`menu${extra ? ` ${extra}` : ''}`}>
            <button
                ref={opener}
                type="button"
                class={button ? 'menu-button' : 'icon-button'}
                aria-label={plain ? undefined : label}
                title={button ? undefined : label}
                aria-haspopup="menu"
                aria-expanded={open.value}
                aria-controls={id}
                onClick={() => pop.current?.togglePopover?.()}
                onKeyDown={openByArrow}
            >
                {button ?? <Icon name="more" />}
            </button>
            <div
                ref={pop}
                id={id}
                popover="auto"
                role="menu"
                aria-label={label}
                class="menu-pop"
                onToggle={toggled}
                onKeyDown={key}
            >
                {open.value && items.map(item => <Entry key={item.label} item={item} close={close} />)}
            </div>
        </span>
    );
}
