import { useId } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import './controls.css';

export interface TabsProps {
    label: string;
    tabs: { id: string; label: ComponentChildren; href?: string }[];
    active: string;
    onPick: (id: string) => void;
    /** The id of the element the tabs show. */
    controls?: string;
}

/** A tab list with one tab stop; arrows move and pick. */
export function Tabs({ label, tabs, active, onPick, controls }: TabsProps) {
    const own = useId();
    const id = controls ?? own;
    const move = (event: KeyboardEvent) => {
        const at = tabs.findIndex(tab => tab.id === active);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const next = tabs[(to + tabs.length) % tabs.length];
        if (!next) return;
        onPick(next.id);
        document.getElementById(`${id}-${next.id}`)?.focus();
    };
    return (
        <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
            {tabs.map(tab => (
                <button
                    key={tab.id}
                    id={`${id}-${tab.id}`}
                    type="button"
                    role="tab"
                    class="tab"
                    aria-selected={tab.id === active}
                    aria-controls={controls}
                    tabIndex={tab.id === active ? 0 : -1}
                    onClick={() => onPick(tab.id)}
                >
                    {tab.label}
                </button>
            ))}
        </div>
    );
}

export interface TabPagesProps extends Omit<TabsProps, 'controls'> {
    /** Of the page below the tabs. */
    id: string;
    class: string;
    /** What stands beside the tabs, in a bar of this class. */
    beside?: { bar: string; content: ComponentChildren };
    /** The page scrolls by itself, and is a stop for keys. */
    scrolls?: boolean;
    children: ComponentChildren;
}

/** Tabs and the page of the one that is active. */
export function TabPages({ id, class: name, beside, scrolls, children, ...of }: TabPagesProps) {
    const tabs = <Tabs {...of} controls={id} />;
    return (
        <>
            {beside ? (
                <div class={beside.bar}>
                    {tabs}
                    {beside.content}
                </div>
            ) : (
                tabs
            )}
            <div
                id={id}
                key={of.active}
                class={name}
                role="tabpanel"
                aria-labelledby={`${id}-${of.active}`}
                tabIndex={scrolls ? 0 : undefined}
            >
                {children}
            </div>
        </>
    );
}
