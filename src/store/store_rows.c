/* store_rows.c: how the columns of statements become structs, and the verbs that are one statement. */
#include "store/stmt.h"

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
    return TEXT(skn_str_of(skn_enum_name(&words->names, (int)value)));
}

static skein_rc word_value(const skn_state_words *words, skn_str word, int *out,
                           skein_error *err)
{
    if (skn_enum_from(&words->names, word, out))
        return SKEIN_OK;
    *out = words->other;
    if (words->other >= 0)
        return SKEIN_OK;
    return skn_fail(err, SKEIN_DAMAGED, "\"%.*s\" is not a state that work can have",
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
    if (a && skn_arena_crowded(a))
        return skn_no_memory(err);
    for (int i = 0; i < of->count && !rc; i++)
        rc = read_column(s, i, &of->columns[i], a, (char *)out + of->columns[i].offset, err);
    if (of->finish && !rc)
        of->finish(s, a, out);
    return rc;
}

skein_rc skn_get_columns(skn_tx *tx, enum skn_query query, const skn_bind *with,
                         const skn_into *into, skn_arena *a, bool *found, skein_error *err)
{
    static const size_t sizes[] = {[SKN_COL_INT] = sizeof(int64_t),
                                   [SKN_COL_SMALL] = sizeof(int),
                                   [SKN_COL_FLAG] = sizeof(bool),
                                   [SKN_COL_TEXT] = sizeof(skn_str),
                                   [SKN_COL_BLOB] = sizeof(skn_str)};
    skn_stmt            s = skn_stmt_with(tx, query, with);
    skein_rc            rc = skn_stmt_step(&s, found, err);

    for (int i = 0; into[i].to; i++)
        if (rc == SKEIN_OK && *found)
            rc = read_column(&s, i, &(skn_column){.kind = into[i].kind}, a, into[i].to, err);
        else
            memset(into[i].to, 0, sizes[into[i].kind]);
    skn_stmt_done(&s);
    return rc;
}

/* --- The columns of each struct --------------------------------------------------------------------- */

/* THING is the struct. A member's type says how it is read. */
#define COL(member)                                                                            \
    {                                                                                          \
        .kind = SKN_KIND_OF(((THING *)0)->member), .offset = offsetof(THING, member)           \
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
#define ROW(name, complete, ...)                                                                \
    static const skn_column columns_of_##name[] = {__VA_ARGS__};                                \
    const skn_row           skn_row_of_##name = {sizeof(THING), columns_of_##name,              \
                                                 sizeof columns_of_##name / sizeof(skn_column), \
                                                 complete};
/* A row begins with the columns of its first member: the list that people see has no more. */
#define ROW_PART(type, whole, columns)                                                         \
    const skn_row skn_row_of_##type = {sizeof(type), columns_of_##whole, columns, NULL};

static const skn_column one_number[] = {{.kind = SKN_COL_INT}};
static const skn_column one_text[] = {{.kind = SKN_COL_TEXT}};

const skn_row skn_row_of_number = {sizeof(int64_t), one_number, 1, NULL};
const skn_row skn_row_of_skein_str = {sizeof(skn_str), one_text, 1, NULL};

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

/* An agent that was removed replies no more. */
static void finish_conversation(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_conversation_row *c = row;

    (void)s, (void)a;
    if (!c->expects.p)
        c->expects_id = 0;
}

#define THING                                   skein_message
#define MESSAGE_TEXT(column, member, ...)       COL(member),
#define MESSAGE_INT(column, member, ...)        COL(member),
#define MESSAGE_BOUND(column, bind, value, ...) SKIP,
#define MESSAGE_SEEN(column, member, ...)       SET(member),
static const skn_column columns_of_skein_message[] = {
    COL(id.v),
#include "store/message.def"
};
const skn_row skn_row_of_skein_message = {sizeof(skein_message), columns_of_skein_message,
                                          sizeof columns_of_skein_message / sizeof(skn_column),
                                          skn_message_finish};
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

static void finish_turn(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_turn_row *r = row;

    (void)s, (void)a;
    r->turn.lease_until = r->lease_until;
}

/* Does somebody wait for the answer? */
static bool is_open(const skn_inbox_row *row, skn_str turn)
{
    const skein_inbox_item *i = &row->item;

    if (i->answer.p || i->done_at || row->removed || row->agent_gone)
        return false;
    if (skn_str_is(i->kind, "approval")) /* of a limit: for all that reach it */
        return row->turn_id == 0 || skn_str_is(turn, "open");
    return skn_str_is(i->kind, "question");
}

static void finish_inbox(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_inbox_row *r = row;

    (void)a;
    r->item.open = is_open(r, skn_stmt_text(s, 24));
}

static void finish_check_message(const skn_stmt *s, skn_arena *a, void *row)
{
    skn_check_message *m = row;

    (void)a;
    m->hashed = !skn_stmt_null(s, 8);
}

#include "store/columns.def"

/* --- The verbs that are one statement --------------------------------------------------------------- */

#define SKN_PARAMS(...) __VA_ARGS__

#define SKN_RUN(verb, in, ...)                                                                 \
    skein_rc skn_##verb(SKN_PARAMS in, skein_error *err)                                       \
    {                                                                                          \
        return skn_run(tx, SKN_SQL(verb, __VA_ARGS__), err);                                   \
    }
#define SKN_RUN_MADE(verb, in, ...)                                                            \
    skein_rc skn_##verb(SKN_PARAMS in, skein_error *err)                                       \
    {                                                                                          \
        return skn_tx_made_uid(tx, skn_run(tx, SKN_SQL(verb, __VA_ARGS__), err));              \
    }
#define SKN_CHANGED(verb, in, ...)                                                             \
    skein_rc skn_##verb(SKN_PARAMS in, bool *changed, skein_error *err)                        \
    {                                                                                          \
        return skn_run_changed(tx, SKN_SQL(verb, __VA_ARGS__), changed, err);                  \
    }
#define SKN_INSERT(verb, in, id, ...)                                                          \
    skein_rc skn_##verb(SKN_PARAMS in, skein_error *err)                                       \
    {                                                                                          \
        return skn_get_number(tx, SKN_SQL(verb, __VA_ARGS__), id, err);                        \
    }
#define SKN_INSERT_MADE(verb, in, prefix, uid, id, ...)                                        \
    skein_rc skn_##verb(SKN_PARAMS in, skn_arena *a, skein_error *err)                         \
    {                                                                                          \
        uid = skn_made_uid(tx, a, prefix);                                                     \
        return skn_tx_made_uid(tx, skn_get_number(tx, SKN_SQL(verb, __VA_ARGS__), id, err));   \
    }
#define SKN_COLUMNS(verb, in, into, ...)                                                       \
    skein_rc skn_##verb(SKN_PARAMS in, bool *found, skein_error *err)                          \
    {                                                                                          \
        return skn_get_columns(tx, SKN_SQL(verb, __VA_ARGS__), SKN_INTO(SKN_PARAMS into), a,   \
                               found, err);                                                    \
    }
#define SKN_NUMBER(verb, in, ...)                                                              \
    skein_rc skn_##verb(SKN_PARAMS in, int64_t *out, skein_error *err)                         \
    {                                                                                          \
        return skn_get_number(tx, SKN_SQL(verb, __VA_ARGS__), out, err);                       \
    }
#define SKN_YES(verb, in, ...)                                                                 \
    skein_rc skn_##verb(SKN_PARAMS in, bool *yes, skein_error *err)                            \
    {                                                                                          \
        int64_t  n;                                                                            \
        skein_rc rc = skn_get_number(tx, SKN_SQL(verb, __VA_ARGS__), &n, err);                 \
                                                                                               \
        *yes = n > 0;                                                                          \
        return rc;                                                                             \
    }
#define SKN_ONE(verb, type, in, ...)                                                           \
    skein_rc skn_##verb(SKN_PARAMS in, skn_arena *a, type *out, bool *found, skein_error *err) \
    {                                                                                          \
        return skn_get_row(tx, SKN_SQL(verb, __VA_ARGS__), &skn_row_of_##type, a, out, found,  \
                           err);                                                               \
    }
#define ROWS(verb, row, list, in, before, ...)                                                 \
    skein_rc skn_##verb(SKN_PARAMS in, skn_arena *a, list *out, skein_error *err)              \
    {                                                                                          \
        skn_rows rows = before;                                                                \
        skein_rc rc = skn_get_rows(tx, SKN_SQL(verb, __VA_ARGS__), &skn_row_of_##row, a,       \
                                   &rows, err);                                                \
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
