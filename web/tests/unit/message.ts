// message.ts: a message with nothing special about it, for tests that say what is special about theirs.

import type { Message } from '../../src/api/types';

export function plainMessage(messageId: string, more: Partial<Message> = {}): Message {
    return {
        messageId,
        chatId: 'c',
        role: 'user',
        sender: 'human',
        content: `text of ${messageId}`,
        thinking: null,
        replyToMessageId: null,
        replyDepth: 0,
        toolCalls: [],
        toolCallId: null,
        toolStatus: null,
        instructions: [],
        squashOperationId: null,
        model: null,
        usage: null,
        turnId: null,
        stopped: false,
        unfinished: null,
        purged: false,
        position: 0,
        createdAt: '2026-11-15T12:00:00.000Z',
        warnings: [],
        ...more,
    };
}
