/* The timeline of a conversation that is elsewhere, as its server tells it. */
#include "cli/far_view.h"

#include "cli/marks.h"
#include "cli/print.h"

#include <inttypes.h>

static void print_call(skn_cli *cli, const skn_json *item)
{
    const skn_json *call = skn_json_get(item, "call"), *input = skn_json_get(call, "input");
    const skn_json *result = skn_json_get(item, "result"),
                   *more = skn_json_get(item, "duplicates");
    skn_str lane = skn_far_text(item, "delegation");

    skn_print_line(cli, skn_far_text(call, "toolName"), 0);
    skn_print_raw(cli, SKN_STR(" "));
    skn_print_line(cli, input ? input->raw : SKN_NONE, cli->out.terminal ? 60 : 0);
    skn_print_raw(cli, !result || result->kind != SKN_JSON_OBJECT ? SKN_STR("  … no result yet")
                       : skn_far_flag(result, "success")          ? SKN_STR("  ok")
                                                                  : SKN_STR("  failed"));
    if (more && more->count)
        skn_print(cli, "  (%" PRIu32 " more results)", more->count);
    if (lane.n) {
        skn_print_raw(cli, SKN_STR("  ▸ "));
        skn_print_line(cli, lane, 0);
        skn_print(cli, "%s", skn_far_flag(item, "guessed") ? " (guessed)" : "");
    }
}

static void print_item(skn_cli *cli, const skn_json *item)
{
    skn_str          kind = skn_far_text(item, "kind"), text = skn_far_text(item, "content");
    skein_unfinished why = SKEIN_WHOLE;
    int64_t          at = skn_far_time(item, "at");

    skn_print(cli, "  ");
    if (at) {
        skn_print_time(cli, at);
        skn_print_raw(cli, SKN_STR("  "));
    }
    skn_print(cli, "%-14.*s ", SKN_FMT(kind));
    if (skn_str_is(kind, "tool_execution"))
        print_call(cli, item);
    else
        skn_print_line(cli,
                       text.p ? text : skn_far_text(skn_json_get(item, "result"), "output"), 0);
    skein_unfinished_from(skn_far_text(item, "unfinished"), &why);
    skn_print_unfinished(cli, why, 2);
    skn_print_raw(cli, SKN_STR("\n"));
}

/* A message may be several items: what it thought, said and called. */
static void print_marks(skn_cli *cli, const skn_marks *marks, const skn_json *item)
{
    skn_str message = skn_far_text(item, "messageId");

    if (!item->next || !skn_str_eq(message, skn_far_text(item->next, "messageId")))
        skn_print_marks(cli, marks, message);
}

/* A lane, and then the delegations of its calls. */
static void print_lane(skn_cli *cli, const skn_json *lane, const skn_marks *marks)
{
    const skn_json *items = skn_json_get(lane, "items"), *counts = skn_json_get(lane, "counts");
    const skn_json *below = skn_json_get(lane, "delegations");

    skn_print_colour(cli, SKN_BOLD, skn_far_text(lane, "lane"));
    skn_print(cli, "  %" PRId64 " items, %" PRId64 " messages\n",
              skn_far_int(counts, "items", 0), skn_far_int(counts, "messages", 0));
    for (const skn_json *i = items ? items->first : NULL; i; i = i->next) {
        size_t row = skn_row_begin(cli);

        print_item(cli, i);
        skn_row_end(cli, row, SKN_ITEM_BEHIND);
        print_marks(cli, marks, i);
    }
    for (const skn_json *d = below ? below->first : NULL; d && !skn_opt(cli, "delegation");
         d = d->next)
        print_lane(cli, d, marks);
}

skein_rc skn_far_timeline(skn_cli *cli, skn_str thread)
{
    const char     *lane = skn_opt(cli, "delegation");
    const skn_json *v;
    skn_marks      *marks;
    skein_rc        rc = skn_far_get(cli, &v, "%s/timeline?threadId=%s%s%s", cli->door->chat,
                                     skn_far_part(cli, thread), lane ? "&delegation=" : "",
                              lane ? skn_far_part(cli, skn_str_of(lane)) : "");

    if (rc)
        return rc;
    if (cli->json)
        return skn_far_item(cli, v);
    if ((rc = skn_marks_read(cli, NULL, 0, thread, &marks)))
        return rc;
    skn_out_page(cli);
    print_lane(cli, v, marks);
    return SKEIN_OK;
}
