/* Worlds: making, reading, changing and removing them. */
#include "api/call.h"

#include "base/hash.h"

#include <inttypes.h>

#define TRIES 10 /* to change what others change at the same time */

/* The turns of one world out of those of all. */
static skn_at_work work_of(skn_api_call *c, const skn_at_work *all, skein_world_id world)
{
    skn_at_work one = {.dues = all->dues, .now = all->now, .left_before = all->left_before};

    one.turns.at = SKN_ARRAY(c->mem, all->turns.count + 1, skein_turn);
    for (size_t i = 0; i < all->turns.count; i++)
        if (all->turns.at[i].world.v == world.v)
            one.turns.at[one.turns.count++] = all->turns.at[i];
    return one;
}

/* One model with the agents, from `first` on, that it answers for. The agents are not paused. */
static void write_answerer(skn_jw *w, const skein_agents *agents, const skn_api_answerer *all,
                           size_t first)
{
    const skn_api_answerer *one = &all[first];

    skn_jw_object(w);
    skn_jw_kstr(w, "model", one->model);
    skn_jw_kbool(w, "scripted", one->scripted);
    if (one->known)
        skn_jw_kbool(w, "local", one->local);
    else
        skn_jw_knull(w, "local");
    skn_jw_kstr(w, "host", one->host);
    skn_jw_karray(w, "agents");
    for (size_t i = first; i < agents->count; i++)
        if (skn_str_eq(all[i].model, one->model))
            skn_jw_str(w, agents->at[i].name);
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}

static bool was_before(const skn_api_answerer *all, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (skn_str_eq(all[i].model, all[at].model))
            return true;
    return false;
}

static skein_agents awake_of(skn_api_call *c, const skein_agents *all,
                             const skein_agent_work *work)
{
    skein_agents awake = {SKN_ARRAY(c->mem, all->count + 1, skein_agent), 0};

    for (size_t i = 0; i < all->count; i++)
        if (!work[i].paused)
            awake.at[awake.count++] = all->at[i];
    return awake;
}

/* Which models would answer the next message in a world, and where each runs. */
static skn_str answers_of(skn_api_call *c, const skein_agents *agents)
{
    const skn_api_agents *to = &c->api->o.agents;
    skn_api_answerer     *all = SKN_ARRAY(c->mem, agents->count + 1, skn_api_answerer);
    skn_buf               b;
    skn_jw                w;
    skn_str               text;

    if (!to->answerer)
        return SKN_NONE;
    for (size_t i = 0; i < agents->count; i++)
        to->answerer(to->arg, agents->at[i].model, c->mem, &all[i]);
    skn_jw_open(&w, &b, (size_t)4 << 20);
    skn_jw_array(&w);
    for (size_t i = 0; i < agents->count; i++)
        if (!was_before(all, i))
            write_answerer(&w, agents, all, i);
    skn_jw_array_end(&w);
    text = b.over ? SKN_NONE : skn_arena_copy(c->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text;
}

/* Members that take looking at agents and their work. */
#define OF_AGENTS "isProcessing,busy,answersWith,agents"

/* removed: no agent answers in it. Members that nobody asked for are not read. */
static skein_rc write_world(skn_api_call *c, const skein_world *world, const skn_at_work *work,
                            bool removed)
{
    skein_agents        agents = {NULL, 0}, awake;
    skein_conversations chats = {NULL, 0};
    skn_at_work         whole = *work;
    skein_rc            rc;

    if ((skn_page_wants(c, "chats") &&
         (rc = skein_conversation_list(c->engine, world->id, c->mem, &chats, &c->error))) ||
        (skn_page_wants(c, OF_AGENTS) &&
         (rc = skein_agent_list(c->engine, world->id, c->mem, &agents, &c->error))))
        return rc;
    if ((rc = skn_api_agents_told(c, &agents, &whole)))
        return rc;
    awake = awake_of(c, &agents, whole.agents);
    whole.answers = removed ? SKN_NONE : answers_of(c, &awake);
    skn_shape_world_at_work(&c->w, world, &agents, &chats, &whole, c->mem);
    return SKEIN_OK;
}

static skein_rc work_in(skn_api_call *c, skein_world_id world, skn_at_work *out)
{
    *out = (skn_at_work){.now = 0};
    return skn_page_wants(c, OF_AGENTS) ? skn_api_at_work(c, world, out) : SKEIN_OK;
}

static skein_rc answer_world(skn_api_call *c)
{
    skn_at_work work;
    skein_rc    rc = work_in(c, c->world.id, &work);

    return rc ? rc : write_world(c, &c->world, &work, false);
}

/* Changes with what a client may change. */
static skn_str world_stem(skn_api_call *c, const skein_world *w)
{
    skn_str numbers = skn_arena_printf(c->mem, "%" PRId64 " %" PRId64 " %" PRId64,
                                       w->turn_limit, w->compact_at, w->current_chat.v);
    skn_str parts[] = {w->uid, w->name, w->description, numbers, w->settings};

    return skn_api_stem(c, 'w', parts, sizeof parts / sizeof parts[0]);
}

/* The end of the tag changes with everything else: who is at work, which agents and chats there are. */
static void tag_world(skn_api_call *c)
{
    bool same;

    skn_call_etag(c,
                  skn_arena_printf(c->mem, "%.*s-%016" PRIx64 "\"",
                                   SKN_FMT(world_stem(c, &c->world)),
                                   skn_hash_bytes(12, skn_buf_str(&c->out))),
                  &same);
}

/* Those there are, or with "removed" those that were. */
static skein_rc list_worlds(skn_api_call *c, skein_worlds *out, bool *removed)
{
    skein_rc rc = skn_api_flag(c, "removed", removed);

    if (rc)
        return rc;
    return *removed ? skein_world_removed(c->engine, c->mem, out, &c->error)
                    : skein_world_list(c->engine, c->mem, out, &c->error);
}

skein_rc skn_api_list_worlds(skn_api_call *c)
{
    skein_worlds worlds;
    skn_at_work  all, one;
    skn_page     page;
    bool         removed;
    skein_rc     rc;

    if ((rc = list_worlds(c, &worlds, &removed)) ||
        (rc = skn_page_open(c, SKN_STR("worlds"), worlds.count, 0, &page)) ||
        (rc = work_in(c, (skein_world_id){0}, &all)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++) {
        one = work_of(c, &all, worlds.at[i].id);
        if ((rc = write_world(c, &worlds.at[i], &one, removed)))
            return rc;
    }
    return skn_page_close(c, &page, SKN_FIELDS_WORLD);
}

/* --- Settings ----------------------------------------------------------------------------- */

enum { SETTINGS_MOST = 1024 * 1024 };

static skein_rc check_commands(skn_api_call *c, skn_str settings, skn_str before)
{
    skn_str server = SKN_NONE;

    if (c->api->o.no_commands)
        server = skn_world_new_command(settings, before, c->mem);
    if (!server.p)
        return SKEIN_OK;
    skn_call_wrong(c, SKN_COMMANDS_OFF, "/settings/mcpServers/%.*s/command", SKN_FMT(server));
    return skn_fail(&c->error, SKEIN_INVALID, "%s", SKN_COMMANDS_OFF);
}

/* "settings" of the body over those that are kept; null removes them all. */
static skein_rc read_settings(skn_api_call *c, skn_str kept, skn_str *out)
{
    const skn_json *patch = skn_json_get(c->json, "settings"), *old = NULL;
    skn_buf         b;
    skn_jw          w;
    skein_rc        rc = SKEIN_OK;

    *out = patch && patch->kind == SKN_JSON_NULL ? SKN_STR("{}") : SKN_NONE;
    if (!patch || patch->kind == SKN_JSON_NULL)
        return SKEIN_OK;
    if (patch->kind != SKN_JSON_OBJECT)
        return skn_call_invalid(c, "/settings", "must be an object");
    if (kept.n && skn_json_parse(&old, kept, "settings", c->mem, NULL))
        old = NULL;
    skn_jw_open(&w, &b, SETTINGS_MOST);
    skn_api_merge(&w, old, patch, NULL, 0);
    if (b.over)
        rc = skn_fail(&c->error, SKEIN_LIMIT,
                      "the settings of a world are over 1 MiB, or over %d in one place",
                      SKN_MERGED_MEMBERS);
    else
        *out = skn_arena_copy(c->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return rc ? rc : check_commands(c, *out, kept);
}

/* --- Making and changing ------------------------------------------------------------------ */

static skein_rc read_world(skn_api_call *c, bool needs_name, skein_world *out)
{
    skein_rc rc;

    if ((rc = skn_api_name(c, needs_name, &out->name)) ||
        (rc = skn_call_text(c, "description", false, &out->description)) ||
        (rc = skn_call_int(c, "turnLimit", 1, SKN_TURN_LIMIT_MAX, 0, &out->turn_limit)))
        return rc;
    return skn_call_int(c, "compactAt", 2, SKN_COMPACT_AT_MAX, 0, &out->compact_at);
}

skein_rc skn_api_create_world(skn_api_call *c)
{
    skein_world world = {.id = {0}};
    skein_rc    rc = read_world(c, true, &world);

    if (rc || (rc = read_settings(c, SKN_NONE, &world.settings)) ||
        (rc = skein_world_new(c->engine, &world, c->mem, &c->error)))
        return skn_api_blame(c, rc);
    c->world = world;
    skn_api_location(c, 201, "%s", "");
    return answer_world(c);
}

skein_rc skn_api_get_world(skn_api_call *c)
{
    skein_rc rc;

    if ((rc = answer_world(c)) || (rc = skn_page_fields(c, SKN_FIELDS_WORLD)))
        return rc;
    tag_world(c);
    return SKEIN_OK;
}

/* "currentChatId": the chat, or zero where null switches session mode off. */
static skein_rc read_current(skn_api_call *c, skein_conversation_id *out)
{
    skn_str  id;
    skein_rc rc = skn_call_text(c, "currentChatId", false, &id);

    *out = (skein_conversation_id){0};
    if (rc || !id.p)
        return rc;
    rc = skn_find_chat(c, id);
    if (rc == SKEIN_OK && c->chat.mode != SKEIN_CHAT)
        return skn_call_invalid(c, "/currentChatId", "is an agent's own conversation");
    *out = c->chat.id;
    return rc;
}

static skein_rc read_change(skn_api_call *c, skein_world_change *out)
{
    static const char *const kept[] = {"/name", "/turnLimit", "/compactAt"};
    skein_world              wanted = {.id = {0}};
    skein_rc                 rc;

    if ((rc = read_world(c, false, &wanted)) || (rc = read_current(c, &out->chat)))
        return rc;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const skn_json *v = skn_json_get(c->json, kept[i] + 1);

        if (v && v->kind == SKN_JSON_NULL)
            return skn_call_invalid(c, kept[i], "cannot be removed");
    }
    if (skn_api_has(c, "description") && !wanted.description.p)
        wanted.description = SKN_STR("");
    out->name = wanted.name;
    out->description = wanted.description;
    out->turn_limit = wanted.turn_limit;
    out->compact_at = wanted.compact_at;
    out->set_chat = skn_api_has(c, "currentChatId");
    return SKEIN_OK;
}

/* The same check that the change would make. */
static skein_rc try_change(skn_api_call *c, const skein_world_change *change)
{
    skn_str kept;

    return change->settings.p ? skn_world_settings_take(change->settings, c->world.settings,
                                                        skn_engine_env_rule(c->engine), c->mem,
                                                        &kept, &c->error)
                              : SKEIN_OK;
}

/* Settings are merged into those that were read. When somebody else changed them meanwhile, the change is made again on
 * top. */
static skein_rc change_world(skn_api_call *c, skein_world_change *change, bool dry_run)
{
    skein_world read;
    bool        asked;
    int         tries = 0;
    skein_rc    rc;

    do {
        if ((rc = skn_find_world(c)) ||
            (rc = skn_api_match(c, world_stem(c, &c->world), "the world", &asked)) ||
            (rc = read_settings(c, c->world.settings, &change->settings)))
            return rc;
        read = c->world;
        change->id = read.id;
        change->was = asked || change->settings.p ? &read : NULL;
        rc = dry_run ? try_change(c, change)
                     : skein_world_patch(c->engine, change, c->mem, &c->world, &c->error);
    } while (rc == SKEIN_VERSION_CHANGED && !asked && ++tries < TRIES);
    return rc;
}

skein_rc skn_api_update_world(skn_api_call *c)
{
    skein_world_change change = {.id = {0}};
    bool               dry_run;
    skein_rc           rc;

    if ((rc = read_change(c, &change)) || (rc = skn_api_flag(c, "dryRun", &dry_run)))
        return rc;
    if ((rc = change_world(c, &change, dry_run)) || (rc = answer_world(c)))
        return skn_api_blame(c, rc);
    tag_world(c);
    return SKEIN_OK;
}

skein_rc skn_api_remove_world(skn_api_call *c)
{
    bool     force;
    skein_rc rc = skn_api_flag(c, "force", &force);

    return rc ? rc : skein_world_remove(c->engine, c->world.id, force, &c->error);
}

skein_rc skn_api_restore_world(skn_api_call *c)
{
    skn_str  name;
    skein_rc rc = skn_api_name(c, false, &name);

    if (rc)
        return rc;
    if ((rc = skein_world_restore(c->engine, c->params[0], name, c->mem, &c->world, &c->error)))
        return skn_api_missing(c, rc, "world-not-found");
    if ((rc = answer_world(c)))
        return rc;
    tag_world(c);
    return SKEIN_OK;
}

/* The work in one chat out of that of its world. */
static void keep_chat(skn_at_work *work, skein_conversation_id chat)
{
    size_t turns = 0, dues = 0;

    for (size_t i = 0; i < work->turns.count; i++)
        if (work->turns.at[i].chat.v == chat.v)
            work->turns.at[turns++] = work->turns.at[i];
    for (size_t i = 0; i < work->dues.count; i++)
        if (work->dues.at[i].chat.v == chat.v)
            work->dues.at[dues++] = work->dues.at[i];
    work->turns.count = turns;
    work->dues.count = dues;
}

skein_rc skn_api_get_world_status(skn_api_call *c)
{
    skn_str      chat = skn_call_query(c, "chatId");
    skein_agents agents;
    skn_at_work  work;
    skn_str      detail;
    skn_jw      *w = &c->w;
    skein_rc     rc;

    if ((chat.p && (rc = skn_find_chat(c, chat))) ||
        (rc = skein_agent_list(c->engine, c->world.id, c->mem, &agents, &c->error)) ||
        (rc = skn_api_agents_at_work(c, c->world.id, &agents, &work)))
        return rc;
    if (chat.p)
        keep_chat(&work, c->chat.id);
    skn_jw_object(w);
    skn_jw_kstr(w, "id", c->world.uid);
    skn_jw_kstr(w, "name", c->world.name);
    skn_jw_kstr(w, "currentChatId", c->world.current_chat_uid);
    skn_jw_kbool(w, "sessionMode", c->world.current_chat.v != 0);
    skn_jw_kbool(w, "isProcessing", skn_is_processing(&work, &agents));
    skn_jw_key(w, "busy");
    skn_shape_busy(w, &work.turns, work.now);
    skn_jw_karray(w, "agents");
    for (size_t i = 0; i < agents.count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "name", agents.at[i].name);
        skn_jw_kstr(w, "state", skn_agent_state(&work, agents.at[i].id, &detail));
        skn_jw_kstr(w, "detail", detail);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_object_end(w);
    return SKEIN_OK;
}
