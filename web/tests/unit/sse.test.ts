import { describe, expect, test, vi } from 'vitest';
import { parser, type Frame } from '../../src/api/sse';

// Some of these do much; the machine may be busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function all(...parts: Uint8Array[]): Frame[] {
    const p = parser();
    return parts.flatMap(part => p.push(part));
}

const STREAM = [
    'retry: 1000\n\n',
    ': a comment\n',
    'event: stream.open\ndata: {"a":1}\n\n',
    'id: 7\r\nevent: message.created\r\ndata: {"text":\r\ndata:  "ü € 😀"}\r\n\r\n',
    'id:8\revent:x\rdata:y\r\r',
    'data\n\n',
    'id: 9\n\n',
    'data: two\ndata: lines\nunknown: field\n\n',
    'data: the last one is not ended',
].join('');

const FRAMES: Frame[] = [
    { id: null, event: 'stream.open', data: '{"a":1}' },
    { id: '7', event: 'message.created', data: '{"text":\n "ü € 😀"}' },
    { id: '8', event: 'x', data: 'y' },
    { id: null, event: 'message', data: '' },
    { id: null, event: 'message', data: 'two\nlines' },
];

describe('frames of an event stream', () => {
    test('come out of one piece', () => {
        expect(all(bytes(STREAM))).toEqual(FRAMES);
    });
    test('come out the same when the bytes are cut anywhere', () => {
        const whole = bytes(STREAM);
        for (let cut = 0; cut <= whole.length; cut++) {
            expect(all(whole.slice(0, cut), whole.slice(cut)), `cut at ${cut}`).toEqual(FRAMES);
        }
    });
    test('come out the same byte by byte', () => {
        expect(all(...Array.from(bytes(STREAM), b => Uint8Array.of(b)))).toEqual(FRAMES);
    });
    test('come out the same when cut twice, with nothing in between', () => {
        const whole = bytes(STREAM);
        for (let cut = 0; cut < whole.length; cut++) {
            const parts = [
                whole.slice(0, cut),
                new Uint8Array(),
                whole.slice(cut, cut + 1),
                whole.slice(cut + 1),
            ];
            expect(all(...parts), `cut at ${cut}`).toEqual(FRAMES);
        }
    });
    test('tell how long to wait before coming back', () => {
        const p = parser();
        expect(p.retry()).toBe(null);
        p.push(bytes('retry: 2500\nretry: soon\n'));
        expect(p.retry()).toBe(2500);
    });
    test('count every byte, so that comments are a sign of life', () => {
        const p = parser();
        p.push(bytes(':\n'));
        expect(p.seen()).toBe(2);
    });
});
