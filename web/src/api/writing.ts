// writing.ts: the text of every message that is being written, so that a tab which joins in the middle can
// be told what was said so far, as the server tells somebody who opens a stream.

import type { Told } from './types';

export interface Writing {
    follow(e: Told): void;
    /** A message.snapshot for each of them. */
    snapshots(): Told<'message.snapshot'>[];
}

export function writing(): Writing {
    const open = new Map<string, Told<'message.snapshot'>>();

    function begin(e: Told<'message.started'>): void {
        if (open.has(e.data.messageId)) return;
        const { seq: _durable, ...outer } = e;
        const data = { messageId: e.data.messageId, chunk: 0, text: '', thinking: '' };
        open.set(e.data.messageId, { ...outer, type: 'message.snapshot', data });
    }

    function grow(e: Told<'message.delta'>): void {
        const known = open.get(e.data.messageId);
        if (!known || e.data.chunk !== known.data.chunk + 1) return;
        const { text, thinking } = known.data;
        const more =
            e.data.part === 'text'
                ? { text: text + e.data.text }
                : { thinking: (thinking ?? '') + e.data.text };
        open.set(e.data.messageId, { ...known, data: { ...known.data, ...more, chunk: e.data.chunk } });
    }

    function follow(e: Told): void {
        if (e.type === 'message.started') begin(e);
        else if (e.type === 'message.snapshot') open.set(e.data.messageId, e);
        else if (e.type === 'message.delta') grow(e);
        else if (
            e.type === 'message.completed' ||
            e.type === 'message.failed' ||
            e.type === 'message.withdrawn'
        ) {
            open.delete(e.data.messageId);
        }
    }

    return { follow, snapshots: () => [...open.values()].filter(s => s.data.chunk > 0) };
}
