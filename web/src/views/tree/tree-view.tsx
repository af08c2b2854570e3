// tree-view.tsx: what answers what, as a tree with one line per message.

import { useEffect } from 'preact/hooks';
import { useCommands, type Command } from '../../keys/commands';
import { Button, Empty, Loading, TroubleBox } from '../../parts/parts';
import { focused } from '../../store/focus';
import { go, place, type Place } from '../../store/place';
import { state } from '../../store/store';
import { grouped } from '../shared/words';
import { copyMermaid, ExportDialog } from './export';
import { follow, loading, readOn } from './data';
import {
    current,
    exporting,
    fold,
    goLeft,
    goRight,
    rows,
    show,
    step,
    toChild,
    toEdge,
    toParent,
    toSibling,
} from './state';
import { TreeGrid } from './tree-grid';
import { TreeTools } from './tree-tools';
import './tree.css';

type ChatPlace = Extract<Place, { kind: 'chat' }>;

function openInChat(p: ChatPlace, id: string): void {
    focused.value = id;
    go({ ...p, view: 'chat', m: id });
}

function commands(p: ChatPlace): Command[] {
    const where = 'Tree';
    const on = (id: string, title: string, keys: string[], run: () => void): Command => ({
        id: `tree.${id}`,
        title,
        keys,
        where,
        run,
    });
    return [
        on('next', 'Next row', ['j', 'ArrowDown'], () => step(1)),
        on('previous', 'Previous row', ['k', 'ArrowUp'], () => step(-1)),
        on('fold', 'Fold, or to the parent', ['ArrowLeft'], goLeft),
        on('unfold', 'Unfold, or to the first reply', ['ArrowRight'], goRight),
        on('parent', 'To the parent', ['p'], toParent),
        on('child', 'To the first reply', ['c'], toChild),
        on('sibling', 'To the next sibling', ['s'], toSibling),
        on('first', 'First row', ['Home'], () => toEdge(false)),
        on('last', 'Last row', ['End'], () => toEdge(true)),
        on('open', 'Open in chat', ['Enter'], () => {
            const row = current();
            if (row) openInChat(p, row.leaf.id);
        }),
        on('export', 'Export this branch', ['e'], () => {
            exporting.value = { root: current()?.leaf.id ?? null, mermaid: false };
        }),
        on(
            'mermaid',
            'Copy this branch as Mermaid',
            ['y'],
            () => void copyMermaid(p, current()?.leaf.id ?? null),
        ),
    ];
}

function Progress() {
    const { had, total, trouble, paused } = loading.value;
    if (trouble)
        return (
            <TroubleBox
                trouble={{ ...trouble, title: 'Could not load all replies' }}
                safe="The replies shown here are usable."
                onRetry={readOn}
            />
        );
    if (had === null || had === 0) return null;
    return (
        <p class="tree-progress" role="status">
            {grouped(had)} of {grouped(total)} messages are here.
            {paused && (
                <Button small onClick={readOn}>
                    Load more
                </Button>
            )}
        </p>
    );
}

function Nothing() {
    if (loading.value.had === 0)
        return loading.value.trouble ? null : <Loading label="Loading the threads" rows={6} />;
    if (loading.value.total === 0)
        return (
            <Empty>
                <p>No replies yet. Threads appear when an agent answers.</p>
            </Empty>
        );
    return (
        <Empty>
            <p>No message matches this filter.</p>
            <Button
                onClick={() => {
                    show.value = 'all';
                }}
            >
                Show all threads
            </Button>
        </Empty>
    );
}

function Foot({ p }: { p: ChatPlace }) {
    const row = current();
    const offline = state.value.connection.state === 'offline';
    return (
        <footer class="tree-foot">
            {row && (
                <div class="tree-acts">
                    <Button small onClick={() => openInChat(p, row.leaf.id)}>
                        Open in chat
                    </Button>
                    <Button small disabled={row.leaf.parent === null} onClick={toParent}>
                        Parent
                    </Button>
                    {row.open !== null && (
                        <Button small onClick={() => fold(row.leaf.id, row.open === true)}>
                            {row.open ? 'Fold' : 'Unfold'}
                        </Button>
                    )}
                    <Button
                        small
                        onClick={() => {
                            exporting.value = { root: row.leaf.id, mermaid: false };
                        }}
                    >
                        Export branch
                    </Button>
                </div>
            )}
            {offline && loading.value.had !== null && (
                <p class="tree-keys">Offline: the rest is not loaded.</p>
            )}
            <p class="tree-keys tree-hints">
                <kbd>j</kbd> <kbd>k</kbd> move · <kbd>←</kbd> <kbd>→</kbd> fold · <kbd>p</kbd> parent ·{' '}
                <kbd>c</kbd> child · <kbd>s</kbd> sibling · <kbd>Enter</kbd> open in chat · <kbd>e</kbd>{' '}
                export branch · <kbd>y</kbd> copy Mermaid
            </p>
        </footer>
    );
}

function ChatTree({ p }: { p: ChatPlace }) {
    useEffect(() => follow(p.w, p.c, p.v ?? null), [p.w, p.c, p.v]);
    useEffect(() => {
        if (p.m) focused.value = p.m;
    }, [p.m]);
    useCommands(commands(p));
    const wanted = exporting.value;
    return (
        <section class="tree-view" aria-label="Reply threads">
            <TreeTools />
            {rows.value.length > 0 ? (
                <TreeGrid label="Reply threads" onOpen={id => openInChat(p, id)} />
            ) : (
                <Nothing />
            )}
            <Progress />
            {rows.value.length > 0 && <Foot p={p} />}
            {wanted && (
                <ExportDialog
                    w={p.w}
                    c={p.c}
                    v={p.v ?? null}
                    root={wanted.root}
                    mermaid={wanted.mermaid}
                    onClose={() => {
                        exporting.value = null;
                    }}
                />
            )}
        </section>
    );
}

export function TreeView() {
    const p = place.value;
    return p.kind === 'chat' ? <ChatTree p={p} /> : null;
}
