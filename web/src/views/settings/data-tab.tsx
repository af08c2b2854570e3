import { useRef, useState } from 'preact/hooks';
import { exportWorld, importWorld } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { ImportReport, Settings } from '../../api/types';
import { Button, Checkbox, Dialog, Field, Select, toast, TroubleBox } from '../../parts/parts';
import { go } from '../../store/place';
import { refreshWorld, state } from '../../store/store';
import { bytes, count, grouped } from '../shared/words';
import { ConfigRows } from './config-rows';

type Format = 'skein' | 'md' | 'json' | 'jsonl' | 'html';
const FORMATS: { value: Format; label: string; hint?: string }[] = [
    { value: 'skein', label: 'Archive (.skein)', hint: 'Everything. It can be imported.' },
    { value: 'jsonl', label: 'JSON lines', hint: 'Everything. It can be imported.' },
    { value: 'json', label: 'JSON' },
    { value: 'md', label: 'Markdown', hint: 'To read.' },
    { value: 'html', label: 'HTML', hint: 'To read.' },
];

export function DataTab({ settings }: { settings: Settings | null }) {
    return (
        <>
            <section aria-labelledby="data-worlds">
                <h2 id="data-worlds">Worlds</h2>
                <Sizes />
            </section>
            <Export />
            <Import />
            <section aria-labelledby="data-where">
                <h2 id="data-where">Location</h2>
                <ConfigRows
                    settings={settings}
                    rows={[
                        ['data.dir', 'Folder'],
                        ['data.backupEvery', 'A backup every'],
                        ['data.keepBackups', 'Backups to keep'],
                        ['data.eventRetention', 'Events are stored for'],
                    ]}
                />
            </section>
        </>
    );
}

function Sizes() {
    return (
        <table class="settings-config">
            <caption class="visually-hidden">Sizes of the worlds</caption>
            <thead>
                <tr>
                    <th scope="col">World</th>
                    <th scope="col">Agents</th>
                    <th scope="col">Conversations</th>
                    <th scope="col">Messages</th>
                </tr>
            </thead>
            <tbody>
                {state.value.worlds.map(w => (
                    <tr key={w.id}>
                        <th scope="row">{w.name}</th>
                        <td data-label="Agents">{grouped(w.agents.length)}</td>
                        <td data-label="Conversations">{grouped(w.chats.length)}</td>
                        <td data-label="Messages">
                            {grouped(w.chats.reduce((n, c) => n + c.messageCount, 0))}
                        </td>
                    </tr>
                ))}
            </tbody>
        </table>
    );
}

/** A file for the person: the browser asks where to put it. */
function download(content: Blob, name: string): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    // The browser has it by then; the text must not stay in memory.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function Export() {
    const names = state.value.worlds.map(w => w.name);
    const [picked, setPicked] = useState<string | null>(null);
    const [format, setFormat] = useState<Format>('skein');
    const [redact, setRedact] = useState(false);
    const [busy, setBusy] = useState(false);
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const w = picked ?? state.value.open ?? names[0] ?? '';

    async function run(): Promise<void> {
        setBusy(true);
        const result = await exportWorld(w, { format, ...(redact ? { redact } : {}) }, { timeoutMs: 0 });
        setBusy(false);
        setTrouble(result.ok ? null : result.trouble);
        if (!result.ok) return;
        const value: unknown = result.value;
        const blob =
            value instanceof Blob
                ? value
                : new Blob([typeof value === 'string' ? value : JSON.stringify(value, null, 2)]);
        download(blob, `${w}.${format}`);
        toast({ text: `${w}.${format}, ${bytes(blob.size)}, was handed to the browser.`, kind: 'ok' });
    }
    return (
        <section aria-labelledby="data-export">
            <h2 id="data-export">Export, backup</h2>
            <div class="settings-pair">
                <Select
                    label="World"
                    value={w}
                    onPick={setPicked}
                    options={names.map(n => ({ value: n, label: n }))}
                />
                <Select
                    label="As"
                    value={format}
                    onPick={v => setFormat(v as Format)}
                    options={FORMATS}
                    hint={FORMATS.find(one => one.value === format)?.hint}
                />
            </div>
            <Checkbox
                label="Without texts that look like keys"
                checked={redact}
                onChange={setRedact}
                hint="Texts in messages that look like a key or a password are replaced."
            />
            {trouble && <TroubleBox trouble={trouble} safe="Nothing was changed." />}
            <div class="settings-actions">
                <Button kind="main" busy={busy} disabled={busy || w === ''} onClick={() => void run()}>
                    Download
                </Button>
            </div>
        </section>
    );
}

function Import() {
    const file = useRef<HTMLInputElement>(null);
    const [chosen, setChosen] = useState<{ blob: File; report: ImportReport } | null>(null);
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const [busy, setBusy] = useState(false);
    const [name, setName] = useState('');
    // The very same world cannot be there twice, whatever it is called; another one of that name can.
    const taken = trouble?.status === 409 && !trouble.detail.includes('already in this store');

    async function send(blob: File, dryRun: boolean) {
        setBusy(true);
        const result = await importWorld(blob, {
            query: { dryRun, filename: blob.name, ...(name.trim() ? { name: name.trim() } : {}) },
            headers: { 'Content-Type': 'application/octet-stream' },
            timeoutMs: 0,
        });
        setBusy(false);
        setTrouble(result.ok ? null : result.trouble);
        return result.ok ? result.value : null;
    }
    async function look(): Promise<void> {
        const blob = file.current?.files?.[0];
        if (!blob) return;
        const report = await send(blob, true);
        if (report) setChosen({ blob, report });
    }
    async function really(): Promise<void> {
        if (!chosen) return;
        const report = await send(chosen.blob, false);
        if (!report) return;
        setChosen(null);
        setName('');
        toast({ text: `${report.world} was imported: ${count(report.messages, 'message')}.`, kind: 'ok' });
        await refreshWorld();
        go({ kind: 'world', w: report.world });
    }
    return (
        <section aria-labelledby="data-import">
            <h2 id="data-import">Import</h2>
            <p class="muted measure">
                An archive (.skein), JSON lines, or a store of agent-world as one file. It becomes a new
                world; nothing that is there changes.
            </p>
            <div class="settings-actions">
                <label class="settings-file">
                    <span class="visually-hidden">File to import</span>
                    <input
                        ref={file}
                        type="file"
                        disabled={busy || state.value.readOnly}
                        onChange={() => void look()}
                    />
                </label>
            </div>
            {trouble && <TroubleBox trouble={trouble} safe="Nothing was changed." />}
            {(taken || name !== '') && (
                <form
                    class="settings-form"
                    onSubmit={e => {
                        e.preventDefault();
                        void look();
                    }}
                >
                    <Field
                        label="Name of the new world"
                        value={name}
                        onInput={setName}
                        maxLength={64}
                        hint="Choose another name: this one is taken."
                    />
                    <div class="settings-actions">
                        <Button type="submit" disabled={busy || name.trim() === ''}>
                            Look at it again
                        </Button>
                    </div>
                </form>
            )}
            {chosen && (
                <ImportDialog
                    report={chosen.report}
                    busy={busy}
                    onClose={() => setChosen(null)}
                    onImport={() => void really()}
                />
            )}
        </section>
    );
}

function ImportDialog({
    report,
    busy,
    onClose,
    onImport,
}: {
    report: ImportReport;
    busy: boolean;
    onClose: () => void;
    onImport: () => void;
}) {
    return (
        <Dialog
            title={`Import ${report.world}?`}
            onClose={onClose}
            actions={
                <>
                    <Button onClick={onClose}>Cancel</Button>
                    <Button kind="main" autoFocus busy={busy} disabled={busy} onClick={onImport}>
                        Import
                    </Button>
                </>
            }
        >
            <p>
                {report.form}: {count(report.agents, 'agent')}, {count(report.conversations, 'conversation')},{' '}
                {count(report.versions, 'version')}, {count(report.messages, 'message')}.
            </p>
            <p>
                {report.exact
                    ? 'Nothing is omitted or invented.'
                    : `${count(report.dropped, 'row')} cannot be kept, ${count(report.linksGuessed, 'link')} guessed.`}
            </p>
            {report.notes.length > 0 && (
                <ul class="import-notes">
                    {report.notes.map(n => (
                        <li key={n}>{n}</li>
                    ))}
                </ul>
            )}
        </Dialog>
    );
}
