// phases.tsx: how far a running edit is.
import { useComputed } from '@preact/signals';
import { Button } from '../../parts/parts';
import { chat } from '../../store/store';
import { grouped, messages } from '../shared/words';
import { progress, type Progress } from './progress';
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
            ? 'Messages that the server has already removed are restored.'
            : 'Meanwhile, edit and remove are off in this conversation.';
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
