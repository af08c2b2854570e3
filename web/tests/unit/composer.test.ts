import { describe, expect, it } from 'vitest';
import { LONG, directionOf } from '../../src/views/chat/direction';
import { sizeOf } from '../../src/views/chat/message-limit';

describe('the limit of a message', () => {
    it.each([
        ['1MB', 1_000_000],
        ['500 kB', 500_000],
        ['1mb', 1_000_000],
        ['1234', 1234],
        [1234, 1234],
        ['12B', 12],
    ])('is read as the server reads %s', (written, bytes) => expect(sizeOf(written)).toBe(bytes));
    it.each(['', 'MB', '1.5MB', '1MiB', '-1', null])('is not known from %s', written =>
        expect(sizeOf(written)).toBeNull(),
    );
});

describe('the direction of the box', () => {
    const long = (text: string) => text.repeat(LONG);

    it('is left to the browser while the text is short', () => {
        expect(directionOf('')).toBe('auto');
        expect(directionOf('x'.repeat(LONG))).toBe('auto');
    });
    it('is that of the first letter of a long one', () => {
        expect(directionOf(long('x1'))).toBe('ltr');
        expect(directionOf(long('1 שלום'))).toBe('rtl');
        expect(directionOf(`123, ${long('سلام')}`)).toBe('rtl');
        expect(directionOf(`a ${long('سلام')}`)).toBe('ltr');
        expect(directionOf(long('12'))).toBe('ltr');
    });
});
