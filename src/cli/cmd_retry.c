/* Asking again: an agent for an answer that failed or was stopped, or for a delegation. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/client.h"
#include "cli/far_change.h"
#include "cli/unanswered.h"

typedef struct retry_job {
    skein_world        world;
    skein_conversation chat;
    skein_message      message;
    skein_agent        agent;
} retry_job;

static skein_rc find_names(skn_cli *cli, const char **agent)
{
    *agent = skn_opt(cli, "agent");
    if (*agent)
        return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_USAGE, "it is not said who is to answer \"%s\" again",
             cli->args[0]);
    return skn_hint(&cli->err, SKEIN_USAGE, "skein retry %s --agent NAME", cli->args[0]);
}

static skein_rc find(skn_cli *cli, retry_job *job)
{
    const char *agent;
    skein_rc    rc = find_names(cli, &agent);

    if (rc || (rc = skn_need_chat(cli, &job->world, &job->chat)) ||
        (rc = skn_need_message(cli, &job->chat, skn_arg(cli, 0), &job->message)))
        return rc;
    return skn_need_agent(cli, &job->world, agent, &job->agent);
}

static skein_rc print_json(skn_cli *cli, retry_job *job)
{
    skein_message_facts facts = {.seen_by = NULL};
    skein_deliveries    d = {.count = 0};
    skein_rc            rc = skn_far_message(cli, job->message.uid, &job->message, &facts, &d);

    if (rc)
        return rc;
    skn_shape_message_delivered(skn_item(cli), job->chat.uid, &job->message, &facts, &d);
    return skn_item_end(cli);
}

static skein_rc print(skn_cli *cli, const retry_job *job)
{
    skn_server server;
    bool       served;
    skein_rc   rc = skn_discover(cli, &server, &served);

    if (rc)
        return rc;
    skn_print(cli, "%.*s answers %.*s again.\n", SKN_FMT(job->agent.name),
              SKN_FMT(job->message.uid));
    if (!served)
        skn_note(cli, "%s: it is answered once %s.", skn_nobody_runs(cli),
                 skn_only_reads(cli) ? "another runs" : "one does");
    return SKEIN_OK;
}

/* In the store: a server notices what is due, whoever wrote it. */
static skein_rc answer_again(skn_cli *cli, const retry_job *job)
{
    bool without_tools = skn_opt(cli, "no-tools") != NULL;

    return skn_far_answer_again(cli, job->message.uid, job->agent.name, without_tools);
}

static skein_rc ask_again(skn_cli *cli)
{
    retry_job job;
    skein_rc  rc = find(cli, &job);

    if (!rc && cli->dry_run) {
        skn_would(cli, "let %.*s answer %.*s again", SKN_FMT(job.agent.name),
                  SKN_FMT(job.message.uid));
        return SKEIN_OK;
    }
    if (rc || (rc = answer_again(cli, &job)))
        return rc;
    return cli->json ? print_json(cli, &job) : print(cli, &job);
}

int skn_cmd_retry(skn_cli *cli)
{
    if (!skn_is_lane(skn_arg(cli, 0)))
        return (int)ask_again(cli);
    if (skn_opt(cli, "agent"))
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"--agent\" goes with a message: a delegation has its agent");
    if (skn_opt(cli, "no-tools"))
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"--no-tools\" goes with a message, not with a delegation");
    return skn_retry_delegation(cli);
}
