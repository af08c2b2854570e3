import { useState } from 'preact/hooks';
import type { Trouble } from '../../api/client';
import type { Agent } from '../../api/types';
import { Button, Dialog, TroubleBox } from '../../parts/parts';
import { go, place } from '../../store/place';
import { remove } from './actions';
import { removalWords } from './words';

export interface RemoveAgentProps {
    w: string;
    agent: Agent;
    others: readonly Agent[];
    onClose: () => void;
}

/** Says what stays before anything is done. */
export function RemoveAgent({ w, agent, others, onClose }: RemoveAgentProps) {
    const [trouble, setTrouble] = useState<Trouble | null>(null);
    const [busy, setBusy] = useState(false);
    const atWork = trouble?.status === 423 || trouble?.type === '/problems/world-busy';

    async function really(force: boolean): Promise<void> {
        setBusy(true);
        const bad = await remove(w, agent.name, force);
        setBusy(false);
        setTrouble(bad);
        if (bad) return;
        onClose();
        if (place.value.kind === 'agent') go({ kind: 'agents', w });
    }
    return (
        <Dialog
            title={`Remove @${agent.name}?`}
            danger
            onClose={onClose}
            actions={
                <>
                    <Button autoFocus onClick={onClose}>
                        Keep it
                    </Button>
                    <Button kind="danger" disabled={busy} onClick={() => void really(atWork)}>
                        {atWork ? `Stop and remove @${agent.name}` : `Remove @${agent.name}`}
                    </Button>
                </>
            }
        >
            <ul class="agent-stays">
                {removalWords(agent, others).map(line => (
                    <li key={line}>{line}</li>
                ))}
            </ul>
            {trouble && <TroubleBox trouble={trouble} safe="Nothing was changed." />}
        </Dialog>
    );
}
