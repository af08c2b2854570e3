#include "provider/provider.h"
#include "base/env_rule.h"
#include "base/json.h"
#include "provider/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

skn_asking *skn_ask_model(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink)
{
    return p->ops->ask(p, what, sink);
}

void skn_asking_cancel(skn_asking *a)
{
    if (a)
        a->provider->ops->cancel(a);
}

void skn_asking_so_far(const skn_asking *a, skn_answer *out)
{
    *out = (skn_answer){
        .state = SKN_ASK_STOPPED, .tokens_in = -1, .tokens_out = -1, .first_ms = -1};
    if (a->provider->ops->so_far)
        a->provider->ops->so_far(a, out);
}

void skn_provider_free(skn_provider *p)
{
    if (p)
        p->ops->free(p);
}

/* Servers may say anything; a larger number means "no limit", and this one is safe to calculate with. */
#define WINDOW_MOST INT64_C(1000000000000)

/* What stands in the names of models that see images; asked only where the service itself does not say. */
static const char *const seeing[] = {
    "gpt-4o",   "gpt-4.1",         "gpt-4-turbo",    "gpt-5",  "o4-mini",         "claude-",
    "gemini-",  "gemma-3",         "gemma3",         "llava",  "pixtral",         "-vl",
    "vl:",      "vision",          "llama-4",        "llama4", "minicpm-v",       "moondream",
    "internvl", "mistral-small-3", "mistral-medium", "grok-4", "mistral-large-3", "multimodal"};

static bool is_seeing(skn_str model)
{
    for (size_t i = 0; i < sizeof seeing / sizeof *seeing; i++)
        if (skn_str_find(model, skn_str_of(seeing[i])) >= 0)
            return true;
    return false;
}

skn_window skn_provider_window(skn_provider *p, skn_str model, bool ask)
{
    skn_window w = p->ops->window ? p->ops->window(p, model, ask) : (skn_window){0};

    if (w.tokens > WINDOW_MOST)
        w.tokens = WINDOW_MOST;
    if (!w.sees && is_seeing(model))
        w.sees = 1;
    return w;
}

static const struct {
    const char *begin;
    int64_t     tokens;
} windows[] = {
#define WINDOW(begin, tokens) {begin, tokens},
#include "provider/windows.def"
#undef WINDOW
};

int64_t skn_window_known(skn_str model)
{
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
        if (skn_str_starts(model, skn_str_of(windows[i].begin)))
            return windows[i].tokens;
    return 0;
}

bool skn_provider_toolless(const skn_provider *p, skn_str model)
{
    return p->ops->toolless && p->ops->toolless(p, model);
}

/* Detection: servers on this computer are asked; of keys only the presence is noted. */

enum { MOST_BODY = 4 << 20 };

const skn_key_name skn_key_names[SKN_KEY_NAMES] = {
    {"openai", "OpenAI", "OPENAI_API_KEY", NULL, SKN_WIRE_OPENAI, "https://api.openai.com/v1"},
    {"anthropic", "Anthropic", "ANTHROPIC_API_KEY", NULL, SKN_WIRE_ANTHROPIC,
     "https://api.anthropic.com"},
    {"gemini", "Gemini", "GEMINI_API_KEY", "GOOGLE_API_KEY", SKN_WIRE_OPENAI,
     "https://generativelanguage.googleapis.com/v1beta/openai"},
    {"openrouter", "OpenRouter", "OPENROUTER_API_KEY", NULL, SKN_WIRE_OPENAI,
     "https://openrouter.ai/api/v1"},
    {"mistral", "Mistral", "MISTRAL_API_KEY", NULL, SKN_WIRE_OPENAI,
     "https://api.mistral.ai/v1"},
    {"xai", "xAI", "XAI_API_KEY", NULL, SKN_WIRE_OPENAI, "https://api.x.ai/v1"},
    {"groq", "Groq", "GROQ_API_KEY", NULL, SKN_WIRE_OPENAI, "https://api.groq.com/openai/v1"},
};

const skn_server_name skn_server_names[SKN_SERVERS] = {
    {"ollama", "Ollama", SKN_WIRE_OLLAMA, 11434},
    {"lmstudio", "LM Studio", SKN_WIRE_OPENAI, 1234},
    {"llamacpp", "llama.cpp", SKN_WIRE_OPENAI, 8080},
    {"vllm", "vLLM", SKN_WIRE_OPENAI, 8000},
};

/* --- Addresses ---------------------------------------------------------------------------------- */

skn_str skn_url_place(skn_str url)
{
    ptrdiff_t at = skn_str_find(url, SKN_STR("://"));
    skn_str   rest = at < 0 ? url : skn_str_sub(url, (size_t)at + 3, url.n), place = SKN_NONE;

    skn_str_split(&rest, '/', &place);
    return place;
}

/* "127.0.0.1:80" and "[::1]:80" without the port. */
static skn_str host_of(skn_str place)
{
    size_t end = place.n;

    for (size_t i = 0; i < place.n; i++) {
        if (place.p[i] == ']')
            return skn_str_sub(place, 0, i + 1);
        if (place.p[i] == ':' && end == place.n)
            end = i;
    }
    return skn_str_sub(place, 0, end);
}

/* The address of "all interfaces" that a server listens on is not one to connect to. */
static skn_str reachable(skn_str host)
{
    if (!host.n || skn_str_is(host, "0.0.0.0"))
        return SKN_STR("127.0.0.1");
    return skn_str_is(host, "[::]") ? SKN_STR("[::1]") : host;
}

static skn_str ollama_url(const char *host, int port, skn_arena *a)
{
    skn_str given = skn_str_trim(host && *host ? skn_str_of(host) : SKN_STR(""));
    bool    https = skn_str_starts(given, SKN_STR("https://"));
    bool    scheme = skn_str_find(given, SKN_STR("://")) >= 0;
    skn_str place = skn_url_place(given), name = host_of(place), rest;

    if (!port)
        port = scheme ? (https ? 443 : 80) : skn_server_names[0].port;
    rest = skn_str_sub(place, name.n, place.n);
    name = reachable(name);
    if (rest.n > 1)
        return skn_arena_printf(a, "%s://%.*s%.*s", https ? "https" : "http", SKN_FMT(name),
                                SKN_FMT(rest));
    return skn_arena_printf(a, "%s://%.*s:%d", https ? "https" : "http", SKN_FMT(name), port);
}

/* An address that two readers could take for two places is not used: one could be asked and the other one shown. */
static bool is_clear(const char *host, skn_str url)
{
    skn_str   given = skn_str_trim(host ? skn_str_of(host) : SKN_STR(""));
    ptrdiff_t scheme = skn_str_find(given, SKN_STR("://"));

    return skn_url_is_clear(url) && !memchr(url.p, '?', url.n) && !memchr(url.p, '#', url.n) &&
           (scheme < 0 || skn_url_is_clear(given));
}

skn_str skn_server_url(const skn_server_name *about, const char *ollama, int port, skn_arena *a)
{
    skn_str url;

    if (about->kind == SKN_WIRE_OLLAMA) {
        url = ollama_url(ollama, port, a);
        return is_clear(ollama, url) ? url : SKN_NONE;
    }
    return skn_arena_printf(a, "http://127.0.0.1:%d/v1", port ? port : about->port);
}

/* --- Keys --------------------------------------------------------------------------------------- */

void skn_key_tail(skn_str key, char out[16])
{
    bool shown = key.n >= 16;

    for (size_t i = 1; shown && i <= 4; i++)
        shown = key.p[key.n - i] > ' ' && key.p[key.n - i] < 0x7f;
    snprintf(out, 16, "…%.*s", shown ? 4 : 0, shown ? key.p + key.n - 4 : "");
}

static bool look_at(skn_found_key *k, const char *variable, const skn_detect_options *o)
{
    const char *value = variable ? o->env(o->env_arg, variable) : NULL;

    if (!value || !*value)
        return false;
    k->variable = variable;
    skn_key_tail(skn_str_of(value), k->tail);
    return true;
}

static void look_for_keys(skn_detected *found, const skn_detect_options *o)
{
    for (size_t i = 0; i < SKN_KEY_NAMES; i++) {
        skn_found_key *k = &found->keys[i];

        k->about = &skn_key_names[i];
        if (o->environment && !look_at(k, k->about->variable, o))
            look_at(k, k->about->other, o);
    }
}

/* --- Servers ------------------------------------------------------------------------------------ */

/* A server that is being asked. */
typedef struct probe {
    skn_detecting    *d;
    skn_found_server *server;
    skn_fetch        *fetch;
    skn_buf           body;
    int               status;
    bool              version; /* this request asks for the version; the models come next */
} probe;

struct skn_detecting {
    skn_loop          *loop;
    skn_net           *net;
    skn_arena         *a;
    skn_timer         *timer; /* calls done */
    skn_detect_options o;
    skn_detect_done   *done;
    void              *arg;
    skn_detected       found;
    probe              probes[SKN_SERVERS];
    int                open;
};

static void release(skn_detecting *d)
{
    for (size_t i = 0; i < SKN_SERVERS; i++)
        skn_buf_release(&d->probes[i].body);
    skn_timer_free(d->timer);
    skn_arena_free(d->a);
    free(d);
}

static void finish(void *arg)
{
    skn_detecting *d = arg;

    d->done(d->arg, &d->found);
    release(d);
}

static void on_head(void *arg, const skn_fetch_head *head)
{
    probe *p = arg;

    p->status = head->status;
}

static void on_body(void *arg, skn_str bytes)
{
    probe *p = arg;

    skn_buf_add(&p->body, bytes);
}

static void ask_for(probe *p, const char *path);

/* Ollama says {"version":"0.12.3"}. */
static bool read_version(probe *p)
{
    const skn_json *v;
    skein_error     err;
    skn_arena      *a = p->d->a;

    if (skn_json_parse(&v, skn_arena_copy(a, skn_buf_str(&p->body)), "the version", a, &err) ||
        skn_json_text(v, "version", &p->server->version, &err))
        return false;
    return p->server->version.n > 0;
}

static bool read_models(probe *p)
{
    skn_models found = {0};
    skn_arena *a = p->d->a;
    skn_str    body = skn_arena_copy(a, skn_buf_str(&p->body));

    if (!skn_wire_format_of(p->server->about->kind)->models(body, a, &found))
        return false;
    p->server->models = found.at;
    p->server->model_count = found.count;
    return true;
}

static void on_done(void *arg, skn_fetch_end end, const char *why)
{
    probe *p = arg;
    bool   good = end == SKN_FETCH_WHOLE && p->status == 200 && !p->body.over;

    (void)why;
    p->fetch = NULL;
    if (good && p->version) {
        p->version = false;
        if (read_version(p)) {
            p->server->answered = true;
            ask_for(p, "/api/tags");
            return;
        }
    } else if (good && read_models(p)) {
        p->server->answered = true;
    }
    if (--p->d->open == 0)
        skn_timer_start(p->d->timer, 0);
}

static void ask_for(probe *p, const char *path)
{
    const skn_fetch_sink sink = {on_head, on_body, on_done, p};
    int64_t              ms = p->d->o.wait_ms ? p->d->o.wait_ms : 300;
    skn_fetch_spec       spec = {
              .method = "GET", .connect_ms = ms, .stall_ms = ms, .total_ms = ms, .most = MOST_BODY};

    skn_buf_clear(&p->body);
    p->status = 0;
    spec.url = skn_arena_printf(p->d->a, "%.*s%s", SKN_FMT(p->server->base_url), path);
    p->fetch = skn_fetch_start(p->d->net, &spec, &sink);
}

static int port_of(skn_str place)
{
    int64_t port = 0;

    skn_str_int(skn_str_sub(place, host_of(place).n + 1, place.n), &port);
    return (int)port;
}

static void name_server(skn_detecting *d, size_t i)
{
    skn_found_server *s = &d->found.servers[i];

    s->about = &skn_server_names[i];
    s->base_url = skn_server_url(s->about, d->o.env(d->o.env_arg, "OLLAMA_HOST"), d->o.ports[i],
                                 d->a);
    if (!s->base_url.p) {
        s->problem = SKN_OLLAMA_UNCLEAR;
        return;
    }
    s->place = skn_url_place(s->base_url);
    s->elsewhere = !skn_url_is_local(s->base_url);
    if (d->o.local && !s->elsewhere && skn_net_is_strangers(port_of(s->place)))
        s->problem = skn_arena_printf(
                         d->a,
                         "another user of this computer listens at %.*s: it is not "
                         "used as %s",
                         SKN_FMT(s->place), s->about->label)
                         .p;
}

static void look_for_server(skn_detecting *d, size_t i)
{
    probe *p = &d->probes[i];

    *p = (probe){.d = d, .server = &d->found.servers[i]};
    skn_buf_init(&p->body, MOST_BODY);
    name_server(d, i);
    if (!d->o.local || p->server->elsewhere || p->server->problem)
        return;
    d->open++;
    p->version = p->server->about->kind == SKN_WIRE_OLLAMA;
    ask_for(p, p->version ? "/api/version" : "/models");
}

skn_detecting *skn_detect(skn_loop *loop, skn_net *net, const skn_detect_options *o,
                          skn_detect_done *done, void *arg)
{
    skn_detecting *d = skn_heap(sizeof *d);

    d->loop = loop;
    d->net = net;
    d->a = skn_arena_new();
    d->timer = skn_timer_new(loop, finish, d);
    d->o = *o;
    d->done = done;
    d->arg = arg;
    d->found.looked_local = o->local;
    d->found.looked_environment = o->environment;
    look_for_keys(&d->found, o);
    for (size_t i = 0; i < SKN_SERVERS; i++)
        look_for_server(d, i);
    if (!d->open)
        skn_timer_start(d->timer, 0);
    return d;
}

void skn_detect_cancel(skn_detecting *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < SKN_SERVERS; i++)
        skn_fetch_cancel(d->probes[i].fetch);
    release(d);
}
