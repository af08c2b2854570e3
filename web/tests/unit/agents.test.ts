import { describe, expect, it } from 'vitest';
import type { Agent, Message } from '../../src/api/types';
import { bodyOf, fieldError, valuesOf } from '../../src/views/agents/agent-form';
import { foldName, lines } from '../../src/views/agents/background-rows';
import { modelOptions } from '../../src/views/agents/models';
import {
    everyValue,
    everyWords,
    fillOf,
    fillShare,
    fillWords,
    partWords,
    removalWords,
} from '../../src/views/agents/words';
import { plainMessage } from './message';

let last = 0;
function said(role: Message['role'], sender: string, content: string, more: Partial<Message> = {}): Message {
    return plainMessage(`m${++last}`, { role, sender, content, ...more });
}
const call = (id: string) => ({ toolCallId: id, toolName: 'find', args: {} });

describe('background work as lines', () => {
    const rows = [
        said('user', 'ada', 'a report', { instructions: [{ type: 'Source.Agent', target: 'ada' }] }),
        said('assistant', 'lead', '', { toolCalls: [call('1')] }),
        said('tool', 'lead', 'r1', { toolCallId: '1', toolStatus: 'ok' }),
        said('assistant', 'lead', '', { toolCalls: [call('2'), call('3')] }),
        said('tool', 'lead', 'r2', { toolCallId: '2', toolStatus: 'error' }),
        said('assistant', 'lead', 'Done.'),
        said('summary', 'summary', 'what was'),
        said('user', 'human', 'go on'),
    ];
    it('folds a run of tools, begins sessions, keeps summaries', () => {
        const all = lines(rows, 'lead');
        expect(all.map(l => l.kind)).toEqual([
            'session',
            'said',
            'tools',
            'said',
            'summary',
            'session',
            'said',
        ]);
        expect(all[0]).toMatchObject({ number: 1, by: '@ada' });
        expect(all[5]).toMatchObject({ number: 2, by: 'your message' });
        const tools = all[2];
        expect(tools?.kind === 'tools' && foldName(tools.tools)).toBe(
            '3 tool calls, 1 failed, 1 not answered',
        );
    });
    it('numbers no session when older ones are missing', () => {
        expect(lines(rows, 'lead', false)[0]).toMatchObject({ number: null });
    });
    it('shows a message with words and calls as both', () => {
        const both = lines([said('assistant', 'lead', 'I look.', { toolCalls: [call('9')] })], 'lead');
        expect(both.map(l => l.kind)).toEqual(['said', 'tools']);
    });
});

describe('how full a context is', () => {
    const c = { tokens: 7100, limit: 50, storedLength: 10 };
    it('says numbers, and what is nearer to its end', () => {
        const fill = fillOf(c, 13_334, 75);
        expect(fillWords(fill)).toBe('7.1k of 10k tokens, 10 of 50 messages');
        expect(fillShare(fill)).toBeCloseTo(0.71);
    });
    it('makes up no window', () => {
        const fill = fillOf(c, null, 75);
        expect(fillWords(fill)).toBe('7.1k tokens, 10 of 50 messages');
        expect(fillShare(fill)).toBeCloseTo(0.2);
    });
    it('says what it is for, where that is more than one thing', () => {
        const parts = { prompt: 0, files: 0, tools: 0, summary: 0, results: 0, messages: 5100 };
        expect(partWords(parts)).toBeNull();
        expect(partWords({ ...parts, prompt: 300, tools: 2700, summary: 1200 })).toBe(
            'prompt 300, tools 2.7k, summary 1.2k, messages 5.1k',
        );
    });
});

describe('a form', () => {
    const values = {
        name: ' kim ',
        systemPrompt: ' ',
        model: '',
        fallback: '',
        lead: '',
        tools: 'a, b  c',
        temperature: '0.5',
        topP: '0.9',
        maxTokens: '800',
        stop: 'END\n\nThe end.',
        seed: '7',
        effort: 'low',
        thinkingTokens: '4096',
        schema: '{"type": "object"}',
        promptFacts: 'date, person',
        autoReply: false,
        runEvery: '15m',
    };
    it('sends what the server takes', () => {
        expect(bodyOf(values)).toEqual({
            name: 'kim',
            systemPrompt: null,
            model: null,
            fallback: null,
            lead: null,
            tools: ['a', 'b', 'c'],
            temperature: 0.5,
            topP: 0.9,
            maxTokens: 800,
            stop: ['END', 'The end.'],
            seed: 7,
            effort: 'low',
            thinkingTokens: 4096,
            schema: { type: 'object' },
            promptFacts: ['date', 'person'],
            autoReply: false,
            runEvery: '15m',
        });
        expect(bodyOf({ ...values, temperature: '', maxTokens: ' ', runEvery: '' })).toMatchObject({
            temperature: null,
            maxTokens: null,
            runEvery: 0,
        });
        expect(bodyOf({ ...values, temperature: 'warm' }).temperature).toBe(-1);
    });
    it('sends back what an agent has, and null for what it has not', () => {
        const has = {
            topP: 0.5,
            stop: ['a, b', 'c'],
            seed: 0,
            effort: 'none',
            thinkingTokens: 0,
            schema: { a: 1 },
            promptFacts: [] as string[],
        };
        const none = Object.fromEntries(Object.keys(has).map(k => [k, null]));
        for (const own of [has, none])
            expect(
                bodyOf(valuesOf({ name: 'kim', tools: null, runEvery: 0, ...own } as unknown as Agent)),
            ).toMatchObject(own);
        expect(bodyOf({ ...values, schema: '{ no' }).schema).toBe('{ no');
    });
    it('tells all tools from none, there and back', () => {
        for (const tools of [null, [], ['a', 'b']])
            expect(bodyOf(valuesOf({ name: 'kim', tools, runEvery: 0 } as unknown as Agent)).tools).toEqual(
                tools,
            );
    });
    it('finds what is wrong with a field', () => {
        const trouble = {
            status: 400,
            type: '',
            title: '',
            detail: '',
            errors: [{ pointer: '/tools/3', detail: 'no' }],
        };
        expect(fieldError(trouble, 'tools')).toBe('no');
        expect(fieldError(trouble, 'name')).toBeNull();
        expect(fieldError(null, 'name')).toBeNull();
    });
    it('keeps a model that nobody offers now', () => {
        expect(modelOptions([], 'gone/x').map(o => o.value)).toEqual(['gone/x']);
    });
});

it('says how often an agent looks, and reads it back', () => {
    expect(everyWords(900_000)).toBe('every 15 min');
    expect(everyWords(0)).toBe('never by itself');
    expect([everyValue(900_000), everyValue(7_200_000), everyValue(0), everyValue(1500)]).toEqual([
        '15m',
        '2h',
        '',
        '1500',
    ]);
});

it('says what stays when an agent goes', () => {
    const agent = (name: string, lead: string | null, pendingTasks = 0) =>
        ({ name, lead, pendingTasks }) as Agent;
    const words = removalWords(agent('lead', null, 2), [agent('lead', null), agent('ada', 'lead')]).join(' ');
    expect(words).toContain('Its messages and briefings stay');
    expect(words).toContain('2 tasks that wait for it will not be done');
    expect(words).toContain('@ada has no lead then, until you choose another.');
});
