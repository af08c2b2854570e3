/* store_search.c: the index of words on both databases. */
#include "store/stmt.h"

/* --- The index ------------------------------------------------------------------------------------ */

skein_rc skn_words_settle(skn_tx *tx, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_settle);

    return skn_stmt_run(&s, err);
}

skein_rc skn_words_upto(skn_tx *tx, bool lock, int64_t *id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, lock ? SKN_Q_search_take : SKN_Q_search_upto);

    return skn_stmt_number(&s, id, err);
}

skein_rc skn_words_set_upto(skn_tx *tx, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_set_upto);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_words_texts(skn_tx *tx, int64_t after, int64_t last, skn_arena *a, skn_texts *out,
                         skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_texts);
    skn_vec(skn_text) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, after);
    skn_stmt_bind_int(&s, last);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_text t = {skn_stmt_int(&s, 0), skn_stmt_keep(&s, 1, a)};

        skn_vec_add(a, &v, t);
    }
    skn_stmt_done(&s);
    *out = (skn_texts){v.p, v.n};
    return rc;
}

static skein_rc with_words(skn_tx *tx, enum skn_query query, int64_t id, skn_str words,
                           skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    skn_stmt_bind_int(&s, id);
    skn_stmt_bind_text(&s, words);
    return skn_stmt_run(&s, err);
}

skein_rc skn_words_add(skn_tx *tx, int64_t id, skn_str words, skein_error *err)
{
    return with_words(tx, SKN_Q_search_add, id, words, err);
}

/* Taking out what is not in would damage the index of SQLite. */
skein_rc skn_words_remove(skn_tx *tx, int64_t id, skn_str words, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_has);
    int64_t  there;
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    if ((rc = skn_stmt_number(&s, &there, err)) || !there)
        return rc;
    return with_words(tx, SKN_Q_search_remove, id, words, err);
}

/* --- Finding -------------------------------------------------------------------------------------- */

/* FTS5: "two words" AND "begin" * */
static void match_sqlite(const skn_terms *terms, skn_buf *out)
{
    for (size_t i = 0; i < terms->count; i++) {
        const skn_term *t = &terms->at[i];

        skn_buf_add(out, i ? SKN_STR(" AND \"") : SKN_STR("\""));
        for (size_t k = 0; k < t->count; k++)
            skn_buf_addf(out, k ? " %.*s" : "%.*s", SKN_FMT(t->words[k]));
        skn_buf_add(out, t->prefix ? SKN_STR("\" *") : SKN_STR("\""));
    }
}

/* tsquery: 'two' & 'words' & 'begin':* */
static void match_pg(const skn_terms *terms, skn_buf *out)
{
    for (size_t i = 0; i < terms->count; i++) {
        const skn_term *t = &terms->at[i];

        for (size_t k = 0; k < t->count; k++) {
            skn_buf_addf(out, out->n ? " & '%.*s'" : "'%.*s'", SKN_FMT(t->words[k]));
            if (t->prefix && k == t->count - 1)
                skn_buf_add(out, SKN_STR(":*"));
        }
    }
}

static skein_rc candidates(skn_stmt *s, skn_arena *a, skn_candidates *out, skein_error *err)
{
    skn_vec(skn_candidate) v = {0};
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row) {
        skn_candidate c = {skn_stmt_int(s, 0), skn_stmt_int(s, 1), skn_stmt_int(s, 2) != 0};

        skn_vec_add(a, &v, c);
    }
    skn_stmt_done(s);
    *out = (skn_candidates){v.p, v.n};
    return rc;
}

skein_rc skn_words_page(skn_tx *tx, const skn_search_scope *scope, const skn_terms *terms,
                        int64_t below, skn_arena *a, skn_candidates *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_page);
    skn_buf  match;
    skein_rc rc;

    skn_buf_init(&match, SIZE_MAX / 2);
    if (skn_db_is_pg(tx->db))
        match_pg(terms, &match);
    else
        match_sqlite(terms, &match);
    skn_stmt_bind_int(&s, scope->conversation);
    skn_stmt_bind_int(&s, scope->world);
    skn_stmt_bind_text(&s, skn_buf_str(&match));
    skn_stmt_bind_int(&s, below);
    rc = candidates(&s, a, out, err);
    skn_buf_release(&match);
    return rc;
}

skein_rc skn_words_scan(skn_tx *tx, const skn_search_scope *scope, int64_t after, int64_t below,
                        skn_arena *a, skn_candidates *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_scan);

    skn_stmt_bind_int(&s, scope->conversation);
    skn_stmt_bind_int(&s, scope->world);
    skn_stmt_bind_int(&s, after);
    skn_stmt_bind_int(&s, below);
    return candidates(&s, a, out, err);
}

skein_rc skn_words_branches(skn_tx *tx, int64_t conversation, skn_arena *a, skn_ids *out,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_branches);

    skn_stmt_bind_int(&s, conversation);
    return skn_stmt_numbers(&s, a, out, err);
}

skein_rc skn_words_said_in(skn_tx *tx, int64_t message, int64_t conversation, int64_t *number,
                           skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_said_in);

    skn_stmt_bind_int(&s, message);
    skn_stmt_bind_int(&s, conversation);
    return skn_stmt_number(&s, number, err);
}
