// line.ts: one after the other: what a person does first, the server hears first, however long an answer takes.

/** Gives a function that begins a piece of work when all before it are over. */
export function makeLine(): <T>(work: () => Promise<T>) => Promise<T> {
    let last: Promise<unknown> = Promise.resolve();
    return work => {
        const mine = last.then(work);
        // The caller gets the failure; later work continues.
        last = mine.catch(() => undefined);
        return mine;
    };
}
