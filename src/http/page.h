/* page.h: lists in pages, and picking members: what the handlers of lists share.
 *
 * A cursor is opaque: base64url of "TAG:FROM:COUNT". The tag names the list and the version it was
 * read from, so that a cursor means the same messages for ever; a cursor of another list is refused.
 * Threads, lifetimes: those of the call. */
#ifndef SKN_HTTP_PAGE_H
#define SKN_HTTP_PAGE_H

#include "http/call.h"

#define SKN_PAGE_DEFAULT 50
#define SKN_PAGE_MOST    500

/* The part of a list that is asked for. */
typedef struct skn_page {
    skn_str tag;
    int64_t limit;
    int64_t from, count, total; /* once it fits */
    bool    newest_first;       /* new items come in front: cursors count from the end */
    bool    asked;              /* by a cursor: from and count are those that it names */
    bool    picked;             /* items are left out: the total is not that of the answer */
} skn_page;

/* Reads limit and cursor; `fallback` is the limit when none is given. */
skein_rc skn_page_read(skn_http_call *c, skn_str tag, int64_t fallback, bool newest_first,
                       skn_page *out);
/* Where it begins and ends in a list of this length. */
void skn_page_fit(skn_page *p, int64_t total);
/* Both in one, for lists that are at hand. */
skein_rc skn_page_of(skn_http_call *c, skn_str tag, size_t total, bool newest_first,
                     skn_page *out);
/* A cursor of this list; `from` is what skn_page_read gives back. */
skn_str skn_page_cursor(skn_http_call *c, const skn_page *p, int64_t from, int64_t count);
/* Closes the list that skn_call_list opened, with cursors to both sides. */
void skn_page_end(skn_http_call *c, const skn_page *p);
/* fields=a,b: leaves only these members in the answer, or in every item of a list; `known` are
 * those there are. Fails when one is not. */
skein_rc skn_page_fields(skn_http_call *c, const char *known);
/* The same, and these beside them. */
skein_rc skn_page_fields_and(skn_http_call *c, const char *known, skn_str also);

/* Base64 with the alphabet for addresses, without padding. */
skn_str skn_base64url(skn_arena *a, skn_str bytes);
bool    skn_base64url_read(skn_arena *a, skn_str text, skn_str *out);

#endif
