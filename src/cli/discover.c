#include "cli/discover.h"

#include "base/uid.h"
#include "cli/config_cli.h"
#include "cli/door.h"
#include "cli/place.h"
#include "cli/print.h"
#include "config/own.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#define JSON_LIMIT  ((size_t)64 << 10)
#define TOKEN_LIMIT ((size_t)4 << 10)

/* --- Where its traces are ------------------------------------------------------------------- */

static const char *runtime_folder(skn_cli *cli)
{
    const char *folder = skn_env("XDG_RUNTIME_DIR");

    return folder && *folder == '/' ? skn_arena_text(cli->keep, "%s/skein", folder) : NULL;
}

/* Nobody named the folder: it is the person's own. */
static bool is_own_folder(const skn_cli *cli)
{
    return !skn_opt(cli, "data") && !skn_opt(cli, "db") && !skn_env("SKEIN_DATA");
}

/* The names of the files. Those of a folder's own store are short (`own` is empty); others begin with `own` and a dot. */
static void name_traces(skn_cli *cli, const char *own, skn_traces *out)
{
    const char *short_name = *own ? "" : "skein.", *dot = *own ? "." : "";
    const char *begin = skn_arena_text(cli->keep, "%s/%s%s", out->folder, own, dot);

    out->lock = skn_arena_text(cli->keep, "%s%slock", begin, short_name);
    out->json = skn_arena_text(cli->keep, "%sserver.json", begin);
    out->reader_lock = skn_arena_text(cli->keep, "%sreader.lock", begin);
    out->reader_json = skn_arena_text(cli->keep, "%sreader.json", begin);
    out->socket = skn_arena_text(cli->keep, "%s%ssock", begin, short_name);
    out->current = skn_arena_text(cli->keep, "%scurrent", begin);
    out->token = skn_arena_text(cli->keep, "%stoken", begin);
    out->backups = skn_arena_text(cli->keep, "%s/backups", out->folder);
}

static void beside_file(skn_cli *cli, const char *file, skn_traces *out)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    skn_str     folder = slash ? (skn_str){file, (size_t)(slash - file)} : SKN_STR(".");
    const char *run = is_own_folder(cli) ? runtime_folder(cli) : NULL;

    out->folder = slash == file ? "/" : skn_arena_copy(cli->keep, folder).p;
    name_traces(cli, strcmp(name, "skein.db") ? name : "", out);
    if (run)
        out->socket = skn_arena_text(cli->keep, "%s/skein.sock", run);
}

const char *skn_address_mark(skn_cli *cli, const char *address)
{
    char       digest[SKN_SHA256_TEXT];
    skn_sha256 hash;

    skn_sha256_init(&hash);
    skn_sha256_add(&hash, skn_str_of(address));
    return skn_arena_copy(cli->keep, skn_str_sub(skn_sha256_text(&hash, digest), 0, 16)).p;
}

/* A database may be anywhere: the traces are on this computer, named after its address. */
static skein_rc for_database(skn_cli *cli, skn_traces *out)
{
    skein_rc rc;

    out->folder = skn_opt(cli, "data") ? skn_opt(cli, "data") : runtime_folder(cli);
    if (!out->folder && (rc = skn_config_data(cli, &out->folder)))
        return rc;
    if (!out->folder)
        return skn_fail(&cli->err, SKEIN_USAGE, "there is no home folder to keep data in");
    name_traces(cli, skn_address_mark(cli, cli->address), out);
    out->current = out->backups = NULL;
    return SKEIN_OK;
}

skein_rc skn_traces_of(skn_cli *cli, skn_traces *out)
{
    const char *file;
    skein_rc    rc = skn_place_address(cli);

    if (rc)
        return rc;
    file = skn_place_file(cli);
    if (!file)
        return for_database(cli, out);
    beside_file(cli, file, out);
    return SKEIN_OK;
}

/* *out is 0 when nobody has it, and -1 when it cannot be known who. */
static skein_rc ask_lock(const char *path, int64_t *out, skein_error *err)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int          fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool         asked;
    skein_rc     rc;

    *out = fd < 0 && errno == EACCES ? -1 : 0; /* of somebody else, who may be at it */
    if (fd < 0)
        return SKEIN_OK;
    rc = skn_own_check(fd, path, SKN_OWN_FILE, NULL, err);
    asked = fcntl(fd, F_GETLK, &lock) ==
            0; /* asking takes nothing: a start meanwhile succeeds */
    close(fd);
    if (!rc && asked && lock.l_type != F_UNLCK)
        *out = lock.l_pid > 0 ? (int64_t)lock.l_pid : -1;
    return rc;
}

int64_t skn_lock_holder(const char *path)
{
    int64_t     holder;
    skein_error err;

    (void)ask_lock(path, &holder, &err);
    return holder;
}

/* --- The token ------------------------------------------------------------------------------ */

static bool is_token(skn_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] >= 0x7f)
            return false;
    return s.n >= 16 && s.n <= 512;
}

static skein_rc read_token(skn_cli *cli, const char *path, skn_own_kind kind, skn_str *out,
                           int *open)
{
    skein_rc rc = SKEIN_OK;

    *open = 0;
    if (kind == SKN_OWN_NAMED && !strcmp(path, "-"))
        rc = skn_read_file(cli, path, TOKEN_LIMIT, out);
    else
        rc = skn_own_read(path, kind, TOKEN_LIMIT, cli->keep, out, open, &cli->err);
    if (rc)
        return rc;
    if (out->n && out->p[out->n - 1] == '\n')
        out->n--;
    if (out->n && out->p[out->n - 1] == '\r')
        out->n--;
    if (is_token(*out))
        return SKEIN_OK;
    skn_fail(&cli->err, SKEIN_USAGE,
             "the token in \"%s\" must be one line of 16 to 512 visible characters", path);
    return skn_hint(&cli->err, SKEIN_USAGE, "Make one: openssl rand -hex 32 > %s", path);
}

skein_rc skn_token_read(skn_cli *cli, const char *path, skn_str *out, int *open)
{
    return read_token(cli, path, SKN_OWN_NAMED, out, open);
}

/* Whole or not at all: it is linked to its name once it is written. Another may have been first; then that
 * one counts. */
static skein_rc make_token(skn_cli *cli, const char *path)
{
    const char *part = skn_arena_text(cli->keep, "%s.%016" PRIx64, path, skn_random());
    skn_str     text = skn_arena_printf(
            cli->keep, "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "\n", skn_random(),
            skn_random(), skn_random(), skn_random());
    int  fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = fd >= 0 && write(fd, text.p, text.n) == (ssize_t)text.n && fsync(fd) == 0;

    if (fd >= 0)
        ok &= close(fd) == 0;
    ok = ok && (link(part, path) == 0 || errno == EEXIST);
    if (!ok)
        skn_fail(&cli->err, SKEIN_IO, "the token file \"%s\" cannot be written: %s", path,
                 strerror(errno));
    unlink(part);
    return ok ? SKEIN_OK : SKEIN_IO;
}

skein_rc skn_token_ensure(skn_cli *cli, const char *path, skn_str *out)
{
    int      open;
    skein_rc rc = skn_place_guard(cli);

    if (rc)
        return rc;
    rc = read_token(cli, path, SKN_OWN_TOKEN, out, &open);
    if (rc != SKEIN_NOT_FOUND)
        return rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    rc = make_token(cli, path);
    return rc ? rc : read_token(cli, path, SKN_OWN_TOKEN, out, &open);
}

/* The one that this run names; *found tells. */
static skein_rc named_token(skn_cli *cli, skn_server *out, bool *found)
{
    const char *named = skn_opt(cli, "token-file"), *token = skn_env("SKEIN_TOKEN");
    int         open;

    *found = true;
    if (!named && token) {
        out->token = skn_str_of(token);
        return is_token(out->token)
                   ? SKEIN_OK
                   : skn_fail(&cli->err, SKEIN_USAGE,
                              "SKEIN_TOKEN must be 16 to 512 visible characters");
    }
    if (!named)
        named = skn_env("SKEIN_TOKEN_FILE");
    if (named && *named)
        return skn_token_read(cli, named, &out->token, &open);
    *found = false;
    return SKEIN_OK;
}

/* Of a server that runs here: the token that this run names, else that of the file that the server named. */
static skein_rc find_token(skn_cli *cli, const skn_traces *traces, const char *file,
                           skn_server *out)
{
    bool     found, own = file && skn_str_ends(skn_str_of(file), skn_str_of(traces->token));
    int      open;
    skein_rc rc = named_token(cli, out, &found);

    if (rc || found || !file)
        return rc;
    rc = read_token(cli, file, own ? SKN_OWN_TOKEN : SKN_OWN_NAMED, &out->token, &open);
    if (rc && out->socket) { /* the socket needs none */
        cli->err = (skein_error){.rc = SKEIN_OK};
        rc = SKEIN_OK;
    }
    return rc;
}

/* --- Finding it ----------------------------------------------------------------------------- */

const char *skn_discover_url(skn_cli *cli, const char *named)
{
    return strstr(named, "://") ? named : skn_arena_text(cli->keep, "http://%s", named);
}

bool skn_is_loopback(const char *host)
{
    struct in_addr v4;

    if (inet_pton(AF_INET, host, &v4) == 1)
        return (ntohl(v4.s_addr) >> 24) == 127;
    return !strcmp(host, "::1");
}

static skein_rc named_server(skn_cli *cli, const char *url, skn_server *out, bool *found)
{
    skn_str text;
    bool    token;

    url = skn_discover_url(cli, url);
    text = skn_str_of(url);
    if (!skn_config_url(text, false) || !text.n)
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"%s\" is not an address of a server like http://127.0.0.1:7534/",
                        url);
    if (skn_str_starts(text, SKN_STR("https:")))
        return skn_fail_hint(&cli->err, SKEIN_USAGE,
                             "Reach it through a tunnel: ssh -L 7534:127.0.0.1:7534 HOST, then "
                             "--server http://127.0.0.1:7534/",
                             "cannot use %s: commands speak http only", url);
    out->url = skn_str_ends(text, SKN_STR("/")) ? url : skn_arena_text(cli->keep, "%s/", url);
    *found = true;
    return named_token(cli, out, &token);
}

static const char *text_of(skn_cli *cli, const skn_json *v, const char *key)
{
    skn_str text = skn_json_str(v, key);

    return text.n ? skn_arena_copy(cli->keep, text).p : NULL;
}

/* A description that is not whole yet, or never was, is none. One that somebody else wrote is refused: it would say where
 * the token goes. */
static skein_rc read_description(skn_cli *cli, const skn_traces *traces, const char *path,
                                 skn_server *out, bool *found)
{
    const skn_json *v;
    skn_str         text;
    skein_error     err;
    skein_rc        rc = skn_own_read(path, SKN_OWN_FILE, JSON_LIMIT, cli->keep, &text, NULL,
                                      &cli->err);

    if (rc && skn_own_refused(&cli->err))
        return rc;
    if (rc || skn_json_parse(&v, text, path, cli->keep, &err)) {
        cli->err = (skein_error){.rc = SKEIN_OK};
        return SKEIN_OK;
    }
    out->url = text_of(cli, v, "url");
    out->socket = text_of(cli, v, "socket");
    out->version = text_of(cli, v, "version");
    out->here = true;
    out->started_at = skn_door_time(v, "startedAt");
    out->pid = skn_door_int(v, "pid", 0);
    *found = out->url != NULL;
    return *found ? find_token(cli, traces, text_of(cli, v, "tokenFile"), out) : SKEIN_OK;
}

static skein_rc behind_lock(skn_cli *cli, const skn_traces *traces, bool reader,
                            skn_server *out, bool *found)
{
    int64_t  holder;
    skein_rc rc = ask_lock(reader ? traces->reader_lock : traces->lock, &holder, &cli->err);

    *out = (skn_server){.url = NULL};
    *found = false;
    if (rc || !holder)
        return rc;
    rc = read_description(cli, traces, reader ? traces->reader_json : traces->json, out, found);
    if (!rc && holder > 0 &&
        out->pid != holder) /* of the one before; the new one is starting */
        *found = false;
    out->read_only = reader;
    return rc;
}

/* The one that runs on the store, be it one that only reads if `any`. */
static skein_rc find_here(skn_cli *cli, bool any, skn_server *out, bool *found)
{
    skn_traces traces;
    skein_rc   rc;

    *out = (skn_server){.url = NULL};
    *found = false;
    if ((rc = skn_traces_of(cli, &traces)) || (rc = skn_place_guard(cli)) ||
        (rc = behind_lock(cli, &traces, false, out, found)) || *found || !any)
        return rc;
    return behind_lock(cli, &traces, true, out, found);
}

skein_rc skn_discover_here(skn_cli *cli, skn_server *out, bool *found)
{
    return find_here(cli, false, out, found);
}

/* NULL: the server is the one that runs here. */
static const char *server_option(const skn_cli *cli)
{
    const char *named = skn_opt(cli, "server");

    return !named ? skn_env("SKEIN_SERVER") : *named ? named : NULL;
}

skein_rc skn_discover_reader(skn_cli *cli, skn_server *out, bool *found)
{
    skn_traces traces;
    skein_rc   rc;

    *out = (skn_server){.url = NULL};
    *found = false;
    if (server_option(cli))
        return SKEIN_OK;
    if ((rc = skn_traces_of(cli, &traces)) || (rc = skn_place_guard(cli)))
        return rc;
    return behind_lock(cli, &traces, true, out, found);
}

bool skn_only_reads(skn_cli *cli)
{
    skein_error before = cli->err;
    skn_server  server;
    bool        found = false;

    (void)skn_discover_reader(cli, &server, &found);
    cli->err = before;
    return found;
}

const char *skn_nobody_runs(skn_cli *cli)
{
    return skn_only_reads(cli) ? "The server that runs here only reads" : "No server runs here";
}

/* What was asked for is stored: that nobody can be found is not a failure of it. */
void skn_note_nobody(skn_cli *cli, skn_str agent, const char *does)
{
    skein_error before = cli->err;
    skn_server  server;
    bool        found = true;

    if (!skn_is_elsewhere(cli) && !skn_discover(cli, &server, &found) && !found)
        skn_note(cli, "%s: %.*s %s when %s (skein serve).", skn_nobody_runs(cli),
                 SKN_FMT(agent), does, skn_only_reads(cli) ? "another runs" : "one does");
    cli->err = before;
}

static skein_rc find_any(skn_cli *cli, bool any, skn_server *out, bool *found)
{
    const char *named = server_option(cli);

    if (!named)
        return find_here(cli, any, out, found);
    *out = (skn_server){.url = NULL};
    *found = false;
    return named_server(cli, named, out, found);
}

skein_rc skn_discover(skn_cli *cli, skn_server *out, bool *found)
{
    return find_any(cli, false, out, found);
}

skein_rc skn_discover_any(skn_cli *cli, skn_server *out, bool *found)
{
    return find_any(cli, true, out, found);
}
