/* prompt.c: what the model of a turn is sent: its brief, and the agent's context. Read again for every request. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "exchange/exchange.h"
#include "runtime/run.h"
#include "runtime/runtime.h"

#include <stdlib.h>
#include <time.h>

/* --- The message to answer ---------------------------------------------------------------------------- */

/* The message may no longer be in this version: then the turn is about to be closed, and only the context is left. */
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

/* --- Loading a turn -------------------------------------------------------------------------------------- */

bool skn_sees_images(const skn_json *settings, const skn_reach *reach)
{
    bool sees = reach->sees > 0;

    skn_json_flag(settings, "images", sees, &sees, NULL);
    return sees;
}

static skein_rc brief_make(skn_brief *of, skein_error *err);

static skein_rc load_brief(skn_run *run, const skein_world *world, skein_error *err)
{
    skn_brief of = {.engine = run->r->o.engine,
                    .files = run->r->o.files,
                    .world = world,
                    .chat = run->turn.chat,
                    .agent = run->agent,
                    .delegated = run->turn.lane.v != 0,
                    .mode = run->turn.mode,
                    .without_tools = run->turn.without_tools,
                    .most_tokens = run->turn.most_tokens,
                    .cut = run->context.cut,
                    .most = run->most,
                    .a = run->round};
    skein_rc  rc = brief_make(&of, err);

    if (rc == SKEIN_NOT_FOUND)
        return skn_fail(err, rc, "the agent \"%.*s\" is gone", SKN_FMT(run->turn.agent_name));
    run->rights = of.rights;
    run->sizes = (skn_sizes){
        .prompt = of.sizes.prompt, .files = of.sizes.files, .reach = run->sizes.reach};
    run->system_prompt = of.system_prompt;
    run->wants_extracts = of.wants_extracts;
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
    memory.most = run->most;
    memory.images = run->sees;
    memory.blind = run->sees ? SKN_NONE : run->model;
    if ((rc = skn_world_read(e, run->turn.world, run->round, &world, err)) ||
        (rc = skn_budget_check(run->r->o.engine, &world, run->a, &run->limit, err)) ||
        (rc = skein_context_read(e, &memory, run->round, &run->context, err)) ||
        (rc = load_brief(run, &world, err)))
        return rc;
    return run->rounds == 0 ? load_trigger(run, err) : SKEIN_OK;
}

static const struct guide {
    const char *name, *prompt, *settings, *lead;
} guides[] = {
    {"lead", "You are the team lead: you plan, and ask the others.", "{\"role\":\"team lead\"}",
     NULL},
    {"ada", "You do research: you find out, and say where it is from.",
     "{\"role\":\"research\"}", "lead"},
    {"bo", "You are the critic: you say what could be wrong.", "{\"role\":\"critic\"}", "lead"},
};

/* The agents name no model: they answer from the script until another model exists. */
static skein_rc add_agents(skein_engine *e, const skein_world *world, skein_mem *mem,
                           skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; i < sizeof guides / sizeof *guides && !rc; i++) {
        skein_agent agent = {.world = world->id,
                             .name = skn_str_of(guides[i].name),
                             .system_prompt = skn_str_of(guides[i].prompt),
                             .lead_name = skn_str_of(guides[i].lead),
                             .settings = skn_str_of(guides[i].settings)};

        rc = skein_agent_new(e, &agent, mem, err);
    }
    return rc;
}

static skein_rc furnish(skein_engine *e, skein_world *world, skein_mem *mem, skein_error *err)
{
    skein_conversation chat;
    skein_rc           rc = add_agents(e, world, mem, err);

    if (!rc && !(rc = skein_chat_new(e, world->id, SKN_STR("Welcome"), mem, &chat, err)))
        world->current_chat = chat.id;
    return rc;
}

/* Creates the tour. Each call is its own transaction; an interrupted start leaves a world that can be used and
 * removed like any other. */
skein_rc skn_tour_make(skein_engine *e, skein_world *out, bool *made, skein_error *err)
{
    skein_mem   *mem = skein_mem_new();
    skein_world  world = {.name = SKN_STR("tour"),
                          .description = SKN_STR("a tour of skein in five steps")};
    skein_worlds worlds;
    skein_rc     rc;

    *out = (skein_world){0};
    *made = false;
    if ((rc = skein_world_list(e, mem, &worlds, err)) || worlds.count > 0)
        goto out;
    if ((rc = skein_world_new(e, &world, mem, err)) == SKEIN_CONFLICT) {
        rc = SKEIN_OK; /* another server is creating the tour at this moment */
        goto out;
    }
    if (rc || (rc = furnish(e, &world, mem, err)))
        goto out;
    *out = (skein_world){.id = world.id,
                         .name = SKN_STR("tour"),
                         .turn_limit = world.turn_limit,
                         .compact_at = world.compact_at,
                         .current_chat = world.current_chat,
                         .created_at = world.created_at};
    *made = true;
out:
    skein_mem_free(mem);
    return rc;
}

/* The brief: what a model is sent besides the messages. It says who the agent is and where, and has the files of the
 * conversation and the tools. Turns and estimates of the context share this code. */

enum { TEAM_MOST = 50 };

/* --- The system prompt -------------------------------------------------------------------------------- */

static unsigned place_of(const skn_brief *b)
{
    if (b->delegated)
        return SKN_IN_LANE;
    return b->mode == SKEIN_BACKGROUND   ? SKN_IN_BACKGROUND
           : b->mode == SKEIN_FOREGROUND ? SKN_IN_FOREGROUND
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

/* Names missing and cut files, so that the model does not believe that it has seen everything. */
void skn_brief_file(skn_buf *b, const skein_context_file *f, const skein_file_parts *parts)
{
    if (parts->count && parts->at[0].extracted)
        skn_buf_addf(b, "\nFrom the file %.*s, as asked for (%.*s):\n", SKN_FMT(f->path),
                     SKN_FMT(f->prompt));
    else
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

static skein_rc add_files(skn_brief *of, skn_buf *b, skein_error *err)
{
    skein_context_files files = {0};
    skein_file_parts   *parts;
    skein_rc            rc;

    if (!of->files)
        return SKEIN_OK;
    if ((rc = skein_context_file_list(of->engine, of->chat, of->a, &files, err)))
        return rc;
    parts = skn_context_files_read(&files, of->files, of->a);
    for (size_t i = 0; i < files.count; i++) {
        skn_brief_file(b, &files.at[i], &parts[i]);
        of->wants_extracts |= files.at[i].prompt.n && parts[i].count &&
                              !parts[i].at[0].extracted;
    }
    return SKEIN_OK;
}

static void cut_files(skn_buf *b, size_t most)
{
    size_t all = b->n;

    b->n = skn_utf8_cut(skn_buf_str(b), most).n;
    skn_buf_addf(b,
                 "\n[left out: the last %zu bytes of the files; read_context reads a file]\n",
                 all - b->n);
}

/* --- Facts at the end ---------------------------------------------------------------------------------- */

static bool is_wanted(const skn_brief *of, const char *fact)
{
    const skn_json *v = of->rights.facts;

    v = v && v->kind == SKN_JSON_ARRAY ? v->first : NULL;
    while (v && !skn_str_is(v->text, fact))
        v = v->next;
    return v != NULL;
}

/* At the very end, so that providers can keep what they have read before it when the day changes. */
static void add_facts(const skn_brief *of, skn_buf *b)
{
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    time_t                   now = (time_t)(skn_clock_micros() / 1000000);
    char                     zone[64], east[8]; /* "+0100" */
    struct tm                t;

    if (!localtime_r(&now, &t))
        return;
    if (is_wanted(of, "date"))
        skn_buf_addf(b, "\n" SKN_TODAY "%s, %04d-%02d-%02d.", days[t.tm_wday], t.tm_year + 1900,
                     t.tm_mon + 1, t.tm_mday);
    if (is_wanted(of, "timeZone") && strftime(zone, sizeof zone, "%Z", &t) &&
        strftime(east, sizeof east, "%z", &t) == 5)
        skn_buf_addf(b, "\nThe time zone is %s (UTC%.3s:%s).", zone, east, east + 3);
    if (is_wanted(of, "person") && of->rights.person.n)
        skn_buf_addf(b, "\nThe person's name is %.*s.", SKN_FMT(of->rights.person));
}

/* `me` NULL: writes what all agents are sent. */
static skein_rc write_prompt(skn_brief *of, const skein_agents *all, const skein_agent *me,
                             skein_error *err)
{
    skn_buf  b;
    int64_t  begin;
    skein_rc rc;

    skn_buf_init(&b, SIZE_MAX / 2); /* each piece has its own limit */
    if (me && me->system_prompt.n)
        skn_buf_addf(&b, "%.*s\n\n", SKN_FMT(me->system_prompt));
    if (me) {
        skn_buf_addf(&b, "You are @%.*s in the world \"%.*s\". %s\n", SKN_FMT(me->name),
                     SKN_FMT(of->world->name), words_of(place_of(of)));
        add_team(&b, all, me);
    }
    begin = (int64_t)b.n;
    of->sizes.prompt = b.n ? (int64_t)skn_tokens_of(b.n) : 0;
    rc = add_files(of, &b, err);
    if (of->most && (int64_t)b.n - begin > of->most)
        cut_files(&b, (size_t)(begin + of->most));
    of->sizes.files = (b.n ? (int64_t)skn_tokens_of(b.n) : 0) - of->sizes.prompt;
    if (me)
        add_facts(of, &b);
    of->system_prompt = skn_arena_copy(of->a, skn_buf_str(&b));
    if (b.n)
        of->sizes.prompt = (int64_t)skn_tokens_of(b.n) - of->sizes.files;
    skn_buf_release(&b);
    return rc;
}

/* --- The agent's rights -------------------------------------------------------------------------------- */

/* Reads settings; *out is NULL if there are none. Settings that cannot be read are an error: otherwise a tool that
 * needs approval could run without it. */
static skein_rc object_of(skn_str text, const char *whose, skn_str name, skn_arena *a,
                          const skn_json **out, skein_error *err)
{
    *out = NULL;
    if (!text.n ||
        (!skn_json_parse(out, text, "settings", a, NULL) && (*out)->kind == SKN_JSON_OBJECT))
        return SKEIN_OK;
    *out = NULL;
    skn_fail(err, SKEIN_DAMAGED, "the settings of %s \"%.*s\" cannot be read", whose,
             SKN_FMT(name));
    return skn_hint(err, SKEIN_DAMAGED, "Set them again, or go back to a backup: skein fsck");
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

static skein_rc load_rights(skn_brief *of, const skein_agents *all, const skein_agent *me,
                            skein_error *err)
{
    const skn_json *own, *theirs;
    skein_rc        rc;

    if ((rc = object_of(skn_arena_copy(of->a, me->settings), "agent", me->name, of->a, &own,
                        err)) ||
        (rc = object_of(of->world->settings, "world", of->world->name, of->a, &theirs, err)))
        return rc;
    of->rights = (skn_rights){
        .tools = skn_json_get(own, "tools"),
        .settings = own,
        .approvals = skn_json_get(theirs, "approvals"),
        .servers = skn_json_get(theirs, "mcpServers"),
        .temperature = number_of(own, "temperature", -1, of->a),
        .most_tokens = of->most_tokens ? of->most_tokens
                                       : (int64_t)number_of(
                                             own, "maxTokens",
                                             number_of(theirs, "maxTokens", 0, of->a), of->a),
        .fallback = skn_json_str(own, "fallback"),
        .limit_share = (int64_t)number_of(theirs, "compactShare", 75, of->a),
        .facts = skn_json_get(own, "promptFacts"),
        .person = skn_json_str(theirs, "person")};
    if (!of->rights.facts)
        of->rights.facts = skn_json_get(theirs, "promptFacts");
    skn_json_flag(theirs, "knowledge", false, &of->rights.learns, NULL);
    if (!of->without_tools)
        skn_tools_offer(&of->rights,
                        place_of(of) | standing_of(all, me) | (of->cut ? SKN_NEEDS_CUT : 0),
                        of->a);
    return SKEIN_OK;
}

/* --- The whole brief ----------------------------------------------------------------------------------- */

static const skein_agent *find_me(const skein_agents *all, skein_agent_id id)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].id.v == id.v)
            return &all->at[i];
    return NULL;
}

/* Returns SKEIN_NOT_FOUND without a message if the agent was removed. The list of agents is freed at once: in a large
 * world it would be most of the memory of a turn. */
static skein_rc brief_make(skn_brief *of, skein_error *err)
{
    skn_arena         *scratch = skn_arena_new();
    skein_agents       all;
    const skein_agent *me = NULL;
    skein_rc           rc = skein_agent_list(of->engine, of->world->id, scratch, &all, err);

    if (!rc && of->agent.v && !(me = find_me(&all, of->agent)))
        rc = SKEIN_NOT_FOUND;
    if (!rc && me)
        rc = load_rights(of, &all, me, err);
    if (!rc)
        rc = write_prompt(of, &all, me, err);
    skn_arena_free(scratch);
    return rc;
}

/* --- Tokens ---------------------------------------------------------------------------------------------- */

/* Counts the tools of running servers; the tools of others are unknown. */
static skein_rc server_tokens(skn_runtime *r, const skn_brief *of, int64_t *tokens,
                              skein_error *err)
{
    skn_tool_server *servers;
    size_t           count;
    skein_rc         rc = skn_tool_servers_of(of->world, of->a, &servers, &count, err);

    if (rc || !r)
        return rc;
    skn_runtime_tool_servers(r, of->world->id, of->a, servers, count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < servers[i].tool_count; k++)
            if (skn_tool_listed(&of->rights, servers[i].tools[k]))
                *tokens += (int64_t)skn_tokens_of(servers[i].tools[k].n + servers[i].sizes[k]);
    return SKEIN_OK;
}

/* Finds the model that answers for an agent, and its window. */
static skein_rc reach_for(skn_runtime *r, const skn_sent_spec *spec, skein_agent_id agent,
                          skn_arena *a, skn_str *model, skn_reach *out, skn_str *blind,
                          skein_error *err)
{
    const skn_json *settings = NULL;
    skein_agents    all;
    skein_rc        rc = SKEIN_OK;

    *model = spec->model;
    *out = (skn_reach){0};
    if (!r || !agent.v)
        return SKEIN_OK;
    if (!spec->only_model &&
        !(rc = skein_agent_list(spec->engine, spec->world->id, a, &all, err)))
        for (size_t i = 0; i < all.count; i++)
            if (all.at[i].id.v == agent.v && all.at[i].model.n) {
                *model = all.at[i].model;
                (void)object_of(all.at[i].settings, "agent", all.at[i].name, a, &settings,
                                NULL);
            }
    if (!rc && model->n)
        *out = skn_windows_read(r->windows, *model);
    if (model->n && !skn_sees_images(settings, out))
        *blind = *model;
    return rc;
}

skein_rc skn_runtime_context(skn_runtime *r, const skn_sent_spec *spec, const skein_slice *what,
                             skein_mem *mem, skein_context *out, skein_error *err)
{
    skn_brief   of = {.engine = spec->engine,
                      .files = spec->files,
                      .world = spec->world,
                      .chat = what->conversation,
                      .mode = spec->mode,
                      .a = skn_arena_new()};
    skein_slice slice = *what;
    skn_reach   reach;
    skn_str     model;
    skein_rc    rc = reach_for(r, spec, what->agent, of.a, &model, &reach, &slice.blind, err);

    slice.most = of.most = skn_share_bytes(&reach);
    if (!rc)
        rc = skein_context_read(spec->engine, &slice, mem, out, err);
    if (!rc) {
        of.agent = out->reader;
        of.delegated = out->delegated;
        of.cut = out->cut;
        rc = brief_make(&of, err);
    }
    if (rc == SKEIN_NOT_FOUND &&
        of.agent.v) { /* after an agent was removed, only its messages are left */
        of.agent.v = 0;
        rc = brief_make(&of, err);
    }
    if (!rc && (!of.agent.v || !(rc = server_tokens(r, &of, &of.sizes.tools, err)))) {
        of.sizes.tools += skn_offers_tokens(&of.rights);
        of.sizes.reach = reach;
        skn_sizes_answer(&of.sizes, &of.rights);
        skn_sizes_messages(&of.sizes, out, model);
        skn_context_account(out, &of.sizes);
    }
    skn_arena_free(of.a);
    return rc;
}
