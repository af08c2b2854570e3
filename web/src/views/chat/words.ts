// words.ts: what the parts of a message are called.

import type { Delivery, Instruction, Message } from '../../api/types';
import { clock } from '../../parts/parts';
import { count, grouped } from '../shared/words';

export function senderName(sender: string): string {
    return sender === 'human' ? 'You' : sender;
}

/** As it is written in a line: You, @lead; a message that stands for others is nobody's own. */
export function senderWord(m: { sender: string; role?: string; squashOperationId?: string | null }): string {
    if (m.squashOperationId) return 'Squash';
    if (m.sender === 'human') return 'You';
    return m.role === 'system' || m.role === 'summary' ? m.sender : `@${m.sender}`;
}

const STATES: Record<Delivery['state'], { sign: string; word: string }> = {
    queued: { sign: '…', word: 'queued' },
    inMemory: { sign: '✓', word: 'in memory' },
    answered: { sign: '↩', word: 'replied' },
    failed: { sign: '✕', word: 'failed' },
};

export function deliveryWord(d: Delivery): { sign: string; word: string } {
    if (d.stoppedAt !== undefined) return { sign: '✕', word: 'stopped' };
    return STATES[d.state] ?? { sign: '', word: d.state };
}

export function isOwn(m: Message): boolean {
    return m.role === 'user' && m.sender === 'human';
}

const MOST_NAMED = 4;

/** `→ lead, ada, bo ✓`, or `→ 9 agents ✓`. */
export function deliveryLine(list: readonly Delivery[]): string {
    const names =
        list.length > MOST_NAMED ? `${grouped(list.length)} agents` : list.map(d => d.agent).join(', ');
    const failed = list.some(d => d.state === 'failed' || d.stoppedAt !== undefined);
    const waits = list.some(d => d.state === 'queued');
    return `→ ${names} ${failed ? '✕' : waits ? '…' : '✓'}`;
}

/** Tags of a message as words. Where it came from is shown by its sender. */
export function tagWords(list: readonly Instruction[]): string[] {
    return list
        .filter(i => !i.type.startsWith('Source.'))
        .map(i => {
            const name =
                i.type === 'ResponseExpected'
                    ? 'Reply expected'
                    : i.type === 'ReadOnly'
                      ? 'Read only'
                      : i.type;
            return i.target ? `${name}: ${i.target}` : name;
        });
}

export function isScripted(model: string | null): boolean {
    return model !== null && model.startsWith('demo/');
}

export function shortModel(model: string): string {
    return model.slice(model.indexOf('/') + 1);
}

export function isGuessed(m: Message): boolean {
    return m.warnings.some(w => w.includes('guessed'));
}

export function parentOf(m: Message): string | null {
    return m.shownReplyToMessageId ?? m.replyToMessageId;
}

/** It says that it answers something which is not in this version: there is nothing to ask the server for. */
export function isOrphan(m: Message): boolean {
    return m.replyToMessageId !== null && m.shownReplyToMessageId === null;
}

/** Has its agent said more since? Then there is nothing to continue. */
export function hasFollowed(m: Message, rows: readonly Message[]): boolean {
    return rows.some(r => r.position > m.position && r.role === 'assistant' && r.sender === m.sender);
}

/** What a screen reader says first about a message. `squash`: what it is called when it stands for others. */
export function spokenTitle(m: Message, squash: string | null): string {
    const parts = [squash ?? senderName(m.sender), clock(m.createdAt)];
    if (m.memoryOnly) parts.push('in memory, no reply');
    else if (m.replyCount) parts.push(count(m.replyCount, 'reply', 'replies'));
    return parts.join(', ');
}

/** Target of a button: "message from You, 14:02". */
export function targetWords(m: Pick<Message, 'sender' | 'createdAt' | 'squashOperationId'>): string {
    const what = m.squashOperationId ? 'squash' : `message from ${senderName(m.sender)}`;
    return `${what}, ${clock(m.createdAt)}`;
}

/** What a tool is called with, as it was sent. */
export function pretty(args: unknown): string {
    return typeof args === 'string' ? args : (JSON.stringify(args, null, 2) ?? '');
}
