import { useLayoutEffect, useState } from 'preact/hooks';
import { knownCommands, type Command } from '../../keys/commands';
import { clashes, isSingle, keysOf, showKeys, stroke } from '../../keys/keymap';
import { Button, Checkbox, Dialog, Field, Radios } from '../../parts/parts';
import { prefs, setPref } from '../../store/prefs';

const settingsOf = () => ({ single: prefs.value.keys, changed: prefs.value.keymap });

function withKeys(id: string, keys: string[] | null): void {
    const { [id]: _was, ...rest } = prefs.value.keymap;
    setPref('keymap', keys === null ? rest : { ...rest, [id]: keys });
}

export function KeyboardTab() {
    const [find, setFind] = useState('');
    const [recording, setRecording] = useState<Command | null>(null);
    const commands = knownCommands().filter(c =>
        `${c.where} ${c.title} ${c.id}`.toLowerCase().includes(find.toLowerCase()),
    );
    const places = [...new Set(commands.map(c => c.where))];
    return (
        <div class="settings-form">
            <Checkbox
                label="Single keys act"
                checked={prefs.value.keys}
                onChange={v => setPref('keys', v)}
                hint="j, k, e and others. They never act while you type, and in a chat only while a message is selected. Keys with Ctrl or Alt work in any case."
            />
            <Radios
                label="In the message box"
                value={prefs.value.enterSends ? 'enter' : 'ctrl'}
                onPick={v => setPref('enterSends', v === 'enter')}
                options={[
                    { value: 'enter', label: 'Enter sends, Shift Enter makes a new line' },
                    { value: 'ctrl', label: 'Ctrl Enter sends, Enter makes a new line' },
                ]}
            />
            <Field label="Find a key or a command" type="search" value={find} onInput={setFind} />
            {places.map(where => (
                <section key={where} aria-label={where}>
                    <h3 class="keys-where">{where}</h3>
                    <ul class="keys-rows">
                        {commands
                            .filter(c => c.where === where)
                            .map(c => (
                                <KeyRow key={c.id} command={c} onRecord={() => setRecording(c)} />
                            ))}
                    </ul>
                </section>
            ))}
            <p class="muted">
                Keys of a screen are listed once it was opened.{' '}
                {Object.keys(prefs.value.keymap).length > 0 && (
                    <Button small onClick={() => setPref('keymap', {})}>
                        Reset all keys
                    </Button>
                )}
            </p>
            {recording && <Recorder command={recording} onClose={() => setRecording(null)} />}
        </div>
    );
}

function KeyRow({ command, onRecord }: { command: Command; onRecord: () => void }) {
    const keys = keysOf(command, settingsOf());
    const changed = prefs.value.keymap[command.id] !== undefined;
    const off = !prefs.value.keys && keys.length > 0 && keys.every(isSingle);
    return (
        <li>
            <span>{command.title}</span>
            <span class="keys-shown">
                {keys.length === 0 ? (
                    <span class="muted">none</span>
                ) : (
                    keys.map(k => <kbd key={k}>{showKeys(k)}</kbd>)
                )}
                {off && <span class="muted">off</span>}
                {changed && <span class="muted">changed</span>}
            </span>
            <span class="settings-actions">
                <Button small onClick={onRecord} label={`Change the keys of ${command.title}`}>
                    Change
                </Button>
                {changed && (
                    <Button
                        small
                        kind="quiet"
                        onClick={() => withKeys(command.id, null)}
                        label={`Reset the keys of ${command.title}`}
                    >
                        Reset
                    </Button>
                )}
            </span>
        </li>
    );
}

/** The next key that is pressed. Escape and Tab keep their meaning, or nobody could leave. */
function Recorder({ command, onClose }: { command: Command; onClose: () => void }) {
    const [keys, setKeys] = useState('');
    useLayoutEffect(() => {
        const press = (event: KeyboardEvent): void => {
            if (['Escape', 'Tab', 'Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
            const onButton = event.target instanceof HTMLElement && event.target.closest('button') !== null;
            if (onButton && (event.key === 'Enter' || event.key === ' ')) return;
            event.preventDefault();
            event.stopPropagation();
            const one = stroke(event);
            // Two strokes in a row, such as g i; a third starts again.
            setKeys(was =>
                was === '' || was.includes(' ') || one.includes('Ctrl+') ? one : `${was} ${one}`,
            );
        };
        document.addEventListener('keydown', press, true);
        return () => document.removeEventListener('keydown', press, true);
    }, []);
    const clash = keys === '' ? [] : clashes(knownCommands(), command.id, keys, settingsOf());
    return (
        <Dialog
            title={`Keys of “${command.title}”`}
            onClose={onClose}
            actions={
                <>
                    <Button onClick={() => setKeys('')} disabled={keys === ''}>
                        Again
                    </Button>
                    <Button
                        onClick={() => {
                            withKeys(command.id, []);
                            onClose();
                        }}
                    >
                        No key
                    </Button>
                    <Button
                        kind="main"
                        disabled={keys === ''}
                        onClick={() => {
                            withKeys(command.id, [keys]);
                            onClose();
                        }}
                    >
                        Use it
                    </Button>
                </>
            }
        >
            <p>Press a key, or two in a row.</p>
            <p class="keys-record" role="status">
                {keys === '' ? '…' : <kbd>{showKeys(keys)}</kbd>}
            </p>
            {clash.length > 0 && (
                <p class="keys-clash" role="alert">
                    ✕ Also used by: {clash.map(c => `${c.title} (${c.where})`).join(', ')}. Where both are
                    there, the inner one wins.
                </p>
            )}
        </Dialog>
    );
}
