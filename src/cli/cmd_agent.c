/* Agents: making, listing and removing them. What they do is in cmd_agent.c. */
#include "base/amount.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/default_model.h"
#include "cli/discover.h"
#include "cli/far_agent.h"
#include "cli/far_view.h"
#include "cli/unanswered.h"
#include "runtime/runtime.h"

#include <inttypes.h>

/* Who does nothing needs no word for it. */
void skn_agent_line(skn_cli *cli, const skein_agent *a, skn_str usual)
{
    skn_doings d = skn_doings_of(cli, a);
    size_t     row = skn_row_begin(cli);

    skn_print_raw(cli, SKN_STR("  @"));
    skn_print_sender(cli, a->name, 16);
    if (!skn_str_is(d.state, "idle"))
        skn_print_doing(cli, &d);
    skn_print_waits(cli, d.inbox_uid);
    if (d.waiting)
        skn_print(cli, "  %" PRId64 " message%s queued", d.waiting, skn_plural(d.waiting));
    if (a->lead_name.n)
        skn_print(cli, "  works for @%.*s", SKN_FMT(a->lead_name));
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_colour(cli, SKN_DIM, a->model.n ? a->model : usual);
    skn_print_raw(cli, a->model.n ? SKN_STR("\n") : SKN_STR(" (default)\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

skein_rc skn_agent_item(skn_cli *cli, const skein_agent *agent)
{
    skn_jw_raw(skn_item(cli), agent->settings);
    return skn_item_end(cli);
}

static skein_rc agent_would_be(skn_cli *cli, const skein_agent *wanted)
{
    skein_agents agents;
    skn_str      name;
    skein_rc     rc = skn_name_normal(wanted->name, cli->keep, &name, &cli->err);

    if (!rc)
        rc = skn_far_agents(cli, &agents);
    for (size_t i = 0; !rc && i < agents.count; i++)
        if (skn_str_eq(agents.at[i].name, name))
            rc = skn_fail(&cli->err, SKEIN_CONFLICT, "there is already an agent \"%.*s\"",
                          SKN_FMT(name));
    if (!rc)
        skn_would(cli, "make the agent %.*s", SKN_FMT(name));
    return rc;
}

int skn_cmd_agent_new(skn_cli *cli)
{
    skein_world world;
    skein_agent agent = {.name = skn_arg(cli, 0),
                         .system_prompt = skn_str_of(skn_opt(cli, "prompt")),
                         .lead_name = skn_str_of(skn_opt(cli, "lead"))};
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_model_option(cli, &agent.model)))
        return (int)rc;
    if (cli->dry_run)
        return (int)agent_would_be(cli, &agent);
    if ((rc = skn_far_agent_new(cli, &agent)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_print(cli, "Made the agent %.*s in %.*s. Take it back with \"skein agent rm %.*s\".\n",
              SKN_FMT(agent.name), SKN_FMT(world.name), SKN_FMT(agent.name));
    return 0;
}

int skn_cmd_agent_ls(skn_cli *cli)
{
    skein_world  world;
    skein_agents agents;
    skn_str      usual = SKN_NONE;
    skein_rc     rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_agents(cli, &agents)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    else
        usual = skn_default_model_shown(cli);
    for (size_t i = 0; i < agents.count && !rc; i++)
        if (cli->json)
            rc = skn_agent_item(cli, &agents.at[i]);
        else
            skn_agent_line(cli, &agents.at[i], usual);
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* All, none, or which: an agent that was never held to some has them all. */
static void print_tools(skn_cli *cli, const skn_json *agent)
{
    const skn_json *tools = skn_json_get(agent, "tools");

    if (!tools || tools->kind != SKN_JSON_ARRAY) {
        skn_print(cli, "  tools: all\n");
        return;
    }
    skn_print(cli, tools->first ? "  tools: " : "  tools: none");
    for (const skn_json *t = tools->first; t; t = t->next) {
        skn_print_line(cli, t->text, 0);
        skn_print_raw(cli, t->next ? SKN_STR(", ") : SKN_STR(""));
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

static void print_tokens(skn_cli *cli, const skn_json *agent)
{
    const skn_json *most = skn_json_get(agent, "maxTokens");

    if (most && most->kind == SKN_JSON_NUMBER)
        skn_print(cli, "  tokens of an answer: at most %.*s\n", SKN_FMT(most->raw));
}

int skn_cmd_agent_show(skn_cli *cli)
{
    skein_world     world;
    skein_agent     agent;
    const skn_json *told;
    skein_rc        rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_agent(cli, skn_arg(cli, 0), &agent)) ||
        (rc = skn_json_parse(&told, agent.settings, "the agent", cli->keep, &cli->err)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_agent_line(cli, &agent, skn_default_model_shown(cli));
    skn_print_last_turn(cli, &agent);
    skn_print_outlook(cli, &agent, "  ");
    skn_print(cli, "  id %.*s, in %.*s since ", SKN_FMT(agent.uid), SKN_FMT(world.name));
    skn_print_time(cli, agent.created_at);
    skn_print_raw(cli, SKN_STR("\n"));
    print_tools(cli, told);
    print_tokens(cli, told);
    skn_print_raw(cli, agent.system_prompt.n ? SKN_STR("  is told\n") : SKN_NONE);
    skn_print_block(cli, agent.system_prompt, 4);
    return 0;
}

int skn_cmd_agent_rm(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_agent(cli, skn_arg(cli, 0), &agent)) ||
        (rc = skn_confirm(cli, "Remove this agent?", false)))
        return (int)rc;
    if (!cli->dry_run &&
        (rc = skn_far_agent_remove(cli, &agent, skn_opt(cli, "force") != NULL)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_print(cli,
              cli->dry_run ? "Would remove the agent %.*s. Nothing was changed.\n"
                           : "Removed the agent %.*s. What it said stays.\n",
              SKN_FMT(agent.name));
    return 0;
}

/* What agents are to do: changing, pausing and waking them, telling them something, giving them tasks. */

#define LISTED_MOST 1000

static skein_rc find_agent(skn_cli *cli, skein_world *world, skein_agent *out)
{
    skein_rc rc = skn_need_world(cli, world);

    return rc ? rc : skn_far_agent(cli, skn_arg(cli, 0), out);
}

/* --- Edit --------------------------------------------------------------------------------- */

/* Tools of servers have "__" in their names, and may come later. */
static skein_rc check_tools(skn_cli *cli)
{
    skn_str names = skn_str_of(skn_opt(cli, "tools")), name;

    while (!skn_is_usual(names) && skn_str_split(&names, ',', &name)) {
        name = skn_str_trim(name);
        if (!name.n || skn_str_find(name, SKN_STR("__")) >= 0 ||
            skn_str_ends(name, SKN_STR("*")) || skn_runtime_has_tool(name))
            continue;
        skn_fail(&cli->err, SKEIN_INVALID, "there is no tool \"%.*s\"", SKN_FMT(name));
        return skn_hint(&cli->err, SKEIN_INVALID,
                        "docs/tools.md lists them; those of servers are SERVER__NAME");
    }
    return SKEIN_OK;
}

static skein_rc check_tokens(skn_cli *cli)
{
    skn_str value = skn_str_of(skn_opt(cli, "max-tokens"));
    int64_t n;

    if (!value.p || skn_is_usual(value) ||
        (skn_str_int(value, &n) && n >= 1 && n <= SKN_AGENT_TOKENS_MOST))
        return SKEIN_OK;
    return skn_fail(&cli->err, SKEIN_USAGE,
                    "\"%.*s\" must be a whole number from 1 to 1000000000, or default",
                    SKN_FMT(value));
}

int skn_cmd_agent_edit(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skn_str     model = SKN_NONE;
    skein_rc    rc;

    if ((rc = find_agent(cli, &world, &agent)) || (rc = skn_model_option(cli, &model)) ||
        (rc = check_tools(cli)) || (rc = check_tokens(cli)))
        return (int)rc;
    if (!skn_opt(cli, "prompt") && !skn_opt(cli, "model") && !skn_opt(cli, "lead") &&
        !skn_opt(cli, "tools") && !skn_opt(cli, "max-tokens"))
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "give what is to change: --prompt, --model, --lead, --tools or "
                             "--max-tokens");
    if (cli->dry_run) {
        skn_would(cli, "change the agent %.*s", SKN_FMT(agent.name));
        return 0;
    }
    if ((rc = skn_far_agent_edit(cli, model, &agent)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_print(cli, "Changed the agent %.*s. What it said stays.\n", SKN_FMT(agent.name));
    return 0;
}

/* --- Pause, wake, timer ------------------------------------------------------------------- */

static int pause_agent(skn_cli *cli, bool paused)
{
    skein_world world;
    skein_agent agent;
    skein_rc    rc = find_agent(cli, &world, &agent);

    if (!rc && !cli->dry_run)
        rc = skn_far_agent_do(cli, paused ? "pause" : "resume", &agent);
    if (rc)
        return (int)rc;
    if (cli->json)
        rc = skn_agent_item(cli, &agent);
    else if (cli->dry_run)
        skn_would(cli, "%s %.*s", paused ? "pause" : "let go on", SKN_FMT(agent.name));
    else if (paused)
        skn_print(cli, "%.*s begins nothing new. Go on with \"skein agent resume %.*s\".\n",
                  SKN_FMT(agent.name), SKN_FMT(agent.name));
    else
        skn_print(cli, "%.*s goes on with what waits for it.\n", SKN_FMT(agent.name));
    if (!paused && !cli->dry_run)
        skn_note_nobody(cli, agent.name, "goes on");
    return (int)rc;
}

int skn_cmd_agent_pause(skn_cli *cli)
{
    return pause_agent(cli, true);
}

int skn_cmd_agent_resume(skn_cli *cli)
{
    return pause_agent(cli, false);
}

/* One that is paused begins nothing, woken or not. */
static void say_woken(skn_cli *cli, const skein_agent *agent, bool paused)
{
    if (paused)
        skn_print(cli,
                  "%.*s is paused: it looks what there is to do when it goes on. Let it with "
                  "\"skein agent resume %.*s\".\n",
                  SKN_FMT(agent->name), SKN_FMT(agent->name));
    else
        skn_print(cli, "%.*s looks what there is to do. Watch it: skein inspect %.*s\n",
                  SKN_FMT(agent->name), SKN_FMT(agent->name));
}

int skn_cmd_agent_wake(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    bool        paused;
    skein_rc    rc = find_agent(cli, &world, &agent);

    if (rc || (!cli->dry_run && (rc = skn_far_agent_do(cli, "wake", &agent))))
        return (int)rc;
    paused = skn_doings_of(cli, &agent).paused;
    if (cli->json)
        rc = skn_agent_item(cli, &agent);
    else if (cli->dry_run)
        skn_would(cli, "wake %.*s", SKN_FMT(agent.name));
    else
        say_woken(cli, &agent, paused);
    if (!rc && !paused && !cli->dry_run)
        skn_note_nobody(cli, agent.name, "begins");
    return (int)rc;
}

int skn_cmd_agent_timer(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skn_str     text = skn_arg(cli, 1);
    int64_t     ms = 0;
    skein_rc    rc;

    if (!skn_str_is(text, "off") &&
        (!skn_amount_duration(text, &ms) || ms == 0 || !skn_timer_is_one(ms)))
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"%.*s\" is not off and no time " SKN_TIMER_RANGE, SKN_FMT(text));
    rc = find_agent(cli, &world, &agent);
    if (!rc && !cli->dry_run)
        rc = skn_far_agent_timer(cli, ms, &agent);
    if (rc)
        return (int)rc;
    if (cli->json)
        rc = skn_agent_item(cli, &agent);
    else if (cli->dry_run)
        skn_would(cli, "set the timer of %.*s to %.*s", SKN_FMT(agent.name), SKN_FMT(text));
    else if (ms)
        skn_print(cli,
                  "%.*s gets a task every %.*s. End that with \"skein agent timer %.*s "
                  "off\".\n",
                  SKN_FMT(agent.name), SKN_FMT(text), SKN_FMT(agent.name));
    else
        skn_print(cli, "%.*s has no timer.\n", SKN_FMT(agent.name));
    if (ms && !cli->dry_run)
        skn_note_nobody(cli, agent.name, "begins");
    return (int)rc;
}

/* --- Tell and task ------------------------------------------------------------------------ */

skein_rc skn_arg_text(skn_cli *cli, size_t from, skn_str *out)
{
    skn_buf b;

    if (cli->arg_count == from + 1 && skn_str_is(skn_arg(cli, from), "-"))
        return skn_read_file(cli, "-", SKN_TEXT_LIMIT, out);
    skn_buf_init(&b, SKN_TEXT_LIMIT);
    for (size_t i = from; i < cli->arg_count; i++)
        skn_buf_addf(&b, "%s%s", i > from ? " " : "", cli->args[i]);
    *out = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
    return skn_str_trim(*out).n ? SKEIN_OK
                                : skn_fail(&cli->err, SKEIN_USAGE, "there is no text");
}

int skn_cmd_agent_tell(skn_cli *cli)
{
    skein_world     world;
    skein_agent     agent, from;
    skein_tell      tell = {.response_expected = skn_opt(cli, "expect-reply") != NULL};
    const skn_json *whole;
    skein_message   m;
    skein_rc        rc;

    if ((rc = find_agent(cli, &world, &agent)) || (rc = skn_arg_text(cli, 1, &tell.text)))
        return (int)rc;
    if (skn_opt(cli, "from")) {
        if ((rc = skn_far_agent(cli, skn_str_of(skn_opt(cli, "from")), &from)))
            return (int)rc;
        tell.from = from.name;
    }
    if (cli->dry_run) {
        skn_would(cli, "tell %.*s %zu bytes", SKN_FMT(agent.name), tell.text.n);
        return 0;
    }
    if ((rc = skn_far_tell(cli, &agent, &tell, &m, &whole)))
        return (int)rc;
    if (cli->json)
        rc = skn_far_item(cli, whole);
    else
        skn_print(cli, "Told %.*s as %.*s, in its background. Watch it: skein inspect %.*s\n",
                  SKN_FMT(agent.name), SKN_FMT(m.uid), SKN_FMT(agent.name));
    skn_note_nobody(cli, agent.name, "reads it");
    return (int)rc;
}

int skn_cmd_agent_task(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skein_task  task = {.id = 0};
    skein_rc    rc;

    if ((rc = find_agent(cli, &world, &agent)) || (rc = skn_arg_text(cli, 1, &task.content)))
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "give %.*s a task of %zu bytes", SKN_FMT(agent.name), task.content.n);
        return 0;
    }
    if ((rc = skn_far_task_new(cli, &agent, &task)))
        return (int)rc;
    if (cli->json) {
        skn_shape_task(skn_item(cli), &task);
        rc = skn_item_end(cli);
    } else {
        skn_print(cli,
                  "%.*s has the task %.*s. Take it back with \"skein task cancel %.*s\".\n",
                  SKN_FMT(agent.name), SKN_FMT(task.uid), SKN_FMT(task.uid));
    }
    skn_note_nobody(cli, agent.name, "begins");
    return (int)rc;
}

/* --- What it keeps in mind ---------------------------------------------------------------- */

static skein_rc knowledge(skn_cli *cli, const skein_knowledge *k)
{
    size_t row;

    if (cli->json) {
        skn_shape_knowledge(skn_item(cli), k);
        return skn_item_end(cli);
    }
    row = skn_row_begin(cli);
    skn_print_colour(cli, SKN_YELLOW, k->uid);
    skn_print(cli, "  %-10.*s  %3" PRId64 " %%  ", SKN_FMT(k->type), k->confidence);
    skn_print_line(cli, k->content, 0);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
    return SKEIN_OK;
}

int skn_cmd_agent_memory(skn_cli *cli)
{
    skein_world      world;
    skein_agent      agent;
    skein_knowledges list;
    skn_str          words = SKN_NONE;
    skein_rc         rc;

    if ((rc = find_agent(cli, &world, &agent)) ||
        (cli->arg_count > 1 && (rc = skn_arg_text(cli, 1, &words))) ||
        (rc = skn_far_knowledge(cli, &agent, words, LISTED_MOST, &list)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < list.count && !rc; i++)
        rc = knowledge(cli, &list.at[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!list.count)
        skn_print(cli, "%.*s keeps nothing in mind%s.\n", SKN_FMT(agent.name),
                  words.p ? " with these words" : " yet");
    return (int)rc;
}
