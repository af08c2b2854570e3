/* window.c: how much models can read, and how much of that a request takes. Requests, summaries and reports use the
 * same account. */
#include "runtime/run.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODELS_MOST = 4096,
    SCALE_MOST = 400,     /* percent */
    MEASURED_LEAST = 500, /* tokens, to compare with an estimate */
    SCALE_STEPS = 8,      /* a scale falls by this part of the difference each time */
    KEPT_STEP = 5,        /* of the scale: a smaller change is not stored */
    ROOM_MOST = 4096,     /* for an answer without a configured limit */
    SHARE_LEAST = 256,    /* bytes of a text */
    WINDOW_LEAST = 256    /* a smaller number in a refusal means something else */
};

/* --- Known windows --------------------------------------------------------------------------------- */

/* A model. What it refused counts until its provider tells another window. */
typedef struct entry {
    char      *model; /* "provider/model" */
    skn_window said;
    int64_t    refused; /* tokens that it can read at most; 0: it never refused */
    int64_t    against; /* … while its provider said this; 0: nothing */
    int64_t    kept;    /* the scale as it is stored */
    bool       dirty;   /* it is to be stored */
    int64_t    scale;   /* percent: tokens that it counts, of the estimate */
} entry;

struct skn_windows {
    pthread_mutex_t mu;
    entry          *at;
    size_t          count;
};

skn_windows *skn_windows_new(void)
{
    skn_windows *ws = skn_heap(sizeof *ws);

    pthread_mutex_init(&ws->mu, NULL);
    return ws;
}

void skn_windows_free(skn_windows *ws)
{
    for (size_t i = 0; i < ws->count; i++)
        free(ws->at[i].model);
    free(ws->at);
    pthread_mutex_destroy(&ws->mu);
    free(ws);
}

/* Returns NULL if the model is unknown and not to be added, or the table is full. */
static entry *find_locked(skn_windows *ws, skn_str model, bool make)
{
    for (size_t i = 0; i < ws->count; i++)
        if (skn_str_is(model, ws->at[i].model))
            return &ws->at[i];
    if (!make || ws->count == MODELS_MOST)
        return NULL;
    ws->at = skn_heap_resize(ws->at, (ws->count + 1) * sizeof *ws->at);
    ws->at[ws->count] = (entry){.model = skn_heap_copy(model), .scale = 100, .kept = 100};
    return &ws->at[ws->count++];
}

static skn_reach reach_of(const entry *e)
{
    skn_reach out = {.tokens = e->said.tokens,
                     .from = e->said.from,
                     .format = e->said.format,
                     .scale = e->scale,
                     .sees = e->said.sees};

    if (e->refused && (!out.tokens || e->refused < out.tokens)) {
        out.tokens = e->refused;
        out.from = "error";
    }
    return out;
}

skn_reach skn_windows_read(skn_windows *ws, skn_str model)
{
    skn_reach    out = {.scale = 100};
    const entry *e;

    pthread_mutex_lock(&ws->mu);
    if ((e = find_locked(ws, model, false)))
        out = reach_of(e);
    pthread_mutex_unlock(&ws->mu);
    return out;
}

skn_reach skn_runtime_reach(skn_runtime *r, skn_str model)
{
    skn_reach     out = {.scale = 100};
    skn_str       name;
    skn_provider *p = skn_runtime_provider(r, model, &name);
    skn_window    said = p ? skn_provider_window(p, name, true) : (skn_window){0};
    entry        *e;

    pthread_mutex_lock(&r->windows->mu);
    if ((e = find_locked(r->windows, model, true))) {
        if (e->refused && said.tokens && said.tokens != e->against) {
            e->refused = 0;
            e->dirty = true;
        }
        e->said = said;
        out = reach_of(e);
    }
    pthread_mutex_unlock(&r->windows->mu);
    out.asked = said.asked && !out.tokens;
    return out;
}

/* --- Refusals --------------------------------------------------------------------------------------- */

/* The number after these words, with or without commas; 0: none. */
static int64_t number_after(skn_str text, const char *words)
{
    ptrdiff_t at = skn_str_find(text, skn_str_of(words));
    int64_t   n = 0;

    if (at < 0)
        return 0;
    text = skn_str_sub(text, (size_t)at + strlen(words), text.n);
    for (size_t i = 0; i < text.n && n < INT32_MAX; i++) {
        char c = text.p[i];

        if (c >= '0' && c <= '9')
            n = n * 10 + (c - '0');
        else if (n ? c != ',' : c != ' ' && c != '(' && c != ':')
            break;
    }
    return n < INT32_MAX ? n : 0;
}

static int64_t first_of(skn_str text, const char *const *words)
{
    int64_t n = 0;

    for (; *words && n < WINDOW_LEAST; words++)
        n = number_after(text, *words);
    return n < WINDOW_LEAST ? 0 : n;
}

/* The words before the number of tokens that a model can read, and before the number that it was sent. */
static const char *const window_words[] = {"available context size",    /* llama.cpp */
                                           "maximum context length is", /* OpenAI, vLLM */
                                           "maximum context length:",   /* Ollama */
                                           "context length of only",    /* LM Studio */
                                           "n_ctx:", /* LM Studio, llama.cpp */
                                           "n_ctx =",
                                           "tokens >",                         /* Anthropic */
                                           "maximum number of tokens allowed", /* Gemini */
                                           "context window of",
                                           "maximum prompt length is", /* xAI */
                                           NULL};
static const char *const sent_words[] = {"request (",
                                         "your request has",
                                         "the first",
                                         "n_keep:",
                                         "prompt is too long:",
                                         "input token count",
                                         "resulted in",
                                         "request contains",
                                         "tokens (",
                                         "you requested",
                                         NULL};

static int64_t scale_of(int64_t estimate, int64_t tokens)
{
    int64_t scale = estimate > 0 && tokens > 0 ? tokens * 100 / estimate + 1 : 0;

    return scale > SCALE_MOST ? SCALE_MOST : scale;
}

static void lower(skn_reach *reach, int64_t window, int64_t scale)
{
    if (window > 0 && (!reach->tokens || window < reach->tokens))
        reach->tokens = window;
    if (scale > reach->scale)
        reach->scale = scale;
}

static bool is_less(const skn_reach *now, const skn_reach *then)
{
    return (now->tokens && (!then->tokens || now->tokens < then->tokens)) ||
           now->scale > then->scale;
}

bool skn_window_is_told(skn_str words)
{
    return first_of(words, window_words) || first_of(words, sent_words);
}

/* A refusal without a number means that the model can read less than it was sent. Of several requests that were refused
 * at once, the first may have taught everything. */
bool skn_windows_refused(skn_windows *ws, skn_str model, int64_t estimate,
                         const skn_reach *counted, skn_str words)
{
    skn_reach reach;
    bool      better = false;
    entry    *e;

    pthread_mutex_lock(&ws->mu);
    if ((e = find_locked(ws, model, true))) {
        reach = reach_of(e);
        lower(&reach, first_of(words, window_words),
              scale_of(estimate, first_of(words, sent_words)));
        if (!is_less(&reach, counted)) /* nothing new, but still too long */
            lower(&reach, estimate * counted->scale / 100 * 9 / 10, 0);
        better = is_less(&reach, counted);
        if (!e->said.tokens || reach.tokens < e->said.tokens)
            e->refused = reach.tokens;
        e->against = e->said.tokens;
        e->scale = reach.scale;
        e->dirty = true;
    }
    pthread_mutex_unlock(&ws->mu);
    return better;
}

/* Servers that cache the start of a request may count only the rest, so a count below the estimate says nothing. Some
 * texts have more tokens than others of their length, so the scale falls slowly. */
void skn_windows_measured(skn_windows *ws, skn_str model, int64_t estimate, int64_t tokens)
{
    int64_t scale = scale_of(estimate, tokens);
    entry  *e;

    if (estimate < MEASURED_LEAST || tokens < estimate)
        return;
    pthread_mutex_lock(&ws->mu);
    if ((e = find_locked(ws, model, true))) {
        e->scale = scale > e->scale
                       ? scale
                       : e->scale - (e->scale - scale + SCALE_STEPS - 1) / SCALE_STEPS;
        e->dirty |= e->scale >= e->kept + KEPT_STEP || e->scale <= e->kept - KEPT_STEP;
    }
    pthread_mutex_unlock(&ws->mu);
}

/* --- Across restarts ---------------------------------------------------------------------------------- */

void skn_windows_load(skn_windows *ws, const skn_learned_list *all, skn_arena *a)
{
    const skn_json *v;
    entry          *e;

    pthread_mutex_lock(&ws->mu);
    for (size_t i = 0; i < all->count; i++) {
        int64_t refused = 0, against = 0, scale = 100;

        if (!skn_str_is(all->at[i].what, SKN_LEARNED_WINDOW) ||
            skn_json_parse(&v, all->at[i].value, "window", a, NULL) ||
            skn_json_int(v, "refused", 0, &refused, NULL) ||
            skn_json_int(v, "against", 0, &against, NULL) ||
            skn_json_int(v, "scale", 100, &scale, NULL) || refused < 0 || scale < 100 ||
            scale > SCALE_MOST || !(e = find_locked(ws, all->at[i].model, true)))
            continue;
        e->refused = refused;
        e->against = against;
        e->scale = e->kept = scale;
    }
    pthread_mutex_unlock(&ws->mu);
}

size_t skn_windows_take(skn_windows *ws, skn_arena *a, skn_learned_list *out)
{
    skn_vec(skn_learned) list = {0};

    pthread_mutex_lock(&ws->mu);
    for (size_t i = 0; i < ws->count; i++) {
        entry *e = &ws->at[i];

        if (!e->dirty)
            continue;
        e->dirty = false;
        e->kept = e->scale;
        skn_vec_add(
            a, &list,
            ((skn_learned){
                skn_arena_copy(a, skn_str_of(e->model)), SKN_STR(SKN_LEARNED_WINDOW),
                skn_arena_printf(a, "{\"refused\":%lld,\"against\":%lld,\"scale\":%lld}",
                                 (long long)e->refused, (long long)e->against,
                                 (long long)e->scale)}));
    }
    pthread_mutex_unlock(&ws->mu);
    *out = (skn_learned_list){list.p, list.n};
    return list.n;
}

typedef struct keeping {
    skn_runtime_job  job;
    skn_learned_list list;
} keeping;

static void work_keep(void *arg)
{
    keeping *k = arg;

    (void)skn_learned_put(k->job.r->o.engine, k->list.at, k->list.count, &k->job.err);
}

static void keep_done(void *arg)
{
    (void)arg;
}

static void keep(skn_runtime *r)
{
    keeping *k = skn_runtime_job_new(r, sizeof *k);

    if (!r->closing && skn_windows_take(r->windows, k->job.a, &k->list))
        skn_runtime_job_start(k, work_keep, keep_done);
    else
        skn_runtime_job_free(k);
}

bool skn_runtime_refused(skn_runtime *r, skn_str model, int64_t estimate,
                         const skn_reach *counted, skn_str words)
{
    bool better = skn_windows_refused(r->windows, model, estimate, counted, words);

    keep(r);
    return better;
}

void skn_runtime_measured(skn_runtime *r, skn_str model, int64_t estimate, int64_t tokens)
{
    skn_windows_measured(r->windows, model, estimate, tokens);
    keep(r);
}

/* --- The account -------------------------------------------------------------------------------------- */

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

int64_t skn_answer_room(int64_t window, int64_t most_tokens, int64_t thinking)
{
    int64_t room = most_tokens > 0 ? least_of(most_tokens, window / 2)
                                   : least_of(ROOM_MOST, window / 4);

    return least_of(room + thinking, room > window / 2 ? room : window / 2);
}

int64_t skn_tokens_left(const skein_context *c)
{
    return c->window > c->tokens ? c->window - c->tokens : 0;
}

int64_t skn_most_tokens(const skein_context *c, const skn_sizes *sizes)
{
    int64_t left = skn_tokens_left(c) - sizes->thinking;

    return left > 0 && left < sizes->most_tokens ? left : sizes->most_tokens;
}

/* About a fifth of the window, or a quarter for models that count a third more than estimated. The model's own count
 * is not used, so that a text is always cut at the same place. */
int64_t skn_share_bytes(const skn_reach *reach)
{
    int64_t bytes = reach->tokens * 3 / 4;

    return reach->tokens <= 0 ? 0 : bytes > SHARE_LEAST ? bytes : SHARE_LEAST;
}

bool skn_context_fits(const skein_context *c)
{
    return c->window <= 0 || c->tokens + c->room <= c->window;
}

int64_t skn_offers_tokens(const skn_rights *rights)
{
    int64_t tokens = 0;

    for (size_t i = 0; i < rights->offers.n; i++) {
        const skn_tool_offer *t = &rights->offers.p[i];

        tokens += (int64_t)skn_tokens_of(t->name.n + t->description.n + t->schema.n);
    }
    return tokens;
}

void skn_sizes_answer(skn_sizes *sizes, const skn_rights *rights)
{
    sizes->most_tokens = rights->most_tokens;
    sizes->thinking = skn_thinking_beside(sizes->reach.format, rights->settings);
}

void skn_sizes_messages(skn_sizes *sizes, const skein_context *c, skn_str model)
{
    sizes->summary = c->parts.summary;
    sizes->results = c->parts.results;
    sizes->messages = c->parts.messages +
                      (int64_t)(skn_thought_bytes(sizes->reach.format, model, c) + 3) / 4;
}

int64_t skn_sizes_all(const skn_sizes *sizes)
{
    return sizes->prompt + sizes->files + sizes->tools + sizes->summary + sizes->results +
           sizes->messages;
}

/* May be called again with other sizes. */
void skn_context_account(skein_context *c, const skn_sizes *sizes)
{
    skein_context_parts *p = &c->parts;
    int64_t              scale = sizes->reach.scale ? sizes->reach.scale : 100;
    struct {
        int64_t *part, raw;
    } all[] = {{&p->prompt, sizes->prompt},   {&p->files, sizes->files},
               {&p->tools, sizes->tools},     {&p->summary, sizes->summary},
               {&p->results, sizes->results}, {&p->messages, sizes->messages}};

    c->tokens = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].part = (all[i].raw * scale + 99) / 100;
        c->tokens += *all[i].part;
    }
    c->scale = scale;
    c->fixed = p->prompt + p->files + p->tools;
    c->window = sizes->reach.tokens > 0 ? sizes->reach.tokens : -1;
    c->window_from = sizes->reach.from ? skn_str_of(sizes->reach.from) : SKN_NONE;
    c->room = skn_answer_room(sizes->reach.tokens, sizes->most_tokens, sizes->thinking);
}

int64_t skn_runtime_window(skn_runtime *r, skn_str model, const char **from)
{
    skn_reach reach = skn_windows_read(r->windows, model);

    *from = reach.from;
    return reach.tokens;
}
