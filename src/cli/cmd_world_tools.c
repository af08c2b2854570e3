/* The tool servers of a world. What they are at is known to the server that runs them; without one none of
 * them runs. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/discover.h"
#include "cli/news.h"
#include "cli/server_ask.h"

#include <inttypes.h>

static skein_rc ask(skn_cli *cli, const skn_server *server, const skein_world *world,
                    const skn_json **out)
{
    const char *path = skn_arena_printf(cli->keep, "/worlds/%s/tool-servers?limit=500",
                                        skn_client_encode(cli->keep, world->name))
                           .p;
    const skn_json *all;
    skein_rc        rc = skn_server_ask(cli, server, "GET", path, SKN_NONE, &all);

    *out = rc ? NULL : skn_json_get(all, "data");
    return rc;
}

/* As the server would write it that does not run. */
static skein_rc read_settings(skn_cli *cli, const skein_world *world, const skn_json **out)
{
    skn_tool_server *servers;
    size_t           count;
    skn_buf          b;
    skn_jw           w;
    skein_rc         rc = skn_tool_servers_of(world, cli->keep, &servers, &count, &cli->err);

    if (rc)
        return rc;
    skn_buf_init(&b, (size_t)1 << 20);
    skn_jw_init(&w, &b);
    skn_jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        servers[i].reason = SKN_STR("no server runs that could start it");
        skn_shape_tool_server(&w, &servers[i]);
    }
    skn_jw_array_end(&w);
    return skn_json_parse(out, skn_body_keep(cli, &b), "servers", cli->keep, &cli->err);
}

static void print_server(skn_cli *cli, const skn_json *v)
{
    skn_str         why = skn_news_text(v, "reason");
    const skn_json *tools = skn_json_get(v, "tools");
    int64_t         restarts = 0;

    (void)skn_json_int(v, "restarts", 0, &restarts, NULL);
    skn_print_sender(cli, skn_news_text(v, "name"), 16);
    skn_print(cli, "  %.*s over %.*s", SKN_FMT(skn_news_text(v, "state")),
              SKN_FMT(skn_news_text(v, "transport")));
    if (restarts)
        skn_print(cli, ", started again %" PRId64 " time%s", restarts, skn_plural(restarts));
    if (why.n) {
        skn_print_raw(cli, SKN_STR(": "));
        skn_print_line(cli, why, 0);
    }
    skn_print_raw(cli, SKN_STR("\n"));
    for (const skn_json *t = tools ? tools->first : NULL; t; t = t->next) {
        skn_print_raw(cli, SKN_STR("    "));
        skn_print_line(cli, t->text, 0);
        skn_print_raw(cli, SKN_STR("\n"));
    }
}

int skn_cmd_world_tools(skn_cli *cli)
{
    const skn_json *list = NULL;
    skein_world     world;
    skn_server      server;
    bool            found;
    skein_rc        rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_discover(cli, &server, &found)) ||
        (rc = found ? ask(cli, &server, &world, &list) : read_settings(cli, &world, &list)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (const skn_json *v = list ? list->first : NULL; v && !rc; v = v->next)
        if (cli->json) {
            skn_jw_raw(skn_item(cli), v->raw);
            rc = skn_item_end(cli);
        } else {
            print_server(cli, v);
        }
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!list || !list->first)
        skn_print(cli, "%.*s has no tool servers (docs/worlds.md).\n", SKN_FMT(world.name));
    return (int)rc;
}
