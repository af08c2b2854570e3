import { activeCommands, type Command } from './commands';

/** What a person changed: single keys off, and other keys for a command ([]: none). */
export interface KeySettings {
    single: boolean;
    changed: Readonly<Record<string, string[]>>;
}

export interface KeyPress {
    key: string;
    ctrlKey: boolean;
    metaKey: boolean;
    altKey: boolean;
    shiftKey: boolean;
}

const chordMs = 1200;
const mac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.platform ?? '');

/** One stroke as it is written in `keys`. Ctrl and ⌘ are one; Shift is only said where the key does not show it. */
export function stroke(press: KeyPress): string {
    const { key } = press;
    const letter = key.length === 1;
    const parts: string[] = [];
    if (press.ctrlKey || press.metaKey) parts.push('Ctrl');
    if (press.altKey) parts.push('Alt');
    const isLetter = letter && key.toLowerCase() !== key.toUpperCase();
    if (press.shiftKey && (!letter || isLetter)) parts.push('Shift');
    parts.push(key === ' ' ? 'Space' : isLetter ? key.toLowerCase() : key);
    return parts.join('+');
}

/** The same key written in another way: 'N' is 'Shift+n', '⌘K' is 'Ctrl+k'. */
export function normalKeys(keys: string): string {
    return keys
        .trim()
        .split(/\s+/)
        .map(one => {
            if (one === '+') return one;
            const pieces = one.split('+').filter(Boolean);
            const last = one.endsWith('++') ? '+' : (pieces.pop() ?? '');
            const mods = new Set(
                pieces.map(piece => (/^(Cmd|Meta|Mod|Control)$/i.test(piece) ? 'Ctrl' : piece)),
            );
            const upper = last.length === 1 && last !== last.toLowerCase();
            if (upper) mods.add('Shift');
            const order = ['Ctrl', 'Alt', 'Shift'].filter(mod => mods.has(mod));
            return [...order, upper ? last.toLowerCase() : last].join('+');
        })
        .join(' ');
}

export function keysOf(command: Command, settings: KeySettings): string[] {
    return [...new Set((settings.changed[command.id] ?? command.keys ?? []).map(normalKeys))];
}

/** Keys without Ctrl or Alt. Those that type something can be switched off (WCAG 2.1.4), arrows and Esc stay. */
export function isSingle(keys: string): boolean {
    return (
        keys.split(' ').every(one => !one.includes('Ctrl+') && !one.includes('Alt+')) &&
        !/^(Shift\+)?(Escape|F\d+)$/.test(keys)
    );
}

/** The keys as people read them: '⌘ K', 'Shift z', 'g i'. */
export function showKeys(keys: string): string {
    const names: Record<string, string> = {
        Ctrl: mac ? '⌘' : 'Ctrl',
        ArrowUp: '↑',
        ArrowDown: '↓',
        ArrowLeft: '←',
        ArrowRight: '→',
        Escape: 'Esc',
    };
    return normalKeys(keys)
        .split(' ')
        .map(one => (one === '+' ? ['+'] : one.split('+')))
        .map(pieces =>
            pieces
                .map((piece, at) => {
                    const single = at > 0 && piece.length === 1 && pieces[0] === 'Ctrl';
                    return names[piece] ?? (single ? piece.toUpperCase() : piece);
                })
                .join(' '),
        )
        .join(' ');
}

/** Two commands of one place with the same keys: shown while recording in settings. */
export function clashes(commands: Command[], id: string, keys: string, settings: KeySettings): Command[] {
    const wanted = normalKeys(keys);
    return commands.filter(
        one =>
            one.id !== id &&
            keysOf(one, settings).some(
                mine => mine === wanted || mine.startsWith(`${wanted} `) || wanted.startsWith(`${mine} `),
            ),
    );
}

const typed =
    'input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=range]), textarea, select, ' +
    '[contenteditable=""], [contenteditable=true], [role=textbox], [role=combobox]';

function isTyping(target: EventTarget | null): boolean {
    return target instanceof Element && target.closest(typed) !== null;
}

const pressed = 'button, a[href], summary, input[type=checkbox], input[type=radio]';

/** A button that has the focus is pressed by Enter and Space. */
function isButton(target: EventTarget | null): boolean {
    return target instanceof Element && target.matches(pressed);
}

// Not every engine that runs this knows the selector; without it there are no such windows either.
function popoverOpen(): boolean {
    try {
        return document.querySelector(':popover-open') !== null;
    } catch {
        return false;
    }
}

function inOverlay(): boolean {
    return document.querySelector('dialog[open]') !== null || popoverOpen();
}

/** A stroke that puts a letter into a field: not even a command that is meant for typing may take it there. */
function types(keys: string): boolean {
    return keys.split(' ').some(one => one === 'Space' || [...one.replace(/^Shift\+/, '')].length === 1);
}

interface Where {
    typing: boolean;
    overlay: boolean;
    button: boolean;
    /** letters are text here, although no field has the focus */
    text: boolean;
}

/** While somebody types or a window is open only commands that are meant for it fire, and no letters. */
function allowed(command: Command, keys: string, where: Where, on: boolean): boolean {
    if (where.button && !command.onButton && (keys === 'Enter' || keys === 'Space')) return false;
    if ((where.typing || where.text) && types(keys)) return false;
    if (!on && isSingle(keys) && types(keys)) return false;
    return command.typing === true || (!where.typing && !where.overlay);
}

/** A press that puts something into a field: a character (AltGr makes some), or the begin of one. */
function writes(event: KeyboardEvent): boolean {
    if (event.key === 'Dead' || event.key === 'Process' || event.keyCode === 229) return true;
    const held = event.ctrlKey || event.metaKey || event.altKey;
    return [...event.key].length === 1 && (!held || event.getModifierState('AltGraph'));
}

/** Where letters are text without a field that has the focus, and which field gets them (null: none). */
export interface Letters {
    areText: (target: EventTarget | null) => boolean;
    box: () => HTMLElement | null;
}

const noText: Letters = { areText: () => false, box: () => null };

export interface Keymap {
    press: (event: KeyboardEvent) => void;
    pending: () => string;
}

/** Keys to commands. `settings` is asked at every press, so a change in settings counts at once. */
export function makeKeymap(
    settings: () => KeySettings,
    // When the person pressed it: a page that was busy hears of both strokes of a chord later.
    now: (event: KeyboardEvent) => number = event => event.timeStamp,
    letters: Letters = noText,
): Keymap {
    let prefix = '';
    let since = 0;
    function whereOf(event: KeyboardEvent): Where {
        return {
            typing: isTyping(event.target),
            overlay: inOverlay(),
            button: isButton(event.target),
            text: letters.areText(event.target),
        };
    }
    // The browser puts the letter into the field that has the focus when the press is done.
    function toBox(event: KeyboardEvent, where: Where): void {
        const free = where.text && !where.typing && !where.overlay;
        if (free && writes(event) && !(where.button && event.key === ' ')) letters.box()?.focus();
    }
    function candidates(where: Where): { command: Command; keys: string }[] {
        const set = settings();
        return activeCommands().flatMap(command =>
            keysOf(command, set)
                .filter(keys => allowed(command, keys, where, set.single))
                .map(keys => ({ command, keys })),
        );
    }
    function press(event: KeyboardEvent): void {
        if (event.defaultPrevented || event.isComposing) return;
        const where = whereOf(event);
        toBox(event, where);
        // 229 is what browsers report while an input method still composes.
        if (event.keyCode === 229) return;
        if (['Shift', 'Control', 'Alt', 'Meta', 'Dead', 'Process'].includes(event.key)) return;
        if (prefix && now(event) - since > chordMs) prefix = '';
        const pressed = stroke(event);
        const all = candidates(where);
        const whole = prefix ? `${prefix} ${pressed}` : pressed;
        const hit = all.find(one => one.keys === whole);
        prefix = '';
        if (hit && !(event.repeat && whole.includes(' '))) {
            event.preventDefault();
            hit.command.run();
            return;
        }
        if (all.some(one => one.keys.startsWith(`${whole} `))) {
            event.preventDefault();
            prefix = whole;
            since = now(event);
        }
    }
    return { press, pending: () => prefix };
}
