#include "cli/commands.h"

#include "base/error.h"
#include "cli/far.h"

#include <inttypes.h>
#include <string.h>

/* The note without the word that stands before it already. */
static skn_str note_of(const skein_version *v)
{
    if (v->kind.n && skn_str_starts(v->note, v->kind) && v->note.n > v->kind.n &&
        v->note.p[v->kind.n] == ' ')
        return skn_str_sub(v->note, v->kind.n + 1, v->note.n);
    return v->note;
}

static void version_line(skn_cli *cli, const skein_version *v)
{
    char number[24];

    snprintf(number, sizeof number, "v%" PRId64, v->number);
    skn_print_colour(cli, SKN_YELLOW, skn_str_of(number));
    skn_print(cli, "%*s%s  ", (int)(strlen(number) < 4 ? 4 - strlen(number) : 0), "",
              v->current ? "now" : "   ");
    skn_print(cli, "%-8.*s ", SKN_FMT(v->kind));
    skn_print_line(cli, note_of(v), 50);
    skn_print(cli, "%s%" PRId64 " message%s  ", v->note.n ? "  " : "", v->length,
              skn_plural(v->length));
    skn_print_sender(cli, v->actor, 0);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_time(cli, v->created_at);
    skn_print_raw(cli, SKN_STR("\n"));
}

/* Versions that another one was made from; the rest are tips, marked unless current. */
static bool *with_children(skn_cli *cli, const skein_versions *all)
{
    bool *has = SKN_ARRAY(cli->keep, all->count + 2, bool);

    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].origin > 0 && (size_t)all->at[i].origin <= all->count)
            has[all->at[i].origin] = true;
    return has;
}

static void print_graph(skn_cli *cli, const skein_versions *all, size_t count)
{
    skn_graph *graph = skn_graph_new(cli->keep);
    bool      *has = with_children(cli, all);

    for (size_t i = 0; i < count; i++) {
        const skein_version *v = &all->at[i];
        bool inner = v->number > 0 && (size_t)v->number <= all->count && has[v->number];

        skn_graph_node(cli, graph, v->number, v->origin, v->current || inner ? '*' : 'o');
        version_line(cli, v);
    }
}

int skn_cmd_history(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_versions     all;
    int64_t            limit;
    size_t             count;
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (rc || (rc = skn_opt_int(cli, "count", 1, INT64_MAX, INT64_MAX, &limit)) ||
        (rc = skn_far_history(cli, &all)))
        return (int)rc;
    count = (int64_t)all.count < limit ? all.count : (size_t)limit;
    skn_out_page(cli);
    if (skn_opt(cli, "graph") && !cli->json) {
        print_graph(cli, &all, count);
        return 0;
    }
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < count && !rc; i++) {
        if (!cli->json) {
            size_t row = skn_row_begin(cli);

            version_line(cli, &all.at[i]);
            skn_row_end(cli, row, SKN_LIST_BEHIND);
            continue;
        }
        skn_shape_thread(skn_item(cli), &all.at[i]);
        rc = skn_item_end(cli);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}
