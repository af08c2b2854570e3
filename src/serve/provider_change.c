/* Changes of what the store and the secret store have of a provider. */
#include "serve/provider_slots.h"

enum { TRIES = 5 };

static const char *const member_names[] = {"type",    "baseUrl",   "apiKeyEnv",  "consent",
                                           "headers", "timeoutMs", "maxRetries", "concurrency"};

enum {
    TYPE = 1,
    URL = 2,
    KEY_ENV = 4,
    CONSENT = 8,
    HEADERS = 16,
    TIMEOUT = 32,
    RETRIES = 64,
    AT_ONCE = 128
};

static void merge(skn_provider_stored *to, const skn_provider_change *c)
{
    const skn_provider_stored *from = &c->patch;

    if (c->members & TYPE)
        to->type = from->type;
    if (c->members & URL)
        to->base_url = from->base_url;
    if (c->members & KEY_ENV)
        to->key_env = from->key_env;
    if (c->members & HEADERS) {
        to->headers = from->headers;
        to->header_count = from->header_count;
    }
    if (c->members & TIMEOUT)
        to->timeout_ms = from->timeout_ms;
    if (c->members & RETRIES)
        to->retries = from->retries;
    if (c->members & AT_ONCE)
        to->at_once = from->at_once;
    if (c->members & CONSENT)
        to->consent = from->consent;
    else if (c->consent_unless_said || c->key.p || (c->members & KEY_ENV))
        to->consent = true;
    if (c->key.p)
        to->key_env = SKN_NONE;
    if (c->key.p || c->forget_key)
        to->key_kept = c->key.p;
}

static void edit(skn_providers_stored *all, const skn_provider_change *c, skn_arena *a)
{
    skn_provider_stored *list = SKN_ARRAY(a, all->count + 1, skn_provider_stored);
    skn_provider_stored  one = {.name = c->name, .retries = -1};
    size_t               n = 0;

    for (size_t i = 0; i < all->count; i++)
        if (!skn_str_eq(all->at[i].name, c->name))
            list[n++] = all->at[i];
        else if (!all->at[i].damaged.p)
            one = all->at[i];
    if (c->put) {
        merge(&one, c);
        list[n++] = one;
    }
    *all = (skn_providers_stored){list, n};
}

/* Only if nobody has changed the settings since they were read. */
static skein_rc try_change(skein_engine *e, const skn_provider_change *c, skn_arena *a,
                           skein_error *err)
{
    skein_settings       was;
    skn_providers_stored all;
    skein_setting        now = {.key = SKN_STR("providers")};
    skein_rc             rc;

    if ((rc = skein_setting_list(e, a, &was, err)) ||
        (rc = skn_stored_read(&all, skn_stored_setting(&was), a, err)))
        return rc;
    edit(&all, c, a);
    if (all.count)
        now.value = skn_stored_write(&all, a);
    return skein_setting_put_from(e, &was, &now, 1, err);
}

static skein_rc change_store(skein_engine *e, const skn_provider_change *c, skein_error *err)
{
    skn_arena *a = skn_arena_new();
    skein_rc   rc = SKEIN_VERSION_CHANGED;

    for (int i = 0; i < TRIES && rc == SKEIN_VERSION_CHANGED; i++)
        rc = try_change(e, c, a, err);
    skn_arena_free(a);
    return rc;
}

/* The key first: without it the rest would be of no use, and a key alone does nothing. */
skein_rc skn_change_make(const skn_provider_change *c, const skn_provider_set_options *o,
                         skein_error *err)
{
    bool     had = false;
    skein_rc rc = SKEIN_OK;

    if (c->key.p)
        rc = skn_secret_put(o->data_dir, c->name, c->key, c->place, err);
    else if (c->moved_from.p)
        rc = skn_secret_drop(o->data_dir, c->name, c->moved_from, err);
    else if (c->forget_key || c->remove)
        rc = skn_secret_remove(o->data_dir, c->name, &had, err);
    if (!rc && c->as && (c->key.p || had))
        rc = skn_audit_add(c->as, c->key.p ? "key.set" : "key.remove", c->name, c->place, err);
    if (!rc && (c->put || c->remove))
        rc = change_store(c->as, c, err);
    return rc;
}

/* --- Reading ------------------------------------------------------------------------------------ */

static skein_rc invalid(const char **at, const char *member, const char *why, skein_error *err)
{
    if (at)
        *at = member;
    return skn_fail(err, SKEIN_INVALID, "\"%s\" %s", member + 1, why);
}

static skein_rc read_key(skn_provider_change *c, const skn_json *body, skn_arena *a,
                         const char **at, skein_error *err)
{
    const skn_json *key = skn_json_get(body, "apiKey");

    if (!key)
        return SKEIN_OK;
    c->forget_key = key->kind == SKN_JSON_NULL;
    if (c->forget_key)
        return SKEIN_OK;
    if (key->kind != SKN_JSON_STRING || !skn_secret_valid(key->text))
        return invalid(at, "/apiKey", "must be a key: visible characters without blanks", err);
    c->key = skn_arena_copy(a, key->text);
    return SKEIN_OK;
}

static skein_rc read_members(skn_provider_change *c, const skn_json *body, skn_arena *a,
                             const char **at, skein_error *err)
{
    skein_rc rc = skn_stored_read_one(&c->patch, body, a, at, err);

    for (size_t i = 0; !rc && i < sizeof member_names / sizeof *member_names; i++)
        if (skn_json_get(body, member_names[i]))
            c->members |= 1U << i;
    c->put = true;
    return rc ? rc : read_key(c, body, a, at, err);
}

skein_rc skn_fail_in_file(const skn_provider_plan *p, skein_error *err)
{
    return skn_fail_hint(err, SKEIN_CONFLICT, "Change it there, then: skein config check",
                         "\"%.*s\" is set up in %.*s", SKN_FMT(p->s.name),
                         SKN_FMT(p->s.origin));
}

/* Those of the file are changed there; but a key is not written into that file. */
static skein_rc check_file(skn_provider_change *c, const skn_provider_plan *p, skein_error *err)
{
    if (!p->in_file)
        return SKEIN_OK;
    if (p->s.key.from == SKN_KEY_UNSAID && !(c->members & ~(unsigned)CONSENT)) {
        c->put = false;
        return SKEIN_OK;
    }
    return skn_fail_in_file(p, err);
}

static bool needs_url(skn_str type)
{
    return skn_str_is(type, "openai-compatible");
}

static skein_rc check_new(const skn_provider_change *c, const char **at, skein_error *err)
{
    if (!c->patch.type.p)
        return invalid(at, "/type", "is missing", err);
    if (needs_url(c->patch.type) && !c->patch.base_url.p)
        return invalid(at, "/baseUrl", "is missing", err);
    return SKEIN_OK;
}

static skein_rc check_change(skn_provider_change *c, const skn_provider_plan *p,
                             skn_provider_put how, const char **at, skein_error *err)
{
    if (!skn_is_provider_name(c->name) || skn_str_is(c->name, "demo"))
        return invalid(at, "/name", "must be small letters, digits, - and _, and not \"demo\"",
                       err);
    if (how == SKN_PROVIDER_CREATE && p && (p->kept || p->in_file))
        return skn_fail(err, SKEIN_CONFLICT, "there is a provider \"%.*s\" already",
                        SKN_FMT(c->name));
    if (how == SKN_PROVIDER_CHANGE && !p)
        return skn_hint(
            err,
            skn_fail(err, SKEIN_NOT_FOUND, "there is no provider \"%.*s\"", SKN_FMT(c->name)),
            "\"skein provider ls\" lists them.");
    return p ? check_file(c, p, err) : check_new(c, at, err);
}

/* The address that the provider will have. */
static skn_str url_of(const skn_provider_change *c, const skn_provider_plan *p)
{
    if (c->patch.base_url.n)
        return c->patch.base_url;
    if (p)
        return p->s.base_url;
    for (size_t i = 0; i < SKN_KEY_NAMES; i++)
        if (skn_str_is(c->patch.type, skn_key_names[i].provider))
            return skn_str_of(skn_key_names[i].base_url);
    return SKN_NONE;
}

/* The variable that it will have, where this change says something of it or of the address. */
static skein_rc check_env(const skn_provider_change *c, const skn_provider_plan *p,
                          skn_env_rule *rule, const char **at, skein_error *err)
{
    bool     kept = p && p->kept && p->s.key.from == SKN_KEY_ENV && !c->key.p;
    skn_str  name = c->members & KEY_ENV ? c->patch.key_env : kept ? p->s.key.name : SKN_NONE;
    skn_str  url = url_of(c, p);
    skein_rc rc;

    if (!name.p || !(c->members & (KEY_ENV | URL)))
        return SKEIN_OK;
    rc = skn_env_rule_check(rule, name, url.p ? url : SKN_STR(""), err);
    if (rc && at)
        *at = c->members & KEY_ENV ? "/apiKeyEnv" : "/baseUrl";
    return rc;
}

/* A key is for the address that it was given for. */
static void guard_key(skn_provider_change *c, const skn_provider_plan *p, skn_arena *a)
{
    bool moved = p && (c->members & URL) && c->patch.base_url.p &&
                 !skn_site_covers(skn_url_site(p->s.base_url), c->patch.base_url);

    if (moved && !c->key.p && !c->forget_key && !(c->members & KEY_ENV))
        c->moved_from = skn_arena_copy(a, skn_url_site(p->s.base_url));
    if (!c->key.p && (moved || (c->members & KEY_ENV)))
        c->forget_key = true;
    c->place = skn_arena_copy(a, url_of(c, p).n ? skn_url_site(url_of(c, p)) : SKN_NONE);
}

skein_rc skn_change_read(skn_provider_change *c, const skn_json *body,
                         const skn_provider_plan *p, skn_provider_put how, skn_env_rule *rule,
                         skn_arena *a, const char **at, skein_error *err)
{
    skein_rc rc;

    c->consent_unless_said = how != SKN_PROVIDER_CHANGE;
    if ((rc = read_members(c, body, a, at, err)) || (rc = check_change(c, p, how, at, err)) ||
        (rc = check_env(c, p, rule, at, err)))
        return rc;
    guard_key(c, p, a);
    return SKEIN_OK;
}
