import { describe, expect, it } from 'vitest';
import { paletteEntries } from '../../src/keys/palette';
import { update } from '../../src/store/core';
import { opened } from './story';

describe('the palette', () => {
    it('offers the conversations of people, not the background of an agent', () => {
        const s = opened();
        const chat = s.world!.chats['c_1']!;
        const behind = { ...chat, id: 'c_2', title: 'room behind', mode: 'background' as const };
        update(() => ({ ...s, world: { ...s.world!, chats: { c_1: chat, c_2: behind } } }));
        const chats = paletteEntries('room', []).filter(one => one.group === 'Conversations');
        expect(chats.map(one => one.label)).toEqual(['room']);
    });
});
