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

/* --- Delegations (api_lanes.c) ------------------------------------------------------------------ */

/* Makes sure that a lane of c->chat can be appended to: it is there, or is the next child ("main.2" after "main.1") and
 * made now, for the call if one is named. */
skein_rc skn_api_lane_ensure(skn_api_call *c, skn_str key, skn_str call_id);

/* --- Handlers ------------------------------------------------------------------------------ */

#define OPERATION(method, path, handler, flags, id, summary) skn_handler skn_api_##handler;
#define SERVER_ONLY(method, path, flags, id, summary)
#include "api/operations.def"
#undef OPERATION
#undef SERVER_ONLY

#endif
