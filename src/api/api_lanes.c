/* Delegations that a person or a program notes down: one is started under a lane, and how it ended is said. */
#include "api/call.h"
#include "base/clock.h"

#define PAGE 500

/* --- Finding ------------------------------------------------------------------------------ */

static skein_rc no_lane(skn_api_call *c, skn_str key)
{
    return skn_fail(&c->error, SKEIN_NOT_FOUND, "there is no lane \"%.*s\"", SKN_FMT(key));
}

static const skein_lane *lane_of(const skein_lanes *lanes, skn_str key)
{
    for (size_t i = 0; i < lanes->count; i++)
        if (skn_str_eq(lanes->at[i].key, key))
            return &lanes->at[i];
    return NULL;
}

/* The latest message of the lane that makes this call: read backwards, page by page. */
static skein_rc find_call(skn_api_call *c, const skein_lane *lane, skn_str call_id,
                          skein_message_id *out)
{
    skein_slice    slice = {.conversation = c->chat.id, .lane = lane->key};
    skein_mem     *mem = skein_mem_new();
    skein_messages page;
    skein_at       at;
    skein_rc       rc = SKEIN_OK;

    for (int64_t end = lane->length; end > 0 && !out->v && !rc; end -= PAGE) {
        slice.from = end > PAGE ? end - PAGE : 0;
        slice.count = end - slice.from;
        skein_mem_reset(mem);
        rc = skein_read(c->engine, &slice, mem, &page, &at, &c->error);
        for (size_t i = rc ? 0 : page.count; i-- > 0 && !out->v;)
            if (skn_call_of(&page.at[i], call_id))
                *out = page.at[i].id;
    }
    skein_mem_free(mem);
    if (rc || out->v)
        return rc;
    return skn_fail(&c->error, SKEIN_NOT_FOUND, "there is no call \"%.*s\" in \"%.*s\"",
                    SKN_FMT(call_id), SKN_FMT(lane->key));
}

/* "main.1.2" is child 2 of "main.1". */
static skn_str parent_key(skn_str key)
{
    size_t n = key.n;

    while (n > 0 && key.p[n - 1] != '.')
        n--;
    return skn_str_sub(key, 0, n ? n - 1 : 0);
}

static skn_str next_child(skn_api_call *c, const skein_lanes *lanes, skn_str parent)
{
    int64_t last = 0;

    for (size_t i = 0; i < lanes->count; i++)
        if (skn_str_eq(parent_key(lanes->at[i].key), parent) && lanes->at[i].ordinal > last)
            last = lanes->at[i].ordinal;
    return skn_arena_printf(c->mem, "%.*s.%lld", SKN_FMT(parent), (long long)last + 1);
}

/* --- Starting ----------------------------------------------------------------------------- */

/* Makes the next child of the parent, attached to the latest such call; dry: only checks that it can. */
static skein_rc start_delegation(skn_api_call *c, const skein_lanes *lanes, skn_str parent,
                                 skn_str call_id, bool dry, skn_str *key)
{
    const skein_lane *above = lane_of(lanes, parent);
    skein_message_id  message = {0};
    skein_lane        made;
    skein_rc          rc = above ? SKEIN_OK : no_lane(c, parent);

    if (!rc && call_id.n)
        rc = find_call(c, above, call_id, &message);
    *key = next_child(c, lanes, parent);
    if (rc || dry)
        return rc;
    rc = skein_lane_new(c->engine, c->chat.id, parent, message, call_id, c->mem, &made,
                        &c->error);
    *key = rc ? *key : made.key;
    return rc;
}

skein_rc skn_api_lane_ensure(skn_api_call *c, skn_str key, skn_str call_id)
{
    skn_str     parent = parent_key(key), next;
    skein_lanes lanes;
    skein_rc    rc = skein_lane_list(c->engine, c->chat.id, c->mem, &lanes, &c->error);

    if (rc || lane_of(&lanes, key))
        return rc;
    if (!skn_str_starts(key, SKN_STR("main.")) || !lane_of(&lanes, parent))
        return no_lane(c, key);
    next = next_child(c, &lanes, parent);
    if (!skn_str_eq(next, key))
        return skn_hint(&c->error, no_lane(c, key), "The next free one there is \"%.*s\"",
                        SKN_FMT(next));
    return start_delegation(c, &lanes, parent, call_id, false, &next);
}

static skein_rc find_lanes(skn_api_call *c, skein_lanes *out)
{
    skein_rc rc = skn_api_chat_or_current(c);

    return rc ? rc : skein_lane_list(c->engine, c->chat.id, c->mem, out, &c->error);
}

skein_rc skn_api_create_delegation(skn_api_call *c)
{
    skein_delegation one = {.created_at = skn_clock_micros()};
    skein_lanes      lanes;
    bool             dry;
    skein_rc         rc;

    if ((rc = find_lanes(c, &lanes)) ||
        (rc = skn_call_text(c, "parent", false, &one.parent_key)) ||
        (rc = skn_call_text(c, "spawnCallId", false, &one.spawn_call_id)) ||
        (rc = skn_api_flag(c, "dryRun", &dry)))
        return rc;
    if (!one.parent_key.p)
        one.parent_key = SKN_STR("main");
    if ((rc = start_delegation(c, &lanes, one.parent_key, one.spawn_call_id, dry, &one.key)))
        return rc;
    one.chat_uid = c->chat.uid;
    if (!dry) {
        skn_api_location(c, 201, "/delegations/%.*s?chatId=%.*s", SKN_FMT(one.key),
                         SKN_FMT(c->chat.uid));
        rc = skein_delegation_get(c->engine, c->chat.id, one.key, c->mem, &one, &c->error);
    }
    return rc ? rc : skn_answer_one(c, &skn_delegation_shape, &one);
}

/* --- Ending ------------------------------------------------------------------------------- */

static skein_rc read_state(skn_api_call *c, skein_lane_state *out)
{
    skn_str  word;
    skein_rc rc = skn_call_text(c, "state", true, &word);

    if (rc || (skn_lane_state_from(word, out) && *out != SKEIN_LANE_RUNNING))
        return rc;
    return skn_call_invalid(c, "/state", "must be done, failed, cancelled or interrupted");
}

skein_rc skn_api_finish_delegation(skn_api_call *c)
{
    const skein_lane *lane;
    skein_lane_state  state;
    skein_lanes       lanes;
    skein_delegation  one;
    bool              dry;
    skein_rc          rc;

    if ((rc = find_lanes(c, &lanes)) || (rc = read_state(c, &state)) ||
        (rc = skn_api_flag(c, "dryRun", &dry)))
        return rc;
    if (!(lane = lane_of(&lanes, c->params[1])))
        return skn_api_missing(c, no_lane(c, c->params[1]), "delegation-not-found");
    if ((!dry && (rc = skein_lane_finish(c->engine, lane->id, state, &c->error))) ||
        (rc = skein_delegation_get(c->engine, c->chat.id, lane->key, c->mem, &one, &c->error)))
        return rc;
    one.state = state;
    return skn_answer_one(c, &skn_delegation_shape, &one);
}

/* Delegations: work that one agent handed to another, in a chat. */

/* The lanes that are no delegation: the main lane and the memories of agents. */
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
    bool              lanes;
    skein_rc          rc;

    if ((rc = skn_api_chat_or_current(c)) || (rc = skn_call_query_flag(c, "lanes", &lanes)) ||
        (rc = skein_delegation_list(c->engine, c->chat.id, c->mem, &list, &c->error)) ||
        (lanes && (rc = put_others(c, &list))))
        return rc;
    return skn_answer_list(c,
                           skn_arena_printf(c->mem, "delegations %.*s", SKN_FMT(c->chat.uid)),
                           SKN_LIST_FIELDS, list.at, list.count, &skn_delegation_shape);
}

static skein_rc answer_delegation(skn_api_call *c)
{
    skein_delegation one;
    skein_rc rc = skein_delegation_get(c->engine, c->chat.id, c->params[1], c->mem, &one,
                                       &c->error);

    return rc ? skn_api_missing(c, rc, "delegation-not-found")
              : skn_answer_one(c, &skn_delegation_shape, &one);
}

skein_rc skn_api_get_delegation(skn_api_call *c)
{
    skein_rc rc = skn_api_chat_or_current(c);

    return rc ? rc : answer_delegation(c);
}

skein_rc skn_api_cancel_delegation(skn_api_call *c)
{
    skein_rc rc;

    if ((rc = skn_api_chat_or_current(c)) ||
        (rc = skein_delegation_cancel(c->engine, c->chat.id, c->params[1], c->written,
                                      &c->error)))
        return skn_api_missing(c, rc, "delegation-not-found");
    return answer_delegation(c);
}

/* It continues by itself: events of the chat report the outcome. */
skein_rc skn_api_retry_delegation(skn_api_call *c)
{
    skein_rc rc;

    if ((rc = skn_api_chat_or_current(c)) ||
        (rc = skein_delegation_retry(c->engine, c->chat.id, c->params[1], &c->error)))
        return skn_api_missing(c, rc, "delegation-not-found");
    c->status = 202;
    return answer_delegation(c);
}
