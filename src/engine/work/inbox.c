/* inbox.c: what is there for people: listed, read, put off, kept and answered. */
#include "base/utf8.h"
#include "engine/work/act.h"

#define ITEMS_SHOWN ((size_t)50)
#define ITEMS_MOST  ((size_t)1000)
#define TITLE_CHARS ((size_t)120)
#define TEXT_BYTES  ((size_t)16384) /* of what the list shows */

/* --- For all who write into it ------------------------------------------------------------------------------ */

/* A call that waits for approval blocks its conversation: those who follow it get an event. */
static int64_t held_up(const skn_inbox_row *row)
{
    return row && row->turn_id && skn_str_is(row->item.kind, "approval") ? row->conversation_id
                                                                         : 0;
}

skein_rc skn_inbox_tell(skn_working *w, int64_t world, const skn_inbox_row *row,
                        const char *type, skein_error *err)
{
    int64_t  unread, needs_you;
    skn_told d;
    skein_rc rc = skn_inbox_counts(w->tx, 0, w->now, &unread, &needs_you, err);

    if (rc)
        return rc;
    skn_told_open(&d);
    if (row) {
        skn_jw_kstr(&d.w, "id", row->item.uid);
        skn_jw_kstr(&d.w, "type", row->item.kind);
        skn_jw_kstr(&d.w, "agent", row->item.agent);
        if (skn_str_is(row->item.kind, "approval")) /* else it is somebody's text */
            skn_jw_kstr(&d.w, "answer", row->item.answer);
        skn_jw_kbool(&d.w, "open", row->item.open);
        skn_jw_ktime(&d.w, "readAt", row->item.read_at);
        skn_jw_ktime(&d.w, "doneAt", row->item.done_at);
        skn_jw_ktime(&d.w, "snoozedUntil", row->item.snoozed_until);
        skn_jw_kbool(&d.w, "removed", row->removed);
    }
    skn_jw_kint(&d.w, "unread", unread);
    skn_jw_kint(&d.w, "needsYou", needs_you);
    skn_feed_item(w->tx, world, held_up(row), type, &d);
    return SKEIN_OK;
}

skn_inbox_row skn_inbox_of(const skn_working *w, const skn_turn_row *turn, const char *kind,
                           skn_str call_id)
{
    return (skn_inbox_row){
        .item = {.kind = skn_str_of(kind), .world = {w->chat.world_id}, .created_at = w->now},
        .agent_id = turn->turn.agent.v,
        .conversation_id = w->chat.id,
        .work_message_id = turn->step_message_id,
        .task_id = turn->turn.task,
        .turn_id = turn->turn.id,
        .call_id = call_id};
}

skein_rc skn_inbox_new(skn_working *w, skn_inbox_row *row, skein_error *err)
{
    skn_str  briefing = row->item.briefing;
    bool     found;
    skein_rc rc;

    if ((rc = skn_inbox_insert(w->tx, row, w->a, err)) ||
        (rc = skn_inbox_by_id(w->tx, row->item.id, w->a, row, &found, err)))
        return rc;
    row->item.briefing = briefing;
    return skn_inbox_tell(w, row->item.world.v, row, "inbox.created", err);
}

/* Holds the background of who asked a question for a task; to be called before the item is held, for who cancels the
 * task holds them in this order. */
static skein_rc hold_asker(skn_working *w, const skn_inbox_row *row, skein_error *err)
{
    skn_conversation_row chat;
    bool                 found = false;
    skein_rc             rc = SKEIN_OK;

    if (skn_str_is(row->item.kind, "question") && row->item.task_uid.p && row->agent_id)
        rc = skn_conversation_by_agent(w->tx, row->agent_id, SKEIN_BACKGROUND, w->a, &chat,
                                       &found, err);
    if (rc || !found)
        return rc;
    rc = skn_conversation_take(w->tx, (skein_conversation_id){chat.id}, w->a, &chat, err);
    return skn_is_gone(rc) ? SKEIN_OK : rc;
}

skn_str skn_inbox_title(skn_arena *a, skn_str text)
{
    return skn_words_snippet(skn_str_trim(text), 0, TITLE_CHARS, a);
}

/* --- Reading -------------------------------------------------------------------------------------------------- */

typedef struct item_call {
    const skein_inbox_change *change;
    skein_inbox_item         *item;
    skn_str                   ref;
    int64_t                   world, count;
} item_call;

static skein_rc need_item(skn_tx *tx, skn_str uid, skn_arena *a, skn_inbox_row *out,
                          skein_error *err)
{
    bool     found;
    skein_rc rc = skn_inbox_by_uid(tx, uid, a, out, &found, err);

    if (rc || found)
        return rc;
    return skn_fail(err, SKEIN_NOT_FOUND, "there is nothing \"%.*s\" in the inbox",
                    SKN_FMT(uid));
}

static bool needs_you(const skein_inbox_item *i)
{
    return !i->done_at && skn_str_among(i->kind, "question approval failure");
}

/* Those that need somebody, then the rest; each part newest first, from where the page before ended. */
static skein_rc list_parts(skn_tx *tx, const skein_inbox_query *query, skn_arena *a,
                           skn_inbox_rows *rows, skein_error *err)
{
    size_t          limit = query->limit ? query->limit : ITEMS_SHOWN;
    skn_inbox_range range = {
        .what = query, .below = INT64_MAX, .needs = true, .now = SKN_NOW()};
    skn_inbox_row before;
    skein_rc      rc = SKEIN_OK;

    *rows = (skn_inbox_rows){0};
    if (limit > ITEMS_MOST)
        limit = ITEMS_MOST;
    if (query->before.p) {
        if ((rc = need_item(tx, query->before, a, &before, err)))
            return rc;
        range.below = before.item.id;
        range.needs = needs_you(&before.item);
    }
    range.limit = limit;
    if (range.needs) {
        rc = skn_inbox_rows_in(tx, &range, a, rows, err);
        range.below = INT64_MAX;
    }
    range.needs = false;
    range.limit = limit - rows->count;
    return rc || range.limit == 0 ? rc : skn_inbox_rows_in(tx, &range, a, rows, err);
}

skein_rc skein_inbox_list(skein_engine *e, const skein_inbox_query *what, skein_mem *mem,
                          skein_inbox *out, skein_error *err)
{
    skn_inbox_rows rows;
    skn_snapshot   s = {.store = e->store};

    *out = (skein_inbox){0};
    if (what->done < -1 || what->done > 2)
        return skn_fail(err, SKEIN_INVALID, "\"done\" is -1, 0, 1 or 2, not %d", what->done);
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = list_parts(s.tx, what, mem, &rows, err)))
            s.rc = skn_inbox_counts(s.tx, what->world.v, SKN_NOW(), &out->unread,
                                    &out->needs_you, err);
    if (s.rc)
        return s.rc;
    out->at = SKN_ARRAY(mem, rows.count, skein_inbox_item);
    for (size_t i = 0; i < rows.count; i++)
        out->at[out->count++] = rows.at[i].item;
    return SKEIN_OK;
}

skein_rc skein_inbox_get(skein_engine *e, skein_str uid, skein_mem *mem, skein_inbox_item *out,
                         skein_error *err)
{
    skn_inbox_row row;
    skn_snapshot  s = {.store = e->store};

    s.rc = skn_check_word(uid, "the item's id", SKN_WORD_MAX, err);
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = need_item(s.tx, uid, mem, &row, err)))
            s.rc = skn_inbox_long_texts(s.tx, mem, &row, err);
    if (!s.rc)
        *out = row.item;
    return s.rc;
}

/* --- Putting away ------------------------------------------------------------------------------------------------ */

static void apply(const skein_inbox_change *what, int64_t now, skein_inbox_item *i)
{
    if (what->done == 1 && !i->done_at)
        i->done_at = now;
    else if (what->done == 0)
        i->done_at = 0;
    if ((what->read == 1 || what->done == 1) && !i->read_at)
        i->read_at = now;
    else if (what->read == 0)
        i->read_at = 0;
    if (what->snoozed_until >= 0)
        i->snoozed_until = what->snoozed_until;
}

/* Putting a call away without a word would decide it, and nothing brings a decided one back. */
static skein_rc check_approval(const skein_inbox_change *what, const skein_inbox_item *i,
                               skein_error *err)
{
    if (!skn_str_is(i->kind, "approval"))
        return SKEIN_OK;
    if (what->done == 1 && !what->remove && i->open)
        return skn_fail_hint(err, SKEIN_CONFLICT, "Allow or deny it.",
                             "\"%.*s\" waits for a decision", SKN_FMT(i->uid));
    if (what->done == 0 && i->answer.p)
        return skn_fail(err, SKEIN_CONFLICT, "\"%.*s\" was answered: it is %.*s",
                        SKN_FMT(i->uid), SKN_FMT(i->answer));
    return SKEIN_OK;
}

/* No task waits for a question that was dismissed unanswered. The item is stored as it is now. */
static skein_rc let_go(skn_working *w, const skn_inbox_row *row, skein_error *err)
{
    skn_expected_row asked;
    bool             found = false;
    skein_rc         rc = SKEIN_OK;

    if (skn_str_is(row->item.kind, "question") && !row->item.answer.p)
        rc = skn_expected_of_people(w->tx, row->work_message_id, w->a, &asked, &found, err);
    return rc || !found
               ? rc
               : skn_expect_none(w, &asked, SKN_STR("the person has put it away"), err);
}

static skein_rc set_item(skn_working *w, void *arg, skein_error *err)
{
    item_call    *c = arg;
    int64_t       now = SKN_NOW();
    skn_inbox_row row;
    bool          found;
    skein_rc      rc;

    if ((rc = need_item(w->tx, c->ref, w->a, &row, err)) || (rc = hold_asker(w, &row, err)) ||
        (rc = skn_inbox_hold(w->tx, row.item.id, err)) ||
        (rc = skn_inbox_by_id(w->tx, row.item.id, w->a, &row, &found, err)) ||
        (rc = check_approval(c->change, &row.item, err)))
        return rc;
    apply(c->change, now, &row.item);
    /* A call that is removed is not allowed: its agent must not wait forever. */
    if (c->change->remove && row.item.open && skn_str_is(row.item.kind, "approval") &&
        (rc = skn_inbox_answered(w->tx, row.item.id, SKN_STR("denied"), SKN_NONE, now, &found,
                                 err)))
        return rc;
    if ((rc = skn_inbox_put(w->tx, &row, c->change->remove ? now : 0, err)) ||
        (rc = let_go(w, &row, err)) ||
        (rc = skn_inbox_by_id(w->tx, row.item.id, w->a, &row, &found, err)))
        return rc;
    *c->item = row.item;
    return skn_inbox_tell(w, row.item.world.v, &row, "inbox.updated", err);
}

skein_rc skein_inbox_set(skein_engine *e, skein_str uid, const skein_inbox_change *what,
                         skein_mem *mem, skein_inbox_item *out, skein_error *err)
{
    item_call c = {.change = what, .item = out, .ref = uid};
    skein_rc  rc = skn_check_word(uid, "the item's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_write(e, mem, set_item, &c, err);
}

static skein_rc read_world(skn_working *w, item_call *c, int64_t world, skein_error *err)
{
    int64_t  count;
    skein_rc rc = skn_inbox_read(w->tx, world, c->ref, w->now, &count, err);

    c->count += count;
    return rc || count == 0 ? rc : skn_inbox_tell(w, world, NULL, "inbox.updated", err);
}

static skein_rc read_all(skn_working *w, void *arg, skein_error *err)
{
    item_call *c = arg;
    skn_ids    worlds = {&c->world, 1};
    skein_rc   rc = SKEIN_OK;

    c->count = 0;
    if (c->world == 0)
        rc = skn_inbox_worlds(w->tx, w->a, &worlds, err);
    for (size_t i = 0; rc == SKEIN_OK && i < worlds.count; i++)
        rc = read_world(w, c, worlds.at[i], err);
    return rc;
}

skein_rc skein_inbox_read_all(skein_engine *e, skein_world_id world, skein_str kind,
                              int64_t *count, skein_error *err)
{
    item_call c = {.ref = kind, .world = world.v};
    skein_rc  rc = skn_write(e, NULL, read_all, &c, err);

    *count = rc ? 0 : c.count;
    return rc;
}

/* --- From outside ------------------------------------------------------------------------------------------------ */

static skein_rc add_names(skn_working *w, item_call *c, skn_inbox_row *row, skein_error *err)
{
    skn_conversation_row chat;
    skein_agent          agent;
    bool                 found = true;
    skein_rc             rc = SKEIN_OK;

    if (c->item->agent.p)
        rc = skn_agent_by_ref(w->tx, c->item->world.v, c->item->agent, SKN_NONE, w->a, &agent,
                              &found, err);
    if (rc == SKEIN_OK && !found)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no agent \"%.*s\"",
                        SKN_FMT(c->item->agent));
    row->agent_id = rc == SKEIN_OK && c->item->agent.p ? agent.id.v : 0;
    if (rc == SKEIN_OK && c->item->chat_uid.p)
        rc = skn_conversation_by_uid(w->tx, c->item->chat_uid, w->a, &chat, &found, err);
    if (rc == SKEIN_OK && !found)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no conversation \"%.*s\"",
                        SKN_FMT(c->item->chat_uid));
    row->conversation_id = rc == SKEIN_OK && c->item->chat_uid.p ? chat.id : 0;
    return rc;
}

static skein_rc add_item(skn_working *w, void *arg, skein_error *err)
{
    item_call    *c = arg;
    skn_inbox_row row = {.item = {.kind = c->item->kind,
                                  .world = c->item->world,
                                  .title = c->item->title,
                                  .content = c->item->content,
                                  .created_at = SKN_NOW()},
                         .call_id = c->item->call_id};
    skein_world   world;
    bool          told;
    skein_rc      rc;

    if (row.call_id.n &&
        ((rc = skn_limits_hold(w->tx, err)) ||
         (rc = skn_inbox_is_told(w->tx, c->item->world.v, row.call_id, &told, err)) || told))
        return rc;
    if ((rc = skn_world_need(w->tx, c->item->world.v, w->a, &world, err)) ||
        (rc = add_names(w, c, &row, err)) || (rc = skn_inbox_new(w, &row, err)))
        return rc;
    *c->item = row.item;
    return SKEIN_OK;
}

skein_rc skein_inbox_add(skein_engine *e, skein_inbox_item *item, skein_mem *mem,
                         skein_error *err)
{
    item_call c = {.item = item};
    skein_rc  rc;

    if (!skn_str_among(item->kind, "failure finished mention"))
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a type of inbox item",
                        SKN_FMT(item->kind));
    if ((rc = skn_check_word(item->title, "the title", SKN_TITLE_MAX, err)) ||
        (rc = skn_check_text(e, item->content, "the text", err)))
        return rc;
    item->content = skn_utf8_cut(item->content.p ? item->content : SKN_STR(""), TEXT_BYTES);
    return skn_write(e, mem, add_item, &c, err);
}

/* What a person answers to a question, a briefing or a call that asks for leave. */

typedef struct answer_call {
    skn_str           uid, text;
    skn_str           reason; /* that decides it, where no person does */
    skein_inbox_item *out;
    skein_message    *message;
    skn_inbox_row     row;
} answer_call;

/* What nobody answered in time says so itself. */
static skein_rc was_answered(const answer_call *c, skein_error *err)
{
    skn_str uid = c->uid;

    if (skn_str_is(c->row.item.kind, "approval") && skn_str_is(c->row.item.answer, "expired"))
        return skn_fail_hint(err, SKEIN_CONFLICT,
                             "Ask the agent again; it asks again before it runs the tool.",
                             "\"%.*s\" has expired: the agent's turn ended before "
                             "anybody answered",
                             SKN_FMT(uid));
    return skn_fail(err, SKEIN_CONFLICT, "\"%.*s\" was answered", SKN_FMT(uid));
}

/* Only one answer counts. */
static skein_rc mark(skn_working *w, answer_call *c, skn_str answer, skein_error *err)
{
    bool     answered, found;
    skein_rc rc = skn_inbox_answered(w->tx, c->row.item.id, answer, c->reason, w->now,
                                     &answered, err);

    if (rc || !answered)
        return rc ? rc : was_answered(c, err);
    if ((rc = skn_inbox_by_id(w->tx, c->row.item.id, w->a, &c->row, &found, err)))
        return rc;
    return skn_inbox_tell(w, c->row.item.world.v, &c->row, "inbox.updated", err);
}

/* The agent goes on: what was shown of it while it waited is over. Who speaks for it may be gone, so a call that is
 * allowed does not run yet: skein_approval_take tells that. */
static skein_rc goes_on(skn_working *w, const answer_call *c, skein_error *err)
{
    skn_turn_row turn;
    bool         found;
    bool         allowed = skn_str_is(c->row.item.answer, "allowed");
    skein_rc     rc = skn_turn_get(w->tx, c->row.turn_id, w->a, &turn, &found, err);

    if (rc || !found || turn.turn.state != SKEIN_TURN_OPEN)
        return rc;
    turn.turn.waits = SKEIN_WAITS_TO_GO_ON;
    turn.turn.tool = skn_approval_words(w->a, c->row.item.tool, allowed);
    if (!allowed)
        skn_tell_doing(w, &turn.turn, SKN_NONE);
    return skn_turn_move(w->tx, &turn, err);
}

/* The conversation is held before the item, as by those who ask. */
static skein_rc decide(skn_working *w, answer_call *c, skn_str answer, skein_error *err)
{
    skein_conversation_id chat = {c->row.conversation_id};
    skein_rc              rc;

    if (!c->row.item.open || !chat.v)
        return mark(w, c, answer, err);
    if ((rc = skn_working_hold(w, chat, err)))
        return rc;
    rc = mark(w, c, answer, err);
    return rc ? rc : goes_on(w, c, err);
}

skein_rc skn_approval_decide(skn_working *w, skn_inbox_row *asked, bool allow, skn_str reason,
                             skein_error *err)
{
    answer_call c = {.uid = asked->item.uid, .reason = reason, .row = *asked};
    skn_working own = *w; /* it may hold another conversation */
    skein_rc    rc = decide(&own, &c, allow ? SKN_STR("allowed") : SKN_STR("denied"), err);

    *asked = c.row;
    return rc == SKEIN_CONFLICT ? SKEIN_OK : rc;
}

static skein_rc answer_approval(skn_working *w, answer_call *c, skein_error *err)
{
    bool allow = skn_str_is(c->text, "allow");

    if (!allow && !skn_str_is(c->text, "deny"))
        return skn_fail_hint(err, SKEIN_INVALID, "Answer \"allow\" or \"deny\".",
                             "\"%.*s\" is not an answer to this",
                             (int)(c->text.n < 40 ? c->text.n : 40), c->text.p);
    if (c->row.item.answer.p)
        return was_answered(c, err);
    if (!c->row.item.open && !c->row.item.done_at)
        return skn_fail(err, SKEIN_CONFLICT, "the agent does not wait for this any more");
    return decide(w, c, allow ? SKN_STR("allowed") : SKN_STR("denied"), err);
}

/* A person who allows a call has read how its tool is defined, where that was new: it is not asked about again. The world
 * is held, because of each tool one definition is allowed. */
static skein_rc keep_definition(skn_working *w, const answer_call *c, skein_error *err)
{
    bool     found;
    skein_rc rc;

    if (!skn_str_is(c->row.item.answer, "allowed"))
        return SKEIN_OK;
    rc = skn_world_hold(w->tx, c->row.item.world.v, &found, err);
    return rc ? rc : skn_definition_allow(w->tx, c->row.definition_id, w->now, err);
}

static skein_rc answer_and_note(skn_working *w, answer_call *c, skein_error *err)
{
    skn_str  tool = c->row.item.tool;
    bool     shown = c->row.item.definition_state.p != NULL;
    skein_rc rc = answer_approval(w, c, err);

    if (rc || (shown && (rc = keep_definition(w, c, err))))
        return rc;
    return skn_audit_in(w, "approval.answer", tool.n ? tool : c->uid,
                        skn_arena_printf(w->a, "%.*s, %.*s%s%.*s", SKN_FMT(c->row.item.answer),
                                         SKN_FMT(c->uid), shown ? ", definition " : "",
                                         shown ? (int)c->row.definition_hash.n : 0,
                                         c->row.definition_hash.p),
                        err);
}

/* Work that a person's answer sets off may go as far as any other. */
static skein_rc hops_of(skn_working *w, answer_call *c, int64_t *hops, skein_error *err)
{
    skein_world world;
    skein_rc    rc = skn_world_need(w->tx, c->row.item.world.v, w->a, &world, err);

    if (!rc)
        *hops = skn_turn_limit(&world);
    return rc;
}

/* Asked elsewhere, the question is repeated: the agent's background does not have it. */
static skein_rc answer_text(skn_working *w, answer_call *c, skn_heard *what, skein_error *err)
{
    skn_conversation_row chat;
    bool                 found;
    skein_rc rc = skn_conversation_by_agent(w->tx, c->row.agent_id, SKEIN_BACKGROUND, w->a,
                                            &chat, &found, err);

    what->text = c->text;
    if (rc || (found && c->row.item.work_chat_uid.p &&
               skn_str_eq(c->row.item.work_chat_uid, chat.uid)))
        return rc;
    what->of[0] = c->row.work_message_id;
    what->text = skn_said_by(w->e, w->a,
                             skn_arena_printf(w->a, "The answer to your question \"%.*s\": ",
                                              SKN_FMT(c->row.item.title)),
                             c->text);
    return SKEIN_OK;
}

static skein_rc answer_question(skn_working *w, answer_call *c, skein_error *err)
{
    skn_heard what = {.agent = c->row.agent_id, .source = "answer", .sender = SKN_STR("human")};
    skn_expected_row asked;
    bool             waits, found;
    skein_rc         rc;

    if (c->row.agent_id == 0 || c->row.agent_gone)
        return skn_fail(err, SKEIN_CONFLICT, "the agent that asked this is gone");
    if ((rc = skn_copy_hold(w->tx, c->row.work_message_id, err)) ||
        (rc = skn_inbox_by_uid(w->tx, c->uid, w->a, &c->row, &found, err)) ||
        (rc = hold_asker(w, &c->row, err)) || (rc = mark(w, c, c->text, err)) ||
        (rc = hops_of(w, c, &what.hops_left, err)) || (rc = answer_text(w, c, &what, err)) ||
        (rc = skn_expected_of_people(w->tx, c->row.work_message_id, w->a, &asked, &waits,
                                     err)) ||
        (waits && (rc = skn_expect_waiting(w, &asked, &what.task, err))) ||
        (rc = skn_background_say(w, &what, c->message, NULL, err)))
        return rc;
    return waits
               ? skn_expected_close(w->tx, asked.id, "answered", c->message->id.v, w->now, err)
               : SKEIN_OK;
}

/* What is said to a briefing is said in the conversation that people have with the agent. */
static skein_rc answer_briefing(skn_working *w, answer_call *c, skein_error *err)
{
    skein_new_message n = {
        .role = SKEIN_USER, .content = c->text, .reply_to = c->row.item.message_uid};
    skn_delivery_rows    pending;
    skein_posted         posted = {0};
    skn_saying           s = {0};
    skn_conversation_row chat;
    skein_rc             rc;

    if (c->row.agent_id == 0 || c->row.agent_gone)
        return skn_fail(err, SKEIN_CONFLICT, "the agent that wrote this is gone");
    if ((rc = mark(w, c, c->text, err)) ||
        (rc = skn_own_conversation(w, c->row.agent_id, SKEIN_FOREGROUND, &chat, err)))
        return rc;
    skn_working_at(w, &chat);
    if ((rc = skn_delivery_pending(w->tx, chat.id, w->a, &pending, err)) ||
        (rc = skn_message_say(w, &chat, SKN_NONE, &n, c->message, err)))
        return rc;
    s.idle = pending.count == 0;
    return skn_wake(w, c->message, &s, &posted, err);
}

static skein_rc answer_item(skn_working *w, void *arg, skein_error *err)
{
    answer_call *c = arg;
    skein_rc     rc = need_item(w->tx, c->uid, w->a, &c->row, err);

    *c->message = (skein_message){0};
    if (rc)
        return rc;
    if (skn_str_is(c->row.item.kind, "approval"))
        rc = answer_and_note(w, c, err);
    else if (skn_str_is(c->row.item.kind, "question"))
        rc = answer_question(w, c, err);
    else if (skn_str_is(c->row.item.kind, "briefing"))
        rc = answer_briefing(w, c, err);
    else
        rc = skn_fail(err, SKEIN_INVALID, "nobody waits for an answer to \"%.*s\"",
                      SKN_FMT(c->uid));
    *c->out = c->row.item;
    return rc;
}

skein_rc skein_inbox_answer(skein_engine *e, skein_str uid, skein_str text, skein_mem *mem,
                            skein_inbox_item *out, skein_message *message, skein_error *err)
{
    skein_message none;
    answer_call   c = {
          .uid = uid, .text = text, .out = out, .message = message ? message : &none};
    skein_rc rc;

    if ((rc = skn_check_word(uid, "the item's id", SKN_WORD_MAX, err)) ||
        (rc = skn_check_text(e, text, "the answer", err)))
        return rc;
    if (skn_str_trim(text).n == 0)
        return skn_fail(err, SKEIN_INVALID, "the answer is empty");
    return skn_write(e, mem, answer_item, &c, err);
}
