// definition.tsx: how a tool of a tool server defines itself, read before it is first allowed. The words are the server's own, so
// they are plain text and nothing else.

import { useEffect, useState } from 'preact/hooks';
import { getInboxItem } from '../../api/calls';
import type { InboxItem } from '../../api/types';
import { plain } from '../../parts/markdown/plain';
import './definition.css';

const LABELS: Record<string, string> = {
    server: 'Server',
    name: 'Name',
    title: 'Title',
    description: 'Description',
    inputSchema: 'Arguments',
    annotations: 'Hints',
};

/** [label, text] of each thing that is said; a definition that is not an object is one text. */
export function definitionParts(definition: unknown): [string, string][] {
    if (definition === null || typeof definition !== 'object') return [['Definition', String(definition)]];
    return Object.entries(definition)
        .map(([key, value]): [string, string] => [
            LABELS[key] ?? key,
            typeof value === 'string' ? value : JSON.stringify(value, null, 2),
        ])
        .filter(([, text]) => text !== '');
}

export interface Defined {
    /** null: there is none, or it is not read yet */
    definition: unknown;
    /** nobody can allow it before it is shown */
    lacking: boolean;
    failed: boolean;
}

/** How the tool of an item is defined. Lists leave it out where it is long or was answered; then it is read by itself. */
export function useDefined(item: InboxItem): Defined {
    const [read, setRead] = useState<{ id: string; definition: unknown; failed: boolean } | null>(null);
    const left = Boolean(item.definitionState) && (item.definition ?? null) === null;
    useEffect(() => {
        if (!left) return;
        void getInboxItem(item.id).then(r =>
            setRead({ id: item.id, definition: r.ok ? (r.value.definition ?? null) : null, failed: !r.ok }),
        );
    }, [left, item.id]);
    const own = read?.id === item.id ? read : null;
    const definition = left ? (own?.definition ?? null) : (item.definition ?? null);
    return { definition, lacking: left && definition === null, failed: own?.failed ?? false };
}

/** Nothing where a person has allowed the tool as it is. */
export function Definition({ item, defined }: { item: InboxItem; defined: Defined }) {
    if (!item.definitionState) return null;
    if (defined.lacking)
        return (
            <p class="definition">
                {defined.failed
                    ? 'The definition of this tool could not be loaded. Reload the page.'
                    : 'Loading the definition of this tool…'}
            </p>
        );
    return (
        <section class="definition" aria-label={`What ${item.tool} is`}>
            <p>
                <strong>
                    {item.definitionState === 'new'
                        ? 'This tool has not been used here before.'
                        : 'The definition of this tool has changed since it was allowed.'}
                </strong>{' '}
                The definition by its server:
            </p>
            <dl>
                {definitionParts(defined.definition).map(([label, text]) => (
                    <div key={label}>
                        <dt>{plain(label, true)}</dt>
                        <dd>
                            <pre tabIndex={0} aria-label={label}>
                                {plain(text, true)}
                            </pre>
                        </dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}
