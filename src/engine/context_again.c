/* context_again.c: a context for a message that is answered again. Others have spoken since, perhaps about something
 * else: without a word the model would answer what came last. */
#include "engine/reading.h"

/* The delivery of a message is written with it; one that was written later asks for it again. */
static skein_rc find_asked(skn_reading *r, const skein_slice *what, skein_message *out,
                           bool *again, skein_error *err)
{
    skn_arena       *a = r->trees.a;
    skn_tx          *tx = r->trees.tx;
    skn_turn_row     row;
    skn_delivery_row d;
    skein_rc         rc;

    rc = skn_turn_open_on(tx, r->conversation.id, what->agent.v, 0, a, &row, again, err);
    if (rc || !*again)
        return rc;
    *again = skn_str_eq(row.turn.uid, what->turn);
    if (!*again || (rc = skn_delivery_get(tx, row.delivery_id, a, &d, again, err)) || !*again ||
        (rc = skn_message_get(tx, d.message_id, a, out, again, err)))
        return rc;
    *again = *again && !out->purged && d.created_at > out->created_at;
    return SKEIN_OK;
}

/* Where what the turn has done begins. */
static size_t begins(const skein_messages *m, skn_str turn)
{
    size_t at = 0;

    while (at < m->count && !skn_str_eq(m->at[at].turn_uid, turn))
        at++;
    return at;
}

skein_rc skn_context_again(skn_reading *r, const skein_slice *what, const skein_messages *m,
                           const skein_message **again, size_t *at, skein_error *err)
{
    skein_message *asked = SKN_NEW(r->trees.a, skein_message);
    bool           found = false;
    skein_rc       rc = SKEIN_OK;

    *again = NULL;
    if (what->turn.n && what->agent.v && !what->lane.p)
        rc = find_asked(r, what, asked, &found, err);
    if (rc || !found)
        return rc;
    *at = begins(m, what->turn);
    if (*at == 0 || !skn_str_eq(m->at[*at - 1].uid, asked->uid))
        *again = asked;
    return SKEIN_OK;
}
