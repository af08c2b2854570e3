#include "cli/chat_far.h"

#include "cli/far_view.h"

static skn_cli *begin(skn_chat *c, skn_far_question *q)
{
    return skn_far_ask_apart(c->cli, c->mem, q);
}

static skein_rc end(skn_chat *c, const skn_far_question *q, skein_rc rc)
{
    c->cli->err = q->cli.err;
    return rc;
}

/* A server tells where it stood last; here it counts whether it stands there now. */
static skein_rc place_now(skn_cli *cli, const skein_message_facts *f, skein_message *m)
{
    const skn_json *chat;
    skein_rc        rc = skn_far_get(cli, &chat, "%s", cli->far->chat);

    for (size_t i = 0; !rc && i < f->version_count; i++)
        if (f->versions[i] == skn_far_int(chat, "version", 0))
            return SKEIN_OK;
    m->position = -1;
    return rc;
}

skein_rc skn_chat_far_message(skn_chat *c, skn_str uid, skein_message *out,
                              skein_message_facts *facts)
{
    skn_far_question q;
    skein_rc         rc = skn_far_message(begin(c, &q), uid, out, facts, NULL);

    return end(c, &q, rc ? rc : place_now(&q.cli, facts, out));
}

skein_rc skn_chat_far_version(skn_chat *c, int64_t *out)
{
    const skn_json  *v;
    skn_far_question q;
    skein_rc         rc = skn_far_get(begin(c, &q), &v, "%s", c->cli->far->chat);

    if (!rc)
        *out = skn_far_int(v, "version", 0);
    return end(c, &q, rc);
}

skein_rc skn_chat_far_last(skn_chat *c, int64_t count, skein_messages *out,
                           skein_message_facts **facts)
{
    skn_far_slice    what = {.last = count};
    skn_far_log      log;
    const skn_json  *chat;
    skn_far_question q;
    skein_rc         rc = skn_far_get(begin(c, &q), &chat, "%s", c->cli->far->chat);

    if (!rc) {
        what.thread = skn_far_text(chat, "currentThread");
        rc = skn_far_log_read(&q.cli, &what, &log);
    }
    if (!rc) {
        *out = log.list;
        *facts = log.facts;
    }
    return end(c, &q, rc);
}

/* --- What waits --------------------------------------------------------------------------- */

skein_rc skn_chat_far_queue(skn_chat *c, skein_queue *out)
{
    skn_far_question q;

    return end(c, &q, skn_far_queue(begin(c, &q), out));
}

static const char *waiting_path(skn_chat *c, skn_cli *cli, skn_str uid)
{
    return skn_arena_printf(c->mem, "%s/queue/%s", cli->far->chat, skn_far_part(cli, uid)).p;
}

skein_rc skn_chat_far_now(skn_chat *c, skn_str uid)
{
    const skn_json  *v;
    skn_far_question q;
    skn_cli         *cli = begin(c, &q);

    return end(c, &q,
               skn_far_change(cli, "PATCH", waiting_path(c, cli, uid),
                              SKN_STR("{\"send\":true}"), &v));
}

skein_rc skn_chat_far_requeue(skn_chat *c, skn_str uid, skn_str text)
{
    const skn_json  *v;
    skn_far_question q;
    skn_far_body     b;
    skn_cli         *cli = begin(c, &q);

    skn_jw_kstr(skn_far_body_begin(cli, &b), "content", text);
    return end(c, &q, skn_far_send(&b, "PATCH", waiting_path(c, cli, uid), &v));
}

/* --- Who is there, and how far they are ----------------------------------------------------- */

skein_rc skn_chat_far_agents(skn_chat *c)
{
    skn_cli        *cli = c->cli;
    const skn_json *told;
    skein_rc        rc = skn_far_agents(cli, &c->agents);

    if (rc)
        return rc;
    c->states = SKN_ARRAY(cli->keep, c->agents.count + 1, skn_str);
    for (size_t i = 0; i < c->agents.count; i++)
        c->states[i] = skn_json_parse(&told, c->agents.at[i].settings, "the agent", cli->keep,
                                      NULL)
                           ? SKN_STR("idle")
                           : skn_far_text(told, "state");
    return SKEIN_OK;
}

/* An event behind the last one that came is still to be told. */
static skein_rc is_told(skn_cli *cli, skn_str chat, skn_str last, bool *out)
{
    const skn_json *page, *data;
    skein_rc        rc = skn_far_get(cli, &page, "%s/events?chatId=%s&limit=1&after=%.*s",
                                     cli->far->world, skn_far_part(cli, chat),
                              last.n ? (int)last.n : 1, last.n ? last.p : "0");

    data = rc ? NULL : skn_json_get(page, "data");
    *out = data && !data->first;
    return rc;
}

skein_rc skn_chat_far_settled(skn_chat *c, bool *out)
{
    const skn_json  *world;
    skn_far_question q;
    skn_cli         *cli = begin(c, &q);
    skein_rc         rc = skn_far_get(cli, &world, "%s/status", cli->far->world);

    *out = !rc && !skn_far_flag(world, "isProcessing");
    if (*out)
        rc = is_told(cli, c->chat.uid, skn_buf_str(&c->news.stream.sse.last_id), out);
    return end(c, &q, rc);
}
