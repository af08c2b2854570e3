// tree-panel.tsx: the threads in numbers, as the server counts them, and ways to take them along.

import { useEffect, useState } from 'preact/hooks';
import { getAnalytics } from '../../api/calls';
import type { Stats } from '../../api/types';
import { AgentName, Button, duration, TroubleBox } from '../../parts/parts';
import { focused } from '../../store/focus';
import { place } from '../../store/place';
import { useLoad } from '../shared/load';
import { firstLine, grouped } from '../shared/words';
import { loading, tree } from './data';
import { medianReply, rootOf } from './model';
import { exporting, reveal } from './state';
import './tree.css';

/** While messages come quickly the numbers wait for a moment of rest. */
const REST_MS = 800;

function useSettled(tick: number): number {
    const [settled, setSettled] = useState(tick);
    useEffect(() => {
        const timer = setTimeout(() => setSettled(tick), REST_MS);
        return () => clearTimeout(timer);
    }, [tick]);
    return settled;
}

function who(name: string) {
    return name === 'human' ? <b class="tree-you">You</b> : <AgentName name={name} />;
}

function Figures({ stats }: { stats: Stats }) {
    const median = loading.value.had === null ? medianReply(tree()) : null;
    const figures: [string, string][] = [
        ['Messages', grouped(stats.messages)],
        ['Threads', grouped(stats.threads)],
        ['Deepest', grouped(stats.depth)],
        ['Unanswered', grouped(stats.unanswered)],
        ['Median reply', median === null ? '–' : duration(median)],
    ];
    return (
        <dl class="tree-figures">
            {figures.map(([name, value]) => (
                <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                </div>
            ))}
        </dl>
    );
}

function Busiest({ stats }: { stats: Stats }) {
    const most = stats.busiest.filter(b => b.messages > 1).slice(0, 5);
    if (most.length === 0) return null;
    return (
        <>
            <h3>Most replies</h3>
            <ul class="tree-list">
                {most.map(b => (
                    <li key={b.root.messageId}>
                        <button type="button" class="tree-link" onClick={() => reveal(b.root.messageId)}>
                            {b.root.squashOperationId ? <b class="tree-you">Squash</b> : who(b.root.sender)}{' '}
                            <span class="tree-cut">“{firstLine(b.root.content, 60)}”</span>
                        </button>
                        <span class="tree-number">{grouped(b.messages - 1)}</span>
                    </li>
                ))}
            </ul>
        </>
    );
}

function Answers({ stats }: { stats: Stats }) {
    if (stats.answers.length === 0) return null;
    return (
        <>
            <h3>Who answers whom</h3>
            <ul class="tree-list">
                {stats.answers.slice(0, 12).map(a => (
                    <li key={`${a.who} ${a.whom}`}>
                        <span class="tree-pair">
                            {who(a.who)} <span aria-hidden="true">←</span>
                            <span class="visually-hidden">answers</span> {who(a.whom)}
                        </span>
                        <span class="tree-number">{grouped(a.count)}</span>
                    </li>
                ))}
            </ul>
        </>
    );
}

export function TreePanel() {
    const p = place.value;
    const tick = useSettled(loading.value.tick);
    const key = p.kind === 'chat' ? `${p.w}/${p.c}/${p.v ?? ''}` : null;
    const stats = useLoad<Stats>(
        key,
        signal => {
            if (p.kind !== 'chat') throw new Error('there is no conversation');
            return getAnalytics(p.w, p.c, { threadId: p.v }, { signal });
        },
        tick,
    );
    const root = focused.value === null ? null : rootOf(tree(), focused.value);
    return (
        <section class="tree-panel" aria-label="Thread numbers">
            <h2>Analytics</h2>
            {stats.trouble && !stats.value && <TroubleBox trouble={stats.trouble} onRetry={stats.reload} />}
            {stats.value && (
                <>
                    <Figures stats={stats.value} />
                    <Busiest stats={stats.value} />
                    <Answers stats={stats.value} />
                </>
            )}
            <div class="tree-acts">
                <Button
                    onClick={() => {
                        exporting.value = { root, mermaid: true };
                    }}
                >
                    Mermaid
                </Button>
                <Button
                    onClick={() => {
                        exporting.value = { root, mermaid: false };
                    }}
                >
                    Export
                </Button>
            </div>
            <p class="tree-keys">
                {root === null
                    ? 'For the whole conversation; select a row for one thread.'
                    : 'For the selected thread.'}
            </p>
        </section>
    );
}
