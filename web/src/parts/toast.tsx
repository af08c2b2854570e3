import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { alarm, announce } from './announce';
import { Button, IconButton } from './button';
import './overlays.css';

export interface ToastAction {
    label: string;
    run: () => void;
}

export interface ToastOptions {
    text: string;
    actions?: ToastAction[];
    kind?: 'info' | 'ok' | 'warn' | 'error';
    ms?: number;
    /** What it is about: a newer note about the same takes its place. */
    subject?: string;
    /** The state of the subject that it speaks of; it goes when that is over. */
    state?: string | null;
}

interface Shown extends Required<Pick<ToastOptions, 'text' | 'kind' | 'ms' | 'actions'>> {
    id: number;
    subject: string | null;
    state: string | null;
}

const most = 3;
/** A notice with an action, or about a fault, stays until it is closed. */
const least = 30_000;
/** Everything else has been said to who cannot see it, and is read in a moment. */
const brief = 8_000;
const shown = signal<Shown[]>([]);
let last = 0;

/** A note at the lower edge. What it says goes by itself; what it offers stays half a minute at least. */
export function toast(options: ToastOptions): () => void {
    const { text, actions = [], kind = 'info', ms = 0, subject = null, state = null } = options;
    const id = ++last;
    const enough = actions.length || kind === 'error' || kind === 'warn' ? least : brief;
    const note: Shown = { id, text, actions, kind, ms: Math.max(ms, enough), subject, state };
    const others = shown.value.filter(
        one => one.text !== text && (subject === null || one.subject !== subject),
    );
    shown.value = [...others, note].slice(-most);
    const say = actions.length ? `${text} ${actions.map(one => one.label).join(', ')}: press F6.` : text;
    if (kind === 'error') alarm(say);
    else announce(say);
    return () => dropToast(id);
}

export function dropToast(id: number): void {
    shown.value = shown.value.filter(one => one.id !== id);
}

/** The subject has changed: what was said about it is no longer so. With `state`, only what was said of that one. */
export function dropSubject(subject: string, state?: string): void {
    const stale = (one: Shown) => one.subject === subject && (state === undefined || one.state === state);
    if (shown.peek().some(stale)) shown.value = shown.peek().filter(one => !stale(one));
}

export function clearToasts(): void {
    shown.value = [];
}

/** The clock of a note stands still while somebody points at it or is in it. */
function useExpiry(note: Shown) {
    const held = useRef(false);
    useEffect(() => {
        let left = note.ms;
        let before = Date.now();
        const tick = setInterval(() => {
            const now = Date.now();
            if (!held.current && !document.hidden) left -= now - before;
            before = now;
            if (left <= 0) dropToast(note.id);
        }, 500);
        return () => clearInterval(tick);
    }, [note.id]);
    return held;
}

function Note({ note }: { note: Shown }) {
    const held = useExpiry(note);
    const hold = () => {
        held.current = true;
    };
    const release = () => {
        held.current = false;
    };
    return (
        <li
            class={`toast toast-${note.kind}`}
            onMouseEnter={hold}
            onMouseLeave={release}
            onFocusIn={hold}
            onFocusOut={release}
        >
            <p>{note.text}</p>
            <div class="toast-actions">
                {note.actions.map(one => (
                    <Button
                        key={one.label}
                        kind="quiet"
                        onClick={() => {
                            dropToast(note.id);
                            one.run();
                        }}
                    >
                        {one.label}
                    </Button>
                ))}
                <IconButton label={`Close: ${note.text}`} icon="close" onClick={() => dropToast(note.id)} />
            </div>
        </li>
    );
}

/** Mounted once by the frame. F6 goes to it from anywhere, so the notes are never out of reach. */
export function Toasts() {
    const list = useRef<HTMLElement>(null);
    useLayoutEffect(() => {
        const jump = (event: KeyboardEvent) => {
            if (event.key !== 'F6' || !shown.value.length) return;
            event.preventDefault();
            list.current?.querySelector<HTMLElement>('li:last-child button')?.focus();
        };
        document.addEventListener('keydown', jump);
        return () => document.removeEventListener('keydown', jump);
    }, []);
    return (
        <section ref={list} class="toasts" aria-label="Notifications" hidden={!shown.value.length}>
            <ul>
                {shown.value.map(note => (
                    <Note key={note.id} note={note} />
                ))}
            </ul>
        </section>
    );
}
