// files.tsx: files of messages: those in the box, and those that were sent.

import type { Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { File as Kept } from '../../api/types';
import { IconButton, toast } from '../../parts/parts';
import type { Draft } from '../../store/drafts';
import { world } from '../../store/store';
import { fileAddress, upload } from '../../store/uploads';
import { grouped } from '../shared/words';

const isShown = (f: Kept): boolean => f.width !== undefined && f.height !== undefined;

/** Sends files on, one after the other, and puts them into the box. */
export async function attach(w: string, own: Signal<Draft>, files: Iterable<File>): Promise<void> {
    for (const file of files) {
        const got = await upload(w, file);
        if (!got.ok) {
            toast({ text: `${file.name}: ${got.trouble.detail} ${got.trouble.hint ?? ''}`, kind: 'warn' });
            continue;
        }
        const before = (own.peek().files ?? []).filter(f => f.id !== got.value.id);
        own.value = { ...own.peek(), files: [...before, got.value] };
    }
}

/** Files that are dropped or pasted; none: the browser does what it does with text. */
export function filesOf(data: DataTransfer | null): File[] {
    return data ? [...data.files] : [];
}

function Picture({ w, file }: { w: string; file: Kept }) {
    return (
        <img
            src={fileAddress(w, file.id)}
            alt={file.name}
            width={file.width}
            height={file.height}
            loading="lazy"
            decoding="async"
        />
    );
}

export function AttachButton({ w, own }: { w: string; own: Signal<Draft> }) {
    const chooser = useRef<HTMLInputElement>(null);
    return (
        <>
            <input
                ref={chooser}
                type="file"
                multiple
                hidden
                aria-hidden="true"
                tabIndex={-1}
                onChange={e => {
                    void attach(w, own, [...(e.currentTarget.files ?? [])]);
                    e.currentTarget.value = '';
                }}
            />
            <button type="button" class="chat-attach" onClick={() => chooser.current?.click()}>
                Attach
            </button>
        </>
    );
}

/** What the message in the box will carry. */
export function DraftFiles({ w, own }: { w: string; own: Signal<Draft> }) {
    const files = own.value.files ?? [];
    if (files.length === 0) return null;
    return (
        <ul class="chat-files chat-files-draft" aria-label="Files of the message">
            {files.map(f => (
                <li key={f.id}>
                    {isShown(f) ? <Picture w={w} file={f} /> : null}
                    <span dir="auto">{f.name}</span>
                    <IconButton
                        icon="close"
                        label={`Remove ${f.name}`}
                        onClick={() => {
                            const rest = (own.peek().files ?? []).filter(x => x.id !== f.id);
                            own.value = { ...own.peek(), files: rest };
                        }}
                    />
                </li>
            ))}
        </ul>
    );
}

/** What a message carries: images are shown, and everything can be opened. */
export function MessageFiles({ files }: { files: Kept[] }) {
    const w = world.value?.world.name ?? '';
    return (
        <ul class="chat-files">
            {files.map(f => (
                <li key={f.id}>
                    <a href={fileAddress(w, f.id)} target="_blank" rel="noreferrer" title={f.name}>
                        {isShown(f) ? (
                            <Picture w={w} file={f} />
                        ) : (
                            <span dir="auto">{`${f.name} · ${grouped(f.size)} bytes`}</span>
                        )}
                    </a>
                </li>
            ))}
        </ul>
    );
}
