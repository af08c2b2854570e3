// Without the server, what the page has loaded is searched; and hits stand under the conversation that they are of.

import { describe, expect, it } from 'vitest';
import type { Chat, Hit } from '../../src/api/types';
import { byConversation } from '../../src/views/search/kinds';
import { searchHere, unchecked } from '../../src/views/search/search-data';
import { message, opened, room } from './story';

const rows = [
    message('a', 0, { content: 'The freeze ends at noon', createdAt: '2026-11-15T10:00:00.000Z' }),
    message('b', 1, { content: 'A FREEZE again', sender: 'ada', createdAt: '2026-11-15T11:00:00.000Z' }),
    message('c', 2, { content: 'nothing of it', sender: 'bo', createdAt: '2026-11-15T12:00:00.000Z' }),
];

describe('a search on this device', () => {
    const s = opened();
    const known = { ...s.world!, chat: { c_1: { ...room(s), rows } } };
    const ids = (q: string) => searchHere(known, q).map(h => h.messageId);

    it('finds words in what is loaded, the newest first', () => {
        expect(ids('freeze')).toEqual(['b', 'a']);
        expect(ids('freeze noon')).toEqual(['a']);
        expect(ids('"ends at"')).toEqual(['a']);
        expect(ids('snow')).toEqual([]);
        expect(ids('')).toEqual([]);
        expect(searchHere(null, 'freeze')).toEqual([]);
    });
    it('heeds who said it, and what must not be in it', () => {
        expect(ids('freeze from:ada')).toEqual(['b']);
        expect(ids('from:@ADA')).toEqual(['b']);
        expect(ids('freeze from:me')).toEqual(['a']);
        expect(ids('freeze -noon')).toEqual(['b']);
        expect(ids('freeze -"at noon"')).toEqual(['b']);
    });
    it('says which conditions only the server can check', () => {
        expect(unchecked('freeze from:ada is:edited in:room')).toEqual(['is:edited', 'in:room']);
    });
});

describe('hits of a conversation', () => {
    const hit = (chatId: string, mode: Hit['mode'], sender: string, title: string | null = null): Hit => ({
        ...message(`${chatId} ${sender}`, 0, { chatId, sender }),
        title,
        mode,
        version: 1,
        archived: false,
        inCurrent: true,
        snippet: null,
    });
    const chats = [
        { id: 'bg', agent: 'lead' },
        { id: 'fg', agent: 'ada' },
    ] as Chat[];

    it('stand under whose conversation it is, whoever wrote the first of them', () => {
        const hits = [
            hit('bg', 'background', 'human'),
            hit('bg', 'background', 'ada'),
            hit('fg', 'foreground', 'human'),
            hit('room', 'chat', 'bo', 'Launch plan'),
            hit('new', 'chat', 'bo'),
            hit('elsewhere', 'background', 'human'),
        ];
        expect(byConversation(hits, 'w', chats).map(g => [g.title, g.hits.length])).toEqual([
            ['background of @lead', 2],
            ['conversation with @ada', 1],
            ['Launch plan', 1],
            ['Untitled conversation', 1],
            ['background of an agent', 1],
        ]);
    });
});
