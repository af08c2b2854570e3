/* Tasks of agents: listing, showing, cancelling, restarting. */
#include "cli/commands.h"

#include "base/clock.h"

#define TASK "{world}/tasks/{id}"

/* --- Showing ------------------------------------------------------------------------------ */

#define TASK_LINE "{yellow id}  {sender agent 8}  {label 9}  {source 10}  {line content 60}\n"

/* A tool call of the task waits for a person. */
static bool needs_decision(const skn_json *task)
{
    return skn_has(task, "running") && skn_is(task, "label", "waiting");
}

/* Whose answer it waits for, and how a person gives it. */
static void waits_line(skn_cli *cli, const skn_json *task)
{
    if (needs_decision(task)) {
        skn_say(cli, task, "    waits for you" SKN_WAITS "[!inboxId:: skein inbox]\n");
        return;
    }
    if (!skn_has(task, "waitsFor"))
        return;
    skn_say_row(cli, task,
                "    waits for [waitsFor=human:you][waitsFor!=human:@{waitsFor}]: "
                "{line question 100}\n");
    if (skn_is(task, "waitsFor", "human"))
        skn_say_if(cli, task, "inboxId", "    answer: skein inbox reply {inboxId} TEXT\n");
}

static bool is_tried_again(const skn_json *task)
{
    return skn_is(task, "status", "pending") && skn_has(task, "attempts");
}

/* When it is tried again. A time that has come is not told: a paused agent may still not begin. */
static void again_at(skn_cli *cli, const skn_json *task)
{
    if (is_tried_again(task) && !skn_has(task, "running"))
        skn_say(cli, task,
                skn_door_time(task, "notBefore") <= skn_clock_micros()
                    ? "; will be tried again"
                    : "; tried again at {time notBefore}");
}

static void failure_line(skn_cli *cli, const skn_json *task)
{
    size_t row;

    if (!is_tried_again(task) || !skn_has(task, "lastError"))
        return;
    row = skn_row_begin(cli);
    skn_say(cli, task, "    failed {attempts} time{attempts s}: {line lastError 100}");
    again_at(cli, task);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

static skein_rc listed(skn_cli *cli, const skn_json *task)
{
    skn_say_row(cli, task, TASK_LINE);
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
skein_rc skn_cmd_task_ls(skn_cli *cli)
{
    const skn_json *one;
    skn_json_list   agents = {0}, tasks = {0};
    const char     *status, *query = "{world}/agents/{name}/tasks";
    skein_rc        rc;

    if ((rc = check_status(cli, &status)) || (rc = skn_need_world(cli, NULL)))
        return rc;
    if (!cli->arg_count)
        rc = skn_read_all(cli, NULL, "{world}/agents", 0, &agents);
    else if (!(rc = skn_agent_named(cli, skn_arg(cli, 0), &one)))
        skn_vec_add(cli->keep, &agents, one);
    if (status)
        query = skn_arena_text(cli->keep, "%s?status=%s", query, status);
    for (size_t i = 0; !rc && i < agents.n; i++)
        rc = skn_read_all(cli, agents.p[i], query, 0, &tasks);
    if (rc || (rc = skn_say_list(cli, &tasks, listed)))
        return rc;
    if (!cli->json && !tasks.n)
        skn_print(cli, "There are no%s%s tasks.\n", status ? " " : "", status ? status : "");
    return SKEIN_OK;
}

static skein_rc find_task(skn_cli *cli, const skn_json **out)
{
    return skn_missing(cli, skn_read(cli, NULL, "{world}/tasks/{.0}", out), "task");
}

skein_rc skn_cmd_task_show(skn_cli *cli)
{
    const skn_json *task;
    skein_rc        rc = find_task(cli, &task);

    if (rc || cli->json)
        return rc ? rc : skn_door_item(cli, task);
    skn_say_row(cli, task, TASK_LINE);
    waits_line(cli, task);
    skn_print_block(cli, skn_json_str(task, "content"), 4);
    skn_say(cli, task,
            "  from [assignedBy:{sender assignedBy}][!assignedBy:you] at {time createdAt}, "
            "failed {attempts} time{attempts s}");
    again_at(cli, task);
    skn_say(cli, task, "\n[messageId:  begun as {messageId}: skein inspect {agent}\n]");
    if (!needs_decision(task)) /* a person may answer for the lead instead of waiting for it */
        skn_say(
            cli, task,
            "[waitsFor:[question:question\n{block question 4}[waitsFor!=human:"
            "  answer for {waitsFor}: skein agent tell {agent} TEXT --from {waitsFor}\n]]]");
    skn_say(cli, task,
            "[result:result\n{block result 4}]"
            "[lastError:last failure\n{block lastError 4}]");
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
        skn_note_nobody(cli, skn_json_str(task, "agent"), "begins");
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
