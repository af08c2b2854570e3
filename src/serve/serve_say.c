/* What a server prints when it is ready: its address, the model that answers, and the result of detection. Detection
 * takes a moment, so the text waits for it; the server does not. */
#include "base/clock.h"
#include "cli/input.h"
#include "cli/paste.h"
#include "cli/place.h"
#include "cli/print.h"
#include "serve/serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AGENTS_SHOWN 8
#define LOOK_MS      10
#define WAIT_MS      300

#define INDENT "            "

/* --- Models -------------------------------------------------------------------------------- */

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

/* Keys that were found and wait for a person's decision. */
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

static void say_models(skn_serve *s)
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

static void shape_models(skn_serve *s, skn_jw *w)
{
    const skn_detected *found = s->providers ? skn_provider_set_found(s->providers) : NULL;

    skn_jw_kstr(w, "model", s->providers ? skn_serve_model(s) : SKN_NONE);
    skn_jw_key(w, "found");
    if (found)
        skn_detected_shape(w, found);
    else
        skn_jw_null(w);
}

/* The path as a person would write it. */
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

/* Opens a browser only for a person at a terminal or, with --open, wherever there is a display. */
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

/* --- The text ------------------------------------------------------------------------------- */

/* "\"tour\" with @lead, @ada, @bo", or the number of worlds. */
static skn_str worlds_text(skn_cli *cli)
{
    skein_worlds worlds = {NULL, 0};
    skein_agents agents = {NULL, 0};
    skein_error  err;
    skn_str      text;

    if (skein_world_list(cli->engine, cli->keep, &worlds, &err) || !worlds.count)
        return SKN_STR("none yet: skein world new NAME creates one");
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
    shape_models(s, w);
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
    say_models(s);
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

static void say_ready(skn_serve *s)
{
    skn_cli *cli = s->cli;
    browsing browse = how_to_browse(cli, s->config->values[SKN_CONFIG_OPEN_BROWSER].number);

    if (cli->json)
        say_json(s, s->ready_ms);
    else if (!cli->quiet)
        say_text(s, s->ready_ms, browse);
    if (!cli->json) /* scripts take the first line that begins with http:// */
        skn_print(cli, "%s\n", s->url);
    skn_out_flush(cli);
    if (browse == BROWSE_OPEN)
        skn_browser_open(s->url);
}

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
        say_ready(s);
}

void skn_serve_say_soon(skn_serve *s)
{
    s->ready_ms = (skn_clock_monotonic() - s->began + 999999) / 1000000;
    s->say_until = skn_clock_ms() + WAIT_MS;
    s->say = skn_timer_new(s->loop, look_again, s);
    look_again(s);
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
