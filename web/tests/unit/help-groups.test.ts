import { afterEach, describe, expect, it } from 'vitest';
import type { Command } from '../../src/keys/commands';
import { commandGroups, fixedGroups } from '../../src/keys/help-groups';
import { helpGroups } from '../../src/keys/help';
import { DEFAULT_PREFS, prefs } from '../../src/store/prefs';

const command = (id: string, keys: string[], where = 'Here'): Command => ({
    id,
    title: id,
    keys,
    where,
    run: () => undefined,
});
const inner = [command('done', ['e']), command('back', ['Escape']), command('words', ['/'])];
const outer = [command('edit', ['e', 'E'], 'There'), command('jump', ['Ctrl+k', 'Meta+k', '/'], 'There')];

afterEach(() => {
    prefs.value = DEFAULT_PREFS;
});

describe('the sheet of keys', () => {
    it('has each key once, for the innermost command that it fires', () => {
        expect(commandGroups([...inner, ...outer])).toEqual([
            {
                where: 'Here',
                lines: [
                    { title: 'done', keys: ['e'] },
                    { title: 'words', keys: ['/'] },
                ],
            },
            {
                where: 'There',
                lines: [
                    { title: 'edit', keys: ['Shift+e'] },
                    { title: 'jump', keys: ['Ctrl+k'] },
                ],
            },
        ]);
    });
    it('has the keys that a person chose', () => {
        prefs.value = { ...DEFAULT_PREFS, keymap: { done: ['d'], words: [] } };
        expect(commandGroups(inner)).toEqual([{ where: 'Here', lines: [{ title: 'done', keys: ['d'] }] }]);
    });
    it('ends with those that are always there, Esc among them once', () => {
        const all = [...commandGroups([...inner, ...outer]), ...fixedGroups()];
        const keys = all.flatMap(group => group.lines.flatMap(line => line.keys));
        expect(keys.filter(one => one === 'Escape')).toHaveLength(1);
        expect(new Set(keys).size).toBe(keys.length);
    });
    it('is searched by name, place and key', () => {
        expect(helpGroups('jump', outer).map(group => group.where)).toEqual(['There']);
        expect(helpGroups('there ctrl', outer)[0]?.lines.map(line => line.title)).toEqual(['jump']);
        expect(helpGroups('nothing of this', outer)).toEqual([]);
    });
});
