import { useSignal } from '@preact/signals';
import { Button, Dialog, Field, Icon, Menu, TroubleBox, type MenuItem } from '../../parts/parts';
import type { Trouble } from '../../api/client';
import { go } from '../../store/place';
import { state } from '../../store/store';
import { makeWorld } from './actions';

const form = /^[a-z0-9][a-z0-9_-]{0,63}$/;

function wrong(name: string): string | null {
    if (!name) return null;
    return form.test(name.toLowerCase())
        ? null
        : 'Letters, digits, - and _ only, at most 64, beginning with a letter or a digit.';
}

export function NewWorld({ onClose }: { onClose: () => void }) {
    const name = useSignal('');
    const trouble = useSignal<Trouble | null>(null);
    const busy = useSignal(false);
    const save = async () => {
        if (!name.value || wrong(name.value) || busy.value) return;
        busy.value = true;
        const made = await makeWorld(name.value.toLowerCase());
        busy.value = false;
        if (made.ok) onClose();
        else trouble.value = made.trouble;
    };
    const actions = (
        <>
            <Button onClick={onClose}>Cancel</Button>
            <Button
                kind="main"
                disabled={!name.value || !!wrong(name.value)}
                busy={busy.value}
                onClick={save}
            >
                Create the world
            </Button>
        </>
    );
    return (
        <Dialog title="New world" onClose={onClose} actions={actions}>
            <p class="muted">A world has its own agents, conversations and settings.</p>
            <Field
                label="Name"
                value={name.value}
                error={wrong(name.value)}
                maxLength={64}
                autoFocus
                required
                hint="Lower-case letters, digits, - and _"
                onEnter={save}
                onInput={value => {
                    name.value = value.trim();
                    trouble.value = null;
                }}
            />
            {trouble.value && <TroubleBox trouble={trouble.value} safe="No world was created." />}
        </Dialog>
    );
}

export function WorldMenu() {
    const making = useSignal(false);
    const { worlds, open } = state.value;
    const items: MenuItem[] = worlds.map(one => ({
        label: one.name,
        hint: one.description ?? undefined,
        checked: one.name === open,
        run: () => go({ kind: 'world', w: one.name }),
    }));
    items.push({
        label: 'New world…',
        apart: worlds.length > 0,
        run: () => {
            making.value = true;
        },
    });
    if (open)
        items.push({ label: `Agents of ${open}`, keys: 'g a', run: () => go({ kind: 'agents', w: open }) });
    const button = (
        <>
            <span class="frame-world-name">{open ?? 'no world'}</span>
            <Icon name="chevronDown" />
        </>
    );
    return (
        <>
            <Menu
                label={`${open ?? 'no world'}: switch the world`}
                items={items}
                button={button}
                class="frame-world"
            />
            {making.value && (
                <NewWorld
                    onClose={() => {
                        making.value = false;
                    }}
                />
            )}
        </>
    );
}
