/* store_inbox.c: rows of the inbox and of the knowledge of agents, where a verb is more than one
 * statement. */
#include "base/hash.h"
#include "store/stmt.h"

/* --- The inbox ------------------------------------------------------------------------------------ */

skein_rc skn_inbox_insert(skn_tx *tx, skn_inbox_row *row, skn_arena *a, skein_error *err)
{
    skein_inbox_item *i = &row->item;

    i->uid = skn_made_uid(tx, a, "in");
    i->briefing_uid = i->briefing.p ? skn_made_uid(tx, a, "br") : SKN_NONE;
    return skn_tx_made_uid(
        tx, skn_get_number(
                tx, SKN_Q_inbox_insert,
                SKN_WITH(skn_bind_text(i->uid), skn_bind_int(i->world.v),
                         skn_bind_id(row->agent_id), skn_bind_id(row->conversation_id),
                         skn_bind_text(i->kind), skn_bind_text(i->title),
                         skn_bind_text(i->content), skn_bind_text(i->briefing_uid),
                         skn_bind_text(i->briefing), skn_bind_id(row->message_id),
                         skn_bind_id(row->work_message_id), skn_bind_id(row->task_id),
                         skn_bind_id(row->turn_id), skn_bind_text(row->call_id),
                         skn_bind_text(i->tool), skn_bind_text(i->args),
                         skn_bind_int(i->created_at), skn_bind_id(row->attempt_id),
                         skn_bind_id(row->definition_id), skn_bind_text(i->definition_state)),
                &i->id, err));
}

skein_rc skn_inbox_earlier(skn_tx *tx, const skn_inbox_row *like, skn_arena *a, int64_t *id,
                           skn_str *uid, bool *same, skein_error *err)
{
    const skein_inbox_item *i = &like->item;
    skn_stmt                s = skn_stmt_with(tx, SKN_Q_inbox_earlier,
                                              SKN_WITH(skn_bind_text(i->briefing.p ? i->briefing : i->content),
                                                       skn_bind_int(like->task_id),
                                                       skn_bind_int(like->agent_id), skn_bind_text(i->kind),
                                                       skn_bind_text(i->title),
                                                       skn_bind_int(like->attempt_id)));
    bool                    found = false;
    skein_rc                rc = skn_stmt_step(&s, &found, err);

    found = rc == SKEIN_OK && found;
    *id = found ? skn_stmt_int(&s, 0) : 0;
    *uid = found ? skn_stmt_keep(&s, 1, a) : SKN_NONE;
    *same = found && skn_stmt_int(&s, 2) != 0;
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_inbox_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_inbox_row *out,
                          bool *found, skein_error *err)
{
    const skn_bind *with = SKN_WITH(skn_bind_text(uid));
    skein_rc rc = skn_get_row(tx, SKN_Q_inbox_by_uid, with, &skn_row_of_skn_inbox_row, a, out,
                              found, err);

    if (rc || *found) {
        *found = rc == SKEIN_OK && !out->removed;
        return rc;
    }
    return skn_get_row(tx, SKN_Q_inbox_by_briefing, with, &skn_row_of_skn_inbox_row, a, out,
                       found, err);
}

skein_rc skn_inbox_long_texts(skn_tx *tx, skn_arena *a, skn_inbox_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, SKN_Q_inbox_long_texts,
                               SKN_WITH(skn_bind_int(row->item.id)));
    bool     found;
    skein_rc rc = skn_stmt_step(&s, &found, err);

    if (rc == SKEIN_OK && found) {
        row->item.briefing = skn_stmt_keep(&s, 0, a);
        row->item.definition = skn_stmt_keep(&s, 1, a);
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_inbox_counts(skn_tx *tx, int64_t world, int64_t now, int64_t *unread,
                          int64_t *needs_you, skein_error *err)
{
    const skn_bind *with = SKN_WITH(skn_bind_int(now), skn_bind_int(world));
    skein_rc        rc = skn_get_number(tx, SKN_Q_inbox_unread, with, unread, err);

    return rc ? rc : skn_get_number(tx, SKN_Q_inbox_needs_you, with, needs_you, err);
}

skein_rc skn_inbox_read(skn_tx *tx, int64_t world, skn_str kind, int64_t now, int64_t *count,
                        skein_error *err)
{
    skein_rc rc = skn_run(tx, SKN_Q_inbox_read_all,
                          SKN_WITH(skn_bind_int(now), skn_bind_int(world), skn_bind_text(kind)),
                          err);

    *count = rc == SKEIN_OK ? skn_db_changes(tx->db) : 0;
    return rc;
}

/* --- Knowledge ------------------------------------------------------------------------------------ */

#define UID_TRIES 5

static skein_rc insert(skn_tx *tx, skn_knowledge_row *row, skn_str hash, skn_arena *a,
                       skein_error *err)
{
    row->item.uid = skn_made_uid(tx, a, "know");
    return skn_get_number(
        tx, SKN_Q_knowledge_insert,
        SKN_WITH(skn_bind_text(row->item.uid), skn_bind_int(row->agent_id),
                 skn_bind_text(row->item.type), skn_bind_text(row->item.content),
                 skn_bind_text(hash), skn_bind_int(row->item.confidence),
                 skn_bind_id(row->conversation_id), skn_bind_id(row->message_id),
                 skn_bind_int(row->item.created_at)),
        &row->id, err);
}

static skein_rc find(skn_tx *tx, skn_knowledge_row *row, skn_str hash, skn_arena *a,
                     bool *found, skein_error *err)
{
    skn_knowledge_row known;
    skein_rc          rc = skn_get_row(tx, SKN_Q_knowledge_by_hash,
                                       SKN_WITH(skn_bind_int(row->agent_id), skn_bind_text(hash)),
                                       &skn_row_of_skn_knowledge_row, a, &known, found, err);

    if (rc == SKEIN_OK && *found) {
        row->id = known.id;
        row->item = known.item;
    }
    return rc;
}

skein_rc skn_knowledge_put(skn_tx *tx, skn_knowledge_row *row, skn_arena *a, bool *stored,
                           skein_error *err)
{
    char       text[SKN_SHA256_TEXT];
    skn_sha256 sum;
    skn_str    hash;
    bool       found = false;
    skein_rc   rc = SKEIN_OK;

    skn_sha256_init(&sum);
    skn_sha256_add(&sum, row->item.content);
    hash = skn_sha256_text(&sum, text);
    row->id = 0;
    *stored = false;
    /* Whoever is not stored meets the same thought, or an id that was made before. */
    for (int tries = 0; rc == SKEIN_OK && !found && row->id == 0 && tries < UID_TRIES; tries++)
        if ((rc = insert(tx, row, hash, a, err)) == SKEIN_OK && row->id == 0)
            rc = find(tx, row, hash, a, &found, err);
    *stored = rc == SKEIN_OK && !found;
    if (rc == SKEIN_OK && row->id == 0)
        return skn_fail(err, SKEIN_CONFLICT, "the id of the new item is taken; try again");
    return rc;
}

/* What is not wanted is not kept. */
skein_rc skn_knowledge_rows(skn_tx *tx, int64_t agent, size_t limit,
                            skn_knowledge_sieve *wanted, void *arg, skn_arena *a,
                            skein_knowledges *out, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, SKN_Q_knowledge_list, SKN_WITH(skn_bind_int(agent)));
    skn_vec(skein_knowledge) v = {0};
    bool     row;
    skein_rc rc = SKEIN_OK;

    while (v.n < limit && !(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_knowledge item = {.content = skn_stmt_text(&s, 2)};

        if (wanted && !wanted(arg, &item))
            continue;
        if ((rc = skn_stmt_row(&s, &skn_row_of_skein_knowledge, a, &item, err)))
            break;
        skn_vec_add(a, &v, item);
    }
    skn_stmt_done(&s);
    *out = (skein_knowledges){v.p, v.n};
    return rc;
}
