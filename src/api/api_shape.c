/* Messages in answers: with what surrounds them, and in pages of a lane. */
#include "api/call.h"

#define REPLIES_MOST ((size_t)20) /* of one message, where they are included */

/* In an agent's own conversation there are no deliveries: all who have the message in memory, except its author. */
static void fill_deliveries(skn_api_call *c, const skein_message *m,
                            const skein_message_facts *f, skein_deliveries *d)
{
    if (d->count)
        return;
    d->at = SKN_ARRAY(c->mem, f->seen_by_count + 1, skein_delivery);
    for (size_t i = 0; i < f->seen_by_count; i++)
        if (!m->author_agent.v || !skn_str_eq(f->seen_by[i], m->sender))
            d->at[d->count++] = (skein_delivery){.agent = f->seen_by[i],
                                                 .state = SKN_STR("inMemory")};
}

skein_rc skn_api_explain(skn_api_call *c, int64_t version, const skein_messages *list,
                         skn_told_messages *out)
{
    skein_rc rc;

    *out = (skn_told_messages){.list = *list};
    out->facts = SKN_ARRAY(c->mem, list->count + 1, skein_message_facts);
    out->deliveries = SKN_ARRAY(c->mem, list->count + 1, skein_deliveries);
    if (list->count == 0)
        return SKEIN_OK;
    if ((rc = skein_message_explain(c->engine, c->chat.id, version, list, c->mem, out->facts,
                                    &c->error)) ||
        (rc = skein_deliveries_in(c->engine, c->chat.id, version, list, c->mem, out->deliveries,
                                  &c->error)))
        return rc;
    for (size_t i = 0; i < list->count; i++)
        fill_deliveries(c, &list->at[i], &out->facts[i], &out->deliveries[i]);
    return SKEIN_OK;
}

static skein_rc read_replies(skn_api_call *c, int64_t version, skn_told_messages *told)
{
    skein_rc rc = SKEIN_OK;

    told->replies = SKN_ARRAY(c->mem, told->list.count + 1, skein_messages);
    for (size_t i = 0; rc == SKEIN_OK && i < told->list.count; i++) {
        if (told->facts[i].reply_count == 0)
            continue;
        rc = skein_reply_children(c->engine, c->chat.id, version, told->list.at[i].id, c->mem,
                                  &told->replies[i], &c->error);
        if (told->replies[i].count > REPLIES_MOST)
            told->replies[i].count = REPLIES_MOST;
    }
    return rc;
}

static skein_rc api_include(skn_api_call *c, int64_t version, skn_told_messages *told)
{
    skn_str rest = skn_call_query(c, "include"), one;
    bool    replies = false;

    while (rest.p && skn_str_split(&rest, ',', &one)) {
        one = skn_str_trim(one);
        replies = replies || skn_str_is(one, "replies");
        if (one.n && !skn_str_among(one, "replies delivery instructions"))
            return skn_call_invalid(c, "/include",
                                    "names none of replies, delivery and instructions");
    }
    return replies ? read_replies(c, version, told) : SKEIN_OK;
}

void skn_api_write_message(skn_api_call *c, const skn_told_messages *m, size_t i)
{
    skn_jw *w = &c->w;

    skn_jw_object(w);
    skn_shape_message_delivered_members(w, c->chat.uid, &m->list.at[i], &m->facts[i],
                                        &m->deliveries[i]);
    if (m->replies) {
        skn_jw_karray(w, "replies");
        for (size_t k = 0; k < m->replies[i].count; k++)
            skn_shape_message(w, c->chat.uid, &m->replies[i].at[k], NULL);
        skn_jw_array_end(w);
    }
    skn_jw_object_end(w);
}

/* What is included is picked as well. */
static skein_rc pick_fields(skn_api_call *c)
{
    return skn_page_fields_and(c, SKN_FIELDS_MESSAGE ",replies", skn_call_query(c, "include"));
}

skein_rc skn_api_answer_messages(skn_api_call *c, int64_t version, const skein_messages *list,
                                 skn_str tag)
{
    skn_told_messages told;
    skn_page          page;
    skein_messages    part;
    skein_rc          rc = skn_page_open(c, tag, list->count, 0, &page);

    if (rc)
        return rc;
    part = (skein_messages){list->count ? list->at + page.from : NULL, (size_t)page.count};
    if ((rc = skn_api_explain(c, version, &part, &told)) ||
        (rc = api_include(c, version, &told)))
        return rc;
    for (size_t i = 0; i < part.count; i++)
        skn_api_write_message(c, &told, i);
    skn_page_end(c, &page);
    return pick_fields(c);
}

/* Who heard it is known from its deliveries: nothing else has to be read for it. */
static void write_posted_members(skn_api_call *c, const skein_posted *posted)
{
    skn_jw *w = &c->w;

    skn_shape_message_members(w, c->chat.uid, &posted->message, NULL);
    skn_jw_karray(w, "seenByAgents");
    for (size_t i = 0; !posted->queued && i < posted->deliveries.count; i++)
        skn_jw_str(w, posted->deliveries.at[i].agent);
    skn_jw_array_end(w);
    skn_jw_key(w, "delivery");
    skn_shape_deliveries(w, &posted->deliveries);
    skn_jw_kbool(w, "queued", posted->queued);
}

void skn_api_write_posted(skn_api_call *c, const skein_posted *posted, skn_str client_id,
                          const skein_notice *notice)
{
    skn_jw_object(&c->w);
    write_posted_members(c, posted);
    skn_jw_kstr(&c->w, "clientMessageId", client_id);
    skn_shape_noticed(&c->w, notice);
    skn_jw_object_end(&c->w);
}

void skn_api_write_queued(skn_api_call *c, const skein_posted *waits)
{
    skn_jw_object(&c->w);
    write_posted_members(c, waits);
    skn_jw_object_end(&c->w);
}

/* --- A page of a lane --------------------------------------------------------------------- */

typedef struct lane_page {
    skn_api_call *c;
    skein_slice   slice;
    skn_page      page;
    bool          only_memory, no_memory; /* memoryOnly=true, =false */
    bool          only_failed;            /* failed=true */
    int64_t
        from; /* where it begins unless something else says so; negative: so many before the end */
    bool           nothing; /* what stands before the first */
    skein_messages list;
    int64_t        length; /* of the lane */
} lane_page;

/* The position of a message in a lane, or -1. Reads the lane: only the main lane knows positions by id. */
static skein_rc api_place(skn_api_call *c, const skein_slice *lane, skein_message_id id,
                          int64_t *at)
{
    skein_slice    s = *lane;
    skn_arena     *scratch = skn_arena_new();
    skein_messages part = {0};
    skein_rc       rc = SKEIN_OK;

    *at = -1;
    s.from = 0;
    s.count = SKN_PAGE_MOST;
    do {
        skn_arena_reset(scratch);
        rc = skein_read(c->engine, &s, scratch, &part, NULL, &c->error);
        for (size_t i = 0; rc == SKEIN_OK && *at < 0 && i < part.count; i++)
            if (part.at[i].id.v == id.v)
                *at = s.from + (int64_t)i;
        s.from += SKN_PAGE_MOST;
    } while (rc == SKEIN_OK && *at < 0 && part.count == SKN_PAGE_MOST);
    skn_arena_free(scratch);
    return rc;
}

static skein_rc place_of(lane_page *l, const char *name, skn_str id, int64_t *at)
{
    skn_api_call *c = l->c;
    skein_message m;
    skein_rc      rc;

    if ((rc = skn_find_message(c, id, &m)))
        return rc;
    if (l->slice.agent.v || l->slice.lane.p)
        rc = api_place(c, &l->slice, m.id, at);
    else if (!(rc = skein_message_find(c->engine, c->chat.id, l->slice.version, id, c->mem, &m,
                                       &c->error)))
        *at = m.position;
    if (rc)
        return rc;
    return *at >= 0 ? SKEIN_OK : skn_call_wrong(c, "is not in this version", "/%s", name);
}

/* before=ID, after=ID and around=ID; a cursor says it all by itself. */
static skein_rc seek(lane_page *l)
{
    static const char *const names[] = {"before", "after", "around"};
    int64_t                  at, limit = l->page.limit;
    skein_rc                 rc;

    for (size_t i = 0; i < 3 && !l->page.asked; i++) {
        skn_str id = skn_call_query(l->c, names[i]);

        if (!id.p)
            continue;
        if ((rc = place_of(l, names[i], id, &at)))
            return rc;
        l->page.asked = true;
        l->nothing = i == 0 && at == 0;
        l->page.count = i == 0 && at < limit ? at : limit;
        l->page.from = i == 0 ? at - limit : i == 1 ? at + 1 : at - limit / 2;
        if (l->page.from < 0)
            l->page.from = 0;
    }
    return SKEIN_OK;
}

static skein_rc read_query(lane_page *l)
{
    skn_api_call *c = l->c;
    skn_str       memory = skn_call_query(c, "memoryOnly");
    bool          latest;
    skein_rc      rc;

    if ((rc = skn_call_query_flag(c, "memoryOnly", &l->only_memory)) ||
        (rc = skn_call_query_flag(c, "raw", &l->slice.raw)) ||
        (rc = skn_call_query_flag(c, "failed", &l->only_failed)) ||
        (rc = skn_call_query_flag(c, "latest", &latest)) ||
        (rc = skn_call_query_int(c, "from", -INT32_MAX, INT32_MAX, latest ? -l->page.limit : 0,
                                 &l->from)))
        return rc;
    l->no_memory = memory.p && !l->only_memory;
    l->page.picked = memory.p || l->only_failed;
    return seek(l);
}

static skein_rc read_part(lane_page *l)
{
    skn_api_call *c = l->c;
    skn_page     *p = &l->page;
    skein_at      at;
    skein_rc      rc;

    l->slice.from = p->asked ? p->from : l->from;
    l->slice.count = p->asked && p->count > 0 && p->count < p->limit ? p->count : p->limit;
    if ((rc = skein_read(c->engine, &l->slice, c->mem, &l->list, &at, &c->error)))
        return rc;
    l->length = at.length;
    if (!p->asked)
        p->from = l->from < 0 ? at.length + l->from : l->from; /* not below 0, once it fits */
    skn_page_fit(p, at.length);
    if (l->nothing)
        l->list.count = 0, p->count = 0;
    return SKEIN_OK;
}

/* Did an agent fail to answer it, or was one stopped before it did? */
static bool has_failed(const skein_deliveries *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->at[i].failed_at || d->at[i].stopped_at)
            return true;
    return false;
}

/* Leaves only messages that failed; nothing else is read of the rest. */
static skein_rc pick_failed(lane_page *l)
{
    skn_api_call     *c = l->c;
    skein_deliveries *d;
    size_t            n = 0;
    skein_rc          rc;

    if (!l->only_failed || !l->list.count)
        return SKEIN_OK;
    rc = skn_maybe_failed(c->engine, c->chat.id, &l->list, c->mem, &c->error);
    if (rc || !l->list.count)
        return rc;
    d = SKN_ARRAY(c->mem, l->list.count, skein_deliveries);
    rc = skein_deliveries_in(c->engine, c->chat.id, l->slice.version, &l->list, c->mem, d,
                             &c->error);
    for (size_t i = 0; !rc && i < l->list.count; i++)
        if (has_failed(&d[i]))
            l->list.at[n++] = l->list.at[i];
    l->list.count = n;
    return rc;
}

/* An agent's memory does not show whom others answered. */
static void mask(const lane_page *l, skn_told_messages *told)
{
    for (size_t i = 0; l->slice.agent.v && !l->slice.raw && i < told->list.count; i++)
        if (!told->list.at[i].reply_to.p)
            told->facts[i].shown_reply = SKN_NONE;
}

/* A delivery that waits changes without a new message, which the ETag would not show. */
static bool is_settled(const skn_told_messages *told)
{
    for (size_t i = 0; i < told->list.count; i++)
        for (size_t k = 0; k < told->deliveries[i].count; k++)
            if (skn_str_is(told->deliveries[i].at[k].state, "queued"))
                return false;
    return true;
}

static bool is_picked(const lane_page *l, const skn_told_messages *told, size_t i)
{
    return !(l->only_memory && !told->facts[i].memory_only) &&
           !(l->no_memory && told->facts[i].memory_only);
}

static skein_rc write_part(lane_page *l, skn_told_messages *told)
{
    skn_api_call *c = l->c;

    mask(l, told);
    skn_call_list(c);
    for (size_t i = 0; i < told->list.count; i++)
        if (is_picked(l, told, i))
            skn_api_write_message(c, told, i);
    skn_page_end(c, &l->page);
    return pick_fields(c);
}

static skn_str state_tag(skn_api_call *c, const skein_version *v, int64_t length)
{
    skein_conversation at = c->chat;

    at.thread_uid = v->thread_uid;
    at.length = length;
    return skn_call_chat_etag(c, &at);
}

skein_rc skn_api_answer_lane(skn_api_call *c, const skein_version *v, skein_agent_id agent,
                             skn_str lane)
{
    lane_page l = {
        .c = c,
        .slice = {
            .conversation = c->chat.id, .lane = lane, .agent = agent, .version = v->number}};
    skn_told_messages told;
    skn_str           tag = v->thread_uid;
    bool              same = false;
    skein_rc          rc;

    if (agent.v || lane.p)
        tag = skn_arena_printf(c->mem, "%.*s/%lld%.*s", SKN_FMT(tag), (long long)agent.v,
                               SKN_FMT(lane));
    if ((rc = skn_page_read(c, tag, SKN_PAGE_DEFAULT, false, &l.page)) ||
        (rc = read_query(&l)) || (rc = read_part(&l)) || (rc = pick_failed(&l)) ||
        (rc = skn_api_explain(c, v->number, &l.list, &told)) ||
        (rc = api_include(c, v->number, &told)))
        return rc;
    if (is_settled(&told))
        skn_call_etag(c, state_tag(c, v, agent.v || lane.p ? v->length : l.length), &same);
    return same ? SKEIN_OK : write_part(&l, &told);
}
