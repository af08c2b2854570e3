#include "store/stmt.h"
#include "base/hash.h"

skn_bind skn_bind_limit(size_t limit)
{
    return INT(limit > INT32_MAX ? INT32_MAX : (int64_t)limit);
}

skn_stmt skn_stmt_with(skn_tx *tx, enum skn_query query, const skn_bind *with)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    for (; with->kind != SKN_BIND_END; with++)
        skn_stmt_bind(&s, *with);
    return s;
}

skein_rc skn_run(skn_tx *tx, enum skn_query query, const skn_bind *with, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, query, with);

    return skn_stmt_run(&s, err);
}

skein_rc skn_run_changed(skn_tx *tx, enum skn_query query, const skn_bind *with, bool *changed,
                         skein_error *err)
{
    skein_rc rc = skn_run(tx, query, with, err);

    *changed = rc == SKEIN_OK && skn_db_changes(tx->db) > 0;
    return rc;
}

skein_rc skn_get_number(skn_tx *tx, enum skn_query query, const skn_bind *with, int64_t *out,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, query, with);
    bool     row = false;
    skein_rc rc = skn_stmt_step(&s, &row, err);

    *out = rc == SKEIN_OK && row ? skn_stmt_int(&s, 0) : 0;
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_get_row(skn_tx *tx, enum skn_query query, const skn_bind *with, const skn_row *of,
                     skn_arena *a, void *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, query, with);
    skein_rc rc = skn_stmt_step(&s, found, err);

    if (rc == SKEIN_OK && *found)
        rc = skn_stmt_row(&s, of, a, out, err);
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_get_rows(skn_tx *tx, enum skn_query query, const skn_bind *with, const skn_row *of,
                      skn_arena *a, skn_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, query, with);
    size_t   room = out->count;
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_vec_grow(a, &out->at, out->count, &room, of->size);
        if ((rc = skn_stmt_row(&s, of, a, (char *)out->at + out->count * of->size, err)))
            break;
        out->count++;
    }
    skn_stmt_done(&s);
    return rc;
}

void skn_tx_uid(skn_tx *tx, char out[11])
{
    skn_store_uid(tx->store, out);
}

skein_rc skn_tx_made_uid(skn_tx *tx, skein_rc rc)
{
    if (rc != SKEIN_OK && skn_db_was_duplicate(tx->db))
        tx->retry = true;
    return rc;
}

skn_str skn_made_uid(skn_tx *tx, skn_arena *a, const char *prefix)
{
    char uid[11];

    skn_tx_uid(tx, uid);
    return skn_arena_printf(a, "%s_%s", prefix, uid);
}

skn_str skn_stmt_keep(const skn_stmt *s, int column, skn_arena *a)
{
    return skn_arena_copy(a, skn_stmt_text(s, column));
}

skn_str skn_prefix_end(skn_str prefix, skn_arena *a)
{
    /* Ids are ASCII, and 0x7f sorts after every character they may have. */
    return skn_arena_printf(a, "%.*s\x7f", SKN_FMT(prefix));
}

skn_str skn_number_list(const skn_ids *ids, skn_arena *a)
{
    skn_buf buf;

    skn_buf_init(&buf, SIZE_MAX / 2);
    for (size_t i = 0; i < ids->count; i++)
        skn_buf_addf(&buf, i ? ",%lld" : "%lld", (long long)ids->at[i]);
    return skn_buf_keep(&buf, a);
}

/* A hash of what a message says, against texts that change under the program (docs/decisions/0026). */

int64_t skn_message_hash(const skn_said *said)
{
    const skn_str texts[] = {said->content, said->thinking, said->calls, said->instructions};
    uint64_t      h = 0;

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].n > 0)
            h = skn_hash_bytes(h + i + 1, texts[i]);
    return h == SKN_HASH_ERASED ? 1 : (int64_t)h;
}

typedef struct hashed {
    int64_t id, hash;
} hashed;

#define PAGE 500 /* as in the LIMIT of its text */

/* Read first, written then: not every database lets a statement step while its table changes. */
static skein_rc read_page(skn_db *db, int64_t after, hashed *rows, size_t *count,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(db, SKN_Q_hash_old);
    bool     row;
    skein_rc rc = SKEIN_OK;

    *count = 0;
    skn_stmt_bind(&s, INT(after));
    while (*count < PAGE && !(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_said said = {skn_stmt_text(&s, 1), skn_stmt_text(&s, 2), skn_stmt_text(&s, 3),
                         skn_stmt_text(&s, 4)};

        rows[(*count)++] = (hashed){skn_stmt_int(&s, 0), skn_message_hash(&said)};
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_hash_old_messages(skn_db *db, skein_error *err)
{
    hashed   rows[PAGE];
    int64_t  after = INT64_MIN;
    size_t   count = 1;
    skein_rc rc = SKEIN_OK;

    while (rc == SKEIN_OK && count > 0) {
        rc = read_page(db, after, rows, &count, err);
        for (size_t i = 0; rc == SKEIN_OK && i < count; i++) {
            skn_stmt s = skn_stmt_use(db, SKN_Q_hash_put);

            skn_stmt_bind(&s, INT(rows[i].hash));
            skn_stmt_bind(&s, INT(after = rows[i].id));
            rc = skn_stmt_run(&s, err);
        }
    }
    return rc;
}
