// not-run.ts: a call that was never begun has no failure: what the server stored as its result says why.

const NOT_RUN = 'not run: ';
const DENIED = /^not run: a person did not allow it/;

/** Why a call was not run, in a few words; null: it was, or nobody knows. */
export function notRun(result: string | null | undefined): string | null {
    if (!result?.startsWith(NOT_RUN)) return null;
    return DENIED.test(result) ? 'denied' : result;
}
