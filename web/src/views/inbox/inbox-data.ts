// inbox-data.ts: the items of all worlds, and what a person does with them: at once on the screen, then at the server,
// and taken back when the server refuses. While the server is away it waits and is done later.

import { useEffect, useRef, useState } from 'preact/hooks';
import { changeInboxItem, listInbox, readInbox } from '../../api/calls';
import type { Result } from '../../api/client';
import type { InboxItem, InboxPatch } from '../../api/types';
import { announce, toast } from '../../parts/parts';
import { refreshInbox, state } from '../../store/store';
import { makeLine } from '../shared/line';
import { useLoad, type Loaded } from '../shared/load';

export interface Items {
    all: InboxItem[];
    /** there are more than were read */
    more: { open: boolean; done: boolean; snoozed: boolean };
}

export interface Inbox extends Loaded<Items> {
    /** ids of items whose change waits for the server */
    waiting: ReadonlySet<string>;
    change: (item: InboxItem, patch: InboxPatch, said: string) => void;
    /** quiet: nothing is said, and there is nothing to take back */
    markRead: (item: InboxItem) => void;
    markAll: (items: readonly InboxItem[], everything: boolean) => Promise<void>;
    put: (item: InboxItem) => void;
    undo: () => boolean;
}

const MOST = 500;

async function readAll(signal: AbortSignal): Promise<Result<Items>> {
    const [open, done, snoozed] = await Promise.all([
        listInbox({ state: 'open', limit: MOST }, { signal }),
        listInbox({ state: 'done', limit: 100 }, { signal }),
        listInbox({ state: 'snoozed', limit: MOST }, { signal }),
    ]);
    if (!open.ok) return open;
    if (!done.ok) return done;
    if (!snoozed.ok) return snoozed;
    // An item that moved between two of the answers is in both: once is enough.
    const byId = new Map([...done.value.data, ...snoozed.value.data, ...open.value.data].map(i => [i.id, i]));
    const more = {
        open: open.value.page.hasMore,
        done: done.value.page.hasMore,
        snoozed: snoozed.value.page.hasMore,
    };
    return { ...open, value: { all: [...byId.values()], more } };
}

/** The item as it will be. */
export function patched(item: InboxItem, patch: InboxPatch, now: string): InboxItem {
    const next = { ...item };
    if (patch.read !== undefined) next.readAt = patch.read ? (item.readAt ?? now) : null;
    if (patch.done !== undefined) next.doneAt = patch.done ? (item.doneAt ?? now) : null;
    if (patch.snoozedUntil !== undefined) next.snoozedUntil = patch.snoozedUntil;
    return next;
}

/** The patch that brings back what the patch changes. */
export function inverse(item: InboxItem, patch: InboxPatch): InboxPatch {
    const back: InboxPatch = {};
    if (patch.read !== undefined) back.read = item.readAt !== null;
    if (patch.done !== undefined) back.done = item.doneAt !== null;
    if (patch.snoozedUntil !== undefined) back.snoozedUntil = item.snoozedUntil;
    return back;
}

type Patches = ReadonlyMap<string, InboxPatch>;
/** A change on its way. */
interface Flight {
    id: string;
    patch: InboxPatch;
}

const withPatch = (was: Patches, { id, patch }: Flight): Patches =>
    new Map(was).set(id, { ...was.get(id), ...patch });

/** What the server is still to hear of wins over what it said before it heard. */
export function overlaid(items: Items, patches: Patches, now: string): Items {
    if (patches.size === 0) return items;
    const change = (i: InboxItem) => patched(i, patches.get(i.id) ?? {}, now);
    return { ...items, all: items.all.map(i => (patches.has(i.id) ? change(i) : i)) };
}

export function useInbox(): Inbox {
    const loaded = useLoad<Items>('inbox', readAll, state.value.inbox.tick);
    const [waiting, setWaiting] = useState<Patches>(new Map());
    const [flying, setFlying] = useState<readonly Flight[]>([]);
    // One change after the other: two of one item would be stored in whichever order they arrive.
    const [inTurn] = useState(makeLine);
    const undos = useRef<(() => void)[]>([]);

    const put = (item: InboxItem): void =>
        loaded.set(v => ({ ...v, all: v.all.map(i => (i.id === item.id ? item : i)) }));

    async function send({ id }: InboxItem, patch: InboxPatch): Promise<boolean> {
        const mine = { id, patch };
        setFlying(was => [...was, mine]);
        const result = await inTurn(() => changeInboxItem(id, patch));
        setFlying(was => was.filter(one => one !== mine));
        if (result.ok) {
            put(result.value);
            void refreshInbox();
            return true;
        }
        if (result.trouble.status === 0) {
            setWaiting(was => withPatch(was, mine));
            return true;
        }
        toast({ kind: 'error', text: `The item was not changed: ${result.trouble.detail}` });
        return false;
    }

    function offerUndo(text: string, run: () => void): void {
        const once = (): void => {
            if (!undos.current.includes(once)) return;
            undos.current = undos.current.filter(u => u !== once);
            run();
        };
        undos.current.push(once);
        toast({ text, actions: [{ label: 'Undo', run: once }] });
    }

    const change = (item: InboxItem, patch: InboxPatch, said: string): void => {
        void send(item, patch).then(done => {
            if (done)
                offerUndo(said, () => {
                    void send(patched(item, patch, new Date().toISOString()), inverse(item, patch));
                    announce('Taken back.');
                });
        });
    };

    const markAll = async (items: readonly InboxItem[], everything: boolean): Promise<void> => {
        const now = new Date().toISOString();
        items.forEach(i => put(patched(i, { read: true }, now)));
        const results = everything
            ? [await readInbox({})]
            : await Promise.all(items.map(i => changeInboxItem(i.id, { read: true })));
        const bad = results.find(r => !r.ok);
        if (bad && !bad.ok) {
            loaded.reload();
            toast({ kind: 'error', text: `Some items were not marked: ${bad.trouble.detail}` });
            return;
        }
        void refreshInbox();
        offerUndo(items.length === 1 ? 'Marked 1 as read.' : `Marked ${items.length} as read.`, () => {
            void Promise.all(items.map(i => changeInboxItem(i.id, { read: false }))).then(() => {
                loaded.reload();
                void refreshInbox();
            });
        });
    };

    useFlush(
        waiting,
        flight => inTurn(() => changeInboxItem(flight.id, flight.patch)),
        setWaiting,
        loaded.reload,
    );

    const unheard = flying.reduce(withPatch, waiting);
    return {
        ...loaded,
        value: loaded.value && overlaid(loaded.value, unheard, new Date().toISOString()),
        put,
        change,
        markAll,
        waiting: new Set(waiting.keys()),
        markRead: item => void send(item, { read: true }),
        undo: () => {
            const last = undos.current[undos.current.length - 1];
            last?.();
            return last !== undefined;
        },
    };
}

const AGAIN_MS = 1500;

type Send = (flight: Flight) => Promise<Result<InboxItem>>;

/** What waited is sent when the server is there again. The stream may be the last to learn that it is away. */
function useFlush(
    waiting: Patches,
    send: Send,
    setWaiting: (next: (was: Patches) => Patches) => void,
    reload: () => void,
): void {
    const live = state.value.connection.state === 'live';
    async function flush(): Promise<void> {
        const sent = await Promise.all(
            [...waiting].map(async ([id, patch]) => ({ id, patch, result: await send({ id, patch }) })),
        );
        const reached = sent.filter(s => s.result.ok || s.result.trouble.status !== 0);
        for (const { result } of reached)
            if (!result.ok)
                toast({ kind: 'error', text: `A change could not be sent: ${result.trouble.detail}` });
        const isOver = ([id, patch]: [string, InboxPatch]) =>
            reached.some(s => s.id === id && s.patch === patch);
        // What was done meanwhile waits on. When nobody was reached, this is what tries again.
        setWaiting(was => new Map([...was].filter(one => !isOver(one))));
        if (reached.length === sent.length) reload();
    }
    useEffect(() => {
        if (!live || waiting.size === 0) return undefined;
        const timer = setTimeout(() => void flush(), AGAIN_MS);
        return () => clearTimeout(timer);
    }, [live, waiting]);
}
