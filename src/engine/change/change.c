/* change.c: what all changes have in common: the transaction, the dry run, the key that makes a
 * repeated request harmless, and taking messages out of lanes. */
#include "engine/core.h"

#include <stdlib.h>

/* --- Keys --------------------------------------------------------------------------------------------- */

static int64_t request_hash(const skn_change_call *c)
{
    skn_str kind = skn_str_of(c->kind);

    return (int64_t)skn_hash_bytes(skn_hash_bytes((uint64_t)c->how->conversation.v, kind),
                                   c->request);
}

/* An outcome is kept as "VERSION MESSAGE", the message "-" where there is none. */
static skein_rc replay(skn_change_call *c, skn_str outcome, skein_error *err)
{
    skn_working         *w = c->w;
    skn_conversation_row row;
    skn_version_row      version;
    skn_str              number, rest = outcome;
    int64_t              n = 0;
    bool                 found;
    skein_rc             rc;

    skn_str_split(&rest, ' ', &number);
    skn_str_int(number, &n);
    if ((rc = skn_conversation_need(w->tx, c->how->conversation, w->a, &row, err)) ||
        (rc = skn_version_pick(w->tx, &row, n, w->a, &version, err)) ||
        (rc = skn_version_fill(w->tx, &row, &version, w->a, c->version, err)))
        return rc;
    c->replayed = true;
    if (!c->message || skn_str_is(rest, "-"))
        return SKEIN_OK;
    return skn_message_by_uid(w->tx, rest, w->a, c->message, &found, err);
}

/* Others may use the same word: a key belongs to its conversation. No key has one of the marks in it. */
static skn_str scoped(const skn_working *w, const skn_key *key)
{
    return skn_arena_printf(w->a, "%lld%c%.*s", (long long)key->conversation,
                            key->of_client ? '\n' : ' ', SKN_FMT(key->text));
}

skein_rc skn_key_find(skn_working *w, skn_key key, int64_t hash, skn_str *outcome, bool *found,
                      skein_error *err)
{
    int64_t  first;
    skein_rc rc = SKEIN_OK;

    *found = false;
    if (key.text.p)
        rc = skn_idempotency_get(w->tx, scoped(w, &key), w->a, &first, outcome, found, err);
    if (rc || !*found || first == hash)
        return rc;
    if (key.of_client)
        return skn_fail_hint(err, SKEIN_CONFLICT, "Use a new one for a new message.",
                             "the client's message id \"%.*s\" was used for another message",
                             SKN_FMT(key.text));
    return skn_fail_hint(err, SKEIN_CONFLICT, "Use a new key for a new request.",
                         "the key \"%.*s\" was used for another request", SKN_FMT(key.text));
}

skein_rc skn_key_keep(skn_working *w, skn_key key, int64_t hash, skn_str outcome,
                      skein_error *err)
{
    return key.text.p
               ? skn_idempotency_insert(w->tx, scoped(w, &key), hash, outcome, w->now, err)
               : SKEIN_OK;
}

skein_rc skn_key_move(skn_working *w, skn_key key, skn_str outcome, skein_error *err)
{
    return key.text.p ? skn_idempotency_move(w->tx, scoped(w, &key), outcome, err) : SKEIN_OK;
}

static skein_rc find_key(skn_change_call *c, skein_error *err)
{
    skn_conversation_row row;
    skn_str              outcome;
    bool                 found;
    skein_rc             rc;

    if (!c->how->key.p)
        return SKEIN_OK;
    if ((rc = skn_conversation_take(c->w->tx, c->how->conversation, c->w->a, &row, err)) ||
        (rc = skn_key_find(c->w, skn_key_of(c->how), request_hash(c), &outcome, &found, err)) ||
        !found)
        return rc;
    return replay(c, outcome, err);
}

static skein_rc keep_key(skn_change_call *c, skein_error *err)
{
    bool    with = c->message && c->message->uid.p;
    skn_str outcome = skn_arena_printf(c->w->a, "%lld %.*s", (long long)c->version->number,
                                       with ? (int)c->message->uid.n : 1,
                                       with ? c->message->uid.p : "-");

    return skn_key_keep(c->w, skn_key_of(c->how), request_hash(c), outcome, err);
}

/* --- Begin and end -------------------------------------------------------------------------------------- */

/* A forced change expects the state before the work that it removes. */
static skein_rc begin_again(skn_change_call *c, skein_error *err)
{
    skein_change how = *c->how;
    skein_rc     rc;

    how.expect = (skein_at){0};
    rc = skn_draft_begin(&c->draft, c->w, &how, 0, c->kind, err);
    c->draft.how = c->how;
    return rc;
}

static skein_rc begin_change(skn_change_call *c, skein_error *err)
{
    skein_rc rc;

    c->replayed = c->stopped = false;
    if ((rc = find_key(c, err)) || c->replayed)
        return rc;
    if ((rc = skn_draft_begin(&c->draft, c->w, c->how, 0, c->kind, err)) ||
        (rc = skn_work_guard(c->w, &c->draft.conversation, c->how, &c->stopped, err)))
        return rc;
    return c->stopped && c->how->force ? begin_again(c, err) : SKEIN_OK;
}

static skein_rc seal_change(skn_change_call *c, skein_error *err)
{
    skein_rc rc = keep_key(c, err);

    if (rc || c->how->dry_run)
        return rc;
    if (skn_str_among(skn_str_of(c->kind), "remove delete") &&
        (rc = skn_audit_in(c->w, "message.remove", c->draft.conversation.uid, c->draft.note,
                           err)))
        return rc;
    return c->stopped ? skn_work_resume(c->w, c->draft.target.version_id, err) : SKEIN_OK;
}

static skein_rc run_change(skn_working *w, void *arg, skein_error *err)
{
    skn_change_call *c = arg;
    skn_draft       *d = &c->draft;
    skein_rc         rc;

    c->w = w;
    if ((rc = begin_change(c, err)))
        return rc;
    if (c->replayed)
        return c->again ? c->again(c, err) : SKEIN_OK;
    if ((rc = c->make(c, err)))
        return rc;
    if (d->target.version_id != d->version_id && (rc = skn_draft_commit(d, c->version, err)))
        return rc;
    return seal_change(c, err);
}

skein_rc skn_change_run(skein_engine *e, skn_change_call *c, skein_mem *mem, skein_error *err)
{
    skein_rc rc = skn_check_given(c->how->key, "the key", SKN_WORD_MAX, err);

    if (rc || (rc = skn_write_dry(e, c->how->dry_run, mem, run_change, c, err)) ||
        !c->how->dry_run || c->replayed)
        return rc;
    /* Neither was ever made, and others may get their ids. */
    c->version->number = 0;
    c->version->thread.v = 0;
    c->version->thread_uid = SKN_NONE;
    if (c->message) {
        c->message->id.v = 0;
        c->message->uid = SKN_NONE;
    }
    return SKEIN_OK;
}

skn_str skn_change_ids_text(skein_mem *mem, skein_message_ids ids, int64_t more)
{
    skn_buf buf;

    skn_buf_init(&buf, SIZE_MAX / 2);
    for (size_t i = 0; i < ids.count; i++)
        skn_buf_addf(&buf, "%lld,", (long long)ids.at[i].v);
    skn_buf_addf(&buf, "%lld", (long long)more);
    return skn_buf_keep(&buf, mem);
}

/* --- Targets and places ----------------------------------------------------------------------------------- */

skein_rc skn_change_targets(skn_draft *d, skein_message_ids ids, skn_target **out,
                            skein_error *err)
{
    skn_map *seen = skn_map_new(d->a);
    skein_rc rc;

    if (ids.count == 0 || ids.count > SKN_BATCH_MAX)
        return skn_fail(err, SKEIN_INVALID, "%zu messages were named; 1 to %zu are possible",
                        ids.count, SKN_BATCH_MAX);
    *out = SKN_ARRAY(d->a, ids.count, skn_target);
    for (size_t i = 0; i < ids.count; i++) {
        void **slot = skn_map_slot_int(seen, ids.at[i].v);

        if ((rc = skn_draft_target(d, ids.at[i], &(*out)[i], err)))
            return rc;
        if (*slot)
            return skn_fail(err, SKEIN_INVALID, "message \"%.*s\" was named twice",
                            SKN_FMT((*out)[i].message.uid));
        *slot = d;
    }
    return SKEIN_OK;
}

skein_rc skn_change_positions(skn_draft *d, const skn_lane_draft *l, const skn_target *targets,
                              size_t count, int64_t **positions, size_t *found,
                              skein_error *err)
{
    int64_t *at = SKN_ARRAY(d->a, count, int64_t);
    size_t   n = 0;
    skein_rc rc;

    for (size_t i = 0; i < count; i++) {
        if ((rc = skn_thread_position(&d->trees, &l->from, &targets[i].places, &at[n], err)))
            return rc;
        n += at[n] >= 0;
    }
    if (n > 1)
        qsort(at, n, sizeof *at, skn_by_number);
    *positions = at;
    *found = n;
    return SKEIN_OK;
}

/* Up to this many gaps are cut one by one, a path of nodes each. */
enum { GAPS_FEW = 8 };

typedef skn_vec(skn_span) span_vec;

/* What is left of a span that begins at `at` when these positions go; *k is the first that is not
 * before it, and is moved on. */
static skein_rc keep_rest(skn_draft *d, const skn_span *s, int64_t at, const int64_t *positions,
                          size_t count, size_t *k, span_vec *out, skein_error *err)
{
    int64_t  from = 0;
    skn_span part;
    skein_rc rc;

    while (from < s->len) {
        bool    gone = *k < count && positions[*k] < at + s->len;
        int64_t to = gone ? positions[*k] - at : s->len;

        if (from < to) {
            if ((rc = skn_span_part(d->tx, s, from, to, &part, err)))
                return rc;
            skn_vec_add(d->a, out, part);
        }
        from = to + gone;
        *k += gone;
    }
    return SKEIN_OK;
}

/* Many gaps at once: all from the first to the last is replaced by what is to be kept of it. */
static skein_rc cut_many(skn_draft *d, skn_lane_draft *l, const int64_t *positions,
                         size_t count, skein_error *err)
{
    int64_t   at = positions[0], end = positions[count - 1] + 1;
    size_t    k = 0;
    span_vec  kept = {0};
    skn_spans all;
    skein_rc  rc;

    rc = l->frozen ? skn_tree_slice(&d->trees, &l->tree, at, end, &all, err)
                   : skn_thread_slice(&d->trees, &l->from, at, end, &all, err);
    for (size_t i = 0; rc == SKEIN_OK && i < all.count; at += all.at[i++].len)
        rc = keep_rest(d, &all.at[i], at, positions, count, &k, &kept, err);
    return rc ? rc : skn_draft_splice(d, l, positions[0], end, kept.p, kept.n, err);
}

skein_rc skn_change_cut(skn_draft *d, skn_lane_draft *l, const int64_t *positions, size_t count,
                        skein_error *err)
{
    size_t   gaps = count > 0;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 1; i < count; i++)
        gaps += positions[i] != positions[i - 1] + 1;
    if (gaps > GAPS_FEW)
        return cut_many(d, l, positions, count, err);
    /* From the end, so that the positions before stay true; neighbours go together. */
    for (size_t end = count; rc == SKEIN_OK && end > 0;) {
        size_t from = end - 1;

        while (from > 0 && positions[from - 1] == positions[from] - 1)
            from--;
        rc = skn_draft_splice(d, l, positions[from], positions[end - 1] + 1, NULL, 0, err);
        end = from;
    }
    return rc;
}
