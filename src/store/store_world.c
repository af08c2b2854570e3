/* store_world.c: rows of worlds and agents. */
#include "store/stmt.h"

skein_rc skn_world_insert(skn_tx *tx, skein_world *w, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_world_insert);

    skn_stmt_bind_text(&s, w->uid);
    skn_stmt_bind_text(&s, w->name);
    skn_stmt_bind_text(&s, w->description);
    skn_stmt_bind_int(&s, w->turn_limit);
    skn_stmt_bind_int(&s, w->compact_at);
    skn_stmt_bind_int(&s, w->created_at);
    skn_stmt_bind_text(&s, w->settings);
    return skn_stmt_number(&s, &w->id.v, err);
}

static void read_world(const skn_stmt *s, skn_arena *a, skein_world *w)
{
    w->id.v = skn_stmt_int(s, 0);
    w->uid = skn_stmt_keep(s, 1, a);
    w->name = skn_stmt_keep(s, 2, a);
    w->description = skn_stmt_keep(s, 3, a);
    w->turn_limit = skn_stmt_int(s, 4);
    w->compact_at = skn_stmt_int(s, 5);
    w->current_chat.v = skn_stmt_int(s, 6);
    w->current_chat_uid = skn_stmt_keep(s, 7, a);
    w->created_at = skn_stmt_int(s, 8);
    w->settings = skn_stmt_keep(s, 9, a);
}

static skein_rc one_world(skn_stmt *s, skn_arena *a, skein_world *out, bool *found,
                          skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_world(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_world_get(skn_tx *tx, int64_t id, skn_arena *a, skein_world *out, bool *found,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_world_by_id);

    skn_stmt_bind_int(&s, id);
    return one_world(&s, a, out, found, err);
}

static skein_rc hold(skn_tx *tx, enum skn_query query, int64_t id, bool *found,
                     skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);
    int64_t  held = 0;
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    rc = skn_stmt_number(&s, &held, err);
    *found = held != 0;
    return rc;
}

skein_rc skn_world_hold(skn_tx *tx, int64_t id, bool *found, skein_error *err)
{
    return hold(tx, SKN_Q_world_hold, id, found, err);
}

skein_rc skn_agent_hold(skn_tx *tx, int64_t id, bool *found, skein_error *err)
{
    return hold(tx, SKN_Q_agent_hold, id, found, err);
}

skein_rc skn_world_by_ref(skn_tx *tx, skn_str name, skn_str uid, skn_arena *a, skein_world *out,
                          bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_world_by_ref);

    skn_stmt_bind_text(&s, name);
    skn_stmt_bind_text(&s, uid);
    return one_world(&s, a, out, found, err);
}

static skein_rc all_worlds(skn_tx *tx, enum skn_query query, skn_arena *a, skein_worlds *out,
                           skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);
    skn_vec(skein_world) v = {0};
    skein_world w;
    bool        row;
    skein_rc    rc;

    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_world(&s, a, &w);
        skn_vec_add(a, &v, w);
    }
    skn_stmt_done(&s);
    *out = (skein_worlds){v.p, v.n};
    return rc;
}

skein_rc skn_world_rows(skn_tx *tx, skn_arena *a, skein_worlds *out, skein_error *err)
{
    return all_worlds(tx, SKN_Q_world_list, a, out, err);
}

skein_rc skn_world_hidden(skn_tx *tx, skn_arena *a, skein_worlds *out, skein_error *err)
{
    return all_worlds(tx, SKN_Q_world_list_removed, a, out, err);
}

skein_rc skn_world_show(skn_tx *tx, int64_t id, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_world_restore);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, found, err);
}

skein_rc skn_world_hide(skn_tx *tx, int64_t id, int64_t now, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_world_remove);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, found, err);
}

skein_rc skn_world_chat(skn_tx *tx, int64_t id, int64_t conversation, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_world_set_chat);

    skn_stmt_bind_id(&s, conversation);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_world_put(skn_tx *tx, const skein_world *w, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_world_update);

    skn_stmt_bind_text(&s, w->name);
    skn_stmt_bind_text(&s, w->description);
    skn_stmt_bind_int(&s, w->turn_limit);
    skn_stmt_bind_int(&s, w->compact_at);
    skn_stmt_bind_text(&s, w->settings);
    skn_stmt_bind_int(&s, w->id.v);
    return skn_stmt_run(&s, err);
}

skein_rc skn_agent_put(skn_tx *tx, const skein_agent *agent, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_update);

    skn_stmt_bind_id(&s, agent->lead.v);
    skn_stmt_bind_text(&s, agent->system_prompt);
    skn_stmt_bind_text(&s, agent->model);
    skn_stmt_bind_text(&s, agent->settings);
    skn_stmt_bind_int(&s, agent->id.v);
    return skn_stmt_run(&s, err);
}

skein_rc skn_agent_insert(skn_tx *tx, skein_agent *agent, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_insert);

    skn_stmt_bind_text(&s, agent->uid);
    skn_stmt_bind_int(&s, agent->world.v);
    skn_stmt_bind_id(&s, agent->lead.v);
    skn_stmt_bind_text(&s, agent->name);
    skn_stmt_bind_text(&s, agent->system_prompt);
    skn_stmt_bind_text(&s, agent->model);
    skn_stmt_bind_text(&s, agent->settings);
    skn_stmt_bind_int(&s, agent->created_at);
    return skn_stmt_number(&s, &agent->id.v, err);
}

static void read_agent(const skn_stmt *s, skn_arena *a, skein_agent *agent)
{
    agent->id.v = skn_stmt_int(s, 0);
    agent->uid = skn_stmt_keep(s, 1, a);
    agent->world.v = skn_stmt_int(s, 2);
    agent->name = skn_stmt_keep(s, 3, a);
    agent->system_prompt = skn_stmt_keep(s, 4, a);
    agent->model = skn_stmt_keep(s, 5, a);
    agent->lead.v = skn_stmt_int(s, 6);
    agent->lead_name = skn_stmt_keep(s, 7, a);
    agent->settings = skn_stmt_keep(s, 8, a);
    agent->created_at = skn_stmt_int(s, 9);
}

static skein_rc one_agent(skn_stmt *s, skn_arena *a, skein_agent *out, bool *found,
                          skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_agent(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_agent_get(skn_tx *tx, int64_t id, skn_arena *a, skein_agent *out, bool *found,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_by_id);

    skn_stmt_bind_int(&s, id);
    return one_agent(&s, a, out, found, err);
}

skein_rc skn_agent_by_ref(skn_tx *tx, int64_t world, skn_str name, skn_str uid, skn_arena *a,
                          skein_agent *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_by_ref);

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_text(&s, name);
    skn_stmt_bind_text(&s, uid);
    return one_agent(&s, a, out, found, err);
}

skein_rc skn_agent_rows(skn_tx *tx, int64_t world, skn_arena *a, skein_agents *out,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_list);
    skn_vec(skein_agent) v = {0};
    skein_agent agent;
    bool        row;
    skein_rc    rc;

    skn_stmt_bind_int(&s, world);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_agent(&s, a, &agent);
        skn_vec_add(a, &v, agent);
    }
    skn_stmt_done(&s);
    *out = (skein_agents){v.p, v.n};
    return rc;
}

skein_rc skn_agent_hide(skn_tx *tx, int64_t id, int64_t now, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_remove);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, found, err);
}

skein_rc skn_agent_laneless(skn_tx *tx, int64_t world, int64_t conversation, skn_arena *a,
                            skein_agents *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_without_lane);
    skn_vec(skein_agent) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_int(&s, conversation);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_agent agent = {.id = {skn_stmt_int(&s, 0)}, .name = skn_stmt_keep(&s, 1, a)};

        skn_vec_add(a, &v, agent);
    }
    skn_stmt_done(&s);
    *out = (skein_agents){v.p, v.n};
    return rc;
}
