// drafts.ts: what is written and not sent, kept in the browser so that closing the page loses nothing.

import { signal, type Signal } from '@preact/signals';
import type { File as Kept } from '../api/types';
import { keep, kept } from './keep';

export interface Draft {
    text: string;
    replyTo: string | null;
    /** names of the tags that the message will carry */
    tags: string[];
    /** what goes with it; it is on the server already */
    files?: Kept[];
    /** the waiting message whose text this is; what was in the box before is aside */
    queued?: { id: string; aside: { text: string; replyTo: string | null } };
}

const NONE: Draft = { text: '', replyTo: null, tags: [] };
const open = new Map<string, Signal<Draft>>();

function asDraft(value: unknown): Draft {
    if (value === null || typeof value !== 'object') return NONE;
    const { text, replyTo, tags, files, queued } = value as Partial<Draft>;
    const changes = typeof queued?.id === 'string' && typeof queued.aside?.text === 'string';
    return {
        text: typeof text === 'string' ? text : '',
        replyTo: typeof replyTo === 'string' ? replyTo : null,
        tags: Array.isArray(tags) ? tags.filter(t => typeof t === 'string') : [],
        ...(Array.isArray(files) && files.length > 0 ? { files } : {}),
        ...(changes ? { queued } : {}),
    };
}

function isNone(d: Draft): boolean {
    return d.text === '' && d.replyTo === null && d.tags.length === 0 && !d.files?.length && !d.queued;
}

/** The draft of a conversation. It is stored on every change, at once: a crash may follow the last key. */
export function draft(w: string, c: string): Signal<Draft> {
    const key = `skein.draft.${w}.${c}`;
    const known = open.get(key);
    if (known) return known;
    const made = signal(asDraft(kept(key)));
    open.set(key, made);
    made.subscribe(value => keep(key, isNone(value) ? null : value));
    return made;
}

/** Another tab writes the same draft: what was typed last wins. */
addEventListener('storage', e => {
    const known = e.key === null ? undefined : open.get(e.key);
    if (known && e.key !== null) known.value = asDraft(kept(e.key));
});
