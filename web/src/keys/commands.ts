import { useLayoutEffect, useRef } from 'preact/hooks';
import { signal } from '@preact/signals';

export interface Command {
    id: string;
    title: string;
    /** 'g i', 'Ctrl+k', '?', 'Shift+z', 'ArrowDown' */
    keys?: string[];
    /** The heading in the help sheet. */
    where: string;
    /** It belongs to what is on screen. */
    when?: () => boolean;
    /** What it acts on is there: a message with the focus, a selection. Until then it is listed, and does nothing. */
    needs?: () => boolean;
    run: () => void;
    /** Also fires while somebody types. */
    typing?: boolean;
    /** Its Enter or Space also fires on a button, which else keeps them for itself. */
    onButton?: boolean;
}

// The last group is the innermost: it was mounted last, so its keys win.
const groups = signal<readonly (readonly Command[])[]>([]);
// Those of screens that were left: their keys can still be changed.
const ever = new Map<string, Command>();

export function addCommands(commands: readonly Command[]): () => void {
    for (const command of commands) ever.set(command.id, command);
    groups.value = [...groups.value, commands];
    return () => {
        groups.value = groups.value.filter(group => group !== commands);
    };
}

/** The commands of the screen, the innermost first; of two with the same id the inner one. */
export function screenCommands(): Command[] {
    const seen = new Set<string>();
    const list: Command[] = [];
    for (const group of [...groups.value].reverse()) {
        for (const command of group) {
            if (seen.has(command.id)) continue;
            seen.add(command.id);
            if (!command.when || command.when()) list.push(command);
        }
    }
    return list;
}

/** Those of them that can be used now. */
export function activeCommands(): Command[] {
    return screenCommands().filter(command => !command.needs || command.needs());
}

/** Every command that was mounted since the page was loaded, also those that cannot be used at the moment (for the list in settings). */
export function knownCommands(): Command[] {
    const byId = new Map(ever);
    for (const group of groups.value) for (const command of group) byId.set(command.id, command);
    return [...byId.values()];
}

/**
 * Registers commands while the component is mounted. What they do may change with every render; the group is
 * registered again only when ids, keys or titles change, so that the order of nesting stays. What is on screen has its
 * keys: they are not left to an effect, which a busy browser runs some key presses later.
 */
export function useCommands(commands: Command[]): void {
    const latest = useRef(commands);
    latest.current = commands;
    const shape = JSON.stringify(
        commands.map(one => [one.id, one.title, one.keys, one.where, one.typing, one.onButton]),
    );
    useLayoutEffect(() => {
        const group = latest.current.map((command, at): Command => ({
            ...command,
            when: () => latest.current[at]?.when?.() ?? true,
            needs: () => latest.current[at]?.needs?.() ?? true,
            run: () => latest.current[at]?.run(),
        }));
        return addCommands(group);
    }, [shape]);
}
