/* Tasks of agents: listing, showing, cancelling, restarting. */
#include "cli/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "cli/discover.h"

#include <inttypes.h>

#define TASK "{world}/tasks/{id}"

/* --- Showing ------------------------------------------------------------------------------ */

static void task_line(skn_cli *cli, const skn_json *task)
{
    skn_say_row(cli, task,
                "{yellow id}  {sender agent 8}  {label 9}  {source 10}  {line content 60}\n");
}

/* A call of a tool that runs in it waits for a person. */
static bool needs_decision(const skn_json *task)
{
    return skn_has(task, "running") && skn_is(task, "label", "waiting");
}

/* Whose answer it waits for, and how a person gives it. */
static void waits_line(skn_cli *cli, const skn_json *task)
{
    bool you = skn_is(task, "waitsFor", "human");

    if (needs_decision(task)) {
        skn_print_raw(cli, SKN_STR("    waits for you"));
        skn_print_waits(cli, task);
        skn_print(cli, skn_has(task, "inboxId") ? "\n" : ": skein inbox\n");
        return;
    }
    if (!skn_has(task, "waitsFor"))
        return;
    skn_say_row(cli, task,
                you ? "    waits for you: {line question 100}\n"
                    : "    waits for @{waitsFor}: {line question 100}\n");
    if (you)
        skn_say_if(cli, task, "inboxId", "    answer: skein inbox reply {inboxId} TEXT\n");
}

/* No time once that has come: when it is begun is up to its agent, which may be paused. */
static void again_at(skn_cli *cli, const skn_json *task)
{
    if (!skn_is(task, "status", "pending") || !skn_has(task, "attempts") ||
        skn_has(task, "running"))
        return;
    skn_say(cli, task,
            skn_door_time(task, "notBefore") <= skn_clock_micros()
                ? "; to be tried again"
                : "; tried again at {time notBefore}");
}

/* Of one that is to be tried again: why, and when. */
static void failure_line(skn_cli *cli, const skn_json *task)
{
    size_t row;

    if (!skn_is(task, "status", "pending") || !skn_has(task, "attempts") ||
        !skn_has(task, "lastError"))
        return;
    row = skn_row_begin(cli);
    skn_say(cli, task, "    failed {attempts} time{attempts s}: {line lastError 100}");
    again_at(cli, task);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

static skein_rc listed(skn_cli *cli, const skn_json *task)
{
    task_line(cli, task);
    waits_line(cli, task);
    failure_line(cli, task);
    return SKEIN_OK;
}

static skein_rc check_status(skn_cli *cli, const char **out)
{
    *out = skn_opt(cli, "status");
    if (!*out || skn_is_among(SKN_STR("pending,completed,cancelled"), skn_str_of(*out)))
        return SKEIN_OK;
    return skn_fail(&cli->err, SKEIN_USAGE,
                    "\"--status\" is pending, completed or cancelled, not \"%s\"", *out);
}

/* Of one agent, or of all of the world. */
static skein_rc list(skn_cli *cli, const char *name)
{
    const skn_json *one;
    skn_json_list   agents = {0}, tasks = {0};
    const char     *status, *query;
    skein_rc        rc;

    if ((rc = check_status(cli, &status)) || (rc = skn_need_world(cli, NULL)))
        return rc;
    if (!name)
        rc = skn_read_all(cli, NULL, "{world}/agents", 0, &agents);
    else if (!(rc = skn_agent_named(cli, skn_str_of(name), &one)))
        skn_vec_add(cli->keep, &agents, one);
    query = status
                ? skn_arena_printf(cli->keep, "{world}/agents/{name}/tasks?status=%s", status).p
                : "{world}/agents/{name}/tasks";
    for (size_t i = 0; !rc && i < agents.n; i++)
        rc = skn_read_all(cli, agents.p[i], query, 0, &tasks);
    if (rc || (rc = skn_say_list(cli, &tasks, listed)))
        return rc;
    if (!cli->json && !tasks.n)
        skn_print(cli, "There are no%s%s tasks.\n", status ? " " : "", status ? status : "");
    return SKEIN_OK;
}

skein_rc skn_cmd_task_ls(skn_cli *cli)
{
    return list(cli, cli->arg_count ? cli->args[0] : NULL);
}

skein_rc skn_cmd_agent_tasks(skn_cli *cli)
{
    return list(cli, cli->args[0]);
}

static skein_rc find_task(skn_cli *cli, const skn_json **out)
{
    skein_rc rc = skn_need_world(cli, NULL);

    return rc ? rc
              : skn_missing(cli,
                            skn_door_get(cli, out, "%s/tasks/%s", cli->door->world,
                                         skn_door_part(cli, skn_arg(cli, 0))),
                            "task");
}

/* The whole of it; and how a person answers who does not want to wait for the lead. */
static void question_block(skn_cli *cli, const skn_json *task)
{
    if (needs_decision(task) || !skn_has(task, "waitsFor") || !skn_has(task, "question"))
        return;
    skn_say_block(cli, task, "question\n", "question");
    if (!skn_is(task, "waitsFor", "human"))
        skn_say(cli, task,
                "  answer for {waitsFor}: skein agent tell {agent} TEXT --from {waitsFor}\n");
}

skein_rc skn_cmd_task_show(skn_cli *cli)
{
    const skn_json *task;
    skein_rc        rc = find_task(cli, &task);

    if (rc || cli->json)
        return rc ? rc : skn_door_item(cli, task);
    task_line(cli, task);
    waits_line(cli, task);
    skn_print_block(cli, skn_door_text(task, "content"), 4);
    skn_say(cli, task,
            skn_has(task, "assignedBy") ? "  from {sender assignedBy} at " : "  from ");
    if (!skn_has(task, "assignedBy")) {
        skn_print_sender(cli, SKN_STR("you"), 0);
        skn_print_raw(cli, SKN_STR(" at "));
    }
    skn_say(cli, task, "{time createdAt}, failed {attempts} time{attempts s}");
    again_at(cli, task);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_say_if(cli, task, "messageId", "  begun as {messageId}: skein inspect {agent}\n");
    question_block(cli, task);
    skn_say_block(cli, task, "result\n", "result");
    skn_say_block(cli, task, "last failure\n", "lastError");
    return SKEIN_OK;
}

/* --- Changing ----------------------------------------------------------------------------- */

skein_rc skn_cmd_task_retry(skn_cli *cli)
{
    static const skn_deed deed = {
        "POST", TASK "/retry", "have {agent} restart the task {id}",
        "{agent} has the task {id} again. Watch it: skein inspect {agent}\n", true};
    const skn_json *task;
    skein_rc        rc = find_task(cli, &task);

    if (rc || (rc = skn_do(cli, &deed, NULL, &task)))
        return rc;
    if (!cli->dry_run)
        skn_note_nobody(cli, skn_door_text(task, "agent"), "begins");
    return SKEIN_OK;
}

/* A server that runs here keeps what was written. */
skein_rc skn_cmd_task_cancel(skn_cli *cli)
{
    static const skn_deed deed = {"DELETE", TASK, "cancel the task {id} of {agent}",
                                  "Cancelled the task {id} of {agent}.\n", true};
    const skn_json       *task;
    skein_rc              rc = find_task(cli, &task);

    if (rc || (!cli->dry_run && (rc = skn_door_to_server(cli))))
        return rc;
    return skn_do(cli, &deed, NULL, &task);
}
