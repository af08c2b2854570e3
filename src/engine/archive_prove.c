/* archive_prove.c: would the store still be sound with this archive in it?
 *
 * The archive is imported into a store of its own, in a directory made for it, and that store
 * is checked as any other. So whatever a check can find in a store is found before anything is
 * written to the one that is meant, and it costs what the archive costs, however large that
 * store is. */
#include "engine/archive.h"
#include "engine/core.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct stage {
    char          dir[200];
    skein_engine *e;
    skein_mem    *mem;
} stage;

static skein_rc open_stage(stage *s, skein_error *err)
{
    const char   *tmp = getenv("TMPDIR");
    skein_options options = SKEIN_OPTIONS_INIT;

    *s = (stage){.mem = skein_mem_new()};
    snprintf(s->dir, sizeof s->dir, "%s/skein-import-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(s->dir)) {
        skein_rc rc = skn_fail(err, SKEIN_IO, "cannot make \"%s\" to check the archive in: %s",
                               s->dir, strerror(errno));

        s->dir[0] = '\0';
        return skn_hint(err, rc, "Set TMPDIR to a directory with room.");
    }
    options.store = skn_arena_printf(s->mem, "sqlite:%s/check.db", s->dir);
    return skein_open(&s->e, &options, err);
}

static void close_stage(stage *s)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-journal"};

    skein_close(s->e);
    for (size_t i = 0; s->dir[0] && i < sizeof ends / sizeof *ends; i++)
        unlink(skn_arena_printf(s->mem, "%s/check.db%s", s->dir, ends[i]).p);
    if (s->dir[0])
        rmdir(s->dir);
    skein_mem_free(s->mem);
}

static skein_rc check_stage(stage *s, const skn_lines *lines, skein_error *err)
{
    skein_check check;
    skein_rc    rc = skein_fsck(s->e, s->mem, &check, err);

    if (rc || check.count == 0)
        return rc;
    rc = skn_fail(err, SKEIN_DATA, "\"%s\" is not sound: %.*s: %.*s", lines->name,
                  SKN_FMT(check.at[0].invariant), SKN_FMT(check.at[0].text));
    return skn_hint(err, rc, "Nothing was written.");
}

skein_rc skn_intake_prove(skn_intake *im, skein_error *err)
{
    stage    s;
    skein_rc rc = open_stage(&s, err);

    im->alone = true;
    if (!rc)
        rc = skn_intake_put(im, s.e->store, err);
    im->alone = false;
    if (!rc)
        rc = check_stage(&s, im->lines, err);
    close_stage(&s);
    return rc;
}
