/* store_message.c: rows of messages. Tool calls and instructions are JSON inside the row: they are
 * only ever read together with it. */
#include "store/stmt.h"

static const char *const author_names[] = {"human", "agent", "tool", "system"};

static skein_author author_of(skn_str name)
{
    for (size_t i = 0; i < sizeof author_names / sizeof *author_names; i++)
        if (skn_str_is(name, author_names[i]))
            return (skein_author)i;
    return SKEIN_BY_SYSTEM;
}

/* --- Calls and instructions as JSON ----------------------------------------------------------- */

skn_str skn_calls_json(const skein_tool_call *calls, size_t count, skn_buf *buf)
{
    skn_jw w;

    if (count == 0)
        return SKN_NONE;
    skn_jw_init(&w, buf);
    skn_jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        skn_jw_object(&w);
        skn_jw_kstr(&w, "id", calls[i].call_id);
        skn_jw_kstr(&w, "name", calls[i].tool_name);
        skn_jw_kraw(&w, "args", calls[i].args.n ? calls[i].args : SKN_STR("{}"));
        skn_jw_object_end(&w);
    }
    skn_jw_array_end(&w);
    return skn_buf_str(buf);
}

skn_str skn_instructions_json(const skein_instruction *list, size_t count, skn_buf *buf)
{
    skn_jw w;

    if (count == 0)
        return SKN_NONE;
    skn_jw_init(&w, buf);
    skn_jw_array(&w);
    for (size_t i = 0; i < count; i++) {
        skn_jw_object(&w);
        skn_jw_kstr(&w, "type", list[i].type);
        skn_jw_kgiven(&w, "target", list[i].target);
        skn_jw_object_end(&w);
    }
    skn_jw_array_end(&w);
    return skn_buf_str(buf);
}

static skn_str member(const skn_json *v, const char *key, skn_arena *a)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_STRING ? skn_arena_copy(a, m->text) : SKN_NONE;
}

/* A damaged column reads as no calls: the rest of the message must stay readable. */
static void read_calls(skn_str json, skn_arena *a, skein_message *m)
{
    const skn_json *v = NULL;
    size_t          n = 0;

    if (!json.p || skn_json_parse(&v, json, "calls", a, NULL) || v->kind != SKN_JSON_ARRAY)
        return;
    m->calls = SKN_ARRAY(a, v->count, skein_tool_call);
    for (const skn_json *c = v->first; c; c = c->next) {
        const skn_json *args = skn_json_get(c, "args");
        skein_tool_call call = {member(c, "id", a), member(c, "name", a),
                                args ? skn_arena_copy(a, args->raw) : SKN_STR("{}")};

        if (call.call_id.p && call.tool_name.p)
            m->calls[n++] = call;
    }
    m->call_count = n;
}

static void read_instructions(skn_str json, skn_arena *a, skein_message *m)
{
    const skn_json *v = NULL;
    size_t          n = 0;

    if (!json.p || skn_json_parse(&v, json, "instructions", a, NULL) ||
        v->kind != SKN_JSON_ARRAY)
        return;
    m->instructions = SKN_ARRAY(a, v->count, skein_instruction);
    for (const skn_json *c = v->first; c; c = c->next) {
        skein_instruction in = {member(c, "type", a), member(c, "target", a)};

        if (in.type.p)
            m->instructions[n++] = in;
    }
    m->instruction_count = n;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* The id is filled in. */
static skein_rc insert_row(skn_tx *tx, skein_message *m, skn_str calls, skn_str instructions,
                           skein_error *err)
{
    const skn_said said = {m->content, m->thinking, calls, instructions};
#define MESSAGE_TEXT(column, member, ...)       TEXT(m->member),
#define MESSAGE_INT(column, member, ...)        INT(m->member),
#define MESSAGE_ID(column, member, ...)         ID(m->member),
#define MESSAGE_BOUND(column, bind, value, ...) skn_bind_##bind(value),
    const skn_bind row[] = {
#include "store/message.def"
        INT(skn_message_hash(&said)), NOTHING};

    _Static_assert(sizeof row <= SKN_STMT_PARAMS * sizeof *row, "a statement has room for it");
    return skn_get_number(tx, SKN_Q_message_insert, row, &m->id.v, err);
}

static skein_rc insert_half(skn_tx *tx, const skein_message *m, skn_str call_id, bool is_result,
                            skein_error *err)
{
    return skn_run(tx,
                   SKN_SQL(message_calls_insert, INT(m->born_in.v), TEXT(call_id), INT(m->id.v),
                           INT(is_result)),
                   err);
}

static skein_rc insert_halves(skn_tx *tx, const skein_message *m, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    if (m->tool_call_id.p)
        rc = insert_half(tx, m, m->tool_call_id, true, err);
    for (size_t i = 0; rc == SKEIN_OK && i < m->call_count; i++)
        rc = insert_half(tx, m, m->calls[i].call_id, false, err);
    return rc;
}

/* A message carries files of its own world alone. */
static skein_rc carry_files(skn_tx *tx, const skein_message *m, skn_arena *a, skein_error *err)
{
    const skn_json *list;
    bool            there;
    skein_rc        rc;

    if ((rc = skn_json_parse(&list, m->files, "the list of files", a, err)) ||
        (rc = skn_pieces_share(tx, err)))
        return rc;
    if (list->kind != SKN_JSON_ARRAY)
        return skn_fail(err, SKEIN_INVALID, "the list of files is not a list");
    for (const skn_json *f = list->first; f; f = f->next) {
        skn_str id = member(f, "id", a);

        if ((rc = skn_carried_put(tx, m, id, &there, err)))
            return rc;
        if (!there)
            return skn_fail_hint(err, SKEIN_NOT_FOUND,
                                 "A file that no message carries is removed after a day: send "
                                 "it again.",
                                 "this world has no file \"%.*s\"",
                                 SKN_FMT(skn_str_sub(id, 0, 64)));
    }
    return SKEIN_OK;
}

/* What is given back may live longer than what the caller put in. */
static void keep_texts(skein_message *m, skn_arena *a)
{
    skein_tool_call *calls = SKN_ARRAY(a, m->call_count, skein_tool_call);

#define MESSAGE_TEXT(column, member, ...) m->member = skn_arena_copy(a, m->member);
#include "store/message.def"
    for (size_t i = 0; i < m->call_count; i++)
        calls[i] = (skein_tool_call){skn_arena_copy(a, m->calls[i].call_id),
                                     skn_arena_copy(a, m->calls[i].tool_name),
                                     skn_arena_copy(a, m->calls[i].args)};
    m->calls = calls;
    for (size_t i = 0; i < m->instruction_count; i++) {
        m->instructions[i].type = skn_arena_copy(a, m->instructions[i].type);
        m->instructions[i].target = skn_arena_copy(a, m->instructions[i].target);
    }
}

skein_rc skn_message_insert(skn_tx *tx, skein_message *m, skn_arena *a, skein_error *err)
{
    bool     made = !m->uid.p;
    char     uid[11];
    skn_buf  calls, instructions;
    skein_rc rc;

    if (made) {
        skn_store_uid(tx->store, uid);
        m->uid = skn_arena_copy(a, skn_str_of(uid));
    }
    if (!m->content.p)
        m->content = SKN_STR("");
    skn_buf_init(&calls, SIZE_MAX / 2);
    skn_buf_init(&instructions, SIZE_MAX / 2);
    rc = insert_row(tx, m, skn_calls_json(m->calls, m->call_count, &calls),
                    skn_instructions_json(m->instructions, m->instruction_count, &instructions),
                    err);
    if (rc != SKEIN_OK && made)
        rc = skn_tx_made_uid(tx, rc);
    if (m->version_of.v == 0)
        m->lineage = m->id;
    skn_buf_release(&calls);
    skn_buf_release(&instructions);
    if (rc)
        return rc;
    keep_texts(m, a);
    rc = insert_halves(tx, m, err);
    return rc || !m->files.p ? rc : carry_files(tx, m, a, err);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* A number that nobody writes is no reason to lose the text. */
static skein_unfinished unfinished_of(int64_t n)
{
    return n < SKEIN_WHOLE || n > SKEIN_REPEATED ? SKEIN_CUT : (skein_unfinished)n;
}

/* Columns of a row behind the id. */
enum {
    AT_id,
#define MESSAGE_ROW(column, ...) AT_##column,
#define MESSAGE_ARCHIVED(column, sql, ...)
#include "store/message.def"
};

void skn_message_finish(const skn_stmt *s, skn_arena *a, void *row)
{
    skein_message *m = row;

    m->position = -1;
    if (!skein_role_from(skn_stmt_text(s, AT_role), &m->role))
        m->role = SKEIN_SYSTEM;
    m->author = author_of(skn_stmt_text(s, AT_author));
    read_calls(skn_stmt_text(s, AT_calls), a, m);
    read_instructions(skn_stmt_text(s, AT_instructions), a, m);
    m->lineage.v = skn_stmt_null(s, AT_lineage_id) ? m->id.v : skn_stmt_int(s, AT_lineage_id);
    m->unfinished = unfinished_of(skn_stmt_int(s, AT_stopped));
}

/* An erased message calls nothing any more, so nothing pairs with it. */
static skein_rc forget_calls(skn_tx *tx, const skein_message *m, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < m->call_count; i++)
        rc = skn_run(tx,
                     SKN_SQL(message_calls_forget, INT(m->born_in.v), TEXT(m->calls[i].call_id),
                             INT(m->id.v)),
                     err);
    return rc;
}

skein_rc skn_message_erase(skn_tx *tx, int64_t id, int64_t now, skn_arena *a, bool *erased,
                           skein_error *err)
{
    skein_message m = {0};
    bool          found;
    skein_rc      rc;

    if ((rc = skn_message_get(tx, id, a, &m, &found, err)) ||
        (rc = forget_calls(tx, &m, err)) ||
        (rc = skn_run_changed(tx, SKN_SQL(message_erase, INT(now), INT(id)), erased, err)))
        return rc;
    return skn_run(tx, SKN_SQL(squash_erase, INT(id)), err);
}

skein_rc skn_message_range(skn_tx *tx, int64_t thread, int64_t from, int64_t to, skn_arena *a,
                           skn_message_sink *sink, void *arg, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, SKN_SQL(message_range, INT(thread), INT(from), INT(to)));
    skein_message m;
    bool          row;
    skein_rc      rc;

    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        if ((rc = skn_stmt_row(&s, &skn_row_of_skein_message, a, &m, err)))
            break;
        m.position = skn_stmt_int(&s, skn_row_of_skein_message.count);
        if ((rc = sink(arg, &m, err)))
            break;
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_message_many(skn_tx *tx, const skn_ids *ids, skn_arena *a, skein_messages *out,
                          skein_error *err)
{
    skn_rows rows = {0};
    skein_rc rc = SKEIN_OK;

    if (ids->count)
        rc = skn_get_rows(tx, SKN_SQL(message_many, TEXT(skn_number_list(ids, a))),
                          &skn_row_of_skein_message, a, &rows, err);
    *out = (skein_messages){.at = rows.at, .count = rows.count};
    return rc;
}

/* Texts of messages that stand in other rows too, or in other messages. */

skein_rc skn_copy_hold(skn_tx *tx, int64_t source, skein_error *err)
{
    return source ? skn_run(tx, SKN_SQL(copy_hold, INT(source)), err) : SKEIN_OK;
}

skein_rc skn_copy_add(skn_tx *tx, int64_t message, int64_t source, skein_error *err)
{
    return source ? skn_run(tx, SKN_SQL(copy_insert, INT(message), INT(source)), err)
                  : SKEIN_OK;
}

skein_rc skn_copies_erase(skn_tx *tx, const skn_ids *messages, skn_arena *a, skein_error *err)
{
    static const enum skn_query all[] = {
        SKN_Q_copies_result_of_many,    SKN_Q_copies_answer_of_many,
        SKN_Q_copies_task_of_many,      SKN_Q_copies_inbox_of_many,
        SKN_Q_copies_knowledge_of_many, SKN_Q_copies_title_of_many};
    const skn_bind *with = SKN_WITH(TEXT(skn_number_list(messages, a)));
    skein_rc        rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < sizeof all / sizeof all[0]; i++)
        rc = skn_run(tx, all[i], with, err);
    return rc;
}
