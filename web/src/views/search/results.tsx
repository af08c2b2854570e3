import type { Hit } from '../../api/types';
import { AgentName, Badge, day, Time } from '../../parts/parts';
import { Marked } from '../shared/mark';
import { firstLine, grouped } from '../shared/words';
import { kindOf, type Group } from './kinds';

export interface ResultsProps {
    groups: Group[];
    terms: string[];
    picked: string | null;
    onPick: (hit: Hit) => void;
    onOpen: (hit: Hit) => void;
}

/** One element per hit, so that keys and screen readers go through them in order. */
export function Results(props: ResultsProps) {
    return (
        <div class="search-results">
            {props.groups.map(g => (
                <section key={g.key} aria-label={`${g.title}, ${g.hits.length} found`}>
                    <h2 class="search-group">
                        {g.title}{' '}
                        <span class="muted">
                            · {grouped(g.hits.length)}
                            {g.world ? ` · ${g.world}` : ''}
                        </span>
                    </h2>
                    <ul class="search-rows">
                        {g.hits.map(h => (
                            <Row key={h.messageId + h.chatId} hit={h} {...props} />
                        ))}
                    </ul>
                </section>
            ))}
        </div>
    );
}

function Row({ hit, terms, picked, onPick, onOpen }: Omit<ResultsProps, 'groups'> & { hit: Hit }) {
    const on = picked === hit.messageId;
    const kind = kindOf(hit);
    return (
        <li class={on ? 'search-row search-on' : 'search-row'}>
            <button
                type="button"
                class="search-hit"
                id={`hit-${hit.messageId}`}
                aria-pressed={on}
                onFocus={() => onPick(hit)}
                onClick={() => onPick(hit)}
                onDblClick={() => onOpen(hit)}
                onKeyDown={e => {
                    if (e.key === 'Enter') {
                        e.preventDefault();
                        onOpen(hit);
                    }
                }}
            >
                <span class="search-who">
                    {hit.squashOperationId ? (
                        'Squash'
                    ) : hit.sender === 'human' ? (
                        'You'
                    ) : (
                        <AgentName name={hit.sender} />
                    )}
                    <span class="muted">
                        {' '}
                        {day(hit.createdAt)} <Time at={hit.createdAt} />
                    </span>
                    {kind === 'tools' && <Badge kind="muted">tool result</Badge>}
                    {hit.memoryOnly && <span class="muted">in-memory, no reply</span>}
                    {hit.archived && <Badge kind="muted">archived</Badge>}
                    {!hit.inCurrent && <Badge kind="warn">only in v{hit.version}</Badge>}
                </span>
                <span class="search-snippet">
                    <Marked text={hit.snippet ?? firstLine(hit.content, 200)} terms={terms} words />
                </span>
            </button>
        </li>
    );
}
