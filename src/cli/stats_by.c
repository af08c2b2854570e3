#include "cli/stats_by.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "cli/commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DATE_BYTES 10 /* of an RFC 3339 time: 2026-11-15 */

typedef struct group {
    skn_str              key;
    const skein_message *first; /* that is in it */
    int64_t              messages, replies, unanswered;
    int64_t answered, wait; /* messages with a reply; milliseconds until the first */
    int64_t first_at, last_at;
    int     depth; /* levels */
} group;

typedef skn_vec(group *) group_list;

typedef struct grouping {
    skn_cli                *cli;
    const skein_reply_tree *tree;
    const char             *by;
    size_t                 *root;  /* of each node, as an index */
    int64_t                *reply; /* when it was first replied to; 0: never */
    skn_map                *found;
    group_list              groups;
} grouping;

/* Parents stand before their children. */
static void trace(grouping *g)
{
    size_t n = g->tree->count;

    g->root = SKN_ARRAY(g->cli->keep, n + 1, size_t);
    g->reply = SKN_ARRAY(g->cli->keep, n + 1, int64_t);
    for (size_t i = 0; i < n; i++) {
        const skein_reply_node *node = &g->tree->at[i];
        int64_t                 at = node->message.created_at;

        g->root[i] = node->parent < 0 ? i : g->root[node->parent];
        if (node->parent >= 0 && (!g->reply[node->parent] || at < g->reply[node->parent]))
            g->reply[node->parent] = at;
    }
}

static skn_str key_of(const grouping *g, size_t i)
{
    const skein_message *m = &g->tree->at[i].message;
    char                 time[SKN_TIME_TEXT];

    if (!strcmp(g->by, "agent"))
        return m->sender;
    if (!strcmp(g->by, "thread"))
        return g->tree->at[g->root[i]].message.uid;
    return skn_arena_copy(g->cli->keep,
                          skn_str_sub(skn_time_format(m->created_at, time), 0, DATE_BYTES));
}

static group *group_of(grouping *g, size_t i)
{
    skn_str key = key_of(g, i);
    void  **slot = skn_map_slot(g->found, key);

    if (!*slot) {
        group *one = SKN_NEW(g->cli->keep, group);

        one->key = key;
        one->first = &g->tree->at[i].message;
        one->first_at = one->first->created_at;
        skn_vec_add(g->cli->keep, &g->groups, one);
        *slot = one;
    }
    return *slot;
}

static void count(grouping *g, size_t i)
{
    const skein_reply_node *node = &g->tree->at[i];
    group                  *one = group_of(g, i);
    int64_t                 at = node->message.created_at;

    one->messages++;
    one->replies += node->parent >= 0;
    one->unanswered += node->unanswered;
    one->depth = node->depth >= one->depth ? node->depth + 1 : one->depth;
    one->first_at = at < one->first_at ? at : one->first_at;
    one->last_at = at > one->last_at ? at : one->last_at;
    if (g->reply[i]) {
        one->answered++;
        one->wait += g->reply[i] > at ? g->reply[i] / 1000 - at / 1000 : 0;
    }
}

/* Who said most comes first. */
static int more_messages(const void *a, const void *b)
{
    const group *x = *(group *const *)a, *y = *(group *const *)b;

    return x->messages != y->messages ? (x->messages < y->messages ? 1 : -1)
                                      : skn_str_cmp(x->key, y->key);
}

static int earlier_key(const void *a, const void *b)
{
    return skn_str_cmp((*(group *const *)a)->key, (*(group *const *)b)->key);
}

/* --- Showing ------------------------------------------------------------------------------ */

static void row(skn_cli *cli, const char *by, const group *one)
{
    skn_print(cli, "%8" PRId64 "  %7" PRId64 "  %10" PRId64 "  %5d  ", one->messages,
              one->replies, one->unanswered, one->depth);
    if (one->answered)
        skn_print(cli, "%9.1f s  ", (double)one->wait / (double)one->answered / 1e3);
    else
        skn_print(cli, "%11s  ", "-");
    if (!strcmp(by, "thread"))
        skn_print_oneline(cli, one->first, NULL);
    else
        skn_print_sender(cli, one->key, 0);
    skn_print_raw(cli, strcmp(by, "thread") ? SKN_STR("\n") : SKN_STR(""));
}

static skein_rc item(skn_cli *cli, const char *by, const group *one)
{
    skn_jw *w = skn_item(cli);

    skn_jw_object(w);
    skn_jw_kstr(w, "by", skn_str_of(by));
    skn_jw_kstr(w, "group", one->key);
    skn_jw_kint(w, "messages", one->messages);
    skn_jw_kint(w, "replies", one->replies);
    skn_jw_kint(w, "unanswered", one->unanswered);
    skn_jw_kint(w, "depth", one->depth);
    if (one->answered)
        skn_jw_kint(w, "firstReplyMs", one->wait / one->answered);
    else
        skn_jw_knull(w, "firstReplyMs");
    skn_jw_ktime(w, "firstAt", one->first_at);
    skn_jw_ktime(w, "lastAt", one->last_at);
    skn_jw_object_end(w);
    return skn_item_end(cli);
}

static skein_rc show(grouping *g)
{
    skn_cli *cli = g->cli;
    skein_rc rc = SKEIN_OK;

    if (cli->json)
        skn_list_begin(cli);
    else
        skn_print(cli, "messages  replies  unanswered  depth  first reply  %s\n", g->by);
    for (size_t i = 0; i < g->groups.n && !rc; i++)
        if (cli->json)
            rc = item(cli, g->by, g->groups.p[i]);
        else
            row(cli, g->by, g->groups.p[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    return rc;
}

skein_rc skn_stats_by(skn_cli *cli, const char *by, const skein_reply_tree *tree)
{
    grouping g = {.cli = cli, .tree = tree, .by = by, .found = skn_map_new(cli->keep)};

    if (strcmp(by, "agent") != 0 && strcmp(by, "day") != 0 && strcmp(by, "thread") != 0)
        return skn_fail(&cli->err, SKEIN_USAGE, "\"--by\" is agent, day or thread, not \"%s\"",
                        by);
    trace(&g);
    for (size_t i = 0; i < tree->count; i++)
        count(&g, i);
    if (g.groups.n && strcmp(by, "thread") != 0)
        qsort(g.groups.p, g.groups.n, sizeof *g.groups.p,
              strcmp(by, "day") != 0 ? more_messages : earlier_key);
    return show(&g);
}
