/* Whatever a file is, importing it fails with a reason or makes worlds that fit together: an
 * archive of ours that does not fit would be our own mistake. Nothing is written. */
#include "exchange/exchange.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what, const char *more)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_import: %s: %s\n", what, more);
    abort();
}

/* A store and a place for the input, made once. */
static struct {
    skein_engine *e;
    char          dir[200], path[240];
} place;

static void leave(void)
{
    static const char *const ends[] = {"store.db", "store.db-wal", "store.db-shm", "input"};
    char                     path[300];

    skein_close(place.e);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(path, sizeof path, "%s/%s", place.dir, ends[i]);
        unlink(path);
    }
    rmdir(place.dir);
}

static void settle_in(void)
{
    const char   *tmp = getenv("TMPDIR");
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_error   err = {0};
    char          store[300];

    snprintf(place.dir, sizeof place.dir, "%s/skein-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    expect(mkdtemp(place.dir) != NULL, "no folder", place.dir);
    snprintf(place.path, sizeof place.path, "%s/input", place.dir);
    snprintf(store, sizeof store, "sqlite:%s/store.db", place.dir);
    options.store = skein_text(store);
    expect(skein_open(&place.e, &options, &err) == SKEIN_OK, "no store", err.message);
    atexit(leave);
}

static void put(const uint8_t *data, size_t size)
{
    FILE *out = fopen(place.path, "wb");

    expect(out != NULL, "no file", place.path);
    expect(fwrite(data, 1, size, out) == size && fclose(out) == 0, "not written", place.path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_import_request req = {.dry_run = true};
    skn_import_report  report;
    skein_error        err = {0};
    skein_mem         *mem = skein_mem_new();
    skein_rc           rc;

    if (!place.e)
        settle_in();
    put(data, size);
    rc = skn_import(place.e, place.path, &req, mem, &report, &err);
    if (rc) {
        expect(err.rc == rc && err.message[0], "the reason is not said", "");
        expect(report.exact || strncmp(err.message, "archive", 7) != 0,
               "what was made of it does not fit", err.message);
    } else {
        expect(report.world_count > 0, "nothing came of it", "");
    }
    skein_mem_free(mem);
    return 0;
}
