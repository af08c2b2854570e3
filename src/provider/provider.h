/* provider.h: the folder's door: asking a model, and getting its answer piece by piece.
 *
 * A model is named "provider/model". Providers are behind one table of functions; the scripted one
 * (demo/scripted) needs neither key nor network.
 * Threads: everything on the loop's thread; callbacks too.  Lifetimes: a request is copied, so it may
 * go once ask has returned; texts handed to callbacks live until the callback returns. */
#ifndef SKN_PROVIDER_PROVIDER_H
#define SKN_PROVIDER_PROVIDER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/loop.h"
#include "net/net.h"
#include <skein/view.h>

/* A tool that the model may call. */
typedef struct skn_tool_offer {
    skn_str name, description;
    skn_str schema; /* of its arguments: a JSON Schema object */
} skn_tool_offer;

typedef struct skn_ask {
    skn_str              model; /* what follows "provider/" */
    skn_str              agent; /* the name of who answers */
    skn_str              system_prompt;
    const skein_context *context; /* may be NULL for the scripted one */
    skn_str              asker;   /* who wrote what is answered: "human", "lead" */
    skn_str              said; /* what is answered, alone: the context may hold more after it */
    skn_str tool, result;      /* the tool whose result came last in this turn; or absent */
    skn_str id;                /* of the message to come: makes ids of calls unique */
    int64_t hops_left;
    const skn_tool_offer *tools;
    size_t                tool_count;
    double                temperature; /* below 0: the model's own */
    int64_t               most_tokens; /* of the answer; 0: the model's own limit */
    const struct skn_json
        *settings;   /* of the agent: topP stop seed effort thinkingTokens schema; or NULL */
    bool over_limit; /* a person lets it cost more than its limit */
    bool hurried;    /* another model stands by: no long wait for this one */
    int64_t
        from; /* equal for the questions of one conversation: none keeps the others waiting */
    int64_t
            window; /* tokens that the model is to have room for, where its server wants to be told; 0: its own */
    int64_t left; /* tokens of its window beside the question; 0: not known */
} skn_ask;

typedef enum skn_part { SKN_PART_TEXT, SKN_PART_THINKING } skn_part;

/* What became of a question. skn_ask_state_word has the word that clients see. */
typedef enum skn_ask_state {
    SKN_ASK_ANSWERED,
    SKN_ASK_NO_KEY,      /* "no-key": none is set, or it may not be used yet */
    SKN_ASK_BAD_KEY,     /* "bad-key": 401, 403 */
    SKN_ASK_RATE_LIMIT,  /* "rate-limit": 429 */
    SKN_ASK_OVERFLOW,    /* "context-overflow": more than the model can read */
    SKN_ASK_NO_TOOLS,    /* "no-tools": the model cannot use any, and was offered some */
    SKN_ASK_CUT,         /* "cut": the stream ended before its end */
    SKN_ASK_STALLED,     /* "stalled": nothing came any more */
    SKN_ASK_MALFORMED,   /* "malformed": what came cannot be read */
    SKN_ASK_WRONG_TYPE,  /* "wrong-content-type" */
    SKN_ASK_EMPTY,       /* "empty": a whole answer without text and calls */
    SKN_ASK_REFUSED,     /* "refused": another 4xx, or an error inside the stream */
    SKN_ASK_UNAVAILABLE, /* "unavailable": 5xx */
    SKN_ASK_UNREACHABLE, /* "unreachable": no connection */
    SKN_ASK_OVER_BUDGET, /* "over-budget": the world's limit of spending */
    SKN_ASK_STOPPED,     /* "stopped": it was cancelled while it was answered */
    SKN_ASK_IN_LINE, /* "in-line": not asked yet, others are answered first; only of a pause */
    SKN_ASK_FAILED   /* "failed": anything else */
} skn_ask_state;

const char *skn_ask_state_word(skn_ask_state state);

/* How an answer ended. */
typedef struct skn_answer {
    skein_error   error; /* code SKEIN_OK: it is whole */
    skn_ask_state state;
    int           status;                /* of the provider's HTTP answer; 0: there was none */
    bool          retryable;             /* of a failure */
    int64_t       retry_after_ms;        /* as the provider asked for; 0: it did not */
    const char   *finish;                /* "stop", "length" or "tool" */
    int64_t       tokens_in, tokens_out; /* -1: not measured */
    int64_t       tokens_cached,
        tokens_written; /* of tokens_in: read from and written to the provider's cache */
    int64_t cost;       /* billionths of a dollar; -1: its price is not known */
    bool    estimated;  /* the tokens are a guess from the length of texts */
    bool    replayed;   /* it comes from a recording: no model was asked */
    int64_t first_ms;   /* until the first part of the answer; -1: none came */
    int     tries;      /* requests that were made */
    skn_str
        reasoning; /* JSON that the model wants back with its answer (wire_reason.c); until done returns */
    skn_str
        limit; /* that was reached, where a person may let it be exceeded; until done returns */
} skn_answer;

typedef struct skn_answer_sink {
    /* The exact request, in pieces: each message of the context is one of them, so that equal
     * pieces of two requests can be kept once. Again before each further try. May be NULL. */
    void (*sent)(void *arg, const skn_str *pieces, size_t count);
    /* The exact bytes of the answer, as they came. May be NULL. */
    void (*received)(void *arg, skn_str bytes);
    void (*delta)(void *arg, skn_part part, skn_str text);
    void (*call)(void *arg, const skein_tool_call *call);
    /* It could not be answered, and is asked again after so many milliseconds; 0: when others have been
     * answered. May be NULL. */
    void (*pause)(void *arg, skn_ask_state why, const skein_error *err, int64_t ms);
    /* Once, last, unless the request was cancelled; never from inside skn_ask_model. */
    void (*done)(void *arg, const skn_answer *answer);
    void *arg;
} skn_answer_sink;

typedef struct skn_asking   skn_asking;
typedef struct skn_provider skn_provider;

/* How much a model can read, and who says so. */
typedef struct skn_window {
    int64_t                       tokens; /* 0: not known */
    const char                   *from;   /* "setting" "provider" "table"; NULL: not known */
    bool                          asked;  /* its server is just being asked */
    const struct skn_wire_format *format; /* of its provider; NULL: it has none */
} skn_window;

typedef struct skn_provider_ops {
    skn_asking *(*ask)(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink);
    void (*cancel)(skn_asking *a); /* no callback after this */
    /* Fills in what is known of an answer that has not ended: its tokens, when it began. May be NULL. */
    void (*so_far)(const skn_asking *a, skn_answer *out);
    void (*free)(skn_provider *p); /* all requests are over */
    /* `ask`: where it is not known its server is asked, and the next call may tell. May be NULL. */
    skn_window (*window)(skn_provider *p, skn_str model, bool ask);
    /* Whether the model has refused tools; it is offered none then. May be NULL. */
    bool (*toolless)(const skn_provider *p, skn_str model);
} skn_provider_ops;

/* First member of every provider and of every request. */
struct skn_provider {
    const skn_provider_ops *ops;
    const char             *name; /* what stands before "/" */
};
struct skn_asking {
    skn_provider *provider;
};

skn_asking *skn_ask_model(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink);
void        skn_asking_cancel(skn_asking *a); /* NULL is fine */
/* How the answer would end if it were cancelled now: SKN_ASK_STOPPED, with what it has cost. */
void       skn_asking_so_far(const skn_asking *a, skn_answer *out);
void       skn_provider_free(skn_provider *p);
skn_window skn_provider_window(skn_provider *p, skn_str model, bool ask);
/* What a model of a well-known service can read, by its name; 0: not known. */
int64_t skn_window_known(skn_str model);
bool    skn_provider_toolless(const skn_provider *p, skn_str model);

/* --- scripted.c: canned answers, honest about it --------------------------------------------- */

typedef struct skn_script skn_script; /* script.c: rules, checked; immutable */

/* Reads a script (docs/scripts.md); `what` names it in messages: "FILE:3:5: …". */
skein_rc skn_script_read(skn_script **out, skn_str source, const char *what, skein_error *err);
/* The tour's own. */
skn_script *skn_script_tour(void);
void        skn_script_free(skn_script *s);

typedef struct skn_scripted_options {
    skn_script *script;   /* taken over */
    bool        no_delay; /* skips every wait */
} skn_scripted_options;

/* Named "demo"; answers to the model "scripted". */
skn_provider *skn_scripted_new(skn_loop *loop, const skn_scripted_options *o);

/* --- wire.c: models behind HTTP ---------------------------------------------------------------- */

typedef enum skn_wire_kind {
    SKN_WIRE_OPENAI,
    SKN_WIRE_ANTHROPIC,
    SKN_WIRE_OLLAMA,
    SKN_WIRE_RESPONSES
} skn_wire_kind;

typedef struct skn_wire_options {
    const char   *name; /* what stands before "/" */
    skn_wire_kind kind;
    skn_str       base_url;          /* "https://api.openai.com/v1", "http://127.0.0.1:11434" */
    skn_str       key;               /* a secret; absent: none is sent */
    bool          key_needed;        /* without one every question is SKN_ASK_NO_KEY */
    const skn_fetch_header *headers; /* sent besides */
    size_t                  header_count;
    int64_t                 stall_ms; /* 0: 120 s */
    int64_t                 total_ms; /* of a question, all tries together; 0: no limit */
    int                     retries;  /* further tries; negative: 3 */
    int                     at_once;  /* questions; the rest waits; 0: no limit */
    bool    one_slot;   /* without at_once: one, or as many as the server says that it takes */
    int64_t backoff_ms; /* before the first further try; 0: 500 */
} skn_wire_options;

/* Everything is copied; the key is wiped when the provider goes. */
skn_provider *skn_wire_new(skn_loop *loop, skn_net *net, const skn_wire_options *o);
/* "openai" (also "openai-compatible"), "anthropic", "ollama". */
bool skn_wire_kind_from(skn_str word, skn_wire_kind *out);

/* A model that a server offers. */
typedef struct skn_model {
    skn_str name;
    int64_t window; /* tokens it can read; 0: not told */
} skn_model;

typedef struct skn_models {
    const skn_model *at;
    size_t           count;
    skn_ask_state    state; /* SKN_ASK_ANSWERED, or why there is no list */
    skein_error      error;
    skn_str          version; /* of an Ollama server; absent elsewhere */
} skn_models;

typedef void skn_models_done(void *arg, const skn_models *models);

/* Asks the server which models it has: the test of its address and key as well. done is called once,
 * never from inside; a provider that is freed before calls it with an error. */
void skn_wire_models(skn_provider *p, int64_t total_ms, skn_models_done *done, void *arg);

/* The word of a provider's wire format, "openai"; NULL for one without. */
const char *skn_wire_word(const skn_provider *p);
/* Bytes of what was thought for messages that a model ("provider/model") is sent in a format, which may be NULL. Any
 * thread. */
size_t skn_thought_bytes(const struct skn_wire_format *f, skn_str model,
                         const skein_context *c);
/* Tokens that the settings of an agent allow for thinking, where a format does not count them among those of the answer;
 * else 0. Any thread. */
int64_t skn_thinking_beside(const struct skn_wire_format *f, const struct skn_json *settings);

/* --- provider.c: what this computer has to offer ------------------------------------------------- */

/* The variable that may hold the key of a provider, and where that provider is. */
typedef struct skn_key_name {
    const char   *provider, *label; /* "openai", "OpenAI" */
    const char   *variable, *other; /* other: a second name, or NULL */
    skn_wire_kind kind;
    const char   *base_url;
} skn_key_name;

/* A server that may run on this computer. */
typedef struct skn_server_name {
    const char   *name, *label; /* "lmstudio", "LM Studio" */
    skn_wire_kind kind;
    int           port;
} skn_server_name;

enum { SKN_SERVERS = 4, SKN_KEY_NAMES = 7 };

extern const skn_server_name skn_server_names[SKN_SERVERS];

extern const skn_key_name skn_key_names[SKN_KEY_NAMES];

/* A server that was looked for. */
typedef struct skn_found_server {
    const skn_server_name *about;
    skn_str                base_url;  /* as skn_wire_options wants it; may be absent */
    skn_str                place;     /* "127.0.0.1:1234" */
    bool                   elsewhere; /* on another computer, so it was not asked */
    const char            *problem;   /* why it was not asked; else NULL */
    bool                   answered;
    skn_str                version; /* of Ollama; else absent */
    const skn_model       *models;
    size_t                 model_count;
} skn_found_server;

typedef struct skn_found_key {
    const skn_key_name *about;
    const char         *variable; /* that is set; NULL: none */
    char                tail[16]; /* "…9f3a"; "…" of a short one. All that is kept of it */
} skn_found_key;

typedef struct skn_detected {
    bool             looked_local, looked_environment;
    skn_found_server servers[SKN_SERVERS];
    skn_found_key    keys[SKN_KEY_NAMES];
} skn_detected;

typedef struct skn_detect_options {
    bool    local, environment; /* what to look for */
    int64_t wait_ms;            /* for each answer; 0: 300 */
    int     ports[SKN_SERVERS]; /* 0: the default */
    const char *(*env)(void *arg, const char *name);
    void *env_arg;
} skn_detect_options;

typedef struct skn_detecting skn_detecting;
typedef void                 skn_detect_done(void *arg, const skn_detected *found);

/* Looks for all at once. done is called once, last, and never from inside; what it gets lives until it
 * returns. */
skn_detecting *skn_detect(skn_loop *loop, skn_net *net, const skn_detect_options *o,
                          skn_detect_done *done, void *arg);
void           skn_detect_cancel(skn_detecting *d); /* no callback after this; NULL is fine */
/* Its value is not shown: it may hold a password. */
#define SKN_OLLAMA_UNCLEAR                                                                     \
    "OLLAMA_HOST is not an address like http://127.0.0.1:11434; nothing is sent to it"
/* Where a server is; `ollama` is what OLLAMA_HOST says, or NULL; port 0: the default. Absent when that is not a clear
 * address (skn_url_is_clear). */
skn_str skn_server_url(const skn_server_name *about, const char *ollama, int port,
                       skn_arena *a);
/* "127.0.0.1:1234", "api.openai.com" */
skn_str skn_url_place(skn_str url);
/* "…9f3a": enough to tell one key from another. */
void skn_key_tail(skn_str key, char out[16]);

/* --- record.c: what was asked and answered, kept and played back --------------------------------- */

/* Hands every question on to `inner` (not taken over) and writes request and answer, byte for byte, into
 * files of the folder. No header, so no key, is ever written. */
skn_provider *skn_recorder_new(skn_provider *inner, const char *folder, skein_error *err);
/* Answers a question from a recording of one that differs in ids and times at most, through the same reader of its wire
 * format; others are SKN_ASK_FAILED. Named like the provider that was recorded. */
skein_rc skn_replay_open(skn_provider **out, skn_loop *loop, const char *folder,
                         const char *name, skein_error *err);
/* The model of agents that name none, kept in a recording; absent: nothing was recorded. */
void    skn_record_usual(const char *folder, skn_str model);
skn_str skn_replay_usual(const char *folder, skn_arena *a);

#endif
