/* mcp_message.h: JSON-RPC messages as MCP has them: reading what a stranger sent, writing our own.
 *
 * Threads: any.  Lifetimes: what is read lives in the arena and in its source. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_write.h"

#define SKN_MCP_LINE ((size_t)16 * 1024 * 1024) /* of one message */
#define SKN_MCP_VALUES                                                                         \
    ((size_t)256 * 1024)            /* values in it: each costs memory beyond its text */
#define SKN_MCP_BATCH ((size_t)256) /* messages in a batch */

typedef enum skn_mcp_kind {
    SKN_MCP_REQUEST,
    SKN_MCP_NOTICE,
    SKN_MCP_RESULT,
    SKN_MCP_ERROR
} skn_mcp_kind;

typedef struct skn_mcp_message {
    skn_mcp_kind    kind;
    skn_str         method; /* REQUEST, NOTICE */
    skn_str         raw_id; /* REQUEST: the text of its id, to be sent back */
    int64_t         id;     /* RESULT, ERROR: of our request; 0: of none */
    const skn_json *body;   /* params, result or error; may be NULL */
} skn_mcp_message;

/* Reads a message, or a batch of them, and hands each to `take` until that returns false. Text that
 * only breaks our own stricter rules (U+0000, lone surrogates, bytes that are no UTF-8) is mended with
 * U+FFFD: a result must not be lost for one character. */
skein_rc skn_mcp_read(skn_str text, skn_arena *a, bool (*take)(void *, const skn_mcp_message *),
                      void *arg, skein_error *err);

/* A message of ours. Begun with the members that all have; w then writes the others ("params", "result", "error"). */
typedef struct skn_mcp_letter {
    skn_buf text;
    skn_jw  w;
} skn_mcp_letter;

/* A request, or with id 0 a notice; both functions return &l->w. */
skn_jw *skn_mcp_letter_begin(skn_mcp_letter *l, size_t most, int64_t id, const char *method);
/* An answer to a request, whose id is sent back as it came. */
skn_jw *skn_mcp_letter_answer(skn_mcp_letter *l, skn_str raw_id);
/* All of it in one line; lives until l->text is released. */
skn_str skn_mcp_letter_end(skn_mcp_letter *l);

/* The text of a result of tools/call, as a model reads it, into `out`, whose limit is the result's;
 * true when the tool says that it failed. */
bool skn_mcp_result_text(const skn_json *result, skn_buf *out);

/* The reason that a JSON-RPC error gives: "error -32602: no such city". */
void skn_mcp_error_text(const skn_json *error, skn_buf *out);

/* Adds text as UTF-8 whatever it is, without control characters but tab and line end. */
void skn_mcp_add_clean(skn_buf *out, skn_str text);
