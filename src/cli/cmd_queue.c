/* Messages that wait until the agents are done: listed, and taken back. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/far.h"

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
