// What an event does to a conversation, one event at a time: what is told twice, late or of something else.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Delegation } from '../../src/api/types';
import { keepPending, keptPending } from '../../src/store/keep-pending';
import { reduceChat } from '../../src/store/reduce-chat';
import { addRow, cutRows, dropOrphans } from '../../src/store/reduce-rows';
import type { ChatState, Failed, Live, Pending } from '../../src/store/state';
import { message, opened, room, tell } from './story';

function chat(n: number, more: Partial<ChatState> = {}): ChatState {
    const rows = Array.from({ length: n }, (_, at) => message(`m${at}`, at));
    return { ...room(opened()), loaded: true, rows, total: n, ...more };
}
const live = (more: Partial<Live> = {}): Live => ({
    messageId: 'x',
    agent: 'ada',
    replyTo: 'm0',
    model: null,
    text: 'ab',
    thinking: '',
    chunk: 2,
    lane: 'main',
    startedAt: '2026-11-15T12:00:00.000Z',
    broken: false,
    ...more,
});
const failure = (messageId: string, more: Partial<Failed> = {}): Failed =>
    ({ messageId, agent: 'ada', lane: 'main', replyTo: 'm0', ...more }) as Failed;

describe('a text that is being written', () => {
    const piece = (chunk: number) =>
        tell('message.delta', { messageId: 'x', chunk, part: 'text', text: 'c' });
    const whole = (chunk: number) => tell('message.snapshot', { messageId: 'x', chunk, text: 'all of it' });
    it('lacks a piece as soon as one was passed over, and takes no more until it is whole', () => {
        const c = chat(1, { live: { x: live() } });
        expect(reduceChat(c, piece(3)).live.x).toMatchObject({ text: 'abc', broken: false });
        const broken = reduceChat(c, piece(4));
        expect(broken.live.x).toMatchObject({ text: 'ab', broken: true });
        expect(reduceChat(broken, piece(3))).toBe(broken);
    });
    it('is mended by the whole text, even if that is no longer text', () => {
        const c = chat(1, { live: { x: live({ broken: true }) } });
        expect(reduceChat(c, whole(2)).live.x).toMatchObject({ text: 'all of it', broken: false });
        const sound = chat(1, { live: { x: live() } });
        expect(reduceChat(sound, whole(2))).toBe(sound);
    });
    it('that is begun again takes away what went wrong with the same answer, and nothing else', () => {
        const failed = {
            a: failure('a'),
            b: failure('b', { replyTo: 'm1' }),
            c: failure('c', { agent: 'bo' }),
            d: failure('d', { lane: 'main.1' }),
        };
        const e = tell('message.started', {
            messageId: 'y',
            agent: 'ada',
            replyToMessageId: 'm0',
            model: null,
        });
        expect(Object.keys(reduceChat(chat(2, { failed }), e).failed)).toEqual(['b', 'c', 'd']);
    });
});

describe('work that was handed on', () => {
    it('does not lose messages when an old one is told again', () => {
        const lane = { threadPath: 'main.1', messageCount: 5 } as Delegation;
        const c = chat(1, { delegations: { 'main.1': lane } });
        const said = (position: number) =>
            tell('message.completed', { ...message('d', position), threadPath: 'main.1' });
        expect(reduceChat(c, said(2)).delegations['main.1']?.messageCount).toBe(5);
        expect(reduceChat(c, said(5)).delegations['main.1']?.messageCount).toBe(6);
    });
});

describe('a new version', () => {
    const made = (op: string, version: string, more = {}) =>
        tell('thread.created', {
            threadId: 't_2',
            op,
            version,
            length: 2,
            originalThread: 't_1',
            current: true,
            ...more,
        });
    it.each(['remove', 'edit'])('by a %s is the beginning of the one before', op => {
        const c = reduceChat(chat(3), made(op, 'v2'));
        expect([c.thread, c.rows.length, c.total, c.stale]).toEqual(['t_2', 2, 2, false]);
    });
    it('by anything else is read anew', () => {
        expect(reduceChat(chat(3), made('squash', 'v2'))).toMatchObject({ thread: 't_2', stale: true });
    });
    it('that is not newer than the one that was loaded, or not the current one, changes nothing', () => {
        const c = chat(3);
        expect(reduceChat(c, made('remove', 'v1'))).toBe(c);
        expect(reduceChat(c, made('remove', 'v2', { current: false }))).toBe(c);
    });
});

describe('what becomes of a message', () => {
    const delivered = (more: object) => tell('message.delivered', { messageId: 'm0', agent: 'ada', ...more });
    const row = (c: ChatState) => c.rows[0]!;
    it('is told once, and a later state takes the place of the one before', () => {
        const once = reduceChat(chat(1), delivered({ state: 'queued' }));
        expect(reduceChat(once, delivered({ state: 'queued' }))).toBe(once);
        const twice = reduceChat(once, delivered({ state: 'replied' }));
        expect(row(twice).delivery).toMatchObject([{ agent: 'ada', state: 'replied' }]);
        expect(row(twice).seenByAgents).toEqual(['ada']);
        const stopped = reduceChat(
            twice,
            delivered({ state: 'replied', stoppedAt: '2026-11-15T12:00:01.000Z' }),
        );
        expect(row(stopped).delivery?.[0]).toHaveProperty('stoppedAt');
    });
    it('stays in memory only until somebody replies', () => {
        const first = chat(1);
        const c = {
            ...first,
            rows: [{ ...first.rows[0]!, memoryOnly: true, replyCount: 1, hasReply: true }],
        };
        const replies = (count: number) => tell('reply.changed', { messageId: 'm0', count });
        expect(row(reduceChat(c, replies(0)))).toMatchObject({ memoryOnly: true, hasReply: false });
        expect(row(reduceChat(c, replies(2)))).toMatchObject({ memoryOnly: false, replyCount: 2 });
    });
    it('is read anew for a summary of the conversation, not for one of other work', () => {
        const summary = (lane?: string) => tell('summary.created', { messageId: 's', lane });
        expect(reduceChat(chat(1), summary()).stale).toBe(true);
        expect(reduceChat(chat(1), summary('main.1')).stale).toBe(false);
    });
});

describe('a row', () => {
    it('of other work has no place', () => {
        const c = chat(2);
        expect(addRow(c, message('x', -1), null)).toBe(c);
    });
    it('that does not come next says that something was missed', () => {
        expect(addRow(chat(2), message('x', 1), null)).toMatchObject({ stale: true, total: 2 });
        expect(addRow(chat(2), message('x', 3), null)).toMatchObject({ stale: true, total: 2 });
    });
    it('below what is on screen is only counted', () => {
        const c = chat(2, { hasNewer: true, total: 9 });
        expect(addRow(c, message('x', 5), null)).toBe(c);
        expect(addRow(c, message('x', 9), null)).toMatchObject({ total: 10, stale: false });
    });
    it('of a tool is not an answer', () => {
        const result = message('x', 1, { role: 'tool', replyToMessageId: 'm0' });
        expect(addRow(chat(1), result, null).rows[0]?.replyCount).toBe(chat(1).rows[0]?.replyCount);
    });
    it('that went leaves no failure behind, but for other work and for what never had one', () => {
        const failed = {
            gone: failure('gone', { replyTo: 'm9' }),
            lane: failure('lane', { replyTo: 'm9', lane: 'main.1' }),
            none: failure('none', { replyTo: null }),
            here: failure('here'),
        };
        expect(Object.keys(dropOrphans(chat(1, { failed })).failed)).toEqual(['lane', 'none', 'here']);
    });
    it('that is all there was makes the rest be read', () => {
        const end = { ...chat(0), rows: [message('m8', 8), message('m9', 9)], total: 10, hasOlder: true };
        expect(cutRows(end, 't_2', 4)).toMatchObject({ rows: [], stale: true });
        expect(cutRows(end, 't_2', 0)).toMatchObject({ rows: [], stale: false });
    });
});

describe('what waits in the browser', () => {
    beforeEach(() => localStorage.clear());
    it('keeps its key, and what was refused stays so', () => {
        const one: Pending = {
            clientMessageId: 'web-1',
            content: 'hello',
            replyTo: null,
            instructions: [],
            state: 'sending',
            at: 1,
            key: 'k1',
        };
        keepPending('w', 'c', [one, { ...one, clientMessageId: 'web-2', state: 'failed' }]);
        expect(keptPending('w', 'c').map(p => [p.clientMessageId, p.key, p.state])).toEqual([
            ['web-1', 'k1', 'waiting'],
            ['web-2', 'k1', 'failed'],
        ]);
    });
});
