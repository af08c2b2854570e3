/* wire.h: a wire format: how a request is written, and how the pieces of an answer are read. Only files of this
 * folder include it.
 *
 * A format is a table of pure functions: no network, no clock. wire.c sends what `write` makes; wire_read.c cuts the
 * answer into events (server-sent events, or lines of JSON) and passes each to `read`, which fills in the answer.
 * Real servers differ from their documentation: a format takes what it understands and ignores the rest.
 * Threads: any. Lifetimes: an answer lives as long as its request. */
#ifndef SKN_PROVIDER_WIRE_H
#define SKN_PROVIDER_WIRE_H

#include "base/buf.h"
#include "base/sse_reader.h"
#include "provider/provider.h"

struct skn_wire_format;

/* A request as it is written: one buffer, and the ends of its pieces. */
typedef struct skn_wire_request {
    skn_buf body;
    skn_vec(size_t) ends; /* of the pieces, in bytes; the last is body.n */
    skn_arena                    *a;
    const struct skn_wire_format *format; /* with the model, "name/model": … */
    skn_str                       model;  /* … which is sent its earlier thinking */
} skn_wire_request;

/* Ends a piece here. */
void skn_wire_cut(skn_wire_request *r);

/* Most bytes of the id and of the name of a call, as in the store. */
enum { SKN_WIRE_NAME = 256 };

/* A call that is arriving: its arguments may come in single characters. */
typedef struct skn_wire_call {
    int64_t index; /* the server's number of the call; -1: none */
    skn_str id, name;
    skn_buf args;
    bool    signed_once; /* its signature has arrived and is in skn_wire_reason */
} skn_wire_call;

/* Most blanks before thinking that is part of the content. */
enum { SKN_WIRE_FRONT_BLANKS = 64 };

/* The answer as read so far. */
typedef struct skn_wire_answer {
    skn_arena *a;
    skn_arena *scratch; /* for one event: emptied before each */
    const skn_answer_sink
           *sink; /* delta is called by skn_wire_text; call by wire.c, at the end */
    skn_str id;   /* of the next message: makes ids for calls without one */
    const struct skn_wire_secrets *secrets; /* removed from texts; NULL: none */
    skn_vec(skn_wire_call) calls;
    size_t   text_bytes, thinking_bytes;
    unsigned held, opened; /* of "</s>" at the end, and of "<s>"; see skn_wire_content */
    enum { SKN_WIRE_FRONT, SKN_WIRE_THINKS, SKN_WIRE_SAYS } part; /* of the content */
    bool          thought;                                        /* before this start of the
                                                                   * content */
    skn_str       closes;                            /* the tag that ends the thinking */
    char          front[SKN_WIRE_FRONT_BLANKS + 16]; /* start of the content that needs more
                                                      * bytes … */
    unsigned      front_n;                           /* … to be recognised */
    skn_buf       reason;                        /* only for the model: see skn_wire_reason */
    skn_buf       reason_text, reason_signature; /* of the part that is arriving */
    const char   *reason_key;                    /* the member for that text; NULL: none */
    bool          ended;  /* the end of the answer has arrived: "[DONE]", message_stop,
                          * done:true */
    const char   *finish; /* "stop", "length", "tool"; NULL: unknown */
    int64_t       tokens_in, tokens_out;
    int64_t       tokens_cached, tokens_written; /* of tokens_in; 0: none, or unknown */
    bool          stopped;                       /* no callback any more */
    bool          failed;                        /* `error` and `state` say why */
    skein_error   error;
    skn_ask_state state;
} skn_wire_answer;

/* Starts an empty answer; also to start again, after a release. */
void skn_wire_answer_init(skn_wire_answer *w, skn_arena *a, skn_arena *scratch,
                          const skn_answer_sink *sink, skn_str id);
void skn_wire_answer_release(skn_wire_answer *w);
/* Passes a part on, unless it is empty. */
void skn_wire_text(skn_wire_answer *w, skn_part part, skn_str text);
/* The same for text of servers that do not remove a model's marks. <think>…</think> before the text is thinking, up
 * to the end if it is not closed. An end mark "</s>" at the end of the text is dropped, unless the text has "<s>". */
void skn_wire_content(skn_wire_answer *w, skn_str text);
/* Passes on what skn_wire_content held back because it could have become a mark. */
void skn_wire_content_end(skn_wire_answer *w);
/* Returns the call with this number, a new one if there is none (-1: always a new one); valid until the next new
 * call. NULL if there are more than 64: the answer has failed then. */
skn_wire_call *skn_wire_call_at(skn_wire_answer *w, int64_t index);
/* Adds to the arguments of a call, and passes that on to be watched. */
void skn_wire_args(skn_wire_answer *w, skn_wire_call *call, skn_str text);
/* Passes the calls to the sink, each with an id. */
void skn_wire_hand_calls(skn_wire_answer *w);
/* --- wire_reason.c: thinking that a model wants back ---------------------------------------------- */

void skn_wire_reason_init(skn_wire_answer *w);
void skn_wire_reason_release(skn_wire_answer *w);
/* Stores a part of the thinking, which is JSON: it stands before the call of that number or belongs to it; -1: to
 * none. */
void skn_wire_reason(skn_wire_answer *w, int64_t call, skn_str part);
/* A thought arrives in pieces; its end makes a part: {"type":type,"KEY":"…","signature":"…"}. */
void skn_wire_thought(skn_wire_answer *w, const char *key, skn_str text);
void skn_wire_thought_end(skn_wire_answer *w, int64_t call, const char *type);
/* Returns all parts as a message stores them; absent: none, or more than 1 MB. Lives as long as the answer. */
skn_str skn_wire_reason_keep(skn_wire_answer *w, const skn_wire_request *r);
/* Writes a request to a model of the provider of that name; r->a is set. */
void skn_wire_request_write(skn_wire_request *r, const struct skn_wire_format *f,
                            const char *name, const skn_ask *what, size_t most);

/* --- wire_answer.c ----------------------------------------------------------------------------- */

/* Fills in how many tokens were read from the cache and written to it. */
void skn_wire_count_cached(const skn_wire_answer *w, skn_answer *out);
/* Notes a failure that the server reported in its answer; its text is cut to a line. The first failure counts. */
void skn_wire_fail(skn_wire_answer *w, skn_ask_state state, skn_str words);
/* The state for an HTTP status (0: an error inside an answer) and the text of an error. */
skn_ask_state skn_wire_state_of(int status, skn_str words);
/* Whether another try later may help. */
bool skn_wire_may_retry(skn_ask_state state, skn_str words);
/* One line of at most 300 bytes, valid UTF-8, into `out`. */
enum { SKN_WIRE_WORDS = 304 };
void skn_wire_line(skn_str words, char out[SKN_WIRE_WORDS]);

typedef struct skn_wire_format {
    const char *word;        /* "openai" */
    const char *path;        /* "/chat/completions", after the base URL */
    const char *models_path; /* "/models" */
    bool        lines;       /* a stream is lines of JSON, not server-sent events */
    bool
        thinks_for_calls; /* thinking is only sent back with calls: DeepSeek requires it there, and refuses it elsewhere */
    int64_t
        thinks_beside; /* least tokens for thinking, in addition to those of the answer; 0: included in them */
    /* The headers with the key and the version; at most 4. */
    size_t (*headers)(skn_str key, skn_arena *a, skn_fetch_header out[4]);
    /* Writes the request. What stays the same comes first, since servers cache the start of a request: tools, system
     * prompt, messages, and after them what may change with every request. */
    void (*write)(skn_wire_request *r, const skn_ask *what);
    /* Reads one event; `event` is "message" if the server names none, and absent for lines. Returns false if it
     * cannot be read. */
    bool (*read)(skn_wire_answer *w, skn_str event, skn_str data);
    /* Reads a whole answer in one JSON document, from servers that do not stream. */
    bool (*whole)(skn_wire_answer *w, skn_str body);
    /* Returns the text of an error, "message (code)" or "message (type)", since the code may say what the message
     * does not; absent: none found. */
    skn_str (*error_words)(skn_str body, skn_arena *a);
    /* Reads the list of models; returns false if it cannot be read. */
    bool (*models)(skn_str body, skn_arena *a, skn_models *out);
} skn_wire_format;

/* --- wire_show.c: what a server says, without the secrets that it was sent ---------------------- */

enum { SKN_WIRE_SECRETS = 36 };

typedef struct skn_wire_secret {
    skn_str text;
    size_t  least; /* shortest part that is hidden */
} skn_wire_secret;

typedef struct skn_wire_secrets {
    skn_wire_secret at[SKN_WIRE_SECRETS];
    size_t          count;
} skn_wire_secrets;

/* Collects the secrets of a provider: its key, plain and encoded, and headers. They live in the arena. */
void skn_wire_secrets_find(skn_wire_secrets *all, skn_str key, const skn_wire_options *o,
                           skn_arena *a);
void skn_wire_secrets_wipe(skn_wire_secrets *all);
/* Returns the text with stars over all parts of the secrets, or the same text if there are none. `answer`: only long
 * parts count, because the text is an answer. */
skn_str skn_wire_hide(const skn_wire_secrets *all, skn_str text, bool answer, skn_arena *a);
/* Writes stars over all parts of a secret of at least `least` bytes. */
void skn_wire_blot(char *text, size_t n, skn_str secret, size_t least);

extern const skn_wire_format skn_wire_openai, skn_wire_responses, skn_wire_anthropic,
    skn_wire_ollama;

const skn_wire_format *skn_wire_format_of(skn_wire_kind kind);

/* --- wire_read.c: from the bytes of an answer to its events ------------------------------------- */

typedef enum skn_wire_mode {
    SKN_WIRE_UNDECIDED, /* the first byte decides */
    SKN_WIRE_EVENTS,
    SKN_WIRE_LINES,
    SKN_WIRE_WHOLE, /* one JSON document */
    SKN_WIRE_ERROR  /* the status is not 2xx */
} skn_wire_mode;

typedef struct skn_wire_reader {
    const skn_wire_format *format;
    skn_wire_answer       *w;
    skn_wire_mode          mode;
    int                    status;
    bool                   event_stream; /* by its content type */
    size_t                 count;        /* events that were read */
    skn_buf                line;         /* an unfinished line, or a whole document */
    skn_sse_reader         sse;
} skn_wire_reader;

/* Starts with the head of an answer; `type` is its content type in lower case, without parameters. */
void skn_wire_read_start(skn_wire_reader *r, const skn_wire_format *f, skn_wire_answer *w,
                         int status, skn_str type);
/* Reads more bytes. Returns false if no more are needed, because the answer has failed (w->failed) or ended
 * (w->ended). */
bool skn_wire_read_bytes(skn_wire_reader *r, skn_str bytes);
/* Ends the answer; `cut`: too early. Afterwards w->failed says whether it can be used. */
void skn_wire_read_end(skn_wire_reader *r, bool cut);
void skn_wire_read_release(skn_wire_reader *r);

#endif
