/* alternatives.c: other answers of the same agent to the same message. An answer that was asked for again is in an older
 * version; answers that stand in the same version are no alternatives of each other. */
#include "engine/engine.h"
#include "engine/read/reading.h"
#include "engine/tree/holds.h"

#define TURNS_MOST 1000 /* answers of one agent to one message that are looked at */

/* An answer: what an agent said in one turn. */
typedef struct answer {
    const skn_response *last,
        *held; /* its last message, and the last one that the version holds */
} answer;

/* The answers of one agent to one message. */
typedef struct group {
    int64_t to, agent;
    skn_vec(answer *) answers; /* in order */
} group;

typedef struct looking {
    skn_reading  *r;
    skn_arena    *a;
    skn_responses rows;
    skn_map      *of_turn; /* the uid of a turn -> its answer */
    skn_map      *groups;  /* the same -> its group */
    skn_vec(group *) list;
} looking;

static bool is_answer(const skein_message *m)
{
    return m->role == SKEIN_ASSISTANT && m->author == SKEIN_BY_AGENT && m->reply_to_id.v &&
           m->turn_uid.n;
}

static void add_row(looking *l, const skn_response *row)
{
    group  *g = l->list.n ? l->list.p[l->list.n - 1] : NULL;
    void  **slot = skn_map_slot(l->of_turn, row->turn_uid);
    answer *one = *slot;

    if (!g || g->to != row->to || g->agent != row->agent) {
        g = SKN_NEW(l->a, group);
        g->to = row->to;
        g->agent = row->agent;
        skn_vec_add(l->a, &l->list, g);
    }
    if (!one && g->answers.n < TURNS_MOST) {
        *slot = one = SKN_NEW(l->a, answer);
        *skn_map_slot(l->groups, row->turn_uid) = g;
        skn_vec_add(l->a, &g->answers, one);
    }
    if (one)
        one->last = row;
}

/* Which of the answers to the same message the version holds. */
static skein_rc find_held(looking *l, skein_error *err)
{
    skn_idset set;
    skn_batch batch;
    skn_bits *bits;
    skein_rc  rc;

    skn_idset_init(&set, l->a);
    for (size_t i = 0; i < l->rows.count; i++) {
        const group *g = skn_map_get(l->groups, l->rows.at[i].turn_uid);

        if (g && g->answers.n > 1)
            skn_idset_add(&set, l->rows.at[i].id);
    }
    if (!set.v.n)
        return SKEIN_OK;
    if ((rc = skn_batch_open(&batch, &l->r->trees, skn_idset_ids(&set), err)))
        return rc;
    bits = skn_batch_bits(&batch);
    if ((rc = skn_batch_held(&batch, &l->r->thread, bits, err)))
        return rc;
    for (size_t i = 0; i < l->rows.count; i++) {
        size_t  n = skn_idset_find(&set, l->rows.at[i].id);
        answer *one = skn_map_get(l->of_turn, l->rows.at[i].turn_uid);

        if (n != SIZE_MAX && skn_bit(bits, n))
            one->held = &l->rows.at[i];
    }
    return SKEIN_OK;
}

/* An answer is named by its last message. What was said in a branch is in no version of this conversation. */
static void fill(looking *l, const skein_message *m, skein_message_facts *f)
{
    const answer *own = skn_map_get(l->of_turn, m->turn_uid);
    const group  *g = skn_map_get(l->groups, m->turn_uid);
    size_t        n = 0;

    if (!g || g->to != m->reply_to_id.v || g->answers.n < 2 ||
        (own->held ? own->held : own->last)->id != m->id.v)
        return;
    f->alternatives = SKN_ARRAY(l->a, g->answers.n, skn_str);
    for (size_t i = 0; i < g->answers.n; i++) {
        const answer *one = g->answers.p[i];

        if (one == own)
            f->alternatives[n++] = m->uid;
        else if (one->held ? !own->held : one->last->conversation_id == l->r->conversation.id)
            f->alternatives[n++] = (one->held ? one->held : one->last)->uid;
    }
    f->alternative_count = n > 1 ? n : 0;
}

skein_rc skn_alternatives_find(skn_reading *r, const skein_message *at, size_t count,
                               skein_message_facts *facts, skein_error *err)
{
    looking   l = {.r = r, .a = r->trees.a};
    skn_idset asked;
    skn_ids   ids;
    skein_rc  rc;

    skn_idset_init(&asked, l.a);
    for (size_t i = 0; i < count; i++)
        if (is_answer(&at[i]))
            skn_idset_add(&asked, at[i].reply_to_id.v);
    ids = skn_idset_ids(&asked);
    if (!ids.count || (rc = skn_answers_of(r->trees.tx, &ids, l.a, &l.rows, err)))
        return ids.count ? rc : SKEIN_OK;
    l.of_turn = skn_map_new(l.a);
    l.groups = skn_map_new(l.a);
    for (size_t i = 0; i < l.rows.count; i++)
        add_row(&l, &l.rows.at[i]);
    if ((rc = find_held(&l, err)))
        return rc;
    for (size_t i = 0; i < count; i++)
        if (is_answer(&at[i]))
            fill(&l, &at[i], &facts[i]);
    return SKEIN_OK;
}

skein_rc skein_alternatives(skein_engine *e, skein_conversation_id conversation,
                            int64_t version, skein_message_id of, skein_mem *mem,
                            skein_messages *out, skein_error *err)
{
    skein_message_facts facts = {0};
    skein_message       m;
    bool                found;
    skn_snapshot        s = {.store = e->store};

    *out = (skein_messages){0};
    while (skn_snapshot_next(&s, err)) {
        const skein_slice main = {.conversation = conversation, .version = version};
        skn_reading       r;

        facts = (skein_message_facts){0};
        if ((s.rc = skn_reading_open(&r, s.tx, &main, mem, err)) ||
            (s.rc = skn_message_get(s.tx, of.v, mem, &m, &found, err)) || !found ||
            (s.rc = skn_alternatives_find(&r, &m, 1, &facts, err)))
            continue;
        *out = (skein_messages){SKN_ARRAY(mem, facts.alternative_count, skein_message), 0};
        for (size_t i = 0; s.rc == SKEIN_OK && i < facts.alternative_count; i++) {
            skein_message *one = &out->at[i];

            if (!(s.rc = skn_message_by_uid(s.tx, facts.alternatives[i], mem, one, &found,
                                            err)))
                s.rc = skn_thread_position_of(&r.trees, &r.thread, one->id.v, &one->position,
                                              err);
            out->count += found;
        }
    }
    return s.rc;
}
