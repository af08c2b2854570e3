// state.ts: what a person set in the timeline: folds, words to find, raw tools; and the clock of what runs.

import { computed, effect, signal } from '@preact/signals';
import { go, place, type Place } from '../../store/place';
import { prefs } from '../../store/prefs';
import { chat, state } from '../../store/store';
import type { Live, ToolRun } from '../../store/state';
import { taskFold, taskOf } from './background';
import { data } from './data';
import { depthOf, findIn, openByItself, parentOf, stateOf, type Lane } from './model';

export type ChatPlace = Extract<Place, { kind: 'chat' }>;

export const words = signal('');
export const found = computed(() => findIn(data.value.lanes, words.value));
/** the match that was jumped to */
export const match = signal<string | null>(null);
export const rawTools = signal(false);

/** What the person folded or unfolded, by conversation and run; kept while the page lives. */
const folds = signal<ReadonlyMap<string, boolean>>(new Map());
/** Rows that show what is behind them, by id. */
const unfolded = signal<ReadonlySet<string>>(new Set());

const keyOf = (lane: string) =>
    place.peek().kind === 'chat' ? `${(place.peek() as ChatPlace).c} ${lane}` : lane;

export function isFoldOpen(name: string, byItself: boolean): boolean {
    return folds.value.get(keyOf(name)) ?? byItself;
}

export function isOpen(lane: Lane): boolean {
    return isFoldOpen(lane.lane, openByItself(stateOf(lane)));
}

export function setOpen(lane: string, open: boolean): void {
    folds.value = new Map(folds.value).set(keyOf(lane), open);
}

export function foldAll(): void {
    const next = new Map(folds.value);
    for (const lane of data.value.lanes.values()) {
        next.set(keyOf(lane.lane), false);
        for (const task of lane.items.map(taskOf)) if (task !== null) next.set(keyOf(taskFold(task)), false);
    }
    folds.value = next;
}

/** What runs is open again, everything else as the person left it. */
export function unfoldRunning(): void {
    const next = new Map(folds.value);
    for (const lane of data.value.lanes.values())
        if (stateOf(lane) === 'running') next.set(keyOf(lane.lane), true);
    folds.value = next;
}

export function isUnfolded(id: string): boolean {
    return rawTools.value || unfolded.value.has(id);
}

export function toggleRow(id: string): void {
    const next = new Set(unfolded.value);
    if (!next.delete(id)) next.add(id);
    unfolded.value = next;
}

// --- Runs as pages -------------------------------------------------------------------------------

/** The pages that were left by going inside, so that Esc comes out where one went in. */
const cameFrom: string[] = [];
/** The header that gets the focus once it is on screen. */
export const headerWanted = signal<string | null>(null);

export function pageLane(): string {
    const p = place.value;
    return p.kind === 'chat' ? (p.lane ?? 'main') : 'main';
}

function toPage(lane: string): void {
    const p = place.peek();
    if (p.kind === 'chat') go({ ...p, view: 'timeline', lane: lane === 'main' ? undefined : lane });
}

/** Another run of the same page: its trail is forgotten. */
export function showLane(lane: string): void {
    cameFrom.length = 0;
    toPage(lane);
}

export function goInside(lane: string): void {
    cameFrom.push(pageLane());
    toPage(lane);
}

export function comeOut(): void {
    const lane = pageLane();
    const to = cameFrom.pop() ?? parentOf(lane) ?? 'main';
    headerWanted.value = lane;
    toPage(to === lane ? (parentOf(lane) ?? 'main') : to);
}

export function goBeside(by: 1 | -1): void {
    const lane = data.value.lanes.get(pageLane());
    const siblings = lane?.parent ? (data.value.lanes.get(lane.parent)?.children ?? []) : [];
    const next = lane ? siblings[siblings.indexOf(lane.lane) + by] : undefined;
    if (next) toPage(next);
}

/** Whether a run is drawn as a box on the page of another, and not as a page of its own. */
export function drawnOn(page: string, lane: string, most: number): boolean {
    const inside = lane === page || lane.startsWith(`${page}.`);
    return inside && depthOf(lane) - depthOf(page) <= most;
}

/** Shows a match: in its box where that can be drawn, else on the page of its run. */
export function toMatch(by: 1 | -1, most: number): void {
    const all = found.value;
    if (all.length === 0) return;
    const at = all.findIndex(f => f.item === match.value);
    const to = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length]!;
    const page = pageLane();
    match.value = to.item;
    if (!drawnOn(page, to.lane, most)) return toPage(to.lane);
    for (let up: string | null = to.lane; up !== null && up !== page; up = parentOf(up)) setOpen(up, true);
}

// --- What goes on ------------------------------------------------------------------------------------

export interface Doing {
    live: Record<string, Live>;
    tools: Record<string, ToolRun>;
}

/** Four times a second is as quick as people read; more only makes the page restless. */
const QUIET_MS = 250;

export const doing = signal<Doing>({ live: {}, tools: {} });
export const now = signal(Date.now());

function running(): boolean {
    return (
        Object.keys(doing.value.live).length > 0 ||
        [...data.value.lanes.values()].some(l => stateOf(l) === 'running')
    );
}

/** Follows what agents do while the timeline is on screen. */
export function watch(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const take = () => {
        timer = undefined;
        const c = chat.peek();
        if (c) doing.value = { live: c.live, tools: c.tools };
    };
    // Before anything is waited for: taking forgets the timer, and a forgotten one would tick beside the next.
    take();
    const end = effect(() => {
        const c = chat.value;
        if (c && (c.live !== doing.peek().live || c.tools !== doing.peek().tools))
            timer ??= setTimeout(take, QUIET_MS);
    });
    // A clock that nobody can trust stands still: while the server is away, and where the person wants calm.
    const tick = setInterval(() => {
        const heard =
            state.peek().connection.state === 'live' || state.peek().connection.state === 'catchingUp';
        if (heard && !prefs.peek().calm && running()) now.value = Date.now();
    }, 1000);
    return () => {
        end();
        clearTimeout(timer);
        clearInterval(tick);
    };
}
