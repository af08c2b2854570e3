import type { InboxItem } from '../../api/types';
import { ago, AgentName, Button, Count, Icon } from '../../parts/parts';
import type { Place } from '../../store/place';
import { Link } from '../shared/link';
import { firstLine, grouped } from '../shared/words';
import { kindOf, titleOf } from './kinds';
import type { Filter, Group } from './sort';

export interface ListProps {
    groups: Group[];
    filter: Filter;
    open: string | null;
    waiting: ReadonlySet<string>;
    now: number;
    onCursor: (id: string) => void;
    onAnswer: (item: InboxItem) => void;
    onRetry: (item: InboxItem) => void;
}

export function placeOf(item: string | undefined, filter: Filter): Place {
    const place: Place = { kind: 'inbox' };
    if (item !== undefined) place.item = item;
    if (filter !== 'open') place.filter = filter;
    return place;
}

/** Days before yesterday are folded when there is enough else to read. */
const FOLD_AFTER = 12;

export function InboxList(props: ListProps) {
    let shown = 0;
    return (
        <div class="inbox-groups">
            {props.groups.map(group => {
                const folded = shown >= FOLD_AFTER && !group.items.some(i => i.id === props.open);
                shown += group.items.length;
                return <InboxGroup key={group.id} group={group} folded={folded} {...props} />;
            })}
        </div>
    );
}

function InboxGroup({ group, folded, ...props }: ListProps & { group: Group; folded: boolean }) {
    return (
        <details class="inbox-group" open={!folded}>
            <summary>
                <h2>
                    {group.title} <span class="inbox-group-count">({group.items.length})</span>
                </h2>
            </summary>
            <ul class="inbox-rows">
                {group.items.map(item => (
                    <InboxRow key={item.id} item={item} {...props} />
                ))}
            </ul>
        </details>
    );
}

function InboxRow({ item, ...props }: Omit<ListProps, 'groups'> & { item: InboxItem }) {
    const kind = kindOf(item);
    const unread = item.readAt === null && item.doneAt === null;
    const title = firstLine(titleOf(item));
    return (
        <li class={`inbox-row${unread ? ' inbox-unread' : ''}${item.id === props.open ? ' inbox-open' : ''}`}>
            <Link
                id={`inbox-${item.id}`}
                class="inbox-link"
                to={placeOf(item.id, props.filter)}
                current={item.id === props.open}
                onFocus={() => props.onCursor(item.id)}
            >
                <span class={`inbox-kind inbox-kind-${item.type}`} aria-hidden="true">
                    {kind.shape}
                </span>
                <span class="inbox-who">
                    {item.agent && <AgentName name={item.agent} />} {kind.says}
                    {item.world && <span class="inbox-world"> · {item.world}</span>}
                </span>
                <span class="inbox-when">
                    {unread && <span class="visually-hidden">unread, </span>}
                    {props.waiting.has(item.id) && (
                        <span class="inbox-waiting">
                            <Icon name="clock" /> waits
                        </span>
                    )}
                    <time dateTime={item.createdAt}>{ago(item.createdAt, props.now)}</time>
                </span>
                <span class="inbox-title">{title}</span>
            </Link>
            <RowAction item={item} {...props} />
        </li>
    );
}

/** What can be done without opening it. */
function RowAction({ item, onAnswer, onRetry }: Omit<ListProps, 'groups'> & { item: InboxItem }) {
    if (item.doneAt !== null) return null;
    if ((item.type === 'question' || item.type === 'approval') && item.open)
        return (
            <Button small onClick={() => onAnswer(item)} label={`Answer: ${titleOf(item)}`}>
                Answer
            </Button>
        );
    if (item.type === 'failure' && item.agent)
        return (
            <Button small onClick={() => onRetry(item)} label={`Try again now: ${titleOf(item)}`}>
                Retry {item.agent}
            </Button>
        );
    return null;
}

export interface FilterBarProps {
    filter: Filter;
    filters: readonly { id: Filter; label: string; count: number; more: boolean }[];
}

export function FilterBar({ filter, filters }: FilterBarProps) {
    return (
        <nav class="inbox-filters" aria-label="Filters of the inbox">
            {filters.map(f => (
                <Link
                    key={f.id}
                    class="inbox-filter"
                    to={placeOf(undefined, f.id)}
                    current={f.id === filter}
                    replace
                >
                    {f.label}
                    {f.id === 'needs' && f.count > 0 ? (
                        <Count value={f.count} alert />
                    ) : (
                        <span class="inbox-filter-count">
                            {grouped(f.count)}
                            {f.more ? '+' : ''}
                        </span>
                    )}
                </Link>
            ))}
        </nav>
    );
}
