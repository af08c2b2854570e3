import { useState } from 'preact/hooks';
import { getDiff } from '../../api/calls';
import type { Diff, Message, Move } from '../../api/types';
import { AgentName, Button, TroubleBox } from '../../parts/parts';
import { state } from '../../store/store';
import { AwayNote, isAway } from '../shared/away';
import { useLoad } from '../shared/load';
import { count, firstLine } from '../shared/words';
import { becomeCurrent, branchFrom, preview, tryTravel, type ChatPlace } from './acts';
import { SquashFacts, Summaries } from './covers';
import { data } from './data';
import { Briefs } from './messages';
import { cutOf, isCut, noteText, operationText, ownChanges, whoText, type Version } from './model';
import { when } from './version-list';

function Change({ sign, messages }: { sign: '−' | '+'; messages: Message[] }) {
    const [open, setOpen] = useState(false);
    if (messages.length === 0) return null;
    return (
        <li class={sign === '−' ? 'history-gone' : 'history-come'}>
            <button type="button" class="history-unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
                <span class="history-sign" aria-hidden="true">
                    {sign}
                </span>
                <span class="visually-hidden">{sign === '−' ? 'removed' : 'added'} </span>
                {whoText(messages)}
                {messages.length === 1 && !open && ` “${firstLine(messages[0]!.content, 60)}”`}{' '}
                <span aria-hidden="true">{open ? '▾' : '▸'}</span>
            </button>
            {open && <Briefs messages={messages} sign={sign} label={sign === '−' ? 'Removed' : 'Added'} />}
        </li>
    );
}

/** What a version changed of the one it was made from. */
function Changes({ diff, v }: { diff: Diff; v: Version }) {
    const changes = ownChanges(v, diff, isCut(v) ? cutOf(v, diff) : undefined);
    const gone = changes.flatMap(c => (c.kind !== 'moved' && c.before ? [c.before] : []));
    const come = changes.flatMap(c => (c.kind !== 'moved' && c.after ? [c.after] : []));
    const moved = changes.filter(c => c.kind === 'moved').length;
    return (
        <>
            <p class="history-note">Compared with {v.originalVersion}, which it was made from:</p>
            <ul class="history-changes">
                <Change sign="−" messages={gone} />
                <Change sign="+" messages={come} />
                {moved > 0 && <li>{count(moved, 'message')} moved</li>}
                <li class="history-note">{count(diff.same, 'same message')}</li>
            </ul>
        </>
    );
}

export function sideEffectsText(n: number): string {
    const calls = count(n, 'tool call');
    return `${calls} after this point may have changed files. Going back does not undo ${n === 1 ? 'it' : 'them'}.`;
}

/** What going there means, named before it is done. */
export function SideEffects({ p, v }: { p: ChatPlace; v: Version }) {
    const key = v.current ? null : `${v.threadId} ${data.value.versions.find(o => o.current)?.threadId}`;
    const got = useLoad<Move>(key, signal => tryTravel(p.w, p.c, v.threadId, signal));
    const n = got.value?.sideEffects ?? 0;
    return n > 0 ? <p class="history-effects">{sideEffectsText(n)}</p> : null;
}

function CompareButton({ v, onClick }: { v: Version; onClick: () => void }) {
    const why = data.value.versions.length > 1 ? null : 'There is only one version.';
    return (
        <Button small why={why} onClick={onClick} label={`Compare ${v.version}`}>
            Compare
        </Button>
    );
}

/** `short`: above the bottom bar of a telephone there is room for few words. */
export function VersionButtons({
    v,
    onCompare,
    short,
}: {
    v: Version;
    onCompare?: () => void;
    short?: boolean;
}) {
    const locked = state.value.readOnly;
    return (
        <div class="history-acts">
            <Button small onClick={() => preview(v)} label={`Preview ${v.version}`}>
                Preview
            </Button>
            <Button
                small
                kind="main"
                disabled={locked}
                off={v.current || isAway()}
                onClick={() => void becomeCurrent(v)}
                label={`Make current: ${v.version}`}
            >
                Make current
            </Button>
            <Button
                small
                disabled={locked}
                off={isAway()}
                onClick={() => void branchFrom(v)}
                label={`Branch from here, ${v.version}`}
            >
                {short ? 'Branch' : 'Branch from here'}
            </Button>
            {onCompare && <CompareButton v={v} onClick={onCompare} />}
            <AwayNote />
        </div>
    );
}

export interface DetailProps {
    p: ChatPlace;
    v: Version;
    onCompare: () => void;
    /** the other buttons stand elsewhere */
    bare?: boolean;
}

export function Detail({ p, v, onCompare, bare }: DetailProps) {
    const diff = useLoad<Diff>(
        v.originalThread === null ? null : v.threadId,
        signal => getDiff(p.w, p.c, v.threadId, {}, { signal }),
        v.length,
    );
    const squash = data.value.squashes.get(v.threadId);
    const cut = data.value.cuts.get(v.threadId);
    const note = noteText(v, cut);
    return (
        <section class="history-detail" aria-label={`Version ${v.version}`}>
            <h2>
                {v.version} <span class="history-op">{operationText(v, cut)}</span>
                <span class="history-note">
                    {' '}
                    by {v.by === 'human' ? 'you' : <AgentName name={v.by} />} · {when(v.createdAt)}
                    {v.current && ' · now'}
                </span>
            </h2>
            {note && <p>“{note}”</p>}
            {v.originalThread === null && (
                <p>The conversation began here. {count(v.length, 'message')} in it.</p>
            )}
            {diff.trouble && !diff.value && (
                <TroubleBox
                    trouble={diff.trouble}
                    onRetry={diff.reload}
                    safe="Other versions can still be read."
                />
            )}
            {diff.value && <Changes key={v.threadId} diff={diff.value} v={v} />}
            {squash && (
                <SquashFacts key={squash.squashOperationId} w={p.w} squash={squash} diff={diff.value} />
            )}
            <Summaries key={`s${v.threadId}`} w={p.w} c={p.c} v={v} />
            <SideEffects p={p} v={v} />
            {bare ? (
                <div class="history-acts">
                    <CompareButton v={v} onClick={onCompare} />
                </div>
            ) : (
                <VersionButtons v={v} onCompare={onCompare} />
            )}
        </section>
    );
}
