/* wire.h: a wire format: how a question is written, and how the pieces of an answer are read. Only files
 * of this folder include it.
 *
 * A format is a table of pure functions: no network, no clock. wire.c sends what `write` makes,
 * wire_read.c cuts the answer into events (server-sent events, or lines of JSON) and hands each to
 * `read`; what that finds goes into the answer. Real servers differ from their documents: a format takes
 * what it can understand and ignores what it does not know.
 * Threads: any.  Lifetimes: an answer lives as long as its question. */
#ifndef SKN_PROVIDER_WIRE_H
#define SKN_PROVIDER_WIRE_H

#include "base/buf.h"
#include "base/sse_reader.h"
#include "provider/provider.h"

struct skn_wire_format;

/* A request as it is written: one buffer, and where its pieces end. */
typedef struct skn_wire_request {
    skn_buf body;
    skn_vec(size_t) ends; /* of the pieces, in bytes; the last is body.n */
    skn_arena                    *a;
    const struct skn_wire_format *format; /* with the model, "name/model": … */
    skn_str                       model;  /* … who is sent what it thought before */
} skn_wire_request;

/* Ends a piece here. */
void skn_wire_cut(skn_wire_request *r);

/* Bytes of the id and of the name of a call; the store has the same limit. */
enum { SKN_WIRE_NAME = 256 };

/* A call that is being received: its arguments may come in single characters. */
typedef struct skn_wire_call {
    int64_t index; /* the server's number for it; -1: it gave none */
    skn_str id, name;
    skn_buf args;
    bool    signed_once; /* its signature came: skn_wire_reason has it */
} skn_wire_call;

/* Blanks before thinking that stands in the content. */
enum { SKN_WIRE_FRONT_BLANKS = 64 };

/* What has been read of an answer. */
typedef struct skn_wire_answer {
    skn_arena *a;
    skn_arena *scratch; /* for reading one event: emptied before each */
    const skn_answer_sink
           *sink; /* delta is called by skn_wire_text; call by wire.c, at the end */
    skn_str id;   /* of the message to come: makes ids for calls that have none */
    const struct skn_wire_secrets *secrets; /* never told on; NULL: there are none */
    skn_vec(skn_wire_call) calls;
    size_t   text_bytes, thinking_bytes;
    unsigned held, opened; /* of "</s>" at the end, and of "<s>"; see skn_wire_content */
    enum { SKN_WIRE_FRONT, SKN_WIRE_THINKS, SKN_WIRE_SAYS } part; /* of the content */
    bool          thought;                                        /* before this front */
    skn_str       closes;                            /* the tag that ends the thinking */
    char          front[SKN_WIRE_FRONT_BLANKS + 16]; /* content of which more must come … */
    unsigned      front_n;                           /* … to tell what it is */
    skn_buf       reason;                        /* for the model alone: see skn_wire_reason */
    skn_buf       reason_text, reason_signature; /* of the part of it that is being received */
    const char   *reason_key; /* what that text is called in it; NULL: there is none */
    bool          ended; /* the end of the answer was seen: "[DONE]", message_stop, done:true */
    const char   *finish; /* "stop", "length", "tool"; NULL: not told */
    int64_t       tokens_in, tokens_out;
    int64_t       tokens_cached, tokens_written; /* of tokens_in; 0: none, or not told */
    bool          stopped;                       /* nobody listens any more: no callback */
    bool          failed;                        /* `error` and `state` say why */
    skein_error   error;
    skn_ask_state state;
} skn_wire_answer;

/* An answer of which nothing has been read; also to begin again, after a release. */
void skn_wire_answer_init(skn_wire_answer *w, skn_arena *a, skn_arena *scratch,
                          const skn_answer_sink *sink, skn_str id);
void skn_wire_answer_release(skn_wire_answer *w);
/* Hands a part on; an empty one is nothing. */
void skn_wire_text(skn_wire_answer *w, skn_part part, skn_str text);
/* The same for what a model says, from servers that let its marks through. <think>…</think> before the text is thinking,
 * to the end where it is not closed. The end mark "</s>" is dropped where the text ends with it and has no "<s>". */
void skn_wire_content(skn_wire_answer *w, skn_str text);
/* Hands on what skn_wire_content held back because it could have become a mark. */
void skn_wire_content_end(skn_wire_answer *w);
/* The call with this number, new when there is none yet (-1: always a new one); good until the next
 * is made. NULL when there are too many (64): the answer has failed then. */
skn_wire_call *skn_wire_call_at(skn_wire_answer *w, int64_t index);
/* Hands the calls to the sink, each with an id. */
void skn_wire_hand_calls(skn_wire_answer *w);
/* --- wire_reason.c: what a model wants back of its thinking --------------------------------------- */

void skn_wire_reason_init(skn_wire_answer *w);
void skn_wire_reason_release(skn_wire_answer *w);
/* Keeps a part of it, which is JSON: it stands before the call of that number or belongs to it; -1: to none. */
void skn_wire_reason(skn_wire_answer *w, int64_t call, skn_str part);
/* A thought comes in pieces; its end makes a part of it: {"type":type,"KEY":"…","signature":"…"}. */
void skn_wire_thought(skn_wire_answer *w, const char *key, skn_str text);
void skn_wire_thought_end(skn_wire_answer *w, int64_t call, const char *type);
/* All of it, as a message keeps it; absent when there is none, or over 1 MB. Lives as long as the answer. */
skn_str skn_wire_reason_keep(skn_wire_answer *w, const skn_wire_request *r);
/* Writes a question to a model of the provider of that name; r->a is set. */
void skn_wire_request_write(skn_wire_request *r, const struct skn_wire_format *f,
                            const char *name, const skn_ask *what, size_t most);

/* --- wire_answer.c ----------------------------------------------------------------------------- */

/* What of the answer's tokens came from the cache and went into it. */
void skn_wire_count_cached(const skn_wire_answer *w, skn_answer *out);
/* Notes a failure that the server reported inside its answer; its words are cut to a line. The first
 * one counts. */
void skn_wire_fail(skn_wire_answer *w, skn_ask_state state, skn_str words);
/* The state that an HTTP status (0: an error inside an answer) and the words of an error stand for. */
skn_ask_state skn_wire_state_of(int status, skn_str words);
/* Asking again later may help. */
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
        thinks_for_calls; /* what was thought goes back with calls only: DeepSeek insists on it there, and refuses it elsewhere */
    int64_t
        thinks_beside; /* so many tokens for thinking, at least, are asked for beside those of the answer; 0: among them */
    /* The headers that carry the key and the version; at most 4. */
    size_t (*headers)(skn_str key, skn_arena *a, skn_fetch_header out[4]);
    /* Stable from the front, since servers keep what they have read of a beginning: tools, system prompt, messages,
     * and behind them what may change with every question. */
    void (*write)(skn_wire_request *r, const skn_ask *what);
    /* One event; `event` is "message" where the server names none, and absent for lines. False: it cannot
     * be read. */
    bool (*read)(skn_wire_answer *w, skn_str event, skn_str data);
    /* A whole answer in one JSON document, from servers that do not stream. */
    bool (*whole)(skn_wire_answer *w, skn_str body);
    /* The words of an error's body, "message (code)" or "message (type)", since the code may say what
     * the message does not; absent when there are none to be found. */
    skn_str (*error_words)(skn_str body, skn_arena *a);
    /* The list of models; false: it cannot be read. */
    bool (*models)(skn_str body, skn_arena *a, skn_models *out);
} skn_wire_format;

/* --- wire_show.c: what a server says without the secrets that it was sent ----------------------- */

enum { SKN_WIRE_SECRETS = 36 };

typedef struct skn_wire_secret {
    skn_str text;
    size_t  least; /* parts of so many bytes are hidden */
} skn_wire_secret;

typedef struct skn_wire_secrets {
    skn_wire_secret at[SKN_WIRE_SECRETS];
    size_t          count;
} skn_wire_secrets;

/* Those of a provider: its key, as it is and as others write it, and headers. They live in the arena. */
void skn_wire_secrets_find(skn_wire_secrets *all, skn_str key, const skn_wire_options *o,
                           skn_arena *a);
void skn_wire_secrets_wipe(skn_wire_secrets *all);
/* The text with stars over all parts of the secrets; itself when there are none. `answer`: it is one, so only long
 * parts count. */
skn_str skn_wire_hide(const skn_wire_secrets *all, skn_str text, bool answer, skn_arena *a);
/* Puts stars over all parts of a secret that have `least` bytes or more. */
void skn_wire_blot(char *text, size_t n, skn_str secret, size_t least);

extern const skn_wire_format skn_wire_openai, skn_wire_responses, skn_wire_anthropic,
    skn_wire_ollama;

const skn_wire_format *skn_wire_format_of(skn_wire_kind kind);

/* --- wire_read.c: an answer's bytes, in any pieces, to its events ------------------------------- */

typedef enum skn_wire_mode {
    SKN_WIRE_UNDECIDED, /* the first byte will tell */
    SKN_WIRE_EVENTS,
    SKN_WIRE_LINES,
    SKN_WIRE_WHOLE, /* one JSON document */
    SKN_WIRE_ERROR  /* of another status than 2xx */
} skn_wire_mode;

typedef struct skn_wire_reader {
    const skn_wire_format *format;
    skn_wire_answer       *w;
    skn_wire_mode          mode;
    int                    status;
    bool                   event_stream; /* it is labelled so */
    size_t                 count;        /* of events that were read */
    skn_buf                line; /* of which the end has not come; or a whole document */
    skn_sse_reader         sse;
} skn_wire_reader;

/* Begins with the head of an answer; its content type without parameters, in lower case. */
void skn_wire_read_start(skn_wire_reader *r, const skn_wire_format *f, skn_wire_answer *w,
                         int status, skn_str type);
/* Reads on. False: no more is needed, since the answer has failed (w->failed) or ended (w->ended). */
bool skn_wire_read_bytes(skn_wire_reader *r, skn_str bytes);
/* No more will come; `cut`: though it should. Afterwards w->failed says whether there is an answer. */
void skn_wire_read_end(skn_wire_reader *r, bool cut);
void skn_wire_read_release(skn_wire_reader *r);

#endif
