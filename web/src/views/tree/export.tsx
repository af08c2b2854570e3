// export.tsx: a conversation, or one thread of it, as a file or as text to paste.

import { useEffect, useState } from 'preact/hooks';
import { exportChat } from '../../api/calls';
import type { Trouble } from '../../api/client';
import { Button, Checkbox, Dialog, Radios, toast, TroubleBox } from '../../parts/parts';

type Format = 'md' | 'json' | 'jsonl' | 'mermaid' | 'html' | 'skein';

const FORMATS: { value: Format; label: string }[] = [
    { value: 'md', label: 'Markdown' },
    { value: 'json', label: 'JSON' },
    { value: 'jsonl', label: 'JSON lines' },
    { value: 'mermaid', label: 'Mermaid' },
    { value: 'html', label: 'one HTML file' },
];
const ENDINGS: Record<Format, string> = {
    md: 'md',
    json: 'json',
    jsonl: 'jsonl',
    mermaid: 'mmd',
    html: 'html',
    skein: 'skein',
};

export interface Wanted {
    w: string;
    c: string;
    v: string | null;
    /** null: the whole conversation */
    root: string | null;
}

export interface Choices {
    format: Format;
    memoryOnly: boolean;
    delegations: boolean;
    redact: boolean;
}

type Written = { ok: true; text: string } | { ok: false; trouble: Trouble };

export async function written(what: Wanted, how: Choices): Promise<Written> {
    const answer = await exportChat(
        what.w,
        what.c,
        {
            format: how.format,
            root: what.root ?? undefined,
            threadId: what.v ?? undefined,
            memoryOnly: how.memoryOnly,
            delegations: how.delegations ? 'full' : 'none',
            redact: how.redact || undefined,
        },
        { timeoutMs: 0 },
    );
    if (!answer.ok) return answer;
    const { value } = answer;
    if (value instanceof Blob) return { ok: true, text: await value.text() };
    return { ok: true, text: typeof value === 'string' ? value : JSON.stringify(value, null, 2) };
}

export function saveBlob(name: string, content: Blob): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(content);
    link.download = name;
    link.click();
    // The browser reads it after the click; a minute is more than enough for that.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

export async function copy(text: string, what: string): Promise<boolean> {
    try {
        await navigator.clipboard.writeText(text);
        toast({ text: `${what} copied.` });
        return true;
    } catch {
        toast({
            kind: 'warn',
            text: `This browser does not allow copying. Select the text and copy it by hand.`,
        });
        return false;
    }
}

const MERMAID: Choices = { format: 'mermaid', memoryOnly: true, delegations: true, redact: false };

export async function copyMermaid(
    p: { w: string; c: string; v?: string },
    root: string | null,
): Promise<void> {
    const answer = await written({ w: p.w, c: p.c, v: p.v ?? null, root }, MERMAID);
    if (answer.ok) await copy(answer.text, 'Mermaid text');
    else toast({ kind: 'error', text: `The Mermaid text was not exported: ${answer.trouble.detail}` });
}

/** The text of a diagram: to read and copy, without anything that draws it. */
function Mermaid({ what }: { what: Wanted }) {
    const [got, setGot] = useState<Written | null>(null);
    useEffect(() => {
        void written(what, MERMAID).then(setGot);
    }, [what.root, what.v]);
    if (!got) return <p role="status">Writing…</p>;
    if (!got.ok) return <TroubleBox trouble={got.trouble} />;
    return (
        <textarea
            class="input tree-mermaid"
            readOnly
            rows={14}
            aria-label="Mermaid text"
            value={got.text}
            spellcheck={false}
        />
    );
}

function Options({ how, change }: { how: Choices; change: (c: Partial<Choices>) => void }) {
    return (
        <div class="tree-export">
            <Radios
                label="Form"
                value={how.format}
                options={FORMATS}
                onPick={v => change({ format: v as Format })}
            />
            <div>
                <Checkbox
                    label="include in-memory messages"
                    checked={how.memoryOnly}
                    onChange={memoryOnly => change({ memoryOnly })}
                />
                <Checkbox
                    label="include delegations"
                    checked={how.delegations}
                    onChange={delegations => change({ delegations })}
                />
                <Checkbox
                    label="replace names and keys"
                    checked={how.redact}
                    onChange={redact => change({ redact })}
                />
            </div>
        </div>
    );
}

export interface ExportDialogProps extends Wanted {
    mermaid?: boolean;
    onClose: () => void;
}

export function ExportDialog({ mermaid, onClose, ...what }: ExportDialogProps) {
    const [how, setHow] = useState<Choices>({
        format: 'md',
        memoryOnly: true,
        delegations: true,
        redact: false,
    });
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const whole = what.root === null;
    const run = async (use: (text: string) => void) => {
        const answer = await written(what, mermaid ? MERMAID : how);
        if (answer.ok) use(answer.text);
        else setTrouble(answer.trouble);
    };
    const name = `${what.root ?? what.c}.${ENDINGS[mermaid ? 'mermaid' : how.format]}`;
    const title = mermaid ? 'Mermaid text' : whole ? 'Export this conversation' : 'Export this thread';
    return (
        <Dialog
            title={title}
            onClose={onClose}
            wide={mermaid}
            actions={
                <>
                    <Button
                        kind="main"
                        onClick={() =>
                            void run(text => {
                                saveBlob(name, new Blob([text]));
                                onClose();
                            })
                        }
                    >
                        {mermaid ? 'Save' : 'Export'}
                    </Button>
                    <Button
                        onClick={() =>
                            void run(text => void copy(text, mermaid ? 'Mermaid text' : 'The thread'))
                        }
                    >
                        Copy
                    </Button>
                </>
            }
        >
            {mermaid ? <Mermaid what={what} /> : <Options how={how} change={c => setHow({ ...how, ...c })} />}
            {trouble && <TroubleBox trouble={trouble} safe="Nothing was changed." />}
        </Dialog>
    );
}
