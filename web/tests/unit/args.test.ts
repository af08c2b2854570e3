import { describe, expect, it } from 'vitest';
import { argLines } from '../../src/views/shared/args';

describe('what a tool was called with', () => {
    it('is a name and a short value for each argument', () => {
        expect(argLines({ day: 'Friday', from: 9, open: true, who: ['ada', 'bo'], none: null })).toEqual([
            ['day', 'Friday'],
            ['from', '9'],
            ['open', 'true'],
            ['who', '["ada","bo"]'],
            ['none', 'null'],
        ]);
    });
    it('has the first line of a long value, and says that there is more', () => {
        expect(argLines({ text: 'one\ntwo' })).toEqual([['text', 'one…']]);
        const [[, value]] = argLines({ text: 'x'.repeat(500) }) as [[string, string]];
        expect(value).toBe(`${'x'.repeat(80)}…`);
    });
    it('is nothing where there are no names', () => {
        expect([argLines(null), argLines('text'), argLines(undefined), argLines({})]).toEqual([
            [],
            [],
            [],
            [],
        ]);
    });
});
