/* world_restore.c: worlds that were removed, and bringing one back. */
#include "engine/chat_work.h"
#include "engine/engine.h"

typedef struct call {
    skein_engine *e;
    skein_mem    *mem;
    skein_world  *out;
    skein_worlds *list;
    skn_str       ref, name; /* a new name; absent: its own */
    int64_t       chat;
} call;

static skein_rc removed(skn_tx *tx, void *arg, skein_error *err)
{
    call *c = arg;

    return skn_world_hidden(tx, c->mem, c->list, err);
}

skein_rc skein_world_removed(skein_engine *e, skein_mem *mem, skein_worlds *out,
                             skein_error *err)
{
    call c = {.e = e, .mem = mem, .list = out};

    return skn_store_read(e->store, removed, &c, err);
}

/* Its name may have been given to several since; its id is its own. */
static skein_rc pick(const skein_worlds *all, skn_str ref, skein_world *out, skein_error *err)
{
    size_t fits = 0;

    for (size_t i = 0; i < all->count; i++) {
        const skein_world *w = &all->at[i];

        if (skn_str_eq(w->uid, ref)) {
            *out = *w;
            return SKEIN_OK;
        }
        if (skn_str_eq(w->name, ref) && fits++ == 0)
            *out = *w;
    }
    if (fits == 1)
        return SKEIN_OK;
    if (fits)
        return skn_hint(err,
                        skn_fail(err, SKEIN_CONFLICT,
                                 "%zu worlds with the name \"%.*s\" were removed", fits,
                                 SKN_FMT(ref)),
                        "Name its id: \"skein world ls --removed\" shows them.");
    return skn_hint(
        err, skn_fail(err, SKEIN_NOT_FOUND, "no world \"%.*s\" was removed here", SKN_FMT(ref)),
        "\"skein world ls --removed\" lists those that were.");
}

static skein_rc show(skn_tx *tx, void *arg, skein_error *err)
{
    call        *c = arg;
    skein_worlds all;
    bool         found;
    skein_rc     rc;

    if ((rc = skn_world_hidden(tx, c->mem, &all, err)) ||
        (rc = pick(&all, c->ref, c->out, err)))
        return rc;
    if (c->name.p)
        c->out->name = c->name;
    if (skn_world_name_free(tx, c->out->name, c->out->id.v, c->mem, err) == SKEIN_CONFLICT)
        return skn_hint(err, SKEIN_CONFLICT, "Bring it back under another name: --as NAME.");
    if ((rc = skn_world_show(tx, c->out->id.v, &found, err)) ||
        (c->name.p && (rc = skn_world_put(tx, c->out, err))))
        return rc;
    skn_feed_world_is(tx, c->out);
    return skn_audit_in(tx, c->e, "world.restore", c->out->name, c->out->uid, err);
}

/* What waited in a conversation is said. */
static skein_rc settle(skn_tx *tx, void *arg, skein_error *err)
{
    call       *c = arg;
    skn_working w;
    skein_rc rc = skn_working_take(&w, c->e, tx, c->mem, (skein_conversation_id){c->chat}, err);

    return rc ? rc : skn_working_done(&w, skn_settle(&w, err));
}

/* Conversations are held one by one: whoever waits for the world holds one of them. */
skein_rc skein_world_restore(skein_engine *e, skein_str ref, skein_str name, skein_mem *mem,
                             skein_world *out, skein_error *err)
{
    call                c = {.e = e, .mem = mem, .out = out, .ref = ref};
    skein_conversations chats;
    skein_rc            rc;

    if ((rc = skn_check_word(ref, "the world's name", SKN_WORD_MAX, err)) ||
        (name.p && (rc = skn_name_normal(name, mem, &c.name, err))) ||
        (rc = skn_store_write(e->store, show, &c, err)) ||
        (rc = skein_conversation_list(e, out->id, mem, &chats, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < chats.count; i++) {
        c.chat = chats.at[i].id.v;
        rc = skn_store_write(e->store, settle, &c, err);
    }
    return rc;
}
