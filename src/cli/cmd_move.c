/* In and out: export, import, backup, migrate. */
#include "cli/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "cli/far_world.h"

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

static skein_rc export_what(skn_cli *cli, skn_far_export_wish *wish)
{
    skein_world        world;
    skein_conversation chat;
    skein_version      version;
    skein_message      root;
    skein_rc           rc;

    wish->whole_world = skn_opt(cli, "whole-world");
    if (wish->whole_world)
        return skn_need_world(cli, &world);
    if ((rc = skn_need_chat(cli, &world, &chat)) || !cli->arg_count)
        return rc;
    if (skn_is_version(skn_arg(cli, 0))) {
        if (!(rc = skn_need_version(cli, &chat, cli->args[0], &version)))
            wish->thread = version.thread_uid;
        return rc;
    }
    if (!(rc = skn_need_message(cli, &chat, skn_arg(cli, 0), &root)))
        wish->root = root.uid;
    return rc;
}

static skein_rc export_how(skn_cli *cli, skn_far_export_wish *wish)
{
    const char *format = skn_opt(cli, "format"), *lanes = skn_opt(cli, "delegations");

    wish->format = SKN_FORMAT_MD;
    if (format && !skn_format_from(skn_str_of(format), &wish->format))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"%s\" is not a format; there are md, json, jsonl, mermaid, html and "
                        "skein",
                        format);
    if (lanes && !skn_delegations_from(skn_str_of(lanes), &wish->delegations))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--delegations\" is none, summary or full, not \"%s\"", lanes);
    wish->no_memory_only = skn_opt(cli, "no-memory-only");
    wish->redact = skn_opt(cli, "redact");
    return SKEIN_OK;
}

int skn_cmd_export(skn_cli *cli)
{
    skn_far_export_wish wish = {.whole_world = false};
    target              t = {.fd = -1};
    const skn_sink      sink = {target_write, &t};
    skein_rc            rc;

    if (cli->json && !skn_opt(cli, "format"))
        skn_opt_give(cli, "format", "json");
    if ((rc = export_how(cli, &wish)) || (rc = export_what(cli, &wish)) ||
        (rc = target_open(cli, &t)))
        return (int)rc;
    if (t.path && cli->dry_run) {
        skn_would(cli, "write %s", t.path);
        return 0;
    }
    t.shown = skn_format_shown(wish.format);
    rc = target_close(&t, skn_far_export(cli, &wish, &sink));
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
