/* What agents are to do: changing, pausing and waking them, telling them something, giving them tasks. */
#include "cli/commands.h"

#include "base/amount.h"
#include "base/error.h"
#include "cli/discover.h"
#include "cli/far_agent.h"
#include "cli/far_view.h"
#include "cli/model_name.h"
#include "cli/outlook.h"
#include "runtime/runtime.h"

#include <inttypes.h>

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
