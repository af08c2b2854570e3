// summarised.tsx: where in the main lane an agent's memory of it was summarised. The summary is a message of that memory and
// not of the main lane: a quiet line says that there is one.

import { listSummaries } from '../../api/calls';
import type { Summary } from '../../api/types';
import { world } from '../../store/store';
import { useTick } from '../agents/follow';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { grouped } from '../shared/words';
import type { Item } from './items';

const WHEN = ['summary.created', 'thread.created', 'thread.switched'] as const;
const MOST = 100;

/** Of every agent's memory of the conversation, newest first. */
export function useMemorySummaries(chatId: string): readonly Summary[] {
    const w = world.value?.world.name ?? null;
    const tick = useTick(WHEN, e => e.chatId === chatId);
    const read = useLoad(
        w === null ? null : `${w}/${chatId}`,
        signal => listSummaries(w ?? '', chatId, { memories: true, limit: MOST }, { signal }),
        tick,
    );
    return read.value?.data ?? [];
}

/** By the row that they stand under: the last one that was said before. Rows that are not in the window have none. */
export function summariesUnder(
    items: readonly Item[],
    summaries: readonly Summary[],
    atEnd: boolean,
): Map<string, Summary[]> {
    const said = items.filter(item => item.kind === 'message');
    const under = new Map<string, Summary[]>();
    for (const one of summaries) {
        const at = said.findLastIndex(item => item.message.createdAt <= one.createdAt);
        const row = said[at];
        if (!row || (at === said.length - 1 && !atEnd)) continue;
        under.set(row.id, [one, ...(under.get(row.id) ?? [])]);
    }
    return under;
}

export function SummarisedLine({ summary }: { summary: Summary }) {
    const w = world.value?.world.name;
    if (!w || !summary.memoryOf) return null;
    return (
        <p class="chat-summarised">
            @{summary.memoryOf} remembers the first {grouped(summary.covers)} messages as a summary ·{' '}
            <Link to={{ kind: 'agent', w, a: summary.memoryOf, tab: 'memory' }}>its memory</Link>
        </p>
    );
}
