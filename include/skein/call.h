/* call.h: the API in this process: a request in, an answer out, without a server.
 *
 * Operations, bodies and answers are those of the HTTP API (docs/api.md); the same code serves both. What needs a
 * server (providers, settings, jobs, streams, models) is 501 server-needed; what only a server has (sessions, health,
 * metrics, its pages) is 404. Agents answer where a program runs them. A host acts as the owner of the store: a
 * server checks its configuration (secrets.env, tools.commands) when it starts something that a host has set. Without
 * memory for its answer, a call fails with 503 overloaded; the process continues. Threads: any. Lifetimes: an answer
 * lives in the skein_mem of the call. */
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
    skein_str           files; /* the folder with context files; absent: none are read */
} skein_request;
#define SKEIN_REQUEST_INIT SKEIN_INIT(skein_request)

typedef struct skein_answer {
    int                 status;  /* HTTP status: 200, 404, … */
    skein_str           type;    /* "application/json" */
    const skein_header *headers; /* ETag, Location, … */
    size_t              header_count;
    skein_str           body; /* a failure is a problem document (RFC 9457) */
} skein_answer;

/* Executes a request. *out is filled on success and on failure; the code and err say why it failed. */
SKEIN_API skein_rc skein_call(skein_engine *e, const skein_request *request, skein_mem *mem,
                              skein_answer *out, skein_error *err);

/* Waits until there is an event after `after`, from this process or another, for at most timeout_ms (0: checks once).
 * *newest is the newest event then; if it is not greater than `after`, the time has passed. */
SKEIN_API skein_rc skein_wait(skein_engine *e, int64_t after, int64_t timeout_ms,
                              int64_t *newest, skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
