import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countWords, firstSentence, makeWriters, names } from '../../src/views/frame/writers';

let said: string[];
let how: 'all' | 'first' | 'done' | 'off';
let written: Record<string, string>;
let writers: ReturnType<typeof makeWriters>;

beforeEach(() => {
    vi.useFakeTimers();
    said = [];
    how = 'done';
    written = {};
    writers = makeWriters({
        say: text => said.push(text),
        how: () => how,
        words: id => countWords(written[id] ?? ''),
    });
});

afterEach(() => {
    vi.useRealTimers();
});

const answer = { agent: 'lead', messageId: 'm1', replyTo: 'You', text: 'Hello. I will split this.' };

describe('what is heard while one agent writes', () => {
    it('begins, goes on, ends', () => {
        writers.started('m1', 'lead');
        vi.advanceTimersByTime(300);
        expect(said).toEqual(['lead is writing']);
        written.m1 = Array.from({ length: 140 }, () => 'word').join(' ');
        vi.advanceTimersByTime(9_699);
        expect(said).toHaveLength(1);
        vi.advanceTimersByTime(1);
        expect(said[1]).toBe('lead is still writing, 140 words');
        writers.finished(answer);
        expect(said[2]).toBe('lead finished, replying to You');
        vi.advanceTimersByTime(60_000);
        expect(said).toHaveLength(3);
    });
    it('says it again every ten seconds', () => {
        writers.started('m1', 'lead');
        vi.advanceTimersByTime(30_000);
        expect(said.filter(text => text.includes('still'))).toHaveLength(3);
        expect(said[1]).toBe('lead is still writing, 0 words');
    });
    it('an answer that is there at once is not announced as being written', () => {
        writers.started('m1', 'lead');
        writers.finished(answer);
        vi.advanceTimersByTime(20_000);
        expect(said).toEqual(['lead finished, replying to You']);
    });
    it('a failure or another conversation ends the counting', () => {
        writers.started('m1', 'lead');
        vi.advanceTimersByTime(300);
        writers.failed('m1');
        vi.advanceTimersByTime(20_000);
        writers.started('m2', 'lead');
        writers.forget();
        vi.advanceTimersByTime(20_000);
        expect(said).toEqual(['lead is writing']);
    });
});

describe('several agents', () => {
    it('are said together', () => {
        writers.started('m1', 'lead');
        writers.started('m2', 'bo');
        vi.advanceTimersByTime(300);
        expect(said).toEqual(['lead and bo are writing']);
        written = { m1: 'one two', m2: 'three' };
        vi.advanceTimersByTime(9_700);
        expect(said[1]).toBe('lead and bo are still writing, 3 words');
        writers.finished(answer);
        vi.advanceTimersByTime(10_000);
        expect(said[3]).toBe('bo is still writing, 1 word');
    });
    it('a second one later is told with the first', () => {
        writers.started('m1', 'lead');
        vi.advanceTimersByTime(1_000);
        writers.started('m2', 'bo');
        vi.advanceTimersByTime(300);
        expect(said).toEqual(['lead is writing', 'lead and bo are writing']);
    });
    it('lists names as people do', () => {
        expect(names(['a'])).toBe('a');
        expect(names(['a', 'b', 'c'])).toBe('a, b and c');
    });
});

describe('who has ended', () => {
    it('is not said to be writing still', () => {
        writers.started('m1', 'lead');
        vi.advanceTimersByTime(300);
        writers.failed('m1');
        writers.started('m2', 'bo');
        vi.advanceTimersByTime(300);
        writers.forget();
        vi.advanceTimersByTime(60_000);
        expect(said).toEqual(['lead is writing', 'bo is writing']);
    });
});

describe('how much is read', () => {
    it.each([
        ['all', 'lead finished, replying to You. Hello. I will split this.'],
        ['first', 'lead finished, replying to You. Hello.'],
        ['done', 'lead finished, replying to You'],
    ] as const)('%s', (much, text) => {
        how = much;
        writers.finished(answer);
        expect(said).toEqual([text]);
    });
    it('off: nothing', () => {
        how = 'off';
        writers.started('m1', 'lead');
        vi.advanceTimersByTime(20_000);
        writers.finished(answer);
        expect(said).toEqual([]);
    });
    it('says that it was stopped, and nothing about a reply to nobody', () => {
        writers.finished({ ...answer, unfinished: 'stopped' });
        writers.finished({ ...answer, replyTo: null });
        expect(said).toEqual(['lead was stopped', 'lead finished']);
    });
    it('says that it was cut off, or came to its limit', () => {
        writers.finished({ ...answer, unfinished: 'cut' });
        writers.finished({ ...answer, unfinished: 'length' });
        expect(said).toEqual(['lead was cut off', 'lead reached the length limit']);
    });
    it('cuts a very long sentence at a word', () => {
        const long = firstSentence('word '.repeat(100));
        expect(long.length).toBeLessThanOrEqual(241);
        expect(long.endsWith('word…')).toBe(true);
    });
});
