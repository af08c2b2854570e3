/* explain.c: what surrounds messages: who has them in memory, what stands before them, who answers
 * them, where they come from, what they cost.
 *
 * All that is asked of the store is asked for the whole page at once. Messages are known by their
 * number in `ids`, which has no repeats. */
#include "engine/engine.h"
#include "engine/read/reading.h"
#include "engine/tree/holds.h"

#define PAGE_MAX ((size_t)100000)
#define NO_LANE  SIZE_MAX

/* A lane of the conversation in the version that is looked at. */
typedef struct page_lane {
    skn_lane_row   row;
    skn_thread_row thread_row; /* id 0: the version has no thread of it */
    skn_thread     thread;
    bool           opened;
} page_lane;

typedef struct page {
    skn_reading          main;
    skn_trees           *trees; /* of main */
    skn_arena           *a;
    const skein_message *at; /* the messages */
    skein_message_facts *facts;
    size_t               count;
    page_lane           *lanes; /* main, then delegations, then agents' memories */
    size_t               lane_count;
    skn_idset            ids;
    size_t              *number; /* of each message, in ids */
    skn_batch            batch;  /* of ids */
    size_t              *home;   /* of each id: the first lane that holds it, or NO_LANE */
    int64_t *previous, *shown;   /* of each message: ids whose names are still to be read */
    int64_t *replies;            /* of each message */
    bool    *heard; /* of each message: another agent than its author has it in memory */
} page;

/* The lanes of a version, and which of them the messages of a page are in. */

static int rank(const skn_lane_row *l)
{
    if (skn_str_eq(l->key, SKN_MAIN))
        return 0;
    return l->parent_id ? 1 : 2;
}

/* Fills in the lanes. */
static skein_rc find_lanes(page *x, skein_error *err)
{
    skn_lane_rows   rows;
    skn_thread_rows threads;
    skn_map        *of_lane = skn_map_new(x->a);
    skein_rc        rc;

    if ((rc = skn_lane_rows_of(x->trees->tx, x->main.conversation.id, x->a, &rows, err)) ||
        (rc = skn_threads_of_version(x->trees->tx, x->main.version.id, x->a, &threads, err)))
        return rc;
    for (size_t i = 0; i < threads.count; i++)
        *skn_map_slot_int(of_lane, threads.at[i].lane_id) = &threads.at[i];
    x->lanes = SKN_ARRAY(x->a, rows.count, page_lane);
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < rows.count; i++) {
            const skn_thread_row *t = skn_map_get_int(of_lane, rows.at[i].id);

            if (rank(&rows.at[i]) != pass)
                continue;
            x->lanes[x->lane_count].row = rows.at[i];
            if (t)
                x->lanes[x->lane_count].thread_row = *t;
            x->lane_count++;
        }
    return SKEIN_OK;
}

/* The lane's thread; empty when the version has none of it. */
static skein_rc open_thread(page *x, size_t lane, const skn_thread **out, skein_error *err)
{
    page_lane *l = &x->lanes[lane];

    *out = &l->thread;
    if (l->opened || l->thread_row.id == 0)
        return SKEIN_OK;
    l->opened = true;
    return skn_thread_open(x->trees, &l->thread_row, &l->thread, err);
}

/* A look at the replies of a lane. */
static skein_rc open_replies(page *x, size_t lane, skn_replies *out, skein_error *err)
{
    const skn_thread *t;
    skein_rc          rc = open_thread(x, lane, &t, err);

    if (rc == SKEIN_OK) {
        *out = skn_replies_of(&x->main);
        out->thread = *t;
    }
    return rc;
}

/* A place in another conversation may have come along into any lane of a branch. */
static void mark_lanes(const page *x, const bool *numbers, bool *marks)
{
    skn_map *at = skn_map_new(x->a);
    bool     all = false;

    for (size_t i = 0; i < x->lane_count; i++)
        *skn_map_slot_int(at, x->lanes[i].row.id) = &x->lanes[i];
    for (size_t n = 0; n < x->ids.v.n; n++)
        for (size_t k = 0; numbers[n] && k < x->batch.places[n].count; k++) {
            const skn_placement *p = &x->batch.places[n].at[k];
            const page_lane     *l = skn_map_get_int(at, p->lane_id);

            if (l)
                marks[l - x->lanes] = true;
            all = all || p->conversation_id != x->main.conversation.id;
        }
    for (size_t i = 0; all && i < x->lane_count; i++)
        marks[i] = true;
}

/* --- Where they stand ------------------------------------------------------------------------------ */

static bool any_homeless(const page *x, bool *homeless)
{
    bool any = false;

    for (size_t n = 0; n < x->ids.v.n; n++) {
        homeless[n] = x->home[n] == NO_LANE;
        any = any || homeless[n];
    }
    return any;
}

static skein_rc find_in_lane(page *x, size_t lane, skein_error *err)
{
    skn_bits         *bits = skn_batch_bits(&x->batch);
    const skn_thread *t;
    skein_rc          rc;

    if ((rc = open_thread(x, lane, &t, err)) || (rc = skn_batch_held(&x->batch, t, bits, err)))
        return rc;
    for (size_t n = 0; n < x->ids.v.n; n++)
        if (x->home[n] == NO_LANE && skn_bit(bits, n))
            x->home[n] = lane;
    return SKEIN_OK;
}

/* Finds the home of each message. */
static skein_rc find_homes(page *x, skein_error *err)
{
    bool    *homeless = SKN_ARRAY(x->a, x->ids.v.n, bool);
    bool    *marks = SKN_ARRAY(x->a, x->lane_count, bool);
    skein_rc rc = SKEIN_OK;

    x->home = SKN_ARRAY(x->a, x->ids.v.n, size_t);
    for (size_t n = 0; n < x->ids.v.n; n++)
        x->home[n] = NO_LANE;
    if (x->lane_count > 0)
        rc = find_in_lane(x, 0, err);
    if (rc || !any_homeless(x, homeless))
        return rc;
    mark_lanes(x, homeless, marks);
    for (size_t i = 1; rc == SKEIN_OK && i < x->lane_count; i++)
        if (marks[i] && x->lanes[i].thread_row.id)
            rc = find_in_lane(x, i, err);
    return rc;
}

/* How many answer a message, and whom it answers, in one lane of a version.
 *
 * The rule is that of reply.h, where a reply to any text of a message counts for the text that the
 * lane holds. Here it is applied to a page at once; what squashes have to do with is rare, and left
 * to reply.c. */

typedef skn_vec(int64_t) id_vec;

/* Every text a message ever had, in order of making. */
typedef struct texts {
    id_vec  ids;
    bool    squashed; /* one of them stands for others */
    int64_t held;     /* the latest that the lane holds; 0: none */
} texts;

typedef struct linking {
    page     *x;
    size_t    lane;
    size_t   *mine; /* the messages at home here */
    size_t    count;
    skn_map  *texts;   /* id of any text -> texts */
    skn_map  *replies; /* id -> id_vec of those that reply to it */
    skn_idset ids;     /* all of these */
    skn_bits *held;    /* those of ids that the lane holds */
} linking;

static const skein_message *message_at(const linking *l, size_t i)
{
    return &l->x->at[l->mine[i]];
}

static bool is_held(const linking *l, int64_t id)
{
    size_t n = skn_idset_find(&l->ids, id);

    return n != SIZE_MAX && skn_bit(l->held, n);
}

/* --- Loading --------------------------------------------------------------------------------------- */

static void find_mine(linking *l)
{
    const page *x = l->x;

    l->mine = SKN_ARRAY(x->a, x->count, size_t);
    for (size_t i = 0; i < x->count; i++) {
        size_t home = x->home[x->number[i]];

        if (home == l->lane || (home == NO_LANE && l->lane == 0))
            l->mine[l->count++] = i;
    }
}

static void add_text(linking *l, texts *t, int64_t id)
{
    *skn_map_slot_int(l->texts, id) = t;
    skn_vec_add(l->x->a, &t->ids, id);
    skn_idset_add(&l->ids, id);
}

/* The lineages of the messages and of what they claim to answer. */
static skein_rc find_lineages(linking *l, skn_idset *out, skein_error *err)
{
    skn_idset claimed;
    skn_ids   ids;
    skn_heads parents = {0};
    skein_rc  rc;

    skn_idset_init(&claimed, l->x->a);
    skn_idset_init(out, l->x->a);
    for (size_t i = 0; i < l->count; i++) {
        skn_idset_add(out, message_at(l, i)->lineage.v);
        skn_idset_add(&claimed, message_at(l, i)->reply_to_id.v);
    }
    ids = skn_idset_ids(&claimed);
    if (ids.count > 0 && (rc = skn_heads_of(l->x->trees->tx, &ids, l->x->a, &parents, err)))
        return rc;
    for (size_t i = 0; i < parents.count; i++)
        skn_idset_add(out, parents.at[i].lineage);
    return SKEIN_OK;
}

/* A lineage is named by its first text. */
static skein_rc load_texts(linking *l, skein_error *err)
{
    skn_idset lineages;
    skn_ids   ids;
    skn_edges edits;
    skein_rc  rc;

    if ((rc = find_lineages(l, &lineages, err)))
        return rc;
    ids = skn_idset_ids(&lineages);
    for (size_t i = 0; i < ids.count; i++)
        add_text(l, SKN_NEW(l->x->a, texts), ids.at[i]);
    if ((rc = skn_edges_of(l->x->trees->tx, SKN_EDGE_AMEND, &ids, l->x->a, &edits, err)))
        return rc;
    for (size_t i = 0; i < edits.count; i++)
        add_text(l, skn_map_get_int(l->texts, edits.at[i].from), edits.at[i].to);
    return SKEIN_OK;
}

static skn_ids texts_of_mine(const linking *l)
{
    skn_idset s;

    skn_idset_init(&s, l->x->a);
    for (size_t i = 0; i < l->count; i++) {
        const texts *t = skn_map_get_int(l->texts, message_at(l, i)->lineage.v);

        for (size_t k = 0; k < t->ids.n; k++)
            skn_idset_add(&s, t->ids.p[k]);
    }
    return skn_idset_ids(&s);
}

static skein_rc load_replies(linking *l, skein_error *err)
{
    skn_arena *a = l->x->a;
    skn_ids    ids = texts_of_mine(l);
    skn_edges  sources, replies;
    skein_rc   rc;

    if ((rc = skn_edges_of(l->x->trees->tx, SKN_EDGE_SOURCE, &ids, a, &sources, err)) ||
        (rc = skn_edges_of(l->x->trees->tx, SKN_EDGE_REPLY, &ids, a, &replies, err)))
        return rc;
    for (size_t i = 0; i < sources.count; i++) {
        texts *t = skn_map_get_int(l->texts, sources.at[i].from);

        t->squashed = true;
    }
    for (size_t i = 0; i < replies.count; i++) {
        void **slot = skn_map_slot_int(l->replies, replies.at[i].from);

        if (!*slot)
            *slot = SKN_NEW(a, id_vec);
        skn_vec_add(a, (id_vec *)*slot, replies.at[i].to);
        skn_idset_add(&l->ids, replies.at[i].to);
    }
    return SKEIN_OK;
}

static skein_rc load_held(linking *l, skein_error *err)
{
    skn_batch         batch;
    const skn_thread *t;
    skn_ids           ids = skn_idset_ids(&l->ids);
    skein_rc          rc;

    if ((rc = open_thread(l->x, l->lane, &t, err)) ||
        (rc = skn_batch_open(&batch, l->x->trees, ids, err)))
        return rc;
    l->held = skn_batch_bits(&batch);
    if ((rc = skn_batch_held(&batch, t, l->held, err)))
        return rc;
    for (size_t i = 0; i < ids.count; i++) {
        texts *of = skn_map_get_int(l->texts, ids.at[i]);

        if (of && skn_bit(l->held, i) && ids.at[i] > of->held)
            of->held = ids.at[i];
    }
    return SKEIN_OK;
}

/* --- Answers ----------------------------------------------------------------------------------------- */

/* A version holds one text of a message at most, so a reply to any of them is one to that. */
static int64_t count_replies(const linking *l, const skein_message *m, const texts *t)
{
    int64_t n = 0;

    for (size_t i = 0; i < t->ids.n; i++) {
        const id_vec *v = skn_map_get_int(l->replies, t->ids.p[i]);

        for (size_t k = 0; v && k < v->n; k++)
            n += v->p[k] != m->id.v && is_held(l, v->p[k]);
    }
    return n;
}

/* Was a reply squashed away? What it became may answer in its place. */
static skein_rc lost_replies(const linking *l, const texts *t, bool *out, skein_error *err)
{
    skn_ids  results = {0};
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; i < t->ids.n && !rc && !results.count; i++) {
        const id_vec *v = skn_map_get_int(l->replies, t->ids.p[i]);

        for (size_t k = 0; v && k < v->n && !rc && !results.count; k++)
            if (!is_held(l, v->p[k]))
                rc = skn_squash_results_of(l->x->trees->tx, v->p[k], l->x->a, &results, err);
    }
    *out = results.count > 0;
    return rc;
}

static skein_rc find_replies(linking *l, skn_replies *links, size_t i, skein_error *err)
{
    const skein_message *m = message_at(l, i);
    const texts         *t = skn_map_get_int(l->texts, m->lineage.v);
    bool                 held = is_held(l, m->id.v), squashed = t->squashed;
    skn_ids              ids;
    skein_rc             rc;

    if (held && !squashed && (rc = lost_replies(l, t, &squashed, err)))
        return rc;
    if (!squashed || !held) {
        l->x->replies[l->mine[i]] = count_replies(l, m, t);
        return SKEIN_OK;
    }
    rc = skn_reply_ids(links, m->id.v, &ids, NULL, err);
    l->x->replies[l->mine[i]] = (int64_t)ids.count;
    return rc;
}

static skein_rc find_parent(linking *l, skn_replies *links, size_t i, skein_error *err)
{
    const skein_message *m = message_at(l, i);
    const texts         *t = skn_map_get_int(l->texts, m->reply_to_id.v);
    int64_t             *shown = &l->x->shown[l->mine[i]], at;

    if (!t) {
        *shown = 0;
        return SKEIN_OK;
    }
    *shown = is_held(l, m->reply_to_id.v) ? m->reply_to_id.v : t->held;
    if (*shown)
        return SKEIN_OK;
    if (is_held(l, m->id.v))
        return skn_reply_parent(links, m->id.v, shown, err);
    return skn_reply_target(links, m->reply_to_id.v, shown, &at, err);
}

/* Replies, and shown parents, of the messages that are at home in a lane; those
 * that are nowhere belong to main. */
static skein_rc find_links_in(page *x, size_t lane, skein_error *err)
{
    linking     l = {.x = x, .lane = lane};
    skn_replies links;
    skein_rc    rc;

    l.texts = skn_map_new(x->a);
    l.replies = skn_map_new(x->a);
    skn_idset_init(&l.ids, x->a);
    find_mine(&l);
    if ((rc = load_texts(&l, err)) || (rc = load_replies(&l, err)) ||
        (rc = load_held(&l, err)) || (rc = open_replies(x, lane, &links, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < l.count; i++)
        if ((rc = find_replies(&l, &links, i, err)) == SKEIN_OK)
            rc = find_parent(&l, &links, i, err);
    return rc;
}

/* Which versions hold a message, newest first. Versions share most of their
 * nodes, and each node is looked at once for the whole page (holds.h). */

#define VERSIONS_MAX  ((size_t)64)
#define VERSIONS_READ 256 /* rows at a time */

typedef struct looking {
    page                 *x;
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
    page      *x = l->x;
    skn_thread t;
    skein_rc   rc;

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
    page           *x = l->x;
    int64_t         below = INT64_MAX;
    skn_thread_rows rows;
    skein_rc        rc;

    do {
        rc = skn_threads_of_lane(x->trees->tx, x->main.conversation.id, x->lanes[lane].row.id,
                                 below, VERSIONS_READ, x->a, &rows, err);
        for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++) {
            below = rows.at[i].version_number;
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
    page    *x = l->x;
    bool    *lanes = SKN_ARRAY(x->a, x->lane_count, bool);
    skein_rc rc = SKEIN_OK;

    any_left(l);
    mark_lanes(x, l->wanted, lanes);
    for (size_t i = 0; rc == SKEIN_OK && i < x->lane_count; i++)
        if (lanes[i] && any_left(l))
            rc = look_in_lane(l, i, err);
    return rc;
}

/* The versions that hold each message. */
static skein_rc find_versions(page *x, skein_error *err)
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

/* --- Where they stand ------------------------------------------------------------------------------ */

/* Adds an agent's name to what it has in memory; there are at most `most` such agents. The memory of
 * one that was removed still counts as somebody's, but nobody has it. */
static skein_rc add_listener(page *x, size_t lane, size_t most, skein_error *err)
{
    const skn_lane_row *agent = &x->lanes[lane].row;
    skn_bits           *bits = skn_batch_bits(&x->batch);
    const skn_thread   *t;
    skein_rc            rc;

    if ((rc = open_thread(x, lane, &t, err)) || (rc = skn_batch_held(&x->batch, t, bits, err)))
        return rc;
    for (size_t i = 0; i < x->count; i++) {
        skein_message_facts *f = &x->facts[i];

        if (!skn_bit(bits, x->number[i]))
            continue;
        x->heard[i] = x->heard[i] || x->at[i].author_agent.v != agent->agent_id;
        if (agent->agent_gone)
            continue;
        if (!f->seen_by)
            f->seen_by = SKN_ARRAY(x->a, most, skn_str);
        f->seen_by[f->seen_by_count++] = agent->agent_name;
    }
    return SKEIN_OK;
}

static bool listens(const page_lane *l)
{
    return l->row.agent_id && !l->row.parent_id && l->thread_row.id;
}

static skein_rc find_listeners(page *x, skein_error *err)
{
    size_t   most = 0;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; i < x->lane_count; i++)
        most += listens(&x->lanes[i]);
    for (size_t i = 0; rc == SKEIN_OK && i < x->lane_count; i++)
        if (listens(&x->lanes[i]))
            rc = add_listener(x, i, most, err);
    return rc;
}

/* What was said while a summary was written lies between it and the last message that it stands
 * for. A summary that is not in use any more stands for nothing: then *out stays. */
static skein_rc last_covered(const page *x, const skn_thread *t, int64_t summary, int64_t *out,
                             skein_error *err)
{
    skn_compaction_row row;
    int64_t            id = t->row.compaction_id;
    bool               found = true;

    while (id && found) {
        skein_rc rc = skn_compaction_get(x->trees->tx, id, &row, &found, err);

        if (rc)
            return rc;
        if (found && row.summary_message_id == summary) {
            *out = row.last_message_id;
            return SKEIN_OK;
        }
        id = found && row.previous_id < id ? row.previous_id : 0;
    }
    return SKEIN_OK;
}

/* The one before is mostly the one before on the page. */
static skein_rc find_previous(page *x, skein_error *err)
{
    int64_t  last_at = -1, last_id = 0;
    size_t   last_lane = NO_LANE;
    skein_rc rc;

    for (size_t i = 0; i < x->count; i++) {
        size_t            n = x->number[i], lane = x->home[n];
        const skn_thread *t;
        skn_item          item;
        int64_t           at;

        if (lane == NO_LANE)
            continue;
        if ((rc = open_thread(x, lane, &t, err)) ||
            (rc = skn_thread_position(x->trees, t, &x->batch.places[n], &at, err)))
            return rc;
        if (at > 0 && lane == last_lane && at - 1 == last_at)
            x->previous[i] = last_id;
        else if (at > 0 && (rc = skn_thread_item(x->trees, t, at - 1, &item, err)))
            return rc;
        else if (at > 0)
            x->previous[i] = item.message_id;
        if (x->at[i].role == SKEIN_SUMMARY &&
            (rc = last_covered(x, t, x->at[i].id.v, &x->previous[i], err)))
            return rc;
        last_at = at;
        last_id = x->at[i].id.v;
        last_lane = lane;
    }
    return SKEIN_OK;
}

/* --- What they are ----------------------------------------------------------------------------------- */

/* Messages that an agent's view shows as a user's, without their links, as they were said. */
static skein_rc find_masked(page *x, const skein_message **masked, skein_error *err)
{
    skn_idset      of;
    skn_ids        ids;
    skein_messages said;
    skein_rc       rc;

    skn_idset_init(&of, x->a);
    for (size_t i = 0; i < x->count; i++)
        if (x->at[i].role == SKEIN_USER && x->at[i].author == SKEIN_BY_AGENT)
            skn_idset_add(&of, x->at[i].id.v);
    ids = skn_idset_ids(&of);
    if ((rc = skn_message_many(x->trees->tx, &ids, x->a, &said, err)))
        return rc;
    for (size_t i = 0; i < said.count; i++)
        masked[skn_idset_find(&x->ids, said.at[i].id.v)] = &said.at[i];
    return SKEIN_OK;
}

/* Most of the rule is known by now; only whom a reply mentions must be looked up. */
static skein_rc find_asides(page *x, skein_error *err)
{
    const skein_message **masked = SKN_ARRAY(x->a, x->ids.v.n, const skein_message *);
    skn_replies           links;
    skein_rc              rc;

    if (x->lane_count == 0)
        return SKEIN_OK;
    if ((rc = open_replies(x, 0, &links, err)) || (rc = find_masked(x, masked, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < x->count; i++) {
        size_t               n = x->number[i];
        const skein_message *m = masked[n] ? masked[n] : &x->at[i];
        bool                *out = &x->facts[i].memory_only;

        if (x->home[n] == NO_LANE)
            continue;
        *out = skn_memory_only_rule(m, x->replies[i], x->heard[i], true);
        if (*out && m->reply_to_id.v)
            rc = skn_memory_only(&links, m, x->replies[i], out, err);
    }
    return rc;
}

static skein_rc find_originals(page *x, skein_error *err)
{
    skn_squash_row squash;
    skn_ids        ids;
    bool           found;
    skein_rc       rc;

    for (size_t i = 0; i < x->count; i++) {
        skein_message_facts *f = &x->facts[i];

        if (x->at[i].version_of.v || !x->at[i].squash_uid.p)
            continue; /* an edit has one original, which is named with the others */
        rc = skn_squash_by_uid(x->trees->tx, x->at[i].squash_uid, x->a, &squash, &found, err);
        if (rc == SKEIN_OK && found)
            rc = skn_squash_sources(x->trees->tx, squash.id, x->a, &ids, &f->original_ids, err);
        if (rc)
            return rc;
        f->original_count = found ? ids.count : 0;
    }
    return SKEIN_OK;
}

/* A squash that a model wrote may be a user's message. */
static bool by_model(const skein_message *m)
{
    return m->model.n &&
           (m->role == SKEIN_ASSISTANT || m->role == SKEIN_SUMMARY || m->squash_uid.p);
}

static skein_rc find_usage(page *x, skein_error *err)
{
    skn_idset    asked;
    skn_ids      ids;
    skein_usage *usage;
    skein_rc     rc;

    skn_idset_init(&asked, x->a);
    for (size_t i = 0; i < x->count; i++)
        if (by_model(&x->at[i]))
            skn_idset_add(&asked, x->at[i].id.v);
    ids = skn_idset_ids(&asked);
    if (ids.count == 0)
        return SKEIN_OK;
    usage = SKN_ARRAY(x->a, ids.count, skein_usage);
    rc = skn_call_usage(x->trees->tx, x->main.conversation.world_id, &ids, x->a, usage, err);
    for (size_t i = 0; rc == SKEIN_OK && i < x->count; i++)
        if (by_model(&x->at[i]))
            x->facts[i].usage = usage[skn_idset_find(&asked, x->at[i].id.v)];
    return rc;
}

/* --- Names ------------------------------------------------------------------------------------------- */

static skn_str name_of(const skn_map *names, int64_t id)
{
    const skn_head *h = id ? skn_map_get_int(names, id) : NULL;

    return h ? h->uid : SKN_NONE;
}

static void fill_names(page *x, const skn_map *names)
{
    for (size_t i = 0; i < x->count; i++) {
        skein_message_facts *f = &x->facts[i];
        skn_str              original = name_of(names, x->at[i].version_of.v);

        f->previous_uid = name_of(names, x->previous[i]);
        f->shown_reply = name_of(names, x->shown[i]);
        f->reply_count = x->replies[i];
        if (!original.p)
            continue;
        f->original_ids = SKN_NEW(x->a, skn_str);
        f->original_ids[0] = original;
        f->original_count = 1;
    }
}

static skein_rc find_names(page *x, skein_error *err)
{
    skn_map  *names = skn_map_new(x->a);
    skn_idset wanted;
    skn_ids   ids;
    skn_heads heads = {0};
    skein_rc  rc;

    skn_idset_init(&wanted, x->a);
    for (size_t i = 0; i < x->count; i++) {
        skn_idset_add(&wanted, x->previous[i]);
        skn_idset_add(&wanted, x->shown[i]);
        skn_idset_add(&wanted, x->at[i].version_of.v);
    }
    ids = skn_idset_ids(&wanted);
    if (ids.count > 0 && (rc = skn_heads_of(x->trees->tx, &ids, x->a, &heads, err)))
        return rc;
    for (size_t i = 0; i < heads.count; i++)
        *skn_map_slot_int(names, heads.at[i].id) = &heads.at[i];
    fill_names(x, names);
    return SKEIN_OK;
}

/* --- All of it --------------------------------------------------------------------------------------- */

static skein_rc open_page(page *x, skn_tx *tx, const skein_slice *main,
                          const skein_messages *messages, skein_mem *mem,
                          skein_message_facts *facts, skein_error *err)
{
    skein_rc rc;

    *x = (page){.a = mem, .at = messages->at, .facts = facts};
    x->count = messages->count;
    if ((rc = skn_reading_open(&x->main, tx, main, mem, err)))
        return rc;
    x->trees = &x->main.trees;
    x->number = SKN_ARRAY(x->a, x->count, size_t);
    x->previous = SKN_ARRAY(x->a, x->count, int64_t);
    x->shown = SKN_ARRAY(x->a, x->count, int64_t);
    x->replies = SKN_ARRAY(x->a, x->count, int64_t);
    x->heard = SKN_ARRAY(x->a, x->count, bool);
    skn_idset_init(&x->ids, x->a);
    for (size_t i = 0; i < x->count; i++) {
        x->facts[i] = (skein_message_facts){0};
        x->number[i] = skn_idset_add(&x->ids, x->at[i].id.v);
    }
    return skn_batch_open(&x->batch, x->trees, skn_idset_ids(&x->ids), err);
}

static skein_rc find_links(page *x, skein_error *err)
{
    bool    *lived_in = SKN_ARRAY(x->a, x->lane_count, bool);
    skein_rc rc = SKEIN_OK;

    for (size_t n = 0; n < x->ids.v.n; n++)
        if (x->lane_count > 0)
            lived_in[x->home[n] == NO_LANE ? 0 : x->home[n]] = true;
    for (size_t i = 0; rc == SKEIN_OK && i < x->lane_count; i++)
        if (lived_in[i])
            rc = find_links_in(x, i, err);
    return rc;
}

static skein_rc explain(page *x, skein_error *err)
{
    skein_rc rc;

    if ((rc = find_lanes(x, err)) || (rc = find_homes(x, err)) ||
        (rc = find_listeners(x, err)) || (rc = find_previous(x, err)) ||
        (rc = find_links(x, err)) || (rc = find_asides(x, err)) ||
        (rc = find_originals(x, err)) || (rc = find_usage(x, err)) ||
        (rc = find_versions(x, err)) ||
        (rc = skn_alternatives_find(&x->main, x->at, x->count, x->facts, err)))
        return rc;
    return find_names(x, err);
}

skein_rc skein_message_explain(skein_engine *e, skein_conversation_id conversation,
                               int64_t version, const skein_messages *messages, skein_mem *mem,
                               skein_message_facts *facts, skein_error *err)
{
    const skein_slice main = {.conversation = conversation, .version = version};
    skn_snapshot      s = {.store = e->store};

    if (messages->count > PAGE_MAX)
        return skn_fail(err, SKEIN_LIMIT, "%zu messages at once; at most %zu can be explained",
                        messages->count, PAGE_MAX);
    for (size_t i = 0; i < messages->count; i++)
        if (messages->at[i].id.v <= 0)
            return skn_fail(err, SKEIN_INVALID, "message %zu of the list has no id", i);
    while (skn_snapshot_next(&s, err)) {
        page x;

        if (!(s.rc = open_page(&x, s.tx, &main, messages, mem, facts, err)) && x.count)
            s.rc = explain(&x, err);
    }
    return s.rc;
}

int64_t skn_home_version(const skein_message_facts *f, int64_t current)
{
    for (size_t i = 0; i < f->version_count; i++)
        if (f->versions[i] == current)
            return current;
    return f->version_count ? f->versions[0] : current;
}
