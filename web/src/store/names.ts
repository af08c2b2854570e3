// names.ts: what a conversation is called wherever it is named. One without a title goes by the first words that were
// said in it. They are known from its rows, from the event that told them, or else they are asked for once.

import { computed, effect, signal } from '@preact/signals';
import * as api from '../api/calls';
import type { Chat } from '../api/types';
import { on, world } from './core';

const WORDS_MOST = 48;
/** As many as a list shows without looking further. */
const ASK_MOST = 100;

/** The first line that has words, cut at a word. */
export function openingWords(text: string): string {
    const line = text.trimStart().split('\n', 1)[0]!.replace(/\s+/g, ' ').trim();
    if (line.length <= WORDS_MOST) return line;
    const cut = line.slice(0, WORDS_MOST);
    const space = cut.lastIndexOf(' ');
    return `${space > WORDS_MOST / 2 ? cut.slice(0, space) : cut}…`;
}

/** By the id of the conversation; empty: it could not be learnt. */
const openings = signal<Readonly<Record<string, string>>>({});

function learn(chatId: string, words: string): void {
    if (openings.peek()[chatId] !== words) openings.value = { ...openings.peek(), [chatId]: words };
}

function forget(chatId: string | null): void {
    if (chatId === null || !(chatId in openings.peek())) return;
    const { [chatId]: _old, ...others } = openings.peek();
    openings.value = others;
}

function openingOf(chat: Chat): string {
    if (chat.messageCount === 0) return '';
    const first = world.value?.chat[chat.id]?.rows[0];
    return first?.position === 0 ? openingWords(first.content) : (openings.value[chat.id] ?? '');
}

/** The title of a conversation, or else its first words; null: it has neither. */
export function chatName(chat: Chat | undefined): string | null {
    if (!chat) return null;
    if (chat.title) return chat.title;
    return chat.agent ? null : openingOf(chat) || null;
}

export function chatTitle(chat: Chat): string {
    const name = chatName(chat);
    if (name) return name;
    if (chat.agent) return chat.mode === 'background' ? `Background of @${chat.agent}` : `@${chat.agent}`;
    return 'New conversation';
}

const chats = computed(() => world.value?.chats ?? {});

/** The newest of those whose first words nobody has told. */
const unknown = computed(() =>
    Object.values(chats.value)
        .filter(c => !c.title && !c.agent && c.messageCount > 0 && !(c.id in openings.value))
        .sort((a, b) => (b.lastActivityAt ?? b.createdAt).localeCompare(a.lastActivityAt ?? a.createdAt))
        .slice(0, ASK_MOST),
);

/** Its rows tell it, or will in a moment. */
function isTold(chat: Chat): boolean {
    const rows = world.value?.chat[chat.id]?.rows;
    return rows !== undefined && (rows[0]?.position ?? 0) === 0;
}

const next = computed(() => unknown.value.find(c => !isTold(c)));

/** One after the other: a browser has few connections, and what is read comes first. */
async function askFor(w: string, chat: Chat): Promise<void> {
    const got = await api.listChatMessages(w, chat.id, { limit: 1 });
    learn(chat.id, got.ok ? openingWords(got.value.data[0]?.content ?? '') : '');
}

export function followNames(): void {
    on('message.created', e => {
        const { threadPath = 'main', position, content } = e.data;
        if (threadPath === 'main' && position === 0 && e.chatId !== null)
            learn(e.chatId, openingWords(content));
    });
    on('thread.created', e => {
        if (e.data.current !== false) forget(e.chatId);
    });
    on('thread.switched', e => forget(e.chatId));
    const asking = signal(false);
    effect(() => {
        const w = world.value?.world.name;
        const chat = next.value;
        if (asking.value || !chat || w === undefined) return;
        asking.value = true;
        void askFor(w, chat).finally(() => (asking.value = false));
    });
}
