/* world.c: worlds and agents. */
#include "engine/engine.h"
#include "engine/work/act.h"

#define LEAD_LEVELS 1000 /* of agents that lead one another */

typedef struct world_call {
    skein_world *world;
    skn_str      ref, name; /* of one that is brought back; no name: its own */
    int64_t      id;        /* of the world, or of a conversation in it */
    bool         force;
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

static skein_rc world_new(skn_working *w, void *arg, skein_error *err)
{
    world_call *c = arg;
    skein_rc    rc = skn_world_name_free(w->tx, c->world->name, 0, w->a, err);

    if (rc)
        return rc;
    new_uid(w->e, w->a, &c->world->uid);
    c->world->created_at = SKN_NOW();
    if ((rc = skn_world_insert(w->tx, c->world, err)))
        return rc;
    skn_feed_world_is(w->tx, c->world);
    if (!c->world->settings.n)
        return SKEIN_OK;
    return skn_audit_in(w, "world.change", c->world->name,
                        skn_audit_changes(SKN_NONE, c->world->settings, w->a), err);
}

skein_rc skein_world_new(skein_engine *e, skein_world *w, skein_mem *mem, skein_error *err)
{
    world_call c = {.world = w};
    skein_rc   rc;

    if ((rc = skn_name_normal(w->name, mem, &w->name, err)) ||
        (rc = skn_world_check(e, w, err)))
        return rc;
    if (w->settings.p && (rc = skn_world_settings_take(w->settings, SKN_NONE, e->env_rule, mem,
                                                       &w->settings, err)))
        return rc;
    w->turn_limit = w->turn_limit ? w->turn_limit : SKN_TURN_LIMIT_STANDARD;
    w->compact_at = w->compact_at ? w->compact_at : SKN_COMPACT_AT_STANDARD;
    w->description = skn_arena_copy(mem, w->description);
    return skn_write(e, mem, world_new, &c, err);
}

/* What is too long to be a name is the name of no world. */
static skein_rc check_world_ref(skn_str ref, skein_error *err)
{
    if (ref.n > SKN_WORD_MAX)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no world with a name of %zu bytes",
                        ref.n);
    return skn_check_word(ref, "the world's name", SKN_WORD_MAX, err);
}

skein_rc skein_world_find(skein_engine *e, skein_str ref, skein_mem *mem, skein_world *out,
                          skein_error *err)
{
    bool         found = true;
    skn_snapshot s = {.store = e->store};

    s.rc = check_world_ref(ref, err);
    while (skn_snapshot_next(&s, err))
        s.rc = skn_world_by_ref(s.tx, lower(ref, mem), ref, mem, out, &found, err);
    if (s.rc || found)
        return s.rc;
    return skn_fail_hint(err, SKEIN_NOT_FOUND, "\"skein world ls\" lists the worlds.",
                         "there is no world \"%.*s\"", SKN_FMT(ref));
}

static skein_rc world_remove(skn_working *w, void *arg, skein_error *err)
{
    world_call *c = arg;
    skein_world world;
    bool        found;
    skein_rc    rc;

    if ((rc = skn_world_need(w->tx, c->id, w->a, &world, err)) ||
        (rc = skn_work_leave_world(w, c->id, c->force, err)) ||
        (rc = skn_world_hide(w->tx, c->id, SKN_NOW(), &found, err)))
        return rc;
    if (!found) /* somebody was faster */
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no world with the number %lld",
                        (long long)c->id);
    skn_feed_world(w->tx, c->id, "world.updated", SKN_TOLD(SKN_M_BOOL("removed", true)));
    return skn_audit_in(w, "world.remove", world.name, world.uid, err);
}

skein_rc skein_world_remove(skein_engine *e, skein_world_id id, bool force, skein_error *err)
{
    world_call c = {.id = id.v, .force = force};

    return skn_write(e, NULL, world_remove, &c, err);
}

/* --- Agents --------------------------------------------------------------------------------------- */

typedef struct agent_call {
    skein_agent *agent;
    int64_t      id;
    bool         force;

    const skein_agent     *was;   /* as it must still be; NULL: it may be any */
    const skn_agent_hours *hours; /* NULL: as they are */
} agent_call;

static skein_rc set_hours(skn_working *w, const agent_call *c, skein_error *err)
{
    return c->hours ? skn_agent_hours_in(w, c->agent->id, c->hours, err) : SKEIN_OK;
}

static skein_rc no_agent(skn_str ref, skein_error *err)
{
    return skn_fail_hint(err, SKEIN_NOT_FOUND, "\"skein agent ls\" lists its agents.",
                         "this world has no agent \"%.*s\"", SKN_FMT(ref));
}

static skein_rc find_lead(skn_working *w, agent_call *c, int64_t world, skein_error *err)
{
    skn_str     name = c->agent->lead_name;
    skein_agent lead;
    bool        found;
    skein_rc    rc;

    c->agent->lead.v = 0;
    if (!name.p)
        return SKEIN_OK;
    if ((rc = skn_agent_by_ref(w->tx, world, name, name, w->a, &lead, &found, err)))
        return rc;
    if (!found)
        return no_agent(name, err);
    c->agent->lead = lead.id;
    return SKEIN_OK;
}

/* What is another than before: "systemPrompt, model, tools". Values are not in it. */
static skn_str changes_of(const skein_agent *before, const skein_agent *now, skn_arena *a)
{
    skn_str settings = skn_audit_changes(before->settings, now->settings, a);
    skn_str names = skn_arena_printf(
        a, "%s%s%s%s%.*s",
        skn_str_eq(before->system_prompt, now->system_prompt) ? "" : ", systemPrompt",
        skn_str_eq(before->model, now->model) ? "" : ", model",
        skn_str_eq(before->lead_name, now->lead_name) ? "" : ", lead", settings.n ? ", " : "",
        SKN_FMT(settings));

    return skn_str_sub(names, names.n ? 2 : 0, names.n);
}

skein_rc skn_agent_audit(skn_working *w, const char *what, const skein_agent *agent,
                         skn_str names, skein_error *err)
{
    skein_world world = {.name = SKN_NONE};
    bool        found;
    skein_rc    rc = skn_world_get(w->tx, agent->world.v, w->a, &world, &found, err);

    if (rc)
        return rc;
    names = skn_arena_printf(w->a, "%.*s%s%.*s", SKN_FMT(world.name), names.n ? ": " : "",
                             SKN_FMT(names));
    return skn_audit_in(w, what, agent->name, names, err);
}

static skein_rc agent_new(skn_working *w, void *arg, skein_error *err)
{
    agent_call *c = arg;
    skein_world world;
    skein_agent other;
    bool        found;
    skein_rc    rc;

    if ((rc = skn_world_need(w->tx, c->agent->world.v, w->a, &world, err)) ||
        (rc = skn_agent_by_ref(w->tx, world.id.v, c->agent->name, SKN_NONE, w->a, &other,
                               &found, err)))
        return rc;
    if (found)
        return skn_fail(err, SKEIN_CONFLICT, "world \"%.*s\" already has an agent \"%.*s\"",
                        SKN_FMT(world.name), SKN_FMT(c->agent->name));
    if ((rc = find_lead(w, c, world.id.v, err)))
        return rc;
    new_uid(w->e, w->a, &c->agent->uid);
    c->agent->created_at = SKN_NOW();
    if ((rc = skn_agent_insert(w->tx, c->agent, err)))
        return rc;
    skn_feed_agent_is(w->tx, c->agent, "agent.created");
    rc = skn_agent_audit(w, "agent.create", c->agent,
                         changes_of(&(skein_agent){.name = SKN_NONE}, c->agent, w->a), err);
    return rc ? rc : set_hours(w, c, err);
}

static skein_rc check_agent(const skein_engine *e, skein_agent *a, skein_mem *mem,
                            skein_error *err)
{
    const skn_json *settings;
    skein_rc        rc;

    if ((a->lead_name.p && (rc = skn_name_normal(a->lead_name, mem, &a->lead_name, err))) ||
        (rc = skn_check_text(e, a->system_prompt, "the system prompt", err)) ||
        (rc = skn_check_given(a->model, "the model's name", SKN_WORD_MAX, err)) ||
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
    return skn_str_among(name, "human you tool system assistant summary");
}

static skein_rc save_new(skein_engine *e, agent_call *c, skein_mem *mem, skein_error *err)
{
    skein_agent *a = c->agent;
    skein_rc     rc = skn_name_normal(a->name, mem, &a->name, err);

    if (!rc)
        rc = check_agent(e, a, mem, err);
    if (!rc && is_reserved(a->name))
        return skn_fail(err, SKEIN_INVALID,
                        "\"%.*s\" cannot be an agent's name: it has a "
                        "meaning of its own",
                        SKN_FMT(a->name));
    return rc ? rc : skn_write(e, mem, agent_new, c, err);
}

skein_rc skein_agent_new(skein_engine *e, skein_agent *a, skein_mem *mem, skein_error *err)
{
    return save_new(e, &(agent_call){.agent = a}, mem, err);
}

skein_rc skein_agent_find(skein_engine *e, skein_world_id world, skein_str ref, skein_mem *mem,
                          skein_agent *out, skein_error *err)
{
    bool         found = true;
    skn_snapshot s = {.store = e->store};

    s.rc = skn_check_word(ref, "the agent's name", SKN_WORD_MAX, err);
    while (skn_snapshot_next(&s, err))
        s.rc = skn_agent_by_ref(s.tx, world.v, lower(ref, mem), ref, mem, out, &found, err);
    return s.rc || found ? s.rc : no_agent(ref, err);
}

/* Nobody leads those who lead it. */
static skein_rc check_leads(skn_working *w, const agent_call *c, skein_error *err)
{
    skein_agent above;
    int         steps = 0;
    bool        found = true;
    skein_rc    rc = SKEIN_OK;

    for (int64_t at = c->agent->lead.v; rc == SKEIN_OK && found && at; at = above.lead.v) {
        if (at == c->id || ++steps > LEAD_LEVELS)
            return skn_fail(err, SKEIN_INVALID, "\"%.*s\" cannot be led by \"%.*s\"",
                            SKN_FMT(c->agent->name), SKN_FMT(c->agent->lead_name));
        above.lead.v = 0;
        rc = skn_agent_get(w->tx, at, w->a, &above, &found, err);
    }
    return rc;
}

static bool is_same(const skein_agent *a, const skein_agent *b)
{
    return skn_str_eq(a->system_prompt, b->system_prompt) && skn_str_eq(a->model, b->model) &&
           skn_str_eq(a->lead_name, b->lead_name) && skn_str_eq(a->settings, b->settings);
}

static skein_rc agent_update(skn_working *w, void *arg, skein_error *err)
{
    agent_call *c = arg;
    skein_agent now;
    skn_str     names;
    bool        found;
    skein_rc    rc;

    if ((rc = skn_agent_hold(w->tx, c->id, &found, err)) ||
        (rc = skn_agent_need(w->tx, c->id, w->a, &now, err)))
        return rc;
    if (c->was && !is_same(c->was, &now))
        return skn_fail(err, SKEIN_VERSION_CHANGED, "agent \"%.*s\" was changed meanwhile",
                        SKN_FMT(now.name));
    c->agent->uid = now.uid;
    c->agent->world = now.world;
    c->agent->name = now.name;
    c->agent->created_at = now.created_at;
    if ((rc = find_lead(w, c, now.world.v, err)) || (rc = check_leads(w, c, err)) ||
        (rc = skn_agent_put(w->tx, c->agent, err)))
        return rc;
    skn_feed_agent_is(w->tx, c->agent, "agent.updated");
    names = changes_of(&now, c->agent, w->a);
    if (names.n && (rc = skn_agent_audit(w, "agent.change", c->agent, names, err)))
        return rc;
    return set_hours(w, c, err);
}

static skein_rc save_changed(skein_engine *e, agent_call *c, skein_mem *mem, skein_error *err)
{
    skein_rc rc = check_agent(e, c->agent, mem, err);

    return rc ? rc : skn_write(e, mem, agent_update, c, err);
}

skein_rc skein_agent_update_from(skein_engine *e, const skein_agent *was, skein_agent *a,
                                 skein_mem *mem, skein_error *err)
{
    agent_call c = {.agent = a, .id = a->id.v, .was = was};

    return save_changed(e, &c, mem, err);
}

skein_rc skn_agent_save(skein_engine *e, const skein_agent *was, skein_agent *a,
                        const skn_agent_hours *hours, skein_mem *mem, skein_error *err)
{
    agent_call c = {.agent = a, .id = a->id.v, .was = was, .hours = hours};
    skein_rc   rc = skn_agent_hours_check(hours, err);

    return rc ? rc : a->id.v ? save_changed(e, &c, mem, err) : save_new(e, &c, mem, err);
}

skein_rc skein_agent_update(skein_engine *e, skein_agent *a, skein_mem *mem, skein_error *err)
{
    return skein_agent_update_from(e, NULL, a, mem, err);
}

static skein_rc agent_remove(skn_working *w, void *arg, skein_error *err)
{
    agent_call *c = arg;
    skein_agent agent;
    bool        found;
    skein_rc    rc;

    if ((rc = skn_agent_need(w->tx, c->id, w->a, &agent, err)) ||
        (rc = skn_agent_hide(w->tx, c->id, SKN_NOW(), &found, err)))
        return rc;
    skn_feed_agent_is(w->tx, &agent, "agent.removed");
    if ((rc = skn_work_leave_agent(w, c->id, c->force, err)) ||
        (rc = skn_conversations_leave(w, c->id, err)) ||
        (rc = skn_agent_audit(w, "agent.remove", &agent, SKN_NONE, err)))
        return rc;
    return skn_agent_left(w, &agent, err);
}

skein_rc skein_agent_remove(skein_engine *e, skein_agent_id id, bool force, skein_error *err)
{
    agent_call c = {.id = id.v, .force = force};

    return skn_write(e, NULL, agent_remove, &c, err);
}

/* Worlds that were removed, and bringing one back. */

/* Its name may have been given to several since; its id is its own. */
static skein_rc pick(const skein_worlds *all, skn_str ref, skein_world *out, skein_error *err)
{
    size_t fits = 0;

    for (size_t i = 0; i < all->count; i++) {
        const skein_world *w = &all->at[i];

        if (skn_str_eq(w->uid, ref)) {
            *out = *w;
            return SKEIN_OK;
        }
        if (skn_str_eq(w->name, ref) && fits++ == 0)
            *out = *w;
    }
    if (fits == 1)
        return SKEIN_OK;
    if (fits)
        return skn_fail_hint(
            err, SKEIN_CONFLICT, "Name its id: \"skein world ls --removed\" shows them.",
            "%zu worlds with the name \"%.*s\" were removed", fits, SKN_FMT(ref));
    return skn_fail_hint(err, SKEIN_NOT_FOUND,
                         "\"skein world ls --removed\" lists those that were.",
                         "no world \"%.*s\" was removed here", SKN_FMT(ref));
}

static skein_rc show_world(skn_working *w, void *arg, skein_error *err)
{
    world_call  *c = arg;
    skein_worlds all;
    bool         found;
    skein_rc     rc;

    if ((rc = skn_world_hidden(w->tx, w->a, &all, err)) ||
        (rc = pick(&all, c->ref, c->world, err)))
        return rc;
    if (c->name.p)
        c->world->name = c->name;
    rc = skn_world_name_free(w->tx, c->world->name, c->world->id.v, w->a, err);
    if (rc == SKEIN_CONFLICT)
        skn_hint(err, rc, "Restore it with another name: skein world restore %.*s --as NAME.",
                 SKN_FMT(c->world->uid));
    /* Named first: as soon as it is shown, no other world may have its name. */
    if (rc || (c->name.p && (rc = skn_world_put(w->tx, c->world, err))) ||
        (rc = skn_world_show(w->tx, c->world->id.v, &found, err)))
        return rc;
    skn_feed_world_is(w->tx, c->world);
    return skn_audit_in(w, "world.restore", c->world->name, c->world->uid, err);
}

/* What waited in a conversation is said. */
static skein_rc settle_chat(skn_working *w, void *arg, skein_error *err)
{
    world_call *c = arg;
    skein_rc    rc = skn_working_hold(w, (skein_conversation_id){c->id}, err);

    return rc ? rc : skn_settle(w, err);
}

/* Conversations are held one by one: a transaction that waits for the world holds one of them. */
skein_rc skein_world_restore(skein_engine *e, skein_str ref, skein_str name, skein_mem *mem,
                             skein_world *out, skein_error *err)
{
    world_call          c = {.world = out, .ref = ref};
    skein_conversations chats;
    skein_rc            rc;

    if ((rc = check_world_ref(ref, err)) ||
        (name.p && (rc = skn_name_normal(name, mem, &c.name, err))) ||
        (rc = skn_write(e, mem, show_world, &c, err)) ||
        (rc = skein_conversation_list(e, out->id, mem, &chats, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < chats.count; i++) {
        c.id = chats.at[i].id.v;
        rc = skn_write(e, mem, settle_chat, &c, err);
    }
    return rc;
}
