/* Where bytes go: standard output, the pager, standard error, and questions on the terminal. */
#include "cli/paste.h"
#include "cli/print.h"

#include "cli/config_cli.h"
#include "cli/unanswered.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHUNK       ((size_t)64 << 10)
#define ITEM_LIMIT  ((size_t)4 << 30)
#define MANY_COLUMN 1000

/* A small system may have no pager at all. */
static const char default_pager[] =
    "if command -v less >/dev/null; then exec less -FIRX; else exec cat; fi";
/* Of a log the newest is wanted first, which is its end. */
static const char log_pager[] =
    "if command -v less >/dev/null; then exec less -FIRX +G; else exec cat; fi";

static bool want_colour(const skn_cli *cli)
{
    const char *when = skn_opt(cli, "color");

    if (when && strcmp(when, "auto") != 0)
        return !strcmp(when, "always");
    return !skn_env("NO_COLOR") &&
           (skn_env("FORCE_COLOR") || (cli->out.terminal && !cli->json));
}

static void measure(skn_out *out)
{
    struct winsize size;
    bool           known = ioctl(out->fd, TIOCGWINSZ, &size) == 0;

    out->width = known && size.ws_col > 0 && size.ws_col < MANY_COLUMN ? size.ws_col : 80;
    out->rows = known ? size.ws_row : 0;
}

void skn_out_init(skn_cli *cli)
{
    skn_buf_init(&cli->item, ITEM_LIMIT);
    skn_buf_init(&cli->out.bytes, ITEM_LIMIT + CHUNK);
    cli->out.fd = STDOUT_FILENO;
    cli->out.terminal = isatty(STDOUT_FILENO) == 1;
    cli->out.colour = want_colour(cli);
    if (cli->out.terminal)
        measure(&cli->out);
}

static void write_all(skn_cli *cli, skn_str left)
{
    while (left.n && !cli->out.failure) {
        ssize_t n = write(cli->out.fd, left.p, left.n);

        if (n >= 0)
            left = skn_str_sub(left, (size_t)n, left.n);
        else if (errno != EINTR)
            cli->out.failure = errno;
    }
}

/* How many bytes at the start are ours to write to a terminal: a colour, or what moves the cursor in a chat and in a text
 * that is being written. */
static size_t own_move(skn_str s)
{
    size_t i = 2;

    if (s.p[0] == '\r' || s.p[0] == '\b')
        return 1;
    if (skn_str_starts(s, SKN_STR("\033[?7l")) || skn_str_starts(s, SKN_STR("\033[?7h")))
        return 5;
    if (!skn_str_starts(s, SKN_STR("\033[")))
        return 0;
    while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
        i++;
    return i < s.n && memchr("mAJK", s.p[i], 4) ? i + 1 : 0;
}

/* The first bytes of a character that the end cuts: how many there are. */
static size_t begun(skn_str s)
{
    size_t n = 1;

    while (n < 4 && n < s.n && ((unsigned char)s.p[s.n - n] & 0xc0) == 0x80)
        n++;
    if (n > s.n)
        return 0;
    return (unsigned char)s.p[s.n - n] >= (n == 1   ? 0xc0
                                           : n == 2 ? 0xe0
                                                    : 0xf0) &&
                   n < 4
               ? n
               : 0;
}

/* What a command should have cleaned and did not is cleaned here: the bytes may be a hostile server's. */
static void clean_for_terminal(skn_buf *out, skn_str rest)
{
    size_t plain, own;

    while (rest.n) {
        for (plain = 0; plain < rest.n && !memchr("\033\r\b", rest.p[plain], 3);)
            plain++;
        skn_clean_add_piece(out, skn_str_sub(rest, 0, plain));
        rest = skn_str_sub(rest, plain, rest.n);
        if (!rest.n)
            return;
        if (!(own = own_move(rest)))
            skn_clean_add_piece(out, skn_str_sub(rest, 0, 1));
        else
            skn_buf_add(out, skn_str_sub(rest, 0, own));
        rest = skn_str_sub(rest, own ? own : 1, rest.n);
    }
}

/* Does it fit on the terminal, with a row left for the shell? */
static bool fits(const skn_out *out)
{
    skn_str rest = skn_buf_str(&out->held), line;
    size_t  rows = 0, width = (size_t)out->width;

    while (rows < (size_t)out->rows && skn_str_split(&rest, '\n', &line)) {
        size_t columns = skn_line_columns(line);

        rows += columns > width ? (columns + width - 1) / width : 1;
    }
    return rows < (size_t)out->rows;
}

static void let_go(skn_cli *cli)
{
    if (!cli->out.holds)
        return;
    cli->out.holds = false;
    write_all(cli, skn_buf_str(&cli->out.held));
    skn_buf_release(&cli->out.held);
}

/* The child is the pager and the parent the program, so that the exit status stays ours. */
static void start_pager(skn_cli *cli)
{
    const char *pager = skn_env("PAGER");
    int         ends[2];
    pid_t       pid;

    if (!pager)
        pager = strcmp(cli->command->name, "log") ? default_pager : log_pager;
    if (pipe(ends) != 0)
        return;
    pid = fork();
    if (pid == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl("/bin/sh", "sh", "-c", pager, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    cli->out.fd = ends[1];
    cli->out.pager = pid;
}

static void pass_on(skn_cli *cli, skn_str bytes)
{
    if (!cli->out.holds) {
        write_all(cli, bytes);
        return;
    }
    skn_buf_add(&cli->out.held, bytes);
    if (fits(&cli->out))
        return;
    start_pager(cli);
    let_go(cli);
}

void skn_out_flush(skn_cli *cli)
{
    skn_str all = skn_buf_str(&cli->out.bytes);
    size_t  kept = cli->out.terminal ? begun(all) : 0;
    skn_buf clean;

    if (!cli->out.terminal) {
        write_all(cli, all);
        skn_buf_clear(&cli->out.bytes);
        return;
    }
    skn_buf_init(&clean, cli->out.bytes.limit);
    clean_for_terminal(&clean, skn_str_sub(all, 0, all.n - kept));
    pass_on(cli, skn_buf_str(&clean));
    skn_buf_clear(&clean);
    skn_buf_add(&clean, skn_str_sub(all, all.n - kept, all.n));
    skn_buf_clear(&cli->out.bytes);
    skn_buf_add(&cli->out.bytes, skn_buf_str(&clean));
    skn_buf_release(&clean);
}

void skn_print_raw(skn_cli *cli, skn_str bytes)
{
    skn_buf_add(&cli->out.bytes, bytes);
    if (cli->out.bytes.n >= CHUNK)
        skn_out_flush(cli);
}

/* less alone would not do: told to begin at the end, it fills the screen also where all fits on it. */
void skn_out_page(skn_cli *cli)
{
    const char *pager = skn_env("PAGER");
    bool        none = pager && !strcmp(pager, "cat");

    if (!cli->out.terminal || cli->json || cli->out.pager || cli->out.holds || none ||
        skn_opt(cli, "no-pager"))
        return;
    skn_out_flush(cli);
    skn_buf_init(&cli->out.held, ITEM_LIMIT + CHUNK);
    cli->out.holds = true;
}

/* A server goes on, and so does its status: others than the reader of its first lines need it. */
bool skn_out_left(const skn_cli *cli)
{
    return cli->out.failure == EPIPE && !cli->out.pager &&
           !(cli->command && !strcmp(cli->command->name, "serve"));
}

/* Writes what is left and waits for the pager; fills cli->err when output was lost. */
static skein_rc out_finish(skn_cli *cli)
{
    bool lost;

    skn_out_flush(cli);
    let_go(cli);
    write_all(cli, skn_buf_str(&cli->out.bytes)); /* half a character, if anything */
    skn_buf_clear(&cli->out.bytes);
    if (cli->out.pager) {
        close(cli->out.fd);
        while (waitpid(cli->out.pager, NULL, 0) < 0 && errno == EINTR)
            ;
        cli->out.fd = STDOUT_FILENO;
    }
    if (skn_out_left(cli) && cli->err.rc == SKEIN_IO) /* that is why it failed */
        cli->err = (skein_error){.rc = SKEIN_OK};
    /* A reader who leaves early has seen enough. */
    lost = cli->out.failure && cli->out.failure != EPIPE;
    if (!lost || cli->err.rc)
        return cli->err.rc;
    return skn_fail(&cli->err, cli->out.failure == ENOSPC ? SKEIN_FULL : SKEIN_IO,
                    "%swriting the output failed: %s",
                    cli->more.done ? "the change was made, but " : "",
                    strerror(cli->out.failure));
}

void skn_note(skn_cli *cli, const char *fmt, ...)
{
    char    line[2048];
    va_list args;
    skn_buf clean;

    if (cli->quiet)
        return;
    skn_out_flush(cli);
    let_go(cli); /* what was printed before stands before it */
    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    skn_buf_init(&clean, 16 * sizeof line);
    skn_clean_add(&clean, skn_str_of(skn_pasteable(cli, line)), true);
    fprintf(stderr, "%.*s\n", SKN_FMT(skn_buf_str(&clean)));
    skn_buf_release(&clean);
}

skein_rc skn_confirm(skn_cli *cli, const char *question, bool must_ask)
{
    char    answer[16] = "";
    skn_buf clean;
    bool can_ask = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !skn_opt(cli, "no-input");

    if (cli->yes || cli->dry_run)
        return SKEIN_OK;
    if (!can_ask && !must_ask)
        return SKEIN_OK;
    if (!can_ask)
        return skn_fail_hint(&cli->err, SKEIN_USAGE, "Confirm with -y",
                             "\"skein %s\" cannot be undone, and nobody can confirm it here",
                             cli->command->name);
    skn_out_flush(cli);
    let_go(cli);
    skn_buf_init(&clean, CHUNK);
    skn_clean_add(&clean, skn_str_of(question), true);
    fprintf(stderr, "%.*s [y/N] ", SKN_FMT(skn_buf_str(&clean)));
    skn_buf_release(&clean);
    if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
        return SKEIN_OK;
    return skn_fail(&cli->err, SKEIN_NOTHING, "not confirmed; nothing was changed");
}

/* With the place of a store in it a hint may be longer than that of an error can be. */
static const char *clean_line(skn_cli *cli, const char *text)
{
    size_t n = strlen(text) + 1;
    char  *own = skn_arena_alloc(cli->keep, n);

    memcpy(own, text, n);
    skn_line_clean(own, n - 1);
    return own;
}

/* What failed on the way to a success did not matter; only the answer can still be lost. A failure that nobody
 * described is still one. */
int skn_cli_settle(skn_cli *cli, skein_rc rc)
{
    const char *hint;

    if (!rc)
        cli->err = (skein_error){.rc = SKEIN_OK};
    cli->more.done = !rc && !cli->status && cli->command &&
                     cli->command->kind == SKN_CMD_WRITE && !cli->dry_run;
    if (rc && !cli->err.rc)
        skn_fail(&cli->err, rc, "\"skein %s\" was not done",
                 cli->command ? cli->command->name : "");
    out_finish(cli);
    if (!cli->err.rc)
        return cli->status;
    if (cli->err.rc == SKEIN_AT_WORK)
        skn_busy_explain(cli);
    if (cli->err.rc == SKEIN_DAMAGED && cli->command && !strcmp(cli->command->name, "fsck"))
        skn_hint(&cli->err, SKEIN_DAMAGED, "Copy it elsewhere and restore a backup");
    hint = skn_pasteable(cli, cli->err.hint);
    if (hint != cli->err.hint)
        cli->more.hint = clean_line(cli, hint);
    skn_report(cli);
    return skein_rc_exit(cli->err.rc);
}

skein_rc skn_status(skn_cli *cli, int status)
{
    cli->status = status;
    return SKEIN_OK;
}

/* A typing error gets one line; a real failure also gets its remedy. */
static void report_text(skn_cli *cli, const skein_error *err)
{
    const char *hint = cli->more.hint ? cli->more.hint : err->hint;
    skn_str     stop = skn_arena_printf(cli->keep, "skein stop -w %s",
                                    cli->changing_world ? cli->changing_world : "");

    if (err->rc == SKEIN_AT_WORK && cli->inside) {
        fprintf(stderr, "error: %s\n  stop:  /stop\n", err->message);
        return;
    }
    if (err->rc == SKEIN_AT_WORK && cli->changing_world && cli->more.extra.n) {
        fprintf(stderr, "error: %s\n  wait:  %.*s --wait\n  stop:  %s\n", err->message,
                SKN_FMT(skn_typed_line(cli)), skn_pasteable(cli, stop.p));
        return;
    }
    if (err->rc != SKEIN_USAGE) {
        fprintf(stderr, "error: %s\n", err->message);
        if (hint[0])
            fprintf(stderr, "  %s\n", hint);
        return;
    }
    if (cli->more.fields)
        fprintf(stderr, "skein: %s. There are: %s\n", err->message, cli->more.fields);
    else if (hint[0])
        fprintf(stderr, "skein: %s. %s\n", err->message, hint);
    else
        fprintf(stderr, "skein: %s\n", err->message);
}

void skn_report(skn_cli *cli)
{
    skn_buf clean;

    if (!cli->json) {
        report_text(cli, &cli->err);
        return;
    }
    if (cli->told && strcmp(cli->told, cli->err.message) != 0)
        cli->more.word = NULL; /* the kind of a failure that was met before */
    skn_buf_clear(&cli->item);
    skn_jw_init(&cli->jw, &cli->item);
    skn_shape_problem(&cli->jw, &cli->err, &cli->more);
    skn_buf_init(&clean, ITEM_LIMIT);
    if (isatty(STDERR_FILENO))
        skn_clean_add(&clean, skn_buf_str(&cli->item), true);
    else
        skn_buf_add(&clean, skn_buf_str(&cli->item));
    fprintf(stderr, "%.*s\n", SKN_FMT(skn_buf_str(&clean)));
    skn_buf_release(&clean);
}
