import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/api/types';
import { closed } from '../../src/views/squash/selection';
import { squashTitle } from '../../src/views/shared/squashes';
import { plainMessage } from './message';

const message = (messageId: string, part: Partial<Message> = {}): Message =>
    plainMessage(messageId, { role: 'assistant', sender: 'ada', ...part });

const call = (id: string, ...calls: string[]) =>
    message(id, { toolCalls: calls.map(toolCallId => ({ toolCallId, toolName: 'look', args: {} })) });
const result = (id: string, toolCallId: string) => message(id, { role: 'tool', toolCallId });

describe('a selection', () => {
    const rows = [
        message('a'),
        call('b', 'k1', 'k2'),
        result('c', 'k1'),
        message('d'),
        result('e', 'k2'),
        result('f', 'k9'),
    ];

    it('takes the result with its call', () => {
        expect([...closed(new Set(['b']), rows).ids].sort()).toEqual(['b', 'c', 'e']);
    });
    it('takes the call and its other results with a result', () => {
        expect([...closed(new Set(['e']), rows).ids].sort()).toEqual(['b', 'c', 'e']);
    });
    it('says whether it grew', () => {
        expect(closed(new Set(['e']), rows).added).toBe(true);
        expect(closed(new Set(['a', 'd']), rows).added).toBe(false);
    });
    it('leaves a result alone whose call is not loaded', () => {
        expect([...closed(new Set(['f']), rows).ids]).toEqual(['f']);
    });
    it('closed twice is closed once', () => {
        const once = closed(new Set(['c', 'a']), rows).ids;
        expect(closed(once, rows)).toEqual({ ids: once, added: false });
    });
});

describe('what a squash is called', () => {
    const made = { by: 'human', model: null, performedByAgent: false };

    it('names who asked for it', () => {
        expect(squashTitle(made)).toBe('Squashed by you');
        expect(squashTitle({ ...made, by: 'lead', performedByAgent: true })).toBe('Squashed by @lead');
    });
    it('names who wrote it, when that is somebody else', () => {
        expect(squashTitle({ ...made, model: 'a/m', performedByAgent: true })).toBe(
            'Squashed by you, words by a/m',
        );
        expect(squashTitle({ ...made, performedByAgent: true })).toBe('Squashed by you, words by a model');
        expect(squashTitle({ ...made, by: 'lead', model: 'a/m' })).toBe('Squashed by @lead, words by a/m');
    });
    it('claims nothing while nobody knows', () => {
        expect(squashTitle(null)).toBe('Squash');
    });
});
