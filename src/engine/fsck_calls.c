/* fsck_calls.c: are all pieces there that calls of models were made of? */
#include "engine/fsck.h"

static skein_rc check_call(void *arg, skn_str uid, skn_str request, skn_str response,
                           skein_error *err)
{
    skn_fsck *f = arg;
    skn_str  *hashes;
    bool     *known;
    int64_t   erased_at;
    size_t    n;
    skein_rc  rc;

    skn_arena_reset(f->scratch);
    n = skn_call_hashes(request, response, f->scratch, &hashes);
    if (request.n % SKN_HASH_BYTES)
        skn_fsck_find(f, SKN_INV_REFERENCES, "call \"%.*s\" has half a piece", SKN_FMT(uid));
    if (n == 0)
        return SKEIN_OK;
    known = SKN_ARRAY(f->scratch, n, bool);
    if ((rc = skn_pieces_known(f->tx, hashes, n, known, &erased_at, f->scratch, err)))
        return rc;
    for (size_t i = 0; i < n; i++)
        if (!known[i]) {
            skn_fsck_find(f, SKN_INV_REFERENCES, "a piece of call \"%.*s\" is missing",
                          SKN_FMT(uid));
            break;
        }
    return SKEIN_OK;
}

skein_rc skn_fsck_calls(skn_fsck *f, skein_error *err)
{
    return skn_call_each(f->tx, 0, check_call, f, err);
}
