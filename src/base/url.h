/* url.h: parts of addresses: %XX, and the parameters of a query; and base64.
 *
 * Threads: any. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

/* Undoes %XX (and + for a blank, in queries) into the arena; false when it is malformed, not UTF-8,
 * or holds U+0000. */
bool skn_url_decode(skn_str text, bool query, skn_arena *a, skn_str *out);
/* Adds the text with everything but unreserved characters as %XX. */
void skn_url_encode(skn_buf *out, skn_str text);
/* The decoded value of the first parameter with this name; absent when there is none. */
skn_str skn_query_get(skn_str query, const char *name, skn_arena *a);
/* True if all names and values decode. */
bool skn_query_valid(skn_str query, skn_arena *a);

/* --- Bytes as text: base64 (RFC 4648) ------------------------------------------------------------- */

/* With "=" at its end, as mail and JSON have it; or without, in the letters of addresses. */
void    skn_base64_add(skn_buf *out, skn_str bytes);
skn_str skn_base64url(skn_arena *a, skn_str bytes);
/* False when it is not written so, or has bits to spare. */
bool skn_base64_read(skn_arena *a, skn_str text, skn_str *out);
bool skn_base64url_read(skn_arena *a, skn_str text, skn_str *out);
