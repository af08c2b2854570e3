/* The tool servers of a world. What they are at is known to the server that runs them; without one none of
 * them runs. */
#include "cli/commands.h"

#include "cli/far_view.h"

#include <inttypes.h>

static void print_server(skn_cli *cli, const skn_json *v)
{
    skn_str         why = skn_far_text(v, "reason");
    const skn_json *tools = skn_json_get(v, "tools");
    int64_t         restarts = skn_far_int(v, "restarts", 0);

    skn_print_sender(cli, skn_far_text(v, "name"), 16);
    skn_print(cli, "  %.*s over %.*s", SKN_FMT(skn_far_text(v, "state")),
              SKN_FMT(skn_far_text(v, "transport")));
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
    skn_json_list list = {0};
    skein_world   world;
    skein_rc      rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_to_server(cli)) ||
        (rc = skn_far_all(cli,
                          skn_arena_printf(cli->keep, "%s/tool-servers", cli->door->world).p, 0,
                          &list)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < list.n && !rc; i++)
        if (cli->json)
            rc = skn_far_item(cli, list.p[i]);
        else
            print_server(cli, list.p[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!list.n)
        skn_print(cli, "%.*s has no tool servers (docs/worlds.md).\n", SKN_FMT(world.name));
    return (int)rc;
}
