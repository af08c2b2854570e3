/* audit.h: who works with an engine, and what they changed.
 *
 * An actor is the one for whom calls are made: what is audited is written with the actor's name, in the transaction of the
 * change, and noted in the actor, so that it can be logged once the call has succeeded.
 * Threads: an actor belongs to one call at a time.  Lifetimes: the actor outlives the engine that was made for it. */
#pragma once

#include "base/arena.h"
#include "base/shape.h"
#include <skein/work.h>

typedef struct skn_actor {
    skn_str    name, from; /* "owner", "127.0.0.1" */
    skn_str    request_id; /* may be absent */
    skn_arena *a;          /* of what is noted */
    skn_vec(skein_audit_row) noted;
} skn_actor;

/* From here on the changes of this engine are by this actor. */
void skn_engine_by(skein_engine *e, skn_actor *by);
/* The same engine for this actor; lives in the arena and is never closed. */
skein_engine *skn_engine_for(const skein_engine *e, skn_actor *by, skn_arena *a);

/* A row for what is not a change of the store: a key, a sign-in that failed. */
skein_rc skn_audit_add(skein_engine *e, const char *what, skn_str subject, skn_str detail,
                       skein_error *err);
/* Names of the members of two JSON objects that differ, one level deep: "approvals.x, knowledge". Values are not in it. */
skn_str skn_audit_changes(skn_str before, skn_str after, skn_arena *a);

SKN_SHAPED(audit, skein_audit_row);
