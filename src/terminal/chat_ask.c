#include "terminal/chat.h"

#include <inttypes.h>

skn_cli *skn_chat_ask(skn_chat *c, skn_arena *mem)
{
    return skn_door_ask_apart(c->cli, mem, &c->question);
}

skein_rc skn_chat_told(skn_chat *c, skein_rc rc)
{
    c->cli->err = c->question.cli.err;
    return rc;
}

/* --- The conversation ----------------------------------------------------------------------- */

skein_rc skn_chat_now(skn_chat *c, skn_arena *mem, skein_conversation *out)
{
    const skn_json *v;
    skein_rc        rc = skn_door_get(skn_chat_ask(c, mem), &v, "%s", c->cli->door->chat);

    if (!rc)
        skn_door_read_chat(&c->question.cli, v, out);
    return skn_chat_told(c, rc);
}

static skein_rc read_lane(skn_chat *c, skn_arena *mem, skn_str lane, int64_t last,
                          skn_door_log *out)
{
    skn_door_slice what = {
        .thread = skn_arena_printf(mem, "v%" PRId64, c->version), .lane = lane, .last = last};

    return skn_chat_told(c, skn_door_log_read(skn_chat_ask(c, mem), &what, out));
}

skein_rc skn_chat_last(skn_chat *c, skn_arena *mem, int64_t count, skn_door_log *out)
{
    return read_lane(c, mem, SKN_NONE, count, out);
}

skein_rc skn_chat_ids(skn_chat *c, skn_arena *mem, int64_t version, int64_t from, int64_t count,
                      skn_json_list *out)
{
    skn_str     thread = version ? skn_arena_printf(mem, "/threads/v%" PRId64, version)
                                 : SKN_STR("");
    const char *path = skn_arena_text(mem, "%s%.*s/messages?fields=messageId&from=%" PRId64,
                                      c->cli->door->chat, SKN_FMT(thread), from);

    return skn_chat_told(c, skn_door_all(skn_chat_ask(c, mem), path, (size_t)count, out));
}

bool skn_chat_holds(skn_chat *c, const skein_message_facts *facts)
{
    skein_conversation now;
    skein_error        before = c->cli->err;
    skein_rc           rc = skn_chat_now(c, c->mem, &now);

    c->cli->err = before;
    for (size_t i = 0; !rc && i < facts->version_count; i++)
        if (facts->versions[i] == now.version)
            return true;
    return false;
}

/* --- Who is there, and how far they are ----------------------------------------------------- */

static void read_states(skn_chat *c, const skn_json *status)
{
    for (const skn_json *t = skn_first(status, "busy"); t; t = t->next)
        for (size_t i = 0; i < c->agents.count; i++)
            if (skn_str_eq(c->agents.at[i].name, skn_json_str(t, "agent")))
                c->states[i] = skn_json_str(t, "state");
}

static skein_rc get_status(skn_cli *cli, const skn_json **out)
{
    return skn_door_get(cli, out, "%s/status?chatId=%s", cli->door->world,
                        skn_door_part(cli, cli->door->chat_uid));
}

skein_rc skn_chat_agents_read(skn_chat *c)
{
    skn_arena      *mem = skn_arena_new();
    const skn_json *status;
    skein_agents    agents;
    skein_rc        rc;

    if ((rc = skn_door_agents(skn_chat_ask(c, mem), &agents)) ||
        (rc = get_status(&c->question.cli, &status))) {
        skn_arena_free(mem);
        return skn_chat_told(c, rc);
    }
    if (c->who)
        skn_arena_free(c->who);
    c->who = mem;
    c->agents = agents;
    c->states = SKN_ARRAY(mem, agents.count + 1, skn_str);
    for (size_t i = 0; i < agents.count; i++)
        c->states[i] = SKN_STR("idle");
    read_states(c, status);
    return SKEIN_OK;
}

/* An event behind the last one that came is still to be told. */
static skein_rc is_told(skn_cli *cli, skn_str last, bool *out)
{
    const skn_json *page;
    skein_rc        rc = skn_door_get(cli, &page, "%s/events?chatId=%s&limit=1&after=%.*s",
                                      cli->door->world, skn_door_part(cli, cli->door->chat_uid),
                               last.n ? (int)last.n : 1, last.n ? last.p : "0");

    *out = !rc && !skn_first(page, "data");
    return rc;
}

skein_rc skn_chat_settled(skn_chat *c, bool *out)
{
    const skn_json *status;
    skein_rc        rc = get_status(skn_chat_ask(c, c->mem), &status);

    *out = !rc && !skn_door_flag(status, "isProcessing");
    if (*out)
        rc = is_told(&c->question.cli, skn_buf_str(&c->news.stream.sse.last_id), out);
    return skn_chat_told(c, rc);
}

/* --- Lanes ---------------------------------------------------------------------------------- */

typedef struct skn_chat_lane_read {
    struct skn_chat_lane_read *next;
    skn_str                    key;
    int64_t                    last;
    skn_door_log               log;
    skein_rc                   rc; /* what cannot be read now is not asked for with each row */
} lane_read;

static skein_rc delegations_of(skn_cli *cli, skein_delegations *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_lanes_read(cli, false, &list);

    *out = (skein_delegations){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_delegation)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_delegation_from_json(list.p[i], cli->keep, &out->at[out->count++]);
    return rc;
}

skein_rc skn_chat_delegations(skn_chat *c, const skein_delegations **out)
{
    skein_rc rc;

    *out = &c->delegations;
    if (c->delegations_mem)
        return SKEIN_OK;
    c->delegations_mem = skn_arena_new();
    if ((rc = skn_chat_told(
             c, delegations_of(skn_chat_ask(c, c->delegations_mem), &c->delegations))))
        skn_chat_forget(c, true);
    return rc;
}

skein_rc skn_chat_lane(skn_chat *c, skn_str key, int64_t last, const skn_door_log **out)
{
    lane_read *l = c->lanes;

    while (l && !(l->last == last && skn_str_eq(l->key, key)))
        l = l->next;
    if (!l) {
        if (!c->lanes_mem)
            c->lanes_mem = skn_arena_new();
        l = SKN_NEW(c->lanes_mem, lane_read);
        *l = (lane_read){
            .next = c->lanes, .key = skn_arena_copy(c->lanes_mem, key), .last = last};
        l->rc = read_lane(c, c->lanes_mem, skn_str_is(key, "main") ? SKN_NONE : key, last,
                          &l->log);
        c->lanes = l;
    }
    *out = &l->log;
    return l->rc;
}

void skn_chat_forget(skn_chat *c, bool all)
{
    if (c->lanes_mem)
        skn_arena_free(c->lanes_mem);
    c->lanes_mem = NULL;
    c->lanes = NULL;
    if (!all)
        return;
    if (c->delegations_mem)
        skn_arena_free(c->delegations_mem);
    c->delegations_mem = NULL;
    c->delegations = (skein_delegations){0};
}
