#include "cli/commands.h"

#include "base/error.h"
#include "cli/far_view.h"

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
        (rc = cli->far ? skn_far_history(cli, &all)
                       : skein_history(cli->engine, chat.id, cli->keep, &all, &cli->err)))
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
            version_line(cli, &all.at[i]);
            continue;
        }
        skn_shape_thread(skn_item(cli), &all.at[i]);
        rc = skn_item_end(cli);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* --- Differences -------------------------------------------------------------------------- */

/* "A..B", "A B", "A" (up to now) or nothing (what the current version changed). */
static skein_rc read_range(skn_cli *cli, const skein_conversation *chat, skein_version *from,
                           skein_version *to)
{
    skn_str   first = cli->arg_count ? skn_arg(cli, 0) : SKN_NONE;
    ptrdiff_t dots = skn_str_find(first, SKN_STR(".."));
    skn_str   second = cli->arg_count > 1 ? skn_arg(cli, 1) : SKN_NONE;
    skein_rc  rc;

    if (first.n && dots >= 0) {
        second = skn_str_sub(first, (size_t)dots + 2, first.n);
        first = skn_str_sub(first, 0, (size_t)dots);
    }
    if ((rc = skn_need_version(cli, chat, second.n ? skn_arena_copy(cli->keep, second).p : NULL,
                               to)))
        return rc;
    if (!first.n && !to->origin)
        return skn_fail(&cli->err, SKEIN_NOTHING, "v%" PRId64 " was not made from another",
                        to->number);
    if (!first.n)
        return skn_version_numbered(cli, chat, to->origin, from);
    return skn_need_version(cli, chat, skn_arena_copy(cli->keep, first).p, from);
}

static void print_entry(skn_cli *cli, const skein_diff_entry *e)
{
    switch (e->kind) {
    case SKEIN_DIFF_REMOVED:
        skn_print_colour(cli, SKN_RED, SKN_STR("- "));
        skn_print_oneline(cli, &e->before, NULL);
        return;
    case SKEIN_DIFF_ADDED:
        skn_print_colour(cli, SKN_GREEN, SKN_STR("+ "));
        skn_print_oneline(cli, &e->after, NULL);
        return;
    case SKEIN_DIFF_REPLACED:
        skn_print_colour(cli, SKN_RED, SKN_STR("- "));
        skn_print_oneline(cli, &e->before, NULL);
        skn_print_colour(cli, SKN_GREEN, SKN_STR("+ "));
        skn_print_oneline(cli, &e->after, NULL);
        return;
    case SKEIN_DIFF_MOVED:
        skn_print_colour(cli, SKN_CYAN, SKN_STR("~ "));
        skn_print(cli, "%" PRId64 " → %" PRId64 "  ", e->before.position, e->after.position);
        skn_print_oneline(cli, &e->after, NULL);
        return;
    }
}

int skn_cmd_diff(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_version      from, to;
    skein_diff         diff;
    const skn_json    *whole = NULL;
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (rc || (rc = read_range(cli, &chat, &from, &to)) ||
        (rc = cli->far ? skn_far_diff(cli, &from, &to, &diff, &whole)
                       : skein_diff_versions(cli->engine, chat.id, from.number, to.number,
                                             cli->keep, &diff, &cli->err)))
        return (int)rc;
    if (cli->json && whole) {
        if ((rc = skn_far_item(cli, whole)))
            return (int)rc;
    } else if (cli->json) {
        skn_shape_diff(skn_item(cli), chat.uid, &from, &to, &diff);
        if ((rc = skn_item_end(cli)))
            return (int)rc;
    } else {
        skn_out_page(cli);
        for (size_t i = 0; i < diff.count; i++)
            print_entry(cli, &diff.at[i]);
        skn_print(cli,
                  "v%" PRId64 "..v%" PRId64 ": %zu change%s, %" PRId64 " message%s the same\n",
                  from.number, to.number, diff.count, skn_plural((int64_t)diff.count),
                  diff.same, skn_plural(diff.same));
    }
    return skn_status(cli, skn_opt(cli, "exit-code") && diff.count ? 10 : 0);
}
