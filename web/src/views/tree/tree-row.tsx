import { AgentName, clock } from '../../parts/parts';
import { chat } from '../../store/store';
import { focused } from '../../store/focus';
import { Unanswered } from '../shared/unanswered';
import { firstLine, unfinished } from '../shared/words';
import { BARS, type Row } from './model';
import { fold } from './state';

export function rowId(id: string): string {
    return `tree-${id}`;
}

/** The words that were found, marked where they stand. */
export function Marked({ text, words }: { text: string; words: string }) {
    const wanted = words.trim().toLowerCase();
    const at = wanted ? text.toLowerCase().indexOf(wanted) : -1;
    if (at < 0) return <>{text}</>;
    // What is left of the match is shortened, so that the match is on screen in a narrow row too.
    const from = at > 40 ? text.lastIndexOf(' ', at - 24) + 1 : 0;
    return (
        <>
            {from > 0 && '…'}
            {text.slice(from, at)}
            <mark>{text.slice(at, at + wanted.length)}</mark>
            {text.slice(at + wanted.length)}
        </>
    );
}

/** The bars of the levels above, at most six; deeper rows say their depth. */
function Bars({ row }: { row: Row }) {
    const bars = Math.min(row.level - 1, BARS);
    return (
        <span class="tree-bars" aria-hidden="true">
            {Array.from({ length: bars }, (_, at) => {
                const goesOn = (row.lines >> at) & 1;
                const own = at === row.level - 2;
                return (
                    <i
                        key={at}
                        class={own ? (goesOn ? 'tree-tee' : 'tree-corner') : goesOn ? 'tree-bar' : ''}
                    />
                );
            })}
        </span>
    );
}

function Sender({ row }: { row: Row }) {
    const { leaf } = row;
    if (leaf.squash) return <b class="tree-you">Squash</b>;
    if (leaf.sender === 'human') return <b class="tree-you">You</b>;
    return <AgentName name={leaf.sender} />;
}

function Writing({ id }: { id: string }) {
    const agents = Object.values(chat.value?.live ?? {}).filter(l => l.replyTo === id && l.lane === 'main');
    if (agents.length === 0) return null;
    return <span class="tree-writing">● {agents.map(a => a.agent).join(', ')} writing</span>;
}

function text(row: Row): string {
    const line = firstLine(row.leaf.text, 400).replace(/\s+/g, ' ');
    return row.leaf.role === 'tool'
        ? `result: ${line}`
        : row.leaf.role === 'summary'
          ? `summary: ${line}`
          : line;
}

function Notes({ row }: { row: Row }) {
    const { leaf } = row;
    return (
        <>
            {row.level - 1 > BARS && <span class="tree-note">depth {row.level}</span>}
            {leaf.orphan && (
                <span class="tree-note tree-orphan">! reply to a message not in this version</span>
            )}
            {leaf.memoryOnly && <span class="tree-note">(in-memory, no reply)</span>}
            {leaf.unfinished && <span class="tree-note">({unfinished(leaf.unfinished)})</span>}
            {leaf.parent === null && !leaf.orphan && !leaf.squash && leaf.role === 'assistant' && (
                <span class="tree-note">(started by agent)</span>
            )}
            {leaf.tools > 0 && (
                <span class="tree-note tree-calls">
                    {leaf.tools === 1 ? '1 call' : `${leaf.tools} calls`}
                </span>
            )}
        </>
    );
}

export interface TreeRowProps {
    row: Row;
    index: number;
    height: number;
    words: string;
    onOpen: (id: string) => void;
}

export function TreeRow({ row, index, height, words, onOpen }: TreeRowProps) {
    const { leaf } = row;
    const here = focused.value === leaf.id;
    const toggle = (event: MouseEvent) => {
        event.stopPropagation();
        focused.value = leaf.id;
        fold(leaf.id, row.open === true);
    };
    return (
        <div
            id={rowId(leaf.id)}
            role="row"
            class={`tree-row${here ? ' tree-here' : ''}${row.dim ? ' tree-dim' : ''}`}
            style={{ height: `${height}px` }}
            aria-rowindex={index + 1}
            aria-level={row.level}
            aria-posinset={row.pos}
            aria-setsize={row.size}
            aria-expanded={row.open ?? undefined}
            aria-selected={here}
            onClick={() => {
                focused.value = leaf.id;
            }}
            onDblClick={() => onOpen(leaf.id)}
        >
            <span role="gridcell" class="tree-main">
                <Bars row={row} />
                {row.open === null ? (
                    <span class="tree-twist" />
                ) : (
                    <span
                        class="tree-twist tree-button"
                        aria-hidden="true"
                        onClick={toggle}
                        title={row.open ? 'Fold' : 'Unfold'}
                    >
                        {row.open ? '▾' : '▸'}
                    </span>
                )}
                <Sender row={row} />
                <span class={`tree-text${leaf.role === 'tool' ? ' tree-result' : ''}`}>
                    <Marked text={text(row)} words={words} />
                </span>
                <Notes row={row} />
                <Unanswered id={leaf.id} of="tree" />
                <Writing id={leaf.id} />
            </span>
            <span role="gridcell" class="tree-time">
                {clock(leaf.at)}
            </span>
            <span role="gridcell" class="tree-count">
                {leaf.below > 0 && (
                    <>
                        <span aria-hidden="true">·{leaf.below}</span>
                        <span class="visually-hidden">{leaf.below} below</span>
                    </>
                )}
            </span>
        </div>
    );
}
