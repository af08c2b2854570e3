// consequences.tsx: what an edit or a removal takes away, in numbers and by name.
import type { Count } from '../../api/types';
import { count as counted, grouped, listed, messages } from '../shared/words';
import type { Aim } from './flow';

/** From here on a list is worth a look before it goes. */
export const LOOK_FROM = 11;
const MANY_AGENTS = 50;

export function worthALook({ count, isFirst }: Count): boolean {
    return count > 1 && (count >= LOOK_FROM || isFirst);
}

export function Consequences({ count, aim }: { count: Count; aim: Aim }) {
    const memories = whoForgets(count);
    return (
        <div class="edit-count">
            <p>{sentence(count, aim)}</p>
            {count.toolResults > 0 && !count.isFirst && count.count < LOOK_FROM && (
                <p class="edit-muted">Counted with them: {counted(count.toolResults, 'tool result')}.</p>
            )}
            {count.count >= LOOK_FROM && <p class="edit-muted">{byWhom(count)}</p>}
            {memories && <p class="edit-muted">{memories}</p>}
            <p class="edit-muted">Removed from this version only. You can undo it afterwards.</p>
            {(count.sideEffects ?? 0) > 0 && (
                <p class="edit-muted">
                    {counted(count.sideEffects ?? 0, 'tool call', 'tool calls')} among them may have changed
                    things outside. Removing the messages does not undo that.
                </p>
            )}
            {count.agents >= MANY_AGENTS && (
                <p class="edit-warn">
                    ⚠ {grouped(count.agents)} agents remember this conversation: updating them all can take a
                    moment.
                </p>
            )}
            {count.count > 1 && <Going count={count} />}
        </div>
    );
}

/** The messages that go: the first ones and the last, with the number between. Open where it has to be looked at. */
function Going({ count }: { count: Count }) {
    const { preview, previewSkipped: skipped } = count;
    const first = skipped > 0 ? preview.slice(0, -1) : preview;
    const last = skipped > 0 ? preview.at(-1) : undefined;
    return (
        <details class="edit-preview" open={worthALook(count)}>
            <summary>Preview the list</summary>
            <ol tabIndex={0} aria-label="Messages to be removed">
                {first.map((m, n) => (
                    <Goes key={m.messageId} one={m} place={n + 1} />
                ))}
                {last && <li class="edit-muted edit-skipped">… {grouped(skipped)} more …</li>}
                {last && <Goes one={last} place={count.count} />}
            </ol>
        </details>
    );
}

function Goes({ one, place }: { one: Count['preview'][number]; place: number }) {
    return (
        <li value={place}>
            <b>{one.sender === 'human' ? 'You' : `@${one.sender}`}</b> <span dir="auto">{one.text}</span>
        </li>
    );
}

function sentence(count: Count, aim: Aim): string {
    const { count: n, toolResults: results } = count;
    if (count.isFirst) {
        const means =
            aim === 'edit' ? 'Editing will restart the conversation.' : 'The conversation would be empty.';
        return `This is the first message. ${means} Remove ${messages(n, results)}?`;
    }
    if (n >= LOOK_FROM) return `This will remove ${messages(n, results)}:`;
    return `This will remove ${messages(n)} (including this one). Continue?`;
}

/** As many as a line holds by name, else their number. */
const NAMED_MOST = 4;

function whoForgets(count: Count): string {
    const names = Object.entries(count.removedByAgent as Record<string, number>).flatMap(([name, n]) =>
        n > 0 ? [`@${name}`] : [],
    );
    if (names.length === 0) return '';
    const whose = names.length > NAMED_MOST ? counted(names.length, 'agent') : listed(names);
    return `${count.count === 1 ? 'It leaves' : 'They leave'} the memory of ${whose}.`;
}

function byWhom(count: Count): string {
    const senders = Object.entries(count.byAgent as Record<string, number>)
        .map(([name, n]) => `${name === 'human' ? 'you' : name} ${grouped(n)}`)
        .join(' · ');
    const extras = [
        count.delegations > 0 ? counted(count.delegations, 'delegation', 'delegations') : '',
        count.briefings > 0 ? counted(count.briefings, 'briefing', 'briefings') : '',
    ]
        .filter(Boolean)
        .join(', ');
    return extras ? `${senders}; ${extras}` : senders;
}
