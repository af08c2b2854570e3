import { Button, Checkbox, IconButton, Radios } from '../../parts/parts';
import { CONDITIONS, has, toggled } from './query';
import { KINDS, type Kind } from './kinds';
import type { Archived } from './search-data';
import { forget, saved, type SavedSearch } from './saved';

export interface FiltersProps {
    q: string;
    open: string | null;
    scope: 'world' | 'all';
    current: boolean;
    archived: Archived;
    kinds: ReadonlySet<Kind>;
    onQuery: (q: string) => void;
    onScope: (scope: 'world' | 'all') => void;
    onCurrent: (on: boolean) => void;
    onArchived: (to: Archived) => void;
    onKind: (kind: Kind) => void;
    onSaved: (one: SavedSearch) => void;
}

export function Filters(props: FiltersProps) {
    return (
        <div class="search-filters">
            <Radios
                label="Where"
                value={props.scope}
                onPick={v => props.onScope(v as 'world' | 'all')}
                options={[
                    {
                        value: 'world',
                        label: props.open ? `this world (${props.open})` : 'this world',
                        disabled: !props.open,
                    },
                    { value: 'all', label: 'all worlds' },
                ]}
            />
            <Radios
                label="Versions"
                value={props.current ? 'current' : 'all'}
                onPick={v => props.onCurrent(v === 'current')}
                options={[
                    { value: 'all', label: 'all' },
                    { value: 'current', label: 'current only' },
                ]}
            />
            <Radios
                label="Archived conversations"
                value={props.archived}
                onPick={v => props.onArchived(v as Archived)}
                options={[
                    { value: 'with', label: 'with the others' },
                    { value: 'without', label: 'left out' },
                    { value: 'only', label: 'only these' },
                ]}
            />
            <fieldset class="radios">
                <legend class="field-label">Kind</legend>
                {KINDS.map(k => (
                    <Checkbox
                        key={k.id}
                        label={k.label}
                        checked={props.kinds.has(k.id)}
                        onChange={() => props.onKind(k.id)}
                    />
                ))}
            </fieldset>
            <fieldset class="search-conditions">
                <legend class="field-label">Conditions</legend>
                {CONDITIONS.map(c => (
                    <Button
                        key={c}
                        small
                        pressed={has(props.q, c)}
                        onClick={() => props.onQuery(toggled(props.q, c))}
                    >
                        {c}
                    </Button>
                ))}
            </fieldset>
            <section aria-label="Saved searches">
                <h2 class="field-label">Saved searches</h2>
                {saved.value.length === 0 && (
                    <p class="muted search-none">None yet. Save stores a search in this browser.</p>
                )}
                <ul class="search-saved">
                    {saved.value.map(s => (
                        <li key={s.name}>
                            <button type="button" class="search-saved-name" onClick={() => props.onSaved(s)}>
                                {s.name}
                            </button>
                            <IconButton
                                label={`Delete the saved search ${s.name}`}
                                icon="close"
                                onClick={() => forget(s.name)}
                            />
                        </li>
                    ))}
                </ul>
            </section>
        </div>
    );
}

/** What can be written, at the foot of the results. */
export function WordsHelp() {
    return (
        <details class="search-words">
            <summary>Words and filters</summary>
            <p>Words: plain · "a phrase" · -not · prefix*</p>
            <p>from: to: in: agent: role: tag: model: version: before: after:</p>
            <p>near:ID thread:ID reply-to:ID children-of:ID</p>
            <p>{CONDITIONS.join(' ')}</p>
        </details>
    );
}
