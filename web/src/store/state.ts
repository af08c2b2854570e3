// state.ts: everything that the page knows from the server, as plain data.

import type { Trouble } from '../api/client';
import type { Connection } from '../api/stream';
import type {
    Agent,
    Chat,
    Delegation,
    File,
    InboxItem,
    Instruction,
    Message,
    QueueItem,
    Tag,
    World,
} from '../api/types';

/** What an agent is writing. */
export interface Live {
    messageId: string;
    agent: string;
    replyTo: string | null;
    model: string | null;
    text: string;
    thinking: string;
    /** the last piece that is in it; 0: none yet */
    chunk: number;
    /** `main`, or the lane of a delegation: `main.1` */
    lane: string;
    startedAt: string;
    /** a piece was missed: the stream has to be opened again, which tells the whole text */
    broken?: boolean;
}

/** An answer that could not be given, or that somebody stopped before it was. */
export interface Failed {
    messageId: string;
    agent: string;
    stopped: boolean;
    detail: string;
    hint: string | null;
    retryable: boolean;
    code: string;
    model: string | null;
    lane: string;
    /** the message that it was an answer to, which is where the failure is shown */
    replyTo: string | null;
    at: string;
}

/** The id of a failure that is known from the message alone: the answer that was begun has no name then. */
export function unansweredId(replyTo: string | null, agent: string): string {
    return `${replyTo ?? ''}/${agent}`;
}

/** An answer that was stopped before there was any of it: all that the message knows which it was to answer. */
export function noAnswer(replyTo: string, agent: string, at: string): Failed {
    return {
        messageId: unansweredId(replyTo, agent),
        agent,
        stopped: true,
        detail: '',
        hint: null,
        retryable: true,
        code: '',
        model: null,
        lane: 'main',
        replyTo,
        at,
    };
}

/** Something that the person said and the server has not confirmed. */
export interface Pending {
    clientMessageId: string;
    content: string;
    replyTo: string | null;
    instructions: Instruction[];
    files?: File[];
    /** `waiting`: the server is away, it is sent when it is back */
    state: 'sending' | 'waiting' | 'failed';
    trouble?: Trouble;
    at: number;
    /** the Idempotency-Key of all tries */
    key: string;
    now?: boolean;
    agent?: string;
}

export interface ToolRun {
    toolCallId: string;
    toolName: string;
    args: unknown;
    state: 'running' | 'done' | 'failed';
    result: string | null;
    lane: string;
    startedAt: string;
    messageId: string | null;
}

export type EditPhase = 'removing' | 'resubmitting' | 'responding' | 'done' | 'failed';

export interface ChatState {
    chat: Chat;
    /** id of the current version */
    thread: string;
    /** contiguous, by position, of the current version, main lane */
    rows: Message[];
    hasOlder: boolean;
    hasNewer: boolean;
    total: number;
    live: Record<string, Live>;
    failed: Record<string, Failed>;
    pending: Pending[];
    tools: Record<string, ToolRun>;
    delegations: Record<string, Delegation>;
    queue: QueueItem[];
    edit: { editId: string; phase: EditPhase; done: number; total: number } | null;
    /** events alone cannot say what it is now: the store loads it again */
    stale: boolean;
    loaded: boolean;
}

export interface WorldState {
    world: World;
    agents: Record<string, Agent>;
    agentDetail: Record<string, string | null>;
    chats: Record<string, Chat>;
    tags: Tag[];
    /** who is at work in any conversation */
    busy: string[];
    busyIn: Record<string, string[]>;
    /** the last durable event that is in here */
    seq: number;
    chat: Record<string, ChatState>;
    /** grows when any thread.* event comes */
    versions: number;
}

export interface Inbox {
    unread: number;
    needsYou: number;
    items: Record<string, InboxItem>;
    tick: number;
}

export interface State {
    worlds: World[];
    /** name of the world that is open */
    open: string | null;
    world: WorldState | null;
    inbox: Inbox;
    connection: Connection;
    readOnly: boolean;
    providersTick: number;
    /** the last durable event of any world that is in here */
    seq: number;
}

export function emptyState(): State {
    return {
        worlds: [],
        open: null,
        world: null,
        inbox: { unread: 0, needsYou: 0, items: {}, tick: 0 },
        connection: { state: 'connecting' },
        readOnly: false,
        providersTick: 0,
        seq: 0,
    };
}

export function emptyChat(chat: Chat): ChatState {
    return {
        chat,
        thread: chat.currentThread,
        rows: [],
        hasOlder: false,
        hasNewer: false,
        total: chat.messageCount,
        live: {},
        failed: {},
        pending: [],
        tools: {},
        delegations: {},
        queue: [],
        edit: null,
        stale: false,
        loaded: false,
    };
}
