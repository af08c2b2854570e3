// acts.ts: what a person can do to a run.

import { cancelDelegation, retryDelegation } from '../../api/calls';
import { toast } from '../../parts/parts';
import { inspect, place } from '../../store/place';
import { readAgain } from './data';
import type { Lane } from './model';

type Act = typeof cancelDelegation;

async function act(lane: Lane, run: Act, done: string, failed: string): Promise<void> {
    const p = place.peek();
    if (p.kind !== 'chat') return;
    const answer = await run(p.w, lane.lane, {}, { query: { chatId: p.c } });
    if (answer.ok) toast({ text: done });
    else toast({ kind: 'error', text: `${failed} ${answer.trouble.detail || answer.trouble.title}` });
    readAgain();
}

export function cancel(lane: Lane): Promise<void> {
    return act(
        lane,
        cancelDelegation,
        `${lane.lane} and what it handed on are cancelled.`,
        `${lane.lane} was not cancelled.`,
    );
}

export function retry(lane: Lane): Promise<void> {
    return act(lane, retryDelegation, `${lane.lane} begins again.`, `${lane.lane} was not begun again.`);
}

/** Opens its last message, or else the agent that runs it. */
export function inspectRun(lane: Lane): void {
    const last = [...lane.items].reverse().find(item => item.kind === 'agent_message' && item.messageId);
    if (last?.messageId) inspect({ messageId: last.messageId });
    else if (lane.agent) inspect({ agent: lane.agent });
}
