/* provider_set.h: the providers of a server: their names, where their keys come from, whether they may be used, and
 * their status.
 *
 * A provider that was found by its name stays valid as long as the set: its server or key may change at any time, and
 * requests in progress finish with the old connection. Nothing is sent to another computer until a person allows it:
 * in the configuration, by skn_provider_set_put, or for one test.
 * Threads: the loop's; workers read and write keys, secrets and settings. Callbacks run on the loop, once, never
 * inside the call that they belong to, and not at all if the set is freed first.
 * Lifetimes: arguments of a callback live until it returns; results of a call live until the set changes. */
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
    skn_log      *log;       /* may be NULL */
    const char   *data_dir;  /* has the folder "secrets"; NULL: no key can be stored */
    skn_provider *demo;      /* the set takes it over */
    const char   *record;    /* folder where requests and answers are recorded; or NULL */
    const char   *replay;    /* folder that all answers come from, so that nothing is sent; or
                           * NULL */
    int64_t       answer_ms; /* for one request in all; 0: no limit */
    int           ports[SKN_SERVERS]; /* where local servers are looked for; 0: the default */
    const char *(*env)(void *arg, const char *name); /* NULL: getenv */
    void *env_arg;
    /* Called when a provider, its state or its models have changed. May be NULL. */
    void (*changed)(void *arg);
    void *arg;
} skn_provider_set_options;

/* The status of a provider. */
typedef enum skn_provider_state {
    SKN_PROVIDER_READY,      /* "ready": the scripted provider, which cannot fail */
    SKN_PROVIDER_NOT_TRIED,  /* "not-tried": not contacted yet */
    SKN_PROVIDER_UP,         /* "up": the last request succeeded */
    SKN_PROVIDER_LIMITED,    /* "limited": it refused, because of too many requests */
    SKN_PROVIDER_FAILED,     /* "failed": `problem` says why */
    SKN_PROVIDER_NO_KEY,     /* "no-key" */
    SKN_PROVIDER_UNUSED,     /* "unused": there is a key, but nobody has allowed its use */
    SKN_PROVIDER_NOT_THERE,  /* "not-there": a local server that does not answer */
    SKN_PROVIDER_OVER_BUDGET /* "over-budget": the limit of spending is reached */
} skn_provider_state;

typedef struct skn_provider_info {
    skn_str            name;       /* "openai" */
    skn_str            type;       /* "openai", "anthropic", "ollama", "scripted", … */
    skn_str            base_url;   /* absent for a scripted provider */
    skn_str            place;      /* "api.openai.com" */
    bool               local;      /* on this computer */
    skn_str            key_tail;   /* "…9f3a"; absent without a key */
    skn_str            key_source; /* "OPENAI_API_KEY", "secret store", "/run/secrets/x" */
    skn_str            origin;     /* "built-in", "store", "/etc/skein/skein.yaml:36" */
    skn_provider_state state;
    skn_str            problem, hint; /* absent without a problem */
    skn_str            version;       /* of an Ollama server */
    const skn_model   *models;        /* known so far */
    size_t             model_count;
    skn_named_text    *toolless; /* models that refused tools, each with a remedy */
    size_t             toolless_count;
    int64_t            monthly_micros, daily_micros; /* limits of spending; 0: none */
    int64_t            used_micros, today_micros;    /* spent in this month and on this day */
    const skn_str     *unpriced; /* models without a price, whose cost is not counted */
    size_t             unpriced_count;
    bool               stops; /* at the limit; otherwise the inbox asks a person */
} skn_provider_info;

/* Reads keys and settings at once, so call it before the loop runs; then looks for local servers. */
skein_rc skn_provider_set_new(skn_provider_set **out, const skn_provider_set_options *o,
                              const skn_config *config, skein_error *err);
/* Call it when no request is in progress and the workers have ended. NULL is fine. */
void skn_provider_set_free(skn_provider_set *set);

/* Returns the provider with this name, or NULL. A provider that may not be used yet refuses requests itself. */
skn_provider *skn_provider_set_find(skn_provider_set *set, skn_str name);
/* Returns the default model: the configured one, otherwise the newest of a local server, otherwise the first of a
 * provider in the configuration file, otherwise "demo/scripted". Lives until the next call. */
skn_str skn_provider_set_default_model(skn_provider_set *set);

typedef void skn_provider_set_done(void *arg, const skein_error *err);

/* Reads again what people decided about reached limits, so that lists show it. Returns false when there is nothing to
 * read; then done is not called. */
bool skn_provider_set_look(skn_provider_set *set, skn_provider_set_done *done, void *arg);

/* Lists the providers that are worth showing, by name, the scripted one last. */
void skn_provider_set_list(skn_provider_set *set, skn_arena *a, skn_provider_info **out,
                           size_t *count);
/* Describes one provider, listed or not; returns false if there is none. */
bool        skn_provider_set_get(skn_provider_set *set, skn_str name, skn_arena *a,
                                 skn_provider_info *out);
const char *skn_provider_state_word(skn_provider_state state);
/* What detection looked for and found; NULL until the first detection ends. */
const skn_detected *skn_provider_set_found(const skn_provider_set *set);
/* {"servers":[{"name","label","place","answered","version","models"}],"keys":[{"provider",
 * "variable","tail"}]} */
void skn_detected_shape(skn_jw *w, const skn_detected *found);

/* Call this when the configuration, a secret or the setting "providers" has changed. config NULL: unchanged. done may
 * be NULL. */
void skn_provider_set_reload(skn_provider_set *set, const skn_config *config,
                             skn_provider_set_done *done, void *arg);

typedef enum skn_provider_put {
    SKN_PROVIDER_CREATE, /* SKEIN_CONFLICT if the provider is set up already */
    SKN_PROVIDER_CHANGE, /* SKEIN_NOT_FOUND if there is none */
    SKN_PROVIDER_EITHER
} skn_provider_put;

/* Sets a provider up, or changes the members in the body: {"type","baseUrl","apiKey","apiKeyEnv","consent",
 * "headers","timeoutMs","maxRetries","concurrency","contextWindow"}. A key goes into the secret store; null removes
 * it. A new address removes a stored key, because the key was meant for the old address. A provider of the
 * configuration file only accepts a key. Returns SKEIN_INVALID at once if the body is wrong, with the member in *at
 * ("/baseUrl"; at may be NULL); then done is not called. With done NULL the body is only checked. `as` is the engine
 * that makes the change, valid until done; NULL: the set's own. */
skein_rc skn_provider_set_put(skn_provider_set *set, skn_str name, const skn_json *body,
                              skn_provider_put how, skein_engine *as,
                              skn_provider_set_done *done, void *arg, const char **at,
                              skein_error *err);
/* Removes the provider and its key from the store; SKEIN_CONFLICT for a provider of the configuration file. `dry`:
 * only checks. */
void skn_provider_set_remove(skn_provider_set *set, skn_str name, bool dry, skein_engine *as,
                             skn_provider_set_done *done, void *arg);

/* Lists the models of a provider. `fresh`: asks the server even if they are known, which tests its address and key. */
void skn_provider_set_models(skn_provider_set *set, skn_str name, bool fresh,
                             skn_models_done *done, void *arg);
/* Looks for local servers and keys again. */
void skn_provider_set_detect(skn_provider_set *set, skn_detect_done *done, void *arg);

#endif
