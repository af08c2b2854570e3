/* fixture.h: a fresh store for each test, on SQLite or PostgreSQL, gone again when the test ends.
 *
 *   static void a_test(void **state)
 *   {
 *       skn_fixture *fx = skn_fixture_of(state);
 *       … fx->store is open; fx->address opens it once more …
 *   }
 *   const struct CMUnitTest tests[] = {SKN_BOTH(a_test), SKN_ON_SQLITE(another)};
 *
 * SQLite stores lie in a directory made for the test. A store in PostgreSQL is a schema in a database
 * made for the test, on the server of $SKEIN_TEST_PG (tools/pg.sh sets it); without that the test
 * fails, as it does when anything else cannot be set up.
 *
 * Threads: one.  Lifetimes: all of it ends with skn_fixture_close. */
#ifndef SKN_TESTS_FIXTURE_H
#define SKN_TESTS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/store.h"

typedef struct skn_fixture {
    bool pg;
    char dir[200];     /* for the test's own files; exists on both */
    char address[600]; /* of the store */
    char path[240];    /* SQLite: the store's file */
    char schema[40];   /* PostgreSQL: the store's schema */
    char database[40]; /* PostgreSQL: made for this store alone, and goes with it; or empty */
    skn_store *store;
} skn_fixture;

/* A fresh place ("sqlite" or "pg") with a new, open store in it. */
void skn_fixture_open(skn_fixture *fx, const char *kind);
/* The same, not open yet. */
void skn_fixture_new(skn_fixture *fx, const char *kind);
/* A fresh place without a store. */
void skn_fixture_place(skn_fixture *fx, const char *kind);
/* Opens the store, after skn_fixture_new, skn_fixture_place or skn_fixture_shut. */
void skn_fixture_begin(skn_fixture *fx);
/* Closes the store; the place stays. */
void skn_fixture_shut(skn_fixture *fx);
/* Closes the store and removes the place. */
void skn_fixture_close(skn_fixture *fx);
/* Runs SQL text on the store's database over a connection of its own. */
void skn_fixture_sql(skn_fixture *fx, const char *sql);
/* The number that SQL text selects there. */
int64_t skn_fixture_number(skn_fixture *fx, const char *sql);
/* Whether a text stands anywhere in the store's files: in any table, index or log. */
bool skn_fixture_holds(skn_fixture *fx, const char *text);
/* The file `name` in the test's directory. */
const char *skn_fixture_file(skn_fixture *fx, const char *name, char out[static 300]);

/* What cmocka calls; the plain ones open a store, the _place ones only make the place. */
int          skn_fixture_setup_sqlite(void **state);
int          skn_fixture_setup_pg(void **state);
int          skn_fixture_setup_sqlite_place(void **state);
int          skn_fixture_setup_pg_place(void **state);
int          skn_fixture_teardown(void **state);
skn_fixture *skn_fixture_of(void **state);

/* Fails the test with the error's message unless rc is SKEIN_OK. */
#define SKN_OK(call, err)                                                                      \
    do {                                                                                       \
        if (call)                                                                              \
            fail_msg("%s (%s)", (err).message, (err).hint);                                    \
    } while (0)

#define SKN_TEST(test, where, how)                                                             \
    {                                                                                          \
#test "_on_" where, test, skn_fixture_setup_##how, skn_fixture_teardown, NULL          \
    }
#define SKN_ON_SQLITE(test)    SKN_TEST(test, "sqlite", sqlite)
#define SKN_ON_PG(test)        SKN_TEST(test, "postgresql", pg)
#define SKN_BOTH(test)         SKN_ON_SQLITE(test), SKN_ON_PG(test)
#define SKN_PLACE_SQLITE(test) SKN_TEST(test, "sqlite", sqlite_place)
#define SKN_PLACE_PG(test)     SKN_TEST(test, "postgresql", pg_place)
#define SKN_PLACE_BOTH(test)   SKN_PLACE_SQLITE(test), SKN_PLACE_PG(test)

#endif
