/* fetch.h: what net.c needs without libcurl. Only files of this folder include it.
 *
 * Threads: any.  Lifetimes: results are views of what was given, or in the caller's memory. */
#ifndef SKN_NET_FETCH_H
#define SKN_NET_FETCH_H

#include "net/net.h"

enum { SKN_NET_HOST = 120 };

/* The host of a URL, and its port where it is named, for messages: nothing secret. */
void skn_net_host(skn_str url, char out[SKN_NET_HOST]);
/* Why a request cannot be sent as it is; NULL: it can. */
const char *skn_net_check(const skn_fetch_spec *what);
/* Whether a request must not go through a proxy. One could answer in the name of this computer, and it reads what is sent
 * over plain http; of https it learns the host alone. */
bool skn_net_is_direct(skn_str url);
/* A content type without its parameters, in lower case; absent stays absent. */
skn_str skn_net_type(skn_str value, char *out, size_t room);

typedef struct skn_net_why {
    const char *host;
    int64_t     stall_ms, total_ms;
    size_t      most;
} skn_net_why;

/* An end in words; for UNREACHABLE only that it is so. */
void skn_net_explain(skn_fetch_end end, const skn_net_why *of, char *out, size_t room);
/* Makes a sentence the end of another: its first letter small, unless it begins a name in capitals. */
void skn_net_lower(char *text);

#endif
