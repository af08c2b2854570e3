// words.ts: numbers, times and states as people read them.

import type { Message } from '../../api/types';

/** 7100 -> "7.1k"; below a thousand as it is. */
export function short(n: number): string {
    if (n < 1000) return String(n);
    if (n < 100_000) return `${(n / 1000).toFixed(1).replace(/\.0$/, '')}k`;
    if (n < 1_000_000) return `${Math.round(n / 1000)}k`;
    return `${(n / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

/** 24031 -> "24 031", with a space that does not break. */
export function grouped(n: number): string {
    return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

export function count(n: number, one: string, many = `${one}s`): string {
    return `${grouped(n)} ${n === 1 ? one : many}`;
}

/** "7 messages (2 tool results)": results stand in the row of their call, so that fewer rows are seen than counted. */
export function messages(n: number, results = 0): string {
    return count(n, 'message') + resultsNote(results);
}

export function resultsNote(results: number): string {
    return results > 0 ? ` (${count(results, 'tool result')})` : '';
}

/** 640 -> "640 ms", 2400 -> "2.4 s", 125000 -> "2 min 5 s". */
export function lasted(ms: number): string {
    if (ms < 1000) return `${Math.round(ms)} ms`;
    if (ms < 60_000) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
    const seconds = Math.round(ms / 1000);
    const rest = seconds % 60;
    if (seconds < 3600) return `${Math.floor(seconds / 60)} min${rest ? ` ${rest} s` : ''}`;
    const minutes = Math.round(seconds / 60);
    return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`;
}

export function bytes(n: number): string {
    if (n < 1000) return `${n} B`;
    if (n < 1_000_000) return `${(n / 1000).toFixed(n < 10_000 ? 1 : 0)} kB`;
    return `${(n / 1_000_000).toFixed(n < 10_000_000 ? 1 : 0)} MB`;
}

/** a, b and c */
export function listed(names: readonly string[]): string {
    if (names.length < 2) return names[0] ?? '';
    return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

/** The first line, cut at a word. */
export function firstLine(text: string, most = 120): string {
    const line = text.trim().split('\n', 1)[0] ?? '';
    if (line.length <= most) return line;
    const cut = line.slice(0, most);
    const space = cut.lastIndexOf(' ');
    return `${space > most / 2 ? cut.slice(0, space) : cut}…`;
}

/** Why an answer ends before its end. */
const UNFINISHED = {
    stopped: 'stopped',
    cut: 'cut off',
    length: 'reached the length limit',
    thinking: 'ended while thinking',
    blank: 'wrote only blanks',
    repeated: 'repeated itself',
};
export function unfinished(why: NonNullable<Message['unfinished']>, usage?: Message['usage']): string {
    const tokens = why === 'thinking' && usage?.outputTokens;
    return tokens ? `${UNFINISHED[why]}, ${count(tokens, 'token')}` : UNFINISHED[why];
}

/** What a stop took with it, after what it stopped: " Cancelled with that: 1 task, “…”." */
export function cancelledWords(tasks: readonly { content: string }[]): string {
    if (tasks.length === 0) return '';
    const names = listed(tasks.map(t => `“${firstLine(t.content, 60)}”`));
    return ` Cancelled with that: ${count(tasks.length, 'task')}, ${names}. Retry is in the agent’s tasks.`;
}

/** How long a delegation is, the same in every view: the messages that the server counts in it. */
export function steps(messageCount: number): string {
    return count(messageCount, 'step');
}

/** Billionths of a dollar as people read them: $0.0042, $1.26. */
export function dollars(nanos: number): string {
    return `$${(nanos / 1e9).toFixed(nanos >= 1e9 || nanos === 0 ? 2 : nanos >= 1e6 ? 4 : 6)}`;
}
