/* What models were sent, and what they answered. */
#include "api/handlers.h"

#include "base/error.h"

#define LISTED_MOST 1000

skein_rc skn_api_list_calls(skn_api_call *c)
{
    skein_agent       agent;
    skein_model_calls calls;
    skn_page          page;
    skein_rc          rc;

    if ((rc = skn_api_find_agent(c, &agent)) ||
        (rc = skein_model_call_list(c->engine, c->world.id, SKN_NONE, agent.id, LISTED_MOST,
                                    c->mem, &calls, &c->error)) ||
        (rc = skn_page_of(c, SKN_STR("calls"), calls.count, true, &page)))
        return rc;
    skn_call_list(c);
    for (int64_t i = page.from; i < page.from + page.count; i++)
        skn_shape_model_call(&c->w, &calls.at[i]);
    skn_page_end(c, &page);
    return skn_page_fields(c, SKN_FIELDS_MODEL_CALL);
}

static skein_rc answer_call(skn_api_call *c, const skein_model_call *call)
{
    skn_shape_model_call_whole(&c->w, call, c->mem);
    return skn_page_fields(c, SKN_FIELDS_MODEL_CALL_WHOLE);
}

skein_rc skn_api_get_call(skn_api_call *c)
{
    skein_model_call call;
    skein_rc         rc;

    if ((rc = skn_find_world(c)) ||
        (rc = skein_model_call_get(c->engine, c->world.id, c->params[1], c->mem, &call,
                                   &c->error)))
        return skn_api_missing(c, rc, "call-not-found");
    return answer_call(c, &call);
}

/* A turn that failed before anything was kept has left nothing but its reason. */
static skein_rc never_sent(skn_api_call *c, skein_message *m, bool *failed)
{
    skein_messages   one = {m, 1};
    skein_deliveries d;
    skein_rc rc = skein_deliveries_of(c->engine, c->chat.id, &one, c->mem, &d, &c->error);

    *failed = false;
    for (size_t i = 0; rc == SKEIN_OK && i < d.count; i++)
        if (d.at[i].failed_at) {
            *failed = true;
            c->problem = "call-not-found";
            return skn_no_call_for(m->uid, &d.at[i], &c->error);
        }
    return rc;
}

static skein_rc no_call(skn_api_call *c, const skein_message *m)
{
    bool     said = m->role == SKEIN_USER || m->author != SKEIN_BY_AGENT;
    skein_rc rc = skn_fail(&c->error, SKEIN_NOT_FOUND,
                           said ? "no model wrote message \"%.*s\""
                                : "no call is kept for message \"%.*s\"",
                           SKN_FMT(m->uid));

    c->problem = "call-not-found";
    if (said)
        return skn_hint(&c->error, rc,
                        "What a model would be sent now is at /worlds/%.*s/chats/%.*s/context.",
                        SKN_FMT(c->world.name), SKN_FMT(c->chat.uid));
    return rc;
}

/* The last call of a message is the one whose answer it is, or the one that was to answer it in vain. */
skein_rc skn_api_get_message_context(skn_api_call *c)
{
    skein_message    m;
    skein_model_call call;
    bool             failed;
    skein_rc         rc;

    if ((rc = skn_api_message(c, &m)))
        return rc;
    rc = skein_model_call_get(c->engine, c->world.id, m.uid, c->mem, &call, &c->error);
    if (rc == SKEIN_NOT_FOUND)
        return (rc = never_sent(c, &m, &failed)) || failed ? rc : no_call(c, &m);
    return rc ? rc : answer_call(c, &call);
}
