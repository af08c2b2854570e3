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
        tx,
        skn_get_number(tx,
                       SKN_SQL(inbox_insert, TEXT(i->uid), INT(i->world.v), ID(row->agent_id),
                               ID(row->conversation_id), TEXT(i->kind), TEXT(i->title),
                               TEXT(i->content), TEXT(i->briefing_uid), TEXT(i->briefing),
                               ID(row->message_id), ID(row->work_message_id), ID(row->task_id),
                               ID(row->turn_id), TEXT(row->call_id), TEXT(i->tool),
                               TEXT(i->args), INT(i->created_at), ID(row->attempt_id),
                               ID(row->definition_id), TEXT(i->definition_state)),
                       &i->id, err));
}

skein_rc skn_inbox_earlier(skn_tx *tx, const skn_inbox_row *like, skn_arena *a, int64_t *id,
                           skn_str *uid, bool *same, skein_error *err)
{
    const skein_inbox_item *i = &like->item;
    bool                    found;

    return skn_get_columns(tx,
                           SKN_SQL(inbox_earlier,
                                   TEXT(i->briefing.p ? i->briefing : i->content),
                                   INT(like->task_id), INT(like->agent_id), TEXT(i->kind),
                                   TEXT(i->title), INT(like->attempt_id)),
                           SKN_INTO(SKN_TO(id), SKN_TO(uid), SKN_TO(same)), a, &found, err);
}

skein_rc skn_inbox_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_inbox_row *out,
                          bool *found, skein_error *err)
{
    const skn_bind *with = SKN_WITH(TEXT(uid));
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
    bool found;

    return skn_get_columns(tx, SKN_SQL(inbox_long_texts, INT(row->item.id)),
                           SKN_INTO(SKN_TO(&row->item.briefing), SKN_TO(&row->item.definition)),
                           a, &found, err);
}

skein_rc skn_inbox_counts(skn_tx *tx, int64_t world, int64_t now, int64_t *unread,
                          int64_t *needs_you, skein_error *err)
{
    const skn_bind *with = SKN_WITH(INT(now), INT(world));
    skein_rc        rc = skn_get_number(tx, SKN_Q_inbox_unread, with, unread, err);

    return rc ? rc : skn_get_number(tx, SKN_Q_inbox_needs_you, with, needs_you, err);
}

skein_rc skn_inbox_read(skn_tx *tx, int64_t world, skn_str kind, int64_t now, int64_t *count,
                        skein_error *err)
{
    skein_rc rc = skn_run(tx, SKN_SQL(inbox_read_all, INT(now), INT(world), TEXT(kind)), err);

    *count = rc == SKEIN_OK ? skn_db_changes(tx->db) : 0;
    return rc;
}

/* --- Knowledge ------------------------------------------------------------------------------------ */

#define UID_TRIES 5

static skein_rc insert(skn_tx *tx, skn_knowledge_row *row, skn_str hash, skn_arena *a,
                       skein_error *err)
{
    row->item.uid = skn_made_uid(tx, a, "know");
    return skn_get_number(tx,
                          SKN_SQL(knowledge_insert, TEXT(row->item.uid), INT(row->agent_id),
                                  TEXT(row->item.type), TEXT(row->item.content), TEXT(hash),
                                  INT(row->item.confidence), ID(row->conversation_id),
                                  ID(row->message_id), INT(row->item.created_at)),
                          &row->id, err);
}

static skein_rc find_knowledge(skn_tx *tx, skn_knowledge_row *row, skn_str hash, skn_arena *a,
                               bool *found, skein_error *err)
{
    skn_knowledge_row known;
    skein_rc rc = skn_get_row(tx, SKN_SQL(knowledge_by_hash, INT(row->agent_id), TEXT(hash)),
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
    /* A note is not stored if the agent has it already, or if its id exists. */
    for (int tries = 0; rc == SKEIN_OK && !found && row->id == 0 && tries < UID_TRIES; tries++)
        if ((rc = insert(tx, row, hash, a, err)) == SKEIN_OK && row->id == 0)
            rc = find_knowledge(tx, row, hash, a, &found, err);
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
    skn_stmt s = skn_stmt_with(tx, SKN_SQL(knowledge_list, INT(agent)));
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
