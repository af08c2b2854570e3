/* call_erase.c: what models were sent goes with the messages that were in it. Which of them a request had
 * cannot be told from its bytes, so all calls of the conversations concerned are emptied. */
#include "engine/core.h"

#include "base/hash.h"

/* A piece of a call that is emptied. */
typedef struct piece {
    skn_str hash;
    bool    used; /* by a call that stays */
} piece;

typedef struct leaving {
    skn_arena *a;
    skn_map   *by_hash;
    skn_vec(piece *) all;
    bool       collect; /* else: mark what is used */
    skn_arena *scratch;
} leaving;

static skein_rc look(void *arg, skn_str uid, skn_str request, skn_str response,
                     skein_error *err)
{
    leaving *l = arg;
    skn_str *hashes;
    size_t   n;

    (void)uid;
    (void)err;
    skn_arena_reset(l->scratch);
    n = skn_call_hashes(request, response, l->scratch, &hashes);
    for (size_t i = 0; i < n; i++) {
        piece *p = skn_map_get(l->by_hash, hashes[i]);

        if (p && !l->collect)
            p->used = true;
        if (p || !l->collect)
            continue;
        p = SKN_NEW(l->a, piece);
        p->hash = skn_arena_copy(l->a, hashes[i]);
        *skn_map_slot(l->by_hash, p->hash) = p;
        skn_vec_add(l->a, &l->all, p);
    }
    return SKEIN_OK;
}

static skein_rc erase(skn_tx *tx, leaving *l, const skn_ids *conversations, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    l->collect = true;
    for (size_t i = 0; rc == SKEIN_OK && i < conversations->count; i++)
        if (!(rc = skn_call_each(tx, conversations->at[i], look, l, err)))
            rc = skn_call_erase(tx, conversations->at[i], err);
    l->collect = false;
    if (rc == SKEIN_OK && l->all.n > 0)
        rc = skn_call_each(tx, 0, look, l, err);
    for (size_t i = 0; rc == SKEIN_OK && i < l->all.n; i++)
        if (!l->all.p[i]->used)
            rc = skn_piece_remove(tx, l->all.p[i]->hash, err);
    return rc;
}

skein_rc skn_calls_erase(skn_tx *tx, const skn_ids *conversations, int64_t now, skn_arena *a,
                         skein_error *err)
{
    leaving  l = {.a = a, .by_hash = skn_map_new(a), .scratch = skn_arena_new()};
    skein_rc rc;

    if (!(rc = skn_pieces_hold(tx, err)) && !(rc = skn_pieces_erased(tx, now, err)))
        rc = erase(tx, &l, conversations, err);
    skn_arena_free(l.scratch);
    return rc;
}
