/* Text from a person: an option, a file, standard input, or the editor. */
#include "cli/place.h"

#include "base/error.h"
#include "cli/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

skein_rc skn_read_file(skn_cli *cli, const char *path, size_t limit, skn_str *out)
{
    bool     standard = !strcmp(path, "-");
    int      fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    skein_rc rc;

    if (fd < 0)
        return skn_fail(&cli->err, errno == ENOENT ? SKEIN_NOT_FOUND : SKEIN_IO,
                        "\"%s\" cannot be read: %s", path, strerror(errno));
    if ((rc = skn_fd_read(fd, limit, cli->keep, out)))
        skn_fd_fail(rc, standard ? "standard input" : path, limit, &cli->err);
    if (!standard)
        close(fd);
    return rc;
}

int skn_run_editor(const char *file)
{
    const char *editor = getenv("VISUAL");
    char        line[512];
    int         status = 0;
    pid_t       pid;

    if (!editor || !*editor)
        editor = getenv("EDITOR");
    if (!editor || !*editor)
        editor = "vi";
    snprintf(line, sizeof line, "%s \"$1\"", editor);
    pid = fork();
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", line, "sh", file, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid < 0 || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

/* Who leaves the editor without a change, or with nothing, wants nothing done. */
static skein_rc text_from_editor(skn_cli *cli, skn_str old, skn_str *out)
{
    const char *folder = getenv("TMPDIR");
    char        file[512];
    skn_str     whole;
    int         fd;
    skein_rc    rc = SKEIN_OK;

    snprintf(file, sizeof file, "%s/skein-XXXXXX", folder && *folder ? folder : "/tmp");
    fd = mkstemp(file);
    if (fd < 0 || write(fd, old.n ? old.p : "", old.n) != (ssize_t)old.n)
        rc = skn_fail(&cli->err, SKEIN_IO, "\"%s\" cannot be written: %s", file,
                      strerror(errno));
    if (fd >= 0)
        close(fd);
    if (!rc && skn_run_editor(file) != 0)
        rc = skn_fail(&cli->err, SKEIN_NOTHING, "the editor failed; nothing was changed");
    if (!rc)
        rc = skn_read_file(cli, file, SKN_TEXT_LIMIT, out);
    if (fd >= 0)
        unlink(file);
    if (rc)
        return rc;
    whole = *out;
    if (out->n && out->p[out->n - 1] == '\n')
        out->n--;
    if (!skn_str_trim(whole).n || skn_str_eq(whole, old) || skn_str_eq(*out, old))
        return skn_fail(&cli->err, SKEIN_NOTHING, "unchanged; nothing was done");
    return SKEIN_OK;
}

skein_rc skn_need_text(skn_cli *cli, skn_str old, skn_str *out)
{
    const char *text = skn_opt(cli, "message"), *file = skn_opt(cli, "file");
    skein_rc    rc;

    *out = skn_str_of(text);
    if (text && file)
        return skn_fail(&cli->err, SKEIN_USAGE, "give the text with -m or with -F, not both");
    if (text)
        return SKEIN_OK;
    if (file) {
        rc = skn_read_file(cli, file, SKN_TEXT_LIMIT, out);
        if (!rc && out->n && out->p[out->n - 1] == '\n')
            out->n--;
        return rc;
    }
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || skn_opt(cli, "no-input")) {
        skn_fail(&cli->err, SKEIN_USAGE, "\"skein %s\" needs a text", cli->command->name);
        return skn_hint(&cli->err, SKEIN_USAGE, "Give it with -m TEXT or -F FILE");
    }
    return text_from_editor(cli, old, out);
}
