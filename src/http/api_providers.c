/* Providers of models. Who knows them answers on the loop; a key goes there and is never shown. */
#include "http/served.h"

#include "base/env_rule.h"
#include "base/error.h"

/* --- Shapes ------------------------------------------------------------------------------- */

static void write_budget(skn_jw *w, const skn_api_provider *p)
{
    skn_jw_key(w, "budget");
    if (!p->monthly_micros) {
        skn_jw_null(w);
        return;
    }
    skn_jw_object(w);
    skn_jw_key(w, "monthly");
    skn_jw_double(w, (double)p->monthly_micros / 1e6);
    skn_jw_kstr(w, "currency", p->currency);
    skn_jw_key(w, "used");
    skn_jw_double(w, (double)p->used_micros / 1e6);
    skn_jw_kstr(w, "then", p->stops ? SKN_STR("stop") : SKN_STR("ask"));
    skn_jw_key(w, "unpriced");
    skn_jw_array(w);
    for (size_t i = 0; i < p->unpriced_count; i++)
        skn_jw_str(w, p->unpriced[i]);
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}

static void write_provider(skn_jw *w, const skn_api_provider *p)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "name", p->name);
    skn_jw_kstr(w, "type", p->type);
    skn_jw_kstr(w, "baseUrl", p->base_url);
    skn_jw_key(w, "key");
    if (p->key_source.p) {
        skn_jw_object(w);
        skn_jw_kstr(w, "tail", p->key_tail);
        skn_jw_kstr(w, "source", p->key_source);
        skn_jw_object_end(w);
    } else {
        skn_jw_null(w);
    }
    skn_jw_kstr(w, "origin", p->origin);
    skn_jw_kstr(w, "state", p->state);
    skn_jw_kstr(w, "detail", p->detail);
    skn_jw_kbool(w, "local", p->local);
    skn_jw_kbool(w, "editable", p->editable);
    skn_jw_kstr(w, "defaultModel", p->default_model);
    write_budget(w, p);
    skn_jw_object_end(w);
}

static void write_model(skn_jw *w, skn_str provider, const skn_api_model *m, skn_arena *a)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "name", m->name);
    skn_jw_kstr(w, "model",
                provider.p
                    ? skn_arena_printf(a, "%.*s/%.*s", SKN_FMT(provider), SKN_FMT(m->name))
                    : SKN_NONE);
    skn_jw_key(w, "contextWindow");
    if (m->window > 0)
        skn_jw_int(w, m->window);
    else
        skn_jw_null(w);
    skn_jw_object_end(w);
}

static void write_found(skn_jw *w, const skn_api_found *f, skn_arena *a)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "name", f->name);
    skn_jw_kstr(w, "label", f->label);
    skn_jw_kstr(w, "type", f->type);
    skn_jw_kstr(w, "baseUrl", f->base_url);
    skn_jw_kstr(w, "version", f->version);
    skn_jw_key(w, "key");
    if (f->key_env.p) {
        skn_jw_object(w);
        skn_jw_kstr(w, "tail", f->key_tail);
        skn_jw_kstr(w, "source", skn_arena_printf(a, "env %.*s", SKN_FMT(f->key_env)));
        skn_jw_object_end(w);
    } else {
        skn_jw_null(w);
    }
    skn_jw_kbool(w, "local", f->local);
    skn_jw_kbool(w, "inUse", f->in_use);
    skn_jw_kstr(w, "problem", f->problem);
    skn_jw_key(w, "models");
    skn_jw_array(w);
    for (size_t i = 0; i < f->model_count; i++)
        write_model(w, f->name, &f->models[i], a);
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}

/* --- Answers (loop) ----------------------------------------------------------------------- */

typedef struct asked {
    skn_api_call        *c;
    skn_provider_request request;
    skn_api_provider_op  then; /* once it is there; GET: nothing more */
} asked;

static void ask(asked *a, skein_rc rc);

typedef void write_item(skn_api_call *c, const asked *a, const skn_api_providers *told,
                        size_t i);

static void write_one(skn_api_call *c, const asked *a, const skn_api_providers *told, size_t i)
{
    (void)a;
    write_provider(&c->w, &told->at[i]);
}

static void write_offered(skn_api_call *c, const asked *a, const skn_api_providers *told,
                          size_t i)
{
    write_model(&c->w, a->request.name, &told->models[i], c->mem);
}

static void write_candidate(skn_api_call *c, const asked *a, const skn_api_providers *told,
                            size_t i)
{
    (void)a;
    write_found(&c->w, &told->found[i], c->mem);
}

static skein_rc answer_list(const asked *a, const skn_api_providers *told, const char *tag,
                            size_t count, write_item *write)
{
    skn_api_call *c = a->c;
    skn_page      page;
    skein_rc      rc = skn_page_open(c, skn_str_of(tag), count, 0, &page);

    if (rc)
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++)
        write(c, a, told, (size_t)i);
    return skn_page_close(c, &page, NULL);
}

/* The outcome of a test is an answer even when it is bad news. */
static skein_rc answer_test(const asked *a, const skn_api_providers *told)
{
    skn_jw *w = &a->c->w;

    skn_jw_object(w);
    skn_jw_kstr(w, "provider", a->request.name);
    skn_jw_kbool(w, "ok", skn_str_is(told->state, "answered"));
    skn_jw_kstr(w, "state", told->state);
    skn_jw_kstr(w, "detail", told->detail);
    skn_jw_kint(w, "tookMs", told->took_ms);
    skn_jw_kint(w, "models", (int64_t)told->model_count);
    skn_jw_object_end(w);
    return SKEIN_OK;
}

static skein_rc answer_one(const asked *a, const skn_api_providers *told)
{
    skn_api_call *c = a->c;

    if (a->request.dry_run) {
        c->status = 204;
        return SKEIN_OK;
    }
    if (told->count != 1)
        return skn_fail(&c->error, SKEIN_FAILED, "the provider was changed and is not there");
    if (a->request.op == SKN_PROVIDERS_NEW) {
        c->status = 201;
        skn_call_add_header(
            c, "Location",
            skn_arena_printf(c->mem, "/providers/%.*s", SKN_FMT(told->at[0].name)));
    }
    write_provider(&c->w, &told->at[0]);
    return SKEIN_OK;
}

static skein_rc answer(const asked *a, const skn_api_providers *told)
{
    switch (a->request.op) {
    case SKN_PROVIDERS_LIST:
        return answer_list(a, told, "providers", told->count, write_one);
    case SKN_PROVIDERS_MODELS:
        return answer_list(a, told, "models", told->model_count, write_offered);
    case SKN_PROVIDERS_DETECT:
        return answer_list(a, told, "found", told->found_count, write_candidate);
    case SKN_PROVIDERS_TEST:
        return answer_test(a, told);
    case SKN_PROVIDERS_REMOVE:
        a->c->status = 204;
        return SKEIN_OK;
    case SKN_PROVIDERS_GET:
    case SKN_PROVIDERS_NEW:
    case SKN_PROVIDERS_CHANGE:
        break;
    }
    return answer_one(a, told);
}

static void told_providers(void *arg, const skn_api_providers *told, const skein_error *err)
{
    asked        *a = arg;
    skn_api_call *c = a->c;

    if (err) {
        c->error = *err;
        skn_call_answer(c, skn_api_missing(c, err->rc, "provider-not-found"));
    } else if (a->request.op == SKN_PROVIDERS_GET && a->then != SKN_PROVIDERS_GET) {
        a->request.op = a->then;
        ask(a, SKEIN_OK);
    } else {
        skn_call_answer(c, answer(a, told));
    }
}

/* --- Requests (loop) ---------------------------------------------------------------------- */

static asked *new_asked(skn_api_call *c, skn_api_provider_op op)
{
    asked *a = SKN_NEW(c->mem, asked);

    a->c = c;
    a->request.op = op;
    a->request.engine = c->engine;
    a->then = SKN_PROVIDERS_GET;
    a->request.name = c->params[0];
    return a;
}

/* That a provider is not there is no result of asking it. */
static void ask_there(skn_api_call *c, skn_api_provider_op op)
{
    asked *a = new_asked(c, SKN_PROVIDERS_GET);

    a->then = op;
    ask(a, SKEIN_OK);
}

static void ask(asked *a, skein_rc rc)
{
    skn_api_call         *c = a->c;
    const skn_api_agents *to = &c->api->o.agents;

    if (rc == SKEIN_OK && !to->providers)
        rc = skn_api_no_models(c);
    if (rc)
        skn_call_answer(c, rc);
    else
        to->providers(to->arg, &a->request, told_providers, a);
}

/* A member that null removes: then it is an empty text. */
static skein_rc read_part(skn_api_call *c, const char *member, skn_str *out)
{
    skein_rc rc = skn_call_text(c, member, false, out);

    if (rc == SKEIN_OK && !out->p && skn_api_has(c, member))
        *out = SKN_STR("");
    return rc;
}

static skein_rc check_type(skn_api_call *c, skn_str type)
{
    static const char *const types[] = {"openai", "openai-compatible", "anthropic", "ollama",
                                        "scripted"};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (!type.p || skn_str_is(type, types[i]))
            return SKEIN_OK;
    return skn_call_invalid(
        c, "/type", "is none of openai, openai-compatible, anthropic, ollama, scripted");
}

/* An address without user, password and "?": what is secret has its own member. */
static skein_rc check_url(skn_api_call *c, skn_str url)
{
    if (!url.n || (skn_url_is_clear(url) && skn_str_find(url, SKN_STR("@")) < 0 &&
                   skn_str_find(url, SKN_STR("?")) < 0))
        return SKEIN_OK;
    return skn_call_invalid(c, "/baseUrl",
                            "must be an http or https address: a host, a port up to 65535, no "
                            "password and no \"?\"");
}

static skein_rc check_key(skn_api_call *c, skn_str key)
{
    for (size_t i = 0; i < key.n; i++)
        if ((unsigned char)key.p[i] <= ' ' || (unsigned char)key.p[i] >= 0x7f)
            return skn_call_invalid(c, "/apiKey", "has a character that no key has");
    return key.n <= 4096 ? SKEIN_OK : skn_call_invalid(c, "/apiKey", "is too long for a key");
}

/* What is not looked at here is checked by who keeps it. */
static skein_rc read_parts(skn_api_call *c, skn_provider_request *request)
{
    skein_rc rc;

    request->more = c->json;
    if ((rc = skn_call_text(c, "type", false, &request->type)) ||
        (rc = read_part(c, "baseUrl", &request->base_url)) ||
        (rc = read_part(c, "apiKey", &request->key)) ||
        (rc = read_part(c, "apiKeyEnv", &request->key_env)) ||
        (rc = check_type(c, request->type)) || (rc = check_url(c, request->base_url)) ||
        (rc = check_key(c, request->key)))
        return rc;
    if (request->key.n && request->key_env.n)
        return skn_call_invalid(c, "/apiKeyEnv", "cannot stand beside \"apiKey\"");
    return SKEIN_OK;
}

static skein_rc read_new(skn_api_call *c, skn_provider_request *request)
{
    skein_error err;
    skein_rc    rc = skn_call_text(c, "name", true, &request->name);

    if (rc)
        return rc;
    if (skn_name_normal(request->name, c->mem, &request->name, &err))
        return skn_call_invalid(c, "/name", skn_arena_printf(c->mem, "%s", err.message).p);
    if ((rc = read_parts(c, request)) || (rc = skn_api_flag(c, "dryRun", &request->dry_run)))
        return rc;
    return request->type.p ? SKEIN_OK : skn_call_invalid(c, "/type", "is required");
}

void skn_http_list_providers(skn_api_call *c)
{
    ask(new_asked(c, SKN_PROVIDERS_LIST), SKEIN_OK);
}

void skn_http_create_provider(skn_api_call *c)
{
    asked *a = new_asked(c, SKN_PROVIDERS_NEW);

    ask(a, read_new(c, &a->request));
}

void skn_http_get_provider(skn_api_call *c)
{
    ask(new_asked(c, SKN_PROVIDERS_GET), SKEIN_OK);
}

void skn_http_update_provider(skn_api_call *c)
{
    asked *a = new_asked(c, SKN_PROVIDERS_CHANGE);

    ask(a, read_parts(c, &a->request));
}

void skn_http_remove_provider(skn_api_call *c)
{
    asked *a = new_asked(c, SKN_PROVIDERS_REMOVE);

    ask(a, skn_api_flag(c, "dryRun", &a->request.dry_run));
}

void skn_http_test_provider(skn_api_call *c)
{
    ask_there(c, SKN_PROVIDERS_TEST);
}

void skn_http_list_models(skn_api_call *c)
{
    ask_there(c, SKN_PROVIDERS_MODELS);
}

void skn_http_detect_providers(skn_api_call *c)
{
    ask(new_asked(c, SKN_PROVIDERS_DETECT), SKEIN_OK);
}
