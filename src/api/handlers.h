/* handlers.h: what answers the routes, and what its files (api_*.c) share.
 *
 * Threads, lifetimes: those of the call. */
#ifndef SKN_API_HANDLERS_H
#define SKN_API_HANDLERS_H

#include "api/call.h"

/* --- What models are asked for ---------------------------------------------------------------- */

/* 503 when this process asks no models. */
skein_rc skn_api_send_squash(skn_api_call *c, const skn_squash_request *what);
skein_rc skn_api_send_compact(skn_api_call *c, const skn_compact_request *what);

/* --- Handlers ------------------------------------------------------------------------------ */

#define OPERATION(method, path, handler, flags, id, summary) skn_handler skn_api_##handler;
#define SERVER_ONLY(method, path, flags, id, summary)
#include "api/operations.def"
#undef OPERATION
#undef SERVER_ONLY

#endif
