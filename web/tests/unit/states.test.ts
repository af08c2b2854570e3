// What an agent is at, in every list.
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/api/types';
import { agentMark } from '../../src/views/frame/states';
import { opened } from './story';

const mark = (agent: Partial<Agent>, tool: string | null = null) => {
    const s = opened();
    const world = { ...s.world!, agentDetail: { ada: tool } };
    return agentMark({ ...s, connection: { state: 'live' } }, world, {
        ...world.agents.ada!,
        ...agent,
    } as Agent);
};

describe('an agent that is paused', () => {
    it('says so while it still ends what it had begun', () => {
        expect(mark({ state: 'writing', paused: true })).toEqual({
            mark: 'writing',
            detail: 'writing, then paused',
        });
        expect(mark({ state: 'tool', paused: true }, 'using look')).toEqual({
            mark: 'tool',
            detail: 'using look, then paused',
        });
    });
    it('is paused when it is done, and failed when it failed', () => {
        expect(mark({ state: 'idle', paused: true })).toEqual({ mark: 'paused', detail: null });
        expect(mark({ state: 'paused', paused: true }).mark).toBe('paused');
        expect(mark({ state: 'failed', paused: true })).toEqual({ mark: 'failed', detail: null });
    });
    it('is not when it goes on', () => {
        expect(mark({ state: 'writing', paused: false })).toEqual({ mark: 'writing', detail: null });
        expect(mark({ state: 'tool', paused: false }, 'using look')).toEqual({
            mark: 'tool',
            detail: 'using look',
        });
    });
});
