// row.tsx: one message in the log, as an article. A message that is being written and the same message when it
// is done are one row, so nothing jumps when the stream ends.

import { computed, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Message } from '../../api/types';
import { AgentName, Badge, Time, agentHue } from '../../parts/parts';
import { Markdown } from '../../parts/markdown/markdown';
import { focused, selected, selecting } from '../../store/focus';
import { prefs } from '../../store/prefs';
import { useSquashTitle } from '../shared/squashes';
import { unfinished } from '../shared/words';
import { Toolbar } from './actions';
import { toggleSelect } from './act';
import { Continue, canContinue, hasFailedBeside } from './continue';
import { AnswerPager } from './answer-pager';
import { EditPager } from './edit-pager';
import { DeliveryBadge, Sources, Thinking, Tools } from './extras';
import { FailedRow, PendingRow } from './failed';
import { MessageFiles } from './files';
import type { Item } from './items';
import { painted } from './paint';
import { ReplyLink } from './reply-link';
import { SummaryRule } from './summary-rule';
import { hovered, sheetFor } from './view-state';
import { isScripted, parentOf, shortModel, spokenTitle, tagWords, targetWords } from './words';

// Bound to the attribute by itself: a new message changes it on every row without drawing one again.
const setSize = computed(() => painted.value.shown.total);

/** `squash`: what the message is called when it stands for others. Whose words it counts as comes after that. */
function Sender({ sender, squash }: { sender: string; squash: string | null }) {
    if (squash !== null)
        return (
            <>
                <span class="chat-squash">{squash}</span>
                {sender === 'human' || sender === 'assistant' ? null : (
                    <>
                        {' as '}
                        <AgentName name={sender} />
                    </>
                )}
            </>
        );
    return sender === 'human' ? <span class="chat-you">You</span> : <AgentName name={sender} />;
}

function ModelWord({ model }: { model: string | null }) {
    if (model === null) return null;
    if (isScripted(model))
        return (
            <Badge kind="warn" title={`${model}: canned text, not generated`}>
                scripted
            </Badge>
        );
    return (
        <span class="chat-model" title={model}>
            {shortModel(model)}
        </span>
    );
}

interface HeadProps {
    sender: string;
    squash: string | null;
    at: string;
    model: string | null;
    children?: ComponentChildren;
}

function Head({ sender, squash, at, model, children }: HeadProps) {
    return (
        <header class="chat-by">
            <h3>
                <Sender sender={sender} squash={squash} /> <Time at={at} />
            </h3>
            {children}
            <ModelWord model={model} />
        </header>
    );
}

function Tick({ message }: { message: Message }) {
    if (!selecting.value) return null;
    return (
        <input
            type="checkbox"
            class="chat-tick"
            aria-label={`Select ${targetWords(message)}`}
            checked={selected.value.has(message.messageId)}
            onChange={() => toggleSelect(message)}
        />
    );
}

function Marks({ message: m }: { message: Message }) {
    const tags = tagWords(m.instructions);
    const waits = !m.hasReply && m.delivery?.some(d => d.state === 'queued');
    const list = m.delivery ?? [];
    return (
        <>
            {list.length > 0 && (m.sender === 'human' || m.memoryOnly) ? <DeliveryBadge list={list} /> : null}
            {waits ? (
                <span
                    class="chat-waits"
                    title="Agents may still answer"
                    role="img"
                    aria-label="waiting for an answer"
                />
            ) : null}
            {m.memoryOnly ? <span class="chat-memory">[in-memory, no reply]</span> : null}
            {tags.map(t => (
                <Badge key={t} kind="muted">
                    {t}
                </Badge>
            ))}
        </>
    );
}

function Unfinished({ message, why }: { message: Message; why: NonNullable<Message['unfinished']> }) {
    // What failed has its ways on beside it, this one among them.
    const offered = useComputed(() => canContinue(message) && !hasFailedBeside(message)).value;
    return (
        <p class="chat-stopped">
            {why === 'stopped' ? 'stopped by you' : unfinished(why, message.usage)}{' '}
            {offered ? <Continue message={message} /> : null}
        </p>
    );
}

function Foot({ message: m, active }: { message: Message; active: boolean }) {
    return (
        <>
            {m.unfinished ? <Unfinished message={m} why={m.unfinished} /> : null}
            {m.squashOperationId ? <Sources message={m} /> : null}
            {m.role === 'user' ? <EditPager message={m} /> : null}
            {m.role === 'assistant' && m.turnId !== null ? <AnswerPager message={m} /> : null}
            {active ? <Toolbar message={m} /> : null}
        </>
    );
}

interface BodyProps<I extends Item = Item> {
    item: I;
    active: boolean;
    /** what it is called when it stands for others */
    squash: string | null;
}

function MessageBody({ item, active, squash }: BodyProps<Extract<Item, { kind: 'message' }>>) {
    const m = item.message;
    const parent = parentOf(m);
    return (
        <>
            <Tick message={m} />
            <Head sender={m.sender} squash={squash} at={m.createdAt} model={m.model}>
                {parent ? <ReplyLink parentId={parent} chatId={m.chatId} message={m} /> : null}
                <Marks message={m} />
            </Head>
            <button
                type="button"
                class="chat-more"
                aria-label={`More for ${targetWords(m)}`}
                onClick={() => {
                    sheetFor.value = m.messageId;
                }}
            >
                ⋯
            </button>
            {m.thinking ? <Thinking text={m.thinking} live={false} /> : null}
            {m.purged ? (
                <p class="muted">The text of this message was erased.</p>
            ) : (
                <Markdown text={m.content} />
            )}
            {m.files?.length ? <MessageFiles files={m.files} /> : null}
            {m.toolCalls.length > 0 ? <Tools message={m} results={item.results} /> : null}
            <Foot message={m} active={active} />
        </>
    );
}

function LiveBody({ item, chatId }: { item: Extract<Item, { kind: 'live' }>; chatId: string }) {
    const { live } = item;
    return (
        <>
            <Head sender={live.agent} squash={null} at={live.startedAt} model={live.model}>
                {live.replyTo ? <ReplyLink parentId={live.replyTo} chatId={chatId} message={null} /> : null}
            </Head>
            {live.thinking ? <Thinking text={live.thinking} live /> : null}
            {/* In calm mode the text comes whole, when it is done. */}
            {prefs.value.calm ? <p class="muted">is writing…</p> : <Markdown text={live.text} live />}
        </>
    );
}

function edgeOf(item: Item): string {
    const sender =
        item.kind === 'message' ? item.message.sender : item.kind === 'live' ? item.live.agent : 'human';
    return sender === 'human' ? 'chat-edge-you' : `agent-hue-${agentHue(sender)}`;
}

function Body({ item, active, squash }: BodyProps) {
    switch (item.kind) {
        case 'message':
            return item.message.role === 'summary' ? (
                <SummaryRule message={item.message} />
            ) : (
                <MessageBody item={item} active={active} squash={squash} />
            );
        case 'live':
            return <LiveBody item={item} chatId={painted.peek().chat?.chat.id ?? ''} />;
        case 'failed':
            return <FailedRow failed={item.failed} />;
        case 'pending':
            return <PendingRow pending={item.pending} />;
    }
}

function titleOf(item: Item, squash: string | null): string {
    if (item.kind === 'message') return spokenTitle(item.message, squash);
    if (item.kind === 'live') return `${item.live.agent}, writing`;
    if (item.kind === 'failed') return `${item.failed.agent}, ${item.failed.stopped ? 'stopped' : 'failed'}`;
    return 'You, not sent yet';
}

export function Row({ item, last }: { item: Item; last: boolean }) {
    const isFocused = useComputed(() => focused.value === item.id);
    const active = useComputed(() => focused.value === item.id || hovered.value === item.id);
    const chosen = useComputed(() => selected.value.has(item.id));
    const squash = useSquashTitle(item.kind === 'message' ? item.message.squashOperationId : null);
    const names = ['chat-row', `chat-${item.kind}`, edgeOf(item)];
    if (isFocused.value) names.push('chat-focused');
    if (chosen.value) names.push('chat-chosen');
    if (item.kind === 'message' && item.message.memoryOnly) names.push('chat-quiet');
    if (item.kind === 'message' && item.message.role === 'summary') names.push('chat-rule');
    return (
        <>
            {item.day ? (
                <p class="chat-day">
                    <span>{item.day}</span>
                </p>
            ) : null}
            <article
                data-row={item.id}
                class={names.join(' ')}
                aria-label={titleOf(item, squash)}
                // One row is in the order of Tab: the one with the focus, or else the last.
                tabIndex={isFocused.value || (last && focused.peek() === null) ? 0 : -1}
                aria-posinset={item.kind === 'message' ? item.message.position + 1 : undefined}
                aria-setsize={item.kind === 'message' ? setSize : undefined}
                aria-busy={item.kind === 'live' ? true : undefined}
            >
                <Body item={item} active={active.value} squash={squash} />
            </article>
        </>
    );
}
