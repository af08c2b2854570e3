/* config.h: how the program is to run: built-in values, skein.yaml, the environment, flags.
 *
 * Reading never fails: an error becomes a problem with its place and a remedy, the previous value stays, and the
 * caller decides what to do.
 * Threads: reading any, each with its own arena; what was read is immutable.
 * Lifetimes: everything lives in the arena. */
#pragma once

#include "base/arena.h"
#include "base/env_rule.h"
#include "base/json_write.h"
#include "base/yaml.h"

typedef enum skn_config_id {
#define SKN_CONFIG(name, section, key, type, value, least, most, choices, flags, help)         \
    SKN_CONFIG_##name,
#include "config/config.def"
#undef SKN_CONFIG
    SKN_CONFIG_COUNT
} skn_config_id;

typedef enum skn_config_type {
    SKN_IS_MODEL, /* auto, or provider/model */
    SKN_IS_CHOICE,
    SKN_IS_SWITCH,
    SKN_IS_MAYBE, /* auto, or a switch */
    SKN_IS_NUMBER,
    SKN_IS_SIZE,
    SKN_IS_DURATION,
    SKN_IS_PERIOD, /* a duration, or off */
    SKN_IS_LISTEN,
    SKN_IS_SOCKET,
    SKN_IS_PATH,
    SKN_IS_URL,
    SKN_IS_ORIGINS
} skn_config_type;

typedef enum skn_config_use {
    SKN_USE_NONE,
    SKN_USE_RESTART, /* a change needs a restart */
    SKN_USE_STORED   /* people may change it while working: then the store has it */
} skn_config_use;

typedef struct skn_config_row {
    const char     *section, *key;
    skn_config_type type;
    const char     *value;
    int64_t         least, most;
    const char     *choices;
    skn_config_use  use;
    const char     *help;
} skn_config_row;

extern const skn_config_row skn_config_rows[SKN_CONFIG_COUNT];

/* Where a value comes from; a later one wins. */
typedef enum skn_config_from {
    SKN_FROM_BUILT_IN,
    SKN_FROM_FILE,
    SKN_FROM_STORE,
    SKN_FROM_VARIABLE,
    SKN_FROM_FLAG
} skn_config_from;

typedef struct skn_config_value {
    skn_str         text;   /* as it was written; a list with ", " between */
    int64_t         number; /* of a number; bytes; milliseconds; 0, 1 of a switch; -1 auto */
    const char    **list;   /* of a list */
    size_t          count;
    skn_config_from from;
    const char     *source; /* the file, the variable or the flag */
    int             line;   /* of the file */
} skn_config_value;

/* The address of a model's provider; kept for requests to models. */
typedef struct skn_config_provider {
    skn_str         name, type;
    const skn_yaml *at; /* all that was written */
    const char     *file;
} skn_config_provider;

/* A variable that may be named by who works with the program, and where it may go. */
typedef struct skn_config_secret {
    skn_env_grant grant;
    const char   *file;
    int           line;
} skn_config_secret;

/* Where a key comes from. */
typedef enum skn_key_from {
    SKN_KEY_UNSAID, /* nothing is said: the secret store, or a well-known variable */
    SKN_KEY_ENV,
    SKN_KEY_FILE,
    SKN_KEY_CREDENTIAL, /* of systemd */
    SKN_KEY_COMMAND,
    SKN_KEY_WRITTEN /* in the file itself */
} skn_key_from;

typedef struct skn_key_source {
    skn_key_from from;
    skn_str      name;    /* of the variable, file or credential; the key itself, if written */
    const char **command; /* its words, NULL at the end */
} skn_key_source;

typedef struct skn_named_text {
    skn_str name, value;
} skn_named_text;

/* What a model costs: millionths of a US dollar for a million tokens. */
typedef struct skn_model_price {
    skn_str model; /* a "*" at its end stands for any rest */
    int64_t input, cached, written, output;
    int     rank; /* of the table it stands in; the higher one counts */
} skn_model_price;

/* What a model's window may be set to. */
enum { SKN_WINDOW_LEAST = 1024, SKN_WINDOW_MOST = 100000000 };
/* prices.c: the price of a model in such a list; NULL: it is not known. */
const skn_model_price *skn_price_find(const skn_model_price *list, size_t count, skn_str model);
/* Billionths of a US dollar; tokens below 0 are none. `cached` and `written` are parts of `in`. */
int64_t skn_price_of(const skn_model_price *p, int64_t in, int64_t cached, int64_t written,
                     int64_t out);

/* A provider of the file; missing values are absent, or as noted. */
typedef struct skn_provider_setting {
    skn_str                name, type, base_url;
    skn_key_source         key;
    const skn_named_text  *headers;
    size_t                 header_count;
    int64_t                timeout_ms; /* 0 */
    int                    retries;    /* -1 */
    int                    at_once;    /* 0 */
    int64_t                window;     /* of its models, in tokens; 0 */
    const skn_str         *models;
    size_t                 model_count;
    int64_t                monthly_micros, daily_micros; /* of a US dollar; 0: no limit */
    const skn_model_price *prices;
    size_t                 price_count;
    bool                   stops;  /* at the limit; else the person is asked */
    skn_str                origin; /* "/etc/skein/skein.yaml:36" */
} skn_provider_setting;

typedef struct skn_config_problem {
    bool        error;
    const char *file; /* or variable, or flag */
    int         line, column;
    skn_str     text, cure; /* the cure may be absent */
} skn_config_problem;

typedef struct skn_config_file {
    const char *path;
    bool        read; /* false: it is not there */
} skn_config_file;

typedef struct skn_config {
    skn_config_value values[SKN_CONFIG_COUNT];
    skn_vec(skn_config_provider) providers;
    skn_vec(skn_config_secret) secrets;
    skn_vec(skn_model_price) prices; /* of the files prices.yaml, and the built-in ones */
    skn_vec(skn_config_problem) problems;
    skn_vec(skn_config_file) files; /* that were looked for, in order */
    int  errors, warnings;
    bool unreadable; /* a file is there and could not be read at all */
} skn_config;

typedef struct skn_config_given {
    skn_config_id id;
    const char   *value;
    const char   *flag; /* "--listen" */
} skn_config_given;

typedef struct skn_config_sources {
    const char             *file;   /* read this one alone; NULL: the usual two */
    const char             *system; /* "/etc/skein/skein.yaml"; NULL: not looked for */
    const char             *home, *config_home; /* $HOME, $XDG_CONFIG_HOME; may be NULL */
    char                  **environment;
    const skn_config_given *given;
    size_t                  given_count;
} skn_config_sources;

skn_config *skn_config_read(const skn_config_sources *from, skn_arena *a);
/* The setting with this name, "server.listen"; SKN_CONFIG_COUNT when there is none. */
skn_config_id skn_config_find(skn_str name);
/* Takes what the store has for a setting that people may change while working. */
void skn_config_store(skn_config *c, skn_config_id id, skn_str text, skn_arena *a);
/* "/etc/skein/skein.yaml:3", "SKEIN_LOG_LEVEL", "--listen", "built-in" or "store". */
skn_str skn_config_origin(const skn_config_value *v, skn_arena *a);
/* The problem as lines without a last line end: "FILE:3:3: unknown key …". */
skn_str skn_config_line(const skn_config_problem *p, skn_arena *a);
/* "2 errors, 1 warning" */
skn_str skn_config_verdict(const skn_config *c, skn_arena *a);
/* {"server.listen":{"value":…,"origin":…,"restart":…},…,"problems":[…]}; no secret is in it. The
 * problems are those of `tried`, which may be one that was read later and could not be used. */
void skn_config_shape(skn_jw *w, const skn_config *c, const skn_config *tried,
                      skn_arena *scratch);
/* One value as JSON: a number, true, a list, or text. */
void skn_config_value_shape(skn_jw *w, const skn_config *c, skn_config_id id);
/* "127.0.0.1:7534", "[::1]:0", "localhost:80"; false when it is none of the kind. */
bool skn_listen_parse(skn_str text, char host[46], int *port);
/* A provider's settings, copied into the arena: what was read without a problem is valid. */
void skn_config_provider_read(const skn_config_provider *p, skn_provider_setting *out,
                              skn_arena *a);
/* True for "openai", "office-2": what may stand before the "/" of a model. */
bool skn_is_provider_name(skn_str s);
/* "openai", "ollama" and so on. */
bool skn_is_provider_type(skn_str s);
/* An address without anything that could be a secret. */
bool skn_is_provider_url(skn_str text);
/* "api.github.com, command" */
skn_str skn_config_secret_text(const skn_config_secret *s, skn_arena *a);
/* A provider as text for people: no secret is in it. */
skn_str skn_config_provider_text(const skn_config_provider *p, skn_arena *a);

/* --- For the files of the configuration alone ------------------------------------------------ */

typedef struct skn_config_reading {
    skn_config *c;
    skn_arena  *a;
    const char *home;
    const char *file;
    int         open;   /* mode of the file, if others can read it (0644); else 0 */
    int         prices; /* the rank of the table of prices that is read; 0: it is none */
} skn_config_reading;

/* Adds a problem of the file at this place. */
void skn_config_wrong(skn_config_reading *r, bool error, int line, int column, skn_str text,
                      skn_str cure);
/* An error at a value, or at its key, with a text like that of printf. */
#define skn_config_bad(r, at, ...)                                                             \
    skn_config_wrong(r, true, (at)->line, (at)->column, skn_arena_printf((r)->a, __VA_ARGS__), \
                     SKN_NONE)
#define skn_config_bad_key(r, at, ...)                                                         \
    skn_config_wrong(r, true, (at)->key_line, (at)->key_column,                                \
                     skn_arena_printf((r)->a, __VA_ARGS__), SKN_NONE)
/* An unknown key; these are known (NULL at the end). where: " in server", or "". */
void skn_config_unknown(skn_config_reading *r, const skn_yaml *at, const char *where,
                        const char *const *names);
/* Is nothing written there but comments? */
bool skn_config_is_empty(const skn_yaml *at);
bool skn_config_is_among(const char *const *names, skn_str name);
/* The section "providers". */
void skn_config_providers(skn_config_reading *r, const skn_yaml *section);
/* A table of prices, as prices.yaml has it. */
void skn_config_prices(skn_config_reading *r, const skn_yaml *root);
/* The built-in one. */
void skn_config_prices_standard(skn_config_reading *r);
/* "{ input: 2.50, cached: 0.25, written: 3, output: 10 }"; false: that is none. */
bool skn_config_price(const skn_yaml *at, skn_model_price *out);
/* "10.00" in millionths; INT64_MAX when it is more. */
int64_t skn_micros_of(skn_str digits);
/* An amount like "10.00 USD", in millionths; 0: it is none, or too small to be a limit. */
int64_t skn_config_money(const skn_yaml *at);
/* The section "secrets". */
void skn_config_secrets(skn_config_reading *r, const skn_yaml *section);
/* True for "" and for an address with http or https and a host, no password in it. */
bool skn_config_url(skn_str text, bool origin_only);
