import { useEffect, useRef } from 'preact/hooks';
import { grouped } from '../shared/words';
import { data, picked } from './data';
import { layout, noteText, operationText, SHAPES, standing, wayToNow, type Spot } from './model';
import { fits, pickedVersion } from './version-list';

/** Older versions than these are in the list only. */
const DRAWN_MOST = 200;
const DOTS_MOST = 12;

/** On a wide page time goes right, on a narrow one down: words need the width there. */
interface Measure {
    across: boolean;
    step: number;
    lane: number;
    /** before the first and after the last, and beside the main line */
    margin: number;
    edge: number;
}

const WIDE: Measure = { across: true, step: 152, lane: 82, margin: 60, edge: 28 };
const TALL: Measure = { across: false, step: 48, lane: 24, margin: 26, edge: 46 };
/** Room for the words beside a picture that goes down. */
const WORDS_WIDE = 180;

function at(s: Spot, m: Measure): { x: number; y: number } {
    const along = m.margin + s.order * m.step,
        aside = m.edge + s.lane * m.lane;
    return m.across ? { x: along, y: aside } : { x: aside, y: along };
}

/** From the version it was made from: half a step along, then across to its lane, so that no line runs through words. */
function Edge({ spot, m, expanded }: { spot: Spot; m: Measure; expanded: boolean }) {
    if (!spot.from) return null;
    const a = at(spot.from, m),
        b = at(spot, m);
    const straight = spot.from.lane === spot.lane;
    const half = m.step / 2;
    const bend = straight
        ? `M${a.x} ${a.y}L${b.x} ${b.y}`
        : m.across
          ? `M${a.x} ${a.y}h${half}V${b.y}H${b.x}`
          : `M${a.x} ${a.y}v${half}H${b.x}V${b.y}`;
    const many = spot.said ?? 0;
    const dots = expanded && straight ? Math.min(many, DOTS_MOST) : 0;
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    return (
        <g>
            <path class={`history-edge${many > 0 && straight ? ' history-thick' : ''}`} d={bend} />
            {Array.from({ length: dots }, (_, n) => {
                const part = (n + 1) / (dots + 1);
                return (
                    <circle
                        key={n}
                        class="history-dot"
                        r={2.5}
                        cx={a.x + (b.x - a.x) * part}
                        cy={a.y + (b.y - a.y) * part}
                    />
                );
            })}
            {many > 0 && straight && (
                <text
                    class="history-said"
                    x={m.across ? middle.x : middle.x - 8}
                    y={m.across ? middle.y - 8 : middle.y + 4}
                    text-anchor={m.across ? 'middle' : 'end'}
                >
                    +{many}
                </text>
            )}
        </g>
    );
}

function cut(text: string, most: number): string {
    return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

interface NodeProps {
    spot: Spot;
    m: Measure;
    way: ReadonlySet<string>;
    dim: boolean;
    /** where words begin in a picture that goes down: right of all lines */
    words: number;
}

function Node({ spot, m, way, dim, words }: NodeProps) {
    const { x, y } = at(spot, m);
    const s = standing(spot.v, way);
    const here = pickedVersion()?.threadId === spot.v.threadId;
    const note = noteText(spot.v);
    const name = s === 'now' ? `${spot.v.version} now` : spot.v.version;
    const more = cut(note ? `“${note}”` : operationText(spot.v, data.value.cuts.get(spot.v.threadId)), 18);
    return (
        <g
            class={`history-node history-${s}${here ? ' history-here' : ''}${dim ? ' history-dim' : ''}`}
            data-version={spot.v.version}
            onClick={() => {
                picked.value = spot.v.threadId;
            }}
        >
            {/* A target as large as a finger, around a mark as small as a dot. */}
            <rect
                class="history-target"
                x={m.across ? x - 52 : x - 16}
                y={y - 18}
                width={m.across ? 104 : words - x + WORDS_WIDE}
                height={m.across ? 66 : 36}
                rx={6}
            />
            <circle class="history-mark" cx={x} cy={y} r={8} />
            {s === 'now' && <circle class="history-core" cx={x} cy={y} r={4} />}
            {m.across ? (
                <>
                    <text class="history-label" x={x} y={y + 26} text-anchor="middle">
                        {name}
                    </text>
                    <text class="history-label history-muted" x={x} y={y + 41} text-anchor="middle">
                        {more}
                    </text>
                </>
            ) : (
                <text class="history-label" x={words} y={y + 4}>
                    {name} <tspan class="history-muted">{more}</tspan>
                </text>
            )}
        </g>
    );
}

/** The picture of the versions. It says nothing that the list does not say, and needs no dragging. */
export function Graph({ narrow, expanded, words }: { narrow: boolean; expanded: boolean; words: string }) {
    const { versions, first } = data.value;
    const box = useRef<HTMLDivElement>(null);
    const m = narrow ? TALL : WIDE;
    const way = wayToNow(versions);
    const spots = layout(versions.slice(0, DRAWN_MOST), first);
    const lanes = Math.max(0, ...spots.map(s => s.lane)) + 1;
    const long = m.margin * 2 + Math.max(0, spots.length - 1) * m.step;
    const wordsAt = m.edge + lanes * m.lane;
    const broad = m.across ? 24 + lanes * m.lane : wordsAt + WORDS_WIDE;
    const spot = spots.find(s => s.v.threadId === pickedVersion()?.threadId);
    useEffect(() => {
        const view = box.current;
        if (!view || !spot) return;
        const { x, y } = at(spot, m);
        if (m.across && (x < view.scrollLeft + 60 || x > view.scrollLeft + view.clientWidth - 60))
            view.scrollLeft = x - view.clientWidth / 2;
        if (y > view.scrollTop + view.clientHeight - 60 || y < view.scrollTop)
            view.scrollTop = y - view.clientHeight / 2;
    }, [spot?.v.threadId, spots.length, narrow]);
    const label = `${grouped(versions.length)} versions. ${spot ? `${spot.v.version} is picked, ${SHAPES[standing(spot.v, way)].word}.` : ''} The list says the same.`;
    return (
        <div ref={box} class="history-graph" tabIndex={0} role="group" aria-label="Graph of the versions">
            <svg
                role="img"
                aria-label={label}
                width={m.across ? long : broad}
                height={m.across ? broad : long}
            >
                {spots.map(s => (
                    <Edge key={s.v.threadId} spot={s} m={m} expanded={expanded} />
                ))}
                {spots.map(s => (
                    <Node
                        key={s.v.threadId}
                        spot={s}
                        m={m}
                        way={way}
                        dim={!fits(s.v, words)}
                        words={wordsAt}
                    />
                ))}
            </svg>
        </div>
    );
}
