import { beforeEach, describe, expect, test, vi } from 'vitest';
import { draft } from '../../src/store/drafts';
import { keepPending, keptPending } from '../../src/store/keep-pending';
import { asPrefs, DEFAULT_PREFS, prefs, setPref } from '../../src/store/prefs';

beforeEach(() => localStorage.clear());

describe('a draft', () => {
    test('is stored on every change, at once, and again empty when it is empty', () => {
        const d = draft('w', 'c_draft');
        d.value = { text: 'hel', replyTo: null, tags: [] };
        expect(JSON.parse(localStorage.getItem('skein.draft.w.c_draft') ?? 'null')).toEqual({
            text: 'hel',
            replyTo: null,
            tags: [],
        });
        d.value = { text: '', replyTo: null, tags: [] };
        expect(localStorage.getItem('skein.draft.w.c_draft')).toBe(null);
    });
    test('belongs to one conversation', () => {
        expect(draft('w', 'c_a')).toBe(draft('w', 'c_a'));
        draft('w', 'c_a').value = { text: 'x', replyTo: 'm', tags: ['t'] };
        expect(draft('w', 'c_b').value).toEqual({ text: '', replyTo: null, tags: [] });
    });
    test('follows what another tab writes into it', () => {
        const d = draft('w', 'c_tabs');
        const key = 'skein.draft.w.c_tabs';
        localStorage.setItem(key, '{"text":"from there","replyTo":null,"tags":[]}');
        dispatchEvent(new StorageEvent('storage', { key }));
        expect(d.value.text).toBe('from there');
        localStorage.removeItem(key);
        dispatchEvent(new StorageEvent('storage', { key }));
        expect(d.value.text).toBe('');
    });
    test('that was stored by something else is not believed', () => {
        localStorage.setItem('skein.draft.w.c_bad', '{"text":5,"tags":["a",7]}');
        expect(draft('w', 'c_bad').value).toEqual({ text: '', replyTo: null, tags: ['a'] });
        localStorage.setItem('skein.draft.w.c_worse', '{');
        expect(draft('w', 'c_worse').value.text).toBe('');
    });
    test('is kept in memory by a browser that stores nothing', () => {
        const refused = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
            throw new DOMException('full', 'QuotaExceededError');
        });
        draft('w', 'c_full').value = { text: 'still here', replyTo: null, tags: [] };
        expect(draft('w', 'c_full').value.text).toBe('still here');
        refused.mockRestore();
    });
});

describe('preferences', () => {
    test('are stored', () => {
        setPref('theme', 'dark');
        expect(prefs.value.theme).toBe('dark');
        expect(JSON.parse(localStorage.getItem('skein.prefs') ?? '{}').theme).toBe('dark');
    });
    test('that are not understood are the usual ones', () => {
        expect(asPrefs({ theme: 'pink', calm: 'yes', tourDone: [1], keymap: null, moon: 1 })).toEqual(
            DEFAULT_PREFS,
        );
        expect(asPrefs('x')).toEqual(DEFAULT_PREFS);
        expect(asPrefs({ calm: true, tourDone: ['1'] })).toEqual({
            ...DEFAULT_PREFS,
            calm: true,
            tourDone: ['1'],
        });
    });
});

describe('what was said and not confirmed', () => {
    const p = {
        clientMessageId: 'a',
        content: 'x',
        replyTo: null,
        instructions: [],
        state: 'sending' as const,
        at: 5,
        key: 'k',
    };
    test('waits after a reload, under its key; what failed stays failed', () => {
        keepPending('w', 'c', [p, { ...p, clientMessageId: 'b', state: 'failed' }]);
        expect(keptPending('w', 'c')).toMatchObject([
            { state: 'waiting', key: 'k' },
            { clientMessageId: 'b', state: 'failed' },
        ]);
        keepPending('w', 'c', []);
        expect(localStorage.getItem('skein.pending.w.c')).toBe(null);
    });
    test('that was stored by something else is left out', () => {
        localStorage.setItem(
            'skein.pending.w.c',
            '[null, 5, {"content":1}, {"content":"y","clientMessageId":"z"}]',
        );
        expect(keptPending('w', 'c')).toMatchObject([{ content: 'y', clientMessageId: 'z', replyTo: null }]);
    });
});
