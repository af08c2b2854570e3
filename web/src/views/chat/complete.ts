// complete.ts: what can be completed where the cursor stands: @ and the name of an agent, / and a command.

export interface Asked {
    kind: '@' | '/';
    /** what follows the sign */
    word: string;
    /** where the sign is */
    from: number;
    to: number;
}

const MENTION = /(?:^|[\s(])@([a-z0-9_-]{0,63})$/i;
const COMMAND = /^\/([a-z-]{0,40})$/i;

/** null: nothing is asked for. */
export function askedAt(text: string, cursor: number): Asked | null {
    const before = text.slice(0, cursor);
    const command = before.match(COMMAND);
    if (command && cursor === text.length)
        return { kind: '/', word: command[1]!.toLowerCase(), from: 0, to: cursor };
    const mention = before.match(MENTION);
    if (!mention) return null;
    const word = mention[1]!;
    return { kind: '@', word: word.toLowerCase(), from: cursor - word.length - 1, to: cursor };
}

export interface Choice {
    id: string;
    label: string;
    hint: string;
}

/** Those that begin with the word first, then those that hold it. */
export function choices(word: string, all: readonly Choice[], most = 8): Choice[] {
    const begins = all.filter(c => c.label.toLowerCase().startsWith(word));
    const holds = all.filter(c => !begins.includes(c) && `${c.label} ${c.hint}`.toLowerCase().includes(word));
    return [...begins, ...holds].slice(0, most);
}

/** The text with the name in it, and where the cursor goes. */
export function completed(text: string, asked: Asked, name: string): { text: string; cursor: number } {
    const put = `@${name} `;
    const rest = text.slice(asked.to).replace(/^ /, '');
    return { text: text.slice(0, asked.from) + put + rest, cursor: asked.from + put.length };
}
