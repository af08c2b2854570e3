// phases.tsx: how far a running edit is, and the agents whose memory it could not change.
import { useComputed } from '@preact/signals';
import { listEditErrors, retryEdit } from '../../api/calls';
import { Banner, Button, toast } from '../../parts/parts';
import { chat, world } from '../../store/store';
import { grouped, messages } from '../shared/words';
import { partial, progress, type Progress } from './progress';
import { cancel } from './run';

type Mark = 'done' | 'now' | 'later';
const shapes: Record<Mark, string> = { done: '✓', now: '◐', later: '○' };

export function Phases() {
    const now = progress.value;
    if (!now) return null;
    const order = ['removing', 'sending', 'responding'];
    const at = order.indexOf(now.step);
    const mark = (i: number): Mark => (i < at ? 'done' : i === at ? 'now' : 'later');
    const agents =
        now.agentsTotal > 0 ? `agents ${grouped(now.agentsDone)} of ${grouped(now.agentsTotal)}` : '';
    return (
        <section class="edit-phases" aria-label="Edit in progress" role="status">
            <ol>
                <Phase
                    mark={mark(0)}
                    text="Removing messages…"
                    detail={
                        at > 0
                            ? `${grouped(now.removed)} of ${grouped(now.removed)}${agents && `, ${agents}`}`
                            : agents
                    }
                />
                <Phase mark={mark(1)} text="Sending edited message…" detail="" />
                <Phase mark={mark(2)} text="Agents responding…" detail="" />
            </ol>
            <p class="edit-muted">{meanwhile(now)}</p>
            {now.step === 'removing' && (
                <Button off={now.cancelled} onClick={cancel}>
                    {now.cancelled ? 'Cancelling…' : 'Cancel'}
                </Button>
            )}
            {now.step === 'responding' && (
                <Button
                    kind="quiet"
                    onClick={() => {
                        progress.value = null;
                    }}
                >
                    Hide
                </Button>
            )}
        </section>
    );
}

/** What can still be done about it. */
function meanwhile({ step, removed, cancelled }: Progress): string {
    if (step === 'removing')
        return cancelled
            ? 'What the server has removed by now is put back.'
            : 'Edit and remove are off for the whole conversation meanwhile.';
    const gone = `${messages(removed)} ${removed === 1 ? 'is' : 'are'} removed.`;
    return step === 'sending'
        ? `${gone} If the new text cannot be sent, you can try again or put them back.`
        : `${gone} Undo puts them back.`;
}

const words: Record<Mark, string> = { done: 'done', now: 'running', later: 'waiting' };

function Phase({ mark, text, detail }: { mark: Mark; text: string; detail: string }) {
    return (
        <li class={`edit-phase edit-phase-${mark}`}>
            <span aria-hidden="true">{shapes[mark]}</span> {text}
            <span class="visually-hidden"> {words[mark]}</span>
            {detail && <span class="edit-phase-detail">{detail}</span>}
        </li>
    );
}

/** Another window's edit: this one may look on, and not begin one of its own. */
export function useEditing() {
    return useComputed(() => {
        const phase = chat.value?.edit?.phase;
        return (
            (progress.value !== null && progress.value.step !== 'responding') ||
            phase === 'removing' ||
            phase === 'resubmitting'
        );
    });
}

export function PartialFailure() {
    const now = partial.value;
    if (!now) return null;
    const failed = now.failed.map(f => `${f.agent ?? f.agentId} (${f.error})`).join(', ');
    return (
        <Banner
            kind="warn"
            actions={
                <>
                    {now.failed.map(f => (
                        <Button
                            key={f.agent ?? f.agentId}
                            onClick={() => void retry(f.agent ?? f.agentId ?? '')}
                        >
                            Retry {f.agent ?? f.agentId}
                        </Button>
                    ))}
                    <Button
                        kind="quiet"
                        onClick={() => {
                            partial.value = null;
                        }}
                    >
                        Put away
                    </Button>
                </>
            }
        >
            ⚠ Updated {now.done.join(', ') || 'nobody'}. Failed: {failed}.
        </Banner>
    );
}

async function retry(agent: string): Promise<void> {
    const w = world.value?.world.name;
    const now = partial.value;
    if (!w || !now) return;
    const errors = await listEditErrors(w);
    const one = errors.ok ? errors.value.data.find(e => e.messageId === now.messageId) : undefined;
    if (!errors.ok || !one) {
        toast({
            text: errors.ok ? 'This edit is no longer among the failed ones.' : errors.trouble.detail,
            kind: 'error',
        });
        return;
    }
    const answer = await retryEdit(w, one.id, { agents: [agent] });
    if (!answer.ok) {
        toast({ text: `${agent} could not be updated: ${answer.trouble.detail}`, kind: 'error' });
        return;
    }
    const left = now.failed.filter(f => (f.agent ?? f.agentId) !== agent);
    partial.value = left.length > 0 ? { ...now, done: [...now.done, agent], failed: left } : null;
}
