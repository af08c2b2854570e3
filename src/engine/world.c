/* world.c: worlds and agents. */
#include "engine/core.h"
#include "engine/mention.h"

#include "base/json.h"

typedef struct world_call {
    skein_engine *e;
    skein_mem    *mem;
    skein_world  *world;
    skein_worlds *worlds;
    skn_str       ref;
    int64_t       id, chat;
} world_call;

/* Names are kept in lower case; ids are not touched. */
static skn_str lower(skn_str s, skn_arena *a)
{
    char *p = SKN_ARRAY(a, s.n + 1, char);

    for (size_t i = 0; i < s.n; i++)
        p[i] = (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] + 32 : s.p[i]);
    return (skn_str){p, s.n};
}

static skein_rc new_uid(const skein_engine *e, skein_mem *mem, skn_str *out)
{
    char uid[11];

    skn_store_uid(e->store, uid);
    *out = skn_arena_copy(mem, skn_str_of(uid));
    return SKEIN_OK;
}

static skein_rc world_new(skn_tx *tx, void *arg, skein_error *err)
{
    world_call *c = arg;
    skein_world taken;
    bool        found;
    skein_rc    rc;

    if ((rc = skn_world_by_ref(tx, c->world->name, SKN_NONE, c->mem, &taken, &found, err)))
        return rc;
    if (found)
        return skn_hint(err,
                        skn_fail(err, SKEIN_CONFLICT, "there is already a world \"%.*s\"",
                                 SKN_FMT(c->world->name)),
                        "Choose another name, or use that world.");
    new_uid(c->e, c->mem, &c->world->uid);
    c->world->created_at = SKN_NOW();
    return skn_world_insert(tx, c->world, err);
}

skein_rc skein_world_new(skein_engine *e, skein_world *w, skein_mem *mem, skein_error *err)
{
    world_call c = {.e = e, .mem = mem, .world = w};
    skein_rc   rc;

    if ((rc = skn_name_normal(w->name, mem, &w->name, err)) ||
        (rc = skn_check_text(e, w->description, "the description", err)))
        return rc;
    if (w->turn_limit < 0 || w->compact_at < 0 || w->compact_at == 1)
        return skn_fail(err, SKEIN_INVALID,
                        "the turn limit must be 1 or more, and compactAt 2 or more");
    w->turn_limit = w->turn_limit ? w->turn_limit : 8;
    w->compact_at = w->compact_at ? w->compact_at : 50;
    w->description = skn_arena_copy(mem, w->description);
    return skn_store_write(e->store, world_new, &c, err);
}

static skein_rc world_find(skn_tx *tx, void *arg, skein_error *err)
{
    world_call *c = arg;
    bool        found;
    skein_rc rc = skn_world_by_ref(tx, lower(c->ref, c->mem), c->ref, c->mem, c->world, &found,
                                   err);

    if (rc || found)
        return rc;
    return skn_hint(
        err, skn_fail(err, SKEIN_NOT_FOUND, "there is no world \"%.*s\"", SKN_FMT(c->ref)),
        "\"skein world ls\" lists the worlds.");
}

skein_rc skein_world_find(skein_engine *e, skein_str ref, skein_mem *mem, skein_world *out,
                          skein_error *err)
{
    world_call c = {.e = e, .mem = mem, .world = out, .ref = ref};
    skein_rc   rc = skn_check_word(ref, "the world's name", SKN_WORD_MAX, err);

    return rc ? rc : skn_store_read(e->store, world_find, &c, err);
}

static skein_rc world_list(skn_tx *tx, void *arg, skein_error *err)
{
    world_call *c = arg;

    return skn_world_rows(tx, c->mem, c->worlds, err);
}

skein_rc skein_world_list(skein_engine *e, skein_mem *mem, skein_worlds *out, skein_error *err)
{
    world_call c = {.e = e, .mem = mem, .worlds = out};

    return skn_store_read(e->store, world_list, &c, err);
}

static skein_rc no_world(int64_t id, skein_error *err)
{
    return skn_fail(err, SKEIN_NOT_FOUND, "there is no world with the number %lld",
                    (long long)id);
}

static skein_rc world_remove(skn_tx *tx, void *arg, skein_error *err)
{
    world_call *c = arg;
    bool        found;
    skein_rc    rc = skn_world_hide(tx, c->id, SKN_NOW(), &found, err);

    return rc || found ? rc : no_world(c->id, err);
}

skein_rc skein_world_remove(skein_engine *e, skein_world_id id, skein_error *err)
{
    world_call c = {.e = e, .id = id.v};

    return skn_store_write(e->store, world_remove, &c, err);
}

static skein_rc world_set_chat(skn_tx *tx, void *arg, skein_error *err)
{
    world_call          *c = arg;
    skn_conversation_row row;
    skein_world          world;
    bool                 found;
    skein_rc             rc;

    if ((rc = skn_world_get(tx, c->id, c->mem, &world, &found, err)))
        return rc;
    if (!found)
        return no_world(c->id, err);
    if (c->chat && (rc = skn_conversation_lock(tx, c->chat, c->mem, &row, &found, err)))
        return rc;
    if (c->chat && (!found || row.world_id != c->id || row.mode != SKEIN_CHAT))
        return skn_fail(err, SKEIN_NOT_FOUND, "this world has no chat with the number %lld",
                        (long long)c->chat);
    return skn_world_chat(tx, c->id, c->chat, err);
}

skein_rc skein_world_set_chat(skein_engine *e, skein_world_id id, skein_conversation_id chat,
                              skein_error *err)
{
    world_call c = {.e = e, .mem = skn_arena_new(), .id = id.v, .chat = chat.v};
    skein_rc   rc = skn_store_write(e->store, world_set_chat, &c, err);

    skn_arena_free(c.mem);
    return rc;
}

/* --- Agents --------------------------------------------------------------------------------------- */

typedef struct agent_call {
    skein_engine *e;
    skein_mem    *mem;
    skein_agent  *agent;
    skein_agents *agents;
    skn_str       ref;
    int64_t       world, id;
} agent_call;

static skein_rc no_agent(skn_str ref, skein_error *err)
{
    return skn_hint(
        err, skn_fail(err, SKEIN_NOT_FOUND, "this world has no agent \"%.*s\"", SKN_FMT(ref)),
        "\"skein agent ls\" lists its agents.");
}

static skein_rc agent_new(skn_tx *tx, void *arg, skein_error *err)
{
    agent_call *c = arg;
    skein_world world;
    skein_agent other;
    bool        found;
    skein_rc    rc;

    if ((rc = skn_world_get(tx, c->agent->world.v, c->mem, &world, &found, err)))
        return rc;
    if (!found)
        return no_world(c->agent->world.v, err);
    rc = skn_agent_by_ref(tx, world.id.v, c->agent->name, SKN_NONE, c->mem, &other, &found,
                          err);
    if (rc)
        return rc;
    if (found)
        return skn_fail(err, SKEIN_CONFLICT, "world \"%.*s\" already has an agent \"%.*s\"",
                        SKN_FMT(world.name), SKN_FMT(c->agent->name));
    if (c->agent->lead_name.p) {
        rc = skn_agent_by_ref(tx, world.id.v, c->agent->lead_name, c->agent->lead_name, c->mem,
                              &other, &found, err);
        if (rc || !found)
            return rc ? rc : no_agent(c->agent->lead_name, err);
        c->agent->lead = other.id;
    }
    new_uid(c->e, c->mem, &c->agent->uid);
    c->agent->created_at = SKN_NOW();
    return skn_agent_insert(tx, c->agent, err);
}

static skein_rc check_agent(const skein_engine *e, skein_agent *a, skein_mem *mem,
                            skein_error *err)
{
    const skn_json *settings;
    skein_rc        rc;

    if ((rc = skn_name_normal(a->name, mem, &a->name, err)) ||
        (a->lead_name.p && (rc = skn_name_normal(a->lead_name, mem, &a->lead_name, err))) ||
        (rc = skn_check_text(e, a->system_prompt, "the system prompt", err)) ||
        (a->model.p &&
         (rc = skn_check_word(a->model, "the model's name", SKN_WORD_MAX, err))) ||
        (rc = skn_check_text(e, a->settings, "the settings", err)))
        return rc;
    if (!a->settings.p)
        return SKEIN_OK;
    if ((rc = skn_json_parse(&settings, a->settings, "the settings", mem, err)))
        return rc;
    return settings->kind == SKN_JSON_OBJECT
               ? SKEIN_OK
               : skn_fail(err, SKEIN_INVALID, "the settings must be a JSON object");
}

/* Words that stand for the person, or for a role, wherever a sender is named. */
static bool is_reserved(skn_str name)
{
    static const char *const words[] = {"human",  "you",       "tool",
                                        "system", "assistant", "summary"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (skn_str_is(name, words[i]))
            return true;
    return false;
}

skein_rc skein_agent_new(skein_engine *e, skein_agent *a, skein_mem *mem, skein_error *err)
{
    agent_call c = {.e = e, .mem = mem, .agent = a};
    skein_rc   rc = check_agent(e, a, mem, err);

    if (!rc && is_reserved(a->name))
        return skn_fail(err, SKEIN_INVALID,
                        "\"%.*s\" cannot be an agent's name: it has a "
                        "meaning of its own",
                        SKN_FMT(a->name));
    return rc ? rc : skn_store_write(e->store, agent_new, &c, err);
}

static skein_rc agent_find(skn_tx *tx, void *arg, skein_error *err)
{
    agent_call *c = arg;
    bool        found;
    skein_rc    rc = skn_agent_by_ref(tx, c->world, lower(c->ref, c->mem), c->ref, c->mem,
                                      c->agent, &found, err);

    return rc || found ? rc : no_agent(c->ref, err);
}

skein_rc skein_agent_find(skein_engine *e, skein_world_id world, skein_str ref, skein_mem *mem,
                          skein_agent *out, skein_error *err)
{
    agent_call c = {.e = e, .mem = mem, .agent = out, .ref = ref, .world = world.v};
    skein_rc   rc = skn_check_word(ref, "the agent's name", SKN_WORD_MAX, err);

    return rc ? rc : skn_store_read(e->store, agent_find, &c, err);
}

static skein_rc agent_list(skn_tx *tx, void *arg, skein_error *err)
{
    agent_call *c = arg;

    return skn_agent_rows(tx, c->world, c->mem, c->agents, err);
}

skein_rc skein_agent_list(skein_engine *e, skein_world_id world, skein_mem *mem,
                          skein_agents *out, skein_error *err)
{
    agent_call c = {.e = e, .mem = mem, .agents = out, .world = world.v};

    return skn_store_read(e->store, agent_list, &c, err);
}

static skein_rc agent_remove(skn_tx *tx, void *arg, skein_error *err)
{
    agent_call *c = arg;
    bool        found;
    skein_rc    rc = skn_agent_hide(tx, c->id, SKN_NOW(), &found, err);

    if (rc || found)
        return rc;
    return skn_fail(err, SKEIN_NOT_FOUND, "there is no agent with the number %lld",
                    (long long)c->id);
}

skein_rc skein_agent_remove(skein_engine *e, skein_agent_id id, skein_error *err)
{
    agent_call c = {.e = e, .id = id.v};

    return skn_store_write(e->store, agent_remove, &c, err);
}
