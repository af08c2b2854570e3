// The inbox: what agents tell and ask people, of all worlds.

import { useEffect, useMemo, useState } from 'preact/hooks';
import { getInboxItem, retryTask, wakeAgent } from '../../api/calls';
import type { Result } from '../../api/client';
import type { InboxItem } from '../../api/types';
import { useCommands, type Command } from '../../keys/commands';
import { Banner, Button, Dialog, Empty, Loading, Select, toast, TroubleBox } from '../../parts/parts';
import { go, place } from '../../store/place';
import { state } from '../../store/store';
import { count } from '../shared/words';
import { useInbox, type Inbox } from './inbox-data';
import { AtWork } from './inbox-empty';
import { FilterBar, InboxList, placeOf } from './inbox-list';
import { InboxReader } from './inbox-reader';
import { canReply } from './inbox-answer';
import { belongs, FILTERS, groups, isFilter, markName, needsYou, snoozeTimes, type Filter } from './sort';
import './inbox.css';

/** The minute, so that ages and snoozes move on by themselves. */
function useNow(): number {
    const [now, setNow] = useState(Date.now());
    useEffect(() => {
        const timer = setInterval(() => setNow(Date.now()), 30_000);
        return () => clearInterval(timer);
    }, []);
    return now;
}

/** The item of the address: of the list, or read by itself when the list does not hold it. */
function useOpened(inbox: Inbox, id: string | null): { item: InboxItem | null; missing: boolean } {
    const listed = inbox.value?.all.find(i => i.id === id) ?? null;
    const [other, setOther] = useState<{ id: string; item: InboxItem | null } | null>(null);
    const lacking = id !== null && inbox.value !== null && listed === null;
    useEffect(() => {
        if (!lacking || id === null) return;
        void getInboxItem(id).then(r => setOther({ id, item: r.ok ? r.value : null }));
    }, [lacking, id]);
    const item = listed ?? (other?.id === id ? other.item : null);
    return { item, missing: lacking && other?.id === id && other.item === null };
}

export function InboxView() {
    const here = place.value;
    const openId = here.kind === 'inbox' ? (here.item ?? null) : null;
    const filter: Filter = here.kind === 'inbox' && isFilter(here.filter) ? here.filter : 'open';
    const [world, setWorld] = useState('');
    const [cursor, setCursor] = useState<string | null>(null);
    /** the item that is being replied to */
    const [replyTo, setReplyTo] = useState<string | null>(null);
    const [snoozing, setSnoozing] = useState<InboxItem | null>(null);
    const now = useNow();
    const inbox = useInbox();
    const all = useMemo(
        () => (inbox.value?.all ?? []).filter(i => world === '' || i.world === world),
        [inbox.value, world],
    );
    const shown = groups(all, filter, now);
    const order = shown.flatMap(g => g.items);
    const opened = useOpened(inbox, openId);
    const current = opened.item ?? order.find(i => i.id === cursor) ?? null;
    const unread = order.filter(i => i.readAt === null && i.doneAt === null);

    useEffect(() => {
        setReplyTo(was => (was === openId ? was : null));
        if (opened.item && opened.item.readAt === null) inbox.markRead(opened.item);
    }, [opened.item?.id]);

    const acts = useActs({ inbox, order, current, filter, openId, setReplyTo, setSnoozing });
    useCommands(inboxCommands(acts, order, current ?? null, cursor, openId));

    return (
        <div class="inbox">
            <div class={`inbox-columns${opened.item ? ' inbox-reading' : ''}`}>
                <section class="inbox-main" aria-labelledby="inbox-heading">
                    <header class="inbox-head">
                        <h1 id="inbox-heading">Inbox</h1>
                        <WorldPick items={inbox.value?.all ?? []} world={world} onPick={setWorld} />
                        {unread.length > 0 && (
                            <Button
                                small
                                onClick={() =>
                                    void inbox.markAll(
                                        unread,
                                        filter === 'open' && world === '' && !inbox.value?.more.open,
                                    )
                                }
                            >
                                {markName(unread.length, filter !== 'open' || world !== '')}
                            </Button>
                        )}
                    </header>
                    <FilterBar
                        filter={filter}
                        filters={FILTERS.map(f => ({ ...f, ...counted(inbox, all, f.id, now) }))}
                    />
                    {inbox.trouble && (
                        <TroubleBox
                            trouble={{ ...inbox.trouble, title: 'Inbox could not be loaded.' }}
                            safe="The badge may be old. Nothing is lost."
                            onRetry={inbox.reload}
                        />
                    )}
                    {inbox.late && <Loading label="Loading the inbox" />}
                    <InboxList
                        groups={shown}
                        filter={filter}
                        open={openId}
                        waiting={inbox.waiting}
                        now={now}
                        onCursor={setCursor}
                        onRetry={acts.retry}
                        onAnswer={item => {
                            go(placeOf(item.id, filter));
                            setReplyTo(item.id);
                        }}
                    />
                    {inbox.value !== null && order.length === 0 && <Nothing filter={filter} />}
                    {order.length > 0 && <KeyHint />}
                </section>
                <section class="inbox-pane" aria-label="Reading pane">
                    {opened.missing && (
                        <Banner
                            kind="warn"
                            actions={
                                <Button onClick={() => go(placeOf(undefined, filter))}>To the inbox</Button>
                            }
                        >
                            This item is no longer in the inbox.
                        </Banner>
                    )}
                    {opened.item ? (
                        <InboxReader
                            item={opened.item}
                            at={Math.max(
                                0,
                                order.findIndex(i => i.id === openId),
                            )}
                            total={Math.max(order.length, 1)}
                            replying={replyTo === opened.item.id}
                            onBack={acts.back}
                            onDone={acts.done}
                            onSnooze={() => setSnoozing(opened.item)}
                            onReply={acts.reply}
                            onUnread={acts.unread}
                            onRetry={() => opened.item && acts.retry(opened.item)}
                            onChanged={inbox.put}
                            onRemoved={() => {
                                acts.back();
                                inbox.reload();
                            }}
                        />
                    ) : (
                        !opened.missing &&
                        order.length > 0 && <p class="inbox-pick muted">Select an item to read it here.</p>
                    )}
                </section>
            </div>
            {snoozing && (
                <Snooze
                    item={snoozing}
                    onClose={() => setSnoozing(null)}
                    onPick={(at, label) => {
                        setSnoozing(null);
                        acts.snooze(snoozing, at, label);
                    }}
                />
            )}
        </div>
    );
}

function counted(inbox: Inbox, all: readonly InboxItem[], filter: Filter, now: number) {
    const more = inbox.value?.more;
    return {
        count: all.filter(i => belongs(i, filter, now)).length,
        more: filter === 'done' ? !!more?.done : filter === 'snoozed' ? !!more?.snoozed : !!more?.open,
    };
}

function WorldPick({
    items,
    world,
    onPick,
}: {
    items: readonly InboxItem[];
    world: string;
    onPick: (w: string) => void;
}) {
    const names = [
        ...new Set([...state.value.worlds.map(w => w.name), ...items.map(i => i.world ?? '')]),
    ].filter(n => n !== '');
    if (names.length < 2) return null;
    const openIn = (name: string): number => items.filter(i => i.world === name && i.doneAt === null).length;
    return (
        <Select
            label="World"
            hideLabel
            value={world}
            onPick={onPick}
            options={[
                { value: '', label: 'All worlds' },
                ...names.map(n => ({ value: n, label: `${n} (${openIn(n)})` })),
            ]}
        />
    );
}

interface ActsOf {
    inbox: Inbox;
    order: InboxItem[];
    current: InboxItem | null;
    filter: Filter;
    openId: string | null;
    setReplyTo: (id: string) => void;
    setSnoozing: (item: InboxItem | null) => void;
}

function focusRow(id: string | undefined): void {
    if (!id) return;
    const row = document.getElementById(`inbox-${id}`);
    // A list that is not on screen is drawn again with this change; keys that follow must not wait for that otherwise.
    if (row?.offsetParent) row.focus();
    else requestAnimationFrame(() => document.getElementById(`inbox-${id}`)?.focus());
}

function useActs({ inbox, order, current, filter, openId, setReplyTo, setSnoozing }: ActsOf) {
    const at = order.findIndex(i => i.id === current?.id);
    const next = order[at + 1] ?? order[at - 1];

    /** An item that leaves the list makes room for the next one. */
    function moveOn(): void {
        if (openId !== null) go(placeOf(next?.id, filter), { replace: true });
        focusRow(next?.id);
    }
    return {
        back: () => {
            go(placeOf(undefined, filter));
            focusRow(openId ?? undefined);
        },
        open: (id: string) => go(placeOf(id, filter), { replace: openId !== null }),
        done: () => {
            if (!current) return;
            const done = current.doneAt === null;
            // Putting it away would be a no that cannot be taken back.
            if (done && current.type === 'approval' && current.open) {
                toast({ text: 'Allow it or deny it: the agent waits.' });
                return;
            }
            inbox.change(current, { done }, done ? 'Marked as done.' : 'The item is open again.');
            moveOn();
        },
        unread: () => {
            if (current)
                inbox.change(
                    current,
                    { read: current.readAt === null },
                    current.readAt === null ? 'Marked as read.' : 'Marked as unread.',
                );
        },
        askSnooze: () => setSnoozing(current),
        snooze: (item: InboxItem, until: string, label: string) => {
            inbox.change(item, { snoozedUntil: until }, `Snoozed: ${label.toLowerCase()}.`);
            moveOn();
        },
        reply: () => {
            if (!current || !canReply(current)) return;
            if (openId === null) go(placeOf(current.id, filter));
            setReplyTo(current.id);
        },
        retry: (item: InboxItem) => {
            if (!item.world || !item.agent) return;
            const name = item.agent;
            const again: Promise<Result<unknown>> = item.taskId
                ? retryTask(item.world, item.taskId)
                : wakeAgent(item.world, name);
            void again.then(r =>
                toast(
                    r.ok
                        ? { text: `@${name} tries again now.`, kind: 'ok' }
                        : { text: `@${name} does not try again: ${r.trouble.detail}`, kind: 'error' },
                ),
            );
        },
        undo: () => {
            if (!inbox.undo()) toast({ text: 'There is nothing to undo here.' });
        },
    };
}

function inboxCommands(
    acts: ReturnType<typeof useActs>,
    order: InboxItem[],
    current: InboxItem | null,
    cursor: string | null,
    openId: string | null,
): Command[] {
    const where = 'Inbox';
    const step = (by: number): void => {
        const at = order.findIndex(i => i.id === (cursor ?? openId));
        const to =
            order[
                at < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(Math.max(at + by, 0), order.length - 1)
            ];
        if (!to) return;
        if (openId !== null && openId !== to.id) acts.open(to.id);
        focusRow(to.id);
    };
    const seek = (test: (i: InboxItem) => boolean): void => {
        const at = order.findIndex(i => i.id === current?.id);
        const found = [...order.slice(at + 1), ...order.slice(0, at + 1)].find(test);
        if (!found) toast({ text: 'No other item is unread here.' });
        else acts.open(found.id);
    };
    const one = () => current !== null;
    return [
        {
            id: 'inbox.next',
            title: 'Next item',
            keys: ['j', 'ArrowDown'],
            where,
            needs: () => order.length > 0,
            run: () => step(1),
        },
        {
            id: 'inbox.previous',
            title: 'Previous item',
            keys: ['k', 'ArrowUp'],
            where,
            needs: () => order.length > 0,
            run: () => step(-1),
        },
        { id: 'inbox.done', title: 'Done, or open again', keys: ['e'], where, needs: one, run: acts.done },
        {
            id: 'inbox.unread',
            title: 'Mark as read or unread',
            keys: ['u'],
            where,
            needs: one,
            run: acts.unread,
        },
        {
            id: 'inbox.snooze',
            title: 'Snooze',
            keys: ['h'],
            where,
            needs: () => one() && current?.doneAt === null,
            run: acts.askSnooze,
        },
        {
            id: 'inbox.reply',
            title: 'Reply or answer',
            keys: ['r'],
            where,
            needs: () => current !== null && canReply(current),
            run: acts.reply,
        },
        { id: 'inbox.undo', title: 'Take back', keys: ['z'], where, run: acts.undo },
        {
            id: 'inbox.nextUnread',
            title: 'Next unread',
            keys: ['n'],
            where,
            run: () => seek(i => i.readAt === null),
        },
        {
            id: 'inbox.nextNeeds',
            title: 'Next that needs you',
            keys: ['Shift+n'],
            where,
            run: () => seek(needsYou),
        },
        {
            id: 'inbox.back',
            title: 'Back to the list',
            keys: ['Escape'],
            where,
            when: () => openId !== null,
            run: acts.back,
        },
    ];
}

function Snooze({
    item,
    onClose,
    onPick,
}: {
    item: InboxItem;
    onClose: () => void;
    onPick: (at: string, label: string) => void;
}) {
    return (
        <Dialog title="Snooze until" onClose={onClose}>
            <p class="muted">
                It comes back to the list by itself. {needsYou(item) ? 'The agent keeps waiting.' : ''}
            </p>
            <div class="inbox-snooze">
                {snoozeTimes(Date.now()).map((t, i) => (
                    <Button key={t.label} autoFocus={i === 0} onClick={() => onPick(t.at, t.label)}>
                        {t.label}
                    </Button>
                ))}
            </div>
        </Dialog>
    );
}

const NOTHING: Record<Exclude<Filter, 'open' | 'needs'>, string> = {
    briefings: 'No briefings. Agents send one when their background work is worth your time.',
    done: 'Nothing is done yet. Press e on an item to put it here.',
    snoozed: 'Nothing is snoozed. Press h on an item to see it later.',
};

function Nothing({ filter }: { filter: Filter }) {
    if (filter === 'open' || filter === 'needs') return <AtWork />;
    return (
        <Empty>
            <p>{NOTHING[filter]}</p>
        </Empty>
    );
}

function KeyHint() {
    const keys = [
        ['j k', 'move'],
        ['Enter', 'open'],
        ['e', 'done'],
        ['u', 'unread'],
        ['h', 'snooze'],
        ['r', 'reply'],
        ['z', 'undo'],
        ['n', 'next'],
    ] as const;
    return (
        <p class="inbox-keys" aria-label={`${count(keys.length, 'key')} of this screen`}>
            {keys.map(([key, does]) => (
                <span key={key}>
                    {key.split(' ').map(one => [<kbd key={one}>{one}</kbd>, ' '])}
                    {does}
                </span>
            ))}
        </p>
    );
}
