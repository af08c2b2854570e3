/* The doctor: every check has one line, a result, and a cure where one is needed. --fix takes the cures that lose
 * nothing: what they are about is then told as fixed. */
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/config_cli.h"
#include "cli/default_model.h"
#include "cli/paste.h"
#include "config/backups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#define BUNDLE_LIMIT (8 << 20)

#define EXIT_FAILURE_FOUND 8
#define LITTLE_SPACE       ((uint64_t)500 << 20)
#define NO_SPACE           ((uint64_t)50 << 20)

typedef enum verdict { OK, FIXED, WARN, FAIL } verdict;

typedef struct visit {
    skn_cli   *cli;
    int        failures, warnings;
    bool       usable; /* the store can be looked into */
    skn_traces traces;
    skn_server server;
    bool       has_server;
    bool       fix;
    skn_buf    told; /* the checks as a JSON list, for the bundle */
    skn_jw     list;
} visit;

static const char *const words[] = {"ok", "fixed", "warn", "fail"};

static bool needs_cure(verdict result)
{
    return result == WARN || result == FAIL;
}

static void check_shape(skn_jw *w, const char *check, verdict result, skn_str text,
                        const char *cure)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "check", skn_str_of(check));
    skn_jw_kstr(w, "result", skn_str_of(words[result]));
    skn_jw_kstr(w, "text", text);
    skn_jw_kstr(w, "cure", skn_str_of(needs_cure(result) ? cure : NULL));
    skn_jw_object_end(w);
}

static skein_rc tell_check(visit *v, const char *check, verdict result, skn_str text,
                           const char *cure)
{
    static const skn_colour colours[] = {SKN_GREEN, SKN_GREEN, SKN_YELLOW, SKN_RED};
    skn_cli                *cli = v->cli;

    v->failures += result == FAIL;
    v->warnings += result == WARN;
    check_shape(&v->list, check, result, text, cure);
    if (cli->json) {
        check_shape(skn_item(cli), check, result, text, cure);
        return skn_item_end(cli);
    }
    skn_print_colour(cli, colours[result], skn_str_of(words[result]));
    skn_print(cli, "%*s%-14s ", (int)(6 - strlen(words[result])), "", check);
    skn_print_told(cli, text);
    skn_print_raw(cli, SKN_STR("\n"));
    if (needs_cure(result) && cure)
        skn_print(cli, "%21scure: %s\n", "", skn_pasteable(cli, cure));
    return SKEIN_OK;
}

/* "2 h", for how long ago something was. */
static skn_str ago(skn_cli *cli, int64_t micros)
{
    int64_t s = (skn_clock_micros() - micros) / 1000000;

    if (s < 120)
        return skn_arena_printf(cli->keep, "%" PRId64 " s", s < 0 ? 0 : s);
    if (s < 7200)
        return skn_arena_printf(cli->keep, "%" PRId64 " min", s / 60);
    if (s < 172800)
        return skn_arena_printf(cli->keep, "%" PRId64 " h", s / 3600);
    return skn_arena_printf(cli->keep, "%" PRId64 " days", s / 86400);
}

/* --- Program and configuration -------------------------------------------------------------- */

static skein_rc check_program(visit *v)
{
    return tell_check(v, "program", OK,
                      skn_arena_printf(v->cli->keep, "skein %s", skein_version_text()), NULL);
}

static skein_rc check_config(visit *v)
{
    const skn_config *c = skn_config_of(v->cli);
    skn_arena        *a = v->cli->keep;
    skn_str           text = SKN_STR("no file, all built-in");
    size_t            worst = 0;

    for (size_t i = 0; i < c->files.n; i++)
        if (c->files.p[i].read)
            text = skn_str_of(c->files.p[i].path);
    if (!c->problems.n)
        return tell_check(v, "configuration", OK, text, NULL);
    while (worst + 1 < c->problems.n && c->errors && !c->problems.p[worst].error)
        worst++;
    text = skn_arena_printf(a, "%.*s; %.*s", SKN_FMT(skn_config_verdict(c, a)),
                            SKN_FMT(skn_config_line(&c->problems.p[worst], a)));
    return tell_check(v, "configuration", c->errors ? FAIL : WARN, text,
                      "\"skein config check\" names every line");
}

/* --- The store ------------------------------------------------------------------------------ */

/* What has been written since a server began is in a log beside the file for a while. */
static int64_t log_size(skn_cli *cli)
{
    struct stat log;
    skn_str     path = skn_arena_printf(cli->keep, "%s-wal", skn_place_file(cli));

    return stat(path.p, &log) == 0 ? (int64_t)log.st_size : 0;
}

static skn_str data_text(skn_cli *cli)
{
    struct stat file;

    if (!skn_place_file(cli))
        return skn_arena_printf(cli->keep, "%.*s  schema %d", SKN_FMT(skn_place_shown(cli)),
                                skn_schema_known());
    if (stat(skn_place_file(cli), &file) != 0)
        return skn_arena_printf(cli->keep, "%s  nothing is there yet", skn_place_file(cli));
    return skn_arena_printf(cli->keep, "%s  %.1f MB, schema %d", skn_place_file(cli),
                            (double)(file.st_size + log_size(cli)) / 1e6, skn_schema_known());
}

static skein_rc check_data(visit *v)
{
    skn_cli    *cli = v->cli;
    skein_rc    rc = skn_place_open(cli);
    skein_error err = cli->err;

    v->usable = !rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    if (rc && !cli->address) {
        cli->err = err;
        return rc;
    }
    if (!rc || rc == SKEIN_NOT_FOUND)
        return tell_check(v, "data", OK, data_text(cli), NULL);
    return tell_check(v, "data", FAIL, skn_arena_printf(cli->keep, "%s", err.message),
                      err.hint[0] ? skn_arena_text(cli->keep, "%s", err.hint)
                                  : "go back to a backup, or name another store with --data");
}

/* The index is made of the messages: where nothing else is wrong, nothing is lost with it. */
static bool only_index(const skein_check *check)
{
    for (size_t i = 0; i < check->count; i++)
        if (!skn_str_is(check->at[i].invariant, "search-index"))
            return false;
    return check->count > 0;
}

static skein_rc tell_index(visit *v)
{
    skein_rc rc;

    if (!v->fix)
        return tell_check(v, "integrity", FAIL, SKN_STR("the search index is damaged"),
                          "\"skein doctor --fix\" rebuilds it");
    rc = skn_search_anew(v->cli->engine, &v->cli->err);
    return rc ? rc
              : tell_check(v, "integrity", FIXED,
                           SKN_STR("the search index was damaged; it is rebuilt"), NULL);
}

static skein_rc check_integrity(visit *v)
{
    skn_cli    *cli = v->cli;
    skein_check check;
    skein_rc    rc = skein_fsck(cli->engine, cli->keep, &check, &cli->err);

    if (rc)
        return rc;
    if (only_index(&check))
        return tell_index(v);
    if (check.count)
        return tell_check(
            v, "integrity", FAIL,
            skn_arena_printf(cli->keep, "%zu invariants are violated", check.count),
            "\"skein fsck\" names them; go back to a backup");
    return tell_check(v, "integrity", OK,
                      skn_arena_printf(cli->keep,
                                       "%" PRId64 " messages, %" PRId64 " threads, %" PRId64
                                       " reply links with a warning (allowed)",
                                       check.messages, check.threads, check.warnings),
                      NULL);
}

/* --- The folder ----------------------------------------------------------------------------- */

static skein_rc tell_open_folder(visit *v, mode_t mode)
{
    const char *folder = v->traces.folder;
    skn_arena  *a = v->cli->keep;

    if (v->fix && chmod(folder, 0700) == 0)
        return tell_check(v, "folder", FIXED,
                          skn_arena_printf(a, "others could read %s; now they cannot", folder),
                          NULL);
    return tell_check(v, "folder", WARN,
                      skn_arena_printf(a, "others can read %s (%04o)", folder, (unsigned)mode),
                      skn_arena_text(a, "chmod 700 %.*s", SKN_FMT(skn_shell_word(a, folder))));
}

static skein_rc check_folder(visit *v)
{
    const char    *folder = v->traces.folder;
    struct stat    about;
    struct statvfs disk;
    uint64_t       left;
    skn_arena     *a = v->cli->keep;
    skein_rc       rc = SKEIN_OK;

    if (!skn_place_file(v->cli) || stat(folder, &about) != 0)
        return SKEIN_OK;
    if (about.st_mode & 077)
        rc = tell_open_folder(v, about.st_mode & 0777);
    if (rc || statvfs(folder, &disk) != 0)
        return rc;
    left = (uint64_t)disk.f_bavail * disk.f_frsize;
    return tell_check(
        v, "disk",
        left < NO_SPACE       ? FAIL
        : left < LITTLE_SPACE ? WARN
                              : OK,
        skn_arena_printf(a, "%.1f GB left for %s", (double)left / 1e9, folder),
        "remove files there, or move the store to another disk and name it with --data");
}

static skein_rc fix_backups(visit *v)
{
    int64_t  keep = skn_config_of(v->cli)->values[SKN_CONFIG_KEEP_BACKUPS].number;
    skein_rc rc = skn_backup_make(v->cli->engine, v->traces.backups, keep, &v->cli->err);

    return rc ? rc
              : tell_check(
                    v, "backups", FIXED,
                    skn_arena_printf(v->cli->keep, "a copy was made in %s", v->traces.backups),
                    NULL);
}

static skein_rc check_backups(visit *v)
{
    skn_arena *a = v->cli->keep;
    int64_t    every = skn_config_of(v->cli)->values[SKN_CONFIG_BACKUP_EVERY].number;
    int64_t    count, newest;
    bool       late;

    if (!v->traces.backups || !v->usable)
        return SKEIN_OK;
    newest = skn_backup_newest(v->traces.backups, &count);
    if (!count)
        return tell_check(
            v, "backups", OK,
            SKN_STR("none yet; a server makes them, and so does \"skein backup\""), NULL);
    late = v->has_server && every && skn_clock_micros() - newest > 2000 * every;
    if (late && v->fix)
        return fix_backups(v);
    return tell_check(v, "backups", late ? WARN : OK,
                      skn_arena_printf(a, "%" PRId64 " in %s, the newest %.*s ago", count,
                                       v->traces.backups, SKN_FMT(ago(v->cli, newest))),
                      "the log of the server says why; make one with \"skein backup\"");
}

/* --- The server ----------------------------------------------------------------------------- */

static skein_rc check_server(visit *v)
{
    skn_arena *a = v->cli->keep;
    skn_str    text;

    if (!v->has_server && skn_lock_holder(v->traces.lock) < 0)
        return SKEIN_OK; /* whether one runs cannot be known; the lock says so */
    if (!v->has_server)
        return tell_check(v, "server", OK,
                          SKN_STR("none runs; commands open the store themselves"), NULL);
    text = skn_str_of(v->server.url);
    if (v->server.started_at)
        text = skn_arena_printf(a, "%.*s  pid %" PRId64 ", up %.*s", SKN_FMT(text),
                                v->server.pid, SKN_FMT(ago(v->cli, v->server.started_at)));
    if (v->server.version && strcmp(v->server.version, skein_version_text()) != 0)
        return tell_check(
            v, "server", WARN,
            skn_arena_printf(a, "%.*s, but it is skein %s", SKN_FMT(text), v->server.version),
            "restart it to run the installed program");
    return tell_check(v, "server", OK, text, NULL);
}

static skein_rc check_lock(visit *v)
{
    int64_t holder = skn_lock_holder(v->traces.lock);

    if (!holder || v->has_server)
        return tell_check(v, "lock", OK,
                          holder ? skn_arena_printf(v->cli->keep, "held by that server")
                                 : SKN_STR("free"),
                          NULL);
    if (holder < 0)
        return tell_check(
            v, "lock", WARN,
            skn_arena_printf(v->cli->keep,
                             "%s may belong to another user: its owner, and whether a server "
                             "runs, are unknown",
                             v->traces.lock),
            "run it as the user whose store it is, or name another with --data DIR");
    return tell_check(v, "lock", WARN,
                      skn_arena_printf(v->cli->keep,
                                       "pid %" PRId64 " holds %s and gives no address", holder,
                                       v->traces.lock),
                      "wait if it has just started; else stop it and run \"skein serve\"");
}

/* --- Providers ------------------------------------------------------------------------------ */

/* A limit of a provider, unless it holds for all that is asked of it. */
static skein_rc check_budget(visit *v, const skn_json *provider)
{
    const skn_json *budget = skn_json_get(provider, "budget");
    skn_str         detail = skn_json_str(provider, "detail");
    skn_str         name = skn_json_str(provider, "name");

    if (!budget || budget->kind != SKN_JSON_OBJECT)
        return SKEIN_OK;
    if (skn_str_find(detail, SKN_STR("price")) >= 0 ||
        skn_door_amount(budget, "used") >= skn_door_amount(budget, "monthly"))
        return tell_check(
            v, "budget", WARN,
            skn_arena_printf(v->cli->keep, "%.*s: %.*s", SKN_FMT(name), SKN_FMT(detail)),
            "see prices and budget of this provider in skein.yaml");
    return tell_check(v, "budget", OK,
                      skn_arena_printf(v->cli->keep, "%.*s is below its limit", SKN_FMT(name)),
                      NULL);
}

/* One that cannot be read has its cure in what is said of it; a key is at fault only where one is spoken of. */
static skn_str cure_of(skn_arena *a, skn_str name, skn_str detail)
{
    ptrdiff_t at = skn_str_find(detail, SKN_STR("Set it up again: "));

    if (at >= 0)
        return skn_arena_copy(a, skn_str_sub(detail, (size_t)at, detail.n));
    if (skn_str_find(detail, SKN_STR("key")) < 0)
        return skn_arena_printf(a, "\"skein provider test %.*s\" asks it again", SKN_FMT(name));
    return skn_arena_printf(a,
                            "\"skein provider login %.*s\" takes another key; \"skein "
                            "provider test %.*s\" asks it again",
                            SKN_FMT(name), SKN_FMT(name));
}

/* How its last answer was; of one that nobody has asked there is nothing to say. */
static skein_rc check_answer(visit *v, const skn_json *provider)
{
    skn_arena *a = v->cli->keep;
    skn_str    name = skn_json_str(provider, "name");
    skn_str    state = skn_json_str(provider, "state");

    if (skn_str_is(state, "up"))
        return tell_check(v, "provider", OK, skn_arena_printf(a, "%.*s answers", SKN_FMT(name)),
                          NULL);
    if (!skn_str_is(state, "failed"))
        return SKEIN_OK;
    return tell_check(v, "provider", FAIL,
                      skn_arena_printf(a, "%.*s: %.*s", SKN_FMT(name),
                                       SKN_FMT(skn_json_str(provider, "detail"))),
                      cure_of(a, name, skn_json_str(provider, "detail")).p);
}

static skein_rc check_providers(visit *v)
{
    const skn_json *answer = NULL;
    skn_door       *own = v->cli->door;
    skein_rc        rc = SKEIN_OK;

    if (!v->has_server)
        return SKEIN_OK;
    skn_visit(v->cli, &v->server);
    rc = skn_door_get(v->cli, &answer, "/providers?limit=500");
    v->cli->door = own;
    if (rc)
        v->cli->err = (skein_error){.rc = SKEIN_OK}; /* the server was looked at above */
    rc = SKEIN_OK;
    for (const skn_json *p = skn_first(answer, "data"); p && !rc; p = p->next)
        if (!(rc = check_answer(v, p)))
            rc = check_budget(v, p);
    return rc;
}

/* Agents that name no model could not answer. */
static skein_rc check_default_model(visit *v)
{
    skn_cli                *cli = v->cli;
    const skn_config_value *set = skn_default_model_set(cli);
    skn_str                 problem;
    skein_rc                rc = SKEIN_OK;

    if (skn_str_find(set->text, SKN_STR("/")) >= 0)
        rc = skn_need_provider_of(cli, set->text);
    problem = skn_arena_printf(cli->keep, "defaults.model is %.*s, and %s", SKN_FMT(set->text),
                               cli->err.message);
    cli->err = (skein_error){.rc = SKEIN_OK};
    if (rc != SKEIN_NOT_FOUND)
        return SKEIN_OK; /* the check of the server reported what it did not answer */
    return tell_check(v, "model", WARN, problem,
                      set->from <= SKN_FROM_STORE
                          ? "\"skein model use auto\" chooses one that is available"
                          : skn_arena_text(cli->keep, "name another model in %s", set->source));
}

/* --- All of it ------------------------------------------------------------------------------ */

static skein_rc examine(visit *v)
{
    skein_error err;
    skein_rc    rc;

    if ((rc = check_program(v)) || (rc = check_config(v)) || (rc = check_data(v)) ||
        (v->usable && (rc = check_integrity(v))))
        return rc;
    if ((rc = skn_traces_of(v->cli, &v->traces)))
        return rc;
    if (skn_discover_any(v->cli, &v->server, &v->has_server)) {
        err = v->cli->err;
        v->cli->err = (skein_error){.rc = SKEIN_OK};
        rc = tell_check(
            v, "server", FAIL, skn_arena_printf(v->cli->keep, "%s", err.message),
            skn_arena_text(v->cli->keep, "%s", err.hint[0] ? err.hint : "see its token file"));
    } else {
        rc = check_server(v);
    }
    if (rc || (rc = check_lock(v)) || (rc = check_providers(v)) ||
        (rc = check_default_model(v)) || (rc = check_folder(v)))
        return rc;
    return check_backups(v);
}

/* What the doctor found, in a file to show to others: no text of a message, no key. */

static void system_shape(skn_jw *w, skn_arena *a)
{
    struct utsname u;

    if (uname(&u) != 0)
        return;
    skn_jw_kstr(w, "system", skn_arena_printf(a, "%s %s %s", u.sysname, u.release, u.machine));
    skn_jw_kint(w, "processors", sysconf(_SC_NPROCESSORS_ONLN));
}

/* The same as the server shows of its settings, where keys are never whole. */
static void bundle_shape(skn_cli *cli, skn_jw *w, skn_str checks)
{
    const skn_config *c = skn_config_of(cli);

    skn_jw_object(w);
    skn_jw_kstr(w, "program", skn_arena_printf(cli->keep, "skein %s", skein_version_text()));
    skn_jw_kint(w, "schema", skn_schema_known());
    skn_jw_ktime(w, "madeAt", skn_clock_micros());
    system_shape(w, cli->keep);
    skn_jw_kraw(w, "checks", checks);
    skn_jw_key(w, "settings");
    skn_config_shape(w, c, c, cli->keep);
    skn_jw_object_end(w);
}

skein_rc skn_write_new(skn_cli *cli, const char *path, mode_t mode, skn_str text)
{
    int  fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    bool whole;

    whole = fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n;
    if (fd >= 0 && close(fd) != 0)
        whole = false;
    return whole ? SKEIN_OK
                 : skn_fail(&cli->err, SKEIN_IO, "\"%s\" cannot be written: %s", path,
                            strerror(errno));
}

static skein_rc write_bundle(skn_cli *cli, const char *path, skn_str checks)
{
    skn_buf  all;
    skn_jw   w;
    skein_rc rc;

    skn_jw_open(&w, &all, BUNDLE_LIMIT);
    bundle_shape(cli, &w, checks);
    skn_buf_add(&all, SKN_STR("\n"));
    rc = all.over
             ? skn_fail(&cli->err, SKEIN_LIMIT, "the bundle is over %d bytes", BUNDLE_LIMIT)
             : skn_write_new(cli, path, 0600, skn_buf_str(&all));
    skn_buf_release(&all);
    if (!rc)
        skn_note(cli, "wrote %s; it has no texts and no keys, but names of files and settings",
                 path);
    return rc;
}

skein_rc skn_cmd_doctor(skn_cli *cli)
{
    const char *bundle = skn_opt(cli, "bundle");
    visit       v = {.cli = cli, .fix = skn_opt(cli, "fix") && !cli->dry_run};
    skein_rc    rc;

    if (bundle && access(bundle, F_OK) == 0)
        return skn_fail_hint(&cli->err, SKEIN_CONFLICT, "Name another file",
                             "\"%s\" is already there", bundle);
    skn_jw_open(&v.list, &v.told, BUNDLE_LIMIT);
    skn_jw_array(&v.list);
    skn_list_begin(cli);
    rc = examine(&v);
    skn_jw_array_end(&v.list);
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!rc)
        skn_print(cli, "%d failure%s, %d warning%s\n", v.failures, skn_plural(v.failures),
                  v.warnings, skn_plural(v.warnings));
    if (!rc && bundle && !cli->dry_run)
        rc = write_bundle(cli, bundle, skn_buf_str(&v.told));
    skn_buf_release(&v.told);
    return rc ? rc : skn_status(cli, v.failures ? EXIT_FAILURE_FOUND : 0);
}
