#include "mcp/mcp_inside.h"

#include "base/env_rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIRST_PAUSE = 1000, LONGEST_PAUSE = 60 * 1000, QUIET = 60 * 1000 };

/* --- Options ---------------------------------------------------------------------------------- */

static const char *const inherited[] = {"PATH",   "HOME", "USER",   "LOGNAME",  "SHELL", "TERM",
                                        "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ"};

static bool has_nul_or_line_end(skn_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == '\0' || s.p[i] == '\n' || s.p[i] == '\r')
            return true;
    return false;
}

static bool has_nul(skn_str s)
{
    return s.n && memchr(s.p, '\0', s.n);
}

static skein_rc check_options(const skn_mcp_options *o, bool has_net, skein_error *err)
{
    int n = (int)(o->name.n < 64 ? o->name.n : 64);

    if ((o->argc > 0) == (o->url.n > 0))
        return skn_fail(err, SKEIN_INVALID,
                        "the tool server \"%.*s\" needs either a command or a URL", n,
                        o->name.p);
    for (size_t i = 0; i < o->argc; i++)
        if (has_nul(o->argv[i]) || (i == 0 && o->argv[i].n == 0))
            return skn_fail(err, SKEIN_INVALID, "the command of \"%.*s\" is not one", n,
                            o->name.p);
    for (size_t i = 0; i < o->env_count; i++)
        if (has_nul(o->env[i]) || skn_str_find(o->env[i], SKN_STR("=")) < 1)
            return skn_fail(err, SKEIN_INVALID,
                            "the environment of \"%.*s\" is not made of NAME=value", n,
                            o->name.p);
    for (size_t i = 0; i < o->header_count; i++)
        if (!skn_header_is_one(o->headers[i].name, o->headers[i].value))
            return skn_fail(err, SKEIN_INVALID, "a header of \"%.*s\" is not one", n,
                            o->name.p);
    if (o->url.n && !skn_str_starts(o->url, SKN_STR("http://")) &&
        !skn_str_starts(o->url, SKN_STR("https://")))
        return skn_fail(err, SKEIN_INVALID, "the URL of \"%.*s\" is neither http nor https", n,
                        o->name.p);
    if (o->url.n && (!has_net || has_nul_or_line_end(o->url)))
        return skn_fail(err, SKEIN_INVALID, "the URL of \"%.*s\" is not one", n, o->name.p);
    return SKEIN_OK;
}

static const skn_str *copy_texts(skn_arena *a, const skn_str *texts, size_t count)
{
    skn_str *out = SKN_ARRAY(a, count + 1, skn_str);

    for (size_t i = 0; i < count; i++)
        out[i] = skn_arena_copy(a, texts[i]);
    return out;
}

static bool sets(const skn_mcp_options *o, const char *name)
{
    for (size_t i = 0; i < o->env_count; i++)
        if (skn_str_starts(o->env[i], skn_str_of(name)) && o->env[i].p[strlen(name)] == '=')
            return true;
    return false;
}

/* A server is a stranger's program: of our own environment, which may hold keys, it gets only what
 * every program needs. */
static void copy_env(skn_arena *a, skn_mcp_options *o)
{
    skn_vec(skn_str) env = {0};

    for (size_t i = 0; i < sizeof inherited / sizeof *inherited; i++) {
        const char *value = getenv(inherited[i]);

        if (value && !sets(o, inherited[i]))
            skn_vec_add(a, &env, skn_arena_printf(a, "%s=%s", inherited[i], value));
    }
    for (size_t i = 0; i < o->env_count; i++)
        skn_vec_add(a, &env, skn_arena_copy(a, o->env[i]));
    o->env = env.p;
    o->env_count = env.n;
}

static void copy_options(skn_arena *a, skn_mcp_options *o)
{
    skn_fetch_header *headers = SKN_ARRAY(a, o->header_count + 1, skn_fetch_header);

    o->name = skn_arena_copy(a, o->name);
    o->argv = copy_texts(a, o->argv, o->argc);
    copy_env(a, o);
    o->cwd = skn_arena_copy(a, o->cwd);
    o->url = skn_arena_copy(a, o->url);
    for (size_t i = 0; i < o->header_count; i++)
        headers[i] = (skn_fetch_header){skn_arena_copy(a, o->headers[i].name),
                                        skn_arena_copy(a, o->headers[i].value)};
    o->headers = headers;
    o->start_ms = o->start_ms > 0 ? o->start_ms : 30 * 1000;
    o->call_ms = o->call_ms > 0 ? o->call_ms : 60 * 1000;
    o->result_bytes = o->result_bytes ? o->result_bytes : (size_t)1024 * 1024;
    o->restarts = o->restarts ? o->restarts : 5;
}

/* --- Life ------------------------------------------------------------------------------------- */

void skn_mcp_changed(skn_mcp *s)
{
    if (s->sink.changed)
        s->sink.changed(s->sink.arg, s);
}

bool skn_mcp_alive(const skn_mcp *s)
{
    return s->phase == SKN_MCP_OPEN && !s->broken && !s->stopping;
}

void skn_mcp_broke(skn_mcp *s, bool fatal, const char *fmt, ...)
{
    char    words[sizeof s->words];
    skn_buf clean;
    va_list args;

    if (s->broken || s->phase != SKN_MCP_OPEN)
        return;
    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    skn_buf_init(&clean, sizeof s->words - 1);
    skn_mcp_add_clean(&clean, skn_str_of(words));
    snprintf(s->words, sizeof s->words, "%s", clean.p ? clean.p : "");
    skn_buf_release(&clean);
    s->broken = true;
    s->fatal = fatal;
    skn_timer_start(s->soon, 0);
}

static void begin_session(skn_mcp *s)
{
    s->phase = SKN_MCP_OPEN;
    s->broken = s->fatal = s->renew = false;
    s->hello_id = s->list_id = 0;
    s->list_again = false;
    s->version = SKN_STR("");
    skn_buf_clear(&s->tail);
    skn_buf_clear(&s->tail_text);
    skn_timer_start(s->again, s->o.start_ms);
    s->road->open(s);
    if (skn_mcp_alive(s))
        skn_mcp_hello(s);
}

/* The pause is over, or the time for starting. */
static void on_again(void *arg)
{
    skn_mcp *s = arg;

    if (s->phase == SKN_MCP_PAUSE)
        begin_session(s);
    else if (s->phase == SKN_MCP_OPEN && s->state == SKN_MCP_STARTING)
        skn_mcp_broke(s, false, "it was not ready within %lld ms", (long long)s->o.start_ms);
}

static void on_quiet(void *arg)
{
    ((skn_mcp *)arg)->used = 0;
}

void skn_mcp_ready(skn_mcp *s)
{
    s->state = SKN_MCP_READY;
    s->words[0] = '\0';
    skn_timer_stop(s->again);
    skn_timer_start(s->quiet, QUIET);
    skn_mcp_changed(s);
    if (skn_mcp_alive(s))
        skn_mcp_calls_send(s);
}

static void pause_now(skn_mcp *s)
{
    int64_t ms = FIRST_PAUSE;
    char    why[sizeof s->words];

    for (int i = 0; i < s->used && ms < LONGEST_PAUSE; i++)
        ms *= 2;
    ms = ms < LONGEST_PAUSE ? ms : LONGEST_PAUSE;
    if (s->renew && s->used == 0)
        ms = 0;
    s->used++;
    s->restarted++;
    s->phase = SKN_MCP_PAUSE;
    s->state = SKN_MCP_STARTING;
    memcpy(why, s->words, sizeof why);
    snprintf(s->words, sizeof s->words, "%.300s; starts again in %lld s (%d of %d)", why,
             (long long)ms / 1000, s->used, s->o.restarts);
    skn_timer_start(s->again, ms);
    skn_mcp_changed(s);
}

static void stopped(skn_mcp *s)
{
    bool start = s->start_after;

    s->stopping = s->start_after = false;
    s->state = SKN_MCP_STOPPED;
    s->words[0] = '\0';
    skn_mcp_calls_end(s, true, "it was stopped");
    skn_mcp_changed(s);
    if (start)
        skn_mcp_start(s);
}

void skn_mcp_gone(skn_mcp *s)
{
    s->phase = SKN_MCP_IDLE;
    if (s->stopping) {
        stopped(s);
    } else if (s->fatal || s->used >= s->o.restarts) {
        s->state = SKN_MCP_FAILED;
        skn_mcp_calls_end(s, true, s->words);
        skn_mcp_changed(s);
    } else {
        pause_now(s);
    }
}

/* From the top of the stack: the function that noted what happened has returned. */
static void on_soon(void *arg)
{
    skn_mcp *s = arg;

    if (s->phase == SKN_MCP_CLOSING || (!s->broken && !s->stopping))
        return;
    skn_timer_stop(s->again);
    skn_timer_stop(s->quiet);
    skn_timer_stop(s->relist);
    if (s->phase != SKN_MCP_OPEN) {
        skn_mcp_gone(s);
        return;
    }
    s->phase = SKN_MCP_CLOSING;
    s->state = SKN_MCP_STARTING;
    skn_mcp_calls_end(s, false, s->broken ? s->words : "it was stopped");
    s->road->close(s, !s->broken);
}

skein_rc skn_mcp_new(skn_mcp **out, skn_loop *l, skn_net *net, const skn_mcp_options *options,
                     const skn_mcp_sink *sink, skein_error *err)
{
    skein_rc rc = check_options(options, net != NULL, err);
    skn_mcp *s;

    *out = NULL;
    if (rc)
        return rc;
    s = skn_heap(sizeof *s);
    s->loop = l;
    s->net = net;
    s->a = skn_arena_new();
    s->o = *options;
    copy_options(s->a, &s->o);
    s->sink = *sink;
    s->road = s->o.argc ? &skn_mcp_stdio : &skn_mcp_http;
    s->state = SKN_MCP_STOPPED;
    s->version = SKN_STR("");
    s->scratch = skn_arena_new();
    skn_buf_init(&s->tail, SKN_MCP_TAIL);
    skn_buf_init(&s->tail_text, SKN_MCP_TAIL * 4);
    s->soon = skn_timer_new(l, on_soon, s);
    s->again = skn_timer_new(l, on_again, s);
    s->quiet = skn_timer_new(l, on_quiet, s);
    s->relist = skn_timer_new(l, skn_mcp_relist, s);
    *out = s;
    return SKEIN_OK;
}

void skn_mcp_free(skn_mcp *s)
{
    if (!s)
        return;
    if (s->way)
        s->road->drop(s);
    skn_mcp_calls_free(s);
    skn_timer_free(s->soon);
    skn_timer_free(s->again);
    skn_timer_free(s->quiet);
    skn_timer_free(s->relist);
    skn_buf_release(&s->tail);
    skn_buf_release(&s->tail_text);
    skn_arena_free(s->tools.a);
    skn_arena_free(s->listing.a);
    skn_arena_free(s->scratch);
    skn_arena_free(s->a);
    free(s);
}

void skn_mcp_start(skn_mcp *s)
{
    if (s->stopping) {
        s->start_after = true;
        return;
    }
    s->used = 0;
    if (s->phase != SKN_MCP_IDLE && s->phase != SKN_MCP_PAUSE)
        return;
    s->phase = SKN_MCP_PAUSE;
    s->state = SKN_MCP_STARTING;
    s->broken = false;
    s->words[0] = '\0';
    skn_timer_start(s->again, 0);
}

void skn_mcp_stop(skn_mcp *s)
{
    s->stopping = true;
    s->start_after = false;
    skn_timer_start(s->soon, 0);
}

bool skn_mcp_over(const skn_mcp *s)
{
    return s->state == SKN_MCP_STOPPED && s->phase == SKN_MCP_IDLE && !s->stopping && !s->calls;
}

/* --- What others see -------------------------------------------------------------------------- */

skn_str skn_mcp_name(const skn_mcp *s)
{
    return s->o.name;
}

skn_mcp_state skn_mcp_state_of(const skn_mcp *s)
{
    return s->state;
}

const char *skn_mcp_state_word(skn_mcp_state state)
{
    switch (state) {
    case SKN_MCP_STARTING:
        return "starting";
    case SKN_MCP_READY:
        return "ready";
    case SKN_MCP_FAILED:
        return "failed";
    case SKN_MCP_STOPPED:
        return "stopped";
    }
    return "stopped";
}

const char *skn_mcp_words(const skn_mcp *s)
{
    return s->words;
}

int64_t skn_mcp_restarts(const skn_mcp *s)
{
    return s->restarted;
}

skn_str skn_mcp_stderr(const skn_mcp *s)
{
    return skn_buf_str(&s->tail_text);
}

skn_str skn_mcp_version(const skn_mcp *s)
{
    return s->version;
}

const skn_mcp_tool *skn_mcp_tools(const skn_mcp *s, size_t *count)
{
    *count = s->tools.tools.n;
    return s->tools.tools.p;
}
