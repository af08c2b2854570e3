import type { ComponentChildren } from 'preact';
import { getContext, listAgentChats, listModels } from '../../api/calls';
import type { Result } from '../../api/client';
import type { Agent, Chat, ChatList, Context } from '../../api/types';
import { AgentName, Button, day, Time } from '../../parts/parts';
import { inspect, place } from '../../store/place';
import { world } from '../../store/store';
import { Link } from '../shared/link';
import { useLoad } from '../shared/load';
import { count, firstLine, grouped } from '../shared/words';
import { asksModels } from './models';
import { agentsByName } from './agents-view';
import { useTick } from './follow';
import { everyWords, fillOf, fillShare, fillWords, led, partWords, SOON_AT, type Fill } from './words';
import './agents.css';

const DEFAULT_SHARE = 75;

/** The right column beside agents: of the one that is shown, or of the first. */
export function AgentPanel() {
    const here = place.value;
    const agents = agentsByName();
    if (here.kind !== 'agent' && here.kind !== 'agents') return null;
    const busy = agents.find(a => !['idle', 'paused', 'failed'].includes(a.state));
    const agent = here.kind === 'agent' ? agents.find(a => a.name === here.a) : (busy ?? agents[0]);
    return agent ? (
        <PanelContent w={here.w} agent={agent} />
    ) : (
        <p class="muted agent-panel">No agent is shown.</p>
    );
}

interface Own {
    foreground: Chat[];
    background: Chat[];
}

function ownOf(chats: ChatList | null): Own {
    const list = chats?.data ?? [];
    return {
        foreground: list.filter(c => c.mode === 'foreground'),
        background: list.filter(c => c.mode === 'background'),
    };
}

/** The window of its model, where the provider tells it before the model is asked anything. */
async function readWindow(model: string | null, signal: AbortSignal): Promise<Result<number>> {
    const [provider, ...rest] = (model ?? '').split('/');
    const models = await listModels(provider ?? '', { limit: 500 }, { signal });
    if (!models.ok) return models;
    return { ...models, value: models.value.data.find(m => m.name === rest.join('/'))?.contextWindow ?? 0 };
}

export interface PanelProps {
    w: string;
    agent: Agent;
    /** for narrow screens: only what changes */
    short?: boolean;
}

export function PanelContent({ w, agent, short }: PanelProps) {
    const known = world.value;
    const tick = useTick([
        'message.created',
        'message.completed',
        'summary.created',
        'thread.created',
        'thread.switched',
        'chat.created',
    ]);
    const own = ownOf(
        useLoad<ChatList>(
            `${w}/${agent.name}`,
            signal => listAgentChats(w, agent.name, { limit: 20 }, { signal }),
            tick,
        ).value,
    );
    const chatId = own.background[0]?.id ?? own.foreground[0]?.id ?? known?.world.currentChatId ?? null;
    const context = useLoad<Context>(
        chatId && `${w}/${agent.name}/${chatId}`,
        signal => getContext(w, chatId ?? '', { agent: agent.name }, { signal }),
        tick,
    );
    const asked = useLoad<number>(asksModels() ? agent.model : null, signal =>
        readWindow(agent.model, signal),
    );
    const share = known?.world.settings.compactShare ?? DEFAULT_SHARE;
    const fill = context.value && fillOf(context.value, context.value.window ?? asked.value, share);
    const leads = led(agentsByName(), agent.name);
    return (
        <div class={`agent-panel${short ? ' agent-panel-short' : ''}`}>
            {!short && (
                <h2>
                    <AgentName name={agent.name} />
                </h2>
            )}
            {!short && agent.systemPrompt && <p>{firstLine(agent.systemPrompt, 160)}</p>}
            <dl class="agent-facts">
                {!short && (
                    <Fact name="Reports to">
                        {agent.lead ? (
                            <Link to={{ kind: 'agent', w, a: agent.lead }}>@{agent.lead}</Link>
                        ) : (
                            'you'
                        )}
                    </Fact>
                )}
                {!short && (
                    <Fact name="Leads">
                        {leads.length === 0
                            ? 'nobody'
                            : leads.map((n, i) => (
                                  <>
                                      {i > 0 && ', '}
                                      <Link to={{ kind: 'agent', w, a: n }}>@{n}</Link>
                                  </>
                              ))}
                    </Fact>
                )}
                {!short && (
                    <Fact name="Foreground">
                        <Chats w={w} chats={own.foreground} />
                    </Fact>
                )}
                {!short && (
                    <Fact name="Background">
                        <Chats w={w} chats={own.background} />
                    </Fact>
                )}
                <Fact name="Next run">
                    <NextRun agent={agent} />
                </Fact>
            </dl>
            {fill && context.value && <ContextBar fill={fill} context={context.value} />}
            {!short && <Button onClick={() => inspect({ agent: agent.name })}>Inspect context</Button>}
        </div>
    );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
    return (
        <div>
            <dt>{name}</dt>
            <dd>{children}</dd>
        </div>
    );
}

function Chats({ w, chats }: { w: string; chats: Chat[] }) {
    const [first] = chats;
    if (!first) return <>none</>;
    return (
        <Link to={{ kind: 'chat', w, c: first.id, view: 'chat' }}>
            {grouped(chats.length)} (
            {count(
                chats.reduce((n, c) => n + c.messageCount, 0),
                'message',
            )}
            )
        </Link>
    );
}

function NextRun({ agent }: { agent: Agent }) {
    if (agent.paused) return <>paused</>;
    if (agent.nextRunAt)
        return (
            <>
                {day(agent.nextRunAt)} <Time at={agent.nextRunAt} />, {everyWords(agent.runEvery)}
            </>
        );
    return <>{everyWords(agent.runEvery)}</>;
}

/** The numbers come first; the bar says the same for those who see it. */
export function ContextBar({ fill, context }: { fill: Fill; context: Context }) {
    const covered = context.coveredLength;
    const parts = partWords(context.parts);
    const share = Math.min(1, fillShare(fill));
    const soon = share >= SOON_AT;
    return (
        <div class="context-bar">
            <p class="context-title">Context now</p>
            <p>{fillWords(fill)}</p>
            <div class={`context-track${soon ? ' context-soon' : ''}`} aria-hidden="true">
                <div style={{ width: `${Math.round(share * 100)}%` }} />
            </div>
            {soon && <p class="context-note">will be summarised soon</p>}
            {parts && <p class="muted">{parts}</p>}
            {covered > 0 && (
                <p class="muted">
                    {count(covered, 'message')} {covered === 1 ? 'stands' : 'stand'} in a summary
                </p>
            )}
        </div>
    );
}
