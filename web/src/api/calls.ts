// calls.ts: one function per route of the server: path parameters in order, then the query of a GET or
// DELETE or the body of a change, then options (`key`, `ifMatch`, `signal`, more `query`).

export * from './calls-world';
export * from './calls-chat';
export * from './calls-desk';
