// progress.ts: how far a running edit is.
import { signal } from '@preact/signals';
import type { FailedAgent } from '../../api/types';
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

/** Agents whose memory could not be changed, until they are retried or put away. */
export const partial = signal<{ messageId: string; done: string[]; failed: FailedAgent[] } | null>(null);
