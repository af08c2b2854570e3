import { useState } from 'preact/hooks';
import { answerInboxItem } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { InboxItem } from '../../api/types';
import { Button, TextArea, toast, TroubleBox } from '../../parts/parts';
import { draft } from '../../store/drafts';
import { refreshInbox } from '../../store/store';
import { plain } from '../../parts/markdown/plain';
import { Definition, useDefined } from '../shared/definition';
import { useDecision, type Decision } from './decide';

export interface AnswerProps {
    item: InboxItem;
    onAnswered: (item: InboxItem) => void;
}

const TEXT_MOST = 100_000;

/** Whether an answer reaches anybody. */
export function canReply(item: InboxItem): boolean {
    return item.type === 'question' ? item.open : item.type === 'briefing';
}

/** An answer to a question or a briefing. What is typed is kept until it was sent. */
export function ReplyForm({ item, onAnswered }: AnswerProps) {
    const text = draft('inbox', item.id);
    const [busy, setBusy] = useState(false);
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const ready = text.value.text.trim() !== '' && !busy;

    async function send(): Promise<void> {
        if (!ready) return;
        setBusy(true);
        const result = await answerInboxItem(item.id, { text: text.value.text });
        setBusy(false);
        if (!result.ok) {
            setTrouble(result.trouble);
            return;
        }
        setTrouble(null);
        text.value = { ...text.value, text: '' };
        toast({ text: `@${item.agent ?? 'agent'} has your answer.`, kind: 'ok' });
        void refreshInbox();
        onAnswered(result.value.item);
    }
    const key = (event: KeyboardEvent): void => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
    };
    return (
        <form
            class="inbox-reply"
            onSubmit={e => {
                e.preventDefault();
                void send();
            }}
        >
            <TextArea
                label={item.type === 'question' ? `Your answer to @${item.agent}` : `Reply to @${item.agent}`}
                rows={3}
                value={text.value.text}
                maxLength={TEXT_MOST}
                onKeyDown={key}
                onInput={value => {
                    text.value = { ...text.value, text: value };
                }}
            />
            {trouble && (
                <TroubleBox trouble={trouble} safe="Your text is kept." onRetry={() => void send()} />
            )}
            <div class="inbox-actions">
                <Button kind="main" type="submit" disabled={!ready} busy={busy}>
                    {item.type === 'question' ? 'Answer' : 'Send reply'}
                </Button>
                <span class="muted inbox-hint">
                    <kbd>Ctrl Enter</kbd> sends
                </span>
            </div>
        </form>
    );
}

function decided(item: InboxItem, decision: Decision): string {
    if (!item.tool)
        return decision === 'allow' ? 'The limit is lifted until the end of the month.' : 'The limit stays.';
    return decision === 'allow' ? `@${item.agent} may call ${item.tool}.` : `@${item.agent} was told no.`;
}

/** Whether an agent may call a tool, with what is shown before anybody decides; or whether a limit may be exceeded. */
export function Approval({ item, onAnswered }: AnswerProps) {
    const defined = useDefined(item);
    const { busy, trouble, decide } = useDecision(item.id, (answered, decision) => {
        toast({ text: decided(item, decision), kind: 'ok' });
        onAnswered(answered);
    });
    return (
        <section
            class="inbox-approval"
            aria-label={item.tool ? `Permission to call ${item.tool}` : 'Permission to continue'}
        >
            {item.tool && (
                <dl class="inbox-facts">
                    <dt>Tool</dt>
                    <dd>
                        <code>{item.tool}</code>
                    </dd>
                    <dt>With</dt>
                    <dd>
                        <pre tabIndex={0} aria-label="Arguments of the call">
                            {plain(shownArgs(item.args), true)}
                        </pre>
                    </dd>
                </dl>
            )}
            <Definition item={item} defined={defined} />
            {trouble && <TroubleBox trouble={trouble} safe="Nothing was decided." />}
            {item.open && (
                <div class="inbox-actions">
                    <Button kind="main" off={busy || defined.lacking} onClick={() => void decide('allow')}>
                        {item.tool ? 'Allow' : 'Go on'}
                    </Button>
                    <Button kind="danger" off={busy} onClick={() => void decide('deny')}>
                        {item.tool ? 'Deny' : 'Stop'}
                    </Button>
                </div>
            )}
        </section>
    );
}

function shownArgs(args: unknown): string {
    return typeof args === 'string' ? args : JSON.stringify(args ?? {}, null, 2);
}
