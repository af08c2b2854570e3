/* multipart.h: forms with files in them (multipart/form-data, RFC 7578), read where they lie.
 *
 * Threads, lifetimes: those of the body; decoded names are in the arena. */
#pragma once

#include "base/arena.h"

typedef struct skn_form {
    skn_str rest, boundary; /* the latter with what stands before it */
    bool    broken;         /* it ended before its end, or a part has no head */
} skn_form;

typedef struct skn_part {
    skn_str name, filename, type; /* absent: it has none */
    skn_str bytes;
} skn_part;

/* False when the type is not that of a form. */
bool skn_form_open(skn_form *f, skn_str content_type, skn_str body, skn_arena *a);
/* False at its end. */
bool skn_form_next(skn_form *f, skn_part *out, skn_arena *a);
/* A parameter of a header: of `form-data; name="a"; filename="b.png"`; the extended one, "filename*", counts before it. Absent when
 * there is none. */
skn_str skn_part_param(skn_str header, const char *name, skn_arena *a);
