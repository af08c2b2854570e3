/* store_written.c: what agents are writing, kept in pieces until it is stored as a message. */
#include "base/buf.h"
#include "store/stmt.h"

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
