/* search_index.c: keeping the index of words. */
#include "engine/engine.h"
#include "engine/search.h"

/* Of one transaction, since other writers wait for its end. */
#define BATCH       2000
#define BATCH_BYTES ((size_t)8 << 20)
/* So many messages are read as they are rather than waited for. */
#define FEW 500

typedef struct following {
    int64_t upto, last; /* the index knows of upto; last is the newest message there is */
    bool    wait;       /* for other writers */
} following;

static skein_rc look(skn_tx *tx, void *arg, skein_error *err)
{
    following *g = arg;
    skein_rc   rc = skn_words_upto(tx, SKN_WORDS_LOOK, &g->upto, err);

    return rc ? rc : skn_message_newest(tx, &g->last, err);
}

/* On PostgreSQL a smaller id may become visible after a larger one, and would be passed over. */
static skein_rc settle(skn_tx *tx, void *arg, skein_error *err)
{
    following *g = arg;
    skein_rc   rc = skn_words_settle(tx, g->wait, err);

    return rc ? rc : skn_message_newest(tx, &g->last, err);
}

/* Texts without words need no row. */
static skein_rc add_texts(skn_tx *tx, const skn_texts *texts, skn_arena *a, skein_error *err)
{
    skn_texts lists = {SKN_ARRAY(a, texts->count, skn_text), 0};
    skn_buf   words;

    skn_buf_init(&words, SIZE_MAX / 2);
    for (size_t i = 0; i < texts->count; i++) {
        skn_buf_clear(&words);
        skn_words_list(texts->at[i].text, &words);
        if (words.n > 0)
            lists.at[lists.count++] = (skn_text){texts->at[i].id,
                                                 skn_arena_copy(a, skn_buf_str(&words))};
    }
    skn_buf_release(&words);
    return skn_words_add(tx, &lists, err);
}

static size_t bytes_of(const skn_texts *texts)
{
    size_t n = 0;

    for (size_t i = 0; i < texts->count; i++)
        n += texts->at[i].text.n;
    return n;
}

static skein_rc add_batch(skn_tx *tx, void *arg, skein_error *err)
{
    following *g = arg;
    skn_arena *scratch = skn_arena_new();
    skn_texts  texts = {0};
    size_t     done = 0, bytes = 0;
    skein_rc   rc = skn_words_upto(tx, g->wait ? SKN_WORDS_TAKE : SKN_WORDS_TRY, &g->upto, err);

    while (rc == SKEIN_OK && g->upto < g->last && done < BATCH && bytes < BATCH_BYTES) {
        rc = skn_words_texts(tx, g->upto, g->last, scratch, &texts, err);
        if (rc == SKEIN_OK)
            rc = add_texts(tx, &texts, scratch, err);
        done += texts.count;
        bytes += bytes_of(&texts);
        g->upto = texts.count > 0 ? texts.at[texts.count - 1].id : g->last;
        skn_arena_reset(scratch);
    }
    if (rc == SKEIN_OK)
        rc = skn_words_set_upto(tx, g->upto, err);
    skn_arena_free(scratch);
    return rc;
}

static skein_rc write_batch(skein_engine *e, skn_work *work, following *g, skein_error *err)
{
    return g->wait ? skn_store_write(e->store, work, g, err)
                   : skn_store_try_write(e->store, work, g, err);
}

skein_rc skn_search_catch_up(skein_engine *e, skein_error *err)
{
    following g = {0};
    skein_rc  rc = skn_store_read(e->store, look, &g, err);

    if (rc || g.upto >= g.last)
        return rc;
    g.wait = g.last - g.upto > FEW;
    if (skn_store_is_pg(e->store))
        rc = write_batch(e, settle, &g, err);
    while (rc == SKEIN_OK && g.upto < g.last)
        rc = write_batch(e, add_batch, &g, err);
    return rc;
}

static skein_rc begin_anew(skn_tx *tx, void *arg, skein_error *err)
{
    int64_t  upto;
    skein_rc rc = skn_words_upto(tx, SKN_WORDS_TAKE, &upto, err);

    (void)arg;
    if (rc || (rc = skn_words_clear(tx, err)))
        return rc;
    return skn_words_set_upto(tx, 0, err);
}

skein_rc skn_search_anew(skein_engine *e, skein_error *err)
{
    return skn_store_write(e->store, begin_anew, NULL, err);
}

skein_rc skn_search_forget(skn_tx *tx, int64_t message, skn_arena *a, skein_error *err)
{
    skn_texts texts;
    skn_buf   words;
    int64_t   upto;
    skein_rc rc = skn_words_upto(tx, SKN_WORDS_TAKE, &upto, err); /* nobody adds it meanwhile */

    if (rc || message > upto ||
        (rc = skn_words_texts(tx, message - 1, message, a, &texts, err)) || texts.count == 0)
        return rc;
    skn_buf_init(&words, SIZE_MAX / 2);
    skn_words_list(texts.at[0].text, &words);
    if (words.n > 0)
        rc = skn_words_remove(tx, message, skn_buf_str(&words), err);
    skn_buf_release(&words);
    return rc;
}
