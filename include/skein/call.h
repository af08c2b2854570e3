/* call.h: the API in this process: a request in, an answer out, without a server.
 *
 * Operations, bodies and answers are those of the HTTP API (docs/api.md): the same code answers both. What needs a server
 * (providers, settings, jobs, streams, models) is 501 server-needed; what only a server has (sessions, health, metrics, its
 * pages) is 404. Agents answer where they run. A host acts as the owner of the store: what a server's configuration
 * forbids (secrets.env, tools.commands) is looked at when a server starts what was set.
 * A call that finds no memory for its answer fails with 503 overloaded; the process lives on.
 * Threads: any.  Lifetimes: an answer lives in the skein_mem it was given. */
#ifndef SKEIN_CALL_H
#define SKEIN_CALL_H

#include <skein/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skein_header {
    skein_str name, value;
} skein_header;

typedef struct skein_request {
    size_t              size;    /* set by SKEIN_REQUEST_INIT */
    skein_str           method;  /* "GET" */
    skein_str           path;    /* "/worlds/tour/messages?limit=10", as in an address */
    const skein_header *headers; /* If-Match, Idempotency-Key, Prefer, … */
    size_t              header_count;
    skein_str           body;  /* JSON, or the file of an import; may be absent */
    skein_str           files; /* the folder that context files are read in; absent: none is */
} skein_request;
#define SKEIN_REQUEST_INIT SKEIN_INIT(skein_request)

typedef struct skein_answer {
    int                 status;  /* as of HTTP: 200, 404, … */
    skein_str           type;    /* "application/json" */
    const skein_header *headers; /* ETag, Location, … */
    size_t              header_count;
    skein_str           body; /* a failure is a problem document (RFC 9457) */
} skein_answer;

/* Does what the request asks for. *out is filled whether it succeeds or fails; the code and err say why it failed. */
SKEIN_API skein_rc skein_call(skein_engine *e, const skein_request *request, skein_mem *mem,
                              skein_answer *out, skein_error *err);

/* Waits until there is an event after `after`, told by this process or another, for at most timeout_ms (0: looks once).
 * *newest is the newest event then; when it is not greater than `after`, the time was up. */
SKEIN_API skein_rc skein_wait(skein_engine *e, int64_t after, int64_t timeout_ms,
                              int64_t *newest, skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
