/* First those that are known by name, then what the store has to say, then the file: a later one wins. */
#include "config/provider_plan.h"
#include "base/clean.h"
#include "base/env_rule.h"
#include "base/json.h"
#include "base/json_write.h"
#include "engine/engine.h"

#include <string.h>

skn_provider_plan *skn_plan_find(const skn_provider_plans *p, skn_str name)
{
    for (size_t i = 0; i < p->all.n; i++)
        if (skn_str_eq(p->all.p[i].s.name, name))
            return &p->all.p[i];
    return NULL;
}

void skn_plans_wipe(skn_provider_plans *p)
{
    for (size_t i = 0; i < p->all.n; i++)
        skn_secret_wipe(p->all.p[i].key);
}

static const skn_key_name *key_name_of(skn_str name)
{
    for (size_t i = 0; i < SKN_KEY_NAMES; i++)
        if (skn_str_is(name, skn_key_names[i].provider))
            return &skn_key_names[i];
    return NULL;
}

static skn_str type_word(skn_wire_kind kind)
{
    static const char *const words[] = {"openai", "anthropic", "ollama", "openai-responses"};

    return skn_str_of(words[kind]);
}

/* --- Those that are known by name --------------------------------------------------------------- */

static skn_provider_plan *add_plan(skn_provider_plans *out, skn_str name, skn_arena *a)
{
    skn_provider_plan one = {.s = {.name = name, .retries = -1}, .label = name, .server = -1};

    skn_vec_add(a, &out->all, one);
    return &out->all.p[out->all.n - 1];
}

static void add_known(skn_provider_plans *out, const skn_plan_sources *from, skn_arena *a)
{
    const char        *ollama = from->env(from->env_arg, "OLLAMA_HOST");
    skn_provider_plan *p = add_plan(out, SKN_STR("demo"), a);

    p->scripted = p->consent = p->listed = true;
    p->label = SKN_STR("Scripted demo");
    p->s.type = SKN_STR("scripted");
    for (int i = 0; i < SKN_SERVERS; i++) {
        const skn_server_name *about = &skn_server_names[i];

        p = add_plan(out, skn_str_of(about->name), a);
        p->label = skn_str_of(about->label);
        p->s.type = type_word(about->kind);
        p->s.base_url = skn_server_url(about, ollama, from->ports[i], a);
        p->consent = skn_url_is_local(p->s.base_url);
        p->server = i;
    }
    for (size_t i = 0; i < SKN_KEY_NAMES; i++) {
        p = add_plan(out, skn_str_of(skn_key_names[i].provider), a);
        p->label = skn_str_of(skn_key_names[i].label);
        p->s.type = type_word(skn_key_names[i].kind);
        p->s.base_url = skn_str_of(skn_key_names[i].base_url);
    }
    for (size_t i = 0; i < out->all.n; i++)
        out->all.p[i].s.origin = SKN_STR("built-in");
}

/* --- The store and the file --------------------------------------------------------------------- */

static void take_stored(skn_provider_plan *p, const skn_provider_stored *s)
{
    skn_provider_setting *to = &p->s;

    if (s->type.p)
        to->type = s->type;
    if (s->base_url.p)
        to->base_url = s->base_url;
    if (s->key_env.p)
        to->key = (skn_key_source){.from = SKN_KEY_ENV, .name = s->key_env};
    to->headers = s->headers;
    to->header_count = s->header_count;
    to->timeout_ms = s->timeout_ms;
    to->retries = s->retries;
    to->at_once = s->at_once;
    to->window = s->window;
    to->origin = SKN_STR("store");
    p->consent = s->consent;
    p->kept = p->listed = true;
    p->key_kept = s->key_kept;
}

/* It is shown with what is wrong, and asked by nobody. */
static void take_damaged(skn_provider_plans *out, skn_provider_plan *p,
                         const skn_provider_stored *s, skn_arena *a)
{
    if (!p->s.type.p)
        p->s.type = SKN_STR("unknown");
    p->s.origin = SKN_STR("store");
    p->kept = p->listed = true;
    p->damaged = skn_arena_printf(a, "what the store has of \"%.*s\" cannot be read: %.*s",
                                  SKN_FMT(s->name), SKN_FMT(s->damaged));
    p->hint = skn_arena_printf(a,
                               "Set it up again: skein provider rm %.*s; skein provider add "
                               "%.*s --type TYPE",
                               SKN_FMT(s->name), SKN_FMT(s->name));
    skn_vec_add(a, &out->warnings, p->damaged);
}

static void add_stored(skn_provider_plans *out, const skn_plan_sources *from, skn_arena *a)
{
    skn_providers_stored all = {0};
    skein_error          err;

    if (skn_stored_read(&all, from->stored, a, &err)) {
        skn_vec_add(
            a, &out->warnings,
            skn_arena_printf(a, "the providers in the store cannot be read: %s", err.message));
        return;
    }
    for (size_t i = 0; i < all.count; i++) {
        skn_provider_plan *p = skn_plan_find(out, all.at[i].name);

        if (p && p->scripted)
            continue;
        p = p ? p : add_plan(out, all.at[i].name, a);
        if (all.at[i].damaged.p)
            take_damaged(out, p, &all.at[i], a);
        else
            take_stored(p, &all.at[i]);
    }
}

/* The administrator wrote the file, so its providers may be used. */
static void add_settings(skn_provider_plans *out, const skn_plan_sources *from, skn_arena *a)
{
    for (size_t i = 0; i < from->setting_count; i++) {
        const skn_provider_setting *s = &from->settings[i];
        skn_provider_plan          *p = skn_plan_find(out, s->name);
        skn_str                     url = SKN_NONE;

        if (p)
            url = p->s.base_url;
        else
            p = add_plan(out, s->name, a);
        p->s = *s;
        if (!s->base_url.p && !p->kept)
            p->s.base_url = url;
        p->consent = p->listed = p->in_file = true;
        p->kept = false;
        p->damaged = SKN_NONE;
        p->hint = SKN_NONE;
    }
}

/* --- Making them whole -------------------------------------------------------------------------- */

/* The address that a type has where none is given. */
static skn_str usual_url(const skn_provider_plan *p, const skn_plan_sources *from, skn_arena *a)
{
    if (skn_str_is(p->s.type, "ollama"))
        return skn_server_url(&skn_server_names[0], from->env(from->env_arg, "OLLAMA_HOST"),
                              from->ports[0], a);
    for (size_t i = 0; i < SKN_KEY_NAMES; i++)
        if (skn_str_is(skn_str_is(p->s.type, "openai-responses") ? SKN_STR("openai")
                                                                 : p->s.type,
                       skn_key_names[i].provider))
            return skn_str_of(skn_key_names[i].base_url);
    return SKN_NONE;
}

/* What the formats put behind the address is taken off where somebody gave it: ".../v1/messages" */
static skn_str clean_url(skn_str url, skn_wire_kind kind)
{
    while (url.n && url.p[url.n - 1] == '/')
        url.n--;
    if ((kind == SKN_WIRE_ANTHROPIC || kind == SKN_WIRE_OLLAMA) &&
        skn_str_ends(url, SKN_STR("/v1")))
        url.n -= 3;
    if (kind == SKN_WIRE_OLLAMA && skn_str_ends(url, SKN_STR("/api")))
        url.n -= 4;
    while (url.n && url.p[url.n - 1] == '/')
        url.n--;
    return url;
}

/* It is shown, so that somebody sees why it is not there. */
static void miss_address(skn_provider_plans *out, skn_provider_plan *p, skn_arena *a)
{
    p->nowhere = SKN_STR(SKN_OLLAMA_UNCLEAR);
    p->hint = SKN_STR("Start the server with another one: OLLAMA_HOST=127.0.0.1:11434 "
                      "skein serve");
    p->consent = p->listed = true;
    skn_vec_add(a, &out->warnings, p->nowhere);
}

static void complete(skn_provider_plans *out, skn_provider_plan *p,
                     const skn_plan_sources *from, skn_arena *a)
{
    p->scripted = p->scripted || skn_str_is(p->s.type, "scripted");
    if (p->scripted)
        return;
    skn_wire_kind_from(p->s.type, &p->kind);
    if (!p->s.base_url.n)
        p->s.base_url = usual_url(p, from, a);
    if (!p->s.base_url.n && p->kind == SKN_WIRE_OLLAMA)
        miss_address(out, p, a);
    p->s.base_url = skn_arena_copy(a, clean_url(p->s.base_url, p->kind));
}

/* --- Keys --------------------------------------------------------------------------------------- */

skn_str skn_plan_file(const skn_provider_plan *p, skn_arena *a)
{
    size_t n = p->s.origin.n;

    while (n > 0 && p->s.origin.p[n - 1] != ':')
        n--;
    return skn_shell_word(a, skn_arena_copy(a, skn_str_sub(p->s.origin, 0, n ? n - 1 : 0)).p);
}

static void no_key(skn_provider_plan *p, const char *why, skn_arena *a)
{
    p->no_key = skn_arena_printf(a, "there is no key for \"%.*s\"%s%s", SKN_FMT(p->s.name),
                                 why ? ": " : "", why ? why : "");
    if (p->in_file && p->s.key.from != SKN_KEY_UNSAID) {
        p->hint = skn_arena_printf(a, "Change it in %.*s, then: skein config check %.*s",
                                   SKN_FMT(p->s.origin), SKN_FMT(skn_plan_file(p, a)));
        return;
    }
    p->hint = skn_arena_printf(a, "To give it one%s: skein provider login %.*s",
                               p->key_kept ? " here" : "", SKN_FMT(p->s.name));
}

/* One that may not be used, or cannot be had: the error knows better what to do, if it says so. */
static void refused_key(skn_provider_plans *out, skn_provider_plan *p, const skein_error *err,
                        skn_arena *a)
{
    no_key(p, err->message, a);
    if (err->hint[0])
        p->hint = skn_arena_copy(a, skn_str_of(err->hint));
    skn_vec_add(a, &out->warnings, p->no_key);
}

static void told_key(skn_provider_plans *out, skn_provider_plan *p,
                     const skn_plan_sources *from, skn_arena *a)
{
    skn_str     warning;
    skein_error err;

    if (!p->in_file && p->s.key.from == SKN_KEY_ENV &&
        skn_env_rule_check(from->env_rule, p->s.key.name, p->s.base_url, &err)) {
        refused_key(out, p, &err, a);
        return;
    }
    if (from->no_commands && p->s.key.from == SKN_KEY_COMMAND) {
        no_key(p, SKN_COMMANDS_OFF, a);
        skn_vec_add(a, &out->warnings, p->no_key);
        return;
    }
    if (skn_key_fetch(&p->s.key, from->env, from->env_arg, a, &p->key, &p->key_source, &warning,
                      &err))
        refused_key(out, p, &err, a);
    if (warning.p)
        skn_vec_add(a, &out->warnings, warning);
}

/* A key in a variable of the well-known name is for the well-known address, and for those that the file lists. */
static bool usual_key(skn_provider_plan *p, const skn_plan_sources *from, skn_arena *a)
{
    const skn_key_name *about = key_name_of(p->s.name);
    const char *names[2] = {about ? about->variable : NULL, about ? about->other : NULL};
    skein_error err;

    if (!about || !from->environment)
        return false;
    for (size_t i = 0; i < 2; i++) {
        const char *value = names[i] ? from->env(from->env_arg, names[i]) : NULL;

        if (!value || !skn_secret_valid(skn_str_of(value)) ||
            skn_env_rule_check(from->env_rule, skn_str_of(names[i]), p->s.base_url, &err))
            continue;
        p->key = skn_arena_copy(a, skn_str_of(value));
        p->key_source = skn_str_of(names[i]);
        p->listed = true;
        return true;
    }
    return false;
}

/* A key is for the address that it was given for. It was dropped when the provider moved; or another server on this
 * store has moved it. */
static bool is_for_another(const skn_provider_plan *p, skn_str place)
{
    return place.n && !skn_site_covers(place, p->s.base_url);
}

static void miss_key(skn_provider_plan *p, skn_str place, skn_arena *a)
{
    bool    wanted = p->key_needed;
    skn_str why = skn_arena_printf(
        a, "the one that it had was given for %.*s and must be given again for this address",
        SKN_FMT(place));

    p->key_needed = p->listed = true;
    no_key(p, why.p, a);
    if (!wanted) /* a server that asks for none may be at the new address */
        p->hint = skn_arena_printf(
            a, "%.*s. If it needs none there: skein provider login %.*s --none",
            SKN_FMT(p->hint), SKN_FMT(p->s.name));
}

static void find_key(skn_provider_plans *out, skn_provider_plan *p,
                     const skn_plan_sources *from, skn_arena *a)
{
    skn_str     place;
    skein_error err;

    if (p->s.key.from != SKN_KEY_UNSAID) {
        p->key_needed = true;
        told_key(out, p, from, a);
    } else if (skn_secret_get(from->data_dir, p->s.name, a, &p->key, &place, &err)) {
        refused_key(out, p, &err, a);
    } else if (is_for_another(p, place)) {
        skn_secret_wipe(p->key);
        p->key = SKN_NONE;
        if (!usual_key(p, from, a))
            miss_key(p, place, a);
    } else if (p->key.p) {
        p->key_source = SKN_STR("secret store");
        p->listed = true;
    } else if (!usual_key(p, from, a) && (p->key_needed || p->key_kept)) {
        p->key_needed = true;
        no_key(p, p->key_kept ? "it is kept on the computer where it was given" : NULL, a);
    }
    if (p->key.p)
        skn_key_tail(p->key, p->key_tail);
}

/* A key that was only found in the environment waits for somebody to say that it may be used. */
static void ask_consent(skn_provider_plan *p, skn_arena *a)
{
    if (p->consent || p->no_key.p)
        return;
    p->no_key = skn_arena_printf(a, "\"%.*s\" is not in use", SKN_FMT(p->s.name));
    p->hint = skn_arena_printf(a, "%.*s%sto use it: skein provider use %.*s",
                               SKN_FMT(p->key_source), p->key_source.n ? " is set; " : "",
                               SKN_FMT(p->s.name));
}

static bool wants_key(const skn_provider_plan *p)
{
    return !p->scripted && p->kind != SKN_WIRE_OLLAMA && !skn_url_is_local(p->s.base_url) &&
           !skn_str_is(p->s.type, "openai-compatible");
}

void skn_plans_name(skn_provider_plans *out, const skn_plan_sources *from, skn_arena *a)
{
    *out = (skn_provider_plans){0};
    add_known(out, from, a);
    add_stored(out, from, a);
    add_settings(out, from, a);
}

void skn_plans_make(skn_provider_plans *out, const skn_plan_sources *from, skn_arena *a)
{
    skn_plans_name(out, from, a);
    for (size_t i = 0; i < out->all.n; i++) {
        skn_provider_plan *p = &out->all.p[i];

        complete(out, p, from, a);
        if (p->scripted || p->damaged.p)
            continue;
        p->key_needed = wants_key(p);
        find_key(out, p, from, a);
        ask_consent(p, a);
    }
}

/* Providers as the store keeps them, and as POST /providers takes them. */

enum { MOST_PROVIDERS = 100, MOST_HEADERS = 20, MOST_HEADER = 1000, MOST_SETTING = 64 << 10 };

static skein_rc wrong(const char **at, const char *member, const char *why, skein_error *err)
{
    if (at)
        *at = member;
    return skn_fail(err, SKEIN_INVALID, "\"%s\" %s", member + 1, why);
}

static skein_rc read_headers(skn_provider_stored *out, const skn_json *v, skn_arena *a,
                             const char **at, skein_error *err)
{
    skn_named_text *list;

    if (!v || v->kind == SKN_JSON_NULL)
        return SKEIN_OK;
    if (v->kind != SKN_JSON_OBJECT || v->count > MOST_HEADERS)
        return wrong(at, "/headers", "must be an object with at most 20 members", err);
    list = SKN_ARRAY(a, v->count + 1, skn_named_text);
    for (const skn_json *h = v->first; h; h = h->next) {
        if (h->kind != SKN_JSON_STRING || h->raw.n > MOST_HEADER ||
            !skn_header_is_one(h->key, h->text))
            return wrong(at, "/headers", "has one that cannot be sent like this", err);
        list[out->header_count++] = (skn_named_text){skn_arena_copy(a, h->key),
                                                     skn_arena_copy(a, h->text)};
    }
    out->headers = list;
    return SKEIN_OK;
}

static skein_rc read_number(const skn_json *v, const char *member, int64_t least, int64_t most,
                            int64_t fallback, int64_t *out, const char **at, skein_error *err)
{
    skein_error ours;

    if (skn_json_int(v, member + 1, fallback, out, &ours))
        return wrong(at, member, "must be a whole number", err);
    if (*out != fallback && (*out < least || *out > most))
        return wrong(at, member, "is too small or too large", err);
    return SKEIN_OK;
}

static skein_rc read_numbers(skn_provider_stored *out, const skn_json *v, const char **at,
                             skein_error *err)
{
    int64_t  retries, at_once;
    skein_rc rc;

    if ((rc = read_number(v, "/timeoutMs", 1000, 3600000, 0, &out->timeout_ms, at, err)) ||
        (rc = read_number(v, "/maxRetries", 0, 20, -1, &retries, at, err)) ||
        (rc = read_number(v, "/concurrency", 1, 1000, 0, &at_once, at, err)) ||
        (rc = read_number(v, "/contextWindow", SKN_WINDOW_LEAST, SKN_WINDOW_MOST, 0,
                          &out->window, at, err)))
        return rc;
    out->retries = (int)retries;
    out->at_once = (int)at_once;
    return SKEIN_OK;
}

static skein_rc read_texts(skn_provider_stored *out, const skn_json *v, skn_arena *a,
                           const char **at, skein_error *err)
{
    static const char *const members[] = {"/type", "/baseUrl", "/apiKeyEnv"};
    skn_str                 *to[] = {&out->type, &out->base_url, &out->key_env};
    skein_error              ours;

    for (size_t i = 0; i < 3; i++) {
        if (skn_json_text(v, members[i] + 1, to[i], &ours))
            return wrong(at, members[i], "must be a text", err);
        *to[i] = skn_arena_copy(a, *to[i]);
    }
    if (out->type.p && !skn_is_provider_type(out->type))
        return wrong(at, "/type",
                     "must be ollama, openai, openai-responses, anthropic, openai-compatible "
                     "or scripted",
                     err);
    if (out->base_url.p && (out->base_url.n > 1000 || !skn_is_provider_url(out->base_url)))
        return wrong(at, "/baseUrl",
                     "must be an address like https://llm.example.org/v1, without password "
                     "and \"?\"",
                     err);
    if (out->key_env.p && !skn_env_is_name(out->key_env))
        return wrong(at, "/apiKeyEnv", "must be the name of a variable", err);
    return SKEIN_OK;
}

static skein_rc check_headers(const skn_provider_stored *s, const char **at, skein_error *err)
{
    for (size_t i = 0; i < s->header_count; i++) {
        if (skn_name_is_secret(s->headers[i].name))
            return wrong(at, "/headers", "must not carry a key: give it as \"apiKey\"", err);
        if (skn_header_is_ours(s->headers[i].name))
            return wrong(at, "/headers", "has one that skein sets itself, like Host", err);
    }
    return SKEIN_OK;
}

static skein_rc read_one(skn_provider_stored *out, const skn_json *v, skn_arena *a,
                         const char **at, skein_error *err)
{
    skein_error ours;
    skein_rc    rc;

    *out = (skn_provider_stored){.name = out->name, .retries = -1};
    if (!v || v->kind != SKN_JSON_OBJECT)
        return wrong(at, "/", "must be an object", err);
    if ((rc = read_texts(out, v, a, at, err)) || (rc = read_numbers(out, v, at, err)) ||
        (rc = read_headers(out, skn_json_get(v, "headers"), a, at, err)))
        return rc;
    if (skn_json_flag(v, "consent", true, &out->consent, &ours))
        return wrong(at, "/consent", "must be true or false", err);
    if (skn_json_flag(v, "keyKept", false, &out->key_kept, &ours))
        return wrong(at, "/keyKept", "must be true or false", err);
    return SKEIN_OK;
}

skein_rc skn_stored_read_one(skn_provider_stored *out, const skn_json *v, skn_arena *a,
                             const char **at, skein_error *err)
{
    skein_rc rc = read_one(out, v, a, at, err);

    return rc ? rc : check_headers(out, at, err);
}

static void mark_damaged(skn_provider_stored *one, const skn_json *v, const char *why,
                         skn_arena *a)
{
    *one = (skn_provider_stored){.name = one->name,
                                 .retries = -1,
                                 .damaged = skn_arena_copy(a, skn_str_of(why)),
                                 .raw = skn_arena_copy(a, v->raw)};
}

skein_rc skn_stored_read(skn_providers_stored *out, skn_str json, skn_arena *a,
                         skein_error *err)
{
    const skn_json *v;
    skein_error     why;
    skein_rc        rc;

    *out = (skn_providers_stored){0};
    if (!json.p)
        return SKEIN_OK;
    if ((rc = skn_json_parse(&v, json, "the setting \"providers\"", a, err)))
        return rc;
    if (v->kind != SKN_JSON_OBJECT || v->count > MOST_PROVIDERS)
        return skn_fail(err, SKEIN_INVALID, "it is not an object with at most 100 members");
    out->at = SKN_ARRAY(a, v->count + 1, skn_provider_stored);
    for (const skn_json *p = v->first; p; p = p->next) {
        skn_provider_stored *one = &out->at[out->count];

        one->name = skn_arena_copy(a, p->key);
        if (skn_str_is(one->name, "demo"))
            continue;
        if (!skn_is_provider_name(one->name))
            mark_damaged(one, p, "its name is none", a);
        else if (read_one(one, p, a, NULL, &why)) /* headers of before may stay */
            mark_damaged(one, p, why.message, a);
        out->count++;
    }
    return SKEIN_OK;
}

static void write_headers(skn_jw *w, const skn_provider_stored *s)
{
    if (!s->header_count)
        return;
    skn_jw_kobject(w, "headers");
    for (size_t i = 0; i < s->header_count; i++) {
        skn_jw_key_str(w, s->headers[i].name);
        skn_jw_str(w, s->headers[i].value);
    }
    skn_jw_object_end(w);
}

static void write_one(skn_jw *w, const skn_provider_stored *s)
{
    skn_jw_key_str(w, s->name);
    if (s->damaged.p) {
        skn_jw_raw(w, s->raw);
        return;
    }
    skn_jw_object(w);
    skn_jw_kgiven(w, "type", s->type);
    skn_jw_kgiven(w, "baseUrl", s->base_url);
    skn_jw_kgiven(w, "apiKeyEnv", s->key_env);
    skn_jw_kbool(w, "consent", s->consent);
    if (s->key_kept)
        skn_jw_kbool(w, "keyKept", true);
    write_headers(w, s);
    if (s->timeout_ms)
        skn_jw_kint(w, "timeoutMs", s->timeout_ms);
    if (s->retries >= 0)
        skn_jw_kint(w, "maxRetries", s->retries);
    if (s->at_once)
        skn_jw_kint(w, "concurrency", s->at_once);
    if (s->window)
        skn_jw_kint(w, "contextWindow", s->window);
    skn_jw_object_end(w);
}

skn_str skn_stored_write(const skn_providers_stored *all, skn_arena *a)
{
    skn_buf out;
    skn_jw  w;

    skn_buf_init(&out, 4 * MOST_SETTING); /* the store has its own limit */
    skn_jw_init(&w, &out);
    skn_jw_object(&w);
    for (size_t i = 0; i < all->count; i++)
        write_one(&w, &all->at[i]);
    skn_jw_object_end(&w);
    return skn_buf_keep(&out, a);
}

skn_str skn_stored_setting(const skein_settings *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (skn_str_is(all->at[i].key, "providers"))
            return all->at[i].value;
    return SKN_NONE;
}
