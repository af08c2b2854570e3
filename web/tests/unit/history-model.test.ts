import { describe, expect, it } from 'vitest';
import type { Diff, Message } from '../../src/api/types';
import {
    blocksOf,
    branchTitle,
    cutOf,
    firstLength,
    laterText,
    layout,
    noteText,
    operationText,
    ownChanges,
    said,
    standing,
    wayToNow,
    whoText,
    type Version,
} from '../../src/views/history/model';
import { plainMessage } from './message';

function version(number: number, from: number | null, more: Partial<Version> = {}): Version {
    return {
        threadId: `t${number}`,
        version: `v${number}`,
        number,
        originalThread: from === null ? null : `t${from}`,
        originalVersion: from === null ? null : `v${from}`,
        originalLength: 10,
        operation: from === null ? 'start' : 'amend',
        length: 10,
        current: false,
        by: 'human',
        note: null,
        createdAt: '2026-01-01T00:00:00Z',
        ...more,
    };
}

// The picture of the design: v3 leaves v2, v6 leaves v1, and v1 v2 v4 v5 v7 lead to now.
const seven = [
    version(7, 5, { current: true }),
    version(6, 1),
    version(5, 4),
    version(4, 2),
    version(3, 2, { operation: 'delete', note: 'delete 2' }),
    version(2, 1),
    version(1, null),
];

const message = (id: string, position: number, more: Partial<Message> = {}): Message =>
    plainMessage(id, {
        role: 'assistant',
        sender: 'ada',
        content: id,
        position,
        createdAt: '2026-01-01T00:00:00Z',
        ...more,
    });

describe('the versions of a conversation', () => {
    it('tells now, the way to it, and side lines', () => {
        const way = wayToNow(seven);
        expect(seven.map(v => `${v.version} ${standing(v, way)}`)).toEqual([
            'v7 now',
            'v6 side',
            'v5 way',
            'v4 way',
            'v3 side',
            'v2 way',
            'v1 way',
        ]);
    });

    it('draws the way to now straight, other lines in the order in which they began, time in one direction', () => {
        expect(layout(seven, new Map()).map(s => [s.v.version, s.order, s.lane])).toEqual([
            ['v1', 0, 0],
            ['v2', 1, 0],
            ['v3', 2, 1],
            ['v4', 3, 0],
            ['v5', 4, 0],
            ['v6', 5, 2],
            ['v7', 6, 0],
        ]);
    });

    it('does not move what is drawn when a version is added', () => {
        const before = layout(seven, new Map());
        const after = layout(
            [version(8, 7, { current: true }), { ...seven[0]!, current: false }, ...seven.slice(1)],
            new Map(),
        );
        expect(after.slice(0, 7).map(s => [s.order, s.lane])).toEqual(before.map(s => [s.order, s.lane]));
    });

    it('goes on with a side line in its own lane and never uses it for another', () => {
        const spots = layout(
            [version(5, 1, { current: true }), version(4, 3), version(3, 2), version(2, 1), version(1, null)],
            new Map(),
        );
        expect(spots.map(s => s.lane)).toEqual([0, 1, 1, 1, 0]);
        const two = layout(
            [version(5, 1, { current: true }), version(4, 2), version(3, 2), version(2, 1), version(1, null)],
            new Map(),
        );
        expect(two.map(s => s.lane)).toEqual([0, 1, 1, 2, 0]);
    });

    it('counts what was said along a line, and nothing where another leaves it', () => {
        const spots = layout(seven, new Map(seven.map(v => [v.threadId, 6])));
        const along = spots.map(s => [s.v.version, s.said === null ? null : s.said >= 0]);
        expect(along).toEqual([
            ['v1', null],
            ['v2', true],
            ['v3', null],
            ['v4', true],
            ['v5', true],
            ['v6', null],
            ['v7', true],
        ]);
    });
    it('counts what was said between versions where it can be known', () => {
        expect(said(version(1, null, { length: 30 }), version(2, 1, { originalLength: 24 }), new Map())).toBe(
            24,
        );
        expect(said(version(2, 1, { originalLength: 24, length: 27 }), undefined, new Map())).toBe(3);
        const sent = version(2, 1, { operation: 'edit', length: 9 });
        expect(said(sent, undefined, new Map())).toBeNull();
        expect(said(sent, undefined, new Map([['t2', 4]]))).toBe(5);
        expect(firstLength(version(2, 1, { operation: 'squash', note: 'squash 5 to 1, sq_x' }))).toBe(6);
        expect(firstLength(version(2, 1, { operation: 'delete', note: 'delete 2' }))).toBe(8);
    });

    it('says what was done in words of people', () => {
        expect(operationText(version(2, 1, { operation: 'squash', note: 'squash 5 to 1, sq_x' }))).toBe(
            'squash 5→1',
        );
        expect(operationText(version(2, 1, { operation: 'edit', note: 'edit from P6' }))).toBe('edit');
        expect(noteText(version(2, 1, { note: 'edit from P6' }))).toBe('');
        expect(noteText(version(2, 1, { note: 'what if' }))).toBe('what if');
        expect(laterText(seven, seven[3]!)).toBe('3 amends');
        expect(laterText(seven, seven[0]!)).toBe('');
        expect(
            whoText([
                message('a', 0, { role: 'tool' }),
                message('b', 1),
                message('c', 2),
                message('d', 3, { sender: 'human' }),
            ]),
        ).toBe('4 messages (1 tool result, 2 of @ada, 1 of you)');
        const squash = message('e', 4, { sender: 'human', role: 'user', squashOperationId: 'sq_1' });
        expect(whoText([squash, message('f', 5)])).toBe('2 messages (1 squash, 1 of @ada)');
    });
});

describe('what an operation itself did', () => {
    const removed = version(2, 1, { operation: 'remove', note: 'remove from P6', originalLength: 6 });
    const gone = [2, 3, 4, 5].map(n => ({
        kind: 'removed' as const,
        before: message(`m${n}`, n),
        after: null,
    }));
    const added = (id: string, position: number, more: Partial<Message> = {}) => ({
        kind: 'added' as const,
        before: null,
        after: message(id, position, more),
    });
    const diff = (...changes: Diff['changes']): Diff => ({ from: 'v1', to: 'v2', same: 2, changes });

    it('calls a removal an edit when it was made as the first half of one, by the first words of the other half', () => {
        const edited = { ...removed, note: 'edit from P6' };
        const mine = { sender: 'human', content: 'Plan it\nwell' };
        const cut = cutOf(edited, diff(...gone, added('n', 2, mine), added('r', 3)));
        expect(operationText(edited, cut)).toBe('edit');
        expect(noteText(edited, cut)).toBe('Plan it');
        expect(laterText([edited, version(1, null)], version(1, null), new Map([['t2', cut]]))).toBe(
            '1 edit',
        );
        const half = cutOf(edited, diff(...gone));
        expect(operationText(edited, half)).toBe('remove 4 messages');
        expect(noteText(edited, half)).toBe('');
    });

    it('leaves a removal what it is, however soon somebody speaks after it', () => {
        const mine = { sender: 'human', content: 'Another thing', createdAt: removed.createdAt };
        const cut = cutOf(removed, diff(...gone, added('n', 2, mine)));
        expect(operationText(removed, cut)).toBe('remove 4 messages');
        expect(noteText(removed, cut)).toBe('');
        expect(ownChanges(removed, diff(...gone, added('n', 2, mine)), cut).every(c => !c.after)).toBe(true);
    });

    it('names results of tools, which have no row of their own, among what was removed', () => {
        const result = { kind: 'removed' as const, before: message('t', 4, { role: 'tool' }), after: null };
        expect(operationText(removed, cutOf(removed, diff(...gone.slice(0, 2), result)))).toBe(
            'remove 3 messages (1 tool result)',
        );
    });

    it('counts nothing that was said later, in neither version', () => {
        const squash = version(2, 1, { operation: 'squash', note: 'squash 4 to 1, sq_x', originalLength: 6 });
        const late = { kind: 'removed' as const, before: message('late', 6), after: null };
        const own = ownChanges(squash, diff(...gone, late, added('s', 2), added('x', 3), added('y', 4)));
        expect(own.flatMap(c => c.before?.messageId ?? [])).toEqual(['m2', 'm3', 'm4', 'm5']);
        expect(own.flatMap(c => c.after?.messageId ?? [])).toEqual(['s']);
    });

    it('names a branch after what it was made from', () => {
        expect(branchTitle('Welcome', 'v4')).toBe('Welcome (from v4)');
        expect(branchTitle(null, 'v4')).toBeUndefined();
    });
});

describe('two versions side by side', () => {
    const diff = (changes: Diff['changes']): Diff => ({ from: 'v1', to: 'v2', same: 0, changes });

    it('folds what is the same between changes', () => {
        const blocks = blocksOf(
            diff([
                { kind: 'replaced', before: message('old', 2), after: message('new', 2) },
                { kind: 'removed', before: message('gone', 5), after: null },
            ]),
            8,
            7,
        );
        expect(
            blocks.map(b =>
                b.kind === 'same' ? b.count : [b.left.map(m => m.messageId), b.right.map(m => m.messageId)],
            ),
        ).toEqual([2, [['old'], ['new']], 2, [['gone'], []], 2]);
        expect(blocks[0]).toMatchObject({ side: 'to', before: { messageId: 'new' }, after: null });
        expect(blocks[4]).toMatchObject({ side: 'from', after: { messageId: 'gone' }, before: null });
    });

    it('puts five squashed messages beside the one that stands for them', () => {
        const removed = [3, 4, 5, 6, 7].map(n => ({
            kind: 'removed' as const,
            before: message(`m${n}`, n),
            after: null,
        }));
        const blocks = blocksOf(
            diff([...removed, { kind: 'added', before: null, after: message('s', 3) }]),
            10,
            6,
        );
        expect(blocks.map(b => (b.kind === 'same' ? b.count : [b.left.length, b.right.length]))).toEqual([
            3,
            [5, 1],
            2,
        ]);
    });

    it('shows a message that was moved where it was and where it is', () => {
        const blocks = blocksOf(
            diff([{ kind: 'moved', before: message('m', 0), after: message('m', 3) }]),
            4,
            4,
        );
        expect(blocks.map(b => (b.kind === 'same' ? b.count : [b.left.length, b.right.length]))).toEqual([
            [1, 0],
            3,
            [0, 1],
        ]);
    });

    it('ends, whatever lengths it is told', () => {
        expect(blocksOf(diff([]), 3, 5)).toEqual([
            { kind: 'same', count: 3, after: null, before: null, side: 'from' },
        ]);
        expect(blocksOf(diff([]), 0, 0)).toEqual([]);
    });
});
