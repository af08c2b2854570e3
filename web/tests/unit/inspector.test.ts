import { describe, expect, it } from 'vitest';
import { asCurl } from '../../src/views/inspector/curl';
import { estimate, readRequest, type Seen } from '../../src/views/inspector/request';
import { messagesIn, standing } from '../../src/views/inspector/standing';
import { plainMessage } from './message';

const scripted = {
    model: 'demo/scripted',
    system: 'You lead.',
    tools: ['delegate'],
    note: 'a script',
    messages: [
        { role: 'user', content: '5' },
        {
            role: 'assistant',
            content: 'I do.',
            toolCalls: [{ id: 'c1', name: 'delegate', args: '{"agent":"ada"}' }],
        },
        { role: 'tool', content: 'done', toolCallId: 'c1', name: 'delegate', failed: true },
    ],
};
const openai = {
    model: 'gpt',
    temperature: 0.5,
    messages: [
        { role: 'system', content: 'You lead.' },
        { role: 'user', content: '5' },
        {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'delegate', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ],
    tools: [
        {
            type: 'function',
            function: { name: 'delegate', description: 'hands on', parameters: { type: 'object' } },
        },
    ],
};
const anthropic = {
    model: 'claude',
    max_tokens: 10,
    system: 'You lead.',
    messages: [
        { role: 'user', content: [{ type: 'text', text: '5' }] },
        {
            role: 'assistant',
            content: [
                { type: 'text', text: 'I do.' },
                { type: 'tool_use', id: 'c1', name: 'delegate', input: { a: 1 } },
            ],
        },
        {
            role: 'user',
            content: [
                { type: 'tool_result', tool_use_id: 'c1', content: 'done', is_error: true },
                { type: 'text', text: 'and?' },
            ],
        },
    ],
    tools: [{ name: 'delegate', input_schema: { type: 'object' } }],
};

describe('what a model saw', () => {
    it.each([
        ['the script', scripted],
        ['openai', openai],
        ['anthropic', anthropic],
    ])('is one list, of %s', (_name, request) => {
        const asked = readRequest(request);
        const roles = asked?.seen.map(s => s.role);
        expect(roles?.slice(0, 4)).toEqual(['system', 'user', 'assistant', 'tool']);
        expect(asked?.seen[0]?.text).toBe('You lead.');
        expect(asked?.seen[1]?.text).toBe('5');
        expect(asked?.seen[2]?.calls.map(c => [c.id, c.name])).toEqual([['c1', 'delegate']]);
        expect(asked?.seen[3]).toMatchObject({ text: 'done', tool: 'delegate', answers: 'c1' });
        expect(asked?.tools.map(t => t.name)).toEqual(['delegate']);
    });
    it('keeps words that stand beside a result', () => {
        expect(readRequest(anthropic)?.seen.at(-1)).toMatchObject({ role: 'user', text: 'and?' });
    });
    it('tells apart what one side said in several texts', () => {
        const content = [
            { type: 'tool_result', tool_use_id: 'c1', content: 'done' },
            { type: 'text', text: 'ping' },
            { type: 'text', text: 'ping' },
        ];
        const calls = { type: 'tool_use', id: 'c1', name: 'look', input: {} };
        const seen = readRequest({
            messages: [
                { role: 'assistant', content: [calls] },
                { role: 'user', content },
            ],
        })?.seen;
        expect(seen?.map(s => [s.role, s.text, s.calls.length])).toEqual([
            ['assistant', '', 1],
            ['tool', 'done', 0],
            ['user', 'ping', 0],
            ['user', 'ping', 0],
        ]);
    });
    it('says that a tool failed', () => {
        expect(readRequest(scripted)?.seen[3]?.failed).toBe(true);
        expect(readRequest(anthropic)?.seen[3]?.failed).toBe(true);
        expect(readRequest(openai)?.seen[3]?.failed).toBe(false);
    });
    it('shows the rest of the request', () => {
        expect(readRequest(openai)?.options).toEqual([['temperature', 0.5]]);
        expect(readRequest(scripted)?.options).toEqual([]);
    });
    it.each([[null], ['a text that was cut'], [{}], [{ messages: 'no' }], [[1]]])(
        'is not made up of %j',
        request => {
            expect(readRequest(request)).toBeNull();
        },
    );
    it('does not break on entries that are odd', () => {
        expect(
            readRequest({ messages: [null, 5, { role: 7, content: { a: 1 } }, { content: [null, 'x'] }] })
                ?.seen.length,
        ).toBeGreaterThan(0);
    });
    it('counts a token for four bytes', () => {
        expect(
            estimate({
                role: 'user',
                text: 'äääää',
                calls: [],
                answers: null,
                tool: null,
                failed: false,
                messageIds: [],
            }),
        ).toBe(3);
    });
});

const part = (role: string, text: string, more: Partial<Seen> = {}): Seen => ({
    ...{ role, text, calls: [], answers: null, tool: null, failed: false, messageIds: [] },
    ...more,
});
const NOW = '2026-11-15T12:00:00.000Z';
const said = (id: string, content: string, sender = 'human') => plainMessage(id, { content, sender });
const answer = (id: string, content: string) =>
    plainMessage(id, { content, role: 'assistant', sender: 'ada' });

describe('which messages stand in a request', () => {
    it('is what the call says, also where no place could tell', () => {
        const parts = [
            part('system', 'ping'),
            part('user', 'ping'),
            part('user', 'ping'),
            part('user', 'go on'),
        ];
        const call = { contextMessageIds: [['b', 'c'], ['a'], []], createdAt: NOW };
        expect(messagesIn(parts, call, [said('a', 'ping'), said('b', 'ping')])).toEqual([
            [],
            ['b', 'c'],
            ['a'],
            [],
        ]);
        expect(messagesIn(parts.slice(1), call, [])).toEqual([['b', 'c'], ['a'], []]);
    });
    it('is found by the place where the call was kept before it said so, or says it of other parts', () => {
        const parts = [part('system', 'ping'), part('user', 'ping')];
        const memory = [said('a', 'ping'), said('b', 'ping')];
        const call = { contextMessageIds: null, createdAt: NOW };
        expect(messagesIn(parts, call, memory)).toEqual([[], ['b']]);
        expect(messagesIn(parts, { ...call, contextMessageIds: [['x'], ['y']] }, memory)).toEqual([
            [],
            ['b'],
        ]);
    });
    it('tells equal texts apart by their place', () => {
        const memory = [said('a', 'ping'), answer('b', 'pong'), said('c', 'ping'), answer('d', 'pong')];
        const parts = [part('system', 'ping'), part('user', 'ping'), part('assistant', 'pong')];
        expect(standing(parts, memory.slice(0, 2), NOW)).toEqual([[], ['a'], ['b']]);
        expect(standing([...parts, part('user', 'ping')], memory.slice(0, 3), NOW)).toEqual([
            [],
            ['a'],
            ['b'],
            ['c'],
        ]);
        // A summary stands for what is not there.
        expect(standing(parts.slice(1), memory, NOW)).toEqual([['c'], ['d']]);
    });
    it('finds all that share one text: names, tags and backslashes are none of it', () => {
        const memory = [said('a', 'ping'), said('b', 'ping', 'lead'), said('c', 'ada: no\n\nmore')];
        const text = 'ping\n\nlead: ping\n[short]\n\nhuman: \\ada: no\n\nmore\n[reply expected: ada]';
        expect(standing([part('user', text)], memory, NOW)).toEqual([['a', 'b', 'c']]);
        expect(standing([part('user', 'mapping')], memory, NOW)).toEqual([[]]);
    });
    it('leaves out what came while the model wrote, and what is not part of what is said', () => {
        const later = { createdAt: '2026-11-15T12:00:01.000Z' };
        const notice = plainMessage('n', { role: 'system', content: 'ping' });
        const memory = [said('a', 'ping'), notice, { ...said('b', 'ping'), ...later }];
        expect(standing([part('system', 'ping'), part('user', 'ping')], memory, NOW)).toEqual([[], ['a']]);
    });
    it('finds calls and results by their ids', () => {
        const call = { toolCallId: 'c1', toolName: 'look', args: {} };
        const memory = [
            said('a', 'look'),
            plainMessage('b', { role: 'assistant', content: '', toolCalls: [call] }),
            plainMessage('c', { role: 'tool', content: 'found', toolCallId: 'c1' }),
        ];
        const parts = [
            part('user', 'look'),
            part('assistant', '', { calls: [{ id: 'c1', name: 'look', args: '{}' }] }),
            part('tool', '[no output]', { answers: 'c1' }),
            part('user', '[continue]'),
        ];
        expect(standing(parts, memory, NOW)).toEqual([['a'], ['b'], ['c'], []]);
    });
});

describe('a call as a command', () => {
    it('names the variable of the key and has no key', () => {
        const curl = asCurl('anthropic', null, { model: 'm' });
        expect(curl).toContain("curl 'https://api.anthropic.com/v1/messages'");
        expect(curl).toContain('"x-api-key: $ANTHROPIC_API_KEY"');
    });
    it('survives quotes of the shell', () => {
        expect(asCurl('ollama', 'http://127.0.0.1:11434/', { say: "it's" })).toContain(
            `-d '{"say":"it'\\''s"}'`,
        );
    });
    it('is none where nothing was sent', () => {
        expect(asCurl('scripted', null, {})).toBeNull();
        expect(asCurl('openai-compatible', null, {})).toBeNull();
    });
});
