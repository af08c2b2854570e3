import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fillWords } from '../../src/views/agents/words';
import { foldName } from '../../src/views/agents/background-rows';
import { deliveryLine, spokenTitle } from '../../src/views/chat/words';
import { connectionWords } from '../../src/views/frame/connection';
import { sideEffectsText } from '../../src/views/history/detail';
import { whoText } from '../../src/views/history/model';
import { markName } from '../../src/views/inbox/sort';
import { duration } from '../../src/parts/time';
import { count, grouped } from '../../src/views/shared/words';
import { plainMessage } from './message';

const many = <T>(one: T) => Array.from({ length: 12345 }, () => one);

describe('a number is written in one way: in threes, with a space that does not break', () => {
    it.each([
        [0, '0'],
        [999, '999'],
        [1000, '1\u00a0000'],
        [24031, '24\u00a0031'],
        [1234567, '1\u00a0234\u00a0567'],
        [-12345, '-12\u00a0345'],
    ])('%d', (n, words) => expect(grouped(n)).toBe(words));
    it('with what it counts', () => {
        expect(count(1, 'reply', 'replies')).toBe('1 reply');
        expect(count(12345, 'reply', 'replies')).toBe('12\u00a0345 replies');
    });
    it.each([
        ['a delivery', () => deliveryLine(many({ agent: 'ada', state: 'read' } as never))],
        ['the name of a row', () => spokenTitle(plainMessage('m', { replyCount: 12345 }), null)],
        [
            'what an agent has in mind',
            () => fillWords({ tokens: 1, tokensMost: 0, messages: 12345, messagesMost: 1 }),
        ],
        ['tools that are folded', () => foldName(many({ result: {} } as never))],
        ['catching up', () => connectionWords({ state: 'catchingUp', left: 12345 }).word],
        ['what ran after a point', () => sideEffectsText(12345)],
        ['whose messages', () => whoText(many(plainMessage('m')))],
        ['what is marked', () => markName(12345, false)],
    ])('in %s', (_where, words) => expect(words()).toContain('12\u00a0345'));
    it('and nothing in the page writes numbers by itself', () => {
        const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(f =>
            /\.tsx?$/.test(f),
        );
        const own = files.filter(f =>
            /toLocaleString\(|NumberFormat|\(\\d\{3\}\)/.test(readFileSync(join('src', f), 'utf8')),
        );
        expect(own).toEqual([join('views', 'shared', 'words.ts')]);
    });
});

it.each([
    [400, '0.4 s'],
    [12_000, '12 s'],
    [150_000, '3 min'],
    [65 * 60_000, '1 h 5 min'],
    [47 * 3600_000, '47 h 0 min'],
    [48 * 3600_000, '2 d 0 h'],
    [(7557 * 60 + 40) * 60_000, '314 d 22 h'],
])('%d ms took %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
});
