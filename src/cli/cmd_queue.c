/* Messages that wait until the agents are done: listed, and taken back. */
#include "base/error.h"
#include "base/json.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "cli/far.h"
#include "cli/far_change.h"
#include "cli/unanswered.h"

#include <inttypes.h>

#define REF_LEAST 4 /* characters of an id that may stand for it */

typedef struct waiting_here {
    skein_world        world;
    skein_conversation chat;
    skein_queue        queue;
} waiting_here;

static skein_rc read_queue(skn_cli *cli, waiting_here *q)
{
    skein_rc rc = skn_need_chat(cli, &q->world, &q->chat);

    if (rc)
        return rc;
    return skn_far_queue(cli, &q->queue);
}

static skein_rc waiting_out(skn_cli *cli, const waiting_here *q, const skein_waiting *m)
{
    skein_rc rc = skn_fields_check(cli, SKN_FIELDS_WAITING, "a message that waits");

    if (rc)
        return rc;
    if (cli->json) {
        skn_shape_waiting(skn_item(cli), q->chat.uid, m);
        return skn_item_end(cli);
    }
    skn_print_id(cli, m->uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, m->sender, 5);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_time(cli, m->created_at);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_print_block(cli, m->content, 4);
    return SKEIN_OK;
}

int skn_cmd_queue_ls(skn_cli *cli)
{
    waiting_here q;
    skein_rc     rc = read_queue(cli, &q);

    if (rc)
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < q.queue.count && !rc; i++)
        rc = waiting_out(cli, &q, &q.queue.at[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!q.queue.count)
        skn_note(cli, "Nothing waits.");
    return (int)rc;
}

static skein_rc find_waiting(skn_cli *cli, const waiting_here *q, skn_str ref,
                             const skein_waiting **out)
{
    *out = NULL;
    for (size_t i = 0; i < q->queue.count; i++) {
        const skein_waiting *m = &q->queue.at[i];

        if (ref.n < REF_LEAST || (!skn_str_starts(m->uid, ref) && !skn_str_ends(m->uid, ref)))
            continue;
        if (*out)
            return skn_fail(&cli->err, SKEIN_INVALID,
                            "\"%.*s\" fits several messages that wait", SKN_FMT(ref));
        *out = m;
    }
    if (*out)
        return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "no message \"%.*s\" waits here", SKN_FMT(ref));
    skn_hint(&cli->err, SKEIN_NOT_FOUND, "\"skein queue\" lists those that do");
    return skn_missing(cli, SKEIN_NOT_FOUND, "message");
}

skein_rc skn_queued_show(skn_cli *cli, skn_str ref, bool *found)
{
    skein_error          before = cli->err;
    skn_problem          more = cli->more;
    waiting_here         q;
    const skein_waiting *m;
    skein_rc             rc;

    *found = !read_queue(cli, &q) && !find_waiting(cli, &q, ref, &m);
    cli->err = before;
    cli->more = more;
    if (!*found)
        return SKEIN_OK;
    cli->err = (skein_error){.rc = SKEIN_OK};
    rc = waiting_out(cli, &q, m);
    if (!cli->json)
        skn_print(cli,
                  "It waits until the agents are done. Take it back with \"skein queue rm "
                  "%.*s\".\n",
                  SKN_FMT(m->uid));
    return rc;
}

static skein_rc take_back(skn_cli *cli, const skein_waiting *m)
{
    const skn_json *none;

    return skn_far_change(
        cli, "DELETE",
        skn_arena_printf(cli->keep, "%s/queue/%s", cli->door->chat, skn_far_part(cli, m->uid))
            .p,
        SKN_NONE, &none);
}

/* All are found before the first is taken back: a mistake changes nothing. */
int skn_cmd_queue_rm(skn_cli *cli)
{
    const skein_waiting **all = SKN_ARRAY(cli->keep, cli->arg_count, const skein_waiting *);
    waiting_here          q;
    skein_rc              rc = read_queue(cli, &q);

    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        rc = find_waiting(cli, &q, skn_arg(cli, i), &all[i]);
    for (size_t i = 0; i < cli->arg_count && !rc; i++) {
        if (cli->dry_run)
            skn_would(cli, "take back %.*s", SKN_FMT(all[i]->uid));
        else if (!(rc = take_back(cli, all[i])) && cli->json)
            rc = waiting_out(cli, &q, all[i]);
        else if (!rc)
            skn_print(cli, "Took back %.*s. It was not said.\n", SKN_FMT(all[i]->uid));
    }
    return (int)rc;
}

/* Asking again: an agent for an answer that failed or was stopped, or for a delegation. */

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

/* Stopping agents: through the server, which keeps what they had written, or in the store. */

#define TASK_SHOWN 60

typedef struct stopping {
    skein_world        world;
    skein_conversation chat;  /* without an id: every one of the world */
    skein_agent        agent; /* without a name: all */
    int64_t            stopped;
    skein_tasks        tasks; /* that were cancelled with it */
} stopping;

static skein_rc find_place(skn_cli *cli, stopping *s)
{
    skein_rc rc;

    if (skn_opt(cli, "conversation"))
        rc = skn_need_chat(cli, &s->world, &s->chat);
    else
        rc = skn_need_world(cli, &s->world);
    if (!rc && cli->arg_count)
        rc = skn_need_agent(cli, &s->world, cli->args[0], &s->agent);
    return rc;
}

/* As far as they are printed. */
static void read_tasks(skn_cli *cli, const skn_json *list, skein_tasks *out)
{
    size_t n = 0;

    for (const skn_json *v = list ? list->first : NULL; v; v = v->next)
        n++;
    *out = (skein_tasks){.at = SKN_ARRAY(cli->keep, n + 1, skein_task)};
    for (const skn_json *v = list ? list->first : NULL; v; v = v->next)
        out->at[out->count++] = (skein_task){.uid = skn_far_text(v, "id"),
                                             .agent_name = skn_far_text(v, "agent"),
                                             .content = skn_far_text(v, "content")};
}

static skein_rc stop(skn_cli *cli, stopping *s)
{
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    const skn_json *v;
    skein_rc        rc;

    if (s->chat.uid.n)
        skn_jw_kstr(w, "chatId", s->chat.uid);
    if (s->agent.name.n) {
        skn_jw_key(w, "agents");
        skn_jw_array(w);
        skn_jw_str(w, s->agent.name);
        skn_jw_array_end(w);
    }
    if ((rc = skn_far_to_server(cli)) ||
        (rc = skn_far_send(&b, "POST", skn_world_path(cli, &s->world, "messages/stop"), &v)))
        return rc;
    read_tasks(cli, skn_json_get(v, "tasks"), &s->tasks);
    return skn_json_int(v, "stopped", 0, &s->stopped, &cli->err);
}

static skein_rc tell_json(skn_cli *cli, const stopping *s)
{
    skn_jw *w = skn_item(cli);

    skn_jw_object(w);
    skn_jw_kint(w, "stopped", s->stopped);
    skn_jw_key(w, "tasks");
    skn_jw_array(w);
    for (size_t i = 0; i < s->tasks.count; i++)
        skn_jw_str(w, s->tasks.at[i].uid);
    skn_jw_array_end(w);
    skn_jw_object_end(w);
    return skn_item_end(cli);
}

/* What was done in the background is gone unless it is asked for again. */
static void tell_tasks(skn_cli *cli, const skein_tasks *tasks)
{
    for (size_t i = 0; i < tasks->count; i++) {
        skn_print(cli, "Cancelled the task %.*s of %.*s: ", SKN_FMT(tasks->at[i].uid),
                  SKN_FMT(tasks->at[i].agent_name));
        skn_print_line(cli, tasks->at[i].content, TASK_SHOWN);
        skn_print_raw(cli, SKN_STR("\n"));
    }
    if (tasks->count)
        skn_print(cli, "Begin anew with it: skein task retry %.*s\n",
                  SKN_FMT(tasks->at[0].uid));
}

static skein_rc tell(skn_cli *cli, const stopping *s)
{
    int64_t answers = s->stopped - (int64_t)s->tasks.count;

    if (cli->json)
        return tell_json(cli, s);
    tell_tasks(cli, &s->tasks);
    if (answers > 0)
        skn_print(cli, "Stopped %" PRId64 " answer%s in %.*s. What was written stays.\n",
                  answers, skn_plural(answers), SKN_FMT(s->world.name));
    else if (s->tasks.count)
        skn_print(cli, "What was written stays.\n");
    else if (s->agent.name.n)
        skn_print(cli, "%.*s is not at work.\n", SKN_FMT(s->agent.name));
    else
        skn_print(cli, "Nobody is at work in %.*s.\n", SKN_FMT(s->world.name));
    return SKEIN_OK;
}

int skn_cmd_stop(skn_cli *cli)
{
    stopping s = {.stopped = 0};
    skein_rc rc;

    if (cli->arg_count && skn_is_lane(skn_arg(cli, 0)))
        return skn_stop_delegation(cli);
    if ((rc = find_place(cli, &s)))
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "stop %s in %.*s", cli->arg_count ? cli->args[0] : "the agents",
                  SKN_FMT(s.world.name));
        return 0;
    }
    rc = stop(cli, &s);
    return (int)(rc ? rc : tell(cli, &s));
}
