/* Messages that wait until the agents are done: listed, and taken back. Asking agents again, and stopping them. */
#include "cli/commands.h"

#include <inttypes.h>

/* --- What waits --------------------------------------------------------------------------- */

skein_rc skn_queue_read(skn_cli *cli, skn_json_list *out)
{
    return skn_read_all(cli, NULL, "{chat}/queue", 0, out);
}

static skein_rc read_here(skn_cli *cli, skn_json_list *out)
{
    skein_rc rc = skn_need_chat(cli, NULL, NULL);

    return rc ? rc : skn_queue_read(cli, out);
}

static skein_rc waiting_out(skn_cli *cli, const skn_json *m)
{
    skein_rc rc = skn_fields_check(cli, SKN_FIELDS_QUEUE_ITEM, "a message that waits");

    if (rc || cli->json)
        return rc ? rc : skn_door_item(cli, m);
    skn_say(cli, m, "{id messageId}  {sender sender 5}  {time createdAt}\n");
    skn_print_block(cli, skn_json_str(m, "content"), 4);
    return SKEIN_OK;
}

skein_rc skn_cmd_queue_ls(skn_cli *cli)
{
    skn_json_list queue = {0};
    skein_rc      rc = read_here(cli, &queue);

    if (rc || (rc = skn_say_list(cli, &queue, waiting_out)))
        return rc;
    if (!cli->json && !queue.n)
        skn_note(cli, "Nothing waits.");
    return SKEIN_OK;
}

static skein_rc find_waiting(skn_cli *cli, const skn_json_list *queue, skn_str ref,
                             const skn_json **out)
{
    *out = NULL;
    for (size_t i = 0; i < queue->n; i++) {
        skn_str uid = skn_json_str(queue->p[i], "id");

        if (!skn_is_part(uid, ref))
            continue;
        if (*out)
            return skn_fail(&cli->err, SKEIN_INVALID,
                            "\"%.*s\" fits several messages that wait", SKN_FMT(ref));
        *out = queue->p[i];
    }
    if (*out)
        return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "no message \"%.*s\" waits here", SKN_FMT(ref));
    skn_hint(&cli->err, SKEIN_NOT_FOUND, "\"skein queue\" lists those that do");
    return skn_missing(cli, SKEIN_NOT_FOUND, "message");
}

skein_rc skn_queued_show(skn_cli *cli, skn_str ref, bool *found)
{
    skein_error     before = cli->err;
    skn_problem     more = cli->more;
    skn_json_list   queue = {0};
    const skn_json *m;
    skein_rc        rc;

    *found = !read_here(cli, &queue) && !find_waiting(cli, &queue, ref, &m);
    cli->err = before;
    cli->more = more;
    if (!*found)
        return SKEIN_OK;
    cli->err = (skein_error){.rc = SKEIN_OK};
    rc = waiting_out(cli, m);
    if (!cli->json)
        skn_say(cli, m,
                "It waits until the agents are done. Take it back with \"skein queue rm "
                "{id}\".\n");
    return rc;
}

/* All are found before the first is taken back: a mistake changes nothing. */
skein_rc skn_cmd_queue_rm(skn_cli *cli)
{
    static const skn_deed deed = {"DELETE", "{chat}/queue/{id}", "remove {id} from the queue",
                                  "Removed {id} from the queue. It was not sent.\n", false};
    const skn_json      **all = SKN_ARRAY(cli->keep, cli->arg_count, const skn_json *);
    skn_json_list         queue = {0};
    skein_rc              rc = read_here(cli, &queue);

    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        rc = find_waiting(cli, &queue, skn_arg(cli, i), &all[i]);
    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        rc = skn_do(cli, &deed, NULL, &all[i]);
    return rc;
}

/* --- Asking again ------------------------------------------------------------------------- */

/* In the store: a server notices due work, whichever program stored it. */
static skein_rc ask_again(skn_cli *cli, skn_str message, skn_str agent)
{
    skn_door_body   b;
    const skn_json *v;
    skn_server      server;
    bool            served;
    skein_rc        rc;

    skn_jw_kstr(skn_door_body_begin(cli, &b), "chatId", cli->door->chat_uid);
    skn_jw_kstr(&b.w, "agent", agent);
    skn_jw_kgiven(&b.w, "model", skn_str_of(skn_opt(cli, "model")));
    skn_jw_kbool(&b.w, "tools", !skn_opt(cli, "no-tools"));
    if ((rc = skn_door_send(&b, "POST", skn_message_path(cli, message, "/retry"), &v)))
        return rc;
    if (cli->json) {
        rc = skn_message_told(cli, message, &v);
        return rc ? rc : skn_door_item(cli, v);
    }
    if ((rc = skn_discover(cli, &server, &served)))
        return rc;
    skn_print(cli, "%.*s answers %.*s again.\n", SKN_FMT(agent), SKN_FMT(message));
    if (!served)
        skn_note(cli, "%s: it is answered once %s.", skn_nobody_runs(cli),
                 skn_only_reads(cli) ? "another runs" : "one does");
    return SKEIN_OK;
}

static skein_rc retry_message(skn_cli *cli)
{
    const char   *name = skn_opt(cli, "agent");
    skein_message m;
    skein_agent   agent;
    skein_rc      rc;

    if (!name && !skn_need_chat(cli, NULL, NULL) &&
        !skn_need_message(cli, skn_arg(cli, 0), &m) && m.role == SKEIN_ASSISTANT &&
        m.author == SKEIN_BY_AGENT)
        return skn_retry_answer(cli, &m);
    if (!name) {
        skn_fail(&cli->err, SKEIN_USAGE, "name the agent that answers \"%s\" again",
                 cli->args[0]);
        return skn_hint(&cli->err, SKEIN_USAGE, "skein retry %s --agent NAME", cli->args[0]);
    }
    if ((rc = skn_need_chat(cli, NULL, NULL)) ||
        (rc = skn_need_message(cli, skn_arg(cli, 0), &m)) ||
        (rc = skn_need_agent(cli, name, &agent)) || !cli->dry_run)
        return rc ? rc : ask_again(cli, m.uid, agent.name);
    skn_would(cli, "let %.*s answer %.*s again", SKN_FMT(agent.name), SKN_FMT(m.uid));
    return SKEIN_OK;
}

skein_rc skn_cmd_retry(skn_cli *cli)
{
    if (!skn_is_lane(skn_arg(cli, 0)))
        return retry_message(cli);
    if (skn_opt(cli, "agent") || skn_opt(cli, "model"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--%s\" goes with a message: a delegation has its agent",
                        skn_opt(cli, "agent") ? "agent" : "model");
    if (skn_opt(cli, "no-tools"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--no-tools\" goes with a message, not with a delegation");
    return skn_retry_delegation(cli);
}

/* --- Stopping ----------------------------------------------------------------------------- */

/* Through the server, which keeps what they had written, or in the store. An agent without a name: all; a chat without an
 * id: every one of the world. */
static skein_rc stop(skn_cli *cli, skn_str agent, skn_str chat, const skn_json **out)
{
    skn_door_body b;
    skn_jw       *w;
    skein_rc      rc = skn_door_to_server(cli);

    if (rc)
        return rc;
    w = skn_door_body_begin(cli, &b);
    if (chat.n)
        skn_jw_kstr(w, "chatId", chat);
    if (agent.n) {
        skn_jw_karray(w, "agents");
        skn_jw_str(w, agent);
        skn_jw_array_end(w);
    }
    return skn_send(cli, &b, "POST", NULL, "{world}/messages/stop", out);
}

static skein_rc tell_json(skn_cli *cli, const skn_json *told)
{
    skn_jw *w = skn_item_begin(cli);

    skn_jw_kint(w, "stopped", skn_door_int(told, "stopped", 0));
    skn_jw_karray(w, "tasks");
    for (const skn_json *t = skn_first(told, "tasks"); t; t = t->next)
        skn_jw_str(w, skn_json_str(t, "id"));
    skn_jw_array_end(w);
    return skn_item_close(cli);
}

/* What was done in the background is gone unless it is asked for again. */
static void print_stopped(skn_cli *cli, const skn_json *told, skn_str agent, skn_str world)
{
    const skn_json *tasks = skn_json_get(told, "tasks");
    int64_t answers = skn_door_int(told, "stopped", 0) - (tasks ? (int64_t)tasks->count : 0);

    for (const skn_json *t = skn_first(told, "tasks"); t; t = t->next)
        skn_say(cli, t, "Cancelled the task {id} of {agent}: {line content 60}\n");
    if (skn_has(told, "tasks"))
        skn_say(cli, skn_first(told, "tasks"), "Restart it: skein task retry {id}\n");
    if (answers > 0)
        skn_print(cli, "Stopped %" PRId64 " answer%s in %.*s. What was written stays.\n",
                  answers, skn_plural(answers), SKN_FMT(world));
    else if (skn_has(told, "tasks"))
        skn_print(cli, "What was written stays.\n");
    else if (agent.n)
        skn_print(cli, "%.*s is not at work.\n", SKN_FMT(agent));
    else
        skn_print(cli, "Nobody is at work in %.*s.\n", SKN_FMT(world));
}

skein_rc skn_cmd_stop(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat = {.uid = SKN_NONE};
    skein_agent        agent = {.name = SKN_NONE};
    const skn_json    *told;
    skein_rc           rc;

    if (cli->arg_count && skn_is_lane(skn_arg(cli, 0)))
        return skn_stop_delegation(cli);
    rc = skn_opt(cli, "conversation") ? skn_need_chat(cli, &world, &chat)
                                      : skn_need_world(cli, &world);
    if (rc || (cli->arg_count && (rc = skn_need_agent(cli, cli->args[0], &agent))))
        return rc;
    if (skn_would(cli, "stop %s in %.*s", cli->arg_count ? cli->args[0] : "the agents",
                  SKN_FMT(world.name)))
        return SKEIN_OK;
    if ((rc = stop(cli, agent.name, chat.uid, &told)))
        return rc;
    if (cli->json)
        return tell_json(cli, told);
    print_stopped(cli, told, agent.name, world.name);
    return SKEIN_OK;
}
