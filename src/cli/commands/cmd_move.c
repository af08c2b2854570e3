/* In and out: export, import, backup, migrate. */
#include "base/clock.h"
#include "base/file.h"
#include "base/utf8.h"
#include "cli/client.h"
#include "cli/commands.h"
#include "config/backups.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT_MS 600000
#define LINE_MOST ((size_t)64 << 10) /* of an export; what is longer is passed on in parts */

/* --- Export ------------------------------------------------------------------------------- */

static const char *export_path(skn_cli *cli, const skn_export_order *what)
{
    static const char *const lanes[] = {[SKN_DELEGATIONS_SUMMARY] = "summary",
                                        [SKN_DELEGATIONS_NONE] = "none",
                                        [SKN_DELEGATIONS_FULL] = "full"};

    return skn_arena_text(cli->keep, "%s/export?format=%s&delegations=%s%s%s%s%s",
                          what->whole_world ? cli->door->world : cli->door->chat,
                          skn_format_name(what->format), lanes[what->delegations],
                          what->redact ? "&redact=true" : "",
                          what->no_memory_only ? "&memoryOnly=false" : "",
                          skn_door_parameter(cli, "threadId", what->thread),
                          skn_door_parameter(cli, "root", what->root));
}

/* An export on its way: whole lines are passed on. */
typedef struct passing {
    const skn_sink *sink;
    bool    shown, json; /* json: on standard output, where what would harm is escaped */
    skn_buf line;        /* begun */
} passing;

/* A carriage return is nothing that harms a file; what shows a file on a terminal cleans it again. */
static skein_rc pass_clean(passing *p, skn_str text, skein_error *err)
{
    skn_buf  clean;
    size_t   n;
    skein_rc rc;

    skn_buf_init(&clean, 4 * text.n + 1);
    if (p->json) {
        skn_clean_json(&clean, text);
        text.n = 0;
    }
    for (; text.n; text = skn_str_sub(text, n + 1, text.n)) {
        const char *at = memchr(text.p, '\r', text.n);

        n = at ? (size_t)(at - text.p) : text.n;
        skn_clean_add(&clean, skn_str_sub(text, 0, n), true);
        skn_buf_add(&clean, at ? SKN_STR("\r") : SKN_STR(""));
    }
    rc = clean.starved ? skn_no_memory(err)
                       : p->sink->write(p->sink->arg, skn_buf_str(&clean), err);
    skn_buf_release(&clean);
    return rc;
}

static skein_rc pass(void *arg, skn_str piece, skein_error *err)
{
    passing *p = arg;
    skn_str  all;
    size_t   whole;
    skein_rc rc;

    if (!p->shown && !p->json)
        return p->sink->write(p->sink->arg, piece, err);
    skn_buf_add(&p->line, piece);
    if (p->line.starved || p->line.over)
        return skn_no_memory(err);
    all = skn_buf_str(&p->line);
    for (whole = all.n; whole && all.p[whole - 1] != '\n'; whole--)
        ;
    if (!whole && all.n >= LINE_MOST)
        whole = skn_utf8_cut(all, all.n - 4).n;
    if (!whole)
        return SKEIN_OK;
    rc = pass_clean(p, skn_str_sub(all, 0, whole), err);
    memmove(p->line.p, p->line.p + whole, all.n - whole);
    p->line.n = all.n - whole;
    return rc;
}

static bool is_printed(const skn_cli *cli)
{
    const char *file = skn_opt(cli, "output");

    return !strcmp(cli->command->name, "export") && (!file || !strcmp(file, "-"));
}

skein_rc skn_export_pass(skn_cli *cli, const skn_export_order *what, const skn_sink *sink)
{
    passing          p = {.sink = sink,
                          .shown = skn_is_elsewhere(cli) && skn_format_shown(what->format),
                          .json = is_printed(cli) &&
                                  (what->format == SKN_FORMAT_JSON || what->format == SKN_FORMAT_JSONL)};
    skn_request_spec ask = {
        .method = "GET", .path = export_path(cli, what), .take = pass, .arg = &p};
    skn_client_answer got;
    skein_rc          rc;

    skn_buf_init(&p.line, 2 * LINE_MOST);
    rc = skn_client_call(cli, &cli->door->server, &ask, EXPORT_MS, &got);
    if (!rc && p.line.n)
        rc = pass_clean(&p, skn_buf_str(&p.line), &cli->err);
    skn_buf_release(&p.line);
    return rc;
}

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
    if (!skn_fd_write(t->fd, bytes))
        return skn_fail(err, errno == ENOSPC ? SKEIN_FULL : SKEIN_IO,
                        "\"%s\" cannot be written: %s", t->path, strerror(errno));
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
    t->partial = skn_arena_text(cli->keep, "%s.part", t->path);
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

static skein_rc export_what(skn_cli *cli, skn_export_order *spec)
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
    if (!(rc = skn_need_message(cli, skn_arg(cli, 0), &root)))
        spec->root = root.uid;
    return rc;
}

static skein_rc export_how(skn_cli *cli, skn_export_order *spec)
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

skein_rc skn_cmd_export(skn_cli *cli)
{
    skn_export_order spec = {.whole_world = false};
    target           t = {.fd = -1};
    const skn_sink   sink = {target_write, &t};
    skein_rc         rc;

    if (cli->json && !skn_opt(cli, "format"))
        skn_opt_give(cli, "format", "json");
    if ((rc = export_how(cli, &spec)) || (rc = export_what(cli, &spec)) ||
        (rc = target_open(cli, &t)))
        return rc;
    if (t.path && skn_would(cli, "write %s", t.path))
        return SKEIN_OK;
    t.shown = skn_format_shown(spec.format);
    rc = target_close(&t, skn_export_pass(cli, &spec, &sink));
    if (!rc && t.path)
        skn_note(cli, "Wrote %s.", t.path);
    return rc;
}

/* --- Import ------------------------------------------------------------------------------- */

static skein_rc import_one(skn_cli *cli, const char *path)
{
    skn_import_request req = {.as_name = skn_str_of(skn_opt(cli, "as")),
                              .dry_run = cli->dry_run};
    skn_import_report  report;
    skn_buf            text;
    struct stat        there;
    skein_rc           rc;

    if (strcmp(path, "-") != 0 && stat(path, &there) == 0 && !S_ISREG(there.st_mode) &&
        !S_ISDIR(there.st_mode))
        return skn_fail(&cli->err, SKEIN_INVALID, "\"%s\" is neither a file nor a folder",
                        path);
    rc = skn_import(cli->engine, path, &req, cli->keep, &report, &cli->err);

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

skein_rc skn_cmd_import(skn_cli *cli)
{
    skein_rc rc = SKEIN_OK;

    if (skn_opt(cli, "as") && cli->arg_count > 1)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--as\" names one world; there are %zu "
                        "files",
                        cli->arg_count);
    skn_list_begin(cli);
    for (size_t i = 0; i < cli->arg_count && !rc; i++)
        rc = import_one(cli, cli->args[i]);
    skn_list_done(cli, rc);
    return rc;
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
    return skn_arena_text(cli->keep, "skein-%sZ.db", name);
}

skein_rc skn_cmd_backup(skn_cli *cli)
{
    const char *path = backup_name(cli);
    struct stat file = {.st_size = 0};
    skn_jw     *w;
    skein_rc    rc;

    if (access(path, F_OK) == 0)
        return skn_fail_hint(&cli->err, SKEIN_CONFLICT, "Name another file with -o FILE",
                             "\"%s\" is already there", path);
    if (skn_would(cli, "write %s", path))
        return SKEIN_OK;
    if ((rc = skein_backup(cli->engine, skn_str_of(path), &cli->err)))
        return rc;
    stat(path, &file);
    w = skn_item_begin(cli);
    skn_jw_kstr(w, "file", skn_str_of(path));
    skn_jw_kint(w, "bytes", (int64_t)file.st_size);
    return skn_item_tell(cli, "Wrote {file}, {bytes} bytes.\n");
}

/* The one thing that cannot be taken back: erasing texts permanently. */

#define SHOWN_MOST 20 /* texts that are shown before they go */

/* --- What would go ------------------------------------------------------------------------ */

#define TEXT "{id messageId}  {sender sender 5}  {line text 60}\n"

static void show_rest(skn_cli *cli, int64_t count)
{
    if (count > SHOWN_MOST)
        skn_print(cli, "and %" PRId64 " more\n", count - SHOWN_MOST);
}

static void show_unreachable(skn_cli *cli, const skn_json *told)
{
    skn_say(cli, told,
            "{erased} message{erased s} that the current version does not hold[erased::]\n");
    for (const skn_json *m = skn_first(told, "messages"); m; m = m->next)
        skn_say(cli, m, TEXT);
    show_rest(cli, skn_door_int(told, "erased", 0));
}

/* What the system made of their words, wherever it was said. */
static void show_repeats(skn_cli *cli, const skn_uids *ids, const skn_json *told)
{
    const skn_json *all = skn_json_get(told, "messages");
    int64_t         rest = skn_door_int(told, "erased", 0) - (all ? all->count : 0);

    for (const skn_json *m = skn_first(told, "messages"); m; m = m->next)
        if (!skn_str_in(ids->p, ids->n, skn_json_str(m, "messageId")))
            skn_say(cli, m, "made of it: " TEXT);
    if (rest > 0)
        skn_print(cli, "and %" PRId64 " more made of it\n", rest);
}

/* A person sees the texts before the decision, and with -n: afterwards they are gone. */
static bool shows_texts(const skn_cli *cli)
{
    return !cli->json && (cli->dry_run || (!cli->yes && cli->out.terminal));
}

static skein_rc show_texts(skn_cli *cli, const skn_uids *ids, const skn_json *told)
{
    const skn_json *m;
    skein_rc        rc = SKEIN_OK;

    if (!ids->n)
        show_unreachable(cli, told);
    for (size_t i = 0; i < ids->n && i < SHOWN_MOST && !rc; i++)
        if (!(rc = skn_message_told(cli, ids->p[i], &m)))
            skn_say(cli, m,
                    "{id messageId}  {sender sender 5}  "
                    "[purged:(erased)][!purged:{line content 60}]\n");
    if (rc || !ids->n)
        return rc;
    show_rest(cli, (int64_t)ids->n);
    show_repeats(cli, ids, told);
    return SKEIN_OK;
}

/* --- Erasing ------------------------------------------------------------------------------ */

/* The messages, or without ids all that the current version does not hold. */
static skein_rc purge(skn_cli *cli, const skn_uids *ids, bool look, const skn_json **told)
{
    skn_door_body b;
    skn_jw       *w = skn_change_begin(cli, &b, look);

    if (ids->n)
        skn_body_ids(w, "messageIds", ids);
    else
        skn_jw_kbool(w, "unreachable", true);
    return skn_send(cli, &b, "POST", NULL, "{chat}/purge", told);
}

/* Shows what would go, asks, and erases; a dry run ends with the look. */
static skein_rc look_and_purge(skn_cli *cli, const skn_uids *ids, const skn_json **told)
{
    skein_rc rc;

    if (shows_texts(cli) &&
        ((rc = purge(cli, ids, true, told)) || (rc = show_texts(cli, ids, *told))))
        return rc;
    if ((rc = skn_confirm(cli, "Erase these texts permanently, in every version?", true)) ||
        (cli->dry_run && shows_texts(cli)))
        return rc;
    return purge(cli, ids, cli->dry_run, told);
}

/* What was copied before is out of the store's reach. Copies of a store that is elsewhere are not seen from here. */
static void tell_backups(skn_cli *cli)
{
    skein_error before = cli->err;
    skn_traces  traces;
    int64_t     count = 0;

    if (!skn_is_elsewhere(cli) && !skn_traces_of(cli, &traces) && traces.backups)
        skn_backup_newest(traces.backups, &count);
    if (count)
        skn_note(cli, "Backups that were made before still have it: %s", traces.backups);
    cli->err = before;
}

/* Their words may stand in what was made of them, which goes only by its own name. */
static void tell_kept(skn_cli *cli, const skn_json *told)
{
    for (const skn_json *k = skn_first(told, "kept"); k; k = k->next)
        skn_note(cli, "A %s %.*s and stays: skein purge %.*s",
                 skn_is(k, "in", "squash") ? "squash was made of" : "summary covers",
                 SKN_FMT(skn_json_str(k, "messageId")),
                 SKN_FMT(skn_json_str(k, "keptMessageId")));
}

/* `erased`: of messages that are named, none when they were erased before. */
static skein_rc tell_erased(skn_cli *cli, int64_t erased)
{
    skn_jw *w = skn_item_begin(cli);

    skn_jw_kint(w, "erased", erased);
    skn_jw_kbool(w, "dryRun", cli->dry_run);
    return skn_item_tell(
        cli,
        !erased && cli->arg_count
            ? cli->arg_count == 1 ? "It was erased before.\n" : "They were erased before.\n"
            : "[dryRun:Would erase {erased} message{erased s}. Nothing was changed.\n]"
              "[!dryRun:Erased {erased} message{erased s}; [erased=1:its place stays]"
              "[erased!=1:their places stay].\n]");
}

skein_rc skn_cmd_purge(skn_cli *cli)
{
    skn_uids        ids = {0};
    const skn_json *told = NULL;
    int64_t         erased;
    skein_rc        rc;

    if (!skn_opt(cli, "unreachable") == !cli->arg_count)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"skein purge\" needs either messages or --unreachable");
    if ((rc = skn_need_change(cli, NULL, NULL)) || (rc = skn_need_messages(cli, 0, &ids)) ||
        (rc = look_and_purge(cli, &ids, &told)))
        return rc;
    erased = skn_door_int(told, "erased", 0);
    if ((rc = tell_erased(cli, erased)) || cli->json)
        return rc;
    if (erased && !cli->dry_run)
        tell_backups(cli);
    tell_kept(cli, told);
    return SKEIN_OK;
}
