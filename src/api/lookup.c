#include "api/call.h"
#include "base/clean.h"
#include "base/suggest.h"

#include <ctype.h>

enum {
    NAMES_MOST = 100, /* bytes of names in one hint */
    LOOK_BACK = 1000  /* messages among which the last one of a sender is looked for */
};

static skein_rc missing(skn_api_call *c, skein_rc rc, const char *thing)
{
    if (rc == SKEIN_NOT_FOUND)
        c->more.thing = thing;
    return rc;
}

/* "Did you mean "launch"? There are launch, lunch. Make it with "skein world new lanch"" */
static void advise_world(skn_api_call *c, skn_str ref, const skn_candidates *names)
{
    const char *meant = skn_candidates_suggest(c->mem, names, ref);
    char        list[NAMES_MOST] = "no world yet";
    skn_str     word;
    bool        may_be = skn_name_normal(ref, c->mem, &word, NULL) == SKEIN_OK;
    size_t      n = 0;

    word = may_be ? skn_shell_word(c->mem, skn_arena_copy(c->mem, word).p) : SKN_NONE;
    for (size_t i = 0; i < names->count && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", names->at[i]);
    if (n >= sizeof list)
        snprintf(list, sizeof list, "%zu worlds: skein world ls", names->count);
    c->more.meant = meant;
    skn_hint(
        &c->error, c->error.rc, "%s%s%sThere %s %s.%s%.*s%s", meant ? "Did you mean \"" : "",
        meant ? meant : "", meant ? "\"? " : "", names->count > 1 ? "are" : "is", list,
        may_be ? " Make it with \"skein world new " : "", SKN_FMT(word), may_be ? "\"" : "");
}

static skein_rc missing_world(skn_api_call *c, skein_rc rc, skn_str ref)
{
    skein_worlds   worlds;
    skn_candidates names;

    if (missing(c, rc, "world") != SKEIN_NOT_FOUND ||
        skein_world_list(c->engine, c->mem, &worlds, NULL))
        return rc;
    names = skn_candidates_new(c->mem, worlds.count);
    for (size_t i = 0; i < worlds.count; i++)
        skn_candidates_add(c->mem, &names, worlds.at[i].name);
    advise_world(c, ref, &names);
    return rc;
}

static skein_rc missing_agent(skn_api_call *c, skein_rc rc, skn_str ref)
{
    skein_agents   agents;
    skn_candidates names;

    if (missing(c, rc, "agent") != SKEIN_NOT_FOUND ||
        skein_agent_list(c->engine, c->world.id, c->mem, &agents, NULL))
        return rc;
    names = skn_candidates_new(c->mem, agents.count);
    for (size_t i = 0; i < agents.count; i++)
        skn_candidates_add(c->mem, &names, agents.at[i].name);
    c->more.meant = skn_candidates_suggest(c->mem, &names, ref);
    if (c->more.meant)
        skn_hint(&c->error, rc, "Did you mean \"%s\"?", c->more.meant);
    return rc;
}

skein_rc skn_find_world(skn_api_call *c)
{
    skein_rc rc = skein_world_find(c->engine, c->params[0], c->mem, &c->world, &c->error);

    return missing_world(c, rc, c->params[0]);
}

/* Titles and beginnings of ids are for people who type; over HTTP an id is whole. */
skein_rc skn_find_chat(skn_api_call *c, skn_str id)
{
    skein_rc rc = skein_conversation_find(c->engine, c->world.id, id, c->mem, &c->chat, NULL);

    if (rc == SKEIN_OK && skn_str_eq(c->chat.uid, id))
        return c->chat.archived && (c->route->flags & SKN_ROUTE_CHANGES)
                   ? skn_conversation_archived(id, &c->error)
                   : SKEIN_OK;
    c->chat = (skein_conversation){0};
    if (rc && rc != SKEIN_NOT_FOUND && rc != SKEIN_INVALID && rc != SKEIN_CONFLICT)
        return skein_conversation_find(c->engine, c->world.id, id, c->mem, &c->chat, &c->error);
    rc = skn_fail(&c->error, SKEIN_NOT_FOUND, "there is no chat \"%.*s\" in world \"%.*s\"",
                  SKN_FMT(id), SKN_FMT(c->world.name));
    return missing(c, rc, "chat");
}

/* The newest chat that belongs to no agent. */
static skein_rc newest_chat(skn_api_call *c)
{
    skein_conversations all;
    skein_rc rc = skein_conversation_list(c->engine, c->world.id, c->mem, &all, &c->error);

    for (size_t i = all.count; !rc && i-- > 0;)
        if (all.at[i].mode == SKEIN_CHAT &&
            (!c->chat.id.v || all.at[i].created_at > c->chat.created_at))
            c->chat = all.at[i];
    if (rc || c->chat.id.v)
        return rc;
    return skn_fail_hint(&c->error, SKEIN_NOT_FOUND,
                         "Make one with \"skein conv new\", or name one with -c",
                         "the world \"%.*s\" has no conversation yet", SKN_FMT(c->world.name));
}

/* An agent's own conversation, if there is one: reading does not make it. */
static skein_rc own_chat(skn_api_call *c, skn_str name, skein_mode mode)
{
    skein_conversations all;
    skein_agent         agent;
    skein_rc            rc = skn_find_agent(c, name, &agent);

    if (rc || (rc = skein_conversation_list(c->engine, c->world.id, c->mem, &all, &c->error)))
        return rc;
    for (size_t i = 0; i < all.count; i++)
        if (all.at[i].agent.v == agent.id.v && all.at[i].mode == mode) {
            c->chat = all.at[i];
            return SKEIN_OK;
        }
    return skn_fail_hint(&c->error, SKEIN_NOT_FOUND, "It is created on first use",
                         "\"%.*s\" has no %s conversation yet", SKN_FMT(agent.name),
                         skn_mode_name(mode));
}

static skein_rc find_chat_typed(skn_api_call *c, skn_str ref)
{
    skn_str    agent;
    skein_mode mode;
    skein_rc   rc;

    if (skn_str_is(ref, "@") && !c->world.current_chat.v)
        rc = newest_chat(c);
    else if (skn_str_is(ref, "@"))
        rc = skein_conversation_get(c->engine, c->world.current_chat, c->mem, &c->chat,
                                    &c->error);
    else if (skn_mode_ref(ref, &agent, &mode))
        rc = own_chat(c, agent, mode);
    else
        rc = skein_conversation_find(c->engine, c->world.id, ref, c->mem, &c->chat, &c->error);
    return c->more.thing ? rc : missing(c, rc, "chat");
}

/* The chat of params[1]. */
static skein_rc named_chat(skn_api_call *c)
{
    bool     typed = false;
    skein_rc rc = SKEIN_OK;

    if (c->route->flags & SKN_ROUTE_TYPED)
        rc = skn_call_query_flag(c, "typed", &typed);
    if (rc)
        return rc;
    return typed ? find_chat_typed(c, c->params[1]) : skn_find_chat(c, c->params[1]);
}

skein_rc skn_find_named(skn_api_call *c)
{
    const char *path = c->route->path;
    bool        gone = c->route->flags & SKN_ROUTE_GONE;
    bool        chat = strstr(path, "/{c}"), agent = strstr(path, "/{a}");
    skein_rc    rc;

    if (!strstr(path, "/{w}") || (gone && !chat))
        return SKEIN_OK;
    if ((rc = skn_find_world(c)) || gone)
        return rc;
    return agent ? skn_find_agent(c, c->params[1], &c->agent) : chat ? named_chat(c) : SKEIN_OK;
}

skein_rc skn_find_agent(skn_api_call *c, skn_str ref, skein_agent *out)
{
    skein_rc rc = skein_agent_find(c->engine, c->world.id, ref, c->mem, out, &c->error);

    return missing_agent(c, rc, ref);
}

skein_rc skn_find_message(skn_api_call *c, skn_str id, skein_message *out)
{
    skein_rc rc = skein_message_find(c->engine, c->chat.id, 0, id, c->mem, out, NULL);

    if (rc == SKEIN_OK && skn_str_eq(out->uid, id))
        return SKEIN_OK;
    if (rc && rc != SKEIN_NOT_FOUND && rc != SKEIN_INVALID && rc != SKEIN_CONFLICT)
        return skein_message_find(c->engine, c->chat.id, 0, id, c->mem, out, &c->error);
    rc = skn_fail(&c->error, SKEIN_NOT_FOUND, "there is no message \"%.*s\" in this chat",
                  SKN_FMT(id));
    return missing(c, rc, "message");
}

/* What the sender, an agent or a person, said last; "you" is the person who asks. */
static skein_rc latest_of(skn_api_call *c, skn_str name, skein_message *out)
{
    skein_slice    slice = {.conversation = c->chat.id, .from = -LOOK_BACK, .count = LOOK_BACK};
    skn_str        sender = skn_str_is(name, "you") ? SKN_STR("human") : name;
    skein_messages list;
    skein_at       at;
    skein_rc       rc = skein_read(c->engine, &slice, c->mem, &list, &at, &c->error);

    for (size_t i = rc ? 0 : list.count; i-- > 0;)
        if (skn_str_eq(list.at[i].sender, sender) && list.at[i].uid.n)
            return skn_message_typed(c->engine, c->chat.id, list.at[i].uid, c->mem, out,
                                     &c->error);
    return rc ? rc
              : skn_fail(&c->error, SKEIN_NOT_FOUND,
                         "none of the last %d messages is of \"%.*s\"", LOOK_BACK,
                         SKN_FMT(name));
}

skein_rc skn_find_message_typed(skn_api_call *c, skn_str ref, skein_message *out)
{
    bool     named = ref.n > 1 && ref.p[0] == '@' && isalpha((unsigned char)ref.p[1]);
    skein_rc rc = named ? latest_of(c, skn_str_sub(ref, 1, ref.n), out)
                        : skn_message_typed(c->engine, c->chat.id, ref, c->mem, out, &c->error);

    return missing(c, rc, "message");
}

skein_rc skn_find_memory(skn_api_call *c, skn_str name, skein_agent *out)
{
    skein_rc rc;

    *out = (skein_agent){.id = {0}};
    rc = name.p ? skn_find_agent(c, name, out) : SKEIN_OK;
    if (!rc && out->id.v == c->chat.agent.v)
        *out = (skein_agent){.id = {0}};
    return rc;
}

/* "v7": the ids of threads begin otherwise. */
static bool version_number(skn_str id, int64_t *out)
{
    return id.n > 1 && id.p[0] == 'v' && skn_str_int(skn_str_sub(id, 1, id.n), out) &&
           *out >= 0;
}

skein_rc skn_find_version(skn_api_call *c, skn_str id, skein_version *out)
{
    int64_t  number = c->chat.version;
    skein_rc rc;

    if (id.p && version_number(id, &number) && !number) /* to the engine 0 is the current one */
        rc = skn_fail_hint(&c->error, SKEIN_NOT_FOUND, "\"skein history\" lists its versions.",
                           "conversation \"%.*s\" has no version v0", SKN_FMT(c->chat.uid));
    else if (!id.p || version_number(id, &number))
        rc = skein_version_get(c->engine, c->chat.id, number, c->mem, out, &c->error);
    else
        rc = skein_version_of_thread(c->engine, c->chat.id, id, c->mem, out, &c->error);
    return missing(c, rc, "version");
}
