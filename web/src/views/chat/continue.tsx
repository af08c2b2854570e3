// continue.tsx: an answer that ended before its end can be gone on with, and that is offered once.

import type { Message } from '../../api/types';
import { Button } from '../../parts/parts';
import { send } from '../../store/store';
import { painted } from './paint';
import { hasFollowed, targetWords } from './words';

export function canContinue(m: Message): boolean {
    return m.unfinished !== null && !hasFollowed(m, painted.value.shown.rows);
}

/** Its agent has a mark of its own for the same message. */
export function hasFailedBeside(m: Message): boolean {
    return Object.values(painted.value.chat?.failed ?? {}).some(
        f => f.lane === 'main' && f.agent === m.sender && f.replyTo === m.replyToMessageId,
    );
}

export function Continue({ message: m }: { message: Message }) {
    const go = () => void send(`@${m.sender} please continue.`, { replyTo: m.messageId });
    return (
        <Button small kind="quiet" label={`Continue ${targetWords(m)}`} onClick={go}>
            Continue
        </Button>
    );
}
