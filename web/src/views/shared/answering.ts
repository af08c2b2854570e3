// answering.ts: which model would answer the next message here, and where it runs, as the server tells it.

import type { Answerer } from '../../api/types';
import { world } from '../../store/store';

/** null: not known, because the server asks no models. */
export function answerers(): readonly Answerer[] | null {
    return world.value?.world.answersWith ?? null;
}

/** Nobody who answers here is a model, so nothing is sent to one. */
export function onlyScripted(all: readonly Answerer[] | null): boolean {
    return all !== null && all.length > 0 && all.every(one => one.scripted);
}

function placeOf(one: Answerer): string {
    if (one.local === null) return 'not set up';
    return one.local ? 'this computer' : (one.host ?? 'another computer');
}

/** The model, or how many, and the place, or how many. */
export function answererWords(all: readonly Answerer[]): { model: string; where: string } {
    const places = [...new Set(all.map(placeOf))];
    const nobody = Object.keys(world.value?.agents ?? {}).length === 0 ? 'no agents' : 'all agents paused';
    return {
        model: all.length === 1 ? all[0]!.model : all.length === 0 ? nobody : `${all.length} models`,
        where: places.length > 2 ? `${places.length} places` : places.join(' and '),
    };
}

/** Each model with its place, for a tooltip. */
export function answererLines(all: readonly Answerer[]): string {
    return all.map(one => `${one.model}: ${placeOf(one)}`).join('\n');
}
