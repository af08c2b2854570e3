import type { Message } from '../../api/types';
import { count as counted } from '../shared/words';
// What a screen reader hears while agents write. The visible text is in no live region: it would be read letter by
// letter. This says who writes, that it goes on, and what came out.

export interface Finished {
    agent: string;
    messageId: string;
    /** "You" or a name; null: it answers nothing. */
    replyTo: string | null;
    text: string;
    /** Why it ends before its end. */
    unfinished?: Message['unfinished'];
}

export interface WritersOptions {
    say: (text: string) => void;
    /** How much of an answer is read. */
    how: () => 'all' | 'first' | 'done' | 'off';
    /** Words that are there so far. */
    words: (messageId: string) => number;
}

const ENDS = {
    stopped: 'was stopped',
    cut: 'was cut off',
    length: 'reached the length limit',
    thinking: 'ended while thinking',
    blank: 'wrote only blanks',
    repeated: 'repeated itself',
};

const stillMs = 10_000;
// Several agents often begin within the same moment: one sentence says it for all of them.
const gatherMs = 250;

export function names(list: readonly string[]): string {
    if (list.length <= 1) return list[0] ?? '';
    return `${list.slice(0, -1).join(', ')} and ${list[list.length - 1]}`;
}

const are = (list: readonly string[]) => (list.length === 1 ? 'is' : 'are');

/** The first sentence, or what is left of a long one at the next word. */
export function firstSentence(text: string): string {
    const plain = text.replace(/\s+/g, ' ').trim();
    const end = /[.!?…](?=\s|$)/.exec(plain);
    const sentence = end ? plain.slice(0, end.index + 1) : plain;
    if (sentence.length <= 240) return sentence;
    return `${sentence.slice(0, 240).replace(/\s+\S*$/, '')}…`;
}

export function countWords(text: string): number {
    return text.trim() ? text.trim().split(/\s+/).length : 0;
}

export function makeWriters({ say, how, words }: WritersOptions) {
    const writing = new Map<string, string>();
    let gather: ReturnType<typeof setTimeout> | null = null;
    let still: ReturnType<typeof setTimeout> | null = null;

    const agents = () => [...new Set(writing.values())];

    function stillWriting(): void {
        const list = agents();
        if (!list.length) return;
        const count = [...writing.keys()].reduce((sum, id) => sum + words(id), 0);
        if (how() !== 'off') say(`${names(list)} ${are(list)} still writing, ${counted(count, 'word')}`);
        still = setTimeout(stillWriting, stillMs);
    }

    function begin(): void {
        gather = null;
        const list = agents();
        if (list.length && how() !== 'off') say(`${names(list)} ${are(list)} writing`);
    }

    function clearAll(): void {
        if (gather) clearTimeout(gather);
        if (still) clearTimeout(still);
        gather = still = null;
        writing.clear();
    }

    function ended(messageId: string): void {
        writing.delete(messageId);
        if (writing.size) return;
        if (gather) clearTimeout(gather);
        if (still) clearTimeout(still);
        gather = still = null;
    }

    return {
        started(messageId: string, agent: string): void {
            if (writing.has(messageId)) return;
            writing.set(messageId, agent);
            gather ??= setTimeout(begin, gatherMs);
            still ??= setTimeout(stillWriting, stillMs);
        },
        finished({ agent, messageId, replyTo, text, unfinished }: Finished): void {
            ended(messageId);
            const much = how();
            if (much === 'off') return;
            const end = unfinished
                ? ENDS[unfinished]
                : `finished${replyTo ? `, replying to ${replyTo}` : ''}`;
            const read = much === 'all' ? text.trim() : much === 'first' ? firstSentence(text) : '';
            say(read ? `${agent} ${end}. ${read}` : `${agent} ${end}`);
        },
        failed: ended,
        forget: clearAll,
    };
}
