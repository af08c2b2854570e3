// summary-rule.tsx: the line across the conversation from which the model reads word for word.

import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { listSummaries } from '../../api/calls';
import type { Message } from '../../api/types';
import { Markdown } from '../../parts/markdown/markdown';
import { world } from '../../store/store';
import { grouped } from '../shared/words';
import { painted } from './paint';
import { jumpTo } from './view-state';
import { indexAt } from './window';

/** id of a summary: how many messages it stands for */
const covers = signal<Record<string, number>>({});
const asked = new Set<string>();

function useCovers(m: Message): number | null {
    useEffect(() => {
        if (asked.has(m.messageId)) return;
        asked.add(m.messageId);
        void listSummaries(world.peek()?.world.name ?? '', m.chatId, { limit: 100 }).then(a => {
            if (!a.ok) return void asked.delete(m.messageId);
            covers.value = {
                ...covers.value,
                ...Object.fromEntries(a.value.data.map(s => [s.messageId, s.covers])),
            };
        });
    }, [m.messageId]);
    return covers.value[m.messageId] ?? null;
}

export function SummaryRule({ message }: { message: Message }) {
    const open = useSignal(false);
    const n = useCovers(message);
    const first = () => {
        const { rows } = painted.peek().shown;
        const row = rows[indexAt(rows, message.position - (n ?? 0))];
        if (row) jumpTo(row.messageId);
    };
    return (
        <div class="chat-summary">
            <p>
                {n === null ? 'Summary of earlier messages' : `Summary of ${grouped(n)} earlier messages`} ·
                the model reads from here ·{' '}
                <button
                    type="button"
                    class="chat-inline"
                    aria-expanded={open.value}
                    onClick={() => {
                        open.value = !open.value;
                    }}
                >
                    {open.value ? 'Hide summary' : 'Show summary'}
                </button>{' '}
                {n !== null && n > 0 ? (
                    <button
                        type="button"
                        class="chat-inline"
                        onClick={first}
                    >{`Show the ${grouped(n)}`}</button>
                ) : null}
            </p>
            {open.value ? <Markdown text={message.content} /> : null}
        </div>
    );
}
