/* The section "providers": who answers for models. It is checked here, and used where models are
 * asked. */
#include "base/clean.h"
#include "base/utf8.h"
#include "config/config.h"

#include <inttypes.h>

static const char *const types[] = {
    "ollama", "openai", "openai-responses", "anthropic", "openai-compatible", "scripted", NULL};
static const char *const keys[] = {"type",    "baseUrl", "apiKey",        "models",
                                   "timeout", "headers", "maxRetries",    "concurrency",
                                   "budget",  "prices",  "contextWindow", NULL};
static const char *const sources[] = {"env", "file", "credential", "command", NULL};
static const char *const budget_keys[] = {"monthly", "daily", "then", NULL};
static const char *const price_keys[] = {"input", "cached", "written", "output", NULL};

#define MOST_PROVIDERS 100
#define MOST_PRICES    1000

typedef struct checking {
    skn_config_reading *r;
    const skn_yaml     *provider;
} checking;

/* "providers.office.budget.monthly is "much": use …" */
static void wrong_inside(const checking *c, const char *inside, const skn_yaml *at,
                         const char *use)
{
    skn_str shown = at->kind == SKN_YAML_TEXT ? skn_utf8_cut(at->text, 80) : SKN_STR("…");

    skn_config_bad(c->r, at, "providers.%.*s.%s%.*s is \"%.*s\": use %s",
                   SKN_FMT(c->provider->key), inside, SKN_FMT(at->key), SKN_FMT(shown), use);
}

static void wrong_value(const checking *c, const skn_yaml *at, const char *use)
{
    wrong_inside(c, "", at, use);
}

static void unknown(const checking *c, const skn_yaml *at, const char *inside,
                    const char *const *names)
{
    skn_config_unknown(
        c->r, at,
        skn_arena_text(c->r->a, " in providers.%.*s%s", SKN_FMT(c->provider->key), inside),
        names);
}

/* --- The key -------------------------------------------------------------------------------- */

static void check_written_key(const checking *c, const skn_yaml *at)
{
    skn_config_reading *r = c->r;

    if (!at->text.n) {
        skn_config_bad(r, at, "apiKey is empty: use { env: NAME } or { file: PATH }");
        return;
    }
    if (!r->open)
        return;
    skn_config_wrong(r, false, at->line, at->column,
                     skn_arena_printf(r->a,
                                      "apiKey is written in the file and the file is readable "
                                      "by others (%04o).",
                                      (unsigned)r->open),
                     skn_arena_printf(r->a, "Use { env: … } or { file: … }, or: chmod 600 %.*s",
                                      SKN_FMT(skn_shell_word(r->a, r->file))));
}

static bool is_command(const skn_yaml *list)
{
    if (list->kind != SKN_YAML_LIST || !list->count)
        return false;
    for (const skn_yaml *word = list->first; word; word = word->next)
        if (word->kind != SKN_YAML_TEXT)
            return false;
    return true;
}

static void check_key(const checking *c, const skn_yaml *at)
{
    const skn_yaml *one = at->first;

    if (at->kind == SKN_YAML_TEXT) {
        check_written_key(c, at);
        return;
    }
    if (at->kind != SKN_YAML_MAP || at->count != 1) {
        skn_config_bad(c->r, at,
                       "apiKey needs one of { env: NAME }, { file: PATH }, "
                       "{ credential: NAME } or { command: [PROGRAM, …] }");
        return;
    }
    if (!skn_config_is_among(sources, one->key))
        unknown(c, one, ".apiKey", sources);
    else if (skn_str_is(one->key, "command") && !is_command(one))
        skn_config_bad(c->r, one, "apiKey.command must be a list: [PROGRAM, WORD, …]");
    else if (!skn_str_is(one->key, "command") && (one->kind != SKN_YAML_TEXT || !one->text.n))
        skn_config_bad(c->r, one, "apiKey.%.*s must be one text", SKN_FMT(one->key));
}

/* --- The rest ------------------------------------------------------------------------------- */

static void check_models(const checking *c, const skn_yaml *at)
{
    if (at->kind != SKN_YAML_LIST) {
        wrong_value(c, at, "a list, like [small, large]");
        return;
    }
    for (const skn_yaml *m = at->first; m; m = m->next)
        if (m->kind != SKN_YAML_TEXT || !m->text.n) {
            skn_config_bad(c->r, m, "models must hold names only");
            return;
        }
}

static void check_headers(const checking *c, const skn_yaml *at)
{
    if (at->kind != SKN_YAML_MAP) {
        wrong_value(c, at, "names with values, like { X-Team: launch }");
        return;
    }
    for (const skn_yaml *h = at->first; h; h = h->next)
        if (h->kind != SKN_YAML_TEXT || !skn_header_is_one(h->key, h->text))
            skn_config_bad(c->r, h, "the header \"%.*s\" cannot be sent like this",
                           SKN_FMT(skn_utf8_cut(h->key, 80)));
}

int64_t skn_config_money(const skn_yaml *at)
{
    skn_str text = at && at->kind == SKN_YAML_TEXT ? at->text : SKN_NONE;
    size_t  digits = 0, dots = 0, n = 0;

    for (; n < text.n && ((text.p[n] >= '0' && text.p[n] <= '9') || text.p[n] == '.'); n++)
        text.p[n] == '.' ? dots++ : digits++;
    if (!digits || dots > 1 || !skn_str_is(skn_str_trim(skn_str_sub(text, n, text.n)), "USD"))
        return 0;
    return skn_micros_of(skn_str_sub(text, 0, n));
}

static void check_budget(const checking *c, const skn_yaml *at)
{
    if (at->kind != SKN_YAML_MAP) {
        wrong_value(c, at, "{ monthly: 10.00 USD, then: ask }");
        return;
    }
    for (const skn_yaml *y = at->first; y; y = y->next) {
        if (!skn_config_is_among(budget_keys, y->key))
            unknown(c, y, ".budget", budget_keys);
        else if (!skn_str_is(y->key, "then") && !skn_config_money(y))
            wrong_inside(c, "budget.", y, "an amount over 0, like 10.00 USD");
        else if (skn_str_is(y->key, "then") && !skn_str_is(y->text, "ask") &&
                 !skn_str_is(y->text, "stop"))
            wrong_inside(c, "budget.", y, "ask or stop");
    }
}

static void check_price(const checking *c, const skn_yaml *at)
{
    skn_model_price price;

    for (const skn_yaml *y = at->first; at->kind == SKN_YAML_MAP && y; y = y->next)
        if (!skn_config_is_among(price_keys, y->key)) {
            unknown(c, y, ".prices", price_keys);
            return;
        }
    if (!skn_config_price(at, &price))
        wrong_inside(c, "prices.", at, "{ input: 2.50, output: 10.00 }, for a million tokens");
}

static void check_prices(const checking *c, const skn_yaml *at)
{
    if (at->kind != SKN_YAML_MAP || at->count > MOST_PRICES) {
        wrong_value(c, at, "{ MODEL: { input: 2.50, output: 10.00 } }");
        return;
    }
    for (const skn_yaml *m = at->first; m; m = m->next)
        check_price(c, m);
}

static void check_number(const checking *c, const skn_yaml *at, int64_t least, int64_t most)
{
    int64_t n;

    if (at->kind != SKN_YAML_TEXT || !skn_str_int(at->text, &n) || n < least || n > most)
        wrong_value(c, at,
                    skn_arena_text(c->r->a, "a whole number from %" PRId64 " to %" PRId64,
                                   least, most));
}

static void check_retries(const checking *c, const skn_yaml *at)
{
    check_number(c, at, 0, 20);
}

static void check_at_once(const checking *c, const skn_yaml *at)
{
    check_number(c, at, 1, 1000);
}

static void check_window(const checking *c, const skn_yaml *at)
{
    check_number(c, at, SKN_WINDOW_LEAST, SKN_WINDOW_MOST);
}

static void check_timeout(const checking *c, const skn_yaml *at)
{
    int64_t ms;

    if (at->kind != SKN_YAML_TEXT || !skn_amount_duration(at->text, &ms) || ms < 1000 ||
        ms > 3600000)
        wrong_value(c, at, "a time like 120s, from 1s to 60m");
}

bool skn_is_provider_type(skn_str s)
{
    return skn_config_is_among(types, s);
}

static void check_type(const checking *c, const skn_yaml *at)
{
    if (at->kind != SKN_YAML_TEXT || !skn_is_provider_type(at->text))
        wrong_value(
            c, at,
            "ollama, openai, openai-responses, anthropic, openai-compatible or scripted");
}

/* What is in an address is shown and logged, so nothing secret may be. */
bool skn_is_provider_url(skn_str text)
{
    return text.n && skn_config_url(text, false) && skn_url_is_clear(text) &&
           !memchr(text.p, '?', text.n) && !memchr(text.p, '#', text.n);
}

static void check_url(const checking *c, const skn_yaml *at)
{
    if (at->kind == SKN_YAML_TEXT && skn_is_provider_url(at->text))
        return;
    skn_config_bad(c->r, at,
                   "providers.%.*s.baseUrl is not an address like https://llm.example.org/v1, "
                   "without password and \"?\"",
                   SKN_FMT(c->provider->key));
}

/* In the order of `keys`. */
static void (*const checks[])(const checking *c, const skn_yaml *at) = {
    check_type,    check_url,     check_key,    check_models, check_timeout, check_headers,
    check_retries, check_at_once, check_budget, check_prices, check_window};

_Static_assert(sizeof checks / sizeof *checks + 1 == sizeof keys / sizeof *keys, "each key");

static void check_member(const checking *c, const skn_yaml *y)
{
    size_t i = 0;

    while (keys[i] && !skn_str_is(y->key, keys[i]))
        i++;
    if (keys[i])
        checks[i](c, y);
    else
        unknown(c, y, "", keys);
}

bool skn_is_provider_name(skn_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        bool plain = (s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= '0' && s.p[i] <= '9');

        if (!plain && !(i && (s.p[i] == '-' || s.p[i] == '_')))
            return false;
    }
    return s.n >= 1 && s.n <= 64;
}

static bool named_well(const checking *c)
{
    const skn_yaml *p = c->provider;

    if (skn_is_provider_name(p->key) && !skn_str_is(p->key, "demo"))
        return true;
    skn_config_bad_key(c->r, p, "\"%.*s\" %s", SKN_FMT(skn_utf8_cut(p->key, 80)),
                       skn_is_provider_name(p->key)
                           ? "is the name of the scripted demo"
                           : "is not a name of a provider: use small letters, digits, - and _");
    return false;
}

/* The same provider in a later file replaces the one before. */
static void keep_provider(const checking *c, skn_str type)
{
    skn_config         *all = c->r->c;
    skn_config_provider one = {c->provider->key, type, c->provider, c->r->file};

    for (size_t i = 0; i < all->providers.n; i++)
        if (skn_str_eq(all->providers.p[i].name, one.name)) {
            all->providers.p[i] = one;
            return;
        }
    skn_vec_add(c->r->a, &all->providers, one);
}

void skn_config_providers(skn_config_reading *r, const skn_yaml *section)
{
    if (section->count > MOST_PROVIDERS) {
        skn_config_bad_key(r, section, "there are over %d providers", MOST_PROVIDERS);
        return;
    }
    for (const skn_yaml *p = section->first; p; p = p->next) {
        checking        c = {r, p};
        const skn_yaml *type = skn_yaml_get(p, "type");

        if (!named_well(&c))
            continue;
        if (p->kind != SKN_YAML_MAP || !type) {
            skn_config_bad_key(r, p, "providers.%.*s needs a \"type:\"", SKN_FMT(p->key));
            continue;
        }
        for (const skn_yaml *y = p->first; y; y = y->next)
            check_member(&c, y);
        keep_provider(&c, type->text);
    }
}

/* The section "secrets": which variables of the environment providers and tool servers may be given, and where they
 * may go. */

enum { MOST_SECRETS = 100, MOST_HOSTS = 50 };

static const char *const secret_keys[] = {"env", NULL};

static void secrets_wrong(skn_config_reading *r, const skn_yaml *at, const char *what)
{
    skn_config_wrong(
        r, true, at->line, at->column,
        skn_arena_printf(r->a, "secrets.env.%.*s %s", SKN_FMT(skn_utf8_cut(at->key, 80)), what),
        SKN_STR("Write NAME: [llm.example.org, \"127.0.0.1:8080\"], or [command] "
                "for programs of tool servers"));
}

/* The same variable in a later file replaces the one before. */
static void secrets_keep(skn_config_reading *r, const skn_config_secret *one)
{
    for (size_t i = 0; i < r->c->secrets.n; i++)
        if (skn_str_eq(r->c->secrets.p[i].grant.name, one->grant.name)) {
            r->c->secrets.p[i] = *one;
            return;
        }
    skn_vec_add(r->a, &r->c->secrets, *one);
}

static void read_variable(skn_config_reading *r, const skn_yaml *y)
{
    skn_str          *hosts = SKN_ARRAY(r->a, y->count + 1, skn_str);
    skn_config_secret one = {{y->key, hosts, 0}, r->file, y->key_line};

    if (!skn_env_is_name(y->key)) {
        secrets_wrong(r, y, "is not a name of a variable");
        return;
    }
    if (y->kind != SKN_YAML_LIST || !y->count || y->count > MOST_HOSTS) {
        secrets_wrong(r, y, "must be a list of hosts");
        return;
    }
    for (const skn_yaml *h = y->first; h; h = h->next) {
        if (h->kind != SKN_YAML_TEXT || !skn_env_is_host(h->text)) {
            secrets_wrong(r, y, "has something in its list that is not a host");
            return;
        }
        hosts[one.grant.host_count++] = h->text;
    }
    secrets_keep(r, &one);
}

static void read_env(skn_config_reading *r, const skn_yaml *env)
{
    if (skn_config_is_empty(env))
        return;
    if (env->kind != SKN_YAML_MAP || env->count > MOST_SECRETS) {
        skn_config_bad(r, env, "secrets.env must hold at most %d variables", MOST_SECRETS);
        return;
    }
    for (const skn_yaml *y = env->first; y; y = y->next)
        read_variable(r, y);
}

void skn_config_secrets(skn_config_reading *r, const skn_yaml *section)
{
    for (const skn_yaml *y = section->first; y; y = y->next)
        if (skn_str_is(y->key, secret_keys[0]))
            read_env(r, y);
        else
            skn_config_unknown(r, y, " in secrets", secret_keys);
}

skn_str skn_config_secret_text(const skn_config_secret *s, skn_arena *a)
{
    skn_str text = SKN_STR("");

    for (size_t i = 0; i < s->grant.host_count; i++)
        text = skn_arena_printf(a, "%.*s%s%.*s", SKN_FMT(text), i ? ", " : "",
                                SKN_FMT(s->grant.hosts[i]));
    return text;
}
