/* The copies that a server keeps of its store. */
#include "config/backups.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct place {
    skn_arena    *a;
    char          folder[32];
    const char   *backups;
    skein_engine *engine;
} place;

static const char *path_of(const place *p, const char *name)
{
    return skn_arena_printf(p->a, "%s/%s", p->backups, name).p;
}

static void touch(const place *p, const char *name)
{
    FILE *f = fopen(path_of(p, name), "w");

    assert_non_null(f);
    fclose(f);
}

static int open_place(void **state)
{
    static place  p;
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_error   err;

    p = (place){.a = skn_arena_new()};
    memcpy(p.folder, "/tmp/skein-backups-XXXXXX", 26);
    assert_non_null(mkdtemp(p.folder));
    p.backups = skn_arena_printf(p.a, "%s/backups", p.folder).p;
    options.store = skn_arena_printf(p.a, "sqlite:%s/skein.db", p.folder);
    assert_int_equal(skein_open(&p.engine, &options, &err), SKEIN_OK);
    *state = &p;
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    char   line[80];

    skein_close(p->engine);
    skn_arena_free(p->a);
    snprintf(line, sizeof line, "rm -r %s", p->folder);
    return system(line);
}

static void a_copy_is_a_store(void **state)
{
    place        *p = *state;
    skein_world   world = {.name = SKN_STR("launch")}, found;
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *copy;
    skein_error   err;
    int64_t       count, newest, before = skn_clock_micros() - 2000000;
    char          name[SKN_BACKUP_NAME];

    assert_int_equal(skn_backup_newest(p->backups, &count), 0);
    assert_int_equal(count, 0);
    assert_int_equal(skein_world_new(p->engine, &world, p->a, &err), SKEIN_OK);
    assert_int_equal(skn_backup_make(p->engine, p->backups, 3, &err), SKEIN_OK);
    newest = skn_backup_newest(p->backups, &count);
    assert_int_equal(count, 1);
    assert_true(newest >= before && newest <= skn_clock_micros());
    skn_backup_name(newest, name);
    if (access(path_of(p, name), F_OK) != 0) /* it was begun a second earlier than it ended */
        skn_backup_name(newest - 1000000, name);
    options.store = skn_arena_printf(p->a, "sqlite:%s", path_of(p, name));
    assert_int_equal(skein_open(&copy, &options, &err), SKEIN_OK);
    assert_int_equal(skein_world_find(copy, SKN_STR("launch"), p->a, &found, &err), SKEIN_OK);
    skein_close(copy);
}

static void only_the_newest_stay_and_nothing_else_is_touched(void **state)
{
    place      *p = *state;
    skein_error err;
    int64_t     count;

    assert_int_equal(mkdir(p->backups, 0700), 0);
    touch(p, "skein-20200101T000000Z.db");
    touch(p, "skein-20210101T000000Z.db");
    touch(p, "skein-20220101T000000Z.db");
    touch(p, "skein-2020.db");
    touch(p, "mine.db");
    touch(p, "backup.part");
    assert_int_equal(skn_backup_make(p->engine, p->backups, 2, &err), SKEIN_OK);
    skn_backup_newest(p->backups, &count);
    assert_int_equal(count, 2);
    assert_int_equal(access(path_of(p, "skein-20220101T000000Z.db"), F_OK), 0);
    assert_int_equal(access(path_of(p, "skein-20210101T000000Z.db"), F_OK), -1);
    assert_int_equal(access(path_of(p, "skein-2020.db"), F_OK), 0);
    assert_int_equal(access(path_of(p, "mine.db"), F_OK), 0);
    assert_int_equal(access(path_of(p, "backup.part"), F_OK), -1);
}

static void a_copy_that_fails_removes_none(void **state)
{
    place      *p = *state;
    skein_error err;
    int64_t     count;

    assert_int_equal(mkdir(p->backups, 0700), 0);
    touch(p, "skein-20200101T000000Z.db");
    assert_int_equal(mkdir(path_of(p, "backup.part"), 0700), 0);
    assert_int_not_equal(skn_backup_make(p->engine, p->backups, 1, &err), SKEIN_OK);
    skn_backup_newest(p->backups, &count);
    assert_int_equal(count, 1);
}

static void a_name_tells_its_time(void **state)
{
    char name[SKN_BACKUP_NAME];

    (void)state;
    skn_backup_name(INT64_C(1794747723004000), name);
    assert_string_equal(name, "skein-20261115T130203Z.db");
}

#define T(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(a_copy_is_a_store),
        T(only_the_newest_stay_and_nothing_else_is_touched),
        T(a_copy_that_fails_removes_none),
        cmocka_unit_test(a_name_tells_its_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
