/* store_reply.c: links between messages, without their texts. */
#include "store/stmt.h"

static skein_rc ids_of(skn_tx *tx, enum skn_query query, int64_t id, skn_arena *a, skn_ids *out,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_numbers(&s, a, out, err);
}

skein_rc skn_reply_lineage(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out, skein_error *err)
{
    return ids_of(tx, SKN_Q_reply_lineage, id, a, out, err);
}

skein_rc skn_reply_sources(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out, skein_error *err)
{
    return ids_of(tx, SKN_Q_reply_sources, id, a, out, err);
}

skein_rc skn_reply_link(skn_tx *tx, int64_t id, int64_t *reply_to, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_reply_link);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_number(&s, reply_to, err);
}
