/* A program that is killed in the middle of its work loses nothing it was told is stored, and
 * leaves nothing half done. */
#include "book.h"
#include "child.h"
#include "disk.h"
#include "rounds.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS_OF_A_STORE 20 /* then a fresh one: every check reads all of it */
#define THREADS           4
#define LINES_MOST        40 /* told before a kill */

/* --- The program that is killed --------------------------------------------------------------- */

static void report(void *arg, const char *line)
{
    (void)arg;
    skn_child_report("%s", line);
}

/* On a failing disk the load goes on; everything else is a mistake. */
static bool go_on(void *arg, const char *what, const skein_error *err)
{
    const skn_disk *fault = arg;

    if (fault->one_in == 0 || err->rc != SKEIN_IO)
        skn_child_die("%s: %s %s", what, skein_rc_name(err->rc), err->message);
    return true;
}

/* load ADDRESS SEED THREADS ONE_IN NEXT…: with ONE_IN, one write or sync in so many fails. */
static int run_load(char **args)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skn_disk      fault = {.error = EIO, .torn = true};
    skn_load      load = {.tell = report, .fail = go_on, .arg = &fault};
    skein_error   err = {0};

    options.store = skein_text(args[0]);
    load.seed = strtoull(args[1], NULL, 10);
    load.threads = (int)strtol(args[2], NULL, 10);
    fault.one_in = (unsigned)strtoul(args[3], NULL, 10);
    fault.seed = load.seed;
    for (int i = 0; i < THREADS; i++)
        load.next[i] = strtoll(args[4 + i], NULL, 10);
    if (skein_open(&load.e, &options, &err) || skn_load_prepare(load.e, &load.chat, &err))
        skn_child_die("%s %s", skein_rc_name(err.rc), err.message);
    skn_disk_break(&fault);
    skn_load_run(&load);
    skein_close(load.e);
    return 0;
}

/* --- Killing it ------------------------------------------------------------------------------- */

typedef struct scene {
    skn_fixture fx;
    char        address[700]; /* with a name by which the server knows the program */
    skn_book    book;
    skn_dice    dice;
} scene;

static void begin_scene(scene *s, bool pg, uint64_t seed)
{
    skn_fixture_place(&s->fx, pg ? "pg" : "sqlite");
    snprintf(s->address, sizeof s->address, pg ? "%s&application_name=%s" : "%s%.0s",
             s->fx.address, s->fx.schema);
    skn_book_init(&s->book);
    s->dice.state = seed;
}

static void end_scene(scene *s)
{
    skn_book_release(&s->book);
    skn_fixture_close(&s->fx);
}

static void take_line(void *arg, skn_str line)
{
    skn_book_line(arg, line);
}

/* In one round of four the disk fails as well, now and then. */
static void start(scene *s, skn_child *c)
{
    char        text[3 + THREADS][24];
    const char *args[6 + THREADS] = {"load", s->address, text[0], text[1], text[2]};
    bool        rough = !s->fx.pg && skn_dice_below(&s->dice, 4) == 0;

    snprintf(text[0], sizeof text[0], "%" PRIu64, skn_dice_next(&s->dice));
    snprintf(text[1], sizeof text[1], "%zu", 1 + skn_dice_below(&s->dice, THREADS));
    snprintf(text[2], sizeof text[2], "%d", rough ? 20 : 0);
    for (int i = 0; i < THREADS; i++) {
        snprintf(text[3 + i], sizeof text[3], "%" PRId64, s->book.said[i]);
        args[5 + i] = text[3 + i];
    }
    skn_child_start(c, args);
}

/* A moment among the first lines that it tells, or, now and then, before the first of them: while
 * it starts, makes the store or recovers it. */
static void kill_somewhere(scene *s, skn_child *c)
{
    bool    early = skn_dice_below(&s->dice, 6) == 0;
    int64_t until = s->book.lines +
                    (early ? 0 : 1 + (int64_t)skn_dice_below(&s->dice, LINES_MOST));
    int64_t micros = (int64_t)skn_dice_below(&s->dice, early ? 30000 : 2000);

    while (s->book.lines < until)
        if (!skn_child_lines(c, -1, take_line, &s->book))
            break; /* it died by itself, which the kill will find out */
    if (c->reports >= 0)
        skn_child_lines(c, micros, take_line, &s->book);
    skn_child_kill(c, take_line, &s->book);
}

/* The server notices the loss of a client by itself, and ends what it was about to do. */
static void wait_for_server(scene *s)
{
    char sql[200];

    if (!s->fx.pg)
        return;
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s'",
             s->fx.schema);
    while (skn_fixture_number(&s->fx, sql) > 0)
        sched_yield();
}

static void check(scene *s, int round)
{
    skein_engine *e = skn_whole_open(s->fx.address);
    skein_mem    *mem = skein_mem_new();
    skn_whole     w;
    char          when[60];

    snprintf(when, sizeof when, "after kill %d", round);
    skn_whole_sound(e, when);
    skn_whole_read(e, mem, &w);
    skn_book_check(&s->book, &w);
    skein_close(e);
    assert_int_equal(skn_fixture_number(&s->fx, "SELECT count(*) FROM messages"),
                     skn_map_count(w.messages));
    skein_mem_free(mem);
}

static void crash_again_and_again(bool pg, int rounds)
{
    uint64_t  seed = skn_rounds_seed();
    int64_t   told = 0;
    scene     s;
    skn_child c;

    for (int i = 0; i < rounds; i++) {
        if (i % ROUNDS_OF_A_STORE == 0)
            begin_scene(&s, pg, seed + (uint64_t)i);
        start(&s, &c);
        kill_somewhere(&s, &c);
        wait_for_server(&s);
        check(&s, i);
        if (i % ROUNDS_OF_A_STORE == ROUNDS_OF_A_STORE - 1 || i == rounds - 1) {
            told += s.book.lines;
            end_scene(&s);
        }
    }
    assert_true(told >= rounds); /* it was not always killed before it did anything */
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void a_killed_program_loses_nothing_and_leaves_nothing_half_done(void **state)
{
    bool pg = skn_fixture_of(state)->pg;

    crash_again_and_again(pg, skn_rounds(200) / (pg ? 4 : 1));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(a_killed_program_loses_nothing_and_leaves_nothing_half_done),
    };

    if (argc > 1)
        return argc == 6 + THREADS ? run_load(argv + 2) : 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
