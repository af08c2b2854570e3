// decide.ts: a person's yes or no to a call of a tool, wherever it is said.

import { useState } from 'preact/hooks';
import { answerInboxItem } from '../../api/calls';
import type { Trouble } from '../../api/client';
import type { InboxItem } from '../../api/types';
import { refreshInbox } from '../../store/store';

export type Decision = 'allow' | 'deny';

export interface Deciding {
    /** an answer is on its way */
    busy: boolean;
    trouble: Trouble | null;
    decide: (decision: Decision) => Promise<void>;
}

/** `done` is called when the answer counts; a second decision gets an error. */
export function useDecision(
    id: string,
    done: (item: InboxItem, decision: Decision) => void = () => undefined,
): Deciding {
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const [busy, setBusy] = useState(false);

    async function decide(decision: Decision): Promise<void> {
        if (busy) return;
        setBusy(true);
        const result = await answerInboxItem(id, { decision });
        setBusy(false);
        setTrouble(result.ok ? null : result.trouble);
        void refreshInbox();
        if (result.ok) done(result.value.item, decision);
    }
    return { busy, trouble, decide };
}
