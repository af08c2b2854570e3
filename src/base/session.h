/* session.h: a browser that is signed in, as store, engine and http hand it on.
 *
 * Lifetimes: texts are the arena's that it was read with. */
#pragma once

#include "base/str.h"

typedef struct skn_session {
    skn_str uid;
    skn_str hash;     /* of the secret in its cookie, SHA-256 as text */
    skn_str label;    /* what the browser says of itself */
    int64_t peer_uid; /* the user of this computer who signed in; -1: not known */
    int64_t created_at, expires_at;
} skn_session;

typedef struct skn_sessions {
    skn_session *at;
    size_t       count;
} skn_sessions;
