import { useState } from 'preact/hooks';
import { Button, Checkbox, Field, IconButton, Select } from '../../parts/parts';
import { focused } from '../../store/focus';
import { prefs, setPref } from '../../store/prefs';
import { world } from '../../store/store';
import { useNarrow } from '../shared/narrow';
import { grouped } from '../shared/words';
import { SHOWS, type Show } from './model';
import { agent, found, show, toMatch, words } from './state';

function Filters() {
    const names = Object.keys(world.value?.agents ?? {}).sort();
    const pickAgent = (name: string) => {
        agent.value = name;
        show.value = name ? 'agent' : 'all';
    };
    const pickShow = (id: string) => {
        show.value = id as Show;
        if (id === 'agent') agent.value ||= names[0] ?? '';
        else agent.value = '';
    };
    return (
        <div class="tree-filters">
            <Select
                label="Show"
                value={show.value}
                options={SHOWS.map(s => ({ value: s.id, label: s.label }))}
                onPick={pickShow}
            />
            <Select
                label="Agent"
                value={agent.value}
                onPick={pickAgent}
                options={[{ value: '', label: 'any' }, ...names.map(name => ({ value: name, label: name }))]}
            />
            <Checkbox
                label="hide in-memory"
                checked={prefs.value.hideInMemory}
                onChange={on => setPref('hideInMemory', on)}
            />
        </div>
    );
}

function where(): string {
    if (!words.value.trim()) return '';
    const all = found.value;
    if (all.length === 0) return 'no match';
    const at = focused.value === null ? -1 : all.indexOf(focused.value);
    return at < 0 ? `${grouped(all.length)} found` : `${grouped(at + 1)} of ${grouped(all.length)}`;
}

function Find({ narrow }: { narrow: boolean }) {
    return (
        <div class="tree-find" role="search">
            <Field
                label="Find in tree"
                type="search"
                hideLabel={narrow}
                placeholder={narrow ? 'Find in tree' : undefined}
                maxLength={500}
                value={words.value}
                onInput={v => {
                    words.value = v;
                }}
                onEnter={() => toMatch(1)}
            />
            <span class={`tree-found${words.value ? ' tree-finding' : ''}`} role="status">
                {where()}
            </span>
            <IconButton
                label="Previous match"
                icon="up"
                disabled={found.value.length === 0}
                onClick={() => toMatch(-1)}
            />
            <IconButton
                label="Next match"
                icon="down"
                disabled={found.value.length === 0}
                onClick={() => toMatch(1)}
            />
        </div>
    );
}

/** On a telephone the filters are behind a button, and the button says when one is in use. */
export function TreeTools() {
    const narrow = useNarrow();
    const [open, setOpen] = useState(false);
    const inUse = show.value !== 'all' || prefs.value.hideInMemory;
    return (
        <div class="tree-tools">
            {(!narrow || open) && <Filters />}
            <Find narrow={narrow} />
            {narrow && (
                <Button small pressed={open} onClick={() => setOpen(!open)}>
                    {inUse ? 'Filter: on' : 'Filter'}
                </Button>
            )}
        </div>
    );
}
