// What a call would run is seen before it is allowed.
import { render } from 'preact';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InboxItem } from '../../src/api/types';
import { Permission } from '../../src/views/chat/permission';

let root: HTMLElement;
beforeEach(() => {
    root = document.createElement('div');
    document.body.append(root);
});
afterEach(() => {
    render(null, root);
    root.remove();
});

const item = { id: 'i1', type: 'approval', agent: 'ada', tool: 'send', open: true } as InboxItem;
const draw = (args: unknown) =>
    render(<Permission item={item} call={{ toolCallId: 'k', toolName: 'send', args }} />, root);

describe('a call that asks for permission', () => {
    it('shows its arguments before the buttons, and folds nothing when they are short', () => {
        draw({ to: 'bo', text: 'hello' });
        const lines = [...root.querySelectorAll('.args-line')].map(l => l.textContent);
        expect(lines).toEqual(['to: bo', 'text: hello']);
        expect(root.querySelector('details')).toBeNull();
        const allow = root.querySelector('[aria-label^="Allow"]')!;
        const order = root.querySelector('.args')!.compareDocumentPosition(allow);
        expect(order & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    });
    it('has the whole of what is long behind a fold, and says so', () => {
        for (const args of [
            { text: 'one\ntwo' },
            { text: 'x'.repeat(300) },
            { a: 1, b: 2, c: 3, d: 4, e: 5 },
            'no object',
        ]) {
            draw(args);
            expect(root.querySelector('details')?.textContent, JSON.stringify(args)).toContain(
                'Show all of it',
            );
        }
    });
});
