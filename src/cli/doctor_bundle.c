/* What the doctor found, in a file to show to others: no text of a message, no key. */
#include "cli/commands.h"
#include "cli/config_cli.h"
#include "cli/doctor.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

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
    skn_jw_key(w, "checks");
    skn_jw_raw(w, checks);
    skn_jw_key(w, "settings");
    skn_config_shape(w, c, c, cli->keep);
    skn_jw_object_end(w);
}

static skein_rc write_new(skn_cli *cli, const char *path, skn_str text)
{
    int  fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool whole;

    whole = fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n;
    if (fd >= 0 && close(fd) != 0)
        whole = false;
    return whole ? SKEIN_OK
                 : skn_fail(&cli->err, SKEIN_IO, "\"%s\" cannot be written: %s", path,
                            strerror(errno));
}

skein_rc skn_doctor_bundle(skn_cli *cli, const char *path, skn_str checks)
{
    skn_buf  all;
    skn_jw   w;
    skein_rc rc;

    skn_buf_init(&all, SKN_BUNDLE_LIMIT);
    skn_jw_init(&w, &all);
    bundle_shape(cli, &w, checks);
    skn_buf_add(&all, SKN_STR("\n"));
    rc = all.over
             ? skn_fail(&cli->err, SKEIN_LIMIT, "the bundle is over %d bytes", SKN_BUNDLE_LIMIT)
             : write_new(cli, path, skn_buf_str(&all));
    skn_buf_release(&all);
    if (!rc)
        skn_note(cli, "wrote %s; it has no texts and no keys, but names of files and settings",
                 path);
    return rc;
}
