/* In and out: export, import, backup, migrate. */
#include "base/clock.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/discover.h"
#include "cli/far_change.h"
#include "cli/far_world.h"
#include "config/backups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Export ------------------------------------------------------------------------------- */

/* A file is written beside its name and takes the name when it is whole. */
typedef struct target {
    skn_cli    *cli;
    const char *path; /* NULL: standard output */
    const char *partial;
    int         fd;
    bool        shown; /* made for people's eyes: a terminal gets it cleaned */
} target;

static skein_rc target_write(void *arg, skn_str bytes, skein_error *err)
{
    target *t = arg;

    if (!t->path) {
        if (t->shown)
            skn_print_text(t->cli, bytes);
        else
            skn_print_raw(t->cli, bytes);
        return t->cli->out.failure ? skn_fail(err, SKEIN_IO, "writing the output failed: %s",
                                              strerror(t->cli->out.failure))
                                   : SKEIN_OK;
    }
    while (bytes.n) {
        ssize_t n = write(t->fd, bytes.p, bytes.n);

        if (n < 0 && errno != EINTR)
            return skn_fail(err, errno == ENOSPC ? SKEIN_FULL : SKEIN_IO,
                            "\"%s\" cannot be written: %s", t->path, strerror(errno));
        if (n > 0)
            bytes = skn_str_sub(bytes, (size_t)n, bytes.n);
    }
    return SKEIN_OK;
}

/* Only a file gives way, and only when told so. */
static skein_rc check_target(skn_cli *cli, const char *path)
{
    struct stat there;

    if (stat(path, &there) != 0 || (cli->yes && S_ISREG(there.st_mode)))
        return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_CONFLICT, "\"%s\" is already there", path);
    return skn_hint(&cli->err, SKEIN_CONFLICT,
                    S_ISREG(there.st_mode) ? "Replace it with -y, or name another file"
                                           : "Name another file with -o FILE");
}

static skein_rc target_open(skn_cli *cli, target *t)
{
    skein_rc rc;

    t->cli = cli;
    t->path = skn_opt(cli, "output");
    t->fd = -1;
    if (t->path && !strcmp(t->path, "-"))
        t->path = NULL;
    if (!t->path)
        return SKEIN_OK;
    if ((rc = check_target(cli, t->path)) || cli->dry_run)
        return rc;
    t->partial = skn_arena_printf(cli->keep, "%s.part", t->path).p;
    t->fd = open(t->partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (t->fd < 0)
        return skn_fail(&cli->err, errno == ENOSPC ? SKEIN_FULL : SKEIN_IO,
                        "\"%s\" cannot be written: %s", t->path, strerror(errno));
    return SKEIN_OK;
}

static skein_rc target_close(target *t, skein_rc rc)
{
    skn_cli *cli = t->cli;

    if (t->fd < 0)
        return rc;
    if (!rc && fsync(t->fd) != 0 && errno != EINVAL)
        rc = skn_fail(&cli->err, SKEIN_IO, "\"%s\" cannot be written: %s", t->path,
                      strerror(errno));
    close(t->fd);
    if (!rc && rename(t->partial, t->path) != 0)
        rc = skn_fail(&cli->err, SKEIN_IO, "\"%s\" cannot be written: %s", t->path,
                      strerror(errno));
    if (rc)
        unlink(t->partial);
    return rc;
}

static skein_rc export_what(skn_cli *cli, skn_far_export_spec *spec)
{
    skein_world        world;
    skein_conversation chat;
    skein_version      version;
    skein_message      root;
    skein_rc           rc;

    spec->whole_world = skn_opt(cli, "whole-world");
    if (spec->whole_world)
        return skn_need_world(cli, &world);
    if ((rc = skn_need_chat(cli, &world, &chat)) || !cli->arg_count)
        return rc;
    if (skn_is_version(skn_arg(cli, 0))) {
        if (!(rc = skn_need_version(cli, &chat, cli->args[0], &version)))
            spec->thread = version.thread_uid;
        return rc;
    }
    if (!(rc = skn_need_message(cli, &chat, skn_arg(cli, 0), &root)))
        spec->root = root.uid;
    return rc;
}

static skein_rc export_how(skn_cli *cli, skn_far_export_spec *spec)
{
    const char *format = skn_opt(cli, "format"), *lanes = skn_opt(cli, "delegations");

    spec->format = SKN_FORMAT_MD;
    if (format && !skn_format_from(skn_str_of(format), &spec->format))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"%s\" is not a format; there are md, json, jsonl, mermaid, html and "
                        "skein",
                        format);
    if (lanes && !skn_delegations_from(skn_str_of(lanes), &spec->delegations))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--delegations\" is none, summary or full, not \"%s\"", lanes);
    spec->no_memory_only = skn_opt(cli, "no-memory-only");
    spec->redact = skn_opt(cli, "redact");
    return SKEIN_OK;
}

int skn_cmd_export(skn_cli *cli)
{
    skn_far_export_spec spec = {.whole_world = false};
    target              t = {.fd = -1};
    const skn_sink      sink = {target_write, &t};
    skein_rc            rc;

    if (cli->json && !skn_opt(cli, "format"))
        skn_opt_give(cli, "format", "json");
    if ((rc = export_how(cli, &spec)) || (rc = export_what(cli, &spec)) ||
        (rc = target_open(cli, &t)))
        return (int)rc;
    if (t.path && cli->dry_run) {
        skn_would(cli, "write %s", t.path);
        return 0;
    }
    t.shown = skn_format_shown(spec.format);
    rc = target_close(&t, skn_far_export(cli, &spec, &sink));
    if (!rc && t.path)
        skn_note(cli, "Wrote %s.", t.path);
    return (int)rc;
}

/* --- Import ------------------------------------------------------------------------------- */

static skein_rc import_one(skn_cli *cli, const char *path)
{
    skn_import_request req = {.as_name = skn_str_of(skn_opt(cli, "as")),
                              .dry_run = cli->dry_run};
    skn_import_report  report;
    skn_buf            text;
    skein_rc           rc = skn_import(cli->engine, path, &req, cli->keep, &report, &cli->err);

    if (rc)
        return rc;
    if (cli->json) {
        skn_import_report_json(&report, skn_str_of(path), cli->dry_run, skn_item(cli));
        return skn_item_end(cli);
    }
    skn_buf_init(&text, 1 << 20);
    skn_import_report_text(&report, skn_str_of(path), cli->dry_run, &text);
    skn_print_block(cli, skn_buf_str(&text), 0);
    skn_buf_release(&text);
    return SKEIN_OK;
}

int skn_cmd_import(skn_cli *cli)
{
    skein_rc rc = SKEIN_OK;

    if (skn_opt(cli, "as") && cli->arg_count > 1)
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"--as\" names one world; there are %zu "
                             "files",
                             cli->arg_count);
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        rc = import_one(cli, cli->args[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* --- Backup ------------------------------------------------------------------------------- */

static const char *backup_name(skn_cli *cli)
{
    const char *given = skn_opt(cli, "output");
    char        now[SKN_TIME_TEXT], name[SKN_TIME_TEXT];
    size_t      n = 0;

    if (given)
        return given;
    skn_time_format(skn_clock_micros(), now);
    for (const char *p = now; *p && *p != '.'; p++)
        if (*p != '-' && *p != ':')
            name[n++] = *p;
    name[n] = '\0';
    return skn_arena_printf(cli->keep, "skein-%sZ.db", name).p;
}

int skn_cmd_backup(skn_cli *cli)
{
    const char *path = backup_name(cli);
    struct stat file = {.st_size = 0};
    skn_jw     *w;
    skein_rc    rc;

    if (access(path, F_OK) == 0) {
        skn_fail(&cli->err, SKEIN_CONFLICT, "\"%s\" is already there", path);
        return (int)skn_hint(&cli->err, SKEIN_CONFLICT, "Name another file with -o FILE");
    }
    if (cli->dry_run) {
        skn_would(cli, "write %s", path);
        return 0;
    }
    if ((rc = skein_backup(cli->engine, skn_str_of(path), &cli->err)))
        return (int)rc;
    stat(path, &file);
    if (!cli->json) {
        skn_print(cli, "Wrote %s, %" PRId64 " bytes.\n", path, (int64_t)file.st_size);
        return 0;
    }
    w = skn_item(cli);
    skn_jw_object(w);
    skn_jw_kstr(w, "file", skn_str_of(path));
    skn_jw_kint(w, "bytes", (int64_t)file.st_size);
    skn_jw_object_end(w);
    return (int)skn_item_end(cli);
}

/* The one thing that cannot be taken back: erasing texts for ever. */

#define SHOWN_MOST    20 /* texts that are shown before they go */
#define SHOWN_COLUMNS 60

/* --- What would go ------------------------------------------------------------------------ */

static void show_text(skn_cli *cli, skn_str uid, skn_str sender, skn_str text)
{
    skn_print_id(cli, uid);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_sender(cli, sender, 5);
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_line(cli, text, SHOWN_COLUMNS);
    skn_print_raw(cli, SKN_STR("\n"));
}

static void show_told(skn_cli *cli, const skn_json *m)
{
    show_text(cli, skn_far_text(m, "messageId"), skn_far_text(m, "sender"),
              skn_far_text(m, "text"));
}

static void show_rest(skn_cli *cli, int64_t count)
{
    if (count > SHOWN_MOST)
        skn_print(cli, "and %" PRId64 " more\n", count - SHOWN_MOST);
}

static const skn_json *list_of(const skn_json *told, const char *member)
{
    const skn_json *list = skn_json_get(told, member);

    return list && list->kind == SKN_JSON_ARRAY ? list : NULL;
}

static void show_unreachable(skn_cli *cli, const skn_json *told)
{
    const skn_json *first = list_of(told, "messages");
    int64_t         count = skn_far_int(told, "erased", 0);

    skn_print(cli, "%" PRId64 " message%s that the current version does not hold%s\n", count,
              skn_plural(count), count ? ":" : "");
    for (const skn_json *m = first ? first->first : NULL; m; m = m->next)
        show_told(cli, m);
    show_rest(cli, count);
}

static bool is_named(const skn_uids *ids, skn_str uid)
{
    for (size_t i = 0; i < ids->n; i++)
        if (skn_str_eq(ids->p[i], uid))
            return true;
    return false;
}

/* What the system made of their words, wherever it was said. */
static void show_repeats(skn_cli *cli, const skn_uids *ids, const skn_json *told)
{
    const skn_json *all = list_of(told, "messages");
    int64_t         rest = skn_far_int(told, "erased", 0) - (all ? all->count : 0);

    for (const skn_json *m = all ? all->first : NULL; m; m = m->next)
        if (!is_named(ids, skn_far_text(m, "messageId"))) {
            skn_print_raw(cli, SKN_STR("made of it: "));
            show_told(cli, m);
        }
    if (rest > 0)
        skn_print(cli, "and %" PRId64 " more made of it\n", rest);
}

/* Whoever is asked, or asks with -n, sees the texts first: they are gone for ever then. */
static bool shows_texts(const skn_cli *cli)
{
    return !cli->json && (cli->dry_run || (!cli->yes && cli->out.terminal));
}

static skein_rc show_texts(skn_cli *cli, const skein_conversation *chat, const skn_uids *ids,
                           const skn_json *told)
{
    skein_message m;
    skein_rc      rc = SKEIN_OK;

    if (!ids->n)
        show_unreachable(cli, told);
    for (size_t i = 0; i < ids->n && i < SHOWN_MOST && !rc; i++)
        if (!(rc = skn_need_message(cli, chat, ids->p[i], &m)))
            show_text(cli, m.uid, m.sender, m.purged ? SKN_STR("(erased)") : m.content);
    if (rc || !ids->n)
        return rc;
    show_rest(cli, (int64_t)ids->n);
    show_repeats(cli, ids, told);
    return SKEIN_OK;
}

/* --- Erasing ------------------------------------------------------------------------------ */

/* Shows what would go, asks, and erases; a dry run ends with the look. */
static skein_rc look_and_purge(skn_cli *cli, const skein_conversation *chat,
                               const skein_change *how, const skn_uids *ids,
                               const skn_json **told)
{
    skein_change look = *how;
    skein_rc     rc;

    look.dry_run = true;
    if (shows_texts(cli) && ((rc = skn_far_purge(cli, &look, ids, told)) ||
                             (rc = show_texts(cli, chat, ids, *told))))
        return rc;
    if ((rc = skn_confirm(cli, "Erase these texts for ever, in every version?", true)) ||
        (cli->dry_run && shows_texts(cli)))
        return rc;
    return skn_far_purge(cli, how, ids, told);
}

static void say_erased(skn_cli *cli, int64_t erased)
{
    if (!erased && cli->arg_count)
        skn_print(cli, "%s erased before.\n", cli->arg_count == 1 ? "It was" : "They were");
    else if (cli->dry_run)
        skn_print(cli, "Would erase %" PRId64 " message%s. Nothing was changed.\n", erased,
                  skn_plural(erased));
    else
        skn_print(cli, "Erased %" PRId64 " message%s; %s.\n", erased, skn_plural(erased),
                  erased == 1 ? "its place stays" : "their places stay");
}

/* What was copied before is out of the store's reach. Copies of a store that is elsewhere are not seen from here. */
static void tell_backups(skn_cli *cli)
{
    skein_error before = cli->err;
    skn_traces  traces;
    int64_t     count = 0;

    if (!cli->far && !skn_traces_of(cli, &traces) && traces.backups)
        skn_backup_newest(traces.backups, &count);
    if (count)
        skn_note(cli, "Backups that were made before still have it: %s", traces.backups);
    cli->err = before;
}

/* Their words may stand in what was made of them, which goes only by its own name. */
static void tell_kept(skn_cli *cli, const skn_json *told)
{
    const skn_json *all = list_of(told, "kept");

    for (const skn_json *k = all ? all->first : NULL; k; k = k->next)
        skn_note(cli, "A %s %.*s and stays: skein purge %.*s",
                 skn_str_is(skn_far_text(k, "in"), "squash") ? "squash was made of"
                                                             : "summary covers",
                 SKN_FMT(skn_far_text(k, "messageId")),
                 SKN_FMT(skn_far_text(k, "keptMessageId")));
}

int skn_cmd_purge(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_change       how;
    skn_uids           ids = {0};
    const skn_json    *told = NULL;
    int64_t            erased;
    skn_jw            *w;
    skein_rc           rc;

    if (!skn_opt(cli, "unreachable") == !cli->arg_count)
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"skein purge\" needs either messages or --unreachable");
    if ((rc = skn_need_change(cli, &world, &chat, &how)) ||
        (rc = skn_need_messages(cli, &chat, 0, &ids)) ||
        (rc = look_and_purge(cli, &chat, &how, &ids, &told)))
        return (int)rc;
    erased = skn_far_int(told, "erased", 0);
    if (cli->json) {
        w = skn_item(cli);
        skn_jw_object(w);
        skn_jw_kint(w, "erased", erased);
        skn_jw_kbool(w, "dryRun", cli->dry_run);
        skn_jw_object_end(w);
        return (int)skn_item_end(cli);
    }
    say_erased(cli, erased);
    if (erased && !cli->dry_run)
        tell_backups(cli);
    tell_kept(cli, told);
    return 0;
}
