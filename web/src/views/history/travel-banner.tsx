// travel-banner.tsx: says that an older version is on screen, and leads on, back, or to now.

import { useEffect } from 'preact/hooks';
import { useCommands } from '../../keys/commands';
import { Banner, Button, Icon } from '../../parts/parts';
import { place } from '../../store/place';
import { shownVersion, state } from '../../store/store';
import { useLoad } from '../shared/load';
import { count, grouped } from '../shared/words';
import { backToNow, becomeCurrent, branchFrom, preview, tryTravel, type ChatPlace } from './acts';
import { data, follow } from './data';
import { sideEffectsText } from './detail';
import type { Move } from '../../api/types';
import { laterText, type Version } from './model';
import { when } from './version-list';
import './history.css';

function Later({ p, v }: { p: ChatPlace; v: Version }) {
    const { versions } = data.value;
    const now = versions.find(o => o.current);
    const move = useLoad<Move>(
        v.threadId,
        signal => tryTravel(p.w, p.c, v.threadId, signal),
        `${now?.threadId} ${now?.length}`,
    ).value;
    const later = [
        laterText(versions, v, data.value.cuts),
        move?.leaving ? count(move.leaving, 'message') : '',
    ]
        .filter(Boolean)
        .join(', ');
    return (
        <>
            {later && <> Later: {later}.</>}
            {move?.sideEffects ? <> {sideEffectsText(move.sideEffects)}</> : null}
        </>
    );
}

function Buttons({ v, before, after }: { v: Version; before?: Version; after?: Version }) {
    const locked = state.value.readOnly;
    return (
        <>
            <Button small disabled={!before} onClick={() => before && preview(before)}>
                ← {before?.version ?? 'older'}
            </Button>
            <Button small disabled={!after} onClick={() => after && preview(after)}>
                {after?.version ?? 'newer'} →
            </Button>
            <Button small kind="main" disabled={locked} onClick={() => void becomeCurrent(v)}>
                Make {v.version} current
            </Button>
            <Button small disabled={locked} onClick={() => void branchFrom(v)}>
                Branch from {v.version}
            </Button>
            <Button small onClick={backToNow}>
                Back to now <kbd>Esc</kbd>
            </Button>
        </>
    );
}

function Unknown({ id }: { id: string }) {
    return (
        <Banner
            kind="warn"
            actions={
                <Button small onClick={backToNow}>
                    Back to now <kbd>Esc</kbd>
                </Button>
            }
        >
            This conversation has no version {id}.
        </Banner>
    );
}

function Looking({ p, id }: { p: ChatPlace; id: string }) {
    useEffect(() => follow(p.w, p.c), [p.w, p.c]);
    useCommands([
        { id: 'travel.now', title: 'Back to now', keys: ['Escape'], where: 'Time travel', run: backToNow },
    ]);
    const { versions, loaded, total } = data.value;
    const v = versions.find(o => o.threadId === id);
    if (!v) return loaded ? <Unknown id={id} /> : null;
    const inOrder = [...versions].sort((a, b) => a.number - b.number);
    const at = inOrder.indexOf(v);
    return (
        <div class="travel-banner">
            <Banner
                kind="info"
                label="Older version"
                actions={<Buttons v={v} before={inOrder[at - 1]} after={inOrder[at + 1]} />}
            >
                <span class="travel-icon">
                    <Icon name="history" />
                </span>
                You are looking at {v.version} of {grouped(total)} ({when(v.createdAt)}). Read only.
                <Later p={p} v={v} />
            </Banner>
        </div>
    );
}

/** The version of the address may have become the current one, here or elsewhere: then there is nothing to say. */
export function TravelBanner() {
    const p = place.value;
    const v = shownVersion.value;
    return p.kind === 'chat' && v !== null ? <Looking p={p} id={v} /> : null;
}
