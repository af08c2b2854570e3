import { signal, useSignal } from '@preact/signals';
import { Dialog, Empty, Field } from '../parts/parts';
import { prefs } from '../store/prefs';
import { screenCommands, type Command } from './commands';
import { commandGroups, fixedGroups, type Group, type Line } from './help-groups';
import { showKeys } from './keymap';
import { inChatView } from './letters';
import './keys.css';

const open = signal(false);

export function openHelp(): void {
    open.value = true;
}

/** What the sheet lists of the screen below; a search leaves what fits. */
export function helpGroups(search: string, commands: Command[] = screenCommands()): Group[] {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (group: Group, line: Line) => {
        const text =
            `${group.where} ${line.title} ${line.keys.map(showKeys).join(' ')} ${line.keys.join(' ')}`.toLowerCase();
        return words.every(word => text.includes(word));
    };
    return [...commandGroups(commands), ...fixedGroups()]
        .map(group => ({ where: group.where, lines: group.lines.filter(line => fits(group, line)) }))
        .filter(group => group.lines.length > 0);
}

function Keys({ keys }: { keys: string[] }) {
    return (
        <span class="help-keys">
            {keys.map((one, at) => (
                <span key={one}>
                    {at > 0 && <span class="muted"> or </span>}
                    {showKeys(one)
                        .split(' ')
                        .map((piece, n) => (
                            <kbd key={n}>{piece}</kbd>
                        ))}
                </span>
            ))}
        </span>
    );
}

function Sheet() {
    const search = useSignal('');
    const groups = helpGroups(search.value);
    return (
        <Dialog
            title="Keys of this screen"
            onClose={() => {
                open.value = false;
            }}
            wide
        >
            <Field
                label="Find a key"
                hideLabel
                type="search"
                placeholder="Find: undo, g i, tree …"
                autoFocus
                maxLength={100}
                value={search.value}
                onInput={value => {
                    search.value = value;
                }}
            />
            {!prefs.value.keys && (
                <p class="help-off">Single keys are switched off; keys with Ctrl or ⌘ work.</p>
            )}
            {inChatView() && (
                <p class="help-off">
                    Letters you type go into the message box. Keys of one letter work while a message is
                    selected: <kbd>Esc</kbd> in the box selects one.
                </p>
            )}
            <div class="help-groups">
                {groups.map(group => (
                    <section key={group.where} class="help-group">
                        <h3>{group.where}</h3>
                        <dl>
                            {group.lines.map(line => (
                                <div key={line.keys.join()} class="help-line">
                                    <dt>{line.title}</dt>
                                    <dd>
                                        <Keys keys={line.keys} />
                                    </dd>
                                </div>
                            ))}
                        </dl>
                    </section>
                ))}
                {groups.length === 0 && (
                    <Empty>
                        No key fits. <kbd>&gt;</kbd> in the palette finds commands without keys.
                    </Empty>
                )}
            </div>
            <p class="help-foot">
                <a
                    href="/settings/keyboard"
                    onClick={() => {
                        open.value = false;
                    }}
                >
                    Change keys
                </a>
            </p>
        </Dialog>
    );
}

export function Help() {
    return open.value ? <Sheet /> : null;
}
