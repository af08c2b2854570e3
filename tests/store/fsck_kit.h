/* fsck_kit.h: damaging a store on purpose, and what the check must say then. */
#ifndef SKN_TESTS_FSCK_KIT_H
#define SKN_TESTS_FSCK_KIT_H

#include "store/kit.h"

#include "base/buf.h"

static inline void leave(kit *k)
{
    skein_close(k->e);
    k->e = NULL;
}

static inline void come_back(kit *k)
{
    skein_options options = SKEIN_OPTIONS_INIT;

    options.store = skein_text(k->fx->address);
    KIT_OK(k, skein_open(&k->e, &options, &k->err));
}

/* Runs SQL with everything off that would refuse it. */
static inline void vandalise(kit *k, const char *sql)
{
    skn_buf all;

    skn_buf_init(&all, 1 << 20);
    skn_buf_addf(&all, "%s%s",
                 k->fx->pg ? "SET session_replication_role = replica;"
                           : "PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON;",
                 sql);
    leave(k);
    skn_fixture_sql(k->fx, all.p);
    come_back(k);
    skn_buf_release(&all);
}

/* All findings are of this invariant and say this, and there is one. */
static inline void expect_only(kit *k, const char *invariant, const char *text)
{
    skein_check check;

    KIT_OK(k, skein_fsck(k->e, k->mem, &check, &k->err));
    for (size_t i = 0; i < check.count; i++)
        if (strcmp(check.at[i].invariant.p, invariant) != 0 ||
            !strstr(check.at[i].text.p, text))
            fail_msg("expected %s (%s), but %s: %s", invariant, text, check.at[i].invariant.p,
                     check.at[i].text.p);
    if (check.count == 0)
        fail_msg("nothing was found, expected %s", invariant);
}

/* One of the findings is this. */
static inline void expect_among(kit *k, const char *invariant, const char *text)
{
    skein_check check;

    KIT_OK(k, skein_fsck(k->e, k->mem, &check, &k->err));
    for (size_t i = 0; i < check.count; i++)
        if (!strcmp(check.at[i].invariant.p, invariant) && strstr(check.at[i].text.p, text))
            return;
    fail_msg("%zu findings, but not %s (%s)", check.count, invariant, text);
}

static inline void expect(kit *k, const char *invariant)
{
    expect_only(k, invariant, "");
}

static inline void done(kit *k)
{
    skein_close(k->e);
    skein_mem_free(k->mem);
}

#endif
