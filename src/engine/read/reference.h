/* reference.h: how a person names a message: "a1b2c3d4e5", "a1b2", "@", "@~2", and any of these
 * with "^" behind it, once for each step up to what it replies to.
 *
 * Threads: any.  Lifetimes: a parsed reference borrows from the text. */
#pragma once

#include "base/str.h"

#define SKN_PREFIX_MIN ((size_t)4) /* characters of an id that may stand for all of it */
#define SKN_UP_MAX     99          /* a reply has at most so many messages above it */

typedef struct skn_reference {
    skn_str id;   /* a public id or the beginning of one; absent: counted from the end */
    int64_t back; /* without id: 0 is the latest message, 1 the one before it */
    int     up;   /* then so many times to what it replies to */
} skn_reference;

/* Takes a reference apart; SKEIN_INVALID when it has none of the forms. */
skein_rc skn_reference_parse(skn_str text, skn_reference *out, skein_error *err);
