/* store_work.c: rows of deliveries and turns. */
#include "base/buf.h"
#include "store/stmt.h"

static const char *const delivery_names[] = {"queued", "working", "answered", "failed",
                                             "dropped"};
static const char *const turn_names[] = {"open", "committed", "failed", "cancelled",
                                         "interrupted"};
static const char *const mode_names[] = {"chat", "foreground", "background"};

/* The number of a state's word. */
static skein_rc name_index(skn_str name, const char *const *names, int count, int *out,
                           skein_error *err)
{
    for (*out = 0; *out < count; ++*out)
        if (skn_str_is(name, names[*out]))
            return SKEIN_OK;
    return skn_fail(err, SKEIN_DAMAGED, "\"%.*s\" is no state that work can have",
                    SKN_FMT(name));
}

/* --- Deliveries ---------------------------------------------------------------------------------- */

skein_rc skn_delivery_insert(skn_tx *tx, skn_delivery_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_insert);

    skn_stmt_bind_int(&s, row->conversation_id);
    skn_stmt_bind_int(&s, row->agent_id);
    skn_stmt_bind_int(&s, row->message_id);
    skn_stmt_bind_text(&s, row->cause);
    skn_stmt_bind_int(&s, row->hops_left);
    skn_stmt_bind_text(&s, row->model);
    skn_stmt_bind_int(&s, row->created_at);
    skn_stmt_bind_id(&s, row->lane_id);
    skn_stmt_bind_id(&s, row->task_id);
    skn_stmt_bind_id(&s, row->without_tools);
    return skn_stmt_number(&s, &row->id, err);
}

static skein_rc read_delivery(const skn_stmt *s, skn_arena *a, skn_delivery_row *d,
                              skein_error *err)
{
    int      state;
    skein_rc rc;

    *d = (skn_delivery_row){.id = skn_stmt_int(s, 0),
                            .conversation_id = skn_stmt_int(s, 1),
                            .agent_id = skn_stmt_int(s, 2),
                            .message_id = skn_stmt_int(s, 3),
                            .hops_left = skn_stmt_int(s, 4),
                            .created_at = skn_stmt_int(s, 5),
                            .cause = skn_stmt_keep(s, 6, a),
                            .model = skn_stmt_keep(s, 7, a),
                            .agent_name = skn_stmt_keep(s, 8, a),
                            .agent_gone = !skn_stmt_null(s, 10),
                            .message_uid = skn_stmt_keep(s, 11, a),
                            .lane_id = skn_stmt_int(s, 12),
                            .task_id = skn_stmt_int(s, 13),
                            .agent_paused = !skn_stmt_null(s, 14),
                            .error = skn_stmt_keep(s, 15, a),
                            .closed_at = skn_stmt_int(s, 16)};
    rc = name_index(skn_stmt_text(s, 9), delivery_names, 5, &state, err);
    d->state = (skn_delivery_state)state;
    return rc;
}

static skein_rc all_deliveries(skn_stmt *s, skn_arena *a, skn_delivery_rows *out,
                               skein_error *err)
{
    skn_vec(skn_delivery_row) v = {0};
    skn_delivery_row d;
    bool             row;
    skein_rc         rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row && !(rc = read_delivery(s, a, &d, err)))
        skn_vec_add(a, &v, d);
    skn_stmt_done(s);
    *out = (skn_delivery_rows){v.p, v.n};
    return rc;
}

skein_rc skn_delivery_get(skn_tx *tx, int64_t id, skn_arena *a, skn_delivery_row *out,
                          bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_by_id);
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found)
        rc = read_delivery(&s, a, out, err);
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_delivery_pending(skn_tx *tx, int64_t conversation, skn_arena *a,
                              skn_delivery_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_pending);

    skn_stmt_bind_int(&s, conversation);
    return all_deliveries(&s, a, out, err);
}

skein_rc skn_delivery_pending_on(skn_tx *tx, int64_t conversation, int64_t lane, skn_arena *a,
                                 skn_delivery_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_pending_on);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, lane);
    return all_deliveries(&s, a, out, err);
}

skein_rc skn_delivery_of(skn_tx *tx, const skn_ids *messages, skn_arena *a,
                         skn_delivery_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_deliveries_of_many);

    skn_stmt_bind_text(&s, skn_number_list(messages, a));
    return all_deliveries(&s, a, out, err);
}

skein_rc skn_delivery_set(skn_tx *tx, int64_t id, skn_delivery_state state, skn_str error,
                          int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_move);

    skn_stmt_bind_text(&s, skn_str_of(delivery_names[state]));
    skn_stmt_bind_text(&s, error);
    skn_stmt_bind_id(&s, state == SKN_QUEUED || state == SKN_WORKING ? 0 : now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_delivery_due(skn_tx *tx, size_t limit, skn_arena *a, skein_dues *out,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_due);
    skn_vec(skein_due) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_limit(&s, limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_due d = {.delivery = skn_stmt_int(&s, 0),
                       .chat = {skn_stmt_int(&s, 1)},
                       .agent = {skn_stmt_int(&s, 2)},
                       .model = skn_stmt_keep(&s, 3, a),
                       .lane = {skn_stmt_int(&s, 4)}};

        skn_vec_add(a, &v, d);
    }
    skn_stmt_done(&s);
    *out = (skein_dues){v.p, v.n};
    return rc;
}

skein_rc skn_delivery_spent(skn_tx *tx, skn_str cause, int64_t conversation, int64_t *count,
                            bool *paused, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_spent);
    bool     row;
    skein_rc rc;

    skn_stmt_bind_text(&s, cause);
    skn_stmt_bind_int(&s, conversation);
    rc = skn_stmt_step(&s, &row, err);
    *count = rc == SKEIN_OK && row ? skn_stmt_int(&s, 0) : 0;
    *paused = rc == SKEIN_OK && row && skn_stmt_int(&s, 1) != 0;
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_delivery_pause(skn_tx *tx, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_pause);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_delivery_chats_of(skn_tx *tx, int64_t agent, skn_arena *a, skn_ids *out,
                               skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_chats_of);

    skn_stmt_bind_int(&s, agent);
    return skn_stmt_numbers(&s, a, out, err);
}

skein_rc skn_delivery_chats_in(skn_tx *tx, int64_t world, skn_arena *a, skn_ids *out,
                               skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delivery_chats_in);

    skn_stmt_bind_int(&s, world);
    return skn_stmt_numbers(&s, a, out, err);
}

/* --- Turns ---------------------------------------------------------------------------------------- */

skein_rc skn_turn_insert(skn_tx *tx, skn_turn_row *row, skn_str holder, skn_arena *a,
                         skein_error *err)
{
    skein_turn *t = &row->turn;
    skn_stmt    s = skn_stmt_use(tx->db, SKN_Q_turn_insert);
    char        uid[11];

    skn_tx_uid(tx, uid);
    t->uid = skn_arena_printf(a, "tu_%s", uid);
    skn_stmt_bind_text(&s, t->uid);
    skn_stmt_bind_int(&s, t->world.v);
    skn_stmt_bind_int(&s, t->chat.v);
    skn_stmt_bind_int(&s, t->agent.v);
    skn_stmt_bind_int(&s, row->delivery_id);
    skn_stmt_bind_int(&s, row->trigger_id);
    skn_stmt_bind_text(&s, t->cause);
    skn_stmt_bind_text(&s, t->message_uid);
    skn_stmt_bind_text(&s, t->model);
    skn_stmt_bind_text(&s, holder);
    skn_stmt_bind_int(&s, row->lease_until);
    skn_stmt_bind_int(&s, t->hops_left);
    skn_stmt_bind_int(&s, t->since);
    skn_stmt_bind_id(&s, t->lane.v);
    skn_stmt_bind_id(&s, t->task);
    return skn_tx_made_uid(tx, skn_stmt_number(&s, &t->id, err));
}

static skein_rc read_turn(const skn_stmt *s, skn_arena *a, skn_turn_row *r, skein_error *err)
{
    int      state, mode = 0;
    skein_rc rc;

    *r = (skn_turn_row){.turn = {.id = skn_stmt_int(s, 0),
                                 .uid = skn_stmt_keep(s, 1, a),
                                 .fence = skn_stmt_int(s, 2),
                                 .world = {skn_stmt_int(s, 4)},
                                 .world_name = skn_stmt_keep(s, 5, a),
                                 .chat = {skn_stmt_int(s, 6)},
                                 .chat_uid = skn_stmt_keep(s, 7, a),
                                 .agent = {skn_stmt_int(s, 8)},
                                 .agent_name = skn_stmt_keep(s, 9, a),
                                 .model = skn_stmt_keep(s, 10, a),
                                 .trigger_uid = skn_stmt_keep(s, 11, a),
                                 .cause = skn_stmt_keep(s, 12, a),
                                 .message_uid = skn_stmt_keep(s, 13, a),
                                 .hops_left = skn_stmt_int(s, 14),
                                 .since = skn_stmt_int(s, 15),
                                 .lane = {skn_stmt_int(s, 21)},
                                 .lane_key = skn_stmt_keep(s, 22, a),
                                 .task = skn_stmt_int(s, 23),
                                 .tool = skn_stmt_keep(s, 25, a),
                                 .writing = skn_stmt_int(s, 26) != 0,
                                 .inbox_uid = skn_stmt_keep(s, 27, a),
                                 .waits = (skein_waits)skn_stmt_int(s, 28),
                                 .waits_until = skn_stmt_int(s, 29),
                                 .lease_until = skn_stmt_int(s, 18)},
                        .delivery_id = skn_stmt_int(s, 16),
                        .trigger_id = skn_stmt_int(s, 17),
                        .lease_until = skn_stmt_int(s, 18),
                        .open_calls = skn_stmt_int(s, 19),
                        .step_message_id = skn_stmt_int(s, 20)};
    rc = name_index(skn_stmt_text(s, 3), turn_names, 5, &state, err);
    if (rc == SKEIN_OK)
        rc = name_index(skn_stmt_text(s, 24), mode_names, 3, &mode, err);
    r->turn.state = (skein_turn_state)state;
    r->turn.mode = (skein_mode)mode;
    r->turn.without_tools = skn_stmt_int(s, 30) != 0;
    return rc;
}

static skein_rc one_turn(skn_stmt *s, skn_arena *a, skn_turn_row *out, bool *found,
                         skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        rc = read_turn(s, a, out, err);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_turn_get(skn_tx *tx, int64_t id, skn_arena *a, skn_turn_row *out, bool *found,
                      skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_turn_by_id);

    skn_stmt_bind_int(&s, id);
    return one_turn(&s, a, out, found, err);
}

skein_rc skn_turn_open_on(skn_tx *tx, int64_t conversation, int64_t agent, int64_t lane,
                          skn_arena *a, skn_turn_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_turn_open_on);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_int(&s, lane);
    return one_turn(&s, a, out, found, err);
}

skein_rc skn_turn_open_rows(skn_tx *tx, int64_t world, int64_t conversation, skn_arena *a,
                            skn_turn_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, conversation ? SKN_Q_turns_open_in_chat
                                      : world      ? SKN_Q_turns_open_in_world
                                                   : SKN_Q_turns_open);
    skn_vec(skn_turn_row) v = {0};
    skn_turn_row r;
    bool         row;
    skein_rc     rc;

    if (conversation || world)
        skn_stmt_bind_int(&s, conversation ? conversation : world);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row && !(rc = read_turn(&s, a, &r, err)))
        skn_vec_add(a, &v, r);
    skn_stmt_done(&s);
    *out = (skn_turn_rows){v.p, v.n};
    return rc;
}

skein_rc skn_turn_expired(skn_tx *tx, int64_t before, int64_t after, skn_arena *a, skn_ids *out,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_turns_expired);

    skn_stmt_bind_int(&s, before);
    skn_stmt_bind_int(&s, after);
    return skn_stmt_numbers(&s, a, out, err);
}

skein_rc skn_turn_renew(skn_tx *tx, int64_t id, int64_t fence, int64_t until, bool *kept,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_turn_renew);

    skn_stmt_bind_int(&s, until);
    skn_stmt_bind_int(&s, id);
    skn_stmt_bind_int(&s, fence);
    return skn_stmt_changed(tx, &s, kept, err);
}

skein_rc skn_turn_hold(skn_tx *tx, int64_t id, skn_str holder, int64_t until, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_turn_hold);

    skn_stmt_bind_text(&s, holder);
    skn_stmt_bind_int(&s, until);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_turn_move(skn_tx *tx, const skn_turn_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_turn_move);

    skn_stmt_bind_text(&s, row->turn.message_uid);
    skn_stmt_bind_int(&s, row->open_calls);
    skn_stmt_bind_id(&s, row->step_message_id);
    skn_stmt_bind_text(&s, row->turn.tool);
    skn_stmt_bind_int(&s, row->turn.waits);
    skn_stmt_bind_id(&s, row->turn.waits_until);
    skn_stmt_bind_int(&s, row->turn.id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_turn_write(skn_tx *tx, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_turn_writing);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_turn_close(skn_tx *tx, int64_t id, skein_turn_state state, skn_str error,
                        int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_turn_close);

    skn_stmt_bind_text(&s, skn_str_of(turn_names[state]));
    skn_stmt_bind_text(&s, error);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

/* --- What is told of messages ----------------------------------------------------------------------- */

skein_rc skn_reply_tally(skn_tx *tx, int64_t message, int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_reply_tally);

    skn_stmt_bind_int(&s, message);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_message_time(skn_tx *tx, skn_str uid, int64_t *at, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_message_time);

    skn_stmt_bind_text(&s, uid);
    return skn_stmt_number(&s, at, err);
}

/* Rows of messages that wait to be said. */

skein_rc skn_waiting_insert(skn_tx *tx, const skn_waiting_row *row, skein_error *err)
{
    const skein_waiting *m = &row->message;
    skn_stmt             s = skn_stmt_use(tx->db, SKN_Q_waiting_insert);
    skn_buf              json;
    skein_rc             rc;

    skn_buf_init(&json, SIZE_MAX / 2);
    skn_stmt_bind_text(&s, m->uid);
    skn_stmt_bind_int(&s, row->conversation_id);
    skn_stmt_bind_text(&s, m->sender);
    skn_stmt_bind_text(&s, m->content);
    skn_stmt_bind_text(&s, m->reply_to);
    skn_stmt_bind_text(&s,
                       skn_instructions_json(row->instructions, row->instruction_count, &json));
    skn_stmt_bind_text(&s, m->client_id);
    skn_stmt_bind_text(&s, row->model);
    skn_stmt_bind_int(&s, m->created_at);
    rc = skn_tx_made_uid(tx, skn_stmt_run(&s, err));
    skn_buf_release(&json);
    return rc;
}

static void read_waiting(const skn_stmt *s, skn_arena *a, skn_waiting_row *r)
{
    skein_message tags = {0};

    skn_instructions_read(skn_stmt_text(s, 9), a, &tags);
    *r = (skn_waiting_row){.id = skn_stmt_int(s, 0),
                           .conversation_id = skn_stmt_int(s, 1),
                           .message = {.uid = skn_stmt_keep(s, 2, a),
                                       .sender = skn_stmt_keep(s, 3, a),
                                       .content = skn_stmt_keep(s, 4, a),
                                       .reply_to = skn_stmt_keep(s, 5, a),
                                       .client_id = skn_stmt_keep(s, 6, a),
                                       .created_at = skn_stmt_int(s, 7)},
                           .model = skn_stmt_keep(s, 8, a),
                           .instructions = tags.instructions,
                           .instruction_count = tags.instruction_count};
}

static skein_rc one_waiting(skn_stmt *s, skn_arena *a, skn_waiting_row *out, bool *found,
                            skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_waiting(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_waiting_list(skn_tx *tx, int64_t conversation, skn_arena *a, skn_waiting_rows *out,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_list);
    skn_vec(skn_waiting_row) v = {0};
    skn_waiting_row r;
    bool            row;
    skein_rc        rc;

    skn_stmt_bind_int(&s, conversation);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_waiting(&s, a, &r);
        skn_vec_add(a, &v, r);
    }
    skn_stmt_done(&s);
    *out = (skn_waiting_rows){v.p, v.n};
    return rc;
}

skein_rc skn_waiting_get(skn_tx *tx, int64_t conversation, skn_str uid, skn_arena *a,
                         skn_waiting_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_by_uid);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, uid);
    return one_waiting(&s, a, out, found, err);
}

skein_rc skn_waiting_anywhere(skn_tx *tx, skn_str uid, skn_arena *a, skn_waiting_row *out,
                              bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_anywhere);

    skn_stmt_bind_text(&s, uid);
    return one_waiting(&s, a, out, found, err);
}

skein_rc skn_waiting_first(skn_tx *tx, int64_t conversation, skn_arena *a, skn_waiting_row *out,
                           bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_first);

    skn_stmt_bind_int(&s, conversation);
    return one_waiting(&s, a, out, found, err);
}

skein_rc skn_waiting_uids(skn_tx *tx, int64_t conversation, size_t limit, skn_arena *a,
                          skn_str **out, size_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_uids);
    skn_vec(skn_str) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_limit(&s, limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row)
        skn_vec_add(a, &v, skn_stmt_keep(&s, 0, a));
    skn_stmt_done(&s);
    *out = v.p;
    *count = v.n;
    return rc;
}

skein_rc skn_waiting_set(skn_tx *tx, int64_t id, skn_str content, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_set);

    skn_stmt_bind_text(&s, content);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_waiting_delete(skn_tx *tx, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_delete);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_waiting_count(skn_tx *tx, int64_t conversation, int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_count);

    skn_stmt_bind_int(&s, conversation);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_uid_promised(skn_tx *tx, skn_str uid, bool *promised, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_uid_promised);
    int64_t  count = 0;
    skein_rc rc;

    skn_stmt_bind_text(&s, uid);
    rc = skn_stmt_number(&s, &count, err);
    *promised = count > 0;
    return rc;
}

/* What agents are writing, kept in pieces until it is stored as a message. */

skein_rc skn_written_add(skn_tx *tx, skein_piece *piece, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_written_add);

    skn_stmt_bind_int(&s, piece->thinking);
    skn_stmt_bind_int(&s, piece->place);
    skn_stmt_bind_text(&s, piece->text);
    skn_stmt_bind_int(&s, piece->turn);
    skn_stmt_bind_int(&s, piece->fence);
    skn_stmt_bind_text(&s, piece->message_uid);
    return skn_stmt_changed(tx, &s, &piece->saved, err);
}

/* A piece that does not begin where the one before it ended comes behind a gap. */
static skein_rc gather(skn_stmt *s, skn_buf parts[2], skein_error *err)
{
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row) {
        skn_buf *to = &parts[skn_stmt_int(s, 0) != 0];

        if (skn_stmt_int(s, 1) == (int64_t)to->n)
            skn_buf_add(to, skn_stmt_text(s, 2));
    }
    return rc;
}

skein_rc skn_written_of(skn_tx *tx, int64_t turn, skn_arena *a, skn_str *text,
                        skn_str *thinking, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_written_of);
    skn_buf  parts[2];
    skein_rc rc;

    skn_buf_init(&parts[0], SIZE_MAX / 2);
    skn_buf_init(&parts[1], SIZE_MAX / 2);
    skn_stmt_bind_int(&s, turn);
    rc = gather(&s, parts, err);
    skn_stmt_done(&s);
    *text = parts[0].n ? skn_arena_copy(a, skn_buf_str(&parts[0])) : SKN_NONE;
    *thinking = parts[1].n ? skn_arena_copy(a, skn_buf_str(&parts[1])) : SKN_NONE;
    skn_buf_release(&parts[0]);
    skn_buf_release(&parts[1]);
    return rc;
}

static skein_rc delete_by(skn_tx *tx, enum skn_query query, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_written_drop(skn_tx *tx, int64_t turn, skein_error *err)
{
    return delete_by(tx, SKN_Q_written_drop, turn, err);
}

skein_rc skn_written_erase(skn_tx *tx, int64_t conversation, skein_error *err)
{
    return delete_by(tx, SKN_Q_written_erase, conversation, err);
}
