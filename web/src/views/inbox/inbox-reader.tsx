import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { getBriefing, removeInboxItem } from '../../api/calls';
import type { Briefing, InboxItem } from '../../api/types';
import {
    AgentName,
    Badge,
    Banner,
    Button,
    Dialog,
    IconButton,
    Menu,
    Time,
    toast,
    TroubleBox,
    day,
} from '../../parts/parts';
import { Markdown } from '../../parts/markdown/markdown';
import { draft } from '../../store/drafts';
import { refreshInbox } from '../../store/store';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { grouped } from '../shared/words';
import { Approval, canReply, ReplyForm } from './inbox-answer';
import { answered, kindOf, titleOf } from './kinds';

export interface ReaderProps {
    item: InboxItem;
    /** its place among those that are shown */
    at: number;
    total: number;
    replying: boolean;
    onBack: () => void;
    onDone: () => void;
    onSnooze: () => void;
    onReply: () => void;
    onUnread: () => void;
    onRetry: () => void;
    onChanged: (item: InboxItem) => void;
    onRemoved: () => void;
}

export function InboxReader(props: ReaderProps) {
    const { item } = props;
    const kind = kindOf(item);
    const heading = useRef<HTMLHeadingElement>(null);
    const briefing = useLoad<Briefing>(item.briefingId, signal =>
        getBriefing(item.briefingId ?? '', {}, { signal }),
    );

    return (
        <article class="inbox-reader" aria-labelledby="inbox-reader-title">
            <header class="inbox-reader-head">
                <span class="inbox-back">
                    <IconButton label="Back to the inbox" icon="back" onClick={props.onBack} />
                </span>
                <p class="inbox-from">
                    <span class={`inbox-kind inbox-kind-${item.type}`} aria-hidden="true">
                        {kind.shape}
                    </span>{' '}
                    {kind.title}
                    {item.agent && (
                        <>
                            {' '}
                            · <AgentName name={item.agent} />
                        </>
                    )}
                    {item.world && <> · {item.world}</>}
                    {' · '}
                    {day(item.createdAt)} <Time at={item.createdAt} />
                </p>
                <span class="inbox-place muted">
                    {grouped(props.at + 1)} of {grouped(props.total)}
                </span>
                <ItemMenu {...props} />
            </header>
            <div class="inbox-body">
                <h1 id="inbox-reader-title" ref={heading} tabIndex={-1}>
                    {titleOf(item)}
                </h1>
                <ItemState item={item} />
                {item.briefingId ? (
                    <BriefingText
                        briefing={briefing.value}
                        trouble={briefing.trouble}
                        item={item}
                        onRetry={briefing.reload}
                    />
                ) : (
                    item.content && item.content !== item.title && <Markdown text={item.content} />
                )}
                {item.type === 'approval' && <Approval item={item} onAnswered={props.onChanged} />}
                <Ways {...props} />
                <ReplyPart {...props} />
            </div>
            <footer class="inbox-foot">
                {!(item.type === 'approval' && item.open) && (
                    <Button onClick={props.onDone} title="e">
                        {item.doneAt === null ? 'Done' : 'Not done'} <kbd>e</kbd>
                    </Button>
                )}
                {item.doneAt === null && (
                    <Button onClick={props.onSnooze} title="h">
                        Snooze <kbd>h</kbd>
                    </Button>
                )}
                {canReply(item) && (
                    <Button onClick={props.onReply} title="r">
                        Reply <kbd>r</kbd>
                    </Button>
                )}
            </footer>
        </article>
    );
}

function ItemState({ item }: { item: InboxItem }) {
    const was = answered(item);
    return (
        <p class="inbox-states">
            {item.doneAt !== null && <Badge kind="ok">✓ done</Badge>}
            {item.snoozedUntil !== null && Date.parse(item.snoozedUntil) > Date.now() && (
                <Badge>
                    snoozed until {day(item.snoozedUntil)} <Time at={item.snoozedUntil} />
                </Badge>
            )}
            {item.open && <Badge kind="warn">◐ waits for you</Badge>}
            {!item.open && (item.type === 'question' || item.type === 'approval') && item.doneAt === null && (
                <Badge kind="muted">no longer needed</Badge>
            )}
            {was && <span>{was}</span>}
        </p>
    );
}

interface BriefingProps {
    briefing: Briefing | null;
    trouble: import('../../api/client').Trouble | null;
    item: InboxItem;
    onRetry: () => void;
}

function BriefingText({ briefing, trouble, item, onRetry }: BriefingProps) {
    const summary = briefing?.summary ?? item.content;
    return (
        <>
            {summary && (
                <div class="inbox-summary">
                    <Markdown text={summary} />
                </div>
            )}
            {trouble && (
                <TroubleBox trouble={trouble} safe="The briefing itself is kept." onRetry={onRetry} />
            )}
            {briefing?.text && <Markdown text={briefing.text} />}
        </>
    );
}

/** Where it came from and where it leads. */
function Ways({ item, onRetry }: ReaderProps) {
    const w = item.world;
    return (
        <div class="inbox-ways">
            {w && item.chatId && (
                <Link
                    class="button button-plain"
                    to={{
                        kind: 'chat',
                        w,
                        c: item.chatId,
                        view: 'chat',
                        ...(item.messageId ? { m: item.messageId } : {}),
                    }}
                >
                    Open in conversation
                </Link>
            )}
            {w && item.workChatId && (
                <Link
                    class="button button-plain"
                    to={{
                        kind: 'chat',
                        w,
                        c: item.workChatId,
                        view: 'chat',
                        ...(item.workMessageId ? { m: item.workMessageId } : {}),
                    }}
                >
                    See the background work
                </Link>
            )}
            {item.type === 'failure' && item.agent && item.doneAt === null && (
                <Button kind="main" onClick={onRetry}>
                    Retry {item.agent}
                </Button>
            )}
        </div>
    );
}

function ReplyPart({ item, replying, onChanged }: ReaderProps) {
    const part = useRef<HTMLDivElement>(null);
    const shown = canReply(item) && (item.type === 'question' || replying);
    // At once: what is typed after the key that asked for the box belongs into it.
    useLayoutEffect(() => {
        if (replying) part.current?.querySelector('textarea')?.focus();
    }, [replying, item.id]);
    const typed = item.type === 'question' && !item.open ? draft('inbox', item.id).value.text : '';
    return (
        <div ref={part}>
            {shown && <ReplyForm item={item} onAnswered={onChanged} />}
            {typed !== '' && (
                <Banner kind="info">It was answered elsewhere. What you had typed: “{typed}”</Banner>
            )}
        </div>
    );
}

function ItemMenu({ item, onDone, onSnooze, onUnread, onRemoved }: ReaderProps) {
    const [asking, setAsking] = useState(false);

    async function remove(): Promise<void> {
        setAsking(false);
        const result = await removeInboxItem(item.id);
        if (!result.ok) {
            toast({ kind: 'error', text: `The item was not removed: ${result.trouble.detail}` });
            return;
        }
        toast({ text: 'The item was removed.' });
        void refreshInbox();
        onRemoved();
    }
    return (
        <>
            <Menu
                label={`More about: ${titleOf(item)}`}
                items={[
                    { label: item.doneAt === null ? 'Done' : 'Not done', run: onDone, keys: 'e' },
                    {
                        label: item.readAt === null ? 'Mark as read' : 'Mark as unread',
                        run: onUnread,
                        keys: 'u',
                    },
                    { label: 'Snooze…', run: onSnooze, keys: 'h', disabled: item.doneAt !== null },
                    { label: 'Remove…', run: () => setAsking(true), danger: true, apart: true },
                ]}
            />
            {asking && (
                <Dialog
                    title="Remove this item?"
                    danger
                    onClose={() => setAsking(false)}
                    actions={
                        <>
                            <Button onClick={() => setAsking(false)} autoFocus>
                                Keep it
                            </Button>
                            <Button kind="danger" onClick={() => void remove()}>
                                Remove
                            </Button>
                        </>
                    }
                >
                    <p>
                        It is removed from the inbox; Done would keep it.{' '}
                        {item.briefingId
                            ? 'The briefing itself stays in the conversation.'
                            : 'The conversation is not changed.'}
                    </p>
                </Dialog>
            )}
        </>
    );
}
