/* wire.h: a wire format: how a question is written, and how the pieces of an answer are read. Only files
 * of this folder include it.
 *
 * A format is a table of pure functions: no network, no clock. wire.c sends what `write` makes, cuts the
 * answer into events (server-sent events, or lines of JSON) and hands each to `read`; what that finds goes
 * into the answer. Real servers differ from their documents: a format takes what it can understand and
 * ignores what it does not know.
 * Threads: any.  Lifetimes: an answer lives as long as its question. */
#ifndef SKN_PROVIDER_WIRE_H
#define SKN_PROVIDER_WIRE_H

#include "base/buf.h"
#include "provider/provider.h"

/* A request as it is written: one buffer, and where its pieces end. */
typedef struct skn_wire_request {
    skn_buf body;
    skn_vec(size_t) ends; /* of the pieces, in bytes; the last is body.n */
    skn_arena *a;
} skn_wire_request;

/* Ends a piece here. */
void skn_wire_cut(skn_wire_request *r);

/* A call that is being received: its arguments may come in single characters. */
typedef struct skn_wire_call {
    int64_t index; /* the server's number for it; -1: it gave none */
    skn_str id, name;
    skn_buf args;
} skn_wire_call;

/* What has been read of an answer. */
typedef struct skn_wire_answer {
    skn_arena *a;
    const skn_answer_sink
           *sink; /* delta is called by skn_wire_text; call by wire.c, at the end */
    skn_str id;   /* of the message to come: makes ids for calls that have none */
    skn_vec(skn_wire_call) calls;
    size_t        text_bytes, thinking_bytes;
    bool          ended; /* the end of the answer was seen: "[DONE]", message_stop, done:true */
    const char   *finish; /* "stop", "length", "tool"; NULL: not told */
    int64_t       tokens_in, tokens_out;
    bool          failed; /* `error` and `state` say why */
    skein_error   error;
    skn_ask_state state;
} skn_wire_answer;

/* Hands a part on; an empty one is nothing. */
void skn_wire_text(skn_wire_answer *w, skn_part part, skn_str text);
/* The call with this number, new when there is none yet. NULL when there are too many (64). */
skn_wire_call *skn_wire_call_at(skn_wire_answer *w, int64_t index);
/* Notes a failure that the server told of inside its answer; its words are cut to a sentence. */
void skn_wire_fail(skn_wire_answer *w, skn_ask_state state, skn_str words);
/* The state that an HTTP status and the words of an error stand for. */
skn_ask_state skn_wire_state_of(int status, skn_str words);

typedef struct skn_wire_format {
    const char *word;        /* "openai" */
    const char *path;        /* "/chat/completions", after the base URL */
    const char *models_path; /* "/models" */
    bool        lines;       /* a stream is lines of JSON, not server-sent events */
    /* The headers that carry the key and the version; at most 4. */
    size_t (*headers)(skn_str key, skn_arena *a, skn_fetch_header out[4]);
    void (*write)(skn_wire_request *r, const skn_ask *what);
    /* One event; `event` is absent where the server names none. False: it cannot be read. */
    bool (*read)(skn_wire_answer *w, skn_str event, skn_str data);
    /* A whole answer in one JSON document, from servers that do not stream. */
    bool (*whole)(skn_wire_answer *w, skn_str body);
    /* The words of an error's body, absent when there are none to be found. */
    skn_str (*error_words)(skn_str body, skn_arena *a);
    /* The list of models; false: it cannot be read. */
    bool (*models)(skn_str body, skn_arena *a, skn_models *out);
} skn_wire_format;

extern const skn_wire_format skn_wire_openai, skn_wire_anthropic, skn_wire_ollama;

const skn_wire_format *skn_wire_format_of(skn_wire_kind kind);

#endif
