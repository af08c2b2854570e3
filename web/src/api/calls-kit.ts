// calls-kit.ts: what the lists of calls share.

/** A part of a path. */
export const at = (part: string): string => encodeURIComponent(part);

// Types, not interfaces: only those can be passed on as a record of query values.
export type Paged = { limit?: number; cursor?: string };

/** Which rows of a conversation. */
export type Rows = Paged & {
    threadId?: string;
    before?: string;
    after?: string;
    around?: string;
    latest?: boolean;
    delegation?: string;
    include?: string;
    fields?: string;
    agent?: string;
    raw?: boolean;
    memoryOnly?: boolean;
};
