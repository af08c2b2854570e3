/* Messages of any role, as they are: nobody is woken by them. */
#include "api/handlers.h"

#include "base/error.h"

typedef struct append {
    skein_append_request req;
    skein_new_message   *messages;
    skn_str              call_id; /* that starts the lane, if that has to be made */
} append;

/* Says which of the messages it was that cannot be stored. */
static skein_rc blame(skn_api_call *c, skein_rc rc, size_t index)
{
    skein_error told = c->error;
    const char *pointer = skn_arena_printf(c->mem, "/messages/%zu", index).p;

    skn_call_invalid(c, pointer, told.message);
    c->error = told;
    if (rc != SKEIN_INVALID)
        c->problem = NULL;
    return rc;
}

/* One request is about one lane: all of it is stored, or nothing. */
static skein_rc take_lane(skn_api_call *c, append *a, skn_str lane)
{
    if (!lane.p || skn_str_eq(lane, a->req.lane))
        return SKEIN_OK;
    if (a->req.lane.p)
        return skn_fail(&c->error, SKEIN_INVALID,
                        "\"lane\" is \"%.*s\"; the messages before are for \"%.*s\"",
                        SKN_FMT(lane), SKN_FMT(a->req.lane));
    a->req.lane = lane;
    return SKEIN_OK;
}

static skein_rc read_messages(skn_api_call *c, append *a)
{
    const skn_json *list;
    skn_str         lane, unknown;
    size_t          n = 0;
    skein_rc        rc = skn_api_body_list(c, "messages", &list);

    if (rc)
        return rc;
    if (!list->count)
        return skn_call_invalid(c, "/messages", "is empty");
    a->messages = SKN_ARRAY(c->mem, list->count, skein_new_message);
    for (const skn_json *v = list->first; v; v = v->next, n++)
        if ((rc = skn_message_read(v, c->mem, &a->messages[n], &lane, &unknown, &c->error)) ||
            (rc = take_lane(c, a, lane)))
            return blame(c, rc, n);
    a->req.messages = a->messages;
    a->req.count = n;
    return SKEIN_OK;
}

static skein_rc read_append(skn_api_call *c, append *a)
{
    bool     strict;
    skein_rc rc;

    *a = (append){.req = {.conversation = c->chat.id}};
    if ((rc = skn_call_text(c, "lane", false, &a->req.lane)) ||
        (rc = skn_call_text(c, "spawnCallId", false, &a->call_id)) ||
        (rc = skn_api_flag(c, "strict", &strict)) ||
        (rc = skn_call_if_match(c, &c->chat, false, &a->req.expect)))
        return rc;
    a->req.import = !strict;
    return read_messages(c, a);
}

/* With where each stands; one that was there before stands nowhere in what was stored now. */
static skein_rc answer(skn_api_call *c, const skein_messages *stored)
{
    skein_message_facts *facts = SKN_ARRAY(c->mem, stored->count + 1, skein_message_facts);
    skein_rc rc = skein_message_explain(c->engine, c->chat.id, 0, stored, c->mem, facts,
                                        &c->error);

    if (rc)
        return rc;
    skn_jw_object(&c->w);
    skn_jw_key(&c->w, "messages");
    skn_jw_array(&c->w);
    for (size_t i = 0; i < stored->count; i++)
        skn_shape_message(&c->w, c->chat.uid, &stored->at[i], &facts[i]);
    skn_jw_array_end(&c->w);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

skein_rc skn_api_append_messages(skn_api_call *c)
{
    skein_messages stored = {NULL, 0};
    append         a;
    skein_rc       rc;

    if ((rc = skn_find_chat_param(c)) || (rc = read_append(c, &a)) ||
        (a.req.lane.p && (rc = skn_api_lane_ensure(c, a.req.lane, a.call_id))))
        return rc;
    rc = skein_append(c->engine, &a.req, c->mem, &stored, &c->error);
    if (rc == SKEIN_INVALID || rc == SKEIN_LIMIT || rc == SKEIN_CONFLICT ||
        rc == SKEIN_NOT_FOUND)
        return stored.count < a.req.count ? blame(c, rc, stored.count) : rc;
    if (rc)
        return skn_api_changed(c, rc);
    c->status = 201;
    skn_api_fresh_etag(c);
    return answer(c, &stored);
}
