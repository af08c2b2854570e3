/* The running server: its parts, how they notify each other, and how it stops. */
#include "base/clock.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/place.h"
#include "cli/print.h"
#include "config/secrets.h"
#include "serve/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKERS          16
#define INNER_WORKERS    4
#define STOP_SECONDS     10
#define OTHER_FILES      256 /* descriptors that are not connections */
#define LEAST_BODY       ((size_t)17 << 20)
#define ESCAPED          6
#define EXIT_INTERRUPTED 130

/* --- Notifications -------------------------------------------------------------------------- */

static void nudge(void *arg)
{
    skn_serve *s = arg;

    atomic_store(&s->nudged, false); /* before anybody reads: a later change nudges again */
    if (s->http && !s->http_closed)
        skn_http_nudge(s->http);
    if (s->runtime && !s->runtime_closed)
        skn_runtime_nudge(s->runtime);
}

/* Nudges all but the HTTP server, which made the change. */
static void nudge_others(void *arg)
{
    skn_serve *s = arg;

    skn_serve_stored_changed(s->stored);
    if (s->runtime && !s->runtime_closed)
        skn_runtime_nudge(s->runtime);
}

/* On the thread that committed. */
static void on_commit(void *arg)
{
    skn_serve *s = arg;

    if (!atomic_exchange(&s->nudged, true))
        skn_loop_post(s->loop, nudge, s);
}

static void on_tell(void *arg, const skn_live *event)
{
    skn_serve *s = arg;

    if (s->http && !s->http_closed)
        skn_http_tell(s->http, event);
}

static void on_stop_agents(void *arg, skein_conversation_id chat, skein_agent_id agent,
                           skn_http_stopped *done, void *done_arg)
{
    skn_serve *s = arg;

    skn_runtime_stop(s->runtime, chat, agent, done, done_arg);
}

static void on_written(void *arg, skein_world_id world, skn_arena *a, skein_stop *out)
{
    skn_serve *s = arg;

    skn_runtime_written(s->runtime, world, a, out);
}

static skein_rc on_reload(void *arg, skein_error *err)
{
    return skn_serve_reload(arg, err);
}

static void on_settle(void *arg, skn_call *done, void *done_arg)
{
    skn_serve *s = arg;

    skn_serve_stored_take(s->stored, false, done, done_arg);
}

/* --- Stopping ------------------------------------------------------------------------------- */

static void end_when_closed(skn_serve *s)
{
    if (s->http_closed && s->runtime_closed)
        skn_loop_stop(s->loop);
}

static void http_closed(void *arg)
{
    skn_serve *s = arg;

    s->http_closed = true;
    end_when_closed(s);
}

static void runtime_closed(void *arg)
{
    skn_serve *s = arg;

    s->runtime_closed = true;
    end_when_closed(s);
}

/* Ends the process when something delays its end; everything that was acknowledged is safe. */
static void too_late(int signal)
{
    static const char text[] = "skein: the server did not stop in time and was killed\n";
    ssize_t           n = write(STDERR_FILENO, text, sizeof text - 1);

    (void)signal, (void)n;
    _exit(1);
}

static void begin_stop(skn_serve *s)
{
    struct sigaction late = {.sa_handler = too_late};

    if (s->stopping)
        return;
    s->stopping = true;
    sigaction(SIGALRM, &late, NULL);
    alarm(STOP_SECONDS);
    skn_notify("STOPPING=1");
    if (s->jobs)
        skn_serve_jobs_stop(s->jobs);
    s->runtime_closed = !s->runtime;
    if (s->runtime)
        skn_runtime_close(s->runtime, runtime_closed, s);
    skn_http_close(s->http, http_closed, s);
}

static void on_terminate(void *arg)
{
    begin_stop(arg);
}

static void on_interrupt(void *arg)
{
    skn_serve *s = arg;

    if (++s->interrupts > 1) {
        skn_serve_forget(s);
        _exit(EXIT_INTERRUPTED);
    }
    if (!s->stopping)
        skn_note(s->cli, "\nStopping. Ctrl-C again stops at once.");
    begin_stop(s);
}

/* --- Other signals -------------------------------------------------------------------------- */

static void on_hangup(void *arg)
{
    skn_serve  *s = arg;
    skein_error err;

    skn_notify("RELOADING=1");
    skn_serve_reload(s, &err); /* errors are in the log */
    skn_notify("READY=1");
}

static void on_count(void *arg)
{
    skn_serve_count(arg);
}

/* --- The start ------------------------------------------------------------------------------ */

static void open_log(skn_serve *s)
{
    skn_str format = s->config->values[SKN_CONFIG_LOG_FORMAT].text;
    int     fd = s->cli->json ? STDOUT_FILENO : STDERR_FILENO;
    bool    json = s->cli->json || skn_str_is(format, "json");

    s->log_on_terminal = isatty(fd);
    if (skn_str_is(format, "auto"))
        json |= !s->log_on_terminal;
    s->log = skn_log_new(fd, json, SKN_LOG_INFO);
    skn_log_hide(s->log, s->token);
    skn_serve_level(s);
    skn_serve_problems(s, s->config, s->config_mem);
}

/* Checks the folders of --record and --replay before any request is sent. */
static skein_rc check_recordings(skn_serve *s)
{
    const char  *record = skn_opt(s->cli, "record"), *replay = skn_opt(s->cli, "replay");
    const char  *folder = record ? record : replay;
    skein_error *err = &s->cli->err;
    struct stat  st;

    if (record && replay)
        return skn_fail(err, SKEIN_USAGE, "--record and --replay exclude each other");
    if (!folder)
        return SKEIN_OK;
    if (record)
        mkdir(record, 0700); /* if it is not there */
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return skn_fail(err, SKEIN_USAGE, "\"%s\" is not a folder", folder);
    if (replay && !skn_replay_usual(replay, s->cli->keep).n)
        return skn_fail(err, SKEIN_USAGE, "the folder \"%s\" has no recording", replay);
    return SKEIN_OK;
}

static skein_rc open_demo(skn_serve *s)
{
    const char          *file = skn_opt(s->cli, "script");
    skn_scripted_options o = {.no_delay = skn_opt(s->cli, "no-delay")};
    skn_str              text;
    skein_rc             rc;

    if (!file)
        o.script = skn_script_tour();
    else if ((rc = skn_read_file(s->cli, file, 1 << 20, &text)) ||
             (rc = skn_script_read(&o.script, text, file, &s->cli->err)))
        return rc;
    s->demo = skn_scripted_new(s->loop, &o);
    return SKEIN_OK;
}

/* Returns the server's folder beside the store, for keys and for files that agents may read. */
static const char *data_folder(skn_serve *s)
{
    const char *folder = NULL;

    if (skn_place_file(s->cli))
        return s->traces.folder;
    return skn_config_data(s->cli, &folder) ? NULL : folder;
}

/* Returns the folder with files that agents may read; NULL: none. */
static const char *files_folder(skn_serve *s)
{
    const char *folder = data_folder(s);

    return folder ? skn_arena_printf(s->cli->keep, "%s/files", folder).p : NULL;
}

/* Also called while the set is being created. */
static void providers_changed(void *arg)
{
    skn_serve *s = arg;

    if (s->providers)
        skn_model_board_put(s->models, s->providers);
}

static skein_rc open_providers(skn_serve *s)
{
    skn_provider_set_options o = {.loop = s->loop,
                                  .workers = s->inner,
                                  .engine = s->cli->engine,
                                  .log = s->log,
                                  .data_dir = data_folder(s),
                                  .demo = s->demo,
                                  .record = skn_opt(s->cli, "record"),
                                  .replay = skn_opt(s->cli, "replay"),
                                  .changed = providers_changed,
                                  .arg = s};
    skein_rc                 rc;

    skn_serve_demo_only(s, s->config);
    s->net = o.net = skn_net_new(s->loop);
    o.answer_ms = s->config->values[SKN_CONFIG_ANSWER_TIMEOUT].number;
    rc = skn_provider_set_new(&s->providers, &o, s->config, &s->cli->err);
    if (rc)
        return rc;
    s->demo = NULL; /* the set has taken it over */
    providers_changed(s);
    return SKEIN_OK;
}

static void open_runtime(skn_serve *s)
{
    char                host[128] = "localhost";
    skn_runtime_options o = {.engine = s->cli->engine,
                             .loop = s->loop,
                             .workers = s->inner,
                             .log = s->log,
                             .provider = skn_serve_provider,
                             .model = skn_serve_model,
                             .provider_arg = s,
                             .net = s->net,
                             .no_commands = !s->config->values[SKN_CONFIG_COMMANDS].number,
                             .begun = skn_serve_begun,
                             .tell = on_tell,
                             .tell_arg = s};

    if (skn_opt(s->cli, "demo"))
        o.only_model = "demo/scripted";
    gethostname(host, sizeof host - 1);
    o.files = files_folder(s);
    o.holder = skn_arena_printf(s->cli->keep, "%s:%ld", host, (long)getpid()).p;
    o.lease_ms = s->config->values[SKN_CONFIG_BUSY_TIMEOUT].number;
    o.alone = s->lock >= 0 && skn_str_starts(skn_str_of(s->cli->address), SKN_STR("sqlite:"));
    s->runtime = skn_runtime_new(&o);
}

/* On loopback all programs of this computer have one address, so there the limit applies only if it is configured. */
static int requests_per_minute(const skn_serve *s)
{
    const skn_config_value *v = &s->config->values[SKN_CONFIG_REQUESTS];

    return v->from == SKN_FROM_BUILT_IN && skn_is_loopback(s->host) ? 0 : (int)v->number;
}

/* The largest body of a message: in JSON each character may be written as "\u0001"; but no larger than a file. */
static size_t text_body(size_t message)
{
    size_t body = ESCAPED * message + (64 << 10), plain = message + (1 << 20);

    body = body < LEAST_BODY ? body : LEAST_BODY;
    return body > plain ? body : plain;
}

static skein_rc open_http(skn_serve *s, int most_files)
{
    const skn_config_value *values = s->config->values;
    skn_http_options        o = {.loop = s->loop,
                                 .workers = s->workers,
                                 .inner = s->inner,
                                 .host = s->host,
                                 .port = s->port,
                                 .fd = s->fd,
                                 .fd_stays = s->passed,
                                 .socket_path = s->socket,
                                 .token = s->token,
                                 .token_always = s->token_named,
                                 .read_only = s->read_only,
                                 .refuse_setting = skn_serve_refuse_setting,
                                 .reload = on_reload,
                                 .changed = nudge_others,
                                 .settle = on_settle,
                                 .arg = s,
                                 .api = {.log = s->log,
                                         .files = files_folder(s),
                                         .no_commands = !values[SKN_CONFIG_COMMANDS].number}};
    size_t                  body = (size_t)values[SKN_CONFIG_MESSAGE_BYTES].number + (1 << 20);

    o.allow_origins = values[SKN_CONFIG_ALLOW_ORIGINS].list;
    o.allow_origin_count = values[SKN_CONFIG_ALLOW_ORIGINS].count;
    if (values[SKN_CONFIG_PUBLIC_URL].text.n)
        o.public_url = values[SKN_CONFIG_PUBLIC_URL].text;
    o.max_body = body > LEAST_BODY ? body : 0;
    o.max_text = text_body((size_t)values[SKN_CONFIG_MESSAGE_BYTES].number);
    if (most_files < 6000 + OTHER_FILES)
        o.max_connections = most_files > 2 * OTHER_FILES ? most_files - OTHER_FILES
                                                         : most_files / 4;
    o.requests_per_minute = requests_per_minute(s);
    if (!s->read_only) {
        o.stop = on_stop_agents;
        o.written = on_written;
        skn_serve_agents(s, &o.api.agents);
    }
    return skn_http_start(&s->http, &o, &s->cli->err);
}

static void watch_signals(skn_serve *s)
{
    skn_loop_signal(s->loop, SIGTERM, on_terminate, s);
    skn_loop_signal(s->loop, SIGINT, on_interrupt, s);
    skn_loop_signal(s->loop, SIGHUP, on_hangup, s);
    skn_loop_signal(s->loop, SIGUSR1, on_count, s);
}

/* Tells other programs that requests are served from here on. */
static void tell_ready(skn_serve *s)
{
    skein_error err;

    if (skn_serve_describe(s, &err))
        skn_log_say(s->log, SKN_LOG_WARN, "other programs cannot find this server: %s",
                    err.message);
    skn_serve_say_soon(s);
    if (!s->log_on_terminal && s->everywhere)
        skn_log_say(s->log, SKN_LOG_INFO,
                    "listening on all addresses of this computer, port %d; here it is %s",
                    s->port, s->url);
    else if (!s->log_on_terminal)
        skn_log_say(s->log, SKN_LOG_INFO, "listening on %s", s->url);
    if (geteuid() == 0)
        skn_log_say(s->log, SKN_LOG_WARN,
                    "this server runs as root: anybody who gets in, and every tool server, "
                    "controls the whole computer; run it as a user of its own");
    skn_notify("READY=1");
    nudge(s);
}

/* "http://127.0.0.1:7534/", also if the server listens on every address. */
static void make_url(skn_serve *s)
{
    const char *host = s->host;
    bool        four = !strcmp(host, "0.0.0.0"), six = !strcmp(host, "::");

    s->everywhere = four || six;
    if (s->everywhere)
        host = four ? "127.0.0.1" : "::1";
    s->url = skn_arena_printf(s->cli->keep,
                              strchr(host, ':') ? "http://[%s]:%d/" : "http://%s:%d/", host,
                              s->port)
                 .p;
}

static skein_rc open_parts(skn_serve *s, int most_files)
{
    skein_rc rc;

    s->loop = skn_loop_new();
    s->models = skn_model_board_new(skn_opt(s->cli, "demo") ? "demo/scripted" : NULL);
    open_log(s);
    s->workers = skn_workers_new(s->loop, WORKERS);
    s->inner = skn_workers_new(s->loop, INNER_WORKERS);
    if ((rc = check_recordings(s)) || (!s->read_only && (rc = open_demo(s))))
        return rc;
    if (s->socket && s->lock >= 0 && !s->read_only)
        skn_socket_remove(s->socket); /* the lock is ours, so the socket is left over */
    make_url(s);
    return open_http(s, most_files);
}

/* --- The store ------------------------------------------------------------------------------ */

static skein_rc serve_open_store(skn_serve *s)
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

/* Reads the settings that people changed while a server ran; they count like those in a file. */
static skein_rc read_settings(skn_serve *s)
{
    skein_settings list;
    skein_rc       rc = skein_setting_list(s->cli->engine, s->cli->keep, &list, &s->cli->err);

    for (size_t i = 0; !rc && i < list.count; i++)
        skn_config_stored(s->config, &list.at[i], s->config_mem);
    return rc;
}

/* Opens the store, creates the tour in a new one, and reads its settings. On a worker: until it is done, nobody else
 * uses the command's memory, its error or the configuration. */
static void open_store(void *arg)
{
    skn_serve  *s = arg;
    skein_world world;
    bool        made;

    s->rc = serve_open_store(s);
    if (!s->rc && !s->read_only)
        s->rc = skn_tour_make(s->cli->engine, &world, &made, &s->cli->err);
    if (!s->rc && !s->read_only)
        s->rc = read_settings(s);
}

/* Until here a signal ends the program at once, because there is no work to finish. */
static void store_opened(void *arg)
{
    skn_serve *s = arg;

    if (s->rc) {
        begin_stop(s);
        return;
    }
    watch_signals(s);
    skein_on_commit(s->cli->engine, on_commit, s);
    s->stored = skn_serve_stored_new(s);
    if (!s->read_only && (s->rc = open_providers(s))) {
        begin_stop(s);
        return;
    }
    skn_http_ready(s->http, s->cli->engine);
    skn_http_settings(s->http, skn_serve_settings(s, s->config, s->config_mem));
    if (!s->read_only)
        open_runtime(s);
    s->jobs = skn_serve_jobs_new(s);
    tell_ready(s);
}

/* Closes all parts. The loop has stopped, or never ran. */
static void close_parts(skn_serve *s)
{
    skn_http_free(s->http);
    if (s->runtime)
        skn_runtime_free(s->runtime);
    skn_workers_free(s->workers);
    skn_workers_free(s->inner);
    skn_serve_jobs_free(s->jobs);
    skn_serve_stored_free(s->stored);
    if (s->cli->engine)
        skein_on_commit(s->cli->engine, NULL, NULL);
    if (s->demo)
        skn_provider_free(s->demo);
    skn_provider_set_free(s->providers);
    skn_model_board_free(s->models);
    skn_net_free(s->net);
    skn_timer_free(s->say);
    skn_loop_free(s->loop);
    skn_log_free(s->log);
}

/* Opens everything, runs until it is stopped, and closes everything. `most_files` is the number of descriptors that
 * may be open. */
static skein_rc skn_serve_run(skn_serve *s, int most_files)
{
    skein_rc rc = open_parts(s, most_files);

    if (!rc) {
        skn_workers_run(s->inner, open_store, store_opened, s);
        skn_loop_run(s->loop);
        rc = s->rc;
        if (s->interrupts)
            skn_note(s->cli, "Stopped. Your data stays.");
    }
    skn_serve_forget(s);
    close_parts(s);
    alarm(0);
    return rc;
}

/* The command: prepares the process, runs the server, and finds the store. */

#define MOST_FILES 65536
#define FILES_NEEDED                                                                           \
    48 /* loop, log, lock, sockets, connections to the store, and some of clients */

/* Keeps secrets in memory out of core files. */
static void guard_process(void)
{
    struct rlimit none = {0, 0};

    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* Allows as many connections as the system permits; returns the number of descriptors that may be open. */
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

/* Fails now if too few descriptors are free, instead of later in the middle of something. The parent process may have
 * left files open. */
static skein_rc check_files(skn_cli *cli, int most)
{
    int free = 0;

    for (int fd = 0; fd < most && free < FILES_NEEDED; fd++)
        free += fcntl(fd, F_GETFD) < 0;
    if (free >= FILES_NEEDED)
        return SKEIN_OK;
    return skn_fail_hint(
        &cli->err, SKEIN_IO,
        "Raise the limit. In a unit of systemd: LimitNOFILE=1024. In a new shell: "
        "ulimit -n 1024; skein serve",
        "the server must be able to open %d files and connections, and here it can open "
        "%d (the limit is %d)",
        FILES_NEEDED, free, most);
}

static skein_rc make_folders(skn_serve *s)
{
    skn_cli    *cli = s->cli;
    const char *file = skn_place_file(cli);

    if (s->read_only)
        return SKEIN_OK;
    if ((!file || !skn_opt(cli, "db")) && skn_place_folders(cli, s->traces.lock))
        return skn_fail_hint(&cli->err, SKEIN_IO, "Try: skein serve --data /some/folder",
                             "Cannot write to %s (%s)", s->traces.folder, strerror(errno));
    return s->socket ? skn_place_folders(cli, s->socket) : SKEIN_OK;
}

skein_rc skn_cmd_serve(skn_cli *cli)
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
    skein_close(cli->engine); /* before another server may take the lock */
    cli->engine = NULL;
    if (s.lock >= 0)
        close(s.lock);
    return rc;
}
