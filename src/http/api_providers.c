/* Providers of models. Who knows them answers on the loop; a key goes there and is never shown. */
#include "http/served.h"

#include "base/shape_rows.h"

static void put_key_of(skn_jw *w, skn_str tail, skn_str source)
{
    if (!source.p) {
        skn_jw_null(w);
        return;
    }
    skn_jw_object(w);
    skn_jw_kstr(w, "tail", tail);
    skn_jw_kstr(w, "source", source);
    skn_jw_object_end(w);
}

static void put_key(skn_jw *w, const void *thing)
{
    const skn_api_provider *p = thing;

    put_key_of(w, p->key_tail, p->key_source);
}

static void put_found_key(skn_jw *w, const void *thing)
{
    const skn_api_found *f = thing;

    put_key_of(w, f->key_tail, f->key_source);
}

static void put_money(skn_jw *w, const char *key, int64_t micros, bool none)
{
    skn_jw_key(w, key);
    if (none)
        skn_jw_null(w);
    else
        skn_jw_double(w, (double)micros / 1e6);
}

static void put_budget(skn_jw *w, const void *thing)
{
    const skn_api_provider *p = thing;

    if (!p->monthly_micros && !p->daily_micros) {
        skn_jw_null(w);
        return;
    }
    skn_jw_object(w);
    put_money(w, "monthly", p->monthly_micros, !p->monthly_micros);
    put_money(w, "daily", p->daily_micros, !p->daily_micros);
    skn_jw_kstr(w, "currency", SKN_STR("USD"));
    put_money(w, "used", p->used_micros, false);
    put_money(w, "usedToday", p->today_micros, false);
    skn_jw_kstr(w, "then", p->stops ? SKN_STR("stop") : SKN_STR("ask"));
    skn_jw_kstrs(w, "unpriced", p->unpriced, p->unpriced_count);
    skn_jw_object_end(w);
}

static const skn_member model_rows[] = {
#include "http/shapes/offered_model.def"
};
static const skn_shape  model_shape = SKN_SHAPE(model_rows, skn_api_model);
static const skn_member provider_rows[] = {
#include "http/shapes/provider.def"
};
static const skn_shape  provider_shape = SKN_SHAPE(provider_rows, skn_api_provider);
static const skn_member found_rows[] = {
#include "http/shapes/found_provider.def"
};
static const skn_shape found_shape = SKN_SHAPE(found_rows, skn_api_found);

/* --- Answers (loop) ----------------------------------------------------------------------- */

typedef struct asked {
    skn_api_call        *c;
    skn_provider_request request;
    skn_api_provider_op
        then; /* what to ask once the provider is known to exist; GET: nothing */
} asked;

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
    skn_shape_write(&c->w, &provider_shape, &told->at[0]);
    return SKEIN_OK;
}

static skein_rc answer_providers(const asked *a, const skn_api_providers *told)
{
    skn_api_call *c = a->c;

    switch (a->request.op) {
    case SKN_PROVIDERS_LIST:
        return skn_answer_list(c, SKN_STR("providers"), 0, told->at, told->count,
                               &provider_shape);
    case SKN_PROVIDERS_MODELS:
        return skn_answer_list(c, SKN_STR("models"), 0, told->models, told->model_count,
                               &model_shape);
    case SKN_PROVIDERS_DETECT:
        return skn_answer_list(c, SKN_STR("found"), 0, told->found, told->found_count,
                               &found_shape);
    case SKN_PROVIDERS_TEST:
        return answer_test(a, told);
    case SKN_PROVIDERS_REMOVE:
        c->status = 204;
        return SKEIN_OK;
    case SKN_PROVIDERS_GET:
    case SKN_PROVIDERS_NEW:
    case SKN_PROVIDERS_CHANGE:
        break;
    }
    return answer_one(a, told);
}

static void told_providers(void *arg, const skn_api_providers *told, const skein_error *err);

static void ask_providers(asked *a)
{
    const skn_api_agents *to = &a->c->api->o.agents;

    to->providers(to->arg, &a->request, told_providers, a);
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
        ask_providers(a);
    } else {
        skn_call_answer(c, answer_providers(a, told));
    }
}

/* --- Requests (loop) ---------------------------------------------------------------------- */

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
    if (!type.p ||
        skn_str_among(type,
                      "openai openai-responses openai-compatible anthropic ollama scripted"))
        return SKEIN_OK;
    return skn_call_invalid(
        c, "/type",
        "is none of openai, openai-responses, openai-compatible, anthropic, ollama, scripted");
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
        return skn_call_invalid(c, "/name", err.message);
    if ((rc = read_parts(c, request)) || (rc = skn_api_flag(c, "dryRun", &request->dry_run)))
        return rc;
    return request->type.p ? SKEIN_OK : skn_call_invalid(c, "/type", "is required");
}

static skein_rc read_removal(skn_api_call *c, skn_provider_request *request)
{
    return skn_api_flag(c, "dryRun", &request->dry_run);
}

static const struct {
    const char         *id;
    skn_api_provider_op op;
    bool                there; /* a provider that does not exist is a 404, and is not asked */
    skein_rc (*read)(skn_api_call *c, skn_provider_request *request);
} operations[] = {{"listProviders", SKN_PROVIDERS_LIST, false, NULL},
                  {"createProvider", SKN_PROVIDERS_NEW, false, read_new},
                  {"detectProviders", SKN_PROVIDERS_DETECT, false, NULL},
                  {"getProvider", SKN_PROVIDERS_GET, false, NULL},
                  {"updateProvider", SKN_PROVIDERS_CHANGE, false, read_parts},
                  {"removeProvider", SKN_PROVIDERS_REMOVE, false, read_removal},
                  {"testProvider", SKN_PROVIDERS_TEST, true, NULL},
                  {"listModels", SKN_PROVIDERS_MODELS, true, NULL}};

void skn_http_providers(skn_api_call *c)
{
    asked   *a = SKN_NEW(c->mem, asked);
    size_t   i = 0;
    skein_rc rc;

    while (strcmp(operations[i].id, c->route->id) != 0)
        i++;
    *a = (asked){.c = c,
                 .request = {.op = operations[i].op, .name = c->params[0], .engine = c->engine},
                 .then = SKN_PROVIDERS_GET};
    if (operations[i].there) {
        a->request.op = SKN_PROVIDERS_GET;
        a->then = operations[i].op;
    }
    rc = operations[i].read ? operations[i].read(c, &a->request) : SKEIN_OK;
    if (!rc && !c->api->o.agents.providers)
        rc = skn_api_no_models(c);
    if (rc)
        skn_call_answer(c, rc);
    else
        ask_providers(a);
}
