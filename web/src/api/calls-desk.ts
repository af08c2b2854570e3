// calls-desk.ts: inbox, providers, search, and the server itself: one function per route, named by its operationId.

import { request, type Options } from './client';
import { at, type Paged } from './calls-kit';
import type * as T from './types';

export const listInbox = (
    query: Paged & {
        world?: string;
        type?: 'briefing' | 'question' | 'failure' | 'finished' | 'mention' | 'approval';
        unread?: boolean;
        state?: 'open' | 'done' | 'snoozed' | 'all';
        fields?: string;
    } = {},
    o?: Options,
) => request<T.InboxList>('GET', '/inbox', { ...o, query });
export const countUnread = (query: { world?: string } = {}, o?: Options) =>
    request<T.InboxCounts>('GET', '/inbox/unread-count', { ...o, query });
export const readInbox = (body: T.InboxMark = {}, o?: Options) =>
    request<T.InboxMarked>('POST', '/inbox/mark-all-read', { ...o, body });
export const getInboxItem = (id: string, query: { fields?: string } = {}, o?: Options) =>
    request<T.InboxItem>('GET', `/inbox/${at(id)}`, { ...o, query });
export const changeInboxItem = (id: string, body: T.InboxPatch, o?: Options) =>
    request<T.InboxItem>('PATCH', `/inbox/${at(id)}`, { ...o, body });
export const removeInboxItem = (id: string, o?: Options) => request<void>('DELETE', `/inbox/${at(id)}`, o);
export const answerInboxItem = (id: string, body: T.InboxAnswer, o?: Options) =>
    request<T.InboxAnswered>('POST', `/inbox/${at(id)}/answer`, { ...o, body });
export const getBriefing = (id: string, query: { fields?: string } = {}, o?: Options) =>
    request<T.Briefing>('GET', `/briefings/${at(id)}`, { ...o, query });
export const listProviders = (query: Paged = {}, o?: Options) =>
    request<T.ProviderList>('GET', '/providers', { ...o, query });
export const createProvider = (body: T.NewProvider, o?: Options) =>
    request<T.Provider>('POST', '/providers', { ...o, body });
export const detectProviders = (o?: Options) => request<T.FoundProviderList>('POST', '/providers/detect', o);
export const getProvider = (p: string, o?: Options) => request<T.Provider>('GET', `/providers/${at(p)}`, o);
export const updateProvider = (p: string, body: T.ProviderPatch, o?: Options) =>
    request<T.Provider>('PATCH', `/providers/${at(p)}`, { ...o, body });
export const removeProvider = (p: string, o?: Options) => request<void>('DELETE', `/providers/${at(p)}`, o);
export const testProvider = (p: string, o?: Options) =>
    request<T.ProviderTest>('POST', `/providers/${at(p)}/test`, o);
export const listModels = (p: string, query: Paged = {}, o?: Options) =>
    request<T.ModelOfferList>('GET', `/providers/${at(p)}/models`, { ...o, query });
export const search = (query: Paged & { q: string; current?: boolean; fields?: string }, o?: Options) =>
    request<T.HitList>('GET', '/search', { ...o, query });
export const healthz = (query: { verbose?: boolean } = {}, o?: Options) =>
    request<T.Health>('GET', '/healthz', { ...o, query });
export const version = (o?: Options) => request<T.Version>('GET', '/version', o);
export const getSettings = (o?: Options) => request<T.Settings>('GET', '/settings', o);
export const updateSettings = (body: Record<string, unknown>, o?: Options) =>
    request<T.Settings>('PATCH', '/settings', { ...o, body });
export const reloadSettings = (o?: Options) => request<T.Settings>('POST', '/settings/reload', o);
export const signIn = (body: T.SignIn, o?: Options) => request<T.Session>('POST', '/session', { ...o, body });
export const getSession = (o?: Options) => request<T.Who>('GET', '/session', o);
export const signOut = (o?: Options) => request<void>('DELETE', '/session', o);
export const newLink = (o?: Options) => request<T.SignInLink>('POST', '/session/link', o);
export const listSessions = (query: Paged = {}, o?: Options) =>
    request<T.SessionList>('GET', '/sessions', { ...o, query });
export const removeSessions = (o?: Options) => request<void>('DELETE', '/sessions', o);
export const removeSession = (id: string, o?: Options) => request<void>('DELETE', `/sessions/${at(id)}`, o);
export const listAudit = (query: Paged & { fields?: string } = {}, o?: Options) =>
    request<T.AuditList>('GET', '/audit', { ...o, query });

export const getJob = (id: string, o?: Options) => request<T.Job>('GET', `/jobs/${at(id)}`, o);
export const cancelJob = (id: string, o?: Options) => request<T.Job>('DELETE', `/jobs/${at(id)}`, o);
