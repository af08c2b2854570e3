// What the stories of reduce.test.ts do not come upon.
import { describe, expect, it } from 'vitest';
import type { Told } from '../../src/api/types';
import { reduce, reduceWorld } from '../../src/store/reduce';
import { addRow, cutRows } from '../../src/store/reduce-rows';
import type { ChatState, State } from '../../src/store/state';
import { message, opened, room, tell } from './story';

const play = (s: State, ...events: Told[]) => events.reduce(reduce, s);
const listed = (s: State) => s.world?.chats['c_1'];

function withRows(n: number, more: Partial<ChatState> = {}): ChatState {
    const rows = Array.from({ length: n }, (_, at) => message(`m${at}`, at));
    return { ...room(opened()), loaded: true, rows, total: n, ...more };
}

describe('rows', () => {
    it('are in memory only until somebody answers them', () => {
        const asked = withRows(1);
        const silent = { ...asked, rows: [{ ...asked.rows[0]!, memoryOnly: true }] };
        const answer = message('a', 1, { role: 'assistant', sender: 'ada', replyToMessageId: 'm0' });
        expect(addRow(silent, answer, null).rows[0]).toMatchObject({
            memoryOnly: false,
            hasReply: true,
            replyCount: 1,
        });
    });
    it('have none before them when all are gone', () => {
        expect(cutRows(withRows(3, { hasOlder: true }), 't_2', 0)).toMatchObject({
            rows: [],
            hasOlder: false,
        });
        expect(cutRows(withRows(3, { hasOlder: true }), 't_2', 2).hasOlder).toBe(true);
    });
});

describe('a conversation', () => {
    const made = (current: boolean, seq: number) =>
        tell(
            'thread.created',
            { threadId: 't_9', length: 4, version: 'v9', current, originalThread: 't_1', operation: 'amend' },
            { seq },
        );
    it('does not move to a version that was made beside it', () => {
        expect(listed(play(opened(), made(false, 11)))?.currentThread).toBe('t_1');
        expect(listed(play(opened(), made(true, 11)))?.currentThread).toBe('t_9');
    });
    it('counts a version once, however often it is told of it', () => {
        // A world that was loaded knows what the page has not heard of yet.
        const once = reduceWorld(opened().world!, made(false, 11));
        expect(reduceWorld(once, made(false, 11)).versions).toBe(once.versions);
        expect(reduceWorld(once, made(false, 12)).versions).toBe(once.versions + 1);
    });
    it('has nothing in its queue that was said', () => {
        const s = opened();
        const waits = { id: 'q', messageId: 'q', content: 'later' } as ChatState['queue'][number];
        const waiting: State = {
            ...s,
            world: {
                ...s.world!,
                chat: { c_1: withRows(0, { queue: [waits, { ...waits, messageId: 'r' }] }) },
            },
        };
        const after = play(waiting, tell('message.created', message('q', 0), { seq: 11, threadId: 't_1' }));
        expect(room(after).queue.map(q => q.messageId)).toEqual(['r']);
    });
});
