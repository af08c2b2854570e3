// What a screen listens to, it listens to from the moment it is drawn: a person may press a key before the next frame.
import { render } from 'preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { activeCommands, useCommands } from '../../src/keys/commands';
import { Dialog } from '../../src/parts/dialog';
import { KeyboardTab } from '../../src/views/settings/keyboard-tab';

let root: HTMLElement;
const draw = (what: preact.ComponentChild) => render(what, root);

beforeEach(() => {
    root = document.createElement('div');
    document.body.append(root);
    // The next frame is a long time away.
    vi.stubGlobal('requestAnimationFrame', () => 0);
});
afterEach(() => {
    draw(null);
    root.remove();
    vi.unstubAllGlobals();
});

describe('as soon as it is drawn', () => {
    it('a screen has its keys, and when it is gone it has none', () => {
        const Screen = () => {
            useCommands([{ id: 'here.one', title: 'One', keys: ['o'], where: 'Here', run: () => undefined }]);
            return null;
        };
        const ids = () => activeCommands().map(one => one.id);
        draw(<Screen />);
        expect(ids()).toContain('here.one');
        draw(null);
        expect(ids()).not.toContain('here.one');
    });
    it('an inner screen wins over the one around it', () => {
        const run = () => undefined;
        const Inner = () => {
            useCommands([{ id: 'inner', title: 'Inner', keys: ['o'], where: 'Inner', run }]);
            return null;
        };
        const Outer = ({ inner }: { inner: boolean }) => {
            useCommands([{ id: 'outer', title: 'Outer', keys: ['o'], where: 'Outer', run }]);
            return inner ? <Inner /> : null;
        };
        draw(<Outer inner={false} />);
        draw(<Outer inner />);
        expect(activeCommands().map(one => one.id)).toEqual(['inner', 'outer']);
    });
    it('a dialog is open, and has the focus where it wants it', () => {
        draw(
            <Dialog title="Ask" onClose={() => undefined}>
                <input data-autofocus />
            </Dialog>,
        );
        const dialog = root.querySelector('dialog');
        expect(dialog?.open).toBe(true);
        expect(document.activeElement).toBe(dialog?.querySelector('input'));
    });
    it('the recorder of keys takes the next key', async () => {
        draw(<KeyboardTab />);
        root.querySelector<HTMLButtonElement>('[aria-label^="Change the keys of"]')!.click();
        await Promise.resolve();
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'q', bubbles: true }));
        await Promise.resolve();
        expect(root.querySelector('.keys-record')?.textContent).toBe('q');
    });
});
