// timeline-view.tsx: what happened when, with the work that agents handed on as boxes inside each other.

import { useEffect, useLayoutEffect } from 'preact/hooks';
import { useCommands } from '../../keys/commands';
import { Button, Checkbox, Empty, Field, IconButton, Loading, TroubleBox } from '../../parts/parts';
import { place } from '../../store/place';
import { prefs, setPref } from '../../store/prefs';
import { send, state } from '../../store/store';
import { useNarrow } from '../shared/narrow';
import { grouped } from '../shared/words';
import { Items, PAGE_ROWS } from './box';
import { data, follow, readAgain } from './data';
import { useFollow } from './follow';
import { commands, header } from './keys';
import { stateOf, type Lane } from './model';
import { RunPage, RunTabs } from './page';
import {
    foldAll,
    found,
    headerWanted,
    match,
    pageLane,
    rawTools,
    showLane,
    toMatch,
    unfoldRunning,
    watch,
    words,
    type ChatPlace,
} from './state';
import './timeline.css';

/** Borders inside each other: more of them leave no room for the words. */
function useBorders(): number {
    return useNarrow() ? 2 : 3;
}

function Find({ borders }: { borders: number }) {
    const narrow = useNarrow();
    const all = found.value;
    const at = all.findIndex(f => f.item === match.value);
    const text =
        words.value.trim() === ''
            ? ''
            : all.length === 0
              ? 'no match'
              : at < 0
                ? `${grouped(all.length)} found`
                : `${grouped(at + 1)} of ${grouped(all.length)}`;
    return (
        <div class="timeline-find" role="search">
            <Field
                label="Find"
                type="search"
                hideLabel={narrow}
                placeholder={narrow ? 'Find in the timeline' : undefined}
                maxLength={500}
                value={words.value}
                onEnter={() => toMatch(1, borders)}
                onInput={v => {
                    words.value = v;
                    match.value = null;
                }}
            />
            <span class="timeline-note" role="status">
                {text}
            </span>
            <IconButton
                label="Previous match"
                icon="up"
                disabled={all.length === 0}
                onClick={() => toMatch(-1, borders)}
            />
            <IconButton
                label="Next match"
                icon="down"
                disabled={all.length === 0}
                onClick={() => toMatch(1, borders)}
            />
        </div>
    );
}

function Tools({ borders }: { borders: number }) {
    const tabs = prefs.value.timeline === 'tabs';
    return (
        <div class="timeline-tools">
            <div class="timeline-acts">
                <Button small onClick={foldAll}>
                    Fold all
                </Button>
                <Button small onClick={unfoldRunning}>
                    Unfold running
                </Button>
                <Button small pressed={tabs} onClick={() => setPref('timeline', tabs ? 'boxes' : 'tabs')}>
                    Tabs
                </Button>
                <Checkbox
                    label="raw tools"
                    checked={rawTools.value}
                    onChange={on => {
                        rawTools.value = on;
                    }}
                />
            </div>
            <Find borders={borders} />
        </div>
    );
}

function NoRuns() {
    const tour = place.value.kind === 'chat' && place.value.w === 'tour';
    const begin = () => void send('@lead Plan a launch: delegate the date.');
    return (
        <Empty>
            <p>No runs yet.</p>
            <p>
                When an agent delegates work to another agent, the delegation is shown here as a box while it
                runs.
            </p>
            {tour && (
                <Button disabled={state.value.readOnly} onClick={begin}>
                    Start the demo delegation
                </Button>
            )}
        </Empty>
    );
}

function Missing({ lane }: { lane: string }) {
    return (
        <Empty>
            <p>There is no run {lane} in this version.</p>
            <Button onClick={() => showLane('main')}>Show the main run</Button>
        </Empty>
    );
}

function Body({ lane, borders }: { lane: Lane | undefined; borders: number }) {
    const { loaded, trouble, lanes } = data.value;
    if (!loaded)
        return trouble ? (
            <TroubleBox trouble={trouble} onRetry={readAgain} />
        ) : (
            <Loading label="Loading the timeline" rows={6} />
        );
    if (!lane) return <Missing lane={pageLane()} />;
    if (lanes.size === 1 && lane.items.length === 0) return <NoRuns />;
    if (prefs.value.timeline === 'tabs') return <RunTabs lane={lane} />;
    return lane.parent === null ? (
        <Items lane={lane} left={borders} rows={PAGE_ROWS} />
    ) : (
        <RunPage lane={lane} borders={borders} />
    );
}

/** The header that one came out of gets the focus, and what was found comes into view. */
function useArrival(letGo: () => void): void {
    const wanted = headerWanted.value;
    useLayoutEffect(() => {
        const target = wanted === null ? undefined : header(wanted);
        if (!target) return;
        letGo();
        target.focus();
        target.scrollIntoView({ block: 'nearest' });
        headerWanted.value = null;
    });
    useLayoutEffect(() => {
        const row =
            match.value === null ? null : document.querySelector(`[data-item="${CSS.escape(match.value)}"]`);
        if (!row) return;
        letGo();
        row.scrollIntoView({ block: 'center' });
    }, [match.value, pageLane()]);
}

function ChatTimeline({ p }: { p: ChatPlace }) {
    useEffect(() => follow(p.w, p.c, p.v ?? null), [p.w, p.c, p.v]);
    useEffect(watch, []);
    useCommands(commands());
    const borders = useBorders();
    const lane = data.value.lanes.get(pageLane());
    const toEnd = lane !== undefined && (lane.parent === null || stateOf(lane) === 'running');
    const { box, inside, onScroll, letGo } = useFollow(`${p.c} ${pageLane()} ${data.value.loaded}`, toEnd);
    useArrival(letGo);
    return (
        <section class="timeline-view" aria-label="Timeline">
            <Tools borders={borders} />
            <div ref={box} class="timeline-scroll" onScroll={onScroll} tabIndex={-1}>
                <div ref={inside} class="timeline-content">
                    <Body lane={lane} borders={borders} />
                    {data.value.loaded && data.value.trouble && (
                        <TroubleBox
                            trouble={data.value.trouble}
                            safe="This view may be out of date."
                            onRetry={readAgain}
                        />
                    )}
                </div>
            </div>
        </section>
    );
}

export function TimelineView() {
    const p = place.value;
    return p.kind === 'chat' ? <ChatTimeline p={p} /> : null;
}
