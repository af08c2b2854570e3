/* Replies: the line above a message, the tree below it, and numbers about both. */
#include "api/handlers.h"

#include "base/error.h"

/* --- Around one message ------------------------------------------------------------------- */

typedef skein_rc reader(skein_engine *e, skein_conversation_id conversation, int64_t version,
                        skein_message_id of, skein_mem *mem, skein_messages *out,
                        skein_error *err);

static skein_rc answer_around(skn_api_call *c, reader *read, const char *what)
{
    skein_message  m;
    skein_version  v;
    skein_messages list;
    skein_rc       rc;

    if ((rc = skn_api_message(c, &m)) || (rc = skn_api_version(c, &v)) ||
        (rc = read(c->engine, c->chat.id, v.number, m.id, c->mem, &list, &c->error)))
        return rc;
    return skn_api_answer_messages(
        c, v.number, &list, skn_arena_printf(c->mem, "%s/%.*s", what, SKN_FMT(v.thread_uid)));
}

skein_rc skn_api_list_replies(skn_api_call *c)
{
    return answer_around(c, skein_reply_children, "replies");
}

skein_rc skn_api_list_ancestors(skn_api_call *c)
{
    return answer_around(c, skein_reply_ancestors, "ancestors");
}

skein_rc skn_api_list_siblings(skn_api_call *c)
{
    return answer_around(c, skein_reply_siblings, "siblings");
}

/* --- Trees -------------------------------------------------------------------------------- */

/* Leaves out what is deeper than asked; parents stand before children, so none loses its parent. */
static skein_rc cut_depth(skn_api_call *c, const skein_reply_tree *tree, size_t **out,
                          size_t *count)
{
    int64_t  most;
    skein_rc rc = skn_call_query_int(c, "depth", 1, 1000000, INT32_MAX, &most);

    *out = SKN_ARRAY(c->mem, tree->count + 1, size_t);
    *count = 0;
    for (size_t i = 0; rc == SKEIN_OK && i < tree->count; i++)
        if (tree->at[i].depth < most)
            (*out)[(*count)++] = i;
    return rc;
}

static skein_rc answer_tree(skn_api_call *c, const skein_version *v, skein_message_id root)
{
    skein_reply_tree tree;
    skn_page         page;
    size_t          *kept, count;
    skn_str          tag;
    skein_rc         rc;

    rc = skein_reply_tree_read(c->engine, c->chat.id, v->number, root, c->mem, &tree,
                               &c->error);
    if (rc || (rc = cut_depth(c, &tree, &kept, &count)))
        return rc;
    tag = skn_arena_printf(c->mem, "tree/%.*s/%lld", SKN_FMT(v->thread_uid), (long long)root.v);
    if ((rc = skn_page_read(c, tag, SKN_PAGE_MOST, false, &page)))
        return rc;
    skn_page_fit(&page, (int64_t)count);
    skn_call_list(c);
    for (int64_t i = page.from; i < page.from + page.count; i++) {
        const skein_reply_node *node = &tree.at[kept[i]];

        skn_shape_node(&c->w, c->chat.uid, node,
                       node->parent >= 0 ? &tree.at[node->parent].message : NULL);
    }
    skn_page_end(c, &page);
    return skn_page_fields(c, SKN_FIELDS_NODE);
}

skein_rc skn_api_list_subtree(skn_api_call *c)
{
    skein_message m;
    skein_version v;
    skein_rc      rc;

    if ((rc = skn_api_message(c, &m)) || (rc = skn_api_version(c, &v)))
        return rc;
    return answer_tree(c, &v, m.id);
}

/* root=ID; zero when it is not given. */
static skein_rc read_root(skn_api_call *c, skein_message_id *out)
{
    skein_message m = {.id = {0}};
    skn_str       id = skn_call_query(c, "root");
    skein_rc      rc = id.p ? skn_find_message(c, id, &m) : SKEIN_OK;

    *out = m.id;
    return rc;
}

skein_rc skn_api_get_tree(skn_api_call *c)
{
    skein_version    v;
    skein_message_id root;
    skein_rc         rc;

    if ((rc = skn_find_chat_param(c)) || (rc = skn_api_version(c, &v)) ||
        (rc = read_root(c, &root)))
        return rc;
    return answer_tree(c, &v, root);
}

skein_rc skn_api_get_analytics(skn_api_call *c)
{
    skein_version    v;
    skein_message_id root;
    skein_stats      stats;
    skein_rc         rc;

    if ((rc = skn_find_chat_param(c)) || (rc = skn_api_version(c, &v)) ||
        (rc = read_root(c, &root)) ||
        (rc = skein_stats_read(c->engine, c->chat.id, v.number, root, c->mem, &stats,
                               &c->error)))
        return rc;
    skn_shape_stats(&c->w, c->chat.uid, &stats);
    return SKEIN_OK;
}
