/* lists.c: what belongs to a conversation and is looked up by other things than its place in it. */
#include "engine/engine.h"
#include "engine/read/reading.h"
#include "engine/work/chat_work.h"

#include <stdlib.h>

#define LIST_LIMIT 1000
#define AUDIT_MOST ((size_t)1000)

/* --- A message by its world ------------------------------------------------------------------------- */

static skein_rc find_home(skn_tx *tx, skein_world_id world, skn_str uid, skein_mem *mem,
                          skein_message *out, skein_conversation *home, skein_error *err)
{
    skn_conversation_row row = {0};
    bool                 found;
    skein_rc             rc = skn_message_by_uid(tx, uid, mem, out, &found, err);

    if (rc == SKEIN_OK && found) {
        rc = skn_conversation_need(tx, out->born_in, mem, &row, NULL);
        found = rc == SKEIN_OK && row.world_id == world.v;
    }
    if (rc && rc != SKEIN_NOT_FOUND)
        return skn_fail(err, rc, "message \"%.*s\" cannot be read", SKN_FMT(uid));
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "this world has no message \"%.*s\"",
                        SKN_FMT(uid));
    return skn_conversation_fill(tx, &row, mem, home, err);
}

skein_rc skein_message_in_world(skein_engine *e, skein_world_id world, skein_str uid,
                                skein_mem *mem, skein_message *out, skein_conversation *home,
                                skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    s.rc = skn_check_word(uid, "the message's id", SKN_WORD_MAX, err);
    while (skn_snapshot_next(&s, err))
        s.rc = find_home(s.tx, world, uid, mem, out, home, err);
    return s.rc;
}

/* --- Squashes --------------------------------------------------------------------------------------- */

skein_rc skein_squash_list(skein_engine *e, skein_conversation_id conversation, size_t limit,
                           skein_mem *mem, skein_uids *out, skein_error *err)
{
    skn_conversation_row row;
    skn_snapshot         s = {.store = e->store};

    *out = (skein_uids){0};
    limit = limit && limit < LIST_LIMIT ? limit : LIST_LIMIT;
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = skn_conversation_need(s.tx, conversation, mem, &row, err)))
            s.rc = skn_squashes_of(s.tx, row.id, (int64_t)limit, mem, out, err);
    return s.rc;
}

/* --- Summaries -------------------------------------------------------------------------------------- */

/* Each record is older than the one that names it, so the walk ends. */
static skein_rc list_summaries(skn_tx *tx, const skein_slice *what, skein_mem *mem,
                               skein_summaries *out, skein_error *err)
{
    skn_reading        r;
    skn_compaction_row row;
    bool               found = true;
    skein_rc           rc = skn_reading_open(&r, tx, what, mem, err);
    skn_vec(skein_summary) v = {0};

    for (int64_t id = rc ? 0 : r.thread.row.compaction_id; id > 0 && v.n < LIST_LIMIT;
         id = row.previous_id < id ? row.previous_id : 0) {
        skein_summary one = {.covers = 0};

        if ((rc = skn_compaction_get(tx, id, &row, &found, err)) || !found)
            break;
        one.covers = row.covers;
        if ((rc = skn_message_get(tx, row.summary_message_id, mem, &one.message, &found, err)))
            break;
        if (found)
            skn_vec_add(mem, &v, one);
    }
    *out = (skein_summaries){v.p, v.n};
    return rc;
}

skein_rc skein_summary_list(skein_engine *e, const skein_slice *what, skein_mem *mem,
                            skein_summaries *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_summaries){0};
    while (skn_snapshot_next(&s, err))
        s.rc = list_summaries(s.tx, what, mem, out, err);
    return s.rc;
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

static skein_rc messages_get(skn_tx *tx, skein_message_ids ids, skein_mem *mem,
                             skein_messages *out, skein_error *err)
{
    bool     found;
    skein_rc rc;

    *out = (skein_messages){.at = SKN_ARRAY(mem, ids.count, skein_message)};
    for (; out->count < ids.count; out->count++) {
        int64_t id = ids.at[out->count].v;

        if ((rc = skn_message_get(tx, id, mem, &out->at[out->count], &found, err)))
            return rc;
        if (!found)
            return skn_fail(err, SKEIN_NOT_FOUND, "there is no message %lld", (long long)id);
    }
    return SKEIN_OK;
}

skein_rc skein_messages_get(skein_engine *e, skein_message_ids ids, skein_mem *mem,
                            skein_messages *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_messages){0};
    if (ids.count > SKN_BATCH_MAX)
        return skn_fail(err, SKEIN_LIMIT, "%zu messages at once; the limit is %zu", ids.count,
                        SKN_BATCH_MAX);
    while (skn_snapshot_next(&s, err))
        s.rc = messages_get(s.tx, ids, mem, out, err);
    return s.rc;
}

/* The versions of a conversation. */

skein_rc skein_history(skein_engine *e, skein_conversation_id conversation, skein_mem *mem,
                       skein_versions *out, skein_error *err)
{
    skn_conversation_row row;
    skn_snapshot         s = {.store = e->store};

    *out = (skein_versions){0};
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = skn_conversation_need(s.tx, conversation, mem, &row, err)))
            s.rc = skn_version_history(s.tx, row.id, row.version_id, mem, out, err);
    return s.rc;
}

/* Of a conversation: the version that a thread belongs to. */
static skein_rc find_thread(skn_tx *tx, const skn_conversation_row *row, skn_str uid,
                            skn_arena *a, skn_version_row *out, skein_error *err)
{
    skn_thread_row thread;
    bool           found;
    skein_rc       rc = skn_thread_by_uid(tx, uid, a, &thread, &found, err);

    if (rc || (found && (rc = skn_version_get(tx, thread.version_id, a, out, &found, err))))
        return rc;
    if (found && out->conversation_id == row->id)
        return SKEIN_OK;
    return skn_fail_hint(
        err, SKEIN_NOT_FOUND, "\"skein history\" lists the versions of a conversation.",
        found ? "thread \"%.*s\" is in another conversation" : "there is no thread \"%.*s\"",
        SKN_FMT(uid));
}

/* By its number, or by a thread of it. */
static skein_rc get_version(skein_engine *e, skein_conversation_id conversation, int64_t number,
                            skn_str thread, skein_mem *mem, skein_version *out,
                            skein_error *err)
{
    skn_conversation_row row;
    skn_version_row      version;
    skn_snapshot         s = {.store = e->store};

    *out = (skein_version){0};
    while (skn_snapshot_next(&s, err)) {
        if (!(s.rc = skn_conversation_need(s.tx, conversation, mem, &row, err)))
            s.rc = thread.p ? find_thread(s.tx, &row, thread, mem, &version, err)
                            : skn_version_pick(s.tx, &row, number, mem, &version, err);
        if (!s.rc)
            s.rc = skn_version_fill(s.tx, &row, &version, mem, out, err);
    }
    return s.rc;
}

skein_rc skein_version_get(skein_engine *e, skein_conversation_id conversation, int64_t number,
                           skein_mem *mem, skein_version *out, skein_error *err)
{
    return get_version(e, conversation, number, SKN_NONE, mem, out, err);
}

skein_rc skein_version_of_thread(skein_engine *e, skein_conversation_id conversation,
                                 skein_str thread_uid, skein_mem *mem, skein_version *out,
                                 skein_error *err)
{
    skein_rc rc = skn_check_word(thread_uid, "the thread's id", SKN_WORD_MAX, err);

    *out = (skein_version){0};
    return rc ? rc : get_version(e, conversation, 0, thread_uid, mem, out, err);
}

/* --- What is one question ------------------------------------------------------------------------ */

#define SKN_READ(name, parameters, asked)                                                      \
    skein_rc name parameters                                                                   \
    {                                                                                          \
        skn_snapshot s = {.store = e->store};                                                  \
                                                                                               \
        *out = (__typeof__(*out)){0};                                                          \
        while (skn_snapshot_next(&s, err))                                                     \
            s.rc = asked;                                                                      \
        return s.rc;                                                                           \
    }
#include "engine/reads.def"
