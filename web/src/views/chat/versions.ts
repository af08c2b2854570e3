// versions.ts: other wordings of a message. An edit is a new version in which another message stands in the
// same place; where the rows before agree on more versions than the row itself, there was one.

import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { listThreadMessages, listThreads } from '../../api/calls';
import type { Message, Thread } from '../../api/types';
import { world } from '../../store/store';
import { isEdit } from '../history/model';

export interface Wording {
    message: Message;
    threadId: string;
}

const MOST_ASKED = 8;

interface Known {
    key: string;
    threads: Thread[];
}
const threads = signal<Known>({ key: '', threads: [] });
let asking = '';

/** Versions of the conversation; asked for once per change. */
function useThreads(chatId: string, wanted: boolean): Thread[] {
    const w = world.value?.world.name ?? '';
    const key = `${w}/${chatId}/${world.value?.versions ?? 0}`;
    useEffect(() => {
        if (!wanted || asking === key) return;
        asking = key;
        void listThreads(w, chatId, { limit: 200 }).then(a => {
            if (a.ok) threads.value = { key, threads: a.value.data };
            else asking = '';
        });
    }, [key, wanted]);
    return threads.value.key === key ? threads.value.threads : [];
}

/** Versions that hold what came before the message but not the message: candidates for another wording. */
export function otherVersions(m: Message, before: Message | null): number[] {
    const own = new Set(m.versions ?? []);
    const oldest = Math.min(...own);
    if (own.size === 0 || m.role !== 'user') return [];
    // Before the first message there is nothing to compare: every older version began otherwise.
    const base =
        m.position === 0
            ? Array.from({ length: oldest - 1 }, (_, n) => oldest - 1 - n)
            : (before?.versions ?? []);
    return base.filter(n => !own.has(n)).slice(0, MOST_ASKED);
}

async function wordingIn(
    chatId: string,
    thread: Thread,
    position: number,
    after: string | null,
): Promise<Wording | null> {
    const w = world.peek()?.world.name ?? '';
    const query = after ? { after, limit: 1 } : { limit: 1 };
    const page = await listThreadMessages(w, chatId, thread.threadId ?? '', query);
    const message = page.ok ? page.value.data.find(m => m.position === position) : undefined;
    return message && message.role === 'user' ? { message, threadId: thread.threadId! } : null;
}

/** All wordings that stood in the place of `m`, oldest first, itself included; empty: only this one. */
export function useWordings(m: Message, before: Message | null): Wording[] {
    const numbers = otherVersions(m, before);
    const all = useThreads(m.chatId, numbers.length > 0);
    const [found, setFound] = useState<Wording[]>([]);
    const first = all.find(t => t.number === Math.min(...(m.versions ?? [0])));
    const cutHere = numbers.length > 0 && first !== undefined && isEdit(first);
    const key = cutHere ? `${m.messageId}/${numbers.join()}` : '';
    useEffect(() => {
        if (key === '') {
            setFound([]);
            return undefined;
        }
        let wanted = true;
        const asked = all
            .filter(t => numbers.includes(t.number))
            .map(t => wordingIn(m.chatId, t, m.position, before?.messageId ?? null));
        void Promise.all(asked).then(list => {
            if (wanted)
                setFound(
                    distinct(
                        list.filter(x => x !== null),
                        m,
                        first!.threadId ?? '',
                    ),
                );
        });
        return () => {
            wanted = false;
        };
    }, [key]);
    return found;
}

function distinct(list: Wording[], own: Message, threadId: string): Wording[] {
    const by = new Map<string, Wording>([[own.messageId, { message: own, threadId }]]);
    for (const one of list) if (!by.has(one.message.messageId)) by.set(one.message.messageId, one);
    const all = [...by.values()].sort((a, b) => (a.message.createdAt < b.message.createdAt ? -1 : 1));
    return all.length > 1 ? all : [];
}
