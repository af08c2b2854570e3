/* prompt.c: what a model is sent: who it is and where, what the agent remembers, and which tools it may
 * use. Read anew for every question of a turn. */
#include "runtime/run.h"

#include "base/clock.h"

#include <stdlib.h>

enum { TEAM_MOST = 50 };

/* --- Whom it answers ---------------------------------------------------------------------------------- */

/* The message that is answered may be gone from this version: then the turn is about to be closed, and
 * the context is all there is. */
static skein_rc load_trigger(skn_run *run, skein_error *err)
{
    skein_conversation home;
    skein_message      m;
    skein_rc           rc;

    run->asker = run->said = SKN_NONE;
    if (!run->turn.trigger_uid.p)
        return SKEIN_OK;
    rc = skein_message_in_world(run->r->o.engine, run->turn.world, run->turn.trigger_uid,
                                run->a, &m, &home, err);
    if (rc == SKEIN_NOT_FOUND)
        return SKEIN_OK;
    if (!rc) {
        run->asker = m.sender;
        run->said = m.content;
    }
    return rc;
}

/* --- Who it is ---------------------------------------------------------------------------------------- */

static unsigned place_of(const skein_turn *t)
{
    if (t->lane.v)
        return SKN_IN_LANE;
    return t->mode == SKEIN_BACKGROUND   ? SKN_IN_BACKGROUND
           : t->mode == SKEIN_FOREGROUND ? SKN_IN_FOREGROUND
                                         : SKN_IN_CHAT;
}

static const char *words_of(unsigned place)
{
    switch (place) {
    case SKN_IN_LANE:
        return "Another agent has handed this task to you. Your last message is its result.";
    case SKN_IN_BACKGROUND:
        return "This is your own background work; nobody reads along. To tell the person "
               "something, use create_inbox_item.";
    case SKN_IN_FOREGROUND:
        return "You are talking with the person.";
    default:
        return "You are in a chat with a person and other agents. Write @name at the start of "
               "a "
               "line to ask one of them.";
    }
}

static void add_team(skn_buf *b, const skein_agents *all, const skein_agent *me)
{
    size_t shown = 0;

    for (size_t i = 0; i < all->count && shown < TEAM_MOST; i++) {
        const skein_agent *other = &all->at[i];

        if (other->id.v == me->id.v)
            continue;
        skn_buf_addf(b, "%s@%.*s%s", shown++ ? ", " : "Other agents: ", SKN_FMT(other->name),
                     other->id.v == me->lead.v   ? " (your lead)"
                     : other->lead.v == me->id.v ? " (works for you)"
                                                 : "");
    }
    if (shown)
        skn_buf_add(b, SKN_STR(".\n"));
}

/* What is missing or cut is named: the model should not believe that it has seen all. */
static void add_file(skn_buf *b, const skein_context_file *f, const skein_file_parts *parts)
{
    skn_buf_addf(b, "\nFile %.*s:\n", SKN_FMT(f->path));
    for (size_t i = 0; i < parts->count; i++) {
        const skein_file_part *part = &parts->at[i];

        if (part->item.p && part->first_line)
            skn_buf_addf(b, "lines %zu:%zu\n", part->first_line, part->last_line);
        skn_buf_add(b, part->text);
        if (part->text.n && !skn_str_ends(part->text, SKN_STR("\n")))
            skn_buf_addc(b, '\n');
        if (part->note.p && part->item.p)
            skn_buf_addf(b, "(%.*s: %.*s)\n", SKN_FMT(part->item), SKN_FMT(part->note));
        else if (part->note.p)
            skn_buf_addf(b, "(%.*s)\n", SKN_FMT(part->note));
    }
}

static skein_rc add_files(skn_run *run, skn_buf *b, skein_error *err)
{
    const char         *root = run->r->o.files;
    skein_context_files files = {0};
    skein_file_parts   *parts;
    skein_rc            rc;

    if (!root)
        return SKEIN_OK;
    if ((rc = skein_context_file_list(run->r->o.engine, run->turn.chat, run->round, &files,
                                      err)))
        return rc;
    parts = skn_context_files_read(&files, root, run->round);
    for (size_t i = 0; i < files.count; i++)
        add_file(b, &files.at[i], &parts[i]);
    return SKEIN_OK;
}

static skein_rc write_prompt(skn_run *run, const skein_agents *all, const skein_agent *me,
                             skein_error *err)
{
    skn_buf  b;
    skein_rc rc;

    skn_buf_init(&b, SIZE_MAX / 2); /* each piece has a limit of its own */
    if (me->system_prompt.n)
        skn_buf_addf(&b, "%.*s\n\n", SKN_FMT(me->system_prompt));
    skn_buf_addf(&b, "You are @%.*s in the world \"%.*s\". %s\n", SKN_FMT(me->name),
                 SKN_FMT(run->turn.world_name), words_of(place_of(&run->turn)));
    add_team(&b, all, me);
    rc = add_files(run, &b, err);
    run->system_prompt = skn_arena_copy(run->round, skn_buf_str(&b));
    skn_buf_release(&b);
    return rc;
}

/* --- What it may do ------------------------------------------------------------------------------------ */

static const skn_json *object_of(skn_str text, skn_arena *a)
{
    const skn_json *json;

    return text.n && !skn_json_parse(&json, text, "settings", a, NULL) ? json : NULL;
}

static double number_of(const skn_json *settings, const char *key, double fallback,
                        skn_arena *a)
{
    const skn_json *v = skn_json_get(settings, key);

    return v && v->kind == SKN_JSON_NUMBER ? strtod(skn_arena_copy(a, v->text).p, NULL)
                                           : fallback;
}

static unsigned standing_of(const skein_agents *all, const skein_agent *me)
{
    unsigned standing = me->lead.v ? SKN_NEEDS_LEAD : 0;

    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].lead.v == me->id.v)
            standing |= SKN_NEEDS_TEAM;
    return standing;
}

static void load_rights(skn_run *run, const skein_world *world, const skein_agents *all,
                        const skein_agent *me)
{
    const skn_json *own = object_of(skn_arena_copy(run->round, me->settings), run->round);
    const skn_json *theirs = object_of(world->settings, run->round);

    run->rights = (skn_rights){
        .tools = skn_json_get(own, "tools"),
        .approvals = skn_json_get(theirs, "approvals"),
        .servers = skn_json_get(theirs, "mcpServers"),
        .temperature = number_of(own, "temperature", -1, run->round),
        .most_tokens = (int64_t)number_of(own, "maxTokens", 0, run->round)};
    skn_json_flag(theirs, "knowledge", false, &run->rights.learns, NULL);
    run->limit_share = (int64_t)number_of(theirs, "compactShare", 75, run->round);
    skn_tools_offer(run, place_of(&run->turn) | standing_of(all, me));
}

/* --- All of it ------------------------------------------------------------------------------------------- */

static skein_rc find_me(skn_run *run, const skein_agents *all, const skein_agent **me,
                        skein_error *err)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].id.v == run->agent.v) {
            *me = &all->at[i];
            return SKEIN_OK;
        }
    return skn_fail(err, SKEIN_NOT_FOUND, "the agent \"%.*s\" is gone",
                    SKN_FMT(run->turn.agent_name));
}

/* The agents are forgotten again at once: in a large world they would be most of what a turn holds. */
static skein_rc check_budget(skn_run *run, const skein_world *world, skein_error *err)
{
    skein_rc rc = skn_budget_check(run->r->o.engine, world, err);

    run->limited = rc == SKEIN_PROVIDER;
    return rc;
}

static skein_rc load_self(skn_run *run, const skein_world *world, skein_error *err)
{
    skn_arena         *scratch = skn_arena_new();
    skein_agents       all;
    const skein_agent *me = NULL;
    skein_rc           rc;

    if (!(rc = skein_agent_list(run->r->o.engine, run->turn.world, scratch, &all, err)) &&
        !(rc = find_me(run, &all, &me, err)) && !(rc = check_budget(run, world, err))) {
        load_rights(run, world, &all, me);
        rc = write_prompt(run, &all, me, err);
    }
    skn_arena_free(scratch);
    return rc;
}

skein_rc skn_run_load(skn_run *run, skein_error *err)
{
    skein_engine *e = run->r->o.engine;
    skein_slice   memory = {.conversation = run->turn.chat, .agent = run->agent};
    skein_world   world;
    skein_rc      rc;

    skn_arena_reset(run->round);
    run->since_load = 0;
    run->asked.read_at = skn_clock_micros();
    memory.lane = run->turn.lane_key;
    memory.task = run->turn.task;
    memory.turn = run->turn.uid;
    if ((rc = skn_world_read(e, run->turn.world, run->round, &world, err)) ||
        (rc = load_self(run, &world, err)) ||
        (run->rounds == 0 && (rc = load_trigger(run, err))))
        return rc;
    return skein_context_read(e, &memory, run->round, &run->context, err);
}
