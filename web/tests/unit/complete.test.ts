import { beforeEach, describe, expect, it } from 'vitest';
import { countUse, timesUsed } from '../../src/store/used';
import { choices, type Choice } from '../../src/views/chat/complete';

const named = (label: string, hint: string, used = 0): Choice => ({ id: label, label, hint, used });
const labels = (word: string, all: Choice[], most?: number) => choices(word, all, most).map(one => one.label);

describe('what / offers', () => {
    const all = [
        named('rename', 'Rename this'),
        named('reopen', 'New window again'),
        named('newer', 'Newer version'),
        named('new', 'New conversation'),
        named('help', 'Keys of this screen'),
    ];
    it('has what was typed first, then what begins with it, then a word that does, then what holds it', () => {
        expect(labels('new', all)).toEqual(['new', 'newer', 'reopen']);
        expect(labels('en', all)).toEqual(['rename', 'reopen', 'help']);
        expect(labels('nothing', all)).toEqual([]);
    });
    it('has the most used first where several fit as well, and never before a better one', () => {
        const often = [named('tree', 'Tree'), named('travel', 'Travel', 2), named('undo', 'Take it back', 9)];
        expect(labels('', often)).toEqual(['undo', 'travel', 'tree']);
        expect(labels('t', often)).toEqual(['travel', 'tree', 'undo']);
        expect(labels('', often, 2)).toEqual(['undo', 'travel']);
    });
});

describe('how often something was used', () => {
    beforeEach(() => localStorage.clear());
    it('is counted, each by itself, and kept', () => {
        countUse('undo');
        countUse('undo');
        countUse('tree');
        expect([timesUsed('undo'), timesUsed('tree'), timesUsed('help')]).toEqual([2, 1, 0]);
        expect(JSON.parse(localStorage.getItem('skein.used') ?? '')).toEqual({ undo: 2, tree: 1 });
    });
    it('is nothing when what is kept is not understood', () => {
        localStorage.setItem('skein.used', '{"undo":"often"}');
        expect(timesUsed('undo')).toBe(0);
        countUse('undo');
        expect(timesUsed('undo')).toBe(1);
    });
});
