/* store_inbox.c: rows of what is there for people. */
#include "base/sha256.h"
#include "store/stmt.h"

/* --- Rows ---------------------------------------------------------------------------------------- */

static skn_str made_uid(skn_tx *tx, skn_arena *a, const char *prefix)
{
    char uid[11];

    skn_tx_uid(tx, uid);
    return skn_arena_printf(a, "%s_%s", prefix, uid);
}

skein_rc skn_inbox_insert(skn_tx *tx, skn_inbox_row *row, skn_arena *a, skein_error *err)
{
    skein_inbox_item *i = &row->item;
    skn_stmt          s = skn_stmt_use(tx->db, SKN_Q_inbox_insert);
    skein_rc          rc;

    i->uid = made_uid(tx, a, "in");
    i->briefing_uid = i->briefing.p ? made_uid(tx, a, "br") : SKN_NONE;
    skn_stmt_bind_text(&s, i->uid);
    skn_stmt_bind_int(&s, i->world.v);
    skn_stmt_bind_id(&s, row->agent_id);
    skn_stmt_bind_id(&s, row->conversation_id);
    skn_stmt_bind_text(&s, i->kind);
    skn_stmt_bind_text(&s, i->title);
    skn_stmt_bind_text(&s, i->content);
    skn_stmt_bind_text(&s, i->briefing_uid);
    skn_stmt_bind_text(&s, i->briefing);
    skn_stmt_bind_id(&s, row->message_id);
    skn_stmt_bind_id(&s, row->work_message_id);
    skn_stmt_bind_id(&s, row->task_id);
    skn_stmt_bind_id(&s, row->turn_id);
    skn_stmt_bind_text(&s, row->call_id);
    skn_stmt_bind_text(&s, i->tool);
    skn_stmt_bind_text(&s, i->args);
    skn_stmt_bind_int(&s, i->created_at);
    skn_stmt_bind_id(&s, row->attempt_id);
    skn_stmt_bind_id(&s, row->definition_id);
    skn_stmt_bind_text(&s, i->definition_state);
    rc = skn_stmt_number(&s, &i->id, err);
    return skn_tx_made_uid(tx, rc);
}

skein_rc skn_inbox_earlier(skn_tx *tx, const skn_inbox_row *like, skn_arena *a, int64_t *id,
                           skn_str *uid, bool *same, skein_error *err)
{
    const skein_inbox_item *i = &like->item;
    skn_stmt                s = skn_stmt_use(tx->db, SKN_Q_inbox_earlier);
    bool                    found = false;
    skein_rc                rc;

    skn_stmt_bind_text(&s, i->briefing.p ? i->briefing : i->content);
    skn_stmt_bind_int(&s, like->task_id);
    skn_stmt_bind_int(&s, like->agent_id);
    skn_stmt_bind_text(&s, i->kind);
    skn_stmt_bind_text(&s, i->title);
    skn_stmt_bind_int(&s, like->attempt_id);
    rc = skn_stmt_step(&s, &found, err);
    found = rc == SKEIN_OK && found;
    *id = found ? skn_stmt_int(&s, 0) : 0;
    *uid = found ? skn_stmt_keep(&s, 1, a) : SKN_NONE;
    *same = found && skn_stmt_int(&s, 2) != 0;
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_inbox_briefed(skn_tx *tx, int64_t task, bool *yes, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_briefed);
    int64_t  count;
    skein_rc rc;

    skn_stmt_bind_int(&s, task);
    rc = skn_stmt_number(&s, &count, err);
    *yes = rc == SKEIN_OK && count > 0;
    return rc;
}

skein_rc skn_inbox_withdraw(skn_tx *tx, int64_t task, skn_str reason, int64_t now, bool *any,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_withdraw);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_text(&s, reason);
    skn_stmt_bind_int(&s, task);
    return skn_stmt_changed(tx, &s, any, err);
}

skein_rc skn_inbox_repeat(skn_tx *tx, int64_t id, int64_t attempt, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_repeat);

    skn_stmt_bind_int(&s, attempt);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

/* Does somebody wait for the answer? */
static bool is_open(const skn_inbox_row *row, skn_str turn)
{
    const skein_inbox_item *i = &row->item;

    if (i->answer.p || i->done_at || row->removed || row->agent_gone)
        return false;
    if (skn_str_is(i->kind, "approval")) /* of a limit: for whoever comes to it */
        return row->turn_id == 0 || skn_str_is(turn, "open");
    return skn_str_is(i->kind, "question");
}

static void read_item(const skn_stmt *s, skn_arena *a, skn_inbox_row *out)
{
    *out = (skn_inbox_row){.item = {.id = skn_stmt_int(s, 0),
                                    .uid = skn_stmt_keep(s, 1, a),
                                    .kind = skn_stmt_keep(s, 2, a),
                                    .world = {skn_stmt_int(s, 3)},
                                    .world_name = skn_stmt_keep(s, 4, a),
                                    .agent = skn_stmt_keep(s, 5, a),
                                    .title = skn_stmt_keep(s, 6, a),
                                    .content = skn_stmt_keep(s, 7, a),
                                    .chat_uid = skn_stmt_keep(s, 8, a),
                                    .message_uid = skn_stmt_keep(s, 9, a),
                                    .work_chat_uid = skn_stmt_keep(s, 10, a),
                                    .work_message_uid = skn_stmt_keep(s, 11, a),
                                    .briefing_uid = skn_stmt_keep(s, 12, a),
                                    .tool = skn_stmt_keep(s, 13, a),
                                    .args = skn_stmt_keep(s, 14, a),
                                    .answer = skn_stmt_keep(s, 15, a),
                                    .read_at = skn_stmt_int(s, 16),
                                    .done_at = skn_stmt_int(s, 17),
                                    .snoozed_until = skn_stmt_int(s, 18),
                                    .created_at = skn_stmt_int(s, 19),
                                    .result = skn_stmt_keep(s, 28, a),
                                    .call_id = skn_stmt_keep(s, 29, a),
                                    .task_uid = skn_stmt_keep(s, 30, a)},
                           .agent_id = skn_stmt_int(s, 20),
                           .conversation_id = skn_stmt_int(s, 21),
                           .work_message_id = skn_stmt_int(s, 22),
                           .turn_id = skn_stmt_int(s, 23),
                           .agent_gone = !skn_stmt_null(s, 25),
                           .removed = !skn_stmt_null(s, 26),
                           .message_id = skn_stmt_int(s, 27),
                           .begun_at = skn_stmt_int(s, 31),
                           .definition_id = skn_stmt_int(s, 33),
                           .definition_hash = skn_stmt_keep(s, 35, a)};
    out->item.reason = skn_stmt_keep(s, 32, a);
    out->item.definition_state = skn_stmt_keep(s, 34, a);
    out->item.definition = skn_stmt_keep(s, 36, a);
    out->item.open = is_open(out, skn_stmt_text(s, 24));
}

static skein_rc one_item(skn_stmt *s, skn_arena *a, skn_inbox_row *out, bool *found,
                         skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_item(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_inbox_by_id(skn_tx *tx, int64_t id, skn_arena *a, skn_inbox_row *out, bool *found,
                         skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_by_id);

    skn_stmt_bind_int(&s, id);
    return one_item(&s, a, out, found, err);
}

skein_rc skn_inbox_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_inbox_row *out,
                          bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_by_uid);
    skein_rc rc;

    skn_stmt_bind_text(&s, uid);
    rc = one_item(&s, a, out, found, err);
    if (rc || *found) {
        *found = rc == SKEIN_OK && !out->removed;
        return rc;
    }
    s = skn_stmt_use(tx->db, SKN_Q_inbox_by_briefing);
    skn_stmt_bind_text(&s, uid);
    return one_item(&s, a, out, found, err);
}

skein_rc skn_inbox_long_texts(skn_tx *tx, skn_arena *a, skn_inbox_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_long_texts);
    bool     found;
    skein_rc rc;

    skn_stmt_bind_int(&s, row->item.id);
    rc = skn_stmt_step(&s, &found, err);
    if (rc == SKEIN_OK && found) {
        row->item.briefing = skn_stmt_keep(&s, 0, a);
        row->item.definition = skn_stmt_keep(&s, 1, a);
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_inbox_approval(skn_tx *tx, int64_t turn, skn_str call_id, int64_t message,
                            skn_arena *a, skn_inbox_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_approval);

    skn_stmt_bind_int(&s, turn);
    skn_stmt_bind_text(&s, call_id);
    skn_stmt_bind_int(&s, message);
    return one_item(&s, a, out, found, err);
}

skein_rc skn_inbox_asked(skn_tx *tx, int64_t turn, skn_arena *a, skn_inbox_row *out,
                         bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_asked);

    skn_stmt_bind_int(&s, turn);
    return one_item(&s, a, out, found, err);
}

skein_rc skn_inbox_limit(skn_tx *tx, skn_str key, skn_arena *a, skn_inbox_row *out, bool *found,
                         skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_limit);

    skn_stmt_bind_text(&s, key);
    return one_item(&s, a, out, found, err);
}

skein_rc skn_limits_hold(skn_tx *tx, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_limits_hold);
    int64_t  n;

    return skn_stmt_number(&s, &n, err);
}

/* --- Lists --------------------------------------------------------------------------------------- */

skein_rc skn_inbox_rows_in(skn_tx *tx, const skn_inbox_range *range, skn_arena *a,
                           skn_inbox_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_list);
    skn_vec(skn_inbox_row) v = {.p = out->at, .n = out->count, .cap = out->count};
    skn_inbox_row item;
    bool          row;
    skein_rc      rc;

    skn_stmt_bind_int(&s, range->below);
    skn_stmt_bind_int(&s, range->needs);
    skn_stmt_bind_int(&s, range->what->world.v);
    skn_stmt_bind_text(&s, range->what->kind);
    skn_stmt_bind_int(&s, range->what->unread != 0);
    skn_stmt_bind_int(&s, range->what->done);
    skn_stmt_bind_int(&s, range->now);
    skn_stmt_bind_limit(&s, range->limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_item(&s, a, &item);
        skn_vec_add(a, &v, item);
    }
    skn_stmt_done(&s);
    *out = (skn_inbox_rows){v.p, v.n};
    return rc;
}

skein_rc skn_inbox_counts(skn_tx *tx, int64_t world, int64_t now, int64_t *unread,
                          int64_t *needs_you, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_unread);
    skein_rc rc;

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, world);
    if ((rc = skn_stmt_number(&s, unread, err)))
        return rc;
    s = skn_stmt_use(tx->db, SKN_Q_inbox_needs_you);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, world);
    return skn_stmt_number(&s, needs_you, err);
}

/* --- Changes --------------------------------------------------------------------------------------- */

skein_rc skn_inbox_put(skn_tx *tx, const skn_inbox_row *row, int64_t removed_at,
                       skein_error *err)
{
    const skein_inbox_item *i = &row->item;
    skn_stmt                s = skn_stmt_use(tx->db, SKN_Q_inbox_put);

    skn_stmt_bind_id(&s, i->read_at);
    skn_stmt_bind_id(&s, i->done_at);
    skn_stmt_bind_id(&s, i->snoozed_until);
    skn_stmt_bind_id(&s, removed_at);
    skn_stmt_bind_int(&s, i->id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_inbox_hold(skn_tx *tx, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_hold);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_inbox_answered(skn_tx *tx, int64_t id, skn_str answer, skn_str reason, int64_t now,
                            bool *answered, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_answer);

    skn_stmt_bind_text(&s, answer);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_text(&s, reason);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, answered, err);
}

skein_rc skn_inbox_asked_in(skn_tx *tx, int64_t world, skn_arena *a, skn_inbox_rows *out,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_asked_in);
    skn_vec(skn_inbox_row) v = {0};
    skn_inbox_row item;
    bool          row;
    skein_rc      rc;

    skn_stmt_bind_int(&s, world);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_item(&s, a, &item);
        skn_vec_add(a, &v, item);
    }
    skn_stmt_done(&s);
    *out = (skn_inbox_rows){v.p, v.n};
    return rc;
}

skein_rc skn_inbox_limit_over(skn_tx *tx, int64_t world, skn_str reason, int64_t now, bool *any,
                              skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_limit_over);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_text(&s, reason);
    skn_stmt_bind_int(&s, world);
    return skn_stmt_changed(tx, &s, any, err);
}

skein_rc skn_inbox_begun(skn_tx *tx, int64_t id, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_begun);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_inbox_worlds(skn_tx *tx, skn_arena *a, skn_ids *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_unread_worlds);

    return skn_stmt_numbers(&s, a, out, err);
}

skein_rc skn_inbox_read(skn_tx *tx, int64_t world, skn_str kind, int64_t now, int64_t *count,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_read_all);
    skein_rc rc;

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_text(&s, kind);
    rc = skn_stmt_run(&s, err);
    *count = rc == SKEIN_OK ? skn_db_changes(tx->db) : 0;
    return rc;
}

skein_rc skn_inbox_expire(skn_tx *tx, int64_t turn, int64_t now, bool *any, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_expire);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, turn);
    return skn_stmt_changed(tx, &s, any, err);
}

skein_rc skn_inbox_drop(skn_tx *tx, int64_t agent, int64_t now, bool *any, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_drop);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, agent);
    return skn_stmt_changed(tx, &s, any, err);
}

skein_rc skn_inbox_is_briefing(skn_tx *tx, int64_t message, bool *yes, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_inbox_is_briefing);
    int64_t  n = 0;
    skein_rc rc;

    skn_stmt_bind_int(&s, message);
    rc = skn_stmt_number(&s, &n, err);
    *yes = n > 0;
    return rc;
}

/* Rows of what agents keep in mind. */

#define UID_TRIES 5

static void knowledge_read_item(const skn_stmt *s, skn_arena *a, skein_knowledge *out)
{
    *out = (skein_knowledge){.uid = skn_stmt_keep(s, 1, a),
                             .type = skn_stmt_keep(s, 2, a),
                             .content = skn_stmt_keep(s, 3, a),
                             .confidence = skn_stmt_int(s, 4),
                             .chat_uid = skn_stmt_keep(s, 5, a),
                             .message_uid = skn_stmt_keep(s, 6, a),
                             .created_at = skn_stmt_int(s, 7)};
}

static skein_rc insert(skn_tx *tx, skn_knowledge_row *row, skn_str hash, skn_arena *a,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_insert);
    char     uid[11];

    skn_tx_uid(tx, uid);
    row->item.uid = skn_arena_printf(a, "know_%s", uid);
    skn_stmt_bind_text(&s, row->item.uid);
    skn_stmt_bind_int(&s, row->agent_id);
    skn_stmt_bind_text(&s, row->item.type);
    skn_stmt_bind_text(&s, row->item.content);
    skn_stmt_bind_text(&s, hash);
    skn_stmt_bind_int(&s, row->item.confidence);
    skn_stmt_bind_id(&s, row->conversation_id);
    skn_stmt_bind_id(&s, row->message_id);
    skn_stmt_bind_int(&s, row->item.created_at);
    return skn_stmt_number(&s, &row->id, err);
}

static skein_rc find(skn_tx *tx, skn_knowledge_row *row, skn_str hash, skn_arena *a,
                     bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_by_hash);
    skein_rc rc;

    skn_stmt_bind_int(&s, row->agent_id);
    skn_stmt_bind_text(&s, hash);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found) {
        row->id = skn_stmt_int(&s, 0);
        knowledge_read_item(&s, a, &row->item);
    }
    skn_stmt_done(&s);
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

skein_rc skn_knowledge_rows(skn_tx *tx, int64_t agent, size_t limit,
                            skn_knowledge_sieve *wanted, void *arg, skn_arena *a,
                            skein_knowledges *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_list);
    skn_vec(skein_knowledge) v = {0};
    bool     row;
    skein_rc rc = SKEIN_OK;

    skn_stmt_bind_int(&s, agent);
    while (v.n < limit && !(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_knowledge item = {.content = skn_stmt_text(&s, 3)};

        if (wanted && !wanted(arg, &item))
            continue;
        knowledge_read_item(&s, a, &item);
        skn_vec_add(a, &v, item);
    }
    skn_stmt_done(&s);
    *out = (skein_knowledges){v.p, v.n};
    return rc;
}

skein_rc skn_knowledge_count(skn_tx *tx, int64_t agent, int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_count);

    skn_stmt_bind_int(&s, agent);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_knowledge_forget(skn_tx *tx, int64_t agent, skn_str uid, int64_t now, bool *found,
                              skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_forget);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_text(&s, uid);
    return skn_stmt_changed(tx, &s, found, err);
}

skein_rc skn_knowledge_mark(skn_tx *tx, int64_t lane, int64_t *upto, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_mark);

    skn_stmt_bind_int(&s, lane);
    return skn_stmt_number(&s, upto, err);
}

skein_rc skn_knowledge_mark_move(skn_tx *tx, int64_t lane, int64_t from, int64_t upto,
                                 bool *moved, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_mark_move);

    skn_stmt_bind_int(&s, upto);
    skn_stmt_bind_int(&s, lane);
    skn_stmt_bind_int(&s, from);
    return skn_stmt_changed(tx, &s, moved, err);
}
