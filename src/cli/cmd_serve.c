/* The server: prepares the process, then runs; and how it comes to its store. */
#include "cli/commands.h"
#include "cli/secrets.h"
#include "cli/serve.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 65536
#define FILES_NEEDED                                                                           \
    48 /* loop, log, lock, sockets, connections to the store, and some of clients */

/* What is in memory must not land in a file when the process crashes. */
static void guard_process(void)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* As many connections as the system allows; returns how many descriptors there may be. */
static int raise_files(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return 1024;
    if (files.rlim_cur < files.rlim_max || files.rlim_max == RLIM_INFINITY) {
        files.rlim_cur = files.rlim_max < MOST_FILES ? files.rlim_max : MOST_FILES;
        setrlimit(RLIMIT_NOFILE, &files);
        getrlimit(RLIMIT_NOFILE, &files);
    }
    return files.rlim_cur < MOST_FILES ? (int)files.rlim_cur : MOST_FILES;
}

/* Without them it would fail later, in the middle of something. Whoever starts it may have left files open. */
static skein_rc check_files(skn_cli *cli, int most)
{
    int free = 0;

    for (int fd = 0; fd < most && free < FILES_NEEDED; fd++)
        free += fcntl(fd, F_GETFD) < 0;
    if (free >= FILES_NEEDED)
        return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_IO,
             "the server must be able to open %d files and connections, and here it can open "
             "%d (the limit is %d)",
             FILES_NEEDED, free, most);
    return skn_hint(&cli->err, SKEIN_IO,
                    "Raise the limit. In a unit of systemd: LimitNOFILE=1024. In a new shell: "
                    "ulimit -n 1024; skein serve");
}

/* --- The store ------------------------------------------------------------------------------ */

static skein_rc make_folders(skn_serve *s)
{
    skn_cli    *cli = s->cli;
    const char *file = skn_place_file(cli);
    skein_rc    rc = SKEIN_OK;
    int         failure;

    if (s->read_only)
        return SKEIN_OK;
    if (!file || !skn_opt(cli, "db")) {
        rc = skn_place_folders(cli, s->traces.lock);
        failure = errno;
    }
    if (rc) {
        skn_fail(&cli->err, SKEIN_IO, "Cannot write to %s (%s)", s->traces.folder,
                 strerror(failure));
        return skn_hint(&cli->err, SKEIN_IO, "Try: skein serve --data /some/folder");
    }
    if (!rc && s->socket)
        rc = skn_place_folders(cli, s->socket);
    return rc;
}

static skein_rc open_store(skn_serve *s)
{
    skn_cli      *cli = s->cli;
    const char   *file = skn_place_file(cli);
    skein_options options = SKEIN_OPTIONS_INIT;

    options.store = skn_str_of(cli->address);
    options.read_only = s->read_only;
    options.max_text = (size_t)s->config->values[SKN_CONFIG_MESSAGE_BYTES].number;
    s->is_new = file && access(file, F_OK) != 0 && errno != EACCES;
    if (s->is_new && s->read_only)
        return skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no store at \"%s\" to read",
                        file);
    if (skein_open(&cli->engine, &options, &cli->err))
        return cli->err.rc;
    skn_secrets_grant(skn_engine_env_rule(cli->engine), s->config);
    return SKEIN_OK;
}

/* What people chose while working counts like what is written in a file. */
static skein_rc read_settings(skn_serve *s)
{
    skein_settings list;
    skein_rc       rc = skein_setting_list(s->cli->engine, s->cli->keep, &list, &s->cli->err);

    for (size_t i = 0; !rc && i < list.count; i++)
        skn_config_stored(s->config, &list.at[i], s->config_mem);
    return rc;
}

skein_rc skn_serve_open(skn_serve *s)
{
    skein_world world;
    bool        made;
    skein_rc    rc = open_store(s);

    if (rc || s->read_only)
        return rc;
    if ((rc = skn_tour_make(s->cli->engine, &world, &made, &s->cli->err)))
        return rc;
    return read_settings(s);
}

int skn_cmd_serve(skn_cli *cli)
{
    skn_serve  s = {.cli = cli, .lock = -1, .fd = -1};
    skn_server other;
    bool       running = false;
    int        most_files = raise_files();
    skein_rc   rc;

    s.began = skn_clock_monotonic();
    s.started_at = skn_clock_micros();
    guard_process();
    if ((rc = check_files(cli, most_files)) || (rc = skn_serve_settle(&s)))
        goto out;
    if (cli->dry_run) {
        skn_would(cli, "run a server on %.*s", SKN_FMT(skn_place_shown(cli)));
        goto out;
    }
    if ((rc = make_folders(&s)) || (rc = skn_serve_lock(&s, &running, &other)))
        goto out;
    if (running) {
        skn_serve_say_running(cli, &other);
        goto out;
    }
    if ((rc = skn_serve_token(&s)) || (!s.passed && (rc = skn_serve_listen(&s))))
        goto out;
    skn_heap_tidy();
    rc = skn_serve_run(&s, most_files);
out:
    skn_arena_free(s.config_mem);
    skein_close(cli->engine); /* before anybody else may have the lock */
    cli->engine = NULL;
    if (s.lock >= 0)
        close(s.lock);
    return (int)rc;
}
