#include "cli/summary_lines.h"

#include "cli/far.h"
#include "cli/paste.h"
#include "cli/print.h"

#include <inttypes.h>

/* As far as lines tell of them. */
static skein_rc far_summaries(skn_cli *cli, skein_summaries *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(
             cli, skn_arena_printf(cli->keep, "%s/compactions?memories=true", cli->far->chat).p, 0,
             &list);

    *out = (skein_summaries){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_summary)};
    for (size_t i = 0; !rc && i < list.n; i++)
        out->at[out->count++] = (skein_summary){
            .message = {.uid = skn_far_text(list.p[i], "messageId"),
                        .created_at = skn_far_time(list.p[i], "createdAt")},
            .covers = skn_far_int(list.p[i], "covers", 0),
            .agent = skn_far_text(list.p[i], "memoryOf")};
    return rc;
}

skein_rc skn_summary_lines_read(skn_cli *cli, const skein_conversation *chat,
                                skn_summary_lines *lines)
{
    if (cli->far)
        return far_summaries(cli, &lines->of);
    if (lines->mem)
        skein_mem_reset(lines->mem);
    else
        lines->mem = skein_mem_new();
    return skein_summary_memories(cli->engine, chat->id, lines->mem, &lines->of, &cli->err);
}

skn_str skn_summary_line_text(skn_arena *a, skn_str agent, int64_t covers, skn_str uid)
{
    return skn_arena_printf(
        a, "%.*s: the first %" PRId64 " messages are summarised as %.*s: skein show %.*s",
        SKN_FMT(agent), covers, SKN_FMT(uid), SKN_FMT(uid));
}

int64_t skn_summary_order(const skn_cli *cli, const skein_message *m)
{
    return cli->far ? m->created_at : m->lineage.v ? m->lineage.v : m->id.v;
}

void skn_summary_lines_skip(const skn_cli *cli, skn_summary_lines *lines, int64_t before)
{
    for (size_t i = 0; i < lines->of.count; i++) {
        int64_t order = skn_summary_order(cli, &lines->of.at[i].message);

        if (order < before && order > lines->seen)
            lines->seen = order;
    }
}

void skn_summary_lines_until(skn_cli *cli, skn_summary_lines *lines, int64_t before)
{
    int64_t seen = lines->seen;

    for (size_t i = lines->of.count; i-- > 0;) {
        const skein_summary *s = &lines->of.at[i];
        int64_t              order = skn_summary_order(cli, &s->message);
        skn_str              text;

        if (order <= seen || order >= before)
            continue;
        skn_print_raw(cli, SKN_STR("  ─ "));
        text = skn_summary_line_text(cli->keep, s->agent, s->covers, s->message.uid);
        skn_print_colour(cli, SKN_DIM, skn_str_of(skn_pasteable(cli, text.p)));
        skn_print_raw(cli, SKN_STR("\n"));
    }
    skn_summary_lines_skip(cli, lines, before);
}

void skn_summary_lines_end(skn_summary_lines *lines)
{
    skein_mem_free(lines->mem);
}
