// The tour promises what its script says only where nothing but the script answers.
import { render } from 'preact';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Answerer } from '../../src/api/types';
import { update } from '../../src/store/core';
import { emptyState, type WorldState } from '../../src/store/state';
import { Welcome } from '../../src/views/chat/welcome';

let root: HTMLElement;
beforeEach(() => {
    root = document.createElement('div');
    document.body.append(root);
});
afterEach(() => {
    render(null, root);
    root.remove();
    update(() => emptyState());
});

function welcomedBy(one: Partial<Answerer>): string {
    const world = { world: { name: 'tour', answersWith: [one] }, agents: {} } as unknown as WorldState;
    update(() => ({ ...emptyState(), world }));
    render(<Welcome />, root);
    return root.textContent ?? '';
}

it('says what the demo does with words that it does not know, and nothing of that where a model answers', () => {
    expect(welcomedBy({ model: 'demo/scripted', scripted: true })).toContain(
        'it has no line for what you wrote',
    );
    expect(welcomedBy({ model: 'ollama/llama3', scripted: false })).not.toContain('demo');
});
