/* The configuration in an editor: a file with mistakes never takes the place of one without. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif

#include "cli/commands.h"
#include "cli/config_cli.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)4 << 20)
#define FIRST_LINE "# skein.yaml: \"man 5 skein.yaml\" names every setting.\n"

typedef struct work {
    skn_cli    *cli;
    const char *path;  /* the file itself, links followed */
    const char *draft; /* what is edited, beside it */
    skn_str     old;   /* what was in the file; absent: there was none */
    mode_t      mode;
} work;

/* Folders on the way to a first file; one that cannot be made shows when the file is written. */
static void make_folders(skn_cli *cli, const char *path)
{
    for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/'))
        mkdir(skn_arena_printf(cli->keep, "%.*s", (int)(at - path), path).p, 0700);
}

static skein_rc begin(work *w)
{
    const skn_config *c = skn_config_of(w->cli);
    char             *whole;
    struct stat       file;
    skein_rc          rc;

    w->path = c->files.p[c->files.n - 1].path; /* the person's own, or the one that was named */
    if ((whole = realpath(w->path, NULL)))
        w->path = skn_arena_printf(w->cli->keep, "%s", whole).p;
    free(whole);
    w->draft = skn_arena_printf(w->cli->keep, "%s.edited", w->path).p;
    w->mode = stat(w->path, &file) == 0 ? file.st_mode & 0777 : 0600;
    rc = skn_read_file(w->cli, w->path, FILE_LIMIT, &w->old);
    if (rc != SKEIN_NOT_FOUND)
        return rc;
    w->cli->err = (skein_error){.rc = SKEIN_OK};
    w->old = SKN_NONE;
    return SKEIN_OK;
}

static skein_rc write_draft(work *w)
{
    skn_str text = w->old.p ? w->old : SKN_STR(FIRST_LINE);
    int     fd;
    bool    whole;

    if (!w->old.p)
        make_folders(w->cli, w->path);
    fd = open(w->draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, w->mode);
    if (fd < 0 && errno == EEXIST) {
        skn_fail(&w->cli->err, SKEIN_CONFLICT, "\"%s\" is there from an earlier edit",
                 w->draft);
        return skn_hint(&w->cli->err, SKEIN_CONFLICT, "Use it, or remove it, and try again");
    }
    whole = fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n;
    if (fd >= 0 && close(fd) != 0)
        whole = false;
    return whole ? SKEIN_OK
                 : skn_fail(&w->cli->err, SKEIN_IO, "\"%s\" cannot be written: %s", w->draft,
                            strerror(errno));
}

/* What is wrong with the draft; *good when nothing is. */
static void check(work *w, bool *good)
{
    const skn_config *c = skn_config_make(skn_config_sources_of(w->cli, w->draft),
                                          w->cli->keep);

    for (size_t i = 0; i < c->problems.n; i++)
        skn_note(w->cli, "%.*s", SKN_FMT(skn_config_line(&c->problems.p[i], w->cli->keep)));
    *good = !c->errors;
}

/* Edits until the file is good, or until nobody wants to go on. */
static skein_rc edit(work *w)
{
    skn_cli *cli = w->cli;
    bool     good;

    for (;;) {
        if (skn_run_editor(w->draft) != 0) {
            unlink(w->draft);
            return skn_fail(&cli->err, SKEIN_NOTHING, "the editor failed; nothing was changed");
        }
        check(w, &good);
        if (good)
            return SKEIN_OK;
        if (!isatty(STDIN_FILENO) || skn_confirm(cli, "Edit it again?", false) != SKEIN_OK)
            break;
    }
    skn_fail(&cli->err, SKEIN_USAGE, "the file has mistakes; \"%s\" is as it was", w->path);
    return skn_hint(&cli->err, SKEIN_USAGE, "What you wrote is in %s", w->draft);
}

static skein_rc finish(work *w)
{
    skn_cli *cli = w->cli;
    skn_str  now;
    skein_rc rc = skn_read_file(cli, w->draft, FILE_LIMIT, &now);

    if (rc)
        return rc;
    if (w->old.p && skn_str_eq(w->old, now)) {
        unlink(w->draft);
        skn_print(cli, "%s is as it was.\n", w->path);
        return SKEIN_OK;
    }
    if (chmod(w->draft, w->mode) != 0 || rename(w->draft, w->path) != 0)
        return skn_fail(&cli->err, SKEIN_IO, "\"%s\" cannot be written: %s", w->path,
                        strerror(errno));
    skn_print(cli, "Wrote %s. A server that runs takes it at its next start, or on SIGHUP.\n",
              w->path);
    return SKEIN_OK;
}

int skn_cmd_config_edit(skn_cli *cli)
{
    work     w = {.cli = cli};
    skein_rc rc = begin(&w);

    if (rc)
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "edit %s", w.path);
        return 0;
    }
    if (skn_opt(cli, "no-input")) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"skein config edit\" opens an editor");
        return (int)skn_hint(&cli->err, SKEIN_USAGE, "Write %s by other means", w.path);
    }
    if ((rc = write_draft(&w)) || (rc = edit(&w)))
        return (int)rc;
    return (int)finish(&w);
}
