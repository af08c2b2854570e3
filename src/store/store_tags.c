/* store_tags.c: rows of tags and of context files. */
#include "base/json.h"
#include "store/stmt.h"

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
