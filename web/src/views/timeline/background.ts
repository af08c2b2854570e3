// background.ts: work that a call gave to another agent, to be done in its background.

import { getTimeline, listAgentChats } from '../../api/calls';
import type { Result } from '../../api/client';
import type { Item, Task } from '../../api/types';
import { lanesOf, textOf, type Lane, type RunState } from './model';

/** The server's answer to a new task. */
const GIVEN = /^Task (\S+) was given to /;

/** The task that was given; null: this is no such call. */
export function taskOf(item: Item): string | null {
    if (item.call?.toolName !== 'delegate_to_agent' || !item.result?.success) return null;
    return GIVEN.exec(textOf(item.result.output))?.[1] ?? null;
}

/** What its box is called where folds are kept. */
export const taskFold = (id: string): string => `task ${id}`;

export const TASK_STATES: Record<Task['label'], { shape: string; word: string; run: RunState | null }> = {
    pending: { shape: '◌', word: 'waits', run: null },
    running: { shape: '●', word: 'running', run: 'running' },
    waiting: { shape: '◐', word: 'asks you', run: 'running' },
    retrying: { shape: '◌', word: 'is tried again', run: null },
    completed: { shape: '✓', word: 'done', run: 'done' },
    cancelled: { shape: '‖', word: 'cancelled', run: 'cancelled' },
};

/** Whom a task waits for. */
export function waitingWord(task: Task): string {
    return task.waitsFor === 'human' ? TASK_STATES.waiting.word : `waits for @${task.waitsFor}`;
}

/** What was said and done for one task: from its message to the next that the agent was told. */
export function sessionOf(items: readonly Item[], messageId: string): Item[] {
    const from = items.findIndex(item => item.messageId === messageId);
    if (from < 0) return [];
    const next = items.findIndex((item, at) => at > from && item.kind === 'user_message');
    return items.slice(from, next < 0 ? undefined : next);
}

/** The rows of a task, out of the background conversation of its agent. */
export async function readWork(w: string, task: Task, signal: AbortSignal): Promise<Result<Lane | null>> {
    const chats = await listAgentChats(w, task.agent, { mode: 'background', limit: 1 }, { signal });
    if (!chats.ok) return chats;
    const [chat] = chats.value.data;
    if (!chat || task.messageId === null) return { ...chats, value: null };
    const read = await getTimeline(w, chat.id, {}, { signal });
    if (!read.ok) return read;
    const lane = lanesOf(read.value, []).get('main');
    if (!lane) return { ...read, value: null };
    const items = sessionOf(lane.items, task.messageId);
    return { ...read, value: { ...lane, items, state: task.running ? 'running' : 'done' } };
}
