// stopped.ts: answers that a person cut short. The server tells it once, when it happens, so this browser remembers.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { keep, kept } from '../../store/keep';
import { on } from '../../store/store';

const KEY = 'skein.stopped';
const MOST = 500;

function stored(): string[] {
    const value = kept(KEY);
    return Array.isArray(value) ? value.filter(v => typeof v === 'string') : [];
}

export const stopped = signal<ReadonlySet<string>>(new Set(stored()));

export function useStopped(): void {
    useEffect(
        () =>
            on('message.completed', e => {
                if (e.data.finishReason !== 'stopped') return;
                const all = [...stopped.value, e.data.messageId].slice(-MOST);
                stopped.value = new Set(all);
                keep(KEY, all);
            }),
        [],
    );
}
