/* Providers as the store keeps them, and as POST /providers takes them. */
#include "cli/provider_plan.h"

#include "base/header_rule.h"
#include "base/json.h"
#include "base/json_write.h"

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
        (rc = read_number(v, "/concurrency", 1, 1000, 0, &at_once, at, err)))
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
                     "must be ollama, openai, anthropic, openai-compatible or scripted", err);
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
        return skn_fail(err, SKEIN_INVALID, "it is no object with at most 100 members");
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
    skn_jw_key(w, "headers");
    skn_jw_object(w);
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
    if (s->type.p)
        skn_jw_kstr(w, "type", s->type);
    if (s->base_url.p)
        skn_jw_kstr(w, "baseUrl", s->base_url);
    if (s->key_env.p)
        skn_jw_kstr(w, "apiKeyEnv", s->key_env);
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
    skn_jw_object_end(w);
}

skn_str skn_stored_write(const skn_providers_stored *all, skn_arena *a)
{
    skn_buf out;
    skn_jw  w;
    skn_str text;

    skn_buf_init(&out, 4 * MOST_SETTING); /* the store has its own limit */
    skn_jw_init(&w, &out);
    skn_jw_object(&w);
    for (size_t i = 0; i < all->count; i++)
        write_one(&w, &all->at[i]);
    skn_jw_object_end(&w);
    text = skn_arena_copy(a, skn_buf_str(&out));
    skn_buf_release(&out);
    return text;
}
