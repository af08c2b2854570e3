/* knowledge.c: the knowledge of agents, and which of their work was searched for it. */
#include "engine/work/act.h"

#define ITEMS_MAX     10000 /* in the knowledge of an agent */
#define ITEMS_SHOWN   ((size_t)1000)
#define ITEM_BYTES    ((size_t)8192)
#define TAKE_MAX      ((size_t)1000)
#define CONFIDENCE_IS 80 /* percent, when nothing is said of it */

/* --- Keeping ------------------------------------------------------------------------------------------------- */

static skein_rc check_knowledge(const skein_engine *e, skein_knowledge *item, skein_error *err)
{
    if (!item->type.p)
        item->type = SKN_STR("fact");
    if (item->confidence == -1)
        item->confidence = CONFIDENCE_IS;
    item->content = skn_str_trim(item->content);
    if (!skn_str_among(item->type, "fact technique pattern lesson preference insight"))
        return skn_fail_hint(
            err, SKEIN_INVALID,
            "The types are fact, technique, pattern, lesson, preference and insight.",
            "\"%.*s\" is not a type of knowledge", (int)(item->type.n < 40 ? item->type.n : 40),
            item->type.p);
    if (item->confidence < 0 || item->confidence > 100)
        return skn_fail(err, SKEIN_INVALID, "the confidence is 0 to 100 percent, not %lld",
                        (long long)item->confidence);
    if (item->content.n == 0)
        return skn_fail(err, SKEIN_INVALID, "the note is empty");
    if (item->content.n > ITEM_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "the note is %zu bytes; the limit is %zu",
                        item->content.n, ITEM_BYTES);
    return skn_check_text(e, item->content, "the note", err);
}

skein_rc skn_knowledge_keep(skn_working *w, skn_knowledge_row *row, bool *stored,
                            skein_error *err)
{
    int64_t  count;
    skein_rc rc;

    *stored = false;
    if ((rc = check_knowledge(w->e, &row->item, err)) ||
        (rc = skn_knowledge_count(w->tx, row->agent_id, &count, err)))
        return rc;
    if (count >= ITEMS_MAX)
        return skn_fail_hint(err, SKEIN_LIMIT, "Forget some of them first.",
                             "the agent has %d notes already", ITEMS_MAX);
    return skn_knowledge_put(w->tx, row, w->a, stored, err);
}

/* --- Reading ------------------------------------------------------------------------------------------------- */

static bool has_words(void *arg, const skein_knowledge *item)
{
    size_t at;

    return skn_words_match(item->content, arg, &at);
}

skein_rc skein_knowledge_list(skein_engine *e, skein_agent_id agent, skein_str words,
                              size_t limit, skein_mem *mem, skein_knowledges *out,
                              skein_error *err)
{
    skn_terms    terms = {0};
    skn_snapshot s = {.store = e->store};

    *out = (skein_knowledges){0};
    if (skn_str_trim(words).n > 0)
        s.rc = skn_words_query(words, mem, &terms, err);
    while (skn_snapshot_next(&s, err))
        s.rc = skn_knowledge_rows(s.tx, agent.v,
                                  limit && limit < ITEMS_SHOWN ? limit : ITEMS_SHOWN,
                                  terms.count ? has_words : NULL, &terms, mem, out, err);
    return s.rc;
}

/* --- What was not looked at yet -------------------------------------------------------------------------------- */

typedef struct take_call {
    int64_t                agent;
    int64_t                was, to;
    const skein_knowledge *items;
    size_t                 count;
    int64_t                stored;
    skein_model_call      *call;
} take_call;

/* The main lane of the agent's background; *found is false before its first use. */
static skein_rc find_lane(skn_tx *tx, int64_t agent, skn_arena *a, skn_conversation_row *chat,
                          skn_lane_row *lane, bool *found, skein_error *err)
{
    skein_rc rc = skn_conversation_by_agent(tx, agent, SKEIN_BACKGROUND, a, chat, found, err);

    return rc || !*found ? rc : skn_lane_need(tx, chat, SKN_MAIN, a, lane, err);
}

/* The mark is an order key: that of the last message that was looked at. */
static skein_rc due(skn_tx *tx, int64_t agent, int64_t limit, skn_arena *a, skein_messages *out,
                    int64_t *from, int64_t *upto, skein_error *err)
{
    skn_conversation_row chat;
    skn_lane_row         lane;
    skn_thread           t;
    skn_trees            f;
    skn_item             last;
    int64_t              at, end;
    bool                 found;
    skein_rc             rc = find_lane(tx, agent, a, &chat, &lane, &found, err);

    *from = *upto = 0;
    if (rc || !found || (rc = skn_knowledge_mark(tx, lane.id, from, err)))
        return rc;
    *upto = *from;
    skn_trees_init(&f, tx, a, chat.id);
    if ((rc = skn_thread_load(&f, chat.version_id, lane.id, &t, &found, err)) || !found ||
        (rc = skn_thread_first_at(&f, &t, *from + 1, &at, err)))
        return rc;
    end = t.length - at > limit ? at + limit : t.length;
    if (at >= end)
        return SKEIN_OK;
    if ((rc = skn_thread_messages(&f, &t, at, end, out, err)) ||
        (rc = skn_thread_item(&f, &t, end - 1, &last, err)))
        return rc;
    *upto = last.key > *from ? last.key : *from;
    return SKEIN_OK;
}

skein_rc skein_knowledge_due(skein_engine *e, skein_agent_id agent, size_t limit,
                             skein_mem *mem, skein_messages *out, int64_t *from, int64_t *upto,
                             skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_messages){0};
    limit = limit && limit < SKN_BATCH_MAX ? limit : SKN_BATCH_MAX;
    while (skn_snapshot_next(&s, err))
        s.rc = due(s.tx, agent.v, (int64_t)limit, mem, out, from, upto, err);
    return s.rc;
}

static skein_rc keep_items(skn_working *w, take_call *c, const skn_conversation_row *chat,
                           skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    c->stored = 0;
    for (size_t i = 0; rc == SKEIN_OK && i < c->count; i++) {
        skn_knowledge_row row = {
            .item = c->items[i], .agent_id = c->agent, .conversation_id = chat->id};
        skein_message from;
        bool          found = false, stored;

        if (row.item.message_uid.p)
            rc = skn_message_by_uid(w->tx, row.item.message_uid, w->a, &from, &found, err);
        row.message_id = found && from.born_in.v == chat->id ? from.id.v : 0;
        row.item.created_at = SKN_NOW();
        if (rc == SKEIN_OK)
            rc = skn_knowledge_keep(w, &row, &stored, err);
        c->stored += rc == SKEIN_OK && stored;
    }
    return rc;
}

static skein_rc take_knowledge(skn_working *w, void *arg, skein_error *err)
{
    take_call           *c = arg;
    skn_conversation_row chat;
    skn_lane_row         lane;
    bool                 found, moved = false;
    skein_rc             rc = find_lane(w->tx, c->agent, w->a, &chat, &lane, &found, err);

    if (rc ||
        (found && (rc = skn_knowledge_mark_move(w->tx, lane.id, c->was, c->to, &moved, err))))
        return rc;
    if (!moved)
        return skn_fail(err, SKEIN_CONFLICT,
                        "knowledge was taken from this conversation meanwhile");
    rc = keep_items(w, c, &chat, err);
    return rc ? rc : skn_call_keep_with(w, c->call, &chat, SKN_NONE, err);
}

skein_rc skein_knowledge_take(skein_engine *e, skein_agent_id agent, int64_t from, int64_t upto,
                              const skein_knowledge *items, size_t count,
                              skein_model_call *call, skein_mem *mem, int64_t *stored,
                              skein_error *err)
{
    take_call c = {.agent = agent.v,
                   .was = from,
                   .to = upto,
                   .items = items,
                   .count = count,
                   .call = call};
    skein_rc  rc;

    if (upto < from || count > TAKE_MAX)
        rc = skn_fail(err, SKEIN_INVALID,
                      "knowledge is taken onward, and at most %zu items at once", TAKE_MAX);
    else
        rc = skn_write(e, mem, take_knowledge, &c, err);
    *stored = rc ? 0 : c.stored;
    return rc;
}
