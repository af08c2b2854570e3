// calls-chat.ts: messages, versions and views of a conversation: one function per route, named by its operationId.

import { request, type Options } from './client';
import { at, type Paged, type Rows } from './calls-kit';
import type * as T from './types';

export const listMessages = (w: string, query: Rows & { chatId?: string } = {}, o?: Options) =>
    request<T.MessageList>('GET', `/worlds/${at(w)}/messages`, { ...o, query });
export const listFiles = (w: string, query: Paged & { fields?: string } = {}, o?: Options) =>
    request<T.FileList>('GET', `/worlds/${at(w)}/files`, { ...o, query });
export const addFile = (w: string, body: Blob, query: { name?: string } = {}, o?: Options) =>
    request<T.File>('POST', `/worlds/${at(w)}/files`, { timeoutMs: 0, ...o, query, body });
export const getFile = (w: string, id: string, o?: Options) =>
    request<Blob>('GET', `/worlds/${at(w)}/files/${at(id)}`, o);
export const postMessage = (w: string, body: T.NewMessage, o?: Options) =>
    request<T.PostedMessage>('POST', `/worlds/${at(w)}/messages`, { ...o, body });
export const stopAgents = (w: string, body: T.Stop = {}, o?: Options) =>
    request<T.Stopped>('POST', `/worlds/${at(w)}/messages/stop`, { ...o, body });
export const getMessage = (
    w: string,
    m: string,
    query: { chatId?: string; fields?: string } = {},
    o?: Options,
) => request<T.Message>('GET', `/worlds/${at(w)}/messages/${at(m)}`, { ...o, query });
export const editMessage = (w: string, m: string, body: T.MessageEdit, o?: Options) =>
    request<T.RemovalResult>('PUT', `/worlds/${at(w)}/messages/${at(m)}`, { ...o, body });
export const removeMessage = (
    w: string,
    m: string,
    query: { chatId?: string; force?: boolean; resubmit?: boolean } = {},
    o?: Options,
) => request<T.RemovalResult>('DELETE', `/worlds/${at(w)}/messages/${at(m)}`, { ...o, query });
export const countRemoval = (w: string, m: string, query: { chatId?: string } = {}, o?: Options) =>
    request<T.Count>('GET', `/worlds/${at(w)}/messages/${at(m)}/count`, { ...o, query });
export const listReplies = (
    w: string,
    m: string,
    query: Paged & { chatId?: string; threadId?: string; include?: string; fields?: string } = {},
    o?: Options,
) => request<T.MessageList>('GET', `/worlds/${at(w)}/messages/${at(m)}/replies`, { ...o, query });
export const listAncestors = (
    w: string,
    m: string,
    query: Paged & { chatId?: string; threadId?: string; include?: string; fields?: string } = {},
    o?: Options,
) => request<T.MessageList>('GET', `/worlds/${at(w)}/messages/${at(m)}/ancestors`, { ...o, query });
export const listSubtree = (
    w: string,
    m: string,
    query: Paged & { chatId?: string; threadId?: string; depth?: number; fields?: string } = {},
    o?: Options,
) => request<T.NodeList>('GET', `/worlds/${at(w)}/messages/${at(m)}/subtree`, { ...o, query });
export const listSiblings = (
    w: string,
    m: string,
    query: Paged & { chatId?: string; threadId?: string; include?: string; fields?: string } = {},
    o?: Options,
) => request<T.MessageList>('GET', `/worlds/${at(w)}/messages/${at(m)}/siblings`, { ...o, query });
export const listMessageVersions = (
    w: string,
    m: string,
    query: Paged & { chatId?: string } = {},
    o?: Options,
) => request<T.ThreadList>('GET', `/worlds/${at(w)}/messages/${at(m)}/versions`, { ...o, query });
export const getDelivery = (w: string, m: string, query: { chatId?: string } = {}, o?: Options) =>
    request<T.MessageDelivery>('GET', `/worlds/${at(w)}/messages/${at(m)}/delivery`, { ...o, query });
export const getMessageContext = (
    w: string,
    m: string,
    query: { chatId?: string; fields?: string } = {},
    o?: Options,
) => request<T.WholeModelCall>('GET', `/worlds/${at(w)}/messages/${at(m)}/context`, { ...o, query });
export const getInstructions = (w: string, m: string, query: { chatId?: string } = {}, o?: Options) =>
    request<T.Instructions>('GET', `/worlds/${at(w)}/messages/${at(m)}/instructions`, { ...o, query });
export const setInstructions = (w: string, m: string, body: { instructions: T.Instruction[] }, o?: Options) =>
    request<T.Instructions>('PUT', `/worlds/${at(w)}/messages/${at(m)}/instructions`, { ...o, body });
export const listTags = (w: string, query: Paged & { chatId?: string } = {}, o?: Options) =>
    request<T.TagList>('GET', `/worlds/${at(w)}/tags`, { ...o, query });
export const setTags = (w: string, body: { tags: T.NewTag[] }, o?: Options) =>
    request<T.TagList>('PUT', `/worlds/${at(w)}/tags`, { ...o, body });
export const setTag = (w: string, t: string, body: T.TagDefinition, o?: Options) =>
    request<T.Tag>('PUT', `/worlds/${at(w)}/tags/${at(t)}`, { ...o, body });
export const switchTag = (w: string, t: string, body: { active: boolean }, o?: Options) =>
    request<T.Tag>('PATCH', `/worlds/${at(w)}/tags/${at(t)}`, { ...o, body });
export const removeTag = (w: string, t: string, o?: Options) =>
    request<void>('DELETE', `/worlds/${at(w)}/tags/${at(t)}`, o);
export const appendMessages = (w: string, c: string, body: T.NewMessages, o?: Options) =>
    request<T.StoredMessages>('POST', `/worlds/${at(w)}/chats/${at(c)}/messages`, { ...o, body });
export const purge = (w: string, c: string, body: T.NewPurge, o?: Options) =>
    request<T.Purge>('POST', `/worlds/${at(w)}/chats/${at(c)}/purge`, { ...o, body });
export const listChatMessages = (w: string, c: string, query: Rows = {}, o?: Options) =>
    request<T.MessageList>('GET', `/worlds/${at(w)}/chats/${at(c)}/messages`, { ...o, query });
export const getTree = (
    w: string,
    c: string,
    query: Paged & { threadId?: string; root?: string; depth?: number; fields?: string } = {},
    o?: Options,
) => request<T.NodeList>('GET', `/worlds/${at(w)}/chats/${at(c)}/tree`, { ...o, query });
export const getTimeline = (
    w: string,
    c: string,
    query: { threadId?: string; delegation?: string; after?: number } = {},
    o?: Options,
) => request<T.Timeline>('GET', `/worlds/${at(w)}/chats/${at(c)}/timeline`, { ...o, query });
export const getAnalytics = (
    w: string,
    c: string,
    query: { threadId?: string; root?: string } = {},
    o?: Options,
) => request<T.Stats>('GET', `/worlds/${at(w)}/chats/${at(c)}/analytics`, { ...o, query });
export const listAnalyticsGroups = (
    w: string,
    c: string,
    query: Paged & { by: 'agent' | 'day' | 'thread'; threadId?: string; root?: string },
    o?: Options,
) =>
    request<T.StatsGroupList>('GET', `/worlds/${at(w)}/chats/${at(c)}/analytics/groups`, {
        ...o,
        query,
    });
export const getContext = (
    w: string,
    c: string,
    query: { threadId?: string; agent?: string; delegation?: string } = {},
    o?: Options,
) => request<T.Context>('GET', `/worlds/${at(w)}/chats/${at(c)}/context`, { ...o, query });
export const listContextFiles = (w: string, c: string, query: Paged = {}, o?: Options) =>
    request<T.ContextFileList>('GET', `/worlds/${at(w)}/chats/${at(c)}/context-files`, { ...o, query });
export const setContextFiles = (w: string, c: string, body: { files: T.NewContextFile[] }, o?: Options) =>
    request<T.ContextFileList>('PUT', `/worlds/${at(w)}/chats/${at(c)}/context-files`, { ...o, body });
export const addContextFile = (w: string, c: string, body: T.AddedContextFile, o?: Options) =>
    request<T.ContextFile>('POST', `/worlds/${at(w)}/chats/${at(c)}/context-files`, { ...o, body });
export const getContextFile = (w: string, c: string, f: string, o?: Options) =>
    request<T.ContextFile>('GET', `/worlds/${at(w)}/chats/${at(c)}/context-files/${at(f)}`, o);
export const removeContextFile = (w: string, c: string, f: string, o?: Options) =>
    request<T.ContextFile>('DELETE', `/worlds/${at(w)}/chats/${at(c)}/context-files/${at(f)}`, o);
export const listSummaries = (
    w: string,
    c: string,
    query: Paged & { threadId?: string; agent?: string; delegation?: string; memories?: boolean } = {},
    o?: Options,
) => request<T.SummaryList>('GET', `/worlds/${at(w)}/chats/${at(c)}/compactions`, { ...o, query });
export const createSummary = (w: string, c: string, body: T.NewSummary = {}, o?: Options) =>
    request<T.Job | T.Summary>('POST', `/worlds/${at(w)}/chats/${at(c)}/compactions`, { ...o, body });
export const listThreads = (w: string, c: string, query: Paged & { fields?: string } = {}, o?: Options) =>
    request<T.ThreadList>('GET', `/worlds/${at(w)}/chats/${at(c)}/threads`, { ...o, query });
export const getThread = (w: string, c: string, t: string, o?: Options) =>
    request<T.Thread>('GET', `/worlds/${at(w)}/chats/${at(c)}/threads/${at(t)}`, o);
export const listThreadMessages = (
    w: string,
    c: string,
    t: string,
    query: Omit<Rows, 'threadId'> = {},
    o?: Options,
) =>
    request<T.MessageList>('GET', `/worlds/${at(w)}/chats/${at(c)}/threads/${at(t)}/messages`, {
        ...o,
        query,
    });
export const getDiff = (w: string, c: string, t: string, query: { from?: string } = {}, o?: Options) =>
    request<T.Diff>('GET', `/worlds/${at(w)}/chats/${at(c)}/threads/${at(t)}/diff`, { ...o, query });
export const getCurrentThread = (w: string, c: string, o?: Options) =>
    request<T.CurrentThread>('GET', `/worlds/${at(w)}/chats/${at(c)}/currentThread`, o);
export const travel = (w: string, c: string, body: T.Travel, o?: Options) =>
    request<T.Move>('PUT', `/worlds/${at(w)}/chats/${at(c)}/currentThread`, { ...o, body });
export const operate = (w: string, c: string, body: T.Operation, o?: Options) =>
    request<T.NewThread>('POST', `/worlds/${at(w)}/chats/${at(c)}/operations`, { ...o, body });
export const listSquashes = (w: string, c: string, query: Paged = {}, o?: Options) =>
    request<T.SquashList>('GET', `/worlds/${at(w)}/chats/${at(c)}/squashes`, { ...o, query });
export const squash = (w: string, c: string, body: T.NewSquash, o?: Options) =>
    request<T.Job | T.Squash>('POST', `/worlds/${at(w)}/chats/${at(c)}/squashes`, { ...o, body });
export const getSquash = (w: string, id: string, o?: Options) =>
    request<T.Squash>('GET', `/worlds/${at(w)}/squashes/${at(id)}`, o);
export const rerunSquash = (w: string, id: string, body: T.SquashRerun = {}, o?: Options) =>
    request<T.Job>('POST', `/worlds/${at(w)}/squashes/${at(id)}/rerun`, { ...o, body });
export const branch = (w: string, c: string, body: T.NewBranch, o?: Options) =>
    request<T.Chat>('POST', `/worlds/${at(w)}/chats/${at(c)}/branches`, { ...o, body });
export const listQueue = (w: string, c: string, query: Paged = {}, o?: Options) =>
    request<T.QueueItemList>('GET', `/worlds/${at(w)}/chats/${at(c)}/queue`, { ...o, query });
export const queueMessage = (w: string, c: string, body: T.NewMessage, o?: Options) =>
    request<T.PostedMessage>('POST', `/worlds/${at(w)}/chats/${at(c)}/queue`, { ...o, body });
export const changeQueued = (w: string, c: string, id: string, body: T.QueuePatch, o?: Options) =>
    request<T.PostedMessage | T.QueueItem>('PATCH', `/worlds/${at(w)}/chats/${at(c)}/queue/${at(id)}`, {
        ...o,
        body,
    });
export const removeQueued = (w: string, c: string, id: string, o?: Options) =>
    request<void>('DELETE', `/worlds/${at(w)}/chats/${at(c)}/queue/${at(id)}`, o);
export const listDelegations = (
    w: string,
    query: Paged & { chatId?: string; fields?: string } = {},
    o?: Options,
) => request<T.DelegationList>('GET', `/worlds/${at(w)}/delegations`, { ...o, query });
export const getDelegation = (
    w: string,
    id: string,
    query: { chatId?: string; fields?: string } = {},
    o?: Options,
) => request<T.Delegation>('GET', `/worlds/${at(w)}/delegations/${at(id)}`, { ...o, query });
export const createDelegation = (w: string, body: T.NewDelegation, o?: Options) =>
    request<T.Delegation>('POST', `/worlds/${at(w)}/delegations`, { ...o, body });
export const finishDelegation = (w: string, id: string, body: T.DelegationEnd, o?: Options) =>
    request<T.Delegation>('PATCH', `/worlds/${at(w)}/delegations/${at(id)}`, { ...o, body });
export const cancelDelegation = (w: string, id: string, body: Record<string, never> = {}, o?: Options) =>
    request<T.Delegation>('POST', `/worlds/${at(w)}/delegations/${at(id)}/cancel`, { ...o, body });
export const retryDelegation = (w: string, id: string, body: Record<string, never> = {}, o?: Options) =>
    request<T.Delegation>('POST', `/worlds/${at(w)}/delegations/${at(id)}/retry`, { ...o, body });
export const askAnother = (w: string, m: string, body: T.AnotherAnswer, o?: Options) =>
    request<T.RemovalResult>('POST', `/worlds/${at(w)}/messages/${at(m)}/alternatives`, { ...o, body });
export const listAlternatives = (
    w: string,
    m: string,
    query: Paged & { chatId?: string; threadId?: string } = {},
    o?: Options,
) => request<T.MessageList>('GET', `/worlds/${at(w)}/messages/${at(m)}/alternatives`, { ...o, query });
export const retryAnswer = (w: string, m: string, body: T.AnswerAgain, o?: Options) =>
    request<T.Message>('POST', `/worlds/${at(w)}/messages/${at(m)}/retry`, { ...o, body });
export const listEditErrors = (w: string, query: Paged = {}, o?: Options) =>
    request<T.EditErrorList>('GET', `/worlds/${at(w)}/edit-errors`, { ...o, query });
export const retryEdit = (w: string, id: string, body: T.Retry = {}, o?: Options) =>
    request<T.RemovalResult>('POST', `/worlds/${at(w)}/edit-errors/${at(id)}/retry`, { ...o, body });
export const searchWorld = (
    w: string,
    query: Paged & { q: string; current?: boolean; archived?: boolean; chatId?: string; fields?: string },
    o?: Options,
) => request<T.HitList>('GET', `/worlds/${at(w)}/search`, { ...o, query });
