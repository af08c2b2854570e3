/* gate.h: who may speak to the server: Host, Origin and token, before anything else is looked at.
 *
 * A page of some other site can make a browser send requests to a server on this computer, also under
 * a name of its own that it lets point here. Such requests carry a Host or an Origin that is not
 * ours, and are refused.
 * Threads: any, once it is made.  Lifetimes: texts are the maker's. */
#pragma once

#include "base/hash.h"

typedef struct skn_gate {
    skn_str            host; /* that it listens at: "127.0.0.1"; may be absent */
    int                port;
    skn_str            public_url; /* may be absent */
    const char *const *origins;    /* that may ask from a browser */
    size_t             origin_count;
    char               token[SKN_SHA256_TEXT]; /* its digest; empty: there is none */
    bool               always;                 /* the owner needs it too */
} skn_gate;

typedef enum skn_origin { SKN_ORIGIN_OURS, SKN_ORIGIN_ALLOWED, SKN_ORIGIN_REFUSED } skn_origin;

void skn_gate_token(skn_gate *g, skn_str token);
/* `here` is the address that the connection came to. */
bool skn_gate_host(const skn_gate *g, skn_str host, skn_str here);
/* The host is that of the public address, which is a proxy's. */
bool skn_gate_public(const skn_gate *g, skn_str host);
/* An absent origin is ours: no browser sent it, or it is a plain link. */
skn_origin skn_gate_origin(const skn_gate *g, skn_str origin, skn_str host);
/* Takes as long for a wrong one as for the right one. */
bool skn_gate_is_token(const skn_gate *g, skn_str token);
/* The value of Authorization has the token. */
bool skn_gate_bearer(const skn_gate *g, skn_str authorization);
