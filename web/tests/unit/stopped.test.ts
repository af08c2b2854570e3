// Where an agent was when it was stopped is said as it was.
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/api/types';
import { noAnswer } from '../../src/store/state';
import { stoppedWords } from '../../src/views/shared/stopped';
import { plainMessage } from './message';

const AT = '2026-11-15T12:00:10.000Z';
const asked = plainMessage('m0');
const stop = noAnswer('m0', 'ada', AT);
const said = (...tools: string[]): Message =>
    plainMessage('m1', {
        role: 'assistant',
        sender: 'ada',
        replyToMessageId: 'm0',
        toolCalls: tools.map((toolName, n) => ({ toolCallId: `k${n}`, toolName, args: {} })),
    });
const result = (n: number, content: string, createdAt = AT): Message =>
    plainMessage(`r${n}`, { role: 'tool', sender: 'ada', toolCallId: `k${n}`, content, createdAt });
const words = (...rows: Message[]) => stoppedWords(stop, [asked, ...rows]);

describe('an agent that was stopped', () => {
    it('before it had said anything did not answer', () => {
        expect(words()).toBe('was stopped before it answered');
        expect(words(plainMessage('x', { role: 'assistant', sender: 'bo', replyToMessageId: 'm0' }))).toBe(
            'was stopped before it answered',
        );
    });
    it('while a tool ran was at that tool', () => {
        const lost = 'interrupted: the outcome of this call is unknown';
        expect(words(said('look'))).toBe('was stopped while it used look');
        expect(words(said('look', 'send'), result(0, 'found'), result(1, lost))).toBe(
            'was stopped while it used send',
        );
    });
    it('while a tool waited for permission says so', () => {
        expect(words(said('send'), result(0, 'not run: its turn ended before a person had allowed it'))).toBe(
            'was stopped while send waited for your permission',
        );
    });
    it('after its tools were done had used them', () => {
        expect(words(said('look'), result(0, 'found'))).toBe('was stopped after it had used look');
        expect(words(said())).toBe('was stopped after what it had said');
    });
    it('at a later try did not answer again, whatever the first try was at', () => {
        const lost = 'interrupted: the outcome of this call is unknown';
        expect(words(said('look'), result(0, lost, '2026-11-15T12:00:00.000Z'))).toBe(
            'was stopped before it answered again',
        );
        expect(words({ ...said(), unfinished: 'cut' })).toBe('was stopped before it answered again');
    });
});
