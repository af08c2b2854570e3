/* provider_plan.h: what providers there are to be: worked out from the configuration, the store, the
 * environment and the secret store, away from the loop. Only the files of the provider set include it.
 *
 * Threads: any; it may wait for the disk and for a command that prints a key.  Lifetimes: everything lives
 * in the arena; skn_plans_wipe before it goes. */
#pragma once

#include "base/json.h"
#include "config/secrets.h"
#include "engine/engine.h"
#include "provider/provider.h"

/* A provider as the store keeps it: {"type","baseUrl","apiKeyEnv","consent","headers",
 * "timeoutMs","maxRetries","concurrency","contextWindow","keyKept"}. No key. */
typedef struct skn_provider_stored {
    skn_str               name, type, base_url, key_env;
    bool                  consent;
    bool                  key_kept; /* by the computer on which it was given */
    const skn_named_text *headers;
    size_t                header_count;
    int64_t               timeout_ms; /* 0: not said */
    int                   retries;    /* -1: not said */
    int                   at_once;    /* 0: not said */
    int64_t               window;     /* 0: not said */
    skn_str               damaged;    /* set: why it cannot be read; then only `raw` counts */
    skn_str               raw;        /* its JSON, which is kept as it is */
} skn_provider_stored;

typedef struct skn_providers_stored {
    skn_provider_stored *at;
    size_t               count;
} skn_providers_stored;

/* Reads the setting "providers"; absent: there are none. One of them that cannot be read is marked, and hides no
 * other. */
skein_rc skn_stored_read(skn_providers_stored *out, skn_str json, skn_arena *a,
                         skein_error *err);
/* Reads one as POST /providers has it, where headers have rules. *at is the member that is wrong: "/baseUrl". */
skein_rc skn_stored_read_one(skn_provider_stored *out, const skn_json *v, skn_arena *a,
                             const char **at, skein_error *err);
/* The setting as JSON. */
skn_str skn_stored_write(const skn_providers_stored *all, skn_arena *a);

typedef struct skn_plan_sources {
    const skn_provider_setting *settings; /* of the file */
    size_t                      setting_count;
    skn_str                     stored; /* the setting "providers" as JSON; absent: none */
    const char                 *data_dir;
    bool                        environment; /* look for keys in it */
    bool                        no_commands; /* no program is asked for a key */
    int                         ports[SKN_SERVERS];
    skn_env_get                *env;
    void                       *env_arg;
    skn_env_rule               *env_rule; /* which variables may go where */
} skn_plan_sources;

typedef struct skn_provider_plan {
    skn_provider_setting s;     /* the address whole, without "/" at the end */
    skn_str              label; /* "OpenAI", or the name */
    bool                 scripted;
    skn_wire_kind        kind;
    skn_str              key;        /* a secret */
    skn_str              key_source; /* "OPENAI_API_KEY", "secret store"; absent: none */
    char                 key_tail[16];
    bool                 key_needed;
    skn_str no_key, hint; /* why there is none, and what to do; absent: there is one */
    bool    consent;      /* it may be used */
    bool    listed;       /* worth showing: set up by somebody, or with a key */
    bool    kept;         /* by the store */
    bool    key_kept;     /* somebody gave it a key, here or on another computer */
    bool    in_file;
    skn_str damaged; /* set: why what the store has of it cannot be read */
    skn_str nowhere; /* set: why it has no address */
    int     server;  /* in skn_server_names; -1: it is none of them */
} skn_provider_plan;

typedef struct skn_provider_plans {
    skn_vec(skn_provider_plan) all;
    skn_vec(skn_str) warnings;
} skn_provider_plans;

/* Only which there are: no key is looked for, and no program asked. */
void skn_plans_name(skn_provider_plans *out, const skn_plan_sources *from, skn_arena *a);
void skn_plans_make(skn_provider_plans *out, const skn_plan_sources *from, skn_arena *a);
void skn_plans_wipe(skn_provider_plans *p);
/* NULL when there is none. */
skn_provider_plan *skn_plan_find(const skn_provider_plans *p, skn_str name);
/* The file that it is set up in, as a word of a command. */
skn_str skn_plan_file(const skn_provider_plan *p, skn_arena *a);
/* The setting "providers", absent when there is none. */
skn_str skn_stored_setting(const skein_settings *all);
