// What stands in the log, and what can be completed in the message box.

import { describe, expect, it } from 'vitest';
import type { Chat, Message, Summary } from '../../src/api/types';
import { emptyChat, type ChatState, type Failed, type Live, type Pending } from '../../src/store/state';
import type { Trouble } from '../../src/api/client';
import { canRetry } from '../../src/views/chat/failed';
import { itemsOf, kept } from '../../src/views/chat/items';
import { summariesUnder } from '../../src/views/chat/summarised';
import { askedAt, choices, completed } from '../../src/views/chat/complete';
import { sends } from '../../src/views/chat/composer';
import { readTarget } from '../../src/views/chat/position';
import { deliveryLine, hasFollowed, tagWords } from '../../src/views/chat/words';
import { otherVersions } from '../../src/views/chat/versions';
import { plainMessage } from './message';

const message = (position: number, more: Partial<Message> = {}): Message =>
    plainMessage(`m${position}`, { position, ...more });
const live = (id: string, startedAt: string, lane = 'main'): Live => ({
    messageId: id,
    agent: 'lead',
    replyTo: 'm0',
    model: null,
    text: '',
    thinking: '',
    chunk: 0,
    lane,
    startedAt,
});
const failed = (id: string, replyTo: string | null): Failed => ({
    messageId: id,
    agent: 'lead',
    detail: 'no',
    hint: null,
    stopped: false,
    retryable: true,
    code: 'x',
    model: null,
    lane: 'main',
    replyTo,
    at: '2026-11-15T12:00:00Z',
});
const chat = (more: Partial<ChatState> = {}): ChatState => ({
    ...emptyChat({ id: 'c', currentThread: 't' } as Chat),
    ...more,
});
const ids = (list: { id: string }[]) => list.map(i => i.id).join(' ');

describe('an answer that was stopped', () => {
    const half = message(1, { role: 'assistant', sender: 'lead', stopped: true });
    it('can be continued until its agent has said more', () => {
        const others = [message(2), message(3, { role: 'assistant', sender: 'ada' })];
        expect(hasFollowed(half, [message(0), half, ...others])).toBe(false);
        expect(hasFollowed(half, [half, ...others, message(4, { role: 'assistant', sender: 'lead' })])).toBe(
            true,
        );
    });
});

describe('the items of the log', () => {
    const call = message(1, {
        role: 'assistant',
        sender: 'lead',
        toolCalls: [{ toolCallId: 'k', toolName: 'f', args: {} }],
    });
    const result = message(2, { role: 'tool', sender: 'lead', toolCallId: 'k' });
    it('shows a call and its result as one row, and a lone result as its own', () => {
        expect(ids(itemsOf([message(0), call, result, message(3)], null, true, false))).toBe('m0 m1 m3');
        expect(ids(itemsOf([result, message(3)], null, true, false))).toBe('m2 m3');
    });
    it('puts what is written and what waits at the end, in order, and only there', () => {
        const c = chat({
            live: {
                b: live('b', '2'),
                a: live('a', '1'),
                other: live('other', '0', 'main.1'),
                m0: live('m0', '0'),
            },
            pending: [
                {
                    clientMessageId: 'p',
                    content: 'y',
                    replyTo: null,
                    instructions: [],
                    state: 'sending',
                    at: 0,
                    key: 'k',
                },
            ],
        });
        expect(ids(itemsOf([message(0)], c, true, false))).toBe('m0 a b p');
        expect(ids(itemsOf([message(0)], c, false, false))).toBe('m0');
    });
    it('puts a failure below what its agent had said by then', () => {
        const c = chat({ failed: { f: failed('f', 'm0') } });
        const said = (position: number, createdAt: string, sender = 'lead') =>
            message(position, { role: 'assistant', sender, replyToMessageId: 'm0', createdAt });
        const rows = [
            message(0),
            said(1, '2026-11-15T12:00:00Z'),
            said(2, '2026-11-15T12:00:00Z', 'ada'),
            said(3, '2026-11-15T12:00:01Z'),
        ];
        expect(ids(itemsOf(rows, c, true, false))).toBe('m0 m1 f m2 m3');
    });
    it('an answer that was cut off and its failure are two rows, each with a name of its own', () => {
        const rows = [message(0), message(1, { unfinished: 'cut', replyToMessageId: 'm0' })];
        const c = chat({ rows, failed: { m1: failed('m1', 'm0') } });
        expect(itemsOf(rows, c, true, false).map(i => [i.kind, i.id])).toEqual([
            ['message', 'm0'],
            ['failed', 'm0/lead'],
            ['message', 'm1'],
        ]);
    });
    it('keeps a failure in its place', () => {
        const c = chat({ failed: { f: failed('f', 'm0'), g: failed('g', 'gone') } });
        expect(ids(itemsOf([message(0), message(1)], c, true, false))).toBe('m0 f m1 g');
    });
    it('hides what agents only keep in mind', () => {
        expect(ids(itemsOf([message(0), message(1, { memoryOnly: true })], null, true, true))).toBe('m0');
    });
    it('begins a day once', () => {
        const list = itemsOf(
            [message(0), message(1), message(2, { createdAt: '2026-11-17T12:00:00Z' })],
            null,
            true,
            false,
        );
        expect(list.map(i => i.day !== null)).toEqual([true, false, true]);
    });
    it('keeps the objects of rows that did not change', () => {
        const rows = [message(0), call, message(3)];
        const before = itemsOf(rows, null, true, false);
        const after = kept(before, itemsOf([...rows, result], null, true, false));
        expect(after[0]).toBe(before[0]);
        expect(after[1]).not.toBe(before[1]);
        expect(after[2]).toBe(before[2]);
    });
});

describe('completion', () => {
    it('knows what is asked for', () => {
        expect(askedAt('hi @a', 5)).toEqual({ kind: '@', word: 'a', from: 3, to: 5 });
        expect(askedAt('@', 1)).toEqual({ kind: '@', word: '', from: 0, to: 1 });
        expect(askedAt('me@example', 10)).toBe(null);
        expect(askedAt('/un', 3)).toEqual({ kind: '/', word: 'un', from: 0, to: 3 });
        expect(askedAt('a /un', 5)).toBe(null);
        expect(askedAt('@ada hello', 10)).toBe(null);
    });
    it('offers what begins with the word first', () => {
        const all = ['bo', 'ada', 'adb'].map(label => ({
            id: label,
            label,
            hint: label === 'bo' ? 'advice' : '',
        }));
        expect(choices('ad', all).map(c => c.id)).toEqual(['ada', 'adb', 'bo']);
        expect(choices('x', all)).toEqual([]);
    });
    it('puts the name in its place', () => {
        expect(completed('hi @a there', { kind: '@', word: 'a', from: 3, to: 5 }, 'ada')).toEqual({
            text: 'hi @ada there',
            cursor: 8,
        });
    });
});

describe('the message box', () => {
    const key = (more: Partial<KeyboardEvent>) =>
        ({
            key: 'Enter',
            isComposing: false,
            keyCode: 13,
            altKey: false,
            ctrlKey: false,
            metaKey: false,
            shiftKey: false,
            ...more,
        }) as KeyboardEvent;
    it('sends by Enter or by Ctrl+Enter, never while a character is chosen', () => {
        expect(sends(key({}), true)).toBe(true);
        expect(sends(key({ shiftKey: true }), true)).toBe(false);
        expect(sends(key({}), false)).toBe(false);
        expect(sends(key({ ctrlKey: true }), false)).toBe(true);
        expect(sends(key({ isComposing: true }), true)).toBe(false);
        expect(sends(key({ keyCode: 229 }), true)).toBe(false);
    });
});

describe('words', () => {
    it('of a typed position or date', () => {
        expect(readTarget('52 310', 100_000)).toEqual({ position: 52_309 });
        expect(readTarget('0', 10)).toEqual({ position: 0 });
        expect(readTarget('999', 10)).toEqual({ position: 9 });
        expect(readTarget('nonsense', 10)).toBe(null);
        expect(readTarget('14 Nov 2026', 10)).toHaveProperty('day');
    });
    it('of delivery', () => {
        const to = (...names: string[]) => names.map(agent => ({ agent, state: 'inMemory' as const }));
        expect(deliveryLine(to('lead', 'ada', 'bo'))).toBe('→ lead, ada, bo ✓');
        expect(deliveryLine(to('a', 'b', 'c', 'd', 'e'))).toBe('→ 5 agents ✓');
        expect(
            deliveryLine([
                { agent: 'a', state: 'failed' },
                { agent: 'b', state: 'queued' },
            ]),
        ).toBe('→ a, b ✕');
    });
    it('of tags', () => {
        expect(
            tagWords([
                { type: 'Source.User' },
                { type: 'ResponseExpected', target: 'lead' },
                { type: 'ReadOnly' },
            ]),
        ).toEqual(['Reply expected: lead', 'Read only']);
    });
    it('of versions that hold another wording', () => {
        expect(otherVersions(message(3, { versions: [2] }), message(2, { versions: [2, 1] }))).toEqual([1]);
        expect(otherVersions(message(3, { versions: [2, 1] }), message(2, { versions: [2, 1] }))).toEqual([]);
        expect(otherVersions(message(0, { versions: [3] }), null)).toEqual([2, 1]);
        expect(
            otherVersions(message(3, { versions: [2], role: 'assistant' }), message(2, { versions: [2, 1] })),
        ).toEqual([]);
    });
});

describe('a message that was refused', () => {
    const refused = (at: string, status: number, state: Pending['state'] = 'failed'): Pending => ({
        clientMessageId: 'p',
        content: 'x',
        replyTo: null,
        instructions: [],
        state,
        trouble: { status, type: '', title: '', detail: 'no', code: '' } as unknown as Trouble,
        at: Date.parse(at),
        key: 'k',
    });
    const rows = [
        message(0, { createdAt: '2026-11-15T12:00:00Z' }),
        message(1, { createdAt: '2026-11-15T12:10:00Z' }),
    ];
    const ids = (p: Pending, atEnd = true) =>
        itemsOf(rows, { ...emptyChat({ id: 'c' } as Chat), pending: [p] }, atEnd, false).map(i => i.id);
    it('stands where it was said', () => {
        expect(ids(refused('2026-11-15T12:05:00Z', 422))).toEqual(['m0', 'p', 'm1']);
        expect(ids(refused('2026-11-15T12:05:00Z', 422), false)).toEqual(['m0', 'p', 'm1']);
        expect(ids(refused('2026-11-15T12:15:00Z', 422))).toEqual(['m0', 'm1', 'p']);
        expect(ids(refused('2026-11-15T12:15:00Z', 422), false)).toEqual(['m0', 'm1']);
        expect(ids(refused('2026-11-15T12:05:00Z', 0, 'sending'))).toEqual(['m0', 'm1', 'p']);
    });
    it('can be tried again only when that may help', () => {
        for (const status of [0, 408, 409, 423, 429, 500, 503])
            expect(canRetry(refused('2026-11-15T12:05:00Z', status))).toBe(true);
        for (const status of [400, 413, 422])
            expect(canRetry(refused('2026-11-15T12:05:00Z', status))).toBe(false);
    });
});

describe('where a memory was summarised', () => {
    const at = (minute: number): string => `2026-11-15T12:0${minute}:00.000Z`;
    const items = itemsOf(
        [1, 3, 5].map(n => message(n, { createdAt: at(n) })),
        null,
        true,
        false,
    );
    const made = (id: string, minute: number): Summary =>
        ({ ...plainMessage(id, { createdAt: at(minute) }), covers: 40, memoryOf: 'ada' }) as Summary;
    const shown = (summaries: Summary[], atEnd: boolean) =>
        [...summariesUnder(items, summaries, atEnd)].map(([row, all]) => [row, all.map(s => s.messageId)]);
    it('is under the last row that was said before, the oldest first', () => {
        expect(shown([made('late', 4), made('early', 3)], true)).toEqual([['m3', ['early', 'late']]]);
    });
    it('is not shown where other rows may stand between', () => {
        expect(shown([made('last', 6), made('first', 0)], true)).toEqual([['m5', ['last']]]);
        expect(shown([made('last', 6), made('first', 0)], false)).toEqual([]);
    });
});
