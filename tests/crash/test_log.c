/* The invariant "all-or-nothing": the log of a store, cut at any byte or spoiled from there on, as a machine that
 * loses power leaves it, opens as exactly the changes that are whole in it. */
#include "deeds.h"
#include "disk.h"
#include "load.h"
#include "rounds.h"
#include "whole.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATES_MOST 64

typedef struct record {
    skn_fixture *fx;
    skein_mem   *mem;
    char         store[300], log[300]; /* copies, the log with everything in it */
    int64_t      ends[STATES_MOST];    /* length of the log after each change */
    skein_str    text[STATES_MOST];    /* the whole store then */
    int          states;
} record;

static int64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? st.st_size : 0;
}

static void note_state(record *r, skein_engine *e, const char *log)
{
    assert_true(r->states < STATES_MOST);
    r->ends[r->states] = size_of(log);
    r->text[r->states++] = skn_whole_text(r->fx, e, r->mem);
}

/* Does everything that can be done one after the other, and keeps the files as they then are. */
static void play(record *r)
{
    skein_engine *e = skn_whole_open(r->fx->address);
    char          log[300];
    skn_scene     scene;
    skein_error   err;

    skn_scene_make(e, &scene);
    skein_close(e); /* the log is gone now */
    e = skn_whole_open(r->fx->address);
    skn_fixture_file(r->fx, "store.db-wal", log);
    note_state(r, e, log);
    for (int i = 0; i < skn_deed_count; i++)
        if (skn_deeds[i].kind == SKN_DEED_PLAIN &&
            !skn_deed_run(&skn_deeds[i], e, &scene, &err))
            note_state(r, e, log);
    assert_true(skn_disk_copy(r->fx->path, skn_fixture_file(r->fx, "kept.db", r->store), -1));
    assert_true(skn_disk_copy(log, skn_fixture_file(r->fx, "kept.db-wal", r->log), -1));
    skein_close(e);
}

/* The byte there as it was, turned round: else one time in 256 the last one of a change would be
 * spoiled with itself. */
static char other_byte(const char *path, int64_t at)
{
    char byte = 0;
    int  fd = open(path, O_RDONLY);

    assert_true(fd >= 0);
    assert_true(pread(fd, &byte, 1, at) >= 0); /* none behind the end */
    close(fd);
    return (char)~byte;
}

/* A disk may also have kept later parts of the log, or what was there before, but not this. */
static void spoil(const char *path, const char *whole, int64_t from, int64_t to)
{
    char block[512], first = other_byte(whole, from);
    int  fd = open(path, O_WRONLY);

    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (char)(i * 37 + (size_t)from);
    for (int64_t at = from; at < to; at += (int64_t)sizeof block)
        assert_true(pwrite(fd, block, sizeof block, at) > 0);
    if (from < to)
        assert_true(pwrite(fd, &first, 1, from) == 1);
    close(fd);
}

static void recover(record *r, int64_t cut, bool spoiled)
{
    char          store[300], log[300], address[320];
    skein_mem    *mem = skein_mem_new();
    skn_fixture   copy = *r->fx;
    skein_engine *e;
    int           i = r->states - 1;

    skn_fixture_file(r->fx, "cut.db", store);
    skn_fixture_file(r->fx, "cut.db-wal", log);
    snprintf(address, sizeof address, "sqlite:%s", store);
    snprintf(copy.address, sizeof copy.address, "%s", address);
    assert_true(skn_disk_copy(r->store, store, -1));
    assert_true(skn_disk_copy(r->log, log, cut));
    if (spoiled)
        spoil(log, r->log, cut, size_of(r->log));
    e = skn_whole_open(address);
    while (i > 0 && r->ends[i] > cut)
        i--;
    skn_whole_expect(skn_whole_text(&copy, e, mem), r->text[i],
                     "the log %s at byte %lld, after change %d", spoiled ? "spoiled" : "cut",
                     (long long)cut, i);
    skn_whole_sound(e, "with a cut log");
    skein_close(e);
    assert_int_equal(remove(store), 0);
    skein_mem_free(mem);
}

static void a_log_cut_anywhere_gives_the_changes_whole_in_it(void **state)
{
    record   r = {.fx = skn_fixture_of(state), .mem = skein_mem_new()};
    skn_dice dice = {skn_rounds_seed()};
    int64_t  all;

    play(&r);
    assert_true(r.states > 20);
    all = r.ends[r.states - 1];
    for (int i = 0; i < r.states; i++)
        for (int64_t near = -1; near <= 1; near++)
            if (r.ends[i] + near >= 0 && r.ends[i] + near <= all)
                recover(&r, r.ends[i] + near, (i + near) % 2 == 0);
    for (int i = 0, n = skn_rounds(150); i < n; i++)
        recover(&r, (int64_t)skn_dice_below(&dice, (size_t)all + 1), i % 2 == 0);
    skein_mem_free(r.mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_SQLITE(a_log_cut_anywhere_gives_the_changes_whole_in_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
