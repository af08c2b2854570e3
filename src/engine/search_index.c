/* search_index.c: keeping the index of words. */
#include "engine/search.h"

#define BATCH 2000 /* messages in one transaction */

typedef struct following {
    int64_t upto, last; /* the index knows of upto; last is the newest message there is */
} following;

static skein_rc look(skn_tx *tx, void *arg, skein_error *err)
{
    following *g = arg;
    skein_rc   rc = skn_words_upto(tx, false, &g->upto, err);

    return rc ? rc : skn_message_newest(tx, &g->last, err);
}

/* On PostgreSQL a smaller id may become visible after a larger one, and would be passed over. */
static skein_rc settle(skn_tx *tx, void *arg, skein_error *err)
{
    following *g = arg;
    skein_rc   rc = skn_words_settle(tx, err);

    return rc ? rc : skn_message_newest(tx, &g->last, err);
}

static skein_rc add_texts(skn_tx *tx, const skn_texts *texts, skein_error *err)
{
    skn_buf  words;
    skein_rc rc = SKEIN_OK;

    skn_buf_init(&words, SIZE_MAX / 2);
    for (size_t i = 0; rc == SKEIN_OK && i < texts->count; i++) {
        skn_buf_clear(&words);
        skn_words_list(texts->at[i].text, &words);
        if (words.n > 0)
            rc = skn_words_add(tx, texts->at[i].id, skn_buf_str(&words), err);
    }
    skn_buf_release(&words);
    return rc;
}

static skein_rc add_batch(skn_tx *tx, void *arg, skein_error *err)
{
    following *g = arg;
    skn_arena *scratch = skn_arena_new();
    skn_texts  texts = {0};
    size_t     done = 0;
    skein_rc   rc = skn_words_upto(tx, true, &g->upto, err);

    while (rc == SKEIN_OK && g->upto < g->last && done < BATCH) {
        rc = skn_words_texts(tx, g->upto, g->last, scratch, &texts, err);
        if (rc == SKEIN_OK)
            rc = add_texts(tx, &texts, err);
        done += texts.count;
        g->upto = texts.count > 0 ? texts.at[texts.count - 1].id : g->last;
        skn_arena_reset(scratch);
    }
    if (rc == SKEIN_OK)
        rc = skn_words_set_upto(tx, g->upto, err);
    skn_arena_free(scratch);
    return rc;
}

skein_rc skn_search_catch_up(skein_engine *e, skein_error *err)
{
    following g = {0};
    skein_rc  rc = skn_store_read(e->store, look, &g, err);

    if (rc || g.upto >= g.last)
        return rc;
    if (skn_store_is_pg(e->store))
        rc = skn_store_write(e->store, settle, &g, err);
    while (rc == SKEIN_OK && g.upto < g.last)
        rc = skn_store_write(e->store, add_batch, &g, err);
    return rc;
}

skein_rc skn_search_forget(skn_tx *tx, int64_t message, skn_arena *a, skein_error *err)
{
    skn_texts texts;
    skn_buf   words;
    int64_t   upto;
    skein_rc  rc = skn_words_upto(tx, true, &upto, err); /* nobody adds it meanwhile */

    if (rc || message > upto || (rc = skn_words_texts(tx, message - 1, message, a, &texts, err)) ||
        texts.count == 0)
        return rc;
    skn_buf_init(&words, SIZE_MAX / 2);
    skn_words_list(texts.at[0].text, &words);
    if (words.n > 0)
        rc = skn_words_remove(tx, message, skn_buf_str(&words), err);
    skn_buf_release(&words);
    return rc;
}
