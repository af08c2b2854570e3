#include "base/error.h"
#include "cli/commands.h"
#include "cli/far_change.h"
#include "cli/far_view.h"
#include "cli/unanswered.h"

#include <string.h>

static skein_rc lane_item(skn_cli *cli, const skein_lane *lane)
{
    skn_shape_lane(skn_item(cli), lane);
    return skn_item_end(cli);
}

static const skein_turn *turn_on(const skein_turns *turns, const skein_lane *lane)
{
    for (size_t i = 0; i < turns->count; i++)
        if (turns->at[i].lane.v == lane->id.v)
            return &turns->at[i];
    return NULL;
}

/* Only a delegation runs and ends. */
static const char *label_of(const skein_lane *lane)
{
    return lane->parent.v                            ? skn_lane_state_name(lane->state)
           : skn_str_starts(lane->key, SKN_STR("@")) ? "memory"
                                                     : "room";
}

/* What is done on one that runs, or that nobody has begun with it. */
static void print_doing(skn_cli *cli, const skein_lane *lane, const skein_turns *turns)
{
    const skein_turn *t = turn_on(turns, lane);

    if (!lane->parent.v || !lane->agent.v || lane->state != SKEIN_LANE_RUNNING)
        return;
    skn_print(cli, "  @%.*s %s%s%.*s", SKN_FMT(lane->agent_name),
              t ? skn_turn_doing(t) : "waits to begin", t && t->tool.n ? " " : "",
              t ? (int)t->tool.n : 0, t && t->tool.n ? t->tool.p : "");
}

static void lane_line(skn_cli *cli, const skein_lane *lane, const skein_turns *turns)
{
    skn_print(cli, "%-12.*s  %-11s  %6lld message%s", SKN_FMT(lane->key), label_of(lane),
              (long long)lane->length, skn_plural(lane->length));
    print_doing(cli, lane, turns);
    if (lane->spawn_call_id.n) {
        skn_print(cli, "  call ");
        skn_print_line(cli, lane->spawn_call_id, 40);
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

/* What an agent does is told with it. */
static skein_rc read_turns(skn_cli *cli, const skein_lanes *lanes, skein_turns *out)
{
    const skn_json *told;
    skein_agents    agents;
    skein_rc        rc = skn_far_agents(cli, &agents);

    *out = (skein_turns){.at = SKN_ARRAY(cli->keep, lanes->count + 1, skein_turn)};
    for (size_t i = 0; !rc && i < lanes->count * agents.count; i++) {
        const skein_lane  *lane = &lanes->at[i / agents.count];
        const skein_agent *agent = &agents.at[i % agents.count];
        skn_str            state;

        if (!skn_str_eq(lane->agent_name, agent->name) || lane->state != SKEIN_LANE_RUNNING ||
            !lane->parent.v ||
            skn_json_parse(&told, agent->settings, "the agent", cli->keep, NULL))
            continue;
        state = skn_far_text(told, "state");
        if (skn_str_is(state, "thinking") || skn_str_is(state, "writing") ||
            skn_str_is(state, "tool"))
            out->at[out->count++] = (skein_turn){
                .lane = lane->id,
                .writing = skn_str_is(state, "writing"),
                .tool = skn_str_is(state, "tool") ? skn_far_text(told, "detail") : SKN_NONE};
    }
    return rc;
}

int skn_cmd_lane_ls(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_lanes        lanes;
    skein_turns        turns = {0};
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (rc || (rc = skn_far_lanes(cli, &lanes)) ||
        (!cli->json && (rc = read_turns(cli, &lanes, &turns))))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < lanes.count && !rc; i++)
        if (cli->json)
            rc = lane_item(cli, &lanes.at[i]);
        else {
            lane_line(cli, &lanes.at[i], &turns);
            rc = skn_print_lane_failure(cli, &chat, &lanes.at[i]);
        }
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

static skein_rc delegation_out(skn_cli *cli, const skein_delegation *d)
{
    const skein_lane lane = {.key = d->key,
                             .agent_name = d->agent,
                             .spawn_call_id = d->spawn_call_id,
                             .state = d->state,
                             .length = d->messages};

    return lane_item(cli, &lane);
}

int skn_cmd_lane_new(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_delegation   made;
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (rc ||
        (rc = skn_far_delegation_new(cli, cli->arg_count ? skn_arg(cli, 0) : SKN_STR("main"),
                                     skn_str_of(skn_opt(cli, "call")), &made)))
        return (int)rc;
    if (cli->dry_run)
        skn_would(cli, "start the delegation %.*s", SKN_FMT(made.key));
    else if (cli->json)
        rc = delegation_out(cli, &made);
    else
        skn_print(cli,
                  "Started the delegation %.*s. Say how it ended with \"skein lane finish "
                  "%.*s\".\n",
                  SKN_FMT(made.key), SKN_FMT(made.key));
    return (int)rc;
}

int skn_cmd_lane_finish(skn_cli *cli)
{
    const char        *word = skn_opt(cli, "state");
    skein_world        world;
    skein_conversation chat;
    skein_delegation   lane;
    skein_lane_state   state = SKEIN_LANE_DONE;
    skein_rc           rc;

    if (word && (!skn_lane_state_from(skn_str_of(word), &state) || state == SKEIN_LANE_RUNNING))
        return (int)skn_fail(
            &cli->err, SKEIN_USAGE,
            "\"--state\" is done, failed, cancelled or interrupted, not \"%s\"", word);
    if ((rc = skn_need_chat(cli, &world, &chat)) ||
        (rc = skn_far_delegation_finish(cli, skn_arg(cli, 0), state, &lane)))
        return (int)rc;
    if (cli->json)
        return (int)delegation_out(cli, &lane);
    skn_print(cli, "%.*s %s %s.\n", SKN_FMT(lane.key), cli->dry_run ? "would be" : "is",
              skn_lane_state_name(state));
    return 0;
}

/* Delegations that are stopped, and begun again. */

static skein_rc delegation_json(skn_cli *cli, const skein_delegation *d)
{
    skn_shape_delegation(skn_item(cli), d);
    return skn_item_end(cli);
}

static skein_rc find(skn_cli *cli, skein_world *world, skein_conversation *chat,
                     skein_delegation *out)
{
    skein_rc rc = skn_need_chat(cli, world, chat);

    if (rc)
        return rc;
    return skn_missing(cli, skn_far_delegation(cli, skn_arg(cli, 0), out), "delegation");
}

int skn_stop_delegation(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_delegation   d;
    skein_rc           rc = find(cli, &world, &chat, &d);

    if (!rc && cli->dry_run) {
        skn_would(cli, "stop %.*s, and what is below it", SKN_FMT(d.key));
        return 0;
    }
    if (rc || (rc = skn_far_to_server(cli)) ||
        (rc = skn_far_delegation_do(cli, d.key, "cancel")) ||
        (rc = find(cli, &world, &chat, &d)))
        return (int)rc;
    if (cli->json)
        return (int)delegation_json(cli, &d);
    skn_print(cli, "%.*s is %s. Begin again with \"skein retry %.*s\".\n", SKN_FMT(d.key),
              skn_lane_state_name(d.state), SKN_FMT(d.key));
    return 0;
}

int skn_retry_delegation(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_delegation   d;
    skein_rc           rc = find(cli, &world, &chat, &d);

    if (!rc && cli->dry_run) {
        skn_would(cli, "begin again with %.*s", SKN_FMT(d.key));
        return 0;
    }
    if (rc || (rc = skn_far_delegation_do(cli, d.key, "retry")) ||
        (rc = find(cli, &world, &chat, &d)))
        return (int)rc;
    if (cli->json)
        return (int)delegation_json(cli, &d);
    skn_print(cli,
              "%.*s has %.*s again; its end is told to %.*s. Stop it with \"skein stop "
              "%.*s\".\n",
              SKN_FMT(d.agent), SKN_FMT(d.key),
              SKN_FMT(d.asked_by.n ? d.asked_by : SKN_STR("whoever asked")), SKN_FMT(d.key));
    return 0;
}
