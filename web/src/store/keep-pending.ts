// keep-pending.ts: what was said and not confirmed, kept in the browser: a reload must not lose it.

import { newKey } from '../api/client';
import { keep, kept } from './keep';
import type { Pending } from './state';

const keyOf = (w: string, c: string): string => `skein.pending.${w}.${c}`;

export function keepPending(w: string, c: string, pending: Pending[]): void {
    keep(keyOf(w, c), pending.length > 0 ? pending : null);
}

function asPending(value: unknown): Pending | null {
    if (value === null || typeof value !== 'object') return null;
    const p = value as Partial<Pending>;
    if (typeof p.content !== 'string' || typeof p.clientMessageId !== 'string') return null;
    return {
        clientMessageId: p.clientMessageId,
        content: p.content,
        replyTo: typeof p.replyTo === 'string' ? p.replyTo : null,
        instructions: Array.isArray(p.instructions) ? p.instructions : [],
        files: Array.isArray(p.files) ? p.files : undefined,
        // What was under way when the page went is not known to have arrived: it is sent again, with its key.
        state: p.state === 'failed' ? 'failed' : 'waiting',
        trouble: p.trouble,
        at: typeof p.at === 'number' ? p.at : 0,
        key: typeof p.key === 'string' ? p.key : newKey(),
        now: p.now === true,
        agent: typeof p.agent === 'string' ? p.agent : undefined,
    };
}

export function keptPending(w: string, c: string): Pending[] {
    const stored = kept(keyOf(w, c));
    return Array.isArray(stored) ? stored.map(asPending).filter(p => p !== null) : [];
}
