// unanswered.tsx: who did not answer a message, for views that show it as one line.

import { chat } from '../../store/store';
import { stoppedWords } from './stopped';

/** `✕ ada failed`, `✕ ada was stopped while it used send`; why it failed is its title. */
export function Unanswered({ id, of }: { id: string | null | undefined; of: 'tree' | 'timeline' }) {
    const failed = Object.values(chat.value?.failed ?? {}).filter(f => f.lane === 'main' && f.replyTo === id);
    const rows = chat.value?.rows ?? [];
    return (
        <>
            {failed.map(f => (
                <span key={f.agent} class={`${of}-unanswered`} title={f.detail || undefined}>
                    ✕ {f.agent} {f.stopped ? stoppedWords(f, rows) : `failed: ${f.detail}`}
                </span>
            ))}
        </>
    );
}
