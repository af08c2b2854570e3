import { computed } from '@preact/signals';
import { AgentName, clock, duration } from '../../parts/parts';
import { state } from '../../store/store';
import { data } from './data';
import { stateOf, type Lane } from './model';
import { doing, now } from './state';

const away = computed(() => state.value.connection.state === 'offline');

/** The end of what is being written: that is where it changes. */
function tail(text: string): string {
    const flat = text.replace(/\s+/g, ' ').trimStart();
    return flat.length > 90 ? `…${flat.slice(flat.indexOf(' ', flat.length - 90) + 1)}` : flat;
}

function lines(lane: Lane): { who: string; what: string; quote: string }[] {
    const { live, tools } = doing.value;
    const found = Object.values(live)
        .filter(l => l.lane === lane.lane)
        .map(l => ({
            who: l.agent,
            what: l.text ? 'writing…' : l.thinking ? 'thinking…' : 'waiting for the model',
            quote: tail(l.text || l.thinking),
        }));
    for (const run of Object.values(tools)) {
        if (run.lane !== lane.lane || run.state !== 'running' || run.toolName === 'delegate') continue;
        found.push({
            who: '',
            what: `using ${run.toolName}`,
            quote: duration(Math.max(0, now.value - Date.parse(run.startedAt))),
        });
    }
    if (found.length > 0) return found;
    const child = lane.children.find(name => {
        const below = data.value.lanes.get(name);
        return below && stateOf(below) === 'running' && below.delegation?.waited !== false;
    });
    const who = lane.agent ?? data.value.lanes.get(child ?? '')?.askedBy ?? '';
    if (child) return [{ who, what: `waiting for ${child}`, quote: '' }];
    return stateOf(lane) === 'running' && lane.delegation?.agent
        ? [{ who, what: 'working…', quote: '' }]
        : [];
}

/** What goes on in a run just now. It changes in place and is not read out by itself. */
export function LiveLine({ lane }: { lane: Lane }) {
    const all = lines(lane);
    if (all.length === 0) return null;
    return (
        <div class="timeline-live" aria-live="off">
            {all.map((one, at) => (
                <p key={at} class="timeline-livelines">
                    {one.who !== '' && <AgentName name={one.who} />}{' '}
                    <span class="timeline-label">{one.what}</span>
                    {one.quote !== '' && <span class="timeline-quote"> {one.quote}</span>}
                    {away.value && <span class="timeline-note"> last heard {clock(data.value.heardAt)}</span>}
                </p>
            ))}
        </div>
    );
}
