/* explain.c: what surrounds messages: who has them in memory, what stands before them, who answers
 * them, where they come from, what they cost. */
#include "engine/explain.h"

#include "engine/answered.h"

#define PAGE_MAX ((size_t)100000)

typedef struct call {
    skein_conversation_id conversation;
    int64_t               version;
    const skein_messages *messages;
    skein_mem            *mem;
    skein_message_facts  *facts;
} call;

/* --- Where they stand ------------------------------------------------------------------------------ */

/* Adds an agent's name to what it has in memory; there are at most `most` such agents. The memory of
 * one that was removed still counts as somebody's, but nobody has it. */
static skein_rc add_listener(skn_explain *x, size_t lane, size_t most, skein_error *err)
{
    const skn_lane_row *agent = &x->lanes[lane].row;
    skn_bits           *bits = skn_batch_bits(&x->batch);
    const skn_thread   *t;
    skein_rc            rc;

    if ((rc = skn_explain_thread(x, lane, &t, err)) ||
        (rc = skn_batch_held(&x->batch, t, bits, err)))
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

static bool listens(const skn_explain_lane *l)
{
    return l->row.agent_id && !l->row.parent_id && l->thread_row.id;
}

static skein_rc find_listeners(skn_explain *x, skein_error *err)
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
static skein_rc last_covered(const skn_explain *x, const skn_thread *t, int64_t summary,
                             int64_t *out, skein_error *err)
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
static skein_rc find_previous(skn_explain *x, skein_error *err)
{
    int64_t  last_at = -1, last_id = 0;
    size_t   last_lane = SKN_NO_LANE;
    skein_rc rc;

    for (size_t i = 0; i < x->count; i++) {
        size_t            n = x->number[i], lane = x->home[n];
        const skn_thread *t;
        skn_item          item;
        int64_t           at;

        if (lane == SKN_NO_LANE)
            continue;
        if ((rc = skn_explain_thread(x, lane, &t, err)) ||
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
static skein_rc find_masked(skn_explain *x, const skein_message **masked, skein_error *err)
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
static skein_rc find_asides(skn_explain *x, skein_error *err)
{
    const skein_message **masked = SKN_ARRAY(x->a, x->ids.v.n, const skein_message *);
    skn_replies           links;
    skein_rc              rc;

    if (x->lane_count == 0)
        return SKEIN_OK;
    if ((rc = skn_explain_replies(x, 0, &links, err)) || (rc = find_masked(x, masked, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < x->count; i++) {
        size_t               n = x->number[i];
        const skein_message *m = masked[n] ? masked[n] : &x->at[i];
        bool                *out = &x->facts[i].memory_only;

        if (x->home[n] == SKN_NO_LANE)
            continue;
        *out = skn_memory_only_rule(m, x->replies[i], x->heard[i], true);
        if (*out && m->reply_to_id.v)
            rc = skn_memory_only(&links, m, x->replies[i], out, err);
    }
    return rc;
}

static skein_rc find_originals(skn_explain *x, skein_error *err)
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

static skein_rc find_usage(skn_explain *x, skein_error *err)
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

static void fill_names(skn_explain *x, const skn_map *names)
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

static skein_rc find_names(skn_explain *x, skein_error *err)
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

static skein_rc open_page(skn_explain *x, skn_tx *tx, const call *c, skein_error *err)
{
    skein_slice main = {.conversation = c->conversation, .version = c->version};
    skein_rc    rc;

    *x = (skn_explain){.a = c->mem, .at = c->messages->at, .facts = c->facts};
    x->count = c->messages->count;
    if ((rc = skn_reading_open(&x->main, tx, &main, c->mem, err)))
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

static skein_rc find_links(skn_explain *x, skein_error *err)
{
    bool    *lived_in = SKN_ARRAY(x->a, x->lane_count, bool);
    skein_rc rc = SKEIN_OK;

    for (size_t n = 0; n < x->ids.v.n; n++)
        if (x->lane_count > 0)
            lived_in[x->home[n] == SKN_NO_LANE ? 0 : x->home[n]] = true;
    for (size_t i = 0; rc == SKEIN_OK && i < x->lane_count; i++)
        if (lived_in[i])
            rc = skn_explain_links(x, i, err);
    return rc;
}

static skein_rc explain(skn_tx *tx, void *arg, skein_error *err)
{
    skn_explain x;
    skein_rc    rc;

    if ((rc = open_page(&x, tx, arg, err)) || x.count == 0 ||
        (rc = skn_explain_lanes(&x, err)) || (rc = skn_explain_homes(&x, err)) ||
        (rc = find_listeners(&x, err)) || (rc = find_previous(&x, err)) ||
        (rc = find_links(&x, err)) || (rc = find_asides(&x, err)) ||
        (rc = find_originals(&x, err)) || (rc = find_usage(&x, err)) ||
        (rc = skn_explain_versions(&x, err)))
        return rc;
    return find_names(&x, err);
}

skein_rc skein_message_explain(skein_engine *e, skein_conversation_id conversation,
                               int64_t version, const skein_messages *messages, skein_mem *mem,
                               skein_message_facts *facts, skein_error *err)
{
    call c = {conversation, version, messages, mem, facts};

    if (messages->count > PAGE_MAX)
        return skn_fail(err, SKEIN_LIMIT, "%zu messages at once; at most %zu can be explained",
                        messages->count, PAGE_MAX);
    for (size_t i = 0; i < messages->count; i++)
        if (messages->at[i].id.v <= 0)
            return skn_fail(err, SKEIN_INVALID, "message %zu of the list has no id", i);
    return skn_store_read(e->store, explain, &c, err);
}
