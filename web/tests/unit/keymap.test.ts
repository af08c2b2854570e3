import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { activeCommands, addCommands, screenCommands, type Command } from '../../src/keys/commands';
import {
    clashes,
    isSingle,
    makeKeymap,
    normalKeys,
    showKeys,
    stroke,
    type KeySettings,
} from '../../src/keys/keymap';

let ends: (() => void)[] = [];
let settings: KeySettings;
let time = 0;
let keymap: ReturnType<typeof makeKeymap>;

function add(...commands: (Partial<Command> & { id: string })[]): void {
    ends.push(
        addCommands(commands.map(one => ({ title: one.id, where: 'here', run: () => undefined, ...one }))),
    );
}

function press(
    key: string,
    more: KeyboardEventInit & { target?: Element; keyCode?: number } = {},
): KeyboardEvent {
    const { target = document.body, ...init } = more;
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...init });
    if (more.keyCode) Object.defineProperty(event, 'keyCode', { value: more.keyCode });
    target.dispatchEvent(event);
    return event;
}

beforeEach(() => {
    settings = { single: true, changed: {} };
    time = 0;
    keymap = makeKeymap(
        () => settings,
        () => time,
    );
    document.addEventListener('keydown', keymap.press);
});

afterEach(() => {
    document.removeEventListener('keydown', keymap.press);
    for (const end of ends) end();
    ends = [];
    document.body.replaceChildren();
});

describe('how keys are written', () => {
    it.each([
        [{ key: 'k', ctrlKey: true }, 'Ctrl+k'],
        [{ key: 'k', metaKey: true }, 'Ctrl+k'],
        [{ key: 'Z', shiftKey: true }, 'Shift+z'],
        [{ key: '?', shiftKey: true }, '?'],
        [{ key: 'ArrowDown', shiftKey: true }, 'Shift+ArrowDown'],
        [{ key: ' ' }, 'Space'],
    ])('%o is %s', (event, written) => {
        expect(stroke({ ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...event })).toBe(
            written,
        );
    });
    it('takes other spellings', () => {
        expect(normalKeys('N')).toBe('Shift+n');
        expect(normalKeys('Cmd+K')).toBe('Ctrl+Shift+k');
        expect(normalKeys('g  I')).toBe('g Shift+i');
        expect(normalKeys('+')).toBe('+');
    });
    it('shows them for people', () => {
        expect(showKeys('Ctrl+k')).toBe('Ctrl K');
        expect(showKeys('Shift+ArrowDown')).toBe('Shift ↓');
        expect(showKeys('g i')).toBe('g i');
    });
    it('knows which can be switched off', () => {
        expect(['g i', 'z', '?', 'Shift+z', 'ArrowDown'].every(isSingle)).toBe(true);
        expect(['Ctrl+k', 'Alt+x', 'Escape', 'F6'].some(isSingle)).toBe(false);
    });
});

describe('what fires', () => {
    it('a key, and keeps it from the page', () => {
        const run = vi.fn();
        add({ id: 'undo', keys: ['z'], run });
        expect(press('z').defaultPrevented).toBe(true);
        expect(run).toHaveBeenCalledTimes(1);
        expect(press('y').defaultPrevented).toBe(false);
    });
    it('a chord within its time only', () => {
        const run = vi.fn();
        const other = vi.fn();
        add({ id: 'inbox', keys: ['g i'], run }, { id: 'inspect', keys: ['i'], run: other });
        press('g');
        expect(keymap.pending()).toBe('g');
        press('i');
        expect(run).toHaveBeenCalledTimes(1);
        expect(other).not.toHaveBeenCalled();
        press('g');
        time = 2000;
        press('i');
        expect(run).toHaveBeenCalledTimes(1);
        expect(other).toHaveBeenCalledTimes(1);
    });
    it('a chord that was pressed in time, however late the page hears of it', () => {
        vi.useFakeTimers({ now: 0 });
        const busy = makeKeymap(() => settings);
        const run = vi.fn();
        add({ id: 'inbox', keys: ['g i'], run });
        for (const [key, timeStamp] of [
            ['g', 100],
            ['i', 300],
        ] as const) {
            const event = new KeyboardEvent('keydown', { key });
            Object.defineProperty(event, 'timeStamp', { value: timeStamp });
            vi.advanceTimersByTime(5000);
            busy.press(event);
        }
        vi.useRealTimers();
        expect(run).toHaveBeenCalledTimes(1);
    });
    it('the innermost of two, the outer one again when it is gone', () => {
        const outer = vi.fn();
        const inner = vi.fn();
        add({ id: 'a', keys: ['e'], run: outer });
        add({ id: 'b', keys: ['e'], run: inner });
        press('e');
        expect(inner).toHaveBeenCalledTimes(1);
        ends.pop()?.();
        press('e');
        expect(outer).toHaveBeenCalledTimes(1);
    });
    it('not when the command cannot be used now', () => {
        const outer = vi.fn();
        add({ id: 'a', keys: ['e'], run: outer });
        add({ id: 'b', keys: ['e'], when: () => false });
        press('e');
        expect(outer).toHaveBeenCalledTimes(1);
        expect(activeCommands().map(one => one.id)).toEqual(['a']);
    });
});

describe('where letters are text', () => {
    const box = document.createElement('textarea');
    const row = document.createElement('article');
    const run = vi.fn();
    beforeEach(() => {
        document.removeEventListener('keydown', keymap.press);
        row.tabIndex = 0;
        document.body.append(box, row);
        run.mockClear();
        keymap = makeKeymap(
            () => settings,
            () => time,
            { areText: target => target !== row, box: () => box },
        );
        document.addEventListener('keydown', keymap.press);
        for (const keys of ['z', 'Shift+z', '?', 'g i', 'ArrowUp', 'Ctrl+k'])
            add({ id: keys, keys: [keys], run });
    });
    it('a letter fires nothing and goes into the box', () => {
        for (const key of ['z', 'Z', '?', 'g', 'i', ' ', 'é', 'Dead', 'Process']) {
            box.blur();
            expect(press(key, { shiftKey: key === 'Z' }).defaultPrevented).toBe(false);
            expect(document.activeElement, key).toBe(box);
        }
        expect(run).not.toHaveBeenCalled();
    });
    it('other keys are commands, and leave the focus', () => {
        for (const [key, more] of [
            ['ArrowUp', {}],
            ['k', { ctrlKey: true }],
        ] as const)
            press(key, more);
        press('Escape');
        expect(run).toHaveBeenCalledTimes(2);
        expect(document.activeElement).toBe(document.body);
    });
    it('what a message is selected for fires', () => {
        press('z', { target: row });
        expect(run).toHaveBeenCalledTimes(1);
        expect(document.activeElement).toBe(document.body);
    });
    it('Space presses a button', () => {
        const button = document.createElement('button');
        document.body.append(button);
        button.focus();
        press(' ', { target: button });
        expect(document.activeElement).toBe(button);
        press('a', { target: button });
        expect(document.activeElement).toBe(box);
    });
});

describe('what does not fire', () => {
    it('a command that has nothing to act on; it is still one of the screen', () => {
        const run = vi.fn();
        let there = false;
        add({ id: 'edit', keys: ['e'], needs: () => there, run });
        press('e');
        expect(run).not.toHaveBeenCalled();
        expect(activeCommands()).toEqual([]);
        expect(screenCommands().map(one => one.id)).toEqual(['edit']);
        there = true;
        press('e');
        expect(run).toHaveBeenCalledTimes(1);
    });
    it.each(['button', 'summary', 'a'])('Enter and Space on a %s, unless it is meant to', tag => {
        const page = vi.fn();
        const part = vi.fn();
        const button = document.body.appendChild(document.createElement(tag));
        button.setAttribute('href', '#');
        add({ id: 'reply', keys: ['r', 'Enter', 'Space'], run: page });
        expect(press('Enter', { target: button }).defaultPrevented).toBe(false);
        expect(press(' ', { target: button }).defaultPrevented).toBe(false);
        expect(page).not.toHaveBeenCalled();
        press('r', { target: button });
        press('Enter');
        expect(page).toHaveBeenCalledTimes(2);
        add({ id: 'inside', keys: ['Enter'], onButton: true, run: part });
        press('Enter', { target: button });
        expect(part).toHaveBeenCalledTimes(1);
    });
    it.each(['input', 'textarea', 'select'])('anything without `typing` in %s', tag => {
        const single = vi.fn();
        const typing = vi.fn();
        add(
            { id: 'undo', keys: ['z', 'Ctrl+z'], run: single },
            { id: 'palette', keys: ['Ctrl+k', '/'], typing: true, run: typing },
        );
        const field = document.body.appendChild(document.createElement(tag));
        press('z', { target: field });
        press('z', { target: field, ctrlKey: true });
        press('/', { target: field });
        press('k', { target: field, ctrlKey: true });
        expect(single).not.toHaveBeenCalled();
        expect(typing).toHaveBeenCalledTimes(1);
    });
    it('a key on a checkbox is not typing', () => {
        const run = vi.fn();
        add({ id: 'undo', keys: ['z'], run });
        const box = document.body.appendChild(document.createElement('input'));
        box.type = 'checkbox';
        press('z', { target: box });
        expect(run).toHaveBeenCalledTimes(1);
    });
    it('keys of the page below an open dialog', () => {
        const run = vi.fn();
        add({ id: 'undo', keys: ['z', 'Ctrl+z', 'Escape'], run });
        const dialog = document.body.appendChild(document.createElement('dialog'));
        dialog.setAttribute('open', '');
        press('z');
        press('z', { ctrlKey: true });
        press('Escape', { target: dialog });
        expect(run).not.toHaveBeenCalled();
        dialog.removeAttribute('open');
        press('z');
        expect(run).toHaveBeenCalledTimes(1);
    });
    it('a chord again and again while its last key is held', () => {
        const run = vi.fn();
        const step = vi.fn();
        add({ id: 'inbox', keys: ['g i'], run }, { id: 'next', keys: ['j'], run: step });
        press('g');
        press('i', { repeat: true });
        expect(run).not.toHaveBeenCalled();
        press('j', { repeat: true });
        expect(step).toHaveBeenCalledTimes(1);
    });
    it('while an input method composes', () => {
        const run = vi.fn();
        add({ id: 'undo', keys: ['z'], run, typing: true });
        press('z', { isComposing: true });
        press('z', { keyCode: 229 });
        press('Process');
        expect(run).not.toHaveBeenCalled();
    });
    it('what a view already used', () => {
        const run = vi.fn();
        add({ id: 'undo', keys: ['z'], run });
        const part = document.body.appendChild(document.createElement('div'));
        part.addEventListener('keydown', event => event.preventDefault());
        press('z', { target: part });
        expect(run).not.toHaveBeenCalled();
    });
});

describe('what a person changes', () => {
    it('single keys off: only keys with Ctrl, Alt and Esc stay', () => {
        const run = vi.fn();
        add(
            { id: 'palette', keys: ['Ctrl+k', '/'], run },
            { id: 'inbox', keys: ['g i'], run },
            { id: 'leave', keys: ['Escape'], run },
        );
        settings = { single: false, changed: {} };
        press('/');
        press('g');
        press('i');
        expect(run).not.toHaveBeenCalled();
        press('k', { ctrlKey: true });
        press('Escape');
        expect(run).toHaveBeenCalledTimes(2);
    });
    it('other keys for a command, or none', () => {
        const undo = vi.fn();
        const redo = vi.fn();
        add({ id: 'undo', keys: ['z'], run: undo }, { id: 'redo', keys: ['Shift+z'], run: redo });
        settings = { single: true, changed: { undo: ['u'], redo: [] } };
        press('z');
        press('Z', { shiftKey: true });
        expect(undo).not.toHaveBeenCalled();
        expect(redo).not.toHaveBeenCalled();
        press('u');
        expect(undo).toHaveBeenCalledTimes(1);
    });
    it('sees clashes, also with the beginning of a chord', () => {
        const all = [
            { id: 'inbox', keys: ['g i'] },
            { id: 'undo', keys: ['z'] },
            { id: 'self', keys: ['g'] },
        ].map((one): Command => ({ title: one.id, where: 'here', run: () => undefined, ...one }));
        expect(clashes(all, 'self', 'g', settings).map(one => one.id)).toEqual(['inbox']);
        expect(clashes(all, 'self', 'Z', settings)).toEqual([]);
        expect(clashes(all, 'self', 'z', settings).map(one => one.id)).toEqual(['undo']);
    });
});
