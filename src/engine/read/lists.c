/* lists.c: what belongs to a conversation and is looked up by other things than its place in it. */
#include "engine/core.h"
#include "engine/read/reading.h"

#include <stdlib.h>

#define LIST_LIMIT 1000

/* --- A message by its world ------------------------------------------------------------------------- */

typedef struct home_call {
    skein_world_id      world;
    skn_str             uid;
    skein_mem          *mem;
    skein_message      *out;
    skein_conversation *home;
} home_call;

static skein_rc find_home(skn_tx *tx, void *arg, skein_error *err)
{
    home_call           *c = arg;
    skn_conversation_row row = {0};
    skn_trees            f;
    bool                 found;
    skein_rc             rc = skn_message_by_uid(tx, c->uid, c->mem, c->out, &found, err);

    if (rc == SKEIN_OK && found) {
        rc = skn_conversation_need(tx, c->out->born_in, c->mem, &row, NULL);
        found = rc == SKEIN_OK && row.world_id == c->world.v;
    }
    if (rc && rc != SKEIN_NOT_FOUND)
        return skn_fail(err, rc, "message \"%.*s\" cannot be read", SKN_FMT(c->uid));
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "this world has no message \"%.*s\"",
                        SKN_FMT(c->uid));
    skn_trees_init(&f, tx, c->mem, row.id);
    return skn_conversation_fill(&f, &row, c->home, err);
}

skein_rc skein_message_in_world(skein_engine *e, skein_world_id world, skein_str uid,
                                skein_mem *mem, skein_message *out, skein_conversation *home,
                                skein_error *err)
{
    home_call c = {world, uid, mem, out, home};
    skein_rc  rc = skn_check_word(uid, "the message's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_store_read(e->store, find_home, &c, err);
}

/* --- Squashes --------------------------------------------------------------------------------------- */

typedef struct squashes_call {
    skein_conversation_id conversation;
    size_t                limit;
    skein_mem            *mem;
    skein_uids           *out;
} squashes_call;

static skein_rc list_squashes(skn_tx *tx, void *arg, skein_error *err)
{
    squashes_call       *c = arg;
    skn_conversation_row row;
    skein_rc             rc = skn_conversation_need(tx, c->conversation, c->mem, &row, err);

    return rc ? rc : skn_squashes_of(tx, row.id, (int64_t)c->limit, c->mem, c->out, err);
}

skein_rc skein_squash_list(skein_engine *e, skein_conversation_id conversation, size_t limit,
                           skein_mem *mem, skein_uids *out, skein_error *err)
{
    squashes_call c = {conversation, limit && limit < LIST_LIMIT ? limit : LIST_LIMIT, mem,
                       out};

    *out = (skein_uids){0};
    return skn_store_read(e->store, list_squashes, &c, err);
}

/* --- Summaries -------------------------------------------------------------------------------------- */

typedef struct summaries_call {
    const skein_slice *what;
    skein_mem         *mem;
    skein_summaries   *out;
} summaries_call;

/* Each record is older than the one that names it, so the walk ends. */
static skein_rc list_summaries(skn_tx *tx, void *arg, skein_error *err)
{
    summaries_call    *c = arg;
    skn_reading        r;
    skn_compaction_row row;
    bool               found = true;
    skein_rc           rc = skn_reading_open(&r, tx, c->what, c->mem, err);
    skn_vec(skein_summary) v = {0};

    for (int64_t id = rc ? 0 : r.thread.row.compaction_id; id > 0 && v.n < LIST_LIMIT;
         id = row.previous_id < id ? row.previous_id : 0) {
        skein_summary one = {.covers = 0};

        if ((rc = skn_compaction_get(tx, id, &row, &found, err)) || !found)
            break;
        one.covers = row.covers;
        rc = skn_message_get(tx, row.summary_message_id, c->mem, &one.message, &found, err);
        if (rc)
            break;
        if (found)
            skn_vec_add(c->mem, &v, one);
    }
    *c->out = (skein_summaries){v.p, v.n};
    return rc;
}

skein_rc skein_summary_list(skein_engine *e, const skein_slice *what, skein_mem *mem,
                            skein_summaries *out, skein_error *err)
{
    summaries_call c = {what, mem, out};

    *out = (skein_summaries){0};
    return skn_store_read(e->store, list_summaries, &c, err);
}

typedef skn_vec(skein_summary) summary_vec;

static skein_rc add_memory(skein_engine *e, skein_conversation_id conversation,
                           const skein_lane *lane, skein_mem *mem, summary_vec *out,
                           skein_error *err)
{
    const skein_slice what = {.conversation = conversation, .lane = lane->key};
    skein_summaries   list;
    skein_rc          rc = skein_summary_list(e, &what, mem, &list, err);

    for (size_t i = 0; rc == SKEIN_OK && i < list.count; i++) {
        list.at[i].agent = lane->agent_name;
        skn_vec_add(mem, out, list.at[i]);
    }
    return rc;
}

static int newest_first(const void *x, const void *y)
{
    const skein_summary *a = x, *b = y;

    return (a->message.id.v < b->message.id.v) - (a->message.id.v > b->message.id.v);
}

skein_rc skein_summary_memories(skein_engine *e, skein_conversation_id conversation,
                                skein_mem *mem, skein_summaries *out, skein_error *err)
{
    skein_lanes lanes;
    summary_vec v = {0};
    skein_rc    rc = skein_lane_list(e, conversation, mem, &lanes, err);

    *out = (skein_summaries){0};
    for (size_t i = 0; rc == SKEIN_OK && i < lanes.count; i++)
        if (skn_str_starts(lanes.at[i].key, SKN_STR("@")))
            rc = add_memory(e, conversation, &lanes.at[i], mem, &v, err);
    if (rc)
        return rc;
    if (v.n)
        qsort(v.p, v.n, sizeof *v.p, newest_first);
    *out = (skein_summaries){v.p, v.n};
    return SKEIN_OK;
}

/* --- Messages by their ids ------------------------------------------------------------------------- */

typedef struct ids_call {
    skein_message_ids ids;
    skein_mem        *mem;
    skein_messages   *out;
} ids_call;

static skein_rc messages_get(skn_tx *tx, void *arg, skein_error *err)
{
    ids_call *c = arg;
    bool      found;
    skein_rc  rc;

    c->out->at = SKN_ARRAY(c->mem, c->ids.count, skein_message);
    c->out->count = 0;
    for (size_t i = 0; i < c->ids.count; i++) {
        rc = skn_message_get(tx, c->ids.at[i].v, c->mem, &c->out->at[i], &found, err);
        if (rc)
            return rc;
        if (!found)
            return skn_fail(err, SKEIN_NOT_FOUND, "there is no message %lld",
                            (long long)c->ids.at[i].v);
        c->out->count++;
    }
    return SKEIN_OK;
}

skein_rc skein_messages_get(skein_engine *e, skein_message_ids ids, skein_mem *mem,
                            skein_messages *out, skein_error *err)
{
    ids_call c = {ids, mem, out};

    *out = (skein_messages){0};
    if (ids.count > SKN_BATCH_MAX)
        return skn_fail(err, SKEIN_LIMIT, "%zu messages at once; the limit is %zu", ids.count,
                        SKN_BATCH_MAX);
    return skn_store_read(e->store, messages_get, &c, err);
}

/* The versions of a conversation. */

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
