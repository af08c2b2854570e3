/* store_world.c: rows of worlds and agents. */
#include "base/json.h"
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

/* Rows of tags and of context files. */

/* --- Tags ----------------------------------------------------------------------------------------- */

static skein_rc number_by_name(skn_tx *tx, enum skn_query query, int64_t owner, skn_str name,
                               int64_t *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    skn_stmt_bind_int(&s, owner);
    skn_stmt_bind_text(&s, name);
    return skn_stmt_number(&s, out, err);
}

skein_rc skn_tag_others(skn_tx *tx, int64_t world, skn_str name, int64_t *count,
                        skein_error *err)
{
    return number_by_name(tx, SKN_Q_tag_count, world, name, count, err);
}

skein_rc skn_tag_find(skn_tx *tx, int64_t world, skn_str name, int64_t *id, skein_error *err)
{
    return number_by_name(tx, SKN_Q_tag_find, world, name, id, err);
}

skein_rc skn_tag_put(skn_tx *tx, int64_t world, const skein_tag *tag, int64_t now,
                     skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_tag_define);

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_text(&s, tag->name);
    skn_stmt_bind_text(&s, tag->control);
    skn_stmt_bind_text(&s, tag->instruction);
    skn_stmt_bind_text(&s, tag->target);
    skn_stmt_bind_int(&s, tag->include_in_message);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_run(&s, err);
}

skein_rc skn_tag_rows(skn_tx *tx, int64_t world, int64_t conversation, skn_arena *a,
                      skein_tags *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_tag_list);
    skn_vec(skein_tag) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, world);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_tag t = {.name = skn_stmt_keep(&s, 0, a),
                       .control = skn_stmt_keep(&s, 1, a),
                       .instruction = skn_stmt_keep(&s, 2, a),
                       .target = skn_stmt_keep(&s, 3, a),
                       .include_in_message = skn_stmt_int(&s, 4) != 0,
                       .active = !skn_stmt_null(&s, 5)};

        skn_vec_add(a, &v, t);
    }
    skn_stmt_done(&s);
    *out = (skein_tags){v.p, v.n};
    return rc;
}

skein_rc skn_tag_drop(skn_tx *tx, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_tag_clear);
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    if ((rc = skn_stmt_run(&s, err)))
        return rc;
    s = skn_stmt_use(tx->db, SKN_Q_tag_delete);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_tag_set_active(skn_tx *tx, int64_t conversation, int64_t id, bool active,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, active ? SKN_Q_tag_activate : SKN_Q_tag_deactivate);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

/* --- Context files ---------------------------------------------------------------------------------- */

skein_rc skn_file_others(skn_tx *tx, int64_t conversation, skn_str path, int64_t *count,
                         skein_error *err)
{
    return number_by_name(tx, SKN_Q_file_count, conversation, path, count, err);
}

skein_rc skn_file_put(skn_tx *tx, int64_t conversation, skn_str path, skn_str items,
                      int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_file_set);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, path);
    skn_stmt_bind_text(&s, items);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_run(&s, err);
}

skein_rc skn_file_drop(skn_tx *tx, int64_t conversation, skn_str path, bool *found,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_file_remove);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, path);
    return skn_stmt_changed(tx, &s, found, err);
}

/* A damaged column reads as no items: the other files must stay readable. */
static void read_items(skn_str json, skn_arena *a, skein_context_file *f)
{
    const skn_json *v = NULL;

    if (!json.p || skn_json_parse(&v, json, "items", a, NULL))
        return;
    if (v->kind == SKN_JSON_OBJECT) {
        const skn_json *prompt = skn_json_get(v, "prompt");

        if (prompt && prompt->kind == SKN_JSON_STRING)
            f->prompt = skn_arena_copy(a, prompt->text);
        v = skn_json_get(v, "items");
    }
    if (!v || v->kind != SKN_JSON_ARRAY)
        return;
    f->items = SKN_ARRAY(a, v->count, skein_str);
    for (const skn_json *i = v->first; i; i = i->next)
        if (i->kind == SKN_JSON_STRING)
            f->items[f->item_count++] = skn_arena_copy(a, i->text);
}

skein_rc skn_file_rows(skn_tx *tx, int64_t conversation, skn_arena *a, skein_context_files *out,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_file_list);
    skn_vec(skein_context_file) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, conversation);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_context_file f = {.path = skn_stmt_keep(&s, 0, a)};

        read_items(skn_stmt_text(&s, 1), a, &f);
        skn_vec_add(a, &v, f);
    }
    skn_stmt_done(&s);
    *out = (skein_context_files){v.p, v.n};
    return rc;
}
