import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { alone, forget, keep, keepTyped, leftover, typed, type Backup } from '../../src/views/edit/backup';
import type { Message } from '../../src/api/types';

const backup = (part: Partial<Backup> = {}): Backup => ({
    world: 'tour',
    chatId: 'c1',
    messageId: 'm1',
    newText: 'new words',
    phase: 'removing',
    removeKey: 'k1',
    postKey: 'k2',
    clientMessageId: 'edit-1',
    count: 3,
    etag: '"t_1.3"',
    previousThread: 't_1',
    replyTo: null,
    instructions: [],
    reason: '',
    at: 1,
    ...part,
});

describe('the backup of an edit', () => {
    beforeEach(() => localStorage.clear());
    afterEach(() => vi.unstubAllGlobals());

    it('is found again after a reload, in its own conversation only', () => {
        keep(backup());
        expect(leftover('tour', 'c1')).toEqual(backup());
        expect(leftover('tour', 'c2')).toBeNull();
        expect(leftover('other', 'c1')).toBeNull();
    });
    it('is forgotten by the edit it belongs to, and by no other', () => {
        keep(backup());
        forget(backup({ clientMessageId: 'edit-0' }));
        expect(leftover('tour', 'c1')).not.toBeNull();
        forget(backup());
        expect(leftover('tour', 'c1')).toBeNull();
    });
    it('that is damaged is none', () => {
        localStorage.setItem('skein.edit:tour:c1', '{"newText":');
        expect(leftover('tour', 'c1')).toBeNull();
        localStorage.setItem('skein.edit:tour:c1', '{"newText":7}');
        expect(leftover('tour', 'c1')).toBeNull();
    });
    it('keeps what was typed into an edit that was closed', () => {
        const message = { messageId: 'm1', content: 'old words' } as Message;
        expect(typed(message)).toBe('old words');
        keepTyped('m1', 'new wor');
        expect(typed(message)).toBe('new wor');
        keepTyped('m1', null);
        expect(typed(message)).toBe('old words');
    });
    it('works without a memory', async () => {
        const off = () => {
            throw new DOMException('storage is switched off', 'SecurityError');
        };
        vi.stubGlobal('localStorage', { getItem: off, setItem: off, removeItem: off });
        keep(backup());
        expect(leftover('tour', 'c1')).toBeNull();
        forget(backup());
        keepTyped('m1', 'new wor');
        expect(typed({ messageId: 'm1', content: 'old words' } as Message)).toBe('old words');
    });
    it('is worked on by one tab at a time', async () => {
        const held = new Set<string>();
        const request = async (
            name: string,
            o: { ifAvailable?: boolean },
            work: (lock: object | null) => unknown,
        ) => {
            if (held.has(name) && o.ifAvailable) return work(null);
            held.add(name);
            try {
                return await work({ name });
            } finally {
                held.delete(name);
            }
        };
        vi.stubGlobal('navigator', { locks: { request } });
        let done = (_: number) => {};
        const first = alone('tour', 'c1', () => new Promise<number>(resolve => (done = resolve)));
        expect(await alone('tour', 'c1', async () => 8)).toBeNull();
        expect(await alone('tour', 'c2', async () => 9)).toBe(9);
        done(7);
        expect(await first).toBe(7);
        vi.stubGlobal('navigator', {});
        expect(await alone('tour', 'c1', async () => 7)).toBe(7);
    });
});
