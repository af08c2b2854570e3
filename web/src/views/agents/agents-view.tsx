// The agents of a world: a table, and on narrow screens cards.

import { useState } from 'preact/hooks';
import type { Agent, NewAgent } from '../../api/types';
import { useCommands } from '../../keys/commands';
import { AgentName, ago, Banner, Button, Dialog, Empty, Loading, Menu, StateMark } from '../../parts/parts';
import { go, place } from '../../store/place';
import { state, world } from '../../store/store';
import { agentMark } from '../frame/states';
import { useDefaultModel } from '../shared/default-model';
import { Link } from '../shared/link';
import { grouped } from '../shared/words';
import { create, pauseOrResume, wake } from './actions';
import { AgentForm } from './agent-form';
import { RemoveAgent } from './agent-remove';
import { defaultWords } from './words';
import './agents.css';

export function agentsByName(): Agent[] {
    return Object.values(world.value?.agents ?? {}).sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

/** Unread items of the inbox that an agent wrote. */
function unreadOf(w: string, name: string): number {
    return Object.values(state.value.inbox.items).filter(
        i => i.world === w && i.agent === name && i.readAt === null && i.doneAt === null,
    ).length;
}

export function AgentsView() {
    const here = place.value;
    const w = here.kind === 'agents' ? here.w : '';
    const [making, setMaking] = useState(false);
    const [removing, setRemoving] = useState<Agent | null>(null);
    const agents = agentsByName();
    const known = world.value;
    const readOnly = state.value.readOnly;

    useCommands([
        {
            id: 'agents.new',
            title: 'New agent',
            keys: ['a'],
            where: 'Agents',
            when: () => !readOnly,
            run: () => setMaking(true),
        },
    ]);
    return (
        <div class="agents">
            <header class="agents-head">
                <h1>Agents of {w}</h1>
                <Button kind="main" disabled={readOnly} onClick={() => setMaking(true)}>
                    + Agent
                </Button>
                <Link class="button button-plain" to={{ kind: 'settings', tab: 'data' }}>
                    Import
                </Link>
            </header>
            <Unknown />
            {!known && <Loading label="Loading the agents" />}
            {known && agents.length === 0 && (
                <Empty>
                    <p>No agents. Nobody answers in this world yet.</p>
                    <div class="agent-actions agents-empty">
                        <Button kind="main" onClick={() => setMaking(true)}>
                            New agent
                        </Button>
                        <Link class="button button-plain" to={{ kind: 'settings', tab: 'data' }}>
                            Import a team
                        </Link>
                        <Button onClick={() => void addTeam(w)}>Use the demo team</Button>
                    </div>
                </Empty>
            )}
            {known && agents.length > 0 && <AgentTable w={w} agents={agents} onRemove={setRemoving} />}
            {making && (
                <Dialog title={`New agent in ${w}`} onClose={() => setMaking(false)} wide>
                    <AgentForm
                        agent={null}
                        others={agents}
                        submit="Create agent"
                        draft={`skein.newAgent.${w}`}
                        onCancel={() => setMaking(false)}
                        onSubmit={async values => {
                            const trouble = await create(w, values);
                            if (!trouble) setMaking(false);
                            return trouble;
                        }}
                    />
                </Dialog>
            )}
            {removing && (
                <RemoveAgent w={w} agent={removing} others={agents} onClose={() => setRemoving(null)} />
            )}
        </div>
    );
}

const TEAM: NewAgent[] = [
    { name: 'lead', systemPrompt: 'You are the team lead: you plan and ask the others.' },
    { name: 'ada', systemPrompt: 'You do research: you find facts and name your sources.', lead: 'lead' },
    { name: 'bo', systemPrompt: 'You are the critic: you name what could be wrong.', lead: 'lead' },
];

/** One after the other: the others report to the first. */
async function addTeam(w: string): Promise<void> {
    for (const agent of TEAM) if (await create(w, agent)) return;
}

/** States come by events: without a stream they are as old as the last one. */
function Unknown() {
    const c = state.value.connection;
    if (c.state !== 'offline') return null;
    const since = new Date(c.since).toTimeString().slice(0, 5);
    return <Banner kind="warn">Offline: what the agents do is unknown since {since}.</Banner>;
}

interface TableProps {
    w: string;
    agents: Agent[];
    onRemove: (agent: Agent) => void;
}

function AgentTable({ w, agents, onRemove }: TableProps) {
    const usual = useDefaultModel();
    return (
        <table class="agents-table">
            <caption class="visually-hidden">Agents of {w}</caption>
            <thead>
                <tr>
                    <th scope="col">Agent</th>
                    <th scope="col">State</th>
                    <th scope="col">Model</th>
                    <th scope="col" class="agents-number">
                        Queue
                    </th>
                    <th scope="col">Last</th>
                    <th scope="col" class="agents-number">
                        Unread
                    </th>
                    <th scope="col">
                        <span class="visually-hidden">Actions</span>
                    </th>
                </tr>
            </thead>
            <tbody>
                {agents.map(agent => (
                    <AgentRow key={agent.id} w={w} agent={agent} usual={usual} onRemove={onRemove} />
                ))}
            </tbody>
        </table>
    );
}

function AgentRow({
    w,
    agent,
    usual,
    onRemove,
}: Omit<TableProps, 'agents'> & { agent: Agent; usual: string | null }) {
    const known = world.value;
    const mark = known ? agentMark(state.value, known, agent) : { mark: agent.state, detail: null };
    const unread = unreadOf(w, agent.name);
    const readOnly = state.value.readOnly;
    return (
        <tr>
            <th scope="row">
                <Link to={{ kind: 'agent', w, a: agent.name }}>
                    <AgentName name={agent.name} />
                </Link>
            </th>
            <td class="agents-state">
                <StateMark state={mark.mark} detail={mark.detail} />
                {agent.state === 'failed' && (
                    <Link class="agents-fix" to={{ kind: 'settings', tab: 'models' }}>
                        Look at the models
                    </Link>
                )}
            </td>
            <td class="agents-model">{agent.model ?? <span class="muted">{defaultWords(usual)}</span>}</td>
            <td class="agents-number" data-label="queue">
                {agent.pendingTasks}
            </td>
            <td data-label="last">{lastOf(agent)}</td>
            <td class="agents-number" data-label="unread">
                {grouped(unread)}
            </td>
            <td class="agents-menu">
                <Menu
                    label={`Actions for @${agent.name}`}
                    items={[
                        {
                            label: agent.paused ? 'Resume' : 'Pause',
                            run: () => void pauseOrResume(w, agent),
                            disabled: readOnly,
                        },
                        { label: 'Wake now', run: () => void wake(w, agent), disabled: readOnly },
                        {
                            label: 'Settings',
                            run: () => go({ kind: 'agent', w, a: agent.name, tab: 'settings' }),
                        },
                        {
                            label: 'Remove…',
                            run: () => onRemove(agent),
                            danger: true,
                            apart: true,
                            disabled: readOnly,
                        },
                    ]}
                />
            </td>
        </tr>
    );
}

function lastOf(agent: Agent) {
    if (['thinking', 'waiting', 'writing', 'tool'].includes(agent.state)) return 'now';
    return agent.lastCompletedAt ? (
        <time dateTime={agent.lastCompletedAt}>{ago(agent.lastCompletedAt)}</time>
    ) : (
        <span class="muted">never</span>
    );
}
