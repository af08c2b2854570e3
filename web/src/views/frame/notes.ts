import { effect } from '@preact/signals';
import { dropSubject } from '../../parts/parts';
import { selecting } from '../../store/focus';
import { place } from '../../store/place';
import { chat } from '../../store/store';

/** Notes about a version, a selection or the queue go when that has changed: what they offer would fail. */
export function keepNotesTrue(): () => void {
    let thread: string | null = null;
    let waited = 0;
    const ends = [
        effect(() => {
            const now = chat.value?.thread ?? thread;
            if (thread !== null && now !== thread) dropSubject('version', thread);
            thread = now;
        }),
        effect(() => {
            const waits = chat.value?.queue.length ?? 0;
            if (waited > 0 && waits === 0) dropSubject('queue');
            waited = waits;
        }),
        effect(() => {
            const here = place.value;
            if (!selecting.value || here.kind !== 'chat' || here.view !== 'chat') dropSubject('selection');
        }),
    ];
    return () => ends.forEach(end => end());
}
