/* Tasks of agents: listing, showing, cancelling, beginning anew. */
#include "cli/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "cli/discover.h"
#include "cli/far_agent.h"
#include "cli/server_ask.h"

#include <inttypes.h>

#define LISTED_MOST 1000

static skein_rc task_json(skn_cli *cli, const skein_task *task)
{
    skn_shape_task(skn_item(cli), task);
    return skn_item_end(cli);
}

static void task_line(skn_cli *cli, const skein_task *task)
{
    size_t row = skn_row_begin(cli);

    skn_print_colour(cli, SKN_YELLOW, task->uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, task->agent_name, 8);
    skn_print(cli, "  %-9.*s  %-10.*s  ", SKN_FMT(skn_task_label(task)), SKN_FMT(task->source));
    skn_print_line(cli, task->content, 60);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

/* Of one that waits for somebody's answer: whose, to what, and how a person gives it. */
static void question_line(skn_cli *cli, const skein_task *task)
{
    size_t row = skn_row_begin(cli);
    bool   you = skn_str_is(task->waits_for, "human");

    skn_print(cli, "    waits for %s%.*s: ", you ? "" : "@",
              SKN_FMT(you ? SKN_STR("you") : task->waits_for));
    skn_print_line(cli, skn_task_question(task), 100);
    skn_print_raw(cli, SKN_STR("\n"));
    if (you && task->inbox_uid.n)
        skn_print(cli, "    answer: skein inbox reply %.*s TEXT\n", SKN_FMT(task->inbox_uid));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

static void waits_line(skn_cli *cli, const skein_task *task)
{
    if (!task->waits) {
        if (task->waits_for.p)
            question_line(cli, task);
        return;
    }
    skn_print_raw(cli, SKN_STR("    waits for you"));
    skn_print_waits(cli, task->inbox_uid);
    if (!task->inbox_uid.n)
        skn_print(cli, ": skein inbox");
    skn_print_raw(cli, SKN_STR("\n"));
}

/* No time once that has come: when it is begun is up to its agent, which may be paused. */
static void again_at(skn_cli *cli, const skein_task *task)
{
    if (!skn_str_is(task->status, "pending") || !task->attempts || task->running)
        return;
    if (task->not_before <= skn_clock_micros()) {
        skn_print_raw(cli, SKN_STR("; to be tried again"));
        return;
    }
    skn_print_raw(cli, SKN_STR("; tried again at "));
    skn_print_time(cli, task->not_before);
}

/* Of one that is to be tried again: why, and when. */
static void failure_line(skn_cli *cli, const skein_task *task)
{
    size_t row;

    if (!skn_str_is(task->status, "pending") || task->attempts == 0 || !task->last_error.n)
        return;
    row = skn_row_begin(cli);
    skn_print(cli, "    failed %" PRId64 " time%s: ", task->attempts,
              skn_plural(task->attempts));
    skn_print_line(cli, task->last_error, 100);
    again_at(cli, task);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

static skein_rc check_status(skn_cli *cli, skn_str *out)
{
    *out = skn_str_of(skn_opt(cli, "status"));
    if (!out->p || skn_str_is(*out, "pending") || skn_str_is(*out, "completed") ||
        skn_str_is(*out, "cancelled"))
        return SKEIN_OK;
    return skn_fail(&cli->err, SKEIN_USAGE,
                    "\"--status\" is pending, completed or cancelled, not \"%.*s\"",
                    SKN_FMT(*out));
}

static skein_rc list_of(skn_cli *cli, const skein_agent *agent, skn_str status, size_t *shown)
{
    skein_tasks tasks;
    skein_rc    rc = skn_far_tasks(cli, agent, status, LISTED_MOST, &tasks);

    for (size_t i = 0; !rc && i < tasks.count; i++, (*shown)++)
        if (cli->json) {
            rc = task_json(cli, &tasks.at[i]);
        } else {
            task_line(cli, &tasks.at[i]);
            waits_line(cli, &tasks.at[i]);
            failure_line(cli, &tasks.at[i]);
        }
    return rc;
}

/* Of one agent, or of all of the world. */
static int list(skn_cli *cli, const char *name)
{
    skein_world  world;
    skein_agent  one;
    skein_agents agents = {&one, 1};
    skn_str      status;
    size_t       shown = 0;
    skein_rc     rc;

    if ((rc = check_status(cli, &status)) || (rc = skn_need_world(cli, &world)) ||
        (rc = name ? skn_far_agent(cli, skn_str_of(name), &one) : skn_far_agents(cli, &agents)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < agents.count && !rc; i++)
        rc = list_of(cli, &agents.at[i], status, &shown);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!rc && !shown)
        skn_print(cli, "There are no%s%.*s tasks.\n", status.p ? " " : "", SKN_FMT(status));
    return (int)rc;
}

int skn_cmd_task_ls(skn_cli *cli)
{
    return list(cli, cli->arg_count ? cli->args[0] : NULL);
}

int skn_cmd_agent_tasks(skn_cli *cli)
{
    return list(cli, cli->args[0]);
}

static skein_rc find_task(skn_cli *cli, skein_world *world, skein_task *out)
{
    skein_rc rc = skn_need_world(cli, world);

    return rc ? rc : skn_missing(cli, skn_far_task(cli, skn_arg(cli, 0), out), "task");
}

/* The whole of it; and how a person answers who does not want to wait for the lead. */
static void question_block(skn_cli *cli, const skein_task *task)
{
    skn_str question = skn_task_question(task);

    if (!task->waits_for.p || !question.n)
        return;
    skn_print_raw(cli, SKN_STR("question\n"));
    skn_print_block(cli, question, 4);
    if (!skn_str_is(task->waits_for, "human"))
        skn_print(cli, "  answer for %.*s: skein agent tell %.*s TEXT --from %.*s\n",
                  SKN_FMT(task->waits_for), SKN_FMT(task->agent_name),
                  SKN_FMT(task->waits_for));
}

int skn_cmd_task_show(skn_cli *cli)
{
    skein_world world;
    skein_task  task;
    skein_rc    rc = find_task(cli, &world, &task);

    if (rc)
        return (int)rc;
    if (cli->json)
        return (int)task_json(cli, &task);
    task_line(cli, &task);
    waits_line(cli, &task);
    skn_print_block(cli, task.content, 4);
    skn_print_raw(cli, SKN_STR("  from "));
    skn_print_sender(cli, task.assigned_by.n ? task.assigned_by : SKN_STR("you"), 0);
    skn_print_raw(cli, SKN_STR(" at "));
    skn_print_time(cli, task.created_at);
    skn_print(cli, ", failed %" PRId64 " time%s", task.attempts, skn_plural(task.attempts));
    again_at(cli, &task);
    skn_print_raw(cli, SKN_STR("\n"));
    if (task.message_uid.n)
        skn_print(cli, "  begun as %.*s: skein inspect %.*s\n", SKN_FMT(task.message_uid),
                  SKN_FMT(task.agent_name));
    question_block(cli, &task);
    if (task.result.n) {
        skn_print_raw(cli, SKN_STR("result\n"));
        skn_print_block(cli, task.result, 4);
    }
    if (task.last_error.n) {
        skn_print_raw(cli, SKN_STR("last failure\n"));
        skn_print_block(cli, task.last_error, 4);
    }
    return 0;
}

/* A server that runs here keeps what was written. */
static skein_rc cancel(skn_cli *cli, const skein_world *world, skein_task *task)
{
    skn_str  rest = skn_arena_printf(cli->keep, "tasks/%.*s", SKN_FMT(task->uid));
    bool     asked = false;
    skein_rc rc = SKEIN_OK;

    if (!cli->far)
        rc = skn_server_ask_if_any(cli, "DELETE", skn_world_path(cli, world, rest.p), SKN_NONE,
                                   &asked);
    if (rc)
        return rc;
    return asked ? skn_far_task(cli, task->uid, task)
                 : skn_far_task_cancel(cli, task->uid, task);
}

int skn_cmd_task_retry(skn_cli *cli)
{
    skein_world world;
    skein_task  task;
    skein_rc    rc = find_task(cli, &world, &task);

    if (!rc && !cli->dry_run)
        rc = skn_far_task_retry(cli, task.uid, &task);
    if (rc)
        return (int)rc;
    if (cli->json)
        rc = task_json(cli, &task);
    else if (cli->dry_run)
        skn_would(cli, "have %.*s begin anew with the task %.*s", SKN_FMT(task.agent_name),
                  SKN_FMT(task.uid));
    else
        skn_print(cli, "%.*s has the task %.*s again. Watch it: skein inspect %.*s\n",
                  SKN_FMT(task.agent_name), SKN_FMT(task.uid), SKN_FMT(task.agent_name));
    if (!cli->dry_run)
        skn_note_nobody(cli, task.agent_name, "begins");
    return (int)rc;
}

int skn_cmd_task_cancel(skn_cli *cli)
{
    skein_world world;
    skein_task  task;
    skein_rc    rc = find_task(cli, &world, &task);

    if (!rc && !cli->dry_run)
        rc = cancel(cli, &world, &task);
    if (rc)
        return (int)rc;
    if (cli->json)
        return (int)task_json(cli, &task);
    if (cli->dry_run)
        skn_would(cli, "cancel the task %.*s of %.*s", SKN_FMT(task.uid),
                  SKN_FMT(task.agent_name));
    else
        skn_print(cli, "Cancelled the task %.*s of %.*s.\n", SKN_FMT(task.uid),
                  SKN_FMT(task.agent_name));
    return 0;
}
