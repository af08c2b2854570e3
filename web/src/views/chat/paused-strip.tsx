// paused-strip.tsx: a paused agent answers nothing: its messages wait, and this strip shows how to resume it.

import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Agent, Message } from '../../api/types';
import { AgentName, announce, Button } from '../../parts/parts';
import { state, world } from '../../store/store';
import { pauseOrResume } from '../agents/actions';
import { count } from '../shared/words';
import { painted } from './paint';

export interface Waiting {
    agent: Agent;
    messages: number;
}

const NOBODY: Waiting[] = [];

/** Who is paused and has something to answer among these messages. */
export function waitsForPaused(agents: readonly Agent[], rows: readonly Message[]): Waiting[] {
    const paused = agents.filter(agent => agent.paused || agent.state === 'paused');
    if (paused.length === 0) return NOBODY;
    const waitsFor = (m: Message, name: string) =>
        m.delivery?.some(d => d.agent === name && d.state === 'queued') ?? false;
    return paused
        .map(agent => ({ agent, messages: rows.filter(m => waitsFor(m, agent.name)).length }))
        .filter(one => one.messages > 0);
}

const waits = (messages: number): string =>
    messages === 1 ? 'your message waits' : `${count(messages, 'message')} wait`;

function Paused({ w, of: { agent, messages } }: { w: string; of: Waiting }) {
    return (
        <li>
            <span class="chat-paused-text">
                <span aria-hidden="true">‖ </span>
                <AgentName name={agent.name} /> is paused; {waits(messages)}.
            </span>
            {state.value.readOnly ? null : (
                <Button
                    small
                    label={`Wake ${agent.name}`}
                    onClick={() => void pauseOrResume(w, { ...agent, paused: true })}
                >
                    Wake
                </Button>
            )}
        </li>
    );
}

export function PausedStrip({ w }: { w: string }) {
    const list = useComputed(() =>
        waitsForPaused(Object.values(world.value?.agents ?? {}), painted.value.shown.rows),
    ).value;
    const words = list.map(one => `${one.agent.name} is paused; ${waits(one.messages)}.`).join(' ');
    useEffect(() => {
        if (words !== '') announce(words);
    }, [words]);
    if (list.length === 0) return null;
    return (
        <section class="chat-paused" aria-label="Paused agents">
            <ul>
                {list.map(one => (
                    <Paused key={one.agent.name} w={w} of={one} />
                ))}
            </ul>
        </section>
    );
}
