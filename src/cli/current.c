#include "cli/current.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/yaml.h"
#include "cli/config_cli.h"
#include "cli/discover.h"
#include "cli/door.h"
#include "cli/place.h"
#include "cli/print.h"
#include "config/own.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_NAME     ".skein.yaml"
#define FILE_LIMIT    ((size_t)64 << 10)
#define DEFAULT_LIMIT ((size_t)1 << 10)

/* --- .skein.yaml ---------------------------------------------------------------------------- */

/* Does this folder hold a file that counts? One that somebody else could have written does not. *last: nor does any
 * above, because others decide what is in this folder. */
static skein_rc look_in(skn_cli *cli, const char *folder, skn_current *out, skn_str *text,
                        bool *last)
{
    const char *path =
        skn_arena_printf(cli->keep, "%s/" FILE_NAME, strcmp(folder, "/") ? folder : "").p;
    struct stat about;
    skein_error err = {.rc = SKEIN_OK};
    skein_rc    rc;

    *last = skn_own_folder_alone(folder, &err) != SKEIN_OK;
    if (*last) {
        if (lstat(path, &about) == 0)
            skn_note(cli, "%s is passed over: %s.", path, err.message);
        return SKEIN_OK;
    }
    rc = skn_own_read(path, SKN_OWN_FILE, FILE_LIMIT, cli->keep, text, NULL, &err);
    if (!rc) {
        out->by = path;
        return SKEIN_OK;
    }
    if (skn_own_refused(&err))
        skn_note(cli, "Passed over: %s.", err.message);
    else if (rc != SKEIN_NOT_FOUND) {
        cli->err = err;
        return rc;
    }
    return SKEIN_OK;
}

/* The nearest, in the working folder or above; out->by is NULL where there is none. */
static skein_rc nearest_file(skn_cli *cli, skn_current *out, skn_str *text)
{
    char     folder[PATH_MAX];
    bool     last = false;
    skein_rc rc = SKEIN_OK;

    *out = (skn_current){.by = NULL};
    if (!getcwd(folder, sizeof folder))
        return SKEIN_OK;
    while (!(rc = look_in(cli, folder, out, text, &last)) && !out->by && !last) {
        char *slash = strrchr(folder, '/');

        if (!strcmp(folder, "/"))
            break;
        slash[slash == folder] = 0;
    }
    return rc;
}

static skein_rc take_name(skn_cli *cli, const char *path, const skn_yaml *y, const char **out)
{
    if (y->kind != SKN_YAML_TEXT || !y->text.n)
        return skn_fail(&cli->err, SKEIN_USAGE, "%s:%d:%d: \"%.*s\" must be a name", path,
                        y->line, y->column, SKN_FMT(y->key));
    *out = skn_arena_copy(cli->keep, y->text).p;
    return SKEIN_OK;
}

static skein_rc take_members(skn_cli *cli, const skn_yaml *root, skn_current *out)
{
    skein_rc rc = SKEIN_OK;

    if (root->kind != SKN_YAML_MAP)
        return skn_fail(&cli->err, SKEIN_USAGE, "%s must be \"world: NAME\"", out->by);
    for (const skn_yaml *y = root->first; y && !rc; y = y->next)
        if (skn_str_is(y->key, "world"))
            rc = take_name(cli, out->by, y, &out->world);
        else if (skn_str_is(y->key, "conversation"))
            rc = take_name(cli, out->by, y, &out->conversation);
        else
            skn_note(cli,
                     "warning: %s:%d: \"%.*s\" is ignored; this file may only name world and "
                     "conversation",
                     out->by, y->key_line, SKN_FMT(y->key));
    return rc;
}

/* Read once: what is wrong with it is said once. */
static skein_rc read_nearest(skn_cli *cli, skn_current *out)
{
    const skn_yaml *root;
    skn_str         text;
    skein_rc        rc;

    if (!cli->folder) {
        cli->folder = SKN_NEW(cli->keep, skn_current);
        if ((rc = nearest_file(cli, cli->folder, &text)))
            return rc;
        if (cli->folder->by &&
            ((rc = skn_yaml_parse(&root, text, cli->folder->by, cli->keep, &cli->err)) ||
             (rc = take_members(cli, root, cli->folder))))
            return rc;
    }
    *out = *cli->folder;
    return SKEIN_OK;
}

/* --- The default ---------------------------------------------------------------------------- */

/* The file that holds it: beside the store; for a database or a server in the data folder, named after its address. */
static skein_rc default_file(skn_cli *cli, const char **out)
{
    const char *folder, *address = skn_is_elsewhere(cli) ? cli->door->server.url : cli->address;
    char        digest[SKN_SHA256_TEXT];
    skn_sha256  hash;
    skn_traces  traces;
    skein_rc    rc;

    *out = NULL;
    if (!skn_is_elsewhere(cli) && skn_place_file(cli)) {
        if (!(rc = skn_traces_of(cli, &traces)))
            *out = traces.current;
        return rc;
    }
    if ((rc = skn_config_data(cli, &folder)) || !folder)
        return rc;
    skn_sha256_init(&hash);
    skn_sha256_add(&hash, skn_str_of(address));
    skn_sha256_text(&hash, digest);
    *out = skn_arena_printf(cli->keep, "%s/%.16s.current", folder, digest).p;
    return SKEIN_OK;
}

/* One that cannot be read is none: there may never have been one. */
static skein_rc read_default(skn_cli *cli, skn_current *out)
{
    const char *path;
    skn_str     text;
    skein_rc    rc = default_file(cli, &path);

    if (rc || !path)
        return rc;
    if (skn_own_read(path, SKN_OWN_FILE, DEFAULT_LIMIT, cli->keep, &text, NULL, &cli->err)) {
        cli->err = (skein_error){.rc = SKEIN_OK};
        return SKEIN_OK;
    }
    text = skn_str_trim(text);
    if (text.n)
        out->world = skn_arena_copy(cli->keep, text).p;
    return SKEIN_OK;
}

skein_rc skn_current_set(skn_cli *cli, const skein_world *world)
{
    const char *path;
    skein_rc    rc = default_file(cli, &path);

    if (rc || !path || (rc = skn_place_folders(cli, path)))
        return rc;
    return skn_file_write(path, skn_arena_printf(cli->keep, "%.*s\n", SKN_FMT(world->uid)),
                          &cli->err);
}

/* --- Which one ------------------------------------------------------------------------------ */

skein_rc skn_current_of(skn_cli *cli, skn_current *out)
{
    const char *named = skn_opt(cli, "world"), *variable = getenv("SKEIN_WORLD");
    skein_rc    rc;

    *out = (skn_current){.world = named, .by = "-w"};
    if (named)
        return SKEIN_OK;
    *out = (skn_current){.world = variable, .by = "SKEIN_WORLD"};
    if (variable && *variable)
        return SKEIN_OK;
    *out = (skn_current){.world = NULL};
    if ((rc = read_nearest(cli, out)) || out->world)
        return rc;
    out->by = NULL;
    return read_default(cli, out);
}

void skn_current_note(skn_cli *cli, const skein_world *world)
{
    if (cli->folder && cli->folder->world)
        skn_note(cli, "To the world \"%.*s\", which is named by %s.", SKN_FMT(world->name),
                 cli->folder->by);
}

skein_rc skn_file_write(const char *path, skn_str bytes, skein_error *err)
{
    char part[PATH_MAX];
    int  fd, why;
    bool ok;

    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
        return skn_fail(err, SKEIN_IO, "\"%s\" is too long a name", path);
    fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ok = fd >= 0 && write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n;
    if (fd >= 0)
        ok &= close(fd) == 0;
    if (ok && rename(part, path) == 0)
        return SKEIN_OK;
    why = errno;
    if (fd >= 0)
        unlink(part);
    errno = why;
    return skn_fail(err, errno == ENOSPC ? SKEIN_FULL : SKEIN_IO,
                    "\"%s\" cannot be written: %s", path, strerror(errno));
}
