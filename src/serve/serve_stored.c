/* What people chose while working: read from the store at once when somebody changed it here, and soon when another
 * program did. One reading at a time, so that an older state never comes after a newer one. */
#include "base/hash.h"
#include "cli/input.h"
#include "cli/paste.h"
#include "cli/place.h"
#include "cli/print.h"
#include "serve/serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_MS = 50 };

typedef struct waiter {
    struct waiter *next;
    skn_call      *done;
    void          *arg;
} waiter;

struct skn_serve_stored {
    skn_serve *serve;
    skn_timer *soon;
    bool       soon_on, busy;
    bool       look, all;   /* what the next reading is for: a change, or everything again */
    bool       full;        /* this reading is for everything; the worker reads it */
    waiter    *next, *here; /* who waits for the next reading, and for this one */
    int64_t    seen; /* how often settings had been changed at the last reading; -1: never */
    uint64_t   sum;  /* of what the providers depend on, then */
    skn_arena *mem;  /* of the values that were taken */
    skn_arena *a;    /* of the reading under way */
    skein_settings list;
    int64_t        changes;
    bool           read;
    skein_rc       rc;
};

static void begin(skn_serve_stored *t);

/* --- On a worker -------------------------------------------------------------------------------- */

/* The number first: what is changed between the two is read once more. */
static void read_stored(void *arg)
{
    skn_serve_stored *t = arg;
    skein_engine     *e = t->serve->cli->engine;
    skein_error       err;

    t->rc = skein_setting_changes(e, &t->changes, &err);
    t->read = !t->rc && (t->full || t->changes != t->seen);
    if (t->read)
        t->rc = skein_setting_list(e, t->a, &t->list, &err);
}

/* --- On the loop -------------------------------------------------------------------------------- */

static void end(skn_serve_stored *t)
{
    waiter *all = t->here;

    t->here = NULL;
    t->busy = false;
    skn_arena_free(t->a);
    t->a = NULL;
    while (all) {
        waiter *w = all;

        all = w->next;
        w->done(w->arg);
        free(w);
    }
    if (t->look || t->all || t->next)
        begin(t);
}

static void providers_read(void *arg, const skein_error *err)
{
    (void)err; /* they stay as they were, and the next change is tried again */
    end(arg);
}

/* What is not in the store any more is again what the file says. */
static void take(skn_serve_stored *t)
{
    skn_serve *s = t->serve;
    skn_arena *mem = skn_arena_new();

    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        if (skn_config_rows[i].use == SKN_USE_STORED)
            s->config->values[i] = s->own[i];
    for (size_t i = 0; i < t->list.count; i++)
        skn_config_stored(s->config, &t->list.at[i], mem);
    skn_arena_free(t->mem);
    t->mem = mem;
    skn_http_settings(s->http, skn_serve_settings(s, s->config, t->a));
}

/* Keys may come from commands, which are not run because somebody chose another colour. */
static uint64_t sum_of(const skn_serve_stored *t)
{
    uint64_t sum = skn_hash_bytes(7, t->serve->config->values[SKN_CONFIG_DEFAULT_MODEL].text);

    for (size_t i = 0; i < t->list.count; i++)
        if (skn_str_is(t->list.at[i].key, "providers"))
            sum = skn_hash_bytes(sum, t->list.at[i].value);
    return sum;
}

static void stored_read(void *arg)
{
    skn_serve_stored *t = arg;
    skn_serve        *s = t->serve;
    uint64_t          was = t->sum;

    if (t->rc || !t->read || s->http_closed) {
        end(t);
        return;
    }
    t->seen = t->changes;
    take(t);
    t->sum = sum_of(t);
    if (s->providers && (t->full || t->sum != was))
        skn_provider_set_reload(s->providers, s->config, providers_read, t);
    else
        end(t);
}

static void begin(skn_serve_stored *t)
{
    t->busy = true;
    t->look = false;
    t->full = t->all;
    t->all = false;
    t->here = t->next;
    t->next = NULL;
    t->a = skn_arena_new();
    t->list = (skein_settings){0};
    skn_workers_run(t->serve->inner, read_stored, stored_read, t);
}

static void on_soon(void *arg)
{
    skn_serve_stored *t = arg;

    t->soon_on = false;
    t->look = true;
    if (!t->busy)
        begin(t);
}

void skn_serve_stored_changed(skn_serve_stored *t)
{
    if (!t || t->soon_on)
        return;
    t->soon_on = true;
    skn_timer_start(t->soon, LOOK_MS);
}

void skn_serve_stored_take(skn_serve_stored *t, bool all, skn_call *done, void *arg)
{
    waiter *w = done ? skn_heap(sizeof *w) : NULL;

    if (w) {
        *w = (waiter){t->next, done, arg};
        t->next = w;
    }
    t->look = true;
    t->all |= all;
    if (!t->busy)
        begin(t);
}

skn_serve_stored *skn_serve_stored_new(skn_serve *s)
{
    skn_serve_stored *t = skn_heap(sizeof *t);

    *t = (skn_serve_stored){.serve = s, .seen = -1, .soon = skn_timer_new(s->loop, on_soon, t)};
    return t;
}

void skn_serve_stored_free(skn_serve_stored *t)
{
    if (!t)
        return;
    for (waiter *w = t->here, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    for (waiter *w = t->next, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    skn_timer_free(t->soon);
    skn_arena_free(t->a);
    skn_arena_free(t->mem);
    free(t);
}

/* What a server says on standard output when it is ready. */

#define AGENTS_SHOWN 8

/* The path as the person would write it. */
static skn_str shown(skn_cli *cli, skn_str path)
{
    const char *home = getenv("HOME");
    size_t      n = home ? strlen(home) : 0;

    if (n < 2 || path.n <= n || memcmp(path.p, home, n) != 0 || path.p[n] != '/')
        return path;
    return skn_arena_printf(cli->keep, "~%.*s", (int)(path.n - n), path.p + n);
}

/* --- The browser ---------------------------------------------------------------------------- */

typedef enum browsing { BROWSE_NOT, BROWSE_OPEN, BROWSE_NONE_HERE } browsing;

/* Only where a person looks at a terminal; asked for, wherever there is a display. */
static browsing how_to_browse(const skn_cli *cli, int64_t wanted)
{
    if (wanted == 0 || (wanted < 0 && !cli->out.terminal) || cli->json || cli->quiet)
        return BROWSE_NOT;
    return skn_browser_here() ? BROWSE_OPEN : BROWSE_NONE_HERE;
}

static void say_far_browser(skn_cli *cli, int port)
{
    char host[256] = "thishost";

    gethostname(host, sizeof host - 1);
    skn_print(cli,
              "            No browser here. From your own computer: "
              "ssh -L %d:127.0.0.1:%d %s\n",
              port, port, host);
}

/* --- What there is -------------------------------------------------------------------------- */

/* "\"tour\" with @lead, @ada, @bo", or how many worlds there are. */
static skn_str worlds_text(skn_cli *cli)
{
    skein_worlds worlds = {NULL, 0};
    skein_agents agents = {NULL, 0};
    skein_error  err;
    skn_str      text;

    if (skein_world_list(cli->engine, cli->keep, &worlds, &err) || !worlds.count)
        return SKN_STR("none yet: skein world new NAME makes one");
    text = skn_arena_printf(cli->keep, "\"%.*s\"", SKN_FMT(worlds.at[0].name));
    if (worlds.count > 1)
        return skn_arena_printf(cli->keep, "%.*s and %zu more", SKN_FMT(text),
                                worlds.count - 1);
    if (skein_agent_list(cli->engine, worlds.at[0].id, cli->keep, &agents, &err))
        return text;
    for (size_t i = 0; i < agents.count && i < AGENTS_SHOWN; i++)
        text = skn_arena_printf(cli->keep, "%.*s%s@%.*s", SKN_FMT(text), i ? ", " : " with ",
                                SKN_FMT(agents.at[i].name));
    if (agents.count > AGENTS_SHOWN)
        text = skn_arena_printf(cli->keep, "%.*s and %zu more", SKN_FMT(text),
                                agents.count - AGENTS_SHOWN);
    return text;
}

static void say_json(skn_serve *s, int64_t ready_ms)
{
    skn_cli *cli = s->cli;
    skn_jw  *w = skn_item(cli);

    skn_jw_object(w);
    skn_jw_kstr(w, "program", SKN_STR("skein"));
    skn_jw_kstr(w, "version", skn_str_of(skein_version_text()));
    skn_jw_kstr(w, "url", skn_str_of(s->url));
    skn_jw_kbool(w, "allAddresses", s->everywhere);
    skn_jw_kstr(w, "socket", skn_str_of(s->socket));
    skn_jw_kint(w, "pid", (int64_t)getpid());
    skn_jw_kstr(w, "store", skn_place_shown(cli));
    skn_jw_kbool(w, "new", s->is_new);
    skn_jw_kbool(w, "readOnly", s->read_only);
    skn_serve_shape_models(s, w);
    skn_jw_kbool(w, "signIn", s->token_named);
    skn_jw_kint(w, "readyMs", ready_ms);
    skn_jw_object_end(w);
    skn_item_end(cli);
}

static void say_text(skn_serve *s, int64_t ready_ms, browsing browse)
{
    skn_cli *cli = s->cli;
    skn_str  public_url = s->config->values[SKN_CONFIG_PUBLIC_URL].text;
    skn_str  web = public_url.n ? public_url : skn_str_of(s->url);

    skn_print(cli, "skein %s\n\n", skein_version_text());
    skn_print(cli, "  Data      %.*s%s%s\n", SKN_FMT(shown(cli, skn_place_shown(cli))),
              s->is_new ? "  (new)" : "", s->read_only ? "  (read only)" : "");
    skn_serve_say_models(s);
    skn_print_raw(cli, SKN_STR("  World     "));
    skn_print_told(cli, worlds_text(cli));
    skn_print_raw(cli, SKN_STR("\n"));
    skn_print(cli, "  Web       %-26.*s %s\n", SKN_FMT(web),
              browse == BROWSE_OPEN ? "opening your browser"
              : s->token_named      ? "with the token of your token file"
                                    : "in your browser");
    if (s->everywhere)
        skn_print(cli,
                  "            It listens on all addresses of this computer, port %d: others "
                  "can reach it.\n",
                  s->port);
    if (browse == BROWSE_NONE_HERE)
        say_far_browser(cli, s->port);
    skn_print(cli, "  Terminal  %-26s in another window\n", skn_pasteable(cli, "skein chat"));
    skn_print(cli, "\nReady in %" PRId64 " ms. Ctrl-C stops the server; your data stays.\n",
              ready_ms);
}

void skn_serve_say(skn_serve *s)
{
    skn_cli *cli = s->cli;
    browsing browse = how_to_browse(cli, s->config->values[SKN_CONFIG_OPEN_BROWSER].number);

    if (cli->json)
        say_json(s, s->ready_ms);
    else if (!cli->quiet)
        say_text(s, s->ready_ms, browse);
    if (!cli->json) /* for scripts: the first line that begins with http:// */
        skn_print(cli, "%s\n", s->url);
    skn_out_flush(cli);
    if (browse == BROWSE_OPEN)
        skn_browser_open(s->url);
}

void skn_serve_say_running(skn_cli *cli, const skn_server *other)
{
    const skn_config *c = skn_config_of(cli);
    bool    open = how_to_browse(cli, c->values[SKN_CONFIG_OPEN_BROWSER].number) == BROWSE_OPEN;
    skn_jw *w;

    if (cli->json) {
        w = skn_item(cli);
        skn_jw_object(w);
        skn_jw_kbool(w, "alreadyRunning", true);
        skn_jw_kstr(w, "url", skn_str_of(other->url));
        skn_jw_kstr(w, "socket", skn_str_of(other->socket));
        skn_jw_kint(w, "pid", other->pid);
        skn_jw_object_end(w);
        skn_item_end(cli);
        return;
    }
    if (!cli->quiet)
        skn_print(cli, "A server already runs on this data (pid %" PRId64 ", %s).%s\n",
                  other->pid, other->url, open ? " Opening it." : "");
    skn_print(cli, "%s\n", other->url);
    skn_out_flush(cli);
    if (open)
        skn_browser_open(other->url);
}
