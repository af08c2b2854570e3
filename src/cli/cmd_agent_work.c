/* What agents are to do: changing, pausing and waking them, telling them something, giving them tasks. */
#include "cli/commands.h"

#include "base/amount.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/discover.h"
#include "cli/far_agent.h"
#include "cli/far_view.h"
#include "cli/model_name.h"
#include "runtime/runtime.h"

#include <inttypes.h>

#define LISTED_MOST 1000

static skein_rc find_agent(skn_cli *cli, skein_world *world, skein_agent *out)
{
    skein_rc rc = skn_need_world(cli, world);

    return rc ? rc : skn_need_agent(cli, world, cli->args[0], out);
}

/* --- Edit --------------------------------------------------------------------------------- */

/* An option's text over the one that is kept; an empty one removes it. */
static void take(skn_cli *cli, const char *name, skn_str *text)
{
    const char *given = skn_opt(cli, name);

    if (given)
        *text = *given ? skn_str_of(given) : SKN_NONE;
}

/* Tools of servers have "__" in their names, and may come later. */
static skein_rc check_tools(skn_cli *cli, skn_str names)
{
    skn_str name;

    while (skn_str_split(&names, ',', &name)) {
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

static void write_tools(skn_jw *w, skn_str names)
{
    skn_str name;

    skn_jw_array(w);
    while (skn_str_split(&names, ',', &name))
        if (skn_str_trim(name).n)
            skn_jw_str(w, skn_str_trim(name));
    skn_jw_array_end(w);
}

/* "all" and "default": as if it had never been said. */
static bool is_usual(skn_str value)
{
    return skn_str_is(value, "all") || skn_str_is(value, "default");
}

static skein_rc check_tokens(skn_cli *cli, skn_str value)
{
    int64_t n;

    if (skn_str_int(value, &n) && n >= 1 && n <= SKN_AGENT_TOKENS_MOST)
        return SKEIN_OK;
    return skn_fail(&cli->err, SKEIN_USAGE,
                    "\"%.*s\" must be a whole number from 1 to 1000000000, or default",
                    SKN_FMT(value));
}

/* One setting by the option that is for it; the others stay as they are. */
static skein_rc take_setting(skn_cli *cli, const char *option, const char *key,
                             skn_str *settings)
{
    skn_str         value = skn_str_of(skn_opt(cli, option));
    bool            tools = skn_str_is(skn_str_of(key), "tools");
    const skn_json *all = NULL;
    skn_buf         b;
    skn_jw          w;
    skein_rc        rc;

    if (!value.p)
        return SKEIN_OK;
    if (!is_usual(value) && (rc = tools ? check_tools(cli, value) : check_tokens(cli, value)))
        return rc;
    if (settings->n &&
        (rc = skn_json_parse(&all, *settings, "the settings", cli->keep, &cli->err)))
        return rc;
    skn_buf_init(&b, (size_t)1 << 20);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    for (const skn_json *v = all ? all->first : NULL; v; v = v->next)
        if (!skn_str_is(v->key, key)) {
            skn_jw_key_str(&w, v->key);
            skn_jw_raw(&w, v->raw);
        }
    if (!is_usual(value)) {
        skn_jw_key(&w, key);
        tools ? write_tools(&w, value) : skn_jw_raw(&w, value);
    }
    skn_jw_object_end(&w);
    *settings = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
    return SKEIN_OK;
}

int skn_cmd_agent_edit(skn_cli *cli)
{
    skein_world world;
    skein_agent was, agent;
    skein_rc    rc = find_agent(cli, &world, &was);

    if (rc)
        return (int)rc;
    agent = was;
    take(cli, "prompt", &agent.system_prompt);
    take(cli, "lead", &agent.lead_name);
    if ((skn_opt(cli, "model") && (rc = skn_model_option(cli, &agent.model))) ||
        (rc = take_setting(cli, "tools", "tools", &agent.settings)) ||
        (rc = take_setting(cli, "max-tokens", "maxTokens", &agent.settings)))
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
    if ((rc = cli->far
                  ? skn_far_agent_edit(cli, agent.model, &agent)
                  : skein_agent_update_from(cli->engine, &was, &agent, cli->keep, &cli->err)))
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
        rc = cli->far ? skn_far_agent_do(cli, paused ? "pause" : "resume", &agent)
                      : skein_agent_pause(cli->engine, agent.id, paused, &cli->err);
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

/* Its settings are all that the server tells of it. */
static skein_rc far_wake(skn_cli *cli, skein_agent *agent, bool *paused)
{
    const skn_json *told;
    skein_rc        rc = cli->dry_run ? SKEIN_OK : skn_far_agent_do(cli, "wake", agent);

    if (rc || (rc = skn_json_parse(&told, agent->settings, "the agent", cli->keep, &cli->err)))
        return rc;
    *paused = skn_far_flag(told, "paused");
    return SKEIN_OK;
}

static skein_rc wake(skn_cli *cli, skein_agent *agent, bool *paused)
{
    const skein_agents one = {agent, 1};
    skein_agent_work   work;
    skein_rc           rc = SKEIN_OK;

    if (cli->far)
        return far_wake(cli, agent, paused);
    if (!cli->dry_run)
        rc = skein_agent_wake(cli->engine, agent->id, &cli->err);
    if (!rc)
        rc = skein_agent_work_of(cli->engine, &one, cli->keep, &work, &cli->err);
    *paused = !rc && work.paused;
    return rc;
}

int skn_cmd_agent_wake(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    bool        paused = false;
    skein_rc    rc = find_agent(cli, &world, &agent);

    if (rc || (rc = wake(cli, &agent, &paused)))
        return (int)rc;
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
        rc = cli->far ? skn_far_agent_timer(cli, ms, &agent)
                      : skein_agent_timer(cli->engine, agent.id, ms, &cli->err);
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

static skein_rc told_item(skn_cli *cli, const skein_world *world, skn_str uid)
{
    skein_message      there;
    skein_conversation chat;
    skein_rc rc = skein_message_in_world(cli->engine, world->id, uid, cli->keep, &there, &chat,
                                         &cli->err);

    if (rc)
        return rc;
    skn_shape_message(skn_item(cli), chat.uid, &there, NULL);
    return skn_item_end(cli);
}

int skn_cmd_agent_tell(skn_cli *cli)
{
    skein_world     world;
    skein_agent     agent, from;
    skein_tell      tell = {.response_expected = skn_opt(cli, "expect-reply") != NULL};
    const skn_json *whole = NULL;
    skein_message   m;
    skein_rc        rc;

    if ((rc = find_agent(cli, &world, &agent)) || (rc = skn_arg_text(cli, 1, &tell.text)))
        return (int)rc;
    tell.world = world.id;
    tell.agent = agent.name;
    if (skn_opt(cli, "from")) {
        if ((rc = skn_need_agent(cli, &world, skn_opt(cli, "from"), &from)))
            return (int)rc;
        tell.from = from.name;
    }
    if (cli->dry_run) {
        skn_would(cli, "tell %.*s %zu bytes", SKN_FMT(agent.name), tell.text.n);
        return 0;
    }
    if ((rc = cli->far ? skn_far_tell(cli, &agent, &tell, &m, &whole)
                       : skein_tell_agent(cli->engine, &tell, cli->keep, &m, &cli->err)))
        return (int)rc;
    if (cli->json)
        rc = whole ? skn_far_item(cli, whole) : told_item(cli, &world, m.uid);
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
    skein_task  task = {.source = SKN_STR("user")};
    skein_rc    rc;

    if ((rc = find_agent(cli, &world, &agent)) || (rc = skn_arg_text(cli, 1, &task.content)))
        return (int)rc;
    task.agent = agent.id;
    if (cli->dry_run) {
        skn_would(cli, "give %.*s a task of %zu bytes", SKN_FMT(agent.name), task.content.n);
        return 0;
    }
    if ((rc = cli->far ? skn_far_task_new(cli, &agent, &task)
                       : skein_task_new(cli->engine, &task, cli->keep, &cli->err)))
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
        (rc = cli->far ? skn_far_knowledge(cli, &agent, words, LISTED_MOST, &list)
                       : skein_knowledge_list(cli->engine, agent.id, words, LISTED_MOST,
                                              cli->keep, &list, &cli->err)))
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
