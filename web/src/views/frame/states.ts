// What an agent or a conversation is at, worked out from what the server told: the one source of it for every screen.
// It uses nothing that only a screen that was looked at knows.
import type { Agent, Chat, InboxItem } from '../../api/types';
import { markWord, type Mark } from '../../parts/parts';
import { clock } from '../../parts/time';
import type { State, WorldState } from '../../store/state';

const waiting = new Set(['question', 'approval']);

function itemsOf(state: State, chat: string): InboxItem[] {
    return Object.values(state.inbox.items).filter(item => item.chatId === chat && !item.doneAt);
}

/** States come by events: without a stream they are as old as the last one. */
function isAway(state: State): boolean {
    return state.connection.state === 'offline';
}

function hasFailed(world: WorldState, chat: string): boolean {
    return Object.values(world.agents).some(a => a.state === 'failed' && a.failedChatId === chat);
}

/** What needs the person comes before what goes on by itself. */
export function chatMark(state: State, world: WorldState, chat: Chat, unread: number): Mark {
    const items = itemsOf(state, chat.id);
    if (items.some(item => waiting.has(item.type))) return 'asks';
    if ((world.busyIn[chat.id]?.length ?? 0) > 0) return isAway(state) ? 'unknown' : 'working';
    if (hasFailed(world, chat.id) || items.some(item => item.type === 'failure')) return 'failed';
    if (chat.mode === 'background') return 'background';
    return unread > 0 ? 'done' : 'idle';
}

export interface AgentMark {
    mark: Mark;
    /** In place of the usual word: the tool that it uses, or whom it waits for. */
    detail: string | null;
}

function hasAsked(state: State, world: WorldState, agent: Agent): boolean {
    return Object.values(state.inbox.items).some(
        item =>
            item.agent === agent.name &&
            item.world === world.world.name &&
            waiting.has(item.type) &&
            !item.doneAt,
    );
}

/** "waiting for openai, which was asked too often, until 12:03:04" */
function waitWords(world: WorldState, agent: Agent): string {
    const whom = world.agentDetail[agent.name];
    return `waiting${whom ? ` ${whom}` : ''}${agent.until ? `, until ${clock(agent.until, true)}` : ''}`;
}

const AT_WORK = new Set<Mark>(['working', 'thinking', 'writing', 'tool', 'queued']);

export function agentMark(state: State, world: WorldState, agent: Agent): AgentMark {
    if (hasAsked(state, world, agent)) return { mark: 'asks', detail: null };
    if (isAway(state)) return { mark: 'unknown', detail: null };
    const places = Object.keys(world.busyIn).filter(chat => world.busyIn[chat]?.includes(agent.name));
    const behind = places.length > 0 && places.every(chat => world.chats[chat]?.mode === 'background');
    if (behind && !['idle', 'paused', 'failed'].includes(agent.state))
        return { mark: 'background', detail: null };
    if (agent.state === 'waiting') return { mark: 'waiting', detail: waitWords(world, agent) };
    const tool = agent.state === 'tool' ? (world.agentDetail[agent.name] ?? null) : null;
    if (agent.paused && agent.state === 'idle') return { mark: 'paused', detail: null };
    // What it had begun it ends; the page still says that it takes no new work after that.
    if (agent.paused && AT_WORK.has(agent.state))
        return { mark: agent.state, detail: `${tool ?? markWord(agent.state)}, then paused` };
    return { mark: agent.state, detail: tool };
}

/** Newest first; the background work of agents is reached from the agents. */
export function listedChats(world: WorldState): Chat[] {
    const when = (chat: Chat) => chat.lastActivityAt ?? chat.createdAt;
    return Object.values(world.chats)
        .filter(chat => chat.mode !== 'background' && !chat.archived)
        .sort((one, other) => when(other).localeCompare(when(one)));
}
