// failed.tsx: what could not be said keeps its place, with a way on.

import { useComputed } from '@preact/signals';
import type { Message } from '../../api/types';
import { AgentName, Button, Time, toast } from '../../parts/parts';
import { draft } from '../../store/drafts';
import type { Failed, Pending } from '../../store/state';
import { dismissFailed, dropPending, retryPending, world } from '../../store/store';
import { go } from '../../store/place';
import { startEdit } from '../edit/edit';
import { pageHint } from '../../api/page-hint';
import { lastSaid, stoppedWords } from '../shared/stopped';
import { askAgain, copyMarkdown } from './act';
import { Continue, canContinue } from './continue';
import { focusComposer } from './composer-focus';
import { painted } from './paint';
import { isScripted, shortModel } from './words';

async function retry(f: Failed, asked: Message): Promise<void> {
    if (await askAgain(asked, f.agent)) dismissFailed(f.messageId);
}

/** Whatever the server gives as the reason, it begins and ends like a sentence. */
function sentence(text: string): string {
    const whole = text.charAt(0).toUpperCase() + text.slice(1);
    return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}

/** What may help where the same question would fail again: another key, or another model for this agent. */
function OtherWays({ failed: f }: { failed: Failed }) {
    const w = world.value?.world.name;
    return (
        <>
            {/\bkey\b/i.test(f.detail) ? (
                <Button small onClick={() => go({ kind: 'settings', tab: 'models' })}>
                    Paste another key
                </Button>
            ) : null}
            {w !== undefined ? (
                <Button
                    small
                    kind="quiet"
                    onClick={() => go({ kind: 'agent', w, a: f.agent, tab: 'settings' })}
                >
                    Use another model
                </Button>
            ) : null}
        </>
    );
}

export function FailedRow({ failed: f }: { failed: Failed }) {
    const asked = useComputed(() => painted.value.shown.rows.find(m => m.messageId === f.replyTo)).value;
    const half = useComputed(() => {
        const said = lastSaid(f, painted.value.shown.rows);
        return said && canContinue(said) ? said : null;
    }).value;
    const hint = pageHint(f.hint);
    const words = useComputed(() => stoppedWords(f, painted.value.shown.rows)).value;
    return (
        <>
            <header class="chat-by">
                <h3>
                    <AgentName name={f.agent} /> <Time at={f.at} />
                </h3>
                <span class="chat-bad">{f.stopped ? '✕ stopped' : '✕ failed'}</span>
                {f.model ? (
                    <span class="chat-model">{isScripted(f.model) ? 'scripted' : shortModel(f.model)}</span>
                ) : null}
            </header>
            <p>{f.stopped ? `${f.agent} ${words}.` : sentence(f.detail)} Your message is kept.</p>
            {hint ? <p class="muted">{hint}</p> : null}
            <div class="chat-ways">
                {asked ? (
                    <Button small onClick={() => void retry(f, asked)}>
                        Retry
                    </Button>
                ) : null}
                {half ? <Continue message={half} /> : null}
                {asked ? (
                    <Button small kind="quiet" onClick={() => void startEdit(asked)}>
                        Edit
                    </Button>
                ) : null}
                {asked ? (
                    <Button small kind="quiet" onClick={() => copyMarkdown(asked)}>
                        Copy
                    </Button>
                ) : null}
                {f.stopped ? null : <OtherWays failed={f} />}
                <Button
                    small
                    kind="quiet"
                    label={`Hide the failure of ${f.agent}`}
                    onClick={() => dismissFailed(f.messageId)}
                >
                    Hide
                </Button>
            </div>
        </>
    );
}

function intoBox(p: Pending): void {
    const taken = dropPending(p.clientMessageId);
    const here = painted.peek().chat?.chat.id;
    if (!taken || !here) return;
    const own = draft(world.peek()?.world.name ?? '', here);
    const text = own.value.text.trim() === '' ? taken.content : `${taken.content}\n\n${own.value.text}`;
    own.value = { ...own.value, text, replyTo: taken.replyTo };
    focusComposer();
}

async function copyText(text: string): Promise<void> {
    try {
        await navigator.clipboard.writeText(text);
        toast({ text: 'The text is copied.' });
    } catch {
        toast({ text: 'The browser did not allow copying.', kind: 'warn' });
    }
}

/** A refusal for what it is: the same words would be refused again. Waiting, or another order, may help with these. */
const MAY_WORK = new Set([408, 409, 423, 429]);

export function canRetry(p: Pending): boolean {
    const status = p.state === 'failed' ? (p.trouble?.status ?? 0) : 0;
    return status < 400 || status >= 500 || MAY_WORK.has(status);
}

const WORDS = {
    sending: 'sending…',
    waiting: 'will be sent when the server is back',
    failed: '✕ not sent',
} as const;

export function PendingRow({ pending: p }: { pending: Pending }) {
    return (
        <>
            <header class="chat-by">
                <h3>
                    <span class="chat-you">You</span> <Time at={p.at} />
                </h3>
                <span class={p.state === 'failed' ? 'chat-bad' : 'chat-sending'}>{WORDS[p.state]}</span>
            </header>
            <p class="chat-pending-text" dir="auto">
                {p.content}
            </p>
            {p.state === 'failed' && p.trouble ? (
                <p class="chat-bad">
                    {canRetry(p) ? '' : 'The server does not accept this text: '}
                    {p.trouble.detail} {p.trouble.hint ?? ''}
                </p>
            ) : null}
            {p.state === 'sending' ? null : (
                <div class="chat-ways">
                    {canRetry(p) ? (
                        <Button small onClick={() => retryPending(p.clientMessageId)}>
                            Retry
                        </Button>
                    ) : null}
                    <Button small kind="quiet" onClick={() => intoBox(p)}>
                        Edit
                    </Button>
                    <Button small kind="quiet" onClick={() => void copyText(p.content)}>
                        Copy
                    </Button>
                    {p.state === 'failed' ? (
                        <Button small kind="quiet" onClick={() => void dropPending(p.clientMessageId)}>
                            Discard
                        </Button>
                    ) : null}
                </div>
            )}
        </>
    );
}
