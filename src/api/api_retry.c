/* One agent answers a message once more. */
#include "api/handlers.h"

#include "base/error.h"

static skein_rc find_agent(skn_api_call *c, skein_agent *out)
{
    skn_str  name;
    skein_rc rc = skn_call_text(c, "agent", true, &name);

    return rc ? rc : skn_find_agent(c, name, out);
}

/* It goes on by itself: what comes of it is told in the chat. */
skein_rc skn_api_retry_answer(skn_api_call *c)
{
    skein_message     m;
    skein_messages    list = {&m, 1};
    skein_agent       agent;
    skein_posted      posted;
    skn_told_messages told;
    bool              tools;
    skein_rc          rc;

    if ((rc = skn_api_message(c, &m)) || (rc = find_agent(c, &agent)) ||
        (rc = skn_call_flag(c, "tools", true, &tools)) ||
        (rc = skein_answer_again(c->engine, c->chat.id, m.id, agent.id, !tools, c->mem, &posted,
                                 &c->error)) ||
        (rc = skn_api_explain(c, c->chat.version, &list, &told)))
        return rc;
    c->status = 202;
    skn_api_location(c, "/messages/%.*s", SKN_FMT(m.uid));
    skn_api_write_message(c, &told, 0);
    return SKEIN_OK;
}
