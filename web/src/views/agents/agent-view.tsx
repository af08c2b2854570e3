// One agent: what it says, does, remembers and is.

import { useCommands } from '../../keys/commands';
import { AgentName, Button, Empty, Loading, StateMark, TabPages } from '../../parts/parts';
import { go, inspect, place } from '../../store/place';
import { state, world } from '../../store/store';
import { agentMark } from '../frame/states';
import { AwayNote, isAway } from '../shared/away';
import { Link } from '../shared/link';
import { pauseOrResume, wake } from './actions';
import { AgentActivity } from './agent-activity';
import { AgentBackground } from './agent-background';
import { AgentChat } from './agent-chat';
import { AgentKnowledge } from './agent-knowledge';
import { AgentMemory } from './agent-memory';
import { AgentSettings } from './agent-settings';
import { AgentTasks } from './agent-tasks';
import { PanelContent } from './agent-panel';
import './agents.css';

const TABS = [
    { id: 'chat', label: 'Chat' },
    { id: 'background', label: 'Background' },
    { id: 'memory', label: 'Memory' },
    { id: 'tasks', label: 'Tasks' },
    { id: 'knowledge', label: 'Knowledge' },
    { id: 'settings', label: 'Settings' },
    { id: 'activity', label: 'Activity' },
];

export function AgentView() {
    const here = place.value;
    const known = world.value;
    if (here.kind !== 'agent') return null;
    const { w, a } = here;
    const tab = TABS.some(t => t.id === here.tab) ? (here.tab as string) : 'background';
    const agent = known?.agents[a] ?? Object.values(known?.agents ?? {}).find(one => one.name === a);
    if (!known || known.world.name !== w) return <Loading label={`Loading @${a}`} />;
    if (!agent)
        return (
            <Empty>
                <p>
                    There is no agent @{a} in {w}.
                </p>
                <p>
                    <Link to={{ kind: 'agents', w }}>Agents of {w}</Link>
                </p>
            </Empty>
        );
    const mark = agentMark(state.value, known, agent);
    const readOnly = state.value.readOnly;
    return (
        <div class="agent">
            <AgentKeys agent={agent.name} />
            <header class="agent-head">
                <h1>
                    <AgentName name={agent.name} />
                </h1>
                <StateMark state={mark.mark} detail={mark.detail} />
                {tab !== 'background' && (
                    <span class="agent-head-actions">
                        <Button
                            small
                            disabled={readOnly}
                            off={isAway()}
                            onClick={() => void pauseOrResume(w, agent)}
                        >
                            {agent.paused ? 'Resume' : 'Pause'}
                        </Button>
                        <Button small disabled={readOnly} off={isAway()} onClick={() => void wake(w, agent)}>
                            Wake now
                        </Button>
                        <AwayNote />
                    </span>
                )}
            </header>
            <div class="agent-narrow">
                <PanelContent w={w} agent={agent} short />
            </div>
            <TabPages
                key={agent.name}
                id="agent-tab"
                class="agent-tab"
                label={`About @${agent.name}`}
                tabs={TABS}
                active={tab}
                onPick={id => go({ kind: 'agent', w, a: agent.name, tab: id }, { replace: true })}
            >
                {tab === 'chat' && <AgentChat w={w} agent={agent} />}
                {tab === 'background' && <AgentBackground w={w} agent={agent} />}
                {tab === 'memory' && <AgentMemory w={w} agent={agent} />}
                {tab === 'tasks' && <AgentTasks w={w} agent={agent} />}
                {tab === 'knowledge' && <AgentKnowledge w={w} agent={agent} />}
                {tab === 'settings' && <AgentSettings w={w} agent={agent} />}
                {tab === 'activity' && <AgentActivity w={w} agent={agent} />}
            </TabPages>
        </div>
    );
}

function AgentKeys({ agent }: { agent: string }) {
    useCommands([
        {
            id: 'agent.inspect',
            title: `Inspect @${agent}`,
            keys: ['i'],
            where: 'Agent',
            run: () => inspect({ agent }),
        },
    ]);
    return null;
}
