// history-panel.tsx: all versions beside the picture, what they take, and a way to take them along.

import { useEffect } from 'preact/hooks';
import { Button } from '../../parts/parts';
import { place } from '../../store/place';
import { grouped } from '../shared/words';
import { exportHistory } from './acts';
import { data, follow } from './data';
import { SHAPES } from './model';
import { VersionList } from './version-list';
import './history.css';

function Storage() {
    const { versions, total } = data.value;
    const places = versions.reduce((sum, v) => sum + v.length, 0);
    return (
        <>
            <h3>Storage</h3>
            <p class="history-note">
                {grouped(places)} places in {grouped(total)} {total === 1 ? 'list' : 'lists'}. No text is
                stored twice. Results of tools are counted as messages.
            </p>
        </>
    );
}

export function HistoryPanel() {
    const p = place.value;
    const w = p.kind === 'chat' ? p.w : null,
        c = p.kind === 'chat' ? p.c : null;
    useEffect(() => (w !== null && c !== null ? follow(w, c) : undefined), [w, c]);
    return (
        <section class="history-panel" aria-label="Versions">
            {data.value.loaded && (
                <>
                    <h2>Versions</h2>
                    <VersionList />
                    <p class="history-note history-legend">
                        {(['way', 'side'] as const).map(s => (
                            <span key={s}>
                                <span aria-hidden="true">{SHAPES[s].shape}</span> {SHAPES[s].word}
                            </span>
                        ))}
                    </p>
                    <Storage />
                    <Button onClick={() => void exportHistory()}>Export history</Button>
                </>
            )}
        </section>
    );
}
