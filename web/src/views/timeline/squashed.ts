// squashed.ts: a run whose call went into a squash stands where the squash stands.

import type { Squash } from '../../api/types';
import type { Lane } from './model';

type Made = Pick<Squash, 'sourceMessageIds' | 'resultMessageId'>;

/** What stands for a message, by its id. It may have been squashed in several versions. */
function resultsOf(squashes: Iterable<Made>): Map<string, string[]> {
    const results = new Map<string, string[]>();
    for (const { sourceMessageIds, resultMessageId } of squashes)
        for (const id of sourceMessageIds) results.set(id, [...(results.get(id) ?? []), resultMessageId]);
    return results;
}

/** The message here that stands for another one; squashes may have been squashed again. */
function standsFor(
    id: string,
    results: ReadonlyMap<string, string[]>,
    here: ReadonlySet<string>,
): string | null {
    const seen = new Set([id]);
    for (const one of seen) {
        if (one !== id && here.has(one)) return one;
        for (const next of results.get(one) ?? []) seen.add(next);
    }
    return null;
}

/** Takes the runs out of `loose` whose call a squash stands for now, and puts them at its message. */
export function placeSquashed(lanes: ReadonlyMap<string, Lane>, squashes: Iterable<Made>): void {
    const results = resultsOf(squashes);
    if (results.size === 0) return;
    for (const lane of lanes.values()) {
        if (lane.loose.length === 0) continue;
        const here = new Set(lane.items.flatMap(item => item.messageId ?? []));
        for (const child of lane.loose.flatMap(name => lanes.get(name) ?? [])) {
            const spawn = child.delegation?.spawnMessageId ?? null;
            const squash = spawn === null ? null : standsFor(spawn, results, here);
            if (squash === null) continue;
            child.callSquashed = true;
            lane.squashed.set(squash, [...(lane.squashed.get(squash) ?? []), child.lane]);
        }
        lane.loose = lane.loose.filter(name => !lanes.get(name)?.callSquashed);
    }
}
