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
    /** how often it was chosen before */
    used?: number;
}

/** How well a choice fits what was typed: it is that, begins with it, has a word that does, or holds it. Infinity: none. */
function distance(word: string, { label, hint }: Choice): number {
    const name = label.toLowerCase();
    const about = hint.toLowerCase();
    if (word === name) return 0;
    if (name.startsWith(word)) return 1;
    if (about.split(/\s+/).some(one => one.startsWith(word))) return 2;
    return name.includes(word) || about.includes(word) ? 3 : Infinity;
}

/** The best first; of those that fit as well, the one that was chosen most often; else in the order given. */
export function choices(word: string, all: readonly Choice[], most = 8): Choice[] {
    return all
        .map(choice => ({ choice, far: distance(word, choice) }))
        .filter(one => one.far < Infinity)
        .sort((a, b) => a.far - b.far || (b.choice.used ?? 0) - (a.choice.used ?? 0))
        .slice(0, most)
        .map(one => one.choice);
}

/** The text with the name in it, and where the cursor goes. */
export function completed(text: string, asked: Asked, name: string): { text: string; cursor: number } {
    const put = `@${name} `;
    const rest = text.slice(asked.to).replace(/^ /, '');
    return { text: text.slice(0, asked.from) + put + rest, cursor: asked.from + put.length };
}
