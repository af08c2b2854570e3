/* The trail: who changed what. */
#include "cli/commands.h"

#include "cli/far_view.h"

enum { SHOWN = 50, MOST = 1000 };

static void row_line(skn_cli *cli, const skein_audit_row *row)
{
    skn_print_time(cli, row->at);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, row->who, 10);
    skn_print(cli, "  %-10.*s  %-15.*s  ", SKN_FMT(row->from), SKN_FMT(row->what));
    skn_print_line(cli, row->subject, 60);
    if (row->detail.n) {
        skn_print_raw(cli, SKN_STR(": "));
        skn_print_line(cli, row->detail, 200);
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

static skein_rc print_near(skn_cli *cli, size_t most, size_t *count)
{
    skein_audit_rows rows;
    skein_rc         rc = skein_audit_list(cli->engine, 0, most, cli->keep, &rows, &cli->err);

    *count = rows.count;
    for (size_t i = 0; !rc && i < rows.count; i++)
        if (cli->json) {
            skn_shape_audit(skn_item(cli), &rows.at[i]);
            rc = skn_item_end(cli);
        } else {
            row_line(cli, &rows.at[i]);
        }
    return rc;
}

static skein_rc print_far(skn_cli *cli, size_t most, size_t *count)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, "/audit", most, &list);

    *count = list.n;
    for (size_t i = 0; !rc && i < list.n; i++) {
        const skn_json *v = list.p[i];

        if (cli->json)
            rc = skn_far_item(cli, v);
        else
            row_line(cli, &(skein_audit_row){.at = skn_far_time(v, "at"),
                                             .who = skn_far_text(v, "who"),
                                             .from = skn_far_text(v, "from"),
                                             .what = skn_far_text(v, "what"),
                                             .subject = skn_far_text(v, "subject"),
                                             .detail = skn_far_text(v, "detail")});
    }
    return rc;
}

int skn_cmd_audit(skn_cli *cli)
{
    int64_t  most;
    size_t   count = 0;
    skein_rc rc = skn_opt_int(cli, "count", 1, MOST, SHOWN, &most);

    if (rc)
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    rc = cli->far ? print_far(cli, (size_t)most, &count)
                  : print_near(cli, (size_t)most, &count);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!rc && !count)
        skn_print(cli, "Nothing was changed yet.\n");
    return (int)rc;
}
