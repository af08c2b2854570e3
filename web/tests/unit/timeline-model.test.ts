import { describe, expect, it } from 'vitest';
import type { Delegation, Item, ModelCall, Squash, Timeline } from '../../src/api/types';
import {
    allSpent,
    callText,
    dayBetween,
    endOf,
    findIn,
    laneOrder,
    lanesOf,
    openByItself,
    sortedLanes,
    spentByLane,
    startOf,
    stateOf,
    tokensText,
    tookOf,
    type RunState,
} from '../../src/views/timeline/model';
import { sessionOf, taskOf } from '../../src/views/timeline/background';
import { range } from '../../src/views/timeline/bars';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function timeline(lane: string, items: Item[], delegations: Record<string, Timeline> = {}): Timeline {
    const last = items[items.length - 1]?.at ?? null;
    return {
        lane,
        items,
        counts: { events: 0, items: items.length, messages: 0 },
        lastActivityAt: last,
        version: '',
        delegations,
    };
}

function said(id: string, second: number, more: Partial<Item> = {}): Item {
    return {
        kind: 'agent_message',
        id,
        messageId: id,
        at: at(second),
        sender: 'ada',
        content: `words of ${id}`,
        ...more,
    };
}

function handed(id: string, second: number, to: string, more: Partial<Item> = {}): Item {
    return {
        kind: 'tool_execution',
        id: `${id}/call/0`,
        messageId: id,
        at: at(second),
        sender: 'lead',
        delegation: to,
        call: {
            callId: id,
            toolName: 'delegate',
            input: { agent: 'ada', title: 'Check dates' },
            occurrence: 1,
        },
        result: null,
        ...more,
    };
}

function delegation(lane: string, more: Partial<Delegation> = {}): Delegation {
    return {
        delegationId: lane,
        threadPath: lane,
        parent: 'main',
        chatId: 'c',
        agent: 'ada',
        askedBy: 'lead',
        title: null,
        spawnCallId: null,
        spawnMessageId: null,
        state: 'done',
        waited: true,
        messageCount: 1,
        createdAt: at(1),
        ...more,
    };
}

const result = (output: string, success = true) => ({
    id: 'r',
    messageId: 'r',
    at: at(9),
    output,
    success,
    error: null,
});

describe('the day of a row', () => {
    const now = new Date('2026-11-16T12:00:00');
    it('is said where another day begins', () => {
        expect(dayBetween('2026-11-14T10:00:00', '2026-11-14T23:59:00', true, now)).toBeNull();
        expect(dayBetween('2026-11-14T23:59:00', '2026-11-15T00:01:00', true, now)).toBe('15 Nov');
        expect(dayBetween('2025-12-31T23:59:00', '2026-01-01T00:01:00', false, now)).toBe('1 Jan');
        expect(dayBetween('2026-11-14T10:00:00', null, true, now)).toBeNull();
    });
    it('is said of the first row of a conversation, unless it is today', () => {
        expect(dayBetween(null, '2026-11-16T08:00:00', true, now)).toBeNull();
        expect(dayBetween(null, '2025-11-16T08:00:00', true, now)).toBe('16 Nov 2025');
        expect(dayBetween(null, '2025-11-16T08:00:00', false, now)).toBeNull();
    });
});

describe('the runs of a conversation', () => {
    it('links a run to its call, takes title and result from there, and says when the link is a guess', () => {
        const inner = timeline('main.1', [said('x', 2)]);
        const lanes = lanesOf(
            timeline('main', [handed('m', 1, 'main.1', { result: result('at noon'), guessed: true })], {
                'main.1': inner,
            }),
            [delegation('main.1')],
        );
        expect(lanes.get('main.1')).toMatchObject({
            parent: 'main',
            depth: 1,
            result: 'at noon',
            guessed: true,
            title: 'Check dates',
            state: 'done',
        });
        expect(lanes.get('main')!.loose).toEqual([]);
    });

    it('is called what the server says, or else its call; no name is none', () => {
        const named = (input: unknown, more: Partial<Delegation> = {}) => {
            const call = { callId: 'm', toolName: 'delegate', input, occurrence: 1 } as Item['call'];
            const main = timeline('main', [handed('m', 1, 'main.1', { call })], {
                'main.1': timeline('main.1', [said('x', 2)]),
            });
            return lanesOf(main, [delegation('main.1', more)]).get('main.1')!.title;
        };
        expect(named({ title: 'Of the call' }, { title: 'Of the server' })).toBe('Of the server');
        expect(named({ title: 'Of the call' })).toBe('Of the call');
        expect(named({ title: '' })).toBeNull();
        expect(named({ title: 7 })).toBeNull();
        expect(named(null)).toBeNull();
        expect(named('a text')).toBeNull();
    });

    it('keeps a run whose call was squashed where the squash stands, however often that was done', () => {
        const squash = (resultMessageId: string, ...sourceMessageIds: string[]) =>
            ({ resultMessageId, sourceMessageIds }) as Squash;
        const lanes = lanesOf(
            timeline('main', [said('two', 1), said('after', 9)], {
                'main.1': timeline('main.1', [said('y', 2)]),
                'main.2': timeline('main.2', [said('z', 3)]),
            }),
            [
                delegation('main.1', { spawnMessageId: 'm' }),
                delegation('main.2', { spawnMessageId: 'elsewhere' }),
            ],
            [squash('undone', 'm', 'x'), squash('one', 'm', 'n'), squash('two', 'one', 'o')],
        );
        expect([...lanes.get('main')!.squashed]).toEqual([['two', ['main.1']]]);
        expect(lanes.get('main')!.loose).toEqual(['main.2']);
    });

    it('keeps runs that no call names, but not those of other versions, which say nothing here', () => {
        const lanes = lanesOf(
            timeline('main', [said('x', 1)], {
                'main.1': timeline('main.1', [said('y', 2)]),
                'main.2': timeline('main.2', [], { 'main.2.1': timeline('main.2.1', []) }),
                'main.3': timeline('main.3', []),
            }),
            [delegation('main.2', { state: 'done' }), delegation('main.3', { state: 'running' })],
        );
        expect(lanes.get('main')!.loose).toEqual(['main.1', 'main.3']);
        expect([...lanes.keys()]).toEqual(['main', 'main.3', 'main.1']);
    });

    it('sorts by numbers, parents before children', () => {
        expect(['main.10', 'main.2', 'main.1'].sort(laneOrder)).toEqual(['main.1', 'main.2', 'main.10']);
        const lanes = lanesOf(
            timeline('main', [], {
                'main.10': timeline('main.10', [said('a', 1)]),
                'main.2': timeline('main.2', [], { 'main.2.1': timeline('main.2.1', [said('b', 2)]) }),
            }),
            [],
        );
        expect(sortedLanes(lanes).map(l => l.lane)).toEqual(['main', 'main.2', 'main.2.1', 'main.10']);
    });

    it('knows a recorded run to be over when its call has a result or its parent is over', () => {
        const deep = timeline('main.1.1', [said('z', 4)]);
        const inner = timeline('main.1', [handed('y', 3, 'main.1.1')], { 'main.1.1': deep });
        const recorded = { state: 'running', agent: null } as const;
        const told = [delegation('main.1', recorded), delegation('main.1.1', recorded)];
        const open = lanesOf(timeline('main', [handed('m', 1, 'main.1')], { 'main.1': inner }), told);
        expect(sortedLanes(open).map(stateOf)).toEqual(['done', 'running', 'running']);
        const over = lanesOf(
            timeline('main', [handed('m', 1, 'main.1', { result: result('no', false) })], {
                'main.1': inner,
            }),
            told,
        );
        expect(sortedLanes(over).map(stateOf)).toEqual(['done', 'failed', 'done']);
    });

    it('opens what goes on or went wrong, and folds what went well', () => {
        expect(
            (['running', 'failed', 'interrupted', 'done', 'cancelled'] as const).map(openByItself),
        ).toEqual([true, true, true, false, false]);
    });

    it('counts the time of what runs up to now, and of what is over to its last word', () => {
        const lanes = lanesOf(
            timeline('main', [], { 'main.1': timeline('main.1', [said('x', 2), said('y', 8)]) }),
            [delegation('main.1')],
        );
        const lane = lanes.get('main.1')!;
        expect(endOf(lane, 0) - startOf(lane)).toBe(6000);
        lane.state = 'running';
        expect(endOf(lane, Date.parse(at(30))) - startOf(lane)).toBe(28_000);
    });

    it('does not know how long a run took that was ended before it said anything', () => {
        const lanes = lanesOf(timeline('main', [], { 'main.1': timeline('main.1', [said('x', 2)]) }), [
            delegation('main.1'),
        ]);
        const lane = lanes.get('main.1')!;
        const took = (state: RunState) => tookOf({ ...lane, state }, Date.parse(at(9)));
        expect([took('interrupted'), took('cancelled'), took('done'), took('running')]).toEqual([
            null,
            null,
            0,
            7000,
        ]);
    });

    it('adds up calls and tokens by run', () => {
        const lanes = lanesOf(
            timeline('main', [said('x', 1)], { 'main.1': timeline('main.1', [said('y', 2)]) }),
            [],
        );
        const call = (messageId: string | null, inputTokens: number, model: string): ModelCall => ({
            id: 'k',
            agent: 'ada',
            chatId: 'c',
            messageId,
            purpose: 'turn',
            model,
            state: 'answered',
            error: null,
            usage: {
                inputTokens,
                outputTokens: 1,
                cachedTokens: 0,
                writtenTokens: 0,
                costNanos: 0,
                estimated: false,
            },
            firstMs: 0,
            totalMs: 0,
            tries: 1,
            createdAt: at(1),
        });
        const spent = spentByLane(lanes, [
            call('y', 10, 'new'),
            call('y', 20, 'old'),
            call('x', 5, 'm'),
            call(null, 99, 'm'),
        ]);
        expect(spent.get('main.1')).toMatchObject({ calls: 2, tokens: 32, model: 'new' });
        expect(tokensText(allSpent(spent), String)).toBe('38');
        expect(allSpent(spent)).toMatchObject({ calls: 3, tokens: 38 });
        const unmeasured = {
            inputTokens: null,
            outputTokens: null,
            cachedTokens: 0,
            writtenTokens: 0,
            costNanos: 0,
            estimated: false,
        };
        const canned = { ...call('x', 0, 'demo/tour'), usage: unmeasured };
        const words = (...calls: ModelCall[]) => tokensText(allSpent(spentByLane(lanes, calls)), String);
        expect(words(canned)).toBe('not measured (scripted)');
        expect(words(canned, { ...canned, model: 'm' })).toBe('–');
        expect(words()).toBe('–');
    });

    it('finds words in texts, calls and results of all runs', () => {
        const lanes = lanesOf(
            timeline('main', [handed('m', 1, 'main.1', { result: result('Friday NOON') })], {
                'main.1': timeline('main.1', [said('x', 2)]),
            }),
            [],
        );
        expect(findIn(lanes, 'noon')).toEqual([{ lane: 'main', item: 'm/call/0' }]);
        expect(findIn(lanes, 'words of')).toEqual([{ lane: 'main.1', item: 'x' }]);
        expect(findIn(lanes, '')).toEqual([]);
    });

    it('writes a call as people do', () => {
        expect(callText('find', { what: 'freeze' })).toBe('find("freeze")');
        expect(callText('find', {})).toBe('find()');
        expect(callText('find', null)).toBe('find()');
        expect(callText('find', { a: 'x'.repeat(99), b: 1 })).toHaveLength('find()'.length + 61);
    });

    it('draws bars over the time of the delegations, not of a conversation of days', () => {
        const day = 86_400_000;
        const bars = [
            { name: 'main', state: 'done' as const, spans: [{ from: 1, to: day }] },
            { name: 'main.1', state: 'done' as const, spans: [{ from: 1000, to: 3000 }] },
        ];
        expect(range(bars)).toEqual({ from: 1000, to: 3000 });
        expect(range([])).toEqual({ from: 0, to: 1 });
    });

    it('takes runs that are nested two thousand deep', () => {
        const name = (depth: number) => ['main', ...Array.from({ length: depth }, () => '1')].join('.');
        let inner = timeline(name(2000), [said('end', 9)]);
        for (let depth = 1999; depth >= 0; depth--)
            inner = timeline(name(depth), [handed(`h${depth}`, 1, name(depth + 1))], {
                [name(depth + 1)]: inner,
            });
        const lanes = lanesOf(inner, []);
        expect(lanes.size).toBe(2001);
        expect(lanes.get(name(2000))!.depth).toBe(2000);
    });
});

describe('work for the background of an agent', () => {
    const gave = (output: string, more: Partial<Item> = {}) =>
        handed('m', 1, '', {
            call: { callId: 'k', toolName: 'delegate_to_agent', input: {}, occurrence: 1 },
            result: result(output),
            ...more,
        });

    it('is known by what the call was answered', () => {
        expect(taskOf(gave('Task task_7 was given to ada'))).toBe('task_7');
        expect(taskOf(gave('no such agent', { result: result('no such agent', false) }))).toBe(null);
        expect(taskOf(said('x', 1))).toBe(null);
        expect(taskOf(handed('m', 1, 'main.1', { result: result('Task task_7 was given to ada') }))).toBe(
            null,
        );
    });
    it('goes from what the agent was told to what it is told next', () => {
        const told = (id: string, second: number) => said(id, second, { kind: 'user_message' });
        const items = [told('a', 1), said('b', 2), told('c', 3), said('d', 4), said('e', 5), told('f', 6)];
        expect(sessionOf(items, 'c').map(i => i.id)).toEqual(['c', 'd', 'e']);
        expect(sessionOf(items, 'f').map(i => i.id)).toEqual(['f']);
        expect(sessionOf(items, 'nowhere')).toEqual([]);
    });
});

describe('how a run ended', () => {
    it('is what its call says went wrong', () => {
        const wrong = { ...result('nothing', false), error: 'it timed out' };
        const main = timeline('main', [handed('m', 1, 'main.1', { result: wrong })], {
            'main.1': timeline('main.1', [said('x', 2)]),
        });
        expect(lanesOf(main, []).get('main.1')!.result).toBe('it timed out');
    });
    it('is not guessed from its call while an agent of ours works on it', () => {
        const main = timeline('main', [handed('m', 1, 'main.1', { result: result('begun') })], {
            'main.1': timeline('main.1', [said('x', 2)]),
        });
        const state = (agent: string | null) =>
            stateOf(
                lanesOf(main, [delegation('main.1', { state: 'running', agent: agent! })]).get('main.1')!,
            );
        expect(state('ada')).toBe('running');
        expect(state(null)).toBe('done');
    });
    it('is never before its begin', () => {
        const odd = { ...timeline('main', [said('x', 9)]), lastActivityAt: at(1) };
        const lane = lanesOf(odd, []).get('main')!;
        expect(endOf(lane, 0)).toBe(startOf(lane));
    });
});
