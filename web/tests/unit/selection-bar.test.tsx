// A key that cannot do what it is for says why.
import { render } from 'preact';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { activeCommands } from '../../src/keys/commands';
import { Toasts } from '../../src/parts/toast';
import { selected, selecting } from '../../src/store/focus';
import { SelectionBar } from '../../src/views/squash/selection-bar';
import { draft } from '../../src/views/squash/squash-flow';
import { soon } from './story';

let root: HTMLElement;
beforeEach(() => {
    root = document.createElement('div');
    document.body.append(root);
    selected.value = new Set(['m1']);
    selecting.value = true;
    render(
        <>
            <SelectionBar />
            <Toasts />
        </>,
        root,
    );
});
afterEach(() => {
    render(null, root);
    root.remove();
    selected.value = new Set();
    selecting.value = false;
});

describe('squashing one message', () => {
    it('is answered with the reason, by key and at the button', async () => {
        activeCommands()
            .find(one => one.id === 'squash')!
            .run();
        await soon(() => expect(root.textContent).toContain('One message alone cannot be squashed'));
        expect(draft.value).toBeNull();
        const button = [...root.querySelectorAll('button')].find(b => b.textContent === 'Squash');
        expect(button?.getAttribute('aria-disabled')).toBe('true');
        expect(button?.title).toContain('One message alone');
    });
});
