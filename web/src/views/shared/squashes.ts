// squashes.ts: a message that stands for others says that it does, and who made it. Its sender is whose words it
// counts as for a model: a squash of what several said counts as the person's, whoever made it.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { getSquash } from '../../api/calls';
import type { Squash } from '../../api/types';
import { world } from '../../store/store';

/** by id of the operation; what is done does not change any more */
const known = signal<Readonly<Record<string, Squash>>>({});
const asked = new Set<string>();

/** `squash`: null while nobody knows who made it. */
export function squashTitle(squash: Pick<Squash, 'performedByAgent'> | null): string {
    if (squash === null) return 'Squash';
    return squash.performedByAgent ? 'Squash by an agent' : 'Squash by you';
}

async function ask(id: string): Promise<void> {
    if (asked.has(id)) return;
    asked.add(id);
    const answer = await getSquash(world.peek()?.world.name ?? '', id);
    if (answer.ok) known.value = { ...known.value, [id]: answer.value };
    else asked.delete(id);
}

/** What a message with this operation is called; null: it is no squash. */
export function useSquashTitle(id: string | null): string | null {
    useEffect(() => {
        if (id !== null) void ask(id);
    }, [id]);
    return id === null ? null : squashTitle(known.value[id] ?? null);
}
