// memory-chip.tsx: hides messages that agents only have in memory; remembered on this device.

import { useComputed } from '@preact/signals';
import { prefs, setPref } from '../../store/prefs';
import { painted } from './paint';

/** Shown only where there is something to hide. */
export function MemoryChip() {
    const some = useComputed(() => painted.value.shown.rows.some(m => m.memoryOnly)).value;
    const hide = prefs.value.hideInMemory;
    if (!some && !hide) return null;
    return (
        <button
            type="button"
            class="tags-button chat-memory-chip"
            aria-pressed={hide}
            onClick={() => setPref('hideInMemory', !hide)}
        >
            {hide ? <span aria-hidden="true">✓ </span> : null}Hide in-memory
        </button>
    );
}
