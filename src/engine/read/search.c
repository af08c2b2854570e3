/* search.c: finding messages by their words, in all versions.
 *
 * Appends do not touch the index: it follows in batches, when somebody searches. What a search finds
 * is decided by the text itself; the index only says where to look. */
#include "engine/engine.h"
#include "engine/read/reading.h"

#define LIMIT_DEFAULT 50
#define LIMIT_MOST    1000
#define SNIPPET       80

/* Keeping the search index. */

/* Of one transaction, since other writers wait for its end. */
#define BATCH       2000
#define BATCH_BYTES ((size_t)8 << 20)
/* So many messages are read as they are rather than waited for. */
#define FEW 500

typedef struct following {
    int64_t upto, last; /* the index knows of upto; last is the newest message there is */
    bool    wait;       /* for other writers */
} following;

/* On PostgreSQL a smaller id may become visible after a larger one, and would be passed over. */
static skein_rc settle_ids(skn_tx *tx, void *arg, skein_error *err)
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

/* Puts into the index what is not in it yet. */
static skein_rc catch_up(skein_engine *e, skein_error *err)
{
    following    g = {0};
    skn_snapshot s = {.store = e->store};
    skein_rc     rc;

    while (skn_snapshot_next(&s, err))
        if (!(s.rc = skn_words_upto(s.tx, SKN_WORDS_LOOK, &g.upto, err)))
            s.rc = skn_message_newest(s.tx, &g.last, err);
    if ((rc = s.rc) || g.upto >= g.last)
        return rc;
    g.wait = g.last - g.upto > FEW;
    if (skn_store_is_pg(e->store))
        rc = write_batch(e, settle_ids, &g, err);
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

typedef struct searching {
    const skein_search_request *what;
    skein_mem                  *mem;
    skein_hits                 *out;
    skn_terms                   terms; /* none: every message is looked at */
    int64_t                     limit, looks;
    skn_tx                     *tx;
    skn_arena                  *scratch; /* of one candidate */
    skn_map                    *filled;  /* conversation id -> skein_conversation */
} searching;

/* --- Which version holds it ------------------------------------------------------------------------- */

static skein_rc thread_holds(skn_trees *f, const skn_thread_row *row,
                             const skn_placements *places, bool *yes, skein_error *err)
{
    skn_thread t;
    int64_t    at;
    skein_rc   rc = skn_thread_open(f, row, &t, err);

    if (rc == SKEIN_OK)
        rc = skn_thread_position(f, &t, places, &at, err);
    *yes = rc == SKEIN_OK && at >= 0;
    return rc;
}

/* Of its own messages a conversation knows the lanes: those they were put into. */
static skein_rc own_lane_holds(skn_trees *f, int64_t version, const skn_placements *places,
                               bool *yes, skein_error *err)
{
    int64_t  last = 0;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && !*yes && i < places->count; i++) {
        skn_thread_row row;
        bool           found;
        int64_t        lane = places->at[i].lane_id;

        if (lane == last || places->at[i].conversation_id != f->conversation)
            continue;
        last = lane;
        if ((rc = skn_thread_of(f->tx, version, lane, f->a, &row, &found, err)) || !found)
            continue;
        rc = thread_holds(f, &row, places, yes, err);
    }
    return rc;
}

static skein_rc any_lane_holds(skn_trees *f, int64_t version, const skn_placements *places,
                               bool *yes, skein_error *err)
{
    skn_thread_rows rows;
    skein_rc        rc = skn_threads_of_version(f->tx, version, f->a, &rows, err);

    for (size_t i = 0; rc == SKEIN_OK && !*yes && i < rows.count; i++)
        rc = thread_holds(f, &rows.at[i], places, yes, err);
    return rc;
}

/* `born` is the conversation the message was said in; a branch holds it by reference. */
static skein_rc version_holds(searching *s, int64_t conversation, int64_t version,
                              int64_t message, int64_t born, bool *yes, skein_error *err)
{
    skn_trees      f;
    skn_placements places;
    skein_rc       rc;

    *yes = false;
    skn_trees_init(&f, s->tx, s->scratch, conversation);
    if ((rc = skn_item_placements(s->tx, message, s->scratch, &places, err)))
        return rc;
    return born == conversation ? own_lane_holds(&f, version, &places, yes, err)
                                : any_lane_holds(&f, version, &places, yes, err);
}

/* A branch got what it holds of others with its first version. */
static skein_rc branch_holds(searching *s, int64_t branch, const skn_search_row *c, bool *yes,
                             skein_error *err)
{
    skn_version_row first;
    bool            found;
    skein_rc        rc;

    *yes = false;
    rc = skn_version_by_number(s->tx, branch, 1, s->scratch, &first, &found, err);
    if (rc || !found)
        return rc;
    return version_holds(s, branch, first.id, c->id, c->conversation, yes, err);
}

/* --- Whose hit it is ------------------------------------------------------------------------------- */

/* The conversation to show a candidate in; 0 when there is none. A branch goes before what it was made
 * from, when that is archived. */
static skein_rc find_home(searching *s, const skn_search_row *c, int64_t *home,
                          skein_error *err)
{
    int64_t  asked = s->what->conversation.v;
    skn_ids  branches;
    bool     holds = false;
    skein_rc rc;

    *home = 0;
    if (asked && asked != c->conversation) {
        rc = branch_holds(s, asked, c, &holds, err);
        *home = holds ? asked : 0;
        return rc;
    }
    *home = c->conversation;
    if (asked || !c->hidden || s->what->archived == SKEIN_ARCHIVED_ONLY)
        return SKEIN_OK;
    if ((rc = skn_words_branches(s->tx, c->conversation, s->scratch, &branches, err)))
        return rc;
    for (size_t i = 0; !holds && i < branches.count; i++) {
        if ((rc = branch_holds(s, branches.at[i], c, &holds, err)))
            return rc;
        if (holds)
            *home = branches.at[i];
    }
    return SKEIN_OK;
}

static skein_rc fill_conversation(searching *s, const skn_conversation_row *row,
                                  skein_conversation *out, skein_error *err)
{
    void   **slot = skn_map_slot_int(s->filled, row->id);
    skein_rc rc;

    if (!*slot) {
        skein_conversation *c = SKN_NEW(s->mem, skein_conversation);

        if ((rc = skn_conversation_fill(s->tx, row, s->mem, c, err)))
            return rc;
        *slot = c;
    }
    *out = *(const skein_conversation *)*slot;
    return SKEIN_OK;
}

static skein_rc find_version(searching *s, const skn_conversation_row *row,
                             const skn_search_row *c, skein_hit *hit, skein_error *err)
{
    skein_rc rc = version_holds(s, row->id, row->version_id, c->id, c->conversation,
                                &hit->in_current, err);

    if (rc || hit->in_current || s->what->current_only)
        return rc;
    hit->version = 1;
    return row->id == c->conversation
               ? skn_words_said_in(s->tx, c->id, row->id, &hit->version, err)
               : SKEIN_OK;
}

/* --- Hits ------------------------------------------------------------------------------------------ */

/* The index offers, the text decides. */
static skein_rc text_fits(searching *s, int64_t id, bool *fits, skein_error *err)
{
    skn_texts texts;
    size_t    at;
    skein_rc  rc;

    *fits = true;
    if (s->terms.count == 0)
        return SKEIN_OK;
    rc = skn_words_texts(s->tx, id - 1, id, s->scratch, &texts, err);
    *fits = rc == SKEIN_OK && texts.count == 1 &&
            skn_words_match(texts.at[0].text, &s->terms, &at);
    return rc;
}

static skein_rc is_wanted(searching *s, int64_t id, bool *wanted, skein_error *err)
{
    skein_message m;
    skein_rc      rc = text_fits(s, id, wanted, err);

    if (rc || !*wanted || !s->what->wants)
        return rc;
    rc = skn_message_get(s->tx, id, s->scratch, &m, wanted, err);
    *wanted = rc == SKEIN_OK && *wanted && s->what->wants(&m, s->what->arg);
    return rc;
}

static skein_rc add_hit(searching *s, const skn_conversation_row *row, skein_hit *hit,
                        int64_t message, skein_error *err)
{
    size_t   at = 0;
    bool     found;
    skein_rc rc;

    if ((rc = skn_message_get(s->tx, message, s->mem, &hit->message, &found, err)) || !found ||
        (rc = fill_conversation(s, row, &hit->conversation, err)))
        return rc;
    if (hit->in_current)
        hit->version = hit->conversation.version;
    if (s->terms.count)
        skn_words_match(hit->message.content, &s->terms, &at);
    hit->snippet = skn_words_snippet(hit->message.content, at, SNIPPET, s->mem);
    s->out->at[s->out->count++] = *hit;
    return SKEIN_OK;
}

static bool is_readable(const searching *s, const skn_conversation_row *row)
{
    if (!row->removed_at)
        return s->what->archived != SKEIN_ARCHIVED_ONLY;
    return !row->agent_gone && s->what->archived != SKEIN_ARCHIVED_NOT;
}

static skein_rc try(searching *s, const skn_search_row *c, skein_error *err)
{
    skn_conversation_row row;
    skein_hit            hit = {0};
    int64_t              home;
    bool                 fits, found;
    skein_rc             rc;

    if ((rc = is_wanted(s, c->id, &fits, err)) || !fits || (rc = find_home(s, c, &home, err)) ||
        home == 0)
        return rc;
    rc = skn_conversation_row_get(s->tx, home, s->mem, &row, &found, err);
    if (rc || !found || !is_readable(s, &row) || (rc = find_version(s, &row, c, &hit, err)) ||
        (s->what->current_only && !hit.in_current))
        return rc;
    return add_hit(s, &row, &hit, c->id, err);
}

static bool is_enough(const searching *s)
{
    return (int64_t)s->out->count >= s->limit || (s->what->looks && s->looks >= s->what->looks);
}

/* Goes through the candidates of one source, newest first. Ids up to `upto` are in the index. */
static skein_rc go_through(searching *s, bool indexed, int64_t upto, skn_arena *page,
                           skein_error *err)
{
    skn_search_scope scope = {s->what->conversation.v, s->what->world.v};
    int64_t          below = s->what->below.v ? s->what->below.v : INT64_MAX;
    skn_search_rows  c = {0};
    skein_rc         rc = SKEIN_OK;

    if (indexed && below > upto)
        below = upto + 1;
    do {
        skn_arena_reset(page);
        rc = indexed ? skn_words_page(s->tx, &scope, &s->terms, below, page, &c, err)
                     : skn_words_scan(s->tx, &scope, upto, below, page, &c, err);
        for (size_t i = 0; rc == SKEIN_OK && i < c.count && !is_enough(s); i++) {
            rc = try(s, &c.at[i], err);
            s->looks++;
            s->out->below.v = below = c.at[i].id;
            skn_arena_reset(s->scratch);
        }
    } while (rc == SKEIN_OK && c.count > 0 && !is_enough(s));
    return rc;
}

static skein_rc check_scope(searching *s, skein_error *err)
{
    skn_conversation_row row;
    skein_world          world;
    skein_rc             rc;

    if (s->what->conversation.v &&
        (rc = skn_conversation_need(s->tx, s->what->conversation, s->scratch, &row, err)))
        return rc;
    return s->what->world.v ? skn_world_need(s->tx, s->what->world.v, s->scratch, &world, err)
                            : SKEIN_OK;
}

/* What the index does not know yet is read as it is: where the store cannot be written, or others
 * write while that is little. */
static skein_rc search(searching *s, skein_error *err)
{
    skn_arena *page = skn_arena_new();
    int64_t    upto = 0;
    skein_rc   rc;

    s->scratch = skn_arena_new();
    s->filled = skn_map_new(s->mem);
    s->looks = 0;
    *s->out = (skein_hits){.at = SKN_ARRAY(s->mem, (size_t)s->limit, skein_hit)};
    if ((rc = check_scope(s, err)) == SKEIN_OK && s->terms.count)
        rc = skn_words_upto(s->tx, SKN_WORDS_LOOK, &upto, err);
    if (rc == SKEIN_OK)
        rc = go_through(s, false, upto, page, err);
    if (rc == SKEIN_OK && s->terms.count && !is_enough(s))
        rc = go_through(s, true, upto, page, err);
    if (!is_enough(s)) /* all of them were looked at */
        s->out->below.v = 0;
    s->out->looked = s->looks;
    skn_arena_free(s->scratch);
    skn_arena_free(page);
    return rc;
}

/* May the search go on although the index could not be brought up to date? */
static bool can_do_without(skein_rc rc)
{
    return rc == SKEIN_READ_ONLY || rc == SKEIN_BUSY || rc == SKEIN_FULL;
}

skein_rc skein_search(skein_engine *e, const skein_search_request *what, skein_mem *mem,
                      skein_hits *out, skein_error *err)
{
    searching    s = {.what = what, .mem = mem, .out = out};
    skn_snapshot view = {.store = e->store};
    skein_rc     rc;

    *out = (skein_hits){0};
    s.limit = what->limit ? what->limit : LIMIT_DEFAULT;
    if (s.limit < 0 || s.limit > LIMIT_MOST)
        return skn_fail(err, SKEIN_LIMIT, "%lld hits were asked for; 1 to %d are possible",
                        (long long)what->limit, LIMIT_MOST);
    if (what->query.p && ((rc = skn_words_query(what->query, mem, &s.terms, err)) ||
                          ((rc = catch_up(e, err)) && !can_do_without(rc))))
        return rc;
    while (skn_snapshot_next(&view, err)) {
        s.tx = view.tx;
        view.rc = search(&s, err);
    }
    if (view.rc)
        *out = (skein_hits){0};
    return view.rc;
}
