// A conversation without a title goes by the first words that were said in it.
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Chat } from '../../src/api/types';
import { state, tell as happen, update, updateChat } from '../../src/store/core';
import { chatName, chatTitle, followNames, openingWords } from '../../src/store/names';
import { windowTitle } from '../../src/views/frame/title';
import { go } from '../../src/store/place';
import { message, opened, soon, tell } from './story';

let asked: string[];
beforeAll(followNames);
beforeEach(() => {
    asked = [];
    vi.stubGlobal('fetch', async (path: string) => {
        asked.push(path);
        const data = [message('f', 0, { content: `first of ${/c_\w+/.exec(path)?.[0]}` })];
        return new Response(JSON.stringify({ data, page: {} }), {
            headers: { 'content-type': 'application/json' },
        });
    });
});

const untitled = (id: string, messageCount: number, more: Partial<Chat> = {}): Chat =>
    ({ ...opened().world!.chats.c_1!, id, title: null, messageCount, ...more }) as Chat;
const open = (...chats: Chat[]) =>
    update(() => {
        const s = opened();
        return {
            ...s,
            world: s.world && { ...s.world, chats: Object.fromEntries(chats.map(c => [c.id, c])) },
        };
    });
const title = (id: string) => chatTitle(state.value.world!.chats[id]!);

describe('the name of a conversation', () => {
    test('is its title, or that of its agent, or that it is new', () => {
        open(untitled('c_a', 3, { title: 'Plan' }), untitled('c_b', 2, { agent: 'ada' }), untitled('c_c', 0));
        expect(['c_a', 'c_b', 'c_c'].map(title)).toEqual(['Plan', '@ada', 'New conversation']);
        expect(asked).toEqual([]);
    });
    test('without a title is asked for once, also when it was never opened', async () => {
        open(untitled('c_d', 4), untitled('c_e', 1));
        await soon(() => expect([title('c_d'), title('c_e')]).toEqual(['first of c_d', 'first of c_e']));
        expect(asked.length).toBe(2);
    });
    test('comes with the first message, at once, and follows it when it is edited', async () => {
        open(untitled('c_f', 0));
        expect(title('c_f')).toBe('New conversation');
        const said = (content: string, seq: number) =>
            tell('message.created', message(`m${seq}`, 0, { content, chatId: 'c_f' }), {
                seq,
                chatId: 'c_f',
                threadId: 't_1',
            });
        happen([said('Plan the launch', 11)]);
        expect(title('c_f')).toBe('Plan the launch');
        happen([said('Plan the party', 12)]);
        expect(title('c_f')).toBe('Plan the party');
        expect(asked).toEqual([]);
        expect(chatName(state.value.world!.chats.c_f)).toBe('Plan the party');
    });
    test('is that of the row which is shown, and stands in the title of the window', () => {
        open(untitled('c_1', 1));
        updateChat('c_1', c => ({ ...c, rows: [message('m', 0, { content: 'What is seen' })], total: 1 }));
        go({ kind: 'chat', w: 'w', c: 'c_1', view: 'chat' }, { replace: true });
        expect(windowTitle()).toContain('What is seen · w');
    });
    test('is not asked for where its rows are loaded or being loaded, unless they begin later', async () => {
        const rows = (position: number) =>
            updateChat('c_1', c => ({
                ...c,
                rows: [message('m', position, { content: 'A row' })],
                total: 9,
            }));
        updateChat('c_1', c => ({ ...c, rows: [] }));
        open(untitled('c_1', 9), untitled('c_g', 1));
        await soon(() => expect(title('c_g')).toBe('first of c_g'));
        rows(0);
        expect(title('c_1')).toBe('A row');
        expect(asked.length).toBe(1);
        rows(5);
        await soon(() => expect(title('c_1')).toBe('first of c_1'));
    });
    test('is a line, and not a long one', () => {
        expect(openingWords('\n one  two\nthree')).toBe('one two');
        const long = openingWords('word '.repeat(40));
        expect(long.length).toBeLessThan(50);
        expect(long.endsWith('word…')).toBe(true);
    });
});
