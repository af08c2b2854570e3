import type { Message } from '../../api/types';
import { AgentName, clock } from '../../parts/parts';
import { useSquashTitle } from '../shared/squashes';
import { firstLine, unfinished } from '../shared/words';

export function Who({ m }: { m: Message }) {
    const squash = useSquashTitle(m.squashOperationId);
    if (squash !== null) return <b class="history-you">{squash}</b>;
    return m.sender === 'human' ? <b class="history-you">You</b> : <AgentName name={m.sender} />;
}

/** A message in short; unfolded it is whole. */
export function Brief({ m, sign }: { m: Message; sign?: '−' | '+' }) {
    const line = firstLine(
        m.content ||
            (m.toolCalls.length > 0 ? `calls ${m.toolCalls.map(t => t.toolName).join(', ')}` : '(no text)'),
        100,
    );
    const more = m.content.length > line.length;
    const head = (
        <>
            {sign && (
                <span class="history-sign" aria-hidden="true">
                    {sign}
                </span>
            )}
            {sign && <span class="visually-hidden">{sign === '−' ? 'removed' : 'added'} </span>}
            <Who m={m} />{' '}
            <span class="history-note">
                {clock(m.createdAt)}
                {m.role === 'tool' && ' tool result'}
                {m.role === 'summary' && ' summary'}
                {m.unfinished && ` ${unfinished(m.unfinished)}`}
            </span>{' '}
        </>
    );
    if (!more)
        return (
            <div class="history-brief">
                {head}
                {line}
            </div>
        );
    return (
        <details class="history-brief">
            <summary>
                {head}
                {line}
            </summary>
            <p class="history-whole">{m.content.slice(0, 20_000)}</p>
        </details>
    );
}

export function Briefs({ messages, sign, label }: { messages: Message[]; sign?: '−' | '+'; label: string }) {
    return (
        <ul class="history-briefs" aria-label={label}>
            {messages.map(m => (
                <li key={m.messageId}>
                    <Brief m={m} sign={sign} />
                </li>
            ))}
        </ul>
    );
}
