/* GET /events and GET /worlds/{w}/events, in pages. A server can also stream them. */
#include "api/call.h"

#include <inttypes.h>

#define TYPES_MAX   1000
#define RECENT_MOST 100000
#define PAGE_BYTES                                                                             \
    (16 * 1024 * 1024) /* of one answer; a page ends early rather than be longer */

/* --- What is asked for ----------------------------------------------------------------------- */

/* Last-Event-ID, which a browser sends when it reconnects, is newer than the address. A number that is not ours is treated
 * as unknown. */
static skein_rc read_after(skn_events_asked *q)
{
    skn_str last = skn_call_header(q->call, "Last-Event-ID");

    if (!q->stream || !last.n)
        return skn_call_query_int(q->call, "after", 0, INT64_MAX, -1, &q->after);
    if (!skn_str_int(last, &q->after) || q->after < 0)
        q->after = INT64_MAX;
    return SKEIN_OK;
}

static skein_rc read_recent(skn_events_asked *q)
{
    skein_rc rc = skn_call_query_int(q->call, "recent", 1, RECENT_MOST, 0, &q->recent);

    if (rc || !q->recent || !skn_call_query(q->call, "after").p)
        return rc;
    return skn_call_invalid(q->call, "/recent",
                            "says where to begin, and so does \"after\": give one of them");
}

static bool is_list(skn_str types)
{
    for (size_t i = 0; i < types.n; i++) {
        char c = types.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == ','))
            return false;
    }
    return types.n <= TYPES_MAX;
}

static skein_rc read_filter(skn_events_asked *q)
{
    skn_api_call *c = q->call;
    skn_str       deltas = skn_call_query(c, "deltas");
    skn_str       types = skn_call_query(c, "types");
    skn_str       inbox = skn_call_query(c, "inbox");

    if (inbox.n && !skn_str_is(inbox, "true") && !skn_str_is(inbox, "false"))
        return skn_call_invalid(c, "/inbox", "is true or false");
    if (deltas.n && !skn_str_is(deltas, "true") && !skn_str_is(deltas, "false"))
        return skn_call_invalid(c, "/deltas", "is true or false");
    if (!is_list(types))
        return skn_call_invalid(c, "/types", "is a list of beginnings: message,thread");
    q->filter.no_deltas = skn_str_is(deltas, "false");
    q->filter.types = types.n ? types : SKN_NONE;
    q->filter.inbox = skn_str_is(inbox, "true");
    return SKEIN_OK;
}

static skein_rc find_place(skn_events_asked *q)
{
    skn_api_call *c = q->call;
    skn_str       chat = skn_call_query(c, "chatId");
    skein_rc      rc;

    if ((rc = skn_find_named(c)))
        return rc;
    q->filter.world = c->world.id;
    if (!chat.n)
        return SKEIN_OK;
    if (!c->params[0].p)
        return skn_call_invalid(c, "/chatId", "needs its world: /worlds/NAME/events");
    if ((rc = skn_find_chat(c, chat)))
        return rc;
    q->filter.chat = c->chat.id;
    return SKEIN_OK;
}

/* --- A page ---------------------------------------------------------------------------------- */

/* A stream has the name of an event outside of its JSON; a page has it inside. */
static void write_event(skn_api_call *c, const skein_event *e)
{
    skn_buf json, whole;
    skn_str rest;
    skn_jw  w;

    skn_buf_init(&json, SIZE_MAX / 4);
    skn_buf_init(&whole, SIZE_MAX / 4);
    skn_jw_init(&w, &json);
    skn_shape_event(&w, e);
    rest = skn_str_sub(skn_buf_str(&json), 1, json.n);
    skn_buf_addf(&whole, "{\"type\":\"%.*s\",", SKN_FMT(e->type));
    skn_buf_add(&whole, rest);
    skn_jw_raw(&c->w, skn_buf_str(&whole));
    skn_buf_release(&json);
    skn_buf_release(&whole);
}

static skein_rc check_span(skn_events_asked *q)
{
    skn_api_call *c = q->call;
    int64_t       newest, forgotten;
    skein_rc      rc = skein_events_span(c->engine, &newest, &forgotten, &c->error);

    if (rc)
        return rc;
    if (q->after >= 0 && q->after < forgotten)
        return skn_call_problem(c, 410, "event-too-old",
                                "events up to %" PRId64 " are no longer stored", forgotten);
    if (q->after < 0)
        q->after = forgotten;
    if (q->recent && q->after < newest - q->recent)
        q->after = newest - q->recent;
    return SKEIN_OK;
}

typedef struct paging {
    int64_t limit, written;
    int64_t last; /* the next page begins behind it */
    bool    more;
} paging;

static void write_events(skn_events_asked *q, const skein_events *list, paging *p)
{
    skn_taking t = {.filter = q->filter};

    for (size_t i = 0; i < list->count; i++) {
        skn_about about = {
            .world = list->at[i].world, .chat = list->at[i].chat, .type = list->at[i].type};

        if (p->written == p->limit || q->call->out.n > PAGE_BYTES) {
            p->more = true;
            return;
        }
        p->last = list->at[i].seq;
        if (!skn_takes(&t, &about))
            continue;
        write_event(q->call, &list->at[i]);
        p->written++;
    }
}

/* Reads until the page is full: events that are not wanted take no room. */
static skein_rc read_events(skn_events_asked *q, paging *p)
{
    skn_api_call     *c = q->call;
    skn_arena        *a = skn_arena_new();
    skein_event_query what = {.world = q->filter.world};
    skein_events      list = {.count = 0};
    skein_rc          rc;

    if (!q->filter.inbox)
        what.chat = q->filter.chat;
    what.limit = (size_t)p->limit + 1;
    do {
        what.after = p->last;
        skn_arena_reset(a);
        if ((rc = skein_events_read(c->engine, &what, a, &list, &c->error)))
            break;
        write_events(q, &list, p);
    } while (!p->more && list.count);
    skn_arena_free(a);
    return rc;
}

skein_rc skn_events_page(skn_events_asked *q)
{
    skn_api_call *c = q->call;
    paging        p = {.limit = 0};
    skn_str       next = SKN_NONE, cursor = skn_call_query(c, "cursor");
    skein_rc      rc;

    if ((rc = skn_page_limit(c, SKN_PAGE_DEFAULT, &p.limit)))
        return rc;
    if (cursor.n && !skn_str_int(cursor, &q->after))
        return skn_call_invalid(c, "/cursor", "is not one of this list");
    if ((rc = check_span(q)))
        return rc;
    p.last = q->after;
    skn_call_list(c);
    if ((rc = read_events(q, &p)))
        return rc;
    if (p.more)
        next = skn_arena_printf(c->mem, "%" PRId64, p.last);
    skn_call_list_end(c, next, SKN_NONE, -1);
    return SKEIN_OK;
}

/* --- The operation ---------------------------------------------------------------------------- */

skein_rc skn_events_ask(skn_events_asked *q)
{
    skein_rc rc;

    if ((rc = read_after(q)) || (rc = read_recent(q)) || (rc = read_filter(q)))
        return rc;
    return find_place(q);
}

skein_rc skn_api_list_events(skn_api_call *c)
{
    skn_events_asked q = {.call = c};
    skein_rc         rc = skn_events_ask(&q);

    return rc ? rc : skn_events_page(&q);
}
