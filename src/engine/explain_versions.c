/* explain_versions.c: which versions hold a message, newest first. Versions share most of their
 * nodes, and each node is looked at once for the whole page (holds.h). */
#include "engine/explain.h"

#define VERSIONS_MAX  ((size_t)64)
#define VERSIONS_READ 256 /* rows at a time */

typedef struct looking {
    skn_explain          *x;
    skein_message_facts **facts;  /* of each number: those of the first message with it */
    bool                 *wanted; /* numbers that are looked for in the lane */
    skn_bits             *bits;
} looking;

static bool full(const looking *l)
{
    for (size_t n = 0; n < l->x->ids.v.n; n++)
        if (l->wanted[n] && l->facts[n]->version_count < VERSIONS_MAX)
            return false;
    return true;
}

static skein_rc look_at(looking *l, const skn_thread_row *row, int64_t number, skein_error *err)
{
    skn_explain *x = l->x;
    skn_thread   t;
    skein_rc     rc;

    for (size_t w = 0; w < x->batch.words; w++)
        l->bits[w] = 0;
    if ((rc = skn_thread_open(x->trees, row, &t, err)) ||
        (rc = skn_batch_held(&x->batch, &t, l->bits, err)))
        return rc;
    for (size_t n = 0; n < x->ids.v.n; n++) {
        skein_message_facts *f = l->facts[n];

        if (!l->wanted[n] || !skn_bit(l->bits, n) || f->version_count == VERSIONS_MAX)
            continue;
        if (!f->versions)
            f->versions = SKN_ARRAY(x->a, VERSIONS_MAX, int64_t);
        f->versions[f->version_count++] = number;
    }
    return SKEIN_OK;
}

/* All versions of a lane, until nobody wants to know more. */
static skein_rc look_in_lane(looking *l, size_t lane, skein_error *err)
{
    skn_explain    *x = l->x;
    int64_t         below = INT64_MAX;
    skn_thread_rows rows;
    skein_rc        rc;

    do {
        rc = skn_threads_of_lane(x->trees->tx, x->main.conversation.id, x->lanes[lane].row.id,
                                 below, VERSIONS_READ, x->a, &rows, err);
        for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++) {
            below = rows.numbers[i];
            if (full(l))
                return SKEIN_OK;
            rc = look_at(l, &rows.at[i], below, err);
        }
    } while (rc == SKEIN_OK && rows.count == VERSIONS_READ);
    return rc;
}

static bool any_left(const looking *l)
{
    bool any = false;

    for (size_t n = 0; n < l->x->ids.v.n; n++) {
        l->wanted[n] = l->facts[n]->version_count == 0;
        any = any || l->wanted[n];
    }
    return any;
}

/* What happens to a message happens to it in every lane, so the first lane that ever held it tells
 * all. */
static skein_rc look_everywhere(looking *l, skein_error *err)
{
    skn_explain *x = l->x;
    bool        *lanes = SKN_ARRAY(x->a, x->lane_count, bool);
    skein_rc     rc = SKEIN_OK;

    any_left(l);
    skn_explain_lanes_of(x, l->wanted, lanes);
    for (size_t i = 0; rc == SKEIN_OK && i < x->lane_count; i++)
        if (lanes[i] && any_left(l))
            rc = look_in_lane(l, i, err);
    return rc;
}

skein_rc skn_explain_versions(skn_explain *x, skein_error *err)
{
    looking  l = {.x = x};
    skein_rc rc;

    l.facts = SKN_ARRAY(x->a, x->ids.v.n, skein_message_facts *);
    l.wanted = SKN_ARRAY(x->a, x->ids.v.n, bool);
    l.bits = skn_batch_bits(&x->batch);
    for (size_t i = x->count; i-- > 0;)
        l.facts[x->number[i]] = &x->facts[i];
    if ((rc = look_everywhere(&l, err)))
        return rc;
    for (size_t i = 0; i < x->count; i++) {
        const skein_message_facts *f = l.facts[x->number[i]];

        x->facts[i].versions = f->versions;
        x->facts[i].version_count = f->version_count;
    }
    return SKEIN_OK;
}
