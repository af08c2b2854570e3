import { useState } from 'preact/hooks';
import type { Agent, AgentPatch } from '../../api/types';
import { Button } from '../../parts/parts';
import { state } from '../../store/store';
import { change } from './actions';
import { AgentForm } from './agent-form';
import { RemoveAgent } from './agent-remove';
import { agentsByName } from './agents-view';

export function AgentSettings({ w, agent }: { w: string; agent: Agent }) {
    const [removing, setRemoving] = useState(false);
    const others = agentsByName();
    const readOnly = state.value.readOnly;
    return (
        <section class="agent-settings" aria-label={`Settings of @${agent.name}`}>
            <AgentForm
                agent={agent}
                others={others}
                submit="Save"
                disabled={readOnly}
                onSubmit={values => {
                    const { name: _name, ...rest } = values;
                    return change(w, agent.name, rest satisfies AgentPatch);
                }}
            />
            <hr />
            <h2>Remove</h2>
            <p class="muted">Its messages stay. A new agent can take its name.</p>
            <div class="agent-actions">
                <Button kind="danger" disabled={readOnly} onClick={() => setRemoving(true)}>
                    Remove @{agent.name}…
                </Button>
            </div>
            {removing && (
                <RemoveAgent w={w} agent={agent} others={others} onClose={() => setRemoving(false)} />
            )}
        </section>
    );
}
