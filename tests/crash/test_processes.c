/* Eight processes on one conversation at once, on either database: nothing is lost, nothing is done
 * twice, and nobody waits for ever. */
#include "book.h"
#include "child.h"
#include "roles.h"
#include "rounds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PROCESSES 8
_Static_assert(PROCESSES <= SKN_LOAD_THREADS, "each says messages of its own");

/* What each process does: not too much, since a check reads every message of every version. */
static int often(int usual)
{
    int n = skn_rounds(usual);

    return n < 160 ? n : 160;
}

/* Makes the store with the chat in it, and one message there. */
static void prepare(skn_fixture *fx)
{
    skein_engine     *e = skn_whole_open(fx->address);
    skein_mem        *mem = skein_mem_new();
    skein_new_message m = {
        .uid = skein_text("first"), .role = SKEIN_USER, .content = skein_text("hello")};
    skein_append_request r = {.messages = &m, .count = 1};
    skein_messages       stored;
    skein_error          err;

    SKN_OK(skn_load_prepare(e, &r.conversation, &err), err);
    SKN_OK(skein_append(e, &r, mem, &stored, &err), err);
    skein_mem_free(mem);
    skein_close(e);
}

/* Starts one process in each of these roles, lets them begin together, and waits for all. */
static void run_all(skn_fixture *fx, const char *const role[PROCESSES], int count,
                    skn_child_sink *sink, void *const arg[PROCESSES])
{
    skn_child c[PROCESSES];
    uint64_t  seed = skn_rounds_seed();
    char      number[24], often[24], dice[24];

    for (int i = 0; i < PROCESSES; i++) {
        const char *args[] = {role[i], fx->address, number, often, dice, NULL};

        snprintf(number, sizeof number, "%d", i);
        snprintf(often, sizeof often, "%d", count);
        snprintf(dice, sizeof dice, "%" PRIu64, seed + (uint64_t)i);
        skn_child_start(&c[i], args);
    }
    skn_child_finish_all(c, PROCESSES, sink, arg);
}

static void take_line(void *arg, skn_str line)
{
    skn_book_line(arg, line);
}

/* Runs the roles with one book for all of them. */
static void run_with_book(skn_fixture *fx, const char *const role[PROCESSES], int count,
                          skn_book *book)
{
    void *arg[PROCESSES];

    for (int i = 0; i < PROCESSES; i++)
        arg[i] = book;
    skn_book_init(book);
    prepare(fx);
    run_all(fx, role, count, take_line, arg);
}

static void read_and_check(skn_fixture *fx, const skn_book *book, skein_mem *mem, skn_whole *w)
{
    skein_engine *e = skn_whole_open(fx->address);

    skn_whole_sound(e, "after eight processes");
    skn_whole_read(e, mem, w);
    skn_book_check(book, w);
    skein_close(e);
}

/* --- Nothing is lost -------------------------------------------------------------------------- */

/* Appends and changes of the first message do not get into each other's way: the current version
 * has them all. */
static void appenders_and_editors_from_8_processes_lose_nothing(void **state)
{
    static const char *const role[PROCESSES] = {"append", "append", "append", "append",
                                                "append", "amend",  "amend",  "amend"};
    skn_fixture             *fx = skn_fixture_of(state);
    skein_mem               *mem = skein_mem_new();
    size_t                   said = 0, inserted = 0;
    skn_book                 book;
    skn_whole                w;

    run_with_book(fx, role, often(40), &book);
    read_and_check(fx, &book, mem, &w);
    for (int i = 0; i < PROCESSES; i++)
        said += (size_t)book.said[i];
    for (size_t i = 0; i < book.made.n; i++)
        inserted += skn_str_is(book.made.p[i].kind, "insert");
    assert_true(said >= 5 && book.made.n >= 3);
    assert_true(w.chats[0].versions[0].version.current);
    assert_int_equal(w.chats[0].versions[0].lanes[0].messages.count, 1 + said + inserted);
    skn_book_release(&book);
    skein_mem_free(mem);
}

static void everything_at_once_from_8_processes_loses_nothing(void **state)
{
    static const char *const role[PROCESSES] = {"mixed", "mixed",  "mixed",  "mixed",
                                                "mixed", "append", "append", "append"};
    skn_fixture             *fx = skn_fixture_of(state);
    skein_mem               *mem = skein_mem_new();
    skn_book                 book;
    skn_whole                w;

    run_with_book(fx, role, often(40), &book);
    read_and_check(fx, &book, mem, &w);
    assert_true(book.lines >= PROCESSES);
    skn_book_release(&book);
    skein_mem_free(mem);
}

/* --- Cases of the model ----------------------------------------------------------------------- */

typedef struct summing {
    skn_book book;
    int64_t  sums;
} summing;

/* A summary stands only for what its writer had seen. */
static void take_summary(void *arg, skn_str line)
{
    summing *s = arg;
    int64_t  seen, covers;

    if (sscanf(skn_arena_copy(s->book.mem, line).p, "covers %" SCNd64 " %" SCNd64, &seen,
               &covers) != 2) {
        skn_book_line(&s->book, line);
        return;
    }
    assert_in_range(covers, 1, seen);
    s->sums++;
}

/* Every message is there, and every one that no summary covers is in the context, whenever it
 * came. */
static void check_context(skn_fixture *fx, const summing *s, skein_mem *mem)
{
    skein_engine  *e = skn_whole_open(fx->address);
    skein_slice    slice = {0};
    skein_context  context;
    skein_messages all;
    skn_map       *shown = skn_map_new(mem);
    int64_t        said = 1;
    skein_error    err;

    SKN_OK(skn_load_prepare(e, &slice.conversation, &err), err);
    SKN_OK(skein_read(e, &slice, mem, &all, NULL, &err), err);
    SKN_OK(skein_context_read(e, &slice, mem, &context, &err), err);
    assert_true(context.covered > 0);
    for (int i = 0; i < PROCESSES; i++)
        said += s->book.said[i];
    assert_int_equal(all.count, said + s->sums);
    for (size_t i = 0; i < context.count; i++)
        for (size_t k = 0; k < context.at[i].source_count; k++)
            *skn_map_slot(shown, context.at[i].sources[k]) = shown;
    for (size_t i = (size_t)context.covered; i < all.count; i++)
        if (all.at[i].role != SKEIN_SUMMARY && !skn_map_get(shown, all.at[i].uid))
            fail_msg("\"%.*s\" is neither summed up nor in the context",
                     SKN_FMT(all.at[i].uid));
    skein_close(e);
}

static void a_slow_writer_still_shows_up_in_the_context(void **state)
{
    static const char *const role[PROCESSES] = {"append", "append", "append",  "append",
                                                "append", "append", "compact", "compact"};
    skn_fixture             *fx = skn_fixture_of(state);
    skein_mem               *mem = skein_mem_new();
    summing                  s = {.sums = 0};
    void                    *arg[PROCESSES];

    for (int i = 0; i < PROCESSES; i++)
        arg[i] = &s;
    skn_book_init(&s.book);
    prepare(fx);
    run_all(fx, role, often(20), take_summary, arg);
    assert_true(s.sums >= 2);
    check_context(fx, &s, mem);
    skn_book_release(&s.book);
    skein_mem_free(mem);
}

/* Keeps the first line, and demands that all others are the same. */
static void expect_same(void *arg, skn_str line)
{
    char *first = arg;

    if (!*first)
        snprintf(first, SKN_CHILD_LINE, "%.*s", SKN_FMT(line));
    if (!skn_str_is(line, first))
        fail_msg("one process was told \"%s\", another \"%.*s\"", first, SKN_FMT(line));
}

static void a_request_sent_by_8_processes_is_carried_out_once(void **state)
{
    static const char *const role[PROCESSES] = {"repeat", "repeat", "repeat", "repeat",
                                                "repeat", "repeat", "repeat", "repeat"};
    skn_fixture             *fx = skn_fixture_of(state);
    char                     first[SKN_CHILD_LINE] = "";
    void                    *arg[PROCESSES];

    for (int i = 0; i < PROCESSES; i++)
        arg[i] = first;
    prepare(fx);
    run_all(fx, role, 1, expect_same, arg);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM versions"), 2);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM messages"), 3);
}

#define AGENTS 12

typedef struct firsts {
    char   uid[AGENTS + 2][40]; /* by agent: aax, abx, …, and the two that are there anyway */
    size_t lines;
} firsts;

static void take_first_use(void *arg, skn_str line)
{
    firsts *f = arg;
    skn_str rest = line, name;
    size_t  i;

    assert_true(skn_str_split(&rest, ' ', &name));
    i = skn_str_is(name, "ada")  ? AGENTS
        : skn_str_is(name, "bo") ? AGENTS + 1
                                 : (size_t)(name.p[1] - 'a');
    if (!f->uid[i][0])
        snprintf(f->uid[i], sizeof f->uid[i], "%.*s", SKN_FMT(rest));
    assert_true(skn_str_is(rest, f->uid[i]));
    f->lines++;
}

static void make_agents(skn_fixture *fx)
{
    skein_engine *e = skn_whole_open(fx->address);
    skein_mem    *mem = skein_mem_new();
    skein_world   w;
    skein_error   err;
    char          name[8];

    SKN_OK(skein_world_find(e, skein_text("office"), mem, &w, &err), err);
    for (int i = 0; i < AGENTS; i++) {
        skein_agent a = {.world = w.id};

        snprintf(name, sizeof name, "a%cx", 'a' + i);
        a.name = skein_text(name);
        SKN_OK(skein_agent_new(e, &a, mem, &err), err);
    }
    skein_mem_free(mem);
    skein_close(e);
}

static void first_use_by_8_processes_makes_one_conversation(void **state)
{
    static const char *const role[PROCESSES] = {"first", "first", "first", "first",
                                                "first", "first", "first", "first"};
    skn_fixture             *fx = skn_fixture_of(state);
    firsts                   f = {0};
    void                    *arg[PROCESSES];
    const int64_t            agents = AGENTS + 2;

    for (int i = 0; i < PROCESSES; i++)
        arg[i] = &f;
    prepare(fx);
    make_agents(fx);
    run_all(fx, role, 1, take_first_use, arg);
    assert_int_equal(f.lines, PROCESSES * agents);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM conversations"
                                            " WHERE mode = 'foreground'"),
                     agents);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM lanes l JOIN conversations c"
                                            " ON c.id = l.conversation_id"
                                            " WHERE c.mode = 'foreground'"),
                     agents);
    assert_int_equal(skn_fixture_number(fx,
                                        "SELECT count(*) FROM versions v JOIN conversations c"
                                        " ON c.id = v.conversation_id"
                                        " WHERE c.mode = 'foreground'"),
                     agents);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(appenders_and_editors_from_8_processes_lose_nothing),
        SKN_PLACE_BOTH(everything_at_once_from_8_processes_loses_nothing),
        SKN_PLACE_BOTH(a_slow_writer_still_shows_up_in_the_context),
        SKN_PLACE_BOTH(a_request_sent_by_8_processes_is_carried_out_once),
        SKN_PLACE_BOTH(first_use_by_8_processes_makes_one_conversation),
    };

    if (argc > 1)
        return argc == 6 ? skn_role_run(argv + 1) : 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
