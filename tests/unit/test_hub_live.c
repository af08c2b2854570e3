/* Live streams: text while it is written, hearts, slow clients. */
#include "unit/hub_kit.h"

static const skn_stream_filter all;

/* --- What is being written ---------------------------------------------------------------------- */

static void pieces_wait_until_their_message_has_started(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    lab_settle();
    lab_tell(1, "m1", "text", "Hel");
    lab_wait(50);
    came(conn, "stream.open ");
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m1\"}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    lab_tell(1, "m1", "thinking", "Hm");
    lab_tell(1, "m1", "text", "lo");
    lab_wait(100);
    lab_commit(1, "message.completed", "q1", "{\"messageId\":\"m1\",\"text\":\"Hello\"}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    lab_tell(1, "m1", "text", "stray");
    lab_wait(100);
    came(conn, "stream.open message.started#2 message.snapshot message.delta message.delta "
               "message.completed#3 ");
    assert_true(has(conn, "{\"messageId\":\"m1\",\"chunk\":1,\"text\":\"Hel\","));
    assert_true(has(conn, "\"chunk\":2,\"text\":\"Hm\",\"part\":\"thinking\"}"));
    assert_true(has(conn, "\"chunk\":3,\"text\":\"lo\",\"part\":\"text\"}"));
    assert_false(has(conn, "stray"));
    finish(conn);
    lab_close();
}

static void the_last_piece_comes_before_the_end(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m1\"}");
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m2\"}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    lab_tell(1, "m1", "thinking", "Hm");
    lab_tell(1, "m1", "text", "Hello");
    lab_tell(1, "m2", "text", "never said");
    lab_commit(1, "message.completed", "q1", "{\"messageId\":\"m1\"}");
    lab_commit(1, "message.withdrawn", "q1", "{\"messageId\":\"m2\"}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    assert_int_equal(count_of(conn, "\"chunk\":1,\"text\":\"Hm\",\"part\":\"thinking\""), 1);
    assert_int_equal(count_of(conn, "\"chunk\":2,\"text\":\"Hello\",\"part\":\"text\""), 1);
    assert_false(has(conn, "never said"));
    assert_true(strstr(conn->out.p, "message.completed") > strstr(conn->out.p, "Hello"));
    finish(conn);
    lab_close();
}

static void who_comes_in_between_gets_the_text_so_far(void **state)
{
    skn_stream_filter plain = {.no_deltas = true};
    skn_conn         *first, *second, *without;

    (void)state;
    lab_open();
    first = lab_stream(all, -1);
    lab_settle();
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m1\"}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    lab_tell(1, "m1", "text", "One ");
    lab_tell(1, "m1", "thinking", "deep");
    lab_wait(100);
    lab_tell(1, "m1", "text", "two ");
    second = lab_stream(all, -1); /* "two" is not sent yet: it is in the next piece */
    without = lab_stream(plain, 0);
    lab_wait(100);
    came(first, "stream.open message.started#2 message.delta message.delta message.delta ");
    came(second, "stream.open message.snapshot message.delta ");
    came(without, "stream.open stream.resume message.started#2 ");
    assert_true(has(second, "\"chunk\":2,\"text\":\"One \",\"thinking\":\"deep\"}"));
    assert_true(has(second, "\"chunk\":3,\"text\":\"two \",\"part\":\"text\"}"));
    finish(first);
    finish(second);
    finish(without);
    lab_close();
}

static void pieces_are_joined_to_thirty_a_second(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m1\"}");
    skn_hub_nudge(lab.http.hub);
    for (int i = 0; i < 1000; i++) {
        lab_tell(1, "m1", i % 2 ? "text" : "thinking", i % 2 ? "x" : "y");
        lab_wait(1);
    }
    lab_wait(200);
    assert_in_range(count_of(conn, "event: message.delta"), 25, 33);
    assert_true(has(conn, "\"chunk\":20,"));
    finish(conn);
    lab_close();
}

static void what_a_change_does_not_keep_is_not_told_by_the_start_either(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    lab_settle();
    lab_tell(1, "m1", "text", "kept");
    lab_tell(1, "m2", "text", "goes");
    skn_hub_hold(lab.http.hub);
    lab_tell(1, "m1", "text", ", and too late");
    lab_tell(1, "m2", "text", " on");
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m1\"}");
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m2\"}");
    skn_hub_nudge(lab.http.hub);
    lab_wait(100);
    lab_commit(1, "message.completed", "q1", "{\"messageId\":\"m1\",\"text\":\"kept\"}");
    skn_hub_release(lab.http.hub);
    lab_wait(100);
    came(conn,
         "stream.open message.started#2 message.started#3 message.completed#4 message.delta ");
    assert_false(has(conn, "too late"));
    assert_true(has(conn, "{\"messageId\":\"m2\",\"chunk\":1,\"text\":\"goes on\","));
    finish(conn);
    lab_close();
}

static void pieces_of_a_message_that_never_starts_are_forgotten(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    lab_tell(1, "m1", "text", "lost");
    lab_wait(70000);
    lab_commit(1, "message.started", "q1", "{\"messageId\":\"m1\"}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    assert_false(has(conn, "lost"));
    finish(conn);
    lab_close();
}

/* --- Time --------------------------------------------------------------------------------------- */

static void a_heart_beats_every_fifteen_seconds(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    for (int i = 0; i < 61; i++) {
        lab_wait(1000);
        conn_take(conn, SIZE_MAX);
    }
    assert_int_equal(count_of(conn, "\n:\n"), 4);
    finish(conn);
    lab_close();
}

static void a_nudge_while_the_hub_reads_is_not_lost(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    conn = lab_stream(all, -1);
    lab_settle();
    skn_hub_nudge(lab.http.hub);
    lab_step(); /* it has read nothing, but nobody knows yet */
    lab_commit(1, "chat.updated", "", "{}");
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    came(conn, "stream.open chat.updated#2 ");
    finish(conn);
    lab_close();
}

static void commits_of_others_are_noticed(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    lab_wait(150);
    conn = lab_stream(all, -1);
    lab_settle();
    lab.changes = 0;
    lab_commit(1, "chat.updated", "", "{}");
    lab_wait(110);
    came(conn, "stream.open chat.updated#2 ");
    assert_int_equal(lab.changes, 2); /* it was noticed, and its event was passed on */
    lab_wait(1000);
    assert_int_equal(lab.changes, 2);
    lab_commit(1, "chat.updated", "",
               "{}"); /* by ourselves: on PostgreSQL perhaps not seen before */
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    assert_int_equal(lab.changes, 3);
    finish(conn);
    lab_close();
}

static void a_client_that_takes_nothing_is_cut(void **state)
{
    skn_conn *still, *slow;

    (void)state;
    lab_open();
    still = lab_stream(all, -1);
    slow = lab_stream(all, -1);
    lab_settle();
    for (int i = 0; i < 8; i++) {
        conn_take(slow, 20);
        lab_commit(1, "chat.updated", "", "{\"fill\":\"%0100d\"}", i);
        skn_hub_nudge(lab.http.hub);
        lab_wait(1000);
    }
    assert_true(still->lost);
    assert_false(slow->lost);
    lab_conn_free(still);
    finish(slow);
    lab_close();
}

static void a_client_that_is_far_behind_is_cut_and_comes_back(void **state)
{
    skn_conn *conn;
    int       sent = 0;

    (void)state;
    lab_open();
    lab.http.options.stream_backlog = 10000;
    conn = lab_stream(all, -1);
    lab_settle();
    conn->at_once = true;
    for (; sent < 100 && !conn->lost; sent++) {
        lab_commit(1, "chat.updated", "", "{\"fill\":\"%0400d\"}", sent);
        skn_hub_nudge(lab.http.hub);
        lab_settle();
    }
    assert_in_range(sent, 20, 30);
    assert_in_range(conn->out.n, 10000, 11000);
    lab_conn_free(conn);
    lab_close();
}

static void a_frame_larger_than_all_that_is_allowed_is_sent(void **state)
{
    skn_conn *conn;

    (void)state;
    lab_open();
    lab.http.options.stream_backlog = 100;
    conn = lab_stream(all, -1);
    lab_settle();
    conn_take(conn, SIZE_MAX);
    lab_wait(20);
    lab_commit(1, "chat.updated", "", "{\"fill\":\"%0400d\"}", 1);
    skn_hub_nudge(lab.http.hub);
    lab_settle();
    came(conn, "stream.open chat.updated#2 ");
    assert_false(conn->lost);
    finish(conn);
    lab_close();
}

static void who_is_given_much_at_first_may_take_its_time(void **state)
{
    skn_conn *conn;
    char      id[8];

    (void)state;
    lab_open();
    lab.http.options.stream_backlog = 2000;
    for (int i = 0; i < 30; i++) {
        snprintf(id, sizeof id, "m%d", i);
        lab_commit(1, "message.started", "q1", "{\"messageId\":\"%s\"}", id);
        lab_tell(1, id, "text", "some text");
    }
    lab_wait(1000);
    conn = lab_stream(all, -1);
    lab_settle();
    assert_int_equal(count_of(conn, "message.snapshot"), 30);
    lab_tell(1, "m7", "text", " and more");
    lab_wait(100);
    assert_int_equal(count_of(conn, "message.delta"), 1);
    assert_false(conn->lost);
    finish(conn);
    lab_close();
}

static void a_store_that_fails_for_a_while_loses_nothing(void **state)
{
    skn_conn *live, *opening;

    (void)state;
    lab_open();
    live = lab_stream(all, -1);
    lab_settle();
    lab.broken = true;
    lab_commit(1, "chat.updated", "", "{}");
    skn_hub_nudge(lab.http.hub);
    opening = lab_stream(all, 0);
    lab_wait(500);
    assert_true(opening->lost); /* it has to come back */
    lab.broken = false;
    lab_wait(2000);
    came(live, "stream.open chat.updated#2 ");
    lab_conn_free(opening);
    finish(live);
    lab_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_wait_until_their_message_has_started),
        cmocka_unit_test(the_last_piece_comes_before_the_end),
        cmocka_unit_test(who_comes_in_between_gets_the_text_so_far),
        cmocka_unit_test(pieces_are_joined_to_thirty_a_second),
        cmocka_unit_test(what_a_change_does_not_keep_is_not_told_by_the_start_either),
        cmocka_unit_test(pieces_of_a_message_that_never_starts_are_forgotten),
        cmocka_unit_test(a_heart_beats_every_fifteen_seconds),
        cmocka_unit_test(a_nudge_while_the_hub_reads_is_not_lost),
        cmocka_unit_test(commits_of_others_are_noticed),
        cmocka_unit_test(a_client_that_takes_nothing_is_cut),
        cmocka_unit_test(a_client_that_is_far_behind_is_cut_and_comes_back),
        cmocka_unit_test(a_frame_larger_than_all_that_is_allowed_is_sent),
        cmocka_unit_test(who_is_given_much_at_first_may_take_its_time),
        cmocka_unit_test(a_store_that_fails_for_a_while_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
