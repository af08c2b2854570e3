// tour.ts: the five things that the demo shows, and how far a person has come.

import { useEffect } from 'preact/hooks';
import { selected, selecting } from '../../store/focus';
import { prefs, setPref } from '../../store/prefs';
import { on, send, shown, world } from '../../store/store';
import { toast } from '../../parts/parts';
import { startEdit } from '../edit/edit';

export interface Step {
    id: string;
    /** on its button */
    label: string;
    short: string;
    /** in the list of the tour */
    title: string;
    run: () => void;
}

function lastOwn() {
    return shown.peek().rows.findLast(m => m.sender === 'human' && m.role === 'user');
}

function edit(): void {
    const mine = lastOwn();
    if (mine) void startEdit(mine);
    else
        void send('How do I edit a message and undo the edit?').then(() =>
            toast({ text: 'Now press ↑ in the empty message box, or e on your message.' }),
        );
}

const SQUASHED = 5;

function squash(): void {
    const rows = shown
        .peek()
        .rows.filter(m => m.role !== 'summary')
        .slice(-SQUASHED);
    if (rows.length < 2) {
        toast({ text: 'Send two messages first: a squash needs at least two.' });
        void send('Hello everyone!');
        return;
    }
    selected.value = new Set(rows.map(m => m.messageId));
    selecting.value = true;
    toast({ text: `${rows.length} messages are selected. Press Squash below them.`, subject: 'selection' });
}

async function background(): Promise<void> {
    const answer = await send('@lead work in the background and brief me');
    if (!answer.ok) toast({ text: answer.trouble.detail, kind: 'error' });
}

export const STEPS: readonly Step[] = [
    {
        id: 'reply',
        label: 'Say hello to everyone',
        short: 'Say hello to everyone',
        title: 'Reply threads',
        run: () => void send('Hello everyone!'),
    },
    {
        id: 'delegation',
        label: '@lead plan a launch (watch a delegation)',
        short: 'Watch a delegation',
        title: 'Delegations',
        run: () => void send('@lead plan a launch'),
    },
    {
        id: 'edit',
        label: 'Edit a message and undo the edit',
        short: 'Edit and undo',
        title: 'Edit and undo',
        run: edit,
    },
    {
        id: 'squash',
        label: 'Squash five messages into one',
        short: 'Squash five messages',
        title: 'Squash',
        run: squash,
    },
    {
        id: 'inbox',
        label: 'Let @lead work in the background and brief you',
        short: 'Background work, briefing',
        title: 'Inbox',
        run: () => void background(),
    },
];

function done(id: string): void {
    if (!prefs.peek().tourDone.includes(id)) setPref('tourDone', [...prefs.peek().tourDone, id]);
}

/** Ticks a step when what it shows has happened, however it was begun. */
export function useTourProgress(): void {
    useEffect(() => {
        const off = [
            on('message.completed', e => {
                if (e.data.replyToMessageId) done('reply');
            }),
            on('delegation.started', () => done('delegation')),
            on('thread.switched', () => done('edit')),
            on('squash.completed', () => done('squash')),
            on('inbox.created', () => done('inbox')),
        ];
        return () => off.forEach(f => f());
    }, []);
}

/** The world that comes with the program, with its scripted agents. */
export function isTour(): boolean {
    return world.value?.world.name === 'tour';
}

/** The step whose number was sent, until the tour is dismissed. */
export function stepCalled(text: string): Step | undefined {
    if (!isTour() || prefs.peek().tourHidden || !/^[1-9]$/.test(text.trim())) return undefined;
    return STEPS[Number(text) - 1];
}
