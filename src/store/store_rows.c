/* store_rows.c: how the columns of statements become structs, and the verbs that are one statement. */
#include "base/json.h"
#include "store/stmt.h"

#include <string.h>

/* --- Words ---------------------------------------------------------------------------------------- */

static const char *const modes[] = {"chat", "foreground", "background"};
static const char *const lane_states[] = {"running", "done", "failed", "cancelled",
                                          "interrupted"};
static const char *const delivery_states[] = {"queued", "working", "answered", "failed",
                                              "dropped"};
static const char *const turn_states[] = {"open", "committed", "failed", "cancelled",
                                          "interrupted"};

const skn_state_words skn_modes = {SKN_ENUM(modes), SKEIN_BACKGROUND};
const skn_state_words skn_lane_states = {SKN_ENUM(lane_states), SKEIN_LANE_INTERRUPTED};
const skn_state_words skn_delivery_states = {SKN_ENUM(delivery_states), -1};
const skn_state_words skn_turn_states = {SKN_ENUM(turn_states), -1};

/* As skn_modes, of work that would go wrong in another conversation than its own. */
static const skn_state_words modes_of_work = {SKN_ENUM(modes), -1};

skn_bind skn_bind_word(const skn_state_words *words, unsigned value)
{
    return skn_bind_text(skn_str_of(skn_enum_name(&words->names, (int)value)));
}

static skein_rc word_value(const skn_state_words *words, skn_str word, int *out,
                           skein_error *err)
{
    if (skn_enum_from(&words->names, word, out))
        return SKEIN_OK;
    *out = words->other;
    if (words->other >= 0)
        return SKEIN_OK;
    return skn_fail(err, SKEIN_DAMAGED, "\"%.*s\" is no state that work can have",
                    SKN_FMT(word));
}

/* --- A row ---------------------------------------------------------------------------------------- */

static skein_rc read_column(const skn_stmt *s, int i, const skn_column *c, skn_arena *a,
                            char *to, skein_error *err)
{
    skn_str text;
    int     small;

    switch (c->kind) {
    case SKN_COL_SKIP:
        break;
    case SKN_COL_INT:
        *(int64_t *)(void *)to = skn_stmt_int(s, i);
        break;
    case SKN_COL_SMALL:
        *(int *)(void *)to = (int)skn_stmt_int(s, i);
        break;
    case SKN_COL_FLAG:
        *(bool *)to = skn_stmt_int(s, i) != 0;
        break;
    case SKN_COL_SET:
        *(bool *)to = !skn_stmt_null(s, i);
        break;
    case SKN_COL_TEXT:
    case SKN_COL_BLOB:
        text = c->kind == SKN_COL_TEXT ? skn_stmt_text(s, i) : skn_stmt_blob(s, i);
        *(skn_str *)(void *)to = a ? skn_arena_copy(a, text) : text;
        break;
    case SKN_COL_WORD:
        if (word_value(c->words, skn_stmt_text(s, i), &small, err))
            return SKEIN_DAMAGED;
        *(int *)(void *)to = small;
        break;
    }
    return SKEIN_OK;
}

skein_rc skn_stmt_row(const skn_stmt *s, const skn_row *of, skn_arena *a, void *out,
                      skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    memset(out, 0, of->size);
    for (int i = 0; i < of->count && !rc; i++)
        rc = read_column(s, i, &of->columns[i], a, (char *)out + of->columns[i].offset, err);
    if (of->finish && !rc)
        of->finish(s, a, out);
    return rc;
}

/* --- The columns of each struct --------------------------------------------------------------------- */

/* THING is the struct. A member's type says how it is read. */
#define COL(member)                                                                            \
    {                                                                                          \
        .kind = _Generic(((THING *)0)->member, int64_t                                         \
                         : SKN_COL_INT, int                                                    \
                         : SKN_COL_SMALL, bool                                                 \
                         : SKN_COL_FLAG, skn_str                                               \
                         : SKN_COL_TEXT),                                                      \
        .offset = offsetof(THING, member)                                                      \
    }
#define COL_AS(as, member)                                                                     \
    {                                                                                          \
        .kind = SKN_COL_##as, .offset = offsetof(THING, member)                                \
    }
#define SET(member) COL_AS(SET, member)
#define ENUM(member, of)                                                                       \
    {                                                                                          \
        .kind = SKN_COL_WORD, .offset = offsetof(THING, member), .words = &(of)                \
    }
#define SKIP                                                                                   \
    {                                                                                          \
        .kind = SKN_COL_SKIP                                                                   \
    }
#define ROW(type, complete, ...)                                                                \
    static const skn_column columns_of_##type[] = {__VA_ARGS__};                                \
    const skn_row           skn_row_of_##type = {sizeof(type), columns_of_##type,               \
                                                 sizeof columns_of_##type / sizeof(skn_column), \
                                                 complete};
/* A row begins with the columns of its first member: the list that people see has no more. */
#define ROW_PART(type, whole, columns)                                                         \
    const skn_row skn_row_of_##type = {sizeof(type), columns_of_##whole, columns, NULL};

static const skn_column one_number[] = {{.kind = SKN_COL_INT}};
static const skn_column one_text[] = {{.kind = SKN_COL_TEXT}};

const skn_row skn_row_of_number = {sizeof(int64_t), one_number, 1, NULL};
const skn_row skn_row_of_skein_str = {sizeof(skn_str), one_text, 1, NULL};

#define THING skein_world
ROW(skein_world, NULL, COL(id.v), COL(uid), COL(name), COL(description), COL(turn_limit),
    COL(compact_at), COL(current_chat.v), COL(current_chat_uid), COL(created_at), COL(settings))
#undef THING

#define THING skein_agent
ROW(skein_agent, NULL, COL(id.v), COL(uid), COL(world.v), COL(name), COL(system_prompt),
    COL(model), COL(lead.v), COL(lead_name), COL(settings), COL(created_at))
#undef THING

#define THING skein_tag
ROW(skein_tag, NULL, COL(name), COL(control), COL(instruction), COL(target),
    COL(include_in_message), SET(active))
#undef THING

/* A damaged column reads as no items: the other files must stay readable. */
static void finish_file(const skn_stmt *s, skn_arena *a, void *row)
{
    skein_context_file *f = row;
    skn_str             json = skn_stmt_text(s, 1);
    const skn_json     *v = NULL;

    if (!json.p || skn_json_parse(&v, json, "items", a, NULL))
        return;
    if (v->kind == SKN_JSON_OBJECT) {
        const skn_json *prompt = skn_json_get(v, "prompt");

        if (prompt && prompt->kind == SKN_JSON_STRING)
            f->prompt = skn_arena_copy(a, prompt->text);
        v = skn_json_get(v, "items");
    }
    if (!v || v->kind != SKN_JSON_ARRAY)
        return;
    f->items = SKN_ARRAY(a, v->count, skein_str);
    for (const skn_json *i = v->first; i; i = i->next)
        if (i->kind == SKN_JSON_STRING)
            f->items[f->item_count++] = skn_arena_copy(a, i->text);
}

#define THING skein_context_file
ROW(skein_context_file, finish_file, COL(path), SKIP)
#undef THING

/* An agent that was removed replies no more. */
static void finish_conversation(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_conversation_row *c = row;

    (void)s, (void)a;
    if (!c->expects.p)
        c->expects_id = 0;
}

#define THING skn_conversation_row
ROW(skn_conversation_row, finish_conversation, COL(id), COL(uid), COL(world_id), COL(agent_id),
    COL(agent_name), ENUM(mode, skn_modes), COL(title), COL(version_id), COL(branched_from_id),
    COL(created_at), COL(removed_at), SET(agent_gone), COL(expects_id), COL(expects),
    COL(read_only))
#undef THING

#define THING skn_lane_row
ROW(skn_lane_row, NULL, COL(id), COL(conversation_id), COL(key), COL(agent_id), COL(agent_name),
    COL(parent_id), COL(ordinal), COL(spawn_message_id), COL(spawn_call_id), COL(children),
    ENUM(state, skn_lane_states), COL(branched_from_id), SET(agent_gone))
#undef THING

#define THING skn_delegation_row
ROW(skn_delegation_row, NULL, COL(lane.id), COL(lane.conversation_id), COL(lane.key),
    COL(lane.agent_id), COL(lane.agent_name), SET(lane.agent_gone), COL(lane.parent_id),
    COL(parent_key), COL(lane.ordinal), COL(lane.spawn_message_id), COL(spawn_message_uid),
    COL(lane.spawn_call_id), ENUM(lane.state, skn_lane_states), COL(asker_id), COL(asker),
    SET(asker_gone), COL(turn_id), COL(waited), COL(told), COL(title), COL(created_at))
#undef THING

#define THING skn_version_row
ROW(skn_version_row, NULL, COL(id), COL(conversation_id), COL(number), COL(origin_id),
    COL(origin_number), COL(origin_length), COL(kind), COL(actor), COL(note), COL(created_at))
#undef THING

#define THING skein_version
ROW(skein_version, NULL, COL(number), COL(thread.v), COL(thread_uid), COL(length), COL(origin),
    COL(origin_thread_uid), COL(origin_length), COL(kind), COL(actor), COL(note), COL(current),
    COL(created_at))
#undef THING

#define THING skn_op_row
ROW(skn_op_row, NULL, COL(id), COL(kind), COL(from_version_id), COL(to_version_id),
    COL(newest_message_id), COL(undoes_id), COL(undone_by_id))
#undef THING

#define THING skn_thread_row
ROW(skn_thread_row, NULL, COL(id), COL(uid), COL(lane_id), COL(version_id), COL(origin_id),
    COL(origin_length), COL(root_id), COL(base_length), COL(compaction_id), COL(own_length),
    COL(version_number))
#undef THING

#define THING skn_item
ROW(skn_item, NULL, COL(seq), COL(message_id), COL(key))
#undef THING

#define THING skn_placement
ROW(skn_placement, NULL, COL(thread_id), COL(seq), COL(key), COL(lane_id), COL(conversation_id))
#undef THING

#define THING skn_placed
ROW(skn_placed, NULL, COL(message_id), COL(place.thread_id), COL(place.seq), COL(place.key),
    COL(place.lane_id), COL(place.conversation_id))
#undef THING

#define THING skn_compaction_row
ROW(skn_compaction_row, NULL, COL(id), COL(thread_id), COL(covers), COL(last_message_id),
    COL(summary_message_id), COL(previous_id))
#undef THING

#define THING skn_squash_row
ROW(skn_squash_row, NULL, COL(id), COL(conversation_id), COL(version_id),
    COL(result_message_id), COL(prompt), COL(model), COL(by_agent), COL(created_at))
#undef THING

#define THING                      skein_message
#define MESSAGE_TEXT(member)       COL(member),
#define MESSAGE_INT(member)        COL(member),
#define MESSAGE_ID(member)         COL(member),
#define MESSAGE_BOUND(kind, value) SKIP,
static const skn_column columns_of_skein_message[] = {COL(id.v),
#include "store/message.def"
                                                      SET(purged)};
const skn_row skn_row_of_skein_message = {sizeof(skein_message), columns_of_skein_message,
                                          sizeof columns_of_skein_message / sizeof(skn_column),
                                          skn_message_finish};
#undef THING

#define THING skn_link
ROW(skn_link, NULL, COL(id), COL(conversation_id), COL(depth), COL(uid))
#undef THING

#define THING skn_call_half
ROW(skn_call_half, NULL, COL(message_id), COL(is_result))
#undef THING

#define THING skn_copy
ROW(skn_copy, NULL, COL(message), COL(home))
#undef THING

#define THING skn_edge
ROW(skn_edge, NULL, COL(from), COL(to))
#undef THING

static void finish_head(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_head *h = row;

    (void)a;
    if (skn_stmt_null(s, 1))
        h->lineage = h->id;
    if (!skein_role_from(skn_stmt_text(s, 4), &h->role))
        h->role = SKEIN_SYSTEM;
}

#define THING skn_head
ROW(skn_head, finish_head, COL(id), COL(lineage), COL(conversation_id), COL(uid), SKIP)
#undef THING

#define THING skn_text
ROW(skn_text, NULL, COL(id), COL(text))
#undef THING

#define THING skn_search_row
ROW(skn_search_row, NULL, COL(id), COL(conversation), COL(hidden))
#undef THING

#define THING skn_delivery_row
ROW(skn_delivery_row, NULL, COL(id), COL(conversation_id), COL(agent_id), COL(message_id),
    COL(hops_left), COL(created_at), COL(cause), COL(model), COL(agent_name),
    ENUM(state, skn_delivery_states), SET(agent_gone), COL(message_uid), COL(lane_id),
    COL(task_id), SET(agent_paused), COL(error), COL(closed_at))
#undef THING

#define THING skein_due
ROW(skein_due, NULL, COL(delivery), COL(task), COL(chat.v), COL(agent.v), COL(model),
    COL(lane.v))
#undef THING

static void finish_turn(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_turn_row *r = row;

    (void)s, (void)a;
    r->turn.lease_until = r->lease_until;
}

#define THING skn_turn_row
ROW(skn_turn_row, finish_turn, COL(turn.id), COL(turn.uid), COL(turn.fence),
    ENUM(turn.state, skn_turn_states), COL(turn.world.v), COL(turn.world_name),
    COL(turn.chat.v), COL(turn.chat_uid), COL(turn.agent.v), COL(turn.agent_name),
    COL(turn.model), COL(turn.trigger_uid), COL(turn.cause), COL(turn.message_uid),
    COL(turn.hops_left), COL(turn.since), COL(delivery_id), COL(trigger_id), COL(lease_until),
    COL(open_calls), COL(step_message_id), COL(turn.lane.v), COL(turn.lane_key), COL(turn.task),
    ENUM(turn.mode, modes_of_work), COL(turn.tool), COL(turn.writing), COL(turn.inbox_uid),
    COL_AS(SMALL, turn.waits), COL(turn.waits_until), COL(turn.without_tools))
#undef THING

static void finish_waiting(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_waiting_row *r = row;
    skein_message    tags = {0};

    skn_instructions_read(skn_stmt_text(s, 9), a, &tags);
    r->instructions = tags.instructions;
    r->instruction_count = tags.instruction_count;
}

#define THING skn_waiting_row
ROW(skn_waiting_row, finish_waiting, COL(id), COL(conversation_id), COL(message.uid),
    COL(message.sender), COL(message.content), COL(message.reply_to), COL(message.client_id),
    COL(message.created_at), COL(model), SKIP)
#undef THING

#define THING skn_expected_row
ROW(skn_expected_row, NULL, COL(shown.state), COL(shown.created_at), COL(shown.asker),
    COL(shown.asked), COL(shown.message_uid), COL(shown.answer_uid), COL(id), COL(world_id),
    COL(asker_id), COL(asked_id), COL(message_id), COL(task_id))
ROW_PART(skein_expected, skn_expected_row, 6)
#undef THING

#define THING skn_task_row
ROW(skn_task_row, NULL, COL(task.id), COL(task.uid), COL(task.world.v), COL(task.agent.v),
    COL(task.agent_name), COL(task.assigned_by), COL(task.source), COL(task.content),
    COL(task.result), COL(task.last_error), COL(task.status), COL(task.attempts),
    COL(task.not_before), COL(task.created_at), COL(task.completed_at), COL(task.message_uid),
    COL(task.running), COL(task.waits), COL(task.inbox_uid), COL(task.waits_for),
    COL(task.question), COL(assigned_by_id), COL(message_id), COL(hops_left), COL(cause),
    COL(answer_id), COL(call_message_id))
ROW_PART(skein_task, skn_task_row, 21)
#undef THING

#define THING skn_timer_row
ROW(skn_timer_row, NULL, COL(agent), COL(every), COL(next))
#undef THING

/* Does somebody wait for the answer? */
static bool is_open(const skn_inbox_row *row, skn_str turn)
{
    const skein_inbox_item *i = &row->item;

    if (i->answer.p || i->done_at || row->removed || row->agent_gone)
        return false;
    if (skn_str_is(i->kind, "approval")) /* of a limit: for whoever comes to it */
        return row->turn_id == 0 || skn_str_is(turn, "open");
    return skn_str_is(i->kind, "question");
}

static void finish_inbox(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_inbox_row *r = row;

    (void)a;
    r->item.open = is_open(r, skn_stmt_text(s, 24));
}

#define THING skn_inbox_row
ROW(skn_inbox_row, finish_inbox, COL(item.id), COL(item.uid), COL(item.kind), COL(item.world.v),
    COL(item.world_name), COL(item.agent), COL(item.title), COL(item.content),
    COL(item.chat_uid), COL(item.message_uid), COL(item.work_chat_uid),
    COL(item.work_message_uid), COL(item.briefing_uid), COL(item.tool), COL(item.args),
    COL(item.answer), COL(item.read_at), COL(item.done_at), COL(item.snoozed_until),
    COL(item.created_at), COL(agent_id), COL(conversation_id), COL(work_message_id),
    COL(turn_id), SKIP, SET(agent_gone), SET(removed), COL(message_id), COL(item.result),
    COL(item.call_id), COL(item.task_uid), COL(begun_at), COL(item.reason), COL(definition_id),
    COL(item.definition_state), COL(definition_hash), COL(item.definition))
#undef THING

#define THING skn_knowledge_row
ROW(skn_knowledge_row, NULL, COL(item.uid), COL(item.type), COL(item.content),
    COL(item.confidence), COL(item.chat_uid), COL(item.message_uid), COL(item.created_at),
    COL(id))
ROW_PART(skein_knowledge, skn_knowledge_row, 7)
#undef THING

#define THING skn_call_row
ROW(skn_call_row, NULL, COL(call.uid), COL(call.world.v), COL(call.chat.v), COL(call.chat_uid),
    COL(call.agent.v), COL(call.agent_name), COL(call.turn), COL(call.message_uid),
    COL(call.purpose), COL(call.model), COL(call.state), COL(call.error), COL(call.tokens_in),
    COL(call.tokens_out), COL(call.estimated), COL(call.first_ms), COL(call.total_ms),
    COL(call.tries), COL(call.created_at), COL_AS(BLOB, request), COL(response),
    COL(call.made_of))
ROW_PART(skein_model_call, skn_call_row, 19)
#undef THING

#define THING skein_model_use
ROW(skein_model_use, NULL, COL(model), COL(tokens_in), COL(tokens_out))
#undef THING

#define THING skn_event_row
ROW(skn_event_row, NULL, COL(id), COL(world_id), COL(conversation_id), COL(version_id),
    COL(message_id), COL(at), COL(cause), COL(type), COL(data), COL(world), COL(chat_uid),
    COL(thread_uid))
#undef THING

#define THING skein_setting
ROW(skein_setting, NULL, COL(key), COL(value))
#undef THING

#define THING skein_kept_answer
ROW(skein_kept_answer, NULL, COL(key), COL(request), COL(status), COL(head), COL(body))
#undef THING

#define THING skein_edit_error
ROW(skein_edit_error, NULL, COL(uid), COL(chat.v), COL(chat_uid), COL(message_uid),
    COL(operation), COL(error), COL(at))
#undef THING

#define THING skein_audit_row
ROW(skein_audit_row, NULL, COL(id), COL(at), COL(who), COL(from), COL(what), COL(subject),
    COL(detail), COL(request_id))
#undef THING

#define THING skn_session
ROW(skn_session, NULL, COL(uid), COL(hash), COL(label), COL(peer_uid), COL(created_at),
    COL(expires_at))
#undef THING
/* --- What is read to be checked: views of the row ----------------------------------------------------- */

#define THING skn_check_counts
ROW(skn_check_counts, NULL, COL(messages), COL(threads), COL(nodes), COL(conversations),
    COL(warnings), COL(ahead))
#undef THING

static void finish_check_message(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_check_message *m = row;

    (void)a;
    m->hashed = !skn_stmt_null(s, 8);
}

#define THING skn_check_message
ROW(skn_check_message, finish_check_message, COL(id), COL(conversation), COL(uid), COL(purged),
    COL(indexed), COL(content), COL(calls), COL(instructions), COL(hash), COL(texts[0]),
    COL(texts[1]), COL(texts[2]), COL(texts[3]), COL(texts[4]), COL(texts[5]), COL(texts[6]),
    COL(texts[7]))
#undef THING

#define THING skn_check_call
ROW(skn_check_call, NULL, COL(conversation), COL(call_id), COL(message), COL(message_uid),
    COL(calls))
#undef THING

#define THING skn_check_item
ROW(skn_check_item, NULL, COL(thread), COL(seq), COL(message), COL(key), COL(conversation))
#undef THING

static const skn_column columns_of_place[] = {
#define THING skn_check_item
    COL(message), COL(thread), COL(seq), COL(key), COL(lane)
#undef THING
};
const skn_row skn_row_of_skn_check_place = {sizeof(skn_check_item), columns_of_place, 5, NULL};

#define THING skn_check_node
ROW(skn_check_node, NULL, COL(id), COL(conversation), COL(level), COL_AS(BLOB, entries))
#undef THING

#define THING skn_check_file
ROW(skn_check_file, NULL, COL(id), COL(path), COL(items))
#undef THING

#define THING skn_check_source
ROW(skn_check_source, NULL, COL(lane), COL(conversation), COL(branched_from), COL(own),
    COL(patches))
#undef THING

/* --- The verbs that are one statement --------------------------------------------------------------- */

#define INT                skn_bind_int
#define ID                 skn_bind_id
#define TEXT               skn_bind_text
#define BLOB               skn_bind_blob
#define WORD(words, value) skn_bind_word(&(words), value)
#define LIMIT              skn_bind_limit
#define NOTHING            SKN_NOTHING
#define SKN_PARAMS(...)    __VA_ARGS__

#define SKN_RUN(verb, in, ...)                                                                 \
    skein_rc skn_##verb(SKN_PARAMS in, skein_error *err)                                       \
    {                                                                                          \
        return skn_run(tx, SKN_Q_##verb, SKN_WITH(__VA_ARGS__), err);                          \
    }
#define SKN_RUN_MADE(verb, in, ...)                                                            \
    skein_rc skn_##verb(SKN_PARAMS in, skein_error *err)                                       \
    {                                                                                          \
        return skn_tx_made_uid(tx, skn_run(tx, SKN_Q_##verb, SKN_WITH(__VA_ARGS__), err));     \
    }
#define SKN_CHANGED(verb, in, ...)                                                             \
    skein_rc skn_##verb(SKN_PARAMS in, bool *changed, skein_error *err)                        \
    {                                                                                          \
        return skn_run_changed(tx, SKN_Q_##verb, SKN_WITH(__VA_ARGS__), changed, err);         \
    }
#define SKN_INSERT(verb, in, id, ...)                                                          \
    skein_rc skn_##verb(SKN_PARAMS in, skein_error *err)                                       \
    {                                                                                          \
        return skn_get_number(tx, SKN_Q_##verb, SKN_WITH(__VA_ARGS__), id, err);               \
    }
#define SKN_NUMBER(verb, in, ...)                                                              \
    skein_rc skn_##verb(SKN_PARAMS in, int64_t *out, skein_error *err)                         \
    {                                                                                          \
        return skn_get_number(tx, SKN_Q_##verb, SKN_WITH(__VA_ARGS__), out, err);              \
    }
#define SKN_YES(verb, in, ...)                                                                 \
    skein_rc skn_##verb(SKN_PARAMS in, bool *yes, skein_error *err)                            \
    {                                                                                          \
        int64_t  n;                                                                            \
        skein_rc rc = skn_get_number(tx, SKN_Q_##verb, SKN_WITH(__VA_ARGS__), &n, err);        \
                                                                                               \
        *yes = n > 0;                                                                          \
        return rc;                                                                             \
    }
#define SKN_ONE(verb, type, in, ...)                                                           \
    skein_rc skn_##verb(SKN_PARAMS in, skn_arena *a, type *out, bool *found, skein_error *err) \
    {                                                                                          \
        return skn_get_row(tx, SKN_Q_##verb, SKN_WITH(__VA_ARGS__), &skn_row_of_##type, a,     \
                           out, found, err);                                                   \
    }
#define ROWS(verb, row, list, in, before, ...)                                                 \
    skein_rc skn_##verb(SKN_PARAMS in, skn_arena *a, list *out, skein_error *err)              \
    {                                                                                          \
        skn_rows rows = before;                                                                \
        skein_rc rc = skn_get_rows(tx, SKN_Q_##verb, SKN_WITH(__VA_ARGS__), &skn_row_of_##row, \
                                   a, &rows, err);                                             \
                                                                                               \
        *out = (list){.at = rows.at, .count = rows.count};                                     \
        return rc;                                                                             \
    }
#define NO_ROWS                                                                                \
    (skn_rows)                                                                                 \
    {                                                                                          \
        0                                                                                      \
    }
#define SKN_ALL(verb, row, list, in, ...) ROWS(verb, row, list, in, NO_ROWS, __VA_ARGS__)
#define SKN_MORE(verb, row, list, in, ...)                                                     \
    ROWS(verb, row, list, in, SKN_ROWS(*out), __VA_ARGS__)
#define SKN_IDS(verb, in, ...) SKN_ALL(verb, number, skn_ids, in, __VA_ARGS__)

#include "store/verbs.def"
