import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Item } from '../../api/types';
import { AgentName, Button, duration } from '../../parts/parts';
import { state } from '../../store/store';
import { clock } from '../../parts/parts';
import { AwayNote, isAway } from '../shared/away';
import { firstLine, grouped, short, steps } from '../shared/words';
import { cancel, inspectRun, retry } from './acts';
import { taskOf } from './background';
import { BackgroundBox } from './background-box';
import { data } from './data';
import { LiveLine } from './live-line';
import { dayBetween, NOTHING_SPENT, stateOf, STATES, tookOf, type Lane } from './model';
import { TimelineRow } from './row';
import { goInside, isOpen, now, setOpen } from './state';

/** A box shows its last lines; a page shows more. */
export const BOX_ROWS = 30;
export const PAGE_ROWS = 200;

/** Nothing where it is not known. */
export function elapsed(lane: Lane): string {
    const took = tookOf(lane, now.value);
    return took === null ? '' : duration(took);
}

/** "✓ done 6 s", "✕ failed after 30 s": a shape and a word, and how long. */
export function RunState({ lane }: { lane: Lane }) {
    const s = stateOf(lane);
    const away = s === 'running' && state.value.connection.state === 'offline';
    return (
        <span class={`timeline-state timeline-${s}`}>
            <span aria-hidden="true">{STATES[s].shape}</span> {STATES[s].word}
            {s === 'failed' ? ' after ' : ' '}
            {elapsed(lane)}
            {away && ` · last heard ${clock(data.value.heardAt)}`}
        </span>
    );
}

/** Nobody waits for it; of runs that other programs record here that is not known. */
export function inBackground(lane: Lane): boolean {
    return lane.delegation?.waited === false && lane.delegation.agent !== null;
}

function Facts({ lane, open }: { lane: Lane; open: boolean }) {
    const spent = data.value.spent.get(lane.lane) ?? NOTHING_SPENT;
    const facts = [
        spent.model,
        inBackground(lane) ? '◌ background' : null,
        lane.delegation ? steps(lane.delegation.messageCount) : null,
        spent.tokens > 0 ? `${short(spent.tokens)} tok` : null,
    ].filter(fact => fact !== null);
    return (
        <span class="timeline-facts">
            {facts.join(' · ')}
            {!open && lane.result && (
                <span class="timeline-firstwords"> · “{firstLine(lane.result, 60)}”</span>
            )}
        </span>
    );
}

/** How it hangs on what began it, where that is not plain. */
function Spawned({ lane }: { lane: Lane }) {
    if (lane.guessed) return <span class="timeline-note">~ linked by time</span>;
    return lane.callSquashed ? (
        <span class="timeline-note">spawned by a message that is now squashed</span>
    ) : null;
}

function Head({ lane, open }: { lane: Lane; open: boolean }) {
    return (
        <button
            type="button"
            class="timeline-head"
            data-stop="run"
            data-lane={lane.lane}
            aria-expanded={open}
            onClick={() => setOpen(lane.lane, !open)}
        >
            <span class="timeline-twist" aria-hidden="true">
                {open ? '▾' : '▸'}
            </span>
            <span class="timeline-lane">{lane.lane}</span>
            {lane.agent && <AgentName name={lane.agent} />}
            {lane.title && <span class="timeline-title">{lane.title}</span>}
            <RunState lane={lane} />
            <Spawned lane={lane} />
            <Facts lane={lane} open={open} />
        </button>
    );
}

export function RunButtons({ lane, page }: { lane: Lane; page?: boolean }) {
    const s = stateOf(lane);
    const again = s === 'failed' || s === 'cancelled' || s === 'interrupted';
    const locked = state.value.readOnly;
    if (!lane.delegation) return null;
    return (
        <div class="timeline-acts">
            {again && (
                <Button
                    small
                    disabled={locked}
                    off={isAway()}
                    onClick={() => void retry(lane)}
                    label={`Retry ${lane.lane}`}
                >
                    Retry
                </Button>
            )}
            <Button small onClick={() => inspectRun(lane)} label={`Inspect ${lane.lane}`}>
                Inspect
            </Button>
            {!page && (
                <Button small onClick={() => goInside(lane.lane)} label={`Open as page: ${lane.lane}`}>
                    Open as page
                </Button>
            )}
            {s === 'running' && (
                <Button
                    small
                    disabled={locked}
                    off={isAway()}
                    onClick={() => void cancel(lane)}
                    label={`Cancel this run: ${lane.lane}`}
                >
                    Cancel this run
                </Button>
            )}
            {(again || s === 'running') && <AwayNote />}
        </div>
    );
}

function Failure({ lane }: { lane: Lane }) {
    const s = stateOf(lane);
    if (s !== 'failed' && s !== 'interrupted') return null;
    return <p class="timeline-failure">{lane.result ?? 'It ended without a reason.'}</p>;
}

interface ItemsProps {
    lane: Lane;
    /** how many borders may still be drawn inside */
    left: number;
    rows: number;
}

function Child({ name, left }: { name: string; left: number }) {
    const child = data.value.lanes.get(name);
    return child ? (
        <li class="timeline-nest">
            <RunBox lane={child} left={left} />
        </li>
    ) : null;
}

/** What was handed on at a row: by its call, or by what it stands for. */
function handedOn(item: Item, lane: Lane): string[] {
    const squashed = lane.squashed.get(item.messageId ?? '') ?? [];
    return item.delegation ? [item.delegation, ...squashed] : squashed;
}

/** Work for the background of another agent, at the call that gave it. */
function given(item: Item): ComponentChildren[] {
    const task = taskOf(item);
    return task === null ? [] : [<BackgroundBox key={`task ${task}`} id={task} />];
}

/** Rows say the time of day only: where another day begins stands which one. */
function newDay(item: Item, before: Item | undefined, lane: Lane): ComponentChildren[] {
    const name = dayBetween(before?.at ?? null, item.at, lane.parent === null);
    if (name === null) return [];
    return [
        <li key={`day ${item.id}`} class="timeline-day">
            {name}
        </li>,
    ];
}

/** The rows of a run, its last ones first; what it handed on stands where it was handed on. */
export function Items({ lane, left, rows }: ItemsProps) {
    const [more, setMore] = useState(0);
    const from = Math.max(0, lane.items.length - rows - more);
    const key = (item: Item, at: number) => `${item.kind} ${item.id ?? from + at}`;
    return (
        <>
            {from > 0 && (
                <div class="timeline-earlier">
                    <Button small kind="quiet" onClick={() => setMore(more + PAGE_ROWS)}>
                        Show earlier rows ({grouped(from)} more)
                    </Button>
                </div>
            )}
            <ol class="timeline-items" aria-label={`Rows of ${lane.lane}`}>
                {lane.items
                    .slice(from)
                    .flatMap((item, at, shown) => [
                        ...newDay(item, shown[at - 1], lane),
                        <TimelineRow key={key(item, at)} item={item} lane={lane} />,
                        ...handedOn(item, lane).map(name => <Child key={name} name={name} left={left} />),
                        ...given(item),
                    ])}
                {lane.loose.map(name => (
                    <Child key={name} name={name} left={left} />
                ))}
            </ol>
            <LiveLine lane={lane} />
        </>
    );
}

/** Where no further border fits: a way in. */
function DeepBox({ lane }: { lane: Lane }) {
    return (
        <div class="timeline-box timeline-deep" role="group" aria-label={`Run ${lane.lane}`}>
            <button
                type="button"
                class="timeline-head"
                data-stop="run"
                data-lane={lane.lane}
                onClick={() => goInside(lane.lane)}
            >
                <span class="timeline-twist" aria-hidden="true">
                    ›
                </span>
                <span class="timeline-lane">{lane.lane}</span>
                {lane.agent && <AgentName name={lane.agent} />}
                {lane.title && <span class="timeline-title">{lane.title}</span>}
                <RunState lane={lane} />
                <Spawned lane={lane} />
                <span class="timeline-open">Open as page</span>
                <Facts lane={lane} open={false} />
            </button>
        </div>
    );
}

export function RunBox({ lane, left }: { lane: Lane; left: number }) {
    if (left <= 0) return <DeepBox lane={lane} />;
    const open = isOpen(lane);
    return (
        <div
            class={`timeline-box timeline-box-${stateOf(lane)}`}
            role="group"
            aria-label={`Run ${lane.lane}`}
        >
            <Head lane={lane} open={open} />
            {open && (
                <div class="timeline-inside">
                    <Items lane={lane} left={left - 1} rows={BOX_ROWS} />
                    <Failure lane={lane} />
                    <RunButtons lane={lane} />
                </div>
            )}
        </div>
    );
}
