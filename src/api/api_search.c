/* Search: the engine finds words, conditions are checked on what it finds. A cursor names the message
 * behind which to go on, so that it means the same for ever, and a search that has little to show for
 * much looking can stop and be taken up again. */
#include "api/handlers.h"
#include "api/search_conditions.h"

#include "base/hash.h"

#include <inttypes.h>

#define LOOK_MOST 10000 /* messages that are looked at for one page */
#define AT_ONCE   500   /* hits that are read for what only their conversation tells */

typedef struct finding {
    skn_api_call         *c;
    skein_search_request *req;
    const skn_conditions *conditions;
    int64_t               limit;
    skn_vec(skein_hit) hits;
} finding;

static skein_rc find_some(finding *f, skein_hits *out)
{
    skn_api_call *c = f->c;
    int64_t       missing = f->limit - (int64_t)f->hits.n;
    skein_rc      rc;

    f->req->limit = missing < AT_ONCE ? missing : AT_ONCE;
    rc = skein_search(c->engine, f->req, c->mem, out, &c->error);
    if (rc == SKEIN_INVALID)
        return skn_call_invalid(c, "/q", skn_arena_printf(c->mem, "%s", c->error.message).p);
    f->req->below = out->below;
    return rc || !skn_conditions_any(f->conditions)
               ? rc
               : skn_conditions_sift(c, f->conditions, out);
}

/* As many as are wanted, or as there are, or as much as may be looked at; req->below is where it ended. */
static skein_rc find(finding *f)
{
    skein_hits part;
    skein_rc   rc;

    do {
        if ((rc = find_some(f, &part)))
            return rc;
        for (size_t i = 0; i < part.count; i++)
            skn_vec_add(f->c->mem, &f->hits, part.at[i]);
        f->req->looks -= part.looked;
    } while (f->req->below.v && f->req->looks > 0 && (int64_t)f->hits.n < f->limit);
    return SKEIN_OK;
}

/* "archived": true for nothing else, false for all but those; without it both are found. */
static skein_rc read_archived(skn_api_call *c, skein_archived *out)
{
    bool     only;
    skein_rc rc = skn_call_query_flag(c, "archived", &only);

    *out = !skn_call_query(c, "archived").p ? SKEIN_ARCHIVED_ALSO
           : only                           ? SKEIN_ARCHIVED_ONLY
                                            : SKEIN_ARCHIVED_NOT;
    return rc;
}

/* Of this search alone. */
static skn_str search_tag(skn_api_call *c, const skein_search_request *req, skn_str q)
{
    uint64_t hash = skn_hash_bytes((req->current_only ? 21 : 20) + 2 * req->archived, q);

    hash ^= (uint64_t)req->world.v * 31 + (uint64_t)req->conversation.v;
    return skn_arena_printf(c->mem, "search %016" PRIx64, hash);
}

static skein_rc search(skn_api_call *c, skein_search_request *req)
{
    skn_str         q = skn_call_query(c, "q"), next = SKN_NONE;
    finding         f = {.c = c, .req = req};
    skn_conditions *conditions;
    skn_page        page;
    skein_rc        rc;

    if (!q.p || !skn_str_trim(q).n)
        return skn_call_invalid(c, "/q", "is required");
    if ((rc = skn_conditions_read(c, q, &conditions, &req->query)) ||
        (rc = skn_call_query_flag(c, "current", &req->current_only)) ||
        (rc = read_archived(c, &req->archived)) ||
        (rc = skn_page_read(c, search_tag(c, req, q), SKN_PAGE_DEFAULT, false, &page)))
        return rc;
    if (!req->query.n)
        req->query = SKN_NONE; /* conditions alone: every message is looked at */
    if (skn_conditions_any(conditions)) {
        req->wants = skn_conditions_wants;
        req->arg = conditions;
    }
    f.conditions = conditions;
    f.limit = page.limit;
    req->below.v = page.asked ? page.from : 0;
    req->looks = LOOK_MOST;
    if ((rc = find(&f)))
        return rc;
    skn_call_list(c);
    for (size_t i = 0; i < f.hits.n; i++)
        skn_shape_hit(&c->w, &f.hits.p[i]);
    if (req->below.v)
        next = skn_page_cursor(c, &page, req->below.v, page.limit);
    skn_call_list_end(c, next, SKN_NONE, next.p || page.asked ? -1 : (int64_t)f.hits.n);
    return skn_page_fields(c, SKN_FIELDS_HIT);
}

skein_rc skn_api_search(skn_api_call *c)
{
    skein_search_request req = {.limit = 0};

    return search(c, &req);
}

skein_rc skn_api_search_world(skn_api_call *c)
{
    skein_search_request req = {.limit = 0};
    skn_str              chat = skn_call_query(c, "chatId");
    skein_rc             rc;

    if ((rc = skn_find_world(c)) || (chat.p && (rc = skn_find_chat(c, chat))))
        return rc;
    req.world = c->world.id;
    req.conversation = c->chat.id;
    return search(c, &req);
}
