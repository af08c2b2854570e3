/* A turn that waits for a person and that another program began: where it stands is read from the store, and the run
 * goes on from there as if it had asked itself. */
#include "runtime/run.h"

static bool has_tool(skn_run *run)
{
    skn_mcp_found found;
    skn_str       name;

    if (run->next_call == run->calls.n)
        return true;
    name = run->calls.p[run->next_call].tool_name;
    return skn_tool_find(name) || skn_mcp_room_find(run->room, name, &found);
}

/* The server of the tool that is asked about is waited for as long as it may come: nothing else goes on here, and
 * without it the answer would be that there is no such tool. */
static void resume_with_tools(skn_run *run)
{
    run->room = skn_mcp_room_for(run->r, run->turn.world, run->rights.servers);
    if (run->room && skn_mcp_room_starting(run->room) && !has_tool(run)) {
        skn_run_later(run, SKN_RUN_PAUSING, resume_with_tools,
                      run->waits_for_tools-- > 0 ? SKN_RUN_TOOLS_MS : SKN_RUN_PAUSE_MS);
        return;
    }
    if (run->room)
        skn_mcp_room_offer(run->room, run);
    skn_run_tools_again(run);
}

static void rest_loaded(skn_run *run)
{
    if (run->rc) {
        skn_run_give_up(run);
        return;
    }
    run->rounds = 1; /* how often it was asked before is not known */
    resume_with_tools(run);
}

static void work_load_rest(skn_run *run)
{
    skein_turn_rest rest;

    if ((run->rc = skein_turn_rest_read(run->r->o.engine, &run->turn, run->a, &rest,
                                        &run->err)) ||
        (run->rc = skn_run_load(run, &run->err)))
        return;
    run->calls.n = 0;
    for (size_t i = 0; i < rest.count; i++)
        skn_vec_add(run->a, &run->calls, rest.calls[i]);
    run->next_call = rest.next;
    run->begun = rest.begun;
}

static void copy_turn(skn_run *run, const skein_turn *t)
{
    skn_arena *a = run->a;

    run->turn = *t;
    run->turn.uid = skn_arena_copy(a, t->uid);
    run->turn.world_name = skn_arena_copy(a, t->world_name);
    run->turn.chat_uid = skn_arena_copy(a, t->chat_uid);
    run->turn.agent_name = skn_arena_copy(a, t->agent_name);
    run->turn.lane_key = skn_arena_copy(a, t->lane_key);
    run->turn.trigger_uid = skn_arena_copy(a, t->trigger_uid);
    run->turn.cause = skn_arena_copy(a, t->cause);
    run->turn.message_uid = skn_arena_copy(a, t->message_uid);
    run->turn.model = run->model;
    run->turn.tool = run->turn.inbox_uid = SKN_NONE;
    run->turn_id = t->id;
    run->fence = t->fence;
}

void skn_run_resume(skn_runtime *r, const skein_turn *turn)
{
    const skein_due what = {.task = turn->task,
                            .chat = turn->chat,
                            .agent = turn->agent,
                            .lane = turn->lane,
                            .model = turn->model};
    skn_run        *run = skn_run_new(r, &what);

    copy_turn(run, turn);
    if (run->provider)
        skn_run_job(run, work_load_rest, rest_loaded);
    else
        skn_run_no_provider(run);
    if (r->closing)
        skn_run_interrupt(run);
}
