import { AgentName, Empty } from '../../parts/parts';
import { state } from '../../store/store';
import { Link } from '../shared/link';
import { count } from '../shared/words';

interface AtWorkRow {
    world: string;
    agent: string;
    runs: number;
}

const RESTS = new Set(['idle', 'paused', 'failed']);

/** Who is at work in any world: of the open one by its events, of the others as they were last read. */
function atWork(): AtWorkRow[] {
    const known = state.value;
    const rows = new Map<string, AtWorkRow>();
    const add = (world: string, agent: string): void => {
        const row = rows.get(`${world}/${agent}`) ?? { world, agent, runs: 0 };
        rows.set(`${world}/${agent}`, { ...row, runs: row.runs + 1 });
    };
    for (const w of known.worlds) if (w.name !== known.open) for (const b of w.busy) add(w.name, b.agent);
    for (const a of Object.values(known.world?.agents ?? {}))
        if (!RESTS.has(a.state) && known.open) add(known.open, a.name);
    return [...rows.values()];
}

/** Nothing needs the person; working agents are named, with a link to each. */
export function AtWork() {
    const rows = atWork();
    const [first] = rows;
    const runs = rows.reduce((n, r) => n + r.runs, 0);
    const others = rows.length - 1;
    return (
        <Empty>
            <p>
                Nothing needs you.
                {first && (
                    <>
                        {' '}
                        @{first.agent}
                        {others > 0 ? ` and ${count(others, 'other')}` : ''} {others > 0 ? 'are' : 'is'}{' '}
                        working: {count(runs, 'run')}.
                    </>
                )}
                {!first && ' Nobody is working.'}
            </p>
            {rows.length > 0 && (
                <ul class="inbox-working">
                    {rows.map(r => (
                        <li key={`${r.world}/${r.agent}`}>
                            <Link to={{ kind: 'agent', w: r.world, a: r.agent }}>
                                <AgentName name={r.agent} /> in {r.world}
                            </Link>
                        </li>
                    ))}
                </ul>
            )}
        </Empty>
    );
}
