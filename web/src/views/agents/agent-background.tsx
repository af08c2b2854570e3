import { useState } from 'preact/hooks';
import { listAgentChats, listChatMessages, listInbox, listSummaries } from '../../api/calls';
import type { Result } from '../../api/client';
import type { Agent, Chat, InboxItem, Message } from '../../api/types';
import { Badge, Button, day, Empty, IconButton, Loading, Time, TroubleBox } from '../../parts/parts';
import { Markdown } from '../../parts/markdown/markdown';
import { inspect } from '../../store/place';
import { state } from '../../store/store';
import { ArgLines } from '../shared/args';
import { AwayNote, isAway } from '../shared/away';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { count } from '../shared/words';
import { pauseOrResume, stopSession, wake } from './actions';
import { foldName, lines, type Line, type ToolLine } from './background-rows';
import { useTick } from './follow';

interface Background {
    chat: Chat | null;
    rows: Message[];
    hasOlder: boolean;
    /** message of a summary: how many it stands for */
    covers: Map<string, number>;
    /** message of the background: its result */
    items: Map<string, InboxItem[]>;
}

const ROWS = 200;
const WHEN = [
    'message.created',
    'message.completed',
    'message.failed',
    'tool.completed',
    'tool.failed',
    'summary.created',
    'inbox.created',
    'chat.created',
    'agent.state',
] as const;

async function readBackground(
    w: string,
    name: string,
    most: number,
    signal: AbortSignal,
): Promise<Result<Background>> {
    const chats = await listAgentChats(w, name, { mode: 'background', limit: 1 }, { signal });
    if (!chats.ok) return chats;
    const chat = chats.value.data[0] ?? null;
    if (!chat)
        return { ...chats, value: { chat, rows: [], hasOlder: false, covers: new Map(), items: new Map() } };
    const [rows, summaries, inbox] = await Promise.all([
        listChatMessages(w, chat.id, { latest: true, limit: most }, { signal }),
        listSummaries(w, chat.id, { agent: name, limit: 100 }, { signal }),
        listInbox({ world: w, state: 'all', limit: 500 }, { signal }),
    ]);
    if (!rows.ok) return rows;
    const covers = new Map((summaries.ok ? summaries.value.data : []).map(s => [s.messageId, s.covers]));
    const items = new Map<string, InboxItem[]>();
    for (const item of inbox.ok ? inbox.value.data : [])
        if (item.workMessageId)
            items.set(item.workMessageId, [...(items.get(item.workMessageId) ?? []), item]);
    const first = rows.value.data[0];
    return {
        ...rows,
        value: { chat, rows: rows.value.data, hasOlder: (first?.position ?? 0) > 0, covers, items },
    };
}

/** What the agent does by itself. It is read only: an agent is not talked to here. */
export function AgentBackground({ w, agent }: { w: string; agent: Agent }) {
    const [most, setMost] = useState(ROWS);
    const tick = useTick(WHEN);
    const read = useLoad(
        `${w}/${agent.name}/${most}`,
        signal => readBackground(w, agent.name, most, signal),
        tick,
    );
    const live = state.value.connection.state === 'live';
    const readOnly = state.value.readOnly;
    const b = read.value;
    const chat = b?.chat ?? null;
    return (
        <section class="agent-background" aria-label={`Background work of @${agent.name}`}>
            <header class="agent-part-head">
                <h2>Background work</h2>
                <Badge>read only</Badge>
                <span class={live ? 'agent-live' : 'muted'}>{live ? '◉ live' : '○ not live'}</span>
                {chat && <span class="muted">{count(chat.messageCount, 'message')}</span>}
            </header>
            {read.trouble && <TroubleBox trouble={read.trouble} onRetry={read.reload} />}
            {read.late && <Loading label="Loading the background work" />}
            {b && !chat && (
                <Empty>
                    <p>
                        @{agent.name} has done nothing in the background yet. It begins with a task, a timer,
                        or a message of another agent.
                    </p>
                    <p>
                        <Link to={{ kind: 'agent', w, a: agent.name, tab: 'tasks' }}>Give it a task</Link>
                    </p>
                </Empty>
            )}
            {b?.hasOlder && most < 500 && (
                <Button small onClick={() => setMost(500)}>
                    Show older
                </Button>
            )}
            {b?.hasOlder && most >= 500 && chat && (
                <p>
                    <Link to={{ kind: 'chat', w, c: chat.id, view: 'chat' }}>The whole conversation</Link>
                </p>
            )}
            {b && chat && (
                <ol class="background-lines">
                    {lines(b.rows, agent.name, !b.hasOlder).map(line => (
                        <BackgroundLine key={line.id} w={w} line={line} background={b} />
                    ))}
                </ol>
            )}
            <div class="agent-actions agent-controls">
                <Button disabled={readOnly} off={isAway()} onClick={() => void pauseOrResume(w, agent)}>
                    {agent.paused ? 'Resume agent' : 'Pause agent'}
                </Button>
                <Button disabled={readOnly} off={isAway()} onClick={() => void wake(w, agent)}>
                    Wake now
                </Button>
                {chat && (
                    <Button
                        disabled={readOnly}
                        off={isAway()}
                        onClick={() => void stopSession(w, agent, chat.id)}
                    >
                        Stop this session
                    </Button>
                )}
                <AwayNote />
            </div>
        </section>
    );
}

interface LineProps {
    w: string;
    line: Line;
    background: Background;
}

function BackgroundLine({ w, line, background }: LineProps) {
    switch (line.kind) {
        case 'session':
            return (
                <li class="background-session">
                    <h3>
                        {day(line.at)} <Time at={line.at} /> · session
                        {line.number === null ? '' : ` ${line.number}`} · started by: {line.by}
                    </h3>
                </li>
            );
        case 'summary': {
            const covers = background.covers.get(line.id);
            return (
                <li class="background-summary">
                    <details>
                        <summary>Summary{covers ? ` of ${count(covers, 'message')}` : ''}</summary>
                        <Markdown text={line.message.content} />
                    </details>
                </li>
            );
        }
        case 'tools':
            return (
                <li class="background-line">
                    <Time at={line.at} />
                    <span class="background-who">tool</span>
                    <div class="background-said">
                        <Tools tools={line.tools} />
                        {line.tools.map(t => (
                            <Outcome
                                key={t.call.toolCallId}
                                w={w}
                                items={background.items.get(t.messageId)}
                            />
                        ))}
                    </div>
                </li>
            );
        case 'said':
            return (
                <li class="background-line" id={`m-${line.id}`}>
                    <Time at={line.at} />
                    <span class="background-who">{line.who}</span>
                    <div class="background-said">
                        <Markdown text={line.message.content} />
                        <Outcome w={w} items={background.items.get(line.id)} />
                    </div>
                    {line.message.role === 'assistant' && (
                        <IconButton
                            label={`Inspect what @${line.message.sender} wrote`}
                            icon="inspect"
                            onClick={() => inspect({ messageId: line.id })}
                        />
                    )}
                </li>
            );
    }
}

function Tools({ tools }: { tools: ToolLine[] }) {
    return (
        <details class="background-tools">
            <summary>{foldName(tools)}</summary>
            <ul>
                {tools.map(t => (
                    <li key={t.call.toolCallId}>
                        <p>
                            <span class={t.result?.toolStatus === 'error' ? 'agent-bad' : 'agent-good'}>
                                {t.result === null ? '◌' : t.result.toolStatus === 'error' ? '✕ failed' : '✓'}
                            </span>{' '}
                            <code>{t.call.toolName}</code>
                        </p>
                        <ArgLines args={t.call.args} />
                        <details>
                            <summary aria-label={`The raw arguments of ${t.call.toolName}`}>raw</summary>
                            <pre>{JSON.stringify(t.call.args, null, 2)}</pre>
                        </details>
                        {t.result && <pre>{t.result.content}</pre>}
                    </li>
                ))}
            </ul>
        </details>
    );
}

/** What people got of it: the item of the inbox, and the message of the foreground. */
function Outcome({ w, items }: { w: string; items: InboxItem[] | undefined }) {
    if (!items) return null;
    return (
        <>
            {items.map(item => (
                <p class="background-outcome" key={item.id}>
                    <Link to={{ kind: 'inbox', item: item.id }}>→ Inbox: {item.title ?? item.type}</Link>
                    {item.chatId && item.messageId && (
                        <Link to={{ kind: 'chat', w, c: item.chatId, view: 'chat', m: item.messageId }}>
                            → Message in the foreground
                        </Link>
                    )}
                </p>
            ))}
        </>
    );
}
