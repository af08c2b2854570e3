/* store_search.c: the index of words on both databases. */
#include "store/stmt.h"

#define PAGE 200   /* candidates that a statement gives at most */
#define NEAR 20000 /* messages that are quickly looked at */

/* --- The index ------------------------------------------------------------------------------------ */

skein_rc skn_words_settle(skn_tx *tx, bool wait, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_hurry);
    skein_rc rc = wait ? skn_stmt_run(&s, err) : SKEIN_OK;

    if (rc)
        return rc;
    s = skn_stmt_use(tx->db, wait ? SKN_Q_search_settle : SKN_Q_search_settled);
    return skn_stmt_run(&s, err);
}

skein_rc skn_words_upto(skn_tx *tx, skn_words_hold hold, int64_t *id, skein_error *err)
{
    static const enum skn_query queries[] = {
        [SKN_WORDS_LOOK] = SKN_Q_search_upto,
        [SKN_WORDS_TAKE] = SKN_Q_search_take,
        [SKN_WORDS_TRY] = SKN_Q_search_try,
    };
    skn_stmt s = skn_stmt_use(tx->db, queries[hold]);

    return skn_stmt_number(&s, id, err);
}

skein_rc skn_words_set_upto(skn_tx *tx, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_set_upto);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_words_clear(skn_tx *tx, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_clear);

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

static skein_rc add(skn_tx *tx, skn_str ids, skn_str lists, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_add);

    skn_stmt_bind_text(&s, ids);
    skn_stmt_bind_text(&s, lists);
    return skn_stmt_run(&s, err);
}

/* On PostgreSQL a statement costs a round trip: all of them go in one. */
skein_rc skn_words_add(skn_tx *tx, const skn_texts *lists, skein_error *err)
{
    skn_buf  ids, all;
    skein_rc rc = SKEIN_OK;

    skn_buf_init(&ids, SIZE_MAX / 2);
    skn_buf_init(&all, SIZE_MAX / 2);
    for (size_t i = 0; rc == SKEIN_OK && i < lists->count; i++) {
        bool last = !skn_db_is_pg(tx->db) || i == lists->count - 1;

        skn_buf_addf(&ids, "%lld", (long long)lists->at[i].id);
        skn_buf_add(&all, lists->at[i].text);
        if (!last) {
            skn_buf_addc(&ids, '\n');
            skn_buf_addc(&all, '\n');
            continue;
        }
        rc = add(tx, skn_buf_str(&ids), skn_buf_str(&all), err);
        skn_buf_clear(&ids);
        skn_buf_clear(&all);
    }
    skn_buf_release(&ids);
    skn_buf_release(&all);
    return rc;
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
    s = skn_stmt_use(tx->db, SKN_Q_search_remove);
    skn_stmt_bind_int(&s, id);
    skn_stmt_bind_text(&s, words);
    return skn_stmt_run(&s, err);
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

static skein_rc candidates(skn_stmt *s, skn_arena *a, skn_search_rows *out, skein_error *err)
{
    skn_vec(skn_search_row) v = {0};
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row) {
        skn_search_row c = {skn_stmt_int(s, 0), skn_stmt_int(s, 1), skn_stmt_int(s, 2) != 0};

        skn_vec_add(a, &v, c);
    }
    skn_stmt_done(s);
    *out = (skn_search_rows){v.p, v.n};
    return rc;
}

static void bind_scope(skn_stmt *s, const skn_search_scope *scope, skn_str match, int64_t below)
{
    skn_stmt_bind_int(s, scope->conversation);
    skn_stmt_bind_text(s, match);
    skn_stmt_bind_int(s, below);
    skn_stmt_bind_int(s, scope->world);
}

/* Words that fill a page within the newest messages are so common that collecting all of them would
 * take longer than looking at the texts. FTS5 knows the order itself. */
static skein_rc page_pg(skn_tx *tx, const skn_search_scope *scope, skn_str match, int64_t below,
                        skn_arena *a, skn_search_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_near);
    skein_rc rc;

    bind_scope(&s, scope, match, below);
    skn_stmt_bind_int(&s, below > NEAR ? below - NEAR : 0);
    rc = candidates(&s, a, out, err);
    if (rc || out->count == PAGE)
        return rc;
    s = skn_stmt_use(tx->db, SKN_Q_search_page);
    bind_scope(&s, scope, match, below);
    return candidates(&s, a, out, err);
}

skein_rc skn_words_page(skn_tx *tx, const skn_search_scope *scope, const skn_terms *terms,
                        int64_t below, skn_arena *a, skn_search_rows *out, skein_error *err)
{
    skn_stmt s;
    skn_buf  match;
    skein_rc rc;

    skn_buf_init(&match, SIZE_MAX / 2);
    if (skn_db_is_pg(tx->db)) {
        match_pg(terms, &match);
        rc = page_pg(tx, scope, skn_buf_str(&match), below, a, out, err);
    } else {
        match_sqlite(terms, &match);
        s = skn_stmt_use(tx->db, SKN_Q_search_page);
        bind_scope(&s, scope, skn_buf_str(&match), below);
        rc = candidates(&s, a, out, err);
    }
    skn_buf_release(&match);
    return rc;
}

skein_rc skn_words_scan(skn_tx *tx, const skn_search_scope *scope, int64_t after, int64_t below,
                        skn_arena *a, skn_search_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_search_scan);

    skn_stmt_bind_int(&s, scope->conversation);
    skn_stmt_bind_int(&s, after);
    skn_stmt_bind_int(&s, below);
    skn_stmt_bind_int(&s, scope->world);
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
