// What a call would run is seen before it is allowed.
import { render } from 'preact';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
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
    vi.unstubAllGlobals();
});

const item = { id: 'i1', type: 'approval', agent: 'ada', tool: 'send', open: true } as InboxItem;
const draw = (args: unknown, more: Partial<InboxItem> = {}) =>
    render(
        <Permission item={{ ...item, ...more }} call={{ toolCallId: 'k', toolName: 'send', args }} />,
        root,
    );

describe('a call that asks for permission', () => {
    it('shows its arguments before the buttons, and folds nothing when they are short', () => {
        draw({ to: 'bo', text: 'hel\u200elo' });
        const lines = [...root.querySelectorAll('.args-line')].map(l => l.textContent);
        expect(lines).toEqual(['to: bo', 'text: helU+200Elo']);
        expect(root.querySelector('details')).toBeNull();
        const allow = root.querySelector('[aria-label^="Allow"]')!;
        const order = root.querySelector('.args')!.compareDocumentPosition(allow);
        expect(order & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    });
    it('shows what a tool says of itself before it is first allowed, as plain text', () => {
        const definition = {
            server: { name: 'post', command: ['post-office'] },
            name: 'send',
            title: '',
            description: 'Only <b>reads</b>.\n# Allowed\u202e\u200b\u{e0041}\u2764\ufe0f',
            inputSchema: { type: 'object' },
        };
        draw({}, { definition, definitionState: 'new' });
        const shown = root.querySelector('.definition')!;
        expect(shown.textContent).toContain('This tool has not been used here before.');
        const texts = [...shown.querySelectorAll('pre')].map(p => p.textContent);
        expect(texts[2]).toBe('Only <b>reads</b>.\n# AllowedU+202EU+200BU+E0041\u2764\ufe0f');
        expect(texts.length).toBe(4);
        expect(texts[0]).toContain('post-office');
        expect(shown.querySelector('b, h1')).toBeNull();
        const allow = root.querySelector('[aria-label^="Allow"]')!;
        expect(shown.compareDocumentPosition(allow) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
        draw({}, { definition, definitionState: 'changed' });
        expect(root.querySelector('.definition')!.textContent).toContain('has changed since it was allowed');
        draw({}, { definition: null, definitionState: null });
        expect(root.querySelector('.definition')).toBeNull();
    });
    it('reads what a list has left out, and nothing can be allowed before it is shown', async () => {
        const whole = { ...item, definition: { description: 'Long.' }, definitionState: 'new' };
        const asked: string[] = [];
        let answer: (r: Response) => void = () => undefined;
        vi.stubGlobal('fetch', (url: string) => {
            asked.push(String(url));
            return new Promise<Response>(resolve => (answer = resolve));
        });
        draw({}, { definition: null, definitionState: 'new' });
        const allow = () => root.querySelector('[aria-label^="Allow"]')!;
        const isOff = () =>
            allow().getAttribute('aria-disabled') === 'true' || allow().hasAttribute('disabled');
        expect(isOff()).toBe(true);
        expect(root.querySelector('.definition')!.textContent).toContain('Loading the definition');
        await vi.waitFor(() => expect(asked.some(u => u.endsWith('/inbox/i1'))).toBe(true));
        const head = { 'Content-Type': 'application/json' };
        answer(new Response(JSON.stringify(whole), { headers: head }));
        await vi.waitFor(() => expect(root.querySelector('.definition pre')?.textContent).toBe('Long.'));
        expect(isOff()).toBe(false);
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
