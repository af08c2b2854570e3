#include "cli/key_input.h"

#include "base/error.h"
#include "cli/print.h"
#include "cli/secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

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

static void say(int fd, skn_str text)
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

    say(fd, skn_arena_printf(cli->keep, "Key of %.*s (not shown): ", SKN_FMT(provider)));
    if (silent) {
        quiet = was;
        quiet.c_lflag &= ~(tcflag_t)ECHO;
        tcsetattr(fd, TCSAFLUSH, &quiet);
    }
    n = read_line(fd, line);
    if (silent)
        tcsetattr(fd, TCSAFLUSH, &was);
    say(fd, SKN_STR("\n"));
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
                    out->n ? "this is no key: it has a blank or a character that no key has"
                           : "there was no key");
}
