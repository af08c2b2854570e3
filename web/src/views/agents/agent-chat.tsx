import { useState } from 'preact/hooks';
import { listAgentChats, postMessage } from '../../api/calls';
import { newKey, type Trouble } from '../../api/client';
import type { Agent, ChatList } from '../../api/types';
import { Button, Loading, TextArea, Time, TroubleBox, day } from '../../parts/parts';
import { draft } from '../../store/drafts';
import { go } from '../../store/place';
import { refreshWorld, state } from '../../store/store';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { count } from '../shared/words';

/** Its own conversation with a person: it is there from the first message on. */
export function AgentChat({ w, agent }: { w: string; agent: Agent }) {
    const read = useLoad<ChatList>(`${w}/${agent.name}`, signal =>
        listAgentChats(w, agent.name, { mode: 'foreground', limit: 1 }, { signal }),
    );
    const chat = read.value?.data[0];
    return (
        <section class="agent-chat" aria-label={`Talking with @${agent.name}`}>
            {read.trouble && <TroubleBox trouble={read.trouble} onRetry={read.reload} />}
            {read.late && <Loading label="Loading the conversation" />}
            {chat && (
                <div class="agent-card">
                    <p>
                        Your conversation with @{agent.name}: {count(chat.messageCount, 'message')}
                        {chat.lastActivityAt && (
                            <>
                                , last {day(chat.lastActivityAt)} <Time at={chat.lastActivityAt} />
                            </>
                        )}
                        .
                    </p>
                    <Link class="button button-main" to={{ kind: 'chat', w, c: chat.id, view: 'chat' }}>
                        Open the conversation
                    </Link>
                </div>
            )}
            {read.value && !chat && (
                <p class="measure">
                    You have not talked with @{agent.name} alone. The conversation starts with your first
                    message; the others do not see it.
                </p>
            )}
            {read.value && <FirstWords w={w} agent={agent} />}
        </section>
    );
}

function FirstWords({ w, agent }: { w: string; agent: Agent }) {
    const text = draft(w, `@${agent.name}`);
    const [busy, setBusy] = useState(false);
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const ready = text.value.text.trim() !== '' && !busy && !state.value.readOnly;

    async function send(): Promise<void> {
        if (!ready) return;
        setBusy(true);
        const said = await postMessage(w, {
            content: text.value.text,
            agent: agent.name,
            clientMessageId: newKey(),
        });
        setBusy(false);
        if (!said.ok) {
            setTrouble(said.trouble);
            return;
        }
        text.value = { ...text.value, text: '' };
        await refreshWorld();
        go({ kind: 'chat', w, c: said.value.chatId, view: 'chat' });
    }
    return (
        <form
            class="agent-form"
            onSubmit={e => {
                e.preventDefault();
                void send();
            }}
        >
            <TextArea
                label={`Message to @${agent.name}`}
                rows={3}
                value={text.value.text}
                onInput={value => {
                    text.value = { ...text.value, text: value };
                }}
            />
            {trouble && <TroubleBox trouble={trouble} safe="Your message is kept." />}
            <div class="agent-actions">
                <Button kind="main" type="submit" disabled={!ready} busy={busy}>
                    Send to @{agent.name}
                </Button>
            </div>
        </form>
    );
}
