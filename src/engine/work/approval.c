/* approval.c: a call of a tool that waits until a person has allowed it. */
#include "engine/engine.h"
#include "engine/work/act.h"

typedef struct approval_call {
    const skein_turn *turn;
    skn_str           call_id;
    skein_inbox_item *out;
    /* Of a tool of a server; NULL: it has none. */
    const skein_tool_definition *definition;
} approval_call;

/* --- Definitions -------------------------------------------------------------------------------- */

static skn_str hash_of(skn_str text, skn_arena *a)
{
    char       digits[SKN_SHA256_TEXT];
    skn_sha256 sum;

    skn_sha256_init(&sum);
    skn_sha256_add(&sum, text);
    return skn_arena_copy(a, skn_sha256_text(&sum, digits));
}

static skn_definition_row row_of(const skein_tool_definition *d, int64_t world, skn_arena *a)
{
    return (skn_definition_row){.world_id = world,
                                .server = d->server,
                                .tool = d->tool,
                                .hash = hash_of(d->text, a),
                                .text = d->text};
}

skein_rc skein_tool_allowed(skein_engine *e, skein_world_id world,
                            const skein_tool_definition *what, bool *out, skein_error *err)
{
    skn_arena         *a = skn_arena_new();
    skn_definition_row row = row_of(what, world.v, a);
    skn_str            allowed = SKN_NONE;
    skn_snapshot       s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = skn_definition_allowed(s.tx, &row, a, &allowed, err);
    *out = s.rc == SKEIN_OK && skn_str_eq(allowed, row.hash);
    skn_arena_free(a);
    return s.rc;
}

/* What the person is to read, if it is not what was allowed before. */
static skein_rc define(const approval_call *c, skn_working *w, skn_inbox_row *asked,
                       skein_error *err)
{
    skn_definition_row row;
    skn_str            allowed;
    bool               found;
    skein_rc           rc;

    if (!c->definition)
        return SKEIN_OK;
    row = row_of(c->definition, w->chat.world_id, w->a);
    if ((rc = skn_world_hold(w->tx, w->chat.world_id, &found, err)) ||
        (rc = skn_definition_allowed(w->tx, &row, w->a, &allowed, err)) ||
        (rc = skn_definition_put(w->tx, &row, w->now, err)))
        return rc;
    asked->definition_id = row.id;
    if (!skn_str_eq(allowed, row.hash))
        asked->item.definition_state = allowed.p ? SKN_STR("changed") : SKN_STR("new");
    return SKEIN_OK;
}

static const char *about(const skn_inbox_row *asked)
{
    skn_str state = asked->item.definition_state;

    return !state.p                   ? ""
           : skn_str_is(state, "new") ? ": its first use here"
                                      : ": its definition has changed";
}

/* Of "a__b__c" nobody can tell by its name whose it is. */
static skn_str whose(const approval_call *c, skn_str tool, skn_arena *a)
{
    ptrdiff_t first = skn_str_find(tool, SKN_STR("__"));
    skn_str   rest = first < 0 ? SKN_NONE : skn_str_sub(tool, (size_t)first + 1, tool.n);

    if (!c->definition || skn_str_find(rest, SKN_STR("__")) < 0)
        return SKN_STR("");
    return skn_arena_printf(a, " of the server %.*s", SKN_FMT(c->definition->server));
}

/* --- Asking ------------------------------------------------------------------------------------- */

/* The call as the turn's last message makes it. */
static skein_rc find_call(skn_working *w, const approval_call *c, const skn_turn_row *row,
                          skein_tool_call *out, skein_error *err)
{
    const skein_tool_call *call;
    skein_message          m = {0};
    bool                   found;
    skein_rc               rc = SKEIN_OK;

    if (row->step_message_id)
        rc = skn_message_get(w->tx, row->step_message_id, w->a, &m, &found, err);
    if (rc)
        return rc;
    call = skn_call_of(&m, c->call_id);
    if (!call)
        return skn_fail(err, SKEIN_NOT_FOUND, "the turn's last message makes no call \"%.*s\"",
                        SKN_FMT(c->call_id));
    *out = *call;
    return SKEIN_OK;
}

/* Who looks at the agent sees whom it waits for. */
static skein_rc show_waiting(skn_working *w, skn_turn_row *turn, const skein_inbox_item *item,
                             skein_error *err)
{
    turn->turn.tool = skn_arena_printf(w->a, "%.*s, waits for you", SKN_FMT(item->tool));
    turn->turn.waits = SKEIN_WAITS_FOR_PERSON;
    skn_tell_doing(w, &turn->turn, item->uid);
    return skn_turn_move(w->tx, turn, err);
}

/* The settings may have changed since the turn has read them; changes of settings hold the world, too. */
static skein_rc heed_settings(skn_working *w, skn_inbox_row *asked, skein_error *err)
{
    skein_world world;
    bool        found;
    skein_rc    rc;

    if ((rc = skn_world_hold(w->tx, w->chat.world_id, &found, err)) || !found ||
        (rc = skn_world_get(w->tx, w->chat.world_id, w->a, &world, &found, err)) || !found)
        return rc;
    return skn_world_decide_one(w, &world, asked, err);
}

static skein_rc add_question(const approval_call *c, skn_working *w, skn_turn_row *turn,
                             skn_inbox_row *row, skein_error *err)
{
    skein_tool_call what;
    skein_rc        rc = find_call(w, c, turn, &what, err);

    if (rc)
        return rc;
    *row = skn_inbox_of(w, turn, "approval", c->call_id);
    row->item.tool = what.tool_name;
    row->item.args = what.args;
    row->item.content = what.args.p ? what.args : SKN_STR("");
    if ((rc = define(c, w, row, err)))
        return rc;
    row->item.title = skn_arena_printf(w->a, "%.*s wants to use %.*s%.*s%s",
                                       SKN_FMT(turn->turn.agent_name), SKN_FMT(what.tool_name),
                                       SKN_FMT(whose(c, what.tool_name, w->a)), about(row));
    if ((rc = skn_inbox_new(w, row, err)) || (rc = show_waiting(w, turn, &row->item, err)))
        return rc;
    return heed_settings(w, row, err);
}

static skein_rc ask_approval(skn_working *w, void *arg, skein_error *err)
{
    approval_call *c = arg;
    skn_inbox_row  row;
    skn_turn_row   turn;
    bool           found;
    skein_rc       rc;

    if ((rc = skn_turn_take(w, c->turn, &turn, err)) ||
        (rc = skn_inbox_approval(w->tx, turn.turn.id, c->call_id, turn.step_message_id, w->a,
                                 &row, &found, err)) ||
        (!found && (rc = add_question(c, w, &turn, &row, err))))
        return rc;
    *c->out = row.item;
    return SKEIN_OK;
}

skein_rc skein_approval_ask(skein_engine *e, const skein_turn *turn, skein_str call_id,
                            skein_mem *mem, skein_inbox_item *out, skein_error *err)
{
    return skein_approval_ask_defined(e, turn, call_id, NULL, mem, out, err);
}

skein_rc skein_approval_ask_defined(skein_engine *e, const skein_turn *turn, skein_str call_id,
                                    const skein_tool_definition *what, skein_mem *mem,
                                    skein_inbox_item *out, skein_error *err)
{
    approval_call c = {.turn = turn, .call_id = call_id, .out = out, .definition = what};
    skein_rc      rc = skn_check_word(call_id, "the call's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_write(e, mem, ask_approval, &c, err);
}

/* A yes is to what was shown. One of the settings is to whatever there is, and so is one that was asked for before
 * definitions were kept. */
static bool is_outdated(const approval_call *c, const skn_inbox_row *asked, skn_arena *a)
{
    return c->definition && asked->definition_hash.p && !asked->item.reason.p &&
           !skn_str_eq(asked->definition_hash, hash_of(c->definition->text, a));
}

static skein_approval answer_of(const approval_call *c, const skn_inbox_row *asked,
                                skn_arena *a)
{
    if (!asked->item.answer.p)
        return SKEIN_APPROVAL_OPEN;
    if (skn_str_is(asked->item.answer, "allowed"))
        return is_outdated(c, asked, a) ? SKEIN_OUTDATED : SKEIN_APPROVED;
    return asked->item.reason.p ? SKEIN_FORBIDDEN : SKEIN_DENIED;
}

static skein_rc state_of(skn_tx *tx, const approval_call *c, skn_arena *a, skein_approval *out,
                         skein_error *err)
{
    skn_inbox_row row;
    skn_turn_row  turn;
    bool          found;
    skein_rc      rc;

    if ((rc = skn_turn_look(tx, c->turn, a, &turn, err)) ||
        (rc = skn_inbox_approval(tx, turn.turn.id, c->call_id, turn.step_message_id, a, &row,
                                 &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "nobody was asked about the call \"%.*s\"",
                        SKN_FMT(c->call_id));
    *out = answer_of(c, &row, a);
    return SKEIN_OK;
}

skein_rc skein_approval_state(skein_engine *e, const skein_turn *turn, skein_str call_id,
                              skein_approval *out, skein_error *err)
{
    return skein_approval_state_defined(e, turn, call_id, NULL, out, err);
}

skein_rc skein_approval_state_defined(skein_engine *e, const skein_turn *turn,
                                      skein_str call_id, const skein_tool_definition *what,
                                      skein_approval *out, skein_error *err)
{
    approval_call c = {.turn = turn, .call_id = call_id, .definition = what};
    skn_arena    *a = skn_arena_new();
    skn_snapshot  s = {.store = e->store};

    *out = SKEIN_APPROVAL_OPEN;
    while (skn_snapshot_next(&s, err))
        s.rc = state_of(s.tx, &c, a, out, err);
    skn_arena_free(a);
    return s.rc;
}

/* --- Running what was allowed ------------------------------------------------------------------------- */

skn_str skn_approval_words(skn_arena *a, skn_str tool, bool allowed)
{
    return skn_arena_printf(a, "%.*s, %s", SKN_FMT(tool), allowed ? "allowed" : "denied");
}

bool skn_approval_rests(const skn_inbox_row *asked)
{
    return skn_str_is(asked->item.answer, "allowed") && !asked->begun_at;
}

static skein_rc take_allowed(skn_working *w, void *arg, skein_error *err)
{
    approval_call *c = arg;
    skn_inbox_row  asked;
    skn_turn_row   turn;
    bool           found;
    skein_rc       rc;

    if ((rc = skn_turn_take(w, c->turn, &turn, err)) ||
        (rc = skn_inbox_approval(w->tx, turn.turn.id, c->call_id, turn.step_message_id, w->a,
                                 &asked, &found, err)) ||
        !found || !skn_approval_rests(&asked) ||
        (rc = skn_inbox_begun(w->tx, asked.item.id, w->now, err)))
        return rc;
    turn.turn.tool = asked.item.tool;
    turn.turn.waits = SKEIN_WAITS_NOT;
    skn_tell_doing(w, &turn.turn, SKN_NONE);
    return skn_turn_move(w->tx, &turn, err);
}

skein_rc skein_approval_take(skein_engine *e, const skein_turn *turn, skein_str call_id,
                             skein_error *err)
{
    approval_call c = {.turn = turn, .call_id = call_id};

    return skn_write(e, NULL, take_allowed, &c, err);
}

skein_rc skn_approvals_close(skn_working *w, const skn_turn_row *row, skein_error *err)
{
    skn_inbox_row asked;
    bool          any, found;
    skein_rc      rc = skn_inbox_expire(w->tx, row->turn.id, w->now, &any, err);

    if (rc || !any || (rc = skn_inbox_asked(w->tx, row->turn.id, w->a, &asked, &found, err)))
        return rc;
    return skn_inbox_tell(w, w->chat.world_id, found ? &asked : NULL, "inbox.updated", err);
}
