// What is counted as new while the reader is elsewhere in the conversation.
import { expect, it } from 'vitest';
import { reduce } from '../../src/store/reduce';
import { baseOf, type Base } from '../../src/views/chat/unseen';
import { message, opened, room, tell } from './story';

const none: Base = { version: null, total: 0 };
const rows = (n: number) => Array.from({ length: n }, (_, at) => message(`m${at}`, at));

it('messages that come back with another version are not new, and those that are said then are', () => {
    const begun = opened();
    const four = { ...room(begun), loaded: true, rows: rows(4), total: 4 };
    const known = { ...begun, world: { ...begun.world!, chat: { c_1: four } } };
    const left = baseOf(none, four, 4, false);
    const moved = room(
        reduce(known, tell('thread.switched', { chatId: 'c_1', from: four.thread, to: 't_9' })),
    );
    expect(moved).toMatchObject({ thread: 't_9', stale: true, total: 4 });
    const between = baseOf(left, moved, moved.total, false);
    const read = { ...moved, stale: false, rows: rows(12), total: 12 };
    const settled = baseOf(between, read, read.total, false);
    expect(read.total - settled.total).toBe(0);
    expect(14 - baseOf(settled, { ...read, total: 14 }, 14, false).total).toBe(2);
});
