/* json.h: reads JSON (RFC 8259) into values that are views of the source.
 *
 * Strict where a lenient reader would lose something: invalid UTF-8, lone surrogates, U+0000,
 * repeated keys and trailing text are errors that name line and column. Numbers keep their text.
 * No recursion: nesting is limited by max_depth (SKN_JSON_DEPTH), not by the stack. The number of values is limited, too:
 * two bytes of a source can be one value.
 * Lifetimes: values live in the arena; `raw` and texts without escapes point into the source. */
#pragma once

#include "base/arena.h"

#include <string.h>

#define SKN_JSON_DEPTH  128
#define SKN_JSON_VALUES ((size_t)1000 * 1000) /* of any source: each takes 72 bytes */

typedef enum skn_json_kind {
    SKN_JSON_NULL,
    SKN_JSON_BOOL,
    SKN_JSON_NUMBER,
    SKN_JSON_STRING,
    SKN_JSON_ARRAY,
    SKN_JSON_OBJECT
} skn_json_kind;

typedef struct skn_json skn_json;
struct skn_json {
    skn_json_kind kind : 8;
    bool          boolean;
    uint32_t      count; /* of the children; see SKN_JSON_VALUES */
    skn_str       raw;   /* the value's own source text, exactly */
    skn_str       text;  /* STRING: decoded; NUMBER: as written */
    skn_str       key;   /* decoded key, when it is a member of an object */
    skn_json     *first; /* ARRAY, OBJECT: children in source order */
    skn_json     *next;
};

/* `what` names the source in messages: "line 3 of messages.jsonl". */
skein_rc skn_json_parse(const skn_json **out, skn_str source, const char *what, skn_arena *a,
                        skein_error *err);
/* The same with another limit of values; passing it is SKEIN_LIMIT. */
skein_rc skn_json_parse_few(const skn_json **out, skn_str source, const char *what, size_t most,
                            skn_arena *a, skein_error *err);
/* How many values a source can have at most, without reading it. */
size_t skn_json_guess(skn_str source);
/* The member, or NULL when v is NULL, no object, or has no such key. */
const skn_json *skn_json_get(const skn_json *v, const char *key);
const skn_json *skn_json_member(const skn_json *v, skn_str key);
/* The same, but NULL also when it is null. */
const skn_json *skn_json_given(const skn_json *v, const char *key);
/* The text of a member; absent when it is missing or of another kind. */
skn_str skn_json_str(const skn_json *v, const char *key);
/* The text of a member; absent when it is missing or null. A member of another kind is an error. */
skein_rc skn_json_text(const skn_json *v, const char *key, skn_str *out, skein_error *err);
skein_rc skn_json_int(const skn_json *v, const char *key, int64_t fallback, int64_t *out,
                      skein_error *err);
skein_rc skn_json_flag(const skn_json *v, const char *key, bool fallback, bool *out,
                       skein_error *err);
/* A document whose faults that only the strict reader minds (bytes that are no UTF-8, lone surrogates, U+0000) are replaced
 * by U+FFFD; itself when it has none. */
skn_str skn_json_repair(skn_str json, skn_arena *a);

/* --- Eight bytes at a time ------------------------------------------------------------------ */

#define SKN_EACH_BYTE UINT64_C(0x0101010101010101)

static inline uint64_t skn_json_word(const char *p)
{
    uint64_t w;

    memcpy(&w, p, sizeof w);
    return w;
}

/* The high bit of some byte is set if a byte of w is below `low`, which is at most 0x80. */
static inline uint64_t skn_json_below(uint64_t w, uint64_t low)
{
    return (w - SKN_EACH_BYTE * low) & ~w;
}

/* No byte of these ends a text or has to be written otherwise; 0xe2 may begin U+2028 or U+2029. */
static inline bool skn_json_plain(uint64_t w)
{
    uint64_t found = skn_json_below(w, 0x20) | skn_json_below(w ^ SKN_EACH_BYTE * '"', 1) |
                     skn_json_below(w ^ SKN_EACH_BYTE * '\\', 1) |
                     skn_json_below(w ^ SKN_EACH_BYTE * 0x7f, 1) |
                     skn_json_below(w ^ SKN_EACH_BYTE * 0xe2, 1);

    return (found & SKN_EACH_BYTE * 0x80) == 0;
}
