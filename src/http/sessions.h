/* sessions.h: browsers that are signed in by a cookie, and links that sign one in once.
 *
 * This is a copy of the sessions in the store, because the loop decides who asks and cannot wait for the store. Changes by this
 * server are in the copy at once, those of other programs after SKN_SESSIONS_MS.
 * Threads: any; it has its own lock.  Lifetimes: texts are copied. */
#pragma once

#include "http/inside.h"

#define SKN_SESSION_MICROS (INT64_C(90) * 24 * 3600 * 1000000) /* how long a cookie is good */
#define SKN_LINK_MICROS    (INT64_C(5) * 60 * 1000000)         /* how long a link is good */
#define SKN_SESSIONS_MS    5000

enum { SKN_SECRET_TEXT = 65 }; /* 256 random bits as text */

skn_sessions_kept *skn_sessions_new(void);
void               skn_sessions_free(skn_sessions_kept *k); /* NULL is fine */
/* The session of a cookie, if it is valid for this user of the computer. */
bool skn_sessions_find(skn_sessions_kept *k, skn_str secret, int64_t peer_uid,
                       char uid[SKN_UID_LEN + 1]);
/* The store has been read: before that, no cookie is known. */
bool skn_sessions_loaded(skn_sessions_kept *k);
bool skn_sessions_has(skn_sessions_kept *k, skn_str uid);
/* Signs the browser that asks in, with a token or a link; *secret is for its cookie. On a worker. */
skein_rc skn_sessions_begin(skn_api_call *c, skn_str label, skn_str with,
                            char secret[SKN_SECRET_TEXT], skn_session *out);
/* Signs out for who asks: one, or all where uid is absent. On a worker. */
skein_rc skn_sessions_end(skn_api_call *c, skn_str uid, int64_t *gone);
void     skn_sessions_all(skn_sessions_kept *k, skn_arena *a, skn_sessions *out);
/* Reads them from the store again when it is time to; on the loop. */
void skn_sessions_refresh(skn_http *h, int64_t now_ms);

/* "skein-7534": cookies know no ports, and there may be other servers on this computer. */
skn_str skn_cookie_name(const skn_api_call *c);

/* A code that signs in once; and whether it is one, which uses it up. */
void skn_link_new(skn_sessions_kept *k, char code[SKN_SECRET_TEXT], int64_t *expires_at);
bool skn_link_take(skn_sessions_kept *k, skn_str code);
