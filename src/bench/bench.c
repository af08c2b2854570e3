/* bench.c: the command: sizes, parts, verdict. */
#include "bench/bench.h"
#include "base/clock.h"
#include "base/error.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const skn_bench_sizes full = {.large = 1000000,
                                     .middle = 10000,
                                     .small = 1000,
                                     .batch = 200,
                                     .amends = 10000,
                                     .edges = 100,
                                     .agents = 50,
                                     .room = 1000,
                                     .replies = 10000,
                                     .levels = 100,
                                     .threads = 16,
                                     .writers = 10,
                                     .rounds = 21,
                                     .many_rounds = 63,
                                     .reads = 20,
                                     .requests = 4000,
                                     .streams = 5000,
                                     .events = 20,
                                     .turns = 500,
                                     .chunks = 500,
                                     .tasks = 1000,
                                     .workers = 50,
                                     .depth = 1000};
/* Everything once, to see that it works. */
static const skn_bench_sizes quick = {.large = 2000,
                                      .middle = 500,
                                      .small = 200,
                                      .batch = 8,
                                      .amends = 20,
                                      .edges = 5,
                                      .agents = 5,
                                      .room = 20,
                                      .replies = 200,
                                      .levels = 100,
                                      .threads = 16,
                                      .writers = 10,
                                      .rounds = 2,
                                      .many_rounds = 2,
                                      .reads = 2,
                                      .requests = 20,
                                      .streams = 20,
                                      .events = 2,
                                      .turns = 5,
                                      .chunks = 5,
                                      .tasks = 20,
                                      .workers = 5,
                                      .depth = 10};

static skein_rc read_sizes(skn_bench *b)
{
    skn_cli *cli = b->cli;
    skn_str  part = skn_str_of(skn_opt(cli, "part"));
    skein_rc rc;

    if (part.p && !skn_str_is(part, "engine") && !skn_str_is(part, "server") &&
        !skn_str_is(part, "agents"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"%.*s\" is no part of it: engine, server, agents", SKN_FMT(part));
    b->quick = skn_opt(cli, "quick");
    b->size = b->quick ? quick : full;
    if ((rc = skn_opt_int(cli, "messages", b->size.middle, 100000000, b->size.large,
                          &b->size.large)) ||
        (rc = skn_opt_int(cli, "clients", 1, 100000, b->size.streams, &b->size.streams)))
        return rc;
    return skn_opt_int(cli, "agents", 1, 1000, b->size.agents, &b->size.agents);
}

static skein_rc run_engine(skn_bench *b)
{
    skein_rc rc;

    if ((rc = skn_bench_appends(b)) || (rc = skn_bench_by_size(b)) || (rc = skn_bench_rooms(b)))
        return rc;
    return skn_bench_replies(b);
}

static bool is_wanted(const skn_bench *b, const char *part)
{
    skn_str only = skn_str_of(skn_opt(b->cli, "part"));

    return !only.p || skn_str_is(only, part);
}

static skein_rc run_parts(skn_bench *b)
{
    skein_rc rc = SKEIN_OK;

    if (is_wanted(b, "engine"))
        rc = run_engine(b);
    if (rc == SKEIN_OK && is_wanted(b, "server"))
        rc = skn_bench_server(b);
    if (rc == SKEIN_OK && is_wanted(b, "agents"))
        rc = skn_bench_agents(b);
    return rc;
}

static skn_str bench_shown(const skn_bench *b);

static void tell_how(const skn_bench *b)
{
    skn_str where = bench_shown(b);

    if (b->cli->json)
        return;
    skn_print(
        b->cli,
        "skein %s, %.*s\nMedians of %d rounds or more, in turns with the reference; the ratio "
        "is the median of theirs.\n\n",
        skein_version_text(), SKN_FMT(where), b->size.rounds);
}

static skein_rc bench_place(skn_bench *b);
static void     bench_head(skn_bench *b);
static void     bench_leave(skn_bench *b);

skein_rc skn_cmd_bench(skn_cli *cli)
{
    skn_bench b = {.cli = cli};
    skein_rc  rc = read_sizes(&b);

    if (rc)
        return rc;
    if (cli->arg_count)
        return skn_bench_alone(&b);
    if ((rc = bench_place(&b)))
        return rc;
    tell_how(&b);
    if (cli->json)
        skn_list_begin(cli);
    bench_head(&b);
    rc = run_parts(&b);
    if (cli->json && rc == SKEIN_OK)
        skn_list_end(cli);
    bench_leave(&b);
    if (rc == SKEIN_OK && b.missed && !cli->json)
        skn_print(cli, "\n%zu missed\n", b.missed);
    return rc ? rc : (skein_rc)(b.missed > 0);
}

/* The table: what, figure, floor or reference, ratio, target, ok or not. */

#define WHAT_COLUMNS 50

/* Three digits that count, and commas. */
static skn_str number(skn_arena *a, double v)
{
    if (v >= 1000)
        return skn_bench_count(a, (int64_t)(v + 0.5));
    return skn_arena_printf(a, "%.*f", v >= 100 ? 0 : v >= 10 ? 1 : v >= 1 ? 2 : 3, v);
}

static skn_str with_unit(skn_arena *a, double v, const char *unit)
{
    skn_str n = *unit ? number(a, v) : skn_bench_count(a, (int64_t)v);

    return *unit ? skn_arena_printf(a, "%.*s %s", SKN_FMT(n), unit) : n;
}

static skn_str target_text(skn_arena *a, const skn_bench_row *r)
{
    skn_str ratio = SKN_NONE, figure;

    if (r->ratio_min > 0)
        ratio = skn_arena_printf(a, "at least %g x", r->ratio_min);
    else if (r->ratio_max > 0)
        ratio = skn_arena_printf(a, "at most %g x", r->ratio_max);
    if (r->figure_min > 0) {
        figure = skn_bench_count(a, (int64_t)r->figure_min);
        return skn_arena_printf(a, "at least %.*s %s", SKN_FMT(figure), r->unit);
    }
    if (r->figure_max <= 0)
        return ratio;
    figure = skn_bench_count(a, (int64_t)r->figure_max);
    return skn_arena_printf(a, "%.*s%sunder %.*s %s", SKN_FMT(ratio), ratio.n ? ", " : "",
                            SKN_FMT(figure), r->unit);
}

typedef enum verdict { MET, MISSED, NOT_JUDGED } verdict;

/* A quick run is too short to judge by. */
static verdict judge(const skn_bench *b, const skn_bench_row *r)
{
    if (b->quick || r->unknown)
        return NOT_JUDGED;
    if ((r->ratio_min > 0 && r->ratio < r->ratio_min) ||
        (r->ratio_max > 0 && r->ratio > r->ratio_max) ||
        (r->figure_min > 0 && r->figure < r->figure_min) ||
        (r->figure_max > 0 && r->figure >= r->figure_max))
        return MISSED;
    return MET;
}

static void number_or_null(skn_jw *w, const char *key, bool there, double v)
{
    skn_jw_key(w, key);
    if (there)
        skn_jw_double(w, v);
    else
        skn_jw_null(w);
}

static skein_rc add_json(skn_bench *b, const skn_bench_row *r, verdict v)
{
    skn_jw *w = skn_item(b->cli);

    skn_jw_object(w);
    skn_jw_kstr(w, "what", skn_str_of(r->what));
    number_or_null(w, "figure", !r->unknown, r->figure);
    skn_jw_kstr(w, "unit", skn_str_of(r->unit));
    number_or_null(w, "reference", r->reference > 0, r->reference);
    skn_jw_kstr(w, "against", skn_str_of(r->against));
    number_or_null(w, "ratio", r->ratio > 0, r->ratio);
    skn_jw_kstr(w, "target", target_text(b->cli->mem, r));
    if (v == NOT_JUDGED)
        skn_jw_knull(w, "ok");
    else
        skn_jw_kbool(w, "ok", v == MET);
    skn_jw_kint(w, "rounds", (int64_t)r->rounds);
    skn_jw_object_end(w);
    return skn_item_end(b->cli);
}

static void line(skn_cli *cli, skn_str what, skn_str figure, skn_str reference, skn_str ratio,
                 skn_str target)
{
    skn_print(cli, "%-*.*s %12.*s  %-24.*s %6.*s  %-27.*s ", WHAT_COLUMNS, SKN_FMT(what),
              SKN_FMT(figure), SKN_FMT(reference), SKN_FMT(ratio), SKN_FMT(target));
}

static void add_text(skn_bench *b, const skn_bench_row *r, verdict v)
{
    skn_cli   *cli = b->cli;
    skn_arena *a = cli->mem;
    skn_str    reference = SKN_STR("-"), ratio = SKN_STR("-");

    if (r->reference > 0) {
        reference = with_unit(a, r->reference, r->unit);
        reference = skn_arena_printf(a, "%.*s %s", SKN_FMT(reference), r->against);
    }
    if (r->ratio > 0)
        ratio = skn_arena_printf(a, "%.2f", r->ratio);
    line(cli, skn_str_of(r->what),
         r->unknown ? SKN_STR("not known") : with_unit(a, r->figure, r->unit), reference, ratio,
         target_text(a, r));
    if (v == NOT_JUDGED)
        skn_print(cli, "-\n");
    else if (v == MET)
        skn_print_colour(cli, SKN_GREEN, SKN_STR("ok"));
    else
        skn_print_colour(cli, SKN_RED, SKN_STR("not ok"));
    if (v != NOT_JUDGED)
        skn_print(cli, "\n");
    skn_out_flush(cli);
}

static void bench_head(skn_bench *b)
{
    if (b->cli->json)
        return;
    line(b->cli, SKN_STR("what"), SKN_STR("figure"), SKN_STR("floor or reference"),
         SKN_STR("ratio"), SKN_STR("target"));
    skn_print(b->cli, "ok\n");
    skn_out_flush(b->cli);
}

skein_rc skn_bench_add(skn_bench *b, const skn_bench_row *row)
{
    verdict  v = judge(b, row);
    skein_rc rc = SKEIN_OK;

    b->missed += v == MISSED;
    if (b->cli->json)
        rc = add_json(b, row, v);
    else
        add_text(b, row, v);
    skein_mem_reset(b->cli->mem);
    return rc;
}

static double samples_ratio(const skn_samples *figure, const skn_samples *reference);

skein_rc skn_bench_compare(skn_bench *b, skn_bench_row row, const skn_samples *figure,
                           const skn_samples *reference)
{
    row.figure = skn_samples_median(figure);
    row.rounds = figure->n;
    if (reference) {
        row.reference = skn_samples_median(reference);
        row.ratio = samples_ratio(figure, reference);
    }
    return skn_bench_add(b, &row);
}

void skn_samples_add(skn_samples *s, double v)
{
    assert(s->n < SKN_BENCH_SAMPLES);
    s->at[s->n++] = v;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double skn_median(double *at, size_t n)
{
    if (n == 0)
        return 0;
    qsort(at, n, sizeof *at, by_value);
    return n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
}

double skn_samples_median(const skn_samples *s)
{
    skn_samples copy = *s;

    return skn_median(copy.at, copy.n);
}

/* The median of the quotients of what was measured in the same round. */
static double samples_ratio(const skn_samples *figure, const skn_samples *reference)
{
    skn_samples ratios = {.n = 0};

    assert(figure->n == reference->n);
    for (size_t i = 0; i < figure->n; i++)
        if (reference->at[i] > 0)
            skn_samples_add(&ratios, figure->at[i] / reference->at[i]);
    return skn_samples_median(&ratios);
}

double skn_bench_since(int64_t start)
{
    return (double)(skn_clock_monotonic() - start) / 1e9;
}

skn_str skn_bench_count(skn_arena *a, int64_t n)
{
    skn_str digits = skn_arena_printf(a, "%lld", (long long)n);
    char   *out = skn_arena_alloc(a, digits.n * 2);
    size_t  k = 0;

    for (size_t i = 0; i < digits.n; i++) {
        if (i && digits.p[i - 1] != '-' && (digits.n - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits.p[i];
    }
    return (skn_str){out, k};
}

/* Where it is measured. Everything is made in a folder of its own, on a disk, and
 * removed afterwards. An interrupt is held back until that is done: it is looked for between rounds. */

#define PATH_SIZE 4096
#define TYPE_SIZE 32

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

static void hold_interrupts(skn_bench *b)
{
    struct sigaction now;
    sigset_t         set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
        if (sigaction(interrupts[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, interrupts[i]);
    pthread_sigmask(SIG_BLOCK, &set, &b->signals);
}

skein_rc skn_bench_go_on(skn_bench *b)
{
    sigset_t waiting;

    if (sigpending(&waiting) == 0)
        for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
            if (sigismember(&waiting, interrupts[i]) == 1)
                return skn_fail(&b->cli->err, SKEIN_FAILED, "the measurement was interrupted");
    return SKEIN_OK;
}

/* --- A folder of our own -------------------------------------------------------------------- */

/* /tmp may be in memory, where nothing is durable and commits cost nothing. */
static const char *parent_folder(const skn_bench *b)
{
    const char *folder = skn_opt(b->cli, "data");

    if (!folder)
        folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/var/tmp";
}

static skein_rc make_folder(skn_bench *b)
{
    skn_str name = skn_arena_printf(b->cli->keep, "%s/skein-bench-XXXXXX", parent_folder(b));
    char   *path = skn_arena_alloc(b->cli->keep, name.n + 1);

    memcpy(path, name.p, name.n);
    if (mkdtemp(path)) {
        b->folder = path;
        return SKEIN_OK;
    }
    skn_fail(&b->cli->err, SKEIN_IO, "no folder can be made in \"%s\": %s", parent_folder(b),
             strerror(errno));
    return skn_hint(&b->cli->err, SKEIN_IO, "Name another place with --data DIR");
}

void skn_bench_remove(const char *folder)
{
    char           path[PATH_SIZE];
    struct dirent *entry;
    DIR           *dir = opendir(folder);

    while (dir && (entry = readdir(dir))) {
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);

        if (n > 0 && (size_t)n < sizeof path && entry->d_name[0] != '.')
            unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* The folder's path without symbolic links. */
static void find_path(const char *folder, char out[static PATH_SIZE])
{
    char    link[64];
    int     fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = fd >= 0 ? readlink(link, out, PATH_SIZE - 1) : -1;
    out[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

static bool is_above(const char *point, const char *path)
{
    size_t n = strlen(point);

    return !strncmp(path, point, n) && (n == 1 || path[n] == '/' || path[n] == '\0');
}

/* The type of the file system with the longest mount point above the folder. */
static void find_type(const char *folder, char type[static TYPE_SIZE])
{
    FILE  *mounts = fopen("/proc/self/mounts", "r");
    char   path[PATH_SIZE], line[PATH_SIZE], point[PATH_SIZE], kind[TYPE_SIZE];
    size_t best = 0;

    find_path(folder, path);
    snprintf(type, TYPE_SIZE, "unknown file system");
    while (mounts && fgets(line, sizeof line, mounts))
        if (sscanf(line, "%*s %4095s %31s", point, kind) == 2 && is_above(point, path) &&
            strlen(point) >= best) {
            best = strlen(point);
            snprintf(type, TYPE_SIZE, "%s", kind);
        }
    if (mounts)
        fclose(mounts);
}

/* The place for a person: a folder and its file system, or a server. */
static skn_str bench_shown(const skn_bench *b)
{
    char type[TYPE_SIZE];

    if (!b->folder)
        return skn_place_shown(b->cli);
    find_type(b->folder, type);
    return skn_arena_printf(b->cli->keep, "SQLite in %s (%s)", parent_folder(b), type);
}

/* --- Coming and going ----------------------------------------------------------------------- */

/* What is measured stays in a store that was named, so it must not be one that is in use. */
static skein_rc check_empty(skn_bench *b)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e = NULL;
    skein_worlds  worlds;
    skein_rc      rc;

    options.store = skn_str_of(b->address);
    if ((rc = skein_open(&e, &options, &b->cli->err)))
        return rc;
    rc = skein_world_list(e, b->cli->keep, &worlds, &b->cli->err);
    skein_close(e);
    if (rc || worlds.count == 0)
        return rc;
    skn_fail(&b->cli->err, SKEIN_CONFLICT, "the store \"%.*s\" is in use: it has worlds",
             SKN_FMT(skn_place_shown(b->cli)));
    return skn_hint(&b->cli->err, SKEIN_CONFLICT,
                    "Name a store that does not exist yet; it stays, and can be removed");
}

/* Finds or makes the place. From here on an interrupt waits until the place is tidied up. */
static skein_rc bench_place(skn_bench *b)
{
    skein_rc rc;

    b->address = skn_opt(b->cli, "db");
    if (b->address) {
        if ((rc = skn_place_address(b->cli)) || (rc = check_empty(b)))
            return rc;
    } else if ((rc = make_folder(b))) {
        return rc;
    }
    hold_interrupts(b);
    return SKEIN_OK;
}

/* Removes what was made, and lets a waiting interrupt through. */
static void bench_leave(skn_bench *b)
{
    if (b->folder)
        skn_bench_remove(b->folder);
    skn_out_flush(b->cli);
    pthread_sigmask(SIG_SETMASK, &b->signals, NULL);
}
