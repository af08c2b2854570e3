/* provider.h: asks models and passes on their answers piece by piece; the public header of this folder.
 *
 * A model is named "provider/model". All providers have one table of functions; the scripted provider (demo/scripted)
 * needs neither key nor network.
 * Threads: everything on the loop's thread; callbacks too. Lifetimes: a request is copied, so it may be freed once
 * ask has returned; texts in callbacks live until the callback returns. */
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

/* A limit of spending that is reached. */
typedef struct skn_limit_hit {
    skn_str key;   /* which limit, and of when; absent: none */
    bool    daily; /* of the day; else of the month */
    bool    world; /* of the world; else of the provider */
    bool    stops; /* nobody is asked whether it may be exceeded */
} skn_limit_hit;

typedef struct skn_ask {
    skn_str              model; /* what follows "provider/" */
    skn_str              agent; /* the agent that answers */
    skn_str              system_prompt;
    const skein_context *context; /* may be NULL for the scripted provider */
    skn_str              asker;   /* the author of the message to answer: "human", "lead" */
    skn_str              said;    /* that message alone: the context may have more after it */
    skn_str tool, result;         /* the last tool of this turn and its result; or absent */
    skn_str id;                   /* of the next message: makes ids of calls unique */
    int64_t hops_left;
    const skn_tool_offer *tools;
    size_t                tool_count;
    double                temperature; /* below 0: the model's own */
    int64_t               most_tokens; /* of the answer; 0: the model's own limit */
    const struct skn_json
        *settings;      /* of the agent: topP stop seed effort thinkingTokens schema; or NULL */
    const skn_str *let; /* limits (skn_limit_hit.key) that a person lets it exceed */
    size_t         let_count;
    bool           hurried; /* a fallback can answer: do not wait long */
    int64_t from; /* equal for all requests of a conversation, so that none delays the others */
    int64_t window; /* tokens of the window to request from servers that set it by request;
                     * 0: their own */
    int64_t left;   /* tokens of the window that the request leaves free; 0: not known */
} skn_ask;

/* In prompts, before the date and a full stop: a recording of another day fits all the same. */
#define SKN_TODAY "Today is "

typedef enum skn_part {
    SKN_PART_TEXT,
    SKN_PART_THINKING,
    SKN_PART_ARGS /* of calls: only to be watched, `call` has them whole */
} skn_part;

/* How a request ended. skn_ask_state_word has the word that clients see. */
typedef enum skn_ask_state {
    SKN_ASK_ANSWERED,
    SKN_ASK_NO_KEY,      /* "no-key": there is none, or it may not be used yet */
    SKN_ASK_BAD_KEY,     /* "bad-key": 401, 403 */
    SKN_ASK_RATE_LIMIT,  /* "rate-limit": 429 */
    SKN_ASK_OVERFLOW,    /* "context-overflow": more than the model can read */
    SKN_ASK_NO_TOOLS,    /* "no-tools": the model refuses the offered tools */
    SKN_ASK_CUT,         /* "cut": the stream ended before its end */
    SKN_ASK_STALLED,     /* "stalled": nothing more arrived */
    SKN_ASK_MALFORMED,   /* "malformed": the answer cannot be read */
    SKN_ASK_WRONG_TYPE,  /* "wrong-content-type" */
    SKN_ASK_EMPTY,       /* "empty": a complete answer without text and calls */
    SKN_ASK_REFUSED,     /* "refused": another 4xx, or an error inside the stream */
    SKN_ASK_UNAVAILABLE, /* "unavailable": 5xx */
    SKN_ASK_UNREACHABLE, /* "unreachable": no connection */
    SKN_ASK_OVER_BUDGET, /* "over-budget": a limit of spending */
    SKN_ASK_STOPPED,     /* "stopped": cancelled while the model answered */
    SKN_ASK_IN_LINE,     /* "in-line": not sent yet, others come first; only in a pause */
    SKN_ASK_FAILED       /* "failed": anything else */
} skn_ask_state;

const char *skn_ask_state_word(skn_ask_state state);

/* The outcome of a request. */
typedef struct skn_answer {
    skein_error   error; /* code SKEIN_OK: complete */
    skn_ask_state state;
    int           status;                /* of the provider's HTTP answer; 0: there was none */
    bool          retryable;             /* of a failure */
    int64_t       retry_after_ms;        /* as the provider says; 0: it does not say */
    const char   *finish;                /* "stop", "length" or "tool" */
    int64_t       tokens_in, tokens_out; /* -1: not measured */
    int64_t       tokens_cached,
        tokens_written; /* of tokens_in: read from and written to the provider's cache */
    int64_t cost;       /* billionths of a dollar; -1: the price is not known */
    bool    estimated;  /* the tokens are estimated from the length of texts */
    bool    replayed;   /* from a recording: no model was asked */
    int64_t first_ms;   /* until the first part of the answer; -1: nothing arrived */
    int     tries;      /* requests that were sent */
    skn_str reasoning;  /* JSON that the model wants back with its answer (wire_reason.c); lives
                    * until done returns */
    skn_limit_hit limit; /* the reached limit; lives until done returns */
} skn_answer;

typedef struct skn_answer_sink {
    /* The exact request, in pieces: each message of the context is one, so that equal pieces of two requests can be
     * stored once. Called again before each retry. May be NULL. */
    void (*sent)(void *arg, const skn_str *pieces, size_t count);
    /* The exact bytes of the answer. May be NULL. */
    void (*received)(void *arg, skn_str bytes);
    void (*delta)(void *arg, skn_part part, skn_str text);
    void (*call)(void *arg, const skein_tool_call *call);
    /* The request failed and is sent again after so many milliseconds; 0: when other requests have ended. May be
     * NULL. */
    void (*pause)(void *arg, skn_ask_state why, const skein_error *err, int64_t ms);
    /* Called once and last, unless the request was cancelled; never inside skn_ask_model. */
    void (*done)(void *arg, const skn_answer *answer);
    void *arg;
} skn_answer_sink;

typedef struct skn_asking   skn_asking;
typedef struct skn_provider skn_provider;

/* How much a model can read, and where that is from. */
typedef struct skn_window {
    int64_t                       tokens; /* 0: not known */
    const char                   *from;   /* "setting" "provider" "table"; NULL: unknown */
    bool                          asked;  /* its server is being asked */
    const struct skn_wire_format *format; /* of its provider; NULL: none */
    int                           sees;   /* images: 1; -1: none; 0: not known */
} skn_window;

typedef struct skn_provider_ops {
    skn_asking *(*ask)(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink);
    void (*cancel)(skn_asking *a); /* no callback after this */
    /* Fills in what is known of an unfinished answer: its tokens, its start. May be NULL. */
    void (*so_far)(const skn_asking *a, skn_answer *out);
    void (*free)(skn_provider *p); /* all requests have ended */
    /* `ask`: an unknown window is asked from the server, for the next call. May be NULL. */
    skn_window (*window)(skn_provider *p, skn_str model, bool ask);
    /* Whether the model has refused tools, so that it is offered none. May be NULL. */
    bool (*toolless)(const skn_provider *p, skn_str model);
} skn_provider_ops;

/* The first member of every provider and of every request. */
struct skn_provider {
    const skn_provider_ops *ops;
    const char             *name; /* the part before "/" */
};
struct skn_asking {
    skn_provider *provider;
};

skn_asking *skn_ask_model(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink);
void        skn_asking_cancel(skn_asking *a); /* NULL is fine */
/* Fills in the outcome if the request were cancelled now: SKN_ASK_STOPPED, with its cost so far. */
void       skn_asking_so_far(const skn_asking *a, skn_answer *out);
void       skn_provider_free(skn_provider *p);
skn_window skn_provider_window(skn_provider *p, skn_str model, bool ask);
/* The window of a model of a well-known service, by its name; 0: unknown. */
int64_t skn_window_known(skn_str model);
bool    skn_provider_toolless(const skn_provider *p, skn_str model);

/* --- scripted.c: canned answers -------------------------------------------------------------- */

typedef struct skn_script skn_script; /* script.c: rules, checked; immutable */

/* Reads a script (docs/scripts.md); `what` names it in messages: "FILE:3:5: …". */
skein_rc skn_script_read(skn_script **out, skn_str source, const char *what, skein_error *err);
/* The tour's script. */
skn_script *skn_script_tour(void);
void        skn_script_free(skn_script *s);

typedef struct skn_scripted_options {
    skn_script *script;   /* the provider takes it over */
    bool        no_delay; /* skips every wait */
} skn_scripted_options;

/* Creates the provider "demo", whose model is "scripted". */
skn_provider *skn_scripted_new(skn_loop *loop, const skn_scripted_options *o);

/* --- wire.c: models over HTTP ------------------------------------------------------------------ */

typedef enum skn_wire_kind {
    SKN_WIRE_OPENAI,
    SKN_WIRE_ANTHROPIC,
    SKN_WIRE_OLLAMA,
    SKN_WIRE_RESPONSES
} skn_wire_kind;

typedef struct skn_wire_options {
    const char   *name; /* the part before "/" */
    skn_wire_kind kind;
    skn_str       base_url;          /* "https://api.openai.com/v1", "http://127.0.0.1:11434" */
    skn_str       key;               /* a secret; absent: none is sent */
    bool          key_needed;        /* without a key every request is SKN_ASK_NO_KEY */
    const skn_fetch_header *headers; /* further headers */
    size_t                  header_count;
    int64_t                 stall_ms; /* 0: 120 s */
    int64_t                 total_ms; /* of a request with all retries; 0: no limit */
    int                     retries;  /* retries; negative: 3 */
    int                     at_once;  /* most requests at once; 0: no limit */
    bool                    one_slot; /* without at_once: one, or as many as the server tells */
    int64_t                 backoff_ms; /* before the first retry; 0: 500 */
} skn_wire_options;

/* Copies everything; the key is wiped when the provider is freed. */
skn_provider *skn_wire_new(skn_loop *loop, skn_net *net, const skn_wire_options *o);
/* "openai" (also "openai-compatible"), "anthropic", "ollama". */
bool skn_wire_kind_from(skn_str word, skn_wire_kind *out);

/* A model that a server offers. */
typedef struct skn_model {
    skn_str name;
    int64_t window; /* tokens; 0: unknown */
} skn_model;

typedef struct skn_models {
    const skn_model *at;
    size_t           count;
    skn_ask_state    state; /* SKN_ASK_ANSWERED, or why there is no list */
    skein_error      error;
    skn_str          version; /* of an Ollama server; absent elsewhere */
} skn_models;

typedef void skn_models_done(void *arg, const skn_models *models);

/* Lists the models of a server, which also tests its address and key. done is called once, never inside the call; if
 * the provider is freed first, done gets an error. */
void skn_wire_models(skn_provider *p, int64_t total_ms, skn_models_done *done, void *arg);

/* The name of a provider's wire format, "openai"; NULL: none. */
const char *skn_wire_word(const skn_provider *p);
/* Bytes of the thinking that a model ("provider/model") is sent with these messages; the format may be NULL. Any thread. */
size_t skn_thought_bytes(const struct skn_wire_format *f, skn_str model,
                         const skein_context *c);
/* Tokens that an agent's settings allow for thinking, if the format counts them in addition to the answer; else 0. Any
 * thread. */
int64_t skn_thinking_beside(const struct skn_wire_format *f, const struct skn_json *settings);

/* --- provider.c: detection on this computer ------------------------------------------------------ */

/* A variable that may hold the key of a provider, with that provider's address. */
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

/* A server that detection looks for. */
typedef struct skn_found_server {
    const skn_server_name *about;
    skn_str                base_url;  /* as in skn_wire_options; may be absent */
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
    char                tail[16]; /* "…9f3a", or "…" of a short key; no more of the key is
                                   * kept */
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

/* Asks all servers at once. done is called once and last, never inside the call; its arguments live until it
 * returns. */
skn_detecting *skn_detect(skn_loop *loop, skn_net *net, const skn_detect_options *o,
                          skn_detect_done *done, void *arg);
void           skn_detect_cancel(skn_detecting *d); /* no callback after this; NULL is fine */
/* The value is not shown, because it may contain a password. */
#define SKN_OLLAMA_UNCLEAR                                                                     \
    "OLLAMA_HOST is not an address like http://127.0.0.1:11434; nothing is sent to it"
/* The address of a server; `ollama` is the value of OLLAMA_HOST, or NULL; port 0: the default. Absent if the address
 * is not clear (skn_url_is_clear). */
skn_str skn_server_url(const skn_server_name *about, const char *ollama, int port,
                       skn_arena *a);
/* "127.0.0.1:1234", "api.openai.com" */
skn_str skn_url_place(skn_str url);
/* "…9f3a": enough to tell keys apart. */
void skn_key_tail(skn_str key, char out[16]);

/* --- record.c, replay.c: recording and replaying ------------------------------------------------- */

/* Passes every request on to `inner` (not taken over) and writes request and answer, byte for byte, into files of the
 * folder. Headers, and so keys, are never written. */
skn_provider *skn_recorder_new(skn_provider *inner, const char *folder, skein_error *err);
/* Answers from a recording, through the reader of its wire format. A request may differ from the recorded one only in
 * ids and times; others are SKN_ASK_FAILED. The provider has the name of the recorded one. */
skein_rc skn_replay_open(skn_provider **out, skn_loop *loop, const char *folder,
                         const char *name, skein_error *err);
/* The default model, stored in a recording; absent: nothing was recorded. */
void    skn_record_usual(const char *folder, skn_str model);
skn_str skn_replay_usual(const char *folder, skn_arena *a);

#endif
