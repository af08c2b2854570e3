// pages.ts: the rows on screen and around them: of the current version, or of an old one that is looked at.

import { computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import * as api from '../api/calls';
import type { Message, MessageList } from '../api/types';
import { chat, chatOf, openTrouble, recording, state, updateChat } from './core';
import { FIRST_ROWS } from '../api/early';
import { windowOf } from './fetch-chat';
import { loadChat } from './load';
import { place } from './place';
import { reduceChat } from './reduce-chat';
import type { ChatState } from './state';

type Window = Pick<ChatState, 'rows' | 'total' | 'hasOlder' | 'hasNewer'>;

export interface Shown extends Window {
    /** an old version, the background of an agent, or a server that changes nothing */
    readOnly: boolean;
    version: string | null;
}

const PAGE = 100;
export const MOST_ROWS = 600;
const NONE: Window = { rows: [], total: 0, hasOlder: false, hasNewer: false };

/** Old versions never change: what was read of one stays right. */
const old = signal<Record<string, Window>>({});
const OLD_MOST = 8;

/** The version that is looked at, when it is not the current one. */
export const shownVersion: ReadonlySignal<string | null> = computed(() => {
    const p = place.value;
    if (p.kind !== 'chat' || p.v === undefined) return null;
    return p.v === chat.value?.thread ? null : p.v;
});

export const shown: ReadonlySignal<Shown> = computed(() => {
    const v = shownVersion.value;
    const c = chat.value;
    const from = v === null ? (c ?? NONE) : (old.value[v] ?? NONE);
    const { rows, total, hasOlder, hasNewer } = from;
    // What agents do in the background is looked at; people give them tasks elsewhere.
    const fixed = c?.chat.mode === 'background' || c?.chat.archived === true;
    return {
        rows,
        total,
        hasOlder,
        hasNewer,
        readOnly: v !== null || fixed || state.value.readOnly,
        version: v,
    };
});

interface At {
    w: string;
    c: string;
    v: string | null;
}

function here(): At | null {
    const p = place.peek();
    return p.kind === 'chat' ? { w: p.w, c: p.c, v: shownVersion.peek() } : null;
}

function current(at: At): Window | null {
    return at.v === null ? chatOf(at.c) : (old.peek()[at.v] ?? null);
}

function setOld(v: string, w: Window): void {
    const others = Object.entries(old.peek())
        .filter(([id]) => id !== v)
        .slice(1 - OLD_MOST);
    old.value = { ...Object.fromEntries(others), [v]: w };
}

function ask(
    at: At,
    query: { before?: string; after?: string; around?: string; latest?: boolean; limit: number },
) {
    const threadId = at.v ?? chatOf(at.c)?.thread;
    return threadId === undefined || threadId === ''
        ? api.listChatMessages(at.w, at.c, query)
        : api.listThreadMessages(at.w, at.c, threadId, query);
}

function joined(rows: Message[], total: number): Window {
    const first = rows[0];
    const last = rows.at(-1);
    return {
        rows,
        total,
        hasOlder: first !== undefined && first.position > 0,
        hasNewer: last !== undefined && last.position + 1 < total,
    };
}

function older(w: Window, page: MessageList): Window {
    const first = w.rows[0]?.position ?? 0;
    const more = page.data.filter(m => m.position < first);
    return joined([...more, ...w.rows].slice(0, MOST_ROWS), w.total);
}

function newer(w: Window, page: MessageList): Window {
    const last = w.rows.at(-1)?.position ?? -1;
    const more = page.data.filter(m => m.position > last);
    const total = Math.max(w.total, windowOf(page).total);
    return joined([...w.rows, ...more].slice(-MOST_ROWS), total);
}

function replace(_w: Window, page: MessageList): Window {
    return windowOf(page);
}

type Step = { query: Parameters<typeof ask>[1]; merge: (w: Window, page: MessageList) => Window };

async function step(at: At, { query, merge }: Step): Promise<boolean> {
    const thread = chatOf(at.c)?.thread;
    const { value: got, since } = await recording(() => ask(at, query));
    if (!got.ok) return false;
    if (at.v !== null) setOld(at.v, merge(current(at) ?? NONE, got.value));
    // The version changed under the page: it belongs to nothing that is shown, and a reload is under way.
    else if (chatOf(at.c)?.thread === thread) {
        updateChat(at.c, c => {
            const next = { ...c, ...merge(c, got.value) };
            return since.filter(e => e.chatId === at.c).reduce(reduceChat, next);
        });
    }
    return true;
}

const under = new Set<string>();

/** One page of a kind at a time: scrolling asks often. */
async function once(name: string, work: () => Promise<unknown>): Promise<void> {
    if (under.has(name)) return;
    under.add(name);
    try {
        await work();
    } finally {
        under.delete(name);
    }
}

export async function loadOlder(): Promise<void> {
    const at = here();
    const w = at ? current(at) : null;
    const first = w?.rows[0];
    if (!at || !first || !w?.hasOlder) return;
    await once('older', () => step(at, { query: { before: first.messageId, limit: PAGE }, merge: older }));
}

export async function loadNewer(): Promise<void> {
    const at = here();
    const w = at ? current(at) : null;
    const last = w?.rows.at(-1);
    if (!at || !last || !w?.hasNewer) return;
    await once('newer', () => step(at, { query: { after: last.messageId, limit: PAGE }, merge: newer }));
}

export async function loadLatest(): Promise<void> {
    const at = here();
    if (!at || current(at)?.hasNewer === false) return;
    await once('latest', () => step(at, { query: { latest: true, limit: FIRST_ROWS }, merge: replace }));
}

/** Shows the rows around a message. false: it is not in this version. */
export async function loadAround(messageId: string): Promise<boolean> {
    const at = here();
    if (!at) return false;
    const w = current(at);
    if (w?.rows.some(m => m.messageId === messageId)) return true;
    if (at.v === null && !w) {
        // Not known yet: an address may name a message of an older version, which the store opens there.
        return (await isCurrent(at, messageId)) && (await loadChat(at.c, [messageId])) && has(at, messageId);
    }
    const found = await step(at, { query: { around: messageId, limit: FIRST_ROWS }, merge: replace });
    return found && has(at, messageId);
}

async function isCurrent(at: At, messageId: string): Promise<boolean> {
    const got = await api.listMessageVersions(at.w, messageId, { chatId: at.c, limit: 500 });
    return got.ok && got.value.data.some(t => t.current);
}

function has(at: At, messageId: string): boolean {
    return current(at)?.rows.some(m => m.messageId === messageId) ?? false;
}

async function openVersion(at: At, m: string | undefined): Promise<void> {
    const v = at.v;
    if (v === null || old.peek()[v]) return;
    const around = m === undefined ? null : await ask(at, { around: m, limit: FIRST_ROWS });
    const got = around?.ok ? around : await ask(at, { latest: true, limit: FIRST_ROWS });
    if (got.ok) setOld(v, windowOf(got.value));
    // That there is no such version is said above the conversation, which can still be read.
    else if (got.trouble.status !== 404) openTrouble.value = got.trouble;
}

/** Loads the old version that the address names, if it names one. */
export function loadVersion(): void {
    const p = place.value;
    const v = shownVersion.value;
    if (p.kind === 'chat' && v !== null) void openVersion({ w: p.w, c: p.c, v }, p.m);
}

export function followVersion(): () => void {
    return effect(loadVersion);
}

/** Rows that came while the end was followed: as many as are useful are kept, the oldest go. */
export function trim(c: ChatState, anchor: string | null): ChatState {
    if (c.rows.length <= MOST_ROWS + PAGE) return c;
    const rows = c.rows.slice(-MOST_ROWS);
    const dropped = c.rows.slice(0, -MOST_ROWS);
    if (dropped.some(m => m.messageId === anchor)) return c;
    return { ...c, rows, hasOlder: true };
}
