import { useState } from 'preact/hooks';
import { clearAgentMemory, getAgentMemory, travel } from '../../api/calls';
import type { Agent, MessageList } from '../../api/types';
import {
    AgentName,
    Button,
    day,
    Dialog,
    Empty,
    Loading,
    Select,
    Time,
    toast,
    TroubleBox,
} from '../../parts/parts';
import type { Trouble } from '../../api/client';
import { chatTitle } from '../../store/names';
import { refreshWorld, state, world } from '../../store/store';
import { useLoad } from '../shared/load';
import { count, firstLine } from '../shared/words';
import { useTick } from './follow';

/** What the agent remembers of a conversation, in the order in which it would be sent to a model. */
export function AgentMemory({ w, agent }: { w: string; agent: Agent }) {
    const known = world.value;
    const chats = Object.values(known?.chats ?? {}).filter(c => c.mode === 'chat' || c.agent === agent.name);
    const [picked, setPicked] = useState<string | null>(null);
    const chatId = picked ?? known?.world.currentChatId ?? chats[0]?.id ?? null;
    const tick = useTick(['message.created', 'message.completed', 'thread.created', 'thread.switched']);
    const [clearing, setClearing] = useState(false);
    const read = useLoad<MessageList>(
        chatId && `${w}/${agent.name}/${chatId}`,
        signal => getAgentMemory(w, agent.name, { chatId: chatId ?? undefined, limit: 500 }, { signal }),
        tick,
    );
    const rows = read.value?.data ?? [];
    return (
        <section class="agent-memory" aria-label={`Memory of @${agent.name}`}>
            <header class="agent-part-head">
                <Select
                    label="Conversation"
                    value={chatId ?? ''}
                    onPick={setPicked}
                    options={chats.map(c => ({ value: c.id, label: chatTitle(c) }))}
                />
                {read.value && <span class="muted">{count(rows.length, 'message')} remembered</span>}
                {rows.length > 0 && (
                    <Button
                        kind="danger"
                        small
                        disabled={state.value.readOnly}
                        onClick={() => setClearing(true)}
                    >
                        Clear…
                    </Button>
                )}
            </header>
            {read.trouble && <TroubleBox trouble={read.trouble} onRetry={read.reload} />}
            {read.late && <Loading label="Loading the memory" />}
            {chatId === null && (
                <Empty>
                    <p>There is no conversation in this world.</p>
                </Empty>
            )}
            {read.value && rows.length === 0 && (
                <Empty>
                    <p>@{agent.name} remembers nothing of this conversation.</p>
                </Empty>
            )}
            {rows.length > 0 && (
                <ol class="memory-rows">
                    {rows.map(m => (
                        <li key={m.messageId}>
                            <span class="memory-who">
                                {m.sender === 'human' ? 'You' : <AgentName name={m.sender} />}
                            </span>
                            <span class="memory-role muted">{m.role}</span>
                            <span class="memory-text">
                                {m.content.trim()
                                    ? firstLine(m.content, 240)
                                    : m.toolCalls.map(c => c.toolName).join(', ')}
                            </span>
                            <span class="memory-when muted">
                                {day(m.createdAt)} <Time at={m.createdAt} />
                            </span>
                        </li>
                    ))}
                </ol>
            )}
            {clearing && chatId && (
                <ClearMemory
                    w={w}
                    agent={agent}
                    chatId={chatId}
                    rows={rows.length}
                    onClose={changed => {
                        setClearing(false);
                        if (changed) read.reload();
                    }}
                    onUndone={read.reload}
                />
            )}
        </section>
    );
}

interface ClearProps {
    w: string;
    agent: Agent;
    chatId: string;
    rows: number;
    onClose: (changed: boolean) => void;
    onUndone: () => void;
}

function ClearMemory({ w, agent, chatId, rows, onClose, onUndone }: ClearProps) {
    const [trouble, setTrouble] = useState<Trouble | null>(null);

    async function bringBack(threadId: string): Promise<void> {
        const moved = await travel(w, chatId, { threadId }, { ifMatch: '*' });
        toast(
            moved.ok
                ? { text: `@${agent.name} remembers everything again.`, kind: 'ok' }
                : {
                      text: `The change was not undone. ${moved.trouble.detail} The previous version is in History.`,
                      kind: 'error',
                  },
        );
        await refreshWorld();
        onUndone();
    }
    async function clear(): Promise<void> {
        const done = await clearAgentMemory(w, agent.name, { chatId });
        if (!done.ok) {
            setTrouble(done.trouble);
            return;
        }
        const before = done.value.undo?.body.threadId;
        toast({
            text: `@${agent.name} starts afresh in this conversation (${done.value.version ?? 'a new version'}).`,
            actions: before ? [{ label: 'Undo', run: () => void bringBack(before) }] : [],
        });
        await refreshWorld();
        onClose(true);
    }
    return (
        <Dialog
            title={`Clear the memory of @${agent.name}?`}
            danger
            onClose={() => onClose(false)}
            actions={
                <>
                    <Button autoFocus onClick={() => onClose(false)}>
                        Keep it
                    </Button>
                    <Button kind="danger" onClick={() => void clear()}>
                        Clear {count(rows, 'message')}
                    </Button>
                </>
            }
        >
            <p>
                @{agent.name} will know nothing of this conversation. The conversation itself stays, and so do
                the memories of the others.
            </p>
            <p>You can undo this: the previous version stays in History.</p>
            {trouble && <TroubleBox trouble={trouble} safe="Nothing was changed." />}
        </Dialog>
    );
}
