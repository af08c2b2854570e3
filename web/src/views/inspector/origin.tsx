import { useState } from 'preact/hooks';
import { getJob, getSquash, getThread, rerunSquash, travel } from '../../api/calls';
import type { Result } from '../../api/client';
import type { Job, Message, Squash } from '../../api/types';
import { AgentName, Badge, Button, day, Empty, Time, toast, TroubleBox } from '../../parts/parts';
import { refreshChat, state } from '../../store/store';
import { AwayNote, isAway } from '../shared/away';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { squashTitle } from '../shared/squashes';
import { count } from '../shared/words';
import type { PartProps } from './saw';

const DELIVERED: Record<string, { shape: string; words: string }> = {
    queued: { shape: '◌', words: 'queued for this agent' },
    inMemory: { shape: '○', words: 'has it in memory, no reply' },
    answered: { shape: '✓', words: 'answered' },
    failed: { shape: '✕', words: 'could not answer' },
};

/** Which agents have the message, and its state at each. */
export function DeliveryPart({ w, looked }: PartProps) {
    if (!looked.message)
        return (
            <Empty>
                <p>This call produced no message.</p>
            </Empty>
        );
    const others = looked.seenBy.filter(name => !looked.delivery.some(d => d.agent === name));
    return (
        <>
            {looked.delivery.length === 0 && others.length === 0 && (
                <p class="muted">No agent has this message.</p>
            )}
            <ul class="inspector-list">
                {looked.delivery.map(d => (
                    <li key={d.agent}>
                        <Link to={{ kind: 'agent', w, a: d.agent }}>
                            <AgentName name={d.agent} />
                        </Link>{' '}
                        {d.stoppedAt === undefined
                            ? `${DELIVERED[d.state]?.shape ?? ''} ${DELIVERED[d.state]?.words ?? d.state}`
                            : '✕ was stopped before it answered'}
                    </li>
                ))}
                {others.map(name => (
                    <li key={name}>
                        <Link to={{ kind: 'agent', w, a: name }}>
                            <AgentName name={name} />
                        </Link>{' '}
                        has it in memory
                    </li>
                ))}
            </ul>
        </>
    );
}

/** Where it comes from: who said it, what it stands for, which versions hold it. */
export function Origin({ w, looked }: PartProps) {
    const m = looked.message;
    if (!m)
        return (
            <Empty>
                <p>This call produced no message.</p>
            </Empty>
        );
    const toMessage = (id: string) => (
        <Link to={{ kind: 'chat', w, c: m.chatId, view: 'chat', m: id }}>#{id}</Link>
    );
    return (
        <>
            <dl class="inspector-facts">
                <div>
                    <dt>From</dt>
                    <dd>
                        {m.sender === 'human' ? 'You' : <AgentName name={m.sender} />} ({m.role}),{' '}
                        {day(m.createdAt)} <Time at={m.createdAt} seconds />
                    </dd>
                </div>
                <div>
                    <dt>Message</dt>
                    <dd>{toMessage(m.messageId)}</dd>
                </div>
                {m.model && (
                    <div>
                        <dt>Model</dt>
                        <dd>
                            {m.model}
                            {m.model.startsWith('demo/') && (
                                <>
                                    {' '}
                                    <Badge>scripted</Badge>
                                </>
                            )}
                            {m.model.startsWith('replay:') && (
                                <>
                                    {' '}
                                    <Badge>replayed</Badge>
                                </>
                            )}
                        </dd>
                    </div>
                )}
                <div>
                    <dt>Replies to</dt>
                    <dd>{m.replyToMessageId ? toMessage(m.replyToMessageId) : 'nothing'}</dd>
                </div>
                {m.originalIds && m.originalIds.length > 0 && (
                    <div>
                        <dt>Stands for</dt>
                        <dd>
                            {m.originalIds.map((id, i) => (
                                <>
                                    {i > 0 && ', '}
                                    {toMessage(id)}
                                </>
                            ))}
                        </dd>
                    </div>
                )}
                {m.instructions.length > 0 && (
                    <div>
                        <dt>Tags</dt>
                        <dd>
                            {m.instructions
                                .map(i => (i.target ? `${i.type} ${i.target}` : i.type))
                                .join(', ')}
                        </dd>
                    </div>
                )}
                {m.warnings.length > 0 && (
                    <div>
                        <dt>Warnings</dt>
                        <dd>{m.warnings.join(', ')}</dd>
                    </div>
                )}
                <div>
                    <dt>Versions</dt>
                    <dd>
                        <Versions w={w} message={m} looked={looked} />
                    </dd>
                </div>
            </dl>
            {m.squashOperationId && (
                <SquashOrigin
                    w={w}
                    id={m.squashOperationId}
                    chatId={m.chatId}
                    current={looked.versions.some(t => t.current)}
                />
            )}
        </>
    );
}

function Versions({ w, message, looked }: { w: string; message: Message } & Pick<PartProps, 'looked'>) {
    if (looked.versions.length === 0) return <>in no version</>;
    return (
        <>
            {looked.versions.map((t, i) => (
                <span key={t.threadId}>
                    {i > 0 && ', '}
                    <Link
                        to={{
                            kind: 'chat',
                            w,
                            c: message.chatId,
                            view: 'chat',
                            m: message.messageId,
                            ...(t.current || !t.threadId ? {} : { v: t.threadId }),
                        }}
                    >
                        {t.version}
                        {t.current ? ' (current)' : ''}
                    </Link>
                </span>
            ))}
        </>
    );
}

const POLL_MS = 400;
const POLL_MOST = 300;

/** Waits until a job is over. */
async function finished(id: string): Promise<Job | null> {
    for (let i = 0; i < POLL_MOST; i++) {
        const job = await getJob(id);
        if (!job.ok) return null;
        if (job.value.state !== 'running') return job.value;
        await new Promise(resolve => setTimeout(resolve, POLL_MS));
    }
    return null;
}

interface SquashProps {
    w: string;
    id: string;
    chatId: string;
    /** its result stands in the current version */
    current: boolean;
}

function SquashOrigin({ w, id, chatId, current }: SquashProps) {
    const read = useLoad<Squash>(`${w}/${id}`, signal => getSquash(w, id, { signal }));
    const [busy, setBusy] = useState(false);
    const [asking, setAsking] = useState(false);
    const s = read.value;

    /** Its sources have to be there: where its result stands, they are in the previous version. */
    async function goBack(): Promise<Result<unknown>> {
        const made = await getThread(w, chatId, s?.threadId ?? '');
        if (!made.ok) return made;
        return travel(w, chatId, { threadId: made.value.originalThread ?? '' }, { ifMatch: '*' });
    }
    async function again(): Promise<void> {
        setBusy(true);
        setAsking(false);
        const back = current ? await goBack() : null;
        const asked = back && !back.ok ? back : await rerunSquash(w, id, {});
        const job = asked.ok ? await finished(asked.value.id) : null;
        setBusy(false);
        if (job?.state === 'done') {
            toast({
                text: 'The squash was run again, in a new version. The previous version stays in History.',
                kind: 'ok',
            });
            await refreshChat();
        } else {
            const why = asked.ok
                ? String(job?.error?.detail ?? 'No answer came in time.')
                : asked.trouble.detail;
            toast({ text: `The squash was not run again. ${why}`, kind: 'error' });
        }
    }
    if (read.trouble) return <TroubleBox trouble={read.trouble} onRetry={read.reload} />;
    if (!s) return null;
    return (
        <section class="inspector-squash" aria-label="Squash">
            <h3>
                Squash {s.squashOperationId} ← {count(s.sourceMessageIds.length, 'message')}
            </h3>
            <p>{squashTitle(s)}.</p>
            {s.prompt && <p>Prompt: “{s.prompt}”</p>}
            <p>
                {s.sourceMessageIds.map((m, i) => (
                    <>
                        {i > 0 && ', '}
                        <Link to={{ kind: 'chat', w, c: chatId, view: 'chat', m }}>#{m}</Link>
                    </>
                ))}
            </p>
            {s.prompt && (
                <Button
                    small
                    busy={busy}
                    disabled={busy || state.value.readOnly}
                    off={isAway()}
                    onClick={() => (current ? setAsking(true) : void again())}
                >
                    Run again{current && '…'}
                </Button>
            )}
            {s.prompt && <AwayNote />}
            {asking && (
                <div class="inspector-ask" role="group" aria-label="Run the squash again">
                    <p>
                        This returns to the version before the squash and runs the squash again. What is here
                        now stays in History, and undo brings it back.
                    </p>
                    <Button small kind="main" onClick={() => void again()}>
                        Go back and run again
                    </Button>{' '}
                    <Button small onClick={() => setAsking(false)}>
                        Leave it
                    </Button>
                </div>
            )}
        </section>
    );
}
