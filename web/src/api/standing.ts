// standing.ts: where answers stand among the events. An answer names the last event that the server had passed on when
// it was asked, and holds at least what happened up to it: a stream that begins there misses nothing.

type Watch = (event: number | null) => void;

const watches = new Set<Watch>();

/** null: there was no answer. */
export function heedEvent(answer: Response | null): void {
    const named = answer?.headers.get('skein-event-id') ?? null;
    const event = named === null ? null : Number(named);
    for (const watch of watches) watch(event);
}

/** Does `work`, and gives the event that the oldest of its answers named; null: one of them named none. */
export async function oldestNamed(work: () => Promise<void>): Promise<number | null> {
    const named: (number | null)[] = [];
    const watch: Watch = event => named.push(event);
    watches.add(watch);
    try {
        await work();
    } finally {
        watches.delete(watch);
    }
    const events = named.filter(event => event !== null);
    return events.length === 0 || events.length < named.length ? null : Math.min(...events);
}
