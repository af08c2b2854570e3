/* test_arrange.c: tool calls and their results when messages are moved or put between them. */
#include "store/kit.h"

/* "one", a call and its result, "two", another call and its result, "three". */
typedef struct room {
    kit           k;
    skein_message one, call, result, two, call2, result2, three;
} room;

static void room_open(room *r, void **state)
{
    kit_open(&r->k, state);
    r->one = kit_say(&r->k, SKEIN_USER, "human", "one");
    r->call = kit_call(&r->k, "ada", "c1");
    r->result = kit_result(&r->k, "c1");
    r->two = kit_say(&r->k, SKEIN_USER, "human", "two");
    r->call2 = kit_call(&r->k, "bo", "c2");
    r->result2 = kit_result(&r->k, "c2");
    r->three = kit_say(&r->k, SKEIN_USER, "human", "three");
}

static void room_close(room *r)
{
    kit_valid(&r->k);
    kit_check(&r->k);
    kit_close(&r->k);
}

static const char *name_of(const room *r, int64_t id)
{
    const struct {
        const char *name;
        int64_t     id;
    } all[] = {{"one", r->one.id.v},    {"call", r->call.id.v},   {"result", r->result.id.v},
               {"two", r->two.id.v},    {"call2", r->call2.id.v}, {"result2", r->result2.id.v},
               {"three", r->three.id.v}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].id == id)
            return all[i].name;
    return "new";
}

/* The names of a lane's messages in order. */
static void lane_is(room *r, const char *lane, const char *names)
{
    skein_slice    s = {.conversation = r->k.chat.id, .lane = skein_text(lane)};
    skein_messages m;
    skein_at       at;
    char           got[200] = "";
    size_t         n = 0;

    KIT_OK(&r->k, skein_read(r->k.e, &s, r->k.mem, &m, &at, &r->k.err));
    for (size_t i = 0; i < m.count && n < sizeof got; i++)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s", i ? " " : "",
                              name_of(r, m.at[i].id.v));
    assert_string_equal(got, names);
}

static skein_rc move(room *r, const skein_message *const *what, size_t count,
                     skein_message_id before, skein_version *v)
{
    skein_message_id ids[4];

    for (size_t i = 0; i < count; i++)
        ids[i] = what[i]->id;
    return skein_reorder(r->k.e, &r->k.how, (skein_message_ids){ids, count}, before, r->k.mem,
                         v, &r->k.err);
}

#define MOVE(r, before, v, ...)                                                                \
    move(r, (const skein_message *const[]){__VA_ARGS__},                                       \
         sizeof((const skein_message *const[]){__VA_ARGS__}) / sizeof(void *), before, v)

static void a_moved_call_takes_its_result_along(void **state)
{
    room          r;
    skein_version v;

    room_open(&r, state);
    KIT_OK(&r.k, MOVE(&r, r.three.id, &v, &r.call));
    lane_is(&r, "main", "one two call2 result2 call result three");
    lane_is(&r, "@ada", "one two call2 call result three");
    assert_string_equal(v.note.p, "move 2");
    room_close(&r);
}

static void a_moved_result_takes_its_call_along(void **state)
{
    room          r;
    skein_version v;

    room_open(&r, state);
    KIT_OK(&r.k, MOVE(&r, r.one.id, &v, &r.result2));
    lane_is(&r, "main", "call2 result2 one call result two three");
    lane_is(&r, "@bo", "call2 result2 one call two three");
    room_close(&r);
}

static void an_exchange_stands_where_the_first_of_it_was_named(void **state)
{
    room          r;
    skein_version v;

    room_open(&r, state);
    KIT_OK(&r.k, MOVE(&r, ((skein_message_id){0}), &v, &r.two, &r.result, &r.one, &r.call));
    lane_is(&r, "main", "call2 result2 three two call result one");
    assert_string_equal(v.note.p, "move 4");
    room_close(&r);
}

static void nothing_is_moved_before_what_moves_with_it(void **state)
{
    room          r;
    skein_version v;

    room_open(&r, state);
    assert_int_equal(MOVE(&r, r.result.id, &v, &r.call), SKEIN_INVALID);
    assert_int_equal(MOVE(&r, r.call.id, &v, &r.one, &r.result), SKEIN_INVALID);
    assert_non_null(strstr(r.k.err.hint, "together"));
    lane_is(&r, "main", "one call result two call2 result2 three");
    room_close(&r);
}

static void a_move_between_a_call_and_its_result_says_so(void **state)
{
    room          r;
    skein_version v, read;

    room_open(&r, state);
    KIT_OK(&r.k, MOVE(&r, r.result.id, &v, &r.three));
    lane_is(&r, "main", "one call three result two call2 result2");
    assert_string_equal(v.note.p, "move 1, " SKEIN_NOTE_SPLITS);
    KIT_OK(&r.k, skein_version_get(r.k.e, r.k.chat.id, v.number, r.k.mem, &read, &r.k.err));
    assert_string_equal(read.note.p, v.note.p);
    KIT_OK(&r.k, MOVE(&r, r.call.id, &v, &r.two)); /* before the call it is not between */
    assert_string_equal(v.note.p, "move 1");
    room_close(&r);
}

static void an_insertion_between_a_call_and_its_result_says_so(void **state)
{
    room              r;
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("new")};
    skein_version     v;
    skein_message     made;

    room_open(&r, state);
    KIT_OK(&r.k, skein_insert(r.k.e, &r.k.how, r.result2.id, &m, r.k.mem, &v, &made, &r.k.err));
    lane_is(&r, "main", "one call result two call2 new result2 three");
    assert_non_null(strstr(v.note.p, SKEIN_NOTE_SPLITS));
    KIT_OK(&r.k, skein_insert(r.k.e, &r.k.how, r.call.id, &m, r.k.mem, &v, &made, &r.k.err));
    assert_null(strstr(v.note.p, SKEIN_NOTE_SPLITS));
    KIT_OK(&r.k, skein_insert(r.k.e, &r.k.how, (skein_message_id){0}, &m, r.k.mem, &v, &made,
                              &r.k.err));
    assert_null(strstr(v.note.p, SKEIN_NOTE_SPLITS));
    room_close(&r);
}

static void a_result_whose_call_is_gone_is_split_from_nothing(void **state)
{
    room              r;
    skein_new_message m = {
        .role = SKEIN_TOOL, .content = skein_text("found"), .tool_call_id = skein_text("c9")};
    skein_append_request q = {.messages = &m, .count = 1, .import = true};
    skein_messages       orphan;
    skein_version        v;

    room_open(&r, state);
    q.conversation = r.k.chat.id;
    KIT_OK(&r.k, skein_append(r.k.e, &q, r.k.mem, &orphan, &r.k.err));
    KIT_OK(&r.k, MOVE(&r, orphan.at[0].id, &v, &r.one));
    assert_string_equal(v.note.p, "move 1");
    room_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_moved_call_takes_its_result_along),
        SKN_BOTH(a_moved_result_takes_its_call_along),
        SKN_BOTH(an_exchange_stands_where_the_first_of_it_was_named),
        SKN_BOTH(nothing_is_moved_before_what_moves_with_it),
        SKN_BOTH(a_move_between_a_call_and_its_result_says_so),
        SKN_BOTH(an_insertion_between_a_call_and_its_result_says_so),
        SKN_BOTH(a_result_whose_call_is_gone_is_split_from_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
