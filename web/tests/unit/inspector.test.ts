import { describe, expect, it } from 'vitest';
import { asCurl } from '../../src/views/inspector/curl';
import { estimate, readRequest } from '../../src/views/inspector/request';

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
            estimate({ role: 'user', text: 'äääää', calls: [], answers: null, tool: null, failed: false }),
        ).toBe(3);
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
