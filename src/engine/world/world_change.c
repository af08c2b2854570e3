/* world_change.c: changing a world: its name, what is said of it, its limits, its settings and its
 * current chat. */
#include "engine/work/act.h"
#include "engine/work/mention.h"

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
static skein_rc hold_asked(skn_working *w, int64_t world, int64_t from, int64_t below,
                           skein_error *err)
{
    skn_conversation_row chat;
    skn_inbox_rows       asked;
    int64_t              last = 0;
    bool                 found;
    skein_rc             rc = skn_inbox_asked_in(w->tx, world, w->a, &asked, err);

    for (size_t i = 0; !rc && i < asked.count; i++) {
        int64_t id = asked.at[i].conversation_id;

        if (id == last || id < from || id >= below)
            continue;
        last = id;
        rc = skn_conversation_lock(w->tx, id, w->a, &chat, &found, err);
    }
    return rc;
}

skein_rc skn_world_decide_one(skn_working *w, const skein_world *world, skn_inbox_row *asked,
                              skein_error *err)
{
    skn_str word = skn_world_approval(world->settings, asked->item.tool, w->a);
    bool    allow = skn_str_is(word, "always");
    skn_str why = skn_arena_printf(w->a, "the settings of the world %s %.*s%s",
                                   allow ? "allow" : "do not allow", SKN_FMT(asked->item.tool),
                                   allow ? " without asking" : "");

    if (!allow && !skn_str_is(word, "never"))
        return SKEIN_OK;
    return skn_approval_decide(w, asked, allow, why, err);
}

static skein_rc decide_asked(skn_working *w, const skein_world *world, skein_error *err)
{
    skn_inbox_rows asked;
    skein_rc       rc = skn_inbox_asked_in(w->tx, world->id.v, w->a, &asked, err);

    for (size_t i = 0; !rc && i < asked.count; i++)
        rc = skn_world_decide_one(w, world, &asked.at[i], err);
    return rc;
}

/* --- Limits of spending -------------------------------------------------------------------------------- */

static skein_rc end_limit(skn_working *w, int64_t world, const char *name, int64_t most,
                          skein_error *err)
{
    bool     any, tokens = strcmp(name, "monthlyTokens") == 0;
    skn_str  why = !most    ? SKN_STR("the world has no such limit any more")
                   : tokens ? skn_arena_printf(w->a, "the limit is %lld tokens a month now",
                                               (long long)most)
                            : SKN_STR("the limit was raised");
    skein_rc rc = skn_inbox_limit_over(w->tx, world, skn_str_of(name), why, w->now, &any, err);

    return rc || !any ? rc : skn_inbox_tell(w, world, NULL, "inbox.updated", err);
}

/* Once no limit is used up, what was put off for whatever reason is tried at once: it may have been for that. */
static skein_rc decide_limit(skn_working *w, const skein_world *before,
                             const skein_world *world, skein_error *err)
{
    const skn_world_limits was = skn_world_limits_of(before->settings, w->a),
                           is = skn_world_limits_of(world->settings, w->a);
    const int64_t month = skn_clock_month(w->now), day = skn_clock_day(w->now);
    const struct {
        const char *name;
        int64_t     was, is, since, unit;
    } all[] = {
        {"monthlyTokens", was.monthly_tokens, is.monthly_tokens, month, 1},
        {"monthlyCents", was.monthly_cents, is.monthly_cents, month, SKN_NANOS_A_CENT},
        {"dailyCents", was.daily_cents, is.daily_cents, day, SKN_NANOS_A_CENT},
    };
    bool     raised = false, used_up = false;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < sizeof all / sizeof *all; i++) {
        bool    higher = all[i].was && (!all[i].is || all[i].is > all[i].was), over;
        int64_t used = 0;

        if (all[i].is)
            rc = (all[i].unit == 1 ? skn_call_tokens : skn_call_cost)(w->tx, world->id.v,
                                                                      all[i].since, &used, err);
        over = all[i].is && used / all[i].unit >= all[i].is;
        raised |= higher;
        used_up |= over;
        if (!rc && higher && !over)
            rc = end_limit(w, world->id.v, all[i].name, all[i].is, err);
    }
    return rc || !raised || used_up ? rc : skn_tasks_hurry(w->tx, world->id.v, w->now, err);
}

/* The same for all that waits in a world, which is held, after its settings were changed. */
static skein_rc decide(skn_working *w, const skein_world *before, const skein_world *world,
                       skein_error *err)
{
    skein_rc rc = decide_asked(w, world, err);

    return rc ? rc : decide_limit(w, before, world, err);
}

/* --- The change ---------------------------------------------------------------------------------------- */

typedef struct world_change_call {
    const skein_world_change *what;
    skn_str                   name; /* as it is kept */
    skein_world              *out;
} world_change_call;

static bool is_same(const skein_world *a, const skein_world *b)
{
    return skn_str_eq(a->name, b->name) && skn_str_eq(a->description, b->description) &&
           a->turn_limit == b->turn_limit && a->compact_at == b->compact_at &&
           a->current_chat.v == b->current_chat.v && skn_str_eq(a->settings, b->settings);
}

/* The chat that becomes current, which nobody removes meanwhile. */
static skein_rc take_chat(skn_working *w, const world_change_call *c, skn_conversation_row *row,
                          bool *found, skein_error *err)
{
    skein_rc rc;

    *found = true;
    *row = (skn_conversation_row){0};
    if (!c->what->set_chat || c->what->chat.v == 0)
        return SKEIN_OK;
    rc = skn_conversation_take(w->tx, c->what->chat, w->a, row, err);
    *found = rc == SKEIN_OK;
    return rc == SKEIN_NOT_FOUND ? SKEIN_OK : rc;
}

/* And those where people are asked what the settings may decide: conversations are held before their world, the
 * smaller ids first. */
static skein_rc take_chats(skn_working *w, const world_change_call *c,
                           skn_conversation_row *row, bool *found, skein_error *err)
{
    int64_t  world = c->what->id.v, chat = c->what->set_chat ? c->what->chat.v : 0;
    skein_rc rc = SKEIN_OK;

    if (c->what->settings.p)
        rc = hold_asked(w, world, 0, chat ? chat : INT64_MAX, err);
    if (!rc)
        rc = take_chat(w, c, row, found, err);
    if (!rc && c->what->settings.p && chat)
        rc = hold_asked(w, world, chat + 1, INT64_MAX, err);
    return rc;
}

static skein_rc take_world(skn_working *w, const world_change_call *c, skein_world *now,
                           skein_error *err)
{
    const skein_world *was = c->what->was;
    bool               found;
    skein_rc           rc;

    if ((rc = skn_world_hold(w->tx, c->what->id.v, &found, err)) ||
        (rc = skn_world_need(w->tx, c->what->id.v, w->a, now, err)))
        return rc;
    if (was && !is_same(was, now))
        return skn_fail(err, SKEIN_VERSION_CHANGED, "world \"%.*s\" was changed meanwhile",
                        SKN_FMT(now->name));
    return SKEIN_OK;
}

static skein_rc set_chat(skn_working *w, const world_change_call *c,
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
    return skn_world_chat(w->tx, c->what->id.v, chat, err);
}

static skein_rc set_rest(skn_working *w, const world_change_call *c, skein_error *err)
{
    const skein_world_change *to = c->what;
    skein_world              *now = c->out;
    skein_rc                  rc;

    if (!to->name.p && !to->description.p && !to->turn_limit && !to->compact_at &&
        !to->settings.p)
        return SKEIN_OK;
    if (to->settings.p &&
        (rc = skn_world_settings_take(to->settings, now->settings, w->e->env_rule, w->a,
                                      &now->settings, err)))
        return rc;
    if (c->name.p)
        now->name = c->name;
    if (to->description.p)
        now->description = skn_arena_copy(w->a, to->description);
    now->turn_limit = to->turn_limit ? to->turn_limit : now->turn_limit;
    now->compact_at = to->compact_at ? to->compact_at : now->compact_at;
    rc = skn_world_name_free(w->tx, now->name, now->id.v, w->a, err);
    return rc ? rc : skn_world_put(w->tx, now, err);
}

/* Which chat is the current one is part of the work, and no setting. */
static skein_rc note_change(skn_working *w, const world_change_call *c,
                            const skein_world *before, skein_error *err)
{
    const skein_world *now = c->out;
    skn_str            settings = skn_audit_changes(before->settings, now->settings, w->a);
    skn_str            names = skn_arena_printf(
                   w->a, "%s%s%s%s%.*s", skn_str_eq(before->name, now->name) ? "" : "name, ",
        skn_str_eq(before->description, now->description) ? "" : "description, ",
        before->turn_limit == now->turn_limit ? "" : "turnLimit, ",
        before->compact_at == now->compact_at ? "" : "compactAt, ", SKN_FMT(settings));

    if (!names.n)
        return SKEIN_OK;
    if (!settings.n)
        names.n -= 2;
    return skn_audit_in(w, "world.change", now->name, names, err);
}

static skein_rc change_world(skn_working *w, void *arg, skein_error *err)
{
    world_change_call   *c = arg;
    skn_conversation_row row;
    skein_world          before;
    bool                 found;
    skein_rc             rc;

    if ((rc = take_chats(w, c, &row, &found, err)) || (rc = take_world(w, c, &before, err)))
        return rc;
    *c->out = before;
    if ((rc = set_chat(w, c, &row, found, err)) || (rc = set_rest(w, c, err)))
        return rc;
    if (!is_same(&before, c->out)) {
        skn_feed_world_is(w->tx, c->out);
        if ((rc = note_change(w, c, &before, err)))
            return rc;
    }
    return skn_str_eq(before.settings, c->out->settings) ? SKEIN_OK
                                                         : decide(w, &before, c->out, err);
}

skein_rc skein_world_patch(skein_engine *e, const skein_world_change *what, skein_mem *mem,
                           skein_world *out, skein_error *err)
{
    world_change_call c = {.what = what, .out = out};
    skein_world       to = {.description = what->description,
                            .turn_limit = what->turn_limit,
                            .compact_at = what->compact_at};
    skein_rc          rc;

    if ((what->name.p && (rc = skn_name_normal(what->name, mem, &c.name, err))) ||
        (rc = skn_world_check(e, &to, err)))
        return rc;
    return skn_write(e, mem, change_world, &c, err);
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
