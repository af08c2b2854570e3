// words.ts: what an agent is and does, in words.

import type { Agent, Context } from '../../api/types';
import { count, grouped, short } from '../shared/words';

/** 900000 -> "every 15 min"; 0 -> "never by itself". */
export function everyWords(ms: number): string {
    if (ms <= 0) return 'never by itself';
    for (const [unit, size] of [
        ['d', 86_400_000],
        ['h', 3_600_000],
        ['min', 60_000],
        ['s', 1000],
    ] as const)
        if (ms % size === 0) return `every ${ms / size} ${unit}`;
    return `every ${ms} ms`;
}

/** As the form shows it, and as the server reads it: 15m. */
export function everyValue(ms: number): string {
    if (ms <= 0) return '';
    for (const [unit, size] of [
        ['d', 86_400_000],
        ['h', 3_600_000],
        ['m', 60_000],
        ['s', 1000],
    ] as const)
        if (ms % size === 0) return `${ms / size}${unit}`;
    return String(ms);
}

/** Those that report to it. */
export function led(agents: readonly Agent[], name: string): string[] {
    return agents.filter(a => a.lead === name).map(a => a.name);
}

/** How full a context is. It is summarised at so many messages, or at a part of the model's window. */
export interface Fill {
    tokens: number;
    messages: number;
    messagesMost: number;
    /** 0: the window of the model is not known */
    tokensMost: number;
}

export function fillOf(
    c: Pick<Context, 'tokens' | 'limit' | 'storedLength'>,
    window: number | null,
    sharePercent: number,
): Fill {
    return {
        tokens: c.tokens,
        messages: c.storedLength,
        messagesMost: c.limit,
        tokensMost: window ? Math.floor((window * sharePercent) / 100) : 0,
    };
}

export function fillShare(f: Fill): number {
    const byMessages = f.messagesMost > 0 ? f.messages / f.messagesMost : 0;
    const byTokens = f.tokensMost > 0 ? f.tokens / f.tokensMost : 0;
    return Math.max(byMessages, byTokens);
}

/** Numbers first: the bar beside them says the same. */
export function fillWords(f: Fill): string {
    const tokens =
        f.tokensMost > 0
            ? `${short(f.tokens)} of ${short(f.tokensMost)} tokens`
            : `${short(f.tokens)} tokens`;
    return f.messagesMost > 0
        ? `${tokens}, ${grouped(f.messages)} of ${grouped(f.messagesMost)} messages`
        : tokens;
}

export const SOON_AT = 0.8;

/** What the context is made of, where it is more than one thing. */
export function partWords(parts: Context['parts']): string | null {
    const there = (Object.entries(parts) as [keyof Context['parts'], number][]).filter(([, n]) => n > 0);
    return there.length > 1 ? there.map(([part, n]) => `${part} ${short(n)}`).join(', ') : null;
}

/** What stays when an agent is removed; said before it is done. */
export function removalWords(agent: Agent, agents: readonly Agent[]): string[] {
    const under = led(agents, agent.name);
    const out = ['Its messages and briefings stay.'];
    out.push('Its background work stays readable; it answers no new messages.');
    if (agent.pendingTasks > 0)
        out.push(`${count(agent.pendingTasks, 'task')} that wait for it will not be done.`);
    if (under.length > 0)
        out.push(
            `${under.map(n => `@${n}`).join(', ')} ${under.length === 1 ? 'has' : 'have'} no lead then, until you choose another.`,
        );
    return out;
}

/** The model of an agent that names none; null: it is not known which. */
export function defaultWords(usual: string | null): string {
    return usual ? `${usual} (default)` : 'default';
}
