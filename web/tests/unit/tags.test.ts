import { describe, expect, it } from 'vitest';
import type { Tag } from '../../src/api/types';
import { groups, pressed } from '../../src/views/tags/tags';

const tag = (name: string, part: Partial<Tag> = {}): Tag => ({
    name,
    control: 'toggle',
    instruction: name,
    target: null,
    includeInMessage: true,
    active: false,
    ...part,
});

describe('tag buttons', () => {
    const short = tag('Short');
    const lead = tag('Ask lead', { control: 'choice', instruction: 'ResponseExpected', target: 'lead' });
    const ada = tag('Ask ada', { control: 'choice', instruction: 'ResponseExpected', target: 'ada' });

    it('are one for each switch, and one for all choices of an instruction', () => {
        expect(groups([lead, short, ada])).toEqual([[lead, ada], [short]]);
    });
    it('switch on and off', () => {
        expect(pressed([short], [])).toEqual(['Short']);
        expect(pressed([short], ['Short', 'Ask ada'])).toEqual(['Ask ada']);
    });
    it('go through the choices and end with none', () => {
        let on: string[] = ['Short'];
        const seen = [];
        for (let i = 0; i < 4; i++) {
            on = pressed([lead, ada], on);
            seen.push(on);
        }
        expect(seen).toEqual([['Short', 'Ask lead'], ['Short', 'Ask ada'], ['Short'], ['Short', 'Ask lead']]);
    });
});
