import { Fragment } from 'preact';
import { AgentName, Button, Select, Tabs } from '../../parts/parts';
import { href, place } from '../../store/place';
import { count, short } from '../shared/words';
import { inBackground, Items, PAGE_ROWS, RunButtons, RunState } from './box';
import { data } from './data';
import { NOTHING_SPENT, tokensText, sortedLanes, type Lane } from './model';
import { comeOut, goBeside, showLane, type ChatPlace } from './state';

function laneHref(lane: string): string {
    const p = place.value as ChatPlace;
    return href({ ...p, view: 'timeline', lane: lane === 'main' ? undefined : lane });
}

/** main › 1 › 1; the middle of a very deep one is left out. */
function Crumbs({ lane }: { lane: Lane }) {
    const parts = lane.lane.split('.');
    const shown = parts
        .map((name, at) => ({ name, lane: parts.slice(0, at + 1).join('.') }))
        .filter((_, at) => parts.length <= 8 || at < 3 || at >= parts.length - 4);
    const jump = (to: string) => (event: MouseEvent) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        showLane(to);
    };
    return (
        <nav class="timeline-crumbs" aria-label="Runs above this one">
            {shown.map((part, at) => (
                <Fragment key={part.lane}>
                    {at > 0 && <span aria-hidden="true">{parts.length > 8 && at === 3 ? '› … ›' : '›'}</span>}
                    {part.lane === lane.lane ? (
                        <span aria-current="page">{part.name}</span>
                    ) : (
                        <a href={laneHref(part.lane)} aria-label={part.lane} onClick={jump(part.lane)}>
                            {part.name}
                        </a>
                    )}
                </Fragment>
            ))}
        </nav>
    );
}

function PageFoot({ lane }: { lane: Lane }) {
    const siblings = data.value.lanes.get(lane.parent ?? '')?.children ?? [lane.lane];
    const at = siblings.indexOf(lane.lane);
    const spent = data.value.spent.get(lane.lane) ?? NOTHING_SPENT;
    return (
        <footer class="timeline-pagefoot">
            <div class="timeline-acts">
                <Button small onClick={comeOut}>
                    ↑ parent {lane.parent}
                </Button>
                <Button small disabled={at <= 0} onClick={() => goBeside(-1)} label="Previous sibling run">
                    ←
                </Button>
                <span class="timeline-note">
                    siblings {at + 1} of {siblings.length}
                </span>
                <Button
                    small
                    disabled={at >= siblings.length - 1}
                    onClick={() => goBeside(1)}
                    label="Next sibling run"
                >
                    →
                </Button>
            </div>
            <p class="timeline-note">
                Tokens {tokensText(spent, short)} · {count(spent.calls, 'call')}
            </p>
        </footer>
    );
}

/** One run on a page of its own. */
export function RunPage({ lane, borders }: { lane: Lane; borders: number }) {
    const spent = data.value.spent.get(lane.lane);
    return (
        <article class="timeline-page" aria-label={`Run ${lane.lane}`}>
            <header class="timeline-pagehead">
                <div class="timeline-pagetop">
                    <Crumbs lane={lane} />
                    <RunState lane={lane} />
                </div>
                <p>
                    {lane.agent && <AgentName name={lane.agent} />}
                    {spent?.model && <> · {spent.model}</>}
                    {lane.askedBy && (
                        <>
                            {' '}
                            · asked by {lane.askedBy === 'human' ? 'you' : <AgentName name={lane.askedBy} />}
                        </>
                    )}
                    {inBackground(lane) && <> · ◌ background</>}
                </p>
                {lane.title && <p>Task: {lane.title}</p>}
                {lane.askedBy && <p class="timeline-note">(read only: @{lane.askedBy} owns this run)</p>}
            </header>
            <Items lane={lane} left={borders} rows={PAGE_ROWS} />
            <RunButtons lane={lane} page />
            <PageFoot lane={lane} />
        </article>
    );
}

/** More tabs than this are a list to pick from. */
const TABS_MOST = 12;

/** Runs beside each other instead of inside each other, for people who like that better. */
export function RunTabs({ lane }: { lane: Lane }) {
    const lanes = sortedLanes(data.value.lanes);
    const names = lanes
        .slice(0, 2000)
        .map(l => ({ id: l.lane, label: `${l.lane}${l.agent ? ` @${l.agent}` : ''}` }));
    return (
        <div class="timeline-tabs">
            {names.length <= TABS_MOST ? (
                <Tabs
                    label="Runs"
                    tabs={names}
                    active={lane.lane}
                    onPick={showLane}
                    controls="timeline-tab"
                />
            ) : (
                <Select
                    label="Run"
                    value={lane.lane}
                    options={names.map(n => ({ value: n.id, label: n.label }))}
                    onPick={showLane}
                />
            )}
            <div id="timeline-tab" role={names.length <= TABS_MOST ? 'tabpanel' : undefined}>
                {lane.parent === null ? (
                    <Items lane={lane} left={0} rows={PAGE_ROWS} />
                ) : (
                    <RunPage lane={lane} borders={0} />
                )}
            </div>
        </div>
    );
}
