/* The trail: who changed what. */
#include "cli/commands.h"

#include "cli/far_view.h"

enum { SHOWN = 50, MOST = 1000 };

static void row_line(skn_cli *cli, const skn_json *v)
{
    skn_print_time(cli, skn_far_time(v, "at"));
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, skn_far_text(v, "who"), 10);
    skn_print(cli, "  %-10.*s  %-15.*s  ", SKN_FMT(skn_far_text(v, "from")),
              SKN_FMT(skn_far_text(v, "what")));
    skn_print_line(cli, skn_far_text(v, "subject"), 60);
    if (skn_far_text(v, "detail").n) {
        skn_print_raw(cli, SKN_STR(": "));
        skn_print_line(cli, skn_far_text(v, "detail"), 200);
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

int skn_cmd_audit(skn_cli *cli)
{
    skn_json_list list = {0};
    int64_t       most;
    skein_rc      rc;

    if ((rc = skn_opt_int(cli, "count", 1, MOST, SHOWN, &most)) ||
        (rc = skn_far_all(cli, "/audit", (size_t)most, &list)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; !rc && i < list.n; i++)
        if (cli->json)
            rc = skn_far_item(cli, list.p[i]);
        else
            row_line(cli, list.p[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!rc && !list.n)
        skn_print(cli, "Nothing was changed yet.\n");
    return (int)rc;
}
