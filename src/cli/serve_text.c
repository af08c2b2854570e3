/* What a server says on standard output when it is ready. */
#include "cli/browser.h"
#include "cli/paste.h"
#include "cli/place.h"
#include "cli/print.h"
#include "cli/serve.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
