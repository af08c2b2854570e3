// What every screen relies on: a dialog gives the focus back, and what is announced can be heard.
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, it } from 'vitest';
import { alarm, announce, Dialog, LiveRegions } from '../../src/parts/parts';

const root = document.createElement('div');
document.body.append(root);
const show = (what: preact.ComponentChild) => act(() => render(what, root));
afterEach(() => show(null));

describe('a dialog', () => {
    const box = (
        <Dialog title="Asks" onClose={() => undefined}>
            <input data-autofocus />
        </Dialog>
    );
    function opener(): HTMLButtonElement {
        const button = document.createElement('button');
        document.body.append(button);
        button.focus();
        return button;
    }

    it('takes the focus, and gives it back to what had it', () => {
        const button = opener();
        show(box);
        const inside = document.activeElement as HTMLElement;
        expect(inside.tagName).toBe('INPUT');
        // As when a button in it was pressed and is off now: the focus is nowhere.
        inside.blur();
        show(null);
        expect(document.activeElement).toBe(button);
        button.remove();
    });
    it('leaves the focus where it was moved on purpose', () => {
        const button = opener();
        const other = document.createElement('textarea');
        document.body.append(other);
        show(box);
        other.focus();
        show(null);
        expect(document.activeElement).toBe(other);
        button.remove();
        other.remove();
    });
});

describe('the live regions', () => {
    it('are there before anything is said, and say it each in its way', () => {
        show(<LiveRegions />);
        const polite = root.querySelector('[role=status][aria-live=polite]');
        const urgent = root.querySelector('[role=alert][aria-live=assertive]');
        expect([polite?.textContent, urgent?.textContent]).toEqual(['', '']);
        act(() => announce('lead is writing'));
        act(() => alarm('lead failed'));
        expect([polite?.textContent, urgent?.textContent]).toEqual(['lead is writing', 'lead failed']);
        expect(root.contains(polite) && root.contains(urgent), 'the same ones').toBe(true);
    });
    it('say the same words again', () => {
        show(<LiveRegions />);
        act(() => announce('Copied.'));
        const before = root.querySelector('[role=status] span');
        act(() => announce('Copied.'));
        expect(root.querySelector('[role=status] span')).not.toBe(before);
    });
});
