// actions.ts: what a person does with an agent; each says how it went.

import {
    createAgent,
    pauseAgent,
    removeAgent,
    resumeAgent,
    stopAgents,
    updateAgent,
    wakeAgent,
} from '../../api/calls';
import type { Result, Trouble } from '../../api/client';
import type { Agent, AgentPatch, NewAgent } from '../../api/types';
import { cancelledWords } from '../shared/words';
import { toast } from '../../parts/parts';
import { refreshWorld } from '../../store/store';

async function told<T>(result: Promise<Result<T>>, good: string, bad: string): Promise<boolean> {
    const r = await result;
    if (r.ok) {
        toast({ text: good, kind: 'ok' });
        await refreshWorld();
    } else toast({ text: `${bad} ${r.trouble.detail}`, kind: 'error' });
    return r.ok;
}

export function pauseOrResume(w: string, agent: Agent): Promise<boolean> {
    return agent.paused
        ? told(
              resumeAgent(w, agent.name),
              `@${agent.name} continues with waiting work.`,
              `@${agent.name} is still paused.`,
          )
        : told(
              pauseAgent(w, agent.name),
              `@${agent.name} is paused. It starts no new work until you resume it.`,
              `@${agent.name} was not paused.`,
          );
}

export function wake(w: string, agent: Agent): Promise<boolean> {
    return told(
        wakeAgent(w, agent.name),
        `@${agent.name} looks for work now.`,
        `@${agent.name} was not woken.`,
    );
}

/** Ends what it does in one conversation; what it wrote so far is kept. */
export async function stopSession(w: string, agent: Agent, chatId: string): Promise<void> {
    const r = await stopAgents(w, { chatId, agents: [agent.name] });
    if (!r.ok) toast({ text: `@${agent.name} was not stopped. ${r.trouble.detail}`, kind: 'error' });
    else
        toast({
            text:
                r.value.stopped > 0
                    ? `@${agent.name} was stopped; what it wrote is kept.${cancelledWords(r.value.tasks)}`
                    : `@${agent.name} was not at work there.`,
        });
}

export async function create(w: string, values: NewAgent): Promise<Trouble | null> {
    const r = await createAgent(w, values);
    if (!r.ok) return r.trouble;
    toast({ text: `@${r.value.name} is part of ${w} now.`, kind: 'ok' });
    await refreshWorld();
    return null;
}

export async function change(w: string, name: string, values: AgentPatch): Promise<Trouble | null> {
    const r = await updateAgent(w, name, values);
    if (!r.ok) return r.trouble;
    toast({ text: `@${name} was changed.`, kind: 'ok' });
    await refreshWorld();
    return null;
}

export async function remove(w: string, name: string, force: boolean): Promise<Trouble | null> {
    const r = await removeAgent(w, name, force ? { force } : {});
    if (!r.ok) return r.trouble;
    toast({ text: `@${name} was removed; what it said stays.` });
    await refreshWorld();
    return null;
}
