/* Delegations: work that one agent handed to another, in a chat. */
#include "api/handlers.h"

#include "base/error.h"

/* The chat of chatId, or the current one. */
static skein_rc find_chat(skn_api_call *c)
{
    skein_rc rc = skn_find_world(c);

    return rc ? rc : skn_api_chat_or_current(c);
}

/* Before delegations, those that are the work of nobody else: the room and the memories of agents. */
static skein_rc put_others(skn_api_call *c, skein_delegations *list)
{
    skein_lanes       lanes;
    skein_delegation *all;
    size_t            n = 0;
    skein_rc          rc = skein_lane_list(c->engine, c->chat.id, c->mem, &lanes, &c->error);

    if (rc)
        return rc;
    all = SKN_ARRAY(c->mem, lanes.count + list->count + 1, skein_delegation);
    for (size_t i = 0; i < lanes.count; i++)
        if (!lanes.at[i].parent.v)
            all[n++] = (skein_delegation){.key = lanes.at[i].key,
                                          .chat_uid = c->chat.uid,
                                          .agent = lanes.at[i].agent_name,
                                          .state = lanes.at[i].state,
                                          .messages = lanes.at[i].length};
    for (size_t i = 0; i < list->count; i++)
        all[n++] = list->at[i];
    *list = (skein_delegations){all, n};
    return SKEIN_OK;
}

skein_rc skn_api_list_delegations(skn_api_call *c)
{
    skein_delegations list;
    skn_page          page;
    bool              lanes;
    skein_rc          rc;

    if ((rc = find_chat(c)) || (rc = skn_call_query_flag(c, "lanes", &lanes)) ||
        (rc = skein_delegation_list(c->engine, c->chat.id, c->mem, &list, &c->error)) ||
        (lanes && (rc = put_others(c, &list))) ||
        (rc = skn_page_of(c, skn_arena_printf(c->mem, "delegations %.*s", SKN_FMT(c->chat.uid)),
                          list.count, false, &page)))
        return rc;
    skn_call_list(c);
    for (int64_t i = page.from; i < page.from + page.count; i++)
        skn_shape_delegation(&c->w, &list.at[i]);
    skn_page_end(c, &page);
    return skn_page_fields(c, SKN_FIELDS_DELEGATION);
}

static skein_rc answer_delegation(skn_api_call *c)
{
    skein_delegation one;
    skein_rc rc = skein_delegation_get(c->engine, c->chat.id, c->params[1], c->mem, &one,
                                       &c->error);

    if (rc)
        return skn_api_missing(c, rc, "delegation-not-found");
    skn_shape_delegation(&c->w, &one);
    return SKEIN_OK;
}

skein_rc skn_api_get_delegation(skn_api_call *c)
{
    skein_rc rc;

    if ((rc = find_chat(c)) || (rc = answer_delegation(c)))
        return rc;
    return skn_page_fields(c, SKN_FIELDS_DELEGATION);
}

skein_rc skn_api_cancel_delegation(skn_api_call *c)
{
    skein_rc rc;

    if ((rc = find_chat(c)) ||
        (rc = skein_delegation_cancel(c->engine, c->chat.id, c->params[1], c->written,
                                      &c->error)))
        return skn_api_missing(c, rc, "delegation-not-found");
    return answer_delegation(c);
}

/* It goes on by itself: what comes of it is told in the chat. */
skein_rc skn_api_retry_delegation(skn_api_call *c)
{
    skein_rc rc;

    if ((rc = find_chat(c)) ||
        (rc = skein_delegation_retry(c->engine, c->chat.id, c->params[1], &c->error)))
        return skn_api_missing(c, rc, "delegation-not-found");
    c->status = 202;
    return answer_delegation(c);
}
