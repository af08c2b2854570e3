#include "base/error.h"
#include "cli/commands.h"
#include "cli/delegation.h"
#include "cli/far_view.h"
#include "cli/unanswered.h"

#include <string.h>

#define PAGE 500

static bool makes_call(const skein_message *m, skn_str call_id)
{
    for (size_t i = 0; i < m->call_count; i++)
        if (skn_str_eq(m->calls[i].call_id, call_id))
            return true;
    return false;
}

/* The latest message of the lane that makes this call: read backwards, page by page. */
static skein_rc find_call(skn_cli *cli, skein_slice slice, int64_t length, skn_str call_id,
                          skein_message_id *out)
{
    skein_mem     *mem = skein_mem_new();
    skein_messages page;
    skein_at       at;
    skein_rc       rc = SKEIN_OK;

    *out = (skein_message_id){0};
    for (int64_t end = length; end > 0 && !out->v && !rc; end -= PAGE) {
        slice.from = end > PAGE ? end - PAGE : 0;
        slice.count = end - slice.from;
        skein_mem_reset(mem);
        rc = skein_read(cli->engine, &slice, mem, &page, &at, &cli->err);
        for (size_t i = rc ? 0 : page.count; i-- > 0 && !out->v;)
            if (makes_call(&page.at[i], call_id))
                *out = page.at[i].id;
    }
    skein_mem_free(mem);
    if (rc || out->v)
        return rc;
    return skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no call \"%.*s\" in \"%.*s\"",
                    SKN_FMT(call_id), SKN_FMT(slice.lane));
}

skein_rc skn_lane_start(skn_cli *cli, const skein_conversation *chat, skn_str parent,
                        const char *call_id, skein_lane *out)
{
    skein_message_id message = {0};
    skein_lane       above;
    bool             found;
    skein_rc         rc = skn_find_lane(cli, chat, parent, &above, &found);

    if (!rc && !found)
        rc = skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no lane \"%.*s\"", SKN_FMT(parent));
    if (!rc && call_id)
        rc = find_call(cli, (skein_slice){.conversation = chat->id, .lane = parent},
                       above.length, skn_str_of(call_id), &message);
    if (rc || cli->dry_run)
        return rc;
    return skein_lane_new(cli->engine, chat->id, parent, message, skn_str_of(call_id),
                          cli->keep, out, &cli->err);
}

/* "main.1.2" is child 2 of "main.1". */
static skn_str parent_key(skn_str key)
{
    size_t n = key.n;

    while (n > 0 && key.p[n - 1] != '.')
        n--;
    return skn_str_sub(key, 0, n ? n - 1 : 0);
}

static skein_rc next_child(skn_cli *cli, const skein_conversation *chat, skn_str parent,
                           skn_str *out)
{
    skein_lanes lanes;
    int64_t     last = 0;
    skein_rc    rc = skein_lane_list(cli->engine, chat->id, cli->keep, &lanes, &cli->err);

    for (size_t i = 0; !rc && i < lanes.count; i++)
        if (skn_str_eq(parent_key(lanes.at[i].key), parent) && lanes.at[i].ordinal > last)
            last = lanes.at[i].ordinal;
    if (!rc)
        *out = skn_arena_printf(cli->keep, "%.*s.%lld", SKN_FMT(parent), (long long)last + 1);
    return rc;
}

skein_rc skn_lane_ensure(skn_cli *cli, const skein_conversation *chat, skn_str key,
                         const char *call_id)
{
    skein_lane lane;
    skn_str    next;
    bool       found;
    skein_rc   rc = skn_find_lane(cli, chat, key, &lane, &found);

    if (rc || found)
        return rc;
    if (!skn_is_lane(key))
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no lane \"%.*s\"", SKN_FMT(key));
    if ((rc = next_child(cli, chat, parent_key(key), &next)))
        return rc;
    if (!skn_str_eq(next, key)) {
        skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no lane \"%.*s\"", SKN_FMT(key));
        return skn_hint(&cli->err, SKEIN_NOT_FOUND, "The next free one there is \"%.*s\"",
                        SKN_FMT(next));
    }
    return skn_lane_start(cli, chat, parent_key(key), call_id, &lane);
}

/* --- Commands ----------------------------------------------------------------------------- */

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

int skn_cmd_lane_new(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_lane         lane;
    skn_str            parent = cli->arg_count ? skn_arg(cli, 0) : SKN_STR("main"), next;
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (rc || (rc = next_child(cli, &chat, parent, &next)) ||
        (rc = skn_lane_start(cli, &chat, parent, skn_opt(cli, "call"), &lane)))
        return (int)rc;
    if (cli->dry_run)
        skn_would(cli, "start the delegation %.*s", SKN_FMT(next));
    else if (cli->json)
        rc = lane_item(cli, &lane);
    else
        skn_print(cli,
                  "Started the delegation %.*s. Say how it ended with \"skein lane finish "
                  "%.*s\".\n",
                  SKN_FMT(lane.key), SKN_FMT(lane.key));
    return (int)rc;
}

int skn_cmd_lane_finish(skn_cli *cli)
{
    const char        *word = skn_opt(cli, "state");
    skein_world        world;
    skein_conversation chat;
    skein_lane         lane;
    skein_lane_state   state = SKEIN_LANE_DONE;
    bool               found;
    skein_rc           rc;

    if (word && (!skn_lane_state_from(skn_str_of(word), &state) || state == SKEIN_LANE_RUNNING))
        return (int)skn_fail(
            &cli->err, SKEIN_USAGE,
            "\"--state\" is done, failed, cancelled or interrupted, not \"%s\"", word);
    if ((rc = skn_need_chat(cli, &world, &chat)) ||
        (rc = skn_find_lane(cli, &chat, skn_arg(cli, 0), &lane, &found)))
        return (int)rc;
    if (!found)
        return (int)skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no lane \"%s\"",
                             cli->args[0]);
    if (!cli->dry_run && (rc = skein_lane_finish(cli->engine, lane.id, state, &cli->err)))
        return (int)rc;
    lane.state = state;
    if (cli->json)
        return (int)lane_item(cli, &lane);
    skn_print(cli, "%.*s %s %s.\n", SKN_FMT(lane.key), cli->dry_run ? "would be" : "is",
              skn_lane_state_name(state));
    return 0;
}
