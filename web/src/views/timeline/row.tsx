import type { ComponentChildren } from 'preact';
import type { Item } from '../../api/types';
import { AgentName, clock, duration } from '../../parts/parts';
import { ArgLines, argLines } from '../shared/args';
import { notRun } from '../shared/not-run';
import { squashTitle } from '../shared/squashes';
import { Unanswered } from '../shared/unanswered';
import { firstLine, grouped, unfinished } from '../shared/words';
import { data } from './data';
import { callText, stateOf, textOf, type Lane } from './model';
import { doing, found, isUnfolded, match, now, toggleRow, words } from './state';

/** More of a text than this is behind a button: a tool may answer with a megabyte. */
const SHOWN_MOST = 20_000;

function At({ at }: { at: string | null }) {
    return <span class="timeline-at">{at ? clock(at, true) : ''}</span>;
}

function Who({ item }: { item: Item }) {
    const squash = data.value.squashes.get(item.messageId ?? '');
    if (squash) return <b class="timeline-squash">{squashTitle(squash)}</b>;
    const name = item.sender;
    if (!name) return null;
    return name === 'human' ? <b class="timeline-you">You</b> : <AgentName name={name} />;
}

/** A text that may be long: as much as can be read, the rest on demand. */
export function Long({ id, text, lines = 3 }: { id: string; text: string; lines?: number }) {
    const whole = isUnfolded(`${id}/whole`);
    const long = text.length > lines * 110 || text.split('\n', lines + 1).length > lines;
    const shown = whole ? text.slice(0, SHOWN_MOST) : text.slice(0, lines * 400);
    return (
        <>
            <span
                class={`timeline-text${long ? ' timeline-long' : ''}${whole || !long ? '' : ' timeline-cut'}`}
            >
                {shown}
            </span>
            {long && (
                <button type="button" class="timeline-more" onClick={() => toggleRow(`${id}/whole`)}>
                    {whole ? 'less' : 'more'}
                    <span class="visually-hidden"> of this text</span>
                </button>
            )}
        </>
    );
}

interface LineProps {
    item: Item;
    kind: string;
    children: ComponentChildren;
    /** what it is: a task, a tool, a result; else the sender stands there */
    label?: string;
}

function Line({ item, kind, children, label }: LineProps) {
    const hit = words.value !== '' && found.value.some(f => f.item === item.id);
    const here = match.value !== null && match.value === item.id;
    return (
        <li
            class={`timeline-row timeline-${kind}${hit ? ' timeline-hit' : ''}${here ? ' timeline-match' : ''}`}
            data-item={item.id ?? undefined}
        >
            <At at={item.at} />
            <span class="timeline-what">
                {label ? <span class="timeline-label">{label}</span> : <Who item={item} />}
            </span>
            <div class="timeline-body">{children}</div>
        </li>
    );
}

function Part({ id, title, text }: { id: string; title: string; text: string }) {
    return (
        <div class="timeline-part">
            <span class="timeline-label">{title}</span>
            <pre class="timeline-pre" tabIndex={0} aria-label={title}>
                {isUnfolded(`${id}/all`) ? text : text.slice(0, SHOWN_MOST)}
            </pre>
            {text.length > SHOWN_MOST && !isUnfolded(`${id}/all`) && (
                <button type="button" class="timeline-more" onClick={() => toggleRow(`${id}/all`)}>
                    all {grouped(text.length)} characters
                </button>
            )}
        </div>
    );
}

function pretty(value: unknown): string {
    return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

interface ToolState {
    shape: string;
    word: string;
    took: string;
}

function toolState(item: Item, lane: Lane): ToolState {
    const began = Date.parse(item.at ?? '');
    if (item.result) {
        const took = Date.parse(item.result.at ?? '') - began;
        const shown = took >= 0 ? duration(took) : '';
        if (item.result.success) return { shape: '✓', word: 'done', took: shown };
        const why = notRun(item.result.error ?? textOf(item.result.output));
        return why === null
            ? { shape: '✕', word: 'failed', took: shown }
            : { shape: '–', word: why === 'denied' ? why : 'not run', took: '' };
    }
    const run = doing.value.tools[item.call?.callId ?? ''];
    const goes = run?.state === 'running' || stateOf(lane) === 'running' || item.delegation != null;
    if (!goes) return { shape: '○', word: 'no result', took: '' };
    return { shape: '●', word: 'running', took: began ? duration(Math.max(0, now.value - began)) : '' };
}

/** One argument stands in the call; several have a line each. */
function CallWords({ call }: { call: Item['call'] }) {
    if (!call) return null;
    if (argLines(call.input).length < 2)
        return <span class="timeline-call">{callText(call.toolName, call.input)}</span>;
    return (
        <>
            <span class="timeline-call">{call.toolName}</span>
            <ArgLines args={call.input} />
        </>
    );
}

/** A call and its result are one row, whatever other runs say in between. */
function ToolRow({ item, lane }: { item: Item; lane: Lane }) {
    const id = item.id ?? '';
    const open = isUnfolded(id);
    const { shape, word, took } = toolState(item, lane);
    const call = item.call;
    const extra = item.duplicates?.length ?? 0;
    const why =
        item.result && !item.result.success
            ? firstLine(item.result.error ?? textOf(item.result.output), 80)
            : '';
    return (
        <Line item={item} kind="tool" label="tool">
            <button
                type="button"
                class="timeline-toggle"
                data-stop="row"
                aria-expanded={open}
                onClick={() => toggleRow(id)}
            >
                <span class={`timeline-shape timeline-${word.replace(' ', '-')}`} aria-hidden="true">
                    {shape}
                </span>
                <span class="visually-hidden">{word}: </span>
                <CallWords call={call} />
                {why && <span class="timeline-why">{why}</span>}
                {extra > 0 && <span class="timeline-note">+{extra} more results</span>}
            </button>
            <span class="timeline-took">{took}</span>
            {open && (
                <div class="timeline-parts">
                    <Part id={`${id}/in`} title="input" text={pretty(call?.input)} />
                    {item.result && (
                        <Part
                            id={`${id}/out`}
                            title="output"
                            text={pretty(item.result.error ?? item.result.output)}
                        />
                    )}
                </div>
            )}
        </Line>
    );
}

function HandRow({ item, lane }: { item: Item; lane: Lane }) {
    const input = (item.call?.input ?? {}) as { agent?: unknown; title?: unknown; task?: unknown };
    const { took } = toolState(item, lane);
    const title = textOf(input.title) || firstLine(textOf(input.task), 60);
    return (
        <Line item={item} kind="hand">
            <span>
                delegate → {input.agent ? <AgentName name={textOf(input.agent)} /> : item.delegation}{' '}
                {title && `“${title}”`}
            </span>
            {item.guessed && (
                <span class="timeline-note" title="Recorded before calls were linked to runs">
                    ~ linked by time
                </span>
            )}
            {!item.delegation && <span class="timeline-took">{took}</span>}
        </Line>
    );
}

function ThinkingRow({ item }: { item: Item }) {
    const id = item.id ?? '';
    const open = isUnfolded(id);
    return (
        <Line item={item} kind="thinking">
            <button
                type="button"
                class="timeline-toggle"
                data-stop="row"
                aria-expanded={open}
                onClick={() => toggleRow(id)}
            >
                <span class="timeline-note">thinking</span>
                {!open && (
                    <span class="timeline-call timeline-note">{firstLine(item.content ?? '', 80)}</span>
                )}
            </button>
            {open && (
                <div class="timeline-parts">
                    <Part id={id} title="thinking" text={item.content ?? ''} />
                </div>
            )}
        </Line>
    );
}

/** What a summary covers unfolds where it stands. */
function SummaryRow({ item }: { item: Item }) {
    return (
        <Line item={item} kind="summary" label="summary">
            <Long id={item.id ?? ''} text={item.content ?? ''} lines={2} />
        </Line>
    );
}

function isResult(item: Item, lane: Lane): boolean {
    return lane.parent !== null && stateOf(lane) === 'done' && item === lane.items[lane.items.length - 1];
}

export function TimelineRow({ item, lane }: { item: Item; lane: Lane }) {
    switch (item.kind) {
        case 'tool_execution':
            return item.delegation || item.call?.toolName === 'delegate' ? (
                <HandRow item={item} lane={lane} />
            ) : (
                <ToolRow item={item} lane={lane} />
            );
        case 'thinking':
            return <ThinkingRow item={item} />;
        case 'summary':
            return <SummaryRow item={item} />;
        case 'orphan_result':
            return (
                <Line item={item} kind="tool" label="result">
                    <Long id={item.id ?? ''} text={`without its call: ${itemOutput(item)}`} />
                </Line>
            );
        case 'user_message':
            return (
                <Line item={item} kind="task" label={lane.parent === null ? undefined : 'task'}>
                    <Long id={item.id ?? ''} text={item.content ?? ''} />
                    <Unanswered id={item.messageId} of="timeline" />
                </Line>
            );
        default:
            return (
                <Line item={item} kind="said" label={isResult(item, lane) ? 'result' : undefined}>
                    <Long id={item.id ?? ''} text={item.content ?? ''} />
                    {item.unfinished && <span class="timeline-note">({unfinished(item.unfinished)})</span>}
                    <Unanswered id={item.messageId} of="timeline" />
                </Line>
            );
    }
}

function itemOutput(item: Item): string {
    return item.content ?? (item.result ? textOf(item.result.output) : '');
}
