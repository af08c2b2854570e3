// calls-world.ts: worlds, agents, tasks, conversations: one function per route, named by its operationId.

import { request, type Options } from './client';
import { at, type Paged } from './calls-kit';
import type * as T from './types';

export const listWorlds = (query: Paged & { fields?: string } = {}, o?: Options) =>
    request<T.WorldList>('GET', '/worlds', { ...o, query });
export const createWorld = (body: T.NewWorld, o?: Options) =>
    request<T.World>('POST', '/worlds', { ...o, body });
export const getWorld = (w: string, query: { fields?: string } = {}, o?: Options) =>
    request<T.World>('GET', `/worlds/${at(w)}`, { ...o, query });
export const updateWorld = (w: string, body: T.WorldPatch, o?: Options) =>
    request<T.World>('PATCH', `/worlds/${at(w)}`, { ...o, body });
export const removeWorld = (w: string, query: { force?: boolean } = {}, o?: Options) =>
    request<void>('DELETE', `/worlds/${at(w)}`, { ...o, query });
export const restoreWorld = (w: string, body: T.WorldReturn = {}, o?: Options) =>
    request<T.World>('POST', `/worlds/${at(w)}/restore`, { ...o, body });
export const getWorldStatus = (w: string, o?: Options) =>
    request<T.WorldStatus>('GET', `/worlds/${at(w)}/status`, o);
export const listAgents = (w: string, query: Paged & { fields?: string } = {}, o?: Options) =>
    request<T.AgentList>('GET', `/worlds/${at(w)}/agents`, { ...o, query });
export const createAgent = (w: string, body: T.NewAgent, o?: Options) =>
    request<T.Agent>('POST', `/worlds/${at(w)}/agents`, { ...o, body });
export const getAgent = (w: string, a: string, query: { fields?: string } = {}, o?: Options) =>
    request<T.Agent>('GET', `/worlds/${at(w)}/agents/${at(a)}`, { ...o, query });
export const updateAgent = (w: string, a: string, body: T.AgentPatch, o?: Options) =>
    request<T.Agent>('PATCH', `/worlds/${at(w)}/agents/${at(a)}`, { ...o, body });
export const removeAgent = (w: string, a: string, query: { force?: boolean } = {}, o?: Options) =>
    request<void>('DELETE', `/worlds/${at(w)}/agents/${at(a)}`, { ...o, query });
export const pauseAgent = (w: string, a: string, o?: Options) =>
    request<T.Agent>('POST', `/worlds/${at(w)}/agents/${at(a)}/pause`, o);
export const resumeAgent = (w: string, a: string, o?: Options) =>
    request<T.Agent>('POST', `/worlds/${at(w)}/agents/${at(a)}/resume`, o);
export const wakeAgent = (w: string, a: string, o?: Options) =>
    request<T.Agent>('POST', `/worlds/${at(w)}/agents/${at(a)}/wake`, o);
export const tellAgent = (w: string, a: string, body: T.Tell, o?: Options) =>
    request<T.Message>('POST', `/worlds/${at(w)}/agents/${at(a)}/tell`, { ...o, body });
export const listTasks = (
    w: string,
    a: string,
    query: Paged & { status?: 'pending' | 'completed' | 'cancelled'; fields?: string } = {},
    o?: Options,
) => request<T.TaskList>('GET', `/worlds/${at(w)}/agents/${at(a)}/tasks`, { ...o, query });
export const createTask = (w: string, a: string, body: T.NewTask, o?: Options) =>
    request<T.Task>('POST', `/worlds/${at(w)}/agents/${at(a)}/tasks`, { ...o, body });
export const getTask = (w: string, id: string, query: { fields?: string } = {}, o?: Options) =>
    request<T.Task>('GET', `/worlds/${at(w)}/tasks/${at(id)}`, { ...o, query });
export const cancelTask = (w: string, id: string, o?: Options) =>
    request<T.Task>('DELETE', `/worlds/${at(w)}/tasks/${at(id)}`, o);
export const retryTask = (w: string, id: string, o?: Options) =>
    request<T.Task>('POST', `/worlds/${at(w)}/tasks/${at(id)}/retry`, o);
export const listKnowledge = (w: string, a: string, query: Paged & { q?: string } = {}, o?: Options) =>
    request<T.KnowledgeList>('GET', `/worlds/${at(w)}/agents/${at(a)}/knowledge`, { ...o, query });
export const listExpected = (w: string, a: string, query: Paged = {}, o?: Options) =>
    request<T.ExpectedList>('GET', `/worlds/${at(w)}/agents/${at(a)}/expected`, { ...o, query });
export const listCalls = (w: string, a: string, query: Paged & { fields?: string } = {}, o?: Options) =>
    request<T.ModelCallList>('GET', `/worlds/${at(w)}/agents/${at(a)}/calls`, { ...o, query });
export const listCosts = (
    w: string,
    query: Paged & { by: string; chatId?: string; since?: string },
    o?: Options,
) => request<T.CostList>('GET', `/worlds/${at(w)}/costs`, { ...o, query });
export const getCall = (w: string, id: string, query: { fields?: string } = {}, o?: Options) =>
    request<T.WholeModelCall>('GET', `/worlds/${at(w)}/calls/${at(id)}`, { ...o, query });
export const getAgentMemory = (
    w: string,
    a: string,
    query: Paged & {
        chatId?: string;
        threadId?: string;
        raw?: boolean;
        include?: string;
        fields?: string;
    } = {},
    o?: Options,
) => request<T.MessageList>('GET', `/worlds/${at(w)}/agents/${at(a)}/memory`, { ...o, query });
export const clearAgentMemory = (
    w: string,
    a: string,
    query: { chatId?: string; force?: boolean } = {},
    o?: Options,
) => request<T.NewThread>('DELETE', `/worlds/${at(w)}/agents/${at(a)}/memory`, { ...o, query });
export const listAgentChats = (
    w: string,
    a: string,
    query: Paged & { mode?: 'foreground' | 'background' } = {},
    o?: Options,
) => request<T.ChatList>('GET', `/worlds/${at(w)}/agents/${at(a)}/conversations`, { ...o, query });
export const listChats = (
    w: string,
    query: Paged & {
        fields?: string;
        mode?: 'chat' | 'foreground' | 'background';
        agent?: string;
        archived?: boolean;
    } = {},
    o?: Options,
) => request<T.ChatList>('GET', `/worlds/${at(w)}/chats`, { ...o, query });
export const createChat = (w: string, body: T.NewChat, o?: Options) =>
    request<T.Chat>('POST', `/worlds/${at(w)}/chats`, { ...o, body });
export const getChat = (w: string, c: string, query: { fields?: string } = {}, o?: Options) =>
    request<T.Chat>('GET', `/worlds/${at(w)}/chats/${at(c)}`, { ...o, query });
export const updateChat = (w: string, c: string, body: T.ChatPatch, o?: Options) =>
    request<T.Chat>('PATCH', `/worlds/${at(w)}/chats/${at(c)}`, { ...o, body });
export const removeChat = (w: string, c: string, query: { force?: boolean } = {}, o?: Options) =>
    request<void>('DELETE', `/worlds/${at(w)}/chats/${at(c)}`, { ...o, query });
export const restoreChat = (w: string, c: string, o?: Options) =>
    request<T.Chat>('POST', `/worlds/${at(w)}/chats/${at(c)}/restore`, o);
export const exportWorld = (
    w: string,
    query: {
        format?: 'md' | 'json' | 'jsonl' | 'mermaid' | 'html' | 'skein';
        redact?: boolean;
        delegations?: 'summary' | 'none' | 'full';
        memoryOnly?: boolean;
    } = {},
    o?: Options,
) => request<string | Blob>('GET', `/worlds/${at(w)}/export`, { ...o, query });
export const exportChat = (
    w: string,
    c: string,
    query: {
        format?: 'md' | 'json' | 'jsonl' | 'mermaid' | 'html' | 'skein';
        root?: string;
        threadId?: string;
        redact?: boolean;
        delegations?: 'summary' | 'none' | 'full';
        memoryOnly?: boolean;
    } = {},
    o?: Options,
) => request<string | Blob>('GET', `/worlds/${at(w)}/chats/${at(c)}/export`, { ...o, query });
export const importWorld = (body: Blob, o?: Options) =>
    request<T.ImportReport>('POST', '/worlds/import', { ...o, body });
export const listToolServers = (w: string, query: Paged & { fields?: string } = {}, o?: Options) =>
    request<T.ToolServerList>('GET', `/worlds/${at(w)}/tool-servers`, { ...o, query });
