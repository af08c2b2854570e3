import { useState } from 'preact/hooks';
import { listChatMessages } from '../../api/calls';
import type { Message } from '../../api/types';
import { AgentName, Button, Empty, Time, toast } from '../../parts/parts';
import { Link } from '../shared/link';
import { Marked } from '../shared/mark';
import { count, firstLine, grouped } from '../shared/words';
import type { Looked } from './data';
import { estimate, readRequest, type Asked, type Seen } from './request';
import { messagesIn } from './standing';

export interface PartProps {
    w: string;
    looked: Looked;
    find: string;
}

export const terms = (find: string): string[] => (find.trim() === '' ? [] : [find.trim()]);

function fits(text: string, find: string): boolean {
    return find.trim() === '' || text.toLowerCase().includes(find.trim().toLowerCase());
}

/** Exactly what was sent, in its order. */
export function Saw(props: PartProps) {
    const { looked, find } = props;
    const asked = looked.call ? fromRequest(looked) : fromContext(looked);
    if (!asked && looked.call) return <RawText text={String(looked.call.request)} find={find} />;
    if (!asked) return <NoCall looked={looked} />;
    const shown = asked.seen.filter(s =>
        fits(`${s.role} ${s.text} ${s.calls.map(c => c.name + c.args).join(' ')}`, find),
    );
    return (
        <>
            {looked.context && (
                <p class="muted">
                    What a model would be sent now: about {grouped(looked.context.tokens)} tokens.
                </p>
            )}
            {looked.summary && <LeftOut {...props} />}
            <ol class="saw-rows">
                {shown.map((s, i) => (
                    <SeenRow key={i} seen={s} {...props} />
                ))}
            </ol>
            {shown.length === 0 && (
                <Empty>
                    <p>Nothing here has "{find}".</p>
                </Empty>
            )}
            {asked.options.length > 0 && (
                <p class="muted saw-options">
                    Asked with{' '}
                    {asked.options.map(([name, value]) => `${name} ${JSON.stringify(value)}`).join(', ')}
                </p>
            )}
        </>
    );
}

function fromRequest(looked: Looked): Asked | null {
    const asked = readRequest(looked.call?.request);
    if (!asked || !looked.call) return null;
    const ids = messagesIn(asked.seen, looked.call, looked.memory);
    return { ...asked, seen: asked.seen.map((s, i) => ({ ...s, messageIds: ids[i] ?? [] })) };
}

function fromContext(looked: Looked): Asked | null {
    if (!looked.context) return null;
    const seen = looked.context.messages.map((m): Seen => ({
        role: m.messageIds.includes(looked.context?.summaryMessageId ?? '-') ? 'summary' : m.role,
        text: m.content,
        answers: m.toolCallId,
        tool: m.toolName,
        failed: m.isError,
        messageIds: m.messageIds,
        calls: m.toolCalls.map(c => ({ id: c.toolCallId, name: c.toolName, args: JSON.stringify(c.args) })),
    }));
    return { model: null, seen, tools: [], options: [] };
}

export function NoCall({ looked }: { looked: Looked }) {
    const written = looked.message?.role === 'assistant';
    if (looked.message && !written)
        return (
            <Empty>
                <p>No model wrote this message. Delivery shows which agents have it.</p>
            </Empty>
        );
    return (
        <Empty>
            <p>Nothing is recorded for this call: it is too old, or was imported or erased.</p>
        </Empty>
    );
}

function SeenRow({ w, looked, seen, find }: PartProps & { seen: Seen }) {
    const chatId = looked.call?.chatId ?? looked.chatId;
    const [open, setOpen] = useState(false);
    const long = seen.text.length > 160 || seen.text.includes('\n') || seen.calls.length > 0;
    const name = seen.role === 'tool' ? `tool ${seen.tool ?? ''}` : seen.role;
    const shown = open || find.trim() !== '';
    return (
        <li class={`saw-row saw-${seen.role}`}>
            <span class="saw-role">
                {name}
                {seen.failed && ' ✕'}
            </span>
            <span class="saw-tokens" title="Estimated: one token for four bytes">
                ~{grouped(estimate(seen))} tok
            </span>
            <div class="saw-text">
                {shown ? (
                    <pre>
                        <Marked text={seen.text} terms={terms(find)} />
                    </pre>
                ) : (
                    <span>
                        {firstLine(seen.text, 160) || (
                            <span class="muted">{seen.calls.map(c => c.name).join(', ')}</span>
                        )}
                    </span>
                )}
                {shown &&
                    seen.calls.map(c => (
                        <pre key={c.id}>
                            <Marked text={`${c.name} ${c.args}`} terms={terms(find)} />
                        </pre>
                    ))}
            </div>
            <span class="saw-more">
                {chatId &&
                    seen.messageIds.map(m => (
                        <Link
                            key={m}
                            to={{ kind: 'chat', w, c: chatId, view: 'chat', m }}
                            title={`Go to message ${m}`}
                        >
                            #{m.slice(-4)}
                        </Link>
                    ))}
                {long && find.trim() === '' && (
                    <Button
                        small
                        kind="quiet"
                        onClick={() => setOpen(!open)}
                        label={`${open ? 'Hide' : 'Show'} the whole text of ${name}`}
                    >
                        {open ? '▾ hide' : '▸ show'}
                    </Button>
                )}
            </span>
        </li>
    );
}

/** What stands in the summary and so was not sent. */
function LeftOut({ w, looked }: PartProps) {
    const [rows, setRows] = useState<Message[] | null>(null);
    const chatId = looked.call?.chatId;
    const covers = looked.summary?.covers ?? 0;
    async function show(): Promise<void> {
        if (!chatId) return;
        const list = await listChatMessages(w, chatId, {
            limit: Math.min(covers, 500),
            agent: looked.call?.agent ?? undefined,
        });
        if (list.ok) setRows(list.value.data);
        else toast({ text: `They could not be loaded. ${list.trouble.detail}`, kind: 'error' });
    }
    return (
        <div class="saw-left">
            <p>
                Left out by compaction: {count(covers, 'message')}{' '}
                {rows ? (
                    <Button small kind="quiet" onClick={() => setRows(null)}>
                        Hide them
                    </Button>
                ) : (
                    <Button small kind="quiet" onClick={() => void show()}>
                        Show them
                    </Button>
                )}
            </p>
            {rows && (
                <ol class="saw-rows">
                    {rows.map(m => (
                        <li key={m.messageId} class="saw-row">
                            <span class="saw-role">
                                {m.sender === 'human' ? 'You' : <AgentName name={m.sender} />}
                            </span>
                            <span class="saw-tokens">
                                <Time at={m.createdAt} />
                            </span>
                            <span class="saw-text">{firstLine(m.content, 200)}</span>
                        </li>
                    ))}
                </ol>
            )}
        </div>
    );
}

export function RawText({ text, find }: { text: string; find: string }) {
    return (
        <pre class="inspector-raw" tabIndex={0}>
            <Marked text={text} terms={terms(find)} />
        </pre>
    );
}
