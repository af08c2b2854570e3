// model.ts: the runs of a conversation as data. A run is a lane: `main`, and what was handed on: `main.1`, `main.1.2`.

import type { Delegation, Item, ModelCall, Squash, Timeline } from '../../api/types';
import { day } from '../../parts/time';
import { placeSquashed } from './squashed';

export type RunState = Delegation['state'];

export interface Lane {
    lane: string;
    parent: string | null;
    /** 0: main */
    depth: number;
    items: Item[];
    children: string[];
    /** children that no call in `items` says it began */
    loose: string[];
    /** children whose call was squashed, by the message that stands for it */
    squashed: Map<string, string[]>;
    delegation: Delegation | null;
    state: RunState;
    /** its call is only guessed from the time */
    guessed: boolean;
    /** its call is in a message that another one stands for now */
    callSquashed: boolean;
    lastAt: string | null;
    /** its result, as the one who asked for it was told */
    result: string | null;
    /** whether that was a success; null: there is no result */
    succeeded: boolean | null;
    /** who does it, who asked for it and what it is called: as the server knows, or as its rows say */
    agent: string | null;
    askedBy: string | null;
    title: string | null;
}

export type Lanes = ReadonlyMap<string, Lane>;

export function parentOf(lane: string): string | null {
    const dot = lane.lastIndexOf('.');
    return dot < 0 ? null : lane.slice(0, dot);
}

export function depthOf(lane: string): number {
    return lane.split('.').length - 1;
}

function numberOf(lane: string): number {
    return Number(lane.slice(lane.lastIndexOf('.') + 1)) || 0;
}

/** Of runs with the same parent: main.2 before main.10. */
export function laneOrder(a: string, b: string): number {
    return numberOf(a) - numberOf(b);
}

function textOf(value: unknown): string {
    return typeof value === 'string'
        ? value
        : value === null || value === undefined
          ? ''
          : JSON.stringify(value);
}

function titleOf(item: Item): string | null {
    const { input } = item.call ?? {};
    const title = input !== null && typeof input === 'object' ? (input as { title?: unknown }).title : null;
    return typeof title === 'string' && title !== '' ? title : null;
}

function link(lane: Lane, lanes: Map<string, Lane>): void {
    const linked = new Set<string>();
    for (const item of lane.items) {
        const child = item.delegation ? lanes.get(item.delegation) : undefined;
        if (!child) continue;
        linked.add(child.lane);
        child.guessed = item.guessed === true;
        child.title ??= titleOf(item);
        if (!item.result) continue;
        child.result = item.result.error ?? textOf(item.result.output);
        child.succeeded = item.result.success;
    }
    lane.loose = lane.children.filter(c => !linked.has(c));
}

/** Blanks between what an agent thought and said are a part like others, but nothing to be seen. */
const shows = (i: Item) => !('part' in i && i.kind === 'agent_message' && i.content?.trim() === '');

/** Flat and without recursion: runs are nested as deep as agents hand work on. */
export function lanesOf(
    timeline: Timeline,
    delegations: readonly Delegation[],
    squashes: Iterable<Squash> = [],
): Map<string, Lane> {
    const byPath = new Map(delegations.map(d => [d.threadPath, d]));
    const lanes = new Map<string, Lane>();
    const left = [{ t: timeline, parent: parentOf(timeline.lane), depth: depthOf(timeline.lane) }];
    for (let next = left.pop(); next; next = left.pop()) {
        const { t, parent, depth } = next;
        const children = Object.keys(t.delegations).sort(laneOrder);
        const d = byPath.get(t.lane) ?? null;
        const sender = (kind: Item['kind']) =>
            parent === null ? null : (t.items.find(i => i.kind === kind)?.sender ?? null);
        lanes.set(t.lane, {
            lane: t.lane,
            parent,
            depth,
            items: t.items.filter(shows),
            children,
            loose: [],
            squashed: new Map(),
            delegation: d,
            state: 'done',
            guessed: false,
            callSquashed: false,
            lastAt: t.lastActivityAt,
            result: null,
            succeeded: null,
            agent: d?.agent ?? sender('agent_message') ?? sender('tool_execution'),
            askedBy: d?.askedBy ?? sender('user_message'),
            title: d?.title ?? null,
        });
        for (const name of children) left.push({ t: t.delegations[name]!, parent: t.lane, depth: depth + 1 });
    }
    for (const lane of lanes.values()) link(lane, lanes);
    for (const lane of sortedLanes(lanes)) lane.state = settled(lane, lanes.get(lane.parent ?? ''));
    placeSquashed(lanes, squashes);
    dropStrangers(lanes);
    return lanes;
}

/** A run that no call here began, that says nothing here and is over belongs to another version. */
function dropStrangers(lanes: Map<string, Lane>): void {
    const loose = new Set([...lanes.values()].flatMap(lane => lane.loose));
    const gone = new Set<string>();
    for (const lane of sortedLanes(lanes).reverse()) {
        const empty = lane.items.length === 0 && lane.children.every(name => gone.has(name));
        if (loose.has(lane.lane) && empty && lane.state !== 'running') gone.add(lane.lane);
    }
    if (gone.size === 0) return;
    for (const name of gone) lanes.delete(name);
    for (const lane of lanes.values()) {
        lane.children = lane.children.filter(name => !gone.has(name));
        lane.loose = lane.loose.filter(name => !gone.has(name));
    }
}

/** Every run after the one it came from, those of one parent in their order. */
export function sortedLanes(lanes: Lanes): Lane[] {
    const sorted: Lane[] = [];
    const left = [...lanes.values()].filter(l => l.parent === null || !lanes.has(l.parent)).map(l => l.lane);
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
        const lane = lanes.get(name);
        if (!lane) continue;
        sorted.push(lane);
        for (let at = lane.children.length - 1; at >= 0; at--) left.push(lane.children[at]!);
    }
    return sorted;
}

export function stateOf(lane: Lane): RunState {
    return lane.state;
}

/** A run that another program records here has no agent of ours: it is over when its call has a result, or its parent is. */
function settled(lane: Lane, parent: Lane | undefined): RunState {
    const told = lane.delegation?.state ?? 'done';
    if (told !== 'running' || lane.delegation?.agent != null) return told;
    if (lane.succeeded !== null) return lane.succeeded ? 'done' : 'failed';
    return parent && parent.parent !== null && parent.state !== 'running' ? 'done' : told;
}

export function startOf(lane: Lane): number {
    const at = Date.parse(lane.items[0]?.at ?? lane.delegation?.createdAt ?? '');
    return Number.isFinite(at) ? at : 0;
}

/** When it ended; of a run that goes on: `now`. */
export function endOf(lane: Lane, now: number): number {
    if (stateOf(lane) === 'running') return now;
    const at = Date.parse(lane.lastAt ?? '');
    return Number.isFinite(at) ? Math.max(at, startOf(lane)) : startOf(lane);
}

/** How long a run took; null: it was ended from outside before it said anything, so nobody knows. */
export function tookOf(lane: Lane, now: number): number | null {
    const took = Math.max(0, endOf(lane, now) - startOf(lane));
    const s = stateOf(lane);
    return took === 0 && (s === 'interrupted' || s === 'cancelled') ? null : took;
}

/** What a run looks like when nobody folded it: what goes on or went wrong is open, what went well is a line. */
export function openByItself(state: RunState): boolean {
    return state === 'running' || state === 'failed' || state === 'interrupted';
}

export const STATES: Record<RunState, { shape: string; word: string }> = {
    running: { shape: '●', word: 'running' },
    done: { shape: '✓', word: 'done' },
    failed: { shape: '✕', word: 'failed' },
    cancelled: { shape: '‖', word: 'cancelled' },
    interrupted: { shape: '✕', word: 'interrupted' },
};

/**
 * The day of a row, where it is another one than that of the row before it; null: the same. The first row of a
 * conversation says its day unless it is today, that of a run stands beside the call that began it.
 */
export function dayBetween(
    before: string | null,
    at: string | null,
    first: boolean,
    now: Date = new Date(),
): string | null {
    if (at === null || (before === null && !first)) return null;
    const name = day(at, now);
    return name === day(before ?? now, now) ? null : name;
}

// --- What it took --------------------------------------------------------------------------------

export interface Spent {
    calls: number;
    tokens: number;
    model: string | null;
    /** calls whose tokens somebody counted */
    measured: number;
    /** calls that canned text answered */
    scripted: number;
}

export const NOTHING_SPENT: Spent = { calls: 0, tokens: 0, model: null, measured: 0, scripted: 0 };

/** A number only where there is one. */
export function tokensText(spent: Spent, asText: (n: number) => string): string {
    if (spent.measured > 0) return asText(spent.tokens);
    return spent.calls > 0 && spent.scripted === spent.calls ? 'not measured (scripted)' : '–';
}

function isMeasured(call: ModelCall): boolean {
    return call.usage.inputTokens !== null || call.usage.outputTokens !== null;
}

/** The calls of models, by the run whose messages came of them. */
export function spentByLane(lanes: Lanes, calls: readonly ModelCall[]): Map<string, Spent> {
    const home = new Map<string, string>();
    for (const lane of lanes.values()) {
        for (const item of lane.items) if (item.messageId) home.set(item.messageId, lane.lane);
    }
    const spent = new Map<string, Spent>();
    for (const call of calls) {
        const lane = call.messageId === null ? undefined : home.get(call.messageId);
        if (lane === undefined) continue;
        const was = spent.get(lane) ?? NOTHING_SPENT;
        const tokens = (call.usage.inputTokens ?? 0) + (call.usage.outputTokens ?? 0);
        // Calls come newest first: the first model that is seen is the last one that was asked.
        spent.set(lane, {
            calls: was.calls + 1,
            tokens: was.tokens + tokens,
            model: was.model ?? call.model,
            measured: was.measured + (isMeasured(call) ? 1 : 0),
            scripted: was.scripted + (call.model?.startsWith('demo/') ? 1 : 0),
        });
    }
    return spent;
}

export function allSpent(spent: ReadonlyMap<string, Spent>): Spent {
    const all = { ...NOTHING_SPENT };
    for (const one of spent.values()) {
        all.calls += one.calls;
        all.tokens += one.tokens;
        all.measured += one.measured;
        all.scripted += one.scripted;
    }
    return all;
}

// --- Words ---------------------------------------------------------------------------------------

/** A call as people write it: calendar.find("freeze"). */
export function callText(name: string, input: unknown, most = 60): string {
    if (input === null || input === undefined || typeof input !== 'object')
        return `${name}(${textOf(input).slice(0, most)})`;
    const values = Object.values(input);
    const inside =
        values.length === 1
            ? JSON.stringify(values[0])
            : values.length === 0
              ? ''
              : JSON.stringify(input).slice(1, -1);
    return `${name}(${inside.length > most ? `${inside.slice(0, most)}…` : inside})`;
}

export function itemText(item: Item): string {
    const call = item.call ? callText(item.call.toolName, item.call.input, 400) : '';
    const result = item.result ? textOf(item.result.error ?? item.result.output) : '';
    return [item.content ?? '', call, result].filter(t => t !== '').join('\n');
}

export { textOf };

export interface Found {
    lane: string;
    item: string;
}

export function findIn(lanes: Lanes, words: string): Found[] {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return [];
    return sortedLanes(lanes).flatMap(lane =>
        lane.items
            .filter(item => item.id !== null && itemText(item).toLowerCase().includes(wanted))
            .map(item => ({ lane: lane.lane, item: item.id! })),
    );
}
