/* The disk fails, or the server does, at every place of every change in turn: the change is there
 * whole or not at all, the error says why, and the same engine goes on as soon as the fault is gone. */
#include "deeds.h"
#include "disk.h"
#include "rounds.h"
#include "whole.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLACES_MOST 2000 /* where a change can fail */

/* --- What is compared ------------------------------------------------------------------------- */

typedef struct outcome {
    skein_mem *mem;
    skein_str  before, after; /* the whole store */
} outcome;

static bool is_fault(skein_rc rc, int error)
{
    return error == ENOSPC ? rc == SKEIN_FULL : rc == SKEIN_IO;
}

/* --- SQLite ----------------------------------------------------------------------------------- */

/* The scene in a file of its own, without a log beside it. */
static void make_original(skn_fixture *fx, char path[static 300], skn_scene *s)
{
    char          address[320];
    skein_engine *e;

    skn_fixture_file(fx, "original.db", path);
    snprintf(address, sizeof address, "sqlite:%s", path);
    e = skn_whole_open(address);
    skn_scene_make(e, s);
    skein_close(e);
}

typedef struct sweep {
    skn_fixture     *fx;
    const skn_deed  *deed;
    const skn_scene *scene;
    const char      *original;
    skn_disk         fault;
    outcome          text;
} sweep;

static skein_engine *fresh_copy(const sweep *s)
{
    assert_true(skn_disk_copy(s->original, s->fx->path, -1));
    return skn_whole_open(s->fx->address);
}

static void end_copy(const sweep *s, skein_engine *e)
{
    skein_close(e);
    assert_int_equal(remove(s->fx->path), 0);
}

static void learn_outcome(sweep *s)
{
    skein_engine *e = fresh_copy(s);
    skein_error   err;

    s->text.mem = skein_mem_new();
    s->text.before = skn_whole_text(s->fx, e, s->text.mem);
    if (skn_deed_run(s->deed, e, s->scene, &err))
        fail_msg("%s: %s", s->deed->name, err.message);
    s->text.after = skn_whole_text(s->fx, e, s->text.mem);
    assert_false(skn_str_eq(s->text.before, s->text.after));
    end_copy(s, e);
}

/* The fault is gone: what failed left nothing, and can be done now. */
static void go_on(const sweep *s, skein_engine *e, skein_mem *mem, int64_t n,
                  const skein_error *err)
{
    skein_str   is = skn_whole_text(s->fx, e, mem);
    skein_error again;

    if (!is_fault(err->rc, s->fault.error) || !err->message[0])
        fail_msg("%s, fault at %lld: %s \"%s\"", s->deed->name, (long long)n,
                 skein_rc_name(err->rc), err->message);
    if (s->deed->kind != SKN_DEED_TWO_STEPS || !skn_str_eq(is, s->text.after))
        skn_whole_expect(is, s->text.before, "%s, after a fault at %lld", s->deed->name,
                         (long long)n);
    if (skn_deed_run(s->deed, e, s->scene, &again))
        fail_msg("%s, fault at %lld, when it is gone: %s", s->deed->name, (long long)n,
                 again.message);
}

/* One run with a fault at the n-th place; false when there is no such place. */
static bool fail_at(sweep *s, int64_t n)
{
    skein_engine *e = fresh_copy(s);
    skein_mem    *mem = skein_mem_new();
    int64_t       failed;
    skein_error   err;
    skein_rc      rc;

    s->fault.nth = n;
    skn_disk_break(&s->fault);
    rc = skn_deed_run(s->deed, e, s->scene, &err);
    failed = skn_disk_mend();
    if (rc)
        go_on(s, e, mem, n, &err);
    skn_whole_expect(skn_whole_text(s->fx, e, mem), s->text.after, "%s, fault at %lld, done",
                     s->deed->name, (long long)n);
    skein_close(e);
    e = skn_whole_open(s->fx->address);
    skn_whole_expect(skn_whole_text(s->fx, e, mem), s->text.after,
                     "%s, fault at %lld, opened again", s->deed->name, (long long)n);
    skn_whole_sound(e, s->deed->name);
    end_copy(s, e);
    skein_mem_free(mem);
    return failed > 0;
}

static void sweep_disk(void **state, skn_disk fault)
{
    skn_fixture *fx = skn_fixture_of(state);
    char         original[300];
    skn_scene    scene;

    make_original(fx, original, &scene);
    for (int i = 0; i < skn_deed_count; i++) {
        sweep   s = {.fx = fx,
                     .deed = &skn_deeds[i],
                     .scene = &scene,
                     .original = original,
                     .fault = fault};
        int64_t n = 1;

        learn_outcome(&s);
        while (fail_at(&s, n))
            assert_true((n += skn_rounds_step()) < PLACES_MOST);
        assert_true(n > 2); /* a change writes and syncs at the least */
        skein_mem_free(s.text.mem);
    }
}

static void a_write_that_fails_leaves_all_or_nothing_of_a_change(void **state)
{
    sweep_disk(state, (skn_disk){.error = EIO, .torn = true});
}

static void a_disk_that_stays_full_leaves_all_or_nothing_of_a_change(void **state)
{
    sweep_disk(state, (skn_disk){.error = ENOSPC, .stays = true});
}

/* --- Making a store --------------------------------------------------------------------------- */

static void remove_store(skn_fixture *fx)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
    char                     path[260];

    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", fx->path, ends[i]);
        remove(path);
    }
}

static bool fail_to_open_at(skn_fixture *fx, int64_t n)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skn_disk      fault = {.nth = n, .error = n % 2 ? EIO : ENOSPC, .torn = true};
    skein_engine *e;
    skn_scene     scene;
    skein_error   err = {0};
    int64_t       failed;

    options.store = skein_text(fx->address);
    skn_disk_break(&fault);
    if (skein_open(&e, &options, &err) && (!is_fault(err.rc, fault.error) || !err.message[0]))
        fail_msg("fault at %lld: %s \"%s\"", (long long)n, skein_rc_name(err.rc), err.message);
    failed = skn_disk_mend();
    skein_close(e);
    e = skn_whole_open(fx->address);
    skn_scene_make(e, &scene);
    skn_whole_sound(e, "made after a failure");
    skein_close(e);
    remove_store(fx);
    return failed > 0;
}

static void a_store_whose_making_failed_is_made_the_next_time(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    int64_t      n = 1;

    while (fail_to_open_at(fx, n))
        assert_true((n += skn_rounds_step()) < PLACES_MOST);
    assert_true(n > 10);
}

/* --- Making a copy ---------------------------------------------------------------------------- */

typedef struct copying {
    skein_engine *e;
    char          path[300], address[320];
    skein_str     text; /* the whole store */
    skn_fixture   copy; /* only its address is set */
} copying;

static bool fail_to_copy_at(copying *c, int64_t n)
{
    skn_disk      fault = {.nth = n, .error = n % 2 ? EIO : ENOSPC, .torn = true};
    skein_mem    *mem = skein_mem_new();
    skein_error   err = {0};
    skein_rc      rc;
    int64_t       failed;
    skein_engine *e;

    skn_disk_break(&fault);
    rc = skein_backup(c->e, skein_text(c->path), &err);
    failed = skn_disk_mend();
    if (rc && !is_fault(err.rc, fault.error))
        fail_msg("fault at %lld: %s \"%s\"", (long long)n, skein_rc_name(err.rc), err.message);
    if (rc) /* nothing is in the way of another attempt */
        SKN_OK(skein_backup(c->e, skein_text(c->path), &err), err);
    e = skn_whole_open(c->address);
    skn_whole_expect(skn_whole_text(&c->copy, e, mem), c->text, "a copy, fault at %lld",
                     (long long)n);
    skein_close(e);
    assert_int_equal(remove(c->path), 0);
    skein_mem_free(mem);
    return failed > 0;
}

static void a_copy_that_fails_leaves_no_file(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_mem   *mem = skein_mem_new();
    copying      c = {.e = skn_whole_open(fx->address)};
    skn_scene    scene;
    int64_t      n = 1;

    skn_scene_make(c.e, &scene);
    c.text = skn_whole_text(fx, c.e, mem);
    skn_fixture_file(fx, "copy.db", c.path);
    snprintf(c.address, sizeof c.address, "sqlite:%s", c.path);
    snprintf(c.copy.address, sizeof c.copy.address, "%s", c.address);
    while (fail_to_copy_at(&c, n))
        assert_true((n += skn_rounds_step()) < PLACES_MOST);
    assert_true(n > 10);
    skein_close(c.e);
    skein_mem_free(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_SQLITE(a_write_that_fails_leaves_all_or_nothing_of_a_change),
        SKN_PLACE_SQLITE(a_disk_that_stays_full_leaves_all_or_nothing_of_a_change),
        SKN_PLACE_SQLITE(a_store_whose_making_failed_is_made_the_next_time),
        SKN_PLACE_SQLITE(a_copy_that_fails_leaves_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
