/* What a server says about models when it is ready: which one answers, what was looked for and what came
 * back. Looking takes a moment, so the words wait for it; the server does not. */
#include "base/clock.h"
#include "cli/print.h"
#include "serve/model_board.h"
#include "serve/serve.h"

#include <pthread.h>
#include <stdlib.h>

#define LOOK_MS 10
#define WAIT_MS 300

#define INDENT "            "

/* --- Waiting ------------------------------------------------------------------------------- */

static bool is_known(const skn_serve *s)
{
    return !s->providers || skn_provider_set_found(s->providers);
}

static void look_again(void *arg)
{
    skn_serve *s = arg;

    if (!is_known(s) && skn_clock_ms() < s->say_until)
        skn_timer_start(s->say, LOOK_MS);
    else
        skn_serve_say(s);
}

void skn_serve_say_soon(skn_serve *s)
{
    s->ready_ms = (skn_clock_monotonic() - s->began + 999999) / 1000000;
    s->say_until = skn_clock_ms() + WAIT_MS;
    s->say = skn_timer_new(s->loop, look_again, s);
    look_again(s);
}

/* --- Words --------------------------------------------------------------------------------- */

static const skn_found_server *server_named(const skn_detected *found, skn_str name)
{
    for (size_t i = 0; found && i < SKN_SERVERS; i++)
        if (found->servers[i].answered && skn_str_is(name, found->servers[i].about->name))
            return &found->servers[i];
    return NULL;
}

/* "  (Ollama 0.12 on 127.0.0.1:11434, 3 models)" */
static void say_where(skn_serve *s, skn_str model)
{
    skn_cli                *cli = s->cli;
    ptrdiff_t               slash = skn_str_find(model, SKN_STR("/"));
    skn_str                 name = skn_str_sub(model, 0, slash > 0 ? (size_t)slash : 0);
    const skn_found_server *f = server_named(skn_provider_set_found(s->providers), name);
    skn_provider_info       info;

    if (f) {
        skn_print(cli, "  (%s%s%.*s on %.*s, %zu model%s)", f->about->label,
                  f->version.n ? " " : "", SKN_FMT(f->version), SKN_FMT(f->place),
                  f->model_count, skn_plural((int64_t)f->model_count));
    } else if (skn_provider_set_get(s->providers, name, cli->keep, &info) && info.place.n) {
        skn_print_raw(cli, SKN_STR("  ("));
        skn_print_line(cli, info.place, 0);
        skn_print_raw(cli, SKN_STR(")"));
    }
}

/* Keys that are there and wait for a word of the person. */
static void say_keys(skn_serve *s, const skn_detected *found)
{
    skn_provider_info *info;
    size_t             count;
    bool               set = false;

    skn_provider_set_list(s->providers, s->cli->keep, &info, &count);
    for (size_t i = 0; i < count; i++)
        if (info[i].state == SKN_PROVIDER_UNUSED && info[i].key_source.n)
            skn_print(s->cli,
                      INDENT "%.*s is set: not contacted until you pick it: skein provider use "
                             "%.*s\n",
                      SKN_FMT(info[i].key_source), SKN_FMT(info[i].name));
    for (size_t i = 0; i < SKN_KEY_NAMES; i++)
        set |= found->keys[i].variable != NULL;
    if (found->looked_environment && !set)
        skn_print(s->cli, INDENT "looked for keys in %d environment variables: none set\n",
                  SKN_KEY_NAMES);
}

static skn_str port_of(skn_str place)
{
    size_t n = place.n;

    while (n > 0 && place.p[n - 1] != ':')
        n--;
    return skn_str_sub(place, n ? n - 1 : 0, place.n);
}

static void say_servers(skn_cli *cli, const skn_detected *found)
{
    size_t answered = 0, asked = 0;

    for (size_t i = 0; i < SKN_SERVERS; i++) {
        const skn_found_server *f = &found->servers[i];

        answered += f->answered;
        if (f->problem)
            skn_print(cli, INDENT "%s\n", f->problem);
        else if (f->elsewhere)
            skn_print(cli, INDENT "%s at %.*s is on another computer: not contacted\n",
                      f->about->label, SKN_FMT(f->place));
        else if (f->answered && !f->model_count)
            skn_print(cli, INDENT "%s on %.*s is running but has no models\n", f->about->label,
                      SKN_FMT(f->place));
    }
    if (answered || !found->looked_local)
        return;
    skn_print_raw(cli, SKN_STR(INDENT "looked on this computer: "));
    for (size_t i = 0; i < SKN_SERVERS; i++)
        if (!found->servers[i].elsewhere && !found->servers[i].problem)
            skn_print(cli, "%s%s %.*s", asked++ ? ", " : "", found->servers[i].about->label,
                      SKN_FMT(port_of(found->servers[i].place)));
    skn_print_raw(cli, SKN_STR(": no answer\n"));
}

static skn_str scripted(skn_cli *cli)
{
    const char *script = skn_opt(cli, "script");

    if (script)
        return skn_arena_printf(cli->keep, "demo/scripted: replies of %s, no AI, works offline",
                                script);
    return SKN_STR("demo/scripted: canned replies, no AI, works offline");
}

void skn_serve_say_models(skn_serve *s)
{
    skn_cli            *cli = s->cli;
    const skn_detected *found;
    skn_str             model;

    if (!s->providers) {
        skn_print_raw(cli, SKN_STR("  Model     none: the server only reads\n"));
        return;
    }
    found = skn_provider_set_found(s->providers);
    model = skn_serve_model(s);
    skn_print_raw(cli, SKN_STR("  Model     "));
    skn_print_line(cli, skn_str_is(model, "demo/scripted") ? scripted(cli) : model, 0);
    if (!skn_str_is(model, "demo/scripted"))
        say_where(s, model);
    skn_print_raw(cli, SKN_STR("\n"));
    if (skn_opt(cli, "demo"))
        return;
    if (found) {
        say_keys(s, found);
        say_servers(cli, found);
    } else {
        skn_print_raw(cli,
                      SKN_STR(INDENT "still looking for model servers on this computer\n"));
    }
}

void skn_serve_shape_models(skn_serve *s, skn_jw *w)
{
    const skn_detected *found = s->providers ? skn_provider_set_found(s->providers) : NULL;

    skn_jw_kstr(w, "model", s->providers ? skn_serve_model(s) : SKN_NONE);
    skn_jw_key(w, "found");
    if (found)
        skn_detected_shape(w, found);
    else
        skn_jw_null(w);
}

struct skn_model_board {
    const char        *only;
    pthread_mutex_t    mu;
    skn_arena         *mem; /* guarded by mu, as is all below; holds it */
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

/* What the list gives belongs to the set, which goes on to change. */
static void keep(skn_provider_info *p, skn_arena *a)
{
    *p = (skn_provider_info){.name = skn_arena_copy(a, p->name),
                             .type = skn_arena_copy(a, p->type),
                             .place = skn_arena_copy(a, p->place),
                             .local = p->local,
                             .state = p->state};
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

void skn_model_board_find(skn_model_board *b, skn_str model, skn_arena *a,
                          skn_api_answerer *out)
{
    const skn_provider_info *p;

    pthread_mutex_lock(&b->mu);
    model = b->only ? skn_str_of(b->only) : model.n ? model : b->usual;
    p = provider_locked(b, model);
    if (p && (p->state == SKN_PROVIDER_UNUSED || p->state == SKN_PROVIDER_NO_KEY))
        p = NULL; /* it would refuse */
    *out = (skn_api_answerer){.model = skn_arena_copy(a, model), .known = p != NULL};
    if (p) {
        out->scripted = skn_str_is(p->type, "scripted");
        out->local = p->local;
        out->host = skn_arena_copy(a, p->place);
    }
    pthread_mutex_unlock(&b->mu);
}
