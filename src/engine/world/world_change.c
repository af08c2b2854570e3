/* world_change.c: changing a world: its name, what is said of it, its limits, its settings and its
 * current chat. */
#include "base/clock.h"
#include "engine/work/act.h"
#include "engine/work/mention.h"
#include "engine/world/world_settings.h"

/* --- What may be -------------------------------------------------------------------------------------- */

skein_rc skn_world_need(skn_tx *tx, int64_t id, skn_arena *a, skein_world *out,
                        skein_error *err)
{
    bool     found;
    skein_rc rc = skn_world_get(tx, id, a, out, &found, err);

    return rc || found ? rc
                       : skn_fail(err, SKEIN_NOT_FOUND,
                                  "there is no world with the number %lld", (long long)id);
}

skein_rc skn_agent_need(skn_tx *tx, int64_t id, skn_arena *a, skein_agent *out,
                        skein_error *err)
{
    bool     found;
    skein_rc rc = skn_agent_get(tx, id, a, out, &found, err);

    return rc || found ? rc
                       : skn_fail(err, SKEIN_NOT_FOUND,
                                  "there is no agent with the number %lld", (long long)id);
}

skein_rc skn_agent_names(skn_tx *tx, int64_t world, skn_arena *a, skn_str **out, size_t *count,
                         skein_error *err)
{
    skein_agents agents = {0};
    skein_rc     rc = skn_agent_rows(tx, world, a, &agents, err);

    *out = SKN_ARRAY(a, agents.count, skn_str);
    for (*count = 0; *count < agents.count; ++*count)
        (*out)[*count] = agents.at[*count].name;
    return rc;
}

skein_rc skn_world_name_free(skn_tx *tx, skn_str name, int64_t own, skn_arena *a,
                             skein_error *err)
{
    skein_world taken;
    bool        found;
    skein_rc    rc = skn_world_by_ref(tx, name, SKN_NONE, a, &taken, &found, err);

    if (rc || !found || taken.id.v == own)
        return rc;
    return skn_fail_hint(err, SKEIN_CONFLICT, "Choose another name, or use that world.",
                         "there is already a world \"%.*s\"", SKN_FMT(name));
}

int64_t skn_turn_limit(const skein_world *w)
{
    return w->turn_limit < SKN_TURN_LIMIT_MAX ? w->turn_limit : SKN_TURN_LIMIT_MAX;
}

skein_rc skn_world_check(const skein_engine *e, const skein_world *w, skein_error *err)
{
    skein_rc rc = skn_check_text(e, w->description, "the description", err);

    if (rc)
        return rc;
    if (w->turn_limit > SKN_TURN_LIMIT_MAX)
        return skn_fail(err, SKEIN_LIMIT, "the turn limit must be 1 to %d", SKN_TURN_LIMIT_MAX);
    if (w->turn_limit < 0 || w->compact_at < 0 || w->compact_at == 1)
        return skn_fail(err, SKEIN_INVALID,
                        "the turn limit must be 1 to %d, and compactAt 2 or more",
                        SKN_TURN_LIMIT_MAX);
    return SKEIN_OK;
}

skein_rc skn_world_limits_get(skn_tx *tx, int64_t world, skn_arena *a, skn_world_limits *out,
                              skein_error *err)
{
    skein_world w;
    skein_rc    rc = skn_world_need(tx, world, a, &w, err);

    if (!rc)
        *out = skn_world_limits_of(w.settings, a);
    return rc;
}

/* What new settings of a world decide of what waits there, in the transaction that changes them: calls
 * that people are asked about, and the notice that the limit of the month is reached. */

/* --- Calls that people are asked about ------------------------------------------------------------ */

/* Locks the conversations with ids in [from, below) where people are asked about calls. */
static skein_rc hold_asked(skn_tx *tx, int64_t world, int64_t from, int64_t below, skn_arena *a,
                           skein_error *err)
{
    skn_conversation_row chat;
    skn_inbox_rows       asked;
    int64_t              last = 0;
    bool                 found;
    skein_rc             rc = skn_inbox_asked_in(tx, world, a, &asked, err);

    for (size_t i = 0; !rc && i < asked.count; i++) {
        int64_t id = asked.at[i].conversation_id;

        if (id == last || id < from || id >= below)
            continue;
        last = id;
        rc = skn_conversation_lock(tx, id, a, &chat, &found, err);
    }
    return rc;
}

skein_rc skn_world_decide_one(skein_engine *e, skn_tx *tx, const skein_world *world,
                              skn_inbox_row *asked, int64_t now, skn_arena *a, skein_error *err)
{
    skn_str word = skn_world_approval(world->settings, asked->item.tool, a);
    bool    allow = skn_str_is(word, "always");
    skn_str why = skn_arena_printf(a, "the settings of the world %s %.*s%s",
                                   allow ? "allow" : "do not allow", SKN_FMT(asked->item.tool),
                                   allow ? " without asking" : "");

    if (!allow && !skn_str_is(word, "never"))
        return SKEIN_OK;
    return skn_approval_decide(e, tx, a, asked, allow, why, now, err);
}

static skein_rc decide_asked(skein_engine *e, skn_tx *tx, const skein_world *world, int64_t now,
                             skn_arena *a, skein_error *err)
{
    skn_inbox_rows asked;
    skein_rc       rc = skn_inbox_asked_in(tx, world->id.v, a, &asked, err);

    for (size_t i = 0; !rc && i < asked.count; i++)
        rc = skn_world_decide_one(e, tx, world, &asked.at[i], now, a, err);
    return rc;
}

/* --- The limit of the month -------------------------------------------------------------------------- */

/* What was put off, for whatever reason, is tried at once: it may have been for the limit. */
static skein_rc end_limit(skn_tx *tx, const skein_world *world, int64_t most, int64_t now,
                          skn_arena *a, skein_error *err)
{
    skn_str  why = most ? skn_arena_printf(a, "the limit is %lld tokens a month now",
                                           (long long)most)
                        : SKN_STR("the world has no limit any more");
    bool     any;
    skein_rc rc = skn_inbox_limit_over(tx, world->id.v, why, now, &any, err);

    if (rc || (rc = skn_tasks_hurry(tx, world->id.v, now, err)))
        return rc;
    return any ? skn_inbox_tell(tx, world->id.v, NULL, "inbox.updated", now, err) : SKEIN_OK;
}

static skein_rc decide_limit(skn_tx *tx, const skein_world *before, const skein_world *world,
                             int64_t now, skn_arena *a, skein_error *err)
{
    int64_t  was = skn_world_limits_of(before->settings, a).monthly_tokens;
    int64_t  most = skn_world_limits_of(world->settings, a).monthly_tokens;
    int64_t  spent = 0;
    skein_rc rc = SKEIN_OK;

    if (was == most || !was || (most && most < was)) /* neither raised nor lifted */
        return SKEIN_OK;
    if (most)
        rc = skn_call_tokens(tx, world->id.v, skn_clock_month(now), &spent, err);
    return rc || (most && spent >= most) ? rc : end_limit(tx, world, most, now, a, err);
}

/* The same for all that waits in a world, which is held, after its settings were changed. */
static skein_rc decide(skein_engine *e, skn_tx *tx, const skein_world *before,
                       const skein_world *world, int64_t now, skn_arena *a, skein_error *err)
{
    skein_rc rc = decide_asked(e, tx, world, now, a, err);

    return rc ? rc : decide_limit(tx, before, world, now, a, err);
}

/* --- The change ---------------------------------------------------------------------------------------- */

typedef struct world_change_call {
    skein_engine             *e;
    const skein_world_change *what;
    skn_str                   name; /* as it is kept */
    skein_mem                *mem;
    skein_world              *out;
} world_change_call;

static bool is_same(const skein_world *a, const skein_world *b)
{
    return skn_str_eq(a->name, b->name) && skn_str_eq(a->description, b->description) &&
           a->turn_limit == b->turn_limit && a->compact_at == b->compact_at &&
           a->current_chat.v == b->current_chat.v && skn_str_eq(a->settings, b->settings);
}

/* The chat that becomes current, which nobody removes meanwhile. */
static skein_rc take_chat(skn_tx *tx, const world_change_call *c, skn_conversation_row *row,
                          bool *found, skein_error *err)
{
    skein_rc rc;

    *found = true;
    *row = (skn_conversation_row){0};
    if (!c->what->set_chat || c->what->chat.v == 0)
        return SKEIN_OK;
    rc = skn_conversation_take(tx, c->what->chat, c->mem, row, err);
    *found = rc == SKEIN_OK;
    return rc == SKEIN_NOT_FOUND ? SKEIN_OK : rc;
}

/* And those where people are asked what the settings may decide: conversations are held before their world, the
 * smaller ids first. */
static skein_rc take_chats(skn_tx *tx, const world_change_call *c, skn_conversation_row *row,
                           bool *found, skein_error *err)
{
    int64_t  world = c->what->id.v, chat = c->what->set_chat ? c->what->chat.v : 0;
    skein_rc rc = SKEIN_OK;

    if (c->what->settings.p)
        rc = hold_asked(tx, world, 0, chat ? chat : INT64_MAX, c->mem, err);
    if (!rc)
        rc = take_chat(tx, c, row, found, err);
    if (!rc && c->what->settings.p && chat)
        rc = hold_asked(tx, world, chat + 1, INT64_MAX, c->mem, err);
    return rc;
}

static skein_rc take_world(skn_tx *tx, const world_change_call *c, skein_world *now,
                           skein_error *err)
{
    const skein_world *was = c->what->was;
    bool               found;
    skein_rc           rc;

    if ((rc = skn_world_hold(tx, c->what->id.v, &found, err)) ||
        (rc = skn_world_need(tx, c->what->id.v, c->mem, now, err)))
        return rc;
    if (was && !is_same(was, now))
        return skn_fail(err, SKEIN_VERSION_CHANGED, "world \"%.*s\" was changed meanwhile",
                        SKN_FMT(now->name));
    return SKEIN_OK;
}

static skein_rc set_chat(skn_tx *tx, const world_change_call *c,
                         const skn_conversation_row *row, bool found, skein_error *err)
{
    int64_t chat = c->what->chat.v;

    if (!c->what->set_chat)
        return SKEIN_OK;
    if (chat && (!found || row->world_id != c->what->id.v || row->mode != SKEIN_CHAT))
        return skn_fail(err, SKEIN_NOT_FOUND, "this world has no chat with the number %lld",
                        (long long)chat);
    c->out->current_chat.v = chat;
    c->out->current_chat_uid = chat ? row->uid : SKN_NONE;
    return skn_world_chat(tx, c->what->id.v, chat, err);
}

static skein_rc set_rest(skn_tx *tx, const world_change_call *c, skein_error *err)
{
    const skein_world_change *to = c->what;
    skein_world              *w = c->out;
    skein_rc                  rc;

    if (!to->name.p && !to->description.p && !to->turn_limit && !to->compact_at &&
        !to->settings.p)
        return SKEIN_OK;
    if (to->settings.p &&
        (rc = skn_world_settings_take(to->settings, w->settings, c->e->env_rule, c->mem,
                                      &w->settings, err)))
        return rc;
    w->name = c->name.p ? c->name : w->name;
    w->description = to->description.p ? skn_arena_copy(c->mem, to->description)
                                       : w->description;
    w->turn_limit = to->turn_limit ? to->turn_limit : w->turn_limit;
    w->compact_at = to->compact_at ? to->compact_at : w->compact_at;
    rc = skn_world_name_free(tx, w->name, w->id.v, c->mem, err);
    return rc ? rc : skn_world_put(tx, w, err);
}

/* Which chat is the current one is part of the work, and no setting. */
static skein_rc note_change(skn_tx *tx, const world_change_call *c, const skein_world *before,
                            skein_error *err)
{
    const skein_world *now = c->out;
    skn_str            settings = skn_audit_changes(before->settings, now->settings, c->mem);
    skn_str            names = skn_arena_printf(
                   c->mem, "%s%s%s%s%.*s", skn_str_eq(before->name, now->name) ? "" : "name, ",
        skn_str_eq(before->description, now->description) ? "" : "description, ",
        before->turn_limit == now->turn_limit ? "" : "turnLimit, ",
        before->compact_at == now->compact_at ? "" : "compactAt, ", SKN_FMT(settings));

    if (!names.n)
        return SKEIN_OK;
    if (!settings.n)
        names.n -= 2;
    return skn_audit_in(tx, c->e, "world.change", now->name, names, err);
}

static skein_rc change_world(skn_tx *tx, void *arg, skein_error *err)
{
    world_change_call   *c = arg;
    skn_conversation_row row;
    skein_world          before;
    bool                 found;
    skein_rc             rc;

    if ((rc = take_chats(tx, c, &row, &found, err)) || (rc = take_world(tx, c, &before, err)))
        return rc;
    *c->out = before;
    if ((rc = set_chat(tx, c, &row, found, err)) || (rc = set_rest(tx, c, err)))
        return rc;
    if (!is_same(&before, c->out)) {
        skn_feed_world_is(tx, c->out);
        if ((rc = note_change(tx, c, &before, err)))
            return rc;
    }
    return skn_str_eq(before.settings, c->out->settings)
               ? SKEIN_OK
               : decide(c->e, tx, &before, c->out, SKN_NOW(), c->mem, err);
}

skein_rc skein_world_patch(skein_engine *e, const skein_world_change *what, skein_mem *mem,
                           skein_world *out, skein_error *err)
{
    world_change_call c = {.e = e, .what = what, .mem = mem, .out = out};
    skein_world       to = {.description = what->description,
                            .turn_limit = what->turn_limit,
                            .compact_at = what->compact_at};
    skein_rc          rc;

    if ((what->name.p && (rc = skn_name_normal(what->name, mem, &c.name, err))) ||
        (rc = skn_world_check(e, &to, err)))
        return rc;
    return skn_store_write(e->store, change_world, &c, err);
}

skein_rc skein_world_update(skein_engine *e, skein_world *w, skein_mem *mem, skein_error *err)
{
    skein_world_change what = {.id = w->id,
                               .name = w->name,
                               .description = w->description,
                               .turn_limit = w->turn_limit,
                               .compact_at = w->compact_at,
                               .settings = w->settings};

    return skein_world_patch(e, &what, mem, w, err);
}

skein_rc skein_world_set_chat(skein_engine *e, skein_world_id id, skein_conversation_id chat,
                              skein_error *err)
{
    skein_world_change what = {.id = id, .set_chat = true, .chat = chat};
    skein_mem         *mem = skn_arena_new();
    skein_world        world;
    skein_rc           rc = skein_world_patch(e, &what, mem, &world, err);

    skn_arena_free(mem);
    return rc;
}
