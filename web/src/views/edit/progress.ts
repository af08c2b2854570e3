// progress.ts: how far a running edit is.
import { signal } from '@preact/signals';
import type { Backup } from './backup';

export interface Progress {
    backup: Backup;
    step: 'removing' | 'sending' | 'responding';
    removed: number;
    agentsDone: number;
    agentsTotal: number;
    /** the person wants it not to happen; whether it did is not known yet */
    cancelled?: boolean;
}

export const progress = signal<Progress | null>(null);
