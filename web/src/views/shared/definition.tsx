// definition.tsx: how a tool of a tool server defines itself, read before it is first allowed. The words are the server's own, so
// they are plain text and nothing else.

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

/** [label, text] of each thing that is said; a definition that is no object is one text. */
export function definitionParts(definition: unknown): [string, string][] {
    if (definition === null || typeof definition !== 'object') return [['Definition', String(definition)]];
    return Object.entries(definition)
        .map(([key, value]): [string, string] => [
            LABELS[key] ?? key,
            typeof value === 'string' ? value : JSON.stringify(value, null, 2),
        ])
        .filter(([, text]) => text !== '');
}

/** Nothing where a person has allowed the tool as it is. */
export function Definition({ item }: { item: InboxItem }) {
    if (!item.definitionState) return null;
    return (
        <section class="definition" aria-label={`What ${item.tool} is`}>
            <p>
                <strong>
                    {item.definitionState === 'new'
                        ? 'This tool was not used here before.'
                        : 'This tool is not what it was when it was allowed.'}
                </strong>{' '}
                What its server says of it:
            </p>
            <dl>
                {definitionParts(item.definition).map(([label, text]) => (
                    <div key={label}>
                        <dt>{label}</dt>
                        <dd>
                            <pre tabIndex={0} aria-label={label}>
                                {plain(text)}
                            </pre>
                        </dd>
                    </div>
                ))}
            </dl>
        </section>
    );
}
