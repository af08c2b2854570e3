/* net.h: the HTTP client, the public header of this folder.
 *
 * One loop carries all requests at once. libcurl is loaded with the first request, so that programs that send none do
 * not pay for it.
 * Threads: the loop's, callbacks too. Lifetimes: a request is copied, so it may be freed once skn_fetch_start has
 * returned; arguments of callbacks live until the callback returns. */
#ifndef SKN_NET_NET_H
#define SKN_NET_NET_H

#include "base/error.h"
#include "base/loop.h"
#include "base/str.h"

typedef struct skn_net   skn_net;
typedef struct skn_fetch skn_fetch;

typedef struct skn_fetch_header {
    skn_str name, value;
} skn_fetch_header;

typedef struct skn_fetch_spec {
    const char             *method; /* "GET", "POST", "DELETE" */
    skn_str                 url;    /* http or https */
    const skn_fetch_header *headers;
    size_t                  header_count;
    skn_str                 body;
    int64_t                 connect_ms; /* 0: 10 s */
    int64_t                 stall_ms;   /* longest silence; 0: 60 s; negative: no limit */
    int64_t                 total_ms;   /* 0: no limit */
    size_t                  most;       /* most bytes of the answer; 0: 64 MB */
} skn_fetch_spec;

/* The head of an answer; header names in any case. */
typedef struct skn_fetch_head {
    int         status;
    skn_str     content_type; /* in lower case, without parameters; may be absent */
    const void *inside;
} skn_fetch_head;

/* A header's value, absent without that header. */
skn_str skn_fetch_header_of(const skn_fetch_head *head, const char *name);

typedef enum skn_fetch_end {
    SKN_FETCH_WHOLE,       /* complete, with a head */
    SKN_FETCH_UNREACHABLE, /* DNS, route, connection or TLS failed */
    SKN_FETCH_CUT,         /* the connection closed before the answer was complete */
    SKN_FETCH_STALLED,     /* nothing came for stall_ms */
    SKN_FETCH_LATE,        /* total_ms have passed */
    SKN_FETCH_TOO_LARGE,
    SKN_FETCH_MALFORMED /* not HTTP, or a body without a head */
} skn_fetch_end;

typedef struct skn_fetch_sink {
    /* Called once, before any body, with a status of 200 or more. Redirects are not followed: a secret in the request
     * was not meant for another host. */
    void (*head)(void *arg, const skn_fetch_head *head);
    void (*body)(void *arg, skn_str bytes);
    /* Called once and last, unless the request was cancelled; never from inside skn_fetch_start. `why` is a text for
     * people that names the host, never a header or the body. */
    void (*done)(void *arg, skn_fetch_end end, const char *why);
    void *arg;
} skn_fetch_sink;

skn_net   *skn_net_new(skn_loop *l);
void       skn_net_free(skn_net *n); /* NULL is fine; all requests have ended */
skn_fetch *skn_fetch_start(skn_net *n, const skn_fetch_spec *what, const skn_fetch_sink *sink);
void       skn_fetch_cancel(skn_fetch *f); /* no callback after this; NULL is fine */
/* Pauses or resumes reading an answer, for callers that cannot take more at the moment. */
void skn_fetch_pause(skn_fetch *f, bool on);

/* Whether another ordinary user of this computer listens at the port (listener.c). */
bool skn_net_is_strangers(int port);

#endif
