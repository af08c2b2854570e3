/* reply_kit.h: short words for tests of replies. */
#ifndef SKN_TESTS_REPLY_KIT_H
#define SKN_TESTS_REPLY_KIT_H

#include "store/kit.h"

#include "base/arena.h"
#include "base/buf.h"

static inline skein_message say_to(kit *k, skein_role role, const char *sender,
                                   const char *text, const skein_message *to)
{
    skein_new_message m = {
        .role = role, .sender = skein_text(sender), .content = skein_text(text)};
    skein_messages out;

    if (to)
        m.reply_to = to->uid;
    KIT_OK(k, kit_append(k, &m, 1, &out));
    return out.at[0];
}

static inline skein_message amend(kit *k, skein_message m, const char *text)
{
    skein_version v;
    skein_message out;

    KIT_OK(k, skein_amend(k->e, &k->how, m.id, skein_text(text), k->mem, &v, &out, &k->err));
    return out;
}

static inline skein_message squash(kit *k, skein_message a, skein_message b, const char *text)
{
    skein_message_id  ids[] = {a.id, b.id};
    skein_squash_spec spec = {.sources = {ids, 2}, .content = skein_text(text)};
    skein_squash      s;

    KIT_OK(k, skein_squash_messages(k->e, &k->how, &spec, k->mem, &s, &k->err));
    return s.result;
}

static inline void drop(kit *k, skein_message m)
{
    skein_version v;

    KIT_OK(k, skein_delete(k->e, &k->how, (skein_message_ids){&m.id, 1}, k->mem, &v, &k->err));
}

/* "a(b(c) d) e": the texts, replies in brackets; "!" unanswered, "~" only in memory. */
static inline const char *tree_text(kit *k, const skein_reply_tree *t)
{
    skn_buf b;
    skn_str text;
    int     depth = 0;

    skn_buf_init(&b, 1 << 24);
    for (size_t i = 0; i < t->count; i++) {
        const skein_reply_node *n = &t->at[i];

        for (; depth > n->depth; depth--)
            skn_buf_addc(&b, ')');
        if (i > 0)
            skn_buf_addc(&b, depth < n->depth ? '(' : ' ');
        depth = n->depth;
        skn_buf_add(&b, n->message.content);
        skn_buf_addf(&b, "%s%s", n->unanswered ? "!" : "", n->memory_only ? "~" : "");
    }
    skn_buf_fill(&b, ')', (size_t)depth);
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

static inline skein_reply_tree tree(kit *k, int64_t version, const skein_message *root)
{
    skein_reply_tree t;

    KIT_OK(k,
           skein_reply_tree_read(k->e, k->how.conversation, version,
                                 root ? root->id : (skein_message_id){0}, k->mem, &t, &k->err));
    return t;
}

static inline void tree_is(kit *k, int64_t version, const skein_message *root,
                           const char *expected)
{
    skein_reply_tree t = tree(k, version, root);

    assert_string_equal(tree_text(k, &t), expected);
}

#endif
