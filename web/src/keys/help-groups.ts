// help-groups.ts: which keys the help sheet lists, each of them once, for what it does here.

import { place } from '../store/place';
import { prefs } from '../store/prefs';
import type { Command } from './commands';
import { keysOf } from './keymap';

export interface Line {
    title: string;
    keys: string[];
}
export interface Group {
    where: string;
    lines: Line[];
}

// The browser's own and what every window has; they are listed because people look for them here.
const always: Group = {
    where: 'Always',
    lines: [
        { title: 'Back and forward through places visited', keys: ['Alt+ArrowLeft', 'Alt+ArrowRight'] },
        { title: 'Close the innermost dialog or panel', keys: ['Escape'] },
        { title: 'Go to the notes at the lower edge', keys: ['F6'] },
    ],
};

/** The box takes these keys itself, and only while somebody writes in it. */
function composer(enterSends: boolean): Group {
    return {
        where: 'Composer',
        lines: [
            { title: 'Send', keys: [enterSends ? 'Enter' : 'Ctrl+Enter'] },
            { title: 'New line', keys: [enterSends ? 'Shift+Enter' : 'Enter'] },
            { title: 'Edit your last message, in an empty box', keys: ['ArrowUp'] },
        ],
    };
}

/** Keys that are no commands: nobody can change them. */
export function fixedGroups(): Group[] {
    const here = place.value;
    const writes = here.kind === 'chat' && here.view === 'chat' && here.v === undefined;
    return writes ? [composer(prefs.value.enterSends), always] : [always];
}

/** The commands with the keys that are theirs: a key that several have is that of the first, the innermost. */
export function commandGroups(commands: readonly Command[]): Group[] {
    const set = { single: prefs.value.keys, changed: prefs.value.keymap };
    const taken = new Set(always.lines.flatMap(line => line.keys));
    const groups = new Map<string, Line[]>();
    for (const command of commands) {
        const keys = keysOf(command, set).filter(one => !taken.has(one));
        if (!keys.length) continue;
        for (const one of keys) taken.add(one);
        groups.set(command.where, [...(groups.get(command.where) ?? []), { title: command.title, keys }]);
    }
    return [...groups].map(([where, lines]) => ({ where, lines }));
}
