/* Streams of events: what a client gets when it comes, and what it does not get. */
#include "unit/hub_kit.h"

static const skn_stream_filter all;

/* --- Opening ------------------------------------------------------------------------------------ */

static void the_first_bytes_come_at_once(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    assert_string_equal(conn->out.p, "retry: 1000\n\n");
    lab_settle();
    came(conn, "stream.open ");
    assert_true(has(conn, "{\"lastEventId\":0,\"serverTime\":\""));
    assert_true(has(conn, "\"version\":\"9.9.9\"}"));
    finish(conn);
    lab_close();
}

static void a_new_stream_gets_only_what_is_new(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    lab_commit(1, "message.created", "", "{\"messageId\":\"m1\"}");
    conn = lab_stream(all, -1); /* the hub has not read that one yet */
    lab_settle();
    lab_commit(1, "message.created", "", "{\"messageId\":\"m2\"}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    came(conn, "stream.open message.created#3 ");
    assert_true(has(conn, "{\"lastEventId\":2,"));
    finish(conn);
    lab_close();
}

static void a_stream_that_comes_back_gets_what_it_missed(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    for (int i = 0; i < 6; i++)
        lab_commit(1, "chat.updated", "", "{\"n\":%d}", i);
    conn = lab_stream(all, 2);
    lab_settle();
    came(conn, "stream.open stream.resume chat.updated#3 chat.updated#4 chat.updated#6 "
               "chat.updated#7 chat.updated#8 ");
    assert_true(has(conn, "{\"from\":2,\"to\":8,\"count\":5}"));
    assert_true(has(conn, "{\"lastEventId\":2,"));
    finish(conn);
    lab_close();
}

static void a_long_past_comes_in_pages_and_in_order(void **state)
{
    skn_conn  *conn;
    skn_buf    list;
    sse_reader r;
    size_t     steps = 0, most = 0;

    (void)state;
    lab_open();
    for (int i = 0; i < 3000; i++)
        lab_commit(1, "chat.updated", "", "{\"fill\":\"%0400d\"}", i);
    conn = lab_stream(all, 0);
    lab_settle();
    while (conn->taken < conn->out.n) { /* it is not read faster than the client takes it */
        size_t unsent = conn->out.n - conn->taken;

        most = unsent > most ? unsent : most;
        conn_take(conn, 50000);
        lab_wait(20);
        steps++;
    }
    assert_true(steps > 20 && most < 800000);
    skn_buf_init(&list, 1 << 20);
    sse_reader_init(&r, list_frame, &list);
    sse_feed(&r, skn_buf_str(&conn->out));
    assert_true(skn_str_starts(skn_buf_str(&list), SKN_STR("stream.open stream.resume ")));
    assert_int_equal(count_of(conn, "chat.updated"), 3000);
    assert_true(
        skn_str_ends(skn_buf_str(&list), SKN_STR(" chat.updated#3999 chat.updated#4000 ")));
    sse_reader_release(&r);
    skn_buf_release(&list);
    finish(conn);
    lab_close();
}

static void a_stream_catches_up_past_what_it_does_not_want(void **state)
{
    skn_stream_filter chat = {.world = {1}, .chat = {2}};
    skn_conn         *conn;
    int               steps = 0;

    (void)state;
    lab_open();
    for (int i = 0; i < 600; i++)
        lab_commit(1, "chat.updated", "", "{}");
    lab_wait(1000); /* the hub has passed on more than it keeps */
    conn = lab_stream(chat, 0);
    while (lab_step())
        steps++;
    assert_true(steps < 10);
    lab_commit(2, "chat.updated", "", "{}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    came(conn, "stream.open stream.resume chat.updated#802 ");
    finish(conn);
    lab_close();
}

/* What is kept in memory for streams that catch up was read before the erasure. */
static void what_was_erased_since_is_told_to_nobody(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    for (int i = 0; i < 300; i++)
        lab_commit(1, "message.created", "", "{\"content\":\"%s\"}", i < 290 ? "" : "secret");
    lab_wait(1000);
    for (size_t i = 290; i < lab.event_count; i++)
        snprintf(lab.events[i].data, sizeof lab.events[i].data, "{\"content\":\"\"}");
    lab_commit(1, "chat.updated", "", "{\"id\":\"c_1\",\"purged\":10}");
    lab_wait(1000);
    conn = lab_stream(all, 0); /* more than one page of the store */
    lab_settle();
    assert_int_equal(count_of(conn, "message.created"), 300);
    assert_int_equal(count_of(conn, "chat.updated"), 1);
    assert_false(has(conn, "secret"));
    finish(conn);
    lab_close();
}

static void what_is_too_old_or_unknown_is_a_reset(void **state)
{
    skn_stream_filter world = {.world = {1}}, chat = {.world = {1}, .chat = {1}};
    skn_conn         *old, *unknown;

    (void)state;
    lab_open();
    lab_commit(1, "chat.updated", "", "{}");
    lab_commit(1, "chat.updated", "", "{}");
    lab_commit(1, "chat.updated", "", "{}");
    lab.forgotten = 3;
    old = lab_stream(world, 2);
    unknown = lab_stream(chat, 5);
    lab_settle();
    lab_commit(1, "chat.updated", "", "{}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    came(old, "stream.open stream.reset chat.updated#6 ");
    came(unknown, "stream.open stream.reset chat.updated#6 ");
    assert_true(has(old, "{\"reason\":\"too old\",\"snapshot\":\"/worlds/a%20world\","
                         "\"lastEventId\":4}"));
    assert_true(has(unknown, "{\"reason\":\"unknown\",\"snapshot\":"
                             "\"/worlds/a%20world/chats/c_1/messages\","));
    finish(old);
    finish(unknown);
    lab_close();
}

static void the_oldest_that_is_not_forgotten_can_be_continued_from(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    lab_commit(1, "chat.updated", "", "{}");
    lab_commit(1, "chat.updated", "", "{}");
    lab.forgotten = 2;
    conn = lab_stream(all, 2);
    lab_settle();
    came(conn, "stream.open stream.resume chat.updated#3 ");
    finish(conn);
    lab_close();
}

/* --- Choosing ----------------------------------------------------------------------------------- */

static void a_stream_gets_what_it_asked_for(void **state)
{
    skn_stream_filter filter[] = {{.world = {2}},
                                  {.chat = {7}},
                                  {.types = SKN_STR("message,thread.cre,world.idle")},
                                  {.types = SKN_STR("mess")}};
    const char *const live[] = {"stream.open ", "stream.open thread.created#4 ",
                                "stream.open message.created#2 world.idle#6 ", "stream.open "};
    skn_conn         *conn[4];

    (void)state;
    lab_open();
    for (int i = 0; i < 4; i++)
        conn[i] = lab_stream(filter[i], -1);
    lab_settle();
    lab_commit(1, "message.created", "", "{\"messageId\":\"m1\"}");
    lab_commit(0, "messages.x", "", "{}");
    lab_commit(7, "thread.created", "", "{}");
    lab_commit(1, "world.idle", "", "{}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    for (int i = 0; i < 4; i++) {
        came(conn[i], live[i]);
        finish(conn[i]);
    }
    lab_close();
}

static void the_stream_of_a_cause_ends_with_it(void **state)
{
    skn_stream_filter filter = {.world = {1}, .chat = {1}, .cause = SKN_STR("q1")};
    skn_conn         *live, *late;

    (void)state;
    lab_open();
    lab_commit(1, "world.idle", "q0", "{}"); /* of what was before */
    live = lab_stream(filter, 0);
    lab_settle();
    lab_commit(1, "message.created", "", "{\"messageId\":\"q1\"}");
    lab_commit(1, "message.created", "", "{\"messageId\":\"q2\"}");
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m1\"}");
    lab_commit(1, "world.idle", "q2", "{}"); /* of another, in the same chat */
    lab_commit(1, "message.completed", "q1", "{\"messageId\":\"m1\"}");
    lab_commit(1, "world.idle", "q1", "{}");
    lab_commit(1, "message.created", "q1", "{}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    late = lab_stream(filter, 0);
    lab_settle();
    came(live, "stream.open message.created#3 message.started#6 message.completed#8 "
               "world.idle#10 ");
    came(late, "stream.open message.created#3 message.started#6 message.completed#8 "
               "world.idle#10 ");
    assert_true(live->ended && late->ended);
    finish(live);
    finish(late);
    lab_close();
}

static void a_cause_that_nobody_answers_ends_at_once(void **state)
{
    skn_stream_filter filter = {
        .world = {1}, .chat = {1}, .cause = SKN_STR("q1"), .idle = true};
    skn_conn *conn;

    (void)state;
    lab_open();
    lab_commit(1, "message.created", "", "{\"messageId\":\"q1\"}");
    conn = lab_stream(filter, 0);
    lab_settle();
    came(conn, "stream.open message.created#2 world.idle ");
    assert_true(conn->ended);
    finish(conn);
    lab_close();
}

/* --- Closing, waiting --------------------------------------------------------------------------- */

static void streams_are_told_that_the_server_goes(void **state)
{
    skn_conn *conn[3];
    bool      done = false;
    int64_t   retry;

    (void)state;
    lab_open();
    for (int i = 0; i < 3; i++)
        conn[i] = lab_stream(all, -1);
    lab_settle();
    conn_take(conn[0], SIZE_MAX);
    conn_take(conn[1], SIZE_MAX);
    skn_hub_close(lab.http.hub, closed, &done);
    came(conn[0], "stream.open server.notice ");
    assert_true(has(conn[0], "{\"reason\":\"shutting down\",\"inMs\":0}"));
    retry = strtoll(strstr(conn[0]->out.p + 5, "retry: ") + 7, NULL, 10);
    assert_in_range(retry, 1000, 5000);
    conn_take(conn[0], SIZE_MAX);
    conn_take(conn[1], SIZE_MAX);
    lab_wait(900);
    assert_false(done); /* the third takes nothing */
    lab_wait(2000);
    assert_true(done);
    for (int i = 0; i < 3; i++)
        lab_conn_free(conn[i]);
    skn_hub_free(lab.http.hub);
    assert_int_equal(lab.shared + lab.calls, 0);
}

typedef struct waiter {
    int  calls;
    bool late;
} waiter;

static void waited(void *arg, bool late)
{
    waiter *w = arg;

    w->calls++;
    w->late = late;
}

static void a_wait_ends_with_its_cause_or_with_time(void **state)
{
    waiter idle = {.calls = 0}, late = {.calls = 0}, other = {.calls = 0};

    (void)state;
    lab_open();
    skn_hub_wait(lab.http.hub, SKN_STR("q1"), 1000, waited, &idle);
    skn_hub_wait(lab.http.hub, SKN_STR("q2"), 1000, waited, &late);
    skn_hub_wait(lab.http.hub, SKN_STR("q1"), 1000, waited, &other);
    skn_hub_wait_end(lab.http.hub, &other);
    lab_commit(1, "world.idle", "q1", "{}");
    skn_hub_nudge(lab.http.hub);
    lab_wait(500);
    assert_int_equal(idle.calls, 1);
    assert_false(idle.late);
    assert_int_equal(late.calls, 0);
    lab_wait(600);
    assert_int_equal(late.calls, 1);
    assert_true(late.late);
    assert_int_equal(idle.calls + other.calls, 1);
    lab_close();
}

static void a_wait_that_comes_after_the_close_ends_at_once(void **state)
{
    waiter late = {.calls = 0}, taken_back = {.calls = 0};
    bool   done = false;

    (void)state;
    lab_open();
    skn_hub_close(lab.http.hub, closed, &done);
    skn_hub_wait(lab.http.hub, SKN_STR("q1"), 100000, waited, &late);
    skn_hub_wait(lab.http.hub, SKN_STR("q1"), 100000, waited, &taken_back);
    assert_int_equal(late.calls, 0); /* not inside of the call */
    skn_hub_wait_end(lab.http.hub, &taken_back);
    lab_wait(1);
    assert_int_equal(late.calls, 1);
    assert_true(late.late);
    assert_int_equal(taken_back.calls, 0);
    assert_true(done);
    skn_hub_free(lab.http.hub);
    assert_null(lab.timers);
}

static void a_stream_of_a_world_ends_with_it(void **state)
{
    skn_stream_filter world = {.world = {1}}, chat = {.world = {1}, .chat = {5}};
    skn_stream_filter other = {.world = {2}}, types = {.world = {1}, .types = SKN_STR("chat")};
    skn_conn         *conn[5];

    (void)state;
    lab_open();
    conn[0] = lab_stream(world, -1);
    conn[1] = lab_stream(chat, -1);
    conn[2] = lab_stream(types, -1);
    conn[3] = lab_stream(other, -1);
    conn[4] = lab_stream(all, -1);
    lab_settle();
    lab_commit(0, "world.updated", "", "{\"removed\":true}");
    lab_commit(1, "chat.updated", "", "{}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    came(conn[0], "stream.open world.updated#2 ");
    came(conn[1], "stream.open ");
    came(conn[2], "stream.open ");
    came(conn[3], "stream.open ");
    came(conn[4], "stream.open world.updated#2 chat.updated#3 ");
    for (int i = 0; i < 5; i++) {
        assert_int_equal(conn[i]->ended, i < 3);
        finish(conn[i]);
    }
    conn[0] = lab_stream(world, 0); /* the same for one that is behind */
    lab_settle();
    assert_true(conn[0]->ended);
    came(conn[0], "stream.open stream.resume world.updated#2 ");
    assert_true(has(conn[0], "{\"from\":0,\"to\":3,\"count\":1}"));
    finish(conn[0]);
    lab_close();
}

static void how_many_follow_is_told_when_it_is_known(void **state)
{
    skn_stream_filter types = {.types = SKN_STR("chat")};
    skn_conn         *conn;

    (void)state;
    lab_open();
    for (int i = 0; i < 2000; i++)
        lab_commit(1, i % 2 ? "chat.updated" : "agent.state", "", "{}");
    conn = lab_stream(types, 0);
    lab_settle();
    assert_true(has(conn, "\"from\":0,"));
    assert_false(has(conn, "\"count\""));
    finish(conn);
    conn = lab_stream(types, lab.events[1989].seq);
    lab_settle();
    assert_true(has(conn, ",\"count\":5}"));
    finish(conn);
    lab_close();
}

static void what_is_counted_is_what_is_there(void **state)
{
    skn_conn *conn, *behind;
    int64_t   streams, lag;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    lab_settle();
    for (int i = 0; i < 4; i++)
        lab_commit(1, "chat.updated", "", "{}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    behind = lab_stream(all, 2);
    skn_hub_count(lab.http.hub, &streams, &lag);
    assert_int_equal(streams, 2);
    assert_int_equal(lag, 4);
    finish(behind);
    finish(conn);
    skn_hub_count(lab.http.hub, &streams, &lag);
    assert_int_equal(streams + lag, 0);
    lab_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_bytes_come_at_once),
        cmocka_unit_test(a_new_stream_gets_only_what_is_new),
        cmocka_unit_test(a_stream_that_comes_back_gets_what_it_missed),
        cmocka_unit_test(a_long_past_comes_in_pages_and_in_order),
        cmocka_unit_test(a_stream_catches_up_past_what_it_does_not_want),
        cmocka_unit_test(what_was_erased_since_is_told_to_nobody),
        cmocka_unit_test(what_is_too_old_or_unknown_is_a_reset),
        cmocka_unit_test(the_oldest_that_is_not_forgotten_can_be_continued_from),
        cmocka_unit_test(a_stream_gets_what_it_asked_for),
        cmocka_unit_test(the_stream_of_a_cause_ends_with_it),
        cmocka_unit_test(a_cause_that_nobody_answers_ends_at_once),
        cmocka_unit_test(streams_are_told_that_the_server_goes),
        cmocka_unit_test(a_wait_ends_with_its_cause_or_with_time),
        cmocka_unit_test(a_wait_that_comes_after_the_close_ends_at_once),
        cmocka_unit_test(a_stream_of_a_world_ends_with_it),
        cmocka_unit_test(how_many_follow_is_told_when_it_is_known),
        cmocka_unit_test(what_is_counted_is_what_is_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
