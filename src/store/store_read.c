/* store_read.c: many rows by one statement. */
#include "base/buf.h"
#include "store/stmt.h"

skn_str skn_number_list(const skn_ids *ids, skn_arena *a)
{
    skn_buf buf;
    skn_str out;

    skn_buf_init(&buf, SIZE_MAX / 2);
    for (size_t i = 0; i < ids->count; i++)
        skn_buf_addf(&buf, i ? ",%lld" : "%lld", (long long)ids->at[i]);
    out = skn_arena_copy(a, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return out;
}

static enum skn_query query_of(skn_edge_kind kind)
{
    switch (kind) {
    case SKN_EDGE_REPLY:
        return SKN_Q_replies_of_many;
    case SKN_EDGE_AMEND:
        return SKN_Q_amends_of_many;
    case SKN_EDGE_SOURCE:
        break;
    }
    return SKN_Q_sources_of_many;
}

skein_rc skn_edges_of(skn_tx *tx, skn_edge_kind kind, const skn_ids *from, skn_arena *a,
                      skn_edges *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query_of(kind));
    skn_vec(skn_edge) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_text(&s, skn_number_list(from, a));
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_edge e = {skn_stmt_int(&s, 0), skn_stmt_int(&s, 1)};

        skn_vec_add(a, &v, e);
    }
    skn_stmt_done(&s);
    *out = (skn_edges){v.p, v.n};
    return rc;
}

static skein_rc read_heads(skn_stmt *s, skn_arena *a, skn_heads *out, skein_error *err)
{
    skn_vec(skn_head) v = {0};
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row) {
        skn_head h = {.id = skn_stmt_int(s, 0),
                      .lineage = skn_stmt_int(s, skn_stmt_null(s, 1) ? 0 : 1),
                      .conversation_id = skn_stmt_int(s, 2),
                      .uid = skn_stmt_keep(s, 3, a)};

        if (!skein_role_from(skn_stmt_text(s, 4), &h.role))
            h.role = SKEIN_SYSTEM;
        skn_vec_add(a, &v, h);
    }
    skn_stmt_done(s);
    *out = (skn_heads){v.p, v.n};
    return rc;
}

skein_rc skn_heads_of(skn_tx *tx, const skn_ids *ids, skn_arena *a, skn_heads *out,
                      skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_heads_of_many);

    skn_stmt_bind_text(&s, skn_number_list(ids, a));
    return read_heads(&s, a, out, err);
}

skein_rc skn_heads_by_prefix(skn_tx *tx, skn_str prefix, int64_t conversation, int64_t limit,
                             skn_arena *a, skn_heads *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_message_heads_in);

    skn_stmt_bind_text(&s, prefix);
    skn_stmt_bind_text(&s, skn_prefix_end(prefix, a));
    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, limit);
    return read_heads(&s, a, out, err);
}

skein_rc skn_heads_by_beginning(skn_tx *tx, skn_str prefix, int64_t limit, skn_arena *a,
                                skn_heads *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_message_heads_beginning);

    skn_stmt_bind_text(&s, prefix);
    skn_stmt_bind_text(&s, skn_prefix_end(prefix, a));
    skn_stmt_bind_int(&s, limit);
    return read_heads(&s, a, out, err);
}

skein_rc skn_heads_by_ending(skn_tx *tx, skn_str ending, int64_t limit, skn_arena *a,
                             skn_heads *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_message_heads_ending);

    skn_stmt_bind_text(&s, ending);
    skn_stmt_bind_int(&s, limit);
    return read_heads(&s, a, out, err);
}

skein_rc skn_placements_of(skn_tx *tx, const skn_ids *ids, skn_arena *a, skn_placed_list *out,
                           skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_placements_of_many);
    skn_vec(skn_placed) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_text(&s, skn_number_list(ids, a));
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_placed p = {skn_stmt_int(&s, 0),
                        {skn_stmt_int(&s, 1), skn_stmt_int(&s, 2), skn_stmt_int(&s, 3),
                         skn_stmt_int(&s, 4), skn_stmt_int(&s, 5)}};

        skn_vec_add(a, &v, p);
    }
    skn_stmt_done(&s);
    *out = (skn_placed_list){v.p, v.n};
    return rc;
}

static skein_rc read_threads(skn_stmt *s, skn_arena *a, skn_thread_rows *out, skein_error *err)
{
    skn_vec(skn_thread_row) v = {0};
    skn_vec(int64_t) numbers = {0};
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row) {
        skn_thread_row t = {.id = skn_stmt_int(s, 0),
                            .uid = skn_stmt_keep(s, 1, a),
                            .lane_id = skn_stmt_int(s, 2),
                            .version_id = skn_stmt_int(s, 3),
                            .origin_id = skn_stmt_int(s, 4),
                            .origin_length = skn_stmt_int(s, 5),
                            .root_id = skn_stmt_int(s, 6),
                            .base_length = skn_stmt_int(s, 7),
                            .compaction_id = skn_stmt_int(s, 8),
                            .own_length = skn_stmt_int(s, 9)};

        skn_vec_add(a, &v, t);
        skn_vec_add(a, &numbers, skn_stmt_int(s, 10));
    }
    skn_stmt_done(s);
    *out = (skn_thread_rows){v.p, numbers.p, v.n};
    return rc;
}

skein_rc skn_threads_of_version(skn_tx *tx, int64_t version, skn_arena *a, skn_thread_rows *out,
                                skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_threads_of_version);

    skn_stmt_bind_int(&s, version);
    return read_threads(&s, a, out, err);
}

skein_rc skn_threads_of_lane(skn_tx *tx, int64_t conversation, int64_t lane, int64_t below,
                             int64_t limit, skn_arena *a, skn_thread_rows *out,
                             skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_threads_of_lane);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, lane);
    skn_stmt_bind_int(&s, below);
    skn_stmt_bind_int(&s, limit);
    return read_threads(&s, a, out, err);
}

skein_rc skn_version_history(skn_tx *tx, int64_t conversation, int64_t current, skn_arena *a,
                             skein_versions *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_version_history);
    skn_vec(skein_version) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, conversation);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_version x = {.number = skn_stmt_int(&s, 0),
                           .thread = {skn_stmt_int(&s, 1)},
                           .thread_uid = skn_stmt_keep(&s, 2, a),
                           .length = skn_stmt_int(&s, 3),
                           .origin = skn_stmt_int(&s, 4),
                           .origin_thread_uid = skn_stmt_keep(&s, 5, a),
                           .origin_length = skn_stmt_int(&s, 6),
                           .kind = skn_stmt_keep(&s, 7, a),
                           .actor = skn_stmt_keep(&s, 8, a),
                           .note = skn_stmt_keep(&s, 9, a),
                           .current = skn_stmt_int(&s, 10) == current,
                           .created_at = skn_stmt_int(&s, 11)};

        skn_vec_add(a, &v, x);
    }
    skn_stmt_done(&s);
    *out = (skein_versions){v.p, v.n};
    return rc;
}

skein_rc skn_erasures(skn_tx *tx, int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_erasures);

    return skn_stmt_number(&s, count, err);
}

skein_rc skn_erasure_count(skn_tx *tx, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_erasure_count);

    return skn_stmt_run(&s, err);
}
