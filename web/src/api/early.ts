// early.ts: what the address names is asked for while the rest of the page is still on its way. A script of its own,
// which uses nothing: it is there long before the others. Each answer is taken once, by the request that would have
// asked for the same.

export const BASE = '/api/v1';
export const TIMEOUT_MS = 30_000;
/** Rows that are loaded at first. */
export const FIRST_ROWS = 200;
/** Events that are looked through for what is under way; a turn that began before is known by who is busy. */
export const PAST_EVENTS = 600;

/** The first questions about a conversation. A place in it, or another version, is asked for in other words. */
export function firstQuestions(path: string, search: string): string[] {
    const [, world, c] = /^(\/w\/[^/]+)\/c\/([^/]+)$/.exec(path) ?? [];
    if (world === undefined || c === undefined || search !== '') return [];
    const w = `/worlds${world.slice(2)}`;
    return [
        w,
        `${w}/chats/${c}/messages?limit=${FIRST_ROWS}&latest=true`,
        `${w}/chats/${c}`,
        `${w}/chats/${c}/queue?limit=500`,
        `${w}/delegations?chatId=${c}&limit=500`,
        `${w}/events?recent=${PAST_EVENTS}&chatId=${c}&types=message%2Ctool&limit=500`,
    ];
}

function ask(address: string): Promise<Response> {
    const headers = { Accept: 'application/json' };
    const answer = fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS), cache: 'no-store' });
    // Its reader gets the failure; without a reader it must not be unhandled.
    answer.catch(() => undefined);
    return answer;
}

const asked = new Map(
    firstQuestions(location.pathname, location.search).map(path => [BASE + path, ask(BASE + path)]),
);

/** The answer that is on its way already. */
export function earlyAnswer(address: string): Promise<Response> | undefined {
    const answer = asked.get(address);
    asked.delete(address);
    return answer;
}
