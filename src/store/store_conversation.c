/* store_conversation.c: rows of conversations and of their lanes. */
#include "store/stmt.h"

static const char *const mode_names[] = {"chat", "foreground", "background"};
static const char *const state_names[] = {"running", "done", "failed", "cancelled",
                                          "interrupted"};

static skein_mode mode_of(skn_str name)
{
    if (skn_str_is(name, "chat"))
        return SKEIN_CHAT;
    return skn_str_is(name, "foreground") ? SKEIN_FOREGROUND : SKEIN_BACKGROUND;
}

const char *skn_lane_state_word(skein_lane_state state)
{
    return state_names[state];
}

skein_lane_state skn_lane_state_of(skn_str name)
{
    for (size_t i = 0; i < sizeof state_names / sizeof *state_names; i++)
        if (skn_str_is(name, state_names[i]))
            return (skein_lane_state)i;
    return SKEIN_LANE_INTERRUPTED;
}

skein_rc skn_conversation_insert(skn_tx *tx, const skn_conversation_row *row, int64_t *id,
                                 skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_insert);

    skn_stmt_bind_text(&s, row->uid);
    skn_stmt_bind_int(&s, row->world_id);
    skn_stmt_bind_id(&s, row->agent_id);
    skn_stmt_bind_text(&s, skn_str_of(mode_names[row->mode]));
    skn_stmt_bind_text(&s, row->title);
    skn_stmt_bind_id(&s, row->branched_from_id);
    skn_stmt_bind_int(&s, row->created_at);
    return skn_stmt_number(&s, id, err);
}

static void read_conversation(const skn_stmt *s, skn_arena *a, skn_conversation_row *c)
{
    c->id = skn_stmt_int(s, 0);
    c->uid = skn_stmt_keep(s, 1, a);
    c->world_id = skn_stmt_int(s, 2);
    c->agent_id = skn_stmt_int(s, 3);
    c->agent_name = skn_stmt_keep(s, 4, a);
    c->mode = mode_of(skn_stmt_text(s, 5));
    c->title = skn_stmt_keep(s, 6, a);
    c->version_id = skn_stmt_int(s, 7);
    c->branched_from_id = skn_stmt_int(s, 8);
    c->created_at = skn_stmt_int(s, 9);
    c->removed_at = skn_stmt_int(s, 10);
    c->agent_gone = !skn_stmt_null(s, 11);
    c->expects = skn_stmt_keep(s, 13, a);
    c->expects_id = c->expects.p ? skn_stmt_int(s, 12) : 0;
    c->read_only = skn_stmt_int(s, 14) != 0;
}

static skein_rc one_conversation(skn_stmt *s, skn_arena *a, skn_conversation_row *out,
                                 bool *found, skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_conversation(s, a, out);
    skn_stmt_done(s);
    return rc;
}

static skein_rc all_conversations(skn_stmt *s, skn_arena *a, skn_conversation_rows *out,
                                  skein_error *err)
{
    skn_vec(skn_conversation_row) v = {0};
    skn_conversation_row c;
    bool                 row;
    skein_rc             rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row) {
        read_conversation(s, a, &c);
        skn_vec_add(a, &v, c);
    }
    skn_stmt_done(s);
    *out = (skn_conversation_rows){v.p, v.n};
    return rc;
}

skein_rc skn_conversation_lock(skn_tx *tx, int64_t id, skn_arena *a, skn_conversation_row *out,
                               bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_lock);

    skn_stmt_bind_int(&s, id);
    return one_conversation(&s, a, out, found, err);
}

skein_rc skn_conversation_row_get(skn_tx *tx, int64_t id, skn_arena *a,
                                  skn_conversation_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_by_id);

    skn_stmt_bind_int(&s, id);
    return one_conversation(&s, a, out, found, err);
}

skein_rc skn_conversation_by_uid(skn_tx *tx, skn_str uid, skn_arena *a,
                                 skn_conversation_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_by_uid);

    skn_stmt_bind_text(&s, uid);
    return one_conversation(&s, a, out, found, err);
}

skein_rc skn_conversation_by_agent(skn_tx *tx, int64_t agent, skein_mode mode, skn_arena *a,
                                   skn_conversation_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_of_agent);

    skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_text(&s, skn_str_of(mode_names[mode]));
    return one_conversation(&s, a, out, found, err);
}

skein_rc skn_conversation_by_prefix(skn_tx *tx, skn_str prefix, skn_arena *a,
                                    skn_conversation_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_by_prefix);

    skn_stmt_bind_text(&s, prefix);
    skn_stmt_bind_text(&s, skn_prefix_end(prefix, a));
    return all_conversations(&s, a, out, err);
}

skein_rc skn_conversation_by_title(skn_tx *tx, int64_t world, skn_str title, skn_arena *a,
                                   skn_conversation_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_by_title);

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_text(&s, title);
    return all_conversations(&s, a, out, err);
}

skein_rc skn_conversation_list(skn_tx *tx, int64_t world, skn_arena *a,
                               skn_conversation_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_list);

    skn_stmt_bind_int(&s, world);
    return all_conversations(&s, a, out, err);
}

skein_rc skn_conversation_messages(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out,
                                   skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_messages);

    skn_stmt_bind_int(&s, id);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_numbers(&s, a, out, err);
}

skein_rc skn_conversation_family(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out,
                                 skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_family);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_numbers(&s, a, out, err);
}

skein_rc skn_conversation_set_version(skn_tx *tx, int64_t id, int64_t version, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_set_version);

    skn_stmt_bind_int(&s, version);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_conversation_title(skn_tx *tx, int64_t id, skn_str title, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_rename);

    skn_stmt_bind_text(&s, title);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_conversation_expect(skn_tx *tx, int64_t id, int64_t agent, bool read_only,
                                 skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_expect);

    skn_stmt_bind_id(&s, agent);
    skn_stmt_bind_int(&s, read_only);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_conversation_hide(skn_tx *tx, int64_t id, int64_t now, bool *found,
                               skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_remove);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, found, err);
}

skein_rc skn_conversation_hidden(skn_tx *tx, skn_str uid, skn_arena *a,
                                 skn_conversation_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_removed);

    skn_stmt_bind_text(&s, uid);
    return one_conversation(&s, a, out, found, err);
}

skein_rc skn_conversation_hidden_in(skn_tx *tx, int64_t world, skn_arena *a,
                                    skn_conversation_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_list_removed);

    skn_stmt_bind_int(&s, world);
    return all_conversations(&s, a, out, err);
}

skein_rc skn_conversation_show(skn_tx *tx, int64_t id, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_conversation_restore);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, found, err);
}

skein_rc skn_lane_insert(skn_tx *tx, const skn_lane_row *row, int64_t now, int64_t *id,
                         skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_lane_insert);

    skn_stmt_bind_int(&s, row->conversation_id);
    skn_stmt_bind_text(&s, row->key);
    skn_stmt_bind_id(&s, row->agent_id);
    skn_stmt_bind_id(&s, row->parent_id);
    skn_stmt_bind_int(&s, row->ordinal);
    skn_stmt_bind_id(&s, row->spawn_message_id);
    skn_stmt_bind_text(&s, row->spawn_call_id);
    skn_stmt_bind_id(&s, row->branched_from_id);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_number(&s, id, err);
}

static void read_lane(const skn_stmt *s, skn_arena *a, skn_lane_row *l)
{
    l->id = skn_stmt_int(s, 0);
    l->conversation_id = skn_stmt_int(s, 1);
    l->key = skn_stmt_keep(s, 2, a);
    l->agent_id = skn_stmt_int(s, 3);
    l->agent_name = skn_stmt_keep(s, 4, a);
    l->parent_id = skn_stmt_int(s, 5);
    l->ordinal = skn_stmt_int(s, 6);
    l->spawn_message_id = skn_stmt_int(s, 7);
    l->spawn_call_id = skn_stmt_keep(s, 8, a);
    l->children = skn_stmt_int(s, 9);
    l->state = skn_lane_state_of(skn_stmt_text(s, 10));
    l->branched_from_id = skn_stmt_int(s, 11);
    l->agent_gone = !skn_stmt_null(s, 12);
}

static skein_rc one_lane(skn_stmt *s, skn_arena *a, skn_lane_row *out, bool *found,
                         skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_lane(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_lane_by_key(skn_tx *tx, int64_t conversation, skn_str key, skn_arena *a,
                         skn_lane_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_lane_by_key);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, key);
    return one_lane(&s, a, out, found, err);
}

skein_rc skn_lane_get(skn_tx *tx, int64_t id, skn_arena *a, skn_lane_row *out, bool *found,
                      skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_lane_by_id);

    skn_stmt_bind_int(&s, id);
    return one_lane(&s, a, out, found, err);
}

skein_rc skn_lane_of_agent(skn_tx *tx, int64_t conversation, int64_t agent, skn_arena *a,
                           skn_lane_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_lane_of_agent);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, agent);
    return one_lane(&s, a, out, found, err);
}

skein_rc skn_lane_rows_of(skn_tx *tx, int64_t conversation, bool top, skn_arena *a,
                          skn_lane_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, top ? SKN_Q_lane_list_top : SKN_Q_lane_list);
    skn_vec(skn_lane_row) v = {0};
    skn_lane_row l;
    bool         row;
    skein_rc     rc;

    skn_stmt_bind_int(&s, conversation);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_lane(&s, a, &l);
        skn_vec_add(a, &v, l);
    }
    skn_stmt_done(&s);
    *out = (skn_lane_rows){v.p, v.n};
    return rc;
}

skein_rc skn_lane_count_child(skn_tx *tx, int64_t id, int64_t *ordinal, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_lane_count_child);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_number(&s, ordinal, err);
}

skein_rc skn_lane_set_state(skn_tx *tx, int64_t id, skein_lane_state state, bool *changed,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_lane_finish);

    skn_stmt_bind_text(&s, skn_str_of(state_names[state]));
    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, changed, err);
}
