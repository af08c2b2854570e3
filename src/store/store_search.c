/* store_search.c: the search index on both databases. */
#include "store/stmt.h"

#define PAGE 200   /* candidates that a statement gives at most */
#define NEAR 20000 /* messages that are quickly looked at */

/* --- The index ------------------------------------------------------------------------------------ */

skein_rc skn_words_settle(skn_tx *tx, bool wait, skein_error *err)
{
    const skn_bind *nothing = SKN_WITH(NOTHING);
    skein_rc        rc = wait ? skn_run(tx, SKN_Q_words_hurry, nothing, err) : SKEIN_OK;

    return rc ? rc : skn_run(tx, wait ? SKN_Q_words_settle : SKN_Q_words_settled, nothing, err);
}

skein_rc skn_words_upto(skn_tx *tx, skn_words_hold hold, int64_t *id, skein_error *err)
{
    static const enum skn_query queries[] = {
        [SKN_WORDS_LOOK] = SKN_Q_words_upto,
        [SKN_WORDS_TAKE] = SKN_Q_words_take,
        [SKN_WORDS_TRY] = SKN_Q_words_try,
    };

    return skn_get_number(tx, queries[hold], SKN_WITH(NOTHING), id, err);
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
        rc = skn_run(tx, SKN_SQL(words_add, TEXT(skn_buf_str(&ids)), TEXT(skn_buf_str(&all))),
                     err);
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
    int64_t  there;
    skein_rc rc = skn_get_number(tx, SKN_SQL(words_has, INT(id)), &there, err);

    if (rc || !there)
        return rc;
    return skn_run(tx, SKN_SQL(words_remove, INT(id), TEXT(words)), err);
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

/* A page of those below a number; `from` is the last parameter of the statements that take one. */
static skein_rc candidates(skn_tx *tx, enum skn_query query, const skn_search_scope *scope,
                           skn_str match, int64_t below, const int64_t *from, skn_arena *a,
                           skn_search_rows *out, skein_error *err)
{
    skn_rows rows = {0};
    skein_rc rc = skn_get_rows(tx, query,
                               SKN_WITH(INT(scope->conversation), TEXT(match), INT(below),
                                        INT(scope->world), from ? INT(*from) : NOTHING),
                               &skn_row_of_skn_search_row, a, &rows, err);

    *out = (skn_search_rows){rows.at, rows.count};
    return rc;
}

/* Words that fill a page within the newest messages are so common that collecting all of them would
 * take longer than looking at the texts. FTS5 knows the order itself. */
skein_rc skn_words_page(skn_tx *tx, const skn_search_scope *scope, const skn_terms *terms,
                        int64_t below, skn_arena *a, skn_search_rows *out, skein_error *err)
{
    const bool    pg = skn_db_is_pg(tx->db);
    const int64_t from = below > NEAR ? below - NEAR : 0;
    skn_buf       match;
    skein_rc      rc = SKEIN_OK;

    skn_buf_init(&match, SIZE_MAX / 2);
    (pg ? match_pg : match_sqlite)(terms, &match);
    *out = (skn_search_rows){0};
    if (pg)
        rc = candidates(tx, SKN_Q_words_near, scope, skn_buf_str(&match), below, &from, a, out,
                        err);
    if (rc == SKEIN_OK && out->count < PAGE)
        rc = candidates(tx, SKN_Q_words_page, scope, skn_buf_str(&match), below, NULL, a, out,
                        err);
    skn_buf_release(&match);
    return rc;
}
