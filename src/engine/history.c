/* history.c: the versions of a conversation. */
#include "engine/core.h"

typedef struct call {
    skein_conversation_id conversation;
    int64_t               number;
    skn_str               thread_uid;
    skein_mem            *mem;
    skein_version        *out;
    skein_versions       *list;
} call;

static skein_rc list(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row row;
    skein_rc             rc = skn_conversation_need(tx, c->conversation, c->mem, &row, err);

    return rc ? rc : skn_version_history(tx, row.id, row.version_id, c->mem, c->list, err);
}

skein_rc skein_history(skein_engine *e, skein_conversation_id conversation, skein_mem *mem,
                       skein_versions *out, skein_error *err)
{
    call c = {.conversation = conversation, .mem = mem, .list = out};

    *out = (skein_versions){0};
    return skn_store_read(e->store, list, &c, err);
}

static skein_rc get(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row row;
    skn_version_row      version;
    skn_trees            f;
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, c->conversation, c->mem, &row, err)) ||
        (rc = skn_version_pick(tx, &row, c->number, c->mem, &version, err)))
        return rc;
    skn_trees_init(&f, tx, c->mem, row.id);
    return skn_version_fill(&f, &row, &version, c->out, err);
}

skein_rc skein_version_get(skein_engine *e, skein_conversation_id conversation, int64_t number,
                           skein_mem *mem, skein_version *out, skein_error *err)
{
    call c = {.conversation = conversation, .number = number, .mem = mem, .out = out};

    *out = (skein_version){0};
    return skn_store_read(e->store, get, &c, err);
}

static skein_rc of_thread(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row row;
    skn_version_row      version = {0};
    skn_thread_row       thread;
    skn_trees            f;
    bool                 found;
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, c->conversation, c->mem, &row, err)) ||
        (rc = skn_thread_by_uid(tx, c->thread_uid, c->mem, &thread, &found, err)))
        return rc;
    if (found && (rc = skn_version_get(tx, thread.version_id, c->mem, &version, &found, err)))
        return rc;
    if (!found || version.conversation_id != row.id) {
        rc = skn_fail(err, SKEIN_NOT_FOUND,
                      found ? "thread \"%.*s\" is in another conversation"
                            : "there is no thread \"%.*s\"",
                      SKN_FMT(c->thread_uid));
        return skn_hint(err, rc, "\"skein history\" lists the versions of a conversation.");
    }
    skn_trees_init(&f, tx, c->mem, row.id);
    return skn_version_fill(&f, &row, &version, c->out, err);
}

skein_rc skein_version_of_thread(skein_engine *e, skein_conversation_id conversation,
                                 skein_str thread_uid, skein_mem *mem, skein_version *out,
                                 skein_error *err)
{
    call c = {.conversation = conversation, .thread_uid = thread_uid, .mem = mem, .out = out};
    skein_rc rc = skn_check_word(thread_uid, "the thread's id", SKN_WORD_MAX, err);

    *out = (skein_version){0};
    return rc ? rc : skn_store_read(e->store, of_thread, &c, err);
}
