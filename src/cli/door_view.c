#include "cli/door_view.h"
#include "base/error.h"
#include "cli/place.h"
#include "cli/print.h"

#include <inttypes.h>

const char *skn_door_parameter(skn_cli *cli, const char *name, skn_str value)
{
    if (!value.n)
        return "";
    return skn_arena_printf(cli->keep, "&%s=%s", name, skn_door_part(cli, value)).p;
}

/* --- Messages ----------------------------------------------------------------------------- */

static skein_rc get_page(skn_cli *cli, const skn_door_slice *what, int64_t from, int64_t limit,
                         const skn_json **out)
{
    return skn_door_get(
        cli, out, "%s/threads/%s/messages?from=%" PRId64 "&limit=%" PRId64 "%s%s%s",
        cli->door->chat, skn_door_part(cli, what->thread), from, limit,
        skn_door_parameter(cli, "agent", what->agent),
        skn_door_parameter(cli, "delegation", what->lane), what->raw ? "&raw=true" : "");
}

static void read_log(skn_cli *cli, const skn_json_list *list, skn_door_log *out)
{
    size_t n = list->n;

    out->items = list->p;
    out->list = (skein_messages){SKN_ARRAY(cli->keep, n + 1, skein_message), n};
    out->facts = SKN_ARRAY(cli->keep, n + 1, skein_message_facts);
    out->deliveries = SKN_ARRAY(cli->keep, n + 1, skein_deliveries);
    for (size_t i = 0; i < n; i++)
        skn_door_read_message(cli, list->p[i], &out->list.at[i], &out->facts[i],
                              &out->deliveries[i]);
}

skein_rc skn_door_log_part(skn_cli *cli, const skn_door_slice *what, int64_t from,
                           int64_t count, skn_door_log *out)
{
    skn_json_list   list = {0};
    const skn_json *page, *data;
    size_t          size = SKN_DOOR_PAGE;
    int64_t         limit, left;
    skein_rc        rc;

    do {
        left = count - (int64_t)list.n;
        do {
            limit = left < (int64_t)size ? left : (int64_t)size;
            rc = get_page(cli, what, from + (int64_t)list.n, limit, &page);
        } while (rc == SKEIN_LIMIT && skn_door_less(&size));
        if (rc)
            return rc;
        data = skn_json_get(page, "data");
        for (const skn_json *v = data ? data->first : NULL; v; v = v->next)
            skn_vec_add(cli->keep, &list, v);
    } while (data && data->count == limit && (int64_t)list.n < count);
    out->length = skn_door_int(skn_json_get(page, "page"), "total", 0);
    read_log(cli, &list, out);
    return SKEIN_OK;
}

skein_rc skn_door_log_read(skn_cli *cli, const skn_door_slice *what, skn_door_log *out)
{
    return skn_door_log_part(cli, what, -what->last, what->last ? what->last : INT64_MAX, out);
}

static void add_uid(void *arg, skn_cli *look, const skn_json *v)
{
    (void)look;
    *skn_map_slot(arg, skn_door_text(v, "messageId")) = arg;
}

skein_rc skn_door_subtree(skn_cli *cli, skn_str uid, skn_str thread, skn_map **out)
{
    const char *path = skn_arena_printf(cli->keep,
                                        "%s/messages/%s/subtree?fields=messageId%s%s",
                                        cli->door->world, skn_door_part(cli, uid),
                                        skn_door_parameter(cli, "chatId", cli->door->chat_uid),
                                        skn_door_parameter(cli, "threadId", thread))
                           .p;

    *out = skn_map_new(cli->keep);
    return skn_door_each(cli, path, SKN_HERE_PAGE, add_uid, *out);
}

/* Makes what was read for a moment last. */
static void keep_message(skn_arena *a, skein_message *m)
{
    skn_told_message told = {.m = *m};

    skn_shape_keep(&skn_message_shape, &told, a);
    *m = told.m;
}

/* A tree, while it is read. */
typedef struct reading {
    skn_cli *cli;
    skn_map *places;
    skn_vec(skein_reply_node) nodes;
    int     depth;
    int64_t unanswered;
} reading;

/* Whatever a server says: it becomes a place in a list of levels. */
static int level_of(const skn_json *node)
{
    enum { MOST = 1 << 20 };
    int64_t depth = skn_door_int(node, "depth", 0);

    return depth < 0 ? 0 : depth > MOST ? MOST : (int)depth;
}

/* Parents come before their children, and are known by their id then. */
static void add_node(void *arg, skn_cli *look, const skn_json *v)
{
    reading         *r = arg;
    void            *parent = skn_map_get(r->places, skn_door_text(v, "parentMessageId"));
    skein_reply_node node = {.parent = (int64_t)(intptr_t)parent - 1,
                             .depth = level_of(v),
                             .replies = skn_door_int(v, "replyCount", 0),
                             .unanswered = skn_door_flag(v, "unanswered"),
                             .memory_only = skn_door_flag(v, "memoryOnly")};

    skn_door_read_message(look, v, &node.message, NULL, NULL);
    keep_message(r->cli->keep, &node.message);
    skn_vec_add(r->cli->keep, &r->nodes, node);
    *skn_map_slot(r->places, node.message.uid) = (void *)(intptr_t)r->nodes.n;
    r->depth = node.depth >= r->depth ? node.depth + 1 : r->depth;
    r->unanswered += node.unanswered;
}

skein_rc skn_door_tree(skn_cli *cli, skn_str thread, skn_str root, skein_reply_tree *out)
{
    reading     r = {.cli = cli, .places = skn_map_new(cli->keep)};
    const char *path = skn_arena_printf(cli->keep, "%s/tree?threadId=%s%s", cli->door->chat,
                                        skn_door_part(cli, thread),
                                        skn_door_parameter(cli, "root", root))
                           .p;
    skein_rc rc = skn_door_each(cli, path, SKN_HERE_PAGE, add_node, &r);

    *out = (skein_reply_tree){
        .at = r.nodes.p, .count = r.nodes.n, .depth = r.depth, .unanswered = r.unanswered};
    return rc;
}
