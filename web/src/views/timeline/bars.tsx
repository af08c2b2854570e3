import type { RunState } from './model';
import { STATES } from './model';
import { duration } from '../../parts/parts';

export interface Bar {
    name: string;
    spans: { from: number; to: number }[];
    state: RunState;
}

const WIDTH = 240;
const NAMES = 84;
const ROW = 22;
/** Something that was quick is still something. */
const LEAST = 2;

/** The whole is from the first delegation to the last end; a main run of days would leave nothing to see. */
export function range(bars: readonly Bar[]): { from: number; to: number } {
    const inner = bars.filter(b => b.name !== 'main');
    const spans = (inner.length > 0 ? inner : bars).flatMap(b => b.spans).filter(s => s.from > 0);
    const from = Math.min(...spans.map(s => s.from)),
        to = Math.max(...spans.map(s => s.to));
    return spans.length === 0 ? { from: 0, to: 1 } : { from, to: Math.max(to, from + 1) };
}

function Span({
    bar,
    from,
    to,
    at,
    whole,
}: {
    bar: Bar;
    from: number;
    to: number;
    at: number;
    whole: { from: number; to: number };
}) {
    const scale = (WIDTH - NAMES) / (whole.to - whole.from);
    const left = Math.max(0, Math.min(WIDTH - NAMES - LEAST, (from - whole.from) * scale));
    const right = Math.max(left + LEAST, Math.min(WIDTH - NAMES, (to - whole.from) * scale));
    return (
        <rect
            class={`timeline-bar timeline-bar-${bar.state}`}
            x={NAMES + left}
            y={at * ROW + 6}
            width={right - left}
            height={10}
            rx={2}
        />
    );
}

function barWords(b: Bar): string {
    const took = b.spans.reduce((sum, s) => sum + s.to - s.from, 0);
    const known = took > 0 || (b.state !== 'interrupted' && b.state !== 'cancelled');
    return `${b.name} ${STATES[b.state].word}${known ? ` ${duration(took)}` : ''}`;
}

/** Which run took which part of the time. The list beside it says the same in words. */
export function Bars({ bars }: { bars: Bar[] }) {
    const whole = range(bars);
    const words = bars.map(barWords);
    return (
        <svg
            class="timeline-bars"
            role="img"
            aria-label={`Time: ${words.slice(0, 20).join('; ')}`}
            viewBox={`0 0 ${WIDTH} ${Math.max(1, bars.length) * ROW}`}
            width="100%"
        >
            {bars.map((bar, at) => (
                <g key={bar.name}>
                    <text class="timeline-barname" x={0} y={at * ROW + 15}>
                        {bar.name.length > 12 ? `${bar.name.slice(0, 5)}…${bar.name.slice(-6)}` : bar.name}
                    </text>
                    <line
                        class="timeline-barline"
                        x1={NAMES}
                        x2={WIDTH}
                        y1={at * ROW + 11}
                        y2={at * ROW + 11}
                    />
                    {bar.spans.map((s, n) => (
                        <Span key={n} bar={bar} from={s.from} to={s.to} at={at} whole={whole} />
                    ))}
                </g>
            ))}
        </svg>
    );
}
