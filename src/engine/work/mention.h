/* mention.h: names, and whom a text speaks to.
 *
 * A mention is "@name" at the start of a line, blanks before it ignored. Several in a row all count;
 * a comma or a colon may follow each. The name is that of a known agent, the whole of it, in any
 * case. Everything else is plain text: "@" before an unknown name, and whatever comes after it.
 *
 * Threads: any.  Lifetimes: results live in the arena. */
#pragma once

#include "base/arena.h"

#define SKN_NAME_MAX 64

/* The name in lower case, if that matches [a-z0-9][a-z0-9_-]{0,63}; else SKEIN_INVALID. */
skein_rc skn_name_normal(skn_str name, skn_arena *a, skn_str *out, skein_error *err);
/* Finds whom the text mentions: indexes into names in order of appearance, each once; returns how
 * many. Linear in text and names. */
size_t skn_mentions(skn_str text, const skn_str *names, size_t n, skn_arena *a, size_t **out);
