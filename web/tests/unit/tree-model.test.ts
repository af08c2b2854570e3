import { describe, expect, it } from 'vitest';
import type { Message, Node } from '../../src/api/types';
import {
    addMessage,
    addNodes,
    ancestors,
    BARS,
    emptyTree,
    kept,
    matches,
    medianReply,
    rootOf,
    rowsOf,
    type Filter,
    type Tree,
} from '../../src/views/tree/model';
import { plainMessage } from './message';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function node(id: string, parent: string | null, more: Partial<Node> = {}): Node {
    return {
        ...plainMessage(id, {
            role: 'assistant',
            sender: 'ada',
            replyToMessageId: parent,
            createdAt: at(0),
        }),
        parentMessageId: parent,
        depth: 0,
        unanswered: false,
        hasReply: false,
        replyCount: 0,
        memoryOnly: false,
        ...more,
    };
}

function team(): Tree {
    const tree = emptyTree();
    addNodes(tree, [
        node('a', null, { sender: 'human', createdAt: at(0) }),
        node('b', 'a', { sender: 'lead', createdAt: at(9) }),
        node('c', 'b', { sender: 'ada', createdAt: at(10), unanswered: true }),
        node('d', 'b', { sender: 'bo', createdAt: at(20), memoryOnly: true }),
        node('e', 'a', {
            sender: 'bo',
            createdAt: at(30),
            toolCalls: [{ toolCallId: 't', toolName: 'look', args: {} }],
        }),
        node('f', null, { sender: 'human', createdAt: at(40) }),
        node('g', null, { replyToMessageId: 'gone', createdAt: at(50) }),
    ]);
    return tree;
}

it('knows what a squash wrote, whoever asked for it', () => {
    const tree = emptyTree();
    addNodes(tree, [node('a', null, { sender: 'human', squashOperationId: 'sq_1' }), node('b', null)]);
    expect([...tree.leaves.values()].map(leaf => leaf.squash)).toEqual([true, false]);
});

const all: Filter = { show: 'all', agent: '', hideInMemory: false, leads: ['lead'] };
const ids = (tree: Tree, filter: Filter, folded: string[] = []) =>
    rowsOf(tree, new Set(folded), kept(tree, filter))
        .map(r => r.leaf.id)
        .join('');

describe('the tree of replies', () => {
    it('stands in reading order, with levels, places and sizes', () => {
        const rows = rowsOf(team(), new Set(), null);
        expect(rows.map(r => `${r.leaf.id}${r.level}${r.pos}/${r.size}`)).toEqual([
            'a11/3',
            'b21/2',
            'c31/2',
            'd32/2',
            'e22/2',
            'f12/3',
            'g13/3',
        ]);
        expect(rows.map(r => r.open)).toEqual([true, true, null, null, null, null, null]);
    });

    it('counts what is below, also when something new is said', () => {
        const tree = team();
        expect(tree.leaves.get('a')!.below).toBe(4);
        expect(addMessage(tree, node('h', 'c') as Message)).toBe(true);
        expect(addMessage(tree, node('h', 'c') as Message)).toBe(false);
        expect(['a', 'b', 'c'].map(id => tree.leaves.get(id)!.below)).toEqual([5, 3, 1]);
        expect(tree.leaves.get('c')!.unanswered).toBe(false);
        expect(tree.leaves.get('h')!.depth).toBe(3);
    });

    it('counts a whole page of replies below one that was there', () => {
        const tree = team();
        addNodes(tree, [node('h', 'c'), node('i', 'c'), node('j', 'h')]);
        expect(['a', 'b', 'c', 'h'].map(id => tree.leaves.get(id)!.below)).toEqual([7, 5, 3, 1]);
    });

    it('hides what is folded, and knows which lines go on', () => {
        expect(ids(team(), all, ['b'])).toBe('abefg');
        const rows = rowsOf(team(), new Set(), null);
        // c hangs below b, which has a sibling: the first bar goes on; d is the last below b.
        expect(rows.map(r => r.lines.toString(2))).toEqual(['0', '1', '11', '1', '0', '0', '0']);
    });

    it('marks an answer to what is not in this version', () => {
        const tree = team();
        expect([...tree.leaves.values()].filter(l => l.orphan).map(l => l.id)).toEqual(['g']);
    });

    it('takes what is already known from the server again without adding it twice', () => {
        const tree = team();
        addNodes(tree, [node('c', 'b', { unanswered: false, memoryOnly: true })]);
        expect(tree.leaves.size).toBe(7);
        expect(tree.leaves.get('c')).toMatchObject({ unanswered: false, memoryOnly: true });
    });

    it.each([
        ['main', {}, 'abfg'],
        ['unanswered', {}, 'abc'],
        ['mine', {}, 'abe'],
        ['agent', { agent: 'bo' }, 'abde'],
        ['memory', {}, 'abd'],
        ['tools', {}, 'ae'],
        ['all', { hideInMemory: true }, 'abcefg'],
    ] as const)('filters: %s %o', (show, more, expected) => {
        expect(ids(team(), { ...all, show, ...more })).toBe(expected);
    });

    it('shows what leads to a match as such', () => {
        const left = kept(team(), { ...all, show: 'unanswered' })!;
        expect([...left].filter(([, fits]) => fits).map(([id]) => id)).toEqual(['c']);
    });

    it('finds words in folded threads too, in the order of the tree', () => {
        expect(matches(team(), null, 'TEXT OF')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
        expect(matches(team(), null, ' of d')).toEqual(['d']);
        expect(matches(team(), null, '  ')).toEqual([]);
    });

    it('knows the way up', () => {
        expect(ancestors(team(), 'c')).toEqual(['b', 'a']);
        expect(rootOf(team(), 'c')).toBe('a');
        expect(rootOf(team(), 'nobody')).toBeNull();
    });

    it('measures the median time to the first answer', () => {
        expect(medianReply(team())).toBe(5000);
        expect(medianReply(emptyTree())).toBeNull();
    });

    it('is quick and safe with ten thousand messages and ten thousand levels', () => {
        const tree = emptyTree();
        addNodes(
            tree,
            Array.from({ length: 10_000 }, (_, n) => node(`m${n}`, n === 0 ? null : `m${n - 1}`)),
        );
        const began = performance.now();
        const rows = rowsOf(tree, new Set(), kept(tree, { ...all, show: 'agent', agent: 'ada' }));
        expect(rows.length).toBe(10_000);
        expect(rows[9999]!.level).toBe(10_000);
        expect(rows[9999]!.lines < 1 << BARS).toBe(true);
        expect(performance.now() - began).toBeLessThan(5000);
    });
});

describe('what is easily mixed up', () => {
    const all: Filter = { show: 'all', agent: '', hideInMemory: false, leads: ['lead'] };
    const fitting = (tree: Tree, f: Partial<Filter>) =>
        [...kept(tree, { ...all, ...f })!].filter(([, fits]) => fits).map(([id]) => id);

    it('what is only in memory is shown where it is asked for, although it is hidden elsewhere', () => {
        expect(fitting(team(), { show: 'memory', hideInMemory: true })).toEqual(['d']);
        expect(fitting(team(), { show: 'all', hideInMemory: true })).not.toContain('d');
    });
    it('a person does not reply to themselves', () => {
        const tree = emptyTree();
        addNodes(tree, [
            node('a', null, { sender: 'human' }),
            node('b', 'a', { sender: 'human' }),
            node('c', 'a', { sender: 'ada' }),
        ]);
        expect(fitting(tree, { show: 'mine' })).toEqual(['c']);
    });
    it('results of tools are neither the main thread nor an answer', () => {
        const tree = emptyTree();
        addNodes(tree, [
            node('a', null, { sender: 'human', createdAt: at(0) }),
            node('b', 'a', { sender: 'lead', role: 'tool', createdAt: at(1) }),
            node('c', 'a', { sender: 'lead', createdAt: at(9) }),
        ]);
        expect(fitting(tree, { show: 'main' })).toEqual(['a', 'c']);
        expect(medianReply(tree)).toBe(9000);
    });
    it('a name with its sign finds who wrote, and not who is spoken of', () => {
        expect(matches(team(), null, '@lead')).toEqual(['b']);
    });
});
