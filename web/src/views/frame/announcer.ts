import { effect } from '@preact/signals';
import { alarm, announce } from '../../parts/parts';
import { place } from '../../store/place';
import { prefs } from '../../store/prefs';
import { chat, on, state } from '../../store/store';
import { countWords, makeWriters } from './writers';

function isShown(chatId: string | null): boolean {
    const here = place.value;
    return here.kind === 'chat' && here.c === chatId;
}

const isMain = (path: string | undefined) => !path || path === 'main';

function nameOf(messageId: string | null): string | null {
    if (!messageId) return null;
    const parent = chat.value?.rows.find(row => row.messageId === messageId);
    if (!parent) return null;
    return parent.role === 'user' ? 'You' : parent.sender;
}

const asked: Record<string, string> = {
    question: 'asks you something',
    approval: 'asks for your word',
    failure: 'failed at something',
};

const decided: Record<string, string> = {
    allowed: 'may use the tool',
    denied: 'may not use the tool',
    expired: 'no longer waits for your permission',
};

/** Joins the events of the conversation on screen to the sentences; errors and what needs the person are alerts. */
export function keepAnnouncing(): () => void {
    const writers = makeWriters({
        say: announce,
        how: () => prefs.value.announce,
        words: id => countWords(chat.value?.live[id]?.text ?? ''),
    });
    const ends = [
        on('message.started', event => {
            if (isShown(event.chatId) && isMain(event.data.threadPath))
                writers.started(event.data.messageId, event.data.agent);
        }),
        on('message.completed', event => {
            const { data } = event;
            if (!isShown(event.chatId) || !isMain(data.threadPath)) return;
            // The agent goes on after its tools, with a message of its own.
            if (data.finishReason === 'tool') return writers.failed(data.messageId);
            writers.finished({
                agent: data.agent ?? data.sender,
                messageId: data.messageId,
                text: data.content,
                replyTo: nameOf(data.replyToMessageId),
                unfinished: data.unfinished,
            });
        }),
        on('message.failed', event => {
            writers.failed(event.data.messageId);
            if (isShown(event.chatId)) alarm(`${event.data.agent} failed: ${event.data.detail}`);
        }),
        on('world.idle', event => {
            if (isShown(event.chatId)) writers.forget();
        }),
        on('message.withdrawn', event => writers.failed(event.data.messageId)),
        on('inbox.created', event => {
            const what = asked[event.data.type];
            if (!what || !event.data.open) return;
            const who = event.data.agent ?? 'Somebody';
            if (event.data.type === 'approval' && isShown(event.chatId))
                alarm(`${who} waits for your permission to use a tool: allow or deny it in its message.`);
            else alarm(`${who} ${what}. It is in the inbox.`);
        }),
        on('inbox.updated', event => {
            const { type, agent, answer } = event.data;
            const how = type === 'approval' && answer ? decided[answer] : undefined;
            if (how && agent && isShown(event.chatId)) announce(`${agent} ${how}.`);
        }),
    ];
    let before: string | null = null;
    const stopPlace = effect(() => {
        const here = place.value.kind === 'chat' ? place.value.c : null;
        if (here !== before) writers.forget();
        before = here;
    });
    let connection = state.peek().connection.state;
    const stopConnection = effect(() => {
        const now = state.value.connection.state;
        if (now === 'live' && (connection === 'offline' || connection === 'catchingUp'))
            announce('Connected again.');
        connection = now;
    });
    return () => {
        for (const end of ends) end();
        stopPlace();
        stopConnection();
        writers.forget();
    };
}
