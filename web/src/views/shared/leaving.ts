// leaving.ts: a page that is closed or loaded again ends its requests; that they failed then says nothing of the server.

/** A browser may stay after all: the page was asked and the person said no, or a file was loaded instead. */
const STAYS_MS = 3000;

let until = 0;

if (typeof addEventListener === 'function') {
    addEventListener('beforeunload', () => {
        until = Date.now() + STAYS_MS;
    });
    addEventListener('pagehide', () => {
        until = Infinity;
    });
    addEventListener('pageshow', () => {
        until = 0;
    });
}

export function isLeaving(): boolean {
    return Date.now() < until;
}
