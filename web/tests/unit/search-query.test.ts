import { describe, expect, it } from 'vitest';
import { wrongWith } from '../../src/views/search/query';
import { marked } from '../../src/views/shared/marked';
import { filters, has, terms, toggled, withKey, without, words } from '../../src/views/search/query';

describe('words and conditions', () => {
    it('tells them apart as the server does', () => {
        expect(
            words('from:ada "a b" is:unreplied is:odd http://x -no in:"Launch plan"')
                .filter(w => w.filter)
                .map(w => w.text),
        ).toEqual(['from:ada', 'is:unreplied', 'in:"Launch plan"']);
        expect(filters('from: x')).toEqual([]);
    });
    it('removes one condition and keeps the rest', () => {
        expect(without('freeze from:ada from:ada', 'from:ada')).toBe('freeze from:ada');
        expect(without('freeze', 'from:ada')).toBe('freeze');
    });
    it('switches a condition on and off', () => {
        const on = toggled('freeze', 'is:edited');
        expect(on).toBe('freeze is:edited');
        expect(has(on, 'is:edited')).toBe(true);
        expect(toggled(on, 'is:edited')).toBe('freeze');
    });
    it('has one value for a key', () => {
        expect(withKey('from:bo x', 'from', 'ada')).toBe('x from:ada');
        expect(withKey('x', 'in', 'Launch plan')).toBe('x in:"Launch plan"');
        expect(withKey('x from:bo', 'from', '')).toBe('x');
    });
    it('marks what was looked for, and nothing else', () => {
        expect(terms('"a b" pre* -no from:ada')).toEqual(['a b', 'pre']);
        expect(marked('The Freeze ends', ['freeze'])).toEqual([
            { text: 'The ', hit: false },
            { text: 'Freeze', hit: true },
            { text: ' ends', hit: false },
        ]);
        expect(marked('a.b a*b', ['a*b'])).toEqual([
            { text: 'a.b ', hit: false },
            { text: 'a*b', hit: true },
        ]);
        expect(marked('x', [])).toEqual([{ text: 'x', hit: false }]);
        const hits = (text: string, q: string) =>
            marked(text, terms(q), true).flatMap(p => (p.hit ? [p.text] : []));
        expect(hits('hand and Andes, (and)', 'and')).toEqual(['and', 'And', 'and']);
        expect(hits('über allüber', 'über')).toEqual(['über']);
        expect(hits('x.skein', '.sk')).toEqual(['.sk']);
    });
    it('says which condition there is not', () => {
        expect(wrongWith('freeze is:edited has:code "is:x y" from:ada')).toBeNull();
        expect(wrongWith('freeze has:bogus')).toBe(
            'There is no filter has:bogus. The filters are has:tool, has:code and has:link.',
        );
    });
    it('loses no letter of a text', () => {
        for (const q of ['e', 'he', '((', '\\', 'ß', '']) {
            const text = 'The ((freeze\\ ends ße';
            expect(
                marked(text, terms(q))
                    .map(p => p.text)
                    .join(''),
            ).toBe(text);
        }
    });
});
