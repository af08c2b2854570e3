/* The program: reads the command line, opens the store, runs one command, says how it went. */
#include "cli/door.h"
#include "cli/paste.h"
#include "cli/place.h"
#include "cli/print.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

/* A descriptor that was closed would become the store's file, and output would go into it. What
 * takes its place here can be read or written only the wrong way round. */
static void keep_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(1);
}

static void hide(char *from, const char *to)
{
    memset(from, 'x', (size_t)(to - from));
}

/* In a query: the value behind each name of a password, however it is spelled. */
static void hide_parameters(char *word)
{
    for (char *name = strpbrk(word, "?&"), *value; name; name = strpbrk(name, "?&")) {
        name++;
        value = name + strcspn(name, "=?&");
        if (*value == '=' && skn_names_password((skn_str){name, (size_t)(value - name)}))
            hide(value + 1, value + strcspn(value, "& "));
    }
}

/* The password in "postgresql://user:password@host", in "password=…" and in "?password=…". */
static void hide_password(char *word)
{
    char *user = strstr(word, "://"), *at, *colon, *named = word;

    while ((named = strstr(named, "password="))) {
        named += strlen("password=");
        hide(named, named + strcspn(named, "& "));
    }
    hide_parameters(word);
    if (!user)
        return;
    user += 3;
    at = user + strcspn(user, "/");
    while (at > user && *at != '@')
        at--;
    colon = memchr(user, ':', (size_t)(at - user));
    if (colon)
        hide(colon + 1, at);
}

/* Every user of the computer can read the words that a program was started with: we keep a copy, and take passwords out of
 * the original. */
static char **own_words(skn_cli *cli, int argc, char **argv)
{
    char **own = SKN_ARRAY(cli->keep, (size_t)argc + 1, char *);

    for (int i = 0; i < argc; i++) {
        own[i] = (char *)(uintptr_t)skn_arena_copy(cli->keep, skn_str_of(argv[i])).p;
        hide_password(argv[i]);
    }
    return own;
}

static skein_rc check_colour(skn_cli *cli)
{
    const char *when = skn_opt(cli, "color");

    if (!when || !strcmp(when, "auto") || !strcmp(when, "always") || !strcmp(when, "never"))
        return SKEIN_OK;
    return skn_fail(&cli->err, SKEIN_USAGE, "\"--color\" is auto, always or never, not \"%s\"",
                    when);
}

static skein_rc run_command(skn_cli *cli)
{
    skein_rc rc;

    if (skn_opt(cli, "version")) {
        skn_print(cli, "skein %s\n", skein_version_text());
        return SKEIN_OK;
    }
    if (!cli->command) {
        skn_help_overview(cli);
        return SKEIN_OK;
    }
    if (skn_opt(cli, "help")) {
        skn_help_command(cli, cli->command);
        return SKEIN_OK;
    }
    if ((rc = cli->command->kind == SKN_CMD_PLAIN ? skn_place_plain(cli) : skn_place_open(cli)))
        return rc;
    rc = cli->command->run(cli);
    return skn_nothing_open(cli) ? SKEIN_OK : rc;
}

int main(int argc, char **argv)
{
    skn_cli cli = {.mem = NULL};
    int     status;

    keep_descriptors();
    umask(077);               /* what is made is for the person's eyes only */
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write … */
    signal(SIGXFSZ, SIG_IGN); /* … and so is a file that may not grow */
    cli.mem = skein_mem_new();
    cli.keep = skein_mem_new();
    if (!skn_args_read(&cli, argc, own_words(&cli, argc, argv)))
        check_colour(&cli);
    skn_out_init(&cli);
    status = skn_cli_settle(&cli, cli.err.rc ? cli.err.rc : run_command(&cli));
    skn_door_end(&cli);
    skein_close(cli.engine);
    skn_place_sweep(&cli);
    skn_buf_release(&cli.item);
    skn_buf_release(&cli.out.bytes);
    skein_mem_free(cli.mem);
    skein_mem_free(cli.keep);
    if (skn_out_left(
            &cli)) { /* ends as programs do that nobody taught about it: without a word */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return status;
}
