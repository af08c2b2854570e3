/* Text from a person: an option, a file, standard input, or the editor. */
#include "cli/input.h"
#include "cli/config_cli.h"
#include "cli/place.h"
#include "cli/print.h"
#include "config/own.h"
#include "config/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
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
    const char *editor = skn_env("VISUAL") ? skn_env("VISUAL") : skn_env("EDITOR");
    char        line[512];
    int         status = 0;
    pid_t       pid;

    snprintf(line, sizeof line, "%s \"$1\"", editor ? editor : "vi");
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
    const char *folder = skn_env("TMPDIR");
    char        file[512];
    skn_str     whole;
    int         fd;
    skein_rc    rc = SKEIN_OK;

    snprintf(file, sizeof file, "%s/skein-XXXXXX", folder ? folder : "/tmp");
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
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || skn_opt(cli, "no-input"))
        return skn_fail_hint(&cli->err, SKEIN_USAGE, "Give it with -m TEXT or -F FILE",
                             "\"skein %s\" needs a text", cli->command->name);
    return text_from_editor(cli, old, out);
}

enum { LINE_MOST = SKN_SECRET_MOST + 16 };

/* Up to a line end or the end; one byte at a time, so that nothing behind it is taken. */
static size_t read_line(int fd, char *line)
{
    size_t  n = 0;
    ssize_t got;

    while (n < LINE_MOST && ((got = read(fd, line + n, 1)) == 1 || (got < 0 && errno == EINTR)))
        if (got == 1 && line[n++] == '\n')
            break;
    return n;
}

static void write_prompt(int fd, skn_str text)
{
    ssize_t n = write(fd, text.p, text.n);

    (void)n;
}

/* On a terminal the person's own; it has its echo back whatever happens. */
static size_t ask_terminal(skn_cli *cli, int fd, skn_str provider, char *line)
{
    struct termios was, quiet;
    bool           silent = tcgetattr(fd, &was) == 0;
    size_t         n;

    write_prompt(fd,
                 skn_arena_printf(cli->keep, "Key of %.*s (not shown): ", SKN_FMT(provider)));
    if (silent) {
        quiet = was;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(fd, TCSAFLUSH, &quiet);
    }
    n = read_line(fd, line);
    if (silent)
        tcsetattr(fd, TCSAFLUSH, &was);
    write_prompt(fd, SKN_STR("\n"));
    return n;
}

skein_rc skn_key_input(skn_cli *cli, skn_str provider, skn_str *out)
{
    char   *line = SKN_ARRAY(cli->keep, LINE_MOST + 1, char);
    int     fd = -1;
    skn_str key;

    if (isatty(STDIN_FILENO) && !skn_opt(cli, "no-input"))
        fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) {
        key = (skn_str){line, ask_terminal(cli, fd, provider, line)};
        close(fd);
    } else if (isatty(STDIN_FILENO)) {
        return skn_fail(&cli->err, SKEIN_USAGE, "the key has to come from standard input");
    } else {
        key = (skn_str){line, read_line(STDIN_FILENO, line)};
    }
    *out = skn_str_trim(key);
    if (skn_secret_valid(*out))
        return SKEIN_OK;
    skn_secret_wipe(key);
    return skn_fail(&cli->err, SKEIN_USAGE,
                    out->n ? "this is not a key: it has a blank or a character that no key has"
                           : "there was no key");
}

/* The end of the JSON value that begins at i. The text comes from our own writer: it is well
 * formed, so counting brackets outside of strings is enough, at any depth. */
static size_t value_end(skn_str s, size_t i)
{
    size_t depth = 0;
    bool   quoted = false;

    for (; i < s.n; i++) {
        char c = s.p[i];

        if (quoted && c == '\\')
            i++;
        else if (c == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (c == '{' || c == '[')
            depth++;
        else if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return i;
        else if (c == '}' || c == ']')
            depth--;
    }
    return s.n;
}

static bool member(skn_str object, skn_str name, skn_str *out)
{
    for (size_t i = 1; i + 1 < object.n; i++) { /* steps over "{" or "," */
        size_t  colon = i + 1, end;
        skn_str key;

        while (colon < object.n && object.p[colon] != '"')
            colon++;
        key = skn_str_sub(object, i + 1, colon);
        end = value_end(object, colon + 2);
        if (skn_str_eq(key, name)) {
            *out = skn_str_sub(object, colon + 2, end);
            return true;
        }
        i = end;
    }
    *out = SKN_STR("null");
    return false;
}

bool skn_has_member(skn_str object, skn_str name)
{
    skn_str value;

    return member(object, name, &value);
}

/* A message that was not read from a version has no place. */
static bool has_no_place(skn_str object, skn_str *value)
{
    return member(object, SKN_STR("position"), value) && skn_str_is(*value, "-1");
}

void skn_item_add(skn_buf *out, skn_str object)
{
    skn_str place;
    size_t  at;

    if (!skn_str_starts(object, SKN_STR("{\"")) || !has_no_place(object, &place)) {
        skn_buf_add(out, object);
        return;
    }
    at = (size_t)(place.p - object.p);
    skn_buf_add(out, skn_str_sub(object, 0, at));
    skn_buf_add(out, SKN_STR("null"));
    skn_buf_add(out, skn_str_sub(object, at + place.n, object.n));
}

/* A message's id and content have shorter names too. */
static skn_str value_of(skn_str object, skn_str name)
{
    skn_str value;

    if (skn_str_is(name, "position") && has_no_place(object, &value))
        return SKN_STR("null");
    if (member(object, name, &value))
        return value;
    if (skn_str_is(name, "id"))
        member(object, SKN_STR("messageId"), &value);
    else if (skn_str_is(name, "text"))
        member(object, SKN_STR("content"), &value);
    return value;
}

void skn_pick(skn_buf *out, skn_str object, const char *fields)
{
    skn_str rest = skn_str_of(fields), name;
    bool    first = true;

    while (skn_str_split(&rest, ',', &name)) {
        name = skn_str_trim(name);
        if (!first)
            skn_buf_addc(out, ',');
        first = false;
        skn_buf_addc(out, '"');
        skn_buf_add(out, name);
        skn_buf_add(out, SKN_STR("\":"));
        skn_buf_add(out, value_of(object, name));
    }
    skn_buf_addc(out, '}');
}

#define OPENER "xdg-open"

static bool in_path(const char *program)
{
    const char *path = getenv("PATH");
    char        file[PATH_MAX];

    while (path && *path) {
        int n = (int)strcspn(path, ":");

        snprintf(file, sizeof file, "%.*s/%s", n, path, program);
        if (n && access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

bool skn_browser_here(void)
{
    return (skn_env("DISPLAY") || skn_env("WAYLAND_DISPLAY")) && in_path(OPENER);
}

/* The grandchild is nobody's child, so that nobody has to wait for the browser. */
static void open_in_child(const char *url)
{
    int null;

    if (fork() != 0)
        _exit(0);
    setsid();
    null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    execlp(OPENER, OPENER, url, (char *)NULL);
    _exit(127);
}

bool skn_browser_open(const char *url)
{
    pid_t pid = fork();

    if (pid == 0)
        open_in_child(url);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return pid > 0;
}

static void nothing(int signal_number)
{
    (void)signal_number;
}

void skn_interrupt_arm(int signal_number)
{
    struct sigaction now, noticed = {.sa_handler = nothing, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&noticed.sa_mask);
    if (sigaction(signal_number, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
        sigaction(signal_number, &noticed, NULL);
}

bool skn_interrupt_came(int signal_number)
{
    struct sigaction now;

    return sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

void skn_interrupt_disarm(int signal_number)
{
    struct sigaction now, usual = {.sa_handler = SIG_DFL};

    sigemptyset(&usual.sa_mask);
    if (sigaction(signal_number, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
        sigaction(signal_number, &usual, NULL);
}
