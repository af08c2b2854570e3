import { describe, expect, it } from 'vitest';
import { pageHint } from '../../src/api/page-hint';
import { inboxBadge } from '../../src/views/frame/inbox-badge';

describe('what the server advises', () => {
    it('is shown without commands of a terminal', () => {
        expect(pageHint('Wait a moment. Then: skein provider login openai.')).toBe('Wait a moment.');
        expect(pageHint('A key: skein provider login NAME')).toBe('');
        expect(pageHint(null)).toBe('');
        expect(pageHint('Shorten the message. Try again!')).toBe('Shorten the message. Try again!');
    });
});

describe('the number beside the inbox', () => {
    it('is that of those that need you, and is never ◐ 0', () => {
        expect(inboxBadge({ unread: 0, needsYou: 2 })).toEqual({ value: 2, number: '2', what: 'need you' });
        expect(inboxBadge({ unread: 3, needsYou: 0 })).toEqual({ value: 3, number: '3', what: 'unread' });
        expect(inboxBadge({ unread: 4000, needsYou: 0 }).number).toBe('999+');
    });
});
