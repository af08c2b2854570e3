import { useState } from 'preact/hooks';
import { getDiff, listThreadMessages } from '../../api/calls';
import type { Diff, MessageList } from '../../api/types';
import { Button, Loading, Select, TroubleBox } from '../../parts/parts';
import { useLoad } from '../shared/load';
import { useNarrow } from '../shared/narrow';
import { count } from '../shared/words';
import type { ChatPlace } from './acts';
import { data } from './data';
import { Brief, Briefs } from './messages';
import { blocksOf, operationText, type Block, type Changed, type Same, type Version } from './model';

const SHOWN_MOST = 100;

interface Pair {
    p: ChatPlace;
    from: Version;
    to: Version;
}

/** A run of messages that both versions hold; they are read when somebody wants to see them. */
function SameRun({ run, pair }: { run: Same; pair: Pair }) {
    const [open, setOpen] = useState(false);
    const { p, from, to } = pair;
    const thread = run.side === 'from' ? from.threadId : to.threadId;
    const near = run.after
        ? { after: run.after.messageId }
        : run.before
          ? { before: run.before.messageId }
          : {};
    const key = open
        ? `${thread} ${run.after?.messageId ?? ''} ${run.before?.messageId ?? ''} ${run.count}`
        : null;
    const got = useLoad<MessageList>(key, signal =>
        listThreadMessages(p.w, p.c, thread, { ...near, limit: Math.min(run.count, SHOWN_MOST) }, { signal }),
    );
    return (
        <div class="history-same">
            <button type="button" class="history-unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
                {count(run.count, 'same message')} <span aria-hidden="true">{open ? '▾' : '▸'}</span>
            </button>
            {open && got.value && <Briefs messages={got.value.data} label="The same in both" />}
            {open && got.trouble && <TroubleBox trouble={got.trouble} onRetry={got.reload} />}
            {open && run.count > SHOWN_MOST && <p class="history-note">and {run.count - SHOWN_MOST} more</p>}
        </div>
    );
}

function ChangedRun({ block, narrow, pair }: { block: Changed; narrow: boolean; pair: Pair }) {
    if (narrow) {
        return (
            <div class="history-changed">
                <Briefs messages={block.left} sign="−" label={`Only in ${pair.from.version}`} />
                <Briefs messages={block.right} sign="+" label={`Only in ${pair.to.version}`} />
            </div>
        );
    }
    return (
        <div class="history-columns">
            <div class="history-left">
                {block.left.map(m => (
                    <Brief key={m.messageId} m={m} sign="−" />
                ))}
            </div>
            <div class="history-right">
                {block.right.map(m => (
                    <Brief key={m.messageId} m={m} sign="+" />
                ))}
            </div>
        </div>
    );
}

function Blocks({ blocks, pair }: { blocks: Block[]; pair: Pair }) {
    const narrow = useNarrow();
    return (
        <div class="history-blocks">
            {!narrow && (
                <div class="history-columns history-columnheads">
                    <b>only in {pair.from.version}</b>
                    <b>only in {pair.to.version}</b>
                </div>
            )}
            {blocks.map((block, at) =>
                block.kind === 'same' ? (
                    <SameRun key={at} run={block} pair={pair} />
                ) : (
                    <ChangedRun key={at} block={block} narrow={narrow} pair={pair} />
                ),
            )}
        </div>
    );
}

function choices(versions: readonly Version[]) {
    return versions.map(v => ({
        value: v.threadId,
        label: `${v.version} ${operationText(v, data.value.cuts.get(v.threadId))}${v.current ? ' (now)' : ''}`,
    }));
}

/** What to compare a version with, until the person says otherwise: now, or what it was made from. */
export function otherVersion(v: Version): Version | undefined {
    const { versions } = data.value;
    const current = versions.find(o => o.current);
    if (current && current.threadId !== v.threadId) return current;
    return (
        versions.find(o => o.threadId === v.originalThread) ?? versions.find(o => o.threadId !== v.threadId)
    );
}

export function Compare({ p, v, onClose }: { p: ChatPlace; v: Version; onClose: () => void }) {
    const { versions } = data.value;
    const byId = (id: string) => versions.find(o => o.threadId === id);
    const first = otherVersion(v);
    const older = first && first.number < v.number ? first : v;
    const newer = older === v ? first : v;
    const [fromId, setFrom] = useState(older.threadId);
    const [toId, setTo] = useState(newer?.threadId ?? v.threadId);
    const from = byId(fromId),
        to = byId(toId);
    const diff = useLoad<Diff>(from && to ? `${fromId} ${toId} ${from.length} ${to.length}` : null, signal =>
        getDiff(p.w, p.c, toId, { from: fromId }, { signal }),
    );
    return (
        <section class="history-compare" aria-label="Compare two versions">
            <div class="history-comparehead">
                <Select label="Compare" value={fromId} options={choices(versions)} onPick={setFrom} />
                <Select label="with" value={toId} options={choices(versions)} onPick={setTo} />
                <Button small onClick={onClose}>
                    Close comparison
                </Button>
            </div>
            {diff.late && <Loading label="Comparing" rows={4} />}
            {diff.trouble && <TroubleBox trouble={diff.trouble} onRetry={diff.reload} />}
            {diff.value && diff.value.changes.length === 0 && (
                <p>Both hold the same {count(diff.value.same, 'message')}.</p>
            )}
            {diff.value && from && to && diff.value.changes.length > 0 && (
                <Blocks blocks={blocksOf(diff.value, from.length, to.length)} pair={{ p, from, to }} />
            )}
        </section>
    );
}
