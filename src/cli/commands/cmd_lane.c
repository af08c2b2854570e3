#include "cli/commands.h"
#include "cli/unanswered.h"

#define LANES "{world}/delegations"
#define LANE  "{world}/delegations/{delegationId}"

/* --- Listing ------------------------------------------------------------------------------ */

skein_rc skn_lanes_read(skn_cli *cli, bool others, skn_json_list *out)
{
    return skn_door_all(
        cli,
        skn_arena_text(cli->keep, "%s/delegations?chatId=%s%s", cli->door->world,
                       skn_door_part(cli, cli->door->chat_uid), others ? "&lanes=true" : ""),
        0, out);
}

/* The activity on a running delegation. The activity of an agent is shown with the agent. */
static void print_doing(skn_cli *cli, const skn_json *lane, const skn_json_list *agents)
{
    const skn_json *agent = skn_list_find(agents, "name", skn_json_str(lane, "agent"));

    if (!skn_has(lane, "parent") || !skn_has(lane, "agent") ||
        !skn_is(lane, "state", "running"))
        return;
    skn_say(cli, lane, "  @{agent} ");
    if (skn_is(agent, "state", "tool"))
        skn_say(cli, agent, "tool {detail}");
    else if (skn_is(agent, "state", "thinking") || skn_is(agent, "state", "writing"))
        skn_say(cli, agent, "{state}");
    else
        skn_print_raw(cli, SKN_STR("waits to begin"));
}

static skein_rc lane_line(skn_cli *cli, const skein_conversation *chat, const skn_json *lane,
                          const skn_json_list *agents)
{
    skn_say(cli, lane,
            "{delegationId 12}  [parent:{state 11}][!parent:[delegationId=main:main lane  ]"
            "[delegationId!=main:memory     ]]  {messageCount 6} message{messageCount s}");
    print_doing(cli, lane, agents);
    skn_say(cli, lane, "[spawnCallId:  call {line spawnCallId 40}]\n");
    return skn_print_lane_failure(cli, chat, lane);
}

skein_rc skn_cmd_lane_ls(skn_cli *cli)
{
    skein_conversation chat;
    skn_json_list      lanes = {0}, agents = {0};
    skein_rc           rc = skn_need_chat(cli, NULL, &chat);

    if (rc || (rc = skn_lanes_read(cli, true, &lanes)))
        return rc;
    if (cli->json)
        return skn_say_list(cli, &lanes, NULL);
    rc = skn_read_all(cli, NULL, "{world}/agents", 0, &agents);
    for (size_t i = 0; i < lanes.n && !rc; i++)
        rc = lane_line(cli, &chat, lanes.p[i], &agents);
    return rc;
}

/* --- Noting down -------------------------------------------------------------------------- */

/* The body of a change of delegations in this chat. */
static skn_jw *body(skn_cli *cli, skn_door_body *b)
{
    skn_jw *w = skn_door_body_begin(cli, b);

    if (cli->dry_run) { /* a look is not what the key is for */
        b->key = SKN_NONE;
        skn_jw_kbool(w, "dryRun", true);
    }
    skn_jw_kstr(w, "chatId", cli->door->chat_uid);
    return w;
}

skein_rc skn_cmd_lane_new(skn_cli *cli)
{
    const skn_json *made;
    skn_door_body   b;
    skein_rc        rc = skn_need_chat(cli, NULL, NULL);

    if (rc)
        return rc;
    skn_jw_kstr(body(cli, &b), "parent", cli->arg_count ? skn_arg(cli, 0) : SKN_STR("main"));
    skn_jw_kstr(&b.w, "spawnCallId", skn_str_of(skn_opt(cli, "call")));
    if ((rc = skn_send(cli, &b, "POST", NULL, LANES, &made)) ||
        skn_dry(cli, made, "start the delegation {delegationId}"))
        return rc;
    return skn_tell(cli, rc, made,
                    "Started the delegation {delegationId}. Record its end with \"skein lane "
                    "finish {delegationId}\".\n");
}

skein_rc skn_cmd_lane_finish(skn_cli *cli)
{
    const char     *word = skn_opt(cli, "state"), *state = word ? word : "done";
    const skn_json *lane = NULL;
    skn_door_body   b;
    skein_rc        rc;

    if (!skn_is_among(SKN_STR("done,failed,cancelled,interrupted"), skn_str_of(state)))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--state\" is done, failed, cancelled or interrupted, not \"%s\"",
                        word);
    if (!strcmp(cli->args[0], "main"))
        return skn_fail(&cli->err, SKEIN_INVALID,
                        "main is the conversation itself: it is not finished");
    if ((rc = skn_need_chat(cli, NULL, NULL)))
        return rc;
    skn_jw_kstr(body(cli, &b), "state", skn_str_of(state));
    rc = skn_send(cli, &b, "PATCH", NULL, LANES "/{.0}", &lane);
    rc = skn_tell(cli, rc, lane, "{delegationId} [.dry:would be][!.dry:is] ");
    if (!rc && !cli->json)
        skn_print(cli, "%s.\n", state);
    return rc;
}

/* --- Delegations that are stopped, and begun again ---------------------------------------- */

static skein_rc get_delegation(skn_cli *cli, const skn_json **out)
{
    skein_rc rc = skn_need_chat(cli, NULL, NULL);

    if (rc)
        return rc;
    rc = skn_door_get(cli, out, "%s/delegations/%s?chatId=%s", cli->door->world,
                      skn_door_part(cli, skn_arg(cli, 0)),
                      skn_door_part(cli, cli->door->chat_uid));
    return skn_missing(cli, rc, "delegation");
}

/* The delegation is read again: the answer may lack a part of its new state. */
static skein_rc order(skn_cli *cli, const char *path, const skn_json *lane, const char *did)
{
    const skn_json *v;
    skn_door_body   b;
    skein_rc        rc;

    skn_jw_kstr(skn_door_body_begin(cli, &b), "chatId", cli->door->chat_uid);
    if (!(rc = skn_send(cli, &b, "POST", lane, path, &v)))
        rc = get_delegation(cli, &lane);
    return skn_tell(cli, rc, lane, did);
}

skein_rc skn_stop_delegation(skn_cli *cli)
{
    const skn_json *lane;
    skein_rc        rc = get_delegation(cli, &lane);

    if (rc || skn_dry(cli, lane, "stop {delegationId}, and what is below it") ||
        (rc = skn_door_to_server(cli)))
        return rc;
    return order(
        cli, LANE "/cancel", lane,
        "{delegationId} is {state}. Restart it with \"skein retry {delegationId}\".\n");
}

skein_rc skn_retry_delegation(skn_cli *cli)
{
    const skn_json *lane;
    skein_rc        rc = get_delegation(cli, &lane);

    if (rc || skn_dry(cli, lane, "restart {delegationId}"))
        return rc;
    return order(cli, LANE "/retry", lane,
                 "{agent} has {delegationId} again and reports its end to "
                 "[askedBy:{askedBy}][!askedBy:its requester]. Stop it with \"skein stop "
                 "{delegationId}\".\n");
}
