// squashes.ts: a message that stands for others says that it does, and who made it. Its sender is whose words it
// counts as for a model: a squash of what several said counts as the person's, even if an agent made it.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getSquash } from '../../api/calls';
import type { Squash } from '../../api/types';
import { world } from '../../store/store';

/** by id of the operation; what is done does not change any more */
const known = signal<Readonly<Record<string, Squash>>>({});
const asked = new Set<string>();

type Made = Pick<Squash, 'by' | 'model' | 'performedByAgent'>;

/** Whose words stand there: a model's, by its name where that is known. An agent alone wrote its own. */
function wordsBy({ by, model, performedByAgent }: Made): string {
    if (model) return `, words by ${model}`;
    return performedByAgent && by === 'human' ? ', words by a model' : '';
}

/** Who asked for it and who wrote it, the same wherever it stands. `squash`: null while nobody knows. */
export function squashTitle(squash: Made | null): string {
    if (squash === null) return 'Squash';
    return `Squashed by ${squash.by === 'human' ? 'you' : `@${squash.by}`}${wordsBy(squash)}`;
}

async function ask(id: string): Promise<void> {
    if (asked.has(id)) return;
    asked.add(id);
    const answer = await getSquash(world.peek()?.world.name ?? '', id);
    if (answer.ok) known.value = { ...known.value, [id]: answer.value };
    else asked.delete(id);
}

/** What a message with this operation is called; null: it is not a squash. */
export function useSquashTitle(id: string | null): string | null {
    useEffect(() => {
        if (id !== null) void ask(id);
    }, [id]);
    return id === null ? null : squashTitle(known.value[id] ?? null);
}
