/* A disk that fails now and then under a load of several threads, and what has to be on the disk
 * before a call returns. */
#include "book.h"
#include "deeds.h"
#include "disk.h"
#include "rounds.h"

#include <errno.h>
#include <stdio.h>

#define ROUNDS_OF_A_STORE 10

/* --- Faults at random ------------------------------------------------------------------------- */

typedef struct rough {
    skn_book      book;
    skein_engine *e;
    skn_load      load;
    int           expected; /* the errno of the fault */
    atomic_int    failures, odd;
} rough;

static void keep_line(void *arg, const char *line)
{
    rough *r = arg;

    skn_book_keep(&r->book, line);
}

static bool go_on(void *arg, const char *what, const skein_error *err)
{
    rough   *r = arg;
    skein_rc rc = r->expected == ENOSPC ? SKEIN_FULL : SKEIN_IO;

    atomic_fetch_add(&r->failures, 1);
    if (err->rc != rc && atomic_fetch_add(&r->odd, 1) == 0)
        printf("# %s failed with %s: %s\n", what, skein_rc_name(err->rc), err->message);
    return true;
}

static void begin_store(rough *r, skn_fixture *fx, uint64_t seed)
{
    skein_error err;

    skn_fixture_place(fx, "sqlite");
    skn_book_init(&r->book);
    r->e = skn_whole_open(fx->address);
    r->load = (skn_load){
        .e = r->e, .seed = seed, .threads = 4, .tell = keep_line, .fail = go_on, .arg = r};
    SKN_OK(skn_load_prepare(r->e, &r->load.chat, &err), err);
}

static void end_store(rough *r, skn_fixture *fx)
{
    skein_close(r->e);
    skn_book_release(&r->book);
    skn_fixture_close(fx);
}

static void check_store(rough *r, skn_fixture *fx)
{
    skein_mem *mem = skein_mem_new();
    skn_whole  w;

    skn_whole_sound(r->e, "with the disk whole again");
    skn_whole_read(r->e, mem, &w);
    skn_book_check(&r->book, &w);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM messages"),
                     skn_map_count(w.messages));
    skein_mem_free(mem);
}

/* Some calls fail, then none does any more, on the same engine; then the store is opened again. */
static void run_round(rough *r, skn_fixture *fx, skn_dice *dice)
{
    skn_disk fault = {.one_in = 5 + (unsigned)skn_dice_below(dice, 300),
                      .seed = skn_dice_next(dice),
                      .torn = skn_dice_below(dice, 2),
                      .error = skn_dice_below(dice, 2) ? EIO : ENOSPC};
    int      before;

    r->expected = fault.error;
    r->load.seed = skn_dice_next(dice);
    r->load.changes = 12;
    skn_disk_break(&fault);
    skn_load_run(&r->load);
    skn_disk_mend();
    before = r->failures;
    r->load.changes = 3;
    skn_load_run(&r->load);
    assert_int_equal(r->failures, before);
    assert_int_equal(r->odd, 0);
    skn_book_settle(&r->book);
    if (skn_dice_below(dice, 2)) {
        skein_close(r->e);
        r->e = r->load.e = skn_whole_open(fx->address);
    }
    check_store(r, fx);
}

static void a_disk_that_fails_now_and_then_loses_nothing(void **state)
{
    skn_dice    dice = {skn_rounds_seed()};
    int         rounds = skn_rounds(60);
    skn_fixture fx;
    rough       r = {.failures = 0};

    (void)skn_fixture_of(state);
    for (int i = 0; i < rounds; i++) {
        if (i % ROUNDS_OF_A_STORE == 0)
            begin_store(&r, &fx, 1);
        run_round(&r, &fx, &dice);
        if (i % ROUNDS_OF_A_STORE == ROUNDS_OF_A_STORE - 1 || i == rounds - 1)
            end_store(&r, &fx);
    }
    assert_true(r.failures > rounds);
}

/* --- Before a call returns -------------------------------------------------------------------- */

static void every_change_is_synced_before_its_call_returns(void **state)
{
    skn_fixture  *fx = skn_fixture_of(state);
    char          log[300];
    skein_engine *e = skn_whole_open(fx->address);
    skn_scene     scene;
    skein_error   err;
    int           done = 0;

    skn_scene_make(e, &scene);
    skn_fixture_file(fx, "store.db-wal", log);
    for (int i = 0; i < skn_deed_count; i++) {
        if (skn_deeds[i].kind != SKN_DEED_PLAIN)
            continue;
        skn_disk_watch(log);
        if (skn_deed_run(&skn_deeds[i], e, &scene, &err))
            continue; /* not after those before it */
        if (skn_disk_writes() == 0 || !skn_disk_synced())
            fail_msg("%s: %lld writes to the log, not synced", skn_deeds[i].name,
                     (long long)skn_disk_writes());
        done++;
    }
    skn_disk_watch(NULL);
    assert_true(done > 20);
    skein_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_SQLITE(a_disk_that_fails_now_and_then_loses_nothing),
        SKN_PLACE_SQLITE(every_change_is_synced_before_its_call_returns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
