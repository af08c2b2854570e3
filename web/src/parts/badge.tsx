import type { ComponentChildren } from 'preact';
import './marks.css';

export interface BadgeProps {
    children: ComponentChildren;
    kind?: 'plain' | 'ok' | 'warn' | 'error' | 'accent' | 'muted';
    title?: string;
}

/** A few words in a box: scripted, read only, v7. */
export function Badge({ children, kind = 'plain', title }: BadgeProps) {
    return (
        <span class={`badge badge-${kind}`} title={title}>
            {children}
        </span>
    );
}

/** How many: an unread count. Nothing at all for zero. */
export function Count({ value, label, alert }: { value: number; label?: string; alert?: boolean }) {
    if (value <= 0) return null;
    return (
        <span class={`count${alert ? ' count-alert' : ''}`}>
            {value > 999 ? '999+' : value}
            {label && <span class="visually-hidden"> {label}</span>}
        </span>
    );
}

export type Mark =
    | 'working'
    | 'asks'
    | 'idle'
    | 'background'
    | 'failed'
    | 'paused'
    | 'done'
    | 'queued'
    | 'thinking'
    | 'writing'
    | 'tool'
    | 'waiting'
    | 'unknown';

const marks: Record<Mark, { shape: string; word: string }> = {
    working: { shape: '●', word: 'working' },
    thinking: { shape: '●', word: 'thinking' },
    writing: { shape: '●', word: 'writing' },
    tool: { shape: '●', word: 'using a tool' },
    waiting: { shape: '◌', word: 'waiting' },
    queued: { shape: '◌', word: 'queued' },
    asks: { shape: '◐', word: 'asks you' },
    idle: { shape: '○', word: 'idle' },
    background: { shape: '◌', word: 'background' },
    failed: { shape: '✕', word: 'failed' },
    paused: { shape: '‖', word: 'paused' },
    done: { shape: '✓', word: 'done, unread' },
    unknown: { shape: '○', word: 'unknown' },
};

export function markWord(state: string): string {
    return marks[state as Mark]?.word ?? state;
}

export function markShape(state: string): string {
    return marks[state as Mark]?.shape ?? '○';
}

export interface StateMarkProps {
    state: Mark | string;
    /** Words in place of the default ones: the name of the tool. */
    detail?: string | null;
    /** The shape alone is seen, the word is still read out. */
    shapeOnly?: boolean;
    wordOnly?: boolean;
}

/** A state is a shape and a word, never only a colour. */
export function StateMark({ state, detail, shapeOnly, wordOnly }: StateMarkProps) {
    const word = detail || markWord(state);
    return (
        <span class={`mark mark-${state}`}>
            {!wordOnly && (
                <span class="mark-shape" aria-hidden="true">
                    {markShape(state)}
                </span>
            )}
            <span class={shapeOnly ? 'visually-hidden' : 'mark-word'}>{word}</span>
        </span>
    );
}

/** The same agent has the same colour everywhere, on every device, without anybody choosing it. */
export function agentHue(name: string): number {
    let hash = 0;
    for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
    return hash % 8;
}

export function AgentName({ name, plain }: { name: string; plain?: boolean }) {
    return <span class={`agent-name agent-hue-${agentHue(name)}`}>{plain ? name : `@${name}`}</span>;
}
