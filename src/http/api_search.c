/* Search: the engine finds words, conditions are checked on what it found. */
#include "http/handlers.h"
#include "http/search_wish.h"

#define LOOK_FIRST 500
#define LOOK_MOST  32000 /* hits that are looked at for one page */

/* Looks at more and more until there are enough; *all says that nothing more is to be found. */
static skein_rc find(skn_http_call *c, skein_search_request *req, const skn_wish *wish,
                     int64_t enough, skein_hits *out, bool *all)
{
    bool     picky = skn_wish_any(wish);
    skein_rc rc;

    req->limit = picky && enough < LOOK_FIRST ? LOOK_FIRST : enough;
    for (;; req->limit *= 4) {
        rc = skein_search(c->engine, req, c->mem, out, &c->error);
        if (rc == SKEIN_INVALID)
            return skn_call_invalid(c, "/q",
                                    skn_arena_printf(c->mem, "%s", c->error.message).p);
        if (rc)
            return rc;
        *all = (int64_t)out->count < req->limit;
        if (picky && (rc = skn_wish_sift(c, wish, out)))
            return rc;
        if (*all || (int64_t)out->count >= enough || req->limit >= LOOK_MOST)
            return SKEIN_OK;
    }
}

static skein_rc search(skn_http_call *c, skein_search_request *req)
{
    skn_str    q = skn_call_query(c, "q");
    skn_wish  *wish;
    skein_hits hits;
    skn_page   page;
    bool       all;
    skein_rc   rc;

    if (!q.p || !skn_str_trim(q).n)
        return skn_call_invalid(c, "/q", "is required");
    if ((rc = skn_wish_read(c, q, &wish, &req->query)) ||
        (rc = skn_call_query_flag(c, "current", &req->current_only)) ||
        (rc = skn_page_read(c, SKN_STR("search"), SKN_PAGE_DEFAULT, false, &page)))
        return rc;
    if (!req->query.n)
        return skn_call_invalid(c, "/q", "needs a word to look for beside its conditions");
    if (page.from > LOOK_MOST)
        return skn_call_invalid(c, "/cursor", "is not a cursor of this list");
    if ((rc = find(c, req, wish, page.from + page.limit + 1, &hits, &all)))
        return rc;
    skn_page_fit(&page, (int64_t)hits.count);
    page.picked = !all;
    skn_call_list(c);
    for (int64_t i = page.from; i < page.from + page.count; i++)
        skn_shape_hit(&c->w, &hits.at[i]);
    skn_page_end(c, &page);
    return skn_page_fields(c, SKN_FIELDS_HIT);
}

skein_rc skn_api_search(skn_http_call *c)
{
    skein_search_request req = {.limit = 0};

    return search(c, &req);
}

skein_rc skn_api_search_world(skn_http_call *c)
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
