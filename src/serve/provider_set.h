/* provider_set.h: the providers of a server: which there are, where each gets its key, whether it may be
 * used, and how it fares.
 *
 * A provider that was found by its name stays good as long as the set: what stands behind it can change at
 * any time, and questions under way end where they began. Nothing is sent to another computer before
 * somebody said so: by the configuration, by skn_provider_set_put, or for one test.
 * Threads: the loop's; keys, secrets and settings are read and written on the workers. Callbacks come on the
 * loop, once, never from inside the call that they belong to, and not at all when the set goes before.
 * Lifetimes: what a callback gets lives until it returns; what a call returns, until the set changes. */
#ifndef SKN_SERVE_PROVIDER_SET_H
#define SKN_SERVE_PROVIDER_SET_H

#include "base/json.h"
#include "base/json_write.h"
#include "base/log.h"
#include "base/workers.h"
#include "config/config.h"
#include "engine/engine.h"
#include "provider/provider.h"

typedef struct skn_provider_set skn_provider_set;

typedef struct skn_provider_set_options {
    skn_loop     *loop;
    skn_net      *net;
    skn_workers  *workers;
    skein_engine *engine;
    skn_log      *log;      /* may be NULL */
    const char   *data_dir; /* has the folder "secrets"; NULL: no key can be kept */
    skn_provider *demo;     /* taken over */
    const char   *record; /* what is asked and answered is written into this folder; or NULL */
    const char   *replay; /* all answers come from this folder, nothing is sent; or NULL */
    int64_t       answer_ms;          /* for a question, in all; 0: no limit */
    int           ports[SKN_SERVERS]; /* to look at for local servers; 0: the default */
    const char *(*env)(void *arg, const char *name); /* NULL: getenv */
    void *env_arg;
    /* Something is different: a provider, its state, the models it has. May be NULL. */
    void (*changed)(void *arg);
    void *arg;
} skn_provider_set_options;

/* How a provider fares. */
typedef enum skn_provider_state {
    SKN_PROVIDER_READY,      /* "ready": the scripted one, which cannot fail */
    SKN_PROVIDER_NOT_TRIED,  /* "not-tried": whether it answers is not known */
    SKN_PROVIDER_UP,         /* "up": the last answer was good */
    SKN_PROVIDER_LIMITED,    /* "limited": it was asked too often */
    SKN_PROVIDER_FAILED,     /* "failed": `problem` says why */
    SKN_PROVIDER_NO_KEY,     /* "no-key" */
    SKN_PROVIDER_UNUSED,     /* "unused": there is a key, but nobody has allowed its use */
    SKN_PROVIDER_NOT_THERE,  /* "not-there": a local server that does not answer */
    SKN_PROVIDER_OVER_BUDGET /* "over-budget": what it may cost in a month is used up */
} skn_provider_state;

typedef struct skn_provider_info {
    skn_str            name;       /* "openai" */
    skn_str            type;       /* "openai", "anthropic", "ollama", "scripted", … */
    skn_str            base_url;   /* absent for a scripted one */
    skn_str            place;      /* "api.openai.com" */
    bool               local;      /* on this computer */
    skn_str            key_tail;   /* "…9f3a"; absent: there is no key */
    skn_str            key_source; /* "OPENAI_API_KEY", "secret store", "/run/secrets/x" */
    skn_str            origin;     /* "built-in", "store", "/etc/skein/skein.yaml:36" */
    skn_provider_state state;
    skn_str            problem, hint; /* absent when there is none */
    skn_str            version;       /* of an Ollama server */
    const skn_model   *models;        /* that are known so far */
    size_t             model_count;
    skn_named_text    *toolless; /* models that have refused tools, and what to do about it */
    size_t             toolless_count;
    int64_t            monthly_micros, daily_micros; /* limits of spending; 0: none */
    int64_t            used_micros, today_micros;    /* in this month, and in this day */
    const skn_str     *unpriced; /* models that have no price, so that they are not counted */
    size_t             unpriced_count;
    bool               stops; /* at the limit; else the person is asked */
} skn_provider_info;

/* Reads keys and settings at once, so before the loop runs; then looks for local servers. */
skein_rc skn_provider_set_new(skn_provider_set **out, const skn_provider_set_options *o,
                              const skn_config *config, skein_error *err);
/* All questions are over, and the workers have ended. NULL is fine. */
void skn_provider_set_free(skn_provider_set *set);

/* The provider of a name, NULL when there is none. One that may not be used yet answers so itself. */
skn_provider *skn_provider_set_find(skn_provider_set *set, skn_str name);
/* The model for who names none: the configured one; else the newest of a local server; else the first of
 * a provider of the configuration file; else "demo/scripted". Lives until the next call. */
skn_str skn_provider_set_default_model(skn_provider_set *set);

typedef void skn_provider_set_done(void *arg, const skein_error *err);

/* Reads again what people have said to limits that are reached, so that what is shown is so. False when there
 * is nothing to read; then done is not called. */
bool skn_provider_set_look(skn_provider_set *set, skn_provider_set_done *done, void *arg);

/* All that are worth showing, in order of their names, the scripted one last. */
void skn_provider_set_list(skn_provider_set *set, skn_arena *a, skn_provider_info **out,
                           size_t *count);
/* One of them, also of those that are not listed; false when there is none. */
bool        skn_provider_set_get(skn_provider_set *set, skn_str name, skn_arena *a,
                                 skn_provider_info *out);
const char *skn_provider_state_word(skn_provider_state state);
/* What was looked for and what came back; NULL while it is being looked for the first time. */
const skn_detected *skn_provider_set_found(const skn_provider_set *set);
/* {"servers":[{"name","label","place","answered","version","models"}],"keys":[{"provider",
 * "variable","tail"}]} */
void skn_detected_shape(skn_jw *w, const skn_detected *found);

/* The configuration, or a secret, or the setting "providers" has changed. config NULL: as it was. done may
 * be NULL. */
void skn_provider_set_reload(skn_provider_set *set, const skn_config *config,
                             skn_provider_set_done *done, void *arg);

typedef enum skn_provider_put {
    SKN_PROVIDER_CREATE, /* SKEIN_CONFLICT when somebody has set it up */
    SKN_PROVIDER_CHANGE, /* SKEIN_NOT_FOUND when there is none */
    SKN_PROVIDER_EITHER
} skn_provider_put;

/* Sets a provider up, or changes what the body names: {"type","baseUrl","apiKey","apiKeyEnv","consent",
 * "headers","timeoutMs","maxRetries","concurrency","contextWindow"}. A key goes into the secret store; null removes it.
 * A new address drops a kept key, which was meant for the old one. One of the configuration file only takes
 * a key. When the body is wrong, SKEIN_INVALID at once, and *at (may be NULL) is the member: "/baseUrl";
 * then done is not called. With done NULL the body is only checked. `as` is the engine for who wants it, good until done; NULL: the set's own. */
skein_rc skn_provider_set_put(skn_provider_set *set, skn_str name, const skn_json *body,
                              skn_provider_put how, skein_engine *as,
                              skn_provider_set_done *done, void *arg, const char **at,
                              skein_error *err);
/* Forgets what the store has of it, its key included; SKEIN_CONFLICT for one of the configuration file. `dry`: only says
 * whether it would. */
void skn_provider_set_remove(skn_provider_set *set, skn_str name, bool dry, skein_engine *as,
                             skn_provider_set_done *done, void *arg);

/* Asks the server for its models; `fresh`: also when they are known: the test of its address and key. */
void skn_provider_set_models(skn_provider_set *set, skn_str name, bool fresh,
                             skn_models_done *done, void *arg);
/* Looks again for local servers and for keys. */
void skn_provider_set_detect(skn_provider_set *set, skn_detect_done *done, void *arg);

#endif
