/* Stopping agents: through the server, which keeps what they had written, or in the store. */
#include "cli/commands.h"
#include "cli/say.h"

#include "base/error.h"
#include "base/json.h"
#include "cli/far.h"

#include <inttypes.h>

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
