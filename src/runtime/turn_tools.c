/* Runs the calls of an answer, one after the other. Each call is stored (with the answer) before its tool runs, and
 * its result before the next call starts. So a crash leaves nothing unrecorded, and no tool runs twice. Acts of the
 * engine are stored in one transaction with their results. */
#include "runtime/run.h"

#include "base/utf8.h"

static void next_step(skn_run *run);

static const skein_tool_call *this_call(const skn_run *run)
{
    return &run->calls.p[run->next_call];
}

static void after_call(skn_run *run)
{
    run->next_call++;
    if (run->rc)
        skn_run_give_up(run);
    else
        next_step(run);
}

/* --- Results ------------------------------------------------------------------------------------------ */

/* Cuts a result that is longer than a message may be, and notes it at the end. */
static skn_str fit(const skn_run *run, skn_str text)
{
    enum { NOTE = 100 };
    size_t most = skn_text_most(run->r->o.engine);

    if (text.n <= most)
        return text;
    text = skn_utf8_cut(text, most > NOTE ? most - NOTE : 0);
    return skn_arena_printf(run->a, "%.*s\n[cut here: the result is longer than %zu bytes]",
                            SKN_FMT(text), most);
}

static void add_result(skn_run *run, skn_str text, bool failed)
{
    const skein_tool_call *call = this_call(run);
    skein_new_message      m = {.role = SKEIN_TOOL,
                                .tool_call_id = call->call_id,
                                .content = fit(run, text),
                                .tool_failed = failed};
    skein_step             step = {.message = &m, .tokens_in = -1, .tokens_out = -1};
    skein_message          stored;

    run->tool = call->tool_name;
    run->result = m.content;
    run->rc = skein_turn_step(run->r->o.engine, &run->turn, &step, run->a, &stored, &run->err);
    if (!run->rc)
        run->since_load++;
}

/* If the result cannot be stored, says that the tool has run: otherwise it would look as if it had not. */
static void store_tool_result(skn_run *run, skn_str text, bool failed)
{
    add_result(run, text, failed);
    if (run->rc == SKEIN_INVALID || run->rc == SKEIN_LIMIT)
        add_result(run,
                   skn_arena_printf(run->a,
                                    "the tool has run, but its result cannot be kept: %s",
                                    run->err.message),
                   true);
}

/* Stores the result that the loop has found. */
static void work_result(skn_run *run)
{
    store_tool_result(run, run->result, run->tool_failed);
}

static void say_result(skn_run *run, skn_str text, bool failed)
{
    run->result = skn_arena_copy(run->a, text);
    run->tool_failed = failed;
    skn_run_job(run, work_result, after_call);
}

/* --- Built-in tools ------------------------------------------------------------------------------------- */

/* Reads the arguments as an object; without arguments it is empty. */
static skein_rc read_call_args(skn_run *run, const skn_json **args, skein_error *err)
{
    skn_str  text = skn_str_trim(this_call(run)->args);
    skein_rc rc = skn_json_parse(args, text.n ? text : SKN_STR("{}"), "arguments", run->a, err);

    if (!rc && (*args)->kind != SKN_JSON_OBJECT)
        rc = skn_fail(err, SKEIN_INVALID, "the arguments are not a JSON object; call it again");
    return rc;
}

/* Errors that a model can do something about become results of the call and do not end the turn. */
static bool is_for_model(skein_rc rc)
{
    return rc == SKEIN_INVALID || rc == SKEIN_NOT_FOUND || rc == SKEIN_LIMIT ||
           rc == SKEIN_CONFLICT || rc == SKEIN_NOTHING || rc == SKEIN_USAGE;
}

static void store_error(skn_run *run, const skein_error *why)
{
    store_tool_result(
        run,
        skn_arena_printf(run->a, "%s%s%s", why->message, why->hint[0] ? ". " : "", why->hint),
        true);
}

static void work_act(skn_run *run)
{
    const skn_tool *tool = skn_tool_find(this_call(run)->tool_name);
    const skn_json *args;
    skein_act       act = {0};
    skein_acted     acted;
    skein_error     err = {0};
    skein_rc        rc;

    if (!(rc = read_call_args(run, &args, &err)) &&
        !(rc = skn_tool_act(tool, args, &act, &err))) {
        act.call_id = this_call(run)->call_id;
        rc = skein_turn_act(run->r->o.engine, &run->turn, &act, run->a, &acted, &err);
    }
    if (!rc) {
        run->begun += acted.waiting;
        run->tool = this_call(run)->tool_name;
        run->result = acted.result.content;
        run->since_load++;
    } else if (rc == SKEIN_CONFLICT && run->repeated) {
        run->begun++; /* it was stored the first time; open delegations are looked up */
    } else if (is_for_model(rc)) {
        store_error(run, &err);
    } else {
        run->rc = rc;
        run->err = err;
    }
}

/* The tool runs once, however often storing its result is tried. */
static void work_read_tool(skn_run *run)
{
    const skn_tool *tool = skn_tool_find(this_call(run)->tool_name);
    const skn_json *args;
    skein_error     err = {0};

    if (run->ran <= run->next_call) {
        run->ran = run->next_call + 1;
        run->tool_failed = read_call_args(run, &args, &err);
        run->result = run->tool_failed ? skn_arena_copy(run->a, skn_str_of(err.message))
                                       : tool->read(run, args, &run->tool_failed);
    }
    store_tool_result(run, run->result, run->tool_failed);
}

/* --- Tools of servers ------------------------------------------------------------------------------------- */

static void on_mcp(void *arg, const skn_mcp_result *result)
{
    skn_run *run = arg;

    skn_run_enter(run, SKN_RUN_READY);
    say_result(run, skn_mcp_room_hide(run->room, result->text, run->a), result->failed);
}

static void call_server(skn_run *run, const skn_mcp_found *found, bool (*may_send)(void *))
{
    const skn_mcp_call_sink sink = {.done = on_mcp, .may_send = may_send, .arg = run};

    skn_run_enter(run, SKN_RUN_CALLING);
    run->mcp_call = skn_mcp_ask(found->server, found->tool->name, this_call(run)->args, &sink);
}

/* Whether a person allowed this call with this definition of the tool. */
static bool is_cleared(const skn_run *run, skn_str definition)
{
    return run->cleared == run->next_call + 1 && skn_str_eq(definition, run->definition.text);
}

/* Checks again just before sending: a restarted server may have other tools. */
static bool may_send(void *arg)
{
    skn_run      *run = arg;
    skn_arena    *a = skn_arena_new();
    skn_mcp_found found;
    bool          may = skn_mcp_room_find(run->room, this_call(run)->tool_name, &found) &&
               is_cleared(run, skn_mcp_room_definition(run->room, &found, a));

    skn_arena_free(a);
    return may;
}

/* --- Asking a person ---------------------------------------------------------------------------------------- */

static void approval_seen(skn_run *run)
{
    if (run->rc) {
        skn_run_give_up(run);
    } else if (run->approval == SKEIN_APPROVED) {
        run->allowed = run->next_call + 1;
        next_step(run);
    } else if (run->approval == SKEIN_DENIED) {
        say_result(run, SKN_STR("not run: a person did not allow it"), true);
    } else if (run->approval == SKEIN_FORBIDDEN) {
        say_result(run, SKN_STR("not run: this tool is not allowed in this world"), true);
    } else {
        skn_run_enter(run, SKN_RUN_WAITING);
    }
}

/* Reads a person's decision. For tools of servers work_tool_leave asks with the definition, and checks the answer
 * once more before the tool runs. */
static void work_approval_look(skn_run *run)
{
    skein_engine *e = run->r->o.engine;
    skn_str       call_id = this_call(run)->call_id;

    run->rc = skein_approval_state(e, &run->turn, call_id, &run->approval, &run->err);
    if (!run->rc && run->approval == SKEIN_APPROVED && skn_tool_find(this_call(run)->tool_name))
        run->rc = skein_approval_take(e, &run->turn, call_id, &run->err);
}

static void work_approval(skn_run *run)
{
    skein_inbox_item item;

    if (skn_tool_find(this_call(run)->tool_name))
        run->rc = skein_approval_ask(run->r->o.engine, &run->turn, this_call(run)->call_id,
                                     run->a, &item, &run->err);
    if (!run->rc)
        work_approval_look(run);
}

/* --- Asking about a tool of a server -------------------------------------------------------------------------- */

static bool is_allowed(const skn_run *run)
{
    return run->allowed == run->next_call + 1;
}

/* Asks for approval of a tool of a server. A tool that needs approval only once creates no further inbox item. */
static void work_tool_leave(skn_run *run)
{
    skein_engine    *e = run->r->o.engine;
    skn_str          call_id = this_call(run)->call_id;
    skein_inbox_item item;
    bool             known = false;

    if (run->first_only && !is_allowed(run))
        run->rc = skein_tool_allowed(e, run->turn.world, &run->definition, &known, &run->err);
    run->approval = known ? SKEIN_APPROVED : SKEIN_APPROVAL_OPEN;
    if (run->rc || known ||
        (run->rc = skein_approval_ask_defined(e, &run->turn, call_id, &run->definition,
                                              run->round, &item, &run->err)) ||
        (run->rc = skein_approval_state_defined(e, &run->turn, call_id, &run->definition,
                                                &run->approval, &run->err)) ||
        run->approval != SKEIN_APPROVED)
        return;
    run->rc = skein_approval_take(e, &run->turn, call_id, &run->err);
}

static void leave_seen(skn_run *run)
{
    if (!run->rc && run->approval == SKEIN_APPROVED) {
        run->cleared = run->next_call + 1;
        next_step(run);
    } else if (!run->rc && run->approval == SKEIN_OUTDATED) {
        say_result(run,
                   SKN_STR("not run: the definition of the tool has changed since a person was "
                           "asked; call it again, and a person is asked about the new one"),
                   true);
    } else {
        approval_seen(run);
    }
}

/* Binds the approval to the current definition; a definition that has changed since is checked again. It may be long
 * and lives until the round ends. */
static void with_leave(skn_run *run, const skn_mcp_found *found, bool first_only)
{
    skn_str text = skn_mcp_room_definition(run->room, found, run->round);

    if (!text.p) {
        say_result(run,
                   skn_arena_printf(
                       run->a,
                       "not run: the definition of this tool is longer than %zu bytes, and "
                       "a person cannot be asked about it; the settings of the world can "
                       "allow it (approvals)",
                       SKN_DEFINITION_MOST),
                   true);
    } else if (is_cleared(run, text)) {
        call_server(run, found, may_send);
    } else {
        run->definition = (skein_tool_definition){
            .server = skn_arena_copy(run->round, skn_mcp_name(found->server)),
            .tool = skn_arena_copy(run->round,
                                   skn_mcp_room_hide(run->room, found->tool->name, run->round)),
            .text = text};
        run->first_only = first_only;
        skn_run_job(run, work_tool_leave, leave_seen);
    }
}

/* --- Waiting for delegations -------------------------------------------------------------------------------- */

static void ends_seen(skn_run *run)
{
    if (run->rc)
        skn_run_give_up(run);
    else if (run->open == 0)
        skn_run_round(run);
    else
        skn_run_enter(run, SKN_RUN_WAITING);
}

static void work_ends(skn_run *run)
{
    run->rc = skein_turn_waits(run->r->o.engine, &run->turn, &run->open, &run->err);
}

static bool is_done(const skn_run *run)
{
    return run->next_call == run->calls.n;
}

void skn_run_poll(skn_run *run)
{
    if (run->state != SKN_RUN_WAITING)
        return;
    if (run->limit.key.n)
        skn_run_limit_look(run);
    else if (is_done(run))
        skn_run_job(run, work_ends, ends_seen);
    else
        skn_run_job(run, work_approval_look, approval_seen);
}

/* --- One call ------------------------------------------------------------------------------------------------ */

/* Whether the arguments can be read. Arguments that were cut off or never were JSON say nothing certain, and a tool
 * may act on them all the same. */
static bool is_readable(skn_run *run)
{
    const skn_json *args;

    return !read_call_args(run, &args, NULL);
}

/* Returns false if the call must not run whatever a person decides; the reason is its result. */
static bool can_run(skn_run *run, skn_approve how)
{
    if (!is_readable(run)) {
        say_result(run, SKN_STR("not run: the arguments are not a JSON object; call it again"),
                   true);
        return false;
    }
    if (how == SKN_APPROVE_NEVER) {
        say_result(run, SKN_STR("not run: this tool is not allowed in this world"), true);
        return false;
    }
    return true;
}

static void run_built_in(skn_run *run, const skn_tool *tool)
{
    skn_approve how = skn_tool_approval(&run->rights, this_call(run)->tool_name,
                                        SKN_APPROVE_ALWAYS);

    if (!can_run(run, how))
        return;
    if (how == SKN_APPROVE_ASK && !is_allowed(run))
        skn_run_job(run, work_approval, approval_seen);
    else
        skn_run_job(run, tool->read ? work_read_tool : work_act, after_call);
}

/* Runs a tool of a server. Only the server says that its tool is read-only, so that saves later approvals but not the
 * first. */
static void run_found(skn_run *run, const skn_mcp_found *found)
{
    skn_approve how = skn_tool_approval(&run->rights, this_call(run)->tool_name,
                                        found->tool->read_only ? SKN_APPROVE_FIRST
                                                               : SKN_APPROVE_ASK);

    if (!can_run(run, how))
        return;
    if (how == SKN_APPROVE_ALWAYS && !is_allowed(run)) /* the start must be noted then */
        call_server(run, found, NULL);
    else
        with_leave(run, found, how == SKN_APPROVE_FIRST);
}

static void say_unknown(skn_run *run)
{
    skn_buf known;

    skn_buf_init(&known, 4000);
    for (size_t i = 0; i < run->rights.offers.n; i++)
        skn_buf_addf(&known, "%s%.*s", i ? ", " : "", SKN_FMT(run->rights.offers.p[i].name));
    say_result(run,
               skn_arena_printf(run->a, "not run: there is no tool \"%.*s\"; known: %.*s",
                                SKN_FMT(this_call(run)->tool_name),
                                SKN_FMT(skn_buf_str(&known))),
               true);
    skn_buf_release(&known);
}

static bool is_offered(const skn_run *run, const skn_tool *tool)
{
    if (tool->where & SKN_UNOFFERED)
        return true;
    for (size_t i = 0; i < run->rights.offers.n; i++)
        if (skn_str_is(run->rights.offers.p[i].name, tool->name))
            return true;
    return false;
}

static void run_this_call(skn_run *run)
{
    skn_str         name = this_call(run)->tool_name;
    const skn_tool *tool = skn_tool_find(name);
    skn_mcp_found   found;

    if (tool && is_offered(run, tool))
        run_built_in(run, tool);
    else if (run->room && skn_mcp_room_find(run->room, name, &found) &&
             skn_tool_listed(&run->rights, name))
        run_found(run, &found);
    else
        say_unknown(run);
}

static void next_step(skn_run *run)
{
    if (!is_done(run))
        run_this_call(run);
    else if (run->begun)
        skn_run_job(run, work_ends, ends_seen);
    else
        skn_run_round(run);
}

void skn_run_tools(skn_run *run)
{
    next_step(run);
}

/* Ignores the world's current settings: a person was asked, and the answer counts. */
void skn_run_tools_again(skn_run *run)
{
    if (is_done(run))
        next_step(run);
    else
        skn_run_job(run, work_approval, approval_seen);
}
