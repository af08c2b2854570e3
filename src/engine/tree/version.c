/* version.c: finding conversations, lanes and versions, and moving a conversation's pointer. */
#include "base/utf8.h"
#include "engine/core.h"
#include "engine/engine.h"

static skein_rc no_conversation(skein_conversation_id id, skein_error *err)
{
    return skn_fail(err, SKEIN_NOT_FOUND, "there is no conversation with the number %lld",
                    (long long)id.v);
}

skein_rc skn_conversation_need(skn_tx *tx, skein_conversation_id id, skn_arena *a,
                               skn_conversation_row *out, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_conversation_row_get(tx, id.v, a, out, &found, err);

    return rc || found ? rc : no_conversation(id, err);
}

skein_rc skn_conversation_archived(skn_str uid, skein_error *err)
{
    return skn_hint(err,
                    skn_fail(err, SKEIN_ARCHIVED,
                             "the conversation \"%.*s\" is archived: it can only be read",
                             SKN_FMT(uid)),
                    "Restore it first: \"skein conv restore %.*s\".", SKN_FMT(uid));
}

skein_rc skn_conversation_take(skn_tx *tx, skein_conversation_id id, skn_arena *a,
                               skn_conversation_row *out, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_conversation_lock(tx, id.v, a, out, &found, err);

    if (rc || found)
        return rc;
    rc = skn_conversation_row_get(tx, id.v, a, out, &found, err);
    if (rc || !found || !out->removed_at || out->agent_gone)
        return rc ? rc : no_conversation(id, err);
    return skn_conversation_archived(out->uid, err);
}

/* "@ada": the memory of the agent that has this name now. */
static skein_rc lane_by_agent(skn_tx *tx, const skn_conversation_row *c, skn_str name,
                              skn_arena *a, skn_lane_row *out, bool *found, skein_error *err)
{
    skn_lane_rows rows;
    skein_rc      rc = skn_lane_rows_top(tx, c->id, a, &rows, err);

    *found = false;
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count && !*found; i++)
        if (!rows.at[i].agent_gone && skn_str_eq(rows.at[i].agent_name, name)) {
            *out = rows.at[i];
            *found = true;
        }
    return rc;
}

skein_rc skn_lane_need(skn_tx *tx, const skn_conversation_row *c, skn_str key, skn_arena *a,
                       skn_lane_row *out, skein_error *err)
{
    bool     found;
    skein_rc rc = key.p ? skn_utf8_check(key, "the lane's key", err) : SKEIN_OK;

    if (rc)
        return rc;
    rc = key.n > 1 && key.p[0] == '@'
             ? lane_by_agent(tx, c, skn_str_sub(key, 1, key.n), a, out, &found, err)
             : skn_lane_by_key(tx, c->id, key.p ? key : SKN_MAIN, a, out, &found, err);
    if (rc || found)
        return rc;
    return skn_fail_hint(err, SKEIN_NOT_FOUND, "\"skein lane ls\" lists its lanes.",
                         "conversation \"%.*s\" has no lane \"%.*s\"", SKN_FMT(c->uid),
                         SKN_FMT(key));
}

skein_rc skn_version_pick(skn_tx *tx, const skn_conversation_row *c, int64_t number,
                          skn_arena *a, skn_version_row *out, skein_error *err)
{
    bool     found;
    skein_rc rc = number == 0 ? skn_version_get(tx, c->version_id, a, out, &found, err)
                              : skn_version_by_number(tx, c->id, number, a, out, &found, err);

    if (rc || found)
        return rc;
    return skn_fail_hint(err, SKEIN_NOT_FOUND, "\"skein history\" lists its versions.",
                         "conversation \"%.*s\" has no version v%lld", SKN_FMT(c->uid),
                         (long long)number);
}

/* Of a version: the main lane's thread, whose length stands for the whole. */
static skein_rc main_thread(skn_tx *tx, skn_arena *a, int64_t conversation, int64_t version,
                            skn_thread_row *out, skein_error *err)
{
    skn_lane_row lane;
    bool         found;
    skein_rc     rc;

    *out = (skn_thread_row){0};
    if ((rc = skn_lane_by_key(tx, conversation, SKN_MAIN, a, &lane, &found, err)) || !found)
        return rc;
    return skn_thread_of(tx, version, lane.id, a, out, &found, err);
}

skein_rc skn_version_fill(skn_tx *tx, const skn_conversation_row *c, const skn_version_row *row,
                          skn_arena *a, skein_version *out, skein_error *err)
{
    skn_thread_row t, origin;
    bool           found;
    skein_rc       rc;

    if ((rc = main_thread(tx, a, row->conversation_id, row->id, &t, err)))
        return rc;
    *out = (skein_version){.number = row->number,
                           .thread = {t.id},
                           .thread_uid = t.uid,
                           .length = t.base_length + t.own_length,
                           .origin = row->origin_number,
                           .origin_length = row->origin_length,
                           .kind = row->kind,
                           .actor = row->actor,
                           .note = row->note,
                           .current = row->id == c->version_id,
                           .created_at = row->created_at};
    if (t.origin_id == 0)
        return SKEIN_OK;
    if ((rc = skn_thread_get(tx, t.origin_id, a, &origin, &found, err)))
        return rc;
    out->origin_thread_uid = found ? origin.uid : SKN_NONE;
    return SKEIN_OK;
}

skein_rc skn_expect(skein_at expect, int64_t thread, int64_t length, const char *what,
                    skn_str name, skein_error *err)
{
    if (expect.thread.v == 0 || (expect.thread.v == thread && expect.length == length))
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_VERSION_CHANGED, "Read it again and repeat the request.",
                         "%s \"%.*s\" has moved on: it has %lld message%s now", what,
                         SKN_FMT(name), (long long)length, length == 1 ? "" : "s");
}

skein_rc skn_version_move(skn_tx *tx, const skn_conversation_row *c, const char *kind,
                          int64_t to, int64_t undoes, skn_str actor, int64_t now, int64_t *op,
                          skein_error *err)
{
    skn_op_row row = {.kind = skn_str_of(kind),
                      .from_version_id = c->version_id,
                      .to_version_id = to,
                      .undoes_id = undoes};
    skein_rc   rc;

    if ((rc = skn_message_newest(tx, &row.newest_message_id, err)) ||
        (rc = skn_op_insert(tx, c->id, &row, actor.p ? actor : SKN_STR("human"), now, op, err)))
        return rc;
    return skn_conversation_set_version(tx, c->id, to, err);
}
