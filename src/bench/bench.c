/* bench.c: the command: sizes, parts, verdict. */
#include "bench/bench.h"
#include "base/clock.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static const skn_bench_sizes full = {
#define SIZE(name, full, quick) .name = (full),
#include "bench/bench_sizes.def"
#undef SIZE
};
/* Everything once, to see that it works. */
static const skn_bench_sizes quick = {
#define SIZE(name, full, quick) .name = (quick),
#include "bench/bench_sizes.def"
#undef SIZE
};

typedef struct target {
    const char *what, *unit, *against;
    double      ratio_min, ratio_max, figure_min, figure_max;
} target;

static const target rows[SKN_BENCH_ROWS] = {
#define ROW(id, what, unit, against, ratio_min, ratio_max, figure_min, figure_max)             \
    {what, unit, against, ratio_min, ratio_max, figure_min, figure_max},
#include "bench/bench_rows.def"
#undef ROW
};

static skein_rc read_sizes(skn_bench *b)
{
    skn_cli *cli = b->cli;
    skn_str  part = skn_str_of(skn_opt(cli, "part"));
    skein_rc rc;

    if (part.p && !skn_str_is(part, "engine") && !skn_str_is(part, "server") &&
        !skn_str_is(part, "agents"))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"%.*s\" is not part of it: engine, server, agents", SKN_FMT(part));
    b->quick = skn_opt(cli, "quick");
    b->size = b->quick ? quick : full;
    if ((rc = skn_opt_int(cli, "messages", b->size.middle, 100000000, b->size.large,
                          &b->size.large)) ||
        (rc = skn_opt_int(cli, "clients", 1, 100000, b->size.streams, &b->size.streams)))
        return rc;
    return skn_opt_int(cli, "agents", 1, 1000, b->size.agents, &b->size.agents);
}

/* The table: what, figure, floor or reference, ratio, target, ok or not. */

#define WHAT_COLUMNS 50

/* Three significant digits, and commas. */
static const char *with_unit(const skn_bench *b, double v, const char *unit)
{
    if (!*unit)
        return skn_bench_count(b, (int64_t)v);
    if (v >= 1000)
        return skn_bench_text(b, "%s %s", skn_bench_count(b, (int64_t)(v + 0.5)), unit);
    return skn_bench_text(b, "%.*f %s", v >= 100 ? 0 : v >= 10 ? 1 : v >= 1 ? 2 : 3, v, unit);
}

static int64_t size_of(const skn_bench *b, skn_str name)
{
    static const struct {
        const char *name;
        size_t      at;
    } sizes[] = {
#define SIZE(name, full, quick) {#name, offsetof(skn_bench_sizes, name)},
#include "bench/bench_sizes.def"
#undef SIZE
    };
    int64_t n = 0;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (skn_str_is(name, sizes[i].name))
            memcpy(&n, (const char *)&b->size + sizes[i].at, sizeof n);
    return n;
}

/* A text of the table with the sizes that it names. */
static const char *filled(const skn_bench *b, const char *text)
{
    const char *from;

    while ((from = strchr(text, '{'))) {
        skn_str name = {from + 1, strcspn(from + 1, "}")};

        text = skn_bench_text(b, "%.*s%s%s", (int)(from - text), text,
                              skn_bench_count(b, size_of(b, name)), name.p + name.n + 1);
    }
    return text;
}

static const char *target_text(const skn_bench *b, const target *r)
{
    const char *ratio = "";

    if (r->figure_min > 0)
        return skn_bench_text(b, "at least %s %s", skn_bench_count(b, (int64_t)r->figure_min),
                              r->unit);
    if (r->ratio_min > 0)
        ratio = skn_bench_text(b, "at least %g x", r->ratio_min);
    else if (r->ratio_max > 0)
        ratio = skn_bench_text(b, "at most %g x", r->ratio_max);
    if (r->figure_max <= 0)
        return ratio;
    return skn_bench_text(b, "%s%sunder %s %s", ratio, *ratio ? ", " : "",
                          skn_bench_count(b, (int64_t)r->figure_max), r->unit);
}

typedef enum verdict { MET, MISSED, NOT_JUDGED } verdict;

/* A quick run is too short to judge by. */
static verdict judge(const skn_bench *b, const target *t, const skn_bench_result *r)
{
    if (b->quick || r->unknown)
        return NOT_JUDGED;
    if ((t->ratio_min > 0 && r->ratio < t->ratio_min) ||
        (t->ratio_max > 0 && r->ratio > t->ratio_max) ||
        (t->figure_min > 0 && r->figure < t->figure_min) ||
        (t->figure_max > 0 && r->figure >= t->figure_max))
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

static skein_rc add_json(skn_bench *b, const target *t, const skn_bench_result *r, verdict v)
{
    skn_jw *w = skn_item(b->cli);

    skn_jw_object(w);
    skn_jw_kstr(w, "what", skn_str_of(filled(b, t->what)));
    number_or_null(w, "figure", !r->unknown, r->figure);
    skn_jw_kstr(w, "unit", skn_str_of(t->unit));
    number_or_null(w, "reference", r->reference > 0, r->reference);
    skn_jw_kstr(w, "against", skn_str_of(t->against ? filled(b, t->against) : NULL));
    number_or_null(w, "ratio", r->ratio > 0, r->ratio);
    skn_jw_kstr(w, "target", skn_str_of(target_text(b, t)));
    if (v == NOT_JUDGED)
        skn_jw_knull(w, "ok");
    else
        skn_jw_kbool(w, "ok", v == MET);
    skn_jw_kint(w, "rounds", (int64_t)r->rounds);
    skn_jw_object_end(w);
    return skn_item_end(b->cli);
}

static void line(skn_cli *cli, const char *what, const char *figure, const char *reference,
                 const char *ratio, const char *aim)
{
    skn_print(cli, "%-*s %12s  %-24s %6s  %-27s ", WHAT_COLUMNS, what, figure, reference, ratio,
              aim);
}

static void add_text(skn_bench *b, const target *t, const skn_bench_result *r, verdict v)
{
    skn_cli    *cli = b->cli;
    const char *reference = "-", *ratio = "-";

    if (r->reference > 0)
        reference = skn_bench_text(b, "%s %s", with_unit(b, r->reference, t->unit),
                                   filled(b, t->against));
    if (r->ratio > 0)
        ratio = skn_bench_text(b, "%.2f", r->ratio);
    line(cli, filled(b, t->what), r->unknown ? "not known" : with_unit(b, r->figure, t->unit),
         reference, ratio, target_text(b, t));
    if (v == NOT_JUDGED)
        skn_print(cli, "-");
    else if (v == MET)
        skn_print_colour(cli, SKN_GREEN, SKN_STR("ok"));
    else
        skn_print_colour(cli, SKN_RED, SKN_STR("not ok"));
    skn_print(cli, "\n");
    skn_out_flush(cli);
}

skein_rc skn_bench_add(skn_bench *b, skn_bench_id id, skn_bench_result r)
{
    skein_rc rc = SKEIN_OK;
    verdict  v;

    if (r.reference > 0 && r.ratio <= 0)
        r.ratio = r.figure / r.reference;
    if (r.rounds == 0)
        r.rounds = 1;
    v = judge(b, &rows[id], &r);
    b->missed += v == MISSED;
    if (b->cli->json)
        rc = add_json(b, &rows[id], &r, v);
    else
        add_text(b, &rows[id], &r, v);
    skein_mem_reset(b->cli->mem);
    return rc;
}

/* --- What was measured ---------------------------------------------------------------------- */

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

/* The median of the quotients of figures of the same round. */
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

skein_rc skn_bench_compare(skn_bench *b, skn_bench_id row, const skn_samples *figure,
                           const skn_samples *reference)
{
    skn_bench_result r = {.figure = skn_samples_median(figure), .rounds = figure->n};

    if (reference) {
        r.reference = skn_samples_median(reference);
        r.ratio = samples_ratio(figure, reference);
    }
    return skn_bench_add(b, row, r);
}

skein_rc skn_bench_in_turns(skn_bench *b, skn_bench_id row, int64_t rounds,
                            skn_bench_round *round, void *figure, void *reference)
{
    skn_samples measured = {.n = 0}, compared = {.n = 0}, warm = {.n = 0};
    skein_rc    rc;

    if (reference && ((rc = round(b, reference, &warm)) || (rc = round(b, figure, &warm))))
        return rc;
    for (int64_t i = 0; i < rounds; i++) {
        if ((rc = skn_bench_go_on(b)) || (reference && (rc = round(b, reference, &compared))) ||
            (rc = round(b, figure, &measured)))
            return rc;
        skein_mem_reset(b->cli->mem);
    }
    return skn_bench_compare(b, row, &measured, reference ? &compared : NULL);
}

const char *skn_bench_count(const skn_bench *b, int64_t n)
{
    const char *digits = skn_bench_text(b, "%" PRId64, n);
    size_t      count = strlen(digits), k = 0;
    char       *out = skn_arena_alloc(b->cli->keep, 2 * count + 1);

    for (size_t i = 0; i < count; i++) {
        if (i && digits[i - 1] != '-' && (count - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits[i];
    }
    return out;
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

const char *skn_bench_folder(const skn_bench *b, const char *above)
{
    skn_str name = skn_arena_printf(b->cli->keep, "%s/skein-bench-XXXXXX", above);
    char   *path = skn_arena_alloc(b->cli->keep, name.n + 1);

    memcpy(path, name.p, name.n);
    return mkdtemp(path);
}

static skein_rc make_folder(skn_bench *b)
{
    b->folder = skn_bench_folder(b, parent_folder(b));
    if (b->folder)
        return SKEIN_OK;
    return skn_fail_hint(&b->cli->err, SKEIN_IO, "Name another place with --data DIR",
                         "no folder can be made in \"%s\": %s", parent_folder(b),
                         strerror(errno));
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

int64_t skn_bench_status_kb(pid_t pid, const char *name)
{
    char    path[64], line[256];
    int64_t kb = 0;
    size_t  n = strlen(name);
    FILE   *f;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, n) && line[n] == ':')
            kb = strtoll(line + n + 1, NULL, 10);
    if (f)
        fclose(f);
    return kb;
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
static const char *bench_shown(const skn_bench *b)
{
    char type[TYPE_SIZE];

    if (!b->folder)
        return skn_bench_text(b, "%.*s", SKN_FMT(skn_place_shown(b->cli)));
    find_type(b->folder, type);
    return skn_bench_text(b, "SQLite in %s (%s)", parent_folder(b), type);
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
    return skn_fail_hint(&b->cli->err, SKEIN_CONFLICT,
                         "Name a store that does not exist yet; it stays, and can be removed",
                         "the store \"%.*s\" is in use: it has worlds",
                         SKN_FMT(skn_place_shown(b->cli)));
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

/* --- The command ------------------------------------------------------------------------------ */

static bool is_wanted(const skn_bench *b, const char *part)
{
    skn_str only = skn_str_of(skn_opt(b->cli, "part"));

    return !only.p || skn_str_is(only, part);
}

static skein_rc run_parts(skn_bench *b)
{
    skein_rc rc = SKEIN_OK;

    if (is_wanted(b, "engine"))
        rc = skn_bench_engine(b);
    if (rc == SKEIN_OK && is_wanted(b, "server"))
        rc = skn_bench_server(b);
    if (rc == SKEIN_OK && is_wanted(b, "agents"))
        rc = skn_bench_agents(b);
    return rc;
}

static void tell_how(const skn_bench *b)
{
    skn_print(b->cli,
              "skein %s, %s\nMedians of %" PRId64
              " rounds or more, in turns with the reference; the ratio is the median of "
              "theirs.\n\n",
              skein_version_text(), bench_shown(b), b->size.rounds);
    line(b->cli, "what", "figure", "floor or reference", "ratio", "target");
    skn_print(b->cli, "ok\n");
    skn_out_flush(b->cli);
}

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
    if (cli->json)
        skn_list_begin(cli);
    else
        tell_how(&b);
    rc = run_parts(&b);
    if (cli->json && rc == SKEIN_OK)
        skn_list_end(cli);
    bench_leave(&b);
    if (rc == SKEIN_OK && b.missed && !cli->json)
        skn_print(cli, "\n%zu missed\n", b.missed);
    return rc ? rc : (skein_rc)(b.missed > 0);
}
