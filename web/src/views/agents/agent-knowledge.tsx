import { useState } from 'preact/hooks';
import { listKnowledge } from '../../api/calls';
import type { Agent, KnowledgeList } from '../../api/types';
import { Badge, day, Empty, Field, Loading, TroubleBox } from '../../parts/parts';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { useTick } from './follow';

/** Its knowledge, over all conversations. */
export function AgentKnowledge({ w, agent }: { w: string; agent: Agent }) {
    const [q, setQ] = useState('');
    const tick = useTick(['tool.completed', 'task.finished']);
    const read = useLoad<KnowledgeList>(
        `${w}/${agent.name}/${q}`,
        signal =>
            listKnowledge(
                w,
                agent.name,
                { q: q.trim() === '' ? undefined : q.trim(), limit: 200 },
                { signal },
            ),
        tick,
    );
    const list = read.value?.data ?? [];
    return (
        <section class="agent-knowledge" aria-label={`Knowledge of @${agent.name}`}>
            <Field
                label="Find"
                type="search"
                value={q}
                onInput={setQ}
                placeholder="words that must all be there"
            />
            {read.trouble && <TroubleBox trouble={read.trouble} onRetry={read.reload} />}
            {read.late && <Loading label="Loading the knowledge" />}
            {read.value && list.length === 0 && (
                <Empty>
                    <p>
                        {q
                            ? `No note contains "${q}".`
                            : `@${agent.name} has no notes yet. Agents make notes with the tool "remember".`}
                    </p>
                </Empty>
            )}
            <ul class="knowledge-rows">
                {list.map(k => (
                    <li key={k.id}>
                        <p>{k.content}</p>
                        <p class="muted knowledge-about">
                            <Badge>{k.type}</Badge> {k.confidence} % sure · {day(k.createdAt)}
                            {k.chatId && k.messageId && (
                                <>
                                    {' '}
                                    ·{' '}
                                    <Link to={{ kind: 'chat', w, c: k.chatId, view: 'chat', m: k.messageId }}>
                                        where it is from
                                    </Link>
                                </>
                            )}
                        </p>
                    </li>
                ))}
            </ul>
        </section>
    );
}
