// history-view.tsx: every version of a conversation, and the ways between them.

import { useEffect, useState } from 'preact/hooks';
import { getCurrentThread } from '../../api/calls';
import type { CurrentThread } from '../../api/types';
import { useCommands, type Command } from '../../keys/commands';
import { Button, Empty, Field, IconButton, Loading, TroubleBox } from '../../parts/parts';
import { place } from '../../store/place';
import { state } from '../../store/store';
import { redoLast, undoLast } from '../frame/actions';
import { isAway } from '../shared/away';
import { useLoad } from '../shared/load';
import { useNarrow } from '../shared/narrow';
import { becomeCurrent, branchFrom, preview, type ChatPlace } from './acts';
import { Compare } from './compare';
import { data, follow, picked, readAgain } from './data';
import { Detail, VersionButtons } from './detail';
import { Graph } from './graph';
import { pickedVersion, VersionList } from './version-list';
import './history.css';

/** To the version made just before or after the one that is picked. */
function stepInTime(by: 1 | -1): void {
    const v = pickedVersion();
    const all = [...data.value.versions].sort((a, b) => a.number - b.number);
    const next = v ? all[all.findIndex(o => o.threadId === v.threadId) + by] : undefined;
    if (next) picked.value = next.threadId;
}

/** To another version that was made from the same one. */
function stepBeside(by: 1 | -1): void {
    const v = pickedVersion();
    if (!v) return;
    const siblings = data.value.versions
        .filter(o => o.originalThread === v.originalThread)
        .sort((a, b) => a.number - b.number);
    const next =
        siblings[
            (siblings.findIndex(o => o.threadId === v.threadId) + by + siblings.length) % siblings.length
        ];
    if (next) picked.value = next.threadId;
}

/** A button that has the focus keeps Enter and Space for itself. */
function onButton(): boolean {
    const active = document.activeElement;
    return (
        active instanceof HTMLElement &&
        active.matches('button:not(.history-entry), a, summary, input, select')
    );
}

function commands(compare: () => void): Command[] {
    const where = 'History';
    const on = (
        id: string,
        title: string,
        keys: string[],
        run: () => void,
        needs?: () => boolean,
    ): Command => ({ id: `history.${id}`, title, keys, where, run, needs, onButton: true });
    const withPicked = (run: (v: NonNullable<ReturnType<typeof pickedVersion>>) => void) => () => {
        const v = pickedVersion();
        if (v) run(v);
    };
    return [
        on('older', 'Older version', ['ArrowLeft', 'j'], () => stepInTime(-1)),
        on('newer', 'Newer version', ['ArrowRight', 'k'], () => stepInTime(1)),
        on('beside', 'Next sibling version', ['ArrowDown'], () => stepBeside(1)),
        on('besideBack', 'Previous sibling version', ['ArrowUp'], () => stepBeside(-1)),
        on('preview', 'Preview this version', ['Space'], withPicked(preview), () => !onButton()),
        on(
            'current',
            'Make this version current',
            ['Enter'],
            withPicked(v => void becomeCurrent(v)),
            () => !onButton(),
        ),
        on(
            'branch',
            'Branch from this version',
            ['b'],
            withPicked(v => void branchFrom(v)),
        ),
        on('compare', 'Compare this version', ['Shift+c'], compare, () => data.value.versions.length > 1),
    ];
}

interface ToolsProps {
    p: ChatPlace;
    narrow: boolean;
    graph: boolean;
    setGraph: (on: boolean) => void;
    expanded: boolean;
    setExpanded: (on: boolean) => void;
    words: string;
    setWords: (words: string) => void;
}

/** Whether there is something to undo and to redo: asked again whenever the conversation moved or grew. */
function useWays({ w, c }: ChatPlace): CurrentThread | null {
    const { versions, total } = data.value;
    const now = versions.find(v => v.current);
    return useLoad<CurrentThread>(
        `${w}/${c}`,
        signal => getCurrentThread(w, c, { signal }),
        `${now?.threadId} ${now?.length} ${total}`,
    ).value;
}

function Tools(t: ToolsProps) {
    const locked = state.value.readOnly;
    const ways = useWays(t.p);
    return (
        <div class="history-tools">
            <div class="history-acts" role="group" aria-label="How versions are shown">
                <Button small pressed={t.graph} onClick={() => t.setGraph(true)}>
                    Graph
                </Button>
                <Button small pressed={!t.graph} onClick={() => t.setGraph(false)}>
                    List
                </Button>
            </div>
            {t.graph && (
                <div class="history-acts" role="group" aria-label="Messages in the graph">
                    <Button small pressed={!t.expanded} onClick={() => t.setExpanded(false)}>
                        Aggregated
                    </Button>
                    <Button small pressed={t.expanded} onClick={() => t.setExpanded(true)}>
                        Expanded
                    </Button>
                </div>
            )}
            <Field
                label="Find"
                type="search"
                hideLabel={t.narrow}
                placeholder={t.narrow ? 'Find a version' : undefined}
                value={t.words}
                onInput={t.setWords}
                maxLength={200}
            />
            <div class="history-acts history-undo">
                <IconButton
                    label="Undo"
                    icon="undo"
                    keys="z"
                    disabled={locked}
                    off={isAway()}
                    why={ways?.canUndo === false ? 'There is nothing to undo.' : null}
                    onClick={() => void undoLast()}
                />
                <IconButton
                    label="Redo"
                    icon="redo"
                    keys="Shift z"
                    disabled={locked}
                    off={isAway()}
                    why={ways?.canRedo === false ? 'There is nothing to redo.' : null}
                    onClick={() => void redoLast()}
                />
            </div>
        </div>
    );
}

function OneVersion() {
    return (
        <Empty>
            <p>One version. Edit, delete, squash or branch to make another.</p>
        </Empty>
    );
}

function Hints() {
    return (
        <p class="history-hints">
            <kbd>←</kbd> <kbd>→</kbd> older, newer · <kbd>↑</kbd> <kbd>↓</kbd> siblings · <kbd>Space</kbd>{' '}
            preview · <kbd>Enter</kbd> make current · <kbd>b</kbd> branch · <kbd>Shift c</kbd> compare
        </p>
    );
}

function Versions({ p }: { p: ChatPlace }) {
    const narrow = useNarrow();
    const [graphWanted, setGraph] = useState<boolean | null>(null);
    const [expanded, setExpanded] = useState(false);
    const [words, setWords] = useState('');
    const [comparing, setComparing] = useState(false);
    const graph = graphWanted ?? !narrow;
    const v = pickedVersion();
    const { versions, loaded, trouble } = data.value;
    useCommands(commands(() => setComparing(true)));
    if (!loaded)
        return trouble ? (
            <TroubleBox trouble={trouble} onRetry={readAgain} />
        ) : (
            <Loading label="Loading the versions" rows={5} />
        );
    return (
        <>
            <Tools {...{ p, narrow, graph, setGraph, expanded, setExpanded, words, setWords }} />
            <div class="history-scroll">
                {versions.length === 1 && <OneVersion />}
                {graph ? (
                    <Graph narrow={narrow} expanded={expanded} words={words} />
                ) : (
                    <VersionList words={words} />
                )}
                {v &&
                    (comparing && versions.length > 1 ? (
                        <Compare key={v.threadId} p={p} v={v} onClose={() => setComparing(false)} />
                    ) : (
                        <Detail p={p} v={v} bare={narrow} onCompare={() => setComparing(true)} />
                    ))}
                {trouble && (
                    <TroubleBox trouble={trouble} onRetry={readAgain} safe="This view may be out of date." />
                )}
                <Hints />
            </div>
            {narrow && v && (
                <footer class="history-foot">
                    <b>{v.version}</b>
                    <VersionButtons v={v} short />
                </footer>
            )}
        </>
    );
}

export function HistoryView() {
    const p = place.value;
    const w = p.kind === 'chat' ? p.w : null,
        c = p.kind === 'chat' ? p.c : null,
        v = p.kind === 'chat' ? p.v : undefined;
    useEffect(() => (w !== null && c !== null ? follow(w, c) : undefined), [w, c]);
    useEffect(() => {
        if (v !== undefined) picked.value = v;
    }, [v]);
    if (p.kind !== 'chat') return null;
    return (
        <section class="history-view" aria-label="History">
            <Versions p={p} />
        </section>
    );
}
