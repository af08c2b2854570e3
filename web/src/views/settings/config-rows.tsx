import type { Settings } from '../../api/types';
import { entryOf, shown } from './settings-data';

export interface ConfigRowsProps {
    settings: Settings | null;
    rows: readonly [name: string, label: string][];
}

/** Values that only files, variables and options change: with where each comes from. */
export function ConfigRows({ settings, rows }: ConfigRowsProps) {
    const known = rows
        .map(([name, label]) => ({ name, label, entry: entryOf(settings, name) }))
        .filter(r => r.entry !== null);
    if (known.length === 0) return null;
    return (
        <table class="settings-config">
            <caption class="visually-hidden">Configuration values and their origin</caption>
            <thead>
                <tr>
                    <th scope="col">Setting</th>
                    <th scope="col">Value</th>
                    <th scope="col">Origin</th>
                </tr>
            </thead>
            <tbody>
                {known.map(({ name, label, entry }) => (
                    <tr key={name}>
                        <th scope="row">
                            {label}
                            <code>{name}</code>
                        </th>
                        <td data-label="Value">{shown(entry?.value)}</td>
                        <td data-label="Origin">
                            {entry?.origin}
                            {entry?.restart && <span class="muted"> · a change needs a restart</span>}
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}
