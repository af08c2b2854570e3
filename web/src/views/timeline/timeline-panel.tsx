// timeline-panel.tsx: all runs at a glance: who is inside whom, how long each took, and what it cost.

import { useState } from 'preact/hooks';
import { AgentName, Button, duration } from '../../parts/parts';
import { place } from '../../store/place';
import { grouped } from '../shared/words';
import { Bars, type Bar } from './bars';
import { elapsed } from './box';
import { data } from './data';
import { allSpent, endOf, sortedLanes, startOf, stateOf, STATES, tokensText, type Lane } from './model';
import { now, pageLane, showLane } from './state';
import './timeline.css';

/** More than this say nothing at a glance. */
const RUNS_MOST = 60;

function RunList({ lanes }: { lanes: Lane[] }) {
    return (
        <ul class="timeline-runs">
            {lanes.slice(0, RUNS_MOST).map(lane => (
                <li key={lane.lane} style={{ paddingInlineStart: `${Math.min(lane.depth, 6) * 12}px` }}>
                    <button
                        type="button"
                        class="timeline-runlink"
                        aria-current={lane.lane === pageLane() ? 'page' : undefined}
                        onClick={() => showLane(lane.lane)}
                    >
                        <span class="timeline-lane">{lane.lane}</span>
                        {lane.agent && <AgentName name={lane.agent} />}
                    </button>
                    {lane.delegation && (
                        <span class={`timeline-state timeline-${stateOf(lane)}`}>
                            <span aria-hidden="true">{STATES[stateOf(lane)].shape}</span>
                            <span class="visually-hidden">{STATES[stateOf(lane)].word}</span> {elapsed(lane)}
                        </span>
                    )}
                </li>
            ))}
            {lanes.length > RUNS_MOST && (
                <li class="timeline-note">and {grouped(lanes.length - RUNS_MOST)} more</li>
            )}
        </ul>
    );
}

/** One bar for each run. */
function expanded(lanes: Lane[]): Bar[] {
    return lanes.slice(0, RUNS_MOST).map(lane => ({
        name: lane.lane,
        spans: [{ from: startOf(lane), to: endOf(lane, now.value) }],
        state: stateOf(lane),
    }));
}

/** One bar for each agent, over all its runs. */
function aggregated(lanes: Lane[]): Bar[] {
    const byAgent = new Map<string, Bar>();
    for (const lane of lanes) {
        const name = lane.agent ? `@${lane.agent}` : lane.lane;
        const bar = byAgent.get(name) ?? { name, spans: [], state: 'done' as const };
        bar.spans.push({ from: startOf(lane), to: endOf(lane, now.value) });
        byAgent.set(name, bar);
    }
    return [...byAgent.values()].slice(0, RUNS_MOST);
}

export function TimelinePanel() {
    const [together, setTogether] = useState(false);
    const lanes = sortedLanes(data.value.lanes);
    if (place.value.kind !== 'chat' || !data.value.loaded)
        return <section class="timeline-panel" aria-label="Runs" />;
    const spent = allSpent(data.value.spent);
    const main = lanes[0];
    return (
        <section class="timeline-panel" aria-label="Runs">
            <h2>Run</h2>
            <RunList lanes={lanes} />
            <h3>Time</h3>
            <Bars bars={together ? aggregated(lanes) : expanded(lanes)} />
            <div class="timeline-acts">
                <Button small pressed={together} onClick={() => setTogether(true)}>
                    Aggregated
                </Button>
                <Button small pressed={!together} onClick={() => setTogether(false)}>
                    Expanded
                </Button>
            </div>
            <dl class="timeline-figures">
                <div>
                    <dt>Runs</dt>
                    <dd>{grouped(Math.max(0, lanes.length - 1))}</dd>
                </div>
                <div>
                    <dt>Tokens</dt>
                    <dd>{tokensText(spent, grouped)}</dd>
                </div>
                <div>
                    <dt>Calls</dt>
                    <dd>{grouped(spent.calls)}</dd>
                </div>
                {main && main.items.length > 0 && (
                    <div>
                        <dt>From first to last</dt>
                        <dd>{duration(endOf(main, now.value) - startOf(main))}</dd>
                    </div>
                )}
            </dl>
        </section>
    );
}
