/* Lists the models of a server, which also tests its address and key. */
#include "base/json.h"
#include "provider/wire_inside.h"

#include <stdlib.h>

enum { MOST_LIST = 8 << 20 };

struct skn_wire_asking {
    skn_wire        *wire;
    skn_wire_asking *next, **link;
    skn_models_done *done;
    void            *arg;
    skn_arena       *a;
    skn_fetch       *fetch;
    skn_timer       *timer; /* for requests that end before they start */
    int64_t          total_ms;
    int              status;
    skn_buf          body;
    skn_models       models;
    bool             of_version; /* the second request, which may fail */
};

static void start(skn_wire_asking *q, skn_str url);

static void finish(skn_wire_asking *q)
{
    *q->link = q->next;
    if (q->next)
        q->next->link = q->link;
    q->done(q->arg, &q->models);
    skn_timer_free(q->timer);
    skn_buf_release(&q->body);
    skn_arena_free(q->a);
    free(q);
}

static void fail(skn_wire_asking *q, skn_ask_state state, skn_str words)
{
    skn_wire_answer w = {.a = q->a, .secrets = &q->wire->secrets};

    skn_wire_fail(&w, state, words);
    q->models.count = 0;
    q->models.state = state;
    skn_wire_explain(q->wire, state, q->status, NULL, w.error.message, &q->models.error);
}

/* Stores the windows of the models. */
static void remember(skn_wire *p, const skn_models *models)
{
    skn_arena_free(p->known);
    p->known = skn_arena_new();
    p->models = SKN_ARRAY(p->known, models->count + 1, skn_model);
    p->model_count = 0;
    for (size_t i = 0; i < models->count; i++)
        if (models->at[i].window > 0)
            p->models[p->model_count++] = (skn_model){
                skn_arena_copy(p->known, models->at[i].name), models->at[i].window};
}

skn_window skn_wire_window(skn_provider *provider, skn_str model, bool ask)
{
    skn_wire  *p = (skn_wire *)provider;
    skn_window w;

    for (size_t i = 0; i < p->model_count; i++)
        if (skn_str_eq(p->models[i].name, model))
            return (skn_window){p->models[i].window, "provider", false, p->format, 0};
    w = skn_wire_shown(p, model, ask);
    w.format = p->format;
    return w;
}

static void read_list(skn_wire_asking *q)
{
    const skn_wire_format *f = q->wire->format;
    skn_str                body = skn_arena_copy(q->a, skn_str_trim(skn_buf_str(&q->body)));
    skn_str                words;

    body = skn_json_repair(body, q->a); /* names in the list are views of it */
    if (q->status / 100 != 2) {
        words = f->error_words(body, q->a);
        fail(q, skn_wire_state_of(q->status, words), words);
    } else if (!f->models(body, q->a, &q->models)) {
        fail(q, body.n && body.p[0] == '<' ? SKN_ASK_WRONG_TYPE : SKN_ASK_MALFORMED,
             SKN_STR("its list of models cannot be read"));
    } else {
        remember(q->wire, &q->models);
    }
}

static void read_version(skn_wire_asking *q)
{
    const skn_json *doc;
    skn_str         version;

    if (q->status == 200 &&
        !skn_json_parse(&doc, skn_buf_str(&q->body), "version", q->a, NULL) &&
        !skn_json_text(doc, "version", &version, NULL))
        q->models.version = skn_arena_copy(q->a, version);
}

static void got_head(void *arg, const skn_fetch_head *head)
{
    ((skn_wire_asking *)arg)->status = head->status;
}

static void got_body(void *arg, skn_str bytes)
{
    skn_buf_add(&((skn_wire_asking *)arg)->body, bytes);
}

static void got_end(void *arg, skn_fetch_end how, const char *why)
{
    skn_wire_asking *q = arg;

    q->fetch = NULL;
    if (q->of_version) {
        if (how == SKN_FETCH_WHOLE)
            read_version(q);
        finish(q);
        return;
    }
    if (how == SKN_FETCH_WHOLE)
        read_list(q);
    else
        fail(q, skn_wire_state_of_end(how), skn_str_of(why));
    if (q->models.state != SKN_ASK_ANSWERED || !q->wire->version_url.n) {
        finish(q);
        return;
    }
    skn_buf_clear(&q->body);
    q->of_version = true;
    start(q, q->wire->version_url);
}

static void start(skn_wire_asking *q, skn_str url)
{
    const skn_wire *p = q->wire;
    skn_fetch_spec  what = {.method = "GET",
                            .url = url,
                            .headers = p->headers,
                            .header_count = p->header_count,
                            .connect_ms = q->total_ms,
                            .total_ms = q->total_ms,
                            .most = MOST_LIST};
    skn_fetch_sink  sink = {got_head, got_body, got_end, q};

    q->fetch = skn_fetch_start(p->net, &what, &sink);
}

static void no_key(void *arg)
{
    skn_wire_asking *q = arg;

    fail(q, SKN_ASK_NO_KEY, SKN_STR(""));
    finish(q);
}

void skn_wire_models(skn_provider *provider, int64_t total_ms, skn_models_done *done, void *arg)
{
    skn_wire        *p = (skn_wire *)provider;
    skn_wire_asking *q = skn_heap(sizeof *q);

    q->wire = p;
    q->done = done;
    q->arg = arg;
    q->a = skn_arena_new();
    q->total_ms = total_ms;
    skn_buf_init(&q->body, MOST_LIST);
    q->next = p->lists;
    q->link = &p->lists;
    if (q->next)
        q->next->link = &q->next;
    p->lists = q;
    if (p->key_needed && !p->key) {
        q->timer = skn_timer_new(p->loop, no_key, q);
        skn_timer_start(q->timer, 0);
    } else {
        start(q, p->models_url);
    }
}

void skn_wire_end_lists(skn_wire *p)
{
    while (p->lists) {
        skn_wire_asking *q = p->lists;

        skn_fetch_cancel(q->fetch);
        fail(q, SKN_ASK_FAILED, SKN_STR("the provider was changed or removed"));
        finish(q);
    }
}
