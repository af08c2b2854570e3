#include "cli/summary_lines.h"

#include "cli/far.h"
#include "cli/paste.h"
#include "cli/print.h"

#include <inttypes.h>

skein_rc skn_summary_lines_read(skn_cli *cli, skn_summary_lines *lines)
{
    skn_json_list    list = {0};
    skn_far_question q;
    skn_cli         *look;
    skein_rc         rc;

    if (lines->mem)
        skein_mem_reset(lines->mem);
    else
        lines->mem = skein_mem_new();
    look = skn_far_ask_apart(cli, lines->mem, &q);
    rc = skn_far_all(
        look, skn_arena_printf(look->keep, "%s/compactions?memories=true", cli->door->chat).p,
        0, &list);
    cli->err = q.cli.err;
    lines->of = (skein_summaries){.at = SKN_ARRAY(look->keep, list.n + 1, skein_summary)};
    for (size_t i = 0; !rc && i < list.n; i++)
        lines->of.at[lines->of.count++] = (skein_summary){
            .message = {.uid = skn_far_text(list.p[i], "messageId"),
                        .created_at = skn_far_time(list.p[i], "createdAt")},
            .covers = skn_far_int(list.p[i], "covers", 0),
            .agent = skn_far_text(list.p[i], "memoryOf")};
    return rc;
}

skn_str skn_summary_line_text(skn_arena *a, skn_str agent, int64_t covers, skn_str uid)
{
    return skn_arena_printf(
        a, "%.*s: the first %" PRId64 " messages are summarised as %.*s: skein show %.*s",
        SKN_FMT(agent), covers, SKN_FMT(uid), SKN_FMT(uid));
}

void skn_summary_lines_skip(skn_summary_lines *lines, int64_t before)
{
    for (size_t i = 0; i < lines->of.count; i++) {
        int64_t at = lines->of.at[i].message.created_at;

        if (at < before && at > lines->seen)
            lines->seen = at;
    }
}

void skn_summary_lines_until(skn_cli *cli, skn_summary_lines *lines, int64_t before)
{
    for (size_t i = lines->of.count; i-- > 0;) {
        const skein_summary *s = &lines->of.at[i];
        skn_str              text;

        if (s->message.created_at <= lines->seen || s->message.created_at >= before)
            continue;
        skn_print_raw(cli, SKN_STR("  ─ "));
        text = skn_summary_line_text(cli->keep, s->agent, s->covers, s->message.uid);
        skn_print_colour(cli, SKN_DIM, skn_str_of(skn_pasteable(cli, text.p)));
        skn_print_raw(cli, SKN_STR("\n"));
    }
    skn_summary_lines_skip(lines, before);
}

void skn_summary_lines_end(skn_summary_lines *lines)
{
    skein_mem_free(lines->mem);
}
