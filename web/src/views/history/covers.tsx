// covers.tsx: what a squash or a summary stands for, unfolded where it stands.

import { useState } from 'preact/hooks';
import { getMessage, listSummaries, listThreadMessages } from '../../api/calls';
import type { Result } from '../../api/client';
import type { Diff, Message, MessageList, Squash, SummaryList } from '../../api/types';
import { Button, Dialog, TextArea, TroubleBox } from '../../parts/parts';
import { state } from '../../store/store';
import { isAway } from '../shared/away';
import { useLoad } from '../shared/load';
import { squashTitle } from '../shared/squashes';
import { count } from '../shared/words';
import { runAgain } from './acts';
import type { Version } from './model';
import { Briefs } from './messages';

const SHOWN_MOST = 100;

async function sources(
    w: string,
    squash: Squash,
    diff: Diff | null,
    signal: AbortSignal,
): Promise<Result<Message[]>> {
    const known = new Map(
        (diff?.changes ?? []).flatMap(c => (c.before ? [[c.before.messageId, c.before] as const] : [])),
    );
    const found: Message[] = [];
    for (const id of squash.sourceMessageIds.slice(0, SHOWN_MOST)) {
        const have = known.get(id);
        if (have) {
            found.push(have);
            continue;
        }
        const answer = await getMessage(w, id, {}, { signal });
        if (!answer.ok) return answer;
        found.push(answer.value);
    }
    return { ok: true, value: found, status: 200, etag: null };
}

function Sources({ w, squash, diff }: { w: string; squash: Squash; diff: Diff | null }) {
    const got = useLoad<Message[]>(squash.squashOperationId, signal => sources(w, squash, diff, signal));
    if (got.trouble) return <TroubleBox trouble={got.trouble} onRetry={got.reload} />;
    return got.value ? <Briefs messages={got.value} label="What the squash stands for" /> : null;
}

function Again({ squash, onClose }: { squash: Squash; onClose: () => void }) {
    const [prompt, setPrompt] = useState(squash.prompt ?? '');
    const run = async () => {
        if (await runAgain(squash.squashOperationId, prompt.trim())) onClose();
    };
    return (
        <Dialog
            title="Run again with another prompt"
            onClose={onClose}
            actions={
                <>
                    <Button kind="main" disabled={!prompt.trim()} onClick={() => void run()}>
                        Run again
                    </Button>
                    <Button onClick={onClose}>Cancel</Button>
                </>
            }
        >
            <TextArea
                label="Prompt"
                value={prompt}
                onInput={setPrompt}
                rows={4}
                maxLength={10_000}
                autoFocus
            />
            <p class="history-note">The answer makes another version. Nothing is lost.</p>
        </Dialog>
    );
}

export function SquashFacts({ w, squash, diff }: { w: string; squash: Squash; diff: Diff | null }) {
    const [open, setOpen] = useState(false);
    const [again, setAgain] = useState(false);
    const n = squash.sourceMessageIds.length;
    return (
        <div class="history-covers">
            {squash.prompt && <p>Prompt: “{squash.prompt}”</p>}
            <p class="history-note">{squashTitle(squash)}.</p>
            <div class="history-acts">
                <button
                    type="button"
                    class="history-unfold"
                    aria-expanded={open}
                    onClick={() => setOpen(!open)}
                >
                    from {count(n, 'message')} {open ? '▾' : '▸'}
                </button>
                {squash.prompt && (
                    <Button
                        small
                        disabled={state.value.readOnly}
                        off={isAway()}
                        onClick={() => setAgain(true)}
                    >
                        Run again with another prompt
                    </Button>
                )}
            </div>
            {open && <Sources w={w} squash={squash} diff={diff} />}
            {again && <Again squash={squash} onClose={() => setAgain(false)} />}
        </div>
    );
}

function Covered({ w, c, v, most }: { w: string; c: string; v: Version; most: number }) {
    const got = useLoad<MessageList>(`${v.threadId} ${most}`, signal =>
        listThreadMessages(w, c, v.threadId, { limit: Math.min(most, SHOWN_MOST) }, { signal }),
    );
    if (got.trouble) return <TroubleBox trouble={got.trouble} onRetry={got.reload} />;
    if (!got.value) return null;
    return (
        <>
            <Briefs messages={got.value.data} label="What the summary covers" />
            {most > SHOWN_MOST && <p class="history-note">and {most - SHOWN_MOST} more</p>}
        </>
    );
}

/** The summaries in a version: each says how much it stands for. */
export function Summaries({ w, c, v }: { w: string; c: string; v: Version }) {
    const [open, setOpen] = useState<string | null>(null);
    const got = useLoad<SummaryList>(`${v.threadId} summaries`, signal =>
        listSummaries(w, c, { threadId: v.threadId, limit: 20 }, { signal }),
    );
    const all = got.value?.data ?? [];
    if (all.length === 0) return null;
    return (
        <div class="history-covers">
            {all.map(s => (
                <div key={s.messageId}>
                    <p>Summary of {count(s.covers, 'earlier message')}</p>
                    <Briefs messages={[s]} label="Summary" />
                    <button
                        type="button"
                        class="history-unfold"
                        aria-expanded={open === s.messageId}
                        onClick={() => setOpen(open === s.messageId ? null : s.messageId)}
                    >
                        the {count(s.covers, 'message')} it covers {open === s.messageId ? '▾' : '▸'}
                    </button>
                    {open === s.messageId && <Covered w={w} c={c} v={v} most={s.covers} />}
                </div>
            ))}
        </div>
    );
}
