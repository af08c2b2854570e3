/* serve_agents.c: connects the HTTP server, the agents and the providers of models, and translates between them; each
 * knows only its own side. */
#include "config/secrets.h"
#include "serve/serve.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdlib.h>

/* --- Providers for agents --------------------------------------------------------------------------- */

skn_provider *skn_serve_provider(void *arg, skn_str name)
{
    skn_serve *s = arg;

    return skn_provider_set_find(s->providers, name);
}

skn_str skn_serve_model(void *arg)
{
    skn_serve *s = arg;

    return skn_opt(s->cli, "demo") ? SKN_STR("demo/scripted")
                                   : skn_provider_set_default_model(s->providers);
}

/* --- Which model answers, for any thread -------------------------------------------------------------- */

struct skn_model_board {
    const char        *only;
    pthread_mutex_t    mu;
    skn_arena         *mem; /* guarded by mu, like all below; holds the board */
    skn_provider_info *at;
    size_t             count;
    skn_str            usual;
};

skn_model_board *skn_model_board_new(const char *only)
{
    skn_model_board *b = skn_heap(sizeof *b);

    b->only = only;
    pthread_mutex_init(&b->mu, NULL);
    return b;
}

void skn_model_board_free(skn_model_board *b)
{
    if (!b)
        return;
    skn_arena_free(b->mem);
    pthread_mutex_destroy(&b->mu);
    free(b);
}

/* Copies what the board needs, because the set owns the list and changes it. */
static void keep(skn_provider_info *p, skn_arena *a)
{
    *p = (skn_provider_info){.name = skn_arena_copy(a, p->name),
                             .type = skn_arena_copy(a, p->type),
                             .place = skn_arena_copy(a, p->place),
                             .local = p->local,
                             .state = p->state,
                             .toolless = p->toolless, /* copied by the list */
                             .toolless_count = p->toolless_count};
}

void skn_model_board_put(skn_model_board *b, skn_provider_set *set)
{
    skn_arena         *mem = skn_arena_new(), *old;
    skn_provider_info *at;
    size_t             count;
    skn_str            usual;

    skn_provider_set_list(set, mem, &at, &count);
    for (size_t i = 0; i < count; i++)
        keep(&at[i], mem);
    usual = skn_arena_copy(mem, skn_provider_set_default_model(set));
    pthread_mutex_lock(&b->mu);
    old = b->mem;
    b->mem = mem;
    b->at = at;
    b->count = count;
    b->usual = usual;
    pthread_mutex_unlock(&b->mu);
    skn_arena_free(old);
}

static const skn_provider_info *provider_locked(const skn_model_board *b, skn_str model)
{
    skn_str name = SKN_NONE;

    if (!skn_str_split(&model, '/', &name))
        return NULL;
    for (size_t i = 0; i < b->count; i++)
        if (skn_str_eq(b->at[i].name, name))
            return &b->at[i];
    return NULL;
}

/* --- Squashes and summaries --------------------------------------------------------------------------- */

/* A request to a model for a squash or a summary; freed when it is done. The end of a cancelled request is reported,
 * too. */
typedef struct asked {
    skn_serve         *s;
    skn_api_waiter     who;
    skn_model_request *request;
    skn_timer         *soon;
} asked;

static void asked_free(asked *q)
{
    skn_timer_free(q->soon);
    free(q);
}

static void model_done(void *arg, const skn_model_result *out, const skein_error *err)
{
    asked             *q = arg;
    const skn_api_made made = {.text = out->text,
                               .model = out->model,
                               .call = out->call,
                               .squash = out->squash,
                               .summary = out->squash ? NULL : out->message,
                               .covers = out->covers};

    q->who.done(q->who.arg, &made, err->rc ? err : NULL);
    asked_free(q);
}

static asked *asked_new(skn_serve *s, const skn_api_waiter *who)
{
    asked *q = skn_heap(sizeof *q);

    q->s = s;
    q->who = *who;
    return q;
}

static asked *followed(asked *q)
{
    skn_model_request_watch(
        q->request, &(skn_request_watch){.progress = q->who.progress, .arg = q->who.arg});
    return q;
}

static void *on_squash(void *arg, const skn_squash_request *w, const skn_api_waiter *who)
{
    skn_serve      *s = arg;
    asked          *q = asked_new(s, who);
    skn_squash_spec spec = {.world = w->world,
                            .chat = w->how.conversation,
                            .sources = w->spec.sources.at,
                            .source_count = w->spec.sources.count,
                            .prompt = w->spec.prompt,
                            .model = w->spec.model,
                            .actor = w->how.actor,
                            .dry_run = w->how.dry_run};

    q->request = skn_runtime_squash(s->runtime, &spec, model_done, q);
    return followed(q);
}

static void *on_compact(void *arg, const skn_compact_request *w, const skn_api_waiter *who)
{
    skn_serve             *s = arg;
    asked                 *q = asked_new(s, who);
    const skn_compact_spec spec = {.world = w->world,
                                   .chat = w->what.conversation,
                                   .agent = w->what.agent,
                                   .lane = w->what.lane,
                                   .model = w->model,
                                   .reason = w->reason};

    q->request = skn_runtime_compact(s->runtime, &spec, model_done, q);
    return followed(q);
}

static void tell_cancelled(void *arg)
{
    asked             *q = arg;
    const skn_api_made made = {0};
    skein_error        err;

    skn_fail(&err, SKEIN_CONFLICT, "it was cancelled; nothing was changed");
    q->who.done(q->who.arg, &made, &err);
    asked_free(q);
}

static void on_cancel(void *arg, void *handle)
{
    skn_serve *s = arg;
    asked     *q = handle;

    skn_model_request_cancel(q->request);
    q->soon = skn_timer_new(s->loop, tell_cancelled, q);
    skn_timer_start(q->soon, 0);
}

/* What agents have written by themselves is a job, too. */

static void own_progress(void *arg, int64_t done, int64_t total)
{
    skn_job_progress(arg, done, total);
}

static void own_over(void *arg, const skein_error *err)
{
    skn_job_end(arg, SKN_STR(""), err->rc && err->rc != SKEIN_NOTHING ? err : NULL);
}

static void own_cancel(void *arg)
{
    skn_model_request_cancel(arg);
}

void skn_serve_begun(void *arg, skn_model_request *q, const char *purpose, skein_world_id world)
{
    skn_serve *s = arg;
    skn_job   *job = s->http && !s->http_closed
                         ? skn_http_job(s->http, purpose, world, own_cancel, q)
                         : NULL;

    if (job)
        skn_model_request_watch(q, &(skn_request_watch){own_progress, own_over, job});
}

/* --- Providers for people --------------------------------------------------------------------------- */

/* An operation on providers that is in progress. */
typedef struct inquiry {
    skn_serve              *s;
    skn_api_provider_op     op;
    skn_arena              *a;
    skn_str                 name;
    int64_t                 began;
    skn_timer              *soon;
    bool                    tried; /* a dry run: there is no result */
    skein_error             err;
    skn_api_providers_done *done;
    void                   *arg;
} inquiry;

static void inquiry_end(inquiry *q, const skn_api_providers *told, const skein_error *err)
{
    q->done(q->arg, told, err && err->rc ? err : NULL);
    skn_timer_free(q->soon);
    skn_arena_free(q->a);
    free(q);
}

/* Describes a model. Its window is what its server says, until the runtime has learned more from answers. */
static skn_api_model model_of(const skn_serve *s, skn_str provider, const skn_model *m,
                              skn_arena *a)
{
    skn_api_model out = {.name = m->name, .window = m->window > 0 ? m->window : -1};
    const char   *from = m->window > 0 ? "provider" : NULL;
    int64_t       window;

    out.whole = skn_arena_printf(a, "%.*s/%.*s", SKN_FMT(provider), SKN_FMT(m->name));
    window = s->runtime ? skn_runtime_window(s->runtime, out.whole, &from) : 0;
    if (window > 0)
        out.window = window;
    else if (m->window > 0)
        from = "provider";
    out.window_from = from ? skn_str_of(from) : SKN_NONE;
    return out;
}

static skn_api_model *models_of(const skn_serve *s, skn_str provider, const skn_model *models,
                                size_t count, skn_arena *a)
{
    skn_api_model *out = SKN_ARRAY(a, count, skn_api_model);

    for (size_t i = 0; i < count; i++)
        out[i] = model_of(s, provider, &models[i], a);
    return out;
}

/* Returns the problem and its remedy. */
static skn_str detail_of(const skn_provider_info *p, skn_arena *a)
{
    return p->problem.n && p->hint.n
               ? skn_arena_printf(a, "%.*s. %.*s", SKN_FMT(p->problem), SKN_FMT(p->hint))
               : p->problem;
}

/* Returns the default model, if it belongs to this provider. */
static skn_str default_of(skn_serve *s, const skn_provider_info *p, skn_arena *a)
{
    skn_str model = skn_serve_model(s), rest = model, name = SKN_NONE;

    return skn_str_split(&rest, '/', &name) && skn_str_eq(name, p->name)
               ? skn_arena_copy(a, model)
               : SKN_NONE;
}

static skn_api_provider shown(skn_serve *s, const skn_provider_info *p, skn_arena *a)
{
    return (skn_api_provider){.name = p->name,
                              .type = p->type,
                              .base_url = p->base_url,
                              .key_tail = p->key_tail,
                              .key_source = p->key_source,
                              .origin = p->origin,
                              .state = skn_str_of(skn_provider_state_word(p->state)),
                              .detail = detail_of(p, a),
                              .local = p->local,
                              .editable = !skn_str_is(p->type, "scripted"),
                              .default_model = default_of(s, p, a),
                              .monthly_micros = p->monthly_micros,
                              .daily_micros = p->daily_micros,
                              .used_micros = p->used_micros,
                              .today_micros = p->today_micros,
                              .stops = p->stops,
                              .unpriced = p->unpriced,
                              .unpriced_count = p->unpriced_count};
}

static void tell_list(inquiry *q)
{
    skn_provider_info *info;
    skn_api_provider  *at;
    size_t             count;

    skn_provider_set_list(q->s->providers, q->a, &info, &count);
    at = SKN_ARRAY(q->a, count, skn_api_provider);
    for (size_t i = 0; i < count; i++)
        at[i] = shown(q->s, &info[i], q->a);
    inquiry_end(q, &(skn_api_providers){.at = at, .count = count}, NULL);
}

static void tell_one(inquiry *q)
{
    skn_provider_info info;
    skn_api_provider  one;

    if (!skn_provider_set_get(q->s->providers, q->name, q->a, &info)) {
        skn_fail_hint(&q->err, SKEIN_NOT_FOUND, "\"skein provider ls\" lists them.",
                      "there is no provider \"%.*s\"", SKN_FMT(q->name));
        inquiry_end(q, &(skn_api_providers){0}, &q->err);
        return;
    }
    one = shown(q->s, &info, q->a);
    inquiry_end(q, &(skn_api_providers){.at = &one, .count = 1}, NULL);
}

static void on_soon(void *arg)
{
    inquiry *q = arg;

    if (q->err.rc)
        inquiry_end(q, &(skn_api_providers){0}, &q->err);
    else if (q->tried)
        inquiry_end(q, &(skn_api_providers){0}, NULL);
    else if (q->op == SKN_PROVIDERS_LIST)
        tell_list(q);
    else
        tell_one(q);
}

static void later(inquiry *q)
{
    q->soon = skn_timer_new(q->s->loop, on_soon, q);
    skn_timer_start(q->soon, 0);
}

static void looked(void *arg, const skein_error *err)
{
    (void)err;
    on_soon(arg);
}

static void was_put(void *arg, const skein_error *err)
{
    inquiry *q = arg;

    if (err && err->rc)
        inquiry_end(q, &(skn_api_providers){0}, err);
    else if (q->op == SKN_PROVIDERS_REMOVE)
        inquiry_end(q, &(skn_api_providers){0}, NULL);
    else
        tell_one(q);
}

static void tell_models(void *arg, const skn_models *m)
{
    inquiry          *q = arg;
    skn_api_providers told = {.models = models_of(q->s, q->name, m->at, m->count, q->a),
                              .model_count = m->count,
                              .state = skn_str_of(skn_ask_state_word(m->state)),
                              .took_ms = (skn_clock_monotonic() - q->began) / 1000000};

    skn_provider_info info;

    if (m->error.rc)
        told.detail = skn_str_of(m->error.message);
    else if (skn_provider_set_get(q->s->providers, q->name, q->a, &info))
        told.detail = detail_of(&info, q->a);
    inquiry_end(q, &told, q->op == SKN_PROVIDERS_TEST ? NULL : &m->error);
}

static skn_str kind_word(skn_wire_kind kind)
{
    return kind == SKN_WIRE_ANTHROPIC ? SKN_STR("anthropic")
           : kind == SKN_WIRE_OLLAMA  ? SKN_STR("ollama")
                                      : SKN_STR("openai");
}

static void tell_found(void *arg, const skn_detected *d)
{
    inquiry       *q = arg;
    skn_api_found *found = SKN_ARRAY(q->a, SKN_SERVERS + SKN_KEY_NAMES, skn_api_found);
    size_t         n = 0;

    for (size_t i = 0; i < SKN_SERVERS; i++) {
        const skn_found_server *f = &d->servers[i];

        if (f->answered || f->problem)
            found[n++] = (skn_api_found){.name = skn_str_of(f->about->name),
                                         .label = skn_str_of(f->about->label),
                                         .type = kind_word(f->about->kind),
                                         .base_url = f->base_url,
                                         .version = f->version,
                                         .models = models_of(q->s, skn_str_of(f->about->name),
                                                             f->models, f->model_count, q->a),
                                         .model_count = f->model_count,
                                         .problem = f->problem ? skn_str_of(f->problem)
                                                               : SKN_NONE,
                                         .local = f->answered,
                                         .in_use = true};
    }
    for (size_t i = 0; i < SKN_KEY_NAMES; i++) {
        const skn_found_key *f = &d->keys[i];

        if (f->variable)
            found[n++] = (skn_api_found){
                .name = skn_str_of(f->about->provider),
                .label = skn_str_of(f->about->label),
                .type = kind_word(f->about->kind),
                .base_url = skn_str_of(f->about->base_url),
                .key_source = skn_arena_printf(q->a, "env %s", f->variable),
                .key_tail = skn_str_of(f->tail)};
    }
    inquiry_end(q, &(skn_api_providers){.found = found, .found_count = n}, NULL);
}

/* An empty text removes the member. */
static void write_text(skn_jw *w, const char *key, skn_str text)
{
    if (!text.p)
        return;
    if (text.n)
        skn_jw_kstr(w, key, text);
    else
        skn_jw_knull(w, key);
}

/* Copies these members unchanged; the provider set checks them. */
static void write_more(skn_jw *w, const skn_json *body)
{
    static const char *const members[] = {"headers", "timeoutMs", "maxRetries", "concurrency",
                                          "contextWindow"};

    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        const skn_json *v = skn_json_get(body, members[i]);

        if (!v)
            continue;
        skn_jw_key(w, members[i]);
        skn_jw_raw(w, v->raw);
    }
}

static void put(inquiry *q, const skn_provider_request *w)
{
    const skn_json *body;
    skn_buf         b;
    skn_jw          jw;
    skein_rc        rc;

    skn_buf_init(&b, 64 << 10);
    skn_jw_init(&jw, &b);
    skn_jw_object(&jw);
    write_text(&jw, "type", w->type);
    write_text(&jw, "baseUrl", w->base_url);
    write_text(&jw, "apiKey", w->key);
    write_text(&jw, "apiKeyEnv", w->key_env);
    write_more(&jw, w->more);
    skn_jw_kbool(&jw, "consent", true); /* a person who sets it up wants it used */
    skn_jw_object_end(&jw);
    rc = skn_json_parse(&body, skn_arena_copy(q->a, skn_buf_str(&b)), "provider", q->a,
                        &q->err);
    if (!rc)
        rc = skn_provider_set_put(q->s->providers, q->name, body,
                                  q->op == SKN_PROVIDERS_NEW ? SKN_PROVIDER_CREATE
                                                             : SKN_PROVIDER_CHANGE,
                                  w->engine, w->dry_run ? NULL : was_put, q, NULL, &q->err);
    skn_secret_wipe(skn_buf_str(&b));
    skn_buf_release(&b);
    q->tried = w->dry_run;
    if (rc || q->tried)
        later(q);
}

static void on_providers(void *arg, const skn_provider_request *w, skn_api_providers_done *done,
                         void *done_arg)
{
    skn_serve *s = arg;
    inquiry   *q = skn_heap(sizeof *q);

    *q = (inquiry){.s = s, .op = w->op, .a = skn_arena_new(), .done = done, .arg = done_arg};
    q->name = skn_arena_copy(q->a, w->name);
    q->began = skn_clock_monotonic();
    switch (w->op) {
    case SKN_PROVIDERS_NEW:
    case SKN_PROVIDERS_CHANGE:
        put(q, w);
        break;
    case SKN_PROVIDERS_REMOVE:
        skn_provider_set_remove(s->providers, q->name, w->dry_run, w->engine, was_put, q);
        break;
    case SKN_PROVIDERS_TEST:
    case SKN_PROVIDERS_MODELS:
        skn_provider_set_models(s->providers, q->name, w->op == SKN_PROVIDERS_TEST, tell_models,
                                q);
        break;
    case SKN_PROVIDERS_DETECT:
        skn_provider_set_detect(s->providers, tell_found, q);
        break;
    default:
        if (!skn_provider_set_look(s->providers, looked, q))
            later(q);
    }
}

/* On a worker: the runtime exists from before the first request until after the last. */
static void on_tool_servers(void *arg, skein_world_id world, skn_arena *a, skn_tool_server *at,
                            size_t count)
{
    skn_serve *s = arg;

    skn_runtime_tool_servers(s->runtime, world, a, at, count);
}

/* On a worker: finds the model that answers for an agent that names `model`; absent: the agent names none. */
static void on_answerer(void *arg, skn_str model, skn_arena *a, skn_api_answerer *out)
{
    const skn_serve         *s = arg;
    skn_model_board         *b = s->models;
    const skn_provider_info *p;
    skn_str                  name;
    bool                     found;

    pthread_mutex_lock(&b->mu);
    model = b->only ? skn_str_of(b->only) : model.n ? model : b->usual;
    p = provider_locked(b, model);
    found = p != NULL;
    if (p && (p->state == SKN_PROVIDER_UNUSED || p->state == SKN_PROVIDER_NO_KEY))
        p = NULL; /* the provider would refuse */
    *out = (skn_api_answerer){
        .model = skn_arena_copy(a, model), .gone = model.n && !found, .known = p != NULL};
    if (p) {
        out->scripted = skn_str_is(p->type, "scripted");
        out->local = p->local;
        out->host = skn_arena_copy(a, p->place);
        skn_str_split(&model, '/', &name);
    }
    for (size_t i = 0; p && i < p->toolless_count; i++)
        if (skn_str_eq(p->toolless[i].name, model))
            out->no_tools = skn_arena_copy(a, p->toolless[i].value);
    pthread_mutex_unlock(&b->mu);
}

/* On a worker. */
static skein_rc on_context(void *arg, const skn_api_lane *lane, skn_arena *a,
                           skein_context *out, skein_error *err)
{
    const skn_serve *s = arg;
    skn_model_board *b = s->models;
    skn_sent_spec    spec = {
           .engine = lane->engine, .world = lane->world, .mode = lane->mode, .files = lane->files};

    pthread_mutex_lock(&b->mu);
    spec.only_model = b->only != NULL;
    spec.model = skn_arena_copy(a, b->only ? skn_str_of(b->only) : b->usual);
    pthread_mutex_unlock(&b->mu);
    return skn_runtime_context(s->runtime, &spec, lane->what, a, out, err);
}

void skn_serve_agents(skn_serve *s, skn_api_agents *out)
{
    *out = (skn_api_agents){.arg = s,
                            .squash = on_squash,
                            .compact = on_compact,
                            .cancel = on_cancel,
                            .providers = on_providers,
                            .tool_servers = on_tool_servers,
                            .has_tool = skn_runtime_has_tool,
                            .context = on_context,
                            .answerer = s->read_only ? NULL : on_answerer};
}
